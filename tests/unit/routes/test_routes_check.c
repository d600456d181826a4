/* SPDX-License-Identifier: BSD-2-Clause */
/* What the checks say of routes: one cause, one id, one finding. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <ibcheck/routes.h>

#include "analysis/routes/routes.h"
#include "base/arena.h"
#include "findings.h"
#include "mkroutes.h"

enum { LEAF01 = 1, LEAF02, SPINE01 };
#define SELECTION "routes,-routes.multicast"

/* Hosts with LIDs 10 and 11 on leaf01, 12 and 13 on leaf02, under one spine. */
static struct mkfab mk_tree(void)
{
	struct mkfab m = mkfab();
	char name[16];

	mk_switch(m, LEAF01, "leaf01", 4);
	mk_switch(m, LEAF02, "leaf02", 4);
	mk_switch(m, SPINE01, "spine01", 4);
	for (unsigned int i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "h%u mlx5_0", 10 + i);
		mk_ca(m, 10 + i, name, 1);
		cable(m, i < 2 ? LEAF01 : LEAF02, 1 + i % 2, 10 + i, 1);
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

static struct ibc_report *report_of_routes(struct mkfab m)
{
	struct ibc_routes_opts opts = IBC_ROUTES_OPTS_INIT;
	struct ibc_fabric *fab = done(m);
	struct ibc_input in = { .fabric = fab };
	struct ibc_routes *routes;
	struct ibc_report *rep;

	opts.bisections = opts.shifts = 0;
	assert_int_equal(ibc_routes_analyze(fab, &opts, &routes, NULL), 0);
	in.routes = routes;
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, SELECTION, rep, NULL), 0);
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	return rep;
}

static void expect_routes(struct mkfab m, const char *lines)
{
	expect_of(report_of_routes(m), lines);
}

static void nothing_is_said_of_routes_that_arrive(void **state)
{
	struct mkfab m = mk_tree();
	struct ibc_report *rep;

	(void)state;
	mk_routed(m);
	rep = report_of_routes(m);
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	expect_of(rep, "");
}

static void a_missing_entry_is_told_with_who_it_cuts_off(void **state)
{
	struct mkfab m = mk_tree();

	(void)state;
	*mk_entry(mk_routed(m), SPINE01, 12) = IBC_NO_ENTRY;
	expect_routes(m, "critical spine01: has no entry for LID 12 of h12 mlx5_0: 2 hosts cannot "
	                 "reach it\n");
}

static void a_switch_that_lacks_many_entries_is_one_finding(void **state)
{
	struct mkfab m = mk_tree();
	struct fabric_forwarding *f = mk_routed(m);

	(void)state;
	for (unsigned int lid = 10; lid < 14; lid++)
		*mk_entry(f, SPINE01, lid) = IBC_NO_ENTRY;
	expect_routes(
	    m, "critical spine01: has no entry for 4 LIDs of hosts: 8 pairs cannot communicate\n");
}

static void a_host_that_nobody_routes_to_is_one_finding(void **state)
{
	struct mkfab m = mk_tree();
	struct fabric_forwarding *f = mk_routed(m);

	(void)state;
	for (uint64_t sw = LEAF01; sw <= SPINE01; sw++)
		*mk_entry(f, sw, 12) = IBC_NO_ENTRY;
	expect_routes(m, "critical leaf02: has no entry for LID 12 of h12 mlx5_0: 3 hosts cannot "
	                 "reach it\n");
}

/* Two subnets that a cable has joined: each switch knows its own hosts. */
static void hosts_that_only_their_own_switch_knows_are_one_finding(void **state)
{
	struct mkfab m = mk_tree();
	struct fabric_forwarding *f = mk_routed(m);

	(void)state;
	*mk_entry(f, LEAF01, 12) = *mk_entry(f, SPINE01, 12) = IBC_NO_ENTRY;
	*mk_entry(f, LEAF01, 13) = *mk_entry(f, SPINE01, 13) = IBC_NO_ENTRY;
	expect_routes(m, "critical leaf02: is the only switch with an entry for 2 LIDs of hosts: 4 "
	                 "pairs cannot communicate\n");
	m = mk_tree();
	f = mk_routed(m);
	*mk_entry(f, LEAF01, 12) = *mk_entry(f, SPINE01, 12) = IBC_NO_ENTRY;
	for (uint64_t sw = LEAF01; sw <= SPINE01; sw++)
		*mk_entry(f, sw, 13) = IBC_NO_ENTRY;
	expect_routes(m, "critical leaf02: has no entry for LID 13 of h13 mlx5_0: 3 hosts cannot "
	                 "reach it\n"
	                 "critical leaf02: is the only switch with an entry for LID 12 of h12 "
	                 "mlx5_0: 2 hosts cannot reach it\n");
}

