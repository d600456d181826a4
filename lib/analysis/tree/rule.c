/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What most switches of a group do: how many cables each lower switch has to each upper
 * one.  Switches that do otherwise altogether (service leaves, half-cabled spines) are set
 * aside first, one at a time, as they would condemn the regular ones.  Groups of one shape
 * vouch for each other.  O(cells of a group) for each switch set aside.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/tree/cells.h"
#include "base/arena.h"
#include "base/array.h"

/* why each: doc/wiring.md, table 5, parts B and C */
#define UNIFORM_PERCENT 75   /* of the cells: one count for all */
#define USUAL_PERCENT   50   /* of the cells, where other groups have it for all */
#define ROWS_MIN        3    /* with fewer there is no majority */
#define GROUPS_MIN      3    /* of one shape, to vouch for each other */
#define SUPPORT         0.75 /* share of cables that keep it */
#define SUPPORT_SMALL   0.9  /* of groups with fewer rows, if there are so many of them */
#define KEPT_PERCENT    50   /* of rows, columns, cables that trimming may not go below */
#define DAMAGED_ROWS    8    /* one row in so many may lack much, and be no design */
#define DAMAGED_UPLINKS 12   /* of fewer, a quarter may be one spine that is meant for others */
#define DAMAGED_KEPT    75   /* percent of its uplinks that such a row has ... */
#define DAMAGED_HOSTS   75   /* ... and of the hosts of the others */
#define COUNT_MAX       254  /* cables between two switches */
#define VISITS_MAX      40000000u /* of cells, in all groups */

/* ---- the cables of a group ------------------------------------------------------------- */

/*
 * struct trim - a group at work; its room is that of the largest
 * @cell: cables: cell[lower * num_upper + upper], by places
 * @stray, @same: by lower place: cables to upper switches of other groups; to its own rank
 * @stray_up: by upper place: cables from lower switches of other groups
 * @explained: by row: it has a cable elsewhere that may be a missing one
 * @bad_row, @bad_column: by place: it looks irregular as of now
 * @by_good: by place of either: going only by what is not irregular across
 * @rows, @columns: that are left
 * @usual: count of cables in other groups of the tier, or 0
 */
struct trim {
	const struct ibc_fattree *tree;
	struct wiring_group *g;
	uint16_t *cell;
	uint32_t *stray, *same, *stray_up;
	bool *explained, *bad_row, *bad_column;
	double *row_excess, *column_excess, *by_good;
	uint32_t rows, columns, bad_rows, usual;
};

static void fill_sheet(struct trim *t)
{
	const struct wiring_groups *groups = &t->tree->groups;
	const struct switches *sw = &t->tree->switches;
	const struct wiring_group *g = t->g;
	uint32_t own = (uint32_t)(g - groups->all);

	memset(t->cell, 0, (size_t)g->num_lower * g->num_upper * sizeof(*t->cell));
	for (uint32_t i = 0; i < g->num_lower; i++) {
		uint32_t s = g->lower[i];

		t->stray[i] = t->same[i] = 0;
		for (const struct trunk *p = trunks(sw, s); p < trunks(sw, s + 1); p++) {
			if (t->tree->rank[p->to] == g->rank)
				t->same[i] += p->count;
			else if (t->tree->rank[p->to] != g->rank + 1)
				continue;
			else if (groups->as_upper[p->to] == own)
				t->cell[(size_t)i * g->num_upper + groups->place_upper[p->to]] =
				    (uint16_t)p->count;
			else
				t->stray[i] += p->count;
		}
	}
	for (uint32_t i = 0; i < g->num_upper; i++) {
		uint32_t s = g->upper[i];

		t->stray_up[i] = 0;
		for (const struct trunk *p = trunks(sw, s); p < trunks(sw, s + 1); p++)
			if (t->tree->rank[p->to] == g->rank && groups->as_lower[p->to] != own)
				t->stray_up[i] += p->count;
	}
}

static void add_to_line(struct line *line, uint32_t mode, uint32_t cell)
{
	line->wanted += mode;
	if (cell < mode)
		line->missing += mode - cell;
	else
		line->extra += cell - mode;
}

/* Odd columns do not count, nor do those of skip, if it is given. */
static struct line line_of_row(const struct trim *t, uint32_t row, const bool *skip)
{
	const struct wiring_group *g = t->g;
	const uint16_t *cell = &t->cell[(size_t)row * g->num_upper];
	struct line line = { .extra = t->stray[row] };

