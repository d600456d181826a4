/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/tree/railvotes.h"

#include "base/arena.h"

bool rail_votes_init(struct rail_votes *v, struct arena *arena, uint32_t leaves, uint32_t rails)
{
	*v = (struct rail_votes){ .leaves = leaves, .rails = rails };
	v->votes = arena_array(arena, (size_t)leaves * rails + 1, sizeof(*v->votes));
	v->usual = arena_array(arena, leaves + 1u, sizeof(*v->usual));
	return v->votes && v->usual;
}

void rail_votes_count(struct rail_votes *v)
{
	for (uint32_t leaf = 0; leaf < v->leaves; leaf++)
		for (uint32_t k = 1; k < v->rails; k++)
			if (*rail_votes_of(v, leaf, k) > *rail_votes_of(v, leaf, v->usual[leaf]))
				v->usual[leaf] = k;
}

uint32_t rail_votes_sum(const struct rail_votes *v, uint32_t leaf)
{
	uint32_t sum = 0;

	for (uint32_t k = 0; k < v->rails; k++)
		sum += *rail_votes_of(v, leaf, k);
	return sum;
}
