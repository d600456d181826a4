/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What has changed between two sweeps: the deviations of the later from the earlier
 * one, and, of nodes and cables that are the same in both, what differs.
 * What one of the sweeps did not read is no change.  O(nodes + ports + deviations).
 */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "analysis/compare/changes.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "fabric/fabric.h"

struct ibc_changes {
	struct arena *arena;
	const struct ibc_comparison *cmp;
	const struct ibc_fabric *before;
	const bool *unseen;
	struct ibc_change *items;
	size_t n, room;
	struct ibc_changes_count counts[IBC_CHANGE_COUNT];
};

/* Of two values, one of which may not have been read; in rising order. */
enum outcome { SAME, UNKNOWN, CHANGED };

static void add_change(struct ibc_changes *c, const struct ibc_change *change)
{
	arena_grow(c->arena, &c->items, c->n, &c->room, sizeof(*c->items));
	c->items[c->n++] = *change;
}

static void settle_pair(struct ibc_changes *c, enum outcome outcome,
                        const struct ibc_change *change)
{
	struct ibc_changes_count *count = &c->counts[change->kind];

	if (outcome == CHANGED)
		add_change(c, change);
	if (outcome == UNKNOWN)
		count->unread++;
	count->pairs++;
}

/* ---- what the earlier sweep could not see -------------------------------------------- */

/* A port of the later sweep as the earlier one saw it, or NULL. */
static const struct ibc_port *port_before(const struct ibc_comparison *cmp,
                                          const struct ibc_port *port)
{
	const struct ibc_node *node = ibc_comparison_counterpart(cmp, port->node);

	return node ? ibc_node_port(node, port->num) : NULL;
}

/* There may have been a cable at it, but where it led was not read. */
static bool is_blank(const struct ibc_port *was)
{
	if (!was || was->peer || !ibc_attrs_has(was->node->subnet->provides, IBC_ATTR_PORT_INFO))
		return false;
	return !ibc_port_has(was, IBC_ATTR_PORT_INFO) || was->phys_state == IBC_PHYS_LINKUP;
}

/* Nodes to look around at, each once. */
static void mark_unseen(const struct ibc_comparison *cmp, const struct ibc_node *node, bool *unseen,
                        const struct ibc_node **queue, size_t *n)
{
	if (unseen[node_order(node)] || ibc_comparison_counterpart(cmp, node))
		return;
	unseen[node_order(node)] = true;
	queue[(*n)++] = node;
}

const bool *unseen_nodes(struct arena *a, const struct ibc_comparison *cmp)
{
	const struct ibc_fabric *later = comparison_match(cmp)->found;
	size_t nodes = ibc_fabric_count(later).nodes + 1, n = 0;
	const struct ibc_node **queue = arena_array(a, nodes, sizeof(struct ibc_node *));
	bool *unseen = arena_array(a, nodes, sizeof(*unseen));
	const struct ibc_port *p;

	if (!queue || !unseen)
		return NULL;
	for (size_t i = 0; (p = ibc_fabric_port(later, i)); i++)
		if (p->peer && is_blank(port_before(cmp, p)))
			mark_unseen(cmp, p->peer->node, unseen, queue, &n);
	for (size_t i = 0; i < n; i++)
		for (unsigned int num = 1; (p = ibc_node_port(queue[i], num)); num++)
			if (p->peer)
				mark_unseen(cmp, p->peer->node, unseen, queue, &n);
	return unseen;
}

/* Of a cable between nodes that were there, neither end may have been seen to be free. */
static bool is_unseen_cable(const struct ibc_comparison *cmp, const bool *nodes,
                            const struct ibc_port *port)
{
	if (!port->peer)
		return is_blank(port_before(cmp, port));
	if (nodes[node_order(port->node)] || nodes[node_order(port->peer->node)])
		return true;
	return is_blank(port_before(cmp, port)) && is_blank(port_before(cmp, port->peer));
}

bool is_unseen(const struct ibc_comparison *cmp, const bool *nodes, const struct deviation *d)
{
	if (d->kind == DEVIATION_UNEXPECTED_NODE)
		return nodes[node_order(d->found_nodes[0])];
	if (d->kind != DEVIATION_UNEXPECTED_CABLE)
		return false;
	for (size_t i = 0; i < d->num_found; i++)
		if (!is_unseen_cable(cmp, nodes, d->found[i]))
			return false;
	return true;
}

