/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/tree/bisection.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tree/majority.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"

#define ODD_MAX    64   /* parts that change sides to see whether it helps */
#define PASSES_MAX 4    /* through those */
#define EPSILON    1e-6 /* Gb/s: less is nothing */

/* What a part below the cut has to one above it. */
struct upward_share {
	uint32_t above;
	double gbps;
};

/*
 * struct cut_part - what hangs together below the cut
 * @first, @num: its leaves, in cutting.leaves
 * @first_share, @num_shares: in cutting.shares
 * @fingerprint: equal for parts with equal shares
 */
struct cut_part {
	uint32_t block, first, num, first_share, num_shares, hosts;
	double up;
	uint64_t fingerprint;
	bool divided;
};

/*
 * struct cutting - one tree, one tier
 * @block: by switch: what it hangs together with, on its side of the tier
 * @side: by switch: 0 or 1; 1 is the side of the poor half
 * @carried: by block above: capacity to parts of each side
 * @sorted: scratch: block << 32 | switch
 * @rest, @divided: hosts of the poor half on a leaf that is on the other side, or the other
 *		    way round; that leaf
 */
struct cutting {
	const struct capacities *cap;
	const uint32_t *members;
	uint32_t n;
	unsigned int rank;
	uint32_t *block;
	uint8_t *side;
	struct cut_part *parts;
	uint32_t num_parts;
	uint32_t *leaves;
	struct upward_share *shares;
	double (*carried)[2];
	uint32_t *place; /* scratch, by block */
	uint64_t *sorted;
	uint32_t rest, divided;
	double width; /* of the cut, by what is carried */
};

/* ---- what hangs together ---------------------------------------------------------------- */

/* One that is not there is above those that miss it. */
static bool is_below_cut(const struct cutting *c, uint32_t s)
{
	return s < c->cap->tree->switches.n && c->cap->tree->rank[s] <= c->rank;
}

/* Are these two of one tree?  One that is not there is of the tree of those that miss it. */
static bool same_tree(const struct cutting *c, uint32_t s, uint32_t t)
{
	return t >= c->cap->tree->switches.n || c->cap->tree_of[s] == c->cap->tree_of[t];
}

void groups_join(struct arena *a, const struct wiring_groups *groups, unsigned int but_rank,
                 uint32_t n, struct sets *out)
{
	sets_new(a, n + 1u, out);
	for (size_t i = 0; i < groups->n; i++) {
		const struct wiring_group *g = &groups->all[i];

		if (g->rank == but_rank)
			continue;
		for (int side = 0; side < 2; side++)
			for (uint32_t k = 0; k < g->num[side]; k++)
				sets_join(out, g->sw[LOWER][0], g->sw[side][k]);
	}
}

/* ---- parts and their shares --------------------------------------------------------------- */

/* Does a switch have this one above it, across the cut? */
static bool is_share(const struct cutting *c, uint32_t s, uint32_t upper)
{
	return !is_below_cut(c, upper) && same_tree(c, s, upper);
}

/* Adds what a switch of a part has to a block above. */
static void add_share(struct cutting *c, struct cut_part *part, uint32_t upper, double gbps)
{
	uint32_t above = c->block[upper], at = c->place[above];

	if (at < part->first_share || at >= part->first_share + part->num_shares ||
	    c->shares[at].above != above) {
		at = c->place[above] = part->first_share + part->num_shares++;
		c->shares[at] = (struct upward_share){ .above = above };
	}
	c->shares[at].gbps += gbps;
	part->up += gbps;
}

/* Of the members below the cut those of one block are a part. */
static void make_parts(struct cutting *c, bool intended)
{
	const struct switches *sw = &c->cap->tree->switches;
	uint32_t total = 0, leaves = 0, shares = 0;
	struct cut_part *part = NULL;

	for (uint32_t i = 0; i < c->n; i++)
		if (is_below_cut(c, c->members[i]))
			c->sorted[total++] = (uint64_t)c->block[c->members[i]] << 32 |
			                     c->members[i];
	qsort(c->sorted, total, sizeof(*c->sorted), by_u64);
	c->num_parts = 0;
	for (uint32_t i = 0; i < total; i++) {
		uint32_t s = (uint32_t)c->sorted[i];

		if (!part || part->block != c->block[s]) {
			part = &c->parts[c->num_parts++];
			*part = (struct cut_part){ .block = c->block[s],
				                   .first = leaves,
				                   .first_share = shares };
		}
		if (c->cap->tree->rank[s] == 0) {
			c->leaves[leaves++] = s;
			part->num++;
			part->hosts += sw->hosts[s];
		}
		for (uint32_t k = sw->first_pair[s]; k < sw->first_pair[s + 1]; k++)
			if (is_share(c, s, sw->pairs[k].to))
				add_share(c, part, sw->pairs[k].to, c->cap->pair[k]);
		for (size_t k = 0; intended && k < c->cap->num_changes; k++)
			if (c->cap->changes[k].lower == s &&
			    is_share(c, s, c->cap->changes[k].upper))
				add_share(c, part, c->cap->changes[k].upper,
				          c->cap->changes[k].gbps);
		shares = part->first_share + part->num_shares;
	}
	for (part = c->parts; part < c->parts + c->num_parts; part++)
		for (uint32_t i = 0; i < part->num_shares; i++) {
			const struct upward_share *share = &c->shares[part->first_share + i];

			part->fingerprint += hash_mix(hash_mix(share->above) +
			                              (uint64_t)(share->gbps * 1000));
		}
}

