/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "transport/transport.h"

/* The kernel gives up within some ms of us: what it gave later was taken late. */
#define STALL_MS 50

/* On its way; of two that arrive at one time the first in the order of sending goes first. */
struct arrival {
	uint64_t due_ns, order;
	bool stalled; /* it was taken in time: the clock was not looked at before */
	struct mad_in in;
};

/* As many are on their way as a sweep has in flight: a few hundred, so a list will do. */
struct replay {
	struct transport base;
	const struct replay_ops *ops;
	void *ctx;
	uint64_t now_ns, order;
	struct arrival *due;
	size_t num, room;
};

static int replay_send(struct transport *t, const struct mad_addr *to, const uint8_t mad[MAD_SIZE],
                       unsigned int timeout_ms)
{
	struct replay *r = (struct replay *)t;
	struct arrival *a;
	struct replay_fate fate;

	if (!grow(&r->due, r->num, &r->room, sizeof(*r->due)))
		return -ENOMEM;
	a = &r->due[r->num];
	if (!r->ops->answer(r->ctx, to, mad, &a->in, &fate))
		return 0;
	a->due_ns = r->now_ns + fate.after_ns;
	a->stalled = fate.in_time && fate.after_ns >= (timeout_ms + STALL_MS) * 1000000ull;
	a->order = r->order++;
	r->num++;
	return 0;
}

static int replay_recv(struct transport *t, struct mad_in *in, uint64_t wait_ns)
{
	struct replay *r = (struct replay *)t;
	struct arrival *first = NULL;

	for (size_t i = 0; i < r->num; i++) {
		struct arrival *a = &r->due[i];

		if (!first || a->due_ns < first->due_ns ||
		    (a->due_ns == first->due_ns && a->order < first->order))
			first = a;
	}
	if (!first || (first->due_ns > r->now_ns && first->due_ns - r->now_ns > wait_ns &&
	               !(first->stalled && wait_ns))) {
		r->now_ns += wait_ns;
		if (wait_ns)
			r->now_ns += r->ops->late_ns(r->ctx, r->now_ns);
		return 0;
	}
	if (first->due_ns > r->now_ns)
		r->now_ns = first->due_ns;
	*in = first->in;
	*first = r->due[--r->num];
	return 1;
}

static uint64_t replay_now_ns(struct transport *t)
{
	return ((struct replay *)t)->now_ns;
}

static void replay_close(struct transport *t)
{
	struct replay *r = (struct replay *)t;

	free(r->due);
	free(r);
}

static const struct transport_ops replay_transport_ops = {
	.send = replay_send,
	.recv = replay_recv,
	.now_ns = replay_now_ns,
	.close = replay_close,
};

int transport_replay(const struct replay_ops *ops, void *ctx, struct transport **out,
                     struct ibc_error *err)
{
	struct replay *r = xalloc(sizeof(*r));

	if (!r)
		return fail_nomem(err);
	r->base.ops = &replay_transport_ops;
	r->ops = ops;
	r->ctx = ctx;
	*out = &r->base;
	return 0;
}
