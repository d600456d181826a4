/* SPDX-License-Identifier: BSD-2-Clause */
/* Plugs exchanged with one of another tier, or of a host: one case, and one step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkfault.h"
#include "treetext.h"

static struct tree_host *host_of(struct mktree *t, unsigned int pod, unsigned int leaf)
{
	unsigned int sw = tree_find(t, TIER_LEAF, 0, 0, pod, leaf), i = 0;

	while (t->hosts[i].at.sw != sw)
		i++;
	return &t->hosts[i + 2];
}

static void exchange(struct tree_end *a, struct tree_end *z)
{
	struct tree_end end = *a;

	*a = *z;
	*z = end;
}

static void a_host_in_a_spine_and_its_cable_in_a_leaf(void **state)
{
	struct mktree t = mktree(&two_levels, 1);

	(void)state;
	exchange(&host_of(&t, 0, 4)->at, &leaf_uplink(&t, 1, 10)->end[1]);
	expect(&t, "swapped: leaf-0-0-0-1/10 - leaf-0-0-0-4/3, host00034 mlx5_0/1 "
	           "- spine-0-0-0-1/2, wanted leaf-0-0-0-1/10 - spine-0-0-0-1/2, "
	           "wanted host00034 mlx5_0/1 - leaf-0-0-0-4/3; exchange\n");
	t = mktree(&pods, 1); /* in another pod */
	exchange(&host_of(&t, 2, 1)->at, &leaf_uplink(&t, 1, 6)->end[1]);
	expect(&t, "swapped: leaf-0-0-0-1/6 - leaf-0-0-2-1/3, host00038 mlx5_0/1 "
	           "- spine-0-0-0-1/2, wanted leaf-0-0-0-1/6 - spine-0-0-0-1/2, "
	           "wanted host00038 mlx5_0/1 - leaf-0-0-2-1/3; exchange\n");
	t = mktree(&two_levels, 1); /* the cable is one from a leaf to itself then */
	exchange(&host_of(&t, 0, 1)->at, &leaf_uplink(&t, 1, 10)->end[1]);
	expect(&t, "swapped: leaf-0-0-0-1/3 - leaf-0-0-0-1/10, host00010 mlx5_0/1 "
	           "- spine-0-0-0-1/2, wanted leaf-0-0-0-1/10 - spine-0-0-0-1/2, "
	           "wanted host00010 mlx5_0/1 - leaf-0-0-0-1/3; exchange\n");
}

static void a_host_at_the_uplink_of_another_leaf(void **state)
{
	struct mktree t = mktree(&two_levels, 1);

	(void)state;
	exchange(&host_of(&t, 0, 4)->at, &leaf_uplink(&t, 1, 10)->end[0]);
	expect(&t, "swapped: leaf-0-0-0-4/3 - spine-0-0-0-1/2, host00034 mlx5_0/1 "
	           "- leaf-0-0-0-1/10, wanted leaf-0-0-0-1/10 - spine-0-0-0-1/2, "
	           "wanted host00034 mlx5_0/1 - leaf-0-0-0-4/3; exchange\n");
	t = mktree(&pods, 1);
	exchange(&host_of(&t, 2, 1)->at, &leaf_uplink(&t, 1, 6)->end[0]);
	expect(&t, "swapped: leaf-0-0-2-1/3 - spine-0-0-0-1/2, host00038 mlx5_0/1 "
	           "- leaf-0-0-0-1/6, wanted leaf-0-0-0-1/6 - spine-0-0-0-1/2, "
	           "wanted host00038 mlx5_0/1 - leaf-0-0-2-1/3; exchange\n");
}

