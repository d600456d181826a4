/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors, rates and congestion: what is going wrong now, on which end of which cable. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "counters.h"

#define ROWS_OF_TEXT 20 /* one screen */

static const struct opt counters_opts[] = {
	OPT_STR(0, "since", "SNAPSHOT", struct counters_cfg, since,
	        "compare with a snapshot, which is not changed", .hint = HINT_FILE),
	OPT_FLAG(0, "totals", struct counters_cfg, totals,
	         "judge the lifetime totals too, since the counters were last cleared"),
	OPT_FLAG('d', "down", struct counters_cfg, down,
	         "show only ports that are down, with the errors of their counters"),
	OPT_FLAG(0, "vl", struct counters_cfg, vl, "read PortXmitWait of each virtual lane (VL)"),
	OPT_UINT(0, "top", "N", struct counters_cfg, top, 1, UINT32_MAX,
	         "show the N worst cables (default 20 in text, else all)"),
	OPT_STR(0, "jobs", "FILE", struct counters_cfg, jobs,
	        "with --interval, show the jobs that wait: lines of a job and its hosts, as squeue "
	        "-h -o '%A %N'",
	        .hint = HINT_FILE),
	OPT_STR(0, "clear", "errors|data|all", struct counters_cfg, clear,
	        "set the counters of these ports or nodes to 0, without any those of the whole "
	        "fabric, and report their old values",
	        .hint = HINT_WORDS, .words = "errors data all"),
	OPT_STR(0, "metrics", "errors|all", struct counters_cfg, metrics,
	        "for -f prometheus: leave out rates and counters of data", .hint = HINT_WORDS,
	        .words = "errors all"),
	OPT_STR(0, "ports", "switch|all", struct counters_cfg, ports,
	        "for -f prometheus: leave out the ports of HCAs", .hint = HINT_WORDS,
	        .words = "switch all"),
	OPT_STR(0, "svg", "FILE", struct counters_cfg, svg,
	        "draw the fabric as a matrix: how long data waited, or of one sweep the errors",
	        .hint = HINT_FILE, .part = "live"),
	OPT_END,
};

/* In other formats what is left out would be a value that is not known. */
static int verify_metrics(const struct app *app, const struct counters_cfg *c,
                          struct ibc_error *err)
{
	const char *const options[][3] = { { "--metrics", c->metrics, "errors" },
		                           { "--ports", c->ports, "switch" } };

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		const char *value = options[i][1], *part = options[i][2];

		if (value && strcmp(value, part) != 0 && strcmp(value, "all") != 0)
			return cmd_fail(err, -EINVAL, "%s: \"%s\" is not one of %s and all",
			                options[i][0], value, part);
	}
	if ((c->metrics || c->ports) && strcmp(app->common.format, "prometheus") != 0)
		return cmd_fail(err, -EINVAL, "--metrics and --ports are for -f prometheus");
	return 0;
}

static int counters_run(struct app *app, struct ibc_error *err)
{
	const struct counters_cfg *c = app->cfg;
	int rc = verify_metrics(app, c, err);

	if (!rc && *app->args && !c->clear)
		rc = cmd_fail(err, -EINVAL, "\"%s\": ports are named with --clear, or with --node",
		              app->args[0]);
	if (!rc)
		rc = congestion_read_jobs(app, c->jobs, err);
	if (rc)
		return rc;
	if (c->clear && c->down)
		return cmd_fail(err, -EINVAL,
		                "--down shows ports that are down, which are not "
		                "cleared: give it without --clear");
	if (c->clear)
		return clear_run(app, c, err);
	app->how.totals = c->totals;
	app->how.down.all = app->shown.down = c->down;
	rc = samples_take(app, c, err);
	if (!rc)
		rc = app_check(app, err);
	if (rc)
		return rc;
	samples_forget_misfit(app);
	return samples_say(app, err);
}

static int add_tables(struct app *app, struct ibc_error *err)
{
	const struct counters_cfg *c = app->cfg;
	size_t top = c->top || app_shows_all(app) ? c->top : ROWS_OF_TEXT;
	const struct counters_choice choice = {
		.no_data = c->metrics && strcmp(c->metrics, "all") != 0,
		.switches = c->ports && strcmp(c->ports, "all") != 0,
	};
	int rc;

	if (!app_for_people(app))
		counters_tables(app, c->clear ? NULL : app->before, &choice);
	windows_table(app);
	rc = congestion_tables(app, top, err);
	if (rc)
		return rc;
	if (c->vl)
		lanes_table(app, app->fabric, app->before);
	if (c->clear) /* what is lost */
		return links_table(app, app->before, NULL, top, err);
	return links_table(app, app->fabric, app->before, top, err);
}

const struct cmd cmd_counters = {
	.name = "counters",
	.summary = "bad cables, congestion and slow receivers, from port counters",
	.args = "[THING...]",
	.max_args = INT_MAX,
	.example = "counters --interval 10\n"
		   "counters --interval 5 --count 12\n"
		   "counters --state /var/lib/ibcheck\n"
		   "counters --since yesterday.snap --source today.snap\n"
		   "counters --clear errors leaf03/2\n",
	.group = CMD_FABRIC,
	.takes = TAKES_FABRIC | TAKES_STATE | TAKES_WINDOWS,
	.checks = "counters",
	.opts = counters_opts,
	.cfg_size = sizeof(struct counters_cfg),
	.csv = &counters_type,
	.shows = TABLES(&nodes_type, &counters_type, &deltas_type, &vls_type, &links_type,
	                &windows_type, &congestion_type, &congested_jobs_type, &wait_tiers_type,
	                &wait_gaps_type),
	.pictures = true,
	.run = counters_run,
	.tables = add_tables,
};
