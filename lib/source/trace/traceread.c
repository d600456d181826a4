/* SPDX-License-Identifier: BSD-2-Clause */
/* Captures as they are read: ours, and those of others. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "source/capture.h"
#include "wire/mad.h"
#include "wire/sa.h"

#define ANSWER_BIT    0x80              /* of a method: a response (IBA 13.4.5) */
#define BLOCK         65536             /* bytes read at a time */
#define CAPTURE_BYTES ((size_t)1 << 34) /* no trace is so long: the largest sweeps have 2 GB */

/* ---- the bytes ------------------------------------------------------------------------ */

static int read_bytes(struct ibc_capture *cap, struct text_file *f, struct ibc_error *err)
{
	char *bytes;
	ssize_t n;

	while ((n = text_block(f, BLOCK, &bytes, err)) > 0) {
		if (cap->size + BLOCK > CAPTURE_BYTES)
			return fail(err, -EINVAL, "%s is too long for a trace", cap->name);
		while (cap->room < cap->size + (size_t)n)
			if (!grow(&cap->bytes, cap->room, &cap->room, 1))
				return fail_nomem(err);
		memcpy(cap->bytes + cap->size, bytes, (size_t)n);
		cap->size += (size_t)n;
	}
	return (int)n;
}

/* ---- records ---------------------------------------------------------------------------- */

static int add_mad(struct ibc_capture *cap, const struct erf_record *r, struct ibc_error *err)
{
	struct capture_mad *m;
	struct mad_header h;

	if (!grow(&cap->mads, cap->num, &cap->mads_room, sizeof(*cap->mads)))
		return fail_nomem(err);
	m = &cap->mads[cap->num++];
	mad_header_get(r->bytes, &h);
	*m = (struct capture_mad){
		.mad = { .record = cap->records,
		         .time_ns = r->time_ns,
		         .modifier = h.modifier,
		         .attribute = h.attribute,
		         .status = h.status,
		         .dlid = r->dlid,
		         .slid = r->slid,
		         .mgmt_class = h.mgmt_class,
		         .method = h.method,
		         .received = r->received,
		         /* of a sniffer the flag has another meaning */
		         .timed_out = cap->num_sweeps && r->error && !r->received },
		.packet = *r,
		.tid = h.tid,
	};
	return 0;
}

/* If it is the comment that begins a sweep of ours. */
static int add_sweep(struct ibc_capture *cap, const struct erf_record *r, struct ibc_error *err)
{
	struct capture_sweep sweep = { .from.wall_ns = r->time_ns };
	struct transport_port *from = &sweep.from;
	char text[ERF_COMMENT_MAX + 1];
	size_t n = r->length < ERF_COMMENT_MAX ? r->length : ERF_COMMENT_MAX;

	memcpy(text, r->bytes, n);
	text[n] = '\0';
	if (sscanf(text, CAPTURE_COMMENT "run=%u pass=%u ca=%31s port=%u lid=%u host=%64s",
	           &sweep.run, &sweep.pass, from->ca, &from->port, &from->lid, from->host) < 5) {
		cap->others++;
		return 0;
	}
	if (!grow(&cap->sweeps, cap->num_sweeps, &cap->sweeps_room, sizeof(*cap->sweeps)))
		return fail_nomem(err);
	if (cap->num_sweeps)
		cap->sweeps[cap->num_sweeps - 1].end = cap->num;
	sweep.first = cap->num;
	cap->sweeps[cap->num_sweeps++] = sweep;
	return 0;
}

static int add_record(struct ibc_capture *cap, const struct pcap_packet *p, struct text_file *f,
                      struct ibc_error *err)
{
	struct erf_record r = { .time_ns = p->time_ns };
	enum erf_kind kind = ERF_OTHER;

