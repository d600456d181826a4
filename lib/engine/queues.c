/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <stdio.h>

#include "engine/flight.h"
#include "engine/queues.h"

#define LIMIT_MAX       64 /* half of the usual window: no device fills it alone */
#define ANSWERS_TO_GROW 32 /* slowly: a limit too high costs a time-out a drop; doc/engine.md */

enum breaker { BREAKER_CLOSED, BREAKER_OPEN, BREAKER_PROBING, BREAKER_SILENT };

const char *ask_name(const struct engine_ask *ask, char text[ASK_NAME_MAX])
{
	if (ask->name)
		ask->name(ask, text, ASK_NAME_MAX);
	else
		snprintf(text, ASK_NAME_MAX, "a query");
	return text;
}

/* ---- rings of queries --------------------------------------------------------- */

static void push_ask(struct engine_queue *ring, struct engine_ask *ask)
{
	if (ring->last) {
		ask->next = ring->last->next;
		ring->last->next = ask;
	} else {
		ask->next = ask;
	}
	ring->last = ask;
}

static struct engine_ask *pop_ask(struct engine_queue *ring)
{
	struct engine_ask *first = ring->last->next;

	if (first == ring->last)
		ring->last = NULL;
	else
		ring->last->next = first->next;
	return first;
}

/* All of from goes before all of to. */
static void splice_front(struct engine_queue *to, struct engine_queue *from)
{
	struct engine_ask *first;

	if (!from->last)
		return;
	if (to->last) {
		first = from->last->next;
		from->last->next = to->last->next;
		to->last->next = first;
	} else {
		to->last = from->last;
	}
	from->last = NULL;
}

/* ---- lists of devices ----------------------------------------------------------- */

static bool may_send(const struct engine_device *d, enum queue queue)
{
	return d->queue[queue].last && d->in_flight < d->limit && d->breaker != BREAKER_PROBING;
}

/* Listed devices stay so until their turn comes, and are looked at again then. */
static void list_device(struct queues *l, struct engine_device *d, enum queue queue)
{
	if (d->queue[queue].listed || !may_send(d, queue))
		return;
	d->queue[queue].listed = true;
	d->queue[queue].next = NULL;
	if (l->last[queue])
		l->last[queue]->queue[queue].next = d;
	else
		l->first[queue] = d;
	l->last[queue] = d;
}

static void list_both(struct queues *l, struct engine_device *d)
{
	list_device(l, d, QUEUE_FAST);
	list_device(l, d, QUEUE_SLOW);
}

/* ---- queries come and go -------------------------------------------------------- */

static enum queue queue_of(const struct engine_ask *ask)
{
	if (ask->device->breaker != BREAKER_CLOSED || ask->try >= LADDER_FAST)
		return QUEUE_SLOW;
	return QUEUE_FAST;
}

void queues_add(struct queues *l, struct engine_ask *ask)
{
	enum queue queue = queue_of(ask);
	struct engine_device *d = ask->device;
	bool bound = d->limit_max && d->limit_max < l->per_device;

	if (!d->limit)
		d->limit = bound ? d->limit_max : (uint16_t)l->per_device;
	push_ask(&d->queue[queue], ask);
	list_device(l, d, queue);
}

void queues_retry(struct queues *l, struct engine_ask *ask)
{
	enum queue queue = queue_of(ask);
	struct engine_queue *ring = &ask->device->queue[queue];
	struct engine_ask *last = ring->last;

	push_ask(ring, ask);
	/* to the front; the slow queue keeps its order: its first is the probe, a fresh one */
	if (queue == QUEUE_FAST && last)
		ring->last = last;
	list_device(l, ask->device, queue);
}

