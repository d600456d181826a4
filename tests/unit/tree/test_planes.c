/* SPDX-License-Identifier: BSD-2-Clause */
/* Planes of XDR ports: what one lacks is told once, and what is meant so is not told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <ibcheck/fattree.h>
#include <ibcheck/source.h>

#include "analysis/rails/planes.h"
#include "fabric/build.h"
#include "findings.h"
#include "mkrig.h"

#define SHAPE      "synth:fattree:leaves=8,spines=4,hosts=4,planes=4,speed=XDR"
#define TWO_LEAVES "synth:fattree:leaves=8,spines=4,hosts=4,radix=40"
#define THREE_LEVELS                                                                               \
	"synth:fattree:levels=3,pods=3,leaves=4,spines=3,uplinks=3,hosts=3,planes=4,speed=XDR"

static struct ibc_fabric *load(const char *spec)
{
	struct ibc_fabric *fab;

	assert_int_equal(ibc_fabric_load(&spec, 1, NULL, &fab, NULL), 0);
	return fab;
}

static struct ibc_node *named(const struct ibc_fabric *fab, const char *name)
{
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		if (!strcmp(node->desc, name))
			return (struct ibc_node *)node;
	fail_msg("no %s", name);
	return NULL;
}

static struct ibc_port *port_at(const struct ibc_fabric *fab, const char *name, unsigned int num)
{
	return (struct ibc_port *)ibc_node_port(named(fab, name), num);
}

/* Nothing is at either end any more. */
static void unplug(struct ibc_port *port)
{
	struct ibc_port *ends[] = { port, (struct ibc_port *)port->peer };

	for (size_t i = 0; ends[1] && i < 2; i++) {
		ends[i]->peer = NULL;
		ends[i]->state = IBC_STATE_DOWN;
		ends[i]->phys_state = IBC_PHYS_POLLING;
	}
}

static void unplug_all(const struct ibc_fabric *fab, const char *name)
{
	for (unsigned int num = 1; num <= named(fab, name)->num_ports; num++)
		unplug(port_at(fab, name, num));
}

/* Cables that end where the other did. */
static void exchange(struct ibc_port *a, struct ibc_port *z)
{
	struct ibc_port *a_far = (struct ibc_port *)a->peer, *z_far = (struct ibc_port *)z->peer;

	a->peer = z_far;
	z->peer = a_far;
	z_far->peer = a;
	a_far->peer = z;
}

static struct ibc_report *judge(struct ibc_fabric *fab)
{
	struct ibc_fattree *tree;
	struct ibc_report *rep;

	assert_int_equal(ibc_fattree_infer(fab, NULL, &tree, NULL), 0);
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&(struct ibc_input){ .fabric = fab, .fattree = tree },
	                               "fattree,-fattree.opensm-ftree", rep, NULL),
	                 0);
	ibc_fattree_free(tree);
	ibc_fabric_free(fab);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	return rep;
}

static void says(struct ibc_fabric *fab, const char *lines)
{
	expect_of(judge(fab), lines);
}

/* ---- alike ---------------------------------------------------------------------------------- */

static void planes_that_are_alike_are_no_finding(void **state)
{
	static const char *const specs[] = {
		SHAPE, SHAPE ",seed=7", SHAPE ",rails=4", SHAPE ",cables=2", THREE_LEVELS,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++)
		says(load(specs[i]), "");
}

#define RAILS                                                                                      \
	"warning node0006 mlx5_0: is on a host that lacks one HCA in the fabric: 31 hosts that "   \
	"have 4 of them have one on rail mlx5_0 too\n"

/* With two none is most of them, and the tree tells of a cable; or four ports are rails. */
static void hcas_say_how_many_planes_they_have(void **state)
{
	struct ibc_fabric *fab = load("synth:fattree:leaves=8,spines=4,hosts=4,planes=2,speed=XDR");
	const struct ibc_node *node;

	(void)state;
	unplug(port_at(fab, "leaf03-p2", 6));
	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		((struct ibc_node *)node)->max_planes = 2;
	says(fab, "critical leaf03-p2/6 - spine02-p2/3: is missing: both of its ports are "
	          "Polling; leaf03-p2 has 3 of its 4 uplinks\n");
	fab = load(SHAPE);
	unplug(port_at(fab, "node0006 mlx5_0", 2));
	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		((struct ibc_node *)node)->max_planes = 1;
	says(fab, RAILS);
	fab = load("synth:fattree:leaves=8,spines=4,hosts=4,planes=4,speed=NDR");
	unplug(port_at(fab, "node0006 mlx5_0", 2));
	says(fab, RAILS);
}