/* ---- deviations ------------------------------------------------------------------ */

/* A case of cables has nodes, too, that came or went with them. */
static void add_changed_nodes(struct ibc_changes *c, const struct deviation *d,
                              enum ibc_change_kind kind)
{
	static const enum ibc_change_kind kinds[] = {
		[DEVIATION_MISSING_NODE] = IBC_CHANGE_NODE_GONE,
		[DEVIATION_UNEXPECTED_NODE] = IBC_CHANGE_NODE_NEW,
		[DEVIATION_REPLACED_NODE] = IBC_CHANGE_NODE_REPLACED,
		[DEVIATION_RENAMED_NODE] = IBC_CHANGE_NODE_RENAMED,
		[DEVIATION_TWO_NAMES] = IBC_CHANGE_NODE_RENAMED,
		[DEVIATION_EXCHANGED_NODES] = IBC_CHANGE_NODE_EXCHANGED,
	};
	size_t was = kind == IBC_CHANGE_NODE_NEW ? 0 : d->num_planned_nodes;
	size_t is = kind == IBC_CHANGE_NODE_GONE ? 0 : d->num_found_nodes;

	if (d->kind < ARRAY_SIZE(kinds)
	        ? kinds[d->kind] != kind
	        : d->kind >= DEVIATION_SLOW ||
	              (kind != IBC_CHANGE_NODE_GONE && kind != IBC_CHANGE_NODE_NEW))
		return;
	for (size_t i = 0; i < was || i < is; i++)
		add_change(c, &(struct ibc_change){
				  .kind = kind,
				  .was = i < was ? d->planned_nodes[i] : NULL,
				  .is = i < is ? d->found_nodes[i] : NULL,
			      });
}

static bool is_end_of(const struct ibc_comparison *cmp, const struct ibc_port *planned,
                      const struct ibc_port *found)
{
	return found && (comparison_found_port(cmp, planned) == found ||
	                 comparison_found_port(cmp, planned->peer) == found);
}

/*
 * The cables of a case lie along its path, each found one between the planned ones of
 * its number and of the next.  In a ring either will do: it is the one that had its near
 * end where it has it.
 */
const struct ibc_port *cable_before(const struct ibc_comparison *cmp, const struct deviation *d,
                                    size_t i)
{
	const size_t n = d->num_planned;
	const struct ibc_port *last = n > 1 && n == d->num_found ? d->found[n - 1] : NULL;

	/* in a ring the last cable shares a jack with the first */
	if (last &&
	    (is_end_of(cmp, d->planned[0], last) || is_end_of(cmp, d->planned[0], last->peer)) &&
	    !is_end_of(cmp, d->planned[0], d->found[0]))
		i = (i + 1) % n;
	return d->planned[i];
}

static void add_changed_cables(struct ibc_changes *c, const struct deviation *d,
                               enum ibc_change_kind kind)
{
	size_t both = d->num_planned < d->num_found ? d->num_planned : d->num_found, from, to;

	if (d->kind >= DEVIATION_SLOW)
		return;
	from = kind == IBC_CHANGE_CABLE_MOVED ? 0 : both;
	to = kind == IBC_CHANGE_CABLE_MOVED  ? both
	     : kind == IBC_CHANGE_CABLE_GONE ? d->num_planned
	                                     : d->num_found;
	for (size_t i = from; i < to; i++) {
		struct ibc_change change = { .kind = kind };

		if (i < d->num_planned) {
			change.port_was = cable_before(c->cmp, d, i);
			change.was = change.port_was->node;
		}
		if (i < d->num_found) {
			change.port_is = d->found[i];
			change.is = change.port_is->node;
		}
		add_change(c, &change);
	}
}

static void add_deviations(struct ibc_changes *c, enum ibc_change_kind kind)
{
	const struct deviation *d;

	for (size_t i = 0; (d = comparison_deviation(c->cmp, i)); i++) {
		if (is_unseen(c->cmp, c->unseen, d))
			continue;
		if (kind < IBC_CHANGE_CABLE_GONE)
			add_changed_nodes(c, d, kind);
		else
			add_changed_cables(c, d, kind);
	}
}

/* ---- ports ----------------------------------------------------------------------- */

