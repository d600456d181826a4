/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What most switches of a group do: how many cables each lower switch has to each upper
 * one.  Switches that do otherwise altogether (service leaves, half-cabled spines) are set
 * aside first, one at a time, as they would condemn the regular ones.  Groups of one shape
 * vouch for each other.  O(cells of a group) for each switch set aside.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/compare.h"
#include "analysis/tree/trim.h"
#include "base/arena.h"
#include "base/array.h"

/* why each: doc/wiring.md, table 5, parts B and C */
#define UNIFORM_PERCENT 75        /* of the cells: one count for all */
#define USUAL_PERCENT   50        /* of the cells, where other groups have it for all */
#define GROUPS_MIN      3         /* of one shape, to vouch for each other */
#define SUPPORT         0.75      /* share of cables that keep it */
#define SUPPORT_SMALL   0.9       /* of groups with fewer rows, if there are so many of them */
#define WHOLE_PART      4         /* one complete row in so many: a column has lost what it lacks */
#define VISITS_MAX      40000000u /* of cells, in all groups */

/* ---- setting aside ---------------------------------------------------------------------- */

/* The one count that nearly all cells have; or 0. */
static uint32_t find_common(const uint64_t have[COUNT_MAX + 1], uint64_t cells)
{
	for (uint32_t count = 1; count <= COUNT_MAX; count++)
		if (have[count] && have[count] * 100 >= cells * UNIFORM_PERCENT)
			return count;
	return 0;
}

/* What most rows that are left have to a column, of equals the larger; in @share, by percent. */
static uint16_t find_frequent(const struct trim *t, uint32_t u, uint32_t *share)
{
	uint32_t have[COUNT_MAX + 1] = { 0 };
	uint16_t frequent = 0;

	for (uint32_t l = 0; l < t->g->num[LOWER]; l++)
		if (!t->g->outlier[LOWER][l])
			have[cells_of_row(t, l)[u]]++;
	for (uint16_t count = 1; count <= COUNT_MAX; count++)
		if (have[count] && have[count] >= have[frequent])
			frequent = count;
	*share = t->left[LOWER] ? have[frequent] * 100 / t->left[LOWER] : 0;
	return frequent;
}

/* Has a row that lacks nothing elsewhere more to a column than the others have? */
static bool has_fuller(const struct trim *t, uint32_t u, uint16_t mode)
{
	for (uint32_t l = 0; l < t->g->num[LOWER]; l++) {
		const uint16_t *row = cells_of_row(t, l);
		bool full = !t->g->outlier[LOWER][l] && row[u] > mode;

		for (uint32_t other = 0; full && other < t->g->num[UPPER]; other++)
			full = t->g->outlier[UPPER][other] || row[other] >= row[u];
		if (full)
			return true;
	}
	return false;
}

/*
 * Of the cells of a group; also what most have, if it is the usual one, or what half of the columns
 * have in nearly all cells, if the others have nothing so.  Leaves in mode what is frequent in
 * each.
 */
