/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of an inference, in their order. */
#include "analysis/tree/wiring.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"

static bool wiring_switches(struct ibc_fattree *tree)
{
	return switches_collect(tree->arena, tree->tmp, tree->fab, &tree->switches) &&
	       planes_find(tree->arena, &tree->switches, &tree->planes);
}

static bool wiring_ranks(struct ibc_fattree *tree)
{
	tree->rank = arena_alloc(tree->arena, tree->switches.n + 1u);
	return tree->rank && ranks_find(tree->tmp, &tree->switches, tree->trace, tree->rank);
}

static bool wiring_groups(struct ibc_fattree *tree)
{
	if (!groups_find(tree->arena, tree->tmp, &tree->switches, tree->rank, tree->tiers,
	                 &tree->groups))
		return false;
	for (size_t i = 0; i < tree->groups.n; i++)
		if (tree->groups.all[i].num_lower)
			TRACE(tree->trace, IBC_TRACE_TREE,
			      "group %zu: %u switches of tier %u from %s, %u above them", i,
			      tree->groups.all[i].num_lower, tree->groups.all[i].rank,
			      tree->switches.nodes[tree->groups.all[i].lower[0]]->label,
			      tree->groups.all[i].num_upper);
	return true;
}

/* Of what is no fat-tree nothing is said but what it is, and of rails whose adapter is where. */
static const struct {
	bool (*run)(struct ibc_fattree *tree);
	enum { OF_ALL, OF_TREES, OF_RAILS } of;
} steps[] = {
	{ wiring_switches, OF_ALL }, { wiring_ranks, OF_ALL },   { wiring_family, OF_ALL },
	{ wiring_groups, OF_TREES }, { wiring_rules, OF_TREES }, { wiring_cases, OF_TREES },
	{ wiring_slow, OF_TREES },   { wiring_rails, OF_RAILS }, { wiring_planes, OF_RAILS },
	{ wiring_cuts, OF_TREES },   { wiring_moves, OF_TREES },
};

static bool is_needed(const struct ibc_fattree *tree, size_t step)
{
	return steps[step].of == OF_ALL || tree->family == IBC_FAMILY_FAT_TREE ||
	       (steps[step].of == OF_RAILS && tree->family == IBC_FAMILY_RAILS);
}

/* The node, or the near one of the link, that a case is about first; "" */
static const char *subject_of(const struct wiring_case *c)
{
	const struct ibc_node *node = c->num_nodes                           ? c->nodes[0]
	                              : c->num_found                         ? c->found[0]->node
	                              : c->num_gaps && c->gaps[0].lower.node ? c->gaps[0].lower.node
	                              : c->num_gaps                          ? c->gaps[0].upper.node
	                                                                     : NULL;

	return node ? node->label : "the fabric";
}

static void trace_tree(const struct ibc_fattree *tree)
{
	static const char *const kinds[] = {
		[WIRING_SAME_RANK] = "same tier", [WIRING_MISSING] = "missing",
		[WIRING_UNEVEN] = "uneven",       [WIRING_SWAPPED] = "swapped",
		[WIRING_PORTS] = "ports",         [WIRING_NO_SPINE] = "no spine",
		[WIRING_HOST_UP] = "host up",     [WIRING_SLOW] = "slow",
		[WIRING_RAIL] = "rail",           [WIRING_RAIL_PARTS] = "rail-parts",
		[WIRING_RAIL_HOST] = "rail-host", [WIRING_PLANE] = "plane",
		[WIRING_IRREGULAR] = "irregular", [WIRING_NOT_TREE] = "not a tree",
	};

	trace_line(tree->trace, IBC_TRACE_TREE, "family %s: %s",
	           ibc_family_word(tree->family)->word, tree->why);
	for (size_t i = 0; i < tree->num_cases; i++) {
		const struct wiring_case *c = &tree->cases[i];

		trace_line(tree->trace, IBC_TRACE_TREE,
		           "case %s, %s: %zu links found, %zu missing, from %s%s%s", kinds[c->kind],
		           c->blamed ? "blamed" : "for information", c->num_found, c->num_gaps,
		           subject_of(c), c->gate.word ? ", gate " : "",
		           c->gate.word ? c->gate.word : "");
	}
}

int ibc_fattree_infer(const struct ibc_fabric *fab, const struct ibc_trace *trace,
                      struct ibc_fattree **out, struct ibc_error *err)
{
	struct ibc_fattree *tree = xalloc(sizeof(*tree));
	bool done;

	*out = NULL;
	if (!tree)
		return fail_nomem(err);
	tree->fab = fab;
	tree->trace = trace;
	tree->arena = arena_new();
	done = tree->arena;
	for (size_t i = 0; done && i < ARRAY_SIZE(steps); i++) {
		if (!is_needed(tree, i))
			continue;
		tree->tmp = arena_new();
		done = tree->tmp && steps[i].run(tree);
		arena_free(tree->tmp);
	}
	if (!done) {
		ibc_fattree_free(tree);
		return fail_nomem(err);
	}
	if (trace_wants(trace, IBC_TRACE_TREE))
		trace_tree(tree);
	*out = tree;
	return 0;
}
