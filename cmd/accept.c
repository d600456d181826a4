/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The acceptance of a cluster: "all" again and again for hours, with a memory of its own, in which
 * every fault of that time stays; then "all" once more, with the counters of all of it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ibcheck/counters.h>
#include <ibcheck/store.h>

#include "accept.h"
#include "again.h"
#include "columns.h"
#include "counters.h"
#include "expect.h"
#include "history.h"
#include "ports.h"

#define STATE_DEFAULT "ibcheck-accept"
#define FOR_MIN       60           /* seconds: less tells of no rate that comes and goes */
#define FOR_MAX       (30 * 86400) /* a month: longer is what serve is for */
#define INTERVAL_MAX  60           /* a switch that restarts is away for longer */
#define SWEEPS_LEAST  10           /* in a short time */
#define PIECE_SECONDS 0.2          /* of a wait: a signal ends it within that */
#define LINES         10           /* of progress, in a log */

struct accept_cfg {
	struct all_cfg all; /* first: again.h */
	double seconds, interval;
	bool restart;
};

static const struct opt accept_opts[] = {
	EXPECT_OPT(struct accept_cfg, all., "the plan that the cluster was built by"),
	OPT_SECONDS(0, "for", "TIME", struct accept_cfg, seconds, FOR_MAX, "how long: 8h, 2d",
	            .section = "accept"),
	OPT_SECONDS('i', "interval", "S", struct accept_cfg, interval, FOR_MAX,
	            "from the beginning of one sweep to that of the next (default 1m, of a short "
	            "time a tenth)",
	            .section = "accept"),
	OPT_FLAG(0, "restart", struct accept_cfg, restart,
	         "begin again, whatever is left of an acceptance that is not over"),
	OPT_END,
};

/* ---- what can be asked for ---------------------------------------------------------------- */

static double interval_of(const struct accept_cfg *c)
{
	double tenth = c->seconds / SWEEPS_LEAST;

	return c->interval > 0 ? c->interval : tenth < INTERVAL_MAX ? tenth : INTERVAL_MAX;
}

static int refuse_times(const struct accept_cfg *c, struct ibc_error *err)
{
	char text[2][TIME_TEXT];

	time_text(c->seconds, text[0]);
	time_text(c->interval, text[1]);
	if (!(c->seconds > 0))
		return cmd_fail(err, -EINVAL, "accept needs the time to watch for: --for 8h");
	if (c->seconds < FOR_MIN)
		return cmd_fail(err, -EINVAL, "--for %s is too short: at least %d s", text[0],
		                FOR_MIN);
	if (c->interval > c->seconds)
		return cmd_fail(err, -EINVAL, "--interval %s is longer than --for %s", text[1],
		                text[0]);
	return 0;
}

static int refuse_all(const struct app *app, struct ibc_error *err)
{
	const struct accept_cfg *c = app->cfg;
	const struct str_list *sources = &app->common.sources;

	if (!c->all.expect.n)
		return cmd_fail(err, -EINVAL,
		                "accept needs the plan of the cluster: --expect FILE");
	if (app->common.record)
		return cmd_fail(err, -EINVAL, "accept records nothing: --record is for all");
	for (size_t i = 0; i < sources->n; i++)
		if (!asks_live(sources->items[i]))
			return cmd_fail(err, -EINVAL, "accept sweeps a fabric: %s does not change",
			                sources->items[i]);
	return refuse_times(c, err);
}

/* ---- signals, progress --------------------------------------------------------------------- */

static atomic_bool stop;

static void note_signal(int signum)
{
	(void)signum;
	stop = true;
}

/* What is ignored stays so (nohup); the second one of a kind ends the program. */
static void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction act = { .sa_handler = note_signal, .sa_flags = SA_RESETHAND | SA_RESTART };
	struct sigaction old;

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &act, NULL);
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

