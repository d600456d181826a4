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

static bool counts(const struct slurm_work *w, const struct ibc_port *p)
{
	char rail[IBC_RAIL_TEXT];

	if (!p->peer || p->peer->node->type != IBC_NODE_SWITCH ||
	    (w->opts->rail && strcmp(ibc_slurm_rail(p, rail), w->opts->rail) != 0))
		return false;
	for (size_t i = 0; i < w->opts->num_skip; i++)
		if (!fnmatch(w->opts->skip[i], p->peer->node->label, 0) ||
		    !fnmatch(w->opts->skip[i], p->peer->node->name, 0))
			return false;
	return true;
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

static int by_slurm_node(const void *va, const void *vz)
{
	return strcmp(((const struct slurm_node *)va)->name, ((const struct slurm_node *)vz)->name);
}

static struct slurm_node *find_node(const struct ibc_slurm *s, const char *name)
{
	const struct slurm_node key = { .name = name };

	return bsearch(&key, s->nodes, s->num_nodes, sizeof(key), by_slurm_node);
}

bool ibc_slurm_knows(const struct ibc_slurm *s, const char *name)
{
	return !s->knows_nodes || find_node(s, name);
}

/* Its name in Slurm, where it is often short, and whole in the description; NULL: it has none. */
static const char *slurm_name(const struct slurm_work *w, const char *name)
{
	struct slurm_node *node = find_node(w->out, name);

	if (!w->out->knows_nodes)
		return name;
	if (!node)
		node = find_node(w->out, arena_strndup(w->tmp, name, strcspn(name, ".")));
	if (!node || node->found)
		return NULL;
	node->found = true;
	return node->name;
}

/* ---- hosts ----------------------------------------------------------------------------- */

static void add_nameless(struct ibc_slurm *s, const struct ibc_port *p)
{
	arena_grow(s->arena, &s->nameless, s->num_nameless, &s->nameless_room,
	           sizeof(struct ibc_port *));
	s->nameless[s->num_nameless++] = p;
}

/* What slurm.conf could not call a node has no host's name: there is no more than a description. */
static void add_host(struct slurm_work *w, const struct ibc_fabric_host *h,
                     const struct ibc_port **ports)
{
	struct ibc_slurm *s = w->out;
	struct ibc_slurm_host host = { .ports = ports };
	bool is_name = h->name[strspn(h->name, SLURM_NAME_BYTES)] == '\0';
	const struct ibc_port *p;

	for (size_t i = 0; i < h->num_nodes; i++)
		for (unsigned int num = 1; (p = ibc_node_port(h->nodes[i], num)); num++)
			if (counts(w, p))
				ports[host.num_ports++] = p;
	if (host.num_ports > 1)
		qsort(ports, host.num_ports, sizeof(*ports), by_rail);
	for (size_t i = 0; !is_name && i < host.num_ports; i++)
		add_nameless(s, ports[i]);
	if (host.num_ports && is_name && (host.name = slurm_name(w, h->name)))
		s->hosts[s->num_hosts++] = host;
}

static int by_host_name(const void *a, const void *z)
{
	return strverscmp(((const struct ibc_slurm_host *)a)->name,
	                  ((const struct ibc_slurm_host *)z)->name);
}

static int by_node_version(const void *a, const void *z)
{
	return strverscmp(*(const char *const *)a, *(const char *const *)z);
}

void slurm_hosts(struct slurm_work *w)
{
	const struct ibc_fabric *fab = w->tree->fab;
	struct ibc_slurm *s = w->out;
	const struct ibc_port **ports = arena_array(s->arena, ibc_fabric_count(fab).ports + 1,
	                                            sizeof(struct ibc_port *));
	const struct ibc_fabric_host *h;
	const struct ibc_port *p;

	s->knows_nodes = w->opts->nodes;
	s->nodes = arena_array(s->arena, w->opts->num_nodes + 1, sizeof(*s->nodes));
	for (; s->num_nodes < w->opts->num_nodes; s->num_nodes++)
		s->nodes[s->num_nodes].name = arena_strdup(s->arena, w->opts->nodes[s->num_nodes]);
	qsort(s->nodes, s->num_nodes, sizeof(*s->nodes), by_slurm_node);
	s->hosts = arena_array(s->arena, ibc_fabric_count(fab).hosts + 1, sizeof(*s->hosts));
	for (size_t i = 0; (h = ibc_fabric_host(fab, i)); i++) {
		size_t before = s->num_hosts;

		add_host(w, h, ports);
		ports += s->num_hosts > before ? s->hosts[before].num_ports : 0;
	}
	/* adapters that name no host at all */
	for (size_t i = 0; (p = ibc_fabric_port(fab, i)); i++)
		if (p->node->type == IBC_NODE_CA && !p->node->host_name &&
		    !node_is_aggregator(p->node) && counts(w, p))
			add_nameless(s, p);
	qsort(s->hosts, s->num_hosts, sizeof(*s->hosts), by_host_name);
	s->missing = arena_array(s->arena, s->num_nodes + 1, sizeof(*s->missing));
	for (size_t i = 0; i < s->num_nodes; i++)
		if (!s->nodes[i].found)
			s->missing[s->num_missing++] = s->nodes[i].name;
	qsort(s->missing, s->num_missing, sizeof(*s->missing), by_node_version);
}

const struct ibc_slurm_host *ibc_slurm_host_by_name(const struct ibc_slurm *s, const char *name)
{
	const struct ibc_slurm_host key = { .name = name };

	return bsearch(&key, s->hosts, s->num_hosts, sizeof(key), by_host_name);
}
