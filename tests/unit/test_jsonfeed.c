/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/jsonfeed.h"

static char told[4096];

static void tell(const char *text)
{
	strncat(told, text, sizeof(told) - strlen(told) - 1);
}

/* As it would be written, without blanks; a number that is none in 64 bits is "real". */
static const struct json_item *tell_item(const struct json_item *item)
{
	static const char *const words[] = { [JSON_NOTHING] = "null",
		                             [JSON_YES] = "true",
		                             [JSON_NO] = "false",
		                             [JSON_REAL_NUMBER] = "real" };
	const struct json_item *end = json_behind(item), *i = item + 1;
	bool is_list = item->kind == JSON_LIST;
	char number[32];

	snprintf(number, sizeof(number), "%" PRId64, item->number);
	if (item->kind < JSON_LIST) {
		tell(item->kind == JSON_TEXT     ? item->text
		     : item->kind == JSON_NUMBER ? number
		                                 : words[item->kind]);
		return end;
	}
	tell(is_list ? "[" : "{");
	while (i != end) {
		if (i != item + 1)
			tell(",");
		if (!is_list) {
			tell(i++->text);
			tell(":");
		}
		i = tell_item(i);
	}
	tell(is_list ? "]" : "}");
	return end;
}

static int take_told(void *ctx, const struct json_item *part)
{
	int *left = ctx;

	tell_item(part);
	tell(" ");
	return left && --*left == 0 ? -EXDEV : 0;
}

/* In pieces of so many bytes. */
static int feed_in(struct json_feed *f, const char *text, size_t piece)
{
	size_t n = strlen(text);
	int rc = 0;

	told[0] = '\0';
	for (size_t at = 0; !rc && at < n; at += piece)
		rc = json_feed(f, text + at, n - at < piece ? n - at : piece);
	return rc ? rc : json_feed_end(f);
}

/* The parts, and the error with its line; the same whatever the pieces. */
static const char *parts_of(const char *text)
{
	char first[sizeof(told)] = "", end[128];

	for (size_t piece = strlen(text) + 1; piece > 0; piece--) {
		struct json_feed f = { .take = take_told, .most = 100 };
		int rc = feed_in(&f, text, piece);

		assert_int_equal(rc, f.error ? -EINVAL : 0);
		snprintf(end, sizeof(end), "%lu: %s", f.line, f.error ? f.error : "");
		if (f.error)
			tell(end);
		if (*first)
			assert_string_equal(told, first);
		strcpy(first, told);
		json_feed_free(&f);
	}
	return told;
}

static void members_and_elements_of_their_arrays_are_parts(void **state)
{
	(void)state;
	assert_string_equal(parts_of("{\"jobs\": [{\"id\": 1}, 7], \"more\": {}}"),
	                    "{jobs:{id:1}} {jobs:7} {more:{}} ");
	assert_string_equal(parts_of(" [ 1 , [ 2 , [ ] ] , {\"a\":[3,4]}\n]\n"),
	                    "{:1} {:[2,[]]} {:{a:[3,4]}} ");
	assert_string_equal(parts_of("{\"a\":[],\"b\":[[],{}],\"c\":null}"),
	                    "{a:[]} {b:[]} {b:{}} {c:null} ");
	assert_string_equal(parts_of("{}"), "");
	assert_string_equal(parts_of("[ ]"), "{:[]} ");
}

static void what_texts_hold_divides_nothing(void **state)
{
	(void)state;
	assert_string_equal(parts_of("{\"a,]\":[\"}],[{\",\"\\\"]\",\"\\\\\"]}"),
	                    "{a,]:}],[{} {a,]:\"]} {a,]:\\} ");
	assert_string_equal(parts_of("{\"\\u00e9\":[1,2]}"), "{\xc3\xa9:1} {\xc3\xa9:2} ");
}

