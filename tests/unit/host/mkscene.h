/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKSCENE_H
#define MKSCENE_H

/* Hosts with one workload on one port.  Include it after <cmocka.h>. */
#include "check/ipoib/workloads.h"
#include "hostfindings.h"

#define SECONDS 10
#define FIRST   100 /* PID of the first rank */

enum trouble { NONE, CONTAINER, FORBIDDEN, NO_UVERBS, LOCKED, PORT_DOWN, NO_SM, NO_PROVIDER };

/*
 * struct scene - a workload on mlx5_0 and ib0, both of 100 Gb/s: 125 MB/s is much
 * @tcp, @rdma: MB/s of the window; @rdma is the whole port's;  @old: GB before it
 * @qps, @ud, @files: of each of its @n processes;  @silent: the port has no counters
 */
struct scene {
	const char *name;
	uint32_t program;
	const char *kind;
	int n, sockets;
	double tcp, rdma, old;
	unsigned int qps, ud, files;
	const char *setting, *log, *allow;
	enum trouble trouble;
	uint32_t unread;
	bool qps_unread, owner_unread, silent;
	enum fallback_verdict verdict;
	int score;
};

#define NCCL (IBC_PROGRAM_NCCL | IBC_PROGRAM_VERBS)
#define MPI  (IBC_PROGRAM_MPI | IBC_PROGRAM_UCX)
#define OFI  (IBC_PROGRAM_MPI | IBC_PROGRAM_OFI)

static const struct scene forced = {
	"forced", NCCL, "slurm", 8, 64, 3000, .setting = "NCCL_IB_DISABLE",
};

static inline void add_trouble(struct ibc_process *p, enum trouble trouble)
{
	if (trouble == LOCKED)
		p->memlock_bytes = 8 << 20;
	if (trouble == FORBIDDEN || trouble == CONTAINER || trouble == NO_UVERBS)
		p->devices_usable = 0;
	if (trouble == CONTAINER || trouble == NO_UVERBS)
		p->devices_seen = 0;
	p->own_root = trouble == CONTAINER;
}

static inline void add_rank(struct ibc_host *h, const struct scene *s, int pid)
{
	struct ibc_process *p = mk_process(h, pid, "program");

	p->program = s->program;
	p->job_kind = s->kind;
	p->job = "4711";
	p->qps = s->qps;
	p->ud_qps = s->ud;
	p->verbs_files = s->files;
	p->unread = s->unread;
	p->qps_unread = s->qps_unread;
	add_trouble(p, s->trouble);
	if (s->trouble == NO_PROVIDER)
		mk_verbs(h, p)->providers = NULL;
	if (s->setting)
		mk_setting(h, p, s->setting, "1", IBC_EFFECT_FORCES_TCP);
}

/* The host of a scene, so many seconds into it. */
static inline struct ibc_host *host_of(const struct scene *s, double seconds)
{
	struct ibc_host *h = mk_host();
	struct ibc_rdma_device *device = mk_device(h, "mlx5_0");
	struct ibc_netdev *ib0 = mk_netdev(h, "ib0", device);
	double tcp = s->tcp * 1e6 * seconds;

	h->seconds = seconds;
	ib0->tx_bytes = (uint64_t)tcp;
	mk_carried(device, tcp + s->rdma * 1e6 * seconds);
	if (s->trouble == PORT_DOWN)
		mk_port(device)->state = IBC_STATE_DOWN;
	if (s->trouble == NO_SM)
		mk_port(device)->state = IBC_STATE_INIT;
	if (s->silent)
		mk_port(device)->num_counters = 0;
	for (int i = 0; i < s->n; i++)
		add_rank(h, s, FIRST + i);
	for (int i = 0; i < s->sockets; i++)
		mk_socket(h, ib0, s->n ? FIRST + i % s->n : 0, (s->old * 1e9 + tcp) / s->sockets)
		    ->owner_unread = s->owner_unread;
	if (s->log)
		mk_log(h, FIRST, !strcmp(s->log, "tcp"), "NET/Socket: Using [0]ib0");
	return h;
}

/* What is told of all workloads, with the memory it is in. */
struct told {
	struct ibc_sink sink;
	struct ibc_host *before, *now;
	struct workload *all;
	size_t n;
};

static inline struct told told_of(struct ibc_host *before, struct ibc_host *now, const char *allow)
{
	struct told t = { .sink.scratch = arena_new(), .before = before, .now = now };

	assert_non_null(t.sink.scratch);
	t.all = fallback_find(&t.sink, before, now, allow, &t.n);
	assert_false(t.sink.failed);
	return t;
}

static inline struct told told_of_scene(const struct scene *s)
{
	return told_of(host_of(s, 0), host_of(s, SECONDS), s->allow);
}

static inline void forget(struct told *t)
{
	arena_free(t->sink.scratch);
	ibc_host_free(t->before);
	ibc_host_free(t->now);
}

static inline void expect_scene(const struct scene *s, const char *selection, const char *lines)
{
	expect_host(host_of(s, 0), host_of(s, SECONDS), selection, lines);
}

#endif
