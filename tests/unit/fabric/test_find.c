/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ibcheck/names.h>

#include "base/arena.h"
#include "mkfab.h"

#define FIRST_DIRECTOR 0x100 /* GUIDs; LIDs, too */

/* Managed and unmanaged switches, a director, hosts with one HCA and with two. */
static struct mkfab mk_site(void)
{
	struct mkfab m = mkfab();

	mk_switch(m, 0x11, "MF0;leaf01:MQM8700/U1", 4);
	mk_switch(m, 0x12, "MF0;spine02:MQM8700/U1", 4);
	mk_switch(m, 0x13, "old switch", 4);
	mk_switch(m, FIRST_DIRECTOR, "MF0;core1:CS7500/L05/U1", 4)->system_guid = 0x1ff00000000;
	mk_switch(m, FIRST_DIRECTOR + 1, "MF0;core1:CS7500/S01/U2", 4)->system_guid = 0x1ff00000000;
	mk_ca(m, 0x1200000021, "node17 mlx5_0", 1);
	mk_ca(m, 0x1200000031, "node17 mlx5_1", 1);
	mk_ca(m, 0x1200000041, "node18.cluster.site HCA-1", 2);
	mk_ca(m, 0x1200000051, "19 mlx5_0", 1);
	cable(m, 0x11, 1, 0x1200000021, 1);
	cable(m, 0x11, 2, 0x1200000031, 1);
	cable(m, 0x11, 3, 0x1200000041, 1);
	cable(m, 0x12, 3, 0x1200000041, 2);
	cable(m, 0x12, 1, 0x1200000051, 1);
	return m;
}

/* "17, 31/2": GUIDs of what was found, and ports; else the sentence of the error. */
static const char *found_in(const struct ibc_fabric *fab, const char *text)
{
	static char out[2000];
	struct ibc_error err = { "" };
	struct ibc_place *places;
	size_t n, at = 0;
	int rc = ibc_fabric_find(fab, text, &places, &n, &err);

	if (rc) {
		assert_null(places);
		assert_int_equal(n, 0);
		assert_true(rc == -ENOENT || rc == -EEXIST);
		snprintf(out, sizeof(out), "%s", err.text);
		return out;
	}
	for (size_t i = 0; i < n; i++) {
		at += (size_t)snprintf(out + at, sizeof(out) - at, "%s%llx", i ? ", " : "",
		                       (unsigned long long)places[i].node->guid & 0xffffffff);
		if (places[i].port)
			at += (size_t)snprintf(out + at, sizeof(out) - at, "/%u", places[i].port);
	}
	free(places);
	return out;
}

struct found {
	const char *text, *found;
};

static void expect_found(struct mkfab m, const struct found *cases, size_t n)
{
	struct ibc_fabric *fab = done(m);

	for (size_t i = 0; i < n; i++)
		assert_string_equal(found_in(fab, cases[i].text), cases[i].found);
	ibc_fabric_free(fab);
}
#define EXPECT_FOUND(m, ...)                                                                       \
	expect_found(m, (const struct found[]){ __VA_ARGS__ },                                     \
	             sizeof((const struct found[]){ __VA_ARGS__ }) / sizeof(struct found))

static void a_switch_is_found_by_each_form_of_its_name(void **state)
{
	(void)state;
	EXPECT_FOUND(mk_site(), { "MF0;spine02:MQM8700/U1", "12" }, { "spine02", "12" },
	             { "SPINE02", "12" }, { "spine02.site", "12" },
	             { "mf0;spine02:mqm8700/u1", "12" }, { "spine02/U1", "12" },
	             { "old switch", "13" }, { "OLD  Switch", "13" });
}

static void the_chips_of_a_director_have_names_of_their_own(void **state)
{
	(void)state;
	EXPECT_FOUND(mk_site(), { "core1 L05/U1", "100" }, { "core1/L05", "100" },
	             { "Core1/l05/U1", "100" }, { "core1 S01/U2", "101" },
	             { "core1/S01/U2", "101" }, { "core1 L05/U1/3", "100/3" },
	             { "core1/S01/U2/4", "101/4" });
}

static void a_host_is_one_thing_with_all_its_hcas(void **state)
{
	(void)state;
	EXPECT_FOUND(mk_site(), { "node17", "21, 31" }, { "NODE17", "21, 31" },
	             { "node17.cluster.site", "21, 31" }, { "node18.cluster.site", "41" },
	             { "node18", "41" });
}

static void a_domain_has_to_be_the_same_where_both_have_one(void **state)
{
	(void)state;
	EXPECT_FOUND(mk_site(),
	             { "node18.other.site",
	               "no node or port has the name or LID node18.other.site; did you mean "
	               "node18.cluster.site?" });
}

