/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who reaches whom: the routes of all senders to each LID of a host, see walk.h; and where those
 * end that do not arrive.  O(LIDs x switches that hosts send through), shared by threads by
 * destination switch.
 */
#include <stdlib.h>

#include "analysis/routes/channels.h"
#include "analysis/routes/switch_traffic.h"
#include "analysis/routes/walk.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"
#include "fabric/fabric.h"

/* the hash table is memory of the arena too, which has an escape */
#undef uthash_malloc
#undef uthash_free
#define uthash_malloc(size)  arena_alloc(t->a, size)
#define uthash_free(p, size) ((void)(p))

/* Where there is no entry the port says why. */
struct fault_key {
	uint32_t end, at, port;
};
#define NONE_HERE 0 /* the switch has no entry for it */
#define ONLY_OWN  1 /* but the switch itself has one */
#define CUT_OFF   2 /* no cable leads there; at: the part */

/*
 * struct fault - see struct ibc_route_fault
 * @first, @sender: the first pair: the destination, and the column of who sends
 * @last: the destination that came last
 * @whole, @part: by place among the senders: that all hosts of that column send to a
 *	destination of it, or all but one, @own, which is the destination itself
 */
struct fault {
	struct fault_key key;
	UT_hash_handle hh;
	const struct route_dest *first, *last;
	uint32_t sender, own;
	size_t dsts;
	uint64_t pairs;
	uint64_t *whole, *part;
};

/* struct route_detour - see struct ibc_longer_routes; to the switch that is looked at */
struct route_detour {
	const struct route_dest *dest; /* the first of those with most hops */
	uint32_t hops;
	uint64_t pairs;
};

/* struct longest - a route of most hops, the first by destination */
struct longest {
	uint32_t hops, from;
	const struct route_dest *to;
};

/*
 * struct reach_tally - what one thread found
 * @carried: see struct walk
 * @faults: hashed; of destinations that come in order, all those on one switch in the same thread
 * @detours: by place among the senders
 * @longer, @room: found so far, in an array of that size
 */
struct reach_tally {
	struct arena *a;
	struct walk walk;
	struct switch_traffic switch_traffic;
	uint32_t *carried;
	struct fault *faults;
	uint64_t pairs, routed, broken, unknown, hops, longer_pairs;
	struct longest longest;
	struct route_detour *detours;
	struct ibc_longer_routes *longer;
	size_t num_longer, room;
};

/* first: by column, its first destination */
struct reach {
	struct route_subnet *p;
	struct reach_tally *tallies;
	const uint32_t *first;
};

/* ---- what does not arrive ----------------------------------------------------------- */

static size_t sender_words(const struct route_subnet *p)
{
	return p->num_senders / 64 + 1;
}

static struct fault *find_fault(struct reach_tally *t, struct fault_key key)
{
	struct fault *fault;

	HASH_FIND(hh, t->faults, &key, sizeof(key), fault);
	if (fault)
		return fault;
	fault = arena_alloc(t->a, sizeof(*fault));
	fault->key = key;
	fault->whole = arena_array(t->a, sender_words(t->walk.p), sizeof(*fault->whole));
	fault->part = arena_array(t->a, sender_words(t->walk.p), sizeof(*fault->part));
	HASH_ADD(hh, t->faults, key, sizeof(key), fault);
	return fault;
}

/* Of two parts that no cable joins, the one with fewer hosts. */
static uint32_t smaller_part(const struct route_subnet *p, uint32_t a, uint32_t z)
{
	uint32_t i = p->part[a], k = p->part[z];

	if (p->parts[i].hosts == p->parts[k].hosts)
		return i > k ? i : k;
	return p->parts[i].hosts < p->parts[k].hosts ? i : k;
}

/* What one thing explains is a fault of that, once, and not of each switch. */
static void blame_no_entry(struct walk *w)
{
	const struct route_subnet *p = w->p;
	uint32_t own = w->dest->sw;
	bool nowhere = true; /* no host can send to what no switch, but its own, has an entry for */

	for (uint32_t s = 0; s < p->n && nowhere; s++)
		nowhere = w->row[s] == IBC_NO_ENTRY || s == own;
	for (uint32_t i = 1; i <= w->num_ends; i++) {
		struct route_end *end = &w->ends[i];

		if (end->end != IBC_ROUTE_NO_ENTRY)
			continue;
		/* what lies beyond a silent port may be a cable */
		if (p->part[end->at] != p->part[own] && !p->silent) {
			end->at = smaller_part(p, end->at, own);
			end->port = CUT_OFF;
		} else if (nowhere) {
			end->at = own;
			end->port = w->row[own] != IBC_NO_ENTRY ? ONLY_OWN : NONE_HERE;
		}
	}
}

