/* SPDX-License-Identifier: BSD-2-Clause */
/* What things have in common, and how many there are of it. */
#include "case/traits.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "case/explain.h"

#define VENDOR_MELLANOX 0x2c9 /* names its devices MT and the device id in decimal */

/* ---- of a node --------------------------------------------------------------------------- */

bool is_about_link(const struct ibc_subject *s)
{
	return s->kind == IBC_SUBJECT_PORT || s->kind == IBC_SUBJECT_CABLE;
}

struct trait_list {
	const struct things *things;
	struct trait *traits;
	size_t n;
};

static void add_trait(struct trait_list *l, enum trait_kind kind, uint64_t value,
                      const struct ibc_node *node, const struct ibc_node *far)
{
	uint64_t key = hash_mix(value) << 4 >> 4 | (uint64_t)kind << 60;

	for (size_t i = 0; i < l->n; i++)
		if (l->traits[i].key == key)
			return;
	if (l->n < THING_TRAITS_MAX)
		l->traits[l->n++] = (struct trait){ kind, key, node, far };
}

static uint64_t model_id(const struct ibc_node *node)
{
	return (uint64_t)node->vendor_id << 32 | (uint64_t)node->device_id << 16 |
	       (uint64_t)node->type << 8 | node->num_ports;
}

/* Where a plan says it stands, whichever fabric the node is of. */
static const char *rack_of(const struct things *t, const struct ibc_node *node)
{
	const struct ibc_node *planned = thing_counterpart(t, node);

	return node->rack ? node->rack : planned ? planned->rack : NULL;
}

static void add_places(struct trait_list *l, const struct ibc_node *node)
{
	const char *rack = rack_of(l->things, node);

	if (node->host_name)
		add_trait(l, TRAIT_HOST, hash_more(HASH_BEGIN, node->host_name), node, NULL);
	if (node->type == IBC_NODE_SWITCH && node->system_guid)
		add_trait(l, TRAIT_CHASSIS, node->system_guid, node, NULL);
	if (rack)
		add_trait(l, TRAIT_RACK, hash_more(HASH_BEGIN, rack), node, NULL);
}

static void add_switch(struct trait_list *l, const struct ibc_node *node)
{
	if (node->type == IBC_NODE_SWITCH)
		add_trait(l, TRAIT_SWITCH, thing_number(l->things, node), node, NULL);
}

static void add_node_traits(struct trait_list *l, const struct ibc_node *node)
{
	const struct ibc_port *port;

	for (unsigned int num = 1;
	     node->type != IBC_NODE_SWITCH && num <= 2 && (port = ibc_node_port(node, num)); num++)
		if (thing_peer(l->things, port))
			add_switch(l, thing_peer(l->things, port)->node);
	add_places(l, node);
	if (node->device_id)
		add_trait(l, TRAIT_MODEL, model_id(node), node, NULL);
}

/* ---- of a link ---------------------------------------------------------------------------- */

static void add_link_traits(struct trait_list *l, const struct ibc_port *port)
{
	const struct ibc_port *peer = thing_peer(l->things, port);
	const struct ibc_node *a = port->node, *z = peer ? peer->node : NULL;

	add_switch(l, a);
	add_places(l, a);
	if (!z)
		return;
	add_switch(l, z);
	add_places(l, z);
	if (a->device_id && z->device_id && model_id(a) > model_id(z))
		add_trait(l, TRAIT_MODEL, hash_mix(model_id(z)) ^ model_id(a), z, a);
	else if (a->device_id && z->device_id)
		add_trait(l, TRAIT_MODEL, hash_mix(model_id(a)) ^ model_id(z), a, z);
}

size_t traits_of(const struct things *t, const struct ibc_subject *s,
                 struct trait traits[THING_TRAITS_MAX])
{
	struct trait_list l = { .things = t, .traits = traits };
	const struct ibc_port *port = is_about_link(s) ? thing_port(t, &s->near) : NULL;
	const struct ibc_node *node = thing_node(t, &s->near);

	if (port)
		add_link_traits(&l, port);
	else if (node && s->kind == IBC_SUBJECT_NODE)
		add_node_traits(&l, node);
	return l.n;
}

uint64_t device_id_of(const struct things *t, const struct ibc_subject *s)
{
	const struct ibc_node *node = s->kind == IBC_SUBJECT_NODE ? thing_node(t, &s->near) : NULL;

	if (node && node->host_name)
		return hash_more(HASH_BEGIN, node->host_name);
	return node ? node->system_guid : 0;
}

/* ---- names -------------------------------------------------------------------------------- */

