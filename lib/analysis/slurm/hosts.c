/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hosts, by the names that Slurm has for them, and those of their ports that count.
 * O(n log n) of the ports of hosts.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/slurm/slurm.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/nodename.h"
#include "fabric/fabric.h"

#define PORT_MAX 255 /* of a node: a byte numbers them */

/* ---- ports ------------------------------------------------------------------------- */

/* What an adapter is called in its host, "" if that has no such form. */
static const char *adapter_name(const struct ibc_node *node)
{
	const char *const texts[] = { node->desc, node->name };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		const char *space = strrchr(texts[i], ' ');

		if (space && is_hca_name(space + 1))
			return space + 1;
	}
	return "";
}

const char *ibc_slurm_rail(const struct ibc_port *port, char text[IBC_RAIL_TEXT])
{
	const char *name = adapter_name(port->node);

	snprintf(text, IBC_RAIL_TEXT, port->num > 1 && *name ? "%.64s/%u" : "%.64s", name,
	         port->num);
	return text;
}

static bool is_skipped(const struct slurm_work *w, const struct ibc_node *leaf)
{
	for (size_t i = 0; i < w->opts->num_skip; i++)
		if (!fnmatch(w->opts->skip[i], leaf->label, 0) ||
		    !fnmatch(w->opts->skip[i], leaf->name, 0))
			return true;
	return false;
}

static bool counts(const struct slurm_work *w, const struct ibc_port *p)
{
	char rail[IBC_RAIL_TEXT];

	return p->peer && p->peer->node->type == IBC_NODE_SWITCH &&
	       (!w->opts->rail || !strcmp(ibc_slurm_rail(p, rail), w->opts->rail)) &&
	       !is_skipped(w, p->peer->node);
}

/* By what an adapter is called, so that the first rail is the same one in all hosts. */
static int by_rail(const void *va, const void *vz)
{
	const struct ibc_port *a = *(const struct ibc_port *const *)va;
	const struct ibc_port *z = *(const struct ibc_port *const *)vz;

	return strverscmp(adapter_name(a->node), adapter_name(z->node))
	    ?: order_u64(node_order(a->node), node_order(z->node)) ?: a->num - z->num;
}

/* ---- names --------------------------------------------------------------------------- */

/* What slurm.conf could call a node; more is not to be had from a description. */
static bool is_node_name(const char *name)
{
	return name[strspn(name, SLURM_NAME_BYTES)] == '\0';
}

static bool learn_nodes(struct slurm_work *w)
{
	struct ibc_slurm *s = w->out;

	s->knows_nodes = w->opts->nodes;
	for (size_t i = 0; i < w->opts->num_nodes; i++) {
		struct slurm_node *node = arena_alloc(s->arena, sizeof(*node));

		if (!node || !(node->name = arena_strdup(s->arena, w->opts->nodes[i])))
			return false;
		HASH_ADD_KEYPTR(hh, s->nodes, node->name, strlen(node->name), node);
		if (!hash_added(node))
			return false;
	}
	return true;
}

/* In Slurm it is often short, and whole in the description. */
static struct slurm_node *find_node(const struct ibc_slurm *s, const char *name)
{
	struct slurm_node *node;

	HASH_FIND(hh, s->nodes, name, strlen(name), node);
	if (!node)
		HASH_FIND(hh, s->nodes, name, strcspn(name, "."), node);
	return node && !node->found ? node : NULL;
}

bool ibc_slurm_knows(const struct ibc_slurm *s, const char *name)
{
	struct slurm_node *node;

	HASH_FIND(hh, s->nodes, name, strlen(name), node);
	return node || !s->knows_nodes;
}

/* Its name in Slurm; NULL: it has none there. */
static const char *slurm_name(const struct ibc_slurm *s, const char *name)
{
	struct slurm_node *node = find_node(s, name);

	if (node)
		node->found = true;
	return node ? node->name : s->knows_nodes ? NULL : name;
}

