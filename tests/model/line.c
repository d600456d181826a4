/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/line.h"

/* On its way back; a heap by time of arrival, told apart by the order of sending. */
struct event {
	uint64_t due_ns, order;
	uint32_t slot;
};

struct line {
	struct transport base;
	struct line_opts opts;
	struct line_counts counts;
	line_answer_fn *answer;
	void *ctx;
	uint64_t now_ns, order, random;
	uint64_t sends, arrivals, waits;
	struct event *heap;
	size_t pending, room;
	uint8_t *whole; /* of the last arrival */
	struct mad_in *slots;
	uint32_t *free_slots;
	uint64_t *busy_until; /* by device */
	size_t devices;
};

/* ---- the heap ------------------------------------------------------------------------- */

static void *grown(void *p, size_t n, size_t size)
{
	p = reallocarray(p, n, size);
	assert(p);
	return p;
}

static void make_room(struct line *l)
{
	size_t room = l->room ? 2 * l->room : 256;

	l->heap = grown(l->heap, room, sizeof(*l->heap));
	l->slots = grown(l->slots, room, sizeof(*l->slots));
	l->free_slots = grown(l->free_slots, room, sizeof(*l->free_slots));
	for (size_t i = l->room; i < room; i++)
		l->free_slots[i] = i;
	l->room = room;
}

static bool is_before(const struct event *a, const struct event *z)
{
	return a->due_ns < z->due_ns || (a->due_ns == z->due_ns && a->order < z->order);
}

static struct mad_in *arrive_at(struct line *l, uint64_t due_ns)
{
	struct event event = { due_ns, l->order++, 0 };
	size_t i;

	if (l->pending == l->room)
		make_room(l);
	event.slot = l->free_slots[l->pending];
	for (i = l->pending++; i && is_before(&event, &l->heap[(i - 1) / 2]); i = (i - 1) / 2)
		l->heap[i] = l->heap[(i - 1) / 2];
	l->heap[i] = event;
	return &l->slots[event.slot];
}

static void take_first(struct line *l, struct mad_in *out)
{
	struct event last = l->heap[--l->pending];
	uint32_t slot = l->heap[0].slot;
	size_t i = 0, child;

	while ((child = 2 * i + 1) < l->pending) {
		if (child + 1 < l->pending && is_before(&l->heap[child + 1], &l->heap[child]))
			child++;
		if (!is_before(&l->heap[child], &last))
			break;
		l->heap[i] = l->heap[child];
		i = child;
	}
	l->heap[i] = last;
	l->free_slots[l->pending] = slot;
	memcpy(out, &l->slots[slot], sizeof(*out));
}

/* ---- time ------------------------------------------------------------------------------- */

static uint64_t real_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t line_now_ns(struct line *l)
{
	if (l->opts.real_time)
		l->now_ns = real_ns();
	return l->now_ns;
}

void line_stall(struct line *l, uint64_t ns)
{
	assert(!l->opts.real_time);
	l->now_ns += ns;
}

uint64_t line_next_ns(const struct line *l)
{
	return l->pending ? l->heap[0].due_ns : UINT64_MAX;
}

/* Sleeping is too coarse for the last stretch. */
static void wait_until(struct line *l, uint64_t due_ns)
{
	const uint64_t stretch_ns = 200000;
	struct timespec pause = { 0 };

	if (!l->opts.real_time) {
		l->now_ns = due_ns;
		return;
	}
	while (line_now_ns(l) < due_ns) {
		if (due_ns - l->now_ns < 2 * stretch_ns)
			continue;
		pause.tv_sec = (due_ns - l->now_ns - stretch_ns) / 1000000000;
		pause.tv_nsec = (due_ns - l->now_ns - stretch_ns) % 1000000000;
		nanosleep(&pause, NULL);
	}
}

/* ---- sending ------------------------------------------------------------------------------ */

