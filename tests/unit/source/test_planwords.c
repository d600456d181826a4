/* SPDX-License-Identifier: BSD-2-Clause */
/* Words that people write for ports, widths, speeds and kinds of nodes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "source/plans/plan.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void ports_are_read_as_people_write_them(void **state)
{
	static const struct {
		const char *text, *part;
		unsigned int num;
	} ports[] = {
		{ "7", "", 7 },
		{ "007", "", 7 },
		{ "P7", "", 7 },
		{ "p255", "", 255 },
		{ "Port 7", "", 7 },
		{ "port7", "", 7 },
		{ "IB1/7", "", 7 },
		{ "ib1/17/2", "", 34 },
		{ "1/1", "", 1 },
		{ "17/2", "", 34 },
		{ "P17/2", "", 34 },
		{ "sw17p2", "", 34 },
		{ "SW1P1", "", 1 },
		{ "mlx5_2/P1", "mlx5_2", 1 },
		{ "mlx5_2/2", "mlx5_2", 2 },
		{ "mlx5_10:1", "mlx5_10", 1 },
		{ "mlx5_2 port 1", "mlx5_2", 1 },
		{ "mlx5_2", "mlx5_2", 1 },
		{ "HCA-1/P2", "HCA-1", 2 },
		{ "ib0/1", "ib0", 1 },
		{ "IB Port 2", "", 2 },
		{ "swp1", "", 1 },
		{ "Blade 16_Port 2/20", "L16/U2", 20 },
		{ "blade 1_port 1/1", "L01/U1", 1 },
		{ "NODE0041 ibp75s0f0", "ibp75s0f0", 1 },
	};
	struct plan_port port;
	struct ibc_error err;

	(void)state;
	for (size_t i = 0; i < COUNT(ports); i++) {
		if (plan_port_parse(ports[i].text, &port, &err))
			fail_msg("%s: %s", ports[i].text, err.text);
		assert_int_equal(port.num, ports[i].num);
		assert_int_equal(port.part_length, strlen(ports[i].part));
		assert_memory_equal(port.part, ports[i].part, strlen(ports[i].part));
	}
}

static void what_is_no_port_says_why(void **state)
{
	static const char no_port[] =
	    "is not a port; ports are written 7, P7, Port 7, IB1/7, swp7, "
	    "17/2, sw17p2, Blade 16_Port 2/20 or mlx5_2/P1";
	static const char no_cage[] =
	    "a cage has the ports 1 and 2: write a port of another switch as one number";
	static const struct {
		const char *text, *why;
	} ports[] = {
		{ "0", "there is no port 0: port numbers start at 1" },
		{ "P0", "there is no port 0: port numbers start at 1" },
		{ "256", "no node has a port beyond 255" },
		{ "99999999999999999999999999", "no node has a port beyond 255" },
		{ "129/1", "no node has a port beyond 255" },
		{ "0/1", "there is no cage 0: cage numbers start at 1" },
		{ "1/3", no_cage },
		{ "1/0", no_cage },
		{ "mlx5_0/0", "there is no port 0: port numbers start at 1" },
		{ "eth0", NULL },
		{ "7a", NULL },
		{ "-1", NULL },
		{ "1/2/3", NULL },
		{ "mlx5_2/", NULL },
		{ "mlx5_2/x", NULL },
		{ "port", NULL },
		{ "P", NULL },
		{ "sw1", NULL },
		{ "/", NULL },
		{ "0x7", NULL },
	};
	struct plan_port port;
	char why[200];

	(void)state;
	for (size_t i = 0; i < COUNT(ports); i++) {
		struct ibc_error err = { "" };

		snprintf(why, sizeof(why), "\"%s\" %s", ports[i].text, no_port);
		assert_int_equal(plan_port_parse(ports[i].text, &port, &err), -EINVAL);
		assert_string_equal(err.text, ports[i].why ? ports[i].why : why);
	}
}

static void ports_of_a_topo_have_their_module_in_front(void **state)
{
	static const struct {
		const char *text, *part;
		unsigned int num;
	} ports[] = {
		{ "P7", "", 7 },        { "7", "", 7 },
		{ "U1/P1", "", 1 },     { "mlx5_2/P1", "mlx5_2", 1 },
		{ "L1/P12", "L1", 12 }, { "SysM/L2/P3", "SysM/L2", 3 },
		{ "U2/P1", "U2", 1 },
	};
	static const char *const bad[] = { "P0", "P256", "L1/", "x", "", "P1/x", "P1 2" };
	struct plan_port port;
	struct ibc_error err;

	(void)state;
	for (size_t i = 0; i < COUNT(ports); i++) {
		assert_int_equal(plan_panel_parse(ports[i].text, &port, &err), 0);
		assert_int_equal(port.num, ports[i].num);
		assert_int_equal(port.part_length, strlen(ports[i].part));
		assert_memory_equal(port.part, ports[i].part, strlen(ports[i].part));
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(plan_panel_parse(bad[i], &port, &err), -EINVAL);
}

static void speeds_are_names_or_those_of_cables_or_of_lanes(void **state)
{
	static const struct {
		const char *width, *speed;
		struct plan_rate rate;
	} rates[] = {
		{ "", "", { 0, 0 } },
		{ "4x", "", { IBC_WIDTH_4X, 0 } },
		{ "4", "EDR", { IBC_WIDTH_4X, IBC_SPEED_EDR } },
		{ "12X", "qdr", { IBC_WIDTH_12X, IBC_SPEED_QDR } },
		{ "", "FDR10", { 0, IBC_SPEED_FDR10 } },
		{ "", "4xEDR", { IBC_WIDTH_4X, IBC_SPEED_EDR } },
		{ "4x", "4X EDR", { IBC_WIDTH_4X, IBC_SPEED_EDR } },
		{ "", "2x-50G", { IBC_WIDTH_2X, IBC_SPEED_HDR } },
		{ "", "4x100G", { IBC_WIDTH_4X, IBC_SPEED_NDR } },
		/* a cable of four lanes, where nothing else is told */
		{ "", "100G", { IBC_WIDTH_4X, IBC_SPEED_EDR } },
		{ "", "100 Gb/s", { IBC_WIDTH_4X, IBC_SPEED_EDR } },
		{ "", "400gbps", { IBC_WIDTH_4X, IBC_SPEED_NDR } },
		{ "", "800", { IBC_WIDTH_4X, IBC_SPEED_XDR } },
		{ "", "56G", { IBC_WIDTH_4X, IBC_SPEED_FDR } },
		{ "", "40G", { IBC_WIDTH_4X, IBC_SPEED_QDR } },
		{ "", "10G", { IBC_WIDTH_4X, IBC_SPEED_SDR } },
		{ "2x", "100G", { IBC_WIDTH_2X, IBC_SPEED_HDR } },
		{ "1x", "100G", { IBC_WIDTH_1X, IBC_SPEED_NDR } },
		/* or of one of its lanes */
		{ "4x", "25G", { IBC_WIDTH_4X, IBC_SPEED_EDR } },
		{ "4x", "2.5G", { IBC_WIDTH_4X, IBC_SPEED_SDR } },
		{ "", "50G", { 0, IBC_SPEED_HDR } },
		/* or both */
		{ "", "HDR100", { IBC_WIDTH_2X, IBC_SPEED_HDR } },
		{ "", "NDR 400", { IBC_WIDTH_4X, IBC_SPEED_NDR } },
		{ "2x", "NDR200", { IBC_WIDTH_2X, IBC_SPEED_NDR } },
	};
	struct plan_rate rate;
	struct ibc_error err;

	(void)state;
	for (size_t i = 0; i < COUNT(rates); i++) {
		if (plan_width_parse(rates[i].width, &rate, &err) ||
		    plan_speed_parse(rates[i].speed, &rate, &err))
			fail_msg("%s %s: %s", rates[i].width, rates[i].speed, err.text);
		if (rate.width != rates[i].rate.width || rate.speed != rates[i].rate.speed)
			fail_msg("%s %s: %u %u", rates[i].width, rates[i].speed, rate.width,
			         rate.speed);
	}
}

