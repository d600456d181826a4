/* SPDX-License-Identifier: BSD-2-Clause */
/* Open addressing over numbers of texts, half of the slots free. */
#include "fleet/pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/utf8.h"

#define SLOTS_FIRST 4096 /* a power of two */

static uint32_t hash_text(const char *text, size_t length)
{
	uint64_t hash = length, part;

	for (; length >= sizeof(part); text += sizeof(part), length -= sizeof(part)) {
		memcpy(&part, text, sizeof(part));
		hash = hash_mix(hash ^ part);
	}
	part = 0;
	memcpy(&part, text, length);
	return (uint32_t)hash_mix(hash ^ part);
}

static uint32_t *pool_slot(const struct pool *pool, const char *text, size_t length, uint32_t hash)
{
	uint32_t at = hash & (pool->num_slots - 1);

	for (; pool->slots[at]; at = (at + 1) & (pool->num_slots - 1)) {
		const struct pool_text *t = &pool->texts[pool->slots[at]];

		if (t->hash == hash && t->length == length && !memcmp(t->text, text, length))
			break;
	}
	return &pool->slots[at];
}

static int more_slots(struct pool *pool)
{
	uint32_t n = pool->num_slots ? 2 * pool->num_slots : SLOTS_FIRST;
	uint32_t *slots = xalloc(n * sizeof(*slots));

	if (!slots)
		return -1;
	for (uint32_t i = 1; i < pool->num; i++) {
		uint32_t at = pool->texts[i].hash & (n - 1);

		while (slots[at])
			at = (at + 1) & (n - 1);
		slots[at] = i;
	}
	free(pool->slots);
	pool->slots = slots;
	pool->num_slots = n;
	return 0;
}

/* Between NULs each part is what others wrote. */
static const char *clean_copy(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_alloc(arena, length + 1);

	if (!copy)
		return NULL;
	memcpy(copy, text, length);
	for (char *part = copy; part < copy + length; part += strlen(part) + 1)
		utf8_scrub(part);
	return copy;
}

uint32_t pool_add(struct pool *pool, const char *text, size_t length)
{
	uint32_t hash = hash_text(text, length), *slot;

	if (!length || pool->failed)
		return 0;
	pool->num += !pool->num;
	if ((2 * pool->num >= pool->num_slots && more_slots(pool)) ||
	    !grow(&pool->texts, pool->num, &pool->room, sizeof(*pool->texts))) {
		pool->failed = 1;
		return 0;
	}
	slot = pool_slot(pool, text, length, hash);
	if (*slot)
		return *slot;
	pool->texts[pool->num] = (struct pool_text){ clean_copy(pool->arena, text, length), hash,
		                                     (uint32_t)length };
	pool->failed = !pool->texts[pool->num].text;
	if (pool->failed)
		return 0;
	*slot = (uint32_t)pool->num;
	return (uint32_t)pool->num++;
}

uint32_t pool_find(const struct pool *pool, const char *text, size_t length)
{
	return pool->num_slots && length ? *pool_slot(pool, text, length, hash_text(text, length))
	                                 : 0;
}

void pool_free(struct pool *pool)
{
	free(pool->texts);
	free(pool->slots);
}
