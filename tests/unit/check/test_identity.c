/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "findings.h"

/* ---- port.guid ---- */

static void two_nodes_of_one_guid_are_one_finding(void **state)
{
	struct mkfab m = mk_leaf(2);
	struct ibc_node *twin;
	struct ibc_report *rep;

	(void)state;
	twin = mk_ca(m, host(1), "host09 mlx5_0", 1);
	assert_int_equal(fabric_build_link(port(m, 1, 5), fabric_build_port(twin, 1)), 0);
	mk_active(port(m, 1, 5));
	mk_active(fabric_build_port(twin, 1));
	rep = report_of(m, "port.guid", NULL);
	assert_int_equal(ibc_report_finding(rep, 0)->num_related, 1);
	assert_string_equal(ibc_report_finding(rep, 0)->related[0].subject.near.label,
	                    "host09 mlx5_0");
	expect_of(rep, "critical host01 mlx5_0: is one of 2 nodes with this node GUID\n");
}

static void a_guid_of_zero_is_a_fault(void **state)
{
	struct mkfab m = mkfab();

	(void)state;
	mk_ca(m, 0, "host01 mlx5_0", 1);
	expect(m, "port.guid", "critical host01 mlx5_0: has the node GUID zero\n");
	m = mkfab();
	mk_ca(m, 0, "host01 mlx5_0", 1);
	mk_ca(m, 0, "host02 mlx5_0", 1);
	expect(m, "port.guid",
	       "critical host01 mlx5_0: is one of 2 nodes with the node GUID zero\n");
}

static void a_guid_that_was_not_told_is_not_zero(void **state)
{
	struct mkfab m = mkfab();

	(void)state;
	answers_put(mk_ca(m, 0, "host01 mlx5_0", 1), IBC_ATTR_NODE_INFO, ANSWER_NONE);
	expect(m, "port.guid", "");
}

static void one_guid_in_two_subnets_is_no_fault(void **state)
{
	struct mkfab m = mk_leaf(1), second = mk_subnet(m, "second");

	(void)state;
	mk_ca(second, host(1), "host01 mlx5_0", 1);
	port(second, host(1), 1)->guid = host(1) + 1;
	expect(m, "port.guid", "");
}

static void ports_of_one_guid_are_one_finding(void **state)
{
	struct mkfab m = mk_leaf(4);

	(void)state;
	for (unsigned int i = 2; i <= 4; i++)
		port(m, host(i), 1)->guid = 0xabcd;
	expect(m, "port.guid",
	       "critical host02 mlx5_0/1: is one of 3 ports with the port GUID "
	       "0x000000000000abcd\n");
}

static void port_guids_that_are_not_known_are_not_compared(void **state)
{
	struct mkfab m = mk_leaf(4);

	(void)state;
	for (unsigned int i = 1; i <= 4; i++)
		port(m, host(i), 1)->guid = 0;
	expect(m, "port.guid", "");
}

/* ---- port.name: names for two ---- */

static void two_nodes_of_one_name_are_one_finding(void **state)
{
	struct mkfab m = mk_leaf(2);
	struct ibc_report *rep;

	(void)state;
	for (unsigned int i = 0; i < 12; i++)
		mk_ca(m, 0x900 + i * 16, "clone mlx5_0", 1);
	mk_switch(m, 3, "leaf01", 4);
	rep = report_of(m, "port.name", NULL);
	assert_int_equal(ibc_report_finding(rep, 0)->num_related, 1);
	assert_int_equal(ibc_report_finding(rep, 1)->num_related, 8);
	expect_of(rep,
	          "warning leaf01 (0x0000000000000001): is one of 2 switches called \"leaf01\"\n"
	          "warning clone mlx5_0 (0x0000000000000900): is one of 12 HCAs called \"clone "
	          "mlx5_0\"\n");
}

static void the_functions_of_one_card_may_share_a_name(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	mk_ca(m, 0x900, "storage01 mlx5_0", 1);
	mk_ca(m, 0x901, "storage01 mlx5_0", 1)->system_guid = 0x900;
	mk_ca(m, 0xa00, "dual HCA-1", 1);
	mk_ca(m, 0xa01, "dual HCA-2", 1)->system_guid = 0xa00;
	expect(m, "port.name", "");
}

