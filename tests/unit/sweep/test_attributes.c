/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of attributes, and sets of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkattrs.h"
#include "source/sweep/sweep.h"

static void every_attribute_has_a_name_and_somebody_who_asks_for_it(void **state)
{
	struct ibc_attrs asked = IBC_ATTRS();

	(void)state;
	for (size_t i = 0; i < sweep_num_parts; i++)
		asked = ibc_attrs_or(asked, sweep_parts[i].of);
	for (enum ibc_attr a = IBC_ATTR_NONE + 1; a < IBC_ATTR_COUNT; a++) {
		assert_non_null(ibc_attr_name(a));
		if (!ibc_attrs_has(asked, a))
			fail_msg("nobody asks for %s: see sweep_parts", ibc_attr_name(a));
	}
}

static void an_attribute_has_a_bit_of_its_own_where_its_answer_is_noted(void **state)
{
	uint64_t of_nodes = 0, of_ports = 0;

	(void)state;
	for (enum ibc_attr a = IBC_ATTR_NONE + 1; a < IBC_ATTR_COUNT; a++) {
		assert_true(attr_node_bits[a] || attr_port_bits[a]);
		assert_false(of_nodes & attr_node_bits[a]);
		assert_false(of_ports & attr_port_bits[a]);
		of_nodes |= attr_node_bits[a];
		of_ports |= attr_port_bits[a];
	}
	assert_int_equal(attr_node_bits[IBC_ATTR_NONE] | attr_port_bits[IBC_ATTR_NONE], 0);
}

static void a_set_has_room_for_128(void **state)
{
	const struct ibc_attrs set = IBC_ATTRS(1, 63, 64, 127);

	(void)state;
	for (unsigned int i = 0; i < 128; i++)
		assert_int_equal(ibc_attrs_has(set, i), i == 1 || i == 63 || i == 64 || i == 127);
	assert_int_equal(ibc_attrs_count(set), 4);
	assert_true(ibc_attrs_meet(set, IBC_ATTRS(127)));
	assert_false(ibc_attrs_meet(set, IBC_ATTRS(126)));
	assert_attrs(ibc_attrs_minus(set, IBC_ATTRS(1, 127, 5)), 63, 64);
	assert_true(ibc_attrs_is_empty(IBC_ATTRS(IBC_ATTR_NONE)));
}

static void a_walk_over_a_set_meets_each_once(void **state)
{
	const struct ibc_attrs set = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_MC_MEMBER_RECORD);
	enum ibc_attr a = ibc_attrs_next(set, IBC_ATTR_NONE);

	(void)state;
	assert_int_equal(a, IBC_ATTR_NODE_INFO);
	a = ibc_attrs_next(set, a);
	assert_int_equal(a, IBC_ATTR_MC_MEMBER_RECORD);
	assert_int_equal(ibc_attrs_next(set, a), IBC_ATTR_NONE);
}

static void who_wants_one_counter_gets_all_and_those_of_lanes_only_if_wanted(void **state)
{
	const struct ibc_attrs all = ibc_attrs_of_group(IBC_ATTRS_COUNTERS);

	(void)state;
	assert_int_equal(ibc_attrs_count(all), 6);
	assert_memory_equal(
	    &all,
	    &(struct ibc_attrs[]){ ibc_attrs_complete(IBC_ATTRS(IBC_ATTR_RCV_ERROR_DETAILS)) }[0],
	    sizeof(all));
	assert_int_equal(ibc_attrs_count(ibc_attrs_complete(IBC_ATTRS(IBC_ATTR_VL_XMIT_WAIT))), 7);
	assert_attrs(ibc_attrs_complete(IBC_ATTRS(IBC_ATTR_LFT)), IBC_ATTR_LFT);
}

static void an_answer_counts_for_its_attribute_alone(void **state)
{
	struct ibc_port p = { .num = 1 };

	(void)state;
	answers_put(&p, IBC_ATTR_PORT_INFO, ANSWER_OK);
	answers_put(&p, IBC_ATTR_NODE_INFO, ANSWER_NONE);
	answers_put(&p, IBC_ATTR_SM_INFO, ANSWER_REFUSED);
	answers_put(&p, IBC_ATTR_SM_INFO, ANSWER_UNSUPPORTED);
	assert_int_equal(ibc_port_answer(&p, IBC_ATTR_PORT_INFO), IBC_ANSWERED);
	assert_int_equal(ibc_port_answer(&p, IBC_ATTR_NODE_INFO), IBC_SILENT);
	assert_int_equal(ibc_port_answer(&p, IBC_ATTR_SM_INFO), IBC_REFUSED);
	answers_put(&p, IBC_ATTR_VPORTS, ANSWER_UNSUPPORTED);
	assert_int_equal(ibc_port_answer(&p, IBC_ATTR_VPORTS), IBC_UNSUPPORTED);
	assert_int_equal(ibc_port_answer(&p, IBC_ATTR_LINK), IBC_NOT_ASKED);
	assert_int_equal(ibc_port_answer(&p, IBC_ATTR_LFT), IBC_NOT_ASKED);
	assert_false(ibc_port_has(&p, IBC_ATTR_LFT));
	assert_attrs(ibc_port_attrs(&p, IBC_ANSWERED), IBC_ATTR_PORT_INFO);
	assert_attrs(ibc_port_attrs(&p, IBC_REFUSED), IBC_ATTR_SM_INFO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_attribute_has_a_name_and_somebody_who_asks_for_it),
		cmocka_unit_test(an_attribute_has_a_bit_of_its_own_where_its_answer_is_noted),
		cmocka_unit_test(a_set_has_room_for_128),
		cmocka_unit_test(a_walk_over_a_set_meets_each_once),
		cmocka_unit_test(who_wants_one_counter_gets_all_and_those_of_lanes_only_if_wanted),
		cmocka_unit_test(an_answer_counts_for_its_attribute_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
