/* SPDX-License-Identifier: BSD-2-Clause */
/* Which node is which, by what it carries: a GUID, a name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkmatch.h"

/* ---- GUIDs ---- */

static void a_guid_wins_over_a_name(void **state)
{
	struct mkfab planned = mkfab(), found = mkfab();
	struct matched t;

	(void)state;
	mk_switch(planned, 1, "leaf01", 4);
	mk_switch(planned, 2, "leaf02", 4);
	mk_switch(found, 1, "leaf02", 4);
	mk_switch(found, 2, "leaf01", 4);
	t = matched(done(planned), done(found));
	assert_pair(&t, "leaf01", "leaf02", MATCH_GUID);
	assert_pair(&t, "leaf02", "leaf01", MATCH_GUID);
	matched_free(&t);
}

static void a_guid_of_another_type_is_another_node(void **state)
{
	struct mkfab planned = mkfab(), found = mkfab();
	struct matched t;

	(void)state;
	mk_switch(planned, 1, "leaf01", 4);
	mk_ca(found, 1, "host01 mlx5_0", 1);
	t = matched(done(planned), done(found));
	assert_nobody(&t, "leaf01");
	matched_free(&t);
}

static void a_made_up_guid_says_nothing(void **state)
{
	struct mkfab planned = mkfab(), found = mkfab();
	struct matched t;

	(void)state;
	mk_named(planned, 1, IBC_NODE_SWITCH, "leaf01", 4);
	mk_named(planned, 2, IBC_NODE_SWITCH, "leaf02", 4);
	mk_switch(found, 1, "leaf02", 4);
	t = matched(done(planned), done(found));
	assert_nobody(&t, "leaf01");
	assert_pair(&t, "leaf02", "leaf02", MATCH_NAME);
	matched_free(&t);
}

static void a_guid_that_two_devices_carry_is_left_to_their_names(void **state)
{
	struct mkfab planned = mkfab(), found = mkfab();
	struct matched t;

	(void)state;
	mk_switch(planned, 1, "leaf01", 4);
	mk_switch(found, 1, "leaf01", 4);
	mk_switch(found, 1, "leaf02", 4);
	t = matched(done(planned), done(found));
	assert_pair(&t, "leaf01", "leaf01", MATCH_NAME);
	matched_free(&t);
}

/* An HCA with a port in each of two subnets: one GUID, seen twice. */
static void a_guid_in_two_subnets_is_a_node_in_each(void **state)
{
	struct mkfab planned = mkfab(), found = mkfab();
	struct matched t;

	(void)state;
	mk_switch(planned, 10, "left", 4);
	mk_ca(planned, 1, "host01 mlx5_0", 2);
	planned = mk_subnet(planned, "two");
	mk_switch(planned, 11, "right", 4);
	mk_ca(planned, 1, "host01 mlx5_0", 2);
	mk_switch(found, 11, "right", 4); /* swept in the other order */
	mk_ca(found, 1, "host01 mlx5_0", 2);
	found = mk_subnet(found, "two");
	mk_switch(found, 10, "left", 4);
	mk_ca(found, 1, "host01 mlx5_0", 2);
	t = matched(done(planned), done(found));
	assert_int_equal(t.m.found_of[0], 1);
	assert_int_equal(t.m.found_of[1], 0);
	assert_int_equal(t.m.how[0], MATCH_GUID);
	assert_false(t.m.unclear[0]);
	matched_free(&t);
}

/* ---- names ---- */

/* A plan of one named node against one found node: are they the same? */
static bool same(const char *plan, const char *desc, enum ibc_node_type type)
{
	struct mkfab planned = mkfab(), found = mkfab();
	struct matched t;
	bool is;

	mk_named(planned, 1, IBC_NODE_SWITCH, plan, 4);
	mk_node(found, 7, type, desc, 4);
	mk_switch(found, 8, "another", 4);
	t = matched(done(planned), done(found));
	is = t.m.found_of[0] == 0;
	assert_int_equal(t.m.how[0], is ? MATCH_NAME : MATCH_NOT);
	matched_free(&t);
	return is;
}

static void a_host_is_known_by_any_usual_spelling(void **state)
{
	static const char *const plans[] = {
		"node01 mlx5_0",   "node01/mlx5_0",    "node01:mlx5_0",
		"node01-mlx5_0",   "node01_mlx5_0",    "node01.mlx5_0",
		"node01 HCA-1",    "node01/HCA-1",     "node01-hca-1",
		"NODE01 mlx5_0",   "node01",           "Node01",
		"node01.site.org", " node01  mlx5_0 ", "node01.site mlx4_0",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
		assert_true(same(plans[i], "node01 mlx5_0", IBC_NODE_CA));
		assert_true(same(plans[i], "node01 HCA-1", IBC_NODE_CA));
	}
	assert_true(same("node01", "node01.site.org mlx5_0", IBC_NODE_CA));
	assert_true(same("node01 HCA-2", "node01.site.org mlx5_1", IBC_NODE_CA));
	assert_true(same("node01.site.org", "node01.site.org mlx5_0", IBC_NODE_CA));
	assert_true(same("node01/ibp65s0", "node01 ibp65s0", IBC_NODE_CA));
	assert_true(same("10.0.0.1", "10.0.0.1 mlx5_0", IBC_NODE_CA));
}

