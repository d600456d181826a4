/* SPDX-License-Identifier: BSD-2-Clause */
#include "draw/title.h"

#include "base/arena.h"

const char *drawing_title(struct arena *a, const struct ibc_fabric *fab)
{
	struct ibc_fabric_counts n = ibc_fabric_count(fab);

	return arena_printf(a, "%zu switches, %zu hosts, %zu cables", n.switches,
	                    n.hosts ? n.hosts : n.cas, n.cables);
}
