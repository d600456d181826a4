/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of the physical layer. */
#include "base/phywords.h"

#include <math.h>

#include "base/array.h"
#include "base/words.h"

/* ---- numbers of a link ------------------------------------------------------------ */

static const struct ibc_word values[IBC_PHY_VALUES] = {
	[IBC_PHY_CLEAR_AGE_MS] = { "clear_age_ms", "time since last clear" },
	[IBC_PHY_BITS_RECEIVED] = { "bits_received", "bits received" },
	[IBC_PHY_SYMBOL_ERRORS] = { "symbol_errors", "symbol errors" },
	[IBC_PHY_EFFECTIVE_ERRORS] = { "effective_errors", "effective errors" },
	[IBC_PHY_CORRECTED_BITS] = { "corrected_bits", "corrected bits" },
	[IBC_PHY_RAW_ERRORS_LANE0] = { "raw_errors_lane0", "raw errors of lane 0" },
	[IBC_PHY_RAW_ERRORS_LANE1] = { "raw_errors_lane1", "raw errors of lane 1" },
	[IBC_PHY_RAW_ERRORS_LANE2] = { "raw_errors_lane2", "raw errors of lane 2" },
	[IBC_PHY_RAW_ERRORS_LANE3] = { "raw_errors_lane3", "raw errors of lane 3" },
	[IBC_PHY_RAW_ERRORS_LANE4] = { "raw_errors_lane4", "raw errors of lane 4" },
	[IBC_PHY_RAW_ERRORS_LANE5] = { "raw_errors_lane5", "raw errors of lane 5" },
	[IBC_PHY_RAW_ERRORS_LANE6] = { "raw_errors_lane6", "raw errors of lane 6" },
	[IBC_PHY_RAW_ERRORS_LANE7] = { "raw_errors_lane7", "raw errors of lane 7" },
	[IBC_PHY_FIRST_EMPTY_BIN] = { "first_empty_bin", "first empty FEC histogram bin" },
	[IBC_PHY_FEC_CORRECTED_BLOCKS] = { "fec_corrected_blocks", "FEC corrected blocks" },
	[IBC_PHY_FEC_UNCORRECTABLE_BLOCKS] = { "fec_uncorrectable_blocks",
	                                       "FEC uncorrectable blocks" },
	[IBC_PHY_FEC_CLEAN_BLOCKS] = { "fec_clean_blocks", "FEC blocks without error" },
	[IBC_PHY_FEC_CORRECTED_SYMBOLS] = { "fec_corrected_symbols", "FEC corrected symbols" },
	[IBC_PHY_LINK_DOWNS] = { "link_downs", "link downs" },
	[IBC_PHY_RECOVERIES_SINCE_UP] = { "recoveries_since_up", "recoveries since link up" },
	[IBC_PHY_RECOVERIES] = { "recoveries", "successful recoveries" },
	[IBC_PHY_DOWNS_UNINTENDED] = { "downs_unintended", "unintentional link downs" },
	[IBC_PHY_DOWNS_INTENDED] = { "downs_intended", "intentional link downs" },
	[IBC_PHY_RECOVERY_AGE_SECONDS] = { "recovery_age_seconds", "time since last recovery" },
	[IBC_PHY_PLR_RECEIVED] = { "plr_received", "PLR codes received" },
	[IBC_PHY_PLR_REJECTED] = { "plr_rejected", "PLR codes rejected" },
	[IBC_PHY_PLR_UNCORRECTABLE] = { "plr_uncorrectable", "PLR codes uncorrectable" },
	[IBC_PHY_PLR_SENT] = { "plr_sent", "PLR codes sent" },
	[IBC_PHY_PLR_RETRANSMITTED] = { "plr_retransmitted", "PLR codes retransmitted" },
	[IBC_PHY_PLR_EVENTS] = { "plr_events", "PLR retransmission events" },
	[IBC_PHY_PLR_LOSS] = { "plr_loss", "PLR receive bandwidth loss" },
	[IBC_PHY_PLR_EVENTS_MAX] = { "plr_events_max", "PLR events in a window, at most" },
	[IBC_PHY_PLR_XMIT_LOSS] = { "plr_transmit_loss", "PLR transmit bandwidth loss" },
	[IBC_PHY_IB_FSM] = { "ib_fsm", "IB training state" },
	[IBC_PHY_MANAGER] = { "phy_manager", "state of the PHY" },
	[IBC_PHY_LOOPBACK] = { "loopback", "loopback mode" },
	[IBC_PHY_LINK_HEALTH] = { "link_health", "link health" },
	[IBC_PHY_WHY_DOWN] = { "why_down", "why the port is down" },
	[IBC_PHY_REMOTE_DEVICE] = { "remote_device", "remote device type" },
	[IBC_PHY_TRAINING_ATTEMPTS] = { "training_attempts", "training attempts" },
	[IBC_PHY_DISABLED_BY] = { "disabled_by", "reasons to be disabled" },
	[IBC_PHY_DOWN_BLAME] = { "down_blame", "last link down: blame" },
	[IBC_PHY_DOWN_INTENT] = { "down_intent", "last link down: intent" },
	[IBC_PHY_DOWN_REASON] = { "down_reason", "last link down: reason" },
	[IBC_PHY_RECOVERY_REASON] = { "recovery_reason", "last recovery: reason" },
	[IBC_PHY_DOWN_REMOTE_REASON] = { "down_remote_reason", "last link down: peer's reason" },
	[IBC_PHY_DOWN_E2E_REASON] = { "down_e2e_reason", "last link down: reason end to end" },
	[IBC_PHY_DOWN_TS1] = { "down_ts1", "last link down: peer's request" },
	[IBC_PHY_SYMBOL_BER_ALARMS] = { "symbol_ber_alarms", "symbol BER alarms" },
	[IBC_PHY_RAW_BER_ALARMS] = { "raw_ber_alarms", "raw BER alarms" },
	[IBC_PHY_EFFECTIVE_BER_ALARMS] = { "effective_ber_alarms", "effective BER alarms" },
	[IBC_PHY_HIGH_SER_EVENTS] = { "high_ser_events", "high symbol error rate events" },
	[IBC_PHY_LINK_UP_MS] = { "link_up_ms", "time to link up" },
	[IBC_PHY_ROUND_TRIP_NS] = { "round_trip_ns", "round trip" },
	[IBC_PHY_ROUND_TRIP_ACCURACY_NS] = { "round_trip_accuracy_ns", "round trip accuracy" },
	[IBC_PHY_LOCAL_LATENCY_NS] = { "local_latency_ns", "latency of the device" },
	[IBC_PHY_MODULE_LATENCY_NS] = { "module_latency_ns", "latency of the module" },
	[IBC_PHY_RECOVERED] = { "port_recovered", "port was recovered" },
	[IBC_PHY_UNHEALTHY] = { "unhealthy_reason", "unhealthy reason" },
	[IBC_PHY_PORT_TYPE] = { "port_type", "type of the port" },
	[IBC_PHY_OOO_SL_MASK] = { "ooo_sl_mask", "SLs with out-of-order delivery" },
	[IBC_PHY_ADAPTIVE_TIMEOUT_SL_MASK] = { "adaptive_timeout_sl_mask",
	                                       "SLs with adaptive time-out" },
};
_Static_assert(IBC_PHY_VALUES <= 64, "struct ibc_phy.known is full");

