/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/folded.h"

#include <string.h>

#include "base/arena.h"

#define LIST_BYTES 160 /* two lines of a terminal */

/* Cut between names, where it is long. */
static const char *cut_list(struct arena *arena, const char *list)
{
	size_t cut = 0, depth = 0;

	if (strlen(list) <= LIST_BYTES)
		return list;
	for (size_t i = 0; i < LIST_BYTES; i++) {
		depth += list[i] == '[';
		depth -= list[i] == ']';
		if (list[i] == ',' && !depth)
			cut = i;
	}
	return cut ? arena_printf(arena, "%.*s and more", (int)cut, list)
	           : arena_printf(arena, "%.*s...", LIST_BYTES, list);
}

const char *folded_names(struct arena *a, const char *const *names, size_t n)
{
	const char *list = folded_hosts(a, names, n);

	return list ? cut_list(a, list) : NULL;
}
