/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_EVENTS_H
#define IBCHECK_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include <ibcheck/counters.h>
#include <ibcheck/error.h>
#include <ibcheck/fabric.h>

#pragma GCC visibility push(default)

/**
 * DOC: what happened between two sweeps
 *
 * For people who look at a fabric while it changes, seconds apart: what <ibcheck/changes.h>
 * lists for two sweeps days apart, without looking for what was moved or replaced meanwhile,
 * and with every step of a link on its way up.  What one of the sweeps did not read is no event.
 */
enum ibc_event_kind {
	IBC_EVENT_NODE_GONE,
	IBC_EVENT_NODE_SILENT, /* it is not there any more, but a link to it is up */
	IBC_EVENT_NODE_NEW,
	IBC_EVENT_STATE, /* of a port: logical or physical */
	IBC_EVENT_RATE,  /* width or speed of a link that was up, and is */
	IBC_EVENT_MOVED, /* the cable of a port that was up, and is, leads elsewhere */
	IBC_EVENT_FLAP,  /* a link that was up, and is, went down meanwhile */
	IBC_EVENT_ERRORS,
};
#define IBC_EVENT_KINDS 8 /* members of enum ibc_event_kind */
const struct ibc_word *ibc_event_word(enum ibc_event_kind kind);

/**
 * struct ibc_event - one thing that happened
 * @node: as it is, or as it was if it is gone
 * @was, @is: the port it happened to, in the earlier and in the later sweep; of a node that came
 *	or went, the far end of its first cable; NULL: none
 * @cables: of a node that came or went
 * @behind: of the first such node: how many others did, that only such nodes lead to
 * @errors: of IBC_EVENT_ERRORS and IBC_EVENT_FLAP: what was counted meanwhile, of what
 *	IBC_ERROR_COUNTERS has
 *
 * What both ends of a cable show is one event: of the switch, or of the near end; and what comes
 * of a node that came or went is part of the event of the node.
 */
struct ibc_event {
	enum ibc_event_kind kind;
	const struct ibc_node *node;
	const struct ibc_port *was, *is;
	size_t cables, behind;
	uint64_t errors;
};

struct ibc_events;

/**
 * ibc_events_find() - list what happened
 * @before: the earlier sweep
 * @now: the later sweep, of the same subnets in the same order
 * @out: borrows from both; to be freed with ibc_events_free()
 *
 * Of a sweep that its deadline cut short no node is gone.
 *
 * Return: 0, or -ENOMEM.
 */
int ibc_events_find(const struct ibc_fabric *before, const struct ibc_fabric *now,
                    struct ibc_events **out, struct ibc_error *err);
/* NULL has no effect. */
void ibc_events_free(struct ibc_events *events);
/* Walk: nodes, then ports, by GUID and number; NULL past the last one. */
const struct ibc_event *ibc_events_at(const struct ibc_events *events, size_t i);

/**
 * ibc_event_text() - an event in words
 *
 * "leaf03/19 Polling -> LinkUp, 4x HDR, to spine02/7", "spine02 is gone, with 36 cables",
 * "leaf03/19 PortRcvErrors 12".  What does not fit is cut between
 * characters.
 *
 * Return: @text.
 */
#define IBC_EVENT_TEXT 1024 /* three places of IBC_PLACE_TEXT, and a few counters */
char *ibc_event_text(const struct ibc_event *event, char *text, size_t size);
/* "LinkUp", "LinkUp (Init)", "Polling": where a link is on its way up; "?" if it is not known. */
const char *ibc_link_state_text(const struct ibc_port *port);

#pragma GCC visibility pop

#endif
