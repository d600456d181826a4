/* SPDX-License-Identifier: BSD-2-Clause */
/* Trees in which some leaves are of another design, and faults of either. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "treetext.h"

/* Hosts on ports 1-10 of a leaf, then three cables to each spine: 11-13, 14-16, 17-19, 20-22. */
static const struct tree_spec spec = { .leaves = 12, .spines = 4, .cables = 3, .hosts = 10 };

/* The last few leaves have one cable less to each spine. */
static struct mktree with_less(unsigned int leaves)
{
	struct mktree t = mktree(&spec, 1);

	for (unsigned int leaf = 12 - leaves; leaf < 12; leaf++)
		for (unsigned int port = 13; port <= 22; port += 3)
			leaf_uplink(&t, leaf, port)->gone = true;
	return t;
}

static void remove_hosts(struct mktree *t, unsigned int leaf, unsigned int keep)
{
	unsigned int sw = tree_find(t, TIER_LEAF, 0, 0, 0, leaf);

	for (unsigned int i = 0; i < t->num_hosts; i++)
		t->hosts[i].gone |= t->hosts[i].at.sw == sw && t->hosts[i].at.port > keep;
}

static void of_two_that_have_less_nobody_knows(void **state)
{
	struct mktree t = with_less(2);

	(void)state;
	expect(&t, "missing: wanted leaf-0-0-0-10 - spine-0-0-0-1, wanted leaf-0-0-0-10 - "
	           "spine-0-0-0-2, wanted leaf-0-0-0-10 - spine-0-0-0-0, wanted "
	           "leaf-0-0-0-10 - spine-0-0-0-3 (has 8 of 12 uplinks where 10 switches "
	           "like it have 12: 4 cables are missing, or it is intended)\n"
	           "missing: wanted leaf-0-0-0-11 - spine-0-0-0-1, wanted leaf-0-0-0-11 - "
	           "spine-0-0-0-2, wanted leaf-0-0-0-11 - spine-0-0-0-0, wanted "
	           "leaf-0-0-0-11 - spine-0-0-0-3 (has 8 of 12 uplinks where 10 switches "
	           "like it have 12: 4 cables are missing, or it is intended)\n");
}

static void a_class_of_three_is_meant(void **state)
{
	struct mktree t = with_less(3);

	(void)state;
	expect(&t, "");
}

static void two_do_not_testify_for_the_third(void **state)
{
	struct mktree t = with_less(3);

	(void)state;
	leaf_uplink(&t, 10, 15)->gone = true;
	expect(&t, "missing: wanted leaf-0-0-0-10 - spine-0-0-0-1, wanted leaf-0-0-0-10 - "
	           "spine-0-0-0-1, wanted leaf-0-0-0-10 - spine-0-0-0-2, wanted "
	           "leaf-0-0-0-10 - spine-0-0-0-0, wanted leaf-0-0-0-10 - spine-0-0-0-3 "
	           "(has 7 of 12 uplinks where 9 switches like it have 12: 5 cables are "
	           "missing, or it is intended)\n"
	           "missing: wanted leaf-0-0-0-9 - spine-0-0-0-1, wanted leaf-0-0-0-9 - "
	           "spine-0-0-0-2, wanted leaf-0-0-0-9 - spine-0-0-0-0, wanted "
	           "leaf-0-0-0-9 - spine-0-0-0-3 (has 8 of 12 uplinks where 9 switches "
	           "like it have 12: 4 cables are missing, or it is intended)\n"
	           "missing: wanted leaf-0-0-0-11 - spine-0-0-0-1, wanted leaf-0-0-0-11 - "
	           "spine-0-0-0-2, wanted leaf-0-0-0-11 - spine-0-0-0-0, wanted "
	           "leaf-0-0-0-11 - spine-0-0-0-3 (has 8 of 12 uplinks where 9 switches "
	           "like it have 12: 4 cables are missing, or it is intended)\n");
}

static void three_testify_for_the_fourth(void **state)
{
	struct mktree t = with_less(4);

	(void)state;
	leaf_uplink(&t, 10, 15)->gone = true;
	expect(&t, "missing: wanted leaf-0-0-0-10/15 - spine-0-0-0-1/32; connect\n");
}

