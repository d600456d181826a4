/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"

#include "mktopo.h"

static void nobody_answers(struct ibc_port *p)
{
	mk_active(p);
	answers_put(p, IBC_ATTR_NODE_INFO, ANSWER_NONE);
}

/* ---- nodes ---- */

static void a_fabric_as_planned_is_ok(void **state)
{
	(void)state;
	expect_topo(mk_tree(), mk_tree(), "");
}

static void a_missing_host_is_told_with_its_port(void **state)
{
	struct mkfab planned = mk_tree(), found = mk_tree();

	(void)state;
	mk_ca(planned, HOST(5), "host05 mlx5_0", 1);
	cable(planned, LEAF(1), 5, HOST(5), 1);
	expect_topo(
	    planned, found,
	    "critical host05 mlx5_0: is missing: it belongs on leaf01/5 (Polling)\n"
	    "  fix: Check that it is powered and running, and that its cable is plugged in\n");
}

static void a_missing_switch_takes_what_is_behind_it_along(void **state)
{
	struct mkfab planned = mk_tree(), found = mk_tree();

	(void)state;
	mk_switch(planned, LEAF(3), "leaf03", 8)->rack = "R7";
	mk_ca(planned, HOST(5), "host05 mlx5_0", 1);
	mk_ca(planned, HOST(6), "host06 mlx5_0", 1);
	cable(planned, LEAF(3), 1, HOST(5), 1);
	cable(planned, LEAF(3), 2, HOST(6), 1);
	cable(planned, LEAF(3), 3, SPINE(1), 3);
	cable(planned, LEAF(3), 4, SPINE(2), 3);
	expect_topo(planned, found,
	            "critical leaf03: is missing, and 2 nodes behind it: all of their 4 cables are "
	            "missing; host05 and host06 are cut off\n"
	            "  fix: Check that it is powered and running, in rack R7, and that its cables "
	            "are plugged in\n");
}

static void a_missing_spine_costs_paths(void **state)
{
	struct mkfab planned = mk_tree(), found = mk_tree();

	(void)state;
	mk_switch(planned, SPINE(3), "spine03", 8);
	cable(planned, LEAF(1), 5, SPINE(3), 1);
	cable(planned, LEAF(2), 5, SPINE(3), 2);
	expect_topo(
	    planned, found,
	    "critical spine03: is missing: it belongs on leaf01/5 (Polling) and leaf02/5 "
	    "(Polling); leaf01 and leaf02 each have 2 of their 3 uplinks\n"
	    "  fix: Check that it is powered and running, and that its cables are plugged in\n");
}

static void an_unexpected_node_is_told_with_its_place(void **state)
{
	struct mkfab found = mk_tree();

	(void)state;
	mk_switch(found, LEAF(9), "stranger", 8);
	mk_ca(found, HOST(9), "guest mlx5_0", 1);
	cable(found, LEAF(9), 1, HOST(9), 1);
	cable(found, LEAF(9), 2, SPINE(1), 7);
	expect_topo(mk_tree(), found,
	            "warning stranger: is not in the plan, and neither is 1 node behind it; it is "
	            "on spine01/7\n"
	            "  fix: If it belongs here, add it to the plan (ibcheck topo --write shows its "
	            "spelling); otherwise remove it\n");
}

/* A host under other names or GUIDs, on leaf01/5. */
static struct mkfab mk_tree_with(uint64_t guid, const char *name)
{
	struct mkfab m = mk_tree();

	mk_ca(m, guid, name, 1);
	cable(m, LEAF(1), 5, guid, 1);
	return m;
}

static void another_device_in_the_same_place_was_replaced(void **state)
{
	(void)state;
	expect_topo(mk_tree_with(HOST(5), "host05 mlx5_0"), mk_tree_with(0xab, "host05 mlx5_0"),
	            "warning host05 mlx5_0: is a different device than planned: its GUID is "
	            "0x00000000000000ab, planned is 0x0000000000000035\n"
	            "  fix: If it was replaced, put the new GUID into the plan. If the replacement "
	            "is not known, find the planned device\n");
	expect_topo(mk_tree_with(HOST(5), "host05 mlx5_0"), mk_tree_with(0xab, "host77 mlx5_0"),
	            "warning host77 mlx5_0: is a different device than planned, in the place of "
	            "host05 mlx5_0: its GUID is 0x00000000000000ab, planned is 0x0000000000000035\n"
	            "  fix: If it was replaced, put the new GUID into the plan. If the replacement "
	            "is not known, find the planned device\n");
}

static void another_name_is_told_once(void **state)
{
	(void)state;
	expect_topo(mk_tree_with(HOST(5), "host05 mlx5_0"), mk_tree_with(HOST(5), "node05 mlx5_0"),
	            "warning node05 mlx5_0: is called host05 mlx5_0 in the plan: the same device, "
	            "another name\n"
	            "  fix: Give it the name host05 mlx5_0 (NodeDescription, or the node-name "
	            "map), or correct the plan\n");
}

