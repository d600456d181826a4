/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What becomes of packets by all choices that switches have, from all senders to each LID of a
 * host.  O(LIDs x switches) to see which entries differ, and O(choices) for each switch that has
 * hosts, shared by threads by destination switch as reach.c does.
 *
 * Faults are the places where some choice ends, and rings of choices, or that a choice leads into.
 * What static ports alone do is reported of the static tables.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/routes/channels.h"
#include "analysis/routes/choices.h"
#include "analysis/routes/parallel.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"

/* the hash table is memory of the arena too, which has an escape */
#undef uthash_malloc
#undef uthash_free
#define uthash_malloc(size)  arena_alloc(f->a, size)
#define uthash_free(p, size) ((void)(p))

/* Of a ring: end IBC_ROUTE_LOOP, and its lowest switch. */
struct ar_fault_key {
	uint32_t end, at, port;
};

/*
 * struct ar_fault
 * @first, @sender: the first pair: the destination, and the column of who sends
 * @last: the destination that came last
 * @by_column, @by_port: one of the choices that lead there
 * @ring, @num_ring: of a loop: columns and ports, one after the other
 * @switches, @dlids, @pairs: see struct ibc_ar_loop
 */
struct ar_fault {
	struct ar_fault_key key;
	UT_hash_handle hh;
	const struct route_dest *first, *last;
	uint32_t sender, by_column, by_port, *ring;
	size_t num_ring, switches, dlids;
	uint64_t pairs;
};

/* struct ar_found - what one thread found; @beyond: of ar_channels_put() */
struct ar_found {
	struct choices c;
	struct arena *a;
	struct ibc_ar_sums sums;
	struct ar_fault *faults; /* hashed */
	struct ibc_port_set *beyond;
};

/* first: by column, its first destination */
struct following {
	struct route_subnet *p;
	struct ar_found *found;
	const uint32_t *first;
};

static struct ar_fault *find_fault(struct ar_found *f, struct ar_fault_key key)
{
	struct ar_fault *fault;

	HASH_FIND(hh, f->faults, &key, sizeof(key), fault);
	if (fault)
		return fault;
	fault = arena_alloc(f->a, sizeof(*fault));
	fault->key = key;
	HASH_ADD(hh, f->faults, key, sizeof(key), fault);
	return fault;
}

/* So many LIDs share what was followed; whose packets may come to that switch is added. */
static struct ar_fault *put_fault(struct ar_found *f, struct ar_fault_key key, size_t lids)
{
	struct ar_fault *fault = find_fault(f, key);
	const struct route_subnet *p = f->c.p;
	uint8_t *passes = f->c.scratch;

	if (fault->last == f->c.dest)
		return fault;
	fault->last = f->c.dest;
	fault->dlids += lids;
	choices_passing(&f->c, key.at, passes);
	for (uint32_t i = 0; i < p->num_senders; i++) {
		uint32_t s = p->senders[i], n = route_hosts(p, s) - (s == f->c.dest->sw);

		if (!passes[s] || !n)
			continue;
		if (!fault->first) {
			fault->first = f->c.dest;
			fault->sender = s;
		}
		fault->pairs += lids * n;
	}
	return fault;
}

/* ---- choices that end ----------------------------------------------------------------- */

/* Where what a switch sends by a port ends. */
static struct ar_fault_key end_of_route(const struct choices *c, uint32_t s, unsigned int port)
{
	uint32_t next_hop = choice_hop(c->p, s, port);

	/* all of them end: any will do; a ring would have another fate */
	while (next_hop < HOP_SPECIAL) {
		struct ibc_port_set set;
		unsigned int at = 0;

		s = next_hop >> 8;
		/* those that are down are passed over, if it has others */
		set = c->links[s];
		if (!ports_any(&set))
			set = choices_astray(c, s);
		if (!ports_any(&set))
			set = choices_of(c, s);
		if (!ports_next(&set, &at, &port))
			return (struct ar_fault_key){ IBC_ROUTE_NO_ENTRY, s, 0 };
		next_hop = choice_hop(c->p, s, port);
	}
	if (next_hop == HOP_DOWN)
		return (struct ar_fault_key){ IBC_ROUTE_DOWN, s, port };
	return (struct ar_fault_key){ next_hop == HOP_NO_PORT ? IBC_ROUTE_NO_PORT
		                                              : IBC_ROUTE_ELSEWHERE,
		                      s, port };
}

/* Of a switch that has better choices.  One that has a single port does as the static tables. */
static void count_ends(struct ar_found *f, uint32_t s, size_t lids)
{
	const struct choices *c = &f->c;
	struct ibc_port_set ends = choices_astray(c, s);
	unsigned int at = 0, port;

	if (!choices_group(c, s) || !(c->fate[s] & FATE_ARRIVES))
		return;
	for (unsigned int i = 0; i < SET_WORDS; i++)
		ends.words[i] |= c->links[s].words[i];
	while (ports_next(&ends, &at, &port)) {
		uint32_t next_hop = choice_hop(c->p, s, port);
		struct ar_fault *fault;

		if (next_hop == HOP_UNKNOWN ||
		    (next_hop < HOP_SPECIAL && c->fate[next_hop >> 8] != FATE_DEAD))
			continue;
		fault = put_fault(f, end_of_route(c, s, port), lids);
		if (!fault->by_port) {
			fault->by_column = s;
			fault->by_port = port;
		}
	}
}

