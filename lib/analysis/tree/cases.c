/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Explains the cells jointly, what is surest first: cables between equal ranks by their
 * ports, exchanges along the ports, cables that one port sends elsewhere; then the same
 * without asking the ports; what is left is missing.
 */
#include "analysis/tree/cases.h"

/* why each: doc/wiring.md, table 5, part F */
#define RING_MAX     5        /* cables in an exchange */
#define RING_WEAK    3        /* with cells that are too weak to blame alone */
#define RING_MANY    2        /* where so many cells deviate that nothing longer means anything: */
#define CELLS_MANY   2000     /* a guess */
#define STRAYS_FEW   2        /* within a rank: mistakes; or */
#define STRAYS_SHARE 10       /* so many percent of its switches */
#define VISITS_MAX   2000000u /* cells in a search: bounds what a wholly irregular fabric costs */

/* ---- exchanges ----------------------------------------------------------------------------- */

/*
 * struct hunt - for one length
 * @unread: ends of a ring, at most, at which the ports say nothing
 * @path: cells, extra and missing in turn
 */
struct hunt {
	struct cells *c;
	unsigned int length, unread;
	bool strictly, weak;
	uint32_t path[2 * RING_MAX];
	uint32_t visits;
};

/* A cell that blames, of itself or because the ports of both sides say so. */
static bool is_sure_cell(const struct hunt *h, const struct cell *cell)
{
	return !cell->weak ||
	       (h->strictly && !cell->outlier && votes_of(h->c, cell->end[LOWER], LOWER) &&
	        votes_of(h->c, cell->end[UPPER], UPPER));
}

/*
 * What the port at an end of a cable has against it where another is missing: 0 nothing, 1 it is
 * not known, 2 it speaks for another.  Of a switch that follows no rule too few cables are left to
 * elect it.
 */
static unsigned int objection(const struct hunt *h, const struct cell *extra,
                              const struct cell *missing, int side)
{
	const uint32_t *votes = h->strictly ? votes_of(h->c, extra->end[side], side) : NULL;
	uint32_t elected = votes ? votes[cable_end(extra->cable, side)->num] : VOTE_SPLIT;

	if (elected == missing->end[!side] || elected == VOTE_SPLIT)
		return 0;
	return elected != NO_SWITCH ? 2 : !missing->outlier;
}

/* May a cell be the n-th of the path? */
static bool may_join(struct hunt *h, unsigned int n, uint32_t cell)
{
	h->visits++;
	h->path[n] = cell;
	for (unsigned int i = 0; i < n; i++)
		if (h->path[i] == cell)
			return false;
	return h->visits < VISITS_MAX && (h->weak || is_sure_cell(h, &h->c->all[cell]));
}

/*
 * A switch that follows no rule is in an exchange only if a cable of it is at the port where the
 * other one is missing.
 */
static bool takes_place_of(const struct hunt *h, const struct cell *extra,
                           const struct cell *missing)
{
	const uint32_t *votes = votes_of(h->c, extra->end[UPPER], UPPER);

	return !extra->outlier || (votes && votes[extra->cable->peer->num] == missing->end[LOWER]);
}

static bool complete_path(struct hunt *h, unsigned int at, unsigned int unread);

/* Goes on from a missing cable, the at-th of the ring, along its column. */
static bool go_on(struct hunt *h, unsigned int at, unsigned int unread)
{
	const struct cell *all = h->c->all, *first = &all[h->path[0]];
	const struct cell *missing = &all[h->path[2 * at + 1]];
	uint32_t s = h->c->first[UPPER][missing->end[UPPER]];

	if (at + 1 == h->length)
		return missing->end[UPPER] == first->end[UPPER] &&
		       unread + objection(h, first, missing, UPPER) <= h->unread;
	while ((s = cell_along(h->c, s, UPPER, true)) != NO_CELL) {
		unsigned int sum = unread + objection(h, &all[s], missing, UPPER);

		if (may_join(h, 2 * at + 2, s) && all[s].end[LOWER] != missing->end[LOWER] &&
		    takes_place_of(h, &all[s], missing) && sum <= h->unread &&
		    complete_path(h, at + 1, sum))
			return true;
		s = all[s].next[UPPER];
	}
	return false;
}

