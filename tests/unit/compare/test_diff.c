/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <ibcheck/changes.h>

#include "base/arena.h"
#include "findings.h"
#include "mkpair.h"

#define ALL       "diff,-diff.firmware"
#define UNCHECKED "diff.unchecked"

/* A comparison with its fabrics. */
struct pair {
	struct ibc_fabric *before, *after;
	struct ibc_comparison *cmp;
};

static struct pair pair_of(struct mkfab was, struct mkfab is)
{
	struct pair p = { .before = done(was), .after = done(is) };

	assert_int_equal(ibc_compare(p.before, p.after, NULL, &p.cmp, NULL), 0);
	return p;
}

static void pair_free(struct pair *p)
{
	ibc_comparison_free(p->cmp);
	ibc_fabric_free(p->before);
	ibc_fabric_free(p->after);
}

/* Frees both fabrics: findings may not point into them. */
static struct ibc_report *diff_of(struct mkfab was, struct mkfab is, const char *selection)
{
	struct pair p = pair_of(was, is);
	struct ibc_input in = { .fabric = p.after, .before = p.before, .comparison = p.cmp };
	struct ibc_report *rep;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, selection, rep, NULL), 0);
	pair_free(&p);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	return rep;
}

static void expect_diff(struct mkfab was, struct mkfab is, const char *selection, const char *lines)
{
	expect_of(diff_of(was, is, selection), lines);
}

static struct ibc_node *node(struct mkfab m, uint64_t guid)
{
	return fabric_build_find(m.b, m.subnet, guid);
}

static void expect_of_size(struct ibc_report *rep, size_t findings)
{
	size_t n = 0;

	while (ibc_report_finding(rep, n))
		n++;
	assert_int_equal(n, findings);
	ibc_report_free(rep);
}

/* All but host04 and its cable. */
static struct mkfab mk_site_less(void)
{
	struct mkfab m = mk_site_nodes();

	mk_site_uplinks(m);
	mk_site_hosts(m);
	return m;
}

/* ---- what changed ---------------------------------------------------------------- */

static void a_sweep_compared_with_itself_is_ok(void **state)
{
	struct ibc_report *rep = diff_of(mk_site(), mk_site(), ALL);

	(void)state;
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	expect_of(rep, "");
}

static void a_change_is_a_warning(void **state)
{
	struct ibc_report *rep = diff_of(mk_site(), mk_site_less(), ALL);

	(void)state;
	assert_int_equal(ibc_report_verdict(rep), IBC_WARNING);
	expect_of(rep, "warning host04 mlx5_0: is gone: it was on leaf02/2 (Polling)\n");
}

static void a_new_host_is_told_with_its_place(void **state)
{
	(void)state;
	expect_diff(mk_site_less(), mk_site(), ALL,
	            "warning host04 mlx5_0: is new; it is on leaf02/2\n");
}

static void a_new_switch_brings_its_hosts_along(void **state)
{
	struct mkfab is = mk_site();

	(void)state;
	mk_switch(is, 5, "leaf03", 8);
	mk_ca(is, 0x150, "host05 mlx5_0", 1);
	cable(is, 5, 5, SPINE01, 3);
	cable(is, 5, 1, 0x150, 1);
	expect_diff(mk_site(), is, ALL,
	            "warning leaf03: is new, and 1 node behind it; it is on spine01/3\n");
}

static void a_cable_that_is_gone_tells_what_its_ports_do(void **state)
{
	struct mkfab is = mk_site_nodes();

	(void)state;
	mk_site_hosts(is);
	mk_ca(is, HOST04, "host04 mlx5_0", 1);
	cable(is, LEAF02, 2, HOST04, 1);
	cable(is, LEAF01, 6, SPINE02, 1);
	cable(is, LEAF02, 5, SPINE01, 2);
	cable(is, LEAF02, 6, SPINE02, 2);
	port(is, SPINE01, 1)->phys_state = IBC_PHYS_DISABLED;
	expect_diff(mk_site(), is, ALL,
	            "warning leaf01/5 - spine01/1: is gone: leaf01/5 is Polling, spine01/1 is "
	            "Disabled; leaf01 has 1 of its 2 uplinks\n");
}

