/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <ibcheck/routes.h>

#include "analysis/routes/channels.h"
#include "analysis/routes/routes.h"
#include "base/arena.h"

#include "mkfab.h"
#include "mkroutes.h"

#include "mkrandom.h"

/* Every ring, as "CAUSE CHANNELS: SWITCH/PORT:VL SRC>DLID, ..." with GUIDs. */
static void loops_as_text(const struct ibc_routes *routes, char *text, size_t size)
{
	const struct ibc_credit_loop *l;
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; (l = ibc_routes_credit_loop(routes, i)); i++) {
		used += (size_t)snprintf(text + used, size - used,
		                         "%s %zu:", ibc_loop_cause_word(l->cause)->word,
		                         l->channels);
		for (size_t k = 0; k < l->num_hops; k++) {
			const struct ibc_credit_hop *hop = &l->hops[k];

			assert_ptr_equal(ibc_fabric_port_by_lid(hop->dst->node->subnet, hop->dlid),
			                 hop->dst);
			used += (size_t)snprintf(
			    text + used, size - used, " %llu/%u:%u %llu>%u",
			    (unsigned long long)hop->out->node->guid, hop->out->num, hop->vl,
			    (unsigned long long)hop->src->node->guid, hop->dlid);
		}
		used += (size_t)snprintf(text + used, size - used, "\n");
		assert_true(used < size);
	}
}

static void expect_loops(struct mkfab m, const char *expected)
{
	struct routed r = routed(m, 0);
	const struct ibc_credit_loop *loop;
	size_t of_hosts = 0;
	char text[4096];

	loops_as_text(r.routes, text, sizeof(text));
	assert_string_equal(text, expected);
	for (size_t i = 0; (loop = ibc_routes_credit_loop(r.routes, i)); i++)
		of_hosts += loop->cause != IBC_LOOP_SWITCH_PORTS;
	assert_int_equal(ibc_routes_sums(r.routes, 0)->credit_loops, of_hosts);
	free_routed(r);
}

/* ---- a ring of four ---- */

/* Switches 1 .. 4, hosts 11 .. 14 on port 1; port 2 leads to the next, port 3 back. */
static struct mkfab mk_ring(void)
{
	struct mkfab m = mkfab();
	char name[32];

	for (unsigned int i = 1; i <= 4; i++) {
		snprintf(name, sizeof(name), "switch%u", i);
		mk_switch(m, i, name, 4);
		snprintf(name, sizeof(name), "host%02u mlx5_0", i);
		mk_ca(m, 10 + i, name, 1);
		cable(m, i, 1, 10 + i, 1);
	}
	for (unsigned int i = 1; i <= 4; i++)
		cable(m, i, 2, i % 4 + 1, 3);
	return m;
}

/* By the shortest way, and to what is opposite by port 3. */
static struct fabric_forwarding *mk_min_hop_ring(struct mkfab m)
{
	struct fabric_forwarding *f = mk_tables(m, 20);

	mk_min_hop(m, f);
	return f;
}

/* What goes from 2 to 4 and back goes by 1, the root: never down and up again. */
static void mk_up_down(struct fabric_forwarding *f, unsigned int second, unsigned int fourth)
{
	*mk_entry(f, 2, fourth) = 3;
	*mk_entry(f, 1, fourth) = 3;
	*mk_entry(f, 4, second) = 2;
	*mk_entry(f, 1, second) = 2;
}

/* What the SA tells of levels, by dlid, then slid. */
static void mk_levels(struct mkfab m, const struct ibc_path_sl *paths, size_t n)
{
	struct ibc_path_sl *copy = arena_array(fabric_build_arena(m.b), n, sizeof(*copy));
	struct ibc_sa *sa = arena_alloc(fabric_build_arena(m.b), sizeof(*sa));

	memcpy(copy, paths, n * sizeof(*copy));
	sa->paths = copy;
	sa->num_paths = n;
	m.subnet->sa = sa;
}

