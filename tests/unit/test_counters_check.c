/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mkcount.h"
#include "report/report.h"

static struct pair leaves(unsigned int hosts)
{
	return mk_pair(mk_leaf(hosts), mk_leaf(hosts));
}

/* ---- all of them ---- */

static void counters_that_stand_still_give_no_finding(void **state)
{
	struct pair s = leaves(6);
	struct ibc_report *rep;

	(void)state;
	for (unsigned int i = 0; i < IBC_COUNTERS; i++) {
		count(s.before, 1, 1, i, 77);
		count(s.now, 1, 1, i, 77);
	}
	rep = report_of_pair(s, "counters", NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	expect_of(rep, "");
}

static void each_check_is_raised_by_its_counter_and_by_nothing_else(void **state)
{
	static const struct {
		enum ibc_counter counter;
		uint64_t value;
		const char *check;
	} cases[] = {
		{ IBC_SYMBOL_ERROR, 1, "counters.symbol" },
		{ IBC_LINK_ERROR_RECOVERY, 1, "counters.recovery" },
		{ IBC_LINK_DOWNED, 1, "counters.downed" },
		{ IBC_LINK_DOWNED, 3, "counters.flap" },
		{ IBC_RCV_ERRORS, 1, "counters.rcv-errors" },
		{ IBC_RCV_REMOTE_PHYSICAL, 1, "counters.remote-physical" },
		{ IBC_XMIT_DISCARDS, 1, "counters.discards" },
		{ IBC_XMIT_CONSTRAINT, 1, "counters.constraint" },
		{ IBC_RCV_CONSTRAINT, 1, "counters.constraint" },
		{ IBC_LOCAL_LINK_INTEGRITY, 1, "counters.integrity" },
		{ IBC_EXCESSIVE_BUFFER_OVERRUN, 1, "counters.overrun" },
		{ IBC_VL15_DROPPED, 50, "counters.vl15" },
		{ IBC_DLID_MAPPING, 1, "counters.rcv-errors" },
		{ IBC_LOOPING, 1, "counters.rcv-errors" },
		{ IBC_RCV_SWITCH_RELAY, 1000, NULL },
		{ IBC_VL_MAPPING, 1000, NULL },
		{ IBC_QP1_DROPPED, 1000, NULL },
		{ IBC_XMIT_DATA, 1000000, NULL },
		{ IBC_RCV_PKTS, 1000000, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pair s = leaves(3);
		struct ibc_report *rep;

		count(s.now, 1, 2, cases[i].counter, cases[i].value);
		rep = report_of_pair(s, "counters", NULL);
		if (!cases[i].check) {
			expect_of(rep, "");
			continue;
		}
		assert_non_null(ibc_report_finding(rep, 0));
		assert_string_equal(ibc_report_finding(rep, 0)->check, cases[i].check);
		assert_non_null(ibc_report_finding(rep, 0)->advice);
		assert_null(ibc_report_finding(rep, 1));
		ibc_report_free(rep);
	}
}

static void without_an_earlier_sweep_totals_are_not_judged_and_that_is_said_once(void **state)
{
	struct mkfab m = mk_leaf(3);
	struct ibc_report *rep;

	(void)state;
	mk_all_counting(m);
	count(m, 1, 1, IBC_SYMBOL_ERROR, 100000);
	count(m, 1, 1, IBC_LINK_DOWNED, 100);
	rep = report_of(m, "counters", NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	expect_of(rep, "info fabric: counters.*: lifetime totals are not judged: use --interval, "
	               "--state or --since\n");
}

static void other_groups_say_nothing_of_totals(void **state)
{
	struct mkfab m = mk_leaf(3);

	(void)state;
	mk_all_counting(m);
	expect(m, "port", "");
}

static void totals_are_judged_when_that_is_asked_for(void **state)
{
	struct mkfab m = mk_leaf(3);
	struct ibc_input in = { .totals = true };
	struct ibc_report *rep;

	(void)state;
	mk_all_counting(m);
	count(m, 1, 1, IBC_SYMBOL_ERROR, 12);
	count(m, 1, 2, IBC_XMIT_WAIT, UINT64_MAX / 2);
	in.fabric = done(m);
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, "counters,-counters.congestion", rep, NULL), 0);
	ibc_fabric_free((struct ibc_fabric *)in.fabric);
	expect_of(rep, "critical leaf01/1 - host01 mlx5_0/1: SymbolErrorCounter rose by 12 at "
	               "leaf01/1 and by 0 at host01 mlx5_0/1 since it was cleared\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_that_stand_still_give_no_finding),
		cmocka_unit_test(each_check_is_raised_by_its_counter_and_by_nothing_else),
		cmocka_unit_test(
		    without_an_earlier_sweep_totals_are_not_judged_and_that_is_said_once),
		cmocka_unit_test(other_groups_say_nothing_of_totals),
		cmocka_unit_test(totals_are_judged_when_that_is_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
