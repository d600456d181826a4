/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/without.h"

#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "fabric/build.h"
#include "fabric/fabric.h"

void gone_new(struct arena *a, const struct ibc_fabric *fab, const struct ibc_place *places,
              size_t n, struct gone *out)
{
	out->ports = arena_array(a, ibc_fabric_count(fab).nodes + 1, sizeof(*out->ports));
	for (size_t i = 0; i < n; i++) {
		uint64_t *set = out->ports[node_order(places[i].node)];

		if (places[i].port)
			set[places[i].port / 64] |= 1ull << places[i].port % 64;
		else
			memset(set, 0xff, sizeof(*out->ports));
	}
}

bool gone_has(const struct gone *gone, const struct ibc_node *node, unsigned int port)
{
	return gone->ports[node_order(node)][port / 64] >> port % 64 & 1;
}

bool goes_with(const struct gone *gone, const struct ibc_port *port)
{
	return gone_has(gone, port->node, port->num) ||
	       (port->peer && gone_has(gone, port->peer->node, port->peer->num));
}

/* ---- what is left ------------------------------------------------------------------------- */

/* struct copying - @nodes: the copies, by node; NULL: it goes */
struct copying {
	const struct ibc_fabric *fab;
	const struct ibc_place *places;
	size_t num_places;
	struct fabric_build *build;
	struct arena *scratch;
	struct ibc_node **nodes;
	struct gone gone;
};

/* As it is; what led to what goes has lost its link. */
static void copy_port(const struct copying *c, struct ibc_port *to, const struct ibc_port *from)
{
	const struct ibc_node *node = to->node;

	*to = *from;
	to->node = node;
	to->peer = NULL;
	if (!from->peer || !goes_with(&c->gone, from))
		return;
	to->state = IBC_STATE_DOWN;
	to->phys_state = IBC_PHYS_POLLING;
	to->width_active = 0;
	to->speed_active = 0;
}

static void copy_node(struct copying *c, struct ibc_subnet *subnet, const struct ibc_node *from)
{
	struct ibc_node *to = fabric_build_node(c->build, subnet, from->guid, from->type,
	                                        from->num_ports);
	const struct ibc_port *ports = to->ports;

	c->nodes[node_order(from)] = to;
	*to = *from;
	to->subnet = subnet;
	to->ports = ports;
	to->name = to->label = to->host_name = NULL;
	to->duplicate = false;
	if (*from->name && strcmp(from->name, from->desc) != 0)
		fabric_build_name(c->build, from->guid, from->name);
	for (unsigned int num = from->type != IBC_NODE_SWITCH; num <= from->num_ports; num++)
		copy_port(c, fabric_build_port(to, num), &from->ports[num]);
}

static int copy_rest(void *ctx)
{
	struct copying *c = ctx;
	const struct ibc_subnet *from;
	const struct ibc_node *node;
	const struct ibc_port *p;

	gone_new(c->scratch, c->fab, c->places, c->num_places, &c->gone);
	c->nodes = arena_array(c->scratch, ibc_fabric_count(c->fab).nodes + 1, sizeof(*c->nodes));
	for (size_t i = 0; (from = ibc_fabric_subnet(c->fab, i)); i++) {
		struct ibc_subnet *to = fabric_build_subnet(c->build, from->source, from->kind);
		const struct ibc_subnet made = *to;

		*to = *from;
		to->fabric = made.fabric;
		to->index = made.index;
		to->origin = NULL;
		to->forwarding = NULL;
		to->multicast = NULL;
		to->sa = NULL;
	}
	for (size_t i = 0; (node = ibc_fabric_node(c->fab, i)); i++)
		if (!gone_has(&c->gone, node, 0))
			copy_node(c, fabric_build_subnet_at(c->build, node->subnet->index), node);
	for (size_t i = 0; (p = fabric_next_cable(c->fab, &i));)
		if (!goes_with(&c->gone, p))
			fabric_build_link(
			    fabric_build_port(c->nodes[node_order(p->node)], p->num),
			    fabric_build_port(c->nodes[node_order(p->peer->node)], p->peer->num));
	return 0;
}

int ibc_fabric_without(const struct ibc_fabric *fab, const struct ibc_place *places, size_t n,
                       struct ibc_fabric **out, struct ibc_error *err)
{
	struct copying c = { .fab = fab, .places = places, .num_places = n };
	int rc = fabric_build_new(&c.build, err);

	*out = NULL;
	if (rc)
		return rc;
	c.scratch = arena_new();
	rc = fabric_build_run(c.build, c.scratch, copy_rest, &c);
	arena_free(c.scratch);
	if (rc) {
		fabric_build_free(c.build);
		return fail_nomem(err);
	}
	return fabric_build_finish(c.build, out, err);
}
