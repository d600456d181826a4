/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/routes/choices.h"

#include <string.h>

#include "base/arena.h"

#define DONE UINT32_MAX /* in low: its component is complete */

bool choices_has_blocks(const struct ibc_forwarding *lft, uint32_t column)
{
	const size_t blocks = (lft->num_lids + IBC_LFT_BLOCK - 1) / IBC_LFT_BLOCK;

	for (size_t i = 0; i < blocks; i++)
		if (lft->ar->blocks[i * lft->stride + column])
			return true;
	return false;
}

void choice_ports_new(struct choice_ports *ports, const struct route_subnet *p, struct arena *a)
{
	ports->live = arena_array(a, p->n + 1u, sizeof(*ports->live));
	ports->down = arena_array(a, p->n + 1u, sizeof(*ports->down));
	ports->back = arena_array(a, p->n + 1u, sizeof(*ports->back));
	ports->is_static = arena_array(a, p->n + 1u, sizeof(*ports->is_static));
	ports->is_unread = arena_array(a, p->n + 1u, sizeof(*ports->is_unread));
	for (uint32_t s = 0; s < p->n; s++) {
		const struct ibc_node *sw = p->lft->switches[s];

		ports->is_static[s] = sw->ar && !ibc_node_adaptive_sls(sw);
		ports->is_unread[s] = p->lft->ar->switches[s].gap ||
		                      ((ibc_node_adaptive_sls(sw) ||
		                        ibc_node_unanswered(sw, IBC_ATTR_AR_INFO)) &&
		                       !choices_has_blocks(p->lft, s));
		for (unsigned int port = 1; port < p->width; port++) {
			uint32_t next_hop = choice_hop(p, s, port);

			if (next_hop == HOP_DOWN)
				ports_add(&ports->down[s], port);
			if (next_hop >= HOP_SPECIAL)
				continue;
			ports_add(&ports->live[s], port);
			if (next_hop >> 8 == s)
				ports_add(&ports->back[s], port);
		}
	}
}

void choices_new(struct choices *c, const struct route_subnet *p, const struct choice_ports *ports,
                 struct arena *a)
{
	size_t n = p->n + 1u;

	*c = (struct choices){
		.p = p,
		.ports = ports,
		.code = arena_array(a, n, sizeof(*c->code)),
		.fresh = arena_array(a, n, sizeof(*c->fresh)),
		.links = arena_array(a, n, sizeof(*c->links)),
		.left = arena_array(a, n, sizeof(*c->left)),
		.last = arena_array(a, n, sizeof(*c->last)),
		.fate = arena_alloc(a, n),
		.scratch = arena_alloc(a, n),
		.ring = arena_array(a, n, sizeof(*c->ring)),
		.ring_starts = arena_array(a, n + 1, sizeof(*c->ring_starts)),
		.order = arena_array(a, n, sizeof(*c->order)),
		.index = arena_array(a, n, sizeof(*c->index)),
		.low = arena_array(a, n, sizeof(*c->low)),
		.stack = arena_array(a, n, sizeof(*c->stack)),
		.calls = arena_array(a, n, sizeof(*c->calls)),
	};
}

/* ---- what a switch can choose --------------------------------------------------------- */

/* Stands for a group that was not read: entries have no such number. */
#define UNREAD (1u << IBC_AR_ENTRY_SHIFT)

/* Entries come again and again: the group of the last one is at hand. */
static inline uint32_t code_of(struct choices *c, const uint16_t *block, size_t lid,
                               unsigned int out, uint32_t column)
{
	struct last_entry *last = &c->last[column];
	unsigned int entry, group;

	if (!block)
		return out;
	entry = block[lid % IBC_LFT_BLOCK];
	if (entry >> IBC_AR_ENTRY_SHIFT == IBC_AR_ENTRY_STATIC)
		return out;
	group = entry & (UNREAD - 1);
	if (entry != last->entry || !last->known) {
		const struct ibc_ar_switch *sw = &c->p->lft->ar->switches[column];

		last->group = group < sw->num_groups ? sw->groups[group] : NULL;
		last->entry = (uint16_t)entry;
		last->known = true;
	}
	if (!last->group)
		group = UNREAD;
	else if (out != IBC_NO_ENTRY && ports_have(last->group, out))
		out = IBC_NO_ENTRY;
	return (group + 1) << 8 | out;
}

