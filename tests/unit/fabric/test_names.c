/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/called.h"
#include "mkfab.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void a_label_is_the_name_where_that_is_unique(void **state)
{
	struct mkfab m = mkfab(), second = mk_subnet(m, "second");
	struct ibc_fabric *fab;

	(void)state;
	mk_switch(m, 1, "MF0;leaf01:MQM8700/U1", 1);
	mk_switch(m, 2, "twin", 1);
	mk_switch(m, 3, "twin", 1);
	mk_switch(m, 4, "", 1);
	mk_switch(m, 5, "", 1);
	mk_switch(second, 6, "twin", 1);
	fab = done(m);
	assert_string_equal(ibc_fabric_node(fab, 0)->label, "leaf01");
	assert_string_equal(ibc_fabric_node(fab, 1)->label, "twin (0x0000000000000002)");
	assert_string_equal(ibc_fabric_node(fab, 2)->label, "twin (0x0000000000000003)");
	assert_string_equal(ibc_fabric_node(fab, 3)->label, "0x0000000000000004");
	assert_string_equal(ibc_fabric_node(fab, 4)->label, "0x0000000000000005");
	assert_string_equal(ibc_fabric_node(fab, 5)->label, "twin");
	ibc_fabric_free(fab);
}

static void a_switch_is_called_by_its_system_as_far_as_that_is_unique(void **state)
{
	static const char *const labels[] = {
		"core1 L05/U1",
		"core1 S01/U2",
		"MF0;core2:CS7500/L01/U1",
		"core2 L01/U1",
		"MF0;spine01:MQM8700/U1 (0x0000000000000005)",
		"MF0;spine01:MQM8700/U1 (0x0000000000000006)",
		"MF0;no colon",
		"MF0;host:X/U1",
	};
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;

	(void)state;
	mk_switch(m, 1, "MF0;core1:CS7500/L05/U1", 1);
	mk_switch(m, 2, "MF0;core1:CS7500/S01/U2", 1);
	mk_switch(m, 3, "MF0;core2:CS7500/L01/U1", 1);
	mk_switch(m, 4, "core2 L01/U1", 1);
	mk_switch(m, 5, "MF0;spine01:MQM8700/U1", 1);
	mk_switch(m, 6, "MF0;spine01:MQM8700/U1", 1);
	mk_switch(m, 7, "MF0;no colon", 1);
	mk_ca(m, 8, "MF0;host:X/U1", 1);
	fab = done(m);
	for (size_t i = 0; i < COUNT(labels); i++)
		assert_string_equal(ibc_fabric_node(fab, i)->label, labels[i]);
	ibc_fabric_free(fab);
}

static void nodes_of_one_name_and_guid_still_have_a_label(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;

	(void)state;
	mk_ca(m, 1, "clone", 1);
	mk_ca(m, 1, "clone", 1);
	fab = done(m);
	assert_string_equal(ibc_fabric_node(fab, 0)->label, "clone (0x0000000000000001)");
	assert_string_equal(ibc_fabric_node(fab, 1)->label, "clone (0x0000000000000001)");
	ibc_fabric_free(fab);
}

static void the_name_map_wins_over_the_description(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;

	(void)state;
	fabric_build_name(m.b, 1, "spine01\x1b ");
	fabric_build_name(m.b, 1, "too late");
	fabric_build_name(m.b, 2, "");
	fabric_build_name(m.b, 99, "not in the fabric");
	mk_switch(m, 1, "Quantum Mellanox Technologies", 1);
	mk_switch(m, 2, "leaf01", 1);
	fab = done(m);
	assert_string_equal(ibc_fabric_node(fab, 0)->name, "spine01\xef\xbf\xbd");
	assert_string_equal(ibc_fabric_node(fab, 0)->label, "spine01\xef\xbf\xbd");
	assert_string_equal(ibc_fabric_node(fab, 0)->desc, "Quantum Mellanox Technologies");
	assert_string_equal(ibc_fabric_node(fab, 1)->name, "leaf01");
	ibc_fabric_free(fab);
}