static void unknown_speeds_and_widths_are_refused(void **state)
{
	static const char *const widths[] = { "3x", "5", "0", "x", "fast", "4xEDR", "444444444" };
	static const char *const speeds[] = { "fast",
		                              "EDR100G/s",
		                              "33G",
		                              "100T",
		                              "4x",
		                              "3xEDR",
		                              "HDR77",
		                              "EDRx",
		                              "1.2.3G",
		                              "-",
		                              "HDR9999999999999999999999999999",
		                              "000000000000000000000" };
	struct plan_rate rate;
	struct ibc_error err;

	(void)state;
	for (size_t i = 0; i < COUNT(widths); i++)
		assert_int_equal(plan_width_parse(widths[i], &rate, &err), -EINVAL);
	assert_int_equal(plan_width_parse("3x", &rate, &err), -EINVAL);
	assert_string_equal(err.text, "\"3x\" is not a width: use 1x, 2x, 4x, 8x or 12x");
	for (size_t i = 0; i < COUNT(speeds); i++) {
		rate = (struct plan_rate){ 0 };
		if (!plan_speed_parse(speeds[i], &rate, &err))
			fail_msg("%s", speeds[i]);
	}
	assert_int_equal(plan_width_parse("4x", &rate, &err), 0);
	assert_int_equal(plan_speed_parse("HDR100", &rate, &err), -EINVAL);
	assert_string_equal(err.text, "\"HDR100\" has a width of 2x, but 4x is given as well");
}