/* ---- what one lacks ------------------------------------------------------------------------- */

static void what_a_plane_lacks_is_one_finding(void **state)
{
	struct ibc_fabric *fab = load(SHAPE);

	(void)state;
	unplug(port_at(fab, "leaf03-p3", 6));
	says(fab, "warning leaf03-p3/6 - spine02-p3/3: is a cable that one plane lacks: 3 of 4 "
	          "planes have it, plane 3 has not\n");
	fab = load(SHAPE);
	unplug(port_at(fab, "node0006 mlx5_0", 1));
	says(fab,
	     "warning node0006 mlx5_0: has lost plane 1: port 1 has no link, and port 2 has one "
	     "to leaf02-p2\n");
	fab = load(SHAPE);
	unplug_all(fab, "spine02-p4");
	says(fab, "info spine02-p4: is not part of the tree\n"
	          "warning spine02-p1: is one of 3 siblings in 4 planes: that in plane 4 is not "
	          "seen\n");
	fab = load(SHAPE);
	unplug_all(fab, "leaf02-p1");
	says(fab, "info leaf02-p1: is not part of the tree\n"
	          "warning leaf02-p2: is one of 3 siblings in 4 planes: that in plane 1 is not "
	          "seen\n");
}

/* ---- planes that ports say they are of --------------------------------------------------- */

static void is_of_plane(struct ibc_port *port, unsigned int plane)
{
	struct ibc_port_extra *extra = port_extra(port);

	extra->num_planes = 4;
	extra->plane = (uint8_t)plane;
	extra->aport = 1;
}

/* Every second HCA has its first two planes on the ports of each other. */
static struct ibc_fabric *mixed_planes(void)
{
	struct ibc_fabric *fab = load(SHAPE);
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		struct ibc_port *ports = (struct ibc_port *)node->ports;

		if (node->type != IBC_NODE_CA)
			continue;
		for (unsigned int num = 1; num <= 4; num++)
			is_of_plane(&ports[num], i % 2 && num < 3 ? 3 - num : num);
		if (i % 2)
			exchange(&ports[1], &ports[2]);
	}
	return fab;
}

static void a_plane_is_what_ports_say_and_not_their_number(void **state)
{
	struct ibc_fabric *fab = mixed_planes();

	(void)state;
	says(fab, "");
	fab = mixed_planes();
	unplug((struct ibc_port *)port_at(fab, "leaf02-p1", 2)->peer);
	says(fab,
	     "warning node0006 mlx5_0: has lost plane 1: port 2 has no link, and port 1 has one to "
	     "leaf02-p2\n");
	/* two APorts of two planes each are two adapters */
	fab = mixed_planes();
	for (unsigned int num = 1; num <= 4; num++) {
		struct ibc_port *port = port_at(fab, "node0006 mlx5_0", num);

		is_of_plane(port, (num - 1) % 2 + 1);
		port_extra(port)->num_planes = 2;
	}
	assert_int_equal(node_planes(named(fab, "node0006 mlx5_0")), 0);
	ibc_fabric_free(fab);
}

static void a_port_that_says_no_plane_is_of_that_of_its_number(void **state)
{
	struct ibc_fabric *fab = load(SHAPE);
	const struct ibc_node *hca = named(fab, "node0006 mlx5_0");

	(void)state;
	for (unsigned int num = 1; num <= 4; num++)
		if (num != 3)
			is_of_plane(port_at(fab, hca->desc, num), num);
	assert_int_equal(node_planes(hca), 4);
	is_of_plane(port_at(fab, hca->desc, 4), 3);
	assert_int_equal(node_planes(hca), 0);
	ibc_fabric_free(fab);
}

/* Two chips of one box are joined. */
static struct ibc_fabric *joined_chips(bool fnm)
{
	struct ibc_fabric *fab = load(TWO_LEAVES);
	struct ibc_port *a = port_at(fab, "leaf01", 20), *z = port_at(fab, "leaf02", 20);

