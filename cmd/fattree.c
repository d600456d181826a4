/* SPDX-License-Identifier: BSD-2-Clause */
/* Symmetry without a file: what most of the like switches do, and which cables do not. */
#include <errno.h>

#include "expect.h"
#include "fattree.h"
#include "slurm.h"

struct fattree_cfg {
	const char *max_oversubscription, *dot, *svg, *plan_csv;
	bool require;
};

static const struct opt fattree_opts[] = {
	OPT_STR(
	    0, "max-oversubscription", "R", struct fattree_cfg, max_oversubscription,
	    "warn if the downlinks of a tier have more than R times the bandwidth of its uplinks"),
	OPT_FLAG(0, "require-fat-tree", struct fattree_cfg, require,
	         "report it as critical if the switches do not form a fat-tree"),
	OPT_STR(0, "dot", "FILE", struct fattree_cfg, dot,
	        "draw the switches by tier, faulty cables in red, for Graphviz", .hint = HINT_FILE),
	OPT_STR(0, "plan-csv", "FILE", struct fattree_cfg, plan_csv,
	        "write the repair steps as a work order, for a spreadsheet", .hint = HINT_FILE),
	OPT_STR(0, "svg", "FILE", struct fattree_cfg, svg,
	        "draw the fabric for a browser: a matrix of its switches", .hint = HINT_FILE),
	OPT_END,
};

/* Options say what the configuration could say, and win. */
static int set_options(struct app *app, const struct fattree_cfg *c, struct ibc_error *err)
{
	int rc = 0;

	app->require_fattree = c->require;
	if (c->max_oversubscription) {
		rc = ibc_config_set(app->config, "fattree.oversubscribed", "warning",
		                    c->max_oversubscription, NULL);
		if (rc == -EINVAL)
			return cmd_fail(
			    err, rc,
			    "--max-oversubscription %s: give a ratio, e.g. 2 for two to one",
			    c->max_oversubscription);
	}
	return rc;
}

/* As rates are spelled: with a tenth where it is not whole. */
static int tenths(double gbps)
{
	return gbps != (double)(uint64_t)gbps;
}

static void conclude_fattree(struct app *app)
{
	struct ibc_bisection b = ibc_fattree_bisection(app->fattree);

	if (ibc_fattree_family(app->fattree) != IBC_FAMILY_FAT_TREE)
		return;
	ibc_report_conclude(app->report, "a fat-tree of %s", ibc_fattree_why(app->fattree));
	if (b.cut)
		ibc_report_conclude(app->report, "bisection %.*f of %.*f Gb/s", tenths(b.now_gbps),
		                    b.now_gbps, tenths(b.intended_gbps), b.intended_gbps);
}

static int fattree_run(struct app *app, struct ibc_error *err)
{
	const struct fattree_cfg *c = app->cfg;
	int rc = plan_refuse_stdout(c->plan_csv, err);

	if (!rc)
		rc = set_options(app, c, err);
	if (!rc)
		rc = app_sweep(app, IBC_ATTRS(), err);
	if (!rc)
		rc = app_infer(app, err);
	if (!rc)
		rc = app_check(app, err);
	if (!rc)
		conclude_fattree(app);
	return rc;
}

static int draw_for_graphviz(const struct app *app, const char *path, struct ibc_error *err)
{
	struct out out;
	int rc;

	if (!path)
		return 0;
	rc = out_open(&out, path, err);
	if (rc)
		return rc;
	rc = ibc_fattree_dot(app->fattree, app->report, out.file, err);
	return out_end(&out, rc, err);
}

static int add_tables(struct app *app, struct ibc_error *err)
{
	const struct fattree_cfg *c = app->cfg;
	int rc;

	fattree_tables(app);
	rc = draw_for_graphviz(app, c->dot, err);
	if (!rc)
		rc = picture_draw(app, c->svg, IBC_COLOUR_FAULTS, err);
	if (!rc)
		rc = labels_table(app, err);
	return rc ? rc : plan_table(app, err);
}

/* The report goes first, as that of topo. */
static int write_plan(struct app *app, struct ibc_error *err)
{
	const struct fattree_cfg *c = app->cfg;

	return c->plan_csv ? plan_write(app, c->plan_csv, err) : 0;
}

const struct cmd cmd_fattree = {
	.name = "fattree",
	.summary = "cabling errors of a fat-tree, found without a plan",
	.example = "fattree\n"
		   "fattree --require-fat-tree --max-oversubscription 2\n"
		   "fattree --source fabric.net --plan-csv repair.csv\n",
	.group = CMD_FABRIC,
	.takes = TAKES_FABRIC,
	.checks = "fattree,port.silent",
	.opts = fattree_opts,
	.cfg_size = sizeof(struct fattree_cfg),
	.shows = TABLES(&tiers_type, &rules_type, &bisection_type, &plan_type, &labels_type),
	.pictures = true,
	.run = fattree_run,
	.tables = add_tables,
	.done = write_plan,
};
