/* SPDX-License-Identifier: BSD-2-Clause */
/* What a comparison says of nodes: missing, unexpected, others, not to be seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compared.h"
#include "mkplan.h"

/* ---- missing ---- */

static void a_missing_host_is_told_with_its_cable(void **state)
{
	struct mkfab planned = mk_planned();

	(void)state;
	mk_ca(planned, HOST(9), "host09 mlx5_0", 1);
	cable(planned, LEAF(1), 3, HOST(9), 1);
	expect_compared(planned, mk_planned(),
	                "missing-node host09 mlx5_0 leaf01/3-host09 mlx5_0/1\n"
	                "  connect host09 mlx5_0/1 to leaf01/3\n");
}

static void a_host_that_another_pushed_out_is_told_with_that(void **state)
{
	struct mkfab planned = mk_planned(), found = mk_planned_without(AT(2, 1));

	(void)state;
	mk_ca(planned, HOST(9), "host09 mlx5_0", 1);
	cable(planned, LEAF(1), 3, HOST(9), 1);
	cable(found, LEAF(1), 3, HOST(3), 1);
	expect_compared(planned, found,
	                "miswired host09 mlx5_0 leaf02/1-host03 mlx5_0/1 leaf01/3-host09 mlx5_0/1 "
	                "+leaf01/3-host03 mlx5_0/1\n"
	                "  move leaf01/3 of host03 mlx5_0/1 to leaf02/1\n"
	                "  connect host09 mlx5_0/1 to leaf01/3\n");
}

/* The fifth leaf, with two hosts, and a cable to every spine. */
static struct mkfab mk_with_fifth_leaf(void)
{
	struct mkfab m = mk_planned();

	mk_switch(m, LEAF(5), "leaf05", 10);
	mk_ca(m, HOST(9), "host09 mlx5_0", 1);
	mk_ca(m, HOST(10), "host10 mlx5_0", 1);
	cable(m, LEAF(5), 1, HOST(9), 1);
	cable(m, LEAF(5), 2, HOST(10), 1);
	for (unsigned int i = 1; i <= 4; i++)
		cable(m, LEAF(5), 4 + i, SPINE(i), 5);
	return m;
}

#define FIFTH_LEAF                                                                                 \
	"leaf05 host09 mlx5_0 host10 mlx5_0 leaf05/1-host09 mlx5_0/1 leaf05/2-host10 mlx5_0/1 "    \
	"leaf05/5-spine01/5 leaf05/6-spine02/5 leaf05/7-spine03/5 leaf05/8-spine04/5"

static void a_missing_leaf_is_told_with_its_hosts_and_cables(void **state)
{
	(void)state;
	expect_compared(mk_with_fifth_leaf(), mk_planned(), "missing-node " FIFTH_LEAF "\n");
}

static void what_takes_the_socket_of_a_missing_leaf_is_unexpected(void **state)
{
	struct mkfab found = mk_planned();

	(void)state;
	cable(found, SPINE(1), 5, LEAF(1), 9);
	expect_compared(mk_with_fifth_leaf(), found,
	                "missing-node " FIFTH_LEAF "\n"
	                "unexpected-cable +leaf01/9-spine01/5: waits for leaf05\n");
}

/* ---- unexpected ---- */

static void an_unexpected_leaf_is_told_with_its_hosts_and_cables(void **state)
{
	(void)state;
	expect_compared(mk_planned(), mk_with_fifth_leaf(),
	                "unexpected-node +leaf05 +host09 mlx5_0 +host10 mlx5_0 "
	                "+leaf05/1-host09 mlx5_0/1 +leaf05/2-host10 mlx5_0/1 +leaf05/5-spine01/5 "
	                "+leaf05/6-spine02/5 +leaf05/7-spine03/5 +leaf05/8-spine04/5\n");
}

