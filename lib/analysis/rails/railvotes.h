/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Which rail a leaf switch is of: that of most adapters that are on it.  The one rule of rails,
 * for the hosts that a fabric shows (rails.c), and for what hosts report of themselves.
 */
#include <stdbool.h>
#include <stdint.h>

struct arena;

/*
 * struct rail_votes - of one type of hosts
 * @votes: by leaf and rail
 * @usual: by leaf, from rail_votes_count() on; of several with as many votes the first
 */
struct rail_votes {
	uint32_t leaves, rails;
	uint32_t *votes, *usual;
};

/* rails.c: empty, from an arena with an escape.  Cost of a count: leaves times rails. */
void rail_votes_init(struct rail_votes *v, struct arena *arena, uint32_t leaves, uint32_t rails);
void rail_votes_count(struct rail_votes *v);
/* All adapters of these hosts on a leaf. */
uint32_t rail_votes_sum(const struct rail_votes *v, uint32_t leaf);

static inline uint32_t *rail_votes_of(const struct rail_votes *v, uint32_t leaf, uint32_t rail)
{
	return &v->votes[(uint64_t)leaf * v->rails + rail];
}
