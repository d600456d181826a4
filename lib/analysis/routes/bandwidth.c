/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patterns of traffic: what hosts get when all send at once.  Effective bisection bandwidth
 * is that of T. Hoefler, T. Schneider, A. Lumsdaine, "Multistage switches are not
 * crossbars", Cluster 2008; shifts are what collective operations are made of (E. Zahavi,
 * "Fat-tree routing and node ordering providing contention free traffic", 2012).  Each
 * pattern is drawn from its own number, and what they give is summed in whole numbers or in
 * the order of patterns: the result does not depend on who simulates which.
 */
#include <math.h>
#include <stdatomic.h>

#include "analysis/routes/flows.h"
#include "analysis/routes/parallel.h"
#include "base/arena.h"
#include "base/hash.h"

#define HOT_LINKS 16 /* listed: as many as a table can show on one screen; a guess */

/* A cell of pairs of leaves: how many flows there were, and what they got, in parts of 1. */
#define CELL_FLOW  (1ull << 40)
#define CELL_PARTS 4096 /* of a share: good to 0.03 %, and 2^28 flows fit in a cell */

/*
 * struct patterns - those of a subnet: bisections, then shifts
 * @flows: by thread
 * @mean: by pattern: share of the flows that arrive; negative: none does
 * @by: of each shift, by how many hosts
 * @leaves: by sender, then sender: a cell
 */
struct patterns {
	struct route_subnet *p;
	struct flow_net net;
	struct flows *flows;
	unsigned int threads;
	size_t bisections, shifts;
	double *mean;
	size_t *by;
	atomic_ullong *leaves;
};

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
size_t pattern_bisection(const struct route_subnet *p, size_t item, struct flow *flow)
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

size_t pattern_shift(const struct route_subnet *p, size_t by, struct flow *flow)
{
	for (size_t h = 0; h < p->num_hosts; h++)
		flow[h] = (struct flow){
			.src = (uint32_t)h,
			.dst = (uint32_t)((h + by) % p->num_hosts),
		};
	return p->num_hosts;
}

/* Of equal parts of all that there are, one each. */
void patterns_draw_shifts(const struct route_subnet *p, size_t n, size_t *by)
{
	struct draws d = draws_new(p->routes->opts.seed, UINT64_MAX);
	size_t all = p->num_hosts - 1;

	for (size_t i = 0; i < n; i++) {
		size_t first = i * all / n, end = (i + 1) * all / n;

		by[i] = 1 + first + draw_below(&d, (uint32_t)(end - first));
	}
}

/* ---- simulating ----------------------------------------------------------------------------- */

static void add_to_leaves(const struct patterns *t, const struct flow *flow)
{
	const struct route_subnet *p = t->p;
	uint32_t from = p->sender[p->hosts[flow->src].sw], to = p->sender[p->hosts[flow->dst].sw];

	if (from != to)
		atomic_fetch_add_explicit(&t->leaves[(size_t)from * p->num_senders + to],
		                          CELL_FLOW | (uint64_t)(flow->share * CELL_PARTS + 0.5f),
		                          memory_order_relaxed);
}

static double mean_share(const struct patterns *t, const struct flows *f)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (f->flow[i].share <= 0)
			continue;
		sum += f->flow[i].share;
		n++;
		add_to_leaves(t, &f->flow[i]);
	}
	return n ? sum / (double)n : -1;
}

