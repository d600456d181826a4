/* SPDX-License-Identifier: BSD-2-Clause */
/* Who on this host uses TCP over IPoIB, and should use RDMA. */
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"

#define WINDOW_DEFAULT 10.0

struct ipoib_cfg {
	double window;
	unsigned int pid;
	const char *job;
	struct str_list logs;
};

static const struct opt ipoib_opts[] = {
	OPT_SECONDS('w', "window", "S", struct ipoib_cfg, window, WINDOW_MAX_SECONDS,
	            "read twice, S seconds apart (default 10)"),
	OPT_UINT('p', "pid", "PID", struct ipoib_cfg, pid, 1, INT_MAX,
	         "only this process and its children"),
	OPT_STR('j', "job", "ID", struct ipoib_cfg, job, "only the processes of this job"),
	OPT_LIST('l', "log", "FILE", struct ipoib_cfg, logs,
	         "look for lines of NCCL, UCX, Open MPI or libfabric in this file, or files of a "
	         "pattern; repeat it for several",
	         .hint = HINT_FILE),
	OPT_END,
};

static bool has_job(const struct ibc_host *host, const char *job)
{
	const struct ibc_process *process;

	for (size_t i = 0; (process = ibc_host_process(host, i)); i++)
		if (!strcmp(process->job, job))
			return true;
	return false;
}

/* Of what is not there nothing can be well. */
static int find_wanted(const struct app *app, const struct ipoib_cfg *c, struct ibc_error *err)
{
	if (c->pid && !ibc_host_process_by_pid(app->host, (int)c->pid))
		return cmd_fail(err, -ESRCH, "--pid: no process %u is seen, or no longer", c->pid);
	if (c->job && !has_job(app->host, c->job))
		return cmd_fail(err, -ESRCH,
		                "--job: no process of job \"%s\" is seen that has sockets on IPoIB "
		                "or RDMA resources",
		                c->job);
	return 0;
}

/* ---- tables ----------------------------------------------------------------------- */

static const struct ibc_column workload_columns[] = {
	{ "workload", "WORKLOAD" },
	{ "sockets", "SOCKETS" },
	{ "ipoib_bytes_per_second", "IPOIB B/S" },
	{ "queue_pairs", "QPS" },
	{ "score", "SCORE" },
	{ "verdict", "VERDICT" },
	{ "job", NULL },
	{ "job_kind", NULL },
	{ "processes", NULL },
	{ "interface", NULL },
	{ 0 },
};

/* The check that weighs them hands them over. */
static void add_workload(void *ctx, const struct ibc_workload *w)
{
	struct app *app = ctx;

	ibc_table_row(ibc_report_table(app->report, "workloads", workload_columns),
	              (struct ibc_value[]){
			  ibc_str(w->name),
			  ibc_u64(w->sockets),
			  ibc_u64((uint64_t)w->bytes_per_second),
			  w->queue_pairs < 0 ? ibc_none() : ibc_u64((uint64_t)w->queue_pairs),
			  ibc_real(w->score),
			  ibc_str(w->verdict),
			  w->job ? text_or_none(w->job) : ibc_none(),
			  w->job_kind ? text_or_none(w->job_kind) : ibc_none(),
			  ibc_u64(w->processes),
			  ibc_str(w->interface),
		      });
}

static const struct ibc_column interface_columns[] = {
	{ "interface", "INTERFACE" },
	{ "namespace", "NAMESPACE" },
	{ "port", "PORT" },
	{ "driver", "DRIVER" },
	{ "mode", "MODE" },
	{ "mtu_bytes", "MTU" },
	{ "pkey", "P_KEY" },
	{ "carrier", "CARRIER" },
	{ "tx_bytes", NULL },
	{ "rx_bytes", NULL },
	{ "bytes_per_second", "B/S" },
	{ "enhanced", NULL },
	{ 0 },
};

static struct ibc_value rate_of(const struct app *app, const struct ibc_netdev *dev)
{
	const struct ibc_netdev *was = ibc_host_netdev_before(app->host_before, app->host, dev);
	double seconds;

	if (!was || !was->known || !dev->known)
		return ibc_none();
	seconds = ibc_host_seconds(app->host) - ibc_host_seconds(app->host_before);
	if (seconds <= 0 || dev->tx_bytes < was->tx_bytes || dev->rx_bytes < was->rx_bytes)
		return ibc_none();
	return ibc_u64(
	    (uint64_t)((double)(dev->tx_bytes - was->tx_bytes + dev->rx_bytes - was->rx_bytes) /
	               seconds));
}

