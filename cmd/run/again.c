/* SPDX-License-Identifier: BSD-2-Clause */
#include "again.h"

#include <errno.h>
#include <stdlib.h>

#define TIMEOUTS_PER_SECOND 32 /* with their repeats a window full of MADs each second */

/* ---- settings --------------------------------------------------------------------- */

int again_reload(struct again *again, struct ibc_error *err)
{
	struct app settings = settings_none(&again->settings);
	int rc = settings_read(&settings, err);

	if (!rc && again->opts.verify)
		rc = again->opts.verify(&settings, err);
	if (rc) {
		settings_free(&settings);
		return rc;
	}
	/* whoever runs the rounds renders */
	settings.common.format = again->opts.format ? again->opts.format : FORMAT_TEXT;
	settings.common.interval_seconds = 0; /* each round is one sweep */
	settings_free(&again->settings);
	again->settings = settings;
	return 0;
}

int again_new(const struct app *settings, const struct again_opts *opts, struct again **out,
              struct ibc_error *err)
{
	struct again *again = calloc(1, sizeof(*again));
	int rc;

	if (!again)
		return cmd_fail(err, -ENOMEM, "out of memory");
	again->opts = *opts;
	again->interval = opts->interval_seconds;
	again->rebase = opts->since_first;
	again->settings = settings_none(settings);
	rc = again_reload(again, err);
	if (rc)
		again_free(again);
	else
		*out = again;
	return rc;
}

/* ---- rounds ------------------------------------------------------------------------- */

static bool has_round(const struct again *again, int which)
{
	return again->rounds[which].fabric;
}

static void free_round(struct again *again, int which)
{
	struct app *round = &again->rounds[which];

	if (round->fabric == again->base)
		round->fabric = NULL;
	run_free(round);
	*round = (struct app){ 0 };
}

void again_free(struct again *again)
{
	if (!again)
		return;
	for (int i = 0; i < ROUNDS; i++)
		free_round(again, i);
	ibc_fabric_free(again->base);
	settings_free(&again->settings);
	free(again);
}

/* Devices that do not answer are not asked all the time; nor is a port that does not work. */
static double next_interval(const struct again *again, const struct app *round, bool failed)
{
	double asked = again->opts.interval_seconds, seconds = 2 * again->interval;
	const struct ibc_subnet *subnet;
	uint64_t timed_out = 0;

	for (size_t i = 0; !failed && (subnet = ibc_fabric_subnet(round->fabric, i)); i++)
		timed_out += subnet->sweep.timed_out;
	if (!failed)
		seconds = (double)timed_out / TIMEOUTS_PER_SECOND;
	return seconds < asked || again->opts.steady ? asked
	       : seconds > AGAIN_PATIENCE * asked    ? AGAIN_PATIENCE * asked
	                                             : seconds;
}

int again_sweep(struct again *again, struct ibc_error *err)
{
	struct app *round = &again->rounds[NEXT];
	const struct app *settings = &again->settings;
	double started = clock_seconds();
	int rc;

	free_round(again, NEXT);
	*round = settings_none(settings);
	round->cmd = again->opts.cmd ? again->opts.cmd : &cmd_all;
	round->cfg = settings->cfg; /* begins with that of "all" */
	round->common = settings->common;
	round->config = settings->config;
	round->trace = settings->trace;
	round->stop = again->opts.stop;
	round->how.earlier = again->opts.since_first ? again->base : again->rounds[NOW].fabric;
	rc = app_select(round, NULL, err);
	if (!rc)
		rc = run_report(round, err);
	if (!rc)
		rc = run_commit(round, err);
	ibc_store_free(round->memory.store); /* whose lock the next round takes */
	round->memory.store = NULL;
	again->interval = next_interval(again, round, rc);
	again->due = started + again->interval;
	round->common = (struct common){ 0 }; /* borrowed: again_reload() may free them */
	round->config = NULL;
	round->cfg = NULL;
	if (rc)
		free_round(again, NEXT);
	return rc;
}

void again_turn(struct again *again)
{
	struct ibc_fabric *old = again->base;
	bool is_held = false;

	if (!has_round(again, NEXT))
		return;
	free_round(again, THEN);
	again->rounds[THEN] = again->rounds[NOW];
	again->rounds[NOW] = again->rounds[NEXT];
	again->rounds[NEXT] = (struct app){ 0 };
	if (!again->rebase)
		return;
	/* not before: the sweep that has just ended was compared with the old one */
	again->rebase = false;
	again->base = again->rounds[NOW].fabric;
	for (int i = 0; i < ROUNDS; i++)
		is_held |= again->rounds[i].fabric == old;
	if (!is_held)
		ibc_fabric_free(old);
}

void again_shrink(struct again *again)
{
	struct app *now = &again->rounds[NOW];
	struct ibc_fabric *fabric = now->fabric;

	if (again->settings.common.state) { /* it remembers */
		free_round(again, NOW);
		return;
	}
	now->fabric = NULL;
	run_free(now);
	*now = (struct app){ .fabric = fabric };
	free_round(again, THEN);
}

struct app *again_now(struct again *again)
{
	return has_round(again, NOW) ? &again->rounds[NOW] : NULL;
}

struct app *again_then(struct again *again)
{
	return has_round(again, THEN) ? &again->rounds[THEN] : NULL;
}

/* ---- what is compared, and when ------------------------------------------------------- */

const struct ibc_fabric *again_base(const struct again *again)
{
	return again->opts.since_first ? again->base : again->rounds[THEN].fabric;
}

void again_set_interval(struct again *again, double seconds)
{
	double due = clock_seconds() + seconds;

	again->opts.interval_seconds = again->interval = seconds;
	again->due = again->due < due ? again->due : due;
}

double again_pause(const struct again *again)
{
	double left = again->due - clock_seconds();

	return left > 0 ? left : 0;
}
