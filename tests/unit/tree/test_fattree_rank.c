/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranks of switches, and groups of those that share their upper ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/tree/wiring.h"
#include "base/arena.h"
#include "mktree.h"

static const struct tree_spec two_levels = { .leaves = 6, .spines = 4, .hosts = 8 };
static const struct tree_spec three_levels = {
	.pods = 4, .leaves = 4, .spines = 4, .uplinks = 2, .hosts = 6
};

static struct ibc_fattree *infer(struct mktree *t, struct ibc_fabric **fab)
{
	struct ibc_fattree *tree;

	*fab = mktree_done(t);
	assert_int_equal(ibc_fattree_infer(*fab, NULL, &tree, NULL), 0);
	return tree;
}

static void end(struct ibc_fattree *tree, struct ibc_fabric *fab)
{
	ibc_fattree_free(tree);
	ibc_fabric_free(fab);
}

/* Every leaf has rank 0, every spine 1, ...; but those that except names have none. */
static void expect_ranks_but(struct mktree *t, const char *except)
{
	struct ibc_fabric *fab;
	struct ibc_fattree *tree = infer(t, &fab);
	const struct ibc_node *node;
	static const char kinds[] = "lsct";

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		int expected = -1;

		if (node->type == IBC_NODE_SWITCH && !(except && !strcmp(except, node->desc)))
			expected = (int)(strchr(kinds, node->desc[0]) - kinds);
		if (ibc_fattree_rank(tree, node) != expected)
			fail_msg("%s has rank %d", node->desc, ibc_fattree_rank(tree, node));
	}
	end(tree, fab);
}

static void expect_ranks(struct mktree *t)
{
	expect_ranks_but(t, NULL);
}

static void take_hosts(struct mktree *t, unsigned int sw)
{
	for (unsigned int i = 0; i < t->num_hosts; i++)
		if (t->hosts[i].at.sw == sw)
			t->hosts[i].gone = true;
}

/* A free port of a switch: the last but n. */
static struct tree_end spare(const struct mktree *t, unsigned int sw, unsigned int n)
{
	return (struct tree_end){ sw, t->switches[sw].ports - n };
}

/* ---- ranks ---- */

static void two_three_and_four_levels_are_told(void **state)
{
	static const struct tree_spec four = { .regions = 4,
		                               .tops = 2,
		                               .pods = 3,
		                               .leaves = 4,
		                               .spines = 3,
		                               .uplinks = 2,
		                               .hosts = 4 };
	struct mktree t = mktree(&two_levels, 1);

	(void)state;
	expect_ranks(&t);
	t = mktree(&three_levels, 2);
	expect_ranks(&t);
	t = mktree(&four, 3);
	expect_ranks(&t);
}

static void several_trees_in_one_sweep_are_ranked_equal(void **state)
{
	static const struct tree_spec rails = {
		.rails = 3, .pods = 3, .leaves = 3, .spines = 3, .uplinks = 2, .hosts = 4
	};
	struct mktree t = mktree(&rails, 1);

	(void)state;
	expect_ranks(&t);
}

static void an_empty_leaf_follows_its_siblings(void **state)
{
	struct mktree t = mktree(&two_levels, 1);

	(void)state;
	take_hosts(&t, tree_find(&t, TIER_LEAF, 0, 0, 0, 2));
	take_hosts(&t, tree_find(&t, TIER_LEAF, 0, 0, 0, 3));
	expect_ranks(&t);
}

static void where_few_racks_are_filled_leaves_are_leaves(void **state)
{
	struct mktree t = mktree(&two_levels, 1);

	(void)state;
	for (unsigned int i = 1; i < 6; i++)
		take_hosts(&t, tree_find(&t, TIER_LEAF, 0, 0, 0, i));
	expect_ranks(&t);
}

static void a_pod_without_hosts_is_a_pod(void **state)
{
	struct mktree t = mktree(&three_levels, 1);

	(void)state;
	for (unsigned int i = 0; i < 4; i++)
		take_hosts(&t, tree_find(&t, TIER_LEAF, 0, 0, 2, i));
	expect_ranks(&t);
}

static void a_pod_with_hosts_on_one_leaf_is_a_pod(void **state)
{
	struct mktree t = mktree(&three_levels, 1);

	(void)state;
	for (unsigned int i = 1; i < 4; i++)
		take_hosts(&t, tree_find(&t, TIER_LEAF, 0, 0, 2, i));
	expect_ranks(&t);
}