static uint32_t find_uniform(const struct trim *t, uint16_t *mode)
{
	const struct wiring_group *g = t->g;
	uint64_t have[COUNT_MAX + 1] = { 0 }, cells = 0;
	uint32_t common, clear = 0, clear_columns = 0, share;
	bool several = false;

	for (uint32_t u = 0; u < g->num[UPPER]; u++) {
		mode[u] = find_frequent(t, u, &share);
		if (g->outlier[UPPER][u])
			continue;
		for (uint32_t l = 0; l < g->num[LOWER]; l++)
			have[cells_of_row(t, l)[u]] += !g->outlier[LOWER][l];
		cells += t->left[LOWER];
		if (share < UNIFORM_PERCENT || has_fuller(t, u, mode[u]))
			continue;
		several |= clear && mode[u] != clear;
		clear = mode[u];
		clear_columns++;
	}
	common = find_common(have, cells);
	if (!common && t->usual && have[t->usual] * 100 >= cells * USUAL_PERCENT)
		return t->usual;
	if (!common && !several && clear_columns * 100 >= t->left[UPPER] * USUAL_PERCENT)
		return clear;
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

/* Does a row keep the modes of all columns but this one? */
static bool keeps_others(const struct trim *t, uint32_t l, uint32_t u, const uint16_t *mode)
{
	const uint16_t *row = cells_of_row(t, l);

	for (uint32_t other = 0; other < t->g->num[UPPER]; other++)
		if (other != u && !t->g->outlier[UPPER][other] && row[other] != mode[other])
			return false;
	return true;
}

/*
 * What most rows have to a column may be what is left of it: if two and more that are complete have
 * as many to it as to another one, that is its number.  Where others have the lesser number, too,
 * it may be meant, and a few have a cable more: a good part is to be complete.
 */
static uint16_t find_whole(const struct trim *t, uint32_t u, const uint16_t *mode)
{
	const struct wiring_group *g = t->g;
	uint16_t whole = 0;
	uint32_t rows = 0, like = 0;

	for (uint32_t other = 0; other < g->num[UPPER]; other++) {
		if (g->outlier[UPPER][other])
			continue;
		like += mode[other] == mode[u];
		if (mode[other] > whole)
			whole = mode[other];
	}
	for (uint32_t l = 0; whole > mode[u] && l < g->num[LOWER]; l++)
		rows += !g->outlier[LOWER][l] && cells_of_row(t, l)[u] == whole &&
		        keeps_others(t, l, u, mode);
	return rows > 1 && (like == 1 || rows * WHOLE_PART >= t->left[LOWER]) ? whole : mode[u];
}

/* Does more than one lower switch, of whatever class, have so many to it? */
static bool has_some(const struct trim *t, uint32_t u, uint16_t cables)
{
	uint32_t rows = 0;

	for (uint32_t l = 0; l < t->g->num[LOWER]; l++)
		rows += cells_of_row(t, l)[u] >= cables;
	return rows > 1;
}

/* How many ports have no cable, between those that lead to the other side. */
static uint32_t count_free(const struct trim *t, int side, uint32_t place)
{
	const struct switches *sw = &t->tree->switches;
	const struct ibc_node *node = sw->nodes[t->g->sw[side][place]];
	size_t group = (size_t)(t->g - t->tree->groups.all);
	uint32_t free = 0, since = 0;
	bool begun = false;

	for (unsigned int num = 1; num <= node->num_ports; num++) {
		const struct ibc_port *p = ibc_node_port(node, num);
		uint32_t far = p && p->peer ? switch_number(sw, p->peer->node) : NO_SWITCH;

		if (far != NO_SWITCH && t->tree->groups.of[!side][far] == group) {
			free += begun ? since : 0;
			since = 0;
			begun = true;
		} else if (!p || (!p->peer && port_presence(p) != PRESENCE_SILENT)) {
			since++;
		}
	}
	return free;
}

/*
 * Are ports of most lower switches free between those with uplinks, more than what each of them
 * lacks to other columns leaves so; or of this upper switch half of those that it has less than
 * @whole, and more than there?
 */
static bool has_free_places(const struct trim *t, uint32_t place, uint32_t whole)
{
	const struct wiring_group *g = t->g;
	uint32_t rows = 0, own = count_free(t, UPPER, place);

	if (own * 2 >=
	    t->left[LOWER] * (uint32_t)(g->class[0].mode[whole] - g->class[0].mode[place]) +
	        2 * count_free(t, UPPER, whole))
		return true;
	for (uint32_t l = 0; l < g->num[LOWER]; l++) {
		uint32_t lost = 0;

		for (uint32_t u = 0; u < g->num[UPPER]; u++) {
			uint32_t want = g->class[0].mode[g->outlier[UPPER][u] ? whole : u];
			uint32_t cell = cells_of_row(t, l)[u];

			lost += cell < want ? want - cell : 0;
		}
		rows += !g->outlier[LOWER][l] && count_free(t, LOWER, l) > lost;
	}
	return rows * 2 > t->left[LOWER];
}

/*
 * One or two columns to which all have less than to as many others, or more, that look like them,
 * are no regular ones where their places are free: it may be a loss.
 */
static void set_lesser_aside(struct trim *t, const uint16_t *mode)
{
	struct wiring_group *g = t->g;
	const struct ibc_node *const *nodes = t->tree->switches.nodes;
	uint32_t whole = NONE, lesser[ALIKE_MIN], n = 0, wholes = 0;

	for (uint32_t u = 0; u < g->num[UPPER]; u++)
		if (!g->outlier[UPPER][u] && (whole == NONE || mode[u] > mode[whole]))
			whole = u;
	for (uint32_t u = 0; u < g->num[UPPER]; u++) {
		if (g->outlier[UPPER][u] || !mode[u] || mode[u] == mode[whole]) {
			wholes += !g->outlier[UPPER][u] && mode[u];
			continue;
		}
		if (n + 1 == ALIKE_MIN || has_some(t, u, mode[whole]) ||
		    !is_same_model(nodes[g->sw[UPPER][u]], nodes[g->sw[UPPER][whole]]) ||
		    !has_free_places(t, u, whole))
			return;
		lesser[n++] = u;
	}
	for (uint32_t i = 0; n <= wholes && i < n; i++) {
		t->lesser[lesser[i]] = g->outlier[UPPER][lesser[i]] = true;
		t->left[UPPER]--;
	}
}

/* Each by what is frequent in the others, whatever their order. */
static void find_wholes(const struct trim *t, uint16_t *mode)
{
	size_t n = t->g->num[UPPER];
	uint16_t *frequent = arena_array(t->tree->tmp, n + 1, sizeof(*frequent));

	memcpy(frequent, mode, n * sizeof(*frequent));
	for (uint32_t u = 0; u < n; u++)
		if (!t->g->outlier[UPPER][u])
			mode[u] = find_whole(t, u, frequent);
}

static void find_modes(struct trim *t)
{
	struct wiring_group *g = t->g;
	uint16_t *mode = g->class[0].mode;
	uint32_t uniform = find_uniform(t, mode);

	if (!uniform) {
		find_wholes(t, mode);
		set_lesser_aside(t, mode);
	}
	for (uint32_t u = 0; u < g->num[UPPER]; u++) {
		if (uniform && !g->outlier[UPPER][u])
			mode[u] = (uint16_t)uniform;
		if (!mode[u] && !g->outlier[UPPER][u]) {
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
		t->explained[l] = t->same[l] || trim_line(t, LOWER, l, NULL).extra;
	for (int side = 0; side < 2; side++) {
		t->num_bad[side] = 0;
		for (uint32_t i = 0; i < g->num[side]; i++) {
			t->excess[side][i] = g->outlier[side][i] ? 0
			                                         : trim_excess(t, side, i, NULL);
			t->bad[side][i] = t->excess[side][i] > 1;
			t->num_bad[side] += t->bad[side][i];
		}
	}
	return t->num_bad[LOWER] || t->num_bad[UPPER];
}

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
		t->by_good[i] = t->bad[side][i] ? trim_excess(t, side, i, t->bad[!side]) : 0;
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
			kept += g->outlier[LOWER][l] || (g->outlier[UPPER][u] && !t->lesser[u])
			            ? 0
			            : cell;
		}
	}
	for (uint32_t u = 0; u < g->num[UPPER]; u++)
		targets += g->class[0].mode[u] > 0 && !t->lesser[u];
	return kept * 100 > all * KEPT_PERCENT &&
	       t->left[LOWER] * 100ull >= g->num[LOWER] * KEPT_PERCENT &&
	       t->left[UPPER] * 100ull >= targets * KEPT_PERCENT;
}

