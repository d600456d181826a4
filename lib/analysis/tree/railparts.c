/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rails that are in parts, and hosts that lack one.  Leaves of a rail hang together if there is a
 * way between them; where most rails do not, that is meant, and so is a rail whose leaves are
 * islands.  A host lacks a rail if it is on leaves of all others: how its adapters are called tells
 * nothing, as those that are left are numbered anew.  How it is called itself tells that it is like
 * those that have all: login nodes may have one less.
 *
 * What hosts of several types show is told once, by the first of them.
 *
 * O(switches times parts of a rail, hosts times rails and times hosts that lack one).
 */
#include <string.h>

#include "analysis/tree/rails.h"
#include "base/arena.h"
#include "base/array.h"

/* why each: doc/wiring.md, table 5, part G */
#define NO_RAIL     UINT32_MAX
#define LACK_MIN    3 /* rails, of which a host lacks one: with two, hosts with one are usual */
#define LACK_TENTHS 1 /* of the hosts lack one; if more, that is meant */

/* ---- rails in parts ----------------------------------------------------------------------- */

bool rails_find_parts(struct rails *r)
{
	const struct switches *sw = &r->tree->switches;
	uint32_t *queue = arena_array(r->tree->tmp, sw->n + 1u, sizeof(*queue));

	r->part = arena_array(r->tree->tmp, sw->n + 1u, sizeof(*r->part));
	r->told = arena_array(r->tree->tmp, sw->n + 1u, sizeof(*r->told));
	if (!queue || !r->part || !r->told)
		return false;
	for (uint32_t s = 0; s < sw->n; s++) {
		uint32_t n = 1;

		if (r->part[s])
			continue;
		r->part[s] = s + 1;
		queue[0] = s;
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t k = sw->first_pair[queue[i]];
			     k < sw->first_pair[queue[i] + 1]; k++) {
				uint32_t to = sw->pairs[k].to;

				if (r->part[to])
					continue;
				r->part[to] = s + 1;
				queue[n++] = to;
			}
	}
	return true;
}

static bool is_of_rail(const struct rail_type *t, uint32_t leaf, uint32_t rail)
{
	return t->votes.usual[leaf] == rail && *rail_votes_of(&t->votes, leaf, rail) >= VOTERS_MIN;
}

/* Leaves of a rail that hang together with one of them. */
static uint32_t leaves_with(const struct rail_type *t, uint32_t leaf, uint32_t rail)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < t->all->tree->switches.n; s++)
		n += is_of_rail(t, s, rail) && t->all->part[s] == t->all->part[leaf];
	return n;
}

/* A leaf of the largest part of a rail, or NO_SWITCH; *whole: there is no other part. */
static uint32_t largest_part(const struct rail_type *t, uint32_t rail, bool *whole)
{
	uint32_t best = NO_SWITCH, most = 0;

	*whole = true;
	for (uint32_t s = 0; s < t->all->tree->switches.n; s++) {
		uint32_t n;

		if (!is_of_rail(t, s, rail) ||
		    (best != NO_SWITCH && t->all->part[s] == t->all->part[best]))
			continue;
		n = leaves_with(t, s, rail);
		*whole &= best == NO_SWITCH;
		if (n > most) {
			best = s;
			most = n;
		}
	}
	return best;
}

static const char *rail_name(const struct rail_type *t, uint32_t rail)
{
	return t->all->slots[rail_adapter(t, 0, rail)->slot].name;
}

static bool has_neighbours(const struct rail_type *t, uint32_t leaf)
{
	const uint32_t *first = t->all->tree->switches.first_pair;

	return first[leaf + 1] > first[leaf];
}

/*
 * Each leaf by itself, as of a rail for storage that was built without spines.  One leaf of two
 * that lost its cables differs from the other.
 */
static bool are_islands(const struct rail_type *t, uint32_t leaf, uint32_t rail)
{
	for (uint32_t s = 0; s < t->all->tree->switches.n; s++)
		if (is_of_rail(t, s, rail) && has_neighbours(t, s) != has_neighbours(t, leaf))
			return false;
	return leaves_with(t, leaf, rail) == 1;
}

/* Leaves of the smaller parts that were not told of; the rail is then, for other types too. */
static void take_smaller_parts(const struct rail_type *t, uint32_t rail, uint32_t largest,
                               const struct ibc_node **nodes, size_t *n)
{
	struct rails *r = t->all;

	for (uint32_t s = 0; s < r->tree->switches.n; s++) {
		if (!is_of_rail(t, s, rail))
			continue;
		if (r->part[s] != r->part[largest] && !r->told[s])
			nodes[(*n)++] = r->tree->switches.nodes[s];
		r->told[s] = true;
	}
}

