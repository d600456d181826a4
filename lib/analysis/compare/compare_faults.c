/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How to mend the cable segments: what is near, and what is high, as the plan has it.  Components
 * of the repair graph become deviations with their steps.  A switch whose
 * cables are all shifted by the same number of ports leaves several behind: they are one.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/comparison.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/nodename.h"
#include "fabric/fabric.h"

#define NONE      UINT32_MAX
#define SHIFT_MIN 3 /* cables: fewer are slips */

enum role {
	ROLE_ALONE,
	ROLE_FIRST, /* of a bundle */
	ROLE_JOINED,
};

/*
 * struct bundles - which components are one deviation
 * @role: by component: enum role
 * @next: by component: the next one of its bundle, or NONE
 */
struct bundles {
	struct ibc_comparison *cmp;
	uint8_t *role;
	uint32_t *next;
};

static const struct repair_step *step_of(const struct ibc_comparison *cmp,
                                         const struct repair_fault *f, uint32_t i)
{
	return &cmp->repair.steps[f->first_step + i];
}

/* ---- what moves easily ------------------------------------------------------------------ */

struct racked {
	const char *rack;
	uint32_t node;
};

static int by_rack(const void *va, const void *vz)
{
	const struct racked *a = va, *z = vz;

	return strcmp(a->rack, z->rack) ?: order_u64(a->node, z->node);
}

/* Racks are numbers from 1; the adapters of a host stand together, wherever that is. */
static struct repair_node *describe_nodes(struct ibc_comparison *cmp)
{
	struct repair_node *nodes = arena_array(cmp->arena, (size_t)jack_of_unread(cmp) + 1,
	                                        sizeof(*nodes));
	struct racked *list = arena_array(cmp->arena, cmp->planned.num_nodes + 1u, sizeof(*list));
	const struct ibc_fabric_host *host;
	const struct ibc_node *node;
	uint32_t rack = 0;
	size_t n = 0;

	for (uint32_t i = 0; (node = side_node(&cmp->planned, i)); i++) {
		nodes[jack_node(cmp, node)].height = cmp->depth[i];
		nodes[jack_node(cmp, node)].unseen = cmp->match.found_of[i] == MATCH_NONE;
		if (node->rack)
			list[n++] = (struct racked){ node->rack, jack_node(cmp, node) };
	}
	nodes[jack_of_unread(cmp)].unseen = true;
	qsort(list, n, sizeof(*list), by_rack);
	for (size_t i = 0; i < n; i++) {
		rack += i == 0 || strcmp(list[i - 1].rack, list[i].rack) != 0;
		nodes[list[i].node].rack = rack;
	}
	for (size_t i = 0; (host = ibc_fabric_host(cmp->found.fab, i)); i++) {
		rack++;
		for (size_t k = 0; k < host->num_nodes; k++)
			if (!nodes[node_order(host->nodes[k])].rack)
				nodes[node_order(host->nodes[k])].rack = rack;
	}
	return nodes;
}

/* ---- switches shifted by a constant ----------------------------------------------------- */

struct shift {
	uint32_t node, by, fault;
};

static uint32_t shift_between(uint32_t from, uint32_t to, uint32_t ports)
{
	return (from + ports - to) % ports;
}

/* Are all its plugs at one node, and as many ports too far?  The last comes round at 0. */
static bool find_shift(const struct ibc_comparison *cmp, const struct repair_fault *f,
                       struct shift *out)
{
	const struct repair_step *first, *last;
	uint32_t ports;

	if (!f->num_steps || f->num_absent != f->num_surplus)
		return false;
	first = step_of(cmp, f, 0);
	last = step_of(cmp, f, f->num_steps - 1);
	out->node = first->from.node;
	if (out->node >= cmp->found.num_nodes)
		return false;
	ports = side_node(&cmp->found, out->node)->num_ports;
	out->by = shift_between(first->from.port, first->to.port, ports);
	for (uint32_t i = 0; i < f->num_steps; i++) {
		const struct repair_step *step = step_of(cmp, f, i);

		if (step->from.node != out->node || step->to.node != out->node ||
		    shift_between(step->from.port, step->to.port, ports) != out->by)
			return false;
	}
	return !f->cycle || shift_between(first->to.port, last->from.port, ports) == out->by;
}

