/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What keeps OpenSM's ftree engine from routing a fabric.  That opensm thinks so too is
 * for tests/sim/ftree.bats.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/tree/ftree.h"
#include "base/arena.h"
#include "mktree.h"

static const struct tree_spec two = { .leaves = 6, .spines = 4, .hosts = 4 };
static const struct tree_spec doubled = { .leaves = 5, .spines = 3, .cables = 2, .hosts = 4 };
static const struct tree_spec three = {
	.pods = 3, .leaves = 3, .spines = 3, .uplinks = 2, .hosts = 4
};

static const char *const kinds[] = {
	[FTREE_LMC] = "lmc",           [FTREE_CA_TO_CA] = "ca-to-ca",
	[FTREE_ONE_RANK] = "one-rank", [FTREE_TOO_DEEP] = "too-deep",
	[FTREE_HOST_ABOVE] = "host",   [FTREE_FEW_LEAVES] = "few-leaves",
	[FTREE_UP_GROUPS] = "up",      [FTREE_DOWN_GROUPS] = "down",
	[FTREE_UP_PORTS] = "up-ports", [FTREE_DOWN_PORTS] = "down-ports",
};

/* "up leaf-0-0-0-1 3/4\n" for every obstacle */
static void expect_of(struct ibc_fabric *fab, const char *lines)
{
	struct ibc_fattree *tree;
	struct ftree_obstacle *all;
	char text[4096] = "";
	size_t n, used = 0;

	assert_int_equal(ibc_fattree_infer(fab, NULL, &tree, NULL), 0);
	n = ftree_predict(tree->arena, tree, false, &all);
	for (size_t i = 0; i < n; i++) {
		const struct ftree_obstacle *o = &all[i];

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s %s", kinds[o->kind],
		                         o->node ? o->node->desc : "-");
		if (o->port)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " - %s",
			                         o->port->peer->node->desc);
		if (o->has || o->usual)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " %u/%u", o->has,
			                         o->usual);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "\n");
	}
	assert_string_equal(text, lines);
	ibc_fattree_free(tree);
	ibc_fabric_free(fab);
}

static void expect(struct mktree *t, const char *lines)
{
	expect_of(mktree_done(t), lines);
}

static struct tree_link *uplink(struct mktree *t, unsigned int l, unsigned int c)
{
	return &t->links[l * t->spec.spines * t->spec.cables + c];
}

/* GUIDs in the order of switches, and so the obstacles. */
static void put_in_order(struct mktree *t)
{
	for (unsigned int i = 0; i < t->num_switches; i++)
		t->switches[i].guid = 0x1000 + i;
}

/* The last port but n of a switch. */
static struct tree_end spare(const struct mktree *t, unsigned int sw, unsigned int n)
{
	return (struct tree_end){ sw, t->switches[sw].ports - n };
}

static void pure_trees_are_accepted(void **state)
{
	const struct tree_spec *specs[] = { &two, &doubled, &three };
	struct mktree t;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		t = mktree(specs[i], 1);
		expect(&t, "");
	}
}

static void hosts_may_be_missing(void **state)
{
	struct mktree t = mktree(&two, 2);

	(void)state;
	for (unsigned int i = 0; i < 7; i++)
		t.hosts[i * 3].gone = true;
	expect(&t, "");
}

static void a_missing_uplink_is_named_from_both_sides(void **state)
{
	struct mktree t = mktree(&two, 3);

	(void)state;
	uplink(&t, 2, 1)->gone = true;
	expect(&t, "up leaf-0-0-0-2 3/4\ndown spine-0-0-0-1 5/6\n");
}

static void crossed_uplinks_keep_numbers_but_not_neighbours(void **state)
{
	struct mktree t = mktree(&two, 4);
	struct tree_end upper = uplink(&t, 0, 0)->end[1];

	(void)state;
	uplink(&t, 0, 0)->end[1] = uplink(&t, 1, 1)->end[1];
	uplink(&t, 1, 1)->end[1] = upper;
	put_in_order(&t);
	expect(&t, "up leaf-0-0-0-0 3/4\nup leaf-0-0-0-1 3/4\n"
	           "down spine-0-0-0-0 5/6\ndown spine-0-0-0-1 5/6\n"
	           "up-ports leaf-0-0-0-0 - spine-0-0-0-1 2/1\n"
	           "up-ports leaf-0-0-0-1 - spine-0-0-0-0 2/1\n"
	           "down-ports spine-0-0-0-0 - leaf-0-0-0-1 2/1\n"
	           "down-ports spine-0-0-0-1 - leaf-0-0-0-0 2/1\n");
}

static void a_thinner_trunk_is_named(void **state)
{
	struct mktree t = mktree(&doubled, 5);

	(void)state;
	uplink(&t, 4, 3)->gone = true;
	expect(&t, "up-ports leaf-0-0-0-4 - spine-0-0-0-1 1/2\n"
	           "down-ports spine-0-0-0-1 - leaf-0-0-0-4 1/2\n");
}

