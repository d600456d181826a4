/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The figures of a tree: what each level has, what its cuts carry, and what the cases take
 * from that.  O(cables), for each level.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/tree/bisection.h"
#include "analysis/tree/speeds.h"
#include "base/arena.h"

#define TIES_MIN 4 /* groups with a quarter of their cables between them are no rails */

struct figures {
	struct ibc_fattree *tree;
	struct capacities cap;
	struct change *changes;
	uint32_t *members; /* those of one tree side by side */
};

/* ---- what cables carry ------------------------------------------------------------------- */

/* Where a rate is not known, that of the other cables up. */
static double gbps_up(const struct figures *f, const struct ibc_port *p)
{
	double gbps = cable_gbps(p);

	if (gbps > 0)
		return gbps;
	return speeds_usual(f->tree->speeds, switch_number(&f->tree->switches, p->node), SPEEDS_UP,
	                    0);
}

/* ---- what repairing changes ---------------------------------------------------------------- */

static uint32_t number_of(const struct figures *f, const struct ibc_node *node)
{
	return node ? switch_number(&f->tree->switches, node) : NO_SWITCH;
}

static void change(struct figures *f, uint32_t lower, uint32_t upper, double gbps, int cables)
{
	f->changes[f->cap.num_changes++] = (struct change){ lower, upper, gbps, cables };
}

static void find_changes(struct figures *f)
{
	struct ibc_fattree *tree = f->tree;
	size_t n = 0;

	for (size_t i = 0; i < tree->num_cases; i++)
		n += tree->cases[i].num_gaps + tree->cases[i].num_found;
	f->cap.changes = f->changes = arena_array(tree->tmp, n + 1, sizeof(*f->changes));
	for (size_t i = 0; i < tree->num_cases; i++) {
		struct wiring_case *c = &tree->cases[i];
		bool absent = false;

		if (!c->blamed || c->kind == WIRING_RAIL)
			continue;
		if (c->num_gaps)
			c->gbps_lost = 0;
		/* cables that are absent; those to a switch that is not there share one */
		for (size_t k = 0; k < c->num_gaps; k++) {
			uint32_t lower = number_of(f, c->gaps[k].lower.node);
			uint32_t upper = number_of(f, c->gaps[k].upper.node);
			double gbps, down;

			absent |= !c->gaps[k].upper.node;
			if (lower == NO_SWITCH)
				continue;
			/* what it would carry if it was like those beside it */
			gbps = speeds_usual(tree->speeds, lower, SPEEDS_UP, 0);
			down = upper == NO_SWITCH
			           ? 0
			           : speeds_usual(tree->speeds, upper, SPEEDS_DOWN, 0);
			if (down > 0 && down < gbps)
				gbps = down;
			if (upper == NO_SWITCH)
				upper = tree->switches.n + f->cap.absent;
			change(f, lower, upper, gbps, 1);
			c->gbps_lost += gbps;
		}
		for (size_t k = 0; c->kind == WIRING_SLOW && k < c->num_found; k++)
			change(f, number_of(f, c->found[k]->node),
			       number_of(f, c->found[k]->peer->node),
			       c->gbps_lost / (double)c->num_found, 0);
		for (size_t k = 0; c->num_gaps && k < c->num_found; k++) {
			const struct ibc_port *p = c->found[k];
			uint32_t a = number_of(f, p->node), z = number_of(f, p->peer->node);
			bool up;

			if (a == NO_SWITCH || z == NO_SWITCH)
				continue;
			up = rank_is_next(tree->rank, a, z);
			change(f, up ? a : z, up ? z : a, -gbps_up(f, up ? p : p->peer), -1);
		}
		f->cap.absent += absent;
	}
}

/* ---- levels ---------------------------------------------------------------------------------- */

