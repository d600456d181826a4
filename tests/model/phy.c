/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/phy.h"

#define DEGREES(n) ((int16_t)((n)*256))
#define ALL(n)                                                                                     \
	{                                                                                          \
		n, n, n, n, n, n, n, n                                                             \
	}
#define HDR_RATES 0x07f
#define NDR_RATES 0x0ff
#define MONITORS_ALL                                                                               \
	(MODEL_MONITORS_TEMPERATURE | MODEL_MONITORS_VOLTAGE | MODEL_MONITORS_TX |                 \
	 MODEL_MONITORS_RX | MODEL_MONITORS_BIAS)
#define OSFP 8

/* ---- modules ------------------------------------------------------------------- */

/* Alarms are latched from when the cable was plugged in, on every one of them. */
const struct model_module model_dac = {
	.vendor = "Acme Cables",
	.part = "DAC-OSFP-1M5",
	.revision = "A2",
	.date = "240115",
	.oui = 0x00aabb,
	.kind = MODEL_PASSIVE,
	.form = OSFP,
	.technology = 0x0a,
	.length = 15,
	.rates = NDR_RATES,
	.state = 3,
	.data_path = 4,
	.latched = { 0, 0x00030600, 0, 0x32230000, 0x03060000, 0 },
};

#define OPTICS                                                                                     \
	.vendor = "Acme Optics", .revision = "B1", .date = "240302", .oui = 0x00aacc,              \
	.monitors = MONITORS_ALL, .temperature = DEGREES(55), .voltage = 33000, .rx = ALL(1000),   \
	.tx = ALL(1200), .bias = ALL(3621), .state = 3, .data_path = 4,                            \
	.temperature_alarm = { DEGREES(80), (uint16_t)DEGREES(-10) },                              \
	.voltage_alarm = { 34650, 31350 }, .rx_alarm = { 3981, 120 }, .tx_alarm = { 3981, 250 },   \
	.bias_alarm = { 6500, 1000 }

const struct model_module model_aoc = {
	OPTICS,       .part = "AOC-QSFP-20M", .kind = MODEL_ACTIVE, .form = 0, .technology = 0x00,
	.length = 20, .rates = HDR_RATES,
};

const struct model_module model_aoc_cmis = {
	OPTICS,
	.part = "AOC-OSFP-30M",
	.kind = MODEL_ACTIVE,
	.form = OSFP,
	.technology = 0x00,
	.length = 1 << 6 | 30,
	.rates = NDR_RATES,
};

const struct model_module model_optics = {
	OPTICS,       .part = "SR8-OSFP-50M", .kind = MODEL_OPTICAL,
	.form = OSFP, .firmware = 0x2e010203, .rates = NDR_RATES,
};

const struct model_module model_optics_x4 = {
	OPTICS,
	.part = "DR4-OSFP-500M",
	.kind = MODEL_OPTICAL,
	.form = OSFP,
	.technology = 0x04,
	.bias_factor = 2,
	.rates = NDR_RATES,
};

const struct model_module model_no_sensor = {
	.vendor = "Acme Optics",
	.part = "SR4-OLD",
	.revision = "A",
	.kind = MODEL_OPTICAL,
	.form = 1,
	.rates = 0x03f,
};

const struct model_module model_zeros = { .vendor = "" };

const struct model_module model_ones = {
	.vendor = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
	.part = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
	.revision = "\xff\xff\xff\xff",
	.date = "\xff\xff\xff\xff\xff\xff\xff\xff",
	.kind = 0xf,
	.form = 0xff,
	.technology = 0xff,
	.breakout = 0xff,
	.length = 0xff,
	.monitors = 0xff,
	.bias_factor = 3,
	.state = 7,
	.data_path = 0xf,
	.config_error = 0xf,
	.rates = 0x3ff,
	.oui = 0xffffff,
	.firmware = UINT32_MAX,
	.temperature = -1,
	.voltage = UINT16_MAX,
	.rx = ALL(UINT16_MAX),
	.tx = ALL(UINT16_MAX),
	.bias = ALL(UINT16_MAX),
	.temperature_alarm = { UINT16_MAX, UINT16_MAX },
	.voltage_alarm = { UINT16_MAX, UINT16_MAX },
	.rx_alarm = { UINT16_MAX, UINT16_MAX },
	.tx_alarm = { UINT16_MAX, UINT16_MAX },
	.bias_alarm = { UINT16_MAX, UINT16_MAX },
	.latched = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX },
};

