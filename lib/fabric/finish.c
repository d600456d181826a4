/* SPDX-License-Identifier: BSD-2-Clause */
/* What is derived when all nodes and cables are known: order, indices, sums. */
#include "base/array.h"
#include "fabric/fabric.h"

static int by_guid_then_subnet(const void *va, const void *vz)
{
	const struct fabric_node *a = *(struct fabric_node *const *)va;
	const struct fabric_node *z = *(struct fabric_node *const *)vz;
	int order = order_u64(a->node.guid, z->node.guid);

	order = order ?: order_u64(a->node.subnet->index, z->node.subnet->index);
	return order ?: order_u64(a->order, z->order);
}

void fabric_index(struct ibc_fabric *fab)
{
	struct ibc_fabric_counts *counts = &fab->counts;
	size_t room = 0;

	if (fab->num_nodes)
		qsort(fab->nodes, fab->num_nodes, sizeof(struct fabric_node *),
		      by_guid_then_subnet);
	for (size_t i = 0; i < fab->num_nodes; i++) {
		fab->nodes[i]->order = (uint32_t)i;
		room += fab->nodes[i]->node.num_ports + 1u - node_first_port(&fab->nodes[i]->node);
		counts->switches += fab->nodes[i]->node.type == IBC_NODE_SWITCH;
		counts->cas += fab->nodes[i]->node.type == IBC_NODE_CA;
		counts->routers += fab->nodes[i]->node.type == IBC_NODE_ROUTER;
	}
	fab->ports = arena_array(fab->arena, room, sizeof(struct ibc_port *));
	for (size_t i = 0; i < fab->num_nodes; i++) {
		const struct ibc_node *node = &fab->nodes[i]->node;

		for (unsigned int num = node_first_port(node); num <= node->num_ports; num++)
			fab->ports[fab->num_ports++] = &node->ports[num];
	}
	for (size_t i = 0; i < fab->num_ports; i++) {
		const struct ibc_port *port = fab->ports[i];
		struct fabric_subnet *subnet = fab->subnets[port->node->subnet->index];
		unsigned int end, lid;

		counts->cables += ibc_port_is_near_end(port);
		if (!port_has_lid(port))
			continue;
		if (!subnet->by_lid)
			subnet->by_lid = arena_array(fab->arena, UNICAST_LIDS,
			                             sizeof(struct ibc_port *));
		/* of several ports that claim a LID the first keeps it */
		for (lid = port_lids(port, &end); lid < end; lid++)
			if (!subnet->by_lid[lid])
				subnet->by_lid[lid] = port;
	}
	counts->subnets = fab->num_subnets;
	counts->nodes = fab->num_nodes;
	counts->ports = fab->num_ports;
	for (size_t i = 0; i < fab->num_subnets; i++) {
		struct ibc_subnet *subnet = &fab->subnets[i]->subnet;
		const struct ibc_port *origin = subnet->origin;

		if (origin && ibc_port_has(origin, IBC_ATTR_PORT_INFO) && origin->subnet_prefix)
			subnet->subnet_prefix = origin->subnet_prefix;
	}
	fabric_settle_traffic(fab);
}
