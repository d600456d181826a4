/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_TYPES_H
#define IBCHECK_TYPES_H

#include <stdint.h>

#pragma GCC visibility push(default)

/**
 * DOC: words and numbers
 *
 * What every part of the library speaks in, whether it knows a fabric or not: the
 * enumerations of the specification with their words, the units of links, the counters of a
 * port, records of subnet administration, and how the queries of a sweep went.
 * <ibcheck/fabric.h> brings all of it.
 */

/* ---- words -------------------------------------------------------------- */

/**
 * struct ibc_word - one value of an enumeration, as text
 * @word: for machines: lower case, "error_recovery" (speeds and widths keep
 *	  the field's own spelling, "EDR", "4x")
 * @name: for people, as the field spells it: "ErrorRecovery"
 */
struct ibc_word {
	const char *word;
	const char *name;
};

/* NodeInfo.NodeType (IBA 14.2.5.3). */
enum ibc_node_type {
	IBC_NODE_UNKNOWN = 0,
	IBC_NODE_CA = 1,
	IBC_NODE_SWITCH = 2,
	IBC_NODE_ROUTER = 3,
};

/* PortInfo.PortState (IBA 14.2.5.6). */
enum ibc_port_state {
	IBC_STATE_UNKNOWN = 0,
	IBC_STATE_DOWN = 1,
	IBC_STATE_INIT = 2,
	IBC_STATE_ARMED = 3,
	IBC_STATE_ACTIVE = 4,
};

/* PortInfo.PortPhysicalState (IBA 14.2.5.6). */
enum ibc_phys_state {
	IBC_PHYS_UNKNOWN = 0,
	IBC_PHYS_SLEEP = 1,
	IBC_PHYS_POLLING = 2,
	IBC_PHYS_DISABLED = 3,
	IBC_PHYS_TRAINING = 4,
	IBC_PHYS_LINKUP = 5,
	IBC_PHYS_ERROR_RECOVERY = 6,
	IBC_PHYS_TEST = 7,
};

/* PortInfo.LinkWidth* (IBA 14.2.5.6): a bit each, so also sets. */
enum ibc_width {
	IBC_WIDTH_UNKNOWN = 0,
	IBC_WIDTH_1X = 1,
	IBC_WIDTH_4X = 2,
	IBC_WIDTH_8X = 4,
	IBC_WIDTH_12X = 8,
	IBC_WIDTH_2X = 16,
};

/*
 * Link speeds, a bit each in rising order, gathered from PortInfo.LinkSpeed*,
 * LinkSpeedExt*, LinkSpeedExt*2 and the vendor's MlnxExtPortInfo (FDR10).
 */
enum ibc_speed {
	IBC_SPEED_UNKNOWN = 0,
	IBC_SPEED_SDR = 1 << 0,
	IBC_SPEED_DDR = 1 << 1,
	IBC_SPEED_QDR = 1 << 2,
	IBC_SPEED_FDR10 = 1 << 3,
	IBC_SPEED_FDR = 1 << 4,
	IBC_SPEED_EDR = 1 << 5,
	IBC_SPEED_HDR = 1 << 6,
	IBC_SPEED_NDR = 1 << 7,
	IBC_SPEED_XDR = 1 << 8,
};

/* Of CapabilityMask and CapabilityMask2 (IBA 14.2.5.6). */
#define IBC_CAP_IS_SM       (1u << 1)  /* IsSM: it goes with the process */
#define IBC_CAP_HAS_MASK2   (1u << 15) /* IsCapabilityMask2Supported */
#define IBC_CAP2_HAS_VPORTS (1u << 2)  /* IsVirtualizationSupported */

/* SMInfo.SMState (IBA 14.2.5.13), and 1 more: 0 is for what is not known. */
enum ibc_sm_state {
	IBC_SM_UNKNOWN = 0,
	IBC_SM_NOT_ACTIVE = 1,
	IBC_SM_DISCOVERING = 2,
	IBC_SM_STANDBY = 3,
	IBC_SM_MASTER = 4,
};

