/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples of the counters: several of one run, the sweep of the last run, or a snapshot;
 * and what to say when there is only one.
 */
#include <errno.h>
#include <string.h>

#include <ibcheck/counters.h>

#include "counters.h"

/* ---- windows of time -------------------------------------------------------------- */

/* What the configuration asks is for sweeps, and for checks that compare counters. */
bool samples_wanted(const struct app *app)
{
	return app->cmd->takes & TAKES_WINDOWS && app->common.interval_seconds > 0 &&
	       (app->asked.interval_seconds > 0 ||
	        (asks_sweep(app) && ibc_check_inputs(app->selection) & IBC_IN_BEFORE));
}

static unsigned int windows_wanted(const struct app *app)
{
	return app->common.windows ? app->common.windows : 1;
}

int samples_verify(const struct app *app, struct ibc_error *err)
{
	double seconds = app->common.interval_seconds;
	unsigned int n = windows_wanted(app);
	char text[2][TIME_TEXT];

	if (app->asked.windows && !(seconds > 0))
		return cmd_fail(err, -EINVAL, "--count %u needs --interval S, the time of each", n);
	if (!samples_wanted(app) || seconds * n <= WINDOW_MAX_SECONDS)
		return 0;
	return cmd_fail(err, -EINVAL, "%u windows of %s take %s: a run may take a day", n,
	                duration_text(seconds, text[0]), duration_text(seconds * n, text[1]));
}

/* What changes from window to window; the last sweep reads all else. */
static struct ibc_attrs sampled(const struct app *app, struct ibc_attrs needs)
{
	struct ibc_attrs attrs = IBC_ATTRS();

	/* does anything but the physical layer have counters that are compared? */
	if (!app->how.physical ||
	    ibc_attrs_has(ibc_attrs_or(needs, ibc_check_needs(app->selection)),
	                  IBC_ATTR_PORT_COUNTERS))
		ibc_attrs_add(&attrs, IBC_ATTR_PORT_COUNTERS);
	if (ibc_attrs_has(needs, IBC_ATTR_VL_XMIT_WAIT))
		ibc_attrs_add(&attrs, IBC_ATTR_VL_XMIT_WAIT);
	if (!app->how.physical)
		return attrs;
	return ibc_attrs_or(attrs, IBC_ATTRS(IBC_ATTR_PHY_ERRORS, IBC_ATTR_PHY_FEC_BLOCKS,
	                                     IBC_ATTR_PHY_RECOVERIES, IBC_ATTR_PHY_PLR,
	                                     IBC_ATTR_PHY_FEC_HISTOGRAM, IBC_ATTR_PHY_MODULE));
}

/* Waits, and sweeps; whether there is time for another window. */
static int take_window(struct app *app, struct ibc_attrs needs, bool *more, struct ibc_error *err)
{
	unsigned int window = (unsigned int)app->sweep.num_windows + 1, of = windows_wanted(app);
	struct ibc_fabric *before = app->fabric;
	const struct ibc_subnet *subnet;
	bool live = false, whole;
	char where[64];
	int rc;

	if (!app->before)
		app->before = before;
	app->fabric = NULL;
	/* between recorded sweeps the time has passed already */
	for (size_t i = 0; (subnet = ibc_fabric_subnet(before, i)); i++)
		live |= subnet_is_live(subnet);
	whole = !live || window_wait(app->common.interval_seconds, window, of);
	*more = whole && window < of;
	rc = *more ? app_sample(app, sampled(app, needs), err)
	           : app_sweep(app, ibc_attrs_or(needs, sampled(app, needs)), err);
	/* one that was cut short is not like the others: it only counts if there is no other */
	if (!rc && (whole || !app->sweep.num_windows)) {
		rc = ibc_windows_add(app->windows, before, app->fabric, err);
		if (!rc)
			rc = windows_add(app, before, err);
	}
	if (!rc && !whole) {
		snprintf(where, sizeof(where), "%u of %u windows", window - 1, of);
		ibc_check_samples(app->report, IBC_SAMPLES_CUT, where);
	}
	if (before != app->before)
		ibc_fabric_free(before);
	return rc;
}

