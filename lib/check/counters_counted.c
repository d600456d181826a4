/* SPDX-License-Identifier: BSD-2-Clause */
#include "check/counters_counted.h"

#include <string.h>

static const uint64_t *find_counted(const struct ibc_named *counters, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(counters[i].name, name))
			return &counters[i].value;
	return NULL;
}

const uint64_t *counted_now(const struct counted *c, const char *name)
{
	return find_counted(c->now, c->num_now, name);
}

uint64_t counted_added(const struct counted *c, const char *name)
{
	const uint64_t *old = find_counted(c->before, c->num_before, name),
		       *new = counted_now(c, name);

	if (!old || !new)
		return 0;
	if (*new >= *old)
		return *new - *old;
	/* begins again after 2^32: else somebody restarted the device */
	return *old <= UINT32_MAX && *old - *new > UINT32_MAX / 2 ? *new + (1ULL << 32) - *old : 0;
}
