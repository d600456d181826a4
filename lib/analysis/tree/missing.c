/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "analysis/tree/cases.h"
#include "base/arena.h"
#include "base/array.h"

/* why each: doc/wiring.md, table 5, part F */
#define MERGE_MIN    3 /* of one switch: one case */
#define STRICT_LEAST 2 /* so many may be missing, or */
#define STRICT_SHARE 5 /* such a share, in percent, of the cables of a shape */
#define REPEATED_MIN 3 /* groups in which the same place is empty: that is design */

/* A missing cable, and where it belongs. */
struct hole {
	uint32_t cell;
	size_t group;
	const struct wiring_rule *rule;
	struct wiring_gap gap;
};

/* ---- what is no fault ------------------------------------------------------------------ */

static bool is_hole(const struct cells *c, uint32_t cell)
{
	return !c->all[cell].used && !c->all[cell].weak && !c->all[cell].cable;
}

static int compare_places(const struct hole *a, const struct hole *z)
{
	return order_u64((uintptr_t)a->rule, (uintptr_t)z->rule)
	           ?: order_u64(a->gap.lower.port, z->gap.lower.port)
	           ?: order_u64(a->gap.upper.port, z->gap.upper.port);
}

static int by_hole_place(const void *va, const void *vz)
{
	const struct hole *a = va, *z = vz;

	return compare_places(a, z) ?: order_u64(a->cell, z->cell);
}

/* Shows n holes for information, and uses them up. */
static void report_holes(struct cells *c, const struct hole *holes, size_t n, const char *gate,
                         const char *why)
{
	struct wiring_case *k = wiring_add(c->tree, WIRING_IRREGULAR, false, NULL);

	k->gaps = arena_array(c->tree->arena, n, sizeof(*k->gaps));
	k->rule = holes[0].rule;
	k->why = why;
	k->gate = c->all[holes[0].cell].gate;
	k->gate.word = gate;
	TRACE(c->tree->trace, IBC_TRACE_TREE, "%zu links missing, not blamed, gate %s: %s", n, gate,
	      why);
	for (size_t i = 0; i < n; i++) {
		k->gaps[k->num_gaps++] = holes[i].gap;
		c->all[holes[i].cell].used = true;
	}
}

/* The same place empty in most groups of a shape is design. */
static void report_repeated(struct cells *c, const struct hole *all, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		const struct hole *first = &all[i];
		size_t groups = 1;

		for (end = i + 1; end < n && !compare_places(first, &all[end]); end++)
			groups += all[end].group != all[end - 1].group;
		if (!first->gap.lower.port || !first->gap.upper.port || groups < REPEATED_MIN ||
		    groups * 2 < first->rule->groups)
			continue;
		report_holes(
		    c, first, end - i, "repeated",
		    arena_printf(c->tree->arena,
		                 "the same place is empty in %zu of %zu groups: it seems to be "
		                 "intended",
		                 groups, first->rule->groups));
	}
}

/* Where so many are missing, it cannot be known which should be there. */
static void report_loose(struct cells *c, const struct hole *all, size_t n)
{
	const struct wiring_groups *groups = &c->tree->groups;
	struct hole *left = arena_array(c->tree->tmp, n + 1, sizeof(*left));

	for (size_t i = 0, end; i < n; i = end) {
		const struct wiring_rule *rule = all[i].rule;
		uint64_t wanted = 0;
		size_t num_left = 0;

		for (size_t g = 0; g < groups->n; g++)
			for (uint32_t k = 0; k < groups->all[g].num_classes; k++)
				wanted += groups->all[g].class[k].rule == rule
				              ? groups->all[g].class[k].cables
				              : 0;
		for (end = i; end < n && all[end].rule == rule; end++)
			if (is_hole(c, all[end].cell) && !c->all[all[end].cell].damage)
				left[num_left++] = all[end];
		if (num_left > STRICT_LEAST && num_left * 100 > wanted * STRICT_SHARE)
			report_holes(c, left, num_left, "too-many",
			             arena_printf(c->tree->arena,
			                          "%zu of %llu cables are missing: too many to "
			                          "infer a rule from the others",
			                          num_left, (unsigned long long)wanted));
	}
}

/* ---- what is ------------------------------------------------------------------------------ */

/* A case for each switch of a side with so many of them. */
static void add_cases(struct cells *c, uint32_t *room, int side)
{
	struct draft draft = { .kind = WIRING_MISSING, .missing = room };

	for (uint32_t i = 0; i < c->n; i++) {
		if (!is_hole(c, i))
			continue;
		draft.num_missing = 0;
		for (uint32_t k = c->first[side][c->all[i].end[side]]; k != NO_CELL;
		     k = c->all[k].next[side])
			if (is_hole(c, k))
				room[draft.num_missing++] = k;
		if (draft.num_missing >= MERGE_MIN)
			case_add(c, &draft);
	}
}

void cases_of_missing(struct cells *c)
{
	const struct wiring_groups *groups = &c->tree->groups;
	uint32_t *room = arena_array(c->tree->tmp, c->n + 1u, sizeof(*room));
	struct hole *all = arena_array(c->tree->tmp, c->n + 1u, sizeof(*all));
	size_t n = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		size_t group = groups->of[LOWER][c->all[i].end[LOWER]];

		if (is_hole(c, i))
			all[n++] = (struct hole){
				.cell = i,
				.group = group,
				.rule = class_of_lower(groups, c->all[i].end[LOWER])->rule,
				.gap = gap_of(c, &c->all[i], NULL, 0)
			};
	}
	qsort(all, n, sizeof(*all), by_hole_place);
	report_repeated(c, all, n);
	report_loose(c, all, n);
	add_cases(c, room, LOWER);
	add_cases(c, room, UPPER);
	for (uint32_t i = 0; i < c->n; i++) {
		const struct draft draft = { .kind = WIRING_MISSING,
			                     .missing = &i,
			                     .num_missing = 1 };

		if (is_hole(c, i))
			case_add(c, &draft);
	}
}
