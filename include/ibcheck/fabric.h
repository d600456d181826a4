/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_FABRIC_H
#define IBCHECK_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/error.h>
#include <ibcheck/tables.h>

#pragma GCC visibility push(default)

/**
 * DOC: the fabric model
 *
 * A struct ibc_fabric is one observation of one or more subnets ("planes"):
 * every node, port and cable that answered, and a note of every question that
 * got no answer.  It is built once, by one of the sources in
 * <ibcheck/source.h>, and never changes afterwards, so any number of threads
 * may read it without locking.
 *
 * Ownership: the fabric owns all it hands out.  Every const pointer below
 * stays valid until ibc_fabric_free() and must not be freed by the caller.
 *
 * ABI: the structs are read-only for callers, never allocated by them, and
 * only ever grow at the end.
 *
 * GUIDs are host-endian.  All text is valid UTF-8 without control characters.
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

/*
 * What can be known of a node or a port, a bit each.  All but IBC_ATTR_LINK are
 * attributes that travel in MADs; that is what a text file tells of a cable
 * without a whole PortInfo: trained width and speed.
 */
enum ibc_attr {
	IBC_ATTR_NODE_INFO = 1 << 0,          /* node: its own; port: what lies beyond it */
	IBC_ATTR_NODE_DESC = 1 << 1,          /* node */
	IBC_ATTR_SWITCH_INFO = 1 << 2,        /* node */
	IBC_ATTR_PORT_INFO = 1 << 3,          /* port */
	IBC_ATTR_MLNX_EXT_PORT_INFO = 1 << 4, /* port */
	IBC_ATTR_LINK = 1 << 5,               /* port: width_active and speed_active are known */

	/* performance management (IBA 16.1.3); see struct ibc_counters */
	IBC_ATTR_PERF_CLASS_PORT_INFO = 1 << 6,  /* node */
	IBC_ATTR_PORT_COUNTERS = 1 << 7,         /* port */
	IBC_ATTR_PORT_COUNTERS_EXT = 1 << 8,     /* port */
	IBC_ATTR_RCV_ERROR_DETAILS = 1 << 9,     /* port */
	IBC_ATTR_XMIT_DISCARD_DETAILS = 1 << 10, /* port */
	IBC_ATTR_PORT_SAMPLES_CONTROL = 1 << 11, /* node */
	IBC_ATTR_VL_XMIT_WAIT = 1 << 12,         /* port */

	/* the vendor's own: the version of the firmware */
	IBC_ATTR_GENERAL_INFO = 1 << 13, /* node */

	/* who governs the subnet, and its tables */
	IBC_ATTR_SM_INFO = 1 << 14,    /* port: see struct ibc_sm_info */
	IBC_ATTR_PKEY_TABLE = 1 << 15, /* port: see struct ibc_pkeys */
	IBC_ATTR_LFT = 1 << 16,        /* switch: all blocks; see struct ibc_forwarding */
	IBC_ATTR_MFT = 1 << 17,        /* switch: all blocks; see struct ibc_multicast */
	IBC_ATTR_SL2VL = 1 << 18,      /* switch: see struct ibc_sl2vl */

	/* subnet administration (IBA 15.2.5), asked from the origin: see struct ibc_sa */
	IBC_ATTR_SA_CLASS_PORT_INFO = 1 << 19, /* plane->origin */
	IBC_ATTR_PATH_RECORD = 1 << 20,        /* plane->origin: all that were asked for */
	IBC_ATTR_MC_MEMBER_RECORD = 1 << 21,   /* plane->origin: the whole table */
};
#define IBC_ATTR_COUNT 22

/* What only the checks of the subnet manager, and those of routes, read. */
#define IBC_ATTRS_SM (IBC_ATTR_SM_INFO | IBC_ATTR_PKEY_TABLE | IBC_ATTR_SA_CLASS_PORT_INFO)
#define IBC_ATTRS_ROUTES                                                                           \
	(IBC_ATTR_LFT | IBC_ATTR_MFT | IBC_ATTR_SL2VL | IBC_ATTR_PATH_RECORD |                     \
	 IBC_ATTR_MC_MEMBER_RECORD)

