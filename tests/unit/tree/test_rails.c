/* SPDX-License-Identifier: BSD-2-Clause */
/* Adapters of hosts with several: which are exchanged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/tree/wiring.h"
#include "base/arena.h"
#include "mktree.h"

/* Host h has adapter r on leaf h / 8 of rail r. */
static const struct tree_spec four = { .rails = 4, .leaves = 4, .spines = 4, .hosts = 8 };
static const struct tree_spec two = { .rails = 2, .leaves = 4, .spines = 4, .hosts = 8 };

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

static struct tree_host *adapter(struct mktree *t, unsigned int host, unsigned int rail)
{
	for (unsigned int i = 0; i < t->num_hosts; i++)
		if (t->hosts[i].number == host && t->hosts[i].adapter == rail)
			return &t->hosts[i];
	fail_msg("no such adapter");
	return NULL;
}

static void exchange(struct tree_host *a, struct tree_host *z)
{
	struct tree_end at = a->at;

	a->at = z->at;
	z->at = at;
}

/*
 * "host00003 mlx5_1 and host00019 mlx5_1\n" for each exchange, "parts leaf ..." and "lacks n host
 * ..." for rails, a line for each case, and "alone host ..." for the rest
 */
static void expect(struct mktree *t, const char *lines)
{
	struct inferred in = infer(t);
	char text[2048] = "";
	size_t used = 0;

	for (size_t i = 0; i < in.tree->num_cases; i++) {
		const struct wiring_case *c = &in.tree->cases[i];

		if (c->kind == WIRING_RAIL_PARTS || c->kind == WIRING_RAIL_HOST) {
			bool parts = c->kind == WIRING_RAIL_PARTS;

			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s %zu %s\n",
			                         parts ? "parts" : "lacks",
			                         parts ? c->num_nodes : c->lacking,
			                         c->nodes[0]->desc);
			assert_true(c->blamed);
			continue;
		}
		if (c->kind == WIRING_IRREGULAR && !c->blamed) /* a leaf that was cut off */
			continue;
		if (c->kind == WIRING_NO_LEAF)
			continue;
		assert_int_equal(c->kind, WIRING_RAIL);
		assert_int_equal(c->blamed, c->num_found >= 2);
		for (size_t k = 0; k < c->num_found; k++)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
			                         c->found[k]->node->desc,
			                         k + 1 < c->num_found ? " and " : "\n");
		for (size_t k = 0; k < c->num_nodes; k++)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "alone %s\n",
			                         c->nodes[k]->desc);
	}
	assert_string_equal(text, lines);
	end(in);
}

static void adapters_in_order_are_left_alone(void **state)
{
	static const struct tree_spec one = { .leaves = 4, .spines = 4, .hosts = 8 };
	struct mktree t = mktree(&four, 1);

	(void)state;
	expect(&t, "");
	t = mktree(&two, 1);
	expect(&t, "");
	t = mktree(&one, 1);
	exchange(adapter(&t, 1, 0), adapter(&t, 20, 0));
	expect(&t, "");
}

static void two_adapters_of_one_host_are_exchanged(void **state)
{
	struct mktree t = mktree(&two, 2);
	const struct wiring_case *c;
	struct inferred in;

	(void)state;
	exchange(adapter(&t, 11, 0), adapter(&t, 11, 1));
	expect(&t, "host00011 mlx5_0 and host00011 mlx5_1\n");
	t = mktree(&two, 2);
	exchange(adapter(&t, 11, 0), adapter(&t, 11, 1));
	in = infer(&t);
	c = &in.tree->cases[0];
	assert_string_equal(c->gaps[0].lower.node->desc, "host00011 mlx5_0");
	assert_string_equal(c->gaps[0].upper.node->desc, "leaf-0-0-0-1");
	assert_int_equal(c->gaps[0].upper.port, 4);
	assert_int_equal(c->num_steps, 1);
	assert_int_equal(c->steps[0].action, IBC_ACTION_EXCHANGE);
	end(in);
}

