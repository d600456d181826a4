/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define POOL_PAGE 4096 /* texts: pages stay where they are while there come more */

/*
 * Texts, each once, by number: of twenty thousand hosts nearly all say the same.  Begins as zeros
 * but for @arena, which has an escape; number 0 is "", what is not known.
 */
struct pool {
	struct arena *arena;
	struct pool_text {
		const char *text;
		uint32_t hash, length;
	} * *pages;
	size_t room_pages;
	uint32_t *slots, num_slots, num;
};

/* pool.c: its number; the text may hold NULs, and is made valid UTF-8. */
uint32_t pool_add(struct pool *pool, const char *text, size_t length);
/* 0: it is not there. */
uint32_t pool_find(const struct pool *pool, const char *text, size_t length);

static inline struct pool_text *pool_at(const struct pool *pool, uint32_t number)
{
	return &pool->pages[number / POOL_PAGE][number % POOL_PAGE];
}

static inline const char *pool_text(const struct pool *pool, uint32_t number)
{
	return number ? pool_at(pool, number)->text : "";
}
