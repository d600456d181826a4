/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/tree/cases.h"

/* why each: doc/wiring.md, table 5, part F */
#define RING_MAX   5        /* cables in an exchange */
#define RING_WEAK  3        /* with cells that alone blame nobody */
#define RING_MANY  2        /* where so many cells deviate that nothing longer means anything: */
#define CELLS_MANY 2000     /* a guess */
#define VISITS_MAX 2000000u /* cells in a search: bounds what a wholly irregular fabric costs */

/*
 * struct hunt - for one length
 * @silent: ends of a ring, at most, at which no port tells anything
 * @path: cells, extra and missing in turn
 */
struct hunt {
	struct cells *c;
	unsigned int length, silent;
	bool strictly, weak;
	uint32_t path[2 * RING_MAX];
	uint32_t visits;
};

/* A cell that blames, of itself or because the ports of both sides tell of it. */
static bool is_sure(const struct hunt *h, const struct cell *cell)
{
	return !cell->weak || (h->strictly && !cell->outlier && votes_of_lower(h->c, cell->lower) &&
	                       votes_of_upper(h->c, cell->upper));
}

static bool may_join(const struct hunt *h, uint32_t cell)
{
	return h->visits < VISITS_MAX && (h->weak || is_sure(h, &h->c->all[cell]));
}

/*
 * What a port has against a cable: 0 nothing, 1 it tells nothing, 2 it speaks for another.
 * Of a switch that follows no rule too few cables are left to elect it.
 */
static unsigned int objection(uint32_t elected, uint32_t wanted, const struct cell *missing)
{
	if (elected == wanted || elected == VOTE_SPLIT)
		return 0;
	return elected != NO_SWITCH ? 2 : !missing->outlier;
}

/* Does the lower end of a cable say that it should go where one is missing? */
static unsigned int lower_objects(const struct hunt *h, const struct cell *extra,
                                  const struct cell *missing)
{
	const struct votes *votes = h->strictly ? votes_of_lower(h->c, extra->lower) : NULL;

	return votes ? objection(votes->up[extra->cable->num], missing->upper, missing) : 0;
}

/* Is the jack that its upper end is in the one where the other is missing? */
static unsigned int upper_objects(const struct hunt *h, const struct cell *extra,
                                  const struct cell *missing)
{
	const struct votes *votes = h->strictly ? votes_of_upper(h->c, extra->upper) : NULL;

	return votes ? objection(votes->down[extra->cable->peer->num], missing->lower, missing) : 0;
}

static bool is_on_path(const struct hunt *h, unsigned int n, uint32_t cell)
{
	for (unsigned int i = 0; i < n; i++)
		if (h->path[i] == cell)
			return true;
	return false;
}

static bool complete_path(struct hunt *h, unsigned int at, unsigned int silent);

/* Goes on from a missing cable, the at-th of the ring, along its column. */
static bool go_on(struct hunt *h, unsigned int at, unsigned int silent)
{
	const struct cell *all = h->c->all, *first = &all[h->path[0]];
	const struct cell *missing = &all[h->path[2 * at + 1]];
	uint32_t s = h->c->column[missing->upper];

	if (at + 1 == h->length)
		return missing->upper == first->upper &&
		       silent + upper_objects(h, first, missing) <= h->silent;
	while ((s = cell_in_column(h->c, s, true)) != NO_CELL) {
		unsigned int sum = silent + upper_objects(h, &all[s], missing);

		h->visits++;
		h->path[2 * at + 2] = s;
		if (may_join(h, s) && all[s].lower != missing->lower && sum <= h->silent &&
		    !is_on_path(h, 2 * at + 2, s) && complete_path(h, at + 1, sum))
			return true;
		s = all[s].column;
	}
	return false;
}

/* Completes a path that ends with an extra cable, the at-th of the ring. */
static bool complete_path(struct hunt *h, unsigned int at, unsigned int silent)
{
	const struct cell *all = h->c->all, *extra = &all[h->path[2 * at]];
	uint32_t d = h->c->row[extra->lower];

	while ((d = cell_in_row(h->c, d, false)) != NO_CELL) {
		unsigned int sum = silent + lower_objects(h, extra, &all[d]);

		h->visits++;
		h->path[2 * at + 1] = d;
		if (may_join(h, d) && sum <= h->silent && !is_on_path(h, 2 * at + 1, d) &&
		    go_on(h, at, sum))
			return true;
		d = all[d].row;
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

/* All rings of a length that start at a cell which can blame. */
static bool find_rings(struct hunt *h)
{
	for (uint32_t i = 0; i < h->c->n; i++) {
		const struct cell *cell = &h->c->all[i];

		if (cell->used || !cell->cable || !is_sure(h, cell))
			continue;
		h->path[0] = i;
		if (complete_path(h, 0, 0) && !add_ring(h))
			return false;
	}
	return true;
}

static bool find_lengths(struct hunt *h, unsigned int most)
{
	for (h->length = 2; h->length <= most; h->length++)
		if (!find_rings(h))
			return false;
	return true;
}

bool cases_of_rings(struct cells *c, bool strictly)
{
	struct hunt h = { .c = c, .strictly = strictly };
	unsigned int most = c->n > CELLS_MANY ? RING_MANY : RING_MAX;
	unsigned int most_weak = most < RING_WEAK ? most : RING_WEAK;

	for (h.silent = 0; h.silent <= strictly; h.silent++) {
		h.weak = false;
		if (!find_lengths(&h, most))
			return false;
		h.weak = true;
		if (!find_lengths(&h, most_weak))
			return false;
	}
	return true;
}
