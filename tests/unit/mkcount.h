/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKCOUNT_H
#define MKCOUNT_H

/*
 * Two sweeps of one tiny fabric, an hour apart, for tests of what was counted.  Every
 * cabled port told all of its counters, all 0 both times:
 *
 *	struct pair s = mk_pair(mk_leaf(2), mk_leaf(2));
 *
 *	count(s.now, 1, 1, IBC_SYMBOL_ERROR, 57);
 *	expect_pair(s, "counters", "critical leaf01/1 - host01 mlx5_0/1: ...\n");
 *
 * Include it after <cmocka.h>; it brings findings.h.
 */
#include "base/arena.h"
#include "findings.h"

#define HOUR        3600
#define EDR_4X_HOUR (100e9 / 8 * HOUR) /* bytes that a port of mkfab carries */

struct pair {
	struct mkfab before, now;
};

static inline struct ibc_counters *counters_of(struct mkfab m, uint64_t guid, unsigned int num)
{
	return (struct ibc_counters *)port(m, guid, num)->counters;
}

/* The port told its counters: all of them, all 0. */
static inline void mk_counters(struct mkfab m, struct ibc_port *p)
{
	struct ibc_counters *c = arena_alloc(fabric_build_arena(m.b), sizeof(*c));

	assert_non_null(c);
	c->known = UINT32_MAX;
	p->counters = c;
	answers_put(p, IBC_ATTR_PORT_COUNTERS, ANSWER_OK);
	answers_put(p, IBC_ATTR_PORT_COUNTERS_EXT, ANSWER_OK);
}

/* All cabled ports of a node. */
static inline void mk_counting(struct mkfab m, uint64_t guid)
{
	struct ibc_node *n = fabric_build_find(m.b, m.subnet, guid);

	assert_non_null(n);
	answers_put(n, IBC_ATTR_PORT_SAMPLES_CONTROL, ANSWER_OK);
	n->xmit_wait_tick = 7;
	for (unsigned int num = 1; num <= n->num_ports; num++) {
		struct ibc_port *p = fabric_build_port(n, num);

		if (p->peer && !p->counters)
			mk_counters(m, p);
	}
}

static inline void count(struct mkfab m, uint64_t guid, unsigned int num, enum ibc_counter counter,
                         uint64_t value)
{
	assert_non_null(counters_of(m, guid, num));
	counters_of(m, guid, num)->value[counter] = value;
}

/* For fabrics whose GUIDs are those of mk_leaf() and of switches up to 0x3f. */
static inline void mk_all_counting(struct mkfab m)
{
	for (uint64_t guid = 1; guid < 0x800; guid++) {
		if (fabric_build_find(m.b, m.subnet, guid))
			mk_counting(m, guid);
	}
}

static inline struct pair mk_pair(struct mkfab before, struct mkfab now)
{
	mk_all_counting(before);
	mk_all_counting(now);
	before.subnet->time = 1000000;
	now.subnet->time = before.subnet->time + HOUR;
	return (struct pair){ before, now };
}

/* In the hour, the port was in use, and waited, so many percent of the time. */
static inline void load(struct pair s, uint64_t guid, unsigned int num, double use, double wait)
{
	count(s.now, guid, num, IBC_XMIT_DATA, (uint64_t)(use / 100 * EDR_4X_HOUR));
	count(s.now, guid, num, IBC_XMIT_WAIT, (uint64_t)(wait / 100 * EDR_4X_HOUR / 8));
}

/* Runs a selection over both, and frees them. */
static inline struct ibc_report *report_of_pair(struct pair s, const char *selection,
                                                const struct ibc_config *config)
{
	struct ibc_fabric *before = done(s.before), *now = done(s.now);
	struct ibc_input in = { .fabric = now, .before = before, .config = config };
	struct ibc_report *rep;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, selection, rep, NULL), 0);
	ibc_fabric_free(before);
	ibc_fabric_free(now);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	return rep;
}

static inline void expect_pair(struct pair s, const char *selection, const char *lines)
{
	expect_of(report_of_pair(s, selection, NULL), lines);
}

#endif
