/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the choices of adaptive routing lead: what is found, and what is not. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/routes/routes.h"
#include "base/arena.h"
#include "findings.h"
#include "mkclos.h"

#include "mkadaptive.h"

static const struct clos small = { .leaves = 3, .spines = 2, .hosts = 2, .cables = 1 };

struct made {
	struct mkfab m;
	struct fabric_forwarding *f;
};

static struct made made(const struct clos *c)
{
	struct made made = { .m = mkfab() };

	mk_clos(made.m, c);
	made.f = mk_d_mod_k(made.m, c);
	mk_adaptive(made.m, made.f);
	return made;
}

static struct ibc_report *report_of_choices(struct mkfab m)
{
	struct routed r = routed(m, 1);
	struct ibc_input in = { .fabric = r.fab, .routes = r.routes };
	struct ibc_report *rep;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, "ar.dead-way,ar.loop", rep, NULL), 0);
	free_routed(r);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	return rep;
}

static void expect_choices(struct mkfab m, const char *lines)
{
	expect_of(report_of_choices(m), lines);
}

/* Among others. */
static void expect_in(struct mkfab m, const char *line)
{
	struct ibc_report *rep = report_of_choices(m);
	char *text = findings_text(rep);

	if (!strstr(text, line))
		fail_msg("%s", text);
	free(text);
	ibc_report_free(rep);
}

/* The group by which a switch sends to the hosts of a leaf: called by the column of that. */
static struct ibc_port_set *group_to(struct made *made, uint64_t guid, unsigned int leaf)
{
	return mk_group(made->m, made->f, guid, (unsigned int)mk_column(made->f, clos_leaf(leaf)));
}

static void add_port(struct ibc_port_set *set, unsigned int port)
{
	set->words[port / 64] |= 1ull << port % 64;
}

static void drop_port(struct ibc_port_set *set, unsigned int port)
{
	set->words[port / 64] &= ~(1ull << port % 64);
}

/* ---- what is well ----------------------------------------------------------------------- */

static void nothing_is_said_where_all_choices_arrive(void **state)
{
	struct made made_up = made(&small);
	struct routed r = routed(made_up.m, 1);
	const struct ibc_ar_sums *sums = ibc_routes_ar_sums(r.routes, 0);

	(void)state;
	assert_true(sums->followed && sums->rings_followed);
	assert_int_equal(sums->switches, 5);
	assert_int_equal(sums->pairs, 30);
	assert_int_equal(sums->arrive, 30);
	assert_null(ibc_routes_ar_sums(r.routes, 1));
	assert_null(ibc_routes_ar_dead_end(r.routes, 0));
	assert_null(ibc_routes_ar_loop(r.routes, 0));
	assert_null(ibc_routes_credit_loop(r.routes, 0));
	free_routed(r);
	expect_choices(made(&small).m, "");
}

static void without_adaptive_tables_there_is_nothing(void **state)
{
	struct mkfab m = mkfab();
	struct routed r;

	(void)state;
	mk_clos(m, &small);
	mk_d_mod_k(m, &small);
	r = routed(m, 1);
	assert_null(ibc_routes_ar_sums(r.routes, 0));
	free_routed(r);
}

/* Where nobody was asked; who told that it is off is believed. */
static void tables_with_groups_prove_that_it_is_on(void **state)
{
	static const struct ibc_ar_info off = { .group_cap = 4 };
	struct ibc_fabric *fab = done(made(&small).m);
	struct made made_up = made(&small);
	struct mkfab m = mkfab();

	(void)state;
	assert_int_equal(ibc_fabric_subnet(fab, 0)->static_traffic, IBC_TRAFFIC_UD);
	ibc_fabric_free(fab);
	for (size_t i = 0; i < made_up.f->tables.num_switches; i++) {
		struct ibc_node *node = (struct ibc_node *)made_up.f->tables.switches[i];

		node->ar = &off;
		answers_put(node, IBC_ATTR_AR_INFO, ANSWER_OK);
	}
	fab = done(made_up.m);
	assert_int_equal(ibc_fabric_subnet(fab, 0)->static_traffic, IBC_TRAFFIC_ALL);
	ibc_fabric_free(fab);
	mk_clos(m, &small);
	mk_static_blocks(m, mk_d_mod_k(m, &small));
	fab = done(m);
	assert_int_equal(ibc_fabric_subnet(fab, 0)->static_traffic, IBC_TRAFFIC_UNKNOWN);
	ibc_fabric_free(fab);
}

