/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of what links and devices that are alike do with service levels and virtual lanes. */
#include "check/qos/qos.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/compare/peers.h"
#include "check/collect.h"
#include "check/groups.h"
#include "fabric/fabric.h"

/* So many, and such a share, are a norm that others deviate from; both are estimates. */
#define NORM_MIN     4
#define NORM_PERCENT 75 /* fewer may be meant so */

/* ---- qos.opvls ------------------------------------------------------------------------------ */

/*
 * A link that has fewer virtual lanes than the others of its kind makes packets of some service
 * levels share a lane there, or loses them.
 */
static void check_opvls(const struct ibc_input *in, struct ibc_sink *out)
{
	struct peer *cables = sink_array(out, ibc_fabric_count(in->fabric).ports, sizeof(*cables));
	struct peer_group g = { .few = NORM_MIN, .percent = NORM_PERCENT };
	const struct ibc_port *p;
	size_t n = 0;

	/* cables whose ends agree: those that do not are a matter of port.vl */
	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		const struct ibc_port *z = p->peer;
		bool to_host;

		if (!is_known_cable(p) || p->state < IBC_STATE_ARMED ||
		    z->state < IBC_STATE_ARMED || !p->vl_active || p->vl_active != z->vl_active)
			continue;
		to_host = p->node->type != IBC_NODE_SWITCH || z->node->type != IBC_NODE_SWITCH;
		/* what a subnet manager gives a cable depends on no more than this */
		cables[n++] = (struct peer){
			.subnet = p->node->subnet->index,
			.class = 2U * (p->vl_cap < z->vl_cap ? p->vl_cap : z->vl_cap) + to_host,
			.value = p->vl_active,
			.row = i,
		};
	}
	peers_sort(cables, n);
	while (peers_next(cables, n, &g)) {
		const char *usual = vls_text((unsigned int)g.norm);

		for (size_t i = 0; g.usual && i < g.num; i++) {
			if (g.peers[i].value == g.norm)
				continue;
			p = ibc_fabric_port(in->fabric, g.peers[i].row);
			sink_cable(out, p, "uses %s, where %zu of %zu cables %s like it use %s",
			           vls_text(p->vl_active), g.count, g.num,
			           g.peers->class & 1 ? "to hosts" : "between switches", usual);
			sink_advise(out, "Take the link down and up again (ibportstate reset), so "
			                 "that the subnet manager configures it again. If it "
			                 "stays, look for this link in its log.");
			sink_fact(out, "operational_vls", ibc_str(vls_text(p->vl_active)));
			sink_fact(out, "usual_operational_vls", ibc_str(usual));
			sink_fact(out, "alike", ibc_u64(g.num));
			sink_fact(out, "alike_with_usual", ibc_u64(g.count));
		}
	}
}

/* ---- qos.sl2vl ------------------------------------------------------------------------------ */

/*
 * struct mapping - what a switch does at its ports of one kind, or an HCA at one port
 * @leaf, @to_leaf: a cable of the switch, of those it leads to, goes to a host
 * @first, @ports: the first of those ports, and how many there are
 * @vl: by SL, if all of them have one table, whichever way packets came in; else @varies
 */
struct mapping {
	const struct ibc_port *first;
	size_t ports;
	bool hca, leaf, to_leaf, varies;
	uint8_t vl[SLS];
};

static int by_likeness(const struct mapping *a, const struct mapping *z)
{
	return order_u64(a->first->node->subnet->index, z->first->node->subnet->index)
	    ?: a->hca - z->hca ?: a->leaf - z->leaf ?: a->to_leaf - z->to_leaf
	    ?: a->first->vl_active - z->first->vl_active;
}

static int by_likeness_then_table(const void *va, const void *vz)
{
	const struct mapping *a = va, *z = vz;

	return by_likeness(a, z) ?: a->varies - z->varies ?: memcmp(a->vl, z->vl, SLS)
	    ?: compare_ports(a->first, z->first);
}

