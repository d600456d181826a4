/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>

#include "model/registers_give.h"

#define PAGE 8 /* where the data of PPCNT and PDDR begin */

/* ---- PPCNT --------------------------------------------------------------------- */

struct ber {
	unsigned int coefficient, magnitude;
};

/* No error is 15E-255. */
static struct ber ber_of(double errors, double bits)
{
	struct ber b = { 15, 255 };
	double ber;

	if (errors < 1 || bits <= 0)
		return b;
	ber = errors / bits;
	b.magnitude = (unsigned int)ceil(-log10(ber));
	b.coefficient = (unsigned int)lround(ber * pow(10, b.magnitude));
	if (b.coefficient == 10)
		b = (struct ber){ 1, b.magnitude - 1 };
	return b;
}

static double raw_errors(const struct model_phy *p)
{
	double sum = 0;

	for (unsigned int i = 0; i < PHY_LANES; i++)
		sum += floor(p->counts.raw[i]);
	return sum;
}

/* What is left is never more than there was: each count is whole, and rounded by itself. */
static double effective_errors(const struct model_phy *p)
{
	return fmin(floor(p->counts.effective), raw_errors(p));
}

static double symbol_errors(const struct model_phy *p)
{
	return fmin(floor(p->counts.symbol), effective_errors(p));
}

static unsigned int first_empty_bin(const struct model_phy *p)
{
	unsigned int n = PHY_BINS;

	if (!model_fec_code(p->fec))
		return 0;
	while (n > 0 && p->counts.bins[n - 1] < 1)
		n--;
	return n;
}

static void put_lane_bers(const struct model_phy *p, uint8_t *d)
{
	for (unsigned int i = 0; i < PHY_LANES && !p->no_lane_ber; i++) {
		struct ber b = ber_of(floor(p->counts.raw[i]), p->counts.bits / p->lanes);
		unsigned int low = i % 2 ? 0 : 16;

		put(d, 0x6c + 4 * (i / 2), low + 3, low, b.coefficient);
		put(d, 0x6c + 4 * (i / 2), low + 15, low + 8, b.magnitude);
	}
}

static void put_statistics(const struct model_phy *p, uint8_t *d)
{
	const double errors[] = { raw_errors(p), effective_errors(p), symbol_errors(p) };

	put64(d, 0x00, p->counts.seconds * 1000);
	put64(d, 0x08, p->counts.bits);
	put64(d, 0x10, errors[2]);
	put64(d, 0x18, errors[0] - errors[1]);
	for (unsigned int i = 0; i < PHY_LANES; i++)
		put64(d, 0x20 + 8 * i, p->counts.raw[i]);
	for (unsigned int i = 0; i < 3; i++) {
		struct ber b = ber_of(errors[i], p->counts.bits);

		put(d, 0x60 + 4 * i, 3, 0, b.coefficient);
		put(d, 0x60 + 4 * i, 15, 8, b.magnitude);
	}
	put(d, 0x60, 25, 16, first_empty_bin(p));
	put_lane_bers(p, d);
	put64(d, 0x7c, errors[1]);
}

static void put_physical(const struct model_phy *p, uint8_t *d)
{
	const struct model_phy_counts *c = &p->counts;
	static const uint8_t by_lane[PHY_LANES] = {
		0xa0, 0xa8, 0xb0, 0xb8, 0xc8, 0xd0, 0xd8, 0xe0
	};

	put64(d, 0x00, c->seconds * 1000);
	put64(d, 0x78, floor(c->blocks) - floor(c->bins[0]) - floor(c->uncorrectable));
	put64(d, 0x80, c->uncorrectable);
	put64(d, 0x88, c->bins[0]);
	put64(d, 0x98, c->symbols);
	for (unsigned int i = 0; i < p->lanes; i++)
		put64(d, by_lane[i], c->symbols / p->lanes);
	put(d, 0xc0, 31, 0, p->link_downs);
	put(d, 0xc4, 31, 0, p->recoveries);
	put(d, 0xf0, 31, 0, p->unintended);
	put(d, 0xf4, 31, 0, p->intended);
}

static void put_recovery(const struct model_phy *p, uint8_t *d)
{
	put(d, 0x00, 31, 0, p->recovered);
	put(d, 0x04, 31, 0, p->unintended);
	put(d, 0x08, 31, 0, p->intended);
	put(d, 0x4c, 31, 0, p->since_recovery_s);
}

/* Both ends of a link lose as much. */
static void put_plr(const struct model_phy *p, uint8_t *d)
{
	const struct model_fec_code *code = model_fec_code(p->fec);
	double rejected = p->counts.uncorrectable, loss;

	if (!code || !code->plr)
		return;
	loss = p->counts.blocks > 0 ? rejected / p->counts.blocks * 1e10 : 0;
	put64(d, 0x00, p->counts.blocks);
	put64(d, 0x08, rejected);
	put64(d, 0x10, rejected * p->plr_lost);
	put64(d, 0x18, p->counts.blocks);
	put64(d, 0x20, rejected);
	put64(d, 0x28, rejected);
	put64(d, 0x38, loss);
	put64(d, 0x40, fmin(rejected, 1));
	put64(d, 0x5c, loss);
}

