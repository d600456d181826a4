/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <ibcheck/routes.h>

#include "analysis/routes/routes.h"
#include "base/arena.h"

#include "mkfab.h"
#include "mkroutes.h"

#include "mkrandom.h"

#define LEAF01  1
#define LEAF02  2
#define SPINE01 3
#define FAR     70 /* a LID of another block than all others */

/* Two leaves with two hosts each, 11 .. 14, on ports 1 and 2; the spine is at their port 3. */
static struct mkfab mk_tree(void)
{
	struct mkfab m = mkfab();
	char name[32];

	mk_switch(m, LEAF01, "leaf01", 4);
	mk_switch(m, LEAF02, "leaf02", 4);
	mk_switch(m, SPINE01, "spine01", 4);
	for (unsigned int i = 1; i <= 4; i++) {
		snprintf(name, sizeof(name), "host%02u mlx5_0", i);
		mk_ca(m, 10 + i, name, 1);
		cable(m, i <= 2 ? LEAF01 : LEAF02, 1 + (i - 1) % 2, 10 + i, 1);
	}
	cable(m, LEAF01, 3, SPINE01, 1);
	cable(m, LEAF02, 3, SPINE01, 2);
	return m;
}

static struct fabric_forwarding *mk_routed(struct mkfab m)
{
	struct fabric_forwarding *f = mk_tables(m, 80);

	mk_min_hop(m, f);
	return f;
}

/* Every fault, as "END SWITCH/PORT SRC>DLID SRCS DSTS PAIRS" with GUIDs. */
static void faults_as_text(const struct ibc_routes *routes, char *text, size_t size)
{
	const struct ibc_route_fault *f;
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; (f = ibc_routes_fault(routes, i)); i++) {
		used += (size_t)snprintf(
		    text + used, size - used, "%s %llu/%u %llu>%u %zu %zu %llu\n",
		    ibc_route_end_word(f->end)->word, (unsigned long long)f->at->guid, f->port,
		    (unsigned long long)f->src->node->guid, f->dlid, f->srcs, f->dsts,
		    (unsigned long long)f->pairs);
		assert_true(used < size);
		assert_ptr_equal(ibc_fabric_port_by_lid(f->at->subnet, f->dlid), f->dst);
	}
}

/* m has these faults, and all other pairs are routed. */
static void expect_faults(struct mkfab m, const char *expected)
{
	struct routed r = routed(m, 1);
	const struct ibc_route_sums *sums = ibc_routes_sums(r.routes, 0);
	const struct ibc_route_fault *f;
	uint64_t broken = 0, unknown = 0;
	char text[4096];

	faults_as_text(r.routes, text, sizeof(text));
	assert_string_equal(text, expected);
	for (size_t i = 0; (f = ibc_routes_fault(r.routes, i)); i++)
		*(f->end == IBC_ROUTE_UNKNOWN ? &unknown : &broken) += f->pairs;
	assert_int_equal(sums->broken, broken);
	assert_int_equal(sums->unknown, unknown);
	assert_int_equal(sums->routed, sums->pairs - broken - unknown);
	free_routed(r);
}

/* ---- each outcome ---- */

static void every_pair_of_a_tree_is_routed(void **state)
{
	struct mkfab m = mk_tree();
	const struct ibc_route_sums *sums;
	struct routed r;

	(void)state;
	mk_routed(m);
	r = routed(m, 1);
	sums = ibc_routes_sums(r.routes, 0);
	assert_int_equal(sums->pairs, 12);
	assert_int_equal(sums->routed, 12);
	assert_true(sums->hops_mean == (4 * 1 + 8 * 3) / 12.0);
	assert_int_equal(sums->hops_longest, 3);
	assert_int_equal(sums->longest_src->node->guid, 13);
	assert_int_equal(sums->longest_dst->node->guid, 11);
	assert_null(ibc_routes_fault(r.routes, 0));
	free_routed(r);
}

