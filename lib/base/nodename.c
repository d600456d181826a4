/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The forms of a node's name in which two spellings of it are the same.  A managed switch
 * calls itself "MF0;leaf01:MQM8700/U1", of a director "MF0;core1:CS7500/L01/U1"; people
 * plan "leaf01" and "core1/L01".
 */
#include "base/nodename.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/str.h"

#define DIGITS     "0123456789"
#define SEPARATORS " /:-_."

#define AGGREGATION_NODE "Aggregation Node"

/* Found in the descriptions of CAs that name no host. */
static const char *const factory_words[] = { AGGREGATION_NODE, "Mellanox Technologies" };

/* What a host is called before it is given a name: defaults of the kernel, of installers, of
 * images. */
static const char *const nameless[] = { "localhost", "localhost.localdomain", "(none)", "ubuntu",
	                                "debian" };

bool is_aggregation_node(const char *text)
{
	return strstr(text, AGGREGATION_NODE);
}

static bool is_all_digits(const char *s)
{
	return *s && s[strspn(s, DIGITS)] == '\0';
}

/* "HCA-1"; "mlx5_0", "hfi1_0"; "ib0"; "ibp65s0" and other names that udev gives. */
bool is_hca_name(const char *s)
{
	size_t alnum = strspn(s, DIGITS "abcdefghijklmnopqrstuvwxyz");

	if (strncasecmp(s, "HCA-", 4) == 0)
		return is_all_digits(s + 4);
	if (alnum > 0 && s[alnum] == '_')
		return is_all_digits(s + alnum + 1);
	if (strncmp(s, "ib", 2) != 0)
		return false;
	return is_all_digits(s + 2) || (s[2] && strchr("pPsox", s[2]) && strspn(s + 3, DIGITS) > 0);
}

bool is_factory_text(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(factory_words); i++)
		if (strstr(text, factory_words[i]))
			return true;
	return false;
}

bool is_nameless(const char *host, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(nameless); i++)
		if (strlen(nameless[i]) == length && memcmp(host, nameless[i], length) == 0)
			return true;
	return false;
}

#define NUMBERED_MAX 10 /* characters: a serial number has more */

