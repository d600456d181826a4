/* SPDX-License-Identifier: BSD-2-Clause */
/* Which hosts things cut off: by cables, whatever the tables have. */
#include "analysis/routes/dependents.h"
#include "base/arena.h"
#include "fabric/fabric.h"

bool link_is_up(const struct ibc_port *port)
{
	const struct ibc_port *end = ibc_port_has_state(port) ? port : port->peer;

	return !ibc_port_has_state(end) || ibc_port_is_up(end);
}

bool is_host_port(const struct ibc_port *port)
{
	return port->num && port->node->type != IBC_NODE_SWITCH &&
	       !node_is_aggregator(port->node) && port->peer && link_is_up(port);
}

/* Where a port of a host is: its switch. */
static uint32_t home_of(const struct ibc_port *port)
{
	const struct ibc_node *peer = port->peer->node;

	return (uint32_t)node_order(peer->type == IBC_NODE_SWITCH ? peer : port->node);
}

static bool is_cut(const struct parts *p, const struct ibc_port *port)
{
	uint32_t home = home_of(port), before = set_of(&p->before, home);

	return goes_with(p->gone, port) ||
	       (p->hit[before] && set_of(&p->after, home) != p->main[before]);
}

/* Pairs of what was one part, without those of what is one still. */
static uint64_t count_cut_pairs(const struct parts *p)
{
	uint64_t pairs = 0;

	for (uint32_t s = 0; s < p->n; s++) {
		uint64_t gone = p->size_before[s], kept = p->size[s];

		if (p->hit[s])
			pairs += gone * gone - gone;
		if (p->hit[set_of(&p->before, s)])
			pairs -= kept * kept - kept;
	}
	return pairs;
}

bool ibc_dependents_cuts(const struct ibc_dependents *public, const struct ibc_port *port)
{
	const struct parts *p = &((const struct dependents *)public)->parts;
	uint32_t home = (uint32_t)node_order(port->node);

	if (port->node->type != IBC_NODE_SWITCH)
		return is_host_port(port) ? is_cut(p, port) : goes_with(p->gone, port);
	return gone_has(p->gone, port->node, 0) ||
	       (p->hit[set_of(&p->before, home)] &&
	        set_of(&p->after, home) != p->main[set_of(&p->before, home)]);
}

/* What cables join, before and after, and which of it a thing was in. */
static void join_parts(struct dependents *d, struct parts *p)
{
	const struct ibc_port *port;

	sets_new(d->arena, p->n, &p->before);
	sets_new(d->arena, p->n, &p->after);
	p->hit = arena_array(d->arena, p->n + 1u, sizeof(*p->hit));
	p->size_before = arena_array(d->arena, p->n + 1u, sizeof(*p->size_before));
	p->size = arena_array(d->arena, p->n + 1u, sizeof(*p->size));
	p->main = arena_array(d->arena, p->n + 1u, sizeof(*p->main));
	for (size_t i = 0; (port = fabric_next_cable(d->fab, &i));) {
		uint32_t a = (uint32_t)node_order(port->node);
		uint32_t z = (uint32_t)node_order(port->peer->node);

		/* hosts pass nothing on: only two of them back to back are joined */
		if (!link_is_up(port) || (port->node->type == IBC_NODE_SWITCH) !=
		                             (port->peer->node->type == IBC_NODE_SWITCH))
			continue;
		sets_join(&p->before, a, z);
		if (!goes_with(p->gone, port))
			sets_join(&p->after, a, z);
	}
	for (size_t i = 0; (port = ibc_fabric_port(d->fab, i)); i++)
		if (port->node->type == IBC_NODE_SWITCH &&
		    (port->num ? port->peer && goes_with(p->gone, port)
		               : gone_has(p->gone, port->node, 0)))
			p->hit[set_of(&p->before, (uint32_t)node_order(port->node))] = true;
}

void dependents_cut(struct dependents *d)
{
	struct parts *p = &d->parts;
	const struct ibc_port *port;

	*p = (struct parts){ .gone = &d->gone, .n = (uint32_t)ibc_fabric_count(d->fab).nodes };
	join_parts(d, p);
	for (size_t i = 0; (port = ibc_fabric_port(d->fab, i)); i++) {
		if (!is_host_port(port))
			continue;
		p->size_before[set_of(&p->before, home_of(port))]++;
		if (!goes_with(p->gone, port))
			p->size[set_of(&p->after, home_of(port))]++;
		else
			p->hit[set_of(&p->before, home_of(port))] = true;
	}
	for (uint32_t s = 0; s < p->n; s++)
		p->main[s] = s;
	for (uint32_t s = 0; s < p->n; s++) {
		uint32_t *best = &p->main[set_of(&p->before, s)];

		if (set_of(&p->after, s) == s && p->size[s] > p->size[*best])
			*best = s;
	}
	for (size_t i = 0; (port = ibc_fabric_port(d->fab, i)); i++) {
		struct host_loss *loss = &d->losses[d->speaker[node_order(port->node)]];

		if (!is_host_port(port))
			continue;
		loss->ports++;
		loss->cut += is_cut(p, port);
	}
	d->public.cut_pairs = count_cut_pairs(p);
}
