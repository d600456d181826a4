/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of workloads that use TCP over IPoIB where RDMA was meant. */
#include <string.h>

#include "check/groups.h"
#include "check/ipoib/workloads.h"
#include "check/phrases.h"
#include "check/settings.h"

#define PARTS                                                                                      \
	(IBC_HOST_COUNTERS | IBC_HOST_GIDS | IBC_HOST_NETDEVS | IBC_HOST_SOCKETS |                 \
	 IBC_HOST_PROCESSES | IBC_HOST_STORAGE | IBC_HOST_PCI | IBC_HOST_STACK)

/* There is one list for all that is said of workloads. */
static const char *allowed(const struct ibc_input *in)
{
	return config_allow(in->config, &ibc_checks_ipoib[0]);
}

/* "312 MB/s" */
static const char *rate_text(struct ibc_sink *out, double bytes_per_second)
{
	if (bytes_per_second >= 1e9)
		return sink_text(out, "%.1f GB/s", bytes_per_second / 1e9);
	if (bytes_per_second >= 1e6)
		return sink_text(out, "%.0f MB/s", bytes_per_second / 1e6);
	return sink_text(out, "%.0f kB/s", bytes_per_second / 1e3);
}

/* What it does now; of a single reading what it has done so far. */
static const char *traffic_text(struct ibc_sink *out, const struct workload *w)
{
	const char *dev = w->netdev ? w->netdev->name : "IPoIB";

	if (!w->bytes)
		return "its data by TCP";
	if (w->bytes_per_second > 0)
		return sink_text(out, "%s by TCP over %s", rate_text(out, w->bytes_per_second),
		                 dev);
	return sink_text(out, "%.1f GB by TCP over %s so far", (double)w->bytes / 1e9, dev);
}

static const char *setting_text(struct ibc_sink *out, const struct ibc_setting *s)
{
	return sink_text(out, "%s=%s (%s)", s->name, s->value, s->where);
}

/* The one thing that is behind it, as far as that is known. */
static const char *reason_text(struct ibc_sink *out, const struct workload *w)
{
	if (w->setting)
		return sink_text(out, ": %s forces TCP", setting_text(out, w->setting));
	if (w->cause.what)
		return sink_text(out, ": %s", w->cause.what);
	if (w->log)
		return sink_text(out, ": %s:%lu contains \"%s\"", w->log->path, w->log->line,
		                 w->log->text);
	return "";
}

static void advise_workload(struct ibc_sink *out, const struct workload *w)
{
	const char *where = w->setting ? w->setting->where : "";

	if (w->setting)
		sink_advise(out,
		            "Remove %s from %s. To make it fail instead of falling back, require "
		            "RDMA (NCCL_NET=IB, UCX_TLS=rc,sm,self)",
		            w->setting->name,
		            !strcmp(where, "environ")   ? "the environment it starts with"
		            : !strcmp(where, "cmdline") ? "its command line"
		                                        : where);
	else if (w->cause.remedy)
		sink_advise(out, "%s", w->cause.remedy);
	else
		sink_advise(out, "Start it once with NCCL_DEBUG=INFO, UCX_LOG_LEVEL=info or "
		                 "FI_LOG_LEVEL=info to see why it does not use RDMA. If TCP is "
		                 "intended, put it on the allow list (ibcheck.conf)");
}

static void add_terms(struct ibc_sink *out, const struct workload *w)
{
	sink_fact(out, "verdict", ibc_str(fallback_verdict_words[w->verdict]));
	sink_fact(out, "score", ibc_real(w->score));
	for (int t = 0; t < FALLBACK_TERMS; t++)
		sink_fact(out, sink_text(out, "term_%s", fallback_term_words[t]),
		          ibc_real(w->weight[t]));
	sink_fact(out, "sockets", ibc_u64(w->sockets));
	sink_fact(out, "ipoib_bytes_per_second", ibc_real(w->bytes_per_second));
	sink_fact(out, "ipoib_bytes", ibc_u64(w->bytes));
	sink_fact(out, "rdma_bytes_per_second",
	          w->rdma_bytes_per_second < 0 ? ibc_none() : ibc_real(w->rdma_bytes_per_second));
	sink_fact(out, "ipoib_share", w->share < 0 ? ibc_none() : ibc_real(w->share));
	sink_fact(out, "queue_pairs", w->qps_unread ? ibc_none() : ibc_u64(w->qps));
	sink_fact(out, "interface", ibc_str(w->netdev ? w->netdev->name : NULL));
	sink_fact(out, "pid",
	          w->num_processes ? ibc_u64((uint64_t)w->processes[0]->pid) : ibc_none());
	sink_fact(out, "setting", ibc_str(w->setting ? setting_text(out, w->setting) : NULL));
	sink_fact(out, "cause", ibc_str(w->cause.what));
}

