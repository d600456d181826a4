/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of a fat-tree against what most of its like switches do. */
#include "check/fattree/fattree.h"

#include <string.h>

#include "check/groups.h"
#include "check/limits.h"

#define AGGREGATE_MIN 4    /* switches of which the same is true: one finding */
#define EPSILON       1e-9 /* sums of rates are not exact */

/* ---- what it is ------------------------------------------------------------------------ */

/*
 * What is no fat-tree is not judged.  That is for information, unless the site says that it
 * must be one.
 */
static void check_family(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_fattree *tree = in->fattree;
	const struct ibc_word *family = ibc_family_word(tree->family);

	if (tree->family == IBC_FAMILY_FAT_TREE)
		return;
	if (in->require_fattree) /* asked for in this run, so it wins over what is configured */
		out->configured = IBC_CRITICAL;
	sink_as(out, out->configured ? out->configured : IBC_INFO);
	sink_fabric(out, "is not a fat-tree: %s", tree->why);
	sink_advise(out, "Its cabling is not judged by symmetry; \"ibcheck topo\" compares any "
	                 "topology with a plan");
	sink_fact(out, "family", ibc_enum(family));
}

/*
 * Is there a plan, which knows better what was meant?  Then its own checks report.  A plan of
 * another fabric knows nothing of this one.
 */
static bool plan_speaks(const struct ibc_input *in, const struct ibc_sink *out)
{
	struct ibc_comparison_counts n;

	if (!in->comparison || !sink_explained_by(out, "topo.missing-cable"))
		return false;
	n = ibc_comparison_count(in->comparison);
	return n.cables_right * 2 >= n.cables;
}

/* ---- what is shown, and not blamed --------------------------------------------------------- */

/* What deviates, what the others have, and why that is no fault. */
static const char *why_irregular(const struct tree_report *g)
{
	const struct wiring_case *c = g->c;
	const struct wiring_rule *rule = c->rule;
	bool moved = c->num_gaps == c->num_found && rule && rule->cables;
	bool unpaired = c->gate.word && !strcmp(c->gate.word, "unpaired");
	const char *missing[SHOWN_MAX], *extra[SHOWN_MAX];

	if (c->why)
		return c->why;
	for (size_t i = 0; i < c->num_gaps && i < SHOWN_MAX; i++)
		missing[i] = c->gaps[i].upper.node->label;
	for (size_t i = 0; i < c->num_found && i < SHOWN_MAX; i++)
		extra[i] = c->found[i]->peer->node->label;
	return sink_text(g->out, "has %s (%s%s%s%s%s); %zu of %zu %s switches have %u%s; %s",
	                 amount_text(g->out, rule->uplinks + c->num_found - c->num_gaps, "uplink"),
	                 c->num_gaps ? "missing to " : "", list_text(g->out, missing, c->num_gaps),
	                 c->num_gaps && c->num_found ? ", " : "",
	                 c->num_found ? "too many to " : "", list_text(g->out, extra, c->num_found),
	                 rule->conform, rule->evaluated,
	                 rank_name(rule->lower_rank, g->tree->tiers),
	                 moved ? rule->cables : rule->uplinks, moved ? " to each" : "",
	                 unpaired ? "no missing cable corresponds to it"
	                          : "too few switches to call it a fault");
}

static bool is_equally_irregular(const struct wiring_case *a, const struct wiring_case *z)
{
	return z->kind == WIRING_IRREGULAR && a->num_nodes == 1 && z->num_nodes == 1 && a->why &&
	       z->why && !strcmp(a->why, z->why);
}