static void a_cable_that_moved_is_told_where_it_was(void **state)
{
	struct mkfab is = mk_site_nodes();

	(void)state;
	mk_site_hosts(is);
	mk_ca(is, HOST04, "host04 mlx5_0", 1);
	cable(is, LEAF02, 2, HOST04, 1);
	cable(is, LEAF01, 5, SPINE01, 8);
	cable(is, LEAF01, 6, SPINE02, 1);
	cable(is, LEAF02, 5, SPINE01, 2);
	cable(is, LEAF02, 6, SPINE02, 2);
	expect_diff(mk_site(), is, ALL, "warning leaf01/5 - spine01/8: was leaf01/5 - spine01/1\n");
}

static void cables_that_changed_places_are_one_finding(void **state)
{
	struct mkfab is = mk_site_nodes();

	(void)state;
	mk_site_hosts(is);
	mk_ca(is, HOST04, "host04 mlx5_0", 1);
	cable(is, LEAF02, 2, HOST04, 1);
	cable(is, LEAF01, 5, SPINE02, 2);
	cable(is, LEAF01, 6, SPINE02, 1);
	cable(is, LEAF02, 5, SPINE01, 2);
	cable(is, LEAF02, 6, SPINE01, 1);
	expect_diff(mk_site(), is, ALL,
	            "warning leaf01/5 - spine02/2: two cables were exchanged: they were leaf01/5 - "
	            "spine01/1 and leaf02/6 - spine02/2; leaf01 and leaf02 each have 1 of their 2 "
	            "uplinks\n");
}

static void a_state_a_rate_and_a_lid_are_told_from_and_to(void **state)
{
	struct mkfab is = mk_site();

	(void)state;
	port(is, LEAF01, 5)->state = port(is, SPINE01, 1)->state = IBC_STATE_INIT;
	port(is, LEAF01, 8)->phys_state = IBC_PHYS_DISABLED;
	port(is, LEAF01, 6)->width_active = port(is, SPINE02, 1)->width_active = IBC_WIDTH_1X;
	port(is, HOST01, 1)->lid = 77;
	expect_diff(mk_site(), is, ALL,
	            "warning host01 mlx5_0/1: LID was 272, is 77\n"
	            "warning leaf01/5 - spine01/1: was Active, is Init\n"
	            "warning leaf01/8: was Polling, is Disabled\n"
	            "warning leaf01/6 - spine02/1: was 4x EDR (100 Gb/s), is 1x EDR (25 Gb/s)\n");
}

static void what_became_better_is_information(void **state)
{
	struct mkfab was = mk_site();
	struct ibc_report *rep;

	(void)state;
	port(was, LEAF01, 5)->state = port(was, SPINE01, 1)->state = IBC_STATE_INIT;
	port(was, LEAF01, 6)->width_active = port(was, SPINE02, 1)->width_active = IBC_WIDTH_1X;
	rep = diff_of(was, mk_site(), ALL);
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	assert_null(ibc_report_finding(rep, 0)->advice);
	assert_null(ibc_report_finding(rep, 1)->advice);
	expect_of(rep, "info leaf01/5 - spine01/1: improved: was Init, is Active\n"
	               "info leaf01/6 - spine02/1: improved: was 1x EDR (25 Gb/s), is 4x EDR (100 "
	               "Gb/s)\n");
}

static void an_uplink_that_is_back_is_information(void **state)
{
	struct ibc_report *rep = diff_of(mk_site_pulled(), mk_site(), ALL);

	(void)state;
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	assert_null(ibc_report_finding(rep, 0)->advice);
	expect_of(rep, "info leaf01/5 - spine01/1: improved: is up; both ports were down\n");
}

static void a_new_cable_that_others_do_not_have_is_a_warning(void **state)
{
	struct mkfab is = mk_site(), disabled = mk_site_pulled();

	(void)state;
	cable(is, LEAF01, 8, LEAF02, 8);
	cable(is, LEAF01, 7, SPINE01, 7);
	expect_diff(mk_site(), is, ALL,
	            "warning leaf01/7 - spine01/7: is new\nwarning leaf01/8 - leaf02/8: is new\n");
	port(disabled, LEAF01, 5)->phys_state = IBC_PHYS_DISABLED;
	expect_diff(disabled, mk_site(), ALL, "warning leaf01/5 - spine01/1: is new\n");
}

/* A leaf with so many hosts, all with this firmware. */
static struct mkfab mk_leaf_with(unsigned int hosts, const char *firmware)
{
	struct mkfab m = mk_leaf(hosts);

	for (unsigned int i = 1; i <= hosts; i++)
		node(m, host(i))->firmware = firmware;
	return m;
}

