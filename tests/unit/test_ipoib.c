/* SPDX-License-Identifier: BSD-2-Clause */
/* Who uses TCP over IPoIB and should not: the truth table, and what each verdict rests on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "check/fallback.h"
#include "findings.h"
#include "mkhost.h"

#define SECONDS 10
#define FIRST   100 /* PID of the first rank */

enum trouble { NONE, CONTAINER, FORBIDDEN, NO_UVERBS, LOCKED, PORT_DOWN };

/*
 * struct scene - a workload on mlx5_0 and ib0, both of 100 Gb/s: 125 MB/s is much
 * @tcp, @rdma: MB/s of the window; @rdma is the whole port's;  @old: GB before it
 * @qps, @ud, @files: of each of its @n processes
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
	bool qps_untold, owner_unread;
	enum fallback_verdict verdict;
	int score;
};

#define NCCL (IBC_PROGRAM_NCCL | IBC_PROGRAM_VERBS)
#define MPI  (IBC_PROGRAM_MPI | IBC_PROGRAM_UCX)
#define OFI  (IBC_PROGRAM_MPI | IBC_PROGRAM_OFI)

static const struct scene scenes[] = {
	/* those that are well */
	{ "NCCL, 40 sockets for bootstrap", NCCL, "slurm", 8, 40, 0.03, 20000, 0, 8, 0, 1,
	  .verdict = FALLBACK_OK, .score = -3 },
	{ "NCCL between two steps", NCCL, "slurm", 8, 40, 0, 0, 0, 8, 0, 1, .verdict = FALLBACK_OK,
	  .score = 0 },
	{ "NCCL that writes a checkpoint by TCP", NCCL, "slurm", 8, 40, 400, 20000, 0, 8, 0, 1,
	  .verdict = FALLBACK_OK, .score = 1 },
	{ "NCCL in its second week", NCCL, "kubernetes", 8, 40, 0.1, 20000, 30, 8, 0, 1,
	  .verdict = FALLBACK_OK, .score = 1 },
	{ "UCX by reliable connections", MPI, "slurm", 4, 8, 0.1, 3000, 0, 16, 2, 1,
	  .verdict = FALLBACK_OK, .score = -3 },
	{ "UCX by datagrams only", MPI, "pbs", 4, 8, 0.1, 3000, 0, 0, 4, 1, .verdict = FALLBACK_OK,
	  .score = -3 },
	{ "MPI by libfabric and verbs", OFI, "lsf", 4, 4, 0, 500, 0, 3, 0, 1,
	  .verdict = FALLBACK_OK, .score = -3 },
	{ "MPI that computes and says nothing", MPI, "pmix", 4, 4, 0.01, 0, 0, 0, 0, 0,
	  .verdict = FALLBACK_OK, .score = 2 },
	{ "NCCL with RDMA whose log was named", NCCL, "slurm", 8, 40, 0.1, 20000, 0, 8, 0, 1,
	  .log = "rdma", .verdict = FALLBACK_OK, .score = -3 },
	{ "a lasting tool of somebody's that holds QPs", IBC_PROGRAM_VERBS, "pgrp", 1, 1, 0.1, 900,
	  0, 1, 0, 1, .verdict = FALLBACK_OK, .score = -3 },
	{ "slurmd talks to its controller", IBC_PROGRAM_DAEMON, "pgrp", 1, 3, 0.01, 0, 0, 0, 0, 0,
	  .verdict = FALLBACK_OK, .score = 0 },
	{ "a login by ssh", IBC_PROGRAM_DAEMON, "pgrp", 1, 1, 0.2, 0, 0, 0, 0, 0,
	  .verdict = FALLBACK_OK, .score = 0 },
	{ "the kernel's NFS, little of it", 0, NULL, 0, 2, 20, 0, 0, 0, 0, 0,
	  .verdict = FALLBACK_OK, .score = 0 },
	{ "libvma: TCP that is none", IBC_PROGRAM_BYPASS | IBC_PROGRAM_VERBS, "pgrp", 1, 4, 300, 0,
	  0, 1, 0, 1, .verdict = FALLBACK_OK, .score = 0 },
	{ "many bytes of others, sockets of nobody known, few bytes", 0, NULL, 0, 5, 1, 9000, 0,
	  .owner_unread = true, .verdict = FALLBACK_OK, .score = 0 },
	{ "little memory may be locked, and queue pairs work", MPI, "slurm", 4, 4, 0.1, 3000, 0, 8,
	  0, 1, .trouble = LOCKED, .verdict = FALLBACK_OK, .score = -3 },
	{ "the same before its first transfer", MPI, "slurm", 4, 4, 0.1, 0, 0, 8, 0, 1,
	  .trouble = LOCKED, .verdict = FALLBACK_OK, .score = 0 },
	{ "whether its queue pairs work is untold", MPI, "slurm", 4, 4, 0.1, 0, 0, 0, 0, 1,
	  .trouble = LOCKED, .qps_untold = true, .verdict = FALLBACK_OK, .score = 0 },

	/* those that fell back */
	{ "NCCL that is forced", NCCL, "slurm", 8, 64, 3000, 0, 0, 0, 0, 0,
	  .setting = "NCCL_IB_DISABLE", .verdict = FALLBACK_CONFIRMED, .score = 10 },
	{ "NCCL in a container without devices", NCCL, "docker", 8, 64, 3000, 0, 0, 0, 0, 0,
	  .trouble = CONTAINER, .verdict = FALLBACK_CONFIRMED, .score = 10 },
	{ "NCCL that nothing explains", NCCL, "slurm", 8, 64, 3000, 0, 0, 0, 0, 0,
	  .verdict = FALLBACK_CONFIRMED, .score = 8 },
	{ "NCCL beside another job that is well", NCCL, "slurm", 4, 32, 1000, 20000, 0, 0, 0, 0,
	  .verdict = FALLBACK_LIKELY, .score = 6 },
	{ "the same, and its log says so", NCCL, "slurm", 4, 32, 1000, 20000, 0, 0, 0, 0,
	  .log = "tcp", .verdict = FALLBACK_CONFIRMED, .score = 9 },
	{ "UCX that is forced, devices open", MPI, "pbs", 4, 12, 900, 0, 0, 0, 0, 1,
	  .setting = "UCX_TLS", .verdict = FALLBACK_CONFIRMED, .score = 8 },
	{ "MPI whose devices may not be opened", MPI, "sge", 4, 12, 900, 0, 0, 0, 0, 0,
	  .trouble = FORBIDDEN, .verdict = FALLBACK_CONFIRMED, .score = 10 },
	{ "MPI without ib_uverbs", OFI, "lsf", 4, 12, 900, 0, 0, 0, 0, 0, .trouble = NO_UVERBS,
	  .verdict = FALLBACK_CONFIRMED, .score = 10 },
	{ "MPI that may lock little", MPI, "slurm", 4, 12, 900, 0, 0, 0, 0, 1, .trouble = LOCKED,
	  .verdict = FALLBACK_CONFIRMED, .score = 8 },
	{ "MPI with devices open and no queue pairs", MPI, "slurm", 4, 12, 900, 0, 0, 0, 0, 1,
	  .verdict = FALLBACK_LIKELY, .score = 6 },
	{ "MPI, 30 GB so far and quiet now", MPI, "slurm", 4, 12, 0, 0, 30, 0, 0, 0,
	  .verdict = FALLBACK_LIKELY, .score = 6 },
	{ "MPI by TCP, with a few queue pairs", MPI, "slurm", 4, 12, 900, 100, 0, 1, 0, 1,
	  .verdict = FALLBACK_LIKELY, .score = 6 },
	{ "forced, with queue pairs of another library", MPI | NCCL, "slurm", 4, 12, 900, 9000, 0,
	  1, 0, 1, .setting = "NCCL_IB_DISABLE", .verdict = FALLBACK_POSSIBLE, .score = 3 },
	{ "NCCL whose log says TCP, over Ethernet", NCCL, "slurm", 2, 0, 0, 0, 0, 0, 0, 0,
	  .log = "tcp", .setting = "NCCL_NET", .verdict = FALLBACK_CONFIRMED, .score = 7 },
	{ "its log alone", NCCL, "slurm", 2, 0, 0, 0, 0, 0, 0, 1, .log = "tcp",
	  .verdict = FALLBACK_POSSIBLE, .score = 3 },

	/* those that would */
	{ "forced, and has not begun", NCCL, "slurm", 8, 40, 0.01, 0, 0, 0, 0, 0,
	  .setting = "NCCL_IB_DISABLE", .verdict = FALLBACK_AT_RISK, .score = 4 },
	{ "in a container without devices, without a socket", NCCL, "podman", 2, 0, 0, 0, 0, 0, 0,
	  0, .trouble = CONTAINER, .verdict = FALLBACK_AT_RISK, .score = 4 },
	{ "no port is Active", MPI, "slurm", 2, 0, 0, 0, 0, 0, 0, 1, .trouble = PORT_DOWN,
	  .verdict = FALLBACK_AT_RISK, .score = 2 },
	{ "may lock little, and has not begun", MPI, "slurm", 2, 2, 0, 0, 0, 0, 0, 0,
	  .trouble = LOCKED, .verdict = FALLBACK_AT_RISK, .score = 4 },
	{ "forced, but its program is no rank", 0, "pgrp", 1, 1, 0, 0, 0, 0, 0, 0,
	  .setting = "UCX_TLS", .verdict = FALLBACK_OK, .score = 2 },

	/* traffic that may be meant */
	{ "rsync beside RDMA", 0, "pgrp", 1, 1, 200, 800, 0, 0, 0, 0, .verdict = FALLBACK_POSSIBLE,
	  .score = 3 },
	{ "rsync on a quiet port", 0, "pgrp", 1, 1, 200, 0, 0, 0, 0, 0,
	  .verdict = FALLBACK_POSSIBLE, .score = 4 },
	{ "rsync that the site means", 0, "pgrp", 1, 1, 200, 800, 0, 0, 0, 0, .allow = "comm:prog*",
	  .verdict = FALLBACK_OK, .score = -2 },
	{ "a subnet that the site means", 0, "pgrp", 1, 1, 200, 800, 0, 0, 0, 0,
	  .allow = "job:1, subnet:10.1.0.0/16", .verdict = FALLBACK_OK, .score = 0 },
	{ "a job that the site means", NCCL, "slurm", 8, 64, 3000, 0, 0, 0, 0, 0,
	  .allow = "job:4711", .verdict = FALLBACK_OK, .score = 5 },
	{ "a user that the site means", 0, "pgrp", 1, 1, 200, 800, 0, 0, 0, 0, .allow = "user:1000",
	  .verdict = FALLBACK_OK, .score = -2 },
	{ "the kernel's own", 0, NULL, 0, 2, 900, 0, 0, 0, 0, 0, .verdict = FALLBACK_POSSIBLE,
	  .score = 4 },

	/* what could not be read */
	{ "sockets whose owner is not told", 0, NULL, 0, 9, 900, 0, 0, .owner_unread = true,
	  .verdict = FALLBACK_UNTOLD, .score = 4 },
	{ "a process that hides its environment", 0, "slurm", 1, 9, 900, 9000, 0, 0, 0, 0,
	  .unread = IBC_PROCESS_ENVIRON, .verdict = FALLBACK_UNTOLD, .score = 2 },
	{ "NCCL that hides what it has open", NCCL, "slurm", 8, 9, 900, 20000, 0, 0, 0, 0,
	  .unread = IBC_PROCESS_FDS, .verdict = FALLBACK_UNTOLD, .score = 4 },
	{ "NCCL whose queue pairs are untold, beside RDMA", NCCL, "slurm", 8, 9, 900, 20000, 0, 0,
	  0, 1, .qps_untold = true, .verdict = FALLBACK_UNTOLD, .score = 4 },
	{ "forced and hidden: the rest does not matter", NCCL, "slurm", 8, 64, 3000, 0, 0, 0, 0, 0,
	  .setting = "NCCL_IB_DISABLE", .unread = IBC_PROCESS_FDS, .verdict = FALLBACK_CONFIRMED,
	  .score = 8 },
	{ "rsync, whether it has queue pairs does not matter", 0, "pgrp", 1, 1, 200, 800, 0, 0, 0,
	  0, .qps_untold = true, .verdict = FALLBACK_POSSIBLE, .score = 3 },
};

