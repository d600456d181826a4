/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/arena.h"
#include "base/array.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The first is of a few pages: small fabrics stay small.  Each is twice the last, up to what
 * malloc() has from the system, cleared and paged in as it is used.
 */
#define CHUNK_FIRST ((size_t)16384)
#define CHUNK_MOST  ((size_t)262144)
#define ROOM_FIRST  16 /* elements of an array that grows */

struct chunk {
	struct chunk *next;
	size_t size, used;
	alignas(max_align_t) unsigned char data[];
};

/* The first chunk is the one being filled. */
struct arena {
	struct chunk *chunks;
	jmp_buf *escape; /* NULL: an allocation that fails returns NULL */
	jmp_buf own;
};

/* Allocations until one fails, counting that one; 0: none will. */
static _Thread_local unsigned long fail_countdown;

void alloc_fail_at(unsigned long n)
{
	fail_countdown = n;
}

static bool must_fail(void)
{
	if (fail_countdown > 1)
		fail_countdown--;
	else if (fail_countdown == 1)
		return true;
	return false;
}

void *xalloc(size_t size)
{
	return must_fail() ? NULL : calloc(1, size ? size : 1);
}

void *xrealloc(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (must_fail() || __builtin_mul_overflow(n, size, &bytes) || bytes > PTRDIFF_MAX)
		return NULL;
	/* of no bytes, realloc() might free */
	return realloc(p, bytes ? bytes : 1);
}

bool grow(void *array, size_t n, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : ROOM_FIRST;
	void *old, *grown;

	if (n < *room)
		return true;
	/* a pointer of any type is read and written as the bytes it has */
	memcpy(&old, array, sizeof(old));
	grown = xrealloc(old, more, size);
	if (!grown)
		return false;
	memcpy(array, &grown, sizeof(grown));
	*room = more;
	return true;
}

struct arena *arena_new(void)
{
	return xalloc(sizeof(struct arena));
}

void arena_free(struct arena *a)
{
	struct chunk *next;

	if (!a)
		return;
	for (struct chunk *c = a->chunks; c; c = next) {
		next = c->next;
		free(c);
	}
	free(a);
}

jmp_buf *arena_escape(struct arena *a, jmp_buf *escape)
{
	jmp_buf *before = a->escape;

	a->escape = escape;
	return before;
}

jmp_buf *arena_entry(struct arena *a)
{
	return a->escape = &a->own;
}

/* NULL, for who can bear that. */
static void *none_left(const struct arena *a)
{
	if (a->escape)
		longjmp(*a->escape, 1);
	return NULL;
}

void *arena_alloc(struct arena *a, size_t size)
{
	const size_t align = alignof(max_align_t);
	size_t room = CHUNK_FIRST;
	struct chunk *c = a->chunks;

	if (must_fail() || size > PTRDIFF_MAX)
		return none_left(a);
	size = size ? (size + align - 1) / align * align : align;
	if (!c || size > c->size - c->used) {
		struct chunk **at = &a->chunks;

		if (c && c->size >= CHUNK_FIRST)
			room = c->size < CHUNK_MOST / 2 ? 2 * c->size : CHUNK_MOST;
		if (size >
		    room / 4) { /* large objects get a chunk each, behind the one being filled */
			room = size;
			at = c ? &c->next : at;
		}
		c = calloc(1, sizeof(*c) + room);
		if (!c)
			return none_left(a);
		c->size = room;
		c->next = *at;
		*at = c;
	}
	c->used += size;
	return c->data + c->used - size;
}

void *arena_array(struct arena *a, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		return none_left(a);
	return arena_alloc(a, bytes);
}

bool arena_grow(struct arena *a, void *array, size_t n, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : ROOM_FIRST;
	void *old, *grown;

	if (n < *room)
		return true;
	grown = arena_array(a, more, size);
	if (!grown)
		return false;
	memcpy(&old, array, sizeof(old));
	if (n)
		memcpy(grown, old, n * size);
	memcpy(array, &grown, sizeof(grown));
	*room = more;
	return true;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	size_t length = strnlen(s, n);
	char *copy = arena_alloc(a, length + 1);

	return copy ? memcpy(copy, s, length) : NULL;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_vprintf(struct arena *a, const char *format, va_list ap)
{
	va_list again;
	char *text;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, format, again);
	va_end(again);
	text = n < 0 ? none_left(a) : arena_alloc(a, (size_t)n + 1);
	if (text)
		vsnprintf(text, (size_t)n + 1, format, ap);
	return text;
}

char *arena_printf(struct arena *a, const char *format, ...)
{
	va_list ap;
	char *text;

	va_start(ap, format);
	text = arena_vprintf(a, format, ap);
	va_end(ap);
	return text;
}
