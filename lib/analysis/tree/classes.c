/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lower switches of a group that are alike: where several have just the same number of cables to
 * each upper switch, and not that of most, they are a class with a rule of its own.  Who deviates
 * is of the class it looks like, whose ports it keeps, and to which it has least to be mended.
 * O(cells of a group), for each class.
 */
#include <stdlib.h>

#include "analysis/tree/trim.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"

/* why: doc/wiring.md, table 5, part B */
#define PART_COLUMNS 2 /* that another kind lacks: one alone is what deviates */

/* struct alike - a row, and what it has to those upper switches that are not set aside */
struct alike {
	uint64_t hash;
	uint32_t place;
};

static int by_hash(const void *va, const void *vz)
{
	const struct alike *a = va, *z = vz;

	return order_u64(a->hash, z->hash) ?: order_u64(a->place, z->place);
}

/* What one row has less or more than another, in cables to plug or to take away; by columns. */
static struct line compare_rows(const struct trim *t, const uint16_t *row, const uint16_t *usual,
                                uint32_t *columns)
{
	struct line line = { .wanted = 0 };

	*columns = 0;
	for (uint32_t u = 0; u < t->g->num[UPPER]; u++) {
		if (t->g->outlier[UPPER][u])
			continue;
		line.missing += usual[u] > row[u] ? usual[u] - row[u] : 0;
		line.extra += row[u] > usual[u] ? row[u] - usual[u] : 0;
		*columns += row[u] != usual[u];
	}
	return line;
}

/* Does it lack the same number to each, and has some? */
static bool is_even(const struct trim *t, uint32_t place)
{
	const uint16_t *mode = modes_of(t->g, place), *row = cells_of_row(t, place);
	int lack = 0;

	for (uint32_t u = 0; u < t->g->num[UPPER]; u++) {
		if (t->g->outlier[UPPER][u])
			continue;
		if (!row[u] || row[u] >= mode[u] || (lack && mode[u] - row[u] != lack))
			return false;
		lack = mode[u] - row[u];
	}
	return lack > 0;
}

/* Rows with all cables inside of the group, sorted, equal ones together; of all, or set aside. */
static uint32_t sort_rows(const struct trim *t, bool all, struct alike *out)
{
	const struct wiring_group *g = t->g;
	uint32_t n = 0;

	for (uint32_t l = 0; l < g->num[LOWER]; l++) {
		const uint16_t *row = cells_of_row(t, l);
		uint64_t hash = 0;

		if (t->stray[LOWER][l] || t->same[l] ||
		    !(all || g->outlier[LOWER][l] || is_even(t, l)))
			continue;
		for (uint32_t u = 0; u < g->num[UPPER]; u++)
			if (!g->outlier[UPPER][u])
				hash = hash_mix(hash + row[u]);
		out[n++] = (struct alike){ hash, l };
	}
	if (n)
		qsort(out, n, sizeof(*out), by_hash);
	return n;
}

void classes_part(struct trim *t)
{
	const struct switches *sw = &t->tree->switches;
	struct wiring_group *g = t->g;
	struct alike *all = arena_array(t->tree->tmp, g->num[LOWER] + 1u, sizeof(*all));
	uint32_t first[CLASSES_MAX], size[CLASSES_MAX] = { 0 }, num = 0, best = 0, columns;
	uint32_t n = sort_rows(t, true, all), *near;

	for (uint32_t i = 0, end; i < n && num < CLASSES_MAX; i = end) {
		for (end = i + 1; end < n && all[end].hash == all[i].hash;)
			end++;
		if (end - i >= ALIKE_MIN)
			first[num++] = all[i].place;
	}
	if (num < 2)
		return;
	near = arena_array(t->tree->tmp, g->num[LOWER] + 1u, sizeof(*near));
	for (uint32_t l = 0; l < g->num[LOWER]; l++) {
		uint32_t least = NONE;

		for (uint32_t i = 0; i < num; i++) {
			uint32_t moves = line_moves(compare_rows(
			    t, cells_of_row(t, l), cells_of_row(t, first[i]), &columns));

			if (moves < least) {
				near[l] = i;
				least = moves;
			}
		}
		size[near[l]]++;
	}
	for (uint32_t i = 1; i < num; i++) {
		struct line line = compare_rows(t, cells_of_row(t, first[i]),
		                                cells_of_row(t, first[best]), &columns);

		if (size[i] > size[best] || (size[i] == size[best] && line.extra > line.missing))
			best = i;
	}
	for (uint32_t l = 0; l < g->num[LOWER]; l++) {
		struct line line = compare_rows(t, cells_of_row(t, first[near[l]]),
		                                cells_of_row(t, first[best]), &columns);

		if (columns * 2 > g->num[UPPER] ||
		    (columns >= PART_COLUMNS && !line.extra &&
		     !looks_like(sw, g->sw[LOWER][l], g->sw[LOWER][first[best]]))) {
			g->outlier[LOWER][l] = true;
			t->left[LOWER]--;
		}
	}
}

