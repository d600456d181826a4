/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ENGINE_QUEUES_H
#define ENGINE_QUEUES_H

/*
 * Who may ask next.  Questions wait at their device, devices that may send wait
 * in turn: in the fast lane for the ladder's short waits, in the slow lane for
 * the last, long one.
 *
 * A device on which a question has passed the fast ladder in vain is parked: all
 * its questions move to the slow lane, where one of them stands trial for the
 * others.  Any answer clears the device, for good.  A silent trial condemns it,
 * unless it proves nothing: the device has answered before, and the question on
 * trial is the one that it did not answer then.  doc/engine.md has all transitions as one
 * diagram of a circuit breaker.
 */
#include <stdbool.h>

#include "engine/engine.h"

enum lane { LANE_FAST, LANE_SLOW };

struct lanes {
	struct engine_device *first[2], *last[2]; /* that may send */
	unsigned int per_device;
};

/* A new question. */
void lanes_add(struct lanes *l, struct engine_ask *ask);
/* Its last try brought nothing: it comes before those that wait. */
void lanes_retry(struct lanes *l, struct engine_ask *ask);
/* Its fast ladder brought nothing. */
void lanes_strike(struct lanes *l, struct engine_ask *ask);

/*
 * The next question of a lane, or NULL.  It takes one place of its device's
 * limit, until lanes_release(), or lanes_give_back() if it was not sent at all.
 */
struct engine_ask *lanes_take(struct lanes *l, enum lane lane);
void lanes_release(struct lanes *l, struct engine_device *d);
void lanes_give_back(struct lanes *l, struct engine_device *d);

/* What became of it. */
void lanes_answered(struct lanes *l, struct engine_device *d);
void lanes_timed_out(struct engine_device *d);
/* A question was silent in the slow lane: if it stood trial, that is the verdict. */
void lanes_silent(struct lanes *l, struct engine_device *d);
/* The trial ended without a verdict. */
void lanes_adjourn(struct lanes *l, struct engine_device *d);
bool device_is_dead(const struct engine_device *d);

#endif
