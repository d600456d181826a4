/* SPDX-License-Identifier: BSD-2-Clause */
/* What breaks the wiring of a tree: which cases, of which cables, with which moves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "treetext.h"

/* ---- one fault, one case ---- */

static void a_whole_tree_is_blamed_of_nothing(void **state)
{
	struct mktree t = mktree(&two_levels, 1);

	(void)state;
	expect(&t, "");
	t = mktree(&two_levels, 1);
	expect_told(&t, "");
}

static void an_unplugged_uplink_is_named_with_both_sockets(void **state)
{
	struct mktree t = mktree(&two_levels, 1);

	(void)state;
	leaf_uplink(&t, 2, 11)->gone = true;
	expect(&t, "missing: wanted leaf-0-0-0-2/11 - spine-0-0-0-2/3; connect\n");
}

/*
 * In a tree of three or four leaves half or a third of the uplinks of a leaf, or of a spine, are
 * gone with one of them: the ports beside those of the others testify.
 */
static void in_a_small_tree_an_unplugged_uplink_leaves_two_ports_that_fit(void **state)
{
	static const struct tree_spec small[] = {
		{ .leaves = 3, .spines = 2, .hosts = 4 },
		{ .leaves = 4, .spines = 2, .hosts = 4 },
		{ .leaves = 3, .spines = 3, .hosts = 4 },
		{ .leaves = 4, .spines = 3, .hosts = 4 },
	};
	char line[128];

	(void)state;
	for (size_t i = 0; i < 4 * 12; i++) {
		unsigned int leaf = i % 12 / small[i / 12].spines;
		unsigned int spine = i % 12 % small[i / 12].spines;
		struct mktree t;

		if (leaf >= small[i / 12].leaves)
			continue;
		t = mktree(&small[i / 12], 1);
		leaf_uplink(&t, leaf, 5 + spine)->gone = true;
		snprintf(line, sizeof(line),
		         "missing: wanted leaf-0-0-0-%u/%u - spine-0-0-0-%u/%u; connect\n", leaf,
		         5 + spine, spine, leaf + 1);
		expect(&t, line);
	}
}

/* The free port of the spine is not where the other spine has that leaf, nor the only one. */
static void in_a_small_tree_ports_that_do_not_fit_leave_it_in_doubt(void **state)
{
	static const struct tree_spec small = { .leaves = 4, .spines = 2, .hosts = 4 };
	struct mktree t = mktree(&small, 1);

	(void)state;
	leaf_uplink(&t, 1, 6)->end[1].port = leaf_uplink(&t, 3, 6)->end[1].port;
	leaf_uplink(&t, 3, 6)->gone = true;
	expect(&t, "missing: wanted leaf-0-0-0-3/6 - spine-0-0-0-1 (has 1 of 2 uplinks "
	           "where 3 switches like it have 2: 1 cable is missing, or it is "
	           "intended)\n");
}

static void two_crossed_cables_are_one_swap(void **state)
{
	struct mktree t = mktree(&two_levels, 1);

	(void)state;
	swap_upper(leaf_uplink(&t, 1, 9), leaf_uplink(&t, 4, 12));
	expect(&t, "swapped: leaf-0-0-0-1/9 - spine-0-0-0-3/5, leaf-0-0-0-4/12 - "
	           "spine-0-0-0-0/2, wanted leaf-0-0-0-1/9 - spine-0-0-0-0/2, wanted "
	           "leaf-0-0-0-4/12 - spine-0-0-0-3/5; exchange\n");
}

static void three_that_went_round_are_one_case_of_two_exchanges(void **state)
{
	struct mktree t = mktree(&two_levels, 1);

	(void)state;
	swap_upper(leaf_uplink(&t, 0, 9), leaf_uplink(&t, 1, 10));
	swap_upper(leaf_uplink(&t, 1, 10), leaf_uplink(&t, 2, 11));
	expect(&t, "swapped: leaf-0-0-0-0/9 - spine-0-0-0-1/2, leaf-0-0-0-2/11 - "
	           "spine-0-0-0-0/1, leaf-0-0-0-1/10 - spine-0-0-0-2/3, wanted "
	           "leaf-0-0-0-0/9 - spine-0-0-0-0/1, wanted leaf-0-0-0-2/11 - "
	           "spine-0-0-0-2/3, wanted leaf-0-0-0-1/10 - spine-0-0-0-1/2; exchange, "
	           "exchange\n");
}

