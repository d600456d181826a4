/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of a sweep against an earlier one: a sort of change each. */
#include <ibcheck/changes.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/changes.h"
#include "base/array.h"
#include "base/str.h"
#include "check/collect.h"
#include "check/groups.h"
#include "check/topo/topo.h"

#define TEXT_MAX 256 /* of one change in a sentence; longer is cut */

#define FEW  RELATED_MAX /* done by one hand at one time, such as an update */
#define MANY 32          /* each may be a fault of its own */

/* ---- nodes ----------------------------------------------------------------------- */

/* Cables are compared with those of the device in its place: what became of it moved none. */
static void add_successors(const struct topo_report *t)
{
	sink_fact(t->out, "cables_compared", ibc_bool(true));
	add_nodes(t);
}

static void report_replaced(const struct topo_report *t)
{
	const struct ibc_node *was = t->d->planned_nodes[0], *is = t->d->found_nodes[0];
	bool same_name = !strcmp(was->name, is->name);
	size_t n = t->d->num_found_nodes;

	if (n > 1) {
		sink_fabric(t->out, "%s were each replaced by a different device",
		            amount_text(t->out, n, "node"));
	} else {
		sink_node(t->out, is,
		          "is a different device than before%s%s: its GUID was 0x%016" PRIx64
		          ", is 0x%016" PRIx64,
		          same_name ? "" : ", in the place of ", same_name ? "" : was->label,
		          was->guid, is->guid);
		sink_fact(t->out, "guid_before", ibc_guid(was->guid));
		sink_fact(t->out, "guid_after", ibc_guid(is->guid));
	}
	sink_advise(t->out, "Enter the new GUIDs wherever the old ones are used: node-name map, "
	                    "partitions, root nodes of the subnet manager");
	add_successors(t);
}

/* "login01 was host01, login02 was host02 and 5 more", "... is where ... was" */
static const char *were_named_text(const struct topo_report *t, const char *verb)
{
	const struct deviation *d = t->d;
	const char *shown[SHOWN_MAX];

	for (size_t i = 0; i < SHOWN_MAX && i < d->num_found_nodes; i++)
		shown[i] = sink_text(t->out, "%s %s %s%s", d->found_nodes[i]->label, verb,
		                     d->planned_nodes[i]->label,
		                     d->kind == DEVIATION_EXCHANGED_NODES ? " was" : "");
	return clauses_text(t->out, shown, d->num_found_nodes);
}

static void report_renamed(const struct topo_report *t)
{
	size_t n = t->d->num_found_nodes;

	if (n > 1)
		sink_fabric(t->out, "%s have other names than before: %s",
		            amount_text(t->out, n, "node"), were_named_text(t, "was"));
	else
		sink_node(t->out, t->d->found_nodes[0], "was called %s",
		          t->d->planned_nodes[0]->label);
	add_successors(t);
}

