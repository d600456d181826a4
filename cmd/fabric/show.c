/* SPDX-License-Identifier: BSD-2-Clause */
/* One thing, whole: a host, HCA, switch, port, cable or case, on one screen. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "counters.h"
#include "expect.h"
#include "history.h"
#include "phy.h"
#include "show.h"

#define THINGS_MAX 64 /* one screen has room for a few */

struct show_cfg {
	const char *jobs;
	struct str_list expect;
	bool routes;
};

static const struct opt show_opts[] = {
	OPT_LIST(0, "expect", "FILE", struct show_cfg, expect,
	         "check the cabling against a plan as well: for cases of topo", .hint = HINT_FILE),
	OPT_FLAG(0, "routes", struct show_cfg, routes,
	         "check linear forwarding tables as well: for cases of routes"),
	OPT_STR(0, "jobs", "FILE", struct show_cfg, jobs,
	        "show the affected jobs: lines of a job and its hosts, as squeue -h -o '%A %N'",
	        .hint = HINT_FILE),
	OPT_END,
};

/* ---- what is named -------------------------------------------------------------------- */

static int show_run(struct app *app, struct ibc_error *err)
{
	const struct ibc_attrs needs = IBC_ATTRS(IBC_ATTR_PORT_INFO, IBC_ATTR_MLNX_EXT_PORT_INFO,
	                                         IBC_ATTR_GENERAL_INFO, IBC_ATTR_PORT_COUNTERS,
	                                         IBC_ATTR_LFT, IBC_ATTR_AR_INFO);
	static const char *const without[2][2] = { { "-topo," WITHOUT_ROUTES, "-topo" },
		                                   { WITHOUT_ROUTES, NULL } };
	const struct show_cfg *c = app->cfg;
	int rc = app->common.node ? cmd_fail(err, -EINVAL, "name what to show without --node") : 0;

	app->how.relevant = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS, IBC_ATTR_LFT);
	app->how.down.all = true;
	/* what is gone is in the memory alone */
	app->memory.looks_back = app->common.state && !access(app->common.state, W_OK);
	/* without a plan there is nothing to compare with; routes take their time */
	if (!rc)
		rc = app_select(app, without[c->expect.n > 0][c->routes], err);
	if (!rc && c->expect.n)
		rc = app_load(app, c->expect.items, c->expect.n, &app->planned, err);
	app->how.totals = app->how.spares_counters = !samples_wanted(app);
	if (!rc)
		rc = samples_sweep(app, needs, err);
	for (size_t i = 0; !rc && app->args[i]; i++) {
		const char *name = app->args[i];

		rc = app_place(app, name, err);
		/* it may be gone, and have been called so */
		if (rc != -ENOENT || !(ibc_is_case_id(name) || app->memory.looks_back))
			continue;
		rc = history_find(app, name, false, err);
		if (!rc)
			rc = str_list_add(&app->past_ids, name, err);
		if (!rc || rc == -ENOENT)
			rc = str_list_add(&app->case_ids, name, err);
	}
	if (!rc && app->planned)
		rc = ibc_compare(app->planned, app->fabric, &app->trace, &app->comparison, err);
	if (!rc)
		rc = app_infer(app, err);
	if (!rc)
		rc = app_check(app, err);
	return !rc && app->before ? samples_say(app, err) : rc;
}

static int place_tables(struct app *app, struct ibc_error *err)
{
	struct ibc_dependents **all = calloc(app->num_places, sizeof(struct ibc_dependents *));
	const struct show_cfg *c = app->cfg;
	struct ibc_jobs *jobs = NULL;
	int rc = all ? identity_table(app, err) : cmd_fail(err, -ENOMEM, "out of memory");

	if (!rc)
		ends_table(app);
	/* what is plugged in, and how the links do, if that was read, or should have been */
	if (!rc && (app->how.physical || cables_known(app->fabric))) {
		conclude_physical(app);
		rc = cables_table(app, err);
		for (size_t i = 0; !rc && i < app->num_places; i++)
			phy_rows(app, &app->places[i]);
	}
	if (!rc)
		activity_table(app);
	/* what depends on each place; on a host nothing but its jobs */
	for (size_t i = 0; !rc && i < app->num_places; i++) {
		const struct ibc_place *place = &app->places[i];
		bool many = place->port || place->node->type == IBC_NODE_SWITCH;

		if (many || c->jobs)
			rc = ibc_dependents_find(app->fabric, app->fattree, place, 1, &all[i], err);
		if (!rc && many)
			dependents_row(app, all[i]);
	}
	if (!rc && c->jobs)
		rc = app_jobs_read(c->jobs, &jobs, err);
	if (!rc && c->jobs)
		rc = jobs_table(app, jobs, all, app->num_places, err);
	ibc_jobs_free(jobs);
	for (size_t i = 0; all && i < app->num_places; i++)
		ibc_dependents_free(all[i]);
	free(all);
	return rc ? rc : plan_table(app, err);
}

static int show_tables(struct app *app, struct ibc_error *err)
{
	int rc = app->num_places ? place_tables(app, err) : 0;

	/* of a case that is gone, and of places: a dead port says where it led */
	for (size_t i = 0; !rc && app->args[i]; i++) {
		struct ibc_near near = { .typed = app->args[i] };

		if (app_case(app, near.typed, &near))
			continue;
		rc = history_find(app, near.typed, true, err);
		rc = rc == -ENOENT ? 0 : rc; /* nothing happened, or there is no --state */
	}
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
		   "show 7f3a9c10 --state /var/lib/ibcheck\n",
	.group = CMD_FABRIC,
	.takes = TAKES_FABRIC | TAKES_WINDOWS | TAKES_HISTORY | TAKES_PHYSICAL,
	.of_things = true,
	.checks = CHECKS_OF_FABRIC,
	.opts = show_opts,
	.cfg_size = sizeof(struct show_cfg),
	.csv = &ends_type,
	.shows = TABLES(&identity_type, &ends_type, &cables_type, &phy_type, &plugs_type,
	                &phy_lanes_type, &activity_type, &counters_type, &deltas_type,
	                &dependents_type, &jobs_type, &plan_type, &incidents_type,
	                &happenings_type),
	.run = show_run,
	.tables = show_tables,
};