/* ---- what is lost ----------------------------------------------------------------------- */

static void a_choice_without_an_entry_beyond_is_a_dead_way(void **state)
{
	struct made made_up = made(&small);

	(void)state;
	/* spine 0 has no entry for the first host of leaf 0, which nobody's static port needs */
	*mk_entry(made_up.f, clos_spine(0), 101) = IBC_NO_ENTRY;
	mk_ar_entry(made_up.m, made_up.f, clos_spine(0), 101, IBC_AR_ENTRY_STATIC, 0);
	for (unsigned int l = 1; l < 3; l++)
		*mk_entry(made_up.f, clos_leaf(l), 101) = (uint8_t)clos_up(&small, 1, 0);
	expect_choices(made_up.m,
	               "critical spine01: has no entry for LID 101; adaptive routing can "
	               "choose that route (leaf02/3): 4 pairs of hosts lose packets at times\n");
}

static void a_member_that_leads_to_a_host_is_a_dead_way(void **state)
{
	struct made made_up = made(&small);

	(void)state;
	add_port(group_to(&made_up, clos_leaf(1), 0), 1);
	add_port(group_to(&made_up, clos_leaf(1), 0), 9);
	expect_choices(
	    made_up.m,
	    "critical leaf02: sends 2 LIDs of hosts out of port 9, which it does not "
	    "have; adaptive routing can choose that route (leaf02/9): 4 pairs of hosts lose "
	    "packets "
	    "at times\n"
	    "critical leaf02: sends 2 LIDs of hosts to host03 mlx5_0/1, which is not the "
	    "destination; adaptive routing can choose that route (leaf02/1): 4 pairs of hosts lose "
	    "packets at times\n");
}

static void a_choice_whose_only_port_is_down_is_a_dead_way(void **state)
{
	struct made made_up = made(&small);
	struct ibc_port *down = port(made_up.m, clos_spine(0), 1);

	(void)state;
	answers_put(down, IBC_ATTR_PORT_INFO, ANSWER_OK);
	down->state = IBC_STATE_INIT;
	expect_choices(made_up.m,
	               "critical spine01: sends 2 LIDs of hosts out of port 1 alone, which has no "
	               "link; adaptive routing can choose that route (leaf02/3): 8 pairs of hosts "
	               "lose packets "
	               "at times\n");
}

/* Each dead end has the pairs that can come there, and a witness among them. */
static void of_two_dead_ends_each_has_its_own_pairs(void **state)
{
	struct made made_up = made(&small);
	const struct ibc_ar_dead_end *d;
	struct routed r;

	(void)state;
	add_port(group_to(&made_up, clos_leaf(1), 0), 1);
	add_port(group_to(&made_up, clos_leaf(2), 0), 2);
	r = routed(made_up.m, 1);
	for (size_t i = 0; i < 2; i++) {
		d = ibc_routes_ar_dead_end(r.routes, i);
		assert_non_null(d);
		assert_int_equal(d->at->guid, clos_leaf(1 + (unsigned int)i));
		assert_int_equal(d->pairs, 4);
		assert_int_equal(d->src->peer->node->guid, d->at->guid);
	}
	assert_null(ibc_routes_ar_dead_end(r.routes, 2));
	free_routed(r);
}

/* What is lost in a loop does not come to the dead end, nor the other way round. */
static void of_a_loop_and_a_dead_end_each_has_its_own_pairs(void **state)
{
	struct made made_up = made(&small);
	struct routed r;

	(void)state;
	add_port(group_to(&made_up, clos_leaf(1), 0), 1);
	drop_port(group_to(&made_up, clos_leaf(1), 0), 4);
	for (unsigned int lid = 101; lid < 103; lid++)
		*mk_entry(made_up.f, clos_leaf(1), lid) = 3;
	add_port(group_to(&made_up, clos_spine(1), 0), 3);
	r = routed(made_up.m, 1);
	assert_int_equal(ibc_routes_ar_dead_end(r.routes, 0)->pairs, 4);
	assert_int_equal(ibc_routes_ar_loop(r.routes, 0)->pairs, 4);
	free_routed(r);
}

static void dead_ends_put_together_are_counted_as_such(void **state)
{
	const struct ibc_check *check;
	size_t i = 0;

	(void)state;
	while ((check = ibc_check_at(i)) && strcmp(check->id, "ar.dead-way") != 0)
		i++;
	assert_non_null(check);
	assert_string_equal(check->many,
	                    "dead ends|lose packets that adaptive routing sends there");
}

