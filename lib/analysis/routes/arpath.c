/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ways between two ports where switches choose, and who can send by a port.
 * O(LIDs x switches + choices).
 */
#include <stdlib.h>

#include "analysis/routes/adaptive.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "fabric/build.h"

/*
 * struct query - a subnet that is looked at once
 * @share: by column, what comes there of the packets; @hop: switches before it; 0: not found
 */
struct query {
	struct ibc_routes routes;
	struct route_subnet p;
	struct choice_ports ports;
	struct choices c;
	double *share;
	unsigned int *hop;
	uint8_t *passes;
};

static bool has_private_tables(const struct ibc_forwarding *lft)
{
	for (size_t i = 0; i < lft->num_switches; i++)
		if (lft->ar->switches[i].private_tables)
			return true;
	return false;
}

/* 0: *out is NULL where nothing can be followed. */
static int start_query(const struct ibc_subnet *subnet, struct query **out, struct ibc_error *err)
{
	const struct ibc_forwarding *lft = subnet->forwarding;
	struct arena *a;
	struct query *q;

	*out = NULL;
	if (!lft || !lft->ar || has_private_tables(lft))
		return 0;
	a = arena_new();
	q = a ? arena_alloc(a, sizeof(*q)) : NULL;
	if (q) {
		q->routes = (struct ibc_routes){ .arena = a, .fab = subnet->fabric };
		q->p = (struct route_subnet){ .routes = &q->routes, .subnet = subnet, .lft = lft };
		q->p.tmp = a;
		q->share = arena_array(a, lft->num_switches + 1, sizeof(*q->share));
		q->hop = arena_array(a, lft->num_switches + 1, sizeof(*q->hop));
		q->passes = arena_alloc(a, lft->num_switches + 1);
	}
	if (!q || !q->share || !q->hop || !q->passes || !routes_graph(&q->p) ||
	    !choice_ports_new(&q->ports, &q->p, a) || !choices_new(&q->c, &q->p, &q->ports, a)) {
		arena_free(a);
		return fail_nomem(err);
	}
	*out = q;
	return 0;
}

/* ---- all ways to a LID ---------------------------------------------------------------- */

struct hop_list {
	struct ibc_ar_hop *hops;
	size_t n, room;
};

static const struct route_dest *host_dest(const struct route_subnet *p, unsigned int dlid)
{
	for (size_t i = 0; i < p->host_dests; i++)
		if (p->dests[i].lid == dlid)
			return &p->dests[i];
	return NULL;
}

/* How many switches lie before each, breadth-first. */
static void find_hops(struct query *q, uint32_t from)
{
	const struct choices *c = &q->c;
	uint32_t *queue = q->c.stack;
	size_t n = 0;

	queue[n++] = from;
	q->hop[from] = 1;
	for (size_t i = 0; i < n; i++) {
		unsigned int at = 0, port;

		while (ports_next(&c->links[queue[i]], &at, &port)) {
			uint32_t next = choice_next(&q->p, queue[i], port);

			if (q->hop[next])
				continue;
			q->hop[next] = q->hop[queue[i]] + 1;
			queue[n++] = next;
		}
	}
}

/* What can become of what a switch sends by a port. */
static uint8_t fate_by(const struct query *q, uint32_t s, unsigned int port)
{
	const struct route_subnet *p = &q->p;
	const struct choices *c = &q->c;

	if (ports_have(&c->links[s], port))
		return c->fate[choice_next(p, s, port)];
	if (s == c->dest->sw && port == c->dest->out)
		return FATE_ARRIVES;
	return port < p->width && p->next_hop[(size_t)s * p->width + port] == HOP_UNKNOWN
	           ? FATE_UNKNOWN
	           : FATE_DEAD;
}

static bool put_hop(const struct query *q, struct hop_list *list, uint32_t s, unsigned int port,
                    double share)
{
	uint8_t fate = fate_by(q, s, port);
	bool ends = fate & (FATE_DEAD | FATE_RING);

	if (!grow(&list->hops, list->n, &list->room, sizeof(*list->hops)))
		return false;
	list->hops[list->n++] = (struct ibc_ar_hop){
		.out = ibc_node_port(q->p.lft->switches[s], port),
		.hop = q->hop[s],
		.share = share,
		.ends = ends,
		.unknown = !ends && (fate & FATE_UNKNOWN || choices_untold(&q->c, s)),
	};
	return true;
}

