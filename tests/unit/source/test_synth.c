/* SPDX-License-Identifier: BSD-2-Clause */
/* Fat-trees by formula: counts, wiring, health, and what is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ibcheck/ibcheck.h>

#include "base/arena.h"
#include "fabric/build.h"
#include "source/source.h"

#define TWO_LEVELS   "synth:fattree:leaves=4,spines=3,hosts=5,cables=2"
#define THREE_LEVELS "synth:fattree:levels=3,pods=3,leaves=2,spines=2,uplinks=2,hosts=4"

static struct ibc_fabric *load(const char *spec)
{
	struct fabric_build *b;
	struct ibc_fabric *fab;
	struct ibc_error err = { "" };

	assert_int_equal(fabric_build_new(&b, NULL), 0);
	if (source_synth(spec, NULL, b, &err))
		fail_msg("%s: %s", spec, err.text);
	assert_int_equal(fabric_build_finish(b, &fab, NULL), 0);
	assert_int_equal(ibc_fabric_verify(fab, NULL), 0);
	return fab;
}

static const struct ibc_node *named(const struct ibc_fabric *fab, const char *name)
{
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		if (!strcmp(node->desc, name))
			return node;
	fail_msg("no node %s", name);
	return NULL;
}

static void assert_cable(const struct ibc_fabric *fab, const char *near, unsigned int near_port,
                         const char *far, unsigned int far_port)
{
	const struct ibc_port *port = ibc_node_port(named(fab, near), near_port);

	assert_non_null(port);
	assert_non_null(port->peer);
	assert_string_equal(port->peer->node->desc, far);
	assert_int_equal(port->peer->num, far_port);
}

static void assert_refused(const char *spec, const char *sentence)
{
	struct fabric_build *b;
	struct ibc_error err = { "" };

	assert_int_equal(fabric_build_new(&b, NULL), 0);
	assert_int_equal(source_synth(spec, NULL, b, &err), -EINVAL);
	assert_string_equal(err.text, sentence);
	fabric_build_free(b);
}

/* ---- shape ---- */

static void two_levels_have_the_nodes_and_cables_asked_for(void **state)
{
	struct ibc_fabric *fab = load(TWO_LEVELS);
	struct ibc_fabric_counts n = ibc_fabric_count(fab);

	(void)state;
	assert_int_equal(n.subnets, 1);
	assert_int_equal(n.switches, 4 + 3);
	assert_int_equal(n.cas, 4 * 5);
	assert_int_equal(n.hosts, 4 * 5);
	assert_int_equal(n.cables, 4 * 5 + 4 * 3 * 2);
	assert_int_equal(named(fab, "leaf01")->num_ports, 5 + 3 * 2);
	assert_int_equal(named(fab, "spine03")->num_ports, 4 * 2);
	ibc_fabric_free(fab);
}

static void two_levels_are_wired_in_order(void **state)
{
	struct ibc_fabric *fab = load(TWO_LEVELS);

	(void)state;
	assert_cable(fab, "leaf01", 1, "node0001 mlx5_0", 1);
	assert_cable(fab, "leaf01", 5, "node0005 mlx5_0", 1);
	assert_cable(fab, "leaf04", 5, "node0020 mlx5_0", 1);
	assert_cable(fab, "leaf01", 6, "spine01", 1);
	assert_cable(fab, "leaf01", 7, "spine01", 2);
	assert_cable(fab, "leaf01", 8, "spine02", 1);
	assert_cable(fab, "leaf03", 11, "spine03", 6);
	ibc_fabric_free(fab);
}

static void three_levels_have_pods_and_planes_of_cores(void **state)
{
	struct ibc_fabric *fab = load(THREE_LEVELS);
	struct ibc_fabric_counts n = ibc_fabric_count(fab);

	(void)state;
	assert_int_equal(n.switches, 3 * (2 + 2) + 2 * 2);
	assert_int_equal(n.cas, 3 * 2 * 4);
	assert_int_equal(n.cables, 24 + 3 * 2 * 2 + 3 * 2 * 2);
	assert_int_equal(named(fab, "core001")->num_ports, 3);
	/* the first pod: leaves 1 and 2, spines 1 and 2 */
	assert_cable(fab, "leaf02", 5, "spine01", 2);
	assert_cable(fab, "spine01", 3, "core001", 1);
	assert_cable(fab, "spine01", 4, "core002", 1);
	assert_cable(fab, "spine02", 3, "core003", 1);
	/* the third pod: its spines at the same positions go to the same cores */
	assert_cable(fab, "leaf05", 1, "node0017 mlx5_0", 1);
	assert_cable(fab, "leaf05", 6, "spine06", 1);
	assert_cable(fab, "spine05", 3, "core001", 3);
	assert_cable(fab, "spine06", 4, "core004", 3);
	ibc_fabric_free(fab);
}