static void hosts_are_no_business_of_a_plan_without_any(void **state)
{
	struct mkfab planned = mkfab();
	char name[32];

	(void)state;
	for (unsigned int i = 1; i <= 4; i++) {
		snprintf(name, sizeof(name), "leaf%02u", i);
		mk_switch(planned, LEAF(i), name, 10);
		snprintf(name, sizeof(name), "spine%02u", i);
		mk_switch(planned, SPINE(i), name, 10);
	}
	for (unsigned int leaf = 1; leaf <= 4; leaf++) {
		for (unsigned int i = 1; i <= 4; i++)
			cable(planned, LEAF(leaf), 4 + i, SPINE(i), leaf);
	}
	expect_compared(planned, mk_planned(), "");
}

static void the_reduction_engine_of_a_switch_is_not_unexpected(void **state)
{
	struct mkfab found = mk_planned();

	(void)state;
	mk_ca(found, 99, "Mellanox Technologies Aggregation Node", 1);
	cable(found, SPINE(1), 10, 99, 1);
	expect_compared(mk_planned(), found, "");
}

static void a_node_that_is_in_the_way_is_told_with_what_it_keeps_out(void **state)
{
	struct mkfab found = mk_planned_without(AT(1, 5));

	(void)state;
	mk_ca(found, HOST(9), "host09 mlx5_0", 1);
	cable(found, LEAF(1), 5, HOST(9), 1);
	expect_compared(mk_planned(), found,
	                "miswired +host09 mlx5_0 leaf01/5-spine01/1 +leaf01/5-host09 mlx5_0/1\n"
	                "  move host09 mlx5_0/1 of leaf01/5 to spine01/1\n");
}

/* ---- others, and other names ---- */

static void a_new_adapter_in_the_place_of_one_is_replaced(void **state)
{
	struct mkfab planned = mk_planned(), found = mk_planned();

	(void)state;
	mk_ca(planned, HOST(9), "host09 mlx5_0", 1);
	mk_ca(found, HOST(99), "host09 mlx5_0", 1);
	cable(planned, LEAF(1), 3, HOST(9), 1);
	cable(found, LEAF(1), 3, HOST(99), 1);
	expect_compared(planned, found,
	                "replaced-node host09 mlx5_0 +host09 mlx5_0\n"
	                "  replace host09 mlx5_0 to host09 mlx5_0\n");
}

static void a_new_switch_without_the_name_is_replaced_too(void **state)
{
	struct mkfab planned = mk_with_fifth_leaf(), found = mk_planned();

	(void)state;
	mk_switch(found, 99, "Mellanox Technologies", 10);
	mk_ca(found, HOST(9), "host09 mlx5_0", 1);
	mk_ca(found, HOST(10), "host10 mlx5_0", 1);
	cable(found, 99, 1, HOST(9), 1);
	cable(found, 99, 2, HOST(10), 1);
	for (unsigned int i = 1; i <= 4; i++)
		cable(found, 99, 4 + i, SPINE(i), 5);
	expect_compared(planned, found,
	                "replaced-node leaf05 +Mellanox Technologies\n"
	                "  replace Mellanox Technologies to leaf05\n");
}

static void a_plan_whose_guids_are_of_nobody_is_one_deviation(void **state)
{
	struct mkfab planned = mkfab(), found = mkfab();
	char name[32];

	(void)state;
	for (unsigned int i = 1; i <= 3; i++) {
		snprintf(name, sizeof(name), "switch%u", i);
		mk_switch(planned, i, name, 4);
		mk_switch(found, 100 + i, name, 4);
		if (i == 1)
			continue;
		cable(planned, i - 1, 1, i, 2);
		cable(found, 100 + i - 1, 1, 100 + i, 2);
	}
	expect_compared(planned, found,
	                "replaced-node switch1 switch2 switch3 +switch1 +switch2 +switch3\n");
}

/* A plan by names: GUIDs are made up. */
static struct mkfab mk_named(struct mkfab m)
{
	for (unsigned int i = 1; i <= 8; i++) {
		fabric_build_find(m.b, m.subnet, HOST(i))->named_only = true;
		if (i > 4)
			continue;
		fabric_build_find(m.b, m.subnet, LEAF(i))->named_only = true;
		fabric_build_find(m.b, m.subnet, SPINE(i))->named_only = true;
	}
	return m;
}