static void an_exchange_within_a_class_is_one(void **state)
{
	struct mktree t = with_less(5);

	(void)state;
	swap_upper(leaf_uplink(&t, 9, 11), leaf_uplink(&t, 10, 15));
	expect(&t, "swapped: leaf-0-0-0-10/15 - spine-0-0-0-0/28, leaf-0-0-0-9/11 - "
	           "spine-0-0-0-1/32, wanted leaf-0-0-0-10/15 - spine-0-0-0-1/32, wanted "
	           "leaf-0-0-0-9/11 - spine-0-0-0-0/28; exchange\n");
}

static void an_exchange_across_classes_is_one(void **state)
{
	struct mktree t = with_less(4);

	(void)state;
	swap_upper(leaf_uplink(&t, 2, 11), leaf_uplink(&t, 10, 15));
	expect(&t, "swapped: leaf-0-0-0-10/15 - spine-0-0-0-0/7, leaf-0-0-0-2/11 - "
	           "spine-0-0-0-1/32, wanted leaf-0-0-0-10/15 - spine-0-0-0-1/32, wanted "
	           "leaf-0-0-0-2/11 - spine-0-0-0-0/7; exchange\n");
}

static void of_two_halves_both_are_majorities(void **state)
{
	struct mktree t = with_less(6);

	(void)state;
	leaf_uplink(&t, 3, 16)->gone = true;
	expect(&t, "missing: wanted leaf-0-0-0-3/16 - spine-0-0-0-1/12; connect\n");
	t = with_less(6);
	leaf_uplink(&t, 8, 15)->gone = true;
	expect(&t, "missing: wanted leaf-0-0-0-8/15 - spine-0-0-0-1/26; connect\n");
}

static void who_looks_like_the_larger_class_is_of_it(void **state)
{
	struct mktree t = with_less(5);

	(void)state;
	for (unsigned int leaf = 8; leaf < 12; leaf++)
		remove_hosts(&t, leaf, 5);
	expect(&t, "missing: wanted leaf-0-0-0-7 - spine-0-0-0-1, wanted leaf-0-0-0-7 - "
	           "spine-0-0-0-2, wanted leaf-0-0-0-7 - spine-0-0-0-0, wanted "
	           "leaf-0-0-0-7 - spine-0-0-0-3 (has 8 of 12 uplinks where 7 switches "
	           "like it have 12: 4 cables are missing, or it is intended)\n");
}

/* ---- of which class? ---- */

static void exchange(struct tree_end *a, struct tree_end *z)
{
	struct tree_end end = *a;

	*a = *z;
	*z = end;
}

static void plugs_of_leaves_in_leaves_leave_the_classes(void **state)
{
	struct mktree t = with_less(5);

	(void)state;
	leaf_uplink(&t, 1, 11)->end[1] = free_port(&t, tree_find(&t, TIER_LEAF, 0, 0, 0, 8));
	leaf_uplink(&t, 2, 11)->end[1] = free_port(&t, tree_find(&t, TIER_LEAF, 0, 0, 0, 5));
	leaf_uplink(&t, 3, 17)->end[1] = free_port(&t, tree_find(&t, TIER_LEAF, 0, 0, 0, 0));
	expect(&t, "same rank: leaf-0-0-0-1/11 - leaf-0-0-0-8/26, wanted leaf-0-0-0-1/11 - "
	           "spine-0-0-0-0/4; move\n"
	           "same rank: leaf-0-0-0-3/17 - leaf-0-0-0-0/26, wanted leaf-0-0-0-3/17 - "
	           "spine-0-0-0-2/10; move\n"
	           "same rank: leaf-0-0-0-5/26 - leaf-0-0-0-2/11, wanted leaf-0-0-0-2/11 - "
	           "spine-0-0-0-0/7; move\n");
}

