/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ANALYSIS_GROUPWAITS_H
#define ANALYSIS_GROUPWAITS_H

/*
 * What carries traffic beside a full link: the same link in other planes of XDR ports, and the
 * uplinks of like switches.  O(ports) once, then O(switches) a switch that is asked for.
 */
#include "analysis/tree/planes.h"

struct wait_ups;

/*
 * struct wait_others - @all, @lost: planes of the link, and those without it; or uplinks of most
 *	like switches that have more, and how many more
 * @util: of the others in percent, negative if unknown
 */
struct wait_others {
	unsigned int all, lost;
	double util;
};

/*
 * struct wait_groups
 * @ups: of @num_ups switches: their links away from hosts, made when first asked for
 * @own, @beside: whom wait_group_is_small() was asked of last, and what it said
 */
struct wait_groups {
	const struct ibc_fabric *before, *now;
	const unsigned int *depth;
	struct arena *arena;
	struct switches sw;
	struct planes planes;
	struct wait_ups *ups;
	size_t num_ups;
	const struct ibc_node *own;
	struct wait_others beside;
};

/* False: out of memory.  @depth: of depth_measure() */
bool wait_groups_init(struct arena *a, const struct ibc_fabric *before,
                      const struct ibc_fabric *now, const unsigned int *depth,
                      struct wait_groups *out);
/* False: it is of no plane. */
bool wait_planes_beside(const struct wait_groups *g, const struct ibc_port *port,
                        struct wait_others *out);
/* False: it is no uplink, or most like switches have no more of them; or out of memory. */
bool wait_group_is_small(struct wait_groups *g, const struct ibc_port *port,
                         struct wait_others *out);

#endif
