/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/perf/judge.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"

const struct ibc_word *ibc_perf_status_word(enum ibc_perf_status status)
{
	static const struct ibc_word statuses[] = {
		[IBC_PERF_MEASURED] = { "measured", "measured" },
		[IBC_PERF_NO_PARTNER] = { "no_partner", "no partner" },
		[IBC_PERF_SETUP] = { "setup", "not started" },
		[IBC_PERF_FAILED] = { "failed", "failed" },
		[IBC_PERF_UNREAD] = { "unread", "not readable" },
		[IBC_PERF_LOOPBACK] = { "loopback", "loopback" },
		[IBC_PERF_ABSENT] = { "absent", "no report" },
	};

	return &statuses[status];
}

const struct ibc_word *ibc_perf_cause_word(enum ibc_perf_cause cause)
{
	static const struct ibc_word causes[] = {
		[IBC_PERF_NO_CAUSE] = { "none", "none" },
		[IBC_PERF_BY_HOST] = { "host", "host" },
		[IBC_PERF_BY_LINK] = { "link", "cable or switch" },
		[IBC_PERF_SHARED] = { "shared", "shared cable" },
		[IBC_PERF_CONGESTION] = { "congestion", "congestion" },
		[IBC_PERF_UNSTABLE] = { "unstable", "unstable" },
		[IBC_PERF_UNDECIDED] = { "undecided", "undecided" },
	};

	return &causes[cause];
}

static int by_host_name(const void *va, const void *vz)
{
	const struct judge_end *const *a = va, *const *z = vz;

	return strcmp((*a)->end->host, (*z)->end->host);
}

/* Ends of one host get one number. */
static void begin(struct perf_judge *j)
{
	const struct ibc_perf_results *r = j->out.results;
	struct judge_end **sorted = arena_array(j->arena, r->num_ends + 1, sizeof(*sorted));

	j->out.verdicts = j->v = arena_array(j->arena, r->num + 1, sizeof(*j->v));
	j->paths = arena_array(j->arena, r->num + 1, sizeof(*j->paths));
	j->ends = arena_array(j->arena, r->num_ends + 1, sizeof(*j->ends));
	for (size_t i = 0; i < r->num; i++) {
		j->v[i].result = &r->all[i];
		j->v[i].expected = judge_expected_of(r, &r->all[i]);
		if (judge_is_measured(&r->all[i])) {
			j->ends[r->all[i].server].measured = true;
			j->ends[r->all[i].client].measured = true;
			j->out.measured++;
		}
	}
	for (size_t i = 0; i < r->num_ends; i++) {
		j->ends[i].end = &r->ends[i];
		sorted[i] = &j->ends[i];
	}
	qsort(sorted, r->num_ends, sizeof(struct judge_end *), by_host_name);
	for (size_t i = 0; i < r->num_ends; i++) {
		j->num_hosts += !i || by_host_name(&sorted[i - 1], &sorted[i]) != 0;
		sorted[i]->host = j->num_hosts - 1;
	}
	j->out.all_hosts = j->num_hosts;
}

static struct perf_judge *judge(struct arena *arena, const struct ibc_perf_results *results,
                                const struct ibc_perf_judge_opts *opts)
{
	struct perf_judge *j = arena_alloc(arena, sizeof(*j));

	j->arena = arena;
	j->opts = *opts;
	j->out.results = results;
	j->out.adaptive = opts->adaptive;
	begin(j);
	judge_places(j);
	judge_paths(j);
	judge_shares(j);
	judge_levels(j);
	judge_repeats(j);

	judge_links(j);
	judge_hosts(j, false);
	judge_hosts(j, true);
	judge_baseline(j);
	judge_pairs(j);
	judge_unproven(j);
	judge_untested(j);
	judge_retests(j);
	return j;
}

int ibc_perf_judge(const struct ibc_perf_results *results, const struct ibc_perf_judge_opts *opts,
                   struct ibc_perf_judgement **out, struct ibc_error *err)
{
	struct arena *arena = arena_new();

	*out = NULL;
	if (!arena || setjmp(*arena_entry(arena))) {
		arena_free(arena);
		return fail_nomem(err);
	}
	*out = &judge(arena, results, opts)->out;
	arena_escape(arena, NULL);
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
