/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "mkfab.h"
#include "source/source.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What reading the map comes to. */
static int read_map(struct fabric_build *b, const char *text, struct ibc_error *err)
{
	struct text_file *f;
	int rc = text_open_bytes("map", text, strlen(text), &f, err);

	if (rc)
		return rc;
	rc = read_node_names(f, b, err);
	text_close(f);
	return rc;
}

static void expect_name(const char *map, const char *name)
{
	struct mkfab m = mkfab();
	struct ibc_error err = { "" };
	struct ibc_fabric *fab;

	mk_ca(m, 0x2c9030042abc0, "plain", 1);
	assert_int_equal(read_map(m.b, map, &err), 0);
	fab = done(m);
	assert_string_equal(ibc_fabric_node(fab, 0)->name, name);
	ibc_fabric_free(fab);
}

static void names_are_read_in_every_habit_there_is(void **state)
{
	(void)state;
	expect_name("# site\n\n0x0002c9030042abc0 \"leaf01\"\n", "leaf01");
	expect_name("0x2c9030042abc0\t\"rack 3 # 4\" # moved\n", "rack 3 # 4");
	expect_name("0x2c9030042abc0\"leaf01\"", "leaf01");
	expect_name("0002c9030042abc0 \"leaf01\"\r\n", "leaf01");
	expect_name("  0x2c9030042abc0   leaf 01  # bare\n", "leaf 01");
	expect_name("H-0002c9030042abc0 host01\n", "host01");
	expect_name("S-0002c9030042abc0 \"leaf01\"\n", "leaf01");
	expect_name("0x2c9030042abc0 \"a\x1b[0m\"\n", "a");
	expect_name("0x1 \"another\"\n", "plain");
	expect_name("", "plain");
}

static void what_is_no_name_is_refused_with_its_line(void **state)
{
	static const char *const bad[] = {
		"0x2c9030042abc0",
		"0x2c9030042abc0 ",
		"0x2c9030042abc0 \"\"",
		"0x2c9030042abc0 \"x",
		"0x2c9030042abc0 # x",
		"leaf01 0x2c9030042abc0",
		"\"leaf01\"",
		"0x12345678901234567 x",
		"0x123456789012345678901234 x",
		"H- x",
		"- x",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct mkfab m = mkfab();
		struct ibc_error err = { "" };
		char text[100];

		snprintf(text, sizeof(text), "# one\n%s\n", bad[i]);
		assert_int_equal(read_map(m.b, text, &err), -EINVAL);
		assert_string_equal(err.text, "map:2: expected 0x<node GUID> \"name\"");
		fabric_build_free(m.b);
	}
}

static void lines_that_are_not_understood_name_nothing(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;

	(void)state;
	assert_int_equal(read_map(m.b, "0x1 \"one\"\nleaf02 0x2\n0x3 \"three\"\n", NULL), 0);
	mk_switch(m, 1, "a", 1);
	mk_switch(m, 3, "c", 1);
	fab = done(m);
	assert_string_equal(ibc_fabric_node(fab, 0)->name, "one");
	assert_string_equal(ibc_fabric_node(fab, 1)->name, "three");
	assert_int_equal(ibc_fabric_lines_lost(fab, NULL), 0);
	ibc_fabric_free(fab);
}

static void a_map_that_is_not_there_is_an_error(void **state)
{
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;
	const char *spec = "synth:fattree:leaves=1,spines=1,hosts=1";
	struct ibc_error err = { "" };
	struct ibc_fabric *fab;

	(void)state;
	opts.node_name_map = "/nonexistent/map";
	assert_int_equal(ibc_fabric_load(&spec, 1, &opts, &fab, &err), -ENOENT);
	assert_string_equal(err.text, "cannot open /nonexistent/map: No such file or directory");
}

static void a_map_of_a_site_loads(void **state)
{
	const char *spec = "../shared/data/psmn-x5/psmn-x5.net";
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;
	struct ibc_fabric *fab = NULL;

	(void)state;
	opts.node_name_map = "../shared/data/psmn-x5/psmn-x5.node-name-map";
	if (access(opts.node_name_map, R_OK)) {
		print_message("SKIPPED: no %s\n", opts.node_name_map);
		skip();
	}
	assert_int_equal(ibc_fabric_load(&spec, 1, &opts, &fab, NULL), 0);
	assert_string_equal(ibc_fabric_node_by_guid(fab, 0x003048c74e4a0000)->name, "x5570comp1");
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_read_in_every_habit_there_is),
		cmocka_unit_test(what_is_no_name_is_refused_with_its_line),
		cmocka_unit_test(lines_that_are_not_understood_name_nothing),
		cmocka_unit_test(a_map_that_is_not_there_is_an_error),
		cmocka_unit_test(a_map_of_a_site_loads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