/* The part of a class in the support of its shape, while it is not known yet. */
struct rule_share {
	struct wiring_group *g;
	uint32_t class;
	uint16_t *modes; /* of columns that are left, sorted */
	uint32_t num_modes;
	uint32_t rows, all, conform, moves;
	bool speaks;
};

static int by_mode(const void *va, const void *vz)
{
	return order_u64(*(const uint16_t *)vz, *(const uint16_t *)va);
}

static void sum_class(const struct trim *t, uint32_t class, bool speaks, struct rule_share *share)
{
	struct wiring_group *g = t->g;

	*share = (struct rule_share){ .g = g, .class = class, .speaks = speaks };
	share->modes = arena_array(t->tree->tmp, g->num[UPPER] + 1u, sizeof(*share->modes));
	for (uint32_t u = 0; u < g->num[UPPER]; u++)
		if (!g->outlier[UPPER][u])
			share->modes[share->num_modes++] = g->class[class].mode[u];
	qsort(share->modes, share->num_modes, sizeof(*share->modes), by_mode);
	for (uint32_t l = 0; l < g->num[LOWER]; l++) {
		struct line line;

		if (g->class_of[l] != class)
			continue;
		share->all++;
		if (g->outlier[LOWER][l])
			continue;
		line = trim_line(t, LOWER, l, NULL);
		share->rows++;
		g->class[class].cables += line.wanted;
		share->moves += line_moves(line);
		share->conform += !line_moves(line);
	}
	g->class[class].num = share->rows;
}

