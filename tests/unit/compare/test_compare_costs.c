/* SPDX-License-Identifier: BSD-2-Clause */
/* What a comparison says of rates, and of what a deviation costs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compared.h"
#include "mkplan.h"

/* Both ends of the cable at this port of a leaf. */
static void set_rate(struct mkfab m, unsigned int leaf, unsigned int num, enum ibc_width width,
                     enum ibc_speed speed)
{
	struct ibc_port *p = port(m, LEAF(leaf), num),
			*z = port(m, p->peer->node->guid, p->peer->num);

	p->width_active = z->width_active = (uint8_t)width;
	p->speed_active = z->speed_active = (uint16_t)speed;
}

/* ---- rates: 4x EDR is planned ---- */

static void a_cable_of_lower_speed_is_slow(void **state)
{
	struct mkfab found = mk_planned();
	struct compared c;

	(void)state;
	set_rate(found, 1, 5, IBC_WIDTH_4X, IBC_SPEED_QDR);
	c = compared(mk_planned(), found);
	assert_int_equal(comparison_deviation(c.cmp, 0)->kind, DEVIATION_SLOW);
	assert_float_equal(comparison_deviation(c.cmp, 0)->loss.gbps, 68, 0.01);
	assert_int_equal(ibc_comparison_count(c.cmp).cables_right, 24);
	assert_null(comparison_deviation(c.cmp, 1));
	compared_free(&c);
	found = mk_planned();
	set_rate(found, 1, 5, IBC_WIDTH_4X, IBC_SPEED_QDR);
	expect_compared(mk_planned(), found, "slow leaf01/5-spine01/1 +leaf01/5-spine01/1\n");
}

static void a_cable_of_fewer_lanes_is_narrow_whatever_its_speed(void **state)
{
	struct mkfab found = mk_planned();

	(void)state;
	set_rate(found, 1, 5, IBC_WIDTH_1X, IBC_SPEED_EDR);
	set_rate(found, 2, 6, IBC_WIDTH_1X, IBC_SPEED_QDR);
	expect_compared(mk_planned(), found,
	                "narrow leaf01/5-spine01/1 +leaf01/5-spine01/1\n"
	                "narrow leaf02/6-spine02/2 +leaf02/6-spine02/2\n");
}

static void faster_or_as_fast_in_another_way_is_as_planned(void **state)
{
	struct mkfab found = mk_planned();

	(void)state;
	set_rate(found, 1, 5, IBC_WIDTH_4X, IBC_SPEED_HDR);
	set_rate(found, 2, 6, IBC_WIDTH_2X, IBC_SPEED_HDR);
	expect_compared(mk_planned(), found, "");
}

static void what_the_plan_does_not_say_is_not_missed(void **state)
{
	struct mkfab planned = mk_planned(), found = mk_planned();

	(void)state;
	set_rate(planned, 1, 5, IBC_WIDTH_UNKNOWN, IBC_SPEED_UNKNOWN);
	set_rate(planned, 2, 6, IBC_WIDTH_4X, IBC_SPEED_UNKNOWN);
	set_rate(found, 1, 5, IBC_WIDTH_1X, IBC_SPEED_SDR);
	set_rate(found, 2, 6, IBC_WIDTH_1X, IBC_SPEED_SDR);
	expect_compared(planned, found, "narrow leaf02/6-spine02/2 +leaf02/6-spine02/2\n");
}

/* ---- losses ---- */

static const struct loss *first_loss(const struct compared *c)
{
	return &comparison_deviation(c->cmp, 0)->loss;
}

static void a_missing_uplink_costs_its_leaf_a_path(void **state)
{
	struct compared c = compared(mk_planned(), mk_planned_without(AT(2, 5)));
	const struct loss *loss = first_loss(&c);

	(void)state;
	assert_int_equal(loss->hosts_cut_off, 0);
	assert_int_equal(loss->num_switches, 1);
	assert_string_equal(loss->switches[0].node->label, "leaf02");
	assert_int_equal(loss->switches[0].uplinks_lost, 1);
	assert_int_equal(loss->switches[0].uplinks_planned, 4);
	assert_float_equal(loss->switches[0].gbps_lost, 100, 0.01);
	assert_float_equal(loss->gbps, 100, 0.01);
	compared_free(&c);
}