static void another_host_is_not_known(void **state)
{
	(void)state;
	assert_false(same("node02", "node01 mlx5_0", IBC_NODE_CA));
	assert_false(same("node01.east mlx5_0", "node01.west mlx5_0", IBC_NODE_CA));
	assert_false(same("10.0.0.2 mlx5_0", "10.0.0.1 mlx5_0", IBC_NODE_CA));
	assert_false(same("node01.east", "node01.west mlx5_0", IBC_NODE_CA));
	assert_false(same("node-1", "node-2", IBC_NODE_CA));
	assert_false(same("node", "node-1", IBC_NODE_CA));
}

static void a_switch_is_known_by_the_name_inside_its_description(void **state)
{
	(void)state;
	assert_true(same("leaf01", "MF0;leaf01:MQM8700/U1", IBC_NODE_SWITCH));
	assert_true(same("LEAF01", "MF0;leaf01:MQM8700/U1", IBC_NODE_SWITCH));
	assert_true(same("leaf01/U1", "leaf01", IBC_NODE_SWITCH));
	assert_true(same("core1/L01", "MF0;core1:CS7500/L01/U1", IBC_NODE_SWITCH));
	assert_true(same("core1/L01/U1", "MF0;core1:CS7500/L01/U1", IBC_NODE_SWITCH));
	assert_true(same("core1/L1/U2", "MF0;core1:CS7500/L01/U2", IBC_NODE_SWITCH));
	assert_false(same("core1", "MF0;core1:CS7500/L01/U1", IBC_NODE_SWITCH));
	assert_false(same("leaf01", "node01 mlx5_0", IBC_NODE_SWITCH));
}

static void what_nobody_has_named_has_no_name(void **state)
{
	static const char *const texts[] = { "MT4119 ConnectX5   Mellanox Technologies",
		                             "Mellanox Technologies Aggregation Node",
		                             "localhost mlx5_0", "localhost", "" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_false(same(texts[i], texts[i], IBC_NODE_CA));
}

static void a_name_longer_than_any_is_none(void **state)
{
	char name[2 * 256];

	(void)state;
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	assert_false(same(name, name, IBC_NODE_CA));
}

static void a_host_alone_means_its_only_hca(void **state)
{
	struct mkfab planned = mkfab(), found = mkfab();
	struct matched t;

	(void)state;
	mk_named(planned, 1, IBC_NODE_CA, "node01", 1);
	mk_named(planned, 2, IBC_NODE_CA, "node02", 1);
	mk_ca(found, 1, "node01 mlx5_3", 1);
	mk_ca(found, 2, "node02 mlx5_0", 1);
	mk_ca(found, 3, "node02 mlx5_1", 1);
	t = matched(done(planned), done(found));
	assert_pair(&t, "node01", "node01 mlx5_3", MATCH_NAME);
	assert_nobody(&t, "node02");
	assert_true(is_unclear(&t, "node02"));
	assert_false(is_unclear(&t, "node01"));
	matched_free(&t);
}

static void hcas_of_a_host_are_told_by_their_index(void **state)
{
	struct mkfab planned = mkfab(), found = mkfab();
	struct matched t;

	(void)state;
	mk_named(planned, 1, IBC_NODE_CA, "node01 HCA-1", 1);
	mk_named(planned, 2, IBC_NODE_CA, "node01 HCA-2", 1);
	mk_ca(found, 1, "node01 mlx5_1", 1);
	mk_ca(found, 2, "node01 mlx5_0", 1);
	t = matched(done(planned), done(found));
	assert_pair(&t, "node01 HCA-1", "node01 mlx5_0", MATCH_NAME);
	assert_pair(&t, "node01 HCA-2", "node01 mlx5_1", MATCH_NAME);
	matched_free(&t);
}

static void hcas_called_by_their_slots_are_told_by_those(void **state)
{
	struct mkfab planned = mkfab(), found = mkfab();
	struct matched t;

	(void)state;
	mk_named(planned, 1, IBC_NODE_CA, "node01/ibp65s0", 1);
	mk_named(planned, 2, IBC_NODE_CA, "node01/ibp129s0", 1);
	mk_ca(found, 1, "node01 ibp129s0", 1);
	mk_ca(found, 2, "node01 ibp65s0", 1);
	t = matched(done(planned), done(found));
	assert_pair(&t, "node01/ibp65s0", "node01 ibp65s0", MATCH_NAME);
	assert_pair(&t, "node01/ibp129s0", "node01 ibp129s0", MATCH_NAME);
	matched_free(&t);
}

static void an_hca_that_is_gone_is_not_unclear(void **state)
{
	struct mkfab planned = mkfab(), found = mkfab();
	struct matched t;

	(void)state;
	mk_ca(planned, 1, "node01 mlx5_0", 1);
	mk_ca(planned, 2, "node01 mlx5_1", 1);
	mk_ca(found, 2, "node01 mlx5_1", 1);
	mk_ca(found, 3, "node02 mlx5_0", 1);
	t = matched(done(planned), done(found));
	assert_nobody(&t, "node01 mlx5_0");
	assert_false(is_unclear(&t, "node01 mlx5_0"));
	matched_free(&t);
}

static void a_name_that_fits_two_is_unclear(void **state)
{
	struct mkfab planned = mkfab(), found = mkfab();
	struct matched t;

	(void)state;
	mk_switch(planned, 1, "leaf01", 4);
	mk_switch(found, 2, "leaf01", 4);
	mk_switch(found, 3, "leaf01", 4);
	t = matched(done(planned), done(found));
	assert_nobody(&t, "leaf01");
	assert_true(is_unclear(&t, "leaf01"));
	matched_free(&t);
}

static void a_name_that_two_planned_ones_have_is_unclear(void **state)
{
	struct mkfab planned = mkfab(), found = mkfab();
	struct matched t;

	(void)state;
	mk_switch(planned, 2, "leaf01", 4);
	mk_switch(planned, 3, "leaf01", 4);
	mk_switch(found, 1, "leaf01", 4);
	t = matched(done(planned), done(found));
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(t.m.found_of[i], MATCH_NONE);
		assert_true(t.m.unclear[i]);
	}
	matched_free(&t);
}

