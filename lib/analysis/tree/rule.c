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
#define ALIKE_MIN       3    /* that lack as much as each other: they are meant so */
#define APART_PART      4 /* of the lower switches one in so many has none to an upper one: meant */
#define DAMAGED_HOSTS   75 /* percent of the hosts of the others; with less it is of another kind */
#define COUNT_MAX       254       /* cables between two switches */
#define VISITS_MAX      40000000u /* of cells, in all groups */

/* ---- the cables of a group ------------------------------------------------------------- */

/*
 * struct trim - a group at work; its room is that of the largest
 * @cell: cables: cell[lower * num[UPPER] + upper], by places
 * @stray: by side and place: cables to switches of other groups
 * @same: by lower place: cables to its own rank
 * @explained: by lower place: it has a cable elsewhere that may be a missing one
 * @bad, @excess: by side and place: it looks irregular as of now; how much so, if more than 1
 * @by_good: by place of either: going only by what is not irregular across
 * @left, @num_bad: by side: that are not set aside; that look irregular
 * @usual: count of cables in other groups of the tier, or 0
 */
struct trim {
	const struct ibc_fattree *tree;
	struct wiring_group *g;
	uint16_t *cell;
	uint32_t *stray[2], *same;
	bool *explained, *bad[2];
	double *excess[2], *by_good;
	uint32_t left[2], num_bad[2], usual;
};

static void fill_sheet(struct trim *t)
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

/*
 * A row, or a column: what is irregular across does not count, nor is what skip has, if it is
 * given. Of a column what rows lack that have a cable elsewhere is explained.
 */
static struct line line_of(const struct trim *t, int side, uint32_t place, const bool *skip)
{
	const struct wiring_group *g = t->g;
	struct line line = { .extra = t->stray[side][place] };

