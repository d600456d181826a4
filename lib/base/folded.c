/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/folded.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/hostlist.h>

#include "base/arena.h"

#define LIST_BYTES 160 /* two lines of a terminal */

const char *folded_all(struct arena *a, const char *const *names, size_t n)
{
	char *list = ibc_hostlist_fold(names, n);
	jmp_buf *escape = arena_escape(a, NULL); /* not before the list is freed */
	const char *kept = list ? arena_strdup(a, list) : NULL;

	free(list);
	arena_escape(a, escape);
	return kept ? kept : arena_alloc(a, SIZE_MAX); /* leaves as any other that fails */
}

const char *folded_names(struct arena *a, const char *const *names, size_t n)
{
	const char *list = folded_all(a, names, n);
	size_t cut = 0, depth = 0;

	if (!list || strlen(list) <= LIST_BYTES)
		return list;
	for (size_t i = 0; i < LIST_BYTES; i++) {
		depth += list[i] == '[';
		depth -= list[i] == ']';
		if (list[i] == ',' && !depth)
			cut = i;
	}
	return cut ? arena_printf(a, "%.*s and more", (int)cut, list)
	           : arena_printf(a, "%.*s...", LIST_BYTES, list);
}
