/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

#define MAP_NONE SIZE_MAX

/* struct map - a number for each key, of findings by the hundred thousand: 16 bytes and a hash */
struct map {
	struct arena *arena;
	struct map_slot *slots;
	size_t room, n;
};

/* map.c: the number of a key, or MAP_NONE */
size_t map_find(const struct map *map, uint64_t key);
/* The same, after a key that is not there was added with that number. */
size_t map_add(struct map *map, uint64_t key, size_t number);
