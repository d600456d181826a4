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
	app->meta.time = time(NULL);
	app->meta.command = app->cmd->name;
	app->meta.arguments = app->line.words + 1;
	app->meta.duration_seconds = clock_seconds() - started;
	ibc_report_set_meta(app->report, &app->meta);
	app->meta.host = NULL;
}

/* An addition that this run is all of; NULL: it is the command's. */
static const struct addition *find_only(const struct app *app)
{
	const struct addition *a;
	size_t i = 0;

	while ((a = addition_next(app->cmd, &i)) && !(a->wanted && a->wanted(app)))
		;
	return a;
}

static int verify_additions(struct app *app, struct ibc_error *err)
{
	const struct addition *a;
	size_t i = 0;
	int rc = 0;

	while (!rc && (a = addition_next(app->cmd, &i)))
		if (a->verify)
			rc = a->verify(app, err);
	return rc;
}

static int add_all_tables(struct app *app, const struct addition *only, struct ibc_error *err)
{
	int (*tables)(struct app *, struct ibc_error *) = only ? only->tables : app->cmd->tables;
	int rc = tables ? tables(app, err) : 0;
	const struct addition *a;
	size_t i = 0;

	while (!rc && (a = addition_next(app->cmd, &i)))
		if (a->more)
			rc = a->more(app, err);
	return rc;
}

int run_report(struct app *app, struct ibc_error *err)
{
	const struct cmd *cmd = app->cmd;
	const struct addition *only = find_only(app);
	double started = clock_seconds();
	int rc;

	app->how.following = IBC_ROUTES_OPTS_INIT;
	app->how.physical = app->common.physical;
	rc = ibc_report_new(&app->report, err);
	app->own = calloc(1, cmd->own_size ?: 1);
	if (!rc && !app->own)
		rc = cmd_fail(err, -ENOMEM, "out of memory");
	if (!rc)
		rc = verify_additions(app, err);
	if (!rc)
		rc = (only ? only->run : cmd->run)(app, err);
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
	app->shown.no_rows = app->shown.once && app_is_silent(app);
	if (!rc)
		rc = add_all_tables(app, only, err);
	if (!rc)
		set_meta(app, started);
	return rc;
}

int run_commit(struct app *app, struct ibc_error *err)
{
	/* the report has what the last sweep found: only now that one may go */
	int rc = app->memory.store ? ibc_store_commit(app->memory.store, err) : 0;

	if (!rc)
		hook_run(app);
	return rc;
}

void run_free(struct app *app)
{
	const struct addition *a;
	size_t i = 0;

	free(app->headline);
	free(app->memory.changes);
	free(app->places);
	free(app->case_ids.items);
	free(app->past_ids.items);
	ibc_report_free(app->report);
	ibc_comparison_free(app->comparison);
	ibc_fattree_free(app->fattree);
	ibc_routes_free(app->routes);
	ibc_opinions_free(app->unhealthy);
	ibc_fabric_free(app->planned);
	if (app->before != app->memory.last && app->before != app->how.earlier &&
	    app->before != app->fabric)
		ibc_fabric_free(app->before);
	ibc_fabric_free(app->fabric);
	ibc_fabric_free(app->memory.last);
	ibc_jobs_free(app->jobs);
	ibc_windows_free(app->windows);
	free(app->sweep.windows);
	ibc_store_free(app->memory.store);
	free(app->sweep.linked);
	for (size_t k = 0; k < app->memory.num_retired; k++)
		free((char *)app->memory.retired[k].subject);
	free(app->memory.retired);
	free(app->shown.list);
	while (app->own && (a = addition_next(app->cmd, &i)))
		if (a->end)
			a->end(app);
	if (app->own && app->cmd->end)
		app->cmd->end(app);
	free(app->own);
	app->own = NULL;
}
