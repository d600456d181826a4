/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_TABLES_H
#define IBCHECK_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/attributes.h>
#include <ibcheck/types.h>

struct ibc_node;

/**
 * DOC: who governs a subnet, and its tables
 *
 * What <ibcheck/fabric.h> keeps of subnet managers and administration, and of the tables
 * that they write.  Owned by the fabric, as all of it.
 */

/**
 * struct ibc_sm_info - the subnet manager of a port (IBA 14.2.5.13), asked twice
 * @guid:	 the port GUID it goes by
 * @state:	 enum ibc_sm_state, when it was asked first
 * @state_later: when it was asked last; IBC_SM_UNKNOWN: it did not answer then
 * @priority:	 0 .. 15, the highest becomes master; the lowest GUID among equals
 * @act_count:	 ActCount, when it was asked first
 * @act_count_later: when it was asked last
 * @act_seconds: how long after the first time that was; 0: it was asked once
 */
struct ibc_sm_info {
	uint64_t guid;
	uint32_t act_count, act_count_later;
	double act_seconds;
	uint8_t state, state_later, priority;
};

/* struct ibc_pkeys - the partition table of a port (IBA 14.2.5.7), without its zeros */
struct ibc_pkeys {
	const uint16_t *keys; /* bit 15: full member; in the order of the table */
	size_t num_keys;
};

/**
 * struct ibc_sl2vl - the SLtoVLMappingTables of a switch, or of an HCA (IBA 14.2.5.8)
 * @vl: of in-port i, out-port o and service level l: vl[((size_t)i * width + o) * 16 + l];
 *	15 drops the packet, IBC_VL_UNKNOWN where it was not answered
 * @width: the switch's ports and port 0
 * @uniform: one table of 16 holds for all: those that were asked for were the same
 */
struct ibc_sl2vl {
	const uint8_t *vl;
	unsigned int width;
	bool uniform;
};
#define IBC_VL_UNKNOWN 255

/* How a switch sends a LID, of its adaptive table: the upper two bits of an entry. */
enum ibc_ar_entry {
	IBC_AR_ENTRY_BOUNDED, /* by any port of the group, where that cannot change the order */
	IBC_AR_ENTRY_FREE,    /* by any port of the group */
	IBC_AR_ENTRY_STATIC,  /* by the port of the LinearForwardingTable */
	IBC_AR_ENTRY_HASH,    /* by a port of the group, the same for all packets of a flow */
};
#define IBC_AR_ENTRY_SHIFT 14
#define IBC_AR_GROUPS      4096 /* AdaptiveRoutingInfo has their number in 12 bits */

/* struct ibc_port_set - bit n % 64 of words[n / 64]: port n */
struct ibc_port_set {
	uint64_t words[4];
};

/* Why nothing is known of the adaptive tables of a switch that has some. */
enum ibc_ar_gap {
	IBC_AR_NO_GAP,
	IBC_AR_UNREAD,  /* it did not answer for all of them */
	IBC_AR_UNCLEAR, /* it did, and no reading of them agrees with its static table */
	IBC_AR_CHANGED, /* they were written while they were read, twice */
	IBC_AR_GAPS,
};

/**
 * struct ibc_ar_switch - the groups of ports that a switch chooses from
 * @groups: by number; NULL: it has no such group.  Those with the same ports can be the same
 * @private_tables: it has several tables to look LIDs up in, and the first is what is here
 * @gap: if any, there are no groups and no blocks: each LID may leave by any port
 */
struct ibc_ar_switch {
	const struct ibc_port_set *const *groups;
	unsigned int num_groups;
	bool private_tables;
	enum ibc_ar_gap gap;
};

/**
 * struct ibc_ar_tables - the adaptive tables of a subnet; columns and LIDs are those of its
 * struct ibc_forwarding
 * @switches: by column
 * @blocks: blocks[lid / 64 * stride + column][lid % 64]: enum ibc_ar_entry in the upper two
 *	    bits, the group below; NULL: not known.  Equal blocks are the same
 */
struct ibc_ar_tables {
	const struct ibc_ar_switch *switches;
	const uint16_t *const *blocks;
};

/* Flags of struct ibc_ar_info; others mean something that is not known, or not of use. */
enum ibc_ar_flag {
	IBC_AR_ENABLED = 0x01,
	IBC_AR_ARN = 0x02, /* notifies its neighbours of congestion */
	IBC_AR_FRN = 0x04, /* notifies its neighbours of links that are down */
	IBC_AR_FR_CAP = 0x08,
	IBC_AR_FR = 0x10,      /* fast recovery: goes round a link that is down by itself */
	IBC_AR_RN_XMIT = 0x20, /* sends the notifications of ARN and FRN */
	IBC_AR_IS4 = 0x0200,   /* as the first generation had it */
	IBC_AR_GLOBAL_GROUPS = 0x0400,
	IBC_AR_BY_SL_CAP = 0x0800,
	IBC_AR_BY_SL = 0x1000, /* only service levels of @sl_mask */
	IBC_AR_BY_TRANSPORT_CAP = 0x2000,
	IBC_AR_PFRN = 0x100000,
	IBC_AR_WHBF = 0x400000,
	IBC_AR_HBF = 0x800000, /* hash-based forwarding */
};

/* Transports, as bits of struct ibc_ar_info.transports_off. */
enum ibc_ar_transport { IBC_AR_UD = 1, IBC_AR_RC = 2, IBC_AR_UC = 4, IBC_AR_DC = 8 };

