/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hosts by their adapters, where most have several on different switches: rails.  Hosts with the
 * same adapters on the same switches are one row; a host that is cabled otherwise, and one
 * that a finding names, has a row of its own.  O(n log n) of the cables of hosts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/nodename.h"
#include "draw/matrix.h"
#include "fabric/fabric.h"

#define ROWS_MAX  128 /* more kinds of hosts than these are no rails */
#define RAILS_MAX 64  /* names of adapters, and ports of them */

/* struct rail - @near: of the switch, @adapter: "mlx5_0" */
struct rail {
	const struct ibc_port *near;
	const char *adapter;
};

/* struct rail_host - @named: a finding is about it */
struct rail_host {
	const char *name;
	struct rail *rails;
	uint32_t num;
	bool named;
};

/* struct rail_row - hosts from @first, @num of them */
struct rail_row {
	const struct rail_host *first;
	size_t num;
};

struct railing {
	struct ibc_matrix *m;
	struct rail *rails;
	struct rail_host *hosts;
	struct rail_row rows[ROWS_MAX];
	size_t num_hosts, all_hosts;
	uint32_t num_rows;
	bool *named; /* by node */
	struct matrix_parts parts;
	bool too_many;
};

/* ---- hosts -------------------------------------------------------------------------- */

static int by_adapter(const void *x, const void *z)
{
	const struct rail *a = x, *b = z;

	return strverscmp(a->adapter, b->adapter)
	    ?: order_u64(a->near->peer->num, b->near->peer->num)
	    ?: strverscmp(a->near->node->label, b->near->node->label)
	    ?: order_u64(node_order(a->near->node), node_order(b->near->node));
}

/* Hosts of one row are equal; the named ones come last, and are like no other. */
static int by_rails(const void *x, const void *z)
{
	const struct rail_host *a = x, *b = z;
	int order = order_u64(a->named, b->named) ?: order_u64(a->num, b->num);

	for (uint32_t i = 0; !order && i < a->num; i++)
		order = by_adapter(&a->rails[i], &b->rails[i]);
	return order;
}

static int by_rails_and_name(const void *x, const void *z)
{
	const struct rail_host *a = x, *b = z;

	return by_rails(a, b) ?: strverscmp(a->name, b->name);
}

static void add_rail_host(struct railing *r, const struct ibc_fabric_host *from)
{
	struct rail_host *host = &r->hosts[r->num_hosts];
	const struct ibc_port *p;
	bool several = false;

	*host = (struct rail_host){ .name = from->name, .rails = r->rails };
	for (size_t i = 0; i < from->num_nodes; i++) {
		/* what it is called inside its host: the last word */
		const char *space = strrchr(from->nodes[i]->desc, ' ');
		const char *adapter = space && is_hca_name(space + 1) ? space + 1 : "HCA";

		host->named |= r->named[node_order(from->nodes[i])];
		for (unsigned int num = 1; (p = ibc_node_port(from->nodes[i], num)); num++) {
			if (!p->peer || switch_number(r->m->sw, p->peer->node) == NO_SWITCH)
				continue;
			host->rails[host->num++] = (struct rail){ p->peer, adapter };
			several |= p->peer->node != host->rails[0].near->node;
		}
	}
	r->all_hosts += host->num > 0;
	if (!several)
		return;
	qsort(host->rails, host->num, sizeof(*host->rails), by_adapter);
	r->num_hosts++;
	r->rails += host->num;
}

static void collect_rail_hosts(struct railing *r)
{
	struct ibc_fabric_counts n = ibc_fabric_count(r->m->fab);
	const struct ibc_fabric_host *host;

	r->rails = arena_array(r->m->arena, n.ports + 1, sizeof(*r->rails));
	r->hosts = arena_array(r->m->arena, n.hosts + 1, sizeof(*r->hosts));
	r->named = arena_array(r->m->arena, n.nodes + 1, sizeof(*r->named));
	for (size_t i = 0; i < r->m->events.n; i++)
		if (r->m->events.all[i].host)
			r->named[node_order(r->m->events.all[i].host)] = true;
	for (size_t i = 0; (host = ibc_fabric_host(r->m->fab, i)); i++)
		add_rail_host(r, host);
	qsort(r->hosts, r->num_hosts, sizeof(*r->hosts), by_rails_and_name);
}