static void exchanged_switches_are_one_finding(void **state)
{
	struct mkfab found = mk_bare_tree();

	(void)state;
	for (unsigned int i = 1; i <= 2; i++) {
		for (unsigned int num = 1; num <= 2; num++)
			cable(found, LEAF(3 - i), num, HOST(2 * i - 2 + num), 1);
		cable(found, LEAF(3 - i), 3, SPINE(1), i);
		cable(found, LEAF(3 - i), 4, SPINE(2), i);
	}
	expect_topo(mk_tree(), found,
	            "critical leaf02: have changed places: leaf02 is where leaf01 was planned, "
	            "leaf01 where leaf02 was\n"
	            "  fix: Exchange leaf02 and leaf01 (or their names); if their places are "
	            "intended, correct the plan\n");
}

/* ---- cables ---- */

static void a_missing_cable_is_told_with_the_states_of_both_ports(void **state)
{
	struct mkfab found = WITHOUT(AT(1, 3));

	(void)state;
	expect_topo(mk_tree(), found,
	            "critical leaf01/3 - spine01/1: is missing: both of its ports are Polling; "
	            "leaf01 has 1 of its 2 uplinks\n"
	            "  fix: Connect leaf01/3 to spine01/1; if it is plugged in, reseat it at both "
	            "ends, then replace it\n");
	found = WITHOUT(AT(1, 3));
	port(found, SPINE(1), 1)->phys_state = IBC_PHYS_DISABLED;
	expect_topo(
	    mk_tree(), found,
	    "critical leaf01/3 - spine01/1: is missing: leaf01/3 is Polling, spine01/1 is "
	    "Disabled; leaf01 has 1 of its 2 uplinks\n"
	    "  fix: Enable spine01/1 again (ibportstate), unless it was disabled on purpose\n");
	found = WITHOUT(AT(1, 1));
	port(found, HOST(1), 1)->answers.answered = 0;
	expect_topo(mk_tree(), found,
	            "critical leaf01/1 - host01 mlx5_0/1: is missing: leaf01/1 is Polling\n"
	            "  fix: Connect leaf01/1 to host01 mlx5_0/1; if it is plugged in, reseat it at "
	            "both ends, then replace it\n");
}

static void a_cable_that_nobody_planned_is_told(void **state)
{
	struct mkfab found = mk_tree();

	(void)state;
	cable(found, LEAF(1), 7, LEAF(2), 7);
	expect_topo(
	    mk_tree(), found,
	    "warning leaf01/7 - leaf02/7: is not in the plan\n"
	    "  fix: Unplug the cable between leaf01/7 and leaf02/7, or add it to the plan\n");
}

static void a_plug_at_the_wrong_switch_is_told_with_its_move(void **state)
{
	struct mkfab found = WITHOUT(AT(1, 3));

	(void)state;
	cable(found, LEAF(1), 3, SPINE(2), 5);
	expect_topo(mk_tree(), found,
	            "critical leaf01/3 - spine02/5: leaf01/3 belongs on spine01/1, and is on "
	            "spine02/5; leaf01 has 1 of its 2 uplinks\n"
	            "  fix: Move the plug from spine02/5 to spine01/1\n");
}

static void a_cable_between_two_leaves_leaves_another_to_connect(void **state)
{
	struct mkfab found = WITHOUT(AT(1, 3), AT(2, 3));

	(void)state;
	cable(found, LEAF(1), 3, LEAF(2), 3);
	expect_topo(mk_tree(), found,
	            "critical leaf01/3 - leaf02/3: leaf01/3 belongs on spine01/1, leaf02/3 on "
	            "spine01/2; leaf01 and leaf02 each have 1 of their 2 uplinks\n"
	            "  fix: Move the plug from leaf02/3 to spine01/1, then connect leaf02/3 to "
	            "spine01/2\n");
}

static void a_cable_too_many_is_to_be_unplugged(void **state)
{
	struct mkfab found = WITHOUT(AT(1, 3));

	(void)state;
	cable(found, LEAF(1), 3, LEAF(2), 7);
	cable(found, SPINE(1), 1, SPINE(2), 7);
	expect_topo(mk_tree(), found,
	            "critical spine01/1 - spine02/7: spine01/1 belongs on leaf01/3; leaf01 has 1 "
	            "of its 2 uplinks\n"
	            "  fix: Unplug the cable between leaf01/3 and leaf02/7, then move the plug "
	            "from spine02/7 to leaf01/3\n");
}

static void two_crossed_cables_are_one_exchange(void **state)
{
	struct mkfab found = WITHOUT(AT(1, 3), AT(2, 4));

	(void)state;
	cable(found, LEAF(1), 3, SPINE(2), 2);
	cable(found, LEAF(2), 4, SPINE(1), 1);
	expect_topo(
	    mk_tree(), found,
	    "critical leaf01/3 - spine02/2: two cables are exchanged: leaf01/3 belongs on "
	    "spine01/1, leaf02/4 on spine02/2; leaf01 and leaf02 each have 1 of their 2 uplinks\n"
	    "  fix: Exchange the two plugs at spine01/1 and spine02/2\n");
}

