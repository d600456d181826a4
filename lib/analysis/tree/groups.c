/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/tree/groups.h"

#include <string.h>

#include "analysis/tree/majority.h"
#include "analysis/tree/overlap.h"
#include "base/arena.h"
#include "base/array.h"

#define PORTS 256 /* a port number is a byte */

/*
 * struct grouping - one tier at work
 * @home: by lower switch: the set it is in; NO_GROUP
 * @owner: by switch: the set or the group that counts it; NO_GROUP
 * @tally: by set or group: cables counted; all 0 between counts
 * @weight: by set, or by group: cables of its members
 * @pod: by switch: the group of the tier below in which it is an upper one
 * @at_port: by port of a switch below: the set that most of what is there belongs to
 */
struct grouping {
	const struct switches *sw;
	const uint8_t *rank;
	unsigned int tier, tiers;
	struct overlap overlap;
	struct sets sets;
	uint32_t *up; /* by switch: cables to the next rank */
	uint32_t *size;
	uint32_t *owner, *home, *tally, *weight;
	const uint32_t *pod;
	struct majority at_port[PORTS];
	uint8_t *marks; /* by set, and by group */
};

static bool is_lower(const struct grouping *g, uint32_t s)
{
	return g->rank[s] == g->tier && g->up[s];
}

/*
 * Joins switches that share so much of what each of them has, if neither has an owner;
 * doc/wiring.md, table 5, part B.
 */
static void join_sharing(struct grouping *g, unsigned int percent)
{
	struct overlap_over over = { .rank = g->rank,
		                     .via = (uint8_t)(g->tier + 1),
		                     .with = (uint8_t)g->tier };

	for (uint32_t s = 0; s < g->sw->n; s++) {
		over.first = s + 1;
		if (!is_lower(g, s) || g->owner[s] != NO_GROUP)
			continue;
		overlap_measure(g->sw, s, &over, &g->overlap);
		for (uint32_t i = 0; i < g->overlap.n; i++) {
			uint32_t t = g->overlap.others[i];
			uint32_t most = g->up[s] > g->up[t] ? g->up[s] : g->up[t];

			if (g->owner[t] == NO_GROUP && g->overlap.with[t] * 100u >= percent * most)
				sets_join(&g->sets, s, t);
		}
	}
}

/* How many count for an owner so far; of the pod of s only, if it is given. */
static uint32_t count_members(const struct grouping *g, uint32_t owner, uint32_t s)
{
	uint32_t n = 0;

	for (uint32_t t = 0; t < g->sw->n; t++)
		n += g->rank[t] == g->tier && g->home[t] == owner &&
		     (s == NO_SWITCH || g->pod[t] == g->pod[s]);
	return n;
}

enum { OF_POD = 1, OF_KIN = 2 }; /* marks of sets, and of pods */

/* How many of an owner are of pods that share other sets with the pod of s. */
static uint32_t count_kin(const struct grouping *g, uint32_t owner, uint32_t s)
{
	uint32_t n = 0;

	memset(g->marks, 0, g->sw->n);
	for (uint32_t t = 0; t < g->sw->n; t++)
		if (g->rank[t] == g->tier && g->home[t] != NO_GROUP && g->pod[t] == g->pod[s])
			g->marks[g->home[t]] |= OF_POD;
	for (uint32_t t = 0; t < g->sw->n; t++)
		if (g->rank[t] == g->tier && g->home[t] != NO_GROUP && g->pod[t] != NO_GROUP &&
		    g->marks[g->home[t]] & OF_POD)
			g->marks[g->pod[t]] |= OF_KIN;
	for (uint32_t t = 0; t < g->sw->n; t++)
		n += g->rank[t] == g->tier && g->home[t] == owner && g->pod[t] != NO_GROUP &&
		     g->marks[g->pod[t]] & OF_KIN;
	return n;
}

/* Cables to below at ports where, in most pods, those of an owner are. */
static uint32_t count_like_ports(const struct grouping *g, uint32_t owner, uint32_t s)
{
	uint32_t n = 0;

	for (const struct trunk *p = trunks(g->sw, s); p < trunks(g->sw, s + 1); p++)
		for (uint32_t k = 0; g->rank[p->to] + 1u == g->tier && k < p->count; k++)
			n += g->at_port[g->sw->cables[p->first + k]->peer->num].candidate == owner;
	return n;
}