static void a_cable_too_many_makes_no_member_of_the_larger_class(void **state)
{
	struct mktree t = with_less(8);
	struct tree_host *host = t.hosts;

	(void)state;
	for (unsigned int i = 0; i < t.num_links; i++) { /* without gaps */
		struct tree_end *end = &t.links[i].end[0];

		if (t.switches[end->sw].place >= 4 && !t.links[i].gone)
			end->port -= (end->port - 11) / 3;
	}
	while (host->at.sw != tree_find(&t, TIER_LEAF, 0, 0, 0, 9))
		host++;
	exchange(&host->at, &leaf_uplink(&t, 6, 14)->end[0]);
	expect(&t, "swapped: leaf-0-0-0-9/1 - spine-0-0-0-1/20, host00090 mlx5_0/1 - "
	           "leaf-0-0-0-6/14, wanted leaf-0-0-0-6/14 - spine-0-0-0-1/20, wanted "
	           "host00090 mlx5_0/1 - leaf-0-0-0-9/1; exchange\n");
}

/* Of as many uplinks, even leaves have more to even spines, odd ones to odd ones. */
static void an_exchange_between_classes_is_one_by_the_ports(void **state)
{
	struct mktree t = mktree(&spec, 1);

	(void)state;
	for (unsigned int leaf = 0; leaf < 12; leaf++)
		for (unsigned int spine = 0; spine < 4; spine++)
			leaf_uplink(&t, leaf, 13 + 3 * spine)->gone = (leaf + spine) % 2;
	swap_upper(leaf_uplink(&t, 2, 11), leaf_uplink(&t, 3, 14));
	expect(&t, "swapped: leaf-0-0-0-3/14 - spine-0-0-0-0/7, leaf-0-0-0-2/11 - "
	           "spine-0-0-0-1/10, wanted leaf-0-0-0-3/14 - spine-0-0-0-1/10, wanted "
	           "leaf-0-0-0-2/11 - spine-0-0-0-0/7; exchange\n");
}

/* Uplinks in no order do not tell; the hosts of the two classes do. */
static void half_of_a_leaf_is_missed_by_its_own_class(void **state)
{
	struct mktree t = with_less(4);

	(void)state;
	for (unsigned int leaf = 0; leaf < 8; leaf++)
		remove_hosts(&t, leaf, 8);
	for (unsigned int i = 0; i < 40 * t.num_links; i++) {
		struct tree_link *a = &t.links[pick(&t, t.num_links)];
		struct tree_link *z = &t.links[pick(&t, t.num_links)];

		for (int e = 0; e < 2 && !a->gone && !z->gone; e++)
			if (a->end[e].sw == z->end[e].sw) {
				unsigned int port = a->end[e].port;

				a->end[e].port = z->end[e].port;
				z->end[e].port = port;
			}
	}
	for (unsigned int i = 0, n = 0; n < 6; i += 1 + i % 2)
		if (t.links[i].end[0].sw == tree_find(&t, TIER_LEAF, 0, 0, 0, 3)) {
			t.links[i].gone = true;
			n++;
		}
	expect(&t, "missing: wanted leaf-0-0-0-3 - spine-0-0-0-1, wanted leaf-0-0-0-3 - "
	           "spine-0-0-0-1, wanted leaf-0-0-0-3 - spine-0-0-0-2, wanted leaf-0-0-0-3 - "
	           "spine-0-0-0-0, wanted leaf-0-0-0-3 - spine-0-0-0-3, wanted leaf-0-0-0-3 - "
	           "spine-0-0-0-3 (has 6 of 12 uplinks where 7 switches like it have 12: 6 "
	           "cables are missing, or it is intended)\n");
}

static void spines_of_a_class_are_judged_by_it(void **state)
{
	static const struct tree_spec wide = {
		.leaves = 6, .spines = 16, .cables = 2, .hosts = 10
	};
	struct mktree t = mktree(&wide, 1);

	(void)state;
	for (unsigned int leaf = 0; leaf < 6; leaf++)
		for (unsigned int spine = 12; spine < 16; spine++)
			leaf_uplink(&t, leaf, 12 + 2 * spine)->gone = true;
	expect(&t, "");
	t = mktree(&wide, 1);
	for (unsigned int leaf = 0; leaf < 6; leaf++)
		for (unsigned int spine = 12; spine < 16; spine++)
			leaf_uplink(&t, leaf, 12 + 2 * spine)->gone = true;
	leaf_uplink(&t, 4, 11 + 2 * 13)->gone = true;
	expect(&t, "missing: wanted leaf-0-0-0-4/37 - spine-0-0-0-13/9; connect\n");
}

