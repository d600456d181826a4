/* SPDX-License-Identifier: BSD-2-Clause */
/* ibdiagnet2.lst: a link a line, both ends of it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mkcables.h"

#define END(kind, ports, guid, desc, lid, num)                                                     \
	"{ " kind " Ports:" ports " SystemGUID:00000000000000" guid                                \
	" NodeGUID:00000000000000" guid " PortGUID:00000000000000" guid                            \
	" VenID:000002c9 DevID:1021 Rev:000000a0 " desc " LID:" lid " PN:" num " } "
#define HOST     END("CA", "01", "20", "{host mlx5_0}", "00b5", "01")
#define LEAF     END("SW", "41", "10", "{leaf}", "00b6", "0c")
#define LEAF_TOP END("SW", "41", "10", "{leaf}", "00b6", "3f")
#define SPINE    END("SW-SM", "41", "11", "{a } { b}", "00b7", "01")
#define GOOD     "PHY=4x LOG=ACT SPD=100\n"

static struct ibc_fabric *load_lst(const char *text)
{
	return fabric_of(read_lst, text, strlen(text));
}

static void both_ends_of_a_link_are_read(void **state)
{
	struct ibc_fabric *fab = load_lst(
	    "# File created at : now\n\n" HOST LEAF GOOD LEAF_TOP SPINE
	    "PHY=2x LOG=INI SPD=50\n# File closed\n");
	const struct ibc_node *host = node_of(fab, 0x20), *leaf = node_of(fab, 0x10);

	(void)state;
	expect_cable(host, 1, leaf, 12);
	expect_cable(leaf, 63, node_of(fab, 0x11), 1);
	assert_string_equal(host->desc, "host mlx5_0");
	assert_int_equal(host->device_id, 0x1021);
	assert_int_equal(host->ports[1].lid, 0xb5);
	assert_int_equal(host->ports[1].speed_active, IBC_SPEED_NDR);
	assert_int_equal(host->ports[1].state, IBC_STATE_ACTIVE);
	assert_int_equal(leaf->num_ports, 65);
	assert_int_equal(leaf->ports[0].lid, 0xb6);
	assert_int_equal(leaf->ports[63].width_active, IBC_WIDTH_2X);
	assert_int_equal(leaf->ports[63].state, IBC_STATE_INIT);
	assert_string_equal(node_of(fab, 0x11)->desc, "a } { b");
	assert_false(ibc_port_has_state(&leaf->ports[1]));
	ibc_fabric_free(fab);
}

/* subnet.lst of OpenSM: no speed, no description, four more digits of DevID; both directions. */
static void old_lists_say_less(void **state)
{
	struct ibc_fabric *fab = load_lst("{ CA-SM Ports:02 SystemGUID:23 NodeGUID:20 PortGUID:21 "
	                                  "VenID:2C9 DevID:5A440000 Rev:A1  LID:0005 PN:01 } " LEAF
	                                  "PHY=4x LOG=ACT\n" LEAF
	                                  "{ CA-SM Ports:02 NodeGUID:20 PortGUID:21 LID:0005 "
	                                  "PN:01 } PHY=4x LOG=ACT\n");
	const struct ibc_node *host = node_of(fab, 0x20);

	(void)state;
	expect_cable(host, 1, node_of(fab, 0x10), 12);
	assert_int_equal(host->device_id, 0x5a44);
	assert_int_equal(host->ports[1].guid, 0x21);
	assert_false(ibc_node_has(host, IBC_ATTR_NODE_DESC));
	assert_false(ibc_port_has(&host->ports[1], IBC_ATTR_LINK));
	assert_true(ibc_port_has_state(&host->ports[1]));
	ibc_fabric_free(fab);
}

