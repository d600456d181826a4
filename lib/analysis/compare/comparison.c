/* SPDX-License-Identifier: BSD-2-Clause */
/* What the steps of a comparison fill, and what there is to see of it. */
#include "analysis/compare/comparison.h"
#include "analysis/tree/switches.h"
#include "base/arena.h"
#include "fabric/fabric.h"

struct deviation *comparison_add(struct ibc_comparison *cmp, enum deviation_kind kind)
{
	arena_grow(cmp->arena, &cmp->deviations, cmp->num_deviations, &cmp->deviation_room,
	           sizeof(*cmp->deviations));
	cmp->deviations[cmp->num_deviations].kind = kind;
	return &cmp->deviations[cmp->num_deviations++];
}

struct ibc_step *comparison_add_step(struct ibc_comparison *cmp, struct deviation *d,
                                     enum ibc_action action)
{
	struct ibc_step *step;

	arena_grow(cmp->arena, &cmp->steps, cmp->num_steps, &cmp->step_room, sizeof(*step));
	step = &cmp->steps[cmp->num_steps++];
	if (!d->fault)
		d->fault = ++cmp->num_faults;
	step->number = cmp->num_steps;
	step->fault = d->fault;
	step->action = action;
	return step;
}

/* ---- what there is to see ------------------------------------------------------------- */

void ibc_comparison_free(struct ibc_comparison *cmp)
{
	if (cmp)
		arena_free(cmp->arena);
}

static bool is_outside(const struct ibc_comparison *cmp, const struct ibc_port *p)
{
	const struct ibc_node *a = p->node, *z = p->peer->node;

	if (ibc_comparison_counterpart(cmp, a) && ibc_comparison_counterpart(cmp, z))
		return false;
	if (a->type == IBC_NODE_SWITCH && z->type == IBC_NODE_SWITCH && a->system_guid &&
	    a->system_guid == z->system_guid)
		return false;
	return !node_is_aggregator(a) && !node_is_aggregator(z) && !ibc_port_is_fnm(p);
}

struct ibc_comparison_counts ibc_comparison_count(const struct ibc_comparison *cmp)
{
	struct ibc_comparison_counts counts = cmp->counts;
	const struct ibc_port *p;

	for (size_t i = 0; (p = fabric_next_cable(cmp->found.fab, &i));)
		counts.cables_outside += is_outside(cmp, p);
	return counts;
}

const struct ibc_node *ibc_comparison_counterpart(const struct ibc_comparison *cmp,
                                                  const struct ibc_node *node)
{
	bool planned = node->subnet->fabric == cmp->planned.fab;
	const struct side *own = planned ? &cmp->planned : &cmp->found;
	const struct side *other = planned ? &cmp->found : &cmp->planned;
	uint32_t n = own->counterpart[node_order(node)];

	return n == MATCH_NONE ? NULL : side_node(other, n);
}

const struct ibc_step *ibc_comparison_step(const struct ibc_comparison *cmp, size_t i)
{
	return i < cmp->num_steps ? &cmp->steps[i] : NULL;
}

const struct deviation *comparison_deviation(const struct ibc_comparison *cmp, size_t i)
{
	return i < cmp->num_deviations ? &cmp->deviations[i] : NULL;
}

const struct ibc_port *comparison_found_port(const struct ibc_comparison *cmp,
                                             const struct ibc_port *planned)
{
	uint32_t n = cmp->match.found_of[node_order(planned->node)];

	return n == MATCH_NONE ? NULL : ibc_node_port(side_node(&cmp->found, n), planned->num);
}

const struct ibc_port *comparison_planned_port(const struct ibc_comparison *cmp,
                                               const struct ibc_port *found)
{
	const struct match *m = &cmp->match;
	const struct ibc_port *p;

	for (uint32_t i = m->planned_of[node_order(found->node)]; i != MATCH_NONE; i = m->also[i]) {
		p = ibc_node_port(side_node(&cmp->planned, i), found->num);
		if (p && p->peer)
			return p;
	}
	return NULL;
}

const struct match *comparison_match(const struct ibc_comparison *cmp)
{
	return &cmp->match;
}

const struct ibc_word *ibc_action_word(enum ibc_action action)
{
	static const struct ibc_word words[] = {
		[IBC_ACTION_MOVE] = { "move", "Move" },
		[IBC_ACTION_EXCHANGE] = { "exchange", "Exchange" },
		[IBC_ACTION_CONNECT] = { "connect", "Connect" },
		[IBC_ACTION_REMOVE] = { "remove", "Remove" },
		[IBC_ACTION_REPLACE] = { "replace", "Replace" },
		[IBC_ACTION_RENAME] = { "rename", "Rename" },
	};

	return &words[action];
}
