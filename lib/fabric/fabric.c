/* SPDX-License-Identifier: BSD-2-Clause */
/* The model as others see it: walks, lookups, queries. */
#include "fabric/fabric.h"

#include <stdio.h>

#include "base/array.h"
#include "base/utf8.h"
#include "fabric/attributes.h"

#define VENDOR_MELLANOX 0x2c9 /* names its devices MT and the device id in decimal */

void ibc_fabric_free(struct ibc_fabric *fab)
{
	if (!fab)
		return;
	for (size_t i = 0; i < fab->num_subnets; i++)
		HASH_CLEAR(hh, fab->subnets[i]->by_guid);
	free(fab->subnets);
	free(fab->nodes);
	arena_free(fab->arena);
	free(fab);
}

struct ibc_fabric_counts ibc_fabric_count(const struct ibc_fabric *fab)
{
	return fab->counts;
}

const struct ibc_subnet *ibc_fabric_subnet(const struct ibc_fabric *fab, size_t i)
{
	return i < fab->num_subnets ? &fab->subnets[i]->subnet : NULL;
}

const struct ibc_node *ibc_fabric_node(const struct ibc_fabric *fab, size_t i)
{
	return i < fab->num_nodes ? &fab->nodes[i]->node : NULL;
}

const struct ibc_port *ibc_fabric_port(const struct ibc_fabric *fab, size_t i)
{
	return i < fab->num_ports ? fab->ports[i] : NULL;
}

const struct ibc_fabric_host *ibc_fabric_host(const struct ibc_fabric *fab, size_t i)
{
	return i < fab->num_hosts ? &fab->hosts[i] : NULL;
}

struct fabric_node *fabric_find(const struct ibc_fabric *fab, unsigned int subnet, uint64_t guid)
{
	struct fabric_node *node;

	HASH_FIND(hh, fab->subnets[subnet]->by_guid, &guid, sizeof(guid), node);
	return node;
}

const struct ibc_node *ibc_fabric_node_by_guid(const struct ibc_fabric *fab, uint64_t guid)
{
	struct fabric_node *node = NULL;

	for (unsigned int i = 0; i < fab->num_subnets && !node; i++)
		node = fabric_find(fab, i, guid);
	return node ? &node->node : NULL;
}

const struct ibc_port *ibc_fabric_port_by_lid(const struct ibc_subnet *subnet, unsigned int lid)
{
	const struct fabric_subnet *p = (const struct fabric_subnet *)subnet;

	return p->by_lid && lid < UNICAST_LIDS ? p->by_lid[lid] : NULL;
}

unsigned int node_first_port(const struct ibc_node *node)
{
	return node->type == IBC_NODE_SWITCH ? 0 : 1;
}

const struct ibc_port *ibc_node_port(const struct ibc_node *node, unsigned int num)
{
	return num >= node_first_port(node) && num <= node->num_ports ? &node->ports[num] : NULL;
}

const struct ibc_port *fabric_port_at(const struct ibc_fabric *fab, uint64_t guid, unsigned int num)
{
	const struct ibc_node *node = fab ? ibc_fabric_node_by_guid(fab, guid) : NULL;

	return node ? ibc_node_port(node, num) : NULL;
}

const struct ibc_port *fabric_same_port(const struct ibc_fabric *fab, const struct ibc_port *port)
{
	/* in sweeps of one fabric nodes are at the same place, but for those that came or went */
	const uint64_t guid = port->node->guid;
	size_t i = node_order(port->node);

	/* of nodes of one GUID the first counts */
	if (fab && i < fab->num_nodes && fab->nodes[i]->node.guid == guid &&
	    (!i || fab->nodes[i - 1]->node.guid != guid))
		return ibc_node_port(&fab->nodes[i]->node, port->num);
	return fabric_port_at(fab, guid, port->num);
}

bool port_keeps_peer(const struct ibc_port *a, const struct ibc_port *z)
{
	return a && z && a->peer && z->peer && a->peer->num == z->peer->num &&
	       a->peer->node->guid == z->peer->node->guid;
}

bool port_link_is_known(const struct ibc_port *port)
{
	return port && (port->peer || (ibc_port_has_state(port) && port->state == IBC_STATE_DOWN));
}

char *ibc_place_text(struct ibc_place place, char *buf, size_t size)
{
	const struct ibc_port *port = place.node ? ibc_node_port(place.node, place.port) : NULL;
	const char *name = place.node ? place.node->label : "";
	const char *label = port ? ibc_port_label(port) : NULL;
	int n;

	if (!place.port)
		n = snprintf(buf, size, "%s", name);
	else if (label)
		n = snprintf(buf, size, "%s/%u (%s)", name, place.port, label);
	else
		n = snprintf(buf, size, "%s/%u", name, place.port);
	if (n >= (int)size)
		utf8_drop_cut(buf);
	return buf;
}

