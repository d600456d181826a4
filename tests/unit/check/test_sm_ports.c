/* SPDX-License-Identifier: BSD-2-Clause */
/* What the subnet manager gave to ports: LIDs, states, partitions; and where it runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "findings.h"
#include "mksm.h"

/* ---- sm.lid ---- */

static void distinct_lids_are_well(void **state)
{
	struct mkfab m = mk_leaf(4);

	(void)state;
	port(m, host(2), 1)->lmc = 2; /* 288 .. 291 */
	expect(m, "sm.lid", "");
}

static void an_active_port_needs_a_lid(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	port(m, host(1), 1)->lid = 0;
	expect(m, "sm.lid", "critical host01 mlx5_0/1: is Active and has no LID\n");
	m = mk_leaf(2);
	port(m, host(1), 1)->lid = 0;
	port(m, host(1), 1)->state = IBC_STATE_INIT;
	expect(m, "sm.lid", "");
}

static void a_switch_without_a_manager_needs_no_lid(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	port(m, 1, 0)->lid = 0;
	expect(m, "sm.lid", "critical leaf01/0: is Active and has no LID\n");
	m = mk_leaf(2);
	port(m, 1, 0)->lid = 0;
	for (unsigned int i = 1; i <= 2; i++)
		port(m, host(i), 1)->state = port(m, 1, i)->state = IBC_STATE_INIT;
	expect(m, "sm.lid", "");
}

static void two_ports_of_one_lid_are_one_finding(void **state)
{
	struct mkfab m = mk_leaf(3);

	(void)state;
	port(m, host(3), 1)->lid = port(m, host(1), 1)->lid;
	expect(m, "sm.lid", "critical host01 mlx5_0/1: has LID 272, and so has host03 mlx5_0/1\n");
	m = mk_leaf(4);
	for (unsigned int i = 2; i <= 4; i++)
		port(m, host(i), 1)->lid = port(m, host(1), 1)->lid;
	expect(
	    m, "sm.lid",
	    "critical host01 mlx5_0/1: has LID 272, and so have 3 others, e.g. host02 mlx5_0/1\n");
}

/* Two subnets that a cable has joined. */
static void lids_that_are_mostly_shared_are_one_finding(void **state)
{
	struct mkfab m = mk_leaf(10);
	struct ibc_report *rep;

	(void)state;
	for (unsigned int i = 1; i <= 5; i++)
		port(m, host(5 + i), 1)->lid = port(m, host(i), 1)->lid;
	rep = report_of(m, "sm.lid", NULL);
	assert_int_equal(ibc_report_finding(rep, 0)->num_related, 8);
	expect_of(rep, "critical fabric: 5 LIDs are used by several ports each, e.g. 272 by host01 "
	               "mlx5_0/1 and host06 mlx5_0/1\n");
}

static void lids_of_an_lmc_are_used_too(void **state)
{
	struct mkfab m = mk_leaf(3);

	(void)state;
	port(m, host(1), 1)->lmc = 2; /* 272 .. 275 */
	port(m, host(3), 1)->lid = 274;
	expect(m, "sm.lid", "critical host01 mlx5_0/1: has LID 274, and so has host03 mlx5_0/1\n");
}

static void a_switch_has_a_lid_as_well(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	port(m, 1, 0)->lid = port(m, host(2), 1)->lid;
	expect(m, "sm.lid", "critical leaf01/0: has LID 288, and so has host02 mlx5_0/1\n");
}

static void one_lid_in_two_subnets_is_no_fault(void **state)
{
	struct mkfab m = mk_leaf(1), second = mk_subnet(m, "second");

	(void)state;
	mk_ca(second, 0x901, "host01 mlx5_1", 1);
	mk_ca(second, 0x902, "host02 mlx5_1", 1);
	cable(second, 0x901, 1, 0x902, 1);
	port(second, 0x901, 1)->lid = port(m, host(1), 1)->lid;
	expect(m, "sm.lid", "");
}

/* The second port of host01 leads to another subnet, where it has this LID, and another master. */
static void mk_elsewhere(struct mkfab m, unsigned int lid)
{
	mk_ca(m, 0x901, "host09 mlx4_0", 2);
	cable(m, 1, 5, 0x901, 1);
	port(m, 0x901, 1)->lid = 901;
	mk_active(port(m, 0x901, 2));
	port(m, 0x901, 2)->lid = (uint16_t)lid;
	port(m, 0x901, 2)->sm_lid = 77;
	port(m, 0x901, 2)->subnet_prefix = 0xfec0000000000000;
}

