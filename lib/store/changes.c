/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is otherwise than in the last sweep: links that went down or came up, cables that were
 * moved, widths, speeds, names, firmware, LIDs.  Of each only what both sweeps read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/str.h"
#include "fabric/fabric.h"
#include "store/store.h"

#define PLUG_TEXT 128 /* part and serial number have 16 characters each, of up to 3 bytes */

static const char *place(const struct ibc_port *port, char text[IBC_PLACE_TEXT])
{
	return ibc_place_text((struct ibc_place){ port ? port->node : NULL, port ? port->num : 0 },
	                      text, IBC_PLACE_TEXT);
}

void store_add_change(struct ibc_store *store, const struct ibc_node *node, unsigned int num,
                      const char *what, const char *before, const char *after)
{
	char guid[STR_GUID_MAX], thing[STR_GUID_MAX + 8], name[IBC_PLACE_TEXT];

	str_from_guid(guid, node->guid);
	snprintf(thing, sizeof(thing), num ? "%s/%u" : "%s", guid, num);
	ibc_place_text((struct ibc_place){ node, num }, name, sizeof(name));
	sql_run(&store->sql,
	        "INSERT INTO change(run, time, thing, name, what, was, became)"
	        " VALUES(?, ?, ?, ?, ?, ?, ?)",
	        "iittttt", store->run, (int64_t)store->opts.now, thing, name, what, before, after);
}

/* One that leads from a port to another. */
static void add_port_change(struct ibc_store *store, const struct ibc_port *port, const char *what,
                            const struct ibc_port *was, const struct ibc_port *is)
{
	char before[IBC_PLACE_TEXT], after[IBC_PLACE_TEXT];

	store_add_change(store, port->node, port->num, what, place(was, before), place(is, after));
}

/* ---- links --------------------------------------------------------------------------- */

/* A cable that was there, by its near end. */
static void compare_cable(struct ibc_store *store, const struct ibc_port *was)
{
	const struct ibc_port *is = fabric_same_port(store->fabric, was);
	char before[64], after[64];

	if (!port_link_is_known(is)) {
		was = was->peer;
		is = fabric_same_port(store->fabric, was);
	}
	if (!port_link_is_known(is))
		return;
	if (!port_keeps_peer(was, is)) {
		add_port_change(store, is, is->peer ? "moved" : "link-down", was->peer, is->peer);
		return;
	}
	if (!was->width_active || !is->width_active || !was->speed_active || !is->speed_active ||
	    (was->width_active == is->width_active && was->speed_active == is->speed_active))
		return;
	snprintf(before, sizeof(before), "%ux %s", ibc_width_lanes(was->width_active),
	         ibc_speed_word(was->speed_active)->name);
	snprintf(after, sizeof(after), "%ux %s", ibc_width_lanes(is->width_active),
	         ibc_speed_word(is->speed_active)->name);
	store_add_change(store, is->node, is->num, "rate", before, after);
}

/* ---- nodes --------------------------------------------------------------------------- */

static void compare_text(struct ibc_store *store, const struct ibc_node *node, const char *what,
                         const char *was, const char *is)
{
	if (was && is && *was && *is && strcmp(was, is) != 0)
		store_add_change(store, node, 0, what, was, is);
}

static void compare_node(struct ibc_store *store, const struct ibc_node *was,
                         const struct ibc_node *is)
{
	const struct ibc_port *then, *now;
	char before[16], after[16];
	bool is_switch = is->type == IBC_NODE_SWITCH;

	compare_text(store, is, "name", was->label, is->label);
	compare_text(store, is, "firmware", was->firmware, is->firmware);
	for (unsigned int i = !is_switch; i <= (is_switch ? 0 : is->num_ports); i++) {
		then = ibc_node_port(was, i);
		now = ibc_node_port(is, i);
		if (!then || !now || !then->lid || !now->lid || then->lid == now->lid)
			continue;
		snprintf(before, sizeof(before), "%u", then->lid);
		snprintf(after, sizeof(after), "%u", now->lid);
		store_add_change(store, is, i, "lid", before, after);
	}
}

/*
 * Cables and modules that are not where the last sweep saw them, by their serial numbers: they
 * were moved, or are in the place of others.  What was not read in both sweeps is no change; two
 * ports of one plug are one.  O(ports).
 */

