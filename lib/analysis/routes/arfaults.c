/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What packets that can be sent by several ports are lost by: the places where some choice
 * ends, and rings of choices, or that a choice leads into.  What static ports alone do is
 * told of the static tables.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/routes/adaptive.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"

/* Of a ring: end IBC_ROUTE_LOOP, and its lowest switch. */
struct ar_fault_key {
	uint32_t end, at, port;
};

/*
 * struct ar_fault
 * @first, @sender: the first pair: the destination, and the column of who sends
 * @last: the destination that came last
 * @by_column, @by_port: one of the choices that lead there
 * @ring, @num_ring: of a loop: columns and ports, one after the other; @switches: see there
 */
struct ar_fault {
	struct ar_fault_key key;
	UT_hash_handle hh;
	const struct route_dest *first, *last;
	uint32_t sender, by_column, by_port, *ring;
	size_t num_ring, switches, dlids;
	uint64_t pairs;
};

static struct ar_fault *find_fault(struct ar_found *f, struct ar_fault_key key)
{
	struct ar_fault *fault;

	HASH_FIND(hh, f->faults, &key, sizeof(key), fault);
	if (fault)
		return fault;
	fault = arena_alloc(f->a, sizeof(*fault));
	if (!fault)
		return NULL;
	fault->key = key;
	HASH_ADD(hh, f->faults, key, sizeof(key), fault);
	return hash_added(fault) ? fault : NULL;
}

/* The first host whose packets may come to a switch, and how many pairs that are. */
static uint64_t count_victims(const struct choices *c, uint32_t at, uint32_t *first)
{
	const struct route_subnet *p = c->p;
	uint8_t *passes = c->scratch;
	uint64_t pairs = 0;

	choices_passing(c, at, passes);
	for (uint32_t i = 0; i < p->num_senders; i++) {
		uint32_t s = p->senders[i], n = route_hosts(p, s) - (s == c->dest->sw);

		if (!passes[s] || !n)
			continue;
		if (!pairs)
			*first = s;
		pairs += n;
	}
	return pairs;
}

static struct ar_fault *put_fault(struct ar_found *f, struct ar_fault_key key, size_t lids)
{
	struct ar_fault *fault = find_fault(f, key);
	uint32_t first = 0;
	uint64_t pairs;

	if (!fault || fault->last == f->c.dest)
		return fault;
	fault->last = f->c.dest;
	pairs = count_victims(&f->c, key.at, &first);
	if (!fault->first) {
		fault->first = f->c.dest;
		fault->sender = first;
	}
	fault->dlids += lids;
	fault->pairs += lids * pairs;
	return fault;
}

/* ---- choices that end ----------------------------------------------------------------- */

static bool is_dead(const struct choices *c, uint32_t column)
{
	return c->fate[column] == FATE_DEAD;
}

/* By which ports it sends what ends: those that are down are passed over, if it has others. */
static struct ibc_port_set ending_ports(const struct choices *c, uint32_t s)
{
	struct ibc_port_set set = c->links[s];

	if (!ports_any(&set))
		set = choices_astray(c, s);
	return ports_any(&set) ? set : choices_of(c, s);
}

/* Where what a switch sends by a port ends. */
static struct ar_fault_key end_of_way(const struct choices *c, uint32_t s, unsigned int port)
{
	const struct route_subnet *p = c->p;
	uint32_t next_hop = port < p->width ? p->next_hop[(size_t)s * p->width + port]
	                                    : HOP_NO_PORT;

	/* all of them end: any will do; a ring would have another fate */
	while (next_hop < HOP_SPECIAL) {
		struct ibc_port_set set;
		unsigned int at = 0;

		s = next_hop >> 8;
		set = ending_ports(c, s);
		if (!ports_next(&set, &at, &port))
			return (struct ar_fault_key){ IBC_ROUTE_NO_ENTRY, s, 0 };
		next_hop = port < p->width ? p->next_hop[(size_t)s * p->width + port] : HOP_NO_PORT;
	}
	return (struct ar_fault_key){
		next_hop == HOP_DOWN      ? IBC_ROUTE_DOWN
		: next_hop == HOP_NO_PORT ? IBC_ROUTE_NO_PORT
					  : IBC_ROUTE_ELSEWHERE,
		s,
		port,
	};
}

