/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ports that an end of a connection may be.  A GID has the GUID of one, a LID is that of one, a
 * host has those of all its HCAs, unless its HCA is named, and known by that.  O(ends x log ports).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/blame/blame.h"
#include "base/nodename.h"
#include "base/str.h"
#include "fabric/fabric.h"

struct guid_row {
	uint64_t guid;
	const struct ibc_port *port;
};

/* struct row - a thing by a name, in lower case, that several may have */
struct row {
	const char *key;
	const void *thing;
};
struct rows {
	struct row *list;
	size_t num, room;
};

/* struct end_index - of one fabric; @bare: HCAs by hosts without what names their interface */
struct end_index {
	const struct ibc_fabric *fabric;
	struct guid_row *guids;
	size_t num_guids, room_guids;
	struct rows hosts, bare;
};

/* struct alias_index - those with an address, and those with a GUID by their hosts */
struct alias_index {
	struct rows addresses, hosts;
};

/* ---- indices ---------------------------------------------------------------------------- */

static int by_port_guid(const void *va, const void *vz)
{
	const struct guid_row *a = va, *z = vz;

	return order_u64(a->guid, z->guid);
}

static int by_row_key(const void *va, const void *vz)
{
	const struct row *a = va, *z = vz;

	return strcmp(a->key, z->key);
}

static void add_row(struct blame *b, struct rows *rows, const char *key, const void *thing)
{
	arena_grow(b->arena, &rows->list, rows->num, &rows->room, sizeof(*rows->list));
	rows->list[rows->num++] = (struct row){ key, thing };
}

static void sort_rows(struct rows *rows)
{
	if (rows->num)
		qsort(rows->list, rows->num, sizeof(*rows->list), by_row_key);
}

