/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How evenly each switch spreads the LIDs of hosts over cables that lead alike: all of those
 * to the next rank, where bad roots of a routing engine show, and those to one switch.  What
 * a table has of LIDs that no host sends through the switch is not counted.  O(ports log ports),
 * and one more walk of all destinations if uplinks are uneven, to see which had a choice.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/routes/routes.h"
#include "analysis/routes/walk.h"
#include "analysis/tree/rank.h"
#include "base/arena.h"
#include "base/array.h"
#include "fabric/build.h"

/* struct switch_link - a port of a switch, and the column of the other at its far end */
struct switch_link {
	uint32_t to;
	uint8_t port;
};

static int by_far_switch(const void *va, const void *vz)
{
	const struct switch_link *a = va, *z = vz;

	return order_u64(a->to, z->to) ?: a->port - z->port;
}

/* Uplinks, or the cables of a trunk; they are added where there are several. */
static void put_uplinks(struct route_subnet *p, uint32_t s, const struct ibc_node *to,
                        const struct switch_link *links, size_t n, size_t *room)
{
	struct arena *a = p->routes->arena;
	const struct ibc_port **ports;
	struct ibc_uplinks u = { .node = p->lft->switches[s],
		                 .to = to,
		                 .rank = p->rank[s],
		                 .num_ports = n,
		                 .least = UINT32_MAX };
	uint32_t *dlids;
	double *share;
	uint64_t sum = 0;

	if (n < 2)
		return;
	u.ports = ports = arena_array(a, n, sizeof(*ports));
	u.dlids = dlids = arena_array(a, n, sizeof(*dlids));
	u.share = share = arena_array(a, n, sizeof(*share));
	for (size_t i = 0; i < n; i++) {
		ports[i] = ibc_node_port(u.node, links[i].port);
		dlids[i] = p->carried[(size_t)s * p->width + links[i].port];
		sum += dlids[i];
		u.least = dlids[i] < u.least ? dlids[i] : u.least;
		u.most = dlids[i] > u.most ? dlids[i] : u.most;
	}
	u.mean = (double)sum / (double)n;
	for (size_t i = 0; i < n; i++)
		share[i] = u.mean;
	arena_grow(a, &p->uplinks, p->num_uplinks, room, sizeof(*p->uplinks));
	p->uplinks[p->num_uplinks++] = u;
}

/* All cables to the next rank, then trunk by trunk. */
static void put_switch(struct route_subnet *p, uint32_t s, size_t *room)
{
	struct switch_link links[UINT8_MAX], up[UINT8_MAX] = { { 0 } };
	size_t n = 0, num_up = 0, end;

	for (unsigned int port = 1; port < p->width; port++) {
		uint32_t next_hop = p->next_hop[(size_t)s * p->width + port];

		if (next_hop >= HOP_SPECIAL || next_hop >> 8 == s)
			continue;
		links[n] = (struct switch_link){ next_hop >> 8, (uint8_t)port };
		if (rank_is_next(p->rank, s, links[n].to))
			up[num_up++] = links[n];
		n++;
	}
	put_uplinks(p, s, NULL, up, num_up, room);
	qsort(links, n, sizeof(*links), by_far_switch);
	for (size_t i = 0; i < n; i = end) {
		for (end = i; end < n && links[end].to == links[i].to; end++)
			;
		put_uplinks(p, s, p->lft->switches[links[i].to], &links[i], end - i, room);
	}
}

/* ---- who had a choice ---------------------------------------------------------------- */

/* struct uneven - uplinks that are, the column of their switch, and what is to be their share */
struct uneven {
	const struct ibc_uplinks *uplinks;
	uint32_t column;
	double *share;
};

/* One destination, to the ports that are as far from it as the one it leaves by. */
static void deal_out(const struct walk *w, const struct uneven *uneven)
{
	const struct route_subnet *p = w->p;
	const struct ibc_uplinks *u = uneven->uplinks;
	const uint8_t *hops = &p->shortest[(size_t)p->sender[w->dest->sw] * p->n];
	const uint32_t *next_hop = &p->next_hop[(size_t)uneven->column * p->width];
	uint32_t next = route_next(p, w->row, uneven->column);
	size_t equal[UINT8_MAX], n = 0;

	if (!w->route[uneven->column] || next >= HOP_SPECIAL ||
	    !rank_is_next(p->rank, uneven->column, next >> 8))
		return;
	for (size_t i = 0; i < u->num_ports; i++)
		if (hops[next_hop[u->ports[i]->num] >> 8] == hops[next >> 8])
			equal[n++] = i;
	for (size_t i = 0; i < n; i++)
		uneven->share[equal[i]] += 1.0 / (double)n;
}

/* LIDs of hosts that were not read: had they been, what is uneven might be even. */
static void deal_unread(const struct route_subnet *p, const struct ibc_uplinks *u)
{
	uint32_t s = (uint32_t)fabric_column(p->lft->switches, p->n, u->node);
	double *share = (double *)u->share, unread = 0;

	for (unsigned int lid = 1; route_has_row(p, lid); lid++) {
		if (ibc_fabric_port_by_lid(p->subnet, lid))
			continue;
		for (size_t i = 0; i < u->num_ports; i++)
			unread += route_row(p, lid)[s] == u->ports[i]->num;
	}
	for (size_t i = 0; i < u->num_ports; i++)
		share[i] += unread / (double)u->num_ports;
}

void routes_uplinks(struct route_subnet *p)
{
	struct uneven *uneven;
	size_t room = 0, n = 0;
	struct walk w;

	/* of a table that was read in part the rest may be anywhere */
	for (uint32_t s = 0; s < p->n; s++)
		if (ibc_node_has(p->lft->switches[s], IBC_ATTR_LFT))
			put_switch(p, s, &room);
	uneven = arena_array(p->tmp, p->num_uplinks + 1, sizeof(*uneven));
	for (size_t i = 0; i < p->num_uplinks; i++) {
		struct ibc_uplinks *u = &p->uplinks[i];

		/* more than when all are dealt out one by one */
		if (u->most <= u->mean + 1)
			continue;
		/* cables of a trunk are equal */
		if (!u->to) {
			uneven[n] = (struct uneven){
				u,
				(uint32_t)fabric_column(p->lft->switches, p->n, u->node),
				(double *)u->share,
			};
			memset(uneven[n++].share, 0, u->num_ports * sizeof(*u->share));
		}
		if (p->silent)
			deal_unread(p, u);
	}
	walk_new(&w, p, p->tmp);
	for (size_t i = 0; n && i < p->host_dests; i++) {
		walk_to(&w, &p->dests[i]);
		walk_hosts(&w, 0, p->num_senders);
		for (size_t k = 0; k < n; k++)
			deal_out(&w, &uneven[k]);
	}
}