static void the_map_counts_before_the_description(void **state)
{
	struct mkfab planned = mkfab(), found = mkfab();
	struct matched t;

	(void)state;
	mk_switch(planned, 1, "leaf01", 4);
	mk_switch(planned, 2, "old", 4);
	mk_switch(found, 11, "factory", 4);
	mk_switch(found, 12, "leaf01", 4);
	fabric_build_name(found.b, 11, "leaf01");
	fabric_build_name(found.b, 12, "leaf02");
	t = matched(done(planned), done(found));
	assert_pair(&t, "leaf01", "leaf01", MATCH_NAME);
	assert_nobody(&t, "old");
	matched_free(&t);
}

static void a_plan_of_descriptions_fits_a_fabric_with_a_map(void **state)
{
	struct mkfab planned = mkfab(), found = mkfab();
	struct matched t;

	(void)state;
	mk_switch(planned, 1, "sw-0815", 4);
	mk_switch(found, 11, "sw-0815", 4);
	fabric_build_name(found.b, 11, "leaf01");
	t = matched(done(planned), done(found));
	assert_pair(&t, "sw-0815", "leaf01", MATCH_NAME);
	matched_free(&t);
}

/* Each rail a subnet of its own, with switches called alike. */
static void a_name_in_each_subnet_is_a_node_in_each(void **state)
{
	struct mkfab planned = mkfab(), found = mkfab();
	struct matched t;

	(void)state;
	mk_switch(planned, 1, "leaf01", 4);
	mk_ca(planned, 2, "node01 mlx5_0", 1);
	planned = mk_subnet(planned, "two");
	mk_switch(planned, 3, "leaf01", 4);
	mk_ca(planned, 4, "node01 mlx5_1", 1);
	mk_switch(found, 11, "leaf01", 4);
	mk_ca(found, 12, "node01 mlx5_1", 1);
	found = mk_subnet(found, "two");
	mk_switch(found, 13, "leaf01", 4);
	mk_ca(found, 14, "node01 mlx5_0", 1);
	t = matched(done(planned), done(found));
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(t.m.found_of[i], (i + 2) % 4);
	matched_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_guid_wins_over_a_name),
		cmocka_unit_test(a_guid_of_another_type_is_another_node),
		cmocka_unit_test(a_made_up_guid_says_nothing),
		cmocka_unit_test(a_guid_that_two_devices_carry_is_left_to_their_names),
		cmocka_unit_test(a_guid_in_two_subnets_is_a_node_in_each),
		cmocka_unit_test(a_host_is_known_by_any_usual_spelling),
		cmocka_unit_test(another_host_is_not_known),
		cmocka_unit_test(a_switch_is_known_by_the_name_inside_its_description),
		cmocka_unit_test(what_nobody_has_named_has_no_name),
		cmocka_unit_test(a_name_longer_than_any_is_none),
		cmocka_unit_test(a_host_alone_means_its_only_hca),
		cmocka_unit_test(hcas_of_a_host_are_told_by_their_index),
		cmocka_unit_test(hcas_called_by_their_slots_are_told_by_those),
		cmocka_unit_test(an_hca_that_is_gone_is_not_unclear),
		cmocka_unit_test(a_name_that_fits_two_is_unclear),
		cmocka_unit_test(a_name_that_two_planned_ones_have_is_unclear),
		cmocka_unit_test(the_map_counts_before_the_description),
		cmocka_unit_test(a_plan_of_descriptions_fits_a_fabric_with_a_map),
		cmocka_unit_test(a_name_in_each_subnet_is_a_node_in_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