static void call(struct mkfab m, uint64_t guid, const char *name)
{
	fabric_build_desc(m.b, fabric_build_find(m.b, m.subnet, guid), name, strlen(name));
}

static void a_device_with_another_name_is_renamed(void **state)
{
	struct mkfab found = mk_planned();

	(void)state;
	call(found, LEAF(2), "blatt02");
	expect_compared(mk_planned(), found,
	                "renamed-node leaf02 +blatt02\n"
	                "  rename blatt02 to leaf02\n");
	found = mk_planned();
	call(found, LEAF(2), "blatt02");
	expect_compared(mk_named(mk_planned()), found,
	                "renamed-node leaf02 +blatt02\n"
	                "  rename blatt02 to leaf02\n");
}

static void a_host_by_its_short_name_is_no_other(void **state)
{
	struct mkfab planned = mk_planned();

	(void)state;
	call(planned, HOST(1), "host01");
	call(planned, HOST(2), "host02.site HCA-1");
	call(planned, LEAF(1), "");
	expect_compared(planned, mk_planned(), "");
}

static void names_of_another_scheme_are_one_deviation(void **state)
{
	struct mkfab found = mk_planned();
	struct compared c;
	char name[32];

	(void)state;
	for (unsigned int i = 1; i <= 8; i++) {
		snprintf(name, sizeof(name), "node%02u mlx5_0", i);
		call(found, HOST(i), name);
		snprintf(name, sizeof(name), "switch%02u", i);
		call(found, i <= 4 ? LEAF(i) : SPINE(i - 4), name);
	}
	c = compared(mk_planned(), found);
	assert_int_equal(comparison_deviation(c.cmp, 0)->kind, DEVIATION_RENAMED_NODE);
	assert_int_equal(comparison_deviation(c.cmp, 0)->num_found_nodes, 16);
	assert_null(comparison_deviation(c.cmp, 1));
	compared_free(&c);
}

static void two_leaves_in_each_others_place_are_one_exchange(void **state)
{
	struct mkfab found = mk_planned_without(AT(1, 1), AT(1, 2), AT(1, 5), AT(1, 6), AT(1, 7),
	                                        AT(1, 8), AT(3, 1), AT(3, 2), AT(3, 5), AT(3, 6),
	                                        AT(3, 7), AT(3, 8));

	(void)state;
	for (unsigned int i = 1; i <= 2; i++) {
		cable(found, LEAF(1), i, HOST(4 + i), 1);
		cable(found, LEAF(3), i, HOST(i), 1);
	}
	for (unsigned int i = 1; i <= 4; i++) {
		cable(found, LEAF(1), 4 + i, SPINE(i), 3);
		if (i > 1)
			cable(found, LEAF(3), 4 + i, SPINE(i), 1);
	}
	cable(found, LEAF(3), 10, SPINE(1), 1);
	expect_compared(mk_planned(), found,
	                "exchanged-nodes leaf01 leaf03 +leaf03 +leaf01\n"
	                "  exchange leaf03 to leaf01\n"
	                "wrong-port leaf01/5-spine01/1 +leaf03/10-spine01/1\n"
	                "  move leaf03/10 of spine01/1 to leaf03/5\n");
}

static void three_leaves_that_went_round_are_two_exchanges(void **state)
{
	struct mkfab found = mk_uncabled();

	(void)state;
	for (unsigned int place = 1; place <= 4; place++) {
		unsigned int leaf = place == 4 ? 4 : place % 3 + 1;

		for (unsigned int i = 1; i <= 2; i++)
			cable(found, LEAF(leaf), i, HOST(2 * place - 2 + i), 1);
		for (unsigned int i = 1; i <= 4; i++)
			cable(found, LEAF(leaf), 4 + i, SPINE(i), place);
	}
	expect_compared(mk_planned(), found,
	                "exchanged-nodes leaf01 leaf02 leaf03 +leaf02 +leaf03 +leaf01\n"
	                "  exchange leaf02 to leaf03\n"
	                "  exchange leaf03 to leaf01\n");
}

