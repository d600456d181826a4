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
				    "cables, rails, radix, seed, speed";
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
	assert_refused("synth:torus:x=4",
	               "synth:torus:x=4: the only shape is \"synth:fattree:KEY=N,...\"");
	assert_refused("synth", "synth: the only shape is \"synth:fattree:KEY=N,...\"");
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
		cmocka_unit_test(the_largest_fabric_of_the_field_is_made),
		cmocka_unit_test(rails_put_the_hcas_of_a_host_on_the_leaves_of_its_group),
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
		cmocka_unit_test(what_no_switch_holds_is_refused),
		cmocka_unit_test(what_no_subnet_holds_is_refused),
		cmocka_unit_test(running_out_of_memory_is_an_error_wherever_it_happens),
	};

	return cmocka_run_group_tests_name("synth", tests, NULL, NULL);
}
