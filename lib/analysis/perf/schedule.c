/* SPDX-License-Identifier: BSD-2-Clause */
/* What all modes share: tests are added, hosts are found in a fabric, and plans are refused. */
#include <stdlib.h>
#include <string.h>

#include "analysis/perf/hosts.h"
#include "analysis/perf/schedule.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"

#define TESTS_MAX 1000000 /* those of a circle of 1000 hosts take hours */

void schedule_refuse(struct schedule *s, int rc)
{
	s->rc = rc;
	longjmp(s->escape, 1);
}

void schedule_add(struct schedule *s, unsigned int round, size_t server, size_t client, int rail,
                  int peer_rail)
{
	if (s->public.num_tests == TESTS_MAX)
		schedule_refuse(s, fail(s->err, -EINVAL,
		                        "a plan of more than %d tests: take fewer hosts or rounds, "
		                        "or --mode circle with --source, which then stays within "
		                        "each leaf",
		                        TESTS_MAX));
	arena_grow(s->arena, &s->tests, s->public.num_tests, &s->room, sizeof(*s->tests));
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
}

/* ---- hosts of a fabric by name: sorted once, then each by bisection ------------------------ */

/* Lists may have the short names of hosts that call themselves by their long ones. */
static int by_short_name(const void *va, const void *vz)
{
	const char *a = (*(const struct ibc_fabric_host *const *)va)->name;
	const char *z = (*(const struct ibc_fabric_host *const *)vz)->name;
	size_t x = strcspn(a, "."), y = strcspn(z, ".");

	return memcmp(a, z, x < y ? x : y) ?: order_u64(x, y);
}

struct perf_hosts perf_hosts_of(struct arena *arena, const struct ibc_fabric *fab)
{
	struct perf_hosts h = { .num = ibc_fabric_count(fab).hosts };

	h.sorted = arena_array(arena, h.num + 1, sizeof(*h.sorted));
	for (size_t i = 0; i < h.num; i++)
		h.sorted[i] = ibc_fabric_host(fab, i);
	qsort(h.sorted, h.num, sizeof(*h.sorted), by_short_name);
	return h;
}

const struct ibc_fabric_host *perf_host_named(const struct perf_hosts *h, const char *name)
{
	const struct ibc_fabric_host key = { .name = name }, *like = &key;
	const struct ibc_fabric_host *const *found = bsearch(&like, h->sorted, h->num,
	                                                     sizeof(*h->sorted), by_short_name);

	return found ? *found : NULL;
}

const struct ibc_fabric_host **schedule_hosts(struct schedule *s)
{
	struct perf_hosts hosts = perf_hosts_of(s->arena, s->opts->fab);
	const struct ibc_fabric_host **out = arena_array(s->arena, s->n, sizeof(*out));
	const char **missing = arena_array(s->arena, s->n, sizeof(*missing));
	size_t n = 0;
	char *folded;

	for (size_t i = 0; i < s->n; i++)
		if (!(out[i] = perf_host_named(&hosts, s->names[i])))
			missing[n++] = s->names[i];
	if (!n)
		return out;
	folded = ibc_hostlist_fold(missing, n);
	if (folded)
		s->rc = fail(s->err, -EINVAL,
		             "%s %s not in the fabric: without %s, or without --source, there is a "
		             "plan",
		             folded, n == 1 ? "is" : "are", n == 1 ? "it" : "them");
	free(folded);
	schedule_refuse(s, s->rc);
}
