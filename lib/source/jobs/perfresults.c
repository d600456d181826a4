/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends, tests and results, gathered from many files. */
#include "source/jobs/perfresults.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/utf8.h"

struct perf_name {
	const char *name;
	uint32_t number;
	UT_hash_handle hh;
};

int ibc_perf_results_new(struct ibc_perf_results **out, struct ibc_error *err)
{
	struct arena *arena = arena_new();
	struct perf_results *r = arena ? arena_alloc(arena, sizeof(*r)) : NULL;

	*out = NULL;
	if (!r) {
		arena_free(arena);
		return fail_nomem(err);
	}
	r->arena = arena;
	*out = &r->public;
	return 0;
}

void ibc_perf_results_free(struct ibc_perf_results *results)
{
	struct perf_results *r = (struct perf_results *)results;

	if (!r)
		return;
	HASH_CLEAR(hh, r->ends); /* names are the arena's */
	HASH_CLEAR(hh, r->tests);
	HASH_CLEAR(hh, r->plans);
	HASH_CLEAR(hh, r->rounds);
	arena_free(r->arena);
}

/* Finds it, or adds it with this number. */
static struct perf_name *find_name(struct perf_results *r, struct perf_name **names,
                                   const char *text, uint32_t number)
{
	struct perf_name *n;

	HASH_FIND_STR(*names, text, n);
	if (n)
		return n;
	n = arena_alloc(r->arena, sizeof(*n));
	n->name = arena_strdup(r->arena, text);
	n->number = number;
	HASH_ADD_KEYPTR(hh, *names, n->name, strlen(n->name), n);
	if (!hash_added(n))
		longjmp(r->escape, 1);
	return n;
}

const char *perf_clean(struct perf_results *r, const char *text)
{
	return utf8_clean(r->arena, text, strlen(text));
}

/* The number of an end, which is added if it is new. */
static uint32_t perf_end(struct perf_results *r, const char *host, const char *rail)
{
	uint32_t next = (uint32_t)r->public.num_ends;
	const char *name = arena_printf(r->arena, "%s\t%s", host, rail);
	struct perf_name *n = find_name(r, &r->ends, name, next);

	if (n->number < next)
		return n->number;
	arena_grow(r->arena, &r->all_ends, next, &r->ends_room, sizeof(*r->all_ends));
	r->all_ends[next] = (struct ibc_perf_end){ .host = perf_clean(r, host),
		                                   .rail = perf_clean(r, rail) };
	r->public.ends = r->all_ends;
	r->public.num_ends++;
	return next;
}

const char *perf_test_of(struct perf_results *r, const char *test)
{
	return find_name(r, &r->tests, perf_clean(r, test), 0)->name;
}

bool perf_is_plan_of(struct perf_results *r, unsigned int round, const char *plan)
{
	struct perf_name *p = find_name(r, &r->plans, plan, HASH_COUNT(r->plans));
	char text[16]; /* as many digits as an int has, and more */

	snprintf(text, sizeof(text), "%u", round);
	return find_name(r, &r->rounds, text, p->number)->number == p->number;
}

void perf_add(struct perf_results *r, const struct ibc_perf_result *result)
{
	arena_grow(r->arena, &r->all_results, r->public.num, &r->results_room,
	           sizeof(*r->all_results));
	r->all_results[r->public.num++] = *result;
	r->public.all = r->all_results;
}

void perf_flaw(struct perf_results *r, const char *format, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, format);
	text = perf_clean(r, arena_vprintf(r->arena, format, ap));
	va_end(ap);
	arena_grow(r->arena, &r->all_flaws, r->public.num_flaws, &r->flaws_room,
	           sizeof(*r->all_flaws));
	r->all_flaws[r->public.num_flaws++] = text;
	r->public.flaws = r->all_flaws;
}

bool perf_set_ends(struct perf_results *r, struct ibc_perf_result *result, const char *server,
                   const char *client, const char *rail)
{
	/* "2-3" is two rails of one host: of the server, and of the client */
	const char *dash = strcmp(server, client) != 0 ? NULL : strchr(rail, '-');
	const char *second = dash ? dash + 1 : rail;
	char of_server[16], of_client[16];

	if (!*server || !*client ||
	    !str_cut(of_server, sizeof(of_server), rail,
	             dash ? (size_t)(dash - rail) : strlen(rail)) ||
	    !str_cut(of_client, sizeof(of_client), second, strlen(second)))
		return false;
	result->server = perf_end(r, server, of_server);
	result->client = perf_end(r, client, of_client);
	return true;
}
