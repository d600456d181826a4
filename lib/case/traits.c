/* SPDX-License-Identifier: BSD-2-Clause */
/* What things have in common, and how many there are of it. */
#include "case/traits.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "case/explain.h"
#include "fabric/fabric.h"

/* ---- of a node --------------------------------------------------------------------------- */

bool is_about_link(const struct ibc_subject *s)
{
	return s->kind == IBC_SUBJECT_PORT || s->kind == IBC_SUBJECT_CABLE;
}

struct trait_list {
	struct tallies *all;
	struct trait *traits;
	size_t n;
};

/* struct node_traits - what a node shares with its links; the first of them that it is a switch */
struct node_traits {
	struct trait *traits;
	size_t n, switches;
};

/* Of those that have each once, what is not there. */
static void add_new(struct trait_list *l, const struct trait *traits, size_t n)
{
	for (size_t i = 0, had = l->n, k; i < n && l->n < THING_TRAITS_MAX; i++) {
		for (k = 0; k < had && l->traits[k].number != traits[i].number;)
			k++;
		if (k == had)
			l->traits[l->n++] = traits[i];
	}
}

static void add_trait(struct trait_list *l, enum trait_kind kind, uint64_t value,
                      const struct ibc_node *node, const struct ibc_node *far)
{
	uint64_t key = hash_mix(value) << 4 >> 4 | (uint64_t)kind << 60;
	struct tallies *all = l->all;
	struct trait trait = {
		.kind = kind, .value = (unsigned int)value, .node = node, .far = far
	};

	if (!all->noted)
		arena_grow(all->things->arena, &all->list, all->number.n, &all->room,
		           sizeof(*all->list));
	trait.number = all->noted ? map_find(&all->number, key)
	                          : map_add(&all->number, key, all->number.n);
	add_new(l, &trait, trait.number != MAP_NONE);
}

static uint64_t model_id(const struct ibc_node *node)
{
	return (uint64_t)node->vendor_id << 32 | (uint64_t)node->device_id << 16 |
	       (uint64_t)node->type << 8 | node->num_ports;
}

static const char *place_in(const struct ibc_node *node, enum trait_kind kind)
{
	return kind == TRAIT_RACK ? node->rack : kind == TRAIT_ROW ? node->row : node->pod;
}

/* Where a plan says it stands, whichever fabric the node is of. */
static const char *place_of(const struct things *t, const struct ibc_node *node,
                            enum trait_kind kind)
{
	const struct ibc_node *planned = thing_counterpart(t, node);
	const char *place = place_in(node, kind);

	return place || !planned ? place : place_in(planned, kind);
}

/* All links of a node have them: they are made once. */
static struct node_traits traits_at(struct tallies *all, const struct ibc_node *node)
{
	struct node_traits *at = &all->of_node[thing_number(all->things, node)];
	bool has_software = ibc_node_has(node, IBC_ATTR_GENERAL_INFO);
	struct trait traits[THING_TRAITS_MAX];
	struct trait_list l = { .all = all, .traits = traits };

	if (at->traits)
		return *at;
	if (node->type == IBC_NODE_SWITCH)
		add_trait(&l, TRAIT_SWITCH, thing_number(all->things, node), node, NULL);
	at->switches = l.n;
	if (node->host_name)
		add_trait(&l, TRAIT_HOST, hash_more(HASH_BEGIN, node->host_name), node, NULL);
	if (node->type == IBC_NODE_SWITCH && node->system_guid)
		add_trait(&l, TRAIT_CHASSIS, node->system_guid, node, NULL);
	for (enum trait_kind kind = TRAIT_RACK; kind <= TRAIT_POD; kind++) {
		const char *place = place_of(all->things, node, kind);

		if (place)
			add_trait(&l, kind, hash_more(HASH_BEGIN, place), node, NULL);
	}
	/* a version, and a PSID, is one of a model */
	if (has_software && node->psid)
		add_trait(&l, TRAIT_PSID, hash_more(model_id(node), node->psid), node, NULL);
	if (has_software && node->firmware)
		add_trait(&l, TRAIT_FIRMWARE, hash_more(model_id(node), node->firmware), node,
		          NULL);
	at->n = l.n;
	at->traits = arena_array(all->things->arena, l.n + !l.n, sizeof(*at->traits));
	memcpy(at->traits, traits, l.n * sizeof(*traits));
	return *at;
}

static void add_node_traits(struct trait_list *l, const struct ibc_node *node)
{
	struct node_traits own = traits_at(l->all, node), at;
	const struct ibc_port *port, *peer;

	for (unsigned int num = 1;
	     node->type != IBC_NODE_SWITCH && num <= 2 && (port = ibc_node_port(node, num)); num++)
		if ((peer = thing_peer(l->all->things, port))) {
			at = traits_at(l->all, peer->node);
			add_new(l, at.traits, at.switches);
		}
	add_new(l, own.traits + own.switches, own.n - own.switches);
	if (node->device_id)
		add_trait(l, TRAIT_MODEL, model_id(node), node, NULL);
}

/* ---- of a link ---------------------------------------------------------------------------- */

/* A part number is one of a vendor. */
static void add_part(struct trait_list *l, const struct ibc_port *port)
{
	const struct ibc_module *m = port->extra->module;
	size_t n = l->n;

	if (!m || !m->part)
		return;
	add_trait(l, TRAIT_PART,
	          hash_more(hash_more(HASH_BEGIN, m->vendor ? m->vendor : ""), m->part), port->node,
	          NULL);
	if (l->n > n)
		l->traits[n].module = m;
}

