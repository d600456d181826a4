/* SPDX-License-Identifier: BSD-2-Clause */
/* From the subjects of findings to the things of the fabrics, and their keys. */
#include "case/things.h"

#include <stdlib.h>
#include <string.h>

#include <ibcheck/topo.h>

#include "analysis/compare/compare.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/str.h"
#include "fabric/fabric.h"

#define PORT_BITS  8  /* a port has a number of one byte (IBA 14.2.5.3) */
#define KIND_SHIFT 60 /* of a key: the bits below are which one of its kind */

/* ---- nodes ---------------------------------------------------------------------------- */

static int by_hash(const void *va, const void *vz)
{
	const struct name_entry *a = va, *z = vz;

	return order_u64(a->hash, z->hash);
}

static void add_names(struct things *t, const struct ibc_fabric *fab)
{
	const struct ibc_node *node;

	for (size_t i = 0; fab && (node = ibc_fabric_node(fab, i)); i++)
		if (node->named_only)
			t->names[t->num_names++] = (struct name_entry){
				hash_more(HASH_BEGIN, node->label), node
			};
}

struct things things_make(const struct ibc_input *in, struct arena *arena)
{
	const struct match *match = in->comparison ? comparison_match(in->comparison) : NULL;
	struct things things = {
		.arena = arena,
		.found = in->fabric,
		.planned = match ? match->planned : NULL,
		.cmp = in->comparison,
		.hosts = in->fleet,
		.several_subnets = in->fabric && ibc_fabric_subnet(in->fabric, 1),
	}, *t = &things;

	t->num_found = t->found ? ibc_fabric_count(t->found).nodes : 0;
	t->num_nodes = t->num_found + (t->planned ? ibc_fabric_count(t->planned).nodes : 0);
	t->names = arena_array(arena, t->num_nodes + 1, sizeof(*t->names));
	add_names(t, t->found);
	add_names(t, t->planned);
	qsort(t->names, t->num_names, sizeof(*t->names), by_hash);
	return things;
}

size_t thing_number(const struct things *t, const struct ibc_node *node)
{
	return node->subnet->fabric == t->found ? node_order(node)
	                                        : t->num_found + node_order(node);
}

const struct ibc_node *thing_counterpart(const struct things *t, const struct ibc_node *node)
{
	return t->cmp ? ibc_comparison_counterpart(t->cmp, node) : NULL;
}

static const struct ibc_node *in_place(const struct things *t, const struct ibc_node *node)
{
	const struct ibc_node *found = NULL;

	if (node && node->subnet->fabric != t->found)
		found = thing_counterpart(t, node);
	return found ? found : node;
}

const struct ibc_node *thing_at(const struct things *t, size_t number)
{
	const struct ibc_node *node;

	if (number < t->num_found)
		return ibc_fabric_node(t->found, number);
	node = ibc_fabric_node(t->planned, number - t->num_found);
	return in_place(t, node) == node ? node : NULL;
}

const struct ibc_node *thing_node(const struct things *t, const struct ibc_end *end)
{
	struct name_entry wanted = { .hash = end->label ? hash_more(HASH_BEGIN, end->label) : 0 };
	const struct ibc_node *node = NULL;
	const struct name_entry *entry;

	if (end->has_guid) {
		if (t->found)
			node = ibc_fabric_node_by_guid(t->found, end->guid);
		if (!node && t->planned)
			node = ibc_fabric_node_by_guid(t->planned, end->guid);
	} else if (end->label) {
		entry = bsearch(&wanted, t->names, t->num_names, sizeof(wanted), by_hash);
		node = entry && !strcmp(entry->node->label, end->label) ? entry->node : NULL;
	}
	return in_place(t, node);
}

/* ---- ports ---------------------------------------------------------------------------- */

static const struct ibc_port *port_in_place(const struct things *t, const struct ibc_port *port)
{
	const struct ibc_node *node = in_place(t, port->node);
	const struct ibc_port *found = node == port->node ? NULL : ibc_node_port(node, port->num);

	return found ? found : port;
}

