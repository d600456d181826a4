/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "mkcases.h"

/* Hosts that are planned at leaf i, at ports 3 and 4, and are off. */
static void plan_hosts(struct site s, unsigned int leaf, unsigned int n)
{
	char name[32];

	for (unsigned int i = 0; i < n; i++) {
		uint64_t guid = 0x1000 + 16 * leaf + i;

		snprintf(name, sizeof(name), "off%u%u mlx5_0", leaf, i + 1);
		mk_ca(s.planned, guid, name, 1);
		cable(s.planned, LEAF(leaf), 3 + i, guid, 1);
		port(s.now, LEAF(leaf), 3 + i)->phys_state = IBC_PHYS_POLLING;
	}
}

/* Runs slower than both ends enable. */
static void slow_down(struct site s, unsigned int leaf, unsigned int num, enum ibc_speed speed)
{
	struct ibc_port *p = port(s.now, LEAF(leaf), num);

	p->speed_active = speed;
	((struct ibc_port *)p->peer)->speed_active = speed;
}

/* ---- cause and consequence ---- */

static void a_healthy_fabric_has_no_case(void **state)
{
	(void)state;
	expect_cases(site(), "");
}

static void a_missing_uplink_is_one_case(void **state)
{
	(void)state;
	expect_cases(site_without(AT(2, 5)),
	             "critical topo.missing-cable leaf02/5, 1 of 2: is missing: both of its ports "
	             "are Polling; leaf02 has 3 of its 4 uplinks\n");
}

static void a_host_that_is_off_is_one_case(void **state)
{
	struct site s = site();

	(void)state;
	plan_hosts(s, 2, 1);
	expect_cases(s, "critical topo.missing-node off21 mlx5_0, 1 of 1: is missing: it belongs "
	                "on leaf02/3 (Polling)\n");
}

static void a_cable_with_four_counters_is_one_case_with_one_advice(void **state)
{
	struct site s = site();
	struct ibc_report *rep;

	(void)state;
	count(s.now, LEAF(1), 1, IBC_SYMBOL_ERROR, 400);
	count(s.now, LEAF(1), 1, IBC_RCV_ERRORS, 20);
	count(s.now, LEAF(1), 1, IBC_LINK_ERROR_RECOVERY, 2);
	count(s.now, LEAF(1), 1, IBC_LINK_DOWNED, 5);
	rep = report_of_site(s);
	assert_string_equal(
	    ibc_report_case_at(rep, 0)->advice,
	    "Take the link out of service first: disable the port at the switch. Only leaf01/1 "
	    "receives damaged data: the cable or the transmitter of host01 mlx5_0/1 is at fault. "
	    "Reseat and clean the plug at host01 mlx5_0/1 first, then the other; then replace the "
	    "cable. If the errors continue, host01 mlx5_0/1 is at fault.");
	expect_cases_of(rep, "critical counters.symbol leaf01/1, 1 of 4: SymbolErrorCounter rose "
	                     "by 400 at leaf01/1, 0 at host01 mlx5_0/1 in 1 h\n");
}

static void errors_at_both_ends_blame_the_cable(void **state)
{
	struct site s = site();
	struct ibc_report *rep;

	(void)state;
	count(s.now, LEAF(1), 1, IBC_SYMBOL_ERROR, 400);
	count(s.now, HOST(1), 1, IBC_RCV_ERRORS, 20);
	rep = report_of_site(s);
	assert_string_equal(ibc_report_case_at(rep, 0)->advice,
	                    "Both ends receive damaged data, so the cable is at fault. Reseat and "
	                    "clean both plugs. If the errors continue, replace it.");
	ibc_report_free(rep);
}

static void a_cable_trained_down_by_its_errors_is_one_case(void **state)
{
	struct site s = site();

	(void)state;
	count(s.now, LEAF(1), 5, IBC_SYMBOL_ERROR, 400);
	slow_down(s, 1, 5, IBC_SPEED_QDR);
	expect_cases(s, "warning counters.symbol leaf01/5, 1 of 3: SymbolErrorCounter rose by 400 "
	                "at leaf01/5, 0 at spine01/1 in 1 h\n");
}