static int by_node_then_shift(const void *va, const void *vz)
{
	const struct shift *a = va, *z = vz;

	return order_u64(a->node, z->node) ?: order_u64(a->by, z->by)
	                                   ?: order_u64(a->fault, z->fault);
}

static void find_shifts(struct bundles *b)
{
	size_t num_faults = b->cmp->repair.num_faults, n = 0, equal;
	struct shift *shifts = arena_array(b->cmp->arena, num_faults, sizeof(*shifts));

	for (uint32_t i = 0; i < num_faults; i++) {
		if (!find_shift(b->cmp, &b->cmp->repair.faults[i], &shifts[n]))
			continue;
		shifts[n++].fault = i;
	}
	if (n)
		qsort(shifts, n, sizeof(*shifts), by_node_then_shift);
	for (size_t i = 0; i < n; i += equal) {
		const struct ibc_node *node = side_node(&b->cmp->found, shifts[i].node);
		size_t cables = 0;

		for (equal = 0; i + equal < n && shifts[i].node == shifts[i + equal].node &&
		                shifts[i].by == shifts[i + equal].by;
		     equal++)
			cables += b->cmp->repair.faults[shifts[i + equal].fault].num_absent;
		/* one deviation, if it is most of the switch */
		if (cables < SHIFT_MIN || cables * 2 <= cabled_ports(node))
			continue;
		for (size_t k = i + 1; k < i + equal; k++) {
			b->next[shifts[k - 1].fault] = shifts[k].fault;
			b->role[shifts[k].fault] = ROLE_JOINED;
		}
		b->role[shifts[i].fault] = ROLE_FIRST;
	}
}

/* ---- kinds ------------------------------------------------------------------------------- */

static bool joins_same_nodes(const struct segment *a, const struct segment *z)
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
	for (uint32_t i = 0; f->cycle && i < f->num_absent; i++)
		if (!joins_same_nodes(f->absent[0], f->absent[i]) ||
		    !joins_same_nodes(f->absent[0], f->surplus[i]))
			return false;
	for (uint32_t i = 0; !f->cycle && i < f->num_steps; i++)
		if (step_of(cmp, f, i)->from.node != step_of(cmp, f, i)->to.node)
			return false;
	return true;
}

/* Does this one lead to something that does not answer? */
static bool leads_nowhere(const struct ibc_comparison *cmp, const struct segment *surplus)
{
	return surplus->end[1].node == jack_of_unread(cmp);
}

static enum deviation_kind kind_of_fault(const struct ibc_comparison *cmp,
                                         const struct repair_fault *f)
{
	uint32_t surplus = 0;

	for (uint32_t i = 0; i < f->num_surplus; i++)
		surplus += !leads_nowhere(cmp, f->surplus[i]);
	if (!surplus && f->num_absent == 1 &&
	    (f->absent[0]->end[0].node >= cmp->found.num_nodes ||
	     f->absent[0]->end[1].node >= cmp->found.num_nodes))
		return DEVIATION_MISSING_NODE;
	if (!surplus)
		return DEVIATION_MISSING_CABLE;
	if (!f->num_absent)
		return DEVIATION_UNEXPECTED_CABLE;
	if (keeps_nodes(cmp, f))
		return DEVIATION_WRONG_PORT;
	return f->cycle ? DEVIATION_SWAPPED : DEVIATION_MISWIRED;
}

/* ---- lists ------------------------------------------------------------------------------- */

static bool is_node_listed(const struct ibc_node *const *nodes, size_t n,
                           const struct ibc_node *node)
{
	for (size_t i = 0; i < n; i++)
		if (nodes[i] == node)
			return true;
	return false;
}

