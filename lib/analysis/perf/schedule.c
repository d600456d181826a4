/* SPDX-License-Identifier: BSD-2-Clause */
/* What all modes share: tests are added, and hosts are found in a fabric. */
#include <stdlib.h>
#include <string.h>

#include "analysis/perf/schedule.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"

#define TESTS_MAX 1000000 /* those of a circle of 1000 hosts take hours */

int schedule_add(struct schedule *s, unsigned int round, size_t server, size_t client, int rail,
                 int peer_rail)
{
	if (s->public.num_tests == TESTS_MAX)
		return fail(s->err, -EINVAL,
		            "a plan of more than %d tests: take fewer hosts or rounds, or --mode "
		            "circle with --source, which then stays within each leaf",
		            TESTS_MAX);
	if (!arena_grow(s->arena, &s->tests, s->public.num_tests, &s->room, sizeof(*s->tests)))
		return fail_nomem(s->err);
	s->tests[s->public.num_tests++] = (struct ibc_perf_test){
		.round = round,
		.server = s->names[server],
		.client = s->names[client],
		.rail = rail,
		.peer_rail = peer_rail,
	};
	s->busy[server] = s->busy[client] = true;
	if (round > s->public.rounds)
		s->public.rounds = round;
	return 0;
}

/* ---- hosts of a fabric: sorted once, then each by bisection ------------------------------ */

/* Lists may have the short names of hosts that call themselves by their long ones. */
static int by_short_name(const char *a, const char *z)
{
	size_t x = strcspn(a, "."), y = strcspn(z, ".");
	int order = memcmp(a, z, x < y ? x : y);

	return order ? order : (x > y) - (x < y);
}

static int by_host(const void *va, const void *vz)
{
	const struct ibc_fabric_host *const *a = va, *const *z = vz;

	return by_short_name((*a)->name, (*z)->name);
}

static int name_and_host(const void *name, const void *host)
{
	return by_short_name(name, (*(const struct ibc_fabric_host *const *)host)->name);
}

static int refuse_missing(const struct schedule *s, const char *const *missing, size_t n)
{
	char *folded = ibc_hostlist_fold(missing, n);
	int rc = folded ? fail(s->err, -EINVAL,
	                       "%s %s not in the fabric: without %s, or without --source, there is "
	                       "a plan",
	                       folded, n == 1 ? "is" : "are", n == 1 ? "it" : "them")
	                : fail_nomem(s->err);

	free(folded);
	return rc;
}

int schedule_hosts(struct schedule *s, const struct ibc_fabric_host **out)
{
	size_t n = ibc_fabric_count(s->opts->fab).hosts, num_missing = 0;
	const struct ibc_fabric_host **sorted = arena_array(s->arena, n + 1, sizeof(*sorted));
	const char **missing = arena_array(s->arena, s->n, sizeof(*missing));

	if (!sorted || !missing)
		return fail_nomem(s->err);
	for (size_t i = 0; i < n; i++)
		sorted[i] = ibc_fabric_host(s->opts->fab, i);
	qsort(sorted, n, sizeof(*sorted), by_host);
	for (size_t i = 0; i < s->n; i++) {
		const struct ibc_fabric_host *const *found = bsearch(
		    s->names[i], sorted, n, sizeof(*sorted), name_and_host);

		if (found)
			out[i] = *found;
		else
			missing[num_missing++] = s->names[i];
	}
	return num_missing ? refuse_missing(s, missing, num_missing) : 0;
}
