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

bool judge_is_measured(const struct ibc_perf_result *r)
{
	return r->status == IBC_PERF_MEASURED && !r->by_server;
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
	return (a->test == z->test ? 0 : strcmp(a->test, z->test))
	    ?: a->latency - z->latency ?: a->both_ways - z->both_ways ?: a->gpu - z->gpu;
}

static int by_real(const void *va, const void *vz)
{
	const double *a = va, *z = vz;

	return (*a > *z) - (*a < *z);
}

double judge_median(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), by_real);
	return values[n / 2];
}

/* Like results stand together. */
static int by_kind(const void *va, const void *vz)
{
	const struct ibc_perf_verdict *const *a = va, *const *z = vz;

	return judge_by_test((*a)->result, (*z)->result)
	    ?: by_real(&(*a)->expected, &(*z)->expected)
	           ?: ((*a)->result->latency ? order_u64((*a)->hops, (*z)->hops) : 0);
}

/* ---- one result ------------------------------------------------------------------------- */

static enum ibc_perf_level level_of_share(const struct perf_judge *j,
                                          const struct ibc_perf_result *r, double percent)
{
	double allow = (r->both_ways ? ALLOWANCE : 0) + (r->gpu || j->opts.gpu ? ALLOWANCE : 0);

	if (percent < 100 - j->opts.poor - allow)
		return IBC_PERF_POOR;
	return percent < 100 - j->opts.low - allow ? IBC_PERF_LOW : IBC_PERF_GOOD;
}

/* Others left it less than it could have had. */
static bool is_cut(const struct ibc_perf_verdict *v)
{
	return v->share > 0 && (v->expected <= 0 || v->share < v->expected);
}

static void set_level(struct perf_judge *j, struct ibc_perf_verdict *v,
                      const struct ibc_perf_group *g)
{
	const struct ibc_perf_result *r = v->result;
	double limit = j->opts.latency_us * (strstr(r->test, "read") ? READ_FACTOR : 1);

	v->median = g->median;
	if (!r->latency && v->expected <= 0 && g->num < LIKE_MIN)
		return;
	v->level = IBC_PERF_GOOD;
	if (r->latency) {
		if (r->value > limit ||
		    (v->hops && g->num >= LIKE_MIN && r->value > LATENCY_FACTOR * v->median))
			v->level = IBC_PERF_LOW;
	} else {
		if (v->expected > 0 && !g->slow)
			v->level = level_of_share(j, r, 100 * r->value / v->expected);
		if (v->level == IBC_PERF_GOOD && g->num >= LIKE_MIN &&
		    r->value < g->median * (1 - j->opts.outlier / 100))
			v->level = IBC_PERF_LOW;
	}
	if (v->level == IBC_PERF_GOOD) {
		j->ends[r->client].good[r->latency] = true;
		j->ends[r->server].good[r->latency] = true;
	} else if (is_cut(v) && r->value >= SHARE_KEPT * v->share) {
		v->cause = IBC_PERF_SHARED;
		j->out.shared++;
	}
}

/* ---- groups ------------------------------------------------------------------------------- */

/*
 * The median of what each end reached at best, where its path was its own if that was ever so:
 * pairs that are measured again since they are slow weigh no more than others.
 * @best, @values: by end, zero, and room for two of each result
 */
static double median_best(struct ibc_perf_verdict **v, size_t n, double *best, double *values)
{
	size_t num = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < 2 * n; i++) {
			const struct ibc_perf_result *r = v[i / 2]->result;
			double *b = &best[i % 2 ? r->server : r->client];

			if (pass && *b > 0)
				values[num++] = *b;
			if (pass)
				*b = 0;
			else if (!is_cut(v[i / 2]) &&
			         (*b <= 0 || (r->latency ? r->value < *b : r->value > *b)))
				*b = r->value;
		}
	for (size_t i = 0; !num && i < n; i++)
		values[i] = v[i]->result->value;
	return judge_median(values, num ? num : n);
}

void judge_levels(struct perf_judge *j)
{
	const struct ibc_perf_results *r = j->out.results;
	struct ibc_perf_verdict **sorted = arena_array(j->arena, r->num + 1, sizeof(*sorted));
	double *best = arena_array(j->arena, r->num_ends + 1, sizeof(*best));
	double *values = arena_array(j->arena, 2 * r->num + 1, sizeof(*values));
	size_t n = 0;

	j->out.groups = j->groups = arena_array(j->arena, r->num + 1, sizeof(*j->groups));
	for (size_t i = 0; i < r->num; i++)
		if (judge_is_measured(&r->all[i]))
			sorted[n++] = &j->v[i];
	qsort(sorted, n, sizeof(struct ibc_perf_verdict *), by_kind);
	for (size_t i = 0, end; i < n; i = end) {
		struct ibc_perf_group *g = &j->groups[j->out.num_groups++];

		for (end = i; end < n && !by_kind(&sorted[i], &sorted[end]);)
			end++;
		*g = (struct ibc_perf_group){ .example = sorted[i], .num = end - i };
		g->median = median_best(sorted + i, end - i, best, values);
		if (g->num >= LIKE_MIN && sorted[i]->expected > 0) {
			double percent = 100 * g->median / sorted[i]->expected;
			enum ibc_perf_level level = level_of_share(j, sorted[i]->result, percent);

			g->slow = level > IBC_PERF_GOOD ? level : IBC_PERF_UNJUDGED;
		}
		for (size_t k = i; k < end; k++)
			set_level(j, sorted[k], g);
	}
}
