/* SPDX-License-Identifier: BSD-2-Clause */
/* What is no fabric, and what contradicts itself. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mknet.h"

static void a_file_without_a_node_is_refused(void **state)
{
	static const char why[] = "test contains no node";

	(void)state;
	refused("", why);
	refused("# nothing\n\n", why);
	refused("Dear all,\nthe fabric is down.\ninclude/ibcheck/fabric.h is fine.\n", why);
}

static void of_lines_that_contradict_each_other_none_is_used(void **state)
{
	static const struct {
		const char *text, *why;
	} files[] = {
		{ SWITCH "[1] \"a\"[1]\n[1] \"b\"[1]\n",
		  "test:3: port 1 of \"S-0000000000000010\" is cabled elsewhere in line 2: neither "
		  "is used" },
		{ SWITCH "[5] \"a\"[1]\n",
		  "test:2: port 5 of \"S-0000000000000010\", whose last is 4" },
		{ SWITCH "[1] \"a\"[2]\nCa 1 \"a\"\n",
		  "test:2: \"a\"[2] does not exist, the last port there is 1" },
		{ SWITCH "[1] \"S-0000000000000010\"[1]\n", "test:2: port 1 is cabled to itself" },
		{ SWITCH "[1] \"a\"[1]\nCa 1 \"a\"\n[1] \"S-0000000000000010\"[2]\n",
		  "test:2: \"a\"[1] is cabled elsewhere in line 4: neither is used" },
		{ SWITCH "[1] \"a\"[1]\n[2] \"a\"[1]\n",
		  "test:3: \"a\"[1] is cabled elsewhere in line 2: neither is used" },
		{ SWITCH "\nSwitch 5 \"S-0000000000000010\"\n",
		  "test:3: a second block of \"S-0000000000000010\" with 5 ports, the first is in "
		  "line 1 with 4" },
		{ "Switch 1 \"a\"\n[1] \"b\"[1] w=1\nSwitch 1 \"b\"\n[1] \"a\"[1] w=8\n",
		  "test:2: the two ends enable no common width, see line 4" },
		{ "Switch 1 \"a\"\n[1] \"b\"[1] s=1\nSwitch 1 \"b\"\n[1] \"a\"[1] s=4\n",
		  "test:2: the two ends enable no common speed, see line 4" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++)
		lost(files[i].text, files[i].why);
}

static void lines_that_cannot_be_read_are_lost(void **state)
{
	static const struct {
		const char *text, *why;
	} files[] = {
		{ SWITCH "Swit", "test:2: not understood: \"Swit\"" },
		{ SWITCH "[", "test:2: not understood: \"[\"" },
		{ SWITCH "[0] \"a\"", "test:2: expected a port, \"[1]\" to \"[255]\"" },
		{ SWITCH "[256] \"a\"", "test:2: expected a port, \"[1]\" to \"[255]\"" },
		{ SWITCH "[1", "test:2: expected a port, \"[1]\" to \"[255]\"" },
		{ SWITCH "[1](2", "test:2: expected \")\" behind the port GUID" },
		{ SWITCH "[1]", "test:2: expected the peer's id in quotation marks" },
		{ SWITCH "[1] \"a", "test:2: expected the peer's id in quotation marks" },
		{ SWITCH "[1] \"\"[1]", "test:2: expected the peer's id in quotation marks" },
		{ SWITCH "[1] \"a\"[", "test:2: expected the peer's port, \"[1]\" to \"[255]\"" },
		{ SWITCH "[1] \"a\"[1](zz", "test:2: expected \")\" behind the port GUID" },
		{ SWITCH "[1] \"a\"[1] 4xEDR", "test:2: not understood: \"4xEDR\"" },
		{ SWITCH "[1] \"a\"[1] w=", "test:2: w= is not a number from 1 to 31" },
		{ SWITCH "[1] \"a\"[1] w=32", "test:2: w=32 is not a number from 1 to 31" },
		{ SWITCH "[1] \"a\"[1] s=8", "test:2: s=8 is not a number from 0 to 7" },
		{ SWITCH "[1] \"a\"[1] e=-1", "test:2: e=-1 is not a number from 0 to 15" },
		{ SWITCH "[1] \"a\"[1] # \"h\" lid 2 4xE",
		  "test:2: no known width and speed: \"4xE\"" },
		{ SWITCH "[1] \"a\"[1] # \"h\" lid 2 3xEDR",
		  "test:2: no known width and speed: \"3xEDR\"" },
		{ SWITCH "[1] \"a\"[1] # \"h\" lid 65536", "test:2: no LID: \"65536\"" },
		{ SWITCH "[1] \"a\"[1] # \"h",
		  "test:2: the description has no closing quotation mark" },
		{ CA "[1] \"a\"[1] # lid 4 lmc 8 \"x\"", "test:2: no LMC: \"8\"" },
		{ CA "[1] \"a\"[1] # lid 4 lmc 0 \"x",
		  "test:2: the description has no closing quotation mark" },
		{ "Switch \"a\"", "test:1: expected a number of ports, up to 255" },
		{ "Switch 256 \"a\"", "test:1: expected a number of ports, up to 255" },
		{ "Switch 4 a", "test:1: expected the node's id in quotation marks" },
		{ "Switch 4 \"a", "test:1: expected the node's id in quotation marks" },
		{ "Switch 4 \"\"", "test:1: expected the node's id in quotation marks" },
		{ "Switch 4 \"a\" # \"b", "test:1: the description has no closing quotation mark" },
		{ "Switch 4 \"a\" # \"b\" base port 0 lid 70000", "test:1: no LID: \"70000\"" },
		{ "[1] \"a\"[1]", "test:1: a port line outside of a node" },
		{ SWITCH "vendid=0x1\n[1] \"a\"[1]", "test:3: a port line outside of a node" },
		{ "vendid", "test:1: expected \"=\" behind \"vendid\"" },
		{ "vendid=", "test:1: vendid= takes a number from 0 to 0xffffffff" },
		{ "devid=0x10000", "test:1: devid= takes a number from 0 to 0xffff" },
		{ "devid=7 of 9", "test:1: not understood: \"of 9\"" },
		{ "switchguid=0x10(", "test:1: no port GUID in the parentheses" },
		{ "caguid=0x10(x)", "test:1: no port GUID in the parentheses" },
		{ "caguid=0x10 11", "test:1: not understood: \"11\"" },
		{ "sysimgguid=0x11111111111111111",
		  "test:1: sysimgguid= takes a number from 0 to 0xffffffffffffffff" },
		{ "width=32", "test:1: width= takes a number from 1 to 0x1f" },
		{ "width=0", "test:1: width= takes a number from 1 to 0x1f" },
		{ "speed=0", "test:1: speed= takes a number from 1 to 0x7" },
		{ "do Unlink \"a\"[1]",
		  "test:1: \"do\": ibsim's commands are not supported here: remove the line" },
		{ "module=\"m\"", "test:1: \"module\": ibsim's prefixes are not supported here: "
		                  "write ids in full" },
		{ SWITCH "@[1] \"alias\"", "test:2: ibsim's aliases are not supported here" },
		{ SWITCH "<html>\n" CABLE, "test:2: not understood: \"<html>\"" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++)
		lost(files[i].text, files[i].why);
}

static void more_ports_than_any_subnet_has_are_not_believed(void **state)
{
	char *text = malloc(9000 * 20);
	size_t n = 0;

	(void)state;
	for (unsigned int i = 0; i < 9000; i++)
		n += (size_t)sprintf(text + n, "Switch 255 \"%u\"\n", i);
	expect_lost(read_netdiscover, text,
	            "test:8193: more than 2097152 ports, which no subnet can have");
	free(text);
}

static void a_second_capture_that_says_the_same_changes_nothing(void **state)
{
	struct ibc_fabric *fab = load(SWITCH CABLE CA BACK "\n" SWITCH CABLE CA BACK);

	(void)state;
	expect_counts(fab, 1, 1, 1);
	assert_int_equal(ibc_fabric_lines_lost(fab, NULL), 0);
	ibc_fabric_free(fab);
}

static void of_three_ends_no_cable_is_laid(void **state)
{
	struct ibc_fabric *fab = load(SWITCH "[1] \"a\"[1]\n[2] \"a\"[1]\n[3] \"b\"[1]\n");

	(void)state;
	expect_counts(fab, 1, 1, 1);
	assert_null(ibc_node_port(node_of(fab, 0x10), 1)->peer);
	assert_int_equal(ibc_fabric_lines_lost(fab, NULL), 1);
	ibc_fabric_free(fab);
}

/* One damaged id: the cable is contradicted by its other end, and the name is that of the switch.
 */
