/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ibcheck/routes.h>

#include "base/arena.h"
#include "mkclos.h"

static const struct clos small = { .leaves = 2, .spines = 2, .hosts = 2, .cables = 1 };

static const struct ibc_port *port_of(const struct ibc_fabric *fab, uint64_t guid, unsigned int num)
{
	return ibc_node_port(ibc_fabric_node_by_guid(fab, guid), num);
}

static struct ibc_path find(const struct ibc_fabric *fab, uint64_t src, unsigned int dlid)
{
	const struct ibc_node *node = ibc_fabric_node_by_guid(fab, src);
	struct ibc_path path;

	assert_int_equal(
	    ibc_path_find(&node->ports[node->type != IBC_NODE_SWITCH], dlid, &path, NULL), 0);
	return path;
}

static void expect_hop(const struct ibc_path *path, size_t i, uint64_t guid, unsigned int num)
{
	assert_true(i < path->num);
	assert_int_equal(path->out[i]->node->guid, guid);
	assert_int_equal(path->out[i]->num, num);
}

static void a_way_is_told_hop_by_hop(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;
	struct ibc_path path;

	(void)state;
	mk_clos(m, &small);
	mk_d_mod_k(m, &small);
	fab = done(m);
	path = find(fab, 101, 104);
	assert_int_equal(path.end, IBC_ROUTE_ARRIVES);
	assert_int_equal(path.num, 4);
	expect_hop(&path, 0, 101, 1);
	expect_hop(&path, 1, 1, 4);
	expect_hop(&path, 2, 52, 2);
	expect_hop(&path, 3, 2, 2);
	assert_ptr_equal(path.dst, port_of(fab, 104, 1));
	assert_false(path.sl_known);
	assert_int_equal(path.vl[1], IBC_VL_UNKNOWN);
	ibc_fabric_free(fab);
}

/* A row of switches with a host at each end: 1001 and 1002. */
static struct ibc_fabric *row_of(unsigned int switches)
{
	struct mkfab m = mkfab();

	for (unsigned int i = 1; i <= switches; i++) {
		mk_switch(m, i, "sw", 3);
		if (i > 1)
			cable(m, i - 1, 3, i, 2);
	}
	mk_ca(m, 1001, "host01 mlx5_0", 1);
	mk_ca(m, 1002, "host02 mlx5_0", 1);
	cable(m, 1, 1, 1001, 1);
	cable(m, switches, 1, 1002, 1);
	mk_min_hop(m, mk_tables(m, 1003));
	return done(m);
}

