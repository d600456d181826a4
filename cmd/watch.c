/* SPDX-License-Identifier: BSD-2-Clause */
/* "all" again and again, live: a screen for a person, else what happens as lines. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ibcheck/names.h>

#include "watch.h"

#define DEFAULT_SECONDS 1   /* a sweep of the largest fabrics takes less */
#define PIECE_SECONDS   0.1 /* of a wait: a signal, or a key, is noticed after that */
#define FORMAT_JSON     "json"

static const struct opt watch_opts[] = {
	OPT_SECONDS('i', "interval", "S", struct watch_cfg, interval_seconds, WINDOW_MAX_SECONDS,
	            "sweep every S seconds (default 1), later where devices do not answer in time"),
	OPT_UINT(0, "count", "N", struct watch_cfg, count, 1, UINT32_MAX,
	         "end after N sweeps (default: when q is pressed, or a signal comes)"),
	ALL_OPTS(struct watch_cfg, all.),
	OPT_END,
};

atomic_bool watch_stop;

static void on_signal(int signum)
{
	(void)signum;
	watch_stop = true;
}

static void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction act = { .sa_handler = on_signal }, old;

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &act, NULL);
}

/* ---- what is looked at ---------------------------------------------------------------- */

bool watch_wants(const struct watch *watch, struct spot spot)
{
	for (size_t i = 0; i < watch->num_spots; i++)
		if (watch->spots[i].guid == spot.guid &&
		    (!watch->spots[i].num || watch->spots[i].num == spot.num))
			return true;
	return !watch->thing;
}

/* What is gone stays what it was. */
static int find_thing(struct watch *watch, struct ibc_error *err)
{
	const struct app *now = again_now(watch->again);
	struct ibc_place *places;
	struct spot *spots;
	size_t n;
	int rc = watch->thing ? ibc_fabric_find(now->fabric, watch->thing, &places, &n, err) : 0;

	if (rc && !watch->thing_lost)
		watch->thing_lost = time(NULL);
	if (rc || !watch->thing)
		return rc;
	spots = calloc(n, sizeof(*spots));
	for (size_t i = 0; spots && i < n; i++)
		spots[i] = (struct spot){ places[i].node->guid, places[i].port };
	free(places);
	if (!spots)
		return cmd_fail(err, -ENOMEM, "out of memory");
	free(watch->spots);
	watch->spots = spots;
	watch->num_spots = n;
	watch->thing_lost = 0;
	return 0;
}

/* ---- rounds --------------------------------------------------------------------------- */

static void say_pace(struct watch *watch)
{
	double interval = again_interval(watch->again);
	char text[TIME_TEXT];

	if (interval == watch->interval)
		return;
	time_text(interval, text);
	if (interval < watch->interval)
		log_say(watch, WATCH_FASTER, "sweeps every %s again", text);
	else if (!*watch->failure.text)
		log_say(watch, WATCH_SLOWER, "devices do not answer in time: next sweep after %s",
		        text);
	watch->interval = interval;
}

static void say_failure(struct watch *watch, const struct ibc_error *why)
{
	bool is_new = strcmp(watch->failure.text, why->text) != 0;

	watch->failure = *why;
	if (is_new && watch->rounds)
		log_say(watch, WATCH_FAILED, "sweep failed: %s", why->text);
}

static int learn(struct watch *watch, struct ibc_error *err)
{
	struct ibc_error ignored;
	int rc;

	again_turn(watch->again);
	if (*watch->failure.text)
		log_say(watch, WATCH_RESUMED, "sweeps succeed again");
	watch->failure = (struct ibc_error){ "" };
	rc = find_thing(watch, watch->rounds ? &ignored : err);
	if (rc && !watch->rounds)
		return rc;
	rc = log_round(watch, err);
	if (!rc && !watch->out)
		rc = rates_fill(watch, err);
	watch->rounds++;
	return rc;
}

bool watch_round(struct watch *watch)
{
	struct ibc_error why = { "" };
	int rc = again_sweep(watch->again, &why);

	if (rc == -ECANCELED)
		return false;
	if (rc && !*why.text) /* its complaints are on stderr */
		cmd_fail(&why, rc, "what it reads cannot be used");
	pthread_mutex_lock(&watch->lock);
	if (!rc)
		rc = learn(watch, &why);
	if (rc)
		say_failure(watch, &why);
	say_pace(watch);
	pthread_mutex_unlock(&watch->lock);
	return !rc;
}

