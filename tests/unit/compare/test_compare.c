/* SPDX-License-Identifier: BSD-2-Clause */
/* What a comparison says of cables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compared.h"
#include "mkplan.h"

static void a_fabric_as_planned_deviates_in_nothing(void **state)
{
	struct compared c = compared(mk_planned(), mk_planned());
	struct ibc_comparison_counts counts = ibc_comparison_count(c.cmp);

	(void)state;
	assert_null(comparison_deviation(c.cmp, 0));
	assert_null(ibc_comparison_step(c.cmp, 0));
	assert_int_equal(counts.nodes, 16);
	assert_int_equal(counts.nodes_matched, 16);
	assert_int_equal(counts.cables, 24);
	assert_int_equal(counts.cables_right, 24);
	assert_int_equal(counts.cables_unread, 0);
	compared_free(&c);
	ibc_comparison_free(NULL);
}

static void a_node_has_a_counterpart_on_the_other_side(void **state)
{
	struct mkfab found = mk_planned();
	struct compared c;
	const struct ibc_node *leaf, *extra;

	(void)state;
	mk_ca(found, HOST(9), "host09 mlx5_0", 1);
	cable(found, LEAF(1), 3, HOST(9), 1);
	c = compared(mk_planned(), found);
	leaf = ibc_fabric_node_by_guid(c.found, LEAF(1));
	extra = ibc_fabric_node_by_guid(c.found, HOST(9));
	assert_ptr_equal(ibc_comparison_counterpart(c.cmp, leaf),
	                 ibc_fabric_node_by_guid(c.plan, LEAF(1)));
	assert_ptr_equal(
	    ibc_comparison_counterpart(c.cmp, ibc_fabric_node_by_guid(c.plan, LEAF(1))), leaf);
	assert_null(ibc_comparison_counterpart(c.cmp, extra));
	compared_free(&c);
}

/* ---- absent, and too many ---- */

static void a_cable_that_is_not_there_is_missing(void **state)
{
	(void)state;
	expect_compared(mk_planned(), mk_planned_without(AT(2, 5)),
	                "missing-cable leaf02/5-spine01/2\n"
	                "  connect spine01/2 to leaf02/5\n");
}

static void the_ports_of_a_missing_cable_can_be_asked_for_their_states(void **state)
{
	struct compared c = compared(mk_planned(), mk_planned_without(AT(2, 5)));
	const struct deviation *d = comparison_deviation(c.cmp, 0);
	const struct ibc_port *p = comparison_found_port(c.cmp, d->planned[0]);

	(void)state;
	assert_ptr_equal(p, ibc_node_port(ibc_fabric_node_by_guid(c.found, LEAF(2)), 5));
	assert_int_equal(p->phys_state, IBC_PHYS_POLLING);
	compared_free(&c);
}

static void a_cable_that_nobody_planned_is_unexpected(void **state)
{
	struct mkfab found = mk_planned();

	(void)state;
	cable(found, LEAF(1), 9, LEAF(2), 9);
	expect_compared(mk_planned(), found,
	                "unexpected-cable +leaf01/9-leaf02/9\n"
	                "  remove leaf01/9 of leaf02/9\n");
}

static void a_step_knows_what_the_plan_says_of_its_cable(void **state)
{
	static const struct ibc_cable said = { .label = "C-17", .length = "3 m", .line = 8 };
	struct mkfab planned = mk_planned();
	struct compared c;

	(void)state;
	port_extra(port(planned, LEAF(2), 5))->cable =
	    port_extra(port(planned, SPINE(1), 2))->cable = &said;
	c = compared(planned, mk_planned_without(AT(2, 5)));
	assert_ptr_equal(ibc_comparison_step(c.cmp, 0)->cable, &said);
	compared_free(&c);
}

/* ---- elsewhere ---- */

