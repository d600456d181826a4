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

static void a_leaf_of_an_older_generation_is_not_slow(void **state)
{
	struct mktree t = mktree(&spec, 4);

	(void)state;
	for (unsigned int s = 0; s < 4; s++)
		uplink(&t, 2, s)->speed = IBC_SPEED_FDR;
	expect_slow(&t, 0);
}

static void a_spine_of_an_older_generation_is_not_slow(void **state)
{
	struct mktree t = mktree(&spec, 5);

	(void)state;
	for (unsigned int l = 0; l < 6; l++)
		uplink(&t, l, 1)->speed = IBC_SPEED_FDR;
	expect_slow(&t, 0);
}

static void an_only_uplink_has_nothing_to_be_held_against(void **state)
{
	struct tree_spec one = { .leaves = 6, .spines = 1, .hosts = 8 };
	struct mktree t = mktree(&one, 6);

	(void)state;
	uplink(&t, 2, 0)->speed = IBC_SPEED_FDR;
	expect_slow(&t, 0);
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
		cmocka_unit_test(an_only_uplink_has_nothing_to_be_held_against),
		cmocka_unit_test(a_cable_between_spine_and_core_may_be_slow),
		cmocka_unit_test(memory_may_run_out_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
