/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patterns of traffic: what hosts get when all send at once.  Effective bisection bandwidth
 * is that of T. Hoefler, T. Schneider, A. Lumsdaine, "Multistage switches are not
 * crossbars", Cluster 2008; shifts are what collective operations are made of (E. Zahavi,
 * "Fat-tree routing and node ordering providing contention free traffic", 2012).  Each
 * pattern is drawn from its own number, and what they give is summed in whole numbers or in
 * the order of patterns: the result does not depend on who simulates which.
 *
 * Each flow is followed through the tables, many side by side, since the entries of one route are
 * far apart in memory and each is known only after the one before.  Then each cable knows how often
 * it is wanted, and each flow gets what the most wanted cable of its route leaves it.  O(hops of
 * all flows + ports) a pattern.  Rates are whole numbers, so that a sum does not depend on the
 * order of its parts.
 */
#include <math.h>
#include <stdatomic.h>

#include "analysis/routes/routes.h"
#include "analysis/tree/speeds.h"
#include "base/arena.h"
#include "base/hash.h"

#define HOT_LINKS 16 /* listed: as many as a table can show on one screen; a guess */

#define ABREAST    32            /* flows that are followed side by side */
#define GBPS_PARTS 10            /* rates are counted in tenths of Gb/s: 54.5 is one */
#define ONE_FLOW   (1ull << 32)  /* above: how many flows; below: the sum of what they want */
#define WANTED     0xffffffffull /* the lower half */
#define NO_RATE    1             /* of all links, if the rate of none is known */

/* A cell of pairs of leaves: how many flows there were, and what they got, in parts of 1. */
#define CELL_FLOW  (1ull << 40)
#define CELL_PARTS 4096 /* of a share: good to 0.03 %, and 2^28 flows fit in a cell */

/* struct flow - hosts, and what share of the slower link it gets; 0: it does not arrive */
struct flow {
	uint32_t src, dst;
	float share;
};

/*
 * struct flows - the flows of one pattern, and sums over all that a thread has run; by cell, which
 * is column * width + port
 * @flow, @n: one a host at the most
 * @route, @on_route: the cells of flow i, from route[i * cells_max], and how many
 * @load: by cell: flows in the upper half, what they want in the lower
 * @times: by cell: how many times what it carries is wanted
 * @sum, @most: by cell: flows
 * @had: by host: it was an end of a flow that arrived
 */
struct flows {
	const struct patterns *t;
	struct flow *flow;
	size_t n;
	uint32_t *route;
	uint8_t *on_route;
	uint64_t *load;
	float *times;
	uint64_t *sum;
	uint32_t *most;
	uint8_t *had;
};

/*
 * struct patterns - those of a subnet: bisections, then shifts
 * @wants: by host: the rate of its link, in tenths of Gb/s
 * @carries: by cell: that of a cable between switches; 0: it is none
 * @cells_max: cells on a route, at the most
 * @flows: by thread
 * @mean: by pattern: share of the flows that arrive; negative: none does
 * @by: of each shift, by how many hosts
 * @leaves: by sender, then sender: a cell
 */
struct patterns {
	struct route_subnet *p;
	uint32_t *wants, *carries;
	size_t cells, cells_max;
	struct flows *flows;
	unsigned int threads;
	size_t bisections, shifts;
	double *mean;
	size_t *by;
	atomic_ullong *leaves;
};

/* ---- rates --------------------------------------------------------------------------------- */

static uint32_t in_parts(double gbps)
{
	return (uint32_t)(gbps * GBPS_PARTS + 0.5);
}

/* The unknown rates of n links; the fastest of those that are known, or least. */
static uint32_t fill_unknown(uint32_t *rate, size_t n, uint32_t least)
{
	for (size_t i = 0; i < n; i++)
		if (rate[i] > least)
			least = rate[i];
	for (size_t i = 0; i < n; i++)
		if (!rate[i])
			rate[i] = least;
	return least;
}

