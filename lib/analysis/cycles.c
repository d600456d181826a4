/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/cycles.h"

#include "base/arena.h"

#define NO_CHANNEL  UINT32_MAX
#define DONE        UINT32_MAX
#define RING_EFFORT 50000000 /* dependencies: a quarter of a second or so */

/*
 * struct search
 * @ahead: by channel: that of bit 0 of its set; NO_CHANNEL: it leads to no switch
 * @index: by channel: when it was found, from 1; 0: not yet
 * @low: the lowest index it can get back to; DONE: its component is complete
 * @bit: how far its dependencies have been looked at
 * @component: by channel, from 1; 0: it is in no ring
 * @stack, @calls: of channels; @queue, @parent, @seen: of the breadth-first search
 */
struct search {
	const struct channels *ch;
	uint32_t *ahead, *index, *low, *bit, *component;
	uint32_t *stack, *calls, *queue, *parent, *seen;
	uint32_t found, stacked, num_calls, num_components, turn;
	uint64_t effort;
};

/* The next channel that one waits for, from a bit on, that itself leads on; or none. */
static uint32_t next_ahead(const struct search *s, uint32_t from, uint32_t *bit)
{
	const struct channels *ch = s->ch;
	uint32_t end = (uint32_t)((ch->p->width - 1) * ch->lanes);

	while (*bit < end) {
		uint64_t set = atomic_load_explicit(&ch->sets[from * ch->words + *bit / 64],
		                                    memory_order_relaxed) >>
		               *bit % 64;
		uint32_t at, to;

		if (!set) {
			*bit = (*bit / 64 + 1) * 64;
			continue;
		}
		at = *bit + (uint32_t)__builtin_ctzll(set);
		*bit = at + 1;
		to = s->ahead[from] + at;
		if (s->ahead[to] != NO_CHANNEL)
			return to;
	}
	return NO_CHANNEL;
}

/* ---- components --------------------------------------------------------------------- */

static void enter(struct search *s, uint32_t channel)
{
	s->index[channel] = s->low[channel] = ++s->found;
	s->stack[s->stacked++] = channel;
	s->calls[s->num_calls++] = channel;
}

/* All that was stacked since it is one component; alone it is in no ring. */
static void complete(struct search *s, uint32_t channel)
{
	uint32_t first = s->stacked, id;

	do
		s->low[s->stack[--first]] = DONE;
	while (s->stack[first] != channel);
	if (s->stacked - first > 1) {
		id = ++s->num_components;
		for (uint32_t i = first; i < s->stacked; i++)
			s->component[s->stack[i]] = id;
	}
	s->stacked = first;
}

static void leave(struct search *s, uint32_t channel)
{
	uint32_t caller, low = s->low[channel];

	if (low == s->index[channel])
		complete(s, channel);
	if (!--s->num_calls)
		return;
	caller = s->calls[s->num_calls - 1];
	if (low < s->low[caller])
		s->low[caller] = low;
}

static void visit(struct search *s, uint32_t root)
{
	enter(s, root);
	while (s->num_calls) {
		uint32_t at = s->calls[s->num_calls - 1];
		uint32_t to = next_ahead(s, at, &s->bit[at]);

		if (to == NO_CHANNEL)
			leave(s, at);
		else if (!s->index[to])
			enter(s, to);
		else if (s->low[to] != DONE && s->index[to] < s->low[at])
			s->low[at] = s->index[to];
	}
}

/* ---- the shortest ring -------------------------------------------------------------- */

/* Can it be reached on the way back to where the search began, of the same component? */
static void reach(struct search *s, uint32_t from, uint32_t to, uint32_t *queued)
{
	if (s->seen[to] == s->turn || s->component[to] != s->component[from])
		return;
	s->seen[to] = s->turn;
	s->parent[to] = from;
	s->queue[(*queued)++] = to;
}

/* Switches of the shortest ring through a channel, if fewer than limit; else 0. */
static size_t search_back(struct search *s, uint32_t start, size_t limit)
{
	uint32_t head = 0, queued = 1, level_end = 1;
	size_t depth = 1;

	s->turn++;
	s->queue[0] = start;
	for (; head < queued; head++) {
		uint32_t from = s->queue[head], bit = 0, to;

		if (head == level_end) {
			level_end = queued;
			depth++;
		}
		if (depth >= limit)
			return 0;
		while ((to = next_ahead(s, from, &bit)) != NO_CHANNEL) {
			s->effort++;
			reach(s, from, to, &queued);
			if (to == start)
				return depth;
		}
	}
	return 0;
}

