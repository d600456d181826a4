/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ibcheck/routes.h>

#include "base/arena.h"
#include "mkclos.h"

#define MLID IBC_MLID_FIRST

/* Leaves 1 and 2 with hosts 101, 102 and 103, 104; spines 51 and 52. */
static const struct clos small = { .leaves = 2, .spines = 2, .hosts = 2, .cables = 1 };

struct scene {
	struct mkfab m;
	struct fabric_multicast *f;
	struct ibc_sa sa;
	struct ibc_fabric *fab;
	struct ibc_routes *routes;
};

static void send_by(struct scene *s, unsigned int mlid, uint64_t guid, unsigned int num)
{
	const struct ibc_multicast *t = &s->f->tables;

	for (size_t i = 0; i < t->num_switches; i++)
		if (t->switches[i]->guid == guid)
			s->f->ports[((mlid - IBC_MLID_FIRST) * t->num_switches + i) * 4 +
			            num / 64] ^= 1ull << num % 64;
}

/* A set that is there is taken out of it. */
static void not_by(struct scene *s, unsigned int mlid, uint64_t guid, unsigned int num)
{
	send_by(s, mlid, guid, num);
}

static void answer(const struct ibc_node *node, enum answer outcome)
{
	answers_put(((struct ibc_node *)node), IBC_ATTR_MFT, outcome);
}

static void mk_multicast(struct scene *s, unsigned int num_mlids)
{
	mk_tables(s->m, CLOS_LIDS);
	s->f = fabric_build_multicast(s->m.b, s->m.subnet, num_mlids);
	assert_non_null(s->f);
	ibc_attrs_add(&s->m.subnet->provides, IBC_ATTR_MFT);
	s->m.subnet->sa = &s->sa;
	for (size_t i = 0; i < s->f->tables.num_switches; i++)
		answer(s->f->tables.switches[i], ANSWER_OK);
}

/* All four hosts, by spine 51. */
static struct scene scene(void)
{
	struct scene s = { .m = mkfab() };

	mk_clos(s.m, &small);
	return s;
}

static void plant(struct scene *s, unsigned int mlid)
{
	for (uint64_t leaf = 1; leaf <= 2; leaf++)
		for (unsigned int num = 1; num <= 3; num++)
			send_by(s, mlid, leaf, num);
	send_by(s, mlid, 51, 1);
	send_by(s, mlid, 51, 2);
}

static void look(struct scene *s)
{
	s->fab = done(s->m);
	assert_int_equal(ibc_routes_analyze(s->fab, NULL, &s->routes, NULL), 0);
}

static void end(struct scene *s)
{
	ibc_routes_free(s->routes);
	ibc_fabric_free(s->fab);
}

static void expect_fault(const struct scene *s, size_t i, enum ibc_tree_fault kind, uint64_t guid,
                         unsigned int num, size_t count)
{
	const struct ibc_multicast_fault *fault = ibc_routes_multicast_fault(s->routes, i);

	assert_non_null(fault);
	assert_int_equal(fault->fault, kind);
	assert_int_equal(fault->node->guid, guid);
	assert_int_equal(fault->port, num);
	assert_int_equal(fault->count, count);
}

static void expect_faults(const struct scene *s, size_t n)
{
	assert_null(ibc_routes_multicast_fault(s->routes, n));
	if (n)
		assert_non_null(ibc_routes_multicast_fault(s->routes, n - 1));
}

static void a_tree_that_reaches_all_has_no_fault(void **state)
{
	struct scene s = scene();
	const struct ibc_multicast_group *group;

	(void)state;
	mk_multicast(&s, 8);
	plant(&s, MLID + 3);
	look(&s);
	group = ibc_routes_multicast_group(s.routes, 0);
	assert_int_equal(group->mlid, MLID + 3);
	assert_int_equal(group->switches, 3);
	assert_int_equal(group->hosts, 4);
	assert_int_equal(group->members, 0);
	assert_int_equal(group->unknown, 0);
	assert_null(ibc_routes_multicast_group(s.routes, 1));
	expect_faults(&s, 0);
	end(&s);
}