/* What a switch sends on; of rings it is not known how often they are passed. */
static bool put_switch(struct query *q, struct hop_list *list, uint32_t s)
{
	const struct choices *c = &q->c;
	struct ibc_port_set set = choices_of(c, s);
	unsigned int at = 0, port;
	double share;

	for (unsigned int i = 0; i < SET_WORDS; i++)
		set.words[i] &= ~q->ports.down[s].words[i];
	share = q->share[s] / ports_count(&set);
	while (ports_next(&set, &at, &port)) {
		if (!ibc_node_port(q->p.lft->switches[s], port))
			continue;
		if (!put_hop(q, list, s, port, share))
			return false;
		if (ports_have(&c->links[s], port) && !c->ring[s])
			q->share[choice_next(&q->p, s, port)] += share;
	}
	return true;
}

static int by_hop(const void *va, const void *vz)
{
	const struct ibc_ar_hop *a = va, *z = vz;

	return order_u64(a->hop, z->hop)
	           ?: (order_u64(a->out->node->guid, z->out->node->guid)
	                   ?: order_u64(a->out->num, z->out->num));
}

static bool follow_ways(struct query *q, const struct ibc_port *src, const struct route_dest *dest,
                        struct hop_list *list)
{
	uint32_t from = (uint32_t)fabric_column(q->p.lft->switches, q->p.n, src->peer->node);

	choices_to(&q->c, dest);
	choices_follow(&q->c);
	if (!q->c.fate[from])
		return true;
	find_hops(q, from);
	q->share[from] = 1;
	for (uint32_t i = q->c.num_order; i-- > 0;)
		if (q->hop[q->c.order[i]] && !put_switch(q, list, q->c.order[i]))
			return false;
	if (list->n)
		qsort(list->hops, list->n, sizeof(*list->hops), by_hop);
	return true;
}

int ibc_ar_path(const struct ibc_port *src, unsigned int dlid, struct ibc_ar_hop **hops, size_t *n,
                struct ibc_error *err)
{
	struct hop_list list = { 0 };
	const struct route_dest *dest;
	struct query *q;
	int rc;

	*hops = NULL;
	*n = 0;
	if (!src->peer || src->peer->node->type != IBC_NODE_SWITCH)
		return 0;
	rc = start_query(src->node->subnet, &q, err);
	if (rc || !q)
		return rc;
	dest = host_dest(&q->p, dlid);
	if (dest && !follow_ways(q, src, dest, &list)) {
		free(list.hops);
		list = (struct hop_list){ 0 };
		rc = fail_nomem(err);
	}
	*hops = list.hops;
	*n = list.n;
	arena_free(q->routes.arena);
	return rc;
}

/* ---- who can send by a port ------------------------------------------------------------- */

/* Which switches can send what was followed through the column, by the port if it is not 0. */
static bool find_passing(struct query *q, uint32_t column, unsigned int port)
{
	const struct choices *c = &q->c;
	struct ibc_port_set set;

	if (!c->fate[column])
		return false;
	set = choices_of(c, column);
	if (port && !ports_have(&set, port))
		return false;
	choices_passing(c, column, q->passes);
	return true;
}

static int64_t each_sender(const struct query *q, const struct route_dest *dest, ibc_pair_fn fn,
                           void *ctx)
{
	const struct route_subnet *p = &q->p;
	int64_t pairs = 0;

	for (uint32_t i = 0; i < p->num_senders; i++) {
		uint32_t s = p->senders[i];

		for (uint32_t h = p->first_host[s]; q->passes[s] && h < p->first_host[s + 1]; h++) {
			if (h == dest->host)
				continue;
			if (fn)
				fn(ctx, p->hosts[h].port, p->hosts[dest->host].port, dest->lid);
			pairs++;
		}
	}
	return pairs;
}

int64_t ibc_ar_using(struct ibc_place place, ibc_pair_fn fn, void *ctx, struct ibc_error *err)
{
	bool passes = false;
	int64_t pairs = 0;
	uint32_t column;
	struct query *q;
	int rc;

	if (place.node->type != IBC_NODE_SWITCH)
		return 0;
	rc = start_query(place.node->subnet, &q, err);
	if (rc || !q)
		return rc;
	column = (uint32_t)fabric_column(q->p.lft->switches, q->p.n, place.node);
	for (size_t i = 0; i < q->p.host_dests; i++) {
		/* its own switch sends it by another port than those before */
		if (!choices_to(&q->c, &q->p.dests[i]) || column == q->p.dests[i].sw) {
			choices_follow(&q->c);
			passes = find_passing(q, column, place.port);
		}
		if (passes)
			pairs += each_sender(q, &q->p.dests[i], fn, ctx);
	}
	arena_free(q->routes.arena);
	return pairs;
}
