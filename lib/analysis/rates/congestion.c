/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The windows of a run put together: roots that last, with their victims, and how long ports wait
 * by the depth of both ends.  O(ports + waiting ports of all windows, sorted).
 */
#include <ibcheck/congestion.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/rates/windows.h"
#include "analysis/tree/switches.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/folded.h"
#include "fabric/fabric.h"

#define CRITICAL_PERCENT 20 /* as counters.congestion has it */

/* What allocates it comes first. */
struct found {
	struct ibc_congestion public;
	struct arena *arena;
	const struct ibc_windows *windows;
	const struct ibc_fabric *before, *now;
};

/* ---- roots ----------------------------------------------------------------------------- */

static int by_name(const void *a, const void *z)
{
	const struct ibc_congestion_host *x = a, *y = z;

	return strcmp(x->name, y->name);
}

/* Hosts come once for each of their ports and windows: the same ones become one. */
static void find_hosts(struct found *f, const struct wait_root *series, size_t n,
                       struct ibc_congestion_root *root)
{
	struct ibc_congestion_host *hosts;
	size_t room = 0, num = 0, merged = 0;
	const char **names;

	for (size_t i = 0; i < n; i++)
		room += series[i].n;
	hosts = arena_array(f->arena, room, sizeof(*hosts));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < series[i].n; k++) {
			const struct wait_port *at = &series[i].ports[k];
			const struct ibc_node *node = ibc_fabric_node_by_guid(f->now, at->guid)
			                                  ?: ibc_fabric_node_by_guid(f->before,
			                                                             at->guid);

			if (node && node->type == IBC_NODE_CA && !node_is_aggregator(node))
				hosts[num++] = (struct ibc_congestion_host){
					node->host_name ? node->host_name : node->label, at->lost
				};
		}
	if (!num)
		return;
	qsort(hosts, num, sizeof(*hosts), by_name);
	names = arena_array(f->arena, num, sizeof(*names));
	for (size_t i = 0; i < num; i++) {
		if (merged && !by_name(&hosts[merged - 1], &hosts[i])) {
			hosts[merged - 1].lost_bytes += hosts[i].lost_bytes;
			continue;
		}
		names[merged] = hosts[i].name;
		hosts[merged++] = hosts[i];
	}
	root->hosts = hosts;
	root->num_hosts = merged;
	root->host_names = folded_hosts(f->arena, names, merged);
}

static int most_lost_first(const void *a, const void *z)
{
	const struct ibc_congestion_root *x = a, *y = z;

	return (x->lost_bytes < y->lost_bytes) - (x->lost_bytes > y->lost_bytes)
	           ?: order_u64(x->port->node->guid, y->port->node->guid)
	           ?: order_u64(x->port->num, y->port->num);
}

/* A port over all windows; of one that never had a place only what it lost is known. */
static void add_roots(struct found *f)
{
	struct ibc_congestion *c = &f->public;
	struct ibc_congestion_root *roots;
	const struct wait_root *series;
	size_t n, total = 0;

	for (size_t at = 0; (series = windows_roots(f->windows, at, &n)); at += n)
		total++;
	c->roots = roots = arena_array(f->arena, total + 1, sizeof(*roots));
	for (size_t at = 0; (series = windows_roots(f->windows, at, &n)); at += n) {
		uint64_t known = windows_judged(f->windows, series, n);
		struct ibc_congestion_root root = windows_sum_up(known, series, n,
		                                                 IBC_ROOT_PERCENT);

		c->lost_bytes += root.lost_bytes;
		root.port = wait_root_port(series, f->before, f->now);
		if (!root.port || !root.with)
			continue;
		root.lasts &= windows_count(f->windows) > 1;
		root.kind = wait_cause_word(wait_cause_settled(root.seen->cause, root.port));
		for (unsigned int i = 0; i < windows_count(f->windows); i++)
			root.strip[i] = known & 1ull << i ? '.' : '?';
		for (size_t i = 0; i < n; i++) {
			char *mark = &root.strip[series[i].window];

			*mark = series[i].worst_wait < IBC_ROOT_PERCENT ? '-' : '+';
			if (series[i].worst_wait >= CRITICAL_PERCENT)
				*mark = '#';
		}
		find_hosts(f, series, n, &root);
		c->lasting += root.lasts;
		c->lasting_bytes += root.lasts ? root.lost_bytes : 0;
		roots[c->num_roots++] = root;
	}
	for (size_t i = 0; i < c->num_roots; i++)
		roots[i].lost_percent = c->lost_bytes > 0
		                            ? 100 * roots[i].lost_bytes / c->lost_bytes
		                            : -1;
	if (c->num_roots)
		qsort(roots, c->num_roots, sizeof(*roots), most_lost_first);
}

