/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mkfab.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- walks and lookups ---- */

static struct ibc_fabric *small_fabric(void)
{
	struct mkfab m = mkfab();

	mk_ca(m, 30, "host02 mlx5_0", 2);
	mk_switch(m, 10, "leaf01", 4);
	mk_ca(m, 20, "host01 mlx5_0", 1);
	cable(m, 10, 1, 20, 1);
	cable(m, 30, 2, 10, 3);
	m.subnet->origin = port(m, 20, 1);
	return done(m);
}

static void nodes_are_walked_by_guid_then_subnet(void **state)
{
	struct mkfab m = mkfab(), second = mk_subnet(m, "second");
	struct ibc_fabric *fab;

	(void)state;
	mk_ca(second, 5, "b", 1);
	mk_ca(second, 9, "d", 1);
	mk_ca(m, 9, "c", 1);
	mk_ca(m, 1, "a", 1);
	fab = done(m);
	assert_string_equal(ibc_fabric_node(fab, 0)->desc, "a");
	assert_string_equal(ibc_fabric_node(fab, 1)->desc, "b");
	assert_string_equal(ibc_fabric_node(fab, 2)->desc, "c");
	assert_string_equal(ibc_fabric_node(fab, 3)->desc, "d");
	assert_null(ibc_fabric_node(fab, 4));
	assert_string_equal(ibc_fabric_subnet(fab, 1)->source, "second");
	assert_null(ibc_fabric_subnet(fab, 2));
	ibc_fabric_free(fab);
}

static void ports_are_walked_with_port_0_of_switches_only(void **state)
{
	static const struct {
		uint64_t guid;
		unsigned int num;
	} order[] = { { 10, 0 }, { 10, 1 }, { 10, 2 }, { 10, 3 },
		      { 10, 4 }, { 20, 1 }, { 30, 1 }, { 30, 2 } };
	struct ibc_fabric *fab = small_fabric();

	(void)state;
	for (size_t i = 0; i < COUNT(order); i++) {
		assert_int_equal(ibc_fabric_port(fab, i)->node->guid, order[i].guid);
		assert_int_equal(ibc_fabric_port(fab, i)->num, order[i].num);
	}
	assert_null(ibc_fabric_port(fab, COUNT(order)));
	assert_null(ibc_fabric_port(fab, SIZE_MAX));
	ibc_fabric_free(fab);
}

static void sizes_count_a_cable_once(void **state)
{
	struct ibc_fabric *fab = small_fabric();
	struct ibc_fabric_counts counts = ibc_fabric_count(fab);

	(void)state;
	assert_int_equal(counts.subnets, 1);
	assert_int_equal(counts.nodes, 3);
	assert_int_equal(counts.switches, 1);
	assert_int_equal(counts.cas, 2);
	assert_int_equal(counts.routers, 0);
	assert_int_equal(counts.ports, 8);
	assert_int_equal(counts.cables, 2);
	assert_int_equal(counts.hosts, 2);
	ibc_fabric_free(fab);
}

static void a_node_has_the_ports_it_has(void **state)
{
	struct ibc_fabric *fab = small_fabric();
	const struct ibc_node *leaf = ibc_fabric_node_by_guid(fab, 10);
	const struct ibc_node *ca = ibc_fabric_node_by_guid(fab, 20);

	(void)state;
	assert_int_equal(ibc_node_port(leaf, 0)->num, 0);
	assert_int_equal(ibc_node_port(leaf, 4)->num, 4);
	assert_null(ibc_node_port(leaf, 5));
	assert_null(ibc_node_port(ca, 0));
	assert_null(ibc_node_port(ca, 2));
	assert_null(ibc_node_port(ca, 257));
	assert_null(ibc_fabric_node_by_guid(fab, 40));
	ibc_fabric_free(fab);
}

static void a_switch_may_have_255_ports(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;

	(void)state;
	mk_switch(m, 10, "big", 255);
	cable(m, 10, 254, 10, 255);
	fab = done(m);
	assert_int_equal(ibc_fabric_count(fab).ports, 256);
	assert_int_equal(ibc_fabric_port(fab, 255)->peer->num, 254);
	ibc_fabric_free(fab);
}

