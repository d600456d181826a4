/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "findings.h"

/* The adapter can do no more, so that nothing is wrong with the cable as such. */
static void run_at(struct mkfab m, unsigned int i, enum ibc_width width, enum ibc_speed speed)
{
	struct ibc_port *p = port(m, host(i), 1), *z = port(m, 1, i);

	p->width_active = z->width_active = width;
	p->speed_active = z->speed_active = speed;
	p->width_enabled = p->width_supported = width;
	p->speed_enabled = p->speed_supported = (uint16_t)speed;
	z->width_enabled |= width;
	z->speed_enabled |= (uint16_t)speed;
}

static void what_port_speed_or_port_width_reports_is_not_told_again(void **state)
{
	struct mkfab m = mk_leaf(12);

	(void)state;
	port(m, host(1), 1)->speed_active = port(m, 1, 1)->speed_active = IBC_SPEED_QDR;
	port(m, host(2), 1)->width_active = port(m, 1, 2)->width_active = IBC_WIDTH_1X;
	port(m, 1, 3)->speed_enabled = IBC_SPEED_FDR;
	port(m, host(3), 1)->speed_active = port(m, 1, 3)->speed_active = IBC_SPEED_FDR;
	run_at(m, 4, IBC_WIDTH_4X, IBC_SPEED_FDR);
	expect(m, "port.rate-odd",
	       "warning leaf01/4 - host04 mlx5_0/1: runs at 4x FDR; 8 of 12 HCA ports of its type "
	       "run at 4x EDR\n");
}

static void one_slow_host_among_many_is_found(void **state)
{
	struct mkfab m = mk_leaf(21);
	const struct ibc_finding *f;
	struct ibc_report *rep;

	(void)state;
	run_at(m, 7, IBC_WIDTH_4X, IBC_SPEED_QDR);
	rep = report_of(m, "port.rate-odd", NULL);
	f = ibc_report_finding(rep, 0);
	assert_string_equal(f->facts[0].key, "rate_gbps");
	assert_true(f->facts[0].value.real == 32);
	assert_true(f->facts[1].value.real == 100);
	assert_non_null(strstr(f->advice, "Reseat"));
	expect_of(rep, "warning leaf01/7 - host07 mlx5_0/1: runs at 4x QDR; 20 of 21 HCA ports of "
	               "its type run at 4x EDR\n");
}

static void width_counts_as_much_as_speed(void **state)
{
	struct mkfab m = mk_leaf(3);

	(void)state;
	run_at(m, 3, IBC_WIDTH_1X, IBC_SPEED_EDR);
	expect(m, "port.rate-odd",
	       "warning leaf01/3 - host03 mlx5_0/1: runs at 1x EDR; 2 of 3 HCA ports of its type "
	       "run at 4x EDR\n");
}

static void fewer_than_three_or_two_thirds_say_nothing(void **state)
{
	struct mkfab two = mk_leaf(2), seven = mk_leaf(7);

	(void)state;
	run_at(two, 1, IBC_WIDTH_4X, IBC_SPEED_QDR);
	expect(two, "port.rate-odd", "");
	for (unsigned int i = 1; i <= 3; i++)
		run_at(seven, i, IBC_WIDTH_4X, IBC_SPEED_QDR);
	expect(seven, "port.rate-odd", "");
}

static void a_faster_one_is_no_fault(void **state)
{
	struct mkfab m = mk_leaf(6);

	(void)state;
	run_at(m, 1, IBC_WIDTH_4X, IBC_SPEED_HDR);
	expect(m, "port.rate-odd", "");
}

static void slower_ones_of_all_rates_are_named(void **state)
{
	struct mkfab m = mk_leaf(9);

	(void)state;
	run_at(m, 1, IBC_WIDTH_4X, IBC_SPEED_HDR);
	run_at(m, 2, IBC_WIDTH_4X, IBC_SPEED_SDR);
	run_at(m, 3, IBC_WIDTH_1X, IBC_SPEED_QDR);
	expect(m, "port.rate-odd",
	       "warning leaf01/2 - host02 mlx5_0/1: runs at 4x SDR; 6 of 9 HCA ports of its type "
	       "run at 4x EDR\n"
	       "warning leaf01/3 - host03 mlx5_0/1: runs at 1x QDR; 6 of 9 HCA ports of its type "
	       "run at 4x EDR\n");
}