/* Of all ports only the origin is met without a cable. */
static bool was_reached(const struct ibc_port *port)
{
	return port->peer || port == port->node->subnet->origin;
}

bool ibc_port_is_here(const struct ibc_port *port)
{
	const struct ibc_node *node = port->node;

	if (node->type == IBC_NODE_SWITCH || was_reached(port))
		return true;
	for (unsigned int i = 1; i <= node->num_ports; i++)
		if (was_reached(&node->ports[i]))
			return false;
	return true;
}

bool node_is_whole(const struct ibc_node *node)
{
	return ((const struct fabric_node *)node)->whole;
}

int by_port_id(const void *va, const void *vz)
{
	const struct ibc_port_id *a = va, *z = vz;

	return order_u64(a->guid, z->guid) ?: order_u64(a->num, z->num);
}

bool port_is_down(const struct ibc_port *p)
{
	return p->num && ibc_port_has_state(p) && p->phys_state != IBC_PHYS_LINKUP;
}

bool port_is_looking(const struct ibc_port *p)
{
	return p->phys_state == IBC_PHYS_SLEEP || p->phys_state == IBC_PHYS_POLLING ||
	       p->phys_state == IBC_PHYS_TRAINING;
}

bool port_has_lid(const struct ibc_port *port)
{
	return port->lid && port->lid < UNICAST_LIDS &&
	       (port->node->type != IBC_NODE_SWITCH || port->num == 0) && ibc_port_is_here(port);
}

bool port_names_itself_master(const struct ibc_port *port)
{
	return ibc_port_has(port, IBC_ATTR_PORT_INFO) && port_has_lid(port) &&
	       port->lid == port->sm_lid;
}

unsigned int port_lids(const struct ibc_port *port, unsigned int *end)
{
	*end = port->lid + (1u << (port->lmc & 7));
	if (*end > UNICAST_LIDS)
		*end = UNICAST_LIDS;
	return port->lid;
}

static uint64_t bits_answered(const struct ibc_answers *a, enum ibc_answer answer)
{
	const uint64_t bits[] = {
		[IBC_NOT_ASKED] = ~a->asked,
		[IBC_SILENT] = a->asked & ~(a->answered | a->unsupported | a->refused),
		[IBC_ANSWERED] = a->answered,
		[IBC_UNSUPPORTED] = a->unsupported,
		[IBC_REFUSED] = a->refused,
	};

	return bits[answer];
}

static enum ibc_answer answer_at(const struct ibc_answers *a, uint64_t bit)
{
	enum ibc_answer answer = IBC_REFUSED;

	while (answer != IBC_NOT_ASKED && !(bits_answered(a, answer) & bit))
		answer--;
	return answer;
}

static bool is_unanswered(const struct ibc_answers *a, uint64_t bit)
{
	return a->asked & ~(a->answered | a->unsupported) & bit;
}

bool ibc_port_has(const struct ibc_port *port, enum ibc_attr attr)
{
	return port->answers.answered & attr_port_bits[attr];
}

bool ibc_port_has_state(const struct ibc_port *port)
{
	return ibc_port_has(port, IBC_ATTR_PORT_INFO) || ibc_port_has(port, IBC_ATTR_PORT_STATE);
}

bool ibc_node_has(const struct ibc_node *node, enum ibc_attr attr)
{
	return node->answers.answered & attr_node_bits[attr];
}

bool ibc_port_unanswered(const struct ibc_port *port, enum ibc_attr attr)
{
	return is_unanswered(&port->answers, attr_port_bits[attr]);
}

void node_device_text(const struct ibc_node *node, char *buf, size_t size)
{
	snprintf(buf, size, node->vendor_id == VENDOR_MELLANOX ? "MT%u" : "device 0x%04x",
	         node->device_id);
}

int ibc_node_gmp_capability(const struct ibc_node *node, enum ibc_gmp_capability capability)
{
	if (!node->has_gmp_capabilities)
		return -1;
	return node->gmp_capabilities[capability / 64] >> capability % 64 & 1;
}

int ibc_node_smp_capability(const struct ibc_node *node, enum ibc_smp_capability capability)
{
	if (!ibc_node_has(node, IBC_ATTR_GENERAL_INFO_SMP))
		return -1;
	return node->smp_capabilities[capability / 64] >> capability % 64 & 1;
}