static void add_interface(const struct app *app, struct ibc_table *table,
                          const struct ibc_netdev *dev)
{
	static const char *const modes[] = { NULL, "datagram", "connected" };
	const struct ibc_netns *ns = ibc_host_netns(app->host, dev->netns);
	char port[128], pkey[16];

	snprintf(port, sizeof(port), "%s/%u", dev->device ? dev->device->name : "", dev->port);
	snprintf(pkey, sizeof(pkey), "0x%04x", dev->pkey);
	ibc_table_row(table, (struct ibc_value[]){
				 ibc_str(dev->name),
				 ibc_str(ns && !ns->own ? ns->path : NULL),
				 ibc_str(dev->device ? port : NULL),
				 ibc_str(*dev->driver ? dev->driver : NULL),
				 ibc_str(modes[dev->mode]),
				 ibc_u64(dev->mtu),
				 ibc_str(dev->pkey ? pkey : NULL),
				 ibc_bool(dev->carrier),
				 dev->known ? ibc_u64(dev->tx_bytes) : ibc_none(),
				 dev->known ? ibc_u64(dev->rx_bytes) : ibc_none(),
				 rate_of(app, dev),
				 ibc_bool(dev->enhanced),
			     });
}

static int ipoib_run(struct app *app, const void *cfg, struct ibc_error *err)
{
	const struct ipoib_cfg *c = cfg;
	const struct ibc_host_opts opts = {
		.pid = (int)c->pid,
		.job = c->job,
		.logs = (const char *const *)c->logs.items,
		.num_logs = c->logs.n,
	};
	int rc = app_host(app, opts, c->window > 0 ? c->window : WINDOW_DEFAULT, err);

	if (!rc)
		rc = find_wanted(app, c, err);
	if (ibc_check_selected(ibc_check_find("ipoib.fallback"), app->selection))
		ibc_report_table(app->report, "workloads", workload_columns);
	app->on_workload = add_workload;
	return rc ? rc : app_check(app, NULL, err);
}

static int say_headline(struct app *app, size_t interfaces, struct ibc_error *err)
{
	double seconds = ibc_host_seconds(app->host) - ibc_host_seconds(app->host_before);
	size_t sockets = 0, namespaces = 0;

	while (ibc_host_socket(app->host, sockets))
		sockets++;
	while (ibc_host_netns(app->host, namespaces))
		namespaces++;
	if (!namespaces)
		return app_say(
		    app, err,
		    "%zu IPoIB interface%s, TCP connections not known; watched for %.1f s",
		    interfaces, interfaces == 1 ? "" : "s", seconds);
	return app_say(app, err,
	               "%zu IPoIB interface%s in %zu network namespace%s, %zu TCP connection%s "
	               "over %s; watched for %.1f s",
	               interfaces, interfaces == 1 ? "" : "s", namespaces,
	               namespaces == 1 ? "" : "s", sockets, sockets == 1 ? "" : "s",
	               interfaces == 1 ? "it" : "them", seconds);
}

static bool is_log(const struct str_list *logs, const char *path)
{
	for (size_t i = 0; i < logs->n; i++)
		if (!strcmp(logs->items[i], path) || !fnmatch(logs->items[i], path, 0))
			return true;
	return false;
}

/* A log that was named and not read may have told of TCP. */
static void cover_logs(struct app *app, const struct str_list *logs)
{
	struct ibc_coverage gaps = { .asked = logs->n };
	const struct ibc_unread *unread;

	for (size_t i = 0; (unread = ibc_host_unread(app->host, i)); i++)
		gaps.refused += is_log(logs, unread->path);
	if (gaps.asked < gaps.refused)
		gaps.asked = gaps.refused;
	gaps.answered = gaps.asked - gaps.refused;
	if (logs->n)
		ibc_report_cover(app->report, "log", &gaps);
}

static int ipoib_tables(struct app *app, const void *cfg, struct ibc_error *err)
{
	struct ibc_table *table = ibc_report_table(app->report, "interfaces", interface_columns);
	const struct ibc_netdev *dev;
	size_t interfaces = 0;

	for (size_t i = 0; (dev = ibc_host_netdev(app->host, i)); i++) {
		if (!dev->ipoib)
			continue;
		add_interface(app, table, dev);
		interfaces++;
	}
	host_unread_table(app);
	cover_logs(app, &((const struct ipoib_cfg *)cfg)->logs);
	return say_headline(app, interfaces, err);
}

const struct cmd cmd_ipoib = {
	.name = "ipoib",
	.summary = "workloads that use TCP over IPoIB instead of RDMA",
	.group = CMD_HOST,
	.checks = "ipoib",
	.opts = ipoib_opts,
	.cfg_size = sizeof(struct ipoib_cfg),
	.run = ipoib_run,
	.tables = ipoib_tables,
};
