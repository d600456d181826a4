/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups what is on IPoIB by workload, and weighs the evidence. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/ipoib/workloads.h"

#define BIG_BYTES_PER_SECOND 50e6         /* less any Ethernet would carry; a guess */
#define BIG_SHARE_OF_LINK    0.01         /* so that fast links need more; a guess */
#define BIG_BYTES            (8ULL << 30) /* so far: more than control traffic in a day; a guess */
#define GIGABIT              125e6        /* bytes a second */
#define RDMA_IS_MORE         4            /* times what goes by TCP */

const char *const fallback_term_words[FALLBACK_TERMS] = {
	"traffic", "log", "no_rdma", "setting", "share", "cause", "rdma", "intended",
};

const char *const fallback_verdict_words[] = {
	"ok", "at_risk", "possible", "likely", "confirmed", "unknown",
};

/* ---- grouping ----------------------------------------------------------------------- */

static int by_job(const void *x, const void *y)
{
	const struct ibc_process *a = *(void *const *)x, *b = *(void *const *)y;

	return strcmp(a->job_kind, b->job_kind) ?: strcmp(a->job, b->job)
	           ?: (a->pid > b->pid) - (a->pid < b->pid);
}

static const char *name_of(struct ibc_sink *out, const struct ibc_process *p, size_t n)
{
	if (!*p->job || (n == 1 && !strcmp(p->job_kind, "pgrp")))
		return sink_text(out, "%s, PID %d", *p->comm ? p->comm : "a process", p->pid);
	if (!strcmp(p->job_kind, "pgrp"))
		return sink_text(out, "%s, process group %s", p->comm, p->job);
	return sink_text(out, "job %s (%s)", p->job, p->job_kind);
}

/* The workloads of all processes, and two more: the kernel's own, and those of unknown owners. */
static struct workload *group_processes(struct ibc_sink *out, const struct ibc_host *now, size_t *n)
{
	const struct ibc_process *p, **all;
	struct workload *groups, *w = NULL;
	size_t count = 0;

	while (ibc_host_process(now, count))
		count++;
	all = sink_array(out, count, sizeof(*all));
	groups = sink_array(out, count + 2, sizeof(*groups));
	*n = 0;
	for (size_t i = 0; (p = ibc_host_process(now, i)); i++)
		all[i] = p;
	qsort(all, count, sizeof(*all), by_job);
	for (size_t i = 0; i < count; i++) {
		p = all[i];
		if (!w || !*p->job || strcmp(p->job, w->job) != 0 ||
		    strcmp(p->job_kind, w->job_kind) != 0) {
			w = &groups[(*n)++];
			w->processes = &all[i];
			w->comm = p->comm;
			w->job = p->job;
			w->job_kind = p->job_kind;
		}
		w->num_processes++;
		w->identified |= is_rank_program(p);
		w->unread |= p->unread;
		w->qps += p->qps + p->ud_qps;
		w->qps_unread |= p->qps_unread;
		for (size_t k = 0; !w->setting && k < p->num_settings; k++)
			if (p->settings[k].effect == IBC_EFFECT_FORCES_TCP)
				w->setting = &p->settings[k];
	}
	for (size_t i = 0; i < *n; i++)
		groups[i].name = name_of(out, groups[i].processes[0], groups[i].num_processes);
	groups[*n].kernel = true;
	groups[(*n)++].name = "the kernel itself";
	groups[*n].owners_unread = true;
	groups[(*n)++].name = "processes of others";
	return groups;
}

/* ---- traffic ---------------------------------------------------------------------------- */

/* struct owner - which workload a PID belongs to */
struct owner {
	int pid;
	struct workload *workload;
};

static int by_pid(const void *x, const void *y)
{
	const struct owner *a = x, *b = y;

	return (a->pid > b->pid) - (a->pid < b->pid);
}

/* What a socket moved since the earlier reading; both lists are in order of inodes. */
static uint64_t bytes_moved(const struct ibc_host *before, size_t *at, const struct ibc_socket *now)
{
	uint64_t all = now->sent + now->received;
	const struct ibc_socket *was = NULL;

	while (before && (was = ibc_host_socket(before, *at)) && was->inode < now->inode)
		++*at;
	if (!before || !was || was->inode != now->inode || was->sent + was->received > all)
		return all;
	return all - (was->sent + was->received);
}