const struct ibc_word *ibc_phy_value_word(enum ibc_phy_value value)
{
	return &values[value];
}

bool ibc_phy_knows(const struct ibc_phy *phy, enum ibc_phy_value value)
{
	return phy && phy->known >> value & 1;
}

/* The last is for all others. */
static const struct word_entry port_types[] = {
	{ IBC_PORT_AGGREGATION, { "aggregation", "aggregation node" } },
	{ IBC_PORT_ROUTER, { "router", "router" } },
	{ IBC_PORT_GATEWAY, { "ethernet_gateway", "Ethernet gateway" } },
	{ IBC_PORT_FNM, { "fnm", "FNM" } },
	{ 0, { "special", "special" } },
};

const struct ibc_word *ibc_port_type_word(uint64_t type)
{
	static const struct ibc_word ordinary = { "ordinary", "ordinary" };

	return type == IBC_PORT_ORDINARY ? &ordinary : words_find(port_types, (unsigned int)type);
}

bool ibc_phy_is_special(const struct ibc_phy *phy)
{
	return ibc_phy_knows(phy, IBC_PHY_PORT_TYPE) &&
	       phy->value[IBC_PHY_PORT_TYPE] != IBC_PORT_ORDINARY;
}

double ibc_ber_value(struct ibc_ber ber)
{
	if (ber.coefficient == 15 && ber.magnitude == 255)
		return 0;
	return ber.coefficient * pow(10, -(double)ber.magnitude);
}

#define LEAST_UW 0.1 /* what receivers that see nothing report: -40 dBm */

double ibc_dbm(double microwatts)
{
	return round(100 * log10((microwatts > LEAST_UW ? microwatts : LEAST_UW) / 1000)) / 10;
}

/* ---- error correction ----------------------------------------------------------------- */

