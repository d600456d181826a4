/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * What a subnet manager says of itself, and the tables it writes into devices, each
 * read in blocks of one SMP.  A block of a LinearForwardingTable is the ports of
 * IBC_LFT_BLOCK LIDs, a byte each.
 */
#include <stdint.h>

#include "wire/smp.h"

struct sm_info {
	uint64_t guid;
	uint32_t act_count;
	uint8_t priority;
	uint8_t state; /* enum ibc_sm_state, UNKNOWN if none of them */
};

void sm_info_get(const uint8_t data[SMP_DATA_SIZE], struct sm_info *out);

/* A block of a P_KeyTable: keys; of a MulticastForwardingTable: sets of ports of MLIDs. */
#define SMP_BLOCK_WORDS 32
void block_words_get(const uint8_t data[SMP_DATA_SIZE], uint16_t out[SMP_BLOCK_WORDS]);

/* The virtual lane of each service level. */
#define SMP_SLS 16
void sl2vl_get(const uint8_t data[SMP_DATA_SIZE], uint8_t out[SMP_SLS]);

/* A block of a VLArbitrationTable. */
#define SMP_VL_SLOTS 32
void vl_slots_get(const uint8_t data[SMP_DATA_SIZE], struct ibc_vl_slot out[SMP_VL_SLOTS]);

/* Which block is meant (IBA 14.2.5.9): of the low-priority table, and of the other one. */
#define ARBITRATION_LOW  1 /* and 2 */
#define ARBITRATION_HIGH 3 /* and 4 */
static inline uint32_t arbitration_modifier(unsigned int port, unsigned int block)
{
	return block << 16 | port;
}

/* Which block is meant.  Of all but switches port is 0. */
static inline uint32_t pkey_modifier(unsigned int port, unsigned int block)
{
	return port << 16 | block;
}

/* Ports 16 * position and up. */
#define MFT_PORTS 16
static inline uint32_t mft_modifier(unsigned int position, unsigned int block)
{
	return position << 28 | block;
}

static inline uint32_t sl2vl_modifier(unsigned int in, unsigned int out)
{
	return in << 8 | out;
}
