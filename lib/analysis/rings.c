/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/cases.h"

#define RING_MAX   5 /* cables in an exchange */
#define RING_WEAK  3 /* with cells that alone accuse nobody */
#define RING_MANY  2 /* where so many cells deviate that nothing longer means anything: */
#define CELLS_MANY 2000
#define VISITS_MAX 2000000u

/*
 * struct hunt - for one length
 * @path: cells, extra and missing in turn
 */
struct hunt {
	struct cells *c;
	unsigned int length;
	bool strictly, weak;
	uint32_t path[2 * RING_MAX];
	uint32_t visits;
};

/* A cell that accuses, of itself or because the ports of both sides tell of it. */
static bool is_sure(const struct hunt *h, const struct cell *cell)
{
	return !cell->weak || (h->strictly && !cell->odd && votes_of_lower(h->c, cell->lower) &&
	                       votes_of_upper(h->c, cell->upper));
}

static bool may_join(const struct hunt *h, uint32_t cell)
{
	return h->visits < VISITS_MAX && (h->weak || is_sure(h, &h->c->all[cell]));
}

/* Of a switch that follows no rule too few cables are left to elect it. */
static bool agrees(uint32_t elected, uint32_t wanted, const struct cell *missing)
{
	return elected == wanted || elected == VOTE_SPLIT ||
	       (missing->odd && elected == NO_SWITCH);
}

/* Does the lower end of a cable say that it should go where one is missing? */
static bool points_up(const struct hunt *h, const struct cell *extra, const struct cell *missing)
{
	const struct votes *votes = h->strictly ? votes_of_lower(h->c, extra->lower) : NULL;

	return !votes || agrees(votes->up[extra->cable->num], missing->upper, missing);
}

/* Is the socket that its upper end is in the one where the other is missing? */
static bool points_down(const struct hunt *h, const struct cell *extra, const struct cell *missing)
{
	const struct votes *votes = h->strictly ? votes_of_upper(h->c, extra->upper) : NULL;

	return !votes || agrees(votes->down[extra->cable->peer->num], missing->lower, missing);
}

static bool is_on_path(const struct hunt *h, unsigned int n, uint32_t cell)
{
	for (unsigned int i = 0; i < n; i++)
		if (h->path[i] == cell)
			return true;
	return false;
}

/* Completes a path that ends with an extra cable, the at-th of the ring. */
static bool complete(struct hunt *h, unsigned int at)
{
	const struct cell *all = h->c->all, *first = &all[h->path[0]];
	const struct cell *extra = &all[h->path[2 * at]];
	uint32_t d = cell_in_row(h->c, h->c->row[extra->lower], false);

	for (; d != NO_CELL; d = cell_in_row(h->c, all[d].row, false)) {
		h->visits++;
		if (!may_join(h, d) || !points_up(h, extra, &all[d]) || is_on_path(h, 2 * at, d))
			continue;
		h->path[2 * at + 1] = d;
		if (at + 1 == h->length) {
			if (all[d].upper == first->upper && points_down(h, first, &all[d]))
				return true;
			continue;
		}
		for (uint32_t s = cell_in_column(h->c, h->c->column[all[d].upper], true);
		     s != NO_CELL; s = cell_in_column(h->c, all[s].column, true)) {
			h->visits++;
			if (!may_join(h, s) || all[s].lower == all[d].lower ||
			    !points_down(h, &all[s], &all[d]) || is_on_path(h, 2 * at, s))
				continue;
			h->path[2 * at + 2] = s;
			if (complete(h, at + 1))
				return true;
		}
	}
	return false;
}

static bool add_ring(struct hunt *h)
{
	uint32_t extra[RING_MAX], missing[RING_MAX];
	const struct draft draft = { .kind = WIRING_SWAPPED,
		                     .extra = extra,
		                     .missing = missing,
		                     .num_extra = h->length,
		                     .num_missing = h->length };

	for (unsigned int i = 0; i < h->length; i++) {
		extra[i] = h->path[2 * i];
		missing[i] = h->path[2 * i + 1];
	}
	return case_add(h->c, &draft);
}

/* All rings of a length that start at a cell which can accuse. */
static bool find_rings(struct hunt *h)
{
	for (uint32_t i = 0; i < h->c->n; i++) {
		const struct cell *cell = &h->c->all[i];

		if (cell->used || !cell->cable || !is_sure(h, cell))
			continue;
		h->path[0] = i;
		if (complete(h, 0) && !add_ring(h))
			return false;
	}
	return true;
}

bool cases_of_rings(struct cells *c, bool strictly)
{
	struct hunt h = { .c = c, .strictly = strictly };
	unsigned int most = c->n > CELLS_MANY ? RING_MANY : RING_MAX;

	for (h.length = 2; h.length <= most; h.length++)
		if (!find_rings(&h))
			return false;
	h.weak = true;
	for (h.length = 2; h.length <= most && h.length <= RING_WEAK; h.length++)
		if (!find_rings(&h))
			return false;
	return true;
}
