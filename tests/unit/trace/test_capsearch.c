/* SPDX-License-Identifier: BSD-2-Clause */

/* What identifies a site is found in a copy, wherever it lies; a copy without names has none. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/array.h"
#include "source/capture.h"
#include "wire/mad.h"
#include "wire/registers.h"
#include "wire/sa.h"

#define GUID "\x10\x70\xfd\x03\x00\xa1\xb2\xc4"
#define GID  "\xfe\x80\x00\x00\x00\x00\x00\x07" GUID
#define MGID "\xff\x12\x40\x1b\xff\xff\0\0\0\0\0\0\x0a\x01\x02\x03"
#define KEY  "\x5e\xc7\xe7\x5e\xc7\xe7\x5e\xc8"

/* struct tape - MADs, one after the other, as a capture */
struct tape {
	uint8_t bytes[16 * ERF_PACKET_MAX];
	size_t size;
};

static void tape_begin(struct tape *t)
{
	pcap_header_put(t->bytes);
	t->size = PCAP_HEADER_SIZE;
}

static void tape_add(struct tape *t, const uint8_t mad[MAD_SIZE])
{
	const struct erf_record r = { .bytes = mad, .length = MAD_SIZE, .received = true };

	t->size += erf_put_mad(t->bytes + t->size, &r);
}

static struct ibc_capture *capture(const void *bytes, size_t size)
{
	struct ibc_capture *cap;
	struct text_file *f;

	assert_int_equal(text_open_bytes("x", bytes, size, &f, NULL), 0);
	assert_int_equal(capture_read(f, &cap, NULL), 0);
	text_close(f);
	return cap;
}

static struct ibc_capture *capture_of(const uint8_t mad[MAD_SIZE])
{
	struct tape t;

	tape_begin(&t);
	tape_add(&t, mad);
	return capture(t.bytes, t.size);
}

static struct ibc_capture *masked(const struct ibc_capture *cap)
{
	struct ibc_capture *copy;
	char *bytes;
	size_t size;
	FILE *file = open_memstream(&bytes, &size);

	assert_int_equal(ibc_capture_anonymize(cap, file, "x", NULL), 0);
	fclose(file);
	copy = capture(bytes, size);
	free(bytes);
	return copy;
}

static void put(uint8_t mad[MAD_SIZE], uint8_t mgmt_class, uint16_t attribute, size_t at,
                const void *bytes, size_t n)
{
	const struct mad_header h = { .mgmt_class = mgmt_class,
		                      .method = MAD_METHOD_GET_RESP,
		                      .attribute = attribute };

	memset(mad, 0, MAD_SIZE);
	mad_header_put(mad, &h);
	memcpy(mad + at, bytes, n);
}

static struct ibc_capture_search search(const struct ibc_capture *cap,
                                        const struct ibc_capture *copy)
{
	struct ibc_capture_search found;

	assert_int_equal(ibc_capture_search(cap, copy, NULL, 0, &found, NULL), 0);
	return found;
}

/* The answer of PDDR 3, with the serial number of a module. */
static void put_serial(uint8_t mad[MAD_SIZE], const char *serial)
{
	const struct register_query query = { REGISTER_PDDR, 7, PDDR_MODULE };
	struct mad_addr to;

	register_get(mad, &to, &query, 3, 0);
	mad[3] = MAD_METHOD_GET_RESP;
	memcpy(mad + REGISTER_OFFSET + 0x44, serial, strlen(serial));
	memcpy(mad + REGISTER_OFFSET + 0x2c, "MCP1600-C003", 12);
}

