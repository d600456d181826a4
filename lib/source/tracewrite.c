/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces as they are written, while a sweep runs. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "source/capture.h"
#include "source/pack.h"
#include "wire/mad.h"
#include "wire/sa.h"
#include "wire/secrets.h"

/* struct ibc_recording - wall_ns, clock_ns: the same moment, of the two clocks */
struct ibc_recording {
	FILE *file, *packed; /* packed: what compresses into file, or NULL */
	uint64_t wall_ns, clock_ns;
	unsigned int run;
	uint16_t lid;
	bool failed;
};

bool is_capture(const uint8_t *bytes, size_t n)
{
	struct pcap_format format;

	return n >= PCAP_HEADER_SIZE && pcap_header_get(bytes, &format);
}

static void write_bytes(struct ibc_recording *rec, const void *bytes, size_t n)
{
	FILE *out = rec->packed ? rec->packed : rec->file;

	rec->failed |= fwrite(bytes, 1, n, out) != n;
}

static bool has_suffix(const char *path, const char *suffix)
{
	size_t length = strlen(path), n = strlen(suffix);

	return length >= n && !strcmp(path + length - n, suffix);
}

int ibc_recording_new(FILE *file, const char *path, struct ibc_recording **out,
                      struct ibc_error *err)
{
	struct ibc_recording *rec = xalloc(sizeof(*rec));
	uint8_t header[PCAP_HEADER_SIZE];
	bool gzip = has_suffix(path, ".gz"), zstd = has_suffix(path, ".zst");

	if (!rec)
		return fail_nomem(err);
	rec->file = file;
	if (gzip || zstd)
		rec->packed = gzip ? pack_gzip(file) : pack_zstd(file);
	if ((gzip || zstd) && !rec->packed) {
		free(rec);
		return fail_nomem(err);
	}
	pcap_header_put(header);
	write_bytes(rec, header, sizeof(header));
	*out = rec;
	return 0;
}

int ibc_recording_end(struct ibc_recording *rec, struct ibc_error *err)
{
	bool failed;

	if (!rec)
		return 0;
	failed = rec->failed;
	failed |= rec->packed && fclose(rec->packed);
	failed |= fflush(rec->file) != 0;
	free(rec);
	return failed ? fail(err, -EIO, "cannot write the trace: the output failed") : 0;
}

/* ---- records ------------------------------------------------------------------------ */

void recording_comment(struct ibc_recording *rec, const struct capture_sweep *sweep)
{
	const struct transport_port *from = &sweep->from;
	uint8_t record[ERF_PACKET_MAX];
	char text[ERF_COMMENT_MAX];

	snprintf(text, sizeof(text), CAPTURE_COMMENT "run=%u pass=%u ca=%s port=%u lid=%u host=%s",
	         sweep->run, sweep->pass, from->ca, from->port, from->lid, from->host);
	write_bytes(rec, record, erf_put_comment(record, from->wall_ns, text));
}

void recording_mad(struct ibc_recording *rec, const struct erf_record *r)
{
	uint8_t record[ERF_PACKET_MAX];

	write_bytes(rec, record, erf_put_mad(record, r));
}

/* Where an answer comes from is not known here: its source LID is left 0. */
static void record_event(void *ctx, const struct transport_event *event)
{
	struct ibc_recording *rec = ctx;
	uint8_t mad[MAD_SIZE] = { 0 }, segment[MAD_SIZE], *whole = mad;
	bool directed, is_smp;
	struct erf_record r;
	uint16_t lid;

	if (event->length < MAD_HEADER_SIZE)
		return; /* too short to be anything: the engine drops it, too */
	if (event->length > MAD_SIZE)
		whole = xalloc(event->length);
	rec->failed |= !whole;
	if (!whole)
		return;
	memcpy(whole, event->bytes, event->length);
	mad_hide_keys(whole, event->length);
	directed = whole[1] == MAD_CLASS_SMP_DIRECTED;
	is_smp = directed || whole[1] == MAD_CLASS_SMP;
	lid = directed ? MAD_LID_PERMISSIVE : rec->lid;
	r = (struct erf_record){
		.time_ns = rec->wall_ns + (event->now_ns - rec->clock_ns),
		.received = !event->to && !event->status,
		.error = event->status,
		.qpn = is_smp ? 0 : 1,
		.qkey = is_smp ? 0 : MAD_QKEY_GSI,
		.slid = directed ? MAD_LID_PERMISSIVE : 0,
		.dlid = lid,
		.bytes = whole,
		.length = MAD_SIZE,
	};
	if (event->to) {
		r.dlid = event->to->dlid;
		r.sl = event->to->sl;
		r.slid = lid;
	}
	if (r.received && whole[1] == MAD_CLASS_SA && event->length >= SA_HEADER_SIZE &&
	    (event->length > MAD_SIZE || sa_segment_number(whole))) {
		/* as many MADs as it came in */
		r.bytes = segment;
		for (size_t i = 0; i < sa_segments(event->length); i++) {
			sa_segment_put(segment, whole, event->length, i);
			recording_mad(rec, &r);
		}
	} else {
		if (r.received && event->length < MAD_SIZE)
			r.length = event->length;
		recording_mad(rec, &r);
	}
	if (whole != mad)
		free(whole);
}

/* ---- a sweep ------------------------------------------------------------------------- */

void recording_run(struct ibc_recording *rec)
{
	rec->run++;
}

int recording_wrap(struct ibc_recording *rec, struct transport_port *from, unsigned int pass,
                   struct transport **t, struct ibc_error *err)
{
	struct timespec now;
	int rc = transport_record(*t, record_event, rec, t, err);

	if (rc)
		return rc;
	clock_gettime(CLOCK_REALTIME, &now);
	rec->wall_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	rec->clock_ns = (*t)->ops->now_ns(*t);
	rec->lid = (uint16_t)from->lid;
	from->wall_ns = rec->wall_ns;
	if (gethostname(from->host, sizeof(from->host) - 1))
		*from->host = '\0';
	recording_comment(rec, &(struct capture_sweep){ *from, rec->run, pass, 0, 0 });
	return 0;
}