/* What goes by LIDs has no count of hops (IBA 7.7): the way arrives, for whoever looks. */
static void a_way_of_many_switches_arrives(void **state)
{
	struct ibc_fabric *fab = row_of(100);
	struct ibc_routes *routes = analyze(fab, 1);
	const struct ibc_route_sums *sums = ibc_routes_sums(routes, 0);
	struct ibc_path path = find(fab, 1001, 1002);

	(void)state;
	assert_int_equal(path.end, IBC_ROUTE_ARRIVES);
	assert_int_equal(path.num, 101);
	assert_int_equal(sums->routed, 2);
	assert_int_equal(sums->hops_longest, 100);
	assert_int_equal(ibc_routes_bandwidth(routes, 0)->hosts, 2);
	assert_null(ibc_routes_longer(routes, 0));
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

static void a_way_of_too_many_switches_is_unknown_and_no_loop(void **state)
{
	struct ibc_fabric *fab = row_of(IBC_HOPS_MAX + 1);
	struct ibc_path path = find(fab, 1001, 1002);

	(void)state;
	assert_int_equal(path.end, IBC_ROUTE_UNKNOWN);
	assert_int_equal(path.num, IBC_HOPS_MAX + 1);
	ibc_fabric_free(fab);
	fab = row_of(IBC_HOPS_MAX);
	path = find(fab, 1001, 1002);
	assert_int_equal(path.end, IBC_ROUTE_ARRIVES);
	ibc_fabric_free(fab);
}

static void switches_send_and_receive_by_port_0(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;
	struct ibc_path path;

	(void)state;
	mk_clos(m, &small);
	mk_d_mod_k(m, &small);
	fab = done(m);
	path = find(fab, 1, 52);
	assert_int_equal(path.end, IBC_ROUTE_ARRIVES);
	assert_int_equal(path.num, 1);
	expect_hop(&path, 0, 1, 4);
	path = find(fab, 1, 1);
	assert_int_equal(path.end, IBC_ROUTE_ARRIVES);
	assert_int_equal(path.num, 0);
	path = find(fab, 101, 101);
	assert_int_equal(path.end, IBC_ROUTE_ARRIVES);
	assert_int_equal(path.num, 0);
	ibc_fabric_free(fab);
}

/* Levels 0 -> lane 0, 3 -> lane 2. */
static void tell_lanes(struct mkfab m, uint64_t guid, unsigned int width)
{
	uint8_t *vl = arena_alloc(fabric_build_arena(m.b), 16);
	struct ibc_sl2vl *t = arena_alloc(fabric_build_arena(m.b), sizeof(*t));

	vl[3] = 2;
	*t = (struct ibc_sl2vl){ .vl = vl, .width = width, .uniform = true };
	fabric_build_find(m.b, m.subnet, guid)->sl2vl = t;
}

static void levels_come_from_subnet_administration_and_lanes_from_tables(void **state)
{
	static const struct ibc_path_sl levels[] = {
		{ .slid = 102, .dlid = 103, .sl = 1 },
		{ .slid = 101, .dlid = 104, .sl = 3 },
		{ .slid = 103, .dlid = 104, .sl = 4 },
	};
	static const struct ibc_sa sa = { .paths = levels, .num_paths = 3 };
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;
	struct ibc_path path;

	(void)state;
	mk_clos(m, &small);
	mk_d_mod_k(m, &small);
	m.subnet->sa = &sa;
	tell_lanes(m, 1, 7);
	fab = done(m);
	path = find(fab, 101, 104);
	assert_true(path.sl_known);
	assert_int_equal(path.sl, 3);
	assert_int_equal(path.vl[0], IBC_VL_UNKNOWN);
	assert_int_equal(path.vl[1], 2);
	assert_int_equal(path.vl[2], IBC_VL_UNKNOWN);
	path = find(fab, 102, 104);
	assert_false(path.sl_known);
	assert_int_equal(path.sl, 0);
	assert_int_equal(path.vl[1], 0);
	ibc_fabric_free(fab);
}

/* Any of the sender's LIDs may be the one the path was asked for. */
static void the_level_of_any_lid_of_the_sender_holds(void **state)
{
	static const struct ibc_path_sl level = { .slid = 103, .dlid = 104, .sl = 5 };
	static const struct ibc_sa sa = { .paths = &level, .num_paths = 1 };
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;

	(void)state;
	mk_clos(m, &small);
	mk_d_mod_k(m, &small);
	port(m, 102, 1)->lmc = 1;
	m.subnet->sa = &sa;
	fab = done(m);
	assert_int_equal(find(fab, 102, 104).sl, 5);
	assert_false(find(fab, 101, 104).sl_known);
	ibc_fabric_free(fab);
}

/* One change to a healthy tree, and how the way from host 101 to 104 ends after how many ports. */
static const struct ending {
	uint64_t at; /* switch */
	uint8_t entry;
	enum ibc_route_end end;
	size_t num;
} endings[] = {
	{ 1, IBC_NO_ENTRY, IBC_ROUTE_NO_ENTRY, 1 },
	{ 52, IBC_NO_ENTRY, IBC_ROUTE_NO_ENTRY, 2 },
	{ 52, 3, IBC_ROUTE_DOWN, 3 },
	{ 52, 200, IBC_ROUTE_NO_PORT, 2 },
	{ 52, 0, IBC_ROUTE_NO_PORT, 2 },
	{ 2, 1, IBC_ROUTE_ELSEWHERE, 4 },
	{ 52, 1, IBC_ROUTE_LOOP, 3 },
};

static void a_way_ends_where_the_tables_end_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		struct mkfab m = mkfab();
		struct fabric_forwarding *f;
		struct ibc_fabric *fab;
		struct ibc_path path;

		mk_clos(m, &small);
		f = mk_d_mod_k(m, &small);
		*mk_entry(f, endings[i].at, 104) = endings[i].entry;
		fab = done(m);
		path = find(fab, 101, 104);
		assert_int_equal(path.end, endings[i].end);
		assert_int_equal(path.num, endings[i].num);
		ibc_fabric_free(fab);
	}
}

