/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several lists of cables: those that name the same switch are one plan, as UFM's list of hosts
 * and its list of switches are; those that have hosts in common, or nothing, are subnets.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "fabric/build.h"
#include "fabric/fabric.h"
#include "source/plans/plan.h"
#include "source/source.h"

/*
 * struct planned - a node of a file
 * @same: the first of all files that is it; @speaker: the first of those that are one plan with it
 * @made: of the join
 */
struct planned {
	struct ibc_node *node;
	size_t order;
	struct planned *same, *speaker;
	struct ibc_node *made;
};

/*
 * struct join - all files
 * @by_order: nodes as they were made; @by_name: sorted
 * @root: by subnet: the first one that it is one plan with
 * @both, @against: by two subnets, the earlier first: ports of common switches that both have a
 *		    cable at; those where it is not the same
 * @switches: likewise: have they any in common?
 */
struct join {
	struct fabric_build *old, *made;
	struct arena *arena;
	struct ibc_error *err;
	struct planned *by_order, **by_name;
	size_t n, subnets;
	size_t *root, *both, *against;
	bool *switches;
};

static struct planned *planned_of(const struct join *j, const struct ibc_node *node)
{
	return &j->by_order[((const struct fabric_node *)node)->order];
}

static int by_name(const void *va, const void *vz)
{
	const struct planned *a = *(struct planned *const *)va, *z = *(struct planned *const *)vz;
	int order = strcmp(a->node->desc, z->node->desc);

	if (!order && !a->node->named_only && !z->node->named_only)
		order = order_u64(a->node->guid, z->node->guid);
	return order ? order : order_u64(a->order, z->order);
}

/* A name is a node's own in its file, unless there are GUIDs to distinguish nodes by. */
static bool is_same_node(const struct ibc_node *a, const struct ibc_node *z)
{
	return a->subnet != z->subnet && !strcmp(a->desc, z->desc) &&
	       (a->named_only || z->named_only || a->guid == z->guid);
}

/* Does the same port of the same switch have the same cable in both? */
static void count_conflicts(struct join *j, const struct planned *a, const struct planned *z)
{
	size_t at = a->node->subnet->index * j->subnets + z->node->subnet->index;
	const struct ibc_port *p, *q;

	if (a->node->type != IBC_NODE_SWITCH && z->node->type != IBC_NODE_SWITCH)
		return;
	j->switches[at] = true;
	for (unsigned int num = 1; (p = ibc_node_port(a->node, num)); num++) {
		q = ibc_node_port(z->node, num);
		if (!p->peer || !q || !q->peer)
			continue;
		j->both[at]++;
		j->against[at] += p->peer->num != q->peer->num ||
		                  planned_of(j, p->peer->node)->same !=
		                      planned_of(j, q->peer->node)->same;
	}
}

static size_t root_of(const struct join *j, size_t subnet)
{
	while (j->root[subnet] != subnet)
		subnet = j->root[subnet];
	return subnet;
}

/* Is a file one plan with those that are joined to @root, by all ports that both have? */
static bool is_one_plan(const struct join *j, size_t root, size_t file)
{
	size_t both = 0, against = 0;
	bool switches = false;

	for (size_t i = 0; i < file; i++) {
		size_t at = i * j->subnets + file;

		if (root_of(j, i) != root)
			continue;
		switches |= j->switches[at];
		both += j->both[at];
		against += j->against[at];
	}
	return switches && against * 2 <= both;
}

/* The entry of @by_name that is the same node @back before entry i; NULL: there is none. */
static struct planned *same_before(const struct join *j, size_t i, size_t back)
{
	struct planned *z = back <= i && back < j->subnets ? j->by_name[i - back] : NULL;

	return z && z->same == j->by_name[i]->same ? z : NULL;
}

/* ---- the fabric ----------------------------------------------------------------------- */

static const char *keep(const struct join *j, const char *text)
{
	return text ? arena_strdup(fabric_build_arena(j->made), text) : NULL;
}

/* What a file has cables of, for a person. */
static const char *coverage(const struct join *j, const struct ibc_subnet *subnet)
{
	bool hosts = false, switches = false;
	const struct ibc_port *p;

	for (size_t i = 0; i < j->n; i++) {
		const struct ibc_node *node = j->by_order[i].node;

		for (unsigned int num = 1; node->subnet == subnet && (p = ibc_node_port(node, num));
		     num++) {
			if (!p->peer)
				continue;
			hosts |= node->type == IBC_NODE_CA || p->peer->node->type == IBC_NODE_CA;
			switches |= node->type != IBC_NODE_CA && p->peer->node->type != IBC_NODE_CA;
		}
	}
	return hosts && switches ? "" : hosts ? " (hosts only)" : " (switches only)";
}

