/* SPDX-License-Identifier: BSD-2-Clause */

#include "wire/vendor.h"

#include <string.h>

#include "wire/mad.h"
#include "wire/smp.h"

#define VENDOR_ID 0x2c9 /* Mellanox: the OUI of NodeInfo.VendorID */

/* Others sell its chips under their own vendor id: those are recognized by the device id. */
bool vendor_is_known(uint32_t vendor_id, uint16_t device_id)
{
	return vendor_id == VENDOR_ID || mlnx_ext_port_info_known(vendor_id, device_id);
}

/* In GeneralInfo the hardware comes before the firmware. */
enum offset {
	V_KEY = 0,  /* eight bytes, in front of every attribute */
	MAJOR = 41, /* a byte each ... */
	MINOR = 42,
	SUB_MINOR = 43,
	PSID = 56,
	EXT_MAJOR = 76, /* ... and 32 bits each, since versions have outgrown a byte */
	EXT_MINOR = 80,
	EXT_SUB_MINOR = 84,
	CAPABILITIES = 136, /* four dwords: the first has the bits 0 to 31 */
};

void vendor_get(uint8_t mad[MAD_SIZE], struct mad_addr *to, enum vendor_attribute attribute,
                uint16_t lid, uint64_t v_key)
{
	gmp_put(mad, to, MAD_CLASS_VENDOR, MAD_METHOD_GET, attribute, lid);
	bytes_put(mad + VENDOR_DATA_OFFSET + V_KEY, 8, v_key);
}

static uint64_t two_dwords(const uint8_t *p)
{
	return bytes_get(p, 4) | bytes_get(p + 4, 4) << 32;
}

void capabilities_get(const uint8_t mask[16], uint64_t out[2])
{
	out[0] = two_dwords(mask);
	out[1] = two_dwords(mask + 8);
}

/* ---- GeneralInfo --------------------------------------------------------------- */

/*
 * Where the longer numbers are, the first generations have the version of another
 * software in bytes, behind one that is 0: read as 32 bits its major is beyond all
 * that there ever was, or nothing follows it.
 */
void general_info_get(const uint8_t data[VENDOR_DATA_SIZE], struct general_info *out)
{
	const struct firmware_version *v = &out->firmware;

	*out = (struct general_info){
		.firmware.major = (uint32_t)bytes_get(data + EXT_MAJOR, 4),
		.firmware.minor = (uint32_t)bytes_get(data + EXT_MINOR, 4),
		.firmware.sub_minor = (uint32_t)bytes_get(data + EXT_SUB_MINOR, 4),
	};
	memcpy(out->psid, data + PSID, PSID_SIZE);
	out->has_capabilities = v->major && v->major <= UINT8_MAX && (v->minor || v->sub_minor);
	if (out->has_capabilities) {
		capabilities_get(data + CAPABILITIES, out->capabilities);
		return;
	}
	out->firmware = (struct firmware_version){
		.major = data[MAJOR],
		.minor = data[MINOR],
		.sub_minor = data[SUB_MINOR],
	};
}
