/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole devices that stand in each other's place.  A node that is known by GUID or name
 * and has none of its planned cables, while nearly all of them lead to one other, has
 * been changed for that one.  Such nodes form cycles (two or more changed places) and
 * paths (from a node that is gone to one that is not known); in both the mapping follows
 * the place, and what had been many wrong cables is a few wrong devices.
 *
 * One or two cables are two plugs in each other's socket rather; unless all the HCAs of a
 * host agree, or the devices, known by GUID, are called as their places are.
 */
#include <string.h>

#include "analysis/match/match_work.h"
#include "base/arena.h"
#include "base/nodename.h"
#include "base/trace.h"
#include "fabric/fabric.h"

#define SURE_VOTES 6  /* of three cables at the right ports; doc/wiring.md, table 6 */
#define PATH_MAX   64 /* devices; to move more of them is another plan */

/*
 * struct exchange - by planned node
 * @stands: the found node that stands in its place, if that is not its counterpart
 * @sure: there is enough to say so
 * @walk: 0, or which walk came by
 */
struct exchange {
	struct matching *w;
	uint32_t *stands, *walk;
	bool *sure;
};

static uint32_t next_of(const struct exchange *x, uint32_t planned)
{
	return x->sure[planned] ? x->w->m->planned_of[x->stands[planned]] : MATCH_NONE;
}

/* ---- evidence -------------------------------------------------------------------------- */

/* Only their GUIDs say that it is another: the HCAs of two hosts, or a spare one. */
static bool has_name_of(const struct exchange *x, uint32_t planned, uint32_t found)
{
	const struct match *m = x->w->m;
	const uint32_t its = m->planned_of[found];
	char mine[NODENAME_MAX], other[NODENAME_MAX];

	if (m->how[planned] == MATCH_NAME || (its != MATCH_NONE && m->how[its] != MATCH_GUID))
		return false;
	return name_form(mine, planned_node(x->w, planned)->name, NAME_FOLDED) &&
	       name_form(other, found_node(x->w, found)->name, NAME_FOLDED) &&
	       strcmp(mine, other) == 0;
}

static void look_at(struct exchange *x, uint32_t planned)
{
	struct match *m = x->w->m;
	struct stand s;

	x->stands[planned] = MATCH_NONE;
	if (m->how[planned] == MATCH_PLACE || m->how[planned] == MATCH_ASSUMED)
		return;
	s = match_stand(x->w, planned, false);
	if (s.node == MATCH_NONE || s.node == m->found_of[planned] || s.votes == s.second ||
	    s.votes * 4 < s.known * 3)
		return;
	x->stands[planned] = s.node;
	x->sure[planned] = s.votes >= SURE_VOTES || has_name_of(x, planned, s.node);
	TRACE(x->w->trace, IBC_TRACE_MATCH,
	      "%s is in the place of %s: %u votes of %u, the next has %u: %s",
	      found_node(x->w, s.node)->label, planned_node(x->w, planned)->label, s.votes, s.known,
	      s.second, x->sure[planned] ? "sure" : "not enough alone");
}

/* The host whose HCA stands in this one's place, or NULL. */
static const char *host_at(const struct exchange *x, const struct ibc_node *node)
{
	const uint32_t stands = x->stands[node_order(node)];
	const uint32_t planned = stands == MATCH_NONE ? MATCH_NONE : x->w->m->planned_of[stands];

	return planned == MATCH_NONE ? NULL : planned_node(x->w, planned)->host_name;
}

/* Two cables or more, and all of them lead to one other host. */
static void look_at_host(struct exchange *x, const struct ibc_fabric_host *host)
{
	const char *other = host_at(x, host->nodes[0]);

	if (!other || other == host->name || host->num_nodes < 2)
		return;
	for (size_t i = 0; i < host->num_nodes; i++)
		if (host_at(x, host->nodes[i]) != other)
			return;
	for (size_t i = 0; i < host->num_nodes; i++)
		x->sure[node_order(host->nodes[i])] = true;
}

/* ---- cycles and paths ------------------------------------------------------------------ */

static void put_in_place(struct exchange *x, uint32_t planned)
{
	x->sure[planned] = false;
	match_pair(x->w, planned, x->stands[planned], MATCH_PLACE);
}

static bool find_cycles(struct exchange *x)
{
	bool any = false;

	for (uint32_t i = 0; i < x->w->m->num_planned; i++) {
		uint32_t *exchanged = x->w->m->exchanged, at = i, start;

		while (at != MATCH_NONE && x->walk[at] == 0) {
			x->walk[at] = i + 1;
			at = next_of(x, at);
		}
		if (at == MATCH_NONE || x->walk[at] != i + 1)
			continue;
		any = true;
		start = at;
		do {
			exchanged[at] = next_of(x, at);
			at = exchanged[at];
		} while (at != start);
		do {
			put_in_place(x, at);
			at = exchanged[at];
		} while (at != start);
	}
	return any;
}

static bool find_paths(struct exchange *x)
{
	bool any = false;

	for (uint32_t i = 0; i < x->w->m->num_planned; i++) {
		uint32_t at = i, next;
		size_t length = 0;

		/* does it lead from device to device to one without counterpart? */
		while (x->w->m->found_of[i] == MATCH_NONE && at != MATCH_NONE && x->sure[at] &&
		       length++ < PATH_MAX)
			at = next_of(x, at);
		/* what has been turned or moved meanwhile is not sure any more */
		if (at != MATCH_NONE || length < 2)
			continue;
		for (at = i; at != MATCH_NONE; at = next) {
			next = next_of(x, at);
			put_in_place(x, at);
		}
		any = true;
	}
	return any;
}

bool match_exchanges(struct matching *w)
{
	const size_t n = w->m->num_planned + 1;
	const struct ibc_fabric_host *host;
	struct exchange x = {
		.w = w,
		.stands = arena_array(w->scratch, n, sizeof(*x.stands)),
		.walk = arena_array(w->scratch, n, sizeof(*x.walk)),
		.sure = arena_array(w->scratch, n, sizeof(*x.sure)),
	};
	bool any;

	for (uint32_t i = 0; i < w->m->num_planned; i++)
		look_at(&x, i);
	for (size_t i = 0; (host = ibc_fabric_host(w->m->planned, i)); i++)
		look_at_host(&x, host);
	any = find_cycles(&x);
	any |= find_paths(&x);
	return any;
}
