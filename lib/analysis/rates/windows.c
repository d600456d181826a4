/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/rates/windows.h"

#include <errno.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "fabric/fabric.h"

/* Of the windows: roots move, and what is one by chance is none for so long (a guess). */
#define LASTS_PERCENT 60

struct port_key {
	uint64_t guid, num; /* no padding: it is hashed as bytes */
};

/*
 * struct port_windows - a port that is not the same in all windows
 * @rose: bit i: the counter rose in window i
 * @lost: what it showed when somebody cleared it, of all clears
 * @unread: bit i: nobody knows what it counted
 * @unclear: bit i: it waited, and nobody knows how long that was
 */
struct port_windows {
	struct port_key key;
	uint64_t rose[IBC_COUNTERS], lost[IBC_COUNTERS], unread, unclear;
	UT_hash_handle hh;
};

struct ibc_windows {
	struct arena *arena;
	struct port_windows *ports; /* by key */
	struct seen_root *roots;    /* by port, the worst first */
	size_t num_roots, room;
	unsigned int n;
	uint64_t retries;
};

/* ---- one port ---------------------------------------------------------------------- */

static struct port_windows *find_windows(const struct ibc_windows *w, uint64_t guid,
                                         unsigned int num)
{
	struct port_key key = { guid, num };
	struct port_windows *found;

	HASH_FIND(hh, w->ports, &key, sizeof(key), found);
	return found;
}

/* NULL: no memory. */
static struct port_windows *obtain_port(struct ibc_windows *w, const struct ibc_port *port)
{
	struct port_windows *p = find_windows(w, port->node->guid, port->num);

	if (p)
		return p;
	p = arena_alloc(w->arena, sizeof(*p));
	if (!p)
		return NULL;
	p->key = (struct port_key){ port->node->guid, port->num };
	HASH_ADD(hh, w->ports, key, sizeof(p->key), p);
	return hash_added(p) ? p : NULL;
}

static uint32_t risen(const struct ibc_delta *delta)
{
	uint32_t set = 0;

	for (unsigned int i = 0; i < IBC_COUNTERS; i++)
		if (delta->known & ~IBC_TRAFFIC_COUNTERS & 1u << i && delta->value[i])
			set |= 1u << i;
	return set;
}

static bool note_counters(struct ibc_windows *w, const struct ibc_port *then,
                          const struct ibc_port *port, const struct ibc_delta *delta)
{
	uint32_t rose = risen(delta);
	struct port_windows *p;

	if (!rose && !delta->cleared)
		return true;
	p = obtain_port(w, port);
	for (unsigned int i = 0; p && i < IBC_COUNTERS; i++) {
		if (rose & 1u << i)
			p->rose[i] |= 1ull << w->n;
		if (delta->cleared & 1u << i)
			p->lost[i] += then->counters->value[i];
	}
	return p;
}

static bool mark_unread(struct ibc_windows *w, const struct ibc_port *port)
{
	struct port_windows *p = obtain_port(w, port);

	if (p)
		p->unread |= 1ull << w->n;
	return p;
}

/* A wait that cannot be told in time is not one of no time.  False: no memory. */
static bool note_unclear(struct ibc_windows *w, const struct ibc_port *port,
                         const struct ibc_delta *delta)
{
	struct port_windows *p;

	if (!port->num || !port->peer || !delta->value[IBC_XMIT_WAIT] ||
	    ibc_delta_wait_percent(port, delta) >= 0)
		return true;
	p = obtain_port(w, port);
	if (p)
		p->unclear |= 1ull << w->n;
	return p;
}

static bool note_port(struct ibc_windows *w, const struct ibc_fabric *before,
                      const struct ibc_port *port)
{
	struct ibc_delta delta;

	if (ibc_delta_of(before, port, &delta))
		return note_unclear(w, port, &delta) &&
		       note_counters(w, fabric_same_port(before, port), port, &delta);
	return !port->peer || !port->num || mark_unread(w, port);
}

/* A port, or its device, that had a cable and is gone: what it did until then nobody knows. */
static bool note_gone(struct ibc_windows *w, const struct ibc_port *then,
                      const struct ibc_fabric *now)
{
	const struct ibc_port *port;

	if (!then->peer || !then->num)
		return true;
	port = fabric_same_port(now, then);
	return (port && (port->peer || port->counters)) || mark_unread(w, then);
}

/* ---- who waits ----------------------------------------------------------------------- */

static struct seen_port see_port(const struct wait_port *p)
{
	return (struct seen_port){ p->port->node->guid, p->port->num, p->wait, p->util, p->lost,
		                   p->in_ring };
}