static void a_port_of_another_subnet_is_that_ones(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	mk_elsewhere(m, port(m, host(1), 1)->lid);
	expect(m, "sm.lid", "");
	m = mk_leaf(2);
	mk_elsewhere(m, 0); /* it waits for its manager */
	expect(m, "sm.lid", "");
	m = mk_leaf(2);
	mk_elsewhere(m, 902);
	expect(m, "sm.lid-disagrees", "");
}

static void both_ports_of_an_adapter_may_be_in_one_subnet(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	mk_elsewhere(m, port(m, host(1), 1)->lid);
	cable(m, 1, 6, 0x901, 2);
	port(m, 0x901, 2)->lid = port(m, host(1), 1)->lid;
	expect(m, "sm.lid", "critical host01 mlx5_0/1: has LID 272, and so has host09 mlx4_0/2\n");
}

static void lids_of_groups_are_none_of_ports(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	port(m, host(1), 1)->lid = 0xc001;
	port(m, host(2), 1)->lid = 0xbffe;
	port(m, host(2), 1)->lmc = 2;
	expect(m, "sm.lid",
	       "critical host01 mlx5_0/1: has LID 49153, which is not a unicast LID: those end at "
	       "49151\n"
	       "critical host02 mlx5_0/1: has LID 49150 to 49153, which is not a unicast LID: "
	       "those end at 49151\n");
}

static void a_range_begins_at_a_multiple_of_its_size(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	port(m, host(1), 1)->lid = 274;
	port(m, host(1), 1)->lmc = 2;
	expect(m, "sm.lid",
	       "critical host01 mlx5_0/1: has LID 274 and LMC 2: the base LID is not aligned to "
	       "the LMC\n");
}

/* ---- sm.lid-disagrees ---- */

static void a_port_that_names_another_master_is_told(void **state)
{
	struct mkfab m = mk_leaf(4);

	(void)state;
	port(m, host(2), 1)->sm_lid = 77;
	expect(m, "sm.lid-disagrees",
	       "warning host02 mlx5_0/1: has MasterSMLID 77, the others have 1\n");
}

static void many_ports_that_agree_on_another_are_one_finding(void **state)
{
	struct mkfab m = mk_leaf(8);
	struct ibc_report *rep;

	(void)state;
	for (unsigned int i = 2; i <= 4; i++)
		port(m, host(i), 1)->subnet_prefix = 0xfec0000000000000;
	rep = report_of(m, "sm.lid-disagrees", NULL);
	assert_int_equal(ibc_report_finding(rep, 0)->num_related, 3);
	expect_of(rep, "warning fabric: 3 ports have the subnet prefix 0xfec0000000000000, the "
	               "others have 0xfe80000000000000: host02 mlx5_0/1 and so on\n");
}

static void another_master_is_named_as_the_cause(void **state)
{
	struct mkfab m = mk_leaf(4);
	const struct ibc_finding *f;
	struct ibc_report *rep;

	(void)state;
	mk_sm(m, host(1), 10, IBC_SM_MASTER);
	mk_sm(m, host(2), 10, IBC_SM_MASTER);
	for (unsigned int i = 1; i <= 4; i++)
		port(m, host(i), 1)->sm_lid = port(m, host(1), 1)->lid;
	port(m, 1, 0)->sm_lid = port(m, host(1), 1)->lid;
	port(m, host(2), 1)->sm_lid = port(m, host(2), 1)->lid;
	rep = report_of(m, "sm.lid-disagrees", NULL);
	f = ibc_report_finding(rep, 0);
	assert_non_null(strstr(f->advice, "host02 mlx5_0/1 has that LID and is master as well"));
	assert_int_equal(f->related[0].role, IBC_ROLE_CAUSE);
	ibc_report_free(rep);
}

static void the_level_to_the_master_should_be_one(void **state)
{
	struct mkfab m = mk_leaf(3);

	(void)state;
	port(m, 1, 0)->sm_sl = 3;
	expect(m, "sm.lid-disagrees", "warning leaf01/0: has MasterSMSL 3, the others have 0\n");
}

static void a_port_that_waits_has_no_view_yet(void **state)
{
	struct mkfab m = mk_leaf(3);

	(void)state;
	port(m, host(2), 1)->sm_lid = 0;
	port(m, host(2), 1)->state = IBC_STATE_INIT;
	expect(m, "sm.lid-disagrees", "");
}

/* ---- sm.pending ---- */

static void a_link_that_waits_is_a_cable(void **state)
{
	struct mkfab m = mk_leaf(4);

	(void)state;
	port(m, 1, 2)->state = port(m, host(2), 1)->state = IBC_STATE_ARMED;
	expect(m, "sm.pending", "critical leaf01/2 - host02 mlx5_0/1: is stuck in Armed\n");
}