static void an_hca_is_found_by_its_host_and_device(void **state)
{
	(void)state;
	EXPECT_FOUND(mk_site(), { "node17 mlx5_1", "31" }, { "node17 HCA-2", "31" },
	             { "node17/mlx5_1", "31" }, { "node18 mlx5_0", "41" },
	             { "node18 mlx5_0/2", "41/2" }, { "node17 mlx5_1/1", "31/1" });
}

static void a_guid_is_that_of_a_node_a_system_or_a_port(void **state)
{
	(void)state;
	EXPECT_FOUND(mk_site(), { "0x0000001200000031", "31" }, { "0x1200000031", "31" },
	             { "0X1200000031/1", "31/1" }, { "0x1200000043", "41/2" },
	             { "0x1ff00000000", "100, 101" }, { "0x11", "11" },
	             { "0x00000012000000[23]1", "21, 31" },
	             { "0x1200000099", "no node or port has the GUID 0x1200000099" });
}

static void a_lid_is_a_number_unless_a_node_has_that_name(void **state)
{
	(void)state;
	EXPECT_FOUND(mk_site(), { "17", "11" }, { "0x12", "12" }, { "33", "21/1" },
	             { "17/3", "11/3" }, { "19", "51" },
	             { "99", "no node or port has the name or LID 99; did you mean 19?" });
}

static void a_lid_of_two_subnets_is_ambiguous(void **state)
{
	struct mkfab m = mkfab(), second = mk_subnet(m, "second");

	(void)state;
	mk_switch(m, 0x10011, "a", 1);
	mk_switch(second, 0x20011, "b", 1);
	EXPECT_FOUND(m, { "17", "17 matches 2 nodes: a (0x0000000000010011), b "
	                        "(0x0000000000020011); use the GUID" });
}

static void ports_are_numbers_behind_a_slash(void **state)
{
	(void)state;
	EXPECT_FOUND(
	    mk_site(), { "leaf01/3", "11/3" }, { "MF0;leaf01:MQM8700/U1/3", "11/3" },
	    { "leaf01/0", "11" }, { "LEAF01.site/3", "11/3" }, { "node18.cluster.site/2", "41/2" },
	    { "node18/2", "41/2" }, { "leaf01/5", "leaf01 has no port 5, it has 4" },
	    { "LEAF01/x", "leaf01 has no port x, it has 4" },
	    { "leaf01/", "no node or port has the name or LID leaf01/; did you mean leaf01?" });
}

static void ports_are_found_by_what_is_written_beside_them(void **state)
{
	struct mkfab m = mkfab();

	(void)state;
	mk_switch(m, 1, "leaf07", 4);
	port_extra(port(m, 1, 2))->label = "1/2";
	port_extra(port(m, 1, 3))->label = "2/1";
	mk_switch(m, 2, "twin", 4);
	mk_switch(m, 3, "twin", 4);
	EXPECT_FOUND(m, { "leaf07/1/2", "1/2" }, { "LEAF07 2/1", "1/3" }, { "leaf07/2", "1/2" },
	             { "leaf07/2 (1/2)", "1/2" }, { "leaf07/?/1", "1/3" },
	             { "twin (0x0000000000000002)", "2" },
	             { "twin (0x0000000000000003)/4 (2/2)", "3/4" },
	             { "leaf07 3", "no node or port has the name or LID leaf07 3; did you mean "
	                           "leaf07?" });
}

static void a_port_of_a_host_with_two_hcas_is_ambiguous(void **state)
{
	(void)state;
	EXPECT_FOUND(mk_site(), { "node17/1",
	                          "node17/1 matches 2 ports: node17 mlx5_0/1 (0x0000001200000021), "
	                          "node17 mlx5_1/1 (0x0000001200000031); use the GUID, as in "
	                          "GUID/PORT" });
}

static void wildcards_may_find_many(void **state)
{
	(void)state;
	EXPECT_FOUND(mk_site(), { "leaf*", "11" }, { "node17*", "21, 31" },
	             { "NODE1[78]*", "21, 31, 41" }, { "node1?", "21, 31, 41" },
	             { "*mlx5_0", "21, 51" }, { "core1 *", "100, 101" }, { "leaf*/1", "11/1" },
	             { "*[fe]0?/[12]", "11/1, 11/2, 12/1, 12/2" },
	             { "leaf01/*", "11/1, 11/2, 11/3, 11/4" },
	             { "rack*", "no node or port has the name or LID rack*" });
}

static void brackets_of_a_name_are_no_wildcards_in_it(void **state)
{
	struct mkfab m = mkfab();

	(void)state;
	mk_switch(m, 1, "leaf[1]", 1);
	mk_switch(m, 2, "leaf1", 1);
	EXPECT_FOUND(m, { "leaf[1]", "1" }, { "leaf[12]", "2" });
}

