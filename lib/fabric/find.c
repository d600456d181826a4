/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nodes and ports by what people call them.  One walk over the nodes for each reading of the
 * text: O(nodes), milliseconds in the largest fabric.
 */
#include <stdio.h>
#include <string.h>

#include <ibcheck/names.h>

#include "base/array.h"
#include "base/called.h"
#include "base/error.h"
#include "base/str.h"
#include "fabric/fabric.h"

#define LISTED    5                  /* of several that a name fits */
#define LIST_TEXT 512                /* what of them an error has room for */
#define GUID_TEXT 10                 /* "0x" and eight digits: a LID has four at most */
#define LID_LAST  (UNICAST_LIDS - 1) /* the highest one that is a port's */

/* ---- how near a node's names are ---------------------------------------------- */

struct asked {
	const struct reading *r;
	unsigned int lid; /* 0: it is no LID */
};

/* The host's name is a part of the description. */
static enum name_fit closest_fit(const struct reading *r, const struct ibc_node *node)
{
	const char *const names[] = { node->label, node->name, node->desc };
	enum name_fit best = FIT_NONE;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		enum name_fit fit = FIT_NONE;

		if (names[i] && (i == 0 || names[i] != names[i - 1]))
			fit = name_fits(r, names[i]);
		best = fit < best ? fit : best;
	}
	return best;
}

/* The first that any node has is what the text means; behind them the ways to fit a name. */
enum level {
	LEVEL_DESC,
	LEVEL_LABEL,
	LEVEL_NAME,
	LEVEL_GUID,
	LEVEL_SYSTEM_GUID,
	LEVEL_PORT_GUID,
	LEVEL_LID,
	LEVELS,
};

static bool has_level(const struct asked *a, struct ibc_place *p, size_t level)
{
	const struct reading *r = a->r;
	const struct ibc_node *node = p->node;
	const struct ibc_port *port;

	switch (level) {
	case LEVEL_DESC:
		return !strcmp(node->desc, r->name);
	case LEVEL_LABEL:
		return !strcmp(node->label, r->name);
	case LEVEL_NAME:
		return !strcmp(node->name, r->name) ||
		       (node->host_name && !strcmp(node->host_name, r->name));
	case LEVEL_GUID:
		return guid_fits(r, node->guid);
	case LEVEL_SYSTEM_GUID:
		return r->has_guid && r->guid && node->system_guid == r->guid;
	case LEVEL_PORT_GUID:
		for (unsigned int i = 1; r->has_guid && i <= node->num_ports; i++)
			if (node->ports[i].guid == r->guid)
				p->port = i;
		return p->port;
	default: /* that of a switch's port 0 is the switch's */
		port = a->lid ? ibc_fabric_port_by_lid(node->subnet, a->lid) : NULL;
		if (port && port->node == node)
			p->port = port->num;
		return port && port->node == node;
	}
}

/* Up to @most. */
static size_t level_of(const struct asked *a, struct ibc_place *p, size_t most)
{
	for (size_t i = 0; i < LEVELS && i <= most; i++)
		if (has_level(a, p, i))
			return i;
	return most < LEVELS ? LEVELS + FIT_NONE : LEVELS + closest_fit(a->r, p->node);
}

/* All that have it are meant. */
static bool takes_many(size_t level)
{
	return (level >= LEVEL_GUID && level <= LEVEL_PORT_GUID) || level == LEVELS + FIT_WILD;
}

/* ---- all nodes ------------------------------------------------------------------ */

/*
 * struct found - the places that one reading names
 * @portless: a node of that name, which has no such port
 */
struct found {
	struct ibc_place *places;
	size_t n, room, level;
	const struct ibc_node *portless;
	const char *port;
};

static bool add_place(struct found *f, struct ibc_place place)
{
	if (!grow(&f->places, f->n, &f->room, sizeof(place)))
		return false;
	f->places[f->n++] = place;
	return true;
}

static bool find_nodes(const struct ibc_fabric *fab, const struct asked *a, struct found *f)
{
	f->level = LEVELS + FIT_WILD;
	for (size_t i = 0; i < fab->num_nodes; i++) {
		struct ibc_place place = { .node = &fab->nodes[i]->node };
		size_t level = level_of(a, &place, f->level);

		if (level > f->level)
			continue;
		if (level < f->level)
			f->n = 0;
		f->level = level;
		if (!add_place(f, place))
			return false;
	}
	return true;
}

/* Port 0 of a switch is the switch; wildcards mean ports with a cage. */
static bool add_ports(struct found *f, const struct reading *r, const struct ibc_node *node)
{
	for (unsigned int i = r->wild_port || node->type != IBC_NODE_SWITCH; i <= node->num_ports;
	     i++)
		if (port_fits(r, i, ibc_port_label(&node->ports[i])) &&
		    !add_place(f, (struct ibc_place){ node, i }))
			return false;
	return true;
}

