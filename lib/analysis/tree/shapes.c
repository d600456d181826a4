/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/tree/shapes.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"

#define MESH_PERCENT   80 /* of all pairs are joined in a mesh, of the groups of a dragonfly */
#define CLIQUE_PERCENT 60 /* of a group a member of it is joined to */
#define GROUP_MIN      3  /* switches in a group, and groups */
#define NO_GROUP       UINT32_MAX

/* Neighbours that v and u share. */
static uint32_t shared_neighbours(const struct graph *g, uint32_t v, uint32_t u, uint32_t *list)
{
	uint32_t i = g->first[v], j = g->first[u], n = 0;

	while (i < g->first[v + 1] && j < g->first[u + 1]) {
		if (g->to[i] == g->to[j])
			list[n++] = g->to[i];
		if (g->to[i] <= g->to[j])
			i++;
		else
			j++;
	}
	return n;
}

/* ---- dragonflies ------------------------------------------------------------------------ */

/*
 * struct groups
 * @of: by vertex: its group, or NO_GROUP
 * @size: by group
 */
struct groups {
	uint32_t *of, *size, n;
};

struct seed {
	uint32_t v, u, common;
};

static int by_common(const void *a, const void *b)
{
	const struct seed *x = a, *y = b;

	return order_u64(y->common, x->common) ?: order_u64(x->v, y->v);
}

static void find_cliques(struct arena *a, const struct graph *g, struct groups *groups)
{
	struct seed *seeds = arena_array(a, g->n, sizeof(*seeds));
	uint32_t *list = arena_array(a, (size_t)g->n + 2, sizeof(*list));

	/* for every vertex the neighbour it shares most others with */
	for (uint32_t v = 0; v < g->n; v++) {
		seeds[v] = (struct seed){ .v = v, .u = v };
		for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
			uint32_t common = shared_neighbours(g, v, g->to[e], list);

			if (common > seeds[v].common)
				seeds[v] = (struct seed){ v, g->to[e], common };
		}
	}
	qsort(seeds, g->n, sizeof(*seeds), by_common);
	/* the free ones of both and what they share that are joined to most of the rest */
	for (const struct seed *s = seeds; s < seeds + g->n && s->common; s++) {
		uint32_t n, id = groups->n;

		if (groups->of[s->v] != NO_GROUP)
			continue;
		n = shared_neighbours(g, s->v, s->u, list);
		list[n++] = s->v;
		list[n++] = s->u;
		for (uint32_t i = 0; i < n; i++) {
			uint32_t links = 0;

			for (uint32_t j = 0; j < n; j++)
				links += graph_joined(g, list[i], list[j]);
			if (groups->of[list[i]] != NO_GROUP ||
			    links * 100 < (n - 1) * CLIQUE_PERCENT)
				continue;
			groups->of[list[i]] = id;
			groups->size[id]++;
		}
		groups->n += groups->size[id] > 0;
	}
}

/*
 * Leaves that share half of their spines, at least, are a group, and so are the spines most of
 * whose leaves are in it.  @count: by vertex, zero.
 */
static void take_pod(const struct graph *g, struct groups *groups, uint32_t leaf, uint32_t *count)
{
	uint32_t id = groups->n++, spines = graph_degree(g, leaf);

	for (int pass = 0; pass < 2; pass++) /* counts, then takes and forgets */
		for (uint32_t e = g->first[leaf]; e < g->first[leaf + 1]; e++)
			for (uint32_t f = g->first[g->to[e]]; f < g->first[g->to[e] + 1]; f++) {
				uint32_t v = g->to[f];

				if (pass == 0 && g->rank[v] == 0 && g->rank[g->to[e]] != 0)
					count[v]++;
				if (pass == 0)
					continue;
				if (groups->of[v] == NO_GROUP && count[v] * 2 >= spines &&
				    count[v]) {
					groups->of[v] = id;
					groups->size[id]++;
				}
				count[v] = 0;
			}
}

static void find_pods(struct arena *a, const struct graph *g, struct groups *groups)
{
	uint32_t *count = arena_array(a, g->n + 1u, sizeof(*count));

	for (uint32_t v = 0; v < g->n; v++)
		if (g->rank[v] == 0 && groups->of[v] == NO_GROUP)
			take_pod(g, groups, v, count);
	for (uint32_t v = 0; v < g->n; v++) {
		uint32_t best = NO_GROUP;

		memset(count, 0, groups->n * sizeof(*count));
		for (uint32_t e = g->first[v]; g->rank[v] && e < g->first[v + 1]; e++) {
			uint32_t id = g->rank[g->to[e]] ? NO_GROUP : groups->of[g->to[e]];

			if (id != NO_GROUP && ++count[id] > (best == NO_GROUP ? 0 : count[best]))
				best = id;
		}
		if (best == NO_GROUP)
			continue;
		groups->of[v] = best;
		groups->size[best]++;
	}
}

