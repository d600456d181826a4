/* SPDX-License-Identifier: BSD-2-Clause */
/* What the checks say of service levels and virtual lanes: one cause, one finding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "findings.h"
#include "mkroutes.h"

#define LEAVES 5
enum { LEAF01 = 1, SPINE01 = 9, HOST01 = 11 };
#define VL0_3 3
#define VL0_7 4
#define NEEDS                                                                                      \
	ibc_attrs_or(IBC_ATTRS(IBC_ATTR_SL2VL, IBC_ATTR_HCA_SL2VL, IBC_ATTR_VL_ARBITRATION),       \
	             IBC_ATTRS(IBC_ATTR_PATH_RECORD, IBC_ATTR_MC_MEMBER_RECORD, IBC_ATTR_LFT))

/* Slots that give lanes 0 to 7 a turn, VL 0 that of the high table: what OpenSM writes. */
static const struct ibc_vl_slot usual_slots[] = { { 0, 4 }, { 1, 0 }, { 1, 4 }, { 2, 4 }, { 3, 4 },
	                                          { 4, 4 }, { 5, 4 }, { 6, 4 }, { 7, 4 } };
static const struct ibc_arbitration usual = { usual_slots, 2, 7 };

static uint8_t *vl_of(struct mkfab m, uint64_t guid, unsigned int in, unsigned int out)
{
	const struct ibc_sl2vl *t = fabric_build_find(m.b, m.subnet, guid)->sl2vl;

	return (uint8_t *)t->vl + (t->uniform ? 0 : ((size_t)in * t->width + out) * 16);
}

/* Of each way, or one for all: SL n is on VL n % 8. */
static void give_lanes(struct mkfab m, uint64_t guid, bool uniform)
{
	struct ibc_node *node = fabric_build_find(m.b, m.subnet, guid);
	struct ibc_sl2vl *t = arena_alloc(fabric_build_arena(m.b), sizeof(*t));
	size_t width = node->num_ports + 1u, n = uniform ? 16 : width * width * 16;
	uint8_t *vl = arena_alloc(fabric_build_arena(m.b), n);

	for (size_t i = 0; i < n; i++)
		vl[i] = i % 16 % 8;
	*t = (struct ibc_sl2vl){ vl, (unsigned int)width, uniform };
	node->sl2vl = t;
}

/* Five leaves with a host each, under a spine: all as a subnet manager would leave it. */
static struct mkfab mk_qos(void)
{
	struct mkfab m = mkfab();
	char name[16];

	m.subnet->provides = ibc_attrs_or(m.subnet->provides, NEEDS);
	mk_switch(m, SPINE01, "spine01", LEAVES);
	for (unsigned int i = 0; i < LEAVES; i++) {
		snprintf(name, sizeof(name), "leaf%02u", i + 1);
		mk_switch(m, LEAF01 + i, name, 3);
		snprintf(name, sizeof(name), "h%02u mlx5_0", i + 1);
		mk_ca(m, HOST01 + i, name, 1);
		cable(m, LEAF01 + i, 1, HOST01 + i, 1);
		cable(m, LEAF01 + i, 2, SPINE01, i + 1);
		give_lanes(m, LEAF01 + i, true);
		give_lanes(m, HOST01 + i, false);
		port_extra(port(m, LEAF01 + i, 1))->arbitration =
		    port_extra(port(m, LEAF01 + i, 2))->arbitration = &usual;
		port_extra(port(m, SPINE01, i + 1))->arbitration =
		    port_extra(port(m, HOST01 + i, 1))->arbitration = &usual;
	}
	give_lanes(m, SPINE01, true);
	mk_min_hop(m, mk_tables(m, 80));
	return m;
}

