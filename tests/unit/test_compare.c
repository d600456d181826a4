/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "compared.h"

#define LEAF(i)  (10u + (i))
#define SPINE(i) (20u + (i))
#define HOST(i)  (30u + (i))

/*
 * A tree: four leaves with two hosts each, on ports 1 and 2, and four spines; leaf i has
 * spine k at port 4 + k, spine k has leaf i at port i.
 */
static struct mkfab mk_bare_tree(void)
{
	struct mkfab m = mkfab();
	char name[32];

	for (unsigned int i = 1; i <= 4; i++) {
		snprintf(name, sizeof(name), "leaf%02u", i);
		mk_switch(m, LEAF(i), name, 10);
		snprintf(name, sizeof(name), "spine%02u", i);
		mk_switch(m, SPINE(i), name, 10);
	}
	for (unsigned int i = 1; i <= 8; i++) {
		snprintf(name, sizeof(name), "host%02u mlx5_0", i);
		mk_ca(m, HOST(i), name, 1);
	}
	return m;
}

/* Cables it but for those to be left out: a list of near ends, ended by 0. */
static struct mkfab mk_tree_without(const unsigned int *near_ends)
{
	struct mkfab m = mk_bare_tree();

	for (unsigned int i = 1; i <= 4; i++) {
		for (unsigned int num = 1; num <= 8; num++) {
			const unsigned int *out = near_ends;

			while (*out && *out != LEAF(i) * 100 + num)
				out++;
			if (*out || num == 3 || num == 4)
				continue;
			if (num <= 2)
				cable(m, LEAF(i), num, HOST(2 * i - 2 + num), 1);
			else
				cable(m, LEAF(i), num, SPINE(num - 4), i);
		}
	}
	return m;
}

#define OUT(...)      ((const unsigned int[]){ __VA_ARGS__, 0 })
#define AT(leaf, num) (LEAF(leaf) * 100 + (num))

static struct mkfab mk_tree(void)
{
	return mk_tree_without(OUT(0));
}

/* ---- cables ---- */

static void a_fabric_as_planned_deviates_in_nothing(void **state)
{
	struct ibc_fabric *plan = done(mk_tree()), *fab = done(mk_tree());
	struct ibc_comparison *cmp;
	struct ibc_comparison_counts counts;

	(void)state;
	assert_int_equal(ibc_compare(plan, fab, &cmp, NULL), 0);
	counts = ibc_comparison_count(cmp);
	assert_null(comparison_deviation(cmp, 0));
	assert_null(ibc_comparison_step(cmp, 0));
	assert_int_equal(counts.nodes, 16);
	assert_int_equal(counts.nodes_matched, 16);
	assert_int_equal(counts.cables, 24);
	assert_int_equal(counts.cables_right, 24);
	assert_int_equal(counts.cables_untold, 0);
	ibc_comparison_free(cmp);
	ibc_comparison_free(NULL);
	ibc_fabric_free(plan);
	ibc_fabric_free(fab);
}

static void a_cable_that_is_not_there_is_missing(void **state)
{
	(void)state;
	expect_compared(mk_tree(), mk_tree_without(OUT(AT(2, 5))),
	                "missing-cable leaf02/5-spine01/2\n"
	                "  connect spine01/2 to leaf02/5\n");
}

static void a_cable_that_nobody_planned_is_unexpected(void **state)
{
	struct mkfab found = mk_tree();

	(void)state;
	cable(found, LEAF(1), 9, LEAF(2), 9);
	expect_compared(mk_tree(), found,
	                "unexpected-cable +leaf01/9-leaf02/9\n"
	                "  remove leaf01/9 of leaf02/9\n");
}

static void two_crossed_cables_are_one_swap(void **state)
{
	struct mkfab found = mk_tree_without(OUT(AT(1, 5), AT(2, 6)));

	(void)state;
	cable(found, LEAF(1), 5, SPINE(2), 2);
	cable(found, LEAF(2), 6, SPINE(1), 1);
	expect_compared(mk_tree(), found,
	                "swapped leaf02/6-spine02/2 leaf01/5-spine01/1 +leaf01/5-spine02/2 "
	                "+leaf02/6-spine01/1\n"
	                "  exchange spine01/1 of leaf02/6 to spine02/2 of leaf01/5\n");
}

static void a_missing_host_is_told_with_its_cable(void **state)
{
	struct mkfab planned = mk_tree();

	(void)state;
	mk_ca(planned, HOST(9), "host09 mlx5_0", 1);
	cable(planned, LEAF(1), 3, HOST(9), 1);
	expect_compared(planned, mk_tree(),
	                "missing-node host09 mlx5_0 leaf01/3-host09 mlx5_0/1\n"
	                "  connect host09 mlx5_0/1 to leaf01/3\n");
}

static void a_missing_leaf_is_told_with_its_hosts_and_cables(void **state)
{
	struct mkfab planned = mk_tree();

	(void)state;
	mk_switch(planned, LEAF(5), "leaf05", 10);
	mk_ca(planned, HOST(9), "host09 mlx5_0", 1);
	cable(planned, LEAF(5), 1, HOST(9), 1);
	cable(planned, LEAF(5), 5, SPINE(1), 5);
	cable(planned, LEAF(5), 6, SPINE(2), 5);
	expect_compared(planned, mk_tree(),
	                "missing-node leaf05 host09 mlx5_0 leaf05/1-host09 mlx5_0/1 "
	                "leaf05/5-spine01/5 leaf05/6-spine02/5\n");
}

static void an_unexpected_leaf_is_told_with_its_hosts_and_cables(void **state)
{
	struct mkfab found = mk_tree();

	(void)state;
	mk_switch(found, LEAF(5), "leaf05", 10);
	mk_ca(found, HOST(9), "host09 mlx5_0", 1);
	cable(found, LEAF(5), 1, HOST(9), 1);
	cable(found, LEAF(5), 5, SPINE(1), 5);
	expect_compared(mk_tree(), found,
	                "unexpected-node +leaf05 +host09 mlx5_0 +leaf05/1-host09 mlx5_0/1 "
	                "+leaf05/5-spine01/5\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fabric_as_planned_deviates_in_nothing),
		cmocka_unit_test(a_cable_that_is_not_there_is_missing),
		cmocka_unit_test(a_cable_that_nobody_planned_is_unexpected),
		cmocka_unit_test(two_crossed_cables_are_one_swap),
		cmocka_unit_test(a_missing_host_is_told_with_its_cable),
		cmocka_unit_test(a_missing_leaf_is_told_with_its_hosts_and_cables),
		cmocka_unit_test(an_unexpected_leaf_is_told_with_its_hosts_and_cables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