static void count_switch(struct figures *f, uint32_t s)
{
	const struct switches *sw = &f->tree->switches;
	struct ibc_tier *tier = &f->tree->tier[f->tree->rank[s]];
	const struct ibc_port *p;

	tier->switches++;
	tier->hosts += sw->hosts[s];
	for (unsigned int num = 1; (p = ibc_node_port(sw->nodes[s], num)); num++)
		if (has_host(p)) {
			f->cap.host[s] += cable_gbps(p);
			tier->down_cables++;
		}
	tier->down_gbps += f->cap.host[s];
	for (uint32_t i = sw->first_pair[s]; i < sw->first_pair[s + 1]; i++) {
		const struct trunk *pair = &sw->pairs[i];

		if (!rank_is_next(f->tree->rank, s, pair->to))
			continue;
		tier->up_cables += pair->count;
		tier->up_gbps += f->cap.pair[i];
		tier[1].down_cables += pair->count;
		tier[1].down_gbps += f->cap.pair[i];
	}
}

static void count_tiers(struct figures *f)
{
	struct ibc_fattree *tree = f->tree;

	for (uint32_t s = 0; s < tree->switches.n; s++)
		if (tree->rank[s] != RANK_NONE)
			count_switch(f, s);
	for (unsigned int r = 0; r < tree->tiers; r++) {
		struct ibc_tier *tier = &tree->tier[r];

		tier->name = rank_name(r, tree->tiers);
		tier->rank = r;
		tier->intended_up_cables = tier->up_cables;
		tier->intended_up_gbps = tier->up_gbps;
		if (tier->up_gbps > 0)
			tier->oversubscription = tier->down_gbps / tier->up_gbps;
	}
	for (size_t i = 0; i < f->cap.num_changes; i++) {
		const struct change *c = &f->changes[i];
		struct ibc_tier *tier = &tree->tier[tree->rank[c->lower]];

		if (c->upper < tree->switches.n && !rank_is_next(tree->rank, c->lower, c->upper))
			continue;
		tier->intended_up_gbps += c->gbps;
		tier->intended_up_cables += (size_t)c->cables;
	}
}

/* ---- trees -------------------------------------------------------------------------------- */

/* Ranked switches of the tree that a switch gives its name to; their number. */
static uint32_t collect_tree(struct figures *f, uint32_t name)
{
	uint32_t n = 0;

	for (uint32_t s = name; s < f->tree->switches.n; s++)
		if (f->cap.tree_of[s] == name && f->tree->rank[s] != RANK_NONE)
			f->members[n++] = s;
	return n;
}

/*
 * Groups that share switches are one tree, and so are trees that have a good part of their cables
 * to each other: more than strays.
 */
static void find_trees(struct figures *f)
{
	const struct switches *sw = &f->tree->switches;
	uint32_t *to = arena_array(f->tree->tmp, sw->n + 1u, sizeof(*to));
	struct sets sets;

	groups_join(f->tree->tmp, &f->tree->groups, RANK_NONE, sw->n, &sets);
	for (uint32_t s = 0; s < sw->n; s++)
		f->cap.tree_of[s] = set_of(&sets, s);
	for (uint32_t t = 0; t < sw->n; t++) {
		uint32_t n, all = 0;

		if (f->cap.tree_of[t] != t || f->tree->rank[t] == RANK_NONE)
			continue;
		n = collect_tree(f, t);
		memset(to, 0, sw->n * sizeof(*to));
		for (uint32_t i = 0; i < n; i++) {
			uint32_t s = f->members[i];

			for (const struct trunk *p = trunks(sw, s); p < trunks(sw, s + 1); p++) {
				to[f->cap.tree_of[p->to]] += p->count;
				all += p->count;
			}
		}
		for (uint32_t s = 0; s < sw->n; s++)
			if (s != t && to[s] && to[s] * TIES_MIN >= all)
				sets_join(&sets, t, s);
	}
	for (uint32_t s = 0; s < sw->n; s++)
		f->cap.tree_of[s] = set_of(&sets, s);
}

struct leaf_links {
	uint32_t hosts;
	double gbps;
};

static int by_rate(const void *va, const void *vz)
{
	const struct leaf_links *a = va, *z = vz;
	double x = a->gbps * z->hosts, y = z->gbps * a->hosts;

	return (x > y) - (x < y);
}