void queues_failed(struct queues *l, struct engine_ask *ask)
{
	struct engine_device *d = ask->device;

	/* once closed by an answer, a device is not suspected as a whole again */
	if (!d->failed_once && !d->ignore_timeouts) {
		d->failed_once = true;
		d->breaker = BREAKER_OPEN;
		TRACE_ASK(l->trace, ask, "breaker open%s", ", no answer to the fast retries");
		splice_front(&d->queue[QUEUE_SLOW], &d->queue[QUEUE_FAST]);
	}
	push_ask(&d->queue[QUEUE_SLOW], ask);
	list_device(l, d, QUEUE_SLOW);
}

struct engine_ask *queues_take(struct queues *l, enum queue queue)
{
	struct engine_device *d;
	struct engine_ask *ask;

	do {
		d = l->first[queue];
		if (!d)
			return NULL;
		l->first[queue] = d->queue[queue].next;
		if (!l->first[queue])
			l->last[queue] = NULL;
		d->queue[queue].listed = false;
	} while (!may_send(d, queue));
	ask = pop_ask(&d->queue[queue]);
	d->in_flight++;
	if (d->breaker == BREAKER_OPEN) {
		d->breaker = BREAKER_PROBING;
		d->probe = ask;
		d->fresh_probe = !ask->sent;
		TRACE_ASK(l->trace, ask, "breaker half-open, a %s query is the probe",
		          d->fresh_probe ? "fresh" : "repeated");
	}
	list_device(l, d, queue);
	return ask;
}

void queues_release(struct queues *l, struct engine_device *d)
{
	d->in_flight--;
	list_both(l, d);
}

void queues_give_back(struct queues *l, struct engine_device *d)
{
	d->in_flight--;
	queues_postpone(l, d);
}

/* ---- what became of them ---------------------------------------------------------- */

/* Queries that have fast tries left go on with them. */
static void close_breaker(struct engine_device *d)
{
	struct engine_queue waiting = d->queue[QUEUE_SLOW];

	d->breaker = BREAKER_CLOSED;
	d->queue[QUEUE_SLOW].last = NULL;
	while (waiting.last) {
		struct engine_ask *ask = pop_ask(&waiting);

		push_ask(&d->queue[queue_of(ask)], ask);
	}
}

void queues_answered(struct queues *l, const struct engine_ask *ask)
{
	struct engine_device *d = ask->device;

	d->alive = true;
	d->silent = 0;
	if (++d->good >= ANSWERS_TO_GROW) {
		d->good = 0;
		if (d->limit < (d->limit_max ? d->limit_max : LIMIT_MAX)) {
			d->limit++;
			TRACE_ASK(l->trace, ask, "limit grown to %u", d->limit);
		}
	}
	if (d->breaker != BREAKER_CLOSED) {
		TRACE_ASK(l->trace, ask, "breaker closed%s", ", it has answered");
		close_breaker(d);
	}
	list_both(l, d);
}

void queues_timed_out(const struct queues *l, const struct engine_ask *ask)
{
	struct engine_device *d = ask->device;

	d->good = 0;
	d->silent += d->silent < UINT8_MAX;
	if (d->ignore_timeouts || d->limit <= 1)
		return;
	d->limit /= 2;
	TRACE_ASK(l->trace, ask, "limit halved to %u", d->limit);
}

void queues_silent(struct queues *l, const struct engine_ask *ask)
{
	struct engine_device *d = ask->device;
	bool proves_nothing = d->alive && !d->fresh_probe;

	if (d->breaker != BREAKER_PROBING || d->probe != ask)
		return;
	TRACE_ASK(l->trace, ask, "breaker %s",
	          proves_nothing
	              ? "closed, a silent probe proves nothing about a device that answered before"
	              : "open for good, the probe was silent");
	if (proves_nothing)
		close_breaker(d);
	else
		d->breaker = BREAKER_SILENT;
	list_both(l, d);
}

void queues_postpone(struct queues *l, struct engine_device *d)
{
	if (d->breaker == BREAKER_PROBING)
		d->breaker = BREAKER_OPEN;
	list_both(l, d);
}

bool device_is_dead(const struct engine_device *d)
{
	return d->breaker == BREAKER_SILENT || (d->silent_max && d->silent >= d->silent_max);
}
