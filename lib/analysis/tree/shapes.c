/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/tree/shapes.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"

#define DIMS_MAX       12   /* of a torus; a hypercube of 4,096 switches */
#define ROOTS_MAX      64   /* switches whose distances are looked at */
#define SQUARES_MIN    0.33 /* of the rings of four that a torus or HyperX has */
#define SQUARES_MAX    1.5
#define OFF_MAX        0.4 /* switches that are not as far as in it, from any of the roots */
#define MESH_PERCENT   80  /* of all pairs are joined in a mesh, of the groups of a dragonfly */
#define CLIQUE_PERCENT 60  /* of a group a member of it is joined to */
#define GROUP_MIN      3   /* switches in a group, and groups */
#define NO_GROUP       UINT32_MAX

static uint32_t degree(const struct graph *g, uint32_t v)
{
	return g->first[v + 1] - g->first[v];
}

static bool are_joined(const struct graph *g, uint32_t v, uint32_t u)
{
	return bsearch(&u, &g->to[g->first[v]], degree(g, v), sizeof(*g->to), by_u32);
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

/* ---- tori and HyperX ------------------------------------------------------------------ */

/*
 * struct lattice - a way to factor a number of switches, and what distances it makes
 * @complete: each line of switches is a full mesh (HyperX), not a ring (torus)
 * @n: switches: those there are, or a few more
 * @at: how many switches are so far from any of them
 * @score: how well it fits: 1 exactly
 */
struct lattice {
	bool complete;
	uint32_t n, size[DIMS_MAX];
	unsigned int dims;
	uint32_t *at, *scratch;
	double score;
};

/*
 * struct measured - a graph as it is, seen from some of its switches
 * @at: how many switches are so far from a root: n for each
 * @ego: by root: the sizes of the parts its neighbours fall into without it, as a sum of hashes
 * @squares: rings of four, over all switches
 */
struct measured {
	const struct graph *g;
	uint32_t *at;
	uint64_t ego[ROOTS_MAX], squares;
	uint32_t roots;
};

/* Degree of most, at least half of the switches; else 0.  @count: by degree, zero. */
static uint32_t usual_degree(const struct graph *g, uint32_t *count)
{
	uint32_t usual = 0;

	for (uint32_t v = 0; v < g->n; v++)
		count[degree(g, v)]++;
	for (uint32_t d = 1; d < g->n; d++)
		if (count[d] >= count[usual])
			usual = d;
	return count[usual] * 2 >= g->n ? usual : 0;
}

/*
 * Are no more than three cables of small ones missing, or too many, and one in twenty of large
 * ones, but for those to @lost switches?
 */
static bool is_nearly_whole(const struct graph *g, uint32_t usual, uint32_t lost)
{
	uint64_t whole = (uint64_t)g->n * usual, have = g->first[g->n];
	uint64_t off = whole > have ? whole - have : have - whole;

	return off <= 6 + (uint64_t)lost * usual || off * 20 <= whole;
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

/* @queue: room for its neighbours, of which those that were reached are moved to the front. */
static uint64_t ego_of(const struct graph *g, uint32_t root, uint32_t *queue)
{
	uint32_t all = degree(g, root), n = 0;
	uint64_t sum = 0;

	memcpy(queue, &g->to[g->first[root]], all * sizeof(*queue));
	while (n < all) {
		uint32_t start = n++;

		for (uint32_t i = start; i < n; i++)
			for (uint32_t k = n; k < all; k++)
				if (are_joined(g, queue[i], queue[k])) {
					uint32_t reached = queue[k];

					queue[k] = queue[n];
					queue[n++] = reached;
				}
		sum += hash_mix(n - start);
	}
	return sum;
}

/* Two switches with k neighbours in common are opposite in that many pairs of squares. */
static uint64_t count_squares(const struct graph *g, uint32_t *common)
{
	uint64_t twice = 0;

	memset(common, 0, g->n * sizeof(*common));
	for (uint32_t v = 0; v < g->n; v++)
		for (int pass = 0; pass < 2; pass++) /* counts, then forgets */
			for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
				uint32_t u = g->to[e];

				for (uint32_t f = g->first[u]; f < g->first[u + 1]; f++)
					if (g->to[f] >= v)
						continue;
					else if (pass == 0)
						twice += common[g->to[f]]++;
					else
						common[g->to[f]] = 0;
			}
	return twice / 2;
}

static bool measure(struct arena *a, const struct graph *g, struct measured *out)
{
	uint32_t *queue = arena_array(a, g->n, sizeof(*queue));
	uint32_t *far = arena_array(a, g->n, sizeof(*far));

	out->roots = g->n < ROOTS_MAX ? g->n : ROOTS_MAX;
	out->at = arena_array(a, (size_t)out->roots * g->n, sizeof(*out->at));
	if (!queue || !far || !out->at)
		return false;
	for (uint32_t i = 0; i < out->roots; i++) {
		uint32_t root = (uint32_t)((uint64_t)i * g->n / out->roots);

		measure_from(g, root, out->at + (size_t)i * g->n, queue, far);
		out->ego[i] = ego_of(g, root, queue);
	}
	out->squares = count_squares(g, queue);
	return true;
}

/* Switches that are one step off along a line: of a ring those at two sides, else all of it. */
static uint32_t neighbours_along(const struct lattice *l, uint32_t size)
{
	return l->complete || size < 3 ? size - 1 : 2;
}

/* Another dimension: each distance so far, and one along a line of that size. */
static void add_dimension(struct lattice *l, uint32_t size)
{
	uint32_t most = l->complete ? 1 : size / 2, near = neighbours_along(l, size);

	memset(l->scratch, 0, l->n * sizeof(*l->scratch));
	for (uint32_t d = 0; d < l->n; d++) {
		for (uint32_t step = 1; l->at[d] && step <= most; step++)
			l->scratch[d + step] += l->at[d] * (2 * step == size ? 1 : near);
		l->scratch[d] += l->at[d];
	}
	memcpy(l->at, l->scratch, l->n * sizeof(*l->at));
}

/* What struct measured counts, of the lattice: of lines each alone, and of each two of them. */
static void expect_of(const struct lattice *l, uint64_t *ego, double *squares)
{
	double edges = 0; /* per switch, of the dimensions before */

	*ego = 0;
	*squares = 0;
	for (unsigned int i = 0; i < l->dims; i++) {
		uint32_t size = l->size[i], near = neighbours_along(l, size);
		double within = l->complete ? 3.0 * pairs_of(size - 1) * (size - 3.0) / 12
		                            : (size == 4) / 4.0;
		bool apart = !l->complete && size > 3;

		*ego += apart ? near * hash_mix(1) : hash_mix(near);
		*squares += l->n * (within + edges * near / 2);
		edges += near / 2.0;
	}
}

/*
 * How well it fits: by the switches whose neighbours fall into such parts, less the switches
 * that are nearer or farther than they should be.
 */
static double score_lattice(struct lattice *l, const struct measured *found)
{
	uint32_t n = found->g->n, alike = 0;
	uint64_t off = 0, ego;
	double squares;

	expect_of(l, &ego, &squares);
	if (found->squares < squares * SQUARES_MIN || found->squares > squares * SQUARES_MAX)
		return 0;
	memset(l->at, 0, l->n * sizeof(*l->at));
	l->at[0] = 1;
	for (unsigned int i = 0; i < l->dims; i++)
		add_dimension(l, l->size[i]);
	for (uint32_t r = 0; r < found->roots; r++) {
		alike += found->ego[r] == ego;
		for (uint32_t d = 0; d < n; d++)
			off += (uint32_t)abs((int)found->at[(size_t)r * n + d] - (int)l->at[d]);
	}
	if (alike * 10 < found->roots || off > OFF_MAX * found->roots * n)
		return 0;
	return (double)alike / found->roots + OFF_MAX - (double)off / found->roots / n;
}

/* Tries all ways to factor what is left, with factors that do not rise; @edges: of a switch. */
static void factor_lattice(struct lattice *l, const struct measured *found, uint32_t left,
                           uint32_t edges, struct lattice *best)
{
	uint32_t most = l->dims && l->size[l->dims - 1] < left ? l->size[l->dims - 1] : left;

	if (left == 1 && edges == 0) {
		l->score = score_lattice(l, found);
		if (l->score > best->score)
			*best = *l;
	}
	for (uint32_t size = most; l->dims < DIMS_MAX && edges && size > 1; size--) {
		uint32_t adds = neighbours_along(l, size);

		if (left % size || adds > edges)
			continue;
		l->size[l->dims++] = size;
		factor_lattice(l, found, left / size, edges - adds, best);
		l->dims--;
	}
}

/* Cycles of 4 are two dimensions of a hypercube, and those of 3 are full meshes. */
static const char *lattice_words(struct arena *a, const struct lattice *l, uint32_t n,
                                 uint32_t edges)
{
	const char *name = l->complete ? "HyperX" : "torus";
	char sizes[DIMS_MAX * 12];
	size_t length = 0;

	for (unsigned int i = 0; i < l->dims; i++)
		length += (size_t)snprintf(sizes + length, sizeof(sizes) - length, "%s%u",
		                           i ? "x" : "", l->size[i]);
	if (n < l->n)
		return arena_printf(a, "%u switches, almost a %s of %s", n, name, sizes);
	if (!l->complete && edges < 32 && n == 1u << edges)
		return arena_printf(a,
		                    "%u switches in a hypercube of %u dimensions, or torus of %s",
		                    n, edges, sizes);
	if (!l->complete && l->size[0] == 3)
		return arena_printf(a, "%u switches in a torus or HyperX of %s, which are the same",
		                    n, sizes);
	return arena_printf(a, "%u switches in a %s of %s", n, name, sizes);
}

/*
 * With all switches there are, or a few that are missing: one of small ones, one in twenty of
 * large ones.  NULL, and true: it is none.
 */
static bool test_lattices(struct arena *a, const struct graph *g, enum ibc_family *family,
                          const char **why)
{
	uint32_t room = g->n + g->n / 20 + 2;
	struct measured found = { .g = g };
	struct lattice l = { .at = arena_array(a, (size_t)room, sizeof(*l.at)),
		             .scratch = arena_array(a, (size_t)room * 2, sizeof(*l.scratch)) };
	struct lattice best = { .score = 0 };
	uint32_t usual;

	if (!l.at || !l.scratch)
		return false;
	usual = usual_degree(g, l.scratch);
	if (usual < 3 || !is_nearly_whole(g, usual, room - 1 - g->n))
		return true;
	if (!measure(a, g, &found))
		return false;
	for (l.n = g->n; l.n < room; l.n++)
		for (int complete = 0; complete < 2; complete++) {
			l.complete = complete;
			if (is_nearly_whole(g, usual, l.n - g->n))
				factor_lattice(&l, &found, l.n, usual, &best);
		}
	if (!best.dims)
		return true;
	*family = best.complete ? IBC_FAMILY_HYPERX : IBC_FAMILY_TORUS;
	*why = lattice_words(a, &best, g->n, usual);
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
	uint32_t id = groups->n++, spines = degree(g, leaf);

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
	if (pairs * 100ull < pairs_of(groups.n) * MESH_PERCENT)
		return true;
	*why = arena_printf(
	    a, "a dragonfly%s of %u groups of %u switches%s, %u of %llu pairs of groups joined",
	    ranked ? "+" : "", groups.n, size, ranked ? " in two tiers" : "", pairs,
	    (unsigned long long)pairs_of(groups.n));
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
	if (!test_lattices(a, g, family, &why) || why)
		return why;
	*family = IBC_FAMILY_DRAGONFLY;
	if (!test_dragonfly(a, g, false, &why) || why)
		return why;
	*family = IBC_FAMILY_NONE;
	return arena_printf(
	    a, "%u switches that form no known tree, torus, HyperX, dragonfly or mesh", g->n);
}
