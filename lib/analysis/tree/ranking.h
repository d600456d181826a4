/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ANALYSIS_RANKING_H
#define ANALYSIS_RANKING_H

/* The insides of rank.c and leaves.c. */
#include "analysis/tree/overlap.h"

/*
 * struct cluster - switches with the same neighbours
 * @first, @size: of ranking.members
 * @strong: members with as many hosts as leaves have
 */
struct cluster {
	uint32_t first, size, strong, cables;
	uint64_t hosts;
	bool leaf;
};

/*
 * struct ranking - at work
 * @cables: of a switch, to others
 * @equal, @joined: switches with the same neighbours; with any way between them
 * @strong: by switch: it has as many hosts as leaves have
 * @members, @cluster_of: the switches by clusters; by switch: its cluster
 */
struct ranking {
	const struct switches *sw;
	uint8_t *rank;
	uint32_t *cables;
	struct overlap overlap;
	struct sets equal, joined;
	bool *strong;
	struct cluster *clusters;
	uint32_t n;
	uint32_t *members, *cluster_of;
};

/* Makes clusters, and tells which are of leaves.  False: out of memory. */
bool leaves_find(struct ranking *r, struct arena *tmp);

/*
 * Are three quarters of so many cables of s to switches that t has cables to, too?  After
 * overlap_measure() of s.
 */
bool shares_most(const struct ranking *r, uint32_t s, uint32_t t, uint32_t cables);

#endif