static void a_loop_ends_at_the_switch_it_comes_back_to(void **state)
{
	struct mkfab m = mkfab();
	struct fabric_forwarding *f;
	struct ibc_fabric *fab;
	struct ibc_path path;

	(void)state;
	mk_clos(m, &small);
	f = mk_d_mod_k(m, &small);
	*mk_entry(f, 2, 104) = 3;
	fab = done(m);
	path = find(fab, 101, 104);
	assert_int_equal(path.end, IBC_ROUTE_LOOP);
	assert_int_equal(path.num, 5);
	expect_hop(&path, 3, 2, 3);
	expect_hop(&path, 4, 51, 2);
	assert_ptr_equal(path.out[4]->peer->node, path.out[3]->node);
	ibc_fabric_free(fab);
}

static void what_was_not_read_is_not_known(void **state)
{
	struct mkfab m = mkfab();
	struct fabric_forwarding *f;
	struct ibc_fabric *fab;
	struct ibc_path path;

	(void)state;
	mk_clos(m, &small);
	f = mk_d_mod_k(m, &small);
	mk_unread(f, 52, 104);
	fab = done(m);
	path = find(fab, 101, 104);
	assert_int_equal(path.end, IBC_ROUTE_UNKNOWN);
	assert_int_equal(path.num, 2);
	assert_int_equal(find(fab, 101, 103).end, IBC_ROUTE_ARRIVES);
	assert_int_equal(find(fab, 52, 5000).end, IBC_ROUTE_UNKNOWN);
	assert_int_equal(find(fab, 51, 5000).end, IBC_ROUTE_NO_ENTRY);
	ibc_fabric_free(fab);
}

static void a_switch_has_no_entry_above_its_top(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;

	(void)state;
	mk_clos(m, &small);
	mk_d_mod_k(m, &small);
	fabric_build_find(m.b, m.subnet, 52)->lft_top = 103;
	fab = done(m);
	assert_int_equal(find(fab, 101, 104).end, IBC_ROUTE_NO_ENTRY);
	assert_int_equal(find(fab, 101, 104).num, 2);
	assert_int_equal(find(fab, 101, 103).end, IBC_ROUTE_ARRIVES);
	assert_int_equal(ibc_path_using(port_of(fab, 52, 2), NULL, NULL, NULL), 0);
	ibc_fabric_free(fab);
}

