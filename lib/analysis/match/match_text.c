/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The forms of a node's name in which two spellings of it are the same.  A managed switch
 * calls itself "MF0;leaf01:MQM8700/U1", of a director "MF0;core1:CS7500/L01/U1"; people
 * plan "leaf01" and "core1/L01".
 */
#include "analysis/match/match_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"

/* struct name - a text in lower case, cut: "node01" ".site" "mlx5_0"; the last two may be "" */
struct name {
	char text[MATCH_TEXT_MAX];
	char host[MATCH_TEXT_MAX], domain[MATCH_TEXT_MAX];
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

/* Spaces at both ends go, more than one become one.  False: longer than any name. */
static bool copy_lower(char out[MATCH_TEXT_MAX], const char *text)
{
	size_t n = 0;

	for (; *text; text++) {
		if (*text == ' ' && (n == 0 || out[n - 1] == ' '))
			continue;
		if (n == MATCH_TEXT_MAX - 1)
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
	if (text && text[3] >= '0' && text[3] <= '9')
		cut_out(text + 2, text + 3);
}

static bool is_separator(char c)
{
	return c && strchr(" /:-_.", c);
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

/* "node01.site": behind the first label, if that is a name and no number (an address). */
static char *find_domain(char *host)
{
	char *dot = strchr(host, '.');

	for (char *c = host; dot && c < dot; c++)
		if (is_letter(*c))
			return dot;
	return host + strlen(host);
}

/* Some texts are those of everybody. */
static bool says_nothing(const char *text)
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
	while (length > 0 && device[length - 1] >= '0' && device[length - 1] <= '9')
		length--;
	index = strtoul(device + length, NULL, 10);
	snprintf(out, room, "#%lu", index && starts_with(device, "hca-") ? index - 1 : index);
}

static bool copy_name(char out[MATCH_TEXT_MAX], const char *text)
{
	const size_t length = strlen(text);

	if (length >= MATCH_TEXT_MAX || says_nothing(text))
		return false;
	memcpy(out, text, length + 1);
	return true;
}

bool match_text(char out[MATCH_TEXT_MAX], const char *text, enum text_form form)
{
	struct name name;
	size_t n;

	if (form == TEXT_EXACT)
		return copy_name(out, text);
	if (!read_name(&name, text))
		return false;
	n = (size_t)snprintf(out, MATCH_TEXT_MAX, "%s%s", name.host,
	                     form == TEXT_FOLDED ? name.domain : "");
	if (form != TEXT_HOST && *name.device && n < MATCH_TEXT_MAX)
		write_device(out + n, MATCH_TEXT_MAX - n, name.device);
	return true;
}

bool match_are_apart(const char *a, const char *z)
{
	struct name names[2];

	return read_name(&names[0], a) && read_name(&names[1], z) && *names[0].domain &&
	       *names[1].domain && strcmp(names[0].domain, names[1].domain) != 0;
}
