/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/perf/judge.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"

static const struct ibc_word statuses[] = {
	[IBC_PERF_MEASURED] = { "measured", "measured" },
	[IBC_PERF_NO_PARTNER] = { "no_partner", "no partner" },
	[IBC_PERF_SETUP] = { "setup", "not started" },
	[IBC_PERF_FAILED] = { "failed", "failed" },
	[IBC_PERF_UNREAD] = { "unread", "not readable" },
	[IBC_PERF_LOOPBACK] = { "loopback", "loopback" },
	[IBC_PERF_ABSENT] = { "absent", "no report" },
};

const struct ibc_word *ibc_perf_status_word(enum ibc_perf_status status)
{
	return &statuses[status];
}

static const struct ibc_word causes[] = {
	[IBC_PERF_NO_CAUSE] = { "none", "none" },
	[IBC_PERF_BY_HOST] = { "host", "host" },
	[IBC_PERF_BY_LINK] = { "link", "cable or switch" },
	[IBC_PERF_SHARED] = { "shared", "shared cable" },
	[IBC_PERF_CONGESTION] = { "congestion", "congestion" },
	[IBC_PERF_UNSTABLE] = { "unstable", "unstable" },
	[IBC_PERF_UNDECIDED] = { "undecided", "undecided" },
};

const struct ibc_word *ibc_perf_cause_word(enum ibc_perf_cause cause)
{
	return &causes[cause];
}

static int by_host(const void *va, const void *vz)
{
	const struct judge_end *const *a = va, *const *z = vz;

	return strcmp((*a)->end->host, (*z)->end->host);
}

/* Ends of one host get one number. */
static void number_hosts(struct perf_judge *j)
{
	size_t n = j->out.results->num_ends;
	struct judge_end **sorted = arena_array(j->arena, n + 1, sizeof(*sorted));

	if (!sorted) {
		j->failed = true;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		j->ends[i].end = &j->out.results->ends[i];
		sorted[i] = &j->ends[i];
	}
	qsort(sorted, n, sizeof(struct judge_end *), by_host);
	for (size_t i = 0; i < n; i++) {
		j->num_hosts += !i || by_host(&sorted[i - 1], &sorted[i]) != 0;
		sorted[i]->host = j->num_hosts - 1;
	}
}

static void begin(struct perf_judge *j)
{
	const struct ibc_perf_results *r = j->out.results;

	j->v = arena_array(j->arena, r->num + 1, sizeof(*j->v));
	j->ways = arena_array(j->arena, r->num + 1, sizeof(*j->ways));
	j->ends = arena_array(j->arena, r->num_ends + 1, sizeof(*j->ends));
	if (!j->v || !j->ways || !j->ends) {
		j->failed = true;
		return;
	}
	j->out.verdicts = j->v;
	for (size_t i = 0; i < r->num; i++) {
		j->v[i].result = &r->all[i];
		if (r->all[i].status == IBC_PERF_MEASURED && !r->all[i].by_server) {
			j->ends[r->all[i].server].measured = true;
			j->ends[r->all[i].client].measured = true;
			j->out.measured++;
		}
	}
	number_hosts(j);
}

static void judge_latency(struct perf_judge *j)
{
	judge_hosts(j, true);
}

static void judge_bandwidth(struct perf_judge *j)
{
	judge_hosts(j, false);
}

int ibc_perf_judge(const struct ibc_perf_results *results, const struct ibc_perf_judge_opts *opts,
                   struct ibc_perf_judgement **out, struct ibc_error *err)
{
	static void (*const steps[])(struct perf_judge *) = {
		begin,          judge_places,   judge_ways,    judge_expected, judge_shares,
		judge_levels,   judge_shared,   judge_repeats, judge_links,    judge_bandwidth,
		judge_latency,  judge_baseline, judge_pairs,   judge_unproven, judge_unstable,
		judge_untested, judge_retests,
	};
	struct arena *arena = arena_new();
	struct perf_judge *j = arena ? arena_alloc(arena, sizeof(*j)) : NULL;

	*out = NULL;
	if (!j) {
		arena_free(arena);
		return fail_nomem(err);
	}
	j->arena = arena;
	j->opts = *opts;
	j->out.results = results;
	j->out.adaptive = opts->adaptive;
	for (size_t i = 0; !j->failed && i < ARRAY_SIZE(steps); i++)
		steps[i](j);
	if (j->failed) {
		ibc_perf_judgement_free(&j->out);
		return fail_nomem(err);
	}
	*out = &j->out;
	return 0;
}

void ibc_perf_judgement_free(struct ibc_perf_judgement *judgement)
{
	if (judgement)
		arena_free(((struct perf_judge *)judgement)->arena);
}

const struct ibc_perf_retest *ibc_perf_retests(const struct ibc_perf_judgement *judgement,
                                               size_t *n)
{
	const struct perf_judge *j = (const struct perf_judge *)judgement;

	*n = j->num_retests;
	return j->retests;
}
