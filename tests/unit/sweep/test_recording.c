/* SPDX-License-Identifier: BSD-2-Clause */

/* Traces: what is recorded comes back, keys do not get in, damage is an error. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mkcabled.h"
#include "mkfile.h"
#include "mkkeys.h"
#include "source/capture.h"
#include "wire/mad.h"
#include "wire/sa.h"
#include "wire/secrets.h"
#include "wire/smp.h"

#define KEY 0x5ec7e75ec7e75ec7ull

/* A trace in memory. */
struct tape {
	char *bytes;
	size_t size;
};

static void tape_free(struct tape *tape)
{
	free(tape->bytes);
}

/* Sweeps the rig, and records it. */
static struct tape record(struct rig *r)
{
	struct transport_port from = rig_port(r);
	struct line *line = line_new(&r->line, r->answer, r->model);
	struct transport *t = line_transport(line);
	struct ibc_recording *rec;
	struct fabric_build *b;
	struct tape tape;
	FILE *file = open_memstream(&tape.bytes, &tape.size);

	assert_int_equal(ibc_recording_new(file, "x.pcap", &rec, NULL), 0);
	assert_int_equal(fabric_build_new(&b, NULL), 0);
	recording_run(rec);
	assert_int_equal(recording_wrap(rec, &from, 0, &t, NULL), 0);
	assert_int_equal(discover_subnet(t, &from, "umad", &r->opts, b, NULL), 0);
	assert_int_equal(fabric_build_finish(b, &r->seen, NULL), 0);
	t->ops->close(t);
	assert_int_equal(ibc_recording_end(rec, NULL), 0);
	assert_int_equal(fclose(file), 0);
	return tape;
}

static int replay(const struct tape *tape, size_t size, const struct ibc_source_opts *opts,
                  struct ibc_fabric **out, struct ibc_error *err)
{
	struct fabric_build *b;
	struct text_file *f;
	int rc;

	*out = NULL;
	assert_int_equal(fabric_build_new(&b, NULL), 0);
	assert_int_equal(text_open_bytes("umad", tape->bytes, size, &f, NULL), 0);
	rc = replay_capture(f, "umad", opts, b, err);
	text_close(f);
	if (rc == 0)
		return fabric_build_finish(b, out, NULL);
	fabric_build_free(b);
	return rc;
}

static bool same_nodes(const struct ibc_fabric *a, const struct ibc_fabric *z)
{
	char *x, *y;
	bool same;

	x = bytes_of(a, "snapshot", NULL);
	y = bytes_of(z, "snapshot", NULL);
	*strstr(strchr(x, '\n'), "{\"end\"") = *strstr(strchr(y, '\n'), "{\"end\"") = '\0';
	same = !strcmp(strchr(x, '\n'), strchr(y, '\n')); /* behind the header, who swept it */
	free(x);
	free(y);
	return same;
}

static struct ibc_attrs everything(void)
{
	struct ibc_attrs all = ibc_attrs_of_group(IBC_ATTRS_ROUTES);

	ibc_attrs_add(&all, IBC_ATTR_PORT_COUNTERS_EXT);
	ibc_attrs_add(&all, IBC_ATTR_SM_INFO);
	ibc_attrs_add(&all, IBC_ATTR_PKEY_TABLE);
	return all;
}

static void expect_same(struct rig *r)
{
	struct tape tape = record(r);
	struct ibc_fabric *again;

	assert_int_equal(replay(&tape, tape.size, &r->opts, &again, NULL), 0);
	assert_true(same_nodes(r->seen, again));
	assert_string_equal(ibc_fabric_subnet(again, 0)->kind, "trace");
	assert_true(ibc_fabric_subnet(again, 0)->time == ibc_fabric_subnet(r->seen, 0)->time);
	ibc_fabric_free(again);
	tape_free(&tape);
	rig_free(r);
}

static void a_replay_sees_what_the_sweep_saw(void **state)
{
	struct rig r = rig_needing(TWO_TIER, everything());

	(void)state;
	expect_same(&r);
}

