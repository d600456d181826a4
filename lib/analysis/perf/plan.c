/* SPDX-License-Identifier: BSD-2-Clause */
/* A plan, from hosts and options: see modes.c and cover.c. */
#include <stdlib.h>
#include <string.h>

#include "analysis/perf/schedule.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"

static void refuse_opts(struct schedule *s)
{
	const struct ibc_perf_opts *o = s->opts;

	if (!s->n || (s->n < 2 && o->mode != IBC_PERF_SELF))
		schedule_refuse(s, fail(s->err, -EINVAL, "a plan needs two hosts, and there %s",
		                        s->n ? "is one" : "are none"));
	for (size_t i = 0; i < s->n; i++)
		if (s->names[i][strcspn(s->names[i], " \t#")])
			schedule_refuse(s, fail(s->err, -EINVAL,
			                        "\"%s\" cannot stand in a plan: name the hosts",
			                        s->names[i]));
	if (o->mode == IBC_PERF_SELF && o->rails < 2)
		schedule_refuse(s, fail(s->err, -EINVAL,
		                        "--mode self needs --rails N, the number of HCAs of a "
		                        "host: two or more"));
	if (o->rounds &&
	    (o->mode == IBC_PERF_CIRCLE || o->mode == IBC_PERF_RING || o->mode == IBC_PERF_COVER))
		schedule_refuse(s, fail(s->err, -EINVAL,
		                        "--rounds does not go with this mode, which has as many as "
		                        "it needs"));
}

/* Names are those of the plan: equal ones are the same pointer, and in the order of the list. */
static int by_round(const void *va, const void *vz)
{
	const struct ibc_perf_test *a = va, *z = vz;

	return order_u64(a->round, z->round)
	           ?: order_u64((uintptr_t)a->server, (uintptr_t)z->server)
	           ?: order_u64((uintptr_t)a->client, (uintptr_t)z->client)
	           ?: (a->rail > z->rail) - (a->rail < z->rail);
}

static void make_plan(struct schedule *s, const struct ibc_hostlist *hosts)
{
	static void (*const planners[])(struct schedule * s) = {
		[IBC_PERF_RANDOM] = plan_random, [IBC_PERF_CIRCLE] = plan_circle,
		[IBC_PERF_RING] = plan_ring,     [IBC_PERF_INCAST] = plan_incast,
		[IBC_PERF_SELF] = plan_self,     [IBC_PERF_COVER] = plan_cover,
	};
	const char **resting;
	size_t bytes = 0;
	char *text;

	/* one text of all names, so that their pointers are in the order of the list */
	for (size_t i = 0; i < hosts->num; i++)
		bytes += strlen(hosts->names[i]) + 1;
	s->names = arena_array(s->arena, hosts->num + 1, sizeof(*s->names));
	s->busy = arena_alloc(s->arena, hosts->num + 1);
	s->order = arena_array(s->arena, hosts->num + 1, sizeof(*s->order));
	text = arena_alloc(s->arena, bytes + 1);
	for (size_t i = 0; i < hosts->num; i++) {
		s->order[i] = i;
		s->names[i] = text;
		text = stpcpy(text, hosts->names[i]) + 1;
	}
	s->n = s->public.num_hosts = hosts->num;
	s->public.hosts = s->names;
	refuse_opts(s);
	planners[s->opts->mode](s);
	if (!s->public.num_tests)
		schedule_refuse(
		    s, fail(s->err, -EINVAL,
		            s->opts->mode == IBC_PERF_COVER
		                ? "no route between these hosts passes a cable between switches"
		                : "no two of these hosts share a leaf"));
	resting = arena_array(s->arena, s->n + 1, sizeof(*resting));
	for (size_t i = 0; i < s->n; i++)
		if (!s->busy[i])
			resting[s->public.num_resting++] = s->names[i];
	s->public.resting = resting;
	qsort(s->tests, s->public.num_tests, sizeof(*s->tests), by_round);
	s->public.tests = s->tests;
}

int ibc_perf_plan(const struct ibc_hostlist *hosts, const struct ibc_perf_opts *opts,
                  struct ibc_perf_plan **out, struct ibc_error *err)
{
	struct arena *arena = arena_new();
	struct schedule *s = arena ? arena_alloc(arena, sizeof(*s)) : NULL;
	int rc = -ENOMEM;

	*out = NULL;
	if (!s || setjmp(s->escape)) {
		rc = s ? s->rc : -ENOMEM;
		arena_free(arena);
		return rc == -ENOMEM ? fail_nomem(err) : rc;
	}
	s->opts = opts;
	s->arena = arena;
	s->rc = rc;
	s->err = err;
	arena_escape(arena, &s->escape);
	make_plan(s, hosts);
	arena_escape(arena, NULL);
	*out = &s->public;
	return 0;
}

void ibc_perf_plan_free(struct ibc_perf_plan *plan)
{
	if (plan)
		arena_free(((struct schedule *)plan)->arena);
}
