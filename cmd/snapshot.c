/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "cmd.h"

/* That the source has no counters at all is no gap. */
static int select_checks(struct app *app, struct ibc_error *err)
{
	const struct ibc_plane *plane;
	uint32_t provided = 0;

	for (size_t i = 0; (plane = ibc_fabric_plane(app->fabric, i)); i++)
		provided |= plane->provides;
	return app_select(app, provided & IBC_ATTR_PORT_COUNTERS ? NULL : "-counters", err);
}

static int snapshot_run(struct app *app, const void *cfg, struct ibc_error *err)
{
	int rc;

	(void)cfg;
	if (!app->common.output)
		return cmd_fail(err, -EINVAL,
		                "snapshot needs a file: -o FILE, such as fabric.snap.zst");
	/* one file holds what every check reads, so that each can run from it later */
	rc = app_sweep(app, ibc_check_needs(NULL, NULL), err);
	if (!rc)
		rc = app_save(app, app->common.output, err);
	if (!rc)
		rc = select_checks(app, err);
	return rc ? rc : app_check(app, app->fabric, err);
}

const struct cmd cmd_snapshot = {
	.name = "snapshot",
	.summary = "save one sweep",
	.group = CMD_FILES,
	.checks = "port.silent,counters.silent",
	.keeps_output = true,
	.run = snapshot_run,
};