/* Whoever recorded the trace asked again: so does the replay. */
static void speeds_that_were_asked_for_are_replayed(void **state)
{
	struct rig r = rig(TWO_TIER);
	const struct ibc_node *n;
	const int status = 0;

	(void)state;
	for (size_t i = 0; (n = ibc_fabric_node(r.real, i)); i++)
		model_hide_speeds(r.model, n, &status);
	expect_same(&r);
}

static void lost_mads_are_lost_again(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct rig r = rig_needing(TWO_TIER, everything());

		r.line.loss = 0.05;
		r.line.seed = seed;
		r.line.silence = seed % 2 ? LINE_SAYS_TIMED_OUT : LINE_SAYS_NOTHING;
		expect_same(&r);
	}
}

/* Answers lie there when a host that had other things to do looks, their time long over. */
static void what_a_stalled_host_took_late_is_taken_again(void **state)
{
	(void)state;
	for (unsigned int every = 7; every <= 61; every += 9) {
		struct rig r = rig_needing(TWO_TIER, everything());

		r.line.stall_every = every;
		r.line.stall_ns = 5000000000;
		expect_same(&r);
	}
}

/* An answer that came when all had been given up on is none in a replay either. */
static void silence_does_not_become_an_answer(void **state)
{
	struct ibc_fabric *again;

	(void)state;
	for (uint64_t seed = 0; seed < 5; seed++) {
		struct rig r = rig_needing(TWO_TIER, everything());
		struct tape tape;

		r.line.loss = seed * 0.05;
		r.line.seed = seed;
		r.line.late_every = 2;
		r.line.late_ns = 1002000000;
		tape = record(&r);
		assert_int_equal(replay(&tape, tape.size, &r.opts, &again, NULL), 0);
		for (enum ibc_attr a = 0; (a = ibc_attrs_next(everything(), a));)
			assert_true(ibc_fabric_coverage(again, a).answered <=
			            ibc_fabric_coverage(r.seen, a).answered);
		ibc_fabric_free(again);
		tape_free(&tape);
		rig_free(&r);
	}
}

/* Of devices that are busy, slow, silent, or lose answers as well. */
static void a_replay_reads_the_same_registers(void **state)
{
	struct rig r = rig_of_cables();
	struct model_registers *registers;
	struct ibc_fabric *again;
	struct tape tape;

	(void)state;
	for (unsigned int i = 0; i < 5; i++) {
		registers = model_registers(r.model, ibc_fabric_node(r.real, i));
		registers->busy = i == 1 ? 2 : 0;
		registers->slow_ms.low = registers->slow_ms.high = i == 2 ? 30 : 0;
		registers->silent = i == 3;
		registers->drop_every = i == 4 ? 7 : 0;
	}
	tape = record(&r);
	assert_true(coverage(&r, IBC_ATTR_PHY_MODULE).answered > 0);
	assert_true(coverage(&r, IBC_ATTR_PHY_MODULE).timed_out > 0);
	assert_int_equal(replay(&tape, tape.size, &r.opts, &again, NULL), 0);
	assert_true(same_nodes(r.seen, again));
	ibc_fabric_free(again);
	tape_free(&tape);
	rig_free(&r);
}

static void what_the_trace_does_not_hold_times_out(void **state)
{
	struct rig r = rig("synth:fattree:leaves=2,spines=1,hosts=2");
	struct tape tape = record(&r);
	struct ibc_fabric *again;
	const struct ibc_port *p;
	size_t silent = 0;

	(void)state;
	ibc_attrs_add(&r.opts.needs, IBC_ATTR_PKEY_TABLE);
	assert_int_equal(replay(&tape, tape.size, &r.opts, &again, NULL), 0);
	for (size_t i = 0; (p = ibc_fabric_port(again, i)); i++)
		silent += ibc_port_answer(p, IBC_ATTR_PKEY_TABLE) == IBC_SILENT;
	assert_true(silent > 0);
	assert_int_equal(ibc_fabric_count(again).nodes, 7);
	ibc_fabric_free(again);
	tape_free(&tape);
	rig_free(&r);
}

