/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#undef fail /* cmocka has one too */

#include <ibcheck/ibcheck.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/words.h"
#include "fabric/attributes.h"
#include "fabric/fabric.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- errors ---- */

static void failing_returns_the_code_and_stores_the_sentence(void **state)
{
	struct ibc_error err;

	(void)state;
	assert_int_equal(fail(&err, -EINVAL, "%s: line %d", "x.net", 7), -EINVAL);
	assert_string_equal(err.text, "x.net: line 7");
	assert_int_equal(fail_nomem(&err), -ENOMEM);
	assert_string_equal(err.text, "out of memory");
	assert_int_equal(fail(NULL, -EIO, "nobody reads this"), -EIO);
}

static void a_sentence_may_quote_the_one_it_replaces(void **state)
{
	struct ibc_error err;

	(void)state;
	fail(&err, -EIO, "no space left");
	fail(&err, -EIO, "/tmp/x: %s", err.text);
	assert_string_equal(err.text, "/tmp/x: no space left");
}

static void a_sentence_too_long_is_cut_between_characters(void **state)
{
	char text[3 * IBC_ERROR_MAX + 1] = "";
	struct ibc_error err;

	(void)state;
	for (size_t i = 0; i < IBC_ERROR_MAX; i++)
		memcpy(text + 3 * i, "\xe2\x82\xac", 3);
	for (size_t skip = 0; skip < 3; skip++) {
		fail(&err, -EIO, "%.*s%s", (int)skip, "ab", text);
		assert_in_range(strlen(err.text), IBC_ERROR_MAX - 4, IBC_ERROR_MAX - 1);
		assert_memory_equal(err.text + strlen(err.text) - 3, "\xe2\x82\xac", 3);
	}
}

static void a_sentence_quotes_nothing_a_terminal_obeys(void **state)
{
	struct ibc_error err;

	(void)state;
	fail(&err, -EINVAL, "no key \"%s\"", "a\x1b[2J\n\xff\xc2\x9b\xc3\xa9");
	assert_string_equal(err.text, "no key \"a?[2J????\xc3\xa9\"");
}

/* ---- memory ---- */

static void arena_memory_is_zeroed_and_aligned(void **state)
{
	static const size_t sizes[] = { 0, 1, 7, 16, 4096, 4097, 16384, 1 << 20, 3 };
	struct arena *a = arena_new();

	(void)state;
	assert_non_null(a);
	for (size_t i = 0; i < 50 * COUNT(sizes); i++) {
		size_t size = sizes[i % COUNT(sizes)];
		unsigned char *p = arena_alloc(a, size);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
		for (size_t j = 0; j < size; j++)
			assert_int_equal(p[j], 0);
		memset(p, 0xff, size);
	}
	arena_free(a);
	arena_free(NULL);
}

static void sizes_that_overflow_are_refused(void **state)
{
	struct arena *a = arena_new();

	(void)state;
	assert_null(arena_alloc(a, SIZE_MAX));
	assert_null(arena_alloc(a, SIZE_MAX - 64));
	assert_null(arena_array(a, SIZE_MAX / 2, 3));
	assert_null(xrealloc(NULL, SIZE_MAX / 2, 3));
	assert_non_null(arena_array(a, 3, 5));
	arena_free(a);
}

static void strings_are_copied_and_formatted(void **state)
{
	struct arena *a = arena_new();
	char *big;

	(void)state;
	assert_string_equal(arena_strdup(a, "leaf03"), "leaf03");
	assert_string_equal(arena_strndup(a, "leaf03", 4), "leaf");
	assert_string_equal(arena_strndup(a, "leaf", 40), "leaf");
	assert_string_equal(arena_printf(a, "%s/%d", "leaf03", 7), "leaf03/7");
	big = arena_printf(a, "%20000d", 1);
	assert_int_equal(strlen(big), 20000);
	arena_free(a);
}

static void reallocating_to_nothing_keeps_a_valid_block(void **state)
{
	int *p = xalloc(0);

	(void)state;
	assert_non_null(p);
	p = xrealloc(p, 0, sizeof(*p));
	assert_non_null(p);
	p = xrealloc(p, 100, sizeof(*p));
	assert_non_null(p);
	free(p);
}

