/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WIRE_ADAPTIVE_H
#define WIRE_ADAPTIVE_H

/*
 * Adaptive routing, the vendor's own attributes of subnet management.  Source: ib_types.h of
 * NVIDIA's OpenSM (ib_ar_info_t), GPL-2 or OpenIB BSD; not verified on hardware.
 */
#include <ibcheck/tables.h>

#include "wire/smp.h"

/* Total over any 64 bytes. */
void ar_info_get(const uint8_t data[SMP_DATA_SIZE], struct ibc_ar_info *out);

#endif
