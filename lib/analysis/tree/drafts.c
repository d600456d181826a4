/* SPDX-License-Identifier: BSD-2-Clause */
/* What a case needs beside its cells: the jacks, the cables that might be meant, the moves. */
#include <string.h>

#include "analysis/tree/cases.h"
#include "base/arena.h"
#include "fabric/fabric.h"

#define UNKNOWN VOTE_PORTS /* ports from here on stand for one that is not known */

/* ---- jacks --------------------------------------------------------------------------- */

static bool is_end_of(const struct ibc_port *p, const struct ibc_port *const *found, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (found[i] == p || found[i]->peer == p)
			return true;
	return false;
}

/*
 * A port of a switch that speaks for the far one and has room: it is free, or holds one of found.
 * Of a trunk rather the one at the same place as the port at the other end.  Its place is left
 * in which, and in rooms how many there are, for this cable or another.
 */
static unsigned int port_for(const struct cells *c, uint32_t s, uint32_t far, const uint32_t *votes,
                             const struct ibc_port *const *found, size_t num_found,
                             unsigned int *which, unsigned int *rooms)
{
	unsigned int place = 0, first = 0, first_place = *which, at_place = 0;

	for (unsigned int num = 1; num < VOTE_PORTS; num++) {
		const struct ibc_port *p = ibc_node_port(c->tree->switches.nodes[s], num);
		bool has_room;

		if (votes[num] != far)
			continue;
		has_room = p && (!p->peer || is_end_of(p, found, num_found));
		*rooms += has_room;
		has_room &= !c->promised[(size_t)s * VOTE_PORTS + num];
		if (has_room && place == *which)
			at_place = num;
		if (has_room && !first) {
			first = num;
			first_place = place;
		}
		place++;
	}
	if (at_place)
		return at_place;
	*which = first_place;
	return first;
}

struct wiring_gap gap_of(const struct cells *c, const struct cell *missing,
                         const struct ibc_port *const *found, size_t num_found)
{
	unsigned int port[2] = { 0, 0 }, which = 0, rooms[2] = { 0, 0 }, alike = 0;

	for (int side = 0; side < 2; side++) {
		const uint32_t *votes = votes_of(c, missing->end[side], side);

		if (missing->port[LOWER] && missing->port[UPPER])
			port[side] = missing->port[side];
		else if (votes)
			port[side] = port_for(c, missing->end[side], missing->end[!side], votes,
			                      found, num_found, &which, &rooms[side]);
	}
	/* of several in a trunk of whose ports some are known: which is whose? */
	for (uint32_t i = c->first[LOWER][missing->end[LOWER]]; i != NO_CELL;
	     i = c->all[i].next[LOWER])
		alike += c->all[i].end[UPPER] == missing->end[UPPER] && !c->all[i].cable;
	for (int side = 0; side < 2; side++)
		if (rooms[side] < alike && rooms[side] < rooms[!side])
			port[side] = 0;
	return (struct wiring_gap){
		{ c->tree->switches.nodes[missing->end[LOWER]], port[LOWER] },
		{ c->tree->switches.nodes[missing->end[UPPER]], port[UPPER] },
	};
}

/* A jack that the ports do not show: one that a wrong cable leaves. */
static void settle_jack(const struct wiring_case *k, struct wiring_jack *s)
{
	for (size_t i = 0; !s->port && i < 2 * k->num_found; i++) {
		const struct ibc_port *end = i % 2 ? k->found[i / 2]->peer : k->found[i / 2];
		bool taken = end->node != s->node;

		for (size_t n = 0; !taken && n < 2 * k->num_gaps; n++) {
			const struct wiring_gap *gap = &k->gaps[n / 2];
			const struct wiring_jack *jack = n % 2 ? &gap->lower : &gap->upper;

			taken = jack->node == s->node && jack->port == end->num;
		}
		s->port = taken ? 0 : end->num;
	}
}

/* ---- cables that might be meant as well ---------------------------------------------------- */

static void add_tied(const struct cells *c, struct wiring_case *k, const struct cell *extra)
{
	const struct switches *sw = &c->tree->switches;
	const struct trunk *pair = trunk_between(sw, extra->end[LOWER], extra->end[UPPER]);
	const struct ibc_port **tied;

	tied = arena_array(c->tree->arena, k->num_tied + pair->count, sizeof(struct ibc_port *));
	if (k->num_tied)
		memcpy(tied, k->tied, k->num_tied * sizeof(*tied));
	k->tied = tied;
	for (uint32_t i = 0; i < pair->count; i++) {
		const struct ibc_port *p = sw->cables[pair->first + i];

		if (!is_end_of(p, k->found, k->num_found) &&
		    votes_broken(c, p) == votes_broken(c, extra->cable))
			k->tied[k->num_tied++] = p;
	}
}

/* ---- moves ----------------------------------------------------------------------------- */

static struct jack jack_of(const struct ibc_node *node, unsigned int port, uint32_t *unread)
{
	return (struct jack){ (uint32_t)node_order(node), port ? port : UNKNOWN + (*unread)++ };
}

