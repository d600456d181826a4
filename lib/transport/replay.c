/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "transport/transport.h"

/* the kernel gives up within some ms of us: what it gave later was taken late */
#define STALL_MS 50

/* struct waiting - for a query: @over_ns: when its time is over; the rest as in replay_fate */
struct waiting {
	uint64_t over_ns, due_ns;
	size_t answer, end;
	struct mad_in in;
};

/* As many are waited for as a sweep has in flight: a few hundred, so a list will do. */
struct replay {
	struct transport base;
	const struct replay_ops *ops;
	void *ctx;
	uint64_t now_ns;
	struct waiting *all;
	size_t num, room;
};

static int replay_send(struct transport *t, const struct mad_addr *to, const uint8_t mad[MAD_SIZE],
                       unsigned int timeout_ms)
{
	struct replay *r = (struct replay *)t;
	struct replay_fate fate;
	struct waiting *w;

	if (!grow(&r->all, r->num, &r->room, sizeof(*r->all)))
		return -ENOMEM;
	w = &r->all[r->num];
	r->ops->answer(r->ctx, to, mad, &w->in, &fate);
	w->over_ns = r->now_ns + timeout_ms * 1000000ull;
	w->due_ns = r->now_ns + fate.after_ns;
	w->answer = fate.answer;
	w->end = fate.end;
	if (fate.last && fate.after_ns < (timeout_ms + STALL_MS) * 1000000ull)
		w->end = REPLAY_NEVER;
	for (size_t i = 0; i < r->num; i++)
		if (r->all[i].end == fate.query)
			r->all[i].end = REPLAY_NEVER;
	r->num += w->answer != REPLAY_NEVER || w->end != REPLAY_NEVER;
	return 0;
}

static int replay_recv(struct transport *t, struct mad_in *in, uint64_t wait_ns)
{
	struct replay *r = (struct replay *)t;
	uint64_t until_ns = r->now_ns + wait_ns;
	struct waiting *first = NULL;
	bool stalled = false;

	/* what came after the next try was late: that is sent first */
	for (struct waiting *w = r->all; w < r->all + r->num; w++)
		if (w->answer != REPLAY_NEVER && w->answer <= w->end &&
		    (!first || w->answer < first->answer))
			first = w;
	for (struct waiting *w = r->all; first && w < r->all + r->num; w++)
		stalled |= w->end != REPLAY_NEVER && w->end >= first->answer &&
		           w->over_ns <= until_ns;
	if (!first || (first->due_ns > until_ns && !stalled)) {
		r->now_ns += wait_ns;
		if (wait_ns)
			r->now_ns += r->ops->late_ns(r->ctx, r->now_ns);
		return 0;
	}
	if (first->due_ns > r->now_ns)
		r->now_ns = first->due_ns;
	*in = first->in;
	*first = r->all[--r->num];
	return 1;
}

static uint64_t replay_now_ns(struct transport *t)
{
	return ((struct replay *)t)->now_ns;
}

static void replay_close(struct transport *t)
{
	struct replay *r = (struct replay *)t;

	free(r->all);
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