static bool holds(const struct tape *tape, const void *bytes, size_t n)
{
	return memmem(tape->bytes, tape->size, bytes, n);
}

static void no_key_gets_into_a_trace(void **state)
{
	struct rig r = rig_needing(TWO_TIER, everything());
	uint8_t key[8];
	struct tape tape;

	(void)state;
	bytes_put(key, 8, KEY);
	r.opts.m_key = r.opts.sm_key = KEY;
	tape = record(&r);
	assert_false(holds(&tape, key, sizeof(key)));
	assert_true(holds(&tape, "leaf01", 6));
	tape_free(&tape);
	rig_free(&r);
}

/* With them the sweep was recorded; without them the trace tells the same. */
static void no_key_of_a_file_gets_into_a_trace(void **state)
{
	struct rig r = rig_needing(TWO_TIER, everything());
	struct arena *arena = arena_new();
	struct tape tape;

	(void)state;
	protect(&r, 2);
	write_keys(&r, NULL);
	r.opts.key_files = root;
	assert_int_equal(keys_read(&r.opts, arena, &r.opts.keys, NULL), 0);
	tape = record(&r);
	assert_int_equal(ibc_fabric_count(r.seen).nodes, 33);
	assert_false(holds_key(&r, tape.bytes, tape.size));
	ibc_fabric_free(r.seen);
	assert_int_equal(replay(&tape, tape.size, &r.opts, &r.seen, NULL), 0);
	assert_int_equal(ibc_fabric_count(r.seen).nodes, 33);
	assert_null(ibc_fabric_subnet(r.seen, 0)->key_files);
	tape_free(&tape);
	arena_free(arena);
	rig_free(&r);
}

static void keys_are_hidden_where_the_iba_has_them(void **state)
{
	static const struct {
		uint8_t mgmt_class;
		uint16_t attribute;
		size_t at;
	} places[] = {
		{ 0x01, 0x11, 24 }, { 0x81, 0x15, 24 }, { 0x81, 0x15, 64 }, { 0x01, 0x20, 72 },
		{ 0x03, 0x35, 36 }, { 0x03, 0x12, 60 }, { 0x03, 0x18, 68 }, { 0x03, 0x31, 88 },
		{ 0x0a, 0x17, 24 }, { 0x0a, 0x51, 24 }, { 0x21, 0x11, 24 }, { 0x04, 0x12, 24 },
	};
	uint8_t mad[MAD_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		const struct mad_header h = { .mgmt_class = places[i].mgmt_class,
			                      .method = MAD_METHOD_GET_RESP,
			                      .attribute = places[i].attribute };

		memset(mad, 0, MAD_SIZE);
		mad_header_put(mad, &h);
		bytes_put(mad + places[i].at, 8, KEY);
		mad_hide_keys(mad, MAD_SIZE);
		assert_true(bytes_get(mad + places[i].at, 8) == 0);
	}
}

/* What is cut off, wherever, is an error that names the record. */
static void a_cut_trace_is_refused(void **state)
{
	struct rig r = rig("synth:fattree:leaves=1,spines=1,hosts=2");
	struct tape tape = record(&r);
	struct ibc_error err;
	struct ibc_fabric *again;
	size_t whole = PCAP_HEADER_SIZE;
	struct pcap_format format = { .num = 1 };

	(void)state;
	for (size_t size = PCAP_HEADER_SIZE + 1; size < tape.size; size += 7) {
		while (whole < size)
			whole += PCAP_RECORD_SIZE +
			         pcap_record_length((uint8_t *)tape.bytes + whole, &format);
		if (whole == size)
			continue;
		assert_int_equal(replay(&tape, size, &r.opts, &again, &err), -EINVAL);
		assert_non_null(strstr(err.text, "umad: record "));
		assert_non_null(strstr(err.text, " is cut off"));
	}
	tape_free(&tape);
	rig_free(&r);
}