/* Is it a dragonfly?  Why, or NULL. */
static const char *test_dragonfly(struct arena *a, const struct graph *g, bool ranked)
{
	struct groups groups = { .of = arena_array(a, g->n, sizeof(*groups.of)),
		                 .size = arena_array(a, g->n + 1u, sizeof(*groups.size)) };
	uint32_t *number = arena_array(a, g->n + 1u, sizeof(*number)), n = 0, pairs = 0;
	uint32_t size = 0, most = 0, held = 0;
	uint8_t *seen;

	memset(groups.of, 0xff, g->n * sizeof(*groups.of));
	(ranked ? find_pods : find_cliques)(a, g, &groups);
	/* the size of most groups, if they hold most switches: a few may have been lost */
	for (uint32_t i = 0; i < groups.n; i++) {
		uint32_t in = 0;

		for (uint32_t k = 0; k < groups.n; k++)
			in += groups.size[k] == groups.size[i] ? groups.size[i] : 0;
		if (in > most || (in == most && groups.size[i] > size)) {
			size = groups.size[i];
			most = in;
		}
	}
	for (uint32_t i = 0; i < groups.n; i++)
		held += groups.size[i] * 4 >= size * 3 ? groups.size[i] : 0;
	if (held * 10 < g->n * 8ull)
		return NULL;
	/* what is left of a group that lost more than a quarter, or was none, joins no other */
	for (uint32_t i = 0; i < groups.n; i++)
		number[i] = groups.size[i] * 4 >= size * 3 ? n++ : NO_GROUP;
	for (uint32_t v = 0; v < g->n; v++)
		if (groups.of[v] != NO_GROUP)
			groups.of[v] = number[groups.of[v]];
	if (size < GROUP_MIN || n < GROUP_MIN)
		return NULL;
	seen = arena_array(a, (size_t)n * n, 1);
	for (uint32_t v = 0; v < g->n; v++) { /* pairs of groups with an edge between them */
		for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
			uint32_t x = groups.of[v], y = groups.of[g->to[e]];

			if (x >= y || y == NO_GROUP || seen[(size_t)x * n + y])
				continue;
			seen[(size_t)x * n + y] = 1;
			pairs++;
		}
	}
	if (pairs * 100ull < graph_pairs(n) * MESH_PERCENT)
		return NULL;
	return arena_printf(
	    a, "a dragonfly%s of %u groups of %u switches%s, %u of %llu pairs of groups joined",
	    ranked ? "+" : "", n, size, ranked ? " in two tiers" : "", pairs,
	    (unsigned long long)graph_pairs(n));
}

/* ---- all of them ------------------------------------------------------------------------ */

const char *shape_above_tree(struct arena *a, const struct graph *g, enum ibc_family *family)
{
	uint32_t spines = 0, joined = 0;

	for (uint32_t v = 0; v < g->n; v++) {
		bool any = false;

		for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
			any |= g->rank[g->to[e]] == g->rank[v];
		spines += g->rank[v] != 0;
		joined += g->rank[v] != 0 && any;
	}
	*family = IBC_FAMILY_DRAGONFLY;
	/* in a fat-tree no spine has cables to others, and a few that have by mistake are not half
	 */
	return spines && joined * 2 >= spines ? test_dragonfly(a, g, true) : NULL;
}

const char *shape_of(struct arena *a, const struct graph *g, enum ibc_family *family)
{
	uint32_t edges = g->first[g->n] / 2, widest = 0;
	const char *why;

	for (uint32_t v = 0; v < g->n; v++)
		widest = graph_degree(g, v) > widest ? graph_degree(g, v) : widest;
	*family = IBC_FAMILY_MESH;
	if (g->n == 2)
		return "two switches cabled to each other";
	if (edges * 100ull >= graph_pairs(g->n) * MESH_PERCENT)
		return arena_printf(a, "%u switches, %u of %llu pairs of them cabled to each other",
		                    g->n, edges, (unsigned long long)graph_pairs(g->n));
	*family = IBC_FAMILY_TORUS;
	if (widest <= 2 && g->n >= 4) /* a ring, or what is left of it without one cable */
		return arena_printf(a,
		                    edges == g->n ? "%u switches in a ring"
		                                  : "%u switches in a row: a ring with a gap, or a "
		                                    "line",
		                    g->n);
	why = lattice_of(a, g, family);
	if (why)
		return why;
	*family = IBC_FAMILY_DRAGONFLY;
	why = test_dragonfly(a, g, false);
	if (why)
		return why;
	*family = IBC_FAMILY_NONE;
	return arena_printf(
	    a, "%u switches that form no known tree, torus, HyperX, dragonfly or mesh", g->n);
}
