/* SPDX-License-Identifier: BSD-2-Clause */
/* Congestion over the windows of a run: its roots, what they cost whom, and what is not known. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "counters.h"
#include "show.h"

/* ---- roots ----------------------------------------------------------------------------- */

/* struct root_row - @hosts: folded; NULL: none; @lost: of all bytes, in percent */
struct root_row {
	const struct ibc_port *port;
	const struct ibc_congestion_root *root;
	char *hosts;
	double lost;
};

static struct ibc_value tenths_or_none(double percent)
{
	return percent < 0 ? ibc_none() : rounded(percent, 10);
}

GETTER(root_kind, struct root_row, r, ibc_enum(r->root->kind));
GETTER(root_bytes, struct root_row, r, ibc_u64((uint64_t)r->root->lost_bytes));
GETTER(root_share, struct root_row, r, tenths_or_none(r->lost));
GETTER(root_wait, struct root_row, r, tenths_or_none(r->root->wait_percent));
GETTER(root_util, struct root_row, r, tenths_or_none(r->root->util_percent));
GETTER(root_worst, struct root_row, r, tenths_or_none(r->root->worst_percent));
GETTER(root_windows, struct root_row, r, ibc_u64(r->root->windows));
GETTER(root_with, struct root_row, r, ibc_u64(r->root->with));
GETTER(root_onset, struct root_row, r, ibc_u64(r->root->onset));
GETTER(root_lasts, struct root_row, r, ibc_bool(r->root->lasts));
GETTER(root_strip, struct root_row, r, ibc_str(r->root->strip));
GETTER(root_victims, struct root_row, r, ibc_u64(r->root->victims));
GETTER(root_host_count, struct root_row, r, ibc_u64(r->root->num_hosts));
GETTER(root_hosts, struct root_row, r, ibc_str(r->hosts));

static const struct ibc_column root_columns[] = {
	PORT_COLUMNS,
	PEER_COLUMNS,
	COLUMN("kind", "KIND", root_kind),
	COLUMN("lost_bytes", NULL, root_bytes),
	COLUMN("lost_percent", "LOST %", root_share),
	COLUMN("wait_percent", "WAIT %", root_wait),
	COLUMN("worst_wait_percent", "WORST %", root_worst),
	COLUMN("util_percent", "UTIL %", root_util),
	COLUMN("windows_with", "IN", root_with,
	       .legend = "windows of time in which the port causes congestion, of those OF which "
	                 "it is known"),
	COLUMN("windows", "OF", root_windows),
	COLUMN("onset_window", "SINCE", root_onset, .legend = "the first window of these"),
	COLUMN("lasts", NULL, root_lasts),
	COLUMN(
	    "strip", "WINDOWS", root_strip,
	    .legend =
		"a sign each: . no root, - waiting below 5 %, + below 20 %, # more, ? not known"),
	COLUMN("victims", "PORTS", root_victims),
	COLUMN("host_count", NULL, root_host_count),
	COLUMN("cable", "ROOT", cell_cable),
	SENTENCE("hosts", "HOSTS", root_hosts),
	{ 0 },
};
const struct ibc_table_type congestion_type = { "congestion", root_columns, NULL, NULL, NULL };

static int add_root(struct app *app, const struct ibc_congestion *c,
                    const struct ibc_congestion_root *root, struct ibc_error *err)
{
	const char **names = calloc(root->num_hosts + 1, sizeof(*names));
	struct root_row row = { .port = root->port, .root = root };

	if (!names)
		return cmd_fail(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < root->num_hosts; i++)
		names[i] = root->hosts[i].name;
	row.hosts = root->num_hosts ? ibc_hostlist_fold(names, root->num_hosts) : NULL;
	row.lost = c->lost_bytes > 0 ? 100 * root->lost_bytes / c->lost_bytes : -1;
	ibc_table_row(app_table(app, &congestion_type), &row);
	free(row.hosts);
	free(names);
	return 0;
}

