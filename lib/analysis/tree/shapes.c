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

/* ---- rings and meshes ---------------------------------------------------------------- */

static const char *mesh_shape_text(struct arena *a, const struct graph *g)
{
	uint32_t edges = g->first[g->n] / 2;

	if (g->n < 2 || edges * 100ull < graph_pairs(g->n) * MESH_PERCENT)
		return NULL;
	if (g->n == 2)
		return "two switches cabled to each other";
	return arena_printf(a, "%u switches, %u of %llu pairs of them cabled to each other", g->n,
	                    edges, (unsigned long long)graph_pairs(g->n));
}

/* A ring, or what is left of it without one cable. */
static const char *ring_shape_text(struct arena *a, const struct graph *g)
{
	for (uint32_t v = 0; v < g->n; v++)
		if (graph_degree(g, v) > 2)
			return NULL;
	if (g->n < 4)
		return NULL;
	return arena_printf(a,
	                    g->first[g->n] / 2 == g->n
	                        ? "%u switches in a ring"
	                        : "%u switches in a row: a ring with a gap, or a line",
	                    g->n);
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

	if (x->common != y->common)
		return x->common > y->common ? -1 : 1;
	return (x->v > y->v) - (x->v < y->v);
}

/* For every vertex the neighbour it shares most others with. */
static void seed_cliques(const struct graph *g, struct seed *seeds, uint32_t *list)
{
	for (uint32_t v = 0; v < g->n; v++) {
		seeds[v] = (struct seed){ .v = v, .u = v };
		for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
			uint32_t common = shared_neighbours(g, v, g->to[e], list);

			if (common > seeds[v].common)
				seeds[v] = (struct seed){ v, g->to[e], common };
		}
	}
	qsort(seeds, g->n, sizeof(*seeds), by_common);
}

/* Takes the free ones of v, u and what they share that are joined to most of the rest. */
static void take_clique(const struct graph *g, struct groups *groups, const struct seed *s,
                        uint32_t *list)
{
	uint32_t n = shared_neighbours(g, s->v, s->u, list), id = groups->n;

	list[n++] = s->v;
	list[n++] = s->u;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t links = 0;

		for (uint32_t j = 0; j < n; j++)
			links += graph_joined(g, list[i], list[j]);
		if (groups->of[list[i]] != NO_GROUP || links * 100 < (n - 1) * CLIQUE_PERCENT)
			continue;
		groups->of[list[i]] = id;
		groups->size[id]++;
	}
	groups->n += groups->size[id] > 0;
}

static bool find_cliques(struct arena *a, const struct graph *g, struct groups *groups)
{
	struct seed *seeds = arena_array(a, g->n, sizeof(*seeds));
	uint32_t *list = arena_array(a, (size_t)g->n + 2, sizeof(*list));

	if (!seeds || !list)
		return false;
	seed_cliques(g, seeds, list);
	for (uint32_t i = 0; i < g->n; i++)
		if (groups->of[seeds[i].v] == NO_GROUP && seeds[i].common)
			take_clique(g, groups, &seeds[i], list);
	return true;
}

/*
 * Have half of the spines, at least, cables to others?  In a fat-tree none has, and a few that
 * were cabled so by mistake are not half.
 */
