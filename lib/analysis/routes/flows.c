/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/routes/flows.h"

#include "analysis/tree/speeds.h"
#include "base/arena.h"

#define ABREAST    32            /* flows that are followed side by side */
#define GBPS_PARTS 10            /* rates are counted in tenths of Gb/s: 54.5 is one */
#define ONE_FLOW   (1ull << 32)  /* above: how many flows; below: the sum of what they want */
#define WANTED     0xffffffffull /* the lower half */
#define NO_RATE    1             /* of all links, if the rate of none is known */

/* ---- rates --------------------------------------------------------------------------------- */

static uint32_t in_parts(double gbps)
{
	return (uint32_t)(gbps * GBPS_PARTS + 0.5);
}

static void fill_unknown(uint32_t *rate, size_t n, uint32_t unknown)
{
	for (size_t i = 0; i < n; i++)
		if (!rate[i])
			rate[i] = unknown;
}

static uint32_t highest_rate(const uint32_t *rate, size_t n, uint32_t least)
{
	for (size_t i = 0; i < n; i++)
		if (rate[i] > least)
			least = rate[i];
	return least;
}

/* A link whose rate was not told is as fast as the fastest: it is not to be blamed. */
static void find_rates(struct flow_net *net)
{
	const struct route_subnet *p = net->p;
	uint32_t fastest;

	for (size_t h = 0; h < p->num_hosts; h++)
		net->wants[h] = in_parts(p->hosts[h].gbps);
	for (size_t i = 0; i < net->cells; i++)
		if (p->next_hop[i] < HOP_SPECIAL)
			net->carries[i] = in_parts(cable_gbps(ibc_node_port(
			    p->lft->switches[i / p->width], (unsigned int)(i % p->width))));
	fastest = highest_rate(net->wants, p->num_hosts, NO_RATE);
	fill_unknown(net->wants, p->num_hosts, fastest);
	fastest = highest_rate(net->carries, net->cells, fastest);
	fill_unknown(net->carries, net->cells, fastest);
}

bool flow_net_make(struct flow_net *net, const struct route_subnet *p, struct arena *a)
{
	*net = (struct flow_net){
		.p = p,
		.wants = arena_array(a, p->num_hosts + 1, sizeof(*net->wants)),
		.carries = arena_array(a, (size_t)p->n * p->width + 1, sizeof(*net->carries)),
		.cells = (size_t)p->n * p->width,
		.cells_max = p->sums.hops_longest,
	};
	if (!net->wants || !net->carries)
		return false;
	find_rates(net);
	return true;
}

bool flows_new(struct flows *f, const struct flow_net *net, struct arena *a)
{
	size_t hosts = net->p->num_hosts + 1, cells = net->cells + 1;

	*f = (struct flows){
		.net = net,
		.flow = arena_array(a, hosts, sizeof(*f->flow)),
		.route = arena_array(a, hosts, net->cells_max * sizeof(*f->route)),
		.on_route = arena_array(a, hosts, sizeof(*f->on_route)),
		.load = arena_array(a, cells, sizeof(*f->load)),
		.times = arena_array(a, cells, sizeof(*f->times)),
		.sum = arena_array(a, cells, sizeof(*f->sum)),
		.most = arena_array(a, cells, sizeof(*f->most)),
		.had = arena_array(a, hosts, sizeof(*f->had)),
	};
	return f->flow && f->route && f->on_route && f->load && f->times && f->sum && f->most &&
	       f->had;
}

/* ---- ways ----------------------------------------------------------------------------------- */

/* struct flow_step - where a flow that is followed has got to */
struct flow_step {
	const uint8_t *row;
	const struct route_host *dst;
	size_t flow;
	uint32_t column;
};

static uint32_t wanted_rate(const struct flow_net *net, const struct flow *flow)
{
	uint32_t a = net->wants[flow->src], z = net->wants[flow->dst];

	return a < z ? a : z;
}

static void add_flow_load(struct flows *f, size_t i)
{
	const uint32_t *route = &f->route[i * f->net->cells_max];
	uint64_t load = ONE_FLOW | wanted_rate(f->net, &f->flow[i]);

	for (unsigned int k = 0; k < f->on_route[i]; k++)
		f->load[route[k]] += load;
	f->flow[i].share = 1;
	f->had[f->flow[i].src] = f->had[f->flow[i].dst] = 1;
}

/* False: it has arrived, or ends elsewhere. */
static bool take_step(struct flows *f, struct flow_step *s)
{
	const struct route_subnet *p = f->net->p;
	uint8_t out = s->dst->lid <= p->top[s->column] ? s->row[s->column] : IBC_NO_ENTRY;
	uint32_t next_hop;
	size_t cell;

	if (s->column == s->dst->sw && out == s->dst->in) {
		add_flow_load(f, s->flow);
		return false;
	}
	if (out >= p->width)
		return false;
	cell = (size_t)s->column * p->width + out;
	next_hop = p->next_hop[cell];
	if (next_hop >= HOP_SPECIAL || f->on_route[s->flow] == f->net->cells_max)
		return false;
	f->route[s->flow * f->net->cells_max + f->on_route[s->flow]++] = (uint32_t)cell;
	s->column = next_hop >> 8;
	__builtin_prefetch(&s->row[s->column]);
	return true;
}

/* The next flow to a LID that tables have; false: there is none. */
static bool start_flow(struct flows *f, size_t *next, struct flow_step *s)
{
	const struct route_subnet *p = f->net->p;

	while (*next < f->n) {
		struct flow *flow = &f->flow[*next];
		const struct route_host *dst = &p->hosts[flow->dst];

		flow->share = 0;
		f->on_route[*next] = 0;
		++*next;
		if (!route_has_row(p, dst->lid))
			continue;
		*s = (struct flow_step){
			.row = route_row(p, dst->lid),
			.dst = dst,
			.flow = *next - 1,
			.column = p->hosts[flow->src].sw,
		};
		__builtin_prefetch(&s->row[s->column]);
		return true;
	}
	return false;
}

static void follow_all(struct flows *f)
{
	struct flow_step steps[ABREAST];
	size_t next = 0, active = 0;

	while (active < ABREAST && start_flow(f, &next, &steps[active]))
		active++;
	while (active)
		for (size_t i = 0; i < active;)
			if (take_step(f, &steps[i]) || start_flow(f, &next, &steps[i]))
				i++;
			else
				steps[i] = steps[--active];
}

/* ---- shares ---------------------------------------------------------------------------------- */

static void weigh_cables(struct flows *f)
{
	for (size_t i = 0; i < f->net->cells; i++) {
		uint64_t load = f->load[i];
		uint32_t n = (uint32_t)(load / ONE_FLOW);

		f->load[i] = 0;
		f->times[i] = (float)((double)(load & WANTED) / f->net->carries[i]);
		f->sum[i] += n;
		f->most[i] = n > f->most[i] ? n : f->most[i];
	}
}

static void give_share(const struct flows *f, size_t i)
{
	const uint32_t *route = &f->route[i * f->net->cells_max];
	float times = 1;

	if (f->flow[i].share <= 0)
		return;
	for (unsigned int k = 0; k < f->on_route[i]; k++)
		times = f->times[route[k]] > times ? f->times[route[k]] : times;
	f->flow[i].share = 1 / times;
}

void flows_run(struct flows *f)
{
	follow_all(f);
	weigh_cables(f);
	for (size_t i = 0; i < f->n; i++)
		give_share(f, i);
}
