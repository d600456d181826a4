/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "all" every so often in one thread, its last whole sample over HTTP in the other: neither waits
 * for the other, but to exchange a few pointers.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "counters.h"
#include "expect.h"
#include "httpd.h"
#include "serve.h"
#include "service.h"

#define LISTEN_DEFAULT   "127.0.0.1:9917"
#define INTERVAL_DEFAULT 30   /* seconds: Prometheus scrapes every 15 s to a minute */
#define TURN_SECONDS     0.2  /* between looks at signals and clients: the end comes in a second */
#define END_SECONDS      0.7  /* for a sweep to end; the state is safe whatever it does then */
#define STATUS_MAX       1024 /* a headline; systemd shows a line */
#define STUCK_SECONDS    600  /* no sweep of any fabric takes that long, unless it hangs */

static const struct opt serve_opts[] = {
	OPT_STR(0, "listen", "ADDRESS", struct serve_cfg, listen,
	        "serve HTTP there (default " LISTEN_DEFAULT "); a listening socket of systemd "
	        "goes first",
	        .section = "serve"),
	OPT_SECONDS('i', "interval", "S", struct serve_cfg, interval, WINDOW_MAX_SECONDS,
	            "from the beginning of one sweep to that of the next (default 30s)",
	            .section = "serve"),
	OPT_FLAG(0, "insecure", struct serve_cfg, insecure,
	         "listen at an address that other hosts reach, too: there is no password and no "
	         "encryption",
	         .section = "serve"),
	ALL_OPTS(struct serve_cfg, all.),
	OPT_END,
};

static atomic_bool stop, reload;

/* ---- the thread that sweeps -------------------------------------------------------------- */

/* A plan that is misspelt would not come later, as a fabric may. */
static int verify_plans(const struct str_list *plans, struct ibc_error *err)
{
	for (size_t i = 0; i < plans->n; i++)
		if (access(plans->items[i], R_OK))
			return cmd_fail(err, -errno, "cannot open %s: %s", plans->items[i],
			                strerror(errno));
	return 0;
}

static void say_kept(const char *option, const char *was, const char *is)
{
	if (strcmp(was ? was : "", is ? is : "") != 0)
		say_error("--%s stays as it was until the next start", option);
}

static void read_settings_again(struct serve *s)
{
	struct app fresh = settings_none(s->app);
	const struct serve_cfg *was = s->app->cfg, *c;
	struct ibc_error err = { "" };
	int rc = settings_read(&fresh, &err);

	c = fresh.cfg;
	if (!rc)
		rc = verify_plans(&c->all.expect, &err);
	if (!rc)
		rc = again_reload(s->again, &err);
	if (!rc) {
		/* clients and the state are bound to these */
		say_kept("listen", was->listen, c->listen);
		say_kept("insecure", was->insecure ? "yes" : "", c->insecure ? "yes" : "");
		say_kept("state", s->app->common.state, fresh.common.state);
		again_set_interval(s->again, c->interval);
		pthread_mutex_lock(&s->lock);
		s->interval = c->interval;
		pthread_mutex_unlock(&s->lock);
	}
	say_error("%s", rc ? err.text : "the configuration was read again");
	settings_free(&fresh);
}

