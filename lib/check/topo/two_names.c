/* SPDX-License-Identifier: BSD-2-Clause */
/* A device that some rows of a plan call by another name: a slip of the pen, mostly. */
#include <setjmp.h>
#include <string.h>

#include "analysis/match/twins.h"
#include "analysis/tree/switches.h"
#include "base/arena.h"
#include "base/nodename.h"
#include "check/topo/topo.h"
#include "fabric/fabric.h"

/* "leaf03 in lines 27 and 28 of the plan": where a name is to be corrected. */
static void advise_name(struct ibc_sink *out, const char *when, const struct ibc_node *named,
                        const char *name)
{
	const struct ibc_port *p;
	const char *shown[SHOWN_MAX], *lines = "";
	size_t n = 0;

	for (unsigned int num = 1; (p = ibc_node_port(named, num)); num++)
		if (p->peer && p->extra->cable && p->extra->cable->line && n++ < SHOWN_MAX)
			shown[n - 1] = sink_text(out, "%lu", p->extra->cable->line);
	if (n)
		lines = sink_text(out, " in line%s %s", n == 1 ? "" : "s",
		                  list_text(out, shown, n));
	sink_advise(out, "%srite %s for %s%s of the plan", when, name, named->label, lines);
}

/* ---- found to be one ------------------------------------------------------------------- */

void report_two_names(const struct topo_report *t)
{
	const struct match *m = comparison_match(t->cmp);
	const struct deviation *d = t->d;
	const struct ibc_node *named = d->planned_nodes[0], *found = d->found_nodes[0];
	uint32_t i = m->planned_of[node_order(found)];
	/* the rest of the plan may be wrong as well */
	const bool known = m->how[i] == MATCH_NAME || m->how[i] == MATCH_GUID;
	const struct ibc_node *other = ibc_fabric_node(m->planned, i);
	const char *shown[SHOWN_MAX];
	size_t cables = 0;

	if (d->num_found_nodes > 1) {
		for (size_t k = 0; k < SHOWN_MAX && k < d->num_found_nodes; k++)
			shown[k] = sink_text(t->out, "%s is %s as well", d->found_nodes[k]->label,
			                     d->planned_nodes[k]->label);
		sink_fabric(t->out, "the plan has two names for each of %s: %s",
		            amount_text(t->out, d->num_found_nodes, "node"),
		            clauses_text(t->out, shown, d->num_found_nodes));
		sink_advise(t->out, "Correct the names in the plan");
		add_nodes(t);
		return;
	}
	for (; i != MATCH_NONE; i = m->also[i])
		cables += cabled_ports(ibc_fabric_node(m->planned, i));
	sink_node(t->out, found, "is called %s by %zu of its %zu cables in the plan, %s by others",
	          named->label, cabled_ports(named), cables, other->label);
	advise_name(t->out, "W", named, known ? other->label : found->label);
	add_nodes(t);
}

/* ---- asked of a plan ---------------------------------------------------------------------- */

/* @other_of: by node: what it may be another name of, with the most cables; or NULL */
struct question {
	const struct ibc_node **other_of;
};

static void note_twins(void *ctx, const struct ibc_node *named, const struct ibc_node *other)
{
	const struct ibc_node **best = &((struct question *)ctx)->other_of[node_order(named)];
	size_t few = cabled_ports(named), many = cabled_ports(other);
	bool equal = names_compare(named->name, other->name) == NAMES_EQUAL;

	/* the lesser is the slip; names that are counted through are one letter apart as well */
	if (equal ? few > many || (few == many && node_order(named) < node_order(other))
	          : few * 2 > many)
		return;
	if (!*best || cabled_ports(*best) < many)
		*best = other;
}

static void report_questions(struct ibc_sink *out, const struct ibc_fabric *plan,
                             const struct question *q)
{
	const struct ibc_node *named, *other;

	for (size_t i = 0; (named = ibc_fabric_node(plan, i)); i++) {
		other = q->other_of[i];
		if (!other)
			continue;
		sink_node(out, named, "has %s, %s has %zu at other ports: one %s under two names?",
		          amount_text(out, cabled_ports(named), "cable"), other->label,
		          cabled_ports(other), other->type == IBC_NODE_CA ? "HCA" : "switch");
		advise_name(out, "If so, w", named, other->label);
		sink_relate_node(out, IBC_ROLE_PLANNED, other);
	}
}

void ask_two_names(const struct ibc_input *in, struct ibc_sink *out)
{
	struct arena *a = arena_new();
	struct question q;

	if (!a || setjmp(*arena_entry(a))) {
		arena_free(a);
		out->failed = true;
		return;
	}
	q.other_of = arena_array(a, ibc_fabric_count(in->fabric).nodes + 1, sizeof(*q.other_of));
	twins_find(a, in->fabric, NULL, note_twins, &q);
	report_questions(out, in->fabric, &q);
	arena_free(a);
}
