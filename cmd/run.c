/* SPDX-License-Identifier: BSD-2-Clause */
/* One run of a command: from its options to a report that is whole, and its end. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"

static void set_meta(struct app *app, double started)
{
	char host[256] = "";

	if (!gethostname(host, sizeof(host) - 1))
		app->meta.host = host;
	if (app->host)
		app->meta.described = ibc_host_name(app->host);
	app->meta.time = time(NULL);
	app->meta.command = app->cmd->name;
	app->meta.arguments = app->line + 1;
	app->meta.duration_seconds = clock_seconds() - started;
	ibc_report_set_meta(app->report, &app->meta);
	app->meta.host = NULL;
}

int run_report(struct app *app, struct ibc_error *err)
{
	const struct cmd *cmd = app->cmd;
	double started = clock_seconds();
	int rc;

	app->following = IBC_ROUTES_OPTS_INIT;
	app->physical = app->common.physical;
	rc = ibc_report_new(&app->report, err);
	app->own = calloc(1, cmd->own_size ?: 1);
	if (!rc && !app->own)
		rc = cmd_fail(err, -ENOMEM, "out of memory");
	if (!rc)
		rc = cmd->run(app, err);
	app_recorded(app);
	if (!rc)
		rc = app_known(app, err);
	if (!rc)
		rc = ibc_report_finish(app->report, err);
	if (!rc)
		rc = app_cases(app, err);
	if (rc)
		return rc;
	set_meta(app, started); /* for what a hook gets */
	rc = app_record(app, err);
	if (!rc)
		rc = app_show(app, err);
	app->no_rows = app->renders_once && app_is_silent(app);
	if (!rc && cmd->tables)
		rc = cmd->tables(app, err);
	if (!rc)
		rc = page_add(app, err);
	if (!rc)
		set_meta(app, started);
	return rc;
}

int run_commit(struct app *app, struct ibc_error *err)
{
	/* the report has what the last sweep found: only now that one may go */
	int rc = app->store ? ibc_store_commit(app->store, err) : 0;

	if (!rc)
		hook_run(app);
	return rc;
}

void run_free(struct app *app)
{
	free(app->headline);
	free(app->changes);
	free(app->places);
	free(app->case_ids.items);
	free(app->past_ids.items);
	ibc_report_free(app->report);
	ibc_comparison_free(app->comparison);
	ibc_fattree_free(app->fattree);
	ibc_routes_free(app->routes);
	ibc_slurm_free(app->slurm);
	ibc_slurm_file_free(app->slurm_file);
	ibc_opinions_free(app->unhealthy);
	ibc_fabric_free(app->planned);
	if (app->before != app->remembered && app->before != app->earlier &&
	    app->before != app->fabric)
		ibc_fabric_free(app->before);
	ibc_fabric_free(app->fabric);
	ibc_fabric_free(app->remembered);
	ibc_jobs_free(app->jobs);
	ibc_windows_free(app->windows);
	free(app->window_rows);
	ibc_store_free(app->store);
	free(app->linked);
	for (size_t i = 0; i < app->num_retired; i++)
		free((char *)app->retired[i].subject);
	free(app->retired);
	free(app->list);
	if (app->own && app->cmd->end)
		app->cmd->end(app);
	free(app->own);
	ibc_host_free(app->host);
	ibc_host_free(app->host_before);
}
