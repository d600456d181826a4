/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <ibcheck/hostlist.h>

#include "base/arena.h"
#include "base/array.h"
#include "source/source.h"

#define NAMES_MAX 200

/* What ClusterShell, Slurm and pdsh expand to the same names. */
static const struct {
	const char *names, *folded;
} vectors[] = {
	{ "node3,node1,node2", "node[1-3]" },
	{ "node08,node09,node10,node100", "node[08-10,100]" },
	{ "node01,node1", "node[1,01]" },
	{ "node98,node99,node100", "node[98-100]" },
	{ "node009,node010,node9", "node[9,009-010]" },
	{ "n0,n00,n000", "n[0,00,000]" },
	{ "node09,node10", "node[09-10]" },
	{ "n01,n02,n3", "n[3,01-02]" },
	{ "n08,n9,n010", "n[9,08,010]" },
	{ "n1,n01,n001,n2,n02", "n[1-2,01-02,001]" },
	{ "n099,n100,n101", "n[099-101]" },
	{ "n99,n0100", "n[99,0100]" },
	{ "r1n1,r1n2,r2n1", "r1n[1-2],r2n1" },
	{ "r1n1,r2n1,r2n2", "r1n1,r2n[1-2]" },
	{ "nid000001,nid000002,nid001000", "nid[000001-000002,001000]" },
	{ "10.0.0.1,10.0.0.2,10.0.1.1", "10.0.0.[1-2],10.0.1.1" },
	{ "1,2,3", "[1-3]" },
	{ "b,a,a", "a,b" },
	{ "n1,m1,n2", "m1,n[1-2]" },
	{ "n5-ib0,n6-ib0", "n5-ib0,n6-ib0" },
	{ "node1.example.com,node2.example.com", "node1.example.com,node2.example.com" },
	{ "n,n1,n0", "n,n[0-1]" },
	{ "x18446744073709551616,x18446744073709551617",
	  "x18446744073709551616,x18446744073709551617" },
	{ "x999999999999999998,x999999999999999999", "x[999999999999999998-999999999999999999]" },
	{ "", "" },
};

static char *fold_text(const char *text)
{
	char *copy = strdup(text), *rest = copy, *name, *folded;
	const char *names[NAMES_MAX];
	size_t n = 0;

	for (; (name = strtok_r(n ? NULL : copy, ",", &rest)); n++)
		names[n] = name;
	folded = ibc_hostlist_fold(names, n);
	assert_non_null(folded);
	free(copy);
	return folded;
}

static void names_are_folded_as_the_tools_of_clusters_read_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		char *folded = fold_text(vectors[i].names);

		assert_string_equal(folded, vectors[i].folded);
		free(folded);
	}
}

/* The names with commas between them, or the sentence of the error. */
static const char *parsed(const char *text)
{
	static char out[4096];
	struct ibc_error err = { "" };
	struct ibc_hostlist *list;
	int rc = ibc_hostlist_parse(text, &list, &err);

	if (rc) {
		assert_int_equal(rc, -EINVAL);
		assert_null(list);
		snprintf(out, sizeof(out), "%s", err.text);
		return out;
	}
	out[0] = '\0';
	for (size_t i = 0; i < list->num; i++)
		snprintf(out + strlen(out), sizeof(out) - strlen(out), "%s%s", i ? "," : "",
		         list->names[i]);
	ibc_hostlist_free(list);
	return out;
}

static void what_was_folded_is_read_again(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		char *folded;

		if (!*vectors[i].folded)
			continue;
		folded = fold_text(parsed(vectors[i].folded));
		assert_string_equal(folded, vectors[i].folded);
		free(folded);
	}
}

