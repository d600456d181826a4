/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_FABRIC_H
#define IBCHECK_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/attributes.h>
#include <ibcheck/error.h>
#include <ibcheck/phy.h>
#include <ibcheck/tables.h>
#include <ibcheck/types.h>

#pragma GCC visibility push(default)

/**
 * DOC: the fabric model
 *
 * A struct ibc_fabric is one observation of one or more subnets ("subnets"):
 * every node, port and cable that answered, and a note of every query that
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

/* ---- queries ----------------------------------------------------------- */

/* What became of a query. */
enum ibc_answer {
	IBC_NOT_ASKED,
	IBC_SILENT,      /* no answer came */
	IBC_ANSWERED,    /* and it is in the model */
	IBC_UNSUPPORTED, /* the device says it does not have it: an answer, not a gap */
	IBC_REFUSED,     /* the device refused for another reason */
};

/**
 * struct ibc_answers - which queries were asked, and what became of them
 * @asked: those that were due
 *
 * Sets, a bit each attribute that belongs to a node, or to a port: to be read with
 * ibc_port_answer() and its like, which know the bits.
 */
struct ibc_answers {
	uint64_t asked, answered, unsupported, refused;
};

/* ---- ports, nodes, subnets, hosts ---------------------------------------- */

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
struct ibc_subnet;
struct ibc_fabric;

/**
 * struct ibc_port_extra - what only few ports have, or only few sources report
 *
 * 0 or NULL: not known.
 */
struct ibc_port_extra {
	const char *label;             /* as the source has it; see ibc_port_label() */
	const struct ibc_cable *cable; /* what a plan says of it */
	const struct ibc_sm_info *sm;
	const struct ibc_pkeys *pkeys;
	const struct ibc_phy *phy;
	const struct ibc_module *module; /* what is in its cage */
	const struct ibc_arbitration *arbitration;
	const struct ibc_vports *vports;
	uint64_t keyed_peer;       /* NodeInfo was asked with the M_Key of this port GUID */
	uint16_t keyed_peer_lid;   /* it did not answer to the key, but here it works */
	uint16_t m_key_violations; /* of PortInfo */
	bool m_key_differs;        /* from that in the key files, it says */
	bool fnm; /* it joins the chips of one box, and carries nothing of hosts (HierarchyInfo) */
	uint8_t plane, num_planes; /* of the APort: its plane, from 1 */
	uint32_t aport; /* that it is a plane of; the ports of an APort are one to their host */
	uint32_t pci;   /* of an HCA: bus << 8 | device << 3 | function; no domain */
	const struct ibc_counters *rose; /* by how much, from a first reading of the source on;
	                                    @saturated: those that went backwards */
};

/**
 * struct ibc_port - one port
 * @node: the node it belongs to
 * @peer: far end of the cable, or NULL
 * @guid: port GUID; of a switch only port 0 has one; 0 if not known
 * @answers: what was asked of it; guard every field below with ibc_port_has()
 * @num: 1 .. 255; 0 is a switch's management port
 * @extra: what few ports have, never NULL: "port->extra->phy"
 *
 * From PortInfo, in the field's units and codes; valid after
 * ibc_port_has(port, IBC_ATTR_PORT_INFO).  Of a port that is not LinkUp only
 * @state, @phys_state and the *_enabled and *_supported sets mean anything
 * (IBA C14-24.2.1).
 */
struct ibc_port {
	const struct ibc_node *node;
	const struct ibc_port *peer;
	const struct ibc_counters *counters; /* NULL: none were read */
	uint64_t guid;
	struct ibc_answers answers;
	const struct ibc_port_extra *extra;
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
	uint8_t arb_high_cap, arb_low_cap; /* VLArbHighCap, VLArbLowCap: slots it has */
	uint32_t cap_mask;                 /* CapabilityMask */
	uint8_t pkey_enforce;   /* PartitionEnforcementInbound 2, ...Outbound 1; of a switch */
	uint8_t m_key_protect;  /* M_KeyProtectBits */
	uint16_t cap_mask2;     /* CapabilityMask2; 0: none, or not known */
	uint64_t subnet_prefix; /* GidPrefix */
};