static void the_host_is_what_stands_before_the_name_of_the_hca(void **state)
{
	static const struct {
		const char *desc, *host;
	} cases[] = {
		{ "host01 HCA-1", "host01" },
		{ "host01 HCA-12", "host01" },
		{ "host01 mlx5_0", "host01" },
		{ "host01   mlx4_11", "host01" },
		{ " host01 hfi1_0", "host01" },
		{ "host01.site.org qib0_1", "host01.site.org" },
		{ "host01 ib0", "host01" },
		{ "host01 ibp65s0f1", "host01" },
		{ "host01 ibP2p1s0", "host01" },
		{ "rack 7 node 3 mlx5_0", "rack 7 node 3" },
		{ "host01", "host01" },
		{ "ibstorage", "ibstorage" },
		{ "", NULL },
		{ "mlx5_0", NULL },
		{ "HCA-1", NULL },
		{ "host01 HCA-x", NULL },
		{ "host01 HCA-", NULL },
		{ "host01 mlx5_", NULL },
		{ "host01 rail one", NULL },
		{ "localhost mlx5_0", NULL },
		{ "ubuntu mlx5_0", NULL },
		{ "localhost.localdomain HCA-1", NULL },
		{ "(none) mlx5_0", NULL },
		{ "MT4129 ConnectX7   Mellanox Technologies", NULL },
		{ "MT25408 ConnectX Mellanox Technologies mlx4_0", NULL },
		{ "Mellanox Technologies Aggregation Node", NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct mkfab m = mkfab();
		struct ibc_fabric *fab;
		const char *host;

		mk_ca(m, 1, cases[i].desc, 1);
		fab = done(m);
		host = ibc_fabric_node(fab, 0)->host_name;
		assert_int_equal(!host, !cases[i].host);
		if (host)
			assert_string_equal(host, cases[i].host);
		assert_int_equal(ibc_fabric_count(fab).hosts, !!host);
		ibc_fabric_free(fab);
	}
}

static void only_a_ca_sits_in_a_host(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;

	(void)state;
	mk_switch(m, 1, "leaf01", 1);
	mk_node(m, 2, IBC_NODE_ROUTER, "router01", 1);
	mk_node(m, 3, IBC_NODE_UNKNOWN, "what01", 1);
	fab = done(m);
	assert_null(ibc_fabric_node(fab, 0)->host_name);
	assert_null(ibc_fabric_node(fab, 1)->host_name);
	assert_null(ibc_fabric_node(fab, 2)->host_name);
	assert_null(ibc_fabric_host(fab, 0));
	assert_int_equal(ibc_fabric_count(fab).routers, 1);
	ibc_fabric_free(fab);
}

static void hosts_are_joined_across_subnets_and_ordered_by_name(void **state)
{
	struct mkfab m = mkfab(), second = mk_subnet(m, "second");
	const struct ibc_fabric_host *host;
	struct ibc_fabric *fab;

	(void)state;
	mk_ca(m, 4, "host02 mlx5_0", 1);
	mk_ca(second, 3, "host02 mlx5_1", 1);
	mk_ca(m, 1, "host1", 1);
	mk_ca(second, 2, "host mlx5_0", 1);
	mk_ca(m, 9, "host02 mlx5_2", 1);
	fab = done(m);
	assert_string_equal(ibc_fabric_host(fab, 0)->name, "host");
	assert_string_equal(ibc_fabric_host(fab, 1)->name, "host02");
	assert_string_equal(ibc_fabric_host(fab, 2)->name, "host1");
	assert_null(ibc_fabric_host(fab, 3));
	host = ibc_fabric_host(fab, 1);
	assert_int_equal(host->num_nodes, 3);
	assert_int_equal(host->nodes[0]->guid, 3);
	assert_int_equal(host->nodes[1]->guid, 4);
	assert_int_equal(host->nodes[2]->guid, 9);
	assert_ptr_equal(host->nodes[2]->host_name, host->name);
	ibc_fabric_free(fab);
}

static void the_name_map_tells_the_host_where_the_description_does_not(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;

	(void)state;
	fabric_build_name(m.b, 1, "node17");
	fabric_build_name(m.b, 2, "the second rail of node17");
	fabric_build_name(m.b, 3, "sharp01");
	mk_ca(m, 1, "MT25408 ConnectX Mellanox Technologies", 1);
	mk_ca(m, 2, "node17 mlx5_1", 1);
	mk_ca(m, 3, "Mellanox Technologies Aggregation Node", 1);
	fab = done(m);
	assert_int_equal(ibc_fabric_count(fab).hosts, 1);
	assert_int_equal(ibc_fabric_host(fab, 0)->num_nodes, 2);
	assert_string_equal(ibc_fabric_host(fab, 0)->name, "node17");
	assert_null(ibc_fabric_node(fab, 2)->host_name);
	ibc_fabric_free(fab);
}

/* Whatever is meant has a key in common with what was typed, and wildcards have none. */
static void what_is_meant_shares_a_key(void **state)
{
	static const char *const typed[] = {
		"leaf01",       "LEAF01/22/2", "MF0;leaf01:MQM8700/U1", "leaf01 22/2",
		"node01.site",  "Node01",      "node01 HCA-1",          "node01.site mlx5_0/1",
		"0x10",         "localhost",   "core1 L05/U1/1/13/2",   "leaf01/44 (22/2)",
		"leaf01 (0x10)"
	};
	static const char *const names[] = {
		"leaf01",
		"MF0;leaf01:MQM8700/U1",
		"Leaf01",
		"node01",
		"node01 mlx5_0",
		"node01.site HCA-1",
		"node01.other",
		"localhost",
		"MF0;core1:CS7500/L05/U1",
		"core1 L05/U1",
		"leaf01 (0x10)",
	};
	uint64_t mine[TYPED_KEYS], theirs[CALLED_KEYS];
	struct arena *arena = arena_new();
	size_t fit = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(typed) * COUNT(names); i++) {
		const struct typed *t = typed_new(arena, typed[i / COUNT(names)]);
		struct called c = { .names = { names[i % COUNT(names)] },
			            .guid = 0x10 + i % 2,
			            .port = 1,
			            .port_label = "22/2",
			            .has_guid = true,
			            .has_port = true };
		size_t n = typed_keys(t, mine), num = called_keys(&c, theirs);
		bool shared = false;

		for (size_t k = 0; k < n * num; k++)
			shared |= mine[k / num] == theirs[k % num];
		fit += typed_fits(t, &c);
		assert_true(shared || !typed_fits(t, &c));
	}
	assert_in_range(fit, 20, COUNT(typed) * COUNT(names) / 2);
	assert_int_equal(typed_keys(typed_new(arena, "leaf*/1"), mine), 0);
	assert_int_equal(typed_keys(typed_new(arena, "leaf01/*"), mine), 0);
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_label_is_the_name_where_that_is_unique),
		cmocka_unit_test(a_switch_is_called_by_its_system_as_far_as_that_is_unique),
		cmocka_unit_test(nodes_of_one_name_and_guid_still_have_a_label),
		cmocka_unit_test(the_name_map_wins_over_the_description),
		cmocka_unit_test(the_host_is_what_stands_before_the_name_of_the_hca),
		cmocka_unit_test(only_a_ca_sits_in_a_host),
		cmocka_unit_test(hosts_are_joined_across_subnets_and_ordered_by_name),
		cmocka_unit_test(the_name_map_tells_the_host_where_the_description_does_not),
		cmocka_unit_test(what_is_meant_shares_a_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
