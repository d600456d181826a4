/* SPDX-License-Identifier: BSD-2-Clause */
/* Modules and cables: offsets are those of mstflint's tables, from the page on. */
#include <math.h>

#include "base/array.h"
#include "wire/registers.h"

#define QSFP_LANES 4 /* SFF-8636; QSFP-DD and OSFP have 8 */

/* ---- what kind of module -------------------------------------------------------------------- */

/* Codes of PDDR for modules whose memory is laid out as CMIS has it; others follow SFF-8636. */
static bool is_cmis(unsigned int form_code)
{
	return (form_code >= 5 && form_code <= 8) || form_code == 10;
}

struct module_version module_version_get(const uint8_t data[REGISTER_SIZE])
{
	const uint32_t v = register_dword(data + REGISTER_PAGE, 0x38);

	return (struct module_version){ (uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint16_t)v };
}

/* ---- what it measures ------------------------------------------------------------------------ */

/*
 * struct ddm_row - a measurement
 * @now: offset of the reading: 16 bits; of lane 0, and those of the other lanes follow
 * @limits: offset of the limits: the upper one, then the lower
 * @monitored: bit of the dword at 0x9c
 */
static const struct ddm_row {
	uint8_t ddm, now, lanes, limits, monitored;
	bool is_signed;
	double unit;
} ddms[] = {
	{ IBC_DDM_TEMPERATURE, 0x4c, 1, 0x80, 8, true, 1.0 / 256 },
	{ IBC_DDM_VOLTAGE, 0x4e, 1, 0x84, 9, false, 100e-6 },
	{ IBC_DDM_RX_POWER, 0x50, IBC_PHY_LANES, 0x88, 11, false, 1 },
	{ IBC_DDM_TX_POWER, 0x60, IBC_PHY_LANES, 0x8c, 10, false, 1 },
	{ IBC_DDM_BIAS, 0x70, IBC_PHY_LANES, 0x90, 12, false, 2 },
};

static double reading(const struct ddm_row *row, const uint8_t *page, unsigned int offset,
                      double factor)
{
	const uint16_t raw = (uint16_t)bytes_get(page + offset, 2);

	return (row->is_signed ? (int16_t)raw : raw) * row->unit * factor;
}

/*
 * What a module does not monitor reads 0, and limits that are equal are none.  Of a plug that has
 * four lanes the others are no readings.
 */
static void ddm_get(const struct ddm_row *row, const uint8_t *page, double factor,
                    struct ibc_module *out)
{
	const bool is_narrow = out->form == IBC_FORM_QSFP28 || out->form == IBC_FORM_QSFP_PLUS ||
	                       out->form == IBC_FORM_QSFP_CMIS;
	const unsigned int lanes = row->lanes > QSFP_LANES && is_narrow ? QSFP_LANES : row->lanes;
	const bool monitored = register_dword(page, 0x9c) >> row->monitored & 1;
	const double high = reading(row, page, row->limits, factor);
	const double low = reading(row, page, row->limits + 2u, factor);
	struct ibc_ddm_reading *ddm = &out->ddm[row->ddm];

	if (monitored)
		out->monitored |= (uint8_t)(1u << row->ddm);
	ddm->high = high != low ? high : NAN;
	ddm->low = high != low ? low : NAN;
	for (unsigned int lane = 0; lane < IBC_PHY_LANES; lane++) {
		double now = NAN;

		if (lane < lanes)
			now = reading(row, page, row->now + 2 * lane, factor);
		ddm->now[lane] = monitored || now != 0 ? now : NAN;
	}
}

