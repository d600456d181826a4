/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire/virtual.h"

#include "wire/mad.h"

#define UNICAST_LAST 0xbfff  /* IBA 4.1.3 */
#define FLID_BITS    0xfffff /* a LID of 20 bits; those above it are of something else */

/* Bytes of VirtualizationInfo, of VPortInfo and of RouterInfo. */
enum offset {
	VPORT_CAP = 0,
	VPORT_TOP = 2,
	ENABLED = 4, /* bit 7 */

	STATE = 0, /* bits 7-4; bit 2: LIDRequired */
	LID = 8,
	LID_INDEX = 10,
	GUID = 12,

	ADJACENT_TOP = 14,
	ADJACENT_CAP = 15,
	GLOBAL_FIRST = 24, /* a dword each */
	GLOBAL_LAST = 28,
	LOCAL_FIRST = 32,
	LOCAL_LAST = 36,
};

void virtualization_get(const uint8_t data[SMP_DATA_SIZE], struct ibc_vports *out)
{
	*out = (struct ibc_vports){
		.cap = (uint16_t)bytes_get(data + VPORT_CAP, 2),
		.top = (uint16_t)bytes_get(data + VPORT_TOP, 2),
		.enabled = data[ENABLED] >> 7,
	};
}

bool vport_get(const uint8_t data[SMP_DATA_SIZE], uint16_t index, struct ibc_vport *out)
{
	*out = (struct ibc_vport){
		.guid = bytes_get(data + GUID, 8),
		.index = index,
		.lid = (uint16_t)bytes_get(data + LID, 2),
		.lid_index = (uint16_t)bytes_get(data + LID_INDEX, 2),
		.state = data[STATE] >> 4,
		.lid_required = data[STATE] >> 2 & 1,
	};
	return out->state >= IBC_STATE_DOWN && out->state <= IBC_STATE_ACTIVE &&
	       out->lid <= UNICAST_LAST;
}

static struct ibc_flids flids_get(const uint8_t *first, const uint8_t *last)
{
	return (struct ibc_flids){ (uint32_t)bytes_get(first, 4) & FLID_BITS,
		                   (uint32_t)bytes_get(last, 4) & FLID_BITS };
}

void router_get(const uint8_t data[SMP_DATA_SIZE], struct ibc_router *out)
{
	*out = (struct ibc_router){
		.global = flids_get(data + GLOBAL_FIRST, data + GLOBAL_LAST),
		.local = flids_get(data + LOCAL_FIRST, data + LOCAL_LAST),
		.adjacent_top = data[ADJACENT_TOP],
		.adjacent_cap = data[ADJACENT_CAP],
	};
}
