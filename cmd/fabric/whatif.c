/* SPDX-License-Identifier: BSD-2-Clause */
/* What is lost without some switches, HCAs or cables: "May I pull leaf07 at 14:00?" */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/names.h>

#include "columns.h"
#include "counters.h"
#include "show.h"
#include "whatif.h"

#define THINGS_MAX   64 /* of a command line; wildcards may name more */
#define ROWS_OF_TEXT 20 /* of a terminal, a screen */

struct whatif_cfg {
	const char *jobs;
	struct str_list expect;
	bool route;
};

static const struct opt whatif_opts[] = {
	OPT_STR(0, "jobs", "FILE", struct whatif_cfg, jobs,
	        "show the affected jobs: lines of a job and its hosts, as squeue -h -o '%A %N'",
	        .hint = HINT_FILE),
	OPT_LIST(0, "expect", "FILE", struct whatif_cfg, expect,
	         "compare with a plan of the cabling as well: what lacks a cable already has less "
	         "to lose",
	         .hint = HINT_FILE),
	OPT_FLAG(0, "route", struct whatif_cfg, route,
	         "have OpenSM route what is left, in the simulator (ibcheck-sim), and judge that"),
	OPT_END,
};

static bool whatif_simulates(const struct app *app)
{
	return ((const struct whatif_cfg *)app->cfg)->route;
}

/* ---- the things --------------------------------------------------------------------------- */

/* struct things - all that is taken away, together */
struct things {
	struct ibc_place *places;
	size_t n;
};

/* A port stands for its cable: one that has none takes nothing away, and is a slip. */
static int add_thing(const struct app *app, struct things *t, const char *text,
                     struct ibc_error *err)
{
	struct ibc_place *found, *all;
	size_t n, kept = 0;
	int rc = ibc_fabric_find(app->fabric, text, &found, &n, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++)
		if (!found[i].port || ibc_node_port(found[i].node, found[i].port)->peer)
			found[kept++] = found[i];
	all = reallocarray(t->places, t->n + kept + 1, sizeof(*all));
	if (all) {
		memcpy(all + t->n, found, kept * sizeof(*all));
		t->places = all;
		t->n += kept;
	}
	free(found);
	if (!all)
		return cmd_fail(err, -ENOMEM, "out of memory");
	return kept ? 0 : cmd_fail(err, -EINVAL, "%s: no cable is known there", text);
}

/* The whole of an argument may be a name that has a comma. */
static int add_things(const struct app *app, struct things *t, const char *argument,
                      struct ibc_error *err)
{
	int rc = add_thing(app, t, argument, err);
	char *list, *next, *text;

	if (rc != -ENOENT || !strchr(argument, ','))
		return rc;
	list = next = strdup(argument);
	rc = list ? 0 : cmd_fail(err, -ENOMEM, "out of memory");
	while (!rc && (text = strsep(&next, ",")))
		rc = add_thing(app, t, text + strspn(text, " "), err);
	free(list);
	return rc;
}

/* ---- today, and the rest ------------------------------------------------------------------ */

/* What is wrong already, in a report of its own: the verdict is about what the things take. */
static int judge_today(struct app *app, struct ibc_report *today, struct ibc_error *err)
{
	struct ibc_input in;
	int rc = 0;

	if (app->planned)
		rc = ibc_compare(app->planned, app->fabric, &app->trace, &app->comparison, err);
	if (!rc)
		rc = app_infer(app, err);
	if (rc)
		return rc;
	ibc_check_spare_counters(&app->selection, app->fabric, today);
	in = app_input(app);
	rc = ibc_check_run_set(&in, &app->selection, today, err);
	return rc ? rc : ibc_report_finish(today, err);
}

static int judge_loss(struct app *app, const struct things *t, const struct ibc_report *today,
                      struct ibc_error *err)
{
	struct whatif_own *own = whatif_of(app);
	const struct ibc_input in = app_input(app);
	struct ibc_fattree *tree = NULL;
	struct ibc_fabric *rest = NULL;
	struct ibc_report *after = NULL;
	struct ibc_error why = { "" };
	const char *unrouted = NULL;
	int rc = ibc_dependents_find(app->fabric, app->fattree, t->places, t->n, &own->lost, err);

