/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers of the physical layer: a byte that chooses the register and its page, then its
 * bytes.  Twice into the same port: what is read does not depend on what was there.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wire/registers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct register_query pages[] = {
	{ REGISTER_PPCNT, 1, 0x16 }, { REGISTER_PPCNT, 1, 0x12 }, { REGISTER_PPCNT, 1, 0x1a },
	{ REGISTER_PPCNT, 1, 0x22 }, { REGISTER_PDDR, 1, 0 },     { REGISTER_PDDR, 1, 1 },
	{ REGISTER_PDDR, 1, 2 },     { REGISTER_PDDR, 1, 6 },     { REGISTER_PDDR, 1, 8 },
	{ REGISTER_PRTL, 1, 0 },
};

static void expect(int holds)
{
	if (!holds)
		abort();
}

static void decode_values(unsigned int chosen, const uint8_t *bytes)
{
	struct ibc_phy phy = { 0 }, again = { 0 };

	phy_values_get(&pages[chosen % (sizeof(pages) / sizeof(pages[0]))], bytes, &phy);
	expect(phy.known >> IBC_PHY_VALUES == 0 && phy.known_bers < 1 << IBC_BERS);
	expect(phy.fec_active < IBC_FECS && phy.fec_requested < IBC_FECS);
	for (unsigned int i = 0; i < IBC_BERS; i++)
		expect(ibc_ber_value(phy.ber[i]) >= 0 && ibc_ber_value(phy.ber[i]) <= 15);
	expect(ibc_phy_reason(phy.value[IBC_PHY_DOWN_REASON])->text[0]);
	expect(ibc_phy_trouble(phy.value[IBC_PHY_WHY_DOWN])->text[0]);
	memcpy(&again, &phy, sizeof(phy));
	phy_values_get(&pages[chosen % (sizeof(pages) / sizeof(pages[0]))], bytes, &again);
	expect(!memcmp(&again, &phy, sizeof(phy)));
}

static void decode_histogram(const uint8_t *bytes)
{
	struct ibc_fec_histogram h = { 0 };

	fec_blocks_get(bytes, &h);
	fec_bins_get(bytes, &h);
	expect(h.num_bins <= IBC_FEC_BINS && h.num_blocks <= IBC_FEC_BINS);
}

static void decode_module(const uint8_t *bytes)
{
	struct ibc_module m = { 0 };

	module_get(bytes, &m);
	module_latches_get(bytes, &m);
	module_version_get(bytes);
	expect(m.kind <= IBC_MODULE_UNPLUGGED && !(m.length_m <= 0));
	for (unsigned int i = 0; i < IBC_DDMS; i++) {
		expect(!isinf(m.ddm[i].low) && !isinf(m.ddm[i].high));
		expect(!(m.ddm[i].low == m.ddm[i].high));
		for (unsigned int lane = 0; lane < IBC_PHY_LANES; lane++)
			expect(!isinf(m.ddm[i].now[lane]));
	}
}

static void decode_sensors(const uint8_t *bytes)
{
	struct ibc_sensor sensor = { 0 };
	uint16_t low, high;

	temperature_get(bytes, &sensor);
	expect(!(fabs(sensor.now) > 4096 || fabs(sensor.max) > 4096)); /* 16 bits of 1/8 degree */
	expect(fan_speed_get(bytes) <= UINT16_MAX);
	fans_in_use_get(bytes);
	fan_alarms_get(bytes, &low, &high);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* of the very size, so that the sanitizer sees a step beyond it */
	uint8_t *bytes = calloc(1, REGISTER_SIZE);

	if (!bytes)
		abort();
	if (size) {
		memcpy(bytes, data + 1, size - 1 < REGISTER_SIZE ? size - 1 : REGISTER_SIZE);
		decode_values(data[0], bytes);
		decode_histogram(bytes);
		decode_module(bytes);
		decode_sensors(bytes);
		for (unsigned int i = 0; i < REGISTER_TEXTS; i++) {
			struct register_text text = register_text_get(bytes, i);

			expect(text.length <= REGISTER_SIZE);
			expect(!text.length || ((const uint8_t *)text.bytes >= bytes &&
			                        (const uint8_t *)text.bytes + text.length <=
			                            bytes + REGISTER_SIZE));
		}
	}
	free(bytes);
	return 0;
}