static struct model_module *owned(struct model_phy *p)
{
	return p->own ? p->own : p->twin ? p->twin->own : NULL;
}

struct model_module *model_phy_module(struct model_phy *p)
{
	if (owned(p))
		return owned(p);
	p->own = malloc(sizeof(*p->own));
	assert(p->own && p->module);
	*p->own = *p->module;
	p->module = p->own;
	if (p->twin)
		p->twin->module = p->own;
	return p->own;
}

void model_phy_plug(struct model_phy *p, const struct model_module *module, const char *serial)
{
	size_t n = strnlen(serial, sizeof(p->serial));

	p->module = module;
	memset(p->serial, *module->vendor ? ' ' : 0, sizeof(p->serial));
	memcpy(p->serial, serial, n);
}

void model_phy_twins(struct model_phy *a, struct model_phy *z)
{
	a->twin = z;
	z->twin = a;
	z->module = a->module;
	memcpy(z->serial, a->serial, sizeof(z->serial));
}

void model_phy_free(struct model_phy *p)
{
	free(p->own);
}

/* ---- counters ------------------------------------------------------------------ */

const struct model_fec_code *model_fec_code(uint16_t fec)
{
	static const struct model_fec_code codes[] = {
		{ MODEL_FEC_KR4, 528, 7, 3, false },   { MODEL_FEC_LL, 271, 7, 2, false },
		{ MODEL_FEC_KP4, 544, 15, 1, false },  { MODEL_FEC_KP4_PLR, 544, 15, 1, true },
		{ MODEL_FEC_LL_PLR, 271, 7, 2, true },
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (codes[i].fec == fec)
			return &codes[i];
	return NULL;
}

/* Symbols of a block come over all lanes in turn, each wrong with this probability. */
static double symbol_error(const struct model_phy *p, double grown)
{
	double sum = 0;

	for (unsigned int i = 0; i < p->lanes; i++)
		sum += -expm1(10 * log1p(-(double)p->raw_ber[i] * grown));
	return sum / p->lanes;
}

/* Wrong symbols of a block are binomial: bins of up to what is corrected, the tail is lost. */
static double spread(struct model_phy *p, const struct model_fec_code *code, double blocks,
                     double grown)
{
	double s = symbol_error(p, grown), part = exp(code->symbols * log1p(-s)), tail = 0;

	for (unsigned int k = 0; k < code->corrects + 60; k++) {
		if (k <= code->corrects)
			p->counts.bins[k] += blocks * part;
		else
			tail += part;
		p->counts.symbols += k <= code->corrects ? blocks * part * k : 0;
		part *= s / (1 - s) * (code->symbols - k) / (k + 1);
	}
	return tail;
}

/* A block that is not corrected has one symbol more than can be, a bit of each. */
static void run_blocks(struct model_phy *p, double seconds, double grown)
{
	const struct model_fec_code *code = model_fec_code(p->fec);
	double bits = p->rate * seconds, blocks, lost;

	if (!code) {
		for (unsigned int i = 0; i < p->lanes; i++)
			p->counts.effective += bits / p->lanes * (double)p->raw_ber[i] * grown;
		p->counts.symbol = p->counts.effective;
		return;
	}
	blocks = bits / (10.0 * code->symbols);
	lost = blocks * spread(p, code, blocks, grown) + p->bursts * seconds;
	p->counts.blocks += blocks;
	p->counts.uncorrectable += lost;
	p->counts.effective += lost * (code->corrects + 1);
	p->counts.symbol += lost * (code->corrects + 1) * (code->plr ? p->plr_lost : 1);
	p->counts.raw[0] += p->bursts * seconds * (code->corrects + 1);
}

static void run_steadily(struct model_phy *p, double seconds, double grown)
{
	p->counts.bits += p->rate * seconds;
	for (unsigned int i = 0; i < p->lanes; i++)
		p->counts.raw[i] += p->rate * seconds / p->lanes * (double)p->raw_ber[i] * grown;
	if (p->rate > 0)
		run_blocks(p, seconds, grown);
}

/* What grows does so in steps of a tenth of its tenfold at most, at the middle of each. */
void model_phy_run(struct model_phy *p, double seconds)
{
	unsigned int steps = p->tenfold_s > 0 ? 1 + (unsigned int)(10 * seconds / p->tenfold_s) : 1;
	double step = seconds / steps, decades = p->tenfold_s > 0 ? step / p->tenfold_s : 0;

	p->counts.seconds += seconds;
	for (unsigned int i = 0; i < steps; i++) {
		run_steadily(p, step, pow(10, decades / 2));
		for (unsigned int lane = 0; decades > 0 && lane < p->lanes; lane++)
			p->raw_ber[lane] = fminf(p->raw_ber[lane] * (float)pow(10, decades), 0.01f);
	}
}

void model_phy_clear(struct model_phy *p)
{
	p->counts = (struct model_phy_counts){ 0 };
}

void model_phy_up(struct model_phy *p, double gbps, enum model_fec fec)
{
	p->lanes = 4;
	p->rate = gbps * 1e9;
	p->fec = p->fec_asked = fec;
	p->manager = 3;
	p->health = 2;
	p->attempts = 1;
	p->ms_to_up = 1200;
	p->lock = 0x0f0f;
	p->no_lane_ber = true;
	p->unhealthy = 1;
	p->ooo = 0xffff;
	for (unsigned int i = 0; i < p->lanes; i++)
		p->raw_ber[i] = 1e-9f;
}

/* ---- faults -------------------------------------------------------------------- */

void model_phy_dirty_lane(struct model_phy *p, unsigned int lane, float ber)
{
	assert(lane < p->lanes);
	p->raw_ber[lane] = ber;
}

void model_phy_noisy(struct model_phy *p, float ber)
{
	for (unsigned int i = 0; i < p->lanes; i++)
		p->raw_ber[i] = ber;
}

void model_phy_heat(struct model_phy *p, double degrees)
{
	struct model_module *m = model_phy_module(p);

	m->temperature = (int16_t)lround(degrees * 256);
	if (m->temperature_alarm.high && m->temperature > (int16_t)m->temperature_alarm.high)
		m->latched[0] |= 1u << 28;
}

void model_phy_darken(struct model_phy *p, unsigned int lane)
{
	struct model_module *m = model_phy_module(p);

	m->rx[lane] = 0;
	m->latched[4] |= 1u << (24 + lane);
	m->latched[5] |= 1u << (16 + lane);
}

void model_phy_drop(struct model_phy *p, uint32_t n, uint8_t blame, uint8_t intent, uint8_t reason)
{
	p->link_downs += intent == 2 && blame == 1 ? n : 0;
	*(intent == 1 ? &p->intended : &p->unintended) += n;
	p->down.blame = blame;
	p->down.intent = intent;
	*(blame == 2 ? &p->down.remote : &p->down.local) = reason;
	p->down.e2e = reason;
}

void model_phy_why(struct model_phy *p, uint16_t code, const char *text)
{
	p->rate = 0;
	p->manager = 2;
	p->health = 0;
	p->ms_to_up = 0;
	p->fec = 0;
	p->why = code;
	p->why_text = text;
}

void model_phy_train_slowly(struct model_phy *p, uint16_t attempts, uint32_t ms)
{
	p->attempts = attempts;
	p->ms_to_up = ms;
}
