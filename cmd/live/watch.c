/* SPDX-License-Identifier: BSD-2-Clause */
/* "all" again and again, live: a screen for a person, else what happens as lines. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "watch.h"

static const struct opt watch_opts[] = {
	OPT_SECONDS('i', "interval", "S", struct watch_cfg, interval_seconds, WINDOW_MAX_SECONDS,
	            "sweep every S seconds (default 1), later where devices do not answer in time",
	            .section = "watch"),
	OPT_UINT(0, "count", "N", struct watch_cfg, count, 1, UINT32_MAX,
	         "end after N sweeps (default: when q is pressed, or a signal comes)",
	         .section = "watch"),
	ALL_OPTS(struct watch_cfg, all.),
	OPT_END,
};

static bool had_terminal;

static bool has_terminal(void)
{
	/* in a handler: the open() of a simulator has a lock, which this thread may hold */
	int fd = openat(AT_FDCWD, "/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* SIGHUP of a terminal that was closed ends it; another one means the configuration. */
static void on_signal(int signum)
{
	int kept = errno;

	if (signum == SIGHUP && has_terminal() == had_terminal)
		watch_reload = true;
	else
		watch_stop = true;
	errno = kept;
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

static int run(struct watch *watch, struct ibc_error *err)
{
	const char *term = getenv("TERM"), *output = watch->app->common.output;
	struct out out;
	int rc;

	if (!watch->json && !output && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term &&
	    strcmp(term, "dumb") != 0) {
		rc = watch_show(watch, err);
		if (rc != -ENOTTY)
			return rc;
	}
	rc = out_open(&out, output, err);
	if (rc)
		return rc;
	watch->out = &out;
	if (!watch_round(watch))
		rc = cmd_fail(err, -EIO, "%s", watch->failure.text);
	while (!rc) {
		struct pollfd reader = { .fd = out.fd };

		/* a full disk, or a reader that has gone, even while nothing happens */
		fflush(out.file);
		if (!out.error && poll(&reader, 1, 0) > 0 && reader.revents & POLLERR)
			out.error = EPIPE;
		if (out.error || !watch_wait(watch))
			break;
		watch_round(watch);
	}
	return out_end(&out, rc, err);
}

static int watch_stay(struct app *app, enum ibc_severity *verdict, struct ibc_error *err)
{
	static struct watch watch = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct again_opts opts = { .since_first = true, .verify = verify, .stop = &watch_stop };
	int rc = verify(app, err);

	if (rc)
		return rc;
	watch.app = app;
	watch.json = !strcmp(app->common.format, FORMAT_JSON);
	watch_settle(&watch, app);
	opts.interval_seconds = watch.interval;
	had_terminal = has_terminal();
	out_catch(on_signal, 0);
	capabilities_drop_live(app);
	rc = again_new(app, &opts, &watch.again, err);
	if (!rc)
		rc = run(&watch, err);
	if (!rc && again_now(watch.again) && !*watch.failure.text)
		*verdict = ibc_report_verdict(again_now(watch.again)->report);
	again_free(watch.again);
	log_free(&watch.log);
	free(watch.rates.rows);
	free(watch.spots);
	return rc;
}

const struct cmd cmd_watch = {
	.name = "watch",
	.summary = "live view of ports and events, in a terminal",
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
	/* a sweep of the largest fabrics takes less */
	.defaults = &(const struct watch_cfg){ .interval_seconds = 1 },
	.stay = watch_stay,
};
