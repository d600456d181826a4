/* SPDX-License-Identifier: BSD-2-Clause */
/* One line of ibnetdiscover text, as that program or a person writes it. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "base/words.h"
#include "source/netdiscover/netdiscover.h"

#define BLANKS    " \t"
#define DIGITS    "0123456789"
#define GUID_LEN  16     /* digits, without 0x */
#define PORT_MAX  255    /* a port number is a byte */
#define LID_MAX   0xffff /* 16 bits; multicast LIDs are written too */
#define LMC_MAX   7      /* 3 bits (IBA 14.2.5.6) */
#define WIDTH_MAX 31     /* codes as ibsim takes them: 1x to 2x, */
#define SPEED_MAX 7      /* SDR, DDR, QDR, */
#define EXT_MAX   15     /* FDR to NDR */

/* ---- pieces -------------------------------------------------------------- */

static char *skip_blanks(char *s)
{
	return s + strspn(s, BLANKS);
}

bool net_number(char **s, uint64_t max, uint64_t *out)
{
	int base = (*s)[0] == '0' && tolower((unsigned char)(*s)[1]) == 'x' ? 16 : 10;
	unsigned long long value;
	char *end;

	if (!isdigit((unsigned char)**s))
		return false;
	errno = 0;
	value = strtoull(*s, &end, base);
	if (errno || value > max)
		return false;
	*s = end;
	*out = value;
	return true;
}

/* "[12]" */
static bool take_port(char **s, unsigned int *num)
{
	char *p = *s + 1;
	uint64_t value;

	if (**s != '[' || !net_number(&p, PORT_MAX, &value) || *p != ']' || value == 0)
		return false;
	*s = p + 1;
	*num = (unsigned int)value;
	return true;
}

/* "[ext 12]": the number on a chassis' panel, which the model has no place for. */
static void pass_panel_port(char **s)
{
	char *end;

	if (strncmp(*s, "[ext ", 5) != 0)
		return;
	end = *s + 5 + strspn(*s + 5, DIGITS);
	if (*end == ']')
		*s = end + 1;
}

/*
 * "(8f10403960559)", the label of the port, "(1/1/1)", "(N/A)", or both: ibdiagnet has the label
 * first.  What is neither ibsim passes over, and so do people: "(host1)".
 */
static bool take_guid(char **s, uint64_t *guid, const char **label)
{
	char *end;

	for (; **s == '('; *s = end + 1) {
		end = strchr(*s, ')');
		if (!end)
			return false;
		*end = '\0';
		if (strchr(*s, '/'))
			*label = strcmp(*s + 1, "N/A") != 0 ? *s + 1 : NULL;
		else
			str_guid(*s + 1, guid);
	}
	return true;
}

static const char *take_quoted(char **s)
{
	char *text = *s + 1, *end = **s == '"' ? strchr(text, '"') : NULL;

	if (!end)
		return NULL;
	*end = '\0';
	*s = end + 1;
	return text;
}

bool net_id_parse(const char *id, enum ibc_node_type *type, uint64_t *guid)
{
	static const char letters[] = {
		[IBC_NODE_CA] = 'H', [IBC_NODE_SWITCH] = 'S', [IBC_NODE_ROUTER] = 'R'
	};
	const char *letter = *id ? memchr(letters, *id, sizeof(letters)) : NULL;
	char digits[GUID_LEN + 1];

	if (!letter || id[1] != '-' || strcspn(id + 2, ".") != GUID_LEN)
		return false;
	snprintf(digits, sizeof(digits), "%s", id + 2);
	if (str_guid(digits, guid))
		return false;
	*type = (enum ibc_node_type)(letter - letters);
	return true;
}

/* ---- comments ------------------------------------------------------------ */

/* What the words of a comment say; an unknown word says nothing. */
struct said {
	bool has_lid, rated;
	uint64_t lid, lmc;
	uint8_t width;
	uint16_t speed;
};

/* "4xEDR", "??FDR", "12x???" */
static int read_rate(char *word, struct said *said, struct ibc_error *err)
{
	size_t digits = strspn(word, DIGITS), n = digits + 1;
	char width[8] = "";

	if (strncmp(word, "??", 2) == 0)
		n = 2;
	else if (digits == 0 || tolower((unsigned char)word[digits]) != 'x' || n >= sizeof(width))
		return 0;
	memcpy(width, word, n);
	said->width = (uint8_t)width_of(width);
	said->speed = (uint16_t)speed_of(word + n);
	if ((!said->width && digits > 0) || (!said->speed && strcmp(word + n, "???") != 0))
		return fail(err, -EINVAL, "no known width and speed: \"%s\"", word);
	said->rated = true;
	return 0;
}

static int read_words(char *text, struct said *said, struct ibc_error *err)
{
	char *save = NULL, *word = strtok_r(text, BLANKS, &save);
	const char *before = "";
	bool behind_lid = false, is_lid;
	int rc = 0;

	for (; word; before = word, word = strtok_r(NULL, BLANKS, &save)) {
		if (behind_lid)
			rc = read_rate(word, said, err);
		if (rc)
			return rc;
		is_lid = strcmp(before, "lid") == 0;
		behind_lid = is_lid && word[strspn(word, DIGITS)] == '\0';
		if ((!is_lid && strcmp(before, "lmc") != 0) || word[strspn(word, DIGITS)])
			continue;
		said->has_lid |= is_lid;
		if (is_lid ? str_u64(word, 0, LID_MAX, &said->lid)
		           : str_u64(word, 0, LMC_MAX, &said->lmc))
			return fail(err, -EINVAL, "no %s: \"%s\"", is_lid ? "LID" : "LMC", word);
	}
	return 0;
}