static struct fault *fault_of(struct reach_tally *t, struct route_end *end, uint32_t sender)
{
	const struct route_dest *dest = t->walk.dest;

	if (end->fault)
		return end->fault;
	end->fault = find_fault(
	    t, (struct fault_key){ .end = end->end, .at = end->at, .port = end->port });
	if (!end->fault->first) {
		end->fault->first = dest;
		end->fault->sender = sender;
	}
	end->fault->dsts += end->fault->last != dest;
	end->fault->last = dest;
	return end->fault;
}

static void count_faults(struct reach_tally *t)
{
	struct walk *w = &t->walk;
	const struct route_subnet *p = w->p;

	blame_no_entry(w);
	for (uint32_t i = 0; i < p->num_senders; i++) {
		uint32_t s = p->senders[i], route = w->route[s], n = walk_senders(w, s);
		uint64_t bit = 1ull << i % 64;
		struct fault *fault;

		if (route < ROUTE_END || !n)
			continue;
		fault = fault_of(t, walk_end(w, route), s);
		fault->pairs += n;
		*(fault->key.end == IBC_ROUTE_UNKNOWN ? &t->unknown : &t->broken) += n;
		if (s != w->dest->sw ||
		    (fault->part[i / 64] & bit && fault->own != w->dest->host)) {
			fault->whole[i / 64] |= bit;
			continue;
		}
		fault->part[i / 64] |= bit;
		fault->own = w->dest->host;
	}
}

static int by_fault_key(const struct fault *a, const struct fault *z)
{
	return order_u64(a->key.end, z->key.end)
	           ?: (order_u64(a->key.at, z->key.at) ?: order_u64(a->key.port, z->key.port));
}

static void report_faults(struct route_subnet *p, struct reach_tally *t)
{
	HASH_SORT(t->faults, by_fault_key);
	p->faults = arena_array(p->routes->arena, HASH_COUNT(t->faults) + 1, sizeof(*p->faults));
	for (struct fault *fault = t->faults; fault; fault = fault->hh.next) {
		bool none = fault->key.end == IBC_ROUTE_NO_ENTRY;
		bool cut = none && fault->key.port == CUT_OFF;
		size_t srcs = 0;

		for (uint32_t i = 0; i < p->num_senders; i++) {
			if (fault->whole[i / 64] >> i % 64 & 1)
				srcs += route_hosts(p, p->senders[i]);
			else if (fault->part[i / 64] >> i % 64 & 1)
				srcs += route_hosts(p, p->senders[i]) - 1;
		}
		p->faults[p->num_faults++] = (struct ibc_route_fault){
			.end = fault->key.end,
			.at = p->lft->switches[fault->key.at],
			.port = none ? 0 : fault->key.port,
			.only_own = none && fault->key.port == ONLY_OWN,
			.cut_switches = cut ? p->parts[fault->key.at].switches : 0,
			.cut_hosts = cut ? p->parts[fault->key.at].hosts : 0,
			.src = walk_first_sender(p, fault->sender, fault->first),
			.dst = p->hosts[fault->first->host].port,
			.dlid = fault->first->lid,
			.srcs = srcs,
			.dsts = fault->dsts,
			.pairs = fault->pairs,
		};
	}
}

/* ---- one destination ---------------------------------------------------------------- */

/* How short routes from a column are, by column; NULL: it is not known. */
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
		struct route_detour *detour = &t->detours[i];

		t->pairs += n;
		if (!n || route >= ROUTE_END)
			continue;
		t->routed += n;
		t->hops += (uint64_t)n * route;
		if (route > t->longest.hops)
			t->longest = (struct longest){ route, s, w->dest };
		if (!shortest || route <= shortest[s])
			continue;
		detour->pairs += n;
		t->longer_pairs += n;
		if (route <= detour->hops)
			continue;
		detour->hops = route;
		detour->dest = w->dest;
	}
}

