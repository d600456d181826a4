/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Which switches have the same neighbours, and sets of those that do.  Pairs are found
 * through what they share, never among all: measuring all switches takes O(sum of squared
 * degrees).
 */
#include "analysis/tree/switches.h"

/*
 * struct overlap - how many cables a switch has like others
 * @with: by switch: sum over common neighbours of the fewer cables; 0 but for @others
 */
struct overlap {
	uint32_t *with, *others;
	uint32_t n;
};

/* Which neighbours count, of these ranks only, if ranks are given; others from first on. */
struct overlap_over {
	const uint8_t *rank;
	uint8_t via, with;
	uint32_t first;
};

/* From the arena, which has an escape. */
void overlap_new(struct arena *a, uint32_t switches, struct overlap *out);
/* Forgets the last measurement and measures s against others; over == NULL: against all. */
void overlap_measure(const struct switches *sw, uint32_t s, const struct overlap_over *over,
                     struct overlap *o);

/* Disjoint sets; a set is called by its lowest member. */
struct sets {
	uint32_t *parent;
};

/* False: out of memory. */
bool sets_new(struct arena *a, uint32_t n, struct sets *out);
uint32_t set_of(const struct sets *sets, uint32_t member);
void sets_join(const struct sets *sets, uint32_t x, uint32_t y);
/* Switches with any path between them; from an arena with an escape. */
void sets_of_paths(struct arena *a, const struct switches *sw, struct sets *out);

/* Cables of a switch to others; of those to a rank only, if ranks are given. */
uint32_t count_cables(const struct switches *sw, uint32_t s, const uint8_t *rank, uint8_t to);