	a->peer = z;
	z->peer = a;
	a->phys_state = z->phys_state = IBC_PHYS_LINKUP;
	a->state = z->state = IBC_STATE_ACTIVE;
	port_extra(a)->fnm = fnm;
	assert_int_equal(ibc_port_is_fnm(z), fnm);
	return fab;
}

static void what_joins_the_chips_of_a_box_is_no_uplink(void **state)
{
	(void)state;
	says(joined_chips(false),
	     "critical leaf01/20 - leaf02/20: joins two leaf switches: hardly any other cable "
	     "does, and none is missing in its place\n");
	says(joined_chips(true), "");
}

/* None is most of them then. */
static void two_of_four_planes_lost_are_lost(void **state)
{
	struct ibc_fabric *fab = load(SHAPE);

	(void)state;
	unplug(port_at(fab, "node0006 mlx5_0", 1));
	unplug(port_at(fab, "node0006 mlx5_0", 4));
	says(fab, "warning node0006 mlx5_0: has lost planes 1, 4: ports 1, 4 have no link, and "
	          "port 2 has one to leaf02-p2\n");
	fab = load(SHAPE);
	for (unsigned int k = 1; k <= 3; k++)
		unplug(port_at(fab, "node0006 mlx5_0", k));
	says(fab, "warning node0006 mlx5_0: has lost planes 1, 2, 3: ports 1, 2, 3 have no link, "
	          "and port 4 has one to leaf02-p4\n");
	fab = load("synth:fattree:leaves=2,spines=2,hosts=4,planes=4,speed=XDR");
	unplug(port_at(fab, "leaf02-p3", 6));
	unplug(port_at(fab, "leaf02-p4", 6));
	says(fab, "info fabric: each of 8 switches has uplinks that are not judged: too few "
	          "switches are cabled like it: leaf01-p1, leaf02-p1, leaf01-p2 and 5 more\n"
	          "warning leaf02-p3/6 - spine02-p3/2: is a cable that one plane lacks: 2 of 4 "
	          "planes have it, plane 3 has not\n"
	          "warning leaf02-p4/6 - spine02-p4/2: is a cable that one plane lacks: 2 of 4 "
	          "planes have it, plane 4 has not\n");
}

/* Somebody is there, and did not answer. */
static void a_cable_with_a_link_is_not_lost(void **state)
{
	struct ibc_fabric *fab = load(SHAPE);
	struct ibc_port *port = port_at(fab, "leaf03-p3", 6);

	(void)state;
	unplug(port);
	port->phys_state = IBC_PHYS_LINKUP;
	says(fab, "unknown leaf03-p3/6 - spine02-p3/3: the cable from leaf03-p3/6 to spine02-p3/3 "
	          "is not checked: one of its ports does not answer, or leads to a device that "
	          "does not\n");
	fab = load(SHAPE);
	port = port_at(fab, "node0006 mlx5_0", 2);
	unplug(port);
	answers_put(port, IBC_ATTR_PORT_INFO, ANSWER_NONE);
	says(fab, "");
}

/* So few are named, although they are much of the plane. */
static void a_switch_of_a_small_plane_is_named(void **state)
{
	struct ibc_fabric *fab = load("synth:fattree:leaves=4,spines=4,hosts=8,planes=4,speed=XDR");

	(void)state;
	unplug_all(fab, "leaf02-p1");
	says(fab, "info leaf02-p1: is not part of the tree\n"
	          "warning leaf02-p2: is one of 3 siblings in 4 planes: that in plane 1 is not "
	          "seen\n");
	fab = load("synth:fattree:leaves=2,spines=2,hosts=4,planes=4,speed=XDR");
	unplug(port_at(fab, "node0006 mlx5_0", 2));
	unplug(port_at(fab, "node0007 mlx5_0", 2));
	says(fab, "warning node0006 mlx5_0: has lost plane 2: port 2 has no link, and port 1 has "
	          "one to leaf02-p1\n"
	          "warning node0007 mlx5_0: has lost plane 2: port 2 has no link, and port 1 has "
	          "one to leaf02-p1\n");
}

static void in_small_trees_too_where_the_tree_has_no_rule(void **state)
{
	struct ibc_fabric *fab = load("synth:fattree:leaves=2,spines=2,hosts=4,planes=4,speed=XDR");

	(void)state;
	unplug(port_at(fab, "leaf02-p3", 6));
	says(fab, "warning leaf02-p3/6 - spine02-p3/2: is a cable that one plane lacks: 3 of 4 "
	          "planes have it, plane 3 has not\n");
}

