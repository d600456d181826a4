/* SPDX-License-Identifier: BSD-2-Clause */
/* What the findings of group fattree have in common: names, losses, remedies, evidence. */
#include "check/fattree/fattree.h"

#include <string.h>

/* ---- names --------------------------------------------------------------------- */

const char *rank_word(const struct tree_report *g, const struct ibc_node *node)
{
	int rank = node ? ibc_fattree_rank(g->tree, node) : -1;

	return rank < 0 ? "switch" : rank_name((unsigned int)rank, g->tree->tiers);
}

/* The end at a jack; of one without a port the node. */
static struct ibc_end jack_end(const struct wiring_jack *jack)
{
	return jack->port ? end_at(jack->node, jack->port) : end_of_node(jack->node);
}

const char *jack_text(struct ibc_sink *out, const struct wiring_jack *jack)
{
	struct ibc_end end = jack_end(jack);

	return end.has_port ? end_text(out, &end) : jack->node->label;
}

struct ibc_subject gap_subject(const struct wiring_gap *gap)
{
	bool upper = !gap->lower.node || (!gap->lower.port && gap->upper.port);
	const struct wiring_jack *one = upper ? &gap->upper : &gap->lower;

	if (gap->lower.node && gap->upper.node && gap->lower.port && gap->upper.port)
		return cable_of(jack_end(&gap->lower), jack_end(&gap->upper));
	return (struct ibc_subject){
		.kind = one->port ? IBC_SUBJECT_PORT : IBC_SUBJECT_NODE,
		.near = jack_end(one),
	};
}

struct ibc_subject case_subject(const struct wiring_case *c)
{
	if (c->num_found)
		return found_cable(c->found[0]);
	if (c->num_gaps)
		return gap_subject(&c->gaps[0]);
	if (c->num_nodes)
		return node_subject(c->nodes[0]);
	return (struct ibc_subject){ .kind = IBC_SUBJECT_FABRIC };
}

bool jack_is_unread(const struct wiring_jack *s)
{
	const struct ibc_port *p;

	for (unsigned int num = 1; (p = ibc_node_port(s->node, num)); num++)
		if ((!s->port || s->port == num) &&
		    (ibc_port_unanswered(p, IBC_ATTR_PORT_INFO) || (port_is_linkup(p) && !p->peer)))
			return true;
	return false;
}

/* ---- where cables belong --------------------------------------------------------- */

/* The end of a cable of the case that is at this jack, or at least at its node. */
static const struct ibc_port *end_there(const struct wiring_case *c, const struct wiring_jack *s)
{
	const struct ibc_port *near = NULL;

	for (size_t i = 0; i < 2 * c->num_found; i++) {
		const struct ibc_port *p = i % 2 ? c->found[i / 2]->peer : c->found[i / 2];

		if (p->node != s->node)
			continue;
		if (p->num == s->port)
			return p;
		near = near ? near : p;
	}
	return near;
}

const char *belongs_text(const struct tree_report *g)
{
	struct clauses all = { .n = 0 };

	for (size_t i = 0; i < g->c->num_gaps; i++) {
		const struct wiring_gap *gap = &g->c->gaps[i];
		const struct ibc_port *low = gap->lower.node ? end_there(g->c, &gap->lower) : NULL;
		const struct ibc_port *high = gap->upper.node ? end_there(g->c, &gap->upper) : NULL;
		const struct wiring_jack *where = &gap->upper;

		/* the lower end stays, unless only the upper one is where it should be */
		if (high && (!low || (gap->lower.port && low->num != gap->lower.port))) {
			low = high;
			where = &gap->lower;
		}
		if (!low || !where->node)
			continue;
		if (all.n < SHOWN_MAX)
			all.shown[all.n] = sink_text(g->out, "%s %son %s", port_text(g->out, low),
			                             all.n ? "" : "belongs ",
			                             jack_text(g->out, where));
		all.n++;
	}
	return clauses_text(g->out, all.shown, all.n);
}

/* ---- losses ----------------------------------------------------------------------- */

/* Each lower switch that lacks cables, and how many; @uplinks_gone: in all cases together. */
static struct loss find_loss(const struct tree_report *g)
{
	const struct wiring_case *c = g->c;
	struct loss l = { .switches = sink_array(g->out, c->num_gaps, sizeof(*l.switches)) };
	/* of a switch that follows no rule another number may be meant */
	bool known = c->rule && !(c->gate.word && !strcmp(c->gate.word, "same-tier"));

	for (size_t i = 0; known && i < c->num_gaps; i++) {
		const struct ibc_node *node = c->gaps[i].lower.node;
		uint32_t gone, all, s;
		size_t k = 0;

		while (k < l.num_switches && l.switches[k].node != node)
			k++;
		if (!node || node->type != IBC_NODE_SWITCH)
			continue;
		s = switch_number(&g->tree->switches, node);
		gone = g->tree->uplinks_gone[s];
		all = class_of_lower(&g->tree->groups, s)->rule->uplinks;
		if (!gone) /* as many to each as it should have, by other cables */
			continue;
		if (k == l.num_switches)
			l.switches[l.num_switches++] = (struct loss_of_switch){
				.node = node,
				.uplinks_planned = all,
				.uplinks_gone = gone < all ? gone : all,
			};
		l.switches[k].uplinks_lost++;
	}
	return l;
}