static void adapters_of_two_hosts_in_two_rails_are_exchanged(void **state)
{
	struct mktree t = mktree(&two, 3);

	(void)state;
	exchange(adapter(&t, 3, 0), adapter(&t, 30, 1));
	expect(&t, "host00003 mlx5_0 and host00030 mlx5_1\n");
}

/* Which of the two hosts moved, the other rail alone does not tell. */
/* Adapters first .. first + n - 1 of a host, each in the place of the next. */
static void rotate(struct mktree *t, unsigned int host, unsigned int first, unsigned int n)
{
	for (unsigned int r = first; r + 1 < first + n; r++)
		exchange(adapter(t, host, r), adapter(t, host, r + 1));
}

static void adapters_of_one_host_are_rotated(void **state)
{
	struct mktree t = mktree(&four, 2);
	const struct wiring_case *c;
	struct inferred in;

	(void)state;
	rotate(&t, 11, 1, 3);
	in = infer(&t);
	assert_int_equal(in.tree->num_cases, 1);
	c = &in.tree->cases[0];
	assert_int_equal(c->num_found, 3);
	assert_int_equal(c->num_steps, 2);
	for (size_t i = 0; i < 3; i++) { /* each goes to a leaf of its own rail */
		const char *name = c->gaps[i].lower.node->desc;

		assert_int_equal(name[strlen(name) - 1], c->gaps[i].upper.node->desc[5]);
		assert_int_equal(c->gaps[i].upper.port, 4);
	}
	/* both steps leave the plug they meet where it belongs */
	assert_ptr_equal(in.tree->steps[0].to_peer.node, c->found[1]->node);
	assert_ptr_equal(in.tree->steps[0].from.node, c->gaps[1].upper.node);
	assert_ptr_equal(in.tree->steps[1].to_peer.node, c->found[2]->node);
	assert_ptr_equal(in.tree->steps[1].from.node, c->gaps[2].upper.node);
	end(in);
	t = mktree(&four, 2);
	rotate(&t, 21, 0, 4);
	expect(&t, "host00021 mlx5_0 and host00021 mlx5_1 and host00021 mlx5_2 and "
	           "host00021 mlx5_3\n");
}

static void adapters_of_three_hosts_are_rotated(void **state)
{
	struct mktree t = mktree(&four, 2);

	(void)state;
	exchange(adapter(&t, 3, 0), adapter(&t, 11, 1));
	exchange(adapter(&t, 11, 1), adapter(&t, 30, 2));
	expect(&t, "host00003 mlx5_0 and host00011 mlx5_1 and host00030 mlx5_2\n");
}

static void within_one_of_two_rails_nobody_can_tell(void **state)
{
	struct mktree t = mktree(&two, 4);

	(void)state;
	exchange(adapter(&t, 3, 0), adapter(&t, 30, 0));
	expect(&t, "");
}

static void within_one_of_four_rails_the_others_tell(void **state)
{
	(void)state;
	for (unsigned int h = 8; h < 32; h += 5) {
		struct mktree t = mktree(&four, 5 + h);
		char lines[128];

		exchange(adapter(&t, 3, h % 4), adapter(&t, h, h % 4));
		snprintf(lines, sizeof(lines), "host00003 mlx5_%u and host%05u mlx5_%u\n", h % 4, h,
		         h % 4);
		expect(&t, lines);
	}
}

static void one_alone_is_for_information(void **state)
{
	struct mktree t = mktree(&four, 6);

	(void)state;
	adapter(&t, 9, 2)->at = (struct tree_end){ adapter(&t, 25, 2)->at.sw,
		                                   t.switches[adapter(&t, 25, 2)->at.sw].ports };
	expect(&t, "alone host00009 mlx5_2\n");
	t = mktree(&four, 6);
	adapter(&t, 9, 2)->at = (struct tree_end){ adapter(&t, 9, 3)->at.sw,
		                                   t.switches[adapter(&t, 9, 3)->at.sw].ports };
	expect(&t, "alone host00009 mlx5_2\n");
}

