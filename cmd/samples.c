/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two samples of the counters: twice in one run, the sweep of the last run, or a
 * snapshot; and what to say when there is only one.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <ibcheck/counters.h>

#include "counters.h"

/* ---- one sweep, and another ------------------------------------------------------ */

static struct ibc_attrs wanted_counters(const struct counters_cfg *cfg)
{
	return IBC_ATTRS(IBC_ATTR_PORT_COUNTERS, cfg->vl ? IBC_ATTR_VL_XMIT_WAIT : IBC_ATTR_NONE);
}

static int sweep_counters(struct app *app, const struct counters_cfg *cfg, struct ibc_error *err)
{
	return app_sweep(app, wanted_counters(cfg), err);
}

static bool is_live(const struct ibc_subnet *subnet)
{
	return *subnet->ca && !*subnet->file;
}

/* A file tells the same however often it is read, but for a trace of two sweeps. */
static int refuse_files(const struct app *app, struct ibc_error *err)
{
	const struct ibc_subnet *subnet;

	for (size_t i = 0; (subnet = ibc_fabric_subnet(app->fabric, i)); i++)
		if (!is_live(subnet) && strcmp(subnet->kind, "trace") != 0)
			return cmd_fail(err, -EINVAL,
			                "--interval sweeps twice, but %s does not change; use "
			                "counters --since to compare it with an earlier snapshot",
			                subnet->source);
	return 0;
}

/* Between recorded sweeps the time has passed already. */
static void wait_between(const struct ibc_fabric *before, double seconds)
{
	const struct ibc_subnet *subnet;

	for (size_t i = 0; (subnet = ibc_fabric_subnet(before, i)); i++)
		if (is_live(subnet)) {
			clock_wait(seconds);
			return;
		}
}

int samples_interval(struct app *app, double seconds, struct ibc_attrs needs, struct ibc_error *err)
{
	int rc = app_sweep(app, needs, err);

	if (!rc)
		rc = refuse_files(app, err);
	if (rc)
		return rc;
	app->before = app->fabric;
	app->fabric = NULL;
	wait_between(app->before, seconds);
	return app_sweep(app, needs, err);
}

/* ---- a snapshot -------------------------------------------------------------------- */

static int take_since(struct app *app, const struct counters_cfg *cfg, struct ibc_error *err)
{
	int rc = app_load(app, &cfg->since, 1, &app->before, err);

	return rc ? rc : sweep_counters(app, cfg, err);
}

/* ---- the last run ------------------------------------------------------------------- */

/* What is there stays there, under a name that nobody writes to. */
static void set_aside(struct app *app, const char *suffix, const char *why)
{
	struct ibc_error err = { "" };
	const char *kept;

	if (!ibc_state_set_aside(app->state, suffix, &kept, &err)) {
		ibc_check_samples(app->report, IBC_SAMPLES_KEPT, why, kept);
		return;
	}
	ibc_check_samples(app->report, IBC_SAMPLES_STUCK, why, err.text);
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
		ibc_check_samples(app->report, IBC_SAMPLES_FIRST, path, NULL);
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
	ibc_check_samples(app->report, IBC_SAMPLES_UNWRITTEN, err.text, NULL);
}

static int take_state(struct app *app, const struct counters_cfg *cfg, struct ibc_error *err)
{
	struct ibc_error busy = { "" };
	int rc = ibc_state_open(cfg->state, &app->state, &busy);

	if (rc)
		ibc_check_samples(app->report, rc == -EBUSY ? IBC_SAMPLES_BUSY : IBC_SAMPLES_CLOSED,
		                  busy.text, NULL);
	rc = sweep_counters(app, cfg, err);
	if (rc || !app->state)
		return rc;
	if (!has_counters(app->fabric)) {
		ibc_check_samples(app->report, IBC_SAMPLES_EMPTY, cfg->state, NULL);
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
	return cmd_fail(err, -EINVAL, "--interval, --state and --since cannot be combined");
}

static int take_one(struct app *app, const struct counters_cfg *cfg, struct ibc_error *err)
{
	if (!cfg->totals)
		ibc_check_samples(app->report, IBC_SAMPLES_NONE, NULL, NULL);
	return sweep_counters(app, cfg, err);
}

int samples_take(struct app *app, const struct counters_cfg *cfg, struct ibc_error *err)
{
	int rc = refuse_several(cfg, err);

	if (rc)
		return rc;
	if (cfg->interval > 0)
		return samples_interval(app, cfg->interval, wanted_counters(cfg), err);
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
	return app_say(app, err, "%s; counters over %s", app->headline, text);
}

void samples_forget_misfit(struct app *app)
{
	if (!app->before || !ibc_samples_fit(app->before, app->fabric, NULL))
		return;
	ibc_fabric_free(app->before);
	app->before = NULL;
}
