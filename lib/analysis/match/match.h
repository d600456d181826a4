/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Which planned node is which found one, in this order:
 *  - by GUID where the plan has them, then by name: the name, the description, spellings
 *    of it (base/nodename.h), where it is unique on both sides;
 *  - devices that stand in each other's place, as their cables show (match_exchange.c);
 *  - by place: where the ports of known neighbours lead (match_place.c);
 *  - what some rows of a plan call by another name than the rest (match_aliases.c);
 *  - parts of the fabric where nothing is known: by shape (match_shapes.c).
 *
 * Cost: near-linear in cables, and sorting; no step looks at all pairs of nodes.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/fabric.h>

struct arena;
struct ibc_trace;

enum match_how {
	MATCH_NOT, /* no counterpart */
	MATCH_GUID,
	MATCH_NAME,
	MATCH_PLACE,   /* the cables of its neighbours lead there, whatever it is called */
	MATCH_ASSUMED, /* one of several alike, or what is left with half of its cables */
	MATCH_ALIAS,   /* another name of a planned node that is matched */
};

#define MATCH_NONE UINT32_MAX

/*
 * struct match - the mapping; nodes by their number in ibc_fabric_node()
 * @found_of: by planned node: the found one, or MATCH_NONE
 * @planned_of: by found node: the planned one, or MATCH_NONE
 * @how: by planned node
 * @unclear: by planned node: its name or GUID fits several found nodes (or theirs several
 *	     planned), and nothing else shows which
 * @exchanged: by planned node: the planned node it changed places with (of more than two:
 *	       the next one, round to the first), or MATCH_NONE.  The mapping is by place:
 *	       @found_of of an exchanged node is the device that stands where it was
 *	       planned, which GUID or name say is the next one, and @how is MATCH_PLACE.
 * @also: by planned node: the next one that is the same found node, by another name, or
 *	  MATCH_NONE; the list begins at @planned_of of that node, the others are MATCH_ALIAS
 *
 * A device of which GUID or name say that it is another planned one, while that one's place
 * is taken by an unknown device, is matched by place too: MATCH_PLACE without @exchanged.
 */
struct match {
	const struct ibc_fabric *planned, *found;
	size_t num_planned, num_found;
	uint32_t *found_of, *planned_of, *exchanged, *also;
	uint8_t *how; /* enum match_how */
	bool *unclear;
};

/* Everything is allocated from a.  False: out of memory. */
bool match_nodes(struct arena *a, const struct ibc_fabric *planned, const struct ibc_fabric *found,
                 const struct ibc_trace *trace, struct match *out);