static bool see_root(struct ibc_windows *w, const struct wait_root *root, size_t members)
{
	struct seen_root seen = { .window = w->n, .root = *root };

	seen.ports = arena_array(w->arena, members, sizeof(*seen.ports));
	if (!seen.ports ||
	    !arena_grow(w->arena, &w->roots, w->num_roots, &w->room, sizeof(*w->roots)))
		return false;
	seen.root.port = 0;
	w->roots[w->num_roots++] = seen;
	return true;
}

/* Gives the roots, from @first on, their ports: themselves, then rings, then victims. */
static void see_ports(const struct waits *waits, struct seen_root *first)
{
	enum { ITSELF, RING, VICTIM, RANKS };

	for (int rank = ITSELF; rank < RANKS; rank++)
		for (size_t i = 0; i < waits->n; i++) {
			const struct wait_port *p = &waits->ports[i];
			struct seen_root *seen = &first[p->root];
			bool itself = waits->roots[p->root].port == i;

			if (rank == (itself ? ITSELF : p->in_ring ? RING : VICTIM))
				seen->ports[seen->n++] = see_port(p);
		}
}

static bool see_roots(struct ibc_windows *w, const struct waits *waits, struct arena *scratch)
{
	size_t *members = arena_array(scratch, waits->num_roots + 1, sizeof(*members));
	size_t first = w->num_roots;

	if (!members)
		return false;
	for (size_t i = 0; i < waits->n; i++)
		members[waits->ports[i].root]++;
	for (size_t i = 0; i < waits->num_roots; i++)
		if (!see_root(w, &waits->roots[i], members[i]))
			return false;
	see_ports(waits, w->roots + first);
	return true;
}

static int order_ports(const struct seen_port *a, const struct seen_port *z)
{
	return order_u64(a->guid, z->guid) ?: order_u64(a->num, z->num);
}

static int by_port_worst_first(const void *a, const void *z)
{
	const struct seen_root *x = a, *y = z;
	int order = order_ports(x->ports, y->ports);

	if (!order && x->root.worst_wait != y->root.worst_wait)
		return x->root.worst_wait > y->root.worst_wait ? -1 : 1;
	return order ?: order_u64(x->window, y->window);
}

static bool note_waits(struct ibc_windows *w, const struct ibc_fabric *before,
                       const struct ibc_fabric *now)
{
	struct arena *scratch = arena_new();
	struct waits waits;
	bool ok = scratch && waits_find(scratch, before, now, &waits) &&
	          see_roots(w, &waits, scratch);

	if (w->num_roots)
		qsort(w->roots, w->num_roots, sizeof(*w->roots), by_port_worst_first);
	arena_free(scratch);
	return ok;
}

/* ---- the object ------------------------------------------------------------------------ */

int ibc_windows_new(struct ibc_windows **out, struct ibc_error *err)
{
	struct arena *a = arena_new();
	struct ibc_windows *w = a ? arena_alloc(a, sizeof(*w)) : NULL;

	if (!w) {
		arena_free(a);
		return fail_nomem(err);
	}
	w->arena = a;
	*out = w;
	return 0;
}

void ibc_windows_free(struct ibc_windows *windows)
{
	if (!windows)
		return;
	HASH_CLEAR(hh, windows->ports);
	arena_free(windows->arena);
}

/* What was not there at the end of the window before, and is not now. */
static void note_still_gone(struct ibc_windows *w, const struct ibc_fabric *now)
{
	for (struct port_windows *p = w->n ? w->ports : NULL; p; p = p->hh.next) {
		unsigned int num = (unsigned int)p->key.num;
		const struct ibc_port *port = fabric_port_at(now, p->key.guid, num);

		if (!(port && port->peer) && p->unread & 1ull << (w->n - 1))
			p->unread |= 1ull << w->n;
	}
}

int ibc_windows_add(struct ibc_windows *w, const struct ibc_fabric *before,
                    const struct ibc_fabric *now, struct ibc_error *err)
{
	const struct ibc_subnet *subnet;
	const struct ibc_port *port;
	bool ok = true;

	if (w->n >= IBC_WINDOWS_MAX)
		return fail(err, -EINVAL, "there are %d windows already", IBC_WINDOWS_MAX);
	for (size_t i = 0; ok && (port = ibc_fabric_port(now, i)); i++)
		ok = note_port(w, before, port);
	for (size_t i = 0; ok && (port = ibc_fabric_port(before, i)); i++)
		ok = note_gone(w, port, now);
	note_still_gone(w, now);
	for (size_t i = 0; (subnet = ibc_fabric_subnet(before, i)); i++)
		w->retries += subnet->sweep.retried + subnet->sweep.timed_out;
	if (!ok || !note_waits(w, before, now))
		return fail_nomem(err);
	w->n++;
	return 0;
}

