/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The inside of a comparison, for the files compare*.c: first it is settled what becomes of every
 * planned node and cable, then what deviates becomes the deviations.  Nodes are numbers, as in
 * struct match; so are ports, by node.
 */
#include "analysis/compare/compare.h"
#include "analysis/compare/repair.h"
#include "fabric/fabric.h"

struct arena;

enum node_fate {
	NODE_FOUND,
	NODE_MISSING,
	NODE_UNCHECKED,
	NODE_UNCLEAR, /* its name fits several */
	NODE_INVALID, /* planned at a port that does not exist */
};

enum cable_fate {
	CABLE_NONE,
	CABLE_RIGHT,
	CABLE_ABSENT,
	CABLE_GONE,    /* with a missing node */
	CABLE_UNKNOWN, /* it could not be seen */
	CABLE_INVALID, /* the plan cannot be right there */
};

/*
 * struct side - one of the two fabrics
 * @first_port: by node: the number of its port 0
 * @root_of: by node that has no counterpart: the one that explains it, with all that can
 *	     only be reached through it
 */
struct side {
	const struct ibc_fabric *fab;
	uint32_t num_nodes, num_ports;
	const uint32_t *counterpart;
	uint32_t *first_port, *root_of;
};

/*
 * struct ibc_comparison - while it is made, and then
 * @depth, @node_fate: by planned node
 * @unclear: by planned node: it may be any of several found ones
 * @may_be: by found node: it may be such a one
 * @cable_fate: by planned port: of its cable
 * @right, @wanted, @in_segment: by found port: its cable is as planned; an absent cable
 *	    belongs there; its cable is one of @surplus
 * @no_hosts, @no_trunks: the plan is a list of cables that has none of hosts, none between
 *	    switches: such cables and devices are not its business
 * @chassis: system image GUIDs of the switches that were found as planned, sorted
 * @num_invalid: planned cables at ports that do not exist
 * @absent_of, @surplus_of: by id of a cable segment: a port of the planned, of the found fabric
 */
struct ibc_comparison {
	struct arena *arena;
	struct match match;
	struct side planned, found;
	struct ibc_comparison_counts counts;
	unsigned int *depth;
	bool *unclear, *may_be;
	uint8_t *node_fate, *cable_fate;
	bool *right, *wanted, *in_segment;
	bool no_hosts, no_trunks;
	uint64_t *chassis;
	size_t num_chassis;

	struct segment *absent, *surplus;
	const struct ibc_port **absent_of, **surplus_of;
	size_t num_absent, num_surplus, num_invalid;
	struct repair repair;

	struct deviation *deviations;
	size_t num_deviations, deviation_room;
	struct ibc_step *steps;
	size_t num_steps, step_room, num_faults;
	bool foreign; /* the plan is of another fabric: nothing else is compared */
};

static inline const struct ibc_node *side_node(const struct side *side, uint32_t i)
{
	return ibc_fabric_node(side->fab, i);
}

/* The number of a port of this side. */
static inline uint32_t side_port(const struct side *side, const struct ibc_port *port)
{
	return side->first_port[node_order(port->node)] + port->num;
}

/* A new one, valid until the next is asked for. */
struct deviation *comparison_add(struct ibc_comparison *cmp, enum deviation_kind kind);
/* A step of this deviation, numbered. */
struct ibc_step *comparison_add_step(struct ibc_comparison *cmp, struct deviation *d,
                                     enum ibc_action action);

/* ---- the steps, in this order; out of memory they leave by the escape of the arena ------ */

/* compare_fates.c: whose names fit several; what becomes of nodes without counterpart. */
void compare_unclear(struct ibc_comparison *cmp);
void compare_fates(struct ibc_comparison *cmp);
/* Of a planned port of a node that was found: what its jack is like. */
enum presence comparison_presence(const struct ibc_comparison *cmp, const struct ibc_port *planned);

/*
 * compare_cables.c: what becomes of cables; the cable segments.  In these, jacks of found nodes
 * have the numbers of those; behind them come the planned nodes that were not found, and
 * last the one number for all that is behind silent ports.
 */
void compare_cables(struct ibc_comparison *cmp);
struct ibc_place comparison_place(const struct ibc_comparison *cmp, struct jack jack);

static inline uint32_t jack_of_unread(const struct ibc_comparison *cmp)
{
	return cmp->found.num_nodes + cmp->planned.num_nodes;
}

/* The number of a planned node in jacks. */
uint32_t jack_node(const struct ibc_comparison *cmp, const struct ibc_node *planned);

/* compare_plan.c: where it is the plan that cannot be right. */
void compare_plan(struct ibc_comparison *cmp);
/*
 * compare_faults.c: how to mend the cable segments, moving what moves most easily; deviations of
 * cables.
 */
void compare_faults(struct ibc_comparison *cmp);
/* compare_nodes.c: of nodes. */
void compare_nodes(struct ibc_comparison *cmp);
/* Was the name of a found node that is no planned one not read? */
bool comparison_lacks_name(const struct ibc_comparison *cmp, const struct ibc_node *found);
/* An unexpected node all cables of which are to move elsewhere, or to go? */
bool comparison_is_in_the_way(const struct ibc_comparison *cmp, uint32_t found);
/* compare_names.c: who is there, and is another, or goes by another name. */
void compare_names(struct ibc_comparison *cmp);
/* compare_rates.c: what is slower than planned. */
void compare_rates(struct ibc_comparison *cmp);
/* Data rate of the cable at a port, as either end reports it; 0: not known. */
double comparison_gbps(const struct ibc_port *port);
/* compare_loss.c: what all that costs. */
void compare_loss(struct ibc_comparison *cmp);
