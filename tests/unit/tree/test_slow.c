/* SPDX-License-Identifier: BSD-2-Clause */
/* Cables between ranks that are slower than their siblings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/tree/wiring.h"
#include "base/arena.h"
#include "mktree.h"

static const struct tree_spec spec = { .leaves = 6, .spines = 4, .hosts = 8 };

struct inferred {
	struct ibc_fabric *fab;
	struct ibc_fattree *tree;
};

static struct inferred infer(struct mktree *t)
{
	struct inferred in = { .fab = mktree_done(t) };

	assert_int_equal(ibc_fattree_infer(in.fab, NULL, &in.tree, NULL), 0);
	return in;
}

static void end(struct inferred in)
{
	ibc_fattree_free(in.tree);
	ibc_fabric_free(in.fab);
}

static size_t count_slow(const struct ibc_fattree *tree)
{
	size_t n = 0;

	for (size_t i = 0; i < tree->num_cases; i++)
		n += tree->cases[i].kind == WIRING_SLOW;
	return n;
}

/* Leaf l's cable to spine s. */
static struct tree_link *uplink(struct mktree *t, unsigned int l, unsigned int s)
{
	return &t->links[l * t->spec.spines * t->spec.cables + s * t->spec.cables];
}

static void expect_slow(struct mktree *t, size_t n)
{
	struct inferred in = infer(t);

	assert_int_equal(count_slow(in.tree), n);
	end(in);
}

static void cables_of_one_speed_are_not_slow(void **state)
{
	struct mktree t = mktree(&spec, 1);

	(void)state;
	expect_slow(&t, 0);
}

static void a_slow_cable_is_named_with_what_it_loses(void **state)
{
	struct mktree t = mktree(&spec, 2);
	const struct wiring_case *c;
	struct inferred in;

	(void)state;
	uplink(&t, 3, 2)->speed = IBC_SPEED_FDR;
	in = infer(&t);
	assert_int_equal(in.tree->num_cases, 1);
	c = &in.tree->cases[0];
	assert_int_equal(c->kind, WIRING_SLOW);
	assert_true(c->blamed);
	assert_int_equal(c->num_found, 1);
	assert_string_equal(c->found[0]->node->desc, "leaf-0-0-0-3");
	assert_string_equal(c->found[0]->peer->node->desc, "spine-0-0-0-2");
	assert_true(c->gbps_lost > 45.4 && c->gbps_lost < 45.5);
	end(in);
}

static void several_slow_cables_are_several(void **state)
{
	struct mktree t = mktree(&spec, 3);

	(void)state;
	uplink(&t, 0, 0)->speed = IBC_SPEED_FDR;
	uplink(&t, 1, 1)->speed = IBC_SPEED_QDR;
	uplink(&t, 2, 1)->speed = IBC_SPEED_QDR;
	expect_slow(&t, 3);
}

/* All cables of leaf l. */
static void slow_leaf(struct mktree *t, unsigned int l, unsigned int cables)
{
	for (unsigned int i = 0; i < cables; i++)
		uplink(t, l, 0)[i].speed = IBC_SPEED_FDR;
}

/* It is another model, or has slower hosts as well. */
static void a_leaf_of_an_older_generation_is_not_slow(void **state)
{
	struct mktree t = mktree(&spec, 4);

	(void)state;
	slow_leaf(&t, 2, 4);
	t.switches[2].ports++;
	expect_slow(&t, 0);
	t = mktree(&spec, 4);
	slow_leaf(&t, 2, 4);
	for (unsigned int i = 0; i < t.num_hosts; i++)
		if (t.hosts[i].at.sw == 2)
			t.hosts[i].speed = IBC_SPEED_FDR;
	expect_slow(&t, 0);
}

static void slow_spine(struct mktree *t, unsigned int s)
{
	for (unsigned int l = 0; l < t->spec.leaves; l++)
		for (unsigned int k = 0; k < t->spec.cables; k++)
			uplink(t, l, s)[k].speed = IBC_SPEED_FDR;
}

static void a_spine_of_an_older_generation_is_not_slow(void **state)
{
	struct mktree t = mktree(&spec, 5);

	(void)state;
	slow_spine(&t, 1);
	t.switches[tree_find(&t, TIER_SPINE, 0, 0, 0, 1)].ports++;
	expect_slow(&t, 0);
}

/* One switch of n slow cables is named, and nothing else. */
static void expect_slow_switch(struct mktree *t, const char *name, size_t n)
{
	struct inferred in = infer(t);
	const struct wiring_case *c = in.tree->cases;

	assert_int_equal(in.tree->num_cases, 1);
	assert_int_equal(c->kind, WIRING_SLOW);
	assert_true(c->blamed);
	assert_string_equal(c->nodes[0]->desc, name);
	assert_int_equal(c->num_found, n);
	assert_true(c->gbps_lost > 45.4 * (double)n && c->gbps_lost < 45.5 * (double)n);
	end(in);
}

