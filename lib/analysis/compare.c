/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/comparison.h"
#include "analysis/depth.h"
#include "base/arena.h"
#include "base/error.h"
#include "fabric/fabric.h"

/* ---- numbers ------------------------------------------------------------------------ */

uint32_t side_port(const struct side *side, const struct ibc_port *port)
{
	return side->first_port[node_order(port->node)] + port->num;
}

const struct ibc_port *side_next_cable(const struct side *side, size_t *i)
{
	const struct ibc_port *p;

	while ((p = ibc_fabric_port(side->fab, (*i)++))) {
		if (ibc_port_is_near_end(p))
			return p;
	}
	return NULL;
}

static void number_ports(struct ibc_comparison *cmp, struct side *side)
{
	const struct ibc_node *node;

	side->first_port = comparison_array(cmp, side->num_nodes, sizeof(*side->first_port));
	side->root_of = comparison_array(cmp, side->num_nodes, sizeof(*side->root_of));
	for (uint32_t i = 0; !cmp->failed && (node = side_node(side, i)); i++) {
		side->first_port[i] = side->num_ports;
		side->root_of[i] = MATCH_NOBODY;
		side->num_ports += node->num_ports + 1u;
	}
}

/* ---- memory ------------------------------------------------------------------------- */

void *comparison_array(struct ibc_comparison *cmp, size_t n, size_t size)
{
	void *array = arena_array(cmp->arena, n, size);

	if (!array)
		cmp->failed = true;
	return array;
}

char *comparison_text(struct ibc_comparison *cmp, const char *format, ...)
{
	va_list ap;
	char *text;

	va_start(ap, format);
	text = arena_vprintf(cmp->arena, format, ap);
	va_end(ap);
	if (!text)
		cmp->failed = true;
	return text;
}

/* Room for one more element, in an array that is left behind when it gets too small. */
static void *grow(struct ibc_comparison *cmp, void *array, size_t used, size_t *room, size_t size)
{
	size_t more = used ? used * 2 : 16;
	void *grown;

	if (used < *room)
		return array;
	grown = comparison_array(cmp, more, size);
	if (!grown)
		return NULL;
	if (used)
		memcpy(grown, array, used * size);
	*room = more;
	return grown;
}

struct deviation *comparison_add(struct ibc_comparison *cmp, enum deviation_kind kind)
{
	struct deviation *grown = grow(cmp, cmp->deviations, cmp->num_deviations,
	                               &cmp->deviation_room, sizeof(*grown));

	if (!grown)
		return NULL;
	cmp->deviations = grown;
	grown += cmp->num_deviations++;
	grown->kind = kind;
	return grown;
}

struct ibc_step *comparison_add_step(struct ibc_comparison *cmp, struct deviation *d,
                                     enum ibc_action action)
{
	struct ibc_step *grown = grow(cmp, cmp->steps, cmp->num_steps, &cmp->step_room,
	                              sizeof(*grown));

	if (!grown)
		return NULL;
	cmp->steps = grown;
	grown += cmp->num_steps++;
	if (!d->fault)
		d->fault = ++cmp->num_faults;
	grown->number = cmp->num_steps;
	grown->fault = d->fault;
	grown->action = action;
	return grown;
}

/* ---- order -------------------------------------------------------------------------- */

/* Made up GUIDs say nothing: those nodes are in the order of their names. */
static int compare_node(const struct ibc_node *a, const struct ibc_node *z)
{
	int order = a->named_only && z->named_only ? strcmp(a->label, z->label) : 0;

	if (order || a == z)
		return order;
	return node_order(a) < node_order(z) ? -1 : 1;
}

/* What a deviation is about first: as planned where it is planned. */
static struct ibc_place subject_of(const struct deviation *d)
{
	if (d->num_planned_nodes)
		return (struct ibc_place){ d->planned_nodes[0], 0 };
	if (d->num_planned)
		return (struct ibc_place){ d->planned[0]->node, d->planned[0]->num };
	if (d->num_found_nodes)
		return (struct ibc_place){ d->found_nodes[0], 0 };
	if (d->num_found)
		return (struct ibc_place){ d->found[0]->node, d->found[0]->num };
	return (struct ibc_place){ NULL, 0 };
}

