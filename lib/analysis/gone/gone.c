/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/gone/gone.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/gone/parts.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/nodename.h"
#include "fabric/fabric.h"

void gone_add_node(struct ibc_gone *g, struct gone_node node)
{
	arena_grow(g->arena, &g->nodes, g->num_nodes, &g->room_nodes, sizeof(node));
	g->nodes[g->num_nodes++] = node;
}

void gone_add_cable(struct ibc_gone *g, struct gone_cable cable)
{
	arena_grow(g->arena, &g->cables, g->num_cables, &g->room_cables, sizeof(cable));
	g->cables[g->num_cables++] = cable;
}

struct gone_end gone_end_of(const struct ibc_port *port)
{
	return (struct gone_end){ .guid = port->node->guid,
		                  .num = port->num,
		                  .name = port->node->label };
}

int gone_by_guid(const void *va, const void *vz)
{
	const struct gone_node *a = va, *z = vz;

	return order_u64(a->guid, z->guid);
}

int gone_by_ends(const void *va, const void *vz)
{
	const struct gone_cable *a = va, *z = vz;

	return order_u64(a->a.guid, z->a.guid) ?: order_u64(a->z.guid, z->z.guid)
	           ?: order_u64(a->a.num, z->a.num) ?: order_u64(a->z.num, z->z.num);
}

size_t gone_find(const struct ibc_gone *gone, uint64_t guid)
{
	struct gone_node wanted = { .guid = guid };
	const struct gone_node *n = gone->num_nodes ? bsearch(&wanted, gone->nodes, gone->num_nodes,
	                                                      sizeof(wanted), gone_by_guid)
	                                            : NULL;

	return n ? (size_t)(n - gone->nodes) : GONE_NONE;
}

size_t gone_find_cable(const struct ibc_gone *gone, const struct gone_cable *ends)
{
	const struct gone_cable *c = gone->num_cables
	                                 ? bsearch(ends, gone->cables, gone->num_cables,
	                                           sizeof(*ends), gone_by_ends)
	                                 : NULL;

	return c ? (size_t)(c - gone->cables) : GONE_NONE;
}

/* A source without states, such as a list of cables, has said all of a port once it was read whole.
 */
bool gone_looked(const struct ibc_port *port)
{
	const struct ibc_subnet *subnet = port->node->subnet;

	return port_link_is_known(port) ||
	       (!ibc_attrs_has(subnet->provides, IBC_ATTR_PORT_INFO) && !subnet->cut_short);
}

/* ---- devices that took the place of others --------------------------------------------------- */

static bool is_new(const struct ibc_gone *g, const struct ibc_node *node)
{
	return g->before && !node->named_only && !ibc_fabric_node_by_guid(g->before, node->guid) &&
	       gone_find(g, node->guid) == GONE_NONE;
}

struct by_name {
	const char *name;
	enum ibc_node_type type;
	size_t missing;
	const struct ibc_node *is;
};

static int by_name_and_type(const void *va, const void *vz)
{
	const struct by_name *a = va, *z = vz;

	return strcmp(a->name, z->name) ?: (int)a->type - (int)z->type;
}

bool gone_replaces(const struct ibc_gone *g, const struct ibc_node *node)
{
	return g->replaces && g->replaces[node_order(node)];
}

static void replace(struct ibc_gone *g, struct gone_node *was, const struct ibc_node *is)
{
	was->is = is;
	was->state = GONE_REPLACED;
	g->replaces[node_order(is)] = true;
}

/* A new device with the name of one that is missing; of two of one name neither counts. */
static void replace_by_name(struct ibc_gone *g, const struct ibc_node **fresh, size_t n)
{
	struct by_name *all = arena_array(g->arena, g->num_nodes + n + 1, sizeof(*all));
	size_t num = 0;

	for (size_t i = 0; i < g->num_nodes; i++)
		if (g->nodes[i].state == GONE_UNSEEN && !says_nothing(g->nodes[i].name))
			all[num++] = (struct by_name){ g->nodes[i].name, g->nodes[i].type, i,
				                       NULL };
	for (size_t i = 0; i < n; i++)
		if (!says_nothing(fresh[i]->label) && !gone_replaces(g, fresh[i]))
			all[num++] = (struct by_name){ fresh[i]->label, fresh[i]->type, GONE_NONE,
				                       fresh[i] };
	qsort(all, num, sizeof(*all), by_name_and_type);
	for (size_t i = 0, end; i < num; i = end) {
		for (end = i + 1; end < num && !by_name_and_type(&all[i], &all[end]);)
			end++;
		if (end - i != 2 || !all[i].is == !all[i + 1].is)
			continue;
		replace(g, &g->nodes[all[i].is ? all[i + 1].missing : all[i].missing],
		        all[i].is ?: all[i + 1].is);
	}
}