/* All that tell of counters. */
#define IBC_ATTRS_PERF (IBC_ATTRS_COUNTERS | IBC_ATTR_VL_XMIT_WAIT)

/* Asked on demand: only who reads them minds whether they were answered. */
#define IBC_ATTRS_EXTRA (IBC_ATTRS_PERF | IBC_ATTR_GENERAL_INFO | IBC_ATTRS_SM | IBC_ATTRS_ROUTES)

/* What a sweep that counts asks for; details follow where their parent counted. */
#define IBC_ATTRS_COUNTERS                                                                         \
	(IBC_ATTR_PERF_CLASS_PORT_INFO | IBC_ATTR_PORT_COUNTERS | IBC_ATTR_PORT_COUNTERS_EXT |     \
	 IBC_ATTR_RCV_ERROR_DETAILS | IBC_ATTR_XMIT_DISCARD_DETAILS |                              \
	 IBC_ATTR_PORT_SAMPLES_CONTROL)

/* SMInfo.SMState (IBA 14.2.5.13), and 1 more: 0 is for what is not known. */
enum ibc_sm_state {
	IBC_SM_UNKNOWN = 0,
	IBC_SM_NOT_ACTIVE = 1,
	IBC_SM_DISCOVERING = 2,
	IBC_SM_STANDBY = 3,
	IBC_SM_MASTER = 4,
};

const struct ibc_word *ibc_sm_state_word(enum ibc_sm_state state);
const struct ibc_word *ibc_node_type_word(enum ibc_node_type type);
const struct ibc_word *ibc_port_state_word(enum ibc_port_state state);
const struct ibc_word *ibc_phys_state_word(enum ibc_phys_state state);
const struct ibc_word *ibc_width_word(enum ibc_width width);
const struct ibc_word *ibc_speed_word(enum ibc_speed speed);
/* The attribute's name as the specification spells it: "PortInfo". */
const char *ibc_attr_name(enum ibc_attr attr);

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

/* ---- questions ----------------------------------------------------------- */

/**
 * struct ibc_answers - which questions were asked, and what became of them
 * @asked:	 set of enum ibc_attr that were due
 * @answered:	 those that were answered, and are in the model
 * @unsupported: those the device says it does not have: an answer, not a gap
 * @refused:	 those the device refused for another reason
 *
 * What was asked and is in none of the others got no answer.
 */
struct ibc_answers {
	uint32_t asked, answered, unsupported, refused;
};

/* ---- counters ------------------------------------------------------------ */

/*
 * The counters of a port, whichever attribute told them: PortCounters,
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

/* The counter's @word is its key in JSON and metrics ("symbol_error"), its @name the field's. */
const struct ibc_word *ibc_counter_word(enum ibc_counter counter);

/**
 * struct ibc_counters - the counters of one port at one moment
 * @value:	value[enum ibc_counter]; read only what is in @known
 * @known:	set of 1 << enum ibc_counter
 * @saturated:	of @known, those at all ones: "at least" (counters clamp, they do not wrap)
 * @at_seconds:	when it was read, in seconds after the plane's time
 * @vl_wait:	PortXmitWait by virtual lane, 16 values, or NULL
 */
struct ibc_counters {
	uint64_t value[IBC_COUNTERS];
	uint32_t known, saturated;
	double at_seconds;
	const uint64_t *vl_wait;
};

/* ---- ports, nodes, planes, hosts ---------------------------------------- */

/**
 * struct ibc_cable - what a plan says of a cable beyond its ends
 * @label:  what is written on it, or NULL
 * @length: as the plan has it, "3 m", or NULL
 * @line:   of the file; 0 if it is not known
 *
 * Both ports of the cable point to the same one.
 */
struct ibc_cable {
	const char *label, *length;
	unsigned long line;
};

struct ibc_node;
struct ibc_plane;
struct ibc_fabric;

/**
 * struct ibc_port - one port
 * @node: the node it belongs to
 * @peer: far end of the cable, or NULL
 * @guid: port GUID; of a switch only port 0 has one; 0 if not known
 * @answers: what was asked of it; guard every field below with ibc_port_has()
 * @num: 1 .. 255; 0 is a switch's management port
 *
 * From PortInfo, in the field's units and codes; valid after
 * ibc_port_has(port, IBC_ATTR_PORT_INFO).  Of a port that is not LinkUp only
 * @state, @phys_state and the *_enabled and *_supported sets mean anything
 * (IBA C14-24.2.1).
 */
