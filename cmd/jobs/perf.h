/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What hosts measure between each other: perf.c, and a file for each of its actions. */
#include "cmd.h"

struct perf_cfg {
	/* plan */
	const char *mode, *tool, *tables;
	unsigned int rounds, rails, seconds;
	bool cover_links;
	/* judge, baseline */
	const char *baseline, *retest, *plan;
	bool adaptive, gpu;
};

/*
 * struct perf_own - of one run
 * @plan: of perf plan
 * @measured, @measured_before, @perf: of perf judge: measurements, those of its baseline, and
 *	what is made of them
 */
struct perf_own {
	struct ibc_perf_plan *plan;
	struct ibc_perf_results *measured, *measured_before;
	struct ibc_perf_judgement *perf;
};

static inline struct perf_own *perf_of(const struct app *app)
{
	return app->own;
}

/*
 * struct perf_action - one of "perf plan", ...
 * @run, @tables: as those of a command; app->args has what follows the action
 * @text: likewise
 */
struct perf_action {
	const char *name;
	int (*run)(struct app *app, struct ibc_error *err);
	int (*tables)(struct app *app, struct ibc_error *err);
	bool (*text)(struct app *app, FILE *out);
};
/* perf_plan.c */
extern const struct perf_action perf_plan;
/* perf_judge.c */
extern const struct perf_action perf_judge, perf_baseline;
extern const struct ibc_table_type perf_tests_type, perf_pairs_type;
extern const struct ibc_table_type plan_rounds_type, plan_uncovered_type;
