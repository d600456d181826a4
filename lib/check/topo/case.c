/* SPDX-License-Identifier: BSD-2-Clause */
/* What the findings of group topo have in common: names, losses, remedies, evidence. */
#include "check/topo/topo.h"

#define RELATED_MAX 64 /* the cables of a switch */

/* ---- names ------------------------------------------------------------------- */

const struct ibc_node *node_in_place(const struct topo_report *t, const struct ibc_node *planned)
{
	const struct ibc_node *found = ibc_comparison_counterpart(t->cmp, planned);

	return found ? found : planned;
}

struct ibc_end planned_end(const struct topo_report *t, const struct ibc_port *planned)
{
	return end_at(node_in_place(t, planned->node), planned->num);
}

struct ibc_subject planned_cable(const struct topo_report *t, const struct ibc_port *planned)
{
	return cable_of(planned_end(t, planned), planned_end(t, planned->peer));
}

/* ---- losses --------------------------------------------------------------------- */

const char *loss_text(const struct topo_report *t)
{
	const struct loss *l = &t->d->loss;
	const char *shown[SHOWN_MAX], *hosts = "";
	size_t cut = l->hosts_cut_off;

	for (size_t i = 0; i < l->num_hosts && i < SHOWN_MAX; i++)
		shown[i] = l->hosts[i]->host_name ? l->hosts[i]->host_name : l->hosts[i]->label;
	if (cut > SHOWN_MAX || l->num_hosts < cut)
		hosts = sink_text(t->out, "; %zu hosts are cut off", cut);
	else if (cut)
		hosts = sink_text(t->out, "; %s %s cut off", list_text(t->out, shown, cut),
		                  cut == 1 ? "is" : "are");
	return sink_text(t->out, "%s%s", hosts, paths_text(t->out, l));
}

/* ---- remedies -------------------------------------------------------------------- */

const struct ibc_step **steps_of(const struct topo_report *t, size_t *n)
{
	size_t low = 0, high = t->num_steps, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (t->steps[mid]->fault < t->d->fault)
			low = mid + 1;
		else
			high = mid;
	}
	*n = 0;
	while (low + *n < t->num_steps && t->steps[low + *n]->fault == t->d->fault)
		++*n;
	return t->steps + low;
}

const char *steps_text(const struct topo_report *t)
{
	size_t n;
	const struct ibc_step **steps = steps_of(t, &n);

	if (t->d->waits_for)
		return sink_text(t->out,
		                 "Leave it plugged in until %s, whose place this is, is found, or "
		                 "its name in the plan corrected",
		                 t->d->waits_for->label);
	return steps_list(t->out, t->in->config, steps, n);
}

/* ---- evidence -------------------------------------------------------------------- */

static void add_both(const struct topo_report *t, const struct texts *expected,
                     const struct texts *found)
{
	sink_fact(t->out, t->over_time ? "before" : "expected", texts_value(t->out, expected));
	sink_fact(t->out, t->over_time ? "after" : "found", texts_value(t->out, found));
}

void add_cables(const struct topo_report *t)
{
	const struct deviation *d = t->d;
	struct texts expected = { .n = 0 }, found = { .n = 0 };
	struct ibc_subject cable;

	for (size_t i = 0; i < d->num_found; i++) {
		cable = found_cable(d->found[i]);
		add_text(t->out, &found, subject_text(t->out, &cable));
	}
	for (size_t i = 0; i < d->num_planned; i++) {
		cable = planned_cable(t, d->planned[i]);
		add_text(t->out, &expected, subject_text(t->out, &cable));
	}
	add_both(t, &expected, &found);
}

void add_nodes(const struct topo_report *t)
{
	const struct deviation *d = t->d;
	struct texts expected = { .n = 0 }, found = { .n = 0 };

	for (size_t i = 0; i < d->num_planned_nodes; i++)
		add_text(t->out, &expected, d->planned_nodes[i]->label);
	for (size_t i = 0; i < d->num_found_nodes; i++)
		add_text(t->out, &found, d->found_nodes[i]->label);
	add_both(t, &expected, &found);
}

