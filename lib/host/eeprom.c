/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Offsets are those of SFF-8636 and of CMIS (pages 0, 2 and 0x11), as ethtool has them in
 * qsfp.h and cmis.h.
 */
#include "host/eeprom.h"

#include <math.h>
#include <string.h>

#include "base/phywords.h"
#include "host/host.h"

#define POWER_UNIT_UW 0.1         /* of optical power, in both */
#define BIAS_UNIT_UA  2           /* likewise of bias */
#define VOLT_UNIT     1e-4        /* of supply voltage */
#define CELSIUS_UNIT  (1.0 / 256) /* in both */

#define SFF_LANES 4 /* of QSFP */

/* SFF-8024, table 4-1: byte 0 */
static const struct {
	uint8_t identifier, layout, form;
} forms[] = {
	{ 0x0d, EEPROM_SFF_8636, IBC_FORM_QSFP_PLUS }, { 0x11, EEPROM_SFF_8636, IBC_FORM_QSFP28 },
	{ 0x18, EEPROM_CMIS, IBC_FORM_QSFP_DD },       { 0x19, EEPROM_CMIS, IBC_FORM_OSFP },
	{ 0x1e, EEPROM_CMIS, IBC_FORM_QSFP_CMIS },
};

static size_t form_of(const struct eeprom *e)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(forms) && forms[i].identifier != e->page[EEPROM_LOWER][0])
		i++;
	return i;
}

enum eeprom_layout eeprom_layout(const struct eeprom *e)
{
	size_t i = e->read[EEPROM_LOWER] ? form_of(e) : ARRAY_SIZE(forms);

	return i < ARRAY_SIZE(forms) ? forms[i].layout : EEPROM_UNKNOWN;
}

int eeprom_number(const struct eeprom *e, enum eeprom_page page)
{
	const bool cmis = eeprom_layout(e) == EEPROM_CMIS;
	/* byte 2: bit 2 of SFF-8636, bit 7 of CMIS: there is no page but the first */
	bool flat = e->page[EEPROM_LOWER][2] >> (cmis ? 7 : 2) & 1;

	if (page <= EEPROM_UPPER)
		return 0;
	if (eeprom_layout(e) == EEPROM_UNKNOWN || flat || (page == EEPROM_LANES && !cmis))
		return -1;
	return page == EEPROM_LANES ? 0x11 : cmis ? 2 : 3;
}

/* ---- bytes ----------------------------------------------------------------------- */

/* Of pages above the first 128 bytes the standards have numbers from 128 on. */
static const uint8_t *at(const struct eeprom *e, enum eeprom_page page, unsigned int byte)
{
	return &e->page[page][byte % EEPROM_PAGE_BYTES];
}

static unsigned int word(const uint8_t *bytes)
{
	return (unsigned int)bytes[0] << 8 | bytes[1];
}

/* Padded with blanks; NULL: it says nothing. */
static const char *text_at(struct ibc_host *host, const struct eeprom *e, unsigned int byte,
                           size_t n)
{
	const char *text = (const char *)at(e, EEPROM_UPPER, byte);

	n = strnlen(text, n);
	while (n && text[n - 1] == ' ')
		n--;
	while (n && *text == ' ') {
		text++;
		n--;
	}
	return n ? text_clean(host, text, n) : NULL;
}

/* ---- identity ---------------------------------------------------------------------- */

static const struct identity {
	uint8_t vendor, oui, part, revision, revision_bytes, serial, date, technology;
} identities[] = {
	[EEPROM_SFF_8636] = { 148, 165, 168, 184, 2, 196, 212, 147 },
	[EEPROM_CMIS] = { 129, 145, 148, 164, 2, 166, 182, 212 },
};

#define TEXT_BYTES 16 /* of vendor, part and serial number in both */
#define DATE_BYTES 8  /* yymmdd and a lot */