const struct ibc_port *thing_peer(const struct things *t, const struct ibc_port *port)
{
	const struct ibc_node *planned;

	if (port->peer)
		return port_in_place(t, port->peer);
	if (port->node->subnet->fabric != t->found)
		return NULL;
	planned = thing_counterpart(t, port->node);
	port = planned ? ibc_node_port(planned, port->num) : NULL;
	return port && port->peer ? port_in_place(t, port->peer) : NULL;
}

static uint64_t place_number(const struct things *t, const struct ibc_port *port)
{
	return thing_number(t, port->node) << PORT_BITS | port->num;
}

struct spot spot_of_port(const struct things *t, const struct ibc_port *port)
{
	const struct ibc_port *peer = thing_peer(t, port);

	return (struct spot){ port->node, port, peer, place_number(t, port),
		              peer ? place_number(t, peer) : 0 };
}

static struct spot spot_of_end(const struct things *t, const struct ibc_end *end)
{
	const struct ibc_node *node = thing_node(t, end);
	const struct ibc_port *port = node && end->has_port ? ibc_node_port(node, end->port) : NULL;

	if (port)
		return spot_of_port(t, port);
	return (struct spot){ .node = node, .at = node ? thing_number(t, node) << PORT_BITS : 0 };
}

struct thing thing_of(const struct things *t, const struct ibc_subject *subject)
{
	struct thing thing = { t, subject, .near = spot_of_end(t, &subject->near) };

	if (subject->kind == IBC_SUBJECT_CABLE)
		thing.far = spot_of_end(t, &subject->far);
	return thing;
}

/* ---- keys ----------------------------------------------------------------------------- */

static void add_key(struct keys *keys, enum key_kind kind, uint64_t value)
{
	arena_grow(keys->arena, &keys->key, keys->n, &keys->room, sizeof(*keys->key));
	keys->key[keys->n++] = (uint64_t)kind << KIND_SHIFT | (value << 4 >> 4);
}

static void add_text_key(struct keys *keys, enum key_kind kind, const char *name)
{
	add_key(keys, kind, hash_more(HASH_BEGIN, name ? name : ""));
}

uint64_t key_of_node(size_t number)
{
	return (uint64_t)KEY_NODE << KIND_SHIFT | number;
}

size_t node_of_key(uint64_t key)
{
	return key << (64 - KIND_SHIFT) >> (64 - KIND_SHIFT);
}

static bool is_absent(const struct things *t, uint64_t at)
{
	return at >> PORT_BITS >= t->num_found;
}

static void keys_of_spot(const struct things *t, const struct spot *spot, struct keys *keys)
{
	if (spot->port)
		add_key(keys, KEY_PORT, spot->at);
	else if (spot->node)
		add_key(keys, KEY_NODE, spot->at >> PORT_BITS);
	if (spot->peer && is_absent(t, spot->peer_at) && !spot->port->peer)
		add_key(keys, KEY_NODE, spot->peer_at >> PORT_BITS);
}

/* What was not found is known by its GUID, and by its name, which is all that a plan may have. */
static void keys_of_absent(const struct things *t, const struct ibc_end *end,
                           const struct spot *spot, struct keys *keys)
{
	const char *name = end->label ? end->label : end->desc;
	char guid[STR_GUID_MAX];

	if (spot->node && !is_absent(t, spot->at))
		return;
	if (end->has_guid)
		add_text_key(keys, KEY_NAME, str_from_guid(guid, end->guid));
	if (name)
		add_text_key(keys, KEY_NAME, name);
}

