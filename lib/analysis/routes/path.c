/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One route, hop by hop: a look at one entry of each table on it.  Without tables a shortest
 * one by cables: breadth-first, O(ports).
 */
#include "analysis/routes/routes.h"
#include "analysis/routes/service_levels.h"
#include "base/arena.h"
#include "base/error.h"
#include "fabric/build.h"
#include "fabric/fabric.h"

int routes_no_tables(const struct ibc_subnet *subnet, struct ibc_error *err)
{
	return fail(err, -ENODATA, "%s: no linear forwarding tables (LFTs) are known",
	            subnet->source);
}

/* The service level the SA gave for it; the record may be of any LID of the sender. */
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
	/* a port whose LID was not read may be the one */
	return ibc_port_unanswered(peer, IBC_ATTR_PORT_INFO) ? IBC_ROUTE_UNKNOWN
	                                                     : IBC_ROUTE_ELSEWHERE;
}

/* The port a switch sends it to; NULL: it goes no further, and *end says why. */
static const struct ibc_port *next_port(const struct ibc_path *path,
                                        const struct ibc_forwarding *lft, uint32_t column,
                                        enum ibc_route_end *end)
{
	const struct ibc_node *sw = lft->switches[column];
	size_t block = path->dlid / IBC_LFT_BLOCK;
	bool above = path->dlid > route_top(sw), has_row = path->dlid < lft->num_lids;
	bool known = has_row ? lft->known[block * lft->stride + column]
	                     : ibc_node_has(sw, IBC_ATTR_LFT);
	unsigned int num = above || !has_row ? IBC_NO_ENTRY
	                                     : lft->out[path->dlid * lft->stride + column];
	const struct ibc_port *port = ibc_node_port(sw, num);

	*end = above || known ? IBC_ROUTE_NO_ENTRY : IBC_ROUTE_UNKNOWN;
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
		return routes_no_tables(subnet, err);
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

/* ---- by cabling --------------------------------------------------------------------------- */

/*
 * struct cable_search - where a search has got to
 * @by: by node: the port that the node before it leaves by; NULL: it was not reached
 */
struct cable_search {
	const struct ibc_node **queue;
	const struct ibc_port **by;
	size_t n;
};

static void reach_by(struct cable_search *s, const struct ibc_port *out)
{
	const struct ibc_port *peer = out->peer;

	if (!peer || !ibc_port_is_up(out) || s->by[node_order(peer->node)])
		return;
	s->by[node_order(peer->node)] = out;
	s->queue[s->n++] = peer->node;
}

/* Forward from the source; hosts pass nothing on.  Then backward from the destination. */
static void search_cables(struct arena *tmp, struct ibc_path *path)
{
	size_t nodes = ibc_fabric_count(path->src->node->subnet->fabric).nodes + 1, n = 0;
	const struct ibc_node *from = path->src->node, *to = path->dst->node;
	struct cable_search s = {
		.queue = arena_array(tmp, nodes, sizeof(*s.queue)),
		.by = arena_array(tmp, nodes, sizeof(*s.by)),
	};

	if (path->src->num)
		reach_by(&s, path->src);
	else
		s.queue[s.n++] = from;
	for (size_t i = 0; i < s.n && !s.by[node_order(to)]; i++)
		for (unsigned int num = 1;
		     s.queue[i]->type == IBC_NODE_SWITCH && num <= s.queue[i]->num_ports; num++)
			reach_by(&s, &s.queue[i]->ports[num]);
	for (const struct ibc_node *at = to; at != from; at = s.by[node_order(at)]->node)
		if (!s.by[node_order(at)] || ++n > IBC_HOPS_MAX)
			return;
	path->end = IBC_ROUTE_ARRIVES;
	path->num = n;
	for (const struct ibc_node *at = to; n; at = s.by[node_order(at)]->node) {
		path->out[--n] = s.by[node_order(at)];
		path->vl[n] = IBC_VL_UNKNOWN;
	}
}

int ibc_path_by_cabling(const struct ibc_port *src, const struct ibc_port *dst,
                        struct ibc_path *out, struct ibc_error *err)
{
	struct arena *tmp = arena_new();

	*out = (struct ibc_path){ .src = src, .dst = dst, .end = IBC_ROUTE_UNKNOWN };
	if (!tmp || setjmp(*arena_entry(tmp))) {
		arena_free(tmp);
		return fail_nomem(err);
	}
	if (src->node == dst->node)
		out->end = IBC_ROUTE_ARRIVES;
	else
		search_cables(tmp, out);
	arena_free(tmp);
	return 0;
}