/* All paths, or but that from host 1 to host 2, are told; that one has another SL. */
static void mk_levels(struct mkfab m, unsigned int sl, unsigned int first)
{
	static struct ibc_path_sl paths[LEAVES * LEAVES];
	static struct ibc_sa sa;
	size_t n = 0;

	for (unsigned int dst = HOST01; dst < HOST01 + LEAVES; dst++)
		for (unsigned int src = HOST01; src < HOST01 + LEAVES; src++)
			if (src != dst)
				paths[n++] = (struct ibc_path_sl){ (uint16_t)src, (uint16_t)dst,
					                           (uint8_t)sl };
	for (size_t i = 0; i < n; i++)
		if (paths[i].slid == HOST01 && paths[i].dlid == HOST01 + 1)
			paths[i].sl = (uint8_t)first;
	sa = (struct ibc_sa){ .paths = paths, .num_paths = n };
	m.subnet->sa = &sa;
}

static void expect_qos(struct mkfab m, const char *lines)
{
	expect_of(report_of(m, "qos", NULL), lines);
}

static void nothing_is_said_of_what_opensm_writes(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	expect_qos(m, "");
	m = mk_qos();
	mk_levels(m, 0, 3);
	expect_qos(m, "");
	m = mk_qos();
	mk_levels(m, 0, 0);
	expect_qos(m, "");
}

/* ---- qos.sl2vl: what is lost ---------------------------------------------------------- */

static void a_path_on_a_lane_that_its_link_has_not_is_critical(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	mk_levels(m, 0, 5);
	port(m, SPINE01, 2)->vl_active = port(m, LEAF01 + 1, 2)->vl_active = VL0_3;
	expect_of(
	    report_of(m, "qos.sl2vl", NULL),
	    "critical spine01/2: loses packets of service level (SL) 5: they get VL 5, and its "
	    "link has only VL0-3; such as from h01 mlx5_0 to h02 mlx5_0; 1 more port "
	    "gives them such a VL\n");
}

static void a_path_that_is_dropped_is_critical_and_so_is_one_that_nobody_told_of(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	vl_of(m, SPINE01, 0, 0)[0] = 15;
	expect_of(
	    report_of(m, "qos.sl2vl", NULL),
	    "critical spine01/1: drops packets of service level (SL) 0, if all paths use SL 0: "
	    "its SL2VL table has VL 15 for them; such as from h02 mlx5_0 to h01 mlx5_0; 4 more "
	    "ports give them such a VL\n");
}

static void an_hca_that_drops_what_it_sends_is_told_once(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	mk_levels(m, 0, 5);
	vl_of(m, HOST01, 0, 1)[5] = 15;
	expect_qos(m,
	           "critical h01 mlx5_0/1: drops packets of service level (SL) 5: its SL2VL table "
	           "has VL 15 for them; such as from h01 mlx5_0 to h02 mlx5_0\n");
}

/* Host 1 alone uses SL 0, whose lane host 2 has neither. */
static void a_higher_level_is_lost_where_the_lowest_has_no_path(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	mk_levels(m, 5, 0);
	vl_of(m, HOST01 + 1, 0, 1)[0] = vl_of(m, HOST01 + 1, 0, 1)[5] = 15;
	expect_qos(m,
	           "critical h02 mlx5_0/1: drops packets of service level (SL) 5: its SL2VL table "
	           "has VL 15 for them; such as from h02 mlx5_0 to h01 mlx5_0\n");
}

static void a_port_that_loses_two_levels_is_told_once(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	mk_levels(m, 5, 0);
	vl_of(m, HOST01, 0, 1)[0] = vl_of(m, HOST01, 0, 1)[5] = 15;
	expect_qos(m,
	           "critical h01 mlx5_0/1: drops packets of service level (SL) 0: its SL2VL table "
	           "has VL 15 for them; such as from h01 mlx5_0 to h02 mlx5_0\n");
}

/* To the last n hosts no path is told, and on SL 5 the spine drops what goes there. */
static struct mkfab mk_untold(unsigned int n)
{
	struct mkfab m = mk_qos();