	for (uint32_t u = 0; u < g->num_upper; u++)
		if (!g->outlier_upper[u] && !(skip && skip[u]))
			add_to_line(&line, g->mode[u], cell[u]);
	return line;
}

/* ---- setting aside ---------------------------------------------------------------------- */

/*
 * More than 1: irregular.  Bare holes weigh more than cables that are elsewhere
 * (doc/wiring.md, table 5, part B).
 */
static double excess(struct line line)
{
	double holes = ((double)line.missing - line.extra) / line_slack(line);
	double slack = line.wanted / 4.0, moved = line_moves(line) / (slack > 2 ? slack : 2);

	return holes > moved ? holes : moved;
}

static double row_excess(const struct trim *t, uint32_t row, const bool *skip)
{
	struct line line = line_of_row(t, row, skip);

	line.extra += t->same[row];
	return excess(line);
}

/* Odd rows do not count, nor do those of skip, if it is given. */
static double column_excess(const struct trim *t, uint32_t column, const bool *skip)
{
	const struct wiring_group *g = t->g;
	struct line line = { .extra = t->stray_up[column] };

	for (uint32_t l = 0; l < g->num_lower; l++) {
		uint32_t cell = t->cell[(size_t)l * g->num_upper + column];

		if (g->outlier_lower[l] || (skip && skip[l]))
			continue;
		add_to_line(&line, g->mode[column], cell);
		if (t->explained[l] && cell < g->mode[column])
			line.missing -= g->mode[column] - cell;
	}
	return excess(line);
}

/* The one count that nearly all cells have; or 0. */
static uint32_t find_common(const uint64_t have[COUNT_MAX + 1], uint64_t cells)
{
	for (uint32_t count = 1; count <= COUNT_MAX; count++)
		if (have[count] && have[count] * 100 >= cells * UNIFORM_PERCENT)
			return count;
	return 0;
}

/* Of the cells of a group; also what most have, if it is the usual one. */
static uint32_t find_uniform(const struct trim *t)
{
	const struct wiring_group *g = t->g;
	uint64_t have[COUNT_MAX + 1] = { 0 }, cells = 0;
	uint32_t common;

	for (uint32_t l = 0; l < g->num_lower; l++)
		for (uint32_t u = 0; u < g->num_upper && !g->outlier_lower[l]; u++)
			if (!g->outlier_upper[u]) {
				have[t->cell[(size_t)l * g->num_upper + u]]++;
				cells++;
			}
	common = find_common(have, cells);
	if (!common && t->usual && have[t->usual] * 100 >= cells * USUAL_PERCENT)
		return t->usual;
	return common;
}

/* Over all groups of a tier. */
static uint32_t find_usual(const struct ibc_fattree *tree, unsigned int rank)
{
	const struct wiring_groups *groups = &tree->groups;
	const struct switches *sw = &tree->switches;
	uint64_t have[COUNT_MAX + 1] = { 0 }, cells = 0;

	for (size_t i = 0; i < groups->n; i++) {
		const struct wiring_group *g = &groups->all[i];

		for (uint32_t l = 0; g->rank == rank && l < g->num_lower; l++) {
			uint32_t s = g->lower[l];

			for (const struct trunk *p = trunks(sw, s); p < trunks(sw, s + 1); p++)
				have[p->count] += groups->as_upper[p->to] == i;
			cells += g->num_upper;
		}
	}
	return find_common(have, cells);
}

static void find_modes(struct trim *t)
{
	struct wiring_group *g = t->g;
	uint32_t uniform = find_uniform(t);

	for (uint32_t u = 0; u < g->num_upper; u++) {
		uint32_t have[COUNT_MAX + 1] = { 0 }, frequent = 0; /* of equals the larger */

		for (uint32_t l = 0; l < g->num_lower; l++)
			if (!g->outlier_lower[l])
				have[t->cell[(size_t)l * g->num_upper + u]]++;
		for (uint32_t count = 1; count <= COUNT_MAX; count++)
			if (have[count] && have[count] >= have[frequent])
				frequent = count;
		g->mode[u] = (uint16_t)(uniform && !g->outlier_upper[u] ? uniform : frequent);
		if (!g->mode[u] && !g->outlier_upper[u]) {
			g->outlier_upper[u] = true;
			t->columns--;
		}
	}
}