/* struct sum - of all files: what a node is, and its highest port */
struct sum {
	unsigned int ports;
	bool is_switch;
	uint64_t guid;
};

/* Those that have GUIDs first, so that those that are made up are none of theirs. */
static void make_nodes(struct join *j, struct ibc_subnet *const *subnets)
{
	struct sum *sums = arena_array(j->arena, j->n + 1, sizeof(*sums));
	uint64_t made = 0;

	for (size_t i = 0; i < j->n; i++) {
		const struct ibc_node *node = j->by_order[i].node;
		struct sum *sum = &sums[j->by_order[i].speaker->order];

		sum->ports = node->num_ports > sum->ports ? node->num_ports : sum->ports;
		sum->is_switch |= node->type == IBC_NODE_SWITCH;
		sum->guid = node->named_only ? sum->guid : node->guid;
	}
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < j->n; i++) {
			struct planned *a = &j->by_order[i];
			struct ibc_subnet *subnet = subnets[root_of(j, a->node->subnet->index)];

			if (a->speaker != a || !sums[i].guid == !pass)
				continue;
			do
				made += PLAN_GUID_STEP;
			while (pass && fabric_build_find(j->made, subnet, made));
			a->made = fabric_build_node(
			    j->made, subnet, pass ? made : sums[i].guid,
			    sums[i].is_switch ? IBC_NODE_SWITCH : IBC_NODE_CA, sums[i].ports);
			fabric_build_desc(j->made, a->made, a->node->desc, strlen(a->node->desc));
			a->made->named_only = !sums[i].guid;
		}
	/* a later file adds what the first does not have */
	for (size_t i = 0; i < j->n; i++) {
		const struct ibc_node *from = j->by_order[i].node;
		struct ibc_node *node = j->by_order[i].speaker->made;

		node->named_only &= from->named_only;
		node->line = node->line ?: from->line;
		node->rack = node->rack ?: keep(j, from->rack);
		node->row = node->row ?: keep(j, from->row);
		node->pod = node->pod ?: keep(j, from->pod);
		j->by_order[i].made = node;
	}
}

static void take_port(struct ibc_port *to, const struct ibc_port *from)
{
	answers_put(to, IBC_ATTR_NODE_INFO, ANSWER_OK);
	to->width_active = to->width_active ?: from->width_active;
	to->speed_active = to->speed_active ?: from->speed_active;
	if (to->width_active && to->speed_active)
		answers_put(to, IBC_ATTR_LINK, ANSWER_OK);
}

static int make_cable(struct join *j, const struct ibc_port *p)
{
	struct ibc_port *near = fabric_build_port(planned_of(j, p->node)->made, p->num);
	struct ibc_port *far = fabric_build_port(planned_of(j, p->peer->node)->made, p->peer->num);
	struct ibc_cable *cable;

	if (fabric_build_link(near, far))
		return fail(j->err, -EINVAL,
		            "%s: line %lu: %s/%u has this cable to %s/%u, and another file of the "
		            "same plan has another cable there",
		            fabric_build_subnet_at(j->old, p->node->subnet->index)->source,
		            p->extra->cable ? p->extra->cable->line : 0, p->node->desc, p->num,
		            p->peer->node->desc, p->peer->num);
	take_port(near, p);
	take_port(far, p->peer);
	if (near->extra->cable || !p->extra->cable)
		return 0;
	cable = arena_alloc(fabric_build_arena(j->made), sizeof(*cable));
	*cable = (struct ibc_cable){ keep(j, p->extra->cable->label),
		                     keep(j, p->extra->cable->length), p->extra->cable->line };
	port_extra(near)->cable = port_extra(far)->cable = cable;
	return 0;
}

