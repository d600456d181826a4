/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

/*
 * Who has more than half of the votes, if anybody has, in one pass and without memory (Boyer,
 * Moore 1981).  @candidate is set even where there is no majority: count again if that
 * matters.  Begin with @lead 0; @candidate then is what it stays without a vote.
 */
struct majority {
	uint64_t candidate;
	uint32_t lead;
};

static inline void majority_vote(struct majority *m, uint64_t vote)
{
	if (!m->lead)
		m->candidate = vote;
	m->lead += m->candidate == vote ? 1U : -1U;
}