/* Between all hosts of the ring level 0, but from 1 to 3. */
static void mk_ring_levels(struct mkfab m, unsigned int from_1_to_3)
{
	struct ibc_path_sl paths[12];
	size_t n = 0;

	for (unsigned int to = 11; to <= 14; to++)
		for (unsigned int from = 11; from <= 14; from++)
			if (from != to)
				paths[n++] = (struct ibc_path_sl){
					.slid = (uint16_t)from,
					.dlid = (uint16_t)to,
					.sl = from == 11 && to == 13 ? (uint8_t)from_1_to_3 : 0,
				};
	mk_levels(m, paths, n);
}

/* Each switch gives a level the lane of its number, up to max. */
static void mk_lanes(struct mkfab m, unsigned int max)
{
	for (unsigned int i = 1; i <= 4; i++) {
		uint8_t *vl = arena_alloc(fabric_build_arena(m.b), 16);
		struct ibc_sl2vl *t = arena_alloc(fabric_build_arena(m.b), sizeof(*t));

		for (unsigned int sl = 0; sl < 16; sl++)
			vl[sl] = (uint8_t)(sl < max ? sl : max);
		*t = (struct ibc_sl2vl){ .vl = vl, .width = 5, .uniform = true };
		fabric_build_find(m.b, m.subnet, i)->sl2vl = t;
	}
}

static void a_ring_under_min_hop_is_one_credit_loop(void **state)
{
	struct mkfab m = mk_ring();

	(void)state;
	mk_min_hop_ring(m);
	expect_loops(m, "hosts 4: 1/3:0 11>13 4/3:0 14>12 3/3:0 13>11 2/3:0 12>14\n");
}

static void a_ring_under_up_down_is_none(void **state)
{
	struct mkfab m = mk_ring();
	struct fabric_forwarding *f = mk_min_hop_ring(m);

	(void)state;
	mk_up_down(f, 12, 14);
	mk_up_down(f, 2, 4);
	expect_loops(m, "");
}

static void a_ring_that_takes_the_switches_own_traffic_is_told_so(void **state)
{
	struct mkfab m = mk_ring();

	(void)state;
	mk_up_down(mk_min_hop_ring(m), 12, 14);
	expect_loops(m, "switch_ports 4: 1/3:0 11>13 4/3:0 14>2 3/3:0 13>11 2/3:0 12>14\n");
}

static void ways_that_are_not_known_wait_for_nothing(void **state)
{
	struct mkfab m = mk_ring();
	struct fabric_forwarding *f = mk_min_hop_ring(m);
	struct routed r;

	(void)state;
	mk_unread(f, 1, 12);
	r = routed(m, 0);
	assert_null(ibc_routes_credit_loop(r.routes, 0));
	assert_true(ibc_routes_sums(r.routes, 0)->unknown > 0);
	free_routed(r);
}

static void a_route_that_goes_round_is_no_credit_loop(void **state)
{
	struct mkfab m = mk_ring();
	struct fabric_forwarding *f = mk_min_hop_ring(m);

	(void)state;
	mk_up_down(f, 12, 14);
	mk_up_down(f, 2, 4);
	for (unsigned int i = 1; i <= 4; i++)
		*mk_entry(f, i, 13) = 3;
	expect_loops(m, "");
}

/*
 * Hosts 11 and 12 on switch 1, 13 on switch 2 beside it.  Switch 3 sends by 4, and that by 5
 * to host 11, by 6 to host 12.
 */
static void the_way_of_a_switch_to_the_next_lid_turns_off_later(void **state)
{
	const unsigned int cables[][4] = { { 1, 3, 2, 2 }, { 3, 1, 4, 1 }, { 4, 2, 5, 1 },
		                           { 4, 3, 6, 1 }, { 5, 2, 1, 4 }, { 6, 2, 1, 5 } };
	struct mkfab m = mkfab();
	struct fabric_forwarding *f;
	const struct channels *ch;
	struct routed r;
	char name[32];

	(void)state;
	for (unsigned int i = 1; i <= 6; i++) {
		snprintf(name, sizeof(name), "switch%u", i);
		mk_switch(m, i, name, 5);
	}
	for (unsigned int i = 1; i <= 3; i++) {
		snprintf(name, sizeof(name), "host%02u mlx5_0", i);
		mk_ca(m, 10 + i, name, 1);
		cable(m, i < 3 ? 1 : 2, i < 3 ? i : 1, 10 + i, 1);
	}
	for (size_t i = 0; i < 6; i++)
		cable(m, cables[i][0], cables[i][1], cables[i][2], cables[i][3]);
	f = mk_tables(m, 20);
	mk_min_hop(m, f);
	*mk_entry(f, 4, 11) = 2;
	*mk_entry(f, 4, 12) = 3;
	*mk_entry(f, 3, 6) = IBC_NO_ENTRY; /* that way, too */
	r = routed(m, 0);
	ch = r.routes->subnets[0].channels;
	/* beyond port 1 of switch 3 both of ports 2 and 3 of switch 4 are waited for */
	assert_int_equal(ch->sets[channel_at(ch, 2, 1, 0)] & 6, 6);
	free_routed(r);
}