static void an_hca_on_another_switch_than_its_other_planes(void **state)
{
	struct ibc_fabric *fab = load(SHAPE);

	(void)state;
	exchange(port_at(fab, "node0006 mlx5_0", 2), port_at(fab, "node0006 mlx5_0", 3));
	says(
	    fab,
	    "warning node0006 mlx5_0: has port 2, of plane 2, on leaf02-p3, and its other ports on "
	    "the siblings of leaf02-p2\n"
	    "warning node0006 mlx5_0: has port 3, of plane 3, on leaf02-p2, and its other ports on "
	    "the siblings of leaf02-p3\n");
}

static void a_whole_plane_is_one_finding(void **state)
{
	struct ibc_fabric *fab = load(SHAPE);
	char name[32];

	(void)state;
	for (unsigned int i = 1; i <= 8; i++) {
		snprintf(name, sizeof(name), "leaf%02u-p3", i);
		unplug_all(fab, name);
	}
	says(fab, "info fabric: each of 12 switches is not part of the tree: leaf01-p3, leaf02-p3, "
	          "leaf03-p3 and 9 more\n"
	          "warning fabric: plane 3 is lost: port 3 of none of 32 HCAs has a link\n");
	fab = load(SHAPE);
	for (unsigned int i = 1; i <= 5; i++) {
		snprintf(name, sizeof(name), "leaf%02u-p3", i);
		unplug(port_at(fab, name, 4 + i % 4 + 1));
		unplug(port_at(fab, name, 1));
		unplug(port_at(fab, name, 2));
	}
	says(fab,
	     "info leaf02-p3: has 2 uplinks (missing to spine03-p3); 5 of 8 leaf switches have 3; "
	     "too few switches to call it a fault\n"
	     "info leaf03-p3: has 2 uplinks (missing to spine04-p3); 5 of 8 leaf switches have 3; "
	     "too few switches to call it a fault\n"
	     "info leaf04-p3: has 2 uplinks (missing to spine01-p3); 5 of 8 leaf switches have 3; "
	     "too few switches to call it a fault\n"
	     "info spine02-p3: has 6 cables to the 8 switches below it\n"
	     "warning fabric: plane 3 lacks 15 of 64 cables that most of the 4 planes have\n");
}

/* ---- what is not known, or meant --------------------------------------------------------------
 */

static void a_plane_that_was_not_swept_is_unknown(void **state)
{
	struct ibc_fabric *fab = load(SHAPE);
	const struct ibc_node *node;
	struct ibc_port *port;

	(void)state;
	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		if (node->type != IBC_NODE_CA)
			continue;
		port = (struct ibc_port *)ibc_node_port(node, 2);
		((struct ibc_port *)port->peer)->peer = NULL;
		port->peer = NULL;
	}
	says(fab, "info fabric: each of 12 switches is not part of the tree: leaf01-p2, leaf02-p2, "
	          "leaf03-p2 and 9 more\n"
	          "unknown fabric: plane 2 was not read: port 2 of 32 of 32 HCAs has a link, and "
	          "none of its switches was seen\n");
}

static void planes_may_differ_where_a_device_says_so(void **state)
{
	struct ibc_fabric *fab = load(SHAPE);

	(void)state;
	unplug(port_at(fab, "node0006 mlx5_0", 2));
	named(fab, "leaf01-p1")->asymmetric_planes = true;
	says(fab, "");
}

/* What the tree knows better stays what it is: exchanged, or lost by all planes. */
static void one_cause_is_not_told_twice(void **state)
{
	struct ibc_fabric *fab = load(SHAPE);
	char name[32];

	(void)state;
	exchange(port_at(fab, "leaf03-p3", 6), port_at(fab, "leaf05-p3", 7));
	says(fab, "critical leaf03-p3/6 - spine03-p3/5: two cables are exchanged: leaf03-p3/6 "
	          "belongs on spine02-p3/3, leaf05-p3/7 on spine03-p3/5; leaf03-p3 and leaf05-p3 "
	          "each have 3 of their 4 uplinks\n");
	fab = load(SHAPE);
	for (unsigned int k = 1; k <= 4; k++) {
		snprintf(name, sizeof(name), "node0006 mlx5_0");
		unplug(port_at(fab, name, k));
	}
	says(fab, "");
}

