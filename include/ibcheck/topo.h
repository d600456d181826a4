/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_TOPO_H
#define IBCHECK_TOPO_H

#include <stdbool.h>
#include <stddef.h>

#include <ibcheck/error.h>
#include <ibcheck/fabric.h>

#pragma GCC visibility push(default)

/**
 * DOC: what was planned against what is there
 *
 * An expected topology is a fabric that came from a file.  A comparison lists
 * which of its nodes is which of the found ones, what deviates, and what to do
 * about it: an ordered plan with the fewest plugs to move.  The same shows what
 * changed between two sweeps.
 */
struct ibc_comparison;
struct ibc_config;
struct ibc_trace;

/**
 * ibc_compare() - hold what was found against what was planned
 * @planned: the expected topology, or the earlier sweep
 * @found: the fabric as it is
 * @trace: where to write how nodes were matched, or NULL
 * @out: borrows from both fabrics; to be freed with ibc_comparison_free()
 *
 * Nodes are matched by GUID, then by name, then by the place they have among those
 * that are matched already.  What cannot be known (things behind a silent node, a plan
 * of another fabric) is part of the comparison, no failure.
 *
 * Return: 0, or -ENOMEM.
 */
int ibc_compare(const struct ibc_fabric *planned, const struct ibc_fabric *found,
                const struct ibc_trace *trace, struct ibc_comparison **out, struct ibc_error *err);
/* NULL has no effect. */
void ibc_comparison_free(struct ibc_comparison *cmp);

/**
 * struct ibc_comparison_counts - sizes
 * @cables:	   of the plan
 * @cables_right:  of those, joined in the found fabric as planned (whatever their speed)
 * @cables_unread: of those, behind what did not answer: neither right nor wrong
 * @cables_below: of those that are right, below the planned rate
 * @cables_outside: of the found fabric, to a node that the plan does not know; those within a
 *		   director and those to aggregation nodes are in no plan
 * @no_hosts, @no_trunks: the plan lists no cable of a host, none between switches: of these
 *		   nothing is compared
 * @nodes:	   of the plan
 * @nodes_matched: of those, found
 */
struct ibc_comparison_counts {
	size_t cables, cables_right, cables_unread, nodes, nodes_matched;
	size_t cables_below, cables_outside;
	bool no_hosts, no_trunks;
};
struct ibc_comparison_counts ibc_comparison_count(const struct ibc_comparison *cmp);

/* The counterpart of a node of either fabric in the other one, or NULL. */
const struct ibc_node *ibc_comparison_counterpart(const struct ibc_comparison *cmp,
                                                  const struct ibc_node *node);

/* ---- the repair plan ------------------------------------------------------ */

enum ibc_action {
	IBC_ACTION_MOVE,     /* the plug at @from goes to @to; the other end stays at @peer */
	IBC_ACTION_EXCHANGE, /* the plugs at @from and @to change places; or two nodes do */
	IBC_ACTION_CONNECT,  /* a cable between @to and @peer */
	IBC_ACTION_REMOVE,   /* the cable between @from and @peer */
	IBC_ACTION_REPLACE,  /* the node @from stands where @to was planned */
	IBC_ACTION_RENAME,   /* the node @from is called otherwise than @to in the plan */
};
const struct ibc_word *ibc_action_word(enum ibc_action action);

/**
 * struct ibc_step - one thing to do
 * @number: from 1, in the order to do them
 * @fault: number of the fault it belongs to, from 1
 * @from, @to, @peer: see enum ibc_action
 * @to_peer: of an exchange of plugs: the far end of the cable at @to
 * @cable: what the plan says of the cable that it concerns, or NULL
 */
struct ibc_step {
	size_t number, fault;
	enum ibc_action action;
	struct ibc_place from, to, peer, to_peer;
	const struct ibc_cable *cable;
};

/**
 * ibc_comparison_step() - walk the plan
 *
 * Plugs that have a free socket to go to come first (nothing loses service), then
 * exchanges, last what is to be done about nodes: ports are named as they are today.
 * Things of one fault, host, rack are side by side.  A plug goes only to a socket that is
 * free when its turn comes.  A missing node has a step if all it may lack is one cable.
 *
 * Return: borrowed from @cmp, or NULL when @i is past the last one.
 */
const struct ibc_step *ibc_comparison_step(const struct ibc_comparison *cmp, size_t i);

/**
 * ibc_step_cuts() - which important hosts a step cuts off
 * @config: names the important hosts; NULL: there are none
 * @buf: "cuts off the subnet manager on mgmt01"; "" if the step cuts off none of these
 *
 * These are subnet managers, the host that the fabric was swept from, and important hosts:
 * behind the cable itself, or behind the switch that is reached by this cable alone.
 *
 * Return: 1 it cuts off some of them; 0; -ENOMEM.
 */
int ibc_step_cuts(const struct ibc_step *step, const struct ibc_config *config, char *buf,
                  size_t size);
#define IBC_CUTS_TEXT 512 /* room for two names of hosts */

/*
 * Writes what to do into @buf: "Exchange the two plugs at spine01/7 and spine02/3"; first who
 * it cuts off, if ibc_step_cuts() names any.
 *
 * Return: 0; -ENOMEM what it cuts off is not known, and not in the text.
 */
int ibc_step_text(const struct ibc_step *step, const struct ibc_config *config, char *buf,
                  size_t size);

#pragma GCC visibility pop

#endif
