/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of levels, and cuts computed by hand; a cable carries 100 Gb/s (4x EDR). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/tree/wiring.h"
#include "base/arena.h"
#include "mktree.h"

static const struct tree_spec two = { .leaves = 6, .spines = 4, .hosts = 8 };
static const struct tree_spec three = {
	.pods = 4, .leaves = 4, .spines = 4, .uplinks = 2, .hosts = 4
};

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

static void expect_gbps(double found, double expected)
{
	if (found < expected - 0.06 || found > expected + 0.06)
		fail_msg("%g Gb/s instead of %g", found, expected);
}

/* What passes between halves now, what would, and where it is narrowest. */
static void expect_both(struct mktree *t, double gbps, double intended, const char *cut)
{
	struct inferred in = infer(t);
	struct ibc_bisection b = ibc_fattree_bisection(in.tree);

	expect_gbps(b.now_gbps, gbps);
	expect_gbps(b.intended_gbps, intended);
	assert_string_equal(b.cut, cut);
	end(in);
}

/* Nothing is lost. */
static void expect_now(struct mktree *t, double gbps, const char *cut)
{
	expect_both(t, gbps, gbps, cut);
}

/* Cable c of leaf l, to spine c. */
static struct tree_link *uplink(struct mktree *t, unsigned int l, unsigned int c)
{
	return &t->links[l * t->spec.spines * t->spec.cables + c];
}

static void cross(struct tree_link *a, struct tree_link *z)
{
	struct tree_end upper = a->end[1];

	a->end[1] = z->end[1];
	z->end[1] = upper;
}

#define HALF_OF_SIX "between leaf and spine switches, 3 of 6 leaves against the others"

/* ---- levels ---- */

static void levels_count_switches_cables_and_bandwidth(void **state)
{
	struct mktree t = mktree(&three, 1);
	struct inferred in = infer(&t);
	const struct ibc_tier *l;

	(void)state;
	l = ibc_fattree_tier(in.tree, 0);
	assert_string_equal(l->name, "leaf");
	assert_int_equal(l->switches, 16);
	assert_int_equal(l->hosts, 64);
	assert_int_equal(l->down_cables, 64);
	assert_int_equal(l->up_cables, 64);
	assert_int_equal(l->intended_up_cables, 64);
	expect_gbps(l->up_gbps, 6400);
	expect_gbps(l->oversubscription, 1);
	l = ibc_fattree_tier(in.tree, 1);
	assert_string_equal(l->name, "spine");
	assert_int_equal(l->down_cables, 64);
	assert_int_equal(l->up_cables, 32);
	expect_gbps(l->down_gbps, 6400);
	expect_gbps(l->oversubscription, 2);
	expect_gbps(l->cut_gbps, 1600);
	l = ibc_fattree_tier(in.tree, 2);
	assert_string_equal(l->name, "core");
	assert_int_equal(l->switches, 8);
	assert_int_equal(l->hosts, 0);
	assert_int_equal(l->up_cables, 0);
	expect_gbps(l->oversubscription, 0);
	expect_gbps(l->cut_gbps, 0);
	assert_null(ibc_fattree_tier(in.tree, 3));
	end(in);
}

static void hosts_on_a_spine_are_its_level_s(void **state)
{
	struct mktree t = mktree(&two, 2);
	unsigned int spine = tree_find(&t, TIER_SPINE, 0, 0, 0, 1);
	struct inferred in;

	(void)state;
	tree_host(&t, (struct tree_end){ spine, t.switches[spine].ports }, 900, 0);
	in = infer(&t);
	assert_int_equal(ibc_fattree_tier(in.tree, 0)->hosts, 48);
	assert_int_equal(ibc_fattree_tier(in.tree, 1)->hosts, 1);
	assert_int_equal(ibc_fattree_tier(in.tree, 1)->down_cables, 25);
	end(in);
}

/* ---- cuts ---- */

static void half_of_the_leaves_have_half_of_the_uplinks(void **state)
{
	struct mktree t = mktree(&two, 3);

	(void)state;
	expect_now(&t, 3 * 4 * 100, HALF_OF_SIX);
}

static void a_missing_uplink_is_in_the_poorer_half(void **state)
{
	(void)state;
	for (unsigned int l = 0; l < 6; l++) {
		struct mktree t = mktree(&two, 4 + l);

		uplink(&t, l, 1)->gone = true;
		expect_both(&t, 1100, 1200, HALF_OF_SIX);
	}
}