bool watch_wait(struct watch *watch)
{
	double left;

	while (!watch_stop && ((left = again_pause(watch->again)) > 0 || watch->frozen))
		clock_wait(left > 0 && left < PIECE_SECONDS ? left : PIECE_SECONDS);
	return !watch_stop;
}

/* ---- lines ---------------------------------------------------------------------------- */

/* A reader that has gone, or a full disk, is noticed when the next line is written. */
static int flush(struct watch *watch)
{
	return fflush(watch->out->file) || watch->out->error ? -EIO : 0;
}

static int print_rounds(struct watch *watch)
{
	const struct watch_cfg *c = watch->cfg;
	int rc = flush(watch);

	for (unsigned int n = 1; !rc && (!c->count || n < c->count) && watch_wait(watch); n++) {
		watch_round(watch);
		rc = flush(watch);
	}
	return 0;
}

/* ---- the command ------------------------------------------------------------------------ */

static int verify(const struct app *app, struct ibc_error *err)
{
	const struct common *c = &app->common;

	if (strcmp(c->format, FORMAT_TEXT) && strcmp(c->format, FORMAT_JSON))
		return cmd_fail(err, -EINVAL, "watch writes text or json, not %s", c->format);
	if (app->args[0] && c->node)
		return cmd_fail(err, -EINVAL, "name what to watch, or --node, not both");
	return 0;
}

static bool wants_screen(const struct watch *watch)
{
	const char *term = getenv("TERM");

	return !watch->json && !watch->app->common.output && isatty(STDIN_FILENO) &&
	       isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
}

static int run(struct watch *watch, struct ibc_error *err)
{
	struct out out;
	int rc;

	if (wants_screen(watch)) {
		rc = watch_show(watch, err);
		if (rc != -ENOTTY)
			return rc;
	}
	rc = out_open(&out, watch->app->common.output, err);
	if (rc)
		return rc;
	watch->out = &out;
	rc = watch_round(watch) ? print_rounds(watch)
	                        : cmd_fail(err, -EIO, "%s", watch->failure.text);
	return out_end(&out, rc, err);
}

static int watch_stay(struct app *app, enum ibc_severity *verdict, struct ibc_error *err)
{
	const struct watch_cfg *c = app->cfg;
	struct again_opts opts = { .all = &c->all, .since_first = true, .stop = &watch_stop };
	struct watch *watch = calloc(1, sizeof(*watch));
	int rc = watch ? verify(app, err) : cmd_fail(err, -ENOMEM, "out of memory");

	if (rc) {
		free(watch);
		return rc;
	}
	opts.interval_seconds = c->interval_seconds > 0 ? c->interval_seconds : DEFAULT_SECONDS;
	*watch = (struct watch){ .app = app,
		                 .cfg = c,
		                 .lock = PTHREAD_MUTEX_INITIALIZER,
		                 .thing = app->args[0] ? app->args[0] : app->common.node,
		                 .json = !strcmp(app->common.format, FORMAT_JSON),
		                 .interval = opts.interval_seconds };
	catch_signals();
	rc = again_new(app, &opts, &watch->again, err);
	if (!rc)
		rc = run(watch, err);
	if (!rc && again_now(watch->again) && !*watch->failure.text)
		*verdict = ibc_report_verdict(again_now(watch->again)->report);
	again_free(watch->again);
	log_free(&watch->log);
	free(watch->rates.rows);
	free(watch->spots);
	free(watch);
	return rc;
}

const struct cmd cmd_watch = {
	.name = "watch",
	.summary = "the fabric live: what happens, and how links do",
	.args = "[THING]",
	.max_args = 1,
	.example = "watch\n"
		   "watch leaf03 --expect plan.csv\n"
		   "watch -i 5 -f json >>events.json\n",
	.group = CMD_FABRIC,
	.takes = ALL_TAKES,
	.checks = CHECKS_OF_FABRIC,
	.opts = watch_opts,
	.cfg_size = sizeof(struct watch_cfg),
	.stay = watch_stay,
};
