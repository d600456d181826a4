/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Adaptive routing, the vendor's own attributes of subnet management.  Source: ib_types.h of
 * NVIDIA's OpenSM (ib_ar_info_t, ib_ar_lft_t, ib_ar_group_table_t), GPL-2 or OpenIB BSD; not
 * verified on hardware.  What no source describes is how sets of ports lie in a table of groups:
 * source/arcalibrate.c finds out.
 *
 * The modifier of a table is the number of a block: of the first LFT and the first table of
 * groups.  How others are asked for is not known.
 */
#include <ibcheck/tables.h>

#include "wire/smp.h"

#define AR_LFT_LIDS  16 /* of a block */
#define AR_MASKS     2  /* of a block of groups */
#define AR_MASK_SIZE 32 /* bytes: 256 ports */

/* The last block of LIDs (0xbfff is the greatest), and of 4096 groups with 15 sub-groups. */
#define AR_LFT_BLOCK_MAX   (0xbfff / AR_LFT_LIDS)
#define AR_GROUP_BLOCK_MAX (IBC_AR_GROUPS * 15 / AR_MASKS - 1)

/* How sets of ports may lie in a block of groups: bits of the number of a reading. */
enum ar_reading {
	AR_FROM_ONE = 1,   /* bit i is port i + 1, not port i */
	AR_LAST_FIRST = 2, /* the last byte of a mask has the lowest ports, not the first */
	AR_SWAPPED = 4,    /* the second mask of a block comes before the first */
	AR_READINGS = 8,
};

/* Total over any 64 bytes. */
void ar_info_get(const uint8_t data[SMP_DATA_SIZE], struct ibc_ar_info *out);
/*
 * Likewise, of a block of LIDs: entries as of struct ibc_ar_tables, of static ones without a
 * group, and the static ports.  A group beyond all numbers, or of another table than the first,
 * is AR_NO_GROUP, which no switch has.
 */
#define AR_NO_GROUP ((1 << IBC_AR_ENTRY_SHIFT) - 1)
void ar_lft_get(const uint8_t data[SMP_DATA_SIZE], uint16_t entries[AR_LFT_LIDS],
                uint8_t ports[AR_LFT_LIDS]);
/* Likewise, one mask; false: it has port 256, which is none. */
bool ar_mask_get(const uint8_t mask[AR_MASK_SIZE], unsigned int reading, struct ibc_port_set *out);
/* PrivateLFTInfo: are LIDs looked up in several tables? */
bool private_lfts_get(const uint8_t data[SMP_DATA_SIZE]);
