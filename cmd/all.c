/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

static int all_run(struct app *app, const void *cfg, struct ibc_error *err)
{
	int rc;

	(void)cfg;
	rc = app_sweep(app, 0, err);
	return rc ? rc : app_check(app, app->fabric, err);
}

const struct cmd cmd_all = {
	.name = "all",
	.summary = "every check of one sweep",
	.group = CMD_FABRIC,
	.checks = CHECKS_OF_FABRIC,
	.run = all_run,
};