/* "MT4129", "mlx5_0", "Quantum-2"; not "gpu1", however common that is. */
bool is_common_word(const char *word)
{
	static const char *const words[] = {
		"-",           "Mellanox",  "Technologies", "Technologies,",  "NVIDIA",
		"Aggregation", "Node",      "Quantum",      "Quantum-2",      "SwitchX",
		"SwitchIB",    "Switch-IB", "Switch",       "ConnectX",       "ConnectX6",
		"ConnectX7",   "ConnectX8", "HCA",          "Infiniscale-IV", "host",
	};
	static const char *const numbered[] = { "MT", "name0" };
	static const char *const devices[] = { "HCA-", "mlx4_", "mlx5_", "hfi1_", "ibp" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	/* of what udev makes only what begins as no host does: "node_7" is in its form, too */
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
		if (strncmp(word, devices[i], strlen(devices[i])) == 0 && is_hca_name(word))
			return true;
	/* and what copies without names have, so that such a copy can be made of another */
	for (size_t i = 0; i < ARRAY_SIZE(numbered); i++)
		if (strncmp(word, numbered[i], strlen(numbered[i])) == 0 &&
		    strlen(word) < NUMBERED_MAX && is_all_digits(word + strlen(numbered[i])))
			return true;
	return is_nameless(word, strlen(word));
}

/* struct name - a text in lower case, cut: "node01" ".site" "mlx5_0"; the last two may be "" */
struct name {
	char text[NODENAME_MAX];
	char host[NODENAME_MAX], domain[NODENAME_MAX];
	const char *device;
};

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static bool is_letter(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Spaces at both ends go, more than one become one.  False: longer than any name. */
static bool copy_lower(char out[NODENAME_MAX], const char *text)
{
	size_t n = 0;

	for (; *text; text++) {
		if (*text == ' ' && (n == 0 || out[n - 1] == ' '))
			continue;
		if (n == NODENAME_MAX - 1)
			return false;
		out[n++] = *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text;
	}
	if (n > 0 && out[n - 1] == ' ')
		n--;
	out[n] = '\0';
	return true;
}

static void cut_out(char *from, const char *to)
{
	memmove(from, to, strlen(to) + 1);
}

/* "mf0;core1:cs7500/l01/u1" is "core1/l01"; the first chip of a system is the system. */
static void drop_model(char *text)
{
	size_t length;
	char *colon;

	if (starts_with(text, "mf") && text[2] && text[3] == ';') {
		cut_out(text, text + 4);
		colon = strchr(text, ':');
		if (colon)
			cut_out(colon, strchrnul(colon, '/'));
	}
	length = strlen(text);
	if (length > 3 && strcmp(text + length - 3, "/u1") == 0)
		text[length - 3] = '\0';
	text = strstr(text, "/l0"); /* line cards: L01 is L1 */
	if (text && is_digit(text[3]))
		cut_out(text + 2, text + 3);
}

static bool is_separator(char c)
{
	return c && strchr(SEPARATORS, c);
}

/* Where the HCA's name begins; a dash or a dot is part of many a host's own name. */
static char *find_device(char *text)
{
	for (char *at = text + 1; *text && *at; at++) {
		if (!is_separator(at[-1]) || !is_letter(*at) || !is_hca_name(at))
			continue;
		if (strchr(" /:", at[-1]) || starts_with(at, "mlx") || starts_with(at, "hca-"))
			return at;
	}
	return NULL;
}

/*
 * "node01.site": behind the first label, if that is a name and no number (an address).  What
 * goes on, "leaf01.site/4", is more than a host.
 */
static char *find_domain(char *host)
{
	char *dot = strchr(host, '.');

	if (dot && strpbrk(dot, " /"))
		dot = NULL;
	for (char *c = host; dot && c < dot; c++)
		if (is_letter(*c))
			return dot;
	return host + strlen(host);
}

bool says_nothing(const char *text)
{
	return !*text || is_factory_text(text) || is_nameless(text, strcspn(text, " /:"));
}

static bool read_name(struct name *name, const char *text)
{
	char *device, *end, *domain;

	if (says_nothing(text) || !copy_lower(name->text, text))
		return false;
	drop_model(name->text);
	device = find_device(name->text);
	name->device = device ? device : "";
	end = device ? device : name->text + strlen(name->text);
	while (device && end > name->text && is_separator(end[-1]))
		end--;
	memcpy(name->host, name->text, (size_t)(end - name->text));
	name->host[end - name->text] = '\0';
	domain = find_domain(name->host);
	strcpy(name->domain, domain);
	*domain = '\0';
	return *name->host;
}

/* mlx5_0 and HCA-1 are both the first; what is called by its slot keeps that. */
static void write_device(char *out, size_t room, const char *device)
{
	size_t length = strlen(device);
	unsigned long index;

	if (starts_with(device, "ib") && is_letter(device[2])) {
		snprintf(out, room, "#%s", device);
		return;
	}
	while (length > 0 && is_digit(device[length - 1]))
		length--;
	index = strtoul(device + length, NULL, 10);
	snprintf(out, room, "#%lu", index && starts_with(device, "hca-") ? index - 1 : index);
}

bool name_form(char out[NODENAME_MAX], const char *text, enum name_form form)
{
	struct name name;
	size_t n;

	if (form == NAME_EXACT)
		return !says_nothing(text) && str_cut(out, NODENAME_MAX, text, strlen(text));
	if (!read_name(&name, text))
		return false;
	n = (size_t)snprintf(out, NODENAME_MAX, "%s%s", name.host,
	                     form == NAME_FOLDED ? name.domain : "");
	if (form != NAME_HOST && *name.device && n < NODENAME_MAX)
		write_device(out + n, NODENAME_MAX - n, name.device);
	return true;
}

bool names_are_apart(const char *a, const char *z)
{
	struct name names[2];

	return read_name(&names[0], a) && read_name(&names[1], z) && *names[0].domain &&
	       *names[1].domain && strcmp(names[0].domain, names[1].domain) != 0;
}

/* A separator is kept between two digits: "leaf1-2" is not "leaf12". */
bool name_plain(char out[NODENAME_MAX], const char *text)
{
	char name[NODENAME_MAX];
	size_t n = 0;

	if (!name_form(name, text, NAME_SHORT))
		return false;
	for (const char *c = name; *c; c++) {
		const bool after_digit = n > 0 && is_digit(out[n - 1]);

		if (is_separator(*c)) {
			c += strspn(c, SEPARATORS) - 1;
			if (after_digit && is_digit(c[1]))
				out[n++] = '-';
		} else if (*c != '0' || after_digit || !is_digit(c[1])) {
			out[n++] = *c;
		}
	}
	out[n] = '\0';
	return true;
}

/* One edit, or two letters that have changed places? */
static bool is_one_edit(const char *a, const char *z)
{
	size_t left = strlen(a), right = strlen(z), head = 0, tail = 0, rest;

	while (head < left && a[head] == z[head])
		head++;
	while (tail + head < left && tail + head < right &&
	       a[left - tail - 1] == z[right - tail - 1])
		tail++;
	left -= head + tail;
	right -= head + tail;
	rest = left > right ? left : right;
	return rest == 1 ||
	       (left == 2 && right == 2 && a[head] == z[head + 1] && a[head + 1] == z[head]);
}

enum name_likeness names_compare(const char *a, const char *z)
{
	char mine[NODENAME_MAX], other[NODENAME_MAX];

	if (names_are_apart(a, z) || !name_plain(mine, a) || !name_plain(other, z))
		return NAMES_UNLIKE;
	if (strcmp(mine, other) == 0)
		return NAMES_EQUAL;
	if (is_one_edit(mine, other))
		return NAMES_NEAR;
	/* of "leaf103" and "leaf03" the zero counts */
	return name_form(mine, a, NAME_SHORT) && name_form(other, z, NAME_SHORT) &&
	               is_one_edit(mine, other)
	           ? NAMES_NEAR
	           : NAMES_UNLIKE;
}

bool name_of_system(char out[NODENAME_MAX], const char *name)
{
	const char *system = name + 4, *model, *path;

	if (strncmp(name, "MF", 2) || !name[2] || name[3] != ';')
		return false;
	model = strchr(system, ':');
	path = model ? strchr(model, '/') : NULL;
	if (!path || model == system || strlen(name) >= NODENAME_MAX)
		return false;
	snprintf(out, NODENAME_MAX, "%.*s%s%s", (int)(model - system), system,
	         strcmp(path, "/U1") ? " " : "", strcmp(path, "/U1") ? path + 1 : "");
	return true;
}