/* ---- a host above the leaves ---- */

/*
 * Two leaves, four spines, two of them with a host, 13 and 14.  These talk by way of a leaf,
 * down and up again.
 */
static void a_ring_that_takes_hosts_above_the_leaves_is_told_so(void **state)
{
	struct mkfab m = mkfab();
	struct fabric_forwarding *f;
	char name[32];

	(void)state;
	for (unsigned int i = 1; i <= 6; i++) {
		snprintf(name, sizeof(name), i <= 2 ? "leaf%u" : "spine%u", i);
		mk_switch(m, i, name, 8);
	}
	for (unsigned int i = 1; i <= 4; i++) {
		snprintf(name, sizeof(name), "host%02u mlx5_0", i);
		mk_ca(m, 10 + i, name, 1);
		cable(m, i, 8, 10 + i, 1);
	}
	for (unsigned int leaf = 1; leaf <= 2; leaf++)
		for (unsigned int spine = 3; spine <= 6; spine++)
			cable(m, leaf, spine - 2, spine, leaf);
	f = mk_tables(m, 20);
	mk_min_hop(m, f);
	*mk_entry(f, 1, 12) = 2; /* by spine 4 */
	*mk_entry(f, 2, 11) = 1; /* by spine 3 */
	*mk_entry(f, 3, 14) = 1; /* by leaf 1 */
	*mk_entry(f, 4, 13) = 2; /* by leaf 2 */
	expect_loops(m, "upper_hosts 4: 1/2:0 11>12 4/2:0 14>13 2/1:0 12>11 3/1:0 13>14\n");
}

/* ---- lanes ---- */

static void a_second_lane_opens_the_ring(void **state)
{
	struct mkfab m = mk_ring();
	struct routed r;

	(void)state;
	mk_min_hop_ring(m);
	mk_ring_levels(m, 1);
	mk_lanes(m, 15);
	r = routed(m, 0);
	assert_null(ibc_routes_credit_loop(r.routes, 0));
	assert_int_equal(ibc_routes_sums(r.routes, 0)->sl_source, IBC_SL_COMPLETE);
	assert_int_equal(ibc_routes_sums(r.routes, 0)->vls, 2);
	assert_int_equal(ibc_routes_sums(r.routes, 0)->vl_tables, 4);
	free_routed(r);
}

static void two_levels_on_one_lane_leave_the_ring(void **state)
{
	struct mkfab m = mk_ring();

	(void)state;
	mk_min_hop_ring(m);
	mk_ring_levels(m, 1);
	mk_lanes(m, 0);
	expect_loops(m, "hosts 4: 1/3:0 11>13 4/3:0 14>12 3/3:0 13>11 2/3:0 12>14\n");
	m = mk_ring();
	mk_min_hop_ring(m);
	mk_ring_levels(m, 1); /* and no table tells of lanes */
	expect_loops(m, "hosts 4: 1/3:0 11>13 4/3:0 14>12 3/3:0 13>11 2/3:0 12>14\n");
}

