/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ibcheck/counters.h>

#include "mkcount.h"

/* The difference at leaf01/1; frees both. */
static bool delta_of(struct pair s, struct ibc_delta *delta, double *util, double *wait)
{
	struct ibc_fabric *before = done(s.before), *now = done(s.now);
	const struct ibc_port *p = ibc_node_port(ibc_fabric_node_by_guid(now, 1), 1);
	bool known = ibc_delta_of(before, p, delta);

	if (util)
		*util = ibc_delta_util_percent(p, delta);
	if (wait)
		*wait = ibc_delta_wait_percent(p, delta);
	ibc_fabric_free(before);
	ibc_fabric_free(now);
	return known;
}

static struct pair leaves(void)
{
	return mk_pair(mk_leaf(2), mk_leaf(2));
}

static void what_was_counted_is_the_difference_of_two_samples(void **state)
{
	struct pair s = leaves();
	struct ibc_delta d;

	(void)state;
	count(s.before, 1, 1, IBC_RCV_ERRORS, 10);
	count(s.now, 1, 1, IBC_RCV_ERRORS, 17);
	counters_of(s.before, 1, 1)->at_seconds = 1;
	counters_of(s.now, 1, 1)->at_seconds = 3;
	assert_true(delta_of(s, &d, NULL, NULL));
	assert_int_equal(d.value[IBC_RCV_ERRORS], 7);
	assert_true(d.seconds == HOUR + 2);
	assert_int_equal(d.at_least | d.cleared, 0);
	assert_false(d.fresh);
}

static void only_what_is_wanted_is_compared(void **state)
{
	struct pair s = leaves();
	struct ibc_fabric *before, *now;
	struct ibc_delta d;

	(void)state;
	count(s.now, 1, 1, IBC_RCV_ERRORS, 7);
	count(s.now, 1, 1, IBC_SYMBOL_ERROR, 8);
	before = done(s.before);
	now = done(s.now);
	assert_true(ibc_delta_among(before, ibc_node_port(ibc_fabric_node_by_guid(now, 1), 1),
	                            1u << IBC_SYMBOL_ERROR, &d));
	assert_int_equal(d.known, 1u << IBC_SYMBOL_ERROR);
	assert_int_equal(d.value[IBC_SYMBOL_ERROR], 8);
	assert_int_equal(d.value[IBC_RCV_ERRORS], 0);
	ibc_fabric_free(before);
	ibc_fabric_free(now);
}

/* A node that came moves those behind it. */
static void a_port_is_compared_with_itself_wherever_it_stands(void **state)
{
	struct pair s = mk_pair(mk_leaf(1), mk_leaf(3));
	struct ibc_fabric *before = done(s.before), *now = done(s.now);
	const struct ibc_port *port;
	struct ibc_delta d;
	size_t fresh = 0;

	(void)state;
	for (size_t i = 0; (port = ibc_fabric_port(now, i)); i++) {
		const struct ibc_node *then = ibc_fabric_node_by_guid(before, port->node->guid);

		ibc_delta_of(before, port, &d);
		assert_int_equal(d.fresh, !then || port->num > then->num_ports);
		fresh += d.fresh;
	}
	assert_true(fresh > 0);
	ibc_fabric_free(before);
	ibc_fabric_free(now);
}

static void what_went_backwards_was_cleared(void **state)
{
	struct pair s = leaves();
	struct ibc_delta d;

	(void)state;
	count(s.before, 1, 1, IBC_RCV_ERRORS, 10);
	count(s.now, 1, 1, IBC_RCV_ERRORS, 4);
	assert_true(delta_of(s, &d, NULL, NULL));
	assert_int_equal(d.value[IBC_RCV_ERRORS], 4);
	assert_int_equal(d.cleared, 1u << IBC_RCV_ERRORS);
	assert_int_equal(d.at_least, 1u << IBC_RCV_ERRORS);
}

static void what_is_full_is_a_lower_bound(void **state)
{
	struct pair s = leaves();
	struct ibc_delta d;

	(void)state;
	counters_of(s.now, 1, 1)->saturated = 1u << IBC_RCV_ERRORS;
	assert_true(delta_of(s, &d, NULL, NULL));
	assert_int_equal(d.at_least, 1u << IBC_RCV_ERRORS);
}

static void a_counter_that_one_sample_lacks_is_not_known(void **state)
{
	struct pair s = leaves();
	struct ibc_delta d;

	(void)state;
	counters_of(s.before, 1, 1)->known &= ~(1u << IBC_RCV_ERRORS);
	counters_of(s.now, 1, 1)->known &= ~(1u << IBC_SYMBOL_ERROR);
	assert_true(delta_of(s, &d, NULL, NULL));
	assert_int_equal(d.known & (1u << IBC_RCV_ERRORS | 1u << IBC_SYMBOL_ERROR), 0);
}

