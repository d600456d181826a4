/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The fewest moves from the cables that are there to those that should be.  Sockets are
 * vertices, absent and surplus cables edges of two colours: every jack has at most one
 * of each, so the components are paths and even cycles, and each is one fault.  A cycle
 * with k surplus cables takes k - 1 exchanges of two plugs, as every exchange splits off
 * at most one cable; a path with k surplus cables k moves, and one connection more if it
 * has one absent cable more, or k - 1 moves and a removal if it has one less.  No two
 * components get shorter by joining them, so the sum is the least there is.
 *
 * Cost: a sort of the cables that deviate.  Nodes are numbers here, so that a plan can
 * come from a file or from a rule.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/topo.h>

struct arena;

struct jack {
	uint32_t node;
	uint32_t port;
};

/* A cable that is absent, or surplus; id is the caller's. */
struct segment {
	struct jack end[2];
	uint32_t id;
};

/*
 * struct repair_node - what decides which end of a cable is the cheaper one to move
 * @rack: nodes of one rack have one number; 0: not known.  Plugs go to a jack of the
 *	  same node rather than of the same rack, and rather there than further
 * @height: 0 host, 1 leaf, 2 spine, ...; of two ends that cost the same the higher one
 *	    moves: spines stand together, leaves do not
 * @unseen: it is not known to be there: what can be done elsewhere is
 */
struct repair_node {
	uint32_t rack;
	uint32_t height;
	bool unseen;
};

/*
 * struct repair_step - one thing to do
 * @action: of those that concern cables
 * @from, @to, @peer, @to_peer: as in struct ibc_step; (0, 0) where they do not apply
 * @segment: the surplus cable whose plug at @from moves, or that is removed; or NULL
 * @becomes: the absent cable that there is then; NULL of a removal
 * @fault: index of its fault
 */
struct repair_step {
	enum ibc_action action;
	struct jack from, to, peer, to_peer;
	const struct segment *segment, *becomes;
	uint32_t fault;
};

/*
 * struct repair_fault - one component, or two: an absent and a surplus cable between the
 *			 same two nodes that have no jack in common
 * @absent, @surplus: its cables, along the path or cycle; surplus[i] becomes absent[i], as
 *		      far as there is one
 * @cycle: every cable that should be there is, at another jack
 * @first_step, @num_steps: its part of repair.steps
 */
struct repair_fault {
	const struct segment **absent, **surplus;
	uint32_t num_absent, num_surplus;
	uint32_t first_step, num_steps;
	bool cycle;
};

/*
 * struct repair - faults, and what to do in order: a plug goes only into a jack that is
 *		   free by then; paths come first, rack by rack, then the cycles
 */
struct repair {
	struct repair_fault *faults;
	size_t num_faults;
	struct repair_step *steps;
	size_t num_steps;
};

/*
 * No jack may be the end of two cables of one list.  nodes, by number, may be NULL: all
 * are alike.  Everything is allocated from a.  False: out of memory.
 */
bool repair_find(struct arena *a, const struct segment *absent, size_t num_absent,
                 const struct segment *surplus, size_t num_surplus, const struct repair_node *nodes,
                 struct repair *out);
