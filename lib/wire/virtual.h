/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Virtual ports and routers, the vendor's own attributes of subnet management.  Source: ib_types.h
 * of NVIDIA's OpenSM, GPL-2 or OpenIB BSD: the macros that its SM reads the fields by, where
 * comments number bits from the other end.  Not verified on hardware.
 */
#include <ibcheck/tables.h>

#include "wire/smp.h"

/* Each is total over any 64 bytes.  VirtualizationInfo, of a port of an HCA: but for its ports. */
void virtualization_get(const uint8_t data[SMP_DATA_SIZE], struct ibc_vports *out);
/*
 * VPortInfo.  That the modifier it is asked with is the index of the virtual port is inferred, for
 * nothing in the attribute names it: whoever asks compares the answers before believing any.
 * False: it is no virtual port, by its state or its LID.
 */
bool vport_get(const uint8_t data[SMP_DATA_SIZE], uint16_t index, struct ibc_vport *out);
/* RouterInfo. */
void router_get(const uint8_t data[SMP_DATA_SIZE], struct ibc_router *out);
