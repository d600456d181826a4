/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What hosts get when all send at once and switches spread each flow evenly over their
 * choices: the patterns of bandwidth.c.  Every destination switch is followed twice, for all
 * patterns together: then each cable knows what is wanted of it, and each flow gets the mean
 * over its ways of what the most wanted cable of the way leaves it.
 *
 * O(2 x LIDs x switches + patterns x choices that flows have).  What is wanted is summed in
 * whole numbers, so that no result depends on who counts which.
 */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "analysis/routes/adaptive.h"
#include "analysis/routes/flows.h"
#include "analysis/routes/parallel.h"
#include "base/arena.h"

#define FLOWS_MAX   (1u << 20)   /* simulated: a second or so.  Of large fabrics fewer patterns */
#define LEAST       8            /* of each kind, however large */
#define LOAD_PARTS  (1u << 20)   /* of a tenth of Gb/s: 2^44 of them fit */
#define SHARE_PARTS (1ull << 30) /* of a share: 2^34 flows fit */
#define NO_SOURCE   UINT32_MAX

/*
 * struct spreading
 * @patterns: bisections, then shifts
 * @source: pattern * hosts + host: who sends to it, or NO_SOURCE
 * @load: pattern * cells + cell: what is wanted of a cable, in parts
 * @sum, @flows: by pattern: of shares, and of flows that arrive
 */
struct spreading {
	struct route_subnet *p;
	struct flow_net net;
	struct choice_ports ports;
	struct spreader *of_thread;
	unsigned int threads;
	size_t bisections, patterns, *by;
	uint32_t *first, *source;
	atomic_ullong *load, *sum, *flows;
	bool sharing; /* the second time */
};

/*
 * struct spreader - one thread
 * @in: by column: what comes there; @gets: what share it has from there on
 * @active: columns that something comes to, in order
 */
struct spreader {
	struct choices c;
	double *in, *gets;
	uint32_t *active;
	size_t num_active;
};

/* ---- one destination switch, one pattern ------------------------------------------------ */

static uint32_t wanted_rate(const struct spreading *w, uint32_t src, uint32_t dst)
{
	uint32_t a = w->net.wants[src], z = w->net.wants[dst];

	return a < z ? a : z;
}

/* Who sends to a destination; NO_SOURCE: nobody, or it may go round for ever. */
static uint32_t source_of(const struct spreading *w, const struct choices *c, size_t pattern,
                          const struct route_dest *dest)
{
	const struct route_host *host = &w->p->hosts[dest->host];
	uint32_t src = w->source[pattern * w->p->num_hosts + dest->host];
	uint8_t fate;

	if (src == NO_SOURCE || dest->lid != host->lid)
		return NO_SOURCE;
	fate = c->fate[w->p->hosts[src].sw];
	return fate & FATE_ARRIVES && !(fate & FATE_RING) ? src : NO_SOURCE;
}

/* Spreads what comes to a switch over its choices. */
static void spread_from(struct spreading *w, struct spreader *t, size_t pattern, uint32_t s)
{
	const struct choices *c = &t->c;
	unsigned int at = 0, port, n = ports_count(&c->links[s]);
	double each = n ? t->in[s] / n : 0;

	t->in[s] = 0;
	t->active[t->num_active++] = s;
	while (s != c->dest->sw && ports_next(&c->links[s], &at, &port)) {
		size_t cell = (size_t)s * w->p->width + port;

		t->in[choice_next(w->p, s, port)] += each;
		if (!w->sharing)
			atomic_fetch_add_explicit(&w->load[pattern * w->net.cells + cell],
			                          (uint64_t)(each * LOAD_PARTS + 0.5),
			                          memory_order_relaxed);
	}
}

/* The share that is left from each switch on, backwards. */
static void find_shares(const struct spreading *w, struct spreader *t, size_t pattern)
{
	const struct choices *c = &t->c;

	for (size_t i = t->num_active; i-- > 0;) {
		uint32_t s = t->active[i];
		unsigned int at = 0, port, n = ports_count(&c->links[s]);
		double sum = 0;

		while (ports_next(&c->links[s], &at, &port)) {
			size_t cell = (size_t)s * w->p->width + port;
			double left = t->gets[choice_next(w->p, s, port)];
			double load = (double)w->load[pattern * w->net.cells + cell] / LOAD_PARTS;
			double carries = w->net.carries[cell];

			sum += load * left > carries ? carries / load : left;
		}
		t->gets[s] = s == c->dest->sw ? 1 : n ? sum / n : 0;
	}
}

static void count_shares(struct spreading *w, const struct spreader *t, size_t pattern,
                         uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++) {
		const struct route_dest *dest = &w->p->dests[i];
		uint32_t src = source_of(w, &t->c, pattern, dest);

		if (src == NO_SOURCE)
			continue;
		w->flows[pattern]++;
		w->sum[pattern] += (uint64_t)(t->gets[w->p->hosts[src].sw] * (double)SHARE_PARTS +
		                              0.5);
	}
}

static void take_pattern(struct spreading *w, struct spreader *t, size_t pattern, uint32_t first,
                         uint32_t end)
{
	const struct choices *c = &t->c;
	bool any = false;

	t->num_active = 0;
	for (uint32_t i = first; i < end; i++) {
		const struct route_dest *dest = &w->p->dests[i];
		uint32_t src = source_of(w, c, pattern, dest);

		if (src == NO_SOURCE)
			continue;
		t->in[w->p->hosts[src].sw] += wanted_rate(w, src, dest->host);
		any = true;
	}
	for (uint32_t i = c->num_order; any && i-- > 0;)
		if (t->in[c->order[i]] > 0)
			spread_from(w, t, pattern, c->order[i]);
	if (!any || !w->sharing)
		return;
	find_shares(w, t, pattern);
	count_shares(w, t, pattern, first, end);
}

