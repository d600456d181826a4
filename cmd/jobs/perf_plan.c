/* SPDX-License-Identifier: BSD-2-Clause */
/* Who measures with whom: the plan that ibcheck-perf-run follows on each host. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "perf.h"

#define SECONDS       10 /* of one measurement: perftest leaves out a quarter at each end */
#define RAIL_TEXT     24 /* "all", or two numbers and what is between them */
#define SETUP_SECONDS 3  /* beside it: two programs start, find each other and end; a guess */

static const char *const modes[] = {
	[IBC_PERF_RANDOM] = "random", [IBC_PERF_CIRCLE] = "circle", [IBC_PERF_RING] = "ring",
	[IBC_PERF_INCAST] = "incast", [IBC_PERF_SELF] = "self",     [IBC_PERF_COVER] = "cover",
};

/* ---- what is planned ------------------------------------------------------------------ */

static int read_options(const struct perf_cfg *c, enum ibc_perf_mode *mode, struct ibc_error *err)
{
	if (c->tool && strcmp(c->tool, "clusterkit") != 0 && strcmp(c->tool, "superbench") != 0)
		return cmd_fail(err, -EINVAL,
		                "--tool: there are clusterkit and superbench, not \"%s\"", c->tool);
	*mode = c->cover_links ? IBC_PERF_COVER : IBC_PERF_RANDOM;
	if (!c->mode)
		return 0;
	if (c->cover_links)
		return cmd_fail(err, -EINVAL, "--cover-links is a mode of its own, beside --mode");
	for (*mode = 0; *mode < IBC_PERF_COVER; ++*mode)
		if (!strcmp(c->mode, modes[*mode]))
			return 0;
	return cmd_fail(err, -EINVAL,
	                "--mode: there are random, circle, ring, incast and self, not \"%s\"",
	                c->mode);
}

/* Those that are named; else all of the fabric. */
static int read_hosts(struct app *app, struct ibc_hostlist **hosts, struct ibc_error *err)
{
	const char *const *lists = (const char *const *)app->args + 1;
	const struct ibc_fabric_host *host;
	const char **names;
	size_t n = 0;
	int rc;

	while (lists[n])
		n++;
	if (n || !app->fabric)
		return n ? ibc_hostlist_read(lists, n, hosts, err)
		         : cmd_fail(err, -EINVAL,
		                    "plan needs hosts, as n[0001-4096] or @FILE, or --source");
	names = calloc(ibc_fabric_count(app->fabric).hosts + 1, sizeof(*names));
	if (!names)
		return cmd_fail(err, -ENOMEM, "out of memory");
	while ((host = ibc_fabric_host(app->fabric, n)))
		names[n++] = host->name;
	rc = ibc_hostlist_of(names, n, hosts, err);
	free(names);
	return rc;
}

static int plan_run(struct app *app, struct ibc_error *err)
{
	const struct perf_cfg *c = app->cfg;
	struct ibc_perf_opts opts = { .rounds = c->rounds, .rails = c->rails };
	struct ibc_hostlist *hosts = NULL;
	int rc = read_options(c, &opts.mode, err);

	app->how.tables = c->tables;
	if (!rc && (c->cover_links || app->common.sources.n))
		rc = app_sweep(app, c->cover_links ? IBC_ATTRS(IBC_ATTR_LFT) : IBC_ATTRS(), err);
	if (!rc && app->fabric && ibc_fabric_lines_lost(app->fabric, NULL))
		rc = cmd_fail(err, -EINVAL,
		              "lines of the fabric's file were not understood, and hosts may be "
		              "missing from the plan: \"ibcheck ports\" shows them");
	if (!rc)
		rc = read_hosts(app, &hosts, err);
	opts.fab = app->fabric;
	if (!rc)
		rc = ibc_perf_plan(hosts, &opts, &perf_of(app)->plan, err);
	ibc_hostlist_free(hosts);
	return rc;
}

/* ---- as text ----------------------------------------------------------------------------- */

static const char *rail_text(const struct ibc_perf_test *t, char text[RAIL_TEXT])
{
	if (t->rail == IBC_PERF_ALL_RAILS)
		return "all";
	snprintf(text, RAIL_TEXT, t->rail == t->peer_rail ? "%d" : "%d-%d", t->rail, t->peer_rail);
	return text;
}

