/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/tree/switches.h"

#include <string.h>

#include "base/arena.h"
#include "base/nodename.h"
#include "fabric/fabric.h"

/* Adapters of all vendors have lower numbers, chips that switch have higher ones. */
#define FIRST_SWITCH_DEVICE 0xb000

/* ---- hosts -------------------------------------------------------------------------- */

bool node_is_aggregator(const struct ibc_node *node)
{
	/* ports of a switch with a reduction engine, which sits on one more than there are jacks */
	static const uint8_t counts[] = { 37, 41, 65, 81, 129 };
	const struct ibc_port *p = ibc_node_port(node, 1);

	if (node->type != IBC_NODE_CA)
		return false;
	if (is_aggregation_node(node->desc))
		return true;
	if (node->num_ports != 1 || !p->peer || p->peer->node->type != IBC_NODE_SWITCH)
		return false;
	return (!node->device_id || node->device_id >= FIRST_SWITCH_DEVICE) &&
	       p->peer->num == p->peer->node->num_ports &&
	       memchr(counts, p->peer->num, sizeof(counts));
}

bool has_host(const struct ibc_port *port)
{
	return port->peer && port->peer->node->type == IBC_NODE_CA &&
	       !node_is_aggregator(port->peer->node);
}

/* Counts distinct hosts; all adapters of a host have one number: that of the first of them. */
static void count_switch_hosts(struct switches *sw, struct arena *tmp, size_t nodes)
{
	uint32_t *host = arena_array(tmp, nodes + 1, sizeof(*host));
	uint32_t *seen_at = arena_array(tmp, nodes + 1, sizeof(*seen_at)); /* switch + 1 */
	const struct ibc_fabric_host *of;
	const struct ibc_port *p;

	for (size_t i = 0; i < nodes; i++)
		host[i] = (uint32_t)i;
	for (size_t i = 0; (of = ibc_fabric_host(sw->fab, i)); i++)
		for (size_t k = 1; k < of->num_nodes; k++)
			host[node_order(of->nodes[k])] = (uint32_t)node_order(of->nodes[0]);
	for (uint32_t s = 0; s < sw->n; s++) {
		for (unsigned int num = 1; (p = ibc_node_port(sw->nodes[s], num)); num++) {
			uint32_t h;

			if (!has_host(p))
				continue;
			h = host[node_order(p->peer->node)];
			sw->hosts[s] += seen_at[h] != s + 1;
			seen_at[h] = s + 1;
		}
	}
}

/* ---- cables ------------------------------------------------------------------------- */

uint32_t switch_number(const struct switches *sw, const struct ibc_node *node)
{
	return sw->number_of[node_order(node)];
}

/* The switch at the other end; NO_SWITCH: none, or no other. */
static uint32_t far_switch(const struct switches *sw, const struct ibc_port *p)
{
	if (!p->peer || p->peer->node == p->node || ibc_port_is_fnm(p))
		return NO_SWITCH;
	return switch_number(sw, p->peer->node);
}

/*
 * Visiting the far ends in order of switches leaves those of each near end in that order;
 * what is left to sort are the few cables of a pair.  far: the far switch of each.
 */
static void sort_cables(struct switches *sw, const uint32_t *start, uint32_t *used, uint32_t *far)
{
	for (uint32_t to = 0; to < sw->n; to++) {
		const struct ibc_port *p;

		for (unsigned int num = 1; (p = ibc_node_port(sw->nodes[to], num)); num++) {
			uint32_t from = far_switch(sw, p), at;

			if (p->peer && p->peer->node == p->node && p->num < p->peer->num)
				sw->loops[sw->num_loops++] = p;
			if (from == NO_SWITCH)
				continue;
			at = start[from] + used[from]++;
			far[at] = to;
			for (; at > start[from] && far[at - 1] == to &&
			       sw->cables[at - 1]->num > p->peer->num;
			     at--)
				sw->cables[at] = sw->cables[at - 1];
			sw->cables[at] = p->peer;
		}
	}
}

