/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The inside of a plan while it is made: plan.c, and a planner for each mode;
 * schedule.c has what they share.  All memory is that
 * of an arena with an escape, which takes what cannot be planned as well.
 */
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/perf.h>

struct arena;

/*
 * struct schedule - a plan; @public comes first
 * @escape, @rc: where to go if there is no plan, and why
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
	jmp_buf escape;
	int rc;
	const char **names;
	bool *busy;
	size_t n, *order;
	uint64_t thrown;
	struct ibc_perf_test *tests;
	size_t room;
	struct ibc_error *err;
};

/* There is no plan, for what fail() has written to @s->err. */
void schedule_refuse(struct schedule *s, int rc) __attribute__((noreturn));
/* Between two hosts by number, or one of them with itself; the round may be a new one. */
void schedule_add(struct schedule *s, unsigned int round, size_t server, size_t client, int rail,
                  int peer_rail);
/* The hosts of the fabric that have the names of the plan; those that it lacks are refused. */
const struct ibc_fabric_host **schedule_hosts(struct schedule *s);

/* modes.c, cover.c: add the tests of a mode. */
void plan_random(struct schedule *s);
void plan_circle(struct schedule *s);
void plan_ring(struct schedule *s);
void plan_incast(struct schedule *s);
void plan_self(struct schedule *s);
void plan_cover(struct schedule *s);