/* The ring that was just found: parents lead back from its start. */
static bool take_ring(const struct search *s, uint32_t start, size_t num, struct arena *a,
                      struct ring *ring)
{
	uint32_t at = start;

	ring->num = num;
	ring->channels = arena_array(a, num, sizeof(*ring->channels));
	if (!ring->channels)
		return false;
	ring->channels[0] = start;
	while (num-- > 1) {
		at = s->parent[at];
		ring->channels[num] = at;
	}
	return true;
}

/* Members by number: the first of a shortest ring is then its lowest. */
static bool find_ring(struct search *s, const uint32_t *members, size_t n, struct arena *a,
                      struct ring *ring)
{
	size_t num, best = SIZE_MAX;

	s->effort = 0;
	ring->members = n;
	for (size_t i = 0; i < n && (best == SIZE_MAX || s->effort < RING_EFFORT); i++) {
		num = search_back(s, members[i], best);
		if (!num)
			continue;
		best = num;
		if (!take_ring(s, members[i], num, a, ring))
			return false;
	}
	return true;
}

/* ---- all ---------------------------------------------------------------------------- */

/* struct component - channels of it, from members[first]; @told: one was told before */
struct component {
	uint32_t first, n;
	bool told;
};

/* Numbers components by their lowest channel, and counts their channels. */
static size_t order_components(struct search *s, const uint8_t *told, uint32_t *number,
                               struct component *components)
{
	size_t n = 0, first = 0;

	for (size_t i = 0; i < s->ch->count; i++) {
		uint32_t id = s->component[i];

		if (!id)
			continue;
		if (!number[id])
			number[id] = (uint32_t)++n;
		s->component[i] = number[id];
		components[number[id]].n++;
		components[number[id]].told |= told[i];
	}
	for (size_t id = 1; id <= n; id++) {
		components[id].first = (uint32_t)first;
		first += components[id].n;
		components[id].n = 0;
	}
	return n;
}

static bool find_rings(struct search *s, uint8_t *told, struct arena *a, struct ring **rings,
                       size_t *num_rings)
{
	uint32_t *number = arena_array(a, s->num_components + 1u, sizeof(*number));
	uint32_t *members = s->stack; /* is empty again */
	struct component *components;
	size_t n;

	components = arena_array(a, s->num_components + 1u, sizeof(*components));
	*rings = arena_array(a, s->num_components + 1u, sizeof(**rings));
	if (!number || !components || !*rings)
		return false;
	n = order_components(s, told, number, components);
	for (uint32_t i = 0; i < s->ch->count; i++) {
		struct component *c = &components[s->component[i]];

		if (!s->component[i])
			continue;
		members[c->first + c->n++] = i;
		told[i] = true;
	}
	for (size_t id = 1; id <= n; id++)
		if (!components[id].told &&
		    !find_ring(s, &members[components[id].first], components[id].n, a,
		               &(*rings)[(*num_rings)++]))
			return false;
	return true;
}

static void find_ahead(struct search *s)
{
	for (uint32_t i = 0; i < s->ch->count; i++) {
		uint32_t beyond = s->ch->p->beyond[i / s->ch->lanes];

		s->ahead[i] = beyond < BEYOND_SPECIAL
		                  ? (uint32_t)channel_at(s->ch, beyond >> 8, 1, 0)
		                  : NO_CHANNEL;
	}
}

bool cycles_find(const struct channels *ch, uint8_t *told, struct arena *a, struct ring **rings,
                 size_t *num_rings)
{
	struct search s = { .ch = ch };
	uint32_t **const lists[] = { &s.index, &s.low,   &s.bit,    &s.component, &s.stack,
		                     &s.calls, &s.queue, &s.parent, &s.seen,      &s.ahead };

	*num_rings = 0;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		*lists[i] = arena_array(a, ch->count + 1, sizeof(**lists[i]));
		if (!*lists[i])
			return false;
	}
	find_ahead(&s);
	for (uint32_t i = 0; i < ch->count; i++)
		if (!s.index[i] && s.ahead[i] != NO_CHANNEL)
			visit(&s, i);
	return find_rings(&s, told, a, rings, num_rings);
}