static void one_level_that_is_known_of_one_pair_is_that_of_all(void **state)
{
	const struct ibc_path_sl path = { .slid = 11, .dlid = 12, .sl = 2 };
	struct mkfab m = mk_ring();
	struct routed r;
	char text[256];

	(void)state;
	mk_min_hop_ring(m);
	mk_levels(m, &path, 1);
	mk_lanes(m, 15);
	r = routed(m, 0);
	loops_as_text(r.routes, text, sizeof(text));
	assert_string_equal(text, "hosts 4: 1/3:2 11>13 4/3:2 14>12 3/3:2 13>11 2/3:2 12>14\n");
	assert_int_equal(ibc_routes_sums(r.routes, 0)->sl_source, IBC_SL_SAMPLED);
	assert_int_equal(ibc_routes_sums(r.routes, 0)->vls, 1);
	free_routed(r);
}

static void pairs_of_unknown_level_are_left_out_if_levels_differ(void **state)
{
	const struct ibc_path_sl paths[] = {
		{ .slid = 13, .dlid = 11, .sl = 0 },
		{ .slid = 14, .dlid = 12, .sl = 0 },
		{ .slid = 11, .dlid = 13, .sl = 0 },
		{ .slid = 11, .dlid = 14, .sl = 1 },
	};
	struct mkfab m = mk_ring();
	struct routed r;

	(void)state;
	mk_min_hop_ring(m);
	mk_levels(m, paths, 4); /* but not from 2 to 4 */
	mk_lanes(m, 15);
	r = routed(m, 0);
	assert_null(ibc_routes_credit_loop(r.routes, 0));
	assert_int_equal(ibc_routes_sums(r.routes, 0)->sl_source, IBC_SL_PARTIAL);
	free_routed(r);
}

static void a_lane_that_changes_on_the_way_opens_the_ring(void **state)
{
	struct mkfab m = mk_ring();
	uint8_t *vl = arena_alloc(fabric_build_arena(m.b), 5 * 5 * 16);
	struct ibc_sl2vl *t = arena_alloc(fabric_build_arena(m.b), sizeof(*t));

	(void)state;
	mk_min_hop_ring(m);
	vl[(2 * 5 + 3) * 16] = 1; /* at switch 1, from 2 to 4 */
	*t = (struct ibc_sl2vl){ .vl = vl, .width = 5 };
	fabric_build_find(m.b, m.subnet, 1)->sl2vl = t;
	expect_loops(m, "");
}

/* ---- against a naive look at all traffic ---- */

#define LANES        4
#define CHANNELS     (RANDOM_SWITCHES * (RANDOM_PORTS + 1) * LANES)
#define NO_LEVEL     255
#define NAIVE_LAYERS 3

/* depends[from][to]: the layer that makes it first, from 1; 0: none */
struct naive {
	const struct ibc_fabric *fab;
	const struct ibc_port *ends[RANDOM_LIDS]; /* hosts and switches */
	size_t num_ends;
	uint8_t depends[CHANNELS][CHANNELS];
	unsigned int distance[CHANNELS][CHANNELS]; /* 0: none */
};

static const struct ibc_node *switch_of(const struct ibc_port *port)
{
	return port->num ? port->peer->node : port->node;
}

/* As service_levels.h has it: by record; else by the records of the two switches; else by all. */
static unsigned int naive_level(const struct ibc_port *src, const struct ibc_port *dst,
                                unsigned int dlid)
{
	const struct ibc_subnet *subnet = src->node->subnet;
	const struct ibc_sa *sa = subnet->sa;
	unsigned int all = 0, ends = 0;

	for (size_t i = 0; sa && i < sa->num_paths; i++) {
		const struct ibc_path_sl *path = &sa->paths[i];
		const struct ibc_port *a = ibc_fabric_port_by_lid(subnet, path->slid);
		const struct ibc_port *z = ibc_fabric_port_by_lid(subnet, path->dlid);

		if (a == src && path->dlid == dlid)
			return path->sl;
		all |= 1u << path->sl;
		if (switch_of(a) == switch_of(src) && switch_of(z) == switch_of(dst))
			ends |= 1u << path->sl;
	}
	if (!all)
		return 0;
	if (!(all & (all - 1)))
		return (unsigned int)__builtin_ctz(all);
	return ends && !(ends & (ends - 1)) ? (unsigned int)__builtin_ctz(ends) : NO_LEVEL;
}

