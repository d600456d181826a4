/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/array.h"
#include "mkcount.h"
#include "mkfab.h"
#include "mkrig.h"

static void assert_same_port(const struct ibc_port *a, const struct ibc_port *b)
{
	assert_int_equal(a->num, b->num);
	assert_int_equal(a->guid, b->guid);
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->phys_state, b->phys_state);
	assert_int_equal(a->width_active, b->width_active);
	assert_int_equal(a->width_enabled, b->width_enabled);
	assert_int_equal(a->speed_active, b->speed_active);
	assert_int_equal(a->speed_supported, b->speed_supported);
	assert_int_equal(a->lid, b->lid);
	assert_int_equal(a->mtu_active, b->mtu_active);
	assert_int_equal(a->vl_active, b->vl_active);
	assert_int_equal(a->subnet_prefix, b->subnet_prefix);
	assert_int_equal(!a->peer, !b->peer);
	if (a->peer) {
		assert_int_equal(a->peer->node->guid, b->peer->node->guid);
		assert_int_equal(a->peer->num, b->peer->num);
	}
}

static void assert_same(const struct ibc_fabric *a, const struct ibc_fabric *b)
{
	const struct ibc_node *n, *m;
	const struct ibc_port *p;

	assert_int_equal(ibc_fabric_count(a).nodes, ibc_fabric_count(b).nodes);
	assert_int_equal(ibc_fabric_count(a).cables, ibc_fabric_count(b).cables);
	for (size_t i = 0; (n = ibc_fabric_node(a, i)); i++) {
		m = ibc_fabric_node_by_guid(b, n->guid);
		assert_non_null(m);
		assert_string_equal(n->desc, m->desc);
		assert_int_equal(n->type, m->type);
		assert_int_equal(n->num_ports, m->num_ports);
		assert_int_equal(n->device_id, m->device_id);
		assert_int_equal(n->lft_top, m->lft_top);
	}
	for (size_t i = 0; (p = ibc_fabric_port(a, i)); i++)
		assert_same_port(p,
		                 ibc_node_port(ibc_fabric_node_by_guid(b, p->node->guid), p->num));
}

static uint64_t gaps(const struct ibc_fabric *fab)
{
	uint64_t n = 0;

	for (enum ibc_attr a = 0; a < IBC_ATTR_COUNT; a++) {
		struct ibc_coverage c = ibc_fabric_coverage(fab, a);

		n += c.timed_out + c.refused;
	}
	return n;
}

static void assert_sweeps_equal(struct rig *r)
{
	sweep(r);
	assert_int_equal(r->rc, 0);
	assert_same(r->real, r->seen);
	assert_same(r->seen, r->real);
	assert_int_equal(gaps(r->seen), 0);
	rig_free(r);
}

static void a_sweep_sees_the_fabric_as_it_is(void **state)
{
	struct rig r = rig(TWO_TIER);

	(void)state;
	assert_sweeps_equal(&r);
}

static void a_sweep_sees_three_levels_and_two_rails(void **state)
{
	struct rig r = rig("synth:fattree:levels=3,pods=3,leaves=4,spines=2,uplinks=2,hosts=2");

	(void)state;
	assert_sweeps_equal(&r);
	r = rig("synth:fattree:leaves=4,spines=2,hosts=2,rails=2");
	assert_sweeps_equal(&r);
}

static void without_a_subnet_manager_all_is_seen_by_directed_routes(void **state)
{
	struct rig r = rig(TWO_TIER);
	const struct ibc_port *p;

	(void)state;
	for (size_t i = 0; (p = ibc_fabric_port(r.real, i)); i++) {
		real_port(&r, p->node->guid, p->num)->lid = 0;
		if (p->state == IBC_STATE_ACTIVE)
			real_port(&r, p->node->guid, p->num)->state = IBC_STATE_INIT;
	}
	assert_sweeps_equal(&r);
}

static void a_fabric_that_refuses_combined_routes_costs_one_retry(void **state)
{
	struct rig r = rig(TWO_TIER);

	(void)state;
	model_refuse_combined(r.model);
	sweep(&r);
	assert_int_equal(r.rc, 0);
	assert_same(r.real, r.seen);
	assert_in_range(ibc_fabric_subnet(r.seen, 0)->sweep.retried, 0, 1);
	rig_free(&r);
}

