/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is low: by what the slower of port and PCIe can carry, and by what like results reach.
 * Where the median itself is low, the measurement or all of the fabric is at fault, and what is
 * compared with is the median alone.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/perf/judge.h"
#include "base/arena.h"
#include "base/array.h"

#define ALLOWANCE      5   /* percent: both directions at once, and memory of GPUs, cost so much */
#define LATENCY_FACTOR 1.5 /* of the median at the same number of hops: beyond all jitter */
/* A read waits for the answer: NVIDIA's own suite allows 4.5 us where a write has 2.5. */
#define READ_FACTOR 1.8
/*
 * A flow that shares a cable gets its part of it if all send as fast as they can; what waits in
 * line for another cable takes some of that away: a guess.
 */
#define SHARE_KEPT 0.75

bool judge_is_open(const struct ibc_perf_verdict *v)
{
	return v->level > IBC_PERF_GOOD && v->cause == IBC_PERF_NO_CAUSE;
}

double judge_ratio(const struct ibc_perf_verdict *v)
{
	if (v->result->latency)
		return v->median / v->result->value;
	return v->result->value / (v->expected > 0 ? v->expected : v->median);
}

bool judge_is_measured(const struct ibc_perf_verdict *v)
{
	return v->result->status == IBC_PERF_MEASURED && !v->result->by_server;
}

static double least_known(double a, double z)
{
	return a > 0 && (z <= 0 || a < z) ? a : z;
}

double judge_expected_of(const struct ibc_perf_results *r, const struct ibc_perf_result *result)
{
	const struct ibc_perf_end *a = &r->ends[result->client], *z = &r->ends[result->server];
	double gbps = least_known(least_known(a->rate_gbps, a->pcie_gbps),
	                          least_known(z->rate_gbps, z->pcie_gbps));

	gbps = result->clients > 1 ? gbps / result->clients : gbps;
	return result->latency ? 0 : gbps * (result->both_ways ? 2 : 1);
}

int judge_by_test(const struct ibc_perf_result *a, const struct ibc_perf_result *z)
{
	int order = a->test == z->test ? 0 : strcmp(a->test, z->test);

	order = order ? order : a->latency - z->latency;
	order = order ? order : a->both_ways - z->both_ways;
	return order ? order : a->gpu - z->gpu;
}

/* Like results stand together, and within them the values in order. */
static int by_kind(const void *va, const void *vz)
{
	const struct ibc_perf_verdict *const *a = va, *const *z = vz;
	const struct ibc_perf_result *ra = (*a)->result, *rz = (*z)->result;
	int order = judge_by_test(ra, rz);

	order = order ? order
	              : ((*a)->expected > (*z)->expected) - ((*a)->expected < (*z)->expected);
	return order ? order : (ra->latency ? order_u64((*a)->hops, (*z)->hops) : 0);
}

static int by_kind_and_value(const void *va, const void *vz)
{
	const struct ibc_perf_verdict *const *a = va, *const *z = vz;
	int order = by_kind(va, vz);

	if (order)
		return order;
	return ((*a)->result->value > (*z)->result->value) -
	       ((*a)->result->value < (*z)->result->value);
}

void judge_expected(struct perf_judge *j)
{
	for (size_t i = 0; i < j->out.results->num; i++)
		j->v[i].expected = judge_expected_of(j->out.results, &j->out.results->all[i]);
}

/* ---- one result ------------------------------------------------------------------------- */

static double allowance(const struct perf_judge *j, const struct ibc_perf_result *r)
{
	return (r->both_ways ? ALLOWANCE : 0) + (r->gpu || j->opts.gpu ? ALLOWANCE : 0);
}

static enum ibc_perf_level level_of_share(const struct perf_judge *j, double percent, double allow)
{
	if (percent < 100 - j->opts.poor - allow)
		return IBC_PERF_POOR;
	return percent < 100 - j->opts.low - allow ? IBC_PERF_LOW : IBC_PERF_GOOD;
}

static enum ibc_perf_level level_of_latency(const struct perf_judge *j,
                                            const struct ibc_perf_verdict *v, size_t alike)
{
	double limit = j->opts.latency_us;

	if (strstr(v->result->test, "read"))
		limit *= READ_FACTOR;
	if (v->result->value > limit)
		return IBC_PERF_LOW;
	if (v->hops && alike >= LIKE_MIN && v->result->value > LATENCY_FACTOR * v->median)
		return IBC_PERF_LOW;
	return IBC_PERF_GOOD;
}

