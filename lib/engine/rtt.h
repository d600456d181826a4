/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Round-trip times, in buckets an eighth of a value wide at most: percentiles for little memory. */
#include <stdint.h>

#define RTT_STEPS   8  /* buckets an octave */
#define RTT_OCTAVES 40 /* of nanoseconds: up to 18 minutes */

struct rtt {
	uint32_t bucket[RTT_OCTAVES * RTT_STEPS];
	uint64_t count;
};

void rtt_add(struct rtt *r, uint64_t ns);
/* The time that percent of all were not slower than, in us, rounded up; 0 if there are none. */
uint32_t rtt_percentile_us(const struct rtt *r, unsigned int percent);