static const struct ibc_node *some_node(const struct ibc_fabric *fab, enum ibc_node_type type,
                                        const struct ibc_node *but)
{
	const struct ibc_node *n;

	for (size_t i = 0; (n = ibc_fabric_node(fab, i)); i++)
		if (n->type == type && n != but)
			return n;
	return NULL;
}

/* ---- speeds that are shown to who knows them ---------------------------------------- */

static struct rig sweep_with_hidden_speeds(const int *status)
{
	struct rig r = rig(TWO_TIER);
	const struct ibc_node *n;

	for (size_t i = 0; (n = ibc_fabric_node(r.real, i)); i++)
		model_hide_speeds(r.model, n, status);
	sweep(&r);
	assert_int_equal(r.rc, 0);
	assert_int_equal(gaps(r.seen), 0);
	return r;
}

static void who_knows_extended_speeds_is_shown_them(void **state)
{
	struct rig r = sweep_with_hidden_speeds(&(const int){ 0 });
	uint64_t ports = ibc_fabric_coverage(r.seen, IBC_ATTR_PORT_INFO).asked;

	(void)state;
	assert_same(r.real, r.seen);
	assert_int_equal(model_asked(r.model, MODEL_PORT_INFO), 2 * ports);
	rig_free(&r);
	/* who shows them unasked is asked once */
	r = rig(TWO_TIER);
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_PORT_INFO), ports);
	rig_free(&r);
}

static void who_refuses_has_shown_all_and_who_is_silent_has_an_unknown_speed(void **state)
{
	struct rig r = sweep_with_hidden_speeds(&(const int){ 0x1c });
	const struct ibc_port *up = ibc_fabric_subnet(r.seen, 0)->origin;

	(void)state;
	assert_true(ibc_port_has(up, IBC_ATTR_PORT_INFO));
	assert_int_equal(up->speed_active, IBC_SPEED_QDR);
	rig_free(&r);
	r = sweep_with_hidden_speeds(&(const int){ TABLES_SAY_NOTHING });
	up = ibc_fabric_subnet(r.seen, 0)->origin;
	assert_true(ibc_port_has(up, IBC_ATTR_PORT_INFO));
	assert_int_equal(up->speed_active, IBC_SPEED_UNKNOWN);
	rig_free(&r);
}

static void a_sweep_starts_at_a_switch_as_well(void **state)
{
	struct rig r = rig(TWO_TIER);
	const struct ibc_node *leaf = some_node(r.real, IBC_NODE_SWITCH, NULL);

	(void)state;
	model_free(r.model);
	r.model = model_new(r.real, &leaf->ports[0]);
	assert_sweeps_equal(&r);
}

static void every_cable_is_asked_from_one_side_only(void **state)
{
	struct rig r = rig("synth:fattree:leaves=16,spines=8,hosts=8");

	(void)state;
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_NODE_INFO),
	                 ibc_fabric_count(r.real).cables + 1);
	assert_int_equal(ibc_fabric_coverage(r.seen, IBC_ATTR_NODE_INFO).asked,
	                 ibc_fabric_count(r.real).cables + 1);
	rig_free(&r);
}

static void loss_leaves_no_gap(void **state)
{
	struct rig r = rig(TWO_TIER);

	(void)state;
	r.line.loss = 0.05;
	r.line.seed = 7;
	sweep(&r);
	assert_int_equal(r.rc, 0);
	assert_same(r.real, r.seen);
	assert_int_equal(gaps(r.seen), 0);
	assert_true(ibc_fabric_subnet(r.seen, 0)->sweep.retried > 0);
	rig_free(&r);
}

static void a_silent_host_stays_known_to_its_neighbour(void **state)
{
	struct rig r = rig(TWO_TIER);
	const struct ibc_node *host = some_node(r.real, IBC_NODE_CA, model_from(r.model)->node);
	const struct ibc_port *near = host->ports[1].peer;

	(void)state;
	model_silence(r.model, host);
	sweep(&r);
	assert_int_equal(r.rc, 0);
	assert_null(ibc_fabric_node_by_guid(r.seen, host->guid));
	near = ibc_node_port(ibc_fabric_node_by_guid(r.seen, near->node->guid), near->num);
	assert_true(ibc_port_unanswered(near, IBC_ATTR_NODE_INFO));
	assert_null(near->peer);
	assert_int_equal(ibc_fabric_coverage(r.seen, IBC_ATTR_NODE_INFO).timed_out, 1);
	assert_int_equal(gaps(r.seen), 1);
	rig_free(&r);
}

