/* SPDX-License-Identifier: BSD-2-Clause */
/* topo --slurm, --slurm-check: the tree of switches for Slurm. */
#include "topo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"

/* ---- options ------------------------------------------------------------------------------ */

static const struct slurm_cfg *cfg_of(const struct app *app)
{
	return &((const struct topo_cfg *)app->cfg)->slurm;
}

static bool slurm_wanted(const struct app *app)
{
	return cfg_of(app)->conf || cfg_of(app)->check;
}

/* Options that nothing else needs, without it; or what cannot be meant together. */
static int slurm_verify(struct app *app, struct ibc_error *err)
{
	const struct slurm_cfg *c = cfg_of(app);
	const struct topo_cfg *topo = app->cfg;

	if (c->conf && c->check)
		return cmd_fail(err, -EINVAL, "--slurm and --slurm-check: one at a time");
	if (!slurm_wanted(app) && (c->nodes || c->rail || c->skip.n || c->partial))
		return cmd_fail(err, -EINVAL,
		                "--nodes, --rail, --skip and --partial belong to --slurm or "
		                "--slurm-check");
	if (c->check && c->partial)
		return cmd_fail(err, -EINVAL, "--partial: --slurm-check writes nothing");
	if (slurm_wanted(app) && (topo->write || *app->args || topo->check || topo->plan_csv))
		return cmd_fail(err, -EINVAL,
		                "--slurm and --slurm-check take the fabric from --source: they "
		                "cannot be combined with files or other options of topo");
	return 0;
}

/* ---- the run ----------------------------------------------------------------------------------
 */

/* What it comes to. */
static void conclude(struct app *app)
{
	const struct ibc_slurm_switch *line;
	size_t leaves = 0, pods = 0, roots = 0, hosts = 0;

	for (size_t i = 0; (line = ibc_slurm_switch(app->slurm, i)); i++) {
		leaves += !line->tier;
		pods += line->tier && line->up;
		roots += !line->up;
		hosts += line->tier ? 0 : line->num_children;
	}
	ibc_report_sum(app->report, "slurm_leaves", leaves);
	ibc_report_sum(app->report, "slurm_hosts", hosts);
	ibc_report_conclude(app->report, "%zu host%s on %zu lea%s", hosts, hosts == 1 ? "" : "s",
	                    leaves, leaves == 1 ? "f" : "ves");
	if (pods)
		ibc_report_conclude(app->report, "%zu pods", pods);
	if (roots > 1)
		ibc_report_conclude(app->report, "%zu roots", roots);
}

static int make_tree(struct app *app, const struct slurm_cfg *c, struct ibc_error *err)
{
	struct ibc_hostlist *nodes = NULL;
	struct ibc_slurm_opts opts = { .rail = c->rail,
		                       .skip = c->skip.items,
		                       .num_skip = c->skip.n };
	struct ibc_error why;
	const char *list = c->nodes;
	int rc = list ? ibc_hostlist_read(&list, 1, &nodes, &why) : 0;

	if (rc)
		return cmd_fail(err, rc, "--nodes %.80s: %s", list, why.text);
	opts.nodes = nodes ? nodes->names : NULL;
	opts.num_nodes = nodes ? nodes->num : 0;
	rc = app_infer(app, err);
	if (!rc)
		rc = ibc_slurm_make(app->fattree, &opts, &app->slurm, err);
	ibc_hostlist_free(nodes);
	if (!rc && !ibc_slurm_switch(app->slurm, 0))
		rc = cmd_fail(err, -EINVAL, "no host%s is cabled to a switch%s: there is no tree",
		              c->nodes ? " of --nodes" : "",
		              c->rail || c->skip.n ? " that --rail and --skip let count" : "");
	return rc;
}

static int slurm_run(struct app *app, struct ibc_error *err)
{
	const struct slurm_cfg *c = cfg_of(app);
	int rc = app_select(app, c->check ? "slurm,port.silent" : "slurm.hosts,port.silent", err);

	app->shown.aside = !c->check;
	if (!rc && c->check)
		rc = ibc_slurm_read(c->check, &app->slurm_file, err);
	if (!rc)
		rc = app_sweep(app, IBC_ATTRS(), err);
	if (!rc)
		rc = make_tree(app, c, err);
	if (!rc)
		rc = app_check(app, err);
	if (!rc)
		conclude(app);
	return rc;
}

/* ---- the file ----------------------------------------------------------------------------------
 */