/* ---- what is not known ------------------------------------------------------------------ */

const struct ibc_word *ibc_wait_gap_word(enum ibc_wait_gap gap)
{
	static const struct ibc_word words[] = {
		[IBC_WAIT_UNREAD] = { "unread", "counters not read in every window" },
		[IBC_WAIT_NONE] = { "no_counter", "no PortXmitWait" },
		[IBC_WAIT_NO_TICK] = { "no_tick", "length of a tick not reported" },
		[IBC_WAIT_NO_SPEED] = { "no_speed", "speed of the link not known" },
		[IBC_WAIT_IMPOSSIBLE] = { "impossible", "more waiting than time" },
		[IBC_WAIT_32_BITS] = { "32_bits", "PortXmitWait of 32 bits: a minimum" },
		[IBC_WAIT_CLEARED] = { "cleared", "cleared in between: a minimum" },
		[IBC_WAIT_HCA_TICK] = { "hca_tick", "tick of an HCA: approximate" },
	};

	return (size_t)gap < ARRAY_SIZE(words) ? &words[gap] : NULL;
}

#define EXT_ERRORS 2 /* CapabilityMask2: 64 bits for errors and PortXmitWait too (IBA 16.1.3.1) */

/* The first of these that holds; IBC_WAIT_GAPS: all is known. */
static enum ibc_wait_gap wait_gap_of(const struct ibc_windows *w, const struct ibc_port *port,
                                     const struct ibc_delta *delta, double wait)
{
	uint32_t bit = 1u << IBC_XMIT_WAIT;

	if (windows_in(windows_known(w, port->node->guid, port->num)) < windows_count(w))
		return IBC_WAIT_UNREAD;
	if (!(delta->known & bit))
		return IBC_WAIT_NONE;
	if (!ibc_node_has(port->node, IBC_ATTR_PORT_SAMPLES_CONTROL))
		return IBC_WAIT_NO_TICK;
	if (ibc_link_gbps(port->width_active, port->speed_active) <= 0)
		return IBC_WAIT_NO_SPEED;
	if (wait < 0 ||
	    windows_in(windows_clear(w, port->node->guid, port->num)) < windows_count(w))
		return IBC_WAIT_IMPOSSIBLE;
	if (!(port->node->perf_cap_mask2 & EXT_ERRORS) ||
	    !ibc_port_has(port, IBC_ATTR_PORT_COUNTERS_EXT))
		return IBC_WAIT_32_BITS;
	if (delta->cleared & bit)
		return IBC_WAIT_CLEARED;
	return port->node->type == IBC_NODE_CA ? IBC_WAIT_HCA_TICK : IBC_WAIT_GAPS;
}

static void note_gap(struct ibc_congestion *c, const struct ibc_port *port, enum ibc_wait_gap gap)
{
	if (gap == IBC_WAIT_GAPS)
		return;
	if (!c->gaps[gap]++)
		c->gap_at[gap] = port;
}

/* ---- tier by tier ------------------------------------------------------------------------ */