/*
 * A switch has as many cables to those of one owner as to those of another.  An upper one
 * belongs to the larger.  As each place has one switch in each pod, a lower one belongs where
 * its pod has none; else where those pods are that have much in common with its own; else
 * where its ports below say; else where fewer are.
 */
static bool comes_first(const struct grouping *g, uint32_t s, uint32_t a, uint32_t z)
{
	bool in_pod = g->pod[s] != NO_GROUP;
	int order;

	if (a == z || z == NO_GROUP)
		return a < z;
	if (g->rank[s] != g->tier)
		order = order_u64(g->weight[z], g->weight[a]);
	else if (g->tally[a] * 2 < g->up[s])
		order = 0; /* too few to belong to either */
	else
		order = (in_pod ? order_u64(count_members(g, a, s), count_members(g, z, s)) : 0)
		            ?: (in_pod ? order_u64(count_kin(g, z, s), count_kin(g, a, s)) : 0)
		            ?: order_u64(count_like_ports(g, z, s), count_like_ports(g, a, s))
		            ?: order_u64(count_members(g, a, NO_SWITCH),
		                         count_members(g, z, NO_SWITCH));
	return order < 0 || (order == 0 && a < z);
}

/* The owner that most cables of a switch to a rank count for, and how many. */
static uint32_t find_plurality(struct grouping *g, uint32_t s, unsigned int to,
                               const uint32_t *owner, uint32_t *cables)
{
	const struct trunk *first = trunks(g->sw, s), *end = trunks(g->sw, s + 1);
	uint32_t best = NO_GROUP;

	*cables = 0;
	for (const struct trunk *p = first; p < end; p++)
		if (g->rank[p->to] == to && owner[p->to] != NO_GROUP)
			g->tally[owner[p->to]] += p->count;
	for (const struct trunk *p = first; p < end; p++) {
		uint32_t o = g->rank[p->to] == to ? owner[p->to] : NO_GROUP;

		if (o == NO_GROUP || g->tally[o] < *cables ||
		    (g->tally[o] == *cables && !comes_first(g, s, o, best)))
			continue;
		best = o;
		*cables = g->tally[o];
	}
	for (const struct trunk *p = first; p < end; p++)
		if (g->rank[p->to] == to && owner[p->to] != NO_GROUP)
			g->tally[owner[p->to]] = 0;
	return best;
}

static void own_upper(struct grouping *g)
{
	uint32_t cables;

	for (uint32_t s = 0; s < g->sw->n; s++)
		if (g->rank[s] == g->tier + 1)
			g->owner[s] = find_plurality(g, s, g->tier, g->home, &cables);
}

/*
 * The sets of two and more, and the upper switches that each has most cables to.  Switches that
 * lack the same cables are alike too, but they own nothing: a set most cables of which go to
 * switches of another one is none.
 */
static void form_sets(struct grouping *g)
{
	uint32_t *own = g->size;

	memset(g->size, 0, g->sw->n * sizeof(*g->size));
	memset(g->weight, 0, g->sw->n * sizeof(*g->weight));
	for (uint32_t s = 0; s < g->sw->n; s++) {
		g->size[set_of(&g->sets, s)]++;
		g->weight[set_of(&g->sets, s)] += is_lower(g, s) ? g->up[s] : 0;
	}
	for (uint32_t s = 0; s < g->sw->n; s++) {
		uint32_t set = set_of(&g->sets, s);

		g->home[s] = is_lower(g, s) && g->size[set] > 1 ? set : NO_GROUP;
		g->owner[s] = g->home[s];
	}
	own_upper(g);
	memset(own, 0, g->sw->n * sizeof(*own));
	for (uint32_t s = 0; s < g->sw->n; s++) {
		if (g->home[s] == NO_GROUP)
			continue;
		for (const struct trunk *p = trunks(g->sw, s); p < trunks(g->sw, s + 1); p++)
			if (g->rank[p->to] == g->tier + 1 && g->owner[p->to] == g->home[s])
				own[g->home[s]] += p->count;
	}
	for (uint32_t s = 0; s < g->sw->n; s++)
		if (g->home[s] != NO_GROUP && own[g->home[s]] * 2 < g->weight[g->home[s]])
			g->home[s] = g->owner[s] = NO_GROUP;
	own_upper(g);
}

