/* SPDX-License-Identifier: BSD-2-Clause */
/* What is derived when all nodes and cables are known: order, indices, sums. */
#include <errno.h>

#include "base/array.h"
#include "fabric/fabric.h"

static int by_guid_then_subnet(const void *va, const void *vz)
{
	const struct fabric_node *a = *(struct fabric_node *const *)va;
	const struct fabric_node *z = *(struct fabric_node *const *)vz;
	int order = order_u64(a->key.guid, z->key.guid) ?: order_u64(a->key.subnet, z->key.subnet);

	return order ?: order_u64(a->order, z->order);
}

static void order_nodes(struct ibc_fabric *fab)
{
	if (fab->num_nodes == 0)
		return;
	qsort(fab->nodes, fab->num_nodes, sizeof(struct fabric_node *), by_guid_then_subnet);
	for (size_t i = 0; i < fab->num_nodes; i++)
		fab->nodes[i]->order = (uint32_t)i;
}

static int list_ports(struct ibc_fabric *fab)
{
	size_t room = 0;

	for (size_t i = 0; i < fab->num_nodes; i++)
		room += fab->nodes[i]->node.num_ports + 1u;
	fab->ports = arena_array(fab->arena, room, sizeof(struct ibc_port *));
	if (!fab->ports)
		return -ENOMEM;
	for (size_t i = 0; i < fab->num_nodes; i++) {
		const struct ibc_node *node = &fab->nodes[i]->node;

		for (unsigned int num = node_first_port(node); num <= node->num_ports; num++)
			fab->ports[fab->num_ports++] = &node->ports[num];
	}
	return 0;
}

/* Of several ports that claim a LID the first keeps it. */
static int index_lids(struct ibc_fabric *fab, const struct ibc_port *port)
{
	struct fabric_subnet *subnet = fab->subnets[port->node->subnet->index];
	unsigned int end;

	if (!subnet->by_lid)
		subnet->by_lid = arena_array(fab->arena, UNICAST_LIDS, sizeof(struct ibc_port *));
	if (!subnet->by_lid)
		return -ENOMEM;
	for (unsigned int lid = port_lids(port, &end); lid < end; lid++)
		if (!subnet->by_lid[lid])
			subnet->by_lid[lid] = port;
	return 0;
}

static int index_ports(struct ibc_fabric *fab)
{
	for (size_t i = 0; i < fab->num_ports; i++) {
		const struct ibc_port *port = fab->ports[i];

		if (port_has_lid(port) && index_lids(fab, port))
			return -ENOMEM;
		fab->counts.cables += ibc_port_is_near_end(port);
	}
	return 0;
}

static void count_nodes(struct ibc_fabric *fab)
{
	struct ibc_fabric_counts *counts = &fab->counts;

	counts->subnets = fab->num_subnets;
	counts->nodes = fab->num_nodes;
	counts->ports = fab->num_ports;
	for (size_t i = 0; i < fab->num_nodes; i++) {
		counts->switches += fab->nodes[i]->node.type == IBC_NODE_SWITCH;
		counts->cas += fab->nodes[i]->node.type == IBC_NODE_CA;
		counts->routers += fab->nodes[i]->node.type == IBC_NODE_ROUTER;
	}
}

static void settle_prefixes(struct ibc_fabric *fab)
{
	for (size_t i = 0; i < fab->num_subnets; i++) {
		struct ibc_subnet *subnet = &fab->subnets[i]->subnet;
		const struct ibc_port *origin = subnet->origin;

		if (origin && ibc_port_has(origin, IBC_ATTR_PORT_INFO) && origin->subnet_prefix)
			subnet->subnet_prefix = origin->subnet_prefix;
	}
}

int fabric_index(struct ibc_fabric *fab)
{
	order_nodes(fab);
	if (list_ports(fab) || index_ports(fab))
		return -ENOMEM;
	count_nodes(fab);
	settle_prefixes(fab);
	fabric_settle_traffic(fab);
	return 0;
}
