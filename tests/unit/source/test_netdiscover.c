/* SPDX-License-Identifier: BSD-2-Clause */
/* What ibnetdiscover prints. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkattrs.h"
#include "mknet.h"

static void every_field_of_a_block_is_read(void **state)
{
	struct ibc_fabric *fab = load(
	    "#\n"
	    "# Topology file: generated on Thu Jan  1 00:00:00 1970\n"
	    "#\n"
	    "# Initiated from node 0000000000000020 port 0000000000000022\n"
	    "\n"
	    "vendid=0x2c9\n"
	    "devid=0xcf08\n"
	    "sysimgguid=0x13\n"
	    "switchguid=0x10(11)\n"
	    "Switch\t36 \"S-0000000000000010\"\t\t# \"leaf \"01\"\" "
	    "enhanced port 0 lid 7 lmc 2\n"
	    "[36]\t\"H-0000000000000020\"[2](22) \t\t# \"h\" lid 49151 "
	    "2xHDR\n"
	    "\n"
	    "vendid=0x1077\n"
	    "devid=0x7\n"
	    "sysimgguid=0x23\n"
	    "caguid=0x20\n"
	    "Ca\t2 \"H-0000000000000020\"\t\t# \"host01 mlx5_0\"\n"
	    "[2](22) \t\"S-0000000000000010\"[36]\t\t# lid 49151 lmc 3 "
	    "\"leaf \"01\"\" lid 7 2xHDR\n");
	const struct ibc_node *sw = node_of(fab, 0x10), *ca = node_of(fab, 0x20);
	const struct ibc_subnet *subnet = ibc_fabric_subnet(fab, 0);

	(void)state;
	expect_counts(fab, 1, 1, 1);
	assert_string_equal(sw->desc, "leaf \"01\"");
	assert_int_equal(sw->type, IBC_NODE_SWITCH);
	assert_int_equal(sw->num_ports, 36);
	assert_int_equal(sw->vendor_id, 0x2c9);
	assert_int_equal(sw->device_id, 0xcf08);
	assert_int_equal(sw->system_guid, 0x13);
	assert_true(sw->enhanced_port0);
	assert_int_equal(sw->ports[0].guid, 0x11);
	assert_int_equal(sw->ports[0].lid, 7);
	assert_int_equal(sw->ports[0].lmc, 2);
	assert_attrs(ibc_node_attrs(sw, IBC_ANSWERED), IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC);
	assert_string_equal(ca->desc, "host01 mlx5_0");
	assert_int_equal(ca->type, IBC_NODE_CA);
	assert_int_equal(ca->vendor_id, 0x1077);
	assert_int_equal(ca->device_id, 7);
	assert_int_equal(ca->system_guid, 0x23);
	assert_int_equal(ca->ports[2].guid, 0x22);
	assert_int_equal(ca->ports[2].lid, 49151);
	assert_int_equal(ca->ports[2].lmc, 3);
	assert_string_equal(ca->host_name, "host01");
	expect_cable(sw, 36, ca, 2);
	expect_rate(&sw->ports[36], IBC_WIDTH_2X, IBC_SPEED_HDR);
	expect_rate(&ca->ports[2], IBC_WIDTH_2X, IBC_SPEED_HDR);
	assert_attrs(asked_of(&sw->ports[36]), IBC_ATTR_NODE_INFO, IBC_ATTR_LINK);
	assert_int_equal(sw->ports[35].answers.asked, 0);
	assert_string_equal(subnet->kind, "netdiscover");
	assert_string_equal(subnet->source, "test");
	assert_string_equal(subnet->file, "test");
	assert_attrs(subnet->provides, IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC, IBC_ATTR_LINK);
	assert_ptr_equal(subnet->origin, &ca->ports[2]);
	ibc_fabric_free(fab);
}

static void chassis_headers_and_panel_ports_are_passed_over(void **state)
{
	struct ibc_fabric *fab = load(
	    "\nChassis 1 (guid 0x8f10400400e2d)\nHostname: box\n\n# Spine Nodes\n"
	    "vendid=0x8f1\ndevid=0x5a33\nsysimgguid=0x8f10400400e2d\t\t# Chassis 1\n"
	    "switchguid=0x10(10)\t# ISR9288 spine 1 Chip 2\n"
	    "Switch\t24 \"S-0000000000000010\"\t\t# \"spine\" base port 0 lid 5 lmc 0\n"
	    "[23][ext 3]\t\"S-0000000000000011\"[9][ext 12]\t\t# \"line\" lid 6 12xDDR\n"
	    "\n# Line Nodes\nswitchguid=0x11(11)\t# \n"
	    "Switch\t24 \"S-0000000000000011\"\t\t# \"line\" base port 0 lid 6 lmc 0\n"
	    "[9][ext 12]\t\"S-0000000000000010\"[23][ext 3]\t\t# \"spine\" lid 5 12xDDR\n"
	    "[1]\t\"H-0000000000000020\"[1](21) \t\t# \"tca\" lid 9 4xSDR slot 3\n"
	    "\nNon-Chassis Nodes\n\nvendid=0x2c9\ndevid=0x5a44\ncaguid=0x20\n"
	    "Ca\t2 \"H-0000000000000020\"\t\t# \"tca\" (scp)\n"
	    "[1](21) \t\"S-0000000000000011\"[1][ext 7]\t\t# lid 9 lmc 0 \"line\" lid 6 "
	    "4xSDR s=1 w=2 v=4\n"
	    "[2](22) \t\"H-0000000000000030\"[1] (31) \t\t# lid 8 lmc 0 \"peer\" lid 4 "
	    "4xSDR\n");

	(void)state;
	expect_counts(fab, 2, 2, 3);
	expect_cable(node_of(fab, 0x10), 23, node_of(fab, 0x11), 9);
	expect_cable(node_of(fab, 0x20), 1, node_of(fab, 0x11), 1);
	expect_cable(node_of(fab, 0x20), 2, node_of(fab, 0x30), 1);
	assert_string_equal(node_of(fab, 0x20)->desc, "tca");
	ibc_fabric_free(fab);
}

static void routers_have_blocks_of_their_own(void **state)
{
	struct ibc_fabric *fab = load("rtguid=0x30\nRt\t2 \"R-0000000000000030\"\t\t# \"gate\"\n"
	                              "[1](31) \t\"S-0000000000000010\"[1]\t\t# lid 3 lmc 0 \"sw\" "
	                              "lid 1 4xFDR\n" SWITCH);

	(void)state;
	assert_int_equal(ibc_fabric_count(fab).routers, 1);
	expect_cable(node_of(fab, 0x10), 1, node_of(fab, 0x30), 1);
	assert_int_equal(port_of(fab, 0x30, 1)->lid, 3);
	ibc_fabric_free(fab);
}

static void all_widths_and_speeds_are_known(void **state)
{
	static const struct {
		const char *word;
		enum ibc_width width;
		enum ibc_speed speed;
	} rates[] = {
		{ "1xSDR", IBC_WIDTH_1X, IBC_SPEED_SDR },
		{ "2xDDR", IBC_WIDTH_2X, IBC_SPEED_DDR },
		{ "4xQDR", IBC_WIDTH_4X, IBC_SPEED_QDR },
		{ "8xFDR10", IBC_WIDTH_8X, IBC_SPEED_FDR10 },
		{ "12xFDR", IBC_WIDTH_12X, IBC_SPEED_FDR },
		{ "4xEDR", IBC_WIDTH_4X, IBC_SPEED_EDR },
		{ "4xHDR", IBC_WIDTH_4X, IBC_SPEED_HDR },
		{ "4xNDR", IBC_WIDTH_4X, IBC_SPEED_NDR },
		{ "4xXDR", IBC_WIDTH_4X, IBC_SPEED_XDR },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rates); i++) {
		struct ibc_fabric *fab;
		char text[300];

		snprintf(text, sizeof(text),
		         SWITCH "[1]\t\"H-0000000000000020\"[1](21) # \"h\" lid 2 %s\n",
		         rates[i].word);
		fab = load(text);
		expect_rate(port_of(fab, 0x10, 1), rates[i].width, rates[i].speed);
		ibc_fabric_free(fab);
	}
}

static void a_rate_ibnetdiscover_did_not_know_is_a_query_without_an_answer(void **state)
{
	static const char *const words[] = { "?????", "4x???", "??EDR" };

	(void)state;
	for (size_t i = 0; i < COUNT(words); i++) {
		struct ibc_fabric *fab;
		char text[300];

		snprintf(text, sizeof(text),
		         SWITCH "[1] \"H-0000000000000020\"[1] # \"h\" lid 2 %s\n", words[i]);
		fab = load(text);
		assert_true(ibc_port_unanswered(port_of(fab, 0x10, 1), IBC_ATTR_LINK));
		assert_false(ibc_attrs_has(ibc_fabric_subnet(fab, 0)->provides, IBC_ATTR_LINK));
		ibc_fabric_free(fab);
	}
}

static void a_node_only_named_as_peer_is_what_its_neighbour_says(void **state)
{
	struct ibc_fabric *fab = load(SWITCH CABLE
	                              "[2] \"S-0000000000000011\"[5] # \"other\" lid 9 4xHDR\n"
	                              "[3] \"R-0000000000000012\"[1](13) # \"gate\" lid 8 4xHDR\n"
	                              "[4] \"H-0000000000000020\"[2](22) # \"h\" lid 3 1xSDR\n");
	const struct ibc_node *ca = node_of(fab, 0x20), *other = node_of(fab, 0x11);

	(void)state;
	expect_counts(fab, 2, 1, 4);
	assert_string_equal(ca->desc, "host mlx5_0");
	assert_int_equal(ca->num_ports, 2);
	assert_int_equal(ca->ports[1].guid, 0x21);
	assert_int_equal(ca->ports[2].lid, 3);
	expect_rate(&ca->ports[2], IBC_WIDTH_1X, IBC_SPEED_SDR);
	assert_int_equal(other->type, IBC_NODE_SWITCH);
	assert_int_equal(other->num_ports, 5);
	assert_int_equal(other->ports[0].lid, 9);
	assert_int_equal(other->ports[5].lid, 0);
	assert_int_equal(node_of(fab, 0x12)->type, IBC_NODE_ROUTER);
	ibc_fabric_free(fab);
}

static void both_ends_may_tell_different_widths(void **state)
{
	struct ibc_fabric *fab = load(
	    SWITCH "[1] \"S-0000000000000011\"[1] # \"b\" lid 2 4xSDR\n"
		   "Switch 4 \"S-0000000000000011\" # \"b\" base port 0 lid 2 lmc 0\n"
		   "[1] \"S-0000000000000010\"[1] # \"sw\" lid 1 1xSDR\n");

	(void)state;
	expect_rate(port_of(fab, 0x10, 1), IBC_WIDTH_4X, IBC_SPEED_SDR);
	expect_rate(port_of(fab, 0x11, 1), IBC_WIDTH_1X, IBC_SPEED_SDR);
	ibc_fabric_free(fab);
}

static void messages_that_got_into_the_file_are_passed_over(void **state)
{
	struct ibc_fabric *fab = load(
	    "$ ibnetdiscover 2>&1\n"
	    "src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1,1,31 Attr 0x11:0) bad "
	    "status 110; Connection timed out\n" SWITCH "ibwarn: [4711] something is slow\n" CABLE);

	(void)state;
	expect_counts(fab, 1, 1, 1);
	ibc_fabric_free(fab);
}

static void the_guid_line_wins_over_the_id(void **state)
{
	struct ibc_fabric *fab = load(SWITCH CABLE "caguid=0x1f\n" CA BACK);

	(void)state;
	expect_cable(node_of(fab, 0x10), 1, node_of(fab, 0x1f), 1);
	assert_null(ibc_fabric_node_by_guid(fab, 0x20));
	ibc_fabric_free(fab);
}

static void two_nodes_may_carry_one_guid(void **state)
{
	struct ibc_fabric *fab = load("caguid=0x20\nCa 1 \"a\"\n[1] \"b\"[1]\n"
	                              "caguid=0x20\nCa 1 \"b\"\n[1] \"a\"[1]\n");

	(void)state;
	expect_counts(fab, 0, 2, 1);
	assert_true(ibc_fabric_node(fab, 0)->duplicate);
	ibc_fabric_free(fab);
}

static void descriptions_come_out_fit_for_a_terminal(void **state)
{
	struct ibc_fabric *fab = load("Ca 1 \"H-0000000000000020\" # \"a\x1b[2J\xff\tb \"q\" \"\n");

	(void)state;
	assert_string_equal(node_of(fab, 0x20)->desc, "a\xef\xbf\xbd\xef\xbf\xbd"
	                                              "b \"q\"");
	ibc_fabric_free(fab);
}

static void a_nameless_node_has_an_empty_description(void **state)
{
	struct ibc_fabric *fab = load("Ca 1 \"H-0000000000000020\" # \"\"\n"
	                              "Ca 1 \"H-0000000000000021\"\n");

	(void)state;
	assert_string_equal(node_of(fab, 0x20)->desc, "");
	assert_true(ibc_node_has(node_of(fab, 0x20), IBC_ATTR_NODE_DESC));
	assert_string_equal(node_of(fab, 0x21)->desc, "");
	assert_int_equal(node_of(fab, 0x21)->answers.asked, attr_node_bits[IBC_ATTR_NODE_INFO]);
	ibc_fabric_free(fab);
}

static void a_switch_may_have_255_ports(void **state)
{
	char text[20000] = "Switch 255 \"S-0000000000000010\" # \"big\" base port 0 lid 1 lmc 0\n";
	size_t n = strlen(text);
	struct ibc_fabric *fab;

	(void)state;
	for (unsigned int i = 1; i <= 255; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
		                      "[%u] \"H-%016x\"[1] # \"h\" lid %u 4xEDR\n", i, 0x1000 + i,
		                      i + 1);
	fab = load(text);
	expect_counts(fab, 1, 255, 255);
	expect_cable(node_of(fab, 0x10), 255, node_of(fab, 0x10ff), 1);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_of_a_block_is_read),
		cmocka_unit_test(chassis_headers_and_panel_ports_are_passed_over),
		cmocka_unit_test(routers_have_blocks_of_their_own),
		cmocka_unit_test(all_widths_and_speeds_are_known),
		cmocka_unit_test(a_rate_ibnetdiscover_did_not_know_is_a_query_without_an_answer),
		cmocka_unit_test(a_node_only_named_as_peer_is_what_its_neighbour_says),
		cmocka_unit_test(both_ends_may_tell_different_widths),
		cmocka_unit_test(messages_that_got_into_the_file_are_passed_over),
		cmocka_unit_test(the_guid_line_wins_over_the_id),
		cmocka_unit_test(two_nodes_may_carry_one_guid),
		cmocka_unit_test(descriptions_come_out_fit_for_a_terminal),
		cmocka_unit_test(a_nameless_node_has_an_empty_description),
		cmocka_unit_test(a_switch_may_have_255_ports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