/* Storage on two of the spines, whose ports are in no order, is there by design. */
static void storage_on_spines_is_not_exchanged(void **state)
{
	static const struct tree_spec spec = { .leaves = 8, .spines = 4, .cables = 2, .hosts = 8 };
	struct mktree t = mktree(&spec, 1);
	unsigned int n = t.num_links;

	(void)state;
	for (unsigned int i = 0; i < n; i++) {
		struct tree_end *a = &t.links[i].end[1], *z = &t.links[pick(&t, n)].end[1];

		if (a->sw == z->sw)
			exchange(a, z);
	}
	for (unsigned int i = 0; i < 6; i++)
		tree_host(&t, free_port(&t, tree_find(&t, TIER_SPINE, 0, 0, 0, i % 2)), 100 + i, 0);
	leaf_uplink(&t, 3, 9)->end[1] = free_port(&t, tree_find(&t, TIER_LEAF, 0, 0, 0, 5));
	expect(&t, "same rank: leaf-0-0-0-3/9 - leaf-0-0-0-5/20, wanted leaf-0-0-0-3/9 - "
	           "spine-0-0-0-0; move\n");
}

static void a_host_in_a_core(void **state)
{
	static const char *const cases[] = {
		"swapped: leaf-0-0-2-1/3 - core-0-0-0-6/2, host00038 mlx5_0/1 "
		"- spine-0-0-1-3/5, wanted spine-0-0-1-3/5 - core-0-0-0-6/2, "
		"wanted host00038 mlx5_0/1 - leaf-0-0-2-1/3; exchange\n",
		"swapped: leaf-0-0-2-1/3 - spine-0-0-1-3/5, host00038 mlx5_0/1 "
		"- core-0-0-0-6/2, wanted spine-0-0-1-3/5 - core-0-0-0-6/2, "
		"wanted host00038 mlx5_0/1 - leaf-0-0-2-1/3; exchange\n",
	};

	for (int end = 0; end < 2; end++) {
		struct mktree t = mktree(&pods, 1);

		(void)state;
		exchange(&host_of(&t, 2, 1)->at,
		         &uplink(&t, tree_find(&t, TIER_SPINE, 0, 0, 1, 3), 5)->end[end]);
		expect(&t, cases[end]);
	}
}

/* A cable to a leaf and one to a core, at a spine, or each with the far end of the other. */
static void plugs_of_two_tiers_are_exchanged(void **state)
{
	static const char *const cases[2][2] = {
		{ "swapped: leaf-0-0-1-2/6 - spine-0-0-1-3/5, spine-0-0-1-1/3 - "
		  "core-0-0-0-6/2, wanted leaf-0-0-1-2/6 - spine-0-0-1-1/3, "
		  "wanted spine-0-0-1-3/5 - core-0-0-0-6/2; exchange\n",
		  "swapped: leaf-0-0-1-2/6 - spine-0-0-2-3/5, spine-0-0-1-1/3 - "
		  "core-0-0-0-6/3, wanted leaf-0-0-1-2/6 - spine-0-0-1-1/3, "
		  "wanted spine-0-0-2-3/5 - core-0-0-0-6/3; exchange\n" },
		{ "swapped: leaf-0-0-1-2/6 - core-0-0-0-6/2, spine-0-0-1-1/3 - "
		  "spine-0-0-1-3/5, wanted leaf-0-0-1-2/6 - spine-0-0-1-1/3, "
		  "wanted spine-0-0-1-3/5 - core-0-0-0-6/2; exchange\n",
		  "swapped: leaf-0-0-1-2/6 - core-0-0-0-6/3, spine-0-0-1-1/3 - "
		  "spine-0-0-2-3/5, wanted leaf-0-0-1-2/6 - spine-0-0-1-1/3, "
		  "wanted spine-0-0-2-3/5 - core-0-0-0-6/3; exchange\n" },
	};

	for (int end = 0; end < 2; end++)
		for (unsigned int pod = 1; pod < 3; pod++) {
			struct mktree t = mktree(&pods, 1);
			struct tree_link *up = uplink(&t, tree_find(&t, TIER_SPINE, 0, 0, pod, 3),
			                              5);

			(void)state;
			exchange(&uplink(&t, tree_find(&t, TIER_LEAF, 0, 0, 1, 2), 6)->end[1],
			         &up->end[end]);
			expect(&t, cases[end][pod - 1]);
		}
}

