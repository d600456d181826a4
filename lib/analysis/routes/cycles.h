/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Sets of channels that can all wait for each other, and a shortest ring in each.
 *
 * Strongly connected components (Tarjan, SIAM J. Comput. 1972), without recursion, O(channels
 * + dependencies), of what can be reached from where a route comes down, or stays, and does not
 * go on down: a ring does so somewhere.  The ring by a breadth-first search from every channel
 * of the component, never deeper than a limit that grows until there is one, and then than the
 * shortest so far; where a component is so large that this takes more than RING_EFFORT
 * dependencies, it is the shortest of those that were found till then.
 */
#include "analysis/routes/channels.h"

struct arena;

/* struct ring - in its order, from the lowest; members: channels of the whole component */
struct ring {
	uint32_t *channels;
	size_t num, members;
};

/*
 * Rings by their lowest channel, of components none of whose channels is in @reported, which
 * those found are added to; their number.  All from a, which has an escape.
 */
size_t cycles_find(const struct channels *ch, uint8_t *reported, struct arena *a,
                   struct ring **rings);
