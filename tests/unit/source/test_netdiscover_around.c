/* SPDX-License-Identifier: BSD-2-Clause */
/* ibnetdiscover text as people have it: captured in a terminal, or written by ibdiagnet2. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mkcables.h"

/* One switch, one host, one cable; and these notes. */
static void expect_noted(const char *text, const char *notes)
{
	struct ibc_error err = { "" };
	struct ibc_fabric *fab = NULL;
	struct complained all;

	assert_int_equal(read_plan(read_netdiscover, text, strlen(text), &fab, &all, &err), 0);
	assert_string_equal(all.text, notes);
	expect_joined(fab, "sw", 1, "host mlx5_0", 1);
	ibc_fabric_free(fab);
}

static void what_a_terminal_wrote_around_the_text_is_skipped_with_a_note(void **state)
{
	(void)state;
	expect_noted(
	    "\xef\xbb\xbf[root@host ~]# ibnetdiscover\n# Topology file\n" SWITCH CABLE CA BACK
	    "\n[root@host ~]# logout\nScript done on Sun",
	    "");
	expect_noted("Sun Jan 1\n$ ibnetdiscover\n" SWITCH CABLE CA BACK
	             "\nlogout\nConnection closed",
	             "0:0: lines 1 and 8-9 are not ibnetdiscover output: skipped\n");
	expect_noted(SWITCH CABLE CA BACK "exit\n",
	             "0:0: line 5 is not ibnetdiscover output: skipped\n");
	expect_noted(SWITCH CABLE CA BACK, "");
}

static void many_lines_are_told_in_short(void **state)
{
	(void)state;
	expect_noted("a\n#\nb\n#\nc\n#\nd\n#\ne\n#\nf\n#\ng\n#\nh\n#\ni\n" SWITCH CABLE CA BACK,
	             "0:0: lines 1, 3, 5, 7, 9, 11, 13 and 15-17 are not ibnetdiscover output: "
	             "skipped\n");
}

static void between_two_records_what_is_skipped_is_lost(void **state)
{
	(void)state;
	lost(SWITCH CABLE "Broken pipe\n" CA BACK, "test:3: not understood: \"Broken pipe\"");
	lost(SWITCH "logout\n" CABLE, "test:2: not understood: \"logout\"");
}

/* Labels in place of port GUIDs, and the GUID of the director in place of each chip's. */
static void the_file_of_ibdiagnet2_is_read_with_its_labels(void **state)
{
	struct ibc_fabric *fab = load(
	    "sysimgguid=0x99\nswitchguid=0x99(99)\n"
	    "Switch\t4 \"S-0000000000000010\"\t# \"core1 L01\" base port 0 lid 1 lmc 0\n"
	    "[1](1/1/1)\t\"S-0000000000000011\"[2](2/1/2)\t# \"core1 L02\" lid 2 4xNDR\n"
	    "[2](N/A)\t\"H-0000000000000020\"[1](20)\t# \"host mlx5_0\" lid 3 4xNDR\n"
	    "sysimgguid=0x99\nswitchguid=0x99(99)\n"
	    "Switch\t4 \"S-0000000000000011\"\t# \"core1 L02\" base port 0 lid 2 lmc 0\n"
	    "[2](2/1/2)\t\"S-0000000000000010\"[1](1/1/1)\t# \"core1 L01\" lid 1 4xNDR\n");

	(void)state;
	expect_cable(node_of(fab, 0x10), 1, node_of(fab, 0x11), 2);
	assert_int_equal(node_of(fab, 0x11)->system_guid, 0x99);
	assert_string_equal(ibc_port_label(port_of(fab, 0x10, 1)), "1/1/1");
	assert_string_equal(ibc_port_label(port_of(fab, 0x11, 2)), "2/1/2");
	assert_null(ibc_port_label(port_of(fab, 0x10, 2)));
	assert_int_equal(port_of(fab, 0x20, 1)->guid, 0x20);
	ibc_fabric_free(fab);
}

static void a_port_of_ibdiagnet2_has_its_label_before_its_guid(void **state)
{
	struct ibc_fabric *fab = load(
	    "caguid=0x20\nCa 1 \"H-0000000000000020\" # \"host1 mlx5_0\"\n"
	    "[1](B9D0F0/0/0/1)(0000000000000028) \"S-0000000000000010\"[65] # lid 25 lmc 0 "
	    "\"leaf1\" lid 24 4xNDR\n"
	    "caguid=0x30\nCa 1 \"H-0000000000000030\" # \"Mellanox Technologies Aggregation "
	    "Node\"\n"
	    "[1](1)(0000000000000038) \"S-0000000000000010\"[66] # lid 26 lmc 0 \"leaf1\" lid 24 "
	    "4xNDR\n");

	(void)state;
	assert_int_equal(port_of(fab, 0x20, 1)->guid, 0x28);
	assert_string_equal(ibc_port_label(port_of(fab, 0x20, 1)), "B9D0F0/0/0/1");
	assert_int_equal(port_of(fab, 0x30, 1)->guid, 0x38);
	assert_null(ibc_port_label(port_of(fab, 0x30, 1)));
	ibc_fabric_free(fab);
}

/* ibsim loads them: a port without a GUID gets the number that it would give. */
static void names_in_place_of_port_guids_are_passed_over(void **state)
{
	struct ibc_fabric *fab = load("Switch 2 \"leaf1\"\n[1] \"host1\"[1](host1-p1)\n"
	                              "Ca 1 \"host1\"\n[1](host1 p1) \"leaf1\"[1]\n");

	(void)state;
	assert_int_equal(port_of(fab, 0x100000, 1)->guid, 0x100001);
	assert_non_null(port_of(fab, 0x100000, 1)->peer);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_terminal_wrote_around_the_text_is_skipped_with_a_note),
		cmocka_unit_test(many_lines_are_told_in_short),
		cmocka_unit_test(between_two_records_what_is_skipped_is_lost),
		cmocka_unit_test(the_file_of_ibdiagnet2_is_read_with_its_labels),
		cmocka_unit_test(a_port_of_ibdiagnet2_has_its_label_before_its_guid),
		cmocka_unit_test(names_in_place_of_port_guids_are_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
