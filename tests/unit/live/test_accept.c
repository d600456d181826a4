/* SPDX-License-Identifier: BSD-2-Clause */
/* What an acceptance adds to a report: what came and went, and what nobody looked at. */
#include "mkreport.h"

#include <ibcheck/check.h>

#include "findings.h"

#define NOON 1769860800 /* 2026-01-31 12:00 UTC */

static struct ibc_report *finished(struct ibc_report *rep)
{
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	return rep;
}

static void expect_text(struct ibc_report *rep, enum ibc_severity verdict, const char *expected)
{
	char *text = findings_text(finished(rep));

	assert_string_equal(text, expected);
	assert_int_equal(ibc_report_verdict(rep), verdict);
	free(text);
	ibc_report_free(rep);
}

static struct ibc_report *new_report(void)
{
	struct ibc_report *rep;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	return rep;
}

static void what_came_and_went_is_as_severe_as_it_was(void **state)
{
	const struct ibc_subject port = mkport(0x10, "leaf01", 3);
	struct ibc_passed passed = { .subject = &port,
		                     .check = "port.state",
		                     .message = "is Down",
		                     .severity = IBC_CRITICAL,
		                     .began = NOON,
		                     .last_seen = NOON + 90,
		                     .times = 1 };
	struct ibc_report *rep = new_report();

	(void)state;
	ibc_check_passed(rep, &passed);
	expect_text(rep, IBC_CRITICAL,
	            "critical leaf01/3: port.state: is Down; seen from 2026-01-31 12:00:00 to "
	            "2026-01-31 12:01:30 UTC, and not at the end\n");
	passed.times = 4;
	passed.severity = IBC_WARNING;
	passed.advice = "Reseat it.";
	rep = new_report();
	ibc_check_passed(rep, &passed);
	assert_memory_equal(ibc_report_finding(rep, 0)->advice, "Reseat it. What ", 16);
	expect_text(rep, IBC_WARNING,
	            "warning leaf01/3: port.state: is Down; seen from 2026-01-31 12:00:00 to "
	            "2026-01-31 12:01:30 UTC, 4 times, and not at the end\n");
}

static void time_without_a_sweep_is_unknown_and_a_pause_is_a_note(void **state)
{
	struct ibc_report *rep = new_report();

	(void)state;
	ibc_check_uncovered(rep, IBC_UNCOVERED_SWEEPS, "12 min: no such device");
	expect_text(rep, IBC_UNKNOWN,
	            "unknown fabric: the fabric was not watched for 12 min: no such device\n");
	rep = new_report();
	ibc_check_uncovered(rep, IBC_UNCOVERED_PAUSE, "2 h");
	expect_text(rep, IBC_OK,
	            "info fabric: was stopped for 2 h, which was added at the end: counters were "
	            "compared across it, and nothing else was seen of that time\n");
	rep = new_report();
	ibc_check_uncovered(rep, IBC_UNCOVERED_PHYSICAL, NULL);
	expect_text(
	    rep, IBC_OK,
	    "info fabric: the physical layer of no device was read: bit error rates, modules and "
	    "cables were not looked at\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_came_and_went_is_as_severe_as_it_was),
		cmocka_unit_test(time_without_a_sweep_is_unknown_and_a_pause_is_a_note),
	};

	return cmocka_run_group_tests_name("accept", tests, NULL, NULL);
}