static void each_plane_is_a_tree_of_its_own(void **state)
{
	struct ibc_fabric *fab = load(THREE_LEVELS ",planes=2");
	struct ibc_fabric_counts n = ibc_fabric_count(fab);

	(void)state;
	assert_int_equal(n.switches, 2 * (3 * (2 + 2) + 2 * 2));
	assert_int_equal(n.cas, 3 * 2 * 4);
	assert_int_equal(n.cables, 2 * (24 + 3 * 2 * 2 + 3 * 2 * 2));
	assert_cable(fab, "leaf05-p1", 1, "node0017 mlx5_0", 1);
	assert_cable(fab, "leaf05-p2", 1, "node0017 mlx5_0", 2);
	assert_cable(fab, "leaf02-p2", 5, "spine01-p2", 2);
	assert_cable(fab, "spine06-p2", 4, "core004-p2", 3);
	ibc_fabric_free(fab);
}

static void the_largest_fabric_of_the_field_is_made(void **state)
{
	struct ibc_fabric *fab = load(
	    "synth:fattree:levels=3,pods=44,leaves=32,spines=32,uplinks=32,hosts=32");
	struct ibc_fabric_counts n = ibc_fabric_count(fab);

	(void)state;
	assert_int_equal(n.switches, 3840);
	assert_int_equal(n.cas, 45056);
	assert_int_equal(n.hosts, 45056);
	assert_int_equal(n.cables, 3 * 45056);
	ibc_fabric_free(fab);
}

static void rails_put_the_hcas_of_a_host_on_the_leaves_of_its_group(void **state)
{
	struct ibc_fabric *fab = load("synth:fattree:leaves=4,spines=2,hosts=3,rails=2");
	const struct ibc_fabric_host *host;

	(void)state;
	assert_int_equal(ibc_fabric_count(fab).cas, 12);
	assert_int_equal(ibc_fabric_count(fab).hosts, 6);
	assert_cable(fab, "leaf01", 1, "node0001 mlx5_0", 1);
	assert_cable(fab, "leaf02", 1, "node0001 mlx5_1", 1);
	assert_cable(fab, "leaf02", 3, "node0003 mlx5_1", 1);
	assert_cable(fab, "leaf03", 1, "node0004 mlx5_0", 1);
	assert_cable(fab, "leaf04", 3, "node0006 mlx5_1", 1);
	for (size_t i = 0; (host = ibc_fabric_host(fab, i)); i++)
		assert_int_equal(host->num_nodes, 2);
	ibc_fabric_free(fab);
}

static void a_torus_is_joined_to_the_next_and_the_one_before(void **state)
{
	struct ibc_fabric *fab = load("synth:torus:size=3x5x2,hosts=2,cables=2");

	(void)state;
	assert_int_equal(ibc_fabric_count(fab).switches, 30);
	assert_int_equal(ibc_fabric_count(fab).cables, 60 + 2 * (30 + 30 + 15));
	assert_cable(fab, "sw01-01-01", 2, "node0002 mlx5_0", 1);
	assert_cable(fab, "sw01-01-01", 3, "sw02-01-01", 5);
	assert_cable(fab, "sw01-01-01", 4, "sw02-01-01", 6);
	assert_cable(fab, "sw01-01-01", 5, "sw03-01-01", 3);
	assert_cable(fab, "sw01-01-01", 7, "sw01-02-01", 9);
	assert_cable(fab, "sw01-05-01", 7, "sw01-01-01", 9);
	assert_cable(fab, "sw01-05-01", 11, "sw01-05-02", 11);
	assert_int_equal(named(fab, "sw03-05-02")->num_ports, 12);
	ibc_fabric_free(fab);
}

