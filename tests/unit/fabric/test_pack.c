/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>

#include "base/arena.h"
#include "source/pack.h"

#define PLAIN_BYTES  (700 * 1000)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef FILE *(*pack_fn)(FILE *under);

static const pack_fn packers[] = { pack_gzip, pack_zstd };

/* Bytes of which half repeat, so that the packed stream is of many pieces. */
static unsigned char *noise(void)
{
	unsigned char *bytes = malloc(PLAIN_BYTES);
	uint32_t seed = 1;

	assert_non_null(bytes);
	for (size_t i = 0; i < PLAIN_BYTES; i++) {
		seed = seed * 1664525 + 1013904223;
		bytes[i] = (i / 1000) % 2 ? 'x' : (unsigned char)(seed >> 24);
	}
	return bytes;
}

static size_t unpack_gzip(const char *packed, size_t n, unsigned char *out)
{
	z_stream z = { 0 };

	assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
	z.next_in = (unsigned char *)packed;
	z.avail_in = (unsigned int)n;
	z.next_out = out;
	z.avail_out = PLAIN_BYTES + 1;
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	inflateEnd(&z);
	return z.total_out;
}

static size_t unpack_zstd(const char *packed, size_t n, unsigned char *out)
{
	return ZSTD_decompress(out, PLAIN_BYTES + 1, packed, n);
}

static void round_trip(pack_fn pack, size_t (*unpack)(const char *, size_t, unsigned char *),
                       size_t bytes)
{
	unsigned char *plain = noise(), *back = malloc(PLAIN_BYTES + 1);
	char *packed = NULL;
	size_t length = 0;
	FILE *under = open_memstream(&packed, &length), *file = pack(under);

	assert_non_null(file);
	assert_int_equal(fwrite(plain, 1, bytes, file), bytes);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(fclose(under), 0);
	assert_int_equal(unpack(packed, length, back), bytes);
	assert_memory_equal(plain, back, bytes);
	free(plain);
	free(back);
	free(packed);
}

static void what_is_packed_with_gzip_is_whole_again(void **state)
{
	(void)state;
	round_trip(pack_gzip, unpack_gzip, PLAIN_BYTES);
	round_trip(pack_gzip, unpack_gzip, 1);
	round_trip(pack_gzip, unpack_gzip, 0);
}

static void what_is_packed_with_zstd_is_whole_again(void **state)
{
	(void)state;
	round_trip(pack_zstd, unpack_zstd, PLAIN_BYTES);
	round_trip(pack_zstd, unpack_zstd, 1);
	round_trip(pack_zstd, unpack_zstd, 0);
}

/* The compressor holds back the last bytes: closing must tell of a full disk, too. */
static void a_full_disk_is_told_of(void **state)
{
	unsigned char *plain = noise();

	(void)state;
	for (size_t i = 0; i < COUNT(packers); i++) {
		FILE *full = fopen("/dev/full", "w"), *file;
		bool failed;

		assert_non_null(full);
		setvbuf(full, NULL, _IONBF, 0);
		file = packers[i](full);
		failed = fwrite(plain, 1, PLAIN_BYTES, file) != PLAIN_BYTES;
		assert_true(failed);
		assert_int_not_equal(fclose(file), 0);
		fclose(full);

		full = fopen("/dev/full", "w");
		setvbuf(full, NULL, _IONBF, 0);
		file = packers[i](full);
		assert_int_equal(fwrite(plain, 1, 10, file), 10);
		assert_int_not_equal(fclose(file), 0);
		fclose(full);
	}
	free(plain);
}

static void without_memory_there_is_no_stream(void **state)
{
	char *packed = NULL;
	size_t length = 0;
	FILE *under = open_memstream(&packed, &length), *file;

	(void)state;
	for (size_t i = 0; i < COUNT(packers); i++) {
		for (unsigned long n = 1;; n++) {
			alloc_fail_at(n);
			file = packers[i](under);
			alloc_fail_at(0);
			if (file)
				break;
			assert_in_range(n, 1, 50);
		}
		assert_int_equal(fclose(file), 0);
	}
	fclose(under);
	free(packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_packed_with_gzip_is_whole_again),
		cmocka_unit_test(what_is_packed_with_zstd_is_whole_again),
		cmocka_unit_test(a_full_disk_is_told_of),
		cmocka_unit_test(without_memory_there_is_no_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
