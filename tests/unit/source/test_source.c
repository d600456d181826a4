/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkfile.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SYNTH        "synth:fattree:leaves=2,spines=2,hosts=2"

static int load(const char *spec, struct ibc_fabric **out, struct ibc_error *err)
{
	return ibc_fabric_load(&spec, 1, NULL, out, err);
}

static void a_source_must_be_named(void **state)
{
	struct ibc_error err = { "" };
	struct ibc_fabric *fab;

	(void)state;
	assert_int_equal(ibc_fabric_load(NULL, 0, NULL, &fab, &err), -EINVAL);
	assert_string_equal(err.text, "no source of the fabric is given");
}

static void the_word_of_a_source_is_not_a_file(void **state)
{
	struct ibc_error err = { "" };
	struct ibc_fabric *fab;

	(void)state;
	assert_int_equal(load("synth:", &fab, &err), -EINVAL);
	assert_int_equal(strncmp(err.text, "synth", 5), 0);
	assert_int_equal(load("umad:x:y:z", &fab, &err), -EINVAL);
	/* but what only begins like it is one */
	assert_int_equal(load("synthetic.net", &fab, &err), -ENOENT);
	assert_string_equal(err.text, "cannot open synthetic.net: No such file or directory");
}

static void several_sources_are_several_subnets_of_one_fabric(void **state)
{
	static const char net[] =
	    "Switch 2 \"S-0000000000000010\" # \"sw\"\n"
	    "[1] \"H-0000000000000020\"[1](21) # \"host1 HCA-1\" lid 2 4xEDR\n";
	char *dir = make_dir(), *path = make_file(dir, "a.net", net, strlen(net));
	const char *const specs[] = { SYNTH, path };
	struct ibc_fabric *fab = NULL;

	(void)state;
	assert_int_equal(ibc_fabric_load(specs, 2, NULL, &fab, NULL), 0);
	assert_int_equal(ibc_fabric_count(fab).subnets, 2);
	assert_string_equal(ibc_fabric_subnet(fab, 0)->kind, "synth");
	assert_string_equal(ibc_fabric_subnet(fab, 1)->kind, "netdiscover");
	assert_string_equal(ibc_fabric_subnet(fab, 1)->source, path);
	ibc_fabric_free(fab);
	drop_file(path);
	drop_dir(dir);
}

static void the_first_source_that_fails_ends_it(void **state)
{
	const char *const specs[] = { SYNTH, "/nonexistent" };
	struct ibc_error err = { "" };
	struct ibc_fabric *fab = NULL;

	(void)state;
	assert_int_equal(ibc_fabric_load(specs, 2, NULL, &fab, &err), -ENOENT);
	assert_null(fab);
}

static void formats_are_told_from_the_content_not_the_name(void **state)
{
	static const char *const formats[] = { "netdiscover",     "netdiscover.gz", "snapshot.zst",
		                               "netdiscover.zst", "snapshot",       "snapshot.gz",
		                               "cables",          "cables.gz",      "topo",
		                               "topo.zst" };
	char *dir = make_dir();
	struct ibc_fabric *fab = NULL;

	(void)state;
	assert_int_equal(load(SYNTH, &fab, NULL), 0);
	for (size_t i = 0; i < COUNT(formats); i++) {
		struct ibc_fabric *again = NULL;
		size_t n;
		char *bytes = bytes_of(fab, formats[i], &n);
		char *path = make_file(dir, "fabric", bytes, n);

		assert_int_equal(load(path, &again, NULL), 0);
		assert_int_equal(ibc_fabric_count(again).cables, ibc_fabric_count(fab).cables);
		assert_memory_equal(ibc_fabric_subnet(again, 0)->kind, formats[i],
		                    strcspn(formats[i], "."));
		ibc_fabric_free(again);
		free(bytes);
		drop_file(path);
	}
	ibc_fabric_free(fab);
	drop_dir(dir);
}