static void two_uplink_ports_joined_miss_two_uplinks(void **state)
{
	struct mktree t = mktree(&two_levels, 1);
	struct tree_link *a = leaf_uplink(&t, 1, 9), *z = leaf_uplink(&t, 4, 12);

	(void)state;
	a->end[1] = z->end[0];
	z->gone = true;
	expect(&t, "same rank: leaf-0-0-0-1/9 - leaf-0-0-0-4/12, wanted leaf-0-0-0-1/9 - "
	           "spine-0-0-0-0/2, wanted leaf-0-0-0-4/12 - spine-0-0-0-3/5; move, "
	           "connect\n");
}

static void an_uplink_in_a_spare_port_of_a_leaf_misses_one(void **state)
{
	struct mktree t = mktree(&two_levels, 1);

	(void)state;
	leaf_uplink(&t, 1, 9)->end[1] = free_port(&t, tree_find(&t, TIER_LEAF, 0, 0, 0, 3));
	expect(&t, "same rank: leaf-0-0-0-1/9 - leaf-0-0-0-3/16, wanted leaf-0-0-0-1/9 - "
	           "spine-0-0-0-0/2; move\n");
}

static void a_doubled_uplink_belongs_where_there_is_none(void **state)
{
	struct mktree t = mktree(&two_levels, 1);

	(void)state;
	leaf_uplink(&t, 1, 9)->end[1] = free_port(&t, tree_find(&t, TIER_SPINE, 0, 0, 0, 2));
	expect(&t, "uneven: leaf-0-0-0-1/9 - spine-0-0-0-2/10, wanted leaf-0-0-0-1/9 - "
	           "spine-0-0-0-0/2; move\n");
}

static void spines_of_two_pods_exchange_cables_to_cores_too(void **state)
{
	struct mktree t = mktree(&pods, 1);

	(void)state;
	swap_upper(uplink(&t, tree_find(&t, TIER_SPINE, 0, 0, 1, 0), 5),
	           uplink(&t, tree_find(&t, TIER_SPINE, 0, 0, 3, 2), 6));
	expect(&t, "swapped: spine-0-0-3-2/6 - core-0-0-0-0/2, spine-0-0-1-0/5 - "
	           "core-0-0-0-5/4, wanted spine-0-0-3-2/6 - core-0-0-0-5/4, wanted "
	           "spine-0-0-1-0/5 - core-0-0-0-0/2; exchange\n");
}

static void leaves_of_two_pods_exchange_cables_too(void **state)
{
	struct mktree t = mktree(&pods, 1);

	(void)state;
	swap_upper(uplink(&t, tree_find(&t, TIER_LEAF, 0, 0, 1, 0), 5),
	           uplink(&t, tree_find(&t, TIER_LEAF, 0, 0, 3, 2), 8));
	expect(&t, "swapped: leaf-0-0-1-0/5 - spine-0-0-3-3/3, leaf-0-0-3-2/8 - "
	           "spine-0-0-1-0/1, wanted leaf-0-0-1-0/5 - spine-0-0-1-0/1, wanted "
	           "leaf-0-0-3-2/8 - spine-0-0-3-3/3; exchange\n");
}

static void a_leaf_cabled_to_a_core_skips_a_rank(void **state)
{
	struct mktree t = mktree(&pods, 1);

	(void)state;
	uplink(&t, tree_find(&t, TIER_LEAF, 0, 0, 1, 0), 5)->end[1] = free_port(
	    &t, tree_find(&t, TIER_CORE, 0, 0, 0, 3));
	expect(&t, "same rank: core-0-0-0-3/8 - leaf-0-0-1-0/5, wanted leaf-0-0-1-0/5 - "
	           "spine-0-0-1-0/1; move\n");
}

static void two_spines_joined_miss_two_cables_to_leaves(void **state)
{
	struct mktree t = mktree(&two_levels, 1);
	struct tree_link *a = leaf_uplink(&t, 1, 9), *z = leaf_uplink(&t, 4, 12);

	(void)state;
	a->end[0] = z->end[1];
	z->gone = true;
	expect(&t, "same rank: spine-0-0-0-3/5 - spine-0-0-0-0/2, wanted leaf-0-0-0-4/12 - "
	           "spine-0-0-0-3/5, wanted leaf-0-0-0-1/9 - spine-0-0-0-0/2; move, "
	           "connect\n");
}