static void the_nth_allocation_and_all_after_it_fail(void **state)
{
	struct arena *a = arena_new();
	void *p;

	(void)state;
	alloc_fail_at(3);
	p = xalloc(8);
	assert_non_null(p);
	assert_non_null(arena_alloc(a, 8));
	assert_null(xrealloc(p, 2, 8));
	assert_null(xalloc(8));
	assert_null(arena_new());
	assert_null(arena_strdup(a, "x"));
	assert_null(arena_printf(a, "%d", 1));
	alloc_fail_at(0);
	assert_non_null(arena_alloc(a, 8));
	free(p);
	arena_free(a);
}

struct element {
	unsigned int key;
	UT_hash_handle hh;
};

static bool fill_hash(struct element *elements, unsigned int n, struct element **head)
{
	for (unsigned int i = 0; i < n; i++) {
		elements[i].key = i;
		HASH_ADD_INT(*head, key, &elements[i]);
		if (!hash_added(&elements[i]))
			return false;
	}
	return true;
}

static void a_hash_that_ran_out_of_memory_keeps_what_it_had(void **state)
{
	static struct element elements[2000];
	struct element *head, *found;
	unsigned long n = 0;
	bool filled;

	(void)state;
	do {
		head = NULL;
		memset(elements, 0, sizeof(elements));
		alloc_fail_at(++n);
		filled = fill_hash(elements, COUNT(elements), &head);
		alloc_fail_at(0);
		for (unsigned int i = 0; i < HASH_COUNT(head); i++) {
			HASH_FIND_INT(head, &i, found);
			assert_ptr_equal(found, &elements[i]);
		}
		HASH_CLEAR(hh, head);
	} while (!filled);
	assert_in_range(n, 4, 20); /* the table, its buckets, and some growth */
}

/* What is out of memory in a call within a call comes back at the entry, once each time. */
static void an_arena_with_an_escape_returns_no_null(void **state)
{
	struct arena *arena = arena_new();
	volatile unsigned int escaped = 0;
	jmp_buf escape;
	size_t room = 0;
	char *text = NULL;

	(void)state;
	switch (setjmp(escape)) {
	case 0:
		arena_escape(arena, &escape);
		assert_non_null(arena_alloc(arena, 10));
		alloc_fail_at(1);
		arena_printf(arena, "%d", 7);
		break;
	default:
		alloc_fail_at(0);
		if (++escaped == 1)
			arena_array(arena, SIZE_MAX / 2, 3);
		if (escaped == 2)
			arena_grow(arena, &text, 0, &room, SIZE_MAX / 4);
	}
	assert_int_equal(escaped, 3);
	arena_escape(arena, NULL);
	assert_null(arena_array(arena, SIZE_MAX / 2, 3));
	arena_free(arena);
}

/* ---- numbers ---- */

