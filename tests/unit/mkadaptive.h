/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKADAPTIVE_H
#define MKADAPTIVE_H

/*
 * Adaptive tables for the fabrics of mkroutes.h: groups of all ports that lead nearer, one a
 * destination switch, for every LID of a host beyond the switch itself.
 *
 *	f = mk_tables(m, 40);
 *	mk_min_hop(m, f);
 *	mk_adaptive(m, f);
 *	mk_group(m, f, 1, 3)->words[0] |= 1 << 5;	switch 1, group 3: port 5 too
 *
 * Include it after mkroutes.h.
 */
#include <limits.h>

#include <ibcheck/adaptive.h>

static inline size_t mk_column(struct fabric_forwarding *f, uint64_t guid)
{
	return (size_t)(mk_entry(f, guid, 0) - f->out);
}

/* A group of a switch, to be changed: from here on it is its own. */
static inline struct ibc_port_set *mk_group(struct mkfab m, struct fabric_forwarding *f,
                                            uint64_t guid, unsigned int group)
{
	const struct ibc_ar_switch *sw = &f->tables.ar->switches[mk_column(f, guid)];
	const struct ibc_port_set **slot = (const struct ibc_port_set **)&sw->groups[group];
	struct ibc_port_set *own = arena_alloc(fabric_build_arena(m.b), sizeof(*own));

	assert_in_range(group, 0, sw->num_groups - 1);
	assert_non_null(own);
	*own = **slot;
	*slot = own;
	return own;
}

/* Switches to the one at a distance of each from it, by column; UINT_MAX: none. */
static inline void mk_distances(struct fabric_forwarding *f, size_t to, unsigned int *hops)
{
	size_t n = f->tables.num_switches;
	bool more = true;

	for (size_t i = 0; i < n; i++)
		hops[i] = i == to ? 0 : UINT_MAX;
	for (unsigned int depth = 0; more; depth++) {
		more = false;
		for (size_t i = 0; i < n; i++) {
			const struct ibc_node *sw = f->tables.switches[i];

			for (unsigned int k = 1; hops[i] == depth && k <= sw->num_ports; k++) {
				const struct ibc_port *far = sw->ports[k].peer;
				size_t next;

				if (!far || far->node->type != IBC_NODE_SWITCH)
					continue;
				next = mk_column(f, far->node->guid);
				if (hops[next] <= depth + 1)
					continue;
				hops[next] = depth + 1;
				more = true;
			}
		}
	}
}

/* The entry of a LID; the block must not be shared any more when all are put. */
static inline void mk_ar_entry(struct mkfab m, struct fabric_forwarding *f, uint64_t guid,
                               unsigned int lid, enum ibc_ar_entry state, unsigned int group)
{
	size_t column = mk_column(f, guid), block = lid / IBC_LFT_BLOCK;
	uint16_t entries[IBC_LFT_BLOCK];

	memcpy(entries, f->tables.ar->blocks[block * f->tables.stride + column], sizeof(entries));
	entries[lid % IBC_LFT_BLOCK] = (uint16_t)(state << IBC_AR_ENTRY_SHIFT | group);
	assert_true(fabric_ar_block(m.b, f, column, block, entries));
}

static inline void mk_static_blocks(struct mkfab m, struct fabric_forwarding *f)
{
	uint16_t entries[IBC_LFT_BLOCK];

	for (size_t i = 0; i < IBC_LFT_BLOCK; i++)
		entries[i] = IBC_AR_ENTRY_STATIC << IBC_AR_ENTRY_SHIFT;
	for (size_t block = 0; block * IBC_LFT_BLOCK < f->tables.num_lids; block++)
		for (size_t i = 0; i < f->tables.num_switches; i++)
			assert_true(fabric_ar_block(m.b, f, i, block, entries));
}

/* What a switch has for LIDs of hosts on another, with the number of that one. */
static inline void mk_ar_group(struct mkfab m, struct fabric_forwarding *f, size_t at, size_t to,
                               const unsigned int *hops)
{
	const struct ibc_node *sw = f->tables.switches[at], *dst = f->tables.switches[to];
	struct ibc_port_set set = { { 0 } };

	for (unsigned int k = 1; k <= sw->num_ports; k++) {
		const struct ibc_port *far = sw->ports[k].peer;

		if (far && far->node->type == IBC_NODE_SWITCH &&
		    hops[mk_column(f, far->node->guid)] + 1 == hops[at])
			set.words[k / 64] |= 1ull << k % 64;
	}
	assert_true(fabric_ar_group(m.b, f, at, (unsigned int)to, &set));
	for (unsigned int k = 1; k <= dst->num_ports; k++) {
		const struct ibc_port *host = dst->ports[k].peer;

		if (host && host->node->type != IBC_NODE_SWITCH)
			mk_ar_entry(m, f, sw->guid, host->lid, IBC_AR_ENTRY_FREE, (unsigned int)to);
	}
}

static inline void mk_adaptive(struct mkfab m, struct fabric_forwarding *f)
{
	size_t n = f->tables.num_switches;
	unsigned int *hops = calloc(n + 1, sizeof(*hops));

	assert_non_null(hops);
	mk_static_blocks(m, f);
	for (size_t to = 0; to < n; to++) {
		mk_distances(f, to, hops);
		for (size_t at = 0; at < n; at++)
			if (at != to && hops[at] != UINT_MAX)
				mk_ar_group(m, f, at, to, hops);
	}
	free(hops);
}

#endif