/* Whether any row or column is irregular. */
static bool find_bad(struct trim *t)
{
	bool any = false;

	for (uint32_t l = 0; l < t->g->num_lower; l++)
		t->explained[l] = t->same[l] || line_of_row(t, l, NULL).extra;
	t->bad_rows = 0;
	for (uint32_t l = 0; l < t->g->num_lower; l++) {
		t->row_excess[l] = t->g->outlier_lower[l] ? 0 : row_excess(t, l, NULL);
		t->bad_row[l] = t->row_excess[l] > 1;
		t->bad_rows += t->bad_row[l];
		any |= t->bad_row[l];
	}
	for (uint32_t u = 0; u < t->g->num_upper; u++) {
		t->column_excess[u] = t->g->outlier_upper[u] ? 0 : column_excess(t, u, NULL);
		t->bad_column[u] = t->column_excess[u] > 1;
		any |= t->bad_column[u];
	}
	return any;
}

/* The place of the most, if that is more than 1; else n. */
static uint32_t find_worst(const double *of, uint32_t n)
{
	uint32_t worst = n;

	for (uint32_t i = 0; i < n; i++)
		if (of[i] > 1 && (worst == n || of[i] > of[worst]))
			worst = i;
	return worst;
}

static void trace_aside(const struct trim *t, const char *line, uint32_t s, double e)
{
	TRACE(t->tree->trace, IBC_TRACE_TREE, "group %zu: %s %s set aside, excess %.3g > 1",
	      (size_t)(t->g - t->tree->groups.all), line, t->tree->switches.nodes[s]->label, e);
}

/* Sets one aside, the worst; a column rather than a row if else most rows would be gone. */
static void set_one_aside(struct trim *t)
{
	const uint32_t no_row = t->g->num_lower, no_column = t->g->num_upper;
	uint32_t worst_column = find_worst(t->column_excess, no_column);
	uint32_t column = no_column, row = no_row;

	/* first by what is not irregular across, if enough of the rows are not */
	if ((t->rows - t->bad_rows) * 3 >= t->rows) {
		for (uint32_t u = 0; u < no_column; u++)
			t->by_good[u] = t->bad_column[u] ? column_excess(t, u, t->bad_row) : 0;
		column = find_worst(t->by_good, no_column);
	}
	if (column == no_column) {
		for (uint32_t l = 0; l < no_row; l++)
			t->by_good[l] = t->bad_row[l] ? row_excess(t, l, t->bad_column) : 0;
		row = find_worst(t->by_good, no_row);
	}
	if (column == no_column && row == no_row) {
		row = find_worst(t->row_excess, no_row);
		column = worst_column;
		if (row != no_row && column != no_column &&
		    t->column_excess[column] > t->row_excess[row])
			row = no_row;
	}
	if (row != no_row && worst_column != no_column && (t->rows - 1) * 2 < t->g->num_lower) {
		row = no_row;
		column = worst_column;
	}
	if (row != no_row) {
		trace_aside(t, "row", t->g->lower[row], t->row_excess[row]);
		t->g->outlier_lower[row] = true;
		t->rows--;
		return;
	}
	trace_aside(t, "column", t->g->upper[column], t->column_excess[column]);
	t->g->outlier_upper[column] = true;
	t->columns--;
}

/* ---- taking back ------------------------------------------------------------------------- */

/* Of two rows with the same holes both are meant so. */
static bool has_twin(const struct trim *t, uint32_t row)
{
	const size_t width = t->g->num_upper;

	for (uint32_t l = 0; l < t->g->num_lower; l++)
		if (l != row && t->g->outlier_lower[l] &&
		    !memcmp(&t->cell[row * width], &t->cell[l * width], width * sizeof(*t->cell)))
			return true;
	return false;
}

/*
 * A row was set aside since it lacks so much; if it is one of few, and for the rest like the
 * others, that is a fault, and no other design (doc/wiring.md, table 5, part B): it has the hosts
 * of a regular row, most of its uplinks, and no cable in another place.
 */