/* ---- what was not to be seen ------------------------------------------------------------ */

/* Connections are known by netlink only. */
static bool is_captured(const struct ibc_host *host)
{
	return !ibc_host_netns(host, 0);
}

/* Root in a container, or without some capability, is refused as well. */
static void advise_privilege(struct ibc_sink *out, const struct ibc_host *host)
{
	const char *how = ibc_host_is_privileged(host)
	                      ? "Run it as root of the host itself, with all capabilities"
	                      : "Run it as root";

	sink_advise(out, "%s", is_captured(host) ? "Run it on the host itself" : how);
}

/* What has a port may have IPoIB where we do not look; files may contain no interface at all. */
static bool may_have_ipoib(const struct ibc_host *host)
{
	const struct ibc_rdma_device *device;
	const struct ibc_netdev *dev;

	if (is_captured(host) && !ibc_host_netdev(host, 0))
		return true;
	for (size_t i = 0; (device = ibc_host_device(host, i)); i++)
		if (has_infiniband(device))
			return true;
	for (size_t i = 0; (dev = ibc_host_netdev(host, i)); i++)
		if (dev->ipoib)
			return true;
	return false;
}

static void report_unseen(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_netns *ns;
	const char *unseen = NULL;
	size_t closed = 0;

	for (size_t i = 0; (ns = ibc_host_netns(in->host, i)); i++)
		closed += ns->error != 0;
	if (closed) {
		sink_as(out, IBC_UNKNOWN);
		sink_host(out, host_name(in), "has %s that could not be read",
		          amount_text(out, closed, "network namespace"));
		advise_privilege(out, in->host);
	}
	if (is_captured(in->host))
		unseen = "was read from files, which do not contain TCP connections: traffic over "
			 "IPoIB is not visible";
	else if (!ibc_host_is_privileged(in->host))
		unseen = "was read without root privileges: processes of other users and other "
			 "network namespaces are not visible";
	else if (unread_like(in->host, "/proc/*/ns/net"))
		unseen = "has processes whose network namespace cannot be read: what is in it is "
			 "not visible";
	if (!unseen || !may_have_ipoib(in->host))
		return;
	sink_as(out, IBC_UNKNOWN);
	sink_host(out, host_name(in), "%s", unseen);
	advise_privilege(out, in->host);
}

/* ---- fallback and risk ------------------------------------------------------------------- */

static void report_workload(struct ibc_sink *out, const struct ibc_host *host,
                            const struct workload *w)
{
	static const enum ibc_severity severities[] = {
		[FALLBACK_POSSIBLE] = IBC_INFO,
		[FALLBACK_LIKELY] = IBC_WARNING,
		[FALLBACK_CONFIRMED] = IBC_CRITICAL,
		[FALLBACK_UNKNOWN] = IBC_UNKNOWN,
	};

	sink_as(out, severities[w->verdict]);
	if (w->verdict == FALLBACK_UNKNOWN)
		sink_process(out, w->name, "moves %s; what else it uses could not be read",
		             traffic_text(out, w));
	else
		sink_process(out, w->name, "moves %s instead of RDMA%s", traffic_text(out, w),
		             reason_text(out, w));
	if (w->verdict == FALLBACK_UNKNOWN)
		advise_privilege(out, host);
	else
		advise_workload(out, w);
	add_terms(out, w);
}

/*
 * Libraries fall back to TCP without a word, and the job runs several times slower on a
 * fabric that is well.
 */
static void check_fallback(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_storage *s;
	bool storage = false;
	struct workload *all;
	size_t n;

	for (size_t i = 0; (s = ibc_host_storage(in->host, i)); i++)
		storage |= s->netdev != NULL;
	all = fallback_find(out, in->host_before, in->host, allowed(in), &n);
	for (const struct workload *w = all; w < all + n; w++) {
		const struct ibc_workload facts = {
			.name = w->name,
			.job = w->job,
			.job_kind = w->job_kind,
			.interface = w->netdev ? w->netdev->name : NULL,
			.verdict = fallback_verdict_words[w->verdict],
			.bytes_per_second = (uint64_t)w->bytes_per_second,
			.sockets = w->sockets,
			.processes = w->num_processes,
			.queue_pairs = w->qps_unread ? -1 : (int)w->qps,
			.score = w->score,
		};

		if (in->on_workload)
			in->on_workload(in->ctx, &facts);
		/* the kernel's own traffic that a mount explains is reported there */
		if (w->verdict >= FALLBACK_POSSIBLE && !(w->kernel && storage))
			report_workload(out, in->host, w);
	}
	report_unseen(in, out);
}