/* As a subnet manager leaves it that has taken notice: no entry leads across. */
static void a_fabric_in_two_parts_is_one_finding(void **state)
{
	struct mkfab m = mk_tree();
	struct fabric_forwarding *f = mk_routed(m);

	(void)state;
	port(m, LEAF02, 3)->state = IBC_STATE_INIT;
	for (unsigned int lid = 1; lid < 14; lid++) {
		if (*mk_entry(f, SPINE01, lid) == 2)
			*mk_entry(f, SPINE01, lid) = *mk_entry(f, LEAF01, lid) = IBC_NO_ENTRY;
		if (*mk_entry(f, LEAF02, lid) == 3)
			*mk_entry(f, LEAF02, lid) = IBC_NO_ENTRY;
	}
	expect_routes(m, "critical leaf02: is cut off, with 2 hosts: no cable to the rest of the "
	                 "fabric carries data, and 8 pairs cannot communicate\n");
}

static void entries_that_end_at_the_wrong_place_are_dead_ends(void **state)
{
	struct mkfab m = mk_tree();

	(void)state;
	*mk_entry(mk_routed(m), LEAF02, 12) = 2;
	expect_routes(m, "critical leaf02: sends a LID to h13 mlx5_0/1, which is not their "
	                 "destination: 3 pairs of hosts cannot communicate\n");
	m = mk_tree();
	*mk_entry(mk_routed(m), SPINE01, 12) = 9;
	expect_routes(m, "critical spine01: sends out of port 9, but has only 4 ports: 2 pairs of "
	                 "hosts cannot communicate\n");
	m = mk_tree();
	*mk_entry(mk_routed(m), SPINE01, 12) = 0;
	expect_routes(m, "critical spine01: keeps packets for LIDs that are not its own: 2 pairs "
	                 "of hosts cannot communicate\n");
}

static void a_host_that_has_the_lid_too_is_told(void **state)
{
	struct mkfab m = mk_tree();

	(void)state;
	mk_routed(m);
	port(m, 11, 1)->lid = 12;
	expect_routes(m, "critical leaf02: sends LID 12 to h12 mlx5_0/1, which has the same LID as "
	                 "h11 mlx5_0/1: 3 pairs of hosts cannot communicate\n"
	                 "warning fabric: 3 switches have entries for LIDs that no port has, e.g. "
	                 "leaf01 for LID 11\n");
}

static void what_goes_round_is_a_loop(void **state)
{
	struct mkfab m = mk_tree();

	(void)state;
	*mk_entry(mk_routed(m), SPINE01, 12) = 1;
	expect_routes(m, "critical leaf01/3: is part of a loop: packets for 1 LID circulate until "
	                 "they are dropped, 2 pairs of hosts cannot communicate\n");
}

static void a_table_that_was_not_read_is_unknown_and_settles_its_query(void **state)
{
	struct mkfab m = mk_tree();
	struct ibc_report *rep;

	(void)state;
	mk_unread(mk_routed(m), SPINE01, 10);
	rep = report_of_routes(m);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	expect_of(rep, "unknown spine01: does not report its linear forwarding table (LFT): routes "
	               "through it are not checked\n");
}

static void hosts_without_lids_are_not_followed_and_said_to_be(void **state)
{
	struct mkfab m = mk_tree();
	struct ibc_report *rep;

	(void)state;
	mk_routed(m);
	port(m, 12, 1)->state = IBC_STATE_INIT;
	expect_routes(m, "warning leaf02/1: has a link that is not Active, and 1 LID still goes "
	                 "there; no pair of hosts uses it\n"
	                 "info fabric: 1 of 4 host ports has no LID or no Active link: routes to "
	                 "and from them were not checked\n");
	m = mk_tree();
	mk_tables(m, 80);
	for (uint64_t guid = 10; guid < 14; guid++)
		port(m, guid, 1)->lid = 0;
	rep = report_of_routes(m);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	expect_of(rep, "unknown fabric: 4 of 4 host ports have no LID or no Active link: routes to "
	               "and from them were not checked\n");
	m = mkfab();
	mk_switch(m, LEAF01, "leaf01", 4);
	mk_tables(m, 80);
	expect_routes(m, "");
}