/* What does not last is for those who ask for all; in one window nothing can. */
static int add_roots(struct app *app, const struct ibc_congestion *c, size_t top,
                     struct ibc_error *err)
{
	size_t shown = 0;
	int rc = 0;

	if (c->num_roots || !app_for_people(app))
		app_table(app, &congestion_type);
	for (size_t i = 0; !rc && i < c->num_roots && (!top || shown < top); i++) {
		if (!c->roots[i].lasts && app->num_windows > 1 && app_for_people(app) &&
		    !app_shows_all(app))
			continue;
		rc = add_root(app, c, &c->roots[i], err);
		shown++;
	}
	return rc;
}

/* ---- jobs ------------------------------------------------------------------------------ */

/* struct waiting_host - @taken_by: the last job that has it, which may name it twice */
struct waiting_host {
	const struct ibc_congestion_host *host;
	const struct ibc_job *taken_by;
};

/* struct job_row - a job with hosts that wait for one root; @names: folded, @waiting of them */
struct job_row {
	const struct ibc_port *port;
	const struct ibc_congestion_root *root;
	const struct ibc_job *job;
	char *names;
	size_t waiting;
	double lost_bytes;
};

GETTER(waiting_job, struct job_row, r, ibc_str(r->job->id));
GETTER(waiting_hosts, struct job_row, r, ibc_u64(r->job->num_hosts));
GETTER(waiting_count, struct job_row, r, ibc_u64(r->waiting));
GETTER(waiting_names, struct job_row, r, ibc_str(r->names));
GETTER(waiting_kind, struct job_row, r, ibc_enum(r->root->kind));
GETTER(waiting_bytes, struct job_row, r, ibc_u64((uint64_t)r->lost_bytes));

static const struct ibc_column job_columns[] = {
	COLUMN("job", "JOB", waiting_job),
	COLUMN("hosts", "HOSTS", waiting_hosts),
	COLUMN("waiting_count", "WAITING", waiting_count),
	COLUMN("lost_bytes", NULL, waiting_bytes),
	PORT_COLUMNS,
	COLUMN("kind", "KIND", waiting_kind),
	COLUMN("cable", "ROOT", cell_cable),
	SENTENCE("waiting", "WAITING HOSTS", waiting_names),
	{ 0 },
};
const struct ibc_table_type congested_jobs_type = { "congested_jobs", job_columns, NULL, NULL,
	                                            "jobs that wait" };

static int by_short_host(const void *va, const void *vz)
{
	const struct waiting_host *a = va, *z = vz;

	return compare_short_names(a->host->name, z->host->name);
}

static int name_and_waiting(const void *name, const void *host)
{
	return compare_short_names(name, ((const struct waiting_host *)host)->host->name);
}

static void add_job(struct ibc_table *table, const struct ibc_congestion_root *root,
                    struct waiting_host *hosts, const struct ibc_job *job, const char **names)
{
	struct job_row row = { .port = root->port, .root = root, .job = job };

	for (size_t i = 0; i < job->num_hosts; i++) {
		struct waiting_host *host = bsearch(job->hosts[i], hosts, root->num_hosts,
		                                    sizeof(*hosts), name_and_waiting);

		if (!host || host->taken_by == job)
			continue;
		host->taken_by = job;
		names[row.waiting++] = host->host->name;
		row.lost_bytes += host->host->lost_bytes;
	}
	if (!row.waiting)
		return;
	row.names = ibc_hostlist_fold(names, row.waiting);
	ibc_table_row(table, &row);
	free(row.names);
}

static int add_jobs_of(struct ibc_table *table, const struct ibc_congestion_root *root,
                       const struct ibc_jobs *jobs, struct ibc_error *err)
{
	struct waiting_host *hosts = calloc(root->num_hosts + 1, sizeof(*hosts));
	const char **names = calloc(root->num_hosts + 1, sizeof(*names));
	int rc = hosts && names ? 0 : cmd_fail(err, -ENOMEM, "out of memory");

	for (size_t i = 0; !rc && i < root->num_hosts; i++)
		hosts[i].host = &root->hosts[i];
	if (!rc)
		qsort(hosts, root->num_hosts, sizeof(*hosts), by_short_host);
	for (size_t i = 0; !rc && i < jobs->num; i++)
		add_job(table, root, hosts, &jobs->jobs[i], names);
	free(hosts);
	free(names);
	return rc;
}

