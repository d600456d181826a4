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
 * @lost: what it showed before it was cleared, the sum of all clears
 * @unread: bit i: what it counted in window i is not known
 * @unclear: bit i: it waited in window i, and for how long is not known
 */
struct port_windows {
	struct port_key key;
	uint64_t rose[IBC_COUNTERS], lost[IBC_COUNTERS], unread, unclear;
	UT_hash_handle hh;
};

struct ibc_windows {
	struct arena *arena;
	struct port_windows *ports; /* by key */
	struct wait_root *roots;    /* by port, the worst first */
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

static struct port_windows *obtain_port(struct ibc_windows *w, const struct ibc_port *port)
{
	struct port_windows *p = find_windows(w, port->node->guid, port->num);

	if (p)
		return p;
	p = arena_alloc(w->arena, sizeof(*p));
	p->key = (struct port_key){ port->node->guid, port->num };
	HASH_ADD(hh, w->ports, key, sizeof(p->key), p);
	return hash_added(p) ? p
	                     : arena_alloc(w->arena, SIZE_MAX); /* as the arena does: it leaves */
}

static void mark_unread(struct ibc_windows *w, const struct ibc_port *port)
{
	obtain_port(w, port)->unread |= 1ull << w->n;
}

static void note_port(struct ibc_windows *w, const struct ibc_fabric *before,
                      const struct ibc_port *port)
{
	struct port_windows *p;
	struct ibc_delta delta;
	uint32_t rose = 0;

	if (!ibc_delta_of(before, port, &delta)) {
		if (port->peer && port->num)
			mark_unread(w, port);
		return;
	}
	/* a wait whose time is not known is not one of no time */
	if (port->num && port->peer && delta.value[IBC_XMIT_WAIT] &&
	    ibc_delta_wait_percent(port, &delta) < 0)
		obtain_port(w, port)->unclear |= 1ull << w->n;
	for (unsigned int i = 0; i < IBC_COUNTERS; i++)
		if (delta.known & ~IBC_TRAFFIC_COUNTERS & 1u << i && delta.value[i])
			rose |= 1u << i;
	if (!rose && !delta.cleared)
		return;
	p = obtain_port(w, port);
	for (unsigned int i = 0; i < IBC_COUNTERS; i++) {
		if (rose & 1u << i)
			p->rose[i] |= 1ull << w->n;
		if (delta.cleared & 1u << i)
			p->lost[i] += fabric_same_port(before, port)->counters->value[i];
	}
}

/* ---- who waits ----------------------------------------------------------------------- */

static int order_ports(const struct wait_port *a, const struct wait_port *z)
{
	return order_u64(a->guid, z->guid) ?: order_u64(a->num, z->num);
}

static int by_port_worst_first(const void *a, const void *z)
{
	const struct wait_root *x = a, *y = z;
	int order = order_ports(x->ports, y->ports);

	if (!order && x->worst_wait != y->worst_wait)
		return x->worst_wait > y->worst_wait ? -1 : 1;
	return order ?: order_u64(x->window, y->window);
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

static void add_window(struct ibc_windows *w, struct arena *scratch,
                       const struct ibc_fabric *before, const struct ibc_fabric *now)
{
	const struct ibc_port *port, *then;
	const struct ibc_subnet *subnet;
	struct wait_root *roots;
	size_t n;

	for (size_t i = 0; (port = ibc_fabric_port(now, i)); i++)
		note_port(w, before, port);
	/* a port, or its device, that had a cable and is gone: what it did until then is not known
	 */
	for (size_t i = 0; (then = ibc_fabric_port(before, i)); i++) {
		if (!then->peer || !then->num)
			continue;
		port = fabric_same_port(now, then);
		if (!port || (!port->peer && !port->counters))
			mark_unread(w, then);
	}
	/* nor of those that were not there at the end of the window before, and are not now */
	for (struct port_windows *p = w->n ? w->ports : NULL; p; p = p->hh.next) {
		port = fabric_port_at(now, p->key.guid, (unsigned int)p->key.num);
		if (!(port && port->peer) && p->unread & 1ull << (w->n - 1))
			p->unread |= 1ull << w->n;
	}
	for (size_t i = 0; (subnet = ibc_fabric_subnet(before, i)); i++)
		w->retries += subnet->sweep.retried + subnet->sweep.timed_out;
	roots = waits_find(scratch, w->arena, before, now, &n);
	for (size_t i = 0; i < n; i++) {
		arena_grow(w->arena, &w->roots, w->num_roots, &w->room, sizeof(*w->roots));
		w->roots[w->num_roots] = roots[i];
		w->roots[w->num_roots++].window = w->n;
	}
	if (w->num_roots)
		qsort(w->roots, w->num_roots, sizeof(*w->roots), by_port_worst_first);
	w->n++;
}

int ibc_windows_add(struct ibc_windows *w, const struct ibc_fabric *before,
                    const struct ibc_fabric *now, struct ibc_error *err)
{
	struct arena *scratch;

	if (w->n >= IBC_WINDOWS_MAX)
		return fail(err, -EINVAL, "there are %d windows already", IBC_WINDOWS_MAX);
	scratch = arena_new();
	if (!scratch)
		return fail_nomem(err);
	if (setjmp(*arena_entry(scratch))) {
		arena_escape(w->arena, NULL);
		arena_free(scratch);
		return fail_nomem(err);
	}
	arena_escape(w->arena, arena_entry(scratch));
	add_window(w, scratch, before, now);
	arena_escape(w->arena, NULL);
	arena_free(scratch);
	return 0;
}

/* ---- what it knows ----------------------------------------------------------------------- */

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

uint64_t windows_judged(const struct ibc_windows *w, const struct wait_root *series, size_t n)
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

const struct wait_root *windows_roots(const struct ibc_windows *w, size_t at, size_t *n)
{
	const struct wait_root *first = w->roots + at;

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

struct ibc_congestion_root windows_sum_up(uint64_t windows, const struct wait_root *series,
                                          size_t n, double limit)
{
	struct ibc_congestion_root r = { .windows = windows_in(windows), .seen = series };
	size_t needed = 1;

	for (size_t i = 0; i < n; i++) {
		r.lost_bytes += series[i].lost;
		if (series[i].worst_wait < limit)
			continue;
		r.with++;
		if (!r.onset || series[i].window + 1 < r.onset)
			r.onset = series[i].window + 1;
	}
	while (!windows_last(needed, r.windows))
		needed++;
	r.lasts = needed <= r.with;
	if (r.lasts)
		r.seen = &series[needed - 1];
	r.wait_percent = r.seen->ports->wait;
	r.util_percent = r.seen->ports->util;
	r.worst_percent = r.seen->worst_wait;
	r.victims = r.seen->victims;
	return r;
}

unsigned int windows_count(const struct ibc_windows *w)
{
	return w->n;
}

const struct ibc_port *wait_root_port(const struct wait_root *root, const struct ibc_fabric *before,
                                      const struct ibc_fabric *now)
{
	const struct wait_port *at = root->ports;
	const struct ibc_port *port = fabric_port_at(now, at->guid, at->num);

	return port && port->peer ? port : fabric_port_at(before, at->guid, at->num) ?: port;
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
