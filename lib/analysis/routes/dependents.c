/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/routes/dependents.h"

#include <string.h>

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

		d->public.num_hosts += loss->ports != 0;
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

/* By column, the hosts whose own cable stays. */
static uint32_t *count_staying(struct dependents *d, const struct route_subnet *p)
{
	uint32_t *staying = arena_array(d->arena, p->n + 1u, sizeof(*staying));

	for (size_t h = 0; h < p->num_hosts; h++)
		staying[p->hosts[h].sw] += !goes_with(&d->gone, p->hosts[h].port);
	return staying;
}

/* Do cables join two columns, without what goes? */
static bool stay_joined(const struct dependents *d, const struct route_subnet *p, uint32_t a,
                        uint32_t z)
{
	const struct ibc_node *const *sw = p->lft->switches;

	return set_of(&d->parts.after, (uint32_t)node_order(sw[a])) ==
	       set_of(&d->parts.after, (uint32_t)node_order(sw[z]));
}

/*
 * Every pair is a sum of columns, and of hosts that are marked; hosts of a column send a LID that
 * way, all but its owner.  A column that is no owner's need be noted once only.
 */
static void note_pairs(struct dependents *d, const struct lid_users *u)
{
	const struct route_subnet *p = u->p;
	uint64_t *noted = arena_array(d->arena, u->words + 1, sizeof(*noted));
	const uint32_t *staying = count_staying(d, p);

	for (size_t i = 0; i < u->num_lids; i++) {
		const uint32_t owner = u->lids[i].host, home = p->hosts[owner].sw;
		const bool stays = !goes_with(&d->gone, p->hosts[owner].port);
		const uint64_t *passes = &u->passes[i * u->words];
		uint64_t pairs = 0;

		for (size_t w = 0; w < u->words; w++)
			for (uint64_t set = passes[w]; set; set &= set - 1) {
				uint64_t bit = set & -set;
				uint32_t column = (uint32_t)(w * 64) +
				                  (uint32_t)__builtin_ctzll(set);
				uint32_t h = noted[w] & bit ? p->first_host[column + 1]
				                            : p->first_host[column];

				for (; h < p->first_host[column + 1]; h++)
					if (h != owner)
						note_route(d, p->hosts[h].port);
				pairs += route_hosts(p, column) - (home == column);
				if (stays && stay_joined(d, p, home, column))
					d->public.reroutes += staying[column] - (home == column);
				if (home != column)
					noted[w] |= bit;
			}
		for (size_t k = 0; k < u->num_senders; k++) {
			const struct route_host *host = &p->hosts[u->senders[k]];

			if (u->senders[k] == owner || passes[host->sw / 64] >> host->sw % 64 & 1)
				continue;
			note_route(d, host->port);
			pairs++;
		}
		if (pairs)
			note_route(d, p->hosts[owner].port);
		d->public.pairs += pairs;
	}
}

/* Both ends of each cable that goes; of a switch all that passes it.  False: nothing goes. */
static bool mark_gone(const struct dependents *d, const struct ibc_subnet *subnet,
                      struct lid_users *u)
{
	const struct ibc_node *node;
	bool any = false;

	for (size_t i = 0; (node = ibc_fabric_node(d->fab, i)); i++) {
		const uint64_t *set = d->gone.ports[i];

		if (node->subnet != subnet || !(set[0] | set[1] | set[2] | set[3]))
			continue;
		any = true;
		if (u && node->type == IBC_NODE_SWITCH && gone_has(&d->gone, node, 0))
			users_mark(u, node, NULL);
		for (unsigned int num = 1; u && num <= node->num_ports; num++) {
			const struct ibc_port *port = &node->ports[num];

			if (!gone_has(&d->gone, node, num) || !port->peer)
				continue;
			users_mark(u, node, port);
			users_mark(u, port->peer->node, port->peer);
		}
	}
	return any;
}

static void find_routes(struct dependents *d)
{
	const struct ibc_subnet *subnet;

	d->public.has_routes = d->public.num_places;
	d->routes = (struct ibc_routes){ .fab = d->fab, .arena = d->arena };
	d->nets = arena_array(d->arena, ibc_fabric_count(d->fab).subnets + 1, sizeof(*d->nets));
	for (size_t i = 0; (subnet = ibc_fabric_subnet(d->fab, i)); i++) {
		struct dependent_routes *net = &d->nets[d->num_nets];
		struct route_subnet *p = &net->subnet;

		if (!mark_gone(d, subnet, NULL))
			continue;
		if (!subnet->forwarding) {
			d->public.has_routes = false;
			continue;
		}
		d->num_nets++;
		*p = (struct route_subnet){ .routes = &d->routes,
			                    .subnet = subnet,
			                    .lft = subnet->forwarding,
			                    .tmp = d->arena };
		routes_graph(p);
		net->among = (struct among){
			.port = arena_array(d->arena, p->num_hosts + 1, sizeof(*net->among.port)),
			.of_column = arena_array(d->arena, p->n + 1u, sizeof(uint32_t)),
			.columns = arena_array(d->arena, p->n / 64 + 1u, sizeof(uint64_t)),
			.senders = arena_array(d->arena, p->n / 64 + 1u, sizeof(uint64_t)),
		};
		users_new(&net->users, p);
		mark_gone(d, subnet, &net->users);
		users_find(&net->users);
		note_pairs(d, &net->users);
	}
}

