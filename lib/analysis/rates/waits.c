/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/rates/waits.h"

#include <stdint.h>

#include <ibcheck/counters.h>

#include "analysis/tree/switches.h"
#include "base/arena.h"
#include "fabric/fabric.h"

#define WAITS_PERCENT   1  /* of the time: less is the flow control of a healthy link */
#define FULL_PERCENT    90 /* of the data rate: headers and gaps take the rest */
#define STALLED_PERCENT 50 /* of the time, with as good as no data: stands still */
#define MOVES_PERCENT   1  /* of the data rate: less is nothing */
#define UNEVEN_PERCENT  70 /* of the data rate: siblings of a full link have room */
#define NONE            SIZE_MAX

struct wait_graph {
	const struct ibc_fabric *before, *now;
	struct wait_port *ports;
	size_t n;
	size_t *first;       /* by order of nodes: its first waiting port, or NONE */
	size_t *base, *at;   /* at[base[order of the node] + number]: of a port, or NONE */
	unsigned int *depth; /* see depth_measure() */
	size_t *queue, *pending;
	struct wait_groups groups;
};

static double gbps(const struct ibc_port *p)
{
	return ibc_link_gbps(p->width_active, p->speed_active);
}

double wait_lost_bytes(const struct ibc_port *port, double percent, double seconds)
{
	return percent > 0 ? percent / 100 * gbps(port) * 1e9 / 8 * seconds : 0;
}

static bool is_full(const struct wait_port *p)
{
	return p->util >= FULL_PERCENT;
}

static bool is_stalled(const struct wait_port *p)
{
	return p->wait >= STALLED_PERCENT && p->util >= 0 && p->util < MOVES_PERCENT;
}

/* ---- vertices ----------------------------------------------------------------------- */

static void collect_wait_ports(struct wait_graph *g)
{
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(g->now, i)); i++) {
		struct wait_port w = { .port = p, .root = NONE };
		struct ibc_delta delta;

		if (!p->num || !p->peer ||
		    !ibc_delta_among(g->before, p, 1u << IBC_XMIT_WAIT | 1u << IBC_XMIT_DATA,
		                     &delta))
			continue;
		w.wait = ibc_delta_wait_percent(p, &delta);
		w.util = ibc_delta_util_percent(p, &delta);
		w.lost = wait_lost_bytes(p, w.wait, delta.seconds);
		if (w.wait < WAITS_PERCENT && !is_full(&w))
			continue;
		if (g->first[node_order(p->node)] == NONE)
			g->first[node_order(p->node)] = g->n;
		g->at[g->base[node_order(p->node)] + p->num] = g->n;
		g->ports[g->n++] = w;
	}
}

static size_t find_wait_port(const struct wait_graph *g, const struct ibc_port *p)
{
	return g->at[g->base[node_order(p->node)] + p->num];
}

/* ---- edges -------------------------------------------------------------------------- */

static bool leads_down(const struct wait_graph *g, const struct ibc_port *p)
{
	return g->depth[node_order(p->peer->node)] < g->depth[node_order(p->node)];
}

static bool leads_up(const struct wait_graph *g, const struct ibc_port *p)
{
	return g->depth[node_order(p->peer->node)] > g->depth[node_order(p->node)];
}

/* Does u wait for v, a port of the switch at its far end? */
static bool waits_for(const struct wait_graph *g, size_t from, size_t to)
{
	const struct wait_port *u = &g->ports[from], *v = &g->ports[to];

	/* a full link is not held up by what comes after it */
	if (u->port->peer->node->type != IBC_NODE_SWITCH || v->port == u->port->peer || is_full(u))
		return false;
	/* no route goes down and up again, unless routes are wrong: then nothing moves */
	return !leads_down(g, u->port) || !leads_up(g, v->port) || (is_stalled(u) && is_stalled(v));
}

