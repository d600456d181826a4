/* SPDX-License-Identifier: BSD-2-Clause */
/* The jobs whose hosts the things that are shown take with them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "show.h"

enum { LOSES_ROUTES = 1, LOSES_PORTS = 2, IS_CUT_OFF = 4 };

/*
 * struct known_host - a host of the fabric, by the part of its name before the first dot
 * @losses: set of the above; @in_job: as a part of the job at hand
 * @taken_by: the last job that has it: lists may name it twice, short and with its domain
 */
struct known_host {
	const struct ibc_fabric_host *host;
	unsigned int losses, in_job;
	const struct ibc_job *taken_by;
};

/*
 * struct job_work - the work in hand
 * @hosts: by name
 * @of_job: those of the job at hand; @names: room for theirs
 * @ports: theirs; @owner: of each, which of them; @is_end: it loses a route
 */
struct job_work {
	struct ibc_dependents *const *all;
	size_t num_all;
	struct known_host *hosts, **of_job, **owner;
	size_t num_hosts, num_of_job;
	const char **names;
	const struct ibc_port **ports;
	bool *is_end;
};

/* ---- hosts by name ------------------------------------------------------------------------ */

int compare_short_names(const char *a, const char *z)
{
	size_t x = strcspn(a, "."), y = strcspn(z, ".");
	int order = memcmp(a, z, x < y ? x : y);

	return order ? order : (x > y) - (x < y);
}

static int by_host(const void *va, const void *vz)
{
	const struct known_host *a = va, *z = vz;

	return compare_short_names(a->host->name, z->host->name);
}

static int name_and_host(const void *name, const void *host)
{
	return compare_short_names(name, ((const struct known_host *)host)->host->name);
}

static struct known_host *find_host(const struct job_work *w, const char *name)
{
	return bsearch(name, w->hosts, w->num_hosts, sizeof(*w->hosts), name_and_host);
}

static void mark_hosts(const struct job_work *w, const char *const *names, size_t n,
                       unsigned int loss)
{
	for (size_t i = 0; i < n; i++) {
		struct known_host *host = find_host(w, names[i]);

		if (host)
			host->losses |= loss;
	}
}

/* With room for a job that has all hosts. */
static int know_hosts(struct job_work *w, const struct ibc_fabric *fab, struct ibc_error *err)
{
	size_t n = ibc_fabric_count(fab).hosts, ports = ibc_fabric_count(fab).ports;

	w->hosts = calloc(n + 1, sizeof(*w->hosts));
	w->of_job = calloc(n + 1, sizeof(*w->of_job));
	w->names = calloc(n + 1, sizeof(*w->names));
	w->ports = calloc(ports + 1, sizeof(*w->ports));
	w->owner = calloc(ports + 1, sizeof(*w->owner));
	w->is_end = calloc(ports + 1, sizeof(*w->is_end));
	if (!w->hosts || !w->of_job || !w->names || !w->ports || !w->owner || !w->is_end)
		return cmd_fail(err, -ENOMEM, "out of memory");
	while ((w->hosts[w->num_hosts].host = ibc_fabric_host(fab, w->num_hosts)))
		w->num_hosts++;
	qsort(w->hosts, w->num_hosts, sizeof(*w->hosts), by_host);
	for (size_t i = 0; i < w->num_all; i++) {
		const struct ibc_dependents *d = w->all[i];

		mark_hosts(w, d->cut_off, d->num_cut_off, IS_CUT_OFF);
		mark_hosts(w, d->lose_ports, d->num_lose_ports, LOSES_PORTS);
	}
	return 0;
}

static void forget_hosts(struct job_work *w)
{
	free(w->hosts);
	free(w->of_job);
	free(w->names);
	free(w->ports);
	free(w->owner);
	free(w->is_end);
}

/* ---- one job --------------------------------------------------------------------------------- */