/**
 * struct ibc_ar_info - how a switch routes adaptively (AdaptiveRoutingInfo, the vendor's own)
 * @flags: set of enum ibc_ar_flag
 * @group_cap: groups of ports there may be; 0: it cannot route adaptively
 * @group_top: the highest that is in use
 * @group_tables: tables of groups there may be
 * @sub_groups: of a group, in use; @sub_groups_cap: that there may be
 * @sl_mask: a bit each service level that is routed adaptively; counts with IBC_AR_BY_SL
 * @transports_off: enum ibc_ar_transport that keep to the LinearForwardingTable
 * @ageing_us: how long a flow without packets keeps its port, in us
 * @hbf_sl_mask: likewise, of hash-based forwarding
 */
struct ibc_ar_info {
	uint32_t flags, ageing_us;
	uint16_t group_cap, group_top, sl_mask, hbf_sl_mask;
	uint8_t group_tables, sub_groups, sub_groups_cap, transports_off;
};

/**
 * struct ibc_vport - a virtual port of an HCA's port (VPortInfo)
 * @guid: port GUID; 0: it has none
 * @index: its number
 * @lid: of its own; 0: it has none
 * @lid_index: without a LID of its own it has that of the virtual port of this number
 * @state: enum ibc_port_state, never IBC_STATE_UNKNOWN
 * @lid_required: it shall have a LID of its own
 */
struct ibc_vport {
	uint64_t guid;
	uint16_t index, lid, lid_index;
	uint8_t state;
	bool lid_required;
};

/**
 * struct ibc_vports - the virtual ports of an HCA's port (VirtualizationInfo)
 * @vports: those that are known, by index; all of them if IBC_ATTR_VPORTS was answered
 * @cap: how many there may be
 * @top: the highest index in use
 * @enabled: else there are none
 */
struct ibc_vports {
	const struct ibc_vport *vports;
	size_t num_vports;
	uint16_t cap, top;
	bool enabled;
};

/* struct ibc_flids - floating LIDs: which routers know by a path, and no port has; 0, 0: none */
struct ibc_flids {
	uint32_t first, last;
};

/**
 * struct ibc_router - what a router says of the subnet it was asked in (RouterInfo)
 * @global: floating LIDs of all subnets that routers join
 * @local: those of this subnet
 * @adjacent_top, @adjacent_cap: neighbouring subnets it knows, and how many it can know
 */
struct ibc_router {
	struct ibc_flids global, local;
	uint8_t adjacent_top, adjacent_cap;
};

/**
 * struct ibc_arbitration - the VLArbitrationTable of a port (IBA 14.2.5.9)
 * @slots: of the high-priority table, then of the low-priority one
 *
 * Ports whose tables are equal may share them.
 */
struct ibc_arbitration {
	const struct ibc_vl_slot *slots;
	uint8_t num_high, num_low;
};

/**
 * struct ibc_forwarding - the LinearForwardingTables of a subnet (IBA 14.2.5.10)
 * @switches: the switches, by GUID: the columns
 * @num_lids: rows: LIDs 0 .. num_lids - 1, up to the largest LinearFDBTop
 * @stride: bytes from one row to the next, at least num_switches
 * @out: out[lid * stride + column]: the port it is sent to; IBC_NO_ENTRY: there is no
 *	 entry, or it is not known
 * @known: known[lid / 64 * stride + column]: the block of 64 LIDs was answered
 * @file: the file the tables were read from, or NULL
 * @foreign, @foreign_guid: tables in @file of switches that the subnet has not, and the
 *	lowest GUID of them
 * @ar: what switches choose from instead (adaptive routing), or NULL: not known
 * @failed: tables in @file that end with an error of ibroute: @out has their entries before it
 */
struct ibc_forwarding {
	const struct ibc_node *const *switches;
	size_t num_switches;
	size_t stride;
	unsigned int num_lids;
	const uint8_t *out, *known;
	const char *file;
	size_t foreign;
	uint64_t foreign_guid;
	const struct ibc_ar_tables *ar;
	size_t failed;
};
#define IBC_NO_ENTRY  255
#define IBC_LFT_BLOCK 64

/**
 * struct ibc_multicast - the MulticastForwardingTables of a subnet (IBA 14.2.5.12)
 * @switches: the switches, by GUID: the columns
 * @num_mlids: MLIDs 0xc000 .. 0xc000 + num_mlids - 1
 * @ports: a set of ports as 256 bits, 4 words of 64:
 *	   ports[((mlid - 0xc000) * num_switches + column) * 4]
 * @known: known[(mlid - 0xc000) / 32 * num_switches + column]: the block was answered
 */
struct ibc_multicast {
	const struct ibc_node *const *switches;
	size_t num_switches;
	unsigned int num_mlids;
	const uint64_t *ports;
	const uint8_t *known;
};
#define IBC_MLID_FIRST 0xc000
#define IBC_MFT_BLOCK  32

/**
 * struct ibc_sa - what subnet administration answered about a subnet; see @origin's answers
 * @latency_us: how long ClassPortInfo took
 * @response_us: what it says itself an answer may take (RespTimeValue)
 * @lid: where it was asked: MasterSMLID of the origin
 * @paths: service levels, by dlid, then slid
 * @paths_file: the file they were read from, or NULL
 * @members: by MLID, then port GUID
 * @cut_short: answers of many records that ended early
 * @services: aggregation managers of SHARP, by GID, then ID
 */
struct ibc_sa {
	uint32_t latency_us, response_us;
	uint16_t lid, cap_mask;
	const struct ibc_path_sl *paths;
	size_t num_paths;
	const char *paths_file;
	const struct ibc_mc_member *members;
	size_t num_members;
	struct ibc_attrs cut_short;
	const struct ibc_service *services;
	size_t num_services;
};

#endif
