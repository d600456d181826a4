/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers of performance management: a byte that chooses the attribute, eight of
 * capabilities, a status, and the attribute's bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "wire/pma.h"

#define HEAD 10

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const enum pma_attribute attributes[] = {
	PMA_PORT_COUNTERS,
	PMA_PORT_COUNTERS_EXT,
	PMA_RCV_ERROR_DETAILS,
	PMA_XMIT_DISCARD_DETAILS,
};

static void expect(int holds)
{
	if (!holds)
		abort();
}

static void decode_counters(enum pma_attribute attribute, uint64_t caps, const uint8_t *bytes)
{
	struct ibc_counters c = { 0 };

	pma_counters_get(attribute, caps, bytes, &c);
	expect((c.saturated & ~c.known) == 0);
	for (unsigned int i = 0; i < IBC_COUNTERS; i++)
		expect(c.known & 1u << i || c.value[i] == 0);
	pma_counters_get(attribute, ~caps, bytes, &c);
	expect((c.saturated & ~c.known) == 0);
}

static void decode_the_rest(const uint8_t *bytes)
{
	struct pma_class_info info;
	uint64_t wait[PMA_VLS];

	pma_class_info_get(bytes, &info);
	expect(info.cap_mask2 < 1u << 27 && info.redirect.sl < 16 && info.redirect.qpn < 1u << 24);
	pma_vl_wait_get(bytes, wait);
	for (unsigned int vl = 0; vl < PMA_VLS; vl++)
		expect(wait[vl] <= UINT16_MAX);
	pma_tick_get(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* of the very size, so that the sanitizer sees a step beyond it */
	uint8_t *mad = calloc(1, MAD_SIZE);
	uint64_t caps;
	size_t n;

	if (!mad)
		abort();
	if (size >= HEAD) {
		memcpy(&caps, data + 1, sizeof(caps));
		n = size - HEAD < PMA_DATA_SIZE ? size - HEAD : PMA_DATA_SIZE;
		mad[5] = data[HEAD - 1];
		memcpy(mad + PMA_DATA_OFFSET, data + HEAD, n);
		pma_is_redirect(mad);
		decode_counters(attributes[data[0] % 4], caps, pma_data(mad));
		decode_the_rest(pma_data(mad));
	}
	free(mad);
	return 0;
}