static void without_planned_rates_the_links_beside_it_tell_what_is_lost(void **state)
{
	struct mkfab planned = mk_planned(), found = mk_planned_without(AT(2, 5));
	struct compared c;

	(void)state;
	set_rate(planned, 2, 5, IBC_WIDTH_UNKNOWN, IBC_SPEED_UNKNOWN);
	set_rate(found, 2, 6, IBC_WIDTH_4X, IBC_SPEED_HDR);
	c = compared(planned, found);
	assert_float_equal(first_loss(&c)->gbps, 200, 0.01);
	compared_free(&c);
}

/* It comes before the switch, and nothing is beside it. */
static void a_host_that_is_missing_does_not_hide_its_rate(void **state)
{
	struct mkfab planned = mk_planned();
	struct ibc_port *p;
	struct compared c;

	(void)state;
	mk_ca(planned, 1, "host09 mlx5_0", 1);
	cable(planned, 1, 1, LEAF(1), 9);
	p = port(planned, 1, 1);
	p->width_active = ((struct ibc_port *)p->peer)->width_active = IBC_WIDTH_UNKNOWN;
	c = compared(planned, mk_planned());
	assert_float_equal(first_loss(&c)->gbps, 100, 0.01);
	compared_free(&c);
}

static void a_cable_between_two_spines_is_an_uplink_of_neither(void **state)
{
	struct mkfab planned = mk_planned();
	struct compared c;

	(void)state;
	cable(planned, SPINE(1), 9, SPINE(2), 9);
	c = compared(planned, mk_planned());
	assert_int_equal(comparison_deviation(c.cmp, 0)->kind, DEVIATION_MISSING_CABLE);
	assert_int_equal(first_loss(&c)->num_switches, 0);
	compared_free(&c);
}

static void a_swap_costs_both_leaves_a_path(void **state)
{
	struct mkfab found = mk_planned_without(AT(1, 5), AT(2, 6));
	struct compared c;

	(void)state;
	cable(found, LEAF(1), 5, SPINE(2), 2);
	cable(found, LEAF(2), 6, SPINE(1), 1);
	c = compared(mk_planned(), found);
	assert_int_equal(first_loss(&c)->num_switches, 2);
	assert_int_equal(first_loss(&c)->switches[0].uplinks_lost, 1);
	assert_int_equal(first_loss(&c)->switches[1].uplinks_lost, 1);
	compared_free(&c);
}

static void a_swap_at_one_leaf_costs_nothing(void **state)
{
	struct mkfab found = mk_planned_without(AT(1, 5), AT(1, 6));
	struct compared c;

	(void)state;
	cable(found, LEAF(1), 5, SPINE(2), 1);
	cable(found, LEAF(1), 6, SPINE(1), 1);
	c = compared(mk_planned(), found);
	assert_int_equal(comparison_deviation(c.cmp, 0)->kind, DEVIATION_SWAPPED);
	assert_int_equal(first_loss(&c)->num_switches, 0);
	assert_float_equal(first_loss(&c)->gbps, 0, 0.01);
	compared_free(&c);
}

static void a_missing_leaf_cuts_its_hosts_off(void **state)
{
	struct mkfab planned = mk_planned();
	struct compared c;

	(void)state;
	mk_switch(planned, LEAF(5), "leaf05", 10);
	mk_ca(planned, HOST(9), "host09 mlx5_0", 1);
	mk_ca(planned, HOST(10), "host10 mlx5_0", 1);
	cable(planned, LEAF(5), 1, HOST(9), 1);
	cable(planned, LEAF(5), 2, HOST(10), 1);
	cable(planned, LEAF(5), 5, SPINE(1), 5);
	c = compared(planned, mk_planned());
	assert_int_equal(first_loss(&c)->hosts_cut_off, 2);
	assert_int_equal(first_loss(&c)->num_hosts, 2);
	assert_string_equal(first_loss(&c)->hosts[1]->label, "host10 mlx5_0");
	assert_int_equal(first_loss(&c)->num_switches, 0);
	compared_free(&c);
}

static void a_missing_spine_costs_every_leaf_a_path(void **state)
{
	struct mkfab planned = mk_planned();
	struct compared c;

	(void)state;
	mk_switch(planned, SPINE(5), "spine05", 10);
	for (unsigned int i = 1; i <= 4; i++)
		cable(planned, LEAF(i), 9, SPINE(5), i);
	c = compared(planned, mk_planned());
	assert_int_equal(comparison_deviation(c.cmp, 0)->kind, DEVIATION_MISSING_NODE);
	assert_null(comparison_deviation(c.cmp, 1));
	assert_int_equal(first_loss(&c)->num_switches, 4);
	assert_int_equal(first_loss(&c)->switches[3].uplinks_planned, 5);
	assert_int_equal(first_loss(&c)->hosts_cut_off, 0);
	compared_free(&c);
}