/* The first of those that are so called, @n of them. */
static const struct row *rows_of(const struct rows *rows, const char *key, size_t *n)
{
	size_t low = 0, high = rows->num;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (strcmp(rows->list[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (*n = 0; low + *n < rows->num && !strcmp(rows->list[low + *n].key, key);)
		++*n;
	return rows->list + low;
}

static char *lower(struct arena *a, const char *text)
{
	char *out = arena_strdup(a, text);

	for (char *c = out; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c - 'A' + 'a');
	return out;
}

/* "node07-ib", "node07_ib0": without that; else as it is. */
static const char *bare_name(struct arena *a, const char *name)
{
	size_t n = strlen(name);

	while (n && name[n - 1] >= '0' && name[n - 1] <= '9')
		n--;
	if (n < 4 || strncmp(name + n - 2, "ib", 2) != 0 || !strchr("-_.", name[n - 3]))
		return name;
	return arena_strndup(a, name, n - 3);
}

static void add_guid(struct blame *b, struct end_index *x, uint64_t guid,
                     const struct ibc_port *port)
{
	if (!guid)
		return;
	arena_grow(b->arena, &x->guids, x->num_guids, &x->room_guids, sizeof(*x->guids));
	x->guids[x->num_guids++] = (struct guid_row){ guid, port };
}

static struct end_index *make_index(struct blame *b, const struct ibc_fabric *fabric)
{
	struct end_index *x = arena_alloc(b->arena, sizeof(*x));
	const struct ibc_node *node;
	const struct ibc_port *port;
	char name[NODENAME_MAX];
	const char *key;

	x->fabric = fabric;
	for (size_t i = 0; (port = ibc_fabric_port(fabric, i)); i++) {
		const struct ibc_vports *v = port->extra->vports;

		if (port->node->type == IBC_NODE_CA && !port->node->named_only)
			add_guid(b, x, port->guid, port);
		for (size_t k = 0; v && k < v->num_vports; k++)
			add_guid(b, x, v->vports[k].guid, port);
	}
	for (size_t i = 0; (node = ibc_fabric_node(fabric, i)); i++) {
		const char *text = node->host_name ? node->host_name : node->desc;

		if (node->type != IBC_NODE_CA || is_aggregation_node(node->desc) ||
		    !name_form(name, text, NAME_HOST))
			continue;
		key = arena_strdup(b->arena, name);
		add_row(b, &x->hosts, key, node);
		add_row(b, &x->bare, bare_name(b->arena, key), node);
	}
	if (x->num_guids)
		qsort(x->guids, x->num_guids, sizeof(*x->guids), by_port_guid);
	sort_rows(&x->hosts);
	sort_rows(&x->bare);
	return x;
}

void blame_index(struct blame *b)
{
	struct alias_index *x = arena_alloc(b->arena, sizeof(*x));
	char name[NODENAME_MAX];

	b->index[0] = b->in->then ? make_index(b, b->in->then) : NULL;
	b->index[1] = b->in->now && b->in->now != b->in->then ? make_index(b, b->in->now) : NULL;
	for (size_t i = 0; i < b->num_aliases; i++) {
		const struct ibc_blame_alias *a = &b->aliases[i];

		if (a->address)
			add_row(b, &x->addresses, lower(b->arena, a->address), a);
		if (a->guid && name_form(name, a->host, NAME_HOST))
			add_row(b, &x->hosts, arena_strdup(b->arena, name), a);
	}
	sort_rows(&x->addresses);
	sort_rows(&x->hosts);
	b->alias_index = x;
}

const struct ibc_port *blame_port(const struct blame *b, uint64_t guid, unsigned int num)
{
	return fabric_port_at(b->in->then, guid, num) ?: fabric_port_at(b->in->now, guid, num);
}

const struct ibc_node *blame_node(const struct blame *b, uint64_t guid)
{
	const struct ibc_node *node = b->in->then ? ibc_fabric_node_by_guid(b->in->then, guid)
	                                          : NULL;

	return node || !b->in->now ? node : ibc_fabric_node_by_guid(b->in->now, guid);
}

/* ---- candidates ------------------------------------------------------------------------- */

/* struct found - ports that fit; each once */
struct found {
	struct arena *arena;
	const struct ibc_port **ports;
	size_t num, room;
};

static void add_port(struct found *f, const struct ibc_port *port)
{
	for (size_t i = 0; i < f->num; i++)
		if (f->ports[i] == port)
			return;
	arena_grow(f->arena, &f->ports, f->num, &f->room, sizeof(const struct ibc_port *));
	f->ports[f->num++] = port;
}

/* The ports of an HCA that packets can reach, or could: with a LID, else with a cable. */
static void add_hca(struct found *f, const struct ibc_node *node, unsigned int num)
{
	size_t before = f->num;

	for (unsigned int i = 1; i <= node->num_ports; i++)
		if ((!num || i == num) && node->ports[i].lid && ibc_port_is_here(&node->ports[i]))
			add_port(f, &node->ports[i]);
	for (unsigned int i = 1; f->num == before && i <= node->num_ports; i++)
		if ((!num || i == num) && (node->ports[i].peer || num || node->num_ports == 1))
			add_port(f, &node->ports[i]);
}

/* By the GUID of a port, or of an HCA. */
static void add_by_guid(struct found *f, const struct end_index *x, uint64_t guid, uint64_t prefix,
                        unsigned int num)
{
	struct guid_row key = { .guid = guid };
	const struct guid_row *row = x->num_guids ? bsearch(&key, x->guids, x->num_guids,
	                                                    sizeof(key), by_port_guid)
	                                          : NULL;
	const struct ibc_node *node = ibc_fabric_node_by_guid(x->fabric, guid);
	size_t i = row ? (size_t)(row - x->guids) : 0;

	while (row && i && x->guids[i - 1].guid == guid)
		i--;
	for (; row && i < x->num_guids && x->guids[i].guid == guid; i++)
		if (!prefix || x->guids[i].port->subnet_prefix == prefix)
			add_port(f, x->guids[i].port);
	if (!f->num && row && prefix)
		add_by_guid(f, x, guid, 0, num);
	else if (!row && node && node->type == IBC_NODE_CA)
		add_hca(f, node, num);
}

/* ---- by host ------------------------------------------------------------------------------ */

static const char *host_of_node(const struct ibc_node *node)
{
	return node->host_name ? node->host_name : node->label;
}

/* What reports of hosts say of its HCA; false: nothing. */
static bool add_by_alias(const struct blame *b, struct found *f, const struct end_index *x,
                         const char *host, const struct ibc_log_end *end)
{
	size_t n;
	const struct row *rows = rows_of(&b->alias_index->hosts, host, &n);
	bool known = false;

	for (size_t i = 0; i < n; i++) {
		const struct ibc_blame_alias *a = rows[i].thing;
		bool same = (*end->device && a->device && !strcmp(a->device, end->device)) ||
		            (*end->pci && a->pci && !strcmp(a->pci, end->pci));

		if (!same || (a->port && end->port && a->port != end->port))
			continue;
		known = true;
		add_by_guid(f, x, a->guid, 0, end->port);
	}
	return known;
}

/*
 * HCAs that are called by index, and all by others than the one that is named, are not it: that one
 * is not in this sweep.  What is called by nothing may be any.
 */
static void add_by_host(const struct blame *b, struct found *f, const struct end_index *x,
                        const char *text, const struct ibc_log_end *end)
{
	bool by_index = *end->device && is_hca_name(end->device);
	char host[NODENAME_MAX], wanted[NODENAME_MAX], name[NODENAME_MAX];
	size_t n, of_host = 0, matched = 0, others = 0;
	const struct row *rows;

	if (!name_form(host, text, NAME_HOST) || add_by_alias(b, f, x, host, end))
		return;
	rows = rows_of(&x->hosts, host, &n);
	if (!n)
		rows = rows_of(&x->bare, bare_name(b->arena, arena_strdup(b->arena, host)), &n);
	for (size_t i = 0; i < n; i++) {
		const struct ibc_node *node = rows[i].thing;

		if (names_are_apart(text, host_of_node(node)))
			continue;
		of_host++;
		snprintf(wanted, sizeof(wanted), "%.150s %.50s", host_of_node(node), end->device);
		if (!by_index || !name_form(wanted, wanted, NAME_SHORT) ||
		    !name_form(name, node->desc, NAME_SHORT) || !strchr(name, '#'))
			continue;
		if (strcmp(wanted, name) != 0) {
			others++;
			continue;
		}
		matched++;
		add_hca(f, node, end->port);
	}
	for (size_t i = 0; !matched && others < of_host && i < n; i++)
		if (!names_are_apart(text, host_of_node(rows[i].thing)))
			add_hca(f, rows[i].thing, end->port);
}

/* ---- ends ----------------------------------------------------------------------------------- */

static void add_by_lid(struct found *f, const struct end_index *x, unsigned int lid)
{
	const struct ibc_subnet *subnet;
	const struct ibc_port *port;

	for (size_t i = 0; (subnet = ibc_fabric_subnet(x->fabric, i)); i++)
		if ((port = ibc_fabric_port_by_lid(subnet, lid)))
			add_port(f, port);
}

static int by_port(const void *va, const void *vz)
{
	const struct ibc_port *const *a = va, *const *z = vz;

	return order_u64(node_order((*a)->node), node_order((*z)->node))
	           ?: order_u64((*a)->num, (*z)->num) ?: order_u64((uintptr_t)*a, (uintptr_t)*z);
}

/* What says most first: a GID is that of a port, and a host has several. */
static bool find_in(struct blame *b, struct blame_end *end, const struct end_index *x)
{
	const struct ibc_log_end *raw = end->raw;
	struct found f = { .arena = b->arena };
	const struct row *rows;
	size_t n;

	if (!x)
		return false;
	if (raw->gid_guid)
		add_by_guid(&f, x, raw->gid_guid, raw->gid_prefix, raw->port);
	if (!f.num && raw->lid)
		add_by_lid(&f, x, raw->lid);
	if (!f.num && *raw->host)
		add_by_host(b, &f, x, raw->host, raw);
	rows = rows_of(&b->alias_index->addresses, lower(b->arena, raw->address), &n);
	for (size_t i = 0; !f.num && *raw->address && i < n; i++)
		add_by_host(b, &f, x, ((const struct ibc_blame_alias *)rows[i].thing)->host, raw);
	if (f.num)
		qsort(f.ports, f.num, sizeof(const struct ibc_port *), by_port);
	end->ports = f.ports;
	end->num = f.num;
	return f.num;
}

/* Of several ports their host, if it is one. */
static void name_end(struct blame *b, struct blame_end *end)
{
	const struct ibc_log_end *raw = end->raw;
	const char *host = end->num ? host_of_node(end->ports[0]->node) : NULL;
	char text[IBC_PLACE_TEXT];
	const struct row *rows;
	size_t n;

	for (size_t i = 1; host && i < end->num; i++)
		if (strcmp(host, host_of_node(end->ports[i]->node)) != 0)
			host = NULL;
	if (!host && *raw->host)
		host = raw->host;
	if (!host && *raw->address) {
		rows = rows_of(&b->alias_index->addresses, lower(b->arena, raw->address), &n);
		host = n ? ((const struct ibc_blame_alias *)rows->thing)->host : NULL;
	}
	end->host_name = host ? host : *raw->address ? raw->address : "";
	if (end->num == 1)
		end->name = arena_strdup(
		    b->arena,
		    ibc_place_text((struct ibc_place){ end->ports[0]->node, end->ports[0]->num },
		                   text, sizeof(text)));
	else if (raw->lid && !*end->host_name)
		end->name = end->host_name = arena_printf(b->arena, "LID %u", raw->lid);
	else if (raw->gid_guid && !*end->host_name)
		end->name = end->host_name = arena_printf(b->arena, "0x%016llx",
		                                          (unsigned long long)raw->gid_guid);
	else
		end->name = *raw->device && *end->host_name
		                ? arena_printf(b->arena, "%s %s", end->host_name, raw->device)
		                : end->host_name;
}

static int by_name_of_host(const void *va, const void *vz)
{
	const struct blame_end *const *a = va, *const *z = vz;

	return strcasecmp((*a)->host_name, (*z)->host_name);
}

static int by_ports(const void *va, const void *vz)
{
	const struct blame_end *const *a = va, *const *z = vz;
	size_t n = (*a)->num;

	if (n != (*z)->num || !n)
		return order_u64(n, (*z)->num) ?: strcmp((*a)->key, (*z)->key);
	for (size_t i = 0; i < n; i++) {
		int order = by_port(&(*a)->ports[i], &(*z)->ports[i]);

		if (order)
			return order;
	}
	return 0;
}

void blame_resolve(struct blame *b)
{
	struct blame_end **order = arena_array(b->arena, b->num_ends + 1, sizeof(*order));
	size_t n = b->num_ends;

	for (size_t i = 0; i < n; i++) {
		order[i] = &b->ends[i];
		if (!find_in(b, order[i], b->index[0]))
			find_in(b, order[i], b->index[1]);
		name_end(b, order[i]);
	}
	if (n)
		qsort(order, n, sizeof(*order), by_ports);
	for (size_t i = 0; i < n; i++)
		order[i]->set = i && !by_ports(&order[i - 1], &order[i]) ? order[i - 1]->set
		                                                         : i + 1;
	if (n)
		qsort(order, n, sizeof(*order), by_name_of_host);
	for (size_t i = 0; i < n; i++) {
		bool same = i && !by_name_of_host(&order[i - 1], &order[i]);

		b->num_hosts += !same && *order[i]->host_name;
		order[i]->host = *order[i]->host_name ? b->num_hosts : 0;
	}
}