/* Its cables, and nodes that they are to be taken from, or lack: no deviations of their own. */
static void list_fault(struct ibc_comparison *cmp, const struct repair_fault *f,
                       struct deviation *d)
{
	for (uint32_t i = 0; i < f->num_absent; i++)
		d->planned[d->num_planned++] = cmp->absent_of[f->absent[i]->id];
	for (uint32_t i = 0; i < f->num_surplus; i++)
		if (!leads_nowhere(cmp, f->surplus[i]))
			d->found[d->num_found++] = cmp->surplus_of[f->surplus[i]->id];
	for (uint32_t i = 0; i < 2 * f->num_absent; i++) {
		struct jack end = f->absent[i / 2]->end[i % 2];

		if (end.node >= cmp->found.num_nodes)
			d->planned_nodes[d->num_planned_nodes++] = comparison_place(cmp, end).node;
	}
	for (uint32_t i = 0; i < 2 * f->num_surplus; i++) {
		struct jack end = f->surplus[i / 2]->end[i % 2];
		const struct ibc_node *node = comparison_place(cmp, end).node;

		if (node && comparison_is_in_the_way(cmp, end.node) &&
		    !is_node_listed(d->found_nodes, d->num_found_nodes, node))
			d->found_nodes[d->num_found_nodes++] = node;
	}
}

static bool was_read(const struct ibc_comparison *cmp, struct jack jack)
{
	struct ibc_place at = comparison_place(cmp, jack);

	return jack.node < cmp->found.num_nodes && port_was_read(ibc_node_port(at.node, at.port));
}

/* What the plan has at a jack that was found, or NULL. */
static const struct ibc_port *planned_at(const struct ibc_comparison *cmp, struct jack jack)
{
	const struct ibc_port *p = NULL;

	if (jack.node < cmp->found.num_nodes)
		p = ibc_node_port(side_node(&cmp->found, jack.node), jack.port);
	return p ? comparison_planned_port(cmp, p) : NULL;
}

/* The planned node that is missing at the far end of this jack, or NULL. */
static const struct ibc_node *missing_behind(const struct ibc_comparison *cmp, struct jack jack)
{
	const struct ibc_port *p = planned_at(cmp, jack);

	return p && cmp->node_fate[node_order(p->peer->node)] == NODE_MISSING ? p->peer->node
	                                                                      : NULL;
}

/* A slip makes no switch of "host01 mlx5_0". */
static bool may_be_misspelt(const struct ibc_node *planned, const struct ibc_node *found)
{
	char name[NODENAME_MAX], host[NODENAME_MAX];

	return planned->named_only &&
	       (found->type == IBC_NODE_CA || !name_form(name, planned->name, NAME_SHORT) ||
	        !name_form(host, planned->name, NAME_HOST) || !strcmp(name, host));
}

/*
 * What is missing may be there under another name: nothing in its place is unplugged, and no plug
 * goes to it from the same port of a device for which the plan has nothing there.  From elsewhere
 * it may be all that a host lacks.
 */
static void wait_for(const struct ibc_comparison *cmp, const struct repair_fault *f,
                     struct deviation *d)
{
	for (uint32_t i = 0; i < f->num_steps && !d->waits_for; i++) {
		const struct repair_step *step = step_of(cmp, f, i);

		if (step->action == IBC_ACTION_REMOVE)
			d->waits_for = missing_behind(cmp, step->from)
			                   ?: missing_behind(cmp, step->peer);
		if (step->action == IBC_ACTION_MOVE && step->to.node >= cmp->found.num_nodes &&
		    step->from.port == step->to.port && !planned_at(cmp, step->from) &&
		    may_be_misspelt(comparison_place(cmp, step->to).node,
		                    comparison_place(cmp, step->from).node))
			d->waits_for = comparison_place(cmp, step->to).node;
	}
}

