/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ANALYSIS_SHAPES_H
#define ANALYSIS_SHAPES_H

/*
 * Networks that are no trees, told from who neighbours whom; one or two cables may be
 * missing, and more where there are many.
 *
 * A torus (rings, hypercubes) is told from its degree and from how many switches are how
 * far from each other: every way to factor their number is held against the distances
 * from up to 64 of them.  A full mesh from its density.  A dragonfly from its groups:
 * near-cliques (or, where ranks are known, leaves with their spines: dragonfly+), nearly
 * all pairs of which are joined directly.
 *
 * Cost: 64 times the cables, and for cliques the sum of squared degrees.
 *
 * Distances of a product of cycles are the convolution of those of its cycles.  Dragonfly:
 * Kim, Dally, Scott, Abts, ISCA 2008; dragonfly+: Shpiner et al., HiPINEB 2017.
 */
#include <stdint.h>

#include <ibcheck/fattree.h>

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

/*
 * Tells the family, IBC_FAMILY_NONE if it is none of these, and why: a few words, from
 * a; NULL: out of memory.
 */
const char *shape_of(struct arena *a, const struct graph *g, enum ibc_family *family);

#endif