static void two_faults_are_two_cases(void **state)
{
	struct site s = site_without(AT(2, 5));

	(void)state;
	count(s.now, LEAF(1), 1, IBC_SYMBOL_ERROR, 400);
	expect_cases(s, "critical topo.missing-cable leaf02/5, 1 of 2: is missing: both of its "
	                "ports are Polling; leaf02 has 3 of its 4 uplinks\n"
	                "critical counters.symbol leaf01/1, 1 of 1: SymbolErrorCounter rose by 400 "
	                "at leaf01/1, 0 at host01 mlx5_0/1 in 1 h\n");
}

/* ---- many things with one fault ---- */

static void hosts_of_one_switch_are_one_case(void **state)
{
	struct site s = site();

	(void)state;
	for (unsigned int i = 1; i <= 4; i++)
		slow_down(s, 3, 4 + i, IBC_SPEED_QDR);
	expect_cases(s, "warning port.speed leaf03, 4 of 8: 4 cables run at QDR, expected is EDR: "
	                "leaf03/[5-8]\n");
}

static void hosts_all_over_are_a_list(void **state)
{
	struct site s = site();

	(void)state;
	for (unsigned int leaf = 1; leaf <= 4; leaf++)
		plan_hosts(s, leaf, 2);
	expect_cases(s, "critical topo.missing-node fabric, 8 of 8: 8 planned devices are missing: "
	                "off[11-12,21-22,31-32,41-42]\n");
}

static void a_few_that_are_alike_stay_alone(void **state)
{
	struct site s = site();

	(void)state;
	for (unsigned int leaf = 1; leaf <= 4; leaf++)
		count(s.now, LEAF(leaf), 1, IBC_SYMBOL_ERROR, 400);
	expect_cases(s, "critical counters.symbol leaf04/1, 1 of 1: SymbolErrorCounter rose by 400 "
	                "at leaf04/1, 0 at host07 mlx5_0/1 in 1 h\n"
	                "critical counters.symbol leaf02/1, 1 of 1: SymbolErrorCounter rose by 400 "
	                "at leaf02/1, 0 at host03 mlx5_0/1 in 1 h\n"
	                "critical counters.symbol leaf03/1, 1 of 1: SymbolErrorCounter rose by 400 "
	                "at leaf03/1, 0 at host05 mlx5_0/1 in 1 h\n"
	                "critical counters.symbol leaf01/1, 1 of 1: SymbolErrorCounter rose by 400 "
	                "at leaf01/1, 0 at host01 mlx5_0/1 in 1 h\n");
}

/* All cables to spines are a class, of which one stands out. */
static void a_class_is_one_case_and_a_deviant_another(void **state)
{
	struct site s = site();

	(void)state;
	for (unsigned int leaf = 1; leaf <= 4; leaf++)
		for (unsigned int num = 5; num <= 8; num++)
			slow_down(s, leaf, num, leaf + num == 6 ? IBC_SPEED_DDR : IBC_SPEED_QDR);
	expect_cases(s, "warning port.speed fabric, 15 of 16: 15 of 16 cables between MT53000 and "
	                "MT53000 run at QDR, expected is EDR: leaf[01-04]\n"
	                "warning port.speed leaf01/5, 1 of 2: runs at DDR, both ends enable EDR\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_healthy_fabric_has_no_case),
		cmocka_unit_test(a_missing_uplink_is_one_case),
		cmocka_unit_test(a_host_that_is_off_is_one_case),
		cmocka_unit_test(a_cable_with_four_counters_is_one_case_with_one_advice),
		cmocka_unit_test(errors_at_both_ends_blame_the_cable),
		cmocka_unit_test(a_cable_trained_down_by_its_errors_is_one_case),
		cmocka_unit_test(two_faults_are_two_cases),
		cmocka_unit_test(hosts_of_one_switch_are_one_case),
		cmocka_unit_test(hosts_all_over_are_a_list),
		cmocka_unit_test(a_few_that_are_alike_stay_alone),
		cmocka_unit_test(a_class_is_one_case_and_a_deviant_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
