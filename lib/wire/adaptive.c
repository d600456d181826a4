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

/* Of an entry of 4 bytes: the state above the table of groups, the static port, the group. */
#define ENTRY_SIZE  (SMP_DATA_SIZE / AR_LFT_LIDS)
#define STATE_SHIFT 6   /* in its first byte */
#define TABLE_MASK  0xf /* likewise */

void ar_lft_get(const uint8_t data[SMP_DATA_SIZE], uint16_t entries[AR_LFT_LIDS],
                uint8_t ports[AR_LFT_LIDS])
{
	for (unsigned int i = 0; i < AR_LFT_LIDS; i++, data += ENTRY_SIZE) {
		const unsigned int state = data[0] >> STATE_SHIFT;
		unsigned int group = (unsigned int)bytes_get(data + 2, 2);

		if (state == IBC_AR_ENTRY_STATIC)
			group = 0;
		else if (data[0] & TABLE_MASK || group >= IBC_AR_GROUPS)
			group = AR_NO_GROUP;
		entries[i] = (uint16_t)(state << IBC_AR_ENTRY_SHIFT | group);
		ports[i] = data[1];
	}
}

bool ar_mask_get(const uint8_t mask[AR_MASK_SIZE], unsigned int reading, struct ibc_port_set *out)
{
	uint64_t carry = 0;

	*out = (struct ibc_port_set){ { 0 } };
	for (unsigned int i = 0; i < AR_MASK_SIZE; i++)
		out->words[i / 8] |=
		    (uint64_t)mask[reading & AR_LAST_FIRST ? AR_MASK_SIZE - 1 - i : i]
		    << 8 * (i % 8);
	for (unsigned int i = 0; reading & AR_FROM_ONE && i < AR_MASK_SIZE / 8; i++) {
		const uint64_t word = out->words[i];

		out->words[i] = word << 1 | carry;
		carry = word >> 63;
	}
	return !carry;
}

#define ACTIVE_MODE 3 /* offset in PrivateLFTInfo */

bool private_lfts_get(const uint8_t data[SMP_DATA_SIZE])
{
	return data[ACTIVE_MODE];
}
