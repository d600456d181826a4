/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/routes/dependents.h"

#include "base/arena.h"
#include "base/error.h"
#include "fabric/build.h"
#include "fabric/fabric.h"

static const struct dependents *dependents_of(const struct ibc_dependents *d)
{
	return (const struct dependents *)d;
}

/* ---- hosts ---------------------------------------------------------------------------- */

static bool find_speakers(struct dependents *d)
{
	size_t nodes = ibc_fabric_count(d->fab).nodes;
	const struct ibc_fabric_host *host;

	d->speaker = arena_array(d->arena, nodes + 1, sizeof(*d->speaker));
	d->losses = arena_array(d->arena, nodes + 1, sizeof(*d->losses));
	if (!d->speaker || !d->losses)
		return false;
	for (uint32_t i = 0; i < nodes; i++)
		d->speaker[i] = i;
	for (size_t i = 0; (host = ibc_fabric_host(d->fab, i)); i++)
		for (size_t k = 0; k < host->num_nodes; k++)
			d->speaker[node_order(host->nodes[k])] = (uint32_t)node_order(
			    host->nodes[0]);
	return true;
}

static bool is_cut_off(const struct host_loss *loss)
{
	return loss->cut && loss->cut == loss->ports;
}

static bool loses_ports(const struct host_loss *loss)
{
	return loss->cut && loss->cut < loss->ports;
}

static bool loses_routes(const struct host_loss *loss)
{
	return loss->routed;
}

static bool list_hosts(struct dependents *d, bool (*loses)(const struct host_loss *loss),
                       const char *const **out, size_t *num)
{
	const char **names;
	const struct ibc_node *node;
	size_t n = 0;

	for (size_t i = 0; ibc_fabric_node(d->fab, i); i++)
		n += loses(&d->losses[i]);
	names = arena_array(d->arena, n + 1, sizeof(*names));
	for (size_t i = 0; names && (node = ibc_fabric_node(d->fab, i)); i++)
		if (loses(&d->losses[i]))
			names[(*num)++] = node->host_name ? node->host_name : node->label;
	*out = names;
	return names;
}

/* ---- routes --------------------------------------------------------------------------- */

static void note_route(struct dependents *d, const struct ibc_port *port)
{
	d->losses[d->speaker[node_order(port->node)]].routed = true;
}

/* Hosts of a column that send a LID that way: all but its owner; once noted, only counted. */
static uint32_t note_senders(struct dependents *d, uint32_t column, uint32_t owner, bool noted)
{
	const struct route_subnet *p = &d->subnet;
	uint32_t own = p->hosts[owner].sw == column;

	for (uint32_t h = p->first_host[column]; !noted && h < p->first_host[column + 1]; h++)
		if (h != owner)
			note_route(d, p->hosts[h].port);
	return route_hosts(p, column) - own;
}

/* Every pair is a sum of columns; a column that is no owner's need be noted once only. */
static bool note_switch_pairs(struct dependents *d, const struct lid_users *u)
{
	uint64_t *noted = arena_array(d->arena, u->words, sizeof(*noted));

	for (size_t i = 0; noted && i < u->num_lids; i++) {
		const uint32_t owner = u->lids[i].host;
		uint64_t pairs = 0;

		for (size_t w = 0; w < u->words; w++)
			for (uint64_t set = u->passes[i * u->words + w]; set; set &= set - 1) {
				uint64_t bit = set & -set;
				uint32_t column = (uint32_t)(w * 64) +
				                  (uint32_t)__builtin_ctzll(set);

				pairs += note_senders(d, column, owner, noted[w] & bit);
				if (d->subnet.hosts[owner].sw != column)
					noted[w] |= bit;
			}
		if (pairs)
			note_route(d, d->subnet.hosts[owner].port);
		d->public.pairs += pairs;
	}
	return noted;
}

static void note_pair(void *ctx, const struct ibc_port *src, const struct ibc_port *dst,
                      unsigned int dlid)
{
	(void)dlid;
	note_route(ctx, src);
	note_route(ctx, dst);
}

static bool add_users(struct dependents *d, const struct ibc_port *port)
{
	struct lid_users *u = &d->users[d->num_users];
	uint32_t *by_lid = &d->by_lid[d->num_users++ * UNICAST_LIDS];

	*u = (struct lid_users){ .p = &d->subnet, .node = d->public.place.node, .port = port };
	if (port)
		u->node = port->node;
	if (!users_find(u))
		return false;
	for (uint32_t i = 0; i < u->num_lids; i++)
		by_lid[u->lids[i].lid] = i + 1;
	if (u->passes)
		return note_switch_pairs(d, u);
	d->public.pairs += (uint64_t)users_each(u, note_pair, d);
	return true;
}