static void each_speed_has_a_word_for_a_lane(void **state)
{
	(void)state;
	for (unsigned int speed = IBC_SPEED_SDR; speed <= IBC_SPEED_XDR; speed *= 2)
		assert_int_equal(plan_lane_speed(plan_lane_word(speed)), speed);
	assert_string_equal(plan_lane_word(IBC_SPEED_UNKNOWN), "");
	assert_int_equal(plan_lane_speed("4x"), IBC_SPEED_UNKNOWN);
}

static void a_name_or_many_ports_make_a_switch(void **state)
{
	static const struct {
		const char *name;
		unsigned int highest_port;
		enum ibc_node_type type;
	} nodes[] = {
		{ "node17", 1, IBC_NODE_CA },      { "node17", 3, IBC_NODE_SWITCH },
		{ "leaf01", 1, IBC_NODE_SWITCH },  { "r7-Spine-2", 2, IBC_NODE_SWITCH },
		{ "sw01", 1, IBC_NODE_SWITCH },    { "swan", 1, IBC_NODE_CA },
		{ "core-1", 1, IBC_NODE_SWITCH },  { "corelli", 1, IBC_NODE_CA },
		{ "leaf mlx5_0", 4, IBC_NODE_CA }, { "", 1, IBC_NODE_CA },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(nodes); i++)
		assert_int_equal(plan_type_guess(nodes[i].name, nodes[i].highest_port),
		                 nodes[i].type);
	assert_int_equal(plan_type_of("Leaf")->type, IBC_NODE_SWITCH);
	assert_int_equal(plan_type_of("HOST")->type, IBC_NODE_CA);
	assert_null(plan_type_of("MQM8700"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ports_are_read_as_people_write_them),
		cmocka_unit_test(what_is_no_port_says_why),
		cmocka_unit_test(ports_of_a_topo_have_their_module_in_front),
		cmocka_unit_test(speeds_are_names_or_those_of_cables_or_of_lanes),
		cmocka_unit_test(unknown_speeds_and_widths_are_refused),
		cmocka_unit_test(each_speed_has_a_word_for_a_lane),
		cmocka_unit_test(a_name_or_many_ports_make_a_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