static int add_jobs(struct app *app, const struct ibc_congestion *c, struct ibc_error *err)
{
	struct ibc_table *table = app_table(app, &congested_jobs_type);
	int rc = 0;

	for (size_t i = 0; !rc && i < c->num_roots; i++)
		if (c->roots[i].lasts || app->num_windows == 1)
			rc = add_jobs_of(table, &c->roots[i], app->jobs, err);
	return rc ? rc : jobs_conclude_foreign(app, app->jobs, err);
}

int congestion_read_jobs(struct app *app, const char *file, struct ibc_error *err)
{
	if (!file)
		return 0;
	if (!samples_wanted(app))
		return cmd_fail(err, -EINVAL,
		                "--jobs needs --interval: whom congestion costs time "
		                "is known of windows of time");
	return ibc_jobs_read(file, &app->jobs, err);
}

/* ---- tier by tier ------------------------------------------------------------------------ */

/* struct tiers_row - @port, @place: the one that waits most; NULL: none does */
struct tiers_row {
	const struct ibc_port *port;
	struct ibc_place place;
	const struct ibc_wait_tiers *r;
};

GETTER(tiers_from, struct tiers_row, r, ibc_str(r->r->from));
GETTER(tiers_to, struct tiers_row, r, ibc_str(r->r->to));
GETTER(tiers_ports, struct tiers_row, r, ibc_u64(r->r->ports));
GETTER(tiers_unknown, struct tiers_row, r, ibc_u64(r->r->unknown));
GETTER(tiers_long, struct tiers_row, r, ibc_u64(r->r->long_waits));
GETTER(tiers_mean, struct tiers_row, r, tenths_or_none(r->r->mean_percent));
GETTER(tiers_worst, struct tiers_row, r, tenths_or_none(r->r->worst_percent));
GETTER(tiers_util, struct tiers_row, r, tenths_or_none(r->r->util_percent));
GETTER(tiers_bytes, struct tiers_row, r, ibc_u64((uint64_t)r->r->lost_bytes));

static const struct ibc_column tiers_columns[] = {
	COLUMN("from", "FROM", tiers_from),
	COLUMN("to", "TO", tiers_to),
	COLUMN("ports", "PORTS", tiers_ports),
	COLUMN("ports_unknown", "UNKNOWN", tiers_unknown),
	COLUMN("mean_wait_percent", "MEAN WAIT %", tiers_mean),
	COLUMN("worst_wait_percent", "WORST %", tiers_worst),
	COLUMN("ports_long_wait", "OVER 15 %", tiers_long,
	       .legend = "ports that waited 15 % of the time or longer"),
	COLUMN("util_percent", "UTIL %", tiers_util),
	COLUMN("lost_bytes", NULL, tiers_bytes),
	PLACE_COLUMNS("node_guid", "node_desc", "port", struct tiers_row, place),
	COLUMN("name", "MOST WAITING", cell_port_name),
	{ 0 },
};
const struct ibc_table_type wait_tiers_type = { "wait_tiers", tiers_columns, NULL, NULL,
	                                        "waiting by tier" };

static void add_tiers(struct app *app, const struct ibc_congestion *c)
{
	struct ibc_table *table = app_table(app, &wait_tiers_type);

	for (size_t i = 0; i < c->num_tiers; i++) {
		struct tiers_row row = { .port = c->tiers[i].worst, .r = &c->tiers[i] };

		if (row.port)
			row.place = (struct ibc_place){ row.port->node, row.port->num };
		ibc_table_row(table, &row);
	}
}

