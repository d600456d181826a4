/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/tree/rank.h"

#include <string.h>

#include "analysis/tree/ranking.h"
#include "base/arena.h"
#include "base/trace.h"

/* Of one tree: switches below its top, and those of them with cables to the top. */
struct top {
	uint8_t rank;
	uint32_t below, joined;
};

/*
 * struct climb - from the leaves up
 * @reflected: by switch: found from above, so that what hangs on it is below it
 * @next: by cluster: it comes next after the rank at hand
 * @hangs: by cluster: rather on those that come next; or below the rank, on what is there
 * @tops: by tree
 */
struct climb {
	struct ranking ranking;
	bool *reflected, *next, *hangs;
	struct top *tops;
};

/* ---- the levels above ---------------------------------------------------------------- */

static void set_rank(struct climb *c, const struct cluster *cluster, unsigned int rank,
                     bool reflected)
{
	for (uint32_t i = cluster->first; i < cluster->first + cluster->size; i++) {
		c->ranking.rank[c->ranking.members[i]] = (uint8_t)rank;
		c->reflected[c->ranking.members[i]] = reflected;
	}
}

static bool is_ranked(const struct ranking *r, const struct cluster *c)
{
	return r->rank[r->members[c->first]] != RANK_NONE;
}

static uint32_t cables_to_rank(const struct ranking *r, const struct cluster *c, unsigned int rank)
{
	uint32_t n = 0;

	for (uint32_t i = c->first; i < c->first + c->size; i++)
		n += count_cables(r->sw, r->members[i], r->rank, (uint8_t)rank);
	return n;
}

/* Has one switch of the rank below the neighbours at a rank that s has? */
static bool is_sibling_below(struct ranking *r, uint32_t s, unsigned int via)
{
	const struct overlap_over over = { .rank = r->rank,
		                           .via = (uint8_t)via,
		                           .with = (uint8_t)(via - 1) };
	uint32_t cables = count_cables(r->sw, s, r->rank, (uint8_t)via);

	overlap_measure(r->sw, s, &over, &r->overlap);
	for (uint32_t i = 0; cables > 1 && i < r->overlap.n; i++)
		if (shares_most(r, s, r->overlap.others[i], cables))
			return true;
	return false;
}

/*
 * What is reached from above is not always higher: the spines of a pod without hosts have
 * the cores that the spines of the other pods have, an empty leaf the spines of its
 * siblings.  A core has them in all pods, no switch below it has.
 */
static bool is_cluster_below(struct ranking *r, const struct cluster *c, unsigned int via)
{
	uint32_t below = 0;

	if (!via)
		return false;
	for (uint32_t i = c->first; i < c->first + c->size; i++)
		below += is_sibling_below(r, r->members[i], via);
	return below * 2u >= c->size;
}

/* Has it most of its cables to what is next, too?  Then it is no part of that. */
static bool hangs_on_next(const struct climb *c, const struct cluster *cluster)
{
	const struct ranking *r = &c->ranking;
	uint32_t to_next = 0;

	for (uint32_t i = cluster->first; i < cluster->first + cluster->size; i++) {
		uint32_t s = r->members[i];

		for (uint32_t k = r->sw->first_pair[s]; k < r->sw->first_pair[s + 1]; k++)
			if (c->next[r->cluster_of[r->sw->pairs[k].to]])
				to_next += r->sw->pairs[k].count;
	}
	return to_next * 2 > cluster->cables;
}

/* Clusters without a rank that have so much of their cables to one; whether there are any. */
static bool find_next(struct climb *c, unsigned int rank, unsigned int percent)
{
	const struct ranking *r = &c->ranking;
	uint32_t found = 0, hang = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		const struct cluster *cluster = &r->clusters[i];
		uint32_t cables = is_ranked(r, cluster) ? 0 : cables_to_rank(r, cluster, rank);

		c->next[i] = cables && cables * 100u >= percent * cluster->cables;
		found += c->next[i];
	}
	for (uint32_t i = 0; i < r->n; i++) {
		c->hangs[i] = c->next[i] && hangs_on_next(c, &r->clusters[i]);
		hang += c->hangs[i];
	}
	for (uint32_t i = 0; hang < found && i < r->n; i++)
		c->next[i] &= !c->hangs[i];
	return found;
}

/*
 * What has a tenth of its cables to a rank is next to it: one stray cable from a leaf to a
 * core pulls no core down, and one from an empty leaf to another makes no spine of it.
 * Whether there was any.  See doc/wiring.md, table 5, part A.
 */
