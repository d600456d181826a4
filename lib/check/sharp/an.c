/* SPDX-License-Identifier: BSD-2-Clause */
/* Aggregation nodes of switches, where SHARP uses them. */
#include "analysis/compare/peers.h"
#include "analysis/tree/switches.h"
#include "check/collect.h"
#include "check/groups.h"
#include "check/sharp/sharp.h"

#define MISSING_PERCENT 10 /* of like switches: from there on a site means it; an estimate */

/* ---- those that are there ------------------------------------------------------------------ */

static void evaluate_aggregator(struct ibc_sink *out, const struct ibc_node *node)
{
	const struct ibc_port *p = ibc_node_port(node, 1);

	if (!p || !ibc_port_has(p, IBC_ATTR_PORT_INFO) || (p->state == IBC_STATE_ACTIVE && p->lid))
		return;
	if (p->state == IBC_STATE_ACTIVE)
		sink_port(out, p, "is the port of an aggregation node, and has no LID");
	else
		sink_port(out, p, "is the port of an aggregation node, and is not Active but %s",
		          ibc_port_state_word(p->state)->name);
	sink_advise(out, "SHARP leaves this switch out. See the log of the subnet manager for this "
	                 "port, and trigger a heavy sweep (SIGHUP to opensm).");
	if (p->peer)
		sink_relate(out, IBC_ROLE_FOUND, p->peer);
}

/* ---- those that are missing ---------------------------------------------------------------- */

static bool is_aggregation_port(const struct ibc_port *p)
{
	return ibc_phy_knows(p->extra->phy, IBC_PHY_PORT_TYPE) &&
	       p->extra->phy->value[IBC_PHY_PORT_TYPE] == IBC_PORT_AGGREGATION;
}

/*
 * A switch among others of its type.  Those with hosts are apart from those without: sites use
 * SHARP in leaves alone, or at roots alone.
 */
static struct peer switch_peer(struct ibc_sink *out, const struct ibc_node *node, size_t row)
{
	bool edge = false, has = ibc_node_smp_capability(node, IBC_SMP_SHARP_AN) == 0;
	const struct ibc_port *p;

	for (unsigned int num = 1; (p = ibc_node_port(node, num)); num++) {
		bool leads = p->peer && node_is_aggregator(p->peer->node);

		has |= leads || is_aggregation_port(p);
		edge |= p->peer && p->peer->node->type == IBC_NODE_CA && !leads;
		if (!is_aggregation_port(p) || p->peer)
			continue;
		/* the port of its aggregation node is known, and nothing is behind it */
		sink_port(out, p,
		          "leads to the aggregation node of its switch, which was not found: %s",
		          ibc_port_has_state(p) ? sink_text(out, "the port is %s",
		                                            ibc_port_state_word(p->state)->name)
		                                : "nothing answers there");
		sink_advise(out, "SHARP leaves this switch out. Enable the aggregation node on the "
		                 "switch, or reboot the switch when no job uses it.");
	}
	return (struct peer){ node->subnet->index, device_type(node) << 1 | edge, has, row };
}

/* ---- sharp.an ------------------------------------------------------------------------------ */

static void check_an(const struct ibc_input *in, struct ibc_sink *out)
{
	struct peer *k = sink_array(out, ibc_fabric_count(in->fabric).switches, sizeof(*k));
	struct peer_group g = { .few = 1 };
	const struct ibc_node *node;
	size_t n = 0;

	for (size_t i = 0; (node = ibc_fabric_node(in->fabric, i)); i++) {
		if (!sharp_is_used(in, node->subnet))
			continue;
		if (node_is_aggregator(node))
			evaluate_aggregator(out, node);
		if (node->type == IBC_NODE_SWITCH)
			k[n++] = switch_peer(out, node, i);
	}
	peers_sort(k, n);
	while (peers_next(k, n, &g)) {
		if (!g.norm || (g.num - g.count) * 100 >= g.num * MISSING_PERCENT)
			continue;
		for (size_t i = 0; !g.peers[i].value; i++) {
			sink_node(out, ibc_fabric_node(in->fabric, g.peers[i].row),
			          "has no aggregation node; %zu of %zu like switches have one",
			          g.count, g.num);
			sink_advise(out, "SHARP leaves this switch out. Compare its configuration "
			                 "and firmware with those of the others.");
			sink_fact(out, "alike", ibc_u64(g.num));
			sink_fact(out, "having", ibc_u64(g.count));
		}
	}
}

const struct ibc_check ibc_checks_sharp_an[] = {
	CHECK(
	    "sharp.an", "aggregation nodes that are missing or not Active", IBC_WARNING, check_an,
	    .absence = IBC_ABSENT_HERE,
	    .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC, IBC_ATTR_SERVICE_RECORD),
	    EXPLAINED_BY(BY_ABSENCE(AT), BY("port.physical", AT), BY_MANAGER, BY("port.state", AT)),
	    .many = "aggregation nodes|are missing or not Active"),
	{ 0 },
};
