/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/tree/shapes.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"

#define DIMS_MAX       12 /* of a torus; a hypercube of 4,096 switches */
#define ROOTS_MAX      64 /* switches whose distances are looked at */
#define MESH_PERCENT   80 /* of all pairs are joined in a mesh, of the groups of a dragonfly */
#define CLIQUE_PERCENT 60 /* of a group a member of it is joined to */
#define GROUP_MIN      3  /* switches in a group, and groups */
#define NO_GROUP       UINT32_MAX

static uint32_t degree(const struct graph *g, uint32_t v)
{
	return g->first[v + 1] - g->first[v];
}

static bool are_joined(const struct graph *g, uint32_t v, uint32_t u)
{
	return bsearch(&u, &g->to[g->first[v]], degree(g, v), sizeof(*g->to), by_u32);
}

/* ---- rings and meshes ---------------------------------------------------------------- */

static uint64_t pairs_of(uint64_t n)
{
	return n * (n - 1) / 2;
}

static const char *mesh_shape_text(struct arena *a, const struct graph *g)
{
	uint32_t edges = g->first[g->n] / 2;

	if (g->n < 2 || edges * 100ull < pairs_of(g->n) * MESH_PERCENT)
		return NULL;
	if (g->n == 2)
		return "two switches cabled to each other";
	return arena_printf(a, "%u switches, %u of %llu pairs of them cabled to each other", g->n,
	                    edges, (unsigned long long)pairs_of(g->n));
}

/* A ring, or what is left of it without one cable. */
static const char *ring_shape_text(struct arena *a, const struct graph *g)
{
	for (uint32_t v = 0; v < g->n; v++)
		if (degree(g, v) > 2)
			return NULL;
	if (g->n < 4)
		return NULL;
	return arena_printf(a,
	                    g->first[g->n] / 2 == g->n
	                        ? "%u switches in a ring"
	                        : "%u switches in a row: a ring with a gap, or a line",
	                    g->n);
}

/* ---- tori ------------------------------------------------------------------------------ */

/*
 * struct torus - a way to factor n, and what distances it makes
 * @at: how many switches are so far from any of them
 */
struct torus {
	uint32_t size[DIMS_MAX];
	unsigned int dims;
	uint32_t *at, *scratch;
};

/*
 * struct distances - as found
 * @at: how many switches are so far from a root: n for each
 */
struct distances {
	const struct graph *g;
	uint32_t *at;
	uint32_t roots;
};

/* Degree of most, if no switch has more; else 0. */
static uint32_t usual_degree(const struct graph *g)
{
	uint32_t most = 0, have = 0;

	for (uint32_t v = 0; v < g->n; v++)
		most = degree(g, v) > most ? degree(g, v) : most;
	for (uint32_t v = 0; v < g->n; v++)
		have += degree(g, v) == most;
	return have * 2 >= g->n ? most : 0;
}

/* No more than two cables of small ones are missing, one in twenty of large ones. */
static bool is_nearly_whole(const struct graph *g, uint32_t usual)
{
	uint64_t whole = (uint64_t)g->n * usual, missing = whole - g->first[g->n];

	return missing <= 4 || missing * 20 <= whole;
}

static void measure_from(const struct graph *g, uint32_t root, uint32_t *at, uint32_t *queue,
                         uint32_t *far)
{
	uint32_t n = 1;

	memset(far, 0xff, g->n * sizeof(*far));
	far[root] = 0;
	queue[0] = root;
	for (uint32_t i = 0; i < n; i++) {
		at[far[queue[i]]]++;
		for (uint32_t e = g->first[queue[i]]; e < g->first[queue[i] + 1]; e++) {
			if (far[g->to[e]] != UINT32_MAX)
				continue;
			far[g->to[e]] = far[queue[i]] + 1;
			queue[n++] = g->to[e];
		}
	}
}

static bool measure_distances(struct arena *a, const struct graph *g, struct distances *out)
{
	uint32_t *queue = arena_array(a, g->n, sizeof(*queue));
	uint32_t *far = arena_array(a, g->n, sizeof(*far));

	out->roots = g->n < ROOTS_MAX ? g->n : ROOTS_MAX;
	out->at = arena_array(a, (size_t)out->roots * g->n, sizeof(*out->at));
	if (!queue || !far || !out->at)
		return false;
	for (uint32_t i = 0; i < out->roots; i++)
		measure_from(g, (uint32_t)((uint64_t)i * g->n / out->roots),
		             out->at + (size_t)i * g->n, queue, far);
	return true;
}

/* Another dimension: each distance so far, and one along a cycle of that size. */
static void add_dimension(struct torus *t, uint32_t n, uint32_t size)
{
	memset(t->scratch, 0, n * sizeof(*t->scratch));
	for (uint32_t d = 0; d < n; d++)
		for (uint32_t step = 0; t->at[d] && step <= size / 2; step++)
			t->scratch[d + step] += t->at[d] * (step == 0 || 2 * step == size ? 1 : 2);
	memcpy(t->at, t->scratch, n * sizeof(*t->at));
}

/*
 * Is a quarter of the switches as far from the others as in this torus?  A missing cable shows
 * only from the switches in its row.
 */
