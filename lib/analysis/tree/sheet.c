/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/tree/sheet.h"

#include "base/arena.h"

bool sheet_fill(struct arena *a, const struct ibc_fattree *tree, const struct wiring_group *g,
                struct sheet *out)
{
	const struct wiring_groups *groups = &tree->groups;
	const struct switches *sw = &tree->switches;
	uint32_t own = (uint32_t)(g - groups->all);

	*out = (struct sheet){ .group = g };
	out->cell = arena_array(a, (size_t)g->num_lower * g->num_upper + 1, sizeof(*out->cell));
	out->stray = arena_array(a, g->num_lower + 1u, sizeof(*out->stray));
	out->same = arena_array(a, g->num_lower + 1u, sizeof(*out->same));
	out->stray_up = arena_array(a, g->num_upper + 1u, sizeof(*out->stray_up));
	if (!out->cell || !out->stray || !out->same || !out->stray_up)
		return false;
	for (uint32_t i = 0; i < g->num_lower; i++) {
		uint32_t s = g->lower[i];

		for (uint32_t k = sw->first_pair[s]; k < sw->first_pair[s + 1]; k++) {
			const struct switch_pair *p = &sw->pairs[k];

			if (tree->rank[p->to] == g->rank)
				out->same[i] += p->count;
			else if (tree->rank[p->to] != g->rank + 1)
				continue;
			else if (groups->as_upper[p->to] == own)
				out->cell[(size_t)i * g->num_upper + groups->place_upper[p->to]] =
				    (uint16_t)p->count;
			else
				out->stray[i] += p->count;
		}
	}
	for (uint32_t i = 0; i < g->num_upper; i++) {
		uint32_t s = g->upper[i];

		for (uint32_t k = sw->first_pair[s]; k < sw->first_pair[s + 1]; k++)
			if (tree->rank[sw->pairs[k].to] == g->rank &&
			    groups->as_lower[sw->pairs[k].to] != own)
				out->stray_up[i] += sw->pairs[k].count;
	}
	return true;
}

static void add_cell(struct line *line, uint32_t mode, uint32_t cell)
{
	line->wanted += mode;
	if (cell < mode)
		line->missing += mode - cell;
	else
		line->extra += cell - mode;
}

struct line line_of_lower(const struct sheet *sheet, uint32_t row, const bool *skip)
{
	const struct wiring_group *g = sheet->group;
	const uint16_t *cell = &sheet->cell[(size_t)row * g->num_upper];
	struct line line = { .extra = sheet->stray[row] };

	for (uint32_t u = 0; u < g->num_upper; u++)
		if (!g->outlier_upper[u] && !(skip && skip[u]))
			add_cell(&line, g->mode[u], cell[u]);
	return line;
}

struct line line_of_upper(const struct sheet *sheet, uint32_t column, const bool *skip)
{
	const struct wiring_group *g = sheet->group;
	struct line line = { .extra = sheet->stray_up[column] };

	for (uint32_t l = 0; l < g->num_lower; l++)
		if (!g->outlier_lower[l] && !(skip && skip[l]))
			add_cell(&line, g->mode[column],
			         sheet->cell[(size_t)l * g->num_upper + column]);
	return line;
}

uint32_t line_moves(struct line line)
{
	return line.missing > line.extra ? line.missing : line.extra;
}

double line_slack(struct line line)
{
	return line.wanted > 6 ? line.wanted / 6.0 : 1;
}
