/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What wire writes and transports carry. */
#include <stdint.h>

#define MAD_SIZE           256        /* bytes (IBA 13.4.2) */
#define MAD_LID_PERMISSIVE 0xffff     /* whoever receives it is meant */
#define MAD_QKEY_GSI       0x80010000 /* of QP1: IB_QP1_QKEY in the kernel */

/* Where a MAD goes; a directed route is in the MAD itself. */
struct mad_addr {
	uint16_t dlid; /* MAD_LID_PERMISSIVE for directed routes */
	uint32_t qpn;  /* 0: SMP; 1: GMP */
	uint32_t qkey;
	uint8_t sl;
	uint16_t pkey_index;
};
