/* SPDX-License-Identifier: BSD-2-Clause */
/* What is told of that which cannot be compared: nobody could see it, or the plan is wrong. */
#include "check/topo.h"
#include "fabric/fabric.h"

/* ---- unchecked -------------------------------------------------------------------- */

/* ", with 2 nodes behind it and 5 cables": what is not seen along with a node */
static const char *along_text(const struct topo_report *t)
{
	size_t behind = t->d->num_planned_nodes - 1, cables = t->d->num_planned;

	if (behind)
		return sink_text(t->out, ", with %s behind it and %s",
		                 amount_text(t->out, behind, "node"),
		                 amount_text(t->out, cables, "cable"));
	return cables > 1 ? sink_text(t->out, ", with its %zu cables", cables) : "";
}

static const char *source_text(const struct topo_report *t)
{
	return t->over_time ? "earlier sweep" : "plan";
}

/* A subnet that was not swept, or a sweep that was cut short: nobody is silent. */
static void report_unswept(const struct topo_report *t)
{
	const struct deviation *d = t->d;

	sink_fabric(t->out, "%s and %s of the %s are not checked: %s",
	            amount_text(t->out, d->num_planned_nodes, "node"),
	            amount_text(t->out, d->num_planned, "cable"), source_text(t), d->why);
	if (fabric_was_cut_short(comparison_match(t->cmp)->found))
		sink_advise(t->out, "Sweep again, with a longer --deadline");
	else
		sink_advise(t->out, "Sweep that subnet as well: --source may be repeated");
}

static const char silent_advice[] =
    "Find out why the devices there do not answer (port.silent), then sweep again";

/* What does not tell where its cables lead: a port, or the whole node. */
static void report_silent(const struct topo_report *t)
{
	const struct deviation *d = t->d;
	const struct ibc_port *first = d->found[0];
	struct ibc_subject port = { .kind = IBC_SUBJECT_PORT, .near = end_of_port(first) };
	struct ibc_subject node = { .kind = IBC_SUBJECT_NODE, .near = end_of_node(first->node) };

	sink_add(t->out, d->num_found > 1 ? &node : &port, "%s of the %s %s not checked: %s",
	         amount_text(t->out, d->num_planned, "cable"), source_text(t),
	         d->num_planned == 1 ? "is" : "are", d->why);
	sink_advise(t->out, "%s", silent_advice);
}

/* A planned node that may be what is silent. */
static void report_unseen(const struct topo_report *t)
{
	sink_node(t->out, t->d->planned_nodes[0], "is not checked%s: %s", along_text(t), t->d->why);
	sink_advise(t->out, "%s", silent_advice);
}

void report_unchecked(const struct topo_report *t)
{
	const struct deviation *d = t->d;

	if (!d->num_found || d->found[0]->node->subnet->cut_short)
		report_unswept(t);
	else if (d->num_planned_nodes)
		report_unseen(t);
	else
		report_silent(t);
	if (!sink_explained_by(t->out, "port.silent"))
		sink_unanswered(t->out, d->num_found);
	add_nodes(t);
	sink_fact(t->out, "nodes", ibc_u64(d->num_planned_nodes));
	sink_fact(t->out, "cables", ibc_u64(d->num_planned));
}

/* ---- the plan itself -------------------------------------------------------------- */

/* A name that fits several; or a port that the device does not have; else all of it. */
void report_plan(const struct topo_report *t)
{
	const struct deviation *d = t->d;

	if (d->num_planned_nodes) {
		sink_node(t->out, d->planned_nodes[0], "%s", d->why);
		sink_advise(t->out,
		            "Write the whole name, or the GUID, so that it matches one node");
	} else if (d->num_planned) {
		sink_node(t->out, node_in_place(t, d->planned[0]->node), "%s", d->why);
		sink_advise(t->out, "Correct the plan");
	} else {
		sink_fabric(t->out, "%s", d->why);
		sink_advise(t->out, "Give the plan of this fabric; \"ibcheck topo --write FILE\" "
		                    "makes one");
	}
	add_cables(t);
}