static void three_rotated_cables_are_one_finding(void **state)
{
	struct mkfab found = WITHOUT(AT(1, 1), AT(1, 2), AT(2, 1));

	(void)state;
	cable(found, LEAF(1), 1, HOST(2), 1);
	cable(found, LEAF(1), 2, HOST(3), 1);
	cable(found, LEAF(2), 1, HOST(1), 1);
	expect_topo(
	    mk_tree(), found,
	    "critical leaf01/1 - host02 mlx5_0/1: three cables are rotated: host02 mlx5_0/1 "
	    "belongs on leaf01/2, host03 mlx5_0/1 on leaf02/1, host01 mlx5_0/1 on leaf01/1\n"
	    "  fix: Exchange the two plugs at leaf01/2 and leaf02/1, then exchange the two plugs "
	    "at leaf01/1 and leaf01/2\n");
}

static void the_right_switch_at_the_wrong_port_is_a_warning(void **state)
{
	struct mkfab found = WITHOUT(AT(1, 3));

	(void)state;
	cable(found, LEAF(1), 3, SPINE(1), 6);
	expect_topo(mk_tree(), found,
	            "warning leaf01/3 - spine01/6: joins the right devices at another port: "
	            "leaf01/3 belongs on spine01/1, and is on spine01/6\n"
	            "  fix: Move the plug from spine01/6 to spine01/1; if it does not matter here, "
	            "correct the plan\n");
}

static void a_switch_shifted_by_a_port_is_one_finding(void **state)
{
	struct mkfab found = WITHOUT(AT(1, 1), AT(1, 2), AT(1, 3), AT(1, 4));

	(void)state;
	cable(found, LEAF(1), 2, HOST(1), 1);
	cable(found, LEAF(1), 3, HOST(2), 1);
	cable(found, LEAF(1), 4, SPINE(1), 1);
	cable(found, LEAF(1), 5, SPINE(2), 1);
	expect_topo(mk_tree(), found,
	            "warning leaf01/2 - host01 mlx5_0/1: four cables join the right devices at "
	            "other ports: host01 mlx5_0/1 belongs on leaf01/1, host02 mlx5_0/1 on "
	            "leaf01/2, spine01/1 on leaf01/3 and 1 more\n"
	            "  fix: Move the plug from leaf01/2 to leaf01/1, then move the plug from "
	            "leaf01/3 to leaf01/2, then move the plug from leaf01/4 to leaf01/3, and so "
	            "on: 4 steps in all; if it does not matter here, correct the plan\n");
}

/* ---- rates ---- */

static void set_rate(struct mkfab m, unsigned int width, unsigned int speed)
{
	port(m, LEAF(1), 3)->width_active = port(m, SPINE(1), 1)->width_active = (uint8_t)width;
	port(m, LEAF(1), 3)->speed_active = port(m, SPINE(1), 1)->speed_active = (uint16_t)speed;
}

static void a_cable_below_the_plan_is_slow_or_narrow(void **state)
{
	struct mkfab found = mk_tree();

	(void)state;
	set_rate(found, IBC_WIDTH_4X, IBC_SPEED_FDR);
	expect_topo(mk_tree(), found,
	            "warning leaf01/3 - spine01/1: trained to 4x FDR (54.5 Gb/s), planned 4x EDR "
	            "(100 Gb/s)\n"
	            "  fix: Reseat the cable at both ends, then replace it\n");
	found = mk_tree();
	set_rate(found, IBC_WIDTH_1X, IBC_SPEED_EDR);
	expect_topo(
	    mk_tree(), found,
	    "warning leaf01/3 - spine01/1: trained to 1x EDR (25 Gb/s), planned 4x EDR (100 Gb/s)\n"
	    "  fix: Reseat the cable at both ends, then replace it\n");
}

static void what_an_end_cannot_do_or_does_not_enable_is_the_remedy(void **state)
{
	struct mkfab found = mk_tree();

	(void)state;
	set_rate(found, IBC_WIDTH_4X, IBC_SPEED_FDR);
	port(found, SPINE(1), 1)->speed_enabled &= (uint16_t)~IBC_SPEED_EDR;
	expect_topo(mk_tree(), found,
	            "warning leaf01/3 - spine01/1: trained to 4x FDR (54.5 Gb/s), planned 4x EDR "
	            "(100 Gb/s)\n"
	            "  fix: Enable EDR at spine01/1 again (ibportstate)\n");
	found = mk_tree();
	set_rate(found, IBC_WIDTH_4X, IBC_SPEED_FDR);
	port(found, LEAF(1), 3)->speed_supported &= (uint16_t)~IBC_SPEED_EDR;
	expect_topo(mk_tree(), found,
	            "warning leaf01/3 - spine01/1: trained to 4x FDR (54.5 Gb/s), planned 4x EDR "
	            "(100 Gb/s)\n"
	            "  fix: leaf01/3 does not support EDR: correct the plan, or install a device "
	            "that does\n");
}

/* ---- what cannot be told ---- */

static void things_behind_a_silent_peer_are_not_checked(void **state)
{
	struct mkfab planned = mk_tree_with(HOST(5), "host05 mlx5_0"), found = mk_tree();

	(void)state;
	nobody_answers(port(found, LEAF(1), 5));
	expect_topo(planned, found,
	            "unknown host05 mlx5_0: is not checked: no device answers behind leaf01/5\n"
	            "  fix: Find out why the devices there do not answer (port.silent), then sweep "
	            "again\n");
}