/* Whose switches most of those below reach through each of their ports. */
static void find_ports(struct grouping *g)
{
	for (unsigned int port = 0; port < PORTS; port++)
		g->at_port[port] = (struct majority){ NO_GROUP, 0 };
	for (uint32_t i = 0; g->tier && i < g->sw->n; i++) {
		if (g->rank[i] != g->tier || g->owner[i] == NO_GROUP)
			continue;
		for (const struct trunk *p = trunks(g->sw, i); p < trunks(g->sw, i + 1); p++) {
			for (uint32_t c = 0; g->rank[p->to] + 1u == g->tier && c < p->count; c++)
				majority_vote(&g->at_port[g->sw->cables[p->first + c]->peer->num],
				              g->owner[i]);
		}
	}
}

/*
 * What shares too little with each of the others still belongs to those whose upper
 * switches it has half of its cables to.  It attracts no other: two halves of a director would
 * become one group, in which no rule fits.  Those that are still alone may be alike with each
 * other.
 */
static void attach_singles(struct grouping *g)
{
	uint32_t cables;

	find_ports(g);
	for (uint32_t s = 0; s < g->sw->n; s++) {
		if (!is_lower(g, s) || g->owner[s] != NO_GROUP)
			continue;
		g->home[s] = find_plurality(g, s, g->tier + 1, g->owner, &cables);
		if (cables * 2 < g->up[s])
			g->home[s] = NO_GROUP;
	}
	for (uint32_t s = 0; s < g->sw->n; s++) {
		g->owner[s] = g->home[s];
		if (g->home[s] == NO_GROUP)
			g->sets.parent[s] = s;
	}
	join_sharing(g, 50);
	for (uint32_t s = 0; s < g->sw->n; s++)
		if (g->home[s] == NO_GROUP)
			g->home[s] = set_of(&g->sets, s);
}

static void number_groups(struct grouping *g, struct wiring_groups *out)
{
	uint32_t *number = g->size, cables;

	memset(number, 0xff, g->sw->n * sizeof(*number)); /* NO_GROUP */
	memset(g->weight, 0, g->sw->n * sizeof(*g->weight));
	for (uint32_t s = 0; s < g->sw->n; s++) {
		if (!is_lower(g, s))
			continue;
		if (number[g->home[s]] == NO_GROUP) {
			number[g->home[s]] = (uint32_t)out->n;
			out->all[out->n++].rank = g->tier;
		}
		out->of[LOWER][s] = number[g->home[s]];
		g->weight[out->of[LOWER][s]] += g->up[s];
	}
	for (uint32_t s = 0; s < g->sw->n; s++)
		if (g->rank[s] == g->tier + 1)
			out->of[UPPER][s] = find_plurality(g, s, g->tier, out->of[LOWER], &cables);
}

enum { HAS_POD = 1, IS_SIBLING = 2, LACKS_POD = 4 }; /* a group and a pod are both groups */

uint32_t group_without(struct arena *tmp, const struct wiring_groups *groups, uint32_t switches,
                       uint32_t pod)
{
	uint8_t *room = arena_alloc(tmp, groups->n + 1);
	const uint32_t *group = groups->of[LOWER], *pod_of = groups->of[UPPER];
	uint32_t found = NO_GROUP, n = 0;

	for (uint32_t s = 0; s < switches; s++)
		if (group[s] != NO_GROUP && pod_of[s] == pod)
			room[group[s]] |= HAS_POD;
	for (uint32_t s = 0; s < switches; s++)
		if (group[s] != NO_GROUP && pod_of[s] != NO_GROUP && room[group[s]] & HAS_POD)
			room[pod_of[s]] |= IS_SIBLING;
	for (uint32_t s = 0; s < switches; s++)
		if (group[s] != NO_GROUP && pod_of[s] != NO_GROUP && room[pod_of[s]] & IS_SIBLING &&
		    !(room[group[s]] & HAS_POD))
			room[group[s]] |= LACKS_POD;
	for (uint32_t i = 0; i < groups->n; i++)
		if (room[i] & LACKS_POD) {
			found = i;
			n++;
		}
	return n == 1 ? found : NO_GROUP;
}

