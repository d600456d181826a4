/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The acceptance of a cluster: "all" again and again for hours, with a memory of its own, in which
 * every fault of that time stays; then "all" once more, with the counters of all of it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ibcheck/store.h>

#include "accept.h"
#include "again.h"
#include "columns.h"
#include "counters.h"
#include "expect.h"
#include "history.h"

#define STATE_DEFAULT "ibcheck-accept"
#define FOR_MIN       60           /* seconds: in less, faults do not come and go */
#define FOR_MAX       (30 * 86400) /* a month: longer is what serve is for */
#define INTERVAL_MAX  60           /* a switch that restarts is away for longer */
#define SWEEPS_LEAST  10           /* in a short time */
#define PIECE_SECONDS 0.2          /* of a wait: a signal ends it within that */
#define LINES         10           /* of progress, in a log */
#define NOT_RUNNING   "it did not run"
#define NOT_KEPT      "findings were not kept"

struct accept_cfg {
	struct all_cfg all; /* first: again.h */
	double seconds, interval;
	bool restart;
};

static const struct opt accept_opts[] = {
	EXPECT_OPT(struct accept_cfg, all., "the plan that the cluster was built by"),
	OPT_SECONDS(0, "for", "TIME", struct accept_cfg, seconds, FOR_MAX,
	            "how long to watch: 8h, 2d; at least 60 s, at most 30 days",
	            .section = "accept"),
	OPT_SECONDS(
	    'i', "interval", "S", struct accept_cfg, interval, FOR_MAX,
	    "from the beginning of one sweep to that of the next: at most 60 s (default 1m, "
	    "of a short time a tenth)",
	    .section = "accept"),
	OPT_FLAG(0, "restart", struct accept_cfg, restart,
	         "discard the unfinished acceptance, and begin again"),
	OPT_END,
};

static int verify(const struct app *app, struct ibc_error *err)
{
	const struct accept_cfg *c = app->cfg;
	const struct str_list *sources = &app->common.sources;
	char asked[TIME_TEXT], interval[TIME_TEXT];

	if (!c->all.expect.n)
		return cmd_fail(err, -EINVAL,
		                "accept needs the plan of the cluster: --expect FILE");
	if (app->common.record)
		return cmd_fail(err, -EINVAL, "accept records nothing: --record is for all");
	for (size_t i = 0; i < sources->n; i++)
		if (!asks_live(sources->items[i]))
			return cmd_fail(err, -EINVAL, "accept sweeps a fabric: %s does not change",
			                sources->items[i]);
	duration_text(c->seconds, asked);
	if (!(c->seconds > 0))
		return cmd_fail(err, -EINVAL, "accept needs the time to watch for: --for 8h");
	if (c->seconds < FOR_MIN)
		return cmd_fail(err, -EINVAL, "--for %s is too short: at least %d s", asked,
		                FOR_MIN);
	if (c->interval > c->seconds)
		return cmd_fail(err, -EINVAL, "--interval %s is longer than --for %s",
		                duration_text(c->interval, interval), asked);
	return 0;
}

/* ---- signals, progress --------------------------------------------------------------------- */

static atomic_bool stop;

static void note_signal(int signum)
{
	(void)signum;
	stop = true;
}

/* The second signal of a kind ends the program. */
static void catch_signals(void)
{
	out_catch(note_signal, SA_RESETHAND | SA_RESTART);
}

/* What writes a file has its own handlers, and signals that come meanwhile are for ours. */
static int save(const struct acceptance *a, struct ibc_error *err)
{
	sigset_t set, before;
	int rc;

	out_deadly(&set);
	sigprocmask(SIG_BLOCK, &set, &before);
	rc = acceptance_save(a, err);
	catch_signals();
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}

static double seconds_left(const struct acceptance *a)
{
	return a->asked - a->watched - a->lost;
}

/*
 * struct watching - @since: the last sweep, by clock_seconds(); @why: the first that failed since
 * the last that did not; @failed: the last one; @line: of progress
 */
struct watching {
	const struct app *app;
	struct again *again;
	double since;
	struct ibc_error why;
	bool failed;
	unsigned int line;
};

