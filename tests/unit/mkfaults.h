/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKFAULTS_H
#define MKFAULTS_H

/*
 * A tree of 30 switches and 72 hosts with two HCAs each, which answers MADs, has a plan and
 * was swept an hour ago; faults are put into it, and it is swept again:
 *
 *	struct scene s = scene();
 *
 *	unplug(port_of(&s, "leaf02", 7));
 *	reroute(s.real);
 *	rep = scene_report(&s);
 *
 * Leaf i has hosts at ports 1 to 6 and spine k at port 6 + k, spine k has leaf i at port i; ports
 * 13 to 32, and 25 to 32, are free.  The leaves of a pair hold the two HCAs of six hosts, and
 * stand with them in one rack; spine05 and spine06 are boards of one
 * chassis.  Include it after <cmocka.h>.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/case.h>
#include <ibcheck/check.h>
#include <ibcheck/fattree.h>
#include <ibcheck/routes.h>
#include <ibcheck/topo.h>

#include "fabric/build.h"
#include "findings.h"
#include "model/model.h"
#include "model/swept.h"

#define SCENE          "synth:fattree:leaves=24,spines=6,hosts=6,rails=2,radix=32"
#define SCENE_SWITCHES 30
#define SCENE_CHECKS   "port,counters,topo,fattree,sm,routes"
#define SCENE_COUNTS   64   /* ports with counters of their own */
#define SCENE_SECONDS  3602 /* an hour, and the fraction of a second that sweeps begin at */

/*
 * struct scene - what there is
 * @model: answers for @real, once that is broken
 * @counters: of the ports that have counted something
 */
struct scene {
	struct ibc_fabric *planned, *real, *before;
	struct model *model;
	struct ibc_counters counters[SCENE_COUNTS];
	size_t num_counters;
};

/* ---- things of it ---- */

static inline struct ibc_node *node_named(const struct ibc_fabric *fab, const char *label)
{
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		if (!strcmp(node->label, label))
			return (struct ibc_node *)node;
	fail_msg("no node %s", label);
	return NULL;
}

static inline struct ibc_node *node_of(const struct scene *s, const char *label)
{
	return node_named(s->real, label);
}

static inline struct ibc_port *port_of(const struct scene *s, const char *label, unsigned int num)
{
	return fabric_build_port(node_of(s, label), num);
}

static inline struct ibc_port *peer_of(const struct ibc_port *p)
{
	return (struct ibc_port *)p->peer;
}

/* The port of one of the two HCAs of a host. */
static inline struct ibc_port *hca(const struct scene *s, unsigned int host, unsigned int rail)
{
	char label[32];

	snprintf(label, sizeof(label), "node%04u mlx5_%u", host, rail);
	return port_of(s, label, 1);
}

/* ---- faults ---- */

static inline void put_state(struct ibc_port *p, enum ibc_port_state state,
                             enum ibc_phys_state phys)
{
	p->state = state;
	p->phys_state = phys;
}

/* Nothing passes. */
static inline void unplug(struct ibc_port *p)
{
	put_state(p, IBC_STATE_DOWN, IBC_PHYS_POLLING);
	put_state(peer_of(p), IBC_STATE_DOWN, IBC_PHYS_POLLING);
}

static inline void switch_off(struct ibc_node *node)
{
	for (unsigned int num = 1; num <= node->num_ports; num++)
		if (fabric_build_port(node, num)->peer)
			unplug(fabric_build_port(node, num));
}

/* The cable at one port goes to another, which was free. */
static inline void move_plug(struct ibc_port *from, struct ibc_port *to)
{
	assert_null(to->peer);
	to->peer = from->peer;
	peer_of(from)->peer = to;
	put_state(to, from->state, from->phys_state);
	to->width_active = from->width_active;
	to->speed_active = from->speed_active;
	to->mtu_active = from->mtu_active;
	to->vl_active = from->vl_active;
	to->counters = from->counters;
	put_state(from, IBC_STATE_DOWN, IBC_PHYS_POLLING);
	from->peer = NULL;
}