static void links_with_a_switch_in_common_are_one_finding(void **state)
{
	struct mkfab m = mk_leaf(4);
	struct ibc_report *rep;

	(void)state;
	mk_switch(m, 2, "leaf02", 8);
	cable(m, 1, 5, 2, 8);
	port(m, 1, 5)->state = port(m, 2, 8)->state = IBC_STATE_INIT;
	for (unsigned int i = 1; i <= 3; i++) {
		mk_ca(m, 0x900 + i * 16, "other mlx5_0", 1);
		cable(m, 2, i, 0x900 + i * 16, 1);
		port(m, 2, i)->state = IBC_STATE_INIT;
		port(m, 0x900 + i * 16, 1)->state = IBC_STATE_INIT;
	}
	rep = report_of(m, "sm.pending", NULL);
	assert_int_equal(ibc_report_finding(rep, 0)->num_related, 4);
	expect_of(rep, "critical leaf02: 4 of its links are stuck in Init or Armed\n");
}

static void where_port_state_runs_it_tells(void **state)
{
	struct mkfab m = mk_leaf(4);

	(void)state;
	port(m, 1, 2)->state = port(m, host(2), 1)->state = IBC_STATE_INIT;
	expect(m, "port.state,sm.pending",
	       "critical leaf01/2 - host02 mlx5_0/1: is LinkUp but Init at both ends: no subnet "
	       "manager has activated it\n");
}

/* ---- sm.placement ---- */

static void a_list_says_where_managers_may_run(void **state)
{
	struct mkfab m = mk_leaf(3);
	struct ibc_config *config;

	(void)state;
	mk_sm(m, host(1), 14, IBC_SM_MASTER);
	mk_sm(m, host(3), 3, IBC_SM_STANDBY);
	assert_int_equal(ibc_config_new(&config, NULL), 0);
	assert_int_equal(ibc_config_set(config, "sm.placement", "allow", "head*, host0[12]", NULL),
	                 0);
	expect_of(report_of(m, "sm.placement", config),
	          "warning host03 mlx5_0/1: has a subnet manager (standby), but is not in the list "
	          "of hosts allowed to run one\n");
	/* names may have blanks */
	m = mk_leaf(1);
	mk_sm(m, host(1), 14, IBC_SM_MASTER);
	mk_sm_at(m, port(m, 1, 0), 3, IBC_SM_STANDBY);
	assert_int_equal(
	    ibc_config_set(config, "sm.placement", "allow", " leaf01 , host01 mlx5_[1-9]", NULL),
	    0);
	expect_of(report_of(m, "sm.placement", config),
	          "warning host01 mlx5_0/1: has a subnet manager (master), but is not in the list "
	          "of hosts allowed to run one\n");
	ibc_config_free(config);
}

static void a_master_among_the_jobs_is_noted(void **state)
{
	struct mkfab m = mk_leaf(10);

	(void)state;
	mk_ca(m, 0x911, "head01 mlx5_0", 1);
	cable(m, 1, 12, 0x911, 1);
	mk_sm(m, host(1), 14, IBC_SM_MASTER);
	mk_sm(m, 0x911, 3, IBC_SM_STANDBY);
	expect(m, "sm.placement",
	       "info host01 mlx5_0/1: is master on a probable compute host, while head01 mlx5_0/1 "
	       "is standby\n");
}

static void one_that_is_not_active_is_no_standby_elsewhere(void **state)
{
	struct mkfab m = mk_leaf(10);

	(void)state;
	mk_sm(m, host(1), 14, IBC_SM_MASTER);
	mk_sm(m, host(2), 3, IBC_SM_STANDBY);
	mk_sm_at(m, port(m, 1, 0), 3, IBC_SM_NOT_ACTIVE);
	expect(m, "sm.placement", "");
}

static void managers_that_are_all_among_the_jobs_are_meant_so(void **state)
{
	struct mkfab m = mk_leaf(10);

	(void)state;
	mk_sm(m, host(1), 14, IBC_SM_MASTER);
	mk_sm(m, host(2), 3, IBC_SM_STANDBY);
	expect(m, "sm.placement", "");
}

/* ---- sm.pkey ---- */

static const uint16_t both[] = { 0xffff, 0x8001 }, limited[] = { 0x7fff, 0x0001 };

static void a_partition_that_the_switch_drops_is_critical(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	mk_pkeys(m, port(m, host(1), 1), both, 2);
	mk_pkeys(m, port(m, 1, 1), both, 1);
	port(m, 1, 1)->pkey_enforce = 3;
	expect(m, "sm.pkey",
	       "critical leaf01/1 - host01 mlx5_0/1: leaf01/1 enforces its partitions and lacks "
	       "P_Key 0x8001 of host01 mlx5_0/1\n");
}

