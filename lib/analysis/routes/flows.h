/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ANALYSIS_FLOWS_H
#define ANALYSIS_FLOWS_H

/*
 * What flows get that all go at once.  Each is followed through the tables, many side by
 * side, since the entries of one way are far apart in memory and each is known only after
 * the one before.  Then each cable knows how often it is wanted, and each flow gets what the
 * most wanted cable of its way leaves it.  O(hops of all flows + ports) a pattern.
 *
 * Rates are whole numbers, so that a sum does not depend on the order of its parts.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/routes/routes.h"

/*
 * struct flow_net - what all patterns of a subnet share; a cell is column * width + port
 * @wants: by host: the rate of its link, in tenths of Gb/s
 * @carries: by cell: that of a cable between switches; 0: it is none
 * @cells_max: cells on a way, at the most
 */
struct flow_net {
	const struct route_subnet *p;
	uint32_t *wants, *carries;
	size_t cells, cells_max;
};

/* struct flow - hosts, and what share of the slower link it gets; 0: it does not arrive */
struct flow {
	uint32_t src, dst;
	float share;
};

/*
 * struct flows - the flows of one pattern, and sums over all that a thread has run
 * @flow, @n: one a host at the most
 * @route, @on_route: the cells of flow i, from way[i * cells_max], and how many
 * @load: by cell: flows in the upper half, what they want in the lower
 * @times: by cell: how many times what it carries is wanted
 * @sum, @most: by cell: flows
 * @had: by host: it was an end of a flow that arrived
 */
struct flows {
	const struct flow_net *net;
	struct flow *flow;
	size_t n;
	uint32_t *route;
	uint8_t *on_route;
	uint64_t *load;
	float *times;
	uint64_t *sum;
	uint32_t *most;
	uint8_t *had;
};

/* Everything from a.  False: out of memory. */
bool flow_net_make(struct flow_net *net, const struct route_subnet *p, struct arena *a);
bool flows_new(struct flows *f, const struct flow_net *net, struct arena *a);
/*
 * bandwidth.c: the flows of a pattern, and how many: a random bisection by its number, a shift
 * by so many hosts; and by how many hosts n shifts are.
 */
size_t pattern_bisection(const struct route_subnet *p, size_t item, struct flow *flow);
size_t pattern_shift(const struct route_subnet *p, size_t by, struct flow *flow);
void patterns_draw_shifts(const struct route_subnet *p, size_t n, size_t *by);
/* Gives each of @flow its share. */
void flows_run(struct flows *f);

#endif
