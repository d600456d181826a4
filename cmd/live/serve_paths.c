/* SPDX-License-Identifier: BSD-2-Clause */
/* What is served: bodies that each sample becomes, and what is made when it is asked for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "serve.h"

#include "counters.h"
#include "history.h"

#define LATE_INTERVALS 3   /* as many samples missing are no accident */
#define PAST_SECONDS   0.5 /* reading the past of a thing takes a tenth of that at most, a guess */

/* ---- what each sample becomes ---------------------------------------------------------- */

static int render_report(const struct ibc_report *rep, const char *format, struct kept **out,
                         struct ibc_error *err)
{
	static const struct ibc_render_opts served = { .past_url = "thing.html?thing=" };
	FILE *file = kept_open(out);
	int rc;

	if (!file)
		return cmd_fail(err, -ENOMEM, "out of memory");
	rc = ibc_report_render(rep, format, &served, file, err);
	return kept_close(file, rc, out);
}

/* As "ibcheck history WORD -f html" shows it. */
static int render_history(const struct serve *s, const char *word, struct kept **out,
                          struct ibc_error *err)
{
	const char *line[] = { "ibcheck", cmd_history.name, word, NULL };
	char *args[] = { (char *)word, NULL };
	struct app app = { .cmd = &cmd_history,
		           .args = args,
		           .line.words = line,
		           .common = { .format = FORMAT_HTML, .state = s->state } };
	void *cfg = calloc(1, cmd_history.cfg_size);
	int rc = cfg ? 0 : cmd_fail(err, -ENOMEM, "out of memory");

	app.cfg = cfg;
	if (!rc)
		rc = run_report(&app, err);
	if (!rc)
		rc = render_report(app.report, FORMAT_HTML, out, err);
	run_free(&app);
	free(cfg);
	return rc;
}

int render_sample(const struct serve *s, struct app *app, struct kept *bodies[BODIES],
                  struct ibc_error *err)
{
	static const struct counters_choice all;
	int rc = render_report(app->report, FORMAT_HTML, &bodies[BODY_PAGE], err);

	if (!rc)
		rc = render_report(app->report, "json", &bodies[BODY_JSON], err);
	if (!rc && s->state) /* without a memory there is no past */
		rc = render_history(s, NULL, &bodies[BODY_INCIDENTS], err);
	if (!rc && s->state)
		rc = render_history(s, "top", &bodies[BODY_TOP], err);
	if (!rc) {
		/*
		 * The metrics last: only they have the counters of every port, half of the memory
		 * of a sample.  What the state remembers of the fabric goes before those come: it
		 * is read again each round.
		 */
		if (app->before)
			deltas_table(app, app->before, &all);
		if (app->before == app->memory.last)
			app->before = NULL;
		ibc_fabric_free(app->memory.last);
		app->memory.last = NULL;
		counters_tables(app, NULL, &all);
		rc = render_report(app->report, "prometheus", &bodies[BODY_METRICS], err);
	}
	for (int i = 0; rc && i < BODIES; i++)
		kept_drop(bodies[i]);
	return rc;
}

/* ---- what is asked for ------------------------------------------------------------------- */

/* Words and numbers only: nothing to escape. */
void describe_event(void *ctx, FILE *out)
{
	struct serve *s = ctx;

	pthread_mutex_lock(&s->lock);
	fprintf(out, "{\"time\": %lld, \"age_seconds\": %.1f, \"verdict\": \"%s\", \"failed\": %s}",
	        (long long)s->sampled, s->sampled_at > 0 ? clock_seconds() - s->sampled_at : 0,
	        ibc_severity_word(s->verdict)->word, *s->problem.text ? "true" : "false");
	pthread_mutex_unlock(&s->lock);
}

static bool is_late(const struct serve *s, double now)
{
	return !s->sampled_at || now - s->sampled_at > LATE_INTERVALS * s->interval + s->took;
}

static void put_gauge(FILE *out, const char *name, const char *help, double value)
{
	fprintf(out,
	        "# HELP ibcheck_serve_%s %s\n# TYPE ibcheck_serve_%s %s\nibcheck_serve_%s %.15g\n",
	        name, help, name, strstr(name, "_total") ? "counter" : "gauge", name,
	        (double)(uint64_t)(value * 1000) / 1000); /* no more digits than it means */
}

/* What follows the sample: how old it is, and whether a newer one comes. */
static int end_metrics(void *ctx, FILE *out)
{
	struct serve *s = ctx;

	pthread_mutex_lock(&s->lock);
	put_gauge(out, "sample_age_seconds", "Age of all metrics of this answer.",
	          clock_seconds() - s->sampled_at);
	put_gauge(out, "sample_duration_seconds",
	          "Time to sweep, check and render the last sample.", s->took);
	put_gauge(out, "interval_seconds", "From the beginning of a sweep to that of the next.",
	          s->interval);
	put_gauge(out, "last_round_failed", "1: the last sweep gave no sample, this one is older.",
	          *s->problem.text != '\0');
	put_gauge(out, "rounds_total", "Sweeps begun.", (double)s->rounds);
	put_gauge(out, "rounds_failed_total", "Sweeps that gave no sample.", (double)s->failures);
	pthread_mutex_unlock(&s->lock);
	return WEB_OK;
}

static int put_health(void *ctx, FILE *out)
{
	struct serve *s = ctx;
	double now = clock_seconds();
	char age[TIME_TEXT];
	bool ill;

	pthread_mutex_lock(&s->lock);
	ill = *s->problem.text || is_late(s, now);
	if (*s->problem.text)
		fprintf(out, "failing: %s\n", s->problem.text);
	else
		fputs(!s->sampled_at ? "starting\n" : ill ? "late\n" : "ok\n", out);
	if (s->sampled_at)
		fprintf(out, "last sample: %s ago, verdict %s\n",
		        duration_text(now - s->sampled_at, age),
		        ibc_severity_word(s->verdict)->word);
	pthread_mutex_unlock(&s->lock);
	return ill ? WEB_UNAVAILABLE : WEB_OK;
}

/* ?thing=leaf03/19: read from the state when it is asked for, and not more often than bearable. */
static int make_thing(void *ctx, const char *thing, struct kept **out, struct ibc_error *err)
{
	struct serve *s = ctx;
	double now = clock_seconds();

	if (!s->state)
		return cmd_fail(err, WEB_NOT_FOUND, "nothing is remembered: serve needs --state");
	if (!thing || !*thing)
		return cmd_fail(err, WEB_NOT_FOUND, "which?  thing.html?thing=leaf03/19");
	if (now - s->made_at < PAST_SECONDS)
		return cmd_fail(err, WEB_UNAVAILABLE, "busy: ask again in a second");
	s->made_at = now;
	return render_history(s, thing, out, err) ? WEB_NOT_FOUND : WEB_OK;
}

#define HTML "text/html; charset=utf-8"
#define TEXT "text/plain; charset=utf-8"
const struct web_path serve_paths[] = {
	{ "/", HTML, .text = page_index_html },
	{ "/live.css", "text/css; charset=utf-8", .text = page_live_css },
	{ "/live.js", "text/javascript; charset=utf-8", .text = page_live_js },
	{ "/metrics", "text/plain; version=0.0.4; charset=utf-8", .kept = true,
	  .end = end_metrics },
	{ "/report.json", "application/json", .kept = true },
	{ "/report.html", HTML, .kept = true },
	{ "/history.html", HTML, .kept = true },
	{ "/top.html", HTML, .kept = true },
	{ "/thing.html", HTML, .made = make_thing, .word = "thing" },
	{ "/healthz", TEXT, .end = put_health },
	{ 0 },
};
