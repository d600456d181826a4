/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rates/waits.h"
#include "base/arena.h"
#include "mkcount.h"

#define LEAF01  1
#define LEAF02  2
#define SPINE01 3
#define SPINE02 4

/* Two leaves with two hosts each, on ports 1 and 2; port 4 to spine01, 5 to spine02. */
static struct mkfab mk_tree(void)
{
	struct mkfab m = mkfab();
	char name[32];

	mk_switch(m, LEAF01, "leaf01", 6);
	mk_switch(m, LEAF02, "leaf02", 6);
	mk_switch(m, SPINE01, "spine01", 6);
	mk_switch(m, SPINE02, "spine02", 6);
	for (unsigned int i = 1; i <= 4; i++) {
		snprintf(name, sizeof(name), "host%02u mlx5_0", i);
		mk_ca(m, host(i), name, 1);
		cable(m, i <= 2 ? LEAF01 : LEAF02, 1 + (i - 1) % 2, host(i), 1);
	}
	for (unsigned int leaf = LEAF01; leaf <= LEAF02; leaf++) {
		cable(m, leaf, 4, SPINE01, leaf);
		cable(m, leaf, 5, SPINE02, leaf);
	}
	return m;
}

static struct pair trees(void)
{
	return mk_pair(mk_tree(), mk_tree());
}

/* ---- the graph ---- */

static void nobody_waits_in_a_quiet_fabric(void **state)
{
	struct pair s = trees();
	struct ibc_fabric *before, *now;
	struct arena *a = arena_new();
	size_t n;

	(void)state;
	load(s, LEAF01, 1, 80, 0.5);
	before = done(s.before);
	now = done(s.now);
	waits_find(a, a, before, now, &n);
	assert_int_equal(n, 0);
	arena_free(a);
	ibc_fabric_free(before);
	ibc_fabric_free(now);
}

static void a_slow_receiver_is_named_with_all_that_wait_for_it(void **state)
{
	struct pair s = trees();
	struct ibc_report *rep;
	const struct ibc_finding *f;

	(void)state;
	load(s, LEAF02, 1, 10, 40);  /* to host03 */
	load(s, SPINE01, 2, 15, 30); /* to leaf02 */
	load(s, LEAF01, 4, 15, 25);  /* to spine01 */
	load(s, host(1), 1, 15, 20); /* to leaf01 */
	load(s, LEAF01, 1, 50, 0);   /* to host01: does not wait */
	rep = report_of_pair(s, "counters", NULL);
	f = ibc_report_finding(rep, 0);
	assert_string_equal(f->check, "counters.slow-receiver");
	assert_int_equal(f->num_related, 3);
	for (size_t i = 0; i < f->num_related; i++)
		assert_int_equal(f->related[i].role, IBC_ROLE_VICTIM);
	assert_non_null(strstr(f->advice, "host03"));
	expect_of(
	    rep,
	    "critical leaf02/1 - host03 mlx5_0/1: host03 is a slow receiver: leaf02/1 waits 40 % "
	    "of the time at 10 % utilization; 3 ports wait behind it, up to 40 % of the time\n");
}

static void less_than_the_limit_is_no_finding(void **state)
{
	struct pair s = trees();

	(void)state;
	load(s, LEAF02, 1, 10, 4.9);
	expect_pair(s, "counters", "");
	s = trees();
	load(s, LEAF02, 1, 10, 5.1);
	expect_pair(s, "counters",
	            "warning leaf02/1 - host03 mlx5_0/1: host03 is a slow receiver: leaf02/1 waits "
	            "5 % of the time at 10 % utilization\n");
}

static void a_full_link_to_a_host_is_incast(void **state)
{
	struct pair s = trees();

	(void)state;
	load(s, LEAF02, 1, 97, 2);
	load(s, SPINE01, 2, 40, 12);
	load(s, host(4), 1, 40, 10);
	expect_pair(s, "counters",
	            "warning leaf02/1 - host03 mlx5_0/1: the link to host03 is full (97 %); 2 "
	            "ports wait behind it, up to 12 % of the time\n");
}

static void a_busy_link_that_nobody_waits_for_is_none_of_our_business(void **state)
{
	struct pair s = trees();

	(void)state;
	load(s, LEAF02, 1, 99, 0);
	load(s, LEAF01, 4, 99, 0);
	expect_pair(s, "counters", "");
}

