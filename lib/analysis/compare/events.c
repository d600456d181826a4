/* SPDX-License-Identifier: BSD-2-Clause */
/* What happened between two sweeps of one fabric.  O(nodes + ports). */
#include <ibcheck/events.h>

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "fabric/fabric.h"

struct ibc_events {
	const struct ibc_fabric *before, *now;
	struct ibc_event *items;
	size_t n, room;
	bool failed;
};

static const struct ibc_word words[IBC_EVENT_KINDS] = {
	[IBC_EVENT_NODE_GONE] = { "node_gone", "node gone" },
	[IBC_EVENT_NODE_SILENT] = { "node_silent", "node silent" },
	[IBC_EVENT_NODE_NEW] = { "node_new", "new node" },
	[IBC_EVENT_STATE] = { "state", "state" },
	[IBC_EVENT_RATE] = { "rate", "rate" },
	[IBC_EVENT_MOVED] = { "moved", "moved" },
	[IBC_EVENT_FLAP] = { "flap", "flap" },
	[IBC_EVENT_ERRORS] = { "errors", "errors" },
};

const struct ibc_word *ibc_event_word(enum ibc_event_kind kind)
{
	return &words[kind];
}

static void add_event(struct ibc_events *e, const struct ibc_event *event)
{
	if (grow(&e->items, e->n, &e->room, sizeof(*e->items)))
		e->items[e->n++] = *event;
	else
		e->failed = true;
}

static const struct ibc_node *node_in(const struct ibc_fabric *fab, const struct ibc_node *node)
{
	const struct fabric_node *found = fabric_find(fab, node->subnet->index, node->guid);

	return found ? &found->node : NULL;
}

static const struct ibc_port *port_in(const struct ibc_fabric *fab, const struct ibc_port *port)
{
	const struct ibc_node *node = port ? node_in(fab, port->node) : NULL;

	return node ? ibc_node_port(node, port->num) : NULL;
}

static bool is_link_up(const struct ibc_port *port)
{
	return ibc_port_has_state(port) && port->phys_state == IBC_PHYS_LINKUP;
}

/* ---- nodes -------------------------------------------------------------------------- */

/* What its neighbours say, those that are in the other sweep, too. */
static struct ibc_event event_of_node(const struct ibc_events *e, const struct ibc_node *node,
                                      bool gone)
{
	struct ibc_event event = { .kind = gone ? IBC_EVENT_NODE_GONE : IBC_EVENT_NODE_NEW,
		                   .node = node };

	for (unsigned int i = 1; i <= node->num_ports; i++) {
		const struct ibc_port *far = node->ports[i].peer;
		const struct ibc_port *other = port_in(gone ? e->now : e->before, far);

		event.cables += far != NULL;
		if (!other)
			continue;
		if (!event.is) {
			event.was = gone ? far : other;
			event.is = gone ? other : far;
		}
		if (gone && is_link_up(other))
			event.kind = IBC_EVENT_NODE_SILENT;
	}
	return event;
}

/*
 * Those of one fabric that the other does not have.  What nothing leads to but nodes that came or
 * went with it is told with the first of these.
 */
static void list_nodes(struct ibc_events *e, bool gone)
{
	const struct ibc_fabric *of = gone ? e->before : e->now, *other = gone ? e->now : e->before;
	const struct ibc_node *node;
	struct ibc_event event = { 0 };
	size_t first = e->n, behind = 0;

	for (size_t i = 0; !fabric_was_cut_short(other) && (node = ibc_fabric_node(of, i)); i++) {
		if (node_in(other, node))
			continue;
		event = event_of_node(e, node, gone);
		if (event.is)
			add_event(e, &event);
		else
			behind++;
	}
	if (behind && e->n == first) {
		add_event(e, &event);
		behind--;
	}
	if (e->n > first)
		e->items[first].behind = behind;
}

/* ---- ports --------------------------------------------------------------------------- */

/* It looks for a peer: which of these it is in changes by itself. */
static bool is_looking(const struct ibc_port *p)
{
	return p->phys_state == IBC_PHYS_SLEEP || p->phys_state == IBC_PHYS_POLLING ||
	       p->phys_state == IBC_PHYS_TRAINING;
}

static bool has_new_state(const struct ibc_port *was, const struct ibc_port *is)
{
	if (!ibc_port_has_state(was) || !ibc_port_has_state(is) ||
	    (is_looking(was) && is_looking(is)))
		return false;
	return was->phys_state != is->phys_state ||
	       (was->state != is->state && is_link_up(was) && is_link_up(is));
}

/* 0 was not told. */
static bool differ(unsigned int was, unsigned int is)
{
	return was && is && was != is;
}

static bool has_new_rate(const struct ibc_port *was, const struct ibc_port *is)
{
	return ibc_port_is_up(was) && ibc_port_is_up(is) &&
	       (differ(was->width_active, is->width_active) ||
	        differ(was->speed_active, is->speed_active));
}