struct ibc_port {
	const struct ibc_node *node;
	const struct ibc_port *peer;
	uint64_t guid;
	struct ibc_answers answers;
	uint8_t num;

	uint8_t state;         /* enum ibc_port_state */
	uint8_t phys_state;    /* enum ibc_phys_state */
	uint8_t width_active;  /* one enum ibc_width */
	uint8_t width_enabled; /* sets of enum ibc_width */
	uint8_t width_supported;
	uint16_t speed_active;  /* one enum ibc_speed */
	uint16_t speed_enabled; /* sets of enum ibc_speed */
	uint16_t speed_supported;
	uint16_t lid;    /* base LID; 0 before the SM assigned one */
	uint16_t sm_lid; /* MasterSMLID */
	uint8_t lmc;
	uint8_t sm_sl;
	uint8_t mtu_cap;    /* MTU codes, see ibc_mtu_bytes() */
	uint8_t mtu_active; /* NeighborMTU */
	uint8_t vl_cap;     /* VLCap and OperationalVLs: 1 VL0, 2 VL0-1, 3 -3, 4 -7, 5 -14 */
	uint8_t vl_active;
	uint32_t cap_mask;                   /* CapabilityMask */
	uint64_t subnet_prefix;              /* GidPrefix */
	const struct ibc_counters *counters; /* NULL: none were read */
	const struct ibc_cable *cable;       /* what a plan says of it; NULL: nothing */
	const struct ibc_sm_info *sm;        /* NULL: not told */
	const struct ibc_pkeys *pkeys;       /* NULL: not told */
	uint8_t pkey_enforce;  /* PartitionEnforcementInbound 2, ...Outbound 1; of a switch */
	uint8_t m_key_protect; /* M_KeyProtectBits */
	uint16_t m_key_violations;
	uint16_t cap_mask2; /* CapabilityMask2; 0: it has none, or the source does not tell */
};

/* Of CapabilityMask and CapabilityMask2 (IBA 14.2.5.6). */
#define IBC_CAP_HAS_MASK2   (1u << 15) /* IsCapabilityMask2Supported */
#define IBC_CAP2_HAS_VPORTS (1u << 2)  /* IsVirtualizationSupported */

/**
 * struct ibc_node - one channel adapter, switch or router, in one plane
 * @plane:	  the plane it was seen in
 * @guid:	  node GUID; not always unique: see @duplicate
 * @desc:	  NodeDescription, or ""
 * @name:	  how to call it: from the node-name map, else @desc; "" if it has neither
 * @label:	  @name if that is unique in its plane, else @name with the GUID;
 *		  never "": what every sentence uses
 * @host_name:	  of a CA: the host it sits in, the part of @desc (or, where that
 *		  names no host, of @name) before the HCA's name; the same pointer
 *		  for all CAs of a host, or NULL
 * @ports:	  num_ports + 1 elements, index = port number; of a CA or router
 *		  element 0 is unused
 * @duplicate:	  another node of this plane carries the same GUID
 * @named_only:	  a list of cables told of it, by name: @guid is made up, unique in
 *		  its plane, and says nothing; @type and @num_ports are guesses
 * @rack:	  where a plan says it stands, or NULL
 * @firmware:	  "28.39.2048", or NULL where that was not told
 * @line:	  of the file where a plan first names it; 0 if it is not known
 */
