/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <ibcheck/check.h>
#include <ibcheck/counters.h>

#include "mkfab.h"

static const struct ibc_counters zeroes = { .known = 1u << IBC_SYMBOL_ERROR };
static const struct ibc_counters soon = { .known = 1u << IBC_SYMBOL_ERROR, .at_seconds = 0.5 };

/* One switch, swept then; NULL: nothing was counted. */
static struct ibc_fabric *sweep(uint64_t guid, uint64_t time, const struct ibc_counters *counters)
{
	struct mkfab m = mkfab();

	mk_switch(m, guid, "leaf01", 2);
	m.subnet->time = time;
	port(m, guid, 1)->counters = counters;
	return done(m);
}

/* Frees both. */
static int fit(struct ibc_fabric *before, struct ibc_fabric *now, struct ibc_error *err)
{
	int rc = ibc_samples_fit(before, now, err);

	assert_int_equal(ibc_samples_fit(before, now, NULL), rc);
	ibc_fabric_free(before);
	ibc_fabric_free(now);
	return rc;
}

static void an_earlier_sweep_of_a_fabric_fits(void **state)
{
	(void)state;
	assert_int_equal(fit(sweep(1, 100, &zeroes), sweep(1, 101, &zeroes), NULL), 0);
	/* time is told in whole seconds, ports tell the rest */
	assert_int_equal(fit(sweep(1, 100, &zeroes), sweep(1, 100, &soon), NULL), 0);
}

static void a_sweep_does_not_compare_with_itself(void **state)
{
	struct ibc_error err;

	(void)state;
	assert_int_equal(fit(sweep(1, 100, &soon), sweep(1, 100, &soon), &err), -ETIME);
	assert_string_equal(err.text, "both sweeps have the same time");
}

/* Frees both. */
static bool overlap(struct ibc_fabric *before, struct ibc_fabric *now, time_t clock)
{
	bool yes = ibc_samples_overlap(before, now, clock);

	ibc_fabric_free(before);
	ibc_fabric_free(now);
	return yes;
}

static void two_sweeps_at_once_overlap(void **state)
{
	(void)state;
	assert_true(overlap(sweep(1, 100, &soon), sweep(1, 100, &zeroes), 101));
	assert_false(overlap(sweep(1, 100, &zeroes), sweep(1, 100, &soon), 101));
	assert_false(overlap(sweep(1, 100, &zeroes), sweep(1, 100, NULL), 101));
	assert_false(overlap(sweep(1, 100, NULL), sweep(1, 100, &zeroes), 101));
}

static void a_sweep_that_is_yet_to_come_overlaps_none(void **state)
{
	(void)state;
	assert_false(overlap(sweep(1, 500, &soon), sweep(1, 100, &zeroes), 101));
}

static void a_fabric_without_a_common_node_is_another_one(void **state)
{
	struct ibc_error err;

	(void)state;
	assert_int_equal(fit(sweep(1, 100, &zeroes), sweep(2, 101, &zeroes), &err), -EXDEV);
	assert_non_null(strstr(err.text, "another fabric"));
}

static void a_sweep_without_counters_compares_with_nothing(void **state)
{
	struct ibc_error err;

	(void)state;
	assert_int_equal(fit(sweep(1, 100, NULL), sweep(1, 101, &zeroes), &err), -ENODATA);
	assert_string_equal(err.text, "the earlier sweep contains no counters");
	assert_int_equal(fit(sweep(1, 100, &zeroes), sweep(1, 101, NULL), &err), -ENODATA);
	assert_string_equal(err.text, "this sweep contains no counters");
}

static void a_sweep_of_no_known_time_compares_with_nothing(void **state)
{
	struct ibc_error err;

	(void)state;
	assert_int_equal(fit(sweep(1, 0, &zeroes), sweep(1, 101, &zeroes), &err), -ENODATA);
	assert_string_equal(err.text, "the earlier sweep does not contain its time");
	assert_int_equal(fit(sweep(1, 100, &zeroes), sweep(1, 0, &zeroes), &err), -ENODATA);
	assert_string_equal(err.text, "this sweep does not contain its time");
}

static void a_clock_that_stepped_backwards_is_said_with_both_times(void **state)
{
	struct ibc_error err;

	(void)state;
	assert_int_equal(fit(sweep(1, 86400, &zeroes), sweep(1, 3600, &zeroes), &err), -ETIME);
	assert_non_null(strstr(err.text, "1970-01-02 00:00:00"));
	assert_non_null(strstr(err.text, "1970-01-01 01:00:00"));
}

/* ---- the check -------------------------------------------------------------------- */

static struct ibc_report *report_of(struct ibc_fabric *before, struct ibc_fabric *now)
{
	const struct ibc_input in = { .fabric = now, .before = before };
	struct ibc_report *rep;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, "counters.state", rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	ibc_fabric_free(before);
	ibc_fabric_free(now);
	return rep;
}

static void nothing_to_compare_with_is_unknown(void **state)
{
	struct ibc_report *rep = report_of(sweep(1, 101, &zeroes), sweep(1, 100, &zeroes));

	(void)state;
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	assert_string_equal(ibc_report_finding(rep, 0)->check, "counters.state");
	ibc_report_free(rep);
}

static void two_samples_that_fit_are_no_finding(void **state)
{
	struct ibc_report *rep = report_of(sweep(1, 100, &zeroes), sweep(1, 101, &zeroes));

	(void)state;
	assert_null(ibc_report_finding(rep, 0));
	ibc_report_free(rep);
}

static void one_sample_is_no_finding_of_the_check(void **state)
{
	struct ibc_report *rep = report_of(NULL, sweep(1, 101, &zeroes));

	(void)state;
	assert_null(ibc_report_finding(rep, 0));
	ibc_report_free(rep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_earlier_sweep_of_a_fabric_fits),
		cmocka_unit_test(a_sweep_does_not_compare_with_itself),
		cmocka_unit_test(two_sweeps_at_once_overlap),
		cmocka_unit_test(a_sweep_that_is_yet_to_come_overlaps_none),
		cmocka_unit_test(a_fabric_without_a_common_node_is_another_one),
		cmocka_unit_test(a_sweep_without_counters_compares_with_nothing),
		cmocka_unit_test(a_sweep_of_no_known_time_compares_with_nothing),
		cmocka_unit_test(a_clock_that_stepped_backwards_is_said_with_both_times),
		cmocka_unit_test(nothing_to_compare_with_is_unknown),
		cmocka_unit_test(two_samples_that_fit_are_no_finding),
		cmocka_unit_test(one_sample_is_no_finding_of_the_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