static void a_link_slower_than_its_siblings_is_named(void **state)
{
	struct pair s = trees();

	(void)state;
	port(s.now, LEAF01, 4)->width_active = IBC_WIDTH_1X;
	load(s, LEAF01, 4, 24, 0.25); /* of 25 Gb/s: 96 % */
	load(s, host(1), 1, 12, 30);
	expect_pair(s, "counters",
	            "critical leaf01/4 - spine01/1: runs at 25 Gb/s, its siblings at 100 Gb/s; 1 "
	            "port waits behind it, up to 30 % of the time\n");
}

static void a_link_that_trained_again_is_named(void **state)
{
	struct pair s = trees();

	(void)state;
	load(s, LEAF01, 4, 24, 7);
	count(s.now, SPINE01, 1, IBC_LINK_ERROR_RECOVERY, 2);
	expect_pair(s, "counters.congestion",
	            "warning leaf01/4 - spine01/1: the link retrained while leaf01/4 waited 7 % of "
	            "the time\n");
}

static void a_full_link_beside_idle_ones_is_a_matter_of_routes(void **state)
{
	struct pair s = trees();

	(void)state;
	load(s, LEAF01, 4, 95, 3);
	load(s, LEAF01, 5, 20, 0);
	load(s, host(1), 1, 50, 12);
	expect_pair(s, "counters",
	            "warning leaf01/4 - spine01/1: is full (95 %), while 1 sibling link is at 20 "
	            "%; 1 port waits behind it, up to 12 % of the time\n");
}

static const struct ibc_ar_info on = { .flags = IBC_AR_ENABLED, .group_cap = 64 },
				off = { .group_cap = 64 };

/* The same link, where spines route adaptively, and leaf01 as it says. */
static void expect_adaptive(const struct ibc_ar_info *leaf, const char *words)
{
	struct pair s = trees();
	char text[256];

	fabric_build_find(s.now.b, s.now.subnet, SPINE01)->ar = &on;
	fabric_build_find(s.now.b, s.now.subnet, LEAF01)->ar = leaf;
	load(s, LEAF01, 4, 95, 3);
	load(s, LEAF01, 5, 20, 0);
	load(s, host(1), 1, 50, 12);
	snprintf(text, sizeof(text),
	         "warning leaf01/4 - spine01/1: is full (95 %%), while 1 sibling link is at 20 "
	         "%%: switches here route adaptively, %s; 1 port waits behind it, up to 12 %% of "
	         "the time\n",
	         words);
	expect_pair(s, "counters", text);
}

static void where_switches_route_adaptively_it_is_not_a_matter_of_tables(void **state)
{
	(void)state;
	expect_adaptive(&on, "so does leaf01, but not this traffic");
	expect_adaptive(&off, "leaf01 does not");
	expect_adaptive(NULL, "leaf01 does not report whether it does");
}

static void full_links_side_by_side_are_too_few(void **state)
{
	struct pair s = trees();

	(void)state;
	load(s, LEAF01, 4, 95, 3);
	load(s, LEAF01, 5, 94, 3);
	load(s, host(1), 1, 50, 12);
	expect_pair(s, "counters",
	            "warning leaf01/4 - spine01/1: is full (95 %), and so are its siblings; 1 port "
	            "waits behind it, up to 12 % of the time\n");
}

/* leaf01 has lost its second uplink; leaf02 uses both of its own so much. */
static void expect_fewer(const struct ibc_ar_info *ar, unsigned int percent, bool other_model,
                         const char *words)
{
	struct pair s = trees();
	char text[256];

	for (int i = 0; i < 2; i++) {
		struct mkfab m = i ? s.now : s.before;

		port(m, LEAF01, 5)->peer = port(m, SPINE02, LEAF01)->peer = NULL;
	}
	fabric_build_find(s.now.b, s.now.subnet, LEAF01)->ar = ar;
	fabric_build_find(s.now.b, s.now.subnet, LEAF02)->device_id += other_model;
	load(s, LEAF01, 4, 95, 3);
	load(s, LEAF02, 4, percent, 0);
	load(s, LEAF02, 5, percent, 0);
	load(s, host(1), 1, 50, 12);
	snprintf(
	    text, sizeof(text),
	    "warning leaf01/4 - spine01/1: is full (95 %%), %s; 1 port waits behind it, up to 12 "
	    "%% of the time\n",
	    words);
	expect_pair(s, "counters", text);
}