static void a_peer_that_only_contradicted_lines_name_is_no_node(void **state)
{
	struct ibc_fabric *fab = load(
	    SWITCH CABLE CA
	    "[1](21) \t\"S-00~0000000000010\"[1]\t\t# lid 2 lmc 0 \"sw\" lid 1 4xEDR\n");

	(void)state;
	expect_counts(fab, 1, 1, 0);
	assert_int_equal(ibc_fabric_lines_lost(fab, NULL), 1);
	ibc_fabric_free(fab);
	/* the GUID is that of a node which has a block */
	fab = load(SWITCH CA "[1](21) \t\"H-0000000000000010\"[1]\t\t# lid 2 lmc 0 \"sw\" lid 1\n");
	expect_counts(fab, 1, 1, 0);
	assert_int_equal(ibc_fabric_lines_lost(fab, NULL), 1);
	ibc_fabric_free(fab);
}

/* What one end of a cable had in a lost line the other end tells, if it is there. */
static void a_line_that_another_makes_up_for_hides_nothing(void **state)
{
	static const struct {
		const char *text;
		bool hides;
	} files[] = {
		{ "Switch 4 \"a\"\n[1] \"b\"[1]\n[2] gar#bled\n"
		  "Switch 4 \"b\"\n[1] \"a\"[1]\n[2] \"a\"[2]\n",
		  false },
		{ "Switch 4 \"a\"\n[1] \"b\"[1]\n[2] gar#bled\n"
		  "Switch 4 \"b\"\n[1] \"a\"[1]\n",
		  true },
		{ "Switch 4 \"a\"\n[1] \"b\"[1]\n[2] gar#bled\n"
		  "Switch 4 \"b\"\n[1] \"a\"[1]\n[2] gar#bled\n",
		  true },
		{ "Switch 4 \"a\"\n[1] \"b\"[1]\n[2] gar#bled\n"
		  "Switch 4 \"b\"\n",
		  true },
		{ "Switch 4 \"a\"\n[1] \"b\"[1]\n[2] \"b\"[2]\n[3] \"b\"[3]\n"
		  "Switch 4 \"b\"\n[1] \"a\"[1]\n[2] \"a\"[3]\n[3] \"a\"[3]\n",
		  true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++) {
		struct ibc_fabric *fab = load(files[i].text);
		const struct ibc_subnet *subnet = ibc_fabric_subnet(fab, 0);

		assert_true(subnet->lines_lost);
		assert_int_equal(subnet->cut_short, files[i].hides);
		assert_int_equal(ibc_attrs_has(subnet->lost_of, IBC_ATTR_NODE_INFO),
		                 files[i].hides);
		ibc_fabric_free(fab);
	}
}

static void a_comment_may_have_nul_bytes_or_be_long(void **state)
{
	size_t n = LINE_MAX_BYTES + 100;
	char *text = malloc(n + 300);
	struct ibc_fabric *fab;

	(void)state;
	memset(text, '#', n);
	snprintf(text + n, 300, "\n%s", SWITCH CABLE CA BACK);
	fab = fabric_of(read_netdiscover, text, strlen(text));
	expect_counts(fab, 1, 1, 1);
	assert_int_equal(ibc_fabric_lines_lost(fab, NULL), 1);
	ibc_fabric_free(fab);
	n = strlen(text + n - 3);
	memmove(text, text + LINE_MAX_BYTES + 97, n);
	text[1] = '\0';
	fab = fabric_of(read_netdiscover, text, n);
	expect_counts(fab, 1, 1, 1);
	assert_int_equal(ibc_fabric_lines_lost(fab, NULL), 1);
	ibc_fabric_free(fab);
	free(text);
}

static void half_of_a_number_is_none(void **state)
{
	struct ibc_fabric *fab = load("switchguid=0x1??10(11)\nvendid=0x2?9\n" SWITCH);

	(void)state;
	assert_int_equal(node_of(fab, 0x10)->ports[0].guid, 0);
	assert_int_equal(node_of(fab, 0x10)->vendor_id, 0);
	assert_int_equal(ibc_fabric_lines_lost(fab, NULL), 2);
	ibc_fabric_free(fab);
}

/* ibnetdiscover itself writes both ends of a cable, and a block of each node. */
static void what_is_cut_off_between_two_lines_is_seen(void **state)
{
	static const char *const generated[] = {
		"# Topology file: generated on Sun\n",
		"# Topology file: written by ibcheck 0.3.0\n",
		"# This file was automatically generated by ibdiagnet\n",
	};
	char text[512];

	(void)state;
	for (size_t i = 0; i < COUNT(generated); i++) {
		snprintf(text, sizeof(text), "%s%s", generated[i], SWITCH CABLE);
		lost(text, "test:3: \"H-0000000000000020\" has no block in this file");
		snprintf(text, sizeof(text), "%s%s", generated[i], SWITCH CABLE CA);
		lost(text,
		     "test:3: \"H-0000000000000020\"[1] leads here, and has no line of its own");
	}
}

static void any_cut_of_a_file_is_an_error_or_a_fabric_that_holds_together(void **state)
{
	static const char text[] = "vendid=0x2c9\nswitchguid=0x10(10)\n" SWITCH CABLE CA BACK;

	(void)state;
	for (size_t n = 0; n < strlen(text); n++) {
		struct ibc_fabric *fab = NULL;
		struct ibc_error err = { "" };
		int rc = read_bytes(read_netdiscover, text, n, &fab, &err);

		assert_true(rc == 0 || (rc == -EINVAL && *err.text));
		ibc_fabric_free(fab);
	}
}

static void every_allocation_may_fail(void **state)
{
	static const char text[] = SWITCH CABLE "[2] \"named\"[1] # \"x\"\n" CA BACK;
	unsigned long n = 0;
	int rc = -ENOMEM;

	(void)state;
	while (rc == -ENOMEM) {
		struct ibc_fabric *fab = NULL;
		struct ibc_error err = { "" };

		alloc_fail_at(++n);
		rc = read_bytes(read_netdiscover, text, strlen(text), &fab, &err);
		alloc_fail_at(0);
		if (rc)
			assert_string_equal(err.text, "out of memory");
		ibc_fabric_free(fab);
	}
	assert_int_equal(rc, 0);
	assert_true(n > 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_without_a_node_is_refused),
		cmocka_unit_test(of_lines_that_contradict_each_other_none_is_used),
		cmocka_unit_test(lines_that_cannot_be_read_are_lost),
		cmocka_unit_test(more_ports_than_any_subnet_has_are_not_believed),
		cmocka_unit_test(a_second_capture_that_says_the_same_changes_nothing),
		cmocka_unit_test(of_three_ends_no_cable_is_laid),
		cmocka_unit_test(a_peer_that_only_contradicted_lines_name_is_no_node),
		cmocka_unit_test(a_line_that_another_makes_up_for_hides_nothing),
		cmocka_unit_test(a_comment_may_have_nul_bytes_or_be_long),
		cmocka_unit_test(half_of_a_number_is_none),
		cmocka_unit_test(what_is_cut_off_between_two_lines_is_seen),
		cmocka_unit_test(any_cut_of_a_file_is_an_error_or_a_fabric_that_holds_together),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
