/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers of a link: offsets are those of mstflint's tables, from the page on.
 * ExtendedPortInfo, which is no register, is laid out in the same way.
 */
#include <math.h>

#include "base/array.h"
#include "base/phywords.h"
#include "wire/registers.h"
#include "wire/smp.h"

/* Width bits, up to 32 from the bit shift of the dword at offset, or 64 from offset on. */
struct field {
	uint8_t value; /* enum ibc_phy_value */
	uint8_t offset, shift, width;
};

static const struct field errors[] = {
	{ IBC_PHY_CLEAR_AGE_MS, 0x00, 0, 64 },     { IBC_PHY_BITS_RECEIVED, 0x08, 0, 64 },
	{ IBC_PHY_SYMBOL_ERRORS, 0x10, 0, 64 },    { IBC_PHY_CORRECTED_BITS, 0x18, 0, 64 },
	{ IBC_PHY_RAW_ERRORS_LANE0, 0x20, 0, 64 }, { IBC_PHY_RAW_ERRORS_LANE1, 0x28, 0, 64 },
	{ IBC_PHY_RAW_ERRORS_LANE2, 0x30, 0, 64 }, { IBC_PHY_RAW_ERRORS_LANE3, 0x38, 0, 64 },
	{ IBC_PHY_RAW_ERRORS_LANE4, 0x40, 0, 64 }, { IBC_PHY_RAW_ERRORS_LANE5, 0x48, 0, 64 },
	{ IBC_PHY_RAW_ERRORS_LANE6, 0x50, 0, 64 }, { IBC_PHY_RAW_ERRORS_LANE7, 0x58, 0, 64 },
	{ IBC_PHY_FIRST_EMPTY_BIN, 0x60, 16, 10 }, { IBC_PHY_EFFECTIVE_ERRORS, 0x7c, 0, 64 },
};

static const struct field fec_blocks[] = {
	{ IBC_PHY_FEC_CORRECTED_BLOCKS, 0x78, 0, 64 },
	{ IBC_PHY_FEC_UNCORRECTABLE_BLOCKS, 0x80, 0, 64 },
	{ IBC_PHY_FEC_CLEAN_BLOCKS, 0x88, 0, 64 },
	{ IBC_PHY_FEC_CORRECTED_SYMBOLS, 0x98, 0, 64 },
	{ IBC_PHY_LINK_DOWNS, 0xc0, 0, 32 },
	{ IBC_PHY_RECOVERIES_SINCE_UP, 0xc4, 0, 32 },
};

static const struct field recoveries[] = {
	{ IBC_PHY_RECOVERIES, 0x00, 0, 32 },
	{ IBC_PHY_DOWNS_UNINTENDED, 0x04, 0, 32 },
	{ IBC_PHY_DOWNS_INTENDED, 0x08, 0, 32 },
	{ IBC_PHY_RECOVERY_AGE_SECONDS, 0x4c, 0, 32 },
};

static const struct field plr[] = {
	{ IBC_PHY_PLR_RECEIVED, 0x00, 0, 64 },      { IBC_PHY_PLR_REJECTED, 0x08, 0, 64 },
	{ IBC_PHY_PLR_UNCORRECTABLE, 0x10, 0, 64 }, { IBC_PHY_PLR_SENT, 0x18, 0, 64 },
	{ IBC_PHY_PLR_RETRANSMITTED, 0x20, 0, 64 }, { IBC_PHY_PLR_EVENTS, 0x28, 0, 64 },
	{ IBC_PHY_PLR_LOSS, 0x38, 0, 64 },          { IBC_PHY_PLR_EVENTS_MAX, 0x40, 0, 64 },
	{ IBC_PHY_PLR_XMIT_LOSS, 0x5c, 0, 64 },
};

static const struct field state[] = {
	{ IBC_PHY_IB_FSM, 0x04, 8, 8 },
	{ IBC_PHY_MANAGER, 0x04, 24, 8 },
	{ IBC_PHY_LOOPBACK, 0x18, 0, 12 },
	{ IBC_PHY_LINK_HEALTH, 0x38, 0, 4 },
};

static const struct field why_down[] = { { IBC_PHY_WHY_DOWN, 0x04, 0, 16 } };

static const struct field training[] = {
	{ IBC_PHY_REMOTE_DEVICE, 0x00, 24, 8 },
	{ IBC_PHY_TRAINING_ATTEMPTS, 0x04, 16, 16 },
	{ IBC_PHY_DISABLED_BY, 0x08, 0, 24 },
};

