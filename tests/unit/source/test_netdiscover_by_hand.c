/* SPDX-License-Identifier: BSD-2-Clause */
/* What people write for ibsim. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "mkattrs.h"
#include "mknet.h"

/* ---- what people write for ibsim ---- */

static void names_stand_for_nodes_and_get_the_guids_ibsim_gives(void **state)
{
	struct ibc_fabric *fab = load("Switch\t8 \"sw1\"\n[1]\t\"Hca1\"[1]\n[2] \"Hca2\" [2]\n"
	                              "Switch 8 \"sw2\" # the other one base port 0\n"
	                              "Hca\t2 \"Hca1\"\n[1]\t\"sw1\"\n"
	                              "Ca 3 \"Hca2\" # some host\n[2] \"sw1\"[2]\n"
	                              "caguid=0x500\nsysimgguid=0x77\nCa 1 \"Hca3\"\n"
	                              "Ca 1 \"Hca4\"\n"
	                              "caguid+0x20\nCa 1 \"Hca5\"\n"
	                              "Rt 1 \"rt\"\n");

	(void)state;
	expect_counts(fab, 2, 5, 2);
	assert_int_equal(node_named(fab, "sw1")->guid, 0x200000);
	assert_int_equal(node_named(fab, "the other one")->guid, 0x200001);
	assert_int_equal(node_named(fab, "Hca1")->guid, 0x100000);
	assert_int_equal(node_named(fab, "some host")->guid, 0x100003);
	assert_int_equal(node_named(fab, "Hca3")->guid, 0x500);
	assert_int_equal(node_named(fab, "Hca4")->guid, 0x502);
	assert_int_equal(node_named(fab, "Hca5")->guid, 0x520);
	assert_int_equal(node_named(fab, "rt")->guid, 0);
	assert_int_equal(node_named(fab, "Hca3")->system_guid, 0x77);
	assert_int_equal(node_named(fab, "Hca4")->system_guid, 0);
	assert_int_equal(node_named(fab, "Hca1")->ports[1].guid, 0x100001);
	assert_int_equal(node_named(fab, "sw1")->ports[0].guid, 0x200000);
	expect_cable(node_named(fab, "sw1"), 1, node_named(fab, "Hca1"), 1);
	expect_cable(node_named(fab, "sw1"), 2, node_named(fab, "some host"), 2);
	assert_attrs(ibc_fabric_subnet(fab, 0)->provides, IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC);
	ibc_fabric_free(fab);
}

static void one_side_of_a_cable_is_enough(void **state)
{
	struct ibc_fabric *fab = load("Switch 4 \"sw\"\n[3] \"h1\"[2]\n[4] \"h2\"\nCa 2 \"h2\"\n");

	(void)state;
	expect_counts(fab, 1, 2, 2);
	expect_cable(node_named(fab, "sw"), 3, node_named(fab, "h1"), 2);
	assert_int_equal(node_named(fab, "h1")->type, IBC_NODE_CA);
	assert_int_equal(node_named(fab, "h1")->num_ports, 2);
	assert_int_equal(node_named(fab, "h1")->guid, 0x100003);
	expect_cable(node_named(fab, "h2"), 1, node_named(fab, "sw"), 4);
	ibc_fabric_free(fab);
}

static void options_of_a_port_train_the_cable_as_in_ibsim(void **state)
{
	struct ibc_fabric *fab = load("Switch 8 \"a\"\n"
	                              "[1] \"b\"[1] w=11 s=7 # rack 3\n"
	                              "[2] \"b\"[2]\n"
	                              "[3] \"b\"[3] s=7 e=3 v=4\n"
	                              "[4] \"b\"[4] s=0\n"
	                              "[5] \"c\"[1] w=16 e=8\n"
	                              "Switch 8 \"b\"\n"
	                              "[1] \"a\"[1] w=3 s=3\n"
	                              "[2] \"a\"[2]\n"
	                              "[3] \"a\"[3] s=7 e=1\n"
	                              "[4] \"a\"[4] s=4\n");
	const struct ibc_node *a = node_named(fab, "a"), *b = node_named(fab, "b");

	(void)state;
	expect_rate(&a->ports[1], IBC_WIDTH_4X, IBC_SPEED_DDR);
	expect_rate(&b->ports[1], IBC_WIDTH_4X, IBC_SPEED_DDR);
	assert_false(ibc_port_has(&a->ports[2], IBC_ATTR_LINK));
	expect_rate(&a->ports[3], IBC_WIDTH_4X, IBC_SPEED_FDR);
	expect_rate(&b->ports[4], IBC_WIDTH_4X, IBC_SPEED_QDR);
	expect_rate(&a->ports[5], IBC_WIDTH_2X, IBC_SPEED_NDR);
	expect_rate(&node_named(fab, "c")->ports[1], IBC_WIDTH_2X, IBC_SPEED_NDR);
	ibc_fabric_free(fab);
}

static void defaults_hold_for_the_blocks_below_them(void **state)
{
	struct ibc_fabric *fab = load("Switch 4 \"a\"\n[1] \"b\"[1]\n"
	                              "width=8\nspeed=7\nextspeed=3\n"
	                              "Switch 4 \"c\"\n[1] \"d\"[1]\n"
	                              "Switch 4 \"d\"\n[1] \"c\"[1] e=2\n");

	(void)state;
	assert_false(ibc_port_has(&node_named(fab, "a")->ports[1], IBC_ATTR_LINK));
	expect_rate(&node_named(fab, "c")->ports[1], IBC_WIDTH_12X, IBC_SPEED_EDR);
	ibc_fabric_free(fab);
}