/* The plugs at two ports are in each other's place. */
static inline void swap_plugs(struct ibc_port *a, struct ibc_port *z)
{
	struct ibc_port *far = peer_of(a);

	a->peer = z->peer;
	peer_of(a)->peer = a;
	z->peer = far;
	far->peer = z;
}

static inline void run_at(struct ibc_port *p, enum ibc_width width, enum ibc_speed speed)
{
	p->width_active = peer_of(p)->width_active = width;
	p->speed_active = peer_of(p)->speed_active = speed;
}

static inline void count_at(struct scene *s, struct ibc_port *p, enum ibc_counter counter,
                            uint64_t value)
{
	size_t i = 0;

	while (i < s->num_counters && p->counters != &s->counters[i])
		i++;
	if (i == s->num_counters) {
		assert_true(i < SCENE_COUNTS);
		s->counters[s->num_counters++] = *p->counters;
		p->counters = &s->counters[i];
	}
	s->counters[i].value[counter] = value;
}

/* ---- routes ---- */

static inline bool carries(const struct ibc_port *p)
{
	return p && p->peer && p->num && p->state == IBC_STATE_ACTIVE;
}

/* The way by which the fewest LIDs go yet; of equal ones the first. */
static inline unsigned int next_way(const struct ibc_forwarding *f, const struct ibc_node *sw,
                                    const unsigned int *hops, const unsigned int *load)
{
	unsigned int here = hops[fabric_column(f->switches, f->num_switches, sw)];
	unsigned int best = IBC_NO_ENTRY;

	for (unsigned int num = 1; num <= sw->num_ports; num++) {
		const struct ibc_port *p = ibc_node_port(sw, num);
		const struct ibc_node *next = carries(p) ? p->peer->node : NULL;

		if (next && next->type == IBC_NODE_SWITCH &&
		    hops[fabric_column(f->switches, f->num_switches, next)] + 1 == here &&
		    (best == IBC_NO_ENTRY || load[num] < load[best]))
			best = num;
	}
	return best;
}

/* Hops of all switches to one; those that are cut off have as many as there are switches. */
static inline void count_hops(const struct ibc_forwarding *f, const struct ibc_node *to,
                              unsigned int *hops)
{
	bool more = true;

	for (size_t i = 0; i < f->num_switches; i++)
		hops[i] = f->switches[i] == to ? 0 : (unsigned int)f->num_switches;
	while (more) {
		more = false;
		for (size_t i = 0; i < f->num_switches; i++) {
			for (unsigned int num = 1; num <= f->switches[i]->num_ports; num++) {
				const struct ibc_port *p = ibc_node_port(f->switches[i], num);
				size_t far;

				if (!carries(p) || p->peer->node->type != IBC_NODE_SWITCH)
					continue;
				far = fabric_column(f->switches, f->num_switches, p->peer->node);
				if (hops[far] + 1 >= hops[i])
					continue;
				hops[i] = hops[far] + 1;
				more = true;
			}
		}
	}
}

static inline uint8_t *entry_of(const struct ibc_fabric *fab, const struct ibc_node *sw,
                                unsigned int lid)
{
	const struct ibc_forwarding *f = ibc_fabric_subnet(fab, 0)->forwarding;

	return (uint8_t *)f->out + lid * f->stride +
	       fabric_column(f->switches, f->num_switches, sw);
}

/* What a subnet manager does: all LIDs by shortest ways, hosts evenly. */
static inline void reroute(const struct ibc_fabric *fab)
{
	const struct ibc_forwarding *f = ibc_fabric_subnet(fab, 0)->forwarding;
	unsigned int hops[SCENE_SWITCHES], load[SCENE_SWITCHES][64] = { 0 };
	const struct ibc_port *dst;

	assert_int_equal(f->num_switches, SCENE_SWITCHES);
	for (size_t i = 0; (dst = ibc_fabric_port(fab, i)); i++) {
		const struct ibc_port *at = dst->num && dst->peer ? dst->peer : dst;

		if (!dst->lid || (dst->num && dst->node->type == IBC_NODE_SWITCH))
			continue;
		count_hops(f, at->node, hops);
		for (size_t k = 0; k < SCENE_SWITCHES; k++) {
			uint8_t *entry = entry_of(fab, f->switches[k], dst->lid);

			if (dst->num && !carries(dst))
				*entry = IBC_NO_ENTRY;
			else if (f->switches[k] == at->node)
				*entry = at->num;
			else
				*entry = (uint8_t)next_way(f, f->switches[k], hops, load[k]);
			if (dst->num && *entry < 64)
				load[k][*entry]++;
		}
	}
}