/*
 * A new device at the port where a cable to the missing one ended, and of the same type.  All its
 * cables that lead to something new lead there, and these are at least half of them.
 */
static void replace_by_place(struct ibc_gone *g)
{
	const struct ibc_node **is = arena_array(g->arena, g->num_nodes + 1, sizeof(*is));
	struct tally {
		size_t cables, there;
		bool several;
	} *tally = arena_array(g->arena, g->num_nodes + 1, sizeof(*tally));

	for (size_t i = 0; i < g->num_cables; i++) {
		const struct gone_cable *c = &g->cables[i];
		const struct gone_end *ends[] = { &c->a, &c->z };

		for (int k = 0; k < 2; k++) {
			size_t node = gone_find(g, ends[k]->guid);
			const struct ibc_port *peer = fabric_port_at(g->now, ends[!k]->guid,
			                                             ends[!k]->num);
			const struct ibc_node *there = peer && peer->peer ? peer->peer->node : NULL;

			if (node == GONE_NONE || g->nodes[node].state != GONE_UNSEEN)
				continue;
			tally[node].cables++;
			if (!there || there->type != g->nodes[node].type || !is_new(g, there))
				continue;
			tally[node].several |= is[node] && is[node] != there;
			tally[node].there++;
			is[node] = there;
		}
	}
	for (size_t i = 0; i < g->num_nodes; i++)
		if (is[i] && !tally[i].several && 2 * tally[i].there >= tally[i].cables &&
		    !gone_replaces(g, is[i]))
			replace(g, &g->nodes[i], is[i]);
}

static void find_replaced(struct ibc_gone *g)
{
	const struct ibc_node **fresh = NULL, *node;
	size_t n = 0, room = 0;

	for (size_t i = 0; g->num_nodes && (node = ibc_fabric_node(g->now, i)); i++) {
		if (!is_new(g, node))
			continue;
		arena_grow(g->arena, &fresh, n, &room, sizeof(node));
		fresh[n++] = node;
	}
	if (!n)
		return;
	g->replaces = arena_array(g->arena, g->now->num_nodes, sizeof(*g->replaces));
	replace_by_place(g);
	replace_by_name(g, fresh, n);
}

/* ---- cables ------------------------------------------------------------------------------- */

static void find_end(const struct ibc_gone *g, struct gone_end *end)
{
	size_t node = gone_find(g, end->guid);
	const struct gone_node *n = node == GONE_NONE ? NULL : &g->nodes[node];

	end->node = n && n->state != GONE_BACK && n->state != GONE_REPLACED ? node : GONE_NONE;
	end->now = fabric_port_at(g->now, n && n->is ? n->is->guid : end->guid, end->num);
}

static bool is_switch_end(const struct ibc_gone *g, const struct gone_end *end)
{
	enum ibc_node_type type = end->now                ? end->now->node->type
	                          : end->node < GONE_NONE ? g->nodes[end->node].type
	                                                  : IBC_NODE_CA;

	return type != IBC_NODE_CA;
}

/* Both devices were found. */
static enum gone_state judge_cable(const struct gone_cable *c)
{
	const struct ibc_port *a = c->a.now, *z = c->z.now;

	if (!a || !z)
		return GONE_UNSEEN;
	if (a->peer == z)
		return GONE_BACK;
	if (a->peer || z->peer)
		return GONE_MOVED;
	return gone_looked(a) || gone_looked(z) ? GONE_AWAY : GONE_UNSEEN;
}

static void judge_cables(struct ibc_gone *g)
{
	for (size_t i = 0; i < g->num_cables; i++) {
		struct gone_cable *c = &g->cables[i];

		c->partner = GONE_NONE;
		find_end(g, &c->a);
		find_end(g, &c->z);
		c->between = is_switch_end(g, &c->a) && is_switch_end(g, &c->z);
		c->state = judge_cable(c);
		if (c->a.node == GONE_NONE && c->z.node == GONE_NONE)
			continue;
		/* it shares the fate of the device that is missing */
		c->state = GONE_UNSEEN;
		if (c->a.node != GONE_NONE && c->z.node != GONE_NONE)
			continue;
		const struct ibc_port *seen = c->a.node == GONE_NONE ? c->a.now : c->z.now;
		struct gone_node *node = &g->nodes[c->a.node == GONE_NONE ? c->z.node : c->a.node];

		/* one that was missing while the device was there is no evidence of it */
		bool led = !c->missed || c->missed > node->seen;

		if (seen && led && !node->at)
			node->at = seen->node;
		if (seen && gone_looked(seen)) {
			c->state = GONE_AWAY;
			node->lost += led;
		} else {
			node->open++;
		}
	}
}