	mk_levels(m, 0, 5);
	((struct ibc_sa *)m.subnet->sa)->num_paths -= (size_t)n * (LEAVES - 1);
	give_lanes(m, SPINE01, false);
	for (unsigned int out = LEAVES - n + 1; out <= LEAVES; out++)
		for (unsigned int in = 1; in <= LEAVES; in++)
			vl_of(m, SPINE01, in, out)[5] = 15;
	return m;
}

static void a_lane_that_loses_what_may_be_sent_is_unknown(void **state)
{
	(void)state;
	expect_of(report_of(mk_untold(1), "qos.sl2vl", NULL),
	          "unknown spine01/5: gives packets of service level (SL) 5 a virtual lane (VL 15) "
	          "that loses them: whether a path with this SL leads there is not known\n");
	expect_of(
	    report_of(mk_untold(2), "qos.sl2vl", NULL),
	    "unknown fabric: 2 ports give packets of service level (SL) 5 a virtual lane "
	    "(VL 15) that loses them: whether a path with this SL leads there is not known\n");
}

#define MANY_HOSTS 142 /* of each of two switches: more pairs than are followed by one port */
enum {
	FIRST = 1,
	SECOND,
	THIRD,
	FIRST_HOST,
	SECOND_HOST = FIRST_HOST + MANY_HOSTS,
	THIRD_HOST = SECOND_HOST + MANY_HOSTS
};

/* The first two drop SL 5 on the cable from the first to the second; from the third one host sends.
 */
static struct mkfab mk_many_pairs(void)
{
	static const struct ibc_path_sl paths[2] = {
		{ THIRD_HOST, FIRST_HOST, 5 },
		{ SECOND_HOST, FIRST_HOST + 1, 0 },
	};
	static struct ibc_sa sa = { .paths = paths, .num_paths = 2 };
	struct mkfab m = mkfab();
	char name[16];

	m.subnet->provides = ibc_attrs_or(m.subnet->provides, NEEDS);
	for (unsigned int sw = FIRST; sw <= THIRD; sw++)
		mk_switch(m, sw, (char[]){ 's', (char)('0' + sw), 0 }, MANY_HOSTS + 2);
	for (unsigned int i = 0; i < 2 * MANY_HOSTS; i++) {
		snprintf(name, sizeof(name), "h%03u mlx5_0", i);
		mk_ca(m, FIRST_HOST + i, name, 1);
		cable(m, i < MANY_HOSTS ? FIRST : SECOND, i % MANY_HOSTS + 1, FIRST_HOST + i, 1);
	}
	mk_ca(m, THIRD_HOST, "h9 mlx5_0", 1);
	cable(m, THIRD, 1, THIRD_HOST, 1);
	cable(m, FIRST, MANY_HOSTS + 1, SECOND, MANY_HOSTS + 1);
	cable(m, SECOND, MANY_HOSTS + 2, THIRD, 2);
	give_lanes(m, FIRST, false);
	give_lanes(m, THIRD, false);
	for (unsigned int in = 1; in <= MANY_HOSTS; in++)
		vl_of(m, FIRST, in, MANY_HOSTS + 1)[5] = vl_of(m, THIRD, in, 2)[5] = 15;
	mk_min_hop(m, mk_tables(m, THIRD_HOST + 1));
	m.subnet->sa = &sa;
	return m;
}

/* By the first port more pairs are sent than are followed, and the others of its group are still
 * searched. */
static void a_port_with_many_pairs_does_not_end_the_search(void **state)
{
	(void)state;
	expect_of(report_of(mk_many_pairs(), "qos.sl2vl", NULL),
	          "critical s3/2: drops packets of service level (SL) 5: its SL2VL table has VL 15 "
	          "for them; such as from h9 mlx5_0 to h000 mlx5_0; 1 more port gives them such a "
	          "VL\n");
}