/* The next v > *at, or the first if *at is NONE, that u waits for. */
static bool next_ahead(const struct wait_graph *g, size_t u, size_t *at)
{
	const struct ibc_node *node = g->ports[u].port->peer->node;
	size_t v = *at == NONE ? g->first[node_order(node)] : *at + 1;

	for (; v < g->n && g->ports[v].port->node == node; v++) {
		if (!waits_for(g, u, v))
			continue;
		*at = v;
		return true;
	}
	return false;
}

/* The next u, beyond port number *num of the node of v, that waits for v. */
static bool next_behind(const struct wait_graph *g, size_t v, unsigned int *num, size_t *u)
{
	const struct ibc_port *in;

	while ((in = ibc_node_port(g->ports[v].port->node, ++*num))) {
		*u = in->peer ? find_wait_port(g, in->peer) : NONE;
		if (*u != NONE && waits_for(g, *u, v))
			return true;
	}
	return false;
}

/* ---- roots and victims ---------------------------------------------------------------- */

static struct wait_root *add_root(struct waits *w, size_t port, enum wait_cause cause)
{
	struct wait_root *root = &w->roots[w->num_roots];

	*root = (struct wait_root){ .port = port, .cause = cause, .sibling_util = -1 };
	w->ports[port].root = w->num_roots++;
	return root;
}

/* Gives all that wait for the ports of the queue, and for those, the nearest one's root. */
static void claim_victims(struct wait_graph *g, size_t queued)
{
	size_t u;

	for (size_t i = 0; i < queued; i++) {
		unsigned int num = 0;

		while (next_behind(g, g->queue[i], &num, &u)) {
			if (g->ports[u].root != NONE)
				continue;
			g->ports[u].root = g->ports[g->queue[i]].root;
			g->queue[queued++] = u;
		}
	}
}

static void find_ends(struct wait_graph *g, struct waits *w)
{
	size_t queued = 0;

	for (size_t i = 0; i < g->n; i++) {
		size_t ahead = NONE;

		if (next_ahead(g, i, &ahead))
			continue;
		add_root(w, i, WAIT_UNKNOWN);
		g->queue[queued++] = i;
	}
	claim_victims(g, queued);
}

/* ---- rings ------------------------------------------------------------------------------ */

/*
 * What found no end waits in a ring, or for one.  Taking away again and again what
 * nobody waits for leaves the rings.
 */
static void find_rings(struct wait_graph *g)
{
	size_t queued = 0, u, v;

	for (size_t i = 0; i < g->n; i++) {
		unsigned int num = 0;

		g->pending[i] = 0;
		if (g->ports[i].root != NONE)
			continue;
		while (next_behind(g, i, &num, &u))
			g->pending[i]++;
		g->ports[i].in_ring = g->pending[i];
		if (!g->pending[i])
			g->queue[queued++] = i;
	}
	for (size_t i = 0; i < queued; i++) {
		v = NONE;
		while (next_ahead(g, g->queue[i], &v)) {
			if (--g->pending[v])
				continue;
			g->ports[v].in_ring = false;
			g->queue[queued++] = v;
		}
	}
}

/* The ring around a port becomes a root, of which its worst port speaks. */
static void add_ring(struct wait_graph *g, struct waits *w, size_t start)
{
	size_t queued = 0, worst = start, v;
	bool stalled = true;

	g->ports[start].root = w->num_roots;
	g->queue[queued++] = start;
	for (size_t i = 0; i < queued; i++) {
		const struct wait_port *p = &g->ports[g->queue[i]];

		stalled &= is_stalled(p);
		if (p->wait > g->ports[worst].wait)
			worst = g->queue[i];
		v = NONE;
		while (next_ahead(g, g->queue[i], &v)) {
			if (!g->ports[v].in_ring || g->ports[v].root != NONE)
				continue;
			g->ports[v].root = w->num_roots;
			g->queue[queued++] = v;
		}
	}
	add_root(w, worst, stalled ? WAIT_LOOP : WAIT_RING);
	claim_victims(g, queued);
}

