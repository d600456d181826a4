/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Planes that differ.  What one plane lacks and most others have is lost: a cable, the port of an
 * HCA, a switch, or all of the plane, and of these only the largest is reported.  Where one plane
 * lacks much, there is one case for the plane.  A cable that the rule of the tree misses too stays
 * one case.
 *
 * Nothing is reported where planes may differ (struct planes.asymmetric).  O(ports times planes).
 */
#include "analysis/tree/wiring.h"
#include "base/arena.h"
#include "fabric/fabric.h"

#define MUCH_PERCENT 10 /* of the cables of a plane: doc/wiring.md, table 5, part H ... */
#define MUCH_MIN     4  /* ... and no fewer: likewise */
#define SPOT_MIN     2  /* planes that have a cable in the same place: likewise */

/* struct lack - of a plane; @has, @lacks: cables that most planes have there */
struct lack {
	uint64_t has, lacks, ports;
	bool all;
};

struct plane_cases {
	struct ibc_fattree *tree;
	const struct planes *p;
	struct lack *lack;
};

static uint32_t member(const struct planes *p, uint32_t set, unsigned int plane)
{
	return set == NO_SWITCH ? NO_SWITCH : p->members[(size_t)set * p->n + plane];
}

static const struct ibc_port *port_on(const struct planes *p, uint32_t s, unsigned int num)
{
	return s == NO_SWITCH ? NULL : ibc_node_port(p->sw->nodes[s], num);
}

/* It has a link, or did not answer, and its far end was not seen. */
static bool leads_unseen(const struct ibc_port *port)
{
	if (!port || port->peer)
		return false;
	return ibc_port_unanswered(port, IBC_ATTR_PORT_INFO) ||
	       (ibc_port_has(port, IBC_ATTR_PORT_INFO) && port->phys_state == IBC_PHYS_LINKUP);
}

/* ---- cables between switches ---------------------------------------------------------------- */

/*
 * struct spot - the same port of siblings
 * @far: the set that most cables there lead to; @n: so many
 * @example: one of them, and @cables: how many its switch has to that set
 */
struct spot {
	uint32_t set, far, cables;
	unsigned int num, n;
	const struct ibc_port *example;
};

static uint32_t set_behind(const struct planes *p, const struct ibc_port *port)
{
	uint32_t s = port && port->peer ? switch_number(p->sw, port->peer->node) : NO_SWITCH;

	return s == NO_SWITCH ? NO_SWITCH : p->set_of[s];
}

static uint32_t cables_between(const struct planes *p, const struct spot *spot, unsigned int plane)
{
	const struct trunk *pair = trunk_between(p->sw, member(p, spot->set, plane),
	                                         member(p, spot->far, plane));

	return pair ? pair->count : 0;
}

/* Do several planes lead to one set from there?  Of both ends of a cable the lower set. */
static bool read_spot(const struct planes *p, struct spot *spot)
{
	for (unsigned int k = 0; k < p->n; k++) {
		const struct ibc_port *port = port_on(p, member(p, spot->set, k), spot->num);
		uint32_t far = set_behind(p, port);
		unsigned int n = 0;

		for (unsigned int i = 0; far != NO_SWITCH && i < p->n; i++)
			n += set_behind(p, port_on(p, member(p, spot->set, i), spot->num)) == far;
		if (n <= spot->n)
			continue;
		spot->far = far;
		spot->n = n;
		spot->example = port;
	}
	if (spot->n < SPOT_MIN || spot->set >= spot->far)
		return false;
	spot->cables = cables_between(p, spot,
	                              p->plane_of[switch_number(p->sw, spot->example->node)]);
	return true;
}

static bool is_of_gap(const struct wiring_gap *gap, const struct ibc_node *a,
                      const struct ibc_node *z)
{
	return (gap->lower.node == a && gap->upper.node == z) ||
	       (gap->lower.node == z && gap->upper.node == a);
}

/* A blamed case of the tree that is more than one missing cable, as an exchange, stays so. */
static void report_cable(const struct plane_cases *c, const struct spot *spot, unsigned int plane)
{
	const struct planes *p = c->p;
	struct ibc_fattree *tree = c->tree;
	const struct wiring_gap gap = {
		.lower = { p->sw->nodes[member(p, spot->set, plane)], spot->num },
		.upper = { p->sw->nodes[member(p, spot->far, plane)], spot->example->peer->num },
	};
	struct wiring_case *k = NULL;

	for (size_t i = 0; !k && i < tree->num_cases; i++)
		for (size_t n = 0; tree->cases[i].blamed && n < tree->cases[i].num_gaps; n++)
			if (is_of_gap(&tree->cases[i].gaps[n], gap.lower.node, gap.upper.node))
				k = &tree->cases[i];
	if (k && (k->kind != WIRING_MISSING || k->num_gaps > 1))
		return;
	k = k ? k : wiring_add(tree, WIRING_PLANE, true, NULL);
	k->kind = WIRING_PLANE;
	k->why = arena_printf(tree->arena, "%u of %u planes have it, plane %u has not", spot->n,
	                      p->n, plane + 1);
	k->gaps = arena_array(tree->arena, 1, sizeof(*k->gaps));
	k->gaps[0] = gap; /* with its ports */
	k->num_gaps = 1;
	k->siblings = arena_array(tree->arena, p->n, sizeof(struct ibc_port *));
	for (unsigned int i = 0; i < p->n; i++) {
		const struct ibc_port *port = port_on(p, member(p, spot->set, i), spot->num);

		if (set_behind(p, port) == spot->far)
			k->siblings[k->num_siblings++] = port;
	}
}

