/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adaptive tables: most switches send all LIDs of a block by the same group, so blocks, and
 * sets of ports, are kept once each.  A hash table with open addressing, in the arena.
 */
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "fabric/build.h"

#define SHARED_START 256 /* slots at first; doubled before half of them are used */

/* struct shared - values of @size bytes, each once; @size is a multiple of 8 */
struct shared {
	const void **slots;
	size_t num, room, size;
};

/* struct fabric_ar - the tables, writable */
struct fabric_ar {
	struct ibc_ar_tables tables;
	const uint16_t **blocks;
	struct ibc_ar_switch *switches;
	struct shared equal_blocks, equal_sets;
};

static size_t slot_of(const struct shared *s, const void *value)
{
	const unsigned char *at = value;
	uint64_t hash = 0, word;
	size_t i;

	for (size_t n = 0; n < s->size; n += sizeof(word)) {
		memcpy(&word, at + n, sizeof(word));
		hash = hash_mix(hash ^ word);
	}
	for (i = hash & (s->room - 1); s->slots[i]; i = (i + 1) & (s->room - 1))
		if (memcmp(s->slots[i], value, s->size) == 0)
			break;
	return i;
}

static bool widen(struct shared *s, struct arena *a)
{
	struct shared old = *s;

	s->room = old.room ? 2 * old.room : SHARED_START;
	s->slots = arena_array(a, s->room, sizeof(*s->slots));
	if (!s->slots) {
		*s = old;
		return false;
	}
	for (size_t i = 0; i < old.room; i++)
		if (old.slots[i])
			s->slots[slot_of(s, old.slots[i])] = old.slots[i];
	return true;
}

/* The one that is equal; NULL: out of memory. */
static const void *shared_keep(struct shared *s, const void *value, struct arena *a)
{
	void *kept;
	size_t i;

	if (2 * s->num >= s->room && !widen(s, a))
		return NULL;
	i = slot_of(s, value);
	if (s->slots[i])
		return s->slots[i];
	kept = arena_alloc(a, s->size);
	if (!kept)
		return NULL;
	memcpy(kept, value, s->size);
	s->num++;
	return s->slots[i] = kept;
}

/* NULL: out of memory. */
static struct fabric_ar *ar_of(struct fabric_build *b, struct fabric_forwarding *f)
{
	size_t blocks = (f->tables.num_lids + IBC_LFT_BLOCK - 1) / IBC_LFT_BLOCK;
	struct arena *a = fabric_build_arena(b);
	struct fabric_ar *ar = f->ar;

	if (ar)
		return ar;
	ar = arena_alloc(a, sizeof(*ar));
	if (!ar)
		return NULL;
	ar->blocks = arena_array(a, blocks + 1, f->tables.stride * sizeof(*ar->blocks));
	ar->switches = arena_array(a, f->tables.num_switches + 1, sizeof(*ar->switches));
	if (!ar->blocks || !ar->switches)
		return NULL;
	ar->equal_blocks.size = IBC_LFT_BLOCK * sizeof(**ar->blocks);
	ar->equal_sets.size = sizeof(struct ibc_port_set);
	ar->tables = (struct ibc_ar_tables){ .switches = ar->switches, .blocks = ar->blocks };
	f->tables.ar = &ar->tables;
	return f->ar = ar;
}

bool fabric_ar_block(struct fabric_build *b, struct fabric_forwarding *f, size_t column,
                     size_t block, const uint16_t *entries)
{
	struct fabric_ar *ar = ar_of(b, f);
	const void *kept;

	kept = ar ? shared_keep(&ar->equal_blocks, entries, fabric_build_arena(b)) : NULL;
	if (kept)
		ar->blocks[block * f->tables.stride + column] = kept;
	return kept;
}

/* Room for the group with that number. */
static bool make_groups(struct ibc_ar_switch *sw, unsigned int group, struct arena *a)
{
	unsigned int room = sw->num_groups ? sw->num_groups : 1;
	const struct ibc_port_set **groups;

	if (group < sw->num_groups)
		return true;
	while (room <= group)
		room *= 2;
	groups = arena_array(a, room, sizeof(*groups));
	if (!groups)
		return false;
	for (unsigned int i = 0; i < sw->num_groups; i++)
		groups[i] = sw->groups[i];
	sw->groups = groups;
	sw->num_groups = room;
	return true;
}

bool fabric_ar_group(struct fabric_build *b, struct fabric_forwarding *f, size_t column,
                     unsigned int group, const struct ibc_port_set *ports)
{
	struct fabric_ar *ar = ar_of(b, f);
	struct arena *a = fabric_build_arena(b);
	struct ibc_port_set all = *ports;
	const struct ibc_port_set **slot;

	if (!ar || !make_groups(&ar->switches[column], group, a))
		return false;
	slot = (const struct ibc_port_set **)&ar->switches[column].groups[group];
	for (size_t i = 0; *slot && i < 4; i++)
		all.words[i] |= (*slot)->words[i];
	*slot = shared_keep(&ar->equal_sets, &all, a);
	return *slot;
}

bool fabric_ar_private(struct fabric_build *b, struct fabric_forwarding *f, size_t column)
{
	struct fabric_ar *ar = ar_of(b, f);

	if (ar)
		ar->switches[column].private_tables = true;
	return ar;
}

bool fabric_ar_gap(struct fabric_build *b, struct fabric_forwarding *f, size_t column,
                   enum ibc_ar_gap gap)
{
	const size_t blocks = (f->tables.num_lids + IBC_LFT_BLOCK - 1) / IBC_LFT_BLOCK;
	struct fabric_ar *ar = ar_of(b, f);

	if (!ar)
		return false;
	for (size_t i = 0; i < blocks; i++)
		ar->blocks[i * f->tables.stride + column] = NULL;
	ar->switches[column] = (struct ibc_ar_switch){ .gap = gap };
	return true;
}
