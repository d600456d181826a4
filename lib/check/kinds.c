/* SPDX-License-Identifier: BSD-2-Clause */
/* The kinds of what a check can find, as bits. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "check/groups.h"

unsigned int all_kinds(const struct ibc_check *check)
{
	size_t n = 0;

	while (check->words && check->words[n].word)
		n++;
	assert(n <= KINDS_MAX);
	return n ? (1u << n) - 1 : 1;
}

unsigned int kind_bit(const struct ibc_check *check, const char *kind, size_t length)
{
	for (size_t i = 0; check->words && check->words[i].word; i++)
		if (strlen(check->words[i].word) == length &&
		    !strncmp(check->words[i].word, kind, length))
			return 1u << i;
	return 0;
}

const char *kind_name(const struct ibc_check *check, size_t kind, char name[KIND_NAME_MAX])
{
	snprintf(name, KIND_NAME_MAX, "%s%s%s", check->id, check->words ? ":" : "",
	         check->words ? check->words[kind].word : "");
	return name;
}
