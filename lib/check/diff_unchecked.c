/* SPDX-License-Identifier: BSD-2-Clause */
/* What only one of two sweeps could see: nobody can tell whether it has changed. */
#include "analysis/compare/changes.h"
#include "check/collect.h"
#include "check/diff.h"

/* "2 nodes and 3 cables" */
static const char *things_text(const struct topo_report *t, size_t nodes, size_t cables)
{
	if (!nodes)
		return amount_text(t->out, cables, "cable");
	if (!cables)
		return amount_text(t->out, nodes, "node");
	return sink_text(t->out, "%s and %s", amount_text(t->out, nodes, "node"),
	                 amount_text(t->out, cables, "cable"));
}

static void add_amounts(struct ibc_sink *out, size_t nodes, size_t cables)
{
	sink_fact(out, "nodes", ibc_u64(nodes));
	sink_fact(out, "cables", ibc_u64(cables));
}

/* ---- what cannot be compared --------------------------------------------------------- */

/* The device has fewer ports than before, or several have its name. */
static void report_outlier(const struct topo_report *t)
{
	const struct deviation *d = t->d;

	if (d->num_planned)
		sink_node(t->out, node_in_place(t, d->planned[0]->node),
		          "has no port %u, where a cable was: it is not compared",
		          d->planned[0]->num);
	else if (d->num_planned_nodes)
		sink_node(t->out, d->planned_nodes[0],
		          "is not compared: several nodes now have this name");
	else
		sink_fabric(t->out,
		            "the two sweeps have almost nothing in common and are not compared");
}

/* ---- what could not be seen before ------------------------------------------------------ */

struct unseen {
	const struct ibc_node *nodes[RELATED_MAX];
	size_t num_nodes, num_cables;
};

static void add_unseen(struct unseen *u, const struct deviation *d)
{
	for (size_t i = 0; i < d->num_found_nodes; i++) {
		if (u->num_nodes < RELATED_MAX)
			u->nodes[u->num_nodes] = d->found_nodes[i];
		u->num_nodes++;
	}
	u->num_cables += d->num_found;
}

static void report_unseen(const struct topo_report *t, const struct unseen *u)
{
	struct ibc_sink *out = t->out;

	if (!u->num_nodes && !u->num_cables)
		return;
	sink_fabric(out,
	            "%s may or may not be new: the devices that lead there did not answer in the "
	            "earlier sweep",
	            things_text(t, u->num_nodes, u->num_cables));
	sink_advise(out, "Take a new snapshot to compare with, now that all devices answer");
	add_amounts(out, u->num_nodes, u->num_cables);
	for (size_t i = 0; i < u->num_nodes && i < RELATED_MAX; i++)
		sink_relate_node(out, IBC_ROLE_FOUND, u->nodes[i]);
}

static void report_deviations(const struct ibc_comparison *cmp, struct ibc_sink *out)
{
	struct topo_report t = { .cmp = cmp, .out = out, .over_time = true };
	const bool *unseen = unseen_nodes(out->scratch, cmp);
	struct unseen before = { .num_nodes = 0 };

	if (!unseen) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; (t.d = comparison_deviation(cmp, i)); i++) {
		if (t.d->kind == DEVIATION_UNCHECKED) {
			report_unchecked(&t);
			add_case(&t);
		} else if (t.d->kind == DEVIATION_PLAN)
			report_outlier(&t);
		else if (is_unseen(cmp, unseen, t.d))
			add_unseen(&before, t.d);
	}
	report_unseen(&t, &before);
}

/* ---- what was not answered before ---------------------------------------------------------- */

static unsigned int count_unanswered(const struct ibc_node *node, struct query_bits queries)
{
	unsigned int open = (unsigned int)unanswered_by(node, queries).open;

	for (unsigned int num = 0; num <= node->num_ports; num++)
		open += has_silent_peer(&node->ports[num]);
	return open;
}

static void report_unanswered(struct ibc_sink *out, const struct ibc_comparison *cmp,
                              const struct ibc_node *was, unsigned int open)
{
	const struct ibc_node *is = ibc_comparison_counterpart(cmp, was);

	sink_node(
	    out, is ? is : was,
	    "did not answer %u quer%s of the earlier sweep: what was unknown then is not compared",
	    open, open == 1 ? "y" : "ies");
	sink_fact(out, "questions", ibc_u64(open));
}

/* What the later sweep was not told the check port.silent tells, and the sum of answers. */
static void report_all_unanswered(const struct ibc_comparison *cmp, struct ibc_sink *out)
{
	const struct ibc_fabric *before = comparison_match(cmp)->planned;
	struct ibc_attrs queries = ibc_attrs_of_group(IBC_ATTRS_ALWAYS);
	const struct ibc_node *node;
	size_t nodes = 0;

	if (ibc_attrs_has(out->run->needs, IBC_ATTR_GENERAL_INFO))
		ibc_attrs_add(&queries, IBC_ATTR_GENERAL_INFO);
	for (size_t i = 0; (node = ibc_fabric_node(before, i)); i++) {
		unsigned int open = count_unanswered(node, query_bits(queries));

		if (open && nodes++ < RELATED_MAX)
			report_unanswered(out, cmp, node, open);
	}
	if (nodes > RELATED_MAX)
		sink_fabric(out,
		            "%zu more nodes did not answer all queries of the earlier sweep: what "
		            "was unknown then is not compared",
		            nodes - RELATED_MAX);
}

static void report_cut_short(const struct ibc_comparison *cmp, struct ibc_sink *out)
{
	const struct ibc_fabric *before = comparison_match(cmp)->planned;
	const struct ibc_subnet *subnet;

	for (size_t i = 0; (subnet = ibc_fabric_subnet(before, i)); i++) {
		if (!subnet->cut_short)
			continue;
		sink_fabric(out,
		            "the earlier sweep (%s) was cut short by its deadline: what it did not "
		            "reach is not compared",
		            subnet->source);
		sink_advise(out, "Take a new snapshot to compare with, with a later deadline");
	}
}

void diff_unchecked(const struct ibc_input *in, struct ibc_sink *out)
{
	report_deviations(in->comparison, out);
	report_all_unanswered(in->comparison, out);
	report_cut_short(in->comparison, out);
}
