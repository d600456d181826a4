/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ANALYSIS_DEPTH_H
#define ANALYSIS_DEPTH_H

/*
 * Hops to the nearest adapter: in a tree, the rank of a switch.  Aggregation nodes, inside
 * of switches, are none.  O(ports).
 */
#include <limits.h>

#include <ibcheck/fabric.h>

struct arena;

#define DEPTH_NONE UINT_MAX /* no adapter is to be reached from there */

/* By number of the node in ibc_fabric_node(), from a.  NULL: out of memory. */
unsigned int *depth_measure(struct arena *a, const struct ibc_fabric *fab);

#endif