	cap->records++;
	if (p->unread) {
		cap->others++;
		text_complain(f, (struct text_place){ 0 },
		              "record %zu is not read: it is in a block of another type than "
		              "Enhanced Packet Block",
		              cap->records);
		return 0;
	}
	if (p->link_type == PCAP_LINK_ERF)
		kind = erf_get(p->bytes, p->length, &r);
	else if (p->link_type == PCAP_LINK_INFINIBAND)
		kind = packet_get(p->bytes, p->length, &r);
	else
		cap->foreign = p->link_type;
	switch (kind) {
	case ERF_MAD:
		return add_mad(cap, &r, err);
	case ERF_COMMENT:
		return add_sweep(cap, &r, err);
	case ERF_OTHER:
		cap->others++;
		return 0;
	case ERF_DAMAGED:
		break;
	}
	cap->others++;
	text_complain(f, (struct text_place){ 0 },
	              "record %zu is damaged: its lengths contradict each other", cap->records);
	return 0;
}

static int read_records(struct ibc_capture *cap, struct text_file *f, struct ibc_error *err)
{
	struct pcap_format format;
	struct pcap_packet packet;
	size_t at, length;
	int rc = 0;

	if (!is_capture(cap->bytes, cap->size))
		return fail(err, -EINVAL, "%s is no capture: it must be a pcap or pcapng file",
		            cap->name);
	pcap_header_get(cap->bytes, &format);
	for (at = format.blocks ? 0 : PCAP_HEADER_SIZE; rc == 0 && at < cap->size; at += length) {
		length = pcap_next(cap->bytes + at, cap->size - at, &format, &packet);
		if (!length)
			return fail(err, -EINVAL, "%s: record %zu is cut off", cap->name,
			            cap->records + 1);
		if (packet.bytes || packet.unread)
			rc = add_record(cap, &packet, f, err);
	}
	if (!rc && cap->foreign && cap->others == cap->records)
		return fail(err, -EINVAL,
		            "%s has packets of link type %u: it must be ERF, which is %d, or "
		            "InfiniBand, which is %d",
		            cap->name, cap->foreign, PCAP_LINK_ERF, PCAP_LINK_INFINIBAND);
	if (cap->num_sweeps)
		cap->sweeps[cap->num_sweeps - 1].end = cap->num;
	return rc;
}

/* ---- which answer to which query ---------------------------------------------------------- */

struct pairing {
	uint64_t tid;
	size_t index;
	uint8_t mgmt_class;
};

static int by_exchange(const void *a, const void *z)
{
	const struct pairing *p = a, *q = z;

	return order_u64(p->tid, q->tid) ?: order_u64(p->mgmt_class, q->mgmt_class)
	                                 ?: order_u64(p->index, q->index);
}

/* The first answer to a query counts; it may have more segments, of which *last is the last. */
static void pair_reply(struct ibc_capture *cap, size_t query, size_t reply,
                       struct capture_mad **last)
{
	struct capture_mad *q = &cap->mads[query], *m = &cap->mads[reply];
	uint32_t number = 0;

	if (q->reply && (*last)->packet.length == MAD_SIZE)
		number = sa_segment_number((*last)->packet.bytes);
	if (!q->reply) {
		q->reply = reply + 1;
		q->mad.answered = !m->mad.timed_out;
		if (q->mad.answered && m->mad.time_ns > q->mad.time_ns)
			m->mad.rtt_ns = m->mad.time_ns - q->mad.time_ns;
		*last = m;
	} else if (number && m->mad.mgmt_class == MAD_CLASS_SA && m->packet.length == MAD_SIZE &&
	           sa_segment_number(m->packet.bytes) == number + 1) {
		(*last)->segment = reply + 1;
		*last = m;
	}
}

/*
 * A query takes its transaction id with it; the kernel puts its own into the upper half, so
 * that of a trace of ours only the lower one comes back.
 */
