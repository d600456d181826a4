/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nodes that are there, but in each other's place, or another device, or under another
 * name than planned.  Where much of a fabric differs in this, it is the plan that has other
 * names, or GUIDs: one deviation says so, and nothing is to be done by hand.
 */
#include <string.h>

#include "analysis/compare/comparison.h"
#include "base/arena.h"
#include "base/nodename.h"
#include "fabric/fabric.h"

#define AS_PLANNED UINT8_MAX
#define MANY       10 /* and a quarter of all */

static struct deviation *start_deviation(struct ibc_comparison *cmp, enum deviation_kind kind,
                                         size_t room)
{
	struct deviation *d = comparison_add(cmp, kind);

	d->planned_nodes = arena_array(cmp->arena, room, sizeof(*d->planned_nodes));
	d->found_nodes = arena_array(cmp->arena, room, sizeof(*d->found_nodes));
	return d;
}

static void add_node_pair(struct ibc_comparison *cmp, struct deviation *d, uint32_t planned)
{
	const struct ibc_node *p = side_node(&cmp->planned, planned);
	const struct ibc_node *f = side_node(&cmp->found, cmp->match.found_of[planned]);

	d->planned_nodes[d->num_planned_nodes++] = p;
	d->found_nodes[d->num_found_nodes++] = f;
}

/* ---- in each other's place ----------------------------------------------------------- */

/* Each step puts one device where it belongs; the last brings the other with it. */
static void add_exchanged(struct ibc_comparison *cmp, uint32_t first)
{
	const uint32_t *exchanged = cmp->match.exchanged;
	uint32_t node = first;
	struct deviation *d;
	size_t n = 1;

	for (uint32_t i = exchanged[first]; i != first; i = exchanged[i], n++)
		if (i == MATCH_NONE || i < first) /* reported from its lowest */
			return;
	d = start_deviation(cmp, DEVIATION_EXCHANGED_NODES, n);
	for (size_t i = 0; i < n; i++) {
		add_node_pair(cmp, d, node);
		node = exchanged[node];
	}
	for (size_t i = 1; i < n; i++) {
		struct ibc_step *step = comparison_add_step(cmp, d, IBC_ACTION_EXCHANGE);

		step->from.node = d->found_nodes[i - 1];
		step->to.node = d->found_nodes[i];
	}
}

/* ---- another device, or another name -------------------------------------------------- */

static const char *text_of(const struct ibc_node *node, unsigned int which)
{
	return which ? node->desc : node->name;
}

/* Are these of one node? */
static bool names_fit(const char *planned, const char *found)
{
	char a[NODENAME_MAX], b[NODENAME_MAX];

	if (!name_form(a, planned, NAME_SHORT) || !name_form(b, found, NAME_SHORT))
		return false;
	if (strcmp(a, b) == 0)
		return true;
	/* one of them may name the host alone */
	return name_form(b, found, NAME_HOST) && strcmp(a, b) == 0;
}

static bool is_renamed(const struct ibc_node *planned, const struct ibc_node *found)
{
	char text[NODENAME_MAX];

	if (!*found->name && !*found->desc) /* not known */
		return false;
	if (!strcmp(planned->name, found->name) ||
	    (*found->desc && !strcmp(planned->desc, found->desc)))
		return false;
	for (unsigned int i = 0; i < 4; i++)
		if (names_fit(text_of(planned, i & 1), text_of(found, i >> 1)))
			return false;
	return name_form(text, planned->name, NAME_EXACT) ||
	       name_form(text, planned->desc, NAME_EXACT);
}

static bool has_guid(const struct ibc_node *node)
{
	return node->guid && !node->named_only;
}

/* A kind of deviation, or AS_PLANNED. */
static uint8_t kind_of_identity(const struct ibc_comparison *cmp, uint32_t i)
{
	const struct match *m = &cmp->match;
	const struct ibc_node *planned, *found;

	if (m->found_of[i] == MATCH_NONE || m->exchanged[i] != MATCH_NONE)
		return AS_PLANNED;
	if (m->how[i] == MATCH_ALIAS)
		return DEVIATION_TWO_NAMES;
	planned = side_node(&cmp->planned, i);
	found = side_node(&cmp->found, m->found_of[i]);
	if (has_guid(planned) && has_guid(found) && planned->guid != found->guid)
		return DEVIATION_REPLACED_NODE;
	if (m->how[i] != MATCH_NAME && is_renamed(planned, found))
		return DEVIATION_RENAMED_NODE;
	return AS_PLANNED;
}

/* Most of a fabric at once was not done to each of them: that is one deviation, without steps. */
static void report_kind(struct ibc_comparison *cmp, enum deviation_kind kind, const uint8_t *kinds)
{
	size_t n = 0, all = cmp->counts.nodes_matched;
	struct deviation *d = NULL;
	bool aggregate;

	for (uint32_t i = 0; i < cmp->planned.num_nodes; i++)
		n += kinds[i] == kind;
	aggregate = (n > MANY && n * 4 > all) || (n > 1 && n == all);
	for (uint32_t i = 0; i < cmp->planned.num_nodes; i++) {
		struct ibc_step *step;

		if (kinds[i] != kind)
			continue;
		if (!d || !aggregate)
			d = start_deviation(cmp, kind, aggregate ? n : 1);
		add_node_pair(cmp, d, i);
		if (aggregate || kind == DEVIATION_TWO_NAMES)
			continue;
		step = comparison_add_step(cmp, d,
		                           kind == DEVIATION_RENAMED_NODE ? IBC_ACTION_RENAME
		                                                          : IBC_ACTION_REPLACE);
		step->from.node = d->found_nodes[0];
		step->to.node = d->planned_nodes[0];
	}
}

void compare_names(struct ibc_comparison *cmp)
{
	uint8_t *kinds = arena_array(cmp->arena, cmp->planned.num_nodes, sizeof(*kinds));

	for (uint32_t i = 0; i < cmp->planned.num_nodes; i++) {
		kinds[i] = kind_of_identity(cmp, i);
		if (cmp->match.exchanged[i] != MATCH_NONE)
			add_exchanged(cmp, i);
	}
	report_kind(cmp, DEVIATION_REPLACED_NODE, kinds);
	report_kind(cmp, DEVIATION_RENAMED_NODE, kinds);
	report_kind(cmp, DEVIATION_TWO_NAMES, kinds);
}