/* What the slower half of the hosts' own links carries. */
static double cut_hosts(struct figures *f, uint32_t n)
{
	struct leaf_links *leaves = arena_array(f->tree->tmp, n + 1u, sizeof(*leaves));
	uint32_t num = 0, hosts = 0;
	double gbps = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = f->members[i];

		if (f->tree->rank[s] || !f->tree->switches.hosts[s])
			continue;
		leaves[num++] = (struct leaf_links){ f->tree->switches.hosts[s], f->cap.host[s] };
		hosts += f->tree->switches.hosts[s];
	}
	if (num)
		qsort(leaves, num, sizeof(*leaves), by_rate);
	hosts /= 2;
	for (uint32_t i = 0; i < num && hosts; i++) {
		uint32_t take = leaves[i].hosts < hosts ? leaves[i].hosts : hosts;

		gbps += leaves[i].gbps * take / leaves[i].hosts;
		hosts -= take;
	}
	return gbps;
}

/* The narrowest cut of one tree. */
static struct ibc_bisection cut_tree(struct figures *f, uint32_t n)
{
	struct ibc_fattree *tree = f->tree;
	struct ibc_bisection out = { .cut = "the hosts' own links" };

	out.now_gbps = out.intended_gbps = cut_hosts(f, n);
	for (unsigned int r = 0; r + 1 < tree->tiers; r++) {
		struct cut cut;

		if (!bisection_cut(tree->tmp, &f->cap, f->members, n, r, &cut))
			continue;
		tree->tier[r].cut_gbps += cut.now_gbps;
		tree->tier[r].intended_cut_gbps += cut.intended_gbps;
		if (cut.intended_gbps < out.intended_gbps)
			out.intended_gbps = cut.intended_gbps;
		if (cut.now_gbps > out.now_gbps) /* of equal ones the highest */
			continue;
		out.now_gbps = cut.now_gbps;
		out.cut = arena_printf(tree->arena,
		                       "between %s and %s switches, %u of %u %s against the others",
		                       rank_name(r, tree->tiers), rank_name(r + 1, tree->tiers),
		                       cut.part, cut.parts, r ? "pods" : "leaves");
	}
	return out;
}

void wiring_cuts(struct ibc_fattree *tree)
{
	const struct switches *sw = &tree->switches;
	struct ibc_bisection *all = &tree->bisection;
	struct figures f = { .tree = tree, .cap.tree = tree };
	uint32_t most = 1;

	f.cap.pair = arena_array(tree->tmp, sw->first_pair[sw->n] + 1u, sizeof(*f.cap.pair));
	f.cap.host = arena_array(tree->tmp, sw->n + 1u, sizeof(*f.cap.host));
	f.cap.tree_of = arena_array(tree->tmp, sw->n + 1u, sizeof(*f.cap.tree_of));
	f.members = arena_array(tree->tmp, sw->n + 1u, sizeof(*f.members));
	/* one level more, which takes what the top one has upward: nothing */
	tree->tier = arena_array(tree->arena, tree->tiers + 1u, sizeof(*tree->tier));
	find_changes(&f);
	find_trees(&f);
	for (uint32_t s = 0; s < sw->n; s++)
		for (uint32_t i = sw->first_pair[s]; i < sw->first_pair[s + 1]; i++)
			for (uint32_t k = 0; k < sw->pairs[i].count; k++) {
				const struct ibc_port *p = sw->cables[sw->pairs[i].first + k];
				bool down = rank_is_next(tree->rank, sw->pairs[i].to, s);

				f.cap.pair[i] += gbps_up(&f, down ? p->peer : p);
			}
	count_tiers(&f);
	for (uint32_t s = 0; s < sw->n; s++) { /* of several trees the largest names the cut */
		uint32_t n = f.cap.tree_of[s] == s ? collect_tree(&f, s) : 0;
		struct ibc_bisection one;

		if (n < 2)
			continue;
		one = cut_tree(&f, n);
		all->now_gbps += one.now_gbps;
		all->intended_gbps += one.intended_gbps;
		if (n > most)
			all->cut = one.cut;
		most = n > most ? n : most;
	}
}
