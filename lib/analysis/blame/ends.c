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

/* struct row - a thing by a name, or by the digits of a GUID; several may have it */
struct row {
	const char *key;
	const void *thing;
};
struct rows {
	struct row *list;
	size_t num, room;
};

/*
 * struct end_index - of one fabric: ports by GUID, HCAs by the names of their hosts, and by those
 *	without what names their interface
 */
struct end_index {
	const struct ibc_fabric *fabric;
	struct rows guids, hosts, bare;
};

/* struct alias_index - those with an address, and those with a GUID by their hosts */
struct alias_index {
	struct rows addresses, hosts;
};

/* ---- indices ------------------------------------------------------------------------ */

static int by_row_key(const void *va, const void *vz)
{
	const struct row *a = va, *z = vz;

	return strcmp(a->key, z->key);
}

static void add_row(struct blame *b, struct rows *rows, const char *key, const void *thing)
{
	arena_grow(b->arena, &rows->list, rows->num, &rows->room, sizeof(*rows->list));
	rows->list[rows->num++] = (struct row){ arena_strdup(b->arena, key), thing };
}

static void add_guid(struct blame *b, struct rows *rows, uint64_t guid, const struct ibc_port *port)
{
	char text[STR_GUID_MAX];

	if (guid)
		add_row(b, rows, str_from_guid(text, guid), port);
}

static void sort_rows(struct rows *rows)
{
	if (rows->num)
		qsort(rows->list, rows->num, sizeof(*rows->list), by_row_key);
}

/* The first of those that are so called, @n of them. */
static const struct row *rows_of(const struct rows *rows, const char *key, size_t *n)
{
	const struct row wanted = { .key = key };
	size_t first = lower_bound(&wanted, rows->list, rows->num, sizeof(wanted), by_row_key);

	for (*n = 0; first + *n < rows->num && !strcmp(rows->list[first + *n].key, key);)
		++*n;
	return rows->list + first;
}

/* "node07-ib", "node07_ib0": cut before what names the interface. */
static const char *bare_name(char *name)
{
	size_t n = strlen(name);

	while (n && name[n - 1] >= '0' && name[n - 1] <= '9')
		n--;
	if (n > 3 && !strncmp(name + n - 2, "ib", 2) && strchr("-_.", name[n - 3]))
		name[n - 3] = '\0';
	return name;
}

static struct end_index *make_index(struct blame *b, const struct ibc_fabric *fabric)
{
	struct end_index *x = arena_alloc(b->arena, sizeof(*x));
	const struct ibc_node *node;
	const struct ibc_port *port;
	char name[NODENAME_MAX];

	x->fabric = fabric;
	for (size_t i = 0; (port = ibc_fabric_port(fabric, i)); i++) {
		const struct ibc_vports *v = port->extra->vports;

		if (port->node->type == IBC_NODE_CA && !port->node->named_only)
			add_guid(b, &x->guids, port->guid, port);
		for (size_t k = 0; v && k < v->num_vports; k++)
			add_guid(b, &x->guids, v->vports[k].guid, port);
	}
	for (size_t i = 0; (node = ibc_fabric_node(fabric, i)); i++)
		if (node->type == IBC_NODE_CA && !is_aggregation_node(node->desc) &&
		    name_form(name, node->host_name ? node->host_name : node->desc, NAME_HOST)) {
			add_row(b, &x->hosts, name, node);
			add_row(b, &x->bare, bare_name(name), node);
		}
	sort_rows(&x->guids);
	sort_rows(&x->hosts);
	sort_rows(&x->bare);
	return x;
}

