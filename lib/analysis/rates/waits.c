/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/rates/waitgraph.h"

#include <stdlib.h>

#include <ibcheck/counters.h>

#include "base/arena.h"

#define UNEVEN_PERCENT 70 /* of the data rate: siblings of a full link have room */

double wait_lost_bytes(const struct ibc_port *port, double percent, double seconds)
{
	return percent > 0 ? percent / 100 * gbps(port) * 1e9 / 8 * seconds : 0;
}

/* ---- vertices ----------------------------------------------------------------------- */

static void collect_wait_ports(struct wait_graph *g)
{
	size_t nodes = ibc_fabric_count(g->now).nodes, n = 0;
	const struct ibc_node *node;
	const struct ibc_port *p;

	g->first = arena_array(g->arena, nodes + 1, sizeof(*g->first));
	g->base = arena_array(g->arena, nodes + 1, sizeof(*g->base));
	for (size_t i = 0; (node = ibc_fabric_node(g->now, i)); i++) {
		g->first[i] = NONE;
		g->base[i] = n;
		n += node->num_ports + 1u;
	}
	g->at = arena_array(g->arena, n + 1, sizeof(*g->at));
	for (size_t i = 0; i < n; i++)
		g->at[i] = NONE;
	for (size_t i = 0; (p = ibc_fabric_port(g->now, i)); i++) {
		struct vertex v = { .port = p,
			            .is = { .guid = p->node->guid, .num = p->num },
			            .root = NONE,
			            .outlet = NONE };
		struct ibc_delta delta;

		if (!p->num || !p->peer ||
		    !ibc_delta_among(g->before, p, 1u << IBC_XMIT_WAIT | 1u << IBC_XMIT_DATA,
		                     &delta))
			continue;
		v.is.wait = ibc_delta_wait_percent(p, &delta);
		v.is.util = ibc_delta_util_percent(p, &delta);
		v.is.lost = wait_lost_bytes(p, v.is.wait, delta.seconds);
		if (v.is.wait < WAITS_PERCENT && !is_full_vertex(&v))
			continue;
		if (g->first[node_order(p->node)] == NONE)
			g->first[node_order(p->node)] = g->n;
		g->at[g->base[node_order(p->node)] + p->num] = g->n;
		g->ports[g->n++] = v;
	}
}

/* ---- edges -------------------------------------------------------------------------- */

/* The next v > *at, or the first if *at is NONE, that u waits for. */
static bool next_ahead(const struct wait_graph *g, size_t u, size_t *at)
{
	const struct ibc_node *node = g->ports[u].port->peer->node;
	size_t v = *at == NONE ? g->first[node_order(node)] : *at + 1;

	for (; v < g->n && g->ports[v].port->node == node; v++) {
		if (!vertex_waits_for(g, u, v))
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
		if (*u != NONE && vertex_waits_for(g, *u, v))
			return true;
	}
	return false;
}

/* ---- roots and victims ---------------------------------------------------------------- */