static void two_crossed_cables_are_one_swap(void **state)
{
	struct mkfab found = mk_planned_without(AT(1, 5), AT(2, 6));

	(void)state;
	cable(found, LEAF(1), 5, SPINE(2), 2);
	cable(found, LEAF(2), 6, SPINE(1), 1);
	expect_compared(mk_planned(), found,
	                "swapped leaf01/5-spine01/1 leaf02/6-spine02/2 +leaf01/5-spine02/2 "
	                "+leaf02/6-spine01/1\n"
	                "  exchange spine01/1 of leaf02/6 to spine02/2 of leaf01/5\n");
}

static void leaves_of_one_rack_are_nearer_than_spines_apart(void **state)
{
	struct mkfab planned = mk_planned(), found = mk_planned_without(AT(1, 5), AT(2, 6));

	(void)state;
	fabric_build_find(planned.b, planned.subnet, LEAF(1))->rack = "r1";
	fabric_build_find(planned.b, planned.subnet, LEAF(2))->rack = "r1";
	cable(found, LEAF(1), 5, SPINE(2), 2);
	cable(found, LEAF(2), 6, SPINE(1), 1);
	expect_compared(planned, found,
	                "swapped leaf02/6-spine02/2 leaf01/5-spine01/1 +leaf01/5-spine02/2 "
	                "+leaf02/6-spine01/1\n"
	                "  exchange leaf02/6 of spine01/1 to leaf01/5 of spine02/2\n");
}

static void three_rotated_cables_are_one_swap_of_two_exchanges(void **state)
{
	struct mkfab found = mk_planned_without(AT(1, 5), AT(2, 6), AT(3, 7));

	(void)state;
	cable(found, LEAF(1), 5, SPINE(2), 2);
	cable(found, LEAF(2), 6, SPINE(3), 3);
	cable(found, LEAF(3), 7, SPINE(1), 1);
	expect_compared(mk_planned(), found,
	                "swapped leaf01/5-spine01/1 leaf02/6-spine02/2 leaf03/7-spine03/3 "
	                "+leaf01/5-spine02/2 +leaf02/6-spine03/3 +leaf03/7-spine01/1\n"
	                "  exchange spine03/3 of leaf02/6 to spine02/2 of leaf01/5\n"
	                "  exchange spine01/1 of leaf03/7 to spine03/3 of leaf01/5\n");
}

static void two_hosts_in_each_others_socket_are_a_swap(void **state)
{
	struct mkfab found = mk_planned_without(AT(1, 1), AT(3, 2));

	(void)state;
	cable(found, LEAF(1), 1, HOST(6), 1);
	cable(found, LEAF(3), 2, HOST(1), 1);
	expect_compared(mk_planned(), found,
	                "swapped leaf03/2-host06 mlx5_0/1 leaf01/1-host01 mlx5_0/1 "
	                "+leaf01/1-host06 mlx5_0/1 +leaf03/2-host01 mlx5_0/1\n"
	                "  exchange leaf03/2 of host01 mlx5_0/1 to leaf01/1 of host06 mlx5_0/1\n");
}

static void a_plug_in_a_free_socket_of_another_switch_is_miswired(void **state)
{
	struct mkfab found = mk_planned_without(AT(1, 5));

	(void)state;
	cable(found, LEAF(1), 5, SPINE(3), 9);
	expect_compared(mk_planned(), found,
	                "miswired leaf01/5-spine01/1 +leaf01/5-spine03/9\n"
	                "  move spine03/9 of leaf01/5 to spine01/1\n");
}

static void a_cable_between_leaves_takes_a_move_and_a_new_cable(void **state)
{
	struct mkfab found = mk_planned_without(AT(1, 5), AT(2, 6));

	(void)state;
	cable(found, LEAF(1), 5, LEAF(2), 6);
	expect_compared(mk_planned(), found,
	                "miswired leaf01/5-spine01/1 leaf02/6-spine02/2 +leaf01/5-leaf02/6\n"
	                "  move leaf02/6 of leaf01/5 to spine01/1\n"
	                "  connect spine02/2 to leaf02/6\n");
}