static void many_missing_of_one_leaf_are_one_case(void **state)
{
	static const struct tree_spec wide = { .leaves = 8, .spines = 20, .hosts = 4 };
	struct mktree t = mktree(&wide, 1);

	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		leaf_uplink(&t, 3, 8 + i)->gone = true;
	expect(&t, "missing: wanted leaf-0-0-0-3/10 - spine-0-0-0-5/4, wanted "
	           "leaf-0-0-0-3/8 - spine-0-0-0-3/4, wanted leaf-0-0-0-3/9 - "
	           "spine-0-0-0-4/4; connect, connect, connect\n");
}

static void a_cable_of_a_trunk_has_its_place_in_it(void **state)
{
	static const struct tree_spec trunks = {
		.leaves = 6, .spines = 4, .cables = 3, .hosts = 4
	};
	struct mktree t = mktree(&trunks, 1);

	(void)state;
	leaf_uplink(&t, 2, 9)->gone = true;
	leaf_uplink(&t, 2, 10)->gone = true;
	expect(&t, "missing: wanted leaf-0-0-0-2/9 - spine-0-0-0-1/8; connect\n"
	           "missing: wanted leaf-0-0-0-2/10 - spine-0-0-0-1/9; connect\n");
}

static void each_missing_cable_of_a_trunk_has_its_own_sockets(void **state)
{
	static const struct tree_spec trunks = {
		.leaves = 6, .spines = 5, .cables = 4, .hosts = 4
	};
	struct mktree t = mktree(&trunks, 1);

	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		leaf_uplink(&t, 2, 9 + i)->gone = true;
	expect(&t, "missing: wanted leaf-0-0-0-2/9 - spine-0-0-0-1/9, wanted leaf-0-0-0-2/10 - "
	           "spine-0-0-0-1/10, wanted leaf-0-0-0-2/11 - spine-0-0-0-1/11; connect, "
	           "connect, connect\n");
}

static void a_spine_without_its_only_uplink_is_found(void **state)
{
	static const struct tree_spec thin = {
		.pods = 4, .leaves = 6, .spines = 4, .uplinks = 1, .hosts = 6
	};
	struct mktree t = mktree(&thin, 1);

	(void)state;
	uplink(&t, tree_find(&t, TIER_SPINE, 0, 0, 2, 1), 7)->gone = true;
	expect(&t, "missing: wanted spine-0-0-2-1/7 - core-0-0-0-1/3; connect\n");
}

/* ---- two faults ---- */

static void a_crossed_cable_in_the_hole_of_another_is_still_crossed(void **state)
{
	struct mktree t = mktree(&two_levels, 1);

	(void)state;
	swap_upper(leaf_uplink(&t, 1, 9), leaf_uplink(&t, 4, 12));
	leaf_uplink(&t, 1, 12)->gone = true; /* so leaf 1 has one cable to spine 3, as it should */
	expect(&t, "missing: wanted leaf-0-0-0-1/12 - spine-0-0-0-3/2; connect\n"
	           "swapped: leaf-0-0-0-1/9 - spine-0-0-0-3/5, leaf-0-0-0-4/12 - "
	           "spine-0-0-0-0/2, wanted leaf-0-0-0-1/9 - spine-0-0-0-0/2, wanted "
	           "leaf-0-0-0-4/12 - spine-0-0-0-3/5; exchange\n");
}

static void a_designed_pair_of_leaves_swallows_no_hole(void **state)
{
	struct mktree t = mktree(&two_levels, 1);
	struct tree_end a = free_port(&t, tree_find(&t, TIER_LEAF, 0, 0, 0, 1));
	struct tree_end z = free_port(&t, tree_find(&t, TIER_LEAF, 0, 0, 0, 3));

	(void)state;
	tree_link(&t, a, z);
	tree_link(&t, free_port(&t, a.sw), free_port(&t, z.sw));
	leaf_uplink(&t, 1, 9)->gone = true;
	expect(&t, "missing: wanted leaf-0-0-0-1/9 - spine-0-0-0-0/2; connect\n");
}

/* ---- what ports tell ---- */