/* A link whose rate is not known is as fast as the fastest: it is not to be blamed. */
static void find_rates(struct patterns *t)
{
	const struct route_subnet *p = t->p;
	uint32_t fastest;

	t->wants = arena_array(p->tmp, p->num_hosts + 1, sizeof(*t->wants));
	t->carries = arena_array(p->tmp, t->cells + 1, sizeof(*t->carries));
	for (size_t h = 0; h < p->num_hosts; h++)
		t->wants[h] = in_parts(p->hosts[h].gbps);
	for (size_t i = 0; i < t->cells; i++)
		if (p->next_hop[i] < HOP_SPECIAL)
			t->carries[i] = in_parts(cable_gbps(ibc_node_port(
			    p->lft->switches[i / p->width], (unsigned int)(i % p->width))));
	fastest = fill_unknown(t->wants, p->num_hosts, NO_RATE);
	fill_unknown(t->carries, t->cells, fastest);
}

static void flows_new(struct flows *f, const struct patterns *t, struct arena *a)
{
	size_t hosts = t->p->num_hosts + 1, cells = t->cells + 1;

	*f = (struct flows){
		.t = t,
		.flow = arena_array(a, hosts, sizeof(*f->flow)),
		.route = arena_array(a, hosts, t->cells_max * sizeof(*f->route)),
		.on_route = arena_array(a, hosts, sizeof(*f->on_route)),
		.load = arena_array(a, cells, sizeof(*f->load)),
		.times = arena_array(a, cells, sizeof(*f->times)),
		.sum = arena_array(a, cells, sizeof(*f->sum)),
		.most = arena_array(a, cells, sizeof(*f->most)),
		.had = arena_array(a, hosts, sizeof(*f->had)),
	};
}

/* ---- drawing ------------------------------------------------------------------------------- */

/* splitmix64 (Steele, Lea, Flood 2014), each pattern from a place of its own. */
struct draws {
	uint64_t state;
};

static struct draws draws_new(uint64_t seed, uint64_t pattern)
{
	return (struct draws){ hash_mix(hash_mix(seed) + pattern) };
}

/* Below n (Lemire 2019, without the last grain of evenness: n is far below 2^32). */
static uint32_t draw_below(struct draws *d, uint32_t n)
{
	uint64_t z = hash_mix(d->state += 0x9e3779b97f4a7c15);

	return (uint32_t)((z >> 32) * n >> 32);
}

/* Of two random halves of the hosts one sends to the other, pair by pair. */
static size_t draw_bisection(const struct route_subnet *p, size_t item, struct flow *flow)
{
	struct draws d = draws_new(p->routes->opts.seed, item);
	uint32_t hosts = (uint32_t)p->num_hosts;

	for (uint32_t h = 0; h < hosts; h++) {
		uint32_t at = draw_below(&d, h + 1);

		flow[h].src = flow[at].src;
		flow[at].src = h;
	}
	for (size_t i = 0; i < hosts / 2; i++)
		flow[i].dst = flow[hosts / 2 + i].src;
	return hosts / 2;
}

static size_t make_shift(const struct route_subnet *p, size_t by, struct flow *flow)
{
	for (size_t h = 0; h < p->num_hosts; h++)
		flow[h] = (struct flow){
			.src = (uint32_t)h,
			.dst = (uint32_t)((h + by) % p->num_hosts),
		};
	return p->num_hosts;
}

/* Of equal parts of all that there are, one each. */
static void draw_shifts(const struct route_subnet *p, size_t n, size_t *by)
{
	struct draws d = draws_new(p->routes->opts.seed, UINT64_MAX);
	size_t all = p->num_hosts - 1;

	for (size_t i = 0; i < n; i++) {
		size_t first = i * all / n, end = (i + 1) * all / n;

		by[i] = 1 + first + draw_below(&d, (uint32_t)(end - first));
	}
}

/* ---- routes --------------------------------------------------------------------------------- */

/* struct flow_step - where a flow that is followed has got to */
struct flow_step {
	const uint8_t *row;
	const struct route_host *dst;
	size_t flow;
	uint32_t column;
};

static void add_flow_load(struct flows *f, size_t i)
{
	const uint32_t *route = &f->route[i * f->t->cells_max];
	uint32_t a = f->t->wants[f->flow[i].src], z = f->t->wants[f->flow[i].dst];
	uint64_t load = ONE_FLOW | (a < z ? a : z);

	for (unsigned int k = 0; k < f->on_route[i]; k++)
		f->load[route[k]] += load;
	f->flow[i].share = 1;
	f->had[f->flow[i].src] = f->had[f->flow[i].dst] = 1;
}