/* ---- rings ---------------------------------------------------------------------------- */

/* A shortest ring from a switch: breadth-first, by switches of the same ring, in order of ports. */
static void find_ring(struct ar_found *f, struct ar_fault *fault, uint32_t start)
{
	const struct choices *c = &f->c;
	uint32_t *queue = arena_array(f->a, c->p->n + 1u, sizeof(*queue));
	uint32_t *from = arena_array(f->a, c->p->n + 1u, sizeof(*from)); /* column << 8 | port */
	uint32_t back = 0;
	size_t n = 0;

	queue[n++] = start;
	for (size_t i = 0; i < n && !back; i++) {
		unsigned int at = 0, port;

		while (!back && ports_next(&c->links[queue[i]], &at, &port)) {
			uint32_t next = choice_next(c->p, queue[i], port);

			if (next == start)
				back = queue[i] << 8 | port;
			if (c->ring[next] != c->ring[start] || from[next] || next == start)
				continue;
			from[next] = queue[i] << 8 | port;
			queue[n++] = next;
		}
	}
	for (uint32_t at = back; at; at = from[at >> 8])
		fault->num_ring++;
	fault->ring = arena_array(f->a, fault->num_ring, sizeof(*fault->ring));
	n = fault->num_ring;
	for (uint32_t at = back; at; at = from[at >> 8])
		fault->ring[--n] = at;
}

/*
 * Does a choice of a switch that has better ones lead into it?  Switches come behind what they
 * lead to; but for those of other rings on the route, which are reported themselves.
 */
static bool is_entered(const struct choices *c, uint32_t ring)
{
	uint8_t *leads = c->scratch;

	memset(leads, 0, c->p->n);
	for (uint32_t i = 0; i < c->num_order; i++) {
		uint32_t s = c->order[i];
		unsigned int at = 0, port;

		leads[s] = c->ring[s] == ring;
		while (ports_next(&c->links[s], &at, &port)) {
			uint32_t next = choice_next(c->p, s, port);

			if (leads[next] && (c->fate[s] & ~c->fate[next] & FATE_ARRIVES))
				return true;
			leads[s] |= leads[next];
		}
	}
	return false;
}

static void count_ring(struct ar_found *f, uint32_t ring, size_t lids)
{
	const struct choices *c = &f->c;
	uint32_t first = c->ring_starts[ring], end = first, lowest = UINT32_MAX;
	bool has_choice = false;
	struct ar_fault *fault;

	for (; end < c->num_order && c->ring[c->order[end]] == ring; end++) {
		struct ibc_port_set set = choices_of(c, c->order[end]);

		has_choice |= ports_count(&set) > 1;
		if (c->order[end] < lowest)
			lowest = c->order[end];
	}
	if (!has_choice && !is_entered(c, ring))
		return;
	fault = put_fault(f, (struct ar_fault_key){ IBC_ROUTE_LOOP, lowest, 0 }, lids);
	if (end - first > fault->switches)
		fault->switches = end - first;
	if (!fault->ring)
		find_ring(f, fault, lowest);
}

/* ---- one destination switch ----------------------------------------------------------- */

/* What was followed is done with: so many LIDs had it. */
static void conclude(struct ar_found *f, size_t lids)
{
	const struct choices *c = &f->c;
	const struct route_subnet *p = c->p;
	uint8_t all = 0;

	for (uint32_t i = 0; lids && i < p->num_senders; i++) {
		uint32_t s = p->senders[i];
		uint64_t n = lids * (route_hosts(p, s) - (s == c->dest->sw));
		uint8_t fate = c->fate[s];

		all |= fate;
		f->sums.pairs += n;
		if (fate == FATE_ARRIVES)
			f->sums.arrive += n;
		else if (fate & FATE_UNKNOWN)
			f->sums.unknown += n;
		else if (fate & FATE_ARRIVES)
			f->sums.some += n;
		else
			f->sums.none += n;
	}
	if (!(all & (FATE_DEAD | FATE_RING)))
		return;
	for (uint32_t i = 0; i < c->num_order; i++)
		if (c->fate[c->order[i]] & FATE_DEAD)
			count_ends(f, c->order[i], lids);
	for (uint32_t i = 1; i <= c->num_rings; i++)
		count_ring(f, i, lids);
}