static void guids_are_found_in_the_first_subnet_that_has_them(void **state)
{
	struct mkfab m = mkfab(), second = mk_subnet(m, "second");
	struct ibc_fabric *fab;

	(void)state;
	mk_ca(second, 7, "here", 1);
	mk_ca(second, 8, "only here", 1);
	mk_ca(m, 7, "there", 1);
	assert_ptr_equal(fabric_build_find(m.b, m.subnet, 8), NULL);
	assert_string_equal(fabric_build_find(m.b, second.subnet, 7)->desc, "here");
	fab = done(m);
	assert_string_equal(ibc_fabric_node_by_guid(fab, 7)->desc, "there");
	assert_string_equal(ibc_fabric_node_by_guid(fab, 8)->desc, "only here");
	assert_false(ibc_fabric_node_by_guid(fab, 7)->duplicate);
	ibc_fabric_free(fab);
}

static size_t count_twins(struct mkfab m, uint64_t guid)
{
	const struct ibc_node *n;
	size_t twins = 0;

	for (n = fabric_build_find(m.b, m.subnet, guid); n; n = fabric_build_find_next(n))
		twins += n->guid == guid;
	return twins;
}

static void nodes_that_share_a_guid_are_all_marked(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;

	(void)state;
	mk_ca(m, 7, "first", 1);
	mk_ca(m, 7, "second", 1);
	mk_ca(m, 7, "third", 1);
	mk_ca(m, 0, "zero", 1);
	mk_ca(m, 0, "zero too", 1);
	mk_ca(m, 8, "alone", 1);
	assert_int_equal(count_twins(m, 7), 3);
	assert_int_equal(count_twins(m, 8), 1);
	assert_int_equal(count_twins(m, 9), 0);
	fab = done(m);
	for (size_t i = 0; i < 5; i++)
		assert_true(ibc_fabric_node(fab, i)->duplicate);
	assert_false(ibc_fabric_node(fab, 5)->duplicate);
	assert_string_equal(ibc_fabric_node_by_guid(fab, 7)->desc, "first");
	assert_string_equal(ibc_fabric_node_by_guid(fab, 0)->desc, "zero");
	ibc_fabric_free(fab);
}

/* ---- LIDs ---- */

static void lids_are_looked_up_within_their_subnet(void **state)
{
	struct mkfab m = mkfab(), second = mk_subnet(m, "second"), third = mk_subnet(m, "third");
	const struct ibc_subnet *p1 = m.subnet, *p2 = second.subnet, *p3 = third.subnet;
	struct ibc_fabric *fab;

	(void)state;
	mk_switch(m, 10, "leaf01", 2);
	mk_ca(second, 20, "host01", 1);
	mk_active(port(second, 20, 1));
	port(second, 20, 1)->lid = 10;
	fab = done(m);
	assert_int_equal(ibc_fabric_port_by_lid(p1, 10)->node->guid, 10);
	assert_int_equal(ibc_fabric_port_by_lid(p2, 10)->node->guid, 20);
	assert_null(ibc_fabric_port_by_lid(p3, 10));
	assert_null(ibc_fabric_port_by_lid(p1, 11));
	assert_null(ibc_fabric_port_by_lid(p1, 0));
	assert_null(ibc_fabric_port_by_lid(p1, 0xc000));
	assert_null(ibc_fabric_port_by_lid(p1, UINT32_MAX));
	ibc_fabric_free(fab);
}

static void a_port_owns_the_whole_range_of_its_lmc(void **state)
{
	struct mkfab m = mkfab();
	const struct ibc_subnet *p = m.subnet;
	struct ibc_fabric *fab;

	(void)state;
	mk_ca(m, 64, "host01", 1);
	mk_active(port(m, 64, 1));
	port(m, 64, 1)->lmc = 2;
	mk_ca(m, 65, "claims a LID of host01 and the last one", 2);
	mk_active(port(m, 65, 1));
	port(m, 65, 1)->lid = 67;
	mk_active(port(m, 65, 2));
	port(m, 65, 2)->lid = 0xbffe;
	port(m, 65, 2)->lmc = 7;
	fab = done(m);
	assert_null(ibc_fabric_port_by_lid(p, 63));
	for (unsigned int lid = 64; lid < 68; lid++)
		assert_int_equal(ibc_fabric_port_by_lid(p, lid)->node->guid, 64);
	assert_null(ibc_fabric_port_by_lid(p, 68));
	assert_int_equal(ibc_fabric_port_by_lid(p, 0xbfff)->num, 2);
	ibc_fabric_free(fab);
}