static void eight_silent_hosts_cost_one_ladder(void **state)
{
	struct rig r = rig(TWO_TIER);

	(void)state;
	model_silence_cas(r.model, 8);
	sweep(&r);
	assert_int_equal(gaps(r.seen), 8);
	assert_true(ibc_fabric_subnet(r.seen, 0)->sweep.duration_seconds < 1.5);
	rig_free(&r);
}

static void a_silent_spine_hides_only_itself(void **state)
{
	struct rig r = rig(TWO_TIER);
	const struct ibc_node *spine = NULL;

	(void)state;
	for (size_t i = 0; (spine = ibc_fabric_node(r.real, i)); i++)
		if (strncmp(spine->desc, "spine", 5) == 0)
			break;
	model_silence(r.model, spine);
	sweep(&r);
	assert_int_equal(ibc_fabric_count(r.seen).nodes, ibc_fabric_count(r.real).nodes - 1);
	assert_int_equal(gaps(r.seen), 12); /* a question a cable to it */
	rig_free(&r);
}

static void a_lid_two_devices_claim_starts_the_sweep_over_without_lids(void **state)
{
	struct rig r = rig(TWO_TIER);
	const struct ibc_node *a = some_node(r.real, IBC_NODE_SWITCH, NULL);
	const struct ibc_node *z = some_node(r.real, IBC_NODE_SWITCH, a);

	(void)state;
	real_port(&r, z->guid, 0)->lid = a->ports[0].lid;
	sweep(&r);
	assert_int_equal(r.rc, -EAGAIN);
	r.opts.directed_only = true;
	assert_sweeps_equal(&r);
}

static void two_hosts_of_one_guid_are_two_nodes(void **state)
{
	struct mkfab m = mkfab();
	struct rig r;

	(void)state;
	mk_switch(m, 1, "leaf", 4);
	mk_ca(m, 2, "host01 mlx5_0", 1);
	mk_ca(m, 3, "host02 mlx5_0", 1);
	mk_ca(m, 4, "host03 mlx5_0", 1);
	cable(m, 1, 1, 2, 1);
	cable(m, 1, 2, 3, 1);
	cable(m, 1, 3, 4, 1);
	r = rig_of(done(m));
	((struct ibc_node *)ibc_fabric_node_by_guid(r.real, 4))->guid = 3;
	sweep(&r);
	assert_int_equal(r.rc, 0);
	assert_int_equal(ibc_fabric_count(r.seen).nodes, 4);
	assert_int_equal(ibc_fabric_count(r.seen).cables, 3);
	assert_true(ibc_fabric_node_by_guid(r.seen, 3)->duplicate);
	rig_free(&r);
}

static void both_ports_of_an_adapter_belong_to_one_node(void **state)
{
	struct mkfab m = mkfab();
	struct rig r;

	(void)state;
	mk_switch(m, 0x10, "leaf", 4);
	mk_ca(m, 0x20, "host01 mlx4_0", 2);
	mk_ca(m, 0x30, "host02 mlx4_0", 1);
	cable(m, 0x10, 1, 0x20, 1);
	cable(m, 0x10, 2, 0x20, 2);
	cable(m, 0x10, 3, 0x30, 1);
	port(m, 0x20, 2)->lid = 0x21;
	r = rig_of(done(m));
	assert_sweeps_equal(&r);
}

/* The cable of the second is known after the port has told of itself, or before. */
static void both_ports_of_an_adapter_are_asked_for_counters(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *real;

	(void)state;
	mk_switch(m, 0x10, "leaf01", 4);
	mk_switch(m, 0x11, "leaf02", 4);
	mk_ca(m, 0x20, "host01 mlx4_0", 2);
	mk_ca(m, 0x30, "host02 mlx4_0", 1);
	cable(m, 0x10, 1, 0x20, 1);
	cable(m, 0x10, 2, 0x11, 2);
	cable(m, 0x11, 1, 0x20, 2);
	cable(m, 0x11, 3, 0x30, 1);
	port(m, 0x20, 2)->lid = 0x21;
	real = done(m);
	for (unsigned int i = 0; i < 6; i++) {
		struct rig r = rig_from(real,
		                        &ibc_fabric_node_by_guid(real, i % 3 == 2 ? 0x30 : 0x20)
		                             ->ports[i % 3 == 1 ? 2 : 1]);
		const struct ibc_node *host01;

		r.opts.needs = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS);
		r.opts.directed_only = i > 2;
		sweep(&r);
		assert_int_equal(r.rc, 0);
		host01 = ibc_fabric_node_by_guid(r.seen, 0x20);
		assert_non_null(host01->ports[1].counters);
		assert_non_null(host01->ports[2].counters);
		assert_ptr_equal(ibc_fabric_port_by_lid(host01->subnet, 0x21), &host01->ports[2]);
		assert_int_equal(gaps(r.seen), 0);
		ibc_fabric_free(r.seen);
		model_free(r.model);
	}
	ibc_fabric_free(real);
}

