/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "all.h"
#include "counters.h"
#include "expect.h"
#include "lacking.h"
#include "ports.h"
#include "routes.h"

static const struct opt all_opts[] = { ALL_OPTS(struct all_cfg, ), OPT_END };

static int run_alone(struct app *app, bool routes, struct ibc_error *err)
{
	const char *checks = app->common.checks;
	const struct ibc_check *check;
	int rc;

	/* are checks asked for by name that have nothing to compare with? */
	for (size_t i = 0; checks && *checks != '-' && (check = ibc_check_at(i)); i++)
		if (check->inputs & (IBC_IN_COMPARISON | IBC_IN_PLAN) &&
		    cmd_runs(app->commands, app->cmd, check) && ibc_check_selected(check, checks))
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

	app->how.totals = app->how.spares_counters = true;
	app->how.keeps_routes = has_state(app);
	app->how.judges_tables = true;
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

/* ---- what only an option asks for --------------------------------------------------- */

/* The option without which the check did not run; "": it ran, or had nothing to read. */
static const char *option_of(const struct app *app, const struct ibc_check *check)
{
	bool selected = ibc_check_set_has(&app->selection, check), live = asks_sweep(app);

	if (!ibc_check_selected(check, WITHOUT_ROUTES))
		return selected ? "" : "--routes";
	if (check->inputs & (IBC_IN_COMPARISON | IBC_IN_PLAN))
		return app->comparison ? "" : "--expect";
	if (check->inputs & IBC_IN_GONE)
		return has_state(app) ? "" : "--state";
	if (check->inputs & IBC_IN_UNHEALTHY)
		return app->unhealthy ? "" : "--unhealthy";
	if (check->inputs & IBC_IN_PHYSICAL) {
		bool asked = app->how.physical || app->common.phy.n || cables_known(app->fabric);

		return asked ? "" : live ? "--physical" : "--phy";
	}
	if (check->inputs & IBC_IN_BEFORE && selected && !app->before && !app_read_twice(app))
		return live ? "--interval" : has_state(app) ? "" : "--state";
	return "";
}

static bool is_of_group(const struct ibc_check *check, const char *id)
{
	return !strncmp(check->id, id, strcspn(check->id, ".") + 1);
}

/* By their group, where all of it was left out; what --checks names has a reason of its own. */
static void report_unasked(struct app *app)
{
	const char *options[IBC_CHECKS_MAX] = { NULL }, *checks = app->common.checks;
	struct ibc_check_set all = ibc_check_select(checks, app->config);
	const struct ibc_check *check, *other;

	for (size_t i = 0; (!checks || *checks == '-') && (check = ibc_check_at(i)); i++)
		if (ibc_check_set_has(&all, check) && cmd_runs(app->commands, app->cmd, check))
			options[i] = option_of(app, check);
	for (size_t i = 0; (check = ibc_check_at(i)); i++) {
		size_t length = strcspn(check->id, ".");
		char name[64];

		for (size_t k = 0; options[i] && (other = ibc_check_at(k)); k++)
			if (is_of_group(check, other->id) &&
			    (!options[k] || strcmp(options[k], options[i]) != 0))
				length = strlen(check->id);
		for (const struct lacking *l = lacking; l->name; l++)
			if (is_of_group(check, l->name))
				length = strlen(check->id);
		snprintf(name, sizeof(name), "%.*s", (int)length, check->id);
		if (options[i] && *options[i])
			ibc_report_unasked(app->report, name, options[i]);
	}
}

static int all_run(struct app *app, struct ibc_error *err)
{
	const struct all_cfg *c = app->cfg;
	int rc = all_sweep(app, &c->expect, c->routes, err);

	if (!rc)
		report_unasked(app);
	return rc;
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
