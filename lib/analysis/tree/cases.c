/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Explains the cells jointly, what is surest first: cables between equal ranks by their
 * ports, exchanges along the ports, cables that one port sends elsewhere; then the same
 * without asking the ports; what is left is missing.
 */
#include "analysis/tree/cases.h"

/* ---- one cable in the wrong place -------------------------------------------------------- */

/* Does the port at the one end send it there, while the other end sits in a spare one? */
static bool ports_agree(const struct cells *c, const struct cell *extra, const struct cell *missing)
{
	const struct votes *up = votes_of_lower(c, extra->lower);
	const struct votes *down = votes_of_upper(c, extra->upper);
	uint32_t upper = up ? up->up[extra->cable->num] : NO_SWITCH;
	uint32_t lower = down ? down->down[extra->cable->peer->num] : NO_SWITCH;

	if (extra->lower == missing->lower)
		return upper == missing->upper && lower == NO_SWITCH;
	return lower == missing->lower && upper == NO_SWITCH;
}

static bool may_pair(const struct cells *c, const struct cell *extra, const struct cell *missing,
                     bool by_ports)
{
	if (by_ports)
		return ports_agree(c, extra, missing);
	return !missing->weak && extra->twin == NO_CELL && missing->twin == NO_CELL;
}

/* The cell that a cable too many should be in: of its own lower, or its own upper switch. */
static uint32_t find_partner(const struct cells *c, const struct cell *extra, bool in_row,
                             bool by_ports)
{
	uint32_t d = in_row ? c->row[extra->lower] : c->column[extra->upper];

	for (;;) {
		d = in_row ? cell_in_row(c, d, false) : cell_in_column(c, d, false);
		if (d == NO_CELL || may_pair(c, extra, &c->all[d], by_ports))
			return d;
		d = in_row ? c->all[d].row : c->all[d].column;
	}
}

static bool cases_of_pairs(struct cells *c, bool in_row, bool by_ports)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct cell *extra = &c->all[i];
		uint32_t missing;
		struct draft draft = { WIRING_UNEVEN, NULL, &i, &missing, 1, 1 };

		if (extra->used || !extra->cable || (by_ports ? extra->outlier : extra->weak))
			continue;
		missing = find_partner(c, extra, in_row, by_ports);
		if (missing != NO_CELL && !case_add(c, &draft))
			return false;
	}
	return true;
}

/* ---- cables in the place of others --------------------------------------------------------- */

/*
 * Of a cable that only its ports put elsewhere, taking it away and putting it there cancel,
 * unless a case has used one of the two: then the other is as real as any.
 */
static void settle_twins(struct cells *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		struct cell *cell = &c->all[i], *twin;

		if (cell->twin == NO_CELL)
			continue;
		twin = &c->all[cell->twin];
		twin->twin = cell->twin = NO_CELL;
		if (!cell->used && !twin->used)
			cell->used = twin->used = cell->cancelled = twin->cancelled = true;
	}
}

bool wiring_cases(struct ibc_fattree *tree)
{
	struct cells c;

	if (!cells_find(tree, &c) || !cases_of_strays(&c, true) || !cases_of_rings(&c, true) ||
	    !cases_of_pairs(&c, true, true) || !cases_of_pairs(&c, false, true))
		return false;
	cells_weigh(&c);
	if (!cases_of_rings(&c, false))
		return false;
	settle_twins(&c);
	cells_weigh(&c);
	if (!cases_of_strays(&c, false) || !cases_of_pairs(&c, true, false) ||
	    !cases_of_pairs(&c, false, false))
		return false;
	cells_weigh(&c);
	return cases_of_missing(&c) && cases_of_absent(&c) && cases_of_hosts(tree) &&
	       cases_of_irregular(&c);
}