/*
 * A slot of a VLArbitrationTable (IBA 14.2.5.9): up to weight * 64 bytes of the lane are sent
 * before the next slot has its turn; none of weight 0.
 */
struct ibc_vl_slot {
	uint8_t vl, weight;
};

const struct ibc_word *ibc_sm_state_word(enum ibc_sm_state state);
const struct ibc_word *ibc_node_type_word(enum ibc_node_type type);
const struct ibc_word *ibc_port_state_word(enum ibc_port_state state);
const struct ibc_word *ibc_phys_state_word(enum ibc_phys_state state);
const struct ibc_word *ibc_width_word(enum ibc_width width);
const struct ibc_word *ibc_speed_word(enum ibc_speed speed);

/* The widest, or fastest, member of a set; ..._UNKNOWN for the empty set. */
enum ibc_width ibc_width_widest(unsigned int set);
enum ibc_speed ibc_speed_fastest(unsigned int set);
/* Lanes of a width: 1, 2, 4, 8, 12; 0 if unknown. */
unsigned int ibc_width_lanes(enum ibc_width width);

/**
 * ibc_link_gbps() - data rate of a link, in Gb/s
 * @width: one width
 * @speed: one speed
 *
 * What is left for packets after the line code: 8b/10b up to QDR, 64b/66b
 * above (4x QDR 32, 4x FDR 54.5, 4x EDR 100, 4x HDR 200).  0 if unknown.
 */
double ibc_link_gbps(enum ibc_width width, enum ibc_speed speed);
/* The same with line code and error correction: what is on the cable (4x EDR 103.125). */
double ibc_link_signal_gbps(enum ibc_width width, enum ibc_speed speed);

/* Bytes of an MTU code (PortInfo.MTUCap, NeighborMTU): 256 .. 4096; 0 if unknown. */
unsigned int ibc_mtu_bytes(unsigned int code);

/* ---- counters ------------------------------------------------------------ */

/*
 * The counters of a port, whichever attribute has them: PortCounters,
 * PortCountersExtended (preferred: 64 bit), PortRcvErrorDetails,
 * PortXmitDiscardDetails (IBA 16.1.3.5, 16.1.4).  Data are bytes here, words of
 * four on the wire.
 */
enum ibc_counter {
	IBC_SYMBOL_ERROR,
	IBC_LINK_ERROR_RECOVERY,
	IBC_LINK_DOWNED,
	IBC_RCV_ERRORS,
	IBC_RCV_REMOTE_PHYSICAL,
	IBC_RCV_SWITCH_RELAY,
	IBC_XMIT_DISCARDS,
	IBC_XMIT_CONSTRAINT,
	IBC_RCV_CONSTRAINT,
	IBC_LOCAL_LINK_INTEGRITY,
	IBC_EXCESSIVE_BUFFER_OVERRUN,
	IBC_VL15_DROPPED,
	IBC_QP1_DROPPED,
	IBC_XMIT_WAIT,
	IBC_XMIT_DATA,
	IBC_RCV_DATA,
	IBC_XMIT_PKTS,
	IBC_RCV_PKTS,
	IBC_UNICAST_XMIT_PKTS,
	IBC_UNICAST_RCV_PKTS,
	IBC_MULTICAST_XMIT_PKTS,
	IBC_MULTICAST_RCV_PKTS,
	/* PortRcvErrorDetails */
	IBC_LOCAL_PHYSICAL,
	IBC_MALFORMED_PACKET,
	IBC_BUFFER_OVERRUN,
	IBC_DLID_MAPPING,
	IBC_VL_MAPPING,
	IBC_LOOPING,
	/* PortXmitDiscardDetails */
	IBC_INACTIVE_DISCARDS,
	IBC_NEIGHBOR_MTU_DISCARDS,
	IBC_SW_LIFETIME_DISCARDS,
	IBC_SW_HOQ_DISCARDS,
	IBC_COUNTERS,
};