static const struct field last_down[] = {
	{ IBC_PHY_DOWN_BLAME, 0x00, 0, 4 },         { IBC_PHY_DOWN_INTENT, 0x00, 4, 4 },
	{ IBC_PHY_DOWN_REASON, 0x04, 0, 8 },        { IBC_PHY_RECOVERY_REASON, 0x04, 16, 8 },
	{ IBC_PHY_DOWN_REMOTE_REASON, 0x08, 0, 8 }, { IBC_PHY_DOWN_E2E_REASON, 0x0c, 0, 8 },
	{ IBC_PHY_DOWN_TS1, 0x0c, 12, 4 },          { IBC_PHY_SYMBOL_BER_ALARMS, 0x10, 0, 16 },
	{ IBC_PHY_RAW_BER_ALARMS, 0x18, 0, 16 },    { IBC_PHY_EFFECTIVE_BER_ALARMS, 0x18, 16, 16 },
	{ IBC_PHY_HIGH_SER_EVENTS, 0x30, 0, 8 },
};

static const struct field link_up[] = { { IBC_PHY_LINK_UP_MS, 0x04, 0, 32 } };

static const struct field length[] = {
	{ IBC_PHY_ROUND_TRIP_ACCURACY_NS, 0x04, 0, 8 },
	{ IBC_PHY_LOCAL_LATENCY_NS, 0x08, 0, 16 },
	{ IBC_PHY_MODULE_LATENCY_NS, 0x0c, 0, 16 },
	{ IBC_PHY_ROUND_TRIP_NS, 0x10, 0, 24 }, /* in units, below */
};

/* Of ExtendedPortInfo, from its beginning. */
static const struct field ext_port[] = {
	{ IBC_PHY_RECOVERED, 0x00, 28, 1 },
	{ IBC_PHY_UNHEALTHY, 0x04, 8, 8 },
	{ IBC_PHY_PORT_TYPE, 0x2c, 0, 4 }, /* and what more_of_ext_port() knows */
	{ IBC_PHY_ADAPTIVE_TIMEOUT_SL_MASK, 0x34, 16, 16 },
	{ IBC_PHY_OOO_SL_MASK, 0x34, 0, 16 },
};

/* ---- what a page has besides numbers ---------------------------------------------------- */

static void forget(struct ibc_phy *phy, enum ibc_phy_value value)
{
	phy->known &= ~(UINT64_C(1) << value);
}

static void more_of_errors(const uint8_t *page, struct ibc_phy *out)
{
	for (unsigned int i = 0; i < IBC_BERS; i++) {
		const uint32_t ber = register_dword(page, 0x60 + 4 * i);

		out->ber[i] = (struct ibc_ber){ ber & 0xf, ber >> 8 & 0xff };
	}
	out->known_bers = (1 << IBC_BERS) - 1;
}

static void more_of_recoveries(const uint8_t *page, struct ibc_phy *out)
{
	(void)page;
	if (!out->value[IBC_PHY_RECOVERIES])
		forget(out, IBC_PHY_RECOVERY_AGE_SECONDS);
}

static void more_of_state(const uint8_t *page, struct ibc_phy *out)
{
	const uint32_t fec = register_dword(page, 0x1c);

	out->fec_active = (uint8_t)fec_of_pddr(fec >> 16);
	out->fec_requested = (uint8_t)fec_of_pddr(fec & 0xffff);
}

#define PRTL_SUPPORTED (1u << 31) /* of the first dword: the device measures it */

static void more_of_length(const uint8_t *data, struct ibc_phy *out)
{
	const bool measured = register_dword(data, 0) & PRTL_SUPPORTED;

	out->value[IBC_PHY_ROUND_TRIP_NS] *= register_dword(data, 4) >> 16 & 0xf;
	for (size_t i = 0; i < ARRAY_SIZE(length); i++)
		if (!measured || !out->value[IBC_PHY_ROUND_TRIP_NS])
			forget(out, length[i].value);
}

#define EXT_PORT_FNM     (1u << 31) /* of the dword that has the type */
#define EXT_PORT_SPECIAL (1u << 7)  /* the type counts */

static void more_of_ext_port(const uint8_t *data, struct ibc_phy *out)
{
	const uint32_t flags = register_dword(data, 0x2c);
	uint64_t *type = &out->value[IBC_PHY_PORT_TYPE];

	if (!(flags & EXT_PORT_SPECIAL))
		*type = flags & EXT_PORT_FNM ? IBC_PORT_FNM : IBC_PORT_ORDINARY;
	else if (*type == IBC_PORT_ORDINARY)
		*type = IBC_PORT_SPECIAL;
}

/* ---- all ------------------------------------------------------------------------------------ */

