/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/routes/routes.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/trace.h"

/* In this order: each may use what those before it found. */
static const struct {
	void (*run)(struct route_subnet *p);
	const char *name;
} steps[] = {
	{ routes_graph, "graph" },
	{ routes_shortest, "shortest routes" },
	{ routes_trees, "multicast trees" },
	{ routes_service_levels, "service levels" },
	{ routes_channels, "channels" },
	{ routes_walk, "walk of all pairs" },
	{ routes_adaptive, "adaptive choices" },
	{ routes_loops, "credit loops" },
	{ routes_stale, "stale entries" },
	{ routes_uplinks, "uplinks" },
	{ routes_bandwidth, "bandwidth" },
};

static void analyze_subnet(struct ibc_routes *routes, struct route_subnet *p)
{
	const struct ibc_trace *trace = routes->opts.trace;

	for (size_t s = 0; s < ARRAY_SIZE(steps); s++) {
		TRACE(trace, IBC_TRACE_ROUTES, "%s: %s", p->subnet->source, steps[s].name);
		p->tmp = routes_step_arena(routes, &routes->tmp);
		steps[s].run(p);
		routes_free_step(routes);
	}
	TRACE(trace, IBC_TRACE_ROUTES,
	      "%s: %llu pairs, %llu routed, %llu broken, %llu unknown; %zu credit loops",
	      p->subnet->source, (unsigned long long)p->sums.pairs,
	      (unsigned long long)p->sums.routed, (unsigned long long)p->sums.broken,
	      (unsigned long long)p->sums.unknown, p->num_loops);
}

static void analyze_subnets(struct ibc_routes *routes)
{
	size_t room = ibc_fabric_count(routes->fab).subnets + 1;
	const struct ibc_subnet *subnet;

	routes->subnets = arena_array(routes->arena, room, sizeof(*routes->subnets));
	for (size_t i = 0; (subnet = ibc_fabric_subnet(routes->fab, i)); i++) {
		struct route_subnet *p = &routes->subnets[routes->num_subnets];

		if (!subnet->forwarding)
			continue;
		*p = (struct route_subnet){
			.routes = routes,
			.subnet = subnet,
			.lft = subnet->forwarding,
		};
		routes->num_subnets++;
		analyze_subnet(routes, p);
	}
}

int ibc_routes_analyze(const struct ibc_fabric *fab, const struct ibc_routes_opts *opts,
                       struct ibc_routes **out, struct ibc_error *err)
{
	struct ibc_routes *const routes = xalloc(sizeof(*routes));
	jmp_buf escape;

	*out = NULL;
	if (!routes)
		return fail_nomem(err);
	routes->fab = fab;
	routes->opts = opts ? *opts : IBC_ROUTES_OPTS_INIT;
	routes->escape = &escape;
	routes->arena = arena_new();
	if (!routes->arena || setjmp(escape)) {
		ibc_routes_free(routes);
		return fail_nomem(err);
	}
	arena_escape(routes->arena, &escape);
	analyze_subnets(routes);
	arena_escape(routes->arena, NULL);
	*out = routes;
	return 0;
}

void ibc_routes_free(struct ibc_routes *routes)
{
	if (!routes)
		return;
	routes_free_step(routes);
	arena_free(routes->arena);
	free(routes);
}

/* ---- walking the results --------------------------------------------------------------- */

const struct ibc_route_sums *ibc_routes_sums(const struct ibc_routes *routes, size_t i)
{
	return i < routes->num_subnets ? &routes->subnets[i].sums : NULL;
}

const struct ibc_bandwidth *ibc_routes_bandwidth(const struct ibc_routes *routes, size_t i)
{
	return i < routes->num_subnets ? &routes->subnets[i].bandwidth : NULL;
}

/* Element i of what the subnets have one after the other: an array, its length behind it. */
static const void *subnet_element(const struct ibc_routes *routes, size_t i, size_t list,
                                  size_t size)
{
	for (size_t k = 0; k < routes->num_subnets; k++) {
		const char *p = (const char *)&routes->subnets[k];
		const char *items = *(const char *const *)(p + list);
		size_t n = *(const size_t *)(p + list + sizeof(void *));

		if (i < n)
			return items + i * size;
		i -= n;
	}
	return NULL;
}

#define ELEMENTS(name, type, list)                                                                 \
	const struct type *ibc_routes_##name(const struct ibc_routes *routes, size_t i)            \
	{                                                                                          \
		return subnet_element(routes, i, offsetof(struct route_subnet, list),              \
		                      sizeof(struct type));                                        \
	}
ELEMENTS(fault, ibc_route_fault, faults)
ELEMENTS(stale, ibc_stale_entries, stale)
ELEMENTS(credit_loop, ibc_credit_loop, loops)
ELEMENTS(uplinks, ibc_uplinks, uplinks)
ELEMENTS(longer, ibc_longer_routes, longer)
ELEMENTS(hot_link, ibc_hot_link, hot)
ELEMENTS(multicast_fault, ibc_multicast_fault, trees)
ELEMENTS(multicast_group, ibc_multicast_group, groups)
ELEMENTS(ar_sums, ibc_ar_sums, ar_sums)
ELEMENTS(ar_dead_end, ibc_ar_dead_end, ar_dead_ends)
ELEMENTS(ar_loop, ibc_ar_loop, ar_loops)

/* ---- words ----------------------------------------------------------------------------- */

static const struct ibc_word sl_sources[] = {
	[IBC_SL_ASSUMED] = { "assumed", "assumed" },
	[IBC_SL_SAMPLED] = { "sampled", "sampled" },
	[IBC_SL_COMPLETE] = { "complete", "complete" },
	[IBC_SL_PARTIAL] = { "partial", "partial" },
};

static const struct ibc_word route_ends[] = {
	[IBC_ROUTE_ARRIVES] = { "arrives", "arrives" },
	[IBC_ROUTE_NO_ENTRY] = { "no_entry", "no entry" },
	[IBC_ROUTE_DOWN] = { "down", "port is down" },
	[IBC_ROUTE_NO_PORT] = { "no_port", "no such port" },
	[IBC_ROUTE_ELSEWHERE] = { "elsewhere", "arrives elsewhere" },
	[IBC_ROUTE_LOOP] = { "loop", "goes round" },
	[IBC_ROUTE_UNKNOWN] = { "unknown", "unknown" },
};

static const struct ibc_word loop_causes[] = {
	[IBC_LOOP_HOSTS] = { "hosts", "hosts" },
	[IBC_LOOP_UPPER_HOSTS] = { "upper_hosts", "hosts above the leaves" },
	[IBC_LOOP_SWITCH_PORTS] = { "switch_ports", "the switches' own ports" },
};

static const struct ibc_word tree_faults[] = {
	[IBC_TREE_CYCLE] = { "cycle", "goes round" },
	[IBC_TREE_CUT] = { "cut", "is cut into pieces" },
	[IBC_TREE_ONE_SIDED] = { "one_sided", "is one-sided" },
	[IBC_TREE_DOWN] = { "down", "port is down" },
	[IBC_TREE_MISSING] = { "missing", "misses a member" },
};

const struct ibc_word *ibc_sl_source_word(enum ibc_sl_source source)
{
	return &sl_sources[source];
}

const struct ibc_word *ibc_route_end_word(enum ibc_route_end end)
{
	return &route_ends[end];
}

const struct ibc_word *ibc_loop_cause_word(enum ibc_loop_cause cause)
{
	return &loop_causes[cause];
}

const struct ibc_word *ibc_tree_fault_word(enum ibc_tree_fault fault)
{
	return &tree_faults[fault];
}