static void a_silent_leaf_is_told_once(void **state)
{
	struct mkfab planned = mk_tree(), found = mk_tree();

	(void)state;
	mk_switch(planned, LEAF(3), "leaf03", 8);
	mk_ca(planned, HOST(5), "host05 mlx5_0", 1);
	cable(planned, LEAF(3), 1, HOST(5), 1);
	cable(planned, LEAF(3), 3, SPINE(1), 3);
	cable(planned, LEAF(3), 4, SPINE(2), 3);
	nobody_answers(port(found, SPINE(1), 3));
	nobody_answers(port(found, SPINE(2), 3));
	expect_topo(planned, found,
	            "unknown leaf03: is not checked, with 1 node behind it and 3 cables: no device "
	            "answers behind spine01/3 and 1 other port\n"
	            "  fix: Find out why the devices there do not answer (port.silent), then sweep "
	            "again\n");
}

/* A line was lost; it is not that of a cable whose ports were read at both ends, and are down. */
static void what_was_read_at_both_ends_no_lost_line_explains(void **state)
{
	struct mkfab planned = mk_tree(), found = WITHOUT(AT(1, 3), AT(2, 4));

	(void)state;
	found.subnet->cut_short = true;
	found.subnet->lines_lost = 1;
	ibc_attrs_add(&found.subnet->lost_of, IBC_ATTR_NODE_INFO);
	port(found, SPINE(2), 2)->answers = (struct ibc_answers){ 0 };
	expect_topo(
	    planned, found,
	    "unknown fabric: 1 line is not understood, and skipped; and 1 more\n"
	    "  fix: Write the file again, or correct the lines: what seems to be missing may "
	    "be in them.\n"
	    "critical leaf01/3 - spine01/1: is missing: both of its ports are Polling; leaf01 "
	    "has 1 of its 2 uplinks\n"
	    "  fix: Connect leaf01/3 to spine01/1; if it is plugged in, reseat it at both "
	    "ends, then replace it\n"
	    "unknown leaf02/4 - spine02/2: is missing: leaf02/4 is Polling; leaf02 has 1 of "
	    "its 2 uplinks, unless a line that was lost says otherwise\n");
}

static void a_sweep_that_was_cut_short_is_told_as_a_whole(void **state)
{
	struct mkfab planned = mk_tree_with(HOST(5), "host05 mlx5_0"), found = mk_tree();

	(void)state;
	found.subnet->cut_short = true;
	nobody_answers(port(found, LEAF(1), 5));
	expect_topo(planned, found,
	            "unknown fabric: 1 node and 1 cable of the plan are not checked: the sweep was "
	            "cut short\n"
	            "  fix: Sweep again, with a longer --deadline\n");
}

static void a_subnet_that_was_not_swept_is_told_as_a_whole(void **state)
{
	struct mkfab planned = mk_tree();

	(void)state;
	mk_switch(planned, LEAF(7), "leaf07", 8);
	mk_switch(planned, LEAF(8), "leaf08", 8);
	cable(planned, LEAF(7), 1, LEAF(8), 1);
	expect_topo(planned, mk_tree(),
	            "unknown fabric: 2 nodes and 1 cable of the plan are not checked: none of "
	            "these devices "
	            "is in the fabric: misspelt in the plan, or in another subnet?\n"
	            "  fix: Sweep that subnet as well: --source may be repeated\n");
}