static int pair_replies(struct ibc_capture *cap, struct ibc_error *err)
{
	uint64_t half = cap->num_sweeps ? UINT32_MAX : UINT64_MAX;
	struct pairing *pairs = xalloc((cap->num + 1) * sizeof(*pairs));
	const struct pairing *query = NULL;
	struct capture_mad *last = NULL;

	if (!pairs)
		return fail_nomem(err);
	for (size_t i = 0; i < cap->num; i++)
		pairs[i] = (struct pairing){ cap->mads[i].tid & half, i,
			                     cap->mads[i].mad.mgmt_class };
	qsort(pairs, cap->num, sizeof(*pairs), by_exchange);
	for (size_t i = 0; i < cap->num; i++) {
		const struct pairing *p = &pairs[i];
		const struct ibc_mad *m = &cap->mads[p->index].mad;

		if (query && (query->tid != p->tid || query->mgmt_class != p->mgmt_class))
			query = NULL;
		if (!m->timed_out && !(m->method & ANSWER_BIT))
			query = p;
		else if (query)
			pair_reply(cap, query->index, p->index, &last);
	}
	free(pairs);
	return 0;
}

uint8_t *capture_join(const struct ibc_capture *cap, const struct capture_mad *first,
                      struct arena *arena, size_t *length)
{
	const size_t data = MAD_SIZE - SA_HEADER_SIZE;
	const struct capture_mad *m = first;
	size_t num = 1;
	uint8_t *whole;

	for (; m->segment; m = &cap->mads[m->segment - 1])
		num++;
	*length = (num - 1) * data + sa_segment_length(m->packet.bytes);
	whole = arena_alloc(arena, num * data + SA_HEADER_SIZE);
	if (!whole)
		return NULL;
	memcpy(whole, first->packet.bytes, SA_HEADER_SIZE);
	m = first;
	for (size_t i = 0; i < num; i++) {
		memcpy(whole + SA_HEADER_SIZE + i * data, m->packet.bytes + SA_HEADER_SIZE, data);
		if (m->segment)
			m = &cap->mads[m->segment - 1];
	}
	return whole;
}

/* ---- a capture ------------------------------------------------------------------------------ */

int capture_read(struct text_file *f, struct ibc_capture **out, struct ibc_error *err)
{
	struct ibc_capture *cap = xalloc(sizeof(*cap));
	int rc;

	*out = NULL;
	if (cap)
		cap->name = xalloc(strlen(text_name(f)) + 1);
	if (!cap || !cap->name) {
		ibc_capture_free(cap);
		return fail_nomem(err);
	}
	strcpy(cap->name, text_name(f));
	rc = read_bytes(cap, f, err);
	if (!rc)
		rc = read_records(cap, f, err);
	if (!rc)
		rc = pair_replies(cap, err);
	if (rc)
		ibc_capture_free(cap);
	else
		*out = cap;
	return rc;
}

static int load(struct text_file *f, struct ibc_capture **out, struct ibc_error *err)
{
	int rc = text_verdict(f, capture_read(f, out, err), err);

	text_close(f);
	if (rc) {
		ibc_capture_free(*out);
		*out = NULL;
	}
	return rc;
}

int ibc_capture_load(const char *path, struct ibc_capture **out, struct ibc_error *err)
{
	struct text_file *f;

	return text_open(path, &f, err) ?: load(f, out, err);
}

int ibc_capture_load_fd(int fd, const char *name, struct ibc_capture **out, struct ibc_error *err)
{
	struct text_file *f;

	return text_take(fd, name, &f, err) ?: load(f, out, err);
}

void ibc_capture_free(struct ibc_capture *cap)
{
	if (!cap)
		return;
	free(cap->name);
	free(cap->bytes);
	free(cap->mads);
	free(cap->sweeps);
	free(cap);
}

const struct ibc_mad *ibc_capture_mad(const struct ibc_capture *cap, size_t i)
{
	return i < cap->num ? &cap->mads[i].mad : NULL;
}

size_t ibc_capture_others(const struct ibc_capture *cap)
{
	return cap->others;
}

size_t ibc_capture_sweeps(const struct ibc_capture *cap)
{
	return cap->num_sweeps;
}
