/* SPDX-License-Identifier: BSD-2-Clause */
/* Hosts of a fabric by name, up to the first dot: sorted once, then each by bisection. */
#include <stdlib.h>
#include <string.h>

#include "analysis/perf/hosts.h"
#include "base/arena.h"

/* Lists may have the short names of hosts that call themselves by their long ones. */
static int by_short_name(const char *a, const char *z)
{
	size_t x = strcspn(a, "."), y = strcspn(z, ".");
	int order = memcmp(a, z, x < y ? x : y);

	return order ? order : (x > y) - (x < y);
}

static int by_host(const void *va, const void *vz)
{
	const struct ibc_fabric_host *const *a = va, *const *z = vz;

	return by_short_name((*a)->name, (*z)->name);
}

static int name_and_host(const void *name, const void *host)
{
	return by_short_name(name, (*(const struct ibc_fabric_host *const *)host)->name);
}

struct perf_hosts perf_hosts_of(struct arena *arena, const struct ibc_fabric *fab)
{
	struct perf_hosts h = { .num = ibc_fabric_count(fab).hosts };

	h.sorted = arena_array(arena, h.num + 1, sizeof(*h.sorted));
	for (size_t i = 0; i < h.num; i++)
		h.sorted[i] = ibc_fabric_host(fab, i);
	qsort(h.sorted, h.num, sizeof(*h.sorted), by_host);
	return h;
}

const struct ibc_fabric_host *perf_host_named(const struct perf_hosts *h, const char *name)
{
	const struct ibc_fabric_host *const *found = bsearch(name, h->sorted, h->num,
	                                                     sizeof(*h->sorted), name_and_host);

	return found ? *found : NULL;
}