static int by_kind_then_place(const void *va, const void *vz)
{
	const struct deviation *a = va, *z = vz;
	struct ibc_place left = subject_of(a), right = subject_of(z);
	int order;

	if (a->kind != z->kind)
		return a->kind < z->kind ? -1 : 1;
	if (!left.node || !right.node)
		return !!left.node - !!right.node;
	/* one is planned, the other only found */
	if (left.node->plane->fabric != right.node->plane->fabric)
		return a->num_planned + a->num_planned_nodes ? -1 : 1;
	order = compare_node(left.node, right.node);
	return order ? order : (left.port > right.port) - (left.port < right.port);
}

/* ---- all of it ---------------------------------------------------------------------- */

static void prepare(struct ibc_comparison *cmp)
{
	const struct match *m = &cmp->match;

	cmp->planned = (struct side){ .fab = m->planned,
		                      .num_nodes = (uint32_t)m->num_planned,
		                      .counterpart = m->found_of };
	cmp->found = (struct side){ .fab = m->found,
		                    .num_nodes = (uint32_t)m->num_found,
		                    .counterpart = m->planned_of };
	number_ports(cmp, &cmp->planned);
	number_ports(cmp, &cmp->found);
	cmp->depth = depth_measure(cmp->arena, m->planned);
	cmp->failed |= !cmp->depth;
	cmp->node_fate = comparison_array(cmp, cmp->planned.num_nodes, sizeof(*cmp->node_fate));
	cmp->cable_fate = comparison_array(cmp, cmp->planned.num_ports, sizeof(*cmp->cable_fate));
	cmp->right = comparison_array(cmp, cmp->found.num_ports, sizeof(*cmp->right));
	cmp->wanted = comparison_array(cmp, cmp->found.num_ports, sizeof(*cmp->wanted));
	cmp->in_strand = comparison_array(cmp, cmp->found.num_ports, sizeof(*cmp->in_strand));
	cmp->counts.nodes = m->num_planned;
	for (size_t i = 0; i < m->num_planned; i++)
		cmp->counts.nodes_matched += m->found_of[i] != MATCH_NOBODY;
}

static void compare(struct ibc_comparison *cmp)
{
	void (*const steps[])(struct ibc_comparison *) = {
		prepare,       compare_unclear, compare_fates,  compare_cables,
		compare_plan,  compare_mend,    compare_faults, compare_nodes,
		compare_names, compare_rates,   compare_loss,
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !cmp->failed && !cmp->foreign;
	     i++)
		steps[i](cmp);
	if (!cmp->failed && cmp->num_deviations)
		qsort(cmp->deviations, cmp->num_deviations, sizeof(*cmp->deviations),
		      by_kind_then_place);
}

int ibc_compare(const struct ibc_fabric *planned, const struct ibc_fabric *found,
                struct ibc_comparison **out, struct ibc_error *err)
{
	struct arena *arena = arena_new();
	struct ibc_comparison *cmp = arena ? arena_alloc(arena, sizeof(*cmp)) : NULL;

	if (cmp) {
		cmp->arena = arena;
		cmp->failed = !match_nodes(arena, planned, found, &cmp->match);
		if (!cmp->failed)
			compare(cmp);
	}
	if (!cmp || cmp->failed) {
		arena_free(arena);
		return fail_nomem(err);
	}
	*out = cmp;
	return 0;
}

void ibc_comparison_free(struct ibc_comparison *cmp)
{
	if (cmp)
		arena_free(cmp->arena);
}

/* ---- what there is to see ------------------------------------------------------------- */

struct ibc_comparison_counts ibc_comparison_count(const struct ibc_comparison *cmp)
{
	return cmp->counts;
}

const struct ibc_node *ibc_comparison_counterpart(const struct ibc_comparison *cmp,
                                                  const struct ibc_node *node)
{
	bool planned = node->plane->fabric == cmp->planned.fab;
	const struct side *own = planned ? &cmp->planned : &cmp->found;
	const struct side *other = planned ? &cmp->found : &cmp->planned;
	uint32_t n = own->counterpart[node_order(node)];

	return n == MATCH_NOBODY ? NULL : side_node(other, n);
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

	return n == MATCH_NOBODY ? NULL : ibc_node_port(side_node(&cmp->found, n), planned->num);
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
