/* SPDX-License-Identifier: BSD-2-Clause */
/* .topo files: what they may look like, and what is told of their errors. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mkcables.h"

static struct ibc_fabric *topo(const char *text)
{
	return plan_of(read_topo, text);
}

static void complains(const char *text, const char *complaints)
{
	expect_complaints(read_topo, text, complaints);
}

/* ---- what it says ---- */

static void a_system_is_a_node_and_an_hca_of_it_is_one(void **state)
{
	struct ibc_fabric *fab = topo("# by hand\n"
	                              "MQM8700 sw01\n"
	                              "   P2 -4x-50G-> HCA_mlx5_3 host04 mlx5_0/P1\n"
	                              "   P40 -4x-50G-> MQM9700 sw05 P62\n"
	                              "\n"
	                              "HCA_mlx5_3 host04\n"
	                              "\tmlx5_1/P2 -> MQM9700 sw05 P1 # a remark\n");
	const struct ibc_node *sw = node_named(fab, "sw01");

	(void)state;
	expect_counts(fab, 2, 2, 3);
	expect_joined(fab, "sw01", 2, "host04 mlx5_0", 1);
	expect_joined(fab, "sw01", 40, "sw05", 62);
	expect_joined(fab, "sw05", 1, "host04 mlx5_1", 2);
	expect_rate(&sw->ports[2], IBC_WIDTH_4X, IBC_SPEED_HDR);
	assert_string_equal(ibc_fabric_subnet(fab, 0)->kind, "topo");
	assert_true(sw->named_only);
	assert_int_equal(sw->num_ports, 40);
	assert_int_equal(sw->ports[2].extra->cable->line, 3);
	assert_string_equal(node_named(fab, "host04 mlx5_0")->host_name, "host04");
	ibc_fabric_free(fab);
}

static void an_arrow_tells_width_and_the_speed_of_a_lane(void **state)
{
	struct ibc_fabric *fab = topo("S a\n"
	                              " P1 -> H h1 P1\n P2 -4X-> H h2 P1\n P3 -25G-> H h3 P1\n"
	                              " P4 -12x-2.5G-> H h4 P1\n P5 -4x-FDR10-> H h5 P1\n");
	const struct ibc_port *ports = node_named(fab, "a")->ports;

	(void)state;
	assert_false(ibc_port_has(&ports[1], IBC_ATTR_LINK));
	assert_int_equal(ports[2].width_active, IBC_WIDTH_4X);
	assert_int_equal(ports[3].speed_active, IBC_SPEED_EDR);
	expect_rate(&ports[4], IBC_WIDTH_12X, IBC_SPEED_SDR);
	expect_rate(&ports[5], IBC_WIDTH_4X, IBC_SPEED_FDR10);
	ibc_fabric_free(fab);
}

static void a_cable_may_be_told_from_both_its_ends(void **state)
{
	struct ibc_fabric *fab = topo("S a\n P3 -4x-> S b P4\n\n"
	                              "S b CFG: x=R, y=R\n P4 -25G-> S a P3 CFG: z=R\n");

	(void)state;
	expect_counts(fab, 2, 0, 1);
	/* what one end does not tell the other may */
	expect_rate(&node_named(fab, "a")->ports[3], IBC_WIDTH_4X, IBC_SPEED_EDR);
	assert_int_equal(node_named(fab, "b")->ports[4].extra->cable->line, 2);
	ibc_fabric_free(fab);
}

static void modules_of_a_chassis_are_nodes(void **state)
{
	struct ibc_fabric *fab = topo("Gnu GNU1 CFG: leaf1=R, spine1=R\n"
	                              "  M/P1 -> Cougar H01 P1\n"
	                              "  L1/P1 -> Cougar H02 U1/P2\n"
	                              "  SysL/L1/P3 -> Cougar H03 P1\n");

	(void)state;
	expect_joined(fab, "GNU1/M", 1, "H01", 1);
	expect_joined(fab, "GNU1/L1", 1, "H02", 2);
	expect_joined(fab, "GNU1/SysL/L1", 3, "H03", 1);
	/* the type is that of all its modules */
	expect_counts(fab, 3, 3, 3);
	ibc_fabric_free(fab);
}

/* ---- errors ---- */

static void contradictions_name_the_line_before(void **state)
{
	(void)state;
	complains("S sw\n P1 -> S b P1\n P1 -> S c P1\n", "3:2: sw/1 is already used in line 2\n");
	complains("S a\n P1 -> S a P1\n", "2:12: a/1 is cabled to itself\n");
	complains("S a\n P1 -4x-> S b P1\n\nS b\n P1 -8x-> S a P1\n",
	          "5:2: line 2 gives another width or speed for this cable\n");
	complains("S a\n P1 -25G-> S b P1\n P1 -50G-> S b P1\n",
	          "3:2: line 2 gives another width or speed for this cable\n");
	/* the same in several pieces, or once more, is no contradiction */
	complains("S a\n P1 -> S b P1\n\nS a\n P2 -> S b P2\n\nS a\n P1 -> S b P1\n", "");
	complains("S a\n P1 -> S b P1\n P2 -> T b P2\n",
	          "3:8: b has the type T here, and S in line 2\n");
}

