/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dependencies of packets that can be sent by any port of a group: of each choice on each
 * choice of the switch beyond.  The traffic of switches themselves is unreliable datagrams,
 * which keep to the static tables: channels.c follows it.
 */
#include "analysis/routes/choices.h"

#include <string.h>

#include "analysis/routes/channels.h"
#include "analysis/routes/service_levels.h"
#include "base/arena.h"

/* Bits of channels count from port 1 on. */
static struct ibc_port_set as_bits(const struct ibc_port_set *set)
{
	struct ibc_port_set bits;

	for (size_t i = 0; i < SET_WORDS; i++)
		bits.words[i] = set->words[i] >> 1 |
		                (i + 1 < SET_WORDS ? set->words[i + 1] << 63 : 0);
	return bits;
}

static inline void put_bits(struct channels *ch, size_t from, const struct ibc_port_set *bits)
{
	for (size_t i = 0; i < ch->words; i++) {
		_Atomic uint64_t *word = &ch->sets[from * ch->words + i];

		if (bits->words[i] & ~atomic_load_explicit(word, memory_order_relaxed))
			atomic_fetch_or_explicit(word, bits->words[i], memory_order_relaxed);
	}
}

/* Of packets that can arrive, and cannot come back. */
static bool goes_well(const struct choices *c, uint32_t column)
{
	return c->fate[column] & FATE_ARRIVES && !c->ring[column];
}

/* What a switch can send by so that it goes well. */
static struct ibc_port_set good_links(const struct choices *c, uint32_t column)
{
	struct ibc_port_set set = c->links[column], good = { { 0 } };
	unsigned int at = 0, port;

	if (c->fate[column] == FATE_ARRIVES)
		return set;
	while (ports_next(&set, &at, &port))
		if (goes_well(c, choice_next(c->p, column, port)))
			ports_add(&good, port);
	return good;
}

void ar_channels_put(struct channels *ch, const struct choices *c, struct ibc_port_set *beyond,
                     enum ibc_loop_cause layer)
{
	uint32_t n = layer == IBC_LOOP_HOSTS ? c->num_leaf : c->num_order;
	const struct ibc_port_set none = { { 0 } };

	/* those that a switch leads to come before it, but for rings, which count for nothing */
	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = c->order[i];
		struct ibc_port_set good = goes_well(c, s) ? good_links(c, s) : none;
		unsigned int at = 0, port;

		/* beyond the last switch nothing is waited for */
		beyond[s] = s == c->dest->sw ? none : as_bits(&good);
		while (ports_next(&good, &at, &port))
			put_bits(ch, (size_t)s * c->p->width + port,
			         &beyond[choice_next(c->p, s, port)]);
	}
}

/* ---- beyond the first layer ----------------------------------------------------------- */

/*
 * struct all_choices - destination by destination
 * @queue, @by: of a search: columns, and by column the port they were come in by
 */
struct all_choices {
	struct choice_ports ports;
	struct choices c;
	uint32_t *queue;
	uint8_t *by;
	struct ibc_port_set *beyond;
};

static void all_choices_new(struct all_choices *all, const struct route_subnet *p, struct arena *a)
{
	all->queue = arena_array(a, p->n + 1u, sizeof(*all->queue));
	all->by = arena_alloc(a, p->n + 1u);
	all->beyond = arena_array(a, p->n + 1u, sizeof(*all->beyond));
	choice_ports_new(&all->ports, p, a);
	choices_new(&all->c, p, &all->ports, a);
}

static bool is_followed(const struct channels *ch)
{
	return ch->plain && ch->p->ar_sums && ch->p->ar_sums->followed;
}

void ar_channels_add(struct channels *ch, struct arena *tmp)
{
	const struct route_subnet *p = ch->p;
	struct all_choices all;

	if (!is_followed(ch))
		return;
	all_choices_new(&all, p, tmp);
	for (size_t i = 0; i < p->host_dests; i++) {
		if (choices_to(&all.c, &p->dests[i]))
			continue;
		choices_follow(&all.c);
		ar_channels_put(ch, &all.c, all.beyond, IBC_LOOP_UPPER_HOSTS);
	}
}

/* ---- who makes a dependency ----------------------------------------------------------- */

/* Can packets get from one switch to another?  all->by then has the port they come in by. */
static bool leads_to(struct all_choices *all, uint32_t from, uint32_t to)
{
	const struct choices *c = &all->c;
	const struct route_subnet *p = c->p;
	size_t n = 0;

	memset(all->by, 0, p->n);
	all->queue[n++] = from;
	for (size_t i = 0; i < n; i++) {
		uint32_t s = all->queue[i];
		unsigned int at = 0, port;

		if (s == to)
			return true;
		while (ports_next(&c->links[s], &at, &port)) {
			uint32_t next_hop = p->next_hop[(size_t)s * p->width + port];

			if (next_hop >> 8 == from || all->by[next_hop >> 8])
				continue;
			all->by[next_hop >> 8] = (uint8_t)next_hop;
			all->queue[n++] = next_hop >> 8;
		}
	}
	return false;
}

static bool find_sender(struct all_choices *all, const struct channel_edge *edge,
                        struct ibc_credit_hop *hop)
{
	const struct choices *c = &all->c;
	const struct route_subnet *p = c->p;

	for (uint32_t i = 0; i < p->num_senders; i++) {
		uint32_t s = p->senders[i];
		unsigned int sl, in;

		if (!c->fate[s] || s == c->dest->sw || !leads_to(all, s, edge->column))
			continue;
		hop->src = p->hosts[p->first_host[s]].port;
		hop->dst = p->hosts[c->dest->host].port;
		hop->dlid = c->dest->lid;
		sl = sl_of(p, hop->src, s, c->dest);
		in = s == edge->column ? p->hosts[p->first_host[s]].in : all->by[edge->column];
		hop->vl = sl == SL_UNKNOWN ? 0 : vl_at(p, edge->column, in, edge->out, sl);
		return true;
	}
	return false;
}

void ar_find_pair(const struct channels *ch, const struct channel_edge *edge,
                  struct ibc_credit_hop *hop, struct arena *tmp)
{
	const struct route_subnet *p = ch->p;
	struct all_choices all;

	if (!is_followed(ch))
		return;
	all_choices_new(&all, p, tmp);
	for (size_t i = 0; i < p->host_dests; i++) {
		if (choices_to(&all.c, &p->dests[i]))
			continue;
		choices_follow(&all.c);
		if (all.c.dest->sw != edge->next_column && goes_well(&all.c, edge->column) &&
		    goes_well(&all.c, edge->next_column) &&
		    ports_have(&all.c.links[edge->column], edge->out) &&
		    ports_have(&all.c.links[edge->next_column], edge->next_out) &&
		    find_sender(&all, edge, hop))
			return;
	}
}
