/* SPDX-License-Identifier: BSD-2-Clause */
/* What the steps of an inference fill, and what there is to see of it. */
#include "analysis/tree/wiring.h"

#include "base/arena.h"

struct wiring_case *wiring_add(struct ibc_fattree *tree, enum wiring_kind kind, bool blamed,
                               const struct ibc_node *about)
{
	const struct ibc_node **nodes = arena_array(tree->arena, 1, sizeof(struct ibc_node *));

	nodes[0] = about;
	arena_grow(tree->arena, &tree->cases, tree->num_cases, &tree->cases_room,
	           sizeof(*tree->cases));
	tree->cases[tree->num_cases] = (struct wiring_case){
		.kind = kind, .blamed = blamed, .nodes = nodes, .num_nodes = about != NULL
	};
	return &tree->cases[tree->num_cases++];
}

struct wiring_case *wiring_blamed(const struct ibc_fattree *tree, const struct ibc_port *cable)
{
	for (size_t i = 0; i < tree->num_cases; i++) {
		struct wiring_case *c = &tree->cases[i];

		for (size_t k = 0; c->blamed && k < c->num_found; k++)
			if (c->found[k] == cable || c->found[k] == cable->peer)
				return c;
	}
	return NULL;
}

void ibc_fattree_free(struct ibc_fattree *tree)
{
	if (tree)
		arena_free(tree->arena);
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

const struct ibc_tier *ibc_fattree_tier(const struct ibc_fattree *tree, size_t i)
{
	return tree->tier && i < tree->tiers ? &tree->tier[i] : NULL;
}

bool ibc_fattree_rule(const struct ibc_fattree *tree, size_t i, struct ibc_tree_rule *out)
{
	const struct wiring_rule *rule = i < tree->num_rules ? &tree->rules[i] : NULL;

	if (!rule)
		return false;
	*out = (struct ibc_tree_rule){
		.rank = rule->lower_rank,
		.lower = rank_name(rule->lower_rank, tree->tiers),
		.upper = rank_name(rule->lower_rank + 1, tree->tiers),
		.groups = rule->groups,
		.lower_switches = rule->lower,
		.upper_switches = rule->upper,
		.uplinks = rule->uplinks,
		.cables = rule->cables,
		.conform = rule->conform,
		.evaluated = rule->evaluated,
		.support = rule->support,
		.holds = rule->holds,
	};
	return true;
}

struct ibc_bisection ibc_fattree_bisection(const struct ibc_fattree *tree)
{
	return tree->bisection;
}

const struct ibc_step *ibc_fattree_step(const struct ibc_fattree *tree, size_t i)
{
	return i < tree->num_steps ? &tree->steps[i] : NULL;
}