static void many_that_changed_equal_are_one_finding(void **state)
{
	(void)state;
	expect_diff(mk_leaf_with(9, "28.39.1002"), mk_leaf_with(9, "28.40.1000"), "diff.firmware",
	            "warning fabric: 9 nodes: firmware was 28.39.1002, is 28.40.1000\n"
	            "info fabric: the firmware of 1 of 10 nodes is not compared: one or both "
	            "sweeps do not contain it\n");
}

static void more_may_be_faults_of_their_own(void **state)
{
	struct mkfab was = mk_leaf(33), is = mk_leaf(33);

	(void)state;
	for (unsigned int i = 1; i <= 33; i++)
		port(is, 1, i)->state = IBC_STATE_INIT;
	expect_diff(was, is, ALL, "warning fabric: 33 ports: was Active, is Init\n");
	was = mk_leaf(33);
	is = mk_leaf(33);
	for (unsigned int i = 1; i <= 9; i++)
		port(is, 1, i)->state = IBC_STATE_INIT;
	expect_of_size(diff_of(was, is, ALL), 9);
}

static void a_few_that_changed_equal_are_told_one_by_one(void **state)
{
	struct mkfab was = mk_site(), is = mk_site();

	(void)state;
	node(was, LEAF01)->firmware = node(was, LEAF02)->firmware = "27.2010.4036";
	node(is, LEAF01)->firmware = node(is, LEAF02)->firmware = "27.2012.4036";
	expect_diff(was, is, "diff.firmware",
	            "info fabric: the firmware of 6 of 8 nodes is not compared: one or both sweeps "
	            "do not contain it\n"
	            "warning leaf01: firmware was 27.2010.4036, is 27.2012.4036\n"
	            "warning leaf02: firmware was 27.2010.4036, is 27.2012.4036\n");
}

static void lids_that_are_all_others_are_one_finding(void **state)
{
	static const uint64_t guids[] = { LEAF01, LEAF02, SPINE01, SPINE02,
		                          HOST01, HOST02, HOST03,  HOST04 };
	struct mkfab was = mk_site(), is = mk_site();

	(void)state;
	mk_ca(was, 0x150, "host05 mlx5_0", 1);
	cable(was, LEAF02, 3, 0x150, 1);
	mk_ca(is, 0x150, "host05 mlx5_0", 1);
	cable(is, LEAF02, 3, 0x150, 1);
	port(is, 0x150, 1)->lid = 2000;
	for (size_t i = 0; i < 8; i++)
		port(is, guids[i], guids[i] >= HOST01)->lid += 1000;
	expect_diff(was, is, "diff.lid", "warning fabric: 9 ports: LID changed\n");
}

/* Hosts that are there under other GUIDs, or other names. */
static struct mkfab mk_site_with(uint64_t guid, const char *name)
{
	struct mkfab m = mk_site_less();

	mk_ca(m, guid, name, 1);
	cable(m, LEAF02, 2, guid, 1);
	return m;
}

static void a_device_that_was_replaced_is_one_finding(void **state)
{
	(void)state;
	expect_diff(mk_site(), mk_site_with(0x999, "host04 mlx5_0"), ALL,
	            "warning host04 mlx5_0: is a different device than before: its GUID was "
	            "0x0000000000000140, is 0x0000000000000999\n");
}

static void a_device_that_was_renamed_tells_its_old_name(void **state)
{
	(void)state;
	expect_diff(mk_site(), mk_site_with(HOST04, "login01 mlx5_0"), ALL,
	            "warning login01 mlx5_0: was called host04 mlx5_0\n");
}

static void devices_that_were_exchanged_are_one_finding(void **state)
{
	struct mkfab is = mk_site_nodes();

	(void)state;
	mk_ca(is, HOST04, "host04 mlx5_0", 1);
	cable(is, LEAF02, 1, HOST01, 1);
	cable(is, LEAF02, 2, HOST02, 1);
	cable(is, LEAF01, 1, HOST03, 1);
	cable(is, LEAF01, 2, HOST04, 1);
	cable(is, LEAF02, 5, SPINE01, 1);
	cable(is, LEAF02, 6, SPINE02, 1);
	cable(is, LEAF01, 5, SPINE01, 2);
	cable(is, LEAF01, 6, SPINE02, 2);
	expect_diff(mk_site(), is, ALL,
	            "warning leaf02: have changed places: leaf02 is where leaf01 was, leaf01 is "
	            "where leaf02 was\n");
}

/* ---- what was not told --------------------------------------------------------------- */