/**
 * struct ibc_node - one channel adapter, switch or router, in one subnet
 * @subnet:	  the subnet it was seen in
 * @guid:	  node GUID; not always unique: see @duplicate
 * @desc:	  NodeDescription, or ""
 * @name:	  how to call it: from the node-name map, else @desc; "" if it has neither
 * @label:	  what every sentence uses, never "": of a switch the name of its
 *		  system ("spine02" of "MF0;spine02:MQM8700/U1", "core1 L05/U1" of a
 *		  director's ASIC), else @name; @name where the former, and @name
 *		  with the GUID where both are not unique in the subnet
 * @host_name:	  of a CA: the host it sits in, the part of @desc (or, where that
 *		  names no host, of @name) before the HCA's name; the same pointer
 *		  for all CAs of a host, or NULL
 * @ports:	  by port number, up to num_ports; from 0 of a switch, from 1 of others, whose
 *		  element 0 is other memory
 * @duplicate:	  another node of this subnet carries the same GUID
 * @named_only:	  known from a list of cables, by name: @guid is made up, unique in
 *		  its subnet, and says nothing; @type and @num_ports are guesses
 * @rack, @row, @pod: where a plan says it stands, or NULL
 * @firmware:	  "28.39.2048", or NULL where that is not known
 * @psid:	  of its firmware's image, which names the board: "MT_0000000838"; or NULL
 * @gmp_capabilities: as ibc_node_gmp_capability() reads it, only if @has_gmp_capabilities
 * @smp_capabilities: as ibc_node_smp_capability() reads it, only if GENERAL_INFO_SMP was answered
 * @line:	  of the file where a plan first names it; 0 if it is not known
 */
struct ibc_node {
	const struct ibc_subnet *subnet;
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
	/* its registers were answered for other ports than were asked for: they were discarded */
	bool phy_discarded;
	bool has_gmp_capabilities;
	uint8_t max_planes;     /* ExtendedNodeInfo.ASICMaxPlanes; 0: not known */
	bool asymmetric_planes; /* and whether they may differ */
	const char *rack, *row, *pod, *firmware;
	unsigned long line;
	uint16_t mft_cap;                 /* SwitchInfo.MulticastFDBCap */
	uint16_t mft_top;                 /* SwitchInfo.MulticastFDBTop; 0: it does not say */
	uint16_t pkey_cap;                /* NodeInfo.PartitionCap */
	uint16_t pkey_enforce_cap;        /* SwitchInfo.PartitionEnforcementCap */
	const struct ibc_sl2vl *sl2vl;    /* NULL: not known */
	const struct ibc_sensor *sensors; /* by kind and index; NULL: none were read */
	size_t num_sensors;
	const char *psid; /* the vendor's GeneralInfo */
	uint64_t gmp_capabilities[2];
	uint64_t smp_capabilities[2];
	const struct ibc_ar_info *ar;    /* NULL: not known */
	const struct ibc_router *router; /* likewise */
};

/*
 * What goes by the linear forwarding tables of a subnet.  A switch that routes adaptively sends
 * RC and DC by whatever port of a group is free; multicast has tables of its own.
 */
enum ibc_traffic {
	IBC_TRAFFIC_UNKNOWN,   /* a switch did not say, and none is known to route adaptively */
	IBC_TRAFFIC_ALL,       /* of all transports */
	IBC_TRAFFIC_UD,        /* UD, which IPoIB is, and management */
	IBC_TRAFFIC_UD_OR_SLS, /* and what has a service level that some switch excepts */
};
const struct ibc_word *ibc_traffic_word(enum ibc_traffic traffic);
/* Is it known to be less than all? */
static inline bool ibc_traffic_is_part(enum ibc_traffic traffic)
{
	return traffic >= IBC_TRAFFIC_UD;
}