static size_t naive_channel(const struct ibc_node *sw, unsigned int out, unsigned int vl)
{
	return ((size_t)(sw->guid - 1) * (RANDOM_PORTS + 1) + out) * LANES + vl;
}

static unsigned int naive_vl(const struct ibc_node *sw, unsigned int in, unsigned int out,
                             unsigned int sl)
{
	unsigned int vl = ibc_switch_vl(sw, in, out, sl);

	return vl == IBC_VL_UNKNOWN ? 0 : vl;
}

static void naive_send(struct naive *n, const struct ibc_port *src, const struct ibc_port *dst,
                       unsigned int dlid, uint8_t layer)
{
	struct route route = naive_way(src, dst, dlid);
	unsigned int sl = naive_level(src, dst, dlid), in = src->num ? src->peer->num : 0;
	size_t last = SIZE_MAX;

	if (route.end != IBC_ROUTE_ARRIVES || sl == NO_LEVEL)
		return;
	for (unsigned int i = 0; i + 1 < route.hops; i++) {
		unsigned int vl = naive_vl(route.at[i], in, route.out[i], sl);
		size_t channel;

		if (vl == 15)
			return;
		channel = naive_channel(route.at[i], route.out[i], vl);
		if (last != SIZE_MAX && !n->depends[last][channel])
			n->depends[last][channel] = layer;
		last = channel;
		in = route.at[i]->ports[route.out[i]].peer->num;
	}
}

static void naive_layer(struct naive *n, const struct route_subnet *p, uint8_t layer)
{
	for (size_t s = 0; s < n->num_ends; s++)
		for (size_t d = 0; d < n->num_ends; d++) {
			const struct ibc_port *src = n->ends[s], *dst = n->ends[d];
			bool upper = false;

			for (size_t h = 0; h < p->num_hosts; h++)
				upper |= (p->hosts[h].port == src || p->hosts[h].port == dst) &&
				         !p->hosts[h].leaf;
			if (src == dst || (layer < 3 && (!src->num || !dst->num)) ||
			    (layer < 2 && upper))
				continue;
			for (unsigned int i = 0; i < 1u << dst->lmc; i++)
				naive_send(n, src, dst, dst->lid + i, layer);
		}
}

/* Steps of the shortest way from each channel to each, with what layers up to one make. */
static void naive_distances(struct naive *n, uint8_t layer)
{
	static size_t queue[CHANNELS];

	memset(n->distance, 0, sizeof(n->distance));
	for (size_t from = 0; from < CHANNELS; from++) {
		size_t head = 0, tail = 0;

		queue[tail++] = from;
		while (head < tail) {
			size_t at = queue[head++];
			unsigned int far = head == 1 ? 0 : n->distance[from][at];

			for (size_t to = 0; to < CHANNELS; to++) {
				if (!n->depends[at][to] || n->depends[at][to] > layer ||
				    n->distance[from][to])
					continue;
				n->distance[from][to] = far + 1;
				if (to != from)
					queue[tail++] = to;
			}
		}
	}
}

/* The next component with a ring none of whose channels was told; marks it. */
static bool naive_component(const struct naive *n, bool *told, size_t *from, size_t *members,
                            unsigned int *shortest)
{
	for (; *from < CHANNELS; ++*from) {
		bool skip = told[*from];

		if (!n->distance[*from][*from])
			continue;
		*members = 0;
		*shortest = UINT32_MAX;
		for (size_t i = 0; i < CHANNELS; i++) {
			if (!n->distance[*from][i] || !n->distance[i][*from])
				continue;
			skip |= told[i];
			++*members;
			if (n->distance[i][i] < *shortest)
				*shortest = n->distance[i][i];
		}
		for (size_t i = 0; i < CHANNELS; i++)
			told[i] |= n->distance[*from][i] && n->distance[i][*from];
		if (!skip)
			return true;
	}
	return false;
}

