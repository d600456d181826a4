/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How evenly each switch spreads the LIDs of hosts over cables that lead alike: all of those
 * to the next rank, where bad roots of a routing engine show, and those to one switch.  What
 * a table has of LIDs that nobody sends through the switch is not counted.  O(ports log ports).
 */
#include <stdlib.h>

#include "analysis/routes/routes.h"
#include "analysis/tree/rank.h"
#include "base/arena.h"
#include "base/array.h"

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

/* By port; their number. */
static size_t find_links(const struct route_subnet *p, uint32_t s, struct switch_link *links)
{
	size_t n = 0;

	for (unsigned int port = 1; port < p->width; port++) {
		uint32_t next_hop = p->next_hop[(size_t)s * p->width + port];

		if (next_hop < HOP_SPECIAL && next_hop >> 8 != s)
			links[n++] = (struct switch_link){ next_hop >> 8, (uint8_t)port };
	}
	return n;
}

static void count_lids(const struct route_subnet *p, uint32_t s, const struct switch_link *links,
                       size_t n, struct ibc_uplinks *u, const struct ibc_port **ports,
                       uint32_t *dlids)
{
	uint64_t sum = 0;

	u->least = UINT32_MAX;
	for (size_t i = 0; i < n; i++) {
		ports[i] = ibc_node_port(u->node, links[i].port);
		dlids[i] = p->carried[(size_t)s * p->width + links[i].port];
		sum += dlids[i];
		u->least = dlids[i] < u->least ? dlids[i] : u->least;
		u->most = dlids[i] > u->most ? dlids[i] : u->most;
	}
	u->ports = ports;
	u->dlids = dlids;
	u->num_ports = n;
	u->mean = (double)sum / (double)n;
}

/* Counts them; where there is room, puts them there. */
static bool put_uplinks(struct route_subnet *p, uint32_t s, const struct ibc_node *to,
                        const struct switch_link *links, size_t n)
{
	struct arena *a = p->routes->arena;
	const struct ibc_port **ports;
	struct ibc_uplinks *u;
	uint32_t *dlids;

	if (n < 2)
		return true;
	u = p->uplinks ? &p->uplinks[p->num_uplinks] : NULL;
	p->num_uplinks++;
	if (!u)
		return true;
	ports = arena_array(a, n, sizeof(*ports));
	dlids = arena_array(a, n, sizeof(*dlids));
	if (!ports || !dlids)
		return false;
	u->node = p->lft->switches[s];
	u->to = to;
	u->rank = p->rank[s];
	count_lids(p, s, links, n, u, ports, dlids);
	return true;
}

/* All cables to the next rank, then trunk by trunk. */
static bool put_switch(struct route_subnet *p, uint32_t s)
{
	struct switch_link links[UINT8_MAX], up[UINT8_MAX];
	size_t n = find_links(p, s, links), num_up = 0, end;

	for (size_t i = 0; i < n; i++)
		if (rank_is_next(p->rank, s, links[i].to))
			up[num_up++] = links[i];
	if (!put_uplinks(p, s, NULL, up, num_up))
		return false;
	qsort(links, n, sizeof(*links), by_far_switch);
	for (size_t i = 0; i < n; i = end) {
		for (end = i; end < n && links[end].to == links[i].to; end++)
			;
		if (!put_uplinks(p, s, p->lft->switches[links[i].to], &links[i], end - i))
			return false;
	}
	return true;
}

/* Of a table that was read in part the rest may be anywhere. */
static bool put_switches(struct route_subnet *p)
{
	p->num_uplinks = 0;
	for (uint32_t s = 0; s < p->n; s++)
		if (ibc_node_has(p->lft->switches[s], IBC_ATTR_LFT) && !put_switch(p, s))
			return false;
	return true;
}

bool routes_uplinks(struct route_subnet *p)
{
	put_switches(p);
	p->uplinks = arena_array(p->routes->arena, p->num_uplinks + 1, sizeof(*p->uplinks));
	return p->uplinks && put_switches(p);
}
