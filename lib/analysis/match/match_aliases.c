/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows that call a node by another name than the rest of the plan does: a slip of the pen makes
 * two nodes of one.  The second has no counterpart, and its cables are found at the device
 * that the first one is, at the same ports, where the first has none.
 *
 * If the names are equal but for case, zeros and separators, no cable need be there; if they are
 * one edit apart, one; whatever they are, three.  More cables that are elsewhere speak against
 * the last two: then it is a device that is missing, in whose place another was plugged in.
 */
#include "analysis/match/match_work.h"
#include "analysis/match/twins.h"
#include "base/arena.h"
#include "base/nodename.h"
#include "base/trace.h"
#include "fabric/fabric.h"

#define SURE_CABLES 3 /* as for devices in each other's place */

/*
 * struct aliases - the work in hand
 * @used: by found port: the plan has a cable there, in the rows of who is known already
 */
struct aliases {
	struct matching *w;
	bool *used, any;
};

static bool *used_at(const struct aliases *a, uint32_t found, unsigned int port)
{
	return &a->used[a->w->found.first[found] + port - 1];
}

static void use_ports(struct aliases *a, uint32_t planned)
{
	const uint32_t found = a->w->m->found_of[planned];

	for (unsigned int num = 1; num <= wire_ports(&a->w->planned, planned); num++)
		if (num <= wire_ports(&a->w->found, found) && wire_at(&a->w->planned, planned, num))
			*used_at(a, found, num) = true;
}

/* Of a planned node that is not known, by its name. */
static bool may_be_called(const struct aliases *a, uint32_t planned, uint32_t found)
{
	const struct match *m = a->w->m;
	const char *name = planned_node(a->w, planned)->name;

	return names_compare(name, found_node(a->w, found)->name) ||
	       (m->planned_of[found] != MATCH_NONE &&
	        names_compare(name, planned_node(a->w, m->planned_of[found])->name));
}

/* 1: the cable of this planned port is there, at this device; -1: it is not; 0: nothing is. */
static int speaks_for(const struct aliases *a, uint32_t planned, uint32_t found, unsigned int num)
{
	const struct wire *plan = wire_at(&a->w->planned, planned, num);
	const struct wire *real = wire_at(&a->w->found, found, num);
	const uint32_t far = a->w->m->found_of[plan->node];

	if (real && real->port == plan->port &&
	    (far == MATCH_NONE ? may_be_called(a, plan->node, real->node) : real->node == far))
		return 1;
	return real || (far != MATCH_NONE && wire_at(&a->w->found, far, plan->port)) ? -1 : 0;
}

static bool is_alias(const struct aliases *a, uint32_t planned, uint32_t found)
{
	const struct match *m = a->w->m;
	const char *name = planned_node(a->w, planned)->name;
	enum name_likeness like = names_compare(name, found_node(a->w, found)->name);
	enum name_likeness rest = names_compare(name,
	                                        planned_node(a->w, m->planned_of[found])->name);
	int right = 0, wrong = 0;

	for (unsigned int num = 1; num <= wire_ports(&a->w->planned, planned); num++) {
		int word;

		if (!wire_at(&a->w->planned, planned, num))
			continue;
		if (num > wire_ports(&a->w->found, found) || *used_at(a, found, num))
			return false;
		word = speaks_for(a, planned, found, num);
		right += word > 0;
		wrong += word < 0;
	}
	if (like == NAMES_EQUAL || rest == NAMES_EQUAL)
		return true;
	return right > wrong && right >= (like || rest ? 1 : SURE_CABLES);
}

static void try_alias(struct aliases *a, uint32_t planned, uint32_t found)
{
	struct match *m = a->w->m;
	uint32_t first;

	if (found == MATCH_NONE || m->found_of[planned] != MATCH_NONE ||
	    !planned_node(a->w, planned)->named_only)
		return;
	first = m->planned_of[found];
	if (first == MATCH_NONE || !is_alias(a, planned, found))
		return;
	TRACE(a->w->trace, IBC_TRACE_MATCH, "planned %s is found %s, as %s is: another name",
	      planned_node(a->w, planned)->label, found_node(a->w, found)->label,
	      planned_node(a->w, first)->label);
	m->found_of[planned] = found;
	m->how[planned] = MATCH_ALIAS;
	m->also[planned] = m->also[first];
	m->also[first] = planned;
	use_ports(a, planned);
	match_look_around(a->w, planned);
	a->any = true;
}

static void try_twin(void *ctx, const struct ibc_node *named, const struct ibc_node *other)
{
	struct aliases *a = ctx;

	try_alias(a, (uint32_t)node_order(named), a->w->m->found_of[node_order(other)]);
}

bool match_aliases(struct matching *w)
{
	struct aliases a = {
		.w = w,
		.used = arena_array(w->scratch, w->found.first[w->m->num_found] + 1u,
		                    sizeof(*a.used)),
	};

	for (uint32_t i = 0; i < w->m->num_planned; i++)
		if (w->m->found_of[i] != MATCH_NONE)
			use_ports(&a, i);
	for (uint32_t i = 0; i < w->m->num_planned; i++)
		if (w->m->found_of[i] == MATCH_NONE)
			try_alias(&a, i, match_stand(w, i, false).node);
	twins_find(w->scratch, w->m->planned, w->m->found_of, try_twin, &a);
	match_settle_places(w);
	return a.any;
}
