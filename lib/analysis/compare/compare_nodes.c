/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Deviations of nodes: what is missing, unexpected or out of sight, with all that it
 * explains.  Whatever has the same root, or the same silent node, is one deviation.
 */
#include <stdlib.h>

#include "analysis/compare/comparison.h"
#include "analysis/tree/switches.h"
#include "base/arena.h"
#include "base/array.h"
#include "fabric/fabric.h"

/* Roots are planned nodes, or found ones; then silent found nodes, subnets cut short. */
enum what { ITEM_NODE, ITEM_CABLE, ITEM_PORT };

struct item {
	uint32_t root;
	uint32_t order; /* among its kind */
	uint8_t what;
	const void *thing; /* struct ibc_node, or struct ibc_port */
};

struct items {
	struct ibc_comparison *cmp;
	struct item *list;
	size_t n;
};

static void add_item(struct items *all, uint32_t root, enum what what, const void *thing)
{
	all->list[all->n] = (struct item){ root, (uint32_t)all->n, what, thing };
	all->n++;
}

/* The root itself comes first. */
static int by_root(const void *va, const void *vz)
{
	const struct item *a = va, *z = vz;
	int order = order_u64(a->root, z->root) ?: order_u64(a->what, z->what);

	if (!order && a->what == ITEM_NODE)
		order = (node_order(z->thing) == z->root) - (node_order(a->thing) == a->root);
	return order ?: order_u64(a->order, z->order);
}

static struct items start_items(struct ibc_comparison *cmp, size_t room)
{
	return (struct items){ .cmp = cmp,
		               .list = arena_array(cmp->arena, room, sizeof(struct item)) };
}

static size_t count_same_root(const struct items *all, size_t from)
{
	size_t n = 1;

	while (from + n < all->n && all->list[from + n].root == all->list[from].root)
		n++;
	return n;
}

/* Nodes, or ports. */
static void *list_things(struct ibc_comparison *cmp, const struct item *items, size_t n,
                         enum what what, size_t *num)
{
	const void **things = arena_array(cmp->arena, n, sizeof(void *));

	for (size_t i = 0; i < n; i++)
		if (items[i].what == what)
			things[(*num)++] = items[i].thing;
	return things;
}

/* ---- missing, or out of sight ------------------------------------------------------- */

/*
 * Roots beyond the planned nodes are found ones that do not report their ports, and then subnets
 * that were cut short: what was not asked there is one deviation.
 */
static uint32_t root_of_subnet(const struct ibc_comparison *cmp, const struct ibc_subnet *subnet)
{
	return cmp->planned.num_nodes + cmp->found.num_nodes + subnet->index;
}

/* Was the sweep cut short where this root should have been seen? */
static const struct ibc_subnet *cut_subnet(const struct ibc_comparison *cmp, uint32_t root)
{
	const struct ibc_subnet *subnet;
	const struct ibc_port *p;
	bool any = false;

	for (unsigned int num = 1; (p = ibc_node_port(side_node(&cmp->planned, root), num));
	     num++) {
		const struct ibc_port *found = p->peer ? comparison_found_port(cmp, p->peer) : NULL;

		if (found && found->node->subnet->cut_short)
			return found->node->subnet;
		any |= found != NULL;
	}
	for (size_t i = 0; !any && (subnet = ibc_fabric_subnet(cmp->found.fab, i)); i++)
		if (subnet->cut_short)
			return subnet;
	return NULL;
}

/* Things that cannot be seen for one reason have one root. */
static uint32_t root_of_node(const struct ibc_comparison *cmp, const struct ibc_node *node)
{
	uint32_t root = cmp->planned.root_of[node_order(node)];
	const struct ibc_subnet *subnet = NULL;

	if (root != MATCH_NONE && cmp->node_fate[root] == NODE_UNCHECKED)
		subnet = cut_subnet(cmp, root);
	return subnet ? root_of_subnet(cmp, subnet) : root;
}

/* Of a cable between two nodes that are there: the one that does not report its ports. */
static uint32_t root_of_silence(const struct ibc_comparison *cmp, const struct ibc_port *p)
{
	const struct ibc_port *near = comparison_found_port(cmp, p);
	const struct ibc_port *far = comparison_found_port(cmp, p->peer);

	if (near->node->subnet->cut_short)
		return root_of_subnet(cmp, near->node->subnet);
	if (port_presence(near) == PRESENCE_SILENT && port_presence(far) == PRESENCE_UNKNOWN)
		near = far;
	return cmp->planned.num_nodes + (uint32_t)node_order(near->node);
}

