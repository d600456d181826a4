/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <string.h>

#include "fabric/build.h"
#include "model/encode.h"
#include "model/tables.h"

#define STATUS_UNSUPPORTED 0x0c
#define STATUS_INVALID     0x1c

/* The port that a query to a channel adapter reaches, or that a modifier means. */
static const struct ibc_port *port_at(const struct table_place *at, unsigned int num)
{
	return ibc_node_port(at->node, at->node->type == IBC_NODE_SWITCH ? num : at->in_port);
}

static int give_sm_info(struct model_tables *t, const struct table_place *at, uint32_t modifier,
                        uint8_t *data)
{
	const struct ibc_sm_info *sm = port_at(at, 0)->extra->sm;
	unsigned int before = t->sm_asked++;
	struct sm_info out;

	(void)modifier;
	if (!sm || (t->sm_answers && before >= t->sm_answers))
		return TABLES_SAY_NOTHING;
	out = (struct sm_info){
		.guid = sm->guid,
		.act_count = sm->act_count,
		.priority = sm->priority,
		.state = before && sm->state_later ? sm->state_later : sm->state,
	};
	if (before > t->sm_idle)
		out.act_count += (before - t->sm_idle) * (sm->act_count_later - sm->act_count);
	sm_info_put(data, &out);
	return 0;
}

/* A port of which nothing is known is a full member of the default partition. */
static int give_pkeys(struct model_tables *t, const struct table_place *at, uint32_t modifier,
                      uint8_t *data)
{
	static const uint16_t everybody = 0xffff;
	const struct ibc_port *p = port_at(at, modifier >> 16);
	const struct ibc_pkeys *pkeys = p ? p->extra->pkeys : NULL;
	const uint16_t *keys = pkeys ? pkeys->keys : &everybody;
	size_t n = pkeys ? pkeys->num_keys : 1, first = SMP_BLOCK_WORDS * (modifier & 0xffff);
	uint16_t block[SMP_BLOCK_WORDS] = { 0 };

	(void)t;
	if (!p)
		return STATUS_INVALID;
	for (size_t i = 0; i < SMP_BLOCK_WORDS && first + i < n; i++)
		block[i] = keys[first + i];
	block_words_put(data, block);
	return 0;
}

static int give_lft(struct model_tables *t, const struct table_place *at, uint32_t modifier,
                    uint8_t *data)
{
	const struct ibc_forwarding *f = at->node->subnet->forwarding;
	size_t column = f ? fabric_column(f->switches, f->num_switches, at->node) : SIZE_MAX;
	unsigned int first = IBC_LFT_BLOCK * modifier;

	(void)t;
	if (column == SIZE_MAX)
		return STATUS_UNSUPPORTED;
	memset(data, IBC_NO_ENTRY, SMP_DATA_SIZE);
	if (first >= f->num_lids)
		return 0;
	if (!f->known[modifier * f->stride + column])
		return TABLES_SAY_NOTHING;
	for (unsigned int i = 0; i < IBC_LFT_BLOCK && first + i < f->num_lids; i++)
		data[i] = f->out[(first + i) * f->stride + column];
	return 0;
}

static int give_mft(struct model_tables *t, const struct table_place *at, uint32_t modifier,
                    uint8_t *data)
{
	const struct ibc_multicast *m = at->node->subnet->multicast;
	size_t column = m ? fabric_column(m->switches, m->num_switches, at->node) : SIZE_MAX;
	unsigned int block = modifier & 0x1ff, port = MFT_PORTS * (modifier >> 28);
	uint16_t sets[SMP_BLOCK_WORDS] = { 0 };

	(void)t;
	if (column == SIZE_MAX)
		return STATUS_UNSUPPORTED;
	if (IBC_MFT_BLOCK * block < m->num_mlids && !m->known[block * m->num_switches + column])
		return TABLES_SAY_NOTHING;
	for (size_t i = 0; i < SMP_BLOCK_WORDS; i++) {
		size_t mlid = IBC_MFT_BLOCK * block + i;

		if (mlid < m->num_mlids)
			sets[i] = (uint16_t)(m->ports[(mlid * m->num_switches + column) * 4 +
			                              port / 64] >>
			                     port % 64);
	}
	block_words_put(data, sets);
	return 0;
}

