/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mkfile.h"
#include "source/pack.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef FILE *pack_fn(FILE *under);

static struct text_file *open_bytes(const void *bytes, size_t n)
{
	struct text_file *f;

	assert_int_equal(text_open_bytes("test", bytes, n, &f, NULL), 0);
	return f;
}

static void expect_line(struct text_file *f, const char *expected)
{
	struct ibc_error err = { "" };
	size_t length = 0;
	char *line = NULL;

	assert_int_equal(text_line(f, &line, &length, &err), 1);
	assert_string_equal(line, expected);
	assert_int_equal(length, strlen(expected));
}

static void expect_end(struct text_file *f)
{
	size_t length;
	char *line;

	assert_int_equal(text_line(f, &line, &length, NULL), 0);
}

/* Reads on until something is wrong. */
static void expect_failure(struct text_file *f, const char *why)
{
	struct ibc_error err = { "" };
	size_t length;
	char *line;
	int rc;

	while ((rc = text_line(f, &line, &length, &err)) > 0)
		;
	assert_int_equal(rc, -EINVAL);
	assert_string_equal(err.text, why);
}

/* The text n times, compressed. */
static char *packed(pack_fn *pack, const char *text, unsigned int n, size_t *size)
{
	char *bytes = NULL;
	FILE *under = open_memstream(&bytes, size), *out;

	assert_non_null(under);
	out = pack(under);
	assert_non_null(out);
	for (unsigned int i = 0; i < n; i++)
		fputs(text, out);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(fclose(under), 0);
	return bytes;
}

/* ---- lines ---- */

static void lines_come_without_their_ends(void **state)
{
	const char text[] = "one\ntwo\r\r\n\n\r\n five \t\r\n";
	struct text_file *f = open_bytes(text, strlen(text));

	(void)state;
	assert_string_equal(text_name(f), "test");
	assert_int_equal(text_line_number(f), 0);
	expect_line(f, "one");
	expect_line(f, "two");
	assert_int_equal(text_line_number(f), 2);
	expect_line(f, "");
	expect_line(f, "");
	expect_line(f, " five");
	assert_false(text_was_cut(f));
	expect_end(f);
	expect_end(f);
	assert_int_equal(text_line_number(f), 5);
	text_close(f);
}

static void a_last_line_without_an_end_is_a_line_and_known_to_be_cut(void **state)
{
	struct text_file *f = open_bytes("one\ntw", 6);

	(void)state;
	expect_line(f, "one");
	assert_false(text_was_cut(f));
	expect_line(f, "tw");
	assert_true(text_was_cut(f));
	expect_end(f);
	text_close(f);
}

static void a_file_of_nothing_has_no_line(void **state)
{
	struct text_file *f = open_bytes(NULL, 0);

	(void)state;
	expect_end(f);
	assert_int_equal(text_line_number(f), 0);
	text_close(f);
	text_close(NULL);
}

static void a_byte_order_mark_is_no_text(void **state)
{
	const char text[] = "\xef\xbb\xbfone\n\xef\xbb\xbftwo\n";
	struct text_file *f = open_bytes(text, strlen(text));

	(void)state;
	expect_line(f, "one");
	expect_line(f, "two"); /* of another file that was put behind it */
	text_close(f);
}

static void what_a_terminal_leaves_is_no_text(void **state)
{
	const char text[] = "Script started on Thu 29 Jan 2026\n"
			    "\x1b]0;root@node01\x07[root@node01 ~]# ibnetdiscover\n"
			    "\x1b[1;31m[1]\x1b(B\x1b[m\t\"S-1\"[2]\x1b[K\n"
			    "root@node01:~# iblinkinfo\n  node01:/tmp # date\n$ cat a\n"
			    "[1](1)(a@b)# no prompt\n[a@b]x\nhost01:1,P # 2\n$1\nHCA: ~ # a\n"
			    "[root@node01 ~]#";
	struct text_file *f = open_bytes(text, strlen(text));

	(void)state;
	expect_line(f, "[1]\t\"S-1\"[2]");
	assert_int_equal(text_line_number(f), 3);
	expect_line(f, "[1](1)(a@b)# no prompt");
	expect_line(f, "[a@b]x");
	expect_line(f, "host01:1,P # 2");
	expect_line(f, "$1");
	expect_line(f, "HCA: ~ # a");
	expect_end(f);
	text_close(f);
}

