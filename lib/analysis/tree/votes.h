/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ANALYSIS_VOTES_H
#define ANALYSIS_VOTES_H

/*
 * Which port goes where, by majority: the upper switch that the lower switches of a group
 * reach through each of their ports, and the lower switch that the upper ones do.  The two
 * sides vote apart: random ports on leaves with ordered ones on spines are common.
 *
 * Where a group has too few switches for a majority, those of its shape vote together, for
 * what they have in common: two cores of one place tell nothing, all cores tell which port
 * goes to which pod.  O(cables).
 */
#include "analysis/tree/wiring.h"

#define VOTE_PORTS 256             /* a port number is a byte */
#define VOTE_SPLIT (NO_SWITCH - 1) /* most have a cable there, and do not agree where to */

/*
 * struct votes - of a group
 * @up: by port of a lower switch: the upper switch, VOTE_SPLIT, or NO_SWITCH
 * @down: by port of an upper switch: the lower switch, VOTE_SPLIT, or NO_SWITCH
 * @names_lower, @names_upper: so many keep to it that it names jacks of lower, of upper
 *			       switches; a side that does not has no votes
 * @detects: so many keep to it on both sides that a cable which does on neither is in the
 *	     wrong place
 */
struct votes {
	uint32_t up[VOTE_PORTS], down[VOTE_PORTS];
	bool names_lower, names_upper, detects;
};

/* Is it a switch that was elected? */
static inline bool vote_is_decided(uint32_t elected)
{
	return elected != NO_SWITCH && elected != VOTE_SPLIT;
}

/*
 * votes[group] become those of each group that is judged, allocated from tree->tmp; NULL of
 * others.  False: out of memory.
 */
bool votes_count(const struct ibc_fattree *tree, struct votes **votes);

#endif
