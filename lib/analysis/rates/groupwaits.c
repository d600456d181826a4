/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/rates/groupwaits.h"

#include <ibcheck/counters.h>

#include "base/arena.h"
#include "fabric/fabric.h"

/* struct wait_ups - @known: of @links, those whose @util is in the sum */
struct wait_ups {
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

static bool measure_uplinks(struct wait_groups *g)
{
	const struct ibc_node *node;
	const struct ibc_port *port;

	if (g->ups)
		return true;
	g->ups = arena_array(g->arena, ibc_fabric_count(g->now).nodes + 1, sizeof(*g->ups));
	for (size_t i = 0; g->ups && (node = ibc_fabric_node(g->now, i)); i++)
		for (unsigned int num = 1;
		     node->type == IBC_NODE_SWITCH && (port = ibc_node_port(node, num)); num++) {
			if (!leads_away(g, port))
				continue;
			g->ups[i].links++;
			add_util(g, port, &g->ups[i].known, &g->ups[i].util);
		}
	return g->ups;
}

bool wait_group_is_small(struct wait_groups *g, const struct ibc_port *port,
                         struct wait_others *out)
{
	const struct ibc_node *own = port->node, *node;
	unsigned int like = 0, more = 0, known = 0;
	double sum = 0;

	*out = (struct wait_others){ .util = -1 };
	if (!leads_away(g, port) || !measure_uplinks(g))
		return false;
	for (size_t i = 0; (node = ibc_fabric_node(g->now, i)); i++) {
		const struct wait_ups *u = &g->ups[i];

		if (node == own || !u->links || g->depth[i] != g->depth[node_order(own)])
			continue;
		like++;
		if (u->links <= g->ups[node_order(own)].links)
			continue;
		more++;
		known += u->known;
		sum += u->util;
		if (!out->all || u->links < out->all)
			out->all = u->links;
	}
	out->lost = more * 2 > like ? out->all - g->ups[node_order(own)].links : 0;
	out->util = known ? sum / known : -1;
	return out->lost;
}