static int give_sl2vl(struct model_tables *t, const struct table_place *at, uint32_t modifier,
                      uint8_t *data)
{
	bool is_switch = at->node->type == IBC_NODE_SWITCH;
	unsigned int in = is_switch ? modifier >> 8 & 0xff : 0;
	unsigned int out = is_switch ? modifier & 0xff : at->in_port;
	uint8_t vl[SMP_SLS];

	(void)t;
	if (!at->node->sl2vl)
		return STATUS_UNSUPPORTED;
	if (in > at->node->num_ports || out > at->node->num_ports)
		return STATUS_INVALID;
	for (unsigned int sl = 0; sl < SMP_SLS; sl++) {
		unsigned int lane = ibc_switch_vl(at->node, in, out, sl);

		if (lane == IBC_VL_UNKNOWN)
			return TABLES_SAY_NOTHING;
		vl[sl] = (uint8_t)lane;
	}
	sl2vl_put(data, vl);
	return 0;
}

/* get_cap, a bit of the modifier, is not known to this model. */
static int give_ar_info(struct model_tables *t, const struct table_place *at, uint32_t modifier,
                        uint8_t *data)
{
	if (!at->node->ar)
		return STATUS_UNSUPPORTED;
	if (modifier)
		return STATUS_INVALID;
	memset(data, t->garbage, SMP_DATA_SIZE);
	if (!t->garbage)
		ar_info_put(data, at->node->ar);
	return 0;
}

/* What it holds of them, each one that it has not is Down. */
static int give_virtualization(struct model_tables *t, const struct table_place *at,
                               uint32_t modifier, uint8_t *data)
{
	const struct ibc_vports *v = port_at(at, 0)->extra->vports;

	if (!v)
		return STATUS_UNSUPPORTED;
	if (modifier)
		return STATUS_INVALID;
	memset(data, t->garbage, SMP_DATA_SIZE);
	if (!t->garbage)
		virtualization_put(data, v);
	return 0;
}

static int give_vport(struct model_tables *t, const struct table_place *at, uint32_t modifier,
                      uint8_t *data)
{
	const struct ibc_vports *v = port_at(at, 0)->extra->vports;
	struct ibc_vport out = { .state = IBC_STATE_DOWN };

	if (!v || modifier > v->top)
		return STATUS_INVALID;
	if (t->vport_silent && modifier == t->vport_silent)
		return TABLES_SAY_NOTHING;
	if (t->one_vport)
		modifier = v->vports[0].index;
	for (size_t i = 0; i < v->num_vports; i++)
		if (v->vports[i].index == modifier)
			out = v->vports[i];
	vport_put(data, &out);
	return 0;
}

static int give_router(struct model_tables *t, const struct table_place *at, uint32_t modifier,
                       uint8_t *data)
{
	if (!at->node->router)
		return STATUS_UNSUPPORTED;
	if (modifier)
		return STATUS_INVALID;
	memset(data, t->garbage, SMP_DATA_SIZE);
	if (!t->garbage)
		router_put(data, at->node->router);
	return 0;
}

static int give_private_lfts(struct model_tables *t, const struct table_place *at,
                             uint32_t modifier, uint8_t *data)
{
	const struct ibc_forwarding *f = at->node->subnet->forwarding;

	(void)t;
	if (modifier || !f || !f->ar)
		return STATUS_INVALID;
	data[3] =
	    f->ar->switches[fabric_column(f->switches, f->num_switches, at->node)].private_tables;
	return 0;
}

/* Of the tables a column; NULL: it has none. */
static const struct ibc_ar_tables *ar_tables_at(const struct table_place *at, size_t *column)
{
	const struct ibc_forwarding *f = at->node->subnet->forwarding;

	*column = f && f->ar ? fabric_column(f->switches, f->num_switches, at->node) : SIZE_MAX;
	return *column == SIZE_MAX ? NULL : f->ar;
}

/*
 * A group has its ports in the first of its sub-groups, but for the highest one, which is in
 * the last: where there is one only it is all the same.
 */
static int give_ar_groups(struct model_tables *t, const struct table_place *at, uint32_t modifier,
                          uint8_t *data)
{
	unsigned int subs = at->node->ar && at->node->ar->sub_groups ? at->node->ar->sub_groups : 1;
	const struct ibc_ar_tables *ar;
	size_t column;

	ar = ar_tables_at(at, &column);
	if (!ar)
		return STATUS_UNSUPPORTED;
	memset(data, t->ar_garbage, SMP_DATA_SIZE);
	for (unsigned int i = 0; !t->ar_garbage && i < AR_MASKS; i++) {
		unsigned int mask = AR_MASKS * modifier + i, group = mask / subs;
		unsigned int place = t->ar_reading & AR_SWAPPED ? AR_MASKS - 1 - i : i;
		const struct ibc_port_set *set = NULL;

		if (group < ar->switches[column].num_groups)
			set = ar->switches[column].groups[group];
		if (set)
			ar_mask_put(data + place * AR_MASK_SIZE, t->ar_reading, set, mask % subs,
			            subs);
	}
	return 0;
}

