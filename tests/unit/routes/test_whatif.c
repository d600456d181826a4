/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of things that are to be taken away. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <ibcheck/fattree.h>
#include <ibcheck/routes.h>

#include "findings.h"
#include "mkclos.h"
#include "mksm.h"

static const struct clos four = { .leaves = 4, .spines = 3, .hosts = 2, .cables = 1 };

static struct mkfab tree(void)
{
	struct mkfab m = mkfab();

	mk_clos(m, &four);
	mk_d_mod_k(m, &four);
	return m;
}

/* struct thing - by GUID */
struct thing {
	uint64_t guid;
	unsigned int port;
};

static int judge(const struct ibc_fabric *fab, const struct thing *things, size_t n,
                 const struct ibc_report *today, const struct ibc_report *after,
                 struct ibc_report *rep)
{
	struct ibc_fattree *now = NULL, *left = NULL;
	struct ibc_dependents *lost = NULL;
	struct ibc_fabric *rest = NULL;
	struct ibc_place places[4];
	int rc;

	for (size_t i = 0; i < n; i++)
		places[i] = (struct ibc_place){ ibc_fabric_node_by_guid(fab, things[i].guid),
			                        things[i].port };
	rc = ibc_fattree_infer(fab, NULL, &now, NULL);
	rc = rc ?: ibc_dependents_find(fab, now, places, n, &lost, NULL);
	rc = rc ?: ibc_fabric_without(fab, places, n, &rest, NULL);
	rc = rc ?: ibc_fattree_infer(rest, NULL, &left, NULL);
	if (!rc)
		rc = ibc_check_whatif(&(struct ibc_input){ .fabric = fab, .fattree = now }, lost,
		                      left, today, after, NULL, rep, NULL);
	ibc_fattree_free(left);
	ibc_fabric_free(rest);
	ibc_dependents_free(lost);
	ibc_fattree_free(now);
	return rc;
}

/* What is said without these; @today: a selection of checks that run before, or NULL. */
static void expect_without(struct mkfab m, const struct thing *things, size_t n, const char *today,
                           const char *lines)
{
	struct ibc_fabric *fab = done(m);
	struct ibc_report *rep, *faults = NULL;
	struct ibc_fattree *now = NULL;
	char *text;

	if (today) {
		assert_int_equal(ibc_fattree_infer(fab, NULL, &now, NULL), 0);
		assert_int_equal(ibc_report_new(&faults, NULL), 0);
		assert_int_equal(ibc_check_run(&(struct ibc_input){ .fabric = fab, .fattree = now },
		                               today, faults, NULL),
		                 0);
		assert_int_equal(ibc_report_finish(faults, NULL), 0);
	}
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(judge(fab, things, n, faults, NULL, rep), 0);
	ibc_fattree_free(now);
	ibc_fabric_free(fab);
	ibc_report_free(faults);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	text = findings_text(rep);
	assert_string_equal(text, lines);
	free(text);
	ibc_report_free(rep);
}

#define WITHOUT(m, today, lines, ...)                                                              \
	expect_without(m, (const struct thing[]){ __VA_ARGS__ },                                   \
	               sizeof((const struct thing[]){ __VA_ARGS__ }) / sizeof(struct thing),       \
	               today, lines)

static struct mkfab with_manager(uint64_t guid)
{
	struct mkfab m = tree();

	mk_sm(m, guid, 10, IBC_SM_MASTER);
	return m;
}

static void hosts_that_go_are_critical(void **state)
{
	(void)state;
	WITHOUT(tree(), NULL, "critical fabric: 2 of 8 hosts are cut off: host[03-04]\n",
	        { clos_leaf(1), 0 });
	WITHOUT(tree(), NULL, "critical fabric: 1 of 8 hosts is cut off: host03\n",
	        { clos_host(&four, 1, 0), 0 });
}

static void a_spine_is_bandwidth_and_no_host(void **state)
{
	(void)state;
	WITHOUT(tree(), NULL,
	        "warning leaf01: leaf01 keeps 2 of 3 uplinks; 4 leaf switches lose some: 800 of "
	        "1200 Gb/s are left\n",
	        { clos_spine(0), 0 });
}

static void an_uplink_that_breaks_symmetry_ends_ftree(void **state)
{
	(void)state;
	WITHOUT(tree(), NULL,
	        "warning leaf02: leaf02 keeps 2 of 3 uplinks: 200 of 300 Gb/s are left\n"
	        "warning fabric: OpenSM with -R ftree would fall back to minhop: leaf02 has 2 "
	        "switches above it, others of its tier have 3\n",
	        { clos_leaf(1), clos_up(&four, 0, 0) });
}

