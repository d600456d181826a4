/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who stands where a node was planned.  Each of its planned cables to a neighbour that is
 * found already leads, at that neighbour's port, to a node: that is a vote, and half of
 * one if the cable arrives at another port there.  The clearest case is settled first and
 * makes those around it clearer; so a wrong cable near the start does not mislead.
 *
 * The queue holds a node at the most its lead can be, and a node that comes up is counted
 * again: it is settled if its lead is still that large, or waits further down.  What ties,
 * or only looks alike, waits below all the rest, and is assumed when nothing else is left.
 *
 * Cost: each cable of a node that is settled may count one neighbour again, so at worst
 * cables times ports of a switch; where names are known there is little to settle.
 */
#include "analysis/match/match_work.h"
#include "base/arena.h"
#include "base/trace.h"

#define VOTES_MAX 510 /* two for each of 255 ports */
#define STRICT    (VOTES_MAX + 1)
#define LEVELS    (STRICT + VOTES_MAX + 1)
#define NO_LEVEL  0 /* it does not wait */

/*
 * struct match_queue - planned nodes whose place may be found, by level
 * @level: by node: STRICT and its lead; of a tie its votes; NO_LEVEL: it does not wait
 * @known: by node: its cables to neighbours that are found
 */
struct match_queue {
	uint16_t *level, *known;
	uint32_t *next, *previous;
	uint32_t head[LEVELS];
	unsigned int top;
};

/* ---- votes ----------------------------------------------------------------------------- */

struct stand match_stand(struct matching *w, uint32_t planned, bool free_only)
{
	const uint32_t own = w->m->found_of[planned];
	struct stand out = { .node = MATCH_NONE };
	uint32_t known[VOTES_MAX / 2];
	unsigned int n = 0;

	for (unsigned int num = 1; num <= wire_ports(&w->planned, planned); num++) {
		const struct wire *plan = wire_at(&w->planned, planned, num), *real;
		uint32_t neighbour = plan ? w->m->found_of[plan->node] : MATCH_NONE;
		const struct ibc_port *port;

		if (neighbour == MATCH_NONE)
			continue;
		real = wire_at(&w->found, neighbour, plan->port);
		port = ibc_node_port(found_node(w, neighbour), plan->port);
		if (!real && port && ibc_port_is_up(port))
			continue; /* it may lead to one that did not answer */
		out.known += 2;
		if (!real)
			continue;
		w->votes[real->node] += real->port == num ? 2 : 1;
		known[n++] = real->node;
	}
	out.own = own == MATCH_NONE ? 0 : w->votes[own];
	for (unsigned int i = 0; i < n; i++) {
		unsigned int votes = w->votes[known[i]];

		w->votes[known[i]] = 0;
		if (votes == 0 || (free_only && w->m->planned_of[known[i]] != MATCH_NONE) ||
		    !match_may_be(w, planned, known[i]))
			continue;
		if (votes > out.votes || (votes == out.votes && known[i] < out.node)) {
			out.second = out.votes;
			out.votes = votes;
			out.node = known[i];
		} else if (votes > out.second) {
			out.second = votes;
		}
	}
	return out;
}

/* Half-heard is not enough: a third of what is known of it, on either side, must agree. */
static bool is_enough(const struct matching *w, const struct stand *s)
{
	unsigned int known = 0;

	if (s->node == MATCH_NONE || s->votes * 3 < s->known)
		return false;
	for (unsigned int num = 1; num <= wire_ports(&w->found, s->node); num++) {
		const struct wire *wire = wire_at(&w->found, s->node, num);

		if (wire && w->m->planned_of[wire->node] != MATCH_NONE)
			known += 2;
	}
	return s->votes * 3 >= known;
}

/*
 * Too many wrong cables; but with those at the same ports that lead, on both sides, to a node that
 * is not known yet, half of all are right.
 */
static bool is_half_right(const struct matching *w, uint32_t planned, const struct stand *s)
{
	unsigned int right = s->votes / 2;

	if (s->node == MATCH_NONE)
		return false;
	for (unsigned int num = 1; num <= wire_ports(&w->planned, planned); num++) {
		const struct wire *plan = wire_at(&w->planned, planned, num);
		const struct wire *real = wire_at(&w->found, s->node, num);

		right += plan && real && plan->port == real->port &&
		         match_are_free(w, plan->node, real->node) &&
		         match_may_be(w, plan->node, real->node);
	}
	return 2 * right >= wire_count(&w->planned, planned) &&
	       2 * right >= wire_count(&w->found, s->node);
}