static void write_plan(const struct ibc_perf_plan *plan, const char *mode, unsigned int seconds,
                       FILE *out)
{
	unsigned int round = seconds + SETUP_SECONDS;
	char *resting = plan->num_resting ? ibc_hostlist_fold(plan->resting, plan->num_resting)
	                                  : NULL;
	char text[TIME_TEXT], rail[RAIL_TEXT];

	duration_text((double)plan->rounds * round, text);
	fprintf(out,
	        "# ibcheck perf plan 1\n# mode %s hosts %zu rounds %u seconds %u\n"
	        "# %zu host%s, %u round%s of %u s: %s\n",
	        mode, plan->num_hosts, plan->rounds, seconds, plan->num_hosts,
	        plan->num_hosts == 1 ? "" : "s", plan->rounds, plan->rounds == 1 ? "" : "s", round,
	        text);
	if (plan->num_resting)
		fprintf(out, "# not measured: %s\n", resting ? resting : "out of memory");
	free(resting);
	if (plan->repeats)
		fprintf(out, "# pairs that meet more than once, for want of others: %zu\n",
		        plan->repeats);
	if (plan->links)
		fprintf(
		    out,
		    "# %zu of %zu directions of cables between switches have a flow\n"
		    "# by the linear forwarding tables (LFTs); with adaptive routing each packet "
		    "takes\n"
		    "# another cable, and a slow flow shows no faulty one: see ibcheck counters\n",
		    plan->links - plan->num_uncovered, plan->links);
	for (size_t i = 0; i < plan->num_uncovered; i++) {
		const struct ibc_port *p = plan->uncovered[i];

		fprintf(out, "# no route between these hosts: %s/%u to %s/%u\n", p->node->label,
		        p->num, p->peer->node->label, p->peer->num);
	}
	for (size_t i = 0; i < plan->num_tests; i++) {
		const struct ibc_perf_test *t = &plan->tests[i];

		fprintf(out, "%u %s %s %s\n", t->round, t->server, t->client, rail_text(t, rail));
	}
}

/* ---- as other tools read it ----------------------------------------------------------------- */

static size_t host_number(const struct ibc_perf_plan *plan, const char *host)
{
	size_t i = 0;

	while (i < plan->num_hosts && plan->hosts[i] != host)
		i++;
	return i;
}

static bool plan_text(struct app *app, FILE *out)
{
	const struct perf_cfg *c = app->cfg;
	const struct ibc_perf_plan *plan = perf_of(app)->plan;

	if (!c->tool)
		write_plan(plan,
		           c->cover_links ? modes[IBC_PERF_COVER]
		           : c->mode      ? c->mode
		                          : modes[IBC_PERF_RANDOM],
		           c->seconds ? c->seconds : SECONDS, out);
	for (size_t i = 0; c->tool && i < plan->num_tests; i++) {
		const struct ibc_perf_test *t = &plan->tests[i];
		bool last = i + 1 == plan->num_tests || t[1].round != t->round;

		if (!strcmp(c->tool, "clusterkit"))
			fprintf(out, "%u %s %s\n", t->round, t->server, t->client);
		else /* superbench: a line a round; hosts by number, in the order of their list */
			fprintf(out, "%zu,%zu%c", host_number(plan, t->server),
			        host_number(plan, t->client), last ? '\n' : ';');
	}
	return true;
}

/* ---- as tables ------------------------------------------------------------------------------ */

static struct ibc_value test_rail(struct ibc_cell *cell)
{
	char text[RAIL_TEXT];

	return ibc_cell_text(cell, "%s", rail_text(cell->row, text));
}

static const struct ibc_column round_columns[] = {
	FIELD("round", "ROUND", struct ibc_perf_test, round),
	FIELD("server", "SERVER", struct ibc_perf_test, server),
	FIELD("client", "CLIENT", struct ibc_perf_test, client),
	COLUMN("rail", "RAIL", test_rail),
	{ 0 },
};
const struct ibc_table_type plan_rounds_type = TABLE("plan_rounds", round_columns, "the plan");

static const struct ibc_column uncovered_columns[] = {
	PORT_COLUMNS,
	PEER_COLUMNS,
	COLUMN("cable", "NO FLOW OVER", cell_cable),
	{ 0 },
};
const struct ibc_table_type plan_uncovered_type = TABLE("plan_uncovered", uncovered_columns,
                                                        "cables that no measurement uses");

/* Text writes the plan itself. */
static int plan_tables(struct app *app, struct ibc_error *err)
{
	const struct ibc_perf_plan *plan = perf_of(app)->plan;
	struct ibc_table *rounds, *uncovered;

	(void)err;
	if (!strcmp(app->common.format, FORMAT_TEXT))
		return 0;
	rounds = app_table(app, &plan_rounds_type);
	for (size_t i = 0; i < plan->num_tests; i++)
		ibc_table_row(rounds, &plan->tests[i]);
	if (!plan->links)
		return 0;
	uncovered = app_table(app, &plan_uncovered_type);
	for (size_t i = 0; i < plan->num_uncovered; i++)
		ibc_table_row(uncovered, &plan->uncovered[i]);
	return 0;
}

const struct perf_action perf_plan = { "plan", plan_run, plan_tables, plan_text };