	if (!rc)
		rc = ibc_fabric_without(app->fabric, t->places, t->n, &rest, err);
	if (!rc)
		rc = ibc_fattree_infer(rest, NULL, &tree, err);
	/* what is cut off is known all the same */
	if (!rc && whatif_simulates(app) && whatif_reroute(app, &after, &why)) {
		unrouted = why.text;
		ibc_routes_free(own->routes_then);
		own->routes_then = NULL;
		ibc_report_free(after);
		after = NULL;
	}
	if (!rc)
		rc = ibc_check_whatif(&in, own->lost, tree, today, after, unrouted, app->report,
		                      err);
	ibc_report_free(after);
	ibc_fattree_free(tree);
	ibc_fabric_free(rest);
	return rc;
}

static void whatif_conclude(struct app *app)
{
	const struct ibc_dependents *d = whatif_of(app)->lost;
	struct ibc_coverage nodes = ibc_fabric_coverage(app->fabric, IBC_ATTR_NODE_INFO);
	const char *seen = nodes.refused + nodes.timed_out ? " that answers" : "";

	if (d->num_cut_off)
		ibc_report_conclude(app->report, "%zu of %zu hosts%s cut off", d->num_cut_off,
		                    d->num_hosts, seen);
	else
		ibc_report_conclude(app->report, "no host%s is cut off", seen);
	if (d->has_routes)
		ibc_report_conclude(app->report, "%" PRIu64 " pair%s of hosts need%s another route",
		                    d->reroutes, d->reroutes == 1 ? "" : "s",
		                    d->reroutes == 1 ? "s" : "");
	else
		ibc_report_conclude(app->report, "which pairs need another route is not known: "
		                                 "there are no linear forwarding tables (LFTs)");
}

/*
 * First the fabric as it is.  Then, of the verdict: whatever did not answer may be the only cable
 * of a host, or its route.
 */
static int whatif_run(struct app *app, struct ibc_error *err)
{
	const struct ibc_attrs tables = IBC_ATTRS(IBC_ATTR_LFT, IBC_ATTR_SM_INFO);
	const struct whatif_cfg *c = app->cfg;
	struct things t = { .n = 0 };
	struct ibc_report *today = NULL;
	int rc = c->jobs ? app_jobs_read(c->jobs, &app->jobs, err) : 0;

	if (!rc)
		rc = app_select(app, c->expect.n ? WITHOUT_ROUTES : "-topo," WITHOUT_ROUTES, err);
	if (!rc && c->expect.n)
		rc = app_load(app, c->expect.items, c->expect.n, &app->planned, err);
	app->how.totals = app->how.spares_counters = true;
	if (!rc)
		rc = app_sweep(app, tables, err);
	for (size_t i = 0; !rc && app->args[i]; i++)
		rc = add_things(app, &t, app->args[i], err);
	if (!rc)
		rc = ibc_report_new(&today, err);
	if (!rc)
		rc = judge_today(app, today, err);
	if (!rc) {
		app_select_none(app);
		app->how.relevant = tables;
		rc = app_check(app, err);
	}
	if (!rc)
		rc = judge_loss(app, &t, today, err);
	if (!rc)
		whatif_conclude(app);
	ibc_report_free(today);
	free(t.places);
	return rc;
}

/* ---- tables ------------------------------------------------------------------------------- */

/* struct thing_row - @near: the port, of a cable */
struct thing_row {
	const struct ibc_node *node;
	const struct ibc_port *near;
	unsigned int port;
};

GETTER(thing_name, struct thing_row, r,
       r->near ? cable_name(cell, r->near) : ibc_str(r->node->label));
GETTER(thing_kind, struct thing_row, r,
       ibc_str(r->near ? "cable" : ibc_node_type_word(r->node->type)->word));

static const struct ibc_column thing_columns[] = {
	NODE_COLUMNS(OF_NODE),
	FIELD_OR_NONE("port", NULL, struct thing_row, port),
	COLUMN("kind", "WITHOUT", thing_kind),
	COLUMN("thing", "", thing_name),
	{ 0 },
};
static const struct ibc_table_type things_type = TABLE("things", thing_columns, NULL);

