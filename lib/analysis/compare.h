/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ANALYSIS_COMPARE_H
#define ANALYSIS_COMPARE_H

/*
 * What deviates from the plan: one deviation a fault, however many cables it touches.
 * Cables that a missing, unexpected, replaced or exchanged node explains are part of its
 * deviation, not faults of their own.  What could only be seen through a node that did
 * not answer is unchecked, not missing.
 */
#include <ibcheck/topo.h>

#include "analysis/match.h"

enum deviation_kind {
	DEVIATION_MISSING_NODE,
	DEVIATION_UNEXPECTED_NODE,
	DEVIATION_REPLACED_NODE, /* same place, new GUID */
	DEVIATION_RENAMED_NODE,  /* same device (or the plan knows no GUID), other name */
	DEVIATION_EXCHANGED_NODES,
	DEVIATION_MISSING_CABLE,
	DEVIATION_UNEXPECTED_CABLE,
	DEVIATION_MISWIRED,   /* a path of cables: some end is elsewhere */
	DEVIATION_SWAPPED,    /* a cycle of them */
	DEVIATION_WRONG_PORT, /* between the right two nodes; all of a shifted switch is one */
	DEVIATION_SLOW,
	DEVIATION_NARROW,
	DEVIATION_UNCHECKED,
	DEVIATION_PLAN, /* the plan cannot be right: @why says how */
};

/* What a switch that keeps hosts or passes their traffic on has lost. */
struct loss_of_switch {
	const struct ibc_node *node;                /* as found, or as planned */
	unsigned int uplinks_planned, uplinks_lost; /* cables to other switches */
	double gbps_lost;                           /* by the plan's rates, else by those found */
};

/*
 * struct loss - the blast radius of a deviation
 * @hosts: CAs (one a host) that no cable of their plan reaches any more, or the first few
 * @hosts_cut_off: how many there are
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
 * @planned_nodes, @found_nodes: those it is about; of an exchange in the same order:
 *	  found_nodes[i] stands where planned_nodes[i] belongs
 * @planned: cables of the plan that are absent, one end each (a port of the planned fabric)
 * @found: cables that are there and are not planned, one end each (of the found fabric);
 *	  of SLOW and NARROW: the cable itself, beside the planned one
 * @fault: as in struct ibc_step; 0: there is nothing to do by hand
 * @how_many: of what is told once for many (a shifted switch, things unchecked)
 * @why: a sentence without a full stop, or NULL
 */
struct deviation {
	enum deviation_kind kind;
	const struct ibc_node **planned_nodes, **found_nodes;
	size_t num_planned_nodes, num_found_nodes;
	const struct ibc_port **planned, **found;
	size_t num_planned, num_found;
	size_t fault, how_many;
	struct loss loss;
	const char *why;
};

/* Walk, by kind, then by GUID or name and port; NULL past the last one. */
const struct deviation *comparison_deviation(const struct ibc_comparison *cmp, size_t i);

/* The port of the found fabric that a planned port is, or NULL. */
const struct ibc_port *comparison_found_port(const struct ibc_comparison *cmp,
                                             const struct ibc_port *planned);
/* The nodes and how they were matched. */
const struct match *comparison_match(const struct ibc_comparison *cmp);

#endif
