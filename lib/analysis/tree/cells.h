/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * What deviates from the rules, cable by cable: a cell for each one that a lower switch
 * should have to an upper one and has not, and for each that it has too much.  Cases are
 * made of cells; each cell is used once, so that one cause is one case.  O(cables).
 */
#include "analysis/tree/wiring.h"

#define NO_CELL UINT32_MAX

/*
 * struct line - how a lower, or an upper switch keeps the rule
 * @wanted: cables by the rule; @missing of them are not there, @extra are too many
 */
struct line {
	uint32_t wanted, missing, extra;
};

/* Cables to plug or to take away, at the least. */
static inline uint32_t line_moves(struct line line)
{
	return line.missing > line.extra ? line.missing : line.extra;
}

/*
 * So many bare holes a switch may have that keeps the rule: one in six (doc/wiring.md,
 * table 5, part B).
 */
static inline double line_slack(struct line line)
{
	return line.wanted > 6 ? line.wanted / 6.0 : 1;
}

#define VOTE_PORTS    256             /* a port number is a byte */
#define VOTE_SPLIT    (NO_SWITCH - 1) /* most have a cable there, and do not agree where to */
#define NAMES_PERCENT 80              /* a chance majority at one port names no jack */

/*
 * struct votes - of a group: which port goes where, by majority: the upper switch that the lower
 * switches reach through each of their ports, and the lower switch that the upper ones do.  The
 * two sides vote apart: random ports on leaves with ordered ones on spines are common.
 *
 * Where a group has too few switches for a majority, those of its shape vote together, for
 * what they have in common: two cores of one place show nothing, all cores show which port
 * goes to which pod.  O(cables).
 *
 * @elected: by side, and by port of a switch of it: the switch of the other side, VOTE_SPLIT, or
 *	     NO_SWITCH
 * @names: by side: so many keep to it that it names jacks of its switches; a side that does not
 *	   has no votes
 * @detects: so many keep to it on both sides that a cable which does on neither is in the
 *	     wrong place
 */
struct votes {
	uint32_t elected[2][VOTE_PORTS];
	bool names[2], detects;
};

/* Is it a switch that was elected? */
static inline bool vote_is_decided(uint32_t elected)
{
	return elected != NO_SWITCH && elected != VOTE_SPLIT;
}

/*
 * struct cell - one cable too few or too many
 * @end: its lower and its upper switch
 * @cable: the lower end of the one too many; NULL: one is missing
 * @outlier: one of its switches follows no rule: it may close an exchange, no more
 * @damage: one of its switches is damaged as a whole
 * @weak: not enough to blame alone: its switches deviate too much
 * @gate: why so
 * @port: the free ports it was pulled from, see is_pulled() in cells.c; 0
 * @twin: of a cable in a place that has its number of cables and against the ports of both
 *	  ends: the cell for the other half, taking it away or putting it there; else NO_CELL
 * @cancelled: used, but by its twin, so in no case
 * @next: the next cell of the same lower (a row), of the same upper switch (a column)
 */
struct cell {
	uint32_t end[2];
	const struct ibc_port *cable;
	bool outlier, damage, weak, used, cancelled;
	uint32_t twin, next[2];
	unsigned int port[2];
	struct wiring_gate gate;
};

/*
 * struct cells - of all groups
 * @votes: by side and switch: of its group, of a lower one its class; NULL: it is not judged
 * @first: by side and switch: its first cell as a lower, as an upper one
 * @strays: near ends of cables that join no two neighbouring ranks; NULL: used
 * @few: by rank: so few of them begin at its switches that each may be a mistake; see cases.c
 * @few_hosts: by rank: so few of its switches have hosts; see upper.c
 * @promised: by switch * VOTE_PORTS + port: a missing cable of some case belongs there
 * @heights: for repairs, by node; NULL: not needed so far
 */
struct cells {
	struct ibc_fattree *tree;
	const struct votes **votes[2];
	struct cell *all;
	uint32_t n;
	size_t room;
	uint32_t *first[2];
	const struct ibc_port **strays;
	size_t num_strays;
	bool few[RANKS_MAX + 1], few_hosts[RANKS_MAX + 1];
	bool *promised;
	struct repair_node *heights;
	struct line *line[2]; /* room to weigh, by side and switch */
	uint32_t *astray;     /* by switch: strays that are unused */
	struct line *shapes;  /* by rule */
};

void cells_find(struct ibc_fattree *tree, struct cells *out);

/* votes.c: as @votes above, allocated from tree->tmp. */
void votes_count(const struct ibc_fattree *tree, const struct votes **votes[2]);

/*
 * Decides which cells are weak: what is used by a case is explained, and does not speak against
 * its switches, nor against the rule, any more.
 */
void cells_weigh(struct cells *c);

/*
 * Is it the only group of its tier?  Groups beside it testify by shares, and what is missing in one
 * may be meant in all.
 */
bool cells_stand_alone(const struct cells *c, const struct wiring_group *g);

/* Who was elected, by port of a switch of a side; NULL: its ports have no votes. */
const uint32_t *votes_of(const struct cells *c, uint32_t s, int side);
/* At how many of its ends is a cable, given by the lower one, not where its port says? */
unsigned int votes_broken(const struct cells *c, const struct ibc_port *cable);

/* A missing cable that is still unused; NO_CELL. */
uint32_t cell_missing(const struct cells *c, uint32_t lower, uint32_t upper);
/* The next unused cell from here on of the same switch of a side. */
uint32_t cell_along(const struct cells *c, uint32_t cell, int side, bool extra);

/* The end of a cable, given by its lower one, on a side. */
static inline const struct ibc_port *cable_end(const struct ibc_port *cable, int side)
{
	return side == LOWER ? cable : cable->peer;
}

static inline uint32_t number_of_end(const struct cells *c, const struct ibc_port *p)
{
	return switch_number(&c->tree->switches, p->node);
}