static void add_root(struct wait_graph *g, size_t end, enum wait_cause cause)
{
	g->roots[g->num_roots] = (struct wait_root){ .cause = cause, .sibling_util = -1 };
	g->end[g->num_roots] = end;
	g->ports[end].root = g->num_roots++;
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

static int fullest_first(const void *va, const void *vz, void *ctx)
{
	const struct wait_graph *g = ctx;
	const struct wait_port *a = &g->ports[*(const size_t *)va].is;
	const struct wait_port *z = &g->ports[*(const size_t *)vz].is;

	return a->util == z->util ? 0 : a->util < z->util ? 1 : -1;
}

static void claim_by_rank(struct wait_graph *g, enum rank rank)
{
	size_t queued = 0;

	for (size_t i = 0; i < g->num_roots; i++)
		if (g->ports[g->end[i]].rank == rank)
			g->queue[queued++] = g->end[i];
	if (rank == MAY_BE && queued)
		qsort_r(g->queue, queued, sizeof(*g->queue), fullest_first, g);
	claim_victims(g, queued);
}

/* ---- rings ------------------------------------------------------------------------------ */

/*
 * What found no end waits in a ring, or for one.  Taking away again and again what
 * no port waits for leaves the rings.
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
		g->ports[i].is.in_ring = g->pending[i];
		if (!g->pending[i])
			g->queue[queued++] = i;
	}
	for (size_t i = 0; i < queued; i++) {
		v = NONE;
		while (next_ahead(g, g->queue[i], &v)) {
			if (--g->pending[v])
				continue;
			g->ports[v].is.in_ring = false;
			g->queue[queued++] = v;
		}
	}
}

/* The ring around a port becomes a root, of which its worst port speaks. */
static void add_ring(struct wait_graph *g, size_t start)
{
	size_t queued = 0, worst = start, v;
	bool stalled = true;

	g->ports[start].root = g->num_roots;
	g->queue[queued++] = start;
	for (size_t i = 0; i < queued; i++) {
		const struct vertex *p = &g->ports[g->queue[i]];

		stalled &= is_stalled_vertex(p);
		if (p->is.wait > g->ports[worst].is.wait)
			worst = g->queue[i];
		v = NONE;
		while (next_ahead(g, g->queue[i], &v)) {
			if (!g->ports[v].is.in_ring || g->ports[v].root != NONE)
				continue;
			g->ports[v].root = g->num_roots;
			g->queue[queued++] = v;
		}
	}
	add_root(g, worst, stalled ? WAIT_LOOP : WAIT_RING);
	claim_victims(g, queued);
}

/* ---- what carries traffic beside a link -------------------------------------------------- */

/* A mean of those that are known. */
static void add_util(const struct wait_graph *g, const struct ibc_port *port, unsigned int *n,
                     double *sum)
{
	double util = util_of(g, port);

	*n += util >= 0;
	*sum += util >= 0 ? util : 0;
}

/* Links of the same node to nodes of the same kind and depth. */
static void look_beside(const struct wait_graph *g, const struct ibc_port *own,
                        struct wait_root *root)
{
	const struct ibc_port *p;
	unsigned int known = 0;
	double sum = 0;

	for (unsigned int num = 1; (p = ibc_node_port(own->node, num)); num++) {
		if (p == own || !p->peer || p->peer->node->type != own->peer->node->type ||
		    g->depth[node_order(p->peer->node)] != g->depth[node_order(own->peer->node)])
			continue;
		root->siblings++;
		if (gbps(p) > root->sibling_gbps)
			root->sibling_gbps = gbps(p);
		add_util(g, p, &known, &sum);
	}
	if (known)
		root->sibling_util = sum / known;
}

/* Of a link between switches: the port of the same number of its sibling in a plane. */
static const struct ibc_port *link_of_sibling(const struct planes *p, const struct ibc_port *port,
                                              unsigned int plane)
{
	uint32_t set = p->set_of[switch_number(p->sw, port->node)];
	uint32_t s = set == NO_SWITCH ? NO_SWITCH : p->members[(size_t)set * p->n + plane];
	const struct ibc_port *beside = s == NO_SWITCH ? NULL
	                                               : ibc_node_port(p->sw->nodes[s], port->num);

	return beside && beside->peer ? beside : NULL;
}

/* Of a link between switches, what its own switch has lost counts: the others have more than it. */
static unsigned int links_lost(const struct planes *p, const struct ibc_port *port)
{
	unsigned int lost = 0;

	for (unsigned int num = 1; num <= port->node->num_ports; num++) {
		const struct ibc_port *own = ibc_node_port(port->node, num);
		unsigned int has = 0;

		for (unsigned int k = 0; !own->peer && k < p->n; k++)
			has += link_of_sibling(p, own, k) != NULL;
		lost += has * 2 > p->n;
	}
	return lost;
}

/* The same link in other planes of XDR ports.  False: it is of no plane. */
static bool look_at_planes(const struct wait_graph *g, const struct ibc_port *port,
                           struct wait_others *out)
{
	const struct planes *p = &g->planes;
	bool to_hca = port->peer->node->type == IBC_NODE_CA;
	unsigned int known = 0;
	double sum = 0;

	*out = (struct wait_others){ .all = p->n };
	if (!p->n || port->node->type != IBC_NODE_SWITCH ||
	    (to_hca && node_planes(port->peer->node) != p->n) ||
	    p->set_of[switch_number(p->sw, port->node)] == NO_SWITCH)
		return false;
	for (unsigned int k = 0; k < p->n; k++) {
		const struct ibc_port *far = to_hca ? planes_port(p, port->peer->node, k) : NULL;
		const struct ibc_port *beside = far      ? far->peer
		                                : to_hca ? NULL
		                                         : link_of_sibling(p, port, k);

		out->lost += to_hca && !beside;
		if (beside && beside != port)
			add_util(g, beside, &known, &sum);
	}
	if (!to_hca)
		out->lost = links_lost(p, port);
	out->util = known ? sum / known : -1;
	return true;
}

static bool leads_away(const struct wait_graph *g, const struct ibc_port *port)
{
	return port->peer && port->peer->node->type == IBC_NODE_SWITCH &&
	       rise_of_cable(g, port) > 0;
}

static void measure_uplinks(struct wait_graph *g)
{
	const struct ibc_node *node;
	const struct ibc_port *port;

	if (g->uplinks)
		return;
	g->uplinks = arena_array(g->arena, ibc_fabric_count(g->now).switches + 1,
	                         sizeof(*g->uplinks));
	for (size_t i = 0; (node = ibc_fabric_node(g->now, i)); i++) {
		struct uplinks *u = &g->uplinks[g->num_uplinks];

		if (node->type != IBC_NODE_SWITCH)
			continue;
		*u = (struct uplinks){ .node = node };
		for (unsigned int num = 1; (port = ibc_node_port(node, num)); num++) {
			if (!leads_away(g, port))
				continue;
			u->links++;
			add_util(g, port, &u->known, &u->util);
		}
		g->num_uplinks += u->links > 0;
	}
}

/*
 * What most switches of its model at the same depth have more than that of the port; others may
 * have fewer ports to lead up by.  False: it is no uplink, or they have no more.
 */
static bool look_at_uplinks(struct wait_graph *g, const struct ibc_port *port,
                            struct wait_others *out)
{
	const struct ibc_node *own = port->node;
	unsigned int links = 0, like = 0, more = 0, known = 0;
	double sum = 0;

	*out = (struct wait_others){ .util = -1 };
	if (!leads_away(g, port))
		return false;
	measure_uplinks(g);
	for (size_t i = 0; i < g->num_uplinks; i++)
		links = g->uplinks[i].node == own ? g->uplinks[i].links : links;
	for (size_t i = 0; i < g->num_uplinks; i++) {
		const struct uplinks *u = &g->uplinks[i];

		if (u->node == own || g->depth[node_order(u->node)] != g->depth[node_order(own)] ||
		    u->node->vendor_id != own->vendor_id || u->node->device_id != own->device_id ||
		    u->node->num_ports != own->num_ports)
			continue;
		like++;
		if (u->links <= links)
			continue;
		more++;
		known += u->known;
		sum += u->util;
		if (!out->all || u->links < out->all)
			out->all = u->links;
	}
	out->lost = more * 2 > like ? out->all - links : 0;
	out->util = known ? sum / known : -1;
	return out->lost;
}

/* ---- causes ------------------------------------------------------------------------------ */

static bool has_retrained(const struct wait_graph *g, const struct ibc_port *p)
{
	struct ibc_delta delta;

	return ibc_delta_among(g->before, p, 1u << IBC_LINK_ERROR_RECOVERY, &delta) &&
	       delta.known & 1u << IBC_LINK_ERROR_RECOVERY && delta.value[IBC_LINK_ERROR_RECOVERY];
}

static bool have_room(const struct wait_others *others)
{
	return others->util >= 0 && others->util < UNEVEN_PERCENT;
}

static enum wait_cause cause_of(struct wait_graph *g, const struct vertex *v,
                                struct wait_root *root)
{
	const struct ibc_port *p = v->port;
	bool to_adapter = p->peer->node->type != IBC_NODE_SWITCH;

	if (has_retrained(g, p) || has_retrained(g, p->peer))
		return WAIT_RETRAINED;
	if (to_adapter && !is_full_vertex(v))
		return WAIT_SLOW_RECEIVER;
	/* of several planes one is full: it carries for those that are gone, or gets too much */
	if (is_full_vertex(v) && look_at_planes(g, p, &root->others) &&
	    (root->others.lost || have_room(&root->others)))
		return WAIT_PLANE_LOST;
	if (gbps(p) < root->sibling_gbps)
		return WAIT_NARROW;
	if (!is_full_vertex(v))
		return WAIT_UNKNOWN;
	if (to_adapter)
		return WAIT_INCAST;
	if (root->sibling_util >= 0 && root->sibling_util < UNEVEN_PERCENT)
		return WAIT_UNEVEN;
	return look_at_uplinks(g, p, &root->others) && have_room(&root->others)
	           ? WAIT_GROUP_SMALL
	           : WAIT_OVERSUBSCRIBED;
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

static void note_rival(struct wait_graph *g, size_t root, size_t other)
{
	struct wait_root *r = &g->roots[root];
	const struct wait_root *o = &g->roots[other];

	if (r->cause == WAIT_UNKNOWN || o->cause == WAIT_UNKNOWN ||
	    (r->rival && r->rival->wait >= o->ports->wait))
		return;
	r->rival = o->ports;
	r->rival_cause = o->cause;
}

static bool leads_to_host(const struct vertex *v)
{
	return v->port->peer->node->type != IBC_NODE_SWITCH;
}

/*
 * Without tables a victim of one root may be that of another; where they are known they decide.
 * Links of one switch to others are alike: what is the matter with one is with the other.
 */
static void find_rivals(struct wait_graph *g)
{
	for (size_t u = 0; u < g->n; u++) {
		size_t own = g->ports[u].root, v = NONE;
		const struct vertex *end = &g->ports[g->end[own]];

		if (g->ports[u].port->node->subnet->forwarding || g->end[own] == u)
			continue;
		while (next_ahead(g, u, &v)) {
			size_t other = g->ports[v].root;
			const struct vertex *o = &g->ports[g->end[other]];

			if (other == own || (o->port->node == end->port->node &&
			                     !leads_to_host(o) && !leads_to_host(end)))
				continue;
			note_rival(g, own, other);
			note_rival(g, other, own);
		}
	}
}

/* Sums, causes, and the ports: the end itself first, then rings, then victims. */
static void finish_roots(struct wait_graph *g, struct arena *keep)
{
	enum { ITSELF, RING, VICTIM, PLACES };

	for (size_t i = 0; i < g->n; i++) {
		const struct wait_port *is = &g->ports[i].is;
		struct wait_root *root = &g->roots[g->ports[i].root];

		root->n++;
		if (is->wait > root->worst_wait)
			root->worst_wait = is->wait;
		root->lost += is->lost;
		root->victims += i != g->end[g->ports[i].root] && !is->in_ring;
	}
	for (size_t i = 0; i < g->num_roots; i++) {
		struct wait_root *root = &g->roots[i];
		const struct vertex *end = &g->ports[g->end[i]];

		root->ports = arena_array(keep, root->n, sizeof(*root->ports));
		root->n = 0;
		if (root->cause != WAIT_UNKNOWN)
			continue;
		look_beside(g, end->port, root);
		root->cause = cause_of(g, end, root);
	}
	for (int place = ITSELF; place < PLACES; place++)
		for (size_t i = 0; i < g->n; i++) {
			const struct vertex *v = &g->ports[i];
			struct wait_root *root = &g->roots[v->root];
			bool itself = g->end[v->root] == i;

			if (place == (itself ? ITSELF : v->is.in_ring ? RING : VICTIM))
				root->ports[root->n++] = v->is;
		}
}

struct wait_root *waits_find(struct arena *a, struct arena *keep, const struct ibc_fabric *before,
                             const struct ibc_fabric *now, size_t *n)
{
	struct wait_graph g = { .arena = a, .before = before, .now = now };
	size_t ports = ibc_fabric_count(now).ports + 1;
	const struct ibc_node *node;

	g.ports = arena_array(a, ports, sizeof(*g.ports));
	g.roots = arena_array(a, ports, sizeof(*g.roots));
	g.end = arena_array(a, ports, sizeof(*g.end));
	g.queue = arena_array(a, ports, sizeof(*g.queue));
	g.pending = arena_array(a, ports, sizeof(*g.pending));
	g.depth = depth_measure(a, now);
	for (size_t i = 0; (node = ibc_fabric_node(now, i)); i++)
		if (node_planes(node)) {
			switches_collect(a, a, now, &g.sw);
			planes_find(a, &g.sw, &g.planes);
			break;
		}
	collect_wait_ports(&g);
	edges_find(&g);
	/* where nothing is waited for, a root is */
	for (size_t i = 0; i < g.n; i++) {
		size_t ahead = NONE;

		if (!next_ahead(&g, i, &ahead))
			add_root(&g, i, WAIT_UNKNOWN);
	}
	for (enum rank rank = CONTESTED; rank < RANKS; rank++)
		claim_by_rank(&g, rank);
	find_rings(&g);
	for (size_t i = 0; i < g.n; i++)
		if (g.ports[i].is.in_ring && g.ports[i].root == NONE)
			add_ring(&g, i);
	finish_roots(&g, keep);
	find_rivals(&g);
	*n = g.num_roots;
	return g.roots;
}