static void a_host_that_did_not_tell_its_lid_may_be_the_one(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;

	(void)state;
	mk_clos(m, &small);
	mk_d_mod_k(m, &small);
	answers_put(port(m, 104, 1), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	port(m, 104, 1)->lid = 0;
	fab = done(m);
	assert_int_equal(find(fab, 101, 104).end, IBC_ROUTE_UNKNOWN);
	ibc_fabric_free(fab);
}

static void a_host_without_a_link_sends_nothing(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;

	(void)state;
	mk_clos(m, &small);
	mk_d_mod_k(m, &small);
	port(m, 101, 1)->state = IBC_STATE_INIT;
	fab = done(m);
	assert_int_equal(find(fab, 101, 104).end, IBC_ROUTE_DOWN);
	assert_int_equal(find(fab, 101, 104).num, 1);
	ibc_fabric_free(fab);
}

static void without_tables_no_way_is_known(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;
	struct ibc_error err;
	struct ibc_path path;

	(void)state;
	mk_clos(m, &small);
	fab = done(m);
	assert_int_equal(ibc_path_find(port_of(fab, 101, 1), 104, &path, &err), -ENODATA);
	assert_string_equal(err.text, "test: no linear forwarding tables (LFTs) are known");
	assert_int_equal(ibc_path_using(port_of(fab, 1, 3), NULL, NULL, &err), -ENODATA);
	ibc_fabric_free(fab);
}

/* ---- by cabling --------------------------------------------------------------------------- */

static struct ibc_path by_cabling(const struct ibc_port *src, const struct ibc_port *dst)
{
	struct ibc_path path;

	assert_int_equal(ibc_path_by_cabling(src, dst, &path, NULL), 0);
	assert_ptr_equal(path.src, src);
	assert_ptr_equal(path.dst, dst);
	return path;
}

static void without_tables_cables_have_a_shortest_way(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;
	struct ibc_path path;

	(void)state;
	mk_clos(m, &small);
	fab = done(m);
	path = by_cabling(port_of(fab, 101, 1), port_of(fab, 104, 1));
	assert_int_equal(path.end, IBC_ROUTE_ARRIVES);
	assert_int_equal(path.num, 4);
	expect_hop(&path, 0, 101, 1);
	expect_hop(&path, 1, 1, 3);
	expect_hop(&path, 2, 51, 2);
	expect_hop(&path, 3, 2, 2);
	path = by_cabling(port_of(fab, 51, 0), port_of(fab, 101, 1));
	assert_int_equal(path.num, 2);
	path = by_cabling(port_of(fab, 51, 0), port_of(fab, 51, 0));
	assert_int_equal(path.end, IBC_ROUTE_ARRIVES);
	assert_int_equal(path.num, 0);
	ibc_fabric_free(fab);
}

/* A host with two ports is no switch, and a cable that is down leads nowhere. */
static void no_cable_is_no_way(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;

	(void)state;
	mk_switch(m, 1, "sw1", 2);
	mk_switch(m, 2, "sw2", 2);
	mk_ca(m, 11, "host01 mlx5_0", 2);
	mk_ca(m, 12, "host02 mlx5_0", 1);
	cable(m, 1, 1, 11, 1);
	cable(m, 2, 1, 11, 2);
	cable(m, 2, 2, 12, 1);
	fab = done(m);
	assert_int_equal(by_cabling(port_of(fab, 11, 1), port_of(fab, 12, 1)).end,
	                 IBC_ROUTE_UNKNOWN);
	assert_int_equal(by_cabling(port_of(fab, 11, 2), port_of(fab, 12, 1)).num, 2);
	ibc_fabric_free(fab);
}

static void too_many_cables_are_not_spelled_out(void **state)
{
	struct ibc_fabric *fab = row_of(IBC_HOPS_MAX + 1);
	struct ibc_path path = by_cabling(port_of(fab, 1001, 1), port_of(fab, 1002, 1));

	(void)state;
	assert_int_equal(path.end, IBC_ROUTE_UNKNOWN);
	assert_int_equal(path.num, 0);
	ibc_fabric_free(fab);
}

/* ---- who uses a port ---------------------------------------------------------------------- */

#define PAIRS_MAX 4096

struct pairs {
	struct {
		const struct ibc_port *src, *dst;
		unsigned int dlid;
	} list[PAIRS_MAX];
	size_t n;
};

static void take_pair(void *ctx, const struct ibc_port *src, const struct ibc_port *dst,
                      unsigned int dlid)
{
	struct pairs *pairs = ctx;

	assert_true(pairs->n < PAIRS_MAX);
	pairs->list[pairs->n].src = src;
	pairs->list[pairs->n].dst = dst;
	pairs->list[pairs->n++].dlid = dlid;
}

static bool goes_by(const struct ibc_port *src, unsigned int dlid, const struct ibc_port *port)
{
	struct ibc_path path;

	assert_int_equal(ibc_path_find(src, dlid, &path, NULL), 0);
	for (size_t i = 0; i < path.num; i++)
		if (path.out[i] == port)
			return true;
	return false;
}

/* All pairs, each followed on its own; hosts have one port each. */
static void follow_all(const struct ibc_fabric *fab, const struct ibc_port *port,
                       struct pairs *pairs)
{
	const struct ibc_node *src, *dst;

	pairs->n = 0;
	for (size_t i = 0; (src = ibc_fabric_node(fab, i)); i++) {
		if (src->type == IBC_NODE_SWITCH || src->subnet != port->node->subnet)
			continue;
		for (size_t k = 0; (dst = ibc_fabric_node(fab, k)); k++) {
			const struct ibc_port *to = &dst->ports[1];

			if (dst->type == IBC_NODE_SWITCH || dst == src ||
			    dst->subnet != src->subnet)
				continue;
			for (unsigned int lid = to->lid; lid < to->lid + (1u << to->lmc); lid++)
				if (goes_by(&src->ports[1], lid, port))
					take_pair(pairs, &src->ports[1], to, lid);
		}
	}
}

static struct pairs found, naive;

static void expect_like_all_pairs(const struct ibc_fabric *fab)
{
	const struct ibc_port *port;
	int64_t n;

	for (size_t i = 0; (port = ibc_fabric_port(fab, i)); i++) {
		found.n = 0;
		n = ibc_path_using(port, take_pair, &found, NULL);
		follow_all(fab, port, &naive);
		assert_int_equal(n, naive.n);
		assert_int_equal(found.n, naive.n);
		assert_memory_equal(found.list, naive.list, naive.n * sizeof(naive.list[0]));
	}
}

static void a_cable_is_used_by_the_pairs_whose_ways_lead_by_it(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;

	(void)state;
	mk_clos(m, &small);
	mk_d_mod_k(m, &small);
	fab = done(m);
	assert_int_equal(ibc_path_using(port_of(fab, 1, 3), NULL, NULL, NULL), 2);
	assert_int_equal(ibc_path_using(port_of(fab, 51, 1), NULL, NULL, NULL), 2);
	assert_int_equal(ibc_path_using(port_of(fab, 2, 2), NULL, NULL, NULL), 3);
	assert_int_equal(ibc_path_using(port_of(fab, 101, 1), NULL, NULL, NULL), 3);
	expect_like_all_pairs(fab);
	ibc_fabric_free(fab);
}

static void several_lids_are_several_pairs(void **state)
{
	struct mkfab m = mkfab();
	struct fabric_forwarding *f;
	struct ibc_fabric *fab;

	(void)state;
	mk_clos(m, &small);
	port(m, 104, 1)->lmc = 1;
	f = mk_d_mod_k(m, &small);
	*mk_entry(f, 1, 105) = 3;
	*mk_entry(f, 51, 105) = 2;
	*mk_entry(f, 2, 105) = 2;
	fab = done(m);
	assert_int_equal(ibc_path_using(port_of(fab, 1, 3), NULL, NULL, NULL), 4);
	expect_like_all_pairs(fab);
	ibc_fabric_free(fab);
}

static void whatever_the_tables_say_it_agrees_with_following_all_pairs(void **state)
{
	static const struct clos c = { .leaves = 4, .spines = 2, .hosts = 3, .cables = 2 };
	uint64_t random = 7;

	(void)state;
	for (unsigned int round = 0; round < 8; round++) {
		struct mkfab m = mkfab();
		struct fabric_forwarding *f;
		struct ibc_fabric *fab;

		mk_clos(m, &c);
		f = mk_d_mod_k(m, &c);
		mk_nonsense(f, 100 * round, &random);
		if (round % 2)
			mk_unread(f, 2, 101);
		m = mk_subnet(m, "storage");
		mk_clos(m, &small);
		mk_d_mod_k(m, &small);
		fab = done(m);
		expect_like_all_pairs(fab);
		ibc_fabric_free(fab);
	}
}

static void no_memory_is_an_error(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;
	int64_t n = -ENOMEM;

	(void)state;
	mk_clos(m, &small);
	mk_d_mod_k(m, &small);
	fab = done(m);
	for (unsigned long i = 1; n == -ENOMEM; i++) {
		alloc_fail_at(i);
		n = ibc_path_using(port_of(fab, 1, 3), NULL, NULL, NULL);
		alloc_fail_at(0);
	}
	assert_int_equal(n, 2);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_way_is_told_hop_by_hop),
		cmocka_unit_test(a_way_of_many_switches_arrives),
		cmocka_unit_test(a_way_of_too_many_switches_is_unknown_and_no_loop),
		cmocka_unit_test(switches_send_and_receive_by_port_0),
		cmocka_unit_test(levels_come_from_subnet_administration_and_lanes_from_tables),
		cmocka_unit_test(the_level_of_any_lid_of_the_sender_holds),
		cmocka_unit_test(a_way_ends_where_the_tables_end_it),
		cmocka_unit_test(a_loop_ends_at_the_switch_it_comes_back_to),
		cmocka_unit_test(what_was_not_read_is_not_known),
		cmocka_unit_test(a_switch_has_no_entry_above_its_top),
		cmocka_unit_test(a_host_that_did_not_tell_its_lid_may_be_the_one),
		cmocka_unit_test(a_host_without_a_link_sends_nothing),
		cmocka_unit_test(without_tables_no_way_is_known),
		cmocka_unit_test(without_tables_cables_have_a_shortest_way),
		cmocka_unit_test(no_cable_is_no_way),
		cmocka_unit_test(too_many_cables_are_not_spelled_out),
		cmocka_unit_test(a_cable_is_used_by_the_pairs_whose_ways_lead_by_it),
		cmocka_unit_test(several_lids_are_several_pairs),
		cmocka_unit_test(whatever_the_tables_say_it_agrees_with_following_all_pairs),
		cmocka_unit_test(no_memory_is_an_error),
	};

	return cmocka_run_group_tests_name("path", tests, NULL, NULL);
}
