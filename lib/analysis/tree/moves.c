/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last step: cases in their order and by level, and what to do as one plan.  Cases
 * have no jack in common, so their moves may follow one after another.
 */
#include <stdlib.h>

#include "analysis/tree/wiring.h"
#include "base/arena.h"
#include "fabric/fabric.h"

/* What a case is about, to put cases in order. */
struct jack_place {
	size_t node;
	unsigned int port;
};

static struct jack_place place_of_jack(const struct ibc_node *node, unsigned int port)
{
	return (struct jack_place){ node_order(node), port };
}

static struct jack_place first_place(const struct wiring_case *c)
{
	if (c->num_found)
		return place_of_jack(c->found[0]->node, c->found[0]->num);
	if (c->num_nodes)
		return place_of_jack(c->nodes[0], 0);
	if (c->num_gaps && c->gaps[0].lower.node)
		return place_of_jack(c->gaps[0].lower.node, c->gaps[0].lower.port);
	return (struct jack_place){ SIZE_MAX, 0 };
}

static int by_case_place(const void *va, const void *vz)
{
	const struct wiring_case *a = va, *z = vz;
	struct jack_place x = first_place(a), y = first_place(z);

	if (a->kind != z->kind)
		return a->kind < z->kind ? -1 : 1;
	if (a->blamed != z->blamed)
		return a->blamed ? -1 : 1;
	if (x.node != y.node)
		return x.node < y.node ? -1 : 1;
	if (x.port != y.port)
		return x.port < y.port ? -1 : 1;
	return (a->rule > z->rule) - (a->rule < z->rule);
}

static struct ibc_place find_place(const struct ibc_fabric *fab, struct jack s)
{
	return (struct ibc_place){ .node = ibc_fabric_node(fab, s.node), .port = s.port };
}

static struct ibc_step make_step(const struct ibc_fabric *fab, const struct repair_step *step)
{
	struct ibc_step made = { .action = step->action };

	if (step->action != IBC_ACTION_CONNECT)
		made.from = find_place(fab, step->from);
	if (step->action != IBC_ACTION_REMOVE)
		made.to = find_place(fab, step->to);
	made.peer = find_place(fab, step->peer);
	if (step->action == IBC_ACTION_EXCHANGE)
		made.to_peer = find_place(fab, step->to_peer);
	return made;
}

static void add_moves(struct ibc_fattree *tree, struct wiring_case *c, size_t fault)
{
	c->first_step = tree->num_steps;
	for (size_t i = 0; i < c->num_steps; i++) {
		struct ibc_step *step = &tree->steps[tree->num_steps++];

		*step = make_step(tree->fab, &c->steps[i]);
		step->number = tree->num_steps;
		step->fault = fault;
	}
}

/* The level whose cables upward a case is about; NULL: none. */
static struct ibc_tier *tier_of(const struct ibc_fattree *tree, const struct wiring_case *c)
{
	int a, z;

	if (c->rule)
		return &tree->tier[c->rule->lower_rank];
	if (!c->num_found || c->kind == WIRING_RAIL)
		return NULL;
	a = ibc_fattree_rank(tree, c->found[0]->node);
	z = ibc_fattree_rank(tree, c->found[0]->peer->node);
	return a < 0 || z < 0 ? NULL : &tree->tier[a < z ? a : z];
}

static void count_faults(struct ibc_fattree *tree)
{
	for (size_t i = 0; i < tree->num_cases; i++) {
		struct ibc_tier *tier = tier_of(tree, &tree->cases[i]);

		if (tier && tree->cases[i].blamed)
			tier->faults++;
	}
}

/* Where the rule itself is in doubt, nothing is known to lack. */
static bool count_gone(struct ibc_fattree *tree)
{
	tree->uplinks_gone = arena_array(tree->arena, tree->switches.n + 1u,
	                                 sizeof(*tree->uplinks_gone));
	for (size_t i = 0; tree->uplinks_gone && i < tree->num_cases; i++) {
		const struct wiring_case *c = &tree->cases[i];

		for (size_t k = 0; c->rule && (c->blamed || c->num_nodes) && k < c->num_gaps; k++)
			if (c->gaps[k].lower.node)
				tree->uplinks_gone[switch_number(&tree->switches,
				                                 c->gaps[k].lower.node)]++;
	}
	return tree->uplinks_gone;
}

bool wiring_moves(struct ibc_fattree *tree)
{
	size_t n = 0, fault = 0;

	if (tree->num_cases)
		qsort(tree->cases, tree->num_cases, sizeof(*tree->cases), by_case_place);
	for (size_t i = 0; i < tree->num_cases; i++)
		n += tree->cases[i].num_steps;
	tree->steps = arena_array(tree->arena, n + 1, sizeof(*tree->steps));
	for (size_t i = 0; tree->steps && i < tree->num_cases; i++)
		if (tree->cases[i].num_steps)
			add_moves(tree, &tree->cases[i], ++fault);
	count_faults(tree);
	return tree->steps && count_gone(tree);
}

const struct ibc_step *ibc_fattree_step(const struct ibc_fattree *tree, size_t i)
{
	return i < tree->num_steps ? &tree->steps[i] : NULL;
}
