/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "transport/transport.h"

struct recorder {
	struct transport base;
	struct transport *under;
	void (*tap)(void *ctx, const struct transport_event *event);
	void *ctx;
	uint64_t now_ns;
};

static int recorder_send(struct transport *t, const struct mad_addr *to,
                         const uint8_t mad[MAD_SIZE], unsigned int timeout_ms)
{
	struct recorder *r = (struct recorder *)t;
	const struct transport_event sent = { to, mad, MAD_SIZE, 0, r->now_ns };
	int rc = r->under->ops->send(r->under, to, mad, timeout_ms);

	if (rc == 0)
		r->tap(r->ctx, &sent);
	return rc;
}

static int recorder_recv(struct transport *t, struct mad_in *in, uint64_t wait_ns)
{
	struct recorder *r = (struct recorder *)t;
	int rc = r->under->ops->recv(r->under, in, wait_ns);
	struct transport_event arrived;

	r->now_ns = r->under->ops->now_ns(r->under);
	if (rc <= 0)
		return rc;
	arrived = (struct transport_event){ NULL, in->whole ? in->whole : in->mad, in->length,
		                            in->status, r->now_ns };
	r->tap(r->ctx, &arrived);
	return rc;
}

static uint64_t recorder_now_ns(struct transport *t)
{
	return ((struct recorder *)t)->now_ns;
}

static void recorder_close(struct transport *t)
{
	struct recorder *r = (struct recorder *)t;

	r->under->ops->close(r->under);
	free(r);
}

static const struct transport_ops recorder_ops = {
	.send = recorder_send,
	.recv = recorder_recv,
	.now_ns = recorder_now_ns,
	.close = recorder_close,
};

int transport_record(struct transport *under,
                     void (*tap)(void *ctx, const struct transport_event *event), void *ctx,
                     struct transport **out, struct ibc_error *err)
{
	struct recorder *r = xalloc(sizeof(*r));

	if (!r)
		return fail_nomem(err);
	*r = (struct recorder){ { &recorder_ops }, under, tap, ctx, under->ops->now_ns(under) };
	*out = &r->base;
	return 0;
}
