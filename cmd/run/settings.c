/* SPDX-License-Identifier: BSD-2-Clause */
/* From what was asked for on the command line to what holds: the configuration has a say. */
#include <errno.h>
#include <stdlib.h>

#include "cmd.h"

struct app settings_none(const struct app *app)
{
	return (struct app){ .commands = app->commands,
		             .cmd = app->cmd,
		             .asked = app->asked,
		             .line = app->line,
		             .args = app->args };
}

void settings_give(struct app *app, const char *option)
{
	app->line.given |= UINT64_C(1) << (opt_find(common_opts, option) - common_opts);
}

int settings_read(struct app *app, struct ibc_error *err)
{
	int rc;

	rc = opts_copy(common_opts, &app->asked, &app->common, sizeof(app->common), err);
	app->cfg = calloc(1, app->cmd->cfg_size + 1);
	if (!rc && !app->cfg)
		rc = cmd_fail(err, -ENOMEM, "out of memory");
	if (!rc) /* the values of the command line; the file adds others */
		rc = opts_copy(app->cmd->opts, app->line.own, app->cfg, app->cmd->cfg_size, err);
	if (!rc)
		rc = app_debug(app, err);
	if (!rc)
		rc = ibc_config_new(&app->config, err);
	if (!rc)
		rc = config_read(app, err);
	if (!rc)
		rc = app_format(app, err);
	if (!rc)
		rc = app_state_verify(app, err);
	if (!rc)
		rc = app_select(app, NULL, err);
	return rc ? rc : samples_verify(app, err);
}

void settings_free(struct app *app)
{
	for (size_t i = 0; i < app->file.strings.n; i++)
		free((char *)app->file.strings.items[i]);
	free(app->file.strings.items);
	opts_free(common_opts, &app->common);
	if (app->cfg)
		opts_free(app->cmd->opts, app->cfg);
	free(app->cfg);
	ibc_config_free(app->config);
	free(app->file.lines);
}
