/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Would OpenSM's ftree routing engine accept this fabric?  Without a file of roots it
 * demands a pure tree, and takes another engine where it is none, with a line in its log.
 *
 * It ranks switches by their distance from those with adapters, takes those farthest away
 * for roots, and ranks all again from there.  Then all adapters must be on the last rank,
 * which is no more than the eighth, two leaves at least must have some, and on each rank
 * all switches must have the same number of neighbours above and below (adapters do not
 * count), and the same number of cables to each.  Adapters are all that say so, reduction
 * engines inside of switches too.  Whoever deviates from most of its rank is named here,
 * while opensm names the first that it meets.
 *
 * It does not look at all cables of the switch that it compares with: what it would accept
 * by that chance is an obstacle here.  LMC above 0 it refuses too.
 *
 * O(cables).  Read from OpenSM 3.3.23, osm_ucast_ftree.c.
 */
#include "analysis/tree/wiring.h"

enum ftree_kind {
	FTREE_LMC,         /* @port has several LIDs */
	FTREE_CA_TO_CA,    /* @port: two adapters cabled to each other */
	FTREE_ONE_RANK,    /* every switch has adapters */
	FTREE_TOO_DEEP,    /* @has ranks */
	FTREE_HOST_ABOVE,  /* @port of a switch, with an adapter, not on the rank of leaves */
	FTREE_FEW_LEAVES,  /* @has leaves with adapters */
	FTREE_UP_GROUPS,   /* @node has @has neighbours above, the others of its rank @usual */
	FTREE_DOWN_GROUPS, /* below */
	FTREE_UP_PORTS,    /* to the switch at @port it has @has cables up, others have @usual */
	FTREE_DOWN_PORTS,  /* down */
};

/* struct ftree_obstacle - why it would not; @subnet is the subnet */
struct ftree_obstacle {
	enum ftree_kind kind;
	const struct ibc_subnet *subnet;
	const struct ibc_node *node;
	const struct ibc_port *port;
	unsigned int has, usual;
};

/*
 * All obstacles of the subnets that form trees, or of @any, by subnet, then kind, then node; how
 * many.  Allocated from a, which has an escape.
 */
size_t ftree_predict(struct arena *a, const struct ibc_fattree *tree, bool any,
                     struct ftree_obstacle **out);
