/* SPDX-License-Identifier: BSD-2-Clause */
/* What the commands about this host have in common: reading it, once or over a window. */
#include <string.h>

#include "cmd.h"

static const struct ibc_column unread_columns[] = {
	{ "path", "NOT READ" },
	{ "reason", "REASON" },
	{ 0 },
};

int app_host(struct app *app, struct ibc_host_opts opts, double window_seconds,
             struct ibc_error *err)
{
	int rc = 0;

	opts.root = app->common.root;
	opts.parts |= ibc_check_parts(app->selection, app->config);
	app->meta.source_kind = "host";
	app->meta.source_file = app->common.root;
	if (window_seconds > 0) {
		rc = ibc_host_read(&opts, &app->host_before, err);
		if (rc)
			return rc;
		clock_wait(window_seconds);
		opts.before = app->host_before;
	}
	return ibc_host_read(&opts, &app->host, err);
}

void host_unread(struct app *app)
{
	struct ibc_table *table = ibc_report_table(app->report, "unread", unread_columns);
	const struct ibc_unread *unread;
	struct ibc_coverage gaps = { 0 };

	for (size_t i = 0; (unread = ibc_host_unread(app->host, i)); i++) {
		ibc_table_row(table, (struct ibc_value[]){
					 ibc_str(unread->path),
					 ibc_str(strerror(unread->error)),
				     });
		gaps.asked++;
		gaps.refused++;
	}
	ibc_report_cover(app->report, "sysfs", &gaps);
}