static void a_cable_that_only_one_end_sends_by_is_one_sided(void **state)
{
	struct scene s = scene();

	(void)state;
	mk_multicast(&s, 1);
	plant(&s, MLID);
	not_by(&s, MLID, 51, 2);
	look(&s);
	expect_fault(&s, 0, IBC_TREE_ONE_SIDED, 2, 3, 1);
	expect_faults(&s, 1);
	end(&s);
}

static void a_switch_that_sends_to_one_without_a_set_is_one_sided(void **state)
{
	struct scene s = scene();

	(void)state;
	mk_multicast(&s, 1);
	plant(&s, MLID);
	send_by(&s, MLID, 1, 4);
	send_by(&s, MLID, 2, 4);
	look(&s);
	expect_fault(&s, 0, IBC_TREE_ONE_SIDED, 1, 4, 2);
	expect_faults(&s, 1);
	end(&s);
}

static void a_second_way_closes_a_ring(void **state)
{
	struct scene s = scene();

	(void)state;
	mk_multicast(&s, 1);
	plant(&s, MLID);
	send_by(&s, MLID, 1, 4);
	send_by(&s, MLID, 2, 4);
	send_by(&s, MLID, 52, 1);
	send_by(&s, MLID, 52, 2);
	look(&s);
	expect_fault(&s, 0, IBC_TREE_CYCLE, 2, 4, 1);
	expect_faults(&s, 1);
	end(&s);
}

static void two_cables_between_two_switches_are_a_ring(void **state)
{
	static const struct clos wide = { .leaves = 2, .spines = 1, .hosts = 1, .cables = 2 };
	struct scene s = { .m = mkfab() };

	(void)state;
	mk_clos(s.m, &wide);
	mk_multicast(&s, 1);
	for (unsigned int num = 2; num <= 3; num++)
		send_by(&s, MLID, 1, num);
	for (unsigned int num = 1; num <= 2; num++)
		send_by(&s, MLID, 51, num);
	look(&s);
	expect_fault(&s, 0, IBC_TREE_CYCLE, 1, 3, 1);
	expect_faults(&s, 1);
	end(&s);
}

static void a_tree_in_pieces_is_cut(void **state)
{
	struct scene s = scene();

	(void)state;
	mk_multicast(&s, 1);
	plant(&s, MLID);
	not_by(&s, MLID, 51, 1);
	not_by(&s, MLID, 1, 3);
	look(&s);
	expect_fault(&s, 0, IBC_TREE_CUT, 1, 0, 1);
	expect_faults(&s, 1);
	end(&s);
}

static void a_port_without_a_link_is_down(void **state)
{
	struct scene s = scene();

	(void)state;
	port(s.m, 104, 1)->state = IBC_STATE_INIT;
	mk_multicast(&s, 1);
	plant(&s, MLID);
	send_by(&s, MLID, 51, 3);
	send_by(&s, MLID, 51, 77);
	look(&s);
	expect_fault(&s, 0, IBC_TREE_DOWN, 2, 2, 3);
	expect_faults(&s, 1);
	assert_int_equal(ibc_routes_multicast_group(s.routes, 0)->hosts, 3);
	end(&s);
}

static void what_was_not_read_is_neither_cut_nor_one_sided(void **state)
{
	struct scene s = scene();

	(void)state;
	mk_multicast(&s, 1);
	plant(&s, MLID);
	not_by(&s, MLID, 51, 1);
	not_by(&s, MLID, 51, 2);
	for (size_t i = 0; i < 4; i++)
		if (s.f->tables.switches[i]->guid == 51)
			answers_put(((struct ibc_node *)s.f->tables.switches[i]), IBC_ATTR_MFT,
			            ANSWER_NONE);
	look(&s);
	assert_int_equal(ibc_routes_multicast_group(s.routes, 0)->unknown, 1);
	assert_int_equal(ibc_routes_multicast_group(s.routes, 0)->switches, 2);
	expect_faults(&s, 0);
	end(&s);
}