static void several_tables_that_were_not_read_are_one_finding(void **state)
{
	struct mkfab m = mk_tree();
	struct fabric_forwarding *f = mk_routed(m);

	(void)state;
	mk_unread(f, LEAF02, 10);
	mk_unread(f, SPINE01, 10);
	expect_routes(m, "unknown leaf02: does not report its linear forwarding table (LFT), and "
	                 "neither do 1 more switches: routes through them are not checked\n");
}

static void tables_of_strangers_are_for_information(void **state)
{
	struct mkfab m = mk_tree();
	struct fabric_forwarding *f = mk_routed(m);

	(void)state;
	f->tables.file = "tables";
	f->tables.foreign = 2;
	f->tables.foreign_guid = 0x99;
	expect_routes(m, "info fabric: tables has tables of 2 switches that are not in this fabric "
	                 "(0x0000000000000099 and so on)\n");
}

/* ---- findings made by hand --------------------------------------------------------------- */

/* The routes of mk_tree() as if an analysis had found what a test puts in. */
struct found {
	struct ibc_fabric *fab;
	struct route_subnet subnet;
	struct ibc_routes routes;
};

static void find_nothing(struct found *f)
{
	struct mkfab m = mk_tree();

	ibc_attrs_add(&m.subnet->provides, IBC_ATTR_MFT);
	mk_routed(m);
	*f = (struct found){ .fab = done(m) };
	f->subnet.subnet = f->subnet.sums.subnet = ibc_fabric_subnet(f->fab, 0);
	f->subnet.sums.sl_source = IBC_SL_SAMPLED;
	f->routes = (struct ibc_routes){ .subnets = &f->subnet, .num_subnets = 1, .fab = f->fab };
}

static void expect_found(struct found *f, const char *selection, const char *lines)
{
	struct ibc_input in = { .fabric = f->fab, .routes = &f->routes };
	struct ibc_report *rep;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, selection, rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	expect_of(rep, lines);
	ibc_fabric_free(f->fab);
}

static const struct ibc_port *at(const struct found *f, uint64_t guid, unsigned int num)
{
	return ibc_node_port(ibc_fabric_node_by_guid(f->fab, guid), num);
}

static const struct ibc_node *sw(const struct found *f, uint64_t guid)
{
	return ibc_fabric_node_by_guid(f->fab, guid);
}

static void entries_to_a_port_that_is_down_are_as_bad_as_who_uses_them(void **state)
{
	struct found f;
	struct ibc_stale_entries stale[3];

	(void)state;
	find_nothing(&f);
	stale[0] = (struct ibc_stale_entries){ sw(&f, LEAF01), 4, 3, 20, 6 };
	stale[1] = (struct ibc_stale_entries){ sw(&f, LEAF02), 4, 1, 20, 0 };
	stale[2] = (struct ibc_stale_entries){ sw(&f, SPINE01), 1, 2, 20, 1 };
	f.subnet.stale = stale;
	f.subnet.num_stale = 3;
	expect_found(
	    &f, "routes.stale",
	    "critical leaf01/4: is down, and 3 LIDs still go there: 6 pairs of hosts cannot "
	    "communicate\n"
	    "warning leaf02/4: is down, and 1 LID still goes there; no pair of hosts uses it\n"
	    "critical spine01/1: has a link that is not Active, and 2 LIDs still go there: 1 pair "
	    "of hosts cannot communicate\n");
}

static void lids_that_nobody_has_are_one_finding_however_many_tables_know_them(void **state)
{
	struct found f;
	struct ibc_stale_entries stale[2];

	(void)state;
	find_nothing(&f);
	stale[0] = (struct ibc_stale_entries){ sw(&f, LEAF01), 0, 1, 20, 0 };
	stale[1] = (struct ibc_stale_entries){ sw(&f, LEAF02), 0, 1, 20, 0 };
	f.subnet.stale = stale;
	f.subnet.num_stale = 2;
	expect_found(&f, "routes.stale",
	             "warning fabric: 2 switches have entries for LIDs that no port has, e.g. "
	             "leaf01 for LID 20\n");
	find_nothing(&f);
	f.subnet.stale = stale;
	f.subnet.num_stale = 1;
	stale[0].node = sw(&f, LEAF01);
	expect_found(&f, "routes.stale",
	             "warning fabric: 1 switch has entries for LIDs that no port has, e.g. "
	             "leaf01 for LID 20\n");
}