static const struct ibc_fec_info fecs[IBC_FECS] = {
	[IBC_FEC_UNKNOWN] = { { "unknown", "unknown" }, 0, false },
	[IBC_FEC_NONE] = { { "none", "no FEC" }, 0, false },
	[IBC_FEC_FIRECODE] = { { "firecode", "Firecode" }, 0, false },
	[IBC_FEC_RS_528] = { { "rs_528_514", "RS(528,514)" }, 7, false },
	[IBC_FEC_RS_271] = { { "rs_271_257", "RS(271,257)" }, 7, false },
	[IBC_FEC_RS_271_PLR] = { { "rs_271_257_plr", "RS(271,257) + PLR" }, 7, true },
	[IBC_FEC_RS_272] = { { "rs_272_258", "RS(272,258)" }, 7, false },
	[IBC_FEC_RS_272_PLR] = { { "rs_272_258_plr", "RS(272,258) + PLR" }, 7, true },
	[IBC_FEC_RS_544] = { { "rs_544_514", "RS(544,514)" }, 15, false },
	[IBC_FEC_RS_544_PLR] = { { "rs_544_514_plr", "RS(544,514) + PLR" }, 15, true },
	[IBC_FEC_RS_544_2X] = { { "rs_544_514_2x", "interleaved RS(544,514)" }, 15, false },
	[IBC_FEC_RS_544_2X_PLR] = { { "rs_544_514_2x_plr", "interleaved RS(544,514) + PLR" },
	                            15,
	                            true },
	[IBC_FEC_RS_544_4X] = { { "rs_544_514_4x", "quad RS(544,514)" }, 15, false },
	[IBC_FEC_RS_544_4X_PLR] = { { "rs_544_514_4x_plr", "quad RS(544,514) + PLR" }, 15, true },
	[IBC_FEC_RS_544_8X_PLR] = { { "rs_544_514_8x_plr", "octet RS(544,514) + PLR" }, 15, true },
	[IBC_FEC_RS_272_2X] = { { "rs_272_258_2x", "interleaved RS(272,258)" }, 7, false },
	[IBC_FEC_RS_272_2X_PLR] = { { "rs_272_258_2x_plr", "interleaved RS(272,258) + PLR" },
	                            7,
	                            true },
	[IBC_FEC_RS_288_2X_PLR] = { { "rs_288_258_2x_plr", "double RS(288,258) + PLR" }, 15, true },
	[IBC_FEC_RS_288_4X_PLR] = { { "rs_288_258_4x_plr", "quad RS(288,258) + PLR" }, 15, true },
	[IBC_FEC_RS_288_8X_PLR] = { { "rs_288_258_8x_plr", "octet RS(288,258) + PLR" }, 15, true },
	[IBC_FEC_STRONG_RS] = { { "strong_rs", "strong RS" }, 0, false },
	[IBC_FEC_LOW_LATENCY] = { { "low_latency", "low latency" }, 0, false },
	[IBC_FEC_ADAPTIVE] = { { "adaptive", "adaptive" }, 0, false },
	[IBC_FEC_COD] = { { "cod", "COD" }, 0, false },
	[IBC_FEC_ZERO_LATENCY] = { { "zero_latency", "zero latency" }, 0, false },
};

const struct ibc_fec_info *ibc_fec_info(enum ibc_fec fec)
{
	return &fecs[fec < IBC_FECS ? fec : IBC_FEC_UNKNOWN];
}

enum ibc_fec fec_of_pddr(unsigned int code)
{
	static const uint8_t of_code[] = {
		IBC_FEC_NONE,          IBC_FEC_FIRECODE,      IBC_FEC_RS_528,
		IBC_FEC_RS_271,        IBC_FEC_RS_544_4X,     IBC_FEC_RS_544_4X_PLR,
		IBC_FEC_RS_544_2X,     IBC_FEC_RS_544,        IBC_FEC_RS_544_8X_PLR,
		IBC_FEC_RS_272,        IBC_FEC_RS_272_2X,     IBC_FEC_RS_544_2X_PLR,
		IBC_FEC_RS_544_PLR,    IBC_FEC_RS_271_PLR,    IBC_FEC_RS_272_PLR,
		IBC_FEC_RS_272_2X_PLR, IBC_FEC_RS_288_2X_PLR, IBC_FEC_RS_288_4X_PLR,
		IBC_FEC_RS_288_8X_PLR,
	};

	return code < ARRAY_SIZE(of_code) ? of_code[code] : IBC_FEC_UNKNOWN;
}