static void cards_that_do_not_tell_their_system_are_two(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	mk_ca(m, 0x900, "storage01 mlx5_0", 1)->system_guid = 0;
	mk_ca(m, 0x901, "storage01 mlx5_0", 1)->system_guid = 0;
	expect(m, "port.name",
	       "warning storage01 mlx5_0 (0x0000000000000900): is one of 2 HCAs called \"storage01 "
	       "mlx5_0\"\n");
}

static void one_name_in_two_subnets_is_no_fault(void **state)
{
	struct mkfab m = mk_leaf(1), second = mk_subnet(m, "second");

	(void)state;
	mk_ca(second, 0x900, "host01 mlx5_0", 1);
	expect(m, "port.name", "");
}

static void a_duplicated_guid_is_not_a_name_as_well(void **state)
{
	struct mkfab m = mk_leaf(1);

	(void)state;
	mk_ca(m, host(1), "host01 mlx5_0", 1)->system_guid = 7;
	expect(m, "port.name", "");
}

static void a_name_from_the_map_makes_up_for_it(void **state)
{
	struct mkfab m = mk_leaf(1);

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		mk_ca(m, 0x900 + i * 16, "MT25408 ConnectX Mellanox Technologies", 1);
		fabric_build_name(m.b, 0x900 + i * 16, i == 0 ? "a" : i == 1 ? "b" : "c");
	}
	expect(m, "port.name", "");
}

static void a_name_that_was_not_told_is_not_empty(void **state)
{
	struct mkfab m = mk_leaf(1);
	struct ibc_node *n = mk_ca(m, 0x900, "", 1);

	(void)state;
	answers_put(n, IBC_ATTR_NODE_DESC, ANSWER_NONE);
	expect(m, "port.name", "");
}

/* ---- port.name: no names ---- */

static void one_adapter_without_a_name_among_many_is_a_fault(void **state)
{
	struct mkfab m = mk_leaf(4);

	(void)state;
	mk_ca(m, 0x900, "MT4115 ConnectX4 Mellanox Technologies", 1);
	expect(m, "port.name",
	       "warning MT4115 ConnectX4 Mellanox Technologies: has the factory's description "
	       "\"MT4115 ConnectX4 Mellanox Technologies\"\n");
}

static void empty_names_are_a_fault(void **state)
{
	struct mkfab m = mk_leaf(4);

	(void)state;
	mk_ca(m, 0x900, "", 1);
	mk_ca(m, 0x910, "", 1);
	expect(m, "port.name", "warning fabric: 2 of 6 HCAs have an empty description\n");
}

static void a_site_that_names_no_adapter_gets_one_note(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_report *rep;

	(void)state;
	mk_switch(m, 1, "leaf01", 36);
	for (unsigned int i = 1; i <= 30; i++)
		mk_ca(m, host(i), "MT25408 ConnectX Mellanox Technologies", 1);
	mk_ca(m, host(31), "login mlx4_0", 1);
	rep = report_of(m, "port.name", NULL);
	assert_int_equal(ibc_report_finding(rep, 0)->num_related, 8);
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	expect_of(rep, "info fabric: 30 of 31 HCAs have the factory's description \"MT25408 "
	               "ConnectX Mellanox Technologies\"\n");
}

static void an_unnamed_switch_is_a_note(void **state)
{
	struct mkfab m = mk_leaf(1);

	(void)state;
	for (unsigned int i = 2; i < 10; i++) {
		char name[16];

		snprintf(name, sizeof(name), "spine%02u", i);
		mk_switch(m, i, name, 4);
	}
	mk_switch(m, 10, "Infiniscale-IV Mellanox Technologies", 4);
	expect(m, "port.name",
	       "info Infiniscale-IV Mellanox Technologies: has the factory's description "
	       "\"Infiniscale-IV Mellanox Technologies\"\n");
}