static void a_hyperx_is_joined_to_all_of_its_lines(void **state)
{
	struct ibc_fabric *fab = load("synth:hyperx:size=3x4,hosts=1");

	(void)state;
	assert_int_equal(ibc_fabric_count(fab).cables, 12 + 4 * 3 + 3 * 6);
	assert_cable(fab, "sw01-01", 2, "sw02-01", 2);
	assert_cable(fab, "sw01-01", 3, "sw03-01", 2);
	assert_cable(fab, "sw02-01", 3, "sw03-01", 3);
	assert_cable(fab, "sw01-01", 4, "sw01-02", 4);
	assert_cable(fab, "sw01-03", 6, "sw01-04", 6);
	ibc_fabric_free(fab);
}

/* Every two groups are joined by as many cables, whoever has them. */
static void assert_groups_joined(const char *spec, unsigned int groups, unsigned int per_group,
                                 const char *name, unsigned int cables)
{
	struct ibc_fabric *fab = load(spec);
	const struct ibc_node *node;
	unsigned int joined[16][16] = { { 0 } };

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		for (unsigned int num = 1; num <= node->num_ports; num++) {
			const struct ibc_port *peer = node->ports[num].peer;
			unsigned int a, z;

			if (strncmp(node->desc, name, strlen(name)) != 0 || !peer ||
			    strncmp(peer->node->desc, name, strlen(name)) != 0)
				continue;
			a = ((unsigned int)atoi(node->desc + strlen(name)) - 1) / per_group;
			z = ((unsigned int)atoi(peer->node->desc + strlen(name)) - 1) / per_group;
			joined[a][z]++;
		}
	for (unsigned int a = 0; a < groups; a++)
		for (unsigned int z = 0; z < groups; z++)
			if (a != z)
				assert_int_equal(joined[a][z], cables);
	ibc_fabric_free(fab);
}

static void groups_of_dragonflies_are_joined_alike(void **state)
{
	struct ibc_fabric *fab = load("synth:dragonfly:groups=9,switches=4,links=2,hosts=2");

	(void)state;
	assert_int_equal(ibc_fabric_count(fab).switches, 36);
	assert_int_equal(ibc_fabric_count(fab).cables, 72 + 9 * 6 + 36);
	assert_cable(fab, "sw01-01", 3, "sw01-02", 3);
	assert_cable(fab, "sw01-01", 6, "sw02-04", 7);
	ibc_fabric_free(fab);
	assert_groups_joined("synth:dragonfly:groups=9,switches=4,links=2,hosts=2", 9, 1, "sw", 1);
	assert_groups_joined("synth:dragonfly:groups=5,switches=4,links=2,hosts=2", 5, 1, "sw", 2);
	/* what is left over of 16 links is not cabled */
	assert_groups_joined("synth:dragonfly-plus:groups=7,leaves=3,spines=4,links=4,hosts=2", 7,
	                     4, "spine", 2);
	fab = load("synth:dragonfly-plus:groups=5,leaves=3,spines=4,links=1,hosts=2,cables=2");
	assert_int_equal(ibc_fabric_count(fab).switches, 5 * 7);
	assert_int_equal(ibc_fabric_count(fab).cables, 30 + 5 * 24 + 10);
	assert_cable(fab, "leaf02", 5, "spine02", 3);
	assert_cable(fab, "spine01", 7, "spine08", 7);
	ibc_fabric_free(fab);
}

static void a_radix_leaves_ports_that_wait_for_a_cable(void **state)
{
	struct ibc_fabric *fab = load("synth:fattree:leaves=2,spines=1,hosts=2,radix=36");
	const struct ibc_port *port;

	(void)state;
	assert_int_equal(named(fab, "leaf01")->num_ports, 36);
	assert_int_equal(named(fab, "spine01")->num_ports, 36);
	port = ibc_node_port(named(fab, "leaf01"), 4);
	assert_null(port->peer);
	assert_true(ibc_port_has(port, IBC_ATTR_PORT_INFO));
	assert_int_equal(port->state, IBC_STATE_DOWN);
	assert_int_equal(port->phys_state, IBC_PHYS_POLLING);
	assert_int_equal(port->width_active, 0);
	assert_int_not_equal(port->speed_enabled, 0);
	ibc_fabric_free(fab);
}