static void forget_unread(struct jack *s)
{
	if (s->port >= UNKNOWN)
		s->port = 0;
}

static void add_steps(struct cells *c, struct wiring_case *k)
{
	const struct switches *sw = &c->tree->switches;
	struct arena *a = c->tree->arena;
	struct segment *absent = arena_array(a, k->num_gaps + 1, sizeof(*absent));
	struct segment *surplus = arena_array(a, k->num_found + 1, sizeof(*surplus));
	struct repair repair;
	uint32_t unread = 0;

	if (!c->heights) {
		c->heights = arena_array(c->tree->tmp, ibc_fabric_count(sw->fab).nodes + 1,
		                         sizeof(*c->heights));
		for (uint32_t s = 0; s < sw->n; s++)
			c->heights[node_order(sw->nodes[s])].height = c->tree->rank[s] + 1u;
	}
	for (size_t i = 0; i < k->num_gaps; i++) {
		const struct wiring_gap *gap = &k->gaps[i];

		absent[i].end[0] = jack_of(gap->lower.node, gap->lower.port, &unread);
		absent[i].end[1] = jack_of(gap->upper.node, gap->upper.port, &unread);
	}
	for (size_t i = 0; i < k->num_found; i++) {
		surplus[i].end[0] = jack_of(k->found[i]->node, k->found[i]->num, &unread);
		surplus[i].end[1] = jack_of(k->found[i]->peer->node, k->found[i]->peer->num,
		                            &unread);
	}
	repair_find(a, absent, k->num_gaps, surplus, k->num_found, c->heights, &repair);
	for (size_t i = 0; i < repair.num_steps; i++) {
		forget_unread(&repair.steps[i].from);
		forget_unread(&repair.steps[i].to);
		forget_unread(&repair.steps[i].peer);
		forget_unread(&repair.steps[i].to_peer);
	}
	k->steps = repair.steps;
	k->num_steps = repair.num_steps;
}

/* ---- cases ----------------------------------------------------------------------------- */

void case_add(struct cells *c, const struct draft *d)
{
	struct wiring_case *k = wiring_add(c->tree, d->kind, true, NULL);
	const struct wiring_groups *groups = &c->tree->groups;
	uint32_t lower;

	k->found = arena_array(c->tree->arena, d->num_extra + d->num_strays + 1u,
	                       sizeof(struct ibc_port *));
	k->gaps = arena_array(c->tree->arena, d->num_missing + 1u, sizeof(*k->gaps));
	lower = d->num_missing ? c->all[d->missing[0]].end[LOWER]
	        : d->num_extra ? c->all[d->extra[0]].end[LOWER]
	                       : number_of_end(c, d->strays[0]);
	k->rule = groups->of[LOWER][lower] == NO_GROUP ? NULL : class_of_lower(groups, lower)->rule;
	/* the gate of the first cell that may be blamed by itself; of none the ports decide */
	k->gate = (struct wiring_gate){ -1, -1, k->rule ? k->rule->support : -1, NULL };
	if (d->num_missing + d->num_extra)
		k->gate = c->all[d->num_missing ? d->missing[0] : d->extra[0]].gate;
	k->gate.word = "ports";
	for (uint32_t i = d->num_missing + d->num_extra; i--;) {
		uint32_t n = i < d->num_missing ? d->missing[i] : d->extra[i - d->num_missing];

		if (!c->all[n].weak)
			k->gate = c->all[n].gate;
	}
	for (uint32_t i = 0; i < d->num_strays; i++)
		k->found[k->num_found++] = d->strays[i];
	for (uint32_t i = 0; i < d->num_extra; i++) {
		c->all[d->extra[i]].used = true;
		k->found[k->num_found++] = c->all[d->extra[i]].cable;
	}
	if (d->host)
		k->found[k->num_found++] = d->host;
	for (uint32_t i = 0; i < d->num_missing; i++) {
		struct cell *cell = &c->all[d->missing[i]];
		const struct wiring_gap gap = gap_of(c, cell, k->found, k->num_found);

		cell->used = true;
		k->gaps[k->num_gaps++] = gap;
		/* a port that is not known is 0, and @promised is never read at 0 */
		c->promised[(size_t)cell->end[LOWER] * VOTE_PORTS + gap.lower.port] = true;
		c->promised[(size_t)cell->end[UPPER] * VOTE_PORTS + gap.upper.port] = true;
	}
	if (d->host)
		k->gaps[k->num_gaps++] = (struct wiring_gap){ { d->host->node, d->host->num },
			                                      { d->leaf->node, d->leaf->num } };
	for (size_t i = 0; i < k->num_gaps; i++) {
		settle_jack(k, &k->gaps[i].lower);
		settle_jack(k, &k->gaps[i].upper);
	}
	for (uint32_t i = 0; i < d->num_extra; i++)
		add_tied(c, k, &c->all[d->extra[i]]);
	add_steps(c, k);
}
