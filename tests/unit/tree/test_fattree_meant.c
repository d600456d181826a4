/* SPDX-License-Identifier: BSD-2-Clause */
/* What deviates and is meant, or nobody can tell; spines that are not there, hosts on spines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "treetext.h"

/* ---- what is meant ---- */

static void service_leaves_in_one_block_are_told_a_line_each(void **state)
{
	static const struct tree_spec wide = { .leaves = 20, .spines = 10, .hosts = 10 };
	struct mktree t = mktree(&wide, 1);

	(void)state;
	for (unsigned int leaf = 4; leaf < 8; leaf++)
		for (unsigned int i = 4; i < 10; i++)
			leaf_uplink(&t, leaf, 11 + i)->gone = true;
	expect_told(&t, "irregular: leaf-0-0-0-6 (has 4 uplinks, similar switches have 10)\n"
	                "irregular: leaf-0-0-0-5 (has 4 uplinks, similar switches have 10)\n"
	                "irregular: leaf-0-0-0-7 (has 4 uplinks, similar switches have 10)\n"
	                "irregular: leaf-0-0-0-4 (has 4 uplinks, similar switches have 10)\n");
}

static void a_gateway_that_few_leaves_reach_condemns_nobody(void **state)
{
	struct mktree t = mktree(&two_levels, 1);
	unsigned int gateway = tree_switch(
	    &t, (struct tree_switch){ .tier = TIER_SPINE, .place = 9, .ports = 8, .guid = 0x9000 });

	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		tree_link(&t, free_port(&t, tree_find(&t, TIER_LEAF, 0, 0, 0, i)),
		          (struct tree_end){ gateway, i + 1 });
	expect(&t, "");
}

static void the_half_at_an_end_of_the_names_is_lost_or_not_built(void **state)
{
	struct mktree t = mktree(&two_levels, 1);

	(void)state;
	unplug_spine(&t, 3, 3);
	expect(&t, "missing: wanted leaf-0-0-0-3 - spine-0-0-0-3, wanted leaf-0-0-0-4 - "
	           "spine-0-0-0-3, wanted leaf-0-0-0-5 - spine-0-0-0-3 (has 3 of 6 cables "
	           "downward where 3 switches like it have 6: 3 cables are missing, or it is "
	           "intended)\n");
}

static void the_half_that_is_every_second_one_is_meant(void **state)
{
	struct mktree t = mktree(&two_levels, 1);

	(void)state;
	for (unsigned int leaf = 1; leaf < 6; leaf += 2)
		uplink(&t, tree_find(&t, TIER_LEAF, 0, 0, 0, leaf), 10)->gone = true;
	expect(&t, "");
}

static void the_same_hole_in_every_pod_is_meant(void **state)
{
	struct mktree t = mktree(&pods, 1);

	(void)state;
	for (unsigned int pod = 0; pod < 4; pod++)
		uplink(&t, tree_find(&t, TIER_LEAF, 0, 0, pod, 2), 7)->gone = true;
	expect_told(&t, "irregular: wanted leaf-0-0-1-2/7 - spine-0-0-1-2/3, wanted leaf-0-0-0-2/7 "
	                "- spine-0-0-0-2/3, wanted leaf-0-0-2-2/7 - spine-0-0-2-2/3, wanted "
	                "leaf-0-0-3-2/7 - spine-0-0-3-2/3 (the same place is empty in 4 of 4 "
	                "groups: it seems to be intended)\n");
}

static void where_many_are_missing_there_is_no_rule(void **state)
{
	static const struct tree_spec wide = { .leaves = 12, .spines = 10, .hosts = 4 };
	struct mktree t = mktree(&wide, 1);

	(void)state;
	for (unsigned int leaf = 0; leaf < 8; leaf++)
		leaf_uplink(&t, leaf, 5 + leaf)->gone = true;
	expect_told(&t,
	            "irregular: wanted leaf-0-0-0-0/5 - spine-0-0-0-0/1, wanted leaf-0-0-0-1/6 - "
	            "spine-0-0-0-1/2, wanted leaf-0-0-0-2/7 - spine-0-0-0-2/3, wanted "
	            "leaf-0-0-0-3/8 - spine-0-0-0-3/4, wanted leaf-0-0-0-4/9 - spine-0-0-0-4/5, "
	            "wanted leaf-0-0-0-5/10 - spine-0-0-0-5/6, wanted leaf-0-0-0-6/11 - "
	            "spine-0-0-0-6/7, wanted leaf-0-0-0-7/12 - spine-0-0-0-7/8 (8 of 120 cables "
	            "are missing: too many to infer a rule from the others)\n");
}