static void a_group_with_fewer_uplinks_than_others_is_too_small(void **state)
{
	(void)state;
	expect_fewer(
	    &on, 30, false,
	    "as all uplinks of leaf01, which has 1: most like switches have 2 or more, at 30 %");
	expect_fewer(&on, 80, false, "and so are its siblings");
	expect_fewer(NULL, 30, false, "and so are its siblings");
	expect_fewer(&on, 30, true, "and so are its siblings");
}

/* Two planes, a leaf each; the second host has both of them, or the first alone. */
static struct mkfab mk_planes(bool both)
{
	struct mkfab m = mkfab();

	mk_switch(m, LEAF01, "leaf01", 4);
	mk_switch(m, LEAF02, "leaf02", 4);
	for (unsigned int h = 1; h <= 3; h++) {
		mk_ca(m, host(h), h == 2 ? "host02 mlx5_0" : "host01 mlx5_0", 2)->max_planes = 2;
		cable(m, LEAF01, h, host(h), 1);
		if (both || h != 2)
			cable(m, LEAF02, h, host(h), 2);
	}
	return m;
}

/* So much goes over the other plane to the host; 0: it has no link there. */
static void expect_plane(unsigned int percent, const char *words)
{
	struct pair s = mk_pair(mk_planes(percent), mk_planes(percent));
	char text[256];

	load(s, LEAF01, 2, 95, 3);
	if (percent)
		load(s, LEAF02, 2, percent, 0);
	load(s, host(1), 1, 50, 12);
	snprintf(
	    text, sizeof(text),
	    "warning leaf01/2 - host02 mlx5_0/1: is full (95 %%): %s; 1 port waits behind it, up "
	    "to 12 %% of the time\n",
	    words);
	expect_pair(s, "counters", text);
}

static void one_plane_that_is_full_has_lost_another(void **state)
{
	(void)state;
	expect_plane(20, "the other planes are at 20 %");
	expect_plane(0, "1 of 2 planes of host02 has no link");
}

static void what_is_held_up_by_nothing_we_see_is_said_to_be(void **state)
{
	struct pair s = trees();

	(void)state;
	load(s, LEAF01, 4, 15, 25);
	expect_pair(s, "counters",
	            "critical leaf01/4 - spine01/1: leaf01/4 waits 25 % of the time for spine01, "
	            "none of whose ports is known to wait\n");
}

static void what_comes_down_is_not_taken_to_go_up_again(void **state)
{
	struct pair s = trees();
	struct ibc_report *rep;

	(void)state;
	load(s, SPINE01, 2, 15, 30); /* down to leaf02 */
	load(s, LEAF02, 5, 15, 30);  /* up to spine02 */
	load(s, SPINE02, 1, 15, 30); /* down to leaf01 */
	load(s, LEAF01, 4, 15, 30);  /* up to spine01 */
	rep = report_of_pair(s, "counters", NULL);
	assert_int_equal(ibc_report_count(rep, IBC_CRITICAL), 2); /* two ends, no ring */
	ibc_report_free(rep);
}

/* Three switches in a ring, each sending to the next from port 2 to port 1. */
static struct mkfab mk_ring(void)
{
	struct mkfab m = mkfab();
	char name[32];

	for (unsigned int i = 1; i <= 3; i++) {
		snprintf(name, sizeof(name), "ring%02u", i);
		mk_switch(m, i, name, 4);
		snprintf(name, sizeof(name), "host%02u mlx5_0", i);
		mk_ca(m, host(i), name, 1);
		cable(m, i, 3, host(i), 1);
	}
	for (unsigned int i = 1; i <= 3; i++)
		cable(m, i, 2, i % 3 + 1, 1);
	return m;
}

static void a_ring_in_which_nothing_moves_is_a_credit_loop(void **state)
{
	struct pair s = mk_pair(mk_ring(), mk_ring());
	struct ibc_report *rep;
	const struct ibc_finding *f;
	size_t victims = 0;

	(void)state;
	for (unsigned int i = 1; i <= 3; i++)
		load(s, i, 2, 0, 98 - i);
	load(s, host(2), 1, 0, 60);
	rep = report_of_pair(s, "counters", NULL);
	f = ibc_report_finding(rep, 0);
	for (size_t i = 0; i < f->num_related; i++)
		victims += f->related[i].role == IBC_ROLE_VICTIM;
	assert_int_equal(f->num_related, 3);
	assert_int_equal(victims, 1);
	expect_of(
	    rep, "critical ring01/2 - ring02/1: switches wait for each other in a ring and no data "
		 "moves: probably a credit loop; 1 port waits behind it, up to 97 % of the time\n");
}