/* SLs that nobody uses may map to anything; and so may ways that no route takes. */
static void what_no_path_takes_is_not_lost(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	for (unsigned int i = 0; i < LEAVES; i++)
		vl_of(m, LEAF01 + i, 0, 0)[9] = 15;
	mk_levels(m, 0, 5);
	expect_qos(m, "");
	m = mk_qos();
	mk_levels(m, 0, 5);
	give_lanes(m, SPINE01, false);
	for (unsigned int out = 1; out <= LEAVES; out++)
		vl_of(m, SPINE01, 2, out)[5] = 15; /* nobody but host 1 sends on SL 5 */
	expect_qos(m, "");
}

static void ports_to_hosts_have_the_table_of_others_only_with_as_many_lanes(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	mk_levels(m, 0, 5);
	port(m, LEAF01 + 1, 1)->vl_active = port(m, HOST01 + 1, 1)->vl_active = VL0_3;
	expect_of(report_of(m, "qos.sl2vl", NULL), "");
}

/* ---- qos.sl2vl: one path ---------------------------------------------------------------- */

/* From host 1 to the LID. */
static struct ibc_report *report_of_path(struct mkfab m, unsigned int dlid)
{
	struct ibc_fabric *fab = done(m);
	struct ibc_report *rep;
	struct ibc_path path;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_path_find(ibc_fabric_port_by_lid(ibc_fabric_subnet(fab, 0), HOST01),
	                               dlid, &path, NULL),
	                 0);
	assert_int_equal(path.end, IBC_ROUTE_ARRIVES);
	ibc_check_path(&path, rep);
	ibc_fabric_free(fab);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	return rep;
}

static void a_path_that_was_asked_for_is_lost_on_its_lane(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	mk_levels(m, 0, 5);
	vl_of(m, HOST01, 0, 1)[0] = 15;
	expect_of(report_of_path(m, HOST01 + 1), "");
	m = mk_qos();
	mk_levels(m, 0, 5);
	vl_of(m, HOST01, 0, 1)[5] = 15;
	expect_of(report_of_path(m, HOST01 + 1),
	          "critical h01 mlx5_0/1: drops packets of service level (SL) 5 from h01 mlx5_0 to "
	          "LID 12: its SL2VL table has VL 15 for them\n");
	m = mk_qos();
	mk_levels(m, 0, 5);
	port(m, SPINE01, 2)->vl_active = VL0_3;
	expect_of(
	    report_of_path(m, HOST01 + 1),
	    "critical spine01/2: loses packets of service level (SL) 5 from h01 mlx5_0 to LID "
	    "12: they get VL 5, and its link has only VL0-3\n");
}

static void a_path_whose_level_nobody_told_may_be_lost(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	vl_of(m, HOST01, 0, 1)[0] = 15;
	expect_of(report_of_path(m, HOST01 + 4),
	          "critical h01 mlx5_0/1: drops packets of service level (SL) 0, if the path uses "
	          "it, from h01 mlx5_0 to LID 15: its SL2VL table has VL 15 for them\n");
	m = mk_untold(1);
	vl_of(m, HOST01, 0, 1)[0] = 15;
	expect_of(report_of_path(m, HOST01 + 4),
	          "unknown h01 mlx5_0/1: drops packets of service level (SL) 0, if the path uses "
	          "it, from h01 mlx5_0 to LID 15: its SL2VL table has VL 15 for them\n");
}

/* One lane needs no table, and nobody asked the leaf of that to its host. */
static void a_path_by_links_that_told_no_lanes_is_not_judged(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	mk_levels(m, 0, 5);
	port(m, HOST01, 1)->vl_active = 1;
	port(m, LEAF01 + 1, 1)->vl_active = VL0_3;
	expect_of(report_of_path(m, HOST01 + 1), "");
}

/* ---- qos.sl2vl: what is not alike ---------------------------------------------------- */

static void a_switch_with_another_table_is_named(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	vl_of(m, LEAF01 + 2, 0, 0)[3] = 0;
	expect_qos(m,
	           "warning leaf03/2: gives packets of service level (SL) 3 the virtual lane VL 0, "
	           "where 4 of 5 switches like it give VL 3\n");
}

