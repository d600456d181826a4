/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/words.h"

#include <strings.h>

/* A table ends with the unknown value. */
struct entry {
	unsigned int value;
	struct ibc_word word;
};

#define UNKNOWN                                                                                    \
	{                                                                                          \
		0,                                                                                 \
		{                                                                                  \
			"unknown", "unknown"                                                       \
		}                                                                                  \
	}

static const struct entry node_types[] = {
	{ IBC_NODE_CA, { "ca", "CA" } },
	{ IBC_NODE_SWITCH, { "switch", "Switch" } },
	{ IBC_NODE_ROUTER, { "router", "Router" } },
	UNKNOWN,
};

static const struct entry port_states[] = {
	{ IBC_STATE_DOWN, { "down", "Down" } },
	{ IBC_STATE_INIT, { "init", "Init" } },
	{ IBC_STATE_ARMED, { "armed", "Armed" } },
	{ IBC_STATE_ACTIVE, { "active", "Active" } },
	UNKNOWN,
};

static const struct entry phys_states[] = {
	{ IBC_PHYS_SLEEP, { "sleep", "Sleep" } },
	{ IBC_PHYS_POLLING, { "polling", "Polling" } },
	{ IBC_PHYS_DISABLED, { "disabled", "Disabled" } },
	{ IBC_PHYS_TRAINING, { "training", "Training" } },
	{ IBC_PHYS_LINKUP, { "linkup", "LinkUp" } },
	{ IBC_PHYS_ERROR_RECOVERY, { "error_recovery", "ErrorRecovery" } },
	{ IBC_PHYS_TEST, { "test", "Test" } },
	UNKNOWN,
};

static const struct entry widths[] = {
	{ IBC_WIDTH_1X, { "1x", "1x" } },    { IBC_WIDTH_2X, { "2x", "2x" } },
	{ IBC_WIDTH_4X, { "4x", "4x" } },    { IBC_WIDTH_8X, { "8x", "8x" } },
	{ IBC_WIDTH_12X, { "12x", "12x" } }, UNKNOWN,
};

static const struct entry speeds[] = {
	{ IBC_SPEED_SDR, { "SDR", "SDR" } }, { IBC_SPEED_DDR, { "DDR", "DDR" } },
	{ IBC_SPEED_QDR, { "QDR", "QDR" } }, { IBC_SPEED_FDR10, { "FDR10", "FDR10" } },
	{ IBC_SPEED_FDR, { "FDR", "FDR" } }, { IBC_SPEED_EDR, { "EDR", "EDR" } },
	{ IBC_SPEED_HDR, { "HDR", "HDR" } }, { IBC_SPEED_NDR, { "NDR", "NDR" } },
	{ IBC_SPEED_XDR, { "XDR", "XDR" } }, UNKNOWN,
};

static const struct entry sm_states[] = {
	{ IBC_SM_NOT_ACTIVE, { "not_active", "NotActive" } },
	{ IBC_SM_DISCOVERING, { "discovering", "Discovering" } },
	{ IBC_SM_STANDBY, { "standby", "Standby" } },
	{ IBC_SM_MASTER, { "master", "Master" } },
	UNKNOWN,
};

