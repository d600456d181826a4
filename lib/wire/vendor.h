/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The management class of the vendor whose chips most fabrics are made of.  It has no
 * published specification; what is known of it is what the open tools read: vendstat(8)
 * of infiniband-diags, with its -N, and mstflint, which looks for AccessRegisterGMP in the
 * capabilities.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/mad.h"

#define VENDOR_DATA_OFFSET 24  /* of a vendor class of range 1 (IBA 16.5) */
#define VENDOR_DATA_SIZE   232 /* the rest of 256 bytes */
#define VENDOR_KEY_END     32  /* behind the V_Key, which every attribute begins with */

enum vendor_attribute {
	VENDOR_GENERAL_INFO = 0x17,
	VENDOR_ACCESS_REGISTER = 0x51, /* registers.h */
};

/* Is it a device that may know this class, by its NodeInfo? */
bool vendor_is_known(uint32_t vendor_id, uint16_t device_id);

/*
 * Writes a whole Get, without a transaction id, and where it goes: QP1 of a LID.  v_key: 0
 * where none is known.
 */
void vendor_get(uint8_t mad[MAD_SIZE], struct mad_addr *to, enum vendor_attribute attribute,
                uint16_t lid, uint64_t v_key);

/* The 232 bytes of an attribute in such a MAD. */
static inline const uint8_t *vendor_data(const uint8_t mad[MAD_SIZE])
{
	return mad + VENDOR_DATA_OFFSET;
}

/* struct firmware_version - 28.39.2048; all 0: unknown */
struct firmware_version {
	uint32_t major, minor, sub_minor;
};

#define PSID_SIZE 16 /* at most, NUL-padded */

/*
 * struct general_info - what a device reports about itself
 * @psid: as it came, ended; "": unknown
 * @capabilities: which attributes of this class it knows, bit n of 128 is bit n % 64 of
 *		  element n / 64; only of a layout that has them, see @has_capabilities
 */
struct general_info {
	struct firmware_version firmware;
	char psid[PSID_SIZE + 1];
	bool has_capabilities;
	uint64_t capabilities[2];
};

/* A mask of capabilities as @capabilities: four dwords, the first has the bits 0 to 31. */
void capabilities_get(const uint8_t mask[16], uint64_t out[2]);

/* Total over any 232 bytes. */
void general_info_get(const uint8_t data[VENDOR_DATA_SIZE], struct general_info *out);
