/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which port of the fabric a port of a host is.  GUIDs decide; the name of the HCA counts where
 * there is none to compare: a name that has another GUID in the fabric is another HCA.  A GUID is
 * absent only from a fabric that has GUIDs: a list of cables may have names alone.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/nodename.h"
#include "fabric/fabric.h"
#include "fleet/cabling.h"

static const struct ibc_word joined_words[] = {
	[IBC_JOINED_NO_GUID] = { "untold", "not reported" },
	[IBC_JOINED_ABSENT] = { "absent", "absent" },
	[IBC_JOINED_CLONED] = { "cloned", "cloned" },
	[IBC_JOINED_TWICE] = { "twice", "twice" },
	[IBC_JOINED_NAME] = { "name", "name" },
	[IBC_JOINED_GUID] = { "guid", "GUID" },
};

const struct ibc_word *ibc_joined_word(enum ibc_joined joined)
{
	return &joined_words[joined];
}

/* struct named_hca - of the fabric, by what its host and itself are called: "n1#0" */
struct named_hca {
	const char *name;
	const struct ibc_node *node;
};

/* struct guid_port - of the fabric, by its port GUID */
struct guid_port {
	uint64_t guid;
	const struct ibc_port *port;
};

/* struct joining - indexes of the fabric, made when they are needed first */
struct joining {
	struct ibc_cabling *c;
	struct named_hca *names;
	struct guid_port *guids;
	size_t num_names, num_guids;
};

/*
 * One that is cabled goes before one that is not: an HCA whose ports are in two subnets is a node
 * in both.
 */
static void offer(const struct ibc_port *port, enum ibc_joined how, struct ibc_fleet_port *p)
{
	if (!port || (p->at && !port->peer))
		return;
	p->joined = p->at && p->at->peer ? IBC_JOINED_TWICE : how;
	p->at = port;
}

static int by_port_guid(const void *va, const void *vz)
{
	const struct guid_port *a = va, *z = vz;

	return order_u64(a->guid, z->guid);
}

static void find_by_guid(struct joining *j, struct ibc_fleet_port *p)
{
	const struct ibc_fabric *fab = j->c->fab;
	const struct ibc_node *node = p->guid ? ibc_fabric_node_by_guid(fab, p->guid) : NULL;
	const struct guid_port wanted = { .guid = p->port_guid }, *found, *end;
	const struct ibc_port *port;

	for (size_t i = node ? node_order(node) : 0; node && node->guid == p->guid;
	     node = ibc_fabric_node(fab, ++i))
		if (node->type == IBC_NODE_CA && !node->named_only)
			offer(ibc_node_port(node, p->num), IBC_JOINED_GUID, p);
	if (p->joined != IBC_JOINED_NO_GUID || !p->port_guid)
		return;
	if (!j->guids) {
		j->guids = arena_array(j->c->tmp, ibc_fabric_count(fab).ports + 1,
		                       sizeof(*j->guids));
		for (size_t i = 0; (port = ibc_fabric_port(fab, i)); i++)
			if (port->guid && port->node->type == IBC_NODE_CA &&
			    !port->node->named_only)
				j->guids[j->num_guids++] = (struct guid_port){ port->guid, port };
		qsort(j->guids, j->num_guids, sizeof(*j->guids), by_port_guid);
	}
	end = j->guids + j->num_guids;
	found = bsearch(&wanted, j->guids, j->num_guids, sizeof(wanted), by_port_guid);
	while (found && found > j->guids && found[-1].guid == p->port_guid)
		found--;
	for (; found && found < end && found->guid == p->port_guid; found++)
		offer(found->port, IBC_JOINED_GUID, p);
}

static int by_hca_name(const void *va, const void *vz)
{
	const struct named_hca *a = va, *z = vz;

	return strcmp(a->name, z->name);
}

