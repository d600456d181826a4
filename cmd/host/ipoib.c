/* SPDX-License-Identifier: BSD-2-Clause */
/* Who on this host uses TCP over IPoIB, and should use RDMA. */
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "columns.h"

#define INTERVAL_DEFAULT 10.0 /* seconds: long enough for a rate, short enough to wait for */

struct ipoib_cfg {
	double interval;
	unsigned int pid;
	const char *job;
	struct str_list logs;
};

static const struct opt ipoib_opts[] = {
	OPT_SECONDS('i', "interval", "S", struct ipoib_cfg, interval, WINDOW_MAX_SECONDS,
	            "read twice, S seconds apart (default 10)"),
	OPT_UINT('p', "pid", "PID", struct ipoib_cfg, pid, 1, INT_MAX,
	         "only this process and its children"),
	OPT_STR('j', "job", "ID", struct ipoib_cfg, job, "only the processes of this job"),
	OPT_LIST('l', "log", "FILE", struct ipoib_cfg, logs,
	         "read lines of NCCL, UCX, Open MPI or libfabric in this log file or files that "
	         "match a pattern; repeat it for several",
	         .hint = HINT_FILE),
	OPT_END,
};

/* ---- tables ----------------------------------------------------------------------- */

static const struct ibc_column workload_columns[] = {
	FIELD("workload", "WORKLOAD", struct ibc_workload, name),
	FIELD("sockets", "SOCKETS", struct ibc_workload, sockets),
	FIELD("ipoib_bytes_per_second", "IPOIB B/S", struct ibc_workload, bytes_per_second),
	FIELD("queue_pairs", "QPS", struct ibc_workload, queue_pairs),
	FIELD("score", "SCORE", struct ibc_workload, score,
	      .legend = "sum of the evidence for IP over InfiniBand"),
	FIELD("verdict", "VERDICT", struct ibc_workload, verdict),
	FIELD_OR_NONE("job", NULL, struct ibc_workload, job),
	FIELD_OR_NONE("job_kind", NULL, struct ibc_workload, job_kind),
	FIELD("processes", NULL, struct ibc_workload, processes),
	FIELD("interface", NULL, struct ibc_workload, interface),
	{ 0 },
};
static const struct ibc_table_type workloads_type = TABLE("workloads", workload_columns, NULL);

/* The check that weighs them hands them over. */
static void add_workload(void *ctx, const struct ibc_workload *w)
{
	ibc_table_row(app_table(ctx, &workloads_type), w);
}

/* struct interface_row - @netns: where it is, if that is another than ours, or NULL */
struct interface_row {
	const struct app *app;
	struct ibc_netdev dev;
	const char *netns;
};

