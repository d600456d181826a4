/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two plugs exchanged where the cables are of different tiers, or one is a host's: the ring of
 * such an exchange leaves the matrix of one group.  A missing cable whose two ports hold cables
 * that have no business there, and the other ends of those belong together: these are a leaf and a
 * host, or lack a cable as well.  The ports of one side at least have to say so.
 */
#include "analysis/tree/cases.h"

/*
 * struct plug - what is in one of the two ports
 * @end: at the switch that lacks a cable
 * @cell: one cable too many of a row; or NO_CELL
 * @stray: where it stands among those that join no neighbouring ranks, or a switch to itself; or
 * NULL
 * @voted: the port speaks for the missing cable
 * @host: it is a host's
 */
struct plug {
	const struct ibc_port *end;
	uint32_t cell;
	const struct ibc_port **stray;
	bool voted, host;
};

static const struct ibc_port **find_cable(const struct ibc_port **all, size_t n,
                                          const struct ibc_port *end)
{
	for (size_t i = 0; i < n; i++)
		if (all[i] && (all[i] == end || all[i]->peer == end))
			return &all[i];
	return NULL;
}

/* Has a cable no business at a port of a switch that lacks one to another? */
static bool is_misplaced(const struct cells *c, const struct ibc_port *end, int side, uint32_t far,
                         struct plug *out)
{
	uint32_t s = number_of_end(c, end), other;
	const uint32_t *votes = votes_of(c, s, side);
	struct switches *sw = &c->tree->switches;
	bool up;

	*out = (struct plug){ .end = end, .cell = NO_CELL, .host = has_host(end) };
	out->voted = votes && votes[end->num] == far;
	if (!end->peer || (votes && !out->voted))
		return false;
	if (out->host)
		return out->voted || is_host_astray(c, s);
	other = number_of_end(c, end->peer);
	if (other == NO_SWITCH)
		return false;
	out->stray = find_cable(c->strays, c->num_strays, end)
	                 ?: find_cable(sw->loops, sw->num_loops, end);
	up = c->tree->rank[s] < c->tree->rank[other];
	out->cell = cell_along(c, c->first[LOWER][up ? s : other], LOWER, true);
	while (out->cell != NO_CELL && (c->all[out->cell].end[UPPER] != (up ? other : s) ||
	                                c->all[out->cell].twin != NO_CELL))
		out->cell = cell_along(c, c->all[out->cell].next[LOWER], LOWER, true);
	/* where many lead astray by design, a port has to speak against one */
	return out->stray ? out->voted || c->few[c->tree->rank[s]] : out->cell != NO_CELL;
}

/* Is there a port for hosts at the far end of a cable? */
static bool leads_to_leaf(const struct cells *c, const struct plug *plug)
{
	const struct ibc_port *far = plug->end->peer;
	uint32_t s = number_of_end(c, far);
	const uint32_t *votes = s == NO_SWITCH ? NULL : votes_of(c, s, LOWER);

	return !plug->host && c->tree->rank[s] == 0 && (!votes || votes[far->num] == NO_SWITCH);
}

/* The cable that the far ends of the two lack, of another group than the first; NO_CELL. */
static uint32_t second_missing(const struct cells *c, const struct plug plugs[2], uint32_t first)
{
	uint32_t x = number_of_end(c, plugs[0].end->peer), y = number_of_end(c, plugs[1].end->peer);
	const uint32_t *group = c->tree->groups.of[LOWER];
	uint32_t cell;

	if (x == NO_SWITCH || y == NO_SWITCH)
		return NO_CELL;
	cell = cell_missing(c, x, y);
	if (cell == NO_CELL)
		cell = cell_missing(c, y, x);
	return cell == NO_CELL || c->all[cell].outlier || c->all[cell].twin != NO_CELL ||
	               group[c->all[cell].end[LOWER]] == group[c->all[first].end[LOWER]]
	           ? NO_CELL
	           : cell;
}

/* A case of the two, if their far ends belong together. */
static bool exchange_plugs(struct cells *c, uint32_t first, const struct plug plugs[2])
{
	uint32_t missing[2] = { first, NO_CELL }, extra[2];
	struct draft draft = {
		.kind = WIRING_SWAPPED, .extra = extra, .missing = missing, .num_missing = 1
	};

	if (!plugs[0].voted && !plugs[1].voted)
		return false;
	for (int i = 0; i < 2; i++)
		if (plugs[i].host && leads_to_leaf(c, &plugs[!i])) {
			draft.host = plugs[i].end->peer;
			draft.leaf = plugs[!i].end->peer;
		}
	if (!draft.host) {
		missing[1] = second_missing(c, plugs, first);
		if (missing[1] == NO_CELL)
			return false;
		draft.num_missing = 2;
	}
	for (int i = 0; i < 2; i++) {
		if (plugs[i].stray) {
			draft.strays[draft.num_strays++] = *plugs[i].stray;
			*plugs[i].stray = NULL;
		} else if (!plugs[i].host) {
			struct cell *cell = &c->all[plugs[i].cell];

			cell->cable = number_of_end(c, plugs[i].end) == cell->end[LOWER]
			                  ? plugs[i].end
			                  : plugs[i].end->peer;
			extra[draft.num_extra++] = plugs[i].cell;
		}
	}
	case_add(c, &draft);
	return true;
}

void cases_of_plugs(struct cells *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct cell *cell = &c->all[i];
		const struct ibc_node *ends[2] = { c->tree->switches.nodes[cell->end[LOWER]],
			                           c->tree->switches.nodes[cell->end[UPPER]] };
		const struct ibc_port *a, *z;
		struct plug plugs[2];

		if (cell->used || cell->cable || cell->outlier || cell->twin != NO_CELL)
			continue;
		for (unsigned int p = 1; !cell->used && (a = ibc_node_port(ends[LOWER], p)); p++) {
			if (!is_misplaced(c, a, LOWER, cell->end[UPPER], &plugs[LOWER]))
				continue;
			for (unsigned int q = 1; (z = ibc_node_port(ends[UPPER], q)); q++)
				if (is_misplaced(c, z, UPPER, cell->end[LOWER], &plugs[UPPER]) &&
				    a->peer != z && exchange_plugs(c, i, plugs))
					break;
		}
	}
}