static void a_cable_in_the_socket_of_two_goes_before_the_other_moves(void **state)
{
	struct mkfab found = mk_planned_without(AT(1, 5));

	(void)state;
	cable(found, LEAF(1), 5, SPINE(3), 9);
	cable(found, LEAF(4), 9, SPINE(1), 1);
	expect_compared(mk_planned(), found,
	                "miswired leaf01/5-spine01/1 +leaf01/5-spine03/9 +leaf04/9-spine01/1\n"
	                "  remove leaf04/9 of spine01/1\n"
	                "  move spine03/9 of leaf01/5 to spine01/1\n");
}

static void moves_into_free_sockets_come_before_exchanges(void **state)
{
	struct mkfab found = mk_planned_without(AT(1, 5), AT(2, 6), AT(4, 8));
	struct compared c;

	(void)state;
	cable(found, LEAF(1), 5, SPINE(2), 2);
	cable(found, LEAF(2), 6, SPINE(1), 1);
	cable(found, LEAF(4), 8, SPINE(1), 9);
	c = compared(mk_planned(), found);
	assert_int_equal(ibc_comparison_step(c.cmp, 0)->action, IBC_ACTION_MOVE);
	assert_int_equal(ibc_comparison_step(c.cmp, 1)->action, IBC_ACTION_EXCHANGE);
	assert_int_equal(ibc_comparison_step(c.cmp, 1)->number, 2);
	assert_int_equal(ibc_comparison_step(c.cmp, 1)->fault, 2);
	assert_int_equal(comparison_deviation(c.cmp, 1)->kind, DEVIATION_SWAPPED);
	assert_int_equal(comparison_deviation(c.cmp, 1)->fault, 2);
	compared_free(&c);
}

/* ---- the right nodes ---- */

static void another_port_of_the_right_switch_is_a_wrong_port(void **state)
{
	struct mkfab found = mk_planned_without(AT(1, 5));

	(void)state;
	cable(found, LEAF(1), 5, SPINE(1), 9);
	expect_compared(mk_planned(), found,
	                "wrong-port leaf01/5-spine01/1 +leaf01/5-spine01/9\n"
	                "  move spine01/9 of leaf01/5 to spine01/1\n");
}

static void other_ports_at_both_ends_are_a_wrong_port(void **state)
{
	struct mkfab found = mk_planned_without(AT(1, 5));

	(void)state;
	cable(found, LEAF(1), 9, SPINE(1), 9);
	expect_compared(mk_planned(), found,
	                "wrong-port leaf01/5-spine01/1 +leaf01/9-spine01/9\n"
	                "  move leaf01/9 of spine01/9 to leaf01/5\n"
	                "  move spine01/9 of leaf01/5 to spine01/1\n");
}

static void cables_of_one_trunk_in_each_others_place_are_a_wrong_port(void **state)
{
	struct mkfab planned = mk_planned(), found = mk_planned();

	(void)state;
	cable(planned, LEAF(1), 9, LEAF(2), 9);
	cable(planned, LEAF(1), 10, LEAF(2), 10);
	cable(found, LEAF(1), 9, LEAF(2), 10);
	cable(found, LEAF(1), 10, LEAF(2), 9);
	expect_compared(planned, found,
	                "wrong-port leaf01/10-leaf02/10 leaf01/9-leaf02/9 +leaf01/9-leaf02/10 "
	                "+leaf01/10-leaf02/9\n"
	                "  exchange leaf01/10 of leaf02/9 to leaf01/9 of leaf02/10\n");
}

/* Leaf 1 with its cables in the sockets that follow the right ones. */
static struct mkfab mk_shifted(unsigned int by)
{
	struct mkfab m = mk_planned_without(AT(1, 1), AT(1, 2), AT(1, 5), AT(1, 6), AT(1, 7),
	                                    AT(1, 8));

	for (unsigned int i = 1; i <= 2; i++)
		cable(m, LEAF(1), i + by, HOST(i), 1);
	for (unsigned int i = 1; i <= 4; i++)
		cable(m, LEAF(1), 4 + i + by, SPINE(i), 1);
	return m;
}

