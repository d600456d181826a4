/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"
#include "engine/flight.h"
#include "wire/mad.h"

#define NOWHERE UINT16_MAX

static const unsigned int ladder_ms[LADDER_FAST] = { 20, 60, 250 };

/* ---- queues: doubly linked by place number -------------------------------------- */

static void append_flight(struct flights *f, struct flight *fl, unsigned int queue)
{
	uint16_t self = fl - f->place, last = f->last[queue];

	fl->queue = queue;
	fl->before = last;
	fl->after = NOWHERE;
	if (last == NOWHERE)
		f->first[queue] = self;
	else
		f->place[last].after = self;
	f->last[queue] = self;
}

static void take_out(struct flights *f, struct flight *fl)
{
	if (fl->before == NOWHERE)
		f->first[fl->queue] = fl->after;
	else
		f->place[fl->before].after = fl->after;
	if (fl->after == NOWHERE)
		f->last[fl->queue] = fl->before;
	else
		f->place[fl->after].before = fl->before;
}

/* ---- the table -------------------------------------------------------------------- */

int flights_init(struct flights *f, size_t places, unsigned int timeout_ms)
{
	f->place = xalloc(places * sizeof(*f->place));
	if (!f->place)
		return -ENOMEM;
	f->places = places;
	for (size_t i = 0; i < places; i++)
		f->place[i].after = i + 1 < places ? i + 1 : NOWHERE;
	f->free = 0;
	for (unsigned int q = 0; q < LADDER_TRIES; q++) {
		unsigned int ms = timeout_ms;

		if (q < LADDER_FAST && ladder_ms[q] < timeout_ms)
			ms = ladder_ms[q];
		f->wait_ns[q] = ms * 1000000ull;
		f->first[q] = f->last[q] = NOWHERE;
	}
	return 0;
}

struct flight *flight_start(struct flights *f, struct engine_ask *ask, struct mad_header *h,
                            uint64_t now_ns)
{
	struct flight *fl;

	assert(f->free != NOWHERE);
	fl = &f->place[f->free];
	f->free = fl->after;
	fl->ask = ask;
	fl->sent_ns = now_ns;
	fl->modifier = h->modifier;
	fl->attribute = h->attribute;
	fl->mgmt_class = h->mgmt_class;
	fl->method = h->method;
	fl->generation++;
	fl->holds_window = fl->holds_device = true;
	fl->busy = false;
	append_flight(f, fl, 0);
	/* the kernel keeps the upper half for itself */
	h->tid = (uint32_t)fl->generation << 16 | (uint32_t)(fl - f->place);
	return fl;
}

void flight_end(struct flights *f, struct flight *fl)
{
	take_out(f, fl);
	fl->ask = NULL;
	fl->after = f->free;
	f->free = fl - f->place;
}

struct flight *flight_of(const struct flights *f, uint64_t tid)
{
	size_t place = tid & 0xffff;
	struct flight *fl;

	if (place >= f->places)
		return NULL;
	fl = &f->place[place];
	return fl->ask && fl->generation == (tid >> 16 & 0xffff) ? fl : NULL;
}

bool flight_matches(const struct flight *fl, const struct mad_header *h)
{
	enum mad_method method = fl->method == MAD_METHOD_GET_TABLE ? MAD_METHOD_GET_TABLE_RESP
	                                                            : MAD_METHOD_GET_RESP;

	return h->method == method && h->mgmt_class == fl->mgmt_class &&
	       h->attribute == fl->attribute && h->modifier == fl->modifier;
}

void flight_wait(struct flights *f, struct flight *fl, unsigned int queue)
{
	take_out(f, fl);
	append_flight(f, fl, queue);
}

struct flight *flight_due(const struct flights *f, unsigned int queue, uint64_t now_ns)
{
	struct flight *fl;

	if (f->first[queue] == NOWHERE)
		return NULL;
	fl = &f->place[f->first[queue]];
	return fl->sent_ns + f->wait_ns[queue] <= now_ns ? fl : NULL;
}

uint64_t flights_next_due(const struct flights *f)
{
	uint64_t next = UINT64_MAX, due;

	for (unsigned int q = 0; q < LADDER_TRIES; q++) {
		if (f->first[q] == NOWHERE)
			continue;
		due = f->place[f->first[q]].sent_ns + f->wait_ns[q];
		if (due < next)
			next = due;
	}
	return next;
}

struct flight *flights_any(const struct flights *f)
{
	for (unsigned int q = 0; q < LADDER_TRIES; q++)
		if (f->first[q] != NOWHERE)
			return &f->place[f->first[q]];
	return NULL;
}
