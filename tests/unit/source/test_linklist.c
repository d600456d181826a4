/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of ports as iblinkinfo and "ibnetdiscover -p" print them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mkcables.h"

#define HOST "CA: n02 HCA-1:\n"
#define HOST_PORT                                                                                  \
	"      0x0000000000000020      4    1[  ] ==( 4X      25.78125 Gbps Active/  "             \
	"LinkUp)==>       2   17[  ] \"sw \"1\"\" ( )\n"
#define SW "Switch: 0x0000000000000010 sw \"1\":\n"
#define SW_PORT                                                                                    \
	"           2   17[  ] ==( 4X      25.78125 Gbps   Init/  LinkUp)==>       4    1[  ] "    \
	"\"n02 HCA-1\" ( Could be 4X)\n"
#define SW_DOWN                                                                                    \
	"           2    3[  ] ==(                Down/ Polling)==>             [  ] \"\" ( )\n"
#define DOWN "SW 2 3 0x0000000000000010 ?? ??? 'sw'\n" /* of ibnetdiscover -p */
#define SW_ONLY                                                                                    \
	"           2   18[ 7] ==( 1X 10.0 Gbps (FDR10) Active/  LinkUp)==> 9 2[ 8] \"n03\" ( )\n"

static struct ibc_fabric *load_list(const char *text)
{
	return fabric_of(read_link_list, text, strlen(text));
}

static void lose(const char *text, const char *why)
{
	expect_lost(read_link_list, text, why);
}

static void iblinkinfo_tells_state_width_speed_and_peers(void **state)
{
	struct ibc_fabric *fab = load_list(HOST HOST_PORT SW SW_DOWN SW_PORT SW_ONLY);
	const struct ibc_node *sw = node_of(fab, 0x10), *n02 = node_of(fab, 0x20);
	const struct ibc_node *n03 = node_named(fab, "n03");

	(void)state;
	assert_string_equal(sw->desc, "sw \"1\"");
	assert_int_equal(sw->type, IBC_NODE_SWITCH);
	assert_int_equal(sw->ports[0].lid, 2);
	expect_cable(sw, 17, n02, 1);
	expect_cable(sw, 18, n03, 2);
	assert_int_equal(n02->ports[1].lid, 4);
	assert_int_equal(n02->ports[1].guid, 0x20);
	assert_true(n03->named_only);
	assert_int_equal(n03->ports[2].lid, 9);
	assert_int_equal(sw->ports[17].state, IBC_STATE_INIT);
	assert_int_equal(sw->ports[17].phys_state, IBC_PHYS_LINKUP);
	assert_int_equal(sw->ports[17].width_active, IBC_WIDTH_4X);
	assert_int_equal(sw->ports[17].speed_active, IBC_SPEED_EDR);
	assert_int_equal(n03->ports[2].speed_active, IBC_SPEED_FDR10);
	assert_int_equal(n03->ports[2].width_active, IBC_WIDTH_1X);
	assert_true(ibc_port_has_state(&sw->ports[3]));
	assert_int_equal(sw->ports[3].phys_state, IBC_PHYS_POLLING);
	assert_false(ibc_port_is_up(&sw->ports[3]));
	assert_false(ibc_port_has(&sw->ports[17], IBC_ATTR_PORT_INFO));
	assert_false(ibc_port_has_state(&n03->ports[2]));
	ibc_fabric_free(fab);
}

