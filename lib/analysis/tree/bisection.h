/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Cuts of a tree that divide its hosts in two halves, and what they can carry.
 *
 * A cut of a tier leaves whole what hangs together below it (leaves; pods) and above it
 * (spines; cores; planes of both), and only one of those below is divided where the half
 * of the hosts is reached.  Every switch is on one side, and the capacity of the cut is
 * the sum of all cables between the sides, as fast as they run: an exact bound of what
 * the two halves can exchange, one direction.  What is above a tier stands on the side
 * that makes the cut narrower, which for given halves is the narrowest there is of such.
 * Which halves are the worst is a hard question in general.  Here those poorest in cables
 * upward per host are one half, and then those that deviate change sides as long as it
 * helps: exact where all others are alike, else the cut is still one, if not the narrowest.
 *
 * O(cables), for each tier; deviating ones with each other, up to 64 of them.
 */
#include "analysis/tree/overlap.h"
#include "analysis/tree/wiring.h"

/*
 * struct change - what repairing takes or gives between two switches
 * @upper: from switches.n on: one that is not there
 * @gbps: negative: of a cable that is where it should not be
 * @cables: 1, or -1; 0 of one that only becomes faster
 */
struct change {
	uint32_t lower, upper;
	double gbps;
	int cables;
};

/*
 * struct capacities - what the cables carry
 * @pair: by pair of tree->switches, Gb/s, each direction
 * @host: by switch: all cables to hosts
 * @tree_of: by switch: equal for those of one tree
 * @absent: how many switches there are in @changes that are not there
 */
struct capacities {
	const struct ibc_fattree *tree;
	double *pair, *host;
	uint32_t *tree_of;
	const struct change *changes;
	size_t num_changes;
	uint32_t absent;
};

/*
 * What hangs together by the groups of all tiers but that above a rank; RANK_NONE: of all
 * tiers.  n: switches, with those that are not there.  a has an escape, as all arenas here.
 */
void groups_join(struct arena *a, const struct wiring_groups *groups, unsigned int but_rank,
                 uint32_t n, struct sets *out);

/* struct cut - of one tree at a tier; @part of @parts leaves or pods are wholly on one side */
struct cut {
	double now_gbps, intended_gbps;
	uint32_t part, parts;
};

/*
 * The narrowest cut found above a rank, of the tree that these switches form.
 * False: there is nothing to cut.
 */
bool bisection_cut(struct arena *tmp, const struct capacities *cap, const uint32_t *members,
                   uint32_t num_members, unsigned int rank, struct cut *out);