/* ---- the poor half ------------------------------------------------------------------------- */

/* Cables upward per host; what has no hosts comes last. */
static double uplinks_per_host(const struct cut_part *part)
{
	return part->hosts ? part->up / part->hosts : DBL_MAX;
}

static int by_uplinks_per_host(const void *va, const void *vz)
{
	const struct cut_part *a = va, *z = vz;
	double x = uplinks_per_host(a), y = uplinks_per_host(z);

	if (x != y)
		return x < y ? -1 : 1;
	return order_u64(a->block, z->block);
}

/* The side on which most of what a part has upward is. */
static uint8_t side_of_part(const struct cutting *c, const struct cut_part *part)
{
	uint32_t poor = 0;

	for (uint32_t i = 0; i < part->num; i++)
		poor += c->side[c->leaves[part->first + i]];
	return poor * 2 > part->num;
}

/* Leaves of a part, as long as hosts are left to take; the last of them may be divided. */
static uint32_t take_part(struct cutting *c, struct cut_part *part, uint32_t left)
{
	for (uint32_t i = 0; i < part->num; i++) {
		uint32_t leaf = c->leaves[part->first + i];
		uint32_t hosts = c->cap->tree->switches.hosts[leaf];
		uint32_t take = hosts < left ? hosts : left;

		/* where it has none it goes with the others */
		c->side[leaf] = hosts ? take * 2 > hosts : part->hosts && left;
		if (take < hosts && take) {
			c->divided = leaf;
			c->rest = c->side[leaf] ? hosts - take : take;
		}
		left -= take;
		part->divided |= c->side[leaf] != c->side[c->leaves[part->first]];
	}
	return left;
}

/* Rather than dividing a part, one that fits is taken, even if it is not as poor. */
static void take_half(struct cutting *c, uint32_t half)
{
	uint32_t fitting = c->num_parts, left = half;

	c->rest = 0;
	for (uint32_t i = 0; i < c->num_parts; i++) {
		if (left && c->parts[i].hosts > left && fitting == c->num_parts) {
			for (fitting = i;
			     fitting < c->num_parts && c->parts[fitting].hosts != left;)
				fitting++;
			left = fitting == c->num_parts ? left : 0;
		}
		left = take_part(c, &c->parts[i], left);
	}
	if (fitting < c->num_parts)
		take_part(c, &c->parts[fitting], c->parts[fitting].hosts);
}

static double narrower(const double carried[2])
{
	return carried[0] < carried[1] ? carried[0] : carried[1];
}

/* Puts what a part has upward on a side (or, -1 times, takes it off). */
static void carry_part(struct cutting *c, const struct cut_part *part, uint8_t side, double times)
{
	for (uint32_t i = 0; i < part->num_shares; i++) {
		const struct upward_share *share = &c->shares[part->first_share + i];

		c->width -= narrower(c->carried[share->above]);
		c->carried[share->above][side] += times * share->gbps;
		c->width += narrower(c->carried[share->above]);
	}
}

static void flip_part(struct cutting *c, const struct cut_part *part)
{
	uint8_t side = c->side[c->leaves[part->first]];

	for (uint32_t i = 0; i < part->num; i++)
		c->side[c->leaves[part->first + i]] = !side;
	carry_part(c, part, side, -1);
	carry_part(c, part, !side, 1);
}

/* Two parts change sides if that makes the cut narrower. */
static bool try_exchange(struct cutting *c, const struct cut_part *x, const struct cut_part *y)
{
	double before = c->width;

	if (x->divided || y->divided || !x->num || !y->num || x->hosts != y->hosts ||
	    c->side[c->leaves[x->first]] == c->side[c->leaves[y->first]])
		return false;
	flip_part(c, x);
	flip_part(c, y);
	if (c->width < before - EPSILON)
		return true;
	flip_part(c, x);
	flip_part(c, y);
	return false;
}

/* Those that deviate with each other, and with one of those that do not on each side. */
static bool improve_once(struct cutting *c)
{
	const struct cut_part *odd[ODD_MAX + 2], *usual[2] = { NULL, NULL };
	struct majority fingerprint = { 0, 0 };
	uint32_t num_odd = 0, n;
	bool better = false;

	for (uint32_t i = 0; i < c->num_parts; i++)
		majority_vote(&fingerprint, c->parts[i].fingerprint);
	for (uint32_t i = 0; i < c->num_parts; i++) {
		const struct cut_part *part = &c->parts[i];

		if (part->divided || !part->num || !part->hosts)
			continue;
		if (part->fingerprint == fingerprint.candidate)
			usual[c->side[c->leaves[part->first]]] = part;
		else if (num_odd < ODD_MAX)
			odd[num_odd++] = part;
	}
	n = num_odd;
	for (int side = 0; side < 2; side++)
		if (usual[side])
			odd[n++] = usual[side];
	for (uint32_t x = 0; x < num_odd; x++)
		for (uint32_t y = x + 1; y < n; y++)
			better |= try_exchange(c, odd[x], odd[y]);
	return better;
}