static int give_ar_lft(struct model_tables *t, const struct table_place *at, uint32_t modifier,
                       uint8_t *data)
{
	const struct ibc_forwarding *f = at->node->subnet->forwarding;
	const struct ibc_ar_tables *ar;
	size_t column;

	ar = ar_tables_at(at, &column);
	if (!ar)
		return STATUS_UNSUPPORTED;
	if (t->ar_blocks && modifier >= t->ar_blocks)
		return TABLES_SAY_NOTHING;
	memset(data, t->ar_garbage, SMP_DATA_SIZE);
	for (unsigned int i = 0; !t->ar_garbage && i < AR_LFT_LIDS; i++) {
		const unsigned int lid = AR_LFT_LIDS * modifier + i;
		const uint16_t *block;
		bool has = lid < f->num_lids;

		block = has ? ar->blocks[lid / IBC_LFT_BLOCK * f->stride + column] : NULL;
		ar_entry_put(data + 4 * i,
		             block ? block[lid % IBC_LFT_BLOCK]
		                   : IBC_AR_ENTRY_STATIC << IBC_AR_ENTRY_SHIFT,
		             has ? f->out[lid * f->stride + column] : IBC_NO_ENTRY);
	}
	return 0;
}

/* A table that it has not is empty. */
static int give_arbitration(struct model_tables *t, const struct table_place *at, uint32_t modifier,
                            uint8_t *data)
{
	const struct ibc_port *p = port_at(at, modifier & 0xffff);
	const struct ibc_arbitration *a = p ? p->extra->arbitration : NULL;
	unsigned int block = modifier >> 16, first, end;

	(void)t;
	if (!a)
		return STATUS_UNSUPPORTED;
	if (block < ARBITRATION_LOW || block > ARBITRATION_HIGH + 1)
		return STATUS_INVALID;
	first = block < ARBITRATION_HIGH ? a->num_high : 0;
	end = block < ARBITRATION_HIGH ? a->num_high + a->num_low : a->num_high;
	first += SMP_VL_SLOTS * ((block - 1) % 2);
	for (unsigned int i = 0; i < SMP_VL_SLOTS && first + i < end; i++) {
		data[2 * i] = a->slots[first + i].vl;
		data[2 * i + 1] = a->slots[first + i].weight;
	}
	return 0;
}

int model_tables_answer(struct model_tables *t, const struct table_place *at, uint16_t attribute,
                        uint32_t modifier, uint8_t data[SMP_DATA_SIZE])
{
	const struct {
		uint16_t attribute;
		enum ibc_attr attr;
		bool of_switch;
		int (*give)(struct model_tables *t, const struct table_place *at, uint32_t modifier,
		            uint8_t *data);
	} tables[] = {
		{ SMP_SM_INFO, IBC_ATTR_SM_INFO, false, give_sm_info },
		{ SMP_PKEY_TABLE, IBC_ATTR_PKEY_TABLE, false, give_pkeys },
		{ SMP_LINEAR_FDB, IBC_ATTR_LFT, true, give_lft },
		{ SMP_MULTICAST_FDB, IBC_ATTR_MFT, true, give_mft },
		{ SMP_SL2VL_TABLE,
		  at->node->type == IBC_NODE_SWITCH ? IBC_ATTR_SL2VL : IBC_ATTR_HCA_SL2VL, false,
		  give_sl2vl },
		{ SMP_VL_ARBITRATION, IBC_ATTR_VL_ARBITRATION, false, give_arbitration },
		{ 0xff10, IBC_ATTR_PRIVATE_LFT, true, give_private_lfts },
		{ 0xff20, IBC_ATTR_AR_INFO, true, give_ar_info },
		{ 0xffb0, IBC_ATTR_VPORTS, false, give_virtualization },
		{ 0xffb1, IBC_ATTR_VPORTS, false, give_vport },
		{ 0xffd0, IBC_ATTR_ROUTER_INFO, false, give_router },
		{ 0xff21, IBC_ATTR_AR_GROUPS, true, give_ar_groups },
		{ 0xff23, IBC_ATTR_AR_LFT, true, give_ar_lft },
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (tables[i].attribute != attribute)
			continue;
		if (ibc_attrs_has(t->silent, tables[i].attr))
			return TABLES_SAY_NOTHING;
		if (ibc_attrs_has(t->refused, tables[i].attr) ||
		    (tables[i].of_switch && at->node->type != IBC_NODE_SWITCH))
			return STATUS_UNSUPPORTED;
		return tables[i].give(t, at, modifier, data);
	}
	return STATUS_UNSUPPORTED;
}