/* struct leaf_row - what a switch keeps */
struct leaf_row {
	struct ibc_switch_loss loss;
	unsigned int left;
	double left_gbps;
	bool gbps_known;
};
#define ROW struct leaf_row

static const struct ibc_column leaf_columns[] = {
	NODE_COLUMNS(OF_NODE),
	COLUMN_OF(OF_NODE, "switch", "SWITCH", cell_node),
	FIELD("tier", "TIER", ROW, loss.tier),
	FIELD("cables", "UPLINKS", ROW, loss.links,
	      .legend = "cables to the tier above; in no fat-tree to all other switches"),
	FIELD("cables_left", "LEFT", ROW, left),
	FIELD_OR_NONE("cables_gbps", "Gb/s", ROW, loss.gbps),
	FIELD_IF(gbps_known, "left_gbps", "LEFT Gb/s", ROW, left_gbps),
	{ 0 },
};
static const struct ibc_table_type leaves_type = TABLE("leaves", leaf_columns,
                                                       "switches that lose bandwidth");

static size_t rows_shown(const struct app *app)
{
	return app_shows_all(app) || app->common.sort ? SIZE_MAX : ROWS_OF_TEXT;
}

static void leaves_table(struct app *app)
{
	const struct ibc_dependents *d = whatif_of(app)->lost;
	struct ibc_table *leaves = app_table(app, &leaves_type);
	size_t shown = rows_shown(app);

	for (size_t i = 0; i < d->num_losses; i++) {
		const struct ibc_switch_loss *l = &d->losses[i];
		double left = l->gbps - l->lost_gbps;

		if (i < shown)
			ibc_table_row(leaves,
			              &(struct leaf_row){ *l, l->links - l->lost,
			                                  left > 0 ? left : 0, l->gbps > 0 });
	}
	if (d->num_losses > shown)
		ibc_table_omit(leaves, d->num_losses - shown, NULL);
}

static int whatif_tables(struct app *app, struct ibc_error *err)
{
	struct ibc_table *things = app_table(app, &things_type);
	const struct ibc_dependents *d = whatif_of(app)->lost;
	size_t shown = rows_shown(app);

	for (size_t i = 0; i < d->num_places && i < shown; i++) {
		const struct ibc_place *p = &d->places[i];

		ibc_table_row(things, &(struct thing_row){
					  p->node, p->port ? ibc_node_port(p->node, p->port) : NULL,
					  p->port });
	}
	if (d->num_places > shown)
		ibc_table_omit(things, d->num_places - shown, NULL);
	dependents_row(app, d);
	leaves_table(app);
	if (whatif_simulates(app))
		routed_table(app);
	return app->jobs ? jobs_table(app, app->jobs, &whatif_of(app)->lost, 1, err) : 0;
}

static void whatif_end(struct app *app)
{
	ibc_dependents_free(whatif_of(app)->lost);
	ibc_routes_free(whatif_of(app)->routes_then);
	ibc_fabric_free(whatif_of(app)->rerouted);
}

const struct cmd cmd_whatif = {
	.name = "whatif",
	.summary = "what is lost without a switch, a host or a cable",
	.args = "THING[,THING...] ...",
	.min_args = 1,
	.max_args = THINGS_MAX,
	.example = "whatif leaf07\n"
		   "whatif leaf03/19,leaf03/20 --jobs jobs.txt\n"
		   "whatif 'spine0[12]' --expect plan.csv\n",
	.group = CMD_FABRIC,
	.takes = TAKES_SWEEP | TAKES_NODES | TAKES_CHECKS | TAKES_PHYSICAL,
	.checks = CHECKS_OF_FABRIC,
	.opts = whatif_opts,
	.cfg_size = sizeof(struct whatif_cfg),
	.own_size = sizeof(struct whatif_own),
	.csv = &leaves_type,
	.shows = TABLES(&things_type, &dependents_type, &leaves_type, &routed_type, &jobs_type),
	.simulates = whatif_simulates,
	.run = whatif_run,
	.tables = whatif_tables,
	.end = whatif_end,
};