static struct ibc_value interface_rate(struct ibc_cell *cell)
{
	const struct interface_row *row = cell->row;
	const struct app *app = row->app;
	const struct ibc_netdev *dev = &row->dev;
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

GETTER(interface_port, struct interface_row, i,
       i->dev.device ? ibc_cell_text(cell, "%s/%u", i->dev.device->name, i->dev.port) : ibc_none());
GETTER(interface_mode, struct interface_row, i,
       ibc_str(!i->dev.mode                        ? NULL
               : i->dev.mode == IBC_IPOIB_DATAGRAM ? "datagram"
                                                   : "connected"));
GETTER(interface_pkey, struct interface_row, i,
       i->dev.pkey ? ibc_cell_text(cell, "0x%04x", i->dev.pkey) : ibc_none());

static const struct ibc_column interface_columns[] = {
	FIELD("interface", "INTERFACE", struct interface_row, dev.name),
	FIELD("namespace", "NAMESPACE", struct interface_row, netns),
	COLUMN("port", "PORT", interface_port),
	FIELD_OR_NONE("driver", "DRIVER", struct interface_row, dev.driver),
	COLUMN("mode", "MODE", interface_mode),
	FIELD("mtu_bytes", "MTU", struct interface_row, dev.mtu),
	COLUMN("pkey", "P_KEY", interface_pkey),
	FIELD("carrier", "CARRIER", struct interface_row, dev.carrier),
	FIELD_IF(dev.known, "tx_bytes", NULL, struct interface_row, dev.tx_bytes),
	FIELD_IF(dev.known, "rx_bytes", NULL, struct interface_row, dev.rx_bytes),
	COLUMN("bytes_per_second", "B/S", interface_rate),
	FIELD("enhanced", NULL, struct interface_row, dev.enhanced),
	{ 0 },
};
static const struct ibc_table_type interfaces_type = TABLE("interfaces", interface_columns, NULL);

/* struct storage_row - @interface: of IPoIB, or NULL */
struct storage_row {
	struct ibc_storage seen;
	struct ibc_storage_window window;
	const char *interface;
};

static const struct ibc_column storage_columns[] = {
	FIELD("kind", "KIND", struct storage_row, seen.kind),
	FIELD("mount", "MOUNT", struct storage_row, seen.name),
	FIELD_OR_NONE("server", "SERVER", struct storage_row, seen.server),
	FIELD_OR_NONE("transport", "TRANSPORT", struct storage_row, seen.transport),
	FIELD_OR_NONE("version", "VERSION", struct storage_row, seen.version),
	FIELD("interface", "INTERFACE", struct storage_row, interface),
	FIELD("bytes_per_second", "B/S", struct storage_row, window.bytes_per_second),
	FIELD("requests_in_flight", "IN FLIGHT", struct storage_row, window.in_flight,
	      .legend = "requests of NFS without an answer yet, on average"),
	FIELD("requests_without_slot", "NO SLOT", struct storage_row, window.no_slot,
	      .legend = "requests of NFS that waited for an RPC slot, on average"),
	FIELD("requests_held_back", "HELD BACK", struct storage_row, window.held_back,
	      .legend = "requests of NFS that waited for any slot or credit, on average"),
	{ 0 },
};
static const struct ibc_table_type storage_type = TABLE("storage", storage_columns, NULL);

static int ipoib_run(struct app *app, struct ibc_error *err)
{
	const struct ipoib_cfg *c = app->cfg;
	const struct ibc_host_opts opts = {
		.pid = (int)c->pid,
		.job = c->job,
		.logs = (const char *const *)c->logs.items,
		.num_logs = c->logs.n,
	};
	const struct ibc_process *process = NULL;
	int rc = app_host(app, opts, c->interval > 0 ? c->interval : INTERVAL_DEFAULT, err);

	/* of what is not there nothing can be well */
	if (!rc && c->pid && !ibc_host_process_by_pid(app->host, (int)c->pid))
		return cmd_fail(err, -ESRCH, "--pid: no process %u exists, or it has ended",
		                c->pid);
	for (size_t i = 0; !rc && c->job && (process = ibc_host_process(app->host, i)); i++)
		if (!strcmp(process->job, c->job))
			break;
	if (!rc && c->job && !process)
		return cmd_fail(err, -ESRCH,
		                "--job: no process of job \"%s\" has TCP connections over IPoIB or "
		                "RDMA resources",
		                c->job);
	if (app_runs(app, "ipoib.fallback"))
		app_table(app, &workloads_type);
	return rc ? rc : app_check(app, err);
}

static void ipoib_input(const struct app *app, struct ibc_input *in)
{
	(void)app;
	in->on_workload = add_workload;
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
		    "%zu IPoIB interface%s, TCP connections not known; observed for %.1f s",
		    interfaces, interfaces == 1 ? "" : "s", seconds);
	return app_say(app, err,
	               "%zu IPoIB interface%s in %zu network namespace%s, %zu TCP connection%s "
	               "over %s; observed for %.1f s",
	               interfaces, interfaces == 1 ? "" : "s", namespaces,
	               namespaces == 1 ? "" : "s", sockets, sockets == 1 ? "" : "s",
	               interfaces == 1 ? "it" : "them", seconds);
}

static int ipoib_tables(struct app *app, struct ibc_error *err)
{
	struct ibc_table *table = app_table(app, &interfaces_type);
	const struct str_list *logs = &((const struct ipoib_cfg *)app->cfg)->logs;
	struct ibc_coverage gaps = { .asked = logs->n };
	const struct ibc_unread *unread;
	const struct ibc_netdev *dev;
	const struct ibc_netns *ns;
	const struct ibc_storage *s;
	size_t interfaces = 0;

	for (size_t i = 0; (dev = ibc_host_netdev(app->host, i)); i++) {
		if (!dev->ipoib)
			continue;
		ns = ibc_host_netns(app->host, dev->netns);
		ibc_table_row(
		    table, &(struct interface_row){ app, *dev, ns && !ns->own ? ns->path : NULL });
		interfaces++;
	}
	if (!app_for_people(app))
		app_table(app, &storage_type);
	for (size_t i = 0; (s = ibc_host_storage(app->host, i)); i++)
		ibc_table_row(
		    app_table(app, &storage_type),
		    &(struct storage_row){ *s, ibc_storage_window(app->host_before, app->host, s),
		                           s->netdev ? s->netdev->name : NULL });
	host_unread_table(app);
	/* a log that was named and not read may have shown TCP */
	for (size_t i = 0; (unread = ibc_host_unread(app->host, i)); i++) {
		bool log = false;

		for (size_t k = 0; k < logs->n; k++)
			log |= !strcmp(logs->items[k], unread->path) ||
			       !fnmatch(logs->items[k], unread->path, 0);
		gaps.refused += log;
	}
	if (gaps.asked < gaps.refused)
		gaps.asked = gaps.refused;
	gaps.answered = gaps.asked - gaps.refused;
	if (logs->n)
		ibc_report_cover(app->report, "log", &gaps);
	return say_headline(app, interfaces, err);
}

const struct cmd cmd_ipoib = {
	.name = "ipoib",
	.summary = "workloads that use TCP over IPoIB instead of RDMA",
	.example = "ipoib --interval 30s\n"
		   "ipoib --pid 4711\n",
	.group = CMD_HOST,
	.takes = TAKES_HOST,
	.checks = "ipoib",
	.opts = ipoib_opts,
	.cfg_size = sizeof(struct ipoib_cfg),
	.csv = &workloads_type,
	.shows = TABLES(&workloads_type, &interfaces_type, &storage_type, &unread_type),
	.run = ipoib_run,
	.input = ipoib_input,
	.end = host_end,
	.tables = ipoib_tables,
};