enum ibc_fec fec_of_port_info(unsigned int code)
{
	static const uint8_t of_code[] = {
		[0] = IBC_FEC_NONE,          [1] = IBC_FEC_FIRECODE,    [2] = IBC_FEC_RS_528,
		[3] = IBC_FEC_RS_271,        [4] = IBC_FEC_RS_544,      [8] = IBC_FEC_STRONG_RS,
		[9] = IBC_FEC_LOW_LATENCY,   [10] = IBC_FEC_ADAPTIVE,   [11] = IBC_FEC_COD,
		[12] = IBC_FEC_ZERO_LATENCY, [13] = IBC_FEC_RS_544_PLR, [14] = IBC_FEC_RS_271_PLR,
	};

	return code < ARRAY_SIZE(of_code) ? of_code[code] : IBC_FEC_UNKNOWN;
}

/* ---- modules --------------------------------------------------------------------------- */

static const struct word_entry kinds[] = {
	{ IBC_MODULE_ACTIVE_CABLE, { "active_cable", "active cable" } },
	{ IBC_MODULE_OPTICAL, { "optical_module", "optical module" } },
	{ IBC_MODULE_PASSIVE_COPPER, { "passive_copper", "passive copper" } },
	{ IBC_MODULE_UNPLUGGED, { "unplugged", "unplugged" } },
	WORDS_END,
};

static const struct word_entry forms[] = {
	{ IBC_FORM_QSFP28, { "qsfp28", "QSFP28" } },
	{ IBC_FORM_QSFP_PLUS, { "qsfp_plus", "QSFP+" } },
	{ IBC_FORM_QSFP_DD, { "qsfp_dd", "QSFP-DD" } },
	{ IBC_FORM_QSFP_CMIS, { "qsfp_cmis", "QSFP (CMIS)" } },
	{ IBC_FORM_OSFP, { "osfp", "OSFP" } },
	WORDS_END,
};

static const struct word_entry technologies[] = {
	{ IBC_TECHNOLOGY_VCSEL_850, { "vcsel_850", "850 nm VCSEL" } },
	{ IBC_TECHNOLOGY_VCSEL_1310, { "vcsel_1310", "1310 nm VCSEL" } },
	{ IBC_TECHNOLOGY_VCSEL_1550, { "vcsel_1550", "1550 nm VCSEL" } },
	{ IBC_TECHNOLOGY_FP_1310, { "fp_1310", "1310 nm FP" } },
	{ IBC_TECHNOLOGY_DFB_1310, { "dfb_1310", "1310 nm DFB" } },
	{ IBC_TECHNOLOGY_DFB_1550, { "dfb_1550", "1550 nm DFB" } },
	{ IBC_TECHNOLOGY_EML_1310, { "eml_1310", "1310 nm EML" } },
	{ IBC_TECHNOLOGY_EML_1550, { "eml_1550", "1550 nm EML" } },
	{ IBC_TECHNOLOGY_OTHER, { "other", "other" } },
	{ IBC_TECHNOLOGY_DFB_1490, { "dfb_1490", "1490 nm DFB" } },
	{ IBC_TECHNOLOGY_COPPER, { "copper", "copper" } },
	{ IBC_TECHNOLOGY_COPPER_EQUALIZED, { "copper_equalized", "copper, equalized" } },
	{ IBC_TECHNOLOGY_COPPER_LIMITING, { "copper_limiting", "active copper, both ends" } },
	{ IBC_TECHNOLOGY_COPPER_FAR_LIMITING, { "copper_far_limiting", "active copper, far end" } },
	{ IBC_TECHNOLOGY_COPPER_NEAR_LIMITING,
	  { "copper_near_limiting", "active copper, near end" } },
	{ IBC_TECHNOLOGY_COPPER_LINEAR, { "copper_linear", "active copper, linear" } },
	WORDS_END,
};

static const struct word_entry states[] = {
	{ IBC_MODULE_LOW_POWER, { "low_power", "low power" } },
	{ IBC_MODULE_POWERING_UP, { "powering_up", "powering up" } },
	{ IBC_MODULE_READY, { "ready", "ready" } },
	{ IBC_MODULE_POWERING_DOWN, { "powering_down", "powering down" } },
	{ IBC_MODULE_FAULT, { "fault", "fault" } },
	WORDS_END,
};

static const struct ibc_word ddms[IBC_DDMS] = {
	[IBC_DDM_TEMPERATURE] = { "temperature_celsius", "temperature" },
	[IBC_DDM_VOLTAGE] = { "voltage_volts", "voltage" },
	[IBC_DDM_RX_POWER] = { "rx_power_uw", "Rx power" },
	[IBC_DDM_TX_POWER] = { "tx_power_uw", "Tx power" },
	[IBC_DDM_BIAS] = { "bias_ua", "Tx bias" },
};

