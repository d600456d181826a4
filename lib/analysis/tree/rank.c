/* SPDX-License-Identifier: BSD-2-Clause */
/* Which switches are leaves: clusters of like switches decide, not single hosts; then upward. */
#include "analysis/tree/rank.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/tree/overlap.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/trace.h"

/*
 * struct cluster - switches with the same neighbours
 * @first, @size: of ranking.members
 * @strong: members with as many hosts as leaves have
 * @next: it comes next after the rank at hand
 * @hangs: rather on those that come next; or below the rank, on what is there
 */
struct cluster {
	uint32_t first, size, strong, cables;
	uint64_t hosts;
	bool leaf, next, hangs;
};

/* Of one tree: switches below its top, and those of them with cables to the top. */
struct top {
	uint8_t rank;
	uint32_t below, joined;
};

/*
 * struct ranking - at work
 * @cables: of a switch, to others
 * @equal, @joined: switches with the same neighbours; with any path between them
 * @strong: by switch: it has as many hosts as leaves have
 * @members, @cluster_of: the switches by clusters; by switch: its cluster
 * @reflected: by switch: found from above, so that what hangs on it is below it
 */
struct ranking {
	struct arena *tmp;
	const struct switches *sw;
	uint8_t *rank;
	uint32_t *cables;
	struct overlap overlap;
	struct sets equal, joined;
	bool *strong;
	struct cluster *clusters;
	uint32_t n;
	uint32_t *members, *cluster_of;
	bool *reflected;
};

/* ---- clusters ------------------------------------------------------------------------ */

/*
 * A core has half of its neighbours in common with a leaf when one pair of cables is
 * crossed in a small pod: a switch with hosts and one without must share more, and so must
 * two without.  The numbers: doc/wiring.md, table 5, part A.
 */
static bool are_similar(const struct ranking *r, uint32_t s, uint32_t t)
{
	uint32_t a = r->cables[s], z = r->cables[t];
	uint32_t fewer = a < z ? a : z, more = a < z ? z : a, with = r->overlap.with[t];
	unsigned int percent = r->strong[s] && r->strong[t] ? 50 : 60;

	if (r->strong[s] != r->strong[t])
		percent = 75;
	return with * 100u >= percent * fewer && with * 10u >= 4 * more;
}

static void tally_cluster(struct ranking *r, struct cluster *c)
{
	c->strong = c->cables = 0;
	c->hosts = 0;
	for (uint32_t i = c->first; i < c->first + c->size; i++) {
		uint32_t s = r->members[i];

		r->cluster_of[s] = (uint32_t)(c - r->clusters);
		c->strong += r->strong[s];
		c->hosts += r->sw->hosts[s];
		c->cables += r->cables[s];
	}
}

/* Joins similar switches to clusters, in order of their lowest members. */
static void form_clusters(struct ranking *r)
{
	uint32_t at = 0;

	for (uint32_t s = 0; s < r->sw->n; s++) {
		const struct overlap_over later = { .first = s + 1 };

		overlap_measure(r->sw, s, &later, &r->overlap);
		for (uint32_t i = 0; i < r->overlap.n; i++)
			if (are_similar(r, s, r->overlap.others[i]))
				sets_join(&r->equal, s, r->overlap.others[i]);
	}
	for (uint32_t s = 0; s < r->sw->n; s++) {
		uint32_t lowest = set_of(&r->equal, s);

		r->cluster_of[s] = lowest == s ? r->n++ : r->cluster_of[lowest];
		r->clusters[r->cluster_of[s]].size++;
	}
	for (uint32_t c = 0; c < r->n; c++) {
		r->clusters[c].first = at;
		at += r->clusters[c].size;
		r->clusters[c].size = 0;
	}
	for (uint32_t s = 0; s < r->sw->n; s++) {
		struct cluster *c = &r->clusters[r->cluster_of[s]];

		r->members[c->first + c->size++] = s;
	}
	for (uint32_t c = 0; c < r->n; c++)
		tally_cluster(r, &r->clusters[c]);
}

/* ---- leaves -------------------------------------------------------------------------- */

/* Is x of leaves rather than z, going by the share of members with hosts? */
static bool is_stronger(const struct cluster *x, const struct cluster *z)
{
	return (uint64_t)x->strong * z->size > (uint64_t)z->strong * x->size;
}

/* Has it most of its cables where some leaf of its cluster has them too? */
static bool follows_leaves(struct ranking *r, uint32_t s)
{
	overlap_measure(r->sw, s, NULL, &r->overlap);
	for (uint32_t i = 0; i < r->overlap.n; i++) {
		uint32_t t = r->overlap.others[i];

		if (r->strong[t] && r->cluster_of[t] == r->cluster_of[s] &&
		    r->overlap.with[t] * 4u >= 3 * r->cables[s])
			return true;
	}
	return false;
}

