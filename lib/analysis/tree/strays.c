/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/tree/cases.h"

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

static bool is_evaluated(const struct cells *c, uint32_t group)
{
	return group != NO_GROUP && c->votes[group];
}

static struct claim claim_of(const struct cells *c, const struct ibc_port *end)
{
	uint32_t s = number_of_end(c, end), lower = s, upper = s;
	const struct votes *up = votes_of_lower(c, s), *down = votes_of_upper(c, s);
	struct claim claim = { .cell = NO_CELL };

	if (up && vote_is_decided(up->up[end->num]))
		upper = up->up[end->num];
	else if (down && vote_is_decided(down->down[end->num]))
		lower = down->down[end->num];
	if (lower != upper) {
		claim.cell = cell_missing(c, lower, upper);
		claim.kind = claim.cell == NO_CELL ? CLAIM_THERE : CLAIM_MISSING;
		return claim;
	}
	claim.kind = CLAIM_NONE;
	if ((!up && !down) || (up && up->up[end->num] == VOTE_SPLIT) ||
	    (down && down->down[end->num] == VOTE_SPLIT) ||
	    (!up && is_evaluated(c, c->tree->groups.as_lower[s])) ||
	    (!down && is_evaluated(c, c->tree->groups.as_upper[s])))
		claim.kind = CLAIM_BLIND;
	return claim;
}

/* Where no port tells, any missing cable of the switch may be meant. */
static struct claim guess_claim(const struct cells *c, const struct ibc_port *end, uint32_t but)
{
	uint32_t s = number_of_end(c, end), cell = cell_in_row(c, c->row[s], false);
	struct claim claim = claim_of(c, end);

	if (claim.kind != CLAIM_BLIND)
		return claim;
	while (cell != NO_CELL && (cell == but || c->all[cell].weak))
		cell = cell_in_row(c, c->all[cell].row, false);
	if (cell == NO_CELL)
		cell = cell_in_column(c, c->column[s], false);
	while (cell != NO_CELL && (cell == but || c->all[cell].weak))
		cell = cell_in_column(c, c->all[cell].column, false);
	if (cell != NO_CELL)
		claim = (struct claim){ CLAIM_MISSING, cell };
	return claim;
}

/* Is it missing for sure, of itself or because a port tells of it? */
static bool is_sure(const struct cells *c, struct claim claim, bool by_ports)
{
	return claim.kind == CLAIM_MISSING &&
	       !(by_ports ? c->all[claim.cell].outlier : c->all[claim.cell].weak);
}

static bool may_blame(const struct cells *c, struct claim near, struct claim far, bool by_ports)
{
	bool near_plain = is_sure(c, near, by_ports), far_plain = is_sure(c, far, by_ports);

	if (near.kind == CLAIM_MISSING && far.kind == CLAIM_MISSING)
		return near.cell != far.cell && (near_plain || far_plain);
	return (near_plain && far.kind == CLAIM_NONE) || (far_plain && near.kind == CLAIM_NONE);
}

static void trace_stray(const struct cells *c, const struct ibc_port *p, struct claim near,
                        struct claim far, bool blamed)
{
	static const char *const claims[] = {
		[CLAIM_MISSING] = "belongs where one is missing",
		[CLAIM_THERE] = "belongs where one is",
		[CLAIM_NONE] = "should be empty",
		[CLAIM_BLIND] = "is not known",
	};

	TRACE(c->tree->trace, IBC_TRACE_TREE,
	      "stray %s/%u - %s/%u: the one port %s, the other %s: %s", p->node->label, p->num,
	      p->peer->node->label, p->peer->num, claims[near.kind], claims[far.kind],
	      blamed ? "blamed" : "not blamed so far");
}

bool cases_of_strays(struct cells *c, bool by_ports)
{
	for (size_t i = 0; i < c->num_strays; i++) {
		const struct ibc_port *p = c->strays[i];
		struct draft draft = { .kind = WIRING_SAME_RANK, .stray = p };
		struct claim near, far;
		uint32_t missing[2];
		bool blamed;

		if (!p)
			continue;
		near = by_ports ? claim_of(c, p) : guess_claim(c, p, NO_CELL);
		far = by_ports ? claim_of(c, p->peer) : guess_claim(c, p->peer, near.cell);
		blamed = may_blame(c, near, far, by_ports);
		trace_stray(c, p, near, far, blamed);
		if (!blamed)
			continue;
		if (near.kind == CLAIM_MISSING)
			missing[draft.num_missing++] = near.cell;
		if (far.kind == CLAIM_MISSING)
			missing[draft.num_missing++] = far.cell;
		draft.missing = missing;
		c->strays[i] = NULL;
		if (!case_add(c, &draft))
			return false;
	}
	return true;
}
