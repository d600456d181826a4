/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKRIG_H
#define MKRIG_H

/*
 * A real fabric behind a simulated line, and what a sweep makes of it:
 *
 *	struct rig r = rig("synth:fattree:leaves=2,spines=1,hosts=1");
 *
 *	model_silence(r.model, node);
 *	sweep(&r);
 *	assert_int_equal(ibc_fabric_count(r.seen).nodes, 4);
 *	rig_free(&r);
 *
 * Include it after <cmocka.h>.
 */
#include <errno.h>

#include "base/arena.h"
#include "mkfab.h"
#include "model/line.h"
#include "model/model.h"
#include "source/source.h"

#define RTT_NS   50000
#define TWO_TIER "synth:fattree:leaves=6,spines=3,hosts=4,cables=2"

struct rig {
	struct ibc_fabric *real, *seen;
	struct model *model;
	struct line_opts line;
	line_answer_fn *answer; /* in place of model_answer() */
	struct ibc_source_opts opts;
	struct ibc_error err;
	int rc;
};

/* From a port of the fabric; NULL: the first host with a cable. */
static inline struct rig rig_from(struct ibc_fabric *real, const struct ibc_port *from)
{
	struct rig r = { .real = real };
	const struct ibc_port *p;

	/* FDR10 is told only by a port that runs at it, or at QDR */
	for (size_t i = 0; (p = ibc_fabric_port(real, i)); i++)
		if (p->speed_active > IBC_SPEED_FDR10 || !p->peer) {
			((struct ibc_port *)p)->speed_enabled &= (uint16_t)~IBC_SPEED_FDR10;
			((struct ibc_port *)p)->speed_supported &= (uint16_t)~IBC_SPEED_FDR10;
		}
	r.model = model_new(real, from);
	r.answer = model_answer;
	r.line = (struct line_opts){ .rtt_ns = RTT_NS,
		                     .silence = LINE_SAYS_NOTHING,
		                     .whole = model_whole,
		                     .fate = model_fate };
	r.opts = IBC_SOURCE_OPTS_INIT;
	return r;
}

static inline struct rig rig_of(struct ibc_fabric *real)
{
	return rig_from(real, NULL);
}

/* With all that needs names: it is there, and it is asked for. */
static inline struct rig rig_needing(const char *spec, struct ibc_attrs needs)
{
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;
	struct mkfab m = { 0 };
	struct rig r;

	opts.needs = needs;
	assert_int_equal(fabric_build_new(&m.b, NULL), 0);
	assert_int_equal(source_synth(spec, &opts, m.b, NULL), 0);
	r = rig_of(done(m));
	r.opts.needs = needs;
	return r;
}

static inline struct rig rig(const char *spec)
{
	return rig_needing(spec, IBC_ATTRS());
}

/* What the system says of the port that is swept from. */
static inline struct transport_port rig_port(const struct rig *r)
{
	return (
	    struct transport_port){ .ca = "sim0", .port = 1, .guid = model_from(r->model)->guid };
}

static inline void sweep(struct rig *r)
{
	struct transport_port from = rig_port(r);
	struct line *line = line_new(&r->line, r->answer, r->model);
	struct fabric_build *b;

	model_clock(r->model, line);
	assert_int_equal(fabric_build_new(&b, NULL), 0);
	r->rc = discover_subnet(line_transport(line), &from, "umad", &r->opts, b, &r->err);
	model_clock(r->model, NULL);
	if (r->rc)
		fabric_build_free(b);
	else
		assert_int_equal(fabric_build_finish(b, &r->seen, NULL), 0);
	line_free(line);
}

/* Sweeps until no allocation is left to fail: each must end the sweep with -ENOMEM. */
static inline void sweep_short_of_memory(struct rig *r)
{
	struct transport_port from = rig_port(r);
	unsigned long n = 0;

	do {
		struct line *line = line_new(&r->line, r->answer, r->model);
		struct fabric_build *b;

		assert_int_equal(fabric_build_new(&b, NULL), 0);
		alloc_fail_at(++n);
		r->rc = discover_subnet(line_transport(line), &from, "umad", &r->opts, b, &r->err);
		if (r->rc == 0 && fabric_build_failed(b))
			r->rc = -ENOMEM;
		alloc_fail_at(0);
		fabric_build_free(b);
		line_free(line);
		assert_true(r->rc == 0 || r->rc == -ENOMEM);
	} while (r->rc);
	assert_true(n > 3);
}

static inline void rig_free(struct rig *r)
{
	ibc_fabric_free(r->seen);
	model_free(r->model);
	ibc_fabric_free(r->real);
}

static inline struct ibc_port *real_port(struct rig *r, uint64_t guid, unsigned int num)
{
	return fabric_build_port(ibc_fabric_node_by_guid(r->real, guid), num);
}

#endif
