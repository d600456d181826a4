/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ibcheck/routes.h>

#include "analysis/routes/parallel.h"
#include "analysis/routes/routes.h"
#include "base/arena.h"

#include "mkfab.h"
#include "mkroutes.h"

/* A leaf each with a host, and a spine. */
static struct mkfab two_leaves(void)
{
	struct mkfab m = mkfab();

	mk_switch(m, 1, "leaf01", 4);
	mk_switch(m, 2, "leaf02", 4);
	mk_switch(m, 3, "spine01", 4);
	mk_ca(m, 11, "host01 mlx5_0", 1);
	mk_ca(m, 12, "host02 mlx5_0", 1);
	cable(m, 1, 1, 11, 1);
	cable(m, 2, 1, 12, 1);
	cable(m, 1, 2, 3, 1);
	cable(m, 2, 2, 3, 2);
	return m;
}

static void columns_are_switches_by_guid(void **state)
{
	struct mkfab m = two_leaves();
	struct fabric_forwarding *f = mk_tables(m, 20);
	struct ibc_fabric *fab = done(m);

	(void)state;
	assert_int_equal(f->tables.num_switches, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(f->tables.switches[i]->guid, i + 1);
		assert_int_equal(fabric_column(f->tables.switches, 3, f->tables.switches[i]), i);
	}
	assert_true(fabric_column(f->tables.switches, 3, ibc_fabric_node_by_guid(fab, 11)) ==
	            SIZE_MAX);
	ibc_fabric_free(fab);
}

static void a_switch_has_a_column_in_the_tables_of_its_own_subnet_only(void **state)
{
	struct mkfab m = two_leaves(), other = mk_subnet(m, "other");
	struct fabric_forwarding *f, *its;
	struct ibc_fabric *fab;

	(void)state;
	mk_switch(other, 9, "switch9", 4);
	f = mk_tables(m, 20);
	its = mk_tables(other, 20);
	fab = done(m);
	assert_int_equal(fabric_column(f->tables.switches, 3, f->tables.switches[0]), 0);
	assert_int_equal(fabric_column(its->tables.switches, 1, its->tables.switches[0]), 0);
	assert_true(fabric_column(f->tables.switches, 3, its->tables.switches[0]) == SIZE_MAX);
	assert_true(fabric_column(its->tables.switches, 1, f->tables.switches[2]) == SIZE_MAX);
	ibc_fabric_free(fab);
}

static void hosts_and_lids_are_told_by_their_switch(void **state)
{
	struct mkfab m = two_leaves();
	struct ibc_fabric *fab;
	struct ibc_routes *routes;
	const struct route_subnet *p;

	(void)state;
	port(m, 12, 1)->lmc = 1;
	mk_tables(m, 20);
	fab = done(m);
	routes = analyze(fab, 0);
	p = &routes->subnets[0];
	assert_int_equal(p->num_hosts, 2);
	assert_int_equal(p->hosts[1].sw, 1);
	assert_int_equal(p->hosts[1].in, 1);
	assert_true(p->hosts[1].leaf);
	assert_int_equal(p->num_senders, 2);
	assert_int_equal(p->leaf_senders, 2);
	assert_int_equal(p->senders[1], 1);
	assert_int_equal(p->sender[1], 1);
	assert_int_equal(p->sender[2], NO_HOST);
	assert_int_equal(p->host_dests, 3);
	assert_int_equal(p->num_dests, 6);
	assert_int_equal(p->dests[2].lid, 13);
	assert_int_equal(p->dests[5].host, NO_HOST);
	assert_int_equal(p->next_hop[2 * p->width + 1], next_hop_switch(0, 2));
	assert_int_equal(p->next_hop[0 * p->width + 1], HOP_HOST);
	assert_int_equal(p->next_hop[0 * p->width + 4], HOP_DOWN);
	assert_false(p->silent);
	assert_int_equal(ibc_routes_sums(routes, 0)->hosts, 2);
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

static void a_link_that_is_not_armed_carries_no_data(void **state)
{
	struct mkfab m = two_leaves();
	struct ibc_fabric *fab;
	struct ibc_routes *routes;

	(void)state;
	port(m, 3, 1)->state = IBC_STATE_INIT;
	mk_tables(m, 20);
	fab = done(m);
	routes = analyze(fab, 0);
	assert_int_equal(routes->subnets[0].next_hop[0 * routes->subnets[0].width + 2], HOP_DOWN);
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

static void without_tables_there_is_nothing_to_analyze(void **state)
{
	struct ibc_fabric *fab = done(two_leaves());
	struct ibc_routes *routes = analyze(fab, 0);

	(void)state;
	assert_null(ibc_routes_sums(routes, 0));
	assert_null(ibc_routes_fault(routes, 0));
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

static void a_uniform_table_holds_for_all_ports(void **state)
{
	struct mkfab m = two_leaves();
	uint8_t *vl = arena_alloc(fabric_build_arena(m.b), 16);
	struct ibc_sl2vl *t = arena_alloc(fabric_build_arena(m.b), sizeof(*t));
	struct ibc_fabric *fab;

	(void)state;
	vl[3] = 2;
	*t = (struct ibc_sl2vl){ .vl = vl, .width = 5, .uniform = true };
	fabric_build_find(m.b, m.subnet, 1)->sl2vl = t;
	fab = done(m);
	assert_int_equal(ibc_switch_vl(ibc_fabric_node_by_guid(fab, 1), 1, 2, 3), 2);
	assert_int_equal(ibc_switch_vl(ibc_fabric_node_by_guid(fab, 1), 1, 9, 3), IBC_VL_UNKNOWN);
	assert_int_equal(ibc_switch_vl(ibc_fabric_node_by_guid(fab, 2), 1, 2, 3), IBC_VL_UNKNOWN);
	ibc_fabric_free(fab);
}

static void take_item(void *ctx, unsigned int thread, size_t item)
{
	unsigned char *taken = ctx;

	(void)thread;
	taken[item]++;
}

static void every_item_is_taken_once(void **state)
{
	unsigned char taken[1000] = { 0 };
	const struct parallel job = { .run = take_item, .ctx = taken, .items = sizeof(taken) };

	(void)state;
	parallel_run(&job, parallel_threads(3, job.items));
	for (size_t i = 0; i < sizeof(taken); i++)
		assert_int_equal(taken[i], 1);
	assert_int_equal(parallel_threads(8, 2), 2);
	assert_int_equal(parallel_threads(8, 0), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_switches_by_guid),
		cmocka_unit_test(a_switch_has_a_column_in_the_tables_of_its_own_subnet_only),
		cmocka_unit_test(hosts_and_lids_are_told_by_their_switch),
		cmocka_unit_test(a_link_that_is_not_armed_carries_no_data),
		cmocka_unit_test(without_tables_there_is_nothing_to_analyze),
		cmocka_unit_test(a_uniform_table_holds_for_all_ports),
		cmocka_unit_test(every_item_is_taken_once),
	};

	return cmocka_run_group_tests_name("routegraph", tests, NULL, NULL);
}
