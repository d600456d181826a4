/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/tree/overlap.h"

#include "base/arena.h"

void overlap_new(struct arena *a, uint32_t switches, struct overlap *out)
{
	out->with = arena_array(a, switches + 1u, sizeof(*out->with));
	out->others = arena_array(a, switches + 1u, sizeof(*out->others));
	out->n = 0;
}

void overlap_measure(const struct switches *sw, uint32_t s, const struct overlap_over *over,
                     struct overlap *o)
{
	const uint8_t *rank = over ? over->rank : NULL;
	uint32_t first = over ? over->first : 0;

	while (o->n > 0)
		o->with[o->others[--o->n]] = 0;
	for (const struct trunk *pair = trunks(sw, s); pair < trunks(sw, s + 1); pair++) {
		uint32_t via = pair->to, own = pair->count;

		if (rank && rank[via] != over->via)
			continue;
		for (uint32_t k = sw->first_pair[via + 1]; k-- > sw->first_pair[via];) {
			uint32_t t = sw->pairs[k].to, its = sw->pairs[k].count;

			if (t < first) /* as are all that are left */
				break;
			if (t == s || (rank && rank[t] != over->with))
				continue;
			if (!o->with[t])
				o->others[o->n++] = t;
			o->with[t] += its < own ? its : own;
		}
	}
}

bool sets_new(struct arena *a, uint32_t n, struct sets *out)
{
	out->parent = arena_array(a, n + 1u, sizeof(*out->parent));
	for (uint32_t i = 0; out->parent && i < n; i++)
		out->parent[i] = i;
	return out->parent;
}

uint32_t set_of(const struct sets *sets, uint32_t member)
{
	uint32_t *parent = sets->parent;

	while (parent[member] != member) {
		parent[member] = parent[parent[member]];
		member = parent[member];
	}
	return member;
}

void sets_join(const struct sets *sets, uint32_t x, uint32_t y)
{
	uint32_t a = set_of(sets, x), b = set_of(sets, y);

	if (a < b)
		sets->parent[b] = a;
	else
		sets->parent[a] = b;
}

void sets_of_paths(struct arena *a, const struct switches *sw, struct sets *out)
{
	sets_new(a, sw->n, out);
	for (uint32_t s = 0; s < sw->n; s++)
		for (const struct trunk *p = trunks(sw, s); p < trunks(sw, s + 1); p++)
			sets_join(out, s, p->to);
}

uint32_t count_cables(const struct switches *sw, uint32_t s, const uint8_t *rank, uint8_t to)
{
	uint32_t n = 0;

	for (const struct trunk *pair = trunks(sw, s); pair < trunks(sw, s + 1); pair++)
		if (!rank || rank[pair->to] == to)
			n += pair->count;
	return n;
}
