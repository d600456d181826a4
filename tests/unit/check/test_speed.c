/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "findings.h"

static const unsigned int widths = IBC_WIDTH_1X | IBC_WIDTH_2X | IBC_WIDTH_4X;
static const unsigned int to_qdr = IBC_SPEED_SDR | IBC_SPEED_DDR | IBC_SPEED_QDR;

/* Both ends of the cable of host i. */
#define BOTH(m, i, field, value) (port(m, 1, i)->field = port(m, host(i), 1)->field = (value))

/* ---- active below enabled ---- */

static void a_cable_with_a_dead_lane_is_narrow(void **state)
{
	struct mkfab m = mk_leaf(4);
	struct ibc_report *rep;

	(void)state;
	BOTH(m, 2, width_active, IBC_WIDTH_1X);
	rep = report_of(m, "port.width", NULL);
	assert_int_equal(ibc_report_finding(rep, 0)->num_facts, 3);
	assert_string_equal(ibc_report_finding(rep, 0)->facts[2].key, "lost_gbps");
	assert_string_equal(ibc_report_finding(rep, 0)->facts[0].key, "width_active");
	assert_string_equal(ibc_report_finding(rep, 0)->facts[0].value.word->word, "1x");
	assert_string_equal(ibc_report_finding(rep, 0)->facts[1].key, "width_expected");
	assert_string_equal(ibc_report_finding(rep, 0)->facts[1].value.word->word, "4x");
	assert_non_null(ibc_report_finding(rep, 0)->advice);
	expect_of(rep, "warning leaf01/2 - host02 mlx5_0/1: runs at 1x, both ends enable 4x\n");
}

static void a_2x_link_is_narrow_where_4x_is_enabled(void **state)
{
	struct mkfab m = mk_leaf(1);

	(void)state;
	BOTH(m, 1, width_enabled, widths);
	BOTH(m, 1, width_active, IBC_WIDTH_2X);
	expect(m, "port.width",
	       "warning leaf01/1 - host01 mlx5_0/1: runs at 2x, both ends enable 4x\n");
}

static void a_cable_that_fell_back_is_slow(void **state)
{
	struct mkfab m = mk_leaf(4);

	(void)state;
	BOTH(m, 3, speed_active, IBC_SPEED_FDR);
	expect(m, "port.speed",
	       "warning leaf01/3 - host03 mlx5_0/1: runs at FDR, both ends enable EDR\n");
}

static void if_the_ends_disagree_the_lesser_is_believed(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	port(m, host(1), 1)->speed_active = IBC_SPEED_QDR;
	port(m, 1, 2)->speed_active = IBC_SPEED_DDR;
	expect(m, "port.speed",
	       "warning leaf01/1 - host01 mlx5_0/1: runs at QDR, both ends enable EDR\n"
	       "warning leaf01/2 - host02 mlx5_0/1: runs at DDR, both ends enable EDR\n");
}

static void what_only_one_end_enables_is_not_expected(void **state)
{
	struct mkfab m = mk_leaf(1);

	(void)state;
	port(m, 1, 1)->speed_enabled |= IBC_SPEED_HDR | IBC_SPEED_NDR;
	port(m, 1, 1)->width_enabled |= IBC_WIDTH_12X;
	expect(m, "port.speed,port.width", "");
}

static void fdr10_counts_only_where_it_was_told(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	BOTH(m, 1, speed_enabled, to_qdr);
	BOTH(m, 1, speed_active, IBC_SPEED_QDR);
	port(m, 1, 1)->speed_enabled |= IBC_SPEED_FDR10; /* the far end was not asked */
	port(m, 1, 1)->speed_active = IBC_SPEED_FDR10;
	BOTH(m, 2, speed_enabled, to_qdr | IBC_SPEED_FDR10);
	BOTH(m, 2, speed_active, IBC_SPEED_QDR);
	expect(m, "port.speed",
	       "warning leaf01/2 - host02 mlx5_0/1: runs at QDR, both ends enable FDR10\n");
}

