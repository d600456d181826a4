/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/rtt.h"

#define BUCKETS (RTT_OCTAVES * RTT_STEPS)

/* Below RTT_STEPS one bucket a nanosecond; above, the octave and its three next bits. */
static unsigned int bucket_of(uint64_t ns)
{
	unsigned int octave, bucket;

	if (ns < RTT_STEPS)
		return ns;
	octave = 63 - __builtin_clzll(ns);
	bucket = (octave - 2) * RTT_STEPS + (ns >> (octave - 3)) % RTT_STEPS;
	return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

static uint64_t upper_end(unsigned int bucket)
{
	unsigned int octave = bucket / RTT_STEPS + 2;

	if (bucket < RTT_STEPS)
		return bucket;
	return ((uint64_t)(RTT_STEPS + bucket % RTT_STEPS + 1) << (octave - 3)) - 1;
}

void rtt_add(struct rtt *r, uint64_t ns)
{
	r->bucket[bucket_of(ns)]++;
	r->count++;
}

uint32_t rtt_percentile_us(const struct rtt *r, unsigned int percent)
{
	uint64_t below = 0, rank = (r->count * percent + 99) / 100;

	for (unsigned int i = 0; rank && i < BUCKETS; i++) {
		below += r->bucket[i];
		if (below >= rank)
			return (upper_end(i) + 999) / 1000;
	}
	return 0;
}