static void factory_descriptions_are_known_and_names_are_not_taken_for_one(void **state)
{
	static const struct {
		const char *desc;
		bool factory;
	} cases[] = {
		{ "MT23108 InfiniHost Mellanox Technologies", true },
		{ "MT47396 Infiniscale-III Mellanox Technologies", true },
		{ "ConnectX-6 Mellanox Technologies", true },
		{ "SwitchX -  Mellanox Technologies", true },
		{ "SwitchIB Mellanox Technologies", true },
		{ "Quantum Mellanox Technologies", true },
		{ "Mellanox Technologies", true },
		{ "Voltaire 4036 - 36 QDR ports switch", true },
		{ "localhost mlx5_0", true },
		{ "(none) mlx5_0", true },
		{ "localhost.localdomain mlx5_0", true },
		{ "ubuntu", true },
		{ "debian mlx5_0", true },
		{ "localhosts mlx5_0", false },
		{ "ubuntu01 mlx5_0", false },
		{ "Mellanox Technologies Aggregation Node", false },
		{ "MF0;switchIB-MLX01:IS5030/U1", false },
		{ "MF0;r-ufm-sw95:MQM8700/U1", false },
		{ "mt01 mlx5_0", false },
		{ "quantum01 mlx5_0", false },
		{ "connectx HCA-1", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mkfab m = mk_leaf(1);
		struct ibc_report *rep;

		mk_ca(m, 0x900, cases[i].desc, 1);
		rep = report_of(m, "port.name", NULL);
		assert_int_equal(ibc_report_finding(rep, 0) != NULL, cases[i].factory);
		ibc_report_free(rep);
	}
}

static void aggregation_nodes_are_meant_to_be_equal(void **state)
{
	struct mkfab m = mk_leaf(1);

	(void)state;
	for (unsigned int i = 0; i < 5; i++)
		mk_ca(m, 0x900 + i * 16, "Mellanox Technologies Aggregation Node", 1);
	expect(m, "port.name", "");
}

static void a_host_without_a_hostname_is_told_to_set_one(void **state)
{
	struct mkfab m = mk_leaf(1);
	struct ibc_report *rep;

	(void)state;
	mk_ca(m, 0x900, "ubuntu mlx5_0", 1);
	mk_ca(m, 0x901, "ubuntu mlx5_0", 1);
	rep = report_of(m, "port.name", NULL);
	assert_non_null(strstr(ibc_report_finding(rep, 0)->advice, "hostnamectl"));
	expect_of(rep,
	          "info fabric: 2 of 3 HCAs have no hostname of their own (\"ubuntu mlx5_0\")\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_nodes_of_one_guid_are_one_finding),
		cmocka_unit_test(a_guid_of_zero_is_a_fault),
		cmocka_unit_test(a_guid_that_was_not_told_is_not_zero),
		cmocka_unit_test(one_guid_in_two_subnets_is_no_fault),
		cmocka_unit_test(ports_of_one_guid_are_one_finding),
		cmocka_unit_test(port_guids_that_are_not_known_are_not_compared),
		cmocka_unit_test(two_nodes_of_one_name_are_one_finding),
		cmocka_unit_test(the_functions_of_one_card_may_share_a_name),
		cmocka_unit_test(cards_that_do_not_tell_their_system_are_two),
		cmocka_unit_test(one_name_in_two_subnets_is_no_fault),
		cmocka_unit_test(a_duplicated_guid_is_not_a_name_as_well),
		cmocka_unit_test(a_name_from_the_map_makes_up_for_it),
		cmocka_unit_test(a_name_that_was_not_told_is_not_empty),
		cmocka_unit_test(one_adapter_without_a_name_among_many_is_a_fault),
		cmocka_unit_test(empty_names_are_a_fault),
		cmocka_unit_test(a_site_that_names_no_adapter_gets_one_note),
		cmocka_unit_test(an_unnamed_switch_is_a_note),
		cmocka_unit_test(factory_descriptions_are_known_and_names_are_not_taken_for_one),
		cmocka_unit_test(a_host_without_a_hostname_is_told_to_set_one),
		cmocka_unit_test(aggregation_nodes_are_meant_to_be_equal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
