/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/routes/cycles.h"

#include "base/arena.h"
#include "base/array.h"

#define NO_CHANNEL  UINT32_MAX
#define NO_COLUMN   UINT32_MAX
#define DONE        UINT32_MAX
#define RING_EFFORT 50000000 /* dependencies: a third of a second or so */
#define SHORT_RING  4        /* by two leaves and two spines */

/*
 * struct cycle_search
 * @ahead: by channel: the column of the switch it leads to; NO_COLUMN: to none
 * @index: by channel: when it was found, from 1; 0: not yet
 * @low: the lowest index it can get back to; DONE: its component is complete
 * @bit: how far its dependencies have been looked at
 * @component: by channel, from 1; 0: it is in no ring
 * @stack, @calls: of channels; @queue, @parent, @seen: of the breadth-first search
 * @near: by column: the last, from 1, that it was found beside; @beside: which that is now
 * @rising: by column * words: of sets, the bits that lead to no lower rank
 */
struct cycle_search {
	const struct channels *ch;
	uint32_t *ahead, *index, *low, *bit, *component;
	uint32_t *stack, *calls, *queue, *parent, *seen, *near;
	uint64_t *rising;
	uint32_t found, stacked, num_calls, num_components, turn, beside;
	uint64_t effort;
};

static inline uint64_t word_of(const struct channels *ch, uint32_t channel, size_t word)
{
	return atomic_load_explicit(&ch->sets[channel * ch->words + word], memory_order_relaxed);
}

/* Bits of a set that are used. */
static uint32_t bits_of(const struct cycle_search *s)
{
	return (s->ch->p->width - 1) * s->ch->lanes;
}

/* The next channel that one waits for, from a bit on, that itself leads on; or none. */
static inline uint32_t next_ahead(const struct cycle_search *s, uint32_t from, uint32_t *bit)
{
	const struct channels *ch = s->ch;
	uint32_t end = bits_of(s), at = *bit, to = NO_CHANNEL;

	while (at < end) {
		uint64_t set = word_of(ch, from, at / 64) >> at % 64;

		if (!set) {
			at = (at / 64 + 1) * 64;
			continue;
		}
		at += (uint32_t)__builtin_ctzll(set);
		to = (uint32_t)channel_at(ch, s->ahead[from], 1, at++);
		if (s->ahead[to] != NO_COLUMN)
			break;
		to = NO_CHANNEL;
	}
	*bit = at;
	return to;
}

static uint32_t column_of(const struct cycle_search *s, uint32_t channel)
{
	return channel / s->ch->lanes / s->ch->p->width;
}

/* ---- where rings can be -------------------------------------------------------------- */

/*
 * Of the switches on a ring one is as low as any: it is come to from none that is lower, and
 * left for none that is.  So it is enough to look from channels that turn so, of which tables
 * that lead up, then down have none.  That holds whatever the ranks are.
 */
static bool turns_up(const struct cycle_search *s, uint32_t channel)
{
	const struct channels *ch = s->ch;
	uint32_t at = s->ahead[channel];

	if (ch->p->rank[column_of(s, channel)] < ch->p->rank[at])
		return false;
	for (size_t i = 0; i < ch->words; i++)
		if (word_of(ch, channel, i) & s->rising[at * ch->words + i])
			return true;
	return false;
}

/* ---- components --------------------------------------------------------------------- */

static void enter_channel(struct cycle_search *s, uint32_t channel)
{
	s->index[channel] = s->low[channel] = ++s->found;
	s->stack[s->stacked++] = channel;
	s->calls[s->num_calls++] = channel;
}

static void leave_channel(struct cycle_search *s, uint32_t channel)
{
	uint32_t caller, low = s->low[channel], first = s->stacked;

	/* all that was stacked since it is one component; alone it is in no ring */
	if (low == s->index[channel]) {
		do
			s->low[s->stack[--first]] = DONE;
		while (s->stack[first] != channel);
		if (s->stacked - first > 1) {
			s->num_components++;
			for (uint32_t i = first; i < s->stacked; i++)
				s->component[s->stack[i]] = s->num_components;
		}
		s->stacked = first;
	}
	if (!--s->num_calls)
		return;
	caller = s->calls[s->num_calls - 1];
	if (low < s->low[caller])
		s->low[caller] = low;
}

static void visit_from(struct cycle_search *s, uint32_t root)
{
	enter_channel(s, root);
	while (s->num_calls) {
		uint32_t at = s->calls[s->num_calls - 1];
		uint32_t to = next_ahead(s, at, &s->bit[at]);

		if (to == NO_CHANNEL)
			leave_channel(s, at);
		else if (!s->index[to])
			enter_channel(s, to);
		else if (s->low[to] != DONE && s->index[to] < s->low[at])
			s->low[at] = s->index[to];
	}
}

/* ---- the shortest ring -------------------------------------------------------------- */

static bool waits_for(const struct cycle_search *s, uint32_t from, uint32_t to)
{
	size_t bit = to - channel_at(s->ch, s->ahead[from], 1, 0);

	/* else it is of another switch */
	return bit < bits_of(s) && word_of(s->ch, from, bit / 64) >> bit % 64 & 1;
}

/* Marks the switches that one has cables to, once: searches from its channels follow each other. */
static void mark_near(struct cycle_search *s, uint32_t column)
{
	const uint32_t *next_hop = &s->ch->p->next_hop[(size_t)column * s->ch->p->width];

	if (s->beside == column + 1)
		return;
	s->beside = column + 1;
	for (unsigned int port = 1; port < s->ch->p->width; port++)
		if (next_hop[port] < HOP_SPECIAL)
			s->near[next_hop[port] >> 8] = s->beside;
}

