/* SPDX-License-Identifier: BSD-2-Clause */
/* What is told of the tree as a whole, and of what is not judged. */
#include <string.h>

#include "check/fattree.h"
#include "check/groups.h"
#include "check/limits.h"

#define AGGREGATE_MIN 4    /* switches of which the same is told: one finding */
#define EPSILON       1e-9 /* sums of rates are not exact */

/* ---- what it is ------------------------------------------------------------------------ */

/*
 * What is no fat-tree is not judged.  That is for information, unless the site says that it
 * must be one.
 */
void check_family(const struct ibc_input *in, struct ibc_sink *out)
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

/* A plan of another fabric knows nothing of this one. */
bool plan_speaks(const struct ibc_input *in, const struct ibc_sink *out)
{
	struct ibc_comparison_counts n;

	if (!in->comparison || !sink_explained_by(out, "topo.missing-cable"))
		return false;
	n = ibc_comparison_count(in->comparison);
	return n.cables_right * 2 >= n.cables;
}

/* ---- what is told, and held against nobody ----------------------------------------------- */

/* "missing to spine02, too many to spine01" */
static const char *uplinks_text(const struct tree_report *g)
{
	const struct wiring_case *c = g->c;
	const char *missing[SHOWN_MAX], *extra[SHOWN_MAX];

	for (size_t i = 0; i < c->num_gaps && i < SHOWN_MAX; i++)
		missing[i] = c->gaps[i].upper.node->label;
	for (size_t i = 0; i < c->num_found && i < SHOWN_MAX; i++)
		extra[i] = c->found[i]->peer->node->label;
	return sink_text(
	    g->out, "%s%s%s%s%s", c->num_gaps ? "missing to " : "",
	    list_text(g->out, missing, c->num_gaps), c->num_gaps && c->num_found ? ", " : "",
	    c->num_found ? "too many to " : "", list_text(g->out, extra, c->num_found));
}

/* What deviates, what the others have, and why that is no fault. */
static const char *why_irregular(const struct tree_report *g)
{
	const struct wiring_case *c = g->c;
	const struct wiring_rule *rule = c->rule;
	bool moved = c->num_gaps == c->num_found && rule && rule->cables;
	bool unpaired = c->gate.word && !strcmp(c->gate.word, "unpaired");

	if (c->why)
		return c->why;
	return sink_text(g->out, "has %s (%s); %zu of %zu %s switches have %u%s; %s",
	                 amount_text(g->out, rule->uplinks + c->num_found - c->num_gaps, "uplink"),
	                 uplinks_text(g), rule->conform, rule->evaluated,
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

/* How many tell the same, and whether this is the first of them. */
static size_t count_equal(const struct ibc_fattree *tree, size_t i, bool *first)
{
	size_t n = 0;

	*first = true;
	for (size_t k = 0; k < tree->num_cases; k++) {
		if (!is_equally_irregular(&tree->cases[i], &tree->cases[k]))
			continue;
		*first &= k >= i;
		n++;
	}
	return n;
}

static void report_irregular_switches(const struct tree_report *g, size_t n)
{
	const struct ibc_node **nodes = sink_array(g->out, n, sizeof(*nodes));
	const char *shown[SHOWN_MAX];
	size_t k = 0;

	for (size_t i = 0; nodes && i < g->tree->num_cases; i++) {
		if (!is_equally_irregular(g->c, &g->tree->cases[i]))
			continue;
		nodes[k] = g->tree->cases[i].nodes[0];
		if (k < SHOWN_MAX)
			shown[k] = nodes[k]->label;
		k++;
	}
	sink_fabric(g->out, "each of %zu switches %s: %s", n, g->c->why,
	            list_text(g->out, shown, k));
	for (size_t i = 0; i < k && i < CABLES_MAX; i++)
		sink_relate_node(g->out, IBC_ROLE_FOUND, nodes[i]);
}

static void report_irregular(const struct tree_report *g)
{
	const struct wiring_case *c = g->c;

	if (c->num_nodes)
		sink_node(g->out, c->nodes[0], "%s", why_irregular(g));
	else
		sink_fabric(g->out, "cannot infer the intended cabling from %s to %s switches: %s",
		            rank_name(c->rule->lower_rank, g->tree->tiers),
		            rank_name(c->rule->lower_rank + 1, g->tree->tiers), why_irregular(g));
	add_evidence(g);
}

void check_irregular(const struct ibc_input *in, struct ibc_sink *out)
{
	struct tree_report g = { .tree = in->fattree, .out = out, .planned = in->comparison };

	if (plan_speaks(in, out))
		return;
	for (size_t i = 0; i < g.tree->num_cases; i++) {
		bool first;
		size_t n;

		g.c = &g.tree->cases[i];
		if (g.c->kind != WIRING_IRREGULAR)
			continue;
		n = count_equal(g.tree, i, &first);
		if (n < AGGREGATE_MIN)
			report_irregular(&g);
		else if (first)
			report_irregular_switches(&g, n);
	}
}

/* ---- oversubscription ---------------------------------------------------------------------- */

static enum ibc_severity evaluate_tier(const struct ibc_input *in, const struct ibc_sink *out,
                                       const struct ibc_tier *tier)
{
	struct limits limits = limits_of_fabric(in->config, out->check);
	double ratio = tier->oversubscription * (1 - EPSILON);

	if (ratio > limits.critical)
		return IBC_CRITICAL;
	return ratio > limits.warning ? IBC_WARNING : IBC_OK;
}

/* More can come up from below than can go on upward. */
void check_oversubscribed(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_tier *tier;

	for (size_t i = 0; (tier = ibc_fattree_tier(in->fattree, i)); i++) {
		enum ibc_severity severity = evaluate_tier(in, out, tier);

		if (!severity)
			continue;
		sink_as(out, severity);
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