	for (uint32_t i = 0; i < g->num[!side]; i++) {
		uint32_t row = side == LOWER ? place : i, column = side == LOWER ? i : place;
		uint32_t mode = g->mode[column],
			 cell = t->cell[(size_t)row * g->num[UPPER] + column];

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

/* ---- setting aside ---------------------------------------------------------------------- */

/*
 * More than 1: irregular.  Bare holes weigh more than cables that are elsewhere
 * (doc/wiring.md, table 5, part B).
 */
static double excess_of(const struct trim *t, int side, uint32_t place, const bool *skip)
{
	struct line line = line_of(t, side, place, skip);
	double slack = line.wanted / 4.0, holes, moved;

	line.extra += side == LOWER ? t->same[place] : 0;
	holes = ((double)line.missing - line.extra) / line_slack(line);
	moved = line_moves(line) / (slack > 2 ? slack : 2);
	return holes > moved ? holes : moved;
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

	for (uint32_t l = 0; l < g->num[LOWER]; l++)
		for (uint32_t u = 0; u < g->num[UPPER] && !g->outlier[LOWER][l]; u++)
			if (!g->outlier[UPPER][u]) {
				have[t->cell[(size_t)l * g->num[UPPER] + u]]++;
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

		for (uint32_t l = 0; g->rank == rank && l < g->num[LOWER]; l++) {
			uint32_t s = g->sw[LOWER][l];

			for (const struct trunk *p = trunks(sw, s); p < trunks(sw, s + 1); p++)
				have[p->count] += groups->of[UPPER][p->to] == i;
			cells += g->num[UPPER];
		}
	}
	return find_common(have, cells);
}

static void find_modes(struct trim *t)
{
	struct wiring_group *g = t->g;
	uint32_t uniform = find_uniform(t);

	for (uint32_t u = 0; u < g->num[UPPER]; u++) {
		uint32_t have[COUNT_MAX + 1] = { 0 }, frequent = 0; /* of equals the larger */

		for (uint32_t l = 0; l < g->num[LOWER]; l++)
			if (!g->outlier[LOWER][l])
				have[t->cell[(size_t)l * g->num[UPPER] + u]]++;
		for (uint32_t count = 1; count <= COUNT_MAX; count++)
			if (have[count] && have[count] >= have[frequent])
				frequent = count;
		g->mode[u] = (uint16_t)(uniform && !g->outlier[UPPER][u] ? uniform : frequent);
		if (!g->mode[u] && !g->outlier[UPPER][u]) {
			g->outlier[UPPER][u] = true;
			t->left[UPPER]--;
		}
	}
}

/* Whether any row or column is irregular. */
static bool find_bad(struct trim *t)
{
	struct wiring_group *g = t->g;

	for (uint32_t l = 0; l < g->num[LOWER]; l++)
		t->explained[l] = t->same[l] || line_of(t, LOWER, l, NULL).extra;
	for (int side = 0; side < 2; side++) {
		t->num_bad[side] = 0;
		for (uint32_t i = 0; i < g->num[side]; i++) {
			t->excess[side][i] = g->outlier[side][i] ? 0 : excess_of(t, side, i, NULL);
			t->bad[side][i] = t->excess[side][i] > 1;
			t->num_bad[side] += t->bad[side][i];
		}
	}
	return t->num_bad[LOWER] || t->num_bad[UPPER];
}

#define NONE UINT32_MAX

/* The place of the most, if that is more than 1; else NONE. */
static uint32_t find_worst(const double *of, uint32_t n)
{
	uint32_t worst = NONE;

	for (uint32_t i = 0; i < n; i++)
		if (of[i] > 1 && (worst == NONE || of[i] > of[worst]))
			worst = i;
	return worst;
}

/* The same, by what is not irregular across. */
static uint32_t find_worst_by_good(struct trim *t, int side)
{
	for (uint32_t i = 0; i < t->g->num[side]; i++)
		t->by_good[i] = t->bad[side][i] ? excess_of(t, side, i, t->bad[!side]) : 0;
	return find_worst(t->by_good, t->g->num[side]);
}

/* Sets one aside, the worst; a column rather than a row if else most rows would be gone. */
static void set_one_aside(struct trim *t)
{
	uint32_t worst_column = find_worst(t->excess[UPPER], t->g->num[UPPER]);
	uint32_t column = NONE, row = NONE, place;
	int side;

	/* first by what is not irregular across, if enough of the rows are not */
	if ((t->left[LOWER] - t->num_bad[LOWER]) * 3 >= t->left[LOWER])
		column = find_worst_by_good(t, UPPER);
	if (column == NONE)
		row = find_worst_by_good(t, LOWER);
	if (column == NONE && row == NONE) {
		row = find_worst(t->excess[LOWER], t->g->num[LOWER]);
		column = worst_column;
		if (row != NONE && column != NONE &&
		    t->excess[UPPER][column] > t->excess[LOWER][row])
			row = NONE;
	}
	if (row != NONE && worst_column != NONE && (t->left[LOWER] - 1) * 2 < t->g->num[LOWER]) {
		row = NONE;
		column = worst_column;
	}
	side = row != NONE ? LOWER : UPPER;
	place = row != NONE ? row : column;
	TRACE(t->tree->trace, IBC_TRACE_TREE, "group %zu: %s %s set aside, excess %.3g > 1",
	      (size_t)(t->g - t->tree->groups.all), row != NONE ? "row" : "column",
	      t->tree->switches.nodes[t->g->sw[side][place]]->label, t->excess[side][place]);
	t->g->outlier[side][place] = true;
	t->left[side]--;
}

/* ---- damaged, or of another design -------------------------------------------------------- */

/* The count that all columns which are left have; 0: they differ. */
static uint32_t common_mode(const struct wiring_group *g)
{
	uint32_t mode = 0;

	for (uint32_t u = 0; u < g->num[UPPER]; u++) {
		if (g->outlier[UPPER][u])
			continue;
		if (mode && g->mode[u] != mode)
			return 0;
		mode = g->mode[u];
	}
	return mode;
}

/*
 * struct lack - what a row or a column has less than the others
 * @holes: cables, if it has no other fault; 0: it is regular, or it is more than that
 * @even: the same number to each
 * @moved: it has all its cables, so many of them elsewhere
 * @apart: it has all or none to each across: of an upper one, none to a good part; of a lower one,
 *	   where it could have some of several
 */
struct lack {
	uint32_t holes;
	bool even, moved, apart;
};

static struct lack lack_of(const struct trim *t, int side, uint32_t place, uint32_t mode)
{
	const struct wiring_group *g = t->g;
	struct lack lack = { 0 };
	uint32_t missing = 0, extra = 0, first = 0, across = 0, none = 0, partly = 0;
	bool even = side == LOWER;

	if (t->stray[side][place] || (side == LOWER && t->same[place]) || (side == UPPER && !mode))
		return lack;
	for (uint32_t i = 0; i < g->num[!side]; i++) {
		uint32_t row = side == LOWER ? place : i, column = side == LOWER ? i : place;
		uint32_t wanted = side == LOWER ? g->mode[column] : mode;
		uint32_t cell = t->cell[(size_t)row * g->num[UPPER] + column];
		uint32_t hole = cell < wanted ? wanted - cell : 0;

		if (g->outlier[!side][i])
			continue;
		first = across++ ? first : hole;
		even &= cell && hole == first;
		missing += hole;
		none += !cell;
		partly += cell && hole;
		extra += cell - (wanted - hole);
	}
	even &= first && across > 1 && !extra;
	if ((extra && extra != missing) || (!g->outlier[side][place] && !even))
		return lack;
	lack = (struct lack){ .holes = missing, .even = even, .moved = extra != 0 };
	/* a fault besides leaves it a switch of another design */
	lack.apart = side == UPPER ? none * APART_PART >= across && partly < none
	                           : none && !partly && missing > none;
	return lack;
}

static bool is_same_model(const struct ibc_node *a, const struct ibc_node *z)
{
	return a->vendor_id == z->vendor_id && a->device_id == z->device_id &&
	       a->num_ports == z->num_ports;
}

/* Is there more to be seen than the count?  Those speak that lack half as much at the most. */
static bool is_visibly_other(const struct trim *t, int side, uint32_t place,
                             const struct lack *lacks)
{
	const struct switches *sw = &t->tree->switches;
	const struct wiring_group *g = t->g;
	const struct ibc_node *node = sw->nodes[g->sw[side][place]];
	uint64_t hosts = 0, n = 0, its = sw->hosts[g->sw[side][place]];
	bool same_model = false;

	for (uint32_t i = 0; i < g->num[side]; i++) {
		if ((g->outlier[side][i] && !lacks[i].holes) ||
		    lacks[i].holes * 2 > lacks[place].holes)
			continue;
		same_model |= is_same_model(node, sw->nodes[g->sw[side][i]]);
		hosts += sw->hosts[g->sw[side][i]];
		n++;
	}
	if (side == UPPER)
		return !same_model || (its && !hosts);
	return !same_model || its * n * 100 < hosts * DAMAGED_HOSTS;
}

static uint32_t count_alike(const struct lack *lacks, uint32_t n, uint32_t holes)
{
	uint32_t alike = 0;

	for (uint32_t i = 0; i < n; i++)
		alike += lacks[i].holes == holes;
	return alike;
}

/*
 * Several that are alike are a class of their own, and one of them that has lost a cable is of that
 * class: the place of one of those that lack a little less, and are of the same model; or NONE.
 */
static uint32_t find_class(const struct trim *t, int side, uint32_t place, const struct lack *lacks)
{
	const struct wiring_group *g = t->g;
	uint32_t best = NONE;

	for (uint32_t i = 0; i < g->num[side]; i++)
		if (lacks[i].holes && lacks[i].holes < lacks[place].holes &&
		    (best == NONE || lacks[i].holes > lacks[best].holes) &&
		    count_alike(lacks, g->num[side], lacks[i].holes) >= ALIKE_MIN &&
		    is_same_model(t->tree->switches.nodes[g->sw[side][i]],
		                  t->tree->switches.nodes[g->sw[side][place]]))
			best = i;
	return best;
}

/* Does a switch lead there through this port? */
static bool leads_to(const struct ibc_node *node, unsigned int num, const struct ibc_node *far)
{
	const struct ibc_port *p = ibc_node_port(node, num);

	return p && p->peer && p->peer->node == far;
}

/* How many of its cables, in percent, are at the port where most of the others have them? */
static uint32_t places_kept(const struct trim *t, int side, uint32_t place)
{
	const struct switches *sw = &t->tree->switches;
	const struct wiring_group *g = t->g;
	uint32_t s = g->sw[side][place], all = 0, kept = 0;

	for (const struct trunk *p = trunks(sw, s); p < trunks(sw, s + 1); p++) {
		if (t->tree->groups.of[!side][p->to] != (size_t)(g - t->tree->groups.all))
			continue;
		for (uint32_t k = 0; k < p->count; k++) {
			const struct ibc_port *end = sw->cables[p->first + k];
			uint32_t agree = 0;

			for (uint32_t i = 0; i < g->num[side]; i++)
				agree += !g->outlier[side][i] && i != place &&
				         leads_to(sw->nodes[g->sw[side][i]], end->num,
				                  sw->nodes[p->to]);
			kept += agree * 2 > t->left[side];
			all++;
		}
	}
	return all ? kept * 100 / all : 0;
}

/* Are its cables at the same few ports of all across, as those of a switch that has its own? */
static bool has_own_places(const struct trim *t, int side, uint32_t place, uint32_t mode)
{
	const struct switches *sw = &t->tree->switches;
	uint32_t s = t->g->sw[side][place], all = 0, distinct = 0;
	bool seen[VOTE_PORTS] = { false };

	for (const struct trunk *p = trunks(sw, s); p < trunks(sw, s + 1); p++) {
		if (t->tree->groups.of[!side][p->to] != (size_t)(t->g - t->tree->groups.all))
			continue;
		for (uint32_t k = 0; k < p->count; k++) {
			const struct ibc_port *far = sw->cables[p->first + k]->peer;

			distinct += !seen[far->num];
			seen[far->num] = true;
			all++;
		}
	}
	return distinct <= mode && all > distinct;
}

static enum wiring_verdict judge_lack(struct trim *t, int side, uint32_t place,
                                      const struct lack *lacks)
{
	struct wiring_group *g = t->g;
	const struct lack *lack = &lacks[place];
	uint32_t alike = count_alike(lacks, g->num[side], lack->holes);
	uint32_t class = find_class(t, side, place, lacks);

	if (lack->moved)
		return alike < ALIKE_MIN && !is_visibly_other(t, side, place, lacks) &&
		               places_kept(t, side, place) >= KEPT_PERCENT
		           ? VERDICT_DAMAGED
		           : VERDICT_NONE;
	if (alike >= ALIKE_MIN || (lack->apart && (side == UPPER || alike > 1)))
		return VERDICT_DIFFERENT;
	if (class != NONE) {
		g->like[side][place] = class + 1;
		return VERDICT_DOUBTFUL;
	}
	if (is_visibly_other(t, side, place, lacks))
		return VERDICT_DIFFERENT;
	if (lack->even || alike > 1)
		return VERDICT_DOUBTFUL;
	return places_kept(t, side, place) == 100 || has_own_places(t, side, place, common_mode(g))
	           ? VERDICT_DAMAGED
	           : VERDICT_DOUBTFUL;
}

/*
 * A damaged switch and one of another design may lack the same.  What decides is what can be seen
 * beside the count, how many are alike, and where the cables are that are left.
 */
static void judge_side(struct trim *t, int side)
{
	struct wiring_group *g = t->g;
	uint32_t mode = common_mode(g), n = g->num[side];
	struct lack *lacks = arena_array(t->tree->tmp, n + 1u, sizeof(*lacks));

	for (uint32_t i = 0; i < n; i++)
		lacks[i] = lack_of(t, side, i, mode);
	for (uint32_t i = 0; i < n && t->left[side] >= ROWS_MIN; i++)
		if (lacks[i].holes)
			g->verdict[side][i] = (uint8_t)judge_lack(t, side, i, lacks);
	for (uint32_t i = 0; i < n; i++) {
		t->left[side] -= g->verdict[side][i] && !g->outlier[side][i];
		g->outlier[side][i] |= g->verdict[side][i] != VERDICT_NONE;
		if (side == UPPER && g->verdict[side][i] == VERDICT_DAMAGED)
			g->mode[i] = (uint16_t)mode;
	}
}

/* Those that are damaged keep the rule but for their holes. */
static void take_damaged_back(struct wiring_group *g)
{
	for (int side = 0; side < 2; side++)
		for (uint32_t i = 0; i < g->num[side]; i++)
			g->outlier[side][i] &= g->verdict[side][i] != VERDICT_DAMAGED;
}

/* ---- what it comes to -------------------------------------------------------------------- */

/* Are enough switches and cables left to speak for the group? */
static bool speaks_for_all(const struct trim *t)
{
	const struct wiring_group *g = t->g;
	uint64_t all = 0, kept = 0;
	uint32_t targets = 0;

	for (uint32_t l = 0; l < g->num[LOWER]; l++) {
		for (uint32_t u = 0; u < g->num[UPPER]; u++) {
			uint32_t cell = t->cell[(size_t)l * g->num[UPPER] + u];

			all += cell;
			kept += g->outlier[LOWER][l] || g->outlier[UPPER][u] ? 0 : cell;
		}
	}
	for (uint32_t u = 0; u < g->num[UPPER]; u++)
		targets += g->mode[u] > 0;
	return kept * 100 > all * KEPT_PERCENT &&
	       t->left[LOWER] * 100ull >= g->num[LOWER] * KEPT_PERCENT &&
	       t->left[UPPER] * 100ull >= targets * KEPT_PERCENT;
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

	t->left[LOWER] = g->num[LOWER];
	t->left[UPPER] = g->num[UPPER];
	g->mode = arena_array(tree->arena, g->num[UPPER] + 1u, sizeof(*g->mode));
	g->outlier[LOWER] = arena_array(tree->arena, g->num[LOWER] + 1u,
	                                sizeof(*g->outlier[LOWER]));
	g->outlier[UPPER] = arena_array(tree->arena, g->num[UPPER] + 1u,
	                                sizeof(*g->outlier[UPPER]));
	for (int side = 0; side < 2; side++) {
		g->verdict[side] = arena_alloc(tree->arena, g->num[side] + 1u);
		g->like[side] = arena_array(tree->arena, g->num[side] + 1u, sizeof(*g->like[side]));
	}
	fill_sheet(t);
	find_modes(t);
	while (t->left[LOWER] > 1 && t->left[UPPER] && find_bad(t)) {
		*visits += (uint64_t)g->num[LOWER] * g->num[UPPER];
		if (*visits > VISITS_MAX)
			break;
		set_one_aside(t);
		find_modes(t);
	}
	judge_side(t, LOWER);
	judge_side(t, UPPER);
	*share = (struct rule_share){
		.g = g,
		.rows = t->left[LOWER],
		.speaks = *visits <= VISITS_MAX && speaks_for_all(t),
		.modes = arena_array(tree->tmp, g->num[UPPER] + 1u, sizeof(*share->modes)),
	};
	for (uint32_t u = 0; u < g->num[UPPER]; u++)
		if (!g->outlier[UPPER][u])
			share->modes[share->num_modes++] = g->mode[u];
	qsort(share->modes, share->num_modes, sizeof(*share->modes), by_mode);
	for (uint32_t l = 0; l < g->num[LOWER]; l++) {
		struct line line = line_of(t, LOWER, l, NULL);

		if (g->outlier[LOWER][l])
			continue;
		g->cables += line.wanted;
		share->moves += line_moves(line);
		share->conform += !line_moves(line);
	}
	take_damaged_back(g);
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

		rule->lower = s->g->num[LOWER] > rule->lower ? s->g->num[LOWER] : rule->lower;
		rule->upper = s->g->num[UPPER] > rule->upper ? s->g->num[UPPER] : rule->upper;
		rule->conform += s->conform;
		rule->evaluated += s->g->num[LOWER];
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
		      shares[i].rows, g->num[LOWER],
		      shares[i].speaks ? "" : ", too little to speak for the group",
		      g->evaluated ? "may blame" : "may not blame");
	}
}