void switches_collect(struct arena *a, struct arena *tmp, const struct ibc_fabric *fab,
                      struct switches *sw)
{
	size_t nodes = ibc_fabric_count(fab).nodes, room = ibc_fabric_count(fab).switches + 1;
	uint32_t *start = arena_array(tmp, room, sizeof(*start)); /* of its cables, by switch */
	uint32_t *used = arena_array(tmp, room, sizeof(*used)), *far, total = 0, loops = 0, n = 0;
	const struct ibc_node *node;
	const struct ibc_port *p;

	*sw = (struct switches){
		.fab = fab,
		.number_of = arena_array(a, nodes + 1, sizeof(*sw->number_of)),
		.nodes = arena_array(a, room, sizeof(*sw->nodes)),
		.first_pair = arena_array(a, room, sizeof(*sw->first_pair)),
		.hosts = arena_array(a, room, sizeof(*sw->hosts)),
	};
	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		sw->number_of[i] = node->type == IBC_NODE_SWITCH ? sw->n : NO_SWITCH;
		if (node->type == IBC_NODE_SWITCH)
			sw->nodes[sw->n++] = node;
	}
	for (uint32_t s = 0; s < sw->n; s++) {
		start[s] = total;
		for (unsigned int num = 1; (p = ibc_node_port(sw->nodes[s], num)); num++) {
			total += far_switch(sw, p) != NO_SWITCH;
			loops += p->peer && p->peer->node == p->node && p->num < p->peer->num;
		}
	}
	start[sw->n] = total;
	sw->cables = arena_array(a, total + 1u, sizeof(*sw->cables));
	sw->loops = arena_array(a, loops + 1u, sizeof(*sw->loops));
	far = arena_array(tmp, total + 1u, sizeof(*far));
	sort_cables(sw, start, used, far);
	/* runs of cables with one far end become pairs */
	for (uint32_t s = 0; s < sw->n; s++)
		for (uint32_t i = start[s]; i < start[s + 1]; i++)
			n += i == start[s] || far[i] != far[i - 1];
	sw->pairs = arena_array(a, n + 1u, sizeof(*sw->pairs));
	n = 0;
	for (uint32_t s = 0; s < sw->n; s++) {
		sw->first_pair[s] = n;
		for (uint32_t i = start[s]; i < start[s + 1]; i++) {
			if (i == start[s] || far[i] != far[i - 1])
				sw->pairs[n++] = (struct trunk){ .to = far[i], .first = i };
			sw->pairs[n - 1].count++;
		}
	}
	sw->first_pair[sw->n] = n;
	count_switch_hosts(sw, tmp, nodes);
}

const struct trunk *trunk_between(const struct switches *sw, uint32_t from, uint32_t to)
{
	uint32_t low = sw->first_pair[from], high = sw->first_pair[from + 1];

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (sw->pairs[middle].to == to)
			return &sw->pairs[middle];
		if (sw->pairs[middle].to < to)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

unsigned int *depth_measure(struct arena *a, const struct ibc_fabric *fab)
{
	size_t nodes = ibc_fabric_count(fab).nodes, n = 0;
	const struct ibc_node **queue = arena_array(a, nodes, sizeof(struct ibc_node *));
	unsigned int *depth = arena_array(a, nodes, sizeof(*depth));
	const struct ibc_node *node;
	const struct ibc_port *p;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		depth[i] = node->type == IBC_NODE_SWITCH || node_is_aggregator(node) ? DEPTH_NONE
		                                                                     : 0;
		if (!depth[i])
			queue[n++] = node;
	}
	for (size_t i = 0; i < n; i++) {
		for (unsigned int num = 1; (p = ibc_node_port(queue[i], num)); num++) {
			if (!p->peer || depth[node_order(p->peer->node)] != DEPTH_NONE)
				continue;
			depth[node_order(p->peer->node)] = depth[node_order(queue[i])] + 1;
			queue[n++] = p->peer->node;
		}
	}
	return depth;
}
