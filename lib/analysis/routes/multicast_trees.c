/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trees that multicast tables make, group by group.  A switch sends a packet by every
 * port of its set but the one it came in by (IBA 18.2.4.3.2), so a set of switches must be
 * joined by cables that both ends have in their sets, and there must be no ring of them.
 * Pieces and rings come from one pass with disjoint sets.  O(switches + ports of sets) a
 * group.
 */
#include <assert.h>
#include <stdlib.h>

#include "analysis/routes/choices.h"
#include "analysis/tree/overlap.h"
#include "base/arena.h"
#include "fabric/build.h"

#define SEND_ONLY   4 /* JoinState: it gets nothing (IBA 15.2.5.17.2) */
#define FAULTS      (IBC_TREE_MISSING + 1)
#define MLIDS       0x4000 /* 0xc000 .. 0xffff: all that there can be */
#define MEMBERS_MIN 2      /* a subnet manager makes no tree for fewer */

/*
 * struct trees - the work on a subnet
 * @by_guid: its ports that have a GUID, by that
 * @mlid, @members, @num_members: the group at hand, and the records of it
 * @pieces, @size: which columns are joined, and how many have a set, by the lowest of them
 */
struct trees {
	struct route_subnet *p;
	const struct ibc_multicast *mft;
	const struct ibc_port **by_guid;
	size_t num_by_guid;
	unsigned int mlid;
	const struct ibc_mc_member *members;
	size_t num_members;
	struct sets pieces;
	uint32_t *size;
	struct ibc_multicast_group group;
	struct ibc_multicast_fault faults[FAULTS];
	uint32_t at[FAULTS]; /* their columns */
};

/* ---- sets of ports ------------------------------------------------------------------------ */

static const struct ibc_port_set *ports_of(const struct trees *t, uint32_t column)
{
	static const struct ibc_port_set none;
	size_t row = t->mlid - IBC_MLID_FIRST;

	if (row >= t->mft->num_mlids)
		return &none;
	return (const struct ibc_port_set *)t->mft->ports + row * t->p->n + column;
}

/* What is above its top a switch was not asked for: it has nothing there. */
static bool is_set_known(const struct trees *t, uint32_t column)
{
	size_t row = t->mlid - IBC_MLID_FIRST;

	return ibc_node_has(t->mft->switches[column], IBC_ATTR_MFT) ||
	       (row < t->mft->num_mlids && t->mft->known[row / IBC_MFT_BLOCK * t->p->n + column]);
}

static uint32_t next_hop_port(const struct trees *t, uint32_t column, unsigned int num)
{
	return num < t->p->width ? t->p->next_hop[(size_t)column * t->p->width + num] : HOP_NO_PORT;
}

/* Keeps the first place by column, then port. */
static void put_fault(struct trees *t, enum ibc_tree_fault kind, uint32_t column, unsigned int port)
{
	struct ibc_multicast_fault *fault = &t->faults[kind];

	if (fault->count++ &&
	    (t->at[kind] < column || (t->at[kind] == column && fault->port <= port)))
		return;
	t->at[kind] = column;
	fault->node = t->mft->switches[column];
	fault->port = port;
}

/* ---- cables of a tree --------------------------------------------------------------------- */

/* A cable between two switches that have sets: it joins two pieces, or closes a ring. */
static void look_at_cable(struct trees *t, uint32_t column, unsigned int port, uint32_t next_hop)
{
	uint32_t far = next_hop >> 8;
	const struct ibc_port_set *ports = ports_of(t, far);
	bool both = ports_have(ports, next_hop & 0xff);

	if (!is_set_known(t, far))
		return;
	if (!both)
		put_fault(t, IBC_TREE_ONE_SIDED, column, port);
	/* each cable once */
	if ((both && next_hop < next_hop_switch(column, port)) || !ports_any(ports))
		return;
	if (set_of(&t->pieces, column) == set_of(&t->pieces, far))
		put_fault(t, IBC_TREE_CYCLE, column, port);
	else
		sets_join(&t->pieces, column, far);
}

static void look_at_switches(struct trees *t)
{
	for (uint32_t s = 0; s < t->p->n; s++) {
		const struct ibc_port_set *ports = ports_of(t, s);

		if (!is_set_known(t, s)) {
			t->group.unknown++;
			continue;
		}
		t->group.switches += ports_any(ports);
		for (unsigned int at = 0, num; ports_next(ports, &at, &num);) {
			uint32_t next_hop = next_hop_port(t, s, num);

			if (num == 0) /* it is a member itself */
				continue;
			if (next_hop == HOP_DOWN || next_hop == HOP_NO_PORT)
				put_fault(t, IBC_TREE_DOWN, s, num);
			if (next_hop == HOP_HOST)
				t->group.hosts += !node_is_aggregator(
				    ibc_node_port(t->mft->switches[s], num)->peer->node);
			if (next_hop < HOP_SPECIAL)
				look_at_cable(t, s, num, next_hop);
		}
	}
}

/* ---- pieces -------------------------------------------------------------------------------- */

/* A switch whose set was not read may send it on by any cable. */
static void join_unknown(struct trees *t)
{
	for (uint32_t s = 0; t->group.unknown && s < t->p->n; s++) {
		const struct ibc_port_set *ports = is_set_known(t, s) ? ports_of(t, s) : NULL;

		for (unsigned int num = 1; num < t->p->width; num++) {
			uint32_t next_hop = next_hop_port(t, s, num);

			if (next_hop < HOP_SPECIAL && !is_set_known(t, next_hop >> 8) &&
			    (!ports || ports_have(ports, num)))
				sets_join(&t->pieces, s, next_hop >> 8);
		}
	}
}

