/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of virtual ports and of routers, each of its own cause and of nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/array.h"
#include "findings.h"

#define HOST01 0x11
#define HOST02 0x12
#define ROUTER 0x50

static struct ibc_vport vports[3];
static struct ibc_vports told;
static struct ibc_router one, other;

/* Two hosts, the first of which has virtual ports, and two routers of two ports, at a switch. */
static struct mkfab all_well(void)
{
	struct mkfab m = mkfab();
	struct ibc_router *const ranges[] = { &one, &other };

	mk_switch(m, 1, "leaf01", 8);
	mk_ca(m, HOST01, "host01 mlx5_0", 1);
	mk_ca(m, HOST02, "host02 mlx5_0", 1);
	cable(m, 1, 1, HOST01, 1);
	cable(m, 1, 2, HOST02, 1);
	vports[0] = (struct ibc_vport){ .guid = 0x11, .state = IBC_STATE_ACTIVE };
	vports[1] = (struct ibc_vport){ .guid = 0x100,
		                        .index = 1,
		                        .lid = 400,
		                        .state = IBC_STATE_ACTIVE,
		                        .lid_required = true };
	vports[2] = (struct ibc_vport){ .index = 2, .state = IBC_STATE_DOWN, .lid_required = true };
	told = (struct ibc_vports){ vports, ARRAY_SIZE(vports), 8, 2, true };
	port_extra(port(m, HOST01, 1))->vports = &told;
	answers_put(port(m, HOST01, 1), IBC_ATTR_VPORTS, ANSWER_OK);
	one = other = (struct ibc_router){ { 0x8000, 0x9fff }, { 0x8000, 0x8fff }, 1, 4 };
	for (unsigned int i = 0; i < ARRAY_SIZE(ranges); i++) {
		struct ibc_node *node = mk_node(m, ROUTER + i, IBC_NODE_ROUTER,
		                                i ? "router02" : "router01", 2);

		cable(m, 1, 3 + i, ROUTER + i, 1);
		mk_active(port(m, ROUTER + i, 2));
		port(m, ROUTER + i, 2)->subnet_prefix = 0xfec0000000000002;
		port(m, ROUTER + i, 1)->subnet_prefix = 0xfec0000000000001;
		node->router = ranges[i];
		answers_put(node, IBC_ATTR_ROUTER_INFO, ANSWER_OK);
	}
	m.subnet->provides = ibc_attrs_or(m.subnet->provides,
	                                  IBC_ATTRS(IBC_ATTR_VPORTS, IBC_ATTR_ROUTER_INFO));
	return m;
}

static struct ibc_node *router(struct mkfab m, unsigned int i)
{
	return fabric_build_find(m.b, m.subnet, ROUTER + i);
}

static void nothing_is_said_of_what_is_well(void **state)
{
	struct mkfab m = all_well();

	(void)state;
	expect(m, "host.vport,router", "");
	m = all_well();
	told = (struct ibc_vports){ 0 };
	expect(m, "host.vport", "");
}

