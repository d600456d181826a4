/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the switches form.  Switches that hang together are a fat-tree if the clusters
 * have made ranks of them, nearly all cables go from one rank to the next, and most
 * leaves reach most others by going up and then down (or share their uppers).  Only what fails that
 * is held against other shapes, so that no damage makes another family of a tree: where every
 * switch keeps hosts alike, as in a torus or a dragonfly, there is but one rank.
 * Switches that are part of no tree lose their rank.  Of several fabrics side by side a
 * tree speaks for all, else the largest.
 *
 * O(cables), a few walks; see shapes.h for the rest.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/tree/shapes.h"
#include "analysis/tree/wiring.h"
#include "base/arena.h"
#include "base/array.h"

/* why each: doc/wiring.md, table 5, part A */
#define TREE_PERCENT  75 /* of the cables go from one rank to the next */
#define REACH_PERCENT 50 /* of the other leaves are reached by going up, then down */
#define SHARE_PERCENT 60 /* of the uppers two leaves have both, if they have one; a torus: 50 */
#define LEAVES_MIN    2  /* of one there is nothing to compare */
#define ROOTS_MAX     16 /* leaves that are asked how many others they reach */
#define OUTSIDE       UINT32_MAX

/* ---- words -------------------------------------------------------------------------------- */

const struct ibc_word *ibc_family_word(enum ibc_family family)
{
	static const struct ibc_word words[] = {
		[IBC_FAMILY_NONE] = { "none", "unknown" },
		[IBC_FAMILY_FAT_TREE] = { "fat_tree", "fat-tree" },
		[IBC_FAMILY_SINGLE] = { "single", "single switch" },
		[IBC_FAMILY_BACK_TO_BACK] = { "back_to_back", "back-to-back" },
		[IBC_FAMILY_TORUS] = { "torus", "torus" },
		[IBC_FAMILY_DRAGONFLY] = { "dragonfly", "dragonfly" },
		[IBC_FAMILY_MESH] = { "mesh", "full mesh" },
		[IBC_FAMILY_HYPERX] = { "hyperx", "HyperX" },
		[IBC_FAMILY_RAILS] = { "rails", "rails" },
	};

	return &words[family < ARRAY_SIZE(words) ? family : IBC_FAMILY_NONE];
}

const char *rank_name(unsigned int rank, unsigned int tiers)
{
	if (rank == 0)
		return "leaf";
	if (rank == 1)
		return "spine";
	return rank + 1 < tiers ? "upper spine" : "core";
}

/* ---- parts -------------------------------------------------------------------------------- */

/*
 * struct tree_part - switches that hang together
 * @members: by number
 * @at: by switch number: index in @members, or OUTSIDE
 */
struct tree_part {
	const struct switches *sw;
	uint8_t *rank; /* by switch number */
	uint32_t *members, *at;
	uint32_t n;
};

static void walk_part(struct tree_part *part, uint32_t first)
{
	const struct switches *sw = part->sw;

	part->n = 1;
	part->at[first] = 0;
	part->members[0] = first;
	for (uint32_t i = 0; i < part->n; i++) {
		uint32_t s = part->members[i];

		for (const struct trunk *p = trunks(sw, s); p < trunks(sw, s + 1); p++) {
			if (part->at[p->to] != OUTSIDE)
				continue;
			part->at[p->to] = part->n;
			part->members[part->n++] = p->to;
		}
	}
	qsort(part->members, part->n, sizeof(*part->members), by_u32);
	for (uint32_t i = 0; i < part->n; i++)
		part->at[part->members[i]] = i;
}

/* ---- is it a tree? -------------------------------------------------------------------------- */

/* Do nearly all cables go from one rank to the next? */
static bool is_layered(const struct tree_part *part)
{
	const struct switches *sw = part->sw;
	uint64_t between = 0, all = 0;

	for (uint32_t i = 0; i < part->n; i++) {
		uint32_t s = part->members[i];

		for (const struct trunk *p = trunks(sw, s); p < trunks(sw, s + 1); p++) {
			all += p->count;
			if (rank_is_next(part->rank, s, p->to))
				between += 2ull * p->count; /* seen from below and above */
		}
	}
	return all && between * 100 >= all * TREE_PERCENT;
}

/*
 * Leaves that are reached from one by going up, then down.  @turned: by member: 1 on the
 * way up, 2 on the way down.
 */
