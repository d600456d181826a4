/* SPDX-License-Identifier: BSD-2-Clause */
#include <infiniband/mad.h>

#include <ibcheck/types.h>

#include "wire/tables.h"

/* SMInfo (IBA 14.2.5.13) */
void sm_info_get(const uint8_t data[SMP_DATA_SIZE], struct sm_info *out)
{
	/* libibmad takes its buffers non-const even to read them */
	void *bytes = (void *)data;
	uint32_t state = mad_get_field(bytes, 0, IB_SMINFO_STATE_F) + 1;

	out->guid = mad_get_field64(bytes, 0, IB_SMINFO_GUID_F);
	out->act_count = mad_get_field(bytes, 0, IB_SMINFO_ACT_F);
	out->priority = mad_get_field(bytes, 0, IB_SMINFO_PRIO_F);
	out->state = state <= IBC_SM_MASTER ? state : IBC_SM_UNKNOWN;
}

/* P_KeyTable, MulticastForwardingTable (IBA 14.2.5.7, 14.2.5.12) */
void block_words_get(const uint8_t data[SMP_DATA_SIZE], uint16_t out[SMP_BLOCK_WORDS])
{
	for (unsigned int i = 0; i < SMP_BLOCK_WORDS; i++)
		out[i] = (uint16_t)(data[2 * i] << 8 | data[2 * i + 1]);
}

/* VLArbitrationTable (IBA 14.2.5.9); the upper half of a lane's byte is reserved. */
void vl_slots_get(const uint8_t data[SMP_DATA_SIZE], struct ibc_vl_slot out[SMP_VL_SLOTS])
{
	for (unsigned int i = 0; i < SMP_VL_SLOTS; i++)
		out[i] = (struct ibc_vl_slot){ data[2 * i] & 0xf, data[2 * i + 1] };
}

/* SLtoVLMappingTable (IBA 14.2.5.8) */
void sl2vl_get(const uint8_t data[SMP_DATA_SIZE], uint8_t out[SMP_SLS])
{
	for (unsigned int i = 0; i < SMP_SLS; i += 2) {
		out[i] = data[i / 2] >> 4;
		out[i + 1] = data[i / 2] & 0xf;
	}
}