static bool same_table(const struct mapping *a, const struct mapping *z)
{
	return !a->varies && !z->varies && !memcmp(a->vl, z->vl, SLS);
}

/* False: it has no known lanes, or leads from a switch to a host. */
static bool mapping_of(const struct ibc_port *p, const bool *leaves, struct mapping *m)
{
	bool hca = p->node->type != IBC_NODE_SWITCH;
	uint16_t lanes[SLS];

	if (!p->peer || (!hca && p->peer->node->type != IBC_NODE_SWITCH) || !lanes_beyond(p, lanes))
		return false;
	*m = (struct mapping){
		.first = p,
		.ports = 1,
		.hca = hca,
		.leaf = !hca && leaves[node_order(p->node)],
		.to_leaf = !hca && leaves[node_order(p->peer->node)],
	};
	for (unsigned int sl = 0; sl < SLS; sl++) {
		m->varies |= !lanes[sl] || lanes[sl] & (lanes[sl] - 1);
		m->vl[sl] = lanes[sl] ? (uint8_t)__builtin_ctz(lanes[sl]) : 0;
	}
	if (m->varies)
		memset(m->vl, 0, SLS);
	return true;
}

/* Ports of a switch that are of one kind are one, with those that it has already. */
static size_t add_mapping(struct mapping *all, size_t n, const struct mapping *m)
{
	for (size_t i = n; !m->hca && i > 0 && all[i - 1].first->node == m->first->node; i--) {
		if (by_likeness(&all[i - 1], m))
			continue;
		all[i - 1].ports++;
		all[i - 1].varies |= !same_table(&all[i - 1], m);
		return n;
	}
	all[n] = *m;
	return n + 1;
}

static size_t collect_mappings(const struct ibc_input *in, struct ibc_sink *out,
                               struct mapping *all)
{
	bool *leaves = sink_array(out, ibc_fabric_count(in->fabric).nodes, sizeof(*leaves));
	const struct ibc_node *node;
	const struct ibc_port *p;
	struct mapping m;
	size_t n = 0;

	for (size_t i = 0; (node = ibc_fabric_node(in->fabric, i)); i++)
		leaves[node_order(node)] = has_ca(node);
	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++)
		if (mapping_of(p, leaves, &m))
			n = add_mapping(all, n, &m);
	for (size_t i = 0; i < n; i++)
		if (all[i].varies)
			memset(all[i].vl, 0, SLS);
	return n;
}

/* The first port and SL at which a device does otherwise than the norm. */
static void report_mapping(struct ibc_sink *out, const struct mapping *m,
                           const struct mapping *norm, size_t alike, size_t all)
{
	const struct ibc_node *node = m->first->node;

	for (unsigned int i = m->first->num; i <= (m->hca ? m->first->num : node->num_ports); i++) {
		const struct ibc_port *p = &node->ports[i];
		unsigned int sl = 0, vl;
		uint16_t lanes[SLS];

		if (p->vl_active != m->first->vl_active ||
		    (!m->hca && p->peer && has_ca(p->peer->node) != m->to_leaf) ||
		    (!m->hca && p->peer && p->peer->node->type != IBC_NODE_SWITCH) ||
		    !lanes_beyond(p, lanes))
			continue;
		while (sl < SLS && !(lanes[sl] & ~(1u << norm->vl[sl])))
			sl++;
		if (sl == SLS)
			continue;
		vl = (unsigned int)__builtin_ctz(lanes[sl] & ~(1u << norm->vl[sl]));
		sink_port(out, p,
		          "gives packets of service level (SL) %u the virtual lane VL %u, where "
		          "%zu of %zu %s like it give VL %u",
		          sl, vl, alike, all, m->hca ? "HCA ports" : "switches", norm->vl[sl]);
		sink_advise(out, "Trigger a heavy sweep (SIGHUP to opensm), which writes the "
		                 "tables again. If it stays, look in its log for errors of this "
		                 "device, and restart opensm or the device.");
		sink_fact(out, "sl", ibc_u64(sl));
		sink_fact(out, "vl", ibc_u64(vl));
		sink_fact(out, "usual_vl", ibc_u64(norm->vl[sl]));
		sink_fact(out, "ports", ibc_u64(m->ports));
		sink_fact(out, "alike", ibc_u64(all));
		sink_fact(out, "alike_with_usual", ibc_u64(alike));
		return;
	}
}