/* ---- not to be seen ---- */

/* There is a link at this port, and nobody answers behind it. */
static void silence(struct mkfab m, uint64_t guid, unsigned int num)
{
	struct ibc_port *p = port(m, guid, num);

	mk_active(p);
	answers_put(p, IBC_ATTR_NODE_INFO, ANSWER_NONE);
}

static void a_silent_leaf_is_unchecked_with_all_behind_it(void **state)
{
	struct mkfab found = mk_planned();
	struct compared c;

	(void)state;
	for (unsigned int i = 1; i <= 4; i++)
		silence(found, SPINE(i), 5);
	c = compared(mk_with_fifth_leaf(), found);
	assert_int_equal(comparison_deviation(c.cmp, 0)->num_planned_nodes, 3);
	assert_int_equal(ibc_comparison_count(c.cmp).cables_unread, 6);
	assert_int_equal(ibc_comparison_count(c.cmp).cables_right, 24);
	compared_free(&c);
	found = mk_planned();
	for (unsigned int i = 1; i <= 4; i++)
		silence(found, SPINE(i), 5);
	expect_compared(mk_with_fifth_leaf(), found,
	                "unchecked " FIFTH_LEAF
	                " +spine01/5 +spine02/5 +spine03/5 +spine04/5: no device answers behind "
	                "spine01/5 and 3 other ports\n");
}

static void a_leaf_that_one_port_knows_to_be_gone_is_missing(void **state)
{
	struct mkfab found = mk_planned();

	(void)state;
	silence(found, SPINE(1), 5);
	expect_compared(mk_with_fifth_leaf(), found, "missing-node " FIFTH_LEAF "\n");
}

static void two_silent_devices_are_two_deviations(void **state)
{
	struct mkfab planned = mk_planned(), found = mk_planned();

	(void)state;
	mk_ca(planned, HOST(9), "host09 mlx5_0", 1);
	mk_ca(planned, HOST(10), "host10 mlx5_0", 1);
	cable(planned, LEAF(1), 3, HOST(9), 1);
	cable(planned, LEAF(2), 3, HOST(10), 1);
	silence(found, LEAF(1), 3);
	silence(found, LEAF(2), 3);
	expect_compared(planned, found,
	                "unchecked host09 mlx5_0 leaf01/3-host09 mlx5_0/1 +leaf01/3: no device "
	                "answers behind leaf01/3\n"
	                "unchecked host10 mlx5_0 leaf02/3-host10 mlx5_0/1 +leaf02/3: no device "
	                "answers behind leaf02/3\n");
}

static void cables_of_a_switch_that_tells_nothing_of_its_ports_are_unchecked(void **state)
{
	struct mkfab found = mk_planned_without(AT(1, 5), AT(1, 6));

	(void)state;
	for (unsigned int num = 5; num <= 6; num++) {
		port(found, LEAF(1), num)->answers.answered = 0;
		port(found, SPINE(num - 4), 1)->answers.answered = 0;
	}
	expect_compared(mk_planned(), found,
	                "unchecked leaf01/5-spine01/1 leaf01/6-spine02/1 +leaf01/5 +spine01/1 "
	                "+leaf01/6 +spine02/1: leaf01 does not report its ports\n");
}

static void a_cable_to_something_silent_where_another_belongs_is_not_moved(void **state)
{
	struct mkfab found = mk_planned_without(AT(1, 5));

	(void)state;
	silence(found, LEAF(1), 5);
	expect_compared(
	    mk_planned(), found,
	    "missing-cable leaf01/5-spine01/1: the device at leaf01/5 does not answer\n");
}

