/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "engine/engine.h"
#include "engine/flight.h"
#include "engine/gate.h"
#include "engine/queues.h"
#include "engine/rtt.h"
#include "wire/mad.h"
#include "wire/registers.h"
#include "wire/sa.h"
#include "wire/vendor.h"

#define WINDOW_MAX 16384        /* places are numbered in 16 bits, SLOW_MAX among them */
#define SLOW_MAX   1024         /* MADs out in the slow queue, beside the window; a guess */
#define TICK_NS    100000000ull /* a person sees ten steps a second */
#define PAUSE_NS   10000000ull  /* quiet for so long: nothing more is in the air */
#define BUSY_MAX   20           /* "busy" to one slow query: 20 ms each, so 0.4 s; a guess */

struct engine {
	struct transport *t;
	struct engine_opts opts;
	struct flights flights;
	struct queues queues;
	uint64_t open;       /* queries whose done() is due */
	unsigned int window; /* places of the window taken */
	unsigned int out[2]; /* MADs waited for in each queue */
	uint64_t now_ns;     /* as of the last look at the clock */
	uint64_t wake_ns;    /* when a time-out, the tick or the deadline may be due */
	uint64_t deadline_ns;
	uint64_t linger_ns; /* of the next run ... */
	uint64_t stay_ns;   /* ... which does not end before */
	uint64_t heard_ns;  /* when the last MAD arrived */
	void (*when_silent)(void *ctx);
	void *silent_ctx;
	uint64_t tick_ns; /* when tick() is due */
	void (*tick)(void *ctx);
	void *tick_ctx;
	int failed; /* the transport's */
	bool cut_short;
	unsigned int in_air; /* given up in flight */
	struct rtt rtt;
	struct ibc_sweep stats;
};

static unsigned int between(unsigned int value, unsigned int min, unsigned int max)
{
	if (value < min)
		return min;
	return value > max ? max : value;
}

int engine_new(struct transport *t, const struct engine_opts *opts, struct engine **out,
               struct ibc_error *err)
{
	struct engine *e = xalloc(sizeof(*e));

	*out = NULL;
	if (!e)
		return fail_nomem(err);
	e->t = t;
	e->opts = *opts;
	e->opts.window = between(opts->window, 1, WINDOW_MAX);
	e->opts.timeout_ms = between(opts->timeout_ms, 1, UINT16_MAX);
	e->queues.per_device = between(opts->per_device, 1, UINT16_MAX);
	e->queues.trace = opts->trace;
	if (flights_init(&e->flights, e->opts.window + SLOW_MAX, e->opts.timeout_ms)) {
		engine_free(e);
		return fail_nomem(err);
	}
	*out = e;
	return 0;
}

void engine_free(struct engine *e)
{
	struct mad_in in;

	if (!e)
		return;
	/*
	 * What was in the air at the deadline, or when memory ended, is let in until it pauses.
	 * A kernel would forget it with the file; ibsim's libumad2sim crashes on it.
	 */
	e->in_air += e->out[QUEUE_FAST] + e->out[QUEUE_SLOW];
	while (e->in_air && !e->failed && e->t->ops->recv(e->t, &in, PAUSE_NS) > 0)
		e->in_air--;
	free(e->flights.place);
	free(e);
}

void engine_set_deadline(struct engine *e, uint64_t deadline_ns)
{
	e->opts.deadline_ns = deadline_ns;
}

void engine_stop(struct engine *e)
{
	e->cut_short = true;
}

void engine_linger(struct engine *e, uint64_t ns)
{
	e->linger_ns = ns;
}

void engine_when_silent(struct engine *e, void (*ask)(void *ctx), void *ctx)
{
	e->when_silent = ask;
	e->silent_ctx = ctx;
}

void engine_ask(struct engine *e, struct engine_ask *ask)
{
	ask->try = ask->slow ? LADDER_FAST : 0;
	ask->sent = false;
	ask->busy = 0;
	e->open++;
	queues_add(&e->queues, ask);
}

/* ---- the end of a query ---------------------------------------------------------- */

static const char *const outcome_words[] = {
	[ENGINE_ANSWERED] = "answered",   [ENGINE_UNSUPPORTED] = "unsupported",
	[ENGINE_REFUSED] = "refused",     [ENGINE_SILENT] = "silent",
	[ENGINE_NOT_ASKED] = "not asked",
};

/* After this the question is its owner's again. */
static void finish_query(struct engine *e, struct engine_ask *ask, enum engine_outcome outcome,
                         const uint8_t *mad)
{
	uint64_t *const count[] = {
		[ENGINE_ANSWERED] = &e->stats.answered,
		[ENGINE_UNSUPPORTED] = &e->stats.unsupported,
		[ENGINE_REFUSED] = &e->stats.refused,
		[ENGINE_SILENT] = &e->stats.timed_out,
		[ENGINE_NOT_ASKED] = NULL,
	};

	e->open--;
	if (count[outcome])
		++*count[outcome];
	TRACE_ASK(e->opts.trace, ask, "%s", outcome_words[outcome]);
	ask->done(ask, outcome, mad);
}