static void wrong_lengths_are_refused_or_read(void **state)
{
	struct rig r = rig("synth:fattree:leaves=1,spines=1,hosts=2");
	struct tape tape = record(&r);
	struct ibc_fabric *again;
	struct ibc_error err;

	(void)state;
	for (size_t i = PCAP_HEADER_SIZE; i < 600 && i < tape.size; i++) {
		char before = tape.bytes[i];

		tape.bytes[i] ^= (char)0xff;
		if (replay(&tape, tape.size, &r.opts, &again, &err) == 0)
			ibc_fabric_free(again);
		tape.bytes[i] = before;
	}
	tape.bytes[PCAP_HEADER_SIZE + PCAP_RECORD_SIZE + 10] = 0x7f;
	assert_int_equal(replay(&tape, tape.size, &r.opts, &again, &err), -EINVAL);
	assert_string_equal(err.text,
	                    "umad: record 1 is damaged: its lengths contradict each other");
	tape_free(&tape);
	rig_free(&r);
}

/* Its MAD is lost, and the sweep lacks what it said; the rest replays. */
static void a_damaged_record_is_lost_alone(void **state)
{
	struct rig r = rig("synth:fattree:leaves=1,spines=1,hosts=2");
	struct tape tape = record(&r);
	struct pcap_format format;
	struct pcap_packet packet;
	struct ibc_fabric *again;
	size_t at = PCAP_HEADER_SIZE;

	(void)state;
	assert_true(pcap_header_get((uint8_t *)tape.bytes, &format));
	for (int i = 0; i < 7; i++)
		at += pcap_next((uint8_t *)tape.bytes + at, tape.size - at, &format, &packet);
	tape.bytes[at + PCAP_RECORD_SIZE + 10] = 0x7f;
	assert_int_equal(replay(&tape, tape.size, &r.opts, &again, NULL), 0);
	assert_int_equal(ibc_fabric_lines_lost(again, NULL), 1);
	ibc_fabric_free(again);
	tape_free(&tape);
	rig_free(&r);
}

static void a_long_answer_is_segments_and_whole_again(void **state)
{
	uint8_t whole[1000], mad[MAD_SIZE], again[1200];
	size_t at = SA_HEADER_SIZE, n = sa_segments(sizeof(whole));

	(void)state;
	for (size_t i = 0; i < sizeof(whole); i++)
		whole[i] = (uint8_t)i;
	whole[25] = 1; /* RMPPType DATA */
	assert_int_equal(n, 5);
	for (size_t i = 0; i < n; i++) {
		sa_segment_put(mad, whole, sizeof(whole), i);
		assert_int_equal(sa_segment_number(mad), i + 1);
		memcpy(again + at, mad + SA_HEADER_SIZE, MAD_SIZE - SA_HEADER_SIZE);
		at += i + 1 < n ? MAD_SIZE - SA_HEADER_SIZE
		                : sa_segment_length(mad) - SA_HEADER_SIZE;
	}
	assert_int_equal(at, sizeof(whole));
	assert_memory_equal(again + SA_HEADER_SIZE, whole + SA_HEADER_SIZE,
	                    sizeof(whole) - SA_HEADER_SIZE);
}

/* A record of somebody else: extension header, GRH, padding. */
static void captures_of_others_are_read(void **state)
{
	uint8_t erf[16 + 8 + 8 + 40 + 20 + MAD_SIZE + 6 + 2] = { [8] = 0x80 | 21, [9] = 1 };
	uint8_t *packet = erf + 24, *bth = packet + 48;
	struct erf_record r;

	(void)state;
	bytes_put(erf + 10, 2, sizeof(erf));
	bytes_put(erf + 14, 2, sizeof(erf) - 24 - 2);
	packet[1] = 3;
	bytes_put(packet + 2, 2, 17);
	bth[0] = 0x64;
	bth[7] = 1;
	bth[20 + 1] = MAD_CLASS_PERFORMANCE;
	assert_int_equal(erf_get(erf, sizeof(erf), &r), ERF_MAD);
	assert_true(r.received && r.dlid == 17 && r.qpn == 1 && r.length == MAD_SIZE);
	assert_int_equal(r.bytes[1], MAD_CLASS_PERFORMANCE);
	bth[0] = 0x04; /* RC SEND ONLY */
	assert_int_equal(erf_get(erf, sizeof(erf), &r), ERF_OTHER);
	erf[8] = 0x80 | 2; /* Ethernet */
	assert_int_equal(erf_get(erf, sizeof(erf), &r), ERF_OTHER);
}