/* ---- the smaller ones --------------------------------------------------------------------- */

/* The place of one that is in order in a class. */
static uint32_t find_member(const struct wiring_group *g, uint32_t class)
{
	uint32_t l = 0;

	while (l < g->num[LOWER] && (g->class_of[l] != class || g->outlier[LOWER][l]))
		l++;
	return l < g->num[LOWER] ? l : NONE;
}

static uint32_t count_members(const struct wiring_group *g, uint32_t class)
{
	uint32_t n = 0;

	for (uint32_t l = 0; l < g->num[LOWER]; l++)
		n += g->class_of[l] == class && !g->outlier[LOWER][l];
	return n;
}

static void join_class(struct trim *t, uint32_t place, uint32_t class)
{
	struct wiring_group *g = t->g;

	t->left[LOWER] += g->outlier[LOWER][place];
	g->outlier[LOWER][place] = false;
	g->class_of[place] = class;
	g->verdict[LOWER][place] = VERDICT_DIFFERENT;
}

/* How many look like a row, otherwise than those of most, and only lack what it has? */
static uint32_t count_lesser(const struct trim *t, uint32_t place)
{
	const struct wiring_group *g = t->g;
	const struct switches *sw = &t->tree->switches;
	uint32_t one = find_member(g, 0), columns, lesser = 0;

	if (one == NONE || looks_like(sw, g->sw[LOWER][one], g->sw[LOWER][place]))
		return 0;
	for (uint32_t l = 0; l < g->num[LOWER]; l++) {
		struct line line = compare_rows(t, cells_of_row(t, l), cells_of_row(t, place),
		                                &columns);

		lesser += g->outlier[LOWER][l] && line.missing && !line.extra &&
		          looks_like(sw, g->sw[LOWER][l], g->sw[LOWER][place]);
	}
	return lesser;
}

/*
 * Those of equal rows that look like the first of them become a class, if they are enough with
 * those that only lack something.
 */
static uint32_t add_class(struct trim *t, struct alike *rows, uint32_t n)
{
	struct wiring_group *g = t->g;
	const uint16_t *row = cells_of_row(t, rows[0].place);
	const struct switches *sw = &t->tree->switches;
	uint32_t alike = 0, rest = 0, class = g->num_classes, cables = 0;
	bool is_class;

	for (uint32_t i = 0; i < n; i++)
		alike += looks_like(sw, g->sw[LOWER][rows[0].place], g->sw[LOWER][rows[i].place]);
	for (uint32_t u = 0; u < g->num[UPPER]; u++)
		cables += g->outlier[UPPER][u] ? 0 : row[u];
	if (alike > 1 && alike < ALIKE_MIN)
		alike += count_lesser(t, rows[0].place);
	is_class = cables && alike >= ALIKE_MIN && class < CLASSES_MAX;
	if (is_class) {
		g->class[class].mode = arena_array(t->tree->arena, g->num[UPPER] + 1u,
		                                   sizeof(*g->class->mode));
		for (uint32_t u = 0; u < g->num[UPPER]; u++)
			g->class[class].mode[u] = row[u];
		g->num_classes++;
	}
	for (uint32_t i = 0, first = rows[0].place; i < n; i++) {
		if (!looks_like(sw, g->sw[LOWER][first], g->sw[LOWER][rows[i].place]))
			rows[rest++] = rows[i];
		else if (is_class)
			join_class(t, rows[i].place, class);
	}
	return rest;
}