void module_get(const uint8_t data[REGISTER_SIZE], struct ibc_module *out)
{
	static const double bias_factors[] = { 1, 2, 4, 1 }; /* 3 is reserved */
	static const double cmis_metres[] = { 0.1, 1, 10, 100 };
	const uint8_t *page = data + REGISTER_PAGE;
	const unsigned int module_state = register_dword(page, 0x94) >> 29;
	const unsigned int form = register_dword(page, 4) >> 8 & 0xff;
	const unsigned int length = register_dword(page, 4) >> 16 & 0xff;
	const unsigned int kind = register_dword(page, 4) >> 28, technology = page[0];
	double factor = bias_factors[register_dword(page, 0x98) >> 10 & 3];

	out->kind = (uint8_t)(kind <= IBC_MODULE_UNPLUGGED ? kind : IBC_MODULE_UNKNOWN);
	out->form = (uint8_t)(form + 1);
	out->technology = (uint8_t)((is_cmis(form) ? technology : technology >> 4) + 1);
	out->breakout = page[1];
	/* a byte; of CMIS six bits of it, and two of the unit */
	out->length_m = is_cmis(form) ? (length & 0x3f) * cmis_metres[length >> 6] : length;
	if (out->length_m == 0)
		out->length_m = NAN;
	out->rates = register_dword(page, 0x98) & 0x1ff;
	out->oui = register_dword(page, 0xb8) & 0xffffff;
	out->monitored = 0;
	for (size_t i = 0; i < ARRAY_SIZE(ddms); i++)
		ddm_get(&ddms[i], page, ddms[i].ddm == IBC_DDM_BIAS ? factor : 1, out);
	out->rx_average = register_dword(page, 0x94) >> 28 & 1;
	out->state = (uint8_t)(module_state <= IBC_MODULE_FAULT ? module_state : 0);
	for (unsigned int lane = 0; lane < IBC_PHY_LANES; lane++)
		out->data_path[lane] = register_dword(page, 0xa0) >> (28 - 4 * lane) & 0xf;
	out->config_error = register_dword(page, 0xc0) & 0xf;
}

/* ---- latched flags ----------------------------------------------------------------- */

void module_latches_get(const uint8_t data[REGISTER_SIZE], struct ibc_module *out)
{
	static const struct {
		uint8_t latch, offset, shift, mask;
	} bits[] = {
		{ IBC_LATCH_TEMPERATURE, 0x00, 4, 0xf },
		{ IBC_LATCH_VOLTAGE, 0x00, 0, 0xf },
		{ IBC_LATCH_FIRMWARE_FAULT, 0x01, 7, 1 },
		{ IBC_LATCH_DATA_PATH_FAULT, 0x01, 6, 1 },
		{ IBC_LATCH_TX_FAULT, 0x04, 0, 0xff },
		{ IBC_LATCH_TX_LOS, 0x05, 0, 0xff },
		{ IBC_LATCH_TX_LOL, 0x06, 0, 0xff },
		{ IBC_LATCH_TX_EQUALIZER, 0x07, 0, 0xff },
		{ IBC_LATCH_TX_POWER_HIGH, 0x08, 0, 0xff },
		{ IBC_LATCH_TX_POWER_LOW, 0x09, 0, 0xff },
		{ IBC_LATCH_TX_POWER_WARN_HIGH, 0x0a, 0, 0xff },
		{ IBC_LATCH_TX_POWER_WARN_LOW, 0x0b, 0, 0xff },
		{ IBC_LATCH_BIAS_HIGH, 0x0c, 0, 0xff },
		{ IBC_LATCH_BIAS_LOW, 0x0d, 0, 0xff },
		{ IBC_LATCH_BIAS_WARN_HIGH, 0x0e, 0, 0xff },
		{ IBC_LATCH_BIAS_WARN_LOW, 0x0f, 0, 0xff },
		{ IBC_LATCH_RX_LOS, 0x10, 0, 0xff },
		{ IBC_LATCH_RX_LOL, 0x11, 0, 0xff },
		{ IBC_LATCH_RX_POWER_HIGH, 0x14, 0, 0xff },
		{ IBC_LATCH_RX_POWER_LOW, 0x15, 0, 0xff },
		{ IBC_LATCH_RX_POWER_WARN_HIGH, 0x16, 0, 0xff },
		{ IBC_LATCH_RX_POWER_WARN_LOW, 0x17, 0, 0xff },
	};

	out->has_latched = true;
	for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
		out->latched[bits[i].latch] = data[REGISTER_PAGE + bits[i].offset] >>
		                                  bits[i].shift &
		                              bits[i].mask;
}
