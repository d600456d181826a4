/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Subnet management packets (IBA 14.2): queries out, attributes in. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/phy.h>

#include "base/mad.h"

/*
 * The modifier that asks GeneralInfo for its mask of capabilities: capabilities_get() of all its
 * data.  Source, as of ExtendedPortInfo: ib_types.h of NVIDIA's OpenSM; not verified on hardware.
 */
#define GENERAL_INFO_CAPABILITIES 4

#define SMP_DATA_OFFSET 64 /* in a MAD (IBA 14.2.1.1) */
#define SMP_DATA_SIZE   64 /* bytes (IBA 14.2.1.1) */
#define SMP_MAX_HOPS    63 /* InitialPath has 64 entries, the first unused (IBA 14.2.1.2) */

enum smp_attribute {
	SMP_NODE_DESC = 0x0010,
	SMP_NODE_INFO = 0x0011,
	SMP_SWITCH_INFO = 0x0012,
	SMP_PORT_INFO = 0x0015,
	SMP_PKEY_TABLE = 0x0016,
	SMP_SL2VL_TABLE = 0x0017,
	SMP_VL_ARBITRATION = 0x0018,
	SMP_LINEAR_FDB = 0x0019,
	SMP_MULTICAST_FDB = 0x001b,
	SMP_SM_INFO = 0x0020,
	SMP_VENDOR_FIRST = 0xff00,     /* vendors have these (IBA 14.2.5) */
	SMP_PRIVATE_LFT_INFO = 0xff10, /* wire/adaptive.h, like those named AR */
	SMP_GENERAL_INFO = 0xff17,
	SMP_AR_INFO = 0xff20,
	SMP_AR_GROUPS = 0xff21,
	SMP_AR_LFT = 0xff23,
	SMP_MLNX_EXT_PORT_INFO = 0xff90,
	SMP_EXT_NODE_INFO = 0xff91,
	SMP_VIRTUALIZATION_INFO = 0xffb0, /* these three: wire/virtual.h */
	SMP_VPORT_INFO = 0xffb1,
	SMP_ROUTER_INFO = 0xffd0,
};

/* PortInfo's modifier: who asks knows extended speeds (SMSupportExtendedSpeeds). */
#define SMP_ASKER_KNOWS (1u << 31)

struct smp_query {
	uint16_t attribute; /* enum smp_attribute */
	uint32_t modifier;  /* PortInfo: the port; of tables see wire/tables.h */
	uint64_t m_key;
};

/* Each writes a whole Get, without a transaction id, and where it goes. */
void smp_get_by_lid(uint8_t mad[MAD_SIZE], struct mad_addr *to, const struct smp_query *q,
                    uint16_t lid);
/* hops: the port to leave by, at every node from this one on; n is 0..SMP_MAX_HOPS. */
void smp_get_directed(uint8_t mad[MAD_SIZE], struct mad_addr *to, const struct smp_query *q,
                      const uint8_t *hops, size_t n);
/* By LID to a switch, by hops from there on; own_lid is where the answer returns to. */
void smp_get_combined(uint8_t mad[MAD_SIZE], struct mad_addr *to, const struct smp_query *q,
                      uint16_t lid, uint16_t own_lid, const uint8_t *hops, size_t n);

/* The 64 bytes of an attribute in an SMP. */
static inline const uint8_t *smp_data(const uint8_t mad[MAD_SIZE])
{
	return mad + SMP_DATA_OFFSET;
}

/* ---- attributes: every decoder is total over any 64 bytes ------------------ */

struct node_info {
	uint8_t type; /* enum ibc_node_type, UNKNOWN if none of them */
	uint8_t num_ports;
	uint8_t local_port; /* the port the query came in by */
	uint64_t system_guid, node_guid, port_guid;
	uint32_t vendor_id, revision;
	uint16_t device_id;
	uint16_t pkey_cap;
};

struct switch_info {
	uint16_t lft_cap, lft_top;
	uint16_t mft_cap, mft_top;
	uint16_t pkey_enforce_cap;
	bool enhanced_port0;
};

/* What one of PortInfo's groups of speeds says, in its own bits. */
struct speed_bits {
	uint8_t active, enabled, supported;
};
enum speed_group { SPEED_BASIC, SPEED_EXT, SPEED_EXT2, SPEED_GROUPS };

/* Widths and speeds as in <ibcheck/fabric.h>; a value the field does not know is UNKNOWN. */
struct port_info {
	uint8_t local_port;
	uint8_t state, phys_state;
	uint8_t width_active, width_enabled, width_supported;
	uint16_t speed_active, speed_enabled, speed_supported;
	uint16_t lid, sm_lid;
	uint8_t lmc, sm_sl;
	uint8_t mtu_cap, mtu_active;
	uint8_t vl_cap, vl_active;
	uint8_t arb_high_cap, arb_low_cap;
	uint32_t cap_mask;
	uint16_t cap_mask2; /* 0 unless cap_mask says that there is one */
	uint64_t gid_prefix;
	uint8_t pkey_enforce; /* as in <ibcheck/fabric.h> */
	uint64_t m_key;       /* 0: none, or it is not shown to who asked without it (IBA 14.2.4) */
	uint8_t m_key_protect;
	uint16_t m_key_violations;
};

/* What the vendor's attribute adds to the speeds of PortInfo: FDR10, or nothing. */
struct mlnx_ext_port_info {
	uint16_t speed_active; /* FDR10: wins over PortInfo's; or 0 */
	uint16_t speed_enabled, speed_supported;
};

void node_info_get(const uint8_t data[SMP_DATA_SIZE], struct node_info *out);
void switch_info_get(const uint8_t data[SMP_DATA_SIZE], struct switch_info *out);
void port_info_get(const uint8_t data[SMP_DATA_SIZE], struct port_info *out);
/* The same from codes that did not come as an attribute; the other fields of out stay. */
void port_widths_put(uint8_t active, uint8_t enabled, uint8_t supported, struct port_info *out);
void port_speeds_put(const struct speed_bits bits[SPEED_GROUPS], struct port_info *out);
/* phy.c: adds what else it has, of devices that say that they know it (IBC_SMP_EXT_PORT_INFO). */
void ext_port_values_get(const uint8_t data[SMP_DATA_SIZE], struct ibc_phy *out);
void mlnx_ext_port_info_get(const uint8_t data[SMP_DATA_SIZE], struct mlnx_ext_port_info *out);

/*
 * smp.c: of devices that say that they know it (IBC_SMP_EXT_NODE_INFO).  Source: ib_types.h of
 * NVIDIA's OpenSM (ib_mlnx_ext_node_info_t), GPL-2 or OpenIB BSD; not verified on hardware.
 */
struct ext_node_info {
	uint8_t max_planes;
	bool asymmetric;
};
void ext_node_info_get(const uint8_t data[SMP_DATA_SIZE], struct ext_node_info *out);

/* Is the device one of those known to answer MlnxExtPortInfo?  Others may not even refuse. */
bool mlnx_ext_port_info_known(uint32_t vendor_id, uint16_t device_id);
