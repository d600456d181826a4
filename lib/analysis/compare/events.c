/* SPDX-License-Identifier: BSD-2-Clause */
/* What happened between two sweeps of one fabric, and that in words.  O(nodes + ports). */
#include <ibcheck/events.h>

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"
#include "fabric/fabric.h"

struct ibc_events {
	struct arena *arena;
	const struct ibc_fabric *before, *now;
	struct ibc_event *items;
	size_t n, room;
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
	arena_grow(e->arena, &e->items, e->n, &e->room, sizeof(*e->items));
	e->items[e->n++] = *event;
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
 * went with it is counted at the first of these.
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

static bool has_new_state(const struct ibc_port *was, const struct ibc_port *is)
{
	if (!ibc_port_has_state(was) || !ibc_port_has_state(is) ||
	    (port_is_looking(was) && port_is_looking(is)))
		return false;
	return was->phys_state != is->phys_state ||
	       (was->state != is->state && is_link_up(was) && is_link_up(is));
}

/* 0 is not known. */
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
	return was->peer && is->peer && !port_keeps_peer(was, is);
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

/* Does the other end of the cable show the same, or the node there that came or went? */
static bool is_reported_there(const struct ibc_events *e, const struct ibc_port *was,
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
		if (!is_reported_there(e, was, is, i))
			add_event(e, &(struct ibc_event){ .kind = of_ports[i].kind,
			                                  .node = is->node,
			                                  .was = was,
			                                  .is = is });
		return true;
	}
	return false;
}

/* What a link counts on its way up is not reported. */
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
	struct arena *a = arena_new();
	struct ibc_events *e = a ? arena_alloc(a, sizeof(*e)) : NULL;

	*out = NULL;
	if (!e || setjmp(*arena_entry(a))) {
		arena_free(a);
		return fail_nomem(err);
	}
	e->arena = a;
	e->before = before;
	e->now = now;
	list_nodes(e, true);
	list_nodes(e, false);
	list_ports(e);
	arena_escape(a, NULL);
	*out = e;
	return 0;
}

void ibc_events_free(struct ibc_events *events)
{
	if (events)
		arena_free(events->arena);
}

const struct ibc_event *ibc_events_at(const struct ibc_events *events, size_t i)
{
	return i < events->n ? &events->items[i] : NULL;
}

/* ---- in words ------------------------------------------------------------------------ */

const char *ibc_link_state_text(const struct ibc_port *port)
{
	if (!ibc_port_has_state(port))
		return "?";
	if (port->phys_state != IBC_PHYS_LINKUP)
		return ibc_phys_state_word(port->phys_state)->name;
	return port->state == IBC_STATE_INIT    ? "LinkUp (Init)"
	       : port->state == IBC_STATE_ARMED ? "LinkUp (Armed)"
	       : port->state == IBC_STATE_DOWN  ? "LinkUp (Down)"
	                                        : "LinkUp";
}

/* struct words - a sentence that grows; what does not fit is cut */
struct words {
	char *text;
	size_t size;
};

static void sentence_add(struct words *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void sentence_add(struct words *w, const char *format, ...)
{
	size_t n = strlen(w->text);
	va_list ap;

	va_start(ap, format);
	vsnprintf(w->text + n, w->size - n, format, ap);
	va_end(ap);
}

static void say_place(struct words *w, const struct ibc_port *port)
{
	char place[IBC_PLACE_TEXT];

	sentence_add(
	    w, "%s",
	    ibc_place_text((struct ibc_place){ port->node, port->num }, place, sizeof(place)));
}

static void say_rate(struct words *w, const struct ibc_port *port)
{
	sentence_add(w, "%s %s", ibc_width_word(port->width_active)->name,
	             ibc_speed_word(port->speed_active)->name);
}

static void say_state(struct words *w, const struct ibc_event *e)
{
	bool was_up = e->was->phys_state == IBC_PHYS_LINKUP;
	bool is_up = e->is->phys_state == IBC_PHYS_LINKUP;

	say_place(w, e->is);
	if (was_up && is_up) {
		sentence_add(w, " %s -> %s", ibc_port_state_word(e->was->state)->name,
		             ibc_port_state_word(e->is->state)->name);
		return;
	}
	sentence_add(w, " %s -> %s", was_up ? "LinkUp" : ibc_link_state_text(e->was),
	             ibc_link_state_text(e->is));
	if (is_up && e->is->width_active) {
		sentence_add(w, ", ");
		say_rate(w, e->is);
	}
}

/* With its only cable what became of that, else how many there are. */
static void say_node(struct words *w, const struct ibc_event *e)
{
	static const char *const ends[] = {
		[IBC_EVENT_NODE_GONE] = " is gone",
		[IBC_EVENT_NODE_SILENT] = " does not answer any more",
		[IBC_EVENT_NODE_NEW] = " is there",
	};

	sentence_add(w, "%s%s", e->node->label, ends[e->kind]);
	if (e->cables > 1)
		sentence_add(w, ", with %zu cables", e->cables);
	if (e->behind)
		sentence_add(w, "%s %zu node%s behind it", e->cables > 1 ? " and" : ", with",
		             e->behind, e->behind > 1 ? "s" : "");
	if (!e->is || e->cables != 1)
		return;
	sentence_add(w, ": ");
	if (e->was->phys_state != e->is->phys_state) {
		say_state(w, e);
		return;
	}
	say_place(w, e->is);
	sentence_add(w, " is %s", ibc_link_state_text(e->is));
}

static void say_errors(struct words *w, const struct ibc_event *e)
{
	const struct ibc_counters *was = e->was->counters, *is = e->is->counters;
	const char *separator = e->kind == IBC_EVENT_FLAP ? " went down and came back: " : " ";

	say_place(w, e->is);
	for (unsigned int i = 0; i < IBC_COUNTERS; i++) {
		if (!(IBC_ERROR_COUNTERS & was->known & is->known & 1u << i) ||
		    is->value[i] <= was->value[i])
			continue;
		sentence_add(w, "%s%s %" PRIu64, separator, ibc_counter_word(i)->name,
		             is->value[i] - was->value[i]);
		separator = ", ";
	}
}

char *ibc_event_text(const struct ibc_event *event, char *text, size_t size)
{
	const struct ibc_port *was = event->was, *is = event->is;
	struct words w = { text, size };
	bool is_up;

	*text = '\0';
	switch (event->kind) {
	case IBC_EVENT_STATE:
		is_up = is->phys_state == IBC_PHYS_LINKUP;
		say_state(&w, event);
		if (!(is_up ? is : was)->peer || (is_up && was->phys_state == IBC_PHYS_LINKUP))
			break;
		sentence_add(&w, is_up ? ", to " : ", was to ");
		say_place(&w, (is_up ? is : was)->peer);
		break;
	case IBC_EVENT_RATE:
		say_place(&w, is);
		sentence_add(&w, " ");
		say_rate(&w, was);
		sentence_add(&w, " -> ");
		say_rate(&w, is);
		break;
	case IBC_EVENT_MOVED:
		say_place(&w, is);
		sentence_add(&w, " leads to ");
		say_place(&w, is->peer);
		sentence_add(&w, " now, not to ");
		say_place(&w, was->peer);
		break;
	case IBC_EVENT_FLAP:
	case IBC_EVENT_ERRORS:
		say_errors(&w, event);
		break;
	default:
		say_node(&w, event);
	}
	if (strlen(text) + 1 == size)
		utf8_drop_cut(text);
	return text;
}