static void lists_are_read_as_people_write_them(void **state)
{
	static const struct {
		const char *list, *names;
	} cases[] = {
		{ "n[1-3,5]", "n1,n2,n3,n5" },
		{ "n[1-10/3]", "n1,n4,n7,n10" },
		{ "n[1-2]-ib[0-1]", "n1-ib0,n1-ib1,n2-ib0,n2-ib1" },
		{ "n[01-02]3", "n013,n023" },
		{ " n2 , n1\n", "n1,n2" },
		{ "n[1,1],n1", "n1" },
		{ "n[0-2]", "n0,n1,n2" },
		{ "n[9-11]", "n9,n10,n11" },
		{ "[1-2]", "1,2" },
		{ "n[08-10].site", "n08.site,n09.site,n10.site" },
		{ "x18446744073709551616", "x18446744073709551616" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(parsed(cases[i].list), cases[i].names);
}

static void what_the_tools_read_in_different_ways_is_refused(void **state)
{
	static const struct {
		const char *list, *error;
	} cases[] = {
		{ "n[3-1]", "column 3: a range that runs backwards" },
		{ "n[]", "column 3: expected a number, as in n[1-3,5]" },
		{ "n[1,]", "column 5: expected a number, as in n[1-3,5]" },
		{ "a,n[1", "column 4: a [ without its ]" },
		{ "n[a-c]", "column 3: expected a number, as in n[1-3,5]" },
		{ "n[1-2-3]", "column 6: expected a number, as in n[1-3,5]" },
		{ "n[8-010]", "column 3: the ends of a range are padded to different lengths" },
		{ "n[001-3]", "column 3: the ends of a range are padded to different lengths" },
		{ "n[00-100]", "column 3: the ends of a range are padded to different lengths" },
		{ "n[1-2][1-2]", "column 7: brackets side by side" },
		{ "n1,,n2", "column 4: a name is missing" },
		{ "n1,", "column 4: a name is missing" },
		{ "", "column 1: a name is missing" },
		{ "n1 n2", "column 3: a blank inside a name: put commas between names" },
		{ "n]", "column 2: a ] without its [" },
		{ "n[1-9/0]", "column 7: a step of 0" },
		{ "n[1-9999999]", "column 13: more than 262144 hosts" },
		{ "n[1-1000000000000000000]", "column 5: a number of more than 18 digits" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *error = parsed(cases[i].list);

		assert_memory_equal(error, "host list, ", strlen("host list, "));
		assert_string_equal(error + strlen("host list, "), cases[i].error);
	}
}

static void groups_and_operators_are_left_to_nodeset(void **state)
{
	static const char *const lists[] = { "a!b", "a&b", "a^b", "@compute", "n*", "n?" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		assert_non_null(strstr(parsed(lists[i]), "nodeset -e"));
}

static void a_name_that_no_host_has_is_refused(void **state)
{
	char list[600];

	(void)state;
	memset(list, 'n', sizeof(list) - 1);
	list[sizeof(list) - 1] = '\0';
	assert_non_null(strstr(parsed(list), "column 256: a name of more than 255"));
	for (size_t i = 0; i + 4 < sizeof(list); i += 4)
		memcpy(list + i, "[1]n", 5);
	assert_non_null(strstr(parsed(list), "a name of more than 255"));
}

static void without_memory_there_is_no_list(void **state)
{
	static const char *const names[] = { "n1", "n2" };
	struct ibc_hostlist *list;
	unsigned long n = 0;
	char *text = NULL;
	int rc;

	(void)state;
	do {
		alloc_fail_at(++n);
		rc = ibc_hostlist_parse("n[1-20]", &list, NULL);
		alloc_fail_at(0);
		assert_true(rc ? rc == -ENOMEM && !list : list->num == 20);
	} while (rc);
	ibc_hostlist_free(list);
	for (n = 0; !text;) {
		alloc_fail_at(++n);
		text = ibc_hostlist_fold(names, 2);
		alloc_fail_at(0);
	}
	assert_int_equal(n, 5);
	free(text);
}

/* The names of a file with commas between, or the sentence of the error. */
static const char *hosts_of(const char *text)
{
	static char out[1024];
	struct ibc_error err = { "" };
	struct ibc_hostlist *list;
	struct text_file *f;

	assert_int_equal(text_open_bytes("hosts", text, strlen(text), &f, &err), 0);
	out[0] = '\0';
	if (read_hostfile(f, &list, &err))
		snprintf(out, sizeof(out), "%s", err.text);
	for (size_t i = 0; list && i < list->num; i++)
		snprintf(out + strlen(out), sizeof(out) - strlen(out), "%s%s", i ? "," : "",
		         list->names[i]);
	ibc_hostlist_free(list);
	text_close(f);
	return out;
}

static void a_file_has_a_list_on_each_line(void **state)
{
	(void)state;
	assert_string_equal(hosts_of("n2\nn1\n"), "n1,n2");
	assert_string_equal(hosts_of("n1"), "n1");
	assert_string_equal(hosts_of("# all of them\nn[1-2,4]\r\n\n \t\n m1 , n3 # late\n"),
	                    "m1,n1,n2,n3,n4");
	assert_string_equal(hosts_of("n1,n1\nn1\n"), "n1");
	assert_string_equal(hosts_of(""), "there is no host in hosts");
	assert_string_equal(hosts_of("# none\n\n"), "there is no host in hosts");
	assert_string_equal(hosts_of("n1\nn[2\n"),
	                    "hosts: line 2: host list, column 2: a [ without its ]");
	assert_string_equal(hosts_of("n1 n2\n"),
	                    "hosts: line 1: host list, column 3: a blank inside "
	                    "a name: put commas between names");
}

static void lists_and_files_are_joined(void **state)
{
	const char *lists[] = { "n[5-6]", NULL, "n1" };
	char path[] = "/tmp/ibcheck-test-XXXXXX", at[64];
	struct ibc_hostlist *list;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "n[1-2]\n", 7), 7);
	close(fd);
	snprintf(at, sizeof(at), "@%s", path);
	lists[1] = at;
	assert_int_equal(ibc_hostlist_read(lists, 3, &list, NULL), 0);
	assert_int_equal(list->num, 4);
	assert_string_equal(list->names[3], "n6");
	ibc_hostlist_free(list);
	unlink(path);
	assert_int_equal(ibc_hostlist_read(lists, 3, &list, NULL), -ENOENT);
	assert_null(list);
	assert_int_equal(ibc_hostlist_read(lists, 0, &list, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_folded_as_the_tools_of_clusters_read_them),
		cmocka_unit_test(what_was_folded_is_read_again),
		cmocka_unit_test(lists_are_read_as_people_write_them),
		cmocka_unit_test(what_the_tools_read_in_different_ways_is_refused),
		cmocka_unit_test(groups_and_operators_are_left_to_nodeset),
		cmocka_unit_test(a_name_that_no_host_has_is_refused),
		cmocka_unit_test(without_memory_there_is_no_list),
		cmocka_unit_test(a_file_has_a_list_on_each_line),
		cmocka_unit_test(lists_and_files_are_joined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
