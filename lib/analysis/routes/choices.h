/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The routes to one destination where switches choose (adaptive routing).  A switch has a set of
 * ports to send by: the members of the group that its adaptive table names, and the port of
 * its static table, which it falls back to; or that alone.  Members without a link are passed
 * over by the hardware.  From the switches that have hosts every choice is followed, each
 * switch once: Tarjan's strongly connected components, O(choices).
 *
 * LIDs of one switch mostly have the same entries everywhere else: then nothing is followed
 * again.
 */
#include <ibcheck/adaptive.h>

#include "analysis/routes/walk.h"

#define SET_WORDS 4 /* of struct ibc_port_set */

/* What can become of a packet: a set of these. */
enum fate {
	FATE_ARRIVES = 1,
	FATE_DEAD = 2,    /* it ends somewhere else */
	FATE_RING = 4,    /* it can come back to a switch it has been at */
	FATE_UNKNOWN = 8, /* a table, a group, or what is beyond a port, was not read */
};

/*
 * struct choice_ports - sets of ports, by column, that no destination changes
 * @live: lead to a switch; @back: to the same; @down: have no link that carries data
 * @is_static: the switch has adaptive routing off, whatever its tables have
 * @is_unread: it has it on, or does not say, and its tables are not known
 */
struct choice_ports {
	struct ibc_port_set *live, *back, *down;
	bool *is_static, *is_unread;
};

/* struct last_entry - of a column that was looked at last, and its group; NULL: not read */
struct last_entry {
	const struct ibc_port_set *group;
	uint16_t entry;
	bool known;
};

/*
 * struct choices
 * @dest: that was followed; @next_dest: that is turned to
 * @code: by column: the static port; or the group + 1 in the upper 24 bits, and below the
 *	  static port if it is no member of it, else IBC_NO_ENTRY.  @fresh: of @next_dest
 * @plain_end, @fresh_end: its switch sends it by nothing but its port
 * @links: by column that was found: where it can go on to
 * @fate: by column: set of enum fate; 0: it was not found
 * @ring: by column: number of the ring of switches it is in; 0: none
 * @scratch: room by column, for whoever needs it now
 * @order: columns that were found, each behind all that it leads to; but for rings
 * @num_leaf: of those, how many hosts on leaves lead to
 * @ring_starts: by ring: place in @order of its first switch; they are next to each other
 */
struct choices {
	const struct route_subnet *p;
	const struct choice_ports *ports;
	const struct route_dest *dest, *next_dest;
	uint32_t *code, *fresh;
	struct last_entry *last;
	struct ibc_port_set *links, *left;
	uint8_t *fate, *scratch;
	uint32_t *ring, *ring_starts, *order;
	uint32_t num_order, num_leaf, num_rings;
	uint32_t *index, *low, *stack, *calls;
	uint32_t found, stacked, num_calls;
	bool plain_end, fresh_end;
};

/* Everything from a, which has an escape. */
void choice_ports_new(struct choice_ports *ports, const struct route_subnet *p, struct arena *a);
void choices_new(struct choices *c, const struct route_subnet *p, const struct choice_ports *ports,
                 struct arena *a);
/* Has a switch adaptive tables? */
bool choices_has_blocks(const struct ibc_forwarding *lft, uint32_t column);
/*
 * Turns to a destination.  True: all is as it was for the one that was followed, on the same
 * switch, but for the port that switch sends it to, and it is not worth to follow it.
 */
bool choices_to(struct choices *c, const struct route_dest *dest);
/* Follows all that hosts send to what was turned to. */
void choices_follow(struct choices *c);

/* Of what was followed: every port that a switch can choose, with a link or not. */
struct ibc_port_set choices_of(const struct choices *c, uint32_t column);
/* Of those, where it ends: not at another switch, not at the destination, not without a link. */
struct ibc_port_set choices_astray(const struct choices *c, uint32_t column);
/* It has a group for it whose ports were not read: its static port alone is known. */
bool choices_unread(const struct choices *c, uint32_t column);
/* The group; NULL: it has no choice, or its ports were not read. */
const struct ibc_port_set *choices_group(const struct choices *c, uint32_t column);

/* Of what was followed: by column, who can send it through one, which is found; itself too. */
void choices_passing(const struct choices *c, uint32_t column, uint8_t *passes);

static inline bool ports_have(const struct ibc_port_set *set, unsigned int port)
{
	return set->words[port / 64] >> port % 64 & 1;
}

static inline void ports_add(struct ibc_port_set *set, unsigned int port)
{
	set->words[port / 64] |= 1ull << port % 64;
}

static inline bool ports_any(const struct ibc_port_set *set)
{
	return set->words[0] | set->words[1] | set->words[2] | set->words[3];
}

/* The next port of a set from *at on, which is moved behind it; false: there is none. */
static inline bool ports_next(const struct ibc_port_set *set, unsigned int *at, unsigned int *port)
{
	for (unsigned int word = *at / 64; word < SET_WORDS; *at = ++word * 64) {
		uint64_t bits = set->words[word] >> *at % 64;

		if (!bits)
			continue;
		*port = *at + (unsigned int)__builtin_ctzll(bits);
		*at = *port + 1;
		return true;
	}
	return false;
}

static inline unsigned int ports_count(const struct ibc_port_set *set)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < SET_WORDS; i++)
		n += (unsigned int)__builtin_popcountll(set->words[i]);
	return n;
}

/* What lies beyond a port that a table names. */
static inline uint32_t choice_hop(const struct route_subnet *p, uint32_t column, unsigned int port)
{
	return port < p->width ? p->next_hop[(size_t)column * p->width + port] : HOP_NO_PORT;
}

/* The column beyond a port of links. */
static inline uint32_t choice_next(const struct route_subnet *p, uint32_t column, unsigned int port)
{
	return p->next_hop[(size_t)column * p->width + port] >> 8;
}

/* archannels.c: what hosts on leaves, or all, wait for; beyond: room for a set by column. */
void ar_channels_put(struct channels *ch, const struct choices *c, struct ibc_port_set *beyond,
                     enum ibc_loop_cause layer);