/* Completes a path that ends with an extra cable, the at-th of the ring. */
static bool complete_path(struct hunt *h, unsigned int at, unsigned int unread)
{
	const struct cell *all = h->c->all, *extra = &all[h->path[2 * at]];
	uint32_t d = h->c->first[LOWER][extra->end[LOWER]];

	while ((d = cell_along(h->c, d, LOWER, false)) != NO_CELL) {
		unsigned int sum = unread + objection(h, extra, &all[d], LOWER);

		if (may_join(h, 2 * at + 1, d) && sum <= h->unread && go_on(h, at, sum))
			return true;
		d = all[d].next[LOWER];
	}
	return false;
}

/* All rings of a length that start at a cell which can blame. */
static void find_rings(struct hunt *h)
{
	uint32_t extra[RING_MAX], missing[RING_MAX];
	const struct draft draft = { .kind = WIRING_SWAPPED,
		                     .extra = extra,
		                     .missing = missing,
		                     .num_extra = h->length,
		                     .num_missing = h->length };

	for (uint32_t i = 0; i < h->c->n; i++) {
		const struct cell *cell = &h->c->all[i];

		if (cell->used || !cell->cable || !is_sure_cell(h, cell))
			continue;
		h->path[0] = i;
		if (!complete_path(h, 0, 0))
			continue;
		for (unsigned int k = 0; k < h->length; k++) {
			extra[k] = h->path[2 * k];
			missing[k] = h->path[2 * k + 1];
		}
		case_add(h->c, &draft);
	}
}

/*
 * Exchanges: extra, missing, extra, ... in a ring, each next to the last in a row or a
 * column, the shortest first.  Strictly: only along ports that say so.
 */
static void cases_of_rings(struct cells *c, bool strictly)
{
	struct hunt h = { .c = c, .strictly = strictly };
	unsigned int most = c->n > CELLS_MANY ? RING_MANY : RING_MAX;
	unsigned int most_weak = most < RING_WEAK ? most : RING_WEAK;

	for (h.unread = 0; h.unread <= strictly; h.unread++)
		for (int weak = 0; weak < 2; weak++) {
			h.weak = weak;
			for (h.length = 2; h.length <= (weak ? most_weak : most); h.length++)
				find_rings(&h);
		}
}

/* ---- cables between no neighbouring ranks -------------------------------------------------- */

/*
 * What an end of a cable that leads astray says of where it should go: its port belongs to a
 * cable that is missing, or to one that is there; or the ports of this side are in order, and
 * this one has none; or they are in no order.
 */
enum claim_kind { CLAIM_MISSING, CLAIM_THERE, CLAIM_NONE, CLAIM_BLIND };

struct claim {
	enum claim_kind kind;
	uint32_t cell;
};

static struct claim claim_of(const struct cells *c, const struct ibc_port *end)
{
	uint32_t s = number_of_end(c, end), ends[2] = { s, s };
	struct claim claim = { .kind = CLAIM_NONE, .cell = NO_CELL };
	bool named = false, blind = false;

	for (int side = 0; side < 2; side++) {
		const uint32_t *votes = votes_of(c, s, side);

		if (votes && vote_is_decided(votes[end->num]) && ends[LOWER] == ends[UPPER])
			ends[!side] = votes[end->num];
		named |= votes != NULL;
		blind |= votes ? votes[end->num] == VOTE_SPLIT : c->votes[side][s] != NULL;
	}
	if (ends[LOWER] != ends[UPPER]) {
		claim.cell = cell_missing(c, ends[LOWER], ends[UPPER]);
		claim.kind = claim.cell == NO_CELL ? CLAIM_THERE : CLAIM_MISSING;
	} else if (!named || blind) {
		claim.kind = CLAIM_BLIND;
	}
	return claim;
}

/* Where the ports do not say, any missing cable of the switch may be meant. */
static struct claim guess_claim(const struct cells *c, const struct ibc_port *end, uint32_t but)
{
	struct claim claim = claim_of(c, end);