static void types_are_compared_among_themselves(void **state)
{
	struct mkfab m = mk_leaf(8);

	(void)state;
	for (unsigned int i = 1; i <= 2; i++) {
		fabric_build_find(m.b, m.subnet, host(i))->vendor_id = 0x1077;
		run_at(m, i, IBC_WIDTH_4X, IBC_SPEED_QDR);
	}
	expect(m, "port.rate-odd", "");
}

static void a_switch_port_is_no_sibling(void **state)
{
	struct mkfab m = mk_leaf(3);

	(void)state;
	port(m, 1, 2)->speed_active = IBC_SPEED_SDR;
	expect(m, "port.rate-odd", "");
}

static void a_file_that_tells_of_links_only_is_enough(void **state)
{
	struct mkfab m = mkfab();
	char name[32];

	(void)state;
	m.subnet->provides = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC, IBC_ATTR_LINK);
	for (unsigned int i = 1; i <= 5; i++) {
		struct ibc_node *n;

		snprintf(name, sizeof(name), "host%02u mlx4_0", i);
		n = fabric_build_node(m.b, m.subnet, host(i), IBC_NODE_CA, 1);
		fabric_build_desc(m.b, n, name, strlen(name));
		answers_put(port(m, host(i), 1), IBC_ATTR_LINK, ANSWER_OK);
		port(m, host(i), 1)->width_active = IBC_WIDTH_4X;
		port(m, host(i), 1)->speed_active = i == 4 ? IBC_SPEED_SDR : IBC_SPEED_QDR;
	}
	answers_put(port(m, host(5), 1), IBC_ATTR_LINK, ANSWER_NONE);
	expect(m, "port.rate-odd",
	       "warning host04 mlx4_0/1: runs at 4x SDR; 3 of 4 HCA ports of its type run at 4x "
	       "QDR\n");
}

static void ports_without_link_or_rate_do_not_count(void **state)
{
	struct mkfab m = mk_leaf(4);

	(void)state;
	run_at(m, 1, IBC_WIDTH_4X, IBC_SPEED_UNKNOWN);
	port(m, host(2), 1)->phys_state = IBC_PHYS_POLLING;
	run_at(m, 3, IBC_WIDTH_4X, IBC_SPEED_SDR);
	expect(m, "port.rate-odd", "");
}

static void an_old_switch_is_named_as_the_cause(void **state)
{
	struct mkfab m = mk_leaf(5);
	struct ibc_report *rep;

	(void)state;
	run_at(m, 2, IBC_WIDTH_4X, IBC_SPEED_FDR);
	port(m, 1, 2)->speed_supported &= (uint16_t)~IBC_SPEED_EDR;
	rep = report_of(m, "port.rate-odd", NULL);
	assert_string_equal(
	    ibc_report_finding(rep, 0)->advice,
	    "The port at the other end does not support EDR: move the cable to a port that does.");
	ibc_report_free(rep);
}

static void halves_of_split_cables_are_compared_among_themselves(void **state)
{
	struct mkfab m = mk_leaf(12);

	(void)state;
	for (unsigned int i = 1; i <= 4; i++)
		run_at(m, i, IBC_WIDTH_2X, i == 4 ? IBC_SPEED_EDR : IBC_SPEED_HDR);
	expect(m, "port.rate-odd",
	       "warning leaf01/4 - host04 mlx5_0/1: runs at 2x EDR; 3 of 4 HCA ports of its type "
	       "run at 2x HDR\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_slow_host_among_many_is_found),
		cmocka_unit_test(what_port_speed_or_port_width_reports_is_not_told_again),
		cmocka_unit_test(width_counts_as_much_as_speed),
		cmocka_unit_test(fewer_than_three_or_two_thirds_say_nothing),
		cmocka_unit_test(a_faster_one_is_no_fault),
		cmocka_unit_test(slower_ones_of_all_rates_are_named),
		cmocka_unit_test(types_are_compared_among_themselves),
		cmocka_unit_test(a_switch_port_is_no_sibling),
		cmocka_unit_test(a_file_that_tells_of_links_only_is_enough),
		cmocka_unit_test(ports_without_link_or_rate_do_not_count),
		cmocka_unit_test(an_old_switch_is_named_as_the_cause),
		cmocka_unit_test(halves_of_split_cables_are_compared_among_themselves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
