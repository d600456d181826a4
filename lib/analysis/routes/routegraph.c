/* SPDX-License-Identifier: BSD-2-Clause */
/* The switches of a subnet as its forwarding tables number them, O(ports); arenas of a step. */
#include <string.h>

#include "analysis/routes/routes.h"
#include "analysis/tree/overlap.h"
#include "analysis/tree/rank.h"
#include "base/arena.h"
#include "fabric/build.h"
#include "fabric/fabric.h"

/* Does it carry data, as far as is known? */
static bool carries_data(const struct ibc_port *port)
{
	return !ibc_port_has(port, IBC_ATTR_PORT_INFO) || port->state >= IBC_STATE_ARMED;
}

uint32_t route_next_hop(const struct ibc_forwarding *lft, const struct ibc_port *port)
{
	const struct ibc_port *peer = port->peer;

	if (!peer)
		return ibc_port_unanswered(port, IBC_ATTR_PORT_INFO) ||
		               ibc_port_unanswered(port, IBC_ATTR_NODE_INFO)
		           ? HOP_UNKNOWN
		           : HOP_DOWN;
	if (!carries_data(port) || !carries_data(peer))
		return HOP_DOWN;
	if (peer->node->type != IBC_NODE_SWITCH)
		return HOP_HOST;
	return next_hop_switch(
	    (uint32_t)fabric_column(lft->switches, lft->num_switches, peer->node), peer->num);
}

static void find_next_hops(struct route_subnet *p)
{
	for (uint32_t s = 0; s < p->n; s++)
		if (p->lft->switches[s]->num_ports + 1u > p->width)
			p->width = p->lft->switches[s]->num_ports + 1u;
	p->next_hop = arena_array(p->routes->arena, (size_t)p->n * p->width + 1,
	                          sizeof(*p->next_hop));
	for (size_t i = 0; i < (size_t)p->n * p->width; i++) {
		unsigned int num = (unsigned int)(i % p->width);
		const struct ibc_port *port = ibc_node_port(p->lft->switches[i / p->width], num);

		p->next_hop[i] = port && num ? route_next_hop(p->lft, port) : HOP_NO_PORT;
	}
}

/* ---- ranks ------------------------------------------------------------------------- */

static void find_ranks(struct route_subnet *p)
{
	struct switches sw;
	uint8_t *rank;

	switches_collect(p->tmp, p->tmp, p->routes->fab, &sw);
	rank = arena_alloc(p->tmp, sw.n + 1u);
	p->rank = arena_alloc(p->routes->arena, p->n + 1u);
	ranks_find(p->tmp, &sw, NULL, rank);
	for (uint32_t s = 0; s < p->n; s++)
		p->rank[s] = rank[switch_number(&sw, p->lft->switches[s])];
}

/* ---- hosts and LIDs ----------------------------------------------------------------- */

static void find_hosts(struct route_subnet *p)
{
	struct arena *a = p->routes->arena;

	p->first_host = arena_array(a, p->n + 1u, sizeof(*p->first_host));
	p->hosts = arena_array(a, (size_t)p->n * p->width + 1, sizeof(*p->hosts));
	for (uint32_t s = 0; s < p->n; s++) {
		p->first_host[s] = (uint32_t)p->num_hosts;
		for (unsigned int num = 1; num < p->width; num++) {
			const struct ibc_port *port;

			if (p->next_hop[(size_t)s * p->width + num] != HOP_HOST)
				continue;
			port = ibc_node_port(p->lft->switches[s], num)->peer;
			if (!port_has_lid(port) || node_is_aggregator(port->node))
				continue;
			p->hosts[p->num_hosts++] = (struct route_host){
				.port = port,
				.sw = s,
				.in = (uint8_t)num,
				.lid = port->lid,
				.lmc = port->lmc,
				.leaf = p->rank[s] == 0 || p->rank[s] == RANK_NONE,
				.gbps = ibc_link_gbps(port->width_active, port->speed_active),
			};
			p->host_dests += (size_t)1 << port->lmc;
		}
	}
	p->first_host[p->n] = (uint32_t)p->num_hosts;
}

/* Those of the leaves, then all others. */
static void find_senders(struct route_subnet *p)
{
	p->senders = arena_array(p->routes->arena, p->n + 1u, sizeof(*p->senders));
	p->sender = arena_array(p->routes->arena, p->n + 1u, sizeof(*p->sender));
	for (uint32_t s = 0; s < p->n; s++)
		p->sender[s] = NO_HOST;
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t s = 0; s < p->n; s++) {
			uint32_t first = p->first_host[s];

			if (first == p->first_host[s + 1] || p->hosts[first].leaf != (pass == 0))
				continue;
			p->sender[s] = p->num_senders;
			p->senders[p->num_senders++] = s;
		}
		if (pass == 0)
			p->leaf_senders = p->num_senders;
	}
}

static void find_dests(struct route_subnet *p)
{
	size_t n = 0;

	p->dests = arena_array(p->routes->arena, p->host_dests + p->n + 1, sizeof(*p->dests));
	for (size_t h = 0; h < p->num_hosts; h++)
		for (unsigned int i = 0; i < 1u << p->hosts[h].lmc; i++)
			p->dests[n++] = (struct route_dest){
				.host = (uint32_t)h,
				.sw = p->hosts[h].sw,
				.lid = (uint16_t)(p->hosts[h].lid + i),
				.out = p->hosts[h].in,
			};
	for (uint32_t s = 0; s < p->n; s++) {
		const struct ibc_port *port = ibc_node_port(p->lft->switches[s], 0);

		if (port_has_lid(port))
			p->dests[n++] = (struct route_dest){
				.host = NO_HOST,
				.sw = s,
				.lid = port->lid,
			};
	}
	p->num_dests = n;
}