static void a_port_that_nothing_leads_to_is_elsewhere_if_its_node_was_met(void **state)
{
	struct mkfab m = mkfab();
	const struct ibc_subnet *p = m.subnet;
	struct ibc_fabric *fab;

	(void)state;
	mk_switch(m, 10, "leaf01", 2);
	mk_ca(m, 20, "host01", 2);
	cable(m, 10, 1, 20, 1);
	mk_active(port(m, 20, 2));
	port(m, 20, 2)->lid = 10;
	mk_ca(m, 30, "host02", 2);
	mk_active(port(m, 30, 1));
	mk_active(port(m, 30, 2));
	port(m, 30, 2)->lid = 31;
	mk_ca(m, 40, "host03", 2);
	mk_active(port(m, 40, 1));
	mk_active(port(m, 40, 2));
	port(m, 40, 2)->lid = 41;
	m.subnet->origin = port(m, 40, 2);
	fab = done(m);
	assert_int_equal(ibc_fabric_port_by_lid(p, 10)->node->guid, 10);
	assert_int_equal(ibc_fabric_port_by_lid(p, 20)->num, 1);
	assert_int_equal(ibc_fabric_port_by_lid(p, 30)->num, 1);
	assert_int_equal(ibc_fabric_port_by_lid(p, 31)->num, 2);
	assert_null(ibc_fabric_port_by_lid(p, 40));
	assert_int_equal(ibc_fabric_port_by_lid(p, 41)->num, 2);
	ibc_fabric_free(fab);
}

static void external_ports_of_switches_and_multicast_lids_are_not_indexed(void **state)
{
	struct mkfab m = mkfab();
	const struct ibc_subnet *p = m.subnet;
	struct ibc_fabric *fab;

	(void)state;
	mk_switch(m, 10, "leaf01", 2);
	port(m, 10, 1)->lid = 11;
	mk_ca(m, 20, "host01", 1);
	port(m, 20, 1)->lid = 0xc001;
	fab = done(m);
	assert_null(ibc_fabric_port_by_lid(p, 11));
	assert_null(ibc_fabric_port_by_lid(p, 0xc001));
	ibc_fabric_free(fab);
}

/* ---- cables ---- */

static void a_cable_joins_two_ports_and_no_third(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_port *a, *z;

	(void)state;
	mk_switch(m, 1, "leaf01", 3);
	mk_switch(m, 2, "leaf02", 3);
	a = port(m, 1, 1);
	z = port(m, 2, 1);
	assert_int_equal(fabric_build_link(a, z), 0);
	assert_int_equal(fabric_build_link(z, a), 0);
	assert_ptr_equal(a->peer, z);
	assert_ptr_equal(z->peer, a);
	assert_int_equal(fabric_build_link(a, port(m, 2, 2)), -EEXIST);
	assert_int_equal(fabric_build_link(port(m, 1, 2), z), -EEXIST);
	assert_null(port(m, 2, 2)->peer);
	assert_null(port(m, 1, 2)->peer);
	assert_int_equal(fabric_build_link(port(m, 1, 2), port(m, 1, 3)), 0);
	fabric_build_free(m.b);
}

static void a_cable_to_itself_or_to_a_port_0_is_refused(void **state)
{
	struct mkfab m = mkfab();

	(void)state;
	mk_switch(m, 1, "leaf01", 3);
	assert_int_equal(fabric_build_link(port(m, 1, 1), port(m, 1, 1)), -EINVAL);
	assert_int_equal(fabric_build_link(port(m, 1, 1), port(m, 1, 0)), -EINVAL);
	assert_int_equal(fabric_build_link(port(m, 1, 1), NULL), -EINVAL);
	assert_int_equal(fabric_build_link(NULL, port(m, 1, 1)), -EINVAL);
	assert_null(port(m, 1, 1)->peer);
	fabric_build_free(m.b);
}