/*
 * struct ibc_lost - a line of a file that was not understood: what it would have said is not known
 * @line, @column: from 1; 0: not known
 * @why: without a full stop
 */
struct ibc_lost {
	const char *file, *why;
	uint64_t line, column;
};
#define IBC_LOST_SHOWN 3 /* of a subnet */

/**
 * struct ibc_subnet - one subnet as one source saw it
 * @source:	   the specification it was read from: "umad", "fabric.net"
 * @kind:	   "umad", "snapshot", "netdiscover", "links", "dbcsv", "cables", "topo",
 *		   "synth", "local"
 * @ca, @ca_port:  the local port it was swept from; "" and 0 for a file
 * @file:	   the file it was read from, or ""
 * @local:	   this host's drivers reported it: no device was asked anything
 * @origin:	   the port the sweep started at, or NULL
 * @provides:	   what this source can provide at all
 * @not_asked:	   queries that were due when the deadline ended the sweep
 * @cut_short:	   the deadline ended the sweep, or lines of the file were lost: what is not here
 *		   may be there
 * @lines_lost:	   of its files, that were not understood; @lost: the first of them; @lost_of:
 *		   what of the subnet they would have been about, or what the deadline left out
 * @subnet_prefix: of @origin, or the default prefix
 * @host:	   name of the host it was swept from, or NULL
 * @time:	   when the sweep began, in seconds since 1970; 0 if not known
 * @forwarding, @multicast, @sa: NULL: not known
 * @handovers:	   1: the master changed while it was swept, so it was swept once more;
 *		   2: and changed again
 * @key_files:	   the directory its M_Keys were read from, or NULL
 * @keys_time:	   when guid2mkey in it was written, in seconds since 1970; 0 if not known
 * @static_traffic: enum ibc_traffic: what goes by the linear forwarding tables
 * @read_twice:	   the source read counters twice: port->extra->rose
 * @pause_seconds: between these readings; 0: not known
 */
struct ibc_subnet {
	const struct ibc_fabric *fabric;
	const char *source, *kind, *ca, *file;
	const struct ibc_port *origin;
	uint64_t subnet_prefix;
	uint64_t not_asked;
	struct ibc_attrs provides;
	unsigned int index;
	uint8_t ca_port;
	bool cut_short, local;
	struct ibc_sweep sweep;
	const char *host;
	uint64_t time;
	const struct ibc_forwarding *forwarding;
	const struct ibc_multicast *multicast;
	const struct ibc_sa *sa;
	const struct ibc_lost *lost;
	size_t num_lost;
	uint64_t lines_lost;
	struct ibc_attrs lost_of;
	unsigned int handovers;
	const char *key_files;
	uint64_t keys_time;
	uint8_t static_traffic;
	bool read_twice;
	double pause_seconds;
};

/* Did a deadline end it, whatever else was lost? */
static inline bool ibc_subnet_ended_early(const struct ibc_subnet *subnet)
{
	return subnet->cut_short && (!subnet->lines_lost || subnet->not_asked);
}

/* struct ibc_fabric_host - the CAs of one host, in all subnets, joined by name */
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
	size_t subnets, nodes, switches, cas, routers, ports, cables, hosts;
};
struct ibc_fabric_counts ibc_fabric_count(const struct ibc_fabric *fab);
/*
 * Lines of its files that were not understood, and could have been about one of these attributes;
 * NULL: all.
 */
uint64_t ibc_fabric_lines_lost(const struct ibc_fabric *fab, const struct ibc_attrs *of);

/**
 * ibc_fabric_subnet(), _node(), _port(), _host() - walk
 * @fab: the fabric
 * @i: position, counted from 0
 *
 * Nodes are ordered by GUID, then subnet; ports by node, then number, with port
 * 0 of switches and without the unused element 0 of CAs; hosts by name.
 *
 * Return: borrowed from @fab, or NULL when @i is past the last one.
 */
