/* SPDX-License-Identifier: BSD-2-Clause */
/* Did a repair help: how often the answer is wrong, and when none is given. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <ibcheck/ibcheck.h>

#include "mkphy.h"

/* ---- a thousand links -------------------------------------------------------------------- */

#define LINKS    1000
#define LOOKS    50
#define AT_LIMIT 10 /* times as many at the limit: chance alone makes 7 more or less of 1,000 */

static uint64_t state;

/* splitmix64 */
static double uniform(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

/* The time to the next error at a rate. */
static double gap(double rate)
{
	return -log(uniform()) / rate;
}

/* struct outcome - @looks: until there was an answer; the second is when the first wait was over */
struct outcome {
	enum ibc_repair_verdict verdict;
	unsigned int looks;
};

/*
 * A link whose errors come by chance, @times the limit; who repairs it comes back whenever the
 * answer said so.
 */
static struct outcome repaired(double times, double limit)
{
	struct ibc_repair_count c = { .limit = limit, .before = NAN };
	struct outcome o = { .looks = 0 };
	double next = gap(times * limit), missing;

	for (o.looks = 1; o.looks <= LOOKS; o.looks++) {
		uint64_t before = c.errors;

		for (; next <= c.passed; next += gap(times * limit))
			c.errors++;
		o.verdict = ibc_repair_judge(&c, &missing);
		/* what was said holds where no error came */
		if (o.looks > 1 && c.errors == before)
			assert_int_equal(o.verdict, IBC_REPAIR_MENDED);
		/* the check runs, too: so it finds three errors and more */
		if (c.errors >= 3 && (double)c.errors >= limit * c.passed)
			o.verdict = IBC_REPAIR_SAME;
		if (o.verdict != IBC_REPAIR_WAIT)
			break;
		c.passed += missing;
	}
	return o;
}

static void of_a_thousand_links_few_are_called_mended_falsely(void **unused)
{
	unsigned int mended_at = 0, mended_ten = 0, mended_tenth = 0, same_tenth = 0, open = 0;
	unsigned int above = 0, falsely = 0, links[3] = { 0 }, as_said[3] = { 0 };

	(void)unused;
	state = 31;
	for (unsigned int i = 0; i < LINKS; i++) {
		double times = pow(10, -1 + 3 * uniform());
		unsigned int band = times < 0.3 ? 0 : times < 3 ? 1 : 2;
		struct outcome o = repaired(times, 1e-14);

		open += o.verdict == IBC_REPAIR_WAIT;
		above += times >= 1;
		falsely += times >= 1 && o.verdict == IBC_REPAIR_MENDED;
		links[band]++;
		as_said[band] += o.looks == 2;
		for (unsigned int k = 0; k < AT_LIMIT; k++)
			mended_at += repaired(1, 1e-14).verdict == IBC_REPAIR_MENDED;
		mended_ten += repaired(10, 1e-14).verdict == IBC_REPAIR_MENDED;
		o = repaired(0.1, 1e-14);
		mended_tenth += o.verdict == IBC_REPAIR_MENDED;
		same_tenth += o.verdict == IBC_REPAIR_SAME;
	}
	print_message("mended of 1000: %.1f at the limit, %u at ten times, %u at a tenth (%u the "
	              "same); of 0.1 to 100 times %u of the %u above the limit, %u are open; an "
	              "answer when the first wait was over: %u of %u below 0.3, %u of %u up to 3, "
	              "%u of %u above\n",
	              (double)mended_at / AT_LIMIT, mended_ten, mended_tenth, same_tenth, falsely,
	              above, open, as_said[0], links[0], as_said[1], links[1], as_said[2],
	              links[2]);
	assert_in_range(mended_at, 0, 50 * AT_LIMIT);
	assert_int_equal(mended_ten, 0);
	assert_in_range(falsely, 0, above / 20);
	assert_in_range(mended_tenth, 950, LINKS);
	assert_in_range(same_tenth, 0, 50);
	assert_in_range(open, 0, 20);
}

/* Who looks all the time is no more often wrong. */
static void looking_often_makes_it_no_more_often_wrong(void **unused)
{
	unsigned int mended = 0;

	(void)unused;
	state = 7;
	for (unsigned int i = 0; i < LINKS / 2; i++) {
		struct ibc_repair_count c = { .limit = 1, .before = NAN };
		double next = gap(1), missing;
		enum ibc_repair_verdict verdict = IBC_REPAIR_WAIT;

		while (verdict == IBC_REPAIR_WAIT && c.passed < 50) {
			c.passed += 0.1;
			for (; next <= c.passed; next += gap(1))
				c.errors++;
			verdict = ibc_repair_judge(&c, &missing);
		}
		mended += verdict == IBC_REPAIR_MENDED;
	}
	print_message("at the limit, looked at all the time: %u of 500\n", mended);
	assert_in_range(mended, 0, 25);
}

static void many_errors_are_judged_as_few_are(void **unused)
{
	struct ibc_repair_count c = { .errors = 1000000, .passed = 1, .limit = 9e5, .before = 5e5 };
	double missing;

	(void)unused;
	assert_int_equal(ibc_repair_judge(&c, &missing), IBC_REPAIR_WORSE);
	c.before = 1e6;
	assert_int_equal(ibc_repair_judge(&c, &missing), IBC_REPAIR_SAME);
	c.limit = 1.1e6;
	assert_int_equal(ibc_repair_judge(&c, &missing), IBC_REPAIR_MENDED);
	c = (struct ibc_repair_count){
		.errors = UINT64_MAX, .passed = 1, .limit = 1, .before = NAN
	};
	assert_int_equal(ibc_repair_judge(&c, &missing), IBC_REPAIR_SAME);
	c = (struct ibc_repair_count){ .errors = 0, .passed = 0, .limit = 1e-14 };
	assert_int_equal(ibc_repair_judge(&c, &missing), IBC_REPAIR_WAIT);
	assert_true(missing > 3.1e14 && missing < 3.3e14);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(of_a_thousand_links_few_are_called_mended_falsely),
	cmocka_unit_test(looking_often_makes_it_no_more_often_wrong),
	cmocka_unit_test(many_errors_are_judged_as_few_are),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
