/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ANALYSIS_MATCH_H
#define ANALYSIS_MATCH_H

/*
 * Which planned node is which found one.  By GUID where the plan has them; by name where
 * it is unique on both sides (the name, the description, the host with the HCA's index);
 * by the ports of neighbours that are matched already; by colours refined from the
 * matched ones; last by the overlap of their cables inside what is left of a class.
 *
 * Then whole devices that stand in each other's place are told from their cables: two
 * (or three) matched nodes that each have most of the other's planned neighbours.
 *
 * Cost: near-linear in cables; no step looks at all pairs of nodes.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/fabric.h>

struct arena;

enum match_how {
	MATCH_NOT, /* nobody */
	MATCH_GUID,
	MATCH_NAME,
	MATCH_PLACE,   /* the cables of its neighbours lead there */
	MATCH_ASSUMED, /* one of several alike */
};

#define MATCH_NOBODY UINT32_MAX

/*
 * struct match - the mapping; nodes by their number in ibc_fabric_node()
 * @found_of: by planned node: the found one, or MATCH_NOBODY
 * @planned_of: by found node: the planned one, or MATCH_NOBODY
 * @how: by planned node
 * @unclear: by planned node: its name fits several found nodes (or theirs several planned)
 * @exchanged: by planned node: the planned node it changed places with (of three: the next
 *	       one), or MATCH_NOBODY.  The mapping is by place: @found_of of an exchanged
 *	       node is the device that stands where it was planned, under another's name
 */
struct match {
	const struct ibc_fabric *planned, *found;
	size_t num_planned, num_found;
	uint32_t *found_of, *planned_of, *exchanged;
	uint8_t *how; /* enum match_how */
	bool *unclear;
};

/* Everything is allocated from a.  False: out of memory. */
bool match_nodes(struct arena *a, const struct ibc_fabric *planned, const struct ibc_fabric *found,
                 struct match *out);

#endif