static const struct place {
	uint8_t mgmt_class;
	uint16_t attribute;
	size_t at;
	const char *bytes;
	size_t n;
	int kind; /* -1: it is not known that it is one */
} places[] = {
	{ 0x81, 0x10, 64, "tier9-leaf77 HCA-1", 18, IBC_IDENTITY_NAME },
	{ 0x01, 0x10, 64, "Infiniscale-IV tier9-leaf77 Mellanox", 36, IBC_IDENTITY_NAME },
	{ 0x01, 0x10, 64, "MF0;corehall9:CS7500/L05/U1", 27, IBC_IDENTITY_NAME },
	{ 0x01, 0x10, 64, "gpu1", 4, IBC_IDENTITY_NAME },
	{ 0x01, 0x10, 64, "n1", 2, IBC_IDENTITY_NAME },
	{ 0x81, 0x11, 76, GUID, 8, IBC_IDENTITY_GUID },
	{ 0x81, 0x14, 72, GUID, 8, IBC_IDENTITY_GUID },
	{ 0x01, 0x20, 64, GUID, 8, IBC_IDENTITY_GUID },
	{ 0x01, 0xffb1, 84, GUID, 8, IBC_IDENTITY_GUID },
	{ 0x81, 0x15, 72, "\xfe\x80\0\0\0\x01\x02\x03", 8, IBC_IDENTITY_ADDRESS },
	{ 0x03, 0x35, 64, GID, 16, IBC_IDENTITY_GUID },
	{ 0x03, 0x35, 80, GID, 16, IBC_IDENTITY_ADDRESS },
	{ 0x03, 0x11, 64, GUID, 8, IBC_IDENTITY_GUID },
	{ 0x03, 0x11, 100, "tier9-leaf77", 12, IBC_IDENTITY_NAME },
	{ 0x03, 0x38, 72, GID, 16, IBC_IDENTITY_GUID },
	{ 0x03, 0x38, 56, MGID, 16, IBC_IDENTITY_ADDRESS },
	{ 0x03, 0x31, 64, GID, 16, IBC_IDENTITY_GUID },
	{ 0x03, 0x31, 104, "lustre-of-hall9", 15, IBC_IDENTITY_NAME },
	{ 0x03, 0x31, 88, KEY, 8, IBC_IDENTITY_KEY },
	{ 0x03, 0x31, 96, KEY, 8, IBC_IDENTITY_KEY },
	{ 0x03, 0x31, 170, "data of hall9", 13, -1 },
	{ 0x03, 0x01, 64, GID, 16, IBC_IDENTITY_GUID },
	{ 0x04, 0x01, 104, GID, 16, IBC_IDENTITY_GUID },
	{ 0x81, 0x11, 24, KEY, 8, IBC_IDENTITY_KEY },
	{ 0x81, 0x15, 64, KEY, 8, IBC_IDENTITY_KEY },
	{ 0x03, 0x35, 36, KEY, 8, IBC_IDENTITY_KEY },
	{ 0x0a, 0x17, 24, KEY, 8, IBC_IDENTITY_KEY },
	/* Vital Product Data and chassis, of baseboard management; the host of CM's private data */
	{ 0x05, 0x20, 70, "SN MT2012VS00123", 16, -1 },
	{ 0x07, 0x10, 170, "tier9-leaf77", 12, -1 },
	{ 0x0a, 0x52, 70, "tier9-leaf77", 12, -1 },
	/* what was in the memory of the sender */
	{ 0x01, 0x11, 200, "tier9-leaf77", 12, -1 },
	{ 0x81, 0x11, 150, "tier9-leaf77", 12, -1 },
	{ 0x03, 0x01, 180, "tier9-leaf77", 12, -1 },
};

static void what_is_planted_is_found_and_not_in_a_copy_without_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const struct place *p = &places[i];
		struct ibc_capture *cap, *copy;
		struct ibc_capture_search found;
		uint8_t mad[MAD_SIZE];

		put(mad, p->mgmt_class, p->attribute, p->at, p->bytes, p->n);
		cap = capture_of(mad);
		copy = masked(cap);
		found = search(cap, cap);
		for (int kind = 0; kind < IBC_IDENTITIES; kind++)
			assert_int_equal(found.of[kind].found, found.of[kind].known);
		assert_true(p->kind < 0 || found.of[p->kind].found > 0);
		found = search(cap, copy);
		for (int kind = 0; kind < IBC_IDENTITIES; kind++)
			assert_int_equal(found.of[kind].found, 0);
		assert_null(memmem(copy->bytes, copy->size, p->bytes, p->n));
		assert_int_equal(found.bytes, copy->size);
		ibc_capture_free(copy);
		ibc_capture_free(cap);
	}
}

