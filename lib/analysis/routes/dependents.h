/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The inside of struct ibc_dependents.  By the tables: the pairs that use either end of the
 * cables that go.  By cabling: the sets of switches that cables join, with the things and
 * without them; of what falls apart the part with most ports of hosts keeps the rest.
 * O(ports), and for the tables as users.h has it.
 */
#include "analysis/routes/users.h"
#include "analysis/tree/overlap.h"
#include "fabric/without.h"

/*
 * struct host_loss - by node, of a host at that which speaks for it
 * @ports, @cut: that have a link, and lose all other hosts
 * @routed: it is an end of a pair
 */
struct host_loss {
	uint32_t ports, cut;
	bool routed;
};

/*
 * struct among - some ports of hosts
 * @port: by host: which of them it is, from 1
 * @of_column: how many of them a column has; @columns: those that have any
 * @senders: columns that send to one of them that way
 */
struct among {
	uint32_t *port, *of_column;
	uint64_t *columns, *senders;
};

/*
 * struct parts - nodes that cables join, with the things and without them
 * @hit: by set of @before: a thing is in it
 * @size_before, @size: ports of hosts, by set
 * @main: by set of @before: that of @after with most ports of hosts
 */
struct parts {
	const struct gone *gone;
	struct sets before, after;
	bool *hit;
	uint32_t *size_before, *size, *main;
	uint32_t n;
};

/* struct dependent_routes - of one subnet; @among: scratch, all 0 in between */
struct dependent_routes {
	struct route_subnet subnet;
	struct lid_users users;
	struct among among;
};

/*
 * struct dependents - the whole
 * @nets: of each subnet that has tables and loses anything
 * @speaker: by node: the number of the first node of its host; its own, if the name of the host is
 *	     that of several: two HCAs are called alike
 * @losses: by node
 */
struct dependents {
	struct ibc_dependents public;
	struct arena *arena;
	const struct ibc_fabric *fab;
	struct gone gone;
	struct parts parts;
	struct ibc_routes routes;
	struct dependent_routes *nets;
	size_t num_nets;
	uint32_t *speaker;
	struct host_loss *losses;
};

/* Of a port with a peer, by the state of either end; where neither is known it may be up. */
bool link_is_up(const struct ibc_port *port);
/* Is it a port of a host that packets of others reach? */
bool is_host_port(const struct ibc_port *port);

/* cutoff.c; uplinkloss.c */
void dependents_cut(struct dependents *d);
void dependents_uplinks(struct dependents *d, const struct ibc_fattree *tree);
