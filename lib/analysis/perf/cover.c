/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A flow over every cable between switches, both ways.  In each round every host that is still
 * free receives from that free host of its rail whose route to it has most cables that no flow
 * had yet; there are rounds until one adds nothing.  Since the tables send all packets for a
 * LID from a switch one way, one host of a switch stands for all.  O(LIDs of hosts x switches
 * that have hosts x hops) a round.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/perf/schedule.h"
#include "analysis/routes/routes.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "fabric/fabric.h"

/* struct end - of a host of the graph, what it is in the plan; @host NO_END: nothing */
struct end {
	uint32_t host;
	int rail;
};
#define NO_END UINT32_MAX

/*
 * struct cover - one subnet of the work
 * @known: by node: the host of the plan, or NO_END
 * @rails: by node: that of its first port
 * @ends: by host of @p; @taken: it has a flow in this round
 * @covered: by cell (column * width + port) of @p
 * @round: the one at hand, from 1
 */
struct cover {
	struct schedule *s;
	struct route_subnet *p;
	uint32_t *known;
	int *rails;
	struct end *ends;
	bool *taken, *covered;
	unsigned int round;
	const struct ibc_port **uncovered;
	size_t room;
};

/* ---- rails ------------------------------------------------------------------------------- */

/* As the kernel names devices; of those that have no names by GUID. */
static int by_device(const void *va, const void *vz)
{
	const struct ibc_node *const *a = va, *const *z = vz;

	return strverscmp((*a)->desc, (*z)->desc) ?: order_u64((*a)->guid, (*z)->guid);
}

static void know_hosts(struct cover *c)
{
	struct arena *a = c->s->arena;
	size_t nodes = ibc_fabric_count(c->s->opts->fab).nodes;
	const struct ibc_fabric_host **hosts = schedule_hosts(c->s);

	c->known = arena_array(a, nodes + 1, sizeof(*c->known));
	c->rails = arena_array(a, nodes + 1, sizeof(*c->rails));
	memset(c->known, 0xff, nodes * sizeof(*c->known)); /* NO_END */
	for (uint32_t i = 0; i < c->s->n; i++) {
		size_t n = hosts[i]->num_nodes;
		const struct ibc_node **sorted = arena_array(a, n, sizeof(*sorted));
		int rail = 0;

		memcpy(sorted, hosts[i]->nodes, n * sizeof(*sorted));
		qsort(sorted, n, sizeof(*sorted), by_device);
		for (size_t k = 0; k < n; k++) {
			c->known[node_order(sorted[k])] = i;
			c->rails[node_order(sorted[k])] = rail;
			rail += (int)sorted[k]->num_ports;
		}
	}
}

/* ---- flows --------------------------------------------------------------------------------- */

/* Cables on a way that no flow had; @mark: now they have.  A way that does not arrive has none. */
static unsigned int new_cables(struct cover *c, uint32_t from, const struct route_host *to,
                               bool mark)
{
	const struct route_subnet *p = c->p;
	const uint8_t *row = route_row(p, to->lid);
	unsigned int found = 0;

	for (uint32_t column = from, hops = 0; hops < p->n; hops++) {
		unsigned int out = to->lid <= p->top[column] ? row[column] : IBC_NO_ENTRY;
		size_t cell = (size_t)column * p->width + out;

		if (column == to->sw)
			return out == to->in ? found : 0;
		if (out >= p->width || p->next_hop[cell] >= HOP_SPECIAL)
			return 0;
		found += !c->covered[cell];
		c->covered[cell] |= mark;
		column = p->next_hop[cell] >> 8;
	}
	return 0;
}

/* One of a switch that may send to a host; NO_HOST: none. */
static uint32_t free_sender(const struct cover *c, uint32_t column, const struct end *to)
{
	for (uint32_t h = c->p->first_host[column]; h < c->p->first_host[column + 1]; h++)
		if (!c->taken[h] && c->ends[h].rail == to->rail && c->ends[h].host != NO_END &&
		    c->ends[h].host != to->host)
			return h;
	return NO_HOST;
}

