/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings of channels, against a naive look from each of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <ibcheck/ibcheck.h>

#include "analysis/routes/cycles.h"
#include "analysis/tree/rank.h"
#include "base/arena.h"

#include "mkfab.h"
#include "mkroutes.h"

#include "mkrandom.h"

#define SWITCHES 7
#define WIDTH    7
#define LANES    14
#define CHANNELS (SWITCHES * WIDTH * LANES)

/* distance[from][to]: dependencies on the shortest way, 0: there is none */
struct graph {
	struct arena *arena;
	struct route_subnet p;
	struct channels ch;
	uint16_t distance[CHANNELS][CHANNELS];
};

static bool is_free(const struct graph *g, uint32_t cell)
{
	return g->p.next_hop[cell] >= HOP_SPECIAL;
}

/* Cables where both ports are free, and ranks that mean little, or nothing. */
static void mk_cables(struct graph *g, uint64_t *seed)
{
	struct route_subnet *p = &g->p;
	unsigned int kinds = 1 + mk_random(seed, 4), none = mk_random(seed, 2);

	p->n = 2 + mk_random(seed, SWITCHES - 1);
	p->width = 2 + mk_random(seed, WIDTH - 1);
	p->next_hop = arena_array(g->arena, p->n * p->width, sizeof(*p->next_hop));
	p->rank = arena_alloc(g->arena, p->n);
	for (uint32_t i = 0; i < p->n * p->width; i++)
		p->next_hop[i] = mk_random(seed, 2) ? HOP_HOST : HOP_DOWN;
	for (uint32_t i = 0; i < 3 * p->n; i++) {
		uint32_t a = mk_random(seed, p->n), x = 1 + mk_random(seed, p->width - 1);
		uint32_t z = mk_random(seed, p->n), y = 1 + mk_random(seed, p->width - 1);

		if (a == z || !is_free(g, a * p->width + x) || !is_free(g, z * p->width + y))
			continue;
		p->next_hop[a * p->width + x] = next_hop_switch(z, y);
		p->next_hop[z * p->width + y] = next_hop_switch(a, x);
	}
	for (uint32_t i = 0; i < p->n; i++)
		p->rank[i] = none && !mk_random(seed, 4) ? RANK_NONE
		                                         : (uint8_t)mk_random(seed, kinds);
}

/* Of every channel that leads to a switch some of those that lead on from there. */
static void mk_dependencies(struct graph *g, uint64_t *seed)
{
	struct channels *ch = &g->ch;
	unsigned int some = 1 + mk_random(seed, 12);

	*ch = (struct channels){ .p = &g->p, .lanes = mk_random(seed, 8) ? 1 : LANES };
	ch->words = ((size_t)(g->p.width - 1) * ch->lanes + 63) / 64;
	ch->count = (size_t)g->p.n * g->p.width * ch->lanes;
	ch->sets = arena_array(g->arena, ch->count, ch->words * sizeof(*ch->sets));
	for (uint32_t from = 0; from < ch->count; from++) {
		uint32_t at = g->p.next_hop[from / ch->lanes] >> 8;

		if (is_free(g, from / ch->lanes))
			continue;
		for (uint32_t bit = 0; bit < (g->p.width - 1) * ch->lanes; bit++)
			if (!is_free(g, at * g->p.width + 1 + bit / ch->lanes) &&
			    !mk_random(seed, some * ch->lanes))
				channels_put(ch, from, bit);
	}
}

static bool waits_for(const struct graph *g, uint32_t from, uint32_t to)
{
	const struct channels *ch = &g->ch;
	uint32_t at = g->p.next_hop[from / ch->lanes] >> 8;
	size_t bit = to - channel_at(ch, at, 1, 0);

	return !is_free(g, from / ch->lanes) && to / ch->lanes / g->p.width == at &&
	       to / ch->lanes % g->p.width && ch->sets[from * ch->words + bit / 64] >> bit % 64 & 1;
}

static void find_distances(struct graph *g, uint32_t from)
{
	uint16_t *distance = g->distance[from];
	uint32_t queue[CHANNELS + 1], head = 0, tail = 1;

	queue[0] = from;
	memset(distance, 0, sizeof(g->distance[from]));
	for (; head < tail; head++)
		for (uint32_t to = 0; to < g->ch.count; to++) {
			if (distance[to] || !waits_for(g, queue[head], to))
				continue;
			distance[to] = head ? distance[queue[head]] + 1 : 1;
			if (to != from)
				queue[tail++] = to;
		}
}

