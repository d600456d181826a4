/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_PHY_H
#define IBCHECK_PHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/types.h>

#pragma GCC visibility push(default)

/**
 * DOC: the physical layer
 *
 * What a port knows of its own link, and of the module or cable in its cage, below the
 * counters of the specification: bit errors, error correction (FEC), retransmission (PLR),
 * optical power, temperature, why a link is down.  It is read with Gets of the vendor's
 * registers, and only if that is asked for.  Layouts are from the tables of mstflint
 * (tools_layouts/adb); they have not been verified on hardware.
 *
 * Everything here may be missing.  struct ibc_port points to its struct ibc_phy and struct
 * ibc_module, struct ibc_node to its sensors; NULL: nothing was read.  A number counts only
 * if its bit of @known is set; a real that is not known is NaN, a text NULL, an enumeration
 * its ..._UNKNOWN, which is 0.
 */

/* ---- numbers of a link ---------------------------------------------------------- */

/*
 * The register that carries each, with its offset on the page, is in lib/wire/phy.c.
 * What is cumulative counts since the last clear, IBC_PHY_CLEAR_AGE_MS ago.
 */
enum ibc_phy_value {
	/* PPCNT 0x16 */
	IBC_PHY_CLEAR_AGE_MS, /* ms; a clear of counters by anybody starts it anew */
	IBC_PHY_BITS_RECEIVED,
	IBC_PHY_SYMBOL_ERRORS,    /* left after FEC and PLR: HDR and later lose data by these */
	IBC_PHY_EFFECTIVE_ERRORS, /* left after FEC: EDR loses data by these */
	IBC_PHY_CORRECTED_BITS,   /* by FEC */
	IBC_PHY_RAW_ERRORS_LANE0, /* before FEC, of lanes 0 .. 7 */
	IBC_PHY_RAW_ERRORS_LANE1,
	IBC_PHY_RAW_ERRORS_LANE2,
	IBC_PHY_RAW_ERRORS_LANE3,
	IBC_PHY_RAW_ERRORS_LANE4,
	IBC_PHY_RAW_ERRORS_LANE5,
	IBC_PHY_RAW_ERRORS_LANE6,
	IBC_PHY_RAW_ERRORS_LANE7,
	IBC_PHY_FIRST_EMPTY_BIN, /* of the FEC histogram; 0: none is empty */
	/* PPCNT 0x12 */
	IBC_PHY_FEC_CORRECTED_BLOCKS, /* RS-FEC code words */
	IBC_PHY_FEC_UNCORRECTABLE_BLOCKS,
	IBC_PHY_FEC_CLEAN_BLOCKS,
	IBC_PHY_FEC_CORRECTED_SYMBOLS,
	IBC_PHY_LINK_DOWNS, /* seen here, and not meant */
	IBC_PHY_RECOVERIES_SINCE_UP,
	/* PPCNT 0x1A */
	IBC_PHY_RECOVERIES, /* times that the link healed itself */
	IBC_PHY_DOWNS_UNINTENDED,
	IBC_PHY_DOWNS_INTENDED,
	IBC_PHY_RECOVERY_AGE_SECONDS, /* since the last recovery; means nothing without one */
	/* PPCNT 0x22: code words of physical layer retransmission */
	IBC_PHY_PLR_RECEIVED,
	IBC_PHY_PLR_REJECTED,
	IBC_PHY_PLR_UNCORRECTABLE,
	IBC_PHY_PLR_SENT,
	IBC_PHY_PLR_RETRANSMITTED,
	IBC_PHY_PLR_EVENTS,
	IBC_PHY_PLR_LOSS,       /* of receive bandwidth, in 1e-10 of it */
	IBC_PHY_PLR_EVENTS_MAX, /* in one window of time of the device */
	IBC_PHY_PLR_XMIT_LOSS,  /* of transmit bandwidth, in 1e-10 of it */
	/* PDDR 0 */
	IBC_PHY_IB_FSM,      /* state of the training, the device's own code */
	IBC_PHY_MANAGER,     /* enum ibc_phy_manager */
	IBC_PHY_LOOPBACK,    /* 0 none; 1 of the peer's, 2 local, 4 external */
	IBC_PHY_LINK_HEALTH, /* enum ibc_link_health */
	/* PDDR 1: of a port that is down */
	IBC_PHY_WHY_DOWN, /* see ibc_phy_trouble() */
	/* PDDR 2 */
	IBC_PHY_REMOTE_DEVICE, /* what the peer says it is, the vendor's code: 8 ConnectX-7 */
	IBC_PHY_TRAINING_ATTEMPTS,
	IBC_PHY_DISABLED_BY, /* a bit each reason: 0 no module, 1 a command, 2 PortInfo, ... */
	/* PDDR 6: the last time that the link went down; it has no time */
	IBC_PHY_DOWN_BLAME,         /* enum ibc_phy_blame */
	IBC_PHY_DOWN_INTENT,        /* enum ibc_phy_intent */
	IBC_PHY_DOWN_REASON,        /* this side's, see ibc_phy_reason() */
	IBC_PHY_RECOVERY_REASON,    /* why the last recovery began, likewise */
	IBC_PHY_DOWN_REMOTE_REASON, /* the peer's, likewise */
	IBC_PHY_DOWN_E2E_REASON,    /* of both: from 100 on the peer's, 100 more */
	IBC_PHY_DOWN_TS1,           /* what the peer asked for in its training sequence */
	IBC_PHY_SYMBOL_BER_ALARMS,  /* windows of time above the device's own limits */
	IBC_PHY_RAW_BER_ALARMS,
	IBC_PHY_EFFECTIVE_BER_ALARMS,
	IBC_PHY_HIGH_SER_EVENTS, /* symbol error rate too high, since the last clear */
	/* PDDR 8 */
	IBC_PHY_LINK_UP_MS, /* from disabled to up, the last time */
	/* PRTL: the length as light travels it; known only where the device measures it */
	IBC_PHY_ROUND_TRIP_NS,
	IBC_PHY_ROUND_TRIP_ACCURACY_NS,
	IBC_PHY_LOCAL_LATENCY_NS,  /* the device's share of the round trip, one way */
	IBC_PHY_MODULE_LATENCY_NS, /* its module's */
	/* ExtendedPortInfo, which is of subnet management, by IB port number */
	IBC_PHY_RECOVERED,                /* 1: the port was recovered */
	IBC_PHY_UNHEALTHY,                /* 0 or 1: it is not; see ibc_phy_unhealthy() */
	IBC_PHY_PORT_TYPE,                /* enum ibc_port_type */
	IBC_PHY_OOO_SL_MASK,              /* a bit each SL: packets may come out of order */
	IBC_PHY_ADAPTIVE_TIMEOUT_SL_MASK, /* a bit each SL */
	IBC_PHY_VALUES,
};
#define IBC_PHY_LANES 8

