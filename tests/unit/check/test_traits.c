/* SPDX-License-Identifier: BSD-2-Clause */
/* What many things with one fault have in common: firmware, PSID, speed, rows and pods. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ibcheck/case.h>

#include "mkcount.h"

#define HOSTS 12

/* Cables of the first n hosts of a leaf switch run at 1x. */
static struct mkfab mk_narrow(unsigned int n)
{
	struct mkfab m = mk_leaf(HOSTS);

	for (unsigned int i = 1; i <= n; i++)
		port(m, 1, i)->width_active = port(m, host(i), 1)->width_active = IBC_WIDTH_1X;
	return m;
}

static struct ibc_node *node_of(struct mkfab m, unsigned int i)
{
	return fabric_build_find(m.b, m.subnet, host(i));
}

/* @before: NULL, or what an hour earlier was */
static void expect_first(struct mkfab m, struct ibc_fabric *before, const char *check,
                         const char *message)
{
	struct ibc_fabric *fab = done(m);
	struct ibc_input in = { .fabric = fab, .before = before };
	struct ibc_report *rep;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, check, rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_int_equal(ibc_cases_find(&in, ibc_check_find, rep, NULL), 0);
	assert_non_null(ibc_report_case_at(rep, 0));
	assert_string_equal(ibc_report_case_at(rep, 0)->message, message);
	ibc_report_free(rep);
	ibc_fabric_free(before);
	ibc_fabric_free(fab);
}

static void expect_case(struct mkfab m, const char *check, const char *message)
{
	expect_first(m, NULL, check, message);
}

/* Those with the fault have one version, the others of their model another. */
static void a_version_is_a_class(void **state)
{
	struct mkfab m = mk_narrow(4);

	(void)state;
	for (unsigned int i = 1; i <= HOSTS; i++) {
		node_of(m, i)->firmware = i <= 5 ? "16.28.2006" : "16.35.3006";
		answers_put(node_of(m, i), IBC_ATTR_GENERAL_INFO, ANSWER_OK);
	}
	expect_case(m, "port.width",
	            "4 of 5 cables with firmware MT4119 16.28.2006 run at 1x, expected is 4x: "
	            "leaf01/[1-4]");
}

static void a_psid_comes_before_its_version(void **state)
{
	struct mkfab m = mk_narrow(4);

	(void)state;
	for (unsigned int i = 1; i <= 4; i++) {
		node_of(m, i)->firmware = "16.28.2006";
		node_of(m, i)->psid = "MT_0000000010";
		answers_put(node_of(m, i), IBC_ATTR_GENERAL_INFO, ANSWER_OK);
	}
	expect_case(m, "port.width",
	            "4 of 4 cables with PSID MT4119 MT_0000000010 run at 1x, expected is 4x: "
	            "leaf01/[1-4]");
}

/* What an earlier run was told says nothing of this one. */
static void a_version_that_was_not_told_now_is_no_class(void **state)
{
	struct mkfab m = mk_narrow(5);

	(void)state;
	for (unsigned int i = 1; i <= 5; i++)
		node_of(m, i)->firmware = "16.28.2006";
	expect_case(m, "port.width", "5 cables run at 1x, expected is 4x: leaf01/[1-5]");
}

static void a_row_and_a_pod_are_places(void **state)
{
	struct mkfab row = mk_narrow(3), pod = mk_narrow(3);

	(void)state;
	for (unsigned int i = 1; i <= 4; i++) {
		node_of(row, i)->row = "R7";
		node_of(pod, i)->pod = i < 4 ? "P2" : "P3";
	}
	expect_case(row, "port.width",
	            "3 cables in row R7 run at 1x, expected is 4x: leaf01/[1-3]");
	expect_case(pod, "port.width",
	            "3 cables in pod P2 run at 1x, expected is 4x: leaf01/[1-3]");
}

/* Of what counters show a speed is a class; that the slow cables are slow is not. */
static void a_speed_is_a_class_of_what_was_counted(void **state)
{
	struct pair s = mk_pair(mk_leaf(HOSTS), mk_leaf(HOSTS));
	struct mkfab slow = mk_leaf(HOSTS);

	(void)state;
	for (unsigned int i = 1; i <= 5; i++) {
		count(s.now, 1, i, IBC_LINK_ERROR_RECOVERY, 400);
		port(s.now, 1, i)->speed_active = port(s.now, host(i), 1)->speed_active =
		    IBC_SPEED_FDR;
		port(slow, 1, i)->speed_active = port(slow, host(i), 1)->speed_active =
		    IBC_SPEED_FDR;
	}
	expect_first(s.now, done(s.before), "counters.recovery",
	             "5 of 5 links at FDR had to retrain: leaf01/[1-5]");
	expect_case(slow, "port.speed", "5 cables run at FDR, expected is EDR: leaf01/[1-5]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_version_is_a_class),
		cmocka_unit_test(a_psid_comes_before_its_version),
		cmocka_unit_test(a_version_that_was_not_told_now_is_no_class),
		cmocka_unit_test(a_row_and_a_pod_are_places),
		cmocka_unit_test(a_speed_is_a_class_of_what_was_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
