/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CHECK_COUNTERS_COUNTED_H
#define CHECK_COUNTERS_COUNTED_H

/* Counters of this host that have names, in two readings. */
#include <ibcheck/host.h>

struct counted {
	const struct ibc_named *before, *now;
	size_t num_before, num_now;
};

/* The newer value; NULL: there is no such counter. */
const uint64_t *counted_now(const struct counted *c, const char *name);
/* What was added; 0 for one that was cleared, or is not in both readings. */
uint64_t counted_added(const struct counted *c, const char *name);

#endif