static void a_serial_number_goes_the_rest_of_a_module_stays(void **state)
{
	struct ibc_capture *cap, *copy;
	uint8_t mad[MAD_SIZE];

	(void)state;
	put_serial(mad, "MT20120000123");
	cap = capture_of(mad);
	copy = masked(cap);
	assert_int_equal(search(cap, cap).of[IBC_IDENTITY_SERIAL].found, 1);
	assert_int_equal(search(cap, copy).of[IBC_IDENTITY_SERIAL].known, 1);
	assert_int_equal(search(cap, copy).of[IBC_IDENTITY_SERIAL].found, 0);
	assert_non_null(memmem(copy->bytes, copy->size, "MCP1600-C003", 12));
	assert_null(memmem(copy->bytes, copy->size, "MT2012", 6));
	ibc_capture_free(copy);
	ibc_capture_free(cap);
}

/* Of a capture with a GUID and a name one that has these bytes among its counters. */
static size_t found_among_counters(const char *name, const void *bytes, size_t n, size_t at)
{
	struct ibc_capture *cap, *copy;
	struct ibc_capture_search found;
	uint8_t mad[MAD_SIZE];
	struct tape t;

	tape_begin(&t);
	put(mad, 0x81, 0x11, 76, GUID, 8);
	tape_add(&t, mad);
	put(mad, 0x81, 0x10, 64, name, strlen(name));
	tape_add(&t, mad);
	cap = capture(t.bytes, t.size);
	tape_begin(&t);
	put(mad, 0x04, 0x1d, at, bytes, n);
	tape_add(&t, mad);
	tape_add(&t, mad);
	copy = capture(t.bytes, t.size);
	found = search(cap, copy);
	ibc_capture_free(copy);
	ibc_capture_free(cap);
	return found.of[IBC_IDENTITY_GUID].found + found.of[IBC_IDENTITY_NAME].found;
}