static void what_a_sweep_cut_short_did_not_ask_is_unchecked(void **state)
{
	struct mkfab found = mk_planned_without(AT(1, 5));

	(void)state;
	found.subnet->cut_short = true;
	for (unsigned int i = 1; i <= 4; i++)
		port(found, SPINE(i), 5)->answers.answered =
		    port(found, SPINE(i), 5)->answers.asked = 0;
	expect_compared(mk_with_fifth_leaf(), found,
	                "missing-cable leaf01/5-spine01/1\n"
	                "  connect spine01/1 to leaf01/5\n"
	                "unchecked " FIFTH_LEAF " +spine01/5 +spine02/5 +spine03/5 +spine04/5: the "
	                "sweep was cut short\n");
}

static void a_subnet_that_nobody_swept_is_unchecked(void **state)
{
	struct mkfab planned = mk_planned();

	(void)state;
	mk_switch(planned, 50, "storage01", 4);
	mk_ca(planned, 51, "disk01 mlx5_0", 1);
	cable(planned, 50, 1, 51, 1);
	expect_compared(planned, mk_planned(),
	                "unchecked storage01 disk01 mlx5_0 storage01/1-disk01 mlx5_0/1: none of "
	                "these devices is "
	                "in the fabric: misspelt in the plan, or in another subnet?\n");
}

static void an_asic_in_a_chassis_counts_only_where_the_plan_names_it(void **state)
{
	struct mkfab planned = mk_planned(), found = mk_planned();

	(void)state;
	mk_switch(found, 60, "director line chip", 10)->system_guid = SPINE(1);
	cable(found, 60, 1, SPINE(1), 9);
	expect_compared(planned, found, "");
	mk_switch(planned = mk_planned(), 60, "director line chip", 10);
	cable(planned, 60, 1, SPINE(1), 9);
	expect_compared(planned, mk_planned(),
	                "missing-node director line chip spine01/9-director line chip/1\n"
	                "  connect director line chip/1 to spine01/9\n");
	mk_switch(found = mk_planned(), 60, "director line chip", 10)->system_guid = 61;
	cable(found, 60, 1, SPINE(1), 9);
	expect_compared(mk_planned(), found,
	                "unexpected-node +director line chip +spine01/9-director line chip/1\n");
}

static void a_plan_of_two_subnets_of_which_one_was_swept_leaves_the_other_unchecked(void **state)
{
	struct mkfab rails = mk_subnet(mk_planned(), "rail2");
	struct compared c;

	(void)state;
	cable_all_but(mk_nodes(rails), (const unsigned int[]){ 0 });
	c = compared(rails, mk_planned());
	assert_int_equal(comparison_deviation(c.cmp, 0)->kind, DEVIATION_UNCHECKED);
	assert_int_equal(comparison_deviation(c.cmp, 0)->num_planned_nodes, 16);
	assert_null(comparison_deviation(c.cmp, 1));
	assert_int_equal(ibc_comparison_count(c.cmp).cables_right, 24);
	assert_int_equal(ibc_comparison_count(c.cmp).cables_unread, 24);
	compared_free(&c);
}

/* ---- the plan ---- */

static void a_port_that_the_device_does_not_have_is_told_with_its_line(void **state)
{
	static const struct ibc_cable said = { .line = 12 };
	struct mkfab planned = mk_planned(), found = mk_planned();

	(void)state;
	mk_switch(planned, LEAF(5), "leaf05", 40);
	mk_switch(found, LEAF(5), "leaf05", 10);
	cable(planned, LEAF(5), 1, SPINE(1), 5);
	cable(planned, LEAF(5), 40, SPINE(2), 5);
	port_extra(port(planned, LEAF(5), 40))->cable =
	    port_extra(port(planned, SPINE(2), 5))->cable = &said;
	cable(found, LEAF(5), 1, SPINE(1), 5);
	cable(found, LEAF(5), 4, SPINE(2), 5);
	expect_compared(planned, found,
	                "plan leaf05/40-spine02/5: line 12: leaf05 has 10 ports, the plan has a "
	                "cable at port 40\n");
}

