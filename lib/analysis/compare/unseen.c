/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/compare/unseen.h"

#include "base/arena.h"
#include "fabric/fabric.h"

/* A port of the later sweep as the earlier one saw it, or NULL. */
static const struct ibc_port *port_before(const struct ibc_comparison *cmp,
                                          const struct ibc_port *port)
{
	const struct ibc_node *node = ibc_comparison_counterpart(cmp, port->node);

	return node ? ibc_node_port(node, port->num) : NULL;
}

/* There may have been a cable at it, but nobody told where it leads. */
static bool is_blank(const struct ibc_port *was)
{
	if (!was || was->peer || !ibc_attrs_has(was->node->subnet->provides, IBC_ATTR_PORT_INFO))
		return false;
	return !ibc_port_has(was, IBC_ATTR_PORT_INFO) || was->phys_state == IBC_PHYS_LINKUP;
}

/* struct unseen_spread - nodes to look around at, each once */
struct unseen_spread {
	const struct ibc_comparison *cmp;
	const struct ibc_node **queue;
	size_t n;
	bool *unseen;
};

static void mark_unseen(struct unseen_spread *s, const struct ibc_node *node)
{
	if (s->unseen[node_order(node)] || ibc_comparison_counterpart(s->cmp, node))
		return;
	s->unseen[node_order(node)] = true;
	s->queue[s->n++] = node;
}

static void reach_blank_ports(struct unseen_spread *s, const struct ibc_fabric *later)
{
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(later, i)); i++)
		if (p->peer && is_blank(port_before(s->cmp, p)))
			mark_unseen(s, p->peer->node);
}

const bool *unseen_nodes(struct arena *a, const struct ibc_comparison *cmp)
{
	const struct ibc_fabric *later = comparison_match(cmp)->found;
	size_t nodes = ibc_fabric_count(later).nodes + 1;
	struct unseen_spread s = {
		.cmp = cmp,
		.queue = arena_array(a, nodes, sizeof(*s.queue)),
		.unseen = arena_array(a, nodes, sizeof(*s.unseen)),
	};
	const struct ibc_port *p;

	if (!s.queue || !s.unseen)
		return NULL;
	reach_blank_ports(&s, later);
	for (size_t i = 0; i < s.n; i++)
		for (unsigned int num = 1; (p = ibc_node_port(s.queue[i], num)); num++)
			if (p->peer)
				mark_unseen(&s, p->peer->node);
	return s.unseen;
}

/* Of a cable between nodes that were there, neither end may have been seen to be free. */
static bool is_unseen_cable(const struct ibc_comparison *cmp, const bool *nodes,
                            const struct ibc_port *port)
{
	if (!port->peer)
		return is_blank(port_before(cmp, port));
	if (nodes[node_order(port->node)] || nodes[node_order(port->peer->node)])
		return true;
	return is_blank(port_before(cmp, port)) && is_blank(port_before(cmp, port->peer));
}

bool is_unseen(const struct ibc_comparison *cmp, const bool *nodes, const struct deviation *d)
{
	if (d->kind == DEVIATION_UNEXPECTED_NODE)
		return nodes[node_order(d->found_nodes[0])];
	if (d->kind != DEVIATION_UNEXPECTED_CABLE)
		return false;
	for (size_t i = 0; i < d->num_found; i++)
		if (!is_unseen_cable(cmp, nodes, d->found[i]))
			return false;
	return true;
}
