/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of an inference, in their order, and its cases in theirs. */
#include <stdlib.h>

#include "analysis/tree/wiring.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "fabric/fabric.h"

/* ---- cases as one plan --------------------------------------------------------------------- */

static struct ibc_place first_place(const struct wiring_case *c)
{
	if (c->num_found)
		return (struct ibc_place){ c->found[0]->node, c->found[0]->num };
	if (c->num_nodes)
		return (struct ibc_place){ c->nodes[0], 0 };
	if (c->num_gaps)
		return (struct ibc_place){ c->gaps[0].lower.node, c->gaps[0].lower.port };
	return (struct ibc_place){ NULL, 0 };
}

static int by_case_place(const void *va, const void *vz)
{
	const struct wiring_case *a = va, *z = vz;
	struct ibc_place x = first_place(a), y = first_place(z);

	return order_u64(a->kind, z->kind)
	           ?: order_u64(!a->blamed, !z->blamed)
	           ?: order_u64(x.node ? node_order(x.node) : SIZE_MAX,
	                        y.node ? node_order(y.node) : SIZE_MAX)
	           ?: order_u64(x.node ? x.port : 0, y.node ? y.port : 0)
	           ?: (a->rule > z->rule) - (a->rule < z->rule);
}

static struct ibc_place find_place(const struct ibc_fabric *fab, struct jack s)
{
	return (struct ibc_place){ .node = ibc_fabric_node(fab, s.node), .port = s.port };
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

static uint32_t number_of(const struct switches *sw, const struct ibc_node *node)
{
	return node && node->type == IBC_NODE_SWITCH ? switch_number(sw, node) : NO_SWITCH;
}

/* struct toll - what a lower switch has less to one above it, or more */
struct toll {
	uint32_t pair[2];
	int cables;
};

static int by_toll_pair(const void *va, const void *vz)
{
	const struct toll *a = va, *z = vz;

	return order_u64(a->pair[LOWER], z->pair[LOWER])
	           ?: order_u64(a->pair[UPPER], z->pair[UPPER]);
}

/*
 * What each switch lacks upward in all cases together, whichever cables are where another should
 * be.  Where a rule itself is in doubt, no uplink is known to be missing.
 */
static void count_gone(struct ibc_fattree *tree)
{
	const struct switches *sw = &tree->switches;
	struct toll *tolls;
	size_t n = 0;

	for (size_t i = 0; i < tree->num_cases; i++)
		n += tree->cases[i].num_gaps + tree->cases[i].num_found;
	tolls = arena_array(tree->tmp, n + 1, sizeof(*tolls));
	n = 0;
	for (size_t i = 0; i < tree->num_cases; i++) {
		const struct wiring_case *c = &tree->cases[i];

		if (!c->rule || !(c->blamed || c->num_nodes))
			continue;
		for (size_t k = 0; k < c->num_gaps; k++)
			tolls[n++] = (struct toll){ { number_of(sw, c->gaps[k].lower.node),
				                      number_of(sw, c->gaps[k].upper.node) },
				                    1 };
		for (size_t k = 0; c->num_gaps && k < c->num_found; k++) {
			uint32_t a = number_of(sw, c->found[k]->node);
			uint32_t z = number_of(sw, c->found[k]->peer->node);
			bool up = a != NO_SWITCH && z != NO_SWITCH &&
			          rank_is_next(tree->rank, a, z);

			tolls[n++] = (struct toll){ { up ? a : z, up ? z : a }, -1 };
		}
	}
	if (n)
		qsort(tolls, n, sizeof(*tolls), by_toll_pair);
	for (size_t i = 0, end; i < n; i = end) {
		int cables = 0;

		for (end = i; end < n && !by_toll_pair(&tolls[i], &tolls[end]); end++)
			cables += tolls[end].cables;
		if (cables > 0 && tolls[i].pair[LOWER] != NO_SWITCH)
			tree->uplinks_gone[tolls[i].pair[LOWER]] += (uint32_t)cables;
	}
}

/*
 * Sorts the cases, numbers their moves as one plan (no two cases have a jack in common, so the
 * moves may follow one after another), and counts what each level and each switch lacks.
 */
static void wiring_moves(struct ibc_fattree *tree)
{
	size_t n = 0, fault = 0;

	if (tree->num_cases)
		qsort(tree->cases, tree->num_cases, sizeof(*tree->cases), by_case_place);
	for (size_t i = 0; i < tree->num_cases; i++)
		n += tree->cases[i].num_steps;
	tree->steps = arena_array(tree->arena, n + 1, sizeof(*tree->steps));
	tree->uplinks_gone = arena_array(tree->arena, tree->switches.n + 1u,
	                                 sizeof(*tree->uplinks_gone));
	for (size_t i = 0; i < tree->num_cases; i++) {
		struct wiring_case *c = &tree->cases[i];
		struct ibc_tier *tier = tier_of(tree, c);

		if (c->num_steps)
			c->first_step = tree->num_steps;
		for (size_t k = 0; k < c->num_steps; k++) {
			const struct repair_step *s = &c->steps[k];
			struct ibc_step *step = &tree->steps[tree->num_steps++];

			/* each missing cable is one by itself */
			fault += !k || c->kind == WIRING_MISSING;
			*step = (struct ibc_step){ .action = s->action,
				                   .number = tree->num_steps,
				                   .fault = fault };
			if (s->action != IBC_ACTION_CONNECT)
				step->from = find_place(tree->fab, s->from);
			if (s->action != IBC_ACTION_REMOVE)
				step->to = find_place(tree->fab, s->to);
			step->peer = find_place(tree->fab, s->peer);
			if (s->action == IBC_ACTION_EXCHANGE)
				step->to_peer = find_place(tree->fab, s->to_peer);
		}
		if (tier && c->blamed)
			tier->faults++;
	}
	count_gone(tree);
}

/* ---- all of it ----------------------------------------------------------------------------- */

static void trace_tree(const struct ibc_fattree *tree)
{
	static const char *const kinds[] = {
		[WIRING_SAME_RANK] = "same tier",
		[WIRING_MISSING] = "missing",
		[WIRING_UNEVEN] = "uneven",
		[WIRING_SWAPPED] = "swapped",
		[WIRING_PORTS] = "ports",
		[WIRING_NO_SPINE] = "no spine",
		[WIRING_NO_LEAF] = "no leaf",
		[WIRING_HOST_UP] = "host up",
		[WIRING_SLOW] = "slow",
		[WIRING_RAIL] = "rail",
		[WIRING_RAIL_PARTS] = "rail-parts",
		[WIRING_RAIL_HOST] = "rail-host",
		[WIRING_PLANE] = "plane",
		[WIRING_IRREGULAR] = "irregular",
	};

	trace_line(tree->trace, IBC_TRACE_TREE, "family %s: %s",
	           ibc_family_word(tree->family)->word, tree->why);
	for (size_t i = 0; i < tree->num_cases; i++) {
		const struct wiring_case *c = &tree->cases[i];
		const struct ibc_node *node = c->num_nodes   ? c->nodes[0]
		                              : c->num_found ? c->found[0]->node
		                                             : NULL;

		if (!node && c->num_gaps)
			node = c->gaps[0].lower.node ? c->gaps[0].lower.node
			                             : c->gaps[0].upper.node;
		trace_line(tree->trace, IBC_TRACE_TREE,
		           "case %s, %s: %zu links found, %zu missing, from %s%s%s", kinds[c->kind],
		           c->blamed ? "blamed" : "for information", c->num_found, c->num_gaps,
		           node ? node->label : "the fabric", c->gate.word ? ", gate " : "",
		           c->gate.word ? c->gate.word : "");
	}
}

static void find_groups(struct ibc_fattree *tree)
{
	groups_find(tree->arena, tree->tmp, &tree->switches, tree->rank, tree->tiers,
	            &tree->groups);
	for (size_t i = 0; i < tree->groups.n; i++) {
		const struct wiring_group *g = &tree->groups.all[i];

		TRACE(tree->trace, IBC_TRACE_TREE,
		      "group %zu: %u switches of tier %u from %s, %u above them", i, g->num[LOWER],
		      g->rank, tree->switches.nodes[g->sw[LOWER][0]]->label, g->num[UPPER]);
	}
}

/* Of a fabric that is no fat-tree rails and loopback cables are judged, no more. */
static void infer(struct ibc_fattree *tree)
{
	bool is_tree;

	switches_collect(tree->arena, tree->tmp, tree->fab, &tree->switches);
	planes_find(tree->arena, &tree->switches, &tree->planes);
	tree->rank = arena_alloc(tree->arena, tree->switches.n + 1u);
	ranks_find(tree->tmp, &tree->switches, tree->trace, tree->rank);
	wiring_family(tree);
	is_tree = tree->family == IBC_FAMILY_FAT_TREE;
	if (is_tree) {
		find_groups(tree);
		wiring_rules(tree);
		wiring_cases(tree);
		wiring_slow(tree);
	}
	if (is_tree || tree->family == IBC_FAMILY_RAILS) {
		wiring_rails(tree);
		wiring_planes(tree);
	}
	wiring_loops(tree);
	if (is_tree)
		wiring_cuts(tree);
	wiring_moves(tree);
	if (trace_wants(tree->trace, IBC_TRACE_TREE))
		trace_tree(tree);
}

int ibc_fattree_infer(const struct ibc_fabric *fab, const struct ibc_trace *trace,
                      struct ibc_fattree **out, struct ibc_error *err)
{
	struct arena *a = arena_new(), *tmp = arena_new();
	struct ibc_fattree *tree = a ? arena_alloc(a, sizeof(*tree)) : NULL;

	*out = NULL;
	if (!tree || !tmp || setjmp(*arena_entry(a))) {
		arena_free(tmp);
		arena_free(a);
		return fail_nomem(err);
	}
	arena_escape(tmp, arena_entry(a));
	*tree = (struct ibc_fattree){ .arena = a, .tmp = tmp, .fab = fab, .trace = trace };
	infer(tree);
	arena_escape(a, NULL);
	arena_free(tmp);
	tree->tmp = NULL;
	*out = tree;
	return 0;
}
