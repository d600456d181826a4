/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/tree/ftree.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"

#define RANKS_OF_OPENSM 8 /* deeper trees its ftree refuses (opensm(8)) */
#define LEAVES_MIN      2 /* of one leaf there is nothing to route */
#define UNRANKED        UINT32_MAX
#define VALUES          256 /* neighbours, and cables to one, are no more than ports */

/*
 * struct forecast
 * @depth: by switch: hops from a switch with adapters
 * @rank: by switch: hops from a root
 * @last: the greatest of them
 */
struct forecast {
	const struct ibc_fattree *tree;
	const struct switches *sw;
	const struct ibc_subnet *subnet;
	struct arena *arena;
	uint32_t *depth, *rank, *queue;
	uint32_t last;
	struct ftree_obstacle *all;
	size_t n, room;
};

/* At a port, or else a node, or of the whole. */
static void report_obstacle(struct forecast *f, enum ftree_kind kind, const struct ibc_node *node,
                            const struct ibc_port *port, unsigned int has, unsigned int usual)
{
	arena_grow(f->arena, &f->all, f->n, &f->room, sizeof(*f->all));
	f->all[f->n++] = (struct ftree_obstacle){ kind, f->subnet, port ? port->node : node,
		                                  port, has,       usual };
}

static bool is_here(const struct forecast *f, uint32_t s)
{
	return f->sw->nodes[s]->subnet == f->subnet;
}

/* ---- adapters ------------------------------------------------------------------------------ */

static const struct ibc_port *next_adapter(const struct forecast *f, uint32_t s, unsigned int *num)
{
	const struct ibc_port *p;

	while ((p = ibc_node_port(f->sw->nodes[s], ++*num)))
		if (has_host(p))
			return p;
	return NULL;
}

static bool has_adapters(const struct forecast *f, uint32_t s)
{
	unsigned int num = 0;

	return next_adapter(f, s, &num);
}

/* What it refuses before it looks at any switch. */
static void look_at_adapters(struct forecast *f)
{
	const struct ibc_node *node;
	const struct ibc_port *p;
	bool lmc = false;

	for (size_t i = 0; (node = ibc_fabric_node(f->tree->fab, i)); i++) {
		if (node->subnet != f->subnet || node->type != IBC_NODE_CA)
			continue;
		for (unsigned int num = 1; (p = ibc_node_port(node, num)); num++) {
			if (p->peer && p->peer->node->type == IBC_NODE_CA &&
			    ibc_port_is_near_end(p))
				report_obstacle(f, FTREE_CA_TO_CA, NULL, p, 0, 0);
			if (lmc || !p->peer || !ibc_port_has(p, IBC_ATTR_PORT_INFO) || !p->lmc)
				continue;
			lmc = true; /* it is one setting of the subnet manager */
			report_obstacle(f, FTREE_LMC, NULL, p, 0, 0);
		}
	}
}

/* ---- ranks --------------------------------------------------------------------------------- */

/* Hops from those that are in the queue, which have 0; the greatest. */
static uint32_t walk_hops(struct forecast *f, uint32_t *hops, uint32_t queued)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < queued; i++) {
		uint32_t s = f->queue[i];

		most = hops[s];
		for (const struct trunk *p = trunks(f->sw, s); p < trunks(f->sw, s + 1); p++) {
			if (hops[p->to] != UNRANKED)
				continue;
			hops[p->to] = hops[s] + 1;
			f->queue[queued++] = p->to;
		}
	}
	return most;
}

static void rank_switches(struct forecast *f)
{
	uint32_t n = 0, most;

	memset(f->depth, 0xff, f->sw->n * sizeof(*f->depth));
	memset(f->rank, 0xff, f->sw->n * sizeof(*f->rank));
	for (uint32_t s = 0; s < f->sw->n; s++)
		if (is_here(f, s) && has_adapters(f, s)) {
			f->depth[s] = 0;
			f->queue[n++] = s;
		}
	most = walk_hops(f, f->depth, n);
	n = 0;
	for (uint32_t s = 0; s < f->sw->n; s++)
		if (f->depth[s] == most) {
			f->rank[s] = 0;
			f->queue[n++] = s;
		}
	f->last = walk_hops(f, f->rank, n);
}

/* ---- where adapters are ---------------------------------------------------------------------- */

/*
 * A single adapter on a spine shifts the ranks of all: so those are named that are not on
 * leaves of the tree, and only if there are none those on another rank than the last.
 */