/* Can a ring of fewer than limit go on from a channel, which is the depth-th of it? */
static bool is_worthwhile(const struct cycle_search *s, uint32_t from, size_t depth, size_t limit)
{
	if (depth + 2 == limit) /* then only by a channel that leads back to where it began */
		return s->near[s->ahead[from]] == s->beside;
	return depth + 2 < limit;
}

/* Switches of the shortest ring through a channel, if fewer than limit; else 0. */
static size_t search_back(struct cycle_search *s, uint32_t start, size_t limit)
{
	uint32_t head = 0, queued, depth_end = 1;
	size_t depth = 1;

	s->turn++;
	mark_near(s, column_of(s, start));
	s->queue[0] = start;
	queued = is_worthwhile(s, start, depth, limit);
	for (; head < queued; head++) {
		uint32_t from = s->queue[head], bit = 0, to;

		if (head == depth_end) {
			depth_end = queued;
			depth++;
		}
		while ((to = next_ahead(s, from, &bit)) != NO_CHANNEL) {
			s->effort++;
			/* new on the way back to where the search began, of the same component? */
			if (s->seen[to] == s->turn || s->component[to] != s->component[from])
				continue;
			s->seen[to] = s->turn;
			s->parent[to] = from;
			if (waits_for(s, to, start)) {
				s->parent[start] = to;
				return depth + 1;
			}
			if (is_worthwhile(s, to, depth + 1, limit))
				s->queue[queued++] = to;
		}
	}
	return 0;
}

/*
 * Members by number: the first of a shortest ring is then its lowest.  Short rings come first,
 * as one search for a long ring sees most of a large component.
 */
static void find_ring(struct cycle_search *s, const uint32_t *members, size_t n, struct arena *a,
                      struct ring *ring)
{
	size_t num, limit = SHORT_RING + 1;

	s->effort = 0;
	ring->members = n;
	while (!ring->num) {
		for (size_t i = 0; i < n && (limit == SIZE_MAX || s->effort < RING_EFFORT); i++) {
			uint32_t at = members[i];

			num = search_back(s, at, limit);
			if (!num)
				continue;
			limit = ring->num = num;
			/* parents lead back from its start */
			ring->channels = arena_array(a, num, sizeof(*ring->channels));
			ring->channels[0] = at;
			while (num-- > 1)
				ring->channels[num] = at = s->parent[at];
		}
		limit = s->effort < RING_EFFORT ? 2 * limit : SIZE_MAX;
	}
}

/* ---- all ---------------------------------------------------------------------------- */

/* struct component - channels of it, from members[first]; @reported: one was reported before */
struct component {
	uint32_t first, n;
	bool reported;
};

static size_t find_rings(struct cycle_search *s, uint8_t *reported, struct arena *a,
                         struct ring **rings)
{
	uint32_t *number = arena_array(a, s->num_components + 1u, sizeof(*number));
	uint32_t *members = s->stack; /* is empty again */
	struct component *components;
	size_t n = 0, num_rings = 0;

	components = arena_array(a, s->num_components + 1u, sizeof(*components));
	*rings = arena_array(a, s->num_components + 1u, sizeof(**rings));
	/* they get numbers by their lowest channel, and their channels a place each */
	for (size_t i = 0; i < s->ch->count; i++) {
		uint32_t *id = &s->component[i];

		if (!*id)
			continue;
		if (!number[*id])
			number[*id] = (uint32_t)++n;
		*id = number[*id];
		components[*id].n++;
		components[*id].reported |= reported[i];
	}
	for (size_t id = 1; id <= n; id++) {
		components[id].first = components[id - 1].first + components[id - 1].n;
		components[id - 1].n = 0;
	}
	components[n].n = 0;
	for (uint32_t i = 0; i < s->ch->count; i++) {
		struct component *c = &components[s->component[i]];

		if (!s->component[i])
			continue;
		members[c->first + c->n++] = i;
		reported[i] = true;
	}
	for (size_t id = 1; id <= n; id++)
		if (!components[id].reported)
			find_ring(s, &members[components[id].first], components[id].n, a,
			          &(*rings)[num_rings++]);
	return num_rings;
}

size_t cycles_find(const struct channels *ch, uint8_t *reported, struct arena *a,
                   struct ring **rings)
{
	struct cycle_search s = { .ch = ch };
	uint32_t **const lists[] = { &s.index, &s.low,    &s.bit,  &s.component, &s.stack, &s.calls,
		                     &s.queue, &s.parent, &s.seen, &s.ahead,     &s.near };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		*lists[i] = arena_array(a, ch->count + 1, sizeof(**lists[i]));
	s.rising = arena_array(a, ch->p->n * ch->words + 1, sizeof(*s.rising));
	for (uint32_t i = 0; i < ch->count; i++) {
		uint32_t next_hop = ch->p->next_hop[i / ch->lanes];

		s.ahead[i] = next_hop < HOP_SPECIAL ? next_hop >> 8 : NO_COLUMN;
	}
	for (uint32_t i = 0; i < ch->count; i++) {
		uint32_t column = column_of(&s, i);
		size_t bit = i - channel_at(ch, column, 1, 0);

		if (s.ahead[i] != NO_COLUMN && ch->p->rank[s.ahead[i]] >= ch->p->rank[column])
			s.rising[column * ch->words + bit / 64] |= 1ull << bit % 64;
	}
	for (uint32_t i = 0; i < ch->count; i++)
		if (!s.index[i] && s.ahead[i] != NO_COLUMN && turns_up(&s, i))
			visit_from(&s, i);
	return find_rings(&s, reported, a, rings);
}
