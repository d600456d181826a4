/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/rank.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/alike.h"
#include "base/arena.h"

/*
 * struct cluster - switches with the same neighbours
 * @first, @size: of ranking.members
 * @strong: members with as many hosts as leaves have
 */
struct cluster {
	uint32_t first, size, strong, cables;
	uint64_t hosts;
	bool leaf;
};

struct ranking {
	const struct switches *sw;
	uint8_t *rank;
	uint32_t *cables; /* of a switch, to others */
	struct overlap overlap;
	struct sets alike, joined; /* by neighbours; by cables */
	bool *strong;
	bool *reflected; /* found from above: what hangs on it is below it */
	struct cluster *clusters;
	uint32_t n;
	uint32_t *members, *cluster_of;
};

/* ---- clusters ------------------------------------------------------------------------ */

static int by_number(const void *va, const void *vz)
{
	const uint32_t *a = va, *z = vz;

	return (*a > *z) - (*a < *z);
}

/* Strong is a switch with a quarter of the hosts that the usual one has, if it has any. */
static bool find_strong(struct ranking *r, struct arena *tmp)
{
	uint32_t *hosts = arena_array(tmp, r->sw->n + 1u, sizeof(*hosts)), n = 0, least;

	r->strong = arena_array(tmp, r->sw->n + 1u, sizeof(*r->strong));
	if (!hosts || !r->strong)
		return false;
	for (uint32_t s = 0; s < r->sw->n; s++)
		if (r->sw->hosts[s])
			hosts[n++] = r->sw->hosts[s];
	if (!n)
		return true;
	qsort(hosts, n, sizeof(*hosts), by_number);
	least = (hosts[n / 2] + 3) / 4;
	for (uint32_t s = 0; s < r->sw->n; s++)
		r->strong[s] = r->sw->hosts[s] >= least;
	return true;
}

/*
 * A core has half of its neighbours in common with a leaf when one pair of cables is
 * crossed in a small pod: a switch with hosts and one without must share more, and so must
 * two without.
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

static void join_similar(struct ranking *r)
{
	for (uint32_t s = 0; s < r->sw->n; s++) {
		overlap_measure(r->sw, s, NULL, &r->overlap);
		for (uint32_t i = 0; i < r->overlap.n; i++)
			if (r->overlap.others[i] > s && are_similar(r, s, r->overlap.others[i]))
				sets_join(&r->alike, s, r->overlap.others[i]);
		for (uint32_t i = r->sw->first_pair[s]; i < r->sw->first_pair[s + 1]; i++)
			sets_join(&r->joined, s, r->sw->pairs[i].to);
	}
}

static void tally(struct ranking *r, struct cluster *c)
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

/* In order of their lowest members. */
static void form_clusters(struct ranking *r)
{
	uint32_t at = 0;

	for (uint32_t s = 0; s < r->sw->n; s++) {
		uint32_t lowest = set_of(&r->alike, s);

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
		tally(r, &r->clusters[c]);
}

/* ---- leaves -------------------------------------------------------------------------- */

/* Is x of leaves rather than z, going by the share of members with hosts? */
static bool is_stronger(const struct cluster *x, const struct cluster *z)
{
	return (uint64_t)x->strong * z->size > (uint64_t)z->strong * x->size;
}

/*
 * Most of their members have hosts; where few racks are filled, the clusters that come
 * nearest to it are leaves.
 */
static bool choose_leaves(struct ranking *r, struct arena *tmp)
{
	struct cluster **best = arena_array(tmp, r->sw->n + 1u, sizeof(struct cluster *));

	for (uint32_t i = 0; best && i < r->n; i++) {
		struct cluster *c = &r->clusters[i];
		struct cluster **b = &best[set_of(&r->joined, r->members[c->first])];

		if (!*b || is_stronger(c, *b))
			*b = c;
	}
	for (uint32_t i = 0; best && i < r->n; i++) {
		struct cluster *c = &r->clusters[i], twice = *c;
		const struct cluster *b = best[set_of(&r->joined, r->members[c->first])];

		twice.strong *= 2;
		c->leaf = c->strong && (c->strong * 2u >= c->size ||
		                        (b->strong * 2u < b->size && !is_stronger(b, &twice)));
	}
	return best;
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
		tally(r, &r->clusters[r->n++]);
	}
	tally(r, c);
}

