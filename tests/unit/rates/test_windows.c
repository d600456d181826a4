/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ibcheck/counters.h>

#include "mkseries.h"
#include "store/store.h"

static struct ibc_report *report_of_series(struct series *s, const char *selection)
{
	struct ibc_windows *windows;
	struct ibc_input in = finish_series(s, &windows);
	struct ibc_report *rep;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, selection, rep, NULL), 0);
	free_series(&in, windows);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	return rep;
}

static void expect_series(struct series *s, const char *lines)
{
	expect_of(report_of_series(s, "counters"), lines);
}

/* ---- what repeats ---- */

static void what_most_windows_show_is_judged(void **state)
{
	struct series s = series(5);

	(void)state;
	waits(&s, 1, 1, 10);
	waits(&s, 3, 1, 12);
	waits(&s, 5, 1, 11);
	expect_series(&s,
	              "warning leaf01/1 - host01 mlx5_0/1: host01 is a slow receiver: "
	              "leaf01/1 waits 10 % of the time at 0 % utilization; in 3 of 5 windows\n");
}

static void what_half_of_the_windows_show_is_a_note(void **state)
{
	struct series s = series(4);

	(void)state;
	waits(&s, 1, 1, 90);
	waits(&s, 4, 1, 40);
	expect_series(&s, "info leaf01/1 - host01 mlx5_0/1: host01 is a slow receiver: leaf01/1 "
	                  "waits 90 % of the time at 0 % utilization; only in 2 of 4 windows\n");
}

static void one_window_is_judged_and_called_a_snapshot(void **state)
{
	struct series s = series(1);

	(void)state;
	waits(&s, 1, 1, 40);
	expect_series(&s, "critical leaf01/1 - host01 mlx5_0/1: host01 is a slow receiver: "
	                  "leaf01/1 waits 40 % of the time at 0 % utilization; a snapshot of one "
	                  "window\n");
}

static void as_severe_is_what_most_windows_reach(void **state)
{
	struct series s = series(5);
	struct ibc_report *rep;
	const struct ibc_finding *f;

	(void)state;
	waits(&s, 1, 1, 90);
	waits(&s, 2, 1, 80);
	waits(&s, 3, 1, 6);
	rep = report_of_series(&s, "counters");
	f = ibc_report_finding(rep, 0);
	assert_int_equal(f->severity, IBC_WARNING);
	ibc_report_free(rep);
}

/* The mean of 3 % is no fault, and no moment had it. */
static void a_mean_does_not_hide_what_repeats(void **state)
{
	struct series s = series(5);
	struct ibc_report *rep;

	(void)state;
	for (unsigned int i = 1; i <= 3; i++)
		waits(&s, i, 1, 5.1);
	rep = report_of_series(&s, "counters");
	assert_int_equal(ibc_report_finding(rep, 0)->severity, IBC_WARNING);
	ibc_report_free(rep);
}

static void a_window_nobody_read_is_not_one_without_congestion(void **state)
{
	struct series s = series(5);
	const struct ibc_finding *f;
	struct ibc_report *rep;

	(void)state;
	waits(&s, 4, 1, 10);
	waits(&s, 5, 1, 10);
	is_silent(&s, 1, 1); /* windows 1 and 2 */
	rep = report_of_series(&s, "counters");
	f = ibc_report_finding(rep, 0);
	assert_int_equal(f->severity, IBC_WARNING);
	assert_non_null(strstr(f->message, "in 2 of 3 windows"));
	ibc_report_free(rep);
}

/* A host that was reset in the last window was a fault until then. */
static void a_root_that_is_gone_since_is_judged(void **state)
{
	struct series s = series(4);

	(void)state;
	for (unsigned int i = 2; i <= 3; i++)
		waits(&s, i, 1, 40);
	is_unplugged(&s, 4, 1);
	expect_series(&s, "critical leaf01/1 - host01 mlx5_0/1: is gone since; until then a root "
	                  "of congestion (slow receiver), up to 40 % of the time; in 2 of 3 "
	                  "windows, from window 2 on\n");
}