static bool fits_torus(struct torus *t, const struct distances *found)
{
	uint32_t n = found->g->n, fit = 0;

	memset(t->at, 0, n * sizeof(*t->at));
	t->at[0] = 1;
	for (unsigned int i = 0; i < t->dims; i++)
		add_dimension(t, n, t->size[i]);
	for (uint32_t r = 0; r < found->roots; r++) {
		uint32_t off = 0;

		for (uint32_t d = 0; d < n; d++)
			off += (uint32_t)abs((int)found->at[(size_t)r * n + d] - (int)t->at[d]);
		fit += off <= n / 20;
	}
	return fit * 4 >= found->roots;
}

/* Tries all ways to factor what is left, with factors that do not rise; @edges: of a switch. */
static bool factor_torus(struct torus *t, const struct distances *found, uint32_t left,
                         uint32_t edges)
{
	uint32_t most = t->dims && t->size[t->dims - 1] < left ? t->size[t->dims - 1] : left;

	if (left == 1)
		return edges == 0 && fits_torus(t, found);
	for (uint32_t size = most; t->dims < DIMS_MAX && edges && size > 1; size--) {
		uint32_t adds = size == 2 ? 1 : 2;

		if (left % size || adds > edges)
			continue;
		t->size[t->dims++] = size;
		if (factor_torus(t, found, left / size, edges - adds))
			return true;
		t->dims--;
	}
	return false;
}

/* Cycles of 4 are two dimensions of a hypercube. */
static const char *torus_words(struct arena *a, const struct torus *t, uint32_t n, uint32_t edges)
{
	char sizes[DIMS_MAX * 12];
	size_t length = 0;

	if (n == 1u << edges)
		return arena_printf(a, "%u switches in a hypercube of %u dimensions", n, edges);
	for (unsigned int i = 0; i < t->dims; i++)
		length += (size_t)snprintf(sizes + length, sizeof(sizes) - length, "%s%u",
		                           i ? "x" : "", t->size[i]);
	return arena_printf(a, "%u switches in a torus of %s", n, sizes);
}

/* NULL, and true: it is none. */
static bool test_torus(struct arena *a, const struct graph *g, const char **why)
{
	struct distances found = { .g = g };
	struct torus t = { .dims = 0 };
	uint32_t usual = usual_degree(g);

	if (usual < 3 || !is_nearly_whole(g, usual))
		return true;
	t.at = arena_array(a, g->n, sizeof(*t.at));
	t.scratch = arena_array(a, (size_t)g->n * 2, sizeof(*t.scratch));
	if (!t.at || !t.scratch || !measure_distances(a, g, &found))
		return false;
	if (!factor_torus(&t, &found, g->n, usual))
		return true;
	*why = torus_words(a, &t, g->n, usual);
	return *why;
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
			links += are_joined(g, list[i], list[j]);
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

/* What hangs together by cables between different ranks. */
static bool find_pods(struct arena *a, const struct graph *g, struct groups *groups)
{
	uint32_t *queue = arena_array(a, g->n, sizeof(*queue));

	for (uint32_t v = 0; queue && v < g->n; v++) {
		uint32_t n = 1;

		if (groups->of[v] != NO_GROUP)
			continue;
		queue[0] = v;
		groups->of[v] = groups->n;
		for (uint32_t i = 0; i < n; i++) {
			uint32_t at = queue[i];

			groups->size[groups->n]++;
			for (uint32_t e = g->first[at]; e < g->first[at + 1]; e++) {
				uint32_t to = g->to[e];

				if (g->rank[to] == g->rank[at] || groups->of[to] != NO_GROUP)
					continue;
				groups->of[to] = groups->n;
				queue[n++] = to;
			}
		}
		groups->n++;
	}
	return queue;
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
		                 .size = arena_array(a, (size_t)g->n + 1, sizeof(*groups.size)) };
	uint32_t size, pairs;
	uint8_t *seen;

	if (!groups.of || !groups.size)
		return false;
	memset(groups.of, 0xff, g->n * sizeof(*groups.of));
	if (!(ranked ? find_pods : find_cliques)(a, g, &groups))
		return false;
	size = usual_size(g, &groups);
	if (size < GROUP_MIN || groups.n < GROUP_MIN)
		return true;
	seen = arena_array(a, (size_t)groups.n * groups.n, 1);
	if (!seen)
		return false;
	pairs = joined_groups(g, &groups, seen);
	if (pairs * 100ull < pairs_of(groups.n) * MESH_PERCENT)
		return true;
	*why = arena_printf(a, "%u groups of %u switches%s, %u of %llu pairs of groups joined",
	                    groups.n, size, ranked ? " in two tiers" : "", pairs,
	                    (unsigned long long)pairs_of(groups.n));
	return *why;
}

/* ---- all of them ------------------------------------------------------------------------ */

static bool has_ranks(const struct graph *g)
{
	for (uint32_t v = 1; v < g->n; v++)
		if (g->rank[v] != g->rank[0])
			return true;
	return false;
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
	if (!test_torus(a, g, &why) || why)
		return why;
	*family = IBC_FAMILY_DRAGONFLY;
	if (!test_dragonfly(a, g, has_ranks(g), &why) || why)
		return why;
	*family = IBC_FAMILY_NONE;
	return arena_printf(a, "%u switches that form no known tree, torus, dragonfly or mesh",
	                    g->n);
}