static void put_histogram(const struct model_phy *p, uint8_t *d)
{
	for (unsigned int i = 0; i < PHY_BINS; i++)
		put64(d, 8 * i, p->counts.bins[i]);
}

/* ---- PDDR ---------------------------------------------------------------------- */

static void put_operation(const struct model_phy *p, uint8_t *d)
{
	put(d, 0x00, 23, 20, 1); /* InfiniBand */
	put(d, 0x04, 31, 24, p->manager);
	put(d, 0x04, 15, 8, p->ib_fsm);
	put(d, 0x18, 11, 0, p->loopback);
	put(d, 0x1c, 31, 16, p->fec);
	put(d, 0x1c, 15, 0, p->fec_asked);
	put(d, 0x38, 3, 0, p->health);
}

static void put_troubleshooting(const struct model_phy *p, uint8_t *d)
{
	put(d, 0x04, 15, 0, p->why);
	put_text(d + 0x0c, 0xec, p->why_text ? p->why_text : "No issue observed", 0);
}

static void put_training(const struct model_phy *p, uint8_t *d)
{
	put(d, 0x00, 31, 24, p->remote_device);
	put(d, 0x04, 31, 16, p->attempts);
	put(d, 0x08, 23, 0, p->disable_mask);
	put(d, 0x0c, 31, 0, p->lock);
}

/* Of uW; without light -40 dBm, as devices have it, signed. */
static uint16_t power(uint16_t uw, bool in_uw)
{
	if (in_uw)
		return uw;
	return (uint16_t)(uw ? lround(10 * log10(uw / 1000.0)) : -40);
}

static void put_lanes(uint8_t *d, unsigned int byte, const uint16_t *lanes, int in_uw)
{
	for (unsigned int i = 0; i < PHY_LANES; i++)
		put(d, byte + 4 * (i / 2), i % 2 ? 15 : 31, i % 2 ? 0 : 16,
		    in_uw < 0 ? lanes[i] : power(lanes[i], in_uw));
}

static void put_alarm(uint8_t *d, unsigned int byte, struct model_range r, int in_uw)
{
	bool raw = in_uw < 0 || (!r.high && !r.low);

	put(d, byte, 31, 16, raw ? r.high : power(r.high, in_uw));
	put(d, byte, 15, 0, raw ? r.low : power(r.low, in_uw));
}

static void put_identity(const struct model_phy *p, const struct model_module *m, uint8_t *d)
{
	size_t n = strlen(m->revision);

	put(d, 0x00, 31, 24, m->technology);
	put(d, 0x00, 23, 16, m->breakout);
	put(d, 0x04, 31, 28, m->kind);
	put(d, 0x04, 23, 16, m->length);
	put(d, 0x04, 15, 8, m->form);
	put_text(d + 0x14, 16, m->vendor, *m->vendor ? ' ' : 0);
	put_text(d + 0x24, 16, m->part, *m->vendor ? ' ' : 0);
	memcpy(d + 0x34 + 4 - n, m->revision, n); /* to the right, zeros before it */
	put(d, 0x38, 31, 0, m->firmware);
	memcpy(d + 0x3c, p->serial, sizeof(p->serial));
	put_text(d + 0xb0, 8, m->date, 0);
	put(d, 0xb8, 23, 0, m->oui);
}

/* What a module without power or light measures does not belong to its port. */
static void put_module(const struct model_phy *p, uint8_t *d, bool in_uw)
{
	const struct model_module *m = p->module;

	if (!m) {
		put(d, 0x04, 31, 28, MODEL_UNPLUGGED);
		return;
	}
	put_identity(p, m, d);
	put(d, 0x4c, 31, 16, (uint16_t)m->temperature);
	put(d, 0x4c, 15, 0, m->voltage);
	put_lanes(d, 0x50, m->rx, m->kind == MODEL_PASSIVE ? -1 : in_uw);
	put_lanes(d, 0x60, m->tx, m->kind == MODEL_PASSIVE ? -1 : in_uw);
	put_lanes(d, 0x70, m->bias, -1);
	put_alarm(d, 0x80, m->temperature_alarm, -1);
	put_alarm(d, 0x84, m->voltage_alarm, -1);
	put_alarm(d, 0x88, m->rx_alarm, in_uw);
	put_alarm(d, 0x8c, m->tx_alarm, in_uw);
	put_alarm(d, 0x90, m->bias_alarm, -1);
	put(d, 0x94, 31, 29, m->state);
	put(d, 0x94, 28, 28, 1);
	put(d, 0x98, 9, 0, m->rates);
	put(d, 0x98, 11, 10, m->bias_factor);
	put(d, 0x9c, 15, 8, m->monitors);
	put(d, 0xa0, 31, 0, m->data_path * 0x11111111u);
	put(d, 0xc0, 3, 0, m->config_error);
}

