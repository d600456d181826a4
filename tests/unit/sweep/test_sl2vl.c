/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkfab.h"
#include "mkrig.h"
#include "wire/mad.h"

#define VL0_7 4
#define VL0   1
#define PORTS 5 /* of switch 1: hosts on 1 and 2, switches 2, 3, 4 on 3, 4, 5 */
#define WIDTH (PORTS + 1)

static uint8_t equal[SMP_SLS], each[WIDTH * WIDTH * SMP_SLS];
static struct ibc_sl2vl all_equal = { equal, WIDTH, true }, all_differ = { each, WIDTH, false };

static struct mkfab star(void)
{
	struct mkfab m = mkfab();

	for (unsigned int sl = 0; sl < SMP_SLS; sl++)
		equal[sl] = (uint8_t)(sl % 8);
	for (unsigned int i = 0; i < sizeof(each); i++)
		each[i] = (uint8_t)((i / SMP_SLS + i) % 8);
	mk_switch(m, 1, "middle", PORTS);
	mk_ca(m, 11, "host01 mlx5_0", 1);
	mk_ca(m, 12, "host02 mlx5_0", 1);
	cable(m, 1, 1, 11, 1);
	cable(m, 1, 2, 12, 1);
	for (unsigned int guid = 2; guid <= 4; guid++) {
		mk_switch(m, guid, "arm", 1);
		cable(m, 1, guid + 1, guid, 1);
	}
	return m;
}

static struct rig star_rig(const struct ibc_sl2vl *lanes)
{
	struct mkfab m = star();
	struct rig r;

	fabric_build_find(m.b, m.subnet, 1)->sl2vl = lanes;
	r = rig_of(done(m));
	r.opts.needs = IBC_ATTRS(IBC_ATTR_SL2VL);
	return r;
}

static const struct ibc_node *middle(const struct rig *r)
{
	return ibc_fabric_node_by_guid(r->seen, 1);
}

static void one_table_is_enough_where_two_ways_out_by_each_port_are_the_same(void **state)
{
	struct rig r = star_rig(&all_equal);

	(void)state;
	sweep(&r);
	assert_int_equal(r.rc, 0);
	assert_true(middle(&r)->sl2vl->uniform);
	assert_int_equal(middle(&r)->sl2vl->width, WIDTH);
	assert_memory_equal(middle(&r)->sl2vl->vl, equal, sizeof(equal));
	assert_true(ibc_node_has(middle(&r), IBC_ATTR_SL2VL));
	assert_int_equal(model_asked(r.model, MODEL_SL2VL), 2 * 3);
	rig_free(&r);
}

static void where_they_differ_all_ways_to_switches_are_asked_for(void **state)
{
	struct rig r = star_rig(&all_differ);
	const struct ibc_node *node;

	(void)state;
	sweep(&r);
	node = middle(&r);
	assert_false(node->sl2vl->uniform);
	assert_true(ibc_node_has(node, IBC_ATTR_SL2VL));
	for (unsigned int in = 1; in <= PORTS; in++) {
		for (unsigned int out = 3; out <= PORTS; out++) {
			for (unsigned int sl = 0; in != out && sl < SMP_SLS; sl++)
				assert_int_equal(ibc_switch_vl(node, in, out, sl),
				                 each[(in * WIDTH + out) * SMP_SLS + sl]);
		}
	}
	assert_int_equal(ibc_switch_vl(node, 3, 1, 0), IBC_VL_UNKNOWN);
	assert_int_equal(ibc_switch_vl(node, 3, 3, 0), IBC_VL_UNKNOWN);
	assert_int_equal(model_asked(r.model, MODEL_SL2VL), 2 * 3 + 3 * 4);
	rig_free(&r);
}

static void a_switch_with_one_lane_sends_all_by_it_and_is_not_asked(void **state)
{
	struct rig r = star_rig(NULL);

	(void)state;
	for (unsigned int num = 1; num <= PORTS; num++)
		real_port(&r, 1, num)->vl_active = VL0;
	for (unsigned int guid = 2; guid <= 4; guid++)
		real_port(&r, guid, 1)->vl_active = VL0;
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_SL2VL), 0);
	assert_int_equal(ibc_switch_vl(middle(&r), 1, 3, 9), 0);
	assert_false(ibc_node_unanswered(middle(&r), IBC_ATTR_SL2VL));
	rig_free(&r);
}

