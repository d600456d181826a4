/* SPDX-License-Identifier: BSD-2-Clause */
/* What cannot be reached without a node: the cut vertices between it and the origin. */
#include "case/behind.h"

#include "base/arena.h"
#include "fabric/fabric.h"

/*
 * struct search - in depth, from an origin (Tarjan 1972)
 * @entered: by node: when, counted from 1; 0: not yet
 * @low: by node: the earliest entered that a cable from it, or from beyond it, leads to
 * @parent, @port: by node: where it was entered from, and the next of its ports to look at
 * @order: nodes as they were entered
 */
struct search {
	const struct things *things;
	size_t *entered, *low, *parent, *order;
	unsigned int *port;
	size_t n;
};

static void enter(struct search *s, size_t node, size_t from)
{
	s->parent[node] = from;
	s->order[s->n++] = node;
	s->entered[node] = s->low[node] = s->n;
}

/* Goes on through the next port of a node; where it leads to, or back to when all were looked at.
 */
static size_t go_on(struct search *s, size_t at)
{
	const struct ibc_node *node = thing_at(s->things, at);
	size_t back = s->parent[at];

	while (s->port[at] < node->num_ports) {
		const struct ibc_port *port = ibc_node_port(node, ++s->port[at]);
		const struct ibc_port *peer = port ? thing_peer(s->things, port) : NULL;
		size_t to = peer ? thing_number(s->things, peer->node) : at;

		if (!s->entered[to]) {
			enter(s, to, at);
			return to;
		}
		if (s->entered[to] < s->low[at])
			s->low[at] = s->entered[to];
	}
	if (back != NO_GATE && s->low[at] < s->low[back])
		s->low[back] = s->low[at];
	return back;
}

size_t *find_gates(const struct things *t)
{
	size_t n = t->num_nodes + 1, *gates = arena_array(t->arena, n, sizeof(*gates));
	const struct ibc_subnet *subnet;
	struct search s = {
		.things = t,
		.entered = arena_array(t->arena, n, sizeof(*s.entered)),
		.low = arena_array(t->arena, n, sizeof(*s.low)),
		.parent = arena_array(t->arena, n, sizeof(*s.parent)),
		.order = arena_array(t->arena, n, sizeof(*s.order)),
		.port = arena_array(t->arena, n, sizeof(*s.port)),
	};

	for (size_t i = 0; i < t->num_nodes; i++)
		gates[i] = NO_GATE;
	for (size_t i = 0; t->found && (subnet = ibc_fabric_subnet(t->found, i)); i++) {
		size_t origin = subnet->origin ? node_order(subnet->origin->node) : NO_GATE;

		if (origin == NO_GATE || s.entered[origin])
			continue;
		enter(&s, origin, NO_GATE);
		for (size_t at = origin; at != NO_GATE;)
			at = go_on(&s, at);
	}
	/* a parent is a gate if nothing beyond leads to before it; else its own gate is */
	for (size_t i = 0; i < s.n; i++) {
		size_t node = s.order[i], parent = s.parent[node];

		if (parent != NO_GATE)
			gates[node] = s.low[node] >= s.entered[parent] ? parent : gates[parent];
	}
	return gates;
}
