/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/routes/routes.h"
#include "base/arena.h"
#include "mkclos.h"

static unsigned int between(const struct route_subnet *p, uint32_t from, uint32_t to)
{
	return p->shortest[p->sender[from] * p->n + to];
}

/* Switches in a row, a host each. */
static void mk_row(struct mkfab m, unsigned int switches)
{
	for (unsigned int i = 1; i <= switches; i++) {
		mk_switch(m, i, "sw", 8);
		mk_ca(m, 1000 + i, "host mlx5_0", 1);
		cable(m, i, 1, 1000 + i, 1);
		if (i > 1)
			cable(m, i - 1, 2, i, 3);
	}
}

static void both_ends_count(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_routes *routes;
	struct ibc_fabric *fab;

	(void)state;
	mk_row(m, 4);
	cable(m, 4, 2, 1, 3);
	mk_tables(m, 10);
	fab = done(m);
	routes = analyze(fab, 1);
	assert_int_equal(between(&routes->subnets[0], 0, 0), 1);
	assert_int_equal(between(&routes->subnets[0], 0, 1), 2);
	assert_int_equal(between(&routes->subnets[0], 0, 2), 3);
	assert_int_equal(between(&routes->subnets[0], 3, 0), 2);
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

static void only_cables_that_carry_data_count(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_routes *routes;
	struct ibc_fabric *fab;

	(void)state;
	mk_row(m, 3);
	port(m, 2, 2)->state = IBC_STATE_INIT;
	mk_tables(m, 10);
	fab = done(m);
	routes = analyze(fab, 1);
	assert_int_equal(between(&routes->subnets[0], 0, 1), 2);
	assert_int_equal(between(&routes->subnets[0], 0, 2), 0);
	assert_int_equal(between(&routes->subnets[0], 2, 1), 0);
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

static void no_way_is_longer_than_can_be_told(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_routes *routes;
	struct ibc_fabric *fab;

	(void)state;
	mk_row(m, UINT8_MAX + 2);
	mk_tables(m, 10);
	fab = done(m);
	routes = analyze(fab, 1);
	assert_int_equal(between(&routes->subnets[0], 0, UINT8_MAX - 1), UINT8_MAX);
	assert_int_equal(between(&routes->subnets[0], 0, UINT8_MAX), 0);
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

/* ---- the same by other means ---------------------------------------------------------------- */

#define SWITCHES 150
#define PORTS    12

/* Cables at random; two of three switches have a host. */
static void mk_random(struct mkfab m, uint64_t *random)
{
	for (unsigned int i = 1; i <= SWITCHES; i++) {
		mk_switch(m, i, "sw", PORTS);
		if (i % 3 == 0)
			continue;
		mk_ca(m, 1000 + i, "host mlx5_0", 1);
		cable(m, i, 1, 1000 + i, 1);
	}
	for (unsigned int i = 0; i < 2 * SWITCHES; i++) {
		struct ibc_port *a = port(m, 1 + draw(random, SWITCHES), 2 + draw(random, 11));
		struct ibc_port *z = port(m, 1 + draw(random, SWITCHES), 2 + draw(random, 11));

		if (a != z && !a->peer && !z->peer)
			cable(m, a->node->guid, a->num, z->node->guid, z->num);
	}
}

/* One step more for whoever has a neighbour that was reached in one less. */
static void search_from(const struct route_subnet *p, uint32_t from, unsigned int *switches)
{
	bool more = true;

	memset(switches, 0, SWITCHES * sizeof(*switches));
	switches[from] = 1;
	for (unsigned int n = 1; more; n++) {
		more = false;
		for (uint32_t s = 0; s < p->n; s++)
			for (unsigned int i = 2; switches[s] == n && i < p->width; i++) {
				uint32_t far = p->next_hop[s * p->width + i];

				if (far >= HOP_SPECIAL || switches[far >> 8])
					continue;
				switches[far >> 8] = n + 1;
				more = true;
			}
	}
}

static void it_is_what_a_plain_search_finds(void **state)
{
	unsigned int switches[SWITCHES];
	uint64_t random = 3;

	(void)state;
	for (unsigned int round = 0; round < 5; round++) {
		struct mkfab m = mkfab();
		struct ibc_routes *routes, *others;
		const struct route_subnet *p;
		struct ibc_fabric *fab;

		mk_random(m, &random);
		mk_tables(m, 10);
		fab = done(m);
		routes = analyze(fab, 1);
		others = analyze(fab, 4);
		p = &routes->subnets[0];
		assert_int_equal(p->num_senders, 100);
		assert_memory_equal(p->shortest, others->subnets[0].shortest, 100 * p->n);
		for (uint32_t i = 0; i < p->num_senders; i++) {
			search_from(p, p->senders[i], switches);
			for (uint32_t k = 0; k < p->num_senders; k++)
				assert_int_equal(between(p, p->senders[i], p->senders[k]),
				                 switches[p->senders[k]]);
		}
		ibc_routes_free(others);
		ibc_routes_free(routes);
		ibc_fabric_free(fab);
	}
}

static void subnets_are_searched_on_their_own(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_routes *routes;
	struct ibc_fabric *fab;

	(void)state;
	mk_row(m, 2);
	mk_tables(m, 10);
	m = mk_subnet(m, "storage");
	mk_row(m, 3);
	mk_tables(m, 10);
	fab = done(m);
	routes = analyze(fab, 2);
	assert_int_equal(routes->subnets[0].num_senders, 2);
	assert_int_equal(between(&routes->subnets[0], 0, 1), 2);
	assert_int_equal(between(&routes->subnets[1], 0, 2), 3);
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

static void no_memory_is_an_error(void **state)
{
	struct ibc_routes_opts opts = { .threads = 2 };
	struct mkfab m = mkfab();
	struct ibc_routes *routes;
	struct ibc_fabric *fab;
	int rc = -1;

	(void)state;
	mk_random(m, &(uint64_t){ 1 });
	mk_tables(m, 10);
	fab = done(m);
	for (unsigned long n = 1; rc; n++) {
		alloc_fail_at(n);
		rc = ibc_routes_analyze(fab, &opts, &routes, NULL);
		alloc_fail_at(0);
	}
	assert_int_equal(between(&routes->subnets[0], 0, 0), 1);
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ends_count),
		cmocka_unit_test(only_cables_that_carry_data_count),
		cmocka_unit_test(no_way_is_longer_than_can_be_told),
		cmocka_unit_test(it_is_what_a_plain_search_finds),
		cmocka_unit_test(subnets_are_searched_on_their_own),
		cmocka_unit_test(no_memory_is_an_error),
	};

	return cmocka_run_group_tests_name("shortest", tests, NULL, NULL);
}
