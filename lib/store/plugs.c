/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cables and modules that are not where the last sweep saw them, by their serial numbers: they
 * were moved, or are in the place of others.  What was not read in both sweeps is no change; two
 * ports of one plug are one.  O(ports).
 */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "fabric/fabric.h"
#include "store/store.h"

#define PLUG_TEXT 128 /* part and serial number have 16 characters each, of up to 3 bytes */

/* Where a plug was that is there no more; both ends of a cable have one serial number. */
struct gone_plug {
	UT_hash_handle hh;
	const struct ibc_port *was;
	struct gone_plug *next;
	char name[PLUG_TEXT];
};

/* "MCP1600-C003 SN MT2012VS00123"; false: nothing tells it from others. */
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
		store_add_port_change(store, is, "cable-moved", from, is);
	else if (plug_name(was, before))
		store_add_change(store, is->node, is->num, "cable-replaced", before, after);
}

void store_plugs(struct ibc_store *store, const struct ibc_fabric *before)
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
