/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What becomes of planned nodes that no found one is: missing, if a port that should lead
 * there is known not to; out of sight, if all that is known of such ports is that nobody
 * answers behind them.  What hangs behind such a node, and behind nothing else, shares its
 * fate.  In the same way an unexpected node explains what is only reached through it.
 */
#include "analysis/compare/comparison.h"
#include "fabric/fabric.h"

/* A list of cables that was found may only guess how many ports a node has. */
enum presence comparison_presence(const struct ibc_comparison *cmp, const struct ibc_port *planned)
{
	const struct ibc_port *found = comparison_found_port(cmp, planned);

	if (found)
		return port_presence(found);
	return ibc_comparison_counterpart(cmp, planned->node)->named_only ? PRESENCE_EMPTY
	                                                                  : PRESENCE_NO_PORT;
}

/* Nodes without counterpart that are yet to be looked beyond. */
struct root_spread {
	const struct side *side;
	uint32_t *queue;
	size_t queued, done;
};

/* The neighbour behind a port, by number; MATCH_NOBODY if there is none. */
static uint32_t neighbour_order(const struct ibc_port *port)
{
	return port->peer ? (uint32_t)node_order(port->peer->node) : MATCH_NOBODY;
}

static bool is_open(const struct side *side, uint32_t node)
{
	return side->counterpart[node] == MATCH_NOBODY && side->root_of[node] == MATCH_NOBODY;
}

static bool has_known_neighbour(const struct side *side, uint32_t node)
{
	const struct ibc_port *p;

	for (unsigned int num = 1; (p = ibc_node_port(side_node(side, node), num)); num++) {
		uint32_t n = neighbour_order(p);

		if (n != MATCH_NOBODY && side->counterpart[n] != MATCH_NOBODY)
			return true;
	}
	return false;
}

/* All that is only reached through what is queued gets the root it is reached from first. */
static void spread_roots(struct root_spread *s)
{
	while (s->done < s->queued) {
		uint32_t at = s->queue[s->done++];
		const struct ibc_port *p;

		for (unsigned int num = 1; (p = ibc_node_port(side_node(s->side, at), num));
		     num++) {
			uint32_t n = neighbour_order(p);

			if (n == MATCH_NOBODY || !is_open(s->side, n))
				continue;
			s->side->root_of[n] = s->side->root_of[at];
			s->queue[s->queued++] = n;
		}
	}
}

/* A node that nothing leads to, and what hangs together with it. */
static void follow_from(struct root_spread *s, uint32_t node)
{
	s->side->root_of[node] = node;
	s->queue[s->queued++] = node;
	spread_roots(s);
}

/* By what the found ports say that should lead there. */
static enum node_fate evaluate_node_fate(const struct ibc_comparison *cmp, uint32_t node)
{
	enum node_fate fate = NODE_INVALID;
	const struct ibc_port *p;

	if (cmp->unclear[node])
		return NODE_UNCLEAR;
	for (unsigned int num = 1; (p = ibc_node_port(side_node(&cmp->planned, node), num));
	     num++) {
		uint32_t n = neighbour_order(p);
		enum presence presence = PRESENCE_NO_PORT;

		if (n != MATCH_NOBODY && cmp->planned.counterpart[n] != MATCH_NOBODY)
			presence = comparison_presence(cmp, p->peer);
		if (presence <= PRESENCE_JOINED)
			return NODE_MISSING;
		if (presence != PRESENCE_NO_PORT)
			fate = NODE_UNCHECKED;
	}
	return fate;
}

/* What can be seen is not taken to be behind what cannot. */
static void find_roots(struct ibc_comparison *cmp)
{
	const struct side *side = &cmp->planned;

	for (uint32_t i = 0; i < side->num_nodes; i++) {
		if (side->counterpart[i] != MATCH_NOBODY ||
		    (!cmp->unclear[i] && !has_known_neighbour(side, i)))
			continue;
		side->root_of[i] = i;
		cmp->node_fate[i] = evaluate_node_fate(cmp, i);
	}
}

static void share_fate(struct ibc_comparison *cmp, struct root_spread *s, enum node_fate fate)
{
	const enum node_fate behind = fate == NODE_UNCLEAR ? NODE_UNCHECKED : fate;
	size_t i;

	for (i = 0; i < s->side->num_nodes; i++)
		if (s->side->root_of[i] == i && cmp->node_fate[i] == fate)
			s->queue[s->queued++] = (uint32_t)i;
	i = s->queued;
	spread_roots(s);
	for (; i < s->queued; i++)
		cmp->node_fate[s->queue[i]] = behind;
}

/*
 * Nothing of it was found, and nothing that was found should lead there: another subnet,
 * it may be, that nobody swept.  Of a node without cables nobody can say so.
 */
static void evaluate_islands(struct ibc_comparison *cmp, struct root_spread *s)
{
	const bool cut = fabric_was_cut_short(cmp->found.fab);

	for (uint32_t i = 0; i < s->side->num_nodes; i++) {
		size_t first = s->queued;
		enum node_fate fate;

		if (!is_open(s->side, i))
			continue;
		follow_from(s, i);
		fate = cut || s->queued - first > 1 ? NODE_UNCHECKED : NODE_MISSING;
		for (size_t k = first; k < s->queued; k++)
			cmp->node_fate[s->queue[k]] = fate;
	}
}

static void evaluate_planned(struct ibc_comparison *cmp, uint32_t *queue)
{
	struct root_spread s = { .side = &cmp->planned, .queue = queue };

	find_roots(cmp);
	share_fate(cmp, &s, NODE_UNCLEAR);
	share_fate(cmp, &s, NODE_INVALID);
	share_fate(cmp, &s, NODE_UNCHECKED);
	share_fate(cmp, &s, NODE_MISSING);
	evaluate_islands(cmp, &s);
}

static void evaluate_found(struct ibc_comparison *cmp, uint32_t *queue)
{
	struct root_spread s = { .side = &cmp->found, .queue = queue };

	for (uint32_t i = 0; i < s.side->num_nodes; i++) {
		if (!is_open(s.side, i) || !has_known_neighbour(s.side, i))
			continue;
		s.side->root_of[i] = i;
		s.queue[s.queued++] = i;
	}
	spread_roots(&s);
	for (uint32_t i = 0; i < s.side->num_nodes; i++)
		if (is_open(s.side, i))
			follow_from(&s, i);
}

void compare_fates(struct ibc_comparison *cmp)
{
	uint32_t *planned = comparison_array(cmp, cmp->planned.num_nodes, sizeof(*planned));
	uint32_t *found = comparison_array(cmp, cmp->found.num_nodes, sizeof(*found));

	if (cmp->failed)
		return;
	evaluate_planned(cmp, planned);
	evaluate_found(cmp, found);
}