/* A host has its domain if there is another one without that: their HCAs are called alike. */
static void find_by_name(struct joining *j, const char *host, struct ibc_fleet_port *p)
{
	const char *text = arena_printf(j->c->tmp, "%s %s", host, p->hca);
	const struct named_hca *n, *end;
	const struct ibc_node *node;
	char name[NODENAME_MAX];

	if (!j->names) {
		j->names = arena_array(j->c->tmp, ibc_fabric_count(j->c->fab).nodes + 1,
		                       sizeof(*j->names));
		for (size_t i = 0; (node = ibc_fabric_node(j->c->fab, i)); i++)
			if (node->type == IBC_NODE_CA && node->host_name &&
			    (name_form(name, node->desc, NAME_SHORT) ||
			     name_form(name, node->name, NAME_SHORT)))
				j->names[j->num_names++] = (struct named_hca){
					arena_strdup(j->c->tmp, name), node
				};
		qsort(j->names, j->num_names, sizeof(*j->names), by_hca_name);
	}
	if (!name_form(name, text, NAME_SHORT))
		return;
	n = bsearch(&(struct named_hca){ .name = name }, j->names, j->num_names, sizeof(*n),
	            by_hca_name);
	while (n && n > j->names && !strcmp(n[-1].name, name))
		n--;
	for (end = j->names + j->num_names; n && n < end && !strcmp(n->name, name); n++) {
		if (strchr(host, '.') && strcasecmp(host, n->node->host_name) != 0)
			continue;
		if ((!p->guid && !p->port_guid) || n->node->named_only)
			offer(ibc_node_port(n->node, p->num), IBC_JOINED_NAME, p);
		else
			p->other = n->node;
	}
}

/* ---- clones -------------------------------------------------------------------------------- */

/* struct guid_host - a GUID that a host reports */
struct guid_host {
	uint64_t guid;
	size_t host;
};

static int by_guid_and_host(const void *va, const void *vz)
{
	const struct guid_host *a = va, *z = vz;

	return order_u64(a->guid, z->guid) ?: order_u64(a->host, z->host);
}

static int by_reported_guid(const void *va, const void *vz)
{
	return order_u64(((const struct guid_host *)va)->guid,
	                 ((const struct guid_host *)vz)->guid);
}

void cabling_join(struct ibc_cabling *c)
{
	struct guid_host *all = arena_array(c->tmp, c->num_ports + 1, sizeof(*all));
	bool has_names = false, has_guids = false;
	const struct ibc_node *node;
	struct joining j = { .c = c };
	size_t n = 0, clones = 0;

	for (size_t i = 0; (node = ibc_fabric_node(c->fab, i)); i++) {
		has_names |= node->named_only;
		has_guids |= node->type == IBC_NODE_CA && !node->named_only;
	}
	has_guids |= !has_names; /* a sweep without any HCA has those of its switches */
	for (size_t i = 0; i < c->num_hosts; i++)
		for (size_t k = 0; k < c->hosts[i].num; k++)
			if (c->hosts[i].ports[k].guid)
				all[n++] = (struct guid_host){ c->hosts[i].ports[k].guid, i };
	qsort(all, n, sizeof(*all), by_guid_and_host);
	for (size_t i = 1; i < n; i++)
		if (all[i].guid == all[i - 1].guid && all[i].host != all[i - 1].host)
			all[clones++] = all[i];
	for (size_t i = 0; i < c->num_hosts; i++)
		for (size_t k = 0; k < c->hosts[i].num; k++) {
			struct ibc_fleet_port *p =
			    &c->ports[c->hosts[i].ports - c->ports + (ptrdiff_t)k];

			if (p->guid && bsearch(&(struct guid_host){ p->guid, 0 }, all, clones,
			                       sizeof(*all), by_reported_guid)) {
				p->joined = IBC_JOINED_CLONED;
				continue;
			}
			find_by_guid(&j, p);
			if (p->joined == IBC_JOINED_NO_GUID)
				find_by_name(&j, c->hosts[i].host->name, p);
			if (p->joined == IBC_JOINED_NO_GUID && has_guids &&
			    (p->guid || p->port_guid))
				p->joined = IBC_JOINED_ABSENT;
			if (p->joined == IBC_JOINED_TWICE)
				p->at = NULL;
		}
}