static void identity_get(struct ibc_host *host, const struct eeprom *e, struct ibc_module *out)
{
	static const double units[] = { 0.1, 1, 10, 100 };
	const bool cmis = eeprom_layout(e) == EEPROM_CMIS;
	/* SFF-8636: metres; CMIS: six bits, times a tenth, 1, 10 or 100 metres */
	unsigned int length = *at(e, EEPROM_UPPER, cmis ? 202 : 146);
	double metres = cmis ? (length & 0x3f) * units[length >> 6] : length;
	const struct identity *id = &identities[eeprom_layout(e)];
	const uint8_t *oui = at(e, EEPROM_UPPER, id->oui);
	unsigned int technology = *at(e, EEPROM_UPPER, id->technology);

	out->form = forms[form_of(e)].form;
	out->vendor = text_at(host, e, id->vendor, TEXT_BYTES);
	out->part = text_at(host, e, id->part, TEXT_BYTES);
	out->revision = text_at(host, e, id->revision, id->revision_bytes);
	out->serial = text_at(host, e, id->serial, TEXT_BYTES);
	out->date = text_at(host, e, id->date, DATE_BYTES);
	out->oui = (uint32_t)oui[0] << 16 | (uint32_t)oui[1] << 8 | oui[2];
	technology = cmis ? technology : technology >> 4;
	out->technology = (uint8_t)(technology <= 0xf ? technology + 1 : IBC_TECHNOLOGY_UNKNOWN);
	out->length_m = metres > 0 ? metres : NAN;
	out->kind = module_kind_of(out);
}

/* ---- what it remembers ---------------------------------------------------------------- */

/* Alarm high and low, warning high and low: four bits of a byte, high alarm at @first. */
static uint8_t four_flags(uint8_t byte, unsigned int first, int step)
{
	uint8_t flags = 0;

	for (unsigned int i = 0; i < 4; i++)
		flags |= (uint8_t)((byte >> ((int)first + step * (int)i) & 1) << i);
	return flags;
}

/* SFF-8636, bytes 3 .. 14: a nibble each four lanes; of alarms a nibble each lane. */
static void latches_of_sff(const uint8_t *lower, struct ibc_module *out)
{
	static const struct {
		uint8_t latch, byte, shift;
	} lanes[] = {
		{ IBC_LATCH_RX_LOS, 3, 0 },   { IBC_LATCH_TX_LOS, 3, 4 },
		{ IBC_LATCH_TX_FAULT, 4, 0 }, { IBC_LATCH_TX_EQUALIZER, 4, 4 },
		{ IBC_LATCH_RX_LOL, 5, 0 },   { IBC_LATCH_TX_LOL, 5, 4 },
	};
	static const struct {
		uint8_t first, byte;
	} alarms[] = { { IBC_LATCH_RX_POWER_HIGH, 9 },
		       { IBC_LATCH_BIAS_HIGH, 11 },
		       { IBC_LATCH_TX_POWER_HIGH, 13 } };

	out->latched[IBC_LATCH_TEMPERATURE] = four_flags(lower[6], 7, -1);
	out->latched[IBC_LATCH_VOLTAGE] = four_flags(lower[7], 7, -1);
	for (size_t i = 0; i < ARRAY_SIZE(lanes); i++)
		out->latched[lanes[i].latch] = lower[lanes[i].byte] >> lanes[i].shift & 0xf;
	for (size_t i = 0; i < ARRAY_SIZE(alarms); i++)
		for (unsigned int lane = 0; lane < SFF_LANES; lane++) {
			uint8_t byte = lower[alarms[i].byte + lane / 2];
			uint8_t flags = four_flags(byte, lane % 2 ? 3 : 7, -1);

			for (unsigned int k = 0; k < 4; k++)
				out->latched[alarms[i].first + k] |= (uint8_t)((flags >> k & 1)
				                                               << lane);
		}
}

/* ---- what it measures ------------------------------------------------------------------ */

/* A reading, and its limits on their page: the upper alarm, then the lower. */
static const struct measured {
	uint8_t layout, ddm, page, now, lanes, limits;
	bool is_signed;
	double unit;
} measured[] = {
	{ EEPROM_SFF_8636, IBC_DDM_TEMPERATURE, EEPROM_LOWER, 22, 1, 128, true, CELSIUS_UNIT },
	{ EEPROM_SFF_8636, IBC_DDM_VOLTAGE, EEPROM_LOWER, 26, 1, 144, false, VOLT_UNIT },
	{ EEPROM_SFF_8636, IBC_DDM_RX_POWER, EEPROM_LOWER, 34, SFF_LANES, 176, false,
	  POWER_UNIT_UW },
	{ EEPROM_SFF_8636, IBC_DDM_BIAS, EEPROM_LOWER, 42, SFF_LANES, 184, false, BIAS_UNIT_UA },
	{ EEPROM_SFF_8636, IBC_DDM_TX_POWER, EEPROM_LOWER, 50, SFF_LANES, 192, false,
	  POWER_UNIT_UW },
	{ EEPROM_CMIS, IBC_DDM_TEMPERATURE, EEPROM_LOWER, 14, 1, 128, true, CELSIUS_UNIT },
	{ EEPROM_CMIS, IBC_DDM_VOLTAGE, EEPROM_LOWER, 16, 1, 136, false, VOLT_UNIT },
	{ EEPROM_CMIS, IBC_DDM_TX_POWER, EEPROM_LANES, 154, IBC_PHY_LANES, 176, false,
	  POWER_UNIT_UW },
	{ EEPROM_CMIS, IBC_DDM_BIAS, EEPROM_LANES, 170, IBC_PHY_LANES, 184, false, BIAS_UNIT_UA },
	{ EEPROM_CMIS, IBC_DDM_RX_POWER, EEPROM_LANES, 186, IBC_PHY_LANES, 192, false,
	  POWER_UNIT_UW },
};

