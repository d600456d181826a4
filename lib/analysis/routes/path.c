/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One way, hop by hop: a look at one entry of each table on it.  And all pairs that use a
 * port: of each LID that leaves by it, which switches send it there, found by following
 * every switch until it meets one already known.  O(such LIDs x switches), and a bit each.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/routes/routes.h"
#include "analysis/routes/service_levels.h"
#include "base/arena.h"
#include "base/error.h"
#include "fabric/build.h"
#include "fabric/fabric.h"

static int no_tables(const struct ibc_subnet *subnet, struct ibc_error *err)
{
	return fail(err, -ENODATA, "%s: no linear forwarding tables (LFTs) are known",
	            subnet->source);
}

/* ---- one way ------------------------------------------------------------------------------ */

/* The service level the SA gave for it; it may have told of any LID of the sender. */
static void find_sl(struct ibc_path *path)
{
	const struct ibc_sa *sa = path->src->node->subnet->sa;
	size_t i = sa ? sl_find_record(sa, path->dlid, path->src->lid) : 0;

	if (!sa || i == sa->num_paths || sa->paths[i].dlid != path->dlid ||
	    sa->paths[i].slid >> path->src->lmc != path->src->lid >> path->src->lmc)
		return;
	path->sl = sa->paths[i].sl;
	path->sl_known = true;
}

/* Where the cable of a port leads to no other switch. */
static enum ibc_route_end end_of_hop(const struct ibc_path *path, uint32_t next_hop,
                                     const struct ibc_port *peer)
{
	if (next_hop == HOP_DOWN)
		return IBC_ROUTE_DOWN;
	if (next_hop == HOP_UNKNOWN)
		return IBC_ROUTE_UNKNOWN;
	if (path->dst == peer)
		return IBC_ROUTE_ARRIVES;
	/* who did not tell its LID may be the one */
	return ibc_port_unanswered(peer, IBC_ATTR_PORT_INFO) ? IBC_ROUTE_UNKNOWN
	                                                     : IBC_ROUTE_ELSEWHERE;
}

/* What the table of a switch has; *missing: why, if that is nothing. */
static unsigned int entry_of(const struct ibc_path *path, const struct ibc_forwarding *lft,
                             uint32_t column, enum ibc_route_end *missing)
{
	const struct ibc_node *sw = lft->switches[column];
	size_t block = path->dlid / IBC_LFT_BLOCK;
	bool above = path->dlid > route_top(sw), has_row = path->dlid < lft->num_lids;
	bool known = has_row ? lft->known[block * lft->stride + column]
	                     : ibc_node_has(sw, IBC_ATTR_LFT);

	*missing = above || known ? IBC_ROUTE_NO_ENTRY : IBC_ROUTE_UNKNOWN;
	return above || !has_row ? IBC_NO_ENTRY : lft->out[path->dlid * lft->stride + column];
}

/* The port a switch sends it to; NULL: it goes no further, and *end says why. */
static const struct ibc_port *next_port(const struct ibc_path *path,
                                        const struct ibc_forwarding *lft, uint32_t column,
                                        enum ibc_route_end *end)
{
	unsigned int num = entry_of(path, lft, column, end);
	const struct ibc_port *port = ibc_node_port(lft->switches[column], num);

	if (num == IBC_NO_ENTRY)
		return NULL;
	*end = num == 0 && path->dst == port ? IBC_ROUTE_ARRIVES : IBC_ROUTE_NO_PORT;
	return num ? port : NULL;
}

static bool was_at(const struct ibc_path *path, const struct ibc_node *sw)
{
	for (size_t i = 0; i < path->num; i++)
		if (path->out[i]->node == sw)
			return true;
	return false;
}