static void a_switch_that_varies_among_others_that_do_not_is_named(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	give_lanes(m, LEAF01, false);
	vl_of(m, LEAF01, 1, 2)[4] = 6;
	expect_qos(m,
	           "warning leaf01/2: gives packets of service level (SL) 4 the virtual lane VL 6, "
	           "where 4 of 5 switches like it give VL 4\n");
}

static void one_port_of_a_switch_with_another_table_is_named(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	mk_switch(m, SPINE01 + 1, "spine02", LEAVES);
	for (unsigned int i = 0; i < LEAVES; i++)
		cable(m, LEAF01 + i, 3, SPINE01 + 1, i + 1);
	give_lanes(m, LEAF01, false);
	vl_of(m, LEAF01, 1, 3)[4] = vl_of(m, LEAF01, 2, 3)[4] = 6;
	expect_of(report_of(m, "qos.sl2vl", NULL),
	          "warning leaf01/3: gives packets of service level (SL) 4 the virtual lane VL 6, "
	          "where 4 of 5 switches like it give VL 4\n");
}

static void an_hca_with_another_table_is_named(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	vl_of(m, HOST01 + 4, 0, 1)[1] = 7;
	expect_qos(m,
	           "warning h05 mlx5_0/1: gives packets of service level (SL) 1 the virtual lane "
	           "VL 7, where 4 of 5 HCA ports like it give VL 1\n");
}

/* As torus-2QoS does: by where packets come from. */
static void tables_that_vary_by_port_nearly_everywhere_are_meant_so(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	for (unsigned int i = 0; i < LEAVES - 1; i++) {
		mk_ca(m, 21 + i, "h1 mlx5_0", 1);
		cable(m, LEAF01 + i, 3, 21 + i, 1);
		give_lanes(m, LEAF01 + i, false);
		for (unsigned int sl = 1; sl < 16; sl++)
			vl_of(m, LEAF01 + i, 3, 2)[sl] = (uint8_t)(sl + 1) % 8;
	}
	expect_qos(m, "");
}

static void where_no_table_is_usual_none_is_blamed(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	vl_of(m, LEAF01, 0, 0)[3] = vl_of(m, LEAF01 + 1, 0, 0)[3] = 0;
	expect_qos(m, "");
}

static void what_a_silent_way_does_is_not_made_up(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	give_lanes(m, LEAF01, false);
	memset(vl_of(m, LEAF01, 0, 0), IBC_VL_UNKNOWN, 16 * 16);
	answers_put(fabric_build_find(m.b, m.subnet, HOST01), IBC_ATTR_HCA_SL2VL, ANSWER_NONE);
	fabric_build_find(m.b, m.subnet, HOST01)->sl2vl = NULL;
	expect_qos(m,
	           "unknown h01 mlx5_0: does not report its SL2VL table: its virtual lanes are not "
	           "checked\n");
}

/* ---- qos.opvls ------------------------------------------------------------------------ */

static void a_cable_with_fewer_lanes_than_its_like_is_named(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	port(m, LEAF01, 2)->vl_active = port(m, SPINE01, 1)->vl_active = VL0_3;
	expect_of(
	    report_of(m, "qos.opvls", NULL),
	    "warning leaf01/2 - spine01/1: uses VL0-3, where 4 of 5 cables between switches like "
	    "it use VL0-7\n");
}

static void a_limit_that_all_have_and_fewer_lanes_in_hardware_are_none(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	for (unsigned int i = 0; i < LEAVES; i++)
		port(m, LEAF01 + i, 1)->vl_active = port(m, HOST01 + i, 1)->vl_active = VL0_3;
	port(m, HOST01, 1)->vl_cap = VL0_3;
	port(m, LEAF01, 1)->vl_active = port(m, HOST01, 1)->vl_active = 2;
	expect_of(report_of(m, "qos.opvls", NULL), "");
}

