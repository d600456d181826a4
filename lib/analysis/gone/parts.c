/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Devices at which ports of others are dark are gone.  The rest can be reached only over missing
 * devices: a part of them that are joined by cables hangs at those that are gone and have a cable
 * into it.  One such explains the part; where there are several, and a switch in it, either all of
 * them failed at once or the part was cut off.  O(n log n).
 */
#include "analysis/gone/parts.h"

#include <stdlib.h>

#include "base/arena.h"

/*
 * struct parts - by device
 * @up: union-find over those that no port of a found device shows
 * @lead: by the root of a part: the first device that is gone at which it hangs, or GONE_NONE;
 *	@several: there are others
 * @open: by the root of a part: this run did not look at a port that leads to it
 * @switches: by the root of a part: it has one
 */
struct parts {
	struct ibc_gone *g;
	size_t *up, *lead;
	bool *open, *several, *switches;
};

static size_t root_of(size_t *up, size_t i)
{
	while (up[i] != i)
		i = up[i] = up[up[i]];
	return i;
}

/*
 * At more ports that were looked at it is missing than were not looked at.  A switch that an
 * earlier run found gone is so until a port says something else.
 */
static bool is_gone(const struct gone_node *n)
{
	return n->state == GONE_UNSEEN &&
	       (n->lost > n->open || (n->missed && !n->open && n->type != IBC_NODE_CA));
}

static bool is_hidden(const struct gone_node *n)
{
	return n->state == GONE_UNSEEN && !is_gone(n);
}

/* Two devices that no port shows, and that a cable joins, are of one part. */
static void join(struct parts *p, const struct gone_cable *c)
{
	const struct gone_node *a = &p->g->nodes[c->a.node], *z = &p->g->nodes[c->z.node];

	if (is_hidden(a) && is_hidden(z))
		p->up[root_of(p->up, c->a.node)] = root_of(p->up, c->z.node);
}

static void hang(struct parts *p, size_t hidden, size_t gone)
{
	size_t root = root_of(p->up, hidden);

	if (p->lead[root] == GONE_NONE)
		p->lead[root] = gone;
	else if (p->lead[root] != gone)
		p->several[root] = true;
}

/* What hangs at several of those that are gone binds them together. */
static void bind(size_t *cut, size_t a, size_t z)
{
	size_t one = root_of(cut, a), other = root_of(cut, z);

	if (one < other)
		cut[other] = one;
	else
		cut[one] = other;
}

static bool is_inner(const struct gone_cable *c)
{
	return c->a.node != GONE_NONE && c->z.node != GONE_NONE;
}

static void find_cuts(struct parts *p)
{
	struct ibc_gone *g = p->g;
	size_t *cut = arena_array(g->arena, g->num_nodes + 1, sizeof(*cut));
	bool *bound = arena_array(g->arena, g->num_nodes + 1, sizeof(*bound));

	for (size_t i = 0; i < g->num_nodes; i++)
		cut[i] = i;
	for (size_t i = 0; i < g->num_cables; i++) {
		const struct gone_cable *c = &g->cables[i];
		size_t hidden, gone, root;

		if (!is_inner(c))
			continue;
		hidden = is_hidden(&g->nodes[c->a.node]) ? c->a.node : c->z.node;
		gone = hidden == c->a.node ? c->z.node : c->a.node;
		if (!is_hidden(&g->nodes[hidden]) || !is_gone(&g->nodes[gone]))
			continue;
		root = root_of(p->up, hidden);
		if (p->open[root] || !p->several[root] || !p->switches[root])
			continue;
		bind(cut, p->lead[root], gone);
		bound[gone] = bound[p->lead[root]] = true;
	}
	for (size_t i = 0; i < g->num_nodes; i++)
		g->nodes[i].cut = bound[i] ? root_of(cut, i) : GONE_NONE;
}

void gone_parts(struct ibc_gone *g)
{
	struct parts p = { .g = g };
	size_t n = g->num_nodes;

	p.up = arena_array(g->arena, n + 1, sizeof(*p.up));
	p.lead = arena_array(g->arena, n + 1, sizeof(*p.lead));
	p.open = arena_array(g->arena, n + 1, sizeof(*p.open));
	p.several = arena_array(g->arena, n + 1, sizeof(*p.several));
	p.switches = arena_array(g->arena, n + 1, sizeof(*p.switches));
	for (size_t i = 0; i < n; i++) {
		p.up[i] = i;
		p.lead[i] = GONE_NONE;
	}
	for (size_t i = 0; i < g->num_cables; i++)
		if (is_inner(&g->cables[i]))
			join(&p, &g->cables[i]);
	for (size_t i = 0; i < n; i++) {
		if (!is_hidden(&g->nodes[i]))
			continue;
		p.open[root_of(p.up, i)] |= g->nodes[i].open > 0;
		p.switches[root_of(p.up, i)] |= g->nodes[i].type != IBC_NODE_CA;
	}
	for (size_t i = 0; i < g->num_cables; i++) {
		const struct gone_cable *c = &g->cables[i];

		if (!is_inner(c))
			continue;
		if (is_hidden(&g->nodes[c->a.node]) && is_gone(&g->nodes[c->z.node]))
			hang(&p, c->a.node, c->z.node);
		if (is_hidden(&g->nodes[c->z.node]) && is_gone(&g->nodes[c->a.node]))
			hang(&p, c->z.node, c->a.node);
	}
	find_cuts(&p);
	/* until here the counts of ports show which are gone */
	for (size_t i = 0; i < n; i++) {
		size_t root = root_of(p.up, i);

		if (is_hidden(&g->nodes[i]) && !p.open[root] && p.lead[root] != GONE_NONE)
			g->nodes[i].lead = p.lead[root];
	}
	for (size_t i = 0; i < n; i++)
		if (is_gone(&g->nodes[i]) || g->nodes[i].lead != i)
			g->nodes[i].state = GONE_AWAY;
}