/* Both ends of each cable that goes; of a switch all that passes it. */
static bool add_all_users(struct dependents *d)
{
	const struct ibc_place *place = &d->public.place;
	const struct ibc_node *node = place->node;
	bool whole = node->type == IBC_NODE_SWITCH && !place->port, ok = true;
	size_t room = whole ? 1 : 2u * (place->port ? 1u : node->num_ports);

	d->users = arena_array(d->arena, room, sizeof(*d->users));
	d->by_lid = arena_array(d->arena, room, UNICAST_LIDS * sizeof(*d->by_lid));
	if (!d->users || !d->by_lid)
		return false;
	if (whole)
		return add_users(d, NULL);
	for (unsigned int i = 1; ok && i <= node->num_ports; i++) {
		const struct ibc_port *port = &node->ports[i];

		if (!goes_with(place, port) || !port->peer)
			continue;
		ok = add_users(d, port) && add_users(d, port->peer);
	}
	return ok;
}

static bool find_routes(struct dependents *d)
{
	const struct ibc_subnet *subnet = d->public.place.node->subnet;

	d->public.has_routes = subnet->forwarding;
	if (!d->public.has_routes)
		return true;
	d->routes = (struct ibc_routes){ .fab = d->fab, .arena = d->arena };
	d->subnet = (struct route_subnet){
		.routes = &d->routes, .subnet = subnet, .lft = subnet->forwarding, .tmp = d->arena
	};
	return routes_graph(&d->subnet) && add_all_users(d);
}

/* ---- all of it ------------------------------------------------------------------------- */

static bool find_all(struct dependents *d, const struct ibc_fattree *tree)
{
	struct ibc_dependents *public = &d->public;

	dependents_uplinks(d, tree);
	return find_speakers(d) && dependents_cut(d) && find_routes(d) &&
	       list_hosts(d, is_cut_off, &public->cut_off, &public->num_cut_off) &&
	       list_hosts(d, loses_ports, &public->lose_ports, &public->num_lose_ports) &&
	       list_hosts(d, loses_routes, &public->lose_routes, &public->num_lose_routes);
}

int ibc_dependents_find(const struct ibc_fabric *fab, const struct ibc_fattree *tree,
                        struct ibc_place place, struct ibc_dependents **out, struct ibc_error *err)
{
	struct arena *arena = arena_new();
	struct dependents *d = arena ? arena_alloc(arena, sizeof(*d)) : NULL;

	*out = NULL;
	if (d) {
		d->arena = arena;
		d->fab = fab;
		d->public.place = place;
	}
	if (!d || !find_all(d, tree)) {
		arena_free(arena);
		return fail_nomem(err);
	}
	*out = &d->public;
	return 0;
}

void ibc_dependents_free(struct ibc_dependents *d)
{
	if (d)
		arena_free(dependents_of(d)->arena);
}

void ibc_dependents_each(const struct ibc_dependents *d, ibc_pair_fn fn, void *ctx)
{
	const struct dependents *all = dependents_of(d);

	for (size_t i = 0; i < all->num_users; i++)
		users_each(&all->users[i], fn, ctx);
}

static bool uses(const struct dependents *d, size_t user, const struct ibc_port *src,
                 unsigned int dlid)
{
	const struct lid_users *u = &d->users[user];
	const struct ibc_forwarding *lft = d->subnet.lft;
	uint32_t at = d->by_lid[user * UNICAST_LIDS + dlid];

	if (!at || !src->peer || src->peer->node->type != IBC_NODE_SWITCH)
		return false;
	if (!u->passes)
		return src == u->port;
	return users_pass(
	    u, at - 1, (uint32_t)fabric_column(lft->switches, lft->num_switches, src->peer->node));
}

bool ibc_dependents_join(const struct ibc_dependents *d, const struct ibc_port *src,
                         const struct ibc_port *dst)
{
	const struct dependents *all = dependents_of(d);

	if (src == dst || !port_has_lid(dst) || src->node->subnet != dst->node->subnet)
		return false;
	for (size_t i = 0; i < all->num_users; i++)
		for (unsigned int lid = dst->lid; lid < dst->lid + (1u << dst->lmc); lid++)
			if (uses(all, i, src, lid))
				return true;
	return false;
}
