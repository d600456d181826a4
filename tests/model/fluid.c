/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/fluid.h"

#include <assert.h>
#include <stdlib.h>

#include "fabric/build.h"

#define STEPS   400 /* of a run: many times what it takes to fill all buffers of a way */
#define BUFFER  8.0 /* of a link, in what a full link carries in a step */
#define BACKLOG 2.0 /* of a sender: it sends on once that is less */
#define HOPS    4   /* host, leaf, spine, leaf, host */
#define TICK    8   /* bytes: tick 7 */

/* struct link - @total: wants to go over it; @stock: in the buffer at its far end */
struct link {
	const struct ibc_port *port;
	double rate, takes, total, stock, sent, data, waited;
};

/* struct part - of a flow what goes one way; @at: before each of its links */
struct part {
	struct link *way[HOPS];
	unsigned int hops;
	double demand, at[HOPS];
};

struct fluid {
	struct link *links;
	size_t num_links;
	struct part *parts;
	size_t num_parts;
	double full_gbps;
};

/* ---- the fabric --------------------------------------------------------------------------- */

static double gbps(const struct ibc_port *p)
{
	return ibc_link_gbps(p->width_active, p->speed_active);
}

static void give_counters(struct fluid *f, struct ibc_port *port)
{
	struct ibc_counters *c = calloc(1, sizeof(*c));

	assert(c);
	c->known = UINT32_MAX;
	port->counters = c;
	((struct ibc_node *)port->node)->xmit_wait_tick = TICK - 1;
	if (gbps(port) > f->full_gbps)
		f->full_gbps = gbps(port);
	f->links[f->num_links++] = (struct link){ .port = port, .takes = 1 };
}

struct fluid *fluid_new(struct ibc_fabric *fab)
{
	struct fluid *f = calloc(1, sizeof(*f));
	const struct ibc_port *port;

	assert(f);
	f->links = calloc(ibc_fabric_count(fab).ports + 1, sizeof(*f->links));
	assert(f->links);
	for (size_t i = 0; (port = ibc_fabric_port(fab, i)); i++)
		if (port->peer && port->num)
			give_counters(f, (struct ibc_port *)port);
	for (size_t i = 0; i < f->num_links; i++)
		f->links[i].rate = gbps(f->links[i].port) / f->full_gbps;
	return f;
}

void fluid_free(struct fluid *f)
{
	for (size_t i = 0; i < f->num_links; i++)
		free((void *)f->links[i].port->counters);
	free(f->links);
	free(f->parts);
	free(f);
}

static struct link *link_of(const struct fluid *f, const struct ibc_port *port)
{
	for (size_t i = 0; i < f->num_links; i++)
		if (f->links[i].port == port)
			return &f->links[i];
	abort();
}

void fluid_host_takes(struct fluid *f, const struct ibc_port *host, double share)
{
	link_of(f, host->peer)->takes = share;
}

/* ---- ways ---------------------------------------------------------------------------------- */

static const struct ibc_port *port_towards(const struct ibc_node *node, const struct ibc_node *to)
{
	for (unsigned int num = 1; num <= node->num_ports; num++)
		if (node->ports[num].peer && node->ports[num].peer->node == to)
			return &node->ports[num];
	return NULL;
}

/* The uplink next to *num that has a way down to the other leaf. */
static const struct ibc_port *next_uplink(const struct ibc_node *leaf, const struct ibc_node *to,
                                          unsigned int *num)
{
	while (++*num <= leaf->num_ports)
		if (leaf->ports[*num].peer &&
		    leaf->ports[*num].peer->node->type == IBC_NODE_SWITCH &&
		    port_towards(leaf->ports[*num].peer->node, to))
			return &leaf->ports[*num];
	return NULL;
}

