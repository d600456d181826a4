/* SPDX-License-Identifier: BSD-2-Clause */
/* A damaged ibdiagnet2.db_csv is an error with its line, never a smaller fabric. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkdb.h"

static void wherever_it_is_cut_it_is_refused(void **state)
{
	static const char text[] = "# remark\n" NODES PORTS FIRMWARE COUNTERS
				   "START_X\nany\nEND_X\n" LINKS;

	(void)state;
	/* the last byte ends the last line, and is all that can be missed */
	for (size_t n = 0; n + 2 < strlen(text); n++) {
		struct ibc_error err = { "" };
		struct ibc_fabric *fab = NULL;

		if (read_bytes(read_dbcsv, text, n, &fab, &err) == 0)
			fail_msg("a fabric from the first %zu bytes", n);
		assert_true(*err.text);
	}
}

static void a_file_without_its_first_blocks_is_refused(void **state)
{
	(void)state;
	refused("", "test has no block NODES: it is incomplete");
	refused("# nothing\n", "test has no block NODES: it is incomplete");
	refused(NODES PORTS, "test has no block LINKS: it is incomplete");
	refused(NO_LINKS, "test has no block NODES: it is incomplete");
}

static void blocks_that_do_not_end_are_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} files[] = {
		{ "START_NODES\n",
		  "test:1: the block NODES, which begins in line 1, does not end" },
		{ "START_NODES\nNodeGUID,NodeType,NumPorts\nSTART_LINKS\n",
		  "test:3: the block NODES, which begins in line 1, does not end" },
		{ "\nSTART_X\nEND_Y\n",
		  "test:3: the block X, which begins in line 2, does not end" },
		{ "START_X\n1\n\n", "test:3: the block X, which begins in line 1, does not end" },
		{ "END_X\n", "test:1: not understood: \"END_X\"" },
		{ NODES "0x10,1,0x20,1\n", "test:7: not understood: \"0x10,1,0x20,1\"" },
		{ NODES NODES, "test:7: a second block NODES, the first is in line 1" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++)
		refused(files[i].text, files[i].why);
}

#define TINY(rows) "START_NODES\nNodeGUID,NodeType,NumPorts\n" rows "END_NODES\n"
#define PAIR       TINY("0x10,2,4\n0x20,1,1\n")

static void rows_that_cannot_be_are_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} files[] = {
		{ "START_NODES\nNodeGUID,NodeDesc,NumPorts\n",
		  "test:2: there is no column NodeType" },
		{ TINY("0x10,2\n"), "test:3: 2 values in 3 columns of the block NODES" },
		{ TINY("0x10,2,4,\n"), "test:3: 4 values in 3 columns of the block NODES" },
		{ TINY("0x10,N/A,4\n"), "test:3: NodeType has no value" },
		{ TINY("0xg0,2,4\n"), "test:3: invalid value of NodeGUID: \"0xg0\"" },
		{ TINY("0x10,2,256\n"), "test:3: invalid value of NumPorts: \"256\"" },
		{ TINY("0x10,2,4\n0x10,2,4\n"),
		  "test:4: a second row of node 0x0000000000000010, the first is in line 3" },
		{ PAIR LINKS_HEADER "0x10,1,0x30,1\n",
		  "test:8: the block NODES has no node 0x0000000000000030" },
		{ PAIR LINKS_HEADER "0x10,5,0x20,1\n",
		  "test:8: node 0x0000000000000010 has no port 5, its last is 4" },
		{ PAIR LINKS_HEADER "0x10,0,0x20,1\n",
		  "test:8: a link at port 0 of node 0x0000000000000010" },
		{ PAIR LINKS_HEADER "0x10,1,0x20,0\n",
		  "test:8: node 0x0000000000000020 has no port 0, its last is 1" },
		{ PAIR LINKS_HEADER "0x10,1,0x10,1\n",
		  "test:8: port 1 of node 0x0000000000000010 is linked to itself" },
		{ PAIR LINKS_HEADER "0x10,1,0x20,1\n0x20,1,0x10,2\n",
		  "test:9: port 1 of node 0x0000000000000020 is linked to port 1 of node "
		  "0x0000000000000010 already" },
		{ PAIR "START_PORTS\nNodeGuid,PortNum,LinkWidthActv,LinkSpeedActv\n"
		       "0x20,1,2,512\n0x20,1,2,512\n",
		  "test:9: a second row of this port" },
		{ PAIR "START_PORTS\nNodeGuid,PortNum,LID\n0x20,1,65536\n",
		  "test:8: invalid value of LID: \"65536\"" },
		{ PAIR "START_NODES_INFO\nNodeGUID,FWInfo_Major\n0x30,0x1\n",
		  "test:8: the block NODES has no node 0x0000000000000030" },
		{ PAIR "START_SWITCHES\nNodeGUID,LinearFDBCap\n0x10,70000\n",
		  "test:8: invalid value of LinearFDBCap: \"70000\"" },
		{ PAIR "START_PM_INFO\nNodeGUID,PortNumber,LinkDownedCounter\n0x20,1,x\n",
		  "test:8: invalid value of LinkDownedCounter: \"x\"" },
		{ PAIR "START_PM_INFO\nNodeGUID,PortNumber,LinkDownedCounter\n0x20,1,256\n",
		  "test:8: invalid value of LinkDownedCounter: \"256\"" },
		{ PAIR "START_PM_INFO\nNodeGUID,PortNumber,LinkDownedCounter\n"
		       "0x20,1,1\n0x20,1,1\n",
		  "test:9: a second row of this port" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++)
		refused(files[i].text, files[i].why);
}

static void too_much_is_refused(void **state)
{
	char *name = calloc(1, 200), *commas = calloc(1, 600), *text;
	size_t n, length;
	FILE *out;

	(void)state;
	memset(name, 'X', 199);
	text = text_of("START_%s\n", name);
	refused(text, "test:1: no name of a block: "
	              "\"XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX\"");
	free(text);
	memset(commas, ',', 599);
	text = text_of("START_NODES\n%s\n", commas);
	refused(text, "test:2: more than 512 columns");
	free(text);
	out = open_memstream(&text, &length);
	assert_non_null(out);
	fputs("START_NODES\nNodeGUID,NodeType,NumPorts\n", out);
	for (n = 0; n <= FILE_MAX_PORTS / 256; n++)
		fprintf(out, "0x%zx,2,255\n", n + 1);
	assert_int_equal(fclose(out), 0);
	refused(text, "test:8195: more than 2097152 ports, which no subnet can have");
	free(text);
	free(name);
	free(commas);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wherever_it_is_cut_it_is_refused),
		cmocka_unit_test(a_file_without_its_first_blocks_is_refused),
		cmocka_unit_test(blocks_that_do_not_end_are_refused),
		cmocka_unit_test(rows_that_cannot_be_are_refused),
		cmocka_unit_test(too_much_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