static void one_end_of_every_cable_is_the_near_one(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_node *twins[2];
	struct ibc_fabric *fab;

	(void)state;
	mk_switch(m, 1, "leaf01", 4);
	mk_switch(m, 2, "leaf02", 4);
	cable(m, 2, 1, 1, 4);
	cable(m, 1, 3, 1, 2);
	for (size_t i = 0; i < 2; i++)
		twins[i] = mk_ca(m, 3, "twin", 2);
	fabric_build_link(fabric_build_port(twins[0], 1), fabric_build_port(twins[1], 1));
	fabric_build_link(fabric_build_port(twins[0], 2), port(m, 2, 2));
	fab = done(m);
	for (size_t i = 0; i < ibc_fabric_count(fab).ports; i++) {
		const struct ibc_port *p = ibc_fabric_port(fab, i);

		if (p->peer)
			assert_true(ibc_port_is_near_end(p) != ibc_port_is_near_end(p->peer));
		else
			assert_false(ibc_port_is_near_end(p));
	}
	assert_true(ibc_port_is_near_end(ibc_node_port(ibc_fabric_node(fab, 0), 2)));
	assert_true(ibc_port_is_near_end(ibc_node_port(ibc_fabric_node(fab, 0), 4)));
	assert_true(ibc_port_is_near_end(ibc_node_port(ibc_fabric_node(fab, 2), 1)));
	assert_int_equal(ibc_fabric_count(fab).cables, 4);
	ibc_fabric_free(fab);
}

/* ---- questions ---- */

static void no_answer_is_neither_had_nor_forgotten(void **state)
{
	static const struct {
		enum answer outcome;
		bool has, unanswered;
	} cases[] = {
		{ ANSWER_NONE, false, true },
		{ ANSWER_OK, true, false },
		{ ANSWER_UNSUPPORTED, false, true }, /* every device has it */
		{ ANSWER_REFUSED, false, true },
	};
	struct ibc_port p = { 0 };
	struct ibc_node n = { 0 };

	(void)state;
	assert_false(ibc_port_has(&p, IBC_ATTR_PORT_INFO));
	assert_false(ibc_port_unanswered(&p, IBC_ATTR_PORT_INFO));
	/* each overwrites the one before */
	for (size_t i = 0; i < COUNT(cases); i++) {
		answers_put(&p, IBC_ATTR_PORT_INFO, cases[i].outcome);
		assert_int_equal(ibc_port_has(&p, IBC_ATTR_PORT_INFO), cases[i].has);
		assert_int_equal(ibc_port_unanswered(&p, IBC_ATTR_PORT_INFO), cases[i].unanswered);
		answers_put(&n, IBC_ATTR_SWITCH_INFO, cases[i].outcome);
		assert_int_equal(ibc_node_has(&n, IBC_ATTR_SWITCH_INFO), cases[i].has);
		assert_int_equal(ibc_node_unanswered(&n, IBC_ATTR_SWITCH_INFO),
		                 cases[i].unanswered);
		assert_false(ibc_port_unanswered(&p, IBC_ATTR_MLNX_EXT_PORT_INFO));
	}
}

static void a_port_is_up_by_its_portinfo_or_by_what_a_file_tells(void **state)
{
	struct ibc_port p = { .phys_state = IBC_PHYS_LINKUP };

	(void)state;
	assert_false(ibc_port_is_up(&p));
	answers_put(&p, IBC_ATTR_PORT_INFO, ANSWER_NONE);
	assert_false(ibc_port_is_up(&p));
	answers_put(&p, IBC_ATTR_LINK, ANSWER_OK);
	assert_true(ibc_port_is_up(&p));
	answers_put(&p, IBC_ATTR_PORT_INFO, ANSWER_OK);
	assert_true(ibc_port_is_up(&p));
	p.phys_state = IBC_PHYS_POLLING;
	assert_false(ibc_port_is_up(&p));
}