static void ports_of_netdiscover_are_joined_by_guid(void **state)
{
	struct ibc_fabric *fab = load_list(
	    "SW     2 36 0x0000000000000010 4x EDR - CA     3  1 0x0000000000000021 ( 'it's' - 'a' "
	    ")\n"
	    "SW     2 35 0x0000000000000010 ?? ???                                    'it's'\n"
	    "CA     3  1 0x0000000000000021 4x EDR - SW     2 36 0x0000000000000010 ( 'a' - 'it's' "
	    ")\n"
	    "CA     3  2 0x0000000000000022 2x ??? - RT     4  1 0x0000000000000030 ( 'a' - 'r' "
	    ")\n");

	(void)state;
	expect_cable(node_of(fab, 0x10), 36, node_of(fab, 0x21), 1);
	expect_cable(node_of(fab, 0x22), 2, node_of(fab, 0x30), 1);
	assert_string_equal(node_of(fab, 0x10)->desc, "it's");
	assert_int_equal(node_of(fab, 0x30)->type, IBC_NODE_ROUTER);
	assert_null(port_of(fab, 0x10, 35)->peer);
	assert_true(ibc_port_has(port_of(fab, 0x21, 1), IBC_ATTR_LINK));
	assert_false(ibc_port_has(port_of(fab, 0x22, 2), IBC_ATTR_LINK));
	assert_false(ibc_port_has_state(port_of(fab, 0x21, 1)));
	ibc_fabric_free(fab);
}

static void lines_around_the_ports_are_skipped_and_between_them_lost(void **state)
{
	struct ibc_error err = { "" };
	struct ibc_fabric *fab = NULL;
	struct complained all;
	static const char text[] = "ibwarn: timeout\nThu Jan 29\n\n" SW SW_PORT "\nreal 0m1s\n";

	(void)state;
	assert_int_equal(read_plan(read_link_list, text, strlen(text), &fab, &all, &err), 0);
	assert_string_equal(all.text, "0:0: lines 1-2 and 7 are not output of iblinkinfo or "
	                              "ibnetdiscover -p: skipped\n");
	assert_int_equal(ibc_fabric_lines_lost(fab, NULL), 0);
	ibc_fabric_free(fab);
	lose(SW SW_PORT "ibwarn: timeout\n" SW_ONLY, "test:3: not understood");
	/* nothing is between them and a record: they may have been one */
	lose(SW SW_PORT "@@ lost\n", "test:3: not understood");
	lose("@@ lost\n" SW SW_PORT, "test:1: not understood");
}