/* ---- what can be seen beside the count ---- */

/* The last few have few hosts, and no cable to the spines from this one on. */
static struct mktree with_part(unsigned int leaves, unsigned int spines)
{
	struct mktree t = mktree(&spec, 1);

	for (unsigned int leaf = 12 - leaves; leaf < 12; leaf++) {
		remove_hosts(&t, leaf, 4);
		for (unsigned int port = 11 + 3 * spines; port <= 22; port++)
			leaf_uplink(&t, leaf, port)->gone = true;
	}
	return t;
}

static void two_that_look_alike_are_a_class_with_one_that_lacks_more(void **state)
{
	struct mktree t = with_part(3, 2);

	(void)state;
	leaf_uplink(&t, 10, 15)->gone = true;
	expect(&t, "missing: wanted leaf-0-0-0-10 - spine-0-0-0-1 (has 5 of 6 "
	           "uplinks where 2 switches like it have 6: 1 cable is missing, "
	           "or it is intended)\n");
}

static void a_spine_lacks_no_cables_that_a_class_has_to_none_like_it(void **state)
{
	static const struct tree_spec single = { .leaves = 7, .spines = 5, .hosts = 10 };
	struct mktree t = mktree(&single, 1);

	(void)state;
	for (unsigned int leaf = 4; leaf < 7; leaf++) {
		remove_hosts(&t, leaf, 4);
		for (unsigned int port = 12; port <= 15; port++)
			leaf_uplink(&t, leaf, port)->gone = true;
	}
	leaf_uplink(&t, 0, 15)->gone = true;
	leaf_uplink(&t, 1, 15)->gone = true;
	expect(&t, "missing: wanted leaf-0-0-0-1/15 - spine-0-0-0-4/2; connect\n"
	           "missing: wanted leaf-0-0-0-0/15 - spine-0-0-0-4/1; connect\n");
}

static void a_spine_beside_one_that_a_class_avoids_too_lacks_its_own(void **state)
{
	struct mktree t = with_part(3, 2);

	(void)state;
	leaf_uplink(&t, 0, 20)->gone = true;
	expect(&t, "missing: wanted leaf-0-0-0-0/20 - spine-0-0-0-3/1; connect\n");
}

static void few_hosts_are_no_reason_where_others_with_few_are_complete(void **state)
{
	struct mktree t = with_part(4, 4);

	(void)state;
	for (unsigned int port = 11; port <= 16; port++)
		leaf_uplink(&t, 9, port)->gone = true;
	expect(&t, "missing: wanted leaf-0-0-0-9/14 - spine-0-0-0-1/28, wanted "
	           "leaf-0-0-0-9/15 - spine-0-0-0-1/29, wanted leaf-0-0-0-9/16 - "
	           "spine-0-0-0-1/30, wanted leaf-0-0-0-9/11 - spine-0-0-0-0/28, "
	           "wanted leaf-0-0-0-9/12 - spine-0-0-0-0/29, wanted "
	           "leaf-0-0-0-9/13 - spine-0-0-0-0/30; connect, connect, "
	           "connect, connect, connect, connect\n");
}

static void two_of_a_class_that_lack_the_same_are_named(void **state)
{
	struct mktree t = with_less(5);

	(void)state;
	for (unsigned int leaf = 7; leaf < 9; leaf++)
		for (unsigned int port = 11; port <= 14; port += 3)
			leaf_uplink(&t, leaf, port)->gone = true;
	expect(&t, "missing: wanted leaf-0-0-0-7 - spine-0-0-0-1, wanted "
	           "leaf-0-0-0-7 - spine-0-0-0-0 (has 6 of 8 uplinks where 3 "
	           "switches like it have 8: 2 cables are missing, or it is "
	           "intended)\n"
	           "missing: wanted leaf-0-0-0-8 - spine-0-0-0-1, wanted "
	           "leaf-0-0-0-8 - spine-0-0-0-0 (has 6 of 8 uplinks where 3 "
	           "switches like it have 8: 2 cables are missing, or it is "
	           "intended)\n");
}

