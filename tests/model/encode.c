/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include <infiniband/mad.h>

#include <ibcheck/fabric.h>

#include "model/encode.h"

void node_info_put(uint8_t data[SMP_DATA_SIZE], const struct node_info *in)
{
	memset(data, 0, SMP_DATA_SIZE);
	mad_set_field(data, 0, IB_NODE_BASE_VERS_F, 1);
	mad_set_field(data, 0, IB_NODE_CLASS_VERS_F, 1);
	mad_set_field(data, 0, IB_NODE_TYPE_F, in->type);
	mad_set_field(data, 0, IB_NODE_NPORTS_F, in->num_ports);
	mad_set_field(data, 0, IB_NODE_LOCAL_PORT_F, in->local_port);
	mad_set_field64(data, 0, IB_NODE_SYSTEM_GUID_F, in->system_guid);
	mad_set_field64(data, 0, IB_NODE_GUID_F, in->node_guid);
	mad_set_field64(data, 0, IB_NODE_PORT_GUID_F, in->port_guid);
	mad_set_field(data, 0, IB_NODE_VENDORID_F, in->vendor_id);
	mad_set_field(data, 0, IB_NODE_REVISION_F, in->revision);
	mad_set_field(data, 0, IB_NODE_DEVID_F, in->device_id);
	mad_set_field(data, 0, IB_NODE_PARTITION_CAP_F, in->pkey_cap);
}

void switch_info_put(uint8_t data[SMP_DATA_SIZE], const struct switch_info *in)
{
	memset(data, 0, SMP_DATA_SIZE);
	mad_set_field(data, 0, IB_SW_LINEAR_FDB_CAP_F, in->lft_cap);
	mad_set_field(data, 0, IB_SW_LINEAR_FDB_TOP_F, in->lft_top);
	mad_set_field(data, 0, IB_SW_MCAST_FDB_CAP_F, in->mft_cap);
	mad_set_field(data, 0, IB_SW_MCAST_FDB_TOP_F, in->mft_top);
	mad_set_field(data, 0, IB_SW_PARTITION_ENFORCE_CAP_F, in->pkey_enforce_cap);
	mad_set_field(data, 0, IB_SW_ENHANCED_PORT0_F, in->enhanced_port0);
}

#define SPEEDS_BASIC (IBC_SPEED_SDR | IBC_SPEED_DDR | IBC_SPEED_QDR)
#define SPEEDS_EXT   (IBC_SPEED_FDR | IBC_SPEED_EDR | IBC_SPEED_HDR | IBC_SPEED_NDR)

/* PortInfo calls FDR10 QDR. */
static uint32_t basic_of(uint16_t speeds)
{
	return (speeds & SPEEDS_BASIC) | (speeds & IBC_SPEED_FDR10 ? IBC_SPEED_QDR : 0);
}

static uint32_t ext_of(uint16_t speeds)
{
	return (speeds & SPEEDS_EXT) / IBC_SPEED_FDR;
}

static uint32_t ext2_of(uint16_t speeds)
{
	return speeds & IBC_SPEED_XDR ? 1 : 0;
}

static void speeds_put(uint8_t *data, const struct port_info *in)
{
	const uint32_t disabled_ext = 30;
	uint32_t ext_supported = ext_of(in->speed_supported);
	uint32_t ext_enabled = ext_of(in->speed_enabled);

	mad_set_field(data, 0, IB_PORT_LINK_SPEED_ACTIVE_F, basic_of(in->speed_active));
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_ENABLED_F, basic_of(in->speed_enabled));
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_SUPPORTED_F, basic_of(in->speed_supported));
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_EXT_ACTIVE_F, ext_of(in->speed_active));
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_EXT_SUPPORTED_F, ext_supported);
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_EXT_ENABLED_F,
	              ext_supported && !ext_enabled ? disabled_ext : ext_enabled);
	/* bits 449-455, which libibmad 44 does not know yet */
	data[56] = ext2_of(in->speed_active) << 5 | ext2_of(in->speed_supported) << 3 |
	           ext2_of(in->speed_enabled);
}

