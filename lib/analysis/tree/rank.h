/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Ranks of switches, from the leaves (0) up.  Switches with the same neighbours form
 * clusters, and a cluster has one rank: an empty leaf follows its siblings, a spine with a
 * host follows the other spines.  Leaves are the clusters most members of which have hosts;
 * from there it goes up level by level.  O(sum of squared degrees).
 */
#include "analysis/tree/switches.h"

struct arena;
struct ibc_trace;

#define RANK_NONE UINT8_MAX
#define RANKS_MAX 8 /* the deepest tree that OpenSM's ftree engine takes */

/* Is a switch of the rank above another's? */
static inline bool rank_is_next(const uint8_t *rank, uint32_t lower, uint32_t upper)
{
	return rank[lower] != RANK_NONE && rank[upper] == rank[lower] + 1;
}

/*
 * rank[switch number] becomes its rank, or RANK_NONE for what hangs beside the tree; tmp has an
 * escape.
 */
void ranks_find(struct arena *tmp, const struct switches *sw, const struct ibc_trace *trace,
                uint8_t *rank);
