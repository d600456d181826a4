/* SPDX-License-Identifier: BSD-2-Clause */
/* What MADs are called in the IBA; shared names of attributes come first. */
#include <stddef.h>

#include <ibcheck/capture.h>

#include "base/array.h"
#include "wire/mad.h"

static const struct number_name {
	uint8_t mgmt_class; /* of an attribute; 0: any */
	uint16_t number;
	const char *name;
} class_names[] = {
	{ 0, 0x01, "SMP" },         { 0, 0x81, "SMP (directed)" },  { 0, 0x03, "SA" },
	{ 0, 0x04, "Perf" },        { 0, 0x05, "BM" },              { 0, 0x06, "DevMgt" },
	{ 0, 0x07, "CM" },          { 0, 0x08, "SNMP" },            { 0, 0x09, "Vendor 0x09" },
	{ 0, 0x0a, "Vendor 0x0a" }, { 0, 0x21, "CC" },
}, method_names[] = {
	{ 0, 0x01, "Get" },          { 0, 0x02, "Set" },        { 0, 0x03, "Send" },
	{ 0, 0x05, "Trap" },         { 0, 0x06, "Report" },     { 0, 0x07, "TrapRepress" },
	{ 0, 0x12, "GetTable" },     { 0, 0x15, "Delete" },     { 0, 0x81, "GetResp" },
	{ 0, 0x86, "ReportResp" },   { 0, 0x92, "GetTableResp" }, { 0, 0x95, "DeleteResp" },
}, attribute_names[] = {
	{ 0, 0x01, "ClassPortInfo" }, { 0, 0x02, "Notice" }, { 0, 0x03, "InformInfo" },
	{ MAD_CLASS_SMP, 0x10, "NodeDescription" },
	{ MAD_CLASS_SMP, 0x11, "NodeInfo" },
	{ MAD_CLASS_SMP, 0x12, "SwitchInfo" },
	{ MAD_CLASS_SMP, 0x14, "GUIDInfo" },
	{ MAD_CLASS_SMP, 0x15, "PortInfo" },
	{ MAD_CLASS_SMP, 0x16, "P_KeyTable" },
	{ MAD_CLASS_SMP, 0x17, "SLtoVLMappingTable" },
	{ MAD_CLASS_SMP, 0x18, "VLArbitrationTable" },
	{ MAD_CLASS_SMP, 0x19, "LinearForwardingTable" },
	{ MAD_CLASS_SMP, 0x1b, "MulticastForwardingTable" },
	{ MAD_CLASS_SMP, 0x20, "SMInfo" },
	{ MAD_CLASS_SMP, 0xff10, "PrivateLFTInfo" },
	{ MAD_CLASS_SMP, 0xff17, "GeneralInfo" },
	{ MAD_CLASS_SMP, 0xff20, "AdaptiveRoutingInfo" },
	{ MAD_CLASS_SMP, 0xff21, "ARGroupTable" },
	{ MAD_CLASS_SMP, 0xff23, "ARLinearForwardingTable" },
	{ MAD_CLASS_SMP, 0xff90, "MlnxExtPortInfo" },
	{ MAD_CLASS_SMP, 0xff91, "ExtendedNodeInfo" },
	{ MAD_CLASS_SMP, 0xffb0, "VirtualizationInfo" },
	{ MAD_CLASS_SMP, 0xffb1, "VPortInfo" },
	{ MAD_CLASS_SMP, 0xffd0, "RouterInfo" },
	{ MAD_CLASS_SA, 0x11, "NodeRecord" },
	{ MAD_CLASS_SA, 0x12, "PortInfoRecord" },
	{ MAD_CLASS_SA, 0x18, "SMInfoRecord" },
	{ MAD_CLASS_SA, 0x20, "LinkRecord" },
	{ MAD_CLASS_SA, 0x31, "ServiceRecord" },
	{ MAD_CLASS_SA, 0x35, "PathRecord" },
	{ MAD_CLASS_SA, 0x38, "MCMemberRecord" },
	{ MAD_CLASS_PERFORMANCE, 0x10, "PortSamplesControl" },
	{ MAD_CLASS_PERFORMANCE, 0x11, "PortSamplesResult" },
	{ MAD_CLASS_PERFORMANCE, 0x12, "PortCounters" },
	{ MAD_CLASS_PERFORMANCE, 0x15, "PortRcvErrorDetails" },
	{ MAD_CLASS_PERFORMANCE, 0x16, "PortXmitDiscardDetails" },
	{ MAD_CLASS_PERFORMANCE, 0x1d, "PortCountersExtended" },
	{ MAD_CLASS_CM, 0x10, "ConnectRequest" },
	{ MAD_CLASS_CM, 0x12, "ConnectReject" },
	{ MAD_CLASS_CM, 0x13, "ConnectReply" },
	{ MAD_CLASS_CM, 0x14, "ReadyToUse" },
};

static const char *name_of_number(const struct number_name *names, size_t n, uint8_t mgmt_class,
                                  uint16_t number)
{
	for (size_t i = 0; i < n; i++)
		if (names[i].number == number &&
		    (!names[i].mgmt_class || names[i].mgmt_class == mgmt_class))
			return names[i].name;
	return NULL;
}

const char *ibc_mad_class_name(uint8_t mgmt_class)
{
	return name_of_number(class_names, ARRAY_SIZE(class_names), 0, mgmt_class);
}

const char *ibc_mad_method_name(uint8_t method)
{
	return name_of_number(method_names, ARRAY_SIZE(method_names), 0, method);
}

const char *ibc_mad_attribute_name(uint8_t mgmt_class, uint16_t attribute)
{
	if (mgmt_class == MAD_CLASS_SMP_DIRECTED)
		mgmt_class = MAD_CLASS_SMP;
	return name_of_number(attribute_names, ARRAY_SIZE(attribute_names), mgmt_class, attribute);
}
