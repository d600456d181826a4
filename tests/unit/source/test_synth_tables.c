/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of fat-trees by formula: every way leads there, and evenly. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ibcheck/ibcheck.h>

#include "base/arena.h"
#include "fabric/build.h"

#define TWO   "synth:fattree:leaves=4,spines=2,hosts=4,cables=2"
#define THREE "synth:fattree:levels=3,pods=3,leaves=2,spines=2,uplinks=2,hosts=4,seed=7"
#define RAILS "synth:fattree:leaves=4,spines=3,hosts=3,rails=2,seed=1"

static struct ibc_attrs all_tables(void)
{
	return ibc_attrs_or(ibc_attrs_of_group(IBC_ATTRS_SM), ibc_attrs_of_group(IBC_ATTRS_ROUTES));
}

static struct ibc_fabric *load(const char *spec, struct ibc_attrs needs)
{
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;
	struct ibc_fabric *fab = NULL;

	opts.needs = needs;
	assert_int_equal(ibc_fabric_load(&spec, 1, &opts, &fab, NULL), 0);
	assert_int_equal(ibc_fabric_verify(fab, NULL), 0);
	return fab;
}

/* Switches on the way from a switch to a LID; fails where it does not arrive. */
static unsigned int hops(const struct ibc_node *sw, unsigned int lid)
{
	const struct ibc_forwarding *f = sw->subnet->forwarding;
	const struct ibc_port *dst = ibc_fabric_port_by_lid(sw->subnet, lid);

	for (unsigned int n = 1; n < 10; n++) {
		size_t column = fabric_column(f->switches, f->num_switches, sw);
		unsigned int out = f->out[lid * f->stride + column];
		const struct ibc_port *port = ibc_node_port(sw, out);

		assert_true(f->known[lid / IBC_LFT_BLOCK * f->stride + column]);
		assert_non_null(port);
		if (port == dst || port->peer == dst)
			return n;
		assert_non_null(port->peer);
		sw = port->peer->node;
	}
	fail_msg("LID %u goes round", lid);
	return 0;
}

static void every_way_leads_there(void **state)
{
	static const char *const specs[] = { TWO, THREE, RAILS };

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		struct ibc_fabric *fab = load(specs[i], IBC_ATTRS(IBC_ATTR_LFT));
		const struct ibc_subnet *subnet = ibc_fabric_subnet(fab, 0);
		const struct ibc_node *sw;

		assert_true(ibc_attrs_has(subnet->provides, IBC_ATTR_LFT));
		assert_int_equal(subnet->forwarding->num_lids, ibc_fabric_count(fab).nodes + 1);
		for (size_t k = 0; (sw = ibc_fabric_node(fab, k)); k++)
			for (unsigned int lid = 1;
			     sw->type == IBC_NODE_SWITCH && lid < subnet->forwarding->num_lids;
			     lid++)
				hops(sw, lid);
		ibc_fabric_free(fab);
	}
}

static void hosts_take_shortest_ways(void **state)
{
	struct ibc_fabric *fab = load(THREE, IBC_ATTRS(IBC_ATTR_LFT));
	const struct ibc_node *leaf = NULL, *host;
	unsigned int most = 0;

	(void)state;
	for (size_t i = 0; (host = ibc_fabric_node(fab, i)); i++)
		if (strcmp(host->desc, "leaf01") == 0)
			leaf = host;
	assert_non_null(leaf);
	for (size_t i = 0; (host = ibc_fabric_node(fab, i)); i++) {
		unsigned int n = host->type == IBC_NODE_CA ? hops(leaf, host->ports[1].lid) : 0;

		most = n > most ? n : most;
		assert_true(n == 0 || n == 1 || n == 3 || n == 5);
	}
	assert_int_equal(most, 5);
	ibc_fabric_free(fab);
}