static void numbers_are_read_whole_or_not_at_all(void **state)
{
	static const struct {
		const char *text;
		int rc;
		uint64_t value;
	} cases[] = {
		{ "0", 0, 0 },
		{ "7", 0, 7 },
		{ "010", 0, 10 },
		{ "0x1F", 0, 31 },
		{ "0XfF", 0, 255 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "0xffffffffffffffff", 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "18446744073709551620", -ERANGE, 0 },
		{ "0x10000000000000000", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ "0x", -EINVAL, 0 },
		{ " 7", -EINVAL, 0 },
		{ "7 ", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },
		{ "7ms", -EINVAL, 0 },
		{ "1f", -EINVAL, 0 },
		{ "99999999999999999999x", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t value = 99;

		assert_int_equal(str_u64(cases[i].text, 0, UINT64_MAX, &value), cases[i].rc);
		assert_int_equal(value, cases[i].rc ? 99 : cases[i].value);
	}
}

static void numbers_out_of_bounds_are_told_apart(void **state)
{
	uint64_t value = 99;

	(void)state;
	assert_int_equal(str_u64("4", 5, 10, &value), -ERANGE);
	assert_int_equal(str_u64("11", 5, 10, &value), -ERANGE);
	assert_int_equal(value, 99);
	assert_int_equal(str_u64("5", 5, 10, &value), 0);
	assert_int_equal(str_u64("10", 5, 10, &value), 0);
	assert_int_equal(value, 10);
}

static void a_real_number_has_neither_sign_nor_exponent_nor_unit(void **state)
{
	static const char *const bad[] = { "",    ".5",  "5.", "-1", "+1", "1e3", "inf",
		                           "nan", "1,5", "1 ", " 1", "1s", "0x10" };
	char endless[1000];
	double x = -1;

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(str_real(bad[i], &x), -EINVAL);
	memset(endless, '9', sizeof(endless));
	endless[sizeof(endless) - 1] = '\0';
	assert_int_equal(str_real(endless, &x), -ERANGE);
	endless[1] = '.';
	assert_int_equal(str_real(endless, &x), -ERANGE);
	assert_true(x == -1);
	assert_int_equal(str_real("0", &x), 0);
	assert_true(x == 0);
	assert_int_equal(str_real("12.25", &x), 0);
	assert_true(x == 12.25);
}

static void guids_are_hexadecimal_with_or_without_prefix(void **state)
{
	static const char *const bad[] = { "",
		                           "0x",
		                           "0x10000000000000000",
		                           "00000000000000001",
		                           "leaf",
		                           "0002:c903:007b:78b0",
		                           "0x0002c903007b78b0 " };
	char text[STR_GUID_MAX];
	uint64_t guid = 0;

	(void)state;
	assert_int_equal(str_guid("0x0002c903007b78b0", &guid), 0);
	assert_int_equal(guid, 0x0002c903007b78b0);
	assert_int_equal(str_guid("2C903007B78B1", &guid), 0);
	assert_int_equal(guid, 0x0002c903007b78b1);
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(str_guid(bad[i], &guid), -EINVAL);
	assert_string_equal(str_from_guid(text, guid), "0x0002c903007b78b1");
	assert_string_equal(str_from_guid(text, UINT64_MAX), "0xffffffffffffffff");
}

/* ---- text ---- */

#define BAD "\xef\xbf\xbd"

static void foreign_text_becomes_fit_for_a_terminal(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "", "" },
		{ "leaf03", "leaf03" },
		{ "MF0;leaf01:MQM8700/U1", "MF0;leaf01:MQM8700/U1" },
		{ "host01 HCA-1  \r\n", "host01 HCA-1" },
		{ "  ", "" },
		{ "a\tb\x1b[31m\x7f", "a" BAD "b" BAD "[31m" BAD },
		{ "say \"hi\"", "say \"hi\"" },
		{ "k\xc3\xbchler \xe2\x82\xac \xf0\x9f\x94\xa5",
		  "k\xc3\xbchler \xe2\x82\xac \xf0\x9f\x94\xa5" },
		{ "\xc2\x9b"
		  "31m",
		  BAD "31m" }, /* C1: CSI */
		{ "a\xe2\x80\xa8"
		  "b\xe2\x80\xae"
		  "c\xe2\x81\xa6",
		  "a" BAD "b" BAD "c" BAD },
		{ "\xff\xfe", BAD BAD },
		{ "\x80x", BAD "x" }, /* no lead byte */
		{ "\xc3", BAD },      /* cut short */
		{ "\xe2\x82"
		  "x",
		  BAD BAD "x" },
		{ "\xc0\xaf", BAD BAD },                 /* too long a form of '/' */
		{ "\xed\xa0\x80", BAD BAD BAD },         /* a surrogate */
		{ "\xf4\x90\x80\x80", BAD BAD BAD BAD }, /* beyond U+10FFFF */
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(utf8_clean(a, cases[i].in, strlen(cases[i].in)), cases[i].out);
	arena_free(a);
}

static void cleaning_ends_at_the_length_or_a_nul(void **state)
{
	struct arena *a = arena_new();

	(void)state;
	assert_string_equal(utf8_clean(a, "leaf03", 4), "leaf");
	assert_string_equal(utf8_clean(a,
	                               "leaf\0"
	                               "03",
	                               7),
	                    "leaf");
	assert_string_equal(utf8_clean(a,
	                               "leaf \0"
	                               "03",
	                               8),
	                    "leaf");
	assert_string_equal(utf8_clean(a, "x\xe2\x82\xac", 3), "x" BAD BAD);
	assert_string_equal(utf8_clean(a, NULL, 0), "");
	alloc_fail_at(1);
	assert_null(utf8_clean(a, "leaf", 4));
	alloc_fail_at(0);
	arena_free(a);
}