	for (int side = 0; claim.kind == CLAIM_BLIND && side < 2; side++) {
		uint32_t cell = c->first[side][number_of_end(c, end)];

		cell = cell_along(c, cell, side, false);
		while (cell != NO_CELL && (cell == but || c->all[cell].weak))
			cell = cell_along(c, c->all[cell].next[side], side, false);
		if (cell != NO_CELL)
			claim = (struct claim){ CLAIM_MISSING, cell };
	}
	return claim;
}

/* Is it missing for sure, of itself or because a port says so? */
static bool is_sure(const struct cells *c, struct claim claim, bool by_ports)
{
	return claim.kind == CLAIM_MISSING &&
	       !(by_ports ? c->all[claim.cell].outlier : c->all[claim.cell].weak);
}

static bool may_blame_stray(const struct cells *c, struct claim near, struct claim far,
                            bool by_ports)
{
	bool near_plain = is_sure(c, near, by_ports), far_plain = is_sure(c, far, by_ports);

	if (near.kind == CLAIM_MISSING && far.kind == CLAIM_MISSING)
		return near.cell != far.cell && (near_plain || far_plain);
	return (near_plain && far.kind == CLAIM_NONE) || (far_plain && near.kind == CLAIM_NONE);
}

/* Cables that join no neighbouring ranks, and the missing ones that their ports belong to. */
static void cases_of_strays(struct cells *c, bool by_ports)
{
	static const char *const claims[] = {
		[CLAIM_MISSING] = "belongs where one is missing",
		[CLAIM_THERE] = "belongs where one is",
		[CLAIM_NONE] = "should be empty",
		[CLAIM_BLIND] = "is not known",
	};

	for (size_t i = 0; i < c->num_strays; i++) {
		const struct ibc_port *p = c->strays[i];
		struct draft draft = { .kind = WIRING_SAME_RANK, .strays = { p }, .num_strays = 1 };
		struct claim near, far;
		uint32_t missing[2];
		bool blamed;

		if (!p)
			continue;
		near = by_ports ? claim_of(c, p) : guess_claim(c, p, NO_CELL);
		far = by_ports ? claim_of(c, p->peer) : guess_claim(c, p->peer, near.cell);
		blamed = may_blame_stray(c, near, far, by_ports);
		TRACE(c->tree->trace, IBC_TRACE_TREE,
		      "stray %s/%u - %s/%u: the one port %s, the other %s: %s", p->node->label,
		      p->num, p->peer->node->label, p->peer->num, claims[near.kind],
		      claims[far.kind], blamed ? "blamed" : "not blamed so far");
		if (!blamed)
			continue;
		if (near.kind == CLAIM_MISSING)
			missing[draft.num_missing++] = near.cell;
		if (far.kind == CLAIM_MISSING)
			missing[draft.num_missing++] = far.cell;
		draft.missing = missing;
		c->strays[i] = NULL;
		case_add(c, &draft);
	}
}

/* Does a switch keep the rule of a group, below or above, without being set aside there? */
static bool is_regular(const struct cells *c, uint32_t s)
{
	const struct wiring_groups *groups = &c->tree->groups;
	bool regular = false;

	for (int side = 0; side < 2; side++) {
		uint32_t of = groups->of[side][s];
		const struct wiring_group *g = of == NO_GROUP ? NULL : &groups->all[of];

		regular |= g && g->evaluated && !g->outlier[side][groups->place[side][s]];
	}
	return regular;
}

/*
 * Do few cables lead astray from switches of a rank, before any is explained?  More are a habit of
 * the site.
 */
static bool are_few(const struct cells *c, unsigned int rank)
{
	const uint8_t *ranks = c->tree->rank;
	size_t n = 0, switches = 0;

	for (size_t i = 0; i < c->num_strays; i++)
		n += ranks[number_of_end(c, c->strays[i])] == rank;
	for (uint32_t s = 0; s < c->tree->switches.n; s++)
		switches += ranks[s] == rank;
	return n <= STRAYS_FEW || n * 100 <= switches * STRAYS_SHARE;
}

/*
 * What is left of cables within a rank, where nothing is missing for sure: in a tree that keeps its
 * rule a single one is a mistake.  Two and more side by side are no slip of the hand.
 */
