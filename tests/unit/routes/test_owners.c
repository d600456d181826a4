/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose LIDs are that no PortInfo tells: virtual ports', routers', or nobody's. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/array.h"
#include "mkfab.h"
#include "mkroutes.h"

#define LEAF01 1
#define LEAF02 2
#define HOST01 11
#define HOST02 12
#define HOST03 13
#define ROUTER 14
#define LID    40

/* Two leaves; at each two ends, the last of which is a router. */
static struct mkfab mk_pair(void)
{
	struct mkfab m = mkfab();

	mk_switch(m, LEAF01, "leaf01", 4);
	mk_switch(m, LEAF02, "leaf02", 4);
	mk_ca(m, HOST01, "host01 mlx5_0", 1);
	mk_ca(m, HOST02, "host02 mlx5_0", 1);
	mk_ca(m, HOST03, "host03 mlx5_0", 1);
	mk_node(m, ROUTER, IBC_NODE_ROUTER, "router01", 1);
	cable(m, LEAF01, 1, HOST01, 1);
	cable(m, LEAF01, 2, HOST02, 1);
	cable(m, LEAF02, 1, HOST03, 1);
	cable(m, LEAF02, 2, ROUTER, 1);
	cable(m, LEAF01, 3, LEAF02, 3);
	return m;
}

/* Its tables, which all send LID to where that of this device goes. */
static struct fabric_forwarding *mk_sent_to(struct mkfab m, uint64_t guid)
{
	struct fabric_forwarding *f = mk_tables(m, 80);

	mk_min_hop(m, f);
	*mk_entry(f, LEAF01, LID) = *mk_entry(f, LEAF01, (unsigned int)guid);
	*mk_entry(f, LEAF02, LID) = *mk_entry(f, LEAF02, (unsigned int)guid);
	return f;
}

static void mk_vports(struct mkfab m, uint64_t guid, const struct ibc_vports *vports)
{
	struct ibc_port *p = port(m, guid, 1);

	p->cap_mask |= IBC_CAP_HAS_MASK2;
	p->cap_mask2 |= IBC_CAP2_HAS_VPORTS;
	port_extra(p)->vports = vports;
	answers_put(p, IBC_ATTR_VPORTS, ANSWER_OK);
}

/* LID is of that kind, or IBC_LID_KINDS: its two entries are stale. */
static void expect_kind(struct mkfab m, enum ibc_lid_kind kind, uint64_t guid, uint64_t astray)
{
	struct routed r = routed(m, 2);
	const struct ibc_spared_lids *spared = ibc_routes_sums(r.routes, 0)->spared;

	assert_int_equal(!!ibc_routes_stale(r.routes, 0), kind == IBC_LID_KINDS);
	for (unsigned int k = 0; k < IBC_LID_KINDS; k++)
		assert_int_equal(spared[k].num, k == kind);
	if (kind < IBC_LID_KINDS) {
		assert_int_equal(spared[kind].first, LID);
		assert_int_equal(spared[kind].port->node->guid, guid);
		assert_int_equal(spared[kind].astray ? spared[kind].astray->peer->node->guid : 0,
		                 astray);
	}
	free_routed(r);
}

/* ---- virtual ports ------------------------------------------------------------------------ */

static const struct ibc_vport with_lid[] = {
	{ .guid = 0x100, .index = 0, .state = IBC_STATE_ACTIVE },
	{ .guid = 0x101, .index = 1, .lid = LID, .state = IBC_STATE_ACTIVE },
};
static const struct ibc_vports told = { with_lid, 2, 8, 1, true };
static const struct ibc_vports other = { with_lid, 1, 8, 0, true };

static void a_lid_that_a_virtual_port_tells_is_its(void **state)
{
	struct mkfab m = mk_pair();

	(void)state;
	mk_vports(m, HOST01, &told);
	mk_sent_to(m, HOST01);
	expect_kind(m, IBC_LID_OF_VPORT, HOST01, 0);
}

static void one_table_that_sends_it_elsewhere_lets_it_go_astray(void **state)
{
	struct mkfab m = mk_pair();

	(void)state;
	mk_vports(m, HOST01, &told);
	*mk_entry(mk_sent_to(m, HOST01), LEAF01, LID) = 2;
	expect_kind(m, IBC_LID_ASTRAY, HOST01, HOST02);
	m = mk_pair();
	mk_vports(m, HOST01, &told);
	*mk_entry(mk_sent_to(m, HOST01), LEAF02, LID) = 1;
	expect_kind(m, IBC_LID_ASTRAY, HOST01, HOST03);
}