static void start(struct join *j)
{
	size_t pairs = j->subnets * j->subnets;

	while (fabric_build_node_at(j->old, j->n))
		j->n++;
	j->by_order = arena_array(j->arena, j->n + 1, sizeof(*j->by_order));
	j->by_name = arena_array(j->arena, j->n + 1, sizeof(struct planned *));
	j->root = arena_array(j->arena, j->subnets, sizeof(*j->root));
	j->both = arena_array(j->arena, pairs, sizeof(*j->both));
	j->against = arena_array(j->arena, pairs, sizeof(*j->against));
	j->switches = arena_array(j->arena, pairs, sizeof(*j->switches));
	for (size_t i = 0; i < j->subnets; i++)
		j->root[i] = i;
	for (size_t i = 0; i < j->n; i++) {
		struct planned *a = &j->by_order[i];

		*a = (struct planned){ fabric_build_node_at(j->old, i), i, a, a, NULL };
		j->by_name[i] = a;
	}
	qsort(j->by_name, j->n, sizeof(*j->by_name), by_name);
}

/* 1: there is a plan of several files; 0: there is none. */
static int join_all(void *ctx)
{
	struct join *j = ctx;
	struct ibc_subnet **subnets = arena_array(j->arena, j->subnets, sizeof(*subnets));
	const struct ibc_port *p;
	bool any = false;
	int rc = 0;
	struct planned *z;

	start(j);
	for (size_t i = 0; i < j->n; i++)
		for (size_t k = i; k-- > 0 && i - k < j->subnets &&
		                   is_same_node(j->by_name[k]->node, j->by_name[i]->node);)
			j->by_name[i]->same = j->by_name[k]->same;
	/*
	 * A file is compared with what the files before it make.  Names that begin anew in each
	 * subnet contradict each other at most of their ports; where few do, it is a mistake, which
	 * fabric_build_link() will meet.
	 */
	for (size_t i = 0; i < j->n; i++)
		for (size_t back = 1; (z = same_before(j, i, back)); back++)
			count_conflicts(j, z, j->by_name[i]);
	for (size_t file = 1; file < j->subnets; file++)
		for (size_t root = 0; root < file; root++) {
			size_t own = root_of(j, file);

			if (root_of(j, root) != root || own == root || !is_one_plan(j, root, file))
				continue;
			j->root[own > root ? own : root] = own > root ? root : own;
		}
	for (size_t i = 0; i < j->n; i++)
		for (size_t back = 1; (z = same_before(j, i, back)); back++)
			if (root_of(j, z->node->subnet->index) ==
			    root_of(j, j->by_name[i]->node->subnet->index))
				j->by_name[i]->speaker = z->speaker;
	for (size_t i = 0; i < j->subnets; i++)
		any |= j->root[i] != i;
	if (!any)
		return 0;
	for (size_t i = 0; i < j->subnets; i++) {
		const struct ibc_subnet *s = fabric_build_subnet_at(j->old, i);
		size_t root = root_of(j, i);
		const char *text = arena_printf(j->arena, "%s%s%s%s",
		                                root == i ? "" : subnets[root]->source,
		                                root == i ? "" : ", ", s->source, coverage(j, s));

		if (root == i)
			subnets[i] = fabric_build_subnet(j->made, text, s->kind);
		subnets[root]->source = keep(j, text);
		subnets[root]->file = keep(j, text);
		subnets[root]->provides = ibc_attrs_or(subnets[root]->provides, s->provides);
		fabric_build_lost(j->made, subnets[root], s->lines_lost, s->lost_of, s->lost,
		                  s->num_lost);
	}
	make_nodes(j, subnets);
	for (size_t i = 0; !rc && i < j->n; i++)
		for (unsigned int num = 1; !rc && (p = ibc_node_port(j->by_order[i].node, num));
		     num++) {
			size_t far = p->peer ? planned_of(j, p->peer->node)->order : 0;

			/* once, from its first end */
			if (i < far || (i == far && p->peer && num < p->peer->num))
				rc = make_cable(j, p);
		}
	return rc ? rc : 1;
}

int plans_join(struct fabric_build **build, struct ibc_error *err)
{
	struct join j = { .old = *build, .err = err };
	const struct ibc_subnet *subnet;
	int rc;

	for (; (subnet = fabric_build_subnet_at(j.old, j.subnets)); j.subnets++)
		if (strcmp(subnet->kind, PLAN_CABLES) != 0 && strcmp(subnet->kind, PLAN_TOPO) != 0)
			return 0;
	if (j.subnets < 2)
		return 0;
	rc = fabric_build_new(&j.made, err);
	if (rc)
		return rc;
	j.arena = arena_new();
	rc = fabric_build_run(j.made, j.arena, join_all, &j);
	fabric_build_free(rc > 0 ? j.old : j.made);
	if (rc > 0)
		*build = j.made;
	arena_free(j.arena);
	if (rc == -ENOMEM)
		return fail_nomem(err);
	return rc < 0 ? rc : 0;
}
