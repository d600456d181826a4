/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of a comparison, in their order. */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/comparison.h"
#include "analysis/tree/switches.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "fabric/fabric.h"

/* ---- order -------------------------------------------------------------------------- */

/* Made up GUIDs say nothing: those nodes are in the order of their names. */
static int compare_node(const struct ibc_node *a, const struct ibc_node *z)
{
	int order = a->named_only && z->named_only ? strcmp(a->label, z->label) : 0;

	if (order || a == z)
		return order;
	return node_order(a) < node_order(z) ? -1 : 1;
}

/* What a deviation is about first: as planned where it is planned. */
static struct ibc_place subject_of(const struct deviation *d)
{
	if (d->num_planned_nodes)
		return (struct ibc_place){ d->planned_nodes[0], 0 };
	if (d->num_planned)
		return (struct ibc_place){ d->planned[0]->node, d->planned[0]->num };
	if (d->num_found_nodes)
		return (struct ibc_place){ d->found_nodes[0], 0 };
	if (d->num_found)
		return (struct ibc_place){ d->found[0]->node, d->found[0]->num };
	return (struct ibc_place){ NULL, 0 };
}

static int by_kind_then_place(const void *va, const void *vz)
{
	const struct deviation *a = va, *z = vz;
	struct ibc_place left = subject_of(a), right = subject_of(z);

	if (a->kind != z->kind)
		return a->kind < z->kind ? -1 : 1;
	if (!left.node || !right.node)
		return !!left.node - !!right.node;
	/* one is planned, the other only found */
	if (left.node->subnet->fabric != right.node->subnet->fabric)
		return a->num_planned + a->num_planned_nodes ? -1 : 1;
	return compare_node(left.node, right.node) ?: order_u64(left.port, right.port);
}

/* ---- all of it ---------------------------------------------------------------------- */

static struct side make_side(struct arena *a, const struct ibc_fabric *fab, size_t num_nodes,
                             const uint32_t *counterpart)
{
	struct side side = {
		.fab = fab,
		.num_nodes = (uint32_t)num_nodes,
		.counterpart = counterpart,
		.first_port = arena_array(a, num_nodes, sizeof(*side.first_port)),
		.root_of = arena_array(a, num_nodes, sizeof(*side.root_of)),
	};

	for (uint32_t i = 0; i < num_nodes; i++) {
		side.first_port[i] = side.num_ports;
		side.root_of[i] = MATCH_NONE;
		side.num_ports += side_node(&side, i)->num_ports + 1u;
	}
	return side;
}

/*
 * What a list of cables is about.  A list that has several switches, and no cable between any of
 * them, is one of hosts' cables; a sweep has seen all.
 */
static void find_coverage(struct ibc_comparison *cmp)
{
	size_t hosts = 0, switches = 0, trunks = 0, lines = 0;
	const struct ibc_port *p;

	for (uint32_t i = 0; i < cmp->planned.num_nodes; i++) {
		const struct ibc_node *node = side_node(&cmp->planned, i);
		const struct ibc_node *found = ibc_comparison_counterpart(cmp, node);
		bool is_host = (found ? found : node)->type == IBC_NODE_CA;

		lines += node->line != 0;
		hosts += is_host;
		switches += !is_host;
		for (unsigned int num = 1; !is_host && (p = ibc_node_port(node, num)); num++)
			trunks += p->peer && p->peer->node->type != IBC_NODE_CA;
	}
	cmp->no_hosts = !hosts;
	cmp->no_trunks = lines && !trunks && switches > 1;
}

/* Of a node with several names: that of the lowest. */
static void share_depth(struct ibc_comparison *cmp, uint32_t first)
{
	const uint32_t *also = cmp->match.also;
	unsigned int least = DEPTH_NONE;

	for (uint32_t i = first; i != MATCH_NONE; i = also[i])
		least = cmp->depth[i] < least ? cmp->depth[i] : least;
	for (uint32_t i = first; i != MATCH_NONE; i = also[i])
		cmp->depth[i] = least;
}

static void prepare_comparison(struct ibc_comparison *cmp)
{
	const struct match *m = &cmp->match;
	struct arena *a = cmp->arena;

	cmp->planned = make_side(a, m->planned, m->num_planned, m->found_of);
	cmp->found = make_side(a, m->found, m->num_found, m->planned_of);
	cmp->depth = depth_measure(a, m->planned);
	/* a part of its cables does not say how high a node is */
	for (uint32_t i = 0; i < m->num_found; i++)
		share_depth(cmp, m->planned_of[i]);
	cmp->node_fate = arena_array(a, cmp->planned.num_nodes, sizeof(*cmp->node_fate));
	cmp->cable_fate = arena_array(a, cmp->planned.num_ports, sizeof(*cmp->cable_fate));
	cmp->right = arena_array(a, cmp->found.num_ports, sizeof(*cmp->right));
	cmp->wanted = arena_array(a, cmp->found.num_ports, sizeof(*cmp->wanted));
	cmp->in_segment = arena_array(a, cmp->found.num_ports, sizeof(*cmp->in_segment));
	find_coverage(cmp);
	cmp->counts.no_hosts = cmp->no_hosts && m->num_planned;
	cmp->counts.no_trunks = cmp->no_trunks;
	cmp->counts.nodes = m->num_planned;
	for (size_t i = 0; i < m->num_planned; i++)
		cmp->counts.nodes_matched += m->found_of[i] != MATCH_NONE;
}

static void compare_fabrics(struct ibc_comparison *cmp)
{
	void (*const steps[])(struct ibc_comparison *) = {
		prepare_comparison, compare_unclear, compare_fates, compare_cables, compare_plan,
		compare_faults,     compare_nodes,   compare_names, compare_rates,  compare_loss,
	};

	for (size_t i = 0; i < ARRAY_SIZE(steps) && !cmp->foreign; i++)
		steps[i](cmp);
	if (cmp->num_deviations)
		qsort(cmp->deviations, cmp->num_deviations, sizeof(*cmp->deviations),
		      by_kind_then_place);
}

int ibc_compare(const struct ibc_fabric *planned, const struct ibc_fabric *found,
                const struct ibc_trace *trace, struct ibc_comparison **out, struct ibc_error *err)
{
	struct arena *arena = arena_new();
	struct ibc_comparison *cmp = arena ? arena_alloc(arena, sizeof(*cmp)) : NULL;

	if (!cmp || !match_nodes(arena, planned, found, trace, &cmp->match) ||
	    setjmp(*arena_entry(arena))) {
		arena_free(arena);
		return fail_nomem(err);
	}
	cmp->arena = arena;
	compare_fabrics(cmp);
	arena_escape(arena, NULL);
	*out = cmp;
	return 0;
}