/* The search begins at another switch each time: else the first ones would do all the work. */
static uint32_t best_sender(struct cover *c, uint32_t to)
{
	const struct route_subnet *p = c->p;
	unsigned int most = 0;
	uint32_t best = NO_HOST;

	for (uint32_t i = 0; i < p->num_senders; i++) {
		uint32_t column = p->senders[(to + c->round + i) % p->num_senders];
		unsigned int found = column == p->hosts[to].sw
		                         ? 0
		                         : new_cables(c, column, &p->hosts[to], false);
		uint32_t sender = found > most ? free_sender(c, column, &c->ends[to]) : NO_HOST;

		if (sender == NO_HOST)
			continue;
		best = sender;
		most = found;
	}
	return best;
}

/* False: no flow adds anything. */
static bool cover_round(struct cover *c)
{
	const struct route_subnet *p = c->p;
	bool any = false;

	memset(c->taken, 0, p->num_hosts * sizeof(*c->taken));
	for (uint32_t to = 0; to < p->num_hosts; to++) {
		uint32_t from = c->taken[to] || c->ends[to].host == NO_END ||
		                        !route_has_row(p, p->hosts[to].lid)
		                    ? NO_HOST
		                    : best_sender(c, to);

		if (from == NO_HOST)
			continue;
		any = true;
		new_cables(c, p->hosts[from].sw, &p->hosts[to], true);
		c->taken[from] = c->taken[to] = true;
		schedule_add(c->s, c->round, c->ends[to].host, c->ends[from].host, c->ends[to].rail,
		             c->ends[to].rail);
	}
	return any;
}

/* ---- all subnets --------------------------------------------------------------------------- */

void plan_cover(struct schedule *s)
{
	struct ibc_perf_plan *plan = &s->public;
	struct cover c = { .s = s };
	const struct ibc_subnet *subnet;

	if (!s->opts->fab)
		schedule_refuse(s,
		                fail(s->err, -EINVAL, "--cover-links needs --source, the fabric"));
	know_hosts(&c);
	for (size_t i = 0; (subnet = ibc_fabric_subnet(s->opts->fab, i)); i++) {
		struct ibc_routes routes = { .fab = subnet->fabric, .arena = s->arena };
		struct route_subnet p = { .routes = &routes,
			                  .subnet = subnet,
			                  .lft = subnet->forwarding,
			                  .tmp = s->arena };

		if (!subnet->forwarding)
			schedule_refuse(s, routes_no_tables(subnet, s->err));
		routes_graph(&p);
		c.p = &p;
		c.ends = arena_array(s->arena, p.num_hosts + 1, sizeof(*c.ends));
		c.taken = arena_alloc(s->arena, p.num_hosts + 1);
		c.covered = arena_alloc(s->arena, (size_t)p.n * p.width + 1);
		for (size_t h = 0; h < p.num_hosts; h++) {
			size_t node = node_order(p.hosts[h].port->node);

			c.ends[h].host = c.known[node];
			c.ends[h].rail = c.rails[node] + (int)p.hosts[h].port->num - 1;
		}
		for (c.round = 1; cover_round(&c);)
			c.round++;
		for (size_t cell = 0; cell < (size_t)p.n * p.width; cell++) {
			if (p.next_hop[cell] >= HOP_SPECIAL)
				continue;
			plan->links++;
			if (c.covered[cell])
				continue;
			arena_grow(s->arena, &c.uncovered, plan->num_uncovered, &c.room,
			           sizeof(*c.uncovered));
			c.uncovered[plan->num_uncovered++] = ibc_node_port(
			    p.lft->switches[cell / p.width], (unsigned int)(cell % p.width));
		}
		plan->uncovered = c.uncovered;
	}
}