/* Those that should be alike, by table. */
static void evaluate_mappings(struct ibc_sink *out, const struct mapping *m, size_t n,
                              const bool *lost)
{
	const struct mapping *norm = m;
	size_t most = 0;

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && same_table(&m[i], &m[end]);)
			end++;
		norm = end - i > most ? &m[i] : norm;
		most = end - i > most ? end - i : most;
	}
	if (most < NORM_MIN || 100 * most < NORM_PERCENT * n)
		return;
	for (size_t i = 0; i < n; i++)
		if (!same_table(&m[i], norm) && !lost[node_order(m[i].first->node)])
			report_mapping(out, &m[i], norm, most, n);
}

/*
 * Packets take the lane that the SL2VL table of each port has for their service level.  A port
 * with another table than its like lets them wait behind what they were kept apart from, or loses
 * them.  torus-2QoS and their like vary the tables by port: then there is no norm.
 */
static void check_sl2vl(const struct ibc_input *in, struct ibc_sink *out)
{
	struct mapping *m = sink_array(out, ibc_fabric_count(in->fabric).ports, sizeof(*m));
	const bool *lost = report_lost_lanes(in, out);
	size_t n = collect_mappings(in, out, m), unread;
	const struct ibc_node *first;

	if (n)
		qsort(m, n, sizeof(*m), by_likeness_then_table);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && !by_likeness(&m[i], &m[end]);)
			end++;
		evaluate_mappings(out, &m[i], end - i, lost);
	}
	unread = nodes_unanswered(in->fabric, IBC_ATTR_HCA_SL2VL, &first);
	if (!unread)
		return;
	sink_as(out, IBC_UNKNOWN);
	sink_node(out, first,
	          "does not report its SL2VL table%s: its virtual lanes are not checked",
	          unread > 1 ? sink_text(out, ", and neither do %zu more HCAs", unread - 1) : "");
	sink_advise(
	    out,
	    "Check the host. An M_Key can protect the HCA: give the key with --key-files or -y.");
	sink_fact(out, "hcas", ibc_u64(unread));
	sink_unanswered(out, unread);
}

/* ---- the table ------------------------------------------------------------------------------ */

const struct ibc_check ibc_checks_qos[] = {
	CHECK("qos.opvls", "cables with other virtual lanes (VLs) than similar cables", IBC_WARNING,
	      check_opvls, .absence = IBC_ABSENT_HERE, .needs = IBC_ATTRS(IBC_ATTR_PORT_INFO),
	      EXPLAINED_BY(BY_MANAGER),
	      .many = "cables|have other virtual lanes (VLs) than most of their kind"),
	CHECK("qos.sl2vl", "service levels (SLs) on wrong virtual lanes (VLs)", IBC_WARNING,
	      check_sl2vl, .absence = IBC_ABSENT_HERE,
	      .needs = IBC_ATTRS(IBC_ATTR_PORT_INFO, IBC_ATTR_SL2VL, IBC_ATTR_HCA_SL2VL,
	                         IBC_ATTR_LFT, IBC_ATTR_PATH_RECORD),
	      .vital = IBC_ATTRS(IBC_ATTR_SL2VL, IBC_ATTR_HCA_SL2VL),
	      EXPLAINED_BY(BY_MANAGER, BY("port.vl", AT), BY("qos.opvls", AT)),
	      .many = "devices|map service levels (SLs) to virtual lanes (VLs) wrongly"),
	{ 0 },
};
