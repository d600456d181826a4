/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/groups.h"

#include "analysis/alike.h"
#include "base/arena.h"

/*
 * struct grouping - one tier at work
 * @owner: by switch: the set or the group it counts for; NO_GROUP
 * @tally: by set or group: cables counted; all 0 between counts
 */
struct grouping {
	const struct switches *sw;
	const uint8_t *rank;
	unsigned int tier;
	struct overlap overlap;
	struct sets sets;
	uint32_t *up; /* by switch: cables to the next rank */
	uint32_t *size;
	uint32_t *owner, *home, *tally;
};

static bool is_lower(const struct grouping *g, uint32_t s)
{
	return g->rank[s] == g->tier && g->up[s];
}

/* Joins switches that share so much of what each of them has, if both count for owner. */
static void join_sharing(struct grouping *g, unsigned int percent, uint32_t owner)
{
	const struct overlap_over over = { g->rank, (uint8_t)(g->tier + 1), (uint8_t)g->tier };

	for (uint32_t s = 0; s < g->sw->n; s++) {
		if (!is_lower(g, s) || g->owner[s] != owner)
			continue;
		overlap_measure(g->sw, s, &over, &g->overlap);
		for (uint32_t i = 0; i < g->overlap.n; i++) {
			uint32_t t = g->overlap.others[i];
			uint32_t most = g->up[s] > g->up[t] ? g->up[s] : g->up[t];

			if (t > s && g->owner[t] == owner &&
			    g->overlap.with[t] * 100u >= percent * most)
				sets_join(&g->sets, s, t);
		}
	}
}

/* For whom most cables of a switch to a rank count, and how many; ties: the lowest. */
static uint32_t find_plurality(struct grouping *g, uint32_t s, unsigned int to,
                               const uint32_t *owner, uint32_t *cables)
{
	const struct switch_pair *first = &g->sw->pairs[g->sw->first_pair[s]];
	const struct switch_pair *end = &g->sw->pairs[g->sw->first_pair[s + 1]];
	uint32_t best = NO_GROUP;

	*cables = 0;
	for (const struct switch_pair *p = first; p < end; p++)
		if (g->rank[p->to] == to && owner[p->to] != NO_GROUP)
			g->tally[owner[p->to]] += p->count;
	for (const struct switch_pair *p = first; p < end; p++) {
		uint32_t o = g->rank[p->to] == to ? owner[p->to] : NO_GROUP;

		if (o == NO_GROUP || g->tally[o] < *cables || (g->tally[o] == *cables && o > best))
			continue;
		best = o;
		*cables = g->tally[o];
	}
	for (const struct switch_pair *p = first; p < end; p++)
		if (g->rank[p->to] == to && owner[p->to] != NO_GROUP)
			g->tally[owner[p->to]] = 0;
	return best;
}

/*
 * What shares too little with each of the others still belongs to those whose upper
 * switches it has half of its cables to.  It attracts nobody itself: two halves of a
 * director would become one group, in which no rule fits.
 */
static void attach_singles(struct grouping *g)
{
	uint32_t cables;

	for (uint32_t s = 0; s < g->sw->n; s++)
		g->size[s] = 0;
	for (uint32_t s = 0; s < g->sw->n; s++)
		g->size[set_of(&g->sets, s)]++;
	for (uint32_t s = 0; s < g->sw->n; s++) {
		uint32_t set = set_of(&g->sets, s);

		g->owner[s] = is_lower(g, s) && g->size[set] > 1 ? set : NO_GROUP;
	}
	for (uint32_t s = 0; s < g->sw->n; s++)
		if (g->rank[s] == g->tier + 1)
			g->owner[s] = find_plurality(g, s, g->tier, g->owner, &cables);
	for (uint32_t s = 0; s < g->sw->n; s++) {
		g->home[s] = g->owner[s];
		if (!is_lower(g, s) || g->owner[s] != NO_GROUP)
			continue;
		g->home[s] = find_plurality(g, s, g->tier + 1, g->owner, &cables);
		if (cables * 2 < g->up[s])
			g->home[s] = NO_GROUP;
	}
}

/* Those that are still alone may be alike with each other. */
static void join_singles(struct grouping *g)
{
	for (uint32_t s = 0; s < g->sw->n; s++)
		g->owner[s] = g->home[s];
	join_sharing(g, 50, NO_GROUP);
	for (uint32_t s = 0; s < g->sw->n; s++)
		if (g->home[s] == NO_GROUP)
			g->home[s] = set_of(&g->sets, s);
}