static void a_ring_in_which_data_moves_is_none(void **state)
{
	struct pair s = mk_pair(mk_ring(), mk_ring());

	(void)state;
	for (unsigned int i = 1; i <= 3; i++)
		load(s, i, 2, 30, 20 + i);
	expect_pair(s, "counters",
	            "critical ring01/1 - ring03/2: switches wait for each other in a ring; "
	            "ring03/2 waits most, 23 % of the time\n");
}

static void waiting_without_a_tick_is_ranked_not_evaluated(void **state)
{
	struct pair s = trees();
	struct ibc_report *rep;

	(void)state;
	answers_put(fabric_build_find(s.now.b, s.now.subnet, LEAF01), IBC_ATTR_PORT_SAMPLES_CONTROL,
	            ANSWER_NONE);
	load(s, LEAF01, 1, 1, 10);
	load(s, LEAF01, 2, 1, 50);
	rep = report_of_pair(s, "counters.congestion,counters.slow-receiver", NULL);
	assert_int_equal(ibc_report_finding(rep, 0)->num_related, 2);
	expect_of(rep, "info fabric: 2 ports reported PortXmitWait in ticks of unknown length, so "
	               "the share of time is not known; most ticks: leaf01/2\n");
}

static void where_no_wait_can_be_judged_congestion_is_unknown(void **state)
{
	struct pair s = trees();

	(void)state;
	load(s, LEAF01, 1, 1, 10);
	load(s, LEAF01, 2, 1, 50);
	for (unsigned int i = 1; i <= 8; i++) {
		struct ibc_node *node = fabric_build_find(s.now.b, s.now.subnet,
		                                          i <= SPINE02 ? i : host(i - SPINE02));

		for (unsigned int num = 1; num <= node->num_ports; num++)
			fabric_build_port(node, num)->speed_active = 0;
	}
	expect_pair(s, "counters.congestion",
	            "unknown fabric: 2 ports reported PortXmitWait in ticks of unknown length, so "
	            "the share of time is not known; most ticks: leaf01/2\n");
}

static void the_limits_are_those_of_the_configuration(void **state)
{
	struct ibc_config *config;
	struct pair s = trees();

	(void)state;
	assert_int_equal(ibc_config_new(&config, NULL), 0);
	assert_int_equal(ibc_config_set(config, "counters.slow-receiver", "critical", "off", NULL),
	                 0);
	assert_int_equal(
	    ibc_config_set(config, "counters.slow-receiver", "warning.switch", "50", NULL), 0);
	load(s, LEAF02, 1, 10, 40);
	expect_of(report_of_pair(s, "counters", config), "");
	ibc_config_free(config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_waits_in_a_quiet_fabric),
		cmocka_unit_test(a_slow_receiver_is_named_with_all_that_wait_for_it),
		cmocka_unit_test(less_than_the_limit_is_no_finding),
		cmocka_unit_test(a_full_link_to_a_host_is_incast),
		cmocka_unit_test(a_busy_link_that_nobody_waits_for_is_none_of_our_business),
		cmocka_unit_test(a_link_slower_than_its_siblings_is_named),
		cmocka_unit_test(a_link_that_trained_again_is_named),
		cmocka_unit_test(a_full_link_beside_idle_ones_is_a_matter_of_routes),
		cmocka_unit_test(where_switches_route_adaptively_it_is_not_a_matter_of_tables),
		cmocka_unit_test(full_links_side_by_side_are_too_few),
		cmocka_unit_test(a_group_with_fewer_uplinks_than_others_is_too_small),
		cmocka_unit_test(one_plane_that_is_full_has_lost_another),
		cmocka_unit_test(what_is_held_up_by_nothing_we_see_is_said_to_be),
		cmocka_unit_test(what_comes_down_is_not_taken_to_go_up_again),
		cmocka_unit_test(a_ring_in_which_nothing_moves_is_a_credit_loop),
		cmocka_unit_test(a_ring_in_which_data_moves_is_none),
		cmocka_unit_test(waiting_without_a_tick_is_ranked_not_evaluated),
		cmocka_unit_test(where_no_wait_can_be_judged_congestion_is_unknown),
		cmocka_unit_test(the_limits_are_those_of_the_configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