/* rlen is padded to 8 bytes, caplen is not; what is cut off is not padding. */
static void padding_that_pcap_leaves_out_is_no_damage(void **state)
{
	uint8_t erf[16 + 28 + MAD_SIZE + 6] = { [8] = 21 };
	struct erf_record r;

	(void)state;
	erf[16 + 1] = 2;
	erf[16 + 8] = 0x64;
	bytes_put(erf + 14, 2, sizeof(erf) - 16);
	bytes_put(erf + 10, 2, sizeof(erf) + 6);
	assert_int_equal(erf_get(erf, sizeof(erf), &r), ERF_MAD);
	assert_int_equal(r.length, MAD_SIZE);
	assert_int_equal(erf_get(erf, sizeof(erf) - 1, &r), ERF_DAMAGED);
	bytes_put(erf + 10, 2, sizeof(erf) + 8);
	assert_int_equal(erf_get(erf, sizeof(erf), &r), ERF_DAMAGED);
	bytes_put(erf + 10, 2, sizeof(erf));
	bytes_put(erf + 14, 2, 2000); /* the sniffer has cut the packet, and says so */
	assert_int_equal(erf_get(erf, sizeof(erf), &r), ERF_MAD);
}

/* A block of pcapng in the byte order of this machine, or the other one. */
static void put_block(FILE *out, bool swapped, uint32_t type, const void *head, size_t n,
                      const void *data, size_t length)
{
	static const uint8_t zeros[4];
	uint32_t size = (uint32_t)(12 + n + (length + 3) / 4 * 4);

	type = swapped ? __builtin_bswap32(type) : type;
	size = swapped ? __builtin_bswap32(size) : size;
	fwrite(&type, 4, 1, out);
	fwrite(&size, 4, 1, out);
	if (n)
		fwrite(head, 1, n, out);
	if (length)
		fwrite(data, 1, length, out);
	fwrite(zeros, 1, (4 - length % 4) % 4, out);
	fwrite(&size, 4, 1, out);
}

/* The same records as Wireshark saves them, behind an interface that is none of ours. */
static struct tape as_pcapng(const struct tape *tape, bool swapped)
{
	struct pcap_format format;
	struct pcap_packet packet;
	struct tape out;
	FILE *file = open_memstream(&out.bytes, &out.size);
	uint32_t section[4] = { 0x1a2b3c4d, 1, 0xffffffff, 0xffffffff };
	uint16_t interface[4] = { PCAP_LINK_ERF, 0, 0, 0 }, ethernet[4] = { 1 };
	size_t at = PCAP_HEADER_SIZE;

	if (swapped) {
		section[0] = 0x4d3c2b1a;
		interface[0] = __builtin_bswap16(interface[0]);
		ethernet[0] = __builtin_bswap16(1);
	}
	put_block(file, swapped, 0x0a0d0d0a, section, sizeof(section), NULL, 0);
	put_block(file, swapped, 1, ethernet, sizeof(ethernet), NULL, 0);
	put_block(file, swapped, 1, interface, sizeof(interface), NULL, 0);
	put_block(file, swapped, 0xbad, NULL, 0, NULL, 0);
	assert_true(pcap_header_get((uint8_t *)tape->bytes, &format));
	while (at < tape->size) {
		uint32_t head[5] = { 1 };

		at += pcap_next((uint8_t *)tape->bytes + at, tape->size - at, &format, &packet);
		head[3] = head[4] = (uint32_t)packet.length;
		for (size_t i = 0; swapped && i < 5; i++)
			head[i] = __builtin_bswap32(head[i]);
		put_block(file, swapped, 6, head, sizeof(head), packet.bytes, packet.length);
	}
	fclose(file);
	return out;
}

