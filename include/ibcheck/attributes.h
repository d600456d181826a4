/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_ATTRIBUTES_H
#define IBCHECK_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

/**
 * DOC: attributes
 *
 * What can be known of a node, a port or a subnet, by the attribute of a MAD that
 * carries it, and sets of such attributes.  What is true of each of them is one row of
 * lib/fabric/attributes.def.
 */

/* In this order they are listed.  What becomes of each is noted at what is named behind it. */
enum ibc_attr {
	IBC_ATTR_NONE,
	IBC_ATTR_NODE_INFO,          /* node: its own; port: what lies beyond it */
	IBC_ATTR_NODE_DESC,          /* node */
	IBC_ATTR_SWITCH_INFO,        /* node */
	IBC_ATTR_PORT_INFO,          /* port */
	IBC_ATTR_MLNX_EXT_PORT_INFO, /* port */
	/* in no MAD: what a text file says of a cable without a whole PortInfo */
	IBC_ATTR_LINK,       /* port: width_active and speed_active are known */
	IBC_ATTR_PORT_STATE, /* port: state and phys_state are known */

	/* performance management (IBA 16.1.3); see struct ibc_counters */
	IBC_ATTR_PERF_CLASS_PORT_INFO, /* node */
	IBC_ATTR_PORT_COUNTERS,        /* port */
	IBC_ATTR_PORT_COUNTERS_EXT,    /* port */
	IBC_ATTR_RCV_ERROR_DETAILS,    /* port */
	IBC_ATTR_XMIT_DISCARD_DETAILS, /* port */
	IBC_ATTR_PORT_SAMPLES_CONTROL, /* node */
	IBC_ATTR_VL_XMIT_WAIT,         /* port */

	/* the vendor's own: the version of the firmware; which of its attributes a device knows */
	IBC_ATTR_GENERAL_INFO,     /* node */
	IBC_ATTR_GENERAL_INFO_SMP, /* node: see ibc_node_smp_capability() */
	IBC_ATTR_EXT_NODE_INFO,    /* node: see struct ibc_node.max_planes */

	/* who governs the subnet, and its tables */
	IBC_ATTR_SM_INFO,        /* port: see struct ibc_sm_info */
	IBC_ATTR_PKEY_TABLE,     /* port: see struct ibc_pkeys */
	IBC_ATTR_LFT,            /* switch: all blocks; see struct ibc_forwarding */
	IBC_ATTR_MFT,            /* switch: all blocks; see struct ibc_multicast */
	IBC_ATTR_SL2VL,          /* switch: see struct ibc_sl2vl */
	IBC_ATTR_HCA_SL2VL,      /* HCA: likewise, of its ports; from in-port 0 */
	IBC_ATTR_VL_ARBITRATION, /* port: see struct ibc_arbitration */
	IBC_ATTR_AR_INFO,        /* switch: see struct ibc_ar_info */
	IBC_ATTR_VPORTS,         /* port: VirtualizationInfo, and VPortInfo of each virtual port */
	IBC_ATTR_ROUTER_INFO,    /* router: see struct ibc_router */
	/* asked of switches that route adaptively: see struct ibc_ar_tables */
	IBC_ATTR_PRIVATE_LFT, /* switch: has it several tables? */
	IBC_ATTR_AR_GROUPS,   /* switch: all blocks */
	IBC_ATTR_AR_LFT,      /* switch: all blocks */

	/* subnet administration (IBA 15.2.5), asked from the origin: see struct ibc_sa */
	IBC_ATTR_SA_CLASS_PORT_INFO, /* subnet->origin */
	IBC_ATTR_PATH_RECORD,        /* subnet->origin: all that were asked for */
	IBC_ATTR_MC_MEMBER_RECORD,   /* subnet->origin: the whole table */
	IBC_ATTR_SERVICE_RECORD,     /* subnet->origin: those of SHARP, see struct ibc_service */

	/* registers of the vendor: see struct ibc_phy, struct ibc_module, struct ibc_sensor */
	IBC_ATTR_PHY_ERRORS,         /* port: PPCNT 0x16, errors and bit error rates */
	IBC_ATTR_PHY_FEC_BLOCKS,     /* port: PPCNT 0x12 */
	IBC_ATTR_PHY_RECOVERIES,     /* port: PPCNT 0x1a */
	IBC_ATTR_PHY_PLR,            /* port: PPCNT 0x22 */
	IBC_ATTR_PHY_FEC_HISTOGRAM,  /* port: PPCNT 0x23 */
	IBC_ATTR_PHY_FEC_BINS,       /* port: PPHCR, what the bins of the histogram are */
	IBC_ATTR_PHY_STATE,          /* port: PDDR 0, with FEC */
	IBC_ATTR_PHY_WHY_DOWN,       /* port that is down: PDDR 1 */
	IBC_ATTR_PHY_TRAINING,       /* port: PDDR 2 */
	IBC_ATTR_PHY_MODULE,         /* port: PDDR 3 */
	IBC_ATTR_PHY_LAST_DOWN,      /* port: PDDR 6 */
	IBC_ATTR_PHY_LINK_UP,        /* port: PDDR 8 */
	IBC_ATTR_PHY_MODULE_LATCHES, /* port: PDDR 9 */
	IBC_ATTR_PHY_LENGTH,         /* port: PRTL */
	IBC_ATTR_PHY_TEMPERATURE,    /* node: MTMP of the ASIC */
	IBC_ATTR_PHY_FANS,           /* switch: MFCR, and MFSM of each fan */
	IBC_ATTR_PHY_FAN_ALARMS,     /* switch: FORE */
	/* no register: all of the attribute that IBC_ATTR_MLNX_EXT_PORT_INFO has the speeds of */
	IBC_ATTR_PHY_EXT_PORT, /* port */