/*
 * A description reaches up to the last quotation mark of the line: it may hold
 * some itself, and nothing behind it has any.  In front of it a CA's port says
 * its own LID, behind it comes what concerns the peer.
 */
static int read_comment(char *text, struct said *own, struct said *peer, const char **desc,
                        struct ibc_error *err)
{
	char *first = strchr(text, '"'), *last = strrchr(text, '"');

	if (!first)
		return read_words(text, peer, err);
	*first = *last = '\0';
	if (read_words(text, own, err))
		return -EINVAL;
	if (first < last) {
		*desc = first + 1;
		return read_words(last + 1, peer, err);
	}
	/* else an inch mark in notes that follow */
	if (own->has_lid || *skip_blanks(text) == '\0')
		return fail(err, -EINVAL, "the description has no closing quotation mark");
	return 0;
}

/* ---- headers ------------------------------------------------------------- */

/* The end of a description without quotation marks: ibsim stops at the same words. */
static char *bare_desc_end(char *text)
{
	static const char *const ends[] = { " enhanced port ", " base port ", " lid ", " lmc " };
	char *end = text + strlen(text), *found;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		found = strstr(text, ends[i]);
		if (found && found < end)
			end = found;
	}
	return end;
}

int net_header_parse(char *line, struct net_header *out, struct ibc_error *err)
{
	struct said said = { 0 };
	char *s = skip_blanks(line), *end;
	uint64_t ports;

	*out = (struct net_header){ 0 };
	if (!net_number(&s, PORT_MAX, &ports))
		return fail(err, -EINVAL, "expected a number of ports, up to %d", PORT_MAX);
	s = skip_blanks(s);
	out->num_ports = (unsigned int)ports;
	out->id = take_quoted(&s);
	if (!out->id || !*out->id)
		return fail(err, -EINVAL, "expected the node's id in quotation marks");
	s = skip_blanks(s);
	if (*s == '#') {
		s = skip_blanks(s + 1);
		end = *s == '"' ? strrchr(s + 1, '"') : bare_desc_end(s);
		if (!end)
			return fail(err, -EINVAL, "the description has no closing quotation mark");
		out->desc = *s == '"' ? s + 1 : s;
		s = *end ? end + 1 : end;
		*end = '\0';
	}
	out->enhanced = strstr(s, "enhanced port 0") != NULL;
	if (read_words(s, &said, err))
		return -EINVAL;
	out->lid = (uint16_t)said.lid;
	out->lmc = (uint8_t)said.lmc;
	return 0;
}

/* ---- ports --------------------------------------------------------------- */

/* "w=4 s=2" */
static int read_options(char *text, struct net_enabled *out, struct ibc_error *err)
{
	const struct {
		const char *name;
		unsigned int *value, min, max;
	} options[] = {
		{ "w", &out->width, 1, WIDTH_MAX },
		{ "s", &out->speed, 0, SPEED_MAX },
		{ "e", &out->extended, 0, EXT_MAX },
	};
	char *save = NULL, *word, *equals;
	uint64_t value;

	for (word = strtok_r(text, BLANKS, &save); word; word = strtok_r(NULL, BLANKS, &save)) {
		equals = strchr(word, '=');
		if (!equals)
			return fail(err, -EINVAL, "not understood: \"%s\"", word);
		*equals = '\0';
		for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
			if (strcmp(word, options[i].name) != 0)
				continue;
			if (str_u64(equals + 1, options[i].min, options[i].max, &value))
				return fail(err, -EINVAL, "%s=%s is not a number from %u to %u",
				            word, equals + 1, options[i].min, options[i].max);
			*options[i].value = (unsigned int)value;
			out->known = true;
		}
	}
	return 0;
}

int net_port_parse(char *line, struct net_port *out, struct ibc_error *err)
{
	struct said own = { 0 }, peer = { 0 };
	char *s = line, *remarks;
	const char *peer_label;
	int rc;

	*out = (struct net_port){ .peer_num = 1, .enabled = out->enabled };
	if (!take_port(&s, &out->num))
		return fail(err, -EINVAL, "expected a port, \"[1]\" to \"[%d]\"", PORT_MAX);
	pass_panel_port(&s);
	if (!take_guid(&s, &out->guid, &out->label))
		return fail(err, -EINVAL, "expected \")\" behind the port GUID");
	s = skip_blanks(s);
	out->peer_id = take_quoted(&s);
	if (!out->peer_id || !*out->peer_id)
		return fail(err, -EINVAL, "expected the peer's id in quotation marks");
	s = skip_blanks(s);
	if (*s == '[' && !take_port(&s, &out->peer_num))
		return fail(err, -EINVAL, "expected the peer's port, \"[1]\" to \"[%d]\"",
		            PORT_MAX);
	pass_panel_port(&s);
	s = skip_blanks(s);
	if (!take_guid(&s, &out->peer_guid, &peer_label))
		return fail(err, -EINVAL, "expected \")\" behind the port GUID");
	remarks = strchr(s, '#');
	if (remarks)
		*remarks++ = '\0';
	rc = read_options(s, &out->enabled, err);
	if (rc == 0 && remarks)
		rc = read_comment(remarks, &own, &peer, &out->peer_desc, err);
	out->lid = (uint16_t)own.lid;
	out->lmc = (uint8_t)own.lmc;
	out->peer_lid = (uint16_t)peer.lid;
	out->rated = peer.rated;
	out->width = peer.width;
	out->speed = peer.speed;
	return rc;
}