static void simulate_pattern(void *ctx, unsigned int thread, size_t item)
{
	const struct patterns *t = ctx;
	struct flows *f = &t->flows[thread];

	if (item < t->bisections)
		f->n = pattern_bisection(t->p, item, f->flow);
	else
		f->n = pattern_shift(t->p, t->by[item - t->bisections], f->flow);
	flows_run(f);
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

static void count_hosts_with_flows(const struct patterns *t, struct ibc_bandwidth *b)
{
	for (size_t h = 0; h < t->p->num_hosts; h++)
		b->hosts += t->flows[0].had[h];
}

/* All that the threads have counted, at the first of them. */
static void collect_flows(const struct patterns *t)
{
	struct flows *all = &t->flows[0];

	for (unsigned int k = 1; k < t->threads; k++) {
		const struct flows *f = &t->flows[k];

		for (size_t i = 0; i < t->net.cells; i++) {
			all->sum[i] += f->sum[i];
			all->most[i] = f->most[i] > all->most[i] ? f->most[i] : all->most[i];
		}
		for (size_t h = 0; h < t->p->num_hosts; h++)
			all->had[h] |= f->had[h];
	}
}

static bool is_hotter(const struct flows *f, size_t a, size_t z)
{
	return f->sum[a] != f->sum[z] ? f->sum[a] > f->sum[z] : f->most[a] > f->most[z];
}

/* Inserts each into those that are hotter so far. */
static size_t find_hottest(const struct patterns *t, size_t *hot)
{
	const struct flows *f = &t->flows[0];
	size_t n = 0, at;

	for (size_t i = 0; i < t->net.cells; i++) {
		if (!f->sum[i] || (n == HOT_LINKS && !is_hotter(f, i, hot[n - 1])))
			continue;
		n += n < HOT_LINKS;
		for (at = n - 1; at && is_hotter(f, i, hot[at - 1]); at--)
			hot[at] = hot[at - 1];
		hot[at] = i;
	}
	return n;
}

static bool put_hot_links(const struct patterns *t)
{
	struct route_subnet *p = t->p;
	unsigned int simulated = p->bandwidth.bisections + p->bandwidth.shifts;
	size_t hot[HOT_LINKS], n = find_hottest(t, hot);

	p->hot = arena_array(p->routes->arena, HOT_LINKS, sizeof(*p->hot));
	if (!p->hot)
		return false;
	for (size_t i = 0; i < n; i++)
		p->hot[i] = (struct ibc_hot_link){
			.port = ibc_node_port(p->lft->switches[hot[i] / p->width],
			                      (unsigned int)(hot[i] % p->width)),
			.mean = (double)t->flows[0].sum[hot[i]] / simulated,
			.most = t->flows[0].most[hot[i]],
		};
	p->num_hot = n;
	return true;
}

/* ---- all of it ---------------------------------------------------------------------------- */

static bool make_pattern_room(struct patterns *t, struct arena *tmp)
{
	size_t n = t->bisections + t->shifts;

	if (!flow_net_make(&t->net, t->p, tmp))
		return false;
	t->threads = parallel_threads(t->p->routes->opts.threads, n);
	t->mean = arena_array(tmp, n + 1, sizeof(*t->mean));
	t->by = arena_array(tmp, t->shifts + 1, sizeof(*t->by));
	t->leaves = arena_array(tmp, (size_t)t->p->num_senders * t->p->num_senders + 1,
	                        sizeof(*t->leaves));
	t->flows = arena_array(tmp, t->threads, sizeof(*t->flows));
	for (unsigned int i = 0; t->flows && i < t->threads; i++)
		if (!flows_new(&t->flows[i], &t->net, tmp))
			return false;
	return t->mean && t->by && t->leaves && t->flows;
}

bool routes_bandwidth(struct route_subnet *p)
{
	const struct ibc_routes_opts *opts = &p->routes->opts;
	struct patterns t = { .p = p, .bisections = opts->bisections, .shifts = opts->shifts };
	struct parallel job = { .run = simulate_pattern, .ctx = &t };

	if (t.shifts > p->num_hosts - 1)
		t.shifts = p->num_hosts - 1;
	job.items = t.bisections + t.shifts;
	/* of what goes nowhere there is no share */
	if (p->num_hosts < 2 || !p->sums.routed || !job.items)
		return true;
	if (!make_pattern_room(&t, p->tmp))
		return false;
	patterns_draw_shifts(p, t.shifts, t.by);
	parallel_run(&job, t.threads);
	collect_flows(&t);
	sum_bisections(&t, &p->bandwidth);
	sum_shifts(&t, &p->bandwidth);
	find_lowest(&t, &p->bandwidth);
	count_hosts_with_flows(&t, &p->bandwidth);
	return put_hot_links(&t);
}