static void names_of_a_tier_are_equally_long(void **state)
{
	struct ibc_fabric *fab = load("synth:fattree:leaves=120,spines=2,hosts=90");

	(void)state;
	named(fab, "leaf001");
	named(fab, "leaf120");
	named(fab, "spine02");
	named(fab, "node00001 mlx5_0");
	named(fab, "node10800 mlx5_0");
	ibc_fabric_free(fab);
}

/* ---- health ---- */

static void assert_healthy(const struct ibc_port *port)
{
	assert_true(ibc_port_is_up(port));
	assert_int_equal(port->state, IBC_STATE_ACTIVE);
	assert_int_equal(port->width_active, ibc_width_widest(port->width_enabled));
	assert_int_equal(port->speed_active, ibc_speed_fastest(port->speed_enabled));
	assert_int_equal(port->speed_enabled, port->speed_supported);
	assert_int_equal(port->width_enabled, port->width_supported);
	assert_int_equal(ibc_mtu_bytes(port->mtu_active), 4096);
	assert_int_equal(ibc_mtu_bytes(port->mtu_cap), 4096);
	assert_int_equal(port->vl_active, port->vl_cap);
	assert_int_equal(port->lmc, 0);
}

static void every_query_is_answered_and_every_port_is_healthy(void **state)
{
	struct ibc_fabric *fab = load(THREE_LEVELS);
	const struct ibc_subnet *subnet = ibc_fabric_subnet(fab, 0);
	const struct ibc_node *node;
	const struct ibc_port *port;

	(void)state;
	assert_string_equal(subnet->kind, "synth");
	assert_string_equal(subnet->source, THREE_LEVELS);
	assert_false(ibc_attrs_meet(subnet->provides, ibc_attrs_of_group(IBC_ATTRS_COUNTERS)));
	for (size_t i = 0; (port = ibc_fabric_port(fab, i)); i++)
		assert_healthy(port);
	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		assert_true(ibc_node_has(node, IBC_ATTR_NODE_DESC));
	for (enum ibc_attr a = 0; a < IBC_ATTR_COUNT; a++) {
		struct ibc_coverage c = ibc_fabric_coverage(fab, a);

		assert_int_equal(c.asked, c.answered);
	}
	ibc_fabric_free(fab);
}

static void lids_and_guids_are_unique_and_lead_back(void **state)
{
	struct ibc_fabric *fab = load(TWO_LEVELS);
	const struct ibc_subnet *subnet = ibc_fabric_subnet(fab, 0);
	const struct ibc_port *port, *sm = NULL;
	const struct ibc_node *node;
	size_t lids = 0;

	(void)state;
	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		assert_false(node->duplicate);
		assert_ptr_equal(ibc_fabric_node_by_guid(fab, node->guid), node);
	}
	for (size_t i = 0; (port = ibc_fabric_port(fab, i)); i++) {
		if (!port->lid)
			continue;
		lids++;
		assert_ptr_equal(ibc_fabric_port_by_lid(subnet, port->lid), port);
		assert_null(ibc_fabric_node_by_guid(fab, port->guid + (port->num == 0)));
		sm = ibc_fabric_port_by_lid(subnet, port->sm_lid);
		assert_non_null(sm);
		assert_string_equal(sm->node->desc, "node0001 mlx5_0");
		assert_int_equal(!!(port->cap_mask & 2), port == sm);
	}
	assert_int_equal(lids, ibc_fabric_count(fab).nodes);
	ibc_fabric_free(fab);
}

static void the_speed_is_that_of_every_cable(void **state)
{
	static const char *const words[] = { "SDR", "DDR", "QDR", "FDR10", "FDR",
		                             "EDR", "HDR", "NDR", "XDR" };
	char spec[80];

	(void)state;
	for (unsigned int i = 0; i < 9; i++) {
		const struct ibc_port *port;
		struct ibc_fabric *fab;

		snprintf(spec, sizeof(spec), "synth:fattree:leaves=2,spines=1,hosts=1,speed=%s",
		         words[i]);
		fab = load(spec);
		port = ibc_node_port(named(fab, "leaf01"), 1);
		assert_string_equal(ibc_speed_word(port->speed_active)->name, words[i]);
		assert_healthy(port);
		assert_int_equal(ibc_port_has(port, IBC_ATTR_MLNX_EXT_PORT_INFO),
		                 port->speed_active == IBC_SPEED_FDR10);
		ibc_fabric_free(fab);
	}
}