/*
 * Counts what planes lack, or reports it: the far end is there as that of the siblings is, nothing
 * is at the port, and the cable is in no other place either.
 */
static void walk_cables(const struct plane_cases *c, bool report)
{
	const struct planes *p = c->p;

	for (uint32_t set = 0; set < p->num_sets; set++)
		for (unsigned int num = 1; num < UINT8_MAX; num++) {
			struct spot spot = { .set = set, .far = NO_SWITCH, .num = num };

			if (!read_spot(p, &spot))
				continue;
			for (unsigned int k = 0; k < p->n; k++) {
				const struct ibc_port *port = port_on(p, member(p, set, k), num);
				bool lost = port && !port->peer && !leads_unseen(port) &&
				            member(p, spot.far, k) != NO_SWITCH &&
				            cables_between(p, &spot, k) < spot.cables;

				c->lack[k].has += !report;
				c->lack[k].lacks += !report && lost;
				if (report && lost && !c->lack[k].all)
					report_cable(c, &spot, k);
			}
		}
}

/* ---- HCAs ----------------------------------------------------------------------------------- */

/* The set that most cables of an HCA lead to: where it belongs.  @at: one of them */
static uint32_t set_of_hca(const struct planes *p, uint32_t hca, const struct ibc_port **at)
{
	const struct ibc_port *const *ports = &p->ports[(size_t)hca * p->n];

	for (unsigned int k = 0; k < p->n; k++) {
		unsigned int n = 0, all = 0;

		for (unsigned int i = 0; i < p->n; i++) {
			all += ports[i] != NULL;
			n += ports[i] && set_behind(p, ports[k]) == set_behind(p, ports[i]);
		}
		*at = ports[k];
		if (ports[k] && n * 2 > all)
			return set_behind(p, ports[k]);
	}
	return NO_SWITCH;
}

static unsigned int set_size(const struct planes *p, uint32_t set)
{
	unsigned int n = 0;

	for (unsigned int k = 0; k < p->n; k++)
		n += member(p, set, k) != NO_SWITCH;
	return n;
}

/* Is a switch gone there that report_switch() reports? */
static bool lacks_switch(const struct planes *p, uint32_t set, unsigned int plane)
{
	return member(p, set, plane) == NO_SWITCH && set_size(p, set) * 2 > p->n;
}

/* Has it no link in a plane where its switch is? */
static bool has_lost(const struct planes *p, uint32_t hca, unsigned int plane)
{
	const struct ibc_port *at;
	uint32_t set = set_of_hca(p, hca, &at);

	return set != NO_SWITCH && !p->ports[(size_t)hca * p->n + plane] &&
	       !lacks_switch(p, set, plane) && !leads_unseen(hca_plane(p->hcas[hca], p->n, plane));
}

/* All planes that it has lost: mostly one cable has several. */
static void report_lost(const struct plane_cases *c, uint32_t hca)
{
	struct arena *a = c->tree->arena;
	const struct ibc_port *at;
	const char *lost = "", *ports = "";
	unsigned int n = 0;

	for (unsigned int k = 0; k < c->p->n; k++) {
		if (c->lack[k].all || !has_lost(c->p, hca, k))
			continue;
		lost = arena_printf(a, "%s%s%u", lost, n ? ", " : "", k + 1);
		ports = arena_printf(a, "%s%s%u", ports, n ? ", " : "",
		                     hca_plane(c->p->hcas[hca], c->p->n, k)->num);
		n++;
	}
	if (!n || set_of_hca(c->p, hca, &at) == NO_SWITCH)
		return;
	wiring_add(c->tree, WIRING_PLANE, true, c->p->hcas[hca])->why = arena_printf(
	    a, "has lost plane%s %s: port%s %s %s no link, and port %u has one to %s",
	    n > 1 ? "s" : "", lost, n > 1 ? "s" : "", ports, n > 1 ? "have" : "has", at->num,
	    at->peer->node->label);
}

/* A port on another switch than the others imply. */
static void report_astray(const struct plane_cases *c, uint32_t hca, unsigned int plane)
{
	const struct planes *p = c->p;
	const struct ibc_port *port = p->ports[(size_t)hca * p->n + plane], *at;
	uint32_t set = set_of_hca(p, hca, &at), usual = member(p, set, plane);

	if (!port || usual == NO_SWITCH || port->peer->node == p->sw->nodes[usual])
		return;
	wiring_add(c->tree, WIRING_PLANE, true, p->hcas[hca])->why = arena_printf(
	    c->tree->arena,
	    "has port %u, of plane %u, on %s, and its other ports on the siblings of %s", port->num,
	    plane + 1, port->peer->node->label, p->sw->nodes[usual]->label);
}

