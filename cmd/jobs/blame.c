/* SPDX-License-Identifier: BSD-2-Clause */
/* Why connections of a job broke: from its last words to a cable, a host or its software. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "blame.h"
#include "columns.h"
#include "history.h"

#define ROWS_OF_TEXT 12   /* of a terminal, half a screen */
#define SLACK_OF_NOW 3600 /* who reads a log without times does so within the hour */
#define BLAME_NEEDS                                                                                \
	IBC_ATTRS(IBC_ATTR_LFT, IBC_ATTR_PORT_COUNTERS, IBC_ATTR_AR_INFO, IBC_ATTR_AR_LFT)

static const struct opt blame_opts[] = {
	OPT_STR(0, "hosts", "FILE", struct blame_cfg, hosts,
	        "hosts of the addresses of TCP sockets, as lines of /etc/hosts", .hint = HINT_FILE),
	OPT_LIST(
	    0, "fleet", "FILE", struct blame_cfg, fleet,
	    "reports of ibcheck host -f json, which know the HCAs of hosts by name; a file or a "
	    "directory; may be repeated",
	    .hint = HINT_FILE),
	OPT_STR(
	    0, "at", "TIME", struct blame_cfg, at,
	    "the time of lines that have none: 2026-03-03T12:11, with a Z in UTC (default: now)"),
	OPT_STR(0, "job", "ID", struct blame_cfg, job,
	        "only lines of the hosts and the time of this job, by sacct or scontrol"),
	OPT_STR(0, "sacct", "FILE", struct blame_cfg, sacct,
	        "the same from a file with lines of sacct: NodeList|Start|End", .hint = HINT_FILE),
	OPT_END
};

static void blame_end(struct app *app)
{
	struct blame_work *w = app->own;

	ibc_blame_free(w->blame);
	ibc_history_free(w->history);
	ibc_fabric_free(w->kept);
	ibc_fabric_free(w->middle);
	ibc_fleet_free(w->fleet);
	ibc_hostlist_free(w->job_hosts);
	ibc_joblog_free(w->log);
	for (size_t i = 0; i < w->text.n; i++)
		free((char *)w->text.items[i]);
	free(w->text.items);
	free(w->aliases);
	free(w->signs);
}

/* ---- the run ------------------------------------------------------------------------ */

static int read_all(struct app *app, struct blame_work *w, struct ibc_error *err)
{
	const struct blame_cfg *c = app->cfg;
	struct ibc_joblog_opts opts = { .now = time(NULL) };
	size_t n = 0;
	int rc;

	while (app->args[n])
		n++;
	w->in.at = opts.now;
	if (c->at && !blame_time(c->at, &w->in.at))
		return cmd_fail(
		    err, -EINVAL,
		    "--at %s: a time is 2026-03-03T12:11 or 2026-03-03T12:11:38, with a Z in "
		    "UTC",
		    c->at);
	rc = c->job || c->sacct ? blame_job(w, c->job, c->sacct, err) : 0;
	/* without a time a line of a job is of its end; of another log, of the hour before now */
	if (!rc && !c->at && w->in.until)
		w->in.at = w->in.until;
	w->in.slack = c->at || w->in.until ? IBC_BLAME_SLACK : SLACK_OF_NOW;
	if (!rc && c->hosts)
		rc = blame_hosts(w, c->hosts, err);
	if (!rc && c->fleet.n)
		rc = blame_fleet(w, &c->fleet, err);
	if (!rc)
		rc = ibc_joblog_read((const char *const *)app->args, n, &opts, &w->log, err);
	if (rc)
		return rc;
	w->in.log = w->log;
	w->in.aliases = w->aliases;
	w->in.num_aliases = w->num_aliases;
	ibc_blame_span(&w->in, &w->first, &w->last);
	return 0;
}

/* The state alone is enough where it has a sweep; else the fabric is swept, or read. */
static int read_fabric(struct app *app, struct blame_work *w, struct ibc_error *err)
{
	const char *state = app->common.state;
	char when[SWEEP_TEXT];
	int rc = 0;

	if (app->common.sources.n || !state)
		rc = app_sweep(app, BLAME_NEEDS, err);
	if (!rc && state)
		rc = blame_remember(app, w, err);
	if (!rc && !app->fabric && !w->in.then)
		rc = app_sweep(app, BLAME_NEEDS, err);
	if (rc)
		return rc;
	w->in.now = app->fabric ? app->fabric : w->in.now;
	if (app->fabric && !w->in.then)
		return 0;
	if (app->fabric)
		return app_say(app, err, "%s; at the time%s", app->headline,
		               sweep_text(ibc_fabric_subnet(w->in.then, 0), when));
	return app_say(app, err, "the fabric that %s remembers%s", state,
	               sweep_text(ibc_fabric_subnet(w->in.then, 0), when));
}