static void a_switch_that_is_slow_as_a_whole_is_one_case(void **state)
{
	static const struct tree_spec three = {
		.pods = 4, .leaves = 4, .spines = 4, .uplinks = 2, .hosts = 4
	};
	struct mktree t = mktree(&spec, 6);

	(void)state;
	slow_leaf(&t, 2, 4);
	expect_slow_switch(&t, "leaf-0-0-0-2", 4);
	t = mktree(&spec, 6);
	slow_spine(&t, 1);
	expect_slow_switch(&t, "spine-0-0-0-1", 6);
	t = mktree(&three, 6); /* both ways */
	for (unsigned int i = 0; i < t.num_links; i++)
		for (unsigned int e = 0; e < 2; e++)
			if (t.links[i].end[e].sw == tree_find(&t, TIER_SPINE, 0, 0, 1, 2))
				t.links[i].speed = IBC_SPEED_FDR;
	expect_slow_switch(&t, "spine-0-0-1-2", 4 + 2);
}

/* Fewer than half are cables of their own, half and more are one of the switch. */
static void the_more_are_slow_the_less_it_is_silent(void **state)
{
	static const struct tree_spec wide = { .leaves = 8, .spines = 6, .cables = 2, .hosts = 8 };

	(void)state;
	for (unsigned int n = 1; n <= 12; n++) {
		struct mktree t = mktree(&wide, 7);

		slow_leaf(&t, 5, n);
		if (n < 6)
			expect_slow(&t, n);
		else
			expect_slow_switch(&t, "leaf-0-0-0-5", n);
	}
}

static void three_that_are_slow_alike_are_a_class(void **state)
{
	static const struct tree_spec more = { .leaves = 8, .spines = 4, .cables = 2, .hosts = 8 };
	struct mktree t = mktree(&more, 8);
	const struct wiring_case *c;
	struct inferred in;

	(void)state;
	for (unsigned int l = 1; l < 4; l++)
		slow_leaf(&t, l, 8);
	uplink(&t, 6, 2)->speed = IBC_SPEED_FDR; /* among two rates, it is slow for its own */
	in = infer(&t);
	assert_int_equal(in.tree->num_cases, 2);
	c = &in.tree->cases[0];
	assert_true(c->blamed);
	assert_string_equal(c->found[0]->node->desc, "leaf-0-0-0-6");
	assert_false(c[1].blamed);
	assert_int_equal(c[1].num_nodes, 3);
	end(in);
}

static void two_of_four_spines_have_no_majority_against_them(void **state)
{
	struct mktree t = mktree(&spec, 9);

	(void)state;
	slow_spine(&t, 0);
	slow_spine(&t, 3);
	expect_slow(&t, 0);
}

static void an_only_uplink_is_held_against_other_leaves(void **state)
{
	struct tree_spec one = { .leaves = 6, .spines = 1, .hosts = 8 };
	struct mktree t = mktree(&one, 6);

	(void)state;
	uplink(&t, 2, 0)->speed = IBC_SPEED_FDR;
	expect_slow_switch(&t, "leaf-0-0-0-2", 1);
}

static void a_cable_between_spine_and_core_may_be_slow(void **state)
{
	struct tree_spec three = { .pods = 4, .leaves = 4, .spines = 4, .uplinks = 2, .hosts = 4 };
	struct mktree t = mktree(&three, 7);

	(void)state;
	t.links[t.num_links - 3].speed = IBC_SPEED_FDR;
	expect_slow(&t, 1);
}

static void memory_may_run_out_anywhere(void **state)
{
	struct mktree t = mktree(&spec, 8);
	struct ibc_fattree *tree;
	struct ibc_fabric *fab;
	int rc = -1;

	(void)state;
	uplink(&t, 3, 2)->speed = IBC_SPEED_FDR;
	fab = mktree_done(&t);
	for (unsigned long n = 1; rc; n++) {
		alloc_fail_at(n);
		rc = ibc_fattree_infer(fab, NULL, &tree, NULL);
		alloc_fail_at(0);
	}
	assert_int_equal(count_slow(tree), 1);
	ibc_fattree_free(tree);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cables_of_one_speed_are_not_slow),
		cmocka_unit_test(a_slow_cable_is_named_with_what_it_loses),
		cmocka_unit_test(several_slow_cables_are_several),
		cmocka_unit_test(a_leaf_of_an_older_generation_is_not_slow),
		cmocka_unit_test(a_spine_of_an_older_generation_is_not_slow),
		cmocka_unit_test(a_switch_that_is_slow_as_a_whole_is_one_case),
		cmocka_unit_test(the_more_are_slow_the_less_it_is_silent),
		cmocka_unit_test(three_that_are_slow_alike_are_a_class),
		cmocka_unit_test(two_of_four_spines_have_no_majority_against_them),
		cmocka_unit_test(an_only_uplink_is_held_against_other_leaves),
		cmocka_unit_test(a_cable_between_spine_and_core_may_be_slow),
		cmocka_unit_test(memory_may_run_out_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