const struct ibc_subnet *ibc_fabric_subnet(const struct ibc_fabric *fab, size_t i);
const struct ibc_node *ibc_fabric_node(const struct ibc_fabric *fab, size_t i);
const struct ibc_port *ibc_fabric_port(const struct ibc_fabric *fab, size_t i);
const struct ibc_fabric_host *ibc_fabric_host(const struct ibc_fabric *fab, size_t i);

/* The node of a GUID (the first, where several carry it), or NULL.  Hashed. */
const struct ibc_node *ibc_fabric_node_by_guid(const struct ibc_fabric *fab, uint64_t guid);
/* The port of a LID in a subnet (ibc_port_is_here()), LMC ranges included, or NULL.  Hashed. */
const struct ibc_port *ibc_fabric_port_by_lid(const struct ibc_subnet *subnet, unsigned int lid);
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
 * and leaves by @out: 0 .. 15, or IBC_VL_UNKNOWN.  Of an HCA @in is 0.
 */
unsigned int ibc_switch_vl(const struct ibc_node *node, unsigned int in, unsigned int out,
                           unsigned int sl);
/* Does it, or its peer, join the chips of one box?  Such a cable is none of the fabric's. */
bool ibc_port_is_fnm(const struct ibc_port *port);
/* What is written beside the port on the box, "22/2"; NULL if it is not known. */
const char *ibc_port_label(const struct ibc_port *port);
/* A node's port, or NULL if it has none of that number. */
const struct ibc_port *ibc_node_port(const struct ibc_node *node, unsigned int num);

/**
 * ibc_port_has() - did the port answer the query?
 * @port: the port
 * @attr: the attribute asked for
 *
 * A check must call this before it looks at a field the attribute carries:
 * "no answer" is not "zero", and is never "healthy".
 */
bool ibc_port_has(const struct ibc_port *port, enum ibc_attr attr);
bool ibc_node_has(const struct ibc_node *node, enum ibc_attr attr);

/* Are state and phys_state known: by PortInfo, or by what a file says without one? */
bool ibc_port_has_state(const struct ibc_port *port);

/* Was it asked, and did no usable answer come (silence or refusal)? */
bool ibc_port_unanswered(const struct ibc_port *port, enum ibc_attr attr);
bool ibc_node_unanswered(const struct ibc_node *node, enum ibc_attr attr);

/* What became of it, and all of which that became. */
enum ibc_answer ibc_port_answer(const struct ibc_port *port, enum ibc_attr attr);
enum ibc_answer ibc_node_answer(const struct ibc_node *node, enum ibc_attr attr);
struct ibc_attrs ibc_port_attrs(const struct ibc_port *port, enum ibc_answer answer);
struct ibc_attrs ibc_node_attrs(const struct ibc_node *node, enum ibc_answer answer);

/**
 * enum ibc_gmp_capability - attributes of the vendor's class that go over LIDs, by the bit of
 * GeneralInfo's mask (MAD byte 160)
 */
enum ibc_gmp_capability {
	IBC_GMP_ACCESS_REGISTER = 20, /* AccessRegisterGMP, as mstflint reads it */
};
/* Does the node know it: 1 yes, 0 no, -1 not known. */
int ibc_node_gmp_capability(const struct ibc_node *node, enum ibc_gmp_capability capability);

/* enum ibc_smp_capability - likewise, of subnet management: IBC_ATTR_GENERAL_INFO_SMP */
enum ibc_smp_capability {
	IBC_SMP_PRIVATE_LFT = 0,   /* IBC_ATTR_PRIVATE_LFT */
	IBC_SMP_AR = 1,            /* adaptive routing ... */
	IBC_SMP_AR_REV1 = 2,       /* ... either bit: IBC_ATTR_AR_INFO */
	IBC_SMP_EXT_PORT_INFO = 9, /* ExtendedPortInfo: IBC_ATTR_PHY_EXT_PORT */
	IBC_SMP_SHARP_AN = 18,     /* it has an aggregation node */
	IBC_SMP_EXT_NODE_INFO = 13,
};
int ibc_node_smp_capability(const struct ibc_node *node, enum ibc_smp_capability capability);

