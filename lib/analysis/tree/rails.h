/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ANALYSIS_RAILS_H
#define ANALYSIS_RAILS_H

/* What the judgement of adapters (rails.c) and that of whole rails (railparts.c) share. */
#include "analysis/tree/railvotes.h"
#include "analysis/tree/wiring.h"

/* why each: doc/wiring.md, table 5, part G */
#define SLOTS_MAX  64 /* names of adapters, in all */
#define RAILS_MAX  16 /* adapters of a host */
#define VOTERS_MIN 3  /* that speak for a leaf */

/* struct adapter - @port: its own, cabled to a leaf */
struct adapter {
	const struct ibc_port *port;
	uint32_t leaf;
	uint8_t slot;
};

/*
 * struct rail_host
 * @slots: set of slots, one adapter each, in their order
 * @told: that it lacks a rail
 */
struct rail_host {
	uint32_t first, num;
	uint64_t slots;
	bool told;
};

/*
 * struct rails
 * @hosts: by type
 */
struct rails {
	struct ibc_fattree *tree;
	struct {
		const char *name;
		unsigned int port;
	} slots[SLOTS_MAX];
	unsigned int num_slots;
	struct adapter *adapters;
	struct rail_host *hosts;
	uint32_t num_hosts;
	uint32_t *part;                /* by switch: a number of those that hang together */
	bool *told;                    /* by switch: of a rail that was told to be in parts */
	const struct ibc_node **alone; /* adapters that deviate, and none is their pair */
	size_t num_alone;
};

/*
 * struct rail_type - hosts of one type
 * @rails: adapters of each
 * @votes: which rail each leaf is of
 * @belongs: by host and rail: the leaf it belongs on, if it is on another, else NO_SWITCH
 * @place: by rail, leaf, other rail: where hosts on that leaf have the other, or NO_SWITCH
 */
struct rail_type {
	struct rails *all;
	const struct rail_host *hosts;
	uint32_t n, rails;
	struct rail_votes votes;
	uint32_t *belongs, *place;
};

static inline const struct adapter *rail_adapter(const struct rail_type *t, uint32_t host,
                                                 uint32_t rail)
{
	return &t->all->adapters[t->hosts[host].first + rail];
}

/* railparts.c: false when out of memory; the second for each type that has a rule */
bool rails_find_parts(struct rails *r);
bool rails_judge_whole(const struct rail_type *t);

#endif
