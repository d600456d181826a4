/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_ADAPTIVE_H
#define IBCHECK_ADAPTIVE_H

#include <ibcheck/routes.h>

#pragma GCC visibility push(default)

/**
 * DOC: adaptive routes
 *
 * What switches do that choose among several ports (struct ibc_ar_tables): where packets can
 * go by each of the choices.  Results of an analysis of routes (<ibcheck/routes.h>); of
 * subnets without adaptive tables there are none.  A choice is a port that a switch can send
 * a LID by: a member of its group that has a link, or its static port.
 */

/**
 * struct ibc_ar_sums - one subnet that has adaptive tables
 * @followed: all that follows is known; else a switch has private tables, or none reported its
 *	      tables (enum ibc_ar_gap), and nothing is
 * @rings_followed: ibc_routes_credit_loop() has rings by any choice; else there are several
 *		    virtual lanes, and it knows of static ports only
 * @switches: that have adaptive tables; @private_switches: several each
 * @pairs: of hosts; each is one of @arrive (by every choice), @some (by some choices, not by
 *	   others), @none (by no choice) and @unknown (a table on a route was not read)
 */
struct ibc_ar_sums {
	const struct ibc_subnet *subnet;
	bool followed, rings_followed;
	size_t switches, private_switches;
	uint64_t pairs, arrive, some, none, unknown;
};
/* By subnet; NULL past the last one that has adaptive tables. */
const struct ibc_ar_sums *ibc_routes_ar_sums(const struct ibc_routes *routes, size_t i);

/**
 * struct ibc_ar_dead_end - where packets end that are lost by some choices only
 * @end, @at, @port: as of struct ibc_route_fault
 * @by: one of the choices that lead there, of a switch that has better ones
 * @dlid, @src, @dst: one of the pairs
 * @dlids: LIDs that are concerned; @pairs: pairs of hosts that can lose packets so
 */
struct ibc_ar_dead_end {
	enum ibc_route_end end;
	const struct ibc_node *at;
	unsigned int port;
	struct ibc_place by;
	const struct ibc_port *src, *dst;
	unsigned int dlid;
	size_t dlids;
	uint64_t pairs;
};
/* By end, GUID and port. */
const struct ibc_ar_dead_end *ibc_routes_ar_dead_end(const struct ibc_routes *routes, size_t i);

/**
 * struct ibc_ar_loop - switches that can send packets for a LID round
 * @out, @num: a shortest ring of choices, from its switch of the lowest GUID on
 * @switches: that can send to each other; @dlids, @pairs, @dlid: as above
 *
 * Rings of static ports alone only if a choice leads into them that could have been another.
 */
struct ibc_ar_loop {
	const struct ibc_port *const *out;
	size_t num, switches;
	const struct ibc_port *src, *dst;
	unsigned int dlid;
	size_t dlids;
	uint64_t pairs;
};
/* By the GUID of that switch. */
const struct ibc_ar_loop *ibc_routes_ar_loop(const struct ibc_routes *routes, size_t i);

/**
 * struct ibc_ar_hop - a choice on the routes from one port to a LID
 * @out: the port; @hop: how many switches lie before, at the least
 * @share: of the packets that leave the source, if each switch spreads them evenly; 0 .. 1
 * @ends: they do not arrive by it, always or at times
 * @unknown: a table beyond was not read, so that they may arrive or not; not if @ends
 */
struct ibc_ar_hop {
	const struct ibc_port *out;
	unsigned int hop;
	double share;
	bool ends, unknown;
};

/**
 * ibc_ar_path() - all routes from one port to a LID
 * @src: a host's port
 * @hops: to be freed with free(); by hop, then GUID, then port.  NULL: there are no adaptive
 *	  tables, or the LID is not that of a host
 *
 * Return: 0, or -ENOMEM.
 */
int ibc_ar_path(const struct ibc_port *src, unsigned int dlid, struct ibc_ar_hop **hops, size_t *n,
                struct ibc_error *err);

#pragma GCC visibility pop

#endif