/*
 * A cable that is where it was before it was moved is home, whatever was learnt meanwhile of where
 * it was then.
 */
static void find_returned(struct ibc_gone *g)
{
	for (size_t i = 0; i < g->num_cables; i++) {
		struct gone_cable *c = &g->cables[i];
		const struct ibc_port *ports[] = { c->a.now, c->z.now };

		for (int k = 0; k < 2 && c->state == GONE_MOVED; k++) {
			const struct ibc_port *port = ports[k], *near;
			struct gone_cable home = { .state = GONE_BACK };
			size_t at;

			if (!port->peer)
				continue;
			near = ibc_port_is_near_end(port) ? port : port->peer;
			home.a = gone_end_of(near);
			home.z = gone_end_of(near->peer);
			at = gone_find_cable(g, &home);
			if (at != GONE_NONE && g->cables[at].kept)
				c->state = GONE_BACK;
		}
	}
}

/* struct plug - a port of a cable that was moved */
struct plug {
	const struct ibc_port *port;
	size_t cable;
};

static int by_plug_port(const void *va, const void *vz)
{
	const struct plug *a = va, *z = vz;

	return order_u64((uintptr_t)a->port, (uintptr_t)z->port);
}

/* Two that have each other's far ends now. */
static void find_exchanges(struct ibc_gone *g)
{
	struct plug *plugs = arena_array(g->arena, 2 * g->num_cables + 1, sizeof(*plugs));
	size_t n = 0;

	for (size_t i = 0; i < g->num_cables; i++) {
		if (g->cables[i].state != GONE_MOVED)
			continue;
		plugs[n++] = (struct plug){ g->cables[i].a.now, i };
		plugs[n++] = (struct plug){ g->cables[i].z.now, i };
	}
	qsort(plugs, n, sizeof(*plugs), by_plug_port);
	for (size_t i = 0; i < g->num_cables; i++) {
		struct gone_cable *c = &g->cables[i];
		struct plug there = { .port = c->state == GONE_MOVED ? c->a.now->peer : NULL },
			    *other;
		const struct ibc_port *far;

		other = there.port && c->z.now->peer
		            ? bsearch(&there, plugs, n, sizeof(there), by_plug_port)
		            : NULL;
		if (!other || other->cable == i)
			continue;
		far = g->cables[other->cable].a.now == there.port ? g->cables[other->cable].z.now
		                                                  : g->cables[other->cable].a.now;
		if (c->z.now->peer == far)
			c->partner = other->cable;
	}
}

/* ---- hosts and managers -------------------------------------------------------------- */

static int name_of_host(const void *key, const void *element)
{
	return strcmp(key, ((const struct ibc_fabric_host *)element)->name);
}

/* struct adapter - a device by its host, to be sorted; one without a host is by itself */
struct adapter {
	const char *host;
	bool alone;
	size_t node;
};

static int by_host(const void *va, const void *vz)
{
	const struct adapter *a = va, *z = vz;

	return strcmp(a->host, z->host) ?: a->alone - z->alone ?: order_u64(a->node, z->node);
}

size_t gone_host_end(const struct ibc_gone *g, size_t first)
{
	const char *host = g->nodes[g->adapters[first]].host, *next;
	size_t end = first + 1;

	while (host && end < g->num_adapters && (next = g->nodes[g->adapters[end]].host) &&
	       !strcmp(next, host))
		end++;
	return end;
}

static void sort_adapters(struct ibc_gone *g)
{
	struct adapter *all = arena_array(g->arena, g->num_nodes + 1, sizeof(*all));

	g->adapters = arena_array(g->arena, g->num_nodes + 1, sizeof(*g->adapters));
	for (size_t i = 0; i < g->num_nodes; i++)
		if (g->nodes[i].type == IBC_NODE_CA && g->nodes[i].state != GONE_BACK &&
		    g->nodes[i].state != GONE_REPLACED)
			all[g->num_adapters++] = (struct adapter){ gone_host(&g->nodes[i]),
				                                   !g->nodes[i].host, i };
	qsort(all, g->num_adapters, sizeof(*all), by_host);
	for (size_t i = 0; i < g->num_adapters; i++)
		g->adapters[i] = all[i].node;
}

