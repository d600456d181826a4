/* SPDX-License-Identifier: BSD-2-Clause */
/* ports --local: this host's ports as its kernel has them. */
#include <errno.h>

#include "ports.h"

/* The kernel knows this end alone, and not what its port is allowed to do. */
#define LOCAL_CHECKS "port.state,port.physical,port.silent,port.guid,port.name,port.rate-odd"

static bool local_wanted(const struct app *app)
{
	return ((const struct ports_cfg *)app->cfg)->local;
}

static int local_run(struct app *app, struct ibc_error *err)
{
	const struct ports_cfg *cfg = app->cfg;
	const struct ibc_check *check;
	int rc;

	if (app->asked.sources.n || app->asked.phy.n)
		return cmd_fail(err, -EINVAL, "--local reads this host and takes no --%s",
		                app->asked.sources.n ? "source" : "phy");
	if (app->common.node || cfg->down || cfg->switches || cfg->hcas || cfg->errors_only)
		return cmd_fail(
		    err, -EINVAL,
		    "--local shows every port of this host and takes no other option of ports");
	rc = app_select(app, LOCAL_CHECKS, err);
	capabilities_drop_live(app);
	if (!rc)
		rc = ibc_host_read(&(struct ibc_host_opts){ .root = app->common.root }, &app->host,
		                   err);
	if (rc)
		return rc;
	app->meta.source_kind = "local";
	app->meta.described = ibc_host_name(app->host);
	rc = ibc_fabric_from_host(app->host, &app->fabric, err);
	if (rc != -ENODEV || !host_has_ports(app->host))
		return rc ? rc : app_check(app, err);
	/* Ethernet ports are listed, and nothing is said of their health */
	for (size_t i = 0; (check = ibc_check_at(i)); i++)
		if (ibc_check_set_has(&app->selection, check))
			ibc_report_skip(app->report, check->id, err->text);
	return 0;
}

static int local_tables(struct app *app, struct ibc_error *err)
{
	host_ports(app, &local_ports_type);
	host_unread(app);
	return host_headline(app, err);
}

const struct addition addition_local = {
	.cmd = "ports",
	.shows = TABLES(&local_ports_type, &unread_type),
	.wanted = local_wanted,
	.run = local_run,
	.tables = local_tables,
	.end = host_end,
};