/* Keys follow the names of the fabric exporters where those have one. */
static const struct ibc_word counters[IBC_COUNTERS] = {
	[IBC_SYMBOL_ERROR] = { "symbol_error", "SymbolErrorCounter" },
	[IBC_LINK_ERROR_RECOVERY] = { "link_error_recovery", "LinkErrorRecoveryCounter" },
	[IBC_LINK_DOWNED] = { "link_downed", "LinkDownedCounter" },
	[IBC_RCV_ERRORS] = { "receive_errors", "PortRcvErrors" },
	[IBC_RCV_REMOTE_PHYSICAL] = { "receive_remote_physical_errors",
	                              "PortRcvRemotePhysicalErrors" },
	[IBC_RCV_SWITCH_RELAY] = { "receive_switch_relay_errors", "PortRcvSwitchRelayErrors" },
	[IBC_XMIT_DISCARDS] = { "transmit_discards", "PortXmitDiscards" },
	[IBC_XMIT_CONSTRAINT] = { "transmit_constraint_errors", "PortXmitConstraintErrors" },
	[IBC_RCV_CONSTRAINT] = { "receive_constraint_errors", "PortRcvConstraintErrors" },
	[IBC_LOCAL_LINK_INTEGRITY] = { "local_link_integrity_errors", "LocalLinkIntegrityErrors" },
	[IBC_EXCESSIVE_BUFFER_OVERRUN] = { "excessive_buffer_overrun_errors",
	                                   "ExcessiveBufferOverrunErrors" },
	[IBC_VL15_DROPPED] = { "vl15_dropped", "VL15Dropped" },
	[IBC_QP1_DROPPED] = { "qp1_dropped", "QP1Dropped" },
	[IBC_XMIT_WAIT] = { "transmit_wait", "PortXmitWait" },
	[IBC_XMIT_DATA] = { "transmit_data_bytes", "PortXmitData" },
	[IBC_RCV_DATA] = { "receive_data_bytes", "PortRcvData" },
	[IBC_XMIT_PKTS] = { "transmit_packets", "PortXmitPkts" },
	[IBC_RCV_PKTS] = { "receive_packets", "PortRcvPkts" },
	[IBC_UNICAST_XMIT_PKTS] = { "unicast_transmit_packets", "PortUnicastXmitPkts" },
	[IBC_UNICAST_RCV_PKTS] = { "unicast_receive_packets", "PortUnicastRcvPkts" },
	[IBC_MULTICAST_XMIT_PKTS] = { "multicast_transmit_packets", "PortMulticastXmitPkts" },
	[IBC_MULTICAST_RCV_PKTS] = { "multicast_receive_packets", "PortMulticastRcvPkts" },
	[IBC_LOCAL_PHYSICAL] = { "local_physical_errors", "PortLocalPhysicalErrors" },
	[IBC_MALFORMED_PACKET] = { "malformed_packet_errors", "PortMalformedPacketErrors" },
	[IBC_BUFFER_OVERRUN] = { "buffer_overrun_errors", "PortBufferOverrunErrors" },
	[IBC_DLID_MAPPING] = { "dlid_mapping_errors", "PortDLIDMappingErrors" },
	[IBC_VL_MAPPING] = { "vl_mapping_errors", "PortVLMappingErrors" },
	[IBC_LOOPING] = { "looping_errors", "PortLoopingErrors" },
	[IBC_INACTIVE_DISCARDS] = { "inactive_discards", "PortInactiveDiscards" },
	[IBC_NEIGHBOR_MTU_DISCARDS] = { "neighbor_mtu_discards", "PortNeighborMTUDiscards" },
	[IBC_SW_LIFETIME_DISCARDS] = { "switch_lifetime_limit_discards",
	                               "PortSwLifetimeLimitDiscards" },
	[IBC_SW_HOQ_DISCARDS] = { "switch_hoq_lifetime_limit_discards",
	                          "PortSwHOQLifetimeLimitDiscards" },
};

const struct ibc_word *ibc_counter_word(enum ibc_counter counter)
{
	return &counters[counter];
}

static const struct ibc_word *word_of(const struct entry *e, unsigned int value)
{
	while (e->value && e->value != value)
		e++;
	return &e->word;
}

static unsigned int value_of(const struct entry *e, const char *text)
{
	while (e->value && strcasecmp(e->word.word, text) != 0 &&
	       strcasecmp(e->word.name, text) != 0)
		e++;
	return e->value;
}

const struct ibc_word *ibc_node_type_word(enum ibc_node_type type)
{
	return word_of(node_types, type);
}

const struct ibc_word *ibc_port_state_word(enum ibc_port_state state)
{
	return word_of(port_states, state);
}

const struct ibc_word *ibc_phys_state_word(enum ibc_phys_state state)
{
	return word_of(phys_states, state);
}

const struct ibc_word *ibc_width_word(enum ibc_width width)
{
	return word_of(widths, width);
}

const struct ibc_word *ibc_speed_word(enum ibc_speed speed)
{
	return word_of(speeds, speed);
}

const struct ibc_word *ibc_sm_state_word(enum ibc_sm_state state)
{
	return word_of(sm_states, state);
}

enum ibc_node_type node_type_of(const char *text)
{
	return value_of(node_types, text);
}

enum ibc_port_state port_state_of(const char *text)
{
	return value_of(port_states, text);
}

enum ibc_phys_state phys_state_of(const char *text)
{
	return value_of(phys_states, text);
}

enum ibc_width width_of(const char *text)
{
	return value_of(widths, text);
}

enum ibc_speed speed_of(const char *text)
{
	return value_of(speeds, text);
}
