/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKRANDOM_H
#define MKRANDOM_H

/*
 * Small random fabrics with random tables, and a naive look at them: one pair, hop by hop.
 * Include it after mkroutes.h.
 */
#include <stdio.h>

#include "base/hash.h"

#define RANDOM_SWITCHES 7
#define RANDOM_PORTS    8
#define RANDOM_LIDS     256
#define RANDOM_WAY      64

static inline unsigned int mk_random(uint64_t *seed, unsigned int n)
{
	*seed += 0x9e3779b97f4a7c15;
	return (unsigned int)(hash_mix(*seed) % n);
}

/* A port of a switch without a cable, or 0. */
static inline unsigned int free_port(struct mkfab m, uint64_t sw)
{
	for (unsigned int num = 1; num <= RANDOM_PORTS; num++)
		if (!port(m, sw, num)->peer)
			return num;
	return 0;
}

static inline void mk_random_hosts(struct mkfab m, uint64_t *seed, uint64_t sw, uint64_t *next)
{
	for (unsigned int n = mk_random(seed, 4); n; n--) {
		unsigned int at = free_port(m, sw);
		char name[32];

		snprintf(name, sizeof(name), "host%u mlx5_0", (unsigned int)*next);
		mk_ca(m, 100 + *next, name, 1);
		cable(m, sw, at, 100 + *next, 1);
		port(m, 100 + *next, 1)->lid = (uint16_t)(8 * *next);
		port(m, 100 + *next, 1)->lmc = (uint8_t)mk_random(seed, 2);
		(*next)++;
	}
}

/* Switches 1 .. n; their LIDs are their GUIDs, those of hosts are 8, 16, ... */
static inline struct mkfab mk_random_fabric(uint64_t *seed)
{
	struct mkfab m = mkfab();
	unsigned int n = 2 + mk_random(seed, RANDOM_SWITCHES - 1);
	uint64_t next = 1;

	for (unsigned int sw = 1; sw <= n; sw++) {
		char name[32];

		snprintf(name, sizeof(name), "switch%u", sw);
		mk_switch(m, sw, name, RANDOM_PORTS);
		mk_random_hosts(m, seed, sw, &next);
	}
	for (unsigned int i = 0; i < 3 * n; i++) {
		unsigned int a = 1 + mk_random(seed, n), z = 1 + mk_random(seed, n);

		if (a != z && free_port(m, a) && free_port(m, z))
			cable(m, a, free_port(m, a), z, free_port(m, z));
	}
	return m;
}

/* To a LID by a tree that grows at random, so ways wind. */
static inline void mk_random_ways_to(struct mkfab m, struct fabric_forwarding *f, uint64_t *seed,
                                     const struct ibc_port *dst)
{
	const struct ibc_port *at = dst->num == 0 ? dst : dst->peer;
	unsigned int n = (unsigned int)f->tables.num_switches;
	bool in_tree[RANDOM_SWITCHES + 1] = { false };

	in_tree[at->node->guid] = true;
	for (unsigned int i = 0; i < 20 * n; i++) {
		const struct ibc_port *near = port(m, 1 + mk_random(seed, n),
		                                   1 + mk_random(seed, RANDOM_PORTS));
		const struct ibc_port *far = near->peer;

		if (!far || far->node->type != IBC_NODE_SWITCH || in_tree[near->node->guid] ||
		    !in_tree[far->node->guid])
			continue;
		*mk_entry(f, near->node->guid, dst->lid) = near->num;
		in_tree[near->node->guid] = true;
	}
}

static inline void mk_random_ways(struct mkfab m, struct fabric_forwarding *f, uint64_t *seed)
{
	const struct ibc_node *node;

	for (size_t i = 0; (node = fabric_build_node_at(m.b, i)); i++)
		mk_random_ways_to(m, f, seed, &node->ports[node->type == IBC_NODE_SWITCH ? 0 : 1]);
}

/* Ways of either kind, the second LIDs of ports as the first, and so many entries at random. */
static inline struct fabric_forwarding *mk_random_tables(struct mkfab m, uint64_t *seed,
                                                         unsigned int wrong)
{
	struct fabric_forwarding *f = mk_tables(m, RANDOM_LIDS);
	size_t n = f->tables.num_switches;

	mk_min_hop(m, f);
	if (mk_random(seed, 2))
		mk_random_ways(m, f, seed);
	for (unsigned int lid = 8; lid < RANDOM_LIDS; lid += 8)
		memcpy(&f->out[(lid + 1) * f->tables.stride], &f->out[lid * f->tables.stride],
		       f->tables.stride);
	while (wrong--) {
		size_t lid = 8 * mk_random(seed, RANDOM_LIDS / 8) + mk_random(seed, 2);
		unsigned int out = mk_random(seed, RANDOM_PORTS + 3);

		f->out[lid * f->tables.stride + mk_random(seed, (unsigned int)n)] =
		    out == RANDOM_PORTS + 2 ? IBC_NO_ENTRY : (uint8_t)out;
	}
	return f;
}

/* struct way - switches on the way, the ports they send it to, and how it ends */
struct route {
	const struct ibc_node *at[RANDOM_WAY];
	unsigned int out[RANDOM_WAY];
	unsigned int hops;
	enum ibc_route_end end;
};

static inline unsigned int naive_entry(const struct ibc_forwarding *lft, const struct ibc_node *sw,
                                       unsigned int lid, enum ibc_route_end *missing)
{
	for (size_t i = 0; i < lft->num_switches; i++) {
		if (lft->switches[i] != sw)
			continue;
		*missing = lft->known[lid / IBC_LFT_BLOCK * lft->stride + i] ? IBC_ROUTE_NO_ENTRY
		                                                             : IBC_ROUTE_UNKNOWN;
		return lft->out[lid * lft->stride + i];
	}
	fail_msg("no such switch");
	return 0;
}

/* From a port, or the port 0 of a switch, to a LID. */
static inline struct route naive_way(const struct ibc_port *src, const struct ibc_port *dst,
                                     unsigned int dlid)
{
	const struct ibc_node *sw = src->num == 0 ? src->node : src->peer->node;
	struct route route = { .hops = 0 };

	while (route.hops < RANDOM_WAY) {
		enum ibc_route_end missing;
		unsigned int out = naive_entry(sw->subnet->forwarding, sw, dlid, &missing);
		const struct ibc_port *port = ibc_node_port(sw, out), *peer;

		route.at[route.hops] = sw;
		route.out[route.hops++] = out;
		route.end = missing;
		if (out == IBC_NO_ENTRY)
			return route;
		route.end = IBC_ROUTE_ARRIVES;
		if (port == dst)
			return route;
		route.end = IBC_ROUTE_NO_PORT;
		if (!port || !out)
			return route;
		route.end = IBC_ROUTE_DOWN;
		peer = port->peer;
		if (!peer)
			return route;
		route.end = peer == dst ? IBC_ROUTE_ARRIVES : IBC_ROUTE_ELSEWHERE;
		if (peer->node->type != IBC_NODE_SWITCH)
			return route;
		sw = peer->node;
	}
	route.end = IBC_ROUTE_LOOP;
	return route;
}

#endif
