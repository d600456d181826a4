/* SPDX-License-Identifier: BSD-2-Clause */
/* Of a damaged ibdiagnet2.db_csv the rest is read, and what was lost is known with its line. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkdb.h"

static void wherever_it_is_cut_something_is_lost(void **state)
{
	static const char text[] = "# remark\n" NODES PORTS FIRMWARE COUNTERS
				   "START_X\nany\nEND_X\n" LINKS;

	(void)state;
	/* the last byte ends the last line, and is all that can be missed */
	for (size_t n = 0; n + 2 < strlen(text); n++) {
		struct ibc_fabric *fab = load_in_part(text, n, NULL);

		if (fab && !ibc_fabric_subnet(fab, 0)->lines_lost)
			fail_msg("a whole fabric from the first %zu bytes", n);
		ibc_fabric_free(fab);
	}
}

static void a_file_without_its_first_blocks_is_refused(void **state)
{
	(void)state;
	refused("", "test:0: no block NODES: the file is incomplete");
	refused("# nothing\n", "test:1: no block NODES: the file is incomplete");
	expect_lost(read_dbcsv, NODES PORTS, "test:12: no block LINKS: the file is incomplete");
	refused(NO_LINKS, "test:3: no block NODES: the file is incomplete");
	refused("START_NODES\nNodeGUID,NodeDesc,NumPorts\n0x1,a,2\nEND_NODES\n" NO_LINKS,
	        "test: 2 errors, the first in line 2: there is no column NodeType");
}

