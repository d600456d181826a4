/* SPDX-License-Identifier: BSD-2-Clause */
/* Events in words. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <ibcheck/events.h>

#include "base/utf8.h"

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

static void say_port(struct words *w, const struct ibc_event *e)
{
	bool is_up = e->is->phys_state == IBC_PHYS_LINKUP;
	const struct ibc_port *peer = is_up ? e->is->peer : e->was->peer;

	say_state(w, e);
	if (!peer || (is_up && e->was->phys_state == IBC_PHYS_LINKUP))
		return;
	sentence_add(w, is_up ? ", to " : ", was to ");
	say_place(w, peer);
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

static void say_rates(struct words *w, const struct ibc_event *e)
{
	say_place(w, e->is);
	sentence_add(w, " ");
	say_rate(w, e->was);
	sentence_add(w, " -> ");
	say_rate(w, e->is);
}

static void say_moved(struct words *w, const struct ibc_event *e)
{
	say_place(w, e->is);
	sentence_add(w, " leads to ");
	say_place(w, e->is->peer);
	sentence_add(w, " now, not to ");
	say_place(w, e->was->peer);
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

static void (*const sayers[IBC_EVENT_KINDS])(struct words *w, const struct ibc_event *e) = {
	[IBC_EVENT_NODE_GONE] = say_node, [IBC_EVENT_NODE_SILENT] = say_node,
	[IBC_EVENT_NODE_NEW] = say_node,  [IBC_EVENT_STATE] = say_port,
	[IBC_EVENT_RATE] = say_rates,     [IBC_EVENT_MOVED] = say_moved,
	[IBC_EVENT_FLAP] = say_errors,    [IBC_EVENT_ERRORS] = say_errors,
};

char *ibc_event_text(const struct ibc_event *event, char *text, size_t size)
{
	struct words words = { text, size };

	*text = '\0';
	sayers[event->kind](&words, event);
	if (strlen(text) + 1 == size)
		utf8_drop_cut(text);
	return text;
}