static bool rank_next(struct climb *c, unsigned int rank)
{
	struct ranking *r = &c->ranking;

	if (!find_next(c, rank, 10) && !find_next(c, rank, 0))
		return false;
	for (uint32_t i = 0; i < r->n; i++)
		c->hangs[i] = c->next[i] && is_cluster_below(r, &r->clusters[i], rank);
	for (uint32_t i = 0; i < r->n; i++)
		if (c->next[i])
			set_rank(c, &r->clusters[i], c->hangs[i] ? rank - 1 : rank + 1,
			         c->hangs[i]);
	return true;
}

/* What hangs on switches that were found from above, and on nothing else. */
static bool rank_below(struct climb *c)
{
	const struct ranking *r = &c->ranking;
	bool any = false;

	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t s = r->members[r->clusters[i].first];

		if (is_ranked(r, &r->clusters[i]))
			continue;
		for (uint32_t k = r->sw->first_pair[s]; k < r->sw->first_pair[s + 1]; k++) {
			uint32_t t = r->sw->pairs[k].to;

			if (!c->reflected[t] || !r->rank[t] || r->rank[t] == RANK_NONE)
				continue;
			set_rank(c, &r->clusters[i], r->rank[t] - 1u, true);
			any = true;
			break;
		}
	}
	return any;
}

static void climb_ranks(struct climb *c)
{
	for (unsigned int rank = 0; rank + 1 < RANKS_MAX && rank_next(c, rank); rank++)
		;
	for (unsigned int i = 0; i < RANKS_MAX && rank_below(c); i++)
		;
}

/* ---- what is no level ----------------------------------------------------------------- */

/* A switch that hangs on a spine or two, for management say, is no level of the tree. */
static bool drop_thin_tops(struct ranking *r, struct top *tops)
{
	bool dropped = false;

	memset(tops, 0, r->sw->n * sizeof(*tops));
	for (uint32_t s = 0; s < r->sw->n; s++) {
		struct top *top = &tops[set_of(&r->joined, s)];

		if (r->rank[s] != RANK_NONE && r->rank[s] > top->rank)
			top->rank = r->rank[s];
	}
	for (uint32_t s = 0; s < r->sw->n; s++) {
		struct top *top = &tops[set_of(&r->joined, s)];

		if (r->rank[s] + 1u != top->rank)
			continue;
		top->below++;
		top->joined += count_cables(r->sw, s, r->rank, top->rank) > 0;
	}
	for (uint32_t s = 0; s < r->sw->n; s++) {
		const struct top *top = &tops[set_of(&r->joined, s)];

		if (top->rank < 2 || r->rank[s] != top->rank || top->joined * 2u >= top->below)
			continue;
		r->rank[s] = RANK_NONE;
		dropped = true;
	}
	return dropped;
}

static void trace_clusters(const struct ranking *r, const struct ibc_trace *trace)
{
	for (uint32_t i = 0; i < r->n; i++) {
		const struct cluster *c = &r->clusters[i];
		uint32_t s = r->members[c->first];

		if (r->rank[s] == RANK_NONE)
			trace_line(trace, IBC_TRACE_TREE, "cluster of %u from %s: no tier", c->size,
			           r->sw->nodes[s]->label);
		else
			trace_line(trace, IBC_TRACE_TREE,
			           "cluster of %u from %s: %llu hosts, %u links, tier %u", c->size,
			           r->sw->nodes[s]->label, (unsigned long long)c->hosts, c->cables,
			           r->rank[s]);
	}
}

bool ranks_find(struct arena *tmp, const struct switches *sw, const struct ibc_trace *trace,
                uint8_t *rank)
{
	struct climb c = { .ranking = { .sw = sw, .rank = rank } };
	struct ranking *r = &c.ranking;

	if (!leaves_find(r, tmp))
		return false;
	c.reflected = arena_array(tmp, sw->n + 1u, sizeof(*c.reflected));
	c.next = arena_array(tmp, sw->n + 1u, sizeof(*c.next));
	c.hangs = arena_array(tmp, sw->n + 1u, sizeof(*c.hangs));
	c.tops = arena_array(tmp, sw->n + 1u, sizeof(*c.tops));
	if (!c.reflected || !c.next || !c.hangs || !c.tops)
		return false;
	for (uint32_t s = 0; s < sw->n; s++)
		rank[s] = r->clusters[r->cluster_of[s]].leaf ? 0 : RANK_NONE;
	climb_ranks(&c);
	while (drop_thin_tops(r, c.tops))
		;
	if (trace_wants(trace, IBC_TRACE_TREE))
		trace_clusters(r, trace);
	return true;
}