/* leaf01/3 had a link once, leaf01/4 never had one. */
static void ports_that_are_down_are_asked_for_counters_if_they_are_wanted(void **state)
{
	const struct ibc_port_id ids[] = { { 0x10, 3 }, { 0x10, 4 }, { 0x11, 1 } };
	const struct ibc_down wanted[] = { { .num_ports = 0 },
		                           { .ports = ids, .num_ports = 3 },
		                           { .ports = ids, .num_ports = 1 },
		                           { .ports = ids + 1, .num_ports = 2 },
		                           { .all = true },
		                           { .all = true, .alone = true } };
	static const bool read[] = { false, true, true, false, true, true };
	struct mkfab m = mkfab();
	struct ibc_fabric *real;

	(void)state;
	mk_switch(m, 0x10, "leaf01", 4);
	mk_ca(m, 0x20, "host01 mlx4_0", 1);
	cable(m, 0x10, 1, 0x20, 1);
	for (unsigned int num = 1; num <= 4; num++)
		mk_counters(m, port(m, 0x10, num));
	count(m, 0x10, 3, IBC_LINK_DOWNED, 5);
	real = done(m);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		struct source_again again = { .down = wanted[i] };
		struct rig r = rig_of(real);
		const struct ibc_node *leaf;

		r.opts.needs = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS);
		r.opts.again = &again;
		sweep(&r);
		assert_int_equal(r.rc, 0);
		leaf = ibc_fabric_node_by_guid(r.seen, 0x10);
		assert_int_equal(leaf->ports[1].counters != NULL, !wanted[i].alone);
		assert_int_equal(leaf->ports[3].counters != NULL, read[i]);
		assert_null(leaf->ports[4].counters);
		if (read[i])
			assert_int_equal(leaf->ports[3].counters->value[IBC_LINK_DOWNED], 5);
		assert_int_equal(gaps(r.seen), 0);
		ibc_fabric_free(r.seen);
		model_free(r.model);
	}
	ibc_fabric_free(real);
}

/*
 * An adapter with a port in each of two subnets, which use the same LIDs: host01 has that of
 * leaf01 in the second, host02 that of host01 in the first.
 */
static struct ibc_fabric *two_subnets(void)
{
	struct mkfab m = mkfab();

	mk_switch(m, 0x10, "leaf01", 4);
	mk_switch(m, 0x11, "leaf02", 4);
	mk_ca(m, 0x20, "host01 mlx4_0", 2);
	mk_ca(m, 0x30, "host02 mlx4_0", 1);
	mk_ca(m, 0x40, "host03 mlx4_0", 1);
	cable(m, 0x10, 1, 0x20, 1);
	cable(m, 0x10, 2, 0x30, 1);
	cable(m, 0x11, 1, 0x20, 2);
	cable(m, 0x11, 2, 0x40, 1);
	port(m, 0x20, 2)->lid = 0x30;
	port(m, 0x40, 1)->lid = 0x20;
	port(m, 0x11, 0)->lid = 0x10;
	return done(m);
}

/* One of the subnets, into a subnet of its own. */
static void sweep_from(struct fabric_build *b, const struct ibc_fabric *real, uint64_t guid,
                       unsigned int num, bool directed_only)
{
	const struct ibc_node *node = ibc_fabric_node_by_guid(real, guid);
	struct transport_port from = { .ca = "sim0", .port = num };
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;
	struct line_opts line_opts = { .rtt_ns = RTT_NS };
	struct model *model = model_new(real, &node->ports[num]);
	struct line *line = line_new(&line_opts, model_answer, model);

	opts.needs = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS);
	opts.directed_only = directed_only;
	assert_int_equal(discover_subnet(line_transport(line), &from, "umad", &opts, b, NULL), 0);
	line_free(line);
	model_free(model);
}