/* ---- the end of a try --------------------------------------------------------------- */

static enum queue queue_of_try(const struct engine_ask *ask)
{
	return ask->try < LADDER_FAST ? QUEUE_FAST : QUEUE_SLOW;
}

static void release_window(struct engine *e, struct flight *fl)
{
	e->window -= fl->holds_window;
	fl->holds_window = false;
}

static void release_device(struct engine *e, struct flight *fl)
{
	if (fl->holds_device)
		queues_release(&e->queues, fl->ask->device);
	fl->holds_device = false;
}

static struct engine_ask *land_flight(struct engine *e, struct flight *fl)
{
	struct engine_ask *ask = fl->ask;

	release_window(e, fl);
	release_device(e, fl);
	e->out[queue_of_try(ask)]--;
	flight_end(&e->flights, fl);
	return ask;
}

static void try_failed(struct engine *e, struct flight *fl)
{
	struct engine_ask *ask = land_flight(e, fl);

	TRACE_ASK(e->opts.trace, ask, "no answer to try %u", ask->try);
	queues_timed_out(&e->queues, ask);
	if (queue_of_try(ask) == QUEUE_SLOW) {
		queues_silent(&e->queues, ask);
		if (ask->again && !device_is_dead(ask->device)) {
			ask->again--;
			queues_failed(&e->queues, ask);
		} else {
			finish_query(e, ask, ENGINE_SILENT, NULL);
		}
	} else if (++ask->try < LADDER_FAST)
		queues_retry(&e->queues, ask);
	else if (ask->fast_only)
		finish_query(e, ask, ENGINE_SILENT, NULL);
	else
		queues_failed(&e->queues, ask);
}

/* It was answered, and may be again; other queries to its device come first. */
static void busy_over(struct engine *e, struct flight *fl)
{
	struct engine_ask *ask = land_flight(e, fl);

	ask->busy++;
	TRACE_ASK(e->opts.trace, ask, "busy %u times", ask->busy);
	queues_answered(&e->queues, ask);
	queues_retry(&e->queues, ask);
}

/* ---- arrivals ------------------------------------------------------------------------- */

static void take_answer(struct engine *e, struct flight *fl, enum mad_verdict verdict,
                        struct mad_in *in)
{
	static const enum engine_outcome outcome_of[] = {
		[MAD_OK] = ENGINE_ANSWERED,
		[MAD_BUSY] = ENGINE_REFUSED,
		[MAD_UNSUPPORTED] = ENGINE_UNSUPPORTED,
		[MAD_REFUSED] = ENGINE_REFUSED,
	};
	struct engine_ask *ask = fl->ask;
	bool slow = queue_of_try(ask) == QUEUE_SLOW;

	rtt_add(&e->rtt, e->now_ns - fl->sent_ns);
	/* in the slow queue only those that are asked again, and after a first wait at the least */
	if (verdict == MAD_BUSY && (!slow || (ask->again && ask->busy < BUSY_MAX))) {
		fl->busy = true; /* asked again when this wait is over */
		if (slow && !fl->holds_window)
			busy_over(e, fl);
		return;
	}
	land_flight(e, fl);
	e->stats.regained += ask->try > 0 && !ask->slow;
	queues_answered(&e->queues, ask);
	ask->length = in->length;
	if (in->length < MAD_SIZE)
		memset(in->mad + in->length, 0, MAD_SIZE - in->length);
	finish_query(e, ask, outcome_of[verdict], in->whole ? in->whole : in->mad);
}

/* Nothing that arrives is trusted to be an answer, or the answer to this query. */
static void take_arrival(struct engine *e, struct mad_in *in)
{
	struct mad_header h;
	struct flight *fl;
	size_t least;

	if (in->length < MAD_HEADER_SIZE) {
		e->stats.dropped_short++;
		return;
	}
	mad_header_get(in->mad, &h);
	fl = flight_of(&e->flights, h.tid);
	if (in->status) {
		if (fl)
			try_failed(e, fl);
		return;
	}
	e->heard_ns = e->now_ns;
	/* an answer of subnet administration ends where its records do */
	least = h.mgmt_class == MAD_CLASS_SA ? SA_HEADER_SIZE : MAD_SIZE;
	if (!fl || fl->busy) {
		e->stats.dropped_late++;
		TRACE(e->opts.trace, IBC_TRACE_ENGINE, "late answer dropped, tid %08x",
		      (uint32_t)h.tid);
	} else if (in->length < least) {
		e->stats.dropped_short++;
	} else if (!flight_matches(fl, &h)) {
		e->stats.dropped_mismatch++;
	} else if (h.mgmt_class == MAD_CLASS_VENDOR && h.attribute == VENDOR_ACCESS_REGISTER) {
		/* most classes have one meaning of a status (IBA 13.4.7): registers their own */
		take_answer(e, fl, register_verdict_of(h.status), in);
	} else {
		take_answer(e, fl, mad_verdict_of(h.status), in);
	}
}