static bool put_end(struct ar_found *f, uint32_t s, unsigned int port, size_t lids)
{
	struct ar_fault *fault = put_fault(f, end_of_way(&f->c, s, port), lids);

	if (fault && !fault->by_port) {
		fault->by_column = s;
		fault->by_port = port;
	}
	return fault;
}

/* Of a switch that has better choices.  One that has a single port does as the static tables. */
static bool count_ends(struct ar_found *f, uint32_t s, size_t lids)
{
	const struct choices *c = &f->c;
	struct ibc_port_set astray = choices_astray(c, s);
	unsigned int number, at = 0, port;
	const struct ibc_port_set *group = choices_group(c, s, &number);

	if (!group || !(c->fate[s] & FATE_ARRIVES))
		return true;
	while (ports_next(&astray, &at, &port))
		if ((port >= c->p->width ||
		     c->p->next_hop[(size_t)s * c->p->width + port] != HOP_UNKNOWN) &&
		    !put_end(f, s, port, lids))
			return false;
	for (at = 0; ports_next(&c->links[s], &at, &port);)
		if (is_dead(c, choice_next(c->p, s, port)) && !put_end(f, s, port, lids))
			return false;
	return true;
}

/* ---- rings ---------------------------------------------------------------------------- */

/* struct ring_search - breadth-first, in the order of ports; from: column << 8 | port */
struct ring_search {
	uint32_t *queue, *from;
	size_t n;
};

/* Back to the start, by switches of the same ring; the port it comes back by, at its switch. */
static bool search_ring(const struct choices *c, uint32_t start, struct ring_search *search,
                        uint32_t *back)
{
	search->queue[search->n++] = start;
	for (size_t i = 0; i < search->n; i++) {
		uint32_t s = search->queue[i], next;
		unsigned int at = 0, port;

		while (ports_next(&c->links[s], &at, &port)) {
			next = choice_next(c->p, s, port);
			*back = s << 8 | port;
			if (next == start)
				return true;
			if (c->ring[next] != c->ring[start] || search->from[next])
				continue;
			search->from[next] = *back;
			search->queue[search->n++] = next;
		}
	}
	return false;
}

/* A shortest ring from a switch. */
static bool put_ring(struct ar_found *f, struct ar_fault *fault, uint32_t start)
{
	const struct choices *c = &f->c;
	struct arena *tmp = arena_new();
	struct ring_search search = { 0 };
	uint32_t back = 0;
	size_t n = 0;

	if (tmp) {
		search.queue = arena_array(tmp, c->p->n + 1u, sizeof(*search.queue));
		search.from = arena_array(tmp, c->p->n + 1u, sizeof(*search.from));
	}
	if (search.queue && search.from && search_ring(c, start, &search, &back)) {
		for (uint32_t at = back; at; at = search.from[at >> 8])
			n++;
		fault->ring = arena_array(f->a, n, sizeof(*fault->ring));
		for (uint32_t at = back; fault->ring && at; at = search.from[at >> 8])
			fault->ring[--n] = at, fault->num_ring++;
	}
	arena_free(tmp);
	return fault->ring;
}

/* Does any switch of it choose? */
static bool has_choice(const struct choices *c, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++) {
		struct ibc_port_set set = choices_of(c, c->order[i]);

		if (ports_count(&set) > 1)
			return true;
	}
	return false;
}

