/* SPDX-License-Identifier: BSD-2-Clause */
/* The fabric against what was planned: what deviates, and which plug to move. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "expect.h"
#include "topo.h"

static const struct opt topo_opts[] = {
	OPT_FLAG(0, "check", struct topo_cfg, check,
	         "validate the plan files without a fabric, and report what they contain"),
	OPT_STR(
	    0, "write", "FILE", struct topo_cfg, write,
	    "save the fabric as it is as a plan: .csv, .topo, .net or a snapshot, by the file name",
	    .hint = HINT_FILE),
	OPT_STR(0, "plan-csv", "FILE", struct topo_cfg, plan_csv,
	        "write the repair steps as a work order, for a spreadsheet", .hint = HINT_FILE),
	OPT_FLAG(0, "slurm", struct topo_cfg, slurm.conf,
	         "write the topology.conf of Slurm that the cables make, in place of the report",
	         .part = "jobs"),
	OPT_STR(0, "slurm-check", "FILE", struct topo_cfg, slurm.check,
	        "compare a topology.conf with the cabling", .hint = HINT_FILE, .part = "jobs"),
	OPT_STR(0, "nodes", "LIST|@FILE", struct topo_cfg, slurm.nodes,
	        "the nodes that Slurm has, as of \"sinfo -h -o %N\": other hosts are left out",
	        .part = "jobs"),
	OPT_STR(0, "rail", "HCA", struct topo_cfg, slurm.rail,
	        "let only these ports of hosts count: mlx5_0, or mlx5_0/2 for port 2",
	        .part = "jobs"),
	OPT_LIST(0, "skip", "PATTERN", struct topo_cfg, slurm.skip,
	         "leave out hosts' ports on switches of this name, as those for storage",
	         .part = "jobs"),
	OPT_FLAG(0, "partial", struct topo_cfg, slurm.partial,
	         "write the file even if not everything in the fabric was read", .part = "jobs"),
	OPT_END,
};

static int file_run(struct app *app, size_t files, struct ibc_error *err)
{
	double started = clock_seconds();
	const struct ibc_subnet *subnet;
	struct ibc_fabric_counts n;
	int rc;

	app->how.checks_file = true;
	/* whatever of it is disabled, the lines are read */
	if (app_select(app, "topo.two-names", NULL))
		app_select_none(app);
	rc = app_load(app, (const char *const *)app->args, files, &app->fabric, err);
	if (!rc)
		rc = app_describe(app, clock_seconds() - started, err);
	if (!rc)
		rc = app_check(app, err);
	if (rc)
		return rc;
	n = ibc_fabric_count(app->fabric);
	if (ibc_fabric_lines_lost(app->fabric, NULL))
		return 0;
	ibc_report_conclude(app->report, "plan is valid: %zu switches, %zu %s, %zu cables",
	                    n.switches, n.hosts ? n.hosts : n.cas, n.hosts ? "hosts" : "HCAs",
	                    n.cables);
	for (size_t i = 0; (subnet = ibc_fabric_subnet(app->fabric, i)); i++)
		if (strstr(subnet->source, ", "))
			ibc_report_conclude(app->report, "one plan of %s", subnet->source);
	return 0;
}

static int topo_run(struct app *app, struct ibc_error *err)
{
	const struct topo_cfg *c = app->cfg;
	const char *const *plans = (const char *const *)app->args;
	size_t files = 0;
	int rc;

	while (plans[files])
		files++;
	/* what cannot be meant together */
	if (c->write && (files || c->check || c->plan_csv))
		return cmd_fail(err, -EINVAL,
		                "--write saves the fabric and compares nothing: it cannot be "
		                "combined with files or other options of topo");
	if (c->check && c->plan_csv)
		return cmd_fail(
		    err, -EINVAL,
		    "--check compares nothing, so there are no repair steps for --plan-csv");
	if (!c->write && !files)
		return cmd_fail(err, -EINVAL,
		                "topo needs the file of a plan; --write FILE makes one from the "
		                "fabric as it is");
	rc = plan_refuse_stdout(c->plan_csv, err);
	if (rc)
		return rc;
	if (c->check)
		return file_run(app, files, err);
	/* only what is not answered can be wrong with it: the checks of the plan need a plan */
	rc = app_select(app, c->write ? "port.silent" : "topo,gone,cable.plan,port.isolated", err);
	if (!rc && !c->write)
		return expect_run(app, plans, files, err);
	if (!rc)
		rc = app_sweep(app, IBC_ATTRS(), err);
	if (!rc)
		rc = app_save(app, c->write, err);
	return rc ? rc : app_check(app, err);
}

static int topo_tables(struct app *app, struct ibc_error *err)
{
	return app->comparison ? plan_table(app, err) : 0;
}

/* The report goes first: a work order that finds no place must not cost the findings. */
static int topo_done(struct app *app, struct ibc_error *err)
{
	const struct topo_cfg *c = app->cfg;

	return c->plan_csv ? plan_write(app, c->plan_csv, err) : 0;
}

const struct cmd cmd_topo = {
	.name = "topo",
	.summary = "cabling errors, found by comparison with a plan",
	.args = "[FILE ...]",
	.example = "topo plan.csv\n"
		   "topo --write fabric.csv\n"
		   "topo --source fabric.net plan.topo\n",
	.group = CMD_FABRIC,
	.takes = TAKES_FABRIC | TAKES_STATE | TAKES_PHYSICAL | TAKES_UNHEALTHY,
	.max_args = UINT_MAX,
	.arg_hint = HINT_FILE,
	.checks = "topo,gone,cable.plan,slurm,port.silent,port.isolated",
	.opts = topo_opts,
	.cfg_size = sizeof(struct topo_cfg),
	.shows = TABLES(&plan_type),
	.pictures = true,
	.run = topo_run,
	.tables = topo_tables,
	.done = topo_done,
};