static void choices_that_lead_back_are_a_loop(void **state)
{
	struct made made_up = made(&small);
	struct routed r;
	const struct ibc_ar_loop *loop;

	(void)state;
	add_port(group_to(&made_up, clos_spine(1), 0), 2);
	r = routed(made_up.m, 1);
	loop = ibc_routes_ar_loop(r.routes, 0);
	assert_non_null(loop);
	assert_int_equal(loop->num, 2);
	assert_int_equal(loop->switches, 2);
	assert_int_equal(ibc_routes_ar_sums(r.routes, 0)->some, 8);
	assert_null(ibc_routes_ar_loop(r.routes, 1));
	free_routed(r);
	made_up = made(&small);
	add_port(group_to(&made_up, clos_spine(1), 0), 2);
	expect_choices(made_up.m,
	               "critical leaf02/4: is in a ring by which adaptive "
	               "routing can send packets for 2 LIDs of hosts round: leaf02/4 > spine02/2 > "
	               "back; 8 pairs of hosts can lose packets\n");
}

/* Nobody's static route takes it, and none of its switches chooses. */
static void a_choice_that_enters_a_static_ring_is_a_loop(void **state)
{
	struct made made_up = made(&small);

	(void)state;
	*mk_entry(made_up.f, clos_spine(0), 101) = 3;
	mk_ar_entry(made_up.m, made_up.f, clos_spine(0), 101, IBC_AR_ENTRY_STATIC, 0);
	*mk_entry(made_up.f, clos_leaf(2), 101) = 3;
	mk_ar_entry(made_up.m, made_up.f, clos_leaf(2), 101, IBC_AR_ENTRY_STATIC, 0);
	*mk_entry(made_up.f, clos_leaf(1), 101) = 4;
	expect_in(made_up.m,
	          "critical leaf03/3: is in a ring by which adaptive routing can send packets for "
	          "LID 101 round: leaf03/3 > spine01/3 > back; ");
}

/* A port that is down is passed over where the switch has another, though that one ends too. */
static void the_end_is_where_the_hardware_sends(void **state)
{
	struct made made_up = made(&small);
	struct ibc_port *down = port(made_up.m, clos_spine(0), 2);

	(void)state;
	answers_put(down, IBC_ATTR_PORT_INFO, ANSWER_OK);
	down->state = IBC_STATE_INIT;
	*mk_entry(made_up.f, clos_spine(0), 101) = 2;
	drop_port(group_to(&made_up, clos_spine(0), 0), 1);
	add_port(group_to(&made_up, clos_spine(0), 0), 9);
	*mk_entry(made_up.f, clos_leaf(2), 101) = 4;
	expect_in(made_up.m, "critical spine01: sends 2 LIDs of hosts out of port 9, which it does "
	                     "not have; adaptive routing can choose that route (leaf03/3)");
}

/* It needs the port that is down: nothing goes round. */
static void a_ring_over_a_port_without_a_link_is_none(void **state)
{
	struct made made_up = made(&small);
	struct ibc_port *down = port(made_up.m, clos_spine(1), 2);
	struct ibc_report *rep;
	char *text;

	(void)state;
	add_port(group_to(&made_up, clos_spine(1), 0), 2);
	answers_put(down, IBC_ATTR_PORT_INFO, ANSWER_OK);
	down->state = IBC_STATE_INIT;
	text = findings_text(rep = report_of_choices(made_up.m));
	assert_null(strstr(text, "ring"));
	free(text);
	ibc_report_free(rep);
}

/* ---- what is not known ---------------------------------------------------------------------- */

static void private_tables_are_not_followed(void **state)
{
	struct made made_up = made(&small);

	(void)state;
	*mk_entry(made_up.f, clos_spine(0), 101) = IBC_NO_ENTRY;
	assert_true(fabric_ar_private(made_up.m.b, made_up.f, mk_column(made_up.f, clos_leaf(1))));
	expect_choices(made_up.m, "unknown fabric: 1 switch has private LFTs (pLFT): "
	                          "the routes of adaptive routing were not followed\n");
}

static void a_table_that_was_not_read_is_unknown(void **state)
{
	struct made made_up = made(&small);
	size_t column = mk_column(made_up.f, clos_spine(0));

	(void)state;
	for (unsigned int lid = 0; lid < CLOS_LIDS; lid += IBC_LFT_BLOCK) {
		mk_unread(made_up.f, clos_spine(0), lid);
		((const uint16_t **)made_up.f->tables.ar
		     ->blocks)[lid / IBC_LFT_BLOCK * made_up.f->tables.stride + column] = NULL;
	}
	expect_choices(made_up.m, "unknown fabric: 24 pairs of hosts can be routed adaptively over "
	                          "a switch whose tables are not known\n");
}

