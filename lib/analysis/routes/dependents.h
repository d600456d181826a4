/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The inside of struct ibc_dependents.  By the tables: the pairs that use each end of the
 * cables that go.  By cabling: the sets of switches that cables join, with the thing and
 * without it; of what falls apart the part with most ports of hosts keeps the rest.
 * O(ports), and for the tables as users.h has it.
 */
#include "analysis/routes/users.h"

/*
 * struct host_loss - by node, of a host at its first one
 * @ports, @cut: that have a link, and lose all other hosts
 * @routed: it is an end of a pair
 */
struct host_loss {
	uint16_t ports, cut;
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
 * struct dependents - the whole
 * @users: of each port, or of the switch
 * @speaker: by node: the number of the first node of its host
 * @losses: by node
 * @among: scratch of ibc_dependents_among(), all 0 in between
 */
struct dependents {
	struct ibc_dependents public;
	struct arena *arena;
	const struct ibc_fabric *fab;
	struct ibc_routes routes;
	struct route_subnet subnet;
	struct lid_users *users;
	size_t num_users;
	uint32_t *speaker;
	struct host_loss *losses;
	struct among among;
};

/* Is it a port of a host that packets of others reach? */
bool is_host_port(const struct ibc_port *port);
/* Does the cable of a port go with the thing? */
bool goes_with(const struct ibc_place *place, const struct ibc_port *port);

/* cutoff.c; uplinkloss.c */
void dependents_cut(struct dependents *d);
void dependents_uplinks(struct dependents *d, const struct ibc_fattree *tree);