/* ---- causes ------------------------------------------------------------------------------ */

static double util_of(const struct wait_graph *g, const struct ibc_port *p)
{
	size_t at = find_wait_port(g, p);
	struct ibc_delta delta;

	if (at != NONE)
		return g->ports[at].util;
	return ibc_delta_among(g->before, p, 1u << IBC_XMIT_DATA, &delta)
	           ? ibc_delta_util_percent(p, &delta)
	           : -1;
}

/* Links of the same node to nodes of the same kind and depth. */
static void look_beside(const struct wait_graph *g, struct wait_root *root)
{
	const struct ibc_port *own = g->ports[root->port].port, *p;
	double sum = 0;
	size_t known = 0;

	for (unsigned int num = 1; (p = ibc_node_port(own->node, num)); num++) {
		double util;

		if (p == own || !p->peer || p->peer->node->type != own->peer->node->type ||
		    g->depth[node_order(p->peer->node)] != g->depth[node_order(own->peer->node)])
			continue;
		root->siblings++;
		if (gbps(p) > root->sibling_gbps)
			root->sibling_gbps = gbps(p);
		util = util_of(g, p);
		if (util < 0)
			continue;
		sum += util;
		known++;
	}
	if (known)
		root->sibling_util = sum / (double)known;
}

static bool has_retrained(const struct wait_graph *g, const struct ibc_port *p)
{
	struct ibc_delta delta;

	return ibc_delta_among(g->before, p, 1u << IBC_LINK_ERROR_RECOVERY, &delta) &&
	       delta.known & 1u << IBC_LINK_ERROR_RECOVERY && delta.value[IBC_LINK_ERROR_RECOVERY];
}

/* Of several planes one is full: it carries for those that are gone, or gets more than its share.
 */
static bool is_plane_lost(const struct wait_graph *g, const struct wait_root *root,
                          struct wait_others *others)
{
	return is_full(&g->ports[root->port]) &&
	       wait_planes_beside(&g->groups, g->ports[root->port].port, others) &&
	       (others->lost || (others->util >= 0 && others->util < UNEVEN_PERCENT));
}

static bool is_group_small(struct wait_graph *g, const struct wait_root *root,
                           struct wait_others *others)
{
	return wait_group_is_small(&g->groups, g->ports[root->port].port, others) &&
	       others->util >= 0 && others->util < UNEVEN_PERCENT;
}

static enum wait_cause cause_of(struct wait_graph *g, struct wait_root *root)
{
	const struct wait_port *w = &g->ports[root->port];
	const struct ibc_port *p = w->port;
	bool to_adapter = p->peer->node->type != IBC_NODE_SWITCH;

	if (has_retrained(g, p) || has_retrained(g, p->peer))
		return WAIT_RETRAINED;
	if (to_adapter && !is_full(w))
		return WAIT_SLOW_RECEIVER;
	if (is_plane_lost(g, root, &root->others))
		return WAIT_PLANE_LOST;
	if (gbps(p) < root->sibling_gbps)
		return WAIT_NARROW;
	if (!is_full(w))
		return WAIT_UNKNOWN;
	if (to_adapter)
		return WAIT_INCAST;
	if (root->sibling_util >= 0 && root->sibling_util < UNEVEN_PERCENT)
		return WAIT_UNEVEN;
	return is_group_small(g, root, &root->others) ? WAIT_GROUP_SMALL : WAIT_OVERSUBSCRIBED;
}

