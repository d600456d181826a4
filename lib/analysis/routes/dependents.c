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

static void list_hosts(struct dependents *d)
{
	size_t nodes = ibc_fabric_count(d->fab).nodes;
	const char **cut = arena_array(d->arena, nodes + 1, sizeof(*cut));
	const char **ports = arena_array(d->arena, nodes + 1, sizeof(*ports));
	const char **routed = arena_array(d->arena, nodes + 1, sizeof(*routed));
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(d->fab, i)); i++) {
		const struct host_loss *loss = &d->losses[i];
		const char *name = node->host_name ? node->host_name : node->label;

		if (loss->cut && loss->cut == loss->ports)
			cut[d->public.num_cut_off++] = name;
		else if (loss->cut)
			ports[d->public.num_lose_ports++] = name;
		if (loss->routed)
			routed[d->public.num_lose_routes++] = name;
	}
	d->public.cut_off = cut;
	d->public.lose_ports = ports;
	d->public.lose_routes = routed;
}

/* ---- routes --------------------------------------------------------------------------- */

static void note_route(struct dependents *d, const struct ibc_port *port)
{
	d->losses[d->speaker[node_order(port->node)]].routed = true;
}

/*
 * Every pair is a sum of columns; hosts of a column send a LID that way, all but its owner.  A
 * column that is no owner's need be noted once only.
 */
static void note_switch_pairs(struct dependents *d, const struct lid_users *u)
{
	const struct route_subnet *p = &d->subnet;
	uint64_t *noted = arena_array(d->arena, u->words, sizeof(*noted));

	for (size_t i = 0; i < u->num_lids; i++) {
		const uint32_t owner = u->lids[i].host;
		uint64_t pairs = 0;

		for (size_t w = 0; w < u->words; w++)
			for (uint64_t set = u->passes[i * u->words + w]; set; set &= set - 1) {
				uint64_t bit = set & -set;
				uint32_t column = (uint32_t)(w * 64) +
				                  (uint32_t)__builtin_ctzll(set);
				uint32_t h = noted[w] & bit ? p->first_host[column + 1]
				                            : p->first_host[column];

				for (; h < p->first_host[column + 1]; h++)
					if (h != owner)
						note_route(d, p->hosts[h].port);
				pairs += route_hosts(p, column) - (p->hosts[owner].sw == column);
				if (p->hosts[owner].sw != column)
					noted[w] |= bit;
			}
		if (pairs)
			note_route(d, p->hosts[owner].port);
		d->public.pairs += pairs;
	}
}

static void note_pair(void *ctx, const struct ibc_port *src, const struct ibc_port *dst,
                      unsigned int dlid)
{
	(void)dlid;
	note_route(ctx, src);
	note_route(ctx, dst);
}

static void add_users(struct dependents *d, const struct ibc_port *port)
{
	struct lid_users *u = &d->users[d->num_users++];

	*u = (struct lid_users){ .p = &d->subnet, .node = d->public.place.node, .port = port };
	if (port)
		u->node = port->node;
	users_find(u);
	if (u->passes)
		note_switch_pairs(d, u);
	else
		d->public.pairs += (uint64_t)users_each(u, note_pair, d);
}

/* Both ends of each cable that goes; of a switch all that passes it. */
static void find_routes(struct dependents *d)
{
	const struct ibc_place *place = &d->public.place;
	const struct ibc_node *node = place->node;
	struct route_subnet *p = &d->subnet;

	d->public.has_routes = node->subnet->forwarding;
	if (!d->public.has_routes)
		return;
	d->routes = (struct ibc_routes){ .fab = d->fab, .arena = d->arena };
	*p = (struct route_subnet){ .routes = &d->routes,
		                    .subnet = node->subnet,
		                    .lft = node->subnet->forwarding,
		                    .tmp = d->arena };
	routes_graph(p);
	d->users = arena_array(d->arena, 1 + 2ul * node->num_ports, sizeof(*d->users));
	d->among = (struct among){
		.port = arena_array(d->arena, p->num_hosts + 1, sizeof(*d->among.port)),
		.of_column = arena_array(d->arena, p->n + 1u, sizeof(*d->among.of_column)),
		.columns = arena_array(d->arena, p->n / 64 + 1u, sizeof(*d->among.columns)),
		.senders = arena_array(d->arena, p->n / 64 + 1u, sizeof(*d->among.senders)),
	};
	if (node->type == IBC_NODE_SWITCH && !place->port) {
		add_users(d, NULL);
		return;
	}
	for (unsigned int i = 1; i <= node->num_ports; i++) {
		const struct ibc_port *port = &node->ports[i];

		if (!goes_with(place, port) || !port->peer)
			continue;
		add_users(d, port);
		add_users(d, port->peer);
	}
}

/* ---- all of it ------------------------------------------------------------------------- */

