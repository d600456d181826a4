/* SPDX-License-Identifier: BSD-2-Clause */
/* Open addressing over numbers of texts, half of the slots free. */
#include "fleet/pool.h"

#include <string.h>

#include "base/arena.h"
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
		const struct pool_text *t = pool_at(pool, pool->slots[at]);

		if (t->hash == hash && t->length == length && !memcmp(t->text, text, length))
			break;
	}
	return &pool->slots[at];
}

uint32_t pool_add(struct pool *pool, const char *text, size_t length)
{
	uint32_t hash = hash_text(text, length), *slot;
	size_t page;
	char *copy;

	if (!length)
		return 0;
	pool->num += !pool->num;
	if (2 * pool->num >= pool->num_slots) {
		uint32_t n = pool->num_slots ? 2 * pool->num_slots : SLOTS_FIRST;

		pool->slots = arena_array(pool->arena, n, sizeof(*pool->slots));
		pool->num_slots = n;
		for (uint32_t i = 1; i < pool->num; i++) {
			uint32_t at = pool_at(pool, i)->hash & (n - 1);

			while (pool->slots[at])
				at = (at + 1) & (n - 1);
			pool->slots[at] = i;
		}
	}
	slot = pool_slot(pool, text, length, hash);
	if (*slot)
		return *slot;
	page = pool->num / POOL_PAGE;
	arena_grow(pool->arena, &pool->pages, page, &pool->room_pages, sizeof(struct pool_text *));
	if (!pool->pages[page])
		pool->pages[page] = arena_array(pool->arena, POOL_PAGE, sizeof(struct pool_text));
	copy = arena_alloc(pool->arena, length + 1);
	memcpy(copy, text, length);
	/* between NULs each part is what others wrote */
	for (char *part = copy; part < copy + length; part += strlen(part) + 1)
		utf8_scrub(part);
	*pool_at(pool, pool->num) = (struct pool_text){ copy, hash, (uint32_t)length };
	*slot = pool->num;
	return pool->num++;
}

uint32_t pool_find(const struct pool *pool, const char *text, size_t length)
{
	return pool->num_slots && length ? *pool_slot(pool, text, length, hash_text(text, length))
	                                 : 0;
}