/* From a host in plane 1; HCAs that have the attribute report so many planes. */
static struct ibc_fabric *swept(unsigned int max_planes, bool asymmetric)
{
	struct rig r = rig_needing(SHAPE, IBC_ATTRS(IBC_ATTR_EXT_NODE_INFO));
	struct ibc_fabric *seen;
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(r.real, i)); i++) {
		struct ibc_node *hca = (struct ibc_node *)node;

		if (node->type != IBC_NODE_CA)
			continue;
		hca->smp_capabilities[0] = 1 << IBC_SMP_EXT_NODE_INFO;
		hca->max_planes = (uint8_t)max_planes;
		hca->asymmetric_planes = asymmetric;
		answers_put(hca, IBC_ATTR_GENERAL_INFO_SMP, ANSWER_OK);
		if (max_planes)
			answers_put(hca, IBC_ATTR_EXT_NODE_INFO, ANSWER_OK);
	}
	sweep(&r);
	assert_int_equal(r.rc, 0);
	seen = r.seen;
	r.seen = NULL;
	rig_free(&r);
	return seen;
}

#define UNREAD(plane)                                                                              \
	"unknown fabric: plane " plane " was not read: port " plane                                \
	" of 32 of 32 HCAs has a link, and none of its switches was seen\n"

static void a_sweep_of_one_plane_says_that_the_others_are_not_known(void **state)
{
	struct ibc_fabric *fab = swept(4, false);

	(void)state;
	assert_int_equal(named(fab, "node0001 mlx5_0")->max_planes, 4);
	says(fab, UNREAD("2") UNREAD("3") UNREAD("4"));
	says(swept(0, false), UNREAD("2") UNREAD("3") UNREAD("4"));
	says(swept(4, true), "");
	says(swept(1, false), "");
}

/* Ports in another order in each plane: nobody knows who is whose sibling. */
static struct ibc_fabric *mixed_up(uint8_t max_planes)
{
	struct ibc_fabric *fab = load(SHAPE);
	const struct ibc_node *node;
	unsigned int n = 0;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		if (node->type == IBC_NODE_CA && n++ % 3)
			exchange((struct ibc_port *)ibc_node_port(node, 1),
			         (struct ibc_port *)ibc_node_port(node, 1 + n % 4));
	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		((struct ibc_node *)node)->max_planes = max_planes;
	unplug(port_at(fab, "node0006 mlx5_0", 2));
	return fab;
}

#define UNCLEAR                                                                                    \
	" fabric: has 32 HCAs with several planes, but the cables of different planes do not "     \
	"correspond: planes are not compared\n"

static void planes_that_do_not_correspond_are_not_judged(void **state)
{
	(void)state;
	says(mixed_up(0), "info" UNCLEAR); /* four ports, it may be */
	says(mixed_up(4), "unknown" UNCLEAR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(planes_that_are_alike_are_no_finding),
		cmocka_unit_test(hcas_say_how_many_planes_they_have),
		cmocka_unit_test(what_a_plane_lacks_is_one_finding),
		cmocka_unit_test(a_port_that_says_no_plane_is_of_that_of_its_number),
		cmocka_unit_test(a_plane_is_what_ports_say_and_not_their_number),
		cmocka_unit_test(what_joins_the_chips_of_a_box_is_no_uplink),
		cmocka_unit_test(two_of_four_planes_lost_are_lost),
		cmocka_unit_test(a_cable_with_a_link_is_not_lost),
		cmocka_unit_test(a_switch_of_a_small_plane_is_named),
		cmocka_unit_test(in_small_trees_too_where_the_tree_has_no_rule),
		cmocka_unit_test(an_hca_on_another_switch_than_its_other_planes),
		cmocka_unit_test(a_whole_plane_is_one_finding),
		cmocka_unit_test(a_plane_that_was_not_swept_is_unknown),
		cmocka_unit_test(a_sweep_of_one_plane_says_that_the_others_are_not_known),
		cmocka_unit_test(planes_may_differ_where_a_device_says_so),
		cmocka_unit_test(one_cause_is_not_told_twice),
		cmocka_unit_test(planes_that_do_not_correspond_are_not_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
