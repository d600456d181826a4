/* SPDX-License-Identifier: BSD-2-Clause */
/* What is told of that which cannot be compared: nobody could see it, or the plan is wrong. */
#include "check/topo.h"

/* ---- unchecked -------------------------------------------------------------------- */

/* "4 nodes and 9 cables of the plan", "a cable of the plan" */
static const char *things_text(const struct telling *t)
{
	const struct deviation *d = t->d;
	const char *nodes = amount_text(t, d->num_planned_nodes, "node");
	const char *cables = amount_text(t, d->num_planned, "cable");

	if (!d->num_planned_nodes)
		return sink_text(t->out, "%s of the plan", cables);
	if (!d->num_planned)
		return sink_text(t->out, "%s of the plan", nodes);
	return sink_text(t->out, "%s and %s of the plan", nodes, cables);
}

/* What does not answer: a port's peer, a node, or too much to name one. */
static struct ibc_subject silent_subject(const struct deviation *d)
{
	struct ibc_subject subject = { .kind = IBC_SUBJECT_FABRIC };

	if (!d->num_found)
		return subject;
	for (size_t i = 1; i < d->num_found; i++) {
		if (d->found[i]->node != d->found[0]->node)
			return subject;
	}
	subject.kind = d->num_found > 1 ? IBC_SUBJECT_NODE : IBC_SUBJECT_PORT;
	subject.near = d->num_found > 1 ? end_of_node(d->found[0]->node) : end_of_port(d->found[0]);
	return subject;
}

void tell_unchecked(const struct telling *t)
{
	const struct deviation *d = t->d;
	struct ibc_subject subject = silent_subject(d);
	size_t things = d->num_planned_nodes + d->num_planned;

	sink_add(t->out, &subject, "%s %s not checked: %s", things_text(t),
	         things == 1 ? "is" : "are", d->why);
	sink_advise(t->out, "Find out why nothing answers there (port.silent tells of each), then "
	                    "sweep again");
	if (!sink_runs(t->out, "port.silent"))
		sink_unanswered(t->out, d->num_found);
	add_ports(t, subject.kind == IBC_SUBJECT_PORT);
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