static void cases_of_lone_strays(struct cells *c)
{
	for (size_t i = 0; i < c->num_strays; i++) {
		const struct ibc_port *p = c->strays[i];
		struct draft draft = { .kind = WIRING_SAME_RANK, .strays = { p }, .num_strays = 1 };
		uint32_t missing[2], a, z;
		struct claim claims[2];

		if (!p)
			continue;
		a = number_of_end(c, p);
		z = number_of_end(c, p->peer);
		if (c->tree->rank[a] != c->tree->rank[z] || !c->few[c->tree->rank[a]] ||
		    trunk_between(&c->tree->switches, a, z)->count > 1 || !is_regular(c, a) ||
		    !is_regular(c, z))
			continue;
		claims[0] = claim_of(c, p);
		claims[1] = claim_of(c, p->peer);
		for (int k = 0; k < 2; k++)
			if (claims[k].kind == CLAIM_MISSING &&
			    !(draft.num_missing && missing[0] == claims[k].cell))
				missing[draft.num_missing++] = claims[k].cell;
		draft.missing = missing;
		c->strays[i] = NULL;
		case_add(c, &draft);
		c->tree->cases[c->tree->num_cases - 1].gate.word = "same-tier";
	}
}

/* ---- one cable in the wrong place -------------------------------------------------------- */

/* The cell that a cable too many should be in: of its own switch on a side. */
static uint32_t find_partner(const struct cells *c, const struct cell *extra, int side,
                             bool by_ports)
{
	const uint32_t *near = votes_of(c, extra->end[side], side);
	const uint32_t *far = votes_of(c, extra->end[!side], !side);
	uint32_t wanted = near ? near[cable_end(extra->cable, side)->num] : NO_SWITCH;
	bool spare = !far || far[cable_end(extra->cable, !side)->num] == NO_SWITCH;
	uint32_t d = cell_along(c, c->first[side][extra->end[side]], side, false);

	for (; d != NO_CELL; d = cell_along(c, c->all[d].next[side], side, false)) {
		const struct cell *cell = &c->all[d];

		/* the port at the one end sends it there, while the other end sits in a spare one
		 */
		if (by_ports ? wanted == cell->end[!side] && spare
		             : !cell->weak && extra->twin == NO_CELL && cell->twin == NO_CELL)
			break;
	}
	return d;
}

static void cases_of_pairs(struct cells *c, int side, bool by_ports)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct cell *extra = &c->all[i];
		uint32_t missing;
		struct draft draft = { .kind = WIRING_UNEVEN,
			               .extra = &i,
			               .missing = &missing,
			               .num_extra = 1,
			               .num_missing = 1 };

		if (extra->used || !extra->cable || (by_ports ? extra->outlier : extra->weak))
			continue;
		missing = find_partner(c, extra, side, by_ports);
		if (missing != NO_CELL)
			case_add(c, &draft);
	}
}

void wiring_cases(struct ibc_fattree *tree)
{
	struct cells c;

	cells_find(tree, &c);
	for (unsigned int rank = 0; rank <= RANKS_MAX; rank++) {
		c.few[rank] = are_few(&c, rank);
		c.few_hosts[rank] = hosts_are_few(tree, rank);
	}
	cases_of_plugs(&c);
	cases_of_strays(&c, true);
	cases_of_rings(&c, true);
	cases_of_pairs(&c, LOWER, true);
	cases_of_pairs(&c, UPPER, true);
	cells_weigh(&c);
	cases_of_rings(&c, false);
	/*
	 * Of a cable that only its ports put elsewhere, taking it away and putting it there cancel,
	 * unless a case has used one of the two: then the other is as real as any.
	 */
	for (uint32_t i = 0; i < c.n; i++) {
		struct cell *cell = &c.all[i], *twin;

		if (cell->twin == NO_CELL)
			continue;
		twin = &c.all[cell->twin];
		twin->twin = cell->twin = NO_CELL;
		if (!cell->used && !twin->used)
			cell->used = twin->used = cell->cancelled = twin->cancelled = true;
	}
	cells_weigh(&c);
	cases_of_strays(&c, false);
	cases_of_pairs(&c, LOWER, false);
	cases_of_pairs(&c, UPPER, false);
	cases_of_lone_strays(&c);
	cells_weigh(&c);
	cases_of_missing(&c);
	cases_of_absent(&c);
	cases_of_hosts(&c);
	cases_of_irregular(&c);
}