static void conclude_blame(struct app *app, const struct blame_work *w)
{
	const struct ibc_blame *b = w->blame;
	struct ibc_report *rep = app->report;
	const struct {
		uint64_t n;
		const char *text;
	} others[] = {
		{ b->flushes, "flushed, which are consequences" },
		{ b->ethernet, "of RoCE, which is no InfiniBand" },
		{ b->others, "not of the job" },
		{ w->bad_reports, "of the reports of hosts could not be read" },
		{ b->sockets, "report TCP sockets in use: see ibcheck ipoib" },
		{ b->unplaced, b->unplaced == 1 ? "pair of which an end is not known"
		                                : "pairs of which an end is not known" },
	};

	ibc_report_sum(rep, "blame_lines", b->lines);
	ibc_report_sum(rep, "blame_pairs", b->num_pairs);
	ibc_report_sum(rep, "blame_flushes", b->flushes);
	ibc_report_sum(rep, "blame_lost", w->log->lost);
	ibc_report_conclude(rep, "%" PRIu64 " line%s of %zu pair%s", b->lines,
	                    b->lines == 1 ? "" : "s", b->num_pairs, b->num_pairs == 1 ? "" : "s");
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].n)
			ibc_report_conclude(rep, "%" PRIu64 " %s", others[i].n, others[i].text);
	if (b->untimed)
		ibc_report_conclude(
		    rep, "%" PRIu64 " without a time, taken to be of the %ld minutes before %s",
		    b->untimed, (long)w->in.slack / 60,
		    w->in.slack == SLACK_OF_NOW ? "now" : "--at, or the end of the job");
	if (b->guessed)
		ibc_report_conclude(
		    rep,
		    "not all routes are known, as without linear forwarding tables (LFTs): what is "
		    "known of them was looked at");
}

static int blame_run(struct app *app, struct ibc_error *err)
{
	struct blame_work *w = app->own;
	int rc = read_all(app, w, err);

	if (!rc)
		rc = read_fabric(app, w, err);
	if (!rc)
		rc = blame_signs(w, err);
	if (!rc)
		rc = ibc_blame_find(&w->in, &w->blame, err);
	if (!rc)
		rc = ibc_check_blame(w->blame, &w->in, app->report, err);
	if (!rc)
		conclude_blame(app, w);
	return rc;
}

/* ---- tables ------------------------------------------------------------------------- */

struct cause_row {
	struct ibc_blame_cause c;
	struct ibc_place place;
	const char *where;
	char text[2 * IBC_PLACE_TEXT];
};

GETTER(cause_kind, struct cause_row, r, ibc_enum(ibc_blame_kind_word(r->c.kind)));
GETTER(cause_status, struct cause_row, r, text_or_none(ibc_wc_status_name(r->c.status)));
GETTER(cause_file, struct cause_row, r, ibc_str(r->c.example ? r->c.example->file : NULL));
GETTER(cause_line, struct cause_row, r, r->c.example ? ibc_u64(r->c.example->line) : ibc_none());
GETTER(cause_text, struct cause_row, r, ibc_str(r->c.example ? r->c.example->text : NULL));

static const struct ibc_column cause_columns[] = {
	PLACE_COLUMNS("node_guid", "node_desc", "port", struct cause_row, place),
	COLUMN("kind", "CAUSE", cause_kind),
	FIELD_OR_NONE("host", NULL, struct cause_row, c.host),
	FIELD_OR_NONE("where", "WHERE", struct cause_row, where),
	COLUMN("status", "STATUS", cause_status),
	FIELD("lines", "LINES", struct cause_row, c.lines),
	FIELD("share_percent", "%", struct cause_row, c.share_percent),
	FIELD("pairs", "PAIRS", struct cause_row, c.pairs),
	FIELD("cables", "CABLES", struct cause_row, c.links,
	      .legend = "cables that may be the cause, where it was not seen"),
	FIELD_OR_NONE("evidence", NULL, struct cause_row, c.evidence),
	FIELD_OR_NONE("case", "ID", struct cause_row, c.case_id),
	COLUMN("file", NULL, cause_file),
	COLUMN("line", NULL, cause_line),
	COLUMN("text", NULL, cause_text),
	{ 0 },
};
static const struct ibc_table_type causes_type = TABLE("causes", cause_columns, NULL);

