/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/routes/users.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "fabric/build.h"
#include "fabric/fabric.h"

enum passage { UNSEEN, ON_THE_ROUTE, PASSES, PASSES_NOT };

static int by_node(const void *va, const void *vz, void *ctx)
{
	const struct route_host *hosts = ctx;
	const struct ibc_port *a = hosts[*(const uint32_t *)va].port;
	const struct ibc_port *z = hosts[*(const uint32_t *)vz].port;
	size_t x = node_order(a->node), y = node_order(z->node);

	return x == y ? a->num - z->num : (x > y) - (x < y);
}

/* Does the switch, or host, of the port send it there?  By a port 0 nothing leaves. */
static bool leaves_by_port(const struct lid_users *u, size_t column, unsigned int lid)
{
	if (column == SIZE_MAX || !u->port)
		return true;
	return u->port->num && route_has_row(u->p, lid) && lid <= u->p->top[column] &&
	       route_row(u->p, lid)[column] == u->port->num;
}

/* From a switch until what is known, and that holds for the whole route there. */
static void mark_route(struct lid_users *u, const uint8_t *row, uint32_t column)
{
	uint32_t next = next_hop_switch(column, 0);
	enum passage found = PASSES_NOT;

	while (next < HOP_SPECIAL && u->passage[next >> 8] == UNSEEN) {
		u->passage[next >> 8] = ON_THE_ROUTE;
		next = route_next(u->p, row, next >> 8);
	}
	if (next < HOP_SPECIAL && u->passage[next >> 8] == PASSES)
		found = PASSES;
	next = next_hop_switch(column, 0);
	while (next < HOP_SPECIAL && u->passage[next >> 8] == ON_THE_ROUTE) {
		u->passage[next >> 8] = (uint8_t)found;
		next = route_next(u->p, row, next >> 8);
	}
}

static void find_passes(struct lid_users *u, size_t column)
{
	struct arena *a = u->p->routes->arena;
	uint32_t n = u->p->n;
	uint8_t *scratch = arena_alloc(a, n);

	u->words = (n + 63) / 64;
	u->passage = arena_alloc(a, n);
	u->passes = arena_array(a, u->num_lids + 1, u->words * sizeof(*u->passes));
	for (size_t i = 0; i < u->num_lids; i++) {
		const uint8_t *row = route_entries(u->p, u->lids[i].lid, scratch);

		memset(u->passage, UNSEEN, n);
		u->passage[column] = PASSES;
		for (uint32_t k = 0; k < u->p->num_senders; k++) {
			uint32_t s = u->p->senders[k];

			mark_route(u, row, s);
			if (u->passage[s] == PASSES)
				u->passes[i * u->words + s / 64] |= 1ull << s % 64;
		}
	}
}

bool users_pass(const struct lid_users *u, size_t i, uint32_t column)
{
	return !u->passes || u->passes[i * u->words + column / 64] >> column % 64 & 1;
}

int64_t users_each(const struct lid_users *u, ibc_pair_fn fn, void *ctx)
{
	int64_t pairs = 0;

	for (size_t k = 0; k < u->p->num_hosts; k++) {
		const struct route_host *src = &u->p->hosts[u->order[k]];

		if (!u->passes && src->port != u->port)
			continue;
		for (size_t i = 0; i < u->num_lids; i++) {
			const struct route_dest *dest = &u->lids[i];

			if (dest->host == u->order[k] || !users_pass(u, i, src->sw))
				continue;
			if (fn)
				fn(ctx, src->port, u->p->hosts[dest->host].port, dest->lid);
			pairs++;
		}
	}
	return pairs;
}

void users_find(struct lid_users *u)
{
	const struct route_subnet *p = u->p;
	size_t column = SIZE_MAX, n = p->num_hosts;

	if (u->node->type == IBC_NODE_SWITCH)
		column = fabric_column(p->lft->switches, p->lft->num_switches, u->node);
	u->order = arena_array(p->routes->arena, n + 1, sizeof(*u->order));
	for (uint32_t h = 0; h < n; h++)
		u->order[h] = h;
	if (n)
		qsort_r(u->order, n, sizeof(*u->order), by_node, p->hosts);
	u->lids = arena_array(p->routes->arena, p->host_dests + 1, sizeof(*u->lids));
	for (size_t i = 0; i < n; i++) {
		const struct route_host *host = &p->hosts[u->order[i]];

		for (unsigned int lid = host->lid; lid < host->lid + (1u << host->lmc); lid++)
			if (leaves_by_port(u, column, lid))
				u->lids[u->num_lids++] = (struct route_dest){
					.host = u->order[i],
					.lid = (uint16_t)lid,
				};
	}
	if (u->node->type == IBC_NODE_SWITCH)
		find_passes(u, column);
}

int64_t ibc_path_using(const struct ibc_port *port, ibc_pair_fn fn, void *ctx,
                       struct ibc_error *err)
{
	const struct ibc_subnet *subnet = port->node->subnet;
	struct ibc_routes routes = { .fab = subnet->fabric };
	struct route_subnet p = { .routes = &routes, .subnet = subnet, .lft = subnet->forwarding };
	struct lid_users u = { .p = &p, .node = port->node, .port = port };
	struct arena *arena;
	int64_t pairs;

	if (!subnet->forwarding)
		return routes_no_tables(subnet, err);
	arena = arena_new();
	if (!arena || setjmp(*arena_entry(arena))) {
		arena_free(arena);
		return fail_nomem(err);
	}
	routes.arena = p.tmp = arena;
	routes_graph(&p);
	users_find(&u);
	pairs = users_each(&u, fn, ctx);
	arena_free(arena);
	return pairs;
}