/* "\x1b[" is all there is of it */
static void an_escape_sequence_may_be_cut_off(void **state)
{
	static const char *const ends[] = { "\x1b", "\x1b[", "\x1b[1;", "\x1b]0;x", "\x1b(" };

	(void)state;
	for (size_t i = 0; i < COUNT(ends); i++) {
		char text[16];
		struct text_file *f;

		snprintf(text, sizeof(text), "a%s", ends[i]);
		f = open_bytes(text, strlen(text));
		expect_line(f, "a");
		expect_end(f);
		text_close(f);
	}
}

static void lines_may_span_the_pieces_they_are_read_in(void **state)
{
	const size_t n = 200000;
	char *text = malloc(n + 5), *line = NULL;
	struct text_file *f;
	size_t length;

	(void)state;
	memset(text, 'x', n);
	memcpy(text + n, "\nend\n", 5);
	f = open_bytes(text, n + 5);
	assert_int_equal(text_line(f, &line, &length, NULL), 1);
	assert_int_equal(length, n);
	assert_int_equal(strspn(line, "x"), n);
	expect_line(f, "end");
	text_close(f);
	free(text);
}

static void a_line_longer_than_the_limit_is_refused(void **state)
{
	const size_t n = LINE_MAX_BYTES;
	char *text = malloc(n + 8);
	struct text_file *f;
	size_t length;
	char *line;

	(void)state;
	memcpy(text, "short\n", 6);
	memset(text + 6, 'x', n);
	text[n + 6] = '\n';
	f = open_bytes(text, n + 7);
	expect_failure(f, "test:2: the line is longer than 1048576 bytes");
	text_close(f);

	text[n + 5] = '\n'; /* one byte less */
	f = open_bytes(text, n + 7);
	expect_line(f, "short");
	assert_int_equal(text_line(f, &line, &length, NULL), 1);
	assert_int_equal(length, n - 1);
	text_close(f);
	free(text);
}

static void nul_bytes_are_no_text_but_where_some_was_before(void **state)
{
	struct text_file *f = open_bytes("o\0ne\n", 5);

	(void)state;
	expect_failure(f, "test:1: contains a NUL byte: this is not a text file");
	text_close(f);
	f = open_bytes("one\ntw\0\0\nthree\n", 15);
	expect_line(f, "one");
	expect_line(f, "tw\x1a\x1a");
	expect_line(f, "three");
	text_close(f);
}

/* ---- compressed ---- */

static void compressed_files_are_told_by_their_first_bytes(void **state)
{
	pack_fn *const packs[] = { pack_gzip, pack_zstd };

	(void)state;
	for (size_t i = 0; i < COUNT(packs); i++) {
		size_t size;
		char *bytes = packed(packs[i], "a line of some length\n", 20000, &size);
		struct text_file *f = open_bytes(bytes, size);

		assert_true(size < 10000);
		for (unsigned int n = 0; n < 20000; n++)
			expect_line(f, "a line of some length");
		expect_end(f);
		text_close(f);
		free(bytes);
	}
}

static void several_streams_in_a_row_are_one_file(void **state)
{
	pack_fn *const packs[] = { pack_gzip, pack_zstd };

	(void)state;
	for (size_t i = 0; i < COUNT(packs); i++) {
		size_t size;
		char *one = packed(packs[i], "half ", 1, &size), *two = malloc(2 * size);
		struct text_file *f;

		memcpy(two, one, size);
		memcpy(two + size, one, size);
		f = open_bytes(two, 2 * size);
		expect_line(f, "half half");
		expect_end(f);
		text_close(f);
		free(one);
		free(two);
	}
}

