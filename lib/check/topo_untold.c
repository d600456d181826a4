/* SPDX-License-Identifier: BSD-2-Clause */
/* What is told of that which cannot be compared: nobody could see it, or the plan is wrong. */
#include "check/topo.h"

/* ---- unchecked -------------------------------------------------------------------- */

static bool was_cut_short(const struct deviation *d)
{
	return d->num_found && d->found[0]->node->plane->cut_short;
}

/* ", with 2 nodes behind it and 5 cables": what is not seen along with a node */
static const char *along_text(const struct telling *t)
{
	size_t behind = t->d->num_planned_nodes - 1, cables = t->d->num_planned;

	if (behind)
		return sink_text(t->out, ", with %s behind it and %s",
		                 amount_text(t->out, behind, "node"),
		                 amount_text(t->out, cables, "cable"));
	return cables > 1 ? sink_text(t->out, ", with its %zu cables", cables) : "";
}

/* What does not tell where its cables lead: a port, or the whole node. */
static void start_of_ports(const struct telling *t, const char *what)
{
	const struct ibc_port *first = t->d->found[0];

	if (t->d->num_found == 1)
		sink_port(t->out, first, "%s: %s", what, t->d->why);
	else
		sink_node(t->out, first->node, "%s: %s", what, t->d->why);
}

/* By the planned node that nobody sees, unless it is more than one, or cables alone. */
void tell_unchecked(const struct telling *t)
{
	const struct deviation *d = t->d;
	const char *cables = amount_text(t->out, d->num_planned, "cable");
	const char *plan = t->over_time ? "earlier sweep" : "plan";

	if (was_cut_short(d) || (!d->num_planned_nodes && !d->num_found))
		sink_fabric(t->out, "%s and %s of the %s are not checked: %s",
		            amount_text(t->out, d->num_planned_nodes, "node"), cables, plan,
		            d->why);
	else if (d->num_planned_nodes)
		sink_node(t->out, d->planned_nodes[0], "is not checked%s: %s", along_text(t),
		          d->why);
	else
		start_of_ports(t, sink_text(t->out, "%s of the %s %s not checked", cables, plan,
		                            d->num_planned == 1 ? "is" : "are"));
	sink_advise(t->out, "Find out why nothing answers there (port.silent), then sweep again");
	if (!sink_runs(t->out, "port.silent"))
		sink_unanswered(t->out, d->num_found);
	add_nodes(t);
	sink_fact(t->out, "nodes", ibc_u64(d->num_planned_nodes));
	sink_fact(t->out, "cables", ibc_u64(d->num_planned));
}

/* ---- the plan itself -------------------------------------------------------------- */

/* A port that the device does not have; or a name that fits several; else all of it. */
void tell_plan(const struct telling *t)
{
	const struct deviation *d = t->d;

	if (d->num_planned) {
		sink_node(t->out, node_in_place(t, d->planned[0]->node), "%s", d->why);
		sink_advise(t->out, "Correct the plan");
	} else if (d->num_planned_nodes) {
		sink_node(t->out, d->planned_nodes[0], "%s", d->why);
		sink_advise(t->out, "Write the whole name, or the GUID, so that it fits one node");
	} else {
		sink_fabric(t->out, "%s", d->why);
		sink_advise(t->out, "Give the plan of this fabric; \"ibcheck topo --write FILE\" "
		                    "makes one");
	}
	add_cables(t);
}