/* @word is the key in JSON and snapshots, "bits_received". */
const struct ibc_word *ibc_phy_value_word(enum ibc_phy_value value);

enum ibc_phy_manager {
	IBC_PHY_MANAGER_DISABLED = 0,
	IBC_PHY_MANAGER_OPEN = 1,
	IBC_PHY_MANAGER_POLLING = 2,
	IBC_PHY_MANAGER_ACTIVE = 3,
	IBC_PHY_MANAGER_CLOSE = 4,
	IBC_PHY_MANAGER_UP = 5,
	IBC_PHY_MANAGER_SLEEP = 6,
	IBC_PHY_MANAGER_RX_DISABLED = 7,
};
/* The device's own opinion of the link. */
enum ibc_link_health { IBC_LINK_HEALTH_NONE, IBC_LINK_HEALTH_ATTENTION, IBC_LINK_HEALTH_GOOD };
/*
 * What a port is for.  Other than IBC_PORT_ORDINARY are inside a box: there is no cage.  1 to 15
 * are codes of the device; those without a name are special for a reason that is not known.
 */
enum ibc_port_type {
	IBC_PORT_ORDINARY = 0,
	IBC_PORT_AGGREGATION = 1, /* leads to the aggregation node of its switch (SHARP) */
	IBC_PORT_ROUTER = 2,
	IBC_PORT_GATEWAY = 3, /* to Ethernet */
	IBC_PORT_FNM = 16,
	IBC_PORT_SPECIAL = 17, /* it says no more */
};
/* Never NULL. */
const struct ibc_word *ibc_port_type_word(uint64_t type);
/* Whose receiver gave the link up. */
#define IBC_PHY_NOTHING_PLUGGED 1024 /* of IBC_PHY_WHY_DOWN: PDDR, 1 of the firmware */
enum ibc_phy_blame { IBC_PHY_BLAME_UNKNOWN, IBC_PHY_BLAME_LOCAL, IBC_PHY_BLAME_REMOTE };
enum ibc_phy_intent { IBC_PHY_INTENT_UNKNOWN, IBC_PHY_INTENDED, IBC_PHY_UNINTENDED };