/* The hosts of those that keep the rule of each class; are they another number in each? */
static bool count_hosts(const struct trim *t, uint32_t fewest[CLASSES_MAX],
                        uint32_t most[CLASSES_MAX])
{
	const struct wiring_group *g = t->g;
	uint32_t columns;

	for (uint32_t class = 0; class < g->num_classes; class ++) {
		fewest[class] = NONE;
		most[class] = 0;
	}
	for (uint32_t l = 0; l < g->num[LOWER]; l++) {
		uint32_t class = g->class_of[l], hosts = t->tree->switches.hosts[g->sw[LOWER][l]];

		if (line_moves(compare_rows(t, cells_of_row(t, l), modes_of(g, l), &columns)))
			continue;
		fewest[class] = hosts < fewest[class] ? hosts : fewest[class];
		most[class] = hosts > most[class] ? hosts : most[class];
	}
	for (uint32_t a = 0; a < g->num_classes; a++)
		for (uint32_t z = 0; z < a; z++)
			if (fewest[a] <= most[z] && fewest[z] <= most[a])
				return false;
	return true;
}

/*
 * Which class is a switch of, that is in order in none?  What can be seen comes first, then its
 * ports; no switch has more cables than its class; then by what is to be mended least.  Torn: by
 * what can be seen and its ports it may be of another as well, in which no more is to be mended.
 */
static uint32_t find_class(const struct trim *t, uint32_t place, bool *torn)
{
	const struct wiring_group *g = t->g;
	uint64_t order[CLASSES_MAX], least = UINT64_MAX;
	uint32_t best = 0, columns, fewest[CLASSES_MAX], most[CLASSES_MAX];
	uint32_t hosts = t->tree->switches.hosts[g->sw[LOWER][place]];
	bool by_hosts = count_hosts(t, fewest, most);

	for (uint32_t class = 0; class < g->num_classes; class ++) {
		uint32_t one = find_member(g, class);
		uint32_t kept = places_kept(t, LOWER, place, class);
		struct line line = compare_rows(t, cells_of_row(t, place), g->class[class].mode,
		                                &columns);

		order[class] = UINT64_MAX;
		if (one == NONE)
			continue;
		order[class] = line_moves(line);
		order[class] |= (uint64_t)(line.extra > line.missing) << 24;
		order[class] |= (uint64_t)(kept < NAMES_PERCENT ? 100 : 100 - kept) << 25;
		if (by_hosts)
			order[class] |= (uint64_t)(hosts < fewest[class] ? fewest[class] - hosts
			                           : hosts > most[class] ? hosts - most[class]
			                                                 : 0)
			                << 32;
		order[class] |= (uint64_t)!looks_like(&t->tree->switches, g->sw[LOWER][place],
		                                      g->sw[LOWER][one])
		                << 63;
		if (order[class] < least) {
			least = order[class];
			best = class;
		}
	}
	*torn = false;
	for (uint32_t class = 0; class < g->num_classes; class ++)
		*torn |= class != best && order[class] >> 25 == least >> 25 &&
		         (order[class] == least || (order[class] & 0xffffff) < (least & 0xffffff));
	return best;
}

void classes_find(struct trim *t)
{
	struct wiring_group *g = t->g;
	struct alike *all;
	uint32_t n, columns;

	if (t->left[LOWER] < ALIKE_MIN)
		return;
	all = arena_array(t->tree->tmp, g->num[LOWER] + 1u, sizeof(*all));
	n = sort_rows(t, false, all);
	for (uint32_t i = 0, end, left; i < n; i = end) {
		for (end = i + 1; end < n && all[end].hash == all[i].hash;)
			end++;
		for (left = end - i; left > 1;)
			left = add_class(t, &all[i], left);
	}
	for (uint32_t l = 0; g->num_classes > 1 && l < g->num[LOWER]; l++) {
		uint32_t class = g->class_of[l], is;
		bool torn;

		if (!line_moves(compare_rows(t, cells_of_row(t, l), g->class[0].mode, &columns)) ||
		    t->stray[LOWER][l])
			continue;
		is = find_class(t, l, &torn);
		torn |= count_members(g, is) < ALIKE_MIN &&
		        line_moves(
			    compare_rows(t, cells_of_row(t, l), g->class[is].mode, &columns));
		if (is == class && !torn)
			continue;
		t->torn[l] = torn;
		g->class_of[l] = is;
		t->left[LOWER] -= !g->outlier[LOWER][l];
		g->outlier[LOWER][l] = true;
		g->verdict[LOWER][l] = VERDICT_NONE;
		if (is && !torn && trim_excess(t, LOWER, l, NULL) <= 1 && !is_even(t, l))
			join_class(t, l, is);
	}
}