/* ---- all of it ------------------------------------------------------------------------- */

int ibc_dependents_find(const struct ibc_fabric *fab, const struct ibc_fattree *tree,
                        const struct ibc_place *places, size_t n, struct ibc_dependents **out,
                        struct ibc_error *err)
{
	struct arena *arena = arena_new();
	struct dependents *d = arena ? arena_alloc(arena, sizeof(*d)) : NULL;
	size_t nodes = ibc_fabric_count(fab).nodes;
	const struct ibc_fabric_host *host;
	struct ibc_place *copy;

	*out = NULL;
	if (!d || setjmp(*arena_entry(arena))) {
		arena_free(arena);
		return fail_nomem(err);
	}
	d->arena = arena;
	d->fab = fab;
	d->public.places = copy = arena_array(arena, n + 1, sizeof(*copy));
	for (size_t i = 0; i < n; i++)
		copy[i] = places[i];
	d->public.num_places = n;
	gone_new(arena, fab, places, n, &d->gone);
	dependents_uplinks(d, tree);
	d->speaker = arena_array(arena, nodes + 1, sizeof(*d->speaker));
	d->losses = arena_array(arena, nodes + 1, sizeof(*d->losses));
	for (uint32_t i = 0; i < nodes; i++)
		d->speaker[i] = i;
	for (size_t i = 0; (host = ibc_fabric_host(fab, i)); i++) {
		bool several = false; /* are called so */

		for (size_t k = 0; k < host->num_nodes; k++)
			several |= !strcmp(host->nodes[k]->name, host->nodes[k]->desc) &&
			           strcmp(host->nodes[k]->name, host->nodes[k]->label) != 0;
		for (size_t k = 0; !several && k < host->num_nodes; k++)
			d->speaker[node_order(host->nodes[k])] = (uint32_t)node_order(
			    host->nodes[0]);
	}
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

	for (size_t i = 0; i < all->num_nets; i++)
		users_each(&all->nets[i].users, fn, ctx);
}

/* ---- some ports --------------------------------------------------------------------------- */

/* @which: from 1; 0 takes it out again. */
static void put_among(struct dependent_routes *net, const struct route_host *host, uint32_t which)
{
	struct among *a = &net->among;
	uint64_t bit = 1ull << host->sw % 64;

	a->port[host - net->subnet.hosts] = which;
	a->senders[host->sw / 64] &= ~bit;
	if (which)
		a->of_column[host->sw]++;
	else
		a->of_column[host->sw] = 0;
	a->columns[host->sw / 64] = which ? a->columns[host->sw / 64] | bit
	                                  : a->columns[host->sw / 64] & ~bit;
}

/* One LID of theirs: who of them sends it that way, but for its owner. */
static bool note_lid(struct dependent_routes *net, size_t i, bool *is_end)
{
	const struct lid_users *u = &net->users;
	uint32_t own = net->subnet.hosts[u->lids[i].host].sw;
	struct among *a = &net->among;
	bool any = false;

	for (size_t w = 0; w < u->words; w++) {
		uint64_t set = u->passes[i * u->words + w] & a->columns[w];

		if (own / 64 == w && a->of_column[own] < 2)
			set &= ~(1ull << own % 64);
		a->senders[w] |= set;
		any = any || set;
	}
	/* of a port of a host that goes: the port alone sends */
	for (size_t k = 0; k < u->num_senders; k++) {
		uint32_t which = a->port[u->senders[k]];

		if (!which || u->senders[k] == u->lids[i].host)
			continue;
		is_end[which - 1] = true;
		any = true;
	}
	return any;
}

static void find_among(struct dependent_routes *net, const struct ibc_port *const *ports, size_t n,
                       bool *is_end)
{
	const struct lid_users *u = &net->users;
	const struct route_host *host;

	for (uint32_t i = 0; i < n; i++)
		if ((host = users_host(&net->subnet, ports[i])))
			put_among(net, host, i + 1);
	for (size_t i = 0; i < u->num_lids; i++) {
		uint32_t which = net->among.port[u->lids[i].host];

		if (which && note_lid(net, i, is_end))
			is_end[which - 1] = true;
	}
	for (size_t i = 0; i < n; i++) {
		host = users_host(&net->subnet, ports[i]);
		if (host && net->among.senders[host->sw / 64] >> host->sw % 64 & 1)
			is_end[i] = true;
	}
	for (size_t i = 0; i < n; i++)
		if ((host = users_host(&net->subnet, ports[i])))
			put_among(net, host, 0);
}

void ibc_dependents_among(struct ibc_dependents *public, const struct ibc_port *const *ports,
                          size_t n, bool *is_end)
{
	struct dependents *d = (struct dependents *)public;

	for (size_t i = 0; i < d->num_nets; i++)
		find_among(&d->nets[i], ports, n, is_end);
}