/* What ftree refuses already, it cannot refuse anew. */
static void ftree_that_is_lost_today_is_not_lost_again(void **state)
{
	struct mkfab m = tree();

	(void)state;
	mk_ca(m, 0x99, "stray", 1);
	cable(m, clos_spine(1), 5, 0x99, 1);
	WITHOUT(m, NULL, "warning leaf02: leaf02 keeps 2 of 3 uplinks: 200 of 300 Gb/s are left\n",
	        { clos_leaf(1), clos_up(&four, 0, 0) });
}

static void the_last_manager_is_critical_and_any_other_is_said(void **state)
{
	struct mkfab m = with_manager(clos_host(&four, 0, 0));

	(void)state;
	WITHOUT(m, NULL,
	        "critical fabric: 2 of 8 hosts are cut off: host[01-02]\n"
	        "critical host01 mlx5_0/1: the subnet manager is cut off, and there is no other "
	        "that would "
	        "take over\n",
	        { clos_leaf(0), 0 });
	m = with_manager(clos_host(&four, 0, 0));
	mk_sm(m, clos_host(&four, 2, 0), 5, IBC_SM_STANDBY);
	WITHOUT(m, NULL,
	        "critical fabric: 2 of 8 hosts are cut off: host[01-02]\n"
	        "info host01 mlx5_0/1: the master subnet manager is cut off; host05 mlx5_0/1 takes "
	        "over\n",
	        { clos_leaf(0), 0 });
	m = with_manager(clos_host(&four, 0, 0));
	mk_sm(m, clos_host(&four, 2, 0), 5, IBC_SM_STANDBY);
	WITHOUT(m, NULL,
	        "critical fabric: 1 of 8 hosts is cut off: host05\n"
	        "info host05 mlx5_0/1: a standby subnet manager is cut off; no other stands by\n",
	        { clos_host(&four, 2, 0), 1 });
	m = with_manager(clos_host(&four, 0, 0));
	WITHOUT(m, NULL, "critical fabric: 1 of 8 hosts is cut off: host03\n",
	        { clos_host(&four, 1, 0), 0 });
}

/* The LID of the master is known, and no SMInfo: another may stand by. */
static void where_managers_were_not_read_it_is_unknown_whether_one_stays(void **state)
{
	struct mkfab m = tree();

	(void)state;
	for (unsigned int l = 0; l < 4; l++)
		for (unsigned int i = 0; i < 2; i++)
			port(m, clos_host(&four, l, i), 1)->sm_lid = (uint16_t)clos_host(&four, 3,
			                                                                 1);
	WITHOUT(m, NULL,
	        "critical fabric: 1 of 8 hosts is cut off: host08\n"
	        "unknown host08 mlx5_0/1: the subnet manager is cut off, and whether another would "
	        "take "
	        "over was not read\n",
	        { clos_host(&four, 3, 1), 0 });
}

/* Of the ports of a switch port 0 alone has LIDs; what others have there means nothing
 * (IBA 14.2.5.6). */
static void lids_of_other_ports_of_a_switch_name_no_manager(void **state)
{
	struct mkfab m = with_manager(clos_host(&four, 0, 0));

	(void)state;
	for (unsigned int num = 1; num <= 5; num++) {
		mk_active(port(m, clos_leaf(1), num));
		port(m, clos_leaf(1), num)->lid = port(m, clos_leaf(1), num)->sm_lid = 1;
	}
	mk_sm(m, clos_host(&four, 2, 0), 5, IBC_SM_STANDBY);
	WITHOUT(m, NULL, "critical fabric: 2 of 8 hosts are cut off: host[03-04]\n",
	        { clos_leaf(1), 0 });
}

/* Of a file of cables: a switch can have one, and with a cable alone none goes. */
static void where_no_manager_is_known_a_switch_may_have_the_last_one(void **state)
{
	struct ibc_port *p;
	struct mkfab m;

	(void)state;
	for (unsigned int k = 0; k < 2; k++) {
		m = tree();
		for (unsigned int l = 0; l < 4; l++)
			port(m, clos_leaf(l), 0)->sm_lid = 0;
		for (unsigned int l = 0; l < 3; l++)
			port(m, clos_spine(l), 0)->sm_lid = 0;
		for (unsigned int l = 0; l < 4; l++)
			for (unsigned int i = 0; i < 2; i++) {
				p = port(m, clos_host(&four, l, i), 1);
				p->sm_lid = 0;
			}
		if (!k)
			WITHOUT(
			    m, NULL,
			    "warning leaf01: leaf01 keeps 2 of 3 uplinks; 4 leaf switches lose "
			    "some: 800 of 1200 Gb/s are left\n"
			    "unknown fabric: where the subnet manager runs is not known: it can "
			    "be on a switch that is cut off\n",
			    { clos_spine(0), 0 });
		else
			WITHOUT(m, NULL,
			        "warning leaf02: leaf02 keeps 2 of 3 uplinks: 200 of 300 Gb/s are "
			        "left\n"
			        "warning fabric: OpenSM with -R ftree would fall back to minhop: "
			        "leaf02 has 2 switches above it, others of its tier have 3\n"
			        "info fabric: where the subnet manager runs is not known\n",
			        { clos_leaf(1), clos_up(&four, 0, 0) });
	}
}

