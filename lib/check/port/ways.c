/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What may be silent for a silent switch, where no table says which way queries take: by the part
 * of the shortest paths that lead over it.  They are counted level by level from where the sweep
 * began (Brandes 2001), only if a switch is silent: O(levels * ports).
 */
#include <ibcheck/topo.h>

#include "check/collect.h"
#include "fabric/fabric.h"

#define MOST 0.5 /* of all ways; of two spines one is as likely as the other */

/*
 * struct search - silent switches are numbered behind the nodes
 * @level: by number: cables from the origin, from 1; 0: not reached
 * @all, @clear: likewise, shortest paths, and those of them over no silent switch
 */
struct search {
	const struct silent_peers *peers;
	size_t num_nodes, *level;
	double *all, *clear;
	struct way *ways;
};

/* Along one cable, if it begins at this level; false: it leads on nowhere. */
static bool go(struct search *s, size_t level, size_t from, size_t to)
{
	const struct silent_switch *over = s->ways[from].over;

	if (s->level[from] != level || (s->level[to] && s->level[to] != level + 1))
		return false;
	s->level[to] = level + 1;
	s->all[to] += s->all[from];
	if (to >= s->num_nodes)
		over = &s->peers->switches[to - s->num_nodes];
	else
		s->clear[to] += s->clear[from];
	s->ways[to].several |= s->ways[from].several ||
	                       (over && s->ways[to].over && over != s->ways[to].over);
	s->ways[to].over = s->ways[to].over ?: over;
	return true;
}

static bool go_on(struct search *s, const struct ibc_fabric *fab, size_t level)
{
	const struct ibc_port *p;
	bool more = false;

	for (size_t i = 0; (p = ibc_fabric_port(fab, i)); i++)
		if (p->peer && (p->node->type == IBC_NODE_SWITCH || level == 1))
			more |= go(s, level, node_order(p->node), node_order(p->peer->node));
	for (size_t i = 0; i < s->peers->num_switches; i++)
		for (size_t k = 0; k < s->peers->switches[i].n; k++) {
			size_t node = node_order(s->peers->switches[i].links[k].port->node);

			if (!has_silent_peer(s->peers->switches[i].links[k].port))
				continue;
			more |= go(s, level, node, s->num_nodes + i);
			more |= go(s, level, s->num_nodes + i, node);
		}
	return more;
}

const struct way *find_ways(const struct ibc_fabric *fab, struct ibc_sink *out,
                            const struct silent_peers *peers)
{
	size_t num_nodes = ibc_fabric_count(fab).nodes, n = num_nodes + peers->num_switches;
	struct search s = {
		.peers = peers,
		.num_nodes = num_nodes,
		.level = sink_array(out, n, sizeof(*s.level)),
		.all = sink_array(out, n, sizeof(*s.all)),
		.clear = sink_array(out, n, sizeof(*s.clear)),
		.ways = sink_array(out, n, sizeof(*s.ways)),
	};
	const struct ibc_subnet *subnet;
	const struct ibc_node *node;

	for (size_t i = 0; (subnet = ibc_fabric_subnet(fab, i)); i++)
		if (subnet->origin) {
			size_t origin = node_order(subnet->origin->node);

			s.level[origin] = 1;
			s.all[origin] = s.clear[origin] = 1;
		}
	for (size_t level = 1; go_on(&s, fab, level);)
		level++;
	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		s.ways[i].share = s.level[i] ? 1 - s.clear[i] / s.all[i] : 0;
		/* from nowhere: any way is as good as the other */
		for (size_t k = 0; k < peers->num_switches && !node->subnet->origin; k++)
			if (peers->switches[k].links->port->node->subnet == node->subnet)
				s.ways[i] = (struct way){ 1, &peers->switches[k], false };
	}
	return s.ways;
}

struct way way_of(const struct silent_peers *peers, const struct ibc_node *node)
{
	bool tables = node->subnet->forwarding; /* they say themselves (doc/cases.md) */

	return peers->ways && !tables ? peers->ways[node_order(node)] : (struct way){ 0 };
}

const struct ibc_node *expected_peer(const struct ibc_input *in, const struct ibc_port *p)
{
	const struct ibc_node *node = NULL;
	const struct ibc_port *port;

	if (in->comparison)
		node = ibc_comparison_counterpart(in->comparison, p->node);
	if (!node && in->before)
		node = ibc_fabric_node_by_guid(in->before, p->node->guid);
	port = node ? ibc_node_port(node, p->num) : NULL;
	return port && port->peer ? port->peer->node : NULL;
}

/* Its name, or where that is not known the port before it. */
static const char *silent_switch_text(const struct ibc_input *in, struct ibc_sink *out,
                                      const struct silent_switch *silent)
{
	const struct slot *link = silent->links;
	const struct ibc_node *node;

	while (!has_silent_peer(link->port))
		link++;
	node = expected_peer(in, link->port);
	return node ? node->label : sink_text(out, "what is behind %s", port_text(out, link->port));
}

void advise_silent(const struct ibc_input *in, struct ibc_sink *out, struct way way,
                   const char *if_it_stays)
{
	const char *over = way.share > 0 ? silent_switch_text(in, out, way.over) : NULL;
	const char *other = way.several ? " or another silent switch" : "";

	if (over)
		sink_fact(out, "may_follow_from", ibc_str(over));
	if (way.share >= MOST)
		sink_advise(out,
		            "May follow from %s%s, which does not answer: look there first. Then "
		            "sweep again; --routes shows whether the route leads over it.",
		            over, other);
	else if (over)
		sink_advise(out,
		            "Sweep again with --routes: %.0f %% of the shortest paths lead over "
		            "%s%s, which does not answer. If it stays silent and its route is "
		            "another, %s",
		            100 * way.share, over, other, if_it_stays);
	else
		sink_advise(out, "Sweep again. If it stays silent, %s", if_it_stays);
}