/* False: it has arrived, or ends elsewhere. */
static bool take_step(struct flows *f, struct flow_step *s)
{
	const struct route_subnet *p = f->t->p;
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
	if (next_hop >= HOP_SPECIAL || f->on_route[s->flow] == f->t->cells_max)
		return false;
	f->route[s->flow * f->t->cells_max + f->on_route[s->flow]++] = (uint32_t)cell;
	s->column = next_hop >> 8;
	__builtin_prefetch(&s->row[s->column]);
	return true;
}

/* The next flow to a LID that tables have; false: there is none. */
static bool start_flow(struct flows *f, size_t *next, struct flow_step *s)
{
	const struct route_subnet *p = f->t->p;

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
	for (size_t i = 0; i < f->t->cells; i++) {
		uint64_t load = f->load[i];
		uint32_t n = (uint32_t)(load / ONE_FLOW);

		f->load[i] = 0;
		f->times[i] = (float)((double)(load & WANTED) / f->t->carries[i]);
		f->sum[i] += n;
		f->most[i] = n > f->most[i] ? n : f->most[i];
	}
}

/* ---- simulating ----------------------------------------------------------------------------- */

/* What each flow gets that arrives. */
static double mean_share(const struct patterns *t, struct flows *f)
{
	const struct route_subnet *p = t->p;
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		const uint32_t *route = &f->route[i * t->cells_max];
		uint32_t from, to;
		float times = 1;

		if (f->flow[i].share <= 0)
			continue;
		for (unsigned int k = 0; k < f->on_route[i]; k++)
			times = f->times[route[k]] > times ? f->times[route[k]] : times;
		f->flow[i].share = 1 / times;
		sum += f->flow[i].share;
		n++;
		from = p->sender[p->hosts[f->flow[i].src].sw];
		to = p->sender[p->hosts[f->flow[i].dst].sw];
		if (from != to)
			atomic_fetch_add_explicit(
			    &t->leaves[(size_t)from * p->num_senders + to],
			    CELL_FLOW | (uint64_t)(f->flow[i].share * CELL_PARTS + 0.5f),
			    memory_order_relaxed);
	}
	return n ? sum / (double)n : -1;
}

static void simulate_pattern(void *ctx, unsigned int thread, size_t item)
{
	const struct patterns *t = ctx;
	struct flows *f = &t->flows[thread];

	if (item < t->bisections)
		f->n = draw_bisection(t->p, item, f->flow);
	else
		f->n = make_shift(t->p, t->by[item - t->bisections], f->flow);
	follow_all(f);
	weigh_cables(f);
	t->mean[item] = mean_share(t, f);
}

/* ---- figures -------------------------------------------------------------------------------- */

static void sum_bisections(const struct patterns *t, struct ibc_bandwidth *b)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < t->bisections; i++) {
		if (t->mean[i] < 0)
			continue;
		sum += t->mean[i];
		if (!b->bisections++ || t->mean[i] < b->worst)
			b->worst = t->mean[i];
	}
	if (!b->bisections)
		return;
	b->mean = sum / b->bisections;
	for (size_t i = 0; i < t->bisections; i++)
		if (t->mean[i] >= 0)
			squares += (t->mean[i] - b->mean) * (t->mean[i] - b->mean);
	if (b->bisections > 1)
		b->error = sqrt(squares / (b->bisections - 1) / b->bisections);
}

static void sum_shifts(const struct patterns *t, struct ibc_bandwidth *b)
{
	const double *mean = &t->mean[t->bisections];
	double sum = 0;

	for (size_t i = 0; i < t->shifts; i++) {
		if (mean[i] < 0)
			continue;
		sum += mean[i];
		if (b->shifts++ && mean[i] >= b->shift_worst)
			continue;
		b->shift_worst = mean[i];
		b->shift_worst_by = t->by[i];
	}
	if (b->shifts)
		b->shift_mean = sum / b->shifts;
}

