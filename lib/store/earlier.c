/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A state of version 0.3.0 has no memory of what is expected, but whole sweeps of other times
 * (keep.c): what runs of the last weeks saw and its last sweep has not was missing already.
 */
#include <stdlib.h>

#include "analysis/gone/gone.h"
#include "base/array.h"
#include "fabric/fabric.h"
#include "store/store.h"

/* struct sighting - of a device, or, with @cable, of a link, in so many runs */
struct sighting {
	struct gone_node node;
	struct gone_cable ends;
	bool cable;
	int64_t runs;
};

struct sightings {
	struct ibc_gone *gone;
	const struct ibc_fabric *before;
	struct sighting *all;
	size_t n, room;
};

static void add(struct sightings *s, struct sighting sighting)
{
	arena_grow(s->gone->arena, &s->all, s->n, &s->room, sizeof(sighting));
	s->all[s->n++] = sighting;
}

static struct gone_end own_end(struct ibc_gone *g, const struct ibc_port *port)
{
	struct gone_end end = gone_end_of(port);

	end.name = arena_strdup(g->arena, end.name);
	return end;
}

/* Of one sweep that is kept: its names go with it. */
static void add_sweep(struct ibc_store *store, const struct ibc_fabric *fab, int64_t from,
                      int64_t until, void *ctx)
{
	struct sightings *s = ctx;
	struct ibc_gone *g = s->gone;
	int64_t runs = sql_number(&store->sql,
	                          "SELECT count(*) FROM run WHERE begun BETWEEN ? AND ?", "ii",
	                          from, until - 1);
	time_t seen = sql_number(&store->sql, "SELECT max(begun) FROM run WHERE begun < ?", "i",
	                         until);
	const struct ibc_node *node;
	const struct ibc_port *port;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		if (!node->named_only && !ibc_fabric_node_by_guid(s->before, node->guid) &&
		    !ibc_fabric_node_by_guid(g->now, node->guid))
			add(s, (struct sighting){
				   .node = { .guid = node->guid,
			                     .type = node->type,
			                     .name = arena_strdup(g->arena, node->label),
			                     .host = node->host_name
			                                 ? arena_strdup(g->arena, node->host_name)
			                                 : NULL,
			                     .seen = seen,
			                     .earlier = true },
				   .runs = runs });
	for (size_t i = 0; (port = fabric_next_cable(fab, &i));)
		if (!port->node->named_only &&
		    !port_keeps_peer(port, fabric_same_port(s->before, port)) &&
		    !port_keeps_peer(port, fabric_same_port(g->now, port)))
			add(s, (struct sighting){ .ends = { .a = own_end(g, port),
			                                    .z = own_end(g, port->peer),
			                                    .seen = seen,
			                                    .earlier = true },
			                          .cable = true,
			                          .runs = runs });
}

/* By what was seen, the latest first. */
static int by_thing(const void *va, const void *vz)
{
	const struct sighting *a = va, *z = vz;

	return a->cable - z->cable ?: gone_by_guid(&a->node, &z->node)
	           ?: gone_by_ends(&a->ends, &z->ends);
}

static int by_thing_and_time(const void *va, const void *vz)
{
	const struct sighting *a = va, *z = vz;

	return by_thing(a, z)
	           ?: order_u64((uint64_t)z->node.seen + (uint64_t)z->ends.seen,
	                        (uint64_t)a->node.seen + (uint64_t)a->ends.seen);
}

void store_missing_earlier(struct ibc_store *store, const struct ibc_fabric *before,
                           struct ibc_gone *gone)
{
	struct sightings s = { .gone = gone, .before = before };

	store_each_kept(store, (int64_t)store->opts.now - store->expects.forget_seconds, add_sweep,
	                &s);
	if (s.n)
		qsort(s.all, s.n, sizeof(*s.all), by_thing_and_time);
	for (size_t i = 0, end; i < s.n; i = end) {
		int64_t runs = 0;

		for (end = i; end < s.n && !by_thing(&s.all[i], &s.all[end]); end++)
			runs += s.all[end].runs;
		if (runs < RUNS_TO_EXPECT)
			continue;
		if (s.all[i].cable)
			gone_add_cable(gone, s.all[i].ends);
		else
			gone_add_node(gone, s.all[i].node);
	}
}