/* Its NodeInfo came, nothing of its ports did. */
static void a_switch_that_does_not_tell_of_its_ports_is_named(void **state)
{
	struct mkfab found = WITHOUT(AT(1, 3), AT(1, 4));

	(void)state;
	for (unsigned int i = 1; i <= 8; i++)
		answers_put(port(found, LEAF(1), i), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	nobody_answers(port(found, SPINE(1), 1));
	nobody_answers(port(found, SPINE(2), 1));
	expect_topo(mk_tree(), found,
	            "unknown leaf01: 2 cables of the plan are not checked: leaf01 does not report "
	            "its ports\n"
	            "  fix: Find out why the devices there do not answer (port.silent), then sweep "
	            "again\n");
}

static void a_name_that_fits_two_nodes_is_an_error_of_the_plan(void **state)
{
	struct mkfab planned = mk_tree(), found = mk_tree();

	(void)state;
	mk_ca(planned, HOST(9), "login mlx5_0", 1)->named_only = true;
	cable(planned, LEAF(1), 5, HOST(9), 1);
	mk_ca(found, HOST(7), "login mlx5_0", 1);
	mk_ca(found, HOST(8), "login mlx5_0", 1);
	cable(found, LEAF(1), 6, HOST(7), 1);
	cable(found, LEAF(2), 6, HOST(8), 1);
	expect_topo(planned, found,
	            "unknown login mlx5_0: login mlx5_0 matches more than one node of the fabric\n"
	            "  fix: Write the whole name, or the GUID, so that it matches one node\n");
}

static void a_port_that_nobody_has_is_an_error_of_the_plan(void **state)
{
	struct mkfab planned = mk_tree(), found = mk_tree();

	(void)state;
	mk_switch(planned, SPINE(3), "spine03", 40);
	mk_switch(found, SPINE(3), "spine03", 8);
	cable(found, LEAF(1), 5, SPINE(3), 1);
	cable(planned, LEAF(1), 5, SPINE(3), 1);
	cable(planned, LEAF(2), 5, SPINE(3), 39);
	expect_topo(planned, found,
	            "unknown spine03: spine03 has 8 ports, the plan has a cable at port 39\n"
	            "  fix: Correct the plan\n");
}

static void a_plan_of_another_fabric_is_one_finding(void **state)
{
	struct mkfab found = mkfab();
	char name[32];

	(void)state;
	for (unsigned int i = 1; i <= 6; i++) {
		snprintf(name, sizeof(name), "other%02u", i);
		mk_switch(found, 0x100 + i, name, 12);
	}
	for (unsigned int i = 1; i <= 5; i++)
		cable(found, 0x100 + i, 11, 0x101 + i, 12);
	expect_topo(
	    mk_tree(), found,
	    "unknown fabric: the plan does not match this fabric: of its 8 nodes 0 are found by "
	    "GUID or name, and of its 8 cables 0 exist\n"
	    "  fix: Give the plan of this fabric; \"ibcheck topo --write FILE\" makes one\n");
}

/* ---- crowds ---- */

/* A leaf with so many hosts; their GUIDs and names from a number on. */
static struct mkfab mk_star(unsigned int hosts, uint64_t guid, const char *name)
{
	struct mkfab m = mkfab();
	char text[32];

	mk_switch(m, LEAF(1), "leaf01", 40);
	for (unsigned int i = 1; i <= hosts; i++) {
		snprintf(text, sizeof(text), "%s%02u mlx5_0", name, i);
		mk_ca(m, guid + i, text, 1);
		cable(m, LEAF(1), i, guid + i, 1);
	}
	return m;
}

static void a_fabric_of_other_names_is_one_finding(void **state)
{
	(void)state;
	expect_topo(mk_star(20, 0x100, "host"), mk_star(20, 0x100, "node"),
	            "warning fabric: 20 nodes have other names in the plan: node01 mlx5_0 is "
	            "host01 mlx5_0 there, node02 mlx5_0 is host02 mlx5_0 there, node03 mlx5_0 is "
	            "host03 mlx5_0 there and 17 more\n"
	            "  fix: Correct the names in the plan, or give a node-name map that contains "
	            "them (--node-name-map)\n");
}

static void a_plan_with_the_guids_of_another_fabric_is_one_finding(void **state)
{
	(void)state;
	expect_topo(mk_star(20, 0x100, "host"), mk_star(20, 0x200, "host"),
	            "warning fabric: 20 nodes are different devices than planned, each in the "
	            "place of another: the GUIDs of the plan do not match this fabric\n"
	            "  fix: Write a new plan (ibcheck topo --write), or remove the GUIDs from it: "
	            "names are enough\n");
}

static void a_fabric_slower_than_planned_is_one_finding(void **state)
{
	struct mkfab found = mk_star(20, 0x100, "host");
	struct ibc_report *rep;

	(void)state;
	for (unsigned int i = 1; i <= 16; i++)
		port(found, LEAF(1), i)->speed_active = port(found, 0x100 + i, 1)->speed_active =
		    i == 16 ? IBC_SPEED_QDR : IBC_SPEED_FDR;
	rep = topo_report(mk_star(20, 0x100, "host"), found, "topo");
	assert_int_equal(ibc_report_finding(rep, 0)->num_related, 30);
	expect_of(
	    rep,
	    "warning fabric: 15 cables trained to 4x FDR (54.5 Gb/s), planned 4x EDR (100 Gb/s)\n"
	    "warning leaf01/16 - host16 mlx5_0/1: trained to 4x QDR (32 Gb/s), planned 4x EDR (100 "
	    "Gb/s)\n");
}

/* ---- evidence ---- */

static const struct ibc_finding *only(const struct ibc_report *rep)
{
	assert_non_null(ibc_report_finding(rep, 0));
	assert_null(ibc_report_finding(rep, 1));
	return ibc_report_finding(rep, 0);
}

/* "case 1, moves 1, label C-1, ..." */
static void assert_facts(const struct ibc_finding *f, const char *expected)
{
	char text[1024] = "";
	size_t at = 0;

	for (size_t i = 0; i < f->num_facts; i++) {
		const struct ibc_value *v = &f->facts[i].value;

		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s ", at ? ", " : "",
		                       f->facts[i].key);
		if (v->kind == IBC_U64)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%u",
			                       (unsigned int)v->num);
		else if (v->kind == IBC_REAL)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%g", v->real);
		else if (v->kind == IBC_STR || v->kind == IBC_ENUM)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s",
			                       v->kind == IBC_STR ? v->str : v->word->name);
		else
			at += (size_t)snprintf(text + at, sizeof(text) - at, "-");
	}
	assert_string_equal(text, expected);
}