static void who_has_all_of_half_a_spine_has_none_too_many(void **state)
{
	static const struct tree_spec two = { .leaves = 8, .spines = 2, .cables = 2, .hosts = 4 };
	struct mktree t = mktree(&two, 1);

	(void)state;
	for (unsigned int leaf = 0; leaf < 8; leaf++)
		leaf_uplink(&t, leaf, 7)->gone = leaf != 3;
	leaf_uplink(&t, 1, 8)->gone = true;
	expect(&t, "missing: wanted leaf-0-0-0-0 - spine-0-0-0-1, wanted "
	           "leaf-0-0-0-7 - spine-0-0-0-1, wanted leaf-0-0-0-1 - "
	           "spine-0-0-0-1, wanted leaf-0-0-0-1 - spine-0-0-0-1, wanted "
	           "leaf-0-0-0-4 - spine-0-0-0-1, wanted leaf-0-0-0-6 - "
	           "spine-0-0-0-1, wanted leaf-0-0-0-5 - spine-0-0-0-1, wanted "
	           "leaf-0-0-0-2 - spine-0-0-0-1 (has 8 of 16 cables downward "
	           "where 1 switch like it has 16: 8 cables are missing, or it is "
	           "intended)\n");
}

/* Two of six have one cable to each leaf, at ports without gaps; two leaves may have one more. */
static struct mktree with_lesser(unsigned int more)
{
	static const struct tree_spec six = { .leaves = 12, .spines = 6, .cables = 2, .hosts = 10 };
	struct mktree t = mktree(&six, 1);

	for (unsigned int leaf = 0; leaf < 12; leaf++) {
		leaf_uplink(&t, leaf, 19)->end[1].port = leaf + 1;
		leaf_uplink(&t, leaf, 20)->gone = leaf >= more;
		leaf_uplink(&t, leaf, 20)->end[1].port = leaf + 13;
		leaf_uplink(&t, leaf, 22)->gone = true;
		leaf_uplink(&t, leaf, 21)->end[1].port = leaf + 1;
		if (leaf >= more)
			leaf_uplink(&t, leaf, 21)->end[0].port = 20;
	}
	return t;
}

static void what_most_have_to_a_damaged_spine_is_not_its_number(void **state)
{
	struct mktree t = with_lesser(0);

	(void)state;
	for (unsigned int leaf = 0; leaf < 12; leaf++)
		leaf_uplink(&t, leaf, 13)->gone = leaf % 4 > 0;
	expect(&t, "missing: wanted leaf-0-0-0-10 - spine-0-0-0-1/21, wanted "
	           "leaf-0-0-0-1 - spine-0-0-0-1/3, wanted leaf-0-0-0-6 - "
	           "spine-0-0-0-1/13, wanted leaf-0-0-0-5 - spine-0-0-0-1/11, "
	           "wanted leaf-0-0-0-2 - spine-0-0-0-1/5, wanted leaf-0-0-0-11 - "
	           "spine-0-0-0-1/23, wanted leaf-0-0-0-7 - spine-0-0-0-1/15, "
	           "wanted leaf-0-0-0-9 - spine-0-0-0-1/19, wanted leaf-0-0-0-3 - "
	           "spine-0-0-0-1/7; connect, connect, connect, connect, connect, "
	           "connect, connect, connect, connect\n");
}

