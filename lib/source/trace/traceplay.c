/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sweeps over what was recorded: the n-th equal query gets the n-th answer, after the time it
 * took.  What the trace does not hold is not answered, and no time is lost waiting for it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "fabric/build.h"
#include "source/capture.h"
#include "wire/mad.h"
#include "wire/sa.h"
#include "wire/secrets.h"
#include "wire/smp.h"

#define LATE_NS 50000000ull /* a busy host wakes so late after a wait; a guess */

/* struct recorded_query - a query of the sweep */
struct recorded_query {
	uint64_t hash;
	size_t mad;
	bool used;
};

struct replaying {
	const struct ibc_capture *cap;
	const struct capture_sweep *sweep;
	struct arena *arena;
	struct recorded_query *queries; /* in the order of their hashes */
	bool asks_again;                /* for extended speeds: older versions did not */
	size_t num, next;               /* next: the MAD behind the last that was sent or arrived */
};

/* ---- equal queries ----------------------------------------------------------------------- */

/* A query without what may differ: transaction id and keys. */
static void normalize(uint8_t out[MAD_SIZE], const uint8_t *mad, size_t length)
{
	memset(out, 0, MAD_SIZE);
	memcpy(out, mad, length);
	mad_tid_put(out, 0);
	mad_hide_keys(out, MAD_SIZE);
}

static uint64_t hash_of_query(const uint8_t mad[MAD_SIZE], uint16_t dlid)
{
	uint64_t hash = dlid + 5381; /* djb2, over words */

	for (size_t i = 0; i < MAD_SIZE; i += 8)
		hash = hash * 0x100000001b3 ^ bytes_get(mad + i, 8); /* the prime of FNV-1 */
	return hash;
}

static int by_hash(const void *a, const void *z)
{
	const struct recorded_query *p = a, *q = z;

	return order_u64(p->hash, q->hash) ?: order_u64(p->mad, q->mad);
}

static bool is_query(const struct capture_mad *m)
{
	return !m->mad.received && !m->mad.timed_out;
}

static void index_queries(struct replaying *r)
{
	uint8_t mad[MAD_SIZE];
	struct mad_header h;

	for (size_t i = r->sweep->first; i < r->sweep->end; i++) {
		const struct capture_mad *m = &r->cap->mads[i];

		if (!is_query(m))
			continue;
		normalize(mad, m->packet.bytes, m->packet.length);
		mad_header_get(mad, &h);
		r->asks_again |= h.attribute == SMP_PORT_INFO && h.modifier & SMP_ASKER_KNOWS;
		r->queries[r->num++] = (struct recorded_query){ hash_of_query(mad, m->mad.dlid), i,
			                                        false };
	}
	qsort(r->queries, r->num, sizeof(*r->queries), by_hash);
}

/* The first that is equal and has not been sent yet, or NULL; *again: the next one, or NULL. */
static const struct capture_mad *take_query(struct replaying *r, const uint8_t *sent, uint16_t dlid,
                                            const struct capture_mad **again)
{
	const struct capture_mad *found = NULL;
	struct recorded_query wanted = { .mad = 0 };
	uint8_t mad[MAD_SIZE], other[MAD_SIZE];
	size_t first;

	normalize(mad, sent, MAD_SIZE);
	wanted.hash = hash_of_query(mad, dlid);
	first = lower_bound(&wanted, r->queries, r->num, sizeof(wanted), by_hash);
	for (struct recorded_query *q = r->queries + first;
	     q < r->queries + r->num && q->hash == wanted.hash; q++) {
		const struct capture_mad *m = &r->cap->mads[q->mad];

		if (q->used || m->mad.dlid != dlid)
			continue;
		normalize(other, m->packet.bytes, m->packet.length);
		if (memcmp(other, mad, MAD_SIZE) != 0)
			continue;
		*again = m;
		if (found)
			return found;
		found = *again;
		q->used = true;
	}
	*again = NULL;
	return found;
}

/* ---- answers ------------------------------------------------------------------------------- */

static bool replay_answer(void *ctx, const struct mad_addr *to, const uint8_t mad[MAD_SIZE],
                          struct mad_in *in, struct replay_fate *fate)
{
	struct replaying *r = ctx;
	const struct capture_mad *again, *query = take_query(r, mad, to->dlid, &again), *reply;
	struct mad_header h;

