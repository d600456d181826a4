/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "cmd.h"

struct snapshot_cfg {
	const char *tables;
	bool routes;
};

static const struct opt snapshot_opts[] = {
	OPT_FLAG(0, "routes", struct snapshot_cfg, routes,
	         "save linear forwarding tables (LFTs), service levels and multicast groups too"),
	OPT_STR(
	    0, "tables", "FILE", struct snapshot_cfg, tables,
	    "save the linear forwarding tables (LFTs) of a file, as \"ibcheck routes\" reads them",
	    .hint = HINT_FILE),
	OPT_END,
};

static int snapshot_run(struct app *app, struct ibc_error *err)
{
	const struct snapshot_cfg *c = app->cfg;
	const struct ibc_attrs routes = ibc_attrs_of_group(IBC_ATTRS_ROUTES);
	struct ibc_attrs needs = ibc_attrs_or(ibc_check_needs(ibc_check_select(NULL, NULL)),
	                                      ibc_attrs_of_group(IBC_ATTRS_SM));
	int rc;

	if (!app->common.output)
		return cmd_fail(err, -EINVAL,
		                "snapshot needs a file: -o FILE, e.g. fabric.snap.zst");
	app->how.tables = c->tables;
	/* what every check reads, so that each can run from the file later; but tables are large */
	if (c->routes)
		app->how.relevant = routes;
	needs = c->routes ? ibc_attrs_or(needs, routes) : ibc_attrs_minus(needs, routes);
	rc = app_sweep(app, needs, err);
	if (!rc)
		rc = app_save(app, app->common.output, err);
	if (!rc) /* that the source has no counters at all is no gap */
		rc = app_select(
		    app, fabric_provides(app->fabric, IBC_ATTR_PORT_COUNTERS) ? NULL : "-counters",
		    err);
	return rc ? rc : app_check(app, err);
}

const struct cmd cmd_snapshot = {
	.name = "snapshot",
	.summary = "save a sweep to a file",
	.example = "snapshot -o before.snap.zst\n"
		   "snapshot --source fabric.net -o fabric.snap\n",
	.group = CMD_FILES,
	.takes = TAKES_FABRIC | TAKES_PHYSICAL,
	.checks = "port.silent,counters.silent",
	.opts = snapshot_opts,
	.cfg_size = sizeof(struct snapshot_cfg),
	.keeps_output = true,
	.run = snapshot_run,
};