/* The name that a host has by now, if all its adapters that the last sweep had have another. */
static void rename_host(const struct ibc_gone *g, struct gone_node *n)
{
	const struct ibc_fabric *fab = g->before;
	const struct ibc_fabric_host *was = fab && n->host && fab->num_hosts
	                                        ? bsearch(n->host, fab->hosts, fab->num_hosts,
	                                                  sizeof(*fab->hosts), name_of_host)
	                                        : NULL;
	const char *name = NULL;

	for (size_t i = 0; was && i < was->num_nodes; i++) {
		const struct ibc_node *now = ibc_fabric_node_by_guid(g->now, was->nodes[i]->guid);

		if (now && now->host_name && !strcmp(now->host_name, n->host))
			return;
		name = now && now->host_name ? now->host_name : name;
	}
	n->renamed = name;
	n->host = name ?: n->host;
}

/*
 * A host was there as long as one of its adapters was.  One that lies behind something that is
 * gone, or was retired, does not say when it was missed.
 */
static void find_their_hosts(struct ibc_gone *g)
{
	const struct ibc_fabric *fab = g->now;

	for (size_t i = 0; i < g->num_nodes; i++)
		rename_host(g, &g->nodes[i]);
	sort_adapters(g);
	for (size_t i = 0, end; i < g->num_adapters; i = end) {
		const char *host = g->nodes[g->adapters[i]].host;
		time_t seen = 0, missed = 0;
		bool unseen = false, here = host && fab->num_hosts &&
		                            bsearch(host, fab->hosts, fab->num_hosts,
		                                    sizeof(*fab->hosts), name_of_host);

		end = gone_host_end(g, i);
		for (size_t k = i; k < end; k++) {
			const struct gone_node *n = &g->nodes[g->adapters[k]];
			time_t first = n->missed ?: g->time;

			seen = n->seen > seen ? n->seen : seen;
			unseen |= n->state == GONE_UNSEEN;
			if (n->state == GONE_AWAY && n->lead == g->adapters[k])
				missed = first > missed ? first : missed;
		}
		for (size_t k = i; k < end; k++) {
			struct gone_node *n = &g->nodes[g->adapters[k]];

			n->host_here = here;
			n->host_unseen = unseen;
			n->host_seen = seen;
			n->host_missed = missed ?: g->time;
		}
	}
}

/* The process is gone, or its host; the capability of the port goes with the process. */
static void judge_managers(struct ibc_gone *g)
{
	for (size_t i = 0; i < g->num_managers; i++) {
		struct gone_manager *m = &g->managers[i];
		const struct ibc_port *port;

		find_end(g, &m->at);
		port = m->at.now;
		if (m->at.node != GONE_NONE)
			m->state = g->nodes[m->at.node].state;
		else if (port && ibc_port_has(port, IBC_ATTR_PORT_INFO))
			m->state = port->cap_mask & IBC_CAP_IS_SM ? GONE_BACK : GONE_AWAY;
		else
			m->state = GONE_UNSEEN;
	}
}

void gone_judge(struct ibc_gone *g)
{
	size_t away = 0, hidden = 0, found = ibc_fabric_count(g->now).nodes;

	if (g->num_nodes)
		qsort(g->nodes, g->num_nodes, sizeof(*g->nodes), gone_by_guid);
	if (g->num_cables)
		qsort(g->cables, g->num_cables, sizeof(*g->cables), gone_by_ends);
	for (size_t i = 0; i < g->num_nodes; i++) {
		struct gone_node *n = &g->nodes[i];

		n->lead = i;
		n->cut = GONE_NONE;
		n->state = ibc_fabric_node_by_guid(g->now, n->guid) ? GONE_BACK : GONE_UNSEEN;
	}
	find_replaced(g);
	judge_cables(g);
	find_returned(g);
	find_exchanges(g);
	gone_parts(g);
	gone_retire(g);
	find_their_hosts(g);
	judge_managers(g);
	for (size_t i = 0; i < g->num_nodes; i++) {
		const struct gone_node *n = &g->nodes[i];

		hidden += n->state == GONE_UNSEEN || (n->state == GONE_AWAY && n->lead != i);
		away += n->state == GONE_AWAY || n->state == GONE_UNSEEN;
	}
	/* less than half of a fabric is a part of it, not the fabric */
	g->partial = 2 * hidden > found + away;
}