/* The state of its link, or why it has none: "Active", "Polling". */
static const char *port_state_text(const struct ibc_port *port)
{
	if (port->phys_state == IBC_PHYS_LINKUP)
		return ibc_port_state_word(port->state)->name;
	return ibc_phys_state_word(port->phys_state)->name;
}

/* A link without a known peer is a question that was not answered: reported elsewhere. */
static enum outcome compare_states(const struct ibc_port *was, const struct ibc_port *is)
{
	if (!ibc_port_has(was, IBC_ATTR_PORT_INFO) || !ibc_port_has(is, IBC_ATTR_PORT_INFO))
		return UNKNOWN;
	if ((port_is_looking(was) && port_is_looking(is)) ||
	    (!was->peer &&
	     (was->phys_state == IBC_PHYS_LINKUP || is->phys_state == IBC_PHYS_LINKUP)))
		return SAME;
	return strcmp(port_state_text(was), port_state_text(is)) ? CHANGED : SAME;
}

/* 0: it is not known */
static enum outcome compare_numbers(unsigned int was, unsigned int is)
{
	if (!was || !is)
		return UNKNOWN;
	return was == is ? SAME : CHANGED;
}

static enum outcome compare_link_rates(const struct ibc_port *was, const struct ibc_port *is)
{
	enum outcome width, speed;

	if (!ibc_port_is_up(was) || !ibc_port_is_up(is))
		return UNKNOWN;
	width = compare_numbers(was->width_active, is->width_active);
	speed = compare_numbers(was->speed_active, is->speed_active);
	if (width == CHANGED || speed == CHANGED)
		return CHANGED;
	return width == UNKNOWN ? speed : width;
}

/* Of a cable once: what both ends show is reported at the near one. */
static void add_changed_port(struct ibc_changes *c, const struct ibc_port *was,
                             enum ibc_change_kind kind,
                             enum outcome (*compare)(const struct ibc_port *was,
                                                     const struct ibc_port *is))
{
	const struct ibc_port *is = comparison_found_port(c->cmp, was);
	enum outcome near, far;

	/* the same port, with the same cable, or still without one */
	if (!is || was->num == 0 || !was->peer != !is->peer ||
	    (was->peer &&
	     (is->peer != comparison_found_port(c->cmp, was->peer) || !ibc_port_is_near_end(was))))
		return;
	near = compare(was, is);
	far = was->peer ? compare(was->peer, is->peer) : near;
	if (near < far) {
		was = was->peer;
		is = is->peer;
	}
	settle_pair(c, near < far ? far : near,
	            &(struct ibc_change){ kind, was->node, is->node, was, is });
}

static void add_ports(struct ibc_changes *c, enum ibc_change_kind kind)
{
	const struct ibc_port *was;

	for (size_t i = 0; (was = ibc_fabric_port(c->before, i)); i++)
		if (kind == IBC_CHANGE_STATE)
			add_changed_port(c, was, kind, compare_states);
		else if (was->peer)
			add_changed_port(c, was, kind, compare_link_rates);
}

/* ---- devices --------------------------------------------------------------------- */

/* The same device; not another one in its place. */
static const struct ibc_node *same_device(const struct ibc_changes *c, const struct ibc_node *was)
{
	const struct ibc_node *is = ibc_comparison_counterpart(c->cmp, was);

	if (!is || was->named_only || is->named_only || was->guid != is->guid)
		return NULL;
	return is;
}

static enum outcome compare_devices(const struct ibc_node *was, const struct ibc_node *is,
                                    enum ibc_change_kind kind)
{
	if (kind == IBC_CHANGE_REVISION)
		return compare_numbers(was->revision, is->revision);
	if (kind == IBC_CHANGE_DEVICE)
		return compare_numbers(was->device_id, is->device_id);
	if (!was->firmware || !is->firmware)
		return UNKNOWN;
	return strcmp(was->firmware, is->firmware) ? CHANGED : SAME;
}

static void add_devices(struct ibc_changes *c, enum ibc_change_kind kind)
{
	const struct ibc_node *was, *is;

	for (size_t i = 0; (was = ibc_fabric_node(c->before, i)); i++) {
		is = same_device(c, was);
		if (is)
			settle_pair(c, compare_devices(was, is, kind),
			            &(struct ibc_change){ .kind = kind, .was = was, .is = is });
	}
}