/*
 * Leaf a has 0, 2, 1, 1 cables to the spines, leaf c has 2, 0, 1, 1.  With two regular
 * leaves beside each, the sides have 2, 4, 3, 3 and 4, 2, 3, 3: what passes through each
 * spine is the lesser: 2 + 2 + 3 + 3.
 */
static void two_crossed_cables_take_two_from_the_narrowest_cut(void **state)
{
	(void)state;
	for (unsigned int l = 1; l < 6; l++) {
		struct mktree t = mktree(&two, 10 + l);

		cross(uplink(&t, 0, 0), uplink(&t, l, 1));
		expect_both(&t, 1000, 1200, HALF_OF_SIX);
	}
}

/* 0, 2, 1, 1 and two regular leaves against three: 2 + 3 + 3 + 3. */
static void a_doubled_cable_takes_one(void **state)
{
	struct mktree t = mktree(&two, 20);
	struct tree_link *a = uplink(&t, 2, 0);

	(void)state;
	a->end[1] = (struct tree_end){ uplink(&t, 2, 1)->end[1].sw,
		                       t.switches[uplink(&t, 2, 1)->end[1].sw].ports };
	expect_both(&t, 1100, 1200, HALF_OF_SIX);
}

static void a_case_says_what_it_takes(void **state)
{
	struct mktree t = mktree(&two, 31);
	struct inferred in;

	(void)state;
	cross(uplink(&t, 0, 0), uplink(&t, 1, 1));
	uplink(&t, 4, 3)->gone = true;
	in = infer(&t);
	assert_int_equal(in.tree->num_cases, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct wiring_case *c = &in.tree->cases[i];

		expect_gbps(c->gbps_lost, c->kind == WIRING_SWAPPED ? 200 : 100);
	}
	assert_int_equal(ibc_fattree_tier(in.tree, 0)->up_cables, 23);
	assert_int_equal(ibc_fattree_tier(in.tree, 0)->intended_up_cables, 24);
	expect_gbps(ibc_fattree_tier(in.tree, 0)->intended_up_gbps, 2400);
	end(in);
}

static void a_slow_cable_carries_less(void **state)
{
	struct mktree t = mktree(&two, 21);
	struct inferred in;

	(void)state;
	uplink(&t, 5, 2)->speed = IBC_SPEED_FDR;
	in = infer(&t);
	expect_gbps(ibc_fattree_bisection(in.tree).now_gbps, 1100 + 54.5);
	expect_gbps(ibc_fattree_bisection(in.tree).intended_gbps, 1200);
	expect_gbps(ibc_fattree_tier(in.tree, 0)->intended_up_gbps, 2400);
	assert_int_equal(ibc_fattree_tier(in.tree, 0)->intended_up_cables, 24);
	end(in);
}

static void what_hosts_cannot_send_uplinks_need_not_carry(void **state)
{
	static const struct tree_spec wide = { .leaves = 6, .spines = 4, .hosts = 2 };
	struct mktree t = mktree(&wide, 22);

	(void)state;
	uplink(&t, 0, 0)->gone = true;
	expect_now(&t, 600, "the hosts' own links");
}

/* One leaf with its 8 uplinks, and 6 of the 12 hosts of another by their own links. */
static void a_leaf_is_divided_where_half_of_the_hosts_is_reached(void **state)
{
	static const struct tree_spec odd = { .leaves = 3, .spines = 4, .cables = 2, .hosts = 12 };
	struct mktree t = mktree(&odd, 23);

	(void)state;
	expect_now(&t, 1400, "between leaf and spine switches, 1 of 3 leaves against the others");
}

/* 47 hosts: two leaves with 8, and the one with 7. */
static void no_leaf_is_divided_if_another_fits(void **state)
{
	struct mktree t = mktree(&two, 32);

	(void)state;
	t.hosts[3].gone = true;
	expect_now(&t, 1200, HALF_OF_SIX);
}

static void pods_are_cut_from_their_cores(void **state)
{
	struct mktree t = mktree(&three, 24);

	(void)state;
	expect_now(&t, 2 * 8 * 100,
	           "between spine and core switches, 2 of 4 pods against the others");
	t = mktree(&three, 24);
	t.links[t.num_links - 5].gone = true; /* of a spine, to a core */
	expect_both(&t, 1500, 1600,
	            "between spine and core switches, 2 of 4 pods against the others");
	t = mktree(&three, 24);
	uplink(&t, 3, 2)->gone = true; /* leaves have twice as many */
	expect_now(&t, 1600, "between spine and core switches, 2 of 4 pods against the others");
}

