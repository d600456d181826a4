/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <ibcheck/fabric.h>

struct arena;

struct perf_hosts {
	const struct ibc_fabric_host **sorted;
	size_t num;
};

/* schedule.c: those of a fabric, in an arena with an escape; one of them, or NULL. */
struct perf_hosts perf_hosts_of(struct arena *arena, const struct ibc_fabric *fab);
const struct ibc_fabric_host *perf_host_named(const struct perf_hosts *h, const char *name);