static bool is_unread(uint32_t code)
{
	return code >> 8 == UNREAD + 1;
}

bool choices_unread(const struct choices *c, uint32_t column)
{
	return is_unread(c->code[column]);
}

const struct ibc_port_set *choices_group(const struct choices *c, uint32_t column)
{
	if (c->code[column] < 256 || choices_unread(c, column))
		return NULL;
	return c->p->lft->ar->switches[column].groups[(c->code[column] >> 8) - 1];
}

static struct ibc_port_set set_of_code(const struct route_subnet *p, uint32_t column, uint32_t code)
{
	unsigned int out = code & 0xff;
	struct ibc_port_set set = { { 0 } };

	if (code >= 256 && !is_unread(code))
		set = *p->lft->ar->switches[column].groups[(code >> 8) - 1];
	if (out != IBC_NO_ENTRY)
		ports_add(&set, out);
	return set;
}

struct ibc_port_set choices_of(const struct choices *c, uint32_t column)
{
	return set_of_code(c->p, column, c->code[column]);
}

bool choices_to(struct choices *c, const struct route_dest *dest)
{
	const struct route_subnet *p = c->p;
	const uint8_t *row = route_entries(p, dest->lid, c->scratch);
	const uint16_t *const *blocks = NULL;
	bool equal = c->dest && c->dest->sw == dest->sw && c->plain_end;
	struct ibc_port_set set;
	uint32_t changed = 0;

	if (route_has_row(p, dest->lid))
		blocks = &p->lft->ar->blocks[(size_t)(dest->lid / IBC_LFT_BLOCK) * p->lft->stride];
	for (uint32_t s = 0; s < p->n; s++) {
		uint32_t code = row[s];

		if (c->ports->is_static[s])
			;
		else if (c->ports->is_unread[s])
			code = (UNREAD + 1) << 8 | row[s];
		else if (dest->lid <= p->top[s])
			code = code_of(c, blocks ? blocks[s] : NULL, dest->lid, row[s], s);
		changed |= s == dest->sw ? 0 : code ^ c->code[s];
		c->fresh[s] = code;
	}
	c->next_dest = dest;
	/* does its switch send it by nothing but the port it is at? */
	set = set_of_code(p, dest->sw, c->fresh[dest->sw]);
	c->fresh_end = ports_have(&set, dest->out) && ports_count(&set) == 1 &&
	               !is_unread(c->fresh[dest->sw]);
	return equal && !changed && c->fresh_end;
}

struct ibc_port_set choices_astray(const struct choices *c, uint32_t column)
{
	struct ibc_port_set set = choices_of(c, column);

	for (unsigned int i = 0; i < SET_WORDS; i++)
		set.words[i] &= ~(c->ports->live[column].words[i] |
		                  c->ports->down[column].words[i]);
	if (column == c->dest->sw)
		set.words[c->dest->out / 64] &= ~(1ull << c->dest->out % 64);
	return set;
}

/* ---- where each leads ----------------------------------------------------------------- */

/* What becomes of what leaves by no link to another switch. */
static uint8_t fate_here(const struct choices *c, uint32_t column, const struct ibc_port_set *set)
{
	const struct route_subnet *p = c->p;
	struct ibc_port_set astray = choices_astray(c, column);
	uint8_t fate = choices_unread(c, column) ? FATE_UNKNOWN : 0;
	unsigned int at = 0, port;

	if (column == c->dest->sw && ports_have(set, c->dest->out))
		fate |= FATE_ARRIVES;
	if (!ports_any(set) && route_missing(p, c->dest->lid, column) == IBC_ROUTE_UNKNOWN)
		return FATE_UNKNOWN;
	if (!ports_any(set) && !fate)
		return FATE_DEAD;
	while (ports_next(&astray, &at, &port))
		fate |= choice_hop(p, column, port) == HOP_UNKNOWN ? FATE_UNKNOWN : FATE_DEAD;
	if (!fate && !ports_any(&c->links[column]))
		fate = FATE_DEAD; /* all of them are down */
	return fate;
}