static void put_link_down(const struct model_phy *p, uint8_t *d)
{
	put(d, 0x00, 3, 0, p->down.blame);
	put(d, 0x00, 7, 4, p->down.intent);
	put(d, 0x04, 7, 0, p->down.local);
	put(d, 0x04, 23, 16, p->down.entry);
	put(d, 0x08, 7, 0, p->down.remote);
	put(d, 0x0c, 7, 0, p->down.e2e);
	put(d, 0x0c, 15, 12, p->down.ts1);
	put(d, 0x10, 15, 0, p->down.symbol_alarms);
	put(d, 0x18, 15, 0, p->down.raw_alarms);
	put(d, 0x18, 31, 16, p->down.effective_alarms);
	put(d, 0x30, 7, 0, p->down.hi_ser);
}

static void put_link_up(const struct model_phy *p, uint8_t *d)
{
	put(d, 0x04, 31, 0, p->ms_to_up);
}

static void put_latched(const struct model_phy *p, uint8_t *d)
{
	for (unsigned int i = 0; p->module && i < 6; i++)
		put(d, 4 * i, 31, 0, p->module->latched[i]);
}

/* ---- registers of ports -------------------------------------------------------- */

struct part {
	unsigned int number;
	void (*put)(const struct model_phy *p, uint8_t *d);
};

static const struct part groups[] = {
	{ 0x12, put_physical }, { 0x16, put_statistics }, { 0x1a, put_recovery },
	{ 0x22, put_plr },      { 0x23, put_histogram },  { 0, NULL },
};

static const struct part pages[] = {
	{ 0, put_operation }, { 1, put_troubleshooting }, { 2, put_training }, { 6, put_link_down },
	{ 8, put_link_up },   { 9, put_latched },         { 0, NULL },
};

static uint16_t put_part(const struct part *parts, unsigned int number, const struct asked *a,
                         uint8_t *d)
{
	while (parts->put && parts->number != number)
		parts++;
	if (!parts->put)
		return REGISTER_STATUS_INVALID;
	parts->put(a->phy, d + PAGE);
	return 0;
}

uint16_t give_ppcnt(const struct asked *a, uint8_t *d)
{
	if (get(d, 0x0, 31, 24) || get(d, 0x0, 11, 6) || get(d, 0x4, 31, 0))
		return REGISTER_STATUS_INVALID;
	return put_part(groups, get(d, 0x0, 5, 0), a, d);
}

uint16_t give_pddr(const struct asked *a, uint8_t *d)
{
	const unsigned int module_page = 3, latch_page = 9;
	unsigned int page = get(d, 0x4, 7, 0), in_uw = get(d, 0x4, 30, 29);

	if (get(d, 0x0, 31, 24) || get(d, 0x0, 11, 0) || in_uw > 1)
		return REGISTER_STATUS_INVALID;
	if (a->phy->no_cage && (page == module_page || page == latch_page))
		return REGISTER_STATUS_INVALID;
	if (page != module_page)
		return put_part(pages, page, a, d);
	put_module(a->phy, d + PAGE, in_uw);
	return 0;
}

/* One symbol more by bin. */
uint16_t give_pphcr(const struct asked *a, uint8_t *d)
{
	const struct model_fec_code *code = model_fec_code(a->phy->fec);
	unsigned int bins = code ? code->corrects + 1 : 0;

	if (get(d, 0x0, 31, 24) || get(d, 0x0, 11, 0) || get(d, 0x4, 31, 0))
		return REGISTER_STATUS_INVALID;
	if (code && a->phy->num_bins)
		bins = a->phy->num_bins;
	put(d, 0x0, 31, 28, code ? code->histogram : 0);
	put(d, 0x4, 23, 16, bins);
	put(d, 0x8, 23, 16, code ? code->corrects : 0);
	for (unsigned int i = 0; i < bins && i < 19; i++) {
		put(d, 0x10 + 4 * i, 5, 0, i);
		put(d, 0x10 + 4 * i, 21, 16, i);
	}
	return 0;
}

/* ---- ExtendedPortInfo ---------------------------------------------------------- */

int model_ext_port(const struct model_registers *r, unsigned int num, uint8_t data[64])
{
	const struct model_phy *p = &r->ports[num];
	const unsigned int capability = 9;

	if (r->mute)
		return REGISTERS_SAY_NOTHING;
	if (!(r->smp[0] & 1u << capability) || !num || num > r->num_ports)
		return REGISTER_STATUS_INVALID;
	data[0] |= p->was_recovered ? 0x10 : 0;
	data[6] = p->unhealthy;
	data[44] |= p->fnm ? 0x80 : 0;
	data[47] = p->special;
	bytes_put(data + 52, 2, p->adaptive);
	bytes_put(data + 54, 2, p->ooo);
	return 0;
}
