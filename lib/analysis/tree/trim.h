/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The link matrix of a group while its rule is looked for: rule.c sets aside what would condemn
 * the others, classes.c finds lower switches that are alike, lack.c distinguishes
 * damage from design.
 */
#include "analysis/tree/cells.h"

/* why each: doc/wiring.md, table 5, part B */
#define DAMAGED_HOSTS 75  /* percent of the hosts of the others; with less it is of another kind */
#define COUNT_MAX     254 /* cables between two switches */
#define ROWS_MIN      3   /* with fewer there is no majority */
#define KEPT_PERCENT  50  /* of rows, columns, cables that trimming may not go below; of ports */
#define CLASSES_MAX   8   /* of lower switches in a group: a guess, which bounds the work */

#define NONE UINT32_MAX

/*
 * struct trim - a group at work; its room is that of the largest
 * @cell: cables: cell[lower * num[UPPER] + upper], by places
 * @stray: by side and place: cables to switches of other groups
 * @same: by lower place: cables to its own rank
 * @explained: by lower place: it has a cable elsewhere that may be a missing one
 * @torn: by lower place: it fits two classes
 * @lesser: by upper place: all have less to it than to others, and ports are free where more were
 * @bad, @excess: by side and place: it looks irregular as of now; how much so, if more than 1
 * @by_good: by place of either: going only by what is not irregular across
 * @left, @num_bad: by side: that are not set aside; that look irregular
 * @usual: count of cables in other groups of the tier, or 0
 */
struct trim {
	const struct ibc_fattree *tree;
	struct wiring_group *g;
	uint16_t *cell;
	uint32_t *stray[2], *same;
	bool *explained, *torn, *lesser, *bad[2];
	double *excess[2], *by_good;
	uint32_t left[2], num_bad[2], usual;
};

static inline const uint16_t *cells_of_row(const struct trim *t, uint32_t place)
{
	return &t->cell[(size_t)place * t->g->num[UPPER]];
}

void trim_fill(struct trim *t);

/*
 * A row, or a column: what is irregular across does not count, nor is what skip has, if it is
 * given. Of a column what rows lack that have a cable elsewhere is explained.
 */
struct line trim_line(const struct trim *t, int side, uint32_t place, const bool *skip);

/* More than 1: irregular. */
double trim_excess(const struct trim *t, int side, uint32_t place, const bool *skip);

/* Of several large classes all but one are set aside, so that the modes are those of one. */
void classes_part(struct trim *t);

/* The smaller classes among what was set aside; who is in order in one of them is so no more. */
void classes_find(struct trim *t);

/* The verdict on each switch of a side that has less than the others of its class. */
void lacks_judge(struct trim *t, int side);

/* Has it this model, and at least about so many hosts? */
bool looks_like(const struct switches *sw, uint32_t s, uint32_t other);

/*
 * How many of the cables of a switch, in percent, are at the port where most of those have them
 * that follow the rule of a class; of an upper switch, of all classes.
 */
uint32_t places_kept(const struct trim *t, int side, uint32_t place, uint32_t class);