/* Are three quarters of so many cables of s to switches that t has cables to, too? */
static bool shares_most(const struct ranking *r, uint32_t s, uint32_t t, uint32_t cables)
{
	uint32_t shared = 0;

	if (r->overlap.with[t] * 2 < cables)
		return false;
	for (uint32_t i = r->sw->first_pair[s]; i < r->sw->first_pair[s + 1]; i++)
		shared += switch_pair(r->sw, t, r->sw->pairs[i].to) ? r->sw->pairs[i].count : 0;
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

		for (uint32_t k = r->sw->first_pair[s]; k < r->sw->first_pair[s + 1]; k++) {
			const struct switch_pair *pair = &r->sw->pairs[k];
			const struct cluster *other = &r->clusters[r->cluster_of[pair->to]];

			neighbours += pair->to != last;
			last = pair->to;
			if (other->leaf && has_twice_the_hosts(other, c))
				to_leaves += pair->count;
			else if (other->leaf)
				to_like += pair->count;
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
 * Nor does a host or two on a core: its neighbours have leaves with more of them, which have
 * other neighbours in common with each other than with it.
 */
static bool is_above_leaves(struct ranking *r, const struct cluster *c)
{
	uint64_t cables = 0, to_leaves = 0;

	for (uint32_t i = c->first; i < c->first + c->size; i++) {
		uint32_t s = r->members[i];

		for (uint32_t k = r->sw->first_pair[s]; k < r->sw->first_pair[s + 1]; k++) {
			uint32_t n = r->sw->pairs[k].to;

			for (uint32_t m = r->sw->first_pair[n]; m < r->sw->first_pair[n + 1]; m++) {
				const struct switch_pair *pair = &r->sw->pairs[m];
				const struct cluster *other = &r->clusters[r->cluster_of[pair->to]];

				cables += pair->count;
				if (other->leaf && has_twice_the_hosts(other, c))
					to_leaves += pair->count;
			}
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
	uint64_t x = a->hosts * z->size, y = z->hosts * a->size;

	return x != y ? (x > y) - (x < y) : (a > z) - (a < z);
}

static bool find_leaves(struct ranking *r, struct arena *tmp)
{
	struct cluster **leaves = arena_array(tmp, r->sw->n + 1u, sizeof(struct cluster *));
	uint32_t formed = r->n, n = 0;

	if (!leaves || !choose_leaves(r, tmp))
		return false;
	for (uint32_t c = 0; c < formed; c++)
		if (r->clusters[c].leaf)
			expel_strangers(r, &r->clusters[c]);
	for (uint32_t c = 0; c < r->n; c++)
		if (r->clusters[c].leaf)
			leaves[n++] = &r->clusters[c];
	qsort(leaves, n, sizeof(*leaves), by_mean_hosts);
	for (uint32_t i = 0; i < n; i++)
		leaves[i]->leaf = !serves_leaves(r, leaves[i]) && !is_above_leaves(r, leaves[i]);
	return true;
}

/* ---- the levels above ---------------------------------------------------------------- */

static void set_rank(struct ranking *r, const struct cluster *c, unsigned int rank, bool reflected)
{
	for (uint32_t i = c->first; i < c->first + c->size; i++) {
		r->rank[r->members[i]] = (uint8_t)rank;
		r->reflected[r->members[i]] = reflected;
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

/* Has s its cables to a rank where one switch of the rank below has some, too? */
static bool is_sibling_below(struct ranking *r, uint32_t s, unsigned int via)
{
	const struct overlap_over over = { r->rank, (uint8_t)via, (uint8_t)(via - 1) };
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
static bool is_below(struct ranking *r, const struct cluster *c, unsigned int via)
{
	uint32_t below = 0;

	if (!via)
		return false;
	for (uint32_t i = c->first; i < c->first + c->size; i++)
		below += is_sibling_below(r, r->members[i], via);
	return below * 2u >= c->size;
}

/* Has it most of its cables to what is next, too?  Then it is no part of that. */
static bool hangs_on_next(const struct ranking *r, const struct cluster *c, const bool *next)
{
	uint32_t to_next = 0;

	for (uint32_t i = c->first; i < c->first + c->size; i++) {
		uint32_t s = r->members[i];

		for (uint32_t k = r->sw->first_pair[s]; k < r->sw->first_pair[s + 1]; k++)
			to_next += next[r->cluster_of[r->sw->pairs[k].to]] ? r->sw->pairs[k].count
			                                                   : 0;
	}
	return to_next * 2 > c->cables;
}

/*
 * What has a tenth of its cables to a rank is next to it: one stray cable from a leaf to a
 * core pulls no core down, and one from an empty leaf to another makes no spine of it.
 * Whether there was any.
 */
static bool rank_next(struct ranking *r, unsigned int rank, unsigned int percent)
{
	bool *next = r->strong, *other = r->reflected + r->sw->n; /* by cluster, by now */
	bool any = false;

	for (uint32_t c = 0; c < r->n; c++) {
		uint32_t cables;

		next[c] = other[c] = false;
		if (is_ranked(r, &r->clusters[c]))
			continue;
		cables = cables_to_rank(r, &r->clusters[c], rank);
		next[c] = cables && cables * 100u >= percent * r->clusters[c].cables;
		any |= next[c];
	}
	for (uint32_t c = 0; c < r->n; c++)
		other[c] = next[c] && hangs_on_next(r, &r->clusters[c], next);
	for (uint32_t c = 0; c < r->n; c++) {
		bool below = next[c] && is_below(r, &r->clusters[c], rank);

		if (next[c] && !other[c])
			set_rank(r, &r->clusters[c], below ? rank - 1 : rank + 1, below);
	}
	return any;
}

/* What hangs on switches that were found from above, and on nothing else. */
static bool rank_below(struct ranking *r)
{
	bool any = false;

	for (uint32_t c = 0; c < r->n; c++) {
		uint32_t s = r->members[r->clusters[c].first];

		if (is_ranked(r, &r->clusters[c]))
			continue;
		for (uint32_t i = r->sw->first_pair[s]; i < r->sw->first_pair[s + 1]; i++) {
			uint32_t t = r->sw->pairs[i].to;

			if (!r->reflected[t] || !r->rank[t] || r->rank[t] == RANK_NONE)
				continue;
			set_rank(r, &r->clusters[c], r->rank[t] - 1u, true);
			any = true;
			break;
		}
	}
	return any;
}

static void climb(struct ranking *r)
{
	for (unsigned int rank = 0; rank + 1 < RANKS_MAX; rank++)
		if (!rank_next(r, rank, 10) && !rank_next(r, rank, 0))
			break;
	for (unsigned int i = 0; i < RANKS_MAX && rank_below(r); i++)
		;
}

/* ---- what is no level ----------------------------------------------------------------- */

/* Of one tree: switches below its top, and those of them with cables to the top. */
struct top {
	uint8_t rank;
	uint32_t below, joined;
};

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

static unsigned int count_levels(const struct ranking *r)
{
	unsigned int levels = 0;

	for (uint32_t s = 0; s < r->sw->n; s++)
		if (r->rank[s] != RANK_NONE && r->rank[s] >= levels)
			levels = r->rank[s] + 1u;
	return levels;
}

static bool make_ranking(struct ranking *r, struct arena *tmp)
{
	uint32_t n = r->sw->n;

	r->clusters = arena_array(tmp, n + 1u, sizeof(*r->clusters));
	r->members = arena_array(tmp, n + 1u, sizeof(*r->members));
	r->cluster_of = arena_array(tmp, n + 1u, sizeof(*r->cluster_of));
	r->reflected = arena_array(tmp, 2 * (size_t)n + 1, sizeof(*r->reflected));
	r->cables = arena_array(tmp, n + 1u, sizeof(*r->cables));
	for (uint32_t s = 0; r->cables && s < n; s++)
		r->cables[s] = count_cables(r->sw, s, NULL, 0);
	return r->clusters && r->members && r->cluster_of && r->reflected && r->cables &&
	       overlap_new(tmp, n, &r->overlap) && sets_new(tmp, n, &r->alike) &&
	       sets_new(tmp, n, &r->joined) && find_strong(r, tmp);
}

static bool find(struct ranking *r, struct arena *tmp)
{
	struct top *tops;

	if (!tmp || !make_ranking(r, tmp))
		return false;
	tops = arena_array(tmp, r->sw->n + 1u, sizeof(*tops));
	join_similar(r);
	form_clusters(r);
	if (!tops || !find_leaves(r, tmp))
		return false;
	for (uint32_t s = 0; s < r->sw->n; s++)
		r->rank[s] = r->clusters[r->cluster_of[s]].leaf ? 0 : RANK_NONE;
	climb(r);
	while (drop_thin_tops(r, tops))
		;
	return true;
}

bool ranks_find(const struct switches *sw, uint8_t *rank, unsigned int *levels)
{
	struct ranking r = { .sw = sw, .rank = rank };
	struct arena *tmp = arena_new();
	bool done = find(&r, tmp);

	*levels = done ? count_levels(&r) : 0;
	arena_free(tmp);
	return done;
}
