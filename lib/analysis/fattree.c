/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/wiring.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"

struct wiring_case *wiring_add(struct ibc_fattree *tree, enum wiring_kind kind, bool accused)
{
	if (tree->num_cases == tree->cases_room) {
		size_t room = tree->cases_room ? tree->cases_room * 2 : 16;
		struct wiring_case *more = arena_array(tree->arena, room, sizeof(*more));

		if (!more)
			return NULL;
		if (tree->num_cases)
			memcpy(more, tree->cases, tree->num_cases * sizeof(*more));
		tree->cases = more;
		tree->cases_room = room;
	}
	tree->cases[tree->num_cases] = (struct wiring_case){ .kind = kind, .accused = accused };
	return &tree->cases[tree->num_cases++];
}

static bool wiring_switches(struct ibc_fattree *tree)
{
	return switches_gather(tree->arena, tree->fab, &tree->switches);
}

static bool wiring_ranks(struct ibc_fattree *tree)
{
	tree->rank = arena_alloc(tree->arena, tree->switches.n + 1u);
	return tree->rank && ranks_find(&tree->switches, tree->rank, &tree->levels);
}

static bool wiring_groups(struct ibc_fattree *tree)
{
	return groups_find(tree->arena, &tree->switches, tree->rank, tree->levels, &tree->groups);
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
	for (size_t i = 0; done && i < sizeof(steps) / sizeof(steps[0]); i++)
		if (!steps[i].of_trees || tree->family == IBC_FAMILY_FAT_TREE)
			done = steps[i].run(tree);
	if (!done) {
		ibc_fattree_free(tree);
		return fail_nomem(err);
	}
	*out = tree;
	return 0;
}

void ibc_fattree_free(struct ibc_fattree *tree)
{
	if (!tree)
		return;
	arena_free(tree->arena);
	free(tree);
}

enum ibc_family ibc_fattree_family(const struct ibc_fattree *tree)
{
	return tree->family;
}

int ibc_fattree_rank(const struct ibc_fattree *tree, const struct ibc_node *node)
{
	uint32_t s = switch_number(&tree->switches, node);

	return s == NO_SWITCH || tree->rank[s] == RANK_NONE ? -1 : tree->rank[s];
}

const char *ibc_fattree_why(const struct ibc_fattree *tree)
{
	return tree->why;
}

const struct ibc_level *ibc_fattree_level(const struct ibc_fattree *tree, size_t i)
{
	return tree->level && i < tree->levels ? &tree->level[i] : NULL;
}

bool ibc_fattree_rule(const struct ibc_fattree *tree, size_t i, struct ibc_tree_rule *out)
{
	const struct wiring_rule *rule = i < tree->num_rules ? &tree->rules[i] : NULL;

	if (!rule)
		return false;
	*out = (struct ibc_tree_rule){
		.rank = rule->lower_rank,
		.lower = rank_name(rule->lower_rank, tree->levels),
		.upper = rank_name(rule->lower_rank + 1, tree->levels),
		.groups = rule->groups,
		.lower_switches = rule->lower,
		.upper_switches = rule->upper,
		.uplinks = rule->uplinks,
		.cables = rule->cables,
		.conform = rule->conform,
		.judged = rule->judged,
		.support = rule->support,
		.holds = rule->holds,
	};
	return true;
}

struct ibc_bisection ibc_fattree_bisection(const struct ibc_fattree *tree)
{
	return tree->bisection;
}