/* The switch that it is on has no entry, one to elsewhere, or a table that ends before. */
static void a_lid_that_its_own_switch_does_not_send_there_is_lost(void **state)
{
	static const struct ibc_vport far_up[] = { { 0x101, 1, 200, 0, IBC_STATE_ACTIVE, false } };
	static const struct ibc_vports beyond = { far_up, 1, 8, 1, true };
	struct mkfab m = mk_pair();
	struct routed r;

	(void)state;
	mk_vports(m, HOST01, &told);
	*mk_entry(mk_sent_to(m, HOST01), LEAF01, LID) = IBC_NO_ENTRY;
	expect_kind(m, IBC_LID_LOST, HOST01, 0);
	m = mk_pair();
	mk_vports(m, HOST01, &told);
	*mk_entry(mk_sent_to(m, HOST01), LEAF01, LID) = 3;
	expect_kind(m, IBC_LID_LOST, HOST01, 0);
	m = mk_pair();
	mk_vports(m, HOST01, &beyond);
	mk_min_hop(m, mk_tables(m, 80));
	r = routed(m, 2);
	assert_int_equal(ibc_routes_sums(r.routes, 0)->spared[IBC_LID_LOST].num, 1);
	assert_int_equal(ibc_routes_sums(r.routes, 0)->spared[IBC_LID_LOST].first, 200);
	free_routed(r);
}

/* That of a function that no guest uses. */
static void a_lid_that_nobody_uses_is_not_lost(void **state)
{
	static const struct ibc_vport down[] = { { 0x101, 1, LID, 0, IBC_STATE_DOWN, false } };
	static const struct ibc_vports unused = { down, 1, 8, 1, true };
	struct mkfab m = mk_pair();

	(void)state;
	mk_vports(m, HOST01, &unused);
	*mk_entry(mk_sent_to(m, HOST01), LEAF01, LID) = IBC_NO_ENTRY;
	expect_kind(m, IBC_LID_OF_VPORT, HOST01, 0);
}

static void the_first_of_two_that_claim_a_lid_is_its_owner(void **state)
{
	struct mkfab m = mk_pair();

	(void)state;
	mk_vports(m, HOST01, &told);
	mk_vports(m, HOST02, &told);
	mk_sent_to(m, HOST01);
	expect_kind(m, IBC_LID_OF_VPORT, HOST01, 0);
}

static void a_port_that_told_all_of_them_has_no_others(void **state)
{
	struct mkfab m = mk_pair();

	(void)state;
	mk_vports(m, HOST01, &other);
	mk_sent_to(m, HOST01);
	expect_kind(m, IBC_LID_KINDS, 0, 0);
}

static void what_was_not_told_of_them_is_guessed(void **state)
{
	static const enum answer answers[] = { ANSWER_NONE, ANSWER_REFUSED, ANSWER_UNSUPPORTED };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		struct mkfab m = mk_pair();

		mk_vports(m, HOST01, &other);
		answers_drop(&port(m, HOST01, 1)->answers, attr_port_bits[IBC_ATTR_VPORTS]);
		answers_put(port(m, HOST01, 1), IBC_ATTR_VPORTS, answers[i]);
		mk_sent_to(m, HOST01);
		expect_kind(m, IBC_LID_MAYBE_OF_VPORT, HOST01, 0);
	}
}

/* ---- floating LIDs ------------------------------------------------------------------------ */

static struct mkfab mk_flids(const struct ibc_router *router)
{
	struct mkfab m = mk_pair();

	fabric_build_find(m.b, m.subnet, ROUTER)->router = router;
	if (router)
		answers_put(fabric_build_find(m.b, m.subnet, ROUTER), IBC_ATTR_ROUTER_INFO,
		            ANSWER_OK);
	return m;
}

