/* SPDX-License-Identifier: BSD-2-Clause */
/* What was measured between hosts: judged, and stored to be compared with. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "perf.h"
#include "routes.h"

/* ---- judge ------------------------------------------------------------------------------ */

static int read_results(char *const *paths, struct ibc_perf_results **out, struct ibc_error *err)
{
	int rc = ibc_perf_results_new(out, err);

	for (; !rc && *paths; paths++)
		rc = ibc_perf_results_read(*out, strcmp(*paths, "-") != 0 ? *paths : "/dev/stdin",
		                           err);
	return rc;
}

static int judge_results(struct app *app, struct ibc_error *err)
{
	struct perf_own *own = perf_of(app);
	const struct perf_cfg *c = app->cfg;
	struct ibc_perf_judge_opts opts = {
		.fab = app->fabric,
		.baseline = own->measured_before,
		.adaptive = c->adaptive ||
		            (app->fabric && ibc_traffic_is_part(static_traffic(app->fabric))),
		.gpu = c->gpu,
	};
	int rc;

	if (!own->measured->num)
		return cmd_fail(err, -EINVAL, "there is nothing to judge: %s",
		                own->measured->num_flaws ? own->measured->flaws[0]
		                                         : "the directory has no results");
	ibc_check_perf_limits(app->config, &opts);
	rc = ibc_perf_judge(own->measured, &opts, &own->perf, err);
	if (!rc)
		rc = app_say(app, err, "%zu measurement%s of %zu hosts", own->perf->measured,
		             own->perf->measured == 1 ? "" : "s", own->perf->all_hosts);
	if (!rc && own->perf->shared)
		ibc_report_conclude(app->report, "%zu slow where others shared a cable",
		                    own->perf->shared);
	if (!rc && own->perf->congested)
		ibc_report_conclude(app->report, "%zu slow in a full round and good alone",
		                    own->perf->congested);
	return rc ? rc : app_check(app, err);
}

static int judge_run(struct app *app, struct ibc_error *err)
{
	struct perf_own *own = perf_of(app);
	const struct perf_cfg *c = app->cfg;
	char *const baseline[] = { (char *)c->baseline, NULL };
	int rc;

	if (!app->common.table) /* of -f csv, which is the plan's else */
		app->common.table = perf_pairs_type.name;
	if (!app->args[1])
		return cmd_fail(err, -EINVAL,
		                "%s needs results: files, a directory, or - for stdin",
		                app->args[0]);
	rc = read_results(app->args + 1, &own->measured, err);
	if (!rc && c->plan)
		rc = ibc_perf_results_expect(own->measured, c->plan, err);
	if (!rc && c->baseline)
		rc = read_results(baseline, &own->measured_before, err);
	/* a baseline that cannot be read whole is none */
	if (!rc && c->baseline && own->measured_before->num_flaws)
		rc = cmd_fail(err, -EINVAL, "--baseline: %s", own->measured_before->flaws[0]);
	app->how.tables = c->tables;
	/* with forwarding tables the cables of a route are known; without them only the leaves */
	if (!rc && app->common.sources.n)
		rc = app_sweep(app, IBC_ATTRS(IBC_ATTR_LFT, IBC_ATTR_AR_INFO), err);
	return rc ? rc : judge_results(app, err);
}

/* ---- tables ------------------------------------------------------------------------------- */

static const char *test_name(const struct ibc_perf_result *r)
{
	return *r->test ? r->test : r->latency ? "latency" : "bandwidth";
}

/* struct pair_row - one measurement and its verdict */
struct pair_row {
	struct ibc_perf_verdict v;
	struct ibc_perf_result r;
	struct ibc_perf_end client, server;
};

static double percent_of(const struct ibc_perf_verdict *v)
{
	double of = v->expected > 0 ? v->expected : v->median;

	return v->result->latency || of <= 0 ? 0 : 100 * v->result->value / of;
}

