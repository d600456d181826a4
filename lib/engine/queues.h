/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Who may ask next.  Queries wait at their device, devices that may send wait
 * in turn: in the fast queue for the ladder's short waits, in the slow queue for
 * the last, long one.
 *
 * Where a query has passed the fast ladder in vain, the circuit breaker of its device opens:
 * all its queries move to the slow queue, and one of them is the probe for the others.  Any
 * answer closes the breaker, for good.  A silent probe leaves it open for good, unless it
 * proves nothing: the device has answered before, and the probe is the query that it did not
 * answer then.  doc/engine.md has the states as a picture.
 */
#include <stdbool.h>

#include "engine/engine.h"

/* What is asked, for a trace; in text, which is returned. */
#define ASK_NAME_MAX 160
const char *ask_name(const struct engine_ask *ask, char text[ASK_NAME_MAX]);
#define TRACE_ASK(trace, ask, format, ...)                                                         \
	TRACE((trace), IBC_TRACE_ENGINE, format ": %s", __VA_ARGS__,                               \
	      ask_name((ask), (char[ASK_NAME_MAX]){ "" }))

enum queue { QUEUE_FAST, QUEUE_SLOW };

struct queues {
	struct engine_device *first[2], *last[2]; /* that may send */
	unsigned int per_device;
	const struct ibc_trace *trace;
};

/* A new query. */
void queues_add(struct queues *l, struct engine_ask *ask);
/* Its last try brought nothing: it comes before those that wait. */
void queues_retry(struct queues *l, struct engine_ask *ask);
/* Its fast ladder brought nothing. */
void queues_failed(struct queues *l, struct engine_ask *ask);

/*
 * The next query of a queue, or NULL.  It takes one place of its device's
 * limit, until queues_release(), or queues_give_back() if it was not sent at all.
 */
struct engine_ask *queues_take(struct queues *l, enum queue queue);
void queues_release(struct queues *l, struct engine_device *d);
void queues_give_back(struct queues *l, struct engine_device *d);

/* What became of it. */
void queues_answered(struct queues *l, const struct engine_ask *ask);
void queues_timed_out(const struct queues *l, const struct engine_ask *ask);
/* A query was silent in the slow queue: if it was the probe, that is the verdict. */
void queues_silent(struct queues *l, const struct engine_ask *ask);
/* The probe ended without a verdict. */
void queues_postpone(struct queues *l, struct engine_device *d);
bool device_is_dead(const struct engine_device *d);