const char *lost_paths(const struct tree_report *g)
{
	struct loss l = find_loss(g);

	return paths_text(g->out, &l);
}

/* ---- remedies ----------------------------------------------------------------------- */

const char *moves_text(const struct tree_report *g)
{
	size_t n = g->c->num_steps;
	const struct ibc_step **steps = sink_array(g->out, n, sizeof(*steps));

	for (size_t i = 0; i < n; i++)
		steps[i] = &g->tree->steps[g->c->first_step + i];
	return steps_list(g->out, g->config, steps, n);
}

/* ---- evidence ------------------------------------------------------------------------ */

static struct ibc_value share_value(double share)
{
	return share < 0 ? ibc_none() : ibc_real(share);
}

/* The rule, and the numbers that decided whether a switch is blamed. */
static void add_rule(const struct tree_report *g)
{
	const struct wiring_rule *rule = g->c->rule;
	const struct wiring_gate *gate = &g->c->gate;

	if (rule) {
		const char *above = rank_name(rule->lower_rank + 1, g->tree->tiers);
		const char *uplinks = amount_text(g->out, rule->uplinks, "uplink");

		sink_fact(
		    g->out, "rule",
		    ibc_str(rule->cables
		                ? sink_text(g->out, "%s, %u to each of %u %s switches", uplinks,
		                            rule->cables, rule->uplinks / rule->cables, above)
		                : sink_text(g->out, "%s to %zu %s switches", uplinks, rule->upper,
		                            above)));
		sink_fact(g->out, "support",
		          ibc_str(sink_text(g->out, "%zu of %zu %s switches", rule->conform,
		                            rule->evaluated,
		                            rank_name(rule->lower_rank, g->tree->tiers))));
	}
	if (!gate->word)
		return;
	sink_fact(g->out, "row_support", share_value(gate->row));
	sink_fact(g->out, "column_support", share_value(gate->column));
	sink_fact(g->out, "rule_support", share_value(gate->rule));
	sink_fact(g->out, "gate", ibc_str(gate->word));
}

void add_evidence(const struct tree_report *g)
{
	const struct wiring_case *c = g->c;
	size_t fault = c->num_steps ? g->tree->steps[c->first_step].fault : 0;
	struct loss l = find_loss(g);
	uint64_t lost, planned;
	struct texts expected = { .n = 0 }, found = { .n = 0 }, tied = { .n = 0 };

	for (size_t i = 0; i < c->num_found; i++) {
		struct ibc_subject cable = found_cable(c->found[i]);

		add_text(g->out, &found, subject_text(g->out, &cable));
		if (i && i < CABLES_MAX) /* the first is the subject */
			ibc_report_relate(g->out->report, IBC_ROLE_FOUND, &cable);
	}
	for (size_t i = 0; i < c->num_gaps; i++) {
		const struct wiring_gap *gap = &c->gaps[i];
		const char *low = gap->lower.node ? jack_text(g->out, &gap->lower) : NULL;
		const char *high = gap->upper.node ? jack_text(g->out, &gap->upper) : NULL;
		const struct wiring_jack *other;
		struct ibc_subject subject;

		/* the cable, as far as it is known */
		add_text(g->out, &expected,
		         low && high ? sink_text(g->out, "%s - %s", low, high) : low ?: high);
		if (i >= CABLES_MAX)
			continue;
		subject = gap_subject(gap);
		ibc_report_relate(g->out->report, IBC_ROLE_PLANNED, &subject);
		if (subject.kind == IBC_SUBJECT_CABLE || !gap->lower.node || !gap->upper.node)
			continue;
		other = gap->lower.port || !gap->upper.port ? &gap->upper : &gap->lower;
		subject.kind = other->port ? IBC_SUBJECT_PORT : IBC_SUBJECT_NODE;
		subject.near = jack_end(other);
		ibc_report_relate(g->out->report, IBC_ROLE_PLANNED, &subject);
	}
	for (size_t i = 0; i < c->num_tied; i++) {
		struct ibc_subject cable = found_cable(c->tied[i]);

		add_text(g->out, &tied, subject_text(g->out, &cable));
		if (i < CABLES_MAX)
			ibc_report_relate(g->out->report, IBC_ROLE_FOUND, &cable);
	}
	sink_fact(g->out, "expected", texts_value(g->out, &expected));
	sink_fact(g->out, "found", texts_value(g->out, &found));
	if (c->num_tied)
		sink_fact(g->out, "found_as_well", texts_value(g->out, &tied));
	add_rule(g);
	sink_fact(g->out, "case", fault ? ibc_u64(fault) : ibc_none());
	ibc_report_case(g->out->report, g->planned ? 0 : fault);
	sink_fact(g->out, "moves", ibc_u64(c->num_steps));
	sum_paths(&l, &lost, &planned);
	sink_fact(g->out, "paths_lost", ibc_u64(lost));
	sink_fact(g->out, "paths_intended", ibc_u64(planned));
	sink_fact(g->out, "lost_gbps", ibc_real(c->gbps_lost));
	for (size_t i = 0; i < l.num_switches && i < CABLES_MAX; i++)
		sink_relate_node(g->out, IBC_ROLE_VICTIM, l.switches[i].node);
}