/* How much passes, as opposed to what goes wrong: a set of 1 << enum ibc_counter. */
#define IBC_TRAFFIC_COUNTERS                                                                       \
	(1u << IBC_XMIT_WAIT | 1u << IBC_XMIT_DATA | 1u << IBC_RCV_DATA | 1u << IBC_XMIT_PKTS |    \
	 1u << IBC_RCV_PKTS | 1u << IBC_UNICAST_XMIT_PKTS | 1u << IBC_UNICAST_RCV_PKTS |           \
	 1u << IBC_MULTICAST_XMIT_PKTS | 1u << IBC_MULTICAST_RCV_PKTS)

/*
 * What goes wrong, as the field's own tools count it, but for what counts where all is well: a
 * set of 1 << enum ibc_counter.
 */
#define IBC_ERROR_COUNTERS                                                                         \
	(((1u << (IBC_QP1_DROPPED + 1)) - 1) &                                                     \
	 ~(1u << IBC_RCV_SWITCH_RELAY | 1u << IBC_VL15_DROPPED))

/* The counter's @word is its key in JSON and metrics ("symbol_error"), its @name the field's. */
const struct ibc_word *ibc_counter_word(enum ibc_counter counter);

/**
 * struct ibc_counters - the counters of one port at one moment
 * @value:	value[enum ibc_counter]; read only what is in @known
 * @known:	set of 1 << enum ibc_counter
 * @saturated:	of @known, those at all ones: "at least" (counters clamp, they do not wrap)
 * @at_seconds:	when it was read, in seconds after the subnet's time
 * @vl_wait:	PortXmitWait by virtual lane, 16 values, or NULL
 */
struct ibc_counters {
	uint32_t known, saturated;
	double at_seconds;
	const uint64_t *vl_wait;
	uint64_t value[IBC_COUNTERS];
};

/* ---- records of subnet administration ------------------------------------- */

/* struct ibc_path_sl - the service level that the SA gives for a path */
struct ibc_path_sl {
	uint16_t slid, dlid;
	uint8_t sl;
};

/* struct ibc_mc_member - one MCMemberRecord (IBA 15.2.5.17) */
struct ibc_mc_member {
	uint8_t mgid[16];
	uint64_t port_guid; /* 0: the SA does not say who */
	uint32_t qkey;
	uint16_t mlid, pkey;
	uint8_t mtu, rate, sl, join_state;
};

/**
 * struct ibc_service - one ServiceRecord (IBA 15.2.5.14) named "SHArP.AggregationManager", by
 * which the aggregation manager of SHARP is found
 * @gid: of the port it is served at: 8 bytes prefix, 8 port GUID
 * @id: ServiceID
 * @lease_seconds: after which it ends unless renewed; IBC_LEASE_ENDLESS: never
 */
struct ibc_service {
	uint8_t gid[16];
	uint64_t id;
	uint32_t lease_seconds;
	uint16_t pkey;
};
#define IBC_LEASE_ENDLESS UINT32_MAX /* ServiceLease (IBA 15.2.5.14) */

/* ---- how a sweep went ----------------------------------------------------- */

/**
 * struct ibc_sweep - how the queries of one subnet went
 *
 * @sent counts every MAD that left, retries included; @answered, @unsupported
 * and @refused count queries by outcome, @timed_out those that got none, @regained
 * those that were answered, but only when they were sent again.
 * @dropped_* are arriving MADs that were not trusted.  All 0 if the subnet came
 * from a file.
 */
struct ibc_sweep {
	uint64_t sent, answered, unsupported, refused, retried, timed_out;
	uint64_t dropped_late, dropped_mismatch, dropped_short;
	uint32_t peak_in_flight;
	uint32_t rtt_p50_us, rtt_p99_us;
	double duration_seconds;
	uint64_t regained;
};

/**
 * struct ibc_coverage - what became of one attribute's queries
 *
 * asked = answered + unsupported + refused + timed_out.  A NodeInfo asked through
 * a port counts there, not once more at the node that it describes.
 */
struct ibc_coverage {
	uint64_t asked, answered, unsupported, refused, timed_out;
};

#pragma GCC visibility pop

#endif
