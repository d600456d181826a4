/* SPDX-License-Identifier: BSD-2-Clause */
/* Congestion over the windows of a run: its roots, what they cost whom, and what is not known. */
#include <errno.h>
#include <stdlib.h>

#include "columns.h"
#include "counters.h"
#include "show.h"

/* ---- roots ----------------------------------------------------------------------------- */

#define ROOT struct ibc_congestion_root

static struct ibc_value field_bytes(struct ibc_cell *cell)
{
	return ibc_u64((uint64_t)field_value(cell).real);
}

static const struct ibc_column root_columns[] = {
	PORT_COLUMNS,
	PEER_COLUMNS,
	FIELD("kind", "KIND", ROOT, kind),
	FIELD_BY(field_bytes, "lost_bytes", NULL, ROOT, lost_bytes),
	COLUMN_AT("lost_percent", "LOST %", field_tenths, ROOT, lost_percent),
	COLUMN_AT("wait_percent", "WAIT %", field_tenths, ROOT, wait_percent),
	COLUMN_AT("worst_wait_percent", "WORST %", field_tenths, ROOT, worst_percent),
	COLUMN_AT("util_percent", "UTIL %", field_tenths, ROOT, util_percent),
	FIELD("windows_with", "IN", ROOT, with,
	      .legend = "windows of time in which the port causes congestion, of those OF which "
	                "it is known"),
	FIELD("windows", "OF", ROOT, windows),
	FIELD("onset_window", "SINCE", ROOT, onset, .legend = "the first window of these"),
	FIELD("lasts", NULL, ROOT, lasts),
	COLUMN_AT("strip", "WINDOWS", field_chars, ROOT, strip,
	          .legend = "a sign each: . no root, - waiting below 5 %, + below 20 %, # more, "
	                    "? not known"),
	FIELD("victims", "PORTS", ROOT, victims),
	FIELD("host_count", NULL, ROOT, num_hosts),
	COLUMN("cable", "ROOT", cell_cable),
	FIELD("hosts", "HOSTS", ROOT, host_names, .sentence = true),
	{ 0 },
};
const struct ibc_table_type congestion_type = TABLE("congestion", root_columns, NULL);

/* What does not last is for those who ask for all; in one window nothing can. */
static void add_roots(struct app *app, const struct ibc_congestion *c, size_t top)
{
	size_t shown = 0;

	if (c->num_roots || !app_for_people(app))
		app_table(app, &congestion_type);
	for (size_t i = 0; i < c->num_roots && (!top || shown < top); i++) {
		if (!c->roots[i].lasts && app->sweep.num_windows > 1 && app_for_people(app) &&
		    !app_shows_all(app))
			continue;
		ibc_table_row(app_table(app, &congestion_type), &c->roots[i]);
		shown++;
	}
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
	const struct ibc_word *kind;
	struct ibc_job job;
	const char *names;
	size_t waiting;
	double lost_bytes;
};

static const struct ibc_column job_columns[] = {
	FIELD("job", "JOB", struct job_row, job.id),
	FIELD("hosts", "HOSTS", struct job_row, job.num_hosts),
	FIELD("waiting_count", "WAITING", struct job_row, waiting),
	FIELD_BY(field_bytes, "lost_bytes", NULL, struct job_row, lost_bytes),
	PORT_COLUMNS,
	FIELD("kind", "KIND", struct job_row, kind),
	COLUMN("cable", "ROOT", cell_cable),
	FIELD("waiting", "WAITING HOSTS", struct job_row, names, .sentence = true),
	{ 0 },
};
const struct ibc_table_type congested_jobs_type = TABLE("congested_jobs", job_columns,
                                                        "jobs that wait");

static int by_short_host(const void *va, const void *vz)
{
	const struct waiting_host *a = va, *z = vz;

	return compare_short_names(a->host->name, z->host->name);
}

static int name_and_waiting(const void *name, const void *host)
{
	return compare_short_names(name, ((const struct waiting_host *)host)->host->name);
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
	for (size_t i = 0; !rc && i < jobs->num; i++) {
		const struct ibc_job *job = &jobs->jobs[i];
		struct job_row row = { .port = root->port, .kind = root->kind, .job = *job };
		char *list;

		for (size_t k = 0; k < job->num_hosts; k++) {
			struct waiting_host *host = bsearch(job->hosts[k], hosts, root->num_hosts,
			                                    sizeof(*hosts), name_and_waiting);

			if (!host || host->taken_by == job)
				continue;
			host->taken_by = job;
			names[row.waiting++] = host->host->name;
			row.lost_bytes += host->host->lost_bytes;
		}
		if (!row.waiting)
			continue;
		row.names = list = ibc_hostlist_fold(names, row.waiting);
		if (list)
			ibc_table_row(table, &row);
		else
			rc = cmd_fail(err, -ENOMEM, "out of memory");
		free(list);
	}
	free(hosts);
	free(names);
	return rc;
}

int app_jobs_read(const char *file, struct ibc_jobs **out, struct ibc_error *err)
{
	int rc = ibc_jobs_read(file, out, err);

	if (!rc && (*out)->lost)
		say_error("%zu lines are not understood, and skipped: %s", (*out)->lost,
		          (*out)->first_lost);
	return rc;
}

