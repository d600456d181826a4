/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rails that are in parts, and hosts that lack some.  Leaves of a rail hang together if there
 * is a path between them; where most rails do not, that is meant, and so is a rail whose leaves are
 * islands.  A host lacks a rail if it is on leaves of all others: the names of its adapters do not
 * show it, as those left are numbered from 0 again.  Its own name does: hosts that are called
 * like those with all rails should have them; login nodes may have one less.  What hosts of several
 * types show is reported once, for the first of them.
 *
 * O(switches times parts of a rail, hosts times hosts that lack some).
 */
#include <string.h>

#include "analysis/rails/rails.h"
#include "base/arena.h"

/* why each: doc/wiring.md, table 5, part G */
#define LACK_MIN    3 /* rails, of which a host lacks some: with two, hosts with one are usual */
#define LACK_TENTHS 1 /* of the hosts lack some; if more, that is meant */

/* ---- rails in parts ----------------------------------------------------------------------- */

static bool is_of_rail(const struct rail_type *t, uint32_t leaf, uint32_t rail)
{
	return t->votes.usual[leaf] == rail && *rail_votes_of(&t->votes, leaf, rail) >= VOTERS_MIN;
}

static bool hang_together(const struct rail_type *t, uint32_t leaf, uint32_t other)
{
	return set_of(&t->all->parts, leaf) == set_of(&t->all->parts, other);
}

/* Leaves of a rail that hang together with one of them. */
static uint32_t leaves_with(const struct rail_type *t, uint32_t leaf, uint32_t rail)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < t->all->tree->switches.n; s++)
		n += is_of_rail(t, s, rail) && hang_together(t, s, leaf);
	return n;
}

/* A leaf of the largest part of a rail, or NO_SWITCH; *whole: there is no other part. */
static uint32_t largest_part(const struct rail_type *t, uint32_t rail, bool *whole)
{
	uint32_t best = NO_SWITCH, most = 0;

	*whole = true;
	for (uint32_t s = 0; s < t->all->tree->switches.n; s++) {
		uint32_t n;

		if (!is_of_rail(t, s, rail) || (best != NO_SWITCH && hang_together(t, s, best)))
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

/*
 * Each leaf by itself, as of a rail for storage that was built without spines.  One leaf of two
 * that lost its cables differs from the other.
 */
static bool are_islands(const struct rail_type *t, uint32_t leaf, uint32_t rail)
{
	const uint32_t *first = t->all->tree->switches.first_pair;

	for (uint32_t s = 0; s < t->all->tree->switches.n; s++)
		if (is_of_rail(t, s, rail) &&
		    (first[s + 1] > first[s]) != (first[leaf + 1] > first[leaf]))
			return false;
	return leaves_with(t, leaf, rail) == 1;
}

/* The leaves of the smaller parts of a rail; it is reported then, for other types too. */
static void report_parts(const struct rail_type *t, uint32_t rail, uint32_t largest,
                         const char *others)
{
	struct rails *r = t->all;
	const struct switches *sw = &r->tree->switches;
	const struct ibc_node **nodes = arena_array(r->tree->arena, sw->n,
	                                            sizeof(struct ibc_node *));
	struct wiring_case *c;
	size_t n = 0;

	for (uint32_t s = 0; s < sw->n; s++) {
		if (!is_of_rail(t, s, rail))
			continue;
		if (!hang_together(t, s, largest) && !r->reported[s])
			nodes[n++] = sw->nodes[s];
		r->reported[s] = true;
	}
	if (!n)
		return;
	c = wiring_add(r->tree, WIRING_RAIL_PARTS, true, NULL);
	c->nodes = nodes;
	c->num_nodes = n;
	c->why = arena_printf(r->tree->arena,
	                      "no path to %s and the other leaf switches of rail %s, and %s whole",
	                      sw->nodes[largest]->label, rail_name(t, rail), others);
}

/* Rails in parts beside most that are whole; where most are in parts, that is meant. */
void rail_parts(const struct rail_type *t)
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
	for (uint32_t k = 0; whole >= parted && k < t->rails; k++)
		if (largest[k] != NO_SWITCH)
			report_parts(t, k, largest[k], others);
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

/*
 * The rails that a host lacks, where those it has are each on a leaf of another rail; 0: none, or
 * that is not known.
 */
static uint32_t lacked_rails(const struct rail_type *t, const struct rail_host *host)
{
	uint32_t has = 0, like = 0;

	for (uint32_t i = 0; i < host->num; i++) {
		uint32_t leaf = t->all->adapters[host->first + i].leaf;

		if (is_of_rail(t, leaf, t->votes.usual[leaf]))
			has |= 1u << t->votes.usual[leaf];
	}
	if (t->rails < LACK_MIN || host->num >= t->rails ||
	    (uint32_t)__builtin_popcount(has) != host->num)
		return 0;
	/* is it called like one that has all rails, but for digits?  Login nodes are not */
	while (like < t->n &&
	       !are_called_alike(rail_host_name(t, host), rail_host_name(t, &t->hosts[like])))
		like++;
	return like < t->n ? ((1u << t->rails) - 1) & ~has : 0;
}

static void report_lack(const struct rail_type *t, const struct rail_host *host, uint32_t lack)
{
	struct rails *r = t->all;
	struct arena *a = r->tree->arena;
	struct wiring_case *c = wiring_add(r->tree, WIRING_RAIL_HOST, true,
	                                   r->adapters[host->first].port->node);
	const char *names = "";

	c->lacking = (uint32_t)__builtin_popcount(lack);
	for (uint32_t left = lack; left; left &= left - 1)
		names = arena_printf(r->tree->tmp, "%s%s%s", names, *names ? ", " : "",
		                     rail_name(t, (uint32_t)__builtin_ctz(left)));
	c->why = arena_printf(a, "%u hosts that have %u of them have one on rail%s %s too", t->n,
	                      t->rails, lack & (lack - 1) ? "s" : "", names);
}

/*
 * A unit all hosts of which lack one is not reported: none of its leaves is then known to be of a
 * rail, and it may be meant.
 */
void rail_lacks(const struct rail_type *t)
{
	struct rails *r = t->all;
	uint32_t *lacks = arena_array(r->tree->tmp, r->num_hosts + 1u, sizeof(*lacks)), n = 0;

	for (uint32_t h = 0; h < r->num_hosts; h++) {
		lacks[h] = lacked_rails(t, &r->hosts[h]);
		n += lacks[h] != 0;
	}
	for (uint32_t h = 0; n * 10 <= t->n * LACK_TENTHS && h < r->num_hosts; h++) {
		uint32_t alike = 0;

		for (uint32_t i = 0; lacks[h] & (lacks[h] - 1) && i < r->num_hosts; i++)
			alike += lacks[i] == lacks[h];
		if (!lacks[h] || r->hosts[h].reported || alike >= ALIKE_MIN)
			continue;
		r->hosts[h].reported = true;
		report_lack(t, &r->hosts[h], lacks[h]);
	}
}
