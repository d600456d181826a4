/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "findings.h"

/* ---- all of them ---- */

static void a_healthy_fabric_gives_no_finding(void **state)
{
	struct mkfab m = mk_leaf(6);
	struct ibc_report *rep;

	(void)state;
	mk_switch(m, 2, "spine01", 8);
	cable(m, 1, 7, 2, 1);
	cable(m, 1, 8, 2, 2);
	rep = report_of(m, "port", NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	expect_of(rep, "");
}

/* Adapters whose second port waits in another subnet. */
static void mk_elsewhere(struct mkfab m, unsigned int adapters)
{
	char name[32];

	for (unsigned int i = 1; i <= adapters; i++) {
		snprintf(name, sizeof(name), "dual%02u mlx4_0", i);
		mk_ca(m, 0x900 + i, name, 2);
		cable(m, 1, 4 + i, 0x900 + i, 1);
		mk_active(port(m, 0x900 + i, 2));
		not_asked(port(m, 0x900 + i, 2), IBC_ATTR_NODE_INFO);
		port(m, 0x900 + i, 2)->state = IBC_STATE_INIT;
	}
}

static void ports_that_wait_in_another_subnet_are_one_finding(void **state)
{
	struct mkfab m = mk_leaf(4);

	(void)state;
	mk_elsewhere(m, 4);
	expect(m, "port.state",
	       "critical fabric: 4 HCA ports lead to another subnet, and no subnet manager has "
	       "activated them\n");
	m = mk_leaf(4);
	mk_elsewhere(m, 1);
	expect(
	    m, "port.state",
	    "critical dual01 mlx4_0/2: is LinkUp but Init: no subnet manager has activated it\n");
	m = mk_leaf(4);
	mk_elsewhere(m, 4);
	expect(m, "sm.pending", "");
}

static void what_waits_in_a_subnet_that_was_swept_is_told_there(void **state)
{
	struct mkfab m = mk_leaf(4), second = mk_subnet(m, "second");

	(void)state;
	mk_elsewhere(m, 2);
	mk_switch(second, 2, "leaf02", 8);
	for (unsigned int i = 1; i <= 2; i++) {
		mk_ca(second, 0x900 + i, "dual mlx4_0", 2);
		cable(second, 2, i, 0x900 + i, 2);
		mk_active(port(second, 0x900 + i, 1));
	}
	expect(m, "port.state", "");
}

static void a_fabric_of_nothing_gives_no_finding(void **state)
{
	(void)state;
	expect(mkfab(), "port", "");
}

static void a_switch_of_255_ports_is_looked_at_to_the_last(void **state)
{
	struct mkfab m = mkfab();

	(void)state;
	mk_switch(m, 1, "director", 255);
	mk_ca(m, 0x100, "host01 mlx5_0", 1);
	cable(m, 1, 255, 0x100, 1);
	port(m, 1, 255)->width_active = port(m, 0x100, 1)->width_active = IBC_WIDTH_1X;
	for (unsigned int num = 1; num < 255; num += 2)
		port(m, 1, num)->phys_state = IBC_PHYS_DISABLED;
	answers_put(port(m, 1, 254), IBC_ATTR_NODE_INFO, ANSWER_NONE);
	expect(m, "port.width,port.silent",
	       "unknown director/254: has a link, its peer does not answer\n"
	       "warning director/255 - host01 mlx5_0/1: runs at 1x, both ends enable 4x\n");
}

static void a_cable_to_the_same_switch_is_one_cable(void **state)
{
	struct mkfab m = mkfab();

	(void)state;
	mk_switch(m, 1, "leaf01", 4);
	cable(m, 1, 4, 1, 3);
	port(m, 1, 3)->width_active = port(m, 1, 4)->width_active = IBC_WIDTH_1X;
	expect(m, "port", "warning leaf01/3 - leaf01/4: runs at 1x, both ends enable 4x\n");
}

static void findings_come_by_check_then_guid_then_port(void **state)
{
	struct mkfab m = mk_leaf(6);

	(void)state;
	port(m, host(2), 1)->width_active = IBC_WIDTH_1X;
	port(m, host(1), 1)->state = IBC_STATE_INIT;
	port(m, host(4), 1)->vl_active = 3;
	port(m, host(3), 1)->vl_active = 3;
	expect(m, "port,-port.rate-odd",
	       "critical host01 mlx5_0/1: is LinkUp but Init: no subnet manager has activated it\n"
	       "warning leaf01/3 - host03 mlx5_0/1: uses VL0-7 at leaf01/3 and VL0-3 at host03 "
	       "mlx5_0/1\n"
	       "warning leaf01/4 - host04 mlx5_0/1: uses VL0-7 at leaf01/4 and VL0-3 at host04 "
	       "mlx5_0/1\n"
	       "warning leaf01/2 - host02 mlx5_0/1: runs at 1x, both ends enable 4x\n");
}

/* ---- port.state ---- */

static void a_port_in_init_is_named_alone(void **state)
{
	struct mkfab m = mk_leaf(11);

	(void)state;
	port(m, host(3), 1)->state = IBC_STATE_INIT;
	expect(
	    m, "port.state",
	    "critical host03 mlx5_0/1: is LinkUp but Init: no subnet manager has activated it\n");
}

static void a_near_end_that_is_not_active_is_named_as_well(void **state)
{
	struct mkfab m = mk_leaf(11);

	(void)state;
	port(m, 1, 3)->state = IBC_STATE_DOWN;
	expect(m, "port.state",
	       "critical leaf01/3: is LinkUp but Down: no subnet manager has activated it\n");
}

static void both_ends_in_init_are_one_finding(void **state)
{
	struct mkfab m = mk_leaf(11);

	(void)state;
	port(m, 1, 3)->state = port(m, host(3), 1)->state = IBC_STATE_INIT;
	port(m, 1, 4)->state = IBC_STATE_INIT;
	port(m, host(4), 1)->state = IBC_STATE_ARMED;
	expect(m, "port.state",
	       "critical leaf01/3 - host03 mlx5_0/1: is LinkUp but Init at both ends: no subnet "
	       "manager has activated it\n"
	       "critical leaf01/4 - host04 mlx5_0/1: is LinkUp but Init at leaf01/4 and Armed at "
	       "host04 mlx5_0/1: no subnet manager has activated it\n");
}

static struct mkfab all_in(enum ibc_port_state state, unsigned int hosts)
{
	struct mkfab m = mk_leaf(hosts);

	for (unsigned int i = 1; i <= hosts; i++)
		port(m, 1, i)->state = port(m, host(i), 1)->state = state;
	return m;
}

static void no_subnet_manager_is_one_finding(void **state)
{
	(void)state;
	expect(all_in(IBC_STATE_INIT, 30), "port.state",
	       "critical fabric: no subnet manager has configured this fabric: 30 of 30 links are "
	       "Init\n");
	expect(all_in(IBC_STATE_ARMED, 1), "port.state",
	       "critical fabric: no subnet manager has configured this fabric: 1 of 1 links are "
	       "Init or Armed\n");
}

static void a_few_active_links_do_not_hide_that_no_manager_runs(void **state)
{
	struct mkfab m = all_in(IBC_STATE_INIT, 10);

	(void)state;
	port(m, 1, 3)->state = port(m, host(3), 1)->state = IBC_STATE_ACTIVE;
	m.subnet->origin = port(m, host(1), 1);
	expect(m, "port.state",
	       "critical fabric: no subnet manager has configured this fabric: 9 of 10 links are "
	       "Init\n");
}

static void a_subnet_without_manager_is_named_among_others(void **state)
{
	struct mkfab m = mk_leaf(2), second = mk_subnet(m, "umad:mlx5_1");

	(void)state;
	mk_switch(second, 0x1001, "leaf02", 2);
	mk_ca(second, 0x1101, "host01 mlx5_1", 1);
	cable(second, 0x1001, 1, 0x1101, 1);
	port(second, 0x1001, 1)->state = port(second, 0x1101, 1)->state = IBC_STATE_INIT;
	expect(m, "port.state",
	       "critical fabric: umad:mlx5_1: no subnet manager has configured this fabric: 1 of 1 "
	       "links are Init\n");
}

static void a_link_to_a_silent_peer_has_a_state_too(void **state)
{
	struct mkfab m = mk_leaf(11);

	(void)state;
	mk_active(port(m, 1, 12));
	port(m, 1, 12)->state = IBC_STATE_INIT;
	expect(m, "port.state",
	       "critical leaf01/12: is LinkUp but Init: no subnet manager has activated it\n");
}

static void a_state_that_was_not_told_blames_nobody(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	port(m, host(1), 1)->state = IBC_STATE_INIT;
	answers_put(port(m, host(1), 1), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	expect(m, "port.state", "");
}

/* ---- port.physical ---- */

static void a_known_cable_that_is_down_is_one_finding(void **state)
{
	struct mkfab m = mk_leaf(3);

	(void)state;
	port(m, 1, 1)->phys_state = IBC_PHYS_POLLING;
	port(m, host(1), 1)->phys_state = IBC_PHYS_DISABLED;
	port(m, 1, 2)->phys_state = IBC_PHYS_TRAINING;
	port(m, host(3), 1)->phys_state = IBC_PHYS_ERROR_RECOVERY;
	expect(
	    m, "port.physical",
	    "warning leaf01/1 - host01 mlx5_0/1: is down: leaf01/1 is Polling, host01 mlx5_0/1 is "
	    "Disabled\n"
	    "warning leaf01/2 - host02 mlx5_0/1: is down: leaf01/2 is Training\n"
	    "warning leaf01/3 - host03 mlx5_0/1: is down: host03 mlx5_0/1 is ErrorRecovery\n");
}

static void the_disabled_end_gets_the_advice(void **state)
{
	struct mkfab m = mk_leaf(1);
	struct ibc_report *rep;

	(void)state;
	port(m, 1, 1)->phys_state = IBC_PHYS_POLLING;
	port(m, host(1), 1)->phys_state = IBC_PHYS_DISABLED;
	rep = report_of(m, "port.physical", NULL);
	assert_non_null(strstr(ibc_report_finding(rep, 0)->advice, "was disabled"));
	ibc_report_free(rep);
}

static void an_empty_switch_port_is_no_fault(void **state)
{
	struct mkfab m = mk_leaf(1);

	(void)state;
	assert_int_equal(port(m, 1, 2)->phys_state, IBC_PHYS_POLLING);
	expect(m, "port.physical", "");
}

static void training_is_a_fault_anywhere(void **state)
{
	struct mkfab m = mk_leaf(1);

	(void)state;
	mk_ca(m, 0x900, "host09 mlx5_0", 1);
	port(m, 1, 3)->phys_state = IBC_PHYS_TRAINING;
	port(m, 0x900, 1)->phys_state = IBC_PHYS_ERROR_RECOVERY;
	expect(m, "port.physical",
	       "warning leaf01/3: is Training: a cable is plugged in and does not come up\n"
	       "warning host09 mlx5_0/1: is ErrorRecovery: a cable is plugged in and does not come "
	       "up\n");
}

static void a_disabled_switch_port_is_named_with_the_command_to_undo_it(void **state)
{
	struct mkfab m = mk_leaf(1);
	struct ibc_report *rep;

	(void)state;
	port(m, 1, 4)->phys_state = IBC_PHYS_DISABLED;
	rep = report_of(m, "port.physical", NULL);
	assert_string_equal(ibc_report_finding(rep, 0)->advice,
	                    "If it should be in use: \"ibportstate 1 4 enable\".");
	expect_of(rep, "warning leaf01/4: is Disabled\n");
}

static void without_lid_the_command_is_left_to_the_reader(void **state)
{
	struct mkfab m = mk_leaf(1);
	struct ibc_report *rep;

	(void)state;
	port(m, 1, 4)->phys_state = IBC_PHYS_DISABLED;
	port(m, 1, 0)->lid = 0;
	rep = report_of(m, "port.physical", NULL);
	assert_string_equal(ibc_report_finding(rep, 0)->advice,
	                    "If it should be in use, enable it with ibportstate.");
	ibc_report_free(rep);
}

static void ports_disabled_on_most_switches_are_one_note(void **state)
{
	struct mkfab m = mk_leaf(1);
	struct ibc_report *rep;

	(void)state;
	for (unsigned int i = 2; i <= 12; i++) {
		char name[16];

		snprintf(name, sizeof(name), "spine%02u", i);
		mk_switch(m, i, name, 5);
		if (i < 12)
			port(m, i, 5)->phys_state = IBC_PHYS_DISABLED;
		if (i < 4)
			port(m, i, 4)->phys_state = IBC_PHYS_DISABLED;
	}
	port(m, 1, 5)->phys_state = IBC_PHYS_DISABLED; /* the only one with hosts */
	rep = report_of(m, "port.physical", NULL);
	assert_int_equal(ibc_report_finding(rep, 0)->num_related, 8);
	expect_of(rep, "info fabric: 10 switch ports are Disabled, as on most switches of their "
	               "kind: probably by design\n"
	               "warning leaf01/5: is Disabled\n"
	               "warning spine02/4: is Disabled\n"
	               "warning spine03/4: is Disabled\n");
}

static struct mkfab dual_port_hosts(unsigned int hosts, unsigned int second_up)
{
	struct mkfab m = mkfab();
	char name[32];

	mk_switch(m, 1, "leaf01", 60);
	for (unsigned int i = 1; i <= hosts; i++) {
		snprintf(name, sizeof(name), "host%02u mlx5_0", i);
		mk_ca(m, host(i), name, 2);
		cable(m, 1, i, host(i), 1);
		if (i <= second_up)
			cable(m, 1, 30 + i, host(i), 2);
	}
	return m;
}

static void a_ca_port_that_most_of_its_kind_use_should_be_up(void **state)
{
	(void)state;
	expect(dual_port_hosts(4, 3), "port.physical",
	       "warning host04 mlx5_0/2: is Polling; on 3 of 4 HCAs of this type port 2 is up\n");
	expect(dual_port_hosts(2, 1), "port.physical",
	       "warning host02 mlx5_0/2: is Polling; on 1 of 2 HCAs of this type port 2 is up\n");
}

static void ca_ports_that_few_use_are_one_note(void **state)
{
	struct ibc_report *rep;

	(void)state;
	expect(dual_port_hosts(1, 0), "port.physical", "info host01 mlx5_0/2: is Polling\n");
	rep = report_of(dual_port_hosts(20, 9), "port.physical", NULL);
	assert_int_equal(ibc_report_finding(rep, 0)->num_related, 8);
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	expect_of(
	    rep, "info fabric: port 2 is down on 11 of 20 HCAs of one type: probably not in use\n");
}

static void ca_ports_are_compared_with_their_own_type_only(void **state)
{
	struct mkfab m = dual_port_hosts(4, 4);

	(void)state;
	mk_ca(m, 0x900, "storage01 mlx5_0", 2)->device_id = 0x1021;
	cable(m, 1, 20, 0x900, 1);
	port(m, 0x900, 2)->phys_state = IBC_PHYS_SLEEP;
	expect(m, "port.physical", "info storage01 mlx5_0/2: is Sleep\n");
}

static void a_ca_port_that_was_not_told_is_not_down(void **state)
{
	struct mkfab m = dual_port_hosts(4, 3);

	(void)state;
	answers_put(port(m, host(4), 2), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	expect(m, "port.physical", "");
}

static void an_adapter_without_any_link_is_no_spare(void **state)
{
	struct mkfab m = mkfab();

	(void)state;
	mk_ca(m, 0x900, "host01 mlx4_0", 2);
	expect(m, "port.physical",
	       "warning host01 mlx4_0/1: is Polling\nwarning host01 mlx4_0/2: is Polling\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_healthy_fabric_gives_no_finding),
		cmocka_unit_test(ports_that_wait_in_another_subnet_are_one_finding),
		cmocka_unit_test(what_waits_in_a_subnet_that_was_swept_is_told_there),
		cmocka_unit_test(a_fabric_of_nothing_gives_no_finding),
		cmocka_unit_test(a_switch_of_255_ports_is_looked_at_to_the_last),
		cmocka_unit_test(a_cable_to_the_same_switch_is_one_cable),
		cmocka_unit_test(findings_come_by_check_then_guid_then_port),
		cmocka_unit_test(a_port_in_init_is_named_alone),
		cmocka_unit_test(a_near_end_that_is_not_active_is_named_as_well),
		cmocka_unit_test(both_ends_in_init_are_one_finding),
		cmocka_unit_test(no_subnet_manager_is_one_finding),
		cmocka_unit_test(a_few_active_links_do_not_hide_that_no_manager_runs),
		cmocka_unit_test(a_subnet_without_manager_is_named_among_others),
		cmocka_unit_test(a_link_to_a_silent_peer_has_a_state_too),
		cmocka_unit_test(a_state_that_was_not_told_blames_nobody),
		cmocka_unit_test(a_known_cable_that_is_down_is_one_finding),
		cmocka_unit_test(the_disabled_end_gets_the_advice),
		cmocka_unit_test(an_empty_switch_port_is_no_fault),
		cmocka_unit_test(training_is_a_fault_anywhere),
		cmocka_unit_test(a_disabled_switch_port_is_named_with_the_command_to_undo_it),
		cmocka_unit_test(without_lid_the_command_is_left_to_the_reader),
		cmocka_unit_test(ports_disabled_on_most_switches_are_one_note),
		cmocka_unit_test(a_ca_port_that_most_of_its_kind_use_should_be_up),
		cmocka_unit_test(ca_ports_that_few_use_are_one_note),
		cmocka_unit_test(ca_ports_are_compared_with_their_own_type_only),
		cmocka_unit_test(a_ca_port_that_was_not_told_is_not_down),
		cmocka_unit_test(an_adapter_without_any_link_is_no_spare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
