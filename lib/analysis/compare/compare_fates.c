/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What becomes of planned nodes that no found one is: missing, if a port that should lead
 * there is known not to; out of sight, if such ports have a link and no answer.  What hangs
 * behind such a node, and behind nothing else, shares its fate.  In the same way an unexpected
 * node explains what is only reached through it.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/comparison.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/nodename.h"
#include "fabric/fabric.h"

/* ---- what is behind a port --------------------------------------------------------------- */

/*
 * A subnet that was cut short knows nothing of ports that were not asked; a file has all
 * cables there are.
 */
enum presence port_presence(const struct ibc_port *port)
{
	if (port->peer)
		return PRESENCE_JOINED;
	if (ibc_port_is_up(port) && !ibc_port_unanswered(port, IBC_ATTR_NODE_INFO) &&
	    ibc_attrs_has(port->node->subnet->lost_of, IBC_ATTR_NODE_INFO))
		return PRESENCE_UNKNOWN;
	if (ibc_port_is_up(port))
		return ibc_port_has(port, IBC_ATTR_NODE_INFO) ? PRESENCE_EMPTY : PRESENCE_SILENT;
	if (ibc_port_has(port, IBC_ATTR_PORT_INFO))
		return PRESENCE_EMPTY;
	if (ibc_port_unanswered(port, IBC_ATTR_PORT_INFO) || port->node->subnet->cut_short)
		return PRESENCE_UNKNOWN;
	return PRESENCE_EMPTY;
}

bool port_was_read(const struct ibc_port *port)
{
	return port &&
	       (port->peer || (!ibc_port_is_up(port) && (ibc_port_has(port, IBC_ATTR_PORT_INFO) ||
	                                                 ibc_port_has(port, IBC_ATTR_PORT_STATE) ||
	                                                 node_is_whole(port->node))));
}

bool node_was_read(const struct ibc_node *node)
{
	unsigned int num = 1;

	while (num <= node->num_ports && port_was_read(ibc_node_port(node, num)))
		num++;
	return num > node->num_ports;
}

/* It may be any node that seems to be missing. */
bool comparison_lacks_name(const struct ibc_comparison *cmp, const struct ibc_node *found)
{
	return cmp->match.planned_of[node_order(found)] == MATCH_NONE &&
	       (ibc_node_unanswered(found, IBC_ATTR_NODE_DESC) ||
	        (ibc_subnet_ended_early(found->subnet) &&
	         !ibc_node_has(found, IBC_ATTR_NODE_DESC)));
}

/* A list of cables that was found may only guess how many ports a node has. */
enum presence comparison_presence(const struct ibc_comparison *cmp, const struct ibc_port *planned)
{
	const struct ibc_port *found = comparison_found_port(cmp, planned);

	if (found)
		return port_presence(found);
	return ibc_comparison_counterpart(cmp, planned->node)->named_only ? PRESENCE_EMPTY
	                                                                  : PRESENCE_NO_PORT;
}

/* ---- names that fit several ---------------------------------------------------------------- */

struct unclear_name {
	const char *text;
	uint32_t node;
};

static int by_text(const void *va, const void *vz)
{
	const struct unclear_name *a = va, *z = vz;

	return strcmp(a->text, z->text) ?: (int)order_u64(a->node, z->node);
}

/*
 * Names of those without counterpart, sorted, as what all spellings of a name have in common; of
 * the planned ones those that are not clear.
 */
static struct unclear_name *collect_unmatched(struct ibc_comparison *cmp, const struct side *side,
                                              const bool *unclear, size_t *n)
{
	struct unclear_name *list = arena_array(cmp->arena, side->num_nodes + 1u, sizeof(*list));
	char text[NODENAME_MAX];

	*n = 0;
	for (uint32_t i = 0; i < side->num_nodes; i++)
		if (side->counterpart[i] == MATCH_NONE && (!unclear || unclear[i]) &&
		    name_form(text, side_node(side, i)->name, NAME_HOST))
			list[(*n)++] = (struct unclear_name){ arena_strdup(cmp->arena, text), i };
	qsort(list, *n, sizeof(*list), by_text);
	return list;
}

static size_t count_same_name(const struct unclear_name *list, size_t n)
{
	size_t same = 1;

	while (same < n && !strcmp(list->text, list[same].text))
		same++;
	return same;
}

/*
 * Planned nodes whose name fits several found ones, none of which stands where it was planned:
 * neither is it missing, nor are those unexpected.
 */