/* ---- what it tells ----------------------------------------------------------------------- */

uint64_t windows_known(const struct ibc_windows *w, uint64_t guid, unsigned int num)
{
	const struct port_windows *p = find_windows(w, guid, num);
	uint64_t all = w->n ? ~0ull >> (IBC_WINDOWS_MAX - w->n) : 0;

	return p ? all & ~p->unread : all;
}

uint64_t windows_clear(const struct ibc_windows *w, uint64_t guid, unsigned int num)
{
	const struct port_windows *p = find_windows(w, guid, num);
	uint64_t known = windows_known(w, guid, num);

	return p ? known & ~p->unclear : known;
}

uint64_t windows_judged(const struct ibc_windows *w, const struct seen_root *series, size_t n)
{
	uint64_t set = windows_clear(w, series->ports->guid, series->ports->num);

	for (size_t i = 0; i < n; i++)
		set |= 1ull << series[i].window;
	return set;
}

unsigned int windows_in(uint64_t set)
{
	return (unsigned int)__builtin_popcountll(set);
}

bool windows_most_known(const struct ibc_windows *w, const struct ibc_port *port)
{
	return windows_in(windows_known(w, port->node->guid, port->num)) * 2 > w->n;
}

uint64_t windows_rose(const struct ibc_windows *w, const struct ibc_port *port,
                      enum ibc_counter counter)
{
	const struct port_windows *p = find_windows(w, port->node->guid, port->num);

	return p ? p->rose[counter] : 0;
}

uint64_t windows_retries(const struct ibc_windows *w)
{
	return w->retries;
}

const struct seen_root *windows_roots(const struct ibc_windows *w, size_t at, size_t *n)
{
	const struct seen_root *first = w->roots + at;

	if (at >= w->num_roots)
		return NULL;
	for (*n = 1; at + *n < w->num_roots; ++*n)
		if (order_ports(first->ports, first[*n].ports))
			break;
	return first;
}

bool windows_last(size_t with, unsigned int known)
{
	return with && with * 100 >= (size_t)known * LASTS_PERCENT;
}

const struct seen_root *windows_lasting(const struct seen_root *series, size_t n,
                                        unsigned int known)
{
	size_t needed = 1;

	while (!windows_last(needed, known))
		needed++;
	return needed <= n ? &series[needed - 1] : NULL;
}

unsigned int windows_count(const struct ibc_windows *w)
{
	return w->n;
}

bool windows_find_ports(struct arena *a, const struct seen_root *seen, const struct ibc_fabric *fab,
                        struct waits *out)
{
	out->ports = arena_array(a, seen->n, sizeof(*out->ports));
	out->roots = arena_array(a, 1, sizeof(*out->roots));
	if (!out->ports || !out->roots)
		return false;
	out->roots[0] = seen->root;
	out->num_roots = 1;
	out->n = 0;
	for (size_t i = 0; i < seen->n; i++) {
		const struct seen_port *s = &seen->ports[i];
		const struct ibc_port *port = fabric_port_at(fab, s->guid, s->num);

		if (port && port->peer)
			out->ports[out->n++] = (struct wait_port){ .port = port,
				                                   .wait = s->wait,
				                                   .util = s->util,
				                                   .lost = s->lost,
				                                   .in_ring = s->in_ring };
		else if (!i)
			break;
	}
	if (out->n)
		out->roots->cause = wait_cause_settled(seen->root.cause, out->ports->port);
	return true;
}

/*
 * A clear takes from the later value what was there before it: last - first + lost is what
 * was counted, as far as the sweeps saw it.
 */
bool windows_delta_among(const struct ibc_windows *w, const struct ibc_fabric *before,
                         const struct ibc_port *now, uint32_t wanted, struct ibc_delta *out)
{
	const struct port_windows *p = w ? find_windows(w, now->node->guid, now->num) : NULL;
	const struct ibc_port *then;

	if (!ibc_delta_among(before, now, wanted, out))
		return false;
	if (!p)
		return true;
	then = fabric_same_port(before, now);
	for (unsigned int i = 0; i < IBC_COUNTERS; i++) {
		uint64_t counted = now->counters->value[i] + p->lost[i];

		if (!p->lost[i] || !(out->known & 1u << i))
			continue;
		out->cleared |= 1u << i;
		out->at_least |= 1u << i;
		if (counted >= then->counters->value[i] + out->value[i])
			out->value[i] = counted - then->counters->value[i];
	}
	return true;
}

bool ibc_windows_delta(const struct ibc_windows *w, const struct ibc_fabric *before,
                       const struct ibc_port *now, struct ibc_delta *out)
{
	return windows_delta_among(w, before, now, DELTA_ALL, out);
}