static bool has_moved(const struct ibc_port *was, const struct ibc_port *is)
{
	return was->peer && is->peer &&
	       (was->peer->node->guid != is->peer->node->guid || was->peer->num != is->peer->num);
}

/* The first of these that holds is what happened. */
static const struct {
	bool (*happened)(const struct ibc_port *was, const struct ibc_port *is);
	enum ibc_event_kind kind;
} of_ports[] = {
	{ has_new_state, IBC_EVENT_STATE },
	{ has_moved, IBC_EVENT_MOVED },
	{ has_new_rate, IBC_EVENT_RATE },
};

static bool speaks_for_cable(const struct ibc_port *port, const struct ibc_port *mate)
{
	bool is_switch = port->node->type == IBC_NODE_SWITCH;

	if (is_switch != (mate->node->type == IBC_NODE_SWITCH))
		return is_switch;
	return port->node->guid < mate->node->guid ||
	       (port->node->guid == mate->node->guid && port->num < mate->num);
}

/* Does the other end of the cable tell the same, or the node there that came or went? */
static bool is_told_there(const struct ibc_events *e, const struct ibc_port *was,
                          const struct ibc_port *is, size_t which)
{
	const struct ibc_port *mate = is->peer ? is->peer : was->peer, *mate_was, *mate_is;

	if (!mate)
		return false;
	mate_was = port_in(e->before, mate);
	mate_is = port_in(e->now, mate);
	if (!mate_was || !mate_is)
		return !fabric_was_cut_short(mate_was ? e->now : e->before);
	return of_ports[which].happened(mate_was, mate_is) && !speaks_for_cable(is, mate_is);
}

static bool add_change(struct ibc_events *e, const struct ibc_port *was, const struct ibc_port *is)
{
	for (size_t i = 0; i < ARRAY_SIZE(of_ports); i++) {
		if (!of_ports[i].happened(was, is))
			continue;
		if (!is_told_there(e, was, is, i))
			add_event(e, &(struct ibc_event){ .kind = of_ports[i].kind,
			                                  .node = is->node,
			                                  .was = was,
			                                  .is = is });
		return true;
	}
	return false;
}

/* Of what a link counts on its way up nobody is told. */
static void list_errors(struct ibc_events *e, const struct ibc_port *was, const struct ibc_port *is)
{
	struct ibc_event event = {
		.kind = IBC_EVENT_ERRORS, .node = is->node, .was = was, .is = is
	};
	struct ibc_delta delta;

	if (!is_link_up(was) || !is_link_up(is) || !ibc_delta_of(e->before, is, &delta))
		return;
	for (unsigned int i = 0; i < IBC_COUNTERS; i++)
		if (delta.known & ~delta.cleared & IBC_ERROR_COUNTERS & 1u << i)
			event.errors += delta.value[i];
	if (!event.errors)
		return;
	if (delta.known & ~delta.cleared & 1u << IBC_LINK_DOWNED && delta.value[IBC_LINK_DOWNED])
		event.kind = IBC_EVENT_FLAP;
	add_event(e, &event);
}

static bool may_have_counted(const struct ibc_port *was, const struct ibc_port *is)
{
	for (unsigned int i = 0; was->counters && is->counters && i < IBC_COUNTERS; i++)
		if (IBC_ERROR_COUNTERS & 1u << i &&
		    is->counters->value[i] > was->counters->value[i])
			return true;
	return false;
}

static void list_ports(struct ibc_events *e)
{
	const struct ibc_node *node, *then;

	for (size_t i = 0; (node = ibc_fabric_node(e->now, i)); i++) {
		then = node_in(e->before, node);
		for (unsigned int p = 1; then && p <= node->num_ports && p <= then->num_ports; p++)
			if (!add_change(e, &then->ports[p], &node->ports[p]) &&
			    may_have_counted(&then->ports[p], &node->ports[p]))
				list_errors(e, &then->ports[p], &node->ports[p]);
	}
}

/* ---- all of them --------------------------------------------------------------------- */

int ibc_events_find(const struct ibc_fabric *before, const struct ibc_fabric *now,
                    struct ibc_events **out, struct ibc_error *err)
{
	struct ibc_events *e = xalloc(sizeof(*e));

	*out = NULL;
	if (!e)
		return fail_nomem(err);
	e->before = before;
	e->now = now;
	list_nodes(e, true);
	list_nodes(e, false);
	list_ports(e);
	if (e->failed) {
		ibc_events_free(e);
		return fail_nomem(err);
	}
	*out = e;
	return 0;
}

void ibc_events_free(struct ibc_events *events)
{
	if (!events)
		return;
	free(events->items);
	free(events);
}

const struct ibc_event *ibc_events_at(const struct ibc_events *events, size_t i)
{
	return i < events->n ? &events->items[i] : NULL;
}