/* ---- LIDs ------------------------------------------------------------------------ */

/* Of a switch only port 0 has one, of an adapter each port of this subnet that is not down. */
static bool may_have_lid(const struct ibc_port *p)
{
	return p->num == 0 ||
	       (p->node->type != IBC_NODE_SWITCH && ibc_port_is_up(p) && ibc_port_is_here(p));
}

static enum outcome compare_lids(const struct ibc_port *was, const struct ibc_port *is)
{
	if ((!was->lid && !ibc_port_has(was, IBC_ATTR_PORT_INFO)) ||
	    (!is->lid && !ibc_port_has(is, IBC_ATTR_PORT_INFO)))
		return UNKNOWN;
	return was->lid != is->lid || was->lmc != is->lmc ? CHANGED : SAME;
}

static void add_lids(struct ibc_changes *c, enum ibc_change_kind kind)
{
	const struct ibc_port *was, *is;

	for (size_t i = 0; (was = ibc_fabric_port(c->before, i)); i++) {
		const struct ibc_node *node = may_have_lid(was) ? same_device(c, was->node) : NULL;

		is = node ? ibc_node_port(node, was->num) : NULL;
		if (is && may_have_lid(is))
			settle_pair(c, compare_lids(was, is),
			            &(struct ibc_change){ kind, was->node, is->node, was, is });
	}
}

/* Where the manager that this port obeys is, or NULL. */
static const struct ibc_node *manager_of(const struct ibc_port *port)
{
	const struct ibc_port *at;

	if (!port || !ibc_port_has(port, IBC_ATTR_PORT_INFO) || port->state != IBC_STATE_ACTIVE ||
	    !port_has_lid(port))
		return NULL;
	at = ibc_fabric_port_by_lid(port->node->subnet, port->sm_lid);
	return at ? at->node : NULL;
}

/* All ports of a subnet obey one manager: the first that shows it both times is enough. */
static void add_managers(struct ibc_changes *c, enum ibc_change_kind kind)
{
	const struct ibc_subnet *subnet;
	const struct ibc_port *p;

	for (size_t s = 0; (subnet = ibc_fabric_subnet(c->before, s)); s++)
		for (size_t i = 0; (p = ibc_fabric_port(c->before, i)); i++) {
			const struct ibc_node *was, *is;

			was = p->node->subnet == subnet ? manager_of(p) : NULL;
			is = was ? manager_of(comparison_found_port(c->cmp, p)) : NULL;
			if (!is)
				continue;
			/* the same device, or another one in its place */
			settle_pair(c,
			            was->guid == is->guid ||
			                    ibc_comparison_counterpart(c->cmp, was) == is
			                ? SAME
			                : CHANGED,
			            &(struct ibc_change){ .kind = kind, .was = was, .is = is });
			break;
		}
}

/* ---- the table of kinds ------------------------------------------------------------ */

static const struct {
	struct ibc_word word;
	void (*add)(struct ibc_changes *c, enum ibc_change_kind kind);
} kinds[IBC_CHANGE_COUNT] = {
	[IBC_CHANGE_NODE_GONE] = { { "node_gone", "node gone" }, add_deviations },
	[IBC_CHANGE_NODE_NEW] = { { "node_new", "new node" }, add_deviations },
	[IBC_CHANGE_NODE_REPLACED] = { { "node_replaced", "node replaced" }, add_deviations },
	[IBC_CHANGE_NODE_RENAMED] = { { "node_renamed", "node renamed" }, add_deviations },
	[IBC_CHANGE_NODE_EXCHANGED] = { { "node_exchanged", "node exchanged" }, add_deviations },
	[IBC_CHANGE_CABLE_GONE] = { { "cable_gone", "cable gone" }, add_deviations },
	[IBC_CHANGE_CABLE_NEW] = { { "cable_new", "new cable" }, add_deviations },
	[IBC_CHANGE_CABLE_MOVED] = { { "cable_moved", "cable moved" }, add_deviations },
	[IBC_CHANGE_STATE] = { { "state", "state" }, add_ports },
	[IBC_CHANGE_RATE] = { { "rate", "rate" }, add_ports },
	[IBC_CHANGE_LID] = { { "lid", "LID" }, add_lids },
	[IBC_CHANGE_SM] = { { "sm", "subnet manager" }, add_managers },
	[IBC_CHANGE_FIRMWARE] = { { "firmware", "firmware" }, add_devices },
	[IBC_CHANGE_REVISION] = { { "revision", "hardware revision" }, add_devices },
	[IBC_CHANGE_DEVICE] = { { "device_id", "device id" }, add_devices },
};