/* One pod with 8 cables to cores, and half of the leaves of another, with 8 to its spines. */
static void a_pod_is_divided_where_half_of_the_hosts_is_reached(void **state)
{
	static const struct tree_spec odd = {
		.pods = 3, .leaves = 4, .spines = 4, .uplinks = 2, .hosts = 4
	};
	struct mktree t = mktree(&odd, 25);

	(void)state;
	expect_now(&t, 1600, "between spine and core switches, 1 of 3 pods against the others");
}

static void rails_add_up(void **state)
{
	static const struct tree_spec rails = { .rails = 4, .leaves = 6, .spines = 4, .hosts = 8 };
	struct mktree t = mktree(&rails, 26);

	(void)state;
	expect_now(&t, 4 * 1200, HALF_OF_SIX);
	t = mktree(&rails, 26);
	uplink(&t, 0, 3)->gone = true;
	expect_both(&t, 4 * 1200 - 100, 4 * 1200, HALF_OF_SIX);
}

static void empty_leaves_do_not_count(void **state)
{
	struct mktree t = mktree(&two, 27);

	(void)state;
	for (unsigned int i = 0; i < t.num_hosts; i++)
		t.hosts[i].gone = t.hosts[i].at.sw < 2;
	expect_now(&t, 800, "between leaf and spine switches, 2 of 4 leaves against the others");
}

static void leaves_with_fewer_uplinks_are_the_poorer_half(void **state)
{
	struct mktree t = mktree(&two, 28);

	(void)state;
	for (unsigned int l = 0; l < 3; l++) {
		uplink(&t, l, 2)->gone = true;
		uplink(&t, l, 3)->gone = true;
	}
	expect_now(&t, 600, HALF_OF_SIX);
}

static void four_levels_have_three_cuts(void **state)
{
	static const struct tree_spec four = { .regions = 4,
		                               .tops = 2,
		                               .pods = 3,
		                               .leaves = 4,
		                               .spines = 3,
		                               .uplinks = 2,
		                               .hosts = 3 };
	struct mktree t = mktree(&four, 29);
	struct inferred in = infer(&t);

	(void)state;
	/* 2 regions of 3 pods of 4 leaves with 3 uplinks; 3 spines with 2; 6 cores with 2 */
	expect_gbps(ibc_fattree_tier(in.tree, 0)->cut_gbps, 7200);
	expect_gbps(ibc_fattree_tier(in.tree, 1)->cut_gbps, 3600);
	expect_gbps(ibc_fattree_tier(in.tree, 2)->cut_gbps, 2400);
	expect_gbps(ibc_fattree_bisection(in.tree).now_gbps, 2400);
	end(in);
}

static void memory_may_run_out_anywhere(void **state)
{
	struct mktree t = mktree(&three, 30);
	struct ibc_fabric *fab = mktree_done(&t);
	struct ibc_fattree *tree;
	int rc = -1;

	(void)state;
	for (unsigned long n = 1; rc; n++) {
		alloc_fail_at(n);
		rc = ibc_fattree_infer(fab, NULL, &tree, NULL);
		alloc_fail_at(0);
	}
	expect_gbps(ibc_fattree_bisection(tree).now_gbps, 1600);
	ibc_fattree_free(tree);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_count_switches_cables_and_bandwidth),
		cmocka_unit_test(hosts_on_a_spine_are_its_level_s),
		cmocka_unit_test(half_of_the_leaves_have_half_of_the_uplinks),
		cmocka_unit_test(a_missing_uplink_is_in_the_poorer_half),
		cmocka_unit_test(two_crossed_cables_take_two_from_the_narrowest_cut),
		cmocka_unit_test(a_doubled_cable_takes_one),
		cmocka_unit_test(a_case_says_what_it_takes),
		cmocka_unit_test(a_slow_cable_carries_less),
		cmocka_unit_test(what_hosts_cannot_send_uplinks_need_not_carry),
		cmocka_unit_test(a_leaf_is_divided_where_half_of_the_hosts_is_reached),
		cmocka_unit_test(no_leaf_is_divided_if_another_fits),
		cmocka_unit_test(pods_are_cut_from_their_cores),
		cmocka_unit_test(a_pod_is_divided_where_half_of_the_hosts_is_reached),
		cmocka_unit_test(rails_add_up),
		cmocka_unit_test(empty_leaves_do_not_count),
		cmocka_unit_test(leaves_with_fewer_uplinks_are_the_poorer_half),
		cmocka_unit_test(four_levels_have_three_cuts),
		cmocka_unit_test(memory_may_run_out_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
