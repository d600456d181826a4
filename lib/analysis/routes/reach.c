/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who reaches whom: the ways of all senders to each LID of a host, see walk.h.
 * O(LIDs x switches that somebody sends through), shared by threads by destination switch.
 */
#include <stdlib.h>

#include "analysis/routes/channels.h"
#include "analysis/routes/faults.h"
#include "analysis/routes/parallel.h"
#include "analysis/routes/switch_traffic.h"
#include "analysis/routes/walk.h"
#include "base/arena.h"
#include "base/array.h"
#include "fabric/fabric.h"

/* struct route_detour - see struct ibc_longer_routes; to the switch that is looked at */
struct route_detour {
	const struct route_dest *dest; /* the first of those with most hops */
	uint32_t hops;
	uint64_t pairs;
};

/* struct longest - a way of most hops, the first by destination */
struct longest {
	uint32_t hops, from;
	const struct route_dest *to;
};

/*
 * struct reach_tally - what one thread found
 * @carried: see struct walk
 * @detours: by place among the senders
 * @longer, @room: found so far, in an array of that size
 */
struct reach_tally {
	struct arena *a;
	struct walk walk;
	struct switch_traffic switch_traffic;
	uint32_t *carried;
	struct faults faults;
	uint64_t pairs, routed, broken, unknown, hops, longer_pairs;
	struct longest longest;
	struct route_detour *detours;
	struct ibc_longer_routes *longer;
	size_t num_longer, room;
	bool failed;
};

/* first: by column, its first destination */
struct reach {
	struct route_subnet *p;
	struct reach_tally *tallies;
	unsigned int threads;
	uint32_t *first;
};

/* ---- one destination ---------------------------------------------------------------- */

static void see_detour(struct reach_tally *t, uint32_t i, uint32_t hops, uint32_t pairs)
{
	struct route_detour *detour = &t->detours[i];

	detour->pairs += pairs;
	t->longer_pairs += pairs;
	if (hops <= detour->hops)
		return;
	detour->hops = hops;
	detour->dest = t->walk.dest;
}

/* How short ways from a column are, by column; NULL: it is not known. */
static const uint8_t *shortest_to(const struct route_subnet *p, uint32_t column)
{
	return p->shortest ? &p->shortest[(size_t)p->sender[column] * p->n] : NULL;
}

static void count_routes(struct reach_tally *t)
{
	const struct walk *w = &t->walk;
	const struct route_subnet *p = w->p;
	const uint8_t *shortest = shortest_to(p, w->dest->sw);

	for (uint32_t i = 0; i < p->num_senders; i++) {
		uint32_t s = p->senders[i], n = walk_senders(w, s), route = w->route[s];

		t->pairs += n;
		if (!n || route >= ROUTE_END)
			continue;
		t->routed += n;
		t->hops += (uint64_t)n * route;
		if (route > t->longest.hops)
			t->longest = (struct longest){ route, s, w->dest };
		if (shortest && route > shortest[s])
			see_detour(t, i, route, n);
	}
}

static void take_destination(struct reach_tally *t, const struct route_dest *dest)
{
	const struct route_subnet *p = t->walk.p;

	walk_to(&t->walk, dest);
	t->walk.carried = t->carried;
	/* the dependencies of other hosts come in a layer of their own */
	t->walk.channels = p->hosts[dest->host].leaf && p->channels->plain ? p->channels : NULL;
	walk_hosts(&t->walk, 0, p->leaf_senders);
	t->walk.channels = NULL;
	walk_hosts(&t->walk, p->leaf_senders, p->num_senders);
	count_routes(t);
	if (t->walk.num_ends && !faults_count(&t->faults, &t->walk, &t->broken, &t->unknown))
		t->failed = true;
	t->walk.carried = NULL;
	if (p->channels->switch_traffic)
		switch_traffic_take(&t->switch_traffic, &t->walk);
}

/* ---- one switch --------------------------------------------------------------------- */

static bool put_longer(struct reach_tally *t, uint32_t from, uint32_t to,
                       const struct route_detour *detour)
{
	const struct route_subnet *p = t->walk.p;

	if (!grow(&t->longer, t->num_longer, &t->room, sizeof(*t->longer)))
		return false;
	t->longer[t->num_longer++] = (struct ibc_longer_routes){
		.from = p->lft->switches[from],
		.to = p->lft->switches[to],
		.src = walk_first_sender(p, from, detour->dest),
		.dst = p->hosts[detour->dest->host].port,
		.hops = detour->hops,
		.shortest = shortest_to(p, to)[from],
		.pairs = detour->pairs,
	};
	return true;
}

static void take_detours(struct reach_tally *t, uint32_t to)
{
	const struct route_subnet *p = t->walk.p;

	for (uint32_t i = 0; i < p->num_senders; i++) {
		if (t->detours[i].pairs && !put_longer(t, p->senders[i], to, &t->detours[i]))
			t->failed = true;
		t->detours[i] = (struct route_detour){ 0 };
	}
}

