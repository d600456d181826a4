/* SPDX-License-Identifier: BSD-2-Clause */
/* What all modes share: tests are added, hosts are found in a fabric, and plans are refused. */
#include <stdlib.h>

#include "analysis/perf/hosts.h"
#include "analysis/perf/schedule.h"
#include "base/arena.h"
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