void add_case(const struct topo_report *t)
{
	size_t moves;
	const struct loss *l;
	uint64_t lost, planned;
	const struct deviation *d = t->d;
	const bool many = d->num_found_nodes > 1 &&
	                  (d->kind == DEVIATION_REPLACED_NODE || d->kind == DEVIATION_RENAMED_NODE);
	/* the first is the subject where nodes are at fault, unless they are many */
	const size_t node = d->kind == DEVIATION_UNCHECKED ||
	                    (d->kind <= DEVIATION_EXCHANGED_NODES && !many);
	/* so is the first cable where nothing but cables is wrong */
	const size_t cable = d->kind >= DEVIATION_MISSING_CABLE && d->kind <= DEVIATION_NARROW &&
	                     !(d->kind >= DEVIATION_SLOW && d->num_found > 1);
	struct ibc_subject subject;
	struct texts labels = { .n = 0 }, lengths = { .n = 0 }, racks = { .n = 0 };

	for (size_t i = node; i < d->num_found_nodes && i < RELATED_MAX; i++)
		sink_relate_node(t->out, IBC_ROLE_FOUND, d->found_nodes[i]);
	/* else these are in the place of those */
	for (size_t i = node; !d->num_found_nodes && i < d->num_planned_nodes && i < RELATED_MAX;
	     i++)
		sink_relate_node(t->out, IBC_ROLE_PLANNED, d->planned_nodes[i]);
	for (size_t i = cable; i < d->num_found && i < RELATED_MAX; i++) {
		subject = found_cable(d->found[i]);
		ibc_report_relate(t->out->report, IBC_ROLE_FOUND, &subject);
	}
	for (size_t i = cable && !d->num_found; i < d->num_planned && i < RELATED_MAX; i++) {
		subject = planned_cable(t, d->planned[i]);
		ibc_report_relate(t->out->report, IBC_ROLE_PLANNED, &subject);
	}
	steps_of(t, &moves);
	sink_fact(t->out, "case", moves ? ibc_u64(t->d->fault) : ibc_none());
	ibc_report_case(t->out->report, moves && !t->over_time ? t->d->fault : 0);
	sink_fact(t->out, "moves", ibc_u64(moves));
	l = &t->d->loss;
	sum_paths(l, &lost, &planned);
	sink_fact(t->out, "hosts_cut_off", ibc_u64(l->hosts_cut_off));
	sink_fact(t->out, "paths_lost", ibc_u64(lost));
	sink_fact(t->out, "paths_planned", ibc_u64(planned));
	sink_fact(t->out, "lost_gbps", ibc_real(l->gbps));
	for (size_t i = 0; i < l->num_hosts && i < RELATED_MAX; i++)
		sink_relate_node(t->out, IBC_ROLE_VICTIM, l->hosts[i]);
	for (size_t i = 0; i < l->num_switches && i < RELATED_MAX; i++)
		sink_relate_node(t->out, IBC_ROLE_VICTIM, l->switches[i].node);
	for (size_t i = 0; i < d->num_planned_nodes; i++)
		add_text(t->out, &racks, d->planned_nodes[i]->rack);
	for (size_t i = 0; i < d->num_planned; i++) {
		const struct ibc_port *p = d->planned[i];

		add_text(t->out, &labels, p->extra->cable ? p->extra->cable->label : NULL);
		add_text(t->out, &lengths, p->extra->cable ? p->extra->cable->length : NULL);
		add_text(t->out, &racks, p->node->rack);
		add_text(t->out, &racks, p->peer->node->rack);
	}
	sink_fact(t->out, "label", texts_value(t->out, &labels));
	sink_fact(t->out, "length", texts_value(t->out, &lengths));
	sink_fact(t->out, "rack", texts_value(t->out, &racks));
}