static uint32_t reach_leaves(const struct tree_part *part, uint32_t leaf, uint8_t *turned,
                             uint32_t *queue)
{
	const struct switches *sw = part->sw;
	uint32_t n = 1, leaves = 0;

	memset(turned, 0, part->n);
	turned[part->at[leaf]] = 1;
	queue[0] = leaf;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = queue[i];
		bool up = turned[part->at[s]] == 1;

		leaves += part->rank[s] == 0;
		for (const struct trunk *p = trunks(sw, s); p < trunks(sw, s + 1); p++) {
			uint8_t *seen = &turned[part->at[p->to]];

			if (*seen)
				continue;
			if (up && rank_is_next(part->rank, s, p->to))
				*seen = 1;
			else if (rank_is_next(part->rank, p->to, s))
				*seen = 2;
			else
				continue;
			queue[n++] = p->to;
		}
	}
	return leaves - 1;
}

/*
 * Uppers that a leaf shares with those it shares any with: the mean share, weighted by
 * itself, in percent.  @common: by member, zero, and again afterwards.
 */
static uint64_t percent_of_shared_uppers(const struct tree_part *part, uint32_t leaf,
                                         uint32_t *common, uint32_t *queue)
{
	const struct switches *sw = part->sw;
	uint32_t n = 0, uppers = 0;
	uint64_t sum = 0, squares = 0;

	for (const struct trunk *up = trunks(sw, leaf); up < trunks(sw, leaf + 1); up++) {
		uint32_t s = up->to;

		if (!rank_is_next(part->rank, leaf, s))
			continue;
		uppers++;
		for (const struct trunk *p = trunks(sw, s); p < trunks(sw, s + 1); p++)
			if (p->to != leaf && part->rank[p->to] == 0 && !common[part->at[p->to]]++)
				queue[n++] = part->at[p->to];
	}
	while (n--) {
		sum += common[queue[n]];
		squares += (uint64_t)common[queue[n]] * common[queue[n]];
		common[queue[n]] = 0;
	}
	return sum ? squares * 100 / (sum * uppers) : 0;
}

/*
 * Do leaves reach most of the others, or have most of their uppers in common with those
 * they have any with (rails that a stray cable joins)?  A few speak for all.
 */
static bool is_joined(struct arena *a, const struct tree_part *part)
{
	uint8_t *turned = arena_array(a, part->n, sizeof(*turned));
	uint32_t *common = arena_array(a, part->n, sizeof(*common));
	uint32_t *queue = arena_array(a, part->n, sizeof(*queue));
	uint32_t leaves = 0, step, seen = 0, asked = 0;
	uint64_t reached = 0, shared = 0;

	for (uint32_t i = 0; i < part->n; i++)
		leaves += part->rank[part->members[i]] == 0;
	if (leaves < LEAVES_MIN)
		return false;
	step = leaves < ROOTS_MAX ? 1 : leaves / ROOTS_MAX;
	for (uint32_t i = 0; i < part->n; i++) {
		uint32_t s = part->members[i];

		if (part->rank[s] != 0 || seen++ % step)
			continue;
		asked++;
		reached += reach_leaves(part, s, turned, queue);
		shared += percent_of_shared_uppers(part, s, common, queue);
	}
	return reached * 100 >= (uint64_t)asked * (leaves - 1) * REACH_PERCENT ||
	       shared >= (uint64_t)asked * SHARE_PERCENT;
}

/* ---- all parts ------------------------------------------------------------------------------- */

/* Which switches of a part are neighbours. */
static struct graph make_graph(struct arena *a, const struct tree_part *part)
{
	const struct switches *sw = part->sw;
	uint32_t *first = arena_array(a, (size_t)part->n + 1, sizeof(*first)), *to, n = 0;
	uint8_t *rank = arena_array(a, part->n, 1);

	for (uint32_t i = 0; i < part->n; i++) {
		rank[i] = part->rank[part->members[i]];
		n += sw->first_pair[part->members[i] + 1] - sw->first_pair[part->members[i]];
		first[i + 1] = n;
	}
	to = arena_array(a, (size_t)n + 1, sizeof(*to));
	n = 0;
	for (uint32_t i = 0; i < part->n; i++) {
		uint32_t s = part->members[i];

		for (const struct trunk *p = trunks(sw, s); p < trunks(sw, s + 1); p++)
			to[n++] = part->at[p->to];
	}
	return (struct graph){ .n = part->n, .first = first, .rank = rank, .to = to };
}