/* ---- bit error rates -------------------------------------------------------------- */

enum ibc_ber_stage { IBC_BER_RAW, IBC_BER_EFFECTIVE, IBC_BER_SYMBOL, IBC_BERS };

/**
 * struct ibc_ber - a bit error rate as the device reports it, since the last clear
 * @coefficient: 0 .. 15
 * @magnitude: the rate is coefficient * 10^-magnitude
 *
 * No error was seen if the coefficient is 0, and in 15E-255, which is no rate.
 */
struct ibc_ber {
	uint8_t coefficient, magnitude;
};

/* Of 1 bit received; 0: no error was seen, which is no proof of a rate of 0. */
double ibc_ber_value(struct ibc_ber ber);

/* ---- error correction ---------------------------------------------------------------- */

/* The codes that there are, however a device numbers them. */
enum ibc_fec {
	IBC_FEC_UNKNOWN,
	IBC_FEC_NONE,
	IBC_FEC_FIRECODE,
	IBC_FEC_RS_528,
	IBC_FEC_RS_271,
	IBC_FEC_RS_271_PLR,
	IBC_FEC_RS_272,
	IBC_FEC_RS_272_PLR,
	IBC_FEC_RS_544,
	IBC_FEC_RS_544_PLR,
	IBC_FEC_RS_544_2X, /* interleaved: two code words at a time, and so on */
	IBC_FEC_RS_544_2X_PLR,
	IBC_FEC_RS_544_4X,
	IBC_FEC_RS_544_4X_PLR,
	IBC_FEC_RS_544_8X_PLR,
	IBC_FEC_RS_272_2X,
	IBC_FEC_RS_272_2X_PLR,
	IBC_FEC_RS_288_2X_PLR,
	IBC_FEC_RS_288_4X_PLR,
	IBC_FEC_RS_288_8X_PLR,
	/* codes of older devices, of which no more than a name is public */
	IBC_FEC_STRONG_RS,
	IBC_FEC_LOW_LATENCY,
	IBC_FEC_ADAPTIVE,
	IBC_FEC_COD,
	IBC_FEC_ZERO_LATENCY,
	IBC_FECS,
};

/**
 * struct ibc_fec_info - what is known of a code
 * @word: as ibc_fec_word()
 * @corrects: symbols of a code word it can correct, from its name: RS(n,k) (n - k) / 2;
 *	      0: it corrects none, or that is not known
 * @plr: what it cannot correct is sent again
 */
struct ibc_fec_info {
	struct ibc_word word;
	uint8_t corrects;
	bool plr;
};
/* Never NULL. */
const struct ibc_fec_info *ibc_fec_info(enum ibc_fec fec);

/**
 * struct ibc_fec_histogram - RS-FEC code words by the number of symbols corrected in each
 * @fec_type: whose symbols, by PPHCR: 1 RS(544,514), 2 RS(271,257) or RS(272,258),
 *	      3 RS(528,514); 0: the link is down, or it does not say
 * @num_bins: of @low and @high; 0: not known
 * @num_blocks: of @blocks; 0: not known
 * @low, @high: symbols that a bin stands for, both ends included
 * @blocks: code words of each bin, since the last clear
 */
