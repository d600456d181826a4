/* SPDX-License-Identifier: BSD-2-Clause */
/* What is told of nodes and cables that are not as they were. */
#include <inttypes.h>
#include <string.h>

#include "analysis/compare/changes.h"
#include "check/collect.h"
#include "check/diff.h"

/* ---- nodes ----------------------------------------------------------------------- */

static void report_one_replaced(const struct topo_report *t)
{
	const struct ibc_node *was = t->d->planned_nodes[0], *is = t->d->found_nodes[0];
	bool same_name = !strcmp(was->name, is->name);

	sink_node(t->out, is,
	          "is a different device than before%s%s: its GUID was 0x%016" PRIx64
	          ", is 0x%016" PRIx64,
	          same_name ? "" : ", in the place of ", same_name ? "" : was->label, was->guid,
	          is->guid);
	sink_fact(t->out, "guid_before", ibc_guid(was->guid));
	sink_fact(t->out, "guid_after", ibc_guid(is->guid));
}

static void report_replaced(const struct topo_report *t)
{
	size_t n = t->d->num_found_nodes;

	if (n > 1)
		sink_fabric(t->out, "%s were each replaced by a different device",
		            amount_text(t->out, n, "node"));
	else
		report_one_replaced(t);
	sink_advise(t->out, "Enter the new GUIDs wherever the old ones are used: node-name map, "
	                    "partitions, root nodes of the subnet manager");
	add_nodes(t);
}

/* "login01 was host01, login02 was host02 and 5 more" */
static const char *renamed_text(const struct topo_report *t)
{
	const struct deviation *d = t->d;
	const char *shown[SHOWN_MAX];

	for (size_t i = 0; i < SHOWN_MAX && i < d->num_found_nodes; i++)
		shown[i] = sink_text(t->out, "%s was %s", d->found_nodes[i]->label,
		                     d->planned_nodes[i]->label);
	return clauses_text(t->out, shown, d->num_found_nodes);
}

static void report_renamed(const struct topo_report *t)
{
	size_t n = t->d->num_found_nodes;

	if (n > 1)
		sink_fabric(t->out, "%s have other names than before: %s",
		            amount_text(t->out, n, "node"), renamed_text(t));
	else
		sink_node(t->out, t->d->found_nodes[0], "was called %s",
		          t->d->planned_nodes[0]->label);
	add_nodes(t);
}

static void report_changed_places(const struct topo_report *t)
{
	const struct deviation *d = t->d;
	const char *shown[SHOWN_MAX];

	for (size_t i = 0; i < d->num_found_nodes && i < SHOWN_MAX; i++)
		shown[i] = sink_text(t->out, "%s is where %s was", d->found_nodes[i]->label,
		                     d->planned_nodes[i]->label);
	sink_node(t->out, d->found_nodes[0], "have changed places: %s",
	          clauses_text(t->out, shown, d->num_found_nodes));
	add_nodes(t);
}

/* ---- cables ----------------------------------------------------------------------- */

/* The way back. */
static void advise_undo(const struct topo_report *t)
{
	const char *steps = steps_text(t);

	if (steps)
		sink_advise(t->out, "%s, to restore the earlier cabling", steps);
}

/* Was it free, ready for a cable? */
static bool was_down(const struct topo_report *t, const struct ibc_port *found)
{
	const struct ibc_node *was = ibc_comparison_counterpart(t->cmp, found->node);
	const struct ibc_port *p = was ? ibc_node_port(was, found->num) : NULL;

	return p && !p->peer && ibc_port_has(p, IBC_ATTR_PORT_INFO) &&
	       p->phys_state != IBC_PHYS_LINKUP && p->phys_state != IBC_PHYS_DISABLED;
}

static unsigned int cables_between(const struct ibc_node *a, const struct ibc_node *z)
{
	const struct ibc_port *p;
	unsigned int n = 0;

	for (unsigned int num = 1; (p = ibc_node_port(a, num)); num++)
		n += p->peer && p->peer->node == z;
	return n;
}

/* Had a switch as many cables as these two have now to another one of the far end's kind? */
static bool is_usual(const struct topo_report *t, const struct ibc_port *found)
{
	const struct ibc_node *was = ibc_comparison_counterpart(t->cmp, found->node);
	const struct ibc_node *far = ibc_comparison_counterpart(t->cmp, found->peer->node);
	unsigned int now = cables_between(found->node, found->peer->node);
	const struct ibc_port *p;

	for (unsigned int num = 1; (p = ibc_node_port(was, num)); num++)
		if (p->peer && p->peer->node != far && p->peer->node->type == IBC_NODE_SWITCH &&
		    has_ca(p->peer->node) == has_ca(far) &&
		    cables_between(was, p->peer->node) >= now)
			return true;
	return false;
}

