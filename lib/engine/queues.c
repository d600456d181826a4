/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>

#include "engine/flight.h"
#include "engine/queues.h"

#define LIMIT_MAX       64 /* half of the usual window: no device fills it alone */
#define ANSWERS_TO_GROW 32 /* slowly: a limit too high costs a time-out a drop; doc/engine.md */

enum health { DEVICE_FINE, DEVICE_PARKED, DEVICE_ON_TRIAL, DEVICE_DEAD };

/* ---- rings of questions --------------------------------------------------------- */

static void push(struct engine_lane *ring, struct engine_ask *ask)
{
	if (ring->last) {
		ask->next = ring->last->next;
		ring->last->next = ask;
	} else {
		ask->next = ask;
	}
	ring->last = ask;
}

static void push_front(struct engine_lane *ring, struct engine_ask *ask)
{
	struct engine_ask *last = ring->last;

	push(ring, ask);
	if (last)
		ring->last = last;
}

static struct engine_ask *pop(struct engine_lane *ring)
{
	struct engine_ask *first = ring->last->next;

	if (first == ring->last)
		ring->last = NULL;
	else
		ring->last->next = first->next;
	return first;
}

/* All of from goes before all of to. */
static void splice_front(struct engine_lane *to, struct engine_lane *from)
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

static bool may_send(const struct engine_device *d, enum lane lane)
{
	return d->lane[lane].last && d->in_flight < d->limit && d->health != DEVICE_ON_TRIAL;
}

/* Listed devices stay so until their turn comes, and are looked at again then. */
static void list(struct lanes *l, struct engine_device *d, enum lane lane)
{
	if (d->lane[lane].listed || !may_send(d, lane))
		return;
	d->lane[lane].listed = true;
	d->lane[lane].next = NULL;
	if (l->last[lane])
		l->last[lane]->lane[lane].next = d;
	else
		l->first[lane] = d;
	l->last[lane] = d;
}

static struct engine_device *unlist_first(struct lanes *l, enum lane lane)
{
	struct engine_device *d = l->first[lane];

	if (!d)
		return NULL;
	l->first[lane] = d->lane[lane].next;
	if (!l->first[lane])
		l->last[lane] = NULL;
	d->lane[lane].listed = false;
	return d;
}

static void list_both(struct lanes *l, struct engine_device *d)
{
	list(l, d, LANE_FAST);
	list(l, d, LANE_SLOW);
}

/* ---- questions come and go -------------------------------------------------------- */

static enum lane lane_of(const struct engine_ask *ask)
{
	if (ask->device->health != DEVICE_FINE || ask->try >= LADDER_FAST)
		return LANE_SLOW;
	return LANE_FAST;
}

void lanes_add(struct lanes *l, struct engine_ask *ask)
{
	enum lane lane = lane_of(ask);

	if (!ask->device->limit)
		ask->device->limit = l->per_device;
	push(&ask->device->lane[lane], ask);
	list(l, ask->device, lane);
}

void lanes_retry(struct lanes *l, struct engine_ask *ask)
{
	enum lane lane = lane_of(ask);

	/* the slow lane keeps its order: its first stands trial, and shall be a fresh one */
	if (lane == LANE_FAST)
		push_front(&ask->device->lane[lane], ask);
	else
		push(&ask->device->lane[lane], ask);
	list(l, ask->device, lane);
}

void lanes_strike(struct lanes *l, struct engine_ask *ask)
{
	struct engine_device *d = ask->device;

	/* once cleared by an answer, a device is not suspected as a whole again */
	if (!d->struck && !d->patient) {
		d->struck = true;
		d->health = DEVICE_PARKED;
		splice_front(&d->lane[LANE_SLOW], &d->lane[LANE_FAST]);
	}
	push(&d->lane[LANE_SLOW], ask);
	list(l, d, LANE_SLOW);
}

struct engine_ask *lanes_take(struct lanes *l, enum lane lane)
{
	struct engine_device *d;
	struct engine_ask *ask;

	do {
		d = unlist_first(l, lane);
		if (!d)
			return NULL;
	} while (!may_send(d, lane));
	ask = pop(&d->lane[lane]);
	d->in_flight++;
	if (d->health == DEVICE_PARKED) {
		d->health = DEVICE_ON_TRIAL;
		d->fresh_trial = !ask->sent;
	}
	list(l, d, lane);
	return ask;
}

void lanes_release(struct lanes *l, struct engine_device *d)
{
	d->in_flight--;
	list_both(l, d);
}

void lanes_give_back(struct lanes *l, struct engine_device *d)
{
	d->in_flight--;
	lanes_adjourn(l, d);
}

/* ---- what became of them ---------------------------------------------------------- */

/* Questions that have fast tries left go on with them. */
static void clear_of_suspicion(struct engine_device *d)
{
	struct engine_lane waiting = d->lane[LANE_SLOW];

	d->health = DEVICE_FINE;
	d->lane[LANE_SLOW].last = NULL;
	while (waiting.last) {
		struct engine_ask *ask = pop(&waiting);

		push(&d->lane[lane_of(ask)], ask);
	}
}

void lanes_answered(struct lanes *l, struct engine_device *d)
{
	d->alive = true;
	if (++d->good >= ANSWERS_TO_GROW) {
		d->good = 0;
		if (d->limit < LIMIT_MAX)
			d->limit++;
	}
	if (d->health != DEVICE_FINE)
		clear_of_suspicion(d);
	list_both(l, d);
}

void lanes_timed_out(struct engine_device *d)
{
	d->good = 0;
	if (!d->patient && d->limit > 1)
		d->limit /= 2;
}

void lanes_silent(struct lanes *l, struct engine_device *d)
{
	if (d->health != DEVICE_ON_TRIAL)
		return;
	if (d->alive && !d->fresh_trial)
		clear_of_suspicion(d);
	else
		d->health = DEVICE_DEAD;
	list_both(l, d);
}

void lanes_adjourn(struct lanes *l, struct engine_device *d)
{
	if (d->health == DEVICE_ON_TRIAL)
		d->health = DEVICE_PARKED;
	list_both(l, d);
}

bool device_is_dead(const struct engine_device *d)
{
	return d->health == DEVICE_DEAD;
}