static void a_root_of_few_windows_that_is_gone_since_is_a_note(void **state)
{
	struct series s = series(4);
	struct ibc_report *rep;

	(void)state;
	waits(&s, 2, 1, 40);
	is_unplugged(&s, 4, 1);
	rep = report_of_series(&s, "counters");
	assert_int_equal(ibc_report_finding(rep, 0)->severity, IBC_INFO);
	ibc_report_free(rep);
}

/* Of that window nobody knows whether it waited. */
static void more_waiting_than_time_is_not_a_window_without_it(void **state)
{
	struct series s = series(3);
	const struct ibc_finding *f;
	struct ibc_report *rep;

	(void)state;
	waits(&s, 1, 1, 10);
	waits(&s, 2, 1, 150);
	waits(&s, 3, 1, 10);
	rep = report_of_series(&s, "counters");
	f = ibc_report_finding(rep, 0);
	assert_int_equal(f->severity, IBC_WARNING);
	assert_non_null(strstr(f->message, "in 2 of 2 windows"));
	ibc_report_free(rep);
}

static void a_port_that_was_silent_in_most_windows_is_not_known_to_be_well(void **state)
{
	struct series s = series(4);

	(void)state;
	is_silent(&s, 2, 1);
	expect_series(&s, "unknown fabric: 1 port did not report counters in half of the windows "
	                  "or more: how often data waited there is not known\n");
}

static void no_incident_ends_where_most_windows_are_unknown(void **state)
{
	const struct ibc_check *check = ibc_check_find("counters.congestion");
	struct series s = series(4);
	struct ibc_windows *windows;
	struct ibc_input in;

	(void)state;
	is_silent(&s, 2, 1);
	in = finish_series(&s, &windows);
	assert_false(store_looked(&in, in.before, check, check->id, "0x0000000000000001/1"));
	assert_true(store_looked(&in, in.before, check, check->id, "0x0000000000000001/2"));
	free_series(&in, windows);
}

/* Of its link that is still known at the other end. */
static void errors_are_of_the_windows_that_either_end_saw(void **state)
{
	struct series s = series(3);
	struct ibc_report *rep;

	(void)state;
	is_silent(&s, 1, 1); /* windows 1 and 2 */
	rises(&s, 3, 1, IBC_RCV_ERRORS, 50);
	count(s.sweeps[3], host(1), 1, IBC_RCV_ERRORS, 7);
	count(s.sweeps[2], host(1), 1, IBC_RCV_ERRORS, 6);
	rep = report_of_series(&s, "counters.rcv-errors");
	assert_non_null(strstr(ibc_report_finding(rep, 0)->message, "rising in 2 of 3 windows"));
	ibc_report_free(rep);
}

/* ---- errors ---- */

static void an_error_of_one_window_is_an_error(void **state)
{
	struct series s = series(4);
	struct ibc_report *rep;
	const struct ibc_finding *f;

	(void)state;
	rises(&s, 2, 1, IBC_RCV_ERRORS, 50);
	rep = report_of_series(&s, "counters");
	f = ibc_report_finding(rep, 0);
	assert_int_equal(f->severity, IBC_CRITICAL);
	assert_string_equal(f->message, "PortRcvErrors rose by 50 at leaf01/1, 0 at host01 "
	                                "mlx5_0/1 in 4 h, rising in 1 of 4 windows");
	ibc_report_free(rep);
}

/* 5, then 3 and 7 after the clear. */
static void what_was_counted_before_a_clear_is_not_lost(void **state)
{
	struct series s = series(4);
	struct ibc_report *rep;
	char *text;

	(void)state;
	for (unsigned int i = 0; i <= 4; i++)
		count(s.sweeps[i], 1, 1, IBC_RCV_ERRORS, 100);
	rises(&s, 1, 1, IBC_RCV_ERRORS, 5);
	is_cleared(&s, 2, 1, IBC_RCV_ERRORS);
	rises(&s, 2, 1, IBC_RCV_ERRORS, 3);
	rises(&s, 4, 1, IBC_RCV_ERRORS, 7);
	rep = report_of_series(&s, "counters");
	text = findings_text(rep);
	assert_non_null(strstr(text, "rose by at least 15 at leaf01/1"));
	assert_non_null(strstr(text, "rising in 3 of 4 windows"));
	assert_non_null(strstr(text, "info leaf01/1"));
	free(text);
	ibc_report_free(rep);
}

