/* SPDX-License-Identifier: BSD-2-Clause */
#include "check/collect.h"
#include "fabric/attributes.h"

#include <stdlib.h>

uint64_t device_type(const struct ibc_node *node)
{
	return (uint64_t)node->vendor_id << 32 | (uint64_t)node->device_id << 16 |
	       (uint64_t)node->type << 8 | node->num_ports;
}

bool any_port(const struct ibc_fabric *fab, bool (*is_such)(const struct ibc_port *port))
{
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(fab, i)); i++)
		if (is_such(p))
			return true;
	return false;
}

bool has_ca(const struct ibc_node *node)
{
	const struct ibc_port *p;

	for (unsigned int num = 1; (p = ibc_node_port(node, num)); num++)
		if (p->peer && p->peer->node->type == IBC_NODE_CA)
			return true;
	return false;
}

/* Does a leaf switch of this type, hosts of which answer, have a switch behind this port? */
static bool is_uplink_number(const struct ibc_fabric *fab, uint64_t type, unsigned int num)
{
	const struct ibc_node *node;
	const struct ibc_port *p;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		if (device_type(node) == type && (p = ibc_node_port(node, num)) && p->peer &&
		    p->peer->node->type == IBC_NODE_SWITCH && has_ca(node))
			return true;
	return false;
}

/* Of a leaf switch none of whose hosts answers its uplinks are those of its like. */
static bool is_dark_leaf(const struct ibc_fabric *fab, const struct ibc_node *node)
{
	const struct ibc_port *p;
	bool is_silent = false;

	for (unsigned int num = 1; (p = ibc_node_port(node, num)); num++)
		is_silent |= has_silent_peer(p);
	for (unsigned int num = 1; is_silent && (p = ibc_node_port(node, num)); num++)
		if (p->peer && !is_uplink_number(fab, device_type(node), num))
			return false;
	return is_silent;
}

static int by_kind(const struct slot *x, const struct slot *y)
{
	const struct ibc_node *a = x->port->node, *b = y->port->node;

	return order_u64(a->subnet->index, b->subnet->index) ?: order_u64(x->type, y->type)
	           ?: x->edge - y->edge ?: x->port->num - y->port->num;
}

/* By GUID among those that are alike, so that the same port always comes first. */
static int by_kind_then_guid(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return by_kind(x, y) ?: order_u64(x->port->node->guid, y->port->node->guid);
}

struct slot *collect_slots(struct ibc_sink *out, const struct ibc_fabric *fab, size_t *n)
{
	struct slot *slots = sink_array(out, ibc_fabric_count(fab).ports, sizeof(*slots));
	const struct ibc_node *node = NULL;
	const struct ibc_port *p;
	bool edge = false;

	*n = 0;
	for (size_t i = 0; (p = ibc_fabric_port(fab, i)); i++) {
		if (p->node != node) {
			node = p->node;
			edge = node->type == IBC_NODE_SWITCH &&
			       (has_ca(node) || is_dark_leaf(fab, node));
		}
		if (p->num)
			slots[(*n)++] = (struct slot){ device_type(node), edge, p };
	}
	qsort(slots, *n, sizeof(*slots), by_kind_then_guid);
	return slots;
}

bool is_same_kind(const struct slot *a, const struct slot *z)
{
	return a->port->node->subnet == z->port->node->subnet && a->type == z->type &&
	       a->edge == z->edge;
}

size_t slots_equal(const struct slot *slots, size_t n)
{
	size_t equal = 1;

	while (equal < n && by_kind(&slots[0], &slots[equal]) == 0)
		equal++;
	return equal;
}

const char *subnet_intro(struct ibc_sink *out, const struct ibc_subnet *subnet)
{
	if (!ibc_fabric_subnet(subnet->fabric, 1))
		return "";
	out->subnet = subnet;
	return sink_text(out, "%s: ", subnet->source);
}