static bool has_joined_spines(const struct graph *g)
{
	uint32_t spines = 0, joined = 0;

	for (uint32_t v = 0; v < g->n; v++) {
		bool any = false;

		for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
			any |= g->rank[g->to[e]] == g->rank[v];
		spines += g->rank[v] != 0;
		joined += g->rank[v] != 0 && any;
	}
	return spines && joined * 2 >= spines;
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

static bool find_pods(struct arena *a, const struct graph *g, struct groups *groups)
{
	uint32_t *count = arena_array(a, g->n + 1u, sizeof(*count));

	if (!count)
		return false;
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
	return true;
}

/* Size of most groups, if they hold most switches; else 0. */
static uint32_t usual_size(const struct graph *g, const struct groups *groups)
{
	uint32_t best = 0, held = 0, most = 0;

	for (uint32_t i = 0; i < groups->n; i++) {
		uint32_t size = groups->size[i], in = 0;

		/* a few of a group may have been lost to it */
		for (uint32_t k = 0; k < groups->n; k++)
			in += groups->size[k] == size ? size : 0;
		if (in > most || (in == most && size > best)) {
			best = size;
			most = in;
		}
	}
	for (uint32_t i = 0; i < groups->n; i++)
		held += groups->size[i] * 4 >= best * 3 ? groups->size[i] : 0;
	return held * 10 >= g->n * 8ull ? best : 0;
}

/* What is left of a group that lost more than a quarter, or was none, joins nobody. */
static void drop_small_groups(const struct graph *g, struct groups *groups, uint32_t size,
                              uint32_t *number)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < groups->n; i++)
		number[i] = groups->size[i] * 4 >= size * 3 ? n++ : NO_GROUP;
	for (uint32_t v = 0; v < g->n; v++)
		if (groups->of[v] != NO_GROUP)
			groups->of[v] = number[groups->of[v]];
	groups->n = n;
}

/* Pairs of groups with an edge between them. */
static uint32_t joined_groups(const struct graph *g, const struct groups *groups, uint8_t *seen)
{
	uint32_t pairs = 0;

	for (uint32_t v = 0; v < g->n; v++) {
		for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
			uint32_t x = groups->of[v], y = groups->of[g->to[e]];

			if (x >= y || y == NO_GROUP || seen[(size_t)x * groups->n + y])
				continue;
			seen[(size_t)x * groups->n + y] = 1;
			pairs++;
		}
	}
	return pairs;
}

static bool test_dragonfly(struct arena *a, const struct graph *g, bool ranked, const char **why)
{
	struct groups groups = { .of = arena_array(a, g->n, sizeof(*groups.of)),
		                 .size = arena_array(a, 2 * ((size_t)g->n + 1),
		                                     sizeof(*groups.size)) };
	uint32_t size, pairs;
	uint8_t *seen;

	if (!groups.of || !groups.size)
		return false;
	memset(groups.of, 0xff, g->n * sizeof(*groups.of));
	if (!(ranked ? find_pods : find_cliques)(a, g, &groups))
		return false;
	size = usual_size(g, &groups);
	drop_small_groups(g, &groups, size, groups.size + g->n + 1);
	if (size < GROUP_MIN || groups.n < GROUP_MIN)
		return true;
	seen = arena_array(a, (size_t)groups.n * groups.n, 1);
	if (!seen)
		return false;
	pairs = joined_groups(g, &groups, seen);
	if (pairs * 100ull < graph_pairs(groups.n) * MESH_PERCENT)
		return true;
	*why = arena_printf(
	    a, "a dragonfly%s of %u groups of %u switches%s, %u of %llu pairs of groups joined",
	    ranked ? "+" : "", groups.n, size, ranked ? " in two tiers" : "", pairs,
	    (unsigned long long)graph_pairs(groups.n));
	return *why;
}

/* ---- all of them ------------------------------------------------------------------------ */

const char *shape_above_tree(struct arena *a, const struct graph *g, enum ibc_family *family)
{
	const char *why = "";

	*family = IBC_FAMILY_DRAGONFLY;
	if (has_joined_spines(g) && !test_dragonfly(a, g, true, &why))
		return NULL;
	if (!*why)
		*family = IBC_FAMILY_NONE;
	return why;
}

const char *shape_of(struct arena *a, const struct graph *g, enum ibc_family *family)
{
	const char *why = NULL;

	*family = IBC_FAMILY_MESH;
	if ((why = mesh_shape_text(a, g)))
		return why;
	*family = IBC_FAMILY_TORUS;
	if ((why = ring_shape_text(a, g)))
		return why;
	if (!lattice_of(a, g, family, &why) || why)
		return why;
	*family = IBC_FAMILY_DRAGONFLY;
	if (!test_dragonfly(a, g, false, &why) || why)
		return why;
	*family = IBC_FAMILY_NONE;
	return arena_printf(
	    a, "%u switches that form no known tree, torus, HyperX, dragonfly or mesh", g->n);
}
