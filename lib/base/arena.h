/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Memory that is freed all at once.  Everything returned is zeroed and aligned
 * for any type; NULL when out of memory.
 */
struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *a);
/*
 * From now on no call below returns NULL or false for lack of memory: it leaves by longjmp() to
 * @escape, which its caller has filled; NULL: they return again.  For code that holds nothing
 * but arenas, once, at its public entry, and in the thread that runs it:
 *
 *	int ibc_thing_find(const struct ibc_fabric *fabric, struct ibc_thing **out)
 *	{
 *		struct arena *a = arena_new();
 *
 *		if (!a || setjmp(*arena_entry(a))) {
 *			arena_free(a);
 *			return -ENOMEM;
 *		}
 *		*out = find_thing(a, fabric);
 *		arena_escape(a, NULL);
 *		return 0;
 *	}
 *
 * What lives on after that entry must have no escape: its frame is gone.  Returns the one before.
 * arena_entry() makes one of the arena's own, which others may share.
 */
jmp_buf *arena_escape(struct arena *a, jmp_buf *escape);
jmp_buf *arena_entry(struct arena *a);
void *arena_alloc(struct arena *a, size_t size);
/* n elements of size, NULL also on overflow */
void *arena_array(struct arena *a, size_t n, size_t size);
/* As grow() in base/array.h; what gets too small is left behind. */
bool arena_grow(struct arena *a, void *array, size_t n, size_t *room, size_t size);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *format, va_list ap)
    __attribute__((format(printf, 2, 0)));

/*
 * Fault tests: the nth allocation of the library from now on (1 = the next)
 * in this thread fails, and all after it; 0 switches that off.  Every allocation
 * in lib/ goes through arena or xalloc(), so this reaches all of them.
 */
void alloc_fail_at(unsigned long n);
void *xalloc(size_t size);                      /* calloc(1, size) */
void *xrealloc(void *p, size_t n, size_t size); /* as reallocarray(); p stays valid on failure */
