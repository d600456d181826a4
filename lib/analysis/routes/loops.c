/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Credit loops, layer by layer of traffic: that of hosts on leaves, of all hosts, and with
 * the switches' own.  Each ring is reported with the first layer that makes it, and each of its
 * dependencies with the first pair that does, which is looked for only then.
 */
#include "analysis/routes/cycles.h"
#include "analysis/routes/service_levels.h"
#include "base/arena.h"

static struct channel_edge edge_of(const struct channels *ch, uint32_t from, uint32_t to)
{
	uint32_t width = ch->p->width, cell = from / ch->lanes, next = to / ch->lanes;

	return (struct channel_edge){
		.column = cell / width,
		.out = cell % width,
		.lane = from % ch->lanes,
		.next_column = next / width,
		.next_out = next % width,
		.next_lane = to % ch->lanes,
	};
}

/* ---- who makes it ------------------------------------------------------------------- */

static bool is_vl(const struct channels *ch, unsigned int vl, unsigned int lane)
{
	return vl != VL_DROPS && ch->lane[vl] == lane;
}

/* Do packets of a level that come to a switch by a port make it?  They arrive. */
static bool passes_edge(const struct channels *ch, const struct walk *w,
                        const struct channel_edge *edge, uint32_t c, unsigned int in,
                        unsigned int sl, struct ibc_credit_hop *hop)
{
	const struct route_subnet *p = ch->p;

	while (w->route[c] > 1) {
		unsigned int vl = vl_at(p, c, in, w->row[c], sl);
		uint32_t next_hop = p->next_hop[(size_t)c * p->width + w->row[c]];

		if (vl == VL_DROPS)
			return false;
		in = next_hop & 0xff;
		if (c == edge->column) {
			hop->vl = vl;
			return is_vl(ch, vl, edge->lane) &&
			       is_vl(ch, vl_at(p, edge->next_column, in, edge->next_out, sl),
			             edge->next_lane);
		}
		c = next_hop >> 8;
	}
	return false;
}

static bool sends_over_edge(const struct channels *ch, const struct walk *w,
                            const struct channel_edge *edge, const struct ibc_port *src,
                            uint32_t column, unsigned int in, struct ibc_credit_hop *hop)
{
	unsigned int sl = sl_of(ch->p, src, column, w->dest);

	if (sl == SL_UNKNOWN || !passes_edge(ch, w, edge, column, in, sl, hop))
		return false;
	hop->src = src;
	return true;
}

static bool switch_sends(const struct channels *ch, const struct walk *w,
                         const struct channel_edge *edge, uint32_t column,
                         enum ibc_loop_cause layer, struct ibc_credit_hop *hop)
{
	const struct route_subnet *p = ch->p;

	for (uint32_t h = p->first_host[column]; h < p->first_host[column + 1]; h++)
		if (h != w->dest->host &&
		    sends_over_edge(ch, w, edge, p->hosts[h].port, column, p->hosts[h].in, hop))
			return true;
	return layer == IBC_LOOP_SWITCH_PORTS &&
	       sends_over_edge(ch, w, edge, ibc_node_port(p->lft->switches[column], 0), column, 0,
	                       hop);
}

static bool is_sent_to(const struct channels *ch, struct walk *w, const struct channel_edge *edge,
                       const struct route_dest *dest, enum ibc_loop_cause layer,
                       struct ibc_credit_hop *hop)
{
	const struct route_subnet *p = ch->p;

	if (!layer_sends_to(p, layer, dest) || !route_has_row(p, dest->lid) ||
	    route_row(p, dest->lid)[edge->column] != edge->out ||
	    route_row(p, dest->lid)[edge->next_column] != edge->next_out)
		return false;
	walk_to(w, dest);
	for (uint32_t i = 0; i < layer_senders(p, layer); i++) {
		uint32_t s = layer_sender(p, layer, i);

		if (walk_from(w, s) < ROUTE_END && switch_sends(ch, w, edge, s, layer, hop))
			return true;
	}
	return false;
}