/* ---- parts -------------------------------------------------------------------------- */

static void find_parts(struct route_subnet *p)
{
	size_t cells = (size_t)p->n * p->width;
	struct sets sets;

	p->part = arena_array(p->routes->arena, p->n + 1u, sizeof(*p->part));
	p->parts = arena_array(p->routes->arena, p->n + 1u, sizeof(*p->parts));
	sets_new(p->tmp, p->n, &sets);
	for (size_t i = 0; i < cells; i++)
		if (p->next_hop[i] < HOP_SPECIAL)
			sets_join(&sets, (uint32_t)(i / p->width), p->next_hop[i] >> 8);
	for (uint32_t s = 0; s < p->n; s++) {
		p->part[s] = set_of(&sets, s);
		p->parts[p->part[s]].switches++;
		p->parts[p->part[s]].hosts += route_hosts(p, s);
	}
}

/* ---- entries ------------------------------------------------------------------------ */

/* LinearFDBTop (IBA 14.2.5.4); 0 is also what is there before it is set. */
uint16_t route_top(const struct ibc_node *sw)
{
	return ibc_node_has(sw, IBC_ATTR_SWITCH_INFO) && sw->lft_top ? sw->lft_top : UINT16_MAX;
}

static void find_tops(struct route_subnet *p)
{
	p->lowest_top = UINT16_MAX;
	p->top = arena_array(p->routes->arena, p->n + 1u, sizeof(*p->top));
	for (uint32_t s = 0; s < p->n; s++) {
		p->top[s] = route_top(p->lft->switches[s]);
		if (p->top[s] < p->lowest_top)
			p->lowest_top = p->top[s];
	}
}

const uint8_t *route_entries(const struct route_subnet *p, unsigned int lid, uint8_t *scratch)
{
	if (route_has_row(p, lid) && lid <= p->lowest_top)
		return route_row(p, lid);
	memset(scratch, IBC_NO_ENTRY, p->n);
	for (uint32_t s = 0; route_has_row(p, lid) && s < p->n; s++)
		if (lid <= p->top[s])
			scratch[s] = route_row(p, lid)[s];
	return scratch;
}

enum ibc_route_end route_missing(const struct route_subnet *p, unsigned int lid, uint32_t column)
{
	bool known = route_has_row(p, lid) ? route_known(p, lid)[column]
	                                   : ibc_node_has(p->lft->switches[column], IBC_ATTR_LFT);

	return lid > p->top[column] || known ? IBC_ROUTE_NO_ENTRY : IBC_ROUTE_UNKNOWN;
}

void routes_graph(struct route_subnet *p)
{
	const struct ibc_port *port;

	p->n = (uint32_t)p->lft->num_switches;
	find_next_hops(p);
	find_ranks(p);
	find_hosts(p);
	find_senders(p);
	find_dests(p);
	find_parts(p);
	find_tops(p);
	/* a port whose LID was not read could be the owner of one that no port seems to have */
	p->silent = p->subnet->cut_short;
	for (size_t i = 0; !p->silent && (port = ibc_fabric_port(p->routes->fab, i)); i++)
		p->silent = port->node->subnet == p->subnet &&
		            (ibc_port_unanswered(port, IBC_ATTR_PORT_INFO) ||
		             ibc_port_unanswered(port, IBC_ATTR_NODE_INFO));
	p->sums.subnet = p->bandwidth.subnet = p->subnet;
	p->sums.hosts = p->num_hosts;
	p->sums.switches = p->n;
}

/* ---- work space --------------------------------------------------------------------- */

struct arena *routes_step_arena(struct ibc_routes *routes, struct arena **at)
{
	if (!*at)
		*at = arena_new();
	if (!*at)
		longjmp(*routes->escape, 1);
	arena_escape(*at, routes->escape);
	return *at;
}

struct arena *routes_worker(struct ibc_routes *routes, unsigned int thread)
{
	return routes_step_arena(routes, &routes->workers[thread]);
}

void routes_free_step(struct ibc_routes *routes)
{
	arena_free(routes->tmp);
	routes->tmp = NULL;
	for (unsigned int i = 0; i < THREADS_MAX; i++) {
		arena_free(routes->workers[i]);
		routes->workers[i] = NULL;
	}
}

void routes_parallel(const struct route_subnet *p, const struct parallel *job, unsigned int threads)
{
	if (!parallel_run(job, threads))
		longjmp(*p->routes->escape, 1);
	for (unsigned int i = 0; i < threads; i++)
		arena_escape(p->routes->workers[i], p->routes->escape);
}

const uint32_t *routes_first_dests(const struct route_subnet *p)
{
	uint32_t *first = arena_array(p->tmp, p->n + 1u, sizeof(*first));

	for (size_t i = 0; i < p->host_dests; i++)
		first[p->dests[i].sw + 1]++;
	for (uint32_t s = 0; s < p->n; s++)
		first[s + 1] += first[s];
	return first;
}