/*
 * struct gone_plug - where a plug was that is there no more; both ends of a cable have one serial
 *	number
 * @taken: the first of a name: so many of them are somewhere else now
 */
struct gone_plug {
	const struct ibc_port *was;
	size_t order, taken;
	char name[PLUG_TEXT];
};

/* "MCP1600-C003 SN MT2012VS00123"; false: nothing distinguishes it from others. */
static bool plug_name(const struct ibc_port *port, char name[PLUG_TEXT])
{
	const struct ibc_module *m = port ? port->extra->module : NULL;

	if (!m || !m->serial || m->kind == IBC_MODULE_UNPLUGGED || ibc_module_port(port) != port)
		return false;
	snprintf(name, PLUG_TEXT, "%s%sSN %s", m->part ? m->part : "", m->part ? " " : "",
	         m->serial);
	return true;
}

/* The plug of the port is another one, or gone: both sweeps looked. */
static bool has_changed(const struct ibc_port *was, const struct ibc_port *is)
{
	char before[PLUG_TEXT], after[PLUG_TEXT];
	bool had = plug_name(was, before), has = plug_name(is, after);

	return was && is && was->extra->module && is->extra->module && (had || has) &&
	       !(had && has && !strcmp(before, after));
}

static int by_plug(const void *va, const void *vz)
{
	const struct gone_plug *a = va, *z = vz;

	return strcmp(a->name, z->name);
}

static int by_plug_and_order(const void *va, const void *vz)
{
	const struct gone_plug *a = va, *z = vz;

	return by_plug(a, z) ?: order_u64(a->order, z->order);
}

static void compare_plugs(struct ibc_store *store, const struct ibc_fabric *before)
{
	struct gone_plug *gone = NULL;
	const struct ibc_port *was, *is;
	size_t num = 0, room = 0;

	for (size_t i = 0; (was = ibc_fabric_port(before, i)); i++) {
		if (!has_changed(was, fabric_same_port(store->fabric, was)))
			continue;
		arena_grow(store->arena, &gone, num, &room, sizeof(*gone));
		gone[num] = (struct gone_plug){ .was = was, .order = num };
		num += plug_name(was, gone[num].name);
	}
	if (num)
		qsort(gone, num, sizeof(*gone), by_plug_and_order);
	for (size_t i = 0; (is = ibc_fabric_port(store->fabric, i)); i++) {
		struct gone_plug plug, *first;
		char old[PLUG_TEXT];
		size_t same = 1, last;

		was = fabric_same_port(before, is);
		if (!has_changed(was, is) || !plug_name(is, plug.name))
			continue;
		first = num ? bsearch(&plug, gone, num, sizeof(*gone), by_plug) : NULL;
		while (first && first > gone && !by_plug(first - 1, &plug))
			first--;
		while (first && first + same < gone + num && !by_plug(first + same, &plug))
			same++;
		/* where it came from, once for each of its ends: the first of them, then the last
		 */
		if (first && first->taken < same) {
			last = first->taken++;
			add_port_change(store, is, "cable-moved", first[last ? same - last : 0].was,
			                is);
		} else if (plug_name(was, old)) {
			store_add_change(store, is->node, is->num, "cable-replaced", old,
			                 plug.name);
		}
	}
}

void store_changes(struct ibc_store *store, const struct ibc_fabric *before)
{
	const struct ibc_node *node, *then;
	const struct ibc_port *port;

	if (!before)
		return;
	for (size_t i = 0; (port = fabric_next_cable(before, &i));)
		compare_cable(store, port);
	/* a cable that was not there, by its near end: the port was known, and free */
	for (size_t i = 0; (port = fabric_next_cable(store->fabric, &i));) {
		const struct ibc_port *near = fabric_same_port(before, port);
		const struct ibc_port *far = fabric_same_port(before, port->peer);

		if (!(near && near->peer) && !(far && far->peer) &&
		    (port_link_is_known(near) || port_link_is_known(far)))
			add_port_change(store, port, "link-up", NULL, port->peer);
	}
	for (size_t i = 0; (node = ibc_fabric_node(store->fabric, i)); i++)
		if ((then = ibc_fabric_node_by_guid(before, node->guid)))
			compare_node(store, then, node);
	compare_plugs(store, before);
}