static void storage_on_every_spine_makes_no_leaf_of_it(void **state)
{
	struct mktree t = mktree(&two_levels, 1);

	(void)state;
	for (unsigned int i = 0; i < 4; i++)
		for (unsigned int k = 0; k < 3; k++)
			tree_host(&t, spare(&t, tree_find(&t, TIER_SPINE, 0, 0, 0, i), k),
			          900 + 3 * i + k, 0);
	expect_ranks(&t);
}

static void a_host_on_a_core_moves_no_rank(void **state)
{
	struct mktree t = mktree(&three_levels, 1);

	(void)state;
	tree_host(&t, spare(&t, tree_find(&t, TIER_CORE, 0, 0, 0, 3), 0), 900, 0);
	tree_host(&t, spare(&t, tree_find(&t, TIER_SPINE, 0, 0, 1, 1), 0), 901, 0);
	expect_ranks(&t);
}

static void aggregation_nodes_are_no_hosts(void **state)
{
	struct mktree t = mktree(&three_levels, 1);

	(void)state;
	for (unsigned int i = 0; i < t.num_switches; i++)
		tree_host(&t, spare(&t, i, 0), 900 + i, 0)->aggregator = true;
	expect_ranks(&t);
}

static void a_stray_cable_from_a_leaf_pulls_no_core_down(void **state)
{
	static const struct tree_spec spec = {
		.pods = 12, .leaves = 4, .spines = 4, .uplinks = 2, .hosts = 6
	};
	struct mktree t = mktree(&spec, 1);

	(void)state;
	tree_link(&t, spare(&t, tree_find(&t, TIER_LEAF, 0, 0, 1, 1), 0),
	          spare(&t, tree_find(&t, TIER_CORE, 0, 0, 0, 1), 0));
	expect_ranks(&t);
}

static void a_crossed_cable_in_a_small_pod_makes_no_leaf_of_a_core(void **state)
{
	static const struct tree_spec spec = {
		.pods = 4, .leaves = 3, .spines = 4, .uplinks = 1, .hosts = 6
	};
	struct mktree t = mktree(&spec, 1);
	struct tree_link *a = &t.links[0], *z = &t.links[3 * 4];
	struct tree_end swapped = a->end[1];

	(void)state;
	a->end[1] = z->end[1];
	z->end[1] = swapped;
	expect_ranks(&t);
}

static void cores_over_two_pods_that_reach_every_spine_are_cores(void **state)
{
	static const struct tree_spec spec = { .pods = 2, .leaves = 4, .spines = 2, .hosts = 6 };
	struct mktree t = mktree(&spec, 1);

	(void)state;
	for (unsigned int core = 0; core < 2; core++) {
		unsigned int c = tree_switch(
		    &t, (struct tree_switch){ TIER_CORE, 0, 0, 0, core, 8, 0x5000 + core, false });

		for (unsigned int i = 0; i < 4; i++)
			tree_link(&t,
			          spare(&t, tree_find(&t, TIER_SPINE, 0, 0, i / 2, i % 2), core),
			          (struct tree_end){ c, i + 1 });
	}
	take_hosts(&t, tree_find(&t, TIER_LEAF, 0, 0, 1, 2));
	expect_ranks(&t);
}

static void a_switch_for_management_is_no_level(void **state)
{
	struct mktree t = mktree(&three_levels, 1);
	unsigned int sw = tree_switch(
	    &t, (struct tree_switch){ TIER_TOP, 0, 0, 0, 0, 8, 0x5000, false });

	(void)state;
	tree_link(&t, spare(&t, tree_find(&t, TIER_CORE, 0, 0, 0, 1), 0),
	          (struct tree_end){ sw, 1 });
	tree_host(&t, (struct tree_end){ sw, 2 }, 900, 0);
	expect_ranks_but(&t, "top-0-0-0-0");
}

/*
 * Every leaf has a cable to each line chip, as every spine chip has: what tells them apart is that
 * the chips have no hosts, and two.
 */
static void spine_chips_beside_empty_leaves_are_a_tier(void **state)
{
	static const struct tree_spec director = {
		.leaves = 18, .spines = 18, .hosts = 18, .chips = 9
	};
	struct mktree t = mktree(&director, 1);

	(void)state;
	for (unsigned int i = t.num_links; i--;) {
		struct tree_end *end = t.links[i].end;
		unsigned int ports[2];

		if (t.switches[end[1].sw].tier != TIER_CORE)
			continue;
		for (int e = 0; e < 2; e++)
			ports[e] = ++t.switches[end[e].sw].ports;
		tree_link(&t, (struct tree_end){ end[0].sw, ports[0] },
		          (struct tree_end){ end[1].sw, ports[1] });
	}
	take_hosts(&t, tree_find(&t, TIER_LEAF, 0, 0, 0, 7));
	t.links[40].gone = true;
	expect_ranks(&t);
}