/* @how: of the last sweep.  A terminal has one line, which changes; a log a line now and then. */
static void say_progress(const struct acceptance *a, const char *how, unsigned int *line)
{
	unsigned int now = (unsigned int)(LINES * (a->asked - seconds_left(a)) / a->asked);
	time_t end = time(NULL) + (time_t)seconds_left(a);
	char watched[TIME_TEXT], asked[TIME_TEXT], when[KNOWN_TIME];
	bool terminal = isatty(STDERR_FILENO);
	struct ibc_error text;

	time_text(a->watched, watched);
	time_text(a->asked, asked);
	known_time(end, when);
	cmd_fail(&text, 0, "watched %s of %s, %.0f sweeps; the last: %s; ends about %s", watched,
	         asked, a->samples, how, when);
	if (terminal)
		fprintf(stderr, "\r%s\033[K%s", text.text, seconds_left(a) > 0 ? "" : "\n");
	else if (now >= *line)
		say_error(text.text);
	*line = now + 1;
}

/* ---- sweeps -------------------------------------------------------------------------------- */

/* struct watching - @since: the last sweep that succeeded, by clock_seconds(); @why: the next
 * failed; @line: of progress */
struct watching {
	struct acceptance *a;
	struct again *again;
	double since;
	struct ibc_error why;
	unsigned int line;
};

/* As the memory has it: a fabric of which half is dark is the same. */
static int verify_same(const struct acceptance *a, const struct ibc_fabric *first,
                       const struct ibc_fabric *now, struct ibc_error *err)
{
	const struct ibc_node *node;
	size_t n = 0, there = 0;

	for (; (node = ibc_fabric_node(first, n)); n++)
		there += ibc_fabric_node_by_guid(now, node->guid) != NULL;
	return there * 2 >= n ? 0
	                      : cmd_fail(err, -EINVAL,
	                                 "%s is of another fabric: %zu of its %zu nodes are here; "
	                                 "--restart begins again",
	                                 a->file, there, n);
}

/*
 * The sweep that all counters are compared with in the end; of one that goes on, whether it is the
 * same fabric.  It tells whether the physical layer answers, too.
 */
static int sweep_first(struct app *app, struct ibc_error *err)
{
	struct acceptance *a = app->acceptance;
	struct ibc_attrs attrs = ibc_attrs_or(IBC_ATTRS(IBC_ATTR_PORT_COUNTERS),
	                                      ibc_attrs_of_group(IBC_ATTRS_PHYSICAL));
	struct ibc_fabric *first = NULL;
	int rc;

	app->physical = true;
	rc = app_sample(app, attrs, err);
	app->physical = app->common.physical;
	if (!rc && a->resumed) {
		rc = app_load(app, (const char *const *)&a->first, 1, &first, err);
		if (!rc)
			rc = verify_same(a, first, app->fabric, err);
	} else if (!rc) {
		a->physical = cables_known(app->fabric);
		rc = acceptance_begin(a, err);
		if (!rc)
			rc = app_save(app, a->first, err);
	}
	ibc_fabric_free(first);
	ibc_fabric_free(app->fabric);
	app->fabric = NULL;
	return rc;
}

/* That it did not run is known only now. */
static int note_pause(struct acceptance *a, struct ibc_error *err)
{
	double now = (double)time(NULL);
	int rc = 0;

	if (a->resumed && now > a->last) {
		a->paused += now - a->last;
		rc = acceptance_add_gap(a, (time_t)now, "it did not run", err);
	}
	a->last = now;
	return rc ? rc : save(a, err);
}

/* The time since the last good sweep is over: by a good one, or by the end. */
static int end_window(struct watching *w, struct ibc_error *err)
{
	struct acceptance *a = w->a;
	double now = clock_seconds();
	int rc = 0;

	if (*w->why.text) {
		a->lost += now - w->since;
		rc = acceptance_add_gap(a, time(NULL), w->why.text, err);
	} else {
		a->watched += now - w->since;
	}
	*w->why.text = '\0';
	w->since = now;
	a->last = (double)time(NULL);
	return rc ? rc : save(a, err);
}

