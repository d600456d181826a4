/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The MADs that left and are waited for: found by transaction id, and by who
 * runs out of time next.  All in O(1), nothing allocated after the start.
 *
 * Every wait of a ladder is a queue of its own.  All in one queue wait equally
 * long, so the first to enter is the first to run out, and no queue is sorted.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct engine_ask;
struct mad_header;

#define LADDER_FAST  3 /* tries before the slow queue */
#define LADDER_TRIES (LADDER_FAST + 1)

struct flight {
	struct engine_ask *ask; /* NULL: this place is free */
	uint64_t sent_ns;
	uint32_t modifier;
	uint16_t attribute;
	uint16_t generation; /* half of the transaction id: distinguishes the uses of a place */
	uint16_t before, after;
	uint8_t mgmt_class, method;
	uint8_t queue;     /* which wait it is in */
	bool holds_window; /* counts against the window of the engine ... */
	bool holds_device; /* ... and the limit of its device */
	bool busy;         /* answered "busy": nothing more will come */
};

struct flights {
	struct flight *place;
	size_t places;
	uint64_t wait_ns[LADDER_TRIES];
	uint16_t first[LADDER_TRIES], last[LADDER_TRIES];
	uint16_t free;
};

/* places < 65535.  0 or -ENOMEM; f->place is for the caller to free. */
int flights_init(struct flights *f, size_t places, unsigned int timeout_ms);

/* Takes a place, waiting in queue 0, and gives h its transaction id.  One must be free. */
struct flight *flight_start(struct flights *f, struct engine_ask *ask, struct mad_header *h,
                            uint64_t now_ns);
void flight_end(struct flights *f, struct flight *fl);
/* Who waits for this transaction id, or NULL. */
struct flight *flight_of(const struct flights *f, uint64_t tid);
/* Is it an answer to what was asked? */
bool flight_matches(const struct flight *fl, const struct mad_header *h);

/* Waits longer: until wait_ns[queue] after it was sent.  In the order of sending only. */
void flight_wait(struct flights *f, struct flight *fl, unsigned int queue);
/* The first in a queue whose wait is over, or NULL. */
struct flight *flight_due(const struct flights *f, unsigned int queue, uint64_t now_ns);
/* When the next wait is over; UINT64_MAX: none is waited for. */
uint64_t flights_next_due(const struct flights *f);
/* Any that is under way, or NULL. */
struct flight *flights_any(const struct flights *f);
