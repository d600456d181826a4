/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ibcheck/fattree.h>
#include <ibcheck/routes.h>

#include "base/arena.h"
#include "mkclos.h"

static const struct clos small = { .leaves = 3, .spines = 2, .hosts = 2, .cables = 1 };

static struct ibc_fabric *small_fabric(void)
{
	struct mkfab m = mkfab();

	mk_clos(m, &small);
	mk_d_mod_k(m, &small);
	return done(m);
}

static struct ibc_place place(const struct ibc_fabric *fab, uint64_t guid, unsigned int port)
{
	return (struct ibc_place){ ibc_fabric_node_by_guid(fab, guid), port };
}

static struct ibc_dependents *dependents(const struct ibc_fabric *fab, uint64_t guid,
                                         unsigned int port)
{
	struct ibc_place thing = place(fab, guid, port);
	struct ibc_fattree *tree;
	struct ibc_dependents *d;

	assert_int_equal(ibc_fattree_infer(fab, NULL, &tree, NULL), 0);
	assert_int_equal(ibc_dependents_find(fab, tree, &thing, 1, &d, NULL), 0);
	ibc_fattree_free(tree);
	return d;
}

static void with_a_leaf_its_hosts_go(void **state)
{
	struct ibc_fabric *fab = small_fabric();
	struct ibc_dependents *d = dependents(fab, clos_leaf(1), 0);

	(void)state;
	assert_true(d->has_routes);
	assert_int_equal(d->num_cut_off, 2);
	assert_string_equal(d->cut_off[0], "host03");
	assert_string_equal(d->cut_off[1], "host04");
	assert_int_equal(d->num_lose_ports, 0);
	assert_int_equal(d->num_lose_routes, 6);
	assert_int_equal(d->cut_pairs, 6 * 5 - 4 * 3);
	assert_int_equal(d->pairs, 6 * 5 - 4 * 3);
	assert_int_equal(d->reroutes, 0);
	assert_string_equal(d->uplinks.tier, "leaf");
	assert_true(d->uplinks.up_gbps > 599 && d->uplinks.up_gbps < 601);
	assert_true(d->uplinks.lost_gbps > 199 && d->uplinks.lost_gbps < 201);
	assert_int_equal(d->uplinks.switches, 0);
	assert_null(d->uplinks.worst);
	ibc_dependents_free(d);
	ibc_fabric_free(fab);
}

static void with_a_spine_routes_and_uplinks_go(void **state)
{
	struct ibc_fabric *fab = small_fabric();
	struct ibc_dependents *d = dependents(fab, clos_spine(0), 0);

	(void)state;
	assert_int_equal(d->num_cut_off, 0);
	assert_int_equal(d->cut_pairs, 0);
	assert_int_equal(d->pairs, 3 * 4);
	assert_int_equal(d->reroutes, 3 * 4);
	assert_int_equal(d->num_lose_routes, 6);
	assert_int_equal(d->uplinks.switches, 3);
	assert_int_equal(d->uplinks.worst->guid, clos_leaf(0));
	assert_int_equal(d->uplinks.uplinks, 2);
	assert_int_equal(d->uplinks.lost, 1);
	ibc_dependents_free(d);
	ibc_fabric_free(fab);
}

static void a_port_stands_for_its_cable_from_either_end(void **state)
{
	struct ibc_fabric *fab = small_fabric();
	struct ibc_dependents *low = dependents(fab, clos_leaf(0), clos_up(&small, 0, 0));
	struct ibc_dependents *high = dependents(fab, clos_spine(0), clos_down(&small, 0, 0));

	(void)state;
	assert_int_equal(low->pairs, 2 * 2 + 4 * 1);
	assert_int_equal(high->pairs, low->pairs);
	assert_int_equal(low->num_cut_off, 0);
	assert_int_equal(low->uplinks.switches, 1);
	assert_int_equal(high->uplinks.worst->guid, clos_leaf(0));
	ibc_dependents_free(low);
	ibc_dependents_free(high);
	ibc_fabric_free(fab);
}

static void a_host_is_cut_off_with_its_only_cable(void **state)
{
	struct ibc_fabric *fab = small_fabric();
	struct ibc_dependents *d[] = {
		dependents(fab, clos_host(&small, 1, 0), 1),
		dependents(fab, clos_host(&small, 1, 0), 0),
		dependents(fab, clos_leaf(1), 1),
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(d[i]->num_cut_off, 1);
		assert_string_equal(d[i]->cut_off[0], "host03");
		assert_int_equal(d[i]->cut_pairs, 10);
		assert_int_equal(d[i]->pairs, 10);
		assert_null(d[i]->uplinks.tier);
		ibc_dependents_free(d[i]);
	}
	ibc_fabric_free(fab);
}