static void a_compressed_file_cut_anywhere_is_refused(void **state)
{
	const struct {
		pack_fn *pack;
		size_t magic;
		const char *why;
	} packs[] = {
		{ pack_gzip, 2, "test:1: the gzip data ends too early: it is cut off" },
		{ pack_zstd, 4, "test:1: the zstd data ends too early: it is cut off" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(packs); i++) {
		size_t size;
		char *bytes = packed(packs[i].pack, "no end", 1, &size);

		for (size_t n = packs[i].magic; n < size; n++) {
			struct text_file *f = open_bytes(bytes, n);

			expect_failure(f, packs[i].why);
			text_close(f);
		}
		free(bytes);
	}
}

static void what_follows_a_stream_must_be_one_too(void **state)
{
	size_t size;
	char *bytes = packed(pack_gzip, "line\n", 1, &size);
	struct text_file *f;

	(void)state;
	bytes = realloc(bytes, size + 20);
	memset(bytes + size, '!', 20);
	f = open_bytes(bytes, size + 20);
	expect_line(f, "line");
	expect_failure(f, "test:2: the gzip data is damaged");
	text_close(f);
	free(bytes);
}

static void flipped_bits_in_compressed_data_never_pass(void **state)
{
	pack_fn *const packs[] = { pack_gzip, pack_zstd };
	size_t size, length, harmless = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(packs); i++) {
		char *bytes = packed(packs[i], "text under a checksum\n", 3, &size), *line;

		for (size_t bit = 0; bit < size * 8; bit++) {
			struct text_file *f;
			unsigned int n = 0, lines = 0;
			int rc;

			bytes[bit / 8] ^= (char)(1 << bit % 8);
			f = open_bytes(bytes, size);
			for (; (rc = text_line(f, &line, &length, NULL)) > 0; lines++)
				n += !strcmp(line, "text under a checksum");
			if (rc == 0 && bit / 8 >= 4) { /* else it is not compressed any more */
				assert_int_equal(n, 3);
				assert_int_equal(lines, 3);
				harmless++;
			}
			text_close(f);
			bytes[bit / 8] ^= (char)(1 << bit % 8);
		}
		free(bytes);
	}
	/* gzip: time, system and flags of the header mean nothing to the text */
	assert_true(harmless < 80);
}

static void a_line_without_end_costs_no_memory_however_well_it_is_packed(void **state)
{
	char *blanks = malloc(100001);
	struct text_file *f;
	size_t size;
	char *bytes;

	(void)state;
	memset(blanks, ' ', 100000);
	blanks[100000] = '\0';
	bytes = packed(pack_zstd, blanks, 1000, &size); /* 100 MB */
	f = open_bytes(bytes, size);
	expect_failure(f, "test:1: the line is longer than 1048576 bytes");
	text_close(f);
	free(bytes);
	free(blanks);
}