/* Words of depths; deeper fabrics are not distinguished.  The last: a router, what is none. */
static const char *const tier_words[] = {
	"host", "leaf", "spine", "core", "tier 4", "tier 5", "other",
};
#define TIERS ((unsigned int)ARRAY_SIZE(tier_words))
#define OTHER (TIERS - 1)

static unsigned int tier_of(const unsigned int *depth, const struct ibc_node *node)
{
	unsigned int d = depth[node_order(node)];

	return d < OTHER && !node_is_aggregator(node) && node->type != IBC_NODE_ROUTER ? d : OTHER;
}

static void add_to_tiers(struct ibc_wait_tiers *r, const struct ibc_port *port, double wait,
                         double util, double seconds)
{
	if (wait < 0) {
		r->unknown++;
		return;
	}
	r->ports++;
	r->long_waits += wait >= IBC_LONG_WAIT_PERCENT;
	r->mean_percent += (wait - r->mean_percent) / (double)r->ports;
	r->util_percent += util < 0 ? 0 : (util - r->util_percent) / (double)r->ports;
	r->lost_bytes += wait_lost_bytes(port, wait, seconds);
	if (wait <= r->worst_percent)
		return;
	r->worst_percent = wait;
	r->worst = port;
}

static void add_tiers(struct found *f)
{
	struct ibc_wait_tiers *all = arena_array(f->arena, TIERS * TIERS, sizeof(*all));
	const unsigned int *depth = depth_measure(f->arena, f->now);
	const struct ibc_windows *w = f->windows;
	const struct ibc_port *port, *then;

	for (size_t i = 0; (port = ibc_fabric_port(f->now, i)); i++) {
		struct ibc_delta delta;
		double wait;

		if (!port->num || !port->peer)
			continue;
		ibc_windows_delta(w, f->before, port, &delta);
		wait = ibc_delta_wait_percent(port, &delta);
		note_gap(&f->public, port, wait_gap_of(w, port, &delta, wait));
		add_to_tiers(
		    &all[tier_of(depth, port->node) * TIERS + tier_of(depth, port->peer->node)],
		    port, wait, ibc_delta_util_percent(port, &delta), delta.seconds);
	}
	/* ports that had a cable, and have none since */
	for (size_t i = 0; (then = ibc_fabric_port(f->before, i)); i++) {
		port = fabric_same_port(f->now, then);
		if (then->num && then->peer && !(port && port->peer) &&
		    windows_in(windows_known(w, then->node->guid, then->num)) < windows_count(w))
			note_gap(&f->public, then, IBC_WAIT_UNREAD);
	}
	/* those with ports move to the front */
	f->public.tiers = all;
	for (unsigned int i = 0; i < TIERS * TIERS; i++) {
		const unsigned int from = i / TIERS, to = i % TIERS;
		struct ibc_wait_tiers *r = &all[f->public.num_tiers];

		if (!all[i].ports && !all[i].unknown)
			continue;
		*r = all[i];
		r->from = tier_words[from];
		r->to = tier_words[to];
		r->between_switches = from && from < OTHER && to && to < OTHER;
		if (!r->ports)
			r->mean_percent = r->worst_percent = r->util_percent = -1;
		f->public.num_tiers++;
	}
}

/* ---- the whole --------------------------------------------------------------------------- */

int ibc_congestion_find(const struct ibc_windows *windows, const struct ibc_fabric *before,
                        const struct ibc_fabric *now, struct ibc_congestion **out,
                        struct ibc_error *err)
{
	struct arena *a = arena_new();
	struct found *f;

	if (!a || setjmp(*arena_entry(a))) {
		arena_free(a);
		return fail_nomem(err);
	}
	f = arena_alloc(a, sizeof(*f));
	*f = (struct found){ .arena = a, .windows = windows, .before = before, .now = now };
	add_roots(f);
	add_tiers(f);
	arena_escape(a, NULL);
	*out = &f->public;
	return 0;
}

void ibc_congestion_free(struct ibc_congestion *congestion)
{
	if (congestion)
		arena_free(((struct found *)congestion)->arena);
}