/* One of 16 cables is missing, then two: with more missing, a case needs more support. */
static void where_an_eighth_is_missing_a_leaf_with_half_its_uplinks_is_in_doubt(void **state)
{
	static const struct tree_spec slim = { .leaves = 8, .spines = 2, .hosts = 4 };
	struct mktree t = mktree(&slim, 1);

	(void)state;
	leaf_uplink(&t, 0, 5)->gone = true;
	expect(&t, "missing: wanted leaf-0-0-0-0/5 - spine-0-0-0-0/1; connect\n");
	t = mktree(&slim, 1);
	leaf_uplink(&t, 0, 5)->gone = true;
	leaf_uplink(&t, 1, 6)->gone = true;
	expect(&t, "missing: wanted leaf-0-0-0-0/5 - spine-0-0-0-0/1 (has 1 of 2 uplinks "
	           "where 6 switches like it have 2: 1 cable is missing, or it is "
	           "intended)\n"
	           "missing: wanted leaf-0-0-0-1/6 - spine-0-0-0-1/2 (has 1 of 2 uplinks "
	           "where 6 switches like it have 2: 1 cable is missing, or it is "
	           "intended)\n");
}

/* Seven of ten have one cable to each leaf, the others two: that is no fault of three. */
static void spines_with_trunks_beside_more_without_are_two_kinds(void **state)
{
	static const struct tree_spec mixed = {
		.leaves = 6, .spines = 10, .cables = 2, .hosts = 4
	};
	struct mktree t = mktree(&mixed, 1);

	(void)state;
	for (unsigned int leaf = 0; leaf < 6; leaf++)
		for (unsigned int spine = 0; spine < 7; spine++)
			leaf_uplink(&t, leaf, 5 + 2 * spine)->gone = true;
	expect_told(&t, "");
}

static void cables_to_itself_are_told(void **state)
{
	struct mktree t = mktree(&two_levels, 1);
	unsigned int leaf = tree_find(&t, TIER_LEAF, 0, 0, 0, 1);

	(void)state;
	tree_link(&t, (struct tree_end){ leaf, 14 }, (struct tree_end){ leaf, 15 });
	expect_told(&t, "irregular: leaf-0-0-0-1/14 - leaf-0-0-0-1/15 (has loopback cables: "
	                "ports 14 - 15)\n");
}

/* ---- silence ---- */

static void a_spine_that_did_not_answer_is_not_absent(void **state)
{
	struct mktree t = mktree(&pods, 1);
	unsigned int spine = tree_find(&t, TIER_SPINE, 0, 0, 2, 1);

	(void)state;
	for (unsigned int i = 0; i < t.num_links; i++)
		t.links[i].silent = t.links[i].end[0].sw == spine || t.links[i].end[1].sw == spine;
	expect(&t, "");
}

/* ---- upper switches ---- */

static void an_absent_spine_is_one_case_of_the_ports_it_had(void **state)
{
	struct mktree t = mktree(&pods, 1);

	(void)state;
	t.switches[tree_find(&t, TIER_SPINE, 0, 0, 2, 1)].gone = true;
	expect(&t, "absent: wanted leaf-0-0-2-1/6 - nobody, wanted leaf-0-0-2-3/6 - nobody, "
	           "wanted leaf-0-0-2-2/6 - nobody, wanted leaf-0-0-2-0/6 - nobody, wanted "
	           "nobody - core-0-0-0-3/3, wanted nobody - core-0-0-0-2/3 (has 3 upper "
	           "switches, 3 of 4 like it have 4)\n");
}

static void a_half_cabled_spine_is_not_absent(void **state)
{
	struct mktree t = mktree(&pods, 1);

	(void)state;
	unplug_spine(&t, 1, 2);
	expect(&t, "missing: wanted leaf-0-0-0-2/6 - spine-0-0-0-1/3; connect\n"
	           "missing: wanted leaf-0-0-0-3/6 - spine-0-0-0-1/4; connect\n");
}

static void of_two_levels_dark_ports_between_used_ones_are_a_hint(void **state)
{
	struct mktree t = mktree(&two_levels, 1);

	(void)state;
	t.switches[tree_find(&t, TIER_SPINE, 0, 0, 0, 1)].gone = true;
	expect(&t, "absent: wanted leaf-0-0-0-0/10 - nobody, wanted leaf-0-0-0-1/10 - "
	           "nobody, wanted leaf-0-0-0-3/10 - nobody, wanted leaf-0-0-0-4/10 - "
	           "nobody, wanted leaf-0-0-0-5/10 - nobody, wanted leaf-0-0-0-2/10 - "
	           "nobody (port 10 is dark on all 6, between ports with uplinks: a hint)\n");
}