static void ends_that_differ_are_a_matter_of_another_check(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	port(m, LEAF01, 2)->vl_active = VL0_3;
	expect_of(report_of(m, "qos.opvls", NULL), "");
}

/* ---- qos.arbitration ------------------------------------------------------------------ */

static const struct ibc_vl_slot lacking_slots[] = { { 0, 4 }, { 1, 4 }, { 2, 4 }, { 3, 0 },
	                                            { 4, 4 }, { 5, 4 }, { 6, 4 }, { 7, 4 } };
static const struct ibc_arbitration lacking = { lacking_slots, 4, 4 };

static void a_lane_in_use_without_weight_starves(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	mk_levels(m, 0, 3);
	port_extra(port(m, LEAF01, 2))->arbitration = &lacking;
	expect_qos(
	    m, "warning leaf01/2: gives weight 0 to VL 3, which packets of service level (SL) 3 "
	       "take: under load they wait until they are discarded\n");
}

static void one_mistake_on_many_ports_is_one_finding(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	mk_levels(m, 0, 3);
	for (unsigned int i = 1; i <= LEAVES; i++)
		port_extra(port(m, SPINE01, i))->arbitration = &lacking;
	expect_qos(m,
	           "warning fabric: 5 ports give weight 0 to VL 3, which packets of service level "
	           "(SL) 3 take: under load they wait until they are discarded\n");
}

static void a_lane_that_no_path_uses_is_a_note(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	mk_levels(m, 0, 4);
	port_extra(port(m, LEAF01, 2))->arbitration = &lacking;
	expect_qos(m,
	           "info leaf01/2: gives weight 0 to VL 3, which packets of service levels (SL) 3 "
	           "and 11 take: no known path uses them now\n");
}

static void a_lane_that_paths_may_use_is_a_note_too(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	port_extra(port(m, LEAF01, 2))->arbitration = &lacking;
	expect_qos(m,
	           "info leaf01/2: gives weight 0 to VL 3, which packets of service levels (SL) 3 "
	           "and 11 take: whether a path uses them is not known\n");
}

static void a_group_uses_its_level_too(void **state)
{
	static const struct ibc_mc_member member = { .mlid = 0xc000, .sl = 3 };
	static struct ibc_sa sa = { .members = &member, .num_members = 1 };
	struct mkfab m = mk_qos();

	(void)state;
	m.subnet->sa = &sa;
	port_extra(port(m, HOST01, 1))->arbitration = &lacking;
	expect_qos(m,
	           "warning h01 mlx5_0/1: gives weight 0 to VL 3, which packets of service level "
	           "(SL) 3 take: under load they wait until they are discarded\n");
}

static void tables_without_any_weight_are_not_what_counts(void **state)
{
	static const struct ibc_vl_slot zero[8];
	static const struct ibc_arbitration blank = { zero, 4, 4 };
	struct mkfab m = mk_qos();

	(void)state;
	port_extra(port(m, LEAF01, 2))->arbitration = &blank;
	expect_qos(m,
	           "info fabric: 1 port has no weight at all in the VLArbitrationTable, and sends "
	           "all the same: they share their links by other rules, which are not checked\n");
}

static void a_table_that_was_not_told_is_unknown(void **state)
{
	struct mkfab m = mk_qos();

	(void)state;
	port_extra(port(m, LEAF01, 2))->arbitration = NULL;
	answers_put(port(m, LEAF01, 2), IBC_ATTR_VL_ARBITRATION, ANSWER_NONE);
	expect_qos(
	    m, "unknown fabric: 1 port does not report the VLArbitrationTable: whether a virtual "
	       "lane (VL) starves there is not known\n");
}

/* ---- qos.sl-spread -------------------------------------------------------------------- */

static const struct ibc_vl_slot apart_slots[] = { { 0, 4 }, { 1, 64 }, { 2, 4 }, { 3, 4 },
	                                          { 4, 4 }, { 5, 4 },  { 6, 4 }, { 7, 4 } };