static void a_switch_without_an_entry_is_named(void **state)
{
	struct mkfab m = mk_tree();

	(void)state;
	*mk_entry(mk_routed(m), LEAF01, 13) = IBC_NO_ENTRY;
	expect_faults(m, "no_entry 1/0 11>13 2 1 2\n");
	m = mk_tree();
	*mk_entry(mk_routed(m), SPINE01, 13) = IBC_NO_ENTRY;
	expect_faults(m, "no_entry 3/0 11>13 2 1 2\n");
	m = mk_tree();
	*mk_entry(mk_routed(m), LEAF02, 13) = IBC_NO_ENTRY;
	expect_faults(m, "no_entry 2/0 11>13 3 1 3\n");
}

static void a_lid_without_entries_is_one_fault_of_its_own_switch(void **state)
{
	struct mkfab m = mk_tree();
	struct fabric_forwarding *f = mk_routed(m);

	(void)state;
	for (unsigned int sw = LEAF01; sw <= SPINE01; sw++)
		*mk_entry(f, sw, 13) = IBC_NO_ENTRY;
	expect_faults(m, "no_entry 2/0 11>13 3 1 3\n");
	m = mk_tree();
	f = mk_routed(m);
	*mk_entry(f, LEAF01, 13) = *mk_entry(f, SPINE01, 13) = IBC_NO_ENTRY;
	expect_faults(m, "no_entry 2/0 11>13 2 1 2\n");
}

static void hosts_that_send_and_lids_are_counted_once(void **state)
{
	struct mkfab m = mk_tree();
	struct fabric_forwarding *f = mk_routed(m);

	(void)state;
	/* host03 and host04 of leaf02: all hosts send to one of them */
	*mk_entry(f, LEAF02, 13) = *mk_entry(f, LEAF02, 14) = IBC_NO_ENTRY;
	expect_faults(m, "no_entry 2/0 11>13 4 2 6\n");
}

static void a_port_that_is_down_is_named(void **state)
{
	struct mkfab m = mk_tree();

	(void)state;
	*mk_entry(mk_routed(m), SPINE01, 13) = 4;
	expect_faults(m, "down 3/4 11>13 2 1 2\n");
}

static void a_port_that_is_not_there_is_named(void **state)
{
	const unsigned int odd[] = { 0, 5, 200 };
	char expected[64];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct mkfab m = mk_tree();

		*mk_entry(mk_routed(m), SPINE01, 13) = (uint8_t)odd[i];
		snprintf(expected, sizeof(expected), "no_port 3/%u 11>13 2 1 2\n", odd[i]);
		expect_faults(m, expected);
	}
}

static void another_host_than_the_owner_is_named(void **state)
{
	struct mkfab m = mk_tree();

	(void)state;
	*mk_entry(mk_routed(m), LEAF02, 13) = 2;
	expect_faults(m, "elsewhere 2/2 11>13 3 1 3\n");
}