int congestion_read_jobs(struct app *app, const char *file, struct ibc_error *err)
{
	if (!file)
		return 0;
	if (!samples_wanted(app))
		return cmd_fail(err, -EINVAL,
		                "--jobs needs --interval: whom congestion costs time "
		                "is known of windows of time");
	return app_jobs_read(file, &app->jobs, err);
}

/* ---- tier by tier ------------------------------------------------------------------------ */

/* struct tiers_row - @port, @place: the one that waits most; NULL: none does */
struct tiers_row {
	const struct ibc_port *port;
	struct ibc_place place;
	struct ibc_wait_tiers r;
};

static const struct ibc_column tiers_columns[] = {
	FIELD("from", "FROM", struct tiers_row, r.from),
	FIELD("to", "TO", struct tiers_row, r.to),
	FIELD("ports", "PORTS", struct tiers_row, r.ports),
	FIELD("ports_unknown", "UNKNOWN", struct tiers_row, r.unknown),
	COLUMN_AT("mean_wait_percent", "MEAN WAIT %", field_tenths, struct tiers_row,
	          r.mean_percent),
	COLUMN_AT("worst_wait_percent", "WORST %", field_tenths, struct tiers_row, r.worst_percent),
	FIELD("ports_long_wait", "OVER 15 %", struct tiers_row, r.long_waits,
	      .legend = "ports that waited 15 % of the time or longer"),
	COLUMN_AT("util_percent", "UTIL %", field_tenths, struct tiers_row, r.util_percent),
	FIELD_BY(field_bytes, "lost_bytes", NULL, struct tiers_row, r.lost_bytes),
	PLACE_COLUMNS("node_guid", "node_desc", "port", struct tiers_row, place),
	COLUMN("name", "MOST WAITING", cell_port_name),
	{ 0 },
};
const struct ibc_table_type wait_tiers_type = TABLE("wait_tiers", tiers_columns, "waiting by tier");

/* ---- what is not known ------------------------------------------------------------------- */

/* struct gap_row - @port: the first of @ports */
struct gap_row {
	const struct ibc_port *port;
	const struct ibc_word *reason;
	size_t ports;
};

static const struct ibc_column gap_columns[] = {
	FIELD("ports", "PORTS", struct gap_row, ports),
	FIELD("reason", "WAITING NOT KNOWN EXACTLY", struct gap_row, reason),
	PORT_COLUMNS,
	COLUMN("name", "FOR EXAMPLE", cell_port_name),
	{ 0 },
};
const struct ibc_table_type wait_gaps_type = TABLE("wait_gaps", gap_columns,
                                                   "waiting that is not known exactly");

/* ---- the sum ------------------------------------------------------------------------------ */

static void conclude_waits(struct app *app, const struct ibc_congestion *c)
{
	const struct ibc_subnet *subnet = ibc_fabric_subnet(app->fabric, 0);
	size_t passing = c->num_roots - c->lasting, ports = 0, waits = 0;

	for (size_t i = 0; i < c->num_tiers; i++) {
		ports += c->tiers[i].between_switches ? c->tiers[i].ports : 0;
		waits += c->tiers[i].between_switches ? c->tiers[i].long_waits : 0;
	}
	if (ports)
		ibc_report_conclude(app->report,
		                    "%zu of %zu ports between switches waited %d %% of the time or "
		                    "longer",
		                    waits, ports, IBC_LONG_WAIT_PERCENT);
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
	/* what a chain of waiting ports does not show */
	if (c->num_roots && subnet->static_traffic == IBC_TRAFFIC_UNKNOWN)
		ibc_report_conclude(app->report, "not known whether switches route adaptively");
	else if (c->num_roots && subnet->static_traffic != IBC_TRAFFIC_ALL)
		ibc_report_conclude(app->report,
		                    "switches route adaptively, their tables were not read");
}

int congestion_tables(struct app *app, size_t top, struct ibc_error *err)
{
	struct ibc_table *table;
	struct ibc_congestion *c;
	int rc;

	if (!app->windows || !app->before ||
	    (app->sweep.num_windows < 2 && app_for_people(app) && !app->jobs))
		return 0;
	rc = ibc_congestion_find(app->windows, app->before, app->fabric, &c, err);
	if (rc)
		return rc;
	add_roots(app, c, top);
	table = app->jobs ? app_table(app, &congested_jobs_type) : NULL;
	for (size_t i = 0; app->jobs && !rc && i < c->num_roots; i++)
		if (c->roots[i].lasts || app->sweep.num_windows == 1)
			rc = add_jobs_of(table, &c->roots[i], app->jobs, err);
	if (app->jobs && !rc)
		rc = jobs_conclude_foreign(app, app->jobs, err);
	table = app_table(app, &wait_tiers_type);
	for (size_t i = 0; i < c->num_tiers; i++) {
		struct tiers_row row = { .port = c->tiers[i].worst, .r = c->tiers[i] };

		if (row.port)
			row.place = (struct ibc_place){ row.port->node, row.port->num };
		ibc_table_row(table, &row);
	}
	table = app_table(app, &wait_gaps_type);
	for (unsigned int i = 0; i < IBC_WAIT_GAPS; i++)
		if (c->gaps[i])
			ibc_table_row(table, &(struct gap_row){ c->gap_at[i], ibc_wait_gap_word(i),
			                                        c->gaps[i] });
	if (app->sweep.num_windows > 1)
		conclude_waits(app, c);
	ibc_congestion_free(c);
	return rc;
}