	if (!query)
		return false;
	if (query >= r->cap->mads + r->next)
		r->next = (size_t)(query - r->cap->mads) + 1;
	if (!query->reply)
		return false;
	reply = &r->cap->mads[query->reply - 1];
	mad_header_get(mad, &h);
	*in = (struct mad_in){ .length = reply->packet.length };
	memcpy(in->mad, reply->packet.bytes, reply->packet.length);
	if (reply->mad.timed_out)
		in->status = ETIMEDOUT;
	else if (reply->segment)
		in->whole = capture_join(r->cap, reply, r->arena, &in->length);
	else if (reply->mad.mgmt_class == MAD_CLASS_SA && in->length == MAD_SIZE &&
	         sa_segment_number(in->mad))
		in->length = sa_segment_length(in->mad);
	mad_tid_put(in->mad, h.tid);
	fate->after_ns = reply->mad.time_ns > query->mad.time_ns
	                     ? reply->mad.time_ns - query->mad.time_ns
	                     : 0;
	fate->in_time = !reply->mad.timed_out && (!again || again > reply);
	return true;
}

/* Behind a wait that nothing ended a query was sent: then it was over. */
static uint64_t replay_late_ns(void *ctx, uint64_t now_ns)
{
	struct replaying *r = ctx;
	const struct capture_mad *next;
	uint64_t at_ns;

	while (r->next < r->sweep->end && !is_query(&r->cap->mads[r->next]))
		r->next++;
	if (r->next == r->sweep->end)
		return 0;
	next = &r->cap->mads[r->next];
	at_ns = next->mad.time_ns - r->sweep->from.wall_ns;
	return at_ns > now_ns && at_ns - now_ns < LATE_NS ? at_ns - now_ns : 0;
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

static int replay_sweep(const struct ibc_capture *cap, const struct capture_sweep *sweep,
                        const char *spec, const struct ibc_source_opts *opts,
                        struct fabric_build *b, struct ibc_error *err)
{
	static const struct replay_ops ops = { replay_answer, replay_late_ns };
	struct replaying r = { .cap = cap, .sweep = sweep, .next = sweep->first };
	struct ibc_source_opts how = *opts;
	struct transport_port from = sweep->from;
	struct transport *t;
	int rc;

	r.arena = arena_new();
	if (r.arena)
		r.queries = arena_array(r.arena, sweep->end - sweep->first + 1, sizeof(*r.queries));
	if (!r.queries) {
		arena_free(r.arena);
		return fail_nomem(err);
	}
	index_queries(&r);
	rc = transport_replay(&ops, &r, &t, err);
	if (rc == 0) {
		how.keys = NULL; /* a trace answers without, and shows none to compare with */
		from.asks_once = !r.asks_again;
		from.is_replay = true;
		rc = discover_subnet(t, &from, spec, &how, b, err);
		t->ops->close(t);
	}
	arena_free(r.arena);
	return rc;
}

/*
 * One of the sweeps of the command that recorded it.  One that started over, live, starts
 * over again; if it does not, the rest is left.
 */
static int replay_sweeps(const struct ibc_capture *cap, const char *spec,
                         const struct ibc_source_opts *opts, struct fabric_build *b,
                         struct ibc_error *err)
{
	unsigned int pass = opts->again ? opts->again->pass : 0;
	unsigned int run = opts->run ? opts->run : 1;
	const char *file = arena_strdup(fabric_build_arena(b), cap->name);
	struct ibc_subnet *subnet;
	size_t before = 0;
	int rc = file ? 0 : fail_nomem(err);

	while (fabric_build_subnet_at(b, before))
		before++;
	for (size_t i = 0; rc == 0 && i < cap->num_sweeps; i++)
		if (cap->sweeps[i].run == run && cap->sweeps[i].pass == pass)
			rc = replay_sweep(cap, &cap->sweeps[i], spec, opts, b, err);
	if (rc)
		return rc;
	if (!fabric_build_subnet_at(b, before))
		return fail(err, -EINVAL, "%s: the trace has no sweep %u%s", cap->name, run + pass,
		            run > 1 ? ": it was recorded with fewer windows (--interval, --count)"
		                    : "");
	for (; (subnet = fabric_build_subnet_at(b, before)); before++) {
		subnet->file = file;
		subnet->kind = "trace";
	}
	return 0;
}

int replay_capture(struct text_file *f, const char *spec, const struct ibc_source_opts *opts,
                   struct fabric_build *b, struct ibc_error *err)
{
	struct ibc_capture *cap;
	size_t before = 0;
	int rc = capture_read(f, &cap, err);

	if (rc)
		return rc;
	while (fabric_build_subnet_at(b, before))
		before++;
	if (cap->num_sweeps)
		rc = replay_sweeps(cap, spec, opts, b, err);
	else
		rc = fail(err, -EINVAL,
		          "%s was not recorded by ibcheck --record: it does not replay; ibcheck "
		          "trace lists it",
		          cap->name);
	ibc_capture_free(cap);
	return text_end_read(f, rc, b, before, IBC_ATTRS(IBC_ATTR_NODE_INFO), err);
}

const struct byte_source source_trace = { is_capture, replay_capture };
