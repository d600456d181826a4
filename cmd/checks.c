/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"
#include "columns.h"

GETTER(check_enabled, struct check_row, row, ibc_bool(ibc_config_enabled(row->config, row->check)));

static const struct ibc_column checks_columns[] = {
	COLUMN("check", "CHECK", cell_check),
	COLUMN("severity", "SEVERITY", cell_check_severity),
	COLUMN("enabled", "ENABLED", check_enabled),
	SENTENCE("title", "FINDS", cell_check_title),
	COLUMN("explained_by", NULL, cell_check_explained_by),
	{ 0 },
};
static const struct ibc_table_type checks_type = { "checks", checks_columns, NULL, NULL, NULL };

static int checks_run(struct app *app, struct ibc_error *err)
{
	struct ibc_table *table = app_table(app, &checks_type);
	struct check_row row = { .config = app->config };

	(void)err;
	for (size_t i = 0; (row.check = ibc_check_at(i)); i++)
		if (ibc_check_selected(row.check, app->common.checks))
			ibc_table_row(table, &row);
	return 0;
}

const struct cmd cmd_checks = {
	.name = "checks",
	.summary = "list all checks",
	.example = "checks\n"
		   "checks -f csv\n",
	.group = CMD_FILES,
	.takes = TAKES_SELECTION,
	.csv = &checks_type,
	.shows = TABLES(&checks_type),
	.run = checks_run,
};