const struct ibc_word *ibc_change_word(enum ibc_change_kind kind)
{
	return &kinds[kind].word;
}

int ibc_changes_find(const struct ibc_comparison *cmp, uint32_t wanted, struct ibc_changes **out,
                     struct ibc_error *err)
{
	struct arena *a = arena_new();
	struct ibc_changes *c = a ? arena_alloc(a, sizeof(*c)) : NULL;

	*out = NULL;
	if (!c || setjmp(*arena_entry(a))) {
		arena_free(a);
		return fail_nomem(err);
	}
	c->arena = a;
	c->cmp = cmp;
	c->before = comparison_match(cmp)->planned;
	c->unseen = unseen_nodes(a, cmp);
	for (unsigned int kind = 0; kind < IBC_CHANGE_COUNT; kind++)
		if (wanted & 1u << kind)
			kinds[kind].add(c, kind);
	arena_escape(a, NULL);
	*out = c;
	return 0;
}

void ibc_changes_free(struct ibc_changes *changes)
{
	if (changes)
		arena_free(changes->arena);
}

const struct ibc_change *ibc_changes_at(const struct ibc_changes *changes, size_t i)
{
	return i < changes->n ? &changes->items[i] : NULL;
}

struct ibc_changes_count ibc_changes_count(const struct ibc_changes *changes,
                                           enum ibc_change_kind kind)
{
	return changes->counts[kind];
}

/* ---- in words: what was, and what is ------------------------------------------------ */

char *port_rate_text(const struct ibc_port *port, char *text, size_t size)
{
	double gbps = ibc_link_gbps(port->width_active, port->speed_active);
	const char *width = ibc_width_word(port->width_active)->name;
	const char *speed = ibc_speed_word(port->speed_active)->name;

	if (gbps > 0)
		snprintf(text, size, "%s %s (%.*f Gb/s)", width, speed, gbps != (int)gbps, gbps);
	else
		snprintf(text, size, "%s", port->speed_active ? speed : width);
	return text;
}

/* What is behind a cable may not have answered. */
static void cable_text(const struct ibc_port *p, char *text, size_t size)
{
	const struct ibc_port *near = !p->peer || ibc_port_is_near_end(p) ? p : p->peer;

	char here[IBC_PLACE_TEXT], there[IBC_PLACE_TEXT] = "?";

	ibc_place_text((struct ibc_place){ near->node, near->num }, here, sizeof(here));
	if (near->peer)
		ibc_place_text((struct ibc_place){ near->peer->node, near->peer->num }, there,
		               sizeof(there));
	snprintf(text, size, "%s - %s", here, there);
}

char *ibc_change_text(const struct ibc_change *change, bool before, char *text, size_t size)
{
	const struct ibc_node *node = before ? change->was : change->is;
	const struct ibc_port *port = before ? change->port_was : change->port_is;
	enum ibc_change_kind kind = change->kind;

	if (size)
		*text = '\0';
	if (!node)
		return text;
	if (kind < IBC_CHANGE_CABLE_GONE || kind == IBC_CHANGE_SM)
		snprintf(text, size, "%s", node->label);
	else if (kind <= IBC_CHANGE_CABLE_MOVED)
		cable_text(port, text, size);
	else if (kind == IBC_CHANGE_STATE)
		snprintf(text, size, "%s", port_state_text(port));
	else if (kind == IBC_CHANGE_RATE)
		port_rate_text(port, text, size);
	else if (kind == IBC_CHANGE_LID && port->lmc && port->lid)
		snprintf(text, size, "%u, LMC %u", port->lid, port->lmc);
	else if (kind == IBC_CHANGE_LID)
		snprintf(text, size, port->lid ? "%u" : "none", port->lid);
	else if (kind == IBC_CHANGE_FIRMWARE)
		snprintf(text, size, "%s", node->firmware);
	else
		snprintf(text, size, "0x%x",
		         kind == IBC_CHANGE_REVISION ? node->revision : node->device_id);
	return text;
}
