/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of fat-trees by formula, and who governs them: healthy.
 *
 * Routes are D-mod-K (Zahavi, "Fat-trees routing and node ordering providing contention
 * free traffic for MPI global collectives", 2011): hosts are numbered by leaf and port, and
 * host j is sent up by uplink j mod (spines * cables) of a leaf, and (j / spines) mod
 * uplinks of a spine.  Going down there is one way, and as many cables to spread over.
 * A switch that is no host's way up is reached by a leaf: down, and up again.
 *
 * A row is written at once: all switches of a tier but those above the destination send
 * by the same port, so that most of a row is three runs of bytes.
 */
#include <string.h>

#include "base/arena.h"
#include "fabric/build.h"
#include "source/synth/synth.h"

#define MASTER_PRIORITY  14      /* of two managers the higher is master (IBA 14.4.1) */
#define STANDBY_PRIORITY 13      /* one less */
#define DEFAULT_PKEY     0xffff  /* all members in full */
#define SA_LATENCY_US    50      /* made up: one round trip */
#define SA_RESPONSE_US   1048576 /* RespTimeValue 18 */

/* Where the columns of a tier of a plane are, in the order of making: leaves, spines, cores. */
struct rows {
	const struct tree *t;
	const struct shape *s;
	struct fabric_forwarding *f;
	struct fabric_multicast *m;
	struct ibc_node **leaf, **spine, **core;
	size_t leaves, spines, cores, num; /* switches, of a tier and in all */
	uint8_t *row;                      /* by order of making */
	size_t *column;                    /* of each switch */
};

static struct ibc_node *switch_at(const struct rows *r, size_t made)
{
	if (made < r->leaves)
		return r->leaf[made];
	made -= r->leaves;
	return made < r->spines ? r->spine[made] : r->core[made - r->spines];
}

/* ---- ports ---------------------------------------------------------------------- */

static uint8_t leaf_up(const struct shape *s, uint64_t spine, uint64_t cable)
{
	return (uint8_t)(s->hosts + spine * s->cables + cable + 1);
}

/* By which a leaf sends up to destination j. */
static uint8_t leaf_up_to(const struct shape *s, uint64_t j)
{
	return leaf_up(s, j % s->spines, j / s->spines % s->cables);
}

static uint8_t spine_down(const struct shape *s, uint64_t leaf_of_pod, uint64_t j)
{
	return (uint8_t)(leaf_of_pod * s->cables + j / s->spines % s->cables + 1);
}

static uint8_t spine_up(const struct shape *s, uint64_t uplink)
{
	return (uint8_t)(s->leaves * s->cables + uplink + 1);
}

/* ---- rows ------------------------------------------------------------------------- */

/* To what is at or below a leaf, but for the leaf's own entry. */
static void to_leaf(const struct rows *r, uint64_t leaf, uint64_t j)
{
	const struct shape *s = r->s;
	uint64_t pod = leaf / s->leaves;
	uint8_t *spines = r->row + r->leaves, *cores = spines + r->spines;

	memset(r->row, leaf_up_to(s, j), r->leaves);
	if (s->uplinks)
		memset(spines, spine_up(s, j / s->spines % s->uplinks), r->spines);
	memset(spines + pod * s->spines, spine_down(s, leaf % s->leaves, j), s->spines);
	memset(cores, (int)pod + 1, r->cores);
}

/*
 * To the spine at position x of a pod, or to a core above spines at x: leaves know the
 * spine at x, and all other spines know a leaf.
 */
static void to_position(const struct rows *r, uint64_t x, uint64_t pod, uint8_t spine_port)
{
	const struct shape *s = r->s;
	uint8_t *spines = r->row + r->leaves;

	memset(r->row, leaf_up(s, x, 0), r->leaves);
	memset(spines, spine_down(s, 0, 0), r->spines);
	for (uint64_t p = 0; p < s->pods; p++)
		spines[p * s->spines + x] = spine_port;
	memset(spines + r->spines, (int)pod + 1, r->cores);
}

static void put_row(const struct rows *r, unsigned int lid)
{
	uint8_t *out = r->f->out + lid * r->f->tables.stride;

	if (r->s->seed == 0 && r->s->planes == 1) { /* GUIDs are in the order of making */
		memcpy(out, r->row, r->num);
		return;
	}
	for (size_t i = 0; i < r->num; i++)
		out[r->column[i]] = r->row[i];
}

static void make_forwarding(struct rows *r)
{
	const struct shape *s = r->s;

	for (size_t i = 0; i < r->num; i++) {
		struct ibc_node *node = switch_at(r, i);

		answers_put(node, IBC_ATTR_LFT, ANSWER_OK);
		r->column[i] = fabric_column(r->f->tables.switches, r->num * s->planes, node);
	}
	for (size_t leaf = 0; leaf < r->leaves; leaf++) {
		to_leaf(r, leaf, leaf);
		r->row[leaf] = 0;
		put_row(r, r->leaf[leaf]->ports[0].lid);
		for (uint64_t h = 0; h < s->hosts; h++) {
			const struct ibc_port *at = &r->leaf[leaf]->ports[h + 1];

			to_leaf(r, leaf, leaf * s->hosts + h);
			r->row[leaf] = at->num;
			put_row(r, at->peer->lid);
		}
	}
	for (size_t i = 0; i < r->spines; i++) {
		to_position(r, i % s->spines, i / s->spines, spine_up(s, 0));
		r->row[r->leaves + i] = 0;
		put_row(r, r->spine[i]->ports[0].lid);
	}
	for (size_t i = 0; i < r->cores; i++) {
		to_position(r, i / s->uplinks, i % s->pods, spine_up(s, i % s->uplinks));
		r->row[r->leaves + r->spines + i] = 0;
		put_row(r, r->core[i]->ports[0].lid);
	}
}

/* ---- multicast -------------------------------------------------------------------- */

static void add_to_set(uint64_t *set, uint64_t port)
{
	set[port / 64] |= 1ull << port % 64;
}

/* All hosts are in one group, whose tree goes by the first spines and the first core. */
static void make_multicast(const struct rows *r)
{
	const struct shape *s = r->s;

	for (size_t i = 0; i < r->num; i++) {
		struct ibc_node *node = switch_at(r, i);
		size_t column = fabric_column(r->m->tables.switches, r->num * s->planes, node);
		uint64_t *set = r->m->ports + 4 * column;
		size_t spine = i - r->leaves;

		answers_put(node, IBC_ATTR_MFT, ANSWER_OK);
		if (i < r->leaves) {
			for (uint64_t h = 1; h <= s->hosts + 1; h++)
				add_to_set(set, h);
		} else if (spine < r->spines && spine % s->spines == 0) {
			for (uint64_t leaf = 0; leaf < s->leaves; leaf++)
				add_to_set(set, leaf * s->cables + 1);
			if (s->uplinks)
				add_to_set(set, spine_up(s, 0));
		} else if (spine == r->spines) {
			for (uint64_t p = 1; p <= s->pods; p++)
				add_to_set(set, p);
		}
	}
}

/* ---- who governs --------------------------------------------------------------------- */

/* A manager that works, on a host. */
static void make_manager(const struct tree *t, struct ibc_port *port, enum ibc_sm_state state)
{
	struct ibc_sm_info *sm = arena_alloc(fabric_build_arena(t->build), sizeof(*sm));

	sm->guid = port->guid;
	sm->state = sm->state_later = (uint8_t)state;
	sm->priority = state == IBC_SM_MASTER ? MASTER_PRIORITY : STANDBY_PRIORITY;
	sm->act_count = 1000;
	sm->act_count_later = 1001;
	sm->act_seconds = 1;
	port_extra(port)->sm = sm;
	port->cap_mask |= IBC_CAP_IS_SM;
	answers_put(port, IBC_ATTR_SM_INFO, ANSWER_OK);
}

/* The port of the first host, or of the last. */
static struct ibc_port *host_port(const struct tree *t, bool last)
{
	const struct shape *s = &t->shape;
	const struct ibc_node *leaf = t->leaves[last ? s->pods * s->leaves - 1 : 0];

	return (struct ibc_port *)leaf->ports[last ? s->hosts : 1].peer;
}

/* ---- all of it ------------------------------------------------------------------------ */

static void make_tables(struct tree *t, struct ibc_attrs needs)
{
	const struct shape *s = &t->shape;
	struct rows r = { .t = t, .s = s };
	unsigned int lids = t->made;

	r.leaves = s->pods * s->leaves;
	r.spines = s->pods * s->spines;
	r.cores = s->spines * s->uplinks;
	r.num = r.leaves + r.spines + r.cores;
	r.row = arena_array(t->arena, r.num, 1);
	r.column = arena_array(t->arena, r.num, sizeof(*r.column));
	/* empty ones, of all planes */
	if (ibc_attrs_has(needs, IBC_ATTR_LFT)) {
		r.f = fabric_build_forwarding(t->build, t->subnet, lids + 1);
		memset(r.f->known, 1, (lids / IBC_LFT_BLOCK + 1) * r.f->tables.stride);
	}
	if (ibc_attrs_has(needs, IBC_ATTR_MFT)) {
		r.m = fabric_build_multicast(t->build, t->subnet, IBC_MFT_BLOCK);
		memset(r.m->known, 1, r.num * s->planes);
	}
	for (uint64_t plane = 0; plane < s->planes; plane++) {
		r.leaf = t->leaves + plane * r.leaves;
		r.spine = t->spines + plane * r.spines;
		r.core = t->cores + plane * r.cores;
		if (r.f)
			make_forwarding(&r);
		if (r.m)
			make_multicast(&r);
	}
}

void synth_govern(struct tree *t, struct ibc_attrs needs)
{
	const struct ibc_attrs tables = t->shape.kind != SYNTH_FATTREE /* whose are not made */
	                                    ? IBC_ATTRS()
	                                    : ibc_attrs_and(needs,
	                                                    IBC_ATTRS(IBC_ATTR_LFT, IBC_ATTR_MFT));
	const struct ibc_attrs sm = ibc_attrs_and(needs, ibc_attrs_of_group(IBC_ATTRS_SM));
	struct ibc_port *master = host_port(t, false), *standby = host_port(t, true);

	if (!ibc_attrs_is_empty(tables))
		make_tables(t, needs);
	t->subnet->provides = ibc_attrs_or(t->subnet->provides, ibc_attrs_or(tables, sm));
	if (ibc_attrs_has(needs, IBC_ATTR_SM_INFO)) {
		make_manager(t, master, IBC_SM_MASTER);
		if (standby != master)
			make_manager(t, standby, IBC_SM_STANDBY);
	}
	if (ibc_attrs_has(needs, IBC_ATTR_SA_CLASS_PORT_INFO)) {
		struct ibc_sa *sa = arena_alloc(fabric_build_arena(t->build), sizeof(*sa));

		sa->latency_us = SA_LATENCY_US;
		sa->response_us = SA_RESPONSE_US;
		sa->lid = t->sm_lid;
		t->subnet->sa = sa;
		t->subnet->origin = host_port(t, false);
		answers_put(host_port(t, false), IBC_ATTR_SA_CLASS_PORT_INFO, ANSWER_OK);
	}
	if (ibc_attrs_has(needs, IBC_ATTR_PKEY_TABLE)) {
		struct arena *a = fabric_build_arena(t->build);
		struct ibc_pkeys *pkeys = arena_alloc(a, sizeof(*pkeys));
		uint16_t *key = arena_alloc(a, sizeof(*key));
		const struct ibc_node *node;

		/* Of every host: a switch that enforces nothing needs none. */
		*key = DEFAULT_PKEY;
		*pkeys = (struct ibc_pkeys){ key, 1 };
		for (size_t i = 0; (node = fabric_build_node_at(t->build, i)); i++) {
			if (node->type == IBC_NODE_SWITCH)
				continue;
			for (unsigned int num = 1; num <= node->num_ports; num++) {
				struct ibc_port *port = fabric_build_port(node, num);

				port_extra(port)->pkeys = pkeys;
				answers_put(port, IBC_ATTR_PKEY_TABLE, ANSWER_OK);
			}
		}
	}
}