static void blocks_that_do_not_end_lose_what_follows(void **state)
{
	static const struct {
		const char *text, *why;
	} files[] = {
		{ NODES "START_PORTS\nNodeGuid,PortNum\n" LINKS,
		  "9: the block PORTS, which begins in line 7, does not end" },
		{ NODES LINKS "START_X\nEND_Y\n",
		  "13: the block X, which begins in line 12, does not end" },
		{ NODES LINKS "START_X\n1\n\n",
		  "14: the block X, which begins in line 12, does not end" },
		{ NODES LINKS "END_X\n", "12: not understood: \"END_X\"" },
		{ NODES "0x10,1,0x20,1\n" LINKS, "7: not understood: \"0x10,1,0x20,1\"" },
		{ NODES LINKS "START_PORTS\nNodeGuid,LID\n0x20,7\nEND_PORTS\n",
		  "13: there is no column PortNum" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++)
		loses(files[i].text, files[i].why);
}

#define TINY(rows) "START_NODES\nNodeGUID,NodeType,NumPorts\n" rows "END_NODES\n"
#define LAST       "0x90,1,1\n"
#define PAIR       TINY("0x10,2,4\n0x20,1,1\n")

static void rows_that_cannot_be_are_lost(void **state)
{
	static const struct {
		const char *text, *why;
	} files[] = {
		{ TINY("0x10,2\n" LAST), "3: 2 values in 3 columns of the block NODES" },
		{ TINY("0x10,2,4,5\n" LAST), "3: 4 values in 3 columns of the block NODES" },
		{ TINY("0x10,N/A,4\n" LAST), "3: NodeType has no value" },
		{ TINY("0xg0,2,4\n" LAST), "3: invalid value of NodeGUID: \"0xg0\"" },
		{ TINY("0x10,2,256\n" LAST), "3: invalid value of NumPorts: \"256\"" },
		{ TINY("0x10,2,4\n0x10,2,4\n" LAST),
		  "4: a second row of node 0x0000000000000010, the first is in line 3" },
		{ PAIR LINKS_HEADER "0x10,1,0x30,1\n",
		  "8: the block NODES has no node 0x0000000000000030" },
		{ PAIR LINKS_HEADER "0x10,5,0x20,1\n",
		  "8: node 0x0000000000000010 has no port 5, its last is 4" },
		{ PAIR LINKS_HEADER "0x10,0,0x20,1\n",
		  "8: a link of port 0 of node 0x0000000000000010 with another port" },
		{ PAIR LINKS_HEADER "0x10,1,0x20,0\n",
		  "8: node 0x0000000000000020 has no port 0, its last is 1" },
		{ PAIR LINKS_HEADER "0x10,1,0x10,1\n",
		  "8: a link of port 1 of node 0x0000000000000010 with itself" },
		{ PAIR LINKS_HEADER "0x10,1,0x20,1\n0x20,1,0x10,2\n",
		  "9: port 1 of node 0x0000000000000020 has another link: neither is used" },
		{ PAIR "START_PORTS\nNodeGuid,PortNum,LinkWidthActv,LinkSpeedActv\n"
		       "0x20,1,2,512\n0x20,1,2,512\n",
		  "9: a second row of this port" },
		{ PAIR "START_PORTS\nNodeGuid,PortNum,LID\n0x20,1,65536\n",
		  "8: invalid value of LID: \"65536\"" },
		{ PAIR "START_NODES_INFO\nNodeGUID,FWInfo_Major\n0x30,0x1\n",
		  "8: the block NODES has no node 0x0000000000000030" },
		{ PAIR "START_SWITCHES\nNodeGUID,LinearFDBCap\n0x10,70000\n",
		  "8: invalid value of LinearFDBCap: \"70000\"" },
		{ PAIR "START_PM_INFO\nNodeGUID,PortNumber,LinkDownedCounter\n0x20,1,x\n",
		  "8: invalid value of LinkDownedCounter: \"x\"" },
		{ PAIR "START_PM_INFO\nNodeGUID,PortNumber,LinkDownedCounter\n0x20,1,256\n",
		  "8: invalid value of LinkDownedCounter: \"256\"" },
		{ PAIR "START_PM_INFO\nNodeGUID,PortNumber,LinkDownedCounter\n"
		       "0x20,1,1\n0x20,1,1\n",
		  "9: a second row of this port" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++) {
		bool linked = strstr(files[i].text, "START_LINKS");
		char *text = text_of("%s%s", files[i].text, linked ? "" : NO_LINKS);

		loses(text, files[i].why);
		free(text);
	}
}

static void too_much_is_lost(void **state)
{
	char *name = calloc(1, 200), *commas = calloc(1, 600), *text;
	size_t n, length;
	FILE *out;

	(void)state;
	memset(name, 'X', 199);
	text = text_of(NODES LINKS "START_%s\n", name);
	loses(text, NULL);
	free(text);
	memset(commas, ',', 599);
	text = text_of(NODES LINKS "START_PORTS\n%s\n", commas);
	loses(text, "13: more than 512 columns");
	free(text);
	out = open_memstream(&text, &length);
	assert_non_null(out);
	fputs("START_NODES\nNodeGUID,NodeType,NumPorts\n", out);
	for (n = 0; n <= FILE_MAX_PORTS / 256; n++)
		fprintf(out, "0x%zx,2,255\n", n + 1);
	fputs("END_NODES\n" NO_LINKS, out);
	assert_int_equal(fclose(out), 0);
	loses(text, "8195: more than 2097152 ports, which no subnet can have");
	free(text);
	free(name);
	free(commas);
}

/* ---- as a person reads it ------------------------------------------------------- */

static void order_and_case_of_blocks_do_not_matter(void **state)
{
	static const char
	    text[] = PORTS LINKS COUNTERS NODES,
	    lower[] = "start_nodes\nNODEGUID,nodetype,Numports\n0x10,2,4\n0x20,1,1\nEnd_Nodes\n"
		      "START_Links\nnodeguid1,PORTNUM1,nodeguid2,PORTNUM2,\n# a, "
		      "remark\n0x10,1,0x20,1,,\nEND_LINKS\n";
	struct ibc_fabric *fab = load_in_part(text, strlen(text), "");

	(void)state;
	assert_int_equal(ibc_fabric_count(fab).cables, 2);
	assert_true(ibc_port_has(port_of(fab, 0x20, 1), IBC_ATTR_PORT_INFO));
	assert_non_null(port_of(fab, 0x20, 1)->counters);
	ibc_fabric_free(fab);
	fab = load_in_part(lower, strlen(lower), "");
	assert_int_equal(ibc_fabric_count(fab).cables, 1);
	ibc_fabric_free(fab);
}

/* The first of two captures is read, and prompts around them are none of it. */
static void of_two_captures_the_first_is_read(void **state)
{
	static const char text[] = "$ cat a.db_csv b.db_csv\n" NODES PORTS LINKS
				   "# again\n" PORTS NODES LINKS "$ exit\n";
	struct ibc_fabric *fab = load_in_part(text, strlen(text), "");

	(void)state;
	assert_int_equal(ibc_fabric_count(fab).nodes, 3);
	assert_int_equal(node_of(fab, 0x10)->line, 4);
	ibc_fabric_free(fab);
}

static void of_a_cable_with_three_ends_none_is_believed(void **state)
{
	static const char text[] = NODES PORTS LINKS_HEADER
	    "0x10,1,0x20,1\n0x10,2,0x30,1\n0x20,1,0x10,1\n0x20,1,0x10,3\n0x10,1,0x20,1\nEND_"
	    "LINKS\n";
	struct ibc_fabric *fab = load_in_part(
	    text, strlen(text),
	    "18: port 1 of node 0x0000000000000020 has another link: neither is used");

	(void)state;
	assert_int_equal(ibc_fabric_subnet(fab, 0)->lines_lost, 2);
	assert_int_equal(ibc_fabric_count(fab).cables, 1);
	assert_true(ibc_port_unanswered(port_of(fab, 0x20, 1), IBC_ATTR_NODE_INFO));
	assert_true(ibc_port_unanswered(port_of(fab, 0x10, 3), IBC_ATTR_NODE_INFO));
	ibc_fabric_free(fab);
}

/* A row that was lost takes nothing else with it. */
static void what_is_left_is_read(void **state)
{
	static const char text[] = NODES PORTS LINKS_HEADER
	    "0x10,1,0x20\n0x30,1,0x10,2\nEND_LINKS\n";
	struct ibc_fabric *fab = load_in_part(text, strlen(text), NULL);

	(void)state;
	assert_int_equal(ibc_fabric_count(fab).cables, 1);
	assert_int_equal(ibc_fabric_subnet(fab, 0)->lines_lost, 1);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wherever_it_is_cut_something_is_lost),
		cmocka_unit_test(a_file_without_its_first_blocks_is_refused),
		cmocka_unit_test(blocks_that_do_not_end_lose_what_follows),
		cmocka_unit_test(rows_that_cannot_be_are_lost),
		cmocka_unit_test(too_much_is_lost),
		cmocka_unit_test(order_and_case_of_blocks_do_not_matter),
		cmocka_unit_test(of_two_captures_the_first_is_read),
		cmocka_unit_test(of_a_cable_with_three_ends_none_is_believed),
		cmocka_unit_test(what_is_left_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