static void a_source_without_them_is_no_gap_beside_other_checks(void **state)
{
	struct mkfab m = mk_leaf(2);
	struct ibc_report *rep = report_of(m, "port.width,host.vport,router", NULL);

	(void)state;
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	ibc_report_free(rep);
	rep = report_of(mk_leaf(2), "host.vport", NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	ibc_report_free(rep);
}

/* ---- host.vport ---------------------------------------------------------------------------- */

static void a_virtual_port_that_is_not_set_up_is_a_warning(void **state)
{
	struct mkfab m = all_well();

	(void)state;
	vports[1].state = IBC_STATE_INIT;
	expect(m, "host.vport",
	       "warning host01 mlx5_0/1: has 1 virtual port that cannot be used: number 1 is "
	       "Init\n");
	m = all_well();
	vports[0].state = IBC_STATE_ARMED;
	vports[1].lid = 0;
	expect(m, "host.vport",
	       "warning host01 mlx5_0/1: has 2 virtual ports that cannot be used: number 0 is "
	       "Armed, and so on\n");
}

static void a_lid_that_is_required_or_another_ports_is_a_warning(void **state)
{
	struct mkfab m = all_well();

	(void)state;
	vports[1].lid = 0;
	expect(m, "host.vport",
	       "warning host01 mlx5_0/1: has 1 virtual port that cannot be used: number 1 has no "
	       "LID, and requires one of its own\n");
	m = all_well();
	vports[1].lid = HOST02;
	expect(m, "host.vport",
	       "warning host01 mlx5_0/1: has 1 virtual port that cannot be used: number 1 has LID "
	       "18, which is that of host02 mlx5_0/1\n");
	m = all_well();
	vports[1].lid = HOST01;
	expect(m, "host.vport", "");
}

/* Those of one port may share a LID, and a function that nobody uses takes it from nobody. */
static void one_lid_of_two_ports_is_a_warning(void **state)
{
	struct mkfab m = all_well();
	static struct ibc_vports too;

	(void)state;
	too = told;
	port_extra(port(m, HOST02, 1))->vports = &too;
	answers_put(port(m, HOST02, 1), IBC_ATTR_VPORTS, ANSWER_OK);
	expect(m, "host.vport",
	       "warning host02 mlx5_0/1: has 1 virtual port that cannot be used: number 1 has LID "
	       "400, which a virtual port of host01 mlx5_0/1 has too\n");
	m = all_well();
	vports[2].lid = 400;
	expect(m, "host.vport", "");
	m = all_well();
	vports[0].lid = 400;
	expect(m, "host.vport", "");
}

static void of_a_port_that_is_not_active_the_port_tells(void **state)
{
	struct mkfab m = all_well();

	(void)state;
	vports[1].state = IBC_STATE_INIT;
	port(m, HOST01, 1)->state = IBC_STATE_INIT;
	expect(m, "host.vport", "");
}

static void what_was_not_told_of_virtual_ports_is_unknown(void **state)
{
	static const enum answer gaps[] = { ANSWER_NONE, ANSWER_REFUSED };
	struct mkfab m;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(gaps); i++) {
		m = all_well();
		port_extra(port(m, HOST01, 1))->vports = NULL;
		answers_drop(&port(m, HOST01, 1)->answers, attr_port_bits[IBC_ATTR_VPORTS]);
		answers_put(port(m, HOST01, 1), IBC_ATTR_VPORTS, gaps[i]);
		expect(m, "host.vport",
		       "unknown host01 mlx5_0/1: may have virtual ports, and does not report all "
		       "of them\n");
	}
	m = all_well();
	answers_drop(&port(m, HOST01, 1)->answers, attr_port_bits[IBC_ATTR_VPORTS]);
	answers_put(port(m, HOST01, 1), IBC_ATTR_VPORTS, ANSWER_NONE);
	answers_put(port(m, HOST02, 1), IBC_ATTR_VPORTS, ANSWER_NONE);
	vports[1].state = IBC_STATE_INIT; /* one that is known is judged */
	expect(m, "host.vport",
	       "warning host01 mlx5_0/1: has 1 virtual port that cannot be used: number 1 is "
	       "Init\n"
	       "unknown host01 mlx5_0/1: may have virtual ports, and does not report all of them; "
	       "2 ports do not\n");
	m = all_well();
	port_extra(port(m, HOST01, 1))->vports = NULL;
	answers_drop(&port(m, HOST01, 1)->answers, attr_port_bits[IBC_ATTR_VPORTS]);
	answers_put(port(m, HOST01, 1), IBC_ATTR_VPORTS, ANSWER_UNSUPPORTED);
	expect(m, "host.vport", "");
}

/* ---- routers ------------------------------------------------------------------------------ */

static void routers_that_disagree_are_critical(void **state)
{
	struct mkfab m = all_well();

	(void)state;
	other.global.last = 0x9ffe;
	expect(m, "router.flid",
	       "critical router02: has another global range of floating LIDs (FLIDs) than "
	       "router01: 32768-40958, not 32768-40959\n");
	m = all_well();
	other.local = (struct ibc_flids){ 0, 0 };
	expect(m, "router.flid",
	       "critical router02: has another local range of floating LIDs (FLIDs) than "
	       "router01: none, not 32768-36863\n");
}