/*
 * Plainly better than before: of two ports that were down a host has its link, or two switches
 * have what other pairs of a leaf and a spine had.  Any other new cable may be a wrong one.
 */
static bool is_restored(const struct topo_report *t, const struct ibc_port *found)
{
	const struct ibc_port *peer = found->peer;

	if (!was_down(t, found) || !was_down(t, peer))
		return false;
	return found->node->type == IBC_NODE_CA || peer->node->type == IBC_NODE_CA ||
	       (is_usual(t, found) && is_usual(t, peer));
}

static void report_new_cable(const struct topo_report *t)
{
	struct ibc_subject cable = found_cable(t->d->found[0]);

	if (is_restored(t, t->d->found[0])) {
		sink_as(t->out, IBC_INFO);
		sink_add(t->out, &cable, "improved: is up; both ports were down");
	} else {
		sink_add(t->out, &cable, "is new");
		advise_undo(t);
	}
	add_cables(t);
}

/* "leaf03/19 - spine01/3 and leaf07/20 - spine02/7": the cables that were */
static const char *were_text(const struct topo_report *t)
{
	const char *shown[SHOWN_MAX];

	for (size_t i = 0; i < t->d->num_planned && i < SHOWN_MAX; i++) {
		struct ibc_subject cable = planned_cable(t, cable_before(t->cmp, t->d, i));

		shown[i] = subject_text(t->out, &cable);
	}
	return list_text(t->out, shown, t->d->num_planned);
}

static void report_moved(const struct topo_report *t)
{
	struct ibc_subject cable = found_cable(t->d->found[0]);
	size_t was = t->d->num_planned, is = t->d->num_found;

	if (was == 1 && is == 1)
		sink_add(t->out, &cable, "was %s%s", were_text(t), loss_text(t));
	else if (was != is)
		sink_add(t->out, &cable, "%s cable%s in the place of %s: %s%s",
		         number_text(t->out, is), is == 1 ? "" : "s", number_text(t->out, was),
		         were_text(t), loss_text(t));
	else
		sink_add(t->out, &cable, "%s cables were %s: they were %s%s",
		         number_text(t->out, is),
		         t->d->kind != DEVIATION_SWAPPED ? "moved"
		         : is == 2                       ? "exchanged"
		                                         : "rotated",
		         were_text(t), loss_text(t));
	advise_undo(t);
	add_cables(t);
}

/* ---- which of them ------------------------------------------------------------------ */

typedef void report_fn(const struct topo_report *t);

static report_fn *const report_node[DEVIATION_PLAN + 1] = {
	[DEVIATION_MISSING_NODE] = report_missing_node,
	[DEVIATION_UNEXPECTED_NODE] = report_unexpected_node,
	[DEVIATION_REPLACED_NODE] = report_replaced,
	[DEVIATION_RENAMED_NODE] = report_renamed,
	[DEVIATION_EXCHANGED_NODES] = report_changed_places,
};

static report_fn *const report_cable[DEVIATION_PLAN + 1] = {
	[DEVIATION_MISSING_CABLE] = report_missing_cable,
	[DEVIATION_UNEXPECTED_CABLE] = report_new_cable,
	[DEVIATION_MISWIRED] = report_moved,
	[DEVIATION_SWAPPED] = report_moved,
	[DEVIATION_WRONG_PORT] = report_moved,
};

static void report_all(const struct ibc_input *in, struct ibc_sink *out, report_fn *const *reports)
{
	struct topo_report t = { .in = in, .cmp = in->comparison, .out = out, .over_time = true };
	const bool *unseen = unseen_nodes(out->scratch, t.cmp);

	if (!unseen || !topo_report_begin(&t)) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; (t.d = comparison_deviation(t.cmp, i)); i++) {
		if (!reports[t.d->kind] || is_unseen(t.cmp, unseen, t.d))
			continue;
		reports[t.d->kind](&t);
		add_case(&t);
	}
}

void diff_nodes(const struct ibc_input *in, struct ibc_sink *out)
{
	report_all(in, out, report_node);
}

void diff_cables(const struct ibc_input *in, struct ibc_sink *out)
{
	report_all(in, out, report_cable);
}
