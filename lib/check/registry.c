/* SPDX-License-Identifier: BSD-2-Clause */
/* The one list of checks. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/array.h"
#include "check/groups.h"

#define TABLE(name) ibc_checks_##name,
static const struct ibc_check *const groups[] = { CHECK_TABLES(TABLE) };

/* All of them, and where each group begins. */
static const struct ibc_check *all[IBC_CHECKS_MAX];
static size_t begins[ARRAY_SIZE(groups) + 1];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void list_all(void)
{
	size_t n = 0;

	for (size_t g = 0; g < ARRAY_SIZE(groups); g++) {
		begins[g] = n;
		for (const struct ibc_check *c = groups[g]; c->id; c++) {
			assert(n < IBC_CHECKS_MAX);
			all[n++] = c;
		}
	}
	begins[ARRAY_SIZE(groups)] = n;
}

const struct ibc_check *ibc_check_at(size_t i)
{
	pthread_once(&once, list_all);
	return i < begins[ARRAY_SIZE(groups)] ? all[i] : NULL;
}

size_t check_number(const struct ibc_check *check)
{
	size_t g = 0;

	pthread_once(&once, list_all);
	for (;; g++) { /* those of other tables lie anywhere in memory */
		size_t at = ((uintptr_t)check - (uintptr_t)groups[g]) / sizeof(*check);

		assert(g < ARRAY_SIZE(groups));
		if (at < begins[g + 1] - begins[g])
			return begins[g] + at;
	}
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