static void what_a_source_does_not_tell_is_a_note(void **state)
{
	struct mkfab was = mk_site();
	struct ibc_report *rep;

	(void)state;
	was.subnet->provides = ibc_attrs_minus(was.subnet->provides, IBC_ATTRS(IBC_ATTR_PORT_INFO));
	for (unsigned int num = 1; num <= 8; num++) {
		not_asked(port(was, SPINE01, num), IBC_ATTR_PORT_INFO);
	}
	rep = diff_of(was, mk_site(), "diff.links");
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	expect_of(rep, "info fabric: the state of 8 of 28 ports is not compared: one or both "
	               "sweeps do not contain it\n");
}

static void what_was_silent_and_answers_now_is_unknown_and_no_change(void **state)
{
	struct mkfab was = mk_site_less();
	struct ibc_report *rep;

	(void)state;
	mk_silent_beyond(was, LEAF02, 2);
	rep = diff_of(was, mk_site(), ALL);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	expect_of(rep, "unknown fabric: 1 node and 1 cable may or may not be new: the devices that "
	               "lead there did not answer in the earlier sweep\n"
	               "unknown leaf02: did not answer 1 query of the earlier sweep: what was "
	               "unknown then is not compared\n");
}

static void what_answered_and_is_silent_now_is_unknown_and_not_gone(void **state)
{
	struct mkfab is = mk_site_less();
	struct ibc_report *rep;

	(void)state;
	mk_silent_beyond(is, LEAF02, 2);
	rep = diff_of(mk_site(), is, ALL);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	expect_of(rep,
	          "unknown host04 mlx5_0: is not checked: no device answers behind leaf02/2\n");
}

static void an_earlier_sweep_that_was_cut_short_is_not_complete(void **state)
{
	struct mkfab was = mk_site();

	(void)state;
	was.subnet->cut_short = true;
	expect_diff(was, mk_site(), UNCHECKED,
	            "unknown fabric: the earlier sweep (test) was cut short by its deadline: what "
	            "it did not reach is not compared\n");
}

