/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/match.h"

#include "analysis/match_work.h"
#include "base/arena.h"

bool match_can_pair(const struct matching *w, uint32_t planned, uint32_t found)
{
	const struct ibc_node *p = planned_node(w, planned), *f = found_node(w, found);

	if (w->m->found_of[planned] != MATCH_NOBODY || w->m->planned_of[found] != MATCH_NOBODY)
		return false;
	return p->named_only || f->named_only || p->type == f->type;
}

void match_pair(struct matching *w, uint32_t planned, uint32_t found, enum match_how how)
{
	w->m->found_of[planned] = found;
	w->m->planned_of[found] = planned;
	w->m->how[planned] = (uint8_t)how;
}

static uint32_t *nobodies(struct arena *a, size_t n)
{
	uint32_t *all = arena_array(a, n + 1, sizeof(*all));

	for (size_t i = 0; all && i < n; i++)
		all[i] = MATCH_NOBODY;
	return all;
}

static bool prepare(struct arena *a, struct match *m)
{
	m->num_planned = ibc_fabric_count(m->planned).nodes;
	m->num_found = ibc_fabric_count(m->found).nodes;
	m->found_of = nobodies(a, m->num_planned);
	m->planned_of = nobodies(a, m->num_found);
	m->exchanged = nobodies(a, m->num_planned);
	m->how = arena_array(a, m->num_planned + 1, sizeof(*m->how));
	m->unclear = arena_array(a, m->num_planned + 1, sizeof(*m->unclear));
	return m->found_of && m->planned_of && m->exchanged && m->how && m->unclear;
}

/* What found its counterpart in another way was clear after all. */
static void forget_clear(struct match *m)
{
	for (size_t i = 0; i < m->num_planned; i++)
		if (m->how[i] != MATCH_NOT && m->how[i] != MATCH_ASSUMED)
			m->unclear[i] = false;
}

bool match_nodes(struct arena *a, const struct ibc_fabric *planned, const struct ibc_fabric *found,
                 struct match *out)
{
	struct matching w = { .m = out, .scratch = arena_new() };
	bool done;

	*out = (struct match){ .planned = planned, .found = found };
	if (!w.scratch)
		return false;
	w.plane_of = nobodies(w.scratch, ibc_fabric_count(planned).planes);
	done = w.plane_of && prepare(a, out) && match_keys(&w);
	if (done)
		forget_clear(out);
	arena_free(w.scratch);
	return done;
}
