/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ANALYSIS_REPAIR_H
#define ANALYSIS_REPAIR_H

/*
 * The fewest moves from the cables that are there to those that should be.  Sockets are
 * vertices, absent and surplus cables edges of two colours: every socket has at most one
 * of each, so the components are paths and even cycles, and each is one fault.  A cycle
 * with k surplus cables takes k - 1 exchanges of two plugs, a path k moves, and one
 * connection or removal more if its ends differ.  No two components get shorter by
 * joining them, so the sum is the least there is.  O(cables that deviate).
 *
 * Nodes are numbers here, so that a plan can come from a file or from a rule.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

struct socket {
	uint32_t node;
	uint32_t port;
};

/* A cable that is absent, or surplus; id is the caller's. */
struct strand {
	struct socket end[2];
	uint32_t id;
};

/*
 * struct repair_costs - which end of a cable is the cheaper one to move
 * @distance: between two nodes: 0 the same, 1 the same rack, 2 apart; NULL: by number only
 * @height: of a node: 0 host, 1 leaf, 2 spine, ...; of two ends that cost the same the
 *	    higher one moves: spines stand together, leaves do not
 */
struct repair_costs {
	unsigned int (*distance)(const void *ctx, uint32_t a, uint32_t b);
	unsigned int (*height)(const void *ctx, uint32_t node);
	const void *ctx;
};

enum repair_action { REPAIR_MOVE, REPAIR_EXCHANGE, REPAIR_CONNECT, REPAIR_REMOVE };

/*
 * struct repair_step - one move; sockets as in struct ibc_step
 * @strand: the surplus cable whose plug at @from moves, or that is removed; of a
 *	    connection the absent one
 */
struct repair_step {
	enum repair_action action;
	struct socket from, to, peer, to_peer;
	const struct strand *strand;
	uint32_t fault;
};

/*
 * struct repair_fault - one component
 * @absent, @surplus: its cables, along the path or cycle
 * @cycle: every cable that should be there is, at another socket
 * @steps: how many of repair.steps are its own
 */
struct repair_fault {
	const struct strand **absent, **surplus;
	uint32_t num_absent, num_surplus, steps;
	bool cycle;
};

struct repair {
	struct repair_fault *faults;
	size_t num_faults;
	struct repair_step *steps; /* in the order to do them */
	size_t num_steps;
};

/*
 * No socket may be the end of two cables of one list.  Everything is allocated from a.
 * False: out of memory.
 */
bool repair_find(struct arena *a, const struct strand *absent, size_t num_absent,
                 const struct strand *surplus, size_t num_surplus, const struct repair_costs *costs,
                 struct repair *out);

#endif