/* ---- rows and columns ------------------------------------------------------------------ */

static int by_first_host(const void *x, const void *z)
{
	const struct rail_row *a = x, *b = z;

	return strverscmp(a->first->name, b->first->name);
}

static void make_rail_rows(struct railing *r)
{
	for (size_t i = 0, end; i < r->num_hosts; i = end) {
		const struct rail_host *first = &r->hosts[i];

		for (end = i + 1;
		     end < r->num_hosts && !first->named && !by_rails(first, &r->hosts[end]);)
			end++;
		r->too_many |= r->num_rows == ROWS_MAX;
		if (r->too_many)
			return;
		r->rows[r->num_rows++] = (struct rail_row){ first, end - i };
	}
	qsort(r->rows, r->num_rows, sizeof(*r->rows), by_first_host);
}

/* The column of an adapter's port, "mlx5_0", or "mlx5_0/2" of the second one. */
static uint32_t rail_column(struct railing *r, struct matrix_tile *tile, const struct rail *rail)
{
	unsigned int num = rail->near->peer->num;
	const char *name = num == 1 ? rail->adapter
	                            : arena_printf(r->m->arena, "%s/%u", rail->adapter, num);
	uint32_t i = 0;

	while (i < tile->num_cols && strcmp(tile->cols[i].name, name) != 0)
		i++;
	r->too_many |= i == RAILS_MAX;
	if (i == tile->num_cols && i < RAILS_MAX)
		tile->cols[tile->num_cols++] = (struct matrix_line){ .name = name };
	return i;
}

static void add_rail(struct railing *r, struct matrix_tile *tile, const struct rail *rail,
                     bool named)
{
	struct matrix_part part = { .row = tile->num_rows, .col = rail_column(r, tile, rail) };
	uint32_t s = switch_number(r->m->sw, rail->near->node);

	for (size_t i = 0; named && i < r->m->events.n; i++) {
		part.event = &r->m->events.all[i];
		if (part.event->host == rail->near->peer->node && part.event->sw == s)
			parts_add(r->m->arena, &r->parts, &part);
	}
	part.event = NULL;
	part.ports = &rail->near;
	part.num_ports = 1;
	parts_add(r->m->arena, &r->parts, &part);
}

static void fill_rails(struct railing *r, struct matrix_tile *tile)
{
	tile->rows = arena_array(r->m->arena, ROWS_MAX, sizeof(*tile->rows));
	tile->cols = arena_array(r->m->arena, RAILS_MAX, sizeof(*tile->cols));
	for (uint32_t i = 0; i < r->num_rows && !r->too_many; i++) {
		const struct rail_row *row = &r->rows[i];

		for (size_t h = 0; h < row->num; h++)
			for (uint32_t k = 0; k < row->first[h].num; k++)
				add_rail(r, tile, &row->first[h].rails[k], row->first->named);
		tile->rows[tile->num_rows++].name =
		    row->num == 1 ? row->first->name
				  : arena_printf(r->m->arena, "%s .. %s", row->first->name,
		                                 row->first[row->num - 1].name);
	}
	if (!r->too_many)
		matrix_cells(r->m, tile, &r->parts);
}

void matrix_rails(struct ibc_matrix *m)
{
	struct matrix_tile *tile = &m->tiles[m->num_tiles];
	struct railing *r = arena_alloc(m->arena, sizeof(*r));

	r->m = m;
	collect_rail_hosts(r);
	if (r->num_hosts < 2 || r->num_hosts * 2 < r->all_hosts)
		return;
	make_rail_rows(r);
	*tile = (struct matrix_tile){ .what = "hosts to rails",
		                      .name = "by the switches they are cabled to",
		                      .rank = UINT32_MAX,
		                      .alike = 1,
		                      .overview = true,
		                      .rails = true };
	if (!r->too_many)
		fill_rails(r, tile);
	m->num_tiles += !r->too_many;
}