static void lines_that_are_not_understood_are_told(void **state)
{
	static const char no_rate[] =
	    "2:5: no width and speed of a lane between the dashes: expected \"->\", \"-4x->\" or "
	    "\"-4x-25G->\"\n";

	(void)state;
	complains(" P1 -> S b P1\n",
	          "1:2: a port outside of a system: an empty line ends a system\n");
	complains("S a\n\n P1 -> S b P1\n",
	          "3:2: a port outside of a system: an empty line ends a system\n");
	complains("S a\n P1 -> S b\n",
	          "2:11: the line ends early: a port is PORT -> TYPE NAME PORT\n");
	/* the line of a system may be in what is lost */
	complains("S a\n P1 -> S b P1\n P2 -> S b\n P2 -> S c P2\n",
	          "3:11: the line ends early: a port is PORT -> TYPE NAME PORT\n"
	          "4:2: a port outside of a system: an empty line ends a system\n");
	complains("S a\n P1 -> S b P1 P2\n", "2:15: not understood: \"P2\"\n");
	complains("S a b\n", "1:5: not understood: \"b\"\n");
	complains("S\n",
	          "1:1: not understood: a system is TYPE NAME, and a port of it PORT -> TYPE "
	          "NAME PORT\n");
	complains("S a\n P0 -> S b P256\n", "2:2: there is no port 0: port numbers start at 1\n"
	                                    "2:12: no node has a port beyond 255\n");
	complains("S a\n x -> S b L1/\n",
	          "2:2: \"x\" is not a port; ports are written P7, mlx5_2/P1 or L1/P7\n"
	          "2:11: \"L1/\" is not a port; ports are written P7, mlx5_2/P1 or L1/P7\n");
	complains("S a\n P1 -5x-> S b P1\n", no_rate);
	complains("S a\n P1 -4x-77G-> S b P1\n", no_rate);
	complains("S a\n P1 -4x S b P1\n", no_rate);
	complains("S a\n P1 - S b P1\n", no_rate);
	complains("S a\n P1 ->\n", "2:7: the line ends early: a port is PORT -> TYPE NAME PORT\n");
}

static void a_topo_without_a_cable_is_an_error(void **state)
{
	static const char text[] = "S a\n\nS b\n";

	(void)state;
	expect_refusal(read_topo, text, strlen(text), "test holds no cable");
}

static void long_words_are_refused(void **state)
{
	char text[2000];

	(void)state;
	snprintf(text, sizeof(text),
	         "S %0260d\n P1 -> S b P1\n\nS c\n %0300d/P1 -> S b P2\n P1 -> %0300d d P1\n", 1, 2,
	         3);
	complains(text, "2:2: a name longer than 255 bytes\n"
	                "5:2: a name longer than 255 bytes\n"
	                "6:8: a type longer than 255 bytes\n");
}

static void every_allocation_may_fail(void **state)
{
	static const char text[] = "S a\n P1 -4x-> H h mlx5_0/P1\n P200 -> S b P1\n\nS b\n";
	struct ibc_error err = { "" };
	struct ibc_fabric *fab = NULL;
	int rc = -ENOMEM;

	(void)state;
	for (unsigned long n = 1; rc; n++) {
		alloc_fail_at(n);
		rc = read_bytes(read_topo, text, strlen(text), &fab, &err);
		alloc_fail_at(0);
		if (rc)
			assert_int_equal(rc, -ENOMEM);
	}
	expect_counts(fab, 2, 1, 2);
	ibc_fabric_free(fab);
}

/* ---- real files ---- */

static void plans_of_older_systems_load(void **state)
{
	static const struct {
		const char *name;
		size_t switches, cas, cables;
	} files[] = {
		{ "Buffalo8", 6, 14, 30 },       { "FullGnu", 3, 16, 16 },
		{ "PartialGazelle", 6, 72, 72 }, { "RhinoBased512", 144, 512, 1024 },
		{ "SingleGazelle", 8, 96, 96 },  { "SingleRhino", 12, 144, 144 },
		{ "credit-loops", 20, 16, 48 },  { "gnu-based-32", 14, 32, 64 },
		{ "network", 17, 128, 256 },     { "partial-gnu-based-32", 14, 32, 62 },
	};
	size_t skipped = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++) {
		struct ibc_fabric *fab = NULL;
		char path[200];

		snprintf(path, sizeof(path), "../shared/data/ibutils-topo/%s.topo", files[i].name);
		if (access(path, R_OK)) {
			print_message("SKIPPED: no %s\n", path);
			skipped++;
			continue;
		}
		assert_int_equal(load_file(path, &fab, NULL), 0);
		expect_counts(fab, files[i].switches, files[i].cas, files[i].cables);
		ibc_fabric_free(fab);
	}
	if (skipped)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_system_is_a_node_and_an_hca_of_it_is_one),
		cmocka_unit_test(an_arrow_tells_width_and_the_speed_of_a_lane),
		cmocka_unit_test(a_cable_may_be_told_from_both_its_ends),
		cmocka_unit_test(modules_of_a_chassis_are_nodes),
		cmocka_unit_test(contradictions_name_the_line_before),
		cmocka_unit_test(lines_that_are_not_understood_are_told),
		cmocka_unit_test(a_topo_without_a_cable_is_an_error),
		cmocka_unit_test(long_words_are_refused),
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(plans_of_older_systems_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