static void a_host_with_another_hca_keeps_it(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_dependents *d;
	struct ibc_fabric *fab;

	(void)state;
	mk_clos(m, &small);
	mk_ca(m, 0x99, "host01 mlx5_1", 1);
	cable(m, clos_leaf(2), 5, 0x99, 1);
	fab = done(m);
	d = dependents(fab, clos_leaf(0), 0);
	assert_false(d->has_routes);
	assert_int_equal(d->pairs, 0);
	assert_int_equal(d->num_lose_routes, 0);
	assert_int_equal(d->num_cut_off, 1);
	assert_string_equal(d->cut_off[0], "host02");
	assert_int_equal(d->num_lose_ports, 1);
	assert_string_equal(d->lose_ports[0], "host01");
	ibc_dependents_free(d);
	ibc_fabric_free(fab);
}

/* Switches in a row, 1 to 4, with a host at each, 11 to 14: the smaller part is cut off. */
static void of_two_parts_the_one_with_fewer_hosts_is_cut_off(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_dependents *d;
	struct ibc_fabric *fab;

	(void)state;
	for (unsigned int i = 1; i <= 4; i++) {
		mk_switch(m, i, "sw", 3);
		mk_ca(m, 10 + i, i == 1 ? "first" : "other", 1);
		cable(m, i, 1, 10 + i, 1);
		if (i > 1)
			cable(m, i - 1, 3, i, 2);
	}
	fab = done(m);
	d = dependents(fab, 1, 3);
	assert_int_equal(d->num_cut_off, 1);
	assert_string_equal(d->cut_off[0], "first");
	assert_int_equal(d->cut_pairs, 4 * 3 - 3 * 2);
	ibc_dependents_free(d);
	ibc_fabric_free(fab);
}

/* ---- against every route on its own ----------------------------------------------------- */

static bool is_at(const struct ibc_port *port, const struct ibc_place *things, size_t n)
{
	for (size_t i = 0; port && i < n; i++)
		if (port->node == things[i].node &&
		    (!things[i].port || things[i].port == port->num))
			return true;
	return false;
}

static bool passes(const struct ibc_path *path, const struct ibc_place *things, size_t n)
{
	for (size_t i = 0; i < path->num; i++)
		if (is_at(path->out[i], things, n) || is_at(path->out[i]->peer, things, n))
			return true;
	return false;
}

static void count_pair(void *ctx, const struct ibc_port *src, const struct ibc_port *dst,
                       unsigned int dlid)
{
	struct ibc_path path;
	uint64_t *n = ctx;

	assert_ptr_not_equal(src, dst);
	assert_int_equal(ibc_path_find(src, dlid, &path, NULL), 0);
	++*n;
}

static bool goes_by(const struct ibc_port *src, const struct ibc_port *dst,
                    const struct ibc_place *things, size_t n)
{
	struct ibc_path path;

	assert_int_equal(ibc_path_find(src, dst->lid, &path, NULL), 0);
	return src != dst && passes(&path, things, n);
}

/* All of these ports, or those whose bit is set. */
static void expect_among(const struct ibc_fabric *fab, struct ibc_dependents *d, unsigned int set)
{
	const struct ibc_port *ports[8];
	bool is_end[8] = { false };
	size_t n = 0;

	for (unsigned int i = 0; i < small.leaves * small.hosts; i++)
		if (set >> i & 1)
			ports[n++] = &place(fab, 101 + i, 0).node->ports[1];
	ibc_dependents_among(d, ports, n, is_end);
	for (size_t i = 0; i < n; i++) {
		bool goes = false;

		for (size_t k = 0; k < n; k++)
			goes |= goes_by(ports[i], ports[k], d->places, d->num_places) ||
			        goes_by(ports[k], ports[i], d->places, d->num_places);
		assert_int_equal(is_end[i], goes);
	}
}

static void expect_like_paths(const struct ibc_fabric *fab, const struct ibc_place *things,
                              size_t n)
{
	struct ibc_dependents *d;
	uint64_t pairs = 0, each = 0;

	assert_int_equal(ibc_dependents_find(fab, NULL, things, n, &d, NULL), 0);
	for (unsigned int i = 0; i < small.leaves * small.hosts; i++)
		for (unsigned int k = 0; k < small.leaves * small.hosts; k++)
			pairs += goes_by(&place(fab, 101 + i, 0).node->ports[1],
			                 &place(fab, 101 + k, 0).node->ports[1], things, n);
	ibc_dependents_each(d, count_pair, &each);
	assert_int_equal(each, pairs);
	assert_int_equal(d->pairs, pairs);
	for (unsigned int set = 0; set < 64; set++)
		expect_among(fab, d, set);
	ibc_dependents_free(d);
}

static void pairs_are_those_whose_routes_lead_by_it(void **state)
{
	struct ibc_fabric *fab = small_fabric();
	const struct ibc_port *p;

	(void)state;
	for (size_t i = 0; (p = ibc_fabric_port(fab, i)); i++)
		expect_like_paths(fab, &(struct ibc_place){ p->node, p->num }, 1);
	ibc_fabric_free(fab);
}