/* Line chips have hosts or leaves on half of their ports, and all spine chips on the others. */
static void hosts_on_a_line_chip_make_no_leaf_of_it(void **state)
{
	static const struct tree_spec director = {
		.pods = 6, .leaves = 3, .spines = 3, .cables = 2, .hosts = 6, .chips = 6
	};
	struct mktree t = mktree(&director, 1);
	unsigned int line = tree_find(&t, TIER_SPINE, 0, 0, 4, 1);

	(void)state;
	for (unsigned int i = 0; i < t.num_links; i++)
		if (t.links[i].end[1].sw == line)
			t.links[i].gone = true;
	for (unsigned int i = 0; i < 6; i++)
		tree_host(&t, (struct tree_end){ line, i + 1 }, 900 + i, 0);
	expect_ranks(&t);
}

static void switches_without_any_host_have_no_rank(void **state)
{
	struct mktree t = mktree(&two_levels, 1);
	struct ibc_fattree *tree;
	struct ibc_fabric *fab;

	(void)state;
	t.num_hosts = 0;
	tree = infer(&t, &fab);
	assert_int_equal(tree->tiers, 0);
	assert_int_not_equal(ibc_fattree_family(tree), IBC_FAMILY_FAT_TREE);
	assert_int_equal(tree->num_cases, 0);
	end(tree, fab);
}

/* ---- groups ---- */

static void expect_group(const struct ibc_fattree *tree, size_t i, unsigned int rank,
                         unsigned int lower, unsigned int upper)
{
	assert_true(i < tree->groups.n);
	assert_int_equal(tree->groups.all[i].rank, rank);
	assert_int_equal(tree->groups.all[i].num[LOWER], lower);
	assert_int_equal(tree->groups.all[i].num[UPPER], upper);
}

static void pods_are_groups_and_so_are_places_of_spines(void **state)
{
	struct mktree t = mktree(&three_levels, 1);
	struct ibc_fabric *fab;
	struct ibc_fattree *tree = infer(&t, &fab);

	(void)state;
	assert_int_equal(tree->groups.n, 8);
	for (size_t i = 0; i < 4; i++)
		expect_group(tree, i, 0, 4, 4);
	for (size_t i = 4; i < 8; i++)
		expect_group(tree, i, 1, 4, 2);
	end(tree, fab);
}

static void a_service_leaf_belongs_to_those_whose_spines_it_uses(void **state)
{
	static const struct tree_spec spec = {
		.pods = 3, .leaves = 6, .spines = 6, .uplinks = 2, .hosts = 6
	};
	struct mktree t = mktree(&spec, 1);
	struct ibc_fabric *fab;
	struct ibc_fattree *tree;

	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		t.links[i].gone = true; /* half the uplinks of the first leaf */
	tree = infer(&t, &fab);
	for (size_t i = 0; i < 3; i++)
		expect_group(tree, i, 0, 6, 6);
	end(tree, fab);
}

static void the_members_of_a_group_know_their_places(void **state)
{
	struct mktree t = mktree(&three_levels, 1);
	struct ibc_fabric *fab;
	struct ibc_fattree *tree = infer(&t, &fab);
	const struct wiring_groups *groups = &tree->groups;

	(void)state;
	for (size_t i = 0; i < groups->n; i++) {
		const struct wiring_group *g = &groups->all[i];

		for (uint32_t k = 0; k < g->num[LOWER]; k++) {
			assert_int_equal(groups->of[LOWER][g->sw[LOWER][k]], i);
			assert_int_equal(groups->place[LOWER][g->sw[LOWER][k]], k);
		}
		for (uint32_t k = 0; k < g->num[UPPER]; k++) {
			assert_int_equal(groups->of[UPPER][g->sw[UPPER][k]], i);
			assert_int_equal(groups->place[UPPER][g->sw[UPPER][k]], k);
		}
	}
	end(tree, fab);
}

/* ---- switches ---- */