/* Of switches' own traffic those to switches come first: hosts' alone was looked through before. */
static const struct route_dest *dest_at(const struct route_subnet *p, enum ibc_loop_cause layer,
                                        size_t i)
{
	size_t first = layer == IBC_LOOP_SWITCH_PORTS ? p->host_dests : 0;

	return &p->dests[(first + i) % p->num_dests];
}

#define AHEAD 16 /* rows that are fetched meanwhile: each is elsewhere in memory */

static void prefetch_row(const struct route_subnet *p, const struct channel_edge *edge,
                         const struct route_dest *dest)
{
	const uint8_t *row;

	if (!route_has_row(p, dest->lid))
		return;
	row = route_row(p, dest->lid);
	__builtin_prefetch(&row[edge->column]);
	__builtin_prefetch(&row[edge->next_column]);
}

static bool find_pair_in(const struct channels *ch, struct walk *w, const struct channel_edge *edge,
                         enum ibc_loop_cause layer, struct ibc_credit_hop *hop)
{
	const struct route_subnet *p = ch->p;

	for (size_t i = 0; i < p->num_dests; i++) {
		const struct route_dest *dest = dest_at(p, layer, i);

		prefetch_row(p, edge, dest_at(p, layer, i + AHEAD));
		if (!is_sent_to(ch, w, edge, dest, layer, hop))
			continue;
		hop->dst = dest->host == NO_HOST ? ibc_node_port(p->lft->switches[dest->sw], 0)
		                                 : p->hosts[dest->host].port;
		hop->dlid = dest->lid;
		return true;
	}
	return false;
}

static void find_pair(const struct channels *ch, struct walk *w, const struct channel_edge *edge,
                      enum ibc_loop_cause layer, struct ibc_credit_hop *hop, struct arena *tmp)
{
	const struct route_subnet *p = ch->p;
	bool upper = p->leaf_senders < p->num_senders;

	hop->out = ibc_node_port(p->lft->switches[edge->column], edge->out);
	for (unsigned int l = IBC_LOOP_HOSTS; l <= layer; l++)
		if ((l != IBC_LOOP_UPPER_HOSTS || upper) &&
		    find_pair_in(ch, w, edge, (enum ibc_loop_cause)l, hop))
			return;
	ar_find_pair(ch, edge, hop, tmp);
}

/* ---- all ---------------------------------------------------------------------------- */

static void put_loop(struct route_subnet *p, struct walk *w, const struct ring *ring,
                     enum ibc_loop_cause layer)
{
	const struct channels *ch = p->channels;
	struct ibc_credit_hop *hops = arena_array(p->routes->arena, ring->num, sizeof(*hops));

	for (size_t i = 0; i < ring->num; i++) {
		struct channel_edge edge = edge_of(ch, ring->channels[i],
		                                   ring->channels[(i + 1) % ring->num]);

		find_pair(ch, w, &edge, layer, &hops[i], p->tmp);
	}
	arena_grow(p->routes->arena, &p->loops, p->num_loops, &p->loop_room, sizeof(*p->loops));
	p->loops[p->num_loops++] = (struct ibc_credit_loop){
		.cause = layer,
		.hops = hops,
		.num_hops = ring->num,
		.channels = ring->members,
	};
	p->sums.credit_loops += layer != IBC_LOOP_SWITCH_PORTS;
}

void routes_loops(struct route_subnet *p)
{
	uint8_t *reported = arena_alloc(p->tmp, p->channels->count + 1);

	for (enum ibc_loop_cause layer = IBC_LOOP_HOSTS; layer <= IBC_LOOP_SWITCH_PORTS; layer++) {
		struct ring *rings;
		struct walk w;
		size_t n;

		if (layer == IBC_LOOP_UPPER_HOSTS && p->leaf_senders == p->num_senders)
			continue;
		walk_new(&w, p, p->tmp);
		channels_add(p->channels, layer, p->tmp);
		n = cycles_find(p->channels, reported, p->tmp, &rings);
		for (size_t i = 0; i < n; i++)
			put_loop(p, &w, &rings[i], layer);
	}
}
