/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKENGINE_H
#define MKENGINE_H

/*
 * An engine over a line on a virtual clock, to devices that stand behind the LID
 * of their number.  Include it after <cmocka.h>.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "model/line.h"
#include "wire/mad.h"
#include "wire/smp.h"

#define MS      1000000ull
#define DEVICES 4096

struct world {
	struct line *line;
	struct engine *engine;
	struct engine_device device[DEVICES];
	bool silent[DEVICES];
	uint64_t silent_until_ns; /* all of them */
	uint16_t silent_on;       /* this attribute only */
	uint16_t status[DEVICES];
	unsigned int asked[DEVICES];
	uint64_t asked_at_ns[DEVICES]; /* the first MADs of all, by when they left */
	uint32_t tid[DEVICES];
	size_t asked_total;
	uint64_t start_ns;
	unsigned int ticks;
};

struct query {
	struct engine_ask ask;
	struct world *world;
	uint16_t device, attribute;
	uint8_t method;     /* 0: Get */
	uint8_t mgmt_class; /* 0: SMP */
	bool moot;
	unsigned int routed, done;
	enum engine_outcome outcome;
	bool has_mad;
	uint64_t done_at_ns;
	struct query *then; /* asked when this one is done */
	uint64_t stall_ns;  /* how long its owner takes over the answer */
};

static inline int world_answer(void *ctx, const struct mad_addr *to, uint8_t mad[MAD_SIZE])
{
	struct world *w = ctx;
	struct mad_header h;

	mad_header_get(mad, &h);
	if (w->asked_total < DEVICES) {
		w->asked_at_ns[w->asked_total] = line_now_ns(w->line) - w->start_ns;
		w->tid[w->asked_total] = (uint32_t)h.tid;
	}
	w->asked_total++;
	w->asked[to->dlid]++;
	if (w->silent[to->dlid] || line_now_ns(w->line) - w->start_ns < w->silent_until_ns ||
	    h.attribute == w->silent_on)
		return LINE_NOBODY;
	h.method = MAD_METHOD_GET_RESP;
	h.status = w->status[to->dlid];
	mad_header_put(mad, &h);
	return to->dlid;
}

static inline struct world *world_with(struct line_opts line_opts, struct engine_opts opts)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->line = line_new(&line_opts, world_answer, w);
	w->start_ns = line_now_ns(w->line);
	if (!opts.window)
		opts.window = 128;
	if (!opts.per_device)
		opts.per_device = 4;
	if (!opts.timeout_ms)
		opts.timeout_ms = 1000;
	assert_int_equal(engine_new(line_transport(w->line), &opts, &w->engine, NULL), 0);
	return w;
}

/* Round trips of 1 ms, and the defaults. */
static inline struct world *world(void)
{
	return world_with((struct line_opts){ .rtt_ns = MS }, (struct engine_opts){ 0 });
}

static inline void world_free(struct world *w)
{
	engine_free(w->engine);
	line_free(w->line);
	free(w);
}

static inline uint64_t elapsed_ns(struct world *w)
{
	return line_now_ns(w->line) - w->start_ns;
}

static inline struct ibc_sweep stats(struct world *w)
{
	struct ibc_sweep s;

	engine_stats(w->engine, &s);
	return s;
}

static inline bool query_route(struct engine_ask *ask, unsigned int try, struct mad_addr *to,
                               uint8_t mad[MAD_SIZE])
{
	struct query *q = (struct query *)ask;
	const struct smp_query smp = { .attribute = q->attribute, .modifier = q->device };

	assert_true(try == q->routed || try == 3);
	q->routed++;
	if (q->moot)
		return false;
	smp_get_by_lid(mad, to, &smp, q->device);
	if (q->method)
		mad[3] = q->method;
	if (q->mgmt_class)
		mad[1] = q->mgmt_class;
	return true;
}

static inline void query_done(struct engine_ask *ask, enum engine_outcome outcome,
                              const uint8_t mad[MAD_SIZE])
{
	struct query *q = (struct query *)ask;

	q->done++;
	q->outcome = outcome;
	q->has_mad = mad;
	q->done_at_ns = elapsed_ns(q->world);
	if (q->stall_ns)
		line_stall(q->world->line, q->stall_ns);
	if (q->then)
		engine_ask(q->world->engine, &q->then->ask);
}

/* A question of a device, not asked yet. */
static inline struct query query_of(struct world *w, unsigned int device)
{
	return (struct query){
		.ask = { .device = &w->device[device], .route = query_route, .done = query_done },
		.world = w,
		.device = (uint16_t)device,
		.attribute = SMP_PORT_INFO,
	};
}

/* n questions, of this device and the following ones in turn, asked. */
static inline struct query *ask_many(struct world *w, size_t n, unsigned int device,
                                     unsigned int devices)
{
	struct query *q = calloc(n, sizeof(*q));

	assert_non_null(q);
	for (size_t i = 0; i < n; i++) {
		q[i] = query_of(w, device + i % devices);
		engine_ask(w->engine, &q[i].ask);
	}
	return q;
}

static inline size_t ended(const struct query *q, size_t n, enum engine_outcome outcome)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		assert_int_equal(q[i].done, 1);
		count += q[i].outcome == outcome;
	}
	return count;
}

static inline void run(struct world *w)
{
	assert_int_equal(engine_run(w->engine, NULL, NULL, NULL), 0);
	assert_int_equal(engine_open(w->engine), 0);
}

#endif
