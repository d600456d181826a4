/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/*
 * arena.c: room for one more element behind the n of an array; it doubles, and may move.
 * @array: points to the pointer to the array, which may be NULL with *room 0
 *
 * Return: false when out of memory: all is as it was.
 */
bool grow(void *array, size_t n, size_t *room, size_t size);

/*
 * The first element of a sorted array that is not before @key, or @n; @compare gets @key first, as
 * that of bsearch(3) does.
 */
static inline size_t lower_bound(const void *key, const void *array, size_t n, size_t size,
                                 int (*compare)(const void *key, const void *element))
{
	size_t low = 0;

	while (low < n) {
		size_t middle = low + (n - low) / 2;

		if (compare(key, (const char *)array + middle * size) > 0)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

/* For qsort(): by one number; the next one may go on behind "?:". */
static inline int order_u64(uint64_t a, uint64_t z)
{
	return (a > z) - (a < z);
}

static inline int by_u32(const void *a, const void *z)
{
	return order_u64(*(const uint32_t *)a, *(const uint32_t *)z);
}

static inline int by_u64(const void *a, const void *z)
{
	return order_u64(*(const uint64_t *)a, *(const uint64_t *)z);
}
