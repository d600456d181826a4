/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ANALYSIS_CELLS_H
#define ANALYSIS_CELLS_H

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

#define VOTE_PORTS 256             /* a port number is a byte */
#define VOTE_SPLIT (NO_SWITCH - 1) /* most have a cable there, and do not agree where to */

/*
 * struct votes - of a group: which port goes where, by majority: the upper switch that the lower
 * switches reach through each of their ports, and the lower switch that the upper ones do.  The
 * two sides vote apart: random ports on leaves with ordered ones on spines are common.
 *
 * Where a group has too few switches for a majority, those of its shape vote together, for
 * what they have in common: two cores of one place show nothing, all cores show which port
 * goes to which pod.  O(cables).
 *
 * @up: by port of a lower switch: the upper switch, VOTE_SPLIT, or NO_SWITCH
 * @down: by port of an upper switch: the lower switch, VOTE_SPLIT, or NO_SWITCH
 * @names_lower, @names_upper: so many keep to it that it names jacks of lower, of upper
 *			       switches; a side that does not has no votes
 * @detects: so many keep to it on both sides that a cable which does on neither is in the
 *	     wrong place
 */
struct votes {
	uint32_t up[VOTE_PORTS], down[VOTE_PORTS];
	bool names_lower, names_upper, detects;
};

/* Is it a switch that was elected? */
static inline bool vote_is_decided(uint32_t elected)
{
	return elected != NO_SWITCH && elected != VOTE_SPLIT;
}

/*
 * struct cell - one cable too few or too many
 * @cable: the lower end of the one too many; NULL: one is missing
 * @outlier: one of its switches follows no rule: it may close an exchange, no more
 * @weak: not enough to blame alone: its switches deviate too much
 * @gate: why so
 * @lower_port, @upper_port: the free ports it was pulled from, see is_pulled() in cells.c; 0
 * @twin: of a cable in a place that has its number of cables and against the ports of both
 *	  ends: the cell for the other half, taking it away or putting it there; else NO_CELL
 * @cancelled: used, but by its twin, so in no case
 * @row, @column: the next cell of the same lower, of the same upper switch
 */
struct cell {
	uint32_t lower, upper;
	const struct ibc_port *cable;
	bool outlier, weak, used, cancelled;
	uint32_t twin, row, column;
	unsigned int lower_port, upper_port;
	struct wiring_gate gate;
};

/*
 * struct cells - of all groups
 * @votes: by group; NULL: it is not judged
 * @row, @column: by switch: its first cell as a lower, as an upper one
 * @strays: near ends of cables that join no two neighbouring ranks; NULL: used
 * @promised: by switch * VOTE_PORTS + port: a missing cable of some case belongs there
 * @heights: for repairs, by node; NULL: not needed so far
 */
struct cells {
	struct ibc_fattree *tree;
	struct votes **votes;
	struct cell *all;
	uint32_t n;
	size_t room;
	uint32_t *row, *column;
	const struct ibc_port **strays;
	size_t num_strays;
	bool *promised;
	struct repair_node *heights;
	struct line *lower, *upper; /* room to weigh, by switch */
	uint32_t *astray;           /* by switch: strays that are unused */
	struct line *shapes;        /* by rule */
};

void cells_find(struct ibc_fattree *tree, struct cells *out);

/*
 * votes.c: votes[group] become those of each group that is judged, allocated from tree->tmp; NULL
 * of others.
 */
void votes_count(const struct ibc_fattree *tree, struct votes **votes);

/*
 * Decides which cells are weak: what is used by a case is explained, and does not speak against
 * its switches, nor against the rule, any more.
 */
void cells_weigh(struct cells *c);

/* Votes on the ports of a switch, as a lower or as an upper one; NULL: there are none. */
const struct votes *votes_of_lower(const struct cells *c, uint32_t s);
const struct votes *votes_of_upper(const struct cells *c, uint32_t s);
/* At how many of its ends is a cable, given by the lower one, not where its port says? */
unsigned int votes_broken(const struct cells *c, const struct ibc_port *cable);

/* A missing cable that is still unused; NO_CELL. */
uint32_t cell_missing(const struct cells *c, uint32_t lower, uint32_t upper);
/* The next unused cell from here on along a row, along a column. */
uint32_t cell_in_row(const struct cells *c, uint32_t cell, bool extra);
uint32_t cell_in_column(const struct cells *c, uint32_t cell, bool extra);

static inline uint32_t number_of_end(const struct cells *c, const struct ibc_port *p)
{
	return switch_number(&c->tree->switches, p->node);
}

#endif
