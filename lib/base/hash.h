/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * uthash, set up for a library: it allocates through xalloc(), and running out
 * of memory ends no process.  After HASH_ADD..., ask hash_added().
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"

#define HASH_NONFATAL_OOM    1 /* uthash: running out of memory is reported, not fatal */
#define uthash_malloc(size)  xalloc(size)
#define uthash_free(p, size) free(p)

#include <uthash.h>

/* Did the element get in?  It did not when memory ran out. */
#define hash_added(element) ((element)->hh.tbl != NULL)

/* Scatters 64 bits, one to one (the last step of splitmix64: Steele, Lea, Flood 2014). */
static inline uint64_t hash_mix(uint64_t z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static inline uint64_t hash_of_text(const char *text)
{
	uint64_t hash = 0;

	for (; *text; text++)
		hash = hash_mix(hash + (unsigned char)*text);
	return hash;
}

/* FNV-1a of 64 bits (Fowler, Noll, Vo): the same on every host, and in every version. */
#define HASH_BEGIN 0xcbf29ce484222325
static inline uint64_t hash_more(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
	return hash;
}
