/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "findings.h"
#include "mksm.h"

#define SM "sm.none,sm.multiple,sm.no-standby,sm.priority,sm.stalled,sm.handover"

/* A master on host 1 and a standby on host 2, as they should be. */
static struct mkfab managed(unsigned int hosts)
{
	struct mkfab m = mk_leaf(hosts);

	mk_sm(m, host(1), 14, IBC_SM_MASTER);
	mk_sm(m, host(2), 10, IBC_SM_STANDBY);
	return m;
}

static void a_master_and_a_standby_are_well(void **state)
{
	(void)state;
	expect(managed(3), SM, "");
}

/* ---- sm.none ---- */

static void without_a_master_nobody_governs(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	ibc_attrs_add(&m.subnet->provides, IBC_ATTR_SM_INFO);
	expect(m, SM, "critical fabric: no subnet manager is master\n");
}

static void a_manager_that_is_not_active_governs_nothing(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	mk_sm(m, host(1), 3, IBC_SM_NOT_ACTIVE);
	expect(m, "sm.none",
	       "critical fabric: no subnet manager is master; host01 mlx5_0/1 is NotActive\n");
}

static void a_silent_manager_may_be_the_master(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	mk_silent_sm(m, host(1));
	expect(m, SM,
	       "warning host01 mlx5_0/1: does not answer SMInfo, although it reports that it runs "
	       "a subnet manager\n");
}

/* Host 1 had the manager that all look for. */
static void mk_gone(struct mkfab m)
{
	mk_silent_sm(m, host(1));
	port(m, host(1), 1)->cap_mask = 0;
	m.subnet->origin = port(m, host(2), 1);
	port(m, host(2), 1)->sm_lid = port(m, host(1), 1)->lid;
}

static void a_manager_that_has_ended_governs_no_more(void **state)
{
	struct mkfab m = mk_leaf(2);
	struct ibc_report *rep;

	(void)state;
	mk_gone(m);
	mk_sm(m, host(2), 3, IBC_SM_STANDBY);
	rep = report_of(m, SM, NULL);
	assert_int_equal(ibc_report_finding(rep, 0)->unanswered, 1);
	expect_of(rep, "critical fabric: no subnet manager is master; host01 mlx5_0/1, where all "
	               "ports look for it, has none; host02 mlx5_0/1 is Standby\n");
}

static void where_queries_get_lost_silence_proves_nothing(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	mk_silent_sm(m, host(1));
	m.subnet->sweep.answered = 100;
	m.subnet->sweep.regained = 8;
	expect(m, SM,
	       "unknown host01 mlx5_0/1: does not answer SMInfo, although it reports that it runs "
	       "a subnet manager; but many queries of this sweep were lost\n");
}

/* Of few queries, chance may spare those that are asked again. */
static void where_queries_get_lost_administration_is_not_judged(void **state)
{
	struct mkfab m = managed(2);

	(void)state;
	mk_sa(m, host(2), port(m, host(1), 1)->lid, 0, ANSWER_NONE);
	m.subnet->sweep = (struct ibc_sweep){ .answered = 10, .regained = 2, .timed_out = 3 };
	expect(m, "sm.sa-silent",
	       "unknown fabric: subnet administration (SA) at LID 272 does not answer; but many "
	       "queries of this sweep were lost\n");
	m = managed(2);
	mk_sa(m, host(2), port(m, host(1), 1)->lid, 1500000, ANSWER_OK);
	m.subnet->sweep = (struct ibc_sweep){ .answered = 10, .regained = 3 };
	expect(m, "sm.sa-slow",
	       "unknown fabric: subnet administration (SA) took 1500 ms to answer; but many "
	       "queries of this sweep were lost\n");
}

static void a_manager_that_refuses_may_be_alive(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	mk_silent_sm(m, host(1));
	answers_put(port(m, host(1), 1), IBC_ATTR_SM_INFO, ANSWER_REFUSED);
	expect(m, SM,
	       "unknown host01 mlx5_0/1: refuses SMInfo, although it reports that it runs a "
	       "subnet manager\n");
}