static void uplinks_of_a_leaf_carry_equal(void **state)
{
	struct ibc_fabric *fab = load(TWO, IBC_ATTRS(IBC_ATTR_LFT));
	const struct ibc_forwarding *f = ibc_fabric_subnet(fab, 0)->forwarding;
	const struct ibc_node *host;
	unsigned int count[16] = { 0 };

	(void)state;
	for (size_t i = 0; (host = ibc_fabric_node(fab, i)); i++)
		if (host->type == IBC_NODE_CA)
			count[f->out[host->ports[1].lid * f->stride]]++;
	for (unsigned int port = 5; port <= 8; port++)
		assert_int_equal(count[port], 3);
	ibc_fabric_free(fab);
}

static void one_master_one_standby_and_an_administration(void **state)
{
	struct ibc_fabric *fab = load(TWO, ibc_attrs_of_group(IBC_ATTRS_SM));
	const struct ibc_subnet *subnet = ibc_fabric_subnet(fab, 0);
	const struct ibc_port *port;
	unsigned int managers = 0;

	(void)state;
	for (size_t i = 0; (port = ibc_fabric_port(fab, i)); i++) {
		managers += port->extra->sm != NULL;
		if (port->extra->sm && port->lid == port->sm_lid)
			assert_int_equal(port->extra->sm->state, IBC_SM_MASTER);
	}
	assert_int_equal(managers, 2);
	assert_non_null(subnet->sa);
	assert_true(ibc_port_has(subnet->origin, IBC_ATTR_SA_CLASS_PORT_INFO));
	assert_null(subnet->forwarding);
	ibc_fabric_free(fab);
}

static void the_multicast_tree_is_the_same_from_both_ends(void **state)
{
	struct ibc_fabric *fab = load(THREE, IBC_ATTRS(IBC_ATTR_MFT));
	const struct ibc_multicast *m = ibc_fabric_subnet(fab, 0)->multicast;
	size_t cables = 0, switches = 0;

	(void)state;
	for (size_t i = 0; i < m->num_switches; i++) {
		const uint64_t *set = m->ports + 4 * i;

		switches += set[0] != 0;
		for (unsigned int n = 1; n <= m->switches[i]->num_ports; n++) {
			const struct ibc_port *far = m->switches[i]->ports[n].peer;

			if (!(set[0] & 1ull << n) || far->node->type != IBC_NODE_SWITCH)
				continue;
			cables++;
			assert_true(
			    m->ports[4 * fabric_column(m->switches, m->num_switches, far->node)] &
			    1ull << far->num);
		}
	}
	assert_int_equal(switches, 6 + 3 + 1);
	assert_int_equal(cables, 2 * (switches - 1));
	ibc_fabric_free(fab);
}

static void nobody_asks_nothing_is_made(void **state)
{
	struct ibc_fabric *fab = load(TWO, IBC_ATTRS());
	const struct ibc_subnet *subnet = ibc_fabric_subnet(fab, 0);

	(void)state;
	assert_null(subnet->forwarding);
	assert_null(subnet->multicast);
	assert_null(subnet->sa);
	assert_false(ibc_attrs_meet(subnet->provides, all_tables()));
	ibc_fabric_free(fab);
}

static void running_out_of_memory_is_told(void **state)
{
	static const char *const specs[] = { TWO };
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;
	struct ibc_fabric *fab = NULL;
	int rc = -ENOMEM;

	(void)state;
	opts.needs = all_tables();
	for (unsigned long n = 1; rc == -ENOMEM; n++) {
		alloc_fail_at(n);
		rc = ibc_fabric_load(specs, 1, &opts, &fab, NULL);
		alloc_fail_at(0);
	}
	assert_int_equal(rc, 0);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_way_leads_there),
		cmocka_unit_test(hosts_take_shortest_ways),
		cmocka_unit_test(uplinks_of_a_leaf_carry_equal),
		cmocka_unit_test(one_master_one_standby_and_an_administration),
		cmocka_unit_test(the_multicast_tree_is_the_same_from_both_ends),
		cmocka_unit_test(nobody_asks_nothing_is_made),
		cmocka_unit_test(running_out_of_memory_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