/* ---- seeds ---- */

static void a_seed_changes_guids_and_lids_and_nothing_else(void **state)
{
	struct ibc_fabric *plain = load(THREE_LEVELS), *seeded = load(THREE_LEVELS ",seed=9");
	const struct ibc_node *node, *same;
	size_t other_guid = 0, other_lid = 0;

	(void)state;
	for (size_t i = 0; (node = ibc_fabric_node(plain, i)); i++) {
		unsigned int end = node->type != IBC_NODE_SWITCH;

		same = named(seeded, node->desc);
		other_guid += node->guid != same->guid;
		other_lid += node->ports[end].lid != same->ports[end].lid;
		assert_non_null(ibc_fabric_node_by_guid(seeded, node->guid));
		for (unsigned int p = 1; p <= node->num_ports; p++)
			assert_cable(seeded, node->desc, p, node->ports[p].peer->node->desc,
			             node->ports[p].peer->num);
	}
	assert_true(other_guid > 10);
	assert_true(other_lid > 10);
	ibc_fabric_free(plain);
	ibc_fabric_free(seeded);
}

static void a_seed_gives_the_same_fabric_every_time(void **state)
{
	struct ibc_fabric *a = load(TWO_LEVELS ",seed=18446744073709551615");
	struct ibc_fabric *z = load(TWO_LEVELS ",seed=18446744073709551615");
	struct ibc_fabric *other = load(TWO_LEVELS ",seed=2");
	size_t differs = 0;
	const struct ibc_node *node;

	(void)state;
	for (size_t i = 0; (node = ibc_fabric_node(a, i)); i++) {
		assert_string_equal(node->desc, ibc_fabric_node(z, i)->desc);
		differs += strcmp(node->desc, ibc_fabric_node(other, i)->desc) != 0;
	}
	assert_true(differs > 10);
	ibc_fabric_free(a);
	ibc_fabric_free(z);
	ibc_fabric_free(other);
}

/* ---- what is refused ---- */

static void a_wrong_key_is_named_with_those_there_are(void **state)
{
	static const char known[] = "known are levels, pods, leaves, spines, uplinks, hosts, "
				    "cables, rails, planes, radix, seed, speed";
	char sentence[256];

	(void)state;
	snprintf(sentence, sizeof(sentence), "synth: unknown key \"leafs\"; %s", known);
	assert_refused("synth:fattree:leafs=4", sentence);
	snprintf(sentence, sizeof(sentence), "synth: unknown key \"\"; %s", known);
	assert_refused("synth:fattree:leaves=4,,spines=2", sentence);
	snprintf(sentence, sizeof(sentence),
	         "synth: unknown key \"a-key-that-goes-on-and-on-for-longer-tha\"; %s", known);
	assert_refused("synth:fattree:a-key-that-goes-on-and-on-for-longer-than-a-screen=4",
	               sentence);
}

static void a_wrong_number_is_named_with_its_limits(void **state)
{
	(void)state;
	assert_refused("synth:fattree:leaves=many",
	               "synth: leaves=many is not a number from 1 to 254");
	assert_refused("synth:fattree:leaves=0", "synth: leaves=0 is not a number from 1 to 254");
	assert_refused("synth:fattree:leaves=255",
	               "synth: leaves=255 is not a number from 1 to 254");
	assert_refused("synth:fattree:leaves=", "synth: leaves= is not a number from 1 to 254");
	assert_refused("synth:fattree:leaves", "synth: leaves= is not a number from 1 to 254");
	assert_refused("synth:fattree:levels=4", "synth: levels=4 is not a number from 2 to 3");
	assert_refused("synth:fattree:seed=-1",
	               "synth: seed=-1 is not a number from 0 to 18446744073709551615");
	/* cut off for the message, and not a 4 for that */
	assert_refused("synth:fattree:leaves=00000000000000000000000000000040",
	               "synth: leaves=0000000000000000000000000000004 is not a number from 1 to "
	               "254");
}