struct ibc_node {
	const struct ibc_plane *plane;
	uint64_t guid;
	uint64_t system_guid; /* SystemImageGUID */
	const char *desc, *name, *label, *host_name;
	const struct ibc_port *ports;
	struct ibc_answers answers;
	uint32_t vendor_id; /* NodeInfo */
	uint32_t revision;
	uint16_t device_id;
	uint8_t type;      /* enum ibc_node_type */
	uint8_t num_ports; /* without port 0 */
	bool duplicate;
	bool enhanced_port0;    /* SwitchInfo */
	uint16_t lft_cap;       /* SwitchInfo.LinearFDBCap */
	uint16_t lft_top;       /* SwitchInfo.LinearFDBTop */
	uint16_t perf_cap_mask; /* ClassPortInfo of performance management */
	uint32_t perf_cap_mask2;
	uint8_t xmit_wait_tick; /* PortSamplesControl.Tick; n: n + 1 symbol times */
	bool named_only;
	const char *rack, *firmware;
	unsigned long line;
	uint16_t mft_cap;              /* SwitchInfo.MulticastFDBCap */
	uint16_t mft_top;              /* SwitchInfo.MulticastFDBTop; 0: it does not say */
	uint16_t pkey_cap;             /* NodeInfo.PartitionCap */
	uint16_t pkey_enforce_cap;     /* SwitchInfo.PartitionEnforcementCap */
	const struct ibc_sl2vl *sl2vl; /* NULL: not told */
};

/**
 * struct ibc_sweep - how the questions of one plane went
 *
 * @sent counts every MAD that left, retries included; @answered, @unsupported
 * and @refused count questions by outcome, @timed_out those that got none.
 * @dropped_* are arriving MADs that were not trusted.  All 0 if the plane came
 * from a file.
 */
struct ibc_sweep {
	uint64_t sent, answered, unsupported, refused, retried, timed_out;
	uint64_t dropped_late, dropped_mismatch, dropped_short;
	uint32_t peak_in_flight;
	uint32_t rtt_p50_us, rtt_p99_us;
	double duration_seconds;
};

/**
 * struct ibc_plane - one subnet as one source saw it
 * @source:	   the specification it was read from: "umad", "fabric.net"
 * @kind:	   "umad", "snapshot", "netdiscover", "dbcsv", "cables", "topo",
 *		   "synth", "local"
 * @ca, @ca_port:  the local port it was swept from; "" and 0 for a file
 * @file:	   the file it was read from, or ""
 * @local:	   this host's drivers told it: no device was asked anything
 * @origin:	   the port the sweep started at, or NULL
 * @provides:	   set of enum ibc_attr this source can tell at all
 * @not_asked:	   questions that were due when the deadline ended the sweep
 * @subnet_prefix: of @origin, or the default prefix
 * @host:	   name of the host it was swept from, or NULL
 * @time:	   when the sweep began, in seconds since 1970; 0 if not known
 * @forwarding, @multicast, @sa: NULL: not told
 * @handovers:	   1: the master changed while it was swept, so it was swept once more;
 *		   2: and changed again
 */
struct ibc_plane {
	const struct ibc_fabric *fabric;
	const char *source, *kind, *ca, *file;
	const struct ibc_port *origin;
	uint64_t subnet_prefix;
	uint64_t not_asked;
	uint32_t provides;
	unsigned int index;
	uint8_t ca_port;
	bool cut_short, local;
	struct ibc_sweep sweep;
	const char *host;
	uint64_t time;
	const struct ibc_forwarding *forwarding;
	const struct ibc_multicast *multicast;
	const struct ibc_sa *sa;
	unsigned int handovers;
};

/* struct ibc_fabric_host - the CAs of one host, in all planes, joined by name */
struct ibc_fabric_host {
	const char *name;
	const struct ibc_node *const *nodes;
	size_t num_nodes;
};

/* ---- the fabric --------------------------------------------------------- */

/**
 * ibc_fabric_free() - release a fabric and all that was obtained from it
 * @fab: the fabric, or NULL for no effect
 */
void ibc_fabric_free(struct ibc_fabric *fab);

/* struct ibc_fabric_counts - sizes; a cable counts once, links of silent peers do not */
struct ibc_fabric_counts {
	size_t planes, nodes, switches, cas, routers, ports, cables, hosts;
};
struct ibc_fabric_counts ibc_fabric_count(const struct ibc_fabric *fab);

/**
 * ibc_fabric_plane(), _node(), _port(), _host() - walk
 * @fab: the fabric
 * @i: position, counted from 0
 *
 * Nodes are ordered by GUID, then plane; ports by node, then number, with port
 * 0 of switches and without the unused element 0 of CAs; hosts by name.
 *
 * Return: borrowed from @fab, or NULL when @i is past the last one.
 */
