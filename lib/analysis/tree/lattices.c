/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tori and HyperX: products of rings, and of full meshes.  Every way to factor the number of
 * switches into sizes that make their degree is held against the graph, and the one that fits
 * best is taken: three cables exchanged change no degree, but distances, so no single measure
 * has to be right.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tree/shapes.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"

/* why each: doc/wiring.md, table 5, part A */
#define DIMS_MAX    12   /* of a torus; a hypercube of 4,096 switches */
#define ROOTS_MAX   64   /* switches whose distances are looked at */
#define SQUARES_MIN 0.33 /* of the rings of four that a torus or HyperX has */
#define SQUARES_MAX 1.5  /* and of those that cables gone astray make */
#define OFF_MAX     0.4  /* switches that are not as far as in it, from any of the roots */

#define EXACT (1 + OFF_MAX) /* the best score there is */

/* ---- tori and HyperX ------------------------------------------------------------------ */

/*
 * struct lattice - a way to factor a number of switches, and what distances it makes
 * @complete: each line of switches is a full mesh (HyperX), not a ring (torus)
 * @n: switches: those there are, or a few more
 * @at: how many switches are so far from any of them
 * @far: the farthest, beyond which it is 0
 * @score: how well it fits: EXACT at most
 */
struct lattice {
	bool complete;
	uint32_t n, size[DIMS_MAX];
	unsigned int dims;
	uint32_t *at, *scratch, far;
	double score;
};

/*
 * struct measured - a graph as it is, seen from some of its switches
 * @at: how many switches are so far from a root: n for each
 * @far: the farthest from any root, beyond which it is 0
 * @ego: by root: the sizes of the parts its neighbours fall into without it, as a sum of hashes
 * @squares: rings of four, over all switches
 */
struct measured {
	const struct graph *g;
	uint32_t *at, far;
	uint64_t ego[ROOTS_MAX], squares;
	uint32_t roots;
};

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

/* How far the farthest is. */
static uint32_t measure_from(const struct graph *g, uint32_t root, uint32_t *at, uint32_t *queue,
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
	return far[queue[n - 1]];
}

