/* SPDX-License-Identifier: BSD-2-Clause */
/* Which switches are leaves.  Hosts tell, but not one by one: clusters of like switches do. */
#include <stdlib.h>

#include "analysis/tree/ranking.h"
#include "base/arena.h"
#include "base/array.h"

/* ---- clusters ------------------------------------------------------------------------ */

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
	qsort(hosts, n, sizeof(*hosts), by_u32);
	least = (hosts[n / 2] + 3) / 4;
	for (uint32_t s = 0; s < r->sw->n; s++)
		r->strong[s] = r->sw->hosts[s] >= least;
	return true;
}

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

static void join_similar(struct ranking *r)
{
	for (uint32_t s = 0; s < r->sw->n; s++) {
		const struct overlap_over later = { .first = s + 1 };

		overlap_measure(r->sw, s, &later, &r->overlap);
		for (uint32_t i = 0; i < r->overlap.n; i++)
			if (are_similar(r, s, r->overlap.others[i]))
				sets_join(&r->equal, s, r->overlap.others[i]);
		for (uint32_t i = r->sw->first_pair[s]; i < r->sw->first_pair[s + 1]; i++)
			sets_join(&r->joined, s, r->sw->pairs[i].to);
	}
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

/* In order of their lowest members. */
static void form_clusters(struct ranking *r)
{
	uint32_t at = 0;

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
		tally_cluster(r, &r->clusters[r->n++]);
	}
	tally_cluster(r, c);
}

bool shares_most(const struct ranking *r, uint32_t s, uint32_t t, uint32_t cables)
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
 * Nor does a host or two make a leaf of a core: its neighbours have leaves with more of them,
 * and none of those has all the neighbours it has.
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

static bool choose_leaf_clusters(struct ranking *r, struct arena *tmp)
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

bool leaves_find(struct ranking *r, struct arena *tmp)
{
	uint32_t n = r->sw->n;

	r->clusters = arena_array(tmp, n + 1u, sizeof(*r->clusters));
	r->members = arena_array(tmp, n + 1u, sizeof(*r->members));
	r->cluster_of = arena_array(tmp, n + 1u, sizeof(*r->cluster_of));
	r->cables = arena_array(tmp, n + 1u, sizeof(*r->cables));
	if (!r->clusters || !r->members || !r->cluster_of || !r->cables ||
	    !overlap_new(tmp, n, &r->overlap) || !sets_new(tmp, n, &r->equal) ||
	    !sets_new(tmp, n, &r->joined) || !find_strong(r, tmp))
		return false;
	for (uint32_t s = 0; s < n; s++)
		r->cables[s] = count_cables(r->sw, s, NULL, 0);
	join_similar(r);
	form_clusters(r);
	return choose_leaf_clusters(r, tmp);
}