#define IBC_FEC_BINS 21 /* that PPCNT 0x23 has room for; the kernel knows 16 */
struct ibc_fec_histogram {
	uint8_t fec_type, num_bins, num_blocks;
	uint8_t low[IBC_FEC_BINS], high[IBC_FEC_BINS];
	uint64_t blocks[IBC_FEC_BINS];
};

/**
 * struct ibc_phy - the physical layer of one port at one moment
 * @value:	value[enum ibc_phy_value]; read only what is in @known
 * @known:	set of UINT64_C(1) << enum ibc_phy_value
 * @ber:	ber[enum ibc_ber_stage]; read only what is in @known_bers
 * @fec_active, @fec_requested: enum ibc_fec
 * @at_seconds: when PPCNT 0x16 was read, in seconds after the subnet's time
 * @why_down:	the device's own words for IBC_PHY_WHY_DOWN, or NULL
 * @histogram:	NULL: not read
 */
struct ibc_phy {
	uint64_t value[IBC_PHY_VALUES];
	uint64_t known;
	struct ibc_ber ber[IBC_BERS];
	uint8_t known_bers; /* set of 1 << enum ibc_ber_stage */
	uint8_t fec_active, fec_requested;
	double at_seconds;
	const char *why_down;
	const struct ibc_fec_histogram *histogram;
};

/* Is the number known?  @phy may be NULL. */
bool ibc_phy_knows(const struct ibc_phy *phy, enum ibc_phy_value value);
/* Is the port of another type than IBC_PORT_ORDINARY?  False if that is not known. */
bool ibc_phy_is_special(const struct ibc_phy *phy);

/* ---- what codes mean --------------------------------------------------------------- */

enum ibc_phy_class {
	IBC_PHY_CLASS_UNKNOWN,
	IBC_PHY_CLASS_NOTHING,    /* there is no reason: nothing happened */
	IBC_PHY_CLASS_QUALITY,    /* the signal: cable, module, plug, dirt */
	IBC_PHY_CLASS_CONGESTION, /* credits, buffers: not the cable */
	IBC_PHY_CLASS_MODULE,     /* the module or cable itself: unplugged, hot, without power */
	IBC_PHY_CLASS_INTENDED,   /* a command */
	IBC_PHY_CLASS_OTHER_SIDE, /* the peer: asleep, disabled, reset, gone */
	IBC_PHY_CLASS_TRAINING,   /* the ends do not agree, or the link does not train */
	IBC_PHY_CLASS_DEVICE,     /* the device that reports it: reset, a fault inside */
};
const struct ibc_word *ibc_phy_class_word(enum ibc_phy_class class);

/**
 * struct ibc_phy_code - what a code of a device means
 * @class: whose fault it is, as far as the code says
 * @text: in words, without a full stop; "unknown" for a code that is in no public table
 */
struct ibc_phy_code {
	uint8_t class; /* enum ibc_phy_class */
	const char *text;
};
/* Why a link went down: IBC_PHY_DOWN_REASON and its like.  Never NULL. */
const struct ibc_phy_code *ibc_phy_reason(uint64_t code);
/* Why a link is down: IBC_PHY_WHY_DOWN.  Never NULL. */
const struct ibc_phy_code *ibc_phy_trouble(uint64_t code);
/* Why a port counts as unhealthy: IBC_PHY_UNHEALTHY.  Never NULL. */
const struct ibc_phy_code *ibc_phy_unhealthy(uint64_t code);

/* ---- modules and cables --------------------------------------------------------------- */

/* What is in the cage: it decides what else may be judged. */
enum ibc_module_kind {
	IBC_MODULE_UNKNOWN = 0,
	IBC_MODULE_ACTIVE_CABLE = 1,   /* copper or fibre, with electronics in both ends */
	IBC_MODULE_OPTICAL = 2,        /* a module, the fibre is plugged into it */
	IBC_MODULE_PASSIVE_COPPER = 3, /* measures nothing: temperature and power mean nothing */
	IBC_MODULE_UNPLUGGED = 4,
};

/* The code of PDDR 3, and 1 more: 0 is for what is not known. */
enum ibc_module_form {
	IBC_FORM_UNKNOWN = 0,
	IBC_FORM_QSFP28 = 1,
	IBC_FORM_QSFP_PLUS = 2,
	IBC_FORM_QSFP_DD = 7,
	IBC_FORM_QSFP_CMIS = 8,
	IBC_FORM_OSFP = 9,
};