static void what_leaves_by_a_port_with_one_lane_takes_it(void **state)
{
	struct rig r = star_rig(&all_equal);

	(void)state;
	real_port(&r, 1, 5)->vl_active = VL0;
	sweep(&r);
	assert_int_equal(ibc_switch_vl(middle(&r), 1, 5, 3), 0);
	assert_int_equal(ibc_switch_vl(middle(&r), 1, 4, 3), 3);
	assert_int_equal(ibc_switch_vl(middle(&r), 5, 4, 3), 3);
	rig_free(&r);
}

/* An arm has one cable: nothing passes through it, and no way out is there to ask for. */
static void a_switch_that_nothing_passes_is_not_asked(void **state)
{
	struct rig r = star_rig(&all_equal);

	(void)state;
	sweep(&r);
	assert_null(ibc_fabric_node_by_guid(r.seen, 2)->sl2vl);
	assert_false(ibc_node_unanswered(ibc_fabric_node_by_guid(r.seen, 2), IBC_ATTR_SL2VL));
	rig_free(&r);
}

/* ---- what is not told ---------------------------------------------------------------- */

static int silent_from_port_4(void *model, const struct mad_addr *to, uint8_t mad[MAD_SIZE])
{
	struct mad_header h;

	mad_header_get(mad, &h);
	if (h.attribute == SMP_SL2VL_TABLE && h.modifier >> 8 == 4)
		return LINE_NOBODY;
	return model_answer(model, to, mad);
}

static void a_way_that_is_not_told_is_unknown(void **state)
{
	struct rig r = star_rig(&all_equal);

	(void)state;
	r.answer = silent_from_port_4;
	sweep(&r);
	assert_false(middle(&r)->sl2vl->uniform);
	assert_true(ibc_node_unanswered(middle(&r), IBC_ATTR_SL2VL));
	assert_int_equal(ibc_switch_vl(middle(&r), 4, 3, 2), IBC_VL_UNKNOWN);
	assert_int_equal(ibc_switch_vl(middle(&r), 5, 4, 2), 2);
	rig_free(&r);
}

static void unknown_ways_among_different_ones_leave_the_others(void **state)
{
	struct rig r = star_rig(&all_differ);

	(void)state;
	r.answer = silent_from_port_4;
	sweep(&r);
	assert_true(ibc_node_unanswered(middle(&r), IBC_ATTR_SL2VL));
	assert_int_equal(ibc_switch_vl(middle(&r), 4, 3, 2), IBC_VL_UNKNOWN);
	assert_int_equal(ibc_switch_vl(middle(&r), 2, 5, 2), each[(2 * WIDTH + 5) * SMP_SLS + 2]);
	rig_free(&r);
}

static void a_switch_that_tells_nothing_is_not_told(void **state)
{
	struct rig r = star_rig(&all_equal);

	(void)state;
	model_tables(r.model, ibc_fabric_node_by_guid(r.real, 1))->silent = IBC_ATTRS(
	    IBC_ATTR_SL2VL);
	sweep(&r);
	assert_null(middle(&r)->sl2vl);
	assert_true(ibc_node_unanswered(middle(&r), IBC_ATTR_SL2VL));
	assert_int_equal(ibc_fabric_coverage(r.seen, IBC_ATTR_SL2VL).timed_out, 1);
	rig_free(&r);
}

static void nobody_asks_for_lanes_that_nobody_needs(void **state)
{
	struct rig r = star_rig(&all_equal);

	(void)state;
	r.opts.needs = IBC_ATTRS();
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_SL2VL), 0);
	assert_null(middle(&r)->sl2vl);
	rig_free(&r);
}

static void running_out_of_memory_is_an_error_and_leaks_nothing(void **state)
{
	struct rig r = star_rig(&all_differ);

	(void)state;
	sweep_short_of_memory(&r);
	rig_free(&r);
	r = star_rig(&all_equal);
	sweep_short_of_memory(&r);
	rig_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_table_is_enough_where_two_ways_out_by_each_port_are_the_same),
		cmocka_unit_test(where_they_differ_all_ways_to_switches_are_asked_for),
		cmocka_unit_test(a_switch_with_one_lane_sends_all_by_it_and_is_not_asked),
		cmocka_unit_test(what_leaves_by_a_port_with_one_lane_takes_it),
		cmocka_unit_test(a_switch_that_nothing_passes_is_not_asked),
		cmocka_unit_test(a_way_that_is_not_told_is_unknown),
		cmocka_unit_test(unknown_ways_among_different_ones_leave_the_others),
		cmocka_unit_test(a_switch_that_tells_nothing_is_not_told),
		cmocka_unit_test(nobody_asks_for_lanes_that_nobody_needs),
		cmocka_unit_test(running_out_of_memory_is_an_error_and_leaks_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