static const struct ibc_arbitration apart = { apart_slots, 1, 7 };

static struct mkfab set_apart(void)
{
	struct mkfab m = mk_qos();

	for (unsigned int i = 0; i < LEAVES; i++) {
		port_extra(port(m, LEAF01 + i, 1))->arbitration =
		    port_extra(port(m, LEAF01 + i, 2))->arbitration = &apart;
		port_extra(port(m, SPINE01, i + 1))->arbitration =
		    port_extra(port(m, HOST01 + i, 1))->arbitration = &apart;
	}
	return m;
}

static void shares_that_no_path_uses_are_a_note(void **state)
{
	struct mkfab m = set_apart();

	(void)state;
	mk_levels(m, 0, 0);
	expect_qos(m,
	           "info fabric: all known paths use service level (SL) 0, though the arbitration "
	           "tables of 20 of 20 ports give virtual lanes (VLs) different shares\n");
}

static void shares_are_used_where_paths_differ_and_not_judged_where_none_is_known(void **state)
{
	struct mkfab m = set_apart();

	(void)state;
	mk_levels(m, 0, 1);
	expect_qos(m, "");
	expect_qos(set_apart(), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_said_of_what_opensm_writes),
		cmocka_unit_test(a_path_on_a_lane_that_its_link_has_not_is_critical),
		cmocka_unit_test(
		    a_path_that_is_dropped_is_critical_and_so_is_one_that_nobody_told_of),
		cmocka_unit_test(an_hca_that_drops_what_it_sends_is_told_once),
		cmocka_unit_test(a_higher_level_is_lost_where_the_lowest_has_no_path),
		cmocka_unit_test(a_port_that_loses_two_levels_is_told_once),
		cmocka_unit_test(a_lane_that_loses_what_may_be_sent_is_unknown),
		cmocka_unit_test(a_port_with_many_pairs_does_not_end_the_search),
		cmocka_unit_test(what_no_path_takes_is_not_lost),
		cmocka_unit_test(a_path_that_was_asked_for_is_lost_on_its_lane),
		cmocka_unit_test(a_path_whose_level_nobody_told_may_be_lost),
		cmocka_unit_test(a_path_by_links_that_told_no_lanes_is_not_judged),
		cmocka_unit_test(ports_to_hosts_have_the_table_of_others_only_with_as_many_lanes),
		cmocka_unit_test(a_switch_with_another_table_is_named),
		cmocka_unit_test(a_switch_that_varies_among_others_that_do_not_is_named),
		cmocka_unit_test(one_port_of_a_switch_with_another_table_is_named),
		cmocka_unit_test(an_hca_with_another_table_is_named),
		cmocka_unit_test(tables_that_vary_by_port_nearly_everywhere_are_meant_so),
		cmocka_unit_test(where_no_table_is_usual_none_is_blamed),
		cmocka_unit_test(what_a_silent_way_does_is_not_made_up),
		cmocka_unit_test(a_cable_with_fewer_lanes_than_its_like_is_named),
		cmocka_unit_test(a_limit_that_all_have_and_fewer_lanes_in_hardware_are_none),
		cmocka_unit_test(ends_that_differ_are_a_matter_of_another_check),
		cmocka_unit_test(a_lane_in_use_without_weight_starves),
		cmocka_unit_test(one_mistake_on_many_ports_is_one_finding),
		cmocka_unit_test(a_lane_that_no_path_uses_is_a_note),
		cmocka_unit_test(a_lane_that_paths_may_use_is_a_note_too),
		cmocka_unit_test(a_group_uses_its_level_too),
		cmocka_unit_test(tables_without_any_weight_are_not_what_counts),
		cmocka_unit_test(a_table_that_was_not_told_is_unknown),
		cmocka_unit_test(shares_that_no_path_uses_are_a_note),
		cmocka_unit_test(
		    shares_are_used_where_paths_differ_and_not_judged_where_none_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