static void take_damaged_back(struct trim *t)
{
	struct wiring_group *g = t->g;
	uint64_t hosts = 0;
	uint32_t n = 0;

	for (uint32_t l = 0; l < g->num_lower; l++)
		hosts += g->outlier_lower[l] ? 0 : t->tree->switches.hosts[g->lower[l]];
	for (uint32_t l = 0; l < g->num_lower; l++) {
		const struct line line = line_of_row(t, l, NULL);
		uint64_t kept = (line.wanted - line.missing) * 100ull;
		uint64_t its = (uint64_t)t->tree->switches.hosts[g->lower[l]] * t->rows * 100;

		g->damaged[l] = g->outlier_lower[l] && line.wanted >= DAMAGED_UPLINKS &&
		                !line.extra && !t->same[l] && !t->stray[l] &&
		                kept >= (uint64_t)line.wanted * DAMAGED_KEPT &&
		                its >= hosts * DAMAGED_HOSTS && !has_twin(t, l);
		n += g->damaged[l];
	}
	for (uint32_t l = 0; l < g->num_lower; l++) {
		g->damaged[l] &= n * DAMAGED_ROWS <= g->num_lower;
		g->outlier_lower[l] &= !g->damaged[l];
		t->rows += g->damaged[l];
	}
}

/* ---- what it comes to -------------------------------------------------------------------- */

/* Are enough switches and cables left to speak for the group? */
static bool speaks_for_all(const struct trim *t)
{
	const struct wiring_group *g = t->g;
	uint64_t all = 0, kept = 0;
	uint32_t targets = 0;

	for (uint32_t l = 0; l < g->num_lower; l++) {
		for (uint32_t u = 0; u < g->num_upper; u++) {
			uint32_t cell = t->cell[(size_t)l * g->num_upper + u];

			all += cell;
			kept += g->outlier_lower[l] || g->outlier_upper[u] ? 0 : cell;
		}
	}
	for (uint32_t u = 0; u < g->num_upper; u++)
		targets += g->mode[u] > 0;
	return kept * 100 > all * KEPT_PERCENT && t->rows * 100ull >= g->num_lower * KEPT_PERCENT &&
	       t->columns * 100ull >= targets * KEPT_PERCENT;
}

/* The group's part of the support of its shape, while it is not known yet. */
struct rule_share {
	struct wiring_group *g;
	uint16_t *modes; /* of columns that are left, sorted */
	uint32_t num_modes;
	uint32_t rows, conform, moves;
	bool speaks;
};

static int by_mode(const void *va, const void *vz)
{
	return order_u64(*(const uint16_t *)vz, *(const uint16_t *)va);
}

static void trim_group(struct ibc_fattree *tree, struct trim *t, uint64_t *visits,
                       struct rule_share *share)
{
	struct wiring_group *g = t->g;

	t->rows = g->num_lower;
	t->columns = g->num_upper;
	g->mode = arena_array(tree->arena, g->num_upper + 1u, sizeof(*g->mode));
	g->outlier_lower = arena_array(tree->arena, g->num_lower + 1u, sizeof(*g->outlier_lower));
	g->outlier_upper = arena_array(tree->arena, g->num_upper + 1u, sizeof(*g->outlier_upper));
	g->damaged = arena_array(tree->arena, g->num_lower + 1u, sizeof(*g->damaged));
	fill_sheet(t);
	find_modes(t);
	while (t->rows > 1 && t->columns && find_bad(t)) {
		*visits += (uint64_t)g->num_lower * g->num_upper;
		if (*visits > VISITS_MAX)
			break;
		set_one_aside(t);
		find_modes(t);
	}
	take_damaged_back(t);
	*share = (struct rule_share){
		.g = g,
		.rows = t->rows,
		.speaks = *visits <= VISITS_MAX && speaks_for_all(t),
		.modes = arena_array(tree->tmp, g->num_upper + 1u, sizeof(*share->modes)),
	};
	for (uint32_t u = 0; u < g->num_upper; u++)
		if (!g->outlier_upper[u])
			share->modes[share->num_modes++] = g->mode[u];
	qsort(share->modes, share->num_modes, sizeof(*share->modes), by_mode);
	for (uint32_t l = 0; l < g->num_lower; l++) {
		struct line line = line_of_row(t, l, NULL);

		if (g->outlier_lower[l])
			continue;
		g->cables += line.wanted;
		share->moves += line_moves(line);
		share->conform += !line_moves(line);
	}
}

/* ---- shapes -------------------------------------------------------------------------------- */

static int compare_shapes(const struct rule_share *a, const struct rule_share *z)
{
	return order_u64(a->g->rank, z->g->rank)
	           ?: order_u64(z->num_modes, a->num_modes)
	           ?: memcmp(a->modes, z->modes, a->num_modes * sizeof(*a->modes));
}

static int by_shape(const void *va, const void *vz)
{
	const struct rule_share *a = va, *z = vz;

	return compare_shapes(a, z) ?: (a->g > z->g) - (a->g < z->g);
}