static void coverage_accounts_for_every_query(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_coverage c;
	struct ibc_fabric *fab;

	(void)state;
	mk_switch(m, 1, "leaf01", 4);
	mk_ca(m, 2, "host01", 1);
	answers_put(port(m, 1, 1), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	answers_put(port(m, 1, 2), IBC_ATTR_PORT_INFO, ANSWER_REFUSED);
	answers_put(port(m, 1, 3), IBC_ATTR_PORT_INFO, ANSWER_UNSUPPORTED);
	answers_put(port(m, 1, 3), IBC_ATTR_VPORTS, ANSWER_UNSUPPORTED);
	answers_put(port(m, 1, 4), IBC_ATTR_NODE_INFO, ANSWER_NONE);
	answers_put(port(m, 1, 4), IBC_ATTR_LINK, ANSWER_OK);
	fab = done(m);
	c = ibc_fabric_coverage(fab, IBC_ATTR_PORT_INFO);
	assert_int_equal(c.asked, 6);
	assert_int_equal(c.answered, 3);
	assert_int_equal(c.unsupported, 0);
	assert_int_equal(c.refused, 2);
	assert_int_equal(c.timed_out, 1);
	assert_int_equal(ibc_fabric_coverage(fab, IBC_ATTR_VPORTS).unsupported, 1);
	c = ibc_fabric_coverage(fab, IBC_ATTR_NODE_INFO);
	assert_int_equal(c.asked, 3);
	assert_int_equal(c.answered, 2);
	assert_int_equal(c.timed_out, 1);
	c = ibc_fabric_coverage(fab, IBC_ATTR_SWITCH_INFO);
	assert_int_equal(c.asked, 1);
	c = ibc_fabric_coverage(fab, IBC_ATTR_LINK);
	assert_int_equal(c.asked + c.answered, 0);
	ibc_fabric_free(fab);
}

/* ---- subnets ---- */

static void the_subnet_prefix_is_the_one_the_origin_tells(void **state)
{
	struct mkfab m = mkfab(), second = mk_subnet(m, "second");
	struct ibc_fabric *fab;

	(void)state;
	mk_ca(m, 1, "host01", 1);
	mk_active(port(m, 1, 1));
	port(m, 1, 1)->subnet_prefix = 0xfe80000000000007;
	m.subnet->origin = port(m, 1, 1);
	mk_ca(second, 2, "host01", 1);
	answers_put(port(second, 2, 1), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	port(second, 2, 1)->subnet_prefix = 5;
	second.subnet->origin = port(second, 2, 1);
	assert_ptr_equal(fabric_build_subnet_at(m.b, 1), second.subnet);
	assert_null(fabric_build_subnet_at(m.b, 2));
	fab = done(m);
	assert_int_equal(ibc_fabric_subnet(fab, 0)->subnet_prefix, 0xfe80000000000007);
	assert_int_equal(ibc_fabric_subnet(fab, 1)->subnet_prefix, 0xfe80000000000000);
	ibc_fabric_free(fab);
}

static void what_a_source_says_of_itself_is_made_fit_to_print(void **state)
{
	struct mkfab m = mkfab(), second = mk_subnet(m, "x\x1b.net");
	struct ibc_fabric *fab;

	(void)state;
	m.subnet->ca = "mlx5_0\n";
	second.subnet->file = "x\x1b.net";
	second.subnet->host = "n\xff";
	fab = done(m);
	assert_string_equal(ibc_fabric_subnet(fab, 0)->ca, "mlx5_0");
	assert_null(ibc_fabric_subnet(fab, 0)->host);
	assert_string_equal(ibc_fabric_subnet(fab, 1)->source, "x\xef\xbf\xbd.net");
	assert_string_equal(ibc_fabric_subnet(fab, 1)->file, "x\xef\xbf\xbd.net");
	assert_string_equal(ibc_fabric_subnet(fab, 1)->host, "n\xef\xbf\xbd");
	ibc_fabric_free(fab);
}

static void a_text_the_source_had_no_memory_for_fails_the_build(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;

	(void)state;
	m.subnet->ca = NULL;
	assert_int_equal(fabric_build_finish(m.b, &fab, NULL), -ENOMEM);
}

static void a_fabric_may_be_empty(void **state)
{
	struct fabric_build *b;
	struct ibc_fabric *fab;

	(void)state;
	assert_int_equal(fabric_build_new(&b, NULL), 0);
	assert_int_equal(fabric_build_finish(b, &fab, NULL), 0);
	assert_int_equal(ibc_fabric_count(fab).nodes, 0);
	assert_null(ibc_fabric_port(fab, 0));
	assert_null(ibc_fabric_node_by_guid(fab, 1));
	ibc_fabric_free(fab);
	ibc_fabric_free(NULL);
	fabric_build_free(NULL);
}

static void more_subnets_than_there_was_room_for_keep_their_places(void **state)
{
	struct mkfab m = mkfab();
	const struct ibc_subnet *first = m.subnet;
	struct ibc_fabric *fab;

	(void)state;
	for (unsigned int i = 1; i < 40; i++)
		m = mk_subnet(m, "more");
	fab = done(m);
	assert_ptr_equal(ibc_fabric_subnet(fab, 0), first);
	assert_int_equal(ibc_fabric_subnet(fab, 39)->index, 39);
	ibc_fabric_free(fab);
}

/* ---- memory ---- */

/* Makes a fabric as a source does, without looking for failures before the end. */
static int build_all(struct ibc_fabric **fab, struct ibc_error *err)
{
	struct fabric_build *b;
	struct ibc_subnet *subnet;
	struct ibc_node *leaf, *ca;
	int rc = fabric_build_new(&b, err);

	if (rc)
		return rc;
	subnet = fabric_build_subnet(b, "test", "snapshot");
	leaf = fabric_build_node(b, subnet, 1, IBC_NODE_SWITCH, 36);
	fabric_build_desc(b, leaf, "leaf01", 6);
	fabric_build_name(b, 1, "spine01");
	for (unsigned int i = 1; i <= 36; i++) {
		ca = fabric_build_node(b, subnet, 10 + i / 2, IBC_NODE_CA, 1);
		fabric_build_desc(b, ca, i % 3 ? "host01 mlx5_0" : "host02", i % 3 ? 13 : 6);
		fabric_build_link(fabric_build_port(leaf, i), fabric_build_port(ca, 1));
		if (ca)
			fabric_build_port(ca, 1)->lid = (uint16_t)i;
	}
	return fabric_build_finish(b, fab, err);
}

static void running_out_of_memory_anywhere_fails_the_build_and_leaks_nothing(void **state)
{
	struct ibc_fabric *fab = NULL;
	unsigned long n = 0;
	int rc;

	(void)state;
	do {
		struct ibc_error err = { "" };

		alloc_fail_at(++n);
		rc = build_all(&fab, &err);
		alloc_fail_at(0);
		if (rc) {
			assert_int_equal(rc, -ENOMEM);
			assert_string_equal(err.text, "out of memory");
			assert_null(fab);
		}
	} while (rc);
	assert_in_range(n, 100, 1000);
	assert_int_equal(ibc_fabric_count(fab).cables, 36);
	ibc_fabric_free(fab);
}

/* ---- labels of ports ---- */

static const char *label_of_port(const struct ibc_fabric *fab, size_t node, unsigned int num)
{
	return ibc_port_label(&ibc_fabric_node(fab, node)->ports[num]);
}

static void a_model_decides_what_is_written_beside_its_ports(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;

	(void)state;
	mk_switch(m, 1, "leaf01", 65)->device_id = 0xd2f2;
	mk_switch(m, 2, "split", 129)->device_id = 0xd2f2;
	mk_switch(m, 3, "leaf03", 65)->device_id = 0xd2f2;
	fabric_build_label(m.b, port(m, 3, 1), "A\t1", 3);
	fabric_build_label(m.b, port(m, 3, 2), "", 0);
	fab = done(m);
	assert_string_equal(label_of_port(fab, 0, 1), "1/1");
	assert_string_equal(label_of_port(fab, 0, 44), "22/2");
	assert_string_equal(label_of_port(fab, 0, 64), "32/2");
	assert_null(label_of_port(fab, 0, 65));
	assert_null(label_of_port(fab, 0, 0));
	assert_null(label_of_port(fab, 1, 44));
	assert_string_equal(label_of_port(fab, 2, 1), "A\357\277\2751");
	assert_string_equal(label_of_port(fab, 2, 2), "1/2");
	ibc_fabric_free(fab);
}

static void a_place_is_called_by_node_port_and_label(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;
	const struct ibc_node *leaf;
	char text[IBC_PLACE_TEXT], little[8];

	(void)state;
	mk_switch(m, 1, "leaf07", 65)->device_id = 0xd2f2;
	fab = done(m);
	leaf = ibc_fabric_node(fab, 0);
	assert_string_equal(ibc_place_text((struct ibc_place){ leaf, 44 }, text, sizeof(text)),
	                    "leaf07/44 (22/2)");
	assert_string_equal(ibc_place_text((struct ibc_place){ leaf, 65 }, text, sizeof(text)),
	                    "leaf07/65");
	assert_string_equal(ibc_place_text((struct ibc_place){ leaf, 0 }, text, sizeof(text)),
	                    "leaf07");
	assert_string_equal(ibc_place_text((struct ibc_place){ leaf, 200 }, text, sizeof(text)),
	                    "leaf07/200");
	assert_string_equal(ibc_place_text((struct ibc_place){ 0 }, text, sizeof(text)), "");
	assert_string_equal(ibc_place_text((struct ibc_place){ leaf, 44 }, little, sizeof(little)),
	                    "leaf07/");
	ibc_fabric_free(fab);
}

static void out_of_memory_is_sticky(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab = NULL;

	(void)state;
	assert_false(fabric_build_failed(m.b));
	assert_non_null(fabric_build_arena(m.b));
	alloc_fail_at(1);
	fabric_build_name(m.b, 1, "x");
	alloc_fail_at(0);
	assert_true(fabric_build_failed(m.b));
	assert_null(fabric_build_node(m.b, m.subnet, 1, IBC_NODE_CA, 1));
	assert_int_equal(fabric_build_finish(m.b, &fab, NULL), -ENOMEM);
	assert_null(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_are_walked_by_guid_then_subnet),
		cmocka_unit_test(ports_are_walked_with_port_0_of_switches_only),
		cmocka_unit_test(sizes_count_a_cable_once),
		cmocka_unit_test(a_node_has_the_ports_it_has),
		cmocka_unit_test(a_switch_may_have_255_ports),
		cmocka_unit_test(guids_are_found_in_the_first_subnet_that_has_them),
		cmocka_unit_test(nodes_that_share_a_guid_are_all_marked),
		cmocka_unit_test(lids_are_looked_up_within_their_subnet),
		cmocka_unit_test(a_port_owns_the_whole_range_of_its_lmc),
		cmocka_unit_test(a_port_that_nothing_leads_to_is_elsewhere_if_its_node_was_met),
		cmocka_unit_test(external_ports_of_switches_and_multicast_lids_are_not_indexed),
		cmocka_unit_test(a_cable_joins_two_ports_and_no_third),
		cmocka_unit_test(a_cable_to_itself_or_to_a_port_0_is_refused),
		cmocka_unit_test(one_end_of_every_cable_is_the_near_one),
		cmocka_unit_test(no_answer_is_neither_had_nor_forgotten),
		cmocka_unit_test(a_port_is_up_by_its_portinfo_or_by_what_a_file_tells),
		cmocka_unit_test(coverage_accounts_for_every_query),
		cmocka_unit_test(the_subnet_prefix_is_the_one_the_origin_tells),
		cmocka_unit_test(what_a_source_says_of_itself_is_made_fit_to_print),
		cmocka_unit_test(a_text_the_source_had_no_memory_for_fails_the_build),
		cmocka_unit_test(a_fabric_may_be_empty),
		cmocka_unit_test(more_subnets_than_there_was_room_for_keep_their_places),
		cmocka_unit_test(running_out_of_memory_anywhere_fails_the_build_and_leaks_nothing),
		cmocka_unit_test(a_model_decides_what_is_written_beside_its_ports),
		cmocka_unit_test(a_place_is_called_by_node_port_and_label),
		cmocka_unit_test(out_of_memory_is_sticky),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