static uint64_t next_random(struct line *l)
{
	uint64_t z = l->random += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static bool is_lost(struct line *l)
{
	return l->opts.loss > 0 && (double)(next_random(l) >> 11) * 0x1p-53 < l->opts.loss;
}

static uint64_t *busy_until(struct line *l, size_t device)
{
	if (device >= l->devices) {
		l->busy_until = grown(l->busy_until, device + 1, sizeof(*l->busy_until));
		memset(l->busy_until + l->devices, 0,
		       (device + 1 - l->devices) * sizeof(*l->busy_until));
		l->devices = device + 1;
	}
	return &l->busy_until[device];
}

/* When the answer of a device is here; 0: it had no room for the query. */
static uint64_t answered_at(struct line *l, int device)
{
	uint64_t there_ns = line_now_ns(l) + l->opts.rtt_ns / 2, *busy;

	if (!l->opts.service_ns)
		return l->now_ns + l->opts.rtt_ns;
	busy = busy_until(l, (size_t)device);
	if (*busy < there_ns)
		*busy = there_ns;
	if (l->opts.device_queue &&
	    *busy - there_ns > (uint64_t)l->opts.device_queue * l->opts.service_ns)
		return 0;
	*busy += l->opts.service_ns;
	return *busy + l->opts.rtt_ns - l->opts.rtt_ns / 2;
}

static bool is_turn(unsigned int every, uint64_t count)
{
	return every && count % every == 0;
}

/* An answer of another length: what is longer is kept until it was taken. */
static void answer_whole(struct line *l, struct mad_in *in)
{
	size_t length;
	const uint8_t *bytes = l->opts.whole(l->ctx, &length);
	uint8_t *copy;

	if (!bytes)
		return;
	in->length = length;
	if (length <= MAD_SIZE)
		return;
	copy = malloc(length);
	assert(copy);
	memcpy(copy, in->mad, MAD_SIZE);
	memcpy(copy + MAD_SIZE, bytes + MAD_SIZE, length - MAD_SIZE);
	in->whole = copy;
}

static void answer_comes(struct line *l, const uint8_t mad[MAD_SIZE], uint64_t due_ns)
{
	struct mad_in *in;

	l->counts.answers++;
	if (is_turn(l->opts.late_every, l->counts.answers))
		due_ns += l->opts.late_ns;
	in = arrive_at(l, due_ns);
	memcpy(in->mad, mad, MAD_SIZE);
	in->status = 0;
	in->length = is_turn(l->opts.shorten_every, l->counts.answers) ? MAD_SIZE - 1 : MAD_SIZE;
	in->whole = NULL;
	if (l->opts.whole)
		answer_whole(l, in);
	if (is_turn(l->opts.mangle_every, l->counts.answers))
		l->opts.mangle(in->mad);
}

static void nobody_answers(struct line *l, const uint8_t mad[MAD_SIZE], unsigned int timeout_ms)
{
	const size_t header = 24;
	uint64_t wait_ns = l->opts.silence == LINE_SAYS_AT_ONCE ? 0 : timeout_ms * 1000000ull;
	struct mad_in *in;

	if (l->opts.silence == LINE_SAYS_NOTHING)
		return;
	in = arrive_at(l, line_now_ns(l) + wait_ns);
	memset(in, 0, sizeof(*in));
	memcpy(in->mad, mad, header);
	in->length = header;
	in->status = ETIMEDOUT;
}

static int line_send(struct transport *t, const struct mad_addr *to, const uint8_t mad[MAD_SIZE],
                     unsigned int timeout_ms)
{
	struct line *l = (struct line *)t;
	struct line_fate fate = { .times = 1 };
	uint8_t answer[MAD_SIZE];
	uint64_t due_ns = 0;
	int device;

	if (l->opts.fail_send_at && ++l->sends >= l->opts.fail_send_at)
		return l->opts.failure;
	l->counts.sent++;
	memcpy(answer, mad, MAD_SIZE);
	device = is_lost(l) ? LINE_NOBODY - 1 : l->answer(l->ctx, to, answer);
	if (device < LINE_NOBODY)
		l->counts.lost++;
	else if (device >= 0 && !(due_ns = answered_at(l, device)))
		l->counts.overflowed++;
	if (due_ns && l->opts.fate)
		fate = l->opts.fate(l->ctx);
	if (!due_ns)
		nobody_answers(l, mad, timeout_ms);
	for (; due_ns && fate.times; fate.times--)
		answer_comes(l, answer, due_ns + fate.late_ns);
	if (due_ns && is_turn(l->opts.duplicate_every, l->counts.answers))
		answer_comes(l, answer, due_ns);
	if (l->pending > l->counts.peak_in_flight)
		l->counts.peak_in_flight = l->pending;
	return 0;
}

/* ---- the rest --------------------------------------------------------------------------- */

static int line_recv(struct transport *t, struct mad_in *in, uint64_t wait_ns)
{
	struct line *l = (struct line *)t;
	uint64_t began_ns = line_now_ns(l), until_ns = began_ns + wait_ns;

	if (until_ns < wait_ns)
		until_ns = UINT64_MAX;
	if (line_next_ns(l) > l->now_ns)
		wait_until(l, line_next_ns(l) < until_ns ? line_next_ns(l) : until_ns);
	if (line_next_ns(l) > l->now_ns)
		return 0;
	if (until_ns > began_ns && is_turn(l->opts.stall_every, ++l->waits))
		line_stall(l, l->opts.stall_ns);
	if (l->opts.fail_recv_at && ++l->arrivals >= l->opts.fail_recv_at)
		return l->opts.failure;
	take_first(l, in);
	free(l->whole);
	l->whole = (uint8_t *)in->whole;
	return 1;
}

static uint64_t line_clock(struct transport *t)
{
	return line_now_ns((struct line *)t);
}

static void line_close(struct transport *t)
{
	line_free((struct line *)t);
}

static const struct transport_ops line_ops = {
	.send = line_send,
	.recv = line_recv,
	.now_ns = line_clock,
	.close = line_close,
};

struct line *line_new(const struct line_opts *opts, line_answer_fn *answer, void *ctx)
{
	struct line *l = calloc(1, sizeof(*l));

	assert(l);
	l->base.ops = &line_ops;
	l->opts = *opts;
	l->answer = answer;
	l->ctx = ctx;
	l->random = opts->seed;
	l->now_ns = 1000000000;
	return l;
}

void line_free(struct line *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->pending; i++)
		free((uint8_t *)l->slots[l->heap[i].slot].whole);
	free(l->whole);
	free(l->heap);
	free(l->slots);
	free(l->free_slots);
	free(l->busy_until);
	free(l);
}

struct transport *line_transport(struct line *l)
{
	return &l->base;
}

struct line_opts *line_opts(struct line *l)
{
	return &l->opts;
}

const struct line_counts *line_counts(const struct line *l)
{
	return &l->counts;
}
