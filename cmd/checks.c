/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

static const struct ibc_column checks_columns[] = {
	{ "check", "CHECK" }, { "severity", "SEVERITY" }, { "enabled", "ENABLED" },
	{ "title", "FINDS" }, { "explained_by", NULL },   { 0 },
};

static int checks_run(struct app *app, const void *cfg, struct ibc_error *err)
{
	struct ibc_table *table = ibc_report_table(app->report, "checks", checks_columns);
	const struct ibc_check *check;
	char others[EXPLAINED_MAX];

	(void)cfg;
	(void)err;
	for (size_t i = 0; (check = ibc_check_at(i)); i++) {
		if (!ibc_check_selected(check, app->common.checks))
			continue;
		ibc_table_row(
		    table, (struct ibc_value[]){
			       ibc_str(check->id),
			       ibc_enum(ibc_severity_word(ibc_config_severity(app->config, check))),
			       ibc_bool(ibc_config_enabled(app->config, check)),
			       ibc_str(check->title),
			       ibc_str(explained_by(check, ", ", others)),
			   });
	}
	return 0;
}

const struct cmd cmd_checks = {
	.name = "checks",
	.summary = "list the checks",
	.group = CMD_FILES,
	.run = checks_run,
};