static void a_host_at_a_port_that_nobody_has_is_not_missing(void **state)
{
	struct mkfab planned = mk_planned(), found = mk_planned();

	(void)state;
	mk_switch(planned, LEAF(5), "leaf05", 40);
	mk_switch(found, LEAF(5), "leaf05", 10);
	mk_ca(planned, HOST(9), "host09 mlx5_0", 1);
	cable(planned, LEAF(5), 1, SPINE(1), 5);
	cable(found, LEAF(5), 1, SPINE(1), 5);
	cable(planned, LEAF(5), 40, HOST(9), 1);
	expect_compared(planned, found,
	                "plan leaf05/40-host09 mlx5_0/1: leaf05 has 10 ports, the plan has a cable "
	                "at port 40\n");
}

static void generic_names_do_not_make_two_fabrics_one(void **state)
{
	struct mkfab found = mkfab();
	char name[32];

	(void)state;
	for (unsigned int i = 1; i <= 4; i++) {
		snprintf(name, sizeof(name), "leaf%02u", i);
		mk_switch(found, 100 + i, name, 40);
	}
	for (unsigned int i = 1; i <= 32; i++) {
		snprintf(name, sizeof(name), "host%02u mlx5_0", i);
		mk_ca(found, 200 + i, name, 1);
		cable(found, 101 + (i - 1) / 8, i, 200 + i, 1);
	}
	expect_compared(mk_named(mk_planned()), found,
	                "plan: the plan does not match this fabric: of its 16 nodes 12 are found "
	                "by GUID or name, and of its 24 cables 2 exist\n");
}

static void a_name_that_fits_two_is_told_and_nobody_blamed(void **state)
{
	struct mkfab planned = mk_planned(), found = mk_planned();

	(void)state;
	mk_ca(planned, HOST(9), "host09 mlx5_0", 1);
	fabric_build_find(planned.b, planned.subnet, HOST(9))->named_only = true;
	fabric_build_find(planned.b, planned.subnet, HOST(9))->line = 7;
	cable(planned, LEAF(1), 3, HOST(9), 1);
	mk_ca(found, 98, "host09 mlx5_0", 1);
	mk_ca(found, 99, "host09 mlx5_0", 1);
	cable(found, LEAF(2), 3, 98, 1);
	cable(found, LEAF(3), 3, 99, 1);
	expect_compared(planned, found,
	                "plan host09 mlx5_0 leaf01/3-host09 mlx5_0/1: line 7: host09 mlx5_0 "
	                "matches more than one node of the fabric\n");
}

static void of_two_with_a_name_the_one_in_its_place_is_meant(void **state)
{
	struct mkfab planned = mk_planned(), found = mk_planned();

	(void)state;
	mk_ca(planned, HOST(9), "host09 mlx5_0", 1);
	fabric_build_find(planned.b, planned.subnet, HOST(9))->named_only = true;
	cable(planned, LEAF(1), 3, HOST(9), 1);
	mk_ca(found, 98, "host09 mlx5_0", 1);
	mk_ca(found, 99, "host09 mlx5_0", 1);
	cable(found, LEAF(2), 3, 98, 1);
	cable(found, LEAF(1), 3, 99, 1);
	expect_compared(planned, found,
	                "unexpected-node +host09 mlx5_0 (0x0000000000000062) "
	                "+leaf02/3-host09 mlx5_0 (0x0000000000000062)/1\n");
}

static void a_plan_of_another_fabric_is_told_in_one_sentence(void **state)
{
	struct mkfab found = mkfab();
	char name[32];

	(void)state;
	for (unsigned int i = 1; i <= 9; i++) {
		snprintf(name, sizeof(name), "router%u", i);
		mk_switch(found, 100 + i, name, 8);
		if (i > 1)
			cable(found, 100 + i - 1, 1, 100 + i, 2);
	}
	expect_compared(mk_planned(), found,
	                "plan: the plan does not match this fabric: of its 16 nodes 0 are found by "
	                "GUID or name, and of its 24 cables 0 exist\n");
}

/* ---- memory ---- */

