/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The dependencies of all traffic.  Of one lane they are those of the walk, O(LIDs x
 * switches); of several, those of each level are followed on their own, and a switch is
 * passed again where packets come in by another port, as they may have had another lane.
 */
#include "analysis/routes/channels.h"

#include <string.h>

#include "analysis/routes/service_levels.h"
#include "base/arena.h"

#define BLOCK 32 /* destinations that a thread takes at a time */

void routes_channels(struct route_subnet *p)
{
	struct arena *a = p->routes->arena;
	struct channels *ch = p->channels = arena_alloc(a, sizeof(*ch));

	ch->p = p;
	ch->plain = p->sls->steady;
	for (unsigned int vl = 0; !ch->plain && vl < VL_DROPS; vl++)
		if (p->sls->vls >> vl & 1)
			ch->lane[vl] = (uint8_t)ch->lanes++;
	if (!ch->lanes)
		ch->lanes = 1;
	ch->words = p->width ? ((size_t)(p->width - 1) * ch->lanes + 63) / 64 : 0;
	ch->count = (size_t)p->n * p->width * ch->lanes;
	ch->sets = arena_array(a, ch->count + 1, ch->words * sizeof(*ch->sets));
	if (!ch->plain)
		return;
	ch->switch_traffic = arena_alloc(a, sizeof(*ch->switch_traffic));
	*ch->switch_traffic = *ch;
	ch->switch_traffic->sets = arena_array(a, ch->count + 1, ch->words * sizeof(*ch->sets));
}

/* ---- layers ------------------------------------------------------------------------- */

bool layer_sends_to(const struct route_subnet *p, enum ibc_loop_cause layer,
                    const struct route_dest *dest)
{
	if (layer == IBC_LOOP_SWITCH_PORTS)
		return true;
	return dest->host != NO_HOST &&
	       (layer == IBC_LOOP_UPPER_HOSTS || p->hosts[dest->host].leaf);
}

uint32_t layer_senders(const struct route_subnet *p, enum ibc_loop_cause layer)
{
	if (layer == IBC_LOOP_SWITCH_PORTS)
		return p->n;
	return layer == IBC_LOOP_HOSTS ? p->leaf_senders : p->num_senders;
}

/*
 * struct adding - one layer, shared by threads
 * @passed: by thread and column, of the present destination: levels that went on from there
 */
struct adding {
	struct channels *ch;
	enum ibc_loop_cause layer;
	struct walk *walks;
	uint16_t **passed;
};

/* ---- several lanes ------------------------------------------------------------------ */

/* Packets of a level that came to a switch by a port. */
static void follow_packets(struct channels *ch, const struct walk *w, uint16_t *passed, uint32_t c,
                           unsigned int in, unsigned int sl)
{
	const struct route_subnet *p = ch->p;

	while (w->route[c] > 1) {
		unsigned int out = w->row[c], vl = vl_at(p, c, in, out, sl), next_vl;
		uint32_t next_hop = p->next_hop[(size_t)c * p->width + out], next = next_hop >> 8;
		bool known = passed[c] >> sl & 1;

		if (vl == VL_DROPS || w->route[next] == 1)
			return;
		in = next_hop & 0xff;
		next_vl = vl_at(p, next, in, w->row[next], sl);
		if (next_vl == VL_DROPS)
			return;
		channels_put(ch, channel_at(ch, c, out, ch->lane[vl]),
		             (size_t)(w->row[next] - 1) * ch->lanes + ch->lane[next_vl]);
		if (known)
			return;
		passed[c] |= (uint16_t)(1u << sl);
		c = next;
	}
}

static void send_from(struct channels *ch, const struct walk *w, uint16_t *passed, uint32_t column)
{
	const struct route_subnet *p = ch->p;
	const struct ibc_sl2vl *t = p->lft->switches[column]->sl2vl;
	/* then all hosts of the switch send as one */
	bool equal = (!t || t->uniform) &&
	             (p->sls->single ||
	              p->sls->by_ends[(size_t)column * p->n + w->dest->sw] != SL_MIXED);

	for (uint32_t h = p->first_host[column]; h < p->first_host[column + 1]; h++) {
		unsigned int sl;

		if (h == w->dest->host)
			continue;
		sl = sl_of(p, p->hosts[h].port, column, w->dest);
		if (sl != SL_UNKNOWN)
			follow_packets(ch, w, passed, column, p->hosts[h].in, sl);
		if (equal)
			return;
	}
}

/* ---- all ---------------------------------------------------------------------------- */

static void follow_all(const struct adding *adding, const struct walk *w, uint16_t *passed)
{
	const struct route_subnet *p = adding->ch->p;

	memset(passed, 0, p->n * sizeof(*passed));
	for (uint32_t i = 0; i < layer_senders(p, adding->layer); i++) {
		uint32_t s = layer_sender(p, adding->layer, i);
		unsigned int sl;

		if (!w->route[s] || w->route[s] >= ROUTE_END)
			continue;
		send_from(adding->ch, w, passed, s);
		if (adding->layer != IBC_LOOP_SWITCH_PORTS)
			continue;
		sl = sl_of(p, ibc_node_port(p->lft->switches[s], 0), s, w->dest);
		if (sl != SL_UNKNOWN)
			follow_packets(adding->ch, w, passed, s, 0, sl);
	}
}

static void add_block(void *ctx, unsigned int thread, size_t item)
{
	const struct adding *adding = ctx;
	const struct route_subnet *p = adding->ch->p;
	bool by_switches = adding->layer == IBC_LOOP_SWITCH_PORTS;
	struct walk *w = &adding->walks[thread];

	for (size_t i = item * BLOCK; i < (item + 1) * BLOCK && i < p->num_dests; i++) {
		const struct route_dest *dest = &p->dests[i];

		/* what switches send to hosts the walk may have found out already */
		if (!layer_sends_to(p, adding->layer, dest) ||
		    (by_switches && adding->ch->switch_traffic && dest->host != NO_HOST))
			continue;
		walk_to(w, dest);
		if (by_switches)
			walk_all(w, NULL, p->n);
		else
			walk_hosts(w, 0, layer_senders(p, adding->layer));
		if (!adding->ch->plain)
			follow_all(adding, w, adding->passed[thread]);
	}
}

void channels_add(struct channels *ch, enum ibc_loop_cause layer, struct arena *tmp)
{
	struct adding adding = { .ch = ch, .layer = layer };
	const struct parallel job = { add_block, &adding, (ch->p->num_dests + BLOCK - 1) / BLOCK,
		                      NULL };
	unsigned int threads = parallel_threads(ch->p->routes->opts.threads, job.items);

	if (layer == IBC_LOOP_HOSTS && ch->plain)
		return;
	adding.walks = arena_array(tmp, threads, sizeof(*adding.walks));
	adding.passed = arena_array(tmp, threads, sizeof(*adding.passed));
	for (unsigned int i = 0; i < threads; i++) {
		adding.passed[i] = arena_array(tmp, ch->p->n + 1u, sizeof(**adding.passed));
		walk_new(&adding.walks[i], ch->p, tmp);
		adding.walks[i].channels = ch->plain ? ch : NULL;
	}
	parallel_run(&job, threads);
	for (size_t i = 0;
	     layer == IBC_LOOP_SWITCH_PORTS && ch->switch_traffic && i < ch->count * ch->words; i++)
		ch->sets[i] |= ch->switch_traffic->sets[i];
	if (layer == IBC_LOOP_UPPER_HOSTS)
		ar_channels_add(ch, tmp);
}
