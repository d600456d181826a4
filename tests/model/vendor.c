/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/vendor.h"

#define STATUS_UNSUPPORTED 0x0c

static void put32(uint8_t *p, uint32_t value)
{
	for (unsigned int i = 0; i < 4; i++)
		p[i] = (uint8_t)(value >> (24 - 8 * i));
}

void general_info_put(uint8_t data[VENDOR_DATA_SIZE], const struct general_info *info, bool longer)
{
	const struct firmware_version *v = &info->firmware;

	memset(data, 0, VENDOR_DATA_SIZE);
	memcpy(data + 56, info->psid, 16);
	data[41] = (uint8_t)v->major;
	data[42] = (uint8_t)v->minor;
	data[43] = (uint8_t)v->sub_minor;
	if (!longer)
		return;
	put32(data + 76, v->major);
	put32(data + 80, v->minor);
	put32(data + 84, v->sub_minor);
	for (unsigned int i = 0; info->has_capabilities && i < 4; i++)
		put32(data + 136 + 4 * i, (uint32_t)(info->capabilities[i / 2] >> 32 * (i % 2)));
}

int model_vendor_answer(const struct ibc_node *node, uint16_t attribute,
                        uint8_t data[VENDOR_DATA_SIZE])
{
	struct general_info info = { .has_capabilities = node->has_gmp_capabilities };
	struct firmware_version *v = &info.firmware;
	int fields;

	if (!node->firmware)
		return VENDOR_SAYS_NOTHING;
	if (attribute != VENDOR_GENERAL_INFO || !*node->firmware)
		return STATUS_UNSUPPORTED;
	fields = sscanf(node->firmware, "%" SCNu32 ".%" SCNu32 ".%" SCNu32, &v->major, &v->minor,
	                &v->sub_minor);
	assert(fields == 3);
	if (node->psid)
		snprintf(info.psid, sizeof(info.psid), "%s", node->psid);
	memcpy(info.capabilities, node->gmp_capabilities, sizeof(info.capabilities));
	general_info_put(data, &info, true);
	return 0;
}