/*
 * Does a choice of a switch that has better ones lead into it?  Switches come behind what they
 * lead to; but for those of other rings on the way, which are told themselves.
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

static bool count_ring(struct ar_found *f, uint32_t ring, size_t lids)
{
	const struct choices *c = &f->c;
	uint32_t first = c->ring_starts[ring], end = first, lowest = UINT32_MAX;
	struct ar_fault *fault;

	for (; end < c->num_order && c->ring[c->order[end]] == ring; end++)
		if (c->order[end] < lowest)
			lowest = c->order[end];
	if (!has_choice(c, first, end) && !is_entered(c, ring))
		return true;
	fault = put_fault(f, (struct ar_fault_key){ IBC_ROUTE_LOOP, lowest, 0 }, lids);
	if (!fault)
		return false;
	if (end - first > fault->switches)
		fault->switches = end - first;
	return fault->ring || put_ring(f, fault, lowest);
}

bool ar_faults_count(struct ar_found *f, size_t lids)
{
	const struct choices *c = &f->c;
	bool done = true, any = false;

	for (uint32_t i = 0; i < c->p->num_senders && !any; i++)
		any = c->fate[c->p->senders[i]] & (FATE_DEAD | FATE_RING);
	for (uint32_t i = 0; any && done && i < c->num_order; i++)
		done = !(c->fate[c->order[i]] & FATE_DEAD) || count_ends(f, c->order[i], lids);
	for (uint32_t i = 1; any && done && i <= c->num_rings; i++)
		done = count_ring(f, i, lids);
	return done;
}

/* ---- all ------------------------------------------------------------------------------ */

void ar_faults_free(struct ar_found *f)
{
	HASH_CLEAR(hh, f->faults);
}

static bool merge_fault(struct ar_found *f, const struct ar_fault *from)
{
	struct ar_fault *fault = find_fault(f, from->key);
	struct ar_fault sum;

	if (!fault)
		return false;
	sum = !fault->first || from->first < fault->first ? *from : *fault;
	sum.hh = fault->hh;
	sum.dlids = fault->dlids + from->dlids;
	sum.pairs = fault->pairs + from->pairs;
	sum.switches = fault->switches > from->switches ? fault->switches : from->switches;
	*fault = sum;
	return true;
}

bool ar_faults_merge(struct ar_found *f, const struct ar_found *from)
{
	for (const struct ar_fault *fault = from->faults; fault; fault = fault->hh.next)
		if (!merge_fault(f, fault))
			return false;
	return true;
}

static int by_key(const struct ar_fault *a, const struct ar_fault *z)
{
	int order = order_u64(a->key.end, z->key.end) ?: order_u64(a->key.at, z->key.at);

	return order ?: order_u64(a->key.port, z->key.port);
}

static bool report_ar_ring(struct route_subnet *p, const struct ar_fault *fault)
{
	const struct ibc_port **out = arena_array(p->routes->arena, fault->num_ring, sizeof(*out));

	for (size_t i = 0; out && i < fault->num_ring; i++)
		out[i] = ibc_node_port(p->lft->switches[fault->ring[i] >> 8],
		                       fault->ring[i] & 0xff);
	p->ar_loops[p->num_ar_loops++] = (struct ibc_ar_loop){
		.out = out,
		.num = fault->num_ring,
		.switches = fault->switches,
		.src = walk_first_sender(p, fault->sender, fault->first),
		.dst = p->hosts[fault->first->host].port,
		.dlid = fault->first->lid,
		.dlids = fault->dlids,
		.pairs = fault->pairs,
	};
	return out;
}

static void report_ar_end(struct route_subnet *p, const struct ar_fault *fault)
{
	p->ar_dead_ways[p->num_ar_dead_ways++] = (struct ibc_ar_dead_way){
		.end = fault->key.end,
		.at = p->lft->switches[fault->key.at],
		.port = fault->key.port,
		.by = { p->lft->switches[fault->by_column], fault->by_port },
		.src = walk_first_sender(p, fault->sender, fault->first),
		.dst = p->hosts[fault->first->host].port,
		.dlid = fault->first->lid,
		.dlids = fault->dlids,
		.pairs = fault->pairs,
	};
}

bool ar_faults_report(struct ar_found *f, struct route_subnet *p)
{
	size_t n = HASH_COUNT(f->faults) + 1u;

	HASH_SORT(f->faults, by_key);
	p->ar_dead_ways = arena_array(p->routes->arena, n, sizeof(*p->ar_dead_ways));
	p->ar_loops = arena_array(p->routes->arena, n, sizeof(*p->ar_loops));
	if (!p->ar_dead_ways || !p->ar_loops)
		return false;
	for (const struct ar_fault *fault = f->faults; fault; fault = fault->hh.next) {
		if (fault->key.end != IBC_ROUTE_LOOP)
			report_ar_end(p, fault);
		else if (!report_ar_ring(p, fault))
			return false;
	}
	return true;
}