static void running_out_of_memory_is_told(void **state)
{
	struct mkfab planned = mk_with_fifth_leaf(), found = mk_planned_without(AT(3, 1), AT(3, 2));

	(void)state;
	silence(found, SPINE(1), 5);
	silence(found, LEAF(3), 2);
	call(found, LEAF(2), "blatt02");
	mk_switch(planned, 50, "leaf06", 40);
	mk_switch(found, 51, "leaf06", 10);
	cable(planned, 50, 1, SPINE(1), 6);
	cable(planned, 50, 40, SPINE(2), 6);
	cable(found, 51, 1, SPINE(1), 6);
	mk_ca(planned, HOST(11), "host11 mlx5_0", 1);
	cable(planned, LEAF(1), 3, HOST(11), 1);
	mk_ca(found, 98, "host11 mlx5_0", 1);
	mk_ca(found, 99, "host11 mlx5_0", 1);
	cable(found, LEAF(2), 3, 98, 1);
	cable(found, LEAF(3), 3, 99, 1);
	expect_no_memory_told(planned, found);
	expect_no_memory_told(mk_planned(), mk_with_fifth_leaf());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_missing_host_is_told_with_its_cable),
		cmocka_unit_test(a_host_that_another_pushed_out_is_told_with_that),
		cmocka_unit_test(a_missing_leaf_is_told_with_its_hosts_and_cables),
		cmocka_unit_test(what_takes_the_socket_of_a_missing_leaf_is_unexpected),
		cmocka_unit_test(an_unexpected_leaf_is_told_with_its_hosts_and_cables),
		cmocka_unit_test(hosts_are_no_business_of_a_plan_without_any),
		cmocka_unit_test(the_reduction_engine_of_a_switch_is_not_unexpected),
		cmocka_unit_test(a_node_that_is_in_the_way_is_told_with_what_it_keeps_out),
		cmocka_unit_test(a_new_adapter_in_the_place_of_one_is_replaced),
		cmocka_unit_test(a_new_switch_without_the_name_is_replaced_too),
		cmocka_unit_test(a_plan_whose_guids_are_of_nobody_is_one_deviation),
		cmocka_unit_test(a_device_with_another_name_is_renamed),
		cmocka_unit_test(a_host_by_its_short_name_is_no_other),
		cmocka_unit_test(names_of_another_scheme_are_one_deviation),
		cmocka_unit_test(two_leaves_in_each_others_place_are_one_exchange),
		cmocka_unit_test(three_leaves_that_went_round_are_two_exchanges),
		cmocka_unit_test(a_silent_leaf_is_unchecked_with_all_behind_it),
		cmocka_unit_test(a_leaf_that_one_port_knows_to_be_gone_is_missing),
		cmocka_unit_test(two_silent_devices_are_two_deviations),
		cmocka_unit_test(cables_of_a_switch_that_tells_nothing_of_its_ports_are_unchecked),
		cmocka_unit_test(a_cable_to_something_silent_where_another_belongs_is_not_moved),
		cmocka_unit_test(what_a_sweep_cut_short_did_not_ask_is_unchecked),
		cmocka_unit_test(a_subnet_that_nobody_swept_is_unchecked),
		cmocka_unit_test(an_asic_in_a_chassis_counts_only_where_the_plan_names_it),
		cmocka_unit_test(
		    a_plan_of_two_subnets_of_which_one_was_swept_leaves_the_other_unchecked),
		cmocka_unit_test(a_port_that_the_device_does_not_have_is_told_with_its_line),
		cmocka_unit_test(a_host_at_a_port_that_nobody_has_is_not_missing),
		cmocka_unit_test(generic_names_do_not_make_two_fabrics_one),
		cmocka_unit_test(a_name_that_fits_two_is_told_and_nobody_blamed),
		cmocka_unit_test(of_two_with_a_name_the_one_in_its_place_is_meant),
		cmocka_unit_test(running_out_of_memory_is_told),
		cmocka_unit_test(a_plan_of_another_fabric_is_told_in_one_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
