/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The switches of a fabric and the cables among them, by numbers: what ranks, wiring
 * rules, cuts and routes walk.  Routers and hosts are not in it, but for how many hosts a
 * switch keeps.  Aggregation nodes, the reduction engines inside of switches that show
 * as CAs, are no hosts.  O(ports).
 */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/fabric.h>

struct arena;

#define NO_SWITCH UINT32_MAX

/*
 * struct trunk - all cables from one switch to another
 * @to: number of the other
 * @first, @count: of switches.cables: their ports at this end, by port number
 */
struct trunk {
	uint32_t to, first, count;
};

/*
 * struct switches - by number, in the order of ibc_fabric_node() (GUID, then subnet)
 * @first_pair: pairs[first_pair[s]] .. pairs[first_pair[s + 1] - 1] are those of s, by @to
 * @hosts: distinct hosts cabled to it (two ports of one host count once)
 * @number_of: by the node's number in ibc_fabric_node(); NO_SWITCH: it is none
 * @loops: near ends of cables from a switch to itself; they are in no pair
 */
struct switches {
	const struct ibc_fabric *fab;
	uint32_t n;
	const struct ibc_node **nodes;
	uint32_t *first_pair;
	struct trunk *pairs;
	const struct ibc_port **cables;
	uint32_t *hosts;
	uint32_t *number_of;
	const struct ibc_port **loops;
	size_t num_loops;
};

/* The pairs of a switch, up to trunks() of the next one. */
static inline const struct trunk *trunks(const struct switches *sw, uint32_t s)
{
	return &sw->pairs[sw->first_pair[s]];
}

/* Three that broke alike are less likely than three that are meant so: doc/wiring.md, table 5. */
#define ALIKE_MIN 3

static inline bool is_same_model(const struct ibc_node *a, const struct ibc_node *z)
{
	return a->vendor_id == z->vendor_id && a->device_id == z->device_id &&
	       a->num_ports == z->num_ports;
}

/* Is it a reduction engine inside of a switch? */
bool node_is_aggregator(const struct ibc_node *node);

/* Is there a cable to an HCA that is none? */
bool has_host(const struct ibc_port *port);

/* The number of a node, NO_SWITCH if it is no switch. */
uint32_t switch_number(const struct switches *sw, const struct ibc_node *node);
/* The pair from one switch to another, or NULL.  O(log pairs of from). */
const struct trunk *trunk_between(const struct switches *sw, uint32_t from, uint32_t to);

/* What there is of it is allocated from a, all else from tmp; both have an escape. */
void switches_collect(struct arena *a, struct arena *tmp, const struct ibc_fabric *fab,
                      struct switches *out);

#define DEPTH_NONE UINT_MAX /* no adapter is to be reached from there */

/*
 * Hops to the nearest adapter, by number of the node in ibc_fabric_node(), from a: in a tree, the
 * rank of a switch.  Aggregation nodes, inside of switches, are none.  O(ports).  NULL: out of
 * memory.
 */
unsigned int *depth_measure(struct arena *a, const struct ibc_fabric *fab);