static void check_irregular(const struct ibc_input *in, struct ibc_sink *out)
{
	struct tree_report g = { .tree = in->fattree, .out = out, .planned = in->comparison };
	const struct ibc_node **nodes = sink_array(out, g.tree->num_cases, sizeof(*nodes));

	if (plan_speaks(in, out))
		return;
	for (size_t i = 0; i < g.tree->num_cases; i++) {
		const char *shown[SHOWN_MAX];
		size_t n = 0, first = i;

		g.c = &g.tree->cases[i];
		if (g.c->kind != WIRING_IRREGULAR)
			continue;
		for (size_t k = 0; k < g.tree->num_cases; k++) {
			if (!is_equally_irregular(g.c, &g.tree->cases[k]))
				continue;
			first = k < first ? k : first;
			nodes[n] = g.tree->cases[k].nodes[0];
			if (n < SHOWN_MAX)
				shown[n] = nodes[n]->label;
			n++;
		}
		if (n < AGGREGATE_MIN) {
			if (g.c->num_nodes)
				sink_node(out, g.c->nodes[0], "%s", why_irregular(&g));
			else
				sink_fabric(
				    out,
				    "cannot infer the intended cabling from %s to %s switches: %s",
				    rank_name(g.c->rule->lower_rank, g.tree->tiers),
				    rank_name(g.c->rule->lower_rank + 1, g.tree->tiers),
				    why_irregular(&g));
			add_evidence(&g);
		} else if (first == i) {
			sink_fabric(out, "each of %zu switches %s: %s", n, g.c->why,
			            list_text(out, shown, n));
			for (size_t k = 0; k < n && k < CABLES_MAX; k++)
				sink_relate_node(out, IBC_ROLE_FOUND, nodes[k]);
		}
	}
}

/* ---- oversubscription ---------------------------------------------------------------------- */

/* More can come up from below than can go on upward. */
static void check_oversubscribed(const struct ibc_input *in, struct ibc_sink *out)
{
	struct limits limits = limits_of_fabric(in->config, out->check);
	const struct ibc_tier *tier;

	for (size_t i = 0; (tier = ibc_fattree_tier(in->fattree, i)); i++) {
		double ratio = tier->oversubscription * (1 - EPSILON);

		if (ratio <= limits.critical && ratio <= limits.warning)
			continue;
		sink_as(out, ratio > limits.critical ? IBC_CRITICAL : IBC_WARNING);
		sink_fabric(out,
		            "the %s switches are oversubscribed %.3g to 1: %.5g Gb/s from below, "
		            "%.5g Gb/s upward",
		            tier->name, tier->oversubscription, tier->down_gbps, tier->up_gbps);
		sink_advise(out, "Repair what is missing first; otherwise the tier needs more "
		                 "uplinks, or fewer hosts");
		sink_fact(out, "rank", ibc_u64(tier->rank));
		sink_fact(out, "oversubscription", ibc_real(tier->oversubscription));
		sink_fact(out, "down_gbps", ibc_real(tier->down_gbps));
		sink_fact(out, "up_gbps", ibc_real(tier->up_gbps));
	}
}

/* ---- a check for each kind of case ---------------------------------------------------------- */

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
		report_tree_case(&g);
	}
}

/* ---- the table ----------------------------------------------------------------- */

/* What is there and what is cabled; states and rates are reported where they are known. */
#define NEEDS IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC

/* clang-format off */
/* The check for a kind of case. */
#define KIND(id, title, severity, ...) \
	CHECK(id, title, severity, check_kind, .needs = IBC_ATTRS(NEEDS), .inputs = IBC_IN_TREE, \
	      EXPLAINED_BY(BY_ABSENCE(AT), BY_PLAN(AT)), __VA_ARGS__)
/* clang-format on */