void wiring_rules(struct ibc_fattree *tree)
{
	struct arena *tmp = tree->tmp;
	size_t n = tree->groups.n, most[2] = { 1, 1 }, cells = 1;
	struct rule_share *shares = arena_array(tmp, n + 1, sizeof(*shares));
	uint32_t usual[RANKS_MAX] = { 0 };
	struct trim t = { .tree = tree };
	uint64_t visits = 0;

	tree->rules = arena_array(tree->arena, n + 1, sizeof(*tree->rules));
	for (size_t i = 0; i < n; i++) {
		const struct wiring_group *g = &tree->groups.all[i];
		size_t size = (size_t)g->num[LOWER] * g->num[UPPER];

		for (int side = 0; side < 2; side++)
			most[side] = g->num[side] > most[side] ? g->num[side] : most[side];
		cells = size > cells ? size : cells;
	}
	t.cell = arena_array(tmp, cells, sizeof(*t.cell));
	t.same = arena_array(tmp, most[LOWER], sizeof(*t.same));
	t.explained = arena_array(tmp, most[LOWER], sizeof(*t.explained));
	t.by_good = arena_array(tmp, most[LOWER] + most[UPPER], sizeof(*t.by_good));
	for (int side = 0; side < 2; side++) {
		t.stray[side] = arena_array(tmp, most[side], sizeof(*t.stray[side]));
		t.bad[side] = arena_array(tmp, most[side], sizeof(*t.bad[side]));
		t.excess[side] = arena_array(tmp, most[side], sizeof(*t.excess[side]));
	}
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
