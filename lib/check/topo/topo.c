/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the fabric against its plan: a kind of deviation each. */
#include "check/topo/topo.h"

#include <stdlib.h>

#include "check/groups.h"

static void (*const reports[])(const struct topo_report *t) = {
	[DEVIATION_MISSING_NODE] = report_missing_node,
	[DEVIATION_UNEXPECTED_NODE] = report_unexpected_node,
	[DEVIATION_REPLACED_NODE] = report_replaced_node,
	[DEVIATION_RENAMED_NODE] = report_renamed_node,
	[DEVIATION_TWO_NAMES] = report_two_names,
	[DEVIATION_EXCHANGED_NODES] = report_exchanged_nodes,
	[DEVIATION_MISSING_CABLE] = report_missing_cable,
	[DEVIATION_UNEXPECTED_CABLE] = report_unexpected_cable,
	[DEVIATION_MISWIRED] = report_miswired,
	[DEVIATION_SWAPPED] = report_swapped,
	[DEVIATION_WRONG_PORT] = report_wrong_port,
	[DEVIATION_SLOW] = report_slow,
	[DEVIATION_NARROW] = report_slow,
	[DEVIATION_UNCHECKED] = report_unchecked,
	[DEVIATION_PLAN] = report_plan,
};

static int by_fault(const void *a, const void *b)
{
	const struct ibc_step *x = *(const struct ibc_step *const *)a;
	const struct ibc_step *y = *(const struct ibc_step *const *)b;

	return order_u64(x->fault, y->fault) ?: order_u64(x->number, y->number);
}

/* The whole plan by fault: each finding has the steps that mend it. */
void topo_report_begin(struct topo_report *t)
{
	while (ibc_comparison_step(t->cmp, t->num_steps))
		t->num_steps++;
	t->steps = sink_array(t->out, t->num_steps, sizeof(*t->steps));
	for (size_t i = 0; i < t->num_steps; i++)
		t->steps[i] = ibc_comparison_step(t->cmp, i);
	qsort(t->steps, t->num_steps, sizeof(*t->steps), by_fault);
}

/* Were the ports read that its planned cables are missing at, at both ends? */
static bool is_proven(const struct topo_report *t)
{
	for (size_t i = 0; i < t->d->num_planned; i++)
		if (!port_was_read(comparison_found_port(t->cmp, t->d->planned[i])) ||
		    !port_was_read(comparison_found_port(t->cmp, t->d->planned[i]->peer)))
			return false;
	return t->d->num_planned;
}

/* The checks stand in the order of the kinds, so one walk does for all of them. */
static void check_kind(const struct ibc_input *in, struct ibc_sink *out)
{
	enum deviation_kind kind = (enum deviation_kind)(out->check - ibc_checks_topo);
	struct topo_report t = { .in = in, .cmp = in->comparison, .out = out };

	if (kind == DEVIATION_SLOW || kind == DEVIATION_NARROW)
		skip_unread_rates(&t);
	for (size_t i = 0; (t.d = comparison_deviation(t.cmp, i)); i++) {
		if (t.d->kind != kind)
			continue;
		if (!t.steps)
			topo_report_begin(&t);
		if (out->check->severity == IBC_CRITICAL && is_proven(&t))
			sink_proven(out);
		reports[kind](&t);
		add_case(&t);
	}
}

static void check_two_names(const struct ibc_input *in, struct ibc_sink *out)
{
	if (in->comparison)
		check_kind(in, out);
	else
		ask_two_names(in, out);
}

/* ---- the table ----------------------------------------------------------------- */

/* What is there and what is cabled; states and rates are reported where known. */
#define NEEDS IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC

/* clang-format off */
/* The check for a kind of deviation. */
#define KIND(id, title, severity, ...) \
	CHECK(id, title, severity, check_kind, .needs = IBC_ATTRS(NEEDS), \
	      .inputs = IBC_IN_COMPARISON, __VA_ARGS__)
/* clang-format on */

/* Devices under another name are known by their cables: a line that is lost may be on either side.
 */
