/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of a fat-tree against what most of its like switches do. */
#include "check/fattree.h"

#include "check/groups.h"
#include "check/limits.h"

/* A check for each kind of case, in their order; the others look at the whole. */
static void (*const reports[])(const struct tree_report *g) = {
	[WIRING_SAME_RANK] = report_same_rank, [WIRING_MISSING] = report_missing_uplink,
	[WIRING_UNEVEN] = report_uneven,       [WIRING_SWAPPED] = report_exchanged,
	[WIRING_PORTS] = report_ports,         [WIRING_NO_SPINE] = report_no_spine,
	[WIRING_HOST_UP] = report_host_up,     [WIRING_SLOW] = report_slow_trunk,
	[WIRING_RAIL] = report_rail,           [WIRING_RAIL_PARTS] = report_rail_parts,
	[WIRING_RAIL_HOST] = report_rail_host, [WIRING_PLANE] = report_plane,
};

/* The checks stand in the order of the kinds, so one walk does for all of them. */
static void check_kind(const struct ibc_input *in, struct ibc_sink *out)
{
	enum wiring_kind kind = (enum wiring_kind)(out->check - ibc_checks_fattree);
	struct blamed slow = { .fab = in->fabric, .out = out };
	struct tree_report g = {
		.tree = in->fattree,
		.out = out,
		.slow = &slow,
		.config = in->config,
		.planned = in->comparison,
	};

	if (plan_speaks(in, out))
		return;
	for (size_t i = 0; i < g.tree->num_cases; i++) {
		g.c = &g.tree->cases[i];
		if (g.c->kind != kind)
			continue;
		if (!g.c->blamed)
			sink_as(out, IBC_INFO);
		reports[kind](&g);
	}
}

/* ---- the table ----------------------------------------------------------------- */

/* Who is there and what is cabled; states and rates are told where they are known. */
#define NEEDS IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC

/* clang-format off */
/* The check for a kind of case. */
#define KIND(id, title, severity, ...) \
	CHECK(id, title, severity, check_kind, .needs = IBC_ATTRS(NEEDS), .inputs = IBC_IN_TREE, \
	      EXPLAINED_BY(BY_ABSENCE(AT), BY_PLAN(AT)), __VA_ARGS__)
/* clang-format on */

const struct ibc_check ibc_checks_fattree[] = {
	[WIRING_SAME_RANK] = KIND("fattree.same-rank-link",
	                          "cables between two leaf switches, or two spine switches",
	                          IBC_CRITICAL, .many = "cables|join switches of one tier"),
	[WIRING_MISSING] = KIND("fattree.missing-uplink",
	                        "missing uplinks that similar switches have", IBC_CRITICAL,
	                        .many = "uplinks|are missing"),
	[WIRING_UNEVEN] = KIND("fattree.uneven-uplinks",
	                       "uplinks doubled to one switch and missing to another", IBC_CRITICAL,
	                       .many = "switches|have uplinks doubled to one switch and missing "
	                               "to another"),
	[WIRING_SWAPPED] = KIND("fattree.swapped", "cables that are exchanged", IBC_CRITICAL,
	                        .many = "groups of cables|are exchanged"),
	[WIRING_PORTS] = KIND("fattree.port-pattern",
	                      "cables to the right switches at other ports than usual", IBC_INFO,
	                      .many = "switches|have cables at other ports than similar ones"),
	[WIRING_NO_SPINE] = KIND("fattree.missing-spine", "a spine switch that seems to be missing",
	                         IBC_WARNING),
	[WIRING_HOST_UP] = KIND("fattree.host-on-spine",
	                        "hosts on a spine or core switch, where others have none", IBC_INFO,
	                        .many = "cables|lead from hosts to spine or core switches"),
	[WIRING_SLOW] = CHECK(
	    "fattree.slow-trunk", "cables slower than those beside them", IBC_WARNING, check_kind,
	    .needs = IBC_ATTRS(NEEDS, IBC_ATTR_LINK), .inputs = IBC_IN_TREE,
	    EXPLAINED_BY(BY_PLAN(AT), BY_DAMAGE, BY("port.width", AT), BY("port.speed", AT)),
	    .many = "cables|are slower than those beside them"),
	[WIRING_RAIL] = KIND("fattree.rail", "HCAs exchanged between rails", IBC_WARNING,
	                     .many = "HCAs|are exchanged between rails"),
	[WIRING_RAIL_PARTS] = KIND("fattree.rail-parts",
	                           "rails whose leaf switches are not connected", IBC_CRITICAL),
	[WIRING_RAIL_HOST] = KIND("fattree.rail-host", "hosts without an HCA on one of the rails",
	                          IBC_WARNING, .many = "hosts|lack an HCA on one of the rails"),
	[WIRING_PLANE] = CHECK("fattree.plane", "planes of XDR ports that differ", IBC_WARNING,
	                       check_kind, .needs = IBC_ATTRS(NEEDS, IBC_ATTR_EXT_NODE_INFO),
	                       .inputs = IBC_IN_TREE, EXPLAINED_BY(BY_ABSENCE(AT), BY_PLAN(AT)),
	                       .many = "places|differ between the planes of XDR ports"),
	CHECK("fattree.oversubscribed", "tiers with more bandwidth from below than upward",
	      IBC_WARNING, check_oversubscribed, .needs = IBC_ATTRS(NEEDS, IBC_ATTR_LINK),
	      .inputs = IBC_IN_TREE, .limits = { NEVER, NEVER, .unit = "(N to 1)", .whole = true }),
	CHECK("fattree.opensm-ftree", "topologies for which opensm -R ftree falls back to minhop",
	      IBC_WARNING, check_opensm, .needs = IBC_ATTRS(NEEDS), .inputs = IBC_IN_TREE,
	      EXPLAINED_BY(BY_ABSENCE(BESIDE), BY("topo.unexpected-node", BESIDE),
	                   BY("topo.replaced-node", BESIDE), BY("topo.renamed-node", BESIDE),
	                   BY("topo.exchanged-nodes", BESIDE), BY_WIRING(BESIDE),
	                   BY("fattree.port-pattern", BESIDE), BY("fattree.missing-spine", BESIDE),
	                   BY("fattree.host-on-spine", BESIDE), BY("fattree.plane", BESIDE))),
	CHECK("fattree.irregular", "switches whose cabling follows no rule", IBC_INFO,
	      check_irregular, .needs = IBC_ATTRS(NEEDS), .inputs = IBC_IN_TREE,
	      EXPLAINED_BY(BY_ABSENCE(BESIDE), BY_PLAN(BESIDE), BY("fattree.rail-parts", BESIDE))),
	CHECK("fattree.family", "what the topology is, if it is not a fat-tree", IBC_INFO,
	      check_family, .needs = IBC_ATTRS(NEEDS), .inputs = IBC_IN_TREE),
	{ 0 },
};