static bool report_parts(const struct rail_type *t, uint32_t rail, uint32_t largest,
                         const char *others)
{
	struct ibc_fattree *tree = t->all->tree;
	const struct ibc_node **nodes = arena_array(tree->arena, tree->switches.n,
	                                            sizeof(struct ibc_node *));
	struct wiring_case *c;
	size_t n = 0;

	if (!nodes)
		return false;
	take_smaller_parts(t, rail, largest, nodes, &n);
	if (!n)
		return true;
	c = wiring_add(tree, WIRING_RAIL_PARTS, true);
	if (!c)
		return false;
	c->nodes = nodes;
	c->num_nodes = n;
	c->why = arena_printf(tree->arena,
	                      "no path to %s and the other leaf switches of rail %s, and %s whole",
	                      tree->switches.nodes[largest]->label, rail_name(t, rail), others);
	return c->why;
}

/* Rails in parts beside most that are whole; where most are in parts, that is meant. */
static bool look_at_parts(const struct rail_type *t)
{
	uint32_t largest[RAILS_MAX], whole = 0, parted = 0;
	const char *others;

	for (uint32_t k = 0; k < t->rails; k++) {
		bool is_whole;

		largest[k] = largest_part(t, k, &is_whole);
		if (largest[k] == NO_SWITCH)
			continue;
		whole += is_whole;
		if (is_whole || are_islands(t, largest[k], k))
			largest[k] = NO_SWITCH;
		else
			parted++;
	}
	others = arena_printf(t->all->tree->tmp,
	                      whole + parted == 2 ? "the other rail of these %u hosts is"
	                                          : "most other rails of these %u hosts are",
	                      t->n);
	for (uint32_t k = 0; whole >= parted && others && k < t->rails; k++)
		if (largest[k] != NO_SWITCH && !report_parts(t, k, largest[k], others))
			return false;
	return others;
}

/* ---- hosts that lack a rail ----------------------------------------------------------------- */

static const char *rail_host_name(const struct rail_type *t, const struct rail_host *host)
{
	return t->all->adapters[host->first].port->node->host_name;
}

static const char *after_digits(const char *text)
{
	return text + strspn(text, "0123456789");
}

static bool are_called_alike(const char *a, const char *z)
{
	for (a = after_digits(a), z = after_digits(z); *a && *a == *z;) {
		a = after_digits(a + 1);
		z = after_digits(z + 1);
	}
	return *a == *z;
}

/* Is it called like one that has all rails, but for digits?  Login nodes are not. */
static bool is_like_whole_hosts(const struct rail_type *t, const struct rail_host *host)
{
	uint32_t i = 0;

	while (i < t->n &&
	       !are_called_alike(rail_host_name(t, host), rail_host_name(t, &t->hosts[i])))
		i++;
	return i < t->n;
}

/* The rail that a host lacks, which is on the leaves of all others; or NO_RAIL. */
static uint32_t lacked_rail(const struct rail_type *t, const struct rail_host *host)
{
	uint32_t has = 0, all = (1u << t->rails) - 1;

	for (uint32_t i = 0; i < host->num; i++) {
		uint32_t leaf = t->all->adapters[host->first + i].leaf;

		if (is_of_rail(t, leaf, t->votes.usual[leaf]))
			has |= 1u << t->votes.usual[leaf];
	}
	if (t->rails < LACK_MIN || host->num + 1 != t->rails ||
	    (uint32_t)__builtin_popcount(has) != host->num || !is_like_whole_hosts(t, host))
		return NO_RAIL;
	return (uint32_t)__builtin_ctz(all & ~has);
}

static bool report_lack(const struct rail_type *t, const struct rail_host *host, uint32_t rail)
{
	struct arena *a = t->all->tree->arena;
	struct wiring_case *c = wiring_add(t->all->tree, WIRING_RAIL_HOST, true);

	if (!c)
		return false;
	c->nodes = arena_array(a, 1, sizeof(struct ibc_node *));
	if (!c->nodes)
		return false;
	c->nodes[c->num_nodes++] = t->all->adapters[host->first].port->node;
	c->why = arena_printf(a, "%u hosts that have %u of them have one on rail %s too", t->n,
	                      t->rails, rail_name(t, rail));
	return c->why;
}

/*
 * A unit all hosts of which lack one is not told: none of its leaves is then known to be of a rail,
 * and it may be meant.
 */
static bool look_at_lacks(const struct rail_type *t)
{
	struct rails *r = t->all;
	uint32_t n = 0;

	for (uint32_t h = 0; h < r->num_hosts; h++)
		n += lacked_rail(t, &r->hosts[h]) != NO_RAIL;
	for (uint32_t h = 0; n * 10 <= t->n * LACK_TENTHS && h < r->num_hosts; h++) {
		uint32_t rail = lacked_rail(t, &r->hosts[h]);

		if (rail == NO_RAIL || r->hosts[h].told)
			continue;
		r->hosts[h].told = true;
		if (!report_lack(t, &r->hosts[h], rail))
			return false;
	}
	return true;
}

bool rails_judge_whole(const struct rail_type *t)
{
	return look_at_parts(t) && look_at_lacks(t);
}