static void a_value_nobody_knows_is_unknown_not_ok(void **state)
{
	struct mkfab m = mk_leaf(1);
	struct ibc_report *rep;

	(void)state;
	port(m, 1, 1)->speed_active = IBC_SPEED_UNKNOWN;
	rep = report_of(m, "port.speed", NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	expect_of(rep, "unknown leaf01/1 - host01 mlx5_0/1: is LinkUp, but one end reports an "
	               "unknown speed\n");
}

/* ---- who is not accused ---- */

static void split_cables_blame_nobody(void **state)
{
	struct mkfab m = mk_leaf(8);

	(void)state;
	for (unsigned int i = 1; i <= 8; i++) {
		BOTH(m, i, width_supported, widths);
		BOTH(m, i, width_enabled, widths);
	}
	for (unsigned int i = 1; i <= 3; i++) {
		BOTH(m, i, width_active, IBC_WIDTH_2X);
		port(m, 1, i)->width_enabled = IBC_WIDTH_1X | IBC_WIDTH_2X;
	}
	expect(m, "port.width,port.rate-odd", "");
}

static void supported_alone_blames_nobody(void **state)
{
	struct mkfab m = mk_leaf(4);

	(void)state;
	for (unsigned int i = 1; i <= 4; i++) {
		BOTH(m, i, width_supported, widths | IBC_WIDTH_12X);
		BOTH(m, i, speed_supported, MKFAB_SPEEDS | IBC_SPEED_HDR);
	}
	expect(m, "port.width,port.speed", "");
}

static void a_limit_that_half_of_them_have_is_deliberate(void **state)
{
	struct mkfab m = mk_leaf(4);

	(void)state;
	for (unsigned int i = 1; i <= 2; i++) {
		BOTH(m, i, speed_active, IBC_SPEED_QDR);
		port(m, 1, i)->speed_enabled = to_qdr;
	}
	expect(m, "port.speed", "");
}

static void sets_that_were_not_told_blame_nobody(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	BOTH(m, 1, width_enabled, 0);
	BOTH(m, 1, width_active, IBC_WIDTH_1X);
	port(m, 1, 2)->speed_enabled = 0;
	BOTH(m, 2, speed_active, IBC_SPEED_SDR);
	expect(m, "port.width,port.speed", "");
}

static void silence_and_links_that_are_down_blame_nobody(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	BOTH(m, 1, width_active, IBC_WIDTH_1X);
	answers_put(port(m, host(1), 1), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	BOTH(m, 2, width_active, IBC_WIDTH_1X);
	port(m, 1, 2)->phys_state = IBC_PHYS_POLLING;
	expect(m, "port.width", "");
}

/* ---- limits ---- */

static void a_forgotten_limit_is_told_with_the_count(void **state)
{
	struct mkfab m = mk_leaf(5);

	(void)state;
	port(m, host(2), 1)->speed_enabled = to_qdr;
	BOTH(m, 2, speed_active, IBC_SPEED_QDR);
	expect(m, "port.speed",
	       "warning leaf01/2 - host02 mlx5_0/1: is limited to QDR by host02 mlx5_0/1: both "
	       "ends support EDR, and 4 of 5 cables between such devices enable it\n");
	/* what joins the chips of a box is no cable as the others */
	m = mk_leaf(5);
	port(m, host(2), 1)->speed_enabled = to_qdr;
	BOTH(m, 2, speed_active, IBC_SPEED_QDR);
	port_extra(port(m, 1, 2))->fnm = true;
	expect(m, "port.speed", "");
}

static void a_limit_names_the_ends_that_set_it(void **state)
{
	struct mkfab m = mk_leaf(7);

	(void)state;
	BOTH(m, 1, width_enabled, IBC_WIDTH_1X);
	BOTH(m, 1, width_active, IBC_WIDTH_1X);
	for (unsigned int i = 1; i <= 7; i++) {
		BOTH(m, i, width_supported, widths | IBC_WIDTH_8X);
		if (i > 1)
			BOTH(m, i, width_enabled, widths | IBC_WIDTH_8X);
		if (i > 2)
			BOTH(m, i, width_active, IBC_WIDTH_8X);
	}
	port(m, 1, 2)->width_enabled = IBC_WIDTH_1X | IBC_WIDTH_4X;
	BOTH(m, 3, width_active, IBC_WIDTH_4X);
	port(m, 1, 3)->width_enabled = IBC_WIDTH_4X | IBC_WIDTH_8X;
	port(m, host(3), 1)->width_enabled = IBC_WIDTH_4X | IBC_WIDTH_12X;
	expect(m, "port.width",
	       "warning leaf01/1 - host01 mlx5_0/1: is limited to 1x by both ends: both ends "
	       "support 8x, and 4 of 7 cables between such devices enable it\n"
	       "warning leaf01/2 - host02 mlx5_0/1: is limited to 4x by leaf01/2: both ends "
	       "support 8x, and 4 of 7 cables between such devices enable it\n"
	       "warning leaf01/3 - host03 mlx5_0/1: is limited to 4x by what the two ends enable: "
	       "both ends support 8x, and 4 of 7 cables between such devices enable it\n");
}

static void limits_are_compared_between_the_same_types_only(void **state)
{
	struct mkfab m = mk_leaf(5);

	(void)state;
	fabric_build_find(m.b, m.subnet, host(2))->device_id = 0x1021;
	port(m, host(2), 1)->speed_enabled = to_qdr;
	BOTH(m, 2, speed_active, IBC_SPEED_QDR);
	expect(m, "port.speed", "");
}

static void a_slow_cable_is_not_told_of_twice(void **state)
{
	struct mkfab m = mk_leaf(5);

	(void)state;
	port(m, host(2), 1)->speed_enabled = to_qdr;
	BOTH(m, 2, speed_active, IBC_SPEED_SDR);
	expect(m, "port.speed",
	       "warning leaf01/2 - host02 mlx5_0/1: runs at SDR, both ends enable QDR\n");
}

/* ---- ends that cannot match ---- */

static void ends_without_a_common_mode_are_told_apart(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	port(m, 1, 1)->speed_enabled = IBC_SPEED_EDR;
	port(m, host(1), 1)->speed_enabled = IBC_SPEED_SDR | IBC_SPEED_QDR;
	BOTH(m, 1, speed_active, IBC_SPEED_QDR);
	port(m, 1, 2)->width_enabled = IBC_WIDTH_4X;
	port(m, host(2), 1)->width_enabled = IBC_WIDTH_1X;
	expect(m, "port.speed,port.width",
	       "warning leaf01/1 - host01 mlx5_0/1: the two ends enable no common speed: leaf01/1 "
	       "EDR, host01 mlx5_0/1 SDR/QDR; it runs at QDR\n"
	       "warning leaf01/2 - host02 mlx5_0/1: the two ends enable no common width: leaf01/2 "
	       "4x, host02 mlx5_0/1 1x; it runs at 4x\n");
}

static void every_width_and_speed_has_its_place(void **state)
{
	static const unsigned int by_lanes[] = { IBC_WIDTH_1X, IBC_WIDTH_2X, IBC_WIDTH_4X,
		                                 IBC_WIDTH_8X, IBC_WIDTH_12X };

	(void)state;
	for (unsigned int i = 1; i < 5; i++) {
		struct mkfab m = mk_leaf(1);
		struct ibc_report *rep;

		BOTH(m, 1, width_enabled, 31);
		BOTH(m, 1, width_supported, 31);
		BOTH(m, 1, width_active, by_lanes[i]);
		rep = report_of(m, "port.width", NULL);
		assert_int_equal(ibc_report_count(rep, IBC_WARNING), i < 4);
		ibc_report_free(rep);
	}
	for (unsigned int speed = IBC_SPEED_SDR; speed <= IBC_SPEED_XDR; speed <<= 1) {
		struct mkfab m = mk_leaf(1);
		struct ibc_report *rep;

		BOTH(m, 1, speed_enabled, 2 * IBC_SPEED_XDR - 1);
		BOTH(m, 1, speed_supported, 2 * IBC_SPEED_XDR - 1);
		BOTH(m, 1, speed_active, speed);
		rep = report_of(m, "port.speed", NULL);
		assert_int_equal(ibc_report_count(rep, IBC_WARNING), speed != IBC_SPEED_XDR);
		ibc_report_free(rep);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cable_with_a_dead_lane_is_narrow),
		cmocka_unit_test(a_2x_link_is_narrow_where_4x_is_enabled),
		cmocka_unit_test(a_cable_that_fell_back_is_slow),
		cmocka_unit_test(if_the_ends_disagree_the_lesser_is_believed),
		cmocka_unit_test(what_only_one_end_enables_is_not_expected),
		cmocka_unit_test(fdr10_counts_only_where_it_was_told),
		cmocka_unit_test(a_value_nobody_knows_is_unknown_not_ok),
		cmocka_unit_test(split_cables_blame_nobody),
		cmocka_unit_test(supported_alone_blames_nobody),
		cmocka_unit_test(a_limit_that_half_of_them_have_is_deliberate),
		cmocka_unit_test(sets_that_were_not_told_blame_nobody),
		cmocka_unit_test(silence_and_links_that_are_down_blame_nobody),
		cmocka_unit_test(a_forgotten_limit_is_told_with_the_count),
		cmocka_unit_test(a_limit_names_the_ends_that_set_it),
		cmocka_unit_test(limits_are_compared_between_the_same_types_only),
		cmocka_unit_test(a_slow_cable_is_not_told_of_twice),
		cmocka_unit_test(ends_without_a_common_mode_are_told_apart),
		cmocka_unit_test(every_width_and_speed_has_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