static void a_leaf_that_the_names_beside_it_count_past_is_missed(void **state)
{
	struct mktree t = mktree(&two_levels, 1);

	(void)state;
	t.switches[tree_find(&t, TIER_LEAF, 0, 0, 0, 2)].gone = true;
	expect_told(&t,
	            "no leaf: wanted nobody - spine-0-0-0-1/3, wanted nobody - spine-0-0-0-2/3, "
	            "wanted nobody - spine-0-0-0-3/3, wanted nobody - spine-0-0-0-0/3 (port 3 is "
	            "dark on all 4, between leaf-0-0-0-1 and leaf-0-0-0-3)\n");
	t = mktree(&two_levels, 1);
	t.switches[tree_find(&t, TIER_LEAF, 0, 0, 0, 5)].gone = true;
	expect(&t, "");
}

static void a_tree_with_its_last_spine_gone_is_a_smaller_tree(void **state)
{
	struct mktree t = mktree(&two_levels, 1);

	(void)state;
	t.switches[tree_find(&t, TIER_SPINE, 0, 0, 0, 3)].gone = true;
	expect(&t, "");
}

static void a_host_on_a_spine_is_told_and_storage_is_not(void **state)
{
	struct mktree t = mktree(&two_levels, 1);

	(void)state;
	tree_host(&t, free_port(&t, tree_find(&t, TIER_SPINE, 0, 0, 0, 1)), 900, 0);
	expect_told(&t, "host: spine-0-0-0-1/10 - host00900 mlx5_0/1\n");
	t = mktree(&two_levels, 1);
	variant_storage(&t);
	expect_told(&t, "");
}

static void the_rule_is_told_with_its_support(void **state)
{
	struct mktree t = mktree(&two_levels, 1);
	struct ibc_fattree *tree;
	struct ibc_fabric *fab;

	(void)state;
	leaf_uplink(&t, 2, 11)->gone = true;
	fab = mktree_done(&t);
	assert_int_equal(ibc_fattree_infer(fab, NULL, &tree, NULL), 0);
	assert_int_equal(tree->num_rules, 1);
	assert_int_equal(tree->rules[0].groups, 1);
	assert_int_equal(tree->rules[0].lower, 6);
	assert_int_equal(tree->rules[0].upper, 4);
	assert_int_equal(tree->rules[0].cables, 1);
	assert_int_equal(tree->rules[0].uplinks, 4);
	assert_int_equal(tree->rules[0].conform, 5);
	assert_int_equal(tree->rules[0].evaluated, 6);
	assert_true(tree->rules[0].holds);
	assert_true(tree->rules[0].support > 0.95 && tree->rules[0].support < 0.96);
	ibc_fattree_free(tree);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(service_leaves_in_one_block_are_told_a_line_each),
		cmocka_unit_test(a_gateway_that_few_leaves_reach_condemns_nobody),
		cmocka_unit_test(the_half_at_an_end_of_the_names_is_lost_or_not_built),
		cmocka_unit_test(the_half_that_is_every_second_one_is_meant),
		cmocka_unit_test(the_same_hole_in_every_pod_is_meant),
		cmocka_unit_test(where_many_are_missing_there_is_no_rule),
		cmocka_unit_test(
		    where_an_eighth_is_missing_a_leaf_with_half_its_uplinks_is_in_doubt),
		cmocka_unit_test(spines_with_trunks_beside_more_without_are_two_kinds),
		cmocka_unit_test(cables_to_itself_are_told),
		cmocka_unit_test(a_spine_that_did_not_answer_is_not_absent),
		cmocka_unit_test(an_absent_spine_is_one_case_of_the_ports_it_had),
		cmocka_unit_test(a_half_cabled_spine_is_not_absent),
		cmocka_unit_test(a_leaf_that_the_names_beside_it_count_past_is_missed),
		cmocka_unit_test(of_two_levels_dark_ports_between_used_ones_are_a_hint),
		cmocka_unit_test(a_tree_with_its_last_spine_gone_is_a_smaller_tree),
		cmocka_unit_test(a_host_on_a_spine_is_told_and_storage_is_not),
		cmocka_unit_test(the_rule_is_told_with_its_support),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