static void set_level(const struct perf_judge *j, struct ibc_perf_verdict *v,
                      const struct ibc_perf_group *g)
{
	const struct ibc_perf_result *r = v->result;

	v->median = g->median;
	if (r->latency) {
		v->level = level_of_latency(j, v, g->num);
		return;
	}
	if (v->expected <= 0 && g->num < LIKE_MIN)
		return;
	v->level = IBC_PERF_GOOD;
	if (v->expected > 0 && !g->slow)
		v->level = level_of_share(j, 100 * r->value / v->expected, allowance(j, r));
	if (v->level == IBC_PERF_GOOD && g->num >= LIKE_MIN &&
	    r->value < g->median * (1 - j->opts.outlier / 100))
		v->level = IBC_PERF_LOW;
}

/* ---- groups ------------------------------------------------------------------------------- */

static int by_real(const void *va, const void *vz)
{
	const double *a = va, *z = vz;

	return (*a > *z) - (*a < *z);
}

static double better(const struct ibc_perf_result *r, double best)
{
	if (best <= 0)
		return r->value;
	return (r->latency ? r->value < best : r->value > best) ? r->value : best;
}

/* Others left it less than it could have had. */
static bool is_cut(const struct ibc_perf_verdict *v)
{
	return v->share > 0 && (v->expected <= 0 || v->share < v->expected);
}

/*
 * The median of what each end reached at best, where its way was its own if that was ever so:
 * pairs that are measured again since they are slow weigh no more than others.
 */
static double median_best(struct ibc_perf_verdict **v, size_t n, double *best, double *sorted)
{
	size_t num = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < n; i++) {
			const struct ibc_perf_result *r = v[i]->result;
			double *client = &best[r->client], *server = &best[r->server];

			if (!pass && !is_cut(v[i])) {
				*client = better(r, *client);
				*server = better(r, *server);
			}
			if (pass && *client > 0)
				sorted[num++] = *client;
			*client = pass ? 0 : *client;
			if (pass && *server > 0)
				sorted[num++] = *server;
			*server = pass ? 0 : *server;
		}
	if (!num)
		return v[n / 2]->result->value;
	qsort(sorted, num, sizeof(*sorted), by_real);
	return sorted[num / 2];
}

/* @best, @sorted: by end, zero, and room for two of each result */
static void take_group(struct perf_judge *j, struct ibc_perf_verdict **v, size_t n, double *best,
                       double *sorted)
{
	struct ibc_perf_group *g = &j->groups[j->out.num_groups++];
	const struct ibc_perf_result *r = v[0]->result;

	*g = (struct ibc_perf_group){ .example = v[0], .num = n };
	g->median = median_best(v, n, best, sorted);
	if (n >= LIKE_MIN && v[0]->expected > 0) {
		enum ibc_perf_level level = level_of_share(j, 100 * g->median / v[0]->expected,
		                                           allowance(j, r));

		g->slow = level > IBC_PERF_GOOD ? level : IBC_PERF_UNJUDGED;
	}
	for (size_t i = 0; i < n; i++) {
		set_level(j, v[i], g);
		if (v[i]->level == IBC_PERF_GOOD) {
			j->ends[v[i]->result->client].good[r->latency] = true;
			j->ends[v[i]->result->server].good[r->latency] = true;
		}
	}
}

void judge_levels(struct perf_judge *j)
{
	const struct ibc_perf_results *r = j->out.results;
	struct ibc_perf_verdict **sorted = arena_array(j->arena, r->num + 1, sizeof(*sorted));
	double *best = arena_array(j->arena, r->num_ends + 1, sizeof(*best));
	double *values = arena_array(j->arena, 2 * r->num + 1, sizeof(*values));
	size_t n = 0, first = 0;

	j->groups = arena_array(j->arena, r->num + 1, sizeof(*j->groups));
	if (!sorted || !best || !values || !j->groups) {
		j->failed = true;
		return;
	}
	for (size_t i = 0; i < r->num; i++) {
		if (judge_is_measured(&j->v[i]))
			sorted[n++] = &j->v[i];
	}
	qsort(sorted, n, sizeof(struct ibc_perf_verdict *), by_kind_and_value);
	for (size_t i = 1; i <= n; i++) {
		if (i < n && !by_kind(&sorted[first], &sorted[i]))
			continue;
		take_group(j, sorted + first, i - first, best, values);
		first = i;
	}
	j->out.groups = j->groups;
}

void judge_shared(struct perf_judge *j)
{
	for (size_t i = 0; i < j->out.results->num; i++) {
		struct ibc_perf_verdict *v = &j->v[i];

		if (!judge_is_open(v) || !is_cut(v) || v->result->value < SHARE_KEPT * v->share)
			continue;
		v->cause = IBC_PERF_SHARED;
		j->out.shared++;
	}
}
