/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of what ports say of adaptive routing, in their ExtendedPortInfo. */
#include "analysis/compare/peers.h"
#include "analysis/tree/switches.h"
#include "check/ar/ar.h"
#include "check/collect.h"
#include "check/groups.h"
#include "check/phy/phy.h"
#include "fabric/fabric.h"

#define USUAL_PERCENT  90 /* of a type of HCA: those without are the exception; an estimate */
#define UNHEALTHY_NONE 1  /* and 0; above it phy.health reports */

/* Ports that carry no data yet were not set up: a host in its boot firmware. */
int64_t out_of_order_sls(const struct ibc_node *node)
{
	const struct ibc_port *p;
	int64_t sls = -1;

	if (node->type != IBC_NODE_CA || node_is_aggregator(node))
		return -1;
	for (unsigned int num = 1; (p = ibc_node_port(node, num)); num++)
		if (p->state == IBC_STATE_ACTIVE && !ibc_phy_is_special(p->extra->phy) &&
		    ibc_phy_knows(p->extra->phy, IBC_PHY_OOO_SL_MASK))
			sls = (sls < 0 ? 0 : sls) |
			      (int64_t)p->extra->phy->value[IBC_PHY_OOO_SL_MASK];
	return sls;
}

/* ---- ar.hca -------------------------------------------------------------------------------- */

static void check_hca(const struct ibc_input *in, struct ibc_sink *out)
{
	struct peer *h = sink_array(out, ibc_fabric_count(in->fabric).cas, sizeof(*h));
	struct peer_group g = { .few = 1, .percent = USUAL_PERCENT };
	const struct ibc_node *node;
	size_t n = 0;

	for (size_t i = 0; (node = ibc_fabric_node(in->fabric, i)); i++) {
		int64_t sls = ibc_traffic_is_part(node->subnet->static_traffic)
		                  ? out_of_order_sls(node)
		                  : -1;

		/* packets out of order, on any service level */
		if (sls >= 0)
			h[n++] = (struct peer){ .subnet = node->subnet->index,
				                .class = device_type(node),
				                .value = sls > 0,
				                .row = i };
	}
	peers_sort(h, n);
	while (peers_next(h, n, &g))
		for (size_t i = 0; g.usual && g.norm && !g.peers[i].value; i++) {
			node = ibc_fabric_node(in->fabric, g.peers[i].row);
			sink_node(out, node,
			          "accepts no packets out of order (OOOSLMask 0), and so no "
			          "adaptive routing; %zu of %zu HCAs of its type do",
			          g.count, g.num);
			sink_advise(out,
			            "Compare its firmware%s with that of the others: older "
			            "firmware does not support it. Else trigger a heavy sweep "
			            "(SIGHUP) of the subnet manager.",
			            node->firmware ? sink_text(out, " (%s)", node->firmware) : "");
			sink_fact(out, "firmware", ibc_str(node->firmware));
			sink_fact(out, "alike", ibc_u64(g.num));
			sink_fact(out, "accepting", ibc_u64(g.count));
		}
}

/* ---- ar.recovered -------------------------------------------------------------------------- */

static bool is_set(const struct ibc_port *p, enum ibc_phy_value value, uint64_t above)
{
	return ibc_phy_knows(p->extra->phy, value) && p->extra->phy->value[value] > above;
}

/* Why a port is unhealthy phy.health reports, and of such a port nothing more is. */
static void check_recovered(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		if (!ibc_traffic_is_part(p->node->subnet->static_traffic) ||
		    !is_set(p, IBC_PHY_RECOVERED, 0) ||
		    is_set(p, IBC_PHY_UNHEALTHY, UNHEALTHY_NONE))
			continue;
		sink_port(out, p, "was recovered after a fault, its device says");
		sink_advise(out, "The mark stays until the subnet manager clears it: see its log "
		                 "for this port, and watch the errors of this link.");
		if (p->peer)
			sink_relate(out, IBC_ROLE_FOUND, p->peer);
	}
}

/* ---- the table ----------------------------------------------------------------------------- */

#define NEEDS                                                                                      \
	.needs = IBC_ATTRS(IBC_ATTR_AR_INFO, IBC_ATTR_PHY_EXT_PORT),                               \
	.vital = IBC_ATTRS(IBC_ATTR_PHY_EXT_PORT), .inputs = IBC_IN_ADAPTIVE | IBC_IN_PHYSICAL

const struct ibc_check ibc_checks_ar_ports[] = {
	CHECK("ar.hca", "HCAs that accept no adaptive routing, where others do", IBC_WARNING,
	      check_hca, NEEDS, .absence = IBC_ABSENT_HERE,
	      .many = "HCAs|accept no packets out of order", .together = ""),
	CHECK("ar.recovered", "ports that their device had to recover", IBC_WARNING,
	      check_recovered, NEEDS, EXPLAINED_BY(BY_DAMAGE),
	      .many = "ports|were recovered by their device"),
	{ 0 },
};