/* All but the largest are cut off. */
static void find_cuts(struct trees *t)
{
	uint32_t largest = 0, n = t->p->n;

	for (uint32_t s = 0; s < n; s++)
		t->size[s] = 0;
	for (uint32_t s = 0; s < n; s++)
		t->size[set_of(&t->pieces, s)] += is_set_known(t, s) && ports_any(ports_of(t, s));
	for (uint32_t s = 1; s < n; s++)
		if (t->size[s] > t->size[largest])
			largest = s;
	for (uint32_t s = 0; s < n; s++) {
		uint32_t piece = set_of(&t->pieces, s);

		if (piece == largest || !t->size[piece] || !is_set_known(t, s) ||
		    !ports_any(ports_of(t, s)))
			continue;
		put_fault(t, IBC_TREE_CUT, s, 0);
		t->size[piece] = 0;
	}
}

/* ---- members -------------------------------------------------------------------------------- */

static int by_guid(const void *va, const void *vz)
{
	const struct ibc_port *a = *(const struct ibc_port *const *)va;
	const struct ibc_port *z = *(const struct ibc_port *const *)vz;

	return (a->guid > z->guid) - (a->guid < z->guid);
}

static void collect_ports(struct trees *t, struct arena *tmp)
{
	const struct ibc_fabric *fab = t->p->routes->fab;
	const struct ibc_port *port;

	t->by_guid = arena_array(tmp, ibc_fabric_count(fab).ports + 1, sizeof(struct ibc_port *));
	for (size_t i = 0; (port = ibc_fabric_port(fab, i)); i++)
		if (port->node->subnet == t->p->subnet && port->guid)
			t->by_guid[t->num_by_guid++] = port;
	if (t->num_by_guid)
		qsort(t->by_guid, t->num_by_guid, sizeof(struct ibc_port *), by_guid);
}

/* The port of a switch that a member is reached by, or NULL. */
static const struct ibc_port *port_of_member(const struct trees *t, uint64_t guid)
{
	const struct ibc_port key = { .guid = guid }, *at = &key;
	const struct ibc_port *const *found = t->num_by_guid
	                                          ? bsearch(&at, t->by_guid, t->num_by_guid,
	                                                    sizeof(at), by_guid)
	                                          : NULL;
	const struct ibc_port *port;

	if (!found || !guid)
		return NULL;
	port = (*found)->node->type == IBC_NODE_SWITCH ? *found : (*found)->peer;
	return port && port->node->type == IBC_NODE_SWITCH ? port : NULL;
}

static bool is_new(const struct trees *t, size_t i)
{
	return i == 0 || !t->members[i].port_guid ||
	       t->members[i].port_guid != t->members[i - 1].port_guid;
}

static void find_missing(struct trees *t)
{
	for (size_t i = 0; i < t->num_members; i++) {
		const struct ibc_port *at = port_of_member(t, t->members[i].port_guid);
		uint32_t column;

		if (!at || t->members[i].join_state == SEND_ONLY || !is_new(t, i))
			continue;
		column = (uint32_t)fabric_column(t->mft->switches, t->p->n, at->node);
		if (at->num && next_hop_port(t, column, at->num) != HOP_HOST)
			continue;
		if (is_set_known(t, column) && !ports_have(ports_of(t, column), at->num))
			put_fault(t, IBC_TREE_MISSING, column, at->num);
	}
}

/* ---- groups --------------------------------------------------------------------------------- */

static void look_at_group(struct trees *t)
{
	struct route_subnet *p = t->p;

	t->group = (struct ibc_multicast_group){ .subnet = p->subnet, .mlid = t->mlid };
	for (size_t i = 0; i < FAULTS; i++)
		t->faults[i] = (struct ibc_multicast_fault){ .count = 0 };
	for (uint32_t s = 0; s < p->n; s++)
		t->pieces.parent[s] = s;
	for (size_t i = 0; i < t->num_members; i++)
		t->group.members += is_new(t, i);
	look_at_switches(t);
	join_unknown(t);
	find_cuts(t);
	if (t->group.members >= MEMBERS_MIN)
		find_missing(t);
	if (t->group.switches)
		p->groups[p->num_groups++] = t->group;
	for (enum ibc_tree_fault kind = 0; kind < FAULTS; kind++) {
		if (!t->faults[kind].count)
			continue;
		t->faults[kind].mlid = t->mlid;
		t->faults[kind].fault = kind;
		p->trees[p->num_trees++] = t->faults[kind];
	}
}

void routes_trees(struct route_subnet *p)
{
	struct trees t = { .p = p, .mft = p->subnet->multicast };
	const struct ibc_sa *sa = p->subnet->sa;
	size_t most, next = 0, n = sa ? sa->num_members : 0;

	if (!t.mft || !p->n)
		return;
	assert(t.mft->num_switches == p->n);
	most = t.mft->num_mlids + n;
	most = most < MLIDS ? most : MLIDS;
	p->groups = arena_array(p->routes->arena, most + 1, sizeof(*p->groups));
	p->trees = arena_array(p->routes->arena, most * FAULTS + 1, sizeof(*p->trees));
	t.size = arena_array(p->tmp, p->n + 1u, sizeof(*t.size));
	sets_new(p->tmp, p->n, &t.pieces);
	if (n)
		collect_ports(&t, p->tmp);
	while (next < n && sa->members[next].mlid < IBC_MLID_FIRST)
		next++;
	for (t.mlid = IBC_MLID_FIRST; t.mlid < IBC_MLID_FIRST + MLIDS; t.mlid++) {
		t.members = n ? &sa->members[next] : NULL;
		for (t.num_members = 0; next < n && sa->members[next].mlid == t.mlid; next++)
			t.num_members++;
		if (t.num_members || t.mlid < IBC_MLID_FIRST + t.mft->num_mlids)
			look_at_group(&t);
	}
}
