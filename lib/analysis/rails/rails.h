/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Hosts with several adapters, by type: rails.c makes and judges them, railparts.c what they lack.
 */
#include "analysis/rails/railvotes.h"
#include "analysis/tree/majority.h"
#include "analysis/tree/overlap.h"
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
 * @by_pci: its slots are PCI addresses, which stay as they are where an adapter is lost
 * @slots: set of slots, one adapter each, in their order
 * @reported: that it lacks rails
 */
struct rail_host {
	uint32_t first, num;
	uint64_t slots;
	bool reported, by_pci;
};

/*
 * struct rails
 * @hosts: by type
 */
struct rails {
	struct ibc_fattree *tree;
	struct {
		const char *name;
		unsigned int port, pci;
	} slots[SLOTS_MAX];
	unsigned int num_slots;
	struct adapter *adapters;
	struct rail_host *hosts;
	uint32_t num_hosts;
	struct sets parts;             /* switches that hang together */
	bool *reported;                /* by switch: of a rail that is reported to be in parts */
	const struct ibc_node **alone; /* adapters that deviate, and none is their pair */
	size_t num_alone;
};

/* struct place - the leaf that most of some hosts are on, if so many as @have are most of them */
struct place {
	struct majority leaf;
	uint32_t have;
};

/*
 * struct rail_type - hosts of one type
 * @rails: adapters of each
 * @votes: which rail each leaf is of
 * @places: by rail, leaf, other rail: where hosts on that leaf have the other
 */
struct rail_type {
	struct rails *all;
	const struct rail_host *hosts;
	uint32_t n, rails;
	struct rail_votes votes;
	struct place *places;
};

static inline const struct adapter *rail_adapter(const struct rail_type *t, uint32_t host,
                                                 uint32_t rail)
{
	return &t->all->adapters[t->hosts[host].first + rail];
}

/* Leaf switches of a rail that do not hang together. */
void rail_parts(const struct rail_type *t);
/* Hosts that lack rails which those of the type have. */
void rail_lacks(const struct rail_type *t);
