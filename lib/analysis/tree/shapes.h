/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Networks that are no trees, found by which switches are neighbours; one or two cables may be
 * missing, and more where there are many.
 *
 * A torus (rings, hypercubes) and a HyperX are known by their degree and from how many
 * switches are how far from each other: every way to factor their number is held against the
 * distances from up to 64 of them, and that of a HyperX against how many neighbours of a
 * switch are neighbours.  A full mesh from its density.  A dragonfly from its groups:
 * near-cliques (or leaves with their spines: dragonfly+), nearly all pairs of which are joined
 * directly.  A dragonfly of groups that are joined at every switch is a HyperX, and named so.
 *
 * Cost: 64 times the cables, 64 times the diameter for each way to factor, none after one that fits
 * exactly, and for cliques and squares the sum of squared degrees.
 *
 * Distances of a product of graphs are the convolution of those of its factors.  Dragonfly:
 * Kim, Dally, Scott, Abts, ISCA 2008; dragonfly+: Shpiner et al., HiPINEB 2017; HyperX: Ahn et
 * al., SC 2009.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <ibcheck/fattree.h>

#include "base/array.h"

struct arena;

/*
 * struct graph - switches that hang together; parallel cables are one edge
 * @to: neighbours of v, rising: to[first[v]] .. to[first[v + 1] - 1]
 * @rank: by vertex, where ranks are known; one value for all where they are not
 */
struct graph {
	uint32_t n;
	const uint32_t *first, *to;
	const uint8_t *rank;
};

static inline uint32_t graph_degree(const struct graph *g, uint32_t v)
{
	return g->first[v + 1] - g->first[v];
}

static inline bool graph_joined(const struct graph *g, uint32_t v, uint32_t u)
{
	return bsearch(&u, &g->to[g->first[v]], graph_degree(g, v), sizeof(*g->to), by_u32);
}

static inline uint64_t graph_pairs(uint64_t n)
{
	return n * (n - 1) / 2;
}

/* lattices.c: is it a torus or a HyperX?  Then its family and why, a few words from a; else NULL.
 */
const char *lattice_of(struct arena *a, const struct graph *g, enum ibc_family *family);

/*
 * shapes.c: is it a dragonfly+, most of whose cables are those of trees of two levels side by side?
 * NULL if not.
 */
const char *shape_above_tree(struct arena *a, const struct graph *g, enum ibc_family *family);

/* The family, IBC_FAMILY_NONE if it is none of these, and why: a few words, from a. */
const char *shape_of(struct arena *a, const struct graph *g, enum ibc_family *family);
