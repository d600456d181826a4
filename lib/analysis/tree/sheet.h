/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ANALYSIS_SHEET_H
#define ANALYSIS_SHEET_H

/* The cables of a group as a table, and how its rows and columns keep the rule. */
#include "analysis/tree/wiring.h"

/*
 * struct sheet - cables of a group by cells
 * @cell: cell[lower * num_upper + upper], by places
 * @stray, @same: by lower place: cables to upper switches of other groups; to its own rank
 * @stray_up: by upper place: cables from lower switches of other groups
 */
struct sheet {
	const struct wiring_group *group;
	uint16_t *cell;
	uint32_t *stray, *same, *stray_up;
};

/*
 * struct line - how a row or a column of a sheet keeps the rule
 * @wanted: cables by the rule; @missing of them are not there, @extra are too many
 */
struct line {
	uint32_t wanted, missing, extra;
};

/*
 * Of a lower, or an upper switch, by place; odd ones of the other side do not count, nor do
 * those of skip, if it is given.
 */
struct line line_of_lower(const struct sheet *sheet, uint32_t place, const bool *skip);
struct line line_of_upper(const struct sheet *sheet, uint32_t place, const bool *skip);
/* Cables to plug or to take away, at the least. */
uint32_t line_moves(struct line line);
/*
 * So many bare holes a switch may have that keeps the rule: one in six (doc/wiring.md,
 * table 5, part B).
 */
double line_slack(struct line line);

bool sheet_fill(struct arena *a, const struct ibc_fattree *tree, const struct wiring_group *g,
                struct sheet *out);

#endif
