/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/match/match.h"

#include "analysis/match/match_work.h"
#include "base/arena.h"

#define REPEATS 4 /* of what may change places only once others have */

static uint32_t *new_nobodies(struct arena *a, size_t n)
{
	uint32_t *all = arena_array(a, n + 1, sizeof(*all));

	for (size_t i = 0; all && i < n; i++)
		all[i] = MATCH_NOBODY;
	return all;
}

static bool prepare_match(struct arena *a, struct match *m)
{
	m->num_planned = ibc_fabric_count(m->planned).nodes;
	m->num_found = ibc_fabric_count(m->found).nodes;
	m->found_of = new_nobodies(a, m->num_planned);
	m->planned_of = new_nobodies(a, m->num_found);
	m->exchanged = new_nobodies(a, m->num_planned);
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

static bool prepare_work(struct matching *w)
{
	w->subnet_of = new_nobodies(w->scratch, ibc_fabric_count(w->m->planned).subnets);
	w->votes = arena_array(w->scratch, w->m->num_found + 1, sizeof(*w->votes));
	return w->subnet_of && w->votes && match_wire_up(w->scratch, w->m->planned, &w->planned) &&
	       match_wire_up(w->scratch, w->m->found, &w->found);
}

/* Who changed places is told by neighbours, and they by their places, and so on. */
static bool run_steps(struct matching *w)
{
	bool changed = true;

	if (!match_names(w))
		return false;
	for (unsigned int i = 0; i < REPEATS && changed; i++) {
		if (!match_exchanges(w, &changed))
			return false;
		changed |= i == 0;
		if (changed && !match_places(w))
			return false;
	}
	return match_shapes(w);
}

bool match_nodes(struct arena *a, const struct ibc_fabric *planned, const struct ibc_fabric *found,
                 const struct ibc_trace *trace, struct match *out)
{
	struct matching w = { .m = out, .trace = trace, .scratch = arena_new() };
	bool done;

	*out = (struct match){ .planned = planned, .found = found };
	if (!w.scratch)
		return false;
	done = prepare_match(a, out) && prepare_work(&w) && run_steps(&w);
	if (done)
		forget_clear(out);
	arena_free(w.scratch);
	return done;
}