/* Leaves are no further from the roots than that spine then: only the adapter is at fault. */
static void a_host_on_a_spine_is_named_alone(void **state)
{
	struct mktree t = mktree(&two, 6);

	(void)state;
	t.hosts[0].at = spare(&t, tree_find(&t, TIER_SPINE, 0, 0, 0, 3), 0);
	expect(&t, "host spine-0-0-0-3 - host00000 mlx5_0\n");
}

static void a_reduction_engine_is_no_adapter_to_it(void **state)
{
	struct mktree t = mktree(&two, 7);

	(void)state;
	tree_host(&t, spare(&t, tree_find(&t, TIER_SPINE, 0, 0, 0, 1), 0), 900, 0)->aggregator =
	    true;
	expect(&t, "");
}

static void hosts_on_all_spines_leave_one_rank(void **state)
{
	struct mktree t = mktree(&two, 8);

	(void)state;
	for (unsigned int i = 0; i < 4; i++)
		tree_host(&t, spare(&t, tree_find(&t, TIER_SPINE, 0, 0, 0, i), 0), 900 + i, 0);
	expect(&t, "one-rank -\n");
}

static void a_cable_between_leaves_is_no_obstacle_but_what_it_lacks_is(void **state)
{
	struct mktree t = mktree(&two, 9);

	(void)state;
	tree_link(&t, spare(&t, 0, 0), spare(&t, 1, 0));
	expect(&t, "");
}

/* It becomes a root, and the tree one rank deeper: the same in two levels, not in three. */
static void an_empty_leaf_is_taken_for_a_root(void **state)
{
	struct mktree t = mktree(&two, 10);

	(void)state;
	for (unsigned int i = 0; i < t.num_hosts; i++)
		t.hosts[i].gone = t.hosts[i].at.sw == 0;
	expect(&t, "");
	t = mktree(&three, 10);
	for (unsigned int i = 0; i < t.num_hosts; i++)
		t.hosts[i].gone = t.hosts[i].at.sw == 0;
	put_in_order(&t);
	expect(&t, "up spine-0-0-0-0 3/2\nup spine-0-0-0-1 3/2\nup spine-0-0-0-2 3/2\n"
	           "down spine-0-0-0-0 2/3\ndown spine-0-0-0-1 2/3\ndown spine-0-0-0-2 2/3\n");
}

static void several_lids_are_refused(void **state)
{
	struct mkfab m = mkfab();

	(void)state;
	for (unsigned int i = 1; i <= 5; i++)
		mk_switch(m, i, i <= 3 ? "leaf" : "spine", 8);
	for (unsigned int i = 1; i <= 3; i++) {
		for (unsigned int k = 0; k < 2; k++) {
			uint64_t guid = 0x100 * i + 0x10 * k;

			mk_ca(m, guid, "host mlx5_0", 1);
			cable(m, i, 1 + k, guid, 1);
			port(m, guid, 1)->lmc = 1;
		}
		cable(m, i, 4, 4, i);
		cable(m, i, 5, 5, i);
	}
	expect_of(done(m), "lmc host mlx5_0 - leaf\n");
}

static void memory_may_run_out_anywhere(void **state)
{
	struct mktree t = mktree(&two, 11);
	struct ibc_fattree *tree;
	struct ftree_obstacle *all;
	struct ibc_fabric *fab;
	volatile bool done = false;
	jmp_buf escape;

	(void)state;
	for (unsigned int l = 0; l < 6; l++)
		for (unsigned int s = 0; s < l; s++)
			uplink(&t, l, s % 4)->gone |= s < 2;
	fab = mktree_done(&t);
	assert_int_equal(ibc_fattree_infer(fab, NULL, &tree, NULL), 0);
	arena_escape(tree->arena, &escape);
	for (volatile unsigned long i = 1; !done; i++) {
		if (!setjmp(escape)) {
			alloc_fail_at(i);
			ftree_predict(tree->arena, tree, false, &all);
			done = true;
		}
		alloc_fail_at(0);
	}
	ibc_fattree_free(tree);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pure_trees_are_accepted),
		cmocka_unit_test(hosts_may_be_missing),
		cmocka_unit_test(a_missing_uplink_is_named_from_both_sides),
		cmocka_unit_test(crossed_uplinks_keep_numbers_but_not_neighbours),
		cmocka_unit_test(a_thinner_trunk_is_named),
		cmocka_unit_test(a_host_on_a_spine_is_named_alone),
		cmocka_unit_test(a_reduction_engine_is_no_adapter_to_it),
		cmocka_unit_test(hosts_on_all_spines_leave_one_rank),
		cmocka_unit_test(a_cable_between_leaves_is_no_obstacle_but_what_it_lacks_is),
		cmocka_unit_test(an_empty_leaf_is_taken_for_a_root),
		cmocka_unit_test(several_lids_are_refused),
		cmocka_unit_test(memory_may_run_out_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
