/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * MADs in flight: a global window, a limit per device that adapts, retries,
 * a watchdog per MAD, a deadline.  One thread.  Knows transaction ids and
 * statuses, nothing of what the attributes mean.
 */
#include <stdbool.h>
#include <stdint.h>

#include <ibcheck/error.h>
#include <ibcheck/types.h>

#include "base/trace.h"
#include "transport/transport.h"

struct engine;

struct engine_opts {
	unsigned int window;           /* MADs in flight at the most */
	unsigned int per_device;       /* start of a device's limit */
	unsigned int timeout_ms;       /* the last wait; the ladder before it: 20, 60, 250 ms */
	uint64_t deadline_ns;          /* of transport time from engine_run(); 0: none */
	bool may_clear;                /* lets a Set of performance management out as well */
	const struct ibc_trace *trace; /* NULL: none */
};

/*
 * What limits queries to one device; embedded in whoever stands for it, at a
 * place that does not move, zeroed before its first use.  Opaque to all but the
 * engine, but for ignore_timeouts, limit_max and silent_max.
 */
struct engine_device {
	struct engine_queue {
		struct engine_ask *last;    /* waiting, a ring: the first is last->next */
		struct engine_device *next; /* in the engine's list of those that may send */
		bool listed;
	} queue[2]; /* the fast ladder, the slow queue */
	uint16_t limit, in_flight, good;
	uint16_t limit_max; /* set by its owner: no more queries than these are out, whatever
	                       they wait for; 0: the engine's own bound */
	uint8_t silent_max; /* likewise: after so many tries in a row without an answer no more
	                       are sent; 0: the breaker alone decides */
	uint8_t silent;
	uint8_t breaker;
	const struct engine_ask *probe; /* while the breaker is half-open */
	bool failed_once, alive, fresh_probe;
	bool ignore_timeouts; /* time-outs here say nothing of this device (probes
	                 through it): never halve, never open the breaker */
};

enum engine_outcome {
	ENGINE_ANSWERED,    /* status 0, data valid */
	ENGINE_UNSUPPORTED, /* status: attribute or modifier not supported */
	ENGINE_REFUSED,     /* another status, or busy to the end */
	ENGINE_SILENT,      /* the whole ladder without an answer; or not asked that long
	                       because the device is silent on everything */
	ENGINE_NOT_ASKED,   /* the deadline came first, or it may not leave */
};

/*
 * One query, embedded in what it is about and owned by the caller until
 * done() is called, exactly once, from engine_run().  done() may ask more.
 * Before every send, route() writes address and MAD (wire/smp.h); try counts
 * from 0, so it may choose another route after a silence; it is 3 in the slow queue,
 * which a device that was silent on another query may come to at once.  It returns false if
 * the query has become moot: then done is not called and it is not counted.
 */
struct engine_ask {
	struct engine_device *device;
	bool (*route)(struct engine_ask *ask, unsigned int try, struct mad_addr *to,
	              uint8_t mad[MAD_SIZE]);
	void (*done)(struct engine_ask *ask, enum engine_outcome outcome,
	             const uint8_t mad[MAD_SIZE]); /* mad: NULL unless a MAD arrived */
	/* What is asked, of whom, for a trace; may be NULL. */
	void (*name)(const struct engine_ask *ask, char *text, size_t size);
	bool fast_only; /* silent after the fast ladder, and nothing is held against its device */
	bool slow;      /* the answer may be long: in the slow queue from the start */
	uint8_t again;  /* a slow query without an answer is sent again so often, and if it is
	                   not 0, also where the device is busy, up to some bound */
	size_t length;  /* of the MAD that arrived: other than MAD_SIZE only of subnet
	                   administration, and then at least 56 */
	/* the engine's own */
	struct engine_ask *next;
	uint8_t try, busy;
	bool sent;
};

/* t stays the caller's, and open until after engine_free(). */
int engine_new(struct transport *t, const struct engine_opts *opts, struct engine **out,
               struct ibc_error *err);
void engine_free(struct engine *e);

/* Of the next runs. */
void engine_set_deadline(struct engine *e, uint64_t deadline_ns);

/* From a tick: the run ends as at its deadline. */
void engine_stop(struct engine *e);

/* The next run takes at least so long, whatever is open, unless its deadline comes first. */
void engine_linger(struct engine *e, uint64_t ns);

/* ask() of the next run: once, when nothing has arrived during the first wait of the ladder. */
void engine_when_silent(struct engine *e, void (*ask)(void *ctx), void *ctx);

void engine_ask(struct engine *e, struct engine_ask *ask);

/*
 * Runs until no question is open, or the deadline.  tick, if not NULL, is called
 * about ten times a second.  0, or the transport's failure: then every open
 * query has had its done() with ENGINE_NOT_ASKED.
 */
int engine_run(struct engine *e, void (*tick)(void *ctx), void *ctx, struct ibc_error *err);

/* Did the deadline end the run? */
bool engine_cut_short(const struct engine *e);
/* Queries waiting or in flight. */
uint64_t engine_open(const struct engine *e);
/* Statistics so far; duration_seconds is the time spent in engine_run(). */
void engine_stats(const struct engine *e, struct ibc_sweep *out);
