/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MODEL_ENCODE_H
#define MODEL_ENCODE_H

/* Attributes as a device would send them, written through libibmad's own tables. */
#include <stdint.h>

#include "wire/adaptive.h"
#include "wire/smp.h"
#include "wire/tables.h"
#include "wire/virtual.h"

void node_info_put(uint8_t data[SMP_DATA_SIZE], const struct node_info *in);
void switch_info_put(uint8_t data[SMP_DATA_SIZE], const struct switch_info *in);
void port_info_put(uint8_t data[SMP_DATA_SIZE], const struct port_info *in);
void mlnx_ext_port_info_put(uint8_t data[SMP_DATA_SIZE], const struct mlnx_ext_port_info *in);
void sm_info_put(uint8_t data[SMP_DATA_SIZE], const struct sm_info *in);
void block_words_put(uint8_t data[SMP_DATA_SIZE], const uint16_t in[SMP_BLOCK_WORDS]);
void sl2vl_put(uint8_t data[SMP_DATA_SIZE], const uint8_t in[SMP_SLS]);
/* By the offsets of ib_ar_info_t, as libibmad has no table of it. */
void ar_info_put(uint8_t data[SMP_DATA_SIZE], const struct ibc_ar_info *in);
/* Likewise, of what wire/virtual.h reads. */
void virtualization_put(uint8_t data[SMP_DATA_SIZE], const struct ibc_vports *in);
void vport_put(uint8_t data[SMP_DATA_SIZE], const struct ibc_vport *in);
void router_put(uint8_t data[SMP_DATA_SIZE], const struct ibc_router *in);
/* An entry of 4 bytes of the AR LFT, as struct ibc_ar_tables has it. */
void ar_entry_put(uint8_t data[4], unsigned int entry, unsigned int port);
/*
 * A sub-group of a group, as enum ar_reading tells: the last of several has the highest port,
 * the first all others.
 */
void ar_mask_put(uint8_t data[AR_MASK_SIZE], unsigned int reading, const struct ibc_port_set *set,
                 unsigned int sub, unsigned int subs);

#endif