void blame_index(struct blame *b)
{
	struct alias_index *x = b->alias_index = arena_alloc(b->arena, sizeof(*x));
	char name[NODENAME_MAX];

	b->index[0] = b->in->then ? make_index(b, b->in->then) : NULL;
	b->index[1] = b->in->now && b->in->now != b->in->then ? make_index(b, b->in->now) : NULL;
	for (size_t i = 0; i < b->num_aliases; i++) {
		const struct ibc_blame_alias *a = &b->aliases[i];

		if (a->address)
			add_row(b, &x->addresses, a->address, a);
		if (a->guid && name_form(name, a->host, NAME_HOST))
			add_row(b, &x->hosts, name, a);
	}
	sort_rows(&x->addresses);
	sort_rows(&x->hosts);
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

/* ---- candidates --------------------------------------------------------------------- */

static const char *host_of_node(const struct ibc_node *node)
{
	return node->host_name ? node->host_name : node->label;
}

static void add_port(struct blame *b, struct blame_end *end, const struct ibc_port *port)
{
	for (size_t i = 0; i < end->num; i++)
		if (end->ports[i] == port)
			return;
	arena_grow(b->arena, &end->ports, end->num, &end->room, sizeof(const struct ibc_port *));
	end->ports[end->num++] = port;
}

/* The ports of an HCA that packets can reach, or could: with a LID, else with a cable. */
static void add_hca(struct blame *b, struct blame_end *end, const struct ibc_node *node)
{
	size_t before = end->num;

	for (int pass = 0; pass < 2 && end->num == before; pass++)
		for (unsigned int i = 1; i <= node->num_ports; i++) {
			const struct ibc_port *p = &node->ports[i];

			if (end->raw->port ? i == end->raw->port
			                   : (p->lid && ibc_port_is_here(p)) || (pass && p->peer))
				add_port(b, end, p);
		}
}

/* By the GUID of a port, or of an HCA; one of another prefix only if there is no better one. */
static void add_by_guid(struct blame *b, struct blame_end *end, const struct end_index *x,
                        uint64_t guid, uint64_t prefix)
{
	const struct ibc_node *node = ibc_fabric_node_by_guid(x->fabric, guid);
	size_t n, before = end->num;
	char text[STR_GUID_MAX];
	const struct row *rows = rows_of(&x->guids, str_from_guid(text, guid), &n);

	for (int pass = 0; pass < 2 && end->num == before; pass++)
		for (size_t i = 0; i < n; i++) {
			const struct ibc_port *port = rows[i].thing;

			if (pass || port->subnet_prefix == prefix)
				add_port(b, end, port);
		}
	if (!n && node && node->type == IBC_NODE_CA)
		add_hca(b, end, node);
}

static void add_by_lid(struct blame *b, struct blame_end *end, const struct end_index *x)
{
	const struct ibc_subnet *subnet;
	const struct ibc_port *port;

	for (size_t i = 0; (subnet = ibc_fabric_subnet(x->fabric, i)); i++)
		if ((port = ibc_fabric_port_by_lid(subnet, end->raw->lid)))
			add_port(b, end, port);
}

/* What reports of hosts say of its HCA; false: nothing. */
static bool add_by_alias(struct blame *b, struct blame_end *end, const struct end_index *x,
                         const char *host)
{
	const struct ibc_log_end *raw = end->raw;
	size_t n;
	const struct row *rows = rows_of(&b->alias_index->hosts, host, &n);
	bool known = false;

	for (size_t i = 0; i < n; i++) {
		const struct ibc_blame_alias *a = rows[i].thing;
		bool same = (*raw->device && a->device && !strcmp(a->device, raw->device)) ||
		            (*raw->pci && a->pci && !strcmp(a->pci, raw->pci));

		if (!same || (a->port && raw->port && a->port != raw->port))
			continue;
		known = true;
		add_by_guid(b, end, x, a->guid, 0);
	}
	return known;
}

int blame_is_hca(const struct blame *b, const struct blame_end *end)
{
	char host[NODENAME_MAX];
	const struct row *rows;
	bool reported = false;
	size_t n;

	if (!name_form(host, end->raw->host, NAME_HOST))
		return -1;
	rows = rows_of(&b->alias_index->hosts, host, &n);
	for (size_t i = 0; i < n; i++) {
		const struct ibc_blame_alias *a = rows[i].thing;

		reported |= a->pci != NULL;
		if (a->pci && !strcmp(a->pci, end->raw->pci) && end->num)
			return 1;
	}
	return reported ? 0 : -1;
}

/* Is it that HCA of its host?  1 yes, 0 no, -1: it is not called by index, or no device is named.
 */
static int is_device(const struct ibc_node *node, const char *device)
{
	char wanted[NODENAME_MAX], name[NODENAME_MAX];

	snprintf(wanted, sizeof(wanted), "%.150s %.50s", host_of_node(node), device);
	if (!is_hca_name(device) || !name_form(wanted, wanted, NAME_SHORT) ||
	    !name_form(name, node->desc, NAME_SHORT) || !strchr(name, '#'))
		return -1;
	return !strcmp(wanted, name);
}

/*
 * HCAs that are called by index, and all by others than the one that is named, are not it: that one
 * is not in this sweep.  What is called by nothing may be any.
 */
static void add_by_host(struct blame *b, struct blame_end *end, const struct end_index *x,
                        const char *text)
{
	size_t n, before = end->num;
	char host[NODENAME_MAX];
	const struct row *rows;
	bool all_others = true;

	if (!name_form(host, text, NAME_HOST) || add_by_alias(b, end, x, host))
		return;
	rows = rows_of(&x->hosts, host, &n);
	if (!n)
		rows = rows_of(&x->bare, bare_name(host), &n);
	for (int pass = 0; pass < 2 && end->num == before; pass++)
		for (size_t i = 0; i < n; i++) {
			const struct ibc_node *node = rows[i].thing;
			int is = is_device(node, end->raw->device);

			if (names_are_apart(text, host_of_node(node)))
				continue;
			all_others &= is == 0;
			if (pass ? !all_others : is == 1)
				add_hca(b, end, node);
		}
}

/* ---- ends --------------------------------------------------------------------------- */

static int by_port(const void *va, const void *vz)
{
	const struct ibc_port *const *a = va, *const *z = vz;

	return order_u64(node_order((*a)->node), node_order((*z)->node))
	           ?: order_u64((*a)->num, (*z)->num) ?: order_u64((uintptr_t)*a, (uintptr_t)*z);
}

/* The hosts of its address, @n of them. */
static const struct row *hosts_of(const struct blame *b, const struct blame_end *end, size_t *n)
{
	return rows_of(&b->alias_index->addresses, end->raw->address, n);
}

static const char *alias_host(const struct row *row)
{
	return ((const struct ibc_blame_alias *)row->thing)->host;
}

/* What says most first: a GID is that of a port, and a host has several. */
static void find_in(struct blame *b, struct blame_end *end, const struct end_index *x)
{
	const struct ibc_log_end *raw = end->raw;
	size_t n;
	const struct row *rows = hosts_of(b, end, &n);
	bool by_address;

	if (raw->gid_guid)
		add_by_guid(b, end, x, raw->gid_guid, raw->gid_prefix);
	if (!end->num && raw->lid)
		add_by_lid(b, end, x);
	if (!end->num && *raw->host)
		add_by_host(b, end, x, raw->host);
	by_address = !end->num;
	/* of an address that several have it may be any of them */
	for (size_t i = 0; by_address && i < n; i++)
		add_by_host(b, end, x, alias_host(&rows[i]));
	if (end->num)
		qsort(end->ports, end->num, sizeof(const struct ibc_port *), by_port);
}

/* Of several ports their host, if it is one. */
static void name_end(struct blame *b, struct blame_end *end)
{
	const struct ibc_log_end *raw = end->raw;
	const char *host = end->num ? host_of_node(end->ports[0]->node) : NULL;
	char text[IBC_PLACE_TEXT];
	size_t n;
	const struct row *rows = hosts_of(b, end, &n);

	for (size_t i = 1; host && i < end->num; i++)
		if (strcmp(host, host_of_node(end->ports[i]->node)) != 0)
			host = NULL;
	end->one_host = host;
	if (!host)
		host = *raw->host ? raw->host : n && !end->num ? alias_host(rows) : raw->address;
	if (!*host && raw->lid)
		host = arena_printf(b->arena, "LID %u", raw->lid);
	else if (!*host && raw->gid_guid)
		host = arena_strdup(b->arena, str_from_guid(text, raw->gid_guid));
	end->name = end->host_name = host;
	if (end->num == 1)
		end->name = arena_strdup(
		    b->arena,
		    ibc_place_text((struct ibc_place){ end->ports[0]->node, end->ports[0]->num },
		                   text, sizeof(text)));
	else if (*raw->device && *host)
		end->name = arena_printf(b->arena, "%s %s", host, raw->device);
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
		for (int k = 0; k < 2 && !order[i]->num; k++)
			if (b->index[k])
				find_in(b, order[i], b->index[k]);
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