static double value_at(const struct measured *m, const uint8_t *bytes)
{
	const uint16_t raw = (uint16_t)word(bytes);

	return (m->is_signed ? (int16_t)raw : raw) * m->unit;
}

/* As registers have it: limits that are equal are none, and without them 0 is no reading. */
static void measured_get(const struct eeprom *e, const struct measured *m, struct ibc_module *out)
{
	struct ibc_ddm_reading *ddm = &out->ddm[m->ddm];
	const uint8_t *limits = at(e, EEPROM_LIMITS, m->limits);
	bool limited = e->read[EEPROM_LIMITS] && word(limits) != word(limits + 2);

	if (!e->read[m->page])
		return;
	if (limited) {
		out->monitored |= (uint8_t)(1U << m->ddm);
		ddm->high = value_at(m, limits);
		ddm->low = value_at(m, limits + 2);
	}
	for (unsigned int lane = 0; lane < m->lanes; lane++) {
		double now = value_at(m, at(e, m->page, m->now) + 2 * lane);

		ddm->now[lane] = limited || now != 0 ? now : NAN;
	}
}

bool eeprom_module(struct ibc_host *host, const struct eeprom *e, struct ibc_module *out)
{
	/* SFF-8636 byte 164, from its lowest bit on; those of CMIS are not read */
	static const uint16_t speeds[] = { IBC_SPEED_SDR, IBC_SPEED_DDR, IBC_SPEED_QDR,
		                           IBC_SPEED_FDR, IBC_SPEED_EDR, IBC_SPEED_HDR };
	enum eeprom_layout layout = eeprom_layout(e);
	const uint8_t *lower = e->page[EEPROM_LOWER];

	module_clear(out);
	if (layout == EEPROM_UNKNOWN || !e->read[EEPROM_UPPER])
		return false;
	identity_get(host, e, out);
	/* what copper has there is no measurement */
	for (size_t i = 0; out->kind != IBC_MODULE_PASSIVE_COPPER && i < ARRAY_SIZE(measured); i++)
		if (measured[i].layout == layout)
			measured_get(e, &measured[i], out);
	out->has_latched = true;
	if (layout == EEPROM_CMIS) {
		out->state = lower[3] >> 1 & 7;
		out->latched[IBC_LATCH_FIRMWARE_FAULT] = lower[8] >> 1 & 1;
		out->latched[IBC_LATCH_DATA_PATH_FAULT] = lower[8] >> 2 & 1;
		out->latched[IBC_LATCH_TEMPERATURE] = four_flags(lower[9], 0, 1);
		out->latched[IBC_LATCH_VOLTAGE] = four_flags(lower[9], 4, 1);
		/* of lanes page 0x11 from byte 135 on, in the order of ours */
		for (unsigned int i = IBC_LATCH_TX_FAULT; e->read[EEPROM_LANES] && i < IBC_LATCHES;
		     i++)
			out->latched[i] = *at(e, EEPROM_LANES, 135 + i - IBC_LATCH_TX_FAULT);
	} else {
		out->rx_average = *at(e, EEPROM_UPPER, 220) >> 3 & 1;
		for (size_t i = 0; i < ARRAY_SIZE(speeds); i++)
			if (*at(e, EEPROM_UPPER, 164) >> i & 1)
				out->rates |= speeds[i];
		latches_of_sff(lower, out);
	}
	if (out->state > IBC_MODULE_FAULT)
		out->state = IBC_MODULE_STATE_UNKNOWN;
	return true;
}