/* Of the nodes of that name, the ports of that number. */
static bool find_ports(const struct ibc_fabric *fab, const struct asked *a, struct found *f)
{
	struct found nodes = { 0 };
	bool ok = find_nodes(fab, a, &nodes);

	for (size_t i = 0; ok && i < nodes.n; i++)
		ok = add_ports(f, a->r, nodes.places[i].node);
	f->level = nodes.level;
	if (nodes.n && !f->n && !f->portless && !a->r->label) {
		f->portless = nodes.places->node;
		f->port = a->r->port;
	}
	free(nodes.places);
	return ok;
}

/* The first reading that names anything; NULL: none does, or memory ran out. */
static const struct reading *find_reading(const struct ibc_fabric *fab, const struct typed *t,
                                          struct found *f, bool *ok)
{
	for (const struct reading *r = t->reading; r < t->reading + t->n; r++) {
		struct asked a = { .r = r };
		uint64_t lid;

		if (strlen(r->name) < GUID_TEXT && !str_u64(r->name, 1, LID_LAST, &lid))
			a.lid = (unsigned int)lid;
		*ok = r->port ? find_ports(fab, &a, f) : find_nodes(fab, &a, f);
		if (!*ok)
			return NULL;
		if (f->n)
			return r;
	}
	return NULL;
}

/* ---- one thing, or an error --------------------------------------------------------- */

/* A host is one thing with all its HCAs, unless a port of one is named. */
static bool is_same_thing(const struct ibc_place *a, const struct ibc_place *z)
{
	if (a->node->guid == z->node->guid)
		return !a->port || !z->port || a->port == z->port;
	return !a->port && !z->port && a->node->host_name &&
	       a->node->host_name == z->node->host_name;
}

static bool is_one_thing(const struct found *f)
{
	for (size_t i = 1; i < f->n; i++)
		if (!is_same_thing(&f->places[0], &f->places[i]))
			return false;
	return true;
}

static int fail_several(const struct found *f, const char *text, struct ibc_error *err)
{
	char list[LIST_TEXT], port[12] = "";
	size_t at = 0;

	for (size_t i = 0; i < f->n && i < LISTED && at < sizeof(list); i++) {
		const struct ibc_place *p = &f->places[i];

		if (p->port)
			snprintf(port, sizeof(port), "/%u", p->port);
		at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s%s (0x%016llx)",
		                       i ? ", " : "", p->node->name, port,
		                       (unsigned long long)p->node->guid);
	}
	return fail(err, -EEXIST, "%s matches %zu %s: %s%s; use the GUID%s", text, f->n,
	            f->places->port ? "ports" : "nodes", list, f->n > LISTED ? ", ..." : "",
	            f->places->port ? ", as in GUID/PORT" : "");
}

static void offer_nodes(struct ibc_near *near, const struct ibc_fabric *fab, bool guids)
{
	char guid[STR_GUID_MAX];

	for (size_t i = 0; i < fab->num_nodes; i++) {
		const struct ibc_node *node = &fab->nodes[i]->node;

		ibc_near_offer(near, guids ? str_from_guid(guid, node->guid) : node->label);
		if (!guids && node->host_name)
			ibc_near_offer(near, node->host_name);
	}
}

static int fail_none(const struct ibc_fabric *fab, const struct found *f, const char *text,
                     struct ibc_error *err)
{
	const char *slash = strrchr(text, '/');
	struct ibc_near near = { .typed = text, .length = slash ? (int)(slash - text) : 0 };
	bool guid = !strncasecmp(text, "0x", 2) && strlen(text) >= GUID_TEXT;

	if (f->portless)
		return fail(err, -ENOENT, "%s has no port %s, it has %u", f->portless->label,
		            f->port, f->portless->num_ports);
	offer_nodes(&near, fab, guid);
	return fail(err, -ENOENT, "no node or port has the %s %s%s", guid ? "GUID" : "name or LID",
	            text, ibc_near_text(&near));
}

int ibc_fabric_find(const struct ibc_fabric *fab, const char *text, struct ibc_place **places,
                    size_t *n, struct ibc_error *err)
{
	struct arena *arena = arena_new();
	const struct typed *t = arena ? typed_new(arena, text) : NULL;
	struct found f = { 0 };
	bool ok = t;
	const struct reading *r = t ? find_reading(fab, t, &f, &ok) : NULL;
	int rc = 0;

	if (!ok)
		rc = fail_nomem(err);
	else if (!r)
		rc = fail_none(fab, &f, text, err);
	else if (!takes_many(f.level) && !r->wild_port && !is_one_thing(&f))
		rc = fail_several(&f, text, err);
	arena_free(arena);
	if (rc)
		free(f.places);
	*places = rc ? NULL : f.places;
	*n = rc ? 0 : f.n;
	return rc;
}

bool port_is_typed(const struct ibc_port *port, const struct typed *typed)
{
	const struct ibc_node *node = port->node;
	const struct called called = { .names = { node->label, node->name, node->desc },
		                       .guid = node->guid,
		                       .has_guid = true,
		                       .port = port->num,
		                       .has_port = true,
		                       .port_label = ibc_port_label(port) };

	return typed_fits(typed, &called);
}