/* Storage nodes whose first adapter is where the second of the others is. */
static void hosts_of_another_type_have_a_rule_of_their_own(void **state)
{
	struct mktree t = mktree(&two, 7);

	(void)state;
	for (unsigned int i = 0; i < t.num_hosts; i++)
		if (t.hosts[i].number % 8 < 3)
			t.hosts[i].adapter = 3 - t.hosts[i].adapter;
	expect(&t, "");
}

static void too_few_hosts_have_no_rule(void **state)
{
	static const struct tree_spec examples = {
		.rails = 2, .leaves = 3, .spines = 4, .hosts = 2
	};
	struct mktree t = mktree(&examples, 8);

	(void)state;
	exchange(adapter(&t, 1, 0), adapter(&t, 1, 1));
	expect(&t, "");
}

static void adapters_that_follow_no_order_have_no_rule(void **state)
{
	struct mktree t = mktree(&two, 9);

	(void)state;
	for (unsigned int h = 0; h < 32; h += 4)
		exchange(adapter(&t, h, 0), adapter(&t, h, 1));
	expect(&t, "");
}

static void memory_may_run_out_anywhere(void **state)
{
	struct mktree t = mktree(&four, 10);
	struct ibc_fattree *tree;
	struct ibc_fabric *fab;
	int rc = -1;

	(void)state;
	exchange(adapter(&t, 11, 0), adapter(&t, 11, 1));
	exchange(adapter(&t, 3, 2), adapter(&t, 30, 2));
	fab = mktree_done(&t);
	for (unsigned long n = 1; rc; n++) {
		alloc_fail_at(n);
		rc = ibc_fattree_infer(fab, NULL, &tree, NULL);
		alloc_fail_at(0);
	}
	assert_int_equal(tree->num_cases, 2);
	ibc_fattree_free(tree);
	ibc_fabric_free(fab);
}

/* ---- rails as a whole ---- */

/* All cables of a leaf to spines. */
static void cut_off(struct mktree *t, unsigned int rail, unsigned int leaf)
{
	unsigned int sw = tree_find(t, TIER_LEAF, rail, 0, 0, leaf);

	for (unsigned int i = 0; i < t->num_links; i++)
		t->links[i].gone |= t->links[i].end[0].sw == sw || t->links[i].end[1].sw == sw;
}

static void a_rail_in_parts_is_told_by_its_smaller_ones(void **state)
{
	struct mktree t = mktree(&four, 3);

	(void)state;
	cut_off(&t, 2, 1);
	expect(&t, "parts 1 leaf-2-0-0-1\n");
	t = mktree(&two, 3);
	cut_off(&t, 1, 3);
	expect(&t, "parts 1 leaf-1-0-0-3\n");
}

/* A rail for storage without spines is no fault, and no measure for the others. */
static void a_rail_of_islands_is_meant(void **state)
{
	struct mktree t = mktree(&four, 3);

	(void)state;
	for (unsigned int leaf = 0; leaf < 4; leaf++)
		cut_off(&t, 2, leaf);
	expect(&t, "");
	t = mktree(&four, 3);
	for (unsigned int i = 0; i < 8; i++)
		cut_off(&t, i / 4, i % 4);
	cut_off(&t, 3, 0);
	expect(&t, "parts 1 leaf-3-0-0-0\n");
}

static void one_of_two_leaves_is_no_island(void **state)
{
	static const struct tree_spec spec = { .rails = 4, .leaves = 2, .spines = 2, .hosts = 8 };
	struct mktree t = mktree(&spec, 3);

	(void)state;
	cut_off(&t, 2, 1);
	expect(&t, "parts 1 leaf-2-0-0-1\n");
}

/* Clusters of their own. */
static void rails_that_are_all_in_parts_are_meant(void **state)
{
	struct mktree t = mktree(&four, 3);

	(void)state;
	for (unsigned int rail = 0; rail < 3; rail++)
		cut_off(&t, rail, 2);
	expect(&t, "");
}