static void a_trace_that_wireshark_saved_replays(void **state)
{
	struct rig r = rig_needing(TWO_TIER, everything());
	struct tape tape = record(&r), saved;
	struct ibc_fabric *again;
	struct ibc_error err;

	(void)state;
	for (int swapped = 0; swapped <= 1; swapped++) {
		saved = as_pcapng(&tape, swapped);
		assert_int_equal(replay(&saved, saved.size, &r.opts, &again, NULL), 0);
		assert_true(same_nodes(r.seen, again));
		ibc_fabric_free(again);
		assert_int_equal(replay(&saved, saved.size - 1, &r.opts, &again, &err), -EINVAL);
		assert_non_null(strstr(err.text, " is cut off"));
		tape_free(&saved);
	}
	tape_free(&tape);
	rig_free(&r);
}

static void packets_of_other_blocks_are_counted_and_complained_of(void **state)
{
	const uint32_t section[4] = { 0x1a2b3c4d, 1, 0xffffffff, 0xffffffff }, head[5] = { 0 };
	const uint16_t interface[4] = { PCAP_LINK_INFINIBAND, 0, 0, 0 };
	struct ibc_capture *cap;
	struct text_file *f;
	struct tape tape;
	FILE *file = open_memstream(&tape.bytes, &tape.size);

	(void)state;
	put_block(file, false, 0x0a0d0d0a, section, sizeof(section), NULL, 0);
	put_block(file, false, 1, interface, sizeof(interface), NULL, 0);
	put_block(file, false, 2, head, sizeof(head), NULL, 0);
	put_block(file, false, 3, head, 4, NULL, 0);
	put_block(file, false, 5, head, 12, NULL, 0);
	fclose(file);
	assert_int_equal(text_open_bytes("x", tape.bytes, tape.size, &f, NULL), 0);
	assert_int_equal(capture_read(f, &cap, NULL), 0);
	assert_int_equal(cap->records, 2);
	assert_int_equal(cap->others, 2);
	assert_int_equal(text_verdict(f, 0, NULL), -EINVAL);
	ibc_capture_free(cap);
	text_close(f);
	tape_free(&tape);
}

/* As tcpdump writes them: no ERF around, the time is that of pcap. */
static void packets_of_infiniband_need_no_erf(void **state)
{
	uint8_t file[PCAP_HEADER_SIZE + PCAP_RECORD_SIZE + 28 + MAD_SIZE + 6] = { 0 };
	uint8_t *packet = file + PCAP_HEADER_SIZE + PCAP_RECORD_SIZE;
	struct ibc_capture *cap;
	struct ibc_error err;
	struct text_file *f;

	(void)state;
	pcap_header_put(file);
	file[20] = PCAP_LINK_INFINIBAND;
	file[PCAP_HEADER_SIZE] = 7;
	file[PCAP_HEADER_SIZE + 4] = 5;
	file[PCAP_HEADER_SIZE + 8] = (28 + MAD_SIZE + 6) & 0xff;
	file[PCAP_HEADER_SIZE + 9] = (28 + MAD_SIZE + 6) >> 8;
	packet[1] = 2;
	packet[8] = 0x64;
	packet[8 + 12 + 8 + 1] = MAD_CLASS_SMP;
	assert_int_equal(text_open_bytes("x", file, sizeof(file), &f, NULL), 0);
	assert_int_equal(capture_read(f, &cap, NULL), 0);
	assert_int_equal(cap->num, 1);
	assert_int_equal(cap->mads[0].mad.mgmt_class, MAD_CLASS_SMP);
	assert_true(cap->mads[0].mad.time_ns == 7000005000);
	ibc_capture_free(cap);
	text_close(f);
	file[20] = 1;
	assert_int_equal(text_open_bytes("x", file, sizeof(file), &f, NULL), 0);
	assert_int_equal(capture_read(f, &cap, &err), -EINVAL);
	assert_non_null(strstr(err.text, "link type 1"));
	text_close(f);
}