static int write_lines(const struct app *app, FILE *out, struct ibc_error *err)
{
	const struct ibc_slurm_switch *line;
	const struct ibc_finding *f;
	char *names;

	/* what the reader of the file is to know: the report is not seen beside it */
	fprintf(out, "# topology.conf of Slurm, written from the cabling by ibcheck topo --slurm\n"
	             "# slurm.conf needs TopologyPlugin=topology/tree\n");
	if (ibc_report_verdict(app->report) >= IBC_UNKNOWN)
		fprintf(out,
		        "# INCOMPLETE: not everything in the fabric was read; switches and hosts "
		        "may be missing here\n");
	for (size_t i = 0; (f = ibc_report_finding(app->report, i)); i++)
		if (f->severity >= IBC_WARNING || !strncmp(f->check, "slurm.", strlen("slurm.")))
			fprintf(out, "# %s: %s\n", f->check, f->message);
	for (size_t i = 0; (line = ibc_slurm_switch(app->slurm, i)); i++) {
		names = ibc_hostlist_fold(line->children, line->num_children);
		if (!names)
			return cmd_fail(err, -ENOMEM, "out of memory");
		fprintf(out, "SwitchName=%s %s=%s\n", line->name, line->tier ? "Switches" : "Nodes",
		        names);
		free(names);
	}
	return 0;
}

/* The report is out by then. */
static int slurm_write(struct app *app, struct ibc_error *err)
{
	const struct slurm_cfg *c = cfg_of(app);
	struct out out;
	int rc;

	if (!c->conf)
		return 0;
	if (ibc_report_verdict(app->report) >= IBC_UNKNOWN && !c->partial)
		return cmd_fail(err, -EIO,
		                "not everything in the fabric was read, and a switch or a host may "
		                "be missing: nothing is written; --partial writes what there is, "
		                "with a comment in the file");
	rc = out_open(&out, app->common.output, err);
	if (rc)
		return rc;
	rc = write_lines(app, out.file, err);
	return out_end(&out, rc, err);
}

/* ---- labels --------------------------------------------------------------------------------- */

#define TIERS 4 /* leaf, pod, and what the deepest fat-trees have above */

/* struct label_row - a port of a host: its rail, and what is above its leaf */
struct label_row {
	const char *host, *rail, *node_desc;
	uint64_t node_guid;
	const char *tier[TIERS];
};

static const struct ibc_column label_columns[] = {
	FIELD("host", NULL, struct label_row, host),
	FIELD_OR_NONE("rail", NULL, struct label_row, rail),
	FIELD("switch", NULL, struct label_row, node_desc),
	COLUMN_AT("switch_guid", NULL, field_guid, struct label_row, node_guid),
	FIELD("tier_0", NULL, struct label_row, tier[0]),
	FIELD_OR_NONE("tier_1", NULL, struct label_row, tier[1]),
	FIELD_OR_NONE("tier_2", NULL, struct label_row, tier[2]),
	FIELD_OR_NONE("tier_3", NULL, struct label_row, tier[3]),
	{ 0 },
};
static const struct ibc_table_type labels_type = TABLE("labels", label_columns, NULL);

/* A row for each host and rail, of the whole fabric unless the run has made less. */
static int labels_table(struct app *app, struct ibc_error *err)
{
	const struct ibc_slurm_opts all = { 0 };
	const char *format = app->common.format;
	const struct ibc_slurm_host *h;
	char rail[IBC_RAIL_TEXT];
	struct ibc_table *table;
	int rc;

	if ((strcmp(format, FORMAT_JSON) && strcmp(format, FORMAT_CSV)) || !app->fabric)
		return 0;
	rc = app_infer(app, err);
	if (!rc && !app->slurm)
		rc = ibc_slurm_make(app->fattree, &all, &app->slurm, err);
	if (rc)
		return rc;
	table = app_table(app, &labels_type);
	for (size_t i = 0; (h = ibc_slurm_host(app->slurm, i)); i++) {
		const struct ibc_slurm_switch *line = h->leaf;
		struct label_row row = { .host = h->name };

		for (size_t k = 0; k < TIERS && line; k++, line = line->up)
			row.tier[k] = line->name;
		for (size_t k = 0; k < h->num_ports; k++) {
			row.rail = ibc_slurm_rail(h->ports[k], rail);
			row.node_desc = h->ports[k]->peer->node->label;
			row.node_guid = h->ports[k]->peer->node->guid;
			ibc_table_row(table, &row);
		}
	}
	return 0;
}

static void slurm_input(const struct app *app, struct ibc_input *in)
{
	in->slurm = app->slurm;
	in->slurm_file = app->slurm_file;
}

static void slurm_end(struct app *app)
{
	ibc_slurm_free(app->slurm);
	ibc_slurm_file_free(app->slurm_file);
}

const struct addition addition_slurm = {
	.cmd = "topo",
	.example = "topo --slurm -o topology.conf\n"
		   "topo --slurm-check /etc/slurm/topology.conf\n",
	.shows = TABLES(&labels_type),
	.verify = slurm_verify,
	.wanted = slurm_wanted,
	.run = slurm_run,
	.more = labels_table,
	.input = slurm_input,
	.done = slurm_write,
	.end = slurm_end,
};

const struct addition addition_labels = {
	.cmd = "fattree",
	.shows = TABLES(&labels_type),
	.more = labels_table,
	.input = slurm_input,
	.end = slurm_end,
};