/* From a port it leaves by, having come in at its node by another. */
static enum ibc_route_end follow_path(struct ibc_path *path, const struct ibc_forwarding *lft,
                                      const struct ibc_port *out, unsigned int in)
{
	enum ibc_route_end end;

	for (;;) {
		uint32_t next_hop = route_next_hop(lft, out);

		path->vl[path->num] = (uint8_t)ibc_switch_vl(out->node, in, out->num, path->sl);
		path->out[path->num++] = out;
		if (next_hop >= HOP_SPECIAL)
			return end_of_hop(path, next_hop, out->peer);
		if (was_at(path, out->peer->node))
			return IBC_ROUTE_LOOP;
		if (path->num > IBC_HOPS_MAX)
			return IBC_ROUTE_UNKNOWN;
		in = out->peer->num;
		out = next_port(path, lft, next_hop >> 8, &end);
		if (!out)
			return end;
	}
}

int ibc_path_find(const struct ibc_port *src, unsigned int dlid, struct ibc_path *out,
                  struct ibc_error *err)
{
	const struct ibc_subnet *subnet = src->node->subnet;
	const struct ibc_forwarding *lft = subnet->forwarding;
	const struct ibc_port *first = src;

	if (!lft)
		return no_tables(subnet, err);
	*out = (struct ibc_path){
		.src = src,
		.dst = ibc_fabric_port_by_lid(subnet, dlid),
		.dlid = dlid,
		.end = IBC_ROUTE_ARRIVES, /* without leaving, at itself */
	};
	find_sl(out);
	if (out->dst == src)
		return 0;
	if (src->node->type == IBC_NODE_SWITCH)
		first = next_port(
		    out, lft, (uint32_t)fabric_column(lft->switches, lft->num_switches, src->node),
		    &out->end);
	if (first)
		out->end = follow_path(out, lft, first, 0);
	return 0;
}

/* ---- who uses a port ------------------------------------------------------------------------ */

enum passage { UNSEEN, ON_THE_ROUTE, PASSES, PASSES_NOT };

/*
 * struct lid_users - the pairs that use a port of a switch or of a host
 * @order: hosts by GUID, then port
 * @lids: those of hosts that leave by the port, in that order
 * @passes: of lids[i], from passes[i * words]: the set of columns that send it that way;
 *	NULL: it is the port of a host, which sends everything by it
 * @passage: of the LID that is followed, by column
 */
struct lid_users {
	struct route_subnet *p;
	const struct ibc_port *port;
	uint32_t *order;
	struct route_dest *lids;
	size_t num_lids, words;
	uint64_t *passes;
	uint8_t *passage;
};

static int by_node(const void *va, const void *vz, void *ctx)
{
	const struct route_host *hosts = ctx;
	const struct ibc_port *a = hosts[*(const uint32_t *)va].port;
	const struct ibc_port *z = hosts[*(const uint32_t *)vz].port;
	size_t x = node_order(a->node), y = node_order(z->node);

	return x == y ? a->num - z->num : (x > y) - (x < y);
}

static bool order_hosts(struct lid_users *u)
{
	size_t n = u->p->num_hosts;

	u->order = arena_array(u->p->routes->arena, n + 1, sizeof(*u->order));
	if (!u->order)
		return false;
	for (uint32_t h = 0; h < n; h++)
		u->order[h] = h;
	if (n)
		qsort_r(u->order, n, sizeof(*u->order), by_node, u->p->hosts);
	return true;
}

/* Does the switch, or host, of the port send it there?  By a port 0 nothing leaves. */
static bool leaves_by_port(const struct lid_users *u, size_t column, unsigned int lid)
{
	if (column == SIZE_MAX)
		return true;
	return u->port->num && route_has_row(u->p, lid) && lid <= u->p->top[column] &&
	       route_row(u->p, lid)[column] == u->port->num;
}

static bool find_lids(struct lid_users *u, size_t column)
{
	u->lids = arena_array(u->p->routes->arena, u->p->host_dests + 1, sizeof(*u->lids));
	for (size_t i = 0; u->lids && i < u->p->num_hosts; i++) {
		const struct route_host *host = &u->p->hosts[u->order[i]];

		for (unsigned int lid = host->lid; lid < host->lid + (1u << host->lmc); lid++)
			if (leaves_by_port(u, column, lid))
				u->lids[u->num_lids++] = (struct route_dest){
					.host = u->order[i],
					.lid = (uint16_t)lid,
				};
	}
	return u->lids;
}