static void evaluate_rule(const struct ibc_fattree *tree, struct wiring_rule *rule,
                          struct rule_share *shares, size_t n)
{
	uint64_t wanted = 0, missed = 0;
	bool uniform = true;

	*rule = (struct wiring_rule){ .lower_rank = shares[0].g->rank, .groups = n };
	for (size_t i = 0; i < n; i++) {
		const struct rule_share *s = &shares[i];

		rule->lower = s->g->num_lower > rule->lower ? s->g->num_lower : rule->lower;
		rule->upper = s->g->num_upper > rule->upper ? s->g->num_upper : rule->upper;
		rule->conform += s->conform;
		rule->evaluated += s->g->num_lower;
		wanted += s->g->cables;
		missed += s->moves;
	}
	for (uint32_t u = 0; u < shares[0].num_modes; u++) {
		rule->uplinks += shares[0].modes[u];
		uniform &= shares[0].modes[u] == shares[0].modes[0];
	}
	rule->cables = uniform && shares[0].num_modes ? shares[0].modes[0] : 0;
	rule->support = wanted > missed ? (double)(wanted - missed) / (double)wanted : 0;
	for (size_t i = 0; i < n; i++) {
		struct wiring_group *g = shares[i].g;

		g->rule = rule;
		g->evaluated = shares[i].speaks &&
		               ((rule->support >= SUPPORT && shares[i].rows >= ROWS_MIN) ||
		                (rule->support >= SUPPORT_SMALL && n >= GROUPS_MIN));
		rule->holds |= g->evaluated;
		TRACE(tree->trace, IBC_TRACE_TREE,
		      "group %zu: rule of %u uplinks, support %.3g, like groups: %zu, rows left: "
		      "%u of "
		      "%u%s: it %s",
		      (size_t)(g - tree->groups.all), rule->uplinks, rule->support, n,
		      shares[i].rows, g->num_lower,
		      shares[i].speaks ? "" : ", too little to speak for the group",
		      g->evaluated ? "may blame" : "may not blame");
	}
}

void wiring_rules(struct ibc_fattree *tree)
{
	struct arena *tmp = tree->tmp;
	size_t n = tree->groups.n, rows = 1, columns = 1, cells = 1;
	struct rule_share *shares = arena_array(tmp, n + 1, sizeof(*shares));
	uint32_t usual[RANKS_MAX] = { 0 };
	struct trim t = { .tree = tree };
	uint64_t visits = 0;

	tree->rules = arena_array(tree->arena, n + 1, sizeof(*tree->rules));
	for (size_t i = 0; i < n; i++) {
		const struct wiring_group *g = &tree->groups.all[i];
		size_t size = (size_t)g->num_lower * g->num_upper;

		rows = g->num_lower > rows ? g->num_lower : rows;
		columns = g->num_upper > columns ? g->num_upper : columns;
		cells = size > cells ? size : cells;
	}
	t.cell = arena_array(tmp, cells, sizeof(*t.cell));
	t.stray = arena_array(tmp, rows, sizeof(*t.stray));
	t.same = arena_array(tmp, rows, sizeof(*t.same));
	t.stray_up = arena_array(tmp, columns, sizeof(*t.stray_up));
	t.explained = arena_array(tmp, rows, sizeof(*t.explained));
	t.bad_row = arena_array(tmp, rows, sizeof(*t.bad_row));
	t.bad_column = arena_array(tmp, columns, sizeof(*t.bad_column));
	t.row_excess = arena_array(tmp, rows, sizeof(*t.row_excess));
	t.column_excess = arena_array(tmp, columns, sizeof(*t.column_excess));
	t.by_good = arena_array(tmp, rows + columns, sizeof(*t.by_good));
	for (unsigned int rank = 0; rank + 1 < tree->tiers; rank++)
		usual[rank] = find_usual(tree, rank);
	for (size_t i = 0; i < n; i++) {
		t.g = &tree->groups.all[i];
		t.usual = usual[t.g->rank];
		trim_group(tree, &t, &visits, &shares[i]);
	}
	qsort(shares, n, sizeof(*shares), by_shape);
	for (size_t i = 0, end; i < n; i = end) {
		end = i + 1;
		while (end < n && compare_shapes(&shares[i], &shares[end]) == 0)
			end++;
		evaluate_rule(tree, &tree->rules[tree->num_rules++], &shares[i], end - i);
	}
}