/* Does the pair of every hop make its dependency, in a layer no later than the ring's? */
static void expect_witnesses(const struct naive *n, const struct ibc_credit_loop *l)
{
	static uint8_t depends[CHANNELS][CHANNELS];

	for (size_t i = 0; i < l->num_hops; i++) {
		const struct ibc_credit_hop *hop = &l->hops[i],
					    *next = &l->hops[(i + 1) % l->num_hops];
		size_t from = naive_channel(hop->out->node, hop->out->num, hop->vl);
		size_t to = naive_channel(next->out->node, next->out->num, next->vl);
		struct naive *one = (struct naive *)n;

		assert_non_null(hop->src);
		memcpy(depends, n->depends, sizeof(depends));
		memset(one->depends, 0, sizeof(one->depends));
		naive_send(one, hop->src, hop->dst, hop->dlid, 1);
		assert_int_equal(one->depends[from][to], 1);
		memcpy(one->depends, depends, sizeof(depends));
		assert_true(n->depends[from][to] && n->depends[from][to] <= l->cause + 1);
	}
}

static void expect_naive(struct naive *n, const struct ibc_routes *routes)
{
	const struct route_subnet *p = &routes->subnets[0];
	const struct ibc_credit_loop *l;
	bool told[CHANNELS] = { false };
	const struct ibc_port *port;
	size_t found = 0;

	memset(n->depends, 0, sizeof(n->depends));
	n->num_ends = 0;
	for (size_t i = 0; (port = ibc_fabric_port(n->fab, i)); i++)
		if (port->lid)
			n->ends[n->num_ends++] = port;
	for (uint8_t layer = 1; layer <= NAIVE_LAYERS; layer++) {
		size_t from = 0, members;
		unsigned int shortest;

		naive_layer(n, p, layer);
		naive_distances(n, layer);
		while (naive_component(n, told, &from, &members, &shortest)) {
			l = ibc_routes_credit_loop(routes, found++);
			assert_non_null(l);
			assert_int_equal(l->cause, layer - 1);
			assert_int_equal(l->channels, members);
			assert_int_equal(l->num_hops, shortest);
			expect_witnesses(n, l);
		}
	}
	assert_null(ibc_routes_credit_loop(routes, found));
}

/* Levels of some pairs of hosts: of many different ones, or of one. */
static void mk_random_levels(struct mkfab m, uint64_t *seed)
{
	struct ibc_path_sl paths[RANDOM_LIDS * 2];
	unsigned int service_levels = 1 + mk_random(seed, 2), some = 1 + mk_random(seed, 6);
	bool by_ends = mk_random(seed, 2);
	uint8_t of_ends[RANDOM_SWITCHES + 1][RANDOM_SWITCHES + 1];
	const struct ibc_node *node;
	const struct ibc_port *hosts[RANDOM_LIDS];
	size_t n = 0, num_hosts = 0;

	for (unsigned int i = 0; i <= RANDOM_SWITCHES; i++)
		for (unsigned int k = 0; k <= RANDOM_SWITCHES; k++)
			of_ends[i][k] = (uint8_t)(1 + mk_random(seed, service_levels));
	for (size_t i = 0; (node = fabric_build_node_at(m.b, i)); i++)
		if (node->type == IBC_NODE_CA)
			hosts[num_hosts++] = &node->ports[1];
	for (size_t d = 0; d < num_hosts; d++)
		for (size_t s = 0; s < num_hosts; s++) {
			const struct ibc_port *src = hosts[s], *dst = hosts[d];

			if (s == d || !mk_random(seed, some))
				continue;
			paths[n++] = (struct ibc_path_sl){
				.slid = src->lid,
				.dlid = dst->lid,
				.sl = by_ends
				          ? of_ends[src->peer->node->guid][dst->peer->node->guid]
				          : (uint8_t)(1 + mk_random(seed, service_levels)),
			};
		}
	mk_levels(m, paths, n);
}

/* Tables of some switches: the same for all ports, or not. */
static void mk_random_lanes(struct mkfab m, uint64_t *seed)
{
	size_t width = RANDOM_PORTS + 1;

	for (unsigned int i = 1; i <= RANDOM_SWITCHES; i++) {
		struct ibc_node *sw = fabric_build_find(m.b, m.subnet, i);
		uint8_t *vl = arena_alloc(fabric_build_arena(m.b), width * width * 16);
		struct ibc_sl2vl *t = arena_alloc(fabric_build_arena(m.b), sizeof(*t));

		if (!sw || !mk_random(seed, 4))
			continue;
		*t = (struct ibc_sl2vl){ .vl = vl, .width = (unsigned int)width };
		t->uniform = mk_random(seed, 2);
		for (size_t k = 0; k < width * width * 16; k++)
			vl[k] = mk_random(seed, 40) ? (uint8_t)mk_random(seed, LANES - 1) : 15;
		sw->sl2vl = t;
	}
}