const struct ibc_plane *ibc_fabric_plane(const struct ibc_fabric *fab, size_t i);
const struct ibc_node *ibc_fabric_node(const struct ibc_fabric *fab, size_t i);
const struct ibc_port *ibc_fabric_port(const struct ibc_fabric *fab, size_t i);
const struct ibc_fabric_host *ibc_fabric_host(const struct ibc_fabric *fab, size_t i);

/* The node of a GUID (the first, where several carry it), or NULL.  Hashed. */
const struct ibc_node *ibc_fabric_node_by_guid(const struct ibc_fabric *fab, uint64_t guid);
/* The port of a LID in a plane (ibc_port_is_here()), LMC ranges included, or NULL.  Hashed. */
const struct ibc_port *ibc_fabric_port_by_lid(const struct ibc_plane *plane, unsigned int lid);
/* What a manager said last, of the two times it was asked; unknown if it answers no more. */
enum ibc_sm_state ibc_sm_state_now(const struct ibc_sm_info *sm);

/* Has it done anything since it was asked first?  A second without is too long. */
enum ibc_sm_life {
	IBC_SM_LIFE_UNKNOWN, /* it had no time to */
	IBC_SM_WORKS,
	IBC_SM_IDLE, /* it answers, and its activity count stays */
	IBC_SM_LOST, /* it answered, and no more */
};
enum ibc_sm_life ibc_sm_life(const struct ibc_sm_info *sm);
/*
 * The virtual lane a switch gives a packet of service level @sl that came in by port @in
 * and leaves by @out: 0 .. 15, or IBC_VL_UNKNOWN.
 */
unsigned int ibc_switch_vl(const struct ibc_node *node, unsigned int in, unsigned int out,
                           unsigned int sl);
/* A node's port, or NULL if it has none of that number. */
const struct ibc_port *ibc_node_port(const struct ibc_node *node, unsigned int num);

/**
 * ibc_port_has() - did the port answer the question?
 * @port: the port
 * @attr: the attribute asked for
 *
 * A check must call this before it looks at a field the attribute carries:
 * "no answer" is not "zero", and is never "healthy".
 */
bool ibc_port_has(const struct ibc_port *port, enum ibc_attr attr);
bool ibc_node_has(const struct ibc_node *node, enum ibc_attr attr);

/* Was it asked, and did no usable answer come (silence or refusal)? */
bool ibc_port_owes(const struct ibc_port *port, enum ibc_attr attr);
bool ibc_node_owes(const struct ibc_node *node, enum ibc_attr attr);

/**
 * ibc_port_is_up() - is there a trained link, and do we know its particulars?
 * @port: the port
 *
 * True if PortInfo answered with LinkUp, or if a file tells of the cable.
 */
bool ibc_port_is_up(const struct ibc_port *port);

/**
 * ibc_port_is_here() - is it in the subnet of its plane?
 * @port: the port
 *
 * A channel adapter or router tells of all its ports, and each may be in a subnet of its
 * own.  One that nothing leads to, while something leads to another port of its node, is
 * elsewhere, as far as is known: its LID, its MasterSMLID and its prefix are of that subnet.
 */
bool ibc_port_is_here(const struct ibc_port *port);

/* The end that speaks for a cable, so that each is visited once: lower GUID, then port. */
bool ibc_port_is_near_end(const struct ibc_port *port);

/**
 * struct ibc_coverage - what became of one attribute's questions
 *
 * asked = answered + unsupported + refused + timed_out.  A NodeInfo asked through
 * a port counts there, not once more at the node it told of.
 */
struct ibc_coverage {
	uint64_t asked, answered, unsupported, refused, timed_out;
};
struct ibc_coverage ibc_fabric_coverage(const struct ibc_fabric *fab, enum ibc_attr attr);

/**
 * ibc_fabric_verify() - do the model's invariants hold?
 *
 * Peers point at each other, order and indices agree, outcomes are subsets of
 * questions.  Every fabric is verified when it is built; this is for tests of
 * new sources.
 *
 * Return: 0, or -EPROTO and the first violation in @err.
 */
int ibc_fabric_verify(const struct ibc_fabric *fab, struct ibc_error *err);

#pragma GCC visibility pop

#endif
