/* SPDX-License-Identifier: BSD-2-Clause */
/* The one list of checks. */
#include <string.h>

#include "base/array.h"
#include "check/groups.h"

#define TABLE(name) ibc_checks_##name,
static const struct ibc_check *const groups[] = { CHECK_TABLES(TABLE) };

const struct ibc_check *ibc_check_at(size_t i)
{
	for (size_t g = 0; g < ARRAY_SIZE(groups); g++) {
		for (const struct ibc_check *c = groups[g]; c->id; c++)
			if (i-- == 0)
				return c;
	}
	return NULL;
}

const struct ibc_check *ibc_check_find(const char *id)
{
	const struct ibc_check *c;

	for (size_t i = 0; (c = ibc_check_at(i)); i++)
		if (strcmp(c->id, id) == 0)
			return c;
	return NULL;
}

const char *ibc_check_explain(const struct ibc_check *check)
{
	const struct explanation *e = explanations;

	while (e->id && strcmp(e->id, check->id) != 0)
		e++;
	return e->id ? e->text : "";
}