static void of_many_that_did_not_answer_a_few_are_named(void **state)
{
	struct mkfab was = mk_leaf(12), is = mk_leaf(12);
	struct ibc_report *rep;
	size_t findings = 0;

	(void)state;
	for (unsigned int i = 1; i <= 12; i++)
		answers_put(port(was, host(i), 1), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	rep = diff_of(was, is, UNCHECKED);
	while (ibc_report_finding(rep, findings))
		findings++;
	assert_int_equal(findings, 9);
	assert_string_equal(ibc_report_finding(rep, 0)->message,
	                    "4 more nodes did not answer all queries of the earlier sweep: what "
	                    "was unknown then is not compared");
	ibc_report_free(rep);
}

static void firmware_that_was_asked_in_vain_before_is_unknown(void **state)
{
	struct mkfab was = mk_site(), is = mk_site();

	(void)state;
	answers_put(node(was, LEAF01), IBC_ATTR_GENERAL_INFO, ANSWER_NONE);
	expect_diff(was, mk_site(), UNCHECKED, "");
	was = mk_site();
	answers_put(node(was, LEAF01), IBC_ATTR_GENERAL_INFO, ANSWER_NONE);
	expect_diff(was, is, "diff.unchecked,diff.firmware",
	            "info fabric: the firmware of 8 of 8 nodes is not compared: one or both sweeps "
	            "do not contain it\n"
	            "unknown leaf01: did not answer 1 query of the earlier sweep: what was unknown "
	            "then is not compared\n");
}

static void firmware_that_is_asked_in_vain_now_is_unknown(void **state)
{
	struct mkfab is = mk_site();
	struct ibc_report *rep;

	(void)state;
	answers_put(node(is, LEAF01), IBC_ATTR_GENERAL_INFO, ANSWER_NONE);
	rep = diff_of(mk_site(), is, "diff.firmware");
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	ibc_report_free(rep);
}

/* ---- do they fit ------------------------------------------------------------------------ */

static void expect_fit(struct mkfab was, struct mkfab is, const char *why)
{
	struct pair p = pair_of(was, is);
	struct ibc_error err = { "" };

	assert_int_equal(ibc_changes_fit(p.cmp, &err), *why ? -EXDEV : 0);
	assert_string_equal(err.text, why);
	pair_free(&p);
}

static void sweeps_of_one_fabric_fit(void **state)
{
	(void)state;
	expect_fit(mk_site(), mk_site_less(), "");
}

static void sweeps_without_a_node_in_common_do_not_fit(void **state)
{
	struct mkfab is = mkfab();

	(void)state;
	mk_switch(is, 0x901, "other01", 4);
	mk_ca(is, 0x902, "host99 mlx5_0", 1);
	cable(is, 0x901, 1, 0x902, 1);
	expect_fit(mk_site(), is,
	           "the earlier sweep is of another fabric: they have no node in common");
}

static void subnets_that_share_adapters_do_not_fit(void **state)
{
	struct mkfab was = mk_site(), is = mkfab();

	(void)state;
	mk_switch(is, 0x901, "other01", 4);
	mk_ca(is, HOST01, "host01 mlx5_0", 2);
	cable(is, 0x901, 1, HOST01, 2);
	was.subnet->subnet_prefix = 0xfec0000000000001;
	is.subnet->subnet_prefix = 0xfec0000000000002;
	expect_fit(was, is,
	           "the earlier sweep is of another subnet, 0xfec0000000000001 and not "
	           "0xfec0000000000002: they have no switch in common");
}

/* ---- memory -------------------------------------------------------------------------------- */

static void every_allocation_may_fail(void **state)
{
	struct mkfab was = mk_site_less(), is = mk_site();
	struct ibc_report *rep;
	struct ibc_input in;
	unsigned long n = 0;
	struct pair p;
	int rc;

	(void)state;
	node(was, LEAF01)->firmware = "27.2010.4036";
	node(is, LEAF01)->firmware = "27.2012.4036";
	mk_silent_beyond(was, LEAF01, 8);
	cable(is, LEAF01, 8, LEAF02, 8);
	port(is, LEAF01, 7)->phys_state = IBC_PHYS_DISABLED;
	p = pair_of(was, is);
	in = (struct ibc_input){ .fabric = p.after, .before = p.before, .comparison = p.cmp };
	do {
		assert_int_equal(ibc_report_new(&rep, NULL), 0);
		alloc_fail_at(++n);
		rc = ibc_check_run(&in, "diff", rep, NULL);
		if (rc == 0)
			rc = ibc_report_finish(rep, NULL);
		alloc_fail_at(0);
		assert_true(rc == 0 || rc == -ENOMEM);
		ibc_report_free(rep);
	} while (rc);
	assert_true(n > 20);
	pair_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sweep_compared_with_itself_is_ok),
		cmocka_unit_test(a_change_is_a_warning),
		cmocka_unit_test(a_new_host_is_told_with_its_place),
		cmocka_unit_test(a_new_switch_brings_its_hosts_along),
		cmocka_unit_test(a_cable_that_is_gone_tells_what_its_ports_do),
		cmocka_unit_test(a_cable_that_moved_is_told_where_it_was),
		cmocka_unit_test(cables_that_changed_places_are_one_finding),
		cmocka_unit_test(a_state_a_rate_and_a_lid_are_told_from_and_to),
		cmocka_unit_test(what_became_better_is_information),
		cmocka_unit_test(an_uplink_that_is_back_is_information),
		cmocka_unit_test(a_new_cable_that_others_do_not_have_is_a_warning),
		cmocka_unit_test(many_that_changed_equal_are_one_finding),
		cmocka_unit_test(more_may_be_faults_of_their_own),
		cmocka_unit_test(a_few_that_changed_equal_are_told_one_by_one),
		cmocka_unit_test(lids_that_are_all_others_are_one_finding),
		cmocka_unit_test(a_device_that_was_replaced_is_one_finding),
		cmocka_unit_test(a_device_that_was_renamed_tells_its_old_name),
		cmocka_unit_test(devices_that_were_exchanged_are_one_finding),
		cmocka_unit_test(what_a_source_does_not_tell_is_a_note),
		cmocka_unit_test(what_was_silent_and_answers_now_is_unknown_and_no_change),
		cmocka_unit_test(what_answered_and_is_silent_now_is_unknown_and_not_gone),
		cmocka_unit_test(an_earlier_sweep_that_was_cut_short_is_not_complete),
		cmocka_unit_test(of_many_that_did_not_answer_a_few_are_named),
		cmocka_unit_test(firmware_that_was_asked_in_vain_before_is_unknown),
		cmocka_unit_test(firmware_that_is_asked_in_vain_now_is_unknown),
		cmocka_unit_test(sweeps_of_one_fabric_fit),
		cmocka_unit_test(sweeps_without_a_node_in_common_do_not_fit),
		cmocka_unit_test(subnets_that_share_adapters_do_not_fit),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
