/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/tree/switches.h"

#include <string.h>

#include "base/arena.h"
#include "base/nodename.h"
#include "fabric/fabric.h"

/* Adapters of all vendors have lower numbers, chips that switch have higher ones. */
#define FIRST_SWITCH_DEVICE 0xb000

/* ---- hosts -------------------------------------------------------------------------- */

/* Of a switch with a reduction engine, which sits on one port more than there are jacks. */
static bool is_inner_port(const struct ibc_port *p)
{
	static const uint8_t counts[] = { 37, 41, 65, 81, 129 };

	return p->num == p->node->num_ports && memchr(counts, p->num, sizeof(counts));
}

bool node_is_aggregator(const struct ibc_node *node)
{
	const struct ibc_port *p = ibc_node_port(node, 1);

	if (node->type != IBC_NODE_CA)
		return false;
	if (is_aggregation_node(node->desc))
		return true;
	if (node->num_ports != 1 || !p->peer || p->peer->node->type != IBC_NODE_SWITCH)
		return false;
	return (!node->device_id || node->device_id >= FIRST_SWITCH_DEVICE) &&
	       is_inner_port(p->peer);
}

/* One number for all adapters of a host: that of the first of them. */
static uint32_t *number_hosts(struct arena *a, const struct ibc_fabric *fab, size_t nodes)
{
	uint32_t *host = arena_array(a, nodes + 1, sizeof(*host));
	const struct ibc_fabric_host *h;

	for (size_t i = 0; host && i < nodes; i++)
		host[i] = (uint32_t)i;
	for (size_t i = 0; host && (h = ibc_fabric_host(fab, i)); i++)
		for (size_t k = 1; k < h->num_nodes; k++)
			host[node_order(h->nodes[k])] = (uint32_t)node_order(h->nodes[0]);
	return host;
}

static bool count_switch_hosts(struct switches *sw, struct arena *tmp, size_t nodes)
{
	uint32_t *host = number_hosts(tmp, sw->fab, nodes);
	uint32_t *seen_at = arena_array(tmp, nodes + 1, sizeof(*seen_at)); /* switch + 1 */
	const struct ibc_port *p;

	if (!host || !seen_at)
		return false;
	for (uint32_t s = 0; s < sw->n; s++) {
		for (unsigned int num = 1; (p = ibc_node_port(sw->nodes[s], num)); num++) {
			uint32_t h;

			if (!p->peer || p->peer->node->type != IBC_NODE_CA ||
			    node_is_aggregator(p->peer->node))
				continue;
			h = host[node_order(p->peer->node)];
			sw->hosts[s] += seen_at[h] != s + 1;
			seen_at[h] = s + 1;
		}
	}
	return true;
}

/* ---- cables ------------------------------------------------------------------------- */

uint32_t switch_number(const struct switches *sw, const struct ibc_node *node)
{
	return sw->number_of[node_order(node)];
}

/* The switch at the other end; NO_SWITCH: none, or no other. */
static uint32_t far_switch(const struct switches *sw, const struct ibc_port *p)
{
	if (!p->peer || p->peer->node == p->node)
		return NO_SWITCH;
	return switch_number(sw, p->peer->node);
}

static bool number_switches(struct arena *a, struct switches *sw, size_t nodes)
{
	const struct ibc_node *node;

	sw->number_of = arena_array(a, nodes + 1, sizeof(*sw->number_of));
	sw->nodes = arena_array(a, ibc_fabric_count(sw->fab).switches + 1, sizeof(*sw->nodes));
	if (!sw->number_of || !sw->nodes)
		return false;
	for (size_t i = 0; (node = ibc_fabric_node(sw->fab, i)); i++) {
		sw->number_of[i] = node->type == IBC_NODE_SWITCH ? sw->n : NO_SWITCH;
		if (node->type == IBC_NODE_SWITCH)
			sw->nodes[sw->n++] = node;
	}
	return true;
}

/* Where the cables of each switch begin, and with how many other switches it has any. */
static bool find_starts(struct arena *a, struct switches *sw, uint32_t *start, size_t *loops)
{
	size_t total = 0;

	for (uint32_t s = 0; s < sw->n; s++) {
		const struct ibc_port *p;

		start[s] = (uint32_t)total;
		for (unsigned int num = 1; (p = ibc_node_port(sw->nodes[s], num)); num++) {
			total += far_switch(sw, p) != NO_SWITCH;
			*loops += p->peer && p->peer->node == p->node && p->num < p->peer->num;
		}
	}
	start[sw->n] = (uint32_t)total;
	sw->cables = arena_array(a, total + 1, sizeof(*sw->cables));
	sw->loops = arena_array(a, *loops + 1, sizeof(*sw->loops));
	return sw->cables && sw->loops;
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

/* Runs of cables with one far end become pairs; their number. */
static size_t make_pairs(const struct switches *sw, const uint32_t *start, const uint32_t *far,
                         struct switch_pair *pairs)
{
	size_t n = 0;

	for (uint32_t s = 0; s < sw->n; s++) {
		sw->first_pair[s] = (uint32_t)n;
		for (uint32_t i = start[s]; i < start[s + 1]; i++) {
			if (i == start[s] || pairs[n - 1].to != far[i])
				pairs[n++] = (struct switch_pair){ .to = far[i], .first = i };
			pairs[n - 1].count++;
		}
	}
	sw->first_pair[sw->n] = (uint32_t)n;
	return n;
}

bool switches_collect(struct arena *a, struct arena *tmp, const struct ibc_fabric *fab,
                      struct switches *sw)
{
	size_t nodes = ibc_fabric_count(fab).nodes, loops = 0, n;
	struct switch_pair *pairs;
	uint32_t *start, *used, *far;

	*sw = (struct switches){ .fab = fab };
	if (!number_switches(a, sw, nodes))
		return false;
	start = arena_array(tmp, sw->n + 1u, sizeof(*start));
	used = arena_array(tmp, sw->n + 1u, sizeof(*used));
	sw->first_pair = arena_array(a, sw->n + 1u, sizeof(*sw->first_pair));
	sw->hosts = arena_array(a, sw->n + 1u, sizeof(*sw->hosts));
	if (!start || !used || !sw->first_pair || !sw->hosts || !find_starts(a, sw, start, &loops))
		return false;
	far = arena_array(tmp, start[sw->n] + 1u, sizeof(*far));
	pairs = arena_array(tmp, start[sw->n] + 1u, sizeof(*pairs));
	if (!far || !pairs)
		return false;
	sort_cables(sw, start, used, far);
	n = make_pairs(sw, start, far, pairs);
	sw->pairs = arena_array(a, n + 1, sizeof(*sw->pairs));
	if (!sw->pairs)
		return false;
	memcpy(sw->pairs, pairs, n * sizeof(*pairs));
	return count_switch_hosts(sw, tmp, nodes);
}

const struct switch_pair *switch_pair(const struct switches *sw, uint32_t from, uint32_t to)
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