static void pcap_has_two_orders_and_two_units(void **state)
{
	static const uint8_t big_ns[PCAP_HEADER_SIZE] = { 0xa1, 0xb2, 0x3c, 0x4d, [23] = 197 };
	static const uint8_t record_header[PCAP_RECORD_SIZE] = { [10] = 1, [11] = 2 };
	uint8_t ours[PCAP_HEADER_SIZE];
	struct pcap_format f;

	(void)state;
	assert_true(pcap_header_get(big_ns, &f));
	assert_true(f.big_endian && f.interfaces[0].decimals == 9);
	assert_int_equal(f.interfaces[0].link_type, PCAP_LINK_ERF);
	assert_int_equal(pcap_record_length(record_header, &f), 0x102);
	pcap_header_put(ours);
	assert_true(pcap_header_get(ours, &f));
	assert_false(f.big_endian || f.blocks || f.interfaces[0].decimals != 6);
	ours[0]++;
	assert_false(pcap_header_get(ours, &f));
}

static void a_nanosecond_comes_back(void **state)
{
	uint8_t out[ERF_PACKET_MAX], mad[MAD_SIZE] = { 1, 1 };
	struct erf_record r = { .bytes = mad, .length = MAD_SIZE }, again;
	size_t n;

	(void)state;
	for (uint64_t ns = 1795361758999990000; ns < 1795361759000010000; ns += 7) {
		r.time_ns = ns;
		n = erf_put_mad(out, &r);
		erf_get(out + PCAP_RECORD_SIZE, n - PCAP_RECORD_SIZE, &again);
		assert_true(again.time_ns == ns);
	}
}

static void out_of_memory_is_an_error(void **state)
{
	struct rig r = rig("synth:fattree:leaves=1,spines=1,hosts=2");
	struct tape tape = record(&r);
	struct ibc_capture *cap;
	struct text_file *f;
	unsigned long n = 0;
	int rc;

	(void)state;
	do {
		alloc_fail_at(0);
		assert_int_equal(text_open_bytes("x", tape.bytes, tape.size, &f, NULL), 0);
		alloc_fail_at(++n);
		rc = capture_read(f, &cap, NULL);
		alloc_fail_at(0);
		text_close(f);
		assert_true(rc == 0 || rc == -ENOMEM);
	} while (rc);
	ibc_capture_free(cap);
	assert_true(n > 5);
	tape_free(&tape);
	rig_free(&r);
}

static void a_copy_without_names_is_the_same_fabric(void **state)
{
	struct rig r = rig_needing(TWO_TIER, everything());
	struct tape tape = record(&r), copy;
	FILE *file = open_memstream(&copy.bytes, &copy.size);
	struct ibc_fabric *again;
	struct ibc_capture *cap;
	struct text_file *f;
	uint8_t guid[8];

	(void)state;
	assert_int_equal(text_open_bytes("x", tape.bytes, tape.size, &f, NULL), 0);
	assert_int_equal(capture_read(f, &cap, NULL), 0);
	text_close(f);
	assert_int_equal(ibc_capture_sweeps(cap), 1);
	assert_int_equal(ibc_capture_anonymize(cap, file, "x", NULL), 0);
	fclose(file);
	assert_int_equal(replay(&copy, copy.size, &r.opts, &again, NULL), 0);
	assert_int_equal(ibc_fabric_count(again).nodes, ibc_fabric_count(r.seen).nodes);
	assert_int_equal(ibc_fabric_count(again).cables, ibc_fabric_count(r.seen).cables);
	assert_false(holds(&copy, "leaf01", 6));
	bytes_put(guid, 8, ibc_fabric_node(r.seen, 20)->guid);
	assert_true(holds(&tape, guid, 8));
	assert_false(holds(&copy, guid, 8));
	ibc_fabric_free(again);
	ibc_capture_free(cap);
	tape_free(&copy);
	tape_free(&tape);
	rig_free(&r);
}

