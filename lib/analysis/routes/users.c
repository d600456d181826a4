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

const struct route_host *users_host(const struct route_subnet *p, const struct ibc_port *port)
{
	size_t column = port->peer && port->node->subnet == p->subnet
	                    ? fabric_column(p->lft->switches, p->n, port->peer->node)
	                    : SIZE_MAX;

	for (uint32_t h = column < p->n ? p->first_host[column] : UINT32_MAX;
	     column < p->n && h < p->first_host[column + 1]; h++)
		if (p->hosts[h].port == port)
			return &p->hosts[h];
	return NULL;
}

void users_new(struct lid_users *u, struct route_subnet *p)
{
	struct arena *a = p->routes->arena;

	*u = (struct lid_users){
		.p = p,
		.marked = arena_array(a, p->n + 1u, sizeof(*u->marked)),
		.columns = arena_array(a, p->n + 1u, sizeof(*u->columns)),
		.sends = arena_array(a, p->num_hosts + 1, sizeof(*u->sends)),
		.senders = arena_array(a, p->num_hosts + 1, sizeof(*u->senders)),
		.words = (p->n + 63) / 64,
	};
}

void users_mark(struct lid_users *u, const struct ibc_node *node, const struct ibc_port *port)
{
	const struct route_host *host = port ? users_host(u->p, port) : NULL;
	size_t column = node->type == IBC_NODE_SWITCH
	                    ? fabric_column(u->p->lft->switches, u->p->n, node)
	                    : SIZE_MAX;
	unsigned int num = port ? port->num : 0;

	if (host && !u->sends[host - u->p->hosts]) {
		u->sends[host - u->p->hosts] = true;
		u->senders[u->num_senders++] = (uint32_t)(host - u->p->hosts);
	}
	if (column >= u->p->n || (port && !num)) /* by a port 0 nothing leaves */
		return;
	if (!(u->marked[column][0] | u->marked[column][1] | u->marked[column][2] |
	      u->marked[column][3]))
		u->columns[u->num_columns++] = (uint32_t)column;
	u->marked[column][num / 64] |= 1ull << num % 64;
}

/* Does a switch send it that way itself? */
static bool leaves_by_marked(const struct lid_users *u, uint32_t column, unsigned int lid)
{
	uint8_t out;

	if (u->marked[column][0] & 1)
		return true;
	if (!route_has_row(u->p, lid) || lid > u->p->top[column])
		return false;
	out = route_row(u->p, lid)[column];
	return u->marked[column][out / 64] >> out % 64 & 1;
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

static void find_passes(struct lid_users *u)
{
	struct arena *a = u->p->routes->arena;
	uint32_t n = u->p->n;
	uint8_t *scratch = arena_alloc(a, n);

	u->passage = arena_alloc(a, n);
	u->passes = arena_array(a, u->num_lids + 1, u->words * sizeof(*u->passes));
	for (size_t i = 0; u->num_columns && i < u->num_lids; i++) {
		const uint8_t *row = route_entries(u->p, u->lids[i].lid, scratch);

		memset(u->passage, UNSEEN, n);
		for (size_t k = 0; k < u->num_columns; k++)
			if (leaves_by_marked(u, u->columns[k], u->lids[i].lid))
				u->passage[u->columns[k]] = PASSES;
		for (uint32_t k = 0; k < u->p->num_senders; k++) {
			uint32_t s = u->p->senders[k];

			mark_route(u, row, s);
			if (u->passage[s] == PASSES)
				u->passes[i * u->words + s / 64] |= 1ull << s % 64;
		}
	}
}

int64_t users_each(const struct lid_users *u, ibc_pair_fn fn, void *ctx)
{
	int64_t pairs = 0;

	for (size_t k = 0; k < u->p->num_hosts; k++) {
		const struct route_host *src = &u->p->hosts[u->order[k]];

		for (size_t i = 0; i < u->num_lids; i++) {
			const struct route_dest *dest = &u->lids[i];
			uint64_t set = u->passes[i * u->words + src->sw / 64];

			if (dest->host == u->order[k] ||
			    !(u->sends[u->order[k]] || set >> src->sw % 64 & 1))
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
	size_t n = p->num_hosts;

	u->order = arena_array(p->routes->arena, n + 1, sizeof(*u->order));
	for (uint32_t h = 0; h < n; h++)
		u->order[h] = h;
	if (n)
		qsort_r(u->order, n, sizeof(*u->order), by_node, p->hosts);
	u->lids = arena_array(p->routes->arena, p->host_dests + 1, sizeof(*u->lids));
	for (size_t i = 0; i < n; i++) {
		const struct route_host *host = &p->hosts[u->order[i]];

		for (unsigned int lid = host->lid; lid < host->lid + (1u << host->lmc); lid++) {
			bool any = u->num_senders;

			for (size_t k = 0; !any && k < u->num_columns; k++)
				any = leaves_by_marked(u, u->columns[k], lid);
			if (any)
				u->lids[u->num_lids++] = (struct route_dest){
					.host = u->order[i],
					.lid = (uint16_t)lid,
				};
		}
	}
	find_passes(u);
}

int64_t ibc_path_using(const struct ibc_port *port, ibc_pair_fn fn, void *ctx,
                       struct ibc_error *err)
{
	const struct ibc_subnet *subnet = port->node->subnet;
	struct ibc_routes routes = { .fab = subnet->fabric };
	struct route_subnet p = { .routes = &routes, .subnet = subnet, .lft = subnet->forwarding };
	struct lid_users u;
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
	users_new(&u, &p);
	users_mark(&u, port->node, port);
	users_find(&u);
	pairs = users_each(&u, fn, ctx);
	arena_free(arena);
	return pairs;
}