static void a_port_with_a_lid_that_floats_is_critical(void **state)
{
	struct mkfab m = all_well();

	(void)state;
	one.global = other.global = (struct ibc_flids){ HOST02, HOST02 };
	expect(m, "router.flid",
	       "critical router01: takes LIDs 18-18 for floating ones (FLIDs), and 1 port has such "
	       "a LID, e.g. host02 mlx5_0/1 has 18\n");
	m = all_well();
	one.global = other.global = (struct ibc_flids){ HOST02 + 1, ROUTER - 1 };
	expect(m, "router.flid", "");
}

static void a_range_that_cannot_be_is_unknown(void **state)
{
	struct mkfab m = all_well();

	(void)state;
	one.global = other.global = (struct ibc_flids){ 0x9000, 0x8000 };
	expect(m, "router.flid",
	       "unknown router01: reports a global range of floating LIDs (FLIDs) that cannot be: "
	       "36864-32768\n"
	       "unknown router02: reports a global range of floating LIDs (FLIDs) that cannot be: "
	       "36864-32768\n");
	/* nobody is in it */
	m = all_well();
	one.global = other.global = (struct ibc_flids){ 0, 0xfffff };
	expect(m, "router.flid",
	       "unknown router01: reports a global range of floating LIDs (FLIDs) that cannot be: "
	       "0-1048575\n"
	       "unknown router02: reports a global range of floating LIDs (FLIDs) that cannot be: "
	       "0-1048575\n");
}

static void a_router_that_does_not_tell_is_unknown(void **state)
{
	struct mkfab m = all_well();

	(void)state;
	router(m, 0)->router = NULL;
	answers_drop(&router(m, 0)->answers, attr_node_bits[IBC_ATTR_ROUTER_INFO]);
	answers_put(router(m, 0), IBC_ATTR_ROUTER_INFO, ANSWER_NONE);
	other.global.last = 0x9ffe;
	expect(m, "router.flid",
	       "unknown router01: does not report its ranges of floating LIDs (RouterInfo)\n");
	m = all_well();
	for (unsigned int i = 0; i < 2; i++) {
		router(m, i)->router = NULL;
		answers_drop(&router(m, i)->answers, attr_node_bits[IBC_ATTR_ROUTER_INFO]);
		answers_put(router(m, i), IBC_ATTR_ROUTER_INFO, ANSWER_NONE);
	}
	expect(m, "router.flid",
	       "unknown router01: does not report its ranges of floating LIDs (RouterInfo); 2 "
	       "routers do not\n");
}

static void one_prefix_on_both_sides_is_critical(void **state)
{
	struct mkfab m = all_well();

	(void)state;
	port(m, ROUTER, 2)->subnet_prefix = 0xfec0000000000001;
	expect(m, "router.prefix",
	       "critical router01/1: has the same subnet prefix as port 2 of this router, which is "
	       "in another subnet: 0xfec0000000000001\n");
	m = all_well();
	port(m, ROUTER, 2)->subnet_prefix = 0xfec0000000000001;
	port(m, ROUTER, 2)->state = IBC_STATE_INIT;
	expect(m, "router.prefix", "");
	/* both ports are in this subnet */
	m = all_well();
	port(m, ROUTER, 2)->subnet_prefix = 0xfec0000000000001;
	cable(m, 1, 5, ROUTER, 2);
	port(m, ROUTER, 2)->subnet_prefix = 0xfec0000000000001;
	expect(m, "router.prefix", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_said_of_what_is_well),
		cmocka_unit_test(a_source_without_them_is_no_gap_beside_other_checks),
		cmocka_unit_test(a_virtual_port_that_is_not_set_up_is_a_warning),
		cmocka_unit_test(a_lid_that_is_required_or_another_ports_is_a_warning),
		cmocka_unit_test(one_lid_of_two_ports_is_a_warning),
		cmocka_unit_test(of_a_port_that_is_not_active_the_port_tells),
		cmocka_unit_test(what_was_not_told_of_virtual_ports_is_unknown),
		cmocka_unit_test(routers_that_disagree_are_critical),
		cmocka_unit_test(a_port_with_a_lid_that_floats_is_critical),
		cmocka_unit_test(a_range_that_cannot_be_is_unknown),
		cmocka_unit_test(a_router_that_does_not_tell_is_unknown),
		cmocka_unit_test(one_prefix_on_both_sides_is_critical),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