static void an_adapter_that_did_not_tell_its_lid_may_be_the_owner(void **state)
{
	struct mkfab m = mk_tree();

	(void)state;
	*mk_entry(mk_routed(m), LEAF02, 13) = 2;
	port(m, 14, 1)->lid = 0;
	answers_put(port(m, 14, 1), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	expect_faults(m, "unknown 2/2 11>13 2 1 2\n");
}

static void a_loop_is_named_by_its_switch_of_the_lowest_guid(void **state)
{
	struct mkfab m = mk_tree();

	(void)state;
	*mk_entry(mk_routed(m), LEAF02, 13) = 3;
	expect_faults(m, "loop 2/3 11>13 3 1 3\n");
}

static void pairs_that_pass_an_unread_block_are_unknown(void **state)
{
	struct mkfab m = mk_tree();
	struct fabric_forwarding *f;

	(void)state;
	port(m, 14, 1)->lid = FAR;
	f = mk_routed(m);
	mk_unread(f, SPINE01, FAR);
	expect_faults(m, "unknown 3/0 11>70 2 1 2\n");
}

static void what_lies_beyond_a_port_that_does_not_tell_is_unknown(void **state)
{
	struct mkfab m = mk_tree();

	(void)state;
	*mk_entry(mk_routed(m), SPINE01, 13) = 4;
	answers_put(port(m, SPINE01, 4), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	expect_faults(m, "unknown 3/4 11>13 2 1 2\n");
}

/* ---- lids ---- */

static void a_lid_beyond_all_tables_has_no_entry(void **state)
{
	struct mkfab m = mk_tree();

	(void)state;
	mk_routed(m);
	port(m, 14, 1)->lid = 300;
	expect_faults(m, "no_entry 2/0 11>300 3 1 3\n");
}

static void a_lid_above_the_top_of_a_switch_has_no_entry_there(void **state)
{
	struct mkfab m = mk_tree();

	(void)state;
	mk_routed(m);
	fabric_build_find(m.b, m.subnet, SPINE01)->lft_top = 12;
	expect_faults(m, "no_entry 3/0 11>13 2 2 4\n");
}

static void every_lid_of_a_port_is_a_destination(void **state)
{
	struct mkfab m = mk_tree();
	struct fabric_forwarding *f;
	struct routed r;

	(void)state;
	port(m, 13, 1)->lid = 20;
	port(m, 13, 1)->lmc = 2;
	f = mk_routed(m);
	for (unsigned int lid = 21; lid <= 23; lid++) {
		*mk_entry(f, LEAF01, lid) = 3;
		*mk_entry(f, SPINE01, lid) = 2;
		*mk_entry(f, LEAF02, lid) = 1;
	}
	*mk_entry(f, LEAF02, 22) = 4;
	r = routed(m, 1);
	assert_int_equal(ibc_routes_sums(r.routes, 0)->pairs, 3 * 3 + 4 * 3);
	assert_int_equal(ibc_routes_sums(r.routes, 0)->broken, 3);
	assert_int_equal(ibc_routes_fault(r.routes, 0)->dlid, 22);
	assert_int_equal(ibc_routes_fault(r.routes, 0)->srcs, 3);
	free_routed(r);
}

static void of_two_hosts_with_one_lid_one_is_not_reached(void **state)
{
	struct mkfab m = mk_tree();
	struct routed r;

	(void)state;
	port(m, 14, 1)->lid = 13;
	*mk_entry(mk_routed(m), LEAF02, 13) = 1;
	r = routed(m, 1);
	assert_int_equal(ibc_routes_fault(r.routes, 0)->end, IBC_ROUTE_ELSEWHERE);
	assert_int_equal(ibc_routes_fault(r.routes, 0)->pairs, 3);
	assert_null(ibc_routes_fault(r.routes, 1));
	free_routed(r);
}

/* ---- subnets, twins ---- */

static void subnets_are_evaluated_apart(void **state)
{
	struct mkfab m = mk_tree();
	struct fabric_forwarding *f;
	struct routed r;

	(void)state;
	mk_routed(m);
	m = mk_subnet(m, "second");
	mk_switch(m, 1, "leaf01", 4);
	mk_ca(m, 11, "host01 mlx5_1", 1);
	mk_ca(m, 12, "host02 mlx5_1", 1);
	cable(m, 1, 1, 11, 1);
	cable(m, 1, 2, 12, 1);
	f = mk_routed(m);
	*mk_entry(f, 1, 12) = 4;
	r = routed(m, 1);
	assert_int_equal(ibc_routes_sums(r.routes, 0)->broken, 0);
	assert_int_equal(ibc_routes_sums(r.routes, 1)->pairs, 2);
	assert_int_equal(ibc_routes_sums(r.routes, 1)->broken, 1);
	assert_ptr_equal(ibc_routes_fault(r.routes, 0)->at->subnet, m.subnet);
	assert_null(ibc_routes_fault(r.routes, 1));
	free_routed(r);
}

static void switches_of_one_guid_are_two(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_node *first = mk_switch(m, 1, "leaf01", 4),
			*second = mk_switch(m, 1, "leaf02", 4);
	struct fabric_forwarding *f;
	struct routed r;

	(void)state;
	mk_ca(m, 11, "host01 mlx5_0", 1);
	mk_ca(m, 12, "host02 mlx5_0", 1);
	cable(m, 1, 1, 11, 1);
	assert_int_equal(fabric_build_link(fabric_build_port(second, 1), port(m, 12, 1)), 0);
	assert_int_equal(
	    fabric_build_link(fabric_build_port(first, 2), fabric_build_port(second, 2)), 0);
	mk_active(fabric_build_port(second, 1));
	mk_active(fabric_build_port(second, 2));
	mk_active(fabric_build_port(first, 2));
	mk_active(port(m, 12, 1));
	f = mk_tables(m, 20);
	for (size_t i = 0; i < 2; i++) {
		bool is_first = f->tables.switches[i] == first;

		f->out[11 * f->tables.stride + i] = is_first ? 1 : 2;
		f->out[12 * f->tables.stride + i] = is_first ? 2 : 1;
	}
	r = routed(m, 1);
	assert_int_equal(ibc_routes_sums(r.routes, 0)->routed, 2);
	assert_int_equal(ibc_routes_sums(r.routes, 0)->hops_longest, 2);
	free_routed(r);
}

/* ---- entries that point to where nothing is ---- */

/* Every set of them, as "SWITCH/PORT ENTRIES FIRST PAIRS". */
static void expect_stale(struct mkfab m, const char *expected)
{
	struct routed r = routed(m, 2);
	const struct ibc_stale_entries *e;
	size_t used = 0, entries = 0;
	char text[256] = "";

	for (size_t i = 0; (e = ibc_routes_stale(r.routes, i)); i++) {
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%llu/%u %zu %u %llu\n",
		                         (unsigned long long)e->node->guid, e->port, e->entries,
		                         e->first_lid, (unsigned long long)e->pairs);
		entries += e->entries;
	}
	assert_string_equal(text, expected);
	assert_int_equal(ibc_routes_sums(r.routes, 0)->stale_entries, entries);
	free_routed(r);
}

static void good_entries_are_not_stale(void **state)
{
	struct mkfab m = mk_tree();
	struct fabric_forwarding *f = mk_routed(m);

	(void)state;
	*mk_entry(f, LEAF01, 0) = 4; /* LID 0 is nobody's by definition (IBA 4.1.3) */
	expect_stale(m, "");
}

static void entries_to_a_port_that_is_down_are_stale(void **state)
{
	struct mkfab m = mk_tree();
	struct fabric_forwarding *f = mk_routed(m);

	(void)state;
	*mk_entry(f, SPINE01, 13) = *mk_entry(f, SPINE01, LEAF02) = 4;
	expect_stale(m, "3/4 2 2 2\n");
}

static void entries_of_lids_nobody_has_are_stale(void **state)
{
	struct mkfab m = mk_tree();
	struct fabric_forwarding *f = mk_routed(m);

	(void)state;
	*mk_entry(f, LEAF01, 40) = 1;
	*mk_entry(f, LEAF01, 39) = 4;
	*mk_entry(f, SPINE01, 40) = 2;
	expect_stale(m, "1/0 2 39 0\n3/0 1 40 0\n");
}

/* All tables lead LID 40 to host01: it is that of a virtual port there, if there may be one. */
static struct mkfab mk_virtual(uint32_t cap_mask, uint16_t cap_mask2)
{
	struct mkfab m = mk_tree();
	struct fabric_forwarding *f = mk_routed(m);

	for (uint64_t sw = LEAF01; sw <= SPINE01; sw++)
		*mk_entry(f, sw, 40) = *mk_entry(f, sw, 11);
	for (uint64_t host = 11; host <= 14; host++) {
		port(m, host, 1)->cap_mask = cap_mask;
		port(m, host, 1)->cap_mask2 = cap_mask2;
	}
	return m;
}

/* They are spared, as of this kind, and of no other. */
static void expect_spared(struct mkfab m, enum ibc_lid_kind kind, size_t lids, unsigned int first,
                          uint64_t guid)
{
	struct routed r = routed(m, 2);
	const struct ibc_spared_lids *spared = ibc_routes_sums(r.routes, 0)->spared;

	assert_null(ibc_routes_stale(r.routes, 0));
	for (unsigned int k = 0; k < IBC_LID_KINDS; k++)
		assert_int_equal(spared[k].num, k == kind ? lids : 0);
	assert_int_equal(spared[kind].first, first);
	assert_int_equal(spared[kind].port->node->guid, guid);
	assert_int_equal(!!spared[kind].astray, kind == IBC_LID_ASTRAY);
	free_routed(r);
}

static void expect_virtual(struct mkfab m, size_t lids, unsigned int first, uint64_t guid)
{
	expect_spared(m, IBC_LID_MAYBE_OF_VPORT, lids, first, guid);
}

static void lids_that_lead_to_an_adapter_with_virtual_ports_are_theirs(void **state)
{
	struct mkfab m = mk_virtual(IBC_CAP_HAS_MASK2, IBC_CAP2_HAS_VPORTS);

	(void)state;
	expect_virtual(m, 1, 40, 11);
	/* a source that tells CapabilityMask alone, or nothing */
	expect_virtual(mk_virtual(IBC_CAP_HAS_MASK2, 0), 1, 40, 11);
	m = mk_virtual(0, 0);
	for (uint64_t host = 11; host <= 14; host++)
		port(m, host, 1)->answers = (struct ibc_answers){ 0 };
	expect_virtual(m, 1, 40, 11);
}

static void an_adapter_that_has_no_virtual_ports_has_no_lids_for_them(void **state)
{
	(void)state;
	expect_stale(mk_virtual(0, 0), "1/0 1 40 0\n2/0 1 40 0\n3/0 1 40 0\n");
	expect_stale(mk_virtual(IBC_CAP_HAS_MASK2, 1), "1/0 1 40 0\n2/0 1 40 0\n3/0 1 40 0\n");
}

static void a_lid_that_leads_to_several_adapters_or_none_is_nobodys(void **state)
{
	struct mkfab m = mk_tree();
	struct fabric_forwarding *f = mk_routed(m);

	(void)state;
	for (uint64_t host = 11; host <= 14; host++)
		port(m, host, 1)->cap_mask = IBC_CAP_HAS_MASK2;
	*mk_entry(f, LEAF01, 40) = *mk_entry(f, LEAF01, 11);
	*mk_entry(f, LEAF02, 40) = *mk_entry(f, LEAF02, 13);
	*mk_entry(f, SPINE01, 41) = *mk_entry(f, SPINE01, 11);
	expect_stale(m, "1/0 1 40 0\n2/0 1 40 0\n3/0 1 41 0\n");
}

static void a_lid_may_be_that_of_a_device_that_did_not_answer(void **state)
{
	struct mkfab m = mk_tree();
	struct fabric_forwarding *f = mk_routed(m);

	(void)state;
	*mk_entry(f, LEAF01, 40) = 1;
	*mk_entry(f, LEAF01, 41) = 4;
	answers_put(port(m, SPINE01, 4), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	expect_stale(m, "1/4 1 41 0\n");
}

static void what_is_above_the_top_of_a_switch_is_not_stale(void **state)
{
	struct mkfab m = mk_tree();
	struct fabric_forwarding *f = mk_routed(m);

	(void)state;
	*mk_entry(f, LEAF01, 40) = 1;
	fabric_build_find(m.b, m.subnet, LEAF01)->lft_top = 20;
	expect_stale(m, "");
}

/* ---- ways that are longer than they need to be ---- */

static void detours_are_told_by_the_switches_at_their_ends(void **state)
{
	struct mkfab m = mk_tree();
	const struct ibc_longer_routes *longer;
	struct fabric_forwarding *f;
	struct routed r;

	(void)state;
	mk_switch(m, 4, "spine02", 4);
	cable(m, LEAF01, 4, 4, 1);
	cable(m, SPINE01, 3, 4, 3);
	f = mk_routed(m);
	*mk_entry(f, LEAF01, 13) = 4;
	*mk_entry(f, 4, 13) = 3;
	*mk_entry(f, SPINE01, 13) = 2;
	r = routed(m, 1);
	longer = ibc_routes_longer(r.routes, 0);
	assert_non_null(longer);
	assert_int_equal(longer->from->guid, LEAF01);
	assert_int_equal(longer->to->guid, LEAF02);
	assert_int_equal(longer->src->node->guid, 11);
	assert_int_equal(longer->dst->node->guid, 13);
	assert_int_equal(longer->hops, 4);
	assert_int_equal(longer->shortest, 3);
	assert_int_equal(longer->pairs, 2);
	assert_int_equal(ibc_routes_sums(r.routes, 0)->longer, 2);
	assert_null(ibc_routes_longer(r.routes, 1));
	free_routed(r);
}

/* ---- against a naive look at every pair ---- */

#define MANY_FAULTS 512

struct naive_fault {
	enum ibc_route_end end;
	const struct ibc_node *at;
	unsigned int port;
	bool only_own;
	unsigned int cut_hosts;
	size_t srcs, dsts;
	uint64_t pairs;
	bool sends[RANDOM_LIDS], reached[RANDOM_LIDS]; /* by base LID; by LID */
};

struct naive {
	const struct ibc_port *hosts[RANDOM_LIDS];
	size_t num_hosts;
	uint64_t pairs, routed, unknown, hops;
	unsigned int longest;
	struct naive_fault faults[MANY_FAULTS];
	size_t num_faults;
	bool carried[RANDOM_SWITCHES][256][RANDOM_LIDS];
};

/* At the switch of the destination, or at any other. */
static bool has_entry(const struct ibc_port *dst, unsigned int dlid, bool own)
{
	const struct ibc_forwarding *lft = dst->node->subnet->forwarding;

	for (size_t i = 0; i < lft->num_switches; i++)
		if ((lft->switches[i] == dst->peer->node) == own &&
		    lft->out[dlid * lft->stride + i] != IBC_NO_ENTRY)
			return true;
	return false;
}

/* The switches that cables lead to from one, as bits by GUID; *hosts: how many are on them. */
static uint64_t naive_part(const struct ibc_node *sw, unsigned int *hosts)
{
	const struct ibc_forwarding *lft = sw->subnet->forwarding;
	uint64_t part = 1ull << sw->guid, before = 0;

	while (part != before) {
		before = part;
		*hosts = 0;
		for (size_t i = 0; i < lft->num_switches; i++) {
			const struct ibc_node *node = lft->switches[i];

			for (unsigned int n = 1; part >> node->guid & 1 && n <= node->num_ports;
			     n++) {
				const struct ibc_port *far = node->ports[n].peer;

				if (far && far->node->type == IBC_NODE_SWITCH)
					part |= 1ull << far->node->guid;
				else if (far)
					++*hosts;
			}
		}
	}
	return part;
}

static const struct ibc_node *first_of(const struct ibc_subnet *subnet, uint64_t part)
{
	return ibc_fabric_node_by_guid(subnet->fabric, (uint64_t)__builtin_ctzll(part));
}

/* The part that is smaller, if no cable joins the two; or NULL. */
static const struct ibc_node *naive_cut(const struct ibc_node *a, const struct ibc_node *z,
                                        unsigned int *hosts)
{
	unsigned int hosts_a, hosts_z;
	uint64_t part_a = naive_part(a, &hosts_a), part_z = naive_part(z, &hosts_z);

	if (part_a == part_z)
		return NULL;
	if (hosts_a != hosts_z) {
		*hosts = hosts_a < hosts_z ? hosts_a : hosts_z;
		return first_of(a->subnet, hosts_a < hosts_z ? part_a : part_z);
	}
	*hosts = hosts_a;
	a = first_of(a->subnet, part_a);
	z = first_of(a->subnet, part_z);
	return a->guid > z->guid ? a : z;
}

static void naive_place(struct naive_fault *f, const struct route *route,
                        const struct ibc_port *dst, unsigned int dlid)
{
	const struct ibc_node *cut = naive_cut(route->at[0], dst->peer->node, &f->cut_hosts);
	unsigned int last = route->hops - 1;

	f->end = route->end;
	f->at = route->at[last];
	f->port = route->out[last] == IBC_NO_ENTRY ? 0 : route->out[last];
	if (f->end != IBC_ROUTE_NO_ENTRY)
		f->cut_hosts = 0;
	else if (cut)
		f->at = cut;
	else if (!has_entry(dst, dlid, false)) {
		f->at = dst->peer->node;
		f->only_own = has_entry(dst, dlid, true);
	}
	/* the last of so many hops are in the loop */
	for (unsigned int i = RANDOM_WAY - RANDOM_SWITCHES; f->end == IBC_ROUTE_LOOP && i <= last;
	     i++) {
		if (route->at[i]->guid > f->at->guid)
			continue;
		f->at = route->at[i];
		f->port = route->out[i];
	}
}

static void naive_fault(struct naive *n, const struct route *route, const struct ibc_port *src,
                        const struct ibc_port *dst, unsigned int dlid)
{
	struct naive_fault place = { .pairs = 0 }, *f = n->faults;

	naive_place(&place, route, dst, dlid);
	while (f < n->faults + n->num_faults &&
	       (f->end != place.end || f->at != place.at || f->port != place.port ||
	        f->only_own != place.only_own || f->cut_hosts != place.cut_hosts))
		f++;
	if (f == n->faults + n->num_faults) {
		assert_true(n->num_faults < MANY_FAULTS);
		*f = place;
		n->num_faults++;
	}
	f->pairs++;
	f->srcs += !f->sends[src->lid];
	f->dsts += !f->reached[dlid];
	f->sends[src->lid] = f->reached[dlid] = true;
}

static void naive_pair(struct naive *n, const struct ibc_port *src, const struct ibc_port *dst,
                       unsigned int dlid)
{
	struct route route = naive_way(src, dst, dlid);

	n->pairs++;
	for (unsigned int i = 0; i < route.hops; i++)
		n->carried[route.at[i]->guid - 1][route.out[i]][dlid] = true;
	if (route.end != IBC_ROUTE_ARRIVES) {
		n->unknown += route.end == IBC_ROUTE_UNKNOWN;
		naive_fault(n, &route, src, dst, dlid);
		return;
	}
	n->routed++;
	n->hops += route.hops;
	if (route.hops > n->longest)
		n->longest = route.hops;
}

static void naive_walk(struct naive *n, const struct ibc_fabric *fab)
{
	const struct ibc_port *port;

	*n = (struct naive){ .num_hosts = 0 };
	for (size_t i = 0; (port = ibc_fabric_port(fab, i)); i++)
		if (port->node->type != IBC_NODE_SWITCH && port->peer)
			n->hosts[n->num_hosts++] = port;
	for (size_t s = 0; s < n->num_hosts; s++)
		for (size_t d = 0; d < n->num_hosts; d++)
			for (unsigned int i = 0; s != d && i < 1u << n->hosts[d]->lmc; i++)
				naive_pair(n, n->hosts[s], n->hosts[d], n->hosts[d]->lid + i);
}

static void expect_carried(const struct naive *n, const struct route_subnet *p)
{
	for (uint32_t s = 0; s < p->n; s++)
		for (unsigned int out = 0; out < p->width; out++) {
			uint32_t lids = 0;

			for (unsigned int lid = 0; lid < RANDOM_LIDS; lid++)
				lids += n->carried[s][out][lid];
			assert_int_equal(p->carried[s * p->width + out], lids);
		}
}

static void expect_naive(const struct naive *n, const struct ibc_routes *routes)
{
	const struct ibc_route_sums *sums = ibc_routes_sums(routes, 0);
	const struct ibc_route_fault *f;
	size_t found = 0;

	assert_int_equal(sums->hosts, n->num_hosts);
	assert_int_equal(sums->pairs, n->pairs);
	assert_int_equal(sums->routed, n->routed);
	assert_int_equal(sums->unknown, n->unknown);
	assert_int_equal(sums->broken, n->pairs - n->routed - n->unknown);
	assert_int_equal(sums->hops_longest, n->longest);
	assert_true(sums->hops_mean == (n->routed ? (double)n->hops / (double)n->routed : 0));
	while ((f = ibc_routes_fault(routes, found))) {
		const struct naive_fault *want = n->faults;

		while (want < n->faults + n->num_faults &&
		       (want->end != f->end || want->at != f->at || want->port != f->port ||
		        want->only_own != f->only_own || want->cut_hosts != f->cut_hosts))
			want++;
		assert_true(want < n->faults + n->num_faults);
		assert_int_equal(f->pairs, want->pairs);
		assert_int_equal(f->srcs, want->srcs);
		assert_int_equal(f->dsts, want->dsts);
		found++;
	}
	assert_int_equal(found, n->num_faults);
	expect_carried(n, &routes->subnets[0]);
}

static void random_tables_are_followed_as_pair_by_pair(void **state)
{
	struct naive *naive = calloc(1, sizeof(*naive));
	uint64_t seed = 7;

	(void)state;
	assert_non_null(naive);
	for (unsigned int i = 0; i < 300; i++) {
		struct mkfab m = mk_random_fabric(&seed);
		struct fabric_forwarding *f = mk_random_tables(m, &seed, mk_random(&seed, 40));
		char one[16384], four[16384];
		struct routed r;
		struct ibc_routes_opts opts = { .threads = 4 };
		struct ibc_routes *again;

		if (!mk_random(&seed, 3))
			mk_unread(f, 1 + mk_random(&seed, 2), 64 * mk_random(&seed, 3));
		r = routed(m, 1);
		naive_walk(naive, r.fab);
		expect_naive(naive, r.routes);
		assert_int_equal(ibc_routes_analyze(r.fab, &opts, &again, NULL), 0);
		faults_as_text(r.routes, one, sizeof(one));
		faults_as_text(again, four, sizeof(four));
		assert_string_equal(one, four);
		expect_naive(naive, again);
		ibc_routes_free(again);
		free_routed(r);
	}
	free(naive);
}

/* ---- memory ---- */

static void running_out_of_memory_anywhere_is_told(void **state)
{
	struct ibc_routes_opts opts = { .threads = 1 };
	struct mkfab m = mk_tree();
	struct ibc_routes *routes = NULL;
	struct ibc_fabric *fab;
	unsigned long n = 0;
	int rc;

	(void)state;
	*mk_entry(mk_routed(m), LEAF02, 13) = 2;
	fab = done(m);
	do {
		alloc_fail_at(++n);
		rc = ibc_routes_analyze(fab, &opts, &routes, NULL);
		alloc_fail_at(0);
		assert_true(rc == 0 || (rc == -ENOMEM && !routes));
	} while (rc);
	assert_true(n > 10);
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pair_of_a_tree_is_routed),
		cmocka_unit_test(a_switch_without_an_entry_is_named),
		cmocka_unit_test(a_lid_without_entries_is_one_fault_of_its_own_switch),
		cmocka_unit_test(hosts_that_send_and_lids_are_counted_once),
		cmocka_unit_test(a_port_that_is_down_is_named),
		cmocka_unit_test(a_port_that_is_not_there_is_named),
		cmocka_unit_test(another_host_than_the_owner_is_named),
		cmocka_unit_test(an_adapter_that_did_not_tell_its_lid_may_be_the_owner),
		cmocka_unit_test(a_loop_is_named_by_its_switch_of_the_lowest_guid),
		cmocka_unit_test(pairs_that_pass_an_unread_block_are_unknown),
		cmocka_unit_test(what_lies_beyond_a_port_that_does_not_tell_is_unknown),
		cmocka_unit_test(a_lid_beyond_all_tables_has_no_entry),
		cmocka_unit_test(a_lid_above_the_top_of_a_switch_has_no_entry_there),
		cmocka_unit_test(every_lid_of_a_port_is_a_destination),
		cmocka_unit_test(of_two_hosts_with_one_lid_one_is_not_reached),
		cmocka_unit_test(subnets_are_evaluated_apart),
		cmocka_unit_test(switches_of_one_guid_are_two),
		cmocka_unit_test(good_entries_are_not_stale),
		cmocka_unit_test(entries_to_a_port_that_is_down_are_stale),
		cmocka_unit_test(entries_of_lids_nobody_has_are_stale),
		cmocka_unit_test(lids_that_lead_to_an_adapter_with_virtual_ports_are_theirs),
		cmocka_unit_test(an_adapter_that_has_no_virtual_ports_has_no_lids_for_them),
		cmocka_unit_test(a_lid_that_leads_to_several_adapters_or_none_is_nobodys),
		cmocka_unit_test(a_lid_may_be_that_of_a_device_that_did_not_answer),
		cmocka_unit_test(what_is_above_the_top_of_a_switch_is_not_stale),
		cmocka_unit_test(detours_are_told_by_the_switches_at_their_ends),
		cmocka_unit_test(random_tables_are_followed_as_pair_by_pair),
		cmocka_unit_test(running_out_of_memory_anywhere_is_told),
	};

	return cmocka_run_group_tests_name("walk", tests, NULL, NULL);
}