static void add_steps(struct ibc_comparison *cmp, const struct repair_fault *f, struct deviation *d)
{
	for (uint32_t i = 0; i < f->num_steps; i++) {
		const struct repair_step *from = step_of(cmp, f, i);
		struct ibc_step *step;

		/* a line that was lost may have the cable */
		if ((from->action == IBC_ACTION_REMOVE && fabric_lacks_lines(cmp->planned.fab)) ||
		    (from->action == IBC_ACTION_CONNECT && fabric_lacks_lines(cmp->found.fab) &&
		     !(was_read(cmp, from->peer) && was_read(cmp, from->to))))
			continue;
		step = comparison_add_step(cmp, d, from->action);
		step->peer = comparison_place(cmp, from->peer);
		if (from->action != IBC_ACTION_CONNECT)
			step->from = comparison_place(cmp, from->from);
		if (from->action != IBC_ACTION_REMOVE)
			step->to = comparison_place(cmp, from->to);
		if (from->action == IBC_ACTION_EXCHANGE)
			step->to_peer = comparison_place(cmp, from->to_peer);
		step->cable = from->becomes ? cmp->absent_of[from->becomes->id]->extra->cable
		                            : cmp->surplus_of[from->segment->id]->extra->cable;
	}
}

static void add_fault(const struct bundles *b, uint32_t fault)
{
	struct ibc_comparison *cmp = b->cmp;
	const struct repair_fault *f = &cmp->repair.faults[fault];
	struct deviation *d = comparison_add(cmp, kind_of_fault(cmp, f));
	size_t absent = 0, surplus = 0;
	char text[IBC_PLACE_TEXT];

	for (uint32_t i = fault; i != NONE; i = b->next[i]) {
		absent += cmp->repair.faults[i].num_absent;
		surplus += cmp->repair.faults[i].num_surplus;
	}
	d->planned = arena_array(cmp->arena, absent, sizeof(*d->planned));
	d->found = arena_array(cmp->arena, surplus, sizeof(*d->found));
	d->planned_nodes = arena_array(cmp->arena, 2 * absent, sizeof(*d->planned_nodes));
	d->found_nodes = arena_array(cmp->arena, 2 * surplus, sizeof(*d->found_nodes));
	for (uint32_t i = fault; i != NONE; i = b->next[i])
		list_fault(cmp, &cmp->repair.faults[i], d);
	if (b->role[fault] == ROLE_FIRST)
		d->kind = DEVIATION_WRONG_PORT;
	for (uint32_t i = 0; i < f->num_surplus; i++) {
		const struct ibc_port *blocked = cmp->surplus_of[f->surplus[i]->id];

		if (!leads_nowhere(cmp, f->surplus[i]))
			continue;
		/* where its far plug is is not known */
		ibc_place_text((struct ibc_place){ blocked->node, blocked->num }, text,
		               sizeof(text));
		d->why = arena_printf(cmp->arena, "the device at %s does not answer", text);
		return;
	}
	for (uint32_t i = fault; i != NONE; i = b->next[i])
		wait_for(cmp, &cmp->repair.faults[i], d);
	for (uint32_t i = fault; i != NONE && !d->waits_for; i = b->next[i])
		add_steps(cmp, &cmp->repair.faults[i], d);
}

void compare_faults(struct ibc_comparison *cmp)
{
	struct bundles b = { .cmp = cmp };
	size_t n;

	repair_find(cmp->arena, cmp->absent, cmp->num_absent, cmp->surplus, cmp->num_surplus,
	            describe_nodes(cmp), &cmp->repair);
	n = cmp->repair.num_faults;
	b.role = arena_array(cmp->arena, n, sizeof(*b.role));
	b.next = arena_array(cmp->arena, n, sizeof(*b.next));
	for (size_t i = 0; i < n; i++)
		b.next[i] = NONE;
	find_shifts(&b);
	for (uint32_t i = 0; i < n; i++)
		if (b.role[i] != ROLE_JOINED)
			add_fault(&b, i);
}
