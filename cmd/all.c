/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "all.h"
#include "counters.h"
#include "expect.h"
#include "routes.h"

static const struct opt all_opts[] = { ALL_OPTS(struct all_cfg, ), OPT_END };

static int run_alone(struct app *app, bool routes, struct ibc_error *err)
{
	const char *checks = app->common.checks;
	const struct ibc_check *check;
	int rc;

	/* are checks asked for by name that have nothing to compare with? */
	for (size_t i = 0; checks && *checks != '-' && (check = ibc_check_at(i)); i++)
		if (check->inputs & IBC_IN_COMPARISON && cmd_runs(app->commands, app->cmd, check) &&
		    ibc_check_selected(check, checks))
			return cmd_fail(
			    err, -EINVAL,
			    "--checks %s: topo compares with a plan; give the plan with --expect",
			    checks);
	rc = app_select(app, routes ? "-topo" : "-topo," WITHOUT_ROUTES, err);
	if (!rc)
		rc = samples_sweep(app, IBC_ATTRS(), err);
	return rc ? rc : app_check(app, err);
}

int all_sweep(struct app *app, const struct str_list *expect, bool routes, struct ibc_error *err)
{
	int rc = 0;

	app->totals = app->spares_counters = true;
	app->keeps_routes = has_state(app);
	app->judges_tables = true;
	if (!expect->n)
		rc = run_alone(app, routes, err);
	else if (!routes)
		rc = app_select(app, WITHOUT_ROUTES, err);
	if (!rc && expect->n)
		rc = expect_run(app, expect->items, expect->n, err);
	if (!rc && app->routes)
		routes_limit(app);
	return rc || !app->windows ? rc : samples_say(app, err);
}

static int all_run(struct app *app, struct ibc_error *err)
{
	const struct all_cfg *c = app->cfg;

	return all_sweep(app, &c->expect, c->routes, err);
}

static int all_tables(struct app *app, struct ibc_error *err)
{
	int rc = 0;

	windows_table(app);
	/* a page has room for more than faults */
	if (!strcmp(app->common.format, FORMAT_HTML) && app_runs(app, "counters.silent"))
		rc = links_table(app, app->fabric, app->before, 0, err);
	if (rc)
		return rc;
	return app->comparison || app->fattree ? plan_table(app, err) : 0;
}

const struct cmd cmd_all = {
	.name = "all",
	.summary = "every check of one sweep",
	.example = "all\n"
		   "all --expect plan.csv --known accepted.txt\n"
		   "all --interval 10 --count 6\n"
		   "all --source fabric.snap --severity critical\n",
	.group = CMD_FABRIC,
	.takes = ALL_TAKES | TAKES_WINDOWS,
	.checks = CHECKS_OF_FABRIC,
	.opts = all_opts,
	.cfg_size = sizeof(struct all_cfg),
	.shows = TABLES(&plan_type, &windows_type, &links_type),
	.pictures = true,
	.run = all_run,
	.tables = all_tables,
};
