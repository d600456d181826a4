/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FLEET_POOL_H
#define FLEET_POOL_H

#include <stddef.h>
#include <stdint.h>

/*
 * Texts, each once, by number: of twenty thousand hosts nearly all say the same.  Begins as zeros;
 * number 0 is "", which is said of what is not known.
 */
struct pool {
	struct arena *arena; /* the owner's */
	struct pool_text {
		const char *text;
		uint32_t hash, length;
	} * texts;
	uint32_t *slots, num_slots;
	size_t num, room;
	int failed; /* no memory: all numbers are 0 from then on */
};

/* pool.c: its number; the text may hold NULs, and is made valid UTF-8. */
uint32_t pool_add(struct pool *pool, const char *text, size_t length);
/* 0: it is not there. */
uint32_t pool_find(const struct pool *pool, const char *text, size_t length);
void pool_free(struct pool *pool);

static inline const char *pool_text(const struct pool *pool, uint32_t number)
{
	return number ? pool->texts[number].text : "";
}

#endif