/* What it found must be kept, else nobody will know of it in the end. */
static int judge_sweep(struct watching *w, int rc, struct ibc_error *why)
{
	const struct app *round;

	if (rc)
		return rc;
	again_turn(w->again);
	round = again_now(w->again);
	return round->recorded
	           ? 0
	           : cmd_fail(why, -EIO, "what it found could not be kept in %s", w->a->dir);
}

static const char *verdict_of(struct watching *w)
{
	return ibc_severity_word(ibc_report_verdict(again_now(w->again)->report))->word;
}

static int sweep_once(struct watching *w, struct ibc_error *err)
{
	struct ibc_error why = { "" };
	int rc = judge_sweep(w, again_sweep(w->again, &why), &why);
	bool over = clock_seconds() - w->since >= seconds_left(w->a);

	if (rc == -ECANCELED)
		return cmd_fail(err, rc, "%s", why.text);
	w->a->samples++;
	w->a->failed += rc != 0;
	if (rc && !*w->why.text)
		w->why = why;
	rc = rc && !over ? 0 : end_window(w, err);
	say_progress(w->a, *why.text ? why.text : verdict_of(w), &w->line);
	again_shrink(w->again);
	return rc;
}

/* Its rounds remember in a directory of their own, in which nothing else of the fabric is. */
static struct app settings_of(const struct app *app)
{
	const struct acceptance *a = app->acceptance;
	struct app settings = settings_none(app);

	settings.asked.state = a->dir;
	settings.asked.physical |= a->physical > 0;
	settings.given |= UINT64_C(1) << (opt_find(common_opts, "state") - common_opts);
	return settings;
}

static int watch_on(struct app *app, struct ibc_error *err)
{
	const struct app settings = settings_of(app);
	const struct again_opts opts = { .interval_seconds = interval_of(app->cfg),
		                         .steady = true,
		                         .stop = &stop };
	struct watching w = { .a = app->acceptance, .since = clock_seconds() };
	int rc = again_new(&settings, &opts, &w.again, err);

	while (!rc && !stop && seconds_left(w.a) > 0) {
		double pause = again_pause(w.again);

		if (pause > 0)
			clock_wait(pause < PIECE_SECONDS ? pause : PIECE_SECONDS);
		else
			rc = sweep_once(&w, err);
	}
	again_free(w.again);
	return rc;
}

/* ---- the report ---------------------------------------------------------------------------- */

/* Is it still there?  Then it speaks for itself. */
static bool is_there(const struct ibc_report *rep, const struct ibc_incident *i)
{
	const struct ibc_finding *f;
	char thing[IBC_IDENTITY_MAX];

	for (size_t n = 0; (f = ibc_report_finding(rep, n)); n++)
		if (!strcmp(f->check, i->check) &&
		    !strcmp(ibc_subject_identity(&f->subject, thing), i->thing))
			return true;
	return false;
}

static void add_passed(struct app *app, const struct ibc_history *h)
{
	const struct ibc_incident *i;

	for (size_t n = 0; (i = ibc_history_incident(h, n)); n++)
		if (!i->known && strcmp(i->state, "merged") != 0 && !is_there(app->report, i))
			ibc_check_passed(app->report,
			                 &(struct ibc_passed){ &i->subject, i->check, i->message,
			                                       i->advice, i->severity, i->began,
			                                       i->last_seen, i->times });
}

static void add_uncovered(struct app *app)
{
	const struct acceptance *a = app->acceptance;
	char text[TIME_TEXT];
	struct ibc_error how;

	if (a->paused > 0) {
		time_text(a->paused, text);
		ibc_check_uncovered(app->report, IBC_UNCOVERED_PAUSE, text);
	}
	if (a->lost > 0) {
		time_text(a->lost, text);
		cmd_fail(&how, 0, "%s: %s", text, a->gaps[a->num_gaps - 1].why);
		ibc_check_uncovered(app->report, IBC_UNCOVERED_SWEEPS, how.text);
	}
	if (!app->physical)
		ibc_check_uncovered(app->report, IBC_UNCOVERED_PHYSICAL, NULL);
}