static void add_unread(struct items *all, const struct ibc_port *p)
{
	const struct ibc_comparison *cmp = all->cmp;
	uint32_t near = root_of_node(cmp, p->node), far = root_of_node(cmp, p->peer->node);
	const struct ibc_port *ends[] = { p, p->peer };
	uint32_t root = near < far ? near : far;

	if (root == MATCH_NONE)
		root = root_of_silence(cmp, p);
	add_item(all, root, ITEM_CABLE, p);
	for (size_t i = 0; i < 2; i++) {
		const struct ibc_port *found = comparison_found_port(cmp, ends[i]);

		if (found && (port_presence(found) >= PRESENCE_SILENT ||
		              (found->peer && comparison_lacks_name(cmp, found->peer->node))))
			add_item(all, root, ITEM_PORT, found);
	}
}

/*
 * A node that may only lack its cable is reported with that; one at a port that does not exist,
 * with what is wrong in the plan.
 */
static bool is_reported_otherwise(const struct ibc_comparison *cmp, const struct item *items,
                                  size_t n)
{
	const struct ibc_port *p;

	if (items->root < cmp->planned.num_nodes && cmp->node_fate[items->root] == NODE_INVALID)
		return true;
	if (n > 1 || items->what != ITEM_NODE)
		return false;
	for (unsigned int num = 1; (p = ibc_node_port(items->thing, num)); num++)
		if (cmp->cable_fate[side_port(&cmp->planned, p)] == CABLE_ABSENT)
			return true;
	return false;
}

static const char *why_unchecked(struct ibc_comparison *cmp, uint32_t root,
                                 const struct deviation *d)
{
	char place[IBC_PLACE_TEXT];

	if (root >= cmp->planned.num_nodes + cmp->found.num_nodes)
		return fabric_lacks_lines(cmp->found.fab) ? "lines of the file were lost"
		                                          : "the sweep was cut short";
	if (!d->num_found)
		return "none of these devices is in the fabric: misspelt in the plan, or in "
		       "another subnet?";
	ibc_place_text((struct ibc_place){ d->found[0]->node, d->found[0]->num }, place,
	               sizeof(place));
	if (port_presence(d->found[0]) > PRESENCE_SILENT)
		return arena_printf(cmp->arena, "%s does not report its ports",
		                    d->found[0]->node->label);
	if (d->found[0]->peer)
		return arena_printf(cmp->arena, "the device behind %s does not report its name",
		                    place);
	if (d->num_found == 1)
		return arena_printf(cmp->arena, "no device answers behind %s", place);
	return arena_printf(cmp->arena, "no device answers behind %s and %zu other port%s", place,
	                    d->num_found - 1, d->num_found == 2 ? "" : "s");
}

static void add_planned(struct ibc_comparison *cmp, const struct item *items, size_t n)
{
	const uint32_t root = items->root;
	enum deviation_kind kind = DEVIATION_PLAN;
	const struct ibc_node *node;
	struct deviation *d;

	if (is_reported_otherwise(cmp, items, n))
		return;
	if (root >= cmp->planned.num_nodes || cmp->node_fate[root] == NODE_UNCHECKED)
		kind = DEVIATION_UNCHECKED;
	else if (cmp->node_fate[root] == NODE_MISSING)
		kind = DEVIATION_MISSING_NODE;
	d = comparison_add(cmp, kind);
	d->planned_nodes = list_things(cmp, items, n, ITEM_NODE, &d->num_planned_nodes);
	d->planned = list_things(cmp, items, n, ITEM_CABLE, &d->num_planned);
	if (kind == DEVIATION_UNCHECKED) {
		d->found = list_things(cmp, items, n, ITEM_PORT, &d->num_found);
		d->why = why_unchecked(cmp, root, d);
	} else if (kind == DEVIATION_PLAN) {
		node = d->planned_nodes[0];
		d->why = arena_printf(cmp->arena, "%s matches more than one node of the fabric",
		                      node->label);
		if (node->line)
			d->why = arena_printf(cmp->arena, "line %lu: %s", node->line, d->why);
	}
}

