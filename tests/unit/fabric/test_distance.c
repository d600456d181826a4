/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ibcheck/ibcheck.h>

static size_t between(const char *a, const char *b)
{
	size_t there = ibc_text_distance(a, strlen(a), b, strlen(b));

	assert_int_equal(there, ibc_text_distance(b, strlen(b), a, strlen(a)));
	return there;
}

static void each_changed_added_or_removed_letter_counts_once(void **state)
{
	(void)state;
	assert_int_equal(between("", ""), 0);
	assert_int_equal(between("port.width", "port.width"), 0);
	assert_int_equal(between("", "port"), 4);
	assert_int_equal(between("leaf3", "leaf03"), 1);
	assert_int_equal(between("port.widht", "port.width"), 2);
	assert_int_equal(between("kitten", "sitting"), 3);
}

static void only_the_bytes_given_are_looked_at(void **state)
{
	(void)state;
	assert_int_equal(ibc_text_distance("port,x", 4, "port.width", 4), 0);
}

static void of_long_words_only_the_beginning_counts(void **state)
{
	char a[1000], b[1000];

	(void)state;
	memset(a, 'a', sizeof(a));
	memset(b, 'a', sizeof(b));
	b[IBC_TEXT_DISTANCE_MAX - 1] = 'b';
	b[IBC_TEXT_DISTANCE_MAX] = 'b';
	assert_int_equal(ibc_text_distance(a, sizeof(a), b, sizeof(b)), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_changed_added_or_removed_letter_counts_once),
		cmocka_unit_test(only_the_bytes_given_are_looked_at),
		cmocka_unit_test(of_long_words_only_the_beginning_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