/*
 * Place a spine without uplinks, if it is the only such one of its pod: it is the one that the
 * place its pod lacks should have.
 */
static void place_cut_off(struct arena *tmp, struct grouping *g, struct wiring_groups *out)
{
	for (uint32_t s = 0; g->tier && g->tier + 1 < g->tiers && s < g->sw->n; s++) {
		uint32_t cut_off = 0, others = 0;

		if (g->rank[s] != g->tier || g->up[s] || g->pod[s] == NO_GROUP)
			continue;
		for (uint32_t t = 0; t < g->sw->n; t++)
			if (g->rank[t] == g->tier && g->pod[t] == g->pod[s]) {
				cut_off += !g->up[t];
				others += g->up[t] > 0;
			}
		if (cut_off == 1 && others)
			out->of[LOWER][s] = group_without(tmp, out, g->sw->n, g->pod[s]);
	}
}

/* Who is in which group becomes a list for each group. */
static void list_members(struct arena *a, uint32_t switches, struct wiring_groups *groups, int side)
{
	uint32_t *list = arena_array(a, switches + 1u, sizeof(*list));
	const uint32_t *of = groups->of[side];

	for (uint32_t s = 0; s < switches; s++)
		if (of[s] != NO_GROUP)
			groups->place[side][s] = groups->all[of[s]].num[side]++;
	for (size_t i = 0; i < groups->n; i++) {
		groups->all[i].sw[side] = list;
		list += groups->all[i].num[side];
	}
	for (uint32_t s = 0; s < switches; s++)
		if (of[s] != NO_GROUP)
			groups->all[of[s]].sw[side][groups->place[side][s]] = s;
}

void groups_find(struct arena *a, struct arena *tmp, const struct switches *sw, const uint8_t *rank,
                 unsigned int tiers, struct wiring_groups *out)
{
	const size_t n = sw->n + 1u;
	struct grouping *g = arena_alloc(tmp, sizeof(*g));

	*out = (struct wiring_groups){ .all = arena_array(a, n, sizeof(*out->all)) };
	for (int side = 0; side < 2; side++) {
		out->of[side] = arena_array(a, n, sizeof(*out->of[side]));
		out->place[side] = arena_array(a, n, sizeof(*out->place[side]));
		memset(out->of[side], 0xff, n * sizeof(*out->of[side])); /* NO_GROUP */
	}
	*g = (struct grouping){
		.sw = sw,
		.rank = rank,
		.tiers = tiers,
		.up = arena_array(tmp, n, sizeof(*g->up)),
		.size = arena_array(tmp, n, sizeof(*g->size)),
		.owner = arena_array(tmp, n, sizeof(*g->owner)),
		.home = arena_array(tmp, n, sizeof(*g->home)),
		.tally = arena_array(tmp, n, sizeof(*g->tally)),
		.weight = arena_array(tmp, n, sizeof(*g->weight)),
		.pod = out->of[UPPER],
		.marks = arena_array(tmp, n, sizeof(*g->marks)),
	};
	overlap_new(tmp, sw->n, &g->overlap);
	sets_new(tmp, sw->n, &g->sets);
	for (; g->tier + 1 < tiers; g->tier++) {
		for (uint32_t s = 0; s < sw->n; s++) {
			g->up[s] = count_cables(sw, s, rank, (uint8_t)(g->tier + 1));
			g->owner[s] = NO_GROUP;
			g->sets.parent[s] = s;
		}
		join_sharing(g, 75);
		form_sets(g);
		attach_singles(g);
		number_groups(g, out);
		place_cut_off(tmp, g, out);
	}
	for (int side = 0; side < 2; side++)
		list_members(a, sw->n, out, side);
}
