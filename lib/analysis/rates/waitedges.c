/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/rates/waitgraph.h"

#include <ibcheck/counters.h>

#include "base/arena.h"

#define SUPPLY_PERCENT  75 /* of what a link carries must come from ports that wait for it */
#define SURPLUS_PERCENT 20 /* of what it carries, more than comes over ports that do not wait */
#define MOSTLY_PERCENT  50 /* of what a link carries goes on by one other */

double util_of(const struct wait_graph *g, const struct ibc_port *port)
{
	size_t at = find_wait_port(g, port);
	struct ibc_delta delta;

	if (at != NONE)
		return g->ports[at].is.util;
	return ibc_delta_among(g->before, port, 1u << IBC_XMIT_DATA, &delta)
	           ? ibc_delta_util_percent(port, &delta)
	           : -1;
}

/* What it carries, in Gb/s; negative if unknown. */
static double rate_of(const struct wait_graph *g, const struct ibc_port *port)
{
	return util_of(g, port) * gbps(port) / 100;
}

/* Does what u sends go on by v, a port of the switch at its far end, as far as is known? */
static bool leads_on(const struct wait_graph *g, const struct ibc_port *u, const struct ibc_port *v)
{
	size_t at = find_wait_port(g, u), to = find_wait_port(g, v);

	if (u->peer->node != v->node || v->node->type != IBC_NODE_SWITCH || u->peer == v ||
	    (at != NONE && !goes_on_by(&g->onward[at], v->num)))
		return false;
	/* no route goes down and up again, unless routes are wrong: then nothing moves */
	return rise_of_cable(g, u) >= 0 || rise_of_cable(g, v) <= 0 ||
	       (at != NONE && to != NONE && is_stalled_vertex(&g->ports[at]) &&
	        is_stalled_vertex(&g->ports[to]));
}

/* The next port, beyond number *num of the node of v, that sends what goes on by v. */
static const struct ibc_port *next_feeder(const struct wait_graph *g, const struct ibc_port *v,
                                          unsigned int *num)
{
	const struct ibc_port *in;

	while ((in = ibc_node_port(v->node, ++*num)))
		if (in->peer && leads_on(g, in->peer, v))
			return in->peer;
	return NULL;
}

/*
 * No port sends more than its share of a full link without waiting.  So where ports that wait, and
 * so much of the others as these carry, are less than the link carries, no port waits for the link.
 */
static enum rank rank_of(const struct wait_graph *g, const struct vertex *v)
{
	double all = rate_of(g, v->port), waits = 0, share = 0, shares = 0, others = 0;
	const struct ibc_port *u;

	if (!is_full_vertex(v))
		return WAITS;
	for (int pass = 0; pass < 2; pass++)
		for (unsigned int num = 0; (u = next_feeder(g, v->port, &num));) {
			size_t at = find_wait_port(g, u);
			double rate = rate_of(g, u);

			if (rate < 0)
				return NOT_KNOWN;
			if (at != NONE && (g->ports[at].is.wait >= WAITS_PERCENT ||
			                   u->node->type == IBC_NODE_SWITCH)) {
				waits += pass ? 0 : rate;
				share = rate > share ? rate : share;
			} else if (pass) {
				others += rate;
				shares += rate < share ? rate : share;
			}
		}
	if ((waits + others) * 100 < SUPPLY_PERCENT * all)
		return NOT_KNOWN;
	if ((waits + shares) * 100 < SUPPLY_PERCENT * all)
		return UNDISPUTED;
	return (all - others) * 100 >= SURPLUS_PERCENT * all ? CONTESTED : MAY_BE;
}

/*
 * Of a full port: the full link of a host, or one towards it that this holds for, by which most of
 * what it carries goes on, as the other ports that it can go on by carry too little.  Of several
 * that are full it is the fullest.  NONE: there is none, or it is not known.
 */
static size_t find_outlet(struct wait_graph *g, size_t from)
{
	struct vertex *u = &g->ports[from];
	const struct ibc_port *other, *fullest = NULL;
	double rest = rate_of(g, u->port), most = FULL_PERCENT;
	size_t to;

	if (u->asked || !is_full_vertex(u) || u->port->peer->node->type != IBC_NODE_SWITCH)
		return u->outlet;
	u->asked = true;
	for (unsigned int num = 1; (other = ibc_node_port(u->port->peer->node, num)); num++) {
		double util = other->peer && leads_on(g, u->port, other) ? util_of(g, other) : 0;

		if (util < 0)
			return NONE;
		rest -= util < FULL_PERCENT ? util * gbps(other) / 100 : 0;
		if (util < most || (fullest && util <= most))
			continue;
		most = util;
		fullest = other;
	}
	if (!fullest || rest * 100 < MOSTLY_PERCENT * rate_of(g, u->port) ||
	    rise_of_cable(g, fullest) >= 0)
		return NONE;
	to = find_wait_port(g, fullest);
	if (to != NONE &&
	    (fullest->peer->node->type != IBC_NODE_SWITCH || find_outlet(g, to) != NONE))
		u->outlet = to;
	return u->outlet;
}

bool vertex_waits_for(const struct wait_graph *g, size_t from, size_t to)
{
	const struct vertex *u = &g->ports[from], *v = &g->ports[to];

	if (!leads_on(g, u->port, v->port))
		return false;
	/* a full link is not held up by what comes after it, unless that is all it is for */
	if (is_full_vertex(u) && u->port->node->type == IBC_NODE_SWITCH)
		return u->outlet == to;
	if (is_full_vertex(v))
		return v->rank != UNDISPUTED;
	/* no port waits for another longer than that is busy, or waits */
	return v->is.util < 0 || v->is.util + v->is.wait + WAITS_PERCENT >= u->is.wait;
}

void edges_find(struct wait_graph *g)
{
	g->onward = arena_array(g->arena, g->n + 1, sizeof(*g->onward));
	for (size_t i = 0; i < g->n; i++)
		g->onward[i].port = g->ports[i].port;
	onward_find(g->arena, g->now, g->onward, g->n);
	for (size_t i = 0; i < g->n; i++) {
		g->ports[i].rank = rank_of(g, &g->ports[i]);
		find_outlet(g, i);
	}
}
