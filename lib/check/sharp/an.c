/* SPDX-License-Identifier: BSD-2-Clause */
/* Aggregation nodes of switches, where SHARP uses them. */
#include <stdlib.h>

#include "analysis/tree/switches.h"
#include "base/array.h"
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

/* struct kind - a switch among others of its type */
struct kind {
	const struct ibc_node *node;
	uint64_t type;
	bool edge; /* it has hosts: sites use SHARP in leaves alone, or at roots alone */
	bool has;  /* an aggregation node, or a port that shows why not */
};

static bool is_aggregation_port(const struct ibc_port *p)
{
	return ibc_phy_knows(p->phy, IBC_PHY_PORT_TYPE) &&
	       p->phy->value[IBC_PHY_PORT_TYPE] == IBC_PORT_AGGREGATION;
}

/* The port of its aggregation node is known, and nothing is behind it. */
static void report_inner_port(struct ibc_sink *out, const struct ibc_port *p)
{
	sink_port(out, p, "leads to the aggregation node of its switch, which was not found: %s",
	          ibc_port_has_state(p)
	              ? sink_text(out, "the port is %s", ibc_port_state_word(p->state)->name)
	              : "nothing answers there");
	sink_advise(out,
	            "SHARP leaves this switch out. Enable the aggregation node on the switch, or "
	            "reboot the switch when no job uses it.");
}

static struct kind kind_of(struct ibc_sink *out, const struct ibc_node *node)
{
	struct kind kind = { node, device_type(node), false,
		             ibc_node_smp_capability(node, IBC_SMP_SHARP_AN) == 0 };
	const struct ibc_port *p;

	for (unsigned int num = 1; (p = ibc_node_port(node, num)); num++) {
		bool leads = p->peer && node_is_aggregator(p->peer->node);

		kind.has |= leads || is_aggregation_port(p);
		kind.edge |= p->peer && p->peer->node->type == IBC_NODE_CA && !leads;
		if (is_aggregation_port(p) && !p->peer)
			report_inner_port(out, p);
	}
	return kind;
}

static int by_switch_kind(const void *va, const void *vz)
{
	const struct kind *a = va, *z = vz;

	return order_u64(a->type, z->type) ?: a->edge - z->edge;
}

static void report_missing(struct ibc_sink *out, const struct ibc_node *node, size_t have, size_t n)
{
	sink_node(out, node, "has no aggregation node; %zu of %zu like switches have one", have, n);
	sink_advise(out,
	            "SHARP leaves this switch out. Compare its configuration and firmware with "
	            "those of the others.");
	sink_fact(out, "alike", ibc_u64(n));
	sink_fact(out, "having", ibc_u64(have));
}

static void evaluate_kind(struct ibc_sink *out, const struct kind *k, size_t n)
{
	size_t have = 0;

	for (size_t i = 0; i < n; i++)
		have += k[i].has;
	for (size_t i = 0; (n - have) * 100 < n * MISSING_PERCENT && i < n; i++)
		if (!k[i].has)
			report_missing(out, k[i].node, have, n);
}

static void evaluate_switches(struct ibc_sink *out, const struct ibc_subnet *subnet)
{
	struct kind *k = sink_array(out, ibc_fabric_count(subnet->fabric).switches, sizeof(*k));
	const struct ibc_node *node;
	size_t n = 0;

	for (size_t i = 0; k && (node = ibc_fabric_node(subnet->fabric, i)); i++)
		if (node->subnet == subnet && node->type == IBC_NODE_SWITCH)
			k[n++] = kind_of(out, node);
	if (n)
		qsort(k, n, sizeof(*k), by_switch_kind);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && !by_switch_kind(&k[i], &k[end]);)
			end++;
		evaluate_kind(out, &k[i], end - i);
	}
}

/* ---- sharp.an ------------------------------------------------------------------------------ */

static void check_an(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_subnet *subnet;
	const struct ibc_node *node;

	for (size_t i = 0; (subnet = ibc_fabric_subnet(in->fabric, i)); i++) {
		if (!sharp_is_used(in, subnet))
			continue;
		for (size_t k = 0; (node = ibc_fabric_node(in->fabric, k)); k++)
			if (node->subnet == subnet && node_is_aggregator(node))
				evaluate_aggregator(out, node);
		evaluate_switches(out, subnet);
	}
}

const struct ibc_check ibc_checks_sharp_an[] = {
	CHECK(
	    "sharp.an", "aggregation nodes that are missing or not Active", IBC_WARNING, check_an,
	    .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC, IBC_ATTR_SERVICE_RECORD),
	    EXPLAINED_BY(BY_ABSENCE(AT), BY("port.physical", AT), BY_MANAGER, BY("port.state", AT)),
	    .many = "aggregation nodes|are missing or not Active"),
	{ 0 },
};