/* A bit each service level whose RC and DC a switch routes adaptively; 0: none, or not known. */
uint16_t ibc_node_adaptive_sls(const struct ibc_node *node);

/**
 * ibc_module_port() - the port that speaks for a module
 * @port: a port with a module
 *
 * A plug may hold two ports (a twin-port OSFP): they report one module, which counts once.
 * It is the same if vendor, part and serial number are, and @port's peer is not its twin.
 *
 * Return: the first port of the node with that module: @port itself, or another.
 */
const struct ibc_port *ibc_module_port(const struct ibc_port *port);
/*
 * What a module measures; NaN: it does not, whatever it reports.  Copper without electronics
 * measures nothing, and 0 degrees or 0 V is what modules without a sensor report.
 */
double ibc_module_reading(const struct ibc_module *module, enum ibc_ddm ddm, unsigned int lane);
/*
 * Is such a reading beyond the module's own alarm?  Of the temperature it is enough to reach it:
 * there modules shut down.  IBC_SENSOR_ALARM_UNKNOWN without a reading, or without limits.
 */
enum ibc_sensor_alarm ibc_module_alarm(const struct ibc_module *module, enum ibc_ddm ddm,
                                       unsigned int lane);

/**
 * ibc_port_is_up() - is there a trained link, and do we know its particulars?
 * @port: the port
 *
 * True if PortInfo answered with LinkUp, or if a file has the cable.
 */
bool ibc_port_is_up(const struct ibc_port *port);

/**
 * struct ibc_place - a node, or one of its ports
 * @node: as found, or as planned if it was not found (of a step only the @to of what was
 *	  replaced or renamed is planned all the same); NULL: does not apply
 * @port: its number; 0: the node as a whole
 */
struct ibc_place {
	const struct ibc_node *node;
	unsigned int port;
};

/* struct ibc_port_id - a port by what is the same in another sweep */
struct ibc_port_id {
	uint64_t guid;
	unsigned int num;
};

/**
 * ibc_place_text() - how sentences call a place
 *
 * "leaf03", "leaf03/19", or "leaf07/44 (22/2)" where the label of the port is known;
 * "" without a node.  What does not fit is cut.
 *
 * Return: @buf.
 */
#define IBC_PLACE_TEXT 256 /* bytes that nearly all places fit in */
char *ibc_place_text(struct ibc_place place, char *buf, size_t size);

/**
 * ibc_port_is_here() - is it in the subnet of its subnet?
 * @port: the port
 *
 * A channel adapter or router reports all its ports, and each may be in a subnet of its
 * own.  One that nothing leads to, while something leads to another port of its node, is
 * elsewhere, as far as is known: its LID, its MasterSMLID and its prefix are of that subnet.
 */
bool ibc_port_is_here(const struct ibc_port *port);

/* The end that speaks for a cable, so that each is visited once: lower GUID, then port. */
bool ibc_port_is_near_end(const struct ibc_port *port);

/**
 * ibc_fabric_without() - the fabric as it would be without some nodes and cables
 * @places: of a port its cable goes, and the port is down
 * @out: borrows from @fab, and has no tables; to be freed with ibc_fabric_free()
 *
 * Return: 0, or -ENOMEM.
 */
int ibc_fabric_without(const struct ibc_fabric *fab, const struct ibc_place *places, size_t n,
                       struct ibc_fabric **out, struct ibc_error *err);

struct ibc_coverage ibc_fabric_coverage(const struct ibc_fabric *fab, enum ibc_attr attr);

/**
 * ibc_fabric_verify() - do the model's invariants hold?
 *
 * Peers point at each other, order and indices agree, outcomes are subsets of
 * queries.  Every fabric is verified when it is built; this is for tests of
 * new sources.
 *
 * Return: 0, or -EPROTO and the first violation in @err.
 */
int ibc_fabric_verify(const struct ibc_fabric *fab, struct ibc_error *err);

#pragma GCC visibility pop

#endif