int samples_sweep(struct app *app, struct ibc_attrs needs, struct ibc_error *err)
{
	const struct ibc_subnet *subnet;
	bool more = true;
	int rc;

	if (!samples_wanted(app))
		return app_sweep(app, needs, err);
	rc = ibc_windows_new(&app->windows, err);
	if (!rc)
		rc = app_sample(app, sampled(app, needs), err);
	/* a file contains the same however often it is read, but for a trace of several sweeps */
	for (size_t i = 0; !rc && (subnet = ibc_fabric_subnet(app->fabric, i)); i++)
		if (!subnet_is_live(subnet) && strcmp(subnet->kind, "trace") != 0)
			return cmd_fail(err, -EINVAL,
			                "--interval sweeps twice, but %s does not change; %s",
			                subnet->source,
			                app->how.physical
			                    ? "run this on an earlier snapshot first, both times "
			                      "with the same --state DIR"
			                    : "use counters --since to compare it with an earlier "
			                      "snapshot");
	while (!rc && more)
		rc = take_window(app, needs, &more, err);
	return rc;
}

/* ---- counters alone ---------------------------------------------------------------- */

static bool has_counters(const struct ibc_fabric *fab)
{
	const struct ibc_port *port;

	for (size_t i = 0; fab && (port = ibc_fabric_port(fab, i)); i++)
		if (port->counters)
			return true;
	return false;
}

int samples_take(struct app *app, const struct counters_cfg *cfg, struct ibc_error *err)
{
	struct ibc_attrs needs = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS,
	                                   cfg->vl ? IBC_ATTR_VL_XMIT_WAIT : IBC_ATTR_NONE);
	bool counted;
	int rc = 0;

	if (cfg->since && app->asked.interval_seconds > 0)
		return cmd_fail(err, -EINVAL, "--interval and --since cannot be combined");
	if (!cfg->since && samples_wanted(app)) /* why links are full that others stand beside */
		return samples_sweep(app, ibc_attrs_or(needs, IBC_ATTRS(IBC_ATTR_AR_INFO)), err);
	if (cfg->since)
		rc = app_load(app, &cfg->since, 1, &app->before, err);
	if (!rc)
		rc = app_sweep(app, needs, err);
	if (rc || cfg->since)
		return rc;
	counted = has_counters(app->fabric);
	if (app->common.state) {
		app_remember(app);
		/* with the last run, unless that read the same file */
		if (counted && (!app->memory.store || has_counters(app->memory.last)) &&
		    (!app_read_twice(app) ||
		     (app->before && !ibc_samples_fit(app->before, app->fabric, NULL))))
			return 0;
		app->before = NULL; /* other commands may have been here before */
	}
	if (app_read_twice(app))
		app->before = app->fabric;
	else if (app->common.state)
		ibc_check_samples(app->report, counted ? IBC_SAMPLES_FIRST : IBC_SAMPLES_EMPTY,
		                  counted ? app->common.state : NULL);
	else if (!cfg->totals)
		ibc_check_samples(app->report, IBC_SAMPLES_NONE, NULL);
	return 0;
}

int samples_say(struct app *app, struct ibc_error *err)
{
	const struct ibc_port *port;
	struct ibc_delta delta = { .seconds = 0 };
	char text[TIME_TEXT], windows[64] = "";

	for (size_t i = 0; app->before && (port = ibc_fabric_port(app->fabric, i)); i++)
		if (ibc_delta_of(app->before, port, &delta))
			break;
	if (!(delta.seconds > 0))
		return app->before == app->fabric && delta.known
		           ? app_say(app, err, "%s; counters between two readings of the file",
		                     app->headline)
		           : 0;
	if (app->sweep.num_windows > 1)
		snprintf(windows, sizeof(windows), ", in %zu windows", app->sweep.num_windows);
	else if (app->windows)
		snprintf(windows, sizeof(windows), ", a snapshot of one window");
	return app_say(app, err, "%s; counters over %s%s", app->headline,
	               duration_text(delta.seconds, text), windows);
}

void samples_forget_misfit(struct app *app)
{
	if (!app->before || !ibc_samples_fit(app->before, app->fabric, NULL))
		return;
	if (app->before != app->memory.last)
		ibc_fabric_free(app->before);
	app->before = NULL;
}
