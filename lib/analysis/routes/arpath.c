/* SPDX-License-Identifier: BSD-2-Clause */
/* The routes between two ports where switches choose.  O(LIDs x switches + choices). */
#include <stdlib.h>
#include <string.h>

#include "analysis/routes/choices.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "fabric/build.h"

/*
 * struct query - a subnet that is looked at once
 * @share: by column, what comes there of the packets; @hop: switches before it; 0: not found
 * @hops, @n: what was found
 */
struct query {
	struct ibc_routes routes;
	struct route_subnet p;
	struct choice_ports ports;
	struct choices c;
	double *share;
	unsigned int *hop;
	struct ibc_ar_hop *hops;
	size_t n, room;
};

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
	const struct choices *c = &q->c;

	if (ports_have(&c->links[s], port))
		return c->fate[choice_next(&q->p, s, port)];
	if (s == c->dest->sw && port == c->dest->out)
		return FATE_ARRIVES;
	return choice_hop(&q->p, s, port) == HOP_UNKNOWN ? FATE_UNKNOWN : FATE_DEAD;
}

/* What a switch sends on; of rings it is not known how often they are passed. */
static void put_switch(struct query *q, uint32_t s)
{
	const struct choices *c = &q->c;
	struct ibc_port_set set = choices_of(c, s);
	unsigned int at = 0, port;
	double share;

	for (unsigned int i = 0; i < SET_WORDS; i++)
		set.words[i] &= ~q->ports.down[s].words[i];
	share = q->share[s] / ports_count(&set);
	while (ports_next(&set, &at, &port)) {
		const struct ibc_port *out = ibc_node_port(q->p.lft->switches[s], port);
		uint8_t fate = fate_by(q, s, port);
		bool ends = fate & (FATE_DEAD | FATE_RING);

		if (!out)
			continue;
		arena_grow(q->routes.arena, &q->hops, q->n, &q->room, sizeof(*q->hops));
		q->hops[q->n++] = (struct ibc_ar_hop){
			.out = out,
			.hop = q->hop[s],
			.share = share,
			.ends = ends,
			.unknown = !ends && (fate & FATE_UNKNOWN || choices_unread(c, s)),
		};
		if (ports_have(&c->links[s], port) && !c->ring[s])
			q->share[choice_next(&q->p, s, port)] += share;
	}
}

static int by_hop(const void *va, const void *vz)
{
	const struct ibc_ar_hop *a = va, *z = vz;

	return order_u64(a->hop, z->hop)
	           ?: (order_u64(a->out->node->guid, z->out->node->guid)
	                   ?: order_u64(a->out->num, z->out->num));
}

static void follow_routes(struct query *q, const struct ibc_port *src, unsigned int dlid)
{
	const struct route_subnet *p = &q->p;
	size_t i = 0;
	uint32_t from;

	while (i < p->host_dests && p->dests[i].lid != dlid)
		i++;
	if (i == p->host_dests)
		return;
	choice_ports_new(&q->ports, p, p->tmp);
	choices_new(&q->c, p, &q->ports, p->tmp);
	q->share = arena_array(p->tmp, p->n + 1u, sizeof(*q->share));
	q->hop = arena_array(p->tmp, p->n + 1u, sizeof(*q->hop));
	choices_to(&q->c, &p->dests[i]);
	choices_follow(&q->c);
	from = (uint32_t)fabric_column(p->lft->switches, p->n, src->peer->node);
	if (!q->c.fate[from])
		return;
	find_hops(q, from);
	q->share[from] = 1;
	for (uint32_t k = q->c.num_order; k-- > 0;)
		if (q->hop[q->c.order[k]])
			put_switch(q, q->c.order[k]);
	if (q->n)
		qsort(q->hops, q->n, sizeof(*q->hops), by_hop);
}

int ibc_ar_path(const struct ibc_port *src, unsigned int dlid, struct ibc_ar_hop **hops, size_t *n,
                struct ibc_error *err)
{
	const struct ibc_subnet *subnet = src->node->subnet;
	const struct ibc_forwarding *lft = subnet->forwarding;
	struct arena *a;
	struct query *q;

	*hops = NULL;
	*n = 0;
	if (!src->peer || src->peer->node->type != IBC_NODE_SWITCH || !lft || !lft->ar)
		return 0;
	for (size_t i = 0; i < lft->num_switches; i++)
		if (lft->ar->switches[i].private_tables)
			return 0;
	a = arena_new();
	if (!a || setjmp(*arena_entry(a))) {
		arena_free(a);
		return fail_nomem(err);
	}
	q = arena_alloc(a, sizeof(*q));
	q->routes = (struct ibc_routes){ .arena = a, .fab = subnet->fabric };
	q->p = (struct route_subnet){
		.routes = &q->routes, .subnet = subnet, .lft = lft, .tmp = a
	};
	routes_graph(&q->p);
	follow_routes(q, src, dlid);
	if (q->n)
		*hops = xalloc(q->n * sizeof(**hops));
	if (q->n && !*hops) {
		arena_free(a);
		return fail_nomem(err);
	}
	*n = q->n;
	if (q->n)
		memcpy(*hops, q->hops, q->n * sizeof(**hops));
	arena_free(a);
	return 0;
}