static void a_swap_has_its_cables_losers_labels_and_racks(void **state)
{
	static const struct ibc_cable first = { "C-1", "3 m", 7 }, second = { "C-2", NULL, 8 };
	struct mkfab planned = mk_tree(), found = WITHOUT(AT(1, 3), AT(2, 4));
	struct ibc_report *rep;
	const struct ibc_finding *f;

	(void)state;
	port_extra(port(planned, LEAF(1), 3))->cable =
	    port_extra(port(planned, SPINE(1), 1))->cable = &first;
	port_extra(port(planned, LEAF(2), 4))->cable =
	    port_extra(port(planned, SPINE(2), 2))->cable = &second;
	fabric_build_find(planned.b, planned.subnet, LEAF(1))->rack = "R1";
	fabric_build_find(planned.b, planned.subnet, SPINE(1))->rack = "R9";
	cable(found, LEAF(1), 3, SPINE(2), 2);
	cable(found, LEAF(2), 4, SPINE(1), 1);
	rep = topo_report(planned, found, "topo");
	f = only(rep);
	assert_facts(
	    f, "expected leaf01/3 - spine01/1, leaf02/4 - spine02/2, found leaf01/3 - "
	       "spine02/2, leaf02/4 - spine01/1, case 1, moves 1, hosts_cut_off 0, paths_lost 2, "
	       "paths_planned 4, lost_gbps 200, label C-1, C-2, length 3 m, rack R1, R9");
	assert_int_equal(f->num_related, 5);
	assert_int_equal(f->related[0].role, IBC_ROLE_FOUND);
	assert_int_equal(f->related[0].subject.near.port, 4);
	assert_int_equal(f->related[1].role, IBC_ROLE_PLANNED);
	assert_int_equal(f->related[2].role, IBC_ROLE_PLANNED);
	assert_int_equal(f->related[3].role, IBC_ROLE_VICTIM);
	assert_int_equal(f->related[3].subject.kind, IBC_SUBJECT_NODE);
	ibc_report_free(rep);
}

static void a_missing_cable_has_the_states_of_its_ports(void **state)
{
	struct mkfab found = WITHOUT(AT(1, 3));
	struct ibc_report *rep;

	(void)state;
	port(found, LEAF(1), 3)->phys_state = IBC_PHYS_SLEEP;
	rep = topo_report(mk_tree(), found, "topo");
	assert_facts(only(rep),
	             "expected leaf01/3 - spine01/1, found -, phys_state Sleep, "
	             "peer_phys_state Polling, counted -, peer_counted -, case 1, moves 1, "
	             "hosts_cut_off 0, paths_lost 1, "
	             "paths_planned 2, lost_gbps 100, label -, length -, rack -");
	ibc_report_free(rep);
}

/* A plan that has names alone. */
static struct mkfab nameless(struct mkfab m, uint64_t guid)
{
	fabric_build_find(m.b, m.subnet, guid)->named_only = true;
	return m;
}

static void a_planned_node_without_guid_has_none_in_the_report(void **state)
{
	struct mkfab planned = nameless(mk_tree_with(HOST(5), "host05 mlx5_0"), HOST(5));
	struct ibc_report *rep = topo_report(planned, mk_tree(), "topo");
	const struct ibc_finding *f = only(rep);

	(void)state;
	assert_false(f->subject.near.has_guid);
	assert_string_equal(f->subject.near.label, "host05 mlx5_0");
	assert_int_equal(f->related[0].role, IBC_ROLE_PLANNED);
	assert_true(f->related[0].subject.near.has_guid); /* leaf01 */
	assert_false(f->related[0].subject.far.has_guid);
	ibc_report_free(rep);
}

/* ibnetdiscover text: no PortInfo anywhere, and nothing of ports that are down. */
static void forget_states(struct mkfab m, uint64_t guid, unsigned int num_ports)
{
	for (unsigned int i = 1; i <= num_ports; i++) {
		struct ibc_port *p = port(m, guid, i);

		not_asked(p, IBC_ATTR_PORT_INFO);
		if (p->peer)
			answers_put(p, IBC_ATTR_LINK, ANSWER_OK);
	}
}

static void a_source_without_states_can_be_compared(void **state)
{
	struct mkfab found = WITHOUT(AT(1, 3));
	struct ibc_report *rep;

	(void)state;
	found.subnet->provides = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC, IBC_ATTR_LINK);
	forget_states(found, LEAF(1), 8);
	forget_states(found, SPINE(1), 8);
	rep = topo_report(mk_tree(), found, "topo");
	assert_string_equal(only(rep)->message, "is missing; leaf01 has 1 of its 2 uplinks");
	assert_int_equal(ibc_report_verdict(rep), IBC_CRITICAL);
	ibc_report_free(rep);
}

static void a_source_without_rates_leaves_them_unchecked(void **state)
{
	struct mkfab found = mk_tree();
	struct ibc_report *rep;

	(void)state;
	found.subnet->provides = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC);
	rep = topo_report(mk_tree(), found, "topo");
	assert_null(ibc_report_finding(rep, 0));
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	ibc_report_free(rep);
}

static void what_is_unchecked_tells_of_the_queries_that_were_not_answered(void **state)
{
	struct mkfab planned = mk_tree_with(HOST(5), "host05 mlx5_0"), found = mk_tree();
	struct ibc_report *rep;

	(void)state;
	nobody_answers(port(found, LEAF(1), 5));
	rep = topo_report(planned, found, "topo");
	assert_int_equal(only(rep)->unanswered, 1);
	ibc_report_free(rep);
}

