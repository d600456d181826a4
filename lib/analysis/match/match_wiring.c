/* SPDX-License-Identifier: BSD-2-Clause */
/* The cables of a fabric by numbers, 8 bytes a port: matching looks at each of them often. */
#include "analysis/match/match_work.h"
#include "base/arena.h"
#include "fabric/fabric.h"

static size_t number_ports(const struct ibc_fabric *fab, uint32_t *first)
{
	const struct ibc_node *node;
	uint32_t sum = 0;
	size_t i;

	for (i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		first[i] = sum;
		sum += node->num_ports;
	}
	first[i] = sum;
	return sum;
}

static struct wire wire_of(const struct ibc_port *port)
{
	if (!port->peer)
		return (struct wire){ MATCH_NOBODY, 0 };
	return (struct wire){ (uint32_t)node_order(port->peer->node), port->peer->num };
}

bool match_wire_up(struct arena *a, const struct ibc_fabric *fab, struct wiring *out)
{
	const struct ibc_node *node;
	struct wire *wire;

	out->first = arena_array(a, ibc_fabric_count(fab).nodes + 1, sizeof(*out->first));
	if (!out->first)
		return false;
	out->wire = arena_array(a, number_ports(fab, out->first) + 1, sizeof(*out->wire));
	if (!out->wire)
		return false;
	wire = out->wire;
	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		for (unsigned int num = 1; num <= node->num_ports; num++)
			*wire++ = wire_of(&node->ports[num]);
	return true;
}
