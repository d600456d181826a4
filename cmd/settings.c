/* SPDX-License-Identifier: BSD-2-Clause */
/* From what was asked for on the command line to what holds: the configuration has a say. */
#include <stdlib.h>

#include "cmd.h"

int settings_read(struct app *app, struct ibc_error *err)
{
	bool asked_count = app->asked.windows;
	int rc;

	app->asked_interval = app->asked.interval_seconds > 0;
	rc = opts_copy(common_opts, &app->asked, &app->common, sizeof(app->common), err);
	if (!rc)
		rc = app_debug(app, err);
	if (!rc)
		rc = ibc_config_new(&app->config, err);
	if (!rc)
		rc = config_read(app, app->given, err);
	if (!rc)
		rc = app_format(app, err);
	if (!rc)
		rc = app_state_verify(app, err);
	if (!rc)
		rc = app_select(app, NULL, err);
	return rc ? rc : samples_verify(app, asked_count, err);
}

void settings_free(struct app *app)
{
	for (size_t i = 0; i < app->strings.n; i++)
		free((char *)app->strings.items[i]);
	free(app->strings.items);
	opts_free(common_opts, &app->common);
	ibc_config_free(app->config);
}
