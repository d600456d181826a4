/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/routes/switch_traffic.h"

#include <string.h>

#include "base/arena.h"

bool switch_traffic_new(struct switch_traffic *switch_traffic, const struct route_subnet *p,
                        struct arena *a)
{
	*switch_traffic = (struct switch_traffic){
		.next = arena_array(a, p->n + 1u, sizeof(*switch_traffic->next)),
		.changed = arena_alloc(a, p->n + 1u),
	};
	return switch_traffic->next && switch_traffic->changed;
}

static void find_next(struct switch_traffic *switch_traffic, const struct walk *w, uint32_t column)
{
	const struct route_subnet *p = w->p;
	uint32_t next_hop = route_next(p, w->row, column);

	switch_traffic->next[column] = (uint16_t)(next_hop < HOP_SPECIAL ? next_hop >> 8 : p->n);
}

static void take_column(struct switch_traffic *switch_traffic, struct walk *w, uint32_t column)
{
	/* the last switch has an entry of its own for each; beyond it nothing is waited for */
	if (switch_traffic->last_row[column] == w->row[column] || column == w->dest->sw)
		return;
	switch_traffic->changed[column] = 1;
	walk_from(w, column);
	find_next(switch_traffic, w, column);
}

/* Rows are padded to whole words. */
static void take_changed(struct switch_traffic *switch_traffic, struct walk *w)
{
	memset(switch_traffic->changed, 0, w->p->n + 1u);
	for (uint32_t first = 0; first < w->p->n; first += 8) {
		if (!memcmp(&switch_traffic->last_row[first], &w->row[first], 8))
			continue;
		for (uint32_t i = first; i < first + 8 && i < w->p->n; i++)
			take_column(switch_traffic, w, i);
	}
}

/* Those that send as before, to a switch that does not. */
static void take_those_before(const struct switch_traffic *switch_traffic, const struct walk *w)
{
	for (uint32_t i = 0; i < w->p->n; i++)
		if (switch_traffic->changed[switch_traffic->next[i]] &&
		    !switch_traffic->changed[i] && !w->route[i])
			channels_put(w->channels, (size_t)i * w->p->width + w->row[i],
			             w->row[switch_traffic->next[i]] - 1u);
}

void switch_traffic_take(struct switch_traffic *switch_traffic, struct walk *w)
{
	bool equal = switch_traffic->last && switch_traffic->last->sw == w->dest->sw &&
	             w->row != w->scratch;

	w->channels = w->p->channels->switch_traffic;
	if (equal)
		take_changed(switch_traffic, w);
	if (equal && !w->num_ends) {
		take_those_before(switch_traffic, w);
	} else {
		walk_all(w, NULL, w->p->n);
		for (uint32_t i = 0; i < w->p->n; i++)
			find_next(switch_traffic, w, i);
	}
	switch_traffic->last = w->num_ends || w->row == w->scratch ? NULL : w->dest;
	switch_traffic->last_row = w->row;
}