bool ibc_node_unanswered(const struct ibc_node *node, enum ibc_attr attr)
{
	return is_unanswered(&node->answers, attr_node_bits[attr]);
}

enum ibc_answer ibc_port_answer(const struct ibc_port *port, enum ibc_attr attr)
{
	return answer_at(&port->answers, attr_port_bits[attr]);
}

enum ibc_answer ibc_node_answer(const struct ibc_node *node, enum ibc_attr attr)
{
	return answer_at(&node->answers, attr_node_bits[attr]);
}

struct ibc_attrs ibc_port_attrs(const struct ibc_port *port, enum ibc_answer answer)
{
	return attrs_from_bits(bits_answered(&port->answers, answer), attr_port_bits);
}

struct ibc_attrs ibc_node_attrs(const struct ibc_node *node, enum ibc_answer answer)
{
	return attrs_from_bits(bits_answered(&node->answers, answer), attr_node_bits);
}

bool ibc_port_is_up(const struct ibc_port *port)
{
	if (ibc_port_has_state(port))
		return port->phys_state == IBC_PHYS_LINKUP;
	return ibc_port_has(port, IBC_ATTR_LINK);
}

bool ibc_port_is_near_end(const struct ibc_port *port)
{
	const struct ibc_port *peer = port->peer;

	if (!peer)
		return false;
	if (port->node->guid != peer->node->guid)
		return port->node->guid < peer->node->guid;
	if (port->num != peer->num)
		return port->num < peer->num;
	return node_order(port->node) < node_order(peer->node);
}

size_t cabled_ports(const struct ibc_node *node)
{
	const struct ibc_port *p;
	size_t n = 0;

	for (unsigned int num = 1; (p = ibc_node_port(node, num)); num++)
		n += p->peer != NULL;
	return n;
}

const struct ibc_port *fabric_next_cable(const struct ibc_fabric *fab, size_t *i)
{
	const struct ibc_port *port;

	while ((port = ibc_fabric_port(fab, (*i)++)))
		if (ibc_port_is_near_end(port))
			return port;
	return NULL;
}

static void add_coverage(struct ibc_coverage *sum, const struct ibc_answers *a, uint64_t bit)
{
	if (!(a->asked & bit))
		return;
	sum->asked++;
	sum->answered += !!(a->answered & bit);
	sum->unsupported += !!(a->unsupported & bit);
	sum->refused += !!(a->refused & bit);
}

/* Its NodeInfo is the answer to a query noted at the other end of a cable. */
static bool was_met(const struct ibc_node *node)
{
	if (!ibc_node_has(node, IBC_ATTR_NODE_INFO))
		return false;
	for (unsigned int i = 1; i <= node->num_ports; i++)
		if (node->ports[i].peer && ibc_port_has(node->ports[i].peer, IBC_ATTR_NODE_INFO))
			return true;
	return false;
}

struct ibc_coverage ibc_fabric_coverage(const struct ibc_fabric *fab, enum ibc_attr attr)
{
	struct ibc_coverage sum = { 0 };

	/* what a file says of a cable was never a query */
	if (attr == IBC_ATTR_LINK || attr == IBC_ATTR_PORT_STATE)
		return sum;
	for (size_t i = 0; attr_node_bits[attr] && i < fab->num_nodes; i++)
		if (attr != IBC_ATTR_NODE_INFO || !was_met(&fab->nodes[i]->node))
			add_coverage(&sum, &fab->nodes[i]->node.answers, attr_node_bits[attr]);
	for (size_t i = 0; attr_port_bits[attr] && i < fab->num_ports; i++)
		add_coverage(&sum, &fab->ports[i]->answers, attr_port_bits[attr]);
	sum.timed_out = sum.asked - sum.answered - sum.unsupported - sum.refused;
	return sum;
}

uint64_t ibc_fabric_lines_lost(const struct ibc_fabric *fab, const struct ibc_attrs *of)
{
	uint64_t n = 0;

	for (size_t i = 0; i < fab->num_subnets; i++)
		if (!of || ibc_attrs_meet(fab->subnets[i]->subnet.lost_of, *of))
			n += fab->subnets[i]->subnet.lines_lost;
	return n;
}

bool fabric_lacks_lines(const struct ibc_fabric *fab)
{
	return ibc_fabric_lines_lost(fab, &IBC_ATTRS(IBC_ATTR_NODE_INFO));
}

bool fabric_was_cut_short(const struct ibc_fabric *fab)
{
	for (size_t i = 0; i < fab->num_subnets; i++)
		if (fab->subnets[i]->subnet.cut_short)
			return true;
	return false;
}