static void trim_group(struct ibc_fattree *tree, struct trim *t, uint64_t *visits)
{
	struct wiring_group *g = t->g;

	for (int side = 0; side < 2; side++) {
		t->left[side] = g->num[side];
		g->outlier[side] = arena_array(tree->arena, g->num[side] + 1u,
		                               sizeof(*g->outlier[side]));
		g->verdict[side] = arena_alloc(tree->arena, g->num[side] + 1u);
	}
	g->class_of = arena_array(tree->arena, g->num[LOWER] + 1u, sizeof(*g->class_of));
	g->class = arena_array(tree->arena, CLASSES_MAX, sizeof(*g->class));
	g->class[0].mode = arena_array(tree->arena, g->num[UPPER] + 1u, sizeof(*g->class->mode));
	g->num_classes = 1;
	memset(t->torn, 0, g->num[LOWER] * sizeof(*t->torn));
	memset(t->lesser, 0, g->num[UPPER] * sizeof(*t->lesser));
	trim_fill(t);
	classes_part(t);
	find_modes(t);
	while (t->left[LOWER] > 1 && t->left[UPPER] && find_bad(t)) {
		*visits += (uint64_t)g->num[LOWER] * g->num[UPPER];
		if (*visits > VISITS_MAX)
			break;
		set_one_aside(t);
		find_modes(t);
	}
	classes_find(t);
	lacks_judge(t, LOWER);
	lacks_judge(t, UPPER);
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

		rule->lower = s->all > rule->lower ? s->all : rule->lower;
		rule->upper = s->g->num[UPPER] > rule->upper ? s->g->num[UPPER] : rule->upper;
		rule->conform += s->conform;
		rule->evaluated += s->all;
		wanted += s->g->class[s->class].cables;
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
		bool strict = shares[i].speaks &&
		              ((rule->support >= SUPPORT && shares[i].rows >= ROWS_MIN) ||
		               (rule->support >= SUPPORT_SMALL && n >= GROUPS_MIN));

		g->class[shares[i].class].rule = rule;
		rule->holds |= strict;
		if (!shares[i].class) {
			g->rule = rule;
			g->evaluated = strict;
		}
		TRACE(tree->trace, IBC_TRACE_TREE,
		      "group %zu: rule of %u uplinks, support %.3g, like groups: %zu, rows left: "
		      "%u of "
		      "%u%s: it %s",
		      (size_t)(g - tree->groups.all), rule->uplinks, rule->support, n,
		      shares[i].rows, shares[i].all,
		      shares[i].speaks ? "" : ", too little to speak for the group",
		      strict ? "may blame" : "may not blame");
	}
}

void wiring_rules(struct ibc_fattree *tree)
{
	struct arena *tmp = tree->tmp;
	size_t n = tree->groups.n, most[2] = { 1, 1 }, cells = 1;
	struct rule_share *shares = NULL;
	size_t num_shares = 0, room = 0;
	uint32_t usual[RANKS_MAX] = { 0 };
	struct trim t = { .tree = tree };
	uint64_t visits = 0;

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
	t.torn = arena_array(tmp, most[LOWER], sizeof(*t.torn));
	t.lesser = arena_array(tmp, most[UPPER], sizeof(*t.lesser));
	t.by_good = arena_array(tmp, most[LOWER] + most[UPPER], sizeof(*t.by_good));
	for (int side = 0; side < 2; side++) {
		t.stray[side] = arena_array(tmp, most[side], sizeof(*t.stray[side]));
		t.bad[side] = arena_array(tmp, most[side], sizeof(*t.bad[side]));
		t.excess[side] = arena_array(tmp, most[side], sizeof(*t.excess[side]));
	}
	for (unsigned int rank = 0; rank + 1 < tree->tiers; rank++)
		usual[rank] = find_usual(tree, rank);
	for (size_t i = 0; i < n; i++) {
		bool speaks;

		t.g = &tree->groups.all[i];
		t.usual = usual[t.g->rank];
		trim_group(tree, &t, &visits);
		speaks = visits <= VISITS_MAX && speaks_for_all(&t);
		for (uint32_t class = 0; class < t.g->num_classes; class ++) {
			arena_grow(tmp, &shares, num_shares, &room, sizeof(*shares));
			sum_class(&t, class, speaks, &shares[num_shares++]);
		}
		take_damaged_back(t.g);
	}
	tree->rules = arena_array(tree->arena, num_shares + 1, sizeof(*tree->rules));
	if (num_shares)
		qsort(shares, num_shares, sizeof(*shares), by_shape);
	for (size_t i = 0, end; i < num_shares; i = end) {
		end = i + 1;
		while (end < num_shares && compare_shapes(&shares[i], &shares[end]) == 0)
			end++;
		evaluate_rule(tree, &tree->rules[tree->num_rules++], &shares[i], end - i);
	}
}