/* ---- sending -------------------------------------------------------------------------- */

/* Every MAD leaves through here, or is refused with -EPERM. */
static int send_mad(struct engine *e, struct engine_ask *ask, const struct mad_addr *to,
                    uint8_t mad[MAD_SIZE])
{
	unsigned int timeout_ms = e->flights.wait_ns[ask->try] / 1000000;
	struct mad_header h;
	struct flight *fl;
	uint64_t due_ns;
	int rc;

	mad_header_get(mad, &h);
	if (!gate_is_open(&h, mad, e->opts.may_clear))
		return -EPERM;
	fl = flight_start(&e->flights, ask, &h, e->now_ns);
	mad_tid_put(mad, h.tid);
	e->window++;
	e->out[queue_of_try(ask)]++;
	due_ns = e->now_ns + e->flights.wait_ns[0];
	if (due_ns < e->wake_ns)
		e->wake_ns = due_ns;
	TRACE_ASK(e->opts.trace, ask,
	          "sent%s, try %u, %u of %u at the device, tid %08x class 0x%02x method 0x%02x "
	          "attribute 0x%04x modifier 0x%x",
	          ask->sent ? " again" : "", ask->try, ask->device->in_flight, ask->device->limit,
	          (uint32_t)h.tid, h.mgmt_class, h.method, h.attribute, h.modifier);
	rc = e->t->ops->send(e->t, to, mad, timeout_ms);
	if (rc == 0) {
		unsigned int out = e->out[QUEUE_FAST] + e->out[QUEUE_SLOW];

		e->stats.sent++;
		if (ask->sent)
			e->stats.retried++;
		ask->sent = true;
		if (out > e->stats.peak_in_flight)
			e->stats.peak_in_flight = out;
	} else if (rc == -EIO || rc == -ENODEV || rc == -EBADF)
		e->failed = rc;
	else if (rc != -EAGAIN && rc != -ENOMEM)
		try_failed(e, fl);
	/* what found no room is as good as lost: its watchdog sends it again */
	return 0;
}

/* false: no query of this queue may be sent. */
static bool send_next(struct engine *e, enum queue queue)
{
	struct engine_ask *ask = queues_take(&e->queues, queue);
	struct engine_device *d;
	struct mad_addr to;
	uint8_t mad[MAD_SIZE];

	if (!ask)
		return false;
	d = ask->device;
	if (queue == QUEUE_SLOW)
		ask->try = LADDER_FAST;
	if (device_is_dead(d)) {
		queues_give_back(&e->queues, d);
		finish_query(e, ask, ENGINE_SILENT, NULL);
	} else if (!ask->route(ask, ask->try, &to, mad)) {
		e->open--;
		queues_give_back(&e->queues, d);
	} else if (send_mad(e, ask, &to, mad)) {
		queues_give_back(&e->queues, d);
		finish_query(e, ask, ENGINE_NOT_ASKED, NULL);
	}
	return true;
}

static bool has_room(const struct engine *e)
{
	return !e->failed && e->window < e->opts.window;
}

/* ---- the run -------------------------------------------------------------------------- */