static void find_lowest(const struct patterns *t, struct ibc_bandwidth *b)
{
	const struct route_subnet *p = t->p;
	size_t n = p->num_senders;

	for (size_t i = 0; i < n * n; i++) {
		uint64_t cell = atomic_load_explicit(&t->leaves[i], memory_order_relaxed);
		double share;

		if (!cell)
			continue;
		share = (double)(cell % CELL_FLOW) / CELL_PARTS / (double)(cell / CELL_FLOW);
		if (b->lowest_from && share >= b->lowest)
			continue;
		b->lowest = share;
		b->lowest_from = p->lft->switches[p->senders[i / n]];
		b->lowest_to = p->lft->switches[p->senders[i % n]];
	}
}

static bool is_hotter(const struct flows *f, size_t a, size_t z)
{
	return f->sum[a] != f->sum[z] ? f->sum[a] > f->sum[z] : f->most[a] > f->most[z];
}

static void put_hot_links(const struct patterns *t)
{
	struct route_subnet *p = t->p;
	unsigned int simulated = p->bandwidth.bisections + p->bandwidth.shifts;
	const struct flows *f = &t->flows[0];
	size_t hot[HOT_LINKS], n = 0, at;

	/* each is inserted into those that are hotter so far */
	for (size_t i = 0; i < t->cells; i++) {
		if (!f->sum[i] || (n == HOT_LINKS && !is_hotter(f, i, hot[n - 1])))
			continue;
		n += n < HOT_LINKS;
		for (at = n - 1; at && is_hotter(f, i, hot[at - 1]); at--)
			hot[at] = hot[at - 1];
		hot[at] = i;
	}
	p->hot = arena_array(p->routes->arena, HOT_LINKS, sizeof(*p->hot));
	for (size_t i = 0; i < n; i++)
		p->hot[i] = (struct ibc_hot_link){
			.port = ibc_node_port(p->lft->switches[hot[i] / p->width],
			                      (unsigned int)(hot[i] % p->width)),
			.mean = (double)f->sum[hot[i]] / simulated,
			.most = f->most[hot[i]],
		};
	p->num_hot = n;
}

/* ---- all of it ---------------------------------------------------------------------------- */

void routes_bandwidth(struct route_subnet *p)
{
	const struct ibc_routes_opts *opts = &p->routes->opts;
	struct patterns t = { .p = p,
		              .bisections = opts->bisections,
		              .shifts = opts->shifts,
		              .cells = (size_t)p->n * p->width,
		              .cells_max = p->sums.hops_longest };
	struct parallel job = { .run = simulate_pattern, .ctx = &t };
	struct arena *tmp = p->tmp;
	struct flows *all;

	if (t.shifts > p->num_hosts - 1)
		t.shifts = p->num_hosts - 1;
	job.items = t.bisections + t.shifts;
	/* of what goes nowhere there is no share */
	if (p->num_hosts < 2 || !p->sums.routed || !job.items)
		return;
	find_rates(&t);
	t.threads = parallel_threads(opts->threads, job.items);
	t.mean = arena_array(tmp, job.items + 1, sizeof(*t.mean));
	t.by = arena_array(tmp, t.shifts + 1, sizeof(*t.by));
	t.leaves = arena_array(tmp, (size_t)p->num_senders * p->num_senders + 1, sizeof(*t.leaves));
	t.flows = arena_array(tmp, t.threads, sizeof(*t.flows));
	for (unsigned int i = 0; i < t.threads; i++)
		flows_new(&t.flows[i], &t, tmp);
	draw_shifts(p, t.shifts, t.by);
	parallel_run(&job, t.threads);
	/* all that the threads have counted, at the first of them */
	all = &t.flows[0];
	for (unsigned int k = 1; k < t.threads; k++) {
		const struct flows *f = &t.flows[k];

		for (size_t i = 0; i < t.cells; i++) {
			all->sum[i] += f->sum[i];
			all->most[i] = f->most[i] > all->most[i] ? f->most[i] : all->most[i];
		}
		for (size_t h = 0; h < p->num_hosts; h++)
			all->had[h] |= f->had[h];
	}
	sum_bisections(&t, &p->bandwidth);
	sum_shifts(&t, &p->bandwidth);
	find_lowest(&t, &p->bandwidth);
	for (size_t h = 0; h < p->num_hosts; h++)
		p->bandwidth.hosts += all->had[h];
	put_hot_links(&t);
}