/* more: NULL, or what else it has; skip: bytes in front of the page */
static const struct page {
	uint16_t id;
	uint8_t select, skip;
	const struct field *fields;
	size_t num;
	void (*more)(const uint8_t *page, struct ibc_phy *out);
} pages[] = {
	{ REGISTER_PPCNT, 0x16, REGISTER_PAGE, errors, ARRAY_SIZE(errors), more_of_errors },
	{ REGISTER_PPCNT, 0x12, REGISTER_PAGE, fec_blocks, ARRAY_SIZE(fec_blocks), NULL },
	{ REGISTER_PPCNT, 0x1a, REGISTER_PAGE, recoveries, ARRAY_SIZE(recoveries),
	  more_of_recoveries },
	{ REGISTER_PPCNT, 0x22, REGISTER_PAGE, plr, ARRAY_SIZE(plr), NULL },
	{ REGISTER_PDDR, 0, REGISTER_PAGE, state, ARRAY_SIZE(state), more_of_state },
	{ REGISTER_PDDR, 1, REGISTER_PAGE, why_down, ARRAY_SIZE(why_down), NULL },
	{ REGISTER_PDDR, 2, REGISTER_PAGE, training, ARRAY_SIZE(training), NULL },
	{ REGISTER_PDDR, 6, REGISTER_PAGE, last_down, ARRAY_SIZE(last_down), NULL },
	{ REGISTER_PDDR, 8, REGISTER_PAGE, link_up, ARRAY_SIZE(link_up), NULL },
	{ REGISTER_PRTL, 0, 0, length, ARRAY_SIZE(length), more_of_length },
};
static const struct page ext_port_page = {
	SMP_MLNX_EXT_PORT_INFO, 0, 0, ext_port, ARRAY_SIZE(ext_port), more_of_ext_port
};

static void page_get(const struct page *p, const uint8_t *data, struct ibc_phy *out)
{
	const uint8_t *page = data + p->skip;

	for (const struct field *f = p->fields; f < p->fields + p->num; f++) {
		if (f->width == 64)
			out->value[f->value] = bytes_get(page + f->offset, 8);
		else
			out->value[f->value] = register_dword(page, f->offset) >> f->shift &
			                       ((UINT64_C(1) << f->width) - 1);
		out->known |= UINT64_C(1) << f->value;
	}
	if (p->more)
		p->more(page, out);
}

void phy_values_get(const struct register_query *query, const uint8_t data[REGISTER_SIZE],
                    struct ibc_phy *out)
{
	for (const struct page *p = pages; p < pages + ARRAY_SIZE(pages); p++)
		if (p->id == query->id && p->select == query->select)
			page_get(p, data, out);
}

void ext_port_values_get(const uint8_t data[SMP_DATA_SIZE], struct ibc_phy *out)
{
	page_get(&ext_port_page, data, out);
}

/* ---- the FEC histogram --------------------------------------------------------------------- */

void fec_blocks_get(const uint8_t data[REGISTER_SIZE], struct ibc_fec_histogram *out)
{
	out->num_blocks = IBC_FEC_BINS;
	for (unsigned int i = 0; i < IBC_FEC_BINS; i++)
		out->blocks[i] = bytes_get(data + REGISTER_PAGE + 8 * i, 8);
}

#define BIN_RANGES 0x10 /* offset of the first, a dword each */

void fec_bins_get(const uint8_t data[REGISTER_SIZE], struct ibc_fec_histogram *out)
{
	const uint32_t num = register_dword(data, 4) >> 16 & 0xff;

	out->fec_type = (uint8_t)(register_dword(data, 0) >> 28);
	out->num_bins = (uint8_t)(num < IBC_FEC_BINS ? num : IBC_FEC_BINS);
	for (unsigned int i = 0; i < out->num_bins; i++) {
		const uint32_t range = register_dword(data, BIN_RANGES + 4 * i);

		out->low[i] = range & 0x3f;
		out->high[i] = range >> 16 & 0x3f;
	}
}

/* ---- temperature of the device ------------------------------------------------------------ */

#define MTMP_UNIT   0.125      /* degrees Celsius, as two's complement of 16 bits */
#define MAX_ENABLED (1u << 31) /* mte: the device keeps the highest */

static double celsius(const uint8_t *data, unsigned int offset)
{
	return (int16_t)register_dword(data, offset) * MTMP_UNIT;
}

void temperature_get(const uint8_t data[REGISTER_SIZE], struct ibc_sensor *out)
{
	const double high = celsius(data, 0x0c), low = celsius(data, 0x10);

	out->kind = IBC_SENSOR_TEMPERATURE;
	out->now = celsius(data, 4);
	out->max = register_dword(data, 8) & MAX_ENABLED ? celsius(data, 8) : NAN;
	/* equal, so also both 0: no limits were set */
	out->high = high > low ? high : NAN;
	out->low = high > low ? low : NAN;
}