static void sample_once(struct serve *s)
{
	struct kept *bodies[BODIES] = { NULL };
	enum ibc_severity verdict = IBC_UNKNOWN;
	struct ibc_error err = { "" };
	char status[STATUS_MAX];
	struct app *app;
	int rc;

	pthread_mutex_lock(&s->lock);
	s->began = clock_seconds();
	s->rounds++;
	pthread_mutex_unlock(&s->lock);
	rc = again_sweep(s->again, &err);
	if (!rc) {
		again_turn(s->again);
		app = again_now(s->again);
		verdict = ibc_report_verdict(app->report);
		snprintf(status, sizeof(status), "STATUS=%s: %s", ibc_severity_word(verdict)->word,
		         app->headline);
		rc = render_sample(s, app, bodies, &err);
		again_shrink(s->again);
	}
	if (!rc) {
		service_say(status);
		pthread_mutex_lock(&s->lock);
		*s->problem.text = '\0';
		s->sampled = time(NULL);
		s->sampled_at = clock_seconds();
		s->took = s->sampled_at - s->began;
		s->verdict = verdict;
		pthread_mutex_unlock(&s->lock);
		web_publish(s->web, bodies);
	} else if (rc == -EINVAL && !s->sampled) { /* the next one would say the same */
		s->problem = err;
		s->failed = rc;
		stop = true;
	} else if (rc != -ECANCELED) {
		/* the journal gets it once, not every round */
		if (strcmp(s->problem.text, err.text) != 0)
			say_error("%s", err.text);
		service_say("STATUS=The last sweep gave no sample");
		pthread_mutex_lock(&s->lock);
		s->failures++;
		s->problem = err;
		pthread_mutex_unlock(&s->lock);
		web_publish(s->web, NULL);
	}
	malloc_trim(0); /* for hours, by the page */
}

static void *sample_until_end(void *arg)
{
	struct serve *s = arg;
	struct timespec due;

	while (!stop) {
		if (atomic_exchange(&reload, false))
			read_settings_again(s);
		sample_once(s);
		due = clock_after(CLOCK_MONOTONIC, again_pause(s->again));
		pthread_mutex_lock(&s->lock);
		s->began = 0;
		while (!stop && !reload &&
		       pthread_cond_timedwait(&s->wake, &s->lock, &due) != ETIMEDOUT)
			;
		pthread_mutex_unlock(&s->lock);
	}
	return NULL;
}

/* ---- beginning and end -------------------------------------------------------------------- */

static void on_signal(int sig)
{
	if (sig == SIGHUP)
		reload = true;
	else
		stop = true;
}

/*
 * Listens.  A socket of systemd goes first; one that other hosts reach has neither password nor
 * encryption, so it has to be asked for.
 */
static int start_web(struct serve *s, const struct serve_cfg *c, struct ibc_error *err)
{
	struct web_opts opts = WEB_OPTS_INIT;
	char url[WEB_URL];
	int rc = service_listener(&opts.listener, err);

	if (!rc && opts.listener < 0)
		rc = web_listen(c->listen ? c->listen : LISTEN_DEFAULT, &opts.listener, err);
	if (rc)
		return rc;
	if (!c->insecure && !web_is_local(opts.listener)) {
		close(opts.listener);
		return cmd_fail(err, -EACCES,
		                "every host may connect to this address, without a password: use a "
		                "loopback address and a web server in front of it, or --insecure");
	}
	opts.any_host = c->insecure;
	opts.paths = serve_paths;
	opts.events = "/events";
	opts.event = describe_event;
	opts.ctx = s;
	rc = web_new(&opts, &s->web, err);
	if (!rc)
		say_error("serving at %s", web_url(opts.listener, url));
	return rc;
}

/* Says that all is alive, while it is: a sweep that hangs is the service manager's to end. */
static void serve_until_end(struct serve *s)
{
	double period = service_watchdog(), next = 0;

	service_say("READY=1");
	while (!stop) {
		double now;
		bool stuck;

		web_run(s->web, TURN_SECONDS);
		if (reload)
			pthread_cond_signal(&s->wake);
		now = clock_seconds();
		if (!(period > 0) || now < next)
			continue;
		next = now + period / 2;
		pthread_mutex_lock(&s->lock);
		stuck = s->began && now - s->began > STUCK_SECONDS;
		pthread_mutex_unlock(&s->lock);
		if (!stuck)
			service_say("WATCHDOG=1");
	}
	service_say("STOPPING=1");
}

static int start_all(struct serve *s, const struct app *app, const struct again_opts *opts,
                     struct ibc_error *err)
{
	struct app settings = settings_none(app);
	const struct serve_cfg *c = app->cfg;
	pthread_condattr_t attr;
	int rc = verify_plans(&c->all.expect, err);

