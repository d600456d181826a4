/* SPDX-License-Identifier: BSD-2-Clause */
/* The writer of JSON, held against jansson. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/hash.h"
#include "base/jsonwrite.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What was written is what jansson makes of the same. */
static void assert_written(struct json_out *o, json_t *same, size_t flags)
{
	char *text = json_dumps(same, JSON_ENCODE_ANY | flags);

	assert_false(o->failed);
	assert_int_equal(o->length, strlen(text));
	assert_memory_equal(o->text, text, o->length);
	free(text);
	json_decref(same);
	o->length = 0;
}

static void assert_real(struct json_out *o, double value, int precision)
{
	o->precision = precision;
	json_put_real(o, value);
	assert_written(o, json_real(value), JSON_REAL_PRECISION((size_t)precision));
}

static void numbers_are_those_of_jansson(void **state)
{
	static const double reals[] = { 0,   -0.0, 1,     100000, 1e15,  1e16,   1e17, 1e22,
		                        0.1, 1e-5, 1e-10, 1e-300, 1e300, 123456, 0.12, -2.5e-7 };
	static const int64_t numbers[] = { 0, 9, 10, -1, INT64_MAX, INT64_MIN, 4711 };
	struct json_out o = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(numbers); i++) {
		json_put_number(&o, numbers[i]);
		assert_written(&o, json_integer(numbers[i]), 0);
	}
	for (size_t i = 0; i < COUNT(reals); i++) {
		assert_real(&o, reals[i], 15);
		assert_real(&o, reals[i], 17);
	}
	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t bits = hash_mix(i);
		double value;

		memcpy(&value, &bits, sizeof(value));
		if (isfinite(value))
			assert_real(&o, value, 17);
		assert_real(&o, (double)(bits >> 20) / 1e6, 15);
	}
	json_put_real(&o, NAN);
	assert_written(&o, json_null(), 0);
	json_put_real(&o, -INFINITY);
	assert_written(&o, json_null(), 0);
	free(o.text);
}

static void texts_are_those_of_jansson(void **state)
{
	struct json_out o = { 0 };

	(void)state;
	for (int c = 1; c < 0x80; c++) {
		char text[] = { 'a', (char)c, (char)c, 'z', '\0' };

		json_put_text(&o, text);
		assert_written(&o, json_string(text), 0);
	}
	json_put_text(&o, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
	assert_written(&o, json_string("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"), 0);
	json_put_text(&o, "");
	assert_written(&o, json_string(""), 0);
	json_put_guid(&o, 0x2c903);
	assert_written(&o, json_string("0x000000000002c903"), 0);
	free(o.text);
}

static void what_is_no_utf8_is_replaced(void **state)
{
	struct json_out o = { 0 };

	(void)state;
	json_put_text(&o, "a\xff\xc3z\xed\xa0\x80");
	assert_written(&o,
	               json_string("a\xef\xbf\xbd\xef\xbf\xbdz"
	                           "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"),
	               0);
	free(o.text);
}

static void write_sample(struct json_out *o)
{
	json_open(o, '{');
	json_key(o, "a");
	json_open(o, '[');
	json_put_number(o, 1);
	json_put_bool(o, true);
	json_put_null(o);
	json_open(o, '{');
	json_close(o, '}');
	json_close(o, ']');
	json_key(o, "b");
	json_put_text(o, "{");
	json_key(o, "c");
	json_put_bool(o, false);
	json_close(o, '}');
}

static void commas_are_where_they_belong(void **state)
{
	static const char sample[] = "{\"a\":[1,true,null,{}],\"b\":\"{\",\"c\":false}";
	struct json_out o = { .spaced = true };

	(void)state;
	write_sample(&o);
	assert_written(&o, json_loads(sample, 0, NULL), 0);
	o.spaced = false;
	write_sample(&o);
	assert_written(&o, json_loads(sample, 0, NULL), JSON_COMPACT);
	free(o.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_those_of_jansson),
		cmocka_unit_test(texts_are_those_of_jansson),
		cmocka_unit_test(what_is_no_utf8_is_replaced),
		cmocka_unit_test(commas_are_where_they_belong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
