/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts that are kept compressed: what readers get of them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "../../../cmd/screen/kept.h"

#define LONG_TEXT 1000000

static struct kept *keep(const char *text)
{
	struct kept *k;
	FILE *file = kept_open(&k);

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(kept_close(file, 0, &k), 0);
	assert_int_equal(kept_length(k), strlen(text));
	return k;
}

static char *read_all(struct kept *k, size_t step)
{
	char *text = calloc(1, kept_length(k) + step + 1), *at = text;
	struct kept_reader *r = kept_read(k);
	ptrdiff_t n;

	while ((n = kept_next(r, at, step)) > 0)
		at += n;
	assert_int_equal(n, 0);
	kept_reader_free(r);
	return text;
}

/* What any program makes of the file that a client gets. */
static char *gunzip(const struct kept *k, const char *end)
{
	size_t size, n = strlen(end), room = kept_length(k) + n;
	const unsigned char *bytes = kept_bytes(k, &size);
	unsigned char *file = malloc(size + KEPT_END_ROOM);
	char *text = calloc(1, room + 1);
	z_stream z = { 0 };

	memcpy(file, bytes, size);
	size += kept_end(k, end, n, file + size);
	assert_int_equal(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
	z.next_in = file;
	z.avail_in = (uInt)size;
	z.next_out = (Bytef *)text;
	z.avail_out = (uInt)room + 1;
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END); /* sum and length are right */
	assert_int_equal(z.avail_in, 0);
	assert_int_equal(z.total_out, room);
	inflateEnd(&z);
	free(file);
	return text;
}

static char *long_text(void)
{
	char *text = malloc(LONG_TEXT + 1);

	srand(1);
	for (size_t i = 0; i < LONG_TEXT; i++)
		text[i] = (char)('a' + rand() % 20);
	text[LONG_TEXT] = '\0';
	return text;
}

static void check_text(const char *text)
{
	static const size_t steps[] = { 1000, 32768, 2 * LONG_TEXT };
	struct kept *k = keep(text);
	char *again;

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		again = read_all(k, steps[i]);
		assert_string_equal(again, text);
		free(again);
	}
	kept_drop(k);
}

static void what_was_written_is_read_again(void **state)
{
	char *text = long_text();

	(void)state;
	check_text("");
	check_text("one line\n");
	check_text(text);
	free(text);
}

static void every_reader_gets_a_gzip_file_with_an_end_of_its_own(void **state)
{
	static const char *const ends[] = { "", "end 1\n", "another end\n" };
	char most[KEPT_END_MAX + 1], *text;
	struct kept *k = keep("kept once\n");

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		text = gunzip(k, ends[i]);
		assert_memory_equal(text, "kept once\n", 10);
		assert_string_equal(text + 10, ends[i]);
		free(text);
	}
	memset(most, 'x', KEPT_END_MAX);
	most[KEPT_END_MAX] = '\0';
	text = gunzip(k, most);
	assert_string_equal(text + 10, most);
	free(text);
	kept_drop(k);
}

static void a_long_text_is_kept_in_fewer_bytes(void **state)
{
	char *text = long_text(), *again;
	struct kept *k = keep(text);
	size_t size;

	(void)state;
	kept_bytes(k, &size);
	assert_true(size < LONG_TEXT * 3 / 4);
	again = gunzip(k, "");
	assert_string_equal(again, text);
	free(again);
	free(text);
	kept_drop(k);
}

static void a_reader_outlives_its_holder(void **state)
{
	struct kept *k = keep("still here");
	struct kept_reader *r = kept_read(k);
	char text[16] = "";

	(void)state;
	kept_drop(k);
	assert_int_equal(kept_next(r, text, sizeof(text)), 10);
	assert_string_equal(text, "still here");
	kept_reader_free(r);
}

static void what_failed_is_not_kept(void **state)
{
	struct kept *k;
	FILE *file = kept_open(&k);

	(void)state;
	fputs("half a rep", file);
	assert_int_equal(kept_close(file, -EIO, &k), -EIO);
	assert_null(k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read_again),
		cmocka_unit_test(every_reader_gets_a_gzip_file_with_an_end_of_its_own),
		cmocka_unit_test(a_long_text_is_kept_in_fewer_bytes),
		cmocka_unit_test(a_reader_outlives_its_holder),
		cmocka_unit_test(what_failed_is_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