static void a_port_that_was_not_read_may_be_the_masters(void **state)
{
	struct mkfab m = mk_leaf(3);

	(void)state;
	ibc_attrs_add(&m.subnet->provides, IBC_ATTR_SM_INFO);
	m.subnet->origin = port(m, host(1), 1);
	port(m, host(1), 1)->sm_lid = 4711;
	answers_put(port(m, host(2), 1), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	expect(m, "sm.none", "unknown fabric: no master was found among those that answer\n");
}

static void ports_that_look_for_an_old_master_are_told_of_the_new(void **state)
{
	struct mkfab m = mk_leaf(3);

	(void)state;
	mk_gone(m);
	mk_sm(m, host(2), 3, IBC_SM_MASTER);
	mk_sm(m, host(3), 2, IBC_SM_STANDBY);
	expect(m, SM,
	       "warning host01 mlx5_0/1: has no subnet manager, but some ports name it as their "
	       "master; host02 mlx5_0/1 is master\n");
}

static void a_sweep_that_was_cut_short_does_not_know_of_all(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	ibc_attrs_add(&m.subnet->provides, IBC_ATTR_SM_INFO);
	m.subnet->cut_short = true;
	expect(m, "sm.none",
	       "unknown fabric: no master was found before the deadline ended the sweep\n");
}

static void what_waits_for_a_manager_is_told_with_its_absence(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	ibc_attrs_add(&m.subnet->provides, IBC_ATTR_SM_INFO);
	for (unsigned int i = 1; i <= 2; i++)
		port(m, 1, i)->state = port(m, host(i), 1)->state = IBC_STATE_INIT;
	expect(m, "port.state,sm.none,sm.pending",
	       "critical fabric: no subnet manager has configured this fabric: 2 of 2 links are "
	       "Init\n"
	       "critical fabric: no subnet manager is master\n");
}

/* ---- sm.multiple ---- */

static void two_masters_are_named_with_priority_and_guid(void **state)
{
	struct mkfab m = managed(3);
	struct ibc_report *rep;

	(void)state;
	mk_sm(m, host(3), 14, IBC_SM_MASTER);
	rep = report_of(m, SM, NULL);
	assert_int_equal(ibc_report_finding(rep, 0)->num_related, 2);
	expect_of(rep, "critical fabric: 2 subnet managers are master: host01 mlx5_0/1 (priority "
	               "14, GUID 0x0000000000000111) and host03 mlx5_0/1 (priority 14, GUID "
	               "0x0000000000000131)\n");
}

static void a_master_in_each_subnet_is_as_it_should_be(void **state)
{
	struct mkfab m = managed(2), second = mk_subnet(m, "second");

	(void)state;
	mk_ca(second, 0x901, "host01 mlx5_1", 1);
	mk_ca(second, 0x911, "host02 mlx5_1", 1);
	cable(second, 0x901, 1, 0x911, 1);
	mk_sm(second, 0x901, 14, IBC_SM_MASTER);
	mk_sm(second, 0x911, 3, IBC_SM_STANDBY);
	expect(m, SM, "");
}

/* ---- sm.no-standby ---- */

static void a_master_alone_has_nobody_to_follow_it(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	mk_sm(m, host(1), 14, IBC_SM_MASTER);
	expect(m, SM,
	       "info host01 mlx5_0/1: is the only subnet manager: if it fails, no standby takes "
	       "over\n");
}

static void a_site_can_require_a_standby(void **state)
{
	struct mkfab m = mk_leaf(2);
	struct ibc_config *config;

	(void)state;
	mk_sm(m, host(1), 14, IBC_SM_MASTER);
	assert_int_equal(ibc_config_new(&config, NULL), 0);
	assert_int_equal(ibc_config_set(config, "sm.no-standby", "severity", "warning", NULL), 0);
	expect_of(report_of(m, "sm.no-standby", config),
	          "warning host01 mlx5_0/1: is the only subnet manager: if it fails, no standby "
	          "takes over\n");
	ibc_config_free(config);
}

static void a_silent_manager_may_be_the_standby(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	mk_sm(m, host(1), 14, IBC_SM_MASTER);
	mk_silent_sm(m, host(2));
	expect(m, "sm.no-standby", "");
}

/* ---- sm.priority ---- */

static void a_standby_of_higher_priority_would_replace_the_master(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	mk_sm(m, host(1), 3, IBC_SM_MASTER);
	mk_sm(m, host(2), 10, IBC_SM_STANDBY);
	expect(m, SM,
	       "warning host01 mlx5_0/1: is master with priority 3, though host02 mlx5_0/1 has "
	       "10\n");
}

static void a_tie_moves_and_comes_back(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	mk_sm(m, host(1), 3, IBC_SM_MASTER);
	mk_sm(m, host(2), 3, IBC_SM_STANDBY);
	expect(m, SM,
	       "info host01 mlx5_0/1: has priority 3, as does host02 mlx5_0/1, which is standby: "
	       "after a failure the master role moves there, and back when this one returns\n");
	m = mk_leaf(2);
	mk_sm(m, host(1), 3, IBC_SM_STANDBY);
	mk_sm(m, host(2), 3, IBC_SM_MASTER);
	expect(m, SM,
	       "info host02 mlx5_0/1: has priority 3, as does host01 mlx5_0/1, which is standby: "
	       "the standby has the lower GUID and becomes master at the next election\n");
}

/* ---- sm.stalled ---- */

static void a_master_that_counts_nothing_hangs(void **state)
{
	struct mkfab m = mk_leaf(2);
	struct ibc_sm_info *sm = mk_sm(m, host(1), 14, IBC_SM_MASTER);

	(void)state;
	mk_sm(m, host(2), 3, IBC_SM_STANDBY);
	sm->act_count_later = sm->act_count;
	sm->act_seconds = 4;
	expect(m, SM,
	       "critical host01 mlx5_0/1: has a subnet manager that is idle: its activity count "
	       "(ActCount) stayed at 100 for 4.0 s\n");
}

static void a_standby_that_hangs_is_a_warning(void **state)
{
	struct mkfab m = mk_leaf(2);
	struct ibc_sm_info *sm;

	(void)state;
	mk_sm(m, host(1), 14, IBC_SM_MASTER);
	sm = mk_sm(m, host(2), 3, IBC_SM_STANDBY);
	sm->act_count_later = sm->act_count;
	sm->act_seconds = 1;
	expect(m, SM,
	       "warning host02 mlx5_0/1: has a subnet manager that is idle: its activity count "
	       "(ActCount) stayed at 100 for 1.0 s\n");
}

static void a_manager_that_had_no_time_to_count_is_not_evaluated(void **state)
{
	struct mkfab m = managed(2);
	struct ibc_sm_info *sm = (struct ibc_sm_info *)port(m, host(1), 1)->extra->sm;

	(void)state;
	sm->act_count_later = sm->act_count;
	sm->act_seconds = 0;
	expect(m, SM, "");
	m = managed(2);
	sm = (struct ibc_sm_info *)port(m, host(1), 1)->extra->sm;
	sm->act_count_later = sm->act_count;
	sm->act_seconds = 0.01; /* the deadline came before it could be asked once more */
	expect(m, SM, "");
}

static void a_manager_that_falls_silent_has_died(void **state)
{
	struct mkfab m = managed(2);
	struct ibc_sm_info *sm = (struct ibc_sm_info *)port(m, host(1), 1)->extra->sm;

	(void)state;
	sm->state_later = IBC_SM_UNKNOWN;
	sm->act_seconds = 1;
	expect(m, "sm.stalled",
	       "critical host01 mlx5_0/1: has a subnet manager that answered SMInfo, but no longer "
	       "does\n");
}

/* It answered as master when the sweep began, and its standby has taken over since. */
static void a_master_that_died_during_the_sweep_is_not_a_second_one(void **state)
{
	struct mkfab m = managed(3);
	struct ibc_sm_info *sm = (struct ibc_sm_info *)port(m, host(1), 1)->extra->sm;

	(void)state;
	sm->state_later = IBC_SM_UNKNOWN;
	sm->act_seconds = 1;
	sm = (struct ibc_sm_info *)port(m, host(2), 1)->extra->sm;
	sm->state_later = IBC_SM_MASTER;
	mk_sm(m, host(3), 1, IBC_SM_STANDBY);
	mk_sa(m, host(3), port(m, host(1), 1)->lid, 0, ANSWER_NONE);
	expect(m, SM ",sm.sa-silent",
	       "info fabric: subnet administration (SA) at LID 272 does not answer\n"
	       "warning host01 mlx5_0/1: has a subnet manager that answered SMInfo, but no longer "
	       "does; host02 mlx5_0/1 is master\n");
}

/* One after the other, and nobody has followed them yet: each is told, and who is left. */
static void masters_that_died_in_turn_are_none(void **state)
{
	struct mkfab m = managed(3);

	(void)state;
	for (unsigned int i = 1; i <= 2; i++) {
		struct ibc_sm_info *sm = mk_sm(m, host(i), 14, IBC_SM_MASTER);

		sm->state_later = IBC_SM_UNKNOWN;
		sm->act_seconds = 1;
	}
	mk_sm(m, host(3), 15, IBC_SM_STANDBY);
	expect(m, SM,
	       "critical host01 mlx5_0/1: has a subnet manager that answered SMInfo, but no longer "
	       "does\n"
	       "critical host02 mlx5_0/1: has a subnet manager that answered SMInfo, but no longer "
	       "does\n");
}

static void a_standby_that_died_follows_nobody(void **state)
{
	struct mkfab m = mk_leaf(2);
	struct ibc_sm_info *sm;

	(void)state;
	mk_sm(m, host(1), 3, IBC_SM_MASTER);
	sm = mk_sm(m, host(2), 10, IBC_SM_STANDBY);
	sm->state_later = IBC_SM_UNKNOWN;
	sm->act_seconds = 1;
	expect(
	    m, SM,
	    "info host01 mlx5_0/1: is the only subnet manager: if it fails, no standby takes over\n"
	    "warning host02 mlx5_0/1: has a subnet manager that answered SMInfo, but no longer "
	    "does\n");
}

static void where_all_look_for_the_master_silence_is_critical(void **state)
{
	struct mkfab m = mk_leaf(2);
	struct ibc_report *rep;

	(void)state;
	mk_silent_sm(m, host(1));
	mk_sm(m, host(2), 3, IBC_SM_STANDBY);
	m.subnet->origin = port(m, host(2), 1);
	port(m, host(2), 1)->sm_lid = port(m, host(1), 1)->lid;
	rep = report_of(m, SM, NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_CRITICAL);
	expect_of(rep, "critical host01 mlx5_0/1: does not answer SMInfo, although all ports name "
	               "it as their master subnet manager\n");
}

/* ---- sm.handover ---- */

static void a_handover_is_said_and_two_are_unknown(void **state)
{
	struct mkfab m = managed(2);

	(void)state;
	m.subnet->handovers = 1;
	expect(m, SM,
	       "info fabric: the master subnet manager changed while the fabric was swept; it was "
	       "swept again\n");
	m = managed(2);
	m.subnet->handovers = 2;
	expect(m, SM,
	       "unknown fabric: the master subnet manager changed while the fabric was swept, and "
	       "again during the next sweep: this report can mix the states before and after\n");
}

/* ---- sm.sa-silent, sm.sa-slow ---- */

static void administration_that_answers_at_once_is_well(void **state)
{
	struct mkfab m = managed(2);

	(void)state;
	mk_sa(m, host(2), port(m, host(1), 1)->lid, 300, ANSWER_OK);
	expect(m, "sm.sa-silent,sm.sa-slow", "");
}

static void silent_administration_is_critical(void **state)
{
	struct mkfab m = managed(2);

	(void)state;
	mk_sa(m, host(2), port(m, host(1), 1)->lid, 0, ANSWER_NONE);
	expect(m, "sm.sa-silent",
	       "critical fabric: subnet administration (SA) at LID 272 does not answer\n");
	m = managed(2);
	mk_sa(m, host(2), port(m, host(1), 1)->lid, 0, ANSWER_REFUSED);
	expect(m, "sm.sa-silent",
	       "critical fabric: subnet administration (SA) at LID 272 refuses ClassPortInfo\n");
}

static void a_dead_manager_is_one_fault(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	mk_silent_sm(m, host(1));
	mk_sa(m, host(2), port(m, host(1), 1)->lid, 0, ANSWER_NONE);
	expect(m, "sm.sa-silent,sm.stalled",
	       "info fabric: subnet administration (SA) at LID 272 does not answer\n"
	       "critical host01 mlx5_0/1: does not answer SMInfo, although all ports name it as "
	       "their master subnet manager\n");
}

static void where_no_master_is_named_administration_cannot_be_asked(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	mk_sa(m, host(2), 0, 0, ANSWER_NONE);
	ibc_attrs_add(&m.subnet->provides, IBC_ATTR_SM_INFO);
	expect(m, "sm.none,sm.sa-silent",
	       "critical fabric: no subnet manager is master\n"
	       "info fabric: subnet administration (SA) cannot be queried: host02 mlx5_0/1 "
	       "names no master\n");
}

static void late_answers_are_evaluated_by_limits(void **state)
{
	struct mkfab m = managed(2);
	struct ibc_config *config;

	(void)state;
	mk_sa(m, host(2), port(m, host(1), 1)->lid, 250000, ANSWER_OK);
	expect(m, "sm.sa-slow",
	       "warning fabric: subnet administration (SA) took 250 ms to answer\n");
	m = managed(2);
	mk_sa(m, host(2), port(m, host(1), 1)->lid, 1500000, ANSWER_OK);
	expect(m, "sm.sa-slow",
	       "critical fabric: subnet administration (SA) took 1500 ms to answer\n");
	m = managed(2);
	mk_sa(m, host(2), port(m, host(1), 1)->lid, 250000, ANSWER_OK);
	assert_int_equal(ibc_config_new(&config, NULL), 0);
	assert_int_equal(ibc_config_set(config, "sm.sa-slow", "warning", "500", NULL), 0);
	expect_of(report_of(m, "sm.sa-slow", config), "");
	ibc_config_free(config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_master_and_a_standby_are_well),
		cmocka_unit_test(without_a_master_nobody_governs),
		cmocka_unit_test(a_manager_that_is_not_active_governs_nothing),
		cmocka_unit_test(a_silent_manager_may_be_the_master),
		cmocka_unit_test(a_manager_that_has_ended_governs_no_more),
		cmocka_unit_test(ports_that_look_for_an_old_master_are_told_of_the_new),
		cmocka_unit_test(a_sweep_that_was_cut_short_does_not_know_of_all),
		cmocka_unit_test(where_queries_get_lost_silence_proves_nothing),
		cmocka_unit_test(where_queries_get_lost_administration_is_not_judged),
		cmocka_unit_test(a_manager_that_refuses_may_be_alive),
		cmocka_unit_test(a_port_that_was_not_read_may_be_the_masters),
		cmocka_unit_test(what_waits_for_a_manager_is_told_with_its_absence),
		cmocka_unit_test(two_masters_are_named_with_priority_and_guid),
		cmocka_unit_test(a_master_in_each_subnet_is_as_it_should_be),
		cmocka_unit_test(a_master_alone_has_nobody_to_follow_it),
		cmocka_unit_test(a_site_can_require_a_standby),
		cmocka_unit_test(a_silent_manager_may_be_the_standby),
		cmocka_unit_test(a_standby_of_higher_priority_would_replace_the_master),
		cmocka_unit_test(a_tie_moves_and_comes_back),
		cmocka_unit_test(a_master_that_counts_nothing_hangs),
		cmocka_unit_test(a_standby_that_hangs_is_a_warning),
		cmocka_unit_test(a_manager_that_had_no_time_to_count_is_not_evaluated),
		cmocka_unit_test(a_manager_that_falls_silent_has_died),
		cmocka_unit_test(a_master_that_died_during_the_sweep_is_not_a_second_one),
		cmocka_unit_test(masters_that_died_in_turn_are_none),
		cmocka_unit_test(a_standby_that_died_follows_nobody),
		cmocka_unit_test(where_all_look_for_the_master_silence_is_critical),
		cmocka_unit_test(a_handover_is_said_and_two_are_unknown),
		cmocka_unit_test(administration_that_answers_at_once_is_well),
		cmocka_unit_test(silent_administration_is_critical),
		cmocka_unit_test(a_dead_manager_is_one_fault),
		cmocka_unit_test(where_no_master_is_named_administration_cannot_be_asked),
		cmocka_unit_test(late_answers_are_evaluated_by_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