static void lids_that_may_be_of_virtual_ports_or_routers_are_a_note(void **state)
{
	struct found f;

	(void)state;
	find_nothing(&f);
	f.subnet.sums.spared[IBC_LID_OF_VPORT].num = 9; /* as they should */
	f.subnet.sums.spared[IBC_LID_FLID].num = 9;
	f.subnet.sums.spared[IBC_LID_MAYBE_OF_VPORT] = (struct ibc_spared_lids){ 3, 40,
		                                                                 at(&f, 11, 1),
		                                                                 NULL };
	f.subnet.sums.spared[IBC_LID_MAYBE_FLID] = (struct ibc_spared_lids){ 1, 50, at(&f, 12, 1),
		                                                             NULL };
	expect_found(&f, "routes.stale",
	             "info fabric: 1 LID that no port has goes to routers, not all of which report "
	             "their ranges, e.g. LID 50 to h12 mlx5_0/1: guessed to be floating LIDs "
	             "(FLIDs), and not checked\n"
	             "info fabric: 3 LIDs that no port has go to HCAs whose virtual ports were not "
	             "read, e.g. LID 40 to h11 mlx5_0/1: guessed to be those of virtual ports, and "
	             "not checked\n");
}

static void a_lid_of_a_virtual_port_that_goes_astray_is_critical(void **state)
{
	struct found f;

	(void)state;
	find_nothing(&f);
	f.subnet.sums.spared[IBC_LID_ASTRAY] = (struct ibc_spared_lids){ 1, 40, at(&f, 11, 1),
		                                                         at(&f, LEAF02, 1) };
	expect_found(&f, "routes.dead-end",
	             "critical leaf02: sends LID 40 to h12 mlx5_0/1, but it is that of a virtual "
	             "port of h11 mlx5_0/1\n");
	find_nothing(&f);
	f.subnet.sums.spared[IBC_LID_ASTRAY] = (struct ibc_spared_lids){ 2, 40, at(&f, 11, 1),
		                                                         at(&f, LEAF02, 1) };
	expect_found(&f, "routes.dead-end",
	             "critical leaf02: sends LID 40 to h12 mlx5_0/1, but it is that of a virtual "
	             "port of h11 mlx5_0/1; 2 LIDs of virtual ports go astray\n");
}

#define NO_LIDS                                                                                    \
	"unknown fabric: 4 of 4 host ports have no LID or no Active link: routes to and from "     \
	"them were not checked\n"

static void a_lid_of_a_virtual_port_that_is_lost_is_critical(void **state)
{
	struct found f;

	(void)state;
	find_nothing(&f);
	f.subnet.sums.spared[IBC_LID_LOST] = (struct ibc_spared_lids){ 1, 40, at(&f, 11, 1), NULL };
	expect_found(&f, "routes.unreachable",
	             NO_LIDS
	             "critical leaf01: does not send LID 40 to port 2, but it is that of a virtual "
	             "port of h11 mlx5_0/1\n");
	find_nothing(&f);
	f.subnet.sums.spared[IBC_LID_LOST] = (struct ibc_spared_lids){ 2, 40, at(&f, 11, 1), NULL };
	expect_found(&f, "routes.unreachable",
	             NO_LIDS
	             "critical leaf01: does not send LID 40 to port 2, but it is that of a virtual "
	             "port of h11 mlx5_0/1; so it is with 2 LIDs of virtual ports\n");
}

static void find_hops(struct found *f, struct ibc_credit_hop hops[2])
{
	find_nothing(f);
	hops[0] = (struct ibc_credit_hop){ at(f, LEAF01, 3), 1, at(f, 10, 1), at(f, 12, 1), 12 };
	hops[1] = (struct ibc_credit_hop){ at(f, SPINE01, 1), 1, at(f, 12, 1), at(f, 10, 1), 10 };
}

