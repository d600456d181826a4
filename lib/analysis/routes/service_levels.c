/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/routes/service_levels.h"

#include "base/arena.h"
#include "fabric/build.h"
#include "fabric/fabric.h"

/* ---- levels ------------------------------------------------------------------------- */

size_t sl_find_record(const struct ibc_sa *sa, unsigned int dlid, unsigned int slid)
{
	size_t low = 0, high = sa->num_paths;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct ibc_path_sl *path = &sa->paths[mid];

		if (path->dlid < dlid || (path->dlid == dlid && path->slid < slid))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

unsigned int sl_of(const struct route_subnet *p, const struct ibc_port *src, uint32_t column,
                   const struct route_dest *dest)
{
	const struct ibc_sa *sa = p->subnet->sa;
	unsigned int sl, lid, end;
	size_t i;

	if (p->sls->single)
		return p->sls->only;
	sl = p->sls->by_ends[(size_t)column * p->n + dest->sw];
	if (sl == SL_NONE)
		return SL_UNKNOWN;
	if (sl != SL_MIXED)
		return sl - 1;
	lid = port_lids(src, &end);
	i = sl_find_record(sa, dest->lid, lid);
	return i < sa->num_paths && sa->paths[i].dlid == dest->lid && sa->paths[i].slid < end
	           ? sa->paths[i].sl & 15
	           : SL_UNKNOWN;
}

/* The column of the switch a LID is on, or is of; NO_HOST: of none. */
static uint32_t column_of(const struct route_subnet *p, unsigned int lid)
{
	const struct ibc_port *port = ibc_fabric_port_by_lid(p->subnet, lid);
	size_t column;

	if (port && port->num)
		port = port->peer;
	if (!port || port->node->type != IBC_NODE_SWITCH)
		return NO_HOST;
	column = fabric_column(p->lft->switches, p->n, port->node);
	return column < p->n ? (uint32_t)column : NO_HOST;
}

static void find_by_ends(struct route_subnet *p)
{
	const struct ibc_sa *sa = p->subnet->sa;
	uint32_t *columns = arena_array(p->tmp, UNICAST_LIDS, sizeof(*columns));
	uint8_t *by_ends = arena_array(p->routes->arena, p->n, p->n);

	for (unsigned int lid = 0; lid < UNICAST_LIDS; lid++)
		columns[lid] = column_of(p, lid);
	for (size_t i = 0; i < sa->num_paths; i++) {
		const struct ibc_path_sl *path = &sa->paths[i];
		uint32_t from, to;
		uint8_t *known;

		if (path->slid >= UNICAST_LIDS || path->dlid >= UNICAST_LIDS)
			continue;
		from = columns[path->slid];
		to = columns[path->dlid];
		if (from == NO_HOST || to == NO_HOST)
			continue;
		known = &by_ends[(size_t)from * p->n + to];
		if (*known == SL_NONE)
			*known = (path->sl & 15) + 1;
		else if (*known != (path->sl & 15) + 1)
			*known = SL_MIXED;
	}
	p->sls->by_ends = by_ends;
}

/* Pairs of hosts that there are records of; several LIDs of a sender count once. */
static uint64_t count_known(const struct route_subnet *p)
{
	const struct ibc_sa *sa = p->subnet->sa;
	const struct ibc_port *src, *dst, *last = NULL;
	unsigned int last_dlid = 0;
	uint64_t n = 0;

	for (size_t i = 0; i < sa->num_paths; i++) {
		src = ibc_fabric_port_by_lid(p->subnet, sa->paths[i].slid);
		dst = ibc_fabric_port_by_lid(p->subnet, sa->paths[i].dlid);
		if (!src || !dst || src == dst || !src->num || !dst->num ||
		    (src == last && sa->paths[i].dlid == last_dlid))
			continue;
		last = src;
		last_dlid = sa->paths[i].dlid;
		n++;
	}
	return n;
}

/* ---- lanes -------------------------------------------------------------------------- */

/* Can a packet go on from a switch by this port, or come in? */
static bool is_used(const struct route_subnet *p, uint32_t s, unsigned int num)
{
	uint32_t next_hop = p->next_hop[(size_t)s * p->width + num];

	return next_hop < HOP_SPECIAL || next_hop == HOP_HOST;
}

/* Lanes that a switch gives a level, by each pair of its ports that packets can take. */
static void see_switch(struct route_subnet *p, uint32_t s, unsigned int sl)
{
	const struct ibc_sl2vl *t = p->lft->switches[s]->sl2vl;
	bool uniform = !t || t->uniform;

	for (unsigned int out = 1; out < (uniform ? 2 : p->width); out++) {
		unsigned int first = IBC_VL_UNKNOWN;

		if (!uniform && !is_used(p, s, out))
			continue;
		for (unsigned int in = 0; in < (uniform ? 1 : p->width); in++) {
			unsigned int vl;

			if (in && (in == out || !is_used(p, s, in)))
				continue;
			vl = vl_at(p, s, in, out, sl);
			if (vl < VL_DROPS)
				p->sls->vls |= (uint16_t)(1u << vl);
			if (first == IBC_VL_UNKNOWN)
				first = vl;
			p->sls->steady &= vl == first && vl != VL_DROPS;
		}
	}
}

void routes_service_levels(struct route_subnet *p)
{
	const struct ibc_sa *sa = p->subnet->sa;
	uint64_t pairs = p->num_hosts ? (uint64_t)p->host_dests * (p->num_hosts - 1) : 0;
	unsigned int used = 0;

	p->sls = arena_alloc(p->routes->arena, sizeof(*p->sls));
	p->sls->single = true;
	p->sums.sl_source = IBC_SL_ASSUMED;
	for (size_t i = 0; sa && i < sa->num_paths; i++) {
		p->sls->single &= sa->paths[i].sl == sa->paths[0].sl;
		used |= 1u << (sa->paths[i].sl & 15);
	}
	if (used) {
		p->sls->only = sa->paths[0].sl & 15;
		p->sums.sl_source = p->sls->single ? IBC_SL_SAMPLED : IBC_SL_PARTIAL;
		if (count_known(p) >= pairs)
			p->sums.sl_source = IBC_SL_COMPLETE;
		if (!p->sls->single)
			find_by_ends(p);
	} else {
		used = 1; /* service level 0 */
	}
	p->sls->steady = p->sls->single;
	for (uint32_t s = 0; s < p->n; s++) {
		p->sums.vl_tables += p->lft->switches[s]->sl2vl != NULL;
		for (unsigned int sl = 0; sl < 16; sl++)
			if (used >> sl & 1)
				see_switch(p, s, sl);
	}
	p->sums.vls = (unsigned int)__builtin_popcount(p->sls->vls);
}
