/* SPDX-License-Identifier: BSD-2-Clause */
/* Open addressing, each slot tried after the other; a quarter of them is free. */
#include "case/map.h"

#include "base/arena.h"
#include "base/hash.h"

#define ROOM_FIRST 64 /* slots; a power of two */

/* @after: the number and 1; 0: free */
struct map_slot {
	uint64_t key;
	size_t after;
};

static struct map_slot *slot_of(const struct map *map, uint64_t key)
{
	size_t i = hash_mix(key) & (map->room - 1);

	while (map->slots[i].after && map->slots[i].key != key)
		i = (i + 1) & (map->room - 1);
	return &map->slots[i];
}

size_t map_find(const struct map *map, uint64_t key)
{
	return map->n ? slot_of(map, key)->after - 1 : MAP_NONE;
}

size_t map_add(struct map *map, uint64_t key, size_t number)
{
	struct map more = { .room = map->room ? 2 * map->room : ROOM_FIRST };
	struct map_slot *slot;

	if (4 * map->n >= 3 * map->room) {
		more.slots = arena_array(map->arena, more.room, sizeof(*more.slots));
		for (size_t i = 0; i < map->room; i++)
			if (map->slots[i].after)
				*slot_of(&more, map->slots[i].key) = map->slots[i];
		map->slots = more.slots;
		map->room = more.room;
	}
	slot = slot_of(map, key);
	if (!slot->after) {
		*slot = (struct map_slot){ key, number + 1 };
		map->n++;
	}
	return slot->after - 1;
}