static void a_lid_in_a_range_of_a_router_is_a_floating_one(void **state)
{
	static const struct ibc_router ranges[] = {
		{ .global = { LID, LID + 9 } },
		{ .global = { LID - 9, LID } },
		{ .local = { LID, LID } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
		struct mkfab m = mk_flids(&ranges[i]);

		mk_sent_to(m, ROUTER);
		expect_kind(m, IBC_LID_FLID, ROUTER, 0);
	}
}

static void a_router_that_told_its_ranges_has_no_others(void **state)
{
	static const struct ibc_router ranges[] = {
		{ .global = { LID + 1, LID + 9 } },
		{ .local = { LID - 9, LID - 1 } },
		{ .adjacent_top = 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
		struct mkfab m = mk_flids(&ranges[i]);

		mk_sent_to(m, ROUTER);
		expect_kind(m, IBC_LID_KINDS, 0, 0);
	}
}

static void a_router_that_told_none_or_what_cannot_be_is_guessed_to_have_it(void **state)
{
	static const struct ibc_router odd[] = {
		{ .global = { 0, LID + 9 } },
		{ .global = { LID + 9, LID } },
		{ .local = { 1, 0xc000 } },
	};
	struct mkfab m = mk_flids(NULL);

	(void)state;
	mk_sent_to(m, ROUTER);
	expect_kind(m, IBC_LID_MAYBE_FLID, ROUTER, 0);
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		m = mk_flids(&odd[i]);
		mk_sent_to(m, ROUTER);
		expect_kind(m, IBC_LID_MAYBE_FLID, ROUTER, 0);
	}
}

static void a_lid_that_goes_to_a_host_too_is_no_floating_one(void **state)
{
	struct mkfab m = mk_flids(NULL);

	(void)state;
	*mk_entry(mk_sent_to(m, ROUTER), LEAF01, LID) = 1;
	expect_kind(m, IBC_LID_KINDS, 0, 0);
	m = mk_flids(NULL);
	*mk_entry(mk_sent_to(m, ROUTER), LEAF02, LID) = IBC_NO_ENTRY;
	expect_kind(m, IBC_LID_KINDS, 0, 0);
}

static void a_router_of_another_subnet_tells_nothing_here(void **state)
{
	static const struct ibc_router range = { .global = { LID, LID + 9 } };
	struct mkfab m = mk_pair(), second = mk_subnet(m, "second");

	(void)state;
	fabric_build_find(m.b, m.subnet, ROUTER)->router = &(struct ibc_router){ 0 };
	mk_node(second, 0x99, IBC_NODE_ROUTER, "router02", 1)->router = &range;
	mk_sent_to(m, ROUTER);
	expect_kind(m, IBC_LID_KINDS, 0, 0);
}

static void running_out_of_memory_anywhere_is_told(void **state)
{
	struct ibc_routes_opts opts = { .threads = 1 };
	struct mkfab m = mk_flids(NULL);
	struct ibc_routes *routes = NULL;
	struct ibc_fabric *fab;
	unsigned long n = 0;
	int rc;

	(void)state;
	mk_vports(m, HOST01, &told);
	mk_sent_to(m, HOST01);
	fab = done(m);
	do {
		alloc_fail_at(++n);
		rc = ibc_routes_analyze(fab, &opts, &routes, NULL);
		alloc_fail_at(0);
		assert_true(rc == 0 || (rc == -ENOMEM && !routes));
	} while (rc);
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lid_that_a_virtual_port_tells_is_its),
		cmocka_unit_test(one_table_that_sends_it_elsewhere_lets_it_go_astray),
		cmocka_unit_test(a_lid_that_its_own_switch_does_not_send_there_is_lost),
		cmocka_unit_test(a_lid_that_nobody_uses_is_not_lost),
		cmocka_unit_test(the_first_of_two_that_claim_a_lid_is_its_owner),
		cmocka_unit_test(a_port_that_told_all_of_them_has_no_others),
		cmocka_unit_test(what_was_not_told_of_them_is_guessed),
		cmocka_unit_test(a_lid_in_a_range_of_a_router_is_a_floating_one),
		cmocka_unit_test(a_router_that_told_its_ranges_has_no_others),
		cmocka_unit_test(a_router_that_told_none_or_what_cannot_be_is_guessed_to_have_it),
		cmocka_unit_test(a_lid_that_goes_to_a_host_too_is_no_floating_one),
		cmocka_unit_test(a_router_of_another_subnet_tells_nothing_here),
		cmocka_unit_test(running_out_of_memory_anywhere_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
