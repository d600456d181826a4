/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "cmd.h"

struct snapshot_cfg {
	bool counters;
};

static const struct opt snapshot_opts[] = {
	OPT_FLAG(0, "counters", struct snapshot_cfg, counters,
	         "with the counters of every port, to compare later ones with"),
	OPT_END
};

/* One file holds what every check reads, so that each can run from it later. */
static int sweep_for_all(struct app *app, const struct snapshot_cfg *cfg, struct ibc_error *err)
{
	uint32_t needs = ibc_check_needs(NULL, NULL) & ~(uint32_t)IBC_ATTRS_COUNTERS;

	return app_sweep(app, cfg->counters ? needs | IBC_ATTRS_COUNTERS : needs, err);
}

static int save(const struct app *app, struct ibc_error *err)
{
	const char *path = app->common.output;
	struct out out;
	int rc;

	rc = out_open(&out, path, err);
	if (rc)
		return rc;
	rc = ibc_fabric_write(app->fabric, ibc_fabric_format(path), out.file, err);
	if (rc && !out.error) {
		out_abandon(&out);
		return rc;
	}
	return out_commit(&out, err);
}

static int snapshot_run(struct app *app, const void *cfg, struct ibc_error *err)
{
	int rc;

	if (!app->common.output)
		return cmd_fail(err, -EINVAL,
		                "snapshot needs a file: -o FILE, such as fabric.snap.zst");
	rc = sweep_for_all(app, cfg, err);
	if (!rc)
		rc = save(app, err);
	return rc ? rc : app_check(app, app->fabric, err);
}

const struct cmd cmd_snapshot = {
	.name = "snapshot",
	.summary = "save one sweep",
	.group = CMD_FILES,
	.checks = "port.silent",
	.opts = snapshot_opts,
	.cfg_size = sizeof(struct snapshot_cfg),
	.keeps_output = true,
	.run = snapshot_run,
};