/* "MQM8700" of "MF0;spine02:MQM8700/U1"; else "MT4115", "device 0x1234". */
static void model_text(const struct ibc_node *node, char *buf, size_t size)
{
	const char *board = strncmp(node->desc, "MF0;", 4) ? NULL : strchr(node->desc, ':');

	if (board)
		snprintf(buf, size, "%.*s", (int)strcspn(board + 1, "/"), board + 1);
	else if (node->vendor_id == VENDOR_MELLANOX)
		snprintf(buf, size, "MT%u", node->device_id);
	else
		snprintf(buf, size, "device 0x%04x", node->device_id);
}

char *trait_text(const struct things *t, const struct trait *trait, char buf[TRAIT_TEXT])
{
	const struct ibc_node *node = trait->node;
	char near[TRAIT_TEXT / 3], far[TRAIT_TEXT / 3];

	if (trait->kind != TRAIT_MODEL) {
		snprintf(buf, TRAIT_TEXT, "%s",
		         trait->kind == TRAIT_HOST   ? node->host_name
		         : trait->kind == TRAIT_RACK ? rack_of(t, node)
		                                     : node->label);
		return buf;
	}
	model_text(node, near, sizeof(near));
	if (trait->far)
		model_text(trait->far, far, sizeof(far));
	snprintf(buf, TRAIT_TEXT, "%s%s%s", near, trait->far ? " and " : "", trait->far ? far : "");
	return buf;
}

/* ---- how many there are ------------------------------------------------------------------- */

static struct tally *slot_of(const struct tallies *all, uint64_t key)
{
	size_t i = hash_mix(key) & all->mask;

	while (all->slots[i].key && all->slots[i].key != key)
		i = (i + 1) & all->mask;
	return &all->slots[i];
}

const struct tally *find_tally(const struct tallies *all, uint64_t key)
{
	return slot_of(all, key);
}

static void count_all(const struct tallies *all, const struct trait_list *l, bool link)
{
	for (size_t i = 0; i < l->n; i++) {
		struct tally *slot = slot_of(all, l->traits[i].key);

		if (slot->key && link)
			slot->links++;
		else if (slot->key)
			slot->nodes++;
	}
}

/* A cable once, at its near end; of those that are only planned nothing was checked. */
static void count_links(const struct things *t, const struct tallies *all,
                        const struct ibc_node *node)
{
	const struct ibc_port *port;

	for (unsigned int num = 1; (port = ibc_node_port(node, num)); num++) {
		struct trait traits[THING_TRAITS_MAX];
		struct trait_list l = { .things = t, .traits = traits };

		if (!port->peer || !ibc_port_is_near_end(port))
			continue;
		add_link_traits(&l, port);
		count_all(all, &l, true);
	}
}

static void count_things(const struct things *t, const struct tallies *all)
{
	for (size_t i = 0; i < t->num_nodes; i++) {
		const struct ibc_node *node = thing_at(t, i);
		struct trait traits[THING_TRAITS_MAX];
		struct trait_list l = { .things = t, .traits = traits };

		if (!node)
			continue;
		add_node_traits(&l, node);
		count_all(all, &l, false);
		if (i < t->num_found)
			count_links(t, all, node);
	}
}

static bool more_slots(const struct things *t, struct tallies *all)
{
	struct tallies more = { .mask = 2 * all->mask + 1, .n = all->n };

	more.slots = arena_array(t->arena, more.mask + 1, sizeof(*more.slots));
	if (!more.slots)
		return false;
	for (size_t i = 0; all->slots && i <= all->mask; i++)
		if (all->slots[i].key)
			*slot_of(&more, all->slots[i].key) = all->slots[i];
	*all = more;
	return true;
}

static bool note_trait(const struct things *t, struct tallies *all, uint64_t key)
{
	struct tally *slot;

	if (2 * all->n >= all->mask && !more_slots(t, all))
		return false;
	slot = slot_of(all, key);
	all->n += !slot->key;
	slot->key = key;
	return true;
}

/* Things with findings whose cable nobody saw are there as well. */
static bool note_traits(const struct things *t, struct tallies *all, const struct ibc_subject *s)
{
	const struct ibc_port *port = is_about_link(s) ? thing_port(t, &s->near) : NULL;
	struct trait traits[THING_TRAITS_MAX];
	struct trait_list l = { .things = t, .traits = traits };

	l.n = traits_of(t, s, traits);
	for (size_t i = 0; i < l.n; i++)
		if (!note_trait(t, all, traits[i].key))
			return false;
	if (port && (!port->peer || thing_number(t, port->node) >= t->num_found))
		count_all(all, &l, true);
	return true;
}

bool tally_traits(const struct things *t, const struct findings *f, struct tallies *out)
{
	*out = (struct tallies){ .mask = 0 };
	if (!more_slots(t, out))
		return false;
	for (size_t i = 0; i < f->n; i++)
		if (f->check[i] && f->check[i]->many && f->cause[i] == i &&
		    !note_traits(t, out, &f->list[i]->subject))
			return false;
	if (out->n)
		count_things(t, out);
	return true;
}