static void report_changed_places(const struct topo_report *t)
{
	sink_node(t->out, t->d->found_nodes[0], "have changed places: %s",
	          were_named_text(t, "is where"));
	add_successors(t);
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
static void report_new_cable(const struct topo_report *t)
{
	const struct ibc_port *found = t->d->found[0], *peer = found->peer;
	struct ibc_subject cable = found_cable(found);

	if (was_down(t, found) && was_down(t, peer) &&
	    (found->node->type == IBC_NODE_CA || peer->node->type == IBC_NODE_CA ||
	     (is_usual(t, found) && is_usual(t, peer)))) {
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
	[DEVIATION_TWO_NAMES] = report_renamed,
	[DEVIATION_EXCHANGED_NODES] = report_changed_places,
};

static report_fn *const report_cable[DEVIATION_PLAN + 1] = {
	[DEVIATION_MISSING_CABLE] = report_missing_cable,
	[DEVIATION_UNEXPECTED_CABLE] = report_new_cable,
	[DEVIATION_MISWIRED] = report_moved,
	[DEVIATION_SWAPPED] = report_moved,
	[DEVIATION_WRONG_PORT] = report_moved,
};

static void report_cases(const struct ibc_input *in, struct ibc_sink *out,
                         report_fn *const *reports)
{
	struct topo_report t = { .in = in, .cmp = in->comparison, .out = out, .over_time = true };
	const bool *unseen = unseen_nodes(out->scratch, t.cmp);

	topo_report_begin(&t);
	for (size_t i = 0; (t.d = comparison_deviation(t.cmp, i)); i++) {
		if (!reports[t.d->kind] || is_unseen(t.cmp, unseen, t.d))
			continue;
		reports[t.d->kind](&t);
		add_case(&t);
	}
}

/* ---- ports, cables and nodes that are where they were, but not as they were ------------ */

/*
 * struct change_trait - how one kind of change is reported
 * @name: in front of "was"; ""
 * @things: that it happens to
 * @equal: many are one finding only if all were the same and are the same
 * @most: more than so many are one finding
 */
struct change_trait {
	const char *name, *things;
	bool equal;
	size_t most;
};

static const struct change_trait *trait_of(enum ibc_change_kind kind)
{
	static const struct change_trait traits[IBC_CHANGE_COUNT] = {
		[IBC_CHANGE_STATE] = { "", "ports", true, MANY },
		[IBC_CHANGE_RATE] = { "", "cables", true, MANY },
		[IBC_CHANGE_LID] = { "LID ", "ports", false, FEW },
		[IBC_CHANGE_SM] = { "the subnet manager ", "subnets", true, FEW },
		[IBC_CHANGE_FIRMWARE] = { "firmware ", "nodes", true, FEW },
		[IBC_CHANGE_REVISION] = { "hardware revision ", "nodes", true, FEW },
		[IBC_CHANGE_DEVICE] = { "device id ", "nodes", true, FEW },
	};

	return &traits[kind];
}

/* A change with its words. */
struct reported {
	const struct ibc_change *change;
	const char *was, *is;
	size_t order;
};

/* Those that are one finding are side by side, the others stay in their order. */
static int by_text(const void *va, const void *vz)
{
	const struct reported *a = va, *z = vz;
	int order = 0;

	if (trait_of(a->change->kind)->equal)
		order = strcmp(a->was, z->was) ?: strcmp(a->is, z->is);
	return order ?: order_u64(a->order, z->order);
}

/* ---- one ------------------------------------------------------------------------- */

/* A faster link, or a port that is Active again, is no fault. */
static bool is_improved(const struct ibc_change *c)
{
	const struct ibc_port *was = c->port_was, *is = c->port_is;

	if (c->kind == IBC_CHANGE_RATE)
		return ibc_link_gbps(is->width_active, is->speed_active) >
		       ibc_link_gbps(was->width_active, was->speed_active);
	return c->kind == IBC_CHANGE_STATE && c->port_is->state == IBC_STATE_ACTIVE;
}

/* In front of "was", and the severity of the finding that is started next. */
static const char *start_text(struct ibc_sink *out, const struct ibc_change *c)
{
	if (!is_improved(c))
		return trait_of(c->kind)->name;
	sink_as(out, IBC_INFO);
	return "improved: ";
}

static void advise_change(struct ibc_sink *out, const struct ibc_change *c)
{
	if (c->kind == IBC_CHANGE_RATE && !is_improved(c))
		sink_advise(out, "Reseat the cable at both ends, then replace it");
	else if (c->kind == IBC_CHANGE_STATE && c->port_is->phys_state == IBC_PHYS_DISABLED)
		sink_advise(out, "Enable it (ibportstate), unless it was disabled on purpose");
	else if (c->kind == IBC_CHANGE_STATE && c->port_is->phys_state == IBC_PHYS_LINKUP &&
	         c->port_is->state != IBC_STATE_ACTIVE)
		sink_advise(out, "Look at the subnet manager and its log: it has not configured "
		                 "this port again");
	else if (c->kind == IBC_CHANGE_SM)
		sink_advise(out,
		            "If the move was not planned, look at the log of the former master");
}

/* @n changes as one finding: of one what it is about, of many the fabric and some of them. */
static void report_change(struct ibc_sink *out, const struct reported *t, size_t n)
{
	const struct ibc_change *c = t->change;
	const struct change_trait *trait = trait_of(c->kind);
	bool same = n == 1 || trait->equal;
	const char *name = same ? start_text(out, c) : trait->name;

	if (!same)
		sink_fabric(out, "%zu %s: %schanged", n, trait->things, name);
	else if (n > 1)
		sink_fabric(out, "%zu %s: %swas %s, is %s", n, trait->things, name, t->was, t->is);
	else if (c->kind == IBC_CHANGE_SM)
		sink_fabric(out, "%s%swas on %s, is on %s", subnet_intro(out, c->is->subnet), name,
		            t->was, t->is);
	else if (!c->port_is)
		sink_node(out, c->is, "%swas %s, is %s", name, t->was, t->is);
	else if (c->port_is->peer && c->kind != IBC_CHANGE_LID)
		sink_cable(out, c->port_is, "%swas %s, is %s", name, t->was, t->is);
	else
		sink_port(out, c->port_is, "%swas %s, is %s", name, t->was, t->is);
	advise_change(out, c);
	sink_fact(out, "change", ibc_enum(ibc_change_word(c->kind)));
	sink_fact(out, "before", same ? ibc_str(t->was) : ibc_none());
	sink_fact(out, "after", same ? ibc_str(t->is) : ibc_none());
	sink_fact(out, "changes", ibc_u64(n));
	for (size_t i = 0; n > 1 && i < n && i < RELATED_MAX; i++) {
		if (t[i].change->port_is)
			sink_relate(out, IBC_ROLE_FOUND, t[i].change->port_is);
		else
			sink_relate_node(out, IBC_ROLE_FOUND, t[i].change->is);
	}
}

/* One finding a change; many alike are one.  What one of the sweeps does not have is a note. */
static void report_changes(const struct ibc_input *in, struct ibc_sink *out,
                           enum ibc_change_kind kind)
{
	/* the run frees them where memory is out */
	struct ibc_changes **changes = &out->run->changes;
	struct ibc_changes_count count;
	const struct ibc_change *c;
	struct reported *all;
	char text[TEXT_MAX];
	size_t n = 0;

	if (ibc_changes_find(in->comparison, 1u << kind, changes, NULL)) {
		out->failed = true;
		return;
	}
	while (ibc_changes_at(*changes, n))
		n++;
	all = sink_array(out, n, sizeof(*all));
	for (size_t i = 0; (c = ibc_changes_at(*changes, i)); i++) {
		all[i] = (struct reported){ .change = c, .order = i };
		all[i].was = sink_text(out, "%s", ibc_change_text(c, true, text, sizeof(text)));
		all[i].is = sink_text(out, "%s", ibc_change_text(c, false, text, sizeof(text)));
	}
	qsort(all, n, sizeof(*all), by_text);
	for (size_t i = 0, equal; i < n; i += equal) {
		for (equal = 1; i + equal < n && (!trait_of(kind)->equal ||
		                                  (!strcmp(all[i].was, all[i + equal].was) &&
		                                   !strcmp(all[i].is, all[i + equal].is)));)
			equal++;
		if (equal > trait_of(kind)->most)
			report_change(out, &all[i], equal);
		for (size_t k = 0; equal <= trait_of(kind)->most && k < equal; k++)
			report_change(out, &all[i + k], 1);
	}
	count = ibc_changes_count(*changes, kind);
	if (count.unread && kind != IBC_CHANGE_REVISION && kind != IBC_CHANGE_DEVICE) {
		sink_as(out, IBC_INFO);
		sink_fabric(
		    out,
		    "the %s of %zu of %zu %s is not compared: one or both sweeps do not contain it",
		    ibc_change_word(kind)->name, count.unread, count.pairs, trait_of(kind)->things);
		sink_fact(out, "change", ibc_enum(ibc_change_word(kind)));
		sink_fact(out, "unread", ibc_u64(count.unread));
		sink_fact(out, "pairs", ibc_u64(count.pairs));
	}
	ibc_changes_free(*changes);
	*changes = NULL;
}

/* ---- what could not be seen before ------------------------------------------------------ */

static void report_deviations(const struct ibc_comparison *cmp, struct ibc_sink *out)
{
	struct topo_report t = { .cmp = cmp, .out = out, .over_time = true };
	const bool *unseen = unseen_nodes(out->scratch, cmp);
	const struct ibc_node *nodes[RELATED_MAX];
	size_t num_nodes = 0, num_cables = 0;

	for (size_t i = 0; (t.d = comparison_deviation(cmp, i)); i++) {
		if (t.d->kind == DEVIATION_UNCHECKED) {
			report_unchecked(&t);
			add_case(&t);
		} else if (t.d->kind == DEVIATION_PLAN) {
			const struct deviation *d = t.d;

			/* The device has fewer ports than before, or several have its name. */
			if (d->num_planned)
				sink_node(t.out, node_in_place(&t, d->planned[0]->node),
				          "has no port %u, where a cable was: it is not compared",
				          d->planned[0]->num);
			else if (d->num_planned_nodes)
				sink_node(t.out, d->planned_nodes[0],
				          "is not compared: several nodes now have this name");
			else
				sink_fabric(t.out, "the two sweeps have almost nothing in common "
				                   "and are not compared");
		} else if (is_unseen(cmp, unseen, t.d)) {
			for (size_t k = 0; k < t.d->num_found_nodes; k++, num_nodes++)
				if (num_nodes < RELATED_MAX)
					nodes[num_nodes] = t.d->found_nodes[k];
			num_cables += t.d->num_found;
		}
	}
	if (!num_nodes && !num_cables)
		return;
	sink_fabric(out,
	            "%s%s%s may or may not be new: the devices that lead there did not answer in "
	            "the earlier sweep",
	            num_nodes ? amount_text(out, num_nodes, "node") : "",
	            num_nodes && num_cables ? " and " : "",
	            num_cables ? amount_text(out, num_cables, "cable") : "");
	sink_advise(out, "Take a new snapshot to compare with, now that all devices answer");
	sink_fact(out, "nodes", ibc_u64(num_nodes));
	sink_fact(out, "cables", ibc_u64(num_cables));
	for (size_t i = 0; i < num_nodes && i < RELATED_MAX; i++)
		sink_relate_node(out, IBC_ROLE_FOUND, nodes[i]);
}

/* ---- what was not answered before ---------------------------------------------------------- */

/* What one of the two did not see is neither as it was nor changed. */
static void check_unchecked(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_fabric *before = comparison_match(in->comparison)->planned;
	struct ibc_attrs queries = ibc_attrs_of_group(IBC_ATTRS_ALWAYS);
	const struct ibc_subnet *subnet;
	const struct ibc_node *node;
	size_t nodes = 0;

	report_deviations(in->comparison, out);
	/* what the later sweep did not read is for the check port.silent, and the sum of answers */
	if (ibc_attrs_has(out->run->needs, IBC_ATTR_GENERAL_INFO))
		ibc_attrs_add(&queries, IBC_ATTR_GENERAL_INFO);
	for (size_t i = 0; (node = ibc_fabric_node(before, i)); i++) {
		uint64_t open = unanswered_by(node, query_bits(queries)).open;
		char amount[AMOUNT_TEXT];

		for (unsigned int num = 1; num <= node->num_ports; num++)
			open += has_silent_peer(&node->ports[num]);
		if (!open || nodes++ >= RELATED_MAX)
			continue;
		sink_node(out, ibc_comparison_counterpart(in->comparison, node) ?: node,
		          "did not answer %s of the earlier sweep: what was unknown then is not "
		          "compared",
		          str_amount(amount, open, "query"));
		sink_fact(out, "questions", ibc_u64(open));
	}
	if (nodes > RELATED_MAX)
		sink_fabric(out,
		            "%zu more nodes did not answer all queries of the earlier sweep: what "
		            "was unknown then is not compared",
		            nodes - RELATED_MAX);
	for (size_t i = 0; (subnet = ibc_fabric_subnet(before, i)); i++) {
		if (!ibc_subnet_ended_early(subnet))
			continue;
		sink_fabric(out,
		            "the earlier sweep (%s) was cut short by its deadline: what it did not "
		            "reach is not compared",
		            subnet->source);
		sink_advise(out, "Take a new snapshot to compare with, with a later deadline");
	}
}

/* ---- the checks ------------------------------------------------------------------------ */

/* Nodes that came, went or were exchanged are what explains most other changes. */
static void check_nodes(const struct ibc_input *in, struct ibc_sink *out)
{
	report_cases(in, out, report_node);
}

/* A cable that was not moved on purpose is one that fails, or the wrong one. */
static void check_links(const struct ibc_input *in, struct ibc_sink *out)
{
	report_cases(in, out, report_cable);
	report_changes(in, out, IBC_CHANGE_STATE);
}

/* A link that trained lower than it did has lost a lane, or its margin. */
static void check_speed(const struct ibc_input *in, struct ibc_sink *out)
{
	report_changes(in, out, IBC_CHANGE_RATE);
}

/* Routes, and what people wrote down, go by LIDs. */
static void check_lid(const struct ibc_input *in, struct ibc_sink *out)
{
	report_changes(in, out, IBC_CHANGE_LID);
	report_changes(in, out, IBC_CHANGE_SM);
}

/* What else behaves otherwise since then may do so for this. */
static void check_firmware(const struct ibc_input *in, struct ibc_sink *out)
{
	report_changes(in, out, IBC_CHANGE_FIRMWARE);
	report_changes(in, out, IBC_CHANGE_REVISION);
	report_changes(in, out, IBC_CHANGE_DEVICE);
}

/* ---- the table ----------------------------------------------------------------- */

/* What is there and what is cabled; states and rates are reported where known. */
#define NEEDS IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC

const struct ibc_check ibc_checks_diff[] = {
	CHECK("diff.nodes", "devices that are new, gone, replaced or renamed", IBC_WARNING,
	      check_nodes, .absence = IBC_ABSENT_HERE | IBC_ABSENT_THERE, .needs = IBC_ATTRS(NEEDS),
	      .inputs = IBC_IN_COMPARISON,
	      EXPLAINED_BY(BY("port.silent", AT), BY("port.silent", BEHIND), BY_GONE(SAME)),
	      .many = "devices|are new, gone, replaced or renamed"),
	CHECK("diff.links", "cables that are new, gone or moved; changed port states", IBC_WARNING,
	      check_links, .absence = IBC_ABSENT_HERE | IBC_ABSENT_THERE, .needs = IBC_ATTRS(NEEDS),
	      .inputs = IBC_IN_COMPARISON,
	      EXPLAINED_BY(BY("port.silent", AT), BY_GONE(AT), BY("diff.nodes", AT),
	                   BY("port.physical", AT), BY("port.state", AT)),
	      .many = "cables|are new, gone or moved, or changed their state"),
	CHECK("diff.speed", "cables that trained to another width or speed", IBC_WARNING,
	      check_speed, .needs = IBC_ATTRS(NEEDS, IBC_ATTR_MLNX_EXT_PORT_INFO),
	      .inputs = IBC_IN_COMPARISON,
	      EXPLAINED_BY(BY_DAMAGE, BY("port.width", AT), BY("port.speed", AT)),
	      .many = "cables|trained to another width or speed"),
	CHECK("diff.lid", "changed LIDs, and a subnet manager that moved", IBC_WARNING, check_lid,
	      .needs = IBC_ATTRS(NEEDS), .inputs = IBC_IN_COMPARISON),
	CHECK("diff.firmware", "changed firmware and hardware revisions", IBC_WARNING,
	      check_firmware, .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_GENERAL_INFO),
	      .vital = IBC_ATTRS(IBC_ATTR_GENERAL_INFO), .inputs = IBC_IN_COMPARISON,
	      .many = "devices|have another firmware or hardware revision than before"),
	CHECK("diff.unchecked", "what only one of the two sweeps could see", IBC_UNKNOWN,
	      check_unchecked, .needs = IBC_ATTRS(NEEDS), .inputs = IBC_IN_COMPARISON,
	      EXPLAINED_BY(BY("port.silent", AT), BY("port.silent", BEHIND))),
	{ 0 },
};
