/* SPDX-License-Identifier: BSD-2-Clause */
/* What holds of every fabric, whichever source it came from. */
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "fabric/build.h"
#include "fabric/fabric.h"

static int verify_subnets(const struct ibc_fabric *fab, struct ibc_error *err)
{
	for (size_t i = 0; i < fab->num_subnets; i++) {
		const struct ibc_subnet *p = &fab->subnets[i]->subnet;

		if (p->fabric != fab || p->index != i)
			return fail(err, -EPROTO, "subnet %zu: wrong fabric or index", i);
		if (!p->source || !p->kind || !p->ca || !p->file)
			return fail(err, -EPROTO, "subnet %zu: a text is missing", i);
		if (p->origin && p->origin->node->subnet != p)
			return fail(err, -EPROTO, "subnet %zu: origin in another subnet", i);
	}
	return 0;
}

bool answers_hold(const struct ibc_answers *a)
{
	uint64_t outcomes = a->answered | a->unsupported | a->refused;

	return !(outcomes & ~a->asked) && !(a->answered & a->unsupported) &&
	       !(a->answered & a->refused) && !(a->unsupported & a->refused);
}

static const char *port_fault(const struct ibc_node *node, unsigned int num)
{
	const struct ibc_port *p = &node->ports[num];

	if (p->node != node || p->num != num)
		return "wrong node or number";
	if (!answers_hold(&p->answers))
		return "an outcome without a query, or two for one";
	if (!p->peer)
		return NULL;
	if (p->peer == p || p->peer->peer != p)
		return "the peer's peer is another port";
	if (num == 0 || p->peer->node->subnet != node->subnet)
		return "a cable where none can be";
	return NULL;
}

static const char *node_fault(const struct ibc_fabric *fab, const struct ibc_node *node)
{
	if (node->subnet != ibc_fabric_subnet(fab, node->subnet->index))
		return "subnet of another fabric";
	if (!node->desc || !node->name || !*node->label || !node->ports)
		return "a text or the ports are missing";
	if (!answers_hold(&node->answers))
		return "an outcome without a query, or two for one";
	return NULL;
}

/* Strictly rising by GUID, then subnet, but for duplicates; and found by GUID. */
static const char *order_fault(const struct ibc_fabric *fab, size_t i)
{
	const struct ibc_node *prev = i > 0 ? ibc_fabric_node(fab, i - 1) : NULL;
	const struct ibc_node *node = ibc_fabric_node(fab, i);
	const struct ibc_node *next = ibc_fabric_node(fab, i + 1);
	const struct fabric_node *first = fabric_find(fab, node->subnet->index, node->guid);
	bool like_prev = prev && prev->guid == node->guid && prev->subnet == node->subnet;
	bool like_next = next && next->guid == node->guid && next->subnet == node->subnet;

	if (node_order(node) != i)
		return "wrong place in the order";
	if (prev && (prev->guid > node->guid ||
	             (prev->guid == node->guid && prev->subnet->index > node->subnet->index)))
		return "out of order";
	if (node->duplicate != (like_prev || like_next))
		return "duplicate mark is wrong";
	if (!first || (like_prev == (&first->node == node)))
		return "not the one its GUID finds";
	return NULL;
}

static int verify_nodes(const struct ibc_fabric *fab, struct ibc_error *err)
{
	for (size_t i = 0; i < fab->num_nodes; i++) {
		const struct ibc_node *node = ibc_fabric_node(fab, i);
		const char *fault = node->label ? node_fault(fab, node) : "no label";

		if (!fault)
			fault = order_fault(fab, i);
		if (fault)
			return fail(err, -EPROTO, "node %zu (%s): %s", i,
			            node->label ? node->label : "", fault);
		for (unsigned int p = node_first_port(node); p <= node->num_ports; p++)
			if ((fault = port_fault(node, p)))
				return fail(err, -EPROTO, "%s/%u: %s", node->label, p, fault);
	}
	return 0;
}

static int verify_walk(const struct ibc_fabric *fab, struct ibc_error *err)
{
	const struct ibc_port *port;
	size_t i = 0;

	for (size_t n = 0; n < fab->num_nodes; n++) {
		const struct ibc_node *node = ibc_fabric_node(fab, n);

		for (unsigned int num = node_first_port(node); num <= node->num_ports; num++) {
			port = ibc_fabric_port(fab, i++);
			if (port != ibc_node_port(node, num))
				return fail(err, -EPROTO, "%s/%u: not in the walk", node->label,
				            num);
		}
	}
	if (i != fab->num_ports)
		return fail(err, -EPROTO, "the walk has %zu ports, the nodes %zu", fab->num_ports,
		            i);
	return 0;
}

static int verify_lids(const struct ibc_fabric *fab, struct ibc_error *err)
{
	const struct ibc_port *port;

	for (size_t i = 0; (port = ibc_fabric_port(fab, i)); i++)
		if (port_has_lid(port) && !ibc_fabric_port_by_lid(port->node->subnet, port->lid))
			return fail(err, -EPROTO, "%s/%u: not found by its LID %u",
			            port->node->label, port->num, port->lid);
	for (size_t i = 0; i < fab->num_subnets; i++) {
		const struct fabric_subnet *s = fab->subnets[i];

		for (unsigned int lid = 0, end; s->by_lid && lid < UNICAST_LIDS; lid++) {
			port = s->by_lid[lid];
			if (port && (port->node->subnet != &s->subnet || !port_has_lid(port) ||
			             lid < port_lids(port, &end) || lid >= end))
				return fail(err, -EPROTO, "%s/%u: found by LID %u of another",
				            port->node->label, port->num, lid);
		}
	}
	return 0;
}

static int verify_hosts(const struct ibc_fabric *fab, struct ibc_error *err)
{
	const struct ibc_fabric_host *host;
	size_t joined = 0;

	for (size_t i = 0; (host = ibc_fabric_host(fab, i)); i++) {
		if (i > 0 && strcmp(fab->hosts[i - 1].name, host->name) >= 0)
			return fail(err, -EPROTO, "host %s: out of order", host->name);
		for (size_t n = 0; n < host->num_nodes; n++)
			if (host->nodes[n]->host_name != host->name)
				return fail(err, -EPROTO, "host %s: %s sits in another", host->name,
				            host->nodes[n]->label);
		joined += host->num_nodes;
	}
	for (size_t i = 0; i < fab->num_nodes; i++)
		joined -= fab->nodes[i]->node.host_name != NULL;
	if (joined)
		return fail(err, -EPROTO, "some nodes of hosts are in none");
	return 0;
}

int ibc_fabric_verify(const struct ibc_fabric *fab, struct ibc_error *err)
{
	static int (*const rules[])(const struct ibc_fabric *, struct ibc_error *) = {
		verify_subnets, verify_nodes, verify_walk, verify_lids, verify_hosts,
	};
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rules) && !rc; i++)
		rc = rules[i](fab, err);
	return rc;
}