/* ---- the queue ------------------------------------------------------------------------- */

static void leave_level(struct match_queue *q, uint32_t node)
{
	const uint32_t next = q->next[node], previous = q->previous[node];

	if (q->level[node] == NO_LEVEL)
		return;
	if (previous == MATCH_NONE)
		q->head[q->level[node]] = next;
	else
		q->next[previous] = next;
	if (next != MATCH_NONE)
		q->previous[next] = previous;
	q->level[node] = NO_LEVEL;
}

static void wait_at(struct match_queue *q, uint32_t node, unsigned int level)
{
	leave_level(q, node);
	if (level == NO_LEVEL)
		return;
	q->level[node] = (uint16_t)level;
	q->previous[node] = MATCH_NONE;
	q->next[node] = q->head[level];
	if (q->next[node] != MATCH_NONE)
		q->previous[q->next[node]] = node;
	q->head[level] = node;
	if (level > q->top)
		q->top = level;
}

/* Something around this planned node is known better now. */
static void look_again(struct matching *w, uint32_t planned)
{
	if (w->m->found_of[planned] == MATCH_NONE)
		wait_at(w->queue, planned, STRICT + 2u * w->queue->known[planned]);
}

void match_look_around(struct matching *w, uint32_t planned)
{
	const uint32_t found = w->m->found_of[planned];

	leave_level(w->queue, planned);
	for (unsigned int num = 1; num <= wire_ports(&w->planned, planned); num++) {
		const struct wire *wire = wire_at(&w->planned, planned, num);

		if (!wire)
			continue;
		w->queue->known[wire->node]++;
		look_again(w, wire->node);
	}
	/* who else hoped for this one */
	for (unsigned int num = 1; num <= wire_ports(&w->found, found); num++) {
		const struct wire *real = wire_at(&w->found, found, num), *plan;
		uint32_t neighbour = real ? w->m->planned_of[real->node] : MATCH_NONE;

		plan = neighbour == MATCH_NONE ? NULL : wire_at(&w->planned, neighbour, real->port);
		if (plan)
			look_again(w, plan->node);
	}
}

void match_settle_places(struct matching *w)
{
	struct match_queue *q = w->queue;

	while (q->top > NO_LEVEL) {
		uint32_t planned = q->head[q->top];
		unsigned int level = NO_LEVEL;
		struct stand s;

		if (planned == MATCH_NONE) {
			q->top--;
			continue;
		}
		s = match_stand(w, planned, true);
		if (is_enough(w, &s))
			level = s.votes > s.second ? STRICT + s.votes - s.second : s.votes;
		else if (is_half_right(w, planned, &s))
			level = s.votes;
		if (level < q->level[planned]) {
			wait_at(q, planned, level);
			continue;
		}
		TRACE(w->trace, IBC_TRACE_MATCH, "%s: %u votes for %s, the next has %u, of %u",
		      planned_node(w, planned)->label, s.votes, found_node(w, s.node)->label,
		      s.second, s.known);
		match_pair(w, planned, s.node, level > STRICT ? MATCH_PLACE : MATCH_ASSUMED);
		match_look_around(w, planned);
	}
}

void match_places(struct matching *w)
{
	const size_t n = w->m->num_planned + 1;
	struct match_queue *q = arena_alloc(w->scratch, sizeof(*q));

	q->level = arena_array(w->scratch, n, sizeof(*q->level));
	q->known = arena_array(w->scratch, n, sizeof(*q->known));
	q->next = arena_array(w->scratch, n, sizeof(*q->next));
	q->previous = arena_array(w->scratch, n, sizeof(*q->previous));
	for (size_t i = 0; i < LEVELS; i++)
		q->head[i] = MATCH_NONE;
	w->queue = q;
	for (uint32_t i = 0; i < w->m->num_planned; i++)
		if (w->m->found_of[i] != MATCH_NONE)
			match_look_around(w, i);
	match_settle_places(w);
}
