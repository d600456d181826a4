/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/routes/walk.h"

#include <string.h>

#include "analysis/routes/channels.h"
#include "base/arena.h"

void walk_new(struct walk *w, const struct route_subnet *p, struct arena *a)
{
	*w = (struct walk){
		.p = p,
		.route = arena_array(a, p->n + 1u, sizeof(*w->route)),
		.stack = arena_array(a, p->n + 1u, sizeof(*w->stack)),
		.ends = arena_array(a, p->n + 1u, sizeof(*w->ends)),
		.scratch = arena_alloc(a, p->n + 1u),
	};
}

void walk_to(struct walk *w, const struct route_dest *dest)
{
	w->dest = dest;
	w->row = route_entries(w->p, dest->lid, w->scratch);
	w->num_ends = 0;
	memset(w->route, 0, w->p->n * sizeof(*w->route));
}

static uint32_t put_end(struct walk *w, enum ibc_route_end end, uint32_t at, unsigned int port)
{
	w->ends[++w->num_ends] = (struct route_end){ .end = end, .at = at, .port = port };
	return w->num_ends * ROUTE_END;
}

/* It goes on to no other switch; 0: it arrives. */
static uint32_t end_here(struct walk *w, uint32_t at, unsigned int out, uint32_t next_hop)
{
	enum ibc_route_end end = IBC_ROUTE_ELSEWHERE;

	if (at == w->dest->sw && out == w->dest->out)
		return 0;
	if (out == IBC_NO_ENTRY)
		return put_end(w, route_missing(w->p, w->dest->lid, at), at, 0);
	if (next_hop == HOP_DOWN)
		end = IBC_ROUTE_DOWN;
	else if (next_hop == HOP_NO_PORT)
		end = IBC_ROUTE_NO_PORT;
	else if (next_hop == HOP_UNKNOWN ||
	         /* a port whose LID was not read may be the one */
	         ibc_port_unanswered(ibc_node_port(w->p->lft->switches[at], out)->peer,
	                             IBC_ATTR_PORT_INFO))
		end = IBC_ROUTE_UNKNOWN;
	return put_end(w, end, at, out);
}

/* The loop is what was stacked since the switch it came back to. */
static uint32_t end_in_loop(struct walk *w, uint32_t back, uint32_t depth)
{
	uint32_t lowest = back;

	while (w->stack[--depth] != back)
		if (w->stack[depth] < lowest)
			lowest = w->stack[depth];
	return put_end(w, IBC_ROUTE_LOOP, lowest, w->row[lowest]);
}

/*
 * What comes after the switches on the stack gives what comes after each; next: the switch
 * after the last of them.
 */
static uint32_t unwind_stack(struct walk *w, uint32_t depth, uint32_t next, uint32_t route)
{
	while (depth--) {
		uint32_t c = w->stack[depth];

		/* beyond the last switch nothing is waited for */
		if (w->channels && route > 1 && route < ROUTE_END)
			channels_put(w->channels, (size_t)c * w->p->width + w->row[c],
			             w->row[next] - 1u);
		route += route < ROUTE_END;
		w->route[c] = route;
		next = c;
	}
	return route;
}

static uint32_t follow_hops(struct walk *w, uint32_t from)
{
	const struct route_subnet *p = w->p;
	uint32_t c = from, depth = 0, route;

	do {
		unsigned int out = w->row[c];
		size_t cell = (size_t)c * p->width + out;
		uint32_t next_hop = out < p->width ? p->next_hop[cell] : HOP_NO_PORT;

		w->stack[depth++] = c;
		w->route[c] = ON_THE_ROUTE;
		if (w->carried && out < p->width)
			w->carried[cell]++;
		if (next_hop >= HOP_SPECIAL) {
			route = end_here(w, c, out, next_hop);
			break;
		}
		c = next_hop >> 8;
		route = w->route[c];
	} while (!route);
	if (route == ON_THE_ROUTE)
		route = end_in_loop(w, c, depth);
	return unwind_stack(w, depth, c, route);
}

/*
 * One step to a switch whose route is known, as nearly all are: kept apart from the rest, as
 * it is done for each switch and LID.  False: that is not how it is.
 */
static inline bool step_to_known(const struct walk *w, uint32_t from)
{
	const struct route_subnet *p = w->p;
	unsigned int out = w->row[from];
	size_t cell = (size_t)from * p->width + out;
	uint32_t next, route;

	if (out >= p->width || p->next_hop[cell] >= HOP_SPECIAL)
		return false;
	next = p->next_hop[cell] >> 8;
	route = w->route[next];
	if (!route || route >= ROUTE_END)
		return false;
	w->route[from] = route + 1;
	if (w->carried)
		w->carried[cell]++;
	if (w->channels && route > 1)
		channels_put(w->channels, cell, w->row[next] - 1u);
	return true;
}

uint32_t walk_from(struct walk *w, uint32_t from)
{
	if (!w->route[from] && !step_to_known(w, from))
		follow_hops(w, from);
	return w->route[from];
}

void walk_all(struct walk *w, const uint32_t *columns, uint32_t n)
{
	const struct walk fixed = *w; /* which the compiler can keep in registers */

	for (uint32_t i = 0; i < n; i++) {
		uint32_t from = columns ? columns[i] : i;

		if (!fixed.route[from] && !step_to_known(&fixed, from))
			follow_hops(w, from);
	}
}

void walk_hosts(struct walk *w, uint32_t first, uint32_t last)
{
	const uint32_t *senders = w->p->senders;
	uint32_t switch_traffic = w->p->sender[w->dest->sw];

	if (switch_traffic < first || switch_traffic >= last || walk_senders(w, w->dest->sw)) {
		walk_all(w, &senders[first], last - first);
		return;
	}
	walk_all(w, &senders[first], switch_traffic - first);
	walk_all(w, &senders[switch_traffic + 1], last - switch_traffic - 1);
}