struct pair_row {
	struct ibc_blame_pair p;
	struct ibc_place own, peer;
	bool local;
};

GETTER(pair_status, struct pair_row, r, text_or_none(ibc_wc_status_name(r->p.status)));
GETTER(pair_first, struct pair_row, r, time_value(cell, r->local, r->p.first));
GETTER(pair_last, struct pair_row, r, time_value(cell, r->local, r->p.last));

static const struct ibc_column pair_columns[] = {
	PLACE_COLUMNS("own_guid", "own_desc", "own_port", struct pair_row, own),
	PLACE_COLUMNS("peer_guid", "peer_desc", "peer_port", struct pair_row, peer),
	FIELD_OR_NONE("own", "OWN END", struct pair_row, p.own),
	FIELD_OR_NONE("peer", "PEER", struct pair_row, p.peer),
	FIELD("own_candidates", NULL, struct pair_row, p.own_ports),
	FIELD("peer_candidates", NULL, struct pair_row, p.peer_ports),
	COLUMN("status", "STATUS", pair_status),
	FIELD("lines", "LINES", struct pair_row, p.lines),
	COLUMN("first", "FIRST", pair_first),
	COLUMN("last", NULL, pair_last),
	FIELD("cables", "CABLES", struct pair_row, p.links),
	FIELD("guessed", NULL, struct pair_row, p.guessed),
	FIELD("cause", NULL, struct pair_row, p.cause),
	{ 0 },
};
static const struct ibc_table_type blamed_pairs_type = TABLE("broken_pairs", pair_columns, NULL);

static struct ibc_place place_at(const struct ibc_port *port)
{
	return (struct ibc_place){ port ? port->node : NULL, port ? port->num : 0 };
}

static void add_cause(struct ibc_table *table, const struct ibc_blame *b, size_t i)
{
	struct cause_row row = { .c = b->causes[i], .where = b->causes[i].host };
	char far[IBC_PLACE_TEXT];

	row.place = row.c.port ? place_at(row.c.port) : (struct ibc_place){ row.c.node, 0 };
	if (row.place.node)
		row.where = ibc_place_text(row.place, row.text, IBC_PLACE_TEXT);
	if (row.c.is_cable) {
		ibc_place_text(place_at(row.c.port->peer), far, sizeof(far));
		strcat(strcat(row.text, " - "), far);
	}
	ibc_table_row(table, &row);
}

static int blame_tables(struct app *app, struct ibc_error *err)
{
	struct ibc_table *causes = app_table(app, &causes_type);
	struct ibc_table *pairs = app_table(app, &blamed_pairs_type);
	const struct ibc_blame *b = ((const struct blame_work *)app->own)->blame;
	size_t shown = app_shows_all(app) ? SIZE_MAX : ROWS_OF_TEXT;

	(void)err;
	for (size_t i = 0; i < b->num_causes; i++)
		add_cause(causes, b, i);
	for (size_t i = 0; i < b->num_pairs && i < shown; i++)
		ibc_table_row(pairs, &(struct pair_row){ .p = b->pairs[i],
		                                         .own = place_at(b->pairs[i].own_port),
		                                         .peer = place_at(b->pairs[i].peer_port),
		                                         .local = app_for_people(app) });
	if (b->num_pairs > shown)
		ibc_table_omit(pairs, b->num_pairs - shown, NULL);
	return 0;
}

const struct cmd cmd_blame = {
	.name = "blame",
	.summary = "from a job's last words to a cable, a host or its software",
	.args = "LOG ...",
	.example = "blame slurm-4711.out\n"
		   "blame --state /var/lib/ibcheck --job 4711 slurm-4711.out\n"
		   "blame --hosts /etc/hosts nccl.log messages.gz\n",
	.group = CMD_FILES,
	.takes = TAKES_SWEEP | TAKES_CHECKS | TAKES_HISTORY,
	.min_args = 1,
	.max_args = INT_MAX,
	.arg_hint = HINT_FILE,
	.checks = "blame",
	.opts = blame_opts,
	.cfg_size = sizeof(struct blame_cfg),
	.csv = &causes_type,
	.shows = TABLES(&causes_type, &blamed_pairs_type),
	.own_size = sizeof(struct blame_work),
	.run = blame_run,
	.tables = blame_tables,
	.end = blame_end,
};
