/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire/adaptive.h"

#include "wire/mad.h"

/* Offsets of AdaptiveRoutingInfo; the bits of four of its bytes are enum ibc_ar_flag. */
enum offset {
	MODES = 0,
	SUB_GROUPS = 2, /* low nibble: active */
	ENABLED = 3,
	GROUPS = 4, /* a dword: tables 27-24, top 23-12, capacity 11-0 */
	SL_MASK = 8,
	SUB_GROUPS_CAP = 10,
	TRANSPORTS_OFF = 15,
	AGEING = 16,
	HASHES_CAP = 20,
	HASHES = 22,
	HBF_SL_MASK = 26,
};

void ar_info_get(const uint8_t data[SMP_DATA_SIZE], struct ibc_ar_info *out)
{
	const uint32_t groups = (uint32_t)bytes_get(data + GROUPS, 4);

	*out = (struct ibc_ar_info){
		.flags = data[ENABLED] | (uint32_t)data[MODES] << 8 | (uint32_t)data[HASHES] << 16 |
		         (uint32_t)data[HASHES_CAP] << 24,
		.group_cap = groups & 0xfff,
		.group_top = groups >> 12 & 0xfff,
		.group_tables = groups >> 24 & 0xf,
		.sub_groups = data[SUB_GROUPS] & 0xf,
		.sub_groups_cap = data[SUB_GROUPS_CAP],
		.sl_mask = (uint16_t)bytes_get(data + SL_MASK, 2),
		.transports_off = data[TRANSPORTS_OFF],
		.ageing_us = (uint32_t)bytes_get(data + AGEING, 4),
		.hbf_sl_mask = (uint16_t)bytes_get(data + HBF_SL_MASK, 2),
	};
}
