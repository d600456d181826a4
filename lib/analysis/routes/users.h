/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The pairs of hosts whose packets the tables send by a port, or through a switch: of each LID
 * that leaves by it, which switches send it there, found by following every switch until it
 * meets one already known.  O(such LIDs x switches), and a bit each.
 */
#include "analysis/routes/routes.h"

/*
 * struct lid_users - those of one port or switch
 * @p: with its graph
 * @node, @port: a switch, or a port of a switch or host; port NULL: whatever passes the switch
 * @order: hosts by GUID, then port
 * @lids: those of hosts that leave by the port, in that order
 * @passes: of lids[i], from passes[i * words]: the set of columns that send it that way;
 *	NULL: it is the port of a host, which sends everything by it
 * @passage: of the LID that is followed, by column
 */
struct lid_users {
	struct route_subnet *p;
	const struct ibc_node *node;
	const struct ibc_port *port;
	uint32_t *order;
	struct route_dest *lids;
	size_t num_lids, words;
	uint64_t *passes;
	uint8_t *passage;
};

/* In an arena that has an escape. */
void users_find(struct lid_users *u);
/* Do the hosts of a column send lids[i] that way? */
bool users_pass(const struct lid_users *u, size_t i, uint32_t column);
/* Calls for each pair, if @fn is not NULL; how many there are. */
int64_t users_each(const struct lid_users *u, ibc_pair_fn fn, void *ctx);