/* ---- switches, planes ----------------------------------------------------------------------- */

/*
 * A set that lacks a switch in a plane.  That the tree misses a spine in this plane is the same
 * said again: a case of it that is blamed becomes this one.
 */
static void report_switch(const struct plane_cases *c, uint32_t set, unsigned int plane)
{
	const struct planes *p = c->p;
	struct wiring_case *k = NULL;
	unsigned int sibling = 0;

	if (!lacks_switch(p, set, plane))
		return;
	while (member(p, set, sibling) == NO_SWITCH)
		sibling++;
	for (size_t i = 0; !k && i < c->tree->num_cases; i++) {
		struct wiring_case *other = &c->tree->cases[i];

		if (other->kind == WIRING_NO_SPINE && other->blamed && other->num_nodes &&
		    p->plane_of[switch_number(p->sw, other->nodes[0])] == plane)
			k = other;
	}
	k = k ? k : wiring_add(c->tree, WIRING_PLANE, true, NULL);
	k->kind = WIRING_PLANE;
	k->num_nodes = 1;
	k->nodes[0] = p->sw->nodes[member(p, set, sibling)];
	k->why = arena_printf(c->tree->arena,
	                      "is one of %u siblings in %u planes: that in plane %u is not seen",
	                      set_size(p, set), p->n, plane + 1);
}

/* All of a plane: nothing of it was seen, or it lacks much. */
static void report_whole_plane(const struct plane_cases *c, unsigned int plane)
{
	struct wiring_case *k = wiring_add(c->tree, WIRING_PLANE, true, NULL);
	const struct lack *l = &c->lack[plane];
	struct arena *a = c->tree->arena;
	uint32_t up = 0, hcas = c->p->num_hcas;
	unsigned int num = hcas ? hca_plane(c->p->hcas[0], c->p->n, plane)->num : 0;

	for (uint32_t h = 0; h < hcas; h++)
		up += leads_unseen(hca_plane(c->p->hcas[h], c->p->n, plane));
	k->unread = !l->ports && up;
	if (l->ports)
		k->why = arena_printf(
		    a, "plane %u lacks %llu of %llu cables that most of the %u planes have",
		    plane + 1, (unsigned long long)l->lacks, (unsigned long long)l->has, c->p->n);
	else if (up)
		k->why = arena_printf(a,
		                      "plane %u was not read: port %u of %u of %u HCAs has a link, "
		                      "and none of its switches was seen",
		                      plane + 1, num, up, hcas);
	else
		k->why = arena_printf(a, "plane %u is lost: port %u of none of %u HCAs has a link",
		                      plane + 1, num, hcas);
}

void wiring_planes(struct ibc_fattree *tree)
{
	const struct planes *p = &tree->planes;
	struct plane_cases c = { .tree = tree, .p = p };

	if (!p->num_hcas || p->asymmetric)
		return;
	if (!p->n) {
		/* HCAs with four ports may be used as such; those that report planes are cabled
		 * wrongly */
		struct wiring_case *k = wiring_add(tree, WIRING_PLANE, false, NULL);

		k->why = arena_printf(
		    tree->arena,
		    "has %u HCAs with several planes, but the cables of different "
		    "planes do not correspond: planes are not compared",
		    p->num_hcas);
		for (uint32_t h = 0; h < p->num_hcas; h++)
			k->unread |= p->hcas[h]->max_planes > 1;
		return;
	}
	c.lack = arena_array(tree->tmp, p->n, sizeof(*c.lack));
	walk_cables(&c, false);
	for (uint32_t h = 0; h < p->num_hcas; h++)
		for (unsigned int k = 0; k < p->n; k++) {
			c.lack[k].has++;
			c.lack[k].lacks += has_lost(p, h, k);
			c.lack[k].ports += p->ports[(size_t)h * p->n + k] != NULL;
		}
	for (unsigned int k = 0; k < p->n; k++) {
		struct lack *l = &c.lack[k];

		l->all = !l->ports ||
		         (l->lacks >= MUCH_MIN && l->lacks * 100 > l->has * MUCH_PERCENT);
		if (l->all)
			report_whole_plane(&c, k);
	}
	walk_cables(&c, true);
	for (uint32_t h = 0; h < p->num_hcas; h++) {
		report_lost(&c, h);
		for (unsigned int k = 0; k < p->n; k++)
			if (!c.lack[k].all)
				report_astray(&c, h, k);
	}
	for (uint32_t set = 0; set < p->num_sets; set++)
		for (unsigned int k = 0; k < p->n; k++)
			if (!c.lack[k].all)
				report_switch(&c, set, k);
}
