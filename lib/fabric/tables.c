/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of a subnet's switches: a column a switch, so that a row is one destination. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "fabric/build.h"
#include "fabric/fabric.h"

#define ROW_ALIGN 64 /* bytes: a row does not share a cache line with another */

/* Duplicates of a GUID are distinguished by the order in which they were made, as in the walk. */
static int by_guid(const void *va, const void *vz)
{
	const struct ibc_node *a = *(const struct ibc_node *const *)va;
	const struct ibc_node *z = *(const struct ibc_node *const *)vz;

	return order_u64(a->guid, z->guid) ?: order_u64(node_order(a), node_order(z));
}

/* The subnet's switches by GUID; NULL when out of memory. */
static const struct ibc_node **table_columns(struct fabric_build *b,
                                             const struct ibc_subnet *subnet, size_t *n)
{
	const struct ibc_node **list, *node;
	size_t room = 0;

	*n = 0;
	while (fabric_build_node_at(b, room))
		room++;
	list = arena_array(fabric_build_arena(b), room + 1, sizeof(*list));
	for (size_t i = 0; list && (node = fabric_build_node_at(b, i)); i++)
		if (node->subnet == subnet && node->type == IBC_NODE_SWITCH)
			list[(*n)++] = node;
	if (list && *n)
		qsort(list, *n, sizeof(*list), by_guid);
	for (size_t i = 0; i < *n; i++)
		((struct fabric_node *)list[i])->column = (uint32_t)i;
	return list;
}

size_t fabric_column(const struct ibc_node *const *switches, size_t n, const struct ibc_node *node)
{
	size_t column = ((const struct fabric_node *)node)->column;

	return column < n && switches[column] == node ? column : SIZE_MAX;
}

struct fabric_forwarding *fabric_build_forwarding(struct fabric_build *b, struct ibc_subnet *subnet,
                                                  unsigned int num_lids)
{
	struct arena *a = fabric_build_arena(b);
	struct fabric_forwarding *f = arena_alloc(a, sizeof(*f));
	size_t n, stride, blocks = (num_lids + IBC_LFT_BLOCK - 1) / IBC_LFT_BLOCK;
	const struct ibc_node **switches = table_columns(b, subnet, &n);

	if (!f || !switches)
		return NULL;
	stride = (n + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
	f->out = arena_array(a, blocks * IBC_LFT_BLOCK + 1, stride);
	f->known = arena_array(a, blocks + 1, stride);
	if (!f->out || !f->known)
		return NULL;
	memset(f->out, IBC_NO_ENTRY, blocks * IBC_LFT_BLOCK * stride);
	f->tables = (struct ibc_forwarding){
		.switches = switches,
		.num_switches = n,
		.stride = stride,
		.num_lids = num_lids,
		.out = f->out,
		.known = f->known,
	};
	subnet->forwarding = &f->tables;
	return f;
}

struct fabric_multicast *fabric_build_multicast(struct fabric_build *b, struct ibc_subnet *subnet,
                                                unsigned int num_mlids)
{
	struct arena *a = fabric_build_arena(b);
	struct fabric_multicast *m = arena_alloc(a, sizeof(*m));
	size_t n, blocks = (num_mlids + IBC_MFT_BLOCK - 1) / IBC_MFT_BLOCK;
	const struct ibc_node **switches = table_columns(b, subnet, &n);

	if (!m || !switches)
		return NULL;
	m->ports = arena_array(a, blocks * IBC_MFT_BLOCK * n + 1, 4 * sizeof(*m->ports));
	m->known = arena_array(a, blocks * n + 1, sizeof(*m->known));
	if (!m->ports || !m->known)
		return NULL;
	m->tables = (struct ibc_multicast){
		.switches = switches,
		.num_switches = n,
		.num_mlids = num_mlids,
		.ports = m->ports,
		.known = m->known,
	};
	subnet->multicast = &m->tables;
	return m;
}

unsigned int ibc_switch_vl(const struct ibc_node *node, unsigned int in, unsigned int out,
                           unsigned int sl)
{
	const struct ibc_sl2vl *t = node->sl2vl;

	if (!t || sl > 15 || in >= t->width || out >= t->width)
		return IBC_VL_UNKNOWN;
	return t->vl[(t->uniform ? 0 : (size_t)in * t->width + out) * 16 + sl];
}

enum ibc_sm_state ibc_sm_state_now(const struct ibc_sm_info *sm)
{
	return sm->state_later || sm->act_seconds > 0 ? sm->state_later : sm->state;
}

/* A manager with nothing to do may count nothing for a moment. */
#define IDLE_SECONDS 1

enum ibc_sm_life ibc_sm_life(const struct ibc_sm_info *sm)
{
	if (sm->act_seconds <= 0)
		return IBC_SM_LIFE_UNKNOWN;
	if (!sm->state_later)
		return IBC_SM_LOST;
	if (sm->act_count != sm->act_count_later)
		return IBC_SM_WORKS;
	return sm->act_seconds >= IDLE_SECONDS ? IBC_SM_IDLE : IBC_SM_LIFE_UNKNOWN;
}