/* ---- what a cut carries --------------------------------------------------------------------- */

static double measure_cut(const struct cutting *c, bool intended)
{
	const struct switches *sw = &c->cap->tree->switches;
	double sum = 0;

	for (uint32_t k = 0; k < c->n; k++) {
		uint32_t s = c->members[k];

		for (uint32_t i = sw->first_pair[s]; i < sw->first_pair[s + 1]; i++)
			if (sw->pairs[i].to > s && same_tree(c, s, sw->pairs[i].to) &&
			    c->side[sw->pairs[i].to] != c->side[s])
				sum += c->cap->pair[i];
	}
	for (size_t i = 0; intended && i < c->cap->num_changes; i++) {
		const struct change *change = &c->cap->changes[i];

		if (same_tree(c, c->members[0], change->lower) &&
		    same_tree(c, change->lower, change->upper) &&
		    c->side[change->lower] != c->side[change->upper])
			sum += change->gbps;
	}
	if (c->rest)
		sum += c->cap->host[c->divided] * c->rest / sw->hosts[c->divided];
	return sum;
}

/* The worst halves as things are, or as they are meant to be. */
static void find_bisection(struct cutting *c, bool intended)
{
	const struct ibc_fattree *tree = c->cap->tree;
	uint32_t hosts = 0, all = tree->switches.n + c->cap->absent;

	make_parts(c, intended);
	for (uint32_t i = 0; i < c->num_parts; i++)
		hosts += c->parts[i].hosts;
	qsort(c->parts, c->num_parts, sizeof(*c->parts), by_uplinks_per_host);
	take_half(c, hosts / 2);
	memset(c->carried, 0, all * sizeof(*c->carried));
	c->width = 0;
	for (uint32_t i = 0; i < c->num_parts; i++)
		carry_part(c, &c->parts[i], side_of_part(c, &c->parts[i]), 1);
	for (unsigned int i = 0; i < PASSES_MAX && improve_once(c); i++)
		;
	/* switches above leaves stand with most of their leaves, or where it is narrower */
	for (uint32_t i = 0; i < c->num_parts; i++)
		c->place[c->parts[i].block] = side_of_part(c, &c->parts[i]);
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t s = c->members[i];

		if (!is_below_cut(c, s))
			c->side[s] = c->carried[c->block[s]][1] > c->carried[c->block[s]][0];
		else if (tree->rank[s])
			c->side[s] = (uint8_t)c->place[c->block[s]];
	}
	for (uint32_t s = tree->switches.n; s < all; s++)
		c->side[s] = c->carried[s][1] > c->carried[s][0];
}

bool bisection_cut(struct arena *tmp, const struct capacities *cap, const uint32_t *members,
                   uint32_t num_members, unsigned int rank, struct cut *out)
{
	const struct switches *sw = &cap->tree->switches;
	uint32_t n = sw->n + cap->absent;
	struct cutting c = {
		.cap = cap,
		.members = members,
		.n = num_members,
		.rank = rank,
		.block = arena_array(tmp, n + 1u, sizeof(*c.block)),
		.side = arena_array(tmp, n + 1u, sizeof(*c.side)),
		.parts = arena_array(tmp, n + 1u, sizeof(*c.parts)),
		.leaves = arena_array(tmp, n + 1u, sizeof(*c.leaves)),
		.shares = arena_array(tmp, sw->first_pair[sw->n] + cap->num_changes + 1,
		                      sizeof(*c.shares)),
		.carried = arena_array(tmp, n + 1u, sizeof(*c.carried)),
		.place = arena_array(tmp, n + 1u, sizeof(*c.place)),
		.sorted = arena_array(tmp, num_members + 1u, sizeof(*c.sorted)),
	};
	struct sets sets;

	*out = (struct cut){ .now_gbps = DBL_MAX, .intended_gbps = DBL_MAX };
	groups_join(tmp, &cap->tree->groups, rank, n, &sets);
	/* groups of the tiers below the cut join, and so do those above it */
	for (uint32_t s = 0; s < n; s++)
		c.block[s] = set_of(&sets, s);
	for (int meant = 0; meant < 2; meant++) {
		uint32_t with_hosts = 0, poor = 0;
		double now, intended;

		find_bisection(&c, meant);
		for (const struct cut_part *part = c.parts; part < c.parts + c.num_parts; part++) {
			with_hosts += part->hosts > 0;
			poor += part->num && !part->divided && c.side[c.leaves[part->first]];
		}
		if (with_hosts < 2)
			return false;
		now = measure_cut(&c, false);
		intended = measure_cut(&c, true);
		if (now < out->now_gbps)
			*out = (struct cut){ now, out->intended_gbps, poor, with_hosts };
		if (intended < out->intended_gbps)
			out->intended_gbps = intended;
		if (out->now_gbps > out->intended_gbps)
			out->now_gbps = out->intended_gbps;
	}
	return true;
}
