/* SPDX-License-Identifier: BSD-2-Clause */
/* What goes down with a device that restarts: all of its cables, once or twice each. */
#include "check/counters/links.h"
#include "fabric/fabric.h"

#define FLAPS 3 /* so often down is no restart */

static uint64_t fewest_downs(const struct ibc_input *in, const struct ibc_node *node,
                             times_down_fn downs, uint64_t least)
{
	const struct ibc_port *p;

	for (unsigned int num = 1; least && (p = ibc_node_port(node, num)); num++) {
		uint64_t n = p->peer ? downs(in, p) : least;

		least = n < least ? n : least;
	}
	return least;
}

uint64_t *restarts_find(const struct ibc_input *in, struct ibc_sink *out, times_down_fn downs)
{
	uint64_t *restarts = sink_array(out, ibc_fabric_count(in->fabric).nodes, sizeof(*restarts));
	const struct ibc_fabric_host *host;
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(in->fabric, i)); i++)
		if (!node->host_name && cabled_ports(node))
			restarts[node_order(node)] = fewest_downs(in, node, downs, UINT64_MAX);
	for (size_t i = 0; (host = ibc_fabric_host(in->fabric, i)); i++) {
		uint64_t least = UINT64_MAX;

		for (size_t k = 0; k < host->num_nodes; k++)
			least = fewest_downs(in, host->nodes[k], downs, least);
		for (size_t k = 0; k < host->num_nodes; k++)
			restarts[node_order(host->nodes[k])] = least == UINT64_MAX ? 0 : least;
	}
	return restarts;
}

/* ---- in a window ------------------------------------------------------------------- */

/* How often a link went down: both ends count it, unless one lost its counters. */
static uint64_t downs_of(const struct ibc_input *in, const struct ibc_port *port)
{
	const struct ibc_port *const ends[] = { port, port->peer };
	uint64_t most = 0;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct ibc_delta d;
		uint64_t n;

		if (!may_have_risen(in, ends[i], COUNTER_BIT(IBC_LINK_DOWNED)) ||
		    !window_of(in, ends[i], &d))
			continue;
		n = count_in(&d, IBC_LINK_DOWNED).n;
		most = n > most ? n : most;
	}
	return most;
}

/*
 * A device that restarts begins to count from 0, while the other end goes on.  One
 * that was replaced is not known of before.
 */
static bool began_anew(const struct ibc_input *in, const struct ibc_port *p)
{
	struct ibc_delta own, peer;

	ibc_windows_delta(in->windows, in->before, p, &own);
	ibc_windows_delta(in->windows, in->before, p->peer, &peer);
	return (own.fresh && !peer.fresh) || (own.cleared && !peer.cleared);
}

static bool has_restarted(const struct ibc_input *in, const struct ibc_node *const *nodes, size_t n,
                          uint64_t downs)
{
	const struct ibc_port *p;
	size_t cables = 0;
	bool anew = false;

	if (!downs || downs >= FLAPS)
		return false;
	for (size_t i = 0; i < n; i++)
		for (unsigned int num = 1; (p = ibc_node_port(nodes[i], num)); num++) {
			if (!p->peer)
				continue;
			cables++;
			anew |= began_anew(in, p);
		}
	/* one cable alone may be a restart, or a bad cable */
	return cables > 1 || anew;
}

uint64_t *restarts_in_window(const struct ibc_input *in, struct ibc_sink *out)
{
	uint64_t *restarts = restarts_find(in, out, downs_of);
	const struct ibc_fabric_host *host;
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(in->fabric, i)); i++)
		if (!node->host_name && !has_restarted(in, &node, 1, restarts[node_order(node)]))
			restarts[node_order(node)] = 0;
	for (size_t i = 0; (host = ibc_fabric_host(in->fabric, i)); i++)
		if (!has_restarted(in, host->nodes, host->num_nodes,
		                   restarts[node_order(host->nodes[0])]))
			for (size_t k = 0; k < host->num_nodes; k++)
				restarts[node_order(host->nodes[k])] = 0;
	return restarts;
}

uint64_t restarts_explain(const uint64_t *restarts, const struct ibc_port *port)
{
	uint64_t near = restarts[node_order(port->node)],
		 far = port->peer ? restarts[node_order(port->peer->node)] : 0;

	if (!near && !far)
		return 0;
	return near + far < FLAPS ? FLAPS - 1 : near + far;
}
