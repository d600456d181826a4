/* SPDX-License-Identifier: BSD-2-Clause */
/* Hosts of a fabric by name, up to the first dot: sorted once, then each by bisection. */
#include <stdlib.h>
#include <string.h>

#include "analysis/perf/hosts.h"
#include "base/arena.h"
#include "base/array.h"

/* Lists may have the short names of hosts that call themselves by their long ones. */
static int by_short_name(const void *va, const void *vz)
{
	const char *a = (*(const struct ibc_fabric_host *const *)va)->name;
	const char *z = (*(const struct ibc_fabric_host *const *)vz)->name;
	size_t x = strcspn(a, "."), y = strcspn(z, ".");

	return memcmp(a, z, x < y ? x : y) ?: order_u64(x, y);
}

struct perf_hosts perf_hosts_of(struct arena *arena, const struct ibc_fabric *fab)
{
	struct perf_hosts h = { .num = ibc_fabric_count(fab).hosts };

	h.sorted = arena_array(arena, h.num + 1, sizeof(*h.sorted));
	for (size_t i = 0; i < h.num; i++)
		h.sorted[i] = ibc_fabric_host(fab, i);
	qsort(h.sorted, h.num, sizeof(*h.sorted), by_short_name);
	return h;
}

const struct ibc_fabric_host *perf_host_named(const struct perf_hosts *h, const char *name)
{
	const struct ibc_fabric_host key = { .name = name }, *like = &key;
	const struct ibc_fabric_host *const *found = bsearch(&like, h->sorted, h->num,
	                                                     sizeof(*h->sorted), by_short_name);

	return found ? *found : NULL;
}