/* Of the component of a channel: its channels, those told before, and of a shortest ring... */
struct expected {
	size_t members, told, shortest;
	uint32_t lowest; /* ... the first channel */
	bool is_first;   /* and the channel is the first of all */
};

static struct expected look_from(const struct graph *g, uint32_t from, const uint8_t *told)
{
	struct expected e = { .shortest = SIZE_MAX, .is_first = true };

	for (uint32_t i = 0; i < g->ch.count; i++) {
		if (!g->distance[from][i] || !g->distance[i][from])
			continue;
		e.is_first &= i >= from;
		e.members++;
		e.told += told[i];
		if (g->distance[i][i] >= e.shortest)
			continue;
		e.shortest = g->distance[i][i];
		e.lowest = i;
	}
	return e;
}

static void expect_ring(const struct graph *g, const struct ring *ring, struct expected e)
{
	assert_int_equal(ring->members, e.members);
	assert_int_equal(ring->num, e.shortest);
	assert_int_equal(ring->channels[0], e.lowest);
	for (size_t i = 0; i < ring->num; i++)
		assert_true(waits_for(g, ring->channels[i], ring->channels[(i + 1) % ring->num]));
}

/* How many rings there are. */
static size_t expect_rings(struct graph *g, uint8_t *told)
{
	uint8_t before[CHANNELS];
	struct ring *rings;
	size_t n, found = 0;

	memcpy(before, told, g->ch.count);
	for (uint32_t i = 0; i < g->ch.count; i++)
		find_distances(g, i);
	n = cycles_find(&g->ch, told, g->arena, &rings);
	for (uint32_t i = 0; i < g->ch.count; i++) {
		struct expected e = look_from(g, i, before);

		assert_int_equal(told[i], before[i] || e.members);
		if (e.members && e.is_first && !e.told)
			expect_ring(g, &rings[found++], e);
	}
	assert_int_equal(found, n);
	return n;
}

static void rings_are_those_of_a_naive_look_whatever_the_ranks(void **state)
{
	struct graph *g = calloc(1, sizeof(*g));
	size_t with = 0, without = 0, long_ones = 0;
	uint64_t seed = 7;

	(void)state;
	assert_non_null(g);
	for (unsigned int i = 0; i < 2000; i++) {
		uint8_t told[CHANNELS] = { 0 };
		size_t n;

		g->arena = arena_new();
		mk_cables(g, &seed);
		mk_dependencies(g, &seed);
		if (!mk_random(&seed, 4))
			told[mk_random(&seed, (unsigned int)g->ch.count)] = 1;
		n = expect_rings(g, told);
		with += n > 0;
		without += n == 0;
		for (uint32_t c = 0; c < g->ch.count; c++)
			long_ones += g->distance[c][c] > 5;
		arena_free(g->arena);
	}
	assert_true(with > 100 && without > 100 && long_ones > 100);
	free(g);
}

/* Switches' own traffic makes one component, which is not searched through from every channel. */
static void the_ring_of_a_large_tree_is_the_shortest(void **state)
{
	const char *spec = "synth:fattree:levels=3,pods=18,leaves=18,spines=18,uplinks=18,hosts=18";
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;
	struct ibc_routes_opts analysis = { .threads = 2 };
	const struct ibc_credit_loop *loop;
	struct ibc_routes *routes;
	struct ibc_fabric *fab;

	(void)state;
	opts.needs = ibc_attrs_of_group(IBC_ATTRS_ROUTES);
	assert_int_equal(ibc_fabric_load(&spec, 1, &opts, &fab, NULL), 0);
	assert_int_equal(ibc_routes_analyze(fab, &analysis, &routes, NULL), 0);
	loop = ibc_routes_credit_loop(routes, 0);
	assert_non_null(loop);
	assert_int_equal(loop->cause, IBC_LOOP_SWITCH_PORTS);
	assert_int_equal(loop->num_hops, 4);
	assert_null(ibc_routes_credit_loop(routes, 1));
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rings_are_those_of_a_naive_look_whatever_the_ranks),
		cmocka_unit_test(the_ring_of_a_large_tree_is_the_shortest),
	};

	return cmocka_run_group_tests_name("cycles", tests, NULL, NULL);
}