static void add_part(struct fluid *f, const struct fluid_flow *flow, const struct ibc_port *up,
                     double demand)
{
	const struct ibc_port *down = up ? port_towards(up->peer->node, flow->to->peer->node)
	                                 : NULL;
	struct part p = { .demand = demand };

	p.way[p.hops++] = link_of(f, flow->from);
	if (up) {
		p.way[p.hops++] = link_of(f, up);
		p.way[p.hops++] = link_of(f, down);
	}
	p.way[p.hops++] = link_of(f, flow->to->peer);
	f->parts = reallocarray(f->parts, f->num_parts + 1, sizeof(*f->parts));
	assert(f->parts);
	f->parts[f->num_parts++] = p;
}

void fluid_flow(struct fluid *f, const struct fluid_flow *flow)
{
	const struct ibc_node *leaf = flow->from->peer->node;
	const struct ibc_port *up;
	unsigned int num = 0, uplinks = 0;

	if (leaf == flow->to->peer->node) {
		add_part(f, flow, NULL, flow->demand);
		return;
	}
	while (next_uplink(leaf, flow->to->peer->node, &num))
		uplinks++;
	num = 0;
	for (unsigned int i = 0; (up = next_uplink(leaf, flow->to->peer->node, &num)); i++)
		if (flow->uplink < 0)
			add_part(f, flow, up, flow->demand / uplinks);
		else if (i == (unsigned int)flow->uplink % uplinks)
			add_part(f, flow, up, flow->demand);
}

void fluid_stop(struct fluid *f)
{
	f->num_parts = 0;
	for (size_t i = 0; i < f->num_links; i++)
		f->links[i].stock = 0;
}

/* ---- time ---------------------------------------------------------------------------------- */

static double least(double a, double b)
{
	return a < b ? a : b;
}

static void want(struct fluid *f)
{
	for (size_t i = 0; i < f->num_links; i++)
		f->links[i].total = 0;
	for (size_t i = 0; i < f->num_parts; i++) {
		struct part *p = &f->parts[i];

		p->at[0] = least(p->at[0] + p->demand, BACKLOG);
		for (unsigned int h = 0; h < p->hops; h++)
			p->way[h]->total += p->at[h];
	}
}

static void send(struct fluid *f)
{
	for (size_t i = 0; i < f->num_links; i++) {
		struct link *l = &f->links[i];
		double wanted = least(l->rate, l->total);

		l->sent = least(wanted, BUFFER - l->stock);
		l->data += l->sent;
		l->waited += wanted - l->sent;
	}
}

/* The last hop first: what arrives does not go on in the same step. */
static void move(struct fluid *f)
{
	for (size_t i = 0; i < f->num_parts; i++) {
		struct part *p = &f->parts[i];

		for (unsigned int h = p->hops; h--;) {
			struct link *l = p->way[h];
			double moved = l->total > 0 ? p->at[h] * l->sent / l->total : 0;

			p->at[h] -= moved;
			l->stock += moved;
			if (h)
				p->way[h - 1]->stock -= moved;
			if (h + 1 < p->hops)
				p->at[h + 1] += moved;
		}
	}
}

static void take(struct fluid *f)
{
	for (size_t i = 0; i < f->num_links; i++) {
		struct link *l = &f->links[i];

		if (l->port->peer->node->type == IBC_NODE_CA)
			l->stock -= least(l->stock, l->takes);
		if (l->stock < 0)
			l->stock = 0; /* rounding */
	}
}

void fluid_run(struct fluid *f, double seconds)
{
	double bytes = f->full_gbps * 1e9 / 8 * seconds / STEPS;

	for (int step = 0; step < STEPS; step++) {
		want(f);
		send(f);
		move(f);
		take(f);
	}
	for (size_t i = 0; i < f->num_links; i++) {
		struct link *l = &f->links[i];
		struct ibc_counters *c = (struct ibc_counters *)l->port->counters;

		c->value[IBC_XMIT_DATA] += (uint64_t)(l->data * bytes);
		c->value[IBC_XMIT_WAIT] += (uint64_t)(l->waited * bytes / TICK);
		l->data = l->waited = 0;
	}
}
