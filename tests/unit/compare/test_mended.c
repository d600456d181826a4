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

/* ---- one link ------------------------------------------------------------------------------ */

#define WORK  600 /* seconds from the start to the first sweep after the work */
#define FIRST "counters.symbol"

/* struct visit - @start: before the work, @after: the first time since, @now: and this time */
struct visit {
	struct mkfab start, after, now;
};

/* A leaf with two hosts whose cables are optics, each read @hours after the work. */
static struct visit visited(double hours)
{
	struct visit v = { mk_reading(2, DAYS_10_S), mk_reading(2, DAYS_10_S + WORK),
		           mk_reading(2, DAYS_10_S + WORK + hours * HOUR) };

	mk_all_counting(v.start);
	mk_all_counting(v.after);
	mk_all_counting(v.now);
	v.start.subnet->time = 1000000;
	v.after.subnet->time = v.start.subnet->time + WORK;
	v.now.subnet->time = v.after.subnet->time + (uint64_t)(hours * HOUR);
	return v;
}

/* The verdict, and its severity; @first: there was no sweep after the work yet. */
static enum ibc_severity said(struct visit v, bool first, const char *check, double flap,
                              const char *expected, bool begins_now)
{
	struct ibc_repair r = { .start = done(v.start),
		                .after = done(v.after),
		                .now = done(v.now),
		                .check = check,
		                .flap_seconds = flap };
	struct ibc_fabric *after = (struct ibc_fabric *)r.after;
	const struct ibc_finding *f;
	enum ibc_severity severity;
	struct ibc_report *rep;
	bool begins = !begins_now;

	r.link = ibc_node_port(ibc_fabric_node_by_guid(r.start, 1), 1);
	r.after = first ? NULL : r.after;
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_repair(&r, rep, &begins, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	f = ibc_report_finding(rep, 0);
	assert_non_null(f);
	assert_null(ibc_report_finding(rep, 1));
	if (!strstr(f->message, expected))
		fail_msg("%s lacks %s", f->message, expected);
	assert_int_equal(begins, begins_now);
	severity = ibc_report_verdict(rep);
	ibc_report_free(rep);
	ibc_fabric_free((struct ibc_fabric *)r.start);
	ibc_fabric_free(after);
	ibc_fabric_free((struct ibc_fabric *)r.now);
	return severity;
}

#define EXPECT(v, first, check, flap, severity, text, begins)                                      \
	assert_int_equal(said(v, first, check, flap, text, begins), severity)

static void no_error_for_long_enough_is_mended(void **unused)
{
	(void)unused;
	EXPECT(visited(1), false, FIRST, 0, IBC_OK, "mended: counters.symbol", false);
	EXPECT(visited(1), false, "phy.ber-after-fec", 0, IBC_OK, "mended: ", false);
	EXPECT(visited(4), false, NULL, 0, IBC_OK, "mended: ", false);
	/* also since the start, with what came before the work */
	EXPECT(visited(1), true, FIRST, 0, IBC_OK, "mended: ", false);
}

static void before_that_it_says_how_long_to_wait(void **unused)
{
	(void)unused;
	EXPECT(visited(0.1), false, FIRST, 0, IBC_UNKNOWN, "wait 14 more minutes without an error",
	       false);
	EXPECT(visited(0.01), false, "phy.ber-after-fec", 0, IBC_UNKNOWN, "wait 13 more minutes",
	       false);
	EXPECT(visited(1), false, NULL, 0, IBC_UNKNOWN, "wait 2.2 more hours", false);
	/* without an error since the start that time counts, too */
	EXPECT(visited(0.01), true, FIRST, 0, IBC_UNKNOWN, "wait 9 more minutes", false);
}

static void errors_from_before_the_work_are_not_held_against_it(void **unused)
{
	struct visit v = visited(1);

	(void)unused;
	count(v.now, 1, 1, IBC_SYMBOL_ERROR, 500);
	EXPECT(v, true, FIRST, 0, IBC_UNKNOWN, "wait 20 more minutes", true);
	v = visited(1);
	count(v.after, 1, 1, IBC_SYMBOL_ERROR, 500);
	count(v.now, 1, 1, IBC_SYMBOL_ERROR, 500);
	EXPECT(v, false, FIRST, 0, IBC_OK, "mended: ", false);
}

static void what_its_check_still_finds_is_the_same(void **unused)
{
	struct visit v = visited(1);

	(void)unused;
	count(v.now, host(1), 1, IBC_SYMBOL_ERROR, 3);
	EXPECT(v, false, FIRST, 0, IBC_CRITICAL, "same: counters.symbol still finds: ", false);
	v = visited(1);
	module_in(v.now, 1, 1)->ddm[IBC_DDM_TEMPERATURE].now[0] = 99;
	EXPECT(v, false, "cable.temperature", 0, IBC_CRITICAL,
	       "cable.temperature still finds: ", false);
	EXPECT(visited(1), false, "cable.temperature", 0, IBC_OK,
	       "mended: cable.temperature finds it", false);
}

static void more_than_before_is_worse(void **unused)
{
	struct visit v = visited(1);

	(void)unused;
	count(v.after, 1, 1, IBC_SYMBOL_ERROR, 5);
	count(v.now, 1, 1, IBC_SYMBOL_ERROR, 5000);
	EXPECT(v, false, FIRST, 0, IBC_CRITICAL, "worse: ", false);
	v = visited(1);
	port(v.now, 1, 1)->width_active = port(v.now, host(1), 1)->width_active = IBC_WIDTH_1X;
	EXPECT(v, false, FIRST, 0, IBC_CRITICAL, "worse: the link has 100 Gb/s, and had 400",
	       false);
	v = visited(1);
	port(v.now, 1, 1)->peer = port(v.now, host(1), 1)->peer = NULL;
	mk_down(port(v.now, 1, 1));
	mk_down(port(v.now, host(1), 1));
	EXPECT(v, false, FIRST, 0, IBC_CRITICAL, "worse: leaf01/1 has no link", false);
}

static void what_has_no_count_of_its_own_is_looked_at_for_an_hour(void **unused)
{
	struct visit v = visited(1);

	(void)unused;
	EXPECT(visited(0.5), false, "phy.raw-ber", 0, IBC_UNKNOWN, "wait 30 more minutes", false);
	EXPECT(visited(1), false, "phy.raw-ber", 0, IBC_OK, "mended: ", false);
	/* what was so before the work is no news */
	put(phy_of(v.now, 1, 1), IBC_PHY_RAW_ERRORS_LANE0, UINT64_C(1) << 50);
	EXPECT(v, true, "phy.raw-ber", 0, IBC_UNKNOWN, "wait 60 more minutes", true);
	v = visited(1);
	put(phy_of(v.now, 1, 1), IBC_PHY_RAW_ERRORS_LANE0, UINT64_C(1) << 50);
	EXPECT(v, false, "phy.raw-ber", 0, IBC_CRITICAL, "phy.raw-ber still finds: ", false);
	v = visited(5);
	put(phy_of(v.now, 1, 1), IBC_PHY_RAW_ERRORS_LANE0, UINT64_C(1) << 50);
	EXPECT(v, true, NULL, 0, IBC_UNKNOWN, "wait 3.2 more hours", true);
}

static void what_flaps_waits_three_of_its_intervals(void **unused)
{
	struct visit v = visited(1);

	(void)unused;
	EXPECT(visited(1), false, "counters.flap", 1800, IBC_UNKNOWN, "wait 30 more minutes",
	       false);
	EXPECT(visited(2), false, "counters.flap", 1800, IBC_OK, "mended: ", false);
	count(v.now, 1, 1, IBC_LINK_DOWNED, 1);
	EXPECT(v, false, "counters.flap", 600, IBC_CRITICAL, "same: ", false);
}

static void what_was_not_read_is_not_known(void **unused)
{
	struct visit v = visited(4);

	(void)unused;
	port(v.now, host(1), 1)->counters = NULL;
	answers_put(port(v.now, host(1), 1), IBC_ATTR_PORT_COUNTERS, ANSWER_NONE);
	EXPECT(v, false, FIRST, 0, IBC_UNKNOWN, "not known: host01 mlx5_0/1 did not answer", false);
	v = visited(4);
	counters_of(v.after, 1, 1)->value[IBC_SYMBOL_ERROR] = 65535;
	counters_of(v.now, 1, 1)->value[IBC_SYMBOL_ERROR] = 65535;
	counters_of(v.now, 1, 1)->saturated = 1u << IBC_SYMBOL_ERROR;
	EXPECT(v, false, FIRST, 0, IBC_UNKNOWN, "not known: SymbolErrorCounter of leaf01/1", false);
	v = visited(4);
	port_extra(port(v.now, 1, 1))->phy = NULL;
	EXPECT(v, false, "phy.ber-after-fec", 0, IBC_UNKNOWN,
	       "not known: errors left after FEC of leaf01/1", false);
}

static void another_cable_is_said_and_counted_anew(void **unused)
{
	struct visit v = visited(4);

	(void)unused;
	module_in(v.now, 1, 1)->serial = "NEW1";
	EXPECT(v, false, FIRST, 0, IBC_UNKNOWN, "another cable is in place (SN NEW1 at leaf01/1",
	       true);
	v = visited(4);
	module_in(v.now, 1, 1)->serial = module_in(v.after, 1, 1)->serial = "NEW1";
	EXPECT(v, false, FIRST, 0, IBC_OK, "mended: ", false);
}

static void what_was_cleared_or_plugged_again_is_counted_anew(void **unused)
{
	struct visit v = visited(4);

	(void)unused;
	count(v.after, 1, 1, IBC_SYMBOL_ERROR, 9); /* and 0 now: cleared, or rebooted */
	EXPECT(v, false, FIRST, 0, IBC_UNKNOWN, "the time begins again: a counter was cleared",
	       true);
	v = visited(4);
	count(v.now, 1, 1, IBC_LINK_DOWNED, 1);
	count(v.now, 1, 1, IBC_SYMBOL_ERROR, 9);
	EXPECT(v, false, FIRST, 0, IBC_UNKNOWN, "the time begins again: the link went down", true);
	v = visited(4);
	count(v.now, 1, 1, IBC_LINK_DOWNED, 3);
	count(v.now, 1, 1, IBC_SYMBOL_ERROR, 90);
	EXPECT(v, false, FIRST, 0, IBC_CRITICAL, "same: ", false);
}

/* What came before the work says nothing of the cable that is in place since. */
static void a_plug_pulled_since_the_start_is_counted_anew(void **unused)
{
	struct visit v = visited(4);

	(void)unused;
	count(v.now, 1, 1, IBC_LINK_DOWNED, 1);
	EXPECT(v, true, FIRST, 0, IBC_UNKNOWN, "wait 20 more minutes", true);
	v = visited(4);
	count(v.now, 1, 1, IBC_LINK_DOWNED, 1);
	EXPECT(v, true, NULL, 0, IBC_UNKNOWN, "wait 3.2 more hours", true);
	v = visited(4);
	counters_of(v.start, 1, 1)->value[IBC_LINK_DOWNED] = 255;
	counters_of(v.now, 1, 1)->value[IBC_LINK_DOWNED] = 255;
	counters_of(v.now, 1, 1)->saturated = 1u << IBC_LINK_DOWNED;
	EXPECT(v, true, FIRST, 0, IBC_UNKNOWN, "LinkDownedCounter is at its maximum", true);
}

/* It goes down again and again, and counts no other error meanwhile. */
static void a_link_that_flaps_is_not_mended_of_something_else(void **unused)
{
	struct visit v = visited(4);

	(void)unused;
	count(v.now, 1, 1, IBC_LINK_DOWNED, 5);
	EXPECT(v, false, FIRST, 0, IBC_CRITICAL, "same: the link went down 5 times since the work",
	       false);
	v = visited(4);
	count(v.now, 1, 1, IBC_LINK_DOWNED, 5);
	EXPECT(v, false, NULL, 0, IBC_CRITICAL, "same: ", false);
}

static void an_other_end_that_is_silent_is_not_worse(void **unused)
{
	struct visit v = visited(4);

	(void)unused;
	port(v.now, 1, 1)->peer = port(v.now, host(1), 1)->peer = NULL;
	EXPECT(v, false, FIRST, 0, IBC_UNKNOWN,
	       "not known: the other end of leaf01/1 does not answer", false);
}

/* A counter at its maximum counts no more, of whatever check it is. */
static void what_is_at_its_maximum_is_not_mended(void **unused)
{
	struct visit v = visited(4);

	(void)unused;
	EXPECT(v, false, "counters.discards", 0, IBC_OK, "mended: ", false);
	v = visited(4);
	counters_of(v.after, 1, 1)->value[IBC_XMIT_DISCARDS] = 65535;
	counters_of(v.now, 1, 1)->value[IBC_XMIT_DISCARDS] = 65535;
	counters_of(v.now, 1, 1)->saturated = 1u << IBC_XMIT_DISCARDS;
	EXPECT(v, false, "counters.discards", 0, IBC_UNKNOWN,
	       "not known: a counter of leaf01/1 is at its maximum", false);
}

static void bit_errors_that_were_not_read_are_named(void **unused)
{
	struct visit v = visited(4);

	(void)unused;
	port_extra(port(v.now, 1, 1))->phy = port_extra(port(v.now, host(1), 1))->phy = NULL;
	EXPECT(v, false, NULL, 0, IBC_OK, "; bit errors were not read", false);
}

/* No manager has given it a LID yet: from there nothing could be counted. */
static void counting_begins_when_both_ends_are_read(void **unused)
{
	struct visit v = visited(4);

	(void)unused;
	count(v.now, 1, 1, IBC_LINK_DOWNED, 1);
	port(v.now, host(1), 1)->counters = NULL;
	answers_put(port(v.now, host(1), 1), IBC_ATTR_PORT_COUNTERS, ANSWER_NONE);
	EXPECT(v, true, FIRST, 0, IBC_UNKNOWN, "not known: ", false);
}

static void a_device_that_was_replaced_is_counted_anew(void **unused)
{
	struct visit v = visited(4);

	(void)unused;
	port(v.now, 1, 1)->peer = port(v.now, host(1), 1)->peer = NULL;
	fabric_build_find(v.now.b, v.now.subnet, host(1))->desc = "spare mlx5_0";
	mk_ca(v.now, 0xabc, "host01 mlx5_0", 1);
	cable(v.now, 1, 1, 0xabc, 1);
	mk_counting(v.now, 0xabc);
	port(v.now, 1, 1)->speed_active = port(v.now, 0xabc, 1)->speed_active = IBC_SPEED_NDR;
	EXPECT(v, false, FIRST, 0, IBC_UNKNOWN, "; host01 mlx5_0 was replaced", true);
}

/* The plug of host01 is at leaf01/4 now. */
static void a_plug_that_was_moved_is_followed_by_the_other_end(void **unused)
{
	struct visit v = visited(4);

	(void)unused;
	port(v.now, 1, 1)->peer = port(v.now, host(1), 1)->peer = NULL;
	mk_down(port(v.now, 1, 1));
	cable(v.now, 1, 4, host(1), 1);
	mk_counting(v.now, 1);
	port(v.now, 1, 4)->speed_active = port(v.now, host(1), 1)->speed_active = IBC_SPEED_NDR;
	EXPECT(v, false, FIRST, 0, IBC_UNKNOWN,
	       "the link is between leaf01/4 and host01 mlx5_0/1 now", true);
}

static void without_memory_there_is_no_verdict(void **unused)
{
	struct visit v = visited(1);
	struct ibc_repair r = { .start = done(v.start),
		                .after = done(v.after),
		                .now = done(v.now) };
	struct ibc_report *rep;
	bool begins;
	int rc = -ENOMEM;

	(void)unused;
	r.link = ibc_node_port(ibc_fabric_node_by_guid(r.start, 1), 1);
	for (unsigned long n = 1; rc; n++) {
		assert_int_equal(ibc_report_new(&rep, NULL), 0);
		alloc_fail_at(n);
		rc = ibc_check_repair(&r, rep, &begins, NULL);
		rc = rc ? rc : ibc_report_finish(rep, NULL);
		alloc_fail_at(0);
		ibc_report_free(rep);
	}
	ibc_fabric_free((struct ibc_fabric *)r.start);
	ibc_fabric_free((struct ibc_fabric *)r.after);
	ibc_fabric_free((struct ibc_fabric *)r.now);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_device_that_was_replaced_is_counted_anew),
	cmocka_unit_test(a_plug_that_was_moved_is_followed_by_the_other_end),
	cmocka_unit_test(without_memory_there_is_no_verdict),
	cmocka_unit_test(no_error_for_long_enough_is_mended),
	cmocka_unit_test(before_that_it_says_how_long_to_wait),
	cmocka_unit_test(errors_from_before_the_work_are_not_held_against_it),
	cmocka_unit_test(what_its_check_still_finds_is_the_same),
	cmocka_unit_test(more_than_before_is_worse),
	cmocka_unit_test(what_has_no_count_of_its_own_is_looked_at_for_an_hour),
	cmocka_unit_test(what_flaps_waits_three_of_its_intervals),
	cmocka_unit_test(what_was_not_read_is_not_known),
	cmocka_unit_test(another_cable_is_said_and_counted_anew),
	cmocka_unit_test(a_plug_pulled_since_the_start_is_counted_anew),
	cmocka_unit_test(a_link_that_flaps_is_not_mended_of_something_else),
	cmocka_unit_test(an_other_end_that_is_silent_is_not_worse),
	cmocka_unit_test(what_is_at_its_maximum_is_not_mended),
	cmocka_unit_test(bit_errors_that_were_not_read_are_named),
	cmocka_unit_test(counting_begins_when_both_ends_are_read),
	cmocka_unit_test(what_was_cleared_or_plugged_again_is_counted_anew),
	cmocka_unit_test(of_a_thousand_links_few_are_called_mended_falsely),
	cmocka_unit_test(looking_often_makes_it_no_more_often_wrong),
	cmocka_unit_test(many_errors_are_judged_as_few_are),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