void compare_unclear(struct ibc_comparison *cmp)
{
	const struct unclear_name *planned, *found;
	size_t num_planned, num_found, ours, theirs;

	cmp->unclear = arena_array(cmp->arena, cmp->planned.num_nodes, sizeof(*cmp->unclear));
	cmp->may_be = arena_array(cmp->arena, cmp->found.num_nodes, sizeof(*cmp->may_be));
	for (uint32_t i = 0; i < cmp->found.num_nodes; i++)
		cmp->may_be[i] = comparison_lacks_name(cmp, side_node(&cmp->found, i));
	planned = collect_unmatched(cmp, &cmp->planned, cmp->match.unclear, &num_planned);
	if (!num_planned)
		return;
	found = collect_unmatched(cmp, &cmp->found, NULL, &num_found);
	for (size_t p = 0, f = 0; p < num_planned && f < num_found;) {
		int order = strcmp(planned[p].text, found[f].text);

		ours = count_same_name(&planned[p], num_planned - p);
		theirs = count_same_name(&found[f], num_found - f);
		for (size_t i = 0; order == 0 && i < ours; i++)
			cmp->unclear[planned[p + i].node] = true;
		for (size_t i = 0; order == 0 && i < theirs; i++)
			cmp->may_be[found[f + i].node] = true;
		p += order <= 0 ? ours : 0;
		f += order >= 0 ? theirs : 0;
	}
}

/* ---- fates --------------------------------------------------------------------------------- */

/* Nodes without counterpart that are yet to be looked beyond. */
struct root_spread {
	const struct side *side;
	uint32_t *queue;
	size_t queued, done;
};

/* The neighbour behind a port, by number; MATCH_NONE if there is none. */
static uint32_t neighbour_order(const struct ibc_port *port)
{
	return port->peer ? (uint32_t)node_order(port->peer->node) : MATCH_NONE;
}

static bool is_open(const struct side *side, uint32_t node)
{
	return side->counterpart[node] == MATCH_NONE && side->root_of[node] == MATCH_NONE;
}

static bool has_known_neighbour(const struct side *side, uint32_t node)
{
	const struct ibc_port *p;

	for (unsigned int num = 1; (p = ibc_node_port(side_node(side, node), num)); num++) {
		uint32_t n = neighbour_order(p);

		if (n != MATCH_NONE && side->counterpart[n] != MATCH_NONE)
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

			if (n == MATCH_NONE || !is_open(s->side, n))
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

		if (n != MATCH_NONE && cmp->planned.counterpart[n] != MATCH_NONE)
			presence = comparison_presence(cmp, p->peer);
		if (presence == PRESENCE_JOINED &&
		    comparison_lacks_name(cmp, comparison_found_port(cmp, p->peer)->peer->node))
			presence = PRESENCE_UNKNOWN;
		if (presence <= PRESENCE_JOINED)
			return NODE_MISSING;
		if (presence != PRESENCE_NO_PORT)
			fate = NODE_UNCHECKED;
	}
	return fate;
}

void compare_fates(struct ibc_comparison *cmp)
{
	static const enum node_fate fates[] = { NODE_UNCLEAR, NODE_INVALID, NODE_UNCHECKED,
		                                NODE_MISSING };
	struct root_spread planned = { .side = &cmp->planned }, found = { .side = &cmp->found };
	const bool cut = fabric_was_cut_short(cmp->found.fab);
	uint32_t n = cmp->planned.num_nodes;
	size_t first;

	planned.queue = arena_array(cmp->arena, n, sizeof(*planned.queue));
	found.queue = arena_array(cmp->arena, cmp->found.num_nodes, sizeof(*found.queue));
	for (uint32_t i = 0; i < n; i++) {
		/* what can be seen is not taken to be behind what cannot */
		if (cmp->planned.counterpart[i] != MATCH_NONE ||
		    (!cmp->unclear[i] && !has_known_neighbour(&cmp->planned, i)))
			continue;
		cmp->planned.root_of[i] = i;
		cmp->node_fate[i] = evaluate_node_fate(cmp, i);
	}
	/* what is behind them shares their fate */
	for (size_t i = 0; i < ARRAY_SIZE(fates); i++) {
		for (uint32_t k = 0; k < n; k++)
			if (cmp->planned.root_of[k] == k && cmp->node_fate[k] == fates[i])
				planned.queue[planned.queued++] = k;
		first = planned.queued;
		spread_roots(&planned);
		for (; first < planned.queued; first++)
			cmp->node_fate[planned.queue[first]] = fates[i] == NODE_UNCLEAR
			                                           ? NODE_UNCHECKED
			                                           : fates[i];
	}
	/*
	 * Nothing of it was found, and nothing that was found should lead there: it may be another
	 * subnet, that was not swept, unless the node has no cables.
	 */
	for (uint32_t i = 0; i < n; i++) {
		if (!is_open(&cmp->planned, i))
			continue;
		first = planned.queued;
		follow_from(&planned, i);
		for (size_t k = first; k < planned.queued; k++)
			cmp->node_fate[planned.queue[k]] = cut || planned.queued - first > 1
			                                       ? NODE_UNCHECKED
			                                       : NODE_MISSING;
	}
	for (uint32_t i = 0; i < cmp->found.num_nodes; i++) {
		if (!is_open(&cmp->found, i) || !has_known_neighbour(&cmp->found, i))
			continue;
		cmp->found.root_of[i] = i;
		found.queue[found.queued++] = i;
	}
	spread_roots(&found);
	for (uint32_t i = 0; i < cmp->found.num_nodes; i++)
		if (is_open(&cmp->found, i))
			follow_from(&found, i);
}