/* ---- hosts ----------------------------------------------------------------------------- */

static bool add_nameless(struct slurm_work *w, const struct ibc_port *p)
{
	struct ibc_slurm *s = w->out;

	if (!arena_grow(s->arena, &s->nameless, s->num_nameless, &s->nameless_room,
	                sizeof(struct ibc_port *)))
		return false;
	s->nameless[s->num_nameless++] = p;
	return true;
}

/* Its ports that count, behind those that are there already. */
static size_t list_host_ports(const struct slurm_work *w, const struct ibc_fabric_host *h,
                              const struct ibc_port **ports)
{
	const struct ibc_port *p;
	size_t n = 0;

	for (size_t i = 0; i < h->num_nodes; i++)
		for (unsigned int num = 1; (p = ibc_node_port(h->nodes[i], num)); num++)
			if (counts(w, p))
				ports[n++] = p;
	if (n > 1)
		qsort(ports, n, sizeof(*ports), by_rail);
	return n;
}

static bool add_hosts(struct slurm_work *w)
{
	const struct ibc_fabric *fab = w->tree->fab;
	const struct ibc_port **ports;
	const struct ibc_fabric_host *h;
	struct ibc_slurm *s = w->out;
	size_t n;

	s->hosts = arena_array(s->arena, ibc_fabric_count(fab).hosts + 1, sizeof(*s->hosts));
	ports = arena_array(s->arena, ibc_fabric_count(fab).ports + 1, sizeof(struct ibc_port *));
	for (size_t i = 0; s->hosts && ports && (h = ibc_fabric_host(fab, i)); i++) {
		struct ibc_slurm_host *host = &s->hosts[s->num_hosts];

		n = list_host_ports(w, h, ports);
		for (size_t k = 0; !is_node_name(h->name) && k < n; k++)
			if (!add_nameless(w, ports[k]))
				return false;
		if (!n || !is_node_name(h->name) || !(host->name = slurm_name(s, h->name)))
			continue;
		host->ports = ports;
		host->num_ports = n;
		ports += n;
		s->num_hosts++;
	}
	return s->hosts && ports;
}

/* Adapters that name no host at all. */
static bool add_unnamed(struct slurm_work *w)
{
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(w->tree->fab, i)); i++)
		if (p->node->type == IBC_NODE_CA && !p->node->host_name &&
		    !node_is_aggregator(p->node) && counts(w, p) && !add_nameless(w, p))
			return false;
	return true;
}

static int by_node_name(const void *a, const void *z)
{
	return strverscmp(*(const char *const *)a, *(const char *const *)z);
}

static bool add_missing(struct ibc_slurm *s)
{
	struct slurm_node *node;

	s->missing = arena_array(s->arena, HASH_COUNT(s->nodes) + 1u, sizeof(*s->missing));
	for (node = s->nodes; s->missing && node; node = node->hh.next)
		if (!node->found)
			s->missing[s->num_missing++] = node->name;
	if (s->missing && s->num_missing)
		qsort(s->missing, s->num_missing, sizeof(*s->missing), by_node_name);
	return s->missing;
}

static int by_host_name(const void *a, const void *z)
{
	return strverscmp(((const struct ibc_slurm_host *)a)->name,
	                  ((const struct ibc_slurm_host *)z)->name);
}

bool slurm_hosts(struct slurm_work *w)
{
	struct ibc_slurm *s = w->out;

	if (!learn_nodes(w) || !add_hosts(w) || !add_unnamed(w) || !add_missing(s))
		return false;
	qsort(s->hosts, s->num_hosts, sizeof(*s->hosts), by_host_name);
	return true;
}

const struct ibc_slurm_host *ibc_slurm_host_by_name(const struct ibc_slurm *s, const char *name)
{
	const struct ibc_slurm_host key = { .name = name };

	return bsearch(&key, s->hosts, s->num_hosts, sizeof(key), by_host_name);
}
