/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/match/match_work.h"
#include "base/trace.h"

bool match_are_free(const struct matching *w, uint32_t planned, uint32_t found)
{
	return w->m->found_of[planned] == MATCH_NOBODY && w->m->planned_of[found] == MATCH_NOBODY;
}

bool match_may_be(const struct matching *w, uint32_t planned, uint32_t found)
{
	const struct ibc_node *p = planned_node(w, planned), *f = found_node(w, found);

	return p->named_only || f->named_only || p->type == f->type;
}

void match_pair(struct matching *w, uint32_t planned, uint32_t found, enum match_how how)
{
	static const char *const ways[] = {
		[MATCH_NOT] = "nothing",
		[MATCH_GUID] = "GUID",
		[MATCH_NAME] = "name",
		[MATCH_PLACE] = "place",
		[MATCH_ASSUMED] = "one of several equal ones",
	};

	TRACE(w->trace, IBC_TRACE_MATCH, "planned %s is found %s: by %s",
	      planned_node(w, planned)->label, found_node(w, found)->label, ways[how]);
	w->m->found_of[planned] = found;
	w->m->planned_of[found] = planned;
	w->m->how[planned] = (uint8_t)how;
}
