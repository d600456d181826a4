/* SPDX-License-Identifier: BSD-2-Clause */
/* Service levels of paths, from a file. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mkfab.h"
#include "mkfile.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A switch with three hosts, of which the last has two ports. */
static struct mkfab hosts(void)
{
	struct mkfab m = mkfab();

	mk_switch(m, 0x10, "leaf01", 4);
	mk_ca(m, 0x21, "host01 mlx5_0", 1);
	mk_ca(m, 0x22, "host02 mlx5_0", 1);
	mk_ca(m, 0x23, "host03 mlx5_0", 2);
	cable(m, 0x10, 1, 0x21, 1);
	cable(m, 0x10, 2, 0x22, 1);
	cable(m, 0x10, 3, 0x23, 1);
	cable(m, 0x10, 4, 0x23, 2);
	port(m, 0x23, 2)->lid = 0x24;
	return m;
}

static int read_text(struct mkfab m, const char *text, struct ibc_error *err)
{
	struct text_file *f;
	int rc = text_open_bytes("paths", text, strlen(text), &f, err);

	if (rc)
		return rc;
	rc = read_paths(f, m.b, err);
	if (rc)
		rc = text_verdict(f, rc, err);
	text_close(f);
	return rc;
}

static void paths_are_read_in_any_order_and_sorted(void **state)
{
	static const struct ibc_path_sl want[] = {
		{ 0x22, 0x21, 15 }, { 0x23, 0x21, 4 }, { 0x24, 0x21, 4 }, { 0x21, 0x22, 3 }
	};
	struct mkfab m = hosts();
	const struct ibc_sa *sa;
	struct ibc_fabric *fab;

	(void)state;
	assert_int_equal(read_text(m,
	                           "# sender, to, level\n"
	                           "0x21 34 3\n\n"
	                           "  0x0000000000000022\t0x21  15\n"
	                           "0x23 33 4 \n"
	                           "0x99 33 4\n"
	                           "0x21 34 3\n",
	                           NULL),
	                 0);
	fab = done(m);
	sa = ibc_fabric_subnet(fab, 0)->sa;
	assert_int_equal(sa->num_paths, COUNT(want));
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_int_equal(sa->paths[i].slid, want[i].slid);
		assert_int_equal(sa->paths[i].dlid, want[i].dlid);
		assert_int_equal(sa->paths[i].sl, want[i].sl);
	}
	assert_string_equal(sa->paths_file, "paths");
	ibc_fabric_free(fab);
}

static void what_else_was_told_stays(void **state)
{
	static const struct ibc_path_sl old[] = { { 1, 2, 3 } };
	static struct ibc_sa was = {
		.latency_us = 71,
		.paths = old,
		.num_paths = 1,
		.cut_short = IBC_ATTRS(IBC_ATTR_PATH_RECORD, IBC_ATTR_MC_MEMBER_RECORD),
	};
	struct mkfab m = hosts();
	const struct ibc_sa *sa;
	struct ibc_fabric *fab;

	(void)state;
	m.subnet->sa = &was;
	assert_int_equal(read_text(m, "0x21 34 3\n", NULL), 0);
	fab = done(m);
	sa = ibc_fabric_subnet(fab, 0)->sa;
	assert_int_equal(sa->latency_us, 71);
	assert_attrs(sa->cut_short, IBC_ATTR_MC_MEMBER_RECORD);
	assert_int_equal(sa->num_paths, 1);
	assert_int_equal(sa->paths[0].sl, 3);
	ibc_fabric_free(fab);
}

#define EXPECTED                                                                                   \
	"expected the node GUID of the sender, the LID of the receiver (1 .. 49151) and a "        \
	"service level (0 .. 15)"

static void what_is_no_path_is_refused_with_its_line(void **state)
{
	static const struct {
		const char *text, *why;
	} files[] = {
		{ "", "paths contains no service levels of paths" },
		{ "0x21\n", "paths:1: " EXPECTED },
		{ "0x21 34\n", "paths:1: " EXPECTED },
		{ "0x21 34 \n", "paths:1: " EXPECTED },
		{ "0x21 34 3 4\n", "paths:1: " EXPECTED },
		{ "#\n0x21 34 16\n", "paths:2: " EXPECTED },
		{ "0x21 0 3\n", "paths:1: " EXPECTED },
		{ "0x21 49152 3\n", "paths:1: " EXPECTED },
		{ "leaf01 34 3\n", "paths:1: " EXPECTED },
		{ "0x21 34 3\n0x21 34 4\n",
		  "paths: the path from LID 33 to LID 34 has two service levels: neither is used" },
		{ "0x98 34 3\n0x99 34 4\n",
		  "paths is of another fabric: no sender is in this one (the first is "
		  "0x0000000000000098)" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++) {
		struct ibc_error err = { "" };
		struct mkfab m = hosts();

		assert_int_equal(read_text(m, files[i].text, &err), -EINVAL);
		assert_string_equal(err.text, files[i].why);
		fabric_build_free(m.b);
	}
}

/* What is left is read; of a path with two levels none is known. */
static void lines_not_understood_are_lost_alone(void **state)
{
	struct mkfab m = hosts();
	const struct ibc_sa *sa;
	struct ibc_fabric *fab;

	(void)state;
	assert_int_equal(
	    read_text(m, "0x21 34 3\nrubbish\n0x22 33 1\n0x21 34 4\n0x21 34 4\n", NULL), 0);
	fab = done(m);
	sa = ibc_fabric_subnet(fab, 0)->sa;
	assert_int_equal(sa->num_paths, 1);
	assert_int_equal(sa->paths[0].sl, 1);
	ibc_fabric_free(fab);
}

static void of_several_subnets_none_is_guessed(void **state)
{
	struct ibc_error err = { "" };
	struct mkfab m = mk_subnet(hosts(), "other");

	(void)state;
	assert_int_equal(read_text(m, "0x21 34 3\n", &err), -EINVAL);
	assert_string_equal(err.text,
	                    "paths: the paths are of one subnet, but this fabric has several");
	fabric_build_free(m.b);
}

static void every_allocation_may_fail(void **state)
{
	unsigned long n = 0;
	int rc;

	(void)state;
	do {
		struct mkfab m = hosts();

		alloc_fail_at(++n);
		rc = read_text(m, "0x21 34 3\n0x22 33 4\n", NULL);
		alloc_fail_at(0);
		fabric_build_free(m.b);
	} while (rc == -ENOMEM);
	assert_int_equal(rc, 0);
	assert_true(n > 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_read_in_any_order_and_sorted),
		cmocka_unit_test(what_else_was_told_stays),
		cmocka_unit_test(what_is_no_path_is_refused_with_its_line),
		cmocka_unit_test(lines_not_understood_are_lost_alone),
		cmocka_unit_test(of_several_subnets_none_is_guessed),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