static const struct ibc_word level_words[] = {
	[IBC_PERF_UNJUDGED] = { "unknown", "unknown" },
	[IBC_PERF_GOOD] = { "ok", "ok" },
	[IBC_PERF_LOW] = { "warning", "warning" },
	[IBC_PERF_POOR] = { "critical", "critical" },
};

#define PAIR struct pair_row

GETTER(pair_test, PAIR, p, ibc_str(test_name(&p->r)));
GETTER(pair_status, PAIR, p, ibc_enum(ibc_perf_status_word(p->r.status)));
GETTER(pair_gbps, PAIR, p, real_or_none(p->r.latency ? 0 : p->r.value));
GETTER(pair_us, PAIR, p, real_or_none(p->r.latency ? p->r.value : 0));
GETTER(pair_percent, PAIR, p, percent_of(&p->v) > 0 ? rounded(percent_of(&p->v), 10) : ibc_none());
GETTER(pair_level, PAIR, p, ibc_enum(&level_words[p->v.level]));
GETTER(pair_cause, PAIR, p,
       p->v.level > IBC_PERF_GOOD ? ibc_enum(ibc_perf_cause_word(p->v.cause)) : ibc_none());

static const struct ibc_column pair_columns[] = {
	FIELD("round", "ROUND", PAIR, r.round),
	FIELD("client", "CLIENT", PAIR, client.host),
	FIELD("server", "SERVER", PAIR, server.host),
	FIELD_OR_NONE("client_rail", "RAIL", PAIR, client.rail),
	FIELD_OR_NONE("server_rail", NULL, PAIR, server.rail),
	COLUMN("test", "TEST", pair_test),
	COLUMN("bandwidth_gbps", "Gb/s", pair_gbps),
	FIELD_OR_NONE("expected_gbps", "OF", PAIR, v.expected),
	COLUMN("percent", "%", pair_percent),
	COLUMN("latency_us", "us", pair_us),
	FIELD_OR_NONE("share_gbps", "SHARE", PAIR, v.share, .detail = true,
	              .legend = "what a shared cable leaves it in this round"),
	FIELD_OR_NONE("hops", "HOPS", PAIR, v.hops, .detail = true),
	COLUMN("status", NULL, pair_status),
	COLUMN("level", "LEVEL", pair_level),
	COLUMN("cause", "CAUSE", pair_cause),
	{ 0 },
};
const struct ibc_table_type perf_pairs_type = TABLE("perf_pairs", pair_columns, "measurements");

#define GROUP struct ibc_perf_group

GETTER(kind_test, GROUP, g, ibc_str(test_name(g->example->result)));
GETTER(kind_both, GROUP, g, ibc_bool(g->example->result->both_ways));
GETTER(kind_gpu, GROUP, g, ibc_bool(g->example->result->gpu));
GETTER(kind_hops, GROUP, g, number_or_none(g->example->result->latency ? g->example->hops : 0));
GETTER(kind_expected, GROUP, g, real_or_none(g->example->expected));
GETTER(kind_gbps, GROUP, g, real_or_none(g->example->result->latency ? 0 : g->median));
GETTER(kind_us, GROUP, g, real_or_none(g->example->result->latency ? g->median : 0));

static const struct ibc_column kind_columns[] = {
	COLUMN("test", "TEST", kind_test),
	DETAIL("both_ways", "DUPLEX", kind_both),
	DETAIL("gpu", "GPU", kind_gpu),
	DETAIL("hops", "HOPS", kind_hops),
	FIELD("measurements", "MEASUREMENTS", GROUP, num),
	COLUMN("expected_gbps", "PORT Gb/s", kind_expected),
	COLUMN("median_gbps", "MEDIAN Gb/s", kind_gbps),
	COLUMN("median_us", "MEDIAN us", kind_us),
	FIELD_OR_NONE("before", NULL, GROUP, before),
	{ 0 },
};
const struct ibc_table_type perf_tests_type = TABLE("perf_tests", kind_columns,
                                                    "kinds of measurements");

