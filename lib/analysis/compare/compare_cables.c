/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What becomes of every planned cable, and which found ones are not planned: the cable segments
 * that a repair plan is made of.  Cables that a missing or an unexpected node explains are
 * none, unless what is in the way of a planned cable has to go, or the only cable of a
 * missing node may be all that it lacks.
 */
#include "analysis/compare/comparison.h"
#include "base/arena.h"
#include "fabric/fabric.h"

/* ---- jacks -------------------------------------------------------------------------- */

struct ibc_place comparison_place(const struct ibc_comparison *cmp, struct jack jack)
{
	if (jack.node == jack_of_unread(cmp))
		return (struct ibc_place){ NULL, 0 };
	if (jack.node < cmp->found.num_nodes)
		return (struct ibc_place){ side_node(&cmp->found, jack.node), jack.port };
	return (struct ibc_place){ side_node(&cmp->planned, jack.node - cmp->found.num_nodes),
		                   jack.port };
}

uint32_t jack_node(const struct ibc_comparison *cmp, const struct ibc_node *planned)
{
	uint32_t n = (uint32_t)node_order(planned), found = cmp->match.found_of[n];

	return found == MATCH_NONE ? cmp->found.num_nodes + n : found;
}

static struct jack planned_jack(const struct ibc_comparison *cmp, const struct ibc_port *p)
{
	return (struct jack){ jack_node(cmp, p->node), p->num };
}

static struct jack found_jack(const struct ibc_port *p)
{
	return (struct jack){ (uint32_t)node_order(p->node), p->num };
}

/* ---- planned cables ---------------------------------------------------------------------- */

static enum node_fate fate_of(const struct ibc_comparison *cmp, const struct ibc_node *planned)
{
	return cmp->node_fate[node_order(planned)];
}

/* How many ports a node has that was not found is not known. */
static bool is_beyond(const struct ibc_comparison *cmp, const struct ibc_port *planned)
{
	return fate_of(cmp, planned->node) == NODE_FOUND &&
	       comparison_presence(cmp, planned) == PRESENCE_NO_PORT;
}

static enum cable_fate evaluate_cable_fate(const struct ibc_comparison *cmp,
                                           const struct ibc_port *p)
{
	const struct ibc_port *z = p->peer, *found = comparison_found_port(cmp, p);
	enum node_fate near = fate_of(cmp, p->node), far = fate_of(cmp, z->node);

	if (near == NODE_INVALID || far == NODE_INVALID || is_beyond(cmp, p) || is_beyond(cmp, z))
		return CABLE_INVALID;
	if (near >= NODE_UNCHECKED || far >= NODE_UNCHECKED)
		return CABLE_UNKNOWN;
	if (near == NODE_MISSING || far == NODE_MISSING)
		return CABLE_GONE;
	if (found && found->peer && found->peer == comparison_found_port(cmp, z))
		return CABLE_RIGHT;
	if (comparison_presence(cmp, p) > PRESENCE_JOINED &&
	    comparison_presence(cmp, z) > PRESENCE_JOINED)
		return CABLE_UNKNOWN;
	return CABLE_ABSENT;
}

/* Is it gone with a node that has no other, from a jack that is there? */
static bool is_only_cable(const struct ibc_comparison *cmp, const struct ibc_port *p)
{
	if (fate_of(cmp, p->node) == NODE_FOUND)
		p = p->peer;
	return fate_of(cmp, p->node) == NODE_MISSING && fate_of(cmp, p->peer->node) == NODE_FOUND &&
	       cabled_ports(p->node) == 1;
}

