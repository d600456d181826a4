/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who measures with whom.  Rounds are those of a round-robin tournament over the hosts in a
 * random order (the circle method: one stays, the others go round), which of all rounds makes
 * n - 1 without any pair twice; with an odd number the one that stays is a gap, so another
 * host rests in each.  O(tests).
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/perf/schedule.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"

#define ROUNDS  3                     /* of 1 % bad hosts none accuses an innocent: 0.01^3 n */
#define CLIENTS 4                     /* of a server: a guess, enough to fill its link */
#define GOLDEN  0x9e3779b97f4a7c15ull /* the step of splitmix64 */

/* Below n, which is far from 2^64: all are as likely. */
static size_t throw_dice(struct schedule *s, size_t n)
{
	return hash_mix(hash_mix(s->opts->seed) + ++s->thrown * GOLDEN) % n;
}

static void shuffle(struct schedule *s)
{
	for (size_t i = s->n; i > 1; i--) {
		size_t j = throw_dice(s, i), held = s->order[i - 1];

		s->order[i - 1] = s->order[j];
		s->order[j] = held;
	}
}

/* Rails one after the other are as many rounds. */
static void add_test(struct schedule *s, unsigned int round, size_t server, size_t client)
{
	unsigned int rails = s->opts->rails;

	if (!rails)
		schedule_add(s, round, server, client, IBC_PERF_ALL_RAILS, IBC_PERF_ALL_RAILS);
	for (unsigned int rail = 0; rail < rails; rail++)
		schedule_add(s, (round - 1) * rails + rail + 1, server, client, (int)rail,
		             (int)rail);
}

/* The lower one serves. */
static void add_pair(struct schedule *s, unsigned int round, size_t a, size_t z)
{
	add_test(s, round, a < z ? a : z, a < z ? z : a);
}

/* ---- a tournament -------------------------------------------------------------------- */

/* Rounds without a pair twice. */
static size_t rounds_of(size_t n)
{
	return n < 2 ? 0 : n % 2 ? n : n - 1;
}

/* Who meets whom in pair k of a round, by place; false: one of them is the gap. */
static bool pair_of(size_t n, size_t round, size_t k, size_t *a, size_t *z)
{
	size_t circle = rounds_of(n);

	*a = (round + k) % circle;
	*z = k ? (round + circle - k) % circle : circle;
	return *z < n;
}

static void add_rounds(struct schedule *s, const size_t *order, size_t n, unsigned int first,
                       size_t rounds)
{
	size_t a, z;

	for (size_t r = 0; r < rounds; r++)
		for (size_t k = 0; k < (n + 1) / 2; k++)
			if (pair_of(n, r, k, &a, &z))
				add_pair(s, first + (unsigned int)r, order[a], order[z]);
}

/* ---- modes ---------------------------------------------------------------------------- */

/* Behind the last round of a tournament a new one begins. */
void plan_random(struct schedule *s)
{
	size_t all = rounds_of(s->n), left = s->opts->rounds;

	if (!left)
		left = all < ROUNDS ? all : ROUNDS;
	for (unsigned int first = 1; left; first += (unsigned int)all) {
		size_t rounds = left < all ? left : all;

		shuffle(s);
		if (first > 1)
			s->public.repeats += rounds * (s->n / 2);
		add_rounds(s, s->order, s->n, first, rounds);
		left -= rounds;
	}
}

/* struct placed - a host and its leaf */
struct placed {
	const struct ibc_node *leaf;
	size_t host;
};

static int by_leaf(const void *va, const void *vz)
{
	const struct placed *a = va, *z = vz;
	uint64_t x = a->leaf ? a->leaf->guid : 0, y = z->leaf ? z->leaf->guid : 0;

	return order_u64(x, y) ?: order_u64(a->host, z->host);
}

/* Of a fabric those of each leaf. */
void plan_circle(struct schedule *s)
{
	const struct ibc_fabric_host **hosts;
	struct placed *placed = arena_array(s->arena, s->n, sizeof(*placed));
	const struct ibc_port *p;

	if (!s->opts->fab) {
		add_rounds(s, s->order, s->n, 1, rounds_of(s->n));
		return;
	}
	hosts = schedule_hosts(s);
	/* the leaf of its first cable to a switch: hosts of one leaf share those of other rails,
	 * too */
	for (size_t i = 0; i < s->n; i++) {
		placed[i].host = i;
		for (size_t k = 0; !placed[i].leaf && k < hosts[i]->num_nodes; k++)
			for (unsigned int num = 1; (p = ibc_node_port(hosts[i]->nodes[k], num));
			     num++)
				if (!placed[i].leaf && p->peer &&
				    p->peer->node->type == IBC_NODE_SWITCH)
					placed[i].leaf = p->peer->node;
	}
	qsort(placed, s->n, sizeof(*placed), by_leaf);
	for (size_t i = 0, end; i < s->n; i = end) {
		for (end = i; end < s->n && placed[end].leaf == placed[i].leaf; end++)
			s->order[end] = placed[end].host;
		if (placed[i].leaf)
			add_rounds(s, &s->order[i], end - i, 1, rounds_of(end - i));
	}
}

/* Of an odd number the last cable of the ring needs a round of its own. */
void plan_ring(struct schedule *s)
{
	size_t n = s->n;

	for (size_t i = 0; i < (n == 2 ? 1 : n); i++)
		add_pair(s, i == n - 1 && n % 2 ? 3 : 1 + i % 2, s->order[i],
		         s->order[(i + 1) % n]);
}

void plan_incast(struct schedule *s)
{
	unsigned int rounds = s->opts->rounds ? s->opts->rounds : ROUNDS;

	for (unsigned int r = 1; r <= rounds; r++) {
		shuffle(s);
		for (size_t i = 0; i < s->n; i++)
			if (i % (1 + CLIENTS))
				add_test(s, r, s->order[i - i % (1 + CLIENTS)], s->order[i]);
	}
}

/* The tournament is that of the HCAs, in each host the same. */
void plan_self(struct schedule *s)
{
	size_t rails = s->opts->rails, all = rounds_of(rails), a, z;
	size_t rounds = s->opts->rounds ? s->opts->rounds : ROUNDS;

	for (size_t r = 0; r < rounds && r < all; r++)
		for (size_t k = 0; k < (rails + 1) / 2; k++)
			for (size_t i = 0; pair_of(rails, r, k, &a, &z) && i < s->n; i++)
				schedule_add(s, (unsigned int)r + 1, i, i, (int)(a < z ? a : z),
				             (int)(a < z ? z : a));
}