/* ---- what is not known ------------------------------------------------------------------- */

/* struct gap_row - @port: the first of @ports */
struct gap_row {
	const struct ibc_port *port;
	const struct ibc_word *reason;
	size_t ports;
};

GETTER(gap_reason, struct gap_row, r, ibc_enum(r->reason));
GETTER(gap_ports, struct gap_row, r, ibc_u64(r->ports));

static const struct ibc_column gap_columns[] = {
	COLUMN("ports", "PORTS", gap_ports),
	COLUMN("reason", "WAITING NOT KNOWN EXACTLY", gap_reason),
	PORT_COLUMNS,
	COLUMN("name", "FOR EXAMPLE", cell_port_name),
	{ 0 },
};
const struct ibc_table_type wait_gaps_type = { "wait_gaps", gap_columns, NULL, NULL,
	                                       "waiting that is not known exactly" };

static void add_gaps(struct app *app, const struct ibc_congestion *c)
{
	struct ibc_table *table = app_table(app, &wait_gaps_type);

	for (unsigned int i = 0; i < IBC_WAIT_GAPS; i++)
		if (c->gaps[i])
			ibc_table_row(table, &(struct gap_row){ c->gap_at[i], ibc_wait_gap_word(i),
			                                        c->gaps[i] });
}

/* ---- the sum ------------------------------------------------------------------------------ */

/* "3 of 24 ports between switches waited 15 % of the time or longer" */
static void conclude_links(struct app *app, const struct ibc_congestion *c)
{
	size_t ports = 0, waits = 0;

	for (size_t i = 0; i < c->num_tiers; i++) {
		const struct ibc_wait_tiers *r = &c->tiers[i];

		ports += r->between_switches ? r->ports : 0;
		waits += r->between_switches ? r->long_waits : 0;
	}
	if (ports)
		ibc_report_conclude(app->report,
		                    "%zu of %zu ports between switches waited %d %% of the time or "
		                    "longer",
		                    waits, ports, IBC_LONG_WAIT_PERCENT);
}

/* What a chain of waiting ports does not show. */
static void conclude_adaptive(struct app *app)
{
	const struct ibc_subnet *subnet = ibc_fabric_subnet(app->fabric, 0);

	if (subnet->static_traffic == IBC_TRAFFIC_UNKNOWN)
		ibc_report_conclude(app->report, "not known whether switches route adaptively");
	else if (subnet->static_traffic != IBC_TRAFFIC_ALL)
		ibc_report_conclude(app->report,
		                    "switches route adaptively, their tables were not read");
}

static void conclude_roots(struct app *app, const struct ibc_congestion *c)
{
	size_t passing = c->num_roots - c->lasting;

	if (c->lasting)
		ibc_report_conclude(app->report,
		                    "%zu lasting root%s explain%s %.0f %% of what was "
		                    "lost to waiting",
		                    c->lasting, c->lasting == 1 ? "" : "s",
		                    c->lasting == 1 ? "s" : "",
		                    100 * c->lasting_bytes / c->lost_bytes);
	if (passing)
		ibc_report_conclude(app->report, "%zu root%s in less than 60 %% of the windows",
		                    passing, passing == 1 ? "" : "s");
}

int congestion_tables(struct app *app, size_t top, struct ibc_error *err)
{
	struct ibc_congestion *c;
	int rc;

	if (!app->windows || !app->before ||
	    (app->num_windows < 2 && app_for_people(app) && !app->jobs))
		return 0;
	rc = ibc_congestion_find(app->windows, app->before, app->fabric, &c, err);
	if (rc)
		return rc;
	rc = add_roots(app, c, top, err);
	if (!rc && app->jobs)
		rc = add_jobs(app, c, err);
	add_tiers(app, c);
	add_gaps(app, c);
	if (app->num_windows > 1) {
		conclude_links(app, c);
		conclude_roots(app, c);
		if (c->num_roots)
			conclude_adaptive(app);
	}
	ibc_congestion_free(c);
	return rc;
}