/* Its ports with a cable are found by their LIDs, and were asked for their counters. */
static void assert_owns(const struct ibc_subnet *subnet, unsigned int lid, uint64_t guid,
                        unsigned int num)
{
	const struct ibc_port *p = ibc_fabric_port_by_lid(subnet, lid);

	assert_non_null(p);
	assert_int_equal(p->node->guid, guid);
	assert_int_equal(p->num, num);
	assert_true(num == 0 || p->counters);
}

static void assert_first_subnet(const struct ibc_fabric *seen)
{
	const struct ibc_subnet *subnet = ibc_fabric_subnet(seen, 0);
	const struct ibc_node *host01 = ibc_fabric_node_by_guid(seen, 0x20);

	assert_owns(subnet, 0x10, 0x10, 0);
	assert_owns(subnet, 0x20, 0x20, 1);
	assert_owns(subnet, 0x30, 0x30, 1);
	assert_true(ibc_port_has(&host01->ports[2], IBC_ATTR_PORT_INFO));
	assert_true(ibc_port_is_here(&host01->ports[1]));
	assert_false(ibc_port_is_here(&host01->ports[2]));
	for (enum ibc_attr a = 0; (a = ibc_attrs_next(attrs_where(ATTR_CLASS, ATTR_PMA), a));)
		assert_int_equal(ibc_port_answer(&host01->ports[2], a), IBC_NOT_ASKED);
	assert_int_equal(gaps(seen), 0);
}

static void a_port_in_another_subnet_has_no_lid_in_this_one(void **state)
{
	struct ibc_fabric *real = two_subnets(), *seen;
	struct fabric_build *b;

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		assert_int_equal(fabric_build_new(&b, NULL), 0);
		sweep_from(b, real, i & 1 ? 0x20 : 0x30, 1, i & 2);
		assert_int_equal(fabric_build_finish(b, &seen, NULL), 0);
		assert_first_subnet(seen);
		ibc_fabric_free(seen);
	}
	ibc_fabric_free(real);
}

static void an_adapter_in_two_subnets_has_in_each_the_lid_of_that_port(void **state)
{
	struct ibc_fabric *real = two_subnets(), *seen;
	struct fabric_build *b;

	(void)state;
	assert_int_equal(fabric_build_new(&b, NULL), 0);
	sweep_from(b, real, 0x20, 1, false);
	sweep_from(b, real, 0x20, 2, false);
	assert_int_equal(fabric_build_finish(b, &seen, NULL), 0);
	assert_first_subnet(seen);
	assert_owns(ibc_fabric_subnet(seen, 1), 0x10, 0x11, 0);
	assert_owns(ibc_fabric_subnet(seen, 1), 0x20, 0x40, 1);
	assert_owns(ibc_fabric_subnet(seen, 1), 0x30, 0x20, 2);
	ibc_fabric_free(seen);
	ibc_fabric_free(real);
}

static void a_cable_between_two_ports_of_a_switch_is_seen(void **state)
{
	struct mkfab m = mkfab();
	struct rig r;

	(void)state;
	mk_switch(m, 1, "leaf", 4);
	mk_ca(m, 2, "host01 mlx5_0", 1);
	cable(m, 1, 1, 2, 1);
	cable(m, 1, 3, 1, 4);
	r = rig_of(done(m));
	assert_sweeps_equal(&r);
}

static void a_local_port_without_a_link_is_all_there_is(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *real;
	struct rig r;

	(void)state;
	mk_ca(m, 2, "host01 mlx5_0", 1);
	real = done(m);
	r = rig_from(real, &ibc_fabric_node(real, 0)->ports[1]);
	sweep(&r);
	assert_int_equal(r.rc, 0);
	assert_int_equal(ibc_fabric_count(r.seen).nodes, 1);
	rig_free(&r);
}

static void a_local_port_that_does_not_answer_is_an_error(void **state)
{
	struct rig r = rig(TWO_TIER);

	(void)state;
	model_silence(r.model, model_from(r.model)->node);
	sweep(&r);
	assert_int_equal(r.rc, -ETIMEDOUT);
	assert_non_null(strstr(r.err.text, "sim0 port 1"));
	rig_free(&r);
}