static void take_switch(void *ctx, unsigned int thread, size_t item)
{
	struct spreading *w = ctx;
	struct spreader *t = &w->of_thread[thread];
	uint32_t first = w->first[item], end = w->first[item + 1], next;

	for (; first < end; first = next) {
		choices_to(&t->c, &w->p->dests[first]);
		choices_follow(&t->c);
		for (next = first + 1; next < end && choices_to(&t->c, &w->p->dests[next]); next++)
			;
		for (size_t i = 0; i < w->patterns; i++)
			take_pattern(w, t, i, first, next);
	}
}

/* ---- all -------------------------------------------------------------------------------- */

static size_t fewer(size_t wanted, size_t hosts)
{
	size_t most = FLOWS_MAX / 2 / hosts;

	if (most < LEAST)
		most = LEAST;
	return wanted < most ? wanted : most;
}

static bool draw_patterns(struct spreading *w, struct arena *a)
{
	size_t hosts = w->p->num_hosts;
	struct flow *flow = arena_array(a, hosts + 1, sizeof(*flow));

	w->source = arena_array(a, w->patterns * hosts + 1, sizeof(*w->source));
	w->by = arena_array(a, w->patterns + 1, sizeof(*w->by));
	if (!flow || !w->source || !w->by)
		return false;
	memset(w->source, 0xff, w->patterns * hosts * sizeof(*w->source));
	patterns_draw_shifts(w->p, w->patterns - w->bisections, w->by);
	for (size_t i = 0; i < w->patterns; i++) {
		size_t n = i < w->bisections ? pattern_bisection(w->p, i, flow)
		                             : pattern_shift(w->p, w->by[i - w->bisections], flow);

		for (size_t k = 0; k < n; k++)
			w->source[i * hosts + flow[k].dst] = flow[k].src;
	}
	return true;
}

static bool start_spreading(struct spreading *w, struct arena *a)
{
	struct route_subnet *p = w->p;

	w->threads = parallel_threads(p->routes->opts.threads, p->num_senders);
	w->first = arena_array(a, p->n + 1u, sizeof(*w->first));
	w->of_thread = arena_array(a, w->threads, sizeof(*w->of_thread));
	w->sum = arena_array(a, w->patterns + 1, sizeof(*w->sum));
	w->flows = arena_array(a, w->patterns + 1, sizeof(*w->flows));
	if (!w->first || !w->of_thread || !w->sum || !w->flows || !draw_patterns(w, a) ||
	    !flow_net_make(&w->net, p, a) || !choice_ports_new(&w->ports, p, a))
		return false;
	w->load = arena_array(a, w->patterns * w->net.cells + 1, sizeof(*w->load));
	for (size_t i = 0; i < p->host_dests; i++)
		w->first[p->dests[i].sw + 1]++;
	for (uint32_t s = 0; s < p->n; s++)
		w->first[s + 1] += w->first[s];
	for (unsigned int i = 0; i < w->threads; i++) {
		struct spreader *t = &w->of_thread[i];

		t->in = arena_array(a, p->n + 1u, sizeof(*t->in));
		t->gets = arena_array(a, p->n + 1u, sizeof(*t->gets));
		t->active = arena_array(a, p->n + 1u, sizeof(*t->active));
		if (!t->in || !t->gets || !t->active || !choices_new(&t->c, p, &w->ports, a))
			return false;
	}
	return w->load;
}

/* Means over patterns in which anything arrives. */
static void sum_patterns(const struct spreading *w, size_t first, size_t end,
                         struct ibc_ar_patterns *out)
{
	double sum = 0, squares = 0;

	for (size_t i = first; i < end; i++) {
		double mean;

		if (!w->flows[i])
			continue;
		mean = (double)w->sum[i] / (double)SHARE_PARTS / (double)w->flows[i];
		sum += mean;
		squares += mean * mean;
		if (!out->num++ || mean < out->worst)
			out->worst = mean;
	}
	if (!out->num)
		return;
	out->mean = sum / out->num;
	squares -= out->mean * sum;
	if (out->num > 1 && squares > 0)
		out->error = sqrt(squares / (out->num - 1) / out->num);
}

bool routes_ar_bandwidth(struct route_subnet *p)
{
	const struct ibc_routes_opts *opts = &p->routes->opts;
	struct spreading w = { .p = p };
	const struct parallel job = { take_switch, &w, p->n };
	size_t shifts;

	if (!p->ar_sums || !p->ar_sums->followed || p->num_hosts < 2)
		return true;
	w.bisections = fewer(opts->bisections, p->num_hosts);
	shifts = fewer(opts->shifts < p->num_hosts - 1 ? opts->shifts : p->num_hosts - 1,
	               p->num_hosts);
	w.patterns = w.bisections + shifts;
	if (!w.patterns)
		return true;
	if (!start_spreading(&w, p->tmp))
		return false;
	parallel_run(&job, w.threads);
	w.sharing = true;
	parallel_run(&job, w.threads);
	sum_patterns(&w, 0, w.bisections, &p->ar_sums->bisections);
	sum_patterns(&w, w.bisections, w.patterns, &p->ar_sums->shifts);
	return true;
}
