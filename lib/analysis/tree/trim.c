/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/tree/trim.h"

#include <string.h>

void trim_fill(struct trim *t)
{
	const struct wiring_groups *groups = &t->tree->groups;
	const struct switches *sw = &t->tree->switches;
	const struct wiring_group *g = t->g;
	uint32_t own = (uint32_t)(g - groups->all);

	memset(t->cell, 0, (size_t)g->num[LOWER] * g->num[UPPER] * sizeof(*t->cell));
	for (uint32_t i = 0; i < g->num[LOWER]; i++) {
		uint32_t s = g->sw[LOWER][i];

		t->stray[LOWER][i] = t->same[i] = 0;
		for (const struct trunk *p = trunks(sw, s); p < trunks(sw, s + 1); p++) {
			if (t->tree->rank[p->to] == g->rank)
				t->same[i] += p->count;
			else if (t->tree->rank[p->to] != g->rank + 1)
				continue;
			else if (groups->of[UPPER][p->to] == own)
				t->cell[(size_t)i * g->num[UPPER] + groups->place[UPPER][p->to]] =
				    (uint16_t)p->count;
			else
				t->stray[LOWER][i] += p->count;
		}
	}
	for (uint32_t i = 0; i < g->num[UPPER]; i++) {
		uint32_t s = g->sw[UPPER][i];

		t->stray[UPPER][i] = 0;
		for (const struct trunk *p = trunks(sw, s); p < trunks(sw, s + 1); p++)
			if (t->tree->rank[p->to] == g->rank && groups->of[LOWER][p->to] != own)
				t->stray[UPPER][i] += p->count;
	}
}

struct line trim_line(const struct trim *t, int side, uint32_t place, const bool *skip)
{
	const struct wiring_group *g = t->g;
	struct line line = { .extra = t->stray[side][place] };

	for (uint32_t i = 0; i < g->num[!side]; i++) {
		uint32_t row = side == LOWER ? place : i, column = side == LOWER ? i : place;
		uint32_t mode = modes_of(g, row)[column], cell = cells_of_row(t, row)[column];

		if (g->outlier[!side][i] || (skip && skip[i]))
			continue;
		line.wanted += mode;
		if (cell > mode)
			line.extra += cell - mode;
		else if (side == LOWER || !t->explained[row])
			line.missing += mode - cell;
	}
	return line;
}

/*
 * More than 1: irregular.  Bare holes weigh more than cables that are elsewhere
 * (doc/wiring.md, table 5, part B).
 */
double trim_excess(const struct trim *t, int side, uint32_t place, const bool *skip)
{
	struct line line = trim_line(t, side, place, skip);
	double slack = line.wanted / 4.0, holes, moved;

	line.extra += side == LOWER ? t->same[place] : 0;
	holes = ((double)line.missing - line.extra) / line_slack(line);
	moved = line_moves(line) / (slack > 2 ? slack : 2);
	return holes > moved ? holes : moved;
}

bool looks_like(const struct switches *sw, uint32_t s, uint32_t other)
{
	uint64_t x = sw->hosts[s], y = sw->hosts[other];

	return is_same_model(sw->nodes[s], sw->nodes[other]) &&
	       (x < y ? x : y) * 100 >= (x > y ? x : y) * DAMAGED_HOSTS;
}