static void a_line_that_is_damaged_is_lost_alone(void **state)
{
	static const struct {
		const char *text, *why;
	} files[] = {
		{ SW "x 1[  ] ==( Down/ Polling)==> [  ] \"\" ( )\n" SW_PORT,
		  "test:2: expected \"LID PORT[  ]\"" },
		{ SW "2 1[  ] ==( Down)==> [  ] \"\" ( )\n" SW_PORT,
		  "test:2: expected a state, \"Active/  LinkUp\"" },
		{ SW "2 1[  ] ==( Gone/ Polling)==> [  ] \"\" ( )\n" SW_PORT,
		  "test:2: no state of a port: \"Gone/Polling\"" },
		{ SW "2 1[  ] ==( 4X 5.0 Gbps Active/ LinkUp)==> 3 1[  ] \"h\n" SW_PORT,
		  "test:2: expected the name of the other end in quotation marks" },
		{ SW "0 1[  ] ==( Down/ Polling)==> [  ] \"\" ( )\n" SW_PORT,
		  "test:2: port 1 has LID 0: a port without a LID cannot be identified from "
		  "others; use ibnetdiscover" },
		{ SW "2 256[  ] ==( Down/ Polling)==> [  ] \"\" ( )\n" SW_PORT,
		  "test:2: port 256 or LID 2 cannot be" },
		{ SW SW_PORT "2 1[  ] ==( 4X 5.0 Gbps Active/ LinkUp)==> 4 1[  ] \"h\" ( )\n",
		  "test:3: port 1 or its other end has a cable in a line before, and another "
		  "here: neither is used" },
		{ "SW 2 3 0x10 4x EDR - SW 2 3 0x10 ( 'sw' - 'sw' )\n" DOWN,
		  "test:1: port 3 is cabled to itself" },
		{ "SW 2 36 0x10 4x EDR -\n" DOWN,
		  "test:1: expected \"SW LID PORT GUID ?? ??? 'NAME'\"" },
		/* half of a line with a cable */
		{ "SW 2 3 0x0000000~00010 4x EDR - SW 2 3 0x11 ( 'sw' - 'b' )\n" DOWN,
		  "test:1: expected \"SW LID PORT GUID ?? ??? 'NAME'\"" },
		{ "CA 7 1 0x000000000000000' - 'sw' )\n" DOWN,
		  "test:1: expected \"SW LID PORT GUID ?? ??? 'NAME'\"" },
		{ "SW 2 3 0x0000000000000010 4x EDR ( 'sw' - 'b' )\n" DOWN,
		  "test:1: expected \"SW LID PORT GUID ?? ??? 'NAME'\"" },
		{ "SW 2 36 0x10 4x\n" DOWN,
		  "test:1: expected \"SW LID PORT GUID WIDTH SPEED - CA LID PORT GUID\"" },
		{ "SW 2 36 0x10 4x EDR - CA 3 1 0x21 ( 'a' )\n" DOWN,
		  "test:1: expected the names of both ends, ( 'NAME' - 'NAME' )" },
		{ SW SW_PORT "           2   1", "test:3: the last line is cut off" },
		/* nothing is understood */
		{ SW, "test holds no port" },
		{ SW "x 1[  ] ==( Down/ Polling)==> [  ] \"\" ( )\n",
		  "test:2: expected \"LID PORT[  ]\"" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++)
		lose(files[i].text, files[i].why);
}

/* A damaged LID: what the other end says contradicts it. */
static void a_node_that_only_disputed_lines_name_is_none(void **state)
{
	struct ibc_fabric *fab = load_list(
	    HOST
	    "0x20 4 1[  ] ==( 4X 25.78125 Gbps Active/ LinkUp)==> 77 17[  ] \"sw \"1\"\" ( )\n" SW
		SW_PORT SW_ONLY);

	(void)state;
	expect_counts(fab, 1, 1, 1);
	assert_int_equal(ibc_fabric_lines_lost(fab, NULL), 1);
	ibc_fabric_free(fab);
}

/* A cut between two blocks. */
static void a_switch_that_only_its_peers_list_is_missing(void **state)
{
	static const char up[] =
	    "2 3[  ] ==( 4X 25.78125 Gbps Active/ LinkUp)==> 7 3[  ] \"up\" ( )\n";
	static const char down[] =
	    "7 3[  ] ==( 4X 25.78125 Gbps Active/ LinkUp)==> 2 3[  ] \"sw\" ( )\n";
	struct ibc_fabric *fab;
	char text[2000];

	(void)state;
	snprintf(text, sizeof(text), SW "%s" SW_PORT, up);
	lose(text, "test:2: port 3 of \"up\" leads here, and has no line of its own");
	snprintf(text, sizeof(text), SW "%s" SW_PORT "Switch: 0x11 up:\n%s", up, down);
	fab = load_list(text);
	assert_int_equal(ibc_fabric_lines_lost(fab, NULL), 0);
	ibc_fabric_free(fab);
}

/* Ports without the line of their node are known by LID, and called as their peers call them. */
static void the_line_of_a_node_may_be_lost(void **state)
{
	struct ibc_fabric *fab = load_list(HOST HOST_PORT "Swi?\n" SW_DOWN SW_PORT);
	const struct ibc_node *sw = node_named(fab, "sw \"1\"");

	(void)state;
	assert_int_equal(sw->type, IBC_NODE_SWITCH);
	assert_true(sw->named_only);
	expect_cable(sw, 17, node_of(fab, 0x20), 1);
	assert_int_equal(ibc_fabric_lines_lost(fab, NULL), 1);
	ibc_fabric_free(fab);
}

static void of_cables_that_contradict_each_other_none_is_laid(void **state)
{
	struct ibc_fabric *fab = load_list(
	    SW "2 1[  ] ==( 4X 5.0 Gbps Active/ LinkUp)==> 4 1[  ] \"a\" ( )\n"
	       "2 2[  ] ==( 4X 5.0 Gbps Active/ LinkUp)==> 4 1[  ] \"a\" ( )\n"
	       "2 2[  ] ==( 4X 5.0 Gbps Active/ LinkUp)==> 5 1[  ] \"b\" ( )\n"
	       "2 3[  ] ==( 4X 5.0 Gbps Active/ LinkUp)==> 6 1[  ] \"c\" ( )\n");
	const struct ibc_node *sw = node_of(fab, 0x10);

	(void)state;
	assert_null(sw->ports[1].peer);
	assert_null(sw->ports[2].peer);
	assert_false(ibc_port_answer(&sw->ports[2], IBC_ATTR_NODE_INFO));
	expect_cable(sw, 3, node_named(fab, "c"), 1);
	assert_int_equal(ibc_fabric_lines_lost(fab, NULL), 2);
	ibc_fabric_free(fab);
}

static void the_same_captured_again_changes_nothing(void **state)
{
	struct ibc_fabric *fab = load_list(HOST HOST_PORT SW SW_PORT
	                                   "$ iblinkinfo\n" HOST HOST_PORT SW SW_PORT);

	(void)state;
	expect_cable(node_of(fab, 0x10), 17, node_of(fab, 0x20), 1);
	assert_int_equal(ibc_fabric_lines_lost(fab, NULL), 0);
	ibc_fabric_free(fab);
}

static void older_lines_and_those_with_both_ends_are_read(void **state)
{
	struct ibc_fabric *fab = load_list("Switch 0x0000000000000010 sw \"1\":\n" SW_PORT);

	(void)state;
	assert_string_equal(node_of(fab, 0x10)->desc, "sw \"1\"");
	ibc_fabric_free(fab);
	fab = load_list("0x0000000000000010 \"    sw \"1\"\"  2 17[  ] ==( 4X 5.0 Gbps Active/ "
	                "LinkUp)==>  0x0000000000000020 4 1[  ] \"n02 HCA-1\" ( )\n");
	expect_cable(node_of(fab, 0x10), 17, node_of(fab, 0x20), 1);
	assert_string_equal(node_of(fab, 0x10)->desc, "sw \"1\"");
	assert_int_equal(node_of(fab, 0x10)->type, IBC_NODE_SWITCH);
	assert_int_equal(node_of(fab, 0x20)->ports[1].lid, 4);
	ibc_fabric_free(fab);
}

static void only_lines_of_the_two_formats_are_theirs(void **state)
{
	(void)state;
	assert_true(is_link_list_line("SW     2 36 0x10 4x EDR"));
	assert_true(is_link_list_line("CA: n02 HCA-1:"));
	assert_true(is_link_list_line("2 1[  ] ==( Down/ Polling)==> [  ] \"\" ( )"));
	assert_false(is_link_list_line("CA: the host that"));
	assert_false(is_link_list_line("SW one"));
	assert_false(is_link_list_line("Switch\t36 \"S-0000000000000010\""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(iblinkinfo_tells_state_width_speed_and_peers),
		cmocka_unit_test(ports_of_netdiscover_are_joined_by_guid),
		cmocka_unit_test(lines_around_the_ports_are_skipped_and_between_them_lost),
		cmocka_unit_test(a_line_that_is_damaged_is_lost_alone),
		cmocka_unit_test(a_node_that_only_disputed_lines_name_is_none),
		cmocka_unit_test(a_switch_that_only_its_peers_list_is_missing),
		cmocka_unit_test(the_line_of_a_node_may_be_lost),
		cmocka_unit_test(of_cables_that_contradict_each_other_none_is_laid),
		cmocka_unit_test(the_same_captured_again_changes_nothing),
		cmocka_unit_test(older_lines_and_those_with_both_ends_are_read),
		cmocka_unit_test(only_lines_of_the_two_formats_are_theirs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