/* What a device says of its ports is what such a copy is for; who made the cable is not. */
static void a_copy_without_names_has_the_same_registers(void **state)
{
	struct rig r = rig_of_cables();
	struct tape tape = record(&r), copy;
	FILE *file = open_memstream(&copy.bytes, &copy.size);
	struct ibc_capture_search found;
	struct ibc_capture *cap, *other;
	struct ibc_fabric *again;
	struct text_file *f;

	(void)state;
	assert_int_equal(text_open_bytes("x", tape.bytes, tape.size, &f, NULL), 0);
	assert_int_equal(capture_read(f, &cap, NULL), 0);
	text_close(f);
	assert_int_equal(ibc_capture_anonymize(cap, file, "x", NULL), 0);
	fclose(file);
	assert_int_equal(replay(&copy, copy.size, &r.opts, &again, NULL), 0);
	for (enum ibc_attr a = 0; (a = ibc_attrs_next(r.opts.needs, a));)
		assert_int_equal(ibc_fabric_coverage(again, a).answered,
		                 ibc_fabric_coverage(r.seen, a).answered);
	assert_int_equal(text_open_bytes("x", copy.bytes, copy.size, &f, NULL), 0);
	assert_int_equal(capture_read(f, &other, NULL), 0);
	text_close(f);
	assert_int_equal(ibc_capture_search(cap, other, NULL, 0, &found, NULL), 0);
	assert_true(found.of[IBC_IDENTITY_SERIAL].known > 10);
	assert_int_equal(found.of[IBC_IDENTITY_SERIAL].found, 0);
	assert_int_equal(found.of[IBC_IDENTITY_NAME].found, 0);
	assert_int_equal(found.of[IBC_IDENTITY_GUID].found, 0);
	ibc_fabric_free(again);
	ibc_capture_free(other);
	ibc_capture_free(cap);
	tape_free(&copy);
	tape_free(&tape);
	rig_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_replay_sees_what_the_sweep_saw),
		cmocka_unit_test(what_a_stalled_host_took_late_is_taken_again),
		cmocka_unit_test(silence_does_not_become_an_answer),
		cmocka_unit_test(a_replay_reads_the_same_registers),
		cmocka_unit_test(speeds_that_were_asked_for_are_replayed),
		cmocka_unit_test(lost_mads_are_lost_again),
		cmocka_unit_test(what_the_trace_does_not_hold_times_out),
		cmocka_unit_test(no_key_gets_into_a_trace),
		TEST(no_key_of_a_file_gets_into_a_trace),
		cmocka_unit_test(keys_are_hidden_where_the_iba_has_them),
		cmocka_unit_test(a_cut_trace_is_refused),
		cmocka_unit_test(wrong_lengths_are_refused_or_read),
		cmocka_unit_test(a_damaged_record_is_lost_alone),
		cmocka_unit_test(a_long_answer_is_segments_and_whole_again),
		cmocka_unit_test(captures_of_others_are_read),
		cmocka_unit_test(padding_that_pcap_leaves_out_is_no_damage),
		cmocka_unit_test(a_trace_that_wireshark_saved_replays),
		cmocka_unit_test(packets_of_other_blocks_are_counted_and_complained_of),
		cmocka_unit_test(packets_of_infiniband_need_no_erf),
		cmocka_unit_test(pcap_has_two_orders_and_two_units),
		cmocka_unit_test(a_nanosecond_comes_back),
		cmocka_unit_test(out_of_memory_is_an_error),
		cmocka_unit_test(a_copy_without_names_is_the_same_fabric),
		cmocka_unit_test(a_copy_without_names_has_the_same_registers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
