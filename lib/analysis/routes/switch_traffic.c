/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/routes/switch_traffic.h"

#include <string.h>

#include "base/arena.h"

bool own_new(struct own *own, const struct route_plane *p, struct arena *a)
{
	*own = (struct own){
		.next = arena_array(a, p->n + 1u, sizeof(*own->next)),
		.changed = arena_alloc(a, p->n + 1u),
	};
	return own->next && own->changed;
}

static void find_next(struct own *own, const struct walk *w, uint32_t column)
{
	const struct route_plane *p = w->p;
	uint32_t beyond = route_next(p, w->row, column);

	own->next[column] = (uint16_t)(beyond < BEYOND_SPECIAL ? beyond >> 8 : p->n);
}

static void take_column(struct own *own, struct walk *w, uint32_t column)
{
	/* the last switch has an entry of its own for each; beyond it nothing is waited for */
	if (own->last_row[column] == w->row[column] || column == w->dest->sw)
		return;
	own->changed[column] = 1;
	walk_from(w, column);
	find_next(own, w, column);
}

/* Rows are padded to whole words. */
static void take_changed(struct own *own, struct walk *w)
{
	memset(own->changed, 0, w->p->n + 1u);
	for (uint32_t first = 0; first < w->p->n; first += 8) {
		if (!memcmp(&own->last_row[first], &w->row[first], 8))
			continue;
		for (uint32_t i = first; i < first + 8 && i < w->p->n; i++)
			take_column(own, w, i);
	}
}

/* Those that send as before, to a switch that does not. */
static void take_those_before(const struct own *own, const struct walk *w)
{
	for (uint32_t i = 0; i < w->p->n; i++)
		if (own->changed[own->next[i]] && !own->changed[i] && !w->way[i])
			channels_put(w->channels, (size_t)i * w->p->width + w->row[i],
			             w->row[own->next[i]] - 1u);
}

void own_take(struct own *own, struct walk *w)
{
	bool alike = own->last && own->last->sw == w->dest->sw && w->row != w->scratch;

	w->channels = w->p->channels->own;
	if (alike)
		take_changed(own, w);
	if (alike && !w->num_ends) {
		take_those_before(own, w);
	} else {
		walk_all(w, NULL, w->p->n);
		for (uint32_t i = 0; i < w->p->n; i++)
			find_next(own, w, i);
	}
	own->last = w->num_ends || w->row == w->scratch ? NULL : w->dest;
	own->last_row = w->row;
}
