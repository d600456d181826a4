/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "analysis/tree/cases.h"
#include "base/arena.h"

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

struct holes {
	struct hole *all;
	size_t n;
};

/* ---- what is no fault ------------------------------------------------------------------ */

static bool is_hole(const struct cells *c, uint32_t cell)
{
	return !c->all[cell].used && !c->all[cell].weak && !c->all[cell].cable;
}

static bool collect_up(struct cells *c, struct holes *out)
{
	const struct wiring_groups *groups = &c->tree->groups;

	out->all = arena_array(c->tree->tmp, c->n + 1u, sizeof(*out->all));
	for (uint32_t i = 0; out->all && i < c->n; i++) {
		struct hole *hole = &out->all[out->n];

		if (!is_hole(c, i))
			continue;
		hole->cell = i;
		hole->group = groups->as_lower[c->all[i].lower];
		hole->rule = groups->all[hole->group].rule;
		hole->gap = gap_of(c, &c->all[i], NULL, 0);
		out->n++;
	}
	return out->all;
}

static int compare_places(const struct hole *a, const struct hole *z)
{
	if (a->rule != z->rule)
		return a->rule < z->rule ? -1 : 1;
	if (a->gap.lower.port != z->gap.lower.port)
		return a->gap.lower.port < z->gap.lower.port ? -1 : 1;
	return (a->gap.upper.port > z->gap.upper.port) - (a->gap.upper.port < z->gap.upper.port);
}

static int by_hole_place(const void *va, const void *vz)
{
	const struct hole *a = va, *z = vz;
	int order = compare_places(a, z);

	return order ? order : a->cell < z->cell ? -1 : 1;
}

/* Tells of n holes for information, and uses them up. */
static bool report_holes(struct cells *c, const struct hole *holes, size_t n, const char *gate,
                         const char *why)
{
	struct wiring_case *k = wiring_add(c->tree, WIRING_IRREGULAR, false);

	if (!k || !why)
		return false;
	k->gaps = arena_array(c->tree->arena, n, sizeof(*k->gaps));
	if (!k->gaps)
		return false;
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
	return true;
}

static size_t count_groups(const struct hole *holes, size_t n)
{
	size_t groups = 0;

	for (size_t i = 0; i < n; i++)
		groups += i == 0 || holes[i].group != holes[i - 1].group;
	return groups;
}

/* The same place empty in most groups of a shape is design. */
static bool report_repeated(struct cells *c, const struct holes *h)
{
	for (size_t i = 0, end; i < h->n; i = end) {
		const struct hole *first = &h->all[i];
		size_t groups;

		for (end = i + 1; end < h->n && !compare_places(first, &h->all[end]); end++)
			;
		groups = count_groups(first, end - i);
		if (!first->gap.lower.port || !first->gap.upper.port || groups < REPEATED_MIN ||
		    groups * 2 < first->rule->groups)
			continue;
		if (!report_holes(
			c, first, end - i, "repeated",
			arena_printf(
			    c->tree->arena,
			    "the same place is empty in %zu of %zu groups: it seems to be intended",
			    groups, first->rule->groups)))
			return false;
	}
	return true;
}

static uint64_t cables_of_shape(const struct ibc_fattree *tree, const struct wiring_rule *rule)
{
	uint64_t n = 0;

	for (size_t i = 0; i < tree->groups.n; i++)
		n += tree->groups.all[i].rule == rule ? tree->groups.all[i].cables : 0;
	return n;
}

/* Where so many are missing, nobody can tell which should be there. */
static bool report_loose(struct cells *c, const struct holes *h)
{
	for (size_t i = 0, end; i < h->n; i = end) {
		const struct wiring_rule *rule = h->all[i].rule;
		uint64_t wanted = cables_of_shape(c->tree, rule);
		struct hole *left = arena_array(c->tree->tmp, h->n, sizeof(*left));
		size_t n = 0;

		if (!left)
			return false;
		for (end = i; end < h->n && h->all[end].rule == rule; end++)
			if (is_hole(c, h->all[end].cell))
				left[n++] = h->all[end];
		if (n <= STRICT_LEAST || n * 100 <= wanted * STRICT_SHARE)
			continue;
		if (!report_holes(c, left, n, "too-many",
		                  arena_printf(c->tree->arena,
		                               "%zu of %llu cables are missing: too many to infer "
		                               "a rule from the others",
		                               n, (unsigned long long)wanted)))
			return false;
	}
	return true;
}

/* ---- what is ------------------------------------------------------------------------------ */

/* The holes of a switch: how many. */
static uint32_t collect_holes(const struct cells *c, uint32_t first, bool in_row, uint32_t *out)
{
	uint32_t n = 0;

	for (uint32_t i = first; i != NO_CELL; i = in_row ? c->all[i].row : c->all[i].column)
		if (is_hole(c, i))
			out[n++] = i;
	return n;
}

/* A case for each switch with so many of them: of lower ones, or of upper ones. */
static bool add_cases(struct cells *c, uint32_t *room, bool in_row, uint32_t least)
{
	struct draft draft = { .kind = WIRING_MISSING, .missing = room };

	for (uint32_t i = 0; i < c->n; i++) {
		if (!is_hole(c, i))
			continue;
		draft.num_missing = collect_holes(
		    c, in_row ? c->row[c->all[i].lower] : c->column[c->all[i].upper], in_row, room);
		if (draft.num_missing >= least && !case_add(c, &draft))
			return false;
	}
	return true;
}

static bool add_singles(struct cells *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct draft draft = { WIRING_MISSING, NULL, NULL, &i, 0, 1 };

		if (is_hole(c, i) && !case_add(c, &draft))
			return false;
	}
	return true;
}

bool cases_of_missing(struct cells *c)
{
	uint32_t *room = arena_array(c->tree->tmp, c->n + 1u, sizeof(*room));
	struct holes h = { 0 };

	if (!room || !collect_up(c, &h))
		return false;
	qsort(h.all, h.n, sizeof(*h.all), by_hole_place);
	return report_repeated(c, &h) && report_loose(c, &h) &&
	       add_cases(c, room, true, MERGE_MIN) && add_cases(c, room, false, MERGE_MIN) &&
	       add_singles(c);
}