/* SFF-8636 byte 147, CMIS byte 212: their number, and 1 more. */
enum ibc_module_technology {
	IBC_TECHNOLOGY_UNKNOWN = 0,
	IBC_TECHNOLOGY_VCSEL_850 = 1,
	IBC_TECHNOLOGY_VCSEL_1310,
	IBC_TECHNOLOGY_VCSEL_1550,
	IBC_TECHNOLOGY_FP_1310,
	IBC_TECHNOLOGY_DFB_1310,
	IBC_TECHNOLOGY_DFB_1550,
	IBC_TECHNOLOGY_EML_1310,
	IBC_TECHNOLOGY_EML_1550,
	IBC_TECHNOLOGY_OTHER,
	IBC_TECHNOLOGY_DFB_1490,
	IBC_TECHNOLOGY_COPPER,
	IBC_TECHNOLOGY_COPPER_EQUALIZED,
	IBC_TECHNOLOGY_COPPER_LIMITING,
	IBC_TECHNOLOGY_COPPER_FAR_LIMITING,
	IBC_TECHNOLOGY_COPPER_NEAR_LIMITING,
	IBC_TECHNOLOGY_COPPER_LINEAR,
};

/* What a module measures of itself. */
enum ibc_ddm {
	IBC_DDM_TEMPERATURE, /* degrees Celsius */
	IBC_DDM_VOLTAGE,     /* V */
	IBC_DDM_RX_POWER,    /* uW, a lane each */
	IBC_DDM_TX_POWER,    /* uW, a lane each */
	IBC_DDM_BIAS,        /* uA of the laser, a lane each */
	IBC_DDMS,
};

/**
 * struct ibc_ddm_reading - one measurement, and the module's own alarm limits
 * @now: by lane; of temperature and voltage the first only.  NaN: not known
 * @low, @high: alarms; NaN: the module gives no limit.  Of power and bias those of lane 0
 *
 * A reading of 0 where @monitored of struct ibc_module lacks the bit is no measurement.
 */
struct ibc_ddm_reading {
	double now[IBC_PHY_LANES];
	double low, high;
};

/* Optical power in dBm, to a tenth; no light is -40. */
double ibc_dbm(double microwatts);

/* Set once and kept until they are cleared: history, never the present. */
enum ibc_latch {
	IBC_LATCH_TEMPERATURE,     /* 1 high alarm, 2 low alarm, 4 high warning, 8 low warning */
	IBC_LATCH_VOLTAGE,         /* likewise */
	IBC_LATCH_FIRMWARE_FAULT,  /* 1 */
	IBC_LATCH_DATA_PATH_FAULT, /* 1 */
	IBC_LATCH_TX_FAULT,        /* a bit each lane, so all that follow */
	IBC_LATCH_TX_LOS,          /* loss of signal */
	IBC_LATCH_TX_LOL,          /* loss of lock */
	IBC_LATCH_TX_EQUALIZER,
	IBC_LATCH_TX_POWER_HIGH, /* alarms */
	IBC_LATCH_TX_POWER_LOW,
	IBC_LATCH_TX_POWER_WARN_HIGH,
	IBC_LATCH_TX_POWER_WARN_LOW,
	IBC_LATCH_BIAS_HIGH,
	IBC_LATCH_BIAS_LOW,
	IBC_LATCH_BIAS_WARN_HIGH,
	IBC_LATCH_BIAS_WARN_LOW,
	IBC_LATCH_RX_LOS,
	IBC_LATCH_RX_LOL,
	IBC_LATCH_RX_POWER_HIGH,
	IBC_LATCH_RX_POWER_LOW,
	IBC_LATCH_RX_POWER_WARN_HIGH,
	IBC_LATCH_RX_POWER_WARN_LOW,
	IBC_LATCHES,
};

