/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Which buffers are waited for by whom.  A channel is the buffer of a virtual lane beyond a
 * port of a switch.  A packet that holds one waits for the next on its route: that is
 * a dependency, and a ring of them can stand still for ever (Dally and Seitz, 1987).
 *
 * The next channel of a packet is at the switch beyond, so a channel's dependencies are a
 * set of that switch's ports and lanes, a bit each.  Threads share the sets.
 */
#include <stdatomic.h>

#include "analysis/routes/walk.h"

/*
 * struct channels
 * @plain: all traffic has one level, and each port one lane, whichever it is
 * @lanes: that are kept apart
 * @lane: by VL: its place
 * @words: of 64 bits, of each set
 * @sets: sets[channel * words]; bit (port - 1) * lanes + lane
 * @switch_traffic: what the switches' own traffic with hosts adds, where the walk finds it; or NULL
 * @count: (column * width + port) * lanes + lane
 */
struct channels {
	const struct route_subnet *p;
	bool plain;
	unsigned int lanes;
	uint8_t lane[16];
	size_t words, count;
	_Atomic uint64_t *sets;
	struct channels *switch_traffic;
};

static inline void channels_put(struct channels *ch, size_t from, size_t bit)
{
	_Atomic uint64_t *word = &ch->sets[from * ch->words + bit / 64];
	uint64_t mask = 1ull << bit % 64;

	/* most are there already, and a look does not take the line from other threads */
	if (!(atomic_load_explicit(word, memory_order_relaxed) & mask))
		atomic_fetch_or_explicit(word, mask, memory_order_relaxed);
}

static inline size_t channel_at(const struct channels *ch, uint32_t column, unsigned int port,
                                unsigned int lane)
{
	return ((size_t)column * ch->p->width + port) * ch->lanes + lane;
}

/*
 * Adds what the traffic of a layer depends on, beside that of those before it; of the first
 * of plain traffic the walk did so already.  Works in tmp.
 */
void channels_add(struct channels *ch, enum ibc_loop_cause layer, struct arena *tmp);

/* struct channel_edge - a dependency: leaves a switch by a port on a lane, then the next */
struct channel_edge {
	uint32_t column, next_column;
	unsigned int out, lane, next_out, next_lane;
};

/*
 * archannels.c: what all hosts add where switches choose; who makes such a dependency, which
 * @hop gets, if anybody does.  In tmp.
 */
void ar_channels_add(struct channels *ch, struct arena *tmp);
void ar_find_pair(const struct channels *ch, const struct channel_edge *edge,
                  struct ibc_credit_hop *hop, struct arena *tmp);

/* Who sends in a layer: columns from all of p->senders, or for switch ports all columns. */
bool layer_sends_to(const struct route_subnet *p, enum ibc_loop_cause layer,
                    const struct route_dest *dest);
uint32_t layer_senders(const struct route_subnet *p, enum ibc_loop_cause layer);
static inline uint32_t layer_sender(const struct route_subnet *p, enum ibc_loop_cause layer,
                                    uint32_t i)
{
	return layer == IBC_LOOP_SWITCH_PORTS ? i : p->senders[i];
}
