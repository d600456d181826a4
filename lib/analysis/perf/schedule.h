/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ANALYSIS_SCHEDULE_H
#define ANALYSIS_SCHEDULE_H

/* The inside of a plan while it is made: schedule.c, and a planner for each mode. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/perf.h>

struct arena;

/*
 * struct schedule - a plan; @public comes first
 * @names: of its hosts, in the order of their list; @n: how many
 * @busy: by host: it has a test
 * @order: of the hosts by number, until a planner shuffles them
 * @thrown: how many random numbers were
 * @tests, @room: those of @public
 */
struct schedule {
	struct ibc_perf_plan public;
	const struct ibc_perf_opts *opts;
	struct arena *arena;
	const char **names;
	bool *busy;
	size_t n, *order;
	uint64_t thrown;
	struct ibc_perf_test *tests;
	size_t room;
	struct ibc_error *err;
};

/* Between two hosts by number, or one of them with itself; the round may be a new one. */
int schedule_add(struct schedule *s, unsigned int round, size_t server, size_t client, int rail,
                 int peer_rail);

/*
 * The hosts of a fabric that have these names, up to the first dot; -EINVAL names
 * those that it has not.
 */
int schedule_hosts(struct schedule *s, const struct ibc_fabric_host **out);

/* modes.c, cover.c: add the tests of a mode. */
int plan_random(struct schedule *s);
int plan_circle(struct schedule *s);
int plan_ring(struct schedule *s);
int plan_incast(struct schedule *s);
int plan_self(struct schedule *s);
int plan_cover(struct schedule *s);

#endif