static void take_switch(void *ctx, unsigned int thread, size_t item)
{
	struct reach *r = ctx;
	struct reach_tally *t = &r->tallies[thread];
	uint32_t column = (uint32_t)item;
	uint64_t before = t->longer_pairs;

	for (uint32_t i = r->first[column]; i < r->first[column + 1] && !t->failed; i++)
		take_destination(t, &r->p->dests[i]);
	if (t->longer_pairs > before)
		take_detours(t, column);
}

/* ---- all ---------------------------------------------------------------------------- */

static bool start_reach(struct reach *r, struct arena *a)
{
	struct route_subnet *p = r->p;
	size_t cells = (size_t)p->n * p->width + 1;

	r->first = arena_array(a, p->n + 1u, sizeof(*r->first));
	r->tallies = arena_array(a, r->threads, sizeof(*r->tallies));
	if (!r->first || !r->tallies)
		return false;
	for (size_t i = 0; i < p->host_dests; i++)
		r->first[p->dests[i].sw + 1]++;
	for (uint32_t s = 0; s < p->n; s++)
		r->first[s + 1] += r->first[s];
	for (unsigned int i = 0; i < r->threads; i++) {
		struct reach_tally *t = &r->tallies[i];

		t->a = t->faults.a = arena_new();
		if (!t->a || !walk_new(&t->walk, p, t->a) ||
		    !switch_traffic_new(&t->switch_traffic, p, t->a))
			return false;
		t->carried = arena_array(i ? t->a : p->routes->arena, cells, sizeof(*t->carried));
		t->detours = arena_array(t->a, p->num_senders + 1u, sizeof(*t->detours));
		if (!t->carried || !t->detours)
			return false;
	}
	return true;
}

static bool add_tally(struct reach_tally *sum, const struct reach_tally *t)
{
	const struct route_subnet *p = sum->walk.p;

	sum->pairs += t->pairs;
	sum->routed += t->routed;
	sum->broken += t->broken;
	sum->unknown += t->unknown;
	sum->hops += t->hops;
	sum->longer_pairs += t->longer_pairs;
	sum->failed |= t->failed;
	if (t->longest.hops > sum->longest.hops ||
	    (t->longest.hops == sum->longest.hops && t->longest.to < sum->longest.to))
		sum->longest = t->longest;
	for (size_t i = 0; i < (size_t)p->n * p->width; i++)
		sum->carried[i] += t->carried[i];
	return faults_merge(&sum->faults, &t->faults, p);
}

static int by_ends(const void *va, const void *vz)
{
	const struct ibc_longer_routes *a = va, *z = vz;

	return order_u64(node_order(a->from), node_order(z->from))
	           ?: order_u64(node_order(a->to), node_order(z->to));
}

static bool report_longer(struct reach *r)
{
	struct route_subnet *p = r->p;
	size_t n = 0;

	for (unsigned int i = 0; i < r->threads; i++)
		n += r->tallies[i].num_longer;
	p->longer = arena_array(p->routes->arena, n + 1, sizeof(*p->longer));
	if (!p->longer)
		return false;
	for (unsigned int i = 0; i < r->threads; i++)
		for (size_t k = 0; k < r->tallies[i].num_longer; k++)
			p->longer[p->num_longer++] = r->tallies[i].longer[k];
	qsort(p->longer, n, sizeof(*p->longer), by_ends);
	return true;
}

static bool report_reach(struct reach *r)
{
	struct route_subnet *p = r->p;
	struct reach_tally *sum = &r->tallies[0];

	for (unsigned int i = 1; i < r->threads; i++)
		if (!add_tally(sum, &r->tallies[i]))
			return false;
	if (sum->failed)
		return false;
	p->carried = sum->carried;
	p->sums.pairs = sum->pairs;
	p->sums.routed = sum->routed;
	p->sums.broken = sum->broken;
	p->sums.unknown = sum->unknown;
	p->sums.longer = sum->longer_pairs;
	p->sums.hops_mean = sum->routed ? (double)sum->hops / (double)sum->routed : 0;
	p->sums.hops_longest = sum->longest.hops;
	if (sum->longest.hops) {
		p->sums.longest_src = walk_first_sender(p, sum->longest.from, sum->longest.to);
		p->sums.longest_dst = p->hosts[sum->longest.to->host].port;
	}
	return report_longer(r) && faults_write(&sum->faults, p);
}

static void end_reach(struct reach *r)
{
	for (unsigned int i = 0; r->tallies && i < r->threads; i++) {
		faults_free(&r->tallies[i].faults);
		free(r->tallies[i].longer);
		arena_free(r->tallies[i].a);
	}
}

bool routes_walk(struct route_subnet *p)
{
	struct reach r = { .p = p };
	struct parallel job = { .run = take_switch, .ctx = &r, .items = p->n };
	bool done;

	r.threads = parallel_threads(p->routes->opts.threads, p->num_senders);
	done = start_reach(&r, p->tmp);
	if (done) {
		parallel_run(&job, r.threads);
		done = report_reach(&r);
	}
	end_reach(&r);
	return done;
}