/* Where two call themselves master, one stays. */
static void of_two_masters_one_takes_over(void **state)
{
	struct mkfab m = with_manager(clos_host(&four, 0, 0));

	(void)state;
	mk_sm(m, clos_host(&four, 2, 0), 5, IBC_SM_MASTER);
	WITHOUT(m, NULL,
	        "critical fabric: 1 of 8 hosts is cut off: host05\n"
	        "info host05 mlx5_0/1: the master subnet manager is cut off; host01 mlx5_0/1 takes "
	        "over\n",
	        { clos_host(&four, 2, 0), 0 });
}

static void a_manager_on_a_switch_goes_with_it(void **state)
{
	struct mkfab m = tree();

	(void)state;
	mk_sm_at(m, port(m, clos_spine(2), 0), 10, IBC_SM_MASTER);
	WITHOUT(m, NULL,
	        "warning leaf01: leaf01 keeps 2 of 3 uplinks; 4 leaf switches lose some: 800 of "
	        "1200 Gb/s are left\n"
	        "critical spine03/0: the subnet manager is cut off, and there is no other that "
	        "would take over\n",
	        { clos_spine(2), 0 });
}

static void a_host_that_keeps_a_port_loses_bandwidth(void **state)
{
	struct mkfab m = tree();

	(void)state;
	mk_ca(m, 0x99, "host01 mlx5_1", 1);
	cable(m, clos_leaf(3), 7, 0x99, 1);
	WITHOUT(m, NULL, "warning fabric: 1 host loses some of its ports: host01\n", { 0x99, 1 });
}

/* In no tier, or between two of one: no uplink of any switch, and it carries packets. */
static void a_cable_beside_the_tree_is_bandwidth(void **state)
{
	struct mkfab m = tree();

	(void)state;
	cable(m, clos_leaf(0), 7, clos_leaf(1), 7);
	WITHOUT(m, NULL,
	        "warning leaf01: leaf01 keeps 3 of 4 cables to other switches; 2 switches lose "
	        "some: 600 of 800 Gb/s are left\n",
	        { clos_leaf(0), 7 });
}

