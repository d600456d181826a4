/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/routes/switch_traffic.h"

#include <string.h>

#include "base/arena.h"

void switch_traffic_new(struct switch_traffic *t, const struct route_subnet *p, struct arena *a)
{
	*t = (struct switch_traffic){
		.next = arena_array(a, p->n + 1u, sizeof(*t->next)),
		.changed = arena_alloc(a, p->n + 1u),
	};
}

static void find_next(struct switch_traffic *t, const struct walk *w, uint32_t column)
{
	const struct route_subnet *p = w->p;
	uint32_t next_hop = route_next(p, w->row, column);

	t->next[column] = (uint16_t)(next_hop < HOP_SPECIAL ? next_hop >> 8 : p->n);
}

static void take_column(struct switch_traffic *t, struct walk *w, uint32_t column)
{
	/* the last switch has an entry of its own for each; beyond it nothing is waited for */
	if (t->last_row[column] == w->row[column] || column == w->dest->sw)
		return;
	t->changed[column] = 1;
	walk_from(w, column);
	find_next(t, w, column);
}

/* Rows are padded to whole words. */
static void take_changed(struct switch_traffic *t, struct walk *w)
{
	memset(t->changed, 0, w->p->n + 1u);
	for (uint32_t first = 0; first < w->p->n; first += 8) {
		if (!memcmp(&t->last_row[first], &w->row[first], 8))
			continue;
		for (uint32_t i = first; i < first + 8 && i < w->p->n; i++)
			take_column(t, w, i);
	}
}

/* Those that send as before, to a switch that does not. */
static void take_those_before(const struct switch_traffic *t, const struct walk *w)
{
	for (uint32_t i = 0; i < w->p->n; i++)
		if (t->changed[t->next[i]] && !t->changed[i] && !w->route[i])
			channels_put(w->channels, (size_t)i * w->p->width + w->row[i],
			             w->row[t->next[i]] - 1u);
}

void switch_traffic_take(struct switch_traffic *t, struct walk *w)
{
	bool equal = t->last && t->last->sw == w->dest->sw && w->row != w->scratch;

	w->channels = w->p->channels->switch_traffic;
	if (equal)
		take_changed(t, w);
	if (equal && !w->num_ends) {
		take_those_before(t, w);
	} else {
		walk_all(w, NULL, w->p->n);
		for (uint32_t i = 0; i < w->p->n; i++)
			find_next(t, w, i);
	}
	t->last = w->num_ends || w->row == w->scratch ? NULL : w->dest;
	t->last_row = w->row;
}