/* A file of the future, or a sweep without a time, has no age. */
const char *keys_text(struct ibc_sink *out, const struct ibc_subnet *subnet)
{
	static const struct {
		uint64_t seconds, until; /* twice the next */
		const char *unit;
	} units[] = { { 60, 7200, "min" }, { 3600, 172800, "h" }, { 86400, UINT64_MAX, "days" } };
	uint64_t age = subnet->time - subnet->keys_time;
	size_t i = 0;

	if (!subnet->keys_time || subnet->time < subnet->keys_time)
		return sink_text(out, "%s/guid2mkey", subnet->key_files);
	while (age >= units[i].until)
		i++;
	return sink_text(out, "%s/guid2mkey (written %ju %s before the sweep)", subnet->key_files,
	                 (uintmax_t)(age / units[i].seconds), units[i].unit);
}

int compare_ports(const struct ibc_port *a, const struct ibc_port *z)
{
	return order_u64(a->node->guid, z->node->guid) ?: a->num - z->num;
}

bool port_is_linkup(const struct ibc_port *port)
{
	return ibc_port_has(port, IBC_ATTR_PORT_INFO) && port->phys_state == IBC_PHYS_LINKUP;
}

bool is_known_cable(const struct ibc_port *port)
{
	return ibc_port_is_near_end(port) && port_is_linkup(port) && port_is_linkup(port->peer);
}

void examples_add(struct examples *examples, const struct ibc_port *port)
{
	if (examples->count < RELATED_MAX)
		examples->ports[examples->count] = port;
	examples->count++;
}

void examples_relate(struct ibc_sink *out, const struct examples *examples)
{
	for (size_t i = 0; i < examples->count && i < RELATED_MAX; i++)
		sink_relate(out, IBC_ROLE_FOUND, examples->ports[i]);
}

/* ---- queries without an answer ------------------------------------------------ */

bool has_silent_peer(const struct ibc_port *p)
{
	return p->num && !p->peer && ibc_port_unanswered(p, IBC_ATTR_NODE_INFO);
}

/* Has it left any of the queries open?  They are a set of @bits. */
static bool add_answers(struct unanswered *u, const struct ibc_answers *a, uint64_t queries,
                        const uint64_t bits[IBC_ATTR_COUNT])
{
	uint64_t open = a->asked & ~a->answered & ~a->unsupported & queries;

	u->asked += (uint64_t)__builtin_popcountll(a->asked & queries);
	if (!open)
		return false;
	for (unsigned int attr = 0; attr < IBC_ATTR_COUNT; attr++)
		u->of[attr] += !!(open & bits[attr]);
	u->open += (uint64_t)__builtin_popcountll(open);
	u->refused += (uint64_t)__builtin_popcountll(open & a->refused);
	u->subjects++;
	return true;
}

struct query_bits query_bits(struct ibc_attrs queries)
{
	return (struct query_bits){ attrs_to_bits(queries, attr_node_bits),
		                    attrs_to_bits(queries, attr_port_bits) };
}

struct unanswered unanswered_by(const struct ibc_node *node, struct query_bits queries)
{
	uint64_t known;
	struct unanswered u = { .asked = 0 };
	const struct ibc_port *p;

	add_answers(&u, &node->answers, queries.node, attr_node_bits);
	for (unsigned int num = 0; num <= node->num_ports; num++) {
		p = ibc_node_port(node, num);
		known = p && has_silent_peer(p) ? attr_port_bits[IBC_ATTR_NODE_INFO] : 0;
		if (p && add_answers(&u, &p->answers, queries.port & ~known, attr_port_bits))
			u.port = p;
	}
	return u;
}

size_t nodes_unanswered(const struct ibc_fabric *fab, enum ibc_attr attr,
                        const struct ibc_node **first)
{
	const struct ibc_node *node;
	size_t n = 0;

	*first = NULL;
	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		if (ibc_node_unanswered(node, attr) && !n++)
			*first = node;
	return n;
}

void report_unanswered_nodes(const struct ibc_input *in, struct ibc_sink *out, enum ibc_attr attr,
                             const char *things, const char *what, const char *advice)
{
	const struct ibc_node *first;
	size_t n = nodes_unanswered(in->fabric, attr, &first);

	if (!n)
		return;
	sink_as(out, IBC_UNKNOWN);
	sink_node(out, first, "%s%s", what,
	          n > 1 ? sink_text(out, "; %zu %s do not", n, things) : "");
	sink_advise(out, "%s", advice);
	sink_fact(out, things, ibc_u64(n));
	sink_unanswered(out, n);
}