static void width_counts_columns(void **state)
{
	(void)state;
	assert_int_equal(utf8_width(""), 0);
	assert_int_equal(utf8_width("leaf03"), 6);
	assert_int_equal(utf8_width("k\xc3\xbchler"), 6);
	assert_int_equal(utf8_width("\xe6\xbc\xa2\xe5\xad\x97"), 4);
	assert_int_equal(utf8_width("\xf0\x9f\x94\xa5!"), 3);
	assert_int_equal(utf8_width("\xff!"), 2);
}

/* ---- words and units ---- */

static void words_read_back_as_the_value_they_stand_for(void **state)
{
	(void)state;
	for (unsigned int i = IBC_WIDTH_1X; i <= IBC_WIDTH_2X; i <<= 1)
		assert_int_equal(width_of(ibc_width_word(i)->word), i);
	for (unsigned int i = IBC_SPEED_SDR; i <= IBC_SPEED_XDR; i <<= 1)
		assert_int_equal(speed_of(ibc_speed_word(i)->name), i);
	for (enum ibc_attr a = 0; a < IBC_ATTR_COUNT; a++)
		assert_int_equal(attr_of(ibc_attr_name(a)), a);
}

static void words_are_read_in_any_case(void **state)
{
	(void)state;
	assert_int_equal(width_of("12X"), IBC_WIDTH_12X);
	assert_int_equal(speed_of("fdr10"), IBC_SPEED_FDR10);
	assert_int_equal(attr_of("portinfo"), IBC_ATTR_PORT_INFO);
}

static void words_nobody_knows_are_unknown(void **state)
{
	(void)state;
	assert_int_equal(width_of("4"), IBC_WIDTH_UNKNOWN);
	assert_int_equal(attr_of("unknown"), IBC_ATTR_NONE);
	assert_string_equal(ibc_node_type_word(77)->word, "unknown");
	assert_string_equal(ibc_port_state_word(0)->name, "unknown");
	assert_string_equal(ibc_phys_state_word(9)->word, "unknown");
	assert_string_equal(ibc_width_word(3)->word, "unknown");
	assert_string_equal(ibc_speed_word(1 << 9)->word, "unknown");
	assert_string_equal(ibc_attr_name(0), "unknown");
}

static void the_best_of_a_set_goes_by_lanes_and_speed_not_by_bit(void **state)
{
	(void)state;
	assert_int_equal(ibc_width_widest(IBC_WIDTH_1X | IBC_WIDTH_2X), IBC_WIDTH_2X);
	assert_int_equal(ibc_width_widest(IBC_WIDTH_4X | IBC_WIDTH_2X), IBC_WIDTH_4X);
	assert_int_equal(ibc_width_widest(31), IBC_WIDTH_12X);
	assert_int_equal(ibc_width_widest(0), IBC_WIDTH_UNKNOWN);
	assert_int_equal(ibc_width_widest(0xe0), IBC_WIDTH_UNKNOWN);
	assert_int_equal(ibc_speed_fastest(IBC_SPEED_QDR | IBC_SPEED_FDR10), IBC_SPEED_FDR10);
	assert_int_equal(ibc_speed_fastest(IBC_SPEED_XDR | IBC_SPEED_SDR), IBC_SPEED_XDR);
	assert_int_equal(ibc_speed_fastest(0), IBC_SPEED_UNKNOWN);
}