static void a_host_with_an_adapter_left_is_not_cut_off(void **state)
{
	struct mkfab planned = mk_planned(), found = mk_planned();
	struct compared c;

	(void)state;
	mk_ca(planned, HOST(9), "host09 mlx5_0", 1);
	mk_ca(planned, HOST(10), "host09 mlx5_1", 1);
	mk_ca(found, HOST(10), "host09 mlx5_1", 1);
	cable(planned, LEAF(1), 3, HOST(9), 1);
	cable(planned, LEAF(2), 3, HOST(10), 1);
	cable(found, LEAF(2), 3, HOST(10), 1);
	c = compared(planned, found);
	assert_int_equal(comparison_deviation(c.cmp, 0)->kind, DEVIATION_MISSING_NODE);
	assert_int_equal(first_loss(&c)->hosts_cut_off, 0);
	compared_free(&c);
}

static void a_host_is_cut_off_once_however_many_adapters_it_had(void **state)
{
	struct mkfab planned = mk_planned();
	struct compared c;

	(void)state;
	mk_switch(planned, LEAF(5), "leaf05", 10);
	mk_ca(planned, HOST(9), "host09 mlx5_0", 1);
	mk_ca(planned, HOST(10), "host09 mlx5_1", 1);
	cable(planned, LEAF(5), 1, HOST(9), 1);
	cable(planned, LEAF(5), 2, HOST(10), 1);
	cable(planned, LEAF(5), 5, SPINE(1), 5);
	c = compared(planned, mk_planned());
	assert_int_equal(first_loss(&c)->hosts_cut_off, 1);
	compared_free(&c);
}

static void a_host_without_its_cable_is_cut_off_though_it_is_known(void **state)
{
	struct compared c = compared(mk_planned(), mk_planned_without(AT(2, 1)));

	(void)state;
	assert_int_equal(comparison_deviation(c.cmp, 0)->kind, DEVIATION_MISSING_CABLE);
	assert_int_equal(first_loss(&c)->hosts_cut_off, 1);
	assert_string_equal(first_loss(&c)->hosts[0]->label, "host03 mlx5_0");
	compared_free(&c);
}

static void a_host_at_another_port_is_not_cut_off(void **state)
{
	struct mkfab found = mk_planned_without(AT(2, 1));
	struct compared c;

	(void)state;
	cable(found, LEAF(3), 3, HOST(3), 1);
	c = compared(mk_planned(), found);
	assert_int_equal(comparison_deviation(c.cmp, 0)->kind, DEVIATION_MISWIRED);
	assert_int_equal(first_loss(&c)->hosts_cut_off, 0);
	compared_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cable_of_lower_speed_is_slow),
		cmocka_unit_test(a_cable_of_fewer_lanes_is_narrow_whatever_its_speed),
		cmocka_unit_test(faster_or_as_fast_in_another_way_is_as_planned),
		cmocka_unit_test(what_the_plan_does_not_say_is_not_missed),
		cmocka_unit_test(a_missing_uplink_costs_its_leaf_a_path),
		cmocka_unit_test(without_planned_rates_the_links_beside_it_tell_what_is_lost),
		cmocka_unit_test(a_host_that_is_missing_does_not_hide_its_rate),
		cmocka_unit_test(a_cable_between_two_spines_is_an_uplink_of_neither),
		cmocka_unit_test(a_swap_costs_both_leaves_a_path),
		cmocka_unit_test(a_swap_at_one_leaf_costs_nothing),
		cmocka_unit_test(a_missing_leaf_cuts_its_hosts_off),
		cmocka_unit_test(a_missing_spine_costs_every_leaf_a_path),
		cmocka_unit_test(a_host_with_an_adapter_left_is_not_cut_off),
		cmocka_unit_test(a_host_is_cut_off_once_however_many_adapters_it_had),
		cmocka_unit_test(a_host_without_its_cable_is_cut_off_though_it_is_known),
		cmocka_unit_test(a_host_at_another_port_is_not_cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