static void random_traffic_makes_the_rings_that_a_naive_look_finds(void **state)
{
	struct naive *naive = calloc(1, sizeof(*naive));
	struct ibc_routes_opts opts = { .threads = 4 };
	uint64_t seed = 11;
	size_t rings[2][3] = { 0 }; /* of plain traffic, and else; by cause */

	(void)state;
	assert_non_null(naive);
	for (unsigned int i = 0; i < 1200; i++) {
		struct mkfab m = mk_random_fabric(&seed);
		struct fabric_forwarding *f = mk_random_tables(m, &seed, mk_random(&seed, 12));
		char one[16384], four[16384];
		const struct ibc_credit_loop *l;
		struct ibc_routes *again;
		struct routed r;

		if (!mk_random(&seed, 3))
			mk_unread(f, 1 + mk_random(&seed, 2), 64 * mk_random(&seed, 3));
		if (i % 3)
			mk_random_levels(m, &seed);
		if (i % 4)
			mk_random_lanes(m, &seed);
		r = routed(m, 0);
		naive->fab = r.fab;
		expect_naive(naive, r.routes);
		loops_as_text(r.routes, one, sizeof(one));
		assert_int_equal(ibc_routes_analyze(r.fab, &opts, &again, NULL), 0);
		loops_as_text(again, four, sizeof(four));
		assert_string_equal(one, four);
		for (size_t k = 0; (l = ibc_routes_credit_loop(r.routes, k)); k++)
			rings[!r.routes->subnets[0].channels->plain][l->cause]++;
		ibc_routes_free(again);
		free_routed(r);
	}
	for (size_t k = 0; k < 3; k++)
		assert_true(rings[0][k] >= 2 && rings[1][k] >= 2);
	free(naive);
}

/* ---- memory ---- */

static void running_out_of_memory_anywhere_is_told(void **state)
{
	struct ibc_routes_opts opts = { .threads = 1 };
	struct mkfab m = mk_ring();
	struct ibc_routes *routes = NULL;
	struct ibc_fabric *fab;
	unsigned long n = 0;
	int rc;

	(void)state;
	mk_min_hop_ring(m);
	mk_ring_levels(m, 1);
	fab = done(m);
	do {
		alloc_fail_at(++n);
		rc = ibc_routes_analyze(fab, &opts, &routes, NULL);
		alloc_fail_at(0);
		assert_true(rc == 0 || (rc == -ENOMEM && !routes));
	} while (rc);
	assert_true(n > 10);
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ring_under_min_hop_is_one_credit_loop),
		cmocka_unit_test(a_ring_under_up_down_is_none),
		cmocka_unit_test(a_ring_that_takes_the_switches_own_traffic_is_told_so),
		cmocka_unit_test(ways_that_are_not_known_wait_for_nothing),
		cmocka_unit_test(a_route_that_goes_round_is_no_credit_loop),
		cmocka_unit_test(the_way_of_a_switch_to_the_next_lid_turns_off_later),
		cmocka_unit_test(a_ring_that_takes_hosts_above_the_leaves_is_told_so),
		cmocka_unit_test(a_second_lane_opens_the_ring),
		cmocka_unit_test(two_levels_on_one_lane_leave_the_ring),
		cmocka_unit_test(one_level_that_is_known_of_one_pair_is_that_of_all),
		cmocka_unit_test(pairs_of_unknown_level_are_left_out_if_levels_differ),
		cmocka_unit_test(a_lane_that_changes_on_the_way_opens_the_ring),
		cmocka_unit_test(random_traffic_makes_the_rings_that_a_naive_look_finds),
		cmocka_unit_test(running_out_of_memory_anywhere_is_told),
	};

	return cmocka_run_group_tests_name("channels", tests, NULL, NULL);
}