	IBC_ATTR_COUNT,
};

/**
 * enum ibc_attr_group - which attributes a sweep asks for together
 * @IBC_ATTRS_ALWAYS:	 every sweep does
 * @IBC_ATTRS_COUNTERS:	 all of them if any of performance management is wanted; details
 *			 follow where what they detail has counted
 * @IBC_ATTRS_ON_DEMAND: each only where it is wanted itself
 * @IBC_ATTRS_SM:	 read by the checks of the subnet manager alone, each on demand
 * @IBC_ATTRS_ROUTES:	 read by those of routes alone, each on demand
 * @IBC_ATTRS_PHYSICAL:	 registers and the like, each on demand, and only of a sweep that
 *			 shall read the physical layer: struct ibc_source_opts.physical
 */
enum ibc_attr_group {
	IBC_ATTRS_NEVER, /* no query: IBC_ATTR_LINK, IBC_ATTR_PORT_STATE */
	IBC_ATTRS_ALWAYS,
	IBC_ATTRS_COUNTERS,
	IBC_ATTRS_ON_DEMAND,
	IBC_ATTRS_SM,
	IBC_ATTRS_ROUTES,
	IBC_ATTRS_PHYSICAL,
};

/**
 * struct ibc_attrs - a set of attributes, passed by value
 * @bits: attribute n is bit n % 64 of element n / 64; IBC_ATTR_NONE is never in it
 */
struct ibc_attrs {
	uint64_t bits[2];
};

/*
 * IBC_ATTRS() - the set of up to 8 attributes, or the empty one: IBC_ATTRS(IBC_ATTR_LFT).
 * A constant where its arguments are.
 */
#define IBC_ATTRS(...)                                                                             \
	(struct ibc_attrs)                                                                         \
	{                                                                                          \
		{                                                                                  \
			IBC_ATTRS_WORD_(0, __VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0),                   \
			    IBC_ATTRS_WORD_(1, __VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0)                \
		}                                                                                  \
	}
/* a + 0: an argument may be empty */
#define IBC_ATTRS_BIT_(word, a)                                                                    \
	((a + 0u) > 0 && (a + 0u) / 64 == (word) ? UINT64_C(1) << (a + 0u) % 64 : 0)
/* the last term does not compile where an argument would be lost */
#define IBC_ATTRS_WORD_(word, a, b, c, d, e, f, g, h, ...)                                         \
	(IBC_ATTRS_BIT_(word, a) | IBC_ATTRS_BIT_(word, b) | IBC_ATTRS_BIT_(word, c) |             \
	 IBC_ATTRS_BIT_(word, d) | IBC_ATTRS_BIT_(word, e) | IBC_ATTRS_BIT_(word, f) |             \
	 IBC_ATTRS_BIT_(word, g) | IBC_ATTRS_BIT_(word, h) |                                       \
	 0 * sizeof(char[sizeof((int[]){ 0, __VA_ARGS__ }) / sizeof(int) <= 9 ? 1 : -1]))

static inline bool ibc_attrs_has(struct ibc_attrs set, enum ibc_attr attr)
{
	return set.bits[attr / 64] >> attr % 64 & 1;
}

static inline struct ibc_attrs ibc_attrs_or(struct ibc_attrs a, struct ibc_attrs b)
{
	return (struct ibc_attrs){ { a.bits[0] | b.bits[0], a.bits[1] | b.bits[1] } };
}

static inline void ibc_attrs_add(struct ibc_attrs *set, enum ibc_attr attr)
{
	*set = ibc_attrs_or(*set, IBC_ATTRS(attr));
}

static inline struct ibc_attrs ibc_attrs_and(struct ibc_attrs a, struct ibc_attrs b)
{
	return (struct ibc_attrs){ { a.bits[0] & b.bits[0], a.bits[1] & b.bits[1] } };
}

/* Those of @a that are not in @b. */
static inline struct ibc_attrs ibc_attrs_minus(struct ibc_attrs a, struct ibc_attrs b)
{
	return (struct ibc_attrs){ { a.bits[0] & ~b.bits[0], a.bits[1] & ~b.bits[1] } };
}

static inline bool ibc_attrs_is_empty(struct ibc_attrs set)
{
	return !(set.bits[0] | set.bits[1]);
}

/* Have they any in common? */
static inline bool ibc_attrs_meet(struct ibc_attrs a, struct ibc_attrs b)
{
	return !ibc_attrs_is_empty(ibc_attrs_and(a, b));
}

/* The first of a set after @attr, IBC_ATTR_NONE to begin with; IBC_ATTR_NONE after the last. */
enum ibc_attr ibc_attrs_next(struct ibc_attrs set, enum ibc_attr attr);
/* How many there are. */
unsigned int ibc_attrs_count(struct ibc_attrs set);
/* All of a group. */
struct ibc_attrs ibc_attrs_of_group(enum ibc_attr_group group);
/* All that a sweep asks for where a set is wanted: counters are asked for all or none. */
struct ibc_attrs ibc_attrs_complete(struct ibc_attrs set);

/* The attribute's name as the specification spells it: "PortInfo". */
const char *ibc_attr_name(enum ibc_attr attr);

#pragma GCC visibility pop

#endif