static void follow_switch(void *ctx, unsigned int thread, size_t item)
{
	const struct following *w = ctx;
	struct ar_found *f = &w->found[thread];
	const struct route_subnet *p = w->p;
	size_t lids = 0;

	for (uint32_t i = w->first[item]; i < w->first[item + 1]; i++, lids++) {
		if (choices_to(&f->c, &p->dests[i]) && lids)
			continue;
		conclude(f, lids);
		lids = 0;
		choices_follow(&f->c);
		if (p->channels->plain && p->hosts[f->c.dest->host].leaf)
			ar_channels_put(p->channels, &f->c, f->beyond, IBC_LOOP_HOSTS);
	}
	conclude(f, lids);
}

/* ---- all ------------------------------------------------------------------------------ */

static int by_key(const struct ar_fault *a, const struct ar_fault *z)
{
	return order_u64(a->key.end, z->key.end)
	           ?: (order_u64(a->key.at, z->key.at) ?: order_u64(a->key.port, z->key.port));
}

static void add_found(struct ar_found *sum, const struct ar_found *f)
{
	sum->sums.pairs += f->sums.pairs;
	sum->sums.arrive += f->sums.arrive;
	sum->sums.some += f->sums.some;
	sum->sums.none += f->sums.none;
	sum->sums.unknown += f->sums.unknown;
	for (const struct ar_fault *from = f->faults; from; from = from->hh.next) {
		struct ar_fault *fault = find_fault(sum, from->key);
		struct ar_fault both = !fault->first || from->first < fault->first ? *from : *fault;

		both.hh = fault->hh;
		both.dlids = fault->dlids + from->dlids;
		both.pairs = fault->pairs + from->pairs;
		both.switches = fault->switches > from->switches ? fault->switches : from->switches;
		*fault = both;
	}
}

static void report_fault(struct route_subnet *p, const struct ar_fault *fault)
{
	const struct ibc_port *src = walk_first_sender(p, fault->sender, fault->first);
	const struct ibc_port *dst = p->hosts[fault->first->host].port, **out;

	if (fault->key.end != IBC_ROUTE_LOOP) {
		p->ar_dead_ends[p->num_ar_dead_ends++] = (struct ibc_ar_dead_end){
			.end = fault->key.end,
			.at = p->lft->switches[fault->key.at],
			.port = fault->key.port,
			.by = { p->lft->switches[fault->by_column], fault->by_port },
			.src = src,
			.dst = dst,
			.dlid = fault->first->lid,
			.dlids = fault->dlids,
			.pairs = fault->pairs,
		};
		return;
	}
	out = arena_array(p->routes->arena, fault->num_ring, sizeof(*out));
	for (size_t i = 0; i < fault->num_ring; i++)
		out[i] = ibc_node_port(p->lft->switches[fault->ring[i] >> 8],
		                       fault->ring[i] & 0xff);
	p->ar_loops[p->num_ar_loops++] = (struct ibc_ar_loop){
		.out = out,
		.num = fault->num_ring,
		.switches = fault->switches,
		.src = src,
		.dst = dst,
		.dlid = fault->first->lid,
		.dlids = fault->dlids,
		.pairs = fault->pairs,
	};
}

void routes_adaptive(struct route_subnet *p)
{
	struct following w = { .p = p };
	const struct parallel job = { follow_switch, &w, p->n, p->routes->workers };
	unsigned int threads = parallel_threads(p->routes->opts.threads, p->num_senders);
	struct choice_ports ports;
	struct ar_found *sum;
	struct ibc_ar_sums *sums;
	size_t n;

	if (!p->lft->ar)
		return;
	p->ar_sums = sums = arena_alloc(p->routes->arena, sizeof(*sums));
	p->num_ar_sums = 1;
	/* which switches have such tables, and is all they have here? */
	sums->subnet = p->subnet;
	for (uint32_t s = 0; s < p->n; s++) {
		sums->switches += choices_has_blocks(p->lft, s);
		sums->private_switches += p->lft->ar->switches[s].private_tables;
	}
	sums->followed = sums->switches && !sums->private_switches;
	sums->rings_followed = sums->followed && p->channels->plain;
	if (!sums->followed)
		return;
	choice_ports_new(&ports, p, p->tmp);
	w.first = routes_first_dests(p);
	w.found = sum = arena_array(p->tmp, threads, sizeof(*w.found));
	for (unsigned int i = 0; i < threads; i++) {
		struct ar_found *f = &w.found[i];

		f->a = routes_worker(p->routes, i);
		choices_new(&f->c, p, &ports, f->a);
		f->beyond = arena_array(f->a, p->n + 1u, sizeof(*f->beyond));
	}
	sum->sums = *sums;
	routes_parallel(p, &job, threads);
	for (unsigned int i = 1; i < threads; i++)
		add_found(sum, &w.found[i]);
	*sums = sum->sums;
	n = HASH_COUNT(sum->faults) + 1u;
	HASH_SORT(sum->faults, by_key);
	p->ar_dead_ends = arena_array(p->routes->arena, n, sizeof(*p->ar_dead_ends));
	p->ar_loops = arena_array(p->routes->arena, n, sizeof(*p->ar_loops));
	for (const struct ar_fault *fault = sum->faults; fault; fault = fault->hh.next)
		report_fault(p, fault);
}
