/* SPDX-License-Identifier: BSD-2-Clause */
/* What people call ports, speeds and kinds of nodes; ibcheck-topology(5) lists it. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/error.h"
#include "base/nodename.h"
#include "base/str.h"
#include "base/words.h"
#include "source/plans/plan.h"

#define BLANKS     " \t"
#define DIGITS     "0123456789"
#define PORT_MAX   255   /* a port number is a byte */
#define MBPS_MIN   10000 /* 1x SDR has 2500, which no plan has; 12x XDR has 2400 Gb/s */
#define CAGE_PORTS 2     /* of the cages of two-port modules (OSFP) */

/* ---- ports ---------------------------------------------------------------- */

static bool has_prefix(const char *text, const char *prefix)
{
	return strncasecmp(text, prefix, strlen(prefix)) == 0;
}

/* Behind the word for a port, if there is one. */
static const char *skip_port_word(const char *text)
{
	if (has_prefix(text, "port"))
		text += 4;
	else if (has_prefix(text, "p"))
		text += 1;
	return text + strspn(text, BLANKS);
}

/*
 * Is the whole text so?  A "#" stands for digits, whose number is up to PORT_MAX + 1 at least
 * where it is more; " " for any blanks, other characters for themselves in any case.
 */
static bool reads(const char *s, const char *pattern, unsigned int numbers[3])
{
	for (; *pattern; pattern++) {
		if (*pattern == ' ') {
			s += strspn(s, BLANKS);
		} else if (*pattern == '#') {
			unsigned int n = 0;

			if (!isdigit((unsigned char)*s))
				return false;
			for (; isdigit((unsigned char)*s); s++)
				n = n > PORT_MAX ? n : n * 10 + (unsigned int)(*s - '0');
			*numbers++ = n;
		} else if (tolower((unsigned char)*s++) != *pattern) {
			return false;
		}
	}
	return *s == '\0';
}

static int verify_number(unsigned int num, struct ibc_error *err)
{
	if (num == 0)
		return fail(err, -EINVAL, "there is no port 0: port numbers start at 1");
	if (num > PORT_MAX)
		return fail(err, -EINVAL, "no node has a port beyond %d", PORT_MAX);
	return 0;
}

/* Port 2 of cage 17 is 34. */
static int port_of_cage(unsigned int cage, unsigned int in_cage, struct plan_port *out,
                        struct ibc_error *err)
{
	if (in_cage == 0 || in_cage > CAGE_PORTS)
		return fail(err, -EINVAL,
		            "a cage has the ports 1 and 2: write a port of another switch as one "
		            "number");
	if (cage == 0)
		return fail(err, -EINVAL, "there is no cage 0: cage numbers start at 1");
	out->num = (cage - 1) * CAGE_PORTS + in_cage;
	return verify_number(out->num, err);
}

int plan_port_parse(const char *text, struct plan_port *out, struct ibc_error *err)
{
	const char *numbers = skip_port_word(text), *space = strrchr(text, ' ');
	size_t length = strcspn(text, "/:" BLANKS);
	const char *rest = text + length + strspn(text + length, "/:" BLANKS);
	unsigned int n[3];
	char name[32];

	*out = (struct plan_port){ .part = "" };
	/* how switches with an operating system call them: slot 1 is all they have */
	if (has_prefix(text, "IB1/"))
		numbers = text + 4;
	else if (has_prefix(text, "IB Port "))
		numbers = skip_port_word(text + 3);
	else if (has_prefix(text, "swp"))
		numbers = text + 3;
	if (reads(numbers, "#", n)) {
		out->num = n[0];
		return verify_number(out->num, err);
	}
	/* the latter as NVOS has it */
	if (reads(numbers, "#/#", n) || reads(text, "sw#p#", n))
		return port_of_cage(n[0], n[1], out, err);
	/* UFM */
	if (reads(text, "blade #_port #/#", n)) {
		out->of_switch = true;
		out->part = out->own;
		out->part_length = snprintf(out->own, sizeof(out->own), "L%02u/U%u", n[0], n[1]);
		out->num = n[2];
		return verify_number(out->num, err);
	}
	/* "mlx5_2/P1", "mlx5_2 port 1", "mlx5_2" */
	if (str_cut(name, sizeof(name), text, length) && is_hca_name(name)) {
		out->part = text;
		out->part_length = (int)length;
		out->num = 1;
		if (text[length] == '\0')
			return 0;
		if (reads(skip_port_word(rest), "#", n)) {
			out->num = n[0];
			return verify_number(out->num, err);
		}
	}
	/* "NODE0041 ibp75s0f0": the host once more */
	if (space && is_hca_name(space + 1)) {
		out->part = space + 1;
		out->part_length = (int)strlen(space + 1);
		out->num = 1;
		return 0;
	}
	return fail(err, -EINVAL,
	            "\"%.60s\" is not a port; ports are written 7, P7, Port 7, IB1/7, swp7, 17/2, "
	            "sw17p2, Blade 16_Port 2/20 or mlx5_2/P1",
	            text);
}

