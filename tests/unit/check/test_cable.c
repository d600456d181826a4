/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "findings.h"

#define BOTH(m, i, field, value) (port(m, 1, i)->field = port(m, host(i), 1)->field = (value))

/* ---- port.mtu ---- */

static void ends_with_different_mtus_are_a_fault(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	port(m, host(2), 1)->mtu_active = 4;
	expect(m, "port.mtu",
	       "warning leaf01/2 - host02 mlx5_0/1: has an MTU of 4096 at leaf01/2 and of 2048 at "
	       "host02 mlx5_0/1\n");
}

static void one_small_mtu_is_a_note_about_its_cable(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	BOTH(m, 2, mtu_active, 4);
	expect(m, "port.mtu",
	       "info leaf01/2 - host02 mlx5_0/1: uses an MTU of 2048, both ends support more\n");
}

static void many_small_mtus_are_one_note(void **state)
{
	struct mkfab m = mk_leaf(20);
	struct ibc_report *rep;

	(void)state;
	for (unsigned int i = 2; i <= 20; i++)
		BOTH(m, i, mtu_active, 4);
	port(m, host(20), 1)->mtu_cap = 4; /* it can do no more */
	rep = report_of(m, "port.mtu", NULL);
	assert_int_equal(ibc_report_finding(rep, 0)->num_related, 8);
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	expect_of(
	    rep, "info fabric: 18 of 20 cables use an MTU below what both of their ends support\n");
}

static void an_mtu_that_nobody_set_yet_means_nothing(void **state)
{
	struct mkfab m = mk_leaf(3);

	(void)state;
	port(m, 1, 1)->state = IBC_STATE_INIT;
	port(m, 1, 1)->mtu_active = 1;
	port(m, host(2), 1)->mtu_active = 0; /* not told */
	answers_put(port(m, 1, 3), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	port(m, 1, 3)->mtu_active = 1;
	expect(m, "port.mtu", "");
}

/* ---- port.vl ---- */

static void ends_with_different_lanes_are_a_fault(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	port(m, 1, 1)->vl_active = 5;
	port(m, 1, 2)->vl_active = 15;
	expect(m, "port.vl",
	       "warning leaf01/1 - host01 mlx5_0/1: uses VL0-14 at leaf01/1 and VL0-7 at host01 "
	       "mlx5_0/1\n"
	       "warning leaf01/2 - host02 mlx5_0/1: uses unknown VLs at leaf01/2 and VL0-7 at "
	       "host02 mlx5_0/1\n");
}

static void lanes_that_nobody_set_yet_mean_nothing(void **state)
{
	struct mkfab m = mk_leaf(3);

	(void)state;
	port(m, host(1), 1)->state = IBC_STATE_INIT;
	port(m, host(1), 1)->vl_active = 1;
	port(m, host(2), 1)->vl_active = 0; /* not told */
	port(m, host(3), 1)->phys_state = IBC_PHYS_POLLING;
	port(m, host(3), 1)->vl_active = 1;
	expect(m, "port.vl", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_with_different_mtus_are_a_fault),
		cmocka_unit_test(one_small_mtu_is_a_note_about_its_cable),
		cmocka_unit_test(many_small_mtus_are_one_note),
		cmocka_unit_test(an_mtu_that_nobody_set_yet_means_nothing),
		cmocka_unit_test(ends_with_different_lanes_are_a_fault),
		cmocka_unit_test(lanes_that_nobody_set_yet_mean_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
