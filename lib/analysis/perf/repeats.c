/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The same pair more than once: low among many and good among few is congestion; a difference
 * without such a reason is a fault that comes and goes.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/perf/judge.h"
#include "base/arena.h"
#include "base/array.h"

#define FEWER    2 /* a round with half as many others is a quieter one: a retest has far less */
#define FULL_MIN 8 /* fewer pairs do not fill a network; a guess */

static int by_pair_and_round(const void *va, const void *vz, void *ctx)
{
	const struct ibc_perf_result *all = ctx, *a = &all[*(const uint32_t *)va],
				     *z = &all[*(const uint32_t *)vz];
	int order = order_u64((uint64_t)a->client << 32 | a->server,
	                      (uint64_t)z->client << 32 | z->server);

	order = order ? order : judge_by_test(a, z);
	order = order ? order : order_u64(a->round, z->round);
	return order ? order : by_u32(va, vz);
}

bool judge_is_pair(const struct ibc_perf_verdict *a, const struct ibc_perf_verdict *z)
{
	return a->result->client == z->result->client && a->result->server == z->result->server &&
	       !judge_by_test(a->result, z->result);
}

uint32_t *judge_by_pair(struct perf_judge *j, size_t *n)
{
	const struct ibc_perf_results *r = j->out.results;
	uint32_t *sorted = arena_array(j->arena, r->num + 1, sizeof(*sorted));

	*n = 0;
	if (!sorted) {
		j->failed = true;
		return NULL;
	}
	for (uint32_t i = 0; i < r->num; i++)
		if (j->v[i].level != IBC_PERF_UNJUDGED)
			sorted[(*n)++] = i;
	qsort_r(sorted, *n, sizeof(*sorted), by_pair_and_round, (void *)r->all);
	return sorted;
}

/* How many results there were in each round, from the highest round number. */
static uint32_t *count_rounds(struct perf_judge *j)
{
	const struct ibc_perf_results *r = j->out.results;
	unsigned int most = 0;
	uint32_t *in_round;

	for (size_t i = 0; i < r->num; i++)
		most = r->all[i].round > most ? r->all[i].round : most;
	in_round = arena_array(j->arena, most + 1, sizeof(*in_round));
	for (size_t i = 0; in_round && i < r->num; i++)
		in_round[r->all[i].round] += r->all[i].status == IBC_PERF_MEASURED;
	j->failed = j->failed || !in_round;
	return in_round;
}

/* One pair: the quietest round in which it was good explains those that were fuller. */
static void explain_pair(struct perf_judge *j, const uint32_t *sorted, size_t n,
                         const uint32_t *in_round)
{
	uint32_t quiet = UINT32_MAX;

	for (size_t i = 0; i < n; i++) {
		const struct ibc_perf_verdict *v = &j->v[sorted[i]];

		if (v->level == IBC_PERF_GOOD && in_round[v->result->round] < quiet)
			quiet = in_round[v->result->round];
	}
	for (size_t i = 0; i < n && quiet < UINT32_MAX; i++) {
		struct ibc_perf_verdict *v = &j->v[sorted[i]];

		if (!judge_is_open(v))
			continue;
		if (in_round[v->result->round] >= FULL_MIN &&
		    in_round[v->result->round] >= FEWER * quiet) {
			v->cause = IBC_PERF_CONGESTION;
			j->out.congested++;
		} else {
			v->cause = IBC_PERF_UNSTABLE;
		}
	}
}

void judge_repeats(struct perf_judge *j)
{
	const uint32_t *in_round = count_rounds(j);
	size_t n, first = 0;
	const uint32_t *sorted = judge_by_pair(j, &n);

	for (size_t i = 1; in_round && sorted && i <= n; i++) {
		if (i < n && judge_is_pair(&j->v[sorted[first]], &j->v[sorted[i]]))
			continue;
		explain_pair(j, sorted + first, i - first, in_round);
		first = i;
	}
}

/* Results whose differences nothing explains; of those that are explained, none. */
static struct ibc_perf_pair spread_of(struct perf_judge *j, const uint32_t *sorted, size_t n)
{
	struct ibc_perf_pair pair = { .results = 0 };

	for (size_t i = 0; i < n; i++) {
		const struct ibc_perf_verdict *v = &j->v[sorted[i]];
		double value = v->result->value;

		if (v->cause != IBC_PERF_NO_CAUSE && v->cause != IBC_PERF_UNSTABLE)
			continue;
		if (!pair.results++) {
			pair.verdict = v;
			pair.best = pair.worst = value;
		}
		if (v->result->latency ? value > pair.worst : value < pair.worst) {
			pair.worst = value;
			pair.verdict = v;
		}
		if (v->result->latency ? value < pair.best : value > pair.best)
			pair.best = value;
	}
	return pair;
}

void judge_unstable(struct perf_judge *j)
{
	size_t n, first = 0, room = 0;
	const uint32_t *sorted = judge_by_pair(j, &n);
	struct ibc_perf_pair *found = NULL;

	for (size_t i = 1; sorted && i <= n; i++) {
		struct ibc_perf_pair pair;
		double low, high;

		if (i < n && judge_is_pair(&j->v[sorted[first]], &j->v[sorted[i]]))
			continue;
		pair = spread_of(j, sorted + first, i - first);
		first = i;
		low = pair.worst < pair.best ? pair.worst : pair.best;
		high = pair.worst + pair.best - low;
		if (pair.results < 2 || high - low <= high * j->opts.spread / 100)
			continue;
		if (!arena_grow(j->arena, &found, j->out.num_unstable, &room, sizeof(*found))) {
			j->failed = true;
			return;
		}
		found[j->out.num_unstable++] = pair;
	}
	j->out.unstable = found;
}