/* A core over two pods has half of its neighbours in common with each leaf: it is none. */
static void expel_strangers(struct ranking *r, struct cluster *c)
{
	for (uint32_t i = c->first; i < c->first + c->size;) {
		uint32_t s = r->members[i], last = c->first + c->size - 1;

		if (r->strong[s] || follows_leaves(r, s)) {
			i++;
			continue;
		}
		r->members[i] = r->members[last];
		r->members[last] = s;
		c->size--;
		r->clusters[r->n] = (struct cluster){ .first = last, .size = 1 };
		tally_cluster(r, &r->clusters[r->n++]);
	}
	tally_cluster(r, c);
}

/*
 * Are three quarters of so many cables of s to switches that t has cables to, too?  After
 * overlap_measure() of s.
 */
static bool shares_most(const struct ranking *r, uint32_t s, uint32_t t, uint32_t cables)
{
	uint32_t shared = 0;

	if (r->overlap.with[t] * 2 < cables)
		return false;
	for (const struct trunk *pair = trunks(r->sw, s); pair < trunks(r->sw, s + 1); pair++)
		shared += trunk_between(r->sw, t, pair->to) ? pair->count : 0;
	return shared * 4 >= 3 * cables;
}

static bool has_twice_the_hosts(const struct cluster *x, const struct cluster *of)
{
	return x->hosts * of->size >= 2 * of->hosts * x->size;
}

/* Storage or gateways on every spine make no leaves of them. */
static bool serves_leaves(const struct ranking *r, const struct cluster *c)
{
	uint32_t to_leaves = 0, to_like = 0, neighbours = 0, last = NO_SWITCH;

	for (uint32_t i = c->first; i < c->first + c->size; i++) {
		uint32_t s = r->members[i];

		for (const struct trunk *p = trunks(r->sw, s); p < trunks(r->sw, s + 1); p++) {
			const struct cluster *other = &r->clusters[r->cluster_of[p->to]];

			neighbours += p->to != last;
			last = p->to;
			if (other->leaf && has_twice_the_hosts(other, c))
				to_leaves += p->count;
			else if (other->leaf)
				to_like += p->count;
		}
	}
	return neighbours >= 2 && to_leaves * 10u >= 4 * c->cables && to_like * 10u <= c->cables;
}

/* Has a leaf of another cluster, with twice the hosts, the neighbours of s? */
static bool has_strong_sibling(struct ranking *r, const struct cluster *c, uint32_t s)
{
	overlap_measure(r->sw, s, NULL, &r->overlap);
	for (uint32_t i = 0; i < r->overlap.n; i++) {
		uint32_t t = r->overlap.others[i];
		const struct cluster *other = &r->clusters[r->cluster_of[t]];

		if (other != c && other->leaf && has_twice_the_hosts(other, c) &&
		    shares_most(r, s, t, r->cables[s]))
			return true;
	}
	return false;
}

/*
 * Nor does a host or two make a leaf of a core: its neighbours have leaves with more of them,
 * and none of those has all the neighbours it has.
 */
static bool is_above_leaves(struct ranking *r, const struct cluster *c)
{
	uint64_t cables = 0, to_leaves = 0;

	for (uint32_t i = c->first; i < c->first + c->size; i++) {
		uint32_t s = r->members[i];

		for (const struct trunk *q = trunks(r->sw, s); q < trunks(r->sw, s + 1); q++)
			for (uint32_t k = r->sw->first_pair[q->to];
			     k < r->sw->first_pair[q->to + 1]; k++) {
				const struct trunk *p = &r->sw->pairs[k];
				const struct cluster *other = &r->clusters[r->cluster_of[p->to]];

				cables += p->count;
				if (other->leaf && has_twice_the_hosts(other, c))
					to_leaves += p->count;
			}
	}
	if (to_leaves * 10 < 4 * cables || !cables)
		return false;
	for (uint32_t i = c->first; i < c->first + c->size; i++)
		if (has_strong_sibling(r, c, r->members[i]))
			return false;
	return true;
}

static int by_mean_hosts(const void *va, const void *vz)
{
	const struct cluster *a = *(struct cluster *const *)va, *z = *(struct cluster *const *)vz;

	return order_u64(a->hosts * z->size, z->hosts * a->size) ?: (a > z) - (a < z);
}

/*
 * Most of their members have hosts; where few racks are filled, the clusters that come
 * nearest to it are leaves.
 */