/* From a switch until what is known, and that holds for the whole way there. */
static void mark_route(struct lid_users *u, const uint8_t *row, uint32_t column)
{
	uint32_t next = next_hop_switch(column, 0);
	enum passage found = PASSES_NOT;

	while (next < HOP_SPECIAL && u->passage[next >> 8] == UNSEEN) {
		u->passage[next >> 8] = ON_THE_ROUTE;
		next = route_next(u->p, row, next >> 8);
	}
	if (next < HOP_SPECIAL && u->passage[next >> 8] == PASSES)
		found = PASSES;
	next = next_hop_switch(column, 0);
	while (next < HOP_SPECIAL && u->passage[next >> 8] == ON_THE_ROUTE) {
		u->passage[next >> 8] = (uint8_t)found;
		next = route_next(u->p, row, next >> 8);
	}
}

static bool find_passes(struct lid_users *u, size_t column)
{
	struct arena *a = u->p->routes->arena;
	uint32_t n = u->p->n;
	uint8_t *scratch = arena_alloc(a, n);

	u->words = (n + 63) / 64;
	u->passage = arena_alloc(a, n);
	u->passes = arena_array(a, u->num_lids + 1, u->words * sizeof(*u->passes));
	if (!scratch || !u->passage || !u->passes)
		return false;
	for (size_t i = 0; i < u->num_lids; i++) {
		const uint8_t *row = route_entries(u->p, u->lids[i].lid, scratch);

		memset(u->passage, UNSEEN, n);
		u->passage[column] = PASSES;
		for (uint32_t s = 0; s < n; s++) {
			mark_route(u, row, s);
			if (u->passage[s] == PASSES)
				u->passes[i * u->words + s / 64] |= 1ull << s % 64;
		}
	}
	return true;
}

static bool passes(const struct lid_users *u, size_t i, uint32_t column)
{
	return !u->passes || u->passes[i * u->words + column / 64] >> column % 64 & 1;
}

static int64_t report_pairs(const struct lid_users *u, ibc_pair_fn fn, void *ctx)
{
	int64_t pairs = 0;

	for (size_t k = 0; k < u->p->num_hosts; k++) {
		const struct route_host *src = &u->p->hosts[u->order[k]];

		if (!u->passes && src->port != u->port)
			continue;
		for (size_t i = 0; i < u->num_lids; i++) {
			const struct route_dest *dest = &u->lids[i];

			if (dest->host == u->order[k] || !passes(u, i, src->sw))
				continue;
			if (fn)
				fn(ctx, src->port, u->p->hosts[dest->host].port, dest->lid);
			pairs++;
		}
	}
	return pairs;
}

static bool find_users(struct lid_users *u)
{
	bool of_switch = u->port->node->type == IBC_NODE_SWITCH;
	const struct ibc_forwarding *lft = u->p->lft;
	size_t column = SIZE_MAX;

	if (of_switch)
		column = fabric_column(lft->switches, lft->num_switches, u->port->node);
	return routes_graph(u->p) && order_hosts(u) && find_lids(u, column) &&
	       (!of_switch || find_passes(u, column));
}

int64_t ibc_path_using(const struct ibc_port *port, ibc_pair_fn fn, void *ctx,
                       struct ibc_error *err)
{
	const struct ibc_subnet *subnet = port->node->subnet;
	struct ibc_routes routes = { .fab = subnet->fabric };
	struct route_subnet p = { .routes = &routes, .subnet = subnet, .lft = subnet->forwarding };
	struct lid_users u = { .p = &p, .port = port };
	int64_t pairs = -ENOMEM;

	if (!subnet->forwarding)
		return no_tables(subnet, err);
	routes.arena = p.tmp = arena_new();
	if (routes.arena && find_users(&u))
		pairs = report_pairs(&u, fn, ctx);
	else
		fail_nomem(err);
	arena_free(routes.arena);
	return pairs;
}