static void a_switch_may_be_a_member_itself(void **state)
{
	struct scene s = scene();

	(void)state;
	mk_multicast(&s, 1);
	plant(&s, MLID);
	send_by(&s, MLID, 51, 0);
	look(&s);
	assert_int_equal(ibc_routes_multicast_group(s.routes, 0)->hosts, 4);
	expect_faults(&s, 0);
	end(&s);
}

static void ports_past_the_first_64_count(void **state)
{
	struct scene s = { .m = mkfab() };

	(void)state;
	mk_switch(s.m, 1, "director", 200);
	mk_switch(s.m, 2, "leaf02", 4);
	mk_ca(s.m, 101, "host01 mlx5_0", 1);
	cable(s.m, 1, 130, 101, 1);
	cable(s.m, 1, 199, 2, 1);
	mk_multicast(&s, 1);
	send_by(&s, MLID, 1, 130);
	send_by(&s, MLID, 1, 199);
	look(&s);
	assert_int_equal(ibc_routes_multicast_group(s.routes, 0)->hosts, 1);
	expect_fault(&s, 0, IBC_TREE_ONE_SIDED, 1, 199, 1);
	expect_faults(&s, 1);
	end(&s);
}

/* ---- members ------------------------------------------------------------------------------ */

/* The GUID of a host's port is that of the host and 1. */
#define MEMBER(host)                                                                               \
	{                                                                                          \
		.port_guid = (host) + 1, .mlid = MLID, .join_state = 1                             \
	}

static void tell_members(struct scene *s, const struct ibc_mc_member *members, size_t n)
{
	s->sa.members = members;
	s->sa.num_members = n;
}

static void a_member_that_the_tree_does_not_reach_is_missing(void **state)
{
	static const struct ibc_mc_member members[] = { MEMBER(101), MEMBER(102), MEMBER(102),
		                                        MEMBER(104) };
	struct scene s = scene();

	(void)state;
	mk_multicast(&s, 1);
	tell_members(&s, members, 4);
	plant(&s, MLID);
	not_by(&s, MLID, 1, 2);
	look(&s);
	assert_int_equal(ibc_routes_multicast_group(s.routes, 0)->members, 3);
	expect_fault(&s, 0, IBC_TREE_MISSING, 1, 2, 1);
	expect_faults(&s, 1);
	end(&s);
}

static void a_group_without_any_tree_misses_all_members(void **state)
{
	static const struct ibc_mc_member members[] = { MEMBER(101), MEMBER(104) };
	struct scene s = scene();

	(void)state;
	mk_multicast(&s, 0);
	tell_members(&s, members, 2);
	look(&s);
	assert_null(ibc_routes_multicast_group(s.routes, 0));
	expect_fault(&s, 0, IBC_TREE_MISSING, 1, 1, 2);
	expect_faults(&s, 1);
	end(&s);
}

static void a_member_alone_needs_no_tree(void **state)
{
	static const struct ibc_mc_member members[] = { MEMBER(101) };
	struct scene s = scene();

	(void)state;
	mk_multicast(&s, 0);
	tell_members(&s, members, 1);
	look(&s);
	expect_faults(&s, 0);
	end(&s);
}

static void who_only_sends_and_who_has_no_link_is_not_missing(void **state)
{
	static const struct ibc_mc_member members[] = {
		MEMBER(101),
		{ .port_guid = 103, .mlid = MLID, .join_state = 4 },
		MEMBER(103),
		MEMBER(999),
	};
	struct scene s = scene();

	(void)state;
	port(s.m, 103, 1)->state = IBC_STATE_INIT;
	mk_multicast(&s, 1);
	tell_members(&s, members, 4);
	send_by(&s, MLID, 1, 1);
	look(&s);
	expect_faults(&s, 0);
	end(&s);
}