/* It counts more than before the clear: the two ends alone show no clear at all. */
static void a_clear_that_the_ends_do_not_show_is_seen(void **state)
{
	struct series s = series(3);
	struct ibc_report *rep;
	char *text;

	(void)state;
	rises(&s, 1, 1, IBC_RCV_ERRORS, 5);
	is_cleared(&s, 2, 1, IBC_RCV_ERRORS);
	rises(&s, 3, 1, IBC_RCV_ERRORS, 50);
	rep = report_of_series(&s, "counters");
	text = findings_text(rep);
	assert_non_null(strstr(text, "rose by at least 55 at leaf01/1"));
	free(text);
	ibc_report_free(rep);
}

static void queries_repeated_in_any_sweep_were_ours(void **state)
{
	struct series s = series(2);

	(void)state;
	rises(&s, 2, 1, IBC_VL15_DROPPED, 300);
	s.sweeps[1].subnet->sweep.retried = 300;
	expect_series(&s, "");
}

/* ---- the object ---- */

static void no_more_windows_than_there_are_bits(void **state)
{
	struct series s = series(1);
	struct ibc_fabric *before = done(s.sweeps[0]), *now = done(s.sweeps[1]);
	struct ibc_windows *windows;

	(void)state;
	assert_int_equal(ibc_windows_new(&windows, NULL), 0);
	for (unsigned int i = 0; i < IBC_WINDOWS_MAX; i++)
		assert_int_equal(ibc_windows_add(windows, before, now, NULL), 0);
	assert_int_equal(ibc_windows_add(windows, before, now, NULL), -EINVAL);
	ibc_windows_free(windows);
	ibc_fabric_free(before);
	ibc_fabric_free(now);
}

static void no_memory_is_an_error_wherever_it_ends(void **state)
{
	struct series s = series(1);
	struct ibc_fabric *before, *now;
	int rc = -ENOMEM;

	(void)state;
	waits(&s, 1, 1, 40);
	rises(&s, 1, 2, IBC_RCV_ERRORS, 5);
	before = done(s.sweeps[0]);
	now = done(s.sweeps[1]);
	for (unsigned long nth = 1; rc == -ENOMEM; nth++) {
		struct ibc_windows *windows = NULL;

		assert_true(nth < 100);
		alloc_fail_at(nth);
		rc = ibc_windows_new(&windows, NULL);
		if (!rc)
			rc = ibc_windows_add(windows, before, now, NULL);
		alloc_fail_at(0);
		ibc_windows_free(windows);
	}
	assert_int_equal(rc, 0);
	ibc_fabric_free(before);
	ibc_fabric_free(now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_most_windows_show_is_judged),
		cmocka_unit_test(what_half_of_the_windows_show_is_a_note),
		cmocka_unit_test(one_window_is_judged_and_called_a_snapshot),
		cmocka_unit_test(as_severe_is_what_most_windows_reach),
		cmocka_unit_test(a_mean_does_not_hide_what_repeats),
		cmocka_unit_test(a_window_nobody_read_is_not_one_without_congestion),
		cmocka_unit_test(a_root_that_is_gone_since_is_judged),
		cmocka_unit_test(a_root_of_few_windows_that_is_gone_since_is_a_note),
		cmocka_unit_test(more_waiting_than_time_is_not_a_window_without_it),
		cmocka_unit_test(a_port_that_was_silent_in_most_windows_is_not_known_to_be_well),
		cmocka_unit_test(no_incident_ends_where_most_windows_are_unknown),
		cmocka_unit_test(errors_are_of_the_windows_that_either_end_saw),
		cmocka_unit_test(an_error_of_one_window_is_an_error),
		cmocka_unit_test(what_was_counted_before_a_clear_is_not_lost),
		cmocka_unit_test(a_clear_that_the_ends_do_not_show_is_seen),
		cmocka_unit_test(queries_repeated_in_any_sweep_were_ours),
		cmocka_unit_test(no_more_windows_than_there_are_bits),
		cmocka_unit_test(no_memory_is_an_error_wherever_it_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