static void a_host_that_lacks_a_rail_is_told(void **state)
{
	struct mktree t = mktree(&four, 4);

	(void)state;
	adapter(&t, 13, 2)->gone = true;
	expect(&t, "lacks 1 host00013 mlx5_0\n");
	t = mktree(&four, 4);
	adapter(&t, 13, 2)->gone = true;
	adapter(&t, 22, 0)->gone = true;
	expect(&t, "lacks 1 host00013 mlx5_0\nlacks 1 host00022 mlx5_1\n");
	t = mktree(&four, 4);
	adapter(&t, 13, 2)->gone = true;
	adapter(&t, 13, 0)->gone = true;
	expect(&t, "lacks 2 host00013 mlx5_1\n");
	t = mktree(&four, 4);
	for (unsigned int r = 0; r < 3; r++)
		adapter(&t, 13, r)->gone = true;
	expect(&t, "lacks 3 host00013 mlx5_3\n");
	t = mktree(&two, 4); /* one adapter of two is usual */
	adapter(&t, 13, 1)->gone = true;
	expect(&t, "");
}

/* Where PCI addresses are known, the adapters left are not taken for those before them. */
/* Three hosts of forty that have one of the rails only are another kind of host. */
static void hosts_that_have_the_same_few_are_meant(void **state)
{
	static const struct tree_spec many = { .rails = 4, .leaves = 5, .spines = 4, .hosts = 8 };

	(void)state;
	for (unsigned int n = 2; n <= 3; n++) {
		struct mktree t = mktree(&many, 4);

		for (unsigned int h = 0; h < n; h++)
			for (unsigned int r = 1; r < 4; r++)
				adapter(&t, 9 * h + 1, r)->gone = true;
		expect(&t, n == 2 ? "lacks 3 host00001 mlx5_0\nlacks 3 host00010 mlx5_0\n" : "");
	}
}

static void a_rail_is_a_pci_address_where_that_is_known(void **state)
{
	struct mktree t = mktree(&four, 4);
	const struct ibc_node *node;
	struct ibc_fabric *fab;
	struct ibc_fattree *tree;
	size_t lacking = 0;

	(void)state;
	adapter(&t, 13, 2)->gone = true;
	fab = mktree_done(&t);
	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		struct ibc_port *port = (struct ibc_port *)&node->ports[1];
		unsigned int rail;

		if (node->type != IBC_NODE_CA)
			continue;
		assert_int_equal(sscanf(port->peer->node->desc, "leaf-%u-", &rail), 1);
		port_extra(port)->pci = 0x1800 + 0x100 * rail;
	}
	assert_int_equal(ibc_fattree_infer(fab, NULL, &tree, NULL), 0);
	for (size_t i = 0; i < tree->num_cases; i++) {
		const struct wiring_case *c = &tree->cases[i];

		if (c->kind != WIRING_RAIL_HOST)
			continue;
		lacking++;
		assert_non_null(strstr(c->why, "on rail mlx5_2"));
	}
	assert_int_equal(lacking, 1);
	ibc_fattree_free(tree);
	ibc_fabric_free(fab);
}

static void make_login(struct mktree *t, unsigned int host)
{
	for (unsigned int rail = 0; rail < 4; rail++)
		adapter(t, host, rail)->login = true;
	adapter(t, host, 2)->gone = true;
}

static void login_nodes_may_have_one_less(void **state)
{
	static const unsigned int logins[] = { 5, 6, 13, 14, 21, 22 };
	struct mktree t = mktree(&four, 4);

	(void)state;
	make_login(&t, 13);
	make_login(&t, 14);
	expect(&t, "");
	t = mktree(&four, 4);
	for (unsigned int i = 0; i < 6; i++)
		make_login(&t, logins[i]);
	adapter(&t, 30, 0)->gone = true; /* they do not count as hosts that lack one */
	expect(&t, "lacks 1 host00030 mlx5_1\n");
}

/* Two types share each leaf: HCAs of every second host have other names. */
static struct mktree two_types(void)
{
	struct mktree t = mktree(&four, 4);

	for (unsigned int i = 0; i < t.num_hosts; i++)
		if (t.hosts[i].number % 2)
			t.hosts[i].adapter += 4;
	return t;
}