static void find_leaves(struct ranking *r)
{
	struct cluster **best = arena_array(r->tmp, r->sw->n,
	                                    sizeof(struct cluster *)); /* by tree */
	struct cluster **leaves = arena_array(r->tmp, r->sw->n, sizeof(struct cluster *));
	uint32_t formed = r->n, n = 0;

	for (uint32_t i = 0; i < formed; i++) {
		struct cluster *c = &r->clusters[i];
		struct cluster **b = &best[set_of(&r->joined, r->members[c->first])];

		if (!*b || is_stronger(c, *b))
			*b = c;
	}
	for (uint32_t i = 0; i < formed; i++) {
		struct cluster *c = &r->clusters[i], twice = *c;
		const struct cluster *b = best[set_of(&r->joined, r->members[c->first])];

		twice.strong *= 2;
		c->leaf = c->strong && (c->strong * 2u >= c->size ||
		                        (b->strong * 2u < b->size && !is_stronger(b, &twice)));
	}
	for (uint32_t c = 0; c < formed; c++)
		if (r->clusters[c].leaf)
			expel_strangers(r, &r->clusters[c]);
	for (uint32_t c = 0; c < r->n; c++)
		if (r->clusters[c].leaf)
			leaves[n++] = &r->clusters[c];
	qsort(leaves, n, sizeof(*leaves), by_mean_hosts);
	for (uint32_t i = 0; i < n; i++)
		leaves[i]->leaf = !serves_leaves(r, leaves[i]) && !is_above_leaves(r, leaves[i]);
}

/* ---- the levels above ---------------------------------------------------------------- */

static void set_rank(struct ranking *r, const struct cluster *cluster, unsigned int rank,
                     bool reflected)
{
	for (uint32_t i = cluster->first; i < cluster->first + cluster->size; i++) {
		r->rank[r->members[i]] = (uint8_t)rank;
		r->reflected[r->members[i]] = reflected;
	}
}

static bool is_ranked(const struct ranking *r, const struct cluster *c)
{
	return r->rank[r->members[c->first]] != RANK_NONE;
}

/* Has s, which has no hosts, half as many cables again to a rank as t? */
static bool has_thicker_trunks(const struct ranking *r, uint32_t s, uint32_t t, unsigned int via)
{
	return !r->sw->hosts[s] && count_cables(r->sw, s, r->rank, (uint8_t)via) * 2 >=
	                               3 * count_cables(r->sw, t, r->rank, (uint8_t)via);
}

/*
 * What is reached from above is not always higher: the spines of a pod without hosts have
 * the cores that the spines of the other pods have, an empty leaf the spines of its
 * siblings.  A core has them in all pods, no switch below it has.
 */
static bool is_cluster_below(struct ranking *r, const struct cluster *c, unsigned int via)
{
	const struct overlap_over over = { .rank = r->rank,
		                           .via = (uint8_t)via,
		                           .with = (uint8_t)(via - 1) };
	uint32_t below = 0;

	if (!via)
		return false;
	for (uint32_t i = c->first; i < c->first + c->size; i++) {
		uint32_t s = r->members[i], k = 0;
		uint32_t cables = count_cables(r->sw, s, r->rank, (uint8_t)via);

		overlap_measure(r->sw, s, &over, &r->overlap);
		/* chips of a director have the neighbours of a leaf, and more cables to each */
		while (k < r->overlap.n && (!shares_most(r, s, r->overlap.others[k], cables) ||
		                            has_thicker_trunks(r, s, r->overlap.others[k], via)))
			k++;
		below += cables > 1 && k < r->overlap.n;
	}
	return below * 2u >= c->size;
}

/* Has it most of its cables to what is next, too?  Then it is no part of that. */
static bool hangs_on_next(const struct ranking *r, const struct cluster *c)
{
	uint32_t to_next = 0;

	for (uint32_t i = c->first; i < c->first + c->size; i++) {
		uint32_t s = r->members[i];

		for (const struct trunk *p = trunks(r->sw, s); p < trunks(r->sw, s + 1); p++)
			to_next += r->clusters[r->cluster_of[p->to]].next ? p->count : 0;
	}
	return to_next * 2 > c->cables;
}

/* Clusters without a rank that have so much of their cables to one; whether there are any. */
static bool find_next(struct ranking *r, unsigned int rank, unsigned int percent)
{
	struct cluster *end = r->clusters + r->n;
	uint32_t found = 0, hang = 0;

	for (struct cluster *c = r->clusters; c < end; c++) {
		uint32_t cables = 0;

		for (uint32_t k = c->first; !is_ranked(r, c) && k < c->first + c->size; k++)
			cables += count_cables(r->sw, r->members[k], r->rank, (uint8_t)rank);
		c->next = cables && cables * 100u >= percent * c->cables;
		found += c->next;
	}
	for (struct cluster *c = r->clusters; c < end; c++) {
		c->hangs = c->next && hangs_on_next(r, c);
		hang += c->hangs;
	}
	for (struct cluster *c = r->clusters; hang < found && c < end; c++)
		c->next &= !c->hangs;
	return found;
}