int ibc_dependents_find(const struct ibc_fabric *fab, const struct ibc_fattree *tree,
                        struct ibc_place place, struct ibc_dependents **out, struct ibc_error *err)
{
	struct arena *arena = arena_new();
	struct dependents *d = arena ? arena_alloc(arena, sizeof(*d)) : NULL;
	size_t nodes = ibc_fabric_count(fab).nodes;
	const struct ibc_fabric_host *host;

	*out = NULL;
	if (!d || setjmp(*arena_entry(arena))) {
		arena_free(arena);
		return fail_nomem(err);
	}
	d->arena = arena;
	d->fab = fab;
	d->public.place = place;
	dependents_uplinks(d, tree);
	/* what each host loses is kept at its first node */
	d->speaker = arena_array(arena, nodes + 1, sizeof(*d->speaker));
	d->losses = arena_array(arena, nodes + 1, sizeof(*d->losses));
	for (uint32_t i = 0; i < nodes; i++)
		d->speaker[i] = i;
	for (size_t i = 0; (host = ibc_fabric_host(fab, i)); i++)
		for (size_t k = 0; k < host->num_nodes; k++)
			d->speaker[node_order(host->nodes[k])] = (uint32_t)node_order(
			    host->nodes[0]);
	dependents_cut(d);
	find_routes(d);
	list_hosts(d);
	arena_escape(arena, NULL);
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

/* ---- some ports --------------------------------------------------------------------------- */

/* The host of a port, or NULL: it has no LID here, or no cable to a switch. */
static const struct route_host *host_of(const struct route_subnet *p, const struct ibc_port *port)
{
	size_t column = port->peer && port->node->subnet == p->subnet
	                    ? fabric_column(p->lft->switches, p->n, port->peer->node)
	                    : SIZE_MAX;

	for (uint32_t h = column < p->n ? p->first_host[column] : UINT32_MAX;
	     column < p->n && h < p->first_host[column + 1]; h++)
		if (p->hosts[h].port == port)
			return &p->hosts[h];
	return NULL;
}

/* @which: from 1; 0 takes it out again. */
static void put_among(struct dependents *d, const struct route_host *host, uint32_t which)
{
	struct among *a = &d->among;
	uint64_t bit = 1ull << host->sw % 64;

	a->port[host - d->subnet.hosts] = which;
	a->senders[host->sw / 64] &= ~bit;
	if (which)
		a->of_column[host->sw]++;
	else
		a->of_column[host->sw] = 0;
	a->columns[host->sw / 64] = which ? a->columns[host->sw / 64] | bit
	                                  : a->columns[host->sw / 64] & ~bit;
}

/* One LID of theirs: who of them sends it that way, but for its owner. */
static bool note_lid(struct dependents *d, const struct lid_users *u, size_t i)
{
	uint32_t own = d->subnet.hosts[u->lids[i].host].sw;
	struct among *a = &d->among;
	bool any = false;

	for (size_t w = 0; w < u->words; w++) {
		uint64_t set = u->passes[i * u->words + w] & a->columns[w];

		if (own / 64 == w && a->of_column[own] < 2)
			set &= ~(1ull << own % 64);
		a->senders[w] |= set;
		any = any || set;
	}
	return any;
}

/* Of a port of a host: the port alone sends. */
static bool note_host_lid(const struct dependents *d, const struct lid_users *u, size_t i,
                          bool *is_end)
{
	const struct route_host *sender = host_of(&d->subnet, u->port);
	uint32_t which = sender ? d->among.port[sender - d->subnet.hosts] : 0;

	if (!which || sender == &d->subnet.hosts[u->lids[i].host])
		return false;
	is_end[which - 1] = true;
	return true;
}

void ibc_dependents_among(struct ibc_dependents *public, const struct ibc_port *const *ports,
                          size_t n, bool *is_end)
{
	struct dependents *d = (struct dependents *)public;
	const struct route_host *host;

	for (uint32_t i = 0; public->has_routes && i < n; i++)
		if ((host = host_of(&d->subnet, ports[i])))
			put_among(d, host, i + 1);
	for (const struct lid_users *u = d->users; u < d->users + d->num_users; u++)
		for (size_t i = 0; i < u->num_lids; i++) {
			uint32_t which = d->among.port[u->lids[i].host];

			if (which &&
			    (u->passes ? note_lid(d, u, i) : note_host_lid(d, u, i, is_end)))
				is_end[which - 1] = true;
		}
	for (size_t i = 0; public->has_routes && i < n; i++) {
		host = host_of(&d->subnet, ports[i]);
		if (host && d->among.senders[host->sw / 64] >> host->sw % 64 & 1)
			is_end[i] = true;
	}
	for (size_t i = 0; public->has_routes && i < n; i++)
		if ((host = host_of(&d->subnet, ports[i])))
			put_among(d, host, 0);
}
