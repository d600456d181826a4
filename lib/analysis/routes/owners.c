/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/routes/owners.h"

#include "base/arena.h"
#include "fabric/build.h"
#include "fabric/fabric.h"

/* A router without floating LIDs has 0 .. 0.  A range that cannot be is not believed. */
static void add_range(struct lid_owners *o, struct ibc_flids range)
{
	if (!range.first && !range.last)
		return;
	if (!range.first || range.first > range.last || range.last >= UNICAST_LIDS)
		o->router_unread = true;
	else
		o->flids[o->num_flids++] = range;
}

void owners_find(struct lid_owners *o, const struct route_subnet *p, struct arena *a)
{
	const struct ibc_fabric *fab = p->routes->fab;
	const struct ibc_node *node;
	const struct ibc_port *port;

	for (size_t i = 0; (port = ibc_fabric_port(fab, i)); i++) {
		const struct ibc_vports *v = port->node->subnet == p->subnet ? port->extra->vports
		                                                             : NULL;

		for (size_t k = 0; v && k < v->num_vports; k++) {
			unsigned int lid = v->vports[k].lid;

			if (!lid || lid >= UNICAST_LIDS)
				continue;
			if (!o->vports)
				o->vports = arena_array(a, UNICAST_LIDS, sizeof(struct ibc_port *));
			if (!o->vports[lid])
				o->vports[lid] = port;
		}
	}
	/* two of each router */
	o->flids = arena_array(a, 2 * ibc_fabric_count(fab).routers + 1, sizeof(*o->flids));
	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		if (node->subnet != p->subnet || node->type != IBC_NODE_ROUTER)
			continue;
		if (!node->router) {
			o->router_unread = true;
			continue;
		}
		add_range(o, node->router->global);
		add_range(o, node->router->local);
	}
}

/* ---- where the tables send a LID ------------------------------------------------------ */

/*
 * struct ends - ports that are no switch's
 * @any: there is an entry for it
 * @first: of them; @num: how many, @routers of routers
 * @astray: the port of a switch that sends it to another than the owner, or NULL
 */
struct ends {
	const struct ibc_port *first, *astray;
	uint32_t num, routers;
	bool any;
};

static struct ends ends_of(const struct route_subnet *p, unsigned int lid,
                           const struct ibc_port *owner)
{
	const uint8_t *row = route_has_row(p, lid) ? route_row(p, lid) : NULL;
	struct ends e = { 0 };

	for (uint32_t s = 0; row && s < p->n; s++) {
		const struct ibc_port *at;

		if (row[s] == IBC_NO_ENTRY || lid > p->top[s])
			continue;
		e.any = true;
		if (route_next(p, row, s) != HOP_HOST)
			continue;
		at = ibc_node_port(p->lft->switches[s], row[s]);
		if (!e.num++)
			e.first = at->peer;
		if (at->peer != owner && !e.astray)
			e.astray = at;
		e.routers += at->peer->node->type == IBC_NODE_ROUTER;
	}
	return e;
}

static const struct ibc_port *owner_of(const struct lid_owners *o, unsigned int lid)
{
	return o->vports ? o->vports[lid] : NULL;
}

static bool is_flid(const struct lid_owners *o, unsigned int lid)
{
	for (size_t i = 0; i < o->num_flids; i++)
		if (lid >= o->flids[i].first && lid <= o->flids[i].last)
			return true;
	return false;
}

/* Not all of them were read, nor says it that it has none. */
static bool may_have_vports(const struct ibc_port *port)
{
	if (ibc_port_has(port, IBC_ATTR_VPORTS))
		return false;
	if (!ibc_port_has(port, IBC_ATTR_PORT_INFO))
		return true;
	return port->cap_mask & IBC_CAP_HAS_MASK2 &&
	       (!port->cap_mask2 || port->cap_mask2 & IBC_CAP2_HAS_VPORTS);
}

/* It is in use, and the switch that its owner is on has no entry for it, or sends it up again. */
static bool is_lost(const struct route_subnet *p, const struct ibc_port *owner, unsigned int lid)
{
	const size_t s = owner->peer ? fabric_column(p->lft->switches, p->n, owner->peer->node)
	                             : SIZE_MAX;
	bool used = false;

	for (size_t i = 0; i < owner->extra->vports->num_vports; i++)
		used |= owner->extra->vports->vports[i].lid == lid &&
		        owner->extra->vports->vports[i].state == IBC_STATE_ACTIVE;
	if (s == SIZE_MAX || !used)
		return false;
	if (route_has_row(p, lid) && lid <= p->top[s] && route_row(p, lid)[s] != IBC_NO_ENTRY)
		return route_next(p, route_row(p, lid), (uint32_t)s) < HOP_SPECIAL;
	return route_missing(p, lid, (uint32_t)s) == IBC_ROUTE_NO_ENTRY;
}

static enum ibc_lid_kind kind_of(const struct lid_owners *o, const struct route_subnet *p,
                                 unsigned int lid, const struct ends *e)
{
	const struct ibc_port *owner = owner_of(o, lid);

	if (owner && e->astray)
		return IBC_LID_ASTRAY;
	if (owner && is_lost(p, owner, lid))
		return IBC_LID_LOST;
	if (!e->any)
		return IBC_LID_KINDS;
	if (owner)
		return IBC_LID_OF_VPORT;
	if (is_flid(o, lid))
		return IBC_LID_FLID;
	if (e->num && e->routers == e->num && o->router_unread)
		return IBC_LID_MAYBE_FLID;
	if (e->num == 1 && !e->routers && may_have_vports(e->first))
		return IBC_LID_MAYBE_OF_VPORT;
	return IBC_LID_KINDS;
}

enum ibc_lid_kind owners_kind(const struct lid_owners *o, const struct route_subnet *p,
                              unsigned int lid)
{
	const struct ends e = ends_of(p, lid, owner_of(o, lid));

	return kind_of(o, p, lid, &e);
}

struct ibc_spared_lids owners_example(const struct lid_owners *o, const struct route_subnet *p,
                                      unsigned int lid)
{
	const struct ibc_port *owner = owner_of(o, lid);
	const struct ends e = ends_of(p, lid, owner);

	return (struct ibc_spared_lids){ .first = lid,
		                         .port = owner ? owner : e.first,
		                         .astray = owner ? e.astray : NULL };
}
