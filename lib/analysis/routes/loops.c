/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Credit loops, layer by layer of traffic: that of hosts on leaves, of all hosts, and with
 * the switches' own.  Each ring is reported with the first layer that makes it, and each of its
 * dependencies with the first pair that does, which is looked for only then.
 */
#include "analysis/routes/cycles.h"
#include "analysis/routes/service_levels.h"
#include "base/arena.h"

/* struct edge_search - for a pair whose packets make a dependency, which @hop gets */
struct edge_search {
	const struct channels *ch;
	struct walk *w;
	struct channel_edge edge;
	enum ibc_loop_cause layer;
	struct ibc_credit_hop *hop;
};

/* ---- who makes it ------------------------------------------------------------------- */

/* Do packets of a port on a switch, or of that itself, make it?  They come in by a port, and
 * arrive. */
static bool sends_over_edge(struct edge_search *s, const struct ibc_port *src, uint32_t c,
                            unsigned int in)
{
	const struct channels *ch = s->ch;
	const struct route_subnet *p = ch->p;
	unsigned int sl = sl_of(p, src, c, s->w->dest);

	while (sl != SL_UNKNOWN && s->w->route[c] > 1) {
		unsigned int vl = vl_at(p, c, in, s->w->row[c], sl), next_vl;
		uint32_t next_hop = p->next_hop[(size_t)c * p->width + s->w->row[c]];

		if (vl == VL_DROPS)
			return false;
		in = next_hop & 0xff;
		if (c == s->edge.column) {
			next_vl = vl_at(p, s->edge.next_column, in, s->edge.next_out, sl);
			s->hop->vl = vl;
			s->hop->src = src;
			return ch->lane[vl] == s->edge.lane && next_vl != VL_DROPS &&
			       ch->lane[next_vl] == s->edge.next_lane;
		}
		c = next_hop >> 8;
	}
	return false;
}

static bool is_sent_to(struct edge_search *s, const struct route_dest *dest)
{
	const struct route_subnet *p = s->ch->p;
	const uint8_t *row = route_has_row(p, dest->lid) ? route_row(p, dest->lid) : NULL;

	if (!layer_sends_to(p, s->layer, dest) || !row || row[s->edge.column] != s->edge.out ||
	    row[s->edge.next_column] != s->edge.next_out)
		return false;
	walk_to(s->w, dest);
	for (uint32_t i = 0; i < layer_senders(p, s->layer); i++) {
		uint32_t c = layer_sender(p, s->layer, i);

		if (walk_from(s->w, c) >= ROUTE_END)
			continue;
		for (uint32_t h = p->first_host[c]; h < p->first_host[c + 1]; h++)
			if (h != dest->host &&
			    sends_over_edge(s, p->hosts[h].port, c, p->hosts[h].in))
				return true;
		if (s->layer == IBC_LOOP_SWITCH_PORTS &&
		    sends_over_edge(s, ibc_node_port(p->lft->switches[c], 0), c, 0))
			return true;
	}
	return false;
}

#define AHEAD 16 /* rows that are fetched meanwhile: each is elsewhere in memory */

static bool find_pair_in(struct edge_search *s)
{
	const struct route_subnet *p = s->ch->p;
	/* of switches' own traffic those to switches come first: hosts' was looked through before
	 */
	size_t first = s->layer == IBC_LOOP_SWITCH_PORTS ? p->host_dests : 0;

	for (size_t i = 0; i < p->num_dests; i++) {
		const struct route_dest *dest = &p->dests[(first + i) % p->num_dests];
		const struct route_dest *ahead = &p->dests[(first + i + AHEAD) % p->num_dests];

		if (route_has_row(p, ahead->lid)) {
			__builtin_prefetch(&route_row(p, ahead->lid)[s->edge.column]);
			__builtin_prefetch(&route_row(p, ahead->lid)[s->edge.next_column]);
		}
		if (!is_sent_to(s, dest))
			continue;
		s->hop->dst = dest->host == NO_HOST ? ibc_node_port(p->lft->switches[dest->sw], 0)
		                                    : p->hosts[dest->host].port;
		s->hop->dlid = dest->lid;
		return true;
	}
	return false;
}

/* ---- all ---------------------------------------------------------------------------- */

static void put_loop(struct route_subnet *p, struct walk *w, const struct ring *ring,
                     enum ibc_loop_cause layer)
{
	struct ibc_credit_hop *hops = arena_array(p->routes->arena, ring->num, sizeof(*hops));

	for (size_t i = 0; i < ring->num; i++) {
		const uint32_t from = ring->channels[i], lanes = p->channels->lanes;
		const uint32_t to = ring->channels[(i + 1) % ring->num];
		struct edge_search s = {
			.ch = p->channels,
			.w = w,
			.edge = { .column = from / lanes / p->width,
			          .out = from / lanes % p->width,
			          .lane = from % lanes,
			          .next_column = to / lanes / p->width,
			          .next_out = to / lanes % p->width,
			          .next_lane = to % lanes },
			.hop = &hops[i],
		};
		bool found = false;

		hops[i].out = ibc_node_port(p->lft->switches[s.edge.column], s.edge.out);
		for (s.layer = IBC_LOOP_HOSTS; s.layer <= layer && !found; s.layer++)
			found = (s.layer != IBC_LOOP_UPPER_HOSTS ||
			         p->leaf_senders < p->num_senders) &&
			        find_pair_in(&s);
		if (found)
			continue;
		hops[i].src = NULL;
		hops[i].vl = 0;
		ar_find_pair(s.ch, &s.edge, s.hop, p->tmp);
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