static const struct ibc_word latches[IBC_LATCHES] = {
	[IBC_LATCH_TEMPERATURE] = { "temperature", "temperature" },
	[IBC_LATCH_VOLTAGE] = { "voltage", "voltage" },
	[IBC_LATCH_FIRMWARE_FAULT] = { "firmware_fault", "module firmware fault" },
	[IBC_LATCH_DATA_PATH_FAULT] = { "data_path_fault", "data path fault" },
	[IBC_LATCH_TX_FAULT] = { "tx_fault", "Tx fault" },
	[IBC_LATCH_TX_LOS] = { "tx_los", "Tx loss of signal" },
	[IBC_LATCH_TX_LOL] = { "tx_lol", "Tx loss of lock" },
	[IBC_LATCH_TX_EQUALIZER] = { "tx_equalizer", "Tx equalizer fault" },
	[IBC_LATCH_TX_POWER_HIGH] = { "tx_power_high", "Tx power high alarm" },
	[IBC_LATCH_TX_POWER_LOW] = { "tx_power_low", "Tx power low alarm" },
	[IBC_LATCH_TX_POWER_WARN_HIGH] = { "tx_power_warn_high", "Tx power high warning" },
	[IBC_LATCH_TX_POWER_WARN_LOW] = { "tx_power_warn_low", "Tx power low warning" },
	[IBC_LATCH_BIAS_HIGH] = { "bias_high", "Tx bias high alarm" },
	[IBC_LATCH_BIAS_LOW] = { "bias_low", "Tx bias low alarm" },
	[IBC_LATCH_BIAS_WARN_HIGH] = { "bias_warn_high", "Tx bias high warning" },
	[IBC_LATCH_BIAS_WARN_LOW] = { "bias_warn_low", "Tx bias low warning" },
	[IBC_LATCH_RX_LOS] = { "rx_los", "Rx loss of signal" },
	[IBC_LATCH_RX_LOL] = { "rx_lol", "Rx loss of lock" },
	[IBC_LATCH_RX_POWER_HIGH] = { "rx_power_high", "Rx power high alarm" },
	[IBC_LATCH_RX_POWER_LOW] = { "rx_power_low", "Rx power low alarm" },
	[IBC_LATCH_RX_POWER_WARN_HIGH] = { "rx_power_warn_high", "Rx power high warning" },
	[IBC_LATCH_RX_POWER_WARN_LOW] = { "rx_power_warn_low", "Rx power low warning" },
};

static const struct word_entry sensor_kinds[] = {
	{ IBC_SENSOR_TEMPERATURE, { "temperature", "temperature" } },
	{ IBC_SENSOR_FAN, { "fan", "fan" } },
	WORDS_END,
};

void module_clear(struct ibc_module *module)
{
	*module = (struct ibc_module){ .length_m = NAN };
	for (unsigned int i = 0; i < IBC_DDMS; i++) {
		struct ibc_ddm_reading *ddm = &module->ddm[i];

		ddm->low = ddm->high = NAN;
		for (unsigned int lane = 0; lane < IBC_PHY_LANES; lane++)
			ddm->now[lane] = NAN;
	}
}

enum ibc_module_kind module_kind_of(const struct ibc_module *m)
{
	if (!m->technology)
		return IBC_MODULE_UNKNOWN;
	if (m->technology == IBC_TECHNOLOGY_COPPER ||
	    m->technology == IBC_TECHNOLOGY_COPPER_EQUALIZED)
		return IBC_MODULE_PASSIVE_COPPER;
	if (m->technology > IBC_TECHNOLOGY_COPPER || !isnan(m->length_m))
		return IBC_MODULE_ACTIVE_CABLE;
	return IBC_MODULE_OPTICAL;
}

const struct ibc_word *ibc_module_kind_word(enum ibc_module_kind kind)
{
	return words_find(kinds, kind);
}

const struct ibc_word *ibc_module_form_word(enum ibc_module_form form)
{
	return words_find(forms, form);
}

const struct ibc_word *ibc_module_technology_word(enum ibc_module_technology technology)
{
	return words_find(technologies, technology);
}

const struct ibc_word *ibc_module_state_word(enum ibc_module_state state)
{
	return words_find(states, state);
}

const struct ibc_word *ibc_ddm_word(enum ibc_ddm ddm)
{
	return &ddms[ddm];
}

const struct ibc_word *ibc_latch_word(enum ibc_latch latch)
{
	return &latches[latch];
}

const struct ibc_word *ibc_sensor_kind_word(enum ibc_sensor_kind kind)
{
	return words_find(sensor_kinds, kind);
}