static void add_trouble(struct ibc_process *p, enum trouble trouble)
{
	if (trouble == LOCKED)
		p->memlock_bytes = 8 << 20;
	if (trouble == FORBIDDEN || trouble == CONTAINER || trouble == NO_UVERBS)
		p->devices_usable = 0;
	if (trouble == CONTAINER || trouble == NO_UVERBS)
		p->devices_seen = 0;
	p->own_root = trouble == CONTAINER;
}

static void add_rank(struct ibc_host *h, const struct scene *s, int pid)
{
	struct ibc_process *p = mk_process(h, pid, "program");

	p->program = s->program;
	p->job_kind = s->kind;
	p->job = "4711";
	p->qps = s->qps;
	p->ud_qps = s->ud;
	p->verbs_files = s->files;
	p->unread = s->unread;
	p->qps_untold = s->qps_untold;
	add_trouble(p, s->trouble);
	if (s->setting)
		mk_setting(h, p, s->setting, "1", IBC_EFFECT_FORCES_TCP);
}

/* The host of a scene, so many seconds into it. */
static struct ibc_host *host_of(const struct scene *s, double seconds)
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

static struct told told_of(struct ibc_host *before, struct ibc_host *now, const char *allow)
{
	struct told t = { .sink.scratch = arena_new(), .before = before, .now = now };

	assert_non_null(t.sink.scratch);
	t.all = fallback_find(&t.sink, before, now, allow, &t.n);
	assert_false(t.sink.failed);
	return t;
}

static struct told told_of_scene(const struct scene *s)
{
	return told_of(host_of(s, 0), host_of(s, SECONDS), s->allow);
}

static void forget(struct told *t)
{
	arena_free(t->sink.scratch);
	ibc_host_free(t->before);
	ibc_host_free(t->now);
}

static void the_truth_table_holds(void **state)
{
	unsigned int wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		const struct scene *s = &scenes[i];
		struct told t = told_of_scene(s);
		enum fallback_verdict verdict = t.n ? t.all[0].verdict : FALLBACK_OK;
		int score = t.n ? t.all[0].score : 0;

		assert_true(t.n <= 1);
		if (verdict != s->verdict || score != s->score) {
			print_error("%s: %s with %d, not %s with %d\n", s->name,
			            fallback_verdict_words[verdict], score,
			            fallback_verdict_words[s->verdict], s->score);
			wrong++;
		}
		forget(&t);
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_truth_table_holds),
	};

	return cmocka_run_group_tests_name("ipoib", tests, NULL, NULL);
}