/* The last two of the groups are the kernel's, and those of unknown owners. */
static void add_sockets(struct ibc_sink *out, struct workload *groups, size_t n,
                        const struct ibc_host *before, const struct ibc_host *now,
                        const char *allow)
{
	double seconds = before ? ibc_host_seconds(now) - ibc_host_seconds(before) : 0;
	const struct ibc_socket *socket;
	struct owner *owners;
	size_t at = 0, num = 0;

	for (size_t i = 0; i < n; i++)
		num += groups[i].num_processes;
	owners = sink_array(out, num, sizeof(*owners));
	num = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < groups[i].num_processes; k++)
			owners[num++] = (struct owner){ groups[i].processes[k]->pid, &groups[i] };
	qsort(owners, num, sizeof(*owners), by_pid);
	for (size_t i = 0; (socket = ibc_host_socket(now, i)); i++) {
		const struct owner key = { .pid = socket->pid }, *found;
		uint64_t bytes = bytes_moved(before, &at, socket);
		struct workload *w;

		found = socket->pid ? bsearch(&key, owners, num, sizeof(key), by_pid) : NULL;
		w = found ? found->workload
		          : &groups[n - (socket->pid || socket->owner_unread ? 1 : 2)];
		/* Linux connects an address of its own to itself: that crosses no fabric */
		if (allow_names_address(allow, &socket->remote) ||
		    !memcmp(socket->local.raw, socket->remote.raw, sizeof(socket->local.raw)))
			continue;
		w->sockets++;
		w->bytes += socket->sent + socket->received;
		if (seconds > 0)
			w->bytes_per_second += (double)bytes / seconds;
		if (!w->netdev || bytes > w->most) {
			w->netdev = socket->netdev;
			w->most = bytes;
		}
	}
}

static bool is_big(const struct workload *w)
{
	const struct ibc_rdma_port *port = netdev_port(w->netdev);
	double worth = port ? BIG_SHARE_OF_LINK * port->rate_gbps * GIGABIT : 0;

	if (worth < BIG_BYTES_PER_SECOND)
		worth = BIG_BYTES_PER_SECOND;
	return w->bytes_per_second >= worth || w->bytes >= BIG_BYTES;
}

/* What all ports carry without IPoIB: RDMA need not use the port that TCP uses. */
static double rdma_bytes_per_second(const struct ibc_host *before, const struct ibc_host *now)
{
	const struct ibc_rdma_device *d;
	struct port_load load;
	double sum = -1;

	for (size_t i = 0; (d = ibc_host_device(now, i)); i++)
		for (size_t p = 0; p < d->num_ports; p++)
			if (port_load(before, now, d, &d->ports[p], &load) &&
			    load.bytes_per_second >= 0)
				sum = (sum < 0 ? 0 : sum) + port_load_rdma(&load);
	return sum;
}

/* ---- the score ----------------------------------------------------------------------------- */

static bool is_intended(const struct workload *w, const char *allow)
{
	char uid[16];

	if (w->job && *w->job && allow_names(allow, "job", w->job))
		return true;
	for (size_t i = 0; i < w->num_processes; i++) {
		snprintf(uid, sizeof(uid), "%u", w->processes[i]->uid);
		if (!allow_names(allow, "comm", w->processes[i]->comm) &&
		    !allow_names(allow, "user", uid))
			return false;
	}
	return w->num_processes > 0;
}

static bool holds_nothing(const struct workload *w)
{
	if (w->qps_unread || w->qps || w->unread & (IBC_PROCESS_FDS | IBC_PROCESS_STATUS))
		return false;
	for (size_t i = 0; i < w->num_processes; i++) {
		const struct ibc_process *p = w->processes[i];

		if (p->verbs_files || p->ud_qps || p->pinned_bytes || p->memory_bytes)
			return false;
	}
	return w->num_processes > 0;
}

/* A line of TCP in a log, by one of its processes; NULL: there is none. */
static const struct ibc_log_line *find_log(const struct workload *w, const struct ibc_host *now)
{
	const struct ibc_log_line *line;

	for (size_t i = 0; (line = ibc_host_log_line(now, i)); i++)
		for (size_t k = 0; line->tcp && line->pid && k < w->num_processes; k++)
			if (w->processes[k]->pid == line->pid)
				return line;
	return NULL;
}