/* As a snapshot is that has lost them; the static ports alone arrive. */
static void a_group_that_was_not_told_is_unknown(void **state)
{
	struct made made_up = made(&small);

	(void)state;
	((struct ibc_ar_switch *)made_up.f->tables.ar->switches)[mk_column(made_up.f, clos_leaf(1))]
	    .num_groups = 0;
	expect_choices(made_up.m, "unknown fabric: 8 pairs of hosts can be routed adaptively over "
	                          "a switch whose tables are not known\n");
	made_up = made(&small);
	((const struct ibc_port_set **)made_up.f->tables.ar
	     ->switches[mk_column(made_up.f, clos_leaf(1))]
	     .groups)[mk_column(made_up.f, clos_leaf(0))] = NULL;
	expect_choices(made_up.m, "unknown fabric: 4 pairs of hosts can be routed adaptively over "
	                          "a switch whose tables are not known\n");
}

/* ---- where it is off ------------------------------------------------------------------------- */

static void a_switch_that_has_it_off_keeps_to_its_static_ports(void **state)
{
	static const struct ibc_ar_info off = { .group_cap = 4 };
	struct made made_up = made(&small);

	(void)state;
	add_port(group_to(&made_up, clos_spine(1), 0), 2);
	((struct ibc_node *)made_up.f->tables.switches[mk_column(made_up.f, clos_spine(1))])->ar =
	    &off;
	expect_choices(made_up.m, "");
}

/* ---- rings of buffers ------------------------------------------------------------------------ */

/* struct net - switches with cables from the next free port on, and one host each, or none */
struct net {
	struct mkfab m;
	unsigned int switches, next[400];
	uint64_t random;
	unsigned int cables, cut;
};

static struct net net_of(unsigned int switches, unsigned int hosts, unsigned int cut)
{
	struct net net = { .m = mkfab(), .switches = switches, .random = 7, .cut = cut };
	char name[24];

	for (unsigned int i = 0; i < switches; i++) {
		snprintf(name, sizeof(name), "sw%u", i);
		mk_switch(net.m, 1 + i, name, 40);
		net.next[i] = 2;
	}
	for (unsigned int i = 0; i < hosts; i++) {
		snprintf(name, sizeof(name), "h%u mlx5_0", i);
		mk_ca(net.m, 1001 + i, name, 1);
		cable(net.m, 1 + i, 1, 1001 + i, 1);
	}
	return net;
}

/* One of so many is left out. */
static void join(struct net *net, unsigned int a, unsigned int z)
{
	if (net->cut && net->cables++ % net->cut == net->cut / 2)
		return;
	cable(net->m, 1 + a, net->next[a]++, 1 + z, net->next[z]++);
}

static struct net two_levels(unsigned int cut)
{
	struct net net = net_of(36 + 18, 36, cut);

	for (unsigned int l = 0; l < 36; l++)
		for (unsigned int s = 0; s < 18; s++)
			join(&net, l, 36 + s);
	return net;
}

/* 6 pods of 8 leaves and 4 switches above them, 4 x 4 on top. */
static struct net three_levels(unsigned int cut)
{
	struct net net = net_of(48 + 24 + 16, 48, cut);

	for (unsigned int pod = 0; pod < 6; pod++)
		for (unsigned int mid = 0; mid < 4; mid++) {
			for (unsigned int l = 0; l < 8; l++)
				join(&net, pod * 8 + l, 48 + pod * 4 + mid);
			for (unsigned int top = 0; top < 4; top++)
				join(&net, 48 + pod * 4 + mid, 72 + mid * 4 + top);
		}
	return net;
}

/* 9 groups of 8 leaves and 8 spines, each spine with a cable to every other group. */
static struct net dragonfly_plus(unsigned int cut)
{
	struct net net = net_of(72 + 72, 72, cut);

	for (unsigned int g = 0; g < 9; g++)
		for (unsigned int s = 0; s < 8; s++) {
			for (unsigned int l = 0; l < 8; l++)
				join(&net, g * 8 + l, 72 + g * 8 + s);
			for (unsigned int to = g + 1; to < 9; to++)
				join(&net, 72 + g * 8 + s, 72 + to * 8 + s);
		}
	return net;
}

static struct net torus(unsigned int cut)
{
	struct net net = net_of(25, 25, cut);

