/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is otherwise than in the last sweep: links that went down or came up, cables that were
 * moved, widths, speeds, names, firmware, LIDs.  Of each only what both sweeps read.
 */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
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

static bool is_port(const struct ibc_port *a, const struct ibc_port *b)
{
	return a && a->node->guid == b->node->guid && a->num == b->num;
}

/* Is it known of this port whether it has a link? */
static bool is_told(const struct ibc_port *port)
{
	return port && (port->peer || ibc_port_has_state(port));
}

static void compare_rate(struct ibc_store *store, const struct ibc_port *was,
                         const struct ibc_port *is)
{
	char before[64], after[64];

	if (!was->width_active || !is->width_active || !was->speed_active || !is->speed_active)
		return;
	if (was->width_active == is->width_active && was->speed_active == is->speed_active)
		return;
	snprintf(before, sizeof(before), "%ux %s", ibc_width_lanes(was->width_active),
	         ibc_speed_word(was->speed_active)->name);
	snprintf(after, sizeof(after), "%ux %s", ibc_width_lanes(is->width_active),
	         ibc_speed_word(is->speed_active)->name);
	store_add_change(store, is->node, is->num, "rate", before, after);
}

/* A cable that was there, by its near end. */
static void compare_cable(struct ibc_store *store, const struct ibc_port *was)
{
	const struct ibc_port *near = fabric_same_port(store->fabric, was);
	const struct ibc_port *far = fabric_same_port(store->fabric, was->peer);
	const struct ibc_port *seen = is_told(near) ? near : far;

	if (!is_told(seen))
		return;
	if (seen->peer && is_port(seen->peer, seen == near ? was->peer : was))
		compare_rate(store, seen == near ? was : was->peer, seen);
	else
		add_port_change(store, seen, seen->peer ? "moved" : "link-down",
		                seen == near ? was->peer : was, seen->peer);
}

/* One that was not, by its near end: the port was known, and free. */
static void find_new_cable(struct ibc_store *store, const struct ibc_fabric *before,
                           const struct ibc_port *is)
{
	const struct ibc_port *near = fabric_same_port(before, is),
			      *far = fabric_same_port(before, is->peer);

	if ((near && near->peer) || (far && far->peer) || (!is_told(near) && !is_told(far)))
		return;
	add_port_change(store, is, "link-up", NULL, is->peer);
}

/* ---- nodes --------------------------------------------------------------------------- */

static void compare_text(struct ibc_store *store, const struct ibc_node *node, const char *what,
                         const char *was, const char *is)
{
	if (was && is && *was && *is && strcmp(was, is) != 0)
		store_add_change(store, node, 0, what, was, is);
}

static void compare_lid(struct ibc_store *store, const struct ibc_port *was,
                        const struct ibc_port *is)
{
	char before[16], after[16];

	if (!was->lid || !is->lid || was->lid == is->lid)
		return;
	snprintf(before, sizeof(before), "%u", was->lid);
	snprintf(after, sizeof(after), "%u", is->lid);
	store_add_change(store, is->node, is->num, "lid", before, after);
}

static void compare_node(struct ibc_store *store, const struct ibc_node *was,
                         const struct ibc_node *is)
{
	const struct ibc_port *then, *now;
	bool is_switch = is->type == IBC_NODE_SWITCH;

	compare_text(store, is, "name", was->label, is->label);
	compare_text(store, is, "firmware", was->firmware, is->firmware);
	for (unsigned int i = !is_switch; i <= (is_switch ? 0 : is->num_ports); i++) {
		then = ibc_node_port(was, i);
		now = ibc_node_port(is, i);
		if (then && now)
			compare_lid(store, then, now);
	}
}

/*
 * Cables and modules that are not where the last sweep saw them, by their serial numbers: they
 * were moved, or are in the place of others.  What was not read in both sweeps is no change; two
 * ports of one plug are one.  O(ports).
 */

/* Where a plug was that is there no more; both ends of a cable have one serial number. */
struct gone_plug {
	UT_hash_handle hh;
	const struct ibc_port *was;
	struct gone_plug *next;
	char name[PLUG_TEXT];
};

/* "MCP1600-C003 SN MT2012VS00123"; false: nothing distinguishes it from others. */
static bool plug_name(const struct ibc_port *port, char name[PLUG_TEXT])
{
	const struct ibc_module *m = port ? port->module : NULL;

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

	return was && is && was->module && is->module && (had || has) &&
	       !(had && has && !strcmp(before, after));
}

static bool keep_gone(struct arena *a, struct gone_plug **gone, const struct ibc_port *was)
{
	struct gone_plug *first, *plug = arena_alloc(a, sizeof(*plug));

	if (!plug)
		return false;
	plug->was = was;
	if (!plug_name(was, plug->name))
		return true;
	HASH_FIND_STR(*gone, plug->name, first);
	if (first) {
		plug->next = first->next;
		first->next = plug;
		return true;
	}
	HASH_ADD_STR(*gone, name, plug);
	return hash_added(plug);
}

/* Where it came from, once for each of its ends; NULL: from elsewhere. */
static const struct ibc_port *take_gone(struct gone_plug *gone, const char *name)
{
	const struct ibc_port *was;
	struct gone_plug *plug;

	HASH_FIND_STR(gone, name, plug);
	if (!plug)
		return NULL;
	was = plug->was;
	plug->was = plug->next ? plug->next->was : NULL;
	plug->next = plug->next ? plug->next->next : NULL;
	return was;
}

static void compare_plug(struct ibc_store *store, struct gone_plug *gone,
                         const struct ibc_port *was, const struct ibc_port *is)
{
	char before[PLUG_TEXT], after[PLUG_TEXT];
	const struct ibc_port *from;

	if (!plug_name(is, after))
		return;
	from = take_gone(gone, after);
	if (from)
		add_port_change(store, is, "cable-moved", from, is);
	else if (plug_name(was, before))
		store_add_change(store, is->node, is->num, "cable-replaced", before, after);
}

static void compare_plugs(struct ibc_store *store, const struct ibc_fabric *before)
{
	struct gone_plug *gone = NULL;
	const struct ibc_port *port;

	for (size_t i = 0; before && (port = ibc_fabric_port(before, i)); i++)
		if (has_changed(port, fabric_same_port(store->fabric, port)) &&
		    !keep_gone(store->arena, &gone, port))
			sql_no_memory(&store->sql);
	for (size_t i = 0; before && (port = ibc_fabric_port(store->fabric, i)); i++) {
		const struct ibc_port *was = fabric_same_port(before, port);

		if (has_changed(was, port))
			compare_plug(store, gone, was, port);
	}
	HASH_CLEAR(hh, gone);
}

void store_changes(struct ibc_store *store, const struct ibc_fabric *before)
{
	const struct ibc_node *node, *then;
	const struct ibc_port *port;

	for (size_t i = 0; before && (port = fabric_next_cable(before, &i));)
		compare_cable(store, port);
	for (size_t i = 0; before && (port = fabric_next_cable(store->fabric, &i));)
		find_new_cable(store, before, port);
	for (size_t i = 0; before && (node = ibc_fabric_node(store->fabric, i)); i++)
		if ((then = ibc_fabric_node_by_guid(before, node->guid)))
			compare_node(store, then, node);
	compare_plugs(store, before);
}
