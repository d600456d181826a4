/* SPDX-License-Identifier: BSD-2-Clause */
#include "check/allow.h"

#include <arpa/inet.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/host.h>

#define WORD_MAX 256 /* of a list in the configuration; longer ones are cut */

/* The next word of the list without blanks around it; false: there is none. */
static bool next_allow_word(const char **at, char word[WORD_MAX])
{
	size_t n;

	if (!*at || !**at)
		return false;
	*at += strspn(*at, " \t,");
	n = strcspn(*at, ",");
	snprintf(word, WORD_MAX, "%.*s", (int)n, *at);
	*at += n;
	for (n = strlen(word); n && (word[n - 1] == ' ' || word[n - 1] == '\t'); n--)
		word[n - 1] = '\0';
	return *word != '\0';
}

/* What a word says of this kind, or without one all of it; NULL: it is of another. */
static const char *said_of(const char *word, const char *kind)
{
	size_t n = kind ? strlen(kind) : 0;

	if (!kind)
		return word;
	return !strncmp(word, kind, n) && word[n] == ':' ? word + n + 1 : NULL;
}

bool allow_names(const char *allow, const char *kind, const char *value)
{
	char word[WORD_MAX];
	const char *pattern;

	while (next_allow_word(&allow, word)) {
		pattern = said_of(word, kind);
		if (pattern && !fnmatch(pattern, value, 0))
			return true;
	}
	return false;
}

/* "10.1.0.0/16" or "fd00::/8": the network part, as the address of a socket has it. */
static bool parse_subnet(char *text, struct ibc_address *out)
{
	char *slash = strchr(text, '/'), *end = NULL;
	unsigned long prefix, most;

	if (slash)
		*slash = '\0';
	*out = (struct ibc_address){ .raw = { [10] = 0xff, [11] = 0xff } };
	out->v4 = inet_pton(AF_INET, text, out->raw + 12) == 1;
	if (!out->v4 && inet_pton(AF_INET6, text, out->raw) != 1)
		return false;
	most = out->v4 ? 32 : 128;
	prefix = slash ? strtoul(slash + 1, &end, 10) : most;
	out->prefix = (uint8_t)(prefix < most ? prefix : most);
	/* "10.0.0.0/" is not everything */
	return !slash || (*end == '\0' && end > slash + 1 && prefix <= most);
}

bool address_is_within(const struct ibc_address *address, const struct ibc_address *subnet)
{
	unsigned int bits = subnet->prefix + (subnet->v4 ? 96U : 0U);

	for (unsigned int i = 0; i < bits; i++)
		if ((address->raw[i / 8] ^ subnet->raw[i / 8]) & 0x80 >> i % 8)
			return false;
	return true;
}

bool allow_names_address(const char *allow, const struct ibc_address *address)
{
	char word[WORD_MAX], *text;
	struct ibc_address subnet;

	while (next_allow_word(&allow, word)) {
		text = (char *)said_of(word, "subnet");
		if (text && parse_subnet(text, &subnet) && address_is_within(address, &subnet))
			return true;
	}
	return false;
}