/* A cable within a tier where nothing is missing: a mistake, unless there are two side by side. */
static void a_cable_within_a_tier_is_one_too_many(void **state)
{
	(void)state;
	for (unsigned int tier = TIER_LEAF; tier <= TIER_CORE; tier++) {
		static const char *const cases[] = {
			"same rank: leaf-0-0-1-2/12 - leaf-0-0-1-0/12; remove\n",
			"same rank: spine-0-0-1-2/10 - spine-0-0-1-0/10; remove\n",
			"same rank: core-0-0-0-2/8 - core-0-0-0-0/8; remove\n",
		};
		unsigned int pod = tier != TIER_CORE;
		struct mktree t;

		for (unsigned int n = 1; n <= 2; n++) {
			t = mktree(&pods, 1);
			for (unsigned int i = 0; i < n; i++)
				tree_link(&t, free_port(&t, tree_find(&t, tier, 0, 0, pod, 0)),
				          free_port(&t, tree_find(&t, tier, 0, 0, pod, 2)));
			expect(&t, n == 1 ? cases[tier] : "");
		}
	}
}

/* Three of six leaves with a cable to another: that is how it was built. */
static void more_than_a_few_within_a_tier_are_meant(void **state)
{
	struct mktree t = mktree(&two_levels, 1);

	(void)state;
	for (unsigned int l = 0; l < 6; l += 2)
		tree_link(&t, free_port(&t, tree_find(&t, TIER_LEAF, 0, 0, 0, l)),
		          free_port(&t, tree_find(&t, TIER_LEAF, 0, 0, 0, l + 1)));
	expect(&t, "");
}

/* A service leaf is a spine for the plug of its own that is in a leaf: its other cable is right. */
static void who_follows_no_rule_has_no_cable_too_many(void **state)
{
	struct mktree t = mktree(&two_levels, 1);
	unsigned int service = tree_switch(
	    &t, (struct tree_switch){ .tier = TIER_LEAF, .place = 20, .ports = 8, .guid = 0x9000 });

	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		tree_host(&t, (struct tree_end){ service, i + 1 }, 100 + i, 0);
	tree_link(&t, (struct tree_end){ service, 4 },
	          free_port(&t, tree_find(&t, TIER_SPINE, 0, 0, 0, 1)));
	for (unsigned int i = 0; i < 2; i++)
		tree_link(&t, (struct tree_end){ service, 5 + i },
		          free_port(&t, tree_find(&t, TIER_LEAF, 0, 0, 0, 2 + i)));
	expect(&t, "");
}

/* The spines of a pod that grows have one cable to each core, and one of these is in a spine. */
static void the_port_tells_where_it_belongs_while_a_pod_grows(void **state)
{
	static const struct tree_spec spec = {
		.pods = 4, .leaves = 4, .spines = 3, .uplinks = 0, .chips = 4, .hosts = 6
	};
	struct mktree t = mktree(&spec, 1);
	unsigned int n = t.num_links;

	(void)state;
	for (unsigned int i = 0; i < n; i++) { /* all others have two to each */
		struct tree_end end[2] = { t.links[i].end[0], t.links[i].end[1] };

		if (t.switches[end[1].sw].tier != TIER_CORE || t.switches[end[0].sw].pod == 3)
			continue;
		for (int e = 0; e < 2; e++)
			end[e].port = ++t.switches[end[e].sw].ports;
		tree_link(&t, end[0], end[1]);
	}
	uplink(&t, tree_find(&t, TIER_SPINE, 0, 0, 3, 1), 6)->end[1] = free_port(
	    &t, tree_find(&t, TIER_SPINE, 0, 0, 1, 0));
	expect(&t, "same rank: spine-0-0-1-0/12 - spine-0-0-3-1/6, wanted spine-0-0-3-1/6 - "
	           "core-0-0-0-1/11; move\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_host_in_a_spine_and_its_cable_in_a_leaf),
		cmocka_unit_test(a_host_at_the_uplink_of_another_leaf),
		cmocka_unit_test(storage_on_spines_is_not_exchanged),
		cmocka_unit_test(a_host_in_a_core),
		cmocka_unit_test(plugs_of_two_tiers_are_exchanged),
		cmocka_unit_test(a_cable_within_a_tier_is_one_too_many),
		cmocka_unit_test(more_than_a_few_within_a_tier_are_meant),
		cmocka_unit_test(who_follows_no_rule_has_no_cable_too_many),
		cmocka_unit_test(the_port_tells_where_it_belongs_while_a_pod_grows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
