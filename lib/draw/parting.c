/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which switches make up a block.  A tree has its groups.  Without one they are the pods of a
 * plan; else, of a dragonfly or where there are too many for one block, those that are cabled
 * most among themselves, by label propagation (Raghavan, Albert, Kumara, Phys. Rev. E 76,
 * 2007), in a fixed order so that it ends the same every time.  A cable weighs more, the more
 * neighbours its ends have in common, or the cliques of a large dragonfly would run together.
 * O(sum of squared degrees), and O(cables) a round.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/tree/wiring.h"
#include "base/arena.h"
#include "base/array.h"
#include "draw/matrix.h"

#define SQUARE_MAX 160 /* switches of one block by themselves: rows of 5 pixels on a screen */
#define ROUNDS_MAX 16  /* most labels settle in five */

static int by_part_and_name(const void *x, const void *z, void *ctx)
{
	const struct switches *sw = ((const void *const *)ctx)[0];
	const uint32_t *part = ((const void *const *)ctx)[1];
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)z;

	return (part ? order_u64(part[a], part[b]) : 0)
	    ?: strverscmp(sw->nodes[a]->label, sw->nodes[b]->label)
	    ?: order_u64(a, b);
}

static void put_in_order(const struct switches *sw, const uint32_t *part, struct parting *p)
{
	const void *const ctx[] = { sw, part };

	for (uint32_t s = 0; s < sw->n; s++)
		p->order[s] = s;
	qsort_r(p->order, sw->n, sizeof(*p->order), by_part_and_name, (void *)ctx);
	for (uint32_t i = 0; i < sw->n; i++)
		p->pos[p->order[i]] = i;
}

/* ---- networks that are no trees ------------------------------------------------------- */

/* Every switch has a pod: numbers by their names. */
static bool part_by_plan(const struct switches *sw, struct parting *p)
{
	for (uint32_t s = 0; s < sw->n; s++) {
		uint32_t t = 0;

		if (!sw->nodes[s]->pod)
			return false;
		while (strcmp(sw->nodes[t]->pod, sw->nodes[s]->pod) != 0)
			t++;
		p->part[s] = t;
	}
	return sw->n > 0;
}

static uint32_t common_neighbours(const struct switches *sw, uint32_t s, uint32_t t)
{
	uint32_t i = sw->first_pair[s], k = sw->first_pair[t], n = 0;

	while (i < sw->first_pair[s + 1] && k < sw->first_pair[t + 1]) {
		uint32_t a = sw->pairs[i].to, b = sw->pairs[k].to;

		n += a == b;
		i += a <= b;
		k += b <= a;
	}
	return n;
}

/* The label that most of a switch's cables lead to; of equals its own, then the lowest. */
static uint32_t usual_label(const struct switches *sw, uint32_t s, const uint32_t *label,
                            const uint32_t *weight, uint32_t *tally)
{
	uint32_t best = label[s], first = sw->first_pair[s], end = sw->first_pair[s + 1];

	for (uint32_t k = first; k < end; k++)
		tally[label[sw->pairs[k].to]] += weight[k];
	for (uint32_t k = first; k < end; k++) {
		uint32_t l = label[sw->pairs[k].to];

		if (tally[l] > tally[best] ||
		    (tally[l] == tally[best] && best != label[s] && l < best))
			best = l;
	}
	for (uint32_t k = first; k < end; k++)
		tally[label[sw->pairs[k].to]] = 0;
	return best;
}

/* p->order is that of names so far. */
static void part_by_cables(struct arena *a, const struct switches *sw, struct parting *p)
{
	uint32_t *tally = arena_array(a, sw->n + 1, sizeof(*tally));
	uint32_t *weight = arena_array(a, sw->first_pair[sw->n] + 1,
	                               sizeof(*weight)); /* of pairs */
	bool moved = true;

	for (uint32_t s = 0; s < sw->n; s++)
		for (uint32_t k = sw->first_pair[s]; k < sw->first_pair[s + 1]; k++)
			weight[k] = sw->pairs[k].count *
			            (1 + common_neighbours(sw, s, sw->pairs[k].to));
	for (uint32_t s = 0; s < sw->n; s++)
		p->part[s] = p->pos[s];
	for (unsigned int round = 0; moved && round < ROUNDS_MAX; round++) {
		moved = false;
		for (uint32_t i = 0; i < sw->n; i++) {
			uint32_t s = p->order[i];
			uint32_t label = usual_label(sw, s, p->part, weight, tally);

			moved |= label != p->part[s];
			p->part[s] = label;
		}
	}
}

static void part_square(struct arena *a, const struct switches *sw, const struct ibc_fattree *tree,
                        struct parting *p)
{
	bool cabled = sw->n > SQUARE_MAX || (tree && tree->family == IBC_FAMILY_DRAGONFLY);
	uint32_t *number = arena_array(a, sw->n + 1, sizeof(*number));

	p->square = true;
	memset(p->rank, RANK_NONE, sw->n);
	if (!part_by_plan(sw, p)) {
		memset(p->part, 0, sw->n * sizeof(*p->part));
		if (cabled)
			part_by_cables(a, sw, p);
	}
	/* numbers of parts, in the order of their first switches */
	memset(number, 0xff, (sw->n + 1) * sizeof(*number));
	p->n = 0;
	for (uint32_t i = 0; i < sw->n; i++) {
		uint32_t *part = &p->part[p->order[i]];

		if (number[*part] == UINT32_MAX)
			number[*part] = p->n++;
		*part = number[*part];
	}
	put_in_order(sw, p->part, p);
	if (sw->n <= SQUARE_MAX)
		p->n = 1;
	for (uint32_t s = 0; s < sw->n; s++)
		p->as_row[s] = p->as_col[s] = p->n == 1 ? 0 : p->part[s];
}

/* ---- all -------------------------------------------------------------------------------- */

void parting_make(struct arena *a, const struct switches *sw, const struct ibc_fattree *tree,
                  struct parting *p)
{
	uint32_t **const lists[] = { &p->as_row, &p->as_col, &p->part, &p->order, &p->pos };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		*lists[i] = arena_array(a, sw->n + 1, sizeof(uint32_t));
	p->rank = arena_array(a, sw->n + 1, 1);
	put_in_order(sw, NULL, p);
	if (!tree || tree->family != IBC_FAMILY_FAT_TREE || !tree->groups.n) {
		part_square(a, sw, tree, p);
		return;
	}
	p->n = (uint32_t)tree->groups.n;
	memcpy(p->rank, tree->rank, sw->n);
	memcpy(p->as_row, tree->groups.of[LOWER], sw->n * sizeof(*p->as_row));
	memcpy(p->as_col, tree->groups.of[UPPER], sw->n * sizeof(*p->as_col));
}