	for (unsigned int i = 0; i < 25; i++) {
		join(&net, i, i / 5 * 5 + (i + 1) % 5);
		join(&net, i, (i + 5) % 25);
	}
	return net;
}

static struct net hyperx(unsigned int cut)
{
	struct net net = net_of(16, 16, cut);

	for (unsigned int i = 0; i < 16; i++)
		for (unsigned int k = i + 1; k < 16; k++)
			if (i / 4 == k / 4 || i % 4 == k % 4)
				join(&net, i, k);
	return net;
}

/* 9 groups of 4, joined among themselves, each switch with two cables to other groups. */
static struct net dragonfly(unsigned int cut)
{
	struct net net = net_of(36, 36, cut);

	for (unsigned int i = 0; i < 36; i++)
		for (unsigned int k = i + 1; k < i / 4 * 4 + 4; k++)
			join(&net, i, k);
	for (unsigned int g = 0; g < 9; g++)
		for (unsigned int to = g + 1; to < 9; to++)
			join(&net, g * 4 + (to - g - 1) / 2, to * 4 + (8 - (to - g)) / 2);
	return net;
}

/* Sets of rings that hosts make. */
static size_t rings_of(struct net net)
{
	struct fabric_forwarding *f = mk_tables(net.m, 1001 + 80);
	const struct ibc_credit_loop *loop;
	struct routed r;
	size_t n = 0;

	mk_min_hop(net.m, f);
	mk_adaptive(net.m, f);
	r = routed(net.m, 1);
	assert_true(ibc_routes_ar_sums(r.routes, 0)->rings_followed);
	for (size_t i = 0; (loop = ibc_routes_credit_loop(r.routes, i)); i++) {
		if (loop->cause == IBC_LOOP_SWITCH_PORTS)
			continue;
		n++;
		for (size_t k = 0; k < loop->num_hops; k++)
			assert_true(loop->hops[k].src && loop->hops[k].dst);
	}
	assert_null(ibc_routes_ar_loop(r.routes, 0));
	assert_null(ibc_routes_ar_dead_end(r.routes, 0));
	free_routed(r);
	return n;
}

static void trees_have_no_rings_whatever_is_cut(void **state)
{
	(void)state;
	for (unsigned int cut = 0; cut < 700; cut = cut ? cut * 5 : 20) {
		assert_int_equal(rings_of(two_levels(cut)), 0);
		assert_int_equal(rings_of(three_levels(cut)), 0);
		assert_int_equal(rings_of(dragonfly_plus(cut)), 0);
	}
}

static void what_is_no_tree_has_rings_on_one_lane(void **state)
{
	(void)state;
	for (unsigned int cut = 0; cut < 100; cut += 17) {
		assert_int_equal(rings_of(torus(cut)), 1);
		assert_int_equal(rings_of(hyperx(cut)), 1);
		assert_int_equal(rings_of(dragonfly(cut)), 1);
	}
}

/* ---- against a plain reckoning -------------------------------------------------------------- */

/* struct plain - reach[i][k]: packets at switch i can get to k; by column */
struct plain {
	const struct ibc_forwarding *f;
	unsigned int lid;
	const struct ibc_port *dst;
	bool reach[16][16];
};

static bool can_choose(const struct plain *p, size_t s, unsigned int num)
{
	unsigned int entry = p->f->ar->blocks[p->lid / 64 * p->f->stride + s][p->lid % 64];
	const struct ibc_ar_switch *sw = &p->f->ar->switches[s];
	unsigned int group = entry & 0x3fff;

	if (p->f->out[p->lid * p->f->stride + s] == num)
		return num != IBC_NO_ENTRY;
	return entry >> IBC_AR_ENTRY_SHIFT != IBC_AR_ENTRY_STATIC && group < sw->num_groups &&
	       sw->groups[group] && sw->groups[group]->words[0] >> num & 1;
}

static size_t next_of(const struct plain *p, size_t s, unsigned int num)
{
	const struct ibc_port *out = ibc_node_port(p->f->switches[s], num);

	if (!num || !out || !out->peer || out->peer->node->type != IBC_NODE_SWITCH)
		return SIZE_MAX;
	return fabric_column(p->f->switches, p->f->num_switches, out->peer->node);
}

static void find_reach(struct plain *p)
{
	size_t n = p->f->num_switches;

	memset(p->reach, 0, sizeof(p->reach));
	for (size_t s = 0; s < n; s++)
		for (unsigned int num = 0; num < 12; num++)
			if (can_choose(p, s, num) && next_of(p, s, num) != SIZE_MAX)
				p->reach[s][next_of(p, s, num)] = true;
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < n; j++)
				p->reach[i][j] |= p->reach[i][k] && p->reach[k][j];
}

