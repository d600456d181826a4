/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A cable that was pulled, where a group is too small for shares to decide: the ports that
 * should have it are free, and nothing else would fit them.  O(ports x switches of the group),
 * of groups of few switches.
 */
#include "analysis/tree/cells.h"

/* why each: doc/wiring.md, table 5, part D */
#define SMALL_ROWS 4

/* Is a port that answered without a cable, or with one that is dead? */
static bool is_free(const struct cells *c, uint32_t s, const struct ibc_port *p)
{
	return !p->peer && ibc_port_has(p, IBC_ATTR_PORT_INFO) &&
	       (p->phys_state == IBC_PHYS_POLLING || p->phys_state == IBC_PHYS_DISABLED) &&
	       !c->promised[(size_t)s * VOTE_PORTS + p->num];
}

/* Do most others of the group have a cable to the far switch at this port, and none another? */
static bool is_place(const struct cells *c, uint32_t s, const uint32_t *group, uint32_t n,
                     uint32_t far, unsigned int num)
{
	uint32_t votes = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct ibc_port *p = ibc_node_port(c->tree->switches.nodes[group[i]], num);

		if (group[i] == s || !p || !p->peer)
			continue;
		if (switch_number(&c->tree->switches, p->peer->node) != far)
			return false;
		votes++;
	}
	return votes * 2 > n - 1;
}

/* The one port of a switch that fits; 0: there is none, or more than one. */
static unsigned int only_place(const struct cells *c, uint32_t s, const uint32_t *group, uint32_t n,
                               uint32_t far)
{
	unsigned int free = 0, places = 0, last_free = 0, last_place = 0;
	const struct ibc_port *p;

	for (unsigned int num = 1; (p = ibc_node_port(c->tree->switches.nodes[s], num)); num++) {
		if (!is_free(c, s, p))
			continue;
		free++;
		last_free = num;
		if (!is_place(c, s, group, n, far, num))
			continue;
		places++;
		last_place = num;
	}
	if (places)
		return places == 1 ? last_place : 0;
	return free == 1 ? last_free : 0;
}

/* Groups beside it testify by shares, and what is missing in one may be meant in all. */
static bool is_small_tree(const struct cells *c, const struct wiring_group *g)
{
	for (size_t i = 0; i < c->tree->groups.n; i++)
		if (c->tree->groups.all[i].rank == g->rank && &c->tree->groups.all[i] != g)
			return false;
	return g->num_lower <= SMALL_ROWS;
}

bool cell_is_pulled(struct cells *c, struct cell *cell)
{
	const struct wiring_groups *groups = &c->tree->groups;
	const struct wiring_group *g = &groups->all[groups->as_lower[cell->lower]];

	if (cell->cable || cell->used || !is_small_tree(c, g) ||
	    c->lower[cell->lower].missing != 1 || c->upper[cell->upper].missing != 1)
		return false;
	cell->lower_port = only_place(c, cell->lower, g->lower, g->num_lower, cell->upper);
	cell->upper_port = only_place(c, cell->upper, g->upper, g->num_upper, cell->lower);
	return cell->lower_port && cell->upper_port;
}