/* Nothing has gone wrong yet: it will, for the next job that is started so. */
static void check_at_risk(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_process *p;
	struct workload *all;
	size_t n;

	all = fallback_find(out, in->host_before, in->host, allowed(in), &n);
	for (size_t i = 0; i < n; i++) {
		if (all[i].verdict != FALLBACK_AT_RISK)
			continue;
		sink_process(out, all[i].name, "would move its data by TCP instead of RDMA%s",
		             reason_text(out, &all[i]));
		advise_workload(out, &all[i]);
		add_terms(out, &all[i]);
	}
	/* daemons whose jobs get so little memory that they cannot register any */
	for (size_t i = 0; ibc_host_device(in->host, 0) && (p = ibc_host_process(in->host, i));
	     i++) {
		if (!passes_memlock_on(p) || p->unread & IBC_PROCESS_LIMITS ||
		    p->memlock_bytes >= MEMLOCK_TOO_LITTLE)
			continue;
		sink_process(out, sink_text(out, "%s, PID %d", p->comm, p->pid),
		             "is allowed to lock only %llu kB of memory, and so are the jobs it "
		             "starts: RDMA needs more",
		             (unsigned long long)(p->memlock_bytes / 1024));
		sink_advise(out,
		            "Set LimitMEMLOCK=infinity in the systemd unit of %s and restart it",
		            p->comm);
		sink_fact(out, "memlock_bytes", ibc_u64(p->memlock_bytes));
		sink_fact(out, "pid", ibc_u64((uint64_t)p->pid));
	}
}

/* ---- share -------------------------------------------------------------------------------- */

#define SHARE_WARNING 0.5 /* most of the traffic goes by IPoIB */
#define SHARE_NOTE    0.1 /* worth a note; a guess */

/* A fabric bought for RDMA that carries TCP. */
static void check_share(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_rdma_port *port;
	struct port_walk walk = { 0 };
	struct workload *all;
	struct port_load load;
	size_t n;

	all = fallback_find(out, in->host_before, in->host, allowed(in), &n);
	while ((port = next_host_port(in->host, &walk))) {
		const char *name = port_name(out, walk.device, port);
		double share, reported = 0; /* already, with who causes it, or meant */

		if (!port_load(in->host_before, in->host, walk.device, port, &load) ||
		    !port_load_counts(&load))
			continue;
		for (const struct workload *w = all; w < all + n; w++)
			if ((w->verdict >= FALLBACK_LIKELY || w->weight[TERM_INTENDED]) &&
			    w->netdev && w->netdev->device == load.device &&
			    w->netdev->port == port->num)
				reported += w->bytes_per_second;
		if (reported >= load.ipoib_bytes_per_second / 2)
			continue;
		share = port_load_share(&load);
		if (share < 0)
			report_unread(
			    in, out, IBC_SUBJECT_PORT, name, "how much of its traffic is IPoIB",
			    sink_text(out, "/%s/ports/%u/counters", walk.device->name, port->num));
		if (share < SHARE_NOTE)
			continue;
		sink_as(out, share >= SHARE_WARNING ? IBC_WARNING : IBC_INFO);
		sink_own_port(out, name, "carries %s of IPoIB, %.0f %% of all its traffic",
		              rate_text(out, load.ipoib_bytes_per_second), 100 * share);
		sink_advise(out,
		            "See the workloads above: those that move much data should use RDMA");
		sink_fact(out, "ipoib_bytes_per_second", ibc_real(load.ipoib_bytes_per_second));
		sink_fact(out, "bytes_per_second", ibc_real(load.bytes_per_second));
		sink_fact(out, "share", ibc_real(share));
		sink_fact(out, "reading", ibc_str(load.apart ? "net+port" : "port"));
	}
}

/* ---- the table ----------------------------------------------------------------------------- */

const struct ibc_check ibc_checks_ipoib[] = {
	CHECK("ipoib.fallback", "workloads that use TCP over IPoIB instead of RDMA", IBC_WARNING,
	      check_fallback, .parts = PARTS, .allows = true,
	      EXPLAINED_BY(BY("ipoib.storage", SAME))),
	CHECK("ipoib.at-risk", "jobs that would fall back to TCP if they moved data now",
	      IBC_WARNING, check_at_risk, .parts = PARTS),
	CHECK("ipoib.share", "RDMA ports that carry mostly IPoIB", IBC_WARNING, check_share,
	      .parts = PARTS, .inputs = IBC_IN_HOST_BEFORE,
	      EXPLAINED_BY(BY("ipoib.fallback", SAME))),
	{ 0 },
};