/* What is left is read; of two lines that contradict each other neither. */
static void lines_not_understood_are_lost_alone(void **state)
{
	static const struct {
		const char *line, *why;
		size_t cables;
	} lines[] = {
		{ HOST "\n", "2:0: expected \"{ CA\", \"{ SW\" or \"{ RT\"\n", 1 },
		{ HOST "{ XX Ports:01\n", "2:0: expected \"{ CA\", \"{ SW\" or \"{ RT\"\n", 1 },
		{ HOST "{ SW Ports:41 NodeGUID:10 {leaf\n",
		  "2:0: expected \"NodeGUID:... LID:... PN:... }\" of both ends\n", 1 },
		{ HOST "{ SW Ports:41 NodeGUID:1x LID:1 PN:1 } " GOOD,
		  "2:0: no number: \"NodeGUID:1x\"\n", 1 },
		{ HOST "{ SW Ports:41 NodeGUID:10 LID:1 PN:42 } " GOOD,
		  "2:0: port 66 of 65, LID 1 cannot be\n", 1 },
		{ HOST SPINE GOOD,
		  "2:0: one of the two ports is cabled elsewhere in another line: neither is "
		  "used\n",
		  0 },
		{ LEAF_TOP LEAF_TOP GOOD,
		  "2:0: one of the two ports is cabled elsewhere in another line: neither is "
		  "used\n",
		  1 },
		{ "{ CA Ports:02 NodeGUID:20 LID:7 PN:02 } " SPINE GOOD,
		  "2:0: node 0x0000000000000020 has another type or number of ports here than in a "
		  "line before\n",
		  1 },
		{ "ibwarn: timeout\n" HOST LEAF GOOD,
		  "2:0: expected \"{ CA\", \"{ SW\" or \"{ RT\"\n", 1 },
		{ "Guid:20 LID:7 PN:02 } PHY=4x\n",
		  "2:0: expected \"{ CA\", \"{ SW\" or \"{ RT\"\n", 1 },
		{ "[root@host ~]#\n", "", 1 },
		{ END("CA", "01", "30", "{h2 mlx5_0}", "00b8", "01") LEAF_TOP
		  "PHY=4x SPD=5" HOST LEAF GOOD,
		  "2:0: another link begins in this line: it is not used\n", 2 },
		{ HOST LEAF GOOD, "", 1 },
		{ "# File created at : now\n" HOST LEAF GOOD,
		  "3:0: the file is cut off: there is no \"# File closed at\"\n", 1 },
	};
	char text[2000];

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		struct ibc_error err = { "" };
		struct ibc_fabric *fab = NULL;
		struct complained all;

		snprintf(text, sizeof(text), "%s%s", HOST LEAF GOOD, lines[i].line);
		assert_int_equal(read_plan(read_lst, text, strlen(text), &fab, &all, &err), 0);
		assert_string_equal(all.text, lines[i].why);
		assert_int_equal(ibc_fabric_count(fab).cables, lines[i].cables);
		ibc_fabric_free(fab);
	}
	expect_refusal(read_lst, "# nothing\n", 10, "test holds no link");
}

static void every_allocation_may_fail(void **state)
{
	unsigned long n = 0;
	int rc;

	(void)state;
	do {
		struct fabric_build *b;
		struct text_file *f;

		assert_int_equal(fabric_build_new(&b, NULL), 0);
		assert_int_equal(text_open_bytes("test", HOST LEAF GOOD HOST SPINE GOOD,
		                                 strlen(HOST LEAF GOOD HOST SPINE GOOD), &f, NULL),
		                 0);
		alloc_fail_at(++n);
		rc = read_lst(f, "test", b, NULL);
		alloc_fail_at(0);
		text_close(f);
		fabric_build_free(b);
	} while (rc == -ENOMEM);
	assert_int_equal(rc, 0);
	assert_true(n > 3);
}

static void only_its_lines_are_of_the_format(void **state)
{
	(void)state;
	assert_true(is_lst_line(HOST LEAF GOOD));
	assert_false(is_lst_line("{\"ibcheck_snapshot\": 1}"));
	assert_false(is_lst_line("{ \"Ports:\": 1}"));
	assert_true(is_lst_line("{\tCA\tPorts:01\tNodeGUID:20"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ends_of_a_link_are_read),
		cmocka_unit_test(old_lists_say_less),
		cmocka_unit_test(lines_not_understood_are_lost_alone),
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(only_its_lines_are_of_the_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