static void look_at_the_clock(struct engine *e, uint64_t taken_ns)
{
	uint64_t next;
	struct flight *fl;

	if (e->now_ns < e->wake_ns)
		return;
	/* Ends the waits that were over at a time up to which all arrivals have been taken. */
	while ((fl = flight_due(&e->flights, 0, taken_ns))) {
		/*
		 * A MAD that was not answered within the first wait is lost more likely than
		 * queued: it no longer loads its device.  In the slow queue, where hundreds may
		 * wait for a second, it no longer takes a place of the window either.  A device
		 * that may never have more than a few queries has them until they are answered, or
		 * given up.
		 */
		if (fl->ask->try == 0) {
			try_failed(e, fl);
			continue;
		}
		if (fl->busy && queue_of_try(fl->ask) == QUEUE_SLOW) {
			busy_over(e, fl);
			continue;
		}
		if (!fl->ask->device->limit_max)
			release_device(e, fl);
		if (queue_of_try(fl->ask) == QUEUE_SLOW)
			release_window(e, fl);
		flight_wait(&e->flights, fl, fl->ask->try);
	}
	for (unsigned int queue = 1; queue < LADDER_TRIES; queue++)
		while ((fl = flight_due(&e->flights, queue, taken_ns)))
			try_failed(e, fl);
	if (e->when_silent && e->now_ns >= e->heard_ns + e->flights.wait_ns[0]) {
		void (*ask)(void *ctx) = e->when_silent;

		e->when_silent = NULL;
		ask(e->silent_ctx);
	}
	if (e->now_ns >= e->tick_ns) {
		e->tick_ns = e->now_ns + TICK_NS;
		if (e->tick)
			e->tick(e->tick_ctx);
		e->now_ns = e->t->ops->now_ns(e->t); /* it may have waited for a terminal */
	}
	if (e->now_ns >= e->deadline_ns) {
		e->cut_short = true;
		TRACE(e->opts.trace, IBC_TRACE_ENGINE, "deadline, open queries: %llu",
		      (unsigned long long)e->open);
	}
	next = flights_next_due(&e->flights);
	e->wake_ns = next < e->tick_ns ? next : e->tick_ns;
	if (e->deadline_ns < e->wake_ns)
		e->wake_ns = e->deadline_ns;
}

static bool is_over(const struct engine *e)
{
	return e->failed || e->cut_short || (!e->open && e->now_ns >= e->stay_ns);
}

/*
 * Arrivals go before time-outs: when the host has stalled, answers may lie there
 * whose time is over.  All that came before some time has been taken when a look
 * after it finds nothing; or, should arrivals never end, a window full of them.
 */
static void run_queries(struct engine *e)
{
	unsigned int streak = 0;
	uint64_t since_ns = e->now_ns;

	while (!is_over(e)) {
		struct mad_in in;
		int rc;

		/* The slow lane gets its turn when the fast one has nothing more to say. */
		while (has_room(e) && send_next(e, QUEUE_FAST))
			;
		while (has_room(e) && !e->out[QUEUE_FAST] && e->out[QUEUE_SLOW] < SLOW_MAX &&
		       send_next(e, QUEUE_SLOW))
			;
		if (is_over(e))
			return;
		if (streak == 0)
			since_ns = e->now_ns;
		rc = e->t->ops->recv(e->t, &in,
		                     e->wake_ns > e->now_ns ? e->wake_ns - e->now_ns : 0);
		e->now_ns = e->t->ops->now_ns(e->t);
		if (rc < 0)
			e->failed = rc;
		if (rc > 0) {
			take_arrival(e, &in);
			if (++streak < e->opts.window)
				continue;
		}
		streak = 0;
		look_at_the_clock(e, since_ns);
	}
}

int engine_run(struct engine *e, void (*tick)(void *ctx), void *ctx, struct ibc_error *err)
{
	uint64_t start_ns = e->t->ops->now_ns(e->t);

	e->tick = tick;
	e->tick_ctx = ctx;
	e->tick_ns = start_ns + TICK_NS;
	e->now_ns = e->wake_ns = e->heard_ns = start_ns;
	e->deadline_ns = e->opts.deadline_ns ? start_ns + e->opts.deadline_ns : UINT64_MAX;
	e->stay_ns = start_ns + e->linger_ns;
	e->linger_ns = 0;
	e->failed = 0;
	e->cut_short = false;
	run_queries(e);
	if (e->failed || e->cut_short) {
		struct engine_ask *ask;
		struct flight *fl;

		/* Ends every open query, those that done() adds included. */
		while ((fl = flights_any(&e->flights))) {
			e->in_air++;
			ask = land_flight(e, fl);
			queues_postpone(&e->queues, ask->device);
			finish_query(e, ask, ENGINE_NOT_ASKED, NULL);
		}
		while ((ask = queues_take(&e->queues, QUEUE_FAST)) ||
		       (ask = queues_take(&e->queues, QUEUE_SLOW))) {
			queues_give_back(&e->queues, ask->device);
			finish_query(e, ask, ENGINE_NOT_ASKED, NULL);
		}
		assert(!e->open);
	}
	e->when_silent = NULL;
	e->stats.duration_seconds += (e->t->ops->now_ns(e->t) - start_ns) / 1e9;
	if (e->failed)
		return fail(err, e->failed, "the local port stopped carrying MADs: %s",
		            strerror(-e->failed));
	return 0;
}

bool engine_cut_short(const struct engine *e)
{
	return e->cut_short;
}

uint64_t engine_open(const struct engine *e)
{
	return e->open;
}

void engine_stats(const struct engine *e, struct ibc_sweep *out)
{
	*out = e->stats;
	out->rtt_p50_us = rtt_percentile_us(&e->rtt, 50);
	out->rtt_p99_us = rtt_percentile_us(&e->rtt, 99);
}