/* Does anything that a switch does itself end: true; does it arrive: *arrives. */
static bool ends_here(const struct plain *p, size_t s, bool *arrives)
{
	bool any = false, dead = false;

	for (unsigned int num = 0; num < 12; num++) {
		const struct ibc_port *out = ibc_node_port(p->f->switches[s], num);

		if (!can_choose(p, s, num))
			continue;
		if (out && num && !out->peer)
			continue; /* passed over */
		any = true;
		if (out && out->peer == p->dst)
			*arrives = true;
		else if (next_of(p, s, num) == SIZE_MAX)
			dead = true;
	}
	return dead || !any;
}

static enum fate_sum { ARRIVE, SOME, NONE } fate_of(const struct plain *p, size_t s)
{
	bool arrives = false, fails = false;

	for (size_t k = 0; k < p->f->num_switches; k++) {
		if (k != s && !p->reach[s][k])
			continue;
		fails |= ends_here(p, k, &arrives);
		fails |= p->reach[k][k];
	}
	return !arrives ? NONE : fails ? SOME : ARRIVE;
}

static void expect_sums(const struct ibc_fabric *fab, const struct ibc_ar_sums *sums)
{
	struct plain p = { .f = ibc_fabric_subnet(fab, 0)->forwarding };
	uint64_t n[3] = { 0 };

	for (unsigned int k = 0; k < 12; k++) {
		p.lid = 101 + k;
		p.dst = &ibc_fabric_node_by_guid(fab, 101 + k)->ports[1];
		find_reach(&p);
		for (unsigned int i = 0; i < 12; i++) {
			const struct ibc_node *src = ibc_fabric_node_by_guid(fab, 101 + i);

			if (i == k)
				continue;
			n[fate_of(&p, fabric_column(p.f->switches, p.f->num_switches,
			                            src->ports[1].peer->node))]++;
		}
	}
	assert_int_equal(sums->pairs, 12 * 11);
	assert_int_equal(sums->arrive, n[ARRIVE]);
	assert_int_equal(sums->some, n[SOME]);
	assert_int_equal(sums->none, n[NONE]);
}

/* What is lost at times has its place. */
static void expect_places(const struct ibc_routes *routes)
{
	assert_true(!ibc_routes_ar_sums(routes, 0)->some || ibc_routes_ar_dead_end(routes, 0) ||
	            ibc_routes_ar_loop(routes, 0));
}

static void random_choices_are_followed_as_by_hand(void **state)
{
	static const struct clos c = { .leaves = 6, .spines = 4, .hosts = 2, .cables = 1 };

	(void)state;
	for (uint64_t seed = 1; seed < 300; seed++) {
		struct made made_up = made(&c);
		uint64_t random = seed << 20;
		struct routed r;

		mk_nonsense(made_up.f, draw(&random, 6), &random);
		for (unsigned int i = draw(&random, 4); i > 0; i--)
			mk_group(made_up.m, made_up.f, clos_leaf(draw(&random, 5)), 5)->words[0] ^=
			    1ull << (1 + draw(&random, 9));
		for (unsigned int i = draw(&random, 4); i > 0; i--)
			mk_ar_entry(made_up.m, made_up.f, clos_spine(draw(&random, 4)),
			            101 + draw(&random, 12),
			            draw(&random, 2) ? IBC_AR_ENTRY_FREE : IBC_AR_ENTRY_STATIC,
			            draw(&random, 6));
		r = routed(made_up.m, 1 + seed % 3);
		expect_sums(r.fab, ibc_routes_ar_sums(r.routes, 0));
		expect_places(r.routes);
		free_routed(r);
	}
}

/* ---- groups of one ----------------------------------------------------------------------------
 */

/* Every LID has a group of its static port alone. */
static void mk_single(struct mkfab m, struct fabric_forwarding *f)
{
	mk_static_blocks(m, f);
	for (size_t s = 0; s < f->tables.num_switches; s++) {
		for (unsigned int lid = 1; lid < f->tables.num_lids; lid++) {
			unsigned int out = f->out[lid * f->tables.stride + s];
			struct ibc_port_set set = { { 0 } };

			if (out == IBC_NO_ENTRY || !out)
				continue;
			add_port(&set, out);
			assert_true(fabric_ar_group(m.b, f, s, out, &set));
			mk_ar_entry(m, f, f->tables.switches[s]->guid, lid, IBC_AR_ENTRY_FREE, out);
		}
	}
}

