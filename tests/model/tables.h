/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MODEL_TABLES_H
#define MODEL_TABLES_H

/*
 * The tables of one device, and the subnet manager on it, as attributes: what the
 * fabric holds of port->sm, ->pkeys, ->arbitration, ->vports, node->sl2vl, ->ar, ->router,
 * subnet->forwarding and ->multicast.
 * A block that is not known there is one that the device says nothing of.
 */
#include <stdint.h>

#include <ibcheck/fabric.h>

#include "wire/tables.h"

/*
 * struct model_tables - how a device answers; zeroed, as it should
 * @silent:	what it says nothing of
 * @refused:	likewise: what it says that it does not know
 * @garbage:	not 0: AdaptiveRoutingInfo, VirtualizationInfo and RouterInfo are this byte,
 *		all over
 * @one_vport:	whichever VPortInfo is asked for, it is that of the first
 * @vport_silent: not 0: it says nothing of the virtual port of this index
 * @ar_garbage:	not 0: so are its tables of groups and of LIDs
 * @ar_reading:	how its sets of ports lie in tables of groups: bits of enum ar_reading
 * @ar_blocks:	it answers for so many blocks of LIDs only; 0: all
 * @sm_answers:	falls silent after so many SMInfo; 0: never
 * @sm_idle:	so many SMInfo tell the same count, before it grows, from one to the next,
 *		as from act_count to act_count_later
 * @sm_asked:	SMInfo so far
 */
struct model_tables {
	struct ibc_attrs silent, refused;
	uint8_t garbage, ar_garbage;
	bool one_vport;
	uint16_t vport_silent;
	unsigned int ar_reading, ar_blocks;
	unsigned int sm_answers, sm_idle, sm_asked;
};

struct table_place {
	const struct ibc_node *node;
	uint8_t in_port;
};

#define TABLES_SAY_NOTHING (-1)
/* Writes the answer; returns its status, or TABLES_SAY_NOTHING. */
int model_tables_answer(struct model_tables *t, const struct table_place *at, uint16_t attribute,
                        uint32_t modifier, uint8_t data[SMP_DATA_SIZE]);

#endif