/* Family of a part, and why; switches that are in no tree lose their rank. */
static const char *test_part(struct ibc_fattree *tree, const struct tree_part *part,
                             enum ibc_family *family)
{
	const char *why = "one switch";

	*family = IBC_FAMILY_SINGLE;
	if (part->n > 1) {
		struct graph g = make_graph(tree->tmp, part);

		why = shape_above_tree(tree->tmp, &g, family);
		if (!why && is_layered(part) && is_joined(tree->tmp, part)) {
			*family = IBC_FAMILY_FAT_TREE;
			return "";
		}
		if (!why)
			why = shape_of(tree->tmp, &g, family);
	}
	for (uint32_t i = 0; i < part->n; i++)
		part->rank[part->members[i]] = RANK_NONE;
	return arena_strdup(tree->arena, why);
}

/* Switches without cables to each other: are they rails, as most hosts are on several? */
static void test_rails(struct ibc_fattree *tree)
{
	const struct ibc_fabric_host *host;
	const struct ibc_port *p;
	uint32_t hosts = 0, several = 0;

	for (size_t i = 0; (host = ibc_fabric_host(tree->fab, i)); i++) {
		const struct ibc_node *first = NULL;
		bool other = false;

		for (size_t k = 0; k < host->num_nodes; k++)
			for (unsigned int num = 1; (p = ibc_node_port(host->nodes[k], num)); num++)
				if (p->peer && p->peer->node->type == IBC_NODE_SWITCH) {
					first = first ? first : p->peer->node;
					other |= p->peer->node != first;
				}
		hosts += first != NULL;
		several += other;
	}
	if (!several || several * 2 < hosts)
		return;
	tree->family = IBC_FAMILY_RAILS;
	tree->why = arena_printf(tree->arena,
	                         "%u switches without cables to each other, and %u of %u hosts "
	                         "on several of them: rails",
	                         tree->switches.n, several, hosts);
}

void wiring_family(struct ibc_fattree *tree)
{
	const struct switches *sw = &tree->switches;
	struct tree_part part = {
		.sw = sw,
		.rank = tree->rank,
		.members = arena_array(tree->tmp, sw->n, sizeof(*part.members)),
		.at = arena_array(tree->tmp, sw->n, sizeof(*part.at)),
	};
	uint32_t most = 0, n[RANKS_MAX + 1] = { 0 };
	const struct ibc_port *p;

	tree->why = "no switch was found";
	for (size_t i = 0; !sw->n && (p = ibc_fabric_port(tree->fab, i)); i++)
		if (p->peer) {
			tree->family = IBC_FAMILY_BACK_TO_BACK;
			tree->why = "no switch, HCAs are cabled to each other";
		}
	memset(part.at, 0xff, sw->n * sizeof(*part.at));
	for (uint32_t s = 0; s < sw->n; s++) {
		enum ibc_family family;
		const char *why;
		bool is_tree, was_tree = tree->family == IBC_FAMILY_FAT_TREE;

		if (part.at[s] != OUTSIDE)
			continue;
		walk_part(&part, s);
		why = test_part(tree, &part, &family);
		is_tree = family == IBC_FAMILY_FAT_TREE;
		/* a tree speaks for all, else the largest */
		if (most && (is_tree == was_tree ? part.n <= most : was_tree))
			continue;
		most = part.n;
		tree->family = family;
		tree->why = why;
	}
	if (sw->n > 1 && most == 1)
		test_rails(tree);
	for (uint32_t s = 0; s < sw->n; s++) {
		if (tree->rank[s] == RANK_NONE)
			continue;
		n[tree->rank[s]]++;
		if (tree->rank[s] >= tree->tiers)
			tree->tiers = tree->rank[s] + 1u;
	}
	if (tree->family != IBC_FAMILY_FAT_TREE)
		return;
	tree->why = ""; /* "36 leaf, 18 spine switches" */
	for (unsigned int r = 0; r < tree->tiers; r++)
		tree->why = arena_printf(tree->arena, "%s%s%u %s%s", tree->why, r ? ", " : "", n[r],
		                         rank_name(r, tree->tiers),
		                         r + 1 == tree->tiers ? " switches" : "");
}