/* Its hosts that are in this fabric; false: none of them loses anything. */
static bool take_job(struct job_work *w, const struct ibc_job *job)
{
	unsigned int any = 0;
	size_t n = 0;

	w->num_of_job = 0;
	for (size_t i = 0; i < job->num_hosts; i++) {
		struct known_host *host = find_host(w, job->hosts[i]);

		if (!host || host->taken_by == job)
			continue;
		host->taken_by = job;
		host->in_job = host->losses;
		w->of_job[w->num_of_job++] = host;
		for (size_t k = 0; k < host->host->num_nodes; k++)
			for (unsigned int num = 1; num <= host->host->nodes[k]->num_ports; num++) {
				w->ports[n] = &host->host->nodes[k]->ports[num];
				w->is_end[n] = false;
				w->owner[n++] = host;
			}
	}
	/* routes that a job loses are those among its own hosts */
	for (size_t i = 0; i < w->num_all; i++)
		ibc_dependents_among(w->all[i], w->ports, n, w->is_end);
	for (size_t i = 0; i < n; i++)
		if (w->is_end[i])
			w->owner[i]->in_job |= LOSES_ROUTES;
	for (size_t i = 0; i < w->num_of_job; i++)
		any |= w->of_job[i]->in_job;
	return any;
}

int jobs_conclude_foreign(struct app *app, const struct ibc_jobs *jobs, struct ibc_error *err)
{
	struct job_work w = { .num_all = 0 };
	int rc = know_hosts(&w, app->fabric, err);
	size_t foreign = 0;

	for (size_t i = 0; !rc && i < jobs->num; i++)
		for (size_t k = 0; k < jobs->jobs[i].num_hosts; k++)
			foreign += !find_host(&w, jobs->jobs[i].hosts[k]);
	if (foreign)
		ibc_report_conclude(app->report, "%zu host%s of jobs %s not in this fabric",
		                    foreign, foreign == 1 ? "" : "s", foreign == 1 ? "is" : "are");
	forget_hosts(&w);
	return rc;
}

/* ---- the table ---------------------------------------------------------------------------- */

/* struct job_cell - one job; lists are folded, NULL: none */
struct job_cell {
	struct ibc_job job;
	char *cut_off, *lose_ports, *lose_routes;
};

static const struct ibc_column job_columns[] = {
	FIELD("job", "JOB", struct job_cell, job.id),
	FIELD("hosts", "HOSTS", struct job_cell, job.num_hosts),
	FIELD("cut_off", "CUT OFF", struct job_cell, cut_off),
	FIELD("losing_ports", "LOSING PORTS", struct job_cell, lose_ports),
	FIELD("losing_routes", "LOSING ROUTES", struct job_cell, lose_routes),
	{ 0 },
};
const struct ibc_table_type jobs_type = TABLE("jobs", job_columns, NULL);

/* Those of the job at hand that lose that; NULL: none, or no memory, which *failed says. */
static char *fold_losing(const struct job_work *w, unsigned int loss, bool *failed)
{
	char *list = NULL;
	size_t n = 0;

	for (size_t i = 0; i < w->num_of_job; i++)
		if (w->of_job[i]->in_job & loss)
			w->names[n++] = w->of_job[i]->host->name;
	if (n)
		list = ibc_hostlist_fold(w->names, n);
	*failed |= n && !list;
	return list;
}

static int add_job(struct ibc_table *table, const struct job_work *w, const struct ibc_job *job,
                   struct ibc_error *err)
{
	bool failed = false;
	struct job_cell row = {
		.job = *job,
		.cut_off = fold_losing(w, IS_CUT_OFF, &failed),
		.lose_ports = fold_losing(w, LOSES_PORTS, &failed),
		.lose_routes = fold_losing(w, LOSES_ROUTES, &failed),
	};

	ibc_table_row(table, &row);
	free(row.cut_off);
	free(row.lose_ports);
	free(row.lose_routes);
	return failed ? cmd_fail(err, -ENOMEM, "out of memory") : 0;
}

int jobs_table(struct app *app, const struct ibc_jobs *jobs, struct ibc_dependents *const *all,
               size_t n, struct ibc_error *err)
{
	struct job_work w = { .all = all, .num_all = n };
	struct ibc_table *table = app_table(app, &jobs_type);
	size_t affected = 0;
	int rc = know_hosts(&w, app->fabric, err);

	for (size_t i = 0; !rc && i < jobs->num; i++) {
		if (!take_job(&w, &jobs->jobs[i]))
			continue;
		affected++;
		rc = add_job(table, &w, &jobs->jobs[i], err);
	}
	if (!rc)
		ibc_report_conclude(app->report, "%zu of %zu jobs affected", affected, jobs->num);
	if (!rc && jobs->lost)
		ibc_report_conclude(app->report, "%zu line%s of jobs not understood", jobs->lost,
		                    jobs->lost == 1 ? "" : "s");
	if (!rc)
		rc = jobs_conclude_foreign(app, jobs, err);
	forget_hosts(&w);
	return rc;
}
