/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What the checks of service levels (SLs) and virtual lanes (VLs) share: lanes.c. */
#include "check/sink.h"

#define SLS 16 /* service levels 0 .. 15 (IBA 7.6.6) */

/*
 * struct levels - the SLs that a subnet uses, bit n is SL n
 * @known: the SA reported paths; else all are taken to use SL 0, but for multicast groups
 */
struct levels {
	uint16_t used, of_paths;
	bool known;
};
/* By index of the subnet. */
const struct levels *levels_by_subnet(const struct ibc_input *in, struct ibc_sink *out);
/* "3", "3, 4 and 9" */
const char *levels_text(struct ibc_sink *out, uint16_t set);

/* Data VLs of a code of PortInfo.OperationalVLs; 0: not known.  "VL0-7" */
unsigned int vls_count(unsigned int code);
const char *vls_text(unsigned int code);

/*
 * The lanes beyond a port: by SL the set of 1 << VL that packets get there, whichever way they
 * came in; 0 where that is not known.  False: nothing is known of them, or there is one lane.
 *
 * A switch is not asked about its ports to hosts: they have the table of its ports to switches,
 * if all of those have the same, where they have as many VLs.
 */
bool lanes_beyond(const struct ibc_port *port, uint16_t lanes[SLS]);

#define VL_DROPS 15 /* IBA 7.6.6: the packet is discarded */

/* Of a set of lanes beyond such a port, those that lose packets: its link has them not. */
unsigned int bad_lanes(const struct ibc_port *port, unsigned int lanes);

#define LANES_ADVICE                                                                               \
	"Have OpenSM write tables that fit the virtual lanes (VLs) of each link: start it with "   \
	"-Q, and compare qos_sl2vl, qos_ca_sl2vl, qos_swe_sl2vl and max_op_vls in opensm.conf. "   \
	"Until then no program may use this SL."

/*
 * lost.c: reports packets of paths that a VL loses which the link has not.  By
 * node_order(): whether such a finding is about the node.
 */
const bool *report_lost_lanes(const struct ibc_input *in, struct ibc_sink *out);