static void expect_equal(const struct ibc_routes *a, const struct ibc_routes *z)
{
	const struct ibc_route_sums *x = ibc_routes_sums(a, 0), *y = ibc_routes_sums(z, 0);
	const struct ibc_ar_sums *ar = ibc_routes_ar_sums(z, 0);
	const struct ibc_credit_loop *loop;

	assert_int_equal(x->routed, y->routed);
	assert_int_equal(x->broken, y->broken);
	assert_int_equal(ar->arrive, y->routed);
	assert_int_equal(ar->none, y->broken);
	assert_int_equal(ar->some, 0);
	assert_null(ibc_routes_ar_dead_end(z, 0));
	assert_null(ibc_routes_ar_loop(z, 0));
	for (size_t i = 0; (loop = ibc_routes_credit_loop(a, i)); i++) {
		const struct ibc_credit_loop *other = ibc_routes_credit_loop(z, i);

		assert_non_null(other);
		assert_int_equal(loop->cause, other->cause);
		assert_int_equal(loop->num_hops, other->num_hops);
		assert_int_equal(loop->channels, other->channels);
	}
	assert_null(ibc_routes_credit_loop(z, x->credit_loops + 20));
}

static void groups_of_one_do_what_static_tables_do(void **state)
{
	static const struct clos c = { .leaves = 6, .spines = 4, .hosts = 2, .cables = 1 };

	(void)state;
	for (uint64_t seed = 1; seed < 100; seed++) {
		struct routed r[2];

		for (int i = 0; i < 2; i++) {
			struct mkfab m = mkfab();
			struct fabric_forwarding *f;
			uint64_t random = seed << 20;

			mk_clos(m, &c);
			f = mk_d_mod_k(m, &c);
			mk_nonsense(f, draw(&random, 30), &random);
			if (i)
				mk_single(m, f);
			r[i] = routed(m, 1);
		}
		expect_equal(r[0].routes, r[1].routes);
		free_routed(r[0]);
		free_routed(r[1]);
	}
}

/* ---- one path, one port -----------------------------------------------------------------------
 */

static void all_ways_of_a_pair_have_their_shares(void **state)
{
	struct ibc_fabric *fab = done(made(&small).m);
	const struct ibc_node *src = ibc_fabric_node_by_guid(fab, 101);
	struct ibc_ar_hop *hops;
	size_t n;

	(void)state;
	assert_int_equal(ibc_ar_path(&src->ports[1], 105, &hops, &n, NULL), 0);
	assert_int_equal(n, 5);
	assert_int_equal(hops[0].out->num, 3);
	assert_true(hops[0].hop == 1 && hops[0].share == 0.5 && !hops[0].ends);
	assert_true(hops[3].hop == 2 && hops[3].share == 0.5);
	assert_true(hops[4].hop == 3 && hops[4].share == 1 && !hops[4].ends);
	assert_int_equal(hops[4].out->node->guid, clos_leaf(2));
	free(hops);
	assert_int_equal(ibc_ar_path(&src->ports[1], 99, &hops, &n, NULL), 0);
	assert_null(hops);
	ibc_fabric_free(fab);
}

/* Of a pair, its hops of leaf 0, which has ports 3 and 4 up, and what is said of them. */
static void expect_way(struct mkfab m, const char *ends, const char *line)
{
	struct ibc_fabric *fab = done(m);
	const struct ibc_node *src = ibc_fabric_node_by_guid(fab, 101);
	struct ibc_ar_hop *hops;
	struct ibc_report *rep;
	struct ibc_path path;
	char *text;
	size_t n;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_path_find(&src->ports[1], 105, &path, NULL), 0);
	assert_int_equal(ibc_ar_path(&src->ports[1], 105, &hops, &n, NULL), 0);
	for (size_t i = 0; ends[i]; i++) {
		assert_int_equal(hops[i].ends, ends[i] == 'y');
		assert_int_equal(hops[i].unknown, ends[i] == '?');
	}
	ibc_check_ar_path(&path, hops, n, rep);
	text = findings_text(rep);
	assert_string_equal(text, line);
	free(text);
	free(hops);
	ibc_report_free(rep);
	ibc_fabric_free(fab);
}