static void report_planned(struct ibc_comparison *cmp)
{
	struct items all = start_items(cmp, cmp->planned.num_nodes + 3 * cmp->counts.cables);
	const struct ibc_node *node;
	const struct ibc_port *p;
	size_t cable = 0;

	for (uint32_t n = 0; (node = side_node(&cmp->planned, n)); n++)
		if (cmp->node_fate[n] != NODE_FOUND)
			add_item(&all, root_of_node(cmp, node), ITEM_NODE, node);
	while ((p = fabric_next_cable(cmp->planned.fab, &cable))) {
		enum cable_fate fate = cmp->cable_fate[side_port(&cmp->planned, p)];

		if (fate == CABLE_GONE || fate == CABLE_UNKNOWN)
			add_unread(&all, p);
	}
	qsort(all.list, all.n, sizeof(*all.list), by_root);
	for (size_t i = 0, n; i < all.n; i += n) {
		n = count_same_root(&all, i);
		add_planned(cmp, &all.list[i], n);
	}
}

/* ---- unexpected ------------------------------------------------------------------------ */

bool comparison_is_in_the_way(const struct ibc_comparison *cmp, uint32_t found)
{
	const struct ibc_port *p;
	bool any = false;

	if (cmp->match.planned_of[found] != MATCH_NONE)
		return false;
	for (unsigned int num = 1; (p = ibc_node_port(side_node(&cmp->found, found), num)); num++) {
		if (p->peer && !cmp->in_segment[side_port(&cmp->found, p)])
			return false;
		any |= p->peer != NULL;
	}
	return any;
}

static bool is_unexpected(const struct ibc_comparison *cmp, uint32_t found)
{
	const struct ibc_node *node = side_node(&cmp->found, found);
	bool is_switch = node->type == IBC_NODE_SWITCH;

	if (cmp->found.root_of[found] == MATCH_NONE || cmp->may_be[cmp->found.root_of[found]])
		return false;
	if (is_switch ? cmp->no_trunks : node->type == IBC_NODE_CA && cmp->no_hosts)
		return false;
	return !node_is_aggregator(node) && !comparison_is_in_the_way(cmp, found) &&
	       !(is_switch && cmp->num_chassis &&
	         bsearch(&node->system_guid, cmp->chassis, cmp->num_chassis, sizeof(*cmp->chassis),
	                 by_u64));
}

static void report_found(struct ibc_comparison *cmp)
{
	struct items all = start_items(cmp, cmp->found.num_nodes +
	                                        ibc_fabric_count(cmp->found.fab).cables);
	const struct ibc_node *node;
	const struct ibc_port *p;
	size_t cable = 0;

	/* boards of a director are in no list of cables: one of them stands for its chassis */
	cmp->chassis = arena_array(cmp->arena, cmp->found.num_nodes + 1u, sizeof(*cmp->chassis));
	for (uint32_t i = 0; (node = side_node(&cmp->found, i)); i++)
		if (node->type == IBC_NODE_SWITCH && node->system_guid &&
		    cmp->match.planned_of[i] != MATCH_NONE)
			cmp->chassis[cmp->num_chassis++] = node->system_guid;
	qsort(cmp->chassis, cmp->num_chassis, sizeof(*cmp->chassis), by_u64);
	for (uint32_t n = 0; (node = side_node(&cmp->found, n)); n++)
		if (is_unexpected(cmp, n))
			add_item(&all, cmp->found.root_of[n], ITEM_NODE, node);
	while ((p = fabric_next_cable(cmp->found.fab, &cable))) {
		uint32_t near = cmp->found.root_of[node_order(p->node)];
		uint32_t far = cmp->found.root_of[node_order(p->peer->node)];

		if ((near & far) != MATCH_NONE && !cmp->in_segment[side_port(&cmp->found, p)])
			add_item(&all, near < far ? near : far, ITEM_CABLE, p);
	}
	qsort(all.list, all.n, sizeof(*all.list), by_root);
	for (size_t i = 0, n; i < all.n; i += n) {
		struct deviation *d;

		n = count_same_root(&all, i);
		if (all.list[i].what != ITEM_NODE) /* cables of a node that is not reported */
			continue;
		d = comparison_add(cmp, DEVIATION_UNEXPECTED_NODE);
		d->found_nodes = list_things(cmp, &all.list[i], n, ITEM_NODE, &d->num_found_nodes);
		d->found = list_things(cmp, &all.list[i], n, ITEM_CABLE, &d->num_found);
	}
}

void compare_nodes(struct ibc_comparison *cmp)
{
	report_planned(cmp);
	report_found(cmp);
}
