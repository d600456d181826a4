/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKMATCH_H
#define MKMATCH_H

/*
 * Which node is which, for tests.  Include it after <cmocka.h>.
 *
 *	struct matched t = matched(done(planned), done(found));
 *
 *	assert_pair(&t, "leaf01", "leaf01.site", MATCH_NAME);
 *	matched_free(&t);
 */
#include "analysis/match.h"
#include "base/arena.h"
#include "fabric/fabric.h"
#include "mkfab.h"

struct matched {
	struct ibc_fabric *planned, *found;
	struct arena *a;
	struct match m;
};

/* Frees both fabrics in the end. */
static inline struct matched matched(struct ibc_fabric *planned, struct ibc_fabric *found)
{
	struct matched t = { .planned = planned, .found = found, .a = arena_new() };

	assert_non_null(t.a);
	assert_true(match_nodes(t.a, planned, found, &t.m));
	return t;
}

static inline void matched_free(struct matched *t)
{
	arena_free(t->a);
	ibc_fabric_free(t->planned);
	ibc_fabric_free(t->found);
}

/* The number of the node with this label. */
static inline uint32_t number_of(const struct ibc_fabric *fab, const char *label)
{
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		if (strcmp(node->label, label) == 0)
			return (uint32_t)i;
	fail_msg("no node %s", label);
	return MATCH_NOBODY;
}

static inline void assert_pair(const struct matched *t, const char *planned, const char *found,
                               enum match_how how)
{
	uint32_t p = number_of(t->planned, planned), f = number_of(t->found, found);

	assert_int_equal(t->m.found_of[p], f);
	assert_int_equal(t->m.planned_of[f], p);
	assert_int_equal(t->m.how[p], how);
}

static inline void assert_nobody(const struct matched *t, const char *planned)
{
	uint32_t p = number_of(t->planned, planned);

	assert_int_equal(t->m.found_of[p], MATCH_NOBODY);
	assert_int_equal(t->m.how[p], MATCH_NOT);
}

static inline bool is_unclear(const struct matched *t, const char *planned)
{
	return t->m.unclear[number_of(t->planned, planned)];
}

/* A node that a list of cables names. */
static inline void mk_named(struct mkfab m, uint64_t number, enum ibc_node_type guess,
                            const char *name, unsigned int num_ports)
{
	mk_node(m, number, guess, name, num_ports)->named_only = true;
}

#endif
