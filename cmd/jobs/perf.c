/* SPDX-License-Identifier: BSD-2-Clause */
/* What hosts measure between each other: planned, judged and kept. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "perf.h"

#define ROUNDS_MAX  4096 /* one takes a quarter of a minute: most of a day */
#define RAILS_MAX   64   /* each has a port of its own, see ibcheck-perf-run(8) */
#define SECONDS_MAX 3600 /* of one measurement: an hour */

static const struct opt perf_opts[] = {
	OPT_STR(0, "mode", "MODE", struct perf_cfg, mode,
	        "plan: random (default), circle, ring, incast, or self: HCAs of one host",
	        .hint = HINT_WORDS, .words = "random circle ring incast self"),
	OPT_FLAG(0, "cover-links", struct perf_cfg, cover_links,
	         "plan: over every cable between switches, in both directions"),
	OPT_STR(0, "tables", "FILE", struct perf_cfg, tables,
	        "plan: read the LFTs from this file, the output of dump_lfts.sh",
	        .hint = HINT_FILE),
	OPT_UINT(0, "rounds", "N", struct perf_cfg, rounds, 1, ROUNDS_MAX,
	         "plan: rounds (default: 3)"),
	OPT_UINT(0, "rails", "N", struct perf_cfg, rails, 1, RAILS_MAX,
	         "plan: N rails one after the other (default: all at once)"),
	OPT_UINT(0, "seconds", "N", struct perf_cfg, seconds, 1, SECONDS_MAX,
	         "plan: one measurement takes N seconds (default: 10)"),
	OPT_STR(0, "tool", "TOOL", struct perf_cfg, tool,
	        "plan: write it in the format of clusterkit or superbench", .hint = HINT_WORDS,
	        .words = "clusterkit superbench"),
	OPT_STR(0, "plan", "FILE", struct perf_cfg, plan,
	        "judge: the plan of these measurements: reports what is missing",
	        .hint = HINT_FILE),
	OPT_STR(0, "baseline", "FILE", struct perf_cfg, baseline,
	        "judge: compare with what perf baseline has stored", .hint = HINT_FILE),
	OPT_STR(0, "retest", "FILE", struct perf_cfg, retest,
	        "judge: write the plan of what to measure next", .hint = HINT_FILE),
	OPT_FLAG(0, "adaptive-routing", struct perf_cfg, adaptive,
	         "judge: routes are adaptive: blame no cable"),
	OPT_FLAG(0, "gpu", struct perf_cfg, gpu,
	         "judge: all was measured between GPUs, which takes 5 percent"),
	OPT_END,
};

static const struct perf_action *const actions[] = { &perf_plan, &perf_judge, &perf_baseline };

/* perf_run() has seen that it is one. */
static const struct perf_action *action_of(const struct app *app)
{
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
		if (!strcmp(app->args[0], actions[i]->name))
			return actions[i];
	return NULL;
}

static int perf_run(struct app *app, struct ibc_error *err)
{
	const struct perf_action *action = action_of(app);

	return action
	           ? action->run(app, err)
	           : cmd_fail(err, -EINVAL, "perf: there are plan, judge and baseline, not \"%s\"",
	                      app->args[0]);
}

static int perf_tables(struct app *app, struct ibc_error *err)
{
	const struct perf_action *action = action_of(app);

	return action->tables ? action->tables(app, err) : 0;
}

static bool perf_text(struct app *app, FILE *out)
{
	const struct perf_action *action = action_of(app);

	return action->text && action->text(app, out);
}

static void perf_input(const struct app *app, struct ibc_input *in)
{
	in->perf = perf_of(app)->perf;
}

static void perf_end(struct app *app)
{
	ibc_perf_plan_free(perf_of(app)->plan);
	ibc_perf_judgement_free(perf_of(app)->perf);
	ibc_perf_results_free(perf_of(app)->measured);
	ibc_perf_results_free(perf_of(app)->measured_before);
}

const struct cmd cmd_perf = {
	.name = "perf",
	.summary = "bandwidth between hosts by perftest: plan and judge it",
	.args = "plan|judge|baseline [HOSTS|@FILE|RESULTS ...]",
	.min_args = 1,
	.max_args = INT_MAX,
	.arg_words = "plan judge baseline",
	.arg_hint = HINT_FILE,
	.example = "perf plan 'n[0001-4096]' >plan\n"
		   "perf plan --cover-links --source fabric.snap >plan\n"
		   "perf judge --plan plan --source fabric.snap results/\n"
		   "perf baseline results/ >good.csv\n",
	.group = CMD_FILES,
	.takes = TAKES_SWEEP | TAKES_ALL_CHECKS,
	.checks = "perf",
	.opts = perf_opts,
	.cfg_size = sizeof(struct perf_cfg),
	.own_size = sizeof(struct perf_own),
	.csv = &plan_rounds_type,
	.shows = TABLES(&plan_rounds_type, &plan_uncovered_type, &perf_tests_type,
	                &perf_pairs_type),
	.run = perf_run,
	.input = perf_input,
	.end = perf_end,
	.tables = perf_tables,
	.text = perf_text,
};
