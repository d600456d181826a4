/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/rates/groupwaits.h"

#include <ibcheck/counters.h>

#include "base/arena.h"
#include "fabric/fabric.h"

/* struct wait_ups - of a switch; @known: of @links, those whose @util is in the sum */
struct wait_ups {
	const struct ibc_node *node;
	unsigned int links, known;
	double util;
};

struct mean {
	unsigned int n;
	double sum;
};

static void add_util(const struct wait_groups *g, const struct ibc_port *port, unsigned int *n,
                     double *sum)
{
	struct ibc_delta delta;
	double util = ibc_delta_among(g->before, port, 1u << IBC_XMIT_DATA, &delta)
	                  ? ibc_delta_util_percent(port, &delta)
	                  : -1;

	*n += util >= 0;
	*sum += util >= 0 ? util : 0;
}

/* ---- planes ----------------------------------------------------------------------------- */

bool wait_groups_init(struct arena *a, const struct ibc_fabric *before,
                      const struct ibc_fabric *now, const unsigned int *depth,
                      struct wait_groups *out)
{
	const struct ibc_node *node;

	*out = (struct wait_groups){ .before = before, .now = now, .depth = depth, .arena = a };
	for (size_t i = 0; (node = ibc_fabric_node(now, i)); i++)
		if (node_planes(node))
			return switches_collect(a, a, now, &out->sw) &&
			       planes_find(a, &out->sw, &out->planes);
	return true;
}

/* The link of an HCA in each plane, from its switch. */
static const struct ibc_port *link_of_hca(const struct planes *p, const struct ibc_node *hca,
                                          unsigned int plane)
{
	const struct ibc_port *port = planes_port(p, hca, plane);

	return port ? port->peer : NULL;
}

/* The port of the same number of a sibling, if it has a cable. */
static const struct ibc_port *link_of_sibling(const struct planes *p, const struct ibc_port *port,
                                              unsigned int plane)
{
	uint32_t set = p->set_of[switch_number(p->sw, port->node)];
	uint32_t s = set == NO_SWITCH ? NO_SWITCH : p->members[(size_t)set * p->n + plane];
	const struct ibc_port *beside = s == NO_SWITCH ? NULL
	                                               : ibc_node_port(p->sw->nodes[s], port->num);

	return beside && beside->peer ? beside : NULL;
}

/* Of a link between switches, what its own switch has lost counts: the others have more than it. */
static unsigned int links_lost(const struct planes *p, const struct ibc_port *port)
{
	unsigned int lost = 0;

	for (unsigned int num = 1; num <= port->node->num_ports; num++) {
		const struct ibc_port *own = ibc_node_port(port->node, num);
		unsigned int has = 0;

		for (unsigned int k = 0; !own->peer && k < p->n; k++)
			has += link_of_sibling(p, own, k) != NULL;
		lost += has * 2 > p->n;
	}
	return lost;
}

bool wait_planes_beside(const struct wait_groups *g, const struct ibc_port *port,
                        struct wait_others *out)
{
	const struct planes *p = &g->planes;
	bool to_hca = port->peer->node->type == IBC_NODE_CA;
	struct mean mean = { 0, 0 };

	*out = (struct wait_others){ .all = p->n };
	if (!p->n || port->node->type != IBC_NODE_SWITCH ||
	    (to_hca && node_planes(port->peer->node) != p->n) ||
	    p->set_of[switch_number(p->sw, port->node)] == NO_SWITCH)
		return false;
	for (unsigned int k = 0; k < p->n; k++) {
		const struct ibc_port *beside = to_hca ? link_of_hca(p, port->peer->node, k)
		                                       : link_of_sibling(p, port, k);

		out->lost += to_hca && !beside;
		if (beside && beside != port)
			add_util(g, beside, &mean.n, &mean.sum);
	}
	if (!to_hca)
		out->lost = links_lost(p, port);
	out->util = mean.n ? mean.sum / mean.n : -1;
	return true;
}

/* ---- uplinks ------------------------------------------------------------------------------ */

static bool leads_away(const struct wait_groups *g, const struct ibc_port *port)
{
	return port->peer && port->peer->node->type == IBC_NODE_SWITCH &&
	       g->depth[node_order(port->peer->node)] > g->depth[node_order(port->node)];
}

static struct wait_ups ups_of(const struct wait_groups *g, const struct ibc_node *node)
{
	struct wait_ups u = { .node = node };
	const struct ibc_port *port;

	for (unsigned int num = 1; (port = ibc_node_port(node, num)); num++) {
		if (!leads_away(g, port))
			continue;
		u.links++;
		add_util(g, port, &u.known, &u.util);
	}
	return u;
}

static bool measure_uplinks(struct wait_groups *g)
{
	const struct ibc_node *node;

	if (g->ups)
		return true;
	g->ups = arena_array(g->arena, ibc_fabric_count(g->now).switches + 1, sizeof(*g->ups));
	for (size_t i = 0; g->ups && (node = ibc_fabric_node(g->now, i)); i++) {
		g->ups[g->num_ups] = node->type == IBC_NODE_SWITCH ? ups_of(g, node)
		                                                   : (struct wait_ups){ 0 };
		g->num_ups += g->ups[g->num_ups].links > 0;
	}
	return g->ups;
}

/* Others may have fewer ports to lead up by. */
static bool is_same_model(const struct ibc_node *a, const struct ibc_node *z)
{
	return a->vendor_id == z->vendor_id && a->device_id == z->device_id &&
	       a->num_ports == z->num_ports;
}

/* What most switches of its model at the same depth have more than it. */
static struct wait_others compare_uplinks(const struct wait_groups *g, const struct ibc_node *own)
{
	const unsigned int depth = g->depth[node_order(own)], links = ups_of(g, own).links;
	struct wait_others out = { .util = -1 };
	unsigned int like = 0, more = 0, known = 0;
	double sum = 0;

	for (size_t i = 0; i < g->num_ups; i++) {
		const struct wait_ups *u = &g->ups[i];

		if (u->node == own || g->depth[node_order(u->node)] != depth ||
		    !is_same_model(u->node, own))
			continue;
		like++;
		if (u->links <= links)
			continue;
		more++;
		known += u->known;
		sum += u->util;
		if (!out.all || u->links < out.all)
			out.all = u->links;
	}
	out.lost = more * 2 > like ? out.all - links : 0;
	out.util = known ? sum / known : -1;
	return out;
}

bool wait_group_is_small(struct wait_groups *g, const struct ibc_port *port,
                         struct wait_others *out)
{
	*out = (struct wait_others){ .util = -1 };
	if (!leads_away(g, port) || !measure_uplinks(g))
		return false;
	if (g->own != port->node)
		g->beside = compare_uplinks(g, port->node);
	g->own = port->node;
	*out = g->beside;
	return out->lost;
}
