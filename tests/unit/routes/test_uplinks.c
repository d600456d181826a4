/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ibcheck/routes.h>

#include "analysis/tree/rank.h"
#include "base/arena.h"
#include "mkclos.h"

static const struct clos small = { .leaves = 3, .spines = 2, .hosts = 2, .cables = 1 };

/* Those of a switch, all that go up (to = 0) or to another; NULL: none. */
static const struct ibc_uplinks *uplinks(const struct ibc_routes *routes, uint64_t guid,
                                         uint64_t to)
{
	const struct ibc_uplinks *u;

	for (size_t i = 0; (u = ibc_routes_uplinks(routes, i)); i++)
		if (u->node->guid == guid && (u->to ? u->to->guid : 0) == to)
			return u;
	return NULL;
}

static void expect_lids(const struct ibc_uplinks *u, size_t n, const uint32_t *dlids)
{
	assert_non_null(u);
	assert_int_equal(u->num_ports, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(u->dlids[i], dlids[i]);
}

static void destinations_are_counted_by_the_cable_they_leave_by(void **state)
{
	struct mkfab m = mkfab();
	const struct ibc_uplinks *u;
	struct ibc_routes *routes;
	struct ibc_fabric *fab;

	(void)state;
	mk_clos(m, &small);
	mk_d_mod_k(m, &small);
	fab = done(m);
	routes = analyze(fab, 1);
	u = uplinks(routes, 1, 0);
	expect_lids(u, 2, (const uint32_t[]){ 2, 2 });
	assert_int_equal(u->rank, 0);
	assert_int_equal(u->ports[0]->num, 3);
	assert_int_equal(u->ports[1]->num, 4);
	assert_true(u->mean == 2);
	assert_null(uplinks(routes, 51, 0));
	assert_null(uplinks(routes, 1, 51));
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

static void uneven_tables_show(void **state)
{
	struct mkfab m = mkfab();
	struct fabric_forwarding *f;
	const struct ibc_uplinks *u;
	struct ibc_routes *routes;
	struct ibc_fabric *fab;

	(void)state;
	mk_clos(m, &small);
	f = mk_d_mod_k(m, &small);
	*mk_entry(f, 1, 104) = 3;
	fab = done(m);
	routes = analyze(fab, 1);
	u = uplinks(routes, 1, 0);
	expect_lids(u, 2, (const uint32_t[]){ 3, 1 });
	assert_int_equal(u->least, 1);
	assert_int_equal(u->most, 3);
	assert_true(u->mean == 2);
	expect_lids(uplinks(routes, 2, 0), 2, (const uint32_t[]){ 2, 2 });
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

/*
 * Only spine 52 leads to an old switch and its six hosts, which are beyond one cable then; of
 * those that have a choice each uplink takes its half.
 */
static void what_only_one_cable_leads_to_is_its_own_share(void **state)
{
	struct mkfab m = mkfab();
	struct fabric_forwarding *f;
	const struct ibc_uplinks *u;
	struct ibc_routes *routes;
	struct ibc_fabric *fab;

	(void)state;
	mk_clos(m, &small);
	mk_switch(m, 41, "old", 8);
	cable(m, 41, 8, 52, 5);
	for (unsigned int i = 1; i <= 6; i++) {
		mk_ca(m, 200 + i, "old mlx4_0", 1);
		cable(m, 41, i, 200 + i, 1);
	}
	f = mk_d_mod_k(m, &small);
	for (unsigned int i = 1; i <= 6; i++)
		mk_min_hop_to(f, port(m, 200 + i, 1));
	*mk_entry(f, 1, 104) = 3;
	fab = done(m);
	routes = analyze(fab, 1);
	u = uplinks(routes, 1, 0);
	expect_lids(u, 2, (const uint32_t[]){ 3, 7 });
	assert_true(u->share[0] == 2 && u->share[1] == 8);
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

static void cables_to_one_switch_are_a_trunk_after_the_whole(void **state)
{
	static const struct clos wide = { .leaves = 3, .spines = 2, .hosts = 4, .cables = 2 };
	struct mkfab m = mkfab();
	struct fabric_forwarding *f;
	struct ibc_routes *routes;
	struct ibc_fabric *fab;

	(void)state;
	mk_clos(m, &wide);
	f = mk_d_mod_k(m, &wide);
	*mk_entry(f, 1, 107) = 5;
	*mk_entry(f, 1, 111) = 5;
	fab = done(m);
	routes = analyze(fab, 1);
	assert_ptr_equal(ibc_routes_uplinks(routes, 0), uplinks(routes, 1, 0));
	assert_ptr_equal(ibc_routes_uplinks(routes, 1), uplinks(routes, 1, 51));
	assert_ptr_equal(ibc_routes_uplinks(routes, 2), uplinks(routes, 1, 52));
	expect_lids(uplinks(routes, 1, 0), 4, (const uint32_t[]){ 4, 2, 0, 2 });
	expect_lids(uplinks(routes, 1, 51), 2, (const uint32_t[]){ 4, 2 });
	expect_lids(uplinks(routes, 1, 52), 2, (const uint32_t[]){ 0, 2 });
	expect_lids(uplinks(routes, 51, 3), 2, (const uint32_t[]){ 2, 1 });
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

/* The spine has entries for 101 and 102; nobody sends to 102 by it. */
static void entries_that_nobody_uses_are_not_counted(void **state)
{
	static const struct clos wide = { .leaves = 2, .spines = 1, .hosts = 2, .cables = 2 };
	struct mkfab m = mkfab();
	struct fabric_forwarding *f;
	struct ibc_routes *routes;
	struct ibc_fabric *fab;

	(void)state;
	mk_clos(m, &wide);
	f = mk_d_mod_k(m, &wide);
	*mk_entry(f, 2, 102) = IBC_NO_ENTRY;
	fab = done(m);
	routes = analyze(fab, 1);
	expect_lids(uplinks(routes, 51, 1), 2, (const uint32_t[]){ 1, 0 });
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

static void what_was_not_read_is_not_evaluated(void **state)
{
	struct mkfab m = mkfab();
	struct fabric_forwarding *f;
	struct ibc_routes *routes;
	struct ibc_fabric *fab;

	(void)state;
	mk_clos(m, &small);
	f = mk_d_mod_k(m, &small);
	mk_unread(f, 2, 101);
	fab = done(m);
	routes = analyze(fab, 1);
	assert_non_null(uplinks(routes, 1, 0));
	assert_null(uplinks(routes, 2, 0));
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

/* One host of each leaf, which the tables send by the uplink that seems to be idle. */
static void hosts_that_were_not_read_may_even_it_out(void **state)
{
	static const struct clos four = { .leaves = 4, .spines = 2, .hosts = 2, .cables = 1 };
	struct mkfab m = mkfab();
	const struct ibc_uplinks *u;
	struct ibc_routes *routes;
	struct ibc_fabric *fab;

	(void)state;
	mk_clos(m, &four);
	mk_d_mod_k(m, &four);
	for (unsigned int l = 1; l < four.leaves; l++) {
		struct ibc_port *p = port(m, clos_host(&four, l, 0), 1);

		p->lid = 0;
		answers_put(p, IBC_ATTR_PORT_INFO, ANSWER_NONE);
	}
	fab = done(m);
	routes = analyze(fab, 1);
	u = uplinks(routes, 1, 0);
	expect_lids(u, 2, (const uint32_t[]){ 0, 3 });
	assert_true(u->share[0] == 3 && u->share[1] == 3);
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

/* Four switches in a ring, two cables each: none is above another. */
static void a_ring_has_trunks_only(void **state)
{
	struct mkfab m = mkfab();
	struct fabric_forwarding *f;
	struct ibc_routes *routes;
	struct ibc_fabric *fab;
	const struct ibc_uplinks *u;

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		mk_switch(m, 1 + i, "sw", 6);
		mk_ca(m, 101 + i, "host mlx5_0", 1);
		cable(m, 1 + i, 1, 101 + i, 1);
	}
	for (unsigned int i = 0; i < 4; i++)
		for (unsigned int k = 0; k < 2; k++)
			cable(m, 1 + i, 2 + k, 1 + (i + 1) % 4, 4 + k);
	f = mk_tables(m, CLOS_LIDS);
	mk_min_hop(m, f);
	fab = done(m);
	routes = analyze(fab, 1);
	for (size_t i = 0; (u = ibc_routes_uplinks(routes, i)); i++)
		assert_non_null(u->to);
	expect_lids(uplinks(routes, 1, 2), 2, (const uint32_t[]){ 1, 0 });
	expect_lids(uplinks(routes, 1, 4), 2, (const uint32_t[]){ 2, 0 });
	assert_null(ibc_routes_uplinks(routes, 8));
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

static void threads_and_subnets_change_nothing(void **state)
{
	static const struct clos wide = { .leaves = 5, .spines = 3, .hosts = 4, .cables = 2 };
	const struct ibc_uplinks *u, *other;
	struct ibc_routes *routes, *others;
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;
	uint64_t random = 5;

	(void)state;
	mk_clos(m, &small);
	mk_d_mod_k(m, &small);
	m = mk_subnet(m, "storage");
	mk_clos(m, &wide);
	mk_nonsense(mk_d_mod_k(m, &wide), 40, &random);
	fab = done(m);
	routes = analyze(fab, 1);
	others = analyze(fab, 4);
	for (size_t i = 0; (u = ibc_routes_uplinks(routes, i)); i++) {
		other = ibc_routes_uplinks(others, i);
		assert_ptr_equal(other->node, u->node);
		assert_ptr_equal(other->to, u->to);
		expect_lids(other, u->num_ports, u->dlids);
	}
	assert_null(ibc_routes_uplinks(others, 3 + 5 * 4 + 3 * 5));
	assert_non_null(ibc_routes_uplinks(others, 3 + 5 * 4 + 3 * 5 - 1));
	ibc_routes_free(others);
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

static void no_memory_is_an_error(void **state)
{
	struct ibc_routes_opts opts = { .threads = 1 };
	struct mkfab m = mkfab();
	struct ibc_routes *routes;
	struct ibc_fabric *fab;
	int rc = -1;

	(void)state;
	mk_clos(m, &small);
	mk_d_mod_k(m, &small);
	fab = done(m);
	for (unsigned long n = 1; rc; n++) {
		alloc_fail_at(n);
		rc = ibc_routes_analyze(fab, &opts, &routes, NULL);
		alloc_fail_at(0);
	}
	assert_non_null(uplinks(routes, 3, 0));
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(destinations_are_counted_by_the_cable_they_leave_by),
		cmocka_unit_test(uneven_tables_show),
		cmocka_unit_test(what_only_one_cable_leads_to_is_its_own_share),
		cmocka_unit_test(cables_to_one_switch_are_a_trunk_after_the_whole),
		cmocka_unit_test(entries_that_nobody_uses_are_not_counted),
		cmocka_unit_test(what_was_not_read_is_not_evaluated),
		cmocka_unit_test(hosts_that_were_not_read_may_even_it_out),
		cmocka_unit_test(a_ring_has_trunks_only),
		cmocka_unit_test(threads_and_subnets_change_nothing),
		cmocka_unit_test(no_memory_is_an_error),
	};

	return cmocka_run_group_tests_name("uplinks", tests, NULL, NULL);
}