/* What they may have lost is no reason to say nothing of a third one. */
static void beside_two_lesser_spines_a_damaged_one_is_named(void **state)
{
	static const struct tree_spec four = { .leaves = 6, .spines = 4, .cables = 2, .hosts = 10 };
	struct mktree t = mktree(&four, 1);

	(void)state;
	for (unsigned int leaf = 0; leaf < 6; leaf++) {
		leaf_uplink(&t, leaf, 14)->gone = leaf_uplink(&t, leaf, 16)->gone = true;
		leaf_uplink(&t, leaf, 11)->gone = leaf < 2;
	}
	expect(&t, "missing: wanted leaf-0-0-0-0/11 - spine-0-0-0-0/1; "
	           "connect\nmissing: wanted leaf-0-0-0-0 - spine-0-0-0-1, wanted "
	           "leaf-0-0-0-1 - spine-0-0-0-1, wanted leaf-0-0-0-3 - spine-0-0-0-1,"
	           " wanted leaf-0-0-0-4 - spine-0-0-0-1, wanted leaf-0-0-0-5 - "
	           "spine-0-0-0-1, wanted leaf-0-0-0-2 - spine-0-0-0-1 (has 6 of 12 "
	           "cables downward where 2 switches like it have 12: 6 cables are "
	           "missing, or it is intended)\nmissing: wanted leaf-0-0-0-0 - "
	           "spine-0-0-0-2, wanted leaf-0-0-0-1 - spine-0-0-0-2, wanted "
	           "leaf-0-0-0-3 - spine-0-0-0-2, wanted leaf-0-0-0-4 - spine-0-0-0-2,"
	           " wanted leaf-0-0-0-5 - spine-0-0-0-2, wanted leaf-0-0-0-2 - "
	           "spine-0-0-0-2 (has 6 of 12 cables downward where 2 switches like "
	           "it have 12: 6 cables are missing, or it is intended)\nmissing: "
	           "wanted leaf-0-0-0-1/11 - spine-0-0-0-0/3; connect\n");
}

/* Whole trunks to three leaves in the middle: where they were the ports are free, at both ends. */
static void a_spine_that_lost_whole_trunks_is_no_half_of_one(void **state)
{
	static const struct tree_spec four = { .leaves = 8, .spines = 4, .cables = 2, .hosts = 10 };
	struct mktree t = mktree(&four, 1);

	(void)state;
	for (unsigned int leaf = 2; leaf < 5; leaf++)
		leaf_uplink(&t, leaf, 13)->gone = leaf_uplink(&t, leaf, 14)->gone = true;
	expect(&t, "missing: wanted leaf-0-0-0-3 - spine-0-0-0-1, wanted "
	           "leaf-0-0-0-3 - spine-0-0-0-1, wanted leaf-0-0-0-4 - "
	           "spine-0-0-0-1, wanted leaf-0-0-0-4 - spine-0-0-0-1, wanted "
	           "leaf-0-0-0-2 - spine-0-0-0-1, wanted leaf-0-0-0-2 - "
	           "spine-0-0-0-1 (has 10 of 16 cables downward where 3 switches "
	           "like it have 16: 6 cables are missing, or it is intended)\n");
}

/* One line card, or one hand, at both; the ports that are free are those of what was there. */
static void two_spines_that_lost_half_of_each_trunk_are_no_design(void **state)
{
	static const struct tree_spec four = { .leaves = 6, .spines = 4, .cables = 2, .hosts = 10 };
	struct mktree t = mktree(&four, 1);

	(void)state;
	for (unsigned int leaf = 0; leaf < 6; leaf++)
		leaf_uplink(&t, leaf, 14)->gone = leaf_uplink(&t, leaf, 16)->gone = true;
	expect(&t, "missing: wanted leaf-0-0-0-0 - spine-0-0-0-1, wanted "
	           "leaf-0-0-0-1 - spine-0-0-0-1, wanted leaf-0-0-0-3 - "
	           "spine-0-0-0-1, wanted leaf-0-0-0-4 - spine-0-0-0-1, wanted "
	           "leaf-0-0-0-5 - spine-0-0-0-1, wanted leaf-0-0-0-2 - "
	           "spine-0-0-0-1 (has 6 of 12 cables downward where 2 switches "
	           "like it have 12: 6 cables are missing, or it is intended)\n"
	           "missing: wanted leaf-0-0-0-0 - spine-0-0-0-2, wanted "
	           "leaf-0-0-0-1 - spine-0-0-0-2, wanted leaf-0-0-0-3 - "
	           "spine-0-0-0-2, wanted leaf-0-0-0-4 - spine-0-0-0-2, wanted "
	           "leaf-0-0-0-5 - spine-0-0-0-2, wanted leaf-0-0-0-2 - "
	           "spine-0-0-0-2 (has 6 of 12 cables downward where 2 switches "
	           "like it have 12: 6 cables are missing, or it is intended)\n");
}