static void a_choice_on_the_way_that_loses_packets_is_told(void **state)
{
	struct made made_up = made(&small);
	size_t column;

	(void)state;
	expect_way(made_up.m, "nnnnn", "");
	made_up = made(&small);
	*mk_entry(made_up.f, clos_leaf(0), 105) = 4;
	*mk_entry(made_up.f, clos_spine(0), 105) = IBC_NO_ENTRY;
	mk_ar_entry(made_up.m, made_up.f, clos_spine(0), 105, IBC_AR_ENTRY_STATIC, 0);
	expect_way(made_up.m, "yn",
	           "critical leaf01/3: adaptive routing can choose this port for LID 105 from "
	           "host01 mlx5_0: packets that leave by it are lost, always or at times\n");
	made_up = made(&small);
	column = mk_column(made_up.f, clos_spine(0));
	*mk_entry(made_up.f, clos_leaf(0), 105) = 4;
	((struct ibc_ar_switch *)made_up.f->tables.ar->switches)[column].num_groups = 0;
	expect_way(made_up.m, "?n?",
	           "unknown leaf01/3: adaptive routing can choose this port for LID 105 from "
	           "host01 mlx5_0: whether packets that leave by it arrive is not known\n");
	/* the static tables tell of it themselves */
	made_up = made(&small);
	for (unsigned int i = 0; i < 2; i++) {
		*mk_entry(made_up.f, clos_spine(i), 105) = IBC_NO_ENTRY;
		mk_ar_entry(made_up.m, made_up.f, clos_spine(i), 105, IBC_AR_ENTRY_STATIC, 0);
	}
	expect_way(made_up.m, "yy", "");
}

static void running_out_of_memory_is_told(void **state)
{
	struct ibc_fabric *fab = done(made(&small).m);
	struct ibc_routes_opts opts = IBC_ROUTES_OPTS_INIT;
	const struct ibc_port *src = &ibc_fabric_node_by_guid(fab, 101)->ports[1];
	struct ibc_routes *routes;
	struct ibc_ar_hop *hops;
	int rc = -ENOMEM;
	size_t n;

	(void)state;
	opts.threads = 1;
	for (unsigned long i = 1; rc == -ENOMEM; i++) {
		alloc_fail_at(i);
		rc = ibc_routes_analyze(fab, &opts, &routes, NULL);
		alloc_fail_at(0);
		ibc_routes_free(routes);
	}
	assert_int_equal(rc, 0);
	rc = -ENOMEM;
	for (unsigned long i = 1; rc == -ENOMEM; i++) {
		alloc_fail_at(i);
		rc = ibc_ar_path(src, 105, &hops, &n, NULL);
		alloc_fail_at(0);
		free(hops);
	}
	assert_int_equal(rc, 0);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_said_where_all_choices_arrive),
		cmocka_unit_test(without_adaptive_tables_there_is_nothing),
		cmocka_unit_test(a_choice_without_an_entry_beyond_is_a_dead_way),
		cmocka_unit_test(a_member_that_leads_to_a_host_is_a_dead_way),
		cmocka_unit_test(a_choice_whose_only_port_is_down_is_a_dead_way),
		cmocka_unit_test(of_two_dead_ends_each_has_its_own_pairs),
		cmocka_unit_test(of_a_loop_and_a_dead_end_each_has_its_own_pairs),
		cmocka_unit_test(dead_ends_put_together_are_counted_as_such),
		cmocka_unit_test(tables_with_groups_prove_that_it_is_on),
		cmocka_unit_test(choices_that_lead_back_are_a_loop),
		cmocka_unit_test(a_choice_that_enters_a_static_ring_is_a_loop),
		cmocka_unit_test(the_end_is_where_the_hardware_sends),
		cmocka_unit_test(a_ring_over_a_port_without_a_link_is_none),
		cmocka_unit_test(private_tables_are_not_followed),
		cmocka_unit_test(a_table_that_was_not_read_is_unknown),
		cmocka_unit_test(a_group_that_was_not_told_is_unknown),
		cmocka_unit_test(a_switch_that_has_it_off_keeps_to_its_static_ports),
		cmocka_unit_test(trees_have_no_rings_whatever_is_cut),
		cmocka_unit_test(what_is_no_tree_has_rings_on_one_lane),
		cmocka_unit_test(random_choices_are_followed_as_by_hand),
		cmocka_unit_test(groups_of_one_do_what_static_tables_do),
		cmocka_unit_test(all_ways_of_a_pair_have_their_shares),
		cmocka_unit_test(a_choice_on_the_way_that_loses_packets_is_told),
		cmocka_unit_test(running_out_of_memory_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