static void without_a_plan_nothing_is_said_to_be_as_planned(void **state)
{
	struct ibc_report *rep = report_of(mk_tree(), "topo", NULL);

	(void)state;
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	assert_null(ibc_report_finding(rep, 0));
	ibc_report_free(rep);
}

/* ---- out of memory ---- */

/* Something of most kinds. */
static struct mkfab mk_wreck(void)
{
	struct mkfab m = WITHOUT(AT(1, 1), AT(1, 3), AT(2, 4), AT(2, 2));

	mk_ca(m, 0xab, "guest mlx5_0", 1);
	cable(m, LEAF(1), 8, 0xab, 1);
	cable(m, LEAF(1), 3, SPINE(2), 2);
	cable(m, LEAF(2), 4, SPINE(1), 1);
	cable(m, LEAF(2), 6, HOST(4), 1);
	port(m, LEAF(1), 4)->speed_active = port(m, SPINE(2), 1)->speed_active = IBC_SPEED_FDR;
	nobody_answers(port(m, LEAF(1), 5));
	return m;
}

static struct mkfab mk_plan_of_wreck(void)
{
	struct mkfab m = mk_tree_with(HOST(5), "host05 mlx5_0");

	mk_switch(m, SPINE(3), "spine03", 8);
	cable(m, LEAF(1), 6, SPINE(3), 1);
	cable(m, LEAF(2), 7, SPINE(3), 2);
	return m;
}

static int compare_and_check(const struct ibc_fabric *plan, const struct ibc_fabric *fab,
                             struct ibc_report **rep)
{
	struct ibc_comparison *cmp = NULL;
	int rc = ibc_compare(plan, fab, NULL, &cmp, NULL);

	*rep = NULL;
	if (!rc)
		rc = ibc_report_new(rep, NULL);
	if (!rc)
		rc = ibc_check_run(&(struct ibc_input){ .fabric = fab, .comparison = cmp }, "topo",
		                   *rep, NULL);
	if (!rc)
		rc = ibc_report_finish(*rep, NULL);
	ibc_comparison_free(cmp);
	return rc;
}

static void running_out_of_memory_is_never_as_planned(void **state)
{
	struct ibc_fabric *plan = done(mk_plan_of_wreck()), *fab = done(mk_wreck());
	struct ibc_report *rep;
	unsigned long n = 0;
	int rc;

	(void)state;
	do {
		alloc_fail_at(++n);
		rc = compare_and_check(plan, fab, &rep);
		alloc_fail_at(0);
		assert_true(!rc || rc == -ENOMEM);
		ibc_report_free(rep);
	} while (rc);
	assert_in_range(n, 100, 5000);
	ibc_fabric_free(plan);
	ibc_fabric_free(fab);
}

static void a_wreck_is_told_one_fault_at_a_time(void **state)
{
	(void)state;
	expect_topo(
	    mk_plan_of_wreck(), mk_wreck(),
	    "critical leaf01/1 - host01 mlx5_0/1: is missing: both of its ports are Polling; "
	    "host01 is cut off\n"
	    "  fix: Connect leaf01/1 to host01 mlx5_0/1; if it is plugged in, reseat it at both "
	    "ends, then replace it\n"
	    "critical spine03: is missing: it belongs on leaf01/6 (Polling) and leaf02/7 "
	    "(Polling); leaf01 and leaf02 each have 1 of their 3 uplinks\n"
	    "  fix: Check that it is powered and running, and that its cables are plugged in\n"
	    "warning leaf01/4 - spine02/1: trained to 4x FDR (54.5 Gb/s), planned 4x EDR (100 "
	    "Gb/s)\n"
	    "  fix: Reseat the cable at both ends, then replace it\n"
	    "critical leaf01/3 - spine02/2: two cables are exchanged: leaf01/3 belongs on "
	    "spine01/1, leaf02/4 on spine02/2; leaf01 and leaf02 each have 1 of their 3 uplinks\n"
	    "  fix: Exchange the two plugs at spine01/1 and spine02/2\n"
	    "unknown host05 mlx5_0: is not checked: no device answers behind leaf01/5\n"
	    "  fix: Find out why the devices there do not answer (port.silent), then sweep again\n"
	    "warning guest mlx5_0: is not in the plan; it is on leaf01/8\n"
	    "  fix: If it belongs here, add it to the plan (ibcheck topo --write shows its "
	    "spelling); otherwise remove it\n"
	    "warning leaf02/6 - host04 mlx5_0/1: joins the right devices at another port: host04 "
	    "mlx5_0/1 belongs on leaf02/2, and is on leaf02/6\n"
	    "  fix: Move the plug from leaf02/6 to leaf02/2; if it does not matter here, correct "
	    "the plan\n");
}

/* ---- sentences of the plan ---- */