static void what_is_binary_is_called_by_its_name(void **state)
{
	static const struct {
		const char *head, *name;
	} files[] = {
		{ "\xfd"
		  "7zXZ...",
		  "compressed with xz" },
		{ "BZh9....", "compressed with bzip2" },
		{ "PK\3\4....", "a zip archive or a workbook, which a spreadsheet saves as CSV" },
		{ "\xd0\xcf\x11\xe0....", "a workbook, which a spreadsheet saves as CSV" },
		{ "\xff\xfen\0o\0d\0", "in UTF-16, which an editor saves as UTF-8" },
		{ "\xfe\xff\0n\0o\0d", "in UTF-16, which an editor saves as UTF-8" },
		{ "\177ELF....", "a program" },
		{ "\x2b\x83\xe7\x8f....",
		  "a cache of ibnetdiscover, which ibnetdiscover --load-cache converts to text" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++) {
		struct text_file *f = open_bytes(files[i].head, 8);
		char why[200];

		snprintf(why, sizeof(why), "test is %s: it must be text, plain or in gzip or zstd",
		         files[i].name);
		expect_failure(f, why);
		text_close(f);
	}
}

/* ---- files and pipes ---- */

static void what_cannot_be_opened_or_read_is_an_error(void **state)
{
	struct text_file *f = NULL;
	struct ibc_error err;
	size_t length;
	char *line;

	(void)state;
	assert_int_equal(text_open("/nonexistent/x.net", &f, &err), -ENOENT);
	assert_string_equal(err.text, "cannot open /nonexistent/x.net: No such file or directory");
	assert_int_equal(text_open("/", &f, &err), 0);
	assert_int_equal(text_line(f, &line, &length, &err), -EISDIR);
	assert_string_equal(err.text, "cannot read /: Is a directory");
	text_close(f);
}

static void a_file_begins_anew_when_rewound(void **state)
{
	char *dir = make_dir(), *bytes, *path;
	struct text_file *f;
	size_t size;

	(void)state;
	bytes = packed(pack_gzip, "0123456789abcdef\n", 100000, &size);
	path = make_file(dir, "x", bytes, size);
	assert_int_equal(text_open(path, &f, NULL), 0);
	assert_true(text_is_on_disk(f));
	for (unsigned int turn = 0; turn < 3; turn++) {
		for (unsigned int i = 0; i < 49999 * turn + 1; i++)
			expect_line(f, "0123456789abcdef");
		assert_int_equal(text_rewind(f, NULL), 0);
		assert_int_equal(text_line_number(f), 0);
	}
	text_close(f);
	free(bytes);
	drop_file(path);
	drop_dir(dir);
}

static void bytes_begin_anew_when_rewound(void **state)
{
	const size_t n = 200000;
	char *text = malloc(n);
	struct text_file *f;

	(void)state;
	memset(text, '\n', n);
	f = open_bytes(text, n);
	assert_false(text_is_on_disk(f));
	for (unsigned int turn = 0; turn < 2; turn++) {
		for (size_t i = 0; i < n; i++)
			expect_line(f, "");
		expect_end(f);
		assert_int_equal(text_rewind(f, NULL), 0);
	}
	text_close(f);
	free(text);
}

/* A pipe that holds n line feeds. */
static int pipe_of(size_t n)
{
	char *text = malloc(n);
	int ends[2];

	memset(text, '\n', n);
	assert_int_equal(pipe(ends), 0);
	assert_true(fcntl(ends[1], F_SETPIPE_SZ, 1 << 18) >= (int)n); /* or it would wait */
	assert_int_equal(write(ends[1], text, n), n);
	close(ends[1]);
	free(text);
	return ends[0];
}

static void a_pipe_can_be_looked_into_but_not_read_twice(void **state)
{
	const struct {
		size_t size, read;
		int rc;
	} pipes[] = { { 10, 10, 0 }, { 200000, 10, 0 }, { 200000, 100000, -EIO } };

	(void)state;
	for (size_t i = 0; i < COUNT(pipes); i++) {
		int fd = pipe_of(pipes[i].size);
		struct ibc_error err = { "" };
		struct text_file *f;
		char path[40];

		snprintf(path, sizeof(path), "/dev/fd/%d", fd);
		assert_int_equal(text_open(path, &f, NULL), 0);
		for (size_t n = 0; n < pipes[i].read; n++)
			expect_line(f, "");
		assert_int_equal(text_rewind(f, &err), pipes[i].rc);
		if (pipes[i].rc)
			assert_non_null(strstr(err.text, "again: Illegal seek"));
		for (size_t n = 0; pipes[i].rc == 0 && n < pipes[i].size; n++)
			expect_line(f, "");
		text_close(f);
		close(fd);
	}
}

/* ---- out of memory ---- */

static int count_lines(const void *bytes, size_t n)
{
	struct text_file *f;
	size_t length;
	char *line;
	int rc = text_open_bytes("test", bytes, n, &f, NULL), lines = 0;

	if (rc)
		return rc;
	while ((rc = text_line(f, &line, &length, NULL)) > 0)
		lines++;
	text_close(f);
	return rc ? rc : lines;
}

static void every_allocation_may_fail(void **state)
{
	pack_fn *const packs[] = { pack_gzip, pack_zstd };

	(void)state;
	for (size_t i = 0; i < COUNT(packs); i++) {
		size_t size;
		char *bytes = packed(packs[i], "line\n", 5, &size);
		unsigned long n = 0;
		int rc = -ENOMEM;

		while (rc == -ENOMEM) {
			alloc_fail_at(++n);
			rc = count_lines(bytes, size);
			alloc_fail_at(0);
		}
		assert_int_equal(rc, 5);
		assert_true(n > 3);
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_without_their_ends),
		cmocka_unit_test(a_last_line_without_an_end_is_a_line_and_known_to_be_cut),
		cmocka_unit_test(a_file_of_nothing_has_no_line),
		cmocka_unit_test(a_byte_order_mark_is_no_text),
		cmocka_unit_test(what_a_terminal_leaves_is_no_text),
		cmocka_unit_test(an_escape_sequence_may_be_cut_off),
		cmocka_unit_test(lines_may_span_the_pieces_they_are_read_in),
		cmocka_unit_test(a_line_longer_than_the_limit_is_refused),
		cmocka_unit_test(nul_bytes_are_no_text_but_where_some_was_before),
		cmocka_unit_test(compressed_files_are_told_by_their_first_bytes),
		cmocka_unit_test(several_streams_in_a_row_are_one_file),
		cmocka_unit_test(a_compressed_file_cut_anywhere_is_refused),
		cmocka_unit_test(what_follows_a_stream_must_be_one_too),
		cmocka_unit_test(flipped_bits_in_compressed_data_never_pass),
		cmocka_unit_test(a_line_without_end_costs_no_memory_however_well_it_is_packed),
		cmocka_unit_test(what_is_binary_is_called_by_its_name),
		cmocka_unit_test(what_cannot_be_opened_or_read_is_an_error),
		cmocka_unit_test(a_file_begins_anew_when_rewound),
		cmocka_unit_test(bytes_begin_anew_when_rewound),
		cmocka_unit_test(a_pipe_can_be_looked_into_but_not_read_twice),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