static void look_at_hosts(struct forecast *f)
{
	size_t before = f->n, leaves = 0;
	const struct ibc_port *p;
	bool pure = true;

	for (uint32_t s = 0; s < f->sw->n; s++) {
		if (f->rank[s] == UNRANKED || !has_adapters(f, s))
			continue;
		pure &= f->rank[s] == f->last;
		leaves++;
	}
	for (int any = 0; any < 2 && !pure && f->n == before; any++)
		for (uint32_t s = 0; s < f->sw->n; s++) {
			if (any && f->n != before)
				break;
			if (f->rank[s] == UNRANKED ||
			    (any ? f->rank[s] == f->last : !f->tree->rank[s]))
				continue;
			for (unsigned int num = 0; (p = next_adapter(f, s, &num));)
				report_obstacle(f, FTREE_HOST_ABOVE, NULL, p, 0, 0);
		}
	if (leaves < LEAVES_MIN)
		report_obstacle(f, FTREE_FEW_LEAVES, NULL, NULL, (unsigned int)leaves, 0);
}

/* ---- are the switches of a rank alike? ---------------------------------------------------- */

/* struct value_tally - how often each number occurs on a rank; @usual: the most frequent */
struct value_tally {
	uint32_t of[VALUES];
	unsigned int usual;
};

static void count_value(struct value_tally *tally, unsigned int value)
{
	tally->of[value < VALUES ? value : VALUES - 1]++;
}

/* Of equals the greater. */
static void find_usual(struct value_tally *tally)
{
	for (unsigned int i = 0; i < VALUES; i++)
		if (tally->of[i] && tally->of[i] >= tally->of[tally->usual])
			tally->usual = i;
}

/* Neighbours above, or below, of each switch of a rank, and the cables to each of them. */
static void compare_rank(struct forecast *f, uint32_t rank, bool up)
{
	struct value_tally groups = { .usual = 0 }, ports = { .usual = 0 };

	for (int pass = 0; pass < 2; pass++) { /* counts, then compares */
		for (uint32_t s = 0; s < f->sw->n; s++) {
			unsigned int n = 0;

			if (f->rank[s] != rank)
				continue;
			for (const struct trunk *p = trunks(f->sw, s); p < trunks(f->sw, s + 1);
			     p++) {
				if (up ? f->rank[p->to] >= rank : f->rank[p->to] <= rank)
					continue;
				n++;
				if (!pass)
					count_value(&ports, p->count);
				else if (p->count != ports.usual)
					report_obstacle(f, up ? FTREE_UP_PORTS : FTREE_DOWN_PORTS,
					                NULL, f->sw->cables[p->first], p->count,
					                ports.usual);
			}
			if (!pass)
				count_value(&groups, n);
			else if (n != groups.usual)
				report_obstacle(f, up ? FTREE_UP_GROUPS : FTREE_DOWN_GROUPS,
				                f->sw->nodes[s], NULL, n, groups.usual);
		}
		find_usual(&groups);
		find_usual(&ports);
	}
}

/* ---- a subnet ------------------------------------------------------------------------------- */

/* A rank more than there should be makes no sense of what comes after. */
static void look_at_switches(struct forecast *f)
{
	size_t before = f->n;

	rank_switches(f);
	if (!f->last) {
		report_obstacle(f, FTREE_ONE_RANK, NULL, NULL, 0, 0);
		return;
	}
	if (f->last >= RANKS_OF_OPENSM)
		report_obstacle(f, FTREE_TOO_DEEP, NULL, NULL, f->last + 1, 0);
	look_at_hosts(f);
	if (f->n != before)
		return;
	for (uint32_t r = 0; r <= f->last; r++)
		for (int up = 1; up >= (r == f->last); up--)
			compare_rank(f, r, up);
}

static int by_kind(const void *va, const void *vz)
{
	const struct ftree_obstacle *a = va, *z = vz;

	return order_u64(a->subnet->index, z->subnet->index)
	           ?: order_u64(a->kind, z->kind)
	           ?: (a->node && z->node ? order_u64(a->node->guid, z->node->guid) : 0)
	           ?: (a->port && z->port ? order_u64(a->port->num, z->port->num) : 0);
}

size_t ftree_predict(struct arena *a, const struct ibc_fattree *tree, bool any,
                     struct ftree_obstacle **out)
{
	const struct switches *sw = &tree->switches;
	struct forecast f = {
		.tree = tree,
		.sw = sw,
		.arena = a,
		.depth = arena_array(a, sw->n + 1u, sizeof(*f.depth)),
		.rank = arena_array(a, sw->n + 1u, sizeof(*f.rank)),
		.queue = arena_array(a, sw->n + 1u, sizeof(*f.queue)),
	};

	for (size_t i = 0; (f.subnet = ibc_fabric_subnet(tree->fab, i)); i++) {
		uint32_t s = 0;

		while (s < sw->n && (!is_here(&f, s) || (!any && tree->rank[s] == RANK_NONE)))
			s++;
		if (s == sw->n)
			continue;
		look_at_adapters(&f);
		look_at_switches(&f);
	}
	if (f.n)
		qsort(f.all, f.n, sizeof(*f.all), by_kind);
	*out = f.all;
	return f.n;
}