static void where_ports_are_in_no_order_switches_are_named(void **state)
{
	struct mktree t = mktree(&two_levels, 1);

	(void)state;
	leaf_uplink(&t, 2, 11)->gone = true;
	variant_all_ports(&t);
	expect(&t, "missing: wanted leaf-0-0-0-2 - spine-0-0-0-2; connect\n");
}

static void where_no_port_tells_either_cable_of_a_pair_may_be_wrong(void **state)
{
	struct mktree t = mktree(&two_levels, 1);

	(void)state;
	swap_upper(leaf_uplink(&t, 1, 9), leaf_uplink(&t, 4, 12));
	variant_all_ports(&t);
	expect(&t, "swapped: leaf-0-0-0-1/13 - spine-0-0-0-3/1, leaf-0-0-0-4/9 - "
	           "spine-0-0-0-0/2, or leaf-0-0-0-1/14, or leaf-0-0-0-4/10, wanted "
	           "leaf-0-0-0-1/13 - spine-0-0-0-0/2, wanted leaf-0-0-0-4/9 - "
	           "spine-0-0-0-3/1; exchange\n");
}

static void ordered_spines_name_the_cable_of_leaves_in_no_order(void **state)
{
	struct mktree t = mktree(&two_levels, 1);

	(void)state;
	swap_upper(leaf_uplink(&t, 1, 9), leaf_uplink(&t, 4, 12));
	variant_leaf_ports(&t);
	expect(&t, "swapped: leaf-0-0-0-1/14 - spine-0-0-0-3/5, leaf-0-0-0-4/10 - "
	           "spine-0-0-0-0/2, wanted leaf-0-0-0-1/14 - spine-0-0-0-0/2, wanted "
	           "leaf-0-0-0-4/10 - spine-0-0-0-3/5; exchange\n");
}

static void other_ports_of_the_right_switches_are_told_once_a_switch(void **state)
{
	struct mktree t = mktree(&two_levels, 1);
	struct tree_link *a = leaf_uplink(&t, 1, 9), *z = leaf_uplink(&t, 1, 12);
	struct tree_end end = a->end[0];

	(void)state;
	a->end[0] = z->end[0];
	z->end[0] = end;
	expect_told(&t, "ports: leaf-0-0-0-1/9 - spine-0-0-0-3/2, leaf-0-0-0-1/12 - "
	                "spine-0-0-0-0/2\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_tree_is_blamed_of_nothing),
		cmocka_unit_test(an_unplugged_uplink_is_named_with_both_sockets),
		cmocka_unit_test(in_a_small_tree_an_unplugged_uplink_leaves_two_ports_that_fit),
		cmocka_unit_test(in_a_small_tree_ports_that_do_not_fit_leave_it_in_doubt),
		cmocka_unit_test(two_crossed_cables_are_one_swap),
		cmocka_unit_test(three_that_went_round_are_one_case_of_two_exchanges),
		cmocka_unit_test(two_uplink_ports_joined_miss_two_uplinks),
		cmocka_unit_test(an_uplink_in_a_spare_port_of_a_leaf_misses_one),
		cmocka_unit_test(a_doubled_uplink_belongs_where_there_is_none),
		cmocka_unit_test(spines_of_two_pods_exchange_cables_to_cores_too),
		cmocka_unit_test(leaves_of_two_pods_exchange_cables_too),
		cmocka_unit_test(a_leaf_cabled_to_a_core_skips_a_rank),
		cmocka_unit_test(two_spines_joined_miss_two_cables_to_leaves),
		cmocka_unit_test(many_missing_of_one_leaf_are_one_case),
		cmocka_unit_test(a_cable_of_a_trunk_has_its_place_in_it),
		cmocka_unit_test(each_missing_cable_of_a_trunk_has_its_own_sockets),
		cmocka_unit_test(a_spine_without_its_only_uplink_is_found),
		cmocka_unit_test(a_crossed_cable_in_the_hole_of_another_is_still_crossed),
		cmocka_unit_test(a_designed_pair_of_leaves_swallows_no_hole),
		cmocka_unit_test(where_ports_are_in_no_order_switches_are_named),
		cmocka_unit_test(where_no_port_tells_either_cable_of_a_pair_may_be_wrong),
		cmocka_unit_test(ordered_spines_name_the_cable_of_leaves_in_no_order),
		cmocka_unit_test(other_ports_of_the_right_switches_are_told_once_a_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