const struct ibc_word *wait_cause_word(enum wait_cause cause)
{
	static const struct ibc_word words[] = {
		[WAIT_UNKNOWN] = { "unknown", "unknown" },
		[WAIT_SLOW_RECEIVER] = { "slow_receiver", "slow receiver" },
		[WAIT_INCAST] = { "incast", "incast" },
		[WAIT_RETRAINED] = { "retrained", "link retrained" },
		[WAIT_NARROW] = { "narrow_link", "narrow link" },
		[WAIT_UNEVEN] = { "uneven_routes", "uneven routes" },
		[WAIT_NOT_ADAPTIVE] = { "adaptive_not_used", "adaptive routing not used" },
		[WAIT_GROUP_SMALL] = { "group_too_small", "group too small" },
		[WAIT_PLANE_LOST] = { "plane_lost", "plane lost" },
		[WAIT_OVERSUBSCRIBED] = { "oversubscribed", "too few links" },
		[WAIT_RING] = { "ring", "ring" },
		[WAIT_LOOP] = { "credit_loop", "credit loop" },
	};

	return &words[cause];
}

enum wait_cause wait_cause_settled(enum wait_cause cause, const struct ibc_port *port)
{
	bool adaptive = subnet_is_adaptive(port->node->subnet);

	if (cause == WAIT_UNEVEN && adaptive)
		return WAIT_NOT_ADAPTIVE;
	return cause == WAIT_GROUP_SMALL && !adaptive ? WAIT_OVERSUBSCRIBED : cause;
}

static void finish_roots(struct wait_graph *g, struct waits *w)
{
	for (size_t i = 0; i < g->n; i++) {
		struct wait_root *root = &w->roots[g->ports[i].root];

		if (g->ports[i].wait > root->worst_wait)
			root->worst_wait = g->ports[i].wait;
		root->lost += g->ports[i].lost;
		root->victims += i != root->port && !g->ports[i].in_ring;
	}
	for (size_t i = 0; i < w->num_roots; i++) {
		if (w->roots[i].cause != WAIT_UNKNOWN)
			continue;
		look_beside(g, &w->roots[i]);
		w->roots[i].cause = cause_of(g, &w->roots[i]);
	}
}

/* Nothing waits yet.  False: no memory. */
static bool index_ports(struct arena *a, struct wait_graph *g)
{
	const struct ibc_node *node;
	size_t n = 0;

	g->base = arena_array(a, ibc_fabric_count(g->now).nodes + 1, sizeof(*g->base));
	if (!g->base)
		return false;
	for (size_t i = 0; (node = ibc_fabric_node(g->now, i)); i++) {
		g->base[i] = n;
		n += node->num_ports + 1u;
	}
	g->at = arena_array(a, n + 1, sizeof(*g->at));
	for (size_t i = 0; g->at && i < n; i++)
		g->at[i] = NONE;
	return g->at;
}

bool waits_find(struct arena *a, const struct ibc_fabric *before, const struct ibc_fabric *now,
                struct waits *out)
{
	struct ibc_fabric_counts sizes = ibc_fabric_count(now);
	struct wait_graph g = { .before = before, .now = now };

	g.ports = arena_array(a, sizes.ports + 1, sizeof(*g.ports));
	g.first = arena_array(a, sizes.nodes + 1, sizeof(*g.first));
	g.depth = depth_measure(a, now);
	g.queue = arena_array(a, sizes.ports + 1, sizeof(*g.queue));
	g.pending = arena_array(a, sizes.ports + 1, sizeof(*g.pending));
	out->roots = arena_array(a, sizes.ports + 1, sizeof(*out->roots));
	out->num_roots = 0;
	if (!g.ports || !g.first || !g.depth || !g.queue || !g.pending || !out->roots ||
	    !index_ports(a, &g) || !wait_groups_init(a, before, now, g.depth, &g.groups))
		return false;
	for (size_t i = 0; i < sizes.nodes; i++)
		g.first[i] = NONE;
	collect_wait_ports(&g);
	out->ports = g.ports;
	out->n = g.n;
	find_ends(&g, out);
	find_rings(&g);
	for (size_t i = 0; i < g.n; i++)
		if (g.ports[i].in_ring && g.ports[i].root == NONE)
			add_ring(&g, out, i);
	finish_roots(&g, out);
	return true;
}