static void a_wrong_speed_is_named_with_those_there_are(void **state)
{
	(void)state;
	assert_refused(
	    "synth:fattree:speed=fast",
	    "synth: speed=fast is not one of SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR, XDR");
	assert_refused("synth:fattree:speed",
	               "synth: speed= is not one of SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR, XDR");
}

static void keys_that_are_missing_or_out_of_place_are_named(void **state)
{
	(void)state;
	assert_refused("synth:fattree:", "synth: leaves= is missing");
	assert_refused("synth:fattree:leaves=4,hosts=2", "synth: spines= is missing");
	assert_refused("synth:fattree:leaves=4,spines=2", "synth: hosts= is missing");
	assert_refused("synth:fattree:levels=3,leaves=4,spines=2,hosts=2,uplinks=2",
	               "synth: pods= is missing");
	assert_refused("synth:fattree:levels=3,pods=2,leaves=4,spines=2,hosts=2",
	               "synth: uplinks= is missing");
	assert_refused("synth:fattree:leaves=4,spines=2,hosts=2,pods=2",
	               "synth: pods= needs levels=3");
	assert_refused("synth:fattree:leaves=4,spines=2,hosts=2,uplinks=2",
	               "synth: uplinks= needs levels=3");
	assert_refused("synth:fattree:leaves=4,spines=2,hosts=2,leaves=4",
	               "synth: leaves= is given twice");
	assert_refused("synth:fattree:leaves=4,spines=2,hosts=2,rails=3",
	               "synth: leaves=4 is not a multiple of rails=3");
}

static void another_shape_is_refused(void **state)
{
	(void)state;
	assert_refused("synth:jellyfish:n=4",
	               "synth:jellyfish:n=4: expected \"synth:SHAPE:KEY=N,...\" with the shape "
	               "fattree, torus, hyperx, dragonfly or dragonfly-plus");
	assert_refused("synth:torus",
	               "synth:torus: expected \"synth:SHAPE:KEY=N,...\" with the shape fattree, "
	               "torus, hyperx, dragonfly or dragonfly-plus");
	assert_refused("synth", "synth: expected \"synth:SHAPE:KEY=N,...\" with the shape fattree, "
	                        "torus, hyperx, dragonfly or dragonfly-plus");
}

static void what_makes_no_other_network_is_refused(void **state)
{
	(void)state;
	assert_refused("synth:torus:hosts=2", "synth: size= is missing");
	assert_refused("synth:torus:size=4x4", "synth: hosts= is missing");
	assert_refused("synth:torus:size=4x1,hosts=1",
	               "synth: size=4x1 is not up to 8 numbers from 2 to 254, as 4x4x3");
	assert_refused("synth:torus:size=4x,hosts=1",
	               "synth: size=4x is not up to 8 numbers from 2 to 254, as 4x4x3");
	assert_refused("synth:hyperx:size=2x2x2x2x2x2x2x2x2,hosts=1",
	               "synth: size=2x2x2x2x2x2x2x2x2 is not up to 8 numbers from 2 to 254, as "
	               "4x4x3");
	assert_refused("synth:torus:size=254x254,hosts=1",
	               "synth: size=254x254 is more switches than a subnet has LIDs");
	assert_refused("synth:torus:size=002x002x002x002x002x002x002x0029,hosts=1",
	               "synth: size=002x002x002x002x002x002x002x002... is too long");
	assert_refused("synth:torus:leaves=4",
	               "synth: unknown key \"leaves\"; known are size, hosts, cables, radix, seed, "
	               "speed");
	assert_refused("synth:dragonfly:groups=9,switches=4,links=1,hosts=2",
	               "synth: groups=9: the 4 links of a group do not reach all others");
	assert_refused("synth:dragonfly-plus:groups=9,leaves=4,spines=4,links=1,hosts=2",
	               "synth: groups=9: the 4 links of a group do not reach all others");
	assert_refused(
	    "synth:hyperx:size=200x60,hosts=1",
	    "synth: a switch needs 259 ports (hosts, neighbours, links), a switch has at "
	    "most 254");
	assert_refused("synth:torus:size=5x5,hosts=2,radix=4",
	               "synth: radix=4: a switch needs 6 ports (hosts, neighbours, links)");
	assert_refused("synth:torus:size=200x200,hosts=2",
	               "synth: 120000 nodes need a LID each, a subnet has 49151");
}