static void the_closest_name_is_meant(void **state)
{
	struct mkfab m = mkfab();

	(void)state;
	mk_switch(m, 1, "MF0;leaf01:MQM8700/U1", 1);
	mk_switch(m, 2, "leaf01", 1);
	mk_switch(m, 3, "LEAF02", 1);
	mk_switch(m, 4, "leaf02", 1);
	mk_switch(m, 5, "spine 2/1", 1);
	mk_switch(m, 6, "spine 2", 1);
	mk_switch(m, 7, "behind the map", 1);
	fabric_build_name(m.b, 7, "rack 4");
	mk_switch(m, 8, "RACK 4", 1);
	EXPECT_FOUND(m, { "leaf01", "2" }, { "leaf02", "4" }, { "LEAF02", "3" },
	             { "Leaf02", "Leaf02 matches 2 nodes: LEAF02 (0x0000000000000003), leaf02 "
	                         "(0x0000000000000004); use the GUID" },
	             { "spine 2/1", "5" }, { "rack 4", "7" }, { "behind the map", "7" });
}

static void nodes_of_one_name_are_listed_up_to_five(void **state)
{
	struct mkfab m = mkfab();

	(void)state;
	for (unsigned int i = 1; i <= 6; i++)
		mk_switch(m, i, "twin", 1);
	EXPECT_FOUND(m, { "twin", "twin matches 6 nodes: twin (0x0000000000000001), twin "
	                          "(0x0000000000000002), twin (0x0000000000000003), twin "
	                          "(0x0000000000000004), twin (0x0000000000000005), ...; use the "
	                          "GUID" });
}

static void a_node_in_two_subnets_is_one(void **state)
{
	struct mkfab m = mkfab(), second = mk_subnet(m, "second");

	(void)state;
	mk_ca(m, 0x1200000021, "node17 mlx5_0", 2);
	mk_ca(second, 0x1200000021, "node17 mlx5_0", 2);
	EXPECT_FOUND(m, { "node17 mlx5_0", "21, 21" }, { "0x1200000021", "21, 21" },
	             { "node17/2", "21/2, 21/2" });
}

static void what_is_mistyped_has_neighbours(void **state)
{
	(void)state;
	EXPECT_FOUND(
	    mk_site(),
	    { "spien02", "no node or port has the name or LID spien02; did you mean spine02?" },
	    { "spin02", "no node or port has the name or LID spin02; did you mean spine02?" },
	    { "laef01/3", "no node or port has the name or LID laef01/3; did you mean leaf01?" },
	    { "leaf0/3", "no node or port has the name or LID leaf0/3; did you mean leaf01?" },
	    { "0x1200000022x", "no node or port has the GUID 0x1200000022x" });
}

static void out_of_memory_is_an_error(void **state)
{
	struct ibc_fabric *fab = done(mk_site());
	struct ibc_place *places;
	int rc = -ENOMEM;
	size_t n;

	(void)state;
	for (unsigned long i = 1; rc; i++) {
		alloc_fail_at(i);
		rc = ibc_fabric_find(fab, "NODE17 MLX5_1/1", &places, &n, NULL);
		alloc_fail_at(0);
		assert_true(!rc || rc == -ENOMEM);
		assert_true(!rc || !places);
	}
	free(places);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_switch_is_found_by_each_form_of_its_name),
		cmocka_unit_test(the_chips_of_a_director_have_names_of_their_own),
		cmocka_unit_test(a_host_is_one_thing_with_all_its_hcas),
		cmocka_unit_test(a_domain_has_to_be_the_same_where_both_have_one),
		cmocka_unit_test(an_hca_is_found_by_its_host_and_device),
		cmocka_unit_test(a_guid_is_that_of_a_node_a_system_or_a_port),
		cmocka_unit_test(a_lid_is_a_number_unless_a_node_has_that_name),
		cmocka_unit_test(a_lid_of_two_subnets_is_ambiguous),
		cmocka_unit_test(ports_are_numbers_behind_a_slash),
		cmocka_unit_test(ports_are_found_by_what_is_written_beside_them),
		cmocka_unit_test(a_port_of_a_host_with_two_hcas_is_ambiguous),
		cmocka_unit_test(wildcards_may_find_many),
		cmocka_unit_test(brackets_of_a_name_are_no_wildcards_in_it),
		cmocka_unit_test(the_closest_name_is_meant),
		cmocka_unit_test(nodes_of_one_name_are_listed_up_to_five),
		cmocka_unit_test(a_node_in_two_subnets_is_one),
		cmocka_unit_test(what_is_mistyped_has_neighbours),
		cmocka_unit_test(out_of_memory_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