/*
 * What has a tenth of its cables to a rank is next to it: one stray cable from a leaf to a
 * core pulls no core down, and one from an empty leaf to another makes no spine of it.
 * Whether there was any.  See doc/wiring.md, table 5, part A.
 */
static bool rank_next(struct ranking *r, unsigned int rank)
{
	if (!find_next(r, rank, 10) && !find_next(r, rank, 0))
		return false;
	for (struct cluster *c = r->clusters; c < r->clusters + r->n; c++)
		c->hangs = c->next && is_cluster_below(r, c, rank);
	for (struct cluster *c = r->clusters; c < r->clusters + r->n; c++)
		if (c->next)
			set_rank(r, c, c->hangs ? rank - 1 : rank + 1, c->hangs);
	return true;
}

/* What hangs on switches that were found from above, and on nothing else. */
static bool rank_below(struct ranking *r)
{
	bool any = false;

	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t s = r->members[r->clusters[i].first];
		const struct trunk *p = trunks(r->sw, s), *end = trunks(r->sw, s + 1);

		if (is_ranked(r, &r->clusters[i]))
			continue;
		while (p < end &&
		       (!r->reflected[p->to] || !r->rank[p->to] || r->rank[p->to] == RANK_NONE))
			p++;
		if (p == end)
			continue;
		set_rank(r, &r->clusters[i], r->rank[p->to] - 1u, true);
		any = true;
	}
	return any;
}

/* A switch that hangs on a spine or two, for management say, is no level of the tree. */
static bool drop_thin_tops(struct ranking *r)
{
	struct top *tops = arena_array(r->tmp, r->sw->n, sizeof(*tops)); /* by tree */
	bool dropped = false;

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

void ranks_find(struct arena *tmp, const struct switches *sw, const struct ibc_trace *trace,
                uint8_t *rank)
{
	const size_t n = sw->n + 1u;
	uint32_t *hosts = arena_array(tmp, n, sizeof(*hosts)), with_hosts = 0;
	struct ranking r = {
		.tmp = tmp,
		.sw = sw,
		.rank = rank,
		.cables = arena_array(tmp, n, sizeof(*r.cables)),
		.strong = arena_array(tmp, n, sizeof(*r.strong)),
		.clusters = arena_array(tmp, n, sizeof(*r.clusters)),
		.members = arena_array(tmp, n, sizeof(*r.members)),
		.cluster_of = arena_array(tmp, n, sizeof(*r.cluster_of)),
		.reflected = arena_array(tmp, n, sizeof(*r.reflected)),
	};

	overlap_new(tmp, sw->n, &r.overlap);
	sets_new(tmp, sw->n, &r.equal);
	sets_of_paths(tmp, sw, &r.joined);
	for (uint32_t s = 0; s < sw->n; s++) {
		r.cables[s] = count_cables(sw, s, NULL, 0);
		if (sw->hosts[s])
			hosts[with_hosts++] = sw->hosts[s];
	}
	/* strong is a switch with a quarter of the hosts that the usual one has, if it has any */
	qsort(hosts, with_hosts, sizeof(*hosts), by_u32);
	for (uint32_t s = 0; s < sw->n; s++)
		r.strong[s] = with_hosts && sw->hosts[s] >= (hosts[with_hosts / 2] + 3) / 4;
	form_clusters(&r);
	find_leaves(&r);
	for (uint32_t s = 0; s < sw->n; s++)
		rank[s] = r.clusters[r.cluster_of[s]].leaf ? 0 : RANK_NONE;
	for (unsigned int level = 0; level + 1 < RANKS_MAX && rank_next(&r, level); level++)
		;
	for (unsigned int i = 0; i < RANKS_MAX && rank_below(&r); i++)
		;
	while (drop_thin_tops(&r))
		;
	for (uint32_t i = 0; i < r.n && trace_wants(trace, IBC_TRACE_TREE); i++) {
		const struct cluster *c = &r.clusters[i];
		uint32_t s = r.members[c->first];

		if (rank[s] == RANK_NONE)
			trace_line(trace, IBC_TRACE_TREE, "cluster of %u from %s: no tier", c->size,
			           sw->nodes[s]->label);
		else
			trace_line(trace, IBC_TRACE_TREE,
			           "cluster of %u from %s: %llu hosts, %u links, tier %u", c->size,
			           sw->nodes[s]->label, (unsigned long long)c->hosts, c->cables,
			           rank[s]);
	}
}