/* CMIS: the state of the module as a whole. */
enum ibc_module_state {
	IBC_MODULE_STATE_UNKNOWN = 0,
	IBC_MODULE_LOW_POWER = 1,
	IBC_MODULE_POWERING_UP = 2,
	IBC_MODULE_READY = 3,
	IBC_MODULE_POWERING_DOWN = 4,
	IBC_MODULE_FAULT = 5,
};

/**
 * struct ibc_module - what a port says of the module or cable in its cage (PDDR 3 and 9)
 * @vendor, @part, @revision, @serial, @date: as in the module's own memory, without blanks at
 *	the ends; NULL: it says nothing.  @date is "yymmdd" and a lot
 * @firmware: "46.120.123", or NULL
 * @length_m: metres; NaN: it does not say.  Of a separate optical module that of no fibre
 * @oui: of the vendor, IEEE; 0: not known
 * @rates: set of enum ibc_speed it is made for; 0: it does not say
 * @kind: enum ibc_module_kind
 * @form: enum ibc_module_form, or another code of PDDR 3 and 1 more
 * @technology: enum ibc_module_technology
 * @breakout: SFF-8636 byte 113, or the CMIS equivalent
 * @monitored: set of 1 << enum ibc_ddm; not of a temperature that a file has as text: then
 *	its bit is set where there is one
 * @ddm: ddm[enum ibc_ddm]
 * @rx_average: Rx power is the average; else the modulation amplitude (OMA)
 * @state: enum ibc_module_state
 * @data_path: by lane, CMIS: 4 activated, 7 initialized; 0 not known.  Which lane comes first
 *	is not verified
 * @config_error: CMIS: 0 not known, 1 success, else why the last configuration was rejected
 * @latched: latched[enum ibc_latch]; only if @has_latched
 *
 * Two ports whose plugs are one (a twin-port OSFP) report the same module: see
 * ibc_module_port().
 */
struct ibc_module {
	const char *vendor, *part, *revision, *serial, *date, *firmware;
	double length_m;
	struct ibc_ddm_reading ddm[IBC_DDMS];
	uint32_t oui;
	uint16_t rates;
	uint8_t kind, form, technology, breakout;
	uint8_t monitored;
	bool rx_average;
	uint8_t state;
	uint8_t data_path[IBC_PHY_LANES];
	uint8_t config_error;
	bool has_latched;
	uint8_t latched[IBC_LATCHES];
};

const struct ibc_word *ibc_module_kind_word(enum ibc_module_kind kind);
const struct ibc_word *ibc_module_form_word(enum ibc_module_form form);
const struct ibc_word *ibc_module_technology_word(enum ibc_module_technology technology);
const struct ibc_word *ibc_module_state_word(enum ibc_module_state state);
const struct ibc_word *ibc_ddm_word(enum ibc_ddm ddm);
const struct ibc_word *ibc_latch_word(enum ibc_latch latch);

/* ---- sensors of a device ------------------------------------------------------------------- */

enum ibc_sensor_kind { IBC_SENSOR_UNKNOWN, IBC_SENSOR_TEMPERATURE, IBC_SENSOR_FAN };
const struct ibc_word *ibc_sensor_kind_word(enum ibc_sensor_kind kind);

/* What the device says of a fan's speed (FORE). */
enum ibc_sensor_alarm {
	IBC_SENSOR_ALARM_UNKNOWN,
	IBC_SENSOR_ALARM_NONE,
	IBC_SENSOR_ALARM_LOW,
	IBC_SENSOR_ALARM_HIGH,
};

/**
 * struct ibc_sensor - one sensor of a device
 * @name: as the device calls it, or NULL
 * @now: degrees Celsius, or rounds per minute; NaN: not known
 * @max: the highest it has seen since that was reset, by anybody; NaN: not measured
 * @low, @high: between them it begins to warn, by the device's own setting; NaN: no limit
 * @index: of MTMP (0 the ASIC, 64 and above modules), or of the fan's tachometer
 * @kind: enum ibc_sensor_kind
 * @alarm: enum ibc_sensor_alarm
 */
struct ibc_sensor {
	const char *name;
	double now, max, low, high;
	uint16_t index;
	uint8_t kind, alarm;
};

#pragma GCC visibility pop

#endif