static void add_link_traits(struct trait_list *l, const struct spot *spot)
{
	const struct ibc_node *a = spot->node, *z = spot->peer ? spot->peer->node : NULL;
	struct node_traits at = traits_at(l->all, a);

	add_new(l, at.traits, at.n);
	if (spot->port->speed_active)
		add_trait(l, TRAIT_SPEED, spot->port->speed_active, a, NULL);
	add_part(l, spot->port);
	if (!z)
		return;
	at = traits_at(l->all, z);
	add_new(l, at.traits, at.n);
	add_part(l, spot->peer);
	if (a->device_id && z->device_id && model_id(a) > model_id(z))
		add_trait(l, TRAIT_MODEL, hash_mix(model_id(z)) ^ model_id(a), z, a);
	else if (a->device_id && z->device_id)
		add_trait(l, TRAIT_MODEL, hash_mix(model_id(a)) ^ model_id(z), a, z);
}

size_t traits_of(struct tallies *all, const struct thing *thing,
                 struct trait traits[THING_TRAITS_MAX])
{
	struct trait_list l = { .all = all, .traits = traits };

	if (is_about_link(thing->subject) && thing->near.port)
		add_link_traits(&l, &thing->near);
	else if (thing->subject->kind == IBC_SUBJECT_NODE && thing->near.node)
		add_node_traits(&l, thing->near.node);
	return l.n;
}

uint64_t device_id_of(const struct thing *thing)
{
	const struct ibc_node *node = thing->subject->kind == IBC_SUBJECT_NODE ? thing->near.node
	                                                                       : NULL;

	if (node && node->host_name)
		return hash_more(HASH_BEGIN, node->host_name);
	return node ? node->system_guid : 0;
}

/* ---- names -------------------------------------------------------------------------------- */

/* "MQM8700" of "MF0;spine02:MQM8700/U1"; else by the device id. */
static void model_text(const struct ibc_node *node, char *buf, size_t size)
{
	const char *board = strncmp(node->desc, "MF0;", 4) ? NULL : strchr(node->desc, ':');

	if (board)
		snprintf(buf, size, "%.*s", (int)strcspn(board + 1, "/"), board + 1);
	else
		node_device_text(node, buf, size);
}

char *trait_text(const struct things *t, const struct trait *trait, char buf[TRAIT_TEXT])
{
	const struct ibc_node *node = trait->node;
	char near[TRAIT_TEXT / 3], far[TRAIT_TEXT / 3];

	if (!is_class(trait->kind)) {
		snprintf(buf, TRAIT_TEXT, "%s",
		         trait->kind == TRAIT_HOST   ? node->host_name
		         : trait->kind >= TRAIT_RACK ? place_of(t, node, trait->kind)
		                                     : node->label);
		return buf;
	}
	if (trait->kind == TRAIT_SPEED) {
		snprintf(buf, TRAIT_TEXT, "%s", ibc_speed_word(trait->value)->name);
		return buf;
	}
	if (trait->kind == TRAIT_PART) {
		const struct ibc_module *m = trait->module;

		snprintf(buf, TRAIT_TEXT, "%s%s%s", m->vendor ? m->vendor : "",
		         m->vendor ? " " : "", m->part);
		return buf;
	}
	model_text(node, near, sizeof(near));
	if (trait->kind != TRAIT_MODEL) {
		snprintf(buf, TRAIT_TEXT, "%s %s", near,
		         trait->kind == TRAIT_PSID ? node->psid : node->firmware);
		return buf;
	}
	if (trait->far)
		model_text(trait->far, far, sizeof(far));
	snprintf(buf, TRAIT_TEXT, "%s%s%s", near, trait->far ? " and " : "", trait->far ? far : "");
	return buf;
}

/* ---- how many there are ------------------------------------------------------------------- */

static void count_all(const struct trait_list *l, bool link)
{
	for (size_t i = 0; i < l->n; i++) {
		struct tally *tally = &l->all->list[l->traits[i].number];

		*(link ? &tally->links : &tally->nodes) += 1;
	}
}

/* A cable once, at its near end; of those that are only planned nothing was checked. */
static void count_things(struct tallies *all)
{
	const struct things *t = all->things;
	struct trait traits[THING_TRAITS_MAX];
	struct trait_list l = { .all = all, .traits = traits };
	const struct ibc_port *port;

	for (size_t i = 0; i < t->num_nodes; i++) {
		const struct ibc_node *node = thing_at(t, i);

		if (!node)
			continue;
		l.n = 0;
		add_node_traits(&l, node);
		count_all(&l, false);
		for (unsigned int num = 1; i < t->num_found && (port = ibc_node_port(node, num));
		     num++) {
			struct spot spot;

			if (!ibc_port_is_near_end(port))
				continue;
			l.n = 0;
			spot = spot_of_port(t, port);
			add_link_traits(&l, &spot);
			count_all(&l, true);
		}
	}
}

struct tallies tally_traits(const struct things *t, const struct findings *f)
{
	struct tallies all = {
		.things = t,
		.number = { .arena = t->arena },
		.of_node = arena_array(t->arena, t->num_nodes + 1, sizeof(*all.of_node)),
	};

	for (size_t i = 0; i < f->n; i++) {
		const struct ibc_port *port = is_about_link(f->thing[i].subject)
		                                  ? f->thing[i].near.port
		                                  : NULL;
		struct trait traits[THING_TRAITS_MAX];
		struct trait_list l = { .all = &all, .traits = traits };

		if (!f->check[i] || !f->check[i]->many || f->cause[i] != i)
			continue;
		l.n = traits_of(&all, &f->thing[i], traits);
		/* things with findings whose cable was not seen are there as well */
		if (port && (!port->peer || thing_number(t, port->node) >= t->num_found))
			count_all(&l, true);
	}
	all.noted = true;
	if (all.number.n)
		count_things(&all);
	return all;
}
