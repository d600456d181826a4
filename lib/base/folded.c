/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/folded.h"

#include <string.h>

#include "base/arena.h"

#define LIST_BYTES 160 /* two lines of a terminal */

const char *folded_names(struct arena *a, const char *const *names, size_t n)
{
	const char *list = folded_hosts(a, names, n);
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
