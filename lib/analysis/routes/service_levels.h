/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The service levels of pairs, and the virtual lanes that switches make of them.
 *
 * The SA reports levels by pair.  What engines choose depends on the route, so a pair it did not
 * report is taken to have the level of the others between the same two switches, if those
 * agree.  If all that is known is one level, it is that of all.
 */
#include "analysis/routes/routes.h"

#define VL_DROPS   15  /* SL2VL: the packet is dropped (IBA 14.2.5.8) */
#define SL_UNKNOWN 255 /* no service level: they end at 15 */

/*
 * struct levels
 * @single: there is one level, @only
 * @by_ends: else by column of the sender * p->n + column of the destination: SL_NONE,
 *	SL_MIXED, or the level + 1
 * @steady: the lane beyond a port depends on no more than the port
 * @vls: set of 1 << lane that any route can take
 */
struct service_levels {
	bool single, steady;
	uint8_t only;
	uint8_t *by_ends;
	uint16_t vls;
};
#define SL_NONE  0   /* no path between them is known */
#define SL_MIXED 255 /* no level + 1: those end at 16 */

/* Of packets from a port on the switch of a column: 0 .. 15, or SL_UNKNOWN. */
unsigned int sl_of(const struct route_subnet *p, const struct ibc_port *src, uint32_t column,
                   const struct route_dest *dest);

/* The first record of paths to a LID from one, or from the next that there is one of. */
size_t sl_find_record(const struct ibc_sa *sa, unsigned int dlid, unsigned int slid);

/* The lane a switch gives; 0 where that was not read, 15: it is dropped. */
static inline unsigned int vl_at(const struct route_subnet *p, uint32_t column, unsigned int in,
                                 unsigned int out, unsigned int sl)
{
	unsigned int vl = ibc_switch_vl(p->lft->switches[column], in, out, sl);

	return vl == IBC_VL_UNKNOWN ? 0 : vl;
}