static void number_groups(struct grouping *g, struct wiring_groups *out)
{
	uint32_t *number = g->size, cables;

	for (uint32_t s = 0; s < g->sw->n; s++)
		number[s] = NO_GROUP;
	for (uint32_t s = 0; s < g->sw->n; s++) {
		if (!is_lower(g, s))
			continue;
		if (number[g->home[s]] == NO_GROUP) {
			number[g->home[s]] = (uint32_t)out->n;
			out->all[out->n++].rank = g->tier;
		}
		out->as_lower[s] = number[g->home[s]];
	}
	for (uint32_t s = 0; s < g->sw->n; s++)
		if (g->rank[s] == g->tier + 1)
			out->as_upper[s] = find_plurality(g, s, g->tier, out->as_lower, &cables);
}

static void group_tier(struct grouping *g, struct wiring_groups *out)
{
	for (uint32_t s = 0; s < g->sw->n; s++) {
		g->up[s] = count_cables(g->sw, s, g->rank, (uint8_t)(g->tier + 1));
		g->owner[s] = NO_GROUP;
		g->sets.parent[s] = s;
	}
	join_sharing(g, 75, NO_GROUP);
	attach_singles(g);
	join_singles(g);
	number_groups(g, out);
}

/* Who is in which group becomes a list for each group. */
static bool list_members(struct arena *a, uint32_t switches, struct wiring_groups *groups)
{
	uint32_t *lower = arena_array(a, switches + 1u, sizeof(*lower));
	uint32_t *upper = arena_array(a, switches + 1u, sizeof(*upper));

	if (!lower || !upper)
		return false;
	for (uint32_t s = 0; s < switches; s++) {
		if (groups->as_lower[s] != NO_GROUP)
			groups->all[groups->as_lower[s]].num_lower++;
		if (groups->as_upper[s] != NO_GROUP)
			groups->all[groups->as_upper[s]].num_upper++;
	}
	for (size_t i = 0; i < groups->n; i++) {
		struct wiring_group *g = &groups->all[i];

		g->lower = lower;
		g->upper = upper;
		lower += g->num_lower;
		upper += g->num_upper;
		g->num_lower = g->num_upper = 0;
	}
	for (uint32_t s = 0; s < switches; s++) {
		struct wiring_group *below = NULL, *above = NULL;

		if (groups->as_lower[s] != NO_GROUP)
			above = &groups->all[groups->as_lower[s]];
		if (groups->as_upper[s] != NO_GROUP)
			below = &groups->all[groups->as_upper[s]];
		if (above) {
			groups->place_lower[s] = above->num_lower;
			above->lower[above->num_lower++] = s;
		}
		if (below) {
			groups->place_upper[s] = below->num_upper;
			below->upper[below->num_upper++] = s;
		}
	}
	return true;
}

static bool find(struct arena *a, struct arena *tmp, struct grouping *g, unsigned int levels,
                 struct wiring_groups *out)
{
	uint32_t n = g->sw->n;

	g->up = arena_array(tmp, n + 1u, sizeof(*g->up));
	g->size = arena_array(tmp, n + 1u, sizeof(*g->size));
	g->owner = arena_array(tmp, n + 1u, sizeof(*g->owner));
	g->home = arena_array(tmp, n + 1u, sizeof(*g->home));
	g->tally = arena_array(tmp, n + 1u, sizeof(*g->tally));
	if (!g->up || !g->size || !g->owner || !g->home || !g->tally ||
	    !overlap_new(tmp, n, &g->overlap) || !sets_new(tmp, n, &g->sets))
		return false;
	for (g->tier = 0; g->tier + 1 < levels; g->tier++)
		group_tier(g, out);
	return list_members(a, n, out);
}

bool groups_find(struct arena *a, const struct switches *sw, const uint8_t *rank,
                 unsigned int levels, struct wiring_groups *out)
{
	struct grouping g = { .sw = sw, .rank = rank };
	struct arena *tmp = arena_new();
	bool done;

	*out = (struct wiring_groups){
		.all = arena_array(a, sw->n + 1u, sizeof(*out->all)),
		.as_lower = arena_array(a, sw->n + 1u, sizeof(*out->as_lower)),
		.as_upper = arena_array(a, sw->n + 1u, sizeof(*out->as_upper)),
		.place_lower = arena_array(a, sw->n + 1u, sizeof(*out->place_lower)),
		.place_upper = arena_array(a, sw->n + 1u, sizeof(*out->place_upper)),
	};
	if (!out->all || !out->as_lower || !out->as_upper || !out->place_lower || !out->place_upper)
		done = false;
	else
		done = tmp;
	for (uint32_t s = 0; done && s < sw->n; s++)
		out->as_lower[s] = out->as_upper[s] = NO_GROUP;
	done = done && find(a, tmp, &g, levels, out);
	arena_free(tmp);
	return done;
}