/* What goes by two of them is counted once. */
static void pairs_of_several_things_are_counted_once(void **state)
{
	struct ibc_fabric *fab = small_fabric();
	const struct ibc_port *p, *q;

	(void)state;
	for (size_t i = 0; (p = ibc_fabric_port(fab, i)); i++)
		for (size_t k = i; (q = ibc_fabric_port(fab, k)); k += 3)
			expect_like_paths(
			    fab, (struct ibc_place[]){ { p->node, p->num }, { q->node, q->num } },
			    2);
	ibc_fabric_free(fab);
}

/* One uplink is no loss to its hosts, both are. */
static void two_uplinks_together_cut_off_what_each_does_not(void **state)
{
	struct ibc_fabric *fab = small_fabric();
	struct ibc_place things[] = { place(fab, clos_leaf(0), clos_up(&small, 0, 0)),
		                      place(fab, clos_spine(1), clos_down(&small, 0, 0)) };
	struct ibc_fattree *tree;
	struct ibc_dependents *d;
	struct ibc_fabric *rest;

	(void)state;
	assert_int_equal(ibc_fattree_infer(fab, NULL, &tree, NULL), 0);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(ibc_dependents_find(fab, tree, &things[i], 1, &d, NULL), 0);
		assert_int_equal(d->num_cut_off, 0);
		ibc_dependents_free(d);
	}
	assert_int_equal(ibc_dependents_find(fab, tree, things, 2, &d, NULL), 0);
	assert_int_equal(d->num_cut_off, 2);
	assert_string_equal(d->cut_off[0], "host01");
	assert_int_equal(d->cut_pairs, 6 * 5 - 4 * 3 - 2);
	assert_int_equal(d->num_losses, 1);
	assert_int_equal(d->losses[0].node->guid, clos_leaf(0));
	assert_string_equal(d->losses[0].tier, "leaf");
	assert_int_equal(d->losses[0].links, 2);
	assert_int_equal(d->losses[0].lost, 2);
	assert_true(ibc_dependents_cuts(d, &place(fab, 101, 0).node->ports[1]));
	assert_true(ibc_dependents_cuts(d, &place(fab, clos_leaf(0), 0).node->ports[0]));
	assert_false(ibc_dependents_cuts(d, &place(fab, clos_leaf(1), 0).node->ports[0]));
	assert_int_equal(ibc_fabric_without(fab, things, 2, &rest, NULL), 0);
	assert_int_equal(ibc_fabric_count(rest).cables, ibc_fabric_count(fab).cables - 2);
	assert_int_equal(ibc_fabric_count(rest).nodes, ibc_fabric_count(fab).nodes);
	ibc_fabric_free(rest);
	ibc_dependents_free(d);
	ibc_fattree_free(tree);
	ibc_fabric_free(fab);
}

static void the_rest_is_whole_but_for_what_goes(void **state)
{
	struct ibc_fabric *fab = small_fabric(), *rest;
	struct ibc_place spine = place(fab, clos_spine(0), 0);
	const struct ibc_node *leaf;

	(void)state;
	assert_int_equal(ibc_fabric_without(fab, &spine, 1, &rest, NULL), 0);
	assert_null(ibc_fabric_node_by_guid(rest, clos_spine(0)));
	assert_int_equal(ibc_fabric_count(rest).cables, ibc_fabric_count(fab).cables - 3);
	leaf = ibc_fabric_node_by_guid(rest, clos_leaf(0));
	assert_string_equal(leaf->label, place(fab, clos_leaf(0), 0).node->label);
	assert_null(leaf->ports[clos_up(&small, 0, 0)].peer);
	assert_int_equal(leaf->ports[clos_up(&small, 0, 0)].state, IBC_STATE_DOWN);
	assert_non_null(leaf->ports[clos_up(&small, 1, 0)].peer);
	assert_int_equal(ibc_fabric_count(rest).hosts, 6);
	ibc_fabric_free(rest);
	ibc_fabric_free(fab);
}

static void no_memory_is_an_error(void **state)
{
	struct ibc_fabric *fab = small_fabric();
	struct ibc_place thing = place(fab, 1, 0);
	struct ibc_dependents *d;
	unsigned long n = 0;
	int rc;

	(void)state;
	do {
		alloc_fail_at(++n);
		rc = ibc_dependents_find(fab, NULL, &thing, 1, &d, NULL);
		alloc_fail_at(0);
		assert_true(rc ? rc == -ENOMEM && !d : n > 10);
	} while (rc);
	ibc_dependents_free(d);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_a_leaf_its_hosts_go),
		cmocka_unit_test(with_a_spine_routes_and_uplinks_go),
		cmocka_unit_test(a_port_stands_for_its_cable_from_either_end),
		cmocka_unit_test(a_host_is_cut_off_with_its_only_cable),
		cmocka_unit_test(a_host_with_another_hca_keeps_it),
		cmocka_unit_test(of_two_parts_the_one_with_fewer_hosts_is_cut_off),
		cmocka_unit_test(pairs_are_those_whose_routes_lead_by_it),
		cmocka_unit_test(pairs_of_several_things_are_counted_once),
		cmocka_unit_test(two_uplinks_together_cut_off_what_each_does_not),
		cmocka_unit_test(the_rest_is_whole_but_for_what_goes),
		cmocka_unit_test(no_memory_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