static void take_switch(void *ctx, unsigned int thread, size_t item)
{
	const struct reach *r = ctx;
	struct reach_tally *t = &r->tallies[thread];
	const struct route_subnet *p = r->p;
	uint64_t before = t->longer_pairs;

	for (uint32_t i = r->first[item]; i < r->first[item + 1]; i++) {
		struct walk *w = &t->walk;

		walk_to(w, &p->dests[i]);
		w->carried = t->carried;
		/* the dependencies of other hosts come in a layer of their own */
		w->channels = p->hosts[w->dest->host].leaf && p->channels->plain ? p->channels
		                                                                 : NULL;
		walk_hosts(w, 0, p->leaf_senders);
		w->channels = NULL;
		walk_hosts(w, p->leaf_senders, p->num_senders);
		count_routes(t);
		if (w->num_ends)
			count_faults(t);
		w->carried = NULL;
		if (p->channels->switch_traffic)
			switch_traffic_take(&t->switch_traffic, w);
	}
	for (uint32_t i = 0; t->longer_pairs > before && i < p->num_senders; i++) {
		const struct route_detour detour = t->detours[i];
		uint32_t from = p->senders[i];

		if (!detour.pairs)
			continue;
		t->detours[i] = (struct route_detour){ 0 };
		arena_grow(t->a, &t->longer, t->num_longer, &t->room, sizeof(*t->longer));
		t->longer[t->num_longer++] = (struct ibc_longer_routes){
			.from = p->lft->switches[from],
			.to = p->lft->switches[item],
			.src = walk_first_sender(p, from, detour.dest),
			.dst = p->hosts[detour.dest->host].port,
			.hops = detour.hops,
			.shortest = shortest_to(p, (uint32_t)item)[from],
			.pairs = detour.pairs,
		};
	}
}

/* ---- all ---------------------------------------------------------------------------- */

static void add_tally(struct reach_tally *sum, const struct reach_tally *t)
{
	const struct route_subnet *p = sum->walk.p;

	sum->pairs += t->pairs;
	sum->routed += t->routed;
	sum->broken += t->broken;
	sum->unknown += t->unknown;
	sum->hops += t->hops;
	sum->longer_pairs += t->longer_pairs;
	if (t->longest.hops > sum->longest.hops ||
	    (t->longest.hops == sum->longest.hops && t->longest.to < sum->longest.to))
		sum->longest = t->longest;
	for (size_t i = 0; i < (size_t)p->n * p->width; i++)
		sum->carried[i] += t->carried[i];
	for (const struct fault *from = t->faults; from; from = from->hh.next) {
		struct fault *fault = find_fault(sum, from->key);

		if (!fault->first || from->first < fault->first) {
			fault->first = from->first;
			fault->sender = from->sender;
		}
		fault->dsts += from->dsts;
		fault->pairs += from->pairs;
		for (size_t i = 0; i < sender_words(p); i++) {
			fault->whole[i] |= from->whole[i];
			fault->part[i] |= from->part[i];
		}
	}
}

static int by_ends(const void *va, const void *vz)
{
	const struct ibc_longer_routes *a = va, *z = vz;

	return order_u64(node_order(a->from), node_order(z->from))
	           ?: order_u64(node_order(a->to), node_order(z->to));
}

static void report_longer(struct route_subnet *p, const struct reach_tally *tallies,
                          unsigned int threads)
{
	size_t n = 0;

	for (unsigned int i = 0; i < threads; i++)
		n += tallies[i].num_longer;
	p->longer = arena_array(p->routes->arena, n + 1, sizeof(*p->longer));
	for (unsigned int i = 0; i < threads; i++)
		for (size_t k = 0; k < tallies[i].num_longer; k++)
			p->longer[p->num_longer++] = tallies[i].longer[k];
	qsort(p->longer, n, sizeof(*p->longer), by_ends);
}

void routes_walk(struct route_subnet *p)
{
	struct reach r = { .p = p, .first = routes_first_dests(p) };
	struct parallel job = { take_switch, &r, p->n, p->routes->workers };
	unsigned int threads = parallel_threads(p->routes->opts.threads, p->num_senders);
	size_t cells = (size_t)p->n * p->width + 1;
	struct reach_tally *sum;

	r.tallies = sum = arena_array(p->tmp, threads, sizeof(*r.tallies));
	for (unsigned int i = 0; i < threads; i++) {
		struct reach_tally *t = &r.tallies[i];

		t->a = routes_worker(p->routes, i);
		walk_new(&t->walk, p, t->a);
		switch_traffic_new(&t->switch_traffic, p, t->a);
		t->carried = arena_array(i ? t->a : p->routes->arena, cells, sizeof(*t->carried));
		t->detours = arena_array(t->a, p->num_senders + 1u, sizeof(*t->detours));
	}
	routes_parallel(p, &job, threads);
	for (unsigned int i = 1; i < threads; i++)
		add_tally(sum, &r.tallies[i]);
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
	report_longer(p, r.tallies, threads);
	report_faults(p, sum);
}