static int say_sums(struct app *app, struct ibc_error *err)
{
	const struct acceptance *a = app->acceptance;
	char watched[TIME_TEXT], asked[TIME_TEXT];

	time_text(a->watched, watched);
	time_text(a->asked, asked);
	ibc_report_sum(app->report, "asked_seconds", (uint64_t)a->asked);
	ibc_report_sum(app->report, "watched_seconds", (uint64_t)a->watched);
	ibc_report_sum(app->report, "sweeps", (uint64_t)a->samples);
	ibc_report_sum(app->report, "sweeps_failed", (uint64_t)a->failed);
	return app_say(app, err, "%s; watched %s of %s, in %.0f sweeps%s", app->headline, watched,
	               asked, a->samples, a->failed > 0 ? ", some of which failed" : "");
}

static const struct ibc_history_opts incidents = { .parts = IBC_HISTORY_INCIDENTS };

/* The rounds have told the hook; the state is theirs, and this sweep is no round. */
static int judge_all(struct app *app, struct ibc_error *err)
{
	struct acceptance *a = app->acceptance;
	const struct accept_cfg *c = app->cfg;
	struct ibc_history *h = NULL;
	int rc;

	app->common.hook = NULL;
	app->state_asked = true;
	app->physical |= a->physical > 0;
	rc = app_load(app, (const char *const *)&a->first, 1, &app->before, err);
	if (!rc)
		rc = all_sweep(app, &c->all.expect, true, err);
	if (!rc)
		rc = ibc_history_load(a->dir, &incidents, &h, err);
	if (!rc) {
		add_passed(app, h);
		add_uncovered(app);
		rc = say_sums(app, err);
	}
	ibc_history_free(h);
	return rc;
}

/* ---- the command --------------------------------------------------------------------------- */

static int start(struct app *app, const char *state, struct ibc_error *err)
{
	const struct accept_cfg *c = app->cfg;
	struct acceptance *a = calloc(1, sizeof(*a));
	struct ibc_fabric *plan = NULL;
	int rc;

	if (!a)
		return cmd_fail(err, -ENOMEM, "out of memory");
	a->held = -1;
	a->asked = c->seconds;
	app->acceptance = a;
	/* the plan now, not in eight hours */
	rc = app_load(app, c->all.expect.items, c->all.expect.n, &plan, err);
	ibc_fabric_free(plan);
	if (!rc)
		rc = acceptance_plan(&c->all.expect, &a->plan, err);
	return rc ? rc : acceptance_open(a, state, c->restart, err);
}

static int watch_all(struct app *app, const char *state, struct ibc_error *err)
{
	int rc = start(app, state, err);

	if (!rc)
		rc = sweep_first(app, err);
	if (!rc)
		rc = note_pause(app->acceptance, err);
	if (!rc)
		rc = watch_on(app, err);
	return rc || stop ? rc : judge_all(app, err);
}

static int accept_run(struct app *app, struct ibc_error *err)
{
	const char *state = app->common.state ? app->common.state : STATE_DEFAULT;
	char watched[TIME_TEXT], asked[TIME_TEXT];
	int rc = refuse_all(app, err);

	if (rc)
		return rc;
	catch_signals();
	app->stop = &stop;
	rc = watch_all(app, state, err);
	if (!stop || !app->acceptance)
		return rc;
	time_text(app->acceptance->watched, watched);
	time_text(app->acceptance->asked, asked);
	return cmd_fail(err, -ECANCELED,
	                "stopped, after %s of %s: the same command goes on with what is in %s",
	                watched, asked, state);
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
	const struct acceptance *a = app->acceptance;
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
	return acceptance_end(app->acceptance, err);
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
	.pictures = true,
	.run = accept_run,
	.tables = accept_tables,
	.done = accept_done,
};