static void cables_are_found_from_both_ends(void **state)
{
	static const struct tree_spec spec = { .leaves = 3, .spines = 2, .cables = 3, .hosts = 2 };
	struct mktree t = mktree(&spec, 1);
	struct ibc_fabric *fab;
	struct ibc_fattree *tree = infer(&t, &fab);
	const struct switches *sw = &tree->switches;

	(void)state;
	assert_int_equal(sw->n, 5);
	for (uint32_t s = 0; s < sw->n; s++) {
		for (uint32_t i = sw->first_pair[s]; i < sw->first_pair[s + 1]; i++) {
			const struct trunk *pair = &sw->pairs[i];
			const struct trunk *back = trunk_between(sw, pair->to, s);

			assert_int_equal(pair->count, 3);
			assert_int_equal(back->count, 3);
			for (uint32_t k = 0; k < 3; k++) {
				const struct ibc_port *p = sw->cables[pair->first + k];

				assert_ptr_equal(p->node, sw->nodes[s]);
				assert_ptr_equal(p->peer->node, sw->nodes[pair->to]);
				assert_true(k == 0 || p[-1].num < p->num);
			}
		}
		assert_null(trunk_between(sw, s, s));
	}
	end(tree, fab);
}

static void a_host_counts_once_and_a_loop_is_set_aside(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;
	struct switches sw;
	struct arena *a = arena_new();

	(void)state;
	mk_switch(m, 1, "leaf01", 8);
	mk_ca(m, 16, "host01 HCA-1", 1);
	mk_ca(m, 32, "host01 HCA-2", 1);
	mk_ca(m, 48, "host02 mlx5_0", 2);
	cable(m, 1, 1, 16, 1);
	cable(m, 1, 2, 32, 1);
	cable(m, 1, 3, 48, 1);
	cable(m, 1, 4, 48, 2);
	cable(m, 1, 5, 1, 6);
	fab = done(m);
	switches_collect(a, a, fab, &sw);
	assert_int_equal(sw.hosts[0], 2);
	assert_int_equal(sw.first_pair[1], 0);
	assert_int_equal(sw.num_loops, 1);
	assert_int_equal(sw.loops[0]->num, 5);
	arena_free(a);
	ibc_fabric_free(fab);
}

static void a_nameless_engine_is_known_by_its_place_and_its_chip(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;

	(void)state;
	mk_switch(m, 1, "leaf01", 41);
	mk_switch(m, 2, "leaf02", 41);
	mk_ca(m, 16, "Mellanox Technologies", 1)->device_id = 0xd2f1;
	mk_ca(m, 32, "Mellanox Technologies", 1);
	cable(m, 1, 41, 16, 1);
	cable(m, 2, 41, 32, 1);
	fab = done(m);
	assert_true(node_is_aggregator(ibc_fabric_node_by_guid(fab, 16)));
	assert_false(node_is_aggregator(ibc_fabric_node_by_guid(fab, 32)));
	assert_false(node_is_aggregator(ibc_fabric_node_by_guid(fab, 1)));
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_three_and_four_levels_are_told),
		cmocka_unit_test(several_trees_in_one_sweep_are_ranked_equal),
		cmocka_unit_test(an_empty_leaf_follows_its_siblings),
		cmocka_unit_test(spine_chips_beside_empty_leaves_are_a_tier),
		cmocka_unit_test(where_few_racks_are_filled_leaves_are_leaves),
		cmocka_unit_test(a_pod_without_hosts_is_a_pod),
		cmocka_unit_test(a_pod_with_hosts_on_one_leaf_is_a_pod),
		cmocka_unit_test(storage_on_every_spine_makes_no_leaf_of_it),
		cmocka_unit_test(a_host_on_a_core_moves_no_rank),
		cmocka_unit_test(aggregation_nodes_are_no_hosts),
		cmocka_unit_test(a_stray_cable_from_a_leaf_pulls_no_core_down),
		cmocka_unit_test(a_crossed_cable_in_a_small_pod_makes_no_leaf_of_a_core),
		cmocka_unit_test(cores_over_two_pods_that_reach_every_spine_are_cores),
		cmocka_unit_test(a_switch_for_management_is_no_level),
		cmocka_unit_test(hosts_on_a_line_chip_make_no_leaf_of_it),
		cmocka_unit_test(switches_without_any_host_have_no_rank),
		cmocka_unit_test(pods_are_groups_and_so_are_places_of_spines),
		cmocka_unit_test(a_service_leaf_belongs_to_those_whose_spines_it_uses),
		cmocka_unit_test(the_members_of_a_group_know_their_places),
		cmocka_unit_test(cables_are_found_from_both_ends),
		cmocka_unit_test(a_host_counts_once_and_a_loop_is_set_aside),
		cmocka_unit_test(a_nameless_engine_is_known_by_its_place_and_its_chip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