static void what_no_switch_holds_is_refused(void **state)
{
	(void)state;
	assert_refused("synth:fattree:leaves=4,spines=100,hosts=155",
	               "synth: a leaf needs 255 ports (hosts + spines * cables), a switch has at "
	               "most 254");
	assert_refused(
	    "synth:fattree:leaves=128,spines=2,hosts=2,cables=2",
	    "synth: a spine needs 256 ports (leaves * cables + uplinks), a switch has at "
	    "most 254");
	assert_refused("synth:fattree:leaves=4,spines=2,hosts=2,radix=3",
	               "synth: radix=3: a leaf needs 4 ports (hosts + spines * cables)");
	assert_refused("synth:fattree:leaves=4,spines=1,hosts=2,radix=3",
	               "synth: radix=3: a spine needs 4 ports (leaves * cables + uplinks)");
	assert_refused("synth:fattree:levels=3,pods=5,leaves=1,spines=1,uplinks=1,hosts=2,radix=4",
	               "synth: radix=4: a core needs 5 ports (pods)");
}

static void what_no_subnet_holds_is_refused(void **state)
{
	(void)state;
	assert_refused("synth:fattree:leaves=254,spines=1,hosts=200",
	               "synth: 51055 nodes need a LID each, a subnet has 49151");
}

static void running_out_of_memory_is_an_error_wherever_it_happens(void **state)
{
	struct ibc_error err;
	unsigned long n = 0;
	int rc;

	(void)state;
	do {
		struct fabric_build *b;

		assert_int_equal(fabric_build_new(&b, NULL), 0);
		alloc_fail_at(++n);
		rc = source_synth(THREE_LEVELS, NULL, b, &err);
		alloc_fail_at(0);
		fabric_build_free(b);
		assert_true(rc == 0 || rc == -ENOMEM);
	} while (rc);
	assert_true(n > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_levels_have_the_nodes_and_cables_asked_for),
		cmocka_unit_test(two_levels_are_wired_in_order),
		cmocka_unit_test(three_levels_have_pods_and_planes_of_cores),
		cmocka_unit_test(each_plane_is_a_tree_of_its_own),
		cmocka_unit_test(the_largest_fabric_of_the_field_is_made),
		cmocka_unit_test(rails_put_the_hcas_of_a_host_on_the_leaves_of_its_group),
		cmocka_unit_test(a_torus_is_joined_to_the_next_and_the_one_before),
		cmocka_unit_test(a_hyperx_is_joined_to_all_of_its_lines),
		cmocka_unit_test(groups_of_dragonflies_are_joined_alike),
		cmocka_unit_test(a_radix_leaves_ports_that_wait_for_a_cable),
		cmocka_unit_test(names_of_a_tier_are_equally_long),
		cmocka_unit_test(every_query_is_answered_and_every_port_is_healthy),
		cmocka_unit_test(lids_and_guids_are_unique_and_lead_back),
		cmocka_unit_test(the_speed_is_that_of_every_cable),
		cmocka_unit_test(a_seed_changes_guids_and_lids_and_nothing_else),
		cmocka_unit_test(a_seed_gives_the_same_fabric_every_time),
		cmocka_unit_test(a_wrong_key_is_named_with_those_there_are),
		cmocka_unit_test(a_wrong_number_is_named_with_its_limits),
		cmocka_unit_test(a_wrong_speed_is_named_with_those_there_are),
		cmocka_unit_test(keys_that_are_missing_or_out_of_place_are_named),
		cmocka_unit_test(another_shape_is_refused),
		cmocka_unit_test(what_makes_no_other_network_is_refused),
		cmocka_unit_test(what_no_switch_holds_is_refused),
		cmocka_unit_test(what_no_subnet_holds_is_refused),
		cmocka_unit_test(running_out_of_memory_is_an_error_wherever_it_happens),
	};

	return cmocka_run_group_tests_name("synth", tests, NULL, NULL);
}