static void a_cable_more_to_a_lesser_spine_makes_no_others_missing(void **state)
{
	struct mktree t = with_lesser(2);

	(void)state;
	expect(&t, "");
}

static void a_core_with_one_cable_left_is_there(void **state)
{
	struct mktree t = mktree(&pods, 1);

	(void)state;
	for (unsigned int pod = 0; pod < 3; pod++)
		uplink(&t, tree_find(&t, TIER_SPINE, 0, 0, pod, 1), 5)->gone = true;
	expect(&t, "missing: wanted spine-0-0-1-1 - core-0-0-0-2, wanted "
	           "spine-0-0-2-1 - core-0-0-0-2, wanted spine-0-0-0-1 - "
	           "core-0-0-0-2 (has 1 of 4 cables downward where 1 switch like "
	           "it has 4: 3 cables are missing, or it is intended)\n");
}

/* ---- what follows no rule ---- */

static void storage_beside_a_moved_plug_has_no_part_in_it(void **state)
{
	struct mktree t = mktree(&spec, 1);
	unsigned int storage = tree_switch(
	    &t, (struct tree_switch){ .tier = TIER_LEAF, .place = 20, .ports = 8, .guid = 0x9000 });

	(void)state;
	for (unsigned int i = 0; i < 4; i++)
		tree_link(&t, (struct tree_end){ storage, i + 1 },
		          free_port(&t, tree_find(&t, TIER_SPINE, 0, 0, 0, i / 2)));
	leaf_uplink(&t, 3, 11)->end[1] = free_port(&t, tree_find(&t, TIER_SPINE, 0, 0, 0, 3));
	expect(&t, "uneven: leaf-0-0-0-3/11 - spine-0-0-0-3/40, wanted leaf-0-0-0-3/11 - "
	           "spine-0-0-0-0/10; move\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_two_that_have_less_nobody_knows),
		cmocka_unit_test(a_class_of_three_is_meant),
		cmocka_unit_test(two_do_not_testify_for_the_third),
		cmocka_unit_test(three_testify_for_the_fourth),
		cmocka_unit_test(an_exchange_within_a_class_is_one),
		cmocka_unit_test(an_exchange_across_classes_is_one),
		cmocka_unit_test(of_two_halves_both_are_majorities),
		cmocka_unit_test(who_looks_like_the_larger_class_is_of_it),
		cmocka_unit_test(plugs_of_leaves_in_leaves_leave_the_classes),
		cmocka_unit_test(a_cable_too_many_makes_no_member_of_the_larger_class),
		cmocka_unit_test(an_exchange_between_classes_is_one_by_the_ports),
		cmocka_unit_test(half_of_a_leaf_is_missed_by_its_own_class),
		cmocka_unit_test(spines_of_a_class_are_judged_by_it),
		cmocka_unit_test(two_that_look_alike_are_a_class_with_one_that_lacks_more),
		cmocka_unit_test(a_spine_lacks_no_cables_that_a_class_has_to_none_like_it),
		cmocka_unit_test(a_spine_beside_one_that_a_class_avoids_too_lacks_its_own),
		cmocka_unit_test(few_hosts_are_no_reason_where_others_with_few_are_complete),
		cmocka_unit_test(two_of_a_class_that_lack_the_same_are_named),
		cmocka_unit_test(who_has_all_of_half_a_spine_has_none_too_many),
		cmocka_unit_test(what_most_have_to_a_damaged_spine_is_not_its_number),
		cmocka_unit_test(beside_two_lesser_spines_a_damaged_one_is_named),
		cmocka_unit_test(a_spine_that_lost_whole_trunks_is_no_half_of_one),
		cmocka_unit_test(two_spines_that_lost_half_of_each_trunk_are_no_design),
		cmocka_unit_test(a_cable_more_to_a_lesser_spine_makes_no_others_missing),
		cmocka_unit_test(a_core_with_one_cable_left_is_there),
		cmocka_unit_test(storage_beside_a_moved_plug_has_no_part_in_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