static void a_member_on_a_switch_that_did_not_tell_is_not_missing(void **state)
{
	static const struct ibc_mc_member members[] = { MEMBER(101), MEMBER(104) };
	struct scene s = scene();

	(void)state;
	mk_multicast(&s, 1);
	tell_members(&s, members, 2);
	for (size_t i = 0; i < 4; i++)
		answers_put(((struct ibc_node *)s.f->tables.switches[i]), IBC_ATTR_MFT,
		            ANSWER_NONE);
	look(&s);
	expect_faults(&s, 0);
	assert_null(ibc_routes_multicast_group(s.routes, 0));
	end(&s);
}

/* ---- subnets, memory ----------------------------------------------------------------------- */

static void groups_of_subnets_follow_each_other(void **state)
{
	struct scene s = scene();

	(void)state;
	mk_multicast(&s, 4);
	plant(&s, MLID + 1);
	plant(&s, MLID + 2);
	s.m = mk_subnet(s.m, "storage");
	mk_clos(s.m, &small);
	mk_multicast(&s, 4);
	plant(&s, MLID);
	not_by(&s, MLID, 51, 1);
	look(&s);
	assert_int_equal(ibc_routes_multicast_group(s.routes, 1)->mlid, MLID + 2);
	assert_int_equal(ibc_routes_multicast_group(s.routes, 2)->mlid, MLID);
	assert_int_equal(ibc_routes_multicast_group(s.routes, 2)->subnet->index, 1);
	expect_fault(&s, 0, IBC_TREE_ONE_SIDED, 1, 3, 1);
	assert_int_equal(ibc_routes_multicast_fault(s.routes, 0)->node->subnet->index, 1);
	expect_faults(&s, 1);
	end(&s);
}

static void no_memory_is_an_error(void **state)
{
	static const struct ibc_mc_member members[] = { MEMBER(101), MEMBER(104) };
	struct scene s = scene();
	int rc = -1;

	(void)state;
	mk_multicast(&s, 4);
	tell_members(&s, members, 2);
	plant(&s, MLID);
	s.fab = done(s.m);
	for (unsigned long n = 1; rc; n++) {
		alloc_fail_at(n);
		rc = ibc_routes_analyze(s.fab, NULL, &s.routes, NULL);
		alloc_fail_at(0);
	}
	expect_faults(&s, 0);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tree_that_reaches_all_has_no_fault),
		cmocka_unit_test(a_cable_that_only_one_end_sends_by_is_one_sided),
		cmocka_unit_test(a_switch_that_sends_to_one_without_a_set_is_one_sided),
		cmocka_unit_test(a_second_way_closes_a_ring),
		cmocka_unit_test(two_cables_between_two_switches_are_a_ring),
		cmocka_unit_test(a_tree_in_pieces_is_cut),
		cmocka_unit_test(a_port_without_a_link_is_down),
		cmocka_unit_test(what_was_not_read_is_neither_cut_nor_one_sided),
		cmocka_unit_test(a_switch_may_be_a_member_itself),
		cmocka_unit_test(ports_past_the_first_64_count),
		cmocka_unit_test(a_member_that_the_tree_does_not_reach_is_missing),
		cmocka_unit_test(a_group_without_any_tree_misses_all_members),
		cmocka_unit_test(a_member_alone_needs_no_tree),
		cmocka_unit_test(who_only_sends_and_who_has_no_link_is_not_missing),
		cmocka_unit_test(a_member_on_a_switch_that_did_not_tell_is_not_missing),
		cmocka_unit_test(groups_of_subnets_follow_each_other),
		cmocka_unit_test(no_memory_is_an_error),
	};

	return cmocka_run_group_tests_name("trees", tests, NULL, NULL);
}