static void rates_are_what_is_left_after_the_line_code(void **state)
{
	static const struct {
		enum ibc_width width;
		enum ibc_speed speed;
		double gbps;
	} cases[] = {
		{ IBC_WIDTH_1X, IBC_SPEED_SDR, 2 },
		{ IBC_WIDTH_4X, IBC_SPEED_DDR, 16 },
		{ IBC_WIDTH_4X, IBC_SPEED_QDR, 32 },
		{ IBC_WIDTH_4X, IBC_SPEED_FDR10, 40 },
		{ IBC_WIDTH_4X, IBC_SPEED_EDR, 100 },
		{ IBC_WIDTH_2X, IBC_SPEED_HDR, 100 },
		{ IBC_WIDTH_4X, IBC_SPEED_HDR, 200 },
		{ IBC_WIDTH_4X, IBC_SPEED_NDR, 400 },
		{ IBC_WIDTH_4X, IBC_SPEED_XDR, 800 },
		{ IBC_WIDTH_8X, IBC_SPEED_EDR, 200 },
		{ IBC_WIDTH_12X, IBC_SPEED_QDR, 96 },
		{ 0, IBC_SPEED_EDR, 0 },
		{ IBC_WIDTH_4X, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_true(ibc_link_gbps(cases[i].width, cases[i].speed) == cases[i].gbps);
	assert_true(ibc_link_gbps(IBC_WIDTH_4X, IBC_SPEED_FDR) > 54.54);
	assert_true(ibc_link_gbps(IBC_WIDTH_4X, IBC_SPEED_FDR) < 54.55);
	assert_true(ibc_link_signal_gbps(IBC_WIDTH_4X, IBC_SPEED_EDR) == 103.125);
	assert_true(ibc_link_signal_gbps(IBC_WIDTH_1X, IBC_SPEED_SDR) == 2.5);
	assert_true(ibc_link_signal_gbps(IBC_WIDTH_4X, IBC_SPEED_UNKNOWN) == 0);
	assert_true(ibc_link_signal_gbps(IBC_WIDTH_UNKNOWN, IBC_SPEED_NDR) == 0);
}

static void mtu_codes_become_bytes(void **state)
{
	static const unsigned int bytes[] = { 0, 256, 512, 1024, 2048, 4096, 0, 0 };

	(void)state;
	for (unsigned int i = 0; i < COUNT(bytes); i++)
		assert_int_equal(ibc_mtu_bytes(i), bytes[i]);
	assert_int_equal(ibc_mtu_bytes(1000), 0);
}

static void the_version_is_the_one_of_the_build(void **state)
{
	(void)state;
	assert_string_equal(ibc_version(), IBC_VERSION);
}

static void a_cell_is_a_formula_unless_it_is_a_number(void **state)
{
	static const char *const formulas[] = { "=1+1", "+x", "-2+3", "@SUM(A1)", "'=x", "''-y" };
	static const char *const plain[] = { "", "-", "-3.5", "+7", "leaf01", "'quoted'", "a=b" };

	(void)state;
	for (size_t i = 0; i < sizeof(formulas) / sizeof(formulas[0]); i++)
		assert_true(str_is_formula(formulas[i]));
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		assert_false(str_is_formula(plain[i]));
}

static void amounts_have_their_plural(void **state)
{
	char text[AMOUNT_TEXT];

	(void)state;
	assert_string_equal(str_amount(text, 0, "cable"), "0 cables");
	assert_string_equal(str_amount(text, 1, "query"), "1 query");
	assert_string_equal(str_amount(text, 2, "query"), "2 queries");
	assert_string_equal(str_amount(text, 1, "switch"), "1 switch");
	assert_string_equal(str_amount(text, 18446744073709551615u, "switch"),
	                    "18446744073709551615 switches");
}

static void add_part(void *ctx, const char *part, bool is_text)
{
	char *all = ctx;

	sprintf(all + strlen(all), is_text ? "<%s>" : "%s", part);
}

static void add_parts(char *all, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	str_each_part(format, &ap, add_part, all);
	va_end(ap);
}

static void texts_of_a_format_are_told_from_the_rest(void **state)
{
	char all[256] = "";

	(void)state;
	add_parts(all, "%s: %u of %zu, %.1f %.3s%c %lu", "a", 1u, (size_t)2, 0.5, "bcde", '!', 3ul);
	assert_string_equal(all, "<a>: 1 of 2, 0.5 <bcd>! 3");
}

static void versions_are_compared_by_their_numbers(void **state)
{
	(void)state;
	assert_int_equal(str_version_order("28.39.0500", "28.39.500"), 0);
	assert_true(str_version_order("31.2012.1068", "31.2012.968") > 0);
	assert_true(str_version_order("6.1.0-18-amd64", "6.10") < 0);
	assert_true(str_version_order("28.39", "28.39.1") < 0);
	assert_true(str_version_order("99999999999999999999999", "100000000000000000000000") < 0);
}

/* Whatever a device is called, a shell takes it for that word. */
static void names_are_one_word_to_a_shell(void **state)
{
	static const char *const names[] = { "leaf03/2", "node 07",   "a;reboot",  "$(reboot)",
		                             "`id`",     "it's",      "''",        "a\\",
		                             "-rf",      "~root",     "*",         "",
		                             "a\"b",     "#",         "a&b|c>d<e", "!x",
		                             "{a,b}",    "na\u00efve" };
	char word[IBC_SHELL_TEXT], command[2 * IBC_SHELL_TEXT], got[IBC_SHELL_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		FILE *shell;
		size_t n;

		snprintf(command, sizeof(command), "printf '%%s|' %s",
		         ibc_shell_word(names[i], word, sizeof(word)));
		shell = popen(command, "r");
		assert_non_null(shell);
		n = fread(got, 1, sizeof(got) - 1, shell);
		assert_int_equal(pclose(shell), 0);
		assert_true(n);
		got[n - 1] = '\0';
		assert_string_equal(got, names[i]);
	}
	assert_string_equal(ibc_shell_word("leaf03/2", word, sizeof(word)), "leaf03/2");
	assert_string_equal(ibc_shell_word("a\nreboot\x1b", word, sizeof(word)), "'a?reboot?'");
	/* one that is too long is cut, and still a word */
	assert_string_equal(ibc_shell_word("a b c d e f", word, 10), "'a b '");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_one_word_to_a_shell),
		cmocka_unit_test(versions_are_compared_by_their_numbers),
		cmocka_unit_test(amounts_have_their_plural),
		cmocka_unit_test(texts_of_a_format_are_told_from_the_rest),
		cmocka_unit_test(a_cell_is_a_formula_unless_it_is_a_number),
		cmocka_unit_test(failing_returns_the_code_and_stores_the_sentence),
		cmocka_unit_test(a_sentence_may_quote_the_one_it_replaces),
		cmocka_unit_test(a_sentence_too_long_is_cut_between_characters),
		cmocka_unit_test(a_sentence_quotes_nothing_a_terminal_obeys),
		cmocka_unit_test(arena_memory_is_zeroed_and_aligned),
		cmocka_unit_test(sizes_that_overflow_are_refused),
		cmocka_unit_test(an_arena_with_an_escape_returns_no_null),
		cmocka_unit_test(strings_are_copied_and_formatted),
		cmocka_unit_test(reallocating_to_nothing_keeps_a_valid_block),
		cmocka_unit_test(the_nth_allocation_and_all_after_it_fail),
		cmocka_unit_test(a_hash_that_ran_out_of_memory_keeps_what_it_had),
		cmocka_unit_test(numbers_are_read_whole_or_not_at_all),
		cmocka_unit_test(numbers_out_of_bounds_are_told_apart),
		cmocka_unit_test(a_real_number_has_neither_sign_nor_exponent_nor_unit),
		cmocka_unit_test(guids_are_hexadecimal_with_or_without_prefix),
		cmocka_unit_test(foreign_text_becomes_fit_for_a_terminal),
		cmocka_unit_test(cleaning_ends_at_the_length_or_a_nul),
		cmocka_unit_test(width_counts_columns),
		cmocka_unit_test(words_read_back_as_the_value_they_stand_for),
		cmocka_unit_test(words_are_read_in_any_case),
		cmocka_unit_test(words_nobody_knows_are_unknown),
		cmocka_unit_test(the_best_of_a_set_goes_by_lanes_and_speed_not_by_bit),
		cmocka_unit_test(rates_are_what_is_left_after_the_line_code),
		cmocka_unit_test(mtu_codes_become_bytes),
		cmocka_unit_test(the_version_is_the_one_of_the_build),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