static void evaluate_cable(struct ibc_comparison *cmp, const struct ibc_port *p)
{
	enum cable_fate fate = evaluate_cable_fate(cmp, p);
	size_t n = cmp->num_absent;

	if (fate == CABLE_GONE && is_only_cable(cmp, p))
		fate = CABLE_ABSENT;
	cmp->cable_fate[side_port(&cmp->planned, p)] = fate;
	cmp->cable_fate[side_port(&cmp->planned, p->peer)] = fate;
	cmp->counts.cables++;
	if (fate == CABLE_RIGHT) {
		const struct ibc_port *found = comparison_found_port(cmp, p);

		cmp->right[side_port(&cmp->found, found)] = true;
		cmp->right[side_port(&cmp->found, found->peer)] = true;
		cmp->counts.cables_right++;
	}
	cmp->num_invalid += fate == CABLE_INVALID;
	cmp->counts.cables_unread += fate == CABLE_UNKNOWN || fate == CABLE_INVALID;
	if (fate != CABLE_ABSENT)
		return;
	cmp->num_absent++;
	cmp->absent_of[n] = p;
	cmp->absent[n] = (struct segment){
		.end = { planned_jack(cmp, p), planned_jack(cmp, p->peer) },
		.id = (uint32_t)n,
	};
	for (int i = 0; i < 2; i++) {
		const struct ibc_port *found = comparison_found_port(cmp, i ? p->peer : p);

		if (found)
			cmp->wanted[side_port(&cmp->found, found)] = true;
	}
}

/* ---- found cables ---------------------------------------------------------------------------- */

/* Does the plan say something of this jack that cannot be right? */
static bool is_invalid(const struct ibc_comparison *cmp, const struct ibc_port *found)
{
	const struct ibc_port *p = comparison_planned_port(cmp, found);

	return p && cmp->cable_fate[side_port(&cmp->planned, p)] == CABLE_INVALID;
}

static bool has_counterpart(const struct ibc_comparison *cmp, const struct ibc_port *found)
{
	return cmp->match.planned_of[node_order(found->node)] != MATCH_NONE;
}

/* What the plan does not list at all: within a chassis, of hosts, between switches. */
static bool is_not_covered(const struct ibc_comparison *cmp, const struct ibc_port *p)
{
	const struct ibc_node *a = p->node, *z = p->peer->node;

	if (a->type != IBC_NODE_SWITCH || z->type != IBC_NODE_SWITCH)
		return cmp->no_hosts;
	return cmp->no_trunks || ibc_port_is_fnm(p) ||
	       (a->system_guid && a->system_guid == z->system_guid && a != z);
}

/* To be moved or removed; else something else explains it, or it is as planned. */
static bool is_surplus(const struct ibc_comparison *cmp, const struct ibc_port *p)
{
	const struct ibc_port *z = p->peer;

	if (cmp->right[side_port(&cmp->found, p)])
		return false;
	if (cmp->wanted[side_port(&cmp->found, p)] || cmp->wanted[side_port(&cmp->found, z)])
		return true;
	return has_counterpart(cmp, p) && has_counterpart(cmp, z) && !is_invalid(cmp, p) &&
	       !is_invalid(cmp, z) && !is_not_covered(cmp, p);
}

static void add_surplus(struct ibc_comparison *cmp, const struct ibc_port *p)
{
	size_t n = cmp->num_surplus++;
	struct jack far = { jack_of_unread(cmp), side_port(&cmp->found, p) };

	cmp->surplus_of[n] = p;
	cmp->surplus[n] = (struct segment){
		.end = { found_jack(p), p->peer ? found_jack(p->peer) : far },
		.id = (uint32_t)n,
	};
	cmp->in_segment[side_port(&cmp->found, p)] = true;
	if (p->peer)
		cmp->in_segment[side_port(&cmp->found, p->peer)] = true;
}

void compare_cables(struct ibc_comparison *cmp)
{
	size_t planned = ibc_fabric_count(cmp->planned.fab).cables;
	/* a silent port that is in the way of an absent cable is surplus too */
	size_t found = ibc_fabric_count(cmp->found.fab).cables + planned, i = 0;
	const struct ibc_port *p;

	cmp->absent = arena_array(cmp->arena, planned, sizeof(*cmp->absent));
	cmp->absent_of = arena_array(cmp->arena, planned, sizeof(*cmp->absent_of));
	cmp->surplus = arena_array(cmp->arena, found, sizeof(*cmp->surplus));
	cmp->surplus_of = arena_array(cmp->arena, found, sizeof(*cmp->surplus_of));
	while ((p = fabric_next_cable(cmp->planned.fab, &i)))
		evaluate_cable(cmp, p);
	for (i = 0; (p = ibc_fabric_port(cmp->found.fab, i)); i++)
		if (ibc_port_is_near_end(p) ? is_surplus(cmp, p)
		                            : p->num && cmp->wanted[side_port(&cmp->found, p)] &&
		                                  port_presence(p) == PRESENCE_SILENT)
			add_surplus(cmp, p);
}