/* A terminal has one line, which changes; a log a line now and then, and one where news are bad. */
static void say_progress(struct watching *w, const char *how, bool failed)
{
	const struct acceptance *a = w->app->own;
	unsigned int now = (unsigned int)(LINES * (a->asked - seconds_left(a)) / a->asked);
	char watched[TIME_TEXT], asked[TIME_TEXT], when[KNOWN_TIME];
	struct ibc_error text;

	cmd_fail(&text, 0, "watched %s of %s, %.0f sweep%s; the last: %s; ends about %s",
	         duration_text(a->watched, watched), duration_text(a->asked, asked), a->samples,
	         a->samples > 1 ? "s" : "", how,
	         known_time(time(NULL) + (time_t)seconds_left(a), when));
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%s\033[K", text.text);
	else if (now >= w->line || failed != w->failed)
		say_error("%s", text.text);
	w->line = now + 1;
	w->failed = failed;
}

/* ---- sweeps -------------------------------------------------------------------------------- */

/* Each sweep reads it.  What cannot be read now is for the sweep to say, and may come back. */
static int verify_plan(const struct app *app, struct ibc_error *err)
{
	const struct acceptance *a = app->own;
	const struct accept_cfg *c = app->cfg;
	struct ibc_error ignored;
	double plan;

	if (acceptance_plan(&c->all.expect, &app->selection, &plan, &ignored) || plan == a->plan)
		return 0;
	return cmd_fail(err, -ESTALE,
	                "the plan or the list of checks is another than when it began: put it "
	                "back, and the same command goes on; or begin again with --restart");
}

/* That it did not run is known only now. */
static int note_pause(struct acceptance *a, struct ibc_error *err)
{
	time_t now = time(NULL);

	if ((double)now <= a->last)
		return 0;
	a->paused += (double)now - a->last;
	return acceptance_add_gap(a, now, NOT_RUNNING, err);
}

/* What it found must be kept, else it is lost at the end. */
static int judge_sweep(struct watching *w, struct ibc_error *why)
{
	const struct ibc_finding *f;
	const struct app *round;
	int rc = again_sweep(w->again, why);

	/* what is wrong in a file has been said, line by line */
	if (rc)
		return *why->text ? rc : cmd_fail(why, rc, "a file could not be read");
	again_turn(w->again);
	round = again_now(w->again);
	for (size_t i = 0; (f = ibc_report_finding(round->report, i)); i++)
		if (!strcmp(f->check, "state.memory")) {
			/* behind what it means for other runs */
			const char *reason = strstr(f->message, ": ");

			return cmd_fail(why, -EIO, NOT_KEPT "%s", reason ? reason : "");
		}
	return round->memory.recorded ? 0 : cmd_fail(why, -EIO, NOT_KEPT);
}

/*
 * What fails at the first sweep would fail for all of the time.  While sweeps fail, what is kept
 * may be as it was: the disk can be full.  Time between two sweeps is watched if both succeeded.
 */
static int sweep_once(struct watching *w, struct ibc_error *err)
{
	struct acceptance *a = w->app->own;
	struct ibc_error why = { "" };
	int rc = verify_plan(w->app, err), failed;
	double now;

	if (rc)
		return rc;
	failed = judge_sweep(w, &why);
	if (failed == -ECANCELED || (failed && !a->samples))
		return cmd_fail(err, failed, "%s", why.text);
	a->samples++;
	a->failed += failed != 0;
	if (failed && !*w->why.text)
		w->why = why;
	now = clock_seconds();
	if (*w->why.text) {
		a->lost += now - w->since;
		rc = acceptance_add_gap(a, time(NULL), w->why.text, err);
	} else {
		a->watched += now - w->since;
		a->last = (double)time(NULL);
	}
	w->since = now;
	if (!failed) {
		*w->why.text = '\0';
		snprintf(why.text, sizeof(why.text), "%s",
		         ibc_severity_word(ibc_report_verdict(again_now(w->again)->report))->word);
	}
	if (!rc)
		rc = save(a, err);
	say_progress(w, why.text, failed);
	again_shrink(w->again);
	return failed && rc != -ENOMEM ? 0 : rc;
}

/*
 * A sweep that is later than that was not due: this process was stopped (SIGSTOP, a host that was
 * suspended), as if it had been killed.
 */
#define LATE_INTERVALS 2

static int watch_on(struct app *app, struct ibc_error *err)
{
	struct acceptance *a = app->own;
	const struct accept_cfg *c = app->cfg;
	struct app settings = settings_none(app);
	struct again_opts opts = { .interval_seconds = c->interval, .steady = true, .stop = &stop };
	struct watching w = { .app = app, .since = clock_seconds() };
	int rc;

	if (!(opts.interval_seconds > 0)) {
		opts.interval_seconds = c->seconds / SWEEPS_LEAST;
		if (opts.interval_seconds > INTERVAL_MAX)
			opts.interval_seconds = INTERVAL_MAX;
	}
	/* a directory of its own, in which nothing else of the fabric is, and nothing is forgotten
	 * before the end */
	settings.asked.state = a->dir;
	settings.asked.physical |= a->physical > 0;
	settings.asked.retention_seconds = 0;
	settings_give(&settings, "state");
	settings_give(&settings, "retention");
	rc = again_new(&settings, &opts, &w.again, err);
	while (!rc && !stop && seconds_left(a) > 0) {
		double pause = again_pause(w.again);

		if (pause > 0) {
			clock_wait(pause < PIECE_SECONDS ? pause : PIECE_SECONDS);
			continue;
		}
		if (clock_seconds() - w.since >= LATE_INTERVALS * opts.interval_seconds) {
			w.since = clock_seconds();
			rc = note_pause(a, err);
		}
		if (!rc)
			rc = sweep_once(&w, err);
	}
	if (w.line && isatty(STDERR_FILENO))
		fputc('\n', stderr);
	again_free(w.again);
	return rc;
}

/* ---- the report ---------------------------------------------------------------------------- */

/* What is still there speaks for itself. */
static void add_passed(struct app *app, const struct ibc_history *h)
{
	const struct ibc_incident *i;
	const struct ibc_finding *f;
	char thing[IBC_IDENTITY_MAX];

	for (size_t n = 0; (i = ibc_history_incident(h, n)); n++) {
		if (i->known || !strcmp(i->state, "merged"))
			continue;
		for (size_t k = 0; (f = ibc_report_finding(app->report, k)); k++)
			if (!strcmp(f->check, i->check) &&
			    !strcmp(ibc_subject_identity(&f->subject, thing), i->thing))
				break;
		if (!f)
			ibc_check_passed(app->report,
			                 &(struct ibc_passed){ &i->subject, i->check, i->message,
			                                       i->advice, i->severity, i->began,
			                                       i->last_seen, i->times });
	}
}

static void add_uncovered(struct app *app)
{
	const struct acceptance *a = app->own;
	const char *why = NULL;
	char text[TIME_TEXT];
	struct ibc_error how;

	if (a->paused > 0) {
		duration_text(a->paused, text);
		ibc_check_uncovered(app->report, IBC_UNCOVERED_PAUSE, text);
	}
	if (a->lost > 0) {
		/* why the first of the sweeps that failed did */
		for (size_t i = 0; i < a->num_gaps && !why; i++)
			if (strcmp(a->gaps[i].why, NOT_RUNNING) != 0)
				why = a->gaps[i].why;
		cmd_fail(&how, 0, "%s: %s", duration_text(a->lost, text),
		         why ? why : "why is not known");
		ibc_check_uncovered(app->report, IBC_UNCOVERED_SWEEPS, how.text);
	}
	if (!app->how.physical)
		ibc_check_uncovered(app->report, IBC_UNCOVERED_PHYSICAL, NULL);
}

static const struct ibc_history_opts incidents = { .parts = IBC_HISTORY_INCIDENTS };

/* The final sweep runs no hook and adds nothing to the state: the rounds did. */
static int judge_all(struct app *app, struct ibc_error *err)
{
	struct acceptance *a = app->own;
	const struct accept_cfg *c = app->cfg;
	char watched[TIME_TEXT], asked[TIME_TEXT];
	struct ibc_history *h = NULL;
	int rc;

	app->common.hook = NULL;
	app->memory.asked = true;
	app->how.physical |= a->physical > 0;
	rc = verify_plan(app, err);
	if (!rc)
		rc = acceptance_load(app, &app->before, err);
	if (!rc)
		rc = all_sweep(app, &c->all.expect, true, err);
	if (!rc)
		rc = ibc_history_load(a->dir, &incidents, &h, err);
	if (rc)
		return rc;
	add_passed(app, h);
	ibc_history_free(h);
	add_uncovered(app);
	ibc_report_sum(app->report, "asked_seconds", (uint64_t)a->asked);
	ibc_report_sum(app->report, "watched_seconds", (uint64_t)a->watched);
	ibc_report_sum(app->report, "sweeps", (uint64_t)a->samples);
	ibc_report_sum(app->report, "sweeps_failed", (uint64_t)a->failed);
	return app_say(app, err, "%s; watched %s of %s, in %.0f sweeps%s", app->headline,
	               duration_text(a->watched, watched), duration_text(a->asked, asked),
	               a->samples, a->failed > 0 ? ", some of which failed" : "");
}

/* ---- the command --------------------------------------------------------------------------- */

static int accept_run(struct app *app, struct ibc_error *err)
{
	const char *state = app->common.state ? app->common.state : STATE_DEFAULT;
	const struct accept_cfg *c = app->cfg;
	const struct str_list *plans = &c->all.expect;
	char watched[TIME_TEXT], asked[TIME_TEXT];
	struct ibc_fabric *plan = NULL;
	struct acceptance *a = app->own;
	int rc = verify(app, err);

	if (rc)
		return rc;
	catch_signals();
	app->stop = &stop;
	a->held = -1;
	a->asked = c->seconds;
	rc = acceptance_plan(plans, &app->selection, &a->plan, err);
	if (!rc) /* now, not in eight hours */
		rc = app_load(app, plans->items, plans->n, &plan, err);
	ibc_fabric_free(plan);
	if (!rc)
		rc = acceptance_open(a, state, c->restart, err);
	if (!rc)
		rc = acceptance_sweep(app, err);
	if (!rc && a->resumed)
		rc = note_pause(a, err);
	if (!rc) {
		a->last = (double)time(NULL);
		rc = save(a, err);
	}
	if (!rc)
		rc = watch_on(app, err);
	if (!rc && !stop)
		rc = judge_all(app, err);
	if (!stop)
		return rc;
	return cmd_fail(err, -ECANCELED,
	                "stopped, after %s of %s: the same command goes on with what is in %s",
	                duration_text(a->watched, watched), duration_text(a->asked, asked), state);
}

GETTER(gap_from, struct acceptance_gap, g, time_value(cell, false, g->from));
GETTER(gap_until, struct acceptance_gap, g, time_value(cell, false, g->until));
GETTER(gap_seconds, struct acceptance_gap, g, ibc_real((double)(g->until - g->from)));
GETTER(gap_why, struct acceptance_gap, g, ibc_str(g->why));

static const struct ibc_column gap_columns[] = {
	COLUMN("from", "FROM", gap_from),
	COLUMN("until", "UNTIL", gap_until),
	COLUMN("seconds", "SECONDS", gap_seconds),
	SENTENCE("why", "WHY", gap_why),
	{ 0 },
};
static const struct ibc_table_type unwatched_type = { "unwatched", gap_columns, NULL, NULL, NULL };

static int accept_tables(struct app *app, struct ibc_error *err)
{
	const struct acceptance *a = app->own;
	struct ibc_table *table = app_table(app, &unwatched_type);
	struct ibc_history *h;
	int rc;

	for (size_t i = 0; i < a->num_gaps; i++)
		ibc_table_row(table, &a->gaps[i]);
	rc = ibc_history_load(a->dir, &incidents, &h, err);
	if (rc)
		return rc;
	incidents_table(app, h);
	ibc_history_free(h);
	return plan_table(app, err);
}

static int accept_done(struct app *app, struct ibc_error *err)
{
	enum ibc_severity verdict = ibc_report_verdict(app->report);

	/* the last line of progress was about one sweep */
	if (app->common.output)
		say_error("all sweeps together: %s, exit %d: %s", ibc_severity_word(verdict)->name,
		          ibc_severity_exit(verdict), app->common.output);
	return acceptance_end(app->own, err);
}

const struct cmd cmd_accept = {
	.name = "accept",
	.summary = "the acceptance of a cluster: all checks, for hours",
	.example = "accept --expect plan.csv --for 8h\n"
		   "accept --expect plan.csv --for 2d --state acceptance -f html -o report.html\n",
	.group = CMD_FABRIC,
	.takes = ALL_TAKES,
	.checks = CHECKS_OF_FABRIC,
	.opts = accept_opts,
	.cfg_size = sizeof(struct accept_cfg),
	.defaults = &(const struct accept_cfg){ .all.routes = true },
	.shows = TABLES(&plan_type, &incidents_type, &unwatched_type),
	.own_size = sizeof(struct acceptance),
	.pictures = true,
	.run = accept_run,
	.tables = accept_tables,
	.done = accept_done,
	.end = acceptance_free,
};
