/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * What deviates from the plan: one deviation a fault, however many cables it touches.
 *
 * Nodes are matched first (match.h); all that follows is by place.  Planned nodes without
 * counterpart are missing if a port that should lead there is known to be down or to lead
 * elsewhere, and unchecked if no such port has an answer behind it; what
 * is only reached through them shares their fate.  Cables that missing or unexpected
 * nodes explain are part of theirs; the others that are absent, or there and not planned,
 * go through repair.h, and each of its components is a fault.
 *
 * Cost: near-linear in ports; what deviates is sorted.  The order is that of GUIDs, or of
 * names where a plan has no GUIDs.
 */
#include <ibcheck/topo.h>

#include "analysis/match/match.h"

enum deviation_kind {
	DEVIATION_MISSING_NODE,
	DEVIATION_UNEXPECTED_NODE,
	DEVIATION_REPLACED_NODE, /* same place, new GUID */
	DEVIATION_RENAMED_NODE,  /* same device (or the plan knows no GUID), other name */
	DEVIATION_TWO_NAMES,     /* one device, which some rows of the plan call by another name */
	DEVIATION_EXCHANGED_NODES,
	DEVIATION_MISSING_CABLE,
	DEVIATION_UNEXPECTED_CABLE,
	DEVIATION_MISWIRED,   /* a path of cables: some end is elsewhere */
	DEVIATION_SWAPPED,    /* a cycle of them */
	DEVIATION_WRONG_PORT, /* between the right two nodes; a whole switch shifted is one */
	DEVIATION_SLOW,       /* fewer Gb/s than planned, on as many lanes */
	DEVIATION_NARROW,     /* fewer Gb/s, on fewer lanes, whatever the speed */
	DEVIATION_UNCHECKED,  /* one for all behind one silent device, or in a subnet cut short */
	DEVIATION_PLAN,       /* the plan cannot be right: @why says how */
};

/* What a switch that keeps hosts or passes their traffic on has lost. */
struct loss_of_switch {
	const struct ibc_node *node;                /* as found, or as planned */
	unsigned int uplinks_planned, uplinks_lost; /* cables to other switches */
	unsigned int uplinks_gone;                  /* lost in all deviations together */
	double gbps_lost;                           /* by the plan's rates, else by those found */
};

/*
 * struct loss - the blast radius of a deviation
 * @hosts: one CA of each host that is not there, or that no cable reaches any more
 * @hosts_cut_off: how many there are
 * @switches: those that lost a way up, the lower end of each cable that is lost
 * @gbps: of all cables that are lost, or how much slower a cable is
 *
 * A cable is lost if no other joins the same two nodes instead.  Of what is unchecked,
 * renamed, replaced, unexpected or at the wrong port nothing is lost.
 */
struct loss {
	const struct ibc_node **hosts;
	size_t num_hosts, hosts_cut_off;
	struct loss_of_switch *switches;
	size_t num_switches;
	double gbps;
};

/*
 * struct deviation - one fault
 * @planned_nodes, @found_nodes: those it is about.  Exchanged, replaced, renamed:
 *	  found_nodes[i] stands where planned_nodes[i] belongs; where much of a fabric is
 *	  replaced or renamed, all of them at once.  Two names: found_nodes[i] is what
 *	  planned_nodes[i] says in some rows.  Missing, unexpected, unchecked: a node,
 *	  then all that is only reached through it.  Of a fault of cables: missing nodes that
 *	  may lack nothing but one of them, and unexpected ones that are only in the way
 * @planned: cables of the plan that are absent (or unchecked), one end each: a port of the
 *	  planned fabric; along the path or cycle of repair.h, found[i] becomes planned[i]
 * @found: cables that are there and are not planned, one end each (of the found fabric);
 *	  of SLOW and NARROW: the cable itself, beside the planned one, or a quarter of the
 *	  fabric that is so in the same way; of UNCHECKED: ports that lead, or may lead, to
 *	  something unknown
 * @fault: as in struct ibc_step; 0: there is nothing to do by hand
 * @waits_for: of a fault of cables that has no steps: the planned node that is missing where a
 *	  plug is now, or is to go, and may be there under another name; or NULL
 * @why: a sentence without a full stop, or NULL; of UNCHECKED and PLAN never NULL.  Of a
 *	  fault of cables: why there are no steps
 */
struct deviation {
	enum deviation_kind kind;
	const struct ibc_node **planned_nodes, **found_nodes;
	size_t num_planned_nodes, num_found_nodes;
	const struct ibc_port **planned, **found;
	size_t num_planned, num_found;
	size_t fault;
	const struct ibc_node *waits_for;
	struct loss loss;
	const char *why;
};

/* comparison.c: walk, by kind, then by GUID or name and port; NULL past the last one. */
const struct deviation *comparison_deviation(const struct ibc_comparison *cmp, size_t i);

/* The port of the found fabric that a planned port is, or NULL. */
const struct ibc_port *comparison_found_port(const struct ibc_comparison *cmp,
                                             const struct ibc_port *planned);
/* The planned port with a cable that a found one is, whatever the plan calls its node, or NULL. */
const struct ibc_port *comparison_planned_port(const struct ibc_comparison *cmp,
                                               const struct ibc_port *found);
/* The nodes and how they were matched. */
const struct match *comparison_match(const struct ibc_comparison *cmp);

/* What is known of the far end of a port. */
enum presence {
	PRESENCE_EMPTY,   /* no link, or one to itself */
	PRESENCE_JOINED,  /* to a node that is known */
	PRESENCE_SILENT,  /* there is a link, and no answer from behind it */
	PRESENCE_UNKNOWN, /* it did not answer, or was not asked */
	PRESENCE_NO_PORT, /* the device has no such port */
};

/* compare_fates.c */
enum presence port_presence(const struct ibc_port *port);
/* Was it said whether it has a cable?  Then no line that was lost has it. */
bool port_was_read(const struct ibc_port *port);
/* Of each of its ports? */
bool node_was_read(const struct ibc_node *node);