static void every_step_is_a_sentence(void **state)
{
	struct ibc_fabric *fab = done(mk_tree());
	const struct ibc_node *a = ibc_fabric_node(fab, 0), *b = ibc_fabric_node(fab, 1);
	struct ibc_step steps[] = {
		{ .action = IBC_ACTION_MOVE, .from = { a, 1 }, .to = { b, 2 } },
		{ .action = IBC_ACTION_EXCHANGE, .from = { a, 1 }, .to = { b, 2 } },
		{ .action = IBC_ACTION_EXCHANGE, .from = { a, 0 }, .to = { b, 0 } },
		{ .action = IBC_ACTION_CONNECT, .to = { b, 2 }, .peer = { a, 1 } },
		{ .action = IBC_ACTION_CONNECT, .to = { a, 1 }, .peer = { b, 2 } },
		{ .action = IBC_ACTION_REMOVE, .from = { b, 2 }, .peer = { a, 1 } },
		{ .action = IBC_ACTION_REMOVE, .from = { b, 2 } },
		{ .action = IBC_ACTION_REPLACE, .from = { a, 0 }, .to = { b, 0 } },
		{ .action = IBC_ACTION_RENAME, .from = { a, 0 }, .to = { b, 0 } },
	};
	static const char *const texts[] = {
		"Move the plug from leaf01/1 to leaf02/2",
		"Exchange the two plugs at leaf01/1 and leaf02/2",
		"Exchange leaf01 and leaf02 (or their names)",
		"Connect leaf01/1 to leaf02/2",
		"Connect leaf01/1 to leaf02/2",
		"Unplug the cable between leaf01/1 and leaf02/2",
		"Unplug the cable at leaf02/2",
		"Put leaf01 into the plan, with its GUID 0x0000000000000011",
		"Give leaf01 its planned name leaf02, or correct the plan",
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ibc_step_text(&steps[i], NULL, text, sizeof(text));
		assert_string_equal(text, texts[i]);
	}
	ibc_step_text(&steps[0], NULL, text, 5);
	assert_string_equal(text, "Move");
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fabric_as_planned_is_ok),
		cmocka_unit_test(a_missing_host_is_told_with_its_port),
		cmocka_unit_test(a_missing_switch_takes_what_is_behind_it_along),
		cmocka_unit_test(a_missing_spine_costs_paths),
		cmocka_unit_test(an_unexpected_node_is_told_with_its_place),
		cmocka_unit_test(another_device_in_the_same_place_was_replaced),
		cmocka_unit_test(another_name_is_told_once),
		cmocka_unit_test(exchanged_switches_are_one_finding),
		cmocka_unit_test(a_missing_cable_is_told_with_the_states_of_both_ports),
		cmocka_unit_test(a_cable_that_nobody_planned_is_told),
		cmocka_unit_test(a_plug_at_the_wrong_switch_is_told_with_its_move),
		cmocka_unit_test(a_cable_between_two_leaves_leaves_another_to_connect),
		cmocka_unit_test(a_cable_too_many_is_to_be_unplugged),
		cmocka_unit_test(two_crossed_cables_are_one_exchange),
		cmocka_unit_test(three_rotated_cables_are_one_finding),
		cmocka_unit_test(the_right_switch_at_the_wrong_port_is_a_warning),
		cmocka_unit_test(a_switch_shifted_by_a_port_is_one_finding),
		cmocka_unit_test(a_cable_below_the_plan_is_slow_or_narrow),
		cmocka_unit_test(what_an_end_cannot_do_or_does_not_enable_is_the_remedy),
		cmocka_unit_test(things_behind_a_silent_peer_are_not_checked),
		cmocka_unit_test(a_silent_leaf_is_told_once),
		cmocka_unit_test(a_switch_that_does_not_tell_of_its_ports_is_named),
		cmocka_unit_test(a_subnet_that_was_not_swept_is_told_as_a_whole),
		cmocka_unit_test(what_was_read_at_both_ends_no_lost_line_explains),
		cmocka_unit_test(a_sweep_that_was_cut_short_is_told_as_a_whole),
		cmocka_unit_test(a_port_that_nobody_has_is_an_error_of_the_plan),
		cmocka_unit_test(a_name_that_fits_two_nodes_is_an_error_of_the_plan),
		cmocka_unit_test(a_plan_of_another_fabric_is_one_finding),
		cmocka_unit_test(a_fabric_of_other_names_is_one_finding),
		cmocka_unit_test(a_plan_with_the_guids_of_another_fabric_is_one_finding),
		cmocka_unit_test(a_fabric_slower_than_planned_is_one_finding),
		cmocka_unit_test(a_swap_has_its_cables_losers_labels_and_racks),
		cmocka_unit_test(a_missing_cable_has_the_states_of_its_ports),
		cmocka_unit_test(a_planned_node_without_guid_has_none_in_the_report),
		cmocka_unit_test(a_source_without_states_can_be_compared),
		cmocka_unit_test(a_source_without_rates_leaves_them_unchecked),
		cmocka_unit_test(what_is_unchecked_tells_of_the_queries_that_were_not_answered),
		cmocka_unit_test(without_a_plan_nothing_is_said_to_be_as_planned),
		cmocka_unit_test(running_out_of_memory_is_never_as_planned),
		cmocka_unit_test(a_wreck_is_told_one_fault_at_a_time),
		cmocka_unit_test(every_step_is_a_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