const struct ibc_check ibc_checks_fattree[] = {
	[WIRING_SAME_RANK] = KIND(
	    "fattree.same-rank-link", "cables between two leaf switches, or two spine switches",
	    IBC_CRITICAL, .absence = IBC_ABSENT_HERE, .many = "cables|join switches of one tier"),
	[WIRING_MISSING] = KIND("fattree.missing-uplink",
	                        "missing uplinks that similar switches have", IBC_CRITICAL,
	                        .absence = IBC_ABSENT_HERE, .kinds = "?{far}{ordinal}{cables}",
	                        .many = "uplinks|are missing"),
	[WIRING_UNEVEN] = KIND("fattree.uneven-uplinks",
	                       "uplinks doubled to one switch and missing to another", IBC_CRITICAL,
	                       .absence = IBC_ABSENT_HERE,
	                       .many = "switches|have uplinks doubled to one switch and missing "
	                               "to another"),
	[WIRING_SWAPPED] = KIND("fattree.swapped", "cables that are exchanged", IBC_CRITICAL,
	                        .many = "groups of cables|are exchanged"),
	[WIRING_PORTS] = KIND("fattree.port-pattern",
	                      "cables to the right switches at other ports than usual", IBC_INFO,
	                      .absence = IBC_ABSENT_HERE,
	                      .many = "switches|have cables at other ports than similar ones"),
	[WIRING_NO_SPINE] = KIND("fattree.missing-spine", "a spine switch that seems to be missing",
	                         IBC_WARNING, .absence = IBC_ABSENT_HERE, .kinds = "{below}{port}"),
	[WIRING_NO_LEAF] = KIND("fattree.missing-leaf", "a leaf switch that seems to be missing",
	                        IBC_INFO, .absence = IBC_ABSENT_HERE, .kinds = "{name}"),
	[WIRING_HOST_UP] = KIND("fattree.host-on-spine",
	                        "hosts on a spine or core switch, where others have none", IBC_INFO,
	                        .absence = IBC_ABSENT_HERE,
	                        .many = "cables|lead from hosts to spine or core switches"),
	[WIRING_SLOW] = CHECK(
	    "fattree.slow-trunk", "cables slower than those beside them", IBC_WARNING, check_kind,
	    .absence = IBC_ABSENT_HERE, .kinds = "?{cables}",
	    .needs = IBC_ATTRS(NEEDS, IBC_ATTR_LINK), .inputs = IBC_IN_TREE,
	    EXPLAINED_BY(BY_PLAN(AT), BY_DAMAGE, BY("port.width", AT), BY("port.speed", AT)),
	    .many = "cables|are slower than those beside them"),
	[WIRING_RAIL] = KIND("fattree.rail", "HCAs exchanged between rails", IBC_WARNING,
	                     .many = "HCAs|are exchanged between rails"),
	[WIRING_RAIL_PARTS] = KIND("fattree.rail-parts",
	                           "rails whose leaf switches are not connected", IBC_CRITICAL,
	                           .absence = IBC_ABSENT_HERE,
	                           .many = "leaf switches|are in parts of a rail that are not "
	                                   "connected"),
	[WIRING_RAIL_HOST] = KIND("fattree.rail-host", "hosts without an HCA on one of the rails",
	                          IBC_WARNING, .absence = IBC_ABSENT_HERE, .kinds = "?{hcas}",
	                          .many = "hosts|lack an HCA on one of the rails"),
	[WIRING_PLANE] = CHECK("fattree.plane", "planes of XDR ports that differ", IBC_WARNING,
	                       check_kind, .absence = IBC_ABSENT_HERE,
	                       .needs = IBC_ATTRS(NEEDS, IBC_ATTR_EXT_NODE_INFO),
	                       .inputs = IBC_IN_TREE, EXPLAINED_BY(BY_ABSENCE(AT), BY_PLAN(AT)),
	                       .many = "places|differ between the planes of XDR ports"),
	CHECK("fattree.oversubscribed", "tiers with more bandwidth from below than upward",
	      IBC_WARNING, check_oversubscribed, .absence = IBC_ABSENT_HERE,
	      .needs = IBC_ATTRS(NEEDS, IBC_ATTR_LINK), .inputs = IBC_IN_TREE,
	      .limits = { NEVER, NEVER, .unit = "(N to 1)", .whole = true }),
	CHECK("fattree.opensm-ftree", "topologies for which opensm -R ftree falls back to minhop",
	      IBC_WARNING, check_opensm, .absence = IBC_ABSENT_HERE, .needs = IBC_ATTRS(NEEDS),
	      .inputs = IBC_IN_TREE,
	      EXPLAINED_BY(BY_ABSENCE(BESIDE), BY("topo.unexpected-node", BESIDE),
	                   BY("topo.replaced-node", BESIDE), BY("topo.renamed-node", BESIDE),
	                   BY("topo.exchanged-nodes", BESIDE), BY_WIRING(BESIDE),
	                   BY("fattree.port-pattern", BESIDE), BY("fattree.missing-spine", BESIDE),
	                   BY("fattree.missing-leaf", BESIDE), BY("fattree.host-on-spine", BESIDE),
	                   BY("fattree.plane", BESIDE))),
	CHECK("fattree.irregular", "switches whose cabling follows no rule", IBC_INFO,
	      check_irregular, .absence = IBC_ABSENT_HERE, .needs = IBC_ATTRS(NEEDS),
	      .inputs = IBC_IN_TREE,
	      EXPLAINED_BY(BY_ABSENCE(BESIDE), BY_PLAN(BESIDE), BY("fattree.rail-parts", BESIDE))),
	CHECK("fattree.family", "what the topology is, if it is not a fat-tree", IBC_INFO,
	      check_family, .absence = IBC_ABSENT_HERE, .needs = IBC_ATTRS(NEEDS),
	      .inputs = IBC_IN_TREE),
	{ 0 },
};
