/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the hosts are in a fabric, and which way their data went: as the forwarding tables have
 * it, from the client to the server, of a read back, of both directions both.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/perf/judge.h"
#include "base/arena.h"
#include "base/array.h"

/* ---- places ----------------------------------------------------------------------------- */

static int by_short_host(const char *a, const char *z)
{
	size_t x = strcspn(a, "."), y = strcspn(z, ".");
	int order = memcmp(a, z, x < y ? x : y);

	return order ? order : (x > y) - (x < y);
}

static int by_fabric_host(const void *va, const void *vz)
{
	const struct ibc_fabric_host *const *a = va, *const *z = vz;

	return by_short_host((*a)->name, (*z)->name);
}

static int name_to_host(const void *name, const void *host)
{
	const struct ibc_fabric_host *const *h = host;

	return by_short_host(name, (*h)->name);
}

static bool can_send(const struct ibc_port *port)
{
	return port->peer && port->lid && port->peer->node->type == IBC_NODE_SWITCH;
}

/* Is the device, "mlx5_0/1" or "mlx5_0", what a NodeDescription names, or its "HCA-1"? */
static bool is_device(const struct ibc_node *node, const char *device)
{
	size_t n = strcspn(device, "/");
	const char *digits = memchr(device, '_', n), *hca = strstr(node->desc, "HCA-");

	for (const char *at = node->desc; (at = strchr(at, device[0])); at++)
		if (!strncmp(at, device, n) && (!at[n] || at[n] == ' '))
			return true;
	return digits && hca && strtoul(hca + 4, NULL, 10) == strtoul(digits + 1, NULL, 10) + 1;
}

/* That of the device; of a rail by number the one in the order of the HCAs, if there are more. */
static const struct ibc_port *port_of_end(const struct ibc_fabric_host *host,
                                          const struct ibc_perf_end *end)
{
	const struct ibc_port *nth = NULL, *only = NULL;
	unsigned long rail = strtoul(end->rail, NULL, 10), i = 0, found = 0;
	const char *slash = end->device ? strchr(end->device, '/') : NULL;
	unsigned long num = slash ? strtoul(slash + 1, NULL, 10) : 0;

	for (size_t k = 0; k < host->num_nodes; k++)
		for (unsigned int p = 1; p <= host->nodes[k]->num_ports; p++) {
			const struct ibc_port *port = &host->nodes[k]->ports[p];

			if (!can_send(port))
				continue;
			if (end->device && is_device(host->nodes[k], end->device) &&
			    (!num || num == p))
				return port;
			nth = i++ == rail ? port : nth;
			only = port;
			found++;
		}
	return found == 1 ? only : nth;
}

void judge_places(struct perf_judge *j)
{
	size_t n = j->opts.fab ? ibc_fabric_count(j->opts.fab).hosts : 0;
	const struct ibc_fabric_host **sorted = arena_array(j->arena, n + 1, sizeof(*sorted));
	const struct ibc_node **leaves = arena_array(j->arena, j->out.results->num_ends + 1,
	                                             sizeof(*leaves));

	j->out.leaves = leaves;
	if (!sorted || !leaves)
		j->failed = true;
	if (j->failed || !j->opts.fab)
		return;
	for (size_t i = 0; i < n; i++)
		sorted[i] = ibc_fabric_host(j->opts.fab, i);
	qsort(sorted, n, sizeof(struct ibc_fabric_host *), by_fabric_host);
	for (size_t i = 0; i < j->out.results->num_ends; i++) {
		struct judge_end *e = &j->ends[i];
		const struct ibc_fabric_host *const *host = bsearch(
		    e->end->host, sorted, n, sizeof(struct ibc_fabric_host *), name_to_host);

		e->port = host ? port_of_end(*host, e->end) : NULL;
		leaves[i] = e->leaf = e->port ? e->port->peer->node : NULL;
		j->out.unplaced += !e->port;
	}
}

/* ---- ways ----------------------------------------------------------------------------------- */

size_t judge_way_between(const struct judge_end *from, const struct judge_end *to,
                         struct perf_thing out[WAY_MAX])
{
	struct ibc_path path;
	size_t n = 0;

	if (!from->port || !to->port || from->port->node->subnet != to->port->node->subnet ||
	    ibc_path_find(from->port, to->port->lid, &path, NULL) || path.end != IBC_ROUTE_ARRIVES)
		return 0;
	for (size_t i = 0; i < path.num; i++) {
		const struct ibc_port *port = path.out[i], *peer = port->peer;

		out[n++] = (struct perf_thing){ .port = port, .node = port->node };
		if (i)
			out[n++] = (struct perf_thing){ .node = port->node };
		if (peer && by_u64(&peer->node->guid, &port->node->guid) < 0)
			port = peer;
		out[n++] = (struct perf_thing){ .port = port, .node = port->node, .cable = true };
	}
	return n;
}

static int by_thing(const void *va, const void *vz)
{
	const struct perf_thing *a = va, *z = vz;
	int order = a->node == z->node ? 0 : order_u64(a->node->guid, z->node->guid);

	order = order ? order : order_u64((uintptr_t)a->node, (uintptr_t)z->node);
	order = order ? order : order_u64(a->port ? a->port->num : 0, z->port ? z->port->num : 0);
	return order ? order : a->cable - z->cable;
}