static void a_guid_is_found_however_it_is_packed(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
	} ways[] = {
		{ GUID, 8 },
		{ "\x03\x00\xa1\xb2\xc4", 5 },                 /* the half that is its own */
		{ "\xc4\xb2\xa1\x00\x03\xfd\x70\x10", 8 },     /* backwards */
		{ "\x03\xfd\x70\x10\xc4\xb2\xa1\x00", 8 },     /* words of four bytes */
		{ "\x70\x10\x03\xfd\xa1\x00\xc4\xb2", 8 },     /* words of two */
		{ "\x20\xe1\xfa\x06\x01\x43\x65\x88", 8 },     /* a bit to the left */
		{ "\x02\x0e\x1f\xa0\x60\x14\x36\x58\x80", 9 }, /* three to the right */
		{ "1070fd0300a1b2c4", 16 },
		{ "0x1070FD0300A1B2C4", 18 },
		{ "10:70:fd:03:00:a1:b2:c4", 23 },
		{ "x1070:fd03:00a1:b2c4", 20 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		for (size_t at = 90; at < 99; at++)
			assert_int_equal(
			    found_among_counters("Quantum", ways[i].bytes, ways[i].n, at), 1);
	assert_int_equal(found_among_counters("Quantum", "\x10\x70\xfd\x03\x00\xa1\xb2\xc5", 8, 90),
	                 0);
	assert_int_equal(found_among_counters("Quantum", "\x10\x70\xfd", 3, 90), 0);
}

static void a_long_name_is_found_in_any_text_a_short_one_as_a_word(void **state)
{
	(void)state;
	assert_int_equal(found_among_counters("node-0123", "xNODE-0123y", 11, 91), 1);
	assert_int_equal(found_among_counters("node-0123", "3210-edon", 9, 91), 1);
	assert_int_equal(found_among_counters("node-0123",
	                                      "edon10-\0"
	                                      "32",
	                                      10, 91),
	                 0);
	assert_int_equal(found_among_counters("node-0123",
	                                      "edon210-\0\0\0"
	                                      "3",
	                                      12, 91),
	                 1);
	/* its host, its domain, and the whole */
	assert_int_equal(found_among_counters("gpu1.hall9.test", " gpu1:", 6, 91), 1);
	assert_int_equal(found_among_counters("gpu1.hall9.test", "hall9.test", 10, 91), 1);
	assert_int_equal(found_among_counters("gpu1", "Gpu1", 4, 91), 1);
	assert_int_equal(found_among_counters("gpu1", "xgpu12", 6, 91), 0);
	/* every other counter has these two bytes */
	assert_int_equal(found_among_counters("n1", "n1", 2, 91), 0);
	/* these are names of nothing */
	assert_int_equal(found_among_counters("MT4129 ConnectX7 Mellanox Technologies",
	                                      "Mellanox Technologies", 21, 91),
	                 0);
}

static void what_is_searched_for_with_less_is_counted_so(void **state)
{
	struct ibc_capture *cap;
	struct ibc_capture_search found;
	uint8_t mad[MAD_SIZE];
	struct tape t;

	(void)state;
	tape_begin(&t);
	put(mad, 0x81, 0x11, 76, "\x02\0\0\0\0\0\0\x01", 8);
	tape_add(&t, mad);
	put(mad, 0x81, 0x10, 64, "n1 gpu1 node-0123", 17);
	bytes_put(mad + 24, 8, 1);
	tape_add(&t, mad);
	cap = capture(t.bytes, t.size);
	found = search(cap, cap);
	assert_int_equal(found.of[IBC_IDENTITY_GUID].brief, 1);
	assert_int_equal(found.of[IBC_IDENTITY_GUID].found, 1);
	assert_int_equal(found.of[IBC_IDENTITY_NAME].known, 3);
	assert_int_equal(found.of[IBC_IDENTITY_NAME].brief, 1);
	assert_int_equal(found.of[IBC_IDENTITY_NAME].found, 3);
	assert_int_equal(found.of[IBC_IDENTITY_KEY].brief, 1);
	assert_int_equal(found.of[IBC_IDENTITY_KEY].found, 1);
	ibc_capture_free(cap);
}

static void keys_that_only_the_caller_knows_are_looked_for(void **state)
{
	const uint64_t keys[] = { 0, 0x5ec7e75ec7e75ec8 };
	struct ibc_capture_search found;
	struct ibc_capture *cap;
	uint8_t mad[MAD_SIZE];

	(void)state;
	put(mad, 0x04, 0x1d, 133, KEY, 8);
	cap = capture_of(mad);
	assert_int_equal(ibc_capture_search(cap, cap, keys, 2, &found, NULL), 0);
	assert_int_equal(found.of[IBC_IDENTITY_KEY].known, 1);
	assert_int_equal(found.of[IBC_IDENTITY_KEY].found, 1);
	ibc_capture_free(cap);
}

/* Three records of 112 bytes: the second lies across two MADs, the third in the second one. */
static void records_of_a_long_answer_are_masked_wherever_they_lie(void **state)
{
	uint8_t whole[SA_HEADER_SIZE + 3 * 112] = { 0 }, mad[MAD_SIZE];
	const struct mad_header h = { .mgmt_class = MAD_CLASS_SA,
		                      .method = MAD_METHOD_GET_TABLE_RESP,
		                      .attribute = 0x11 };
	struct ibc_capture *cap, *copy;
	struct ibc_capture_search found;
	struct tape t;

	(void)state;
	mad_header_put(whole, &h);
	whole[24] = whole[25] = 1; /* RMPP: version, DATA */
	bytes_put(whole + 44, 2, 112 / 8);
	for (int i = 0; i < 3; i++) {
		memcpy(whole + SA_HEADER_SIZE + i * 112 + 16, GUID, 8);
		whole[SA_HEADER_SIZE + i * 112 + 23] = (uint8_t)i;
		memcpy(whole + SA_HEADER_SIZE + i * 112 + 44, "hall9-node7", 11);
		whole[SA_HEADER_SIZE + i * 112 + 54] = (uint8_t)('7' + i);
	}
	tape_begin(&t);
	memset(mad, 0, MAD_SIZE);
	mad_header_put(mad, &(struct mad_header){ .mgmt_class = MAD_CLASS_SA,
	                                          .method = MAD_METHOD_GET_TABLE,
	                                          .attribute = 0x11 });
	tape_add(&t, mad);
	for (size_t i = 0; i < sa_segments(sizeof(whole)); i++) {
		sa_segment_put(mad, whole, sizeof(whole), i);
		tape_add(&t, mad);
	}
	cap = capture(t.bytes, t.size);
	copy = masked(cap);
	found = search(cap, cap);
	assert_int_equal(found.of[IBC_IDENTITY_NAME].known, 3);
	assert_int_equal(found.of[IBC_IDENTITY_NAME].found, 3);
	assert_int_equal(found.of[IBC_IDENTITY_GUID].found, 3);
	found = search(cap, copy);
	assert_int_equal(found.of[IBC_IDENTITY_NAME].found, 0);
	assert_int_equal(found.of[IBC_IDENTITY_GUID].found, 0);
	assert_null(memmem(copy->bytes, copy->size, "hall9", 5));
	/* a segment without those before it says nothing of where its records are: nothing stays */
	tape_begin(&t);
	tape_add(&t, mad);
	ibc_capture_free(copy);
	ibc_capture_free(cap);
	cap = capture(t.bytes, t.size);
	copy = masked(cap);
	assert_non_null(memmem(cap->bytes, cap->size, "hall9", 5));
	assert_null(memmem(copy->bytes, copy->size, "hall9", 5));
	ibc_capture_free(copy);
	ibc_capture_free(cap);
}

static void no_new_guid_is_one_of_the_original(void **state)
{
	struct ibc_capture *cap, *copy;
	uint8_t mad[MAD_SIZE];

	(void)state;
	put(mad, 0x81, 0x11, 68, "\x02\0\0\0\0\0\0\x02", 8);
	memcpy(mad + 76, "\x02\0\0\0\0\0\0\x01", 8);
	cap = capture_of(mad);
	copy = masked(cap);
	assert_int_equal(search(cap, copy).of[IBC_IDENTITY_GUID].known, 2);
	assert_int_equal(search(cap, copy).of[IBC_IDENTITY_GUID].found, 0);
	ibc_capture_free(copy);
	ibc_capture_free(cap);
}

static void a_copy_of_a_copy_is_one(void **state)
{
	struct ibc_capture *cap, *copy, *again;
	struct ibc_capture_search found;
	uint8_t mad[MAD_SIZE];

	(void)state;
	for (size_t i = 0; i <= ARRAY_SIZE(places); i++) {
		const struct place *p = &places[i % ARRAY_SIZE(places)];

		put(mad, p->mgmt_class, p->attribute, p->at, p->bytes, p->n);
		if (i == ARRAY_SIZE(places))
			put_serial(mad, "  MT2012VS00123");
		cap = capture_of(mad);
		copy = masked(cap);
		again = masked(copy);
		found = search(copy, again);
		for (int kind = 0; kind < IBC_IDENTITIES; kind++)
			assert_int_equal(found.of[kind].found, 0);
		ibc_capture_free(again);
		ibc_capture_free(copy);
		ibc_capture_free(cap);
	}
}

static void what_lacks_mads_is_no_copy(void **state)
{
	struct ibc_capture_search found;
	struct ibc_capture *cap, *copy;
	uint8_t mad[MAD_SIZE];
	struct tape t;

	(void)state;
	put(mad, 0x81, 0x11, 76, GUID, 8);
	cap = capture_of(mad);
	tape_begin(&t);
	tape_add(&t, mad);
	tape_add(&t, mad);
	copy = capture(t.bytes, t.size);
	assert_int_equal(ibc_capture_search(cap, copy, NULL, 0, &found, NULL), -EPROTO);
	ibc_capture_free(copy);
	ibc_capture_free(cap);
}

static void out_of_memory_is_an_error(void **state)
{
	struct ibc_capture_search found;
	struct ibc_capture *cap;
	unsigned long n = 0;
	uint8_t mad[MAD_SIZE];
	int rc;

	(void)state;
	put(mad, 0x03, 0x35, 64, GID, 16);
	cap = capture_of(mad);
	do {
		alloc_fail_at(++n);
		rc = ibc_capture_search(cap, cap, NULL, 0, &found, NULL);
		alloc_fail_at(0);
		assert_true(rc == 0 || rc == -ENOMEM);
	} while (rc);
	assert_true(n > 5);
	ibc_capture_free(cap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_planted_is_found_and_not_in_a_copy_without_names),
		cmocka_unit_test(a_serial_number_goes_the_rest_of_a_module_stays),
		cmocka_unit_test(a_guid_is_found_however_it_is_packed),
		cmocka_unit_test(a_long_name_is_found_in_any_text_a_short_one_as_a_word),
		cmocka_unit_test(what_is_searched_for_with_less_is_counted_so),
		cmocka_unit_test(keys_that_only_the_caller_knows_are_looked_for),
		cmocka_unit_test(records_of_a_long_answer_are_masked_wherever_they_lie),
		cmocka_unit_test(no_new_guid_is_one_of_the_original),
		cmocka_unit_test(a_copy_of_a_copy_is_one),
		cmocka_unit_test(what_lacks_mads_is_no_copy),
		cmocka_unit_test(out_of_memory_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