static void a_switch_that_does_not_enforce_may_lack_any(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	mk_pkeys(m, port(m, host(1), 1), both, 2);
	mk_pkeys(m, port(m, 1, 1), both, 1);
	expect(m, "sm.pkey", "");
}

static void limited_members_are_in_the_partition(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	mk_pkeys(m, port(m, host(1), 1), limited, 2);
	mk_pkeys(m, port(m, 1, 1), both, 2);
	port(m, 1, 1)->pkey_enforce = 3;
	expect(m, "sm.pkey", "");
}

static void a_partition_that_is_left_over_is_noted(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	mk_pkeys(m, port(m, host(1), 1), both, 1);
	mk_pkeys(m, port(m, 1, 1), both, 2);
	port(m, 1, 1)->pkey_enforce = 3;
	expect(m, "sm.pkey",
	       "info leaf01/1 - host01 mlx5_0/1: leaf01/1 passes P_Key 0x8001, which host01 "
	       "mlx5_0/1 does not have\n");
}

/* ---- sm.mkey ---- */

static void mk_protected(struct mkfab m, unsigned int num)
{
	struct ibc_port *p = port(m, 1, num);

	mk_active(p);
	answers_put(p, IBC_ATTR_NODE_INFO, ANSWER_NONE);
}

static void silence_behind_active_links_looks_like_a_key(void **state)
{
	struct mkfab m = mk_leaf(1);

	(void)state;
	for (unsigned int i = 2; i <= 4; i++)
		mk_protected(m, i);
	expect(m, "sm.mkey",
	       "info fabric: 3 links that a subnet manager has made Active lead to devices that do "
	       "not answer: probably M_Keys protect them\n");
}

static void two_silent_hosts_may_just_be_dead(void **state)
{
	struct mkfab m = mk_leaf(1);

	(void)state;
	for (unsigned int i = 2; i <= 3; i++)
		mk_protected(m, i);
	expect(m, "sm.mkey", "");
}

static void queries_with_a_wrong_key_are_counted(void **state)
{
	struct mkfab m = mk_leaf(1);

	(void)state;
	port_extra(port(m, host(1), 1))->m_key_violations = 7;
	expect(m, "sm.mkey",
	       "info host01 mlx5_0/1: reports 7 queries with a wrong M_Key (M_KeyViolations)\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distinct_lids_are_well),
		cmocka_unit_test(an_active_port_needs_a_lid),
		cmocka_unit_test(a_switch_without_a_manager_needs_no_lid),
		cmocka_unit_test(two_ports_of_one_lid_are_one_finding),
		cmocka_unit_test(lids_that_are_mostly_shared_are_one_finding),
		cmocka_unit_test(lids_of_an_lmc_are_used_too),
		cmocka_unit_test(a_switch_has_a_lid_as_well),
		cmocka_unit_test(one_lid_in_two_subnets_is_no_fault),
		cmocka_unit_test(a_port_of_another_subnet_is_that_ones),
		cmocka_unit_test(both_ports_of_an_adapter_may_be_in_one_subnet),
		cmocka_unit_test(lids_of_groups_are_none_of_ports),
		cmocka_unit_test(a_range_begins_at_a_multiple_of_its_size),
		cmocka_unit_test(a_port_that_names_another_master_is_told),
		cmocka_unit_test(many_ports_that_agree_on_another_are_one_finding),
		cmocka_unit_test(another_master_is_named_as_the_cause),
		cmocka_unit_test(the_level_to_the_master_should_be_one),
		cmocka_unit_test(a_port_that_waits_has_no_view_yet),
		cmocka_unit_test(a_link_that_waits_is_a_cable),
		cmocka_unit_test(links_with_a_switch_in_common_are_one_finding),
		cmocka_unit_test(where_port_state_runs_it_tells),
		cmocka_unit_test(a_list_says_where_managers_may_run),
		cmocka_unit_test(a_master_among_the_jobs_is_noted),
		cmocka_unit_test(one_that_is_not_active_is_no_standby_elsewhere),
		cmocka_unit_test(managers_that_are_all_among_the_jobs_are_meant_so),
		cmocka_unit_test(a_partition_that_the_switch_drops_is_critical),
		cmocka_unit_test(a_switch_that_does_not_enforce_may_lack_any),
		cmocka_unit_test(limited_members_are_in_the_partition),
		cmocka_unit_test(a_partition_that_is_left_over_is_noted),
		cmocka_unit_test(silence_behind_active_links_looks_like_a_key),
		cmocka_unit_test(two_silent_hosts_may_just_be_dead),
		cmocka_unit_test(queries_with_a_wrong_key_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
