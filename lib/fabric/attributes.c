/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of attributes. */
#include "base/words.h"
#include "fabric/fabric.h"

static const struct word_entry attrs[] = {
	{ IBC_ATTR_NODE_INFO, { "node_info", "NodeInfo" } },
	{ IBC_ATTR_NODE_DESC, { "node_description", "NodeDescription" } },
	{ IBC_ATTR_SWITCH_INFO, { "switch_info", "SwitchInfo" } },
	{ IBC_ATTR_PORT_INFO, { "port_info", "PortInfo" } },
	{ IBC_ATTR_MLNX_EXT_PORT_INFO, { "mlnx_ext_port_info", "MlnxExtPortInfo" } },
	{ IBC_ATTR_LINK, { "link", "Link" } },
	{ IBC_ATTR_PERF_CLASS_PORT_INFO, { "perf_class_port_info", "ClassPortInfo" } },
	{ IBC_ATTR_PORT_COUNTERS, { "port_counters", "PortCounters" } },
	{ IBC_ATTR_PORT_COUNTERS_EXT, { "port_counters_extended", "PortCountersExtended" } },
	{ IBC_ATTR_RCV_ERROR_DETAILS, { "port_rcv_error_details", "PortRcvErrorDetails" } },
	{ IBC_ATTR_XMIT_DISCARD_DETAILS,
	  { "port_xmit_discard_details", "PortXmitDiscardDetails" } },
	{ IBC_ATTR_PORT_SAMPLES_CONTROL, { "port_samples_control", "PortSamplesControl" } },
	{ IBC_ATTR_VL_XMIT_WAIT, { "port_vl_xmit_wait_counters", "PortVLXmitWaitCounters" } },
	{ IBC_ATTR_GENERAL_INFO, { "vendor_general_info", "VendorGeneralInfo" } },
	{ IBC_ATTR_SM_INFO, { "sm_info", "SMInfo" } },
	{ IBC_ATTR_PKEY_TABLE, { "p_key_table", "P_KeyTable" } },
	{ IBC_ATTR_LFT, { "linear_forwarding_table", "LinearForwardingTable" } },
	{ IBC_ATTR_MFT, { "multicast_forwarding_table", "MulticastForwardingTable" } },
	{ IBC_ATTR_SL2VL, { "sl_to_vl_mapping_table", "SLtoVLMappingTable" } },
	{ IBC_ATTR_SA_CLASS_PORT_INFO, { "sa_class_port_info", "SAClassPortInfo" } },
	{ IBC_ATTR_PATH_RECORD, { "path_record", "PathRecord" } },
	{ IBC_ATTR_MC_MEMBER_RECORD, { "mc_member_record", "MCMemberRecord" } },
	WORDS_END,
};

const char *ibc_attr_name(enum ibc_attr attr)
{
	return words_find(attrs, attr)->name;
}

enum ibc_attr attr_of(const char *name)
{
	return words_value(attrs, name);
}