static void enter_column(struct choices *c, uint32_t column)
{
	struct ibc_port_set set = choices_of(c, column);

	for (unsigned int i = 0; i < SET_WORDS; i++)
		c->links[column].words[i] = set.words[i] & c->ports->live[column].words[i];
	c->left[column] = c->links[column];
	c->fate[column] = fate_here(c, column, &set);
	c->index[column] = c->low[column] = ++c->found;
	c->stack[c->stacked++] = column;
	c->calls[c->num_calls++] = column;
}

/* All that was stacked since it can come back to each other, and has one fate. */
static void complete_columns(struct choices *c, uint32_t column)
{
	uint32_t first = c->stacked;
	uint8_t fate = 0;
	bool ring = false;

	do
		fate |= c->fate[c->stack[--first]];
	while (c->stack[first] != column);
	for (unsigned int i = 0; i < SET_WORDS; i++)
		ring |= c->links[column].words[i] & c->ports->back[column].words[i];
	ring |= c->stacked - first > 1;
	if (ring) {
		c->ring_starts[++c->num_rings] = c->num_order;
		fate |= FATE_RING;
	}
	for (uint32_t i = first; i < c->stacked; i++) {
		uint32_t s = c->stack[i];

		c->fate[s] = fate;
		c->ring[s] = ring ? c->num_rings : 0;
		c->low[s] = DONE;
		c->order[c->num_order++] = s;
	}
	c->stacked = first;
}

static void leave_column(struct choices *c, uint32_t column)
{
	uint32_t caller, low = c->low[column];

	if (low == c->index[column])
		complete_columns(c, column);
	if (!--c->num_calls)
		return;
	caller = c->calls[c->num_calls - 1];
	if (low < c->low[caller])
		c->low[caller] = low;
	c->fate[caller] |= c->fate[column];
}

static void follow_from(struct choices *c, uint32_t root)
{
	enter_column(c, root);
	while (c->num_calls) {
		uint32_t at = c->calls[c->num_calls - 1], next;
		struct ibc_port_set *left = &c->left[at];
		unsigned int from = 0, port;

		if (!ports_next(left, &from, &port)) {
			leave_column(c, at);
			continue;
		}
		left->words[port / 64] &= left->words[port / 64] - 1;
		next = choice_next(c->p, at, port);
		if (!c->index[next])
			enter_column(c, next);
		else if (c->low[next] == DONE)
			c->fate[at] |= c->fate[next];
		else if (c->index[next] < c->low[at])
			c->low[at] = c->index[next];
	}
}

/* Those that have hosts who send there, of the senders first .. last - 1. */
static void follow_senders(struct choices *c, uint32_t first, uint32_t last)
{
	const struct route_subnet *p = c->p;

	for (uint32_t i = first; i < last; i++) {
		uint32_t s = p->senders[i];
		bool alone = s == c->dest->sw && c->dest->host != NO_HOST && route_hosts(p, s) == 1;

		if (!alone && !c->index[s])
			follow_from(c, s);
	}
}

void choices_follow(struct choices *c)
{
	const struct route_subnet *p = c->p;
	uint32_t *before = c->code;

	c->code = c->fresh;
	c->fresh = before;
	c->dest = c->next_dest;
	c->plain_end = c->fresh_end;
	memset(c->index, 0, p->n * sizeof(*c->index));
	memset(c->fate, 0, p->n);
	c->found = c->num_order = c->num_rings = 0;
	follow_senders(c, 0, p->leaf_senders);
	c->num_leaf = c->num_order;
	follow_senders(c, p->leaf_senders, p->num_senders);
}

void choices_passing(const struct choices *c, uint32_t column, uint8_t *passes)
{
	bool more;

	memset(passes, 0, c->p->n);
	passes[column] = 1;
	do { /* who sends comes behind those he sends to, but for rings */
		more = false;
		for (uint32_t i = 0; i < c->num_order; i++) {
			uint32_t s = c->order[i];
			unsigned int at = 0, port;

			while (!passes[s] && ports_next(&c->links[s], &at, &port)) {
				passes[s] = passes[choice_next(c->p, s, port)];
				more |= passes[s];
			}
		}
	} while (more && c->num_rings);
}