/* Adds a way to the things, as they come; the result's steps are their places there. */
static void add_way(struct perf_judge *j, size_t result, const struct judge_end *from,
                    const struct judge_end *to)
{
	struct perf_thing way[WAY_MAX];
	size_t n = judge_way_between(from, to, way);

	for (size_t i = 0; i < n; i++) {
		if (!arena_grow(j->arena, &j->things, j->num_things, &j->things_room,
		                sizeof(*j->things))) {
			j->failed = true;
			return;
		}
		j->things[j->num_things++] = way[i];
	}
	j->ways[result].num += (uint32_t)n;
	j->v[result].hops = (unsigned int)(n / 3);
}

/* Each thing once, and the steps of all ways its number. */
static void number_things(struct perf_judge *j)
{
	size_t n = j->num_things;
	struct perf_thing *all = arena_array(j->arena, n + 1, sizeof(*all));

	j->steps = arena_array(j->arena, n + 1, sizeof(*j->steps));
	if (!all || !j->steps) {
		j->failed = true;
		return;
	}
	for (size_t i = 0; i < n; i++)
		all[i] = j->things[i];
	if (n)
		qsort(all, n, sizeof(*all), by_thing);
	j->num_things = 0;
	for (size_t i = 0; i < n; i++)
		if (!i || by_thing(&all[j->num_things - 1], &all[i]) != 0)
			all[j->num_things++] = all[i];
	for (size_t i = 0; i < n; i++) {
		const struct perf_thing *found = bsearch(&j->things[i], all, j->num_things,
		                                         sizeof(*all), by_thing);

		j->steps[i] = (uint32_t)(found - all);
	}
	j->things = all;
}

static bool reads(const struct ibc_perf_result *r)
{
	return strstr(r->test, "read");
}

void judge_ways(struct perf_judge *j)
{
	for (size_t i = 0; !j->failed && i < j->out.results->num; i++) {
		const struct ibc_perf_result *r = &j->out.results->all[i];
		const struct judge_end *client = &j->ends[r->client], *server = &j->ends[r->server];

		j->ways[i].first = (uint32_t)j->num_things;
		if (r->status != IBC_PERF_MEASURED || j->opts.adaptive)
			continue;
		if (!reads(r) || r->both_ways)
			add_way(j, i, client, server);
		if (reads(r) || r->both_ways)
			add_way(j, i, server, client);
		j->out.has_routes = j->out.has_routes || j->ways[i].num;
	}
	number_things(j);
}

/* ---- shared ways ------------------------------------------------------------------------------
 */

static int by_round(const void *va, const void *vz)
{
	const struct ibc_perf_verdict *const *a = va, *const *z = vz;
	int order = order_u64((*a)->result->round, (*z)->result->round);

	return order ? order : strcmp((*a)->result->test, (*z)->result->test);
}

/* The same pair once more in a round: the plan was run twice, and not both at once. */
static int by_flow(const void *va, const void *vz)
{
	const struct ibc_perf_verdict *const *a = va, *const *z = vz;
	int order = by_round(va, vz);

	order = order ? order : order_u64((*a)->result->client, (*z)->result->client);
	return order ? order : order_u64((*a)->result->server, (*z)->result->server);
}

/* A cable that is slower than a host is a fault, and no reason to expect less. */
static double thing_gbps(const struct perf_thing *t, double reach)
{
	double gbps = !t->cable && t->port ? ibc_link_gbps((enum ibc_width)t->port->width_active,
	                                                   (enum ibc_speed)t->port->speed_active)
	                                   : 0;

	return gbps > 0 && gbps < reach ? reach : gbps;
}

/* Results of one round: how many use a thing, then what that leaves of it for each. */
static void share_round(struct perf_judge *j, struct ibc_perf_verdict **v, size_t n)
{
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < n; i++) {
			const struct judge_way *way = &j->ways[v[i] - j->v];
			double least = 0, reach = v[i]->expected;
			bool again = i && !by_flow(&v[i - 1], &v[i]);

			for (uint32_t k = way->first; k < way->first + way->num; k++) {
				struct perf_thing *t = &j->things[j->steps[k]];
				double part = t->fails ? thing_gbps(t, reach) / t->fails : 0;

				t->fails += !pass && !again;
				if (t->fails > 1 && part > 0 && (least <= 0 || part < least))
					least = part;
			}
			if (pass)
				v[i]->share = least;
		}
	for (size_t i = 0; i < n; i++) {
		const struct judge_way *way = &j->ways[v[i] - j->v];

		for (uint32_t k = way->first; k < way->first + way->num; k++)
			j->things[j->steps[k]].fails = 0;
	}
}

void judge_shares(struct perf_judge *j)
{
	struct ibc_perf_verdict **all = arena_array(j->arena, j->out.results->num + 1,
	                                            sizeof(*all));
	size_t n = 0, first = 0;

	if (!all) {
		j->failed = true;
		return;
	}
	for (size_t i = 0; i < j->out.results->num; i++)
		if (judge_is_measured(&j->v[i]) && !j->v[i].result->latency)
			all[n++] = &j->v[i];
	qsort(all, n, sizeof(struct ibc_perf_verdict *), by_flow);
	for (size_t i = 1; i <= n; i++) {
		if (i < n && !by_round(&all[first], &all[i]))
			continue;
		share_round(j, all + first, i - first);
		first = i;
	}
}