int plan_panel_parse(const char *text, struct plan_port *out, struct ibc_error *err)
{
	const char *slash = strrchr(text, '/');
	const char *num = skip_port_word(slash ? slash + 1 : text);
	unsigned int n[3];

	*out = (struct plan_port){ .part = text, .part_length = slash ? (int)(slash - text) : 0 };
	/* the only chip of a system */
	if (out->part_length == 2 && has_prefix(text, "U1"))
		out->part_length = 0;
	if (!reads(num, "#", n))
		return fail(err, -EINVAL,
		            "\"%.60s\" is not a port; ports are written P7, mlx5_2/P1 or L1/P7",
		            text);
	out->num = n[0];
	return verify_number(out->num, err);
}

/* ---- widths and speeds ----------------------------------------------------- */

/* Gb/s of a lane, in the round numbers that people use; of equals the first is meant. */
static const struct lane {
	enum ibc_speed speed;
	double gbps;
	const char *word;
} lanes[] = {
	{ IBC_SPEED_SDR, 2.5, "2.5G" },   { IBC_SPEED_DDR, 5, "5G" },
	{ IBC_SPEED_QDR, 10, "10G" },     { IBC_SPEED_FDR, 14, "14G" },
	{ IBC_SPEED_EDR, 25, "25G" },     { IBC_SPEED_HDR, 50, "50G" },
	{ IBC_SPEED_NDR, 100, "100G" },   { IBC_SPEED_XDR, 200, "200G" },
	{ IBC_SPEED_FDR10, 10, "FDR10" },
};

static const enum ibc_width widths[] = { IBC_WIDTH_4X, IBC_WIDTH_1X, IBC_WIDTH_2X, IBC_WIDTH_8X,
	                                 IBC_WIDTH_12X };

static enum ibc_speed speed_of_lane(double gbps)
{
	for (size_t i = 0; i < ARRAY_SIZE(lanes); i++)
		if (lanes[i].gbps == gbps)
			return lanes[i].speed;
	return IBC_SPEED_UNKNOWN;
}

static const struct lane *lane_of(enum ibc_speed speed)
{
	for (size_t i = 0; i < ARRAY_SIZE(lanes); i++)
		if (lanes[i].speed == speed)
			return &lanes[i];
	return NULL;
}

static enum ibc_width width_of_lanes(double n)
{
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++)
		if (ibc_width_lanes(widths[i]) == n)
			return widths[i];
	return IBC_WIDTH_UNKNOWN;
}

/* "100", "100G", "100 Gb/s" */
static bool read_gbps(const char *text, double *out)
{
	static const char *const units[] = { "", "g", "gb", "gbps", "gb/s", "gbit/s" };
	char number[16];
	size_t length = strspn(text, DIGITS ".");
	const char *unit = text + length + strspn(text + length, BLANKS);
	bool known = false;

	if (!str_cut(number, sizeof(number), text, length))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		known |= strcasecmp(unit, units[i]) == 0;
	if (!known || str_real(number, out))
		return false;
	/* UFM writes Mb/s, and no cable has so many Gb/s */
	if (*unit == '\0' && *out >= MBPS_MIN)
		*out /= 1000;
	return true;
}

const char *plan_lane_word(enum ibc_speed speed)
{
	const struct lane *lane = lane_of(speed);

	return lane ? lane->word : "";
}

enum ibc_speed plan_lane_speed(const char *text)
{
	double gbps;

	return read_gbps(text, &gbps) ? speed_of_lane(gbps) : speed_of(text);
}