static void details_that_were_not_read_are_zero_where_their_parent_was(void **state)
{
	static const struct {
		enum ibc_counter parent, detail;
	} cases[] = {
		{ IBC_RCV_ERRORS, IBC_LOCAL_PHYSICAL },
		{ IBC_RCV_SWITCH_RELAY, IBC_LOOPING },
		{ IBC_XMIT_DISCARDS, IBC_SW_HOQ_DISCARDS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (unsigned int parent = 0; parent < 2; parent++) {
			struct pair s = leaves();
			struct ibc_delta d;

			counters_of(s.before, 1, 1)->known = (1u << IBC_LOCAL_PHYSICAL) - 1;
			count(s.before, 1, 1, cases[i].parent, parent);
			count(s.now, 1, 1, cases[i].parent, 5);
			count(s.now, 1, 1, cases[i].detail, 5);
			assert_true(delta_of(s, &d, NULL, NULL));
			assert_int_equal(!(d.known & 1u << cases[i].detail), parent);
			assert_int_equal(d.value[cases[i].detail], parent ? 0 : 5);
		}
	}
}

static void without_an_earlier_sample_nothing_is_known(void **state)
{
	struct pair s = mk_pair(mkfab(), mk_leaf(2));
	struct ibc_delta d;

	(void)state;
	assert_false(delta_of(s, &d, NULL, NULL));
	assert_true(d.fresh);
	s = leaves();
	port(s.before, 1, 1)->counters = NULL;
	assert_false(delta_of(s, &d, NULL, NULL));
	assert_false(d.fresh);
	s = leaves();
	port(s.now, 1, 1)->counters = NULL;
	assert_false(delta_of(s, &d, NULL, NULL));
	s = leaves();
	s.now.subnet->time = s.before.subnet->time - 1;
	assert_false(delta_of(s, &d, NULL, NULL));
	assert_true(d.seconds == 0 && !d.known);
}

static void use_and_waiting_are_percent_of_the_link(void **state)
{
	struct pair s = leaves();
	struct ibc_delta d;
	double util, wait;

	(void)state;
	load(s, 1, 1, 50, 20);
	assert_true(delta_of(s, &d, &util, &wait));
	assert_true(util > 49.99 && util < 50.01);
	assert_true(wait > 19.99 && wait < 20.01);
}

static void an_older_switch_counts_by_lane(void **state)
{
	struct pair s = leaves();
	struct ibc_delta d;
	double wait;

	(void)state;
	fabric_build_find(s.now.b, s.now.subnet, 1)->xmit_wait_tick = 31;
	load(s, 1, 1, 0, 20); /* 16 times as long a tick */
	counters_of(s.now, 1, 1)->value[IBC_XMIT_WAIT] /= 16;
	assert_true(delta_of(s, &d, NULL, &wait));
	assert_true(wait > 19.99 && wait < 20.01);
}

static void percent_that_cannot_be_are_not_told(void **state)
{
	struct pair s = leaves();
	struct ibc_delta d;
	double util, wait;

	(void)state;
	load(s, 1, 1, 0, 106);
	assert_true(delta_of(s, &d, NULL, &wait));
	assert_true(wait < 0);
	s = leaves();
	port(s.now, 1, 1)->speed_active = 0;
	assert_true(delta_of(s, &d, &util, &wait));
	assert_true(util < 0 && wait < 0);
}

static void no_error_in_a_time_is_a_bound(void **state)
{
	struct ibc_fabric *fab = done(mk_leaf(1));
	const struct ibc_port *p = ibc_node_port(ibc_fabric_node_by_guid(fab, 1), 1);

	(void)state;
	assert_true(ibc_bit_error_rate(p, 0, 10) == 3e-12);
	assert_true(ibc_bit_error_rate(p, 1, 10) == 1e-12);
	assert_true(ibc_bit_error_rate(p, 20, 10) == 2e-11);
	assert_true(ibc_bit_error_rate(p, 20, 0) < 0);
	assert_true(ibc_bit_error_rate(ibc_node_port(p->node, 3), 20, 10) < 0);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_counted_is_the_difference_of_two_samples),
		cmocka_unit_test(only_what_is_wanted_is_compared),
		cmocka_unit_test(a_port_is_compared_with_itself_wherever_it_stands),
		cmocka_unit_test(what_went_backwards_was_cleared),
		cmocka_unit_test(what_is_full_is_a_lower_bound),
		cmocka_unit_test(a_counter_that_one_sample_lacks_is_not_known),
		cmocka_unit_test(details_that_were_not_read_are_zero_where_their_parent_was),
		cmocka_unit_test(without_an_earlier_sample_nothing_is_known),
		cmocka_unit_test(use_and_waiting_are_percent_of_the_link),
		cmocka_unit_test(an_older_switch_counts_by_lane),
		cmocka_unit_test(percent_that_cannot_be_are_not_told),
		cmocka_unit_test(no_error_in_a_time_is_a_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
