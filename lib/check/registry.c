/* SPDX-License-Identifier: BSD-2-Clause */
/* The one list of checks. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "check/groups.h"

/* All of them, and where each table begins: none is empty. */
static const struct ibc_check *all[IBC_CHECKS_MAX];
static size_t begins[IBC_CHECKS_MAX + 1], num_all;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void list_all(void)
{
	for (size_t t = 0; check_tables[t]; t++) {
		begins[t] = num_all;
		for (const struct ibc_check *c = check_tables[t]; c->id; c++) {
			assert(num_all < IBC_CHECKS_MAX);
			all[num_all++] = c;
		}
		begins[t + 1] = num_all;
	}
}

const struct ibc_check *ibc_check_at(size_t i)
{
	pthread_once(&once, list_all);
	return i < num_all ? all[i] : NULL;
}

size_t check_number(const struct ibc_check *check)
{
	size_t t = 0;

	pthread_once(&once, list_all);
	for (;; t++) { /* those of other tables lie anywhere in memory */
		size_t at = ((uintptr_t)check - (uintptr_t)check_tables[t]) / sizeof(*check);

		assert(check_tables[t]);
		if (at < begins[t + 1] - begins[t])
			return begins[t] + at;
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