static void a_letter_in_front_does_not_hide_the_format(void **state)
{
	static const char net[] =
	    "Dear all,\nThe Switch and vendid are below\nChassis 1, do it = [x]\n"
	    "\tSwitch\t1 \"S-0000000000000010\" # \"sw\"\n";
	char *dir = make_dir(), *path = make_file(dir, "x", net, strlen(net));
	struct ibc_fabric *fab = NULL;

	(void)state;
	assert_int_equal(load(path, &fab, NULL), 0);
	assert_int_equal(ibc_fabric_count(fab).switches, 1);
	ibc_fabric_free(fab);
	drop_file(path);
	drop_dir(dir);
}

static void what_is_no_fabric_is_refused_with_a_sentence(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *why;
	} files[] = {
		{ "", 0, " is empty" },
		{ "\xef\xbb\xbf\n \t\n", 7, " is empty" },
		{ "\n# a\n\n  # b", 10, " contains only comments" },
		{ "# a\nDear all,\n", 14, " is neither a trace of ibcheck --record, a snapshot" },
		{ "\n{}\n", 4, ":1:0: not valid JSON: " },
		{ "{}\n", 3, ":1: JSON, but not a snapshot of ibcheck" },
		{ "a\0b", 3, ":1: contains a NUL byte: this is not a text file" },
		{ "\177ELF\2\1", 6, " is a program: it must be text, plain or in gzip or zstd" },
	};
	char *dir = make_dir();

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++) {
		char *path = make_file(dir, "x", files[i].bytes, files[i].n);
		struct ibc_error err = { "" };
		struct ibc_fabric *fab;

		assert_int_equal(load(path, &fab, &err), -EINVAL);
		assert_int_equal(strncmp(err.text, path, strlen(path)), 0);
		assert_int_equal(
		    strncmp(err.text + strlen(path), files[i].why, strlen(files[i].why)), 0);
		drop_file(path);
	}
	drop_dir(dir);
}

static void a_line_that_is_too_long_is_no_empty_file(void **state)
{
	const size_t n = 5000000;
	char *dir = make_dir(), *bytes = malloc(n), *path;
	struct ibc_error err = { "" };
	struct ibc_fabric *fab;

	(void)state;
	memset(bytes, '[', n);
	path = make_file(dir, "x", bytes, n);
	assert_int_equal(load(path, &fab, &err), -EINVAL);
	assert_non_null(strstr(err.text, " has a line that is too long to be one"));
	drop_file(path);
	drop_dir(dir);
	free(bytes);
}

/* As many as a program may have to say of a subnet's devices, and no more: then no line is read. */
static void a_format_is_looked_for_in_so_many_lines(void **state)
{
	static const char net[] = "Switch 2 \"S-0000000000000010\" # \"sw\"\n";
	static const char *const fillers[] = { "#\n", "\n", "ibwarn: [7] no answer\n" };
	char *dir = make_dir(), *bytes = malloc(200001 * 32);

	(void)state;
	for (size_t i = 0; i < 2 * COUNT(fillers); i++) {
		const char *filler = fillers[i / 2];
		const size_t lines = i % 2 ? 200000 : 199999, length = strlen(filler);
		struct ibc_error err = { "" };
		struct ibc_fabric *fab = NULL;
		char *path;

		for (size_t k = 0; k < lines; k++)
			memcpy(bytes + k * length, filler, length);
		memcpy(bytes + lines * length, net, strlen(net));
		path = make_file(dir, "x", bytes, lines * length + strlen(net));
		assert_int_equal(load(path, &fab, &err), i % 2 ? -EINVAL : 0);
		assert_int_equal(strstr(err.text, " is neither a trace of ibcheck") != NULL, i % 2);
		ibc_fabric_free(fab);
		drop_file(path);
	}
	drop_dir(dir);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_source_must_be_named),
		cmocka_unit_test(the_word_of_a_source_is_not_a_file),
		cmocka_unit_test(several_sources_are_several_subnets_of_one_fabric),
		cmocka_unit_test(the_first_source_that_fails_ends_it),
		cmocka_unit_test(formats_are_told_from_the_content_not_the_name),
		cmocka_unit_test(a_letter_in_front_does_not_hide_the_format),
		cmocka_unit_test(what_is_no_fabric_is_refused_with_a_sentence),
		cmocka_unit_test(a_line_that_is_too_long_is_no_empty_file),
		cmocka_unit_test(a_format_is_looked_for_in_so_many_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