static void weigh_workload(struct workload *w, const char *allow)
{
	bool big = is_big(w), intended = is_intended(w, allow);

	for (size_t i = 0; i < w->num_processes; i++)
		big &= !(w->processes[i]->program & IBC_PROGRAM_BYPASS);
	if (big && w->identified)
		w->weight[TERM_TRAFFIC] = 4;
	else if (big && !intended)
		w->weight[TERM_TRAFFIC] = 2;
	w->weight[TERM_LOG] = w->log ? 3 : 0;
	w->weight[TERM_NO_RDMA] = w->identified && holds_nothing(w) ? 2 : 0;
	w->weight[TERM_SETTING] = w->setting ? 2 : 0;
	if (big && w->share >= 0.1)
		w->weight[TERM_SHARE] = w->share >= 0.5 ? 2 : 1;
	w->weight[TERM_CAUSE] = w->cause.what ? 2 : 0;
	if (w->qps && w->rdma_bytes_per_second > RDMA_IS_MORE * w->bytes_per_second)
		w->weight[TERM_RDMA] = -3;
	w->weight[TERM_INTENDED] = intended ? -3 : 0;
	for (int t = 0; t < FALLBACK_TERMS; t++)
		w->score += w->weight[t];
}

static enum fallback_verdict evaluate_workload(const struct workload *w)
{
	const uint32_t matters = IBC_PROCESS_FDS | IBC_PROCESS_STATUS | IBC_PROCESS_ENVIRON |
	                         IBC_PROCESS_MAPS;
	bool seen = w->weight[TERM_TRAFFIC] > 0 || w->weight[TERM_LOG] > 0;

	if (w->weight[TERM_INTENDED])
		return FALLBACK_OK;
	if (seen && w->score >= 7)
		return FALLBACK_CONFIRMED;
	if (w->weight[TERM_TRAFFIC] && w->score >= 5)
		return FALLBACK_LIKELY;
	/* what might have added to the score, or taken from it, was not readable */
	if (w->weight[TERM_TRAFFIC] && !w->weight[TERM_RDMA] &&
	    (w->owners_unread || w->unread & matters || (w->identified && w->qps_unread)))
		return FALLBACK_UNKNOWN;
	if (seen && w->score >= 3)
		return FALLBACK_POSSIBLE;
	/* who has queue pairs at work can use RDMA, whatever else is odd */
	if (w->identified && !w->qps && (w->setting || w->cause.what))
		return FALLBACK_AT_RISK;
	return FALLBACK_OK;
}

static int by_traffic(const void *x, const void *y)
{
	const struct workload *a = x, *b = y;

	return (b->bytes_per_second > a->bytes_per_second) -
	               (b->bytes_per_second < a->bytes_per_second)
	           ?: strcmp(a->name, b->name);
}

struct workload *fallback_find(struct ibc_sink *out, const struct ibc_host *before,
                               const struct ibc_host *now, const char *allow, size_t *n)
{
	struct arena *own = out->scratch;
	struct run_memory alone = { .arena = own }, *run = out->run ? out->run : &alone;
	const struct ibc_rdma_port *port;
	struct workload *groups, *w;
	struct port_load load;
	double rdma;

	*n = run->num_workloads;
	if (run->workloads)
		return run->workloads;
	out->scratch = run->arena; /* what is found outlives this check */
	groups = group_processes(out, now, n);
	rdma = rdma_bytes_per_second(before, now);
	add_sockets(out, groups, *n, before, now, allow);
	for (w = groups; w < groups + *n; w++) {
		if (!w->sockets && !w->identified)
			continue;
		w->rdma_bytes_per_second = rdma;
		port = netdev_port(w->netdev);
		w->share = -1;
		if (port && port_load(before, now, w->netdev->device, port, &load) &&
		    port_load_counts(&load))
			w->share = port_load_share(&load);
		w->log = find_log(w, now);
		fallback_find_cause(out, now, w);
		weigh_workload(w, allow);
		w->verdict = evaluate_workload(w);
		groups[run->num_workloads++] = *w;
	}
	*n = run->num_workloads;
	qsort(groups, *n, sizeof(*groups), by_traffic);
	run->workloads = groups;
	out->scratch = own;
	return groups;
}