/* ---- sweeps ---- */

static inline struct ibc_fabric *swept_model(struct model *model)
{
	const struct line_opts how = { .rtt_ns = 50000, .whole = model_whole };
	struct ibc_source_opts opts = swept_opts(true);
	struct line *line = line_new(&how, model_answer, model);
	struct ibc_fabric *fab;

	assert_int_equal(swept(line, &opts, &fab, NULL), 0);
	line_free(line);
	return fab;
}

static inline void put_rack(struct ibc_node *node)
{
	char rack[16] = "B01";
	unsigned int n;

	if (sscanf(node->label, "node%u", &n) == 1)
		snprintf(rack, sizeof(rack), "A%02u", (n + 5) / 6);
	else if (sscanf(node->label, "leaf%u", &n) == 1)
		snprintf(rack, sizeof(rack), "A%02u", (n + 1) / 2);
	node->rack = strdup(rack);
}

static inline struct ibc_fabric *scene_fabric(bool planned)
{
	struct ibc_fabric *fab = swept_real(SCENE);
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		((struct ibc_node *)node)->xmit_wait_tick = 7;
		if (planned)
			put_rack((struct ibc_node *)node);
	}
	node_named(fab, "spine06")->system_guid = node_named(fab, "spine05")->system_guid;
	return fab;
}

/* Its devices have all counters in 64 bits. */
static inline struct model *scene_model(const struct ibc_fabric *fab)
{
	struct model *model = model_new(fab, NULL);
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		model_pma(model, node)->ext_errors = true;
	return model;
}

/* The plan and the first sweep are the same for all. */
static inline struct scene scene(void)
{
	static struct ibc_fabric *planned, *before;
	struct scene s = { .real = scene_fabric(false) };

	if (!planned) {
		struct model *model = scene_model(s.real);

		planned = scene_fabric(true);
		before = swept_model(model);
		model_free(model);
	}
	s.planned = planned;
	s.before = before;
	return s;
}

static inline void scene_free(struct scene *s)
{
	ibc_fabric_free(s->real);
	model_free(s->model);
}

/* All checks that there are of fabrics, an hour after the first sweep; with cases. */
static inline struct ibc_report *scene_report(struct scene *s)
{
	const struct ibc_routes_opts following = { .threads = 1, .bisections = 2, .shifts = 2 };
	struct ibc_fabric *now = swept_model(s->model);
	struct ibc_input in = { .fabric = now, .before = s->before };
	struct ibc_comparison *cmp;
	struct ibc_fattree *tree;
	struct ibc_routes *routes;
	struct ibc_report *rep;

	((struct ibc_subnet *)ibc_fabric_subnet(now, 0))->time =
	    ibc_fabric_subnet(s->before, 0)->time + SCENE_SECONDS;
	assert_int_equal(ibc_compare(s->planned, now, NULL, &cmp, NULL), 0);
	assert_int_equal(ibc_fattree_infer(now, NULL, &tree, NULL), 0);
	assert_int_equal(ibc_routes_analyze(now, &following, &routes, NULL), 0);
	in.comparison = cmp;
	in.fattree = tree;
	in.routes = routes;
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, SCENE_CHECKS, rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_int_equal(ibc_cases_find(&in, ibc_check_find, rep, NULL), 0);
	ibc_routes_free(routes);
	ibc_fattree_free(tree);
	ibc_comparison_free(cmp);
	ibc_fabric_free(now);
	return rep;
}

#endif