static void what_two_types_show_is_told_once(void **state)
{
	struct mktree t = two_types();

	(void)state;
	adapter(&t, 12, 2)->gone = true;
	expect(&t, "lacks 1 host00012 mlx5_0\n");
	t = two_types();
	cut_off(&t, 2, 1);
	expect(&t, "parts 1 leaf-2-0-0-1\n");
}

static void many_hosts_that_lack_one_are_meant(void **state)
{
	struct mktree t = mktree(&four, 4);

	(void)state;
	for (unsigned int host = 0; host < 32; host += 7)
		adapter(&t, host, host % 4)->gone = true;
	expect(&t, "");
}

/* A leaf that is off looks like one that never was. */
static void a_leaf_that_all_its_hosts_lack_is_not_told(void **state)
{
	struct mktree t = mktree(&four, 5);

	(void)state;
	for (unsigned int host = 8; host < 16; host++)
		adapter(&t, host, 3)->gone = true;
	t.switches[tree_find(&t, TIER_LEAF, 3, 0, 0, 1)].gone = true;
	expect(&t, "");
}

/* A switch for each rail, and no cable between them. */
static struct mktree rails_only(void)
{
	static const struct tree_spec spec = { .rails = 4, .leaves = 1, .spines = 1, .hosts = 32 };
	struct mktree t = mktree(&spec, 6);

	for (unsigned int rail = 0; rail < 4; rail++)
		t.switches[tree_find(&t, TIER_SPINE, rail, 0, 0, 0)].gone = true;
	return t;
}

static void rails_without_any_tree_are_judged_too(void **state)
{
	struct mktree t = rails_only();
	struct inferred in = infer(&t);

	(void)state;
	assert_int_equal(in.tree->family, IBC_FAMILY_RAILS);
	assert_string_equal(in.tree->why, "4 switches without cables to each other, and 32 of 32 "
	                                  "hosts on several of them: rails");
	end(in);
	t = rails_only();
	expect(&t, "");
	t = rails_only();
	exchange(adapter(&t, 3, 1), adapter(&t, 3, 2));
	expect(&t, "host00003 mlx5_1 and host00003 mlx5_2\n");
	t = rails_only();
	adapter(&t, 9, 3)->gone = true;
	expect(&t, "lacks 1 host00009 mlx5_0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adapters_in_order_are_left_alone),
		cmocka_unit_test(two_adapters_of_one_host_are_exchanged),
		cmocka_unit_test(adapters_of_two_hosts_in_two_rails_are_exchanged),
		cmocka_unit_test(adapters_of_one_host_are_rotated),
		cmocka_unit_test(adapters_of_three_hosts_are_rotated),
		cmocka_unit_test(within_one_of_two_rails_nobody_can_tell),
		cmocka_unit_test(within_one_of_four_rails_the_others_tell),
		cmocka_unit_test(a_rail_in_parts_is_told_by_its_smaller_ones),
		cmocka_unit_test(a_rail_of_islands_is_meant),
		cmocka_unit_test(one_of_two_leaves_is_no_island),
		cmocka_unit_test(rails_that_are_all_in_parts_are_meant),
		cmocka_unit_test(a_host_that_lacks_a_rail_is_told),
		cmocka_unit_test(hosts_that_have_the_same_few_are_meant),
		cmocka_unit_test(a_rail_is_a_pci_address_where_that_is_known),
		cmocka_unit_test(login_nodes_may_have_one_less),
		cmocka_unit_test(what_two_types_show_is_told_once),
		cmocka_unit_test(many_hosts_that_lack_one_are_meant),
		cmocka_unit_test(a_leaf_that_all_its_hosts_lack_is_not_told),
		cmocka_unit_test(rails_without_any_tree_are_judged_too),
		cmocka_unit_test(one_alone_is_for_information),
		cmocka_unit_test(hosts_of_another_type_have_a_rule_of_their_own),
		cmocka_unit_test(too_few_hosts_have_no_rule),
		cmocka_unit_test(adapters_that_follow_no_order_have_no_rule),
		cmocka_unit_test(memory_may_run_out_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
