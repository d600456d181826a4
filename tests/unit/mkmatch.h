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
#include "analysis/match/match.h"
#include "base/arena.h"
#include "fabric/fabric.h"
#include "mkfab.h"
#include "mkwire.h"

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
	assert_true(match_nodes(t.a, planned, found, NULL, &t.m));
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
	return MATCH_NONE;
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

	assert_int_equal(t->m.found_of[p], MATCH_NONE);
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

/* ---- the same for fabrics taken apart ---- */

#define SMALL "synth:fattree:leaves=4,spines=2,hosts=4,radix=36"

/* A plan and what became of it. */
struct pair {
	struct wires plan, real;
};

static inline struct pair pair_of(const char *spec)
{
	struct pair p = { .plan = wires_of(spec) };

	p.real = wires_copy(&p.plan);
	return p;
}

static inline struct matched match_wires(const struct pair *p)
{
	return matched(wires_done(&p->plan), wires_done(&p->real));
}

static inline void pair_free(struct pair *p, struct matched *t)
{
	wires_free(&p->plan);
	wires_free(&p->real);
	matched_free(t);
}

static inline uint32_t number(const struct ibc_fabric *fab, const struct wires *w, uint32_t node)
{
	const struct ibc_node *n = ibc_fabric_node_by_guid(fab, w->nodes[node].guid);

	assert_non_null(n);
	return (uint32_t)node_order(n);
}

/* counts of how the nodes were matched, and with whom */
struct score {
	size_t how[MATCH_ASSUMED + 1];
	size_t wrong_switches, wrong_hosts, exchanged;
};

static inline struct score score(const struct pair *p, const struct matched *t)
{
	struct score s = { 0 };

	for (uint32_t i = 0; i < p->plan.num_nodes; i++) {
		uint32_t planned, found;

		if (p->plan.nodes[i].gone)
			continue;
		planned = number(t->planned, &p->plan, i);
		found = t->m.found_of[planned];
		s.how[t->m.how[planned]]++;
		s.exchanged += t->m.exchanged[planned] != MATCH_NONE;
		if (found == MATCH_NONE)
			continue;
		assert_int_equal(t->m.planned_of[found], planned);
		if (p->real.nodes[i].gone || found != number(t->found, &p->real, i)) {
			if (p->plan.nodes[i].type == IBC_NODE_SWITCH)
				s.wrong_switches++;
			else
				s.wrong_hosts++;
		}
	}
	return s;
}

/* All but so many as planned, by GUID or name; those by their place. */
static inline void expect(struct pair *p, size_t by_place, size_t missing)
{
	struct matched t = match_wires(p);
	struct score s = score(p, &t);

	assert_int_equal(s.how[MATCH_PLACE], by_place);
	assert_int_equal(s.how[MATCH_NOT], missing);
	assert_int_equal(s.how[MATCH_ASSUMED], 0);
	assert_int_equal(s.wrong_switches + s.wrong_hosts, 0);
	assert_int_equal(s.exchanged, 0);
	pair_free(p, &t);
}

#endif