const struct ibc_check ibc_checks_topo[] = {
	[DEVIATION_MISSING_NODE] = KIND("topo.missing-node", "planned devices that are missing",
	                                IBC_CRITICAL, .absence = IBC_ABSENT_HERE | IBC_ABSENT_THERE,
	                                EXPLAINED_BY(BY("port.isolated", NAMED), BY_GONE(SAME)),
	                                .many = "planned devices|are missing"),
	[DEVIATION_UNEXPECTED_NODE] = KIND(
	    "topo.unexpected-node", "devices that are not in the plan", IBC_WARNING,
	    .absence = IBC_ABSENT_HERE | IBC_ABSENT_THERE, .many = "devices|are not in the plan"),
	[DEVIATION_REPLACED_NODE] = KIND("topo.replaced-node",
	                                 "another device in the place of a planned one",
	                                 IBC_WARNING, .absence = IBC_ABSENT_HERE | IBC_ABSENT_THERE,
	                                 .many = "devices|are others than planned"),
	[DEVIATION_RENAMED_NODE] = KIND("topo.renamed-node", "planned devices under another name",
	                                IBC_WARNING, .absence = IBC_ABSENT_HERE | IBC_ABSENT_THERE,
	                                .many = "devices|have another name in the plan"),
	/* what is alike in a plan needs no fabric */
	[DEVIATION_TWO_NAMES] = CHECK("topo.two-names", "one device under two names in the plan",
	                              IBC_WARNING, check_two_names, .needs = IBC_ATTRS(NEEDS),
	                              .inputs = IBC_IN_PLAN,
	                              .absence = IBC_ABSENT_HERE | IBC_ABSENT_THERE,
	                              .many = "devices|have two names in the plan"),
	[DEVIATION_EXCHANGED_NODES] = KIND("topo.exchanged-nodes", "devices in each other's place",
	                                   IBC_CRITICAL,
	                                   .absence = IBC_ABSENT_HERE | IBC_ABSENT_THERE,
	                                   .many = "groups of devices|have changed places"),
	[DEVIATION_MISSING_CABLE] = KIND("topo.missing-cable", "planned cables that are missing",
	                                 IBC_CRITICAL, .absence = IBC_ABSENT_HERE,
	                                 EXPLAINED_BY(BY_ABSENCE(AT)),
	                                 .many = "planned cables|are missing"),
	[DEVIATION_UNEXPECTED_CABLE] = KIND(
	    "topo.unexpected-cable", "cables that are not in the plan", IBC_WARNING,
	    .absence = IBC_ABSENT_THERE, EXPLAINED_BY(BY_GONE(AT), BY("topo.unexpected-node", AT)),
	    .many = "cables|are not in the plan"),
	[DEVIATION_MISWIRED] = KIND("topo.miswired", "cables with an end at the wrong place",
	                            IBC_CRITICAL, EXPLAINED_BY(BY_GONE(AT)),
	                            .many = "cables|have an end at the wrong place"),
	[DEVIATION_SWAPPED] = KIND("topo.swapped", "cables in each other's place", IBC_CRITICAL,
	                           EXPLAINED_BY(BY_GONE(AT)),
	                           .many = "groups of cables|are exchanged"),
	[DEVIATION_WRONG_PORT] = KIND(
	    "topo.wrong-port", "cables between the right devices, at other ports", IBC_WARNING,
	    EXPLAINED_BY(BY_GONE(AT)), .many = "cables|are at other ports than planned"),
	[DEVIATION_SLOW] = CHECK(
	    "topo.slow", "cables slower than planned", IBC_WARNING, check_kind,
	    .needs = IBC_ATTRS(NEEDS, IBC_ATTR_MLNX_EXT_PORT_INFO), .inputs = IBC_IN_COMPARISON,
	    EXPLAINED_BY(BY_DAMAGE, BY("port.width", AT), BY("port.speed", AT)),
	    .many = "cables|are slower than planned"),
	[DEVIATION_NARROW] = KIND(
	    "topo.narrow", "cables narrower than planned", IBC_WARNING,
	    EXPLAINED_BY(BY_DAMAGE, BY("port.width", AT), BY("port.speed", AT)),
	    .many = "cables|are narrower than planned"),
	[DEVIATION_UNCHECKED] = KIND("topo.unchecked",
	                             "planned devices behind devices that did not answer",
	                             IBC_UNKNOWN, .absence = IBC_ABSENT_HERE,
	                             EXPLAINED_BY(BY("port.silent", AT), BY("port.silent", BEHIND)),
	                             .many = "planned devices or ports|are not checked"),
	[DEVIATION_PLAN] = KIND("topo.plan", "a plan that cannot be right", IBC_UNKNOWN),
	[DEVIATION_PLAN + 1] = { 0 },
};
