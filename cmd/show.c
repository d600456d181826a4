/* SPDX-License-Identifier: BSD-2-Clause */
/* One thing, whole: a host, HCA, switch, port, cable or case, on one screen. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/names.h>

#include "counters.h"
#include "counters_table.h"
#include "show.h"

#define THINGS_MAX           64    /* one screen has room for a few */
#define INTERVAL_MAX_SECONDS 86400 /* a day: nobody waits longer */

struct show_cfg {
	double interval;
	const char *jobs;
};

static const struct opt show_opts[] = {
	OPT_SECONDS('i', "interval", "S", struct show_cfg, interval, INTERVAL_MAX_SECONDS,
	            "sweep twice, S seconds apart (10, 0.5, 2m or 1h), and show rates"),
	OPT_STR(0, "jobs", "FILE", struct show_cfg, jobs,
	        "show the affected jobs: output of squeue --json, or lines of a job and its hosts",
	        .hint = HINT_FILE),
	OPT_END,
};

/* ---- what is named -------------------------------------------------------------------- */

static int add_places(struct app *app, const char *name, struct ibc_error *err)
{
	struct ibc_place *found, *all;
	size_t n;
	int rc = ibc_fabric_find(app->fabric, name, &found, &n, err);

	if (rc == -ENOENT && ibc_is_case_id(name))
		return str_list_add(&app->case_ids, name, err);
	if (rc)
		return rc;
	all = reallocarray(app->places, app->num_places + n, sizeof(*all));
	if (all) {
		memcpy(all + app->num_places, found, n * sizeof(*all));
		app->places = all;
		app->num_places += n;
	}
	free(found);
	return all ? 0 : cmd_fail(err, -ENOMEM, "out of memory");
}

static int show_run(struct app *app, struct ibc_error *err)
{
	const struct ibc_attrs needs = IBC_ATTRS(IBC_ATTR_PORT_INFO, IBC_ATTR_MLNX_EXT_PORT_INFO,
	                                         IBC_ATTR_GENERAL_INFO, IBC_ATTR_PORT_COUNTERS,
	                                         IBC_ATTR_LFT);
	const struct show_cfg *c = app->cfg;
	int rc = app->common.node ? cmd_fail(err, -EINVAL, "name what to show without --node") : 0;

	app->relevant = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS, IBC_ATTR_LFT);
	if (!rc)
		rc = app_select(app, "-topo,-routes", err);
	app->totals = app->spares_counters = !(c->interval > 0);
	if (!rc)
		rc = c->interval > 0 ? samples_interval(app, c->interval, needs, err)
		                     : app_sweep(app, needs, err);
	for (size_t i = 0; !rc && app->args[i]; i++)
		rc = add_places(app, app->args[i], err);
	if (!rc)
		rc = app_infer(app, err);
	if (!rc)
		rc = app_check(app, err);
	return !rc && app->before ? samples_say(app, err) : rc;
}

/* ---- what depends on it ------------------------------------------------------------------ */

static bool has_dependents(const struct ibc_place *place)
{
	return place->port || place->node->type == IBC_NODE_SWITCH;
}

/* Of each place that is shown, a host's only if jobs are asked for; a row unless it is one. */
static int find_dependents(struct app *app, struct ibc_dependents **all, struct ibc_error *err)
{
	const struct show_cfg *c = app->cfg;
	int rc = 0;

	for (size_t i = 0; !rc && i < app->num_places; i++) {
		const struct ibc_place *place = &app->places[i];

		if (!c->jobs && !has_dependents(place))
			continue;
		rc = ibc_dependents_find(app->fabric, app->fattree, *place, &all[i], err);
		if (!rc && has_dependents(place))
			dependents_row(app, all[i]);
	}
	return rc;
}

static int add_jobs(struct app *app, const char *file, struct ibc_dependents *const *all,
                    struct ibc_error *err)
{
	struct ibc_jobs *jobs;
	int rc = ibc_jobs_read(file, &jobs, err);

	if (!rc)
		rc = jobs_table(app, jobs, all, err);
	if (!rc)
		ibc_jobs_free(jobs);
	return rc;
}

static int show_tables(struct app *app, struct ibc_error *err)
{
	struct ibc_dependents **all;
	const struct show_cfg *c = app->cfg;
	int rc;

	if (!app->num_places)
		return 0;
	all = calloc(app->num_places, sizeof(struct ibc_dependents *));
	rc = all ? identity_table(app, err) : cmd_fail(err, -ENOMEM, "out of memory");
	if (!rc) {
		ends_table(app);
		activity_table(app);
		rc = find_dependents(app, all, err);
	}
	if (!rc && c->jobs)
		rc = add_jobs(app, c->jobs, all, err);
	for (size_t i = 0; all && i < app->num_places; i++)
		ibc_dependents_free(all[i]);
	free(all);
	return rc;
}

const struct cmd cmd_show = {
	.name = "show",
	.summary = "everything about one host, HCA, switch, port, cable or case",
	.args = "THING...",
	.min_args = 1,
	.max_args = THINGS_MAX,
	.example = "show node0001\n"
		   "show leaf03/19 --interval 10\n"
		   "show leaf03 --jobs jobs.json\n"
		   "show 7f3a9c10\n",
	.group = CMD_FABRIC,
	.takes = TAKES_FABRIC,
	.checks = CHECKS_OF_FABRIC,
	.opts = show_opts,
	.cfg_size = sizeof(struct show_cfg),
	.csv = &ends_type,
	.shows = TABLES(&identity_type, &ends_type, &activity_type, &counters_type, &deltas_type,
	                &dependents_type, &jobs_type),
	.run = show_run,
	.tables = show_tables,
};