/* A rate that was not read at one end is known of the other; of none it is no 0. */
static void a_rate_that_was_not_read_is_in_no_sum(void **state)
{
	struct mkfab m = tree();

	(void)state;
	answers_put(port(m, clos_leaf(1), clos_up(&four, 0, 0)), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	WITHOUT(m, NULL,
	        "warning leaf02: leaf02 keeps 2 of 3 uplinks: 200 of 300 Gb/s are left\n"
	        "warning fabric: OpenSM with -R ftree would fall back to minhop: spine02 has 3 "
	        "switches below it, others of its tier have 4\n",
	        { clos_leaf(1), clos_up(&four, 1, 0) });
	m = tree();
	answers_put(port(m, clos_leaf(1), clos_up(&four, 0, 0)), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	answers_put(port(m, clos_spine(0), clos_down(&four, 1, 0)), IBC_ATTR_PORT_INFO,
	            ANSWER_NONE);
	WITHOUT(m, NULL,
	        "warning leaf02: leaf02 keeps 2 of 3 uplinks\n"
	        "warning fabric: OpenSM with -R ftree would fall back to minhop: spine02 has 3 "
	        "switches below it, others of its tier have 4\n",
	        { clos_leaf(1), clos_up(&four, 1, 0) });
}

static void a_host_whose_port_did_not_answer_is_cut_off_all_the_same(void **state)
{
	struct mkfab m = tree();

	(void)state;
	answers_put(port(m, clos_host(&four, 1, 0), 1), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	WITHOUT(m, NULL, "critical fabric: 2 of 8 hosts are cut off: host[03-04]\n",
	        { clos_leaf(1), 0 });
}

/* One image on two hosts: neither keeps the HCA of the other. */
static void hosts_of_one_name_do_not_stand_in_for_each_other(void **state)
{
	struct mkfab m = tree();

	(void)state;
	mk_ca(m, 0x98, "copy mlx5_0", 1);
	mk_ca(m, 0x99, "copy mlx5_0", 1);
	cable(m, clos_leaf(2), 7, 0x98, 1);
	cable(m, clos_leaf(3), 7, 0x99, 1);
	WITHOUT(m, NULL, "critical fabric: 1 of 10 hosts is cut off: copy\n", { 0x99, 1 });
}

static void what_a_leaf_lacks_already_is_said_and_what_goes_is_not(void **state)
{
	static const struct clos large = { .leaves = 6, .spines = 4, .hosts = 2, .cables = 1 };
	struct ibc_port *low, *high;
	struct mkfab m = mkfab();

	(void)state;
	mk_clos(m, &large);
	low = port(m, clos_leaf(2), clos_up(&large, 0, 0));
	high = port(m, clos_spine(0), clos_down(&large, 2, 0));
	low->peer = high->peer = NULL;
	mk_down(low);
	mk_down(high);
	WITHOUT(m, "fattree",
	        "warning leaf03: leaf03 keeps 2 of 3 uplinks: 200 of 300 Gb/s are left\n"
	        "warning leaf03/3 - spine01/3: leaf03 keeps 2 of 3 uplinks, and this is wrong "
	        "already: is missing: both of its ports are Polling; leaf03 has 3 of its 4 uplinks "
	        "(fattree.missing-uplink)\n",
	        { clos_leaf(2), clos_up(&large, 1, 0) });
}

/* A leaf that has no entry for a host: its hosts do not reach that one. */
static void routes_of_the_rest_that_lead_nowhere_are_as_severe_as_today(void **state)
{
	const struct thing spine = { clos_spine(0), 0 };
	struct mkfab m = mkfab();
	struct fabric_forwarding *f;
	struct ibc_report *after, *rep;
	struct ibc_routes *routes;
	struct ibc_fabric *fab;
	char *text;

	(void)state;
	mk_clos(m, &four);
	f = mk_d_mod_k(m, &four);
	*mk_entry(f, clos_leaf(0), (unsigned int)clos_host(&four, 1, 0)) = IBC_NO_ENTRY;
	fab = done(m);
	assert_int_equal(ibc_routes_analyze(fab, NULL, &routes, NULL), 0);
	assert_int_equal(ibc_report_new(&after, NULL), 0);
	assert_int_equal(ibc_check_run(&(struct ibc_input){ .fabric = fab, .routes = routes },
	                               "routes.unreachable", after, NULL),
	                 0);
	assert_int_equal(ibc_report_finish(after, NULL), 0);
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(judge(fab, &spine, 1, NULL, after, rep), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	text = findings_text(rep);
	assert_non_null(strstr(text,
	                       "critical leaf01: with the routes that OpenSM makes of what is "
	                       "left: "));
	assert_non_null(strstr(text, " (routes.unreachable)\n"));
	free(text);
	ibc_report_free(rep);
	ibc_report_free(after);
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

static void no_memory_is_an_error(void **state)
{
	struct ibc_fabric *fab = done(with_manager(clos_host(&four, 0, 0)));
	const struct thing leaf = { clos_leaf(0), 0 };
	struct ibc_report *rep;
	unsigned long n = 0;
	int rc;

	(void)state;
	do {
		assert_int_equal(ibc_report_new(&rep, NULL), 0);
		alloc_fail_at(++n);
		rc = judge(fab, &leaf, 1, NULL, NULL, rep);
		rc = rc ?: ibc_report_finish(rep, NULL);
		alloc_fail_at(0);
		assert_true(!rc || rc == -ENOMEM);
		ibc_report_free(rep);
	} while (rc);
	assert_true(n > 20);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_that_go_are_critical),
		cmocka_unit_test(a_spine_is_bandwidth_and_no_host),
		cmocka_unit_test(an_uplink_that_breaks_symmetry_ends_ftree),
		cmocka_unit_test(ftree_that_is_lost_today_is_not_lost_again),
		cmocka_unit_test(the_last_manager_is_critical_and_any_other_is_said),
		cmocka_unit_test(where_managers_were_not_read_it_is_unknown_whether_one_stays),
		cmocka_unit_test(where_no_manager_is_known_a_switch_may_have_the_last_one),
		cmocka_unit_test(of_two_masters_one_takes_over),
		cmocka_unit_test(lids_of_other_ports_of_a_switch_name_no_manager),
		cmocka_unit_test(a_manager_on_a_switch_goes_with_it),
		cmocka_unit_test(a_host_that_keeps_a_port_loses_bandwidth),
		cmocka_unit_test(a_cable_beside_the_tree_is_bandwidth),
		cmocka_unit_test(a_rate_that_was_not_read_is_in_no_sum),
		cmocka_unit_test(a_host_whose_port_did_not_answer_is_cut_off_all_the_same),
		cmocka_unit_test(hosts_of_one_name_do_not_stand_in_for_each_other),
		cmocka_unit_test(what_a_leaf_lacks_already_is_said_and_what_goes_is_not),
		cmocka_unit_test(routes_of_the_rest_that_lead_nowhere_are_as_severe_as_today),
		cmocka_unit_test(no_memory_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