void port_info_put(uint8_t data[SMP_DATA_SIZE], const struct port_info *in)
{
	memset(data, 0, SMP_DATA_SIZE);
	mad_set_field(data, 0, IB_PORT_LOCAL_PORT_F, in->local_port);
	mad_set_field(data, 0, IB_PORT_STATE_F, in->state);
	mad_set_field(data, 0, IB_PORT_PHYS_STATE_F, in->phys_state);
	mad_set_field(data, 0, IB_PORT_LINK_WIDTH_ACTIVE_F, in->width_active);
	mad_set_field(data, 0, IB_PORT_LINK_WIDTH_ENABLED_F, in->width_enabled);
	mad_set_field(data, 0, IB_PORT_LINK_WIDTH_SUPPORTED_F, in->width_supported);
	speeds_put(data, in);
	mad_set_field(data, 0, IB_PORT_LID_F, in->lid);
	mad_set_field(data, 0, IB_PORT_SMLID_F, in->sm_lid);
	mad_set_field(data, 0, IB_PORT_LMC_F, in->lmc);
	mad_set_field(data, 0, IB_PORT_SMSL_F, in->sm_sl);
	mad_set_field(data, 0, IB_PORT_MTU_CAP_F, in->mtu_cap);
	mad_set_field(data, 0, IB_PORT_NEIGHBOR_MTU_F, in->mtu_active);
	mad_set_field(data, 0, IB_PORT_VL_CAP_F, in->vl_cap);
	mad_set_field(data, 0, IB_PORT_OPER_VLS_F, in->vl_active);
	mad_set_field(data, 0, IB_PORT_VL_ARBITRATION_HIGH_CAP_F, in->arb_high_cap);
	mad_set_field(data, 0, IB_PORT_VL_ARBITRATION_LOW_CAP_F, in->arb_low_cap);
	mad_set_field(data, 0, IB_PORT_CAPMASK_F, in->cap_mask);
	mad_set_field(data, 0, IB_PORT_CAPMASK2_F, in->cap_mask2);
	mad_set_field64(data, 0, IB_PORT_GID_PREFIX_F, in->gid_prefix);
	mad_set_field(data, 0, IB_PORT_PART_EN_INB_F, in->pkey_enforce >> 1);
	mad_set_field(data, 0, IB_PORT_PART_EN_OUTB_F, in->pkey_enforce & 1);
	mad_set_field(data, 0, IB_PORT_MKEY_PROT_BITS_F, in->m_key_protect);
	mad_set_field(data, 0, IB_PORT_MKEY_VIOL_F, in->m_key_violations);
}

static void fdr10_put(uint8_t *data, enum MAD_FIELDS f, uint16_t speeds)
{
	mad_set_field(data, 0, f, speeds & IBC_SPEED_FDR10 ? 1 : 0);
}

void mlnx_ext_port_info_put(uint8_t data[SMP_DATA_SIZE], const struct mlnx_ext_port_info *in)
{
	memset(data, 0, SMP_DATA_SIZE);
	fdr10_put(data, IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F, in->speed_active);
	fdr10_put(data, IB_MLNX_EXT_PORT_LINK_SPEED_ENABLED_F, in->speed_enabled);
	fdr10_put(data, IB_MLNX_EXT_PORT_LINK_SPEED_SUPPORTED_F, in->speed_supported);
}

void sm_info_put(uint8_t data[SMP_DATA_SIZE], const struct sm_info *in)
{
	memset(data, 0, SMP_DATA_SIZE);
	mad_set_field64(data, 0, IB_SMINFO_GUID_F, in->guid);
	mad_set_field(data, 0, IB_SMINFO_ACT_F, in->act_count);
	mad_set_field(data, 0, IB_SMINFO_PRIO_F, in->priority);
	mad_set_field(data, 0, IB_SMINFO_STATE_F, in->state - 1u);
}

void block_words_put(uint8_t data[SMP_DATA_SIZE], const uint16_t in[SMP_BLOCK_WORDS])
{
	for (unsigned int i = 0; i < SMP_BLOCK_WORDS; i++) {
		data[2 * i] = (uint8_t)(in[i] >> 8);
		data[2 * i + 1] = (uint8_t)in[i];
	}
}

