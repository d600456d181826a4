/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is above the leaves: tier by tier what hangs together without the tiers further up, as
 * the pods of a fat-tree do; at last all that has any way between it.  Spines are no lines: all
 * of a pod are above all of its leaves, and Slurm wants one switch above each.  What has one
 * line below it is none itself.  O(tiers times cables).
 */
#include <string.h>

#include "analysis/slurm/slurm.h"
#include "base/arena.h"

/*
 * struct climb - one tier after the other
 * @top: by line of a leaf: the line that is on top of it so far
 * @first: by set of switches: the first line on top that was found in it, from 1
 * @up: by line that was on top: the one above it now, or NULL
 * @names: of all lines, for those above; @used: how many have been
 */
struct climb {
	struct slurm_work *w;
	size_t *top, *first;
	struct ibc_slurm_switch **up;
	const char **names;
	size_t used;
};

/* Joins what cables join between switches up to a rank; those without one come last. */
static void join_tier(struct slurm_work *w, unsigned int rank)
{
	const struct switches *sw = &w->tree->switches;

	for (uint32_t s = 0; s < sw->n; s++)
		for (const struct trunk *p = trunks(sw, s); p < trunks(sw, s + 1); p++)
			if (w->tree->rank[s] <= rank && w->tree->rank[p->to] <= rank)
				sets_join(&w->sets, s, p->to);
}

/* The line @below goes below the one of its set, which is made once a second one comes. */
static void put_below(struct climb *c, size_t set, size_t below)
{
	struct ibc_slurm *s = c->w->out;

	if (!c->first[set])
		c->first[set] = below + 1;
	if (c->first[set] == below + 1 || c->up[below])
		return;
	if (!c->up[c->first[set] - 1]) {
		c->up[c->first[set] - 1] = &s->lines[s->num_lines++];
		c->up[c->first[set] - 1]->num_children = 1;
	}
	c->up[below] = c->up[c->first[set] - 1];
	c->up[below]->num_children++;
}

static void add_tier(struct climb *c)
{
	const struct switches *sw = &c->w->tree->switches;
	struct ibc_slurm *s = c->w->out;
	size_t before = s->num_lines;

	memset(c->first, 0, sw->n * sizeof(*c->first));
	for (size_t i = 0; i < s->num_leaves; i++) {
		/* any switch of a leaf: all of them are one set */
		uint32_t any = switch_number(sw, s->lines[i].switches[0]);

		put_below(c, set_of(&c->w->sets, any), c->top[i]);
	}
	for (size_t i = 0; i < before; i++)
		if (c->up[i] && !s->lines[i].up) {
			s->lines[i].up = c->up[i];
			if (c->up[i]->tier <= s->lines[i].tier)
				c->up[i]->tier = s->lines[i].tier + 1;
		}
	for (size_t i = 0; i < s->num_leaves; i++)
		if (s->lines[c->top[i]].up)
			c->top[i] = (size_t)(s->lines[c->top[i]].up - s->lines);
	for (size_t i = before; i < s->num_lines; i++) {
		s->lines[i].children = c->names + c->used;
		c->used += s->lines[i].num_children;
	}
}

void slurm_pods(struct slurm_work *w)
{
	struct ibc_slurm *s = w->out;
	struct climb c = { .w = w };
	bool tree = w->tree->family == IBC_FAMILY_FAT_TREE;

	c.top = arena_array(w->tmp, s->num_leaves + 1, sizeof(*c.top));
	c.first = arena_array(w->tmp, w->tree->switches.n + 1u, sizeof(*c.first));
	c.up = arena_array(w->tmp, s->num_leaves * 2 + 1, sizeof(struct ibc_slurm_switch *));
	c.names = arena_array(s->arena, s->num_leaves * 2 + 1, sizeof(*c.names));
	for (size_t i = 0; i < s->num_leaves; i++)
		c.top[i] = i;
	for (unsigned int rank = 1; tree && rank < w->tree->tiers; rank++) {
		join_tier(w, rank);
		add_tier(&c);
	}
	join_tier(w, RANK_NONE);
	add_tier(&c);
}