static bool read_speed(const char *text, enum ibc_width width, struct plan_rate *out)
{
	size_t digits = strspn(text, DIGITS), letters = strcspn(text, BLANKS DIGITS);
	enum ibc_width assumed = width ? width : IBC_WIDTH_4X;
	const char *rest = text + digits + 1;
	char word[8];
	double gbps;

	*out = (struct plan_rate){ (uint8_t)width, (uint16_t)speed_of(text) };
	if (*text == '\0' || out->speed)
		return true;
	/* "4xEDR", "4x 25G" */
	if (digits && tolower((unsigned char)text[digits]) == 'x' &&
	    str_cut(word, sizeof("12x"), text, digits + 1)) {
		out->width = (uint8_t)width_of(word);
		out->speed = (uint16_t)plan_lane_speed(rest + strspn(rest, BLANKS "-"));
		if (out->width && out->speed)
			return true;
	}
	/* Gb/s of a cable of so many lanes, else of one of them */
	if (read_gbps(text, &gbps)) {
		out->width = (uint8_t)assumed;
		out->speed = (uint16_t)speed_of_lane(gbps / ibc_width_lanes(assumed));
		if (out->speed)
			return true;
		out->width = (uint8_t)width;
		out->speed = (uint16_t)speed_of_lane(gbps);
		if (out->speed)
			return true;
	}
	/* "HDR100": a speed, and what that gives for the whole cable */
	rest = text + letters;
	if (!str_cut(word, sizeof(word), text, letters))
		return false;
	out->speed = (uint16_t)speed_of(word);
	if (!out->speed || !read_gbps(rest + strspn(rest, BLANKS), &gbps))
		return false;
	out->width = (uint8_t)width_of_lanes(gbps / lane_of(out->speed)->gbps);
	return out->width != IBC_WIDTH_UNKNOWN;
}

int plan_width_parse(const char *text, struct plan_rate *out, struct ibc_error *err)
{
	uint64_t n;

	*out = (struct plan_rate){ 0 };
	out->width = (uint8_t)(str_u64(text, 1, 12, &n) ? width_of(text)
	                                                : width_of_lanes((double)n));
	if (!out->width && *text)
		return fail(err, -EINVAL, "\"%.60s\" is not a width: use 1x, 2x, 4x, 8x or 12x",
		            text);
	return 0;
}

int plan_speed_parse(const char *text, struct plan_rate *out, struct ibc_error *err)
{
	enum ibc_width known = out->width;

	if (!read_speed(text, known, out))
		return fail(err, -EINVAL,
		            "\"%.60s\" is not a speed; speeds are written EDR (SDR, DDR, QDR, "
		            "FDR10, FDR, HDR, NDR, XDR), 4xEDR, HDR100 or 100G",
		            text);
	if (known && out->width != known)
		return fail(err, -EINVAL, "\"%.60s\" has a width of %s, but %s is given as well",
		            text, ibc_width_word(out->width)->name, ibc_width_word(known)->name);
	return 0;
}

/* ---- kinds of nodes --------------------------------------------------------- */

static const struct plan_type types[] = {
	{ "switch", IBC_NODE_SWITCH, PORT_MAX }, { "sw", IBC_NODE_SWITCH, PORT_MAX },
	{ "leaf", IBC_NODE_SWITCH, PORT_MAX },   { "spine", IBC_NODE_SWITCH, PORT_MAX },
	{ "core", IBC_NODE_SWITCH, PORT_MAX },   { "cl", IBC_NODE_SWITCH, PORT_MAX },
	{ "cs", IBC_NODE_SWITCH, PORT_MAX },     { "router", IBC_NODE_ROUTER, PORT_MAX },
	{ "ca", IBC_NODE_CA, PORT_MAX },         { "hca", IBC_NODE_CA, PORT_MAX },
	{ "fi", IBC_NODE_CA, PORT_MAX },         { "hfi", IBC_NODE_CA, PORT_MAX },
	{ "host", IBC_NODE_CA, HCA_PORTS },      { "server", IBC_NODE_CA, HCA_PORTS },
	{ "node", IBC_NODE_CA, HCA_PORTS },      { "compute", IBC_NODE_CA, HCA_PORTS },
	{ "storage", IBC_NODE_CA, HCA_PORTS },
};

const struct plan_type *plan_type_of(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (strcasecmp(types[i].word, word) == 0)
			return &types[i];
	return NULL;
}

enum ibc_node_type plan_type_guess(const char *name, unsigned int highest_port)
{
	const char *space = strrchr(name, ' ');

	/* "node17 mlx5_0" */
	if (space && is_hca_name(space + 1))
		return IBC_NODE_CA;
	if (highest_port > HCA_PORTS || strcasestr(name, "switch") || strcasestr(name, "leaf") ||
	    strcasestr(name, "spine"))
		return IBC_NODE_SWITCH;
	if ((has_prefix(name, "sw") || has_prefix(name, "core")) &&
	    !isalpha((unsigned char)name[has_prefix(name, "sw") ? 2 : 4]))
		return IBC_NODE_SWITCH;
	return IBC_NODE_CA;
}
