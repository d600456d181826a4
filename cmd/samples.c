/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two samples of the counters: twice in one run, the sweep of the last run, or a
 * snapshot; and what to say when there is only one.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <ibcheck/counters.h>

#include "counters.h"

#define SAMPLES_ID "counters.state"

/* ---- telling ------------------------------------------------------------------- */

static void tell(struct app *app, enum ibc_severity severity, const char *advice,
                 const char *message, ...) __attribute__((format(printf, 4, 5)));

static void tell(struct app *app, enum ibc_severity severity, const char *advice,
                 const char *message, ...)
{
	const struct ibc_subject fabric = { .kind = IBC_SUBJECT_FABRIC };
	va_list ap;

	va_start(ap, message);
	ibc_report_vadd(app->report, SAMPLES_ID, severity, &fabric, message, ap);
	va_end(ap);
	ibc_report_advise(app->report, "%s", advice);
}

/* ---- one sweep, and another ------------------------------------------------------ */

static int sweep(struct app *app, const struct counters_cfg *cfg, struct ibc_error *err)
{
	return app_sweep(
	    app, IBC_ATTRS(IBC_ATTR_PORT_COUNTERS, cfg->vl ? IBC_ATTR_VL_XMIT_WAIT : IBC_ATTR_NONE),
	    err);
}

/* A file tells the same however often it is read. */
static int refuse_files(const struct app *app, struct ibc_error *err)
{
	const struct ibc_plane *plane;

	for (size_t i = 0; (plane = ibc_fabric_plane(app->fabric, i)); i++)
		if (!*plane->ca || *plane->file)
			return cmd_fail(err, -EINVAL,
			                "--interval sweeps twice, but %s does not change; "
			                "--since compares it with an earlier snapshot",
			                plane->source);
	return 0;
}

static int take_interval(struct app *app, const struct counters_cfg *cfg, struct ibc_error *err)
{
	int rc = sweep(app, cfg, err);

	if (!rc)
		rc = refuse_files(app, err);
	if (rc)
		return rc;
	app->before = app->fabric;
	app->fabric = NULL;
	clock_wait(cfg->interval);
	return sweep(app, cfg, err);
}

/* ---- a snapshot -------------------------------------------------------------------- */

static int take_since(struct app *app, const struct counters_cfg *cfg, struct ibc_error *err)
{
	int rc = app_load(app, &cfg->since, 1, &app->before, err);

	return rc ? rc : sweep(app, cfg, err);
}

/* ---- the last run ------------------------------------------------------------------- */

/* What is there stays there, under a name that nobody writes to. */
static void set_aside(struct app *app, const char *suffix, const char *why)
{
	struct ibc_error err = { "" };
	const char *kept;

	if (!ibc_state_set_aside(app->state, suffix, &kept, &err)) {
		tell(app, IBC_UNKNOWN,
		     "The next run compares with this one.  Look at the old file, then remove it.",
		     "there is nothing to compare with: %s; it is kept as %s", why, kept);
		return;
	}
	tell(app, IBC_UNKNOWN, "Move the file away by hand.",
	     "there is nothing to compare with, and this sweep is not kept: %s; %s", why, err.text);
	ibc_state_free(app->state);
	app->state = NULL;
}

/* A file of another fabric, or of another purpose, may be wanted yet; the rest the check tells. */
static void keep_other(struct app *app, const char *path)
{
	struct ibc_error why, text;
	int rc = ibc_samples_fit(app->before, app->fabric, &why);

	if (rc != -EXDEV && rc != -ENODATA)
		return;
	ibc_fabric_free(app->before);
	app->before = NULL;
	cmd_fail(&text, rc, "%s: %s", path, why.text);
	set_aside(app, "other", text.text);
}

static void load_state(struct app *app, const char *path)
{
	struct ibc_error err = { "" };
	int rc = ibc_state_load(app->state, NULL, &app->before, &err);

	if (!rc)
		keep_other(app, path);
	else if (rc == -ENOENT)
		tell(app, IBC_INFO, "Run it again: every run compares with the one before.",
		     "first sample: %s is made now, and nothing is compared yet", path);
	else
		set_aside(app, "damaged", err.text);
}

static bool has_counters(const struct ibc_fabric *fab)
{
	const struct ibc_port *port;

	for (size_t i = 0; (port = ibc_fabric_port(fab, i)); i++)
		if (port->counters)
			return true;
	return false;
}

static void save_state(struct app *app)
{
	struct ibc_error err = { "" };

	if (!app->state || !ibc_state_write(app->state, app->fabric, &err))
		return;
	tell(app, IBC_UNKNOWN, "Make room or another place for it: --state FILE.",
	     "this sweep is not kept, and the next run compares with an older one: %s", err.text);
}

static int take_state(struct app *app, const struct counters_cfg *cfg, struct ibc_error *err)
{
	struct ibc_error busy = { "" };
	int rc = ibc_state_open(cfg->state, &app->state, &busy);

	if (rc)
		tell(app, IBC_UNKNOWN,
		     rc == -EBUSY ? "Let runs be further apart than they take."
		                  : "Name a file in a directory that can be written.",
		     "nothing is compared, and this sweep is not kept: %s", busy.text);
	rc = sweep(app, cfg, err);
	if (rc || !app->state)
		return rc;
	if (!has_counters(app->fabric)) {
		tell(app, IBC_UNKNOWN, "See what port.silent and counters.silent say.",
		     "nothing is compared, and %s stays as it is: this sweep holds no counters",
		     cfg->state);
		return 0;
	}
	load_state(app, cfg->state);
	save_state(app);
	return 0;
}

/* ---- which of them -------------------------------------------------------------------- */

static int refuse_several(const struct counters_cfg *cfg, struct ibc_error *err)
{
	if ((cfg->interval > 0) + !!cfg->state + !!cfg->since <= 1)
		return 0;
	return cmd_fail(err, -EINVAL,
	                "--interval, --state and --since each say what to compare with: give one");
}

static int take_one(struct app *app, const struct counters_cfg *cfg, struct ibc_error *err)
{
	if (!cfg->totals)
		tell(app, IBC_UNKNOWN,
		     "Take two: --interval 10s, --state FILE or --since SNAPSHOT; or judge the "
		     "totals: --totals.",
		     "one sweep tells what was counted since nobody knows when: no counter is "
		     "judged");
	return sweep(app, cfg, err);
}

int samples_take(struct app *app, const struct counters_cfg *cfg, struct ibc_error *err)
{
	int rc = refuse_several(cfg, err);

	if (rc)
		return rc;
	if (cfg->interval > 0)
		return take_interval(app, cfg, err);
	if (cfg->since)
		return take_since(app, cfg, err);
	return cfg->state ? take_state(app, cfg, err) : take_one(app, cfg, err);
}

int samples_say(struct app *app, struct ibc_error *err)
{
	const struct ibc_port *port;
	struct ibc_delta delta = { .seconds = 0 };
	char text[TIME_TEXT];

	for (size_t i = 0; app->before && (port = ibc_fabric_port(app->fabric, i)); i++)
		if (ibc_delta_of(app->before, port, &delta))
			break;
	if (!(delta.seconds > 0))
		return 0;
	time_text(delta.seconds, text);
	return app_say(app, err, "%s; counted in %s", app->headline, text);
}

void samples_forget_misfit(struct app *app)
{
	if (!app->before || !ibc_samples_fit(app->before, app->fabric, NULL))
		return;
	ibc_fabric_free(app->before);
	app->before = NULL;
}