	/* the directory stays what it was when it was taken, whatever the configuration says later
	 */
	settings.asked.state = s->state = app->common.state;
	settings_give(&settings, "state");
	if (!rc && s->state) {
		s->held = ibc_dir_make(s->state, err);
		if (s->held < 0)
			return s->held;
		/* two that sample into one memory would each miss what the other one reports */
		if (flock(s->held, LOCK_EX | LOCK_NB))
			return cmd_fail(err, -EBUSY, "%s is held by another ibcheck serve",
			                s->state);
	}
	if (!rc)
		rc = again_new(&settings, opts, &s->again, err);
	if (!rc)
		rc = start_web(s, c, err);
	if (rc)
		return rc;
	capabilities_drop_live(app); /* a port below 1024 is taken by now */
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->wake, &attr);
	mallopt(M_ARENA_MAX, 1); /* what one thread frees, the other can have */
	rc = pthread_create(&s->sampler, NULL, sample_until_end, s);
	return rc ? cmd_fail(err, -rc, "cannot start a thread: %s", strerror(rc)) : 0;
}

static int stay(struct app *app, enum ibc_severity *verdict, struct ibc_error *err)
{
	struct cmd sampled = cmd_all; /* with the tables that only the metrics have */
	const struct serve_cfg *cfg = app->cfg;
	struct serve s = { .app = app, .held = -1, .interval = cfg->interval };
	const struct again_opts opts = { .cmd = &sampled,
		                         .format = FORMAT_HTML,
		                         .interval_seconds = s.interval,
		                         .steady = true,
		                         .stop = &stop };
	static const int caught[] = { SIGHUP, SIGINT, SIGTERM };
	const struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	const struct common *c = &app->asked;
	struct timespec until;
	int rc = 0;

	/* those would be of one run */
	if (c->output || c->record)
		rc = cmd_fail(err, -EINVAL, "serve writes no file: --%s is for all",
		              c->output ? "output" : "record");
	else if (strcmp(c->format, FORMAT_TEXT) != 0)
		rc = cmd_fail(err, -EINVAL,
		              "serve has paths instead of -f: /metrics, /report.json");
	sampled.shows = app->cmd->shows;
	*verdict = IBC_OK; /* it was stopped: what it found, it has served */
	for (size_t i = 0; i < ARRAY_SIZE(caught); i++)
		sigaction(caught[i], &act, NULL);
	if (!rc)
		rc = start_all(&s, app, &opts, err);
	if (!rc) {
		serve_until_end(&s);
		pthread_kill(s.sampler, SIGTERM); /* for a hook that runs */
		pthread_mutex_lock(&s.lock);
		pthread_cond_signal(&s.wake);
		pthread_mutex_unlock(&s.lock);
		until = clock_after(CLOCK_REALTIME, END_SECONDS);
		/* a sampler that does not end in time is left: the process ends under it */
		if (pthread_timedjoin_np(s.sampler, NULL, &until))
			_exit(ibc_severity_exit(*verdict));
	}
	web_free(s.web);
	again_free(s.again);
	if (s.held >= 0)
		close(s.held);
	return rc ? rc : s.failed ? cmd_fail(err, s.failed, "%s", s.problem.text) : 0;
}

const struct cmd cmd_serve = {
	.name = "serve",
	.summary = "metrics and a page of all checks, kept up to date over HTTP",
	.example = "serve --state /var/lib/ibcheck\n"
		   "serve --listen 127.0.0.1:9917 --interval 1m --expect plan.csv\n",
	.group = CMD_FABRIC,
	.takes = ALL_TAKES,
	.checks = CHECKS_OF_FABRIC,
	.opts = serve_opts,
	.cfg_size = sizeof(struct serve_cfg),
	.defaults = &(const struct serve_cfg){ .interval = INTERVAL_DEFAULT },
	.shows = TABLES(&plan_type, &windows_type, &links_type, &nodes_type, &counters_type,
	                &deltas_type),
	.stay = stay,
};

static void say_version(FILE *out)
{
	struct ibc_error err;

	if (httpd_load(&err))
		fprintf(out, "%-14s %-14s %s\n", "libmicrohttpd", "-", err.text);
	else
		version_library(out, "libmicrohttpd", mhd.get_version(),
		                (const void *)mhd.get_version);
}

const struct addition addition_libmicrohttpd = { .library = say_version };