static void a_switch_shifted_by_a_port_is_one_deviation(void **state)
{
	(void)state;
	expect_compared(
	    mk_planned(), mk_shifted(1),
	    "wrong-port leaf01/1-host01 mlx5_0/1 leaf01/2-host02 mlx5_0/1 leaf01/5-spine01/1 "
	    "leaf01/6-spine02/1 leaf01/7-spine03/1 leaf01/8-spine04/1 +leaf01/2-host01 mlx5_0/1 "
	    "+leaf01/3-host02 mlx5_0/1 +leaf01/6-spine01/1 +leaf01/7-spine02/1 "
	    "+leaf01/8-spine03/1 +leaf01/9-spine04/1\n"
	    "  move leaf01/2 of host01 mlx5_0/1 to leaf01/1\n"
	    "  move leaf01/3 of host02 mlx5_0/1 to leaf01/2\n"
	    "  move leaf01/6 of spine01/1 to leaf01/5\n"
	    "  move leaf01/7 of spine02/1 to leaf01/6\n"
	    "  move leaf01/8 of spine03/1 to leaf01/7\n"
	    "  move leaf01/9 of spine04/1 to leaf01/8\n");
}

static void two_slips_at_one_switch_are_two_deviations(void **state)
{
	struct mkfab found = mk_planned_without(AT(1, 2), AT(1, 8));
	struct compared c;

	(void)state;
	cable(found, LEAF(1), 3, HOST(2), 1);
	cable(found, LEAF(1), 9, SPINE(4), 1);
	c = compared(mk_planned(), found);
	assert_int_equal(comparison_deviation(c.cmp, 0)->num_planned, 1);
	assert_int_equal(comparison_deviation(c.cmp, 1)->num_planned, 1);
	assert_null(comparison_deviation(c.cmp, 2));
	compared_free(&c);
}

/* ---- memory ---- */

static void running_out_of_memory_is_told(void **state)
{
	struct mkfab found = mk_planned_without(AT(1, 5), AT(2, 6), AT(3, 7), AT(4, 1));

	(void)state;
	cable(found, LEAF(1), 5, SPINE(2), 2);
	cable(found, LEAF(2), 6, SPINE(1), 1);
	mk_ca(found, HOST(9), "host09 mlx5_0", 1);
	cable(found, LEAF(4), 1, HOST(9), 1);
	port(found, SPINE(4), 2)->width_active = IBC_WIDTH_1X;
	expect_no_memory_told(mk_planned(), found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fabric_as_planned_deviates_in_nothing),
		cmocka_unit_test(a_node_has_a_counterpart_on_the_other_side),
		cmocka_unit_test(a_cable_that_is_not_there_is_missing),
		cmocka_unit_test(the_ports_of_a_missing_cable_can_be_asked_for_their_states),
		cmocka_unit_test(a_cable_that_nobody_planned_is_unexpected),
		cmocka_unit_test(a_step_knows_what_the_plan_says_of_its_cable),
		cmocka_unit_test(two_crossed_cables_are_one_swap),
		cmocka_unit_test(leaves_of_one_rack_are_nearer_than_spines_apart),
		cmocka_unit_test(three_rotated_cables_are_one_swap_of_two_exchanges),
		cmocka_unit_test(two_hosts_in_each_others_socket_are_a_swap),
		cmocka_unit_test(a_plug_in_a_free_socket_of_another_switch_is_miswired),
		cmocka_unit_test(a_cable_between_leaves_takes_a_move_and_a_new_cable),
		cmocka_unit_test(a_cable_in_the_socket_of_two_goes_before_the_other_moves),
		cmocka_unit_test(moves_into_free_sockets_come_before_exchanges),
		cmocka_unit_test(another_port_of_the_right_switch_is_a_wrong_port),
		cmocka_unit_test(other_ports_at_both_ends_are_a_wrong_port),
		cmocka_unit_test(cables_of_one_trunk_in_each_others_place_are_a_wrong_port),
		cmocka_unit_test(a_switch_shifted_by_a_port_is_one_deviation),
		cmocka_unit_test(two_slips_at_one_switch_are_two_deviations),
		cmocka_unit_test(running_out_of_memory_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