/* @queue: room for its neighbours, of which those that were reached are moved to the front. */
static uint64_t ego_of(const struct graph *g, uint32_t root, uint32_t *queue)
{
	uint32_t all = graph_degree(g, root), n = 0;
	uint64_t sum = 0;

	memcpy(queue, &g->to[g->first[root]], all * sizeof(*queue));
	while (n < all) {
		uint32_t start = n++;

		for (uint32_t i = start; i < n; i++)
			for (uint32_t k = n; k < all; k++)
				if (graph_joined(g, queue[i], queue[k])) {
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

static void measure(struct arena *a, const struct graph *g, struct measured *out)
{
	uint32_t *queue = arena_array(a, g->n, sizeof(*queue));
	uint32_t *far = arena_array(a, g->n, sizeof(*far));

	out->roots = g->n < ROOTS_MAX ? g->n : ROOTS_MAX;
	out->at = arena_array(a, (size_t)out->roots * g->n, sizeof(*out->at));
	for (uint32_t i = 0; i < out->roots; i++) {
		uint32_t root = (uint32_t)((uint64_t)i * g->n / out->roots);
		uint32_t most = measure_from(g, root, out->at + (size_t)i * g->n, queue, far);

		out->far = most > out->far ? most : out->far;
		out->ego[i] = ego_of(g, root, queue);
	}
	out->squares = count_squares(g, queue);
}

/* Switches that are one step off along a line: of a ring those at two sides, else all of it. */
static uint32_t neighbours_along(const struct lattice *l, uint32_t size)
{
	return l->complete || size < 3 ? size - 1 : 2;
}

/*
 * The distances in it: half of the switches at most, which is less than there are.  Each
 * dimension adds to each distance so far one along a line of its size.
 */
static void expect_distances(struct lattice *l)
{
	l->far = 0;
	l->at[0] = 1;
	for (unsigned int i = 0; i < l->dims; i++) {
		uint32_t size = l->size[i], most = l->complete ? 1 : size / 2;
		uint32_t near = neighbours_along(l, size);

		memset(l->scratch, 0, (l->far + most + 1) * sizeof(*l->scratch));
		for (uint32_t d = 0; d <= l->far; d++) {
			for (uint32_t step = 1; step <= most; step++)
				l->scratch[d + step] += l->at[d] * (2 * step == size ? 1 : near);
			l->scratch[d] += l->at[d];
		}
		l->far += most;
		memcpy(l->at, l->scratch, (l->far + 1) * sizeof(*l->at));
	}
}

/*
 * How well it fits: by the switches whose neighbours fall into such parts, less the switches
 * that are nearer or farther than they should be.
 */
static double score_lattice(struct lattice *l, const struct measured *found)
{
	uint32_t n = found->g->n, alike = 0, far;
	double squares = 0, edges = 0; /* per switch, of the dimensions before */
	uint64_t off = 0, ego = 0;

	/* what struct measured counts: of lines each alone, and of each two of them */
	for (unsigned int i = 0; i < l->dims; i++) {
		uint32_t size = l->size[i], near = neighbours_along(l, size);
		double within = l->complete ? 3.0 * graph_pairs(size - 1) * (size - 3.0) / 12
		                            : (size == 4) / 4.0;
		bool apart = !l->complete && size > 3;

		ego += apart ? near * hash_mix(1) : hash_mix(near);
		squares += l->n * (within + edges * near / 2);
		edges += near / 2.0;
	}
	if (found->squares < squares * SQUARES_MIN || found->squares > squares * SQUARES_MAX)
		return 0;
	for (uint32_t r = 0; r < found->roots; r++)
		alike += found->ego[r] == ego;
	if (alike * 10 < found->roots)
		return 0;
	memset(l->at, 0, (found->far + 1u) * sizeof(*l->at));
	expect_distances(l);
	far = l->far > found->far ? l->far : found->far;
	for (uint32_t r = 0; r < found->roots && off <= OFF_MAX * found->roots * n; r++)
		for (uint32_t d = 0; d <= far; d++)
			off += (uint32_t)abs((int)found->at[(size_t)r * n + d] - (int)l->at[d]);
	if (off > OFF_MAX * found->roots * n)
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
	for (uint32_t size = most; l->dims < DIMS_MAX && edges && size > 1 && best->score < EXACT;
	     size--) {
		uint32_t adds = neighbours_along(l, size);

		if (adds > edges || left % size)
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
 * large ones.
 */
const char *lattice_of(struct arena *a, const struct graph *g, enum ibc_family *family)
{
	uint32_t room = g->n + g->n / 20 + 2, usual = 0, *count;
	struct measured found = { .g = g };
	struct lattice best = { .score = 0 }, l = {
		.at = arena_array(a, (size_t)room, sizeof(*l.at)),
		.scratch = arena_array(a, (size_t)room * 2, sizeof(*l.scratch)),
	};

	count = l.scratch; /* by degree */
	for (uint32_t v = 0; v < g->n; v++)
		count[graph_degree(g, v)]++;
	for (uint32_t d = 1; d < g->n; d++)
		if (count[d] >= count[usual])
			usual = d;
	if (count[usual] * 2 < g->n || usual < 3 || !is_nearly_whole(g, usual, room - 1 - g->n))
		return NULL;
	measure(a, g, &found);
	for (l.n = g->n; l.n < room && best.score < EXACT; l.n++)
		for (int complete = 0; complete < 2; complete++) {
			l.complete = complete;
			if (is_nearly_whole(g, usual, l.n - g->n))
				factor_lattice(&l, &found, l.n, usual, &best);
		}
	if (!best.dims)
		return NULL;
	*family = best.complete ? IBC_FAMILY_HYPERX : IBC_FAMILY_TORUS;
	return lattice_words(a, &best, g->n, usual);
}
