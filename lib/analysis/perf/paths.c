/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the hosts are in a fabric, and which route their data took: as the forwarding tables have
 * it, from the client to the server, of a read back, of both directions both.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/perf/hosts.h"
#include "analysis/perf/judge.h"
#include "base/arena.h"
#include "base/array.h"

/* ---- places ----------------------------------------------------------------------------- */

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

			if (!port->peer || !port->lid || port->peer->node->type != IBC_NODE_SWITCH)
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
	const struct ibc_node **leaves = arena_array(j->arena, j->out.results->num_ends + 1,
	                                             sizeof(*leaves));
	struct perf_hosts hosts;

	j->out.leaves = leaves;
	if (!j->opts.fab)
		return;
	hosts = perf_hosts_of(j->arena, j->opts.fab);
	for (size_t i = 0; i < j->out.results->num_ends; i++) {
		struct judge_end *e = &j->ends[i];
		const struct ibc_fabric_host *host = perf_host_named(&hosts, e->end->host);

		e->port = host ? port_of_end(host, e->end) : NULL;
		leaves[i] = e->leaf = e->port ? e->port->peer->node : NULL;
		j->out.unplaced += !e->port;
	}
}

/* ---- paths ---------------------------------------------------------------------------------- */

size_t judge_path_between(const struct judge_end *from, const struct judge_end *to,
                          struct perf_thing out[PATH_MAX_THINGS])
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

	return order_u64(a->node->guid, z->node->guid)
	           ?: order_u64((uintptr_t)a->node, (uintptr_t)z->node)
	           ?: order_u64(a->port ? a->port->num : 0, z->port ? z->port->num : 0)
	           ?: a->cable - z->cable;
}

/* Adds a path to the things, as they come; the result's steps are their places there. */
static void add_path(struct perf_judge *j, size_t result, const struct judge_end *from,
                     const struct judge_end *to)
{
	struct perf_thing path[PATH_MAX_THINGS];
	size_t n = judge_path_between(from, to, path);

	for (size_t i = 0; i < n; i++) {
		arena_grow(j->arena, &j->things, j->num_things, &j->things_room,
		           sizeof(*j->things));
		j->things[j->num_things++] = path[i];
	}
	j->paths[result].num += (uint32_t)n;
	j->v[result].hops = (unsigned int)(n / 3);
}

void judge_paths(struct perf_judge *j)
{
	struct perf_thing *once;
	size_t num = 0;

	for (size_t i = 0; i < j->out.results->num; i++) {
		const struct ibc_perf_result *r = &j->out.results->all[i];
		const struct judge_end *client = &j->ends[r->client], *server = &j->ends[r->server];
		bool reads = strstr(r->test, "read");

		j->paths[i].first = (uint32_t)j->num_things;
		if (r->status != IBC_PERF_MEASURED || j->opts.adaptive)
			continue;
		if (!reads || r->both_ways)
			add_path(j, i, client, server);
		if (reads || r->both_ways)
			add_path(j, i, server, client);
		j->out.has_routes |= j->paths[i].num > 0;
	}
	/* each thing once, and the steps of all paths its number */
	once = arena_array(j->arena, j->num_things + 1, sizeof(*once));
	j->steps = arena_array(j->arena, j->num_things + 1, sizeof(*j->steps));
	for (size_t i = 0; i < j->num_things; i++)
		once[i] = j->things[i];
	qsort(once, j->num_things, sizeof(*once), by_thing);
	for (size_t i = 0; i < j->num_things; i++)
		if (!i || by_thing(&once[num - 1], &once[i]) != 0)
			once[num++] = once[i];
	for (size_t i = 0; i < j->num_things; i++) {
		const struct perf_thing *found = bsearch(&j->things[i], once, num, sizeof(*once),
		                                         by_thing);

		j->steps[i] = (uint32_t)(found - once);
	}
	j->things = once;
	j->num_things = num;
}

/* ---- shared paths --------------------------------------------------------------------------- */

static int by_round(const struct ibc_perf_result *a, const struct ibc_perf_result *z)
{
	return order_u64(a->round, z->round) ?: strcmp(a->test, z->test);
}

/* The same pair once more in a round: the plan was run twice, and not both at once. */
static int by_flow(const void *va, const void *vz)
{
	const struct ibc_perf_verdict *const *a = va, *const *z = vz;
	const struct ibc_perf_result *ra = (*a)->result, *rz = (*z)->result;

	return by_round(ra, rz) ?: order_u64(ra->client, rz->client)
	    ?: order_u64(ra->server, rz->server);
}

/* Results of one round: how many use a thing, then what that leaves of it for each. */
static void share_round(struct perf_judge *j, struct ibc_perf_verdict **v, size_t n)
{
	for (int pass = 0; pass < 3; pass++)
		for (size_t i = 0; i < n; i++) {
			const struct judge_path *path = &j->paths[v[i] - j->v];
			bool again = i && !by_flow(&v[i - 1], &v[i]);

			for (uint32_t k = path->first; k < path->first + path->num; k++) {
				struct perf_thing *t = &j->things[j->steps[k]];
				double gbps = 0;

				t->fails = pass == 2 ? 0 : t->fails + (!pass && !again);
				if (pass != 1 || t->fails < 2 || t->cable || !t->port)
					continue;
				gbps = ibc_link_gbps((enum ibc_width)t->port->width_active,
				                     (enum ibc_speed)t->port->speed_active);
				/* a cable slower than a host is a fault: no reason to expect less
				 */
				if (gbps > 0 && gbps < v[i]->expected)
					gbps = v[i]->expected;
				if (gbps > 0 && (v[i]->share <= 0 || gbps / t->fails < v[i]->share))
					v[i]->share = gbps / t->fails;
			}
		}
}

void judge_shares(struct perf_judge *j)
{
	struct ibc_perf_verdict **all = arena_array(j->arena, j->out.results->num + 1,
	                                            sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < j->out.results->num; i++)
		if (judge_is_measured(j->v[i].result) && !j->v[i].result->latency)
			all[n++] = &j->v[i];
	qsort(all, n, sizeof(struct ibc_perf_verdict *), by_flow);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && !by_round(all[i]->result, all[end]->result);)
			end++;
		share_round(j, all + i, end - i);
	}
}