static void what_is_wrong_is_told_with_its_line(void **state)
{
	static const struct {
		const char *text, *told;
	} cases[] = {
		{ "", "1: it ends in the middle" },
		{ "{\"a\":1}\n x", "{a:1} 2: something follows its end" },
		{ "1", "1: it is no object and no array" },
		{ "{\"a\":[1,\n2", "{a:1} 2: it ends in the middle" },
		{ "{\"a\":[1,\n]}", "{a:1} 2: expected a value" },
		{ "{\"a\":[,1]}", "1: expected a value" },
		{ "{\"a\":1,}", "{a:1} 1: expected a value" },
		{ "{\"a\":[1],}", "{a:1} 1: expected a value" },
		{ "{\"a\":[1]\n\"b\":2}", "{a:1} 2: expected a comma" },
		{ "{\"a\":[1]]", "{a:1} 1: expected a comma" },
		{ "{\n\"a\" [\n]\n}", "2: what begins here is damaged" },
		{ "{\"a\":\"b\":[1]}", "1: what begins here is damaged" },
		{ "{:[]}", "1: what begins here is damaged" },
		{ "{\"a\":1]}", "1: what begins here is damaged" },
		{ "{\"a\":[1}]}", "1: what begins here is damaged" },
		{ "[1 2]", "1: what begins here is damaged" },
		{ "[\"\xff\"]", "1: what begins here is damaged" },
		{ "[\"\\ud800\"]", "1: what begins here is damaged" },
		{ "[NaN]", "1: what begins here is damaged" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(parts_of(cases[i].text), cases[i].told);
}

static void lenient_takes_what_others_write(void **state)
{
	struct json_feed f = { .take = take_told, .most = 200, .reader.lenient = true };

	(void)state;
	assert_int_equal(feed_in(&f,
	                         "[\"\xff\\x\\u12\\ud800\\u0000\\ud83d\\ude00\",NaN,-Infinity,"
	                         "18446744073709551616,01]",
	                         7),
	                 0);
	assert_string_equal(told, "{:\xff\\x\\u12\xef\xbf\xbd\xef\xbf\xbd\xf0\x9f\x98\x80} {:null} "
	                          "{:null} {:null} {:null} ");
	json_feed_free(&f);
	f = (struct json_feed){ .take = take_told, .most = 200, .reader.lenient = true };
	assert_int_equal(feed_in(&f, "[1,\"a\" NaN]", 3), -EINVAL);
	json_feed_free(&f);
}

static void a_nul_byte_is_told(void **state)
{
	static const char text[] = "{\"a\":\"\0\"}";
	struct json_feed f = { .take = take_told, .most = 100 };

	(void)state;
	assert_int_equal(json_feed(&f, text, sizeof(text) - 1), -EINVAL);
	assert_string_equal(f.error, "it has a NUL byte");
	json_feed_free(&f);
}

static void a_part_has_its_bounds_and_all_of_them_none(void **state)
{
	struct json_feed f = { .take = take_told, .most = 16 };

	(void)state;
	assert_int_equal(json_feed(&f, "{\"a\":[", 6), 0);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(json_feed(&f, "\"12345\",", 8), 0);
	assert_int_equal(f.num, 10000);
	assert_int_equal(json_feed(&f, "\"1234567890\"", 12), -EINVAL);
	assert_string_equal(f.error, "a part of it is too long");
	json_feed_free(&f);
}

static void who_takes_may_end_it(void **state)
{
	int left = 2;
	struct json_feed f = { .take = take_told, .ctx = &left, .most = 100 };

	(void)state;
	assert_int_equal(feed_in(&f, "[1,2,3]", 100), -EXDEV);
	assert_string_equal(told, "{:1} {:2} ");
	assert_null(f.error);
	json_feed_free(&f);
}

static void no_memory_is_an_error(void **state)
{
	unsigned long n = 0;
	int rc;

	(void)state;
	do {
		struct json_feed f = { .take = take_told, .most = 100 };

		alloc_fail_at(++n);
		rc = feed_in(&f, "{\"a\":[\"\\n\",{}]}", 100);
		alloc_fail_at(0);
		assert_true(rc == 0 || rc == -ENOMEM);
		json_feed_free(&f);
	} while (rc);
	assert_true(n > 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_and_elements_of_their_arrays_are_parts),
		cmocka_unit_test(what_texts_hold_divides_nothing),
		cmocka_unit_test(what_is_wrong_is_told_with_its_line),
		cmocka_unit_test(lenient_takes_what_others_write),
		cmocka_unit_test(a_nul_byte_is_told),
		cmocka_unit_test(a_part_has_its_bounds_and_all_of_them_none),
		cmocka_unit_test(who_takes_may_end_it),
		cmocka_unit_test(no_memory_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