static void a_ring_is_told_hop_by_hop_and_by_its_cause(void **state)
{
	static const struct {
		enum ibc_loop_cause cause;
		enum ibc_sl_source source;
		const char *line;
	} cases[] = {
		{ IBC_LOOP_HOSTS, IBC_SL_COMPLETE,
		  "critical leaf01/3: is in a ring of 2 buffers on VL 1 that can wait for each "
		  "other: leaf01/3 > spine01/1 > back\n" },
		{ IBC_LOOP_HOSTS, IBC_SL_ASSUMED,
		  "critical leaf01/3: is in a ring of 2 buffers on VL 1 that can wait for each "
		  "other, if all paths use service level 0: leaf01/3 > spine01/1 > back\n" },
		{ IBC_LOOP_UPPER_HOSTS, IBC_SL_COMPLETE,
		  "warning leaf01/3: is in a ring of 2 buffers on VL 1 that can wait for each "
		  "other, only because of hosts on switches above the leaves: leaf01/3 > spine01/1 "
		  "> back\n" },
		{ IBC_LOOP_SWITCH_PORTS, IBC_SL_COMPLETE,
		  "info leaf01/3: is in a ring of 2 buffers on VL 1 that can wait for each other, "
		  "only through traffic to and from the switches themselves: leaf01/3 > spine01/1 "
		  "> back\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ibc_credit_hop hops[2];
		struct ibc_credit_loop loop = { cases[i].cause, hops, 2, 2 };
		struct found f;

		find_hops(&f, hops);
		f.subnet.loops = &loop;
		f.subnet.num_loops = 1;
		f.subnet.sums.sl_source = cases[i].source;
		expect_found(&f, "routes.credit-loop", cases[i].line);
	}
}

/* Three that close alone, then two of them, then with one that others wait in too. */
static void rings_that_each_close_alone_are_one_finding(void **state)
{
	struct ibc_credit_hop hops[2];
	struct ibc_credit_loop loops[3];
	struct found f;

	(void)state;
	find_hops(&f, hops);
	for (size_t i = 0; i < 3; i++)
		loops[i] = (struct ibc_credit_loop){ IBC_LOOP_HOSTS, hops, 2, 2 };
	f.subnet.loops = loops;
	f.subnet.num_loops = 3;
	f.subnet.sums.sl_source = IBC_SL_COMPLETE;
	expect_found(
	    &f, "routes.credit-loop",
	    "critical fabric: 3 rings of 2 buffers each can wait for themselves; the first on "
	    "VL 1: leaf01/3 > spine01/1 > back\n");
	/* of two cables, each both ways */
	find_hops(&f, hops);
	loops[0].num_hops = loops[0].channels = loops[1].num_hops = loops[1].channels = 1;
	f.subnet.loops = loops;
	f.subnet.num_loops = 3;
	f.subnet.sums.sl_source = IBC_SL_COMPLETE;
	expect_found(&f, "routes.credit-loop",
	             "critical fabric: 3 rings of 1 to 2 buffers each can wait for themselves: all "
	             "rings of the torus, each closes along one dimension; the first on VL 1: "
	             "leaf01/3 > back\n");
}

static void two_rings_and_those_that_others_wait_in_are_told_apart(void **state)
{
	static const char ring[] =
	    "critical leaf01/3: is in a ring of 2 buffers on VL 1 that can wait for each other: "
	    "leaf01/3 > spine01/1 > back\n";
	struct ibc_credit_hop hops[2];
	struct ibc_credit_loop loops[3];
	char both[sizeof(ring) * 3];
	struct found f;

	(void)state;
	find_hops(&f, hops);
	for (size_t i = 0; i < 3; i++)
		loops[i] = (struct ibc_credit_loop){ IBC_LOOP_HOSTS, hops, 2, i == 1 ? 7 : 2 };
	f.subnet.loops = loops;
	f.subnet.num_loops = 3;
	f.subnet.sums.sl_source = IBC_SL_COMPLETE;
	snprintf(both, sizeof(both), "%s%s%s", ring, ring, ring);
	expect_found(&f, "routes.credit-loop", both);
}

static void service_levels_known_in_part_are_said_so(void **state)
{
	struct found f;

	(void)state;
	find_nothing(&f);
	f.subnet.sums.sl_source = IBC_SL_PARTIAL;
	expect_found(&f, "routes.credit-loop",
	             "unknown fabric: the service levels of some paths are not known, and the "
	             "others differ: rings of those paths are not checked\n");
}

/* Of @dlids the second of two ports of leaf01 has the most. */
static struct ibc_uplinks uplinks(const struct found *f, const struct ibc_port **ports,
                                  const uint32_t dlids[2])
{
	static double share[2];

	share[0] = share[1] = (dlids[0] + dlids[1]) / 2.0;
	ports[0] = at(f, LEAF01, 3);
	ports[1] = at(f, LEAF01, 4);
	return (struct ibc_uplinks){ .node = sw(f, LEAF01),
		                     .ports = ports,
		                     .dlids = dlids,
		                     .share = share,
		                     .num_ports = 2,
		                     .mean = (dlids[0] + dlids[1]) / 2.0,
		                     .least = dlids[0],
		                     .most = dlids[1] };
}

static void uplinks_that_take_much_more_than_the_mean_are_told(void **state)
{
	const struct ibc_port *ports[2];
	struct ibc_uplinks u;
	struct found f;

	(void)state;
	find_nothing(&f);
	u = uplinks(&f, ports, (const uint32_t[]){ 10, 50 });
	f.subnet.uplinks = &u;
	f.subnet.num_uplinks = 1;
	expect_found(&f, "routes.imbalance",
	             "warning leaf01/4: carries 50 destination LIDs, 1.7x its even share of the 2 "
	             "uplinks of this switch (30); the least used carries 10\n");
}

/* Adaptive routing is on in the subnet, and of this switch it is told. */
static void set_adaptive(struct found *f, uint64_t guid, const struct ibc_ar_info *ar)
{
	struct ibc_node *node = (struct ibc_node *)sw(f, guid);

	((struct ibc_subnet *)node->subnet)->static_traffic = IBC_TRAFFIC_UD;
	answers_put_node(node, IBC_ATTR_AR_INFO, ANSWER_OK);
	node->ar = ar;
}

static const struct ibc_ar_info ar_on = { .flags = IBC_AR_ENABLED, .group_cap = 4 };
static const struct ibc_ar_info ar_off = { .group_cap = 4 };

static void static_tables_carry_all_of_a_switch_that_does_not_choose(void **state)
{
	static const struct {
		const struct ibc_ar_info *ar;
		const char *line;
	} cases[] = {
		{ &ar_on,
		  "info leaf01/4: carries 50 destination LIDs, 1.7x its even share of the 2 "
		  "uplinks of this switch (30); the least used carries 10 (UD and IPoIB only)\n" },
		{ &ar_off,
		  "warning leaf01/4: carries 50 destination LIDs, 1.7x its even share of the 2 "
		  "uplinks of this switch (30); the least used carries 10\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ibc_port *ports[2];
		struct ibc_uplinks u;
		struct found f;

		find_nothing(&f);
		set_adaptive(&f, LEAF01, cases[i].ar);
		u = uplinks(&f, ports, (const uint32_t[]){ 10, 50 });
		f.subnet.uplinks = &u;
		f.subnet.num_uplinks = 1;
		expect_found(&f, "routes.imbalance", cases[i].line);
	}
}

/* On leaf01 it is off; the ring is found by static ports alone, or by all choices. */
static void rings_that_were_found_by_all_choices_hold_all_traffic(void **state)
{
	static const struct {
		enum ibc_loop_cause cause;
		bool followed;
		const char *line;
	} cases[] = {
		{ IBC_LOOP_HOSTS, false,
		  "critical leaf01/3: is in a ring of 2 buffers on VL 1 that can wait for each "
		  "other (UD and IPoIB only): leaf01/3 > spine01/1 > back\n" },
		{ IBC_LOOP_HOSTS, true,
		  "critical leaf01/3: is in a ring of 2 buffers on VL 1 that can wait for each "
		  "other: leaf01/3 > spine01/1 > back\n" },
		{ IBC_LOOP_SWITCH_PORTS, true,
		  "info leaf01/3: is in a ring of 2 buffers on VL 1 that can wait for each other, "
		  "only through traffic to and from the switches themselves (UD and IPoIB only): "
		  "leaf01/3 > spine01/1 > back\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ibc_credit_hop hops[2];
		struct ibc_credit_loop loop = { cases[i].cause, hops, 2, 2 };
		struct ibc_ar_sums sums = { .rings_followed = cases[i].followed };
		struct found f;

		find_hops(&f, hops);
		set_adaptive(&f, LEAF01, &ar_off);
		set_adaptive(&f, SPINE01, &ar_on);
		sums.subnet = f.subnet.subnet;
		f.subnet.ar_sums = &sums;
		f.subnet.num_ar_sums = 1;
		f.subnet.loops = &loop;
		f.subnet.num_loops = 1;
		f.subnet.sums.sl_source = IBC_SL_COMPLETE;
		expect_found(&f, "routes.credit-loop", cases[i].line);
	}
}

static void what_is_lost_at_times_is_told_without_its_place_too(void **state)
{
	struct ibc_ar_sums sums = { .followed = true, .rings_followed = true, .some = 4 };
	struct found f;

	(void)state;
	find_nothing(&f);
	sums.subnet = f.subnet.subnet;
	f.subnet.ar_sums = &sums;
	f.subnet.num_ar_sums = 1;
	expect_found(&f, "ar.dead-way,ar.loop",
	             "critical fabric: 4 pairs of hosts lose packets at times by a choice of "
	             "adaptive routing; the switch was not found\n");
}

static void what_division_leaves_is_no_imbalance(void **state)
{
	static const uint32_t even[][2] = { { 0, 0 }, { 0, 1 }, { 0, 2 }, { 30, 32 }, { 30, 50 } };

	(void)state;
	for (size_t i = 0; i < sizeof(even) / sizeof(even[0]); i++) {
		const struct ibc_port *ports[2];
		struct ibc_uplinks u;
		struct found f;

		find_nothing(&f);
		u = uplinks(&f, ports, even[i]);
		f.subnet.uplinks = &u;
		f.subnet.num_uplinks = 1;
		expect_found(&f, "routes.imbalance", "");
	}
}

static void a_trunk_is_told_only_where_the_whole_is_even(void **state)
{
	static const uint32_t dlids[2] = { 10, 50 };
	const struct ibc_port *ports[2], *down[2];
	struct ibc_uplinks u[3];
	struct found f;

	(void)state;
	find_nothing(&f);
	u[0] = u[1] = uplinks(&f, ports, dlids);
	u[2] = uplinks(&f, down, dlids);
	down[0] = at(&f, LEAF01, 1);
	down[1] = at(&f, LEAF01, 2);
	u[1].to = u[2].to = sw(&f, SPINE01);
	f.subnet.uplinks = u;
	f.subnet.num_uplinks = 3;
	expect_found(&f, "routes.imbalance",
	             "warning leaf01/2: carries 50 destination LIDs, 1.7x its even share of the 2 "
	             "cables to spine01 of this switch (30); the least used carries 10\n"
	             "warning leaf01/4: carries 50 destination LIDs, 1.7x its even share of the 2 "
	             "uplinks of this switch (30); the least used carries 10\n");
	find_nothing(&f);
	u[0] = uplinks(&f, ports, dlids);
	u[0].to = sw(&f, SPINE01);
	f.subnet.uplinks = u;
	f.subnet.num_uplinks = 1;
	expect_found(&f, "routes.imbalance",
	             "warning leaf01/4: carries 50 destination LIDs, 1.7x its even share of the 2 "
	             "cables to spine01 of this switch (30); the least used carries 10\n");
}

static void many_uneven_switches_of_a_rank_are_one_finding(void **state)
{
	static const uint32_t dlids[2] = { 10, 50 };
	const struct ibc_port *ports[2];
	struct ibc_uplinks u[5];
	struct found f;

	(void)state;
	find_nothing(&f);
	for (size_t i = 0; i < 5; i++)
		u[i] = uplinks(&f, ports, dlids);
	f.subnet.uplinks = u;
	f.subnet.num_uplinks = 5;
	expect_found(&f, "routes.imbalance",
	             "warning leaf01/4: carries 50 destination LIDs, 1.7x its even share of the 2 "
	             "uplinks of this switch (30); the least used carries 10; 4 more switches of "
	             "tier 0 are uneven\n");
}

static void longer_ways_are_summed_up(void **state)
{
	struct ibc_longer_routes longer;
	struct found f;

	(void)state;
	find_nothing(&f);
	longer = (struct ibc_longer_routes){
		sw(&f, LEAF01), sw(&f, LEAF02), at(&f, 10, 1), at(&f, 12, 1), 5, 3, 4
	};
	f.subnet.longer = &longer;
	f.subnet.num_longer = 1;
	expect_found(&f, "routes.longer",
	             "info fabric: 4 pairs of hosts on 1 pair of switches do not use the shortest "
	             "route, e.g. from leaf01 to leaf02 by 5 switches instead of 3\n");
}

static void one_place_wrong_in_many_groups_is_one_finding(void **state)
{
	struct ibc_multicast_fault trees[3];
	struct found f;

	(void)state;
	find_nothing(&f);
	trees[0] = (struct ibc_multicast_fault){ 0xc001, IBC_TREE_DOWN, sw(&f, LEAF01), 4, 1 };
	trees[1] = (struct ibc_multicast_fault){ 0xc002, IBC_TREE_DOWN, sw(&f, LEAF01), 4, 1 };
	trees[2] = (struct ibc_multicast_fault){ 0xc002, IBC_TREE_CUT, sw(&f, LEAF02), 0, 2 };
	f.subnet.trees = trees;
	f.subnet.num_trees = 3;
	expect_found(&f, "routes.multicast",
	             "warning leaf01/4: is in the tree, but has no link (MLID 0xc001 and 1 more)\n"
	             "critical leaf02: is in a piece of the tree that is cut off from the rest "
	             "(MLID 0xc002, here and at 1 more place)\n");
}

static void no_routes_no_judgement(void **state)
{
	struct ibc_report *rep;

	(void)state;
	rep = report_of(mk_tree(), "routes.loop", NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	expect_of(rep, "");
}

static void running_out_of_memory_is_told(void **state)
{
	struct mkfab m = mk_tree();
	struct fabric_forwarding *tables = mk_routed(m);
	struct ibc_routes *routes;
	struct ibc_fabric *fab;
	int rc = -ENOMEM;

	(void)state;
	*mk_entry(tables, SPINE01, 12) = 1;
	*mk_entry(tables, LEAF01, 13) = IBC_NO_ENTRY;
	fab = done(m);
	assert_int_equal(ibc_routes_analyze(fab, NULL, &routes, NULL), 0);
	for (unsigned long n = 1; rc == -ENOMEM; n++) {
		const struct ibc_input in = { .fabric = fab, .routes = routes };
		struct ibc_report *rep;

		assert_int_equal(ibc_report_new(&rep, NULL), 0);
		alloc_fail_at(n);
		rc = ibc_check_run(&in, SELECTION, rep, NULL);
		if (!rc)
			rc = ibc_report_finish(rep, NULL);
		alloc_fail_at(0);
		ibc_report_free(rep);
	}
	assert_int_equal(rc, 0);
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_said_of_routes_that_arrive),
		cmocka_unit_test(a_missing_entry_is_told_with_who_it_cuts_off),
		cmocka_unit_test(a_switch_that_lacks_many_entries_is_one_finding),
		cmocka_unit_test(a_host_that_nobody_routes_to_is_one_finding),
		cmocka_unit_test(hosts_that_only_their_own_switch_knows_are_one_finding),
		cmocka_unit_test(a_fabric_in_two_parts_is_one_finding),
		cmocka_unit_test(entries_that_end_at_the_wrong_place_are_dead_ends),
		cmocka_unit_test(a_host_that_has_the_lid_too_is_told),
		cmocka_unit_test(what_goes_round_is_a_loop),
		cmocka_unit_test(a_table_that_was_not_read_is_unknown_and_settles_its_query),
		cmocka_unit_test(hosts_without_lids_are_not_followed_and_said_to_be),
		cmocka_unit_test(several_tables_that_were_not_read_are_one_finding),
		cmocka_unit_test(tables_of_strangers_are_for_information),
		cmocka_unit_test(entries_to_a_port_that_is_down_are_as_bad_as_who_uses_them),
		cmocka_unit_test(
		    lids_that_nobody_has_are_one_finding_however_many_tables_know_them),
		cmocka_unit_test(lids_that_may_be_of_virtual_ports_or_routers_are_a_note),
		cmocka_unit_test(a_lid_of_a_virtual_port_that_goes_astray_is_critical),
		cmocka_unit_test(a_lid_of_a_virtual_port_that_is_lost_is_critical),
		cmocka_unit_test(a_ring_is_told_hop_by_hop_and_by_its_cause),
		cmocka_unit_test(rings_that_each_close_alone_are_one_finding),
		cmocka_unit_test(two_rings_and_those_that_others_wait_in_are_told_apart),
		cmocka_unit_test(service_levels_known_in_part_are_said_so),
		cmocka_unit_test(uplinks_that_take_much_more_than_the_mean_are_told),
		cmocka_unit_test(static_tables_carry_all_of_a_switch_that_does_not_choose),
		cmocka_unit_test(rings_that_were_found_by_all_choices_hold_all_traffic),
		cmocka_unit_test(what_is_lost_at_times_is_told_without_its_place_too),
		cmocka_unit_test(what_division_leaves_is_no_imbalance),
		cmocka_unit_test(a_trunk_is_told_only_where_the_whole_is_even),
		cmocka_unit_test(many_uneven_switches_of_a_rank_are_one_finding),
		cmocka_unit_test(longer_ways_are_summed_up),
		cmocka_unit_test(one_place_wrong_in_many_groups_is_one_finding),
		cmocka_unit_test(no_routes_no_judgement),
		cmocka_unit_test(running_out_of_memory_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
