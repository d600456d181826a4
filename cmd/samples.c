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

static bool has_counters(const struct ibc_fabric *fab)
{
	const struct ibc_port *port;

	for (size_t i = 0; fab && (port = ibc_fabric_port(fab, i)); i++)
		if (port->counters)
			return true;
	return false;
}

static int take_state(struct app *app, const struct counters_cfg *cfg, struct ibc_error *err)
{
	int rc = sweep_counters(app, cfg, err);

	if (rc)
		return rc;
	app_remember(app);
	if (has_counters(app->fabric) && (!app->store || has_counters(app->remembered)))
		return 0;
	app->before = NULL; /* other commands may have been here before */
	ibc_check_samples(app->report,
	                  has_counters(app->fabric) ? IBC_SAMPLES_FIRST : IBC_SAMPLES_EMPTY,
	                  has_counters(app->fabric) ? app->common.state : NULL);
	return 0;
}

/* ---- which of them -------------------------------------------------------------------- */

static int refuse_several(const struct counters_cfg *cfg, struct ibc_error *err)
{
	if (!(cfg->interval > 0) || !cfg->since)
		return 0;
	return cmd_fail(err, -EINVAL, "--interval and --since cannot be combined");
}

static int take_one(struct app *app, const struct counters_cfg *cfg, struct ibc_error *err)
{
	if (!cfg->totals)
		ibc_check_samples(app->report, IBC_SAMPLES_NONE, NULL);
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
	return app->common.state ? take_state(app, cfg, err) : take_one(app, cfg, err);
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
	if (app->before != app->remembered)
		ibc_fabric_free(app->before);
	app->before = NULL;
}
