/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of an inference, in their order. */
#include "analysis/tree/wiring.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"

static bool wiring_switches(struct ibc_fattree *tree)
{
	return switches_collect(tree->arena, tree->fab, &tree->switches);
}

static bool wiring_ranks(struct ibc_fattree *tree)
{
	tree->rank = arena_alloc(tree->arena, tree->switches.n + 1u);
	return tree->rank && ranks_find(&tree->switches, tree->rank, &tree->tiers);
}

static bool wiring_groups(struct ibc_fattree *tree)
{
	return groups_find(tree->arena, &tree->switches, tree->rank, tree->tiers, &tree->groups);
}

/* Of what is no fat-tree nothing is said but what it is. */
static const struct {
	bool (*run)(struct ibc_fattree *tree);
	bool of_trees;
} steps[] = {
	{ wiring_switches, false }, { wiring_ranks, false }, { wiring_family, false },
	{ wiring_groups, true },    { wiring_rules, true },  { wiring_cases, true },
	{ wiring_slow, true },      { wiring_rails, true },  { wiring_cuts, true },
	{ wiring_moves, true },
};

int ibc_fattree_infer(const struct ibc_fabric *fab, struct ibc_fattree **out, struct ibc_error *err)
{
	struct ibc_fattree *tree = xalloc(sizeof(*tree));
	bool done;

	*out = NULL;
	if (!tree)
		return fail_nomem(err);
	tree->fab = fab;
	tree->arena = arena_new();
	done = tree->arena;
	for (size_t i = 0; done && i < ARRAY_SIZE(steps); i++)
		if (!steps[i].of_trees || tree->family == IBC_FAMILY_FAT_TREE)
			done = steps[i].run(tree);
	if (!done) {
		ibc_fattree_free(tree);
		return fail_nomem(err);
	}
	*out = tree;
	return 0;
}
