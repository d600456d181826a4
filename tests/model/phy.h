/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MODEL_PHY_H
#define MODEL_PHY_H

/*
 * The physical layer of a port, as the model has it: module, link, and counters that run.
 * Units are those of the registers (mstflint b9d9e844, tools_layouts/adb/prm; never seen on a
 * wire).  All fields are there to be set; the calls below change what belongs together.
 */
#include <stdbool.h>
#include <stdint.h>

#define PHY_LANES 8
#define PHY_BINS  21

/* An alarm; both 0: the module has none. */
struct model_range {
	uint16_t high, low;
};

enum model_module_kind { MODEL_ACTIVE = 1, MODEL_OPTICAL, MODEL_PASSIVE, MODEL_UNPLUGGED };
enum model_monitors {
	MODEL_MONITORS_TEMPERATURE = 1,
	MODEL_MONITORS_VOLTAGE = 2,
	MODEL_MONITORS_TX = 4,
	MODEL_MONITORS_RX = 8,
	MODEL_MONITORS_BIAS = 16,
};

/*
 * struct model_module - a cable's end, or a transceiver; all that are equal share one
 * @length:	 metres; of form 5, 6, 7, 8, 10: [5:0] x 0.1, 1, 10 or 100 by [7:6]
 * @rates:	 bit 0 SDR, 1 DDR, 2 QDR, 3 FDR10, 4 FDR, 5 EDR, 6 HDR, 7 NDR, 8 XDR
 * @temperature: 1/256 degrees, signed; its alarm likewise
 * @voltage:	 100 uV
 * @rx, @tx:	 uW
 * @bias:	 2 uA, times 1, 2 or 4 by @bias_factor 0, 1 or 2
 * @data_path:	 of all lanes alike; 4 is activated
 * @latched:	 the first six words of PDDR page 9
 */
struct model_module {
	char vendor[17], part[17], revision[5], date[9];
	uint8_t kind, form, technology, breakout, length, monitors, bias_factor;
	uint8_t state, data_path, config_error;
	uint16_t rates;
	uint32_t oui, firmware;
	int16_t temperature;
	uint16_t voltage, rx[PHY_LANES], tx[PHY_LANES], bias[PHY_LANES];
	struct model_range temperature_alarm, voltage_alarm, rx_alarm, tx_alarm, bias_alarm;
	uint32_t latched[6];
};

/* Modules that are well. */
extern const struct model_module model_dac;       /* CMIS, 1.5 m: measures nothing, flags set */
extern const struct model_module model_aoc;       /* 20 m, its length in metres */
extern const struct model_module model_aoc_cmis;  /* 30 m */
extern const struct model_module model_optics;    /* one OSFP, fibre apart */
extern const struct model_module model_optics_x4; /* bias in units of 8 uA */
extern const struct model_module model_no_sensor; /* optics that report 0 degrees */
extern const struct model_module model_zeros;     /* it answers, but with nothing */
extern const struct model_module model_ones;      /* its bus is stuck */

/* Since the last clear; errors are bits, what has not yet become one whole is kept. */
struct model_phy_counts {
	double seconds, bits, raw[PHY_LANES], effective, symbol;
	double bins[PHY_BINS], uncorrectable, blocks, symbols; /* of FEC */
};

/*
 * struct model_phy - one port; zeroed, a down port without a module
 * @module:	borrowed, until model_phy_module() makes one of this port's own
 * @twin:	shares its cage: one module, two ports
 * @serial:	any bytes
 * @rate:	bits a second over all lanes; 0: none come
 * @raw_ber:	by lane
 * @tenfold_s:	the raw BER grows tenfold in so many seconds; 0: it stays
 * @bursts:	blocks a second that FEC cannot correct, beyond those of chance
 * @plr_lost:	of the rejected blocks the part that no retransmission saves
 * @no_lane_ber: 0x16 has no BER of single lanes, as of devices without bit 35
 * @planted:	this cage has a fault already: see model/planted.h
 * @fec, @fec_asked: PDDR's coding
 * @num_bins:	of the histogram; 0: as the FEC has them
 * @manager:	2 polling, 3 active
 * @no_cage:	it has no pages of a module
 * @unhealthy, @special, @fnm, @was_recovered, @ooo, @adaptive: ExtendedPortInfo; @special: its
 *		byte 47
 */
struct model_phy {
	const struct model_module *module;
	struct model_module *own;
	struct model_phy *twin;
	uint8_t serial[16];
	double rate, bursts, plr_lost, tenfold_s;
	float raw_ber[PHY_LANES];
	struct model_phy_counts counts;
	uint64_t at_ns; /* of the model's clock: counts are of then */
	uint32_t link_downs, recoveries, recovered, unintended, intended, since_recovery_s;
	uint32_t ms_to_up, disable_mask, lock;
	uint16_t fec, fec_asked, attempts, loopback, why;
	const char *why_text;
	uint8_t lanes, manager, ib_fsm, health, remote_device, num_bins;
	bool no_lane_ber, planted, no_cage;
	uint8_t unhealthy, special;
	bool fnm, was_recovered;
	uint16_t ooo, adaptive;
	/* PDDR page 6 */
	struct {
		uint8_t blame, intent, local, entry, remote, e2e, ts1, hi_ser;
		uint16_t raw_alarms, effective_alarms, symbol_alarms;
	} down;
};

enum model_fec {
	MODEL_FEC_NONE = 0,
	MODEL_FEC_KR4 = 2,
	MODEL_FEC_LL = 3,
	MODEL_FEC_KP4 = 7,
	MODEL_FEC_KP4_PLR = 12,
	MODEL_FEC_LL_PLR = 13,
};

/*
 * struct model_fec_code - what a FEC is
 * @symbols:   of a block, 10 bits each
 * @corrects:  so many of them
 * @histogram: PPHCR's number of it; 0: none
 */
struct model_fec_code {
	uint16_t fec;
	unsigned int symbols, corrects, histogram;
	bool plr;
};
const struct model_fec_code *model_fec_code(uint16_t fec);

/* An active link of four lanes of so many Gb/s; raw BER 1e-9, as is usual under FEC. */
void model_phy_up(struct model_phy *p, double gbps, enum model_fec fec);
/* Lets it run; counts stop nowhere. */
void model_phy_run(struct model_phy *p, double seconds);
/* Somebody else cleared the counters. */
void model_phy_clear(struct model_phy *p);
void model_phy_plug(struct model_phy *p, const struct model_module *module, const char *serial);
/* Both ports of one cage: the module and the serial number are those of a. */
void model_phy_twins(struct model_phy *a, struct model_phy *z);
/* The module, to be changed for this port and its twin alone. */
struct model_module *model_phy_module(struct model_phy *p);
void model_phy_free(struct model_phy *p);

/* ---- faults -------------------------------------------------------------------- */

void model_phy_dirty_lane(struct model_phy *p, unsigned int lane, float ber);
/* By chance alone FEC leaves nothing below 1e-5: p. */
void model_phy_noisy(struct model_phy *p, float ber);
void model_phy_heat(struct model_phy *p, double degrees);
/* No light: 0 uW, -40 dBm. */
void model_phy_darken(struct model_phy *p, unsigned int lane);
/* It went down n times; blame 1 here, 2 at the other end; intent 1 meant, 2 not. */
void model_phy_drop(struct model_phy *p, uint32_t n, uint8_t blame, uint8_t intent, uint8_t reason);
/* Down, and it says why; text may be NULL. */
void model_phy_why(struct model_phy *p, uint16_t code, const char *text);
void model_phy_train_slowly(struct model_phy *p, uint16_t attempts, uint32_t ms);

#endif