void keys_of_thing(const struct thing *thing, struct keys *keys)
{
	const struct ibc_subject *s = thing->subject;
	char identity[IBC_IDENTITY_MAX];
	size_t n = keys->n;

	if (s->kind == IBC_SUBJECT_FABRIC)
		keys_subnet(thing, keys);
	else if (s->kind == IBC_SUBJECT_HOST)
		add_text_key(keys, KEY_NAME, s->near.desc);
	else
		keys_of_spot(thing->things, &thing->near, keys);
	if (s->kind == IBC_SUBJECT_NODE)
		keys_of_absent(thing->things, &s->near, &thing->near, keys);
	keys_of_spot(thing->things, &thing->far, keys);
	if (keys->n == n)
		add_text_key(keys, KEY_NAME, ibc_subject_identity(s, identity));
}

static void keys_at_node(const struct ibc_node *node, uint64_t at, struct keys *keys)
{
	add_key(keys, KEY_NODE, at >> PORT_BITS);
	if (node->host_name)
		add_text_key(keys, KEY_NAME, node->host_name);
}

void keys_at_spot(const struct spot *spot, struct keys *keys)
{
	if (spot->port)
		add_key(keys, KEY_PORT, spot->at);
	if (spot->node)
		keys_at_node(spot->node, spot->at, keys);
	if (!spot->peer)
		return;
	add_key(keys, KEY_PORT, spot->peer_at);
	keys_at_node(spot->peer->node, spot->peer_at, keys);
}

void keys_at(const struct thing *thing, struct keys *keys)
{
	if (thing->subject->kind == IBC_SUBJECT_FABRIC)
		return;
	keys_at_spot(&thing->near, keys);
	keys_at_spot(&thing->far, keys);
	keys_of_absent(thing->things, &thing->subject->near, &thing->near, keys);
	if (thing->subject->kind == IBC_SUBJECT_CABLE)
		keys_of_absent(thing->things, &thing->subject->far, &thing->far, keys);
	keys_of_thing(thing, keys);
}

/* A host comes and goes without its switch. */
static void keys_beside_spot(const struct spot *spot, struct keys *keys)
{
	const struct ibc_node *node = spot->node, *peer = spot->peer ? spot->peer->node : NULL;

	if (!node)
		return;
	if (!peer || node->type != IBC_NODE_SWITCH || peer->type == IBC_NODE_SWITCH)
		add_key(keys, KEY_BESIDE, spot->at >> PORT_BITS);
	if (peer && (node->type == IBC_NODE_SWITCH || peer->type != IBC_NODE_SWITCH))
		add_key(keys, KEY_BESIDE, spot->peer_at >> PORT_BITS);
}

void keys_beside(const struct thing *thing, struct keys *keys)
{
	if (thing->subject->kind == IBC_SUBJECT_FABRIC)
		return;
	keys_beside_spot(&thing->near, keys);
	keys_beside_spot(&thing->far, keys);
}

void keys_of_nodes(const struct thing *thing, struct keys *keys)
{
	if (thing->subject->kind == IBC_SUBJECT_FABRIC)
		return;
	if (thing->near.node)
		add_key(keys, KEY_BESIDE, thing->near.at >> PORT_BITS);
	if (thing->far.node)
		add_key(keys, KEY_BESIDE, thing->far.at >> PORT_BITS);
}

void keys_subnet(const struct thing *thing, struct keys *keys)
{
	const struct spot *spot = &thing->near;

	if (!thing->things->several_subnets)
		add_text_key(keys, KEY_SUBNET, NULL);
	else if (thing->subject->kind == IBC_SUBJECT_FABRIC)
		add_text_key(keys, KEY_SUBNET, thing->subject->near.desc);
	else if (spot->node && !is_absent(thing->things, spot->at))
		add_text_key(keys, KEY_SUBNET, spot->node->subnet->source);
}

const struct ibc_subnet *thing_subnet(const struct thing *thing)
{
	const struct ibc_subnet *subnet = NULL;

	if (thing->near.node)
		return thing->near.node->subnet;
	for (size_t i = 0; thing->things->found; i++) {
		subnet = ibc_fabric_subnet(thing->things->found, i);
		if (!subnet || !thing->things->several_subnets ||
		    !strcmp(subnet->source, thing->subject->near.desc))
			break;
	}
	return subnet;
}
