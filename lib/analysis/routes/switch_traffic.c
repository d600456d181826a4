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

/*
 * To the same switch as before only columns whose entry changed are followed, and those that
 * send as before, to a switch that does not.  Rows are padded to whole words.
 */
void switch_traffic_take(struct switch_traffic *t, struct walk *w)
{
	bool equal = t->last && t->last->sw == w->dest->sw && w->row != w->scratch;
	const uint32_t n = w->p->n;

	w->channels = w->p->channels->switch_traffic;
	memset(t->changed, 0, n + 1u);
	for (uint32_t i = 0; equal && i < n; i++) {
		if (i % 8 == 0 && !memcmp(&t->last_row[i], &w->row[i], 8)) {
			i += 7;
			continue;
		}
		/* the last switch has an entry of its own for each; beyond it nothing is waited for
		 */
		if (t->last_row[i] == w->row[i] || i == w->dest->sw)
			continue;
		t->changed[i] = 1;
		walk_from(w, i);
		find_next(t, w, i);
	}
	if (equal && !w->num_ends) {
		for (uint32_t i = 0; i < n; i++)
			if (t->changed[t->next[i]] && !t->changed[i] && !w->route[i])
				channels_put(w->channels, (size_t)i * w->p->width + w->row[i],
				             w->row[t->next[i]] - 1u);
	} else {
		walk_all(w, NULL, n);
		for (uint32_t i = 0; i < n; i++)
			find_next(t, w, i);
	}
	t->last = w->num_ends || w->row == w->scratch ? NULL : w->dest;
	t->last_row = w->row;
}