static void the_deadline_leaves_what_is_known_and_counts_the_rest(void **state)
{
	struct rig r = rig(TWO_TIER);
	const struct ibc_subnet *subnet;

	(void)state;
	r.opts.deadline_seconds = 6 * RTT_NS / 1e9;
	sweep(&r);
	assert_int_equal(r.rc, 0);
	subnet = ibc_fabric_subnet(r.seen, 0);
	assert_true(subnet->cut_short);
	assert_true(subnet->not_asked > 0);
	assert_true(ibc_fabric_count(r.seen).nodes < ibc_fabric_count(r.real).nodes);
	rig_free(&r);
}

static void say_nonsense(uint8_t mad[MAD_SIZE])
{
	memset(mad + 64, 0xff, 64);
}

static void answers_that_make_no_sense_are_gaps(void **state)
{
	struct rig r = rig(TWO_TIER);

	(void)state;
	r.line.mangle = say_nonsense;
	r.line.mangle_every = 5;
	sweep(&r);
	assert_int_equal(r.rc, 0);
	assert_true(gaps(r.seen) > 0);
	rig_free(&r);
}

static void fdr10_is_told_from_qdr(void **state)
{
	struct mkfab m = mkfab();
	struct rig r;

	(void)state;
	mk_switch(m, 1, "leaf", 4)->device_id = 0xc738;
	mk_ca(m, 2, "host01 mlx4_0", 1)->device_id = 0x1003;
	cable(m, 1, 1, 2, 1);
	for (unsigned int guid = 1; guid <= 2; guid++) {
		port(m, guid, 1)->speed_active = IBC_SPEED_FDR10;
		answers_put(port(m, guid, 1), IBC_ATTR_MLNX_EXT_PORT_INFO, ANSWER_OK);
	}
	r = rig_of(done(m));
	assert_sweeps_equal(&r);
}

static void running_out_of_memory_is_an_error_and_leaks_nothing(void **state)
{
	struct rig r = rig("synth:fattree:leaves=2,spines=1,hosts=1");

	(void)state;
	sweep_short_of_memory(&r);
	rig_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sweep_sees_the_fabric_as_it_is),
		cmocka_unit_test(a_sweep_sees_three_levels_and_two_rails),
		cmocka_unit_test(without_a_subnet_manager_all_is_seen_by_directed_routes),
		cmocka_unit_test(a_fabric_that_refuses_combined_routes_costs_one_retry),
		cmocka_unit_test(who_knows_extended_speeds_is_shown_them),
		cmocka_unit_test(who_refuses_has_shown_all_and_who_is_silent_has_an_unknown_speed),
		cmocka_unit_test(a_sweep_starts_at_a_switch_as_well),
		cmocka_unit_test(every_cable_is_asked_from_one_side_only),
		cmocka_unit_test(loss_leaves_no_gap),
		cmocka_unit_test(a_silent_host_stays_known_to_its_neighbour),
		cmocka_unit_test(eight_silent_hosts_cost_one_ladder),
		cmocka_unit_test(a_silent_spine_hides_only_itself),
		cmocka_unit_test(a_lid_two_devices_claim_starts_the_sweep_over_without_lids),
		cmocka_unit_test(two_hosts_of_one_guid_are_two_nodes),
		cmocka_unit_test(both_ports_of_an_adapter_belong_to_one_node),
		cmocka_unit_test(both_ports_of_an_adapter_are_asked_for_counters),
		cmocka_unit_test(ports_that_are_down_are_asked_for_counters_if_they_are_wanted),
		cmocka_unit_test(a_port_in_another_subnet_has_no_lid_in_this_one),
		cmocka_unit_test(an_adapter_in_two_subnets_has_in_each_the_lid_of_that_port),
		cmocka_unit_test(a_cable_between_two_ports_of_a_switch_is_seen),
		cmocka_unit_test(a_local_port_without_a_link_is_all_there_is),
		cmocka_unit_test(a_local_port_that_does_not_answer_is_an_error),
		cmocka_unit_test(the_deadline_leaves_what_is_known_and_counts_the_rest),
		cmocka_unit_test(answers_that_make_no_sense_are_gaps),
		cmocka_unit_test(fdr10_is_told_from_qdr),
		cmocka_unit_test(running_out_of_memory_is_an_error_and_leaks_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