/* Text has measurements that are not good, unless all is wanted. */
static void perf_add_tables(struct app *app)
{
	const struct ibc_perf_judgement *p = perf_of(app)->perf;
	struct ibc_table *kinds = app_table(app, &perf_tests_type);
	struct ibc_table *table = app_table(app, &perf_pairs_type);
	bool all = app_shows_all(app);

	for (size_t i = 0; i < p->num_groups; i++)
		ibc_table_row(kinds, &p->groups[i]);
	for (size_t i = 0; i < p->results->num; i++) {
		const struct ibc_perf_verdict *v = &p->verdicts[i];
		const PAIR row = { *v, *v->result, p->results->ends[v->result->client],
			           p->results->ends[v->result->server] };

		if (!v->result->by_server && (all || v->level > IBC_PERF_GOOD))
			ibc_table_row(table, &row);
	}
}

/* ---- the next plan -------------------------------------------------------------------------- */

/* The next plan as perf plan writes it. */
static int judge_tables(struct app *app, struct ibc_error *err)
{
	const struct perf_cfg *cfg = app->cfg;
	size_t n;
	const struct ibc_perf_retest *tests = ibc_perf_retests(perf_of(app)->perf, &n);
	struct out out;
	int rc;

	perf_add_tables(app);
	rc = cfg->retest ? out_open(&out, cfg->retest, err) : 0;
	if (rc || !cfg->retest)
		return rc;
	fprintf(out.file, "# ibcheck perf plan 1\n# mode retest tests %zu\n", n);
	for (size_t i = 0; i < n; i++) {
		const struct ibc_perf_end *s = tests[i].server, *c = tests[i].client;
		bool self = !strcmp(s->host, c->host);

		fprintf(out.file, "%u %s %s %s%s%s\n", tests[i].round, s->host, c->host,
		        *s->rail && *c->rail ? s->rail : "all", self ? "-" : "",
		        self ? c->rail : "");
	}
	return out_end(&out, 0, err);
}

const struct perf_action perf_judge = { "judge", judge_run, judge_tables, NULL };

/* ---- baseline ------------------------------------------------------------------------------- */

/* As judge reads it again: the good results. */
static bool baseline_text(struct app *app, FILE *out)
{
	const struct ibc_perf_judgement *p = perf_of(app)->perf;
	size_t left_out = 0;

	for (size_t i = 0; i < p->results->num; i++)
		left_out += !p->verdicts[i].result->by_server &&
		            p->verdicts[i].level != IBC_PERF_GOOD;
	fprintf(out, "# ibcheck perf baseline 1\n");
	if (left_out)
		fprintf(out, "# left out, since they are not good: %zu of %zu\n", left_out,
		        p->results->num);
	fprintf(out, "round,a,b,rail,value,unit,test,rate,hops\n");
	for (size_t i = 0; i < p->results->num; i++) {
		const struct ibc_perf_verdict *v = &p->verdicts[i];
		const struct ibc_perf_result *r = v->result;
		const struct ibc_perf_end *c = &p->results->ends[r->client],
					  *s = &p->results->ends[r->server];

		if (v->level != IBC_PERF_GOOD)
			continue;
		fprintf(out, "%u,%s,%s,%s", r->round, c->host, s->host, s->rail);
		if (!strcmp(c->host, s->host))
			fprintf(out, "-%s", c->rail);
		fprintf(out, ",%.6g,%s,%s%s%s,", r->value, r->latency ? "us" : "Gb/s", r->test,
		        r->both_ways ? " both-ways" : "", r->gpu ? " gpu" : "");
		if (v->expected > 0)
			fprintf(out, "%.6g", v->expected / (r->both_ways ? 2 : 1));
		fputc(',', out);
		if (v->hops)
			fprintf(out, "%u", v->hops);
		fputc('\n', out);
	}
	return true;
}

const struct perf_action perf_baseline = { "baseline", judge_run, judge_tables, baseline_text };