static void a_rate_one_end_tells_holds_for_the_other(void **state)
{
	struct ibc_fabric *fab = load("Switch 4 \"a\"\n[1] \"b\"[1] # \"b\" lid 2 4xHDR\n"
	                              "Switch 4 \"b\"\n[1] \"a\"[1]\n");

	(void)state;
	expect_rate(&node_named(fab, "b")->ports[1], IBC_WIDTH_4X, IBC_SPEED_HDR);
	ibc_fabric_free(fab);
}

static void comments_say_nothing_unless_they_look_like_ibnetdiscover(void **state)
{
	struct ibc_fabric *fab = load("# lid 4 4xFOO\n"
	                              "  \t\n"
	                              "Switch 4 \"a\"\t# \n"
	                              "[1] \"b\"[1] # 19\" rack, lid is loose, 4xFOO\n"
	                              "# [2] \"b\"[2]\n"
	                              "[3] \"b\"[3] # \"b\" 2xbigger w=99\n"
	                              "pdebug=1\n");

	(void)state;
	expect_counts(fab, 1, 1, 2);
	ibc_fabric_free(fab);
}

/* ---- include ---- */

static void included_files_are_found_beside_the_one_that_names_them(void **state)
{
	static const char main_text[] = "include \"part/a.net\"\ninclude part/b.net # too\n";
	static const char a[] = "include \"b.net\"\nSwitch 4 \"a\"\n[1] \"b\"[1]\n";
	static const char b[] = "width=3\n";
	char *dir = make_dir(), *sub, *files[3];
	struct ibc_fabric *fab = NULL;

	(void)state;
	assert_true(asprintf(&sub, "%s/part", dir) > 0);
	assert_int_equal(mkdir(sub, 0700), 0);
	files[0] = make_file(dir, "main.net", main_text, strlen(main_text));
	files[1] = make_file(sub, "a.net", a, strlen(a));
	files[2] = make_file(sub, "b.net", b, strlen(b));
	assert_int_equal(load_file(files[0], &fab, NULL), 0);
	expect_counts(fab, 1, 1, 1);
	assert_string_equal(ibc_fabric_subnet(fab, 0)->file, files[0]);
	ibc_fabric_free(fab);
	for (size_t i = 0; i < COUNT(files); i++)
		drop_file(files[i]);
	drop_dir(sub);
	drop_dir(dir);
}

/* A file of this text is refused with a sentence that ends so. */
static void expect_include_refusal(const char *dir, const char *text, const char *end)
{
	char *path = make_file(dir, "main.net", text, strlen(text));
	struct ibc_error err = { "" };
	struct ibc_fabric *fab;

	assert_int_equal(load_file(path, &fab, &err), -EINVAL);
	assert_true(strlen(err.text) > strlen(end));
	assert_string_equal(err.text + strlen(err.text) - strlen(end), end);
	drop_file(path);
}

static void what_cannot_be_included_is_an_error_where_it_is_named(void **state)
{
	char *dir = make_dir(), *chain[12], text[40];

	(void)state;
	expect_include_refusal(dir, "\ninclude \"nothing\"\n",
	                       "/nothing: No such file or directory");
	expect_include_refusal(dir, "include \"/dev/null\"\n",
	                       "main.net:1: cannot include /dev/null: not a regular file");
	expect_include_refusal(dir, "\ninclude main.net\n", "main.net:2: the file includes itself");
	for (unsigned int i = 0; i < COUNT(chain); i++) {
		char name[8];

		snprintf(text, sizeof(text), "include %u\n", i + 1);
		snprintf(name, sizeof(name), "%u", i);
		chain[i] = make_file(dir, name, text, strlen(text));
	}
	expect_include_refusal(dir, "include 0\n",
	                       "/7:1: more than 9 files include each other, or 1000 in all");
	for (unsigned int i = 0; i < COUNT(chain); i++)
		drop_file(chain[i]);
	drop_dir(dir);
	refused("include \"x\"\n", "test:1: only a file can include other files");
}

static void a_file_includes_no_more_than_a_thousand(void **state)
{
	char *dir = make_dir(), *empty = make_file(dir, "empty", "", 0);
	char text[1100 * 14];
	size_t n = 0;

	(void)state;
	for (unsigned int i = 0; i < 1100; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "include empty\n");
	expect_include_refusal(dir, text, "more than 9 files include each other, or 1000 in all");
	drop_file(empty);
	drop_dir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_stand_for_nodes_and_get_the_guids_ibsim_gives),
		cmocka_unit_test(one_side_of_a_cable_is_enough),
		cmocka_unit_test(options_of_a_port_train_the_cable_as_in_ibsim),
		cmocka_unit_test(defaults_hold_for_the_blocks_below_them),
		cmocka_unit_test(a_rate_one_end_tells_holds_for_the_other),
		cmocka_unit_test(comments_say_nothing_unless_they_look_like_ibnetdiscover),
		cmocka_unit_test(included_files_are_found_beside_the_one_that_names_them),
		cmocka_unit_test(what_cannot_be_included_is_an_error_where_it_is_named),
		cmocka_unit_test(a_file_includes_no_more_than_a_thousand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