void ar_info_put(uint8_t data[SMP_DATA_SIZE], const struct ibc_ar_info *in)
{
	memset(data, 0, SMP_DATA_SIZE);
	data[0] = (uint8_t)(in->flags >> 8);
	data[2] = in->sub_groups;
	data[3] = (uint8_t)in->flags;
	data[4] = in->group_tables;
	data[5] = (uint8_t)(in->group_top >> 4);
	data[6] = (uint8_t)(in->group_top << 4 | in->group_cap >> 8);
	data[7] = (uint8_t)in->group_cap;
	data[8] = (uint8_t)(in->sl_mask >> 8);
	data[9] = (uint8_t)in->sl_mask;
	data[10] = in->sub_groups_cap;
	data[15] = in->transports_off;
	for (unsigned int i = 0; i < 4; i++)
		data[16 + i] = (uint8_t)(in->ageing_us >> (24 - 8 * i));
	data[20] = (uint8_t)(in->flags >> 24);
	data[22] = (uint8_t)(in->flags >> 16);
	data[26] = (uint8_t)(in->hbf_sl_mask >> 8);
	data[27] = (uint8_t)in->hbf_sl_mask;
}

static void number_put(uint8_t *at, unsigned int bytes, uint64_t value)
{
	for (unsigned int i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
}

void virtualization_put(uint8_t data[SMP_DATA_SIZE], const struct ibc_vports *in)
{
	memset(data, 0, SMP_DATA_SIZE);
	number_put(data, 2, in->cap);
	number_put(data + 2, 2, in->top);
	data[4] = in->enabled ? 0x80 : 0;
}

void vport_put(uint8_t data[SMP_DATA_SIZE], const struct ibc_vport *in)
{
	memset(data, 0, SMP_DATA_SIZE);
	data[0] = (uint8_t)(in->state << 4 | (in->lid_required ? 0x04 : 0));
	number_put(data + 8, 2, in->lid);
	number_put(data + 10, 2, in->lid_index);
	number_put(data + 12, 8, in->guid);
}

void router_put(uint8_t data[SMP_DATA_SIZE], const struct ibc_router *in)
{
	memset(data, 0, SMP_DATA_SIZE);
	data[14] = in->adjacent_top;
	data[15] = in->adjacent_cap;
	number_put(data + 24, 4, in->global.first);
	number_put(data + 28, 4, in->global.last);
	number_put(data + 32, 4, in->local.first);
	number_put(data + 36, 4, in->local.last);
}

void sl2vl_put(uint8_t data[SMP_DATA_SIZE], const uint8_t in[SMP_SLS])
{
	memset(data, 0, SMP_DATA_SIZE);
	for (unsigned int i = 0; i < SMP_SLS; i++)
		data[i / 2] |= (uint8_t)((in[i] & 0xf) << (i % 2 ? 0 : 4));
}

void ar_entry_put(uint8_t data[4], unsigned int entry, unsigned int port)
{
	data[0] = (uint8_t)(entry >> IBC_AR_ENTRY_SHIFT << 6);
	data[1] = (uint8_t)port;
	data[2] = (uint8_t)((entry & 0x3fff) >> 8);
	data[3] = (uint8_t)entry;
}

/* A port at a time: nothing of how it is read. */
void ar_mask_put(uint8_t data[AR_MASK_SIZE], unsigned int reading, const struct ibc_port_set *set,
                 unsigned int sub, unsigned int subs)
{
	unsigned int highest = 255;

	while (highest && !(set->words[highest / 64] >> highest % 64 & 1))
		highest--;
	for (unsigned int port = 1; port <= highest; port++) {
		unsigned int bit = reading & AR_FROM_ONE ? port - 1 : port;
		unsigned int byte = reading & AR_LAST_FIRST ? 31 - bit / 8 : bit / 8;

		if (!(set->words[port / 64] >> port % 64 & 1))
			continue;
		if (sub == (port == highest ? subs - 1 : 0))
			data[byte] |= (uint8_t)(1 << bit % 8);
	}
}
