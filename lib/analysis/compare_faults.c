/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Components of the repair graph become deviations with their steps.  Those that a switch
 * shifted by a constant leaves behind are one.
 */
#include "analysis/comparison.h"

static const enum ibc_action actions[] = {
	[REPAIR_MOVE] = IBC_ACTION_MOVE,
	[REPAIR_EXCHANGE] = IBC_ACTION_EXCHANGE,
	[REPAIR_CONNECT] = IBC_ACTION_CONNECT,
	[REPAIR_REMOVE] = IBC_ACTION_REMOVE,
};

static bool joins_same_nodes(const struct strand *a, const struct strand *z)
{
	uint32_t near = z->end[0].node, far = z->end[1].node;

	return (a->end[0].node == near && a->end[1].node == far) ||
	       (a->end[0].node == far && a->end[1].node == near);
}

/* k cables of one trunk, or plugs that only change their port. */
static bool keeps_nodes(const struct ibc_comparison *cmp, const struct repair_fault *f)
{
	if (f->num_absent != f->num_surplus)
		return false;
	for (uint32_t i = 0; f->cycle && i < f->num_absent; i++) {
		if (!joins_same_nodes(f->absent[0], f->absent[i]) ||
		    !joins_same_nodes(f->absent[0], f->surplus[i]))
			return false;
	}
	for (uint32_t i = 0; !f->cycle && i < f->num_steps; i++) {
		const struct repair_step *step = &cmp->repair.steps[f->first_step + i];

		if (step->from.node != step->to.node)
			return false;
	}
	return true;
}

static bool is_of_missing_node(const struct ibc_comparison *cmp, const struct strand *absent)
{
	return absent->end[0].node >= cmp->found.num_nodes ||
	       absent->end[1].node >= cmp->found.num_nodes;
}

static enum deviation_kind kind_of(const struct ibc_comparison *cmp, const struct repair_fault *f)
{
	if (!f->num_surplus)
		return is_of_missing_node(cmp, f->absent[0]) && f->num_absent == 1
		           ? DEVIATION_MISSING_NODE
		           : DEVIATION_MISSING_CABLE;
	if (!f->num_absent)
		return DEVIATION_UNEXPECTED_CABLE;
	if (keeps_nodes(cmp, f))
		return DEVIATION_WRONG_PORT;
	return f->cycle ? DEVIATION_SWAPPED : DEVIATION_MISWIRED;
}

/* ---- lists ---------------------------------------------------------------------------- */

static void list_cables(struct ibc_comparison *cmp, const struct repair_fault *f,
                        struct deviation *d)
{
	d->planned = comparison_array(cmp, f->num_absent, sizeof(*d->planned));
	d->found = comparison_array(cmp, f->num_surplus, sizeof(*d->found));
	if (cmp->failed)
		return;
	for (uint32_t i = 0; i < f->num_absent; i++)
		d->planned[d->num_planned++] = cmp->absent_of[f->absent[i]->id];
	for (uint32_t i = 0; i < f->num_surplus; i++)
		d->found[d->num_found++] = cmp->surplus_of[f->surplus[i]->id];
}

/* Those that the cables are to be taken from, or lack: no deviations of their own. */
static void list_nodes(struct ibc_comparison *cmp, const struct repair_fault *f,
                       struct deviation *d)
{
	d->planned_nodes = comparison_array(cmp, 2 * f->num_absent, sizeof(*d->planned_nodes));
	d->found_nodes = comparison_array(cmp, 2 * f->num_surplus, sizeof(*d->found_nodes));
	if (cmp->failed)
		return;
	for (uint32_t i = 0; i < 2 * f->num_absent; i++) {
		struct socket end = f->absent[i / 2]->end[i % 2];

		if (end.node >= cmp->found.num_nodes)
			d->planned_nodes[d->num_planned_nodes++] = comparison_place(cmp, end).node;
	}
	for (uint32_t i = 0; i < 2 * f->num_surplus; i++) {
		struct socket end = f->surplus[i / 2]->end[i % 2];

		if (end.node < cmp->found.num_nodes && comparison_is_in_the_way(cmp, end.node))
			d->found_nodes[d->num_found_nodes++] = comparison_place(cmp, end).node;
	}
}

static void add_steps(struct ibc_comparison *cmp, const struct repair_fault *f, struct deviation *d)
{
	for (uint32_t i = 0; i < f->num_steps; i++) {
		const struct repair_step *from = &cmp->repair.steps[f->first_step + i];
		struct ibc_step *step = comparison_add_step(cmp, d, actions[from->action]);

		if (!step)
			return;
		step->peer = comparison_place(cmp, from->peer);
		if (from->action != REPAIR_CONNECT)
			step->from = comparison_place(cmp, from->from);
		if (from->action != REPAIR_REMOVE)
			step->to = comparison_place(cmp, from->to);
		if (from->action == REPAIR_EXCHANGE)
			step->to_peer = comparison_place(cmp, from->to_peer);
		step->cable = from->becomes ? cmp->absent_of[from->becomes->id]->cable
		                            : cmp->surplus_of[from->strand->id]->cable;
	}
}

void compare_faults(struct ibc_comparison *cmp)
{
	for (size_t i = 0; i < cmp->repair.num_faults; i++) {
		const struct repair_fault *f = &cmp->repair.faults[i];
		struct deviation *d = comparison_add(cmp, kind_of(cmp, f));

		if (!d)
			return;
		list_cables(cmp, f, d);
		list_nodes(cmp, f, d);
		add_steps(cmp, f, d);
	}
}
