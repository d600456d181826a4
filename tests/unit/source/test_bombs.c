/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are small, and would become more than any fabric has: each ends with a limit. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include <ibcheck/jobs.h>
#include <ibcheck/source.h>

#include "base/arena.h"
#include "source/capture.h"
#include "source/source.h"
#include "wire/erf.h"
#include "wire/mad.h"
#include "wire/sa.h"

#define CHUNK    ((size_t)1 << 20)
#define CHUNKS   128 /* that a bomb becomes, of 1 MB each */
#define SEGMENTS 100000

/* struct bomb - what a file holds */
struct bomb {
	uint8_t *bytes;
	size_t n, room;
};

static void zstd_more(struct bomb *b, ZSTD_CCtx *z, const void *bytes, size_t n, bool last)
{
	ZSTD_inBuffer in = { bytes, n, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = { b->bytes, b->room, b->n };

		left = ZSTD_compressStream2(z, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
		assert_false(ZSTD_isError(left) || out.pos == out.size);
		b->n = out.pos;
	} while (last ? left : in.pos < in.size);
}

/* A head, and that many bytes of one value. */
static struct bomb zstd_bomb(const void *head, size_t n, int value)
{
	struct bomb b = { .room = CHUNK };
	ZSTD_CCtx *z = ZSTD_createCCtx();
	uint8_t *chunk = malloc(CHUNK);

	b.bytes = malloc(b.room);
	assert_true(b.bytes && z && chunk);
	memset(chunk, value, CHUNK);
	zstd_more(&b, z, head, n, false);
	for (int i = 0; i < CHUNKS; i++)
		zstd_more(&b, z, chunk, CHUNK, i + 1 == CHUNKS);
	ZSTD_freeCCtx(z);
	free(chunk);
	return b;
}

static struct text_file *open_bomb(const char *name, const struct bomb *b)
{
	struct text_file *f;

	assert_int_equal(text_open_bytes(name, b->bytes, b->n, &f, NULL), 0);
	return f;
}

static int take_nothing(void *reader, char *line, struct ibc_error *err)
{
	(void)reader;
	(void)line;
	(void)err;
	return 0;
}

static void what_unpacks_to_thousands_of_times_its_size_ends(void **state)
{
	struct bomb b = zstd_bomb("", 0, '\n');
	struct text_file *f = open_bomb("newlines.zst", &b);
	struct ibc_error err = { "" };

	(void)state;
	assert_int_equal(text_each_line(f, take_nothing, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "newlines.zst:"));
	assert_non_null(strstr(err.text, "larger than 64 MB and 1000 times its size together"));
	text_close(f);
	free(b.bytes);
}

static void what_begins_like_a_format_and_goes_on_otherwise_ends(void **state)
{
	const size_t n = 2 * CHUNK;
	struct bomb plain = { calloc(1, n), n, n };
	struct ibc_error err = { "" };
	struct text_file *f;
	size_t length;
	char *line;
	int rc;

	(void)state;
	assert_non_null(plain.bytes);
	memset(plain.bytes, '\n', n);
	f = open_bomb("lines", &plain);
	text_read_on(f);
	while ((rc = text_line(f, &line, &length, &err)) > 0)
		text_complain(f, text_here(f), "nonsense");
	assert_int_equal(rc, -EINVAL);
	assert_int_equal(text_line_number(f), 1000001);
	assert_int_equal(text_verdict(f, rc, &err), -EINVAL);
	assert_non_null(strstr(err.text, "lines: 1000001 errors, the first in line 1: nonsense"));
	text_close(f);
	free(plain.bytes);
}

static void a_trace_of_zeros_ends(void **state)
{
	uint8_t head[PCAP_HEADER_SIZE];
	struct ibc_capture *cap;
	struct ibc_error err = { "" };
	struct text_file *f;
	struct bomb b;

	(void)state;
	pcap_header_put(head);
	b = zstd_bomb(head, sizeof(head), 0);
	f = open_bomb("zeros.pcap.zst", &b);
	assert_int_equal(capture_read(f, &cap, &err), -EINVAL);
	assert_non_null(strstr(err.text, "zeros.pcap.zst:"));
	assert_non_null(strstr(err.text, "1000 times its size"));
	text_close(f);
	free(b.bytes);
}

/* What is not packed may repeat as it likes; so may a little that is. */
static void what_is_small_or_plain_may_repeat(void **state)
{
	const size_t n = 32 * CHUNK;
	uint8_t *lines = malloc(n);
	uLongf packed = compressBound(n) + 64;
	struct bomb plain = { lines, n, n }, small = { malloc(packed), 0, packed };
	z_stream z = { .next_in = lines, .avail_in = n, .next_out = small.bytes };
	struct text_file *f;

	(void)state;
	assert_true(lines && small.bytes);
	memset(lines, '\n', n);
	z.avail_out = (uInt)packed;
	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
	                 Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	small.n = z.total_out;
	deflateEnd(&z);
	f = open_bomb("plain", &plain);
	assert_int_equal(text_each_line(f, take_nothing, NULL, NULL), 0);
	text_close(f);
	f = open_bomb("small.gz", &small);
	assert_int_equal(text_each_line(f, take_nothing, NULL, NULL), 0);
	text_close(f);
	free(lines);
	free(small.bytes);
}

static void jobs_have_no_more_hosts_than_subnets_in_jobs(void **state)
{
	char text[17 * 32] = "";
	struct bomb b = { .bytes = (uint8_t *)text };
	struct ibc_error err = { "" };
	struct ibc_jobs *jobs;
	struct text_file *f;

	(void)state;
	for (int i = 1; i <= 17; i++)
		b.n += (size_t)sprintf(text + b.n, "%d n[1-262144]\n", i);
	f = open_bomb("jobs", &b);
	assert_int_equal(read_jobs(f, &jobs, &err), -EINVAL);
	assert_string_equal(err.text, "jobs: line 17: job 17: more than 4194304 hosts of jobs up "
	                              "to here: give fewer jobs");
	text_close(f);
}

/* Each is put behind the last; nobody looks for that from the first. */
static void segments_of_an_answer_are_joined_in_one_walk(void **state)
{
	uint8_t mad[MAD_SIZE] = { 0 };
	struct mad_header h = { .mgmt_class = MAD_CLASS_SA, .method = 0x12 };
	struct erf_record r = { .bytes = mad, .length = MAD_SIZE };
	struct ibc_capture *cap;
	struct ibc_error err = { "" };
	struct text_file *f;
	struct bomb b = { .room = PCAP_HEADER_SIZE + (SEGMENTS + 1) * (size_t)512 };
	const size_t length = SEGMENTS * (size_t)(MAD_SIZE - SA_HEADER_SIZE);
	uint8_t *whole = calloc(1, length + SA_HEADER_SIZE);

	(void)state;
	b.bytes = malloc(b.room);
	assert_true(b.bytes && whole);
	pcap_header_put(b.bytes);
	b.n = PCAP_HEADER_SIZE;
	mad_header_put(mad, &h);
	b.n += erf_put_mad(b.bytes + b.n, &r);
	h.method = 0x92;
	mad_header_put(whole, &h);
	whole[MAD_HEADER_SIZE + 1] = 1; /* RMPPType: DATA (IBA 13.6.2.1) */
	r.received = true;
	for (size_t i = 0; i < SEGMENTS; i++) {
		sa_segment_put(mad, whole, length + SA_HEADER_SIZE, i);
		b.n += erf_put_mad(b.bytes + b.n, &r);
	}
	f = open_bomb("segments", &b);
	assert_int_equal(capture_read(f, &cap, &err), 0);
	assert_int_equal(cap->num, SEGMENTS + 1);
	assert_int_equal(cap->mads[0].reply, 2);
	for (size_t i = 1; i < SEGMENTS; i++)
		assert_int_equal(cap->mads[i].segment, i + 2);
	assert_int_equal(cap->mads[SEGMENTS].segment, 0);
	ibc_capture_free(cap);
	text_close(f);
	free(b.bytes);
	free(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_unpacks_to_thousands_of_times_its_size_ends),
		cmocka_unit_test(what_begins_like_a_format_and_goes_on_otherwise_ends),
		cmocka_unit_test(a_trace_of_zeros_ends),
		cmocka_unit_test(what_is_small_or_plain_may_repeat),
		cmocka_unit_test(jobs_have_no_more_hosts_than_subnets_in_jobs),
		cmocka_unit_test(segments_of_an_answer_are_joined_in_one_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
