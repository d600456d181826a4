/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The pairs of hosts whose packets the tables send by some ports, or through some switches, each
 * once: of each LID that leaves by one of them, which switches send it there, found by following
 * every switch until it meets one already known.  O(such LIDs x switches), and a bit each.
 */
#include "analysis/routes/routes.h"

/*
 * struct lid_users - those of the ports and switches that are marked
 * @p: with its graph
 * @marked: by column, a bit each port; bit 0: whatever passes the switch
 * @columns: that have any
 * @sends: by host: it is marked, and so is all that it sends; @senders: those
 * @order: hosts by GUID, then port
 * @lids: those of hosts that leave by what is marked, in that order
 * @passes: of lids[i], from passes[i * words]: the set of columns that send it that way
 * @passage: of the LID that is followed, by column
 */
struct lid_users {
	struct route_subnet *p;
	uint64_t (*marked)[4];
	uint32_t *columns, *senders;
	size_t num_columns, num_senders;
	bool *sends;
	uint32_t *order;
	struct route_dest *lids;
	size_t num_lids, words;
	uint64_t *passes;
	uint8_t *passage;
};

/* In an arena that has an escape, all three; marks first. */
void users_new(struct lid_users *u, struct route_subnet *p);
/* A port of a switch or host; NULL: whatever passes the switch @node. */
void users_mark(struct lid_users *u, const struct ibc_node *node, const struct ibc_port *port);
void users_find(struct lid_users *u);
/* Calls for each pair, if @fn is not NULL; how many there are. */
int64_t users_each(const struct lid_users *u, ibc_pair_fn fn, void *ctx);
/* The host of a port, or NULL: it has no LID here, or no cable to a switch. */
const struct route_host *users_host(const struct route_subnet *p, const struct ibc_port *port);
