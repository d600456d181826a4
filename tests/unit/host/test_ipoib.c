/* SPDX-License-Identifier: BSD-2-Clause */
/* Who uses TCP over IPoIB and should not: the truth table, and what is said of it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mkscene.h"

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
	  .trouble = LOCKED, .qps_unread = true, .verdict = FALLBACK_OK, .score = 0 },

	{ "NCCL where the port tells nothing", NCCL, "crio", 8, 40, 0.1, .qps = 8, .files = 1,
	  .silent = true, .verdict = FALLBACK_OK, .score = 0 },
	{ "UCX in a pod, whose image has no provider, with queue pairs of a plugin", MPI,
	  "kubernetes", 4, 8, 0.1, 3000, .qps = 4, .files = 1, .trouble = NO_PROVIDER,
	  .verdict = FALLBACK_OK, .score = -3 },
	{ "Gloo: little by TCP, as it is made", IBC_PROGRAM_MPI, "pgrp", 8, 28, 3, 900,
	  .verdict = FALLBACK_OK, .score = 2 },
	{ "Prometheus and its like", 0, "containerd", 2, 9, 0.5, .verdict = FALLBACK_OK },
	{ "an image that is pulled, below what counts", 0, "podman", 1, 4, 110,
	  .verdict = FALLBACK_OK, .score = 0 },
	{ "NVMe over TCP, little of it", 0, NULL, 0, 16, 100, .verdict = FALLBACK_OK },

	/* those that fell back */
	{ "NCCL in a pod, whose image has no provider", NCCL, "kubernetes", 8, 64, 3000,
	  .trouble = NO_PROVIDER, .verdict = FALLBACK_CONFIRMED, .score = 10 },
	{ "MPI while no subnet manager runs on the other port", MPI, "pbs", 4, 12, 900,
	  .trouble = NO_SM, .verdict = FALLBACK_CONFIRMED, .score = 10 },
	{ "UCX that is forced, and its log says so", MPI, "sge", 4, 12, 900, .files = 1,
	  .setting = "UCX_TLS", .log = "tcp", .verdict = FALLBACK_CONFIRMED, .score = 11 },
	{ "libfabric that is forced, beside another job that is well", OFI, "lsf", 4, 12, 900,
	  20000, .setting = "FI_PROVIDER", .verdict = FALLBACK_CONFIRMED, .score = 8 },
	{ "the same with devices open", OFI, "lsf", 4, 12, 900, 20000, .files = 1,
	  .setting = "FI_PROVIDER", .verdict = FALLBACK_LIKELY, .score = 6 },
	{ "MPI that may lock little, beside another job", MPI, "pmix", 4, 12, 900, 20000,
	  .files = 1, .trouble = LOCKED, .verdict = FALLBACK_LIKELY, .score = 6 },
	{ "ranks without a batch system", MPI, "pgrp", 4, 12, 900, .verdict = FALLBACK_CONFIRMED,
	  .score = 8 },
	{ "NCCL that is forced, where the port tells nothing", NCCL, "crio", 8, 64, 3000,
	  .setting = "NCCL_NET", .silent = true, .verdict = FALLBACK_CONFIRMED, .score = 8 },
	{ "NCCL that nothing explains, where the port tells nothing", NCCL, "containerd", 8, 64,
	  3000, .silent = true, .verdict = FALLBACK_LIKELY, .score = 6 },
	{ "idle queue pairs, and 9 GB by TCP before", MPI, "slurm", 4, 12, .old = 9, .qps = 2,
	  .files = 1, .verdict = FALLBACK_POSSIBLE, .score = 4 },
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

	{ "without a provider, and has not begun", MPI, "kubernetes", 2, 2, .trouble = NO_PROVIDER,
	  .verdict = FALLBACK_AT_RISK, .score = 4 },
	{ "without a subnet manager, and has not begun", NCCL, "crio", 2, 2, .trouble = NO_SM,
	  .verdict = FALLBACK_AT_RISK, .score = 4 },
	{ "forced, and its log says RDMA", NCCL, "slurm", 2, 2, .setting = "NCCL_NET",
	  .log = "rdma", .verdict = FALLBACK_AT_RISK, .score = 4 },
	{ "forced, and has queue pairs", NCCL, "slurm", 2, 2, .qps = 1, .files = 1,
	  .setting = "NCCL_NET", .verdict = FALLBACK_OK, .score = 2 },

	/* traffic that may be meant */
	{ "rsync where the port tells nothing", 0, "pgrp", 1, 1, 200, .silent = true,
	  .verdict = FALLBACK_OK, .score = 2 },
	{ "somebody's program in a container", 0, "docker", 2, 2, 200, 800,
	  .verdict = FALLBACK_POSSIBLE, .score = 3 },
	{ "a forced job that the site means", NCCL, "slurm", 8, 64, 3000,
	  .setting = "NCCL_IB_DISABLE", .allow = "job:4711", .verdict = FALLBACK_OK, .score = 7 },
	{ "the kernel's own, and a tenth of the port", 0, NULL, 0, 2, 900, 7000,
	  .verdict = FALLBACK_POSSIBLE, .score = 3 },
	{ "the kernel's own beside RDMA", 0, NULL, 0, 2, 900, 20000, .verdict = FALLBACK_OK,
	  .score = 2 },
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
	  .verdict = FALLBACK_UNKNOWN, .score = 4 },
	{ "a process that hides its environment", 0, "slurm", 1, 9, 900, 9000, 0, 0, 0, 0,
	  .unread = IBC_PROCESS_ENVIRON, .verdict = FALLBACK_UNKNOWN, .score = 2 },
	{ "NCCL that hides what it has open", NCCL, "slurm", 8, 9, 900, 20000, 0, 0, 0, 0,
	  .unread = IBC_PROCESS_FDS, .verdict = FALLBACK_UNKNOWN, .score = 4 },
	{ "NCCL whose queue pairs are untold, beside RDMA", NCCL, "slurm", 8, 9, 900, 20000, 0, 0,
	  0, 1, .qps_unread = true, .verdict = FALLBACK_UNKNOWN, .score = 4 },
	{ "forced and hidden: the rest does not matter", NCCL, "slurm", 8, 64, 3000, 0, 0, 0, 0, 0,
	  .setting = "NCCL_IB_DISABLE", .unread = IBC_PROCESS_FDS, .verdict = FALLBACK_CONFIRMED,
	  .score = 8 },
	{ "NCCL whose limits are hidden: they explain, and do not decide", NCCL, "slurm", 8, 64,
	  3000, .trouble = LOCKED, .unread = IBC_PROCESS_LIMITS, .verdict = FALLBACK_CONFIRMED,
	  .score = 8 },
	{ "NCCL that hides what it has pinned", NCCL, "slurm", 8, 64, 3000,
	  .unread = IBC_PROCESS_STATUS, .verdict = FALLBACK_LIKELY, .score = 6 },
	{ "the same beside RDMA", NCCL, "slurm", 8, 64, 900, 20000, .unread = IBC_PROCESS_STATUS,
	  .verdict = FALLBACK_UNKNOWN, .score = 4 },
	{ "a program that hides its libraries", 0, "pgrp", 1, 1, 200, .unread = IBC_PROCESS_MAPS,
	  .verdict = FALLBACK_UNKNOWN, .score = 4 },
	{ "a program whose root is hidden: rsync needs no device", 0, "pgrp", 1, 1, 200, 800,
	  .unread = IBC_PROCESS_ROOT, .verdict = FALLBACK_POSSIBLE, .score = 3 },
	{ "forced, its queue pairs untold", NCCL, "slurm", 8, 64, 3000, .setting = "NCCL_NET",
	  .qps_unread = true, .verdict = FALLBACK_CONFIRMED, .score = 8 },
	{ "a container whose devices are hidden", NCCL, "docker", 8, 64, 3000, .trouble = CONTAINER,
	  .unread = IBC_PROCESS_ROOT, .verdict = FALLBACK_CONFIRMED, .score = 8 },
	{ "hidden, and it moves nothing", NCCL, "slurm", 2, 4, 0.1,
	  .unread = IBC_PROCESS_FDS | IBC_PROCESS_ENVIRON, .verdict = FALLBACK_OK, .score = 0 },
	{ "rsync, whether it has queue pairs does not matter", 0, "pgrp", 1, 1, 200, 800, 0, 0, 0,
	  0, .qps_unread = true, .verdict = FALLBACK_POSSIBLE, .score = 3 },
};

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

static void a_forced_job_is_told_with_the_variable_and_where_it_is(void **state)
{
	(void)state;
	expect_scene(&forced, "ipoib",
	             "critical job 4711 (slurm): moves 3.0 GB/s by TCP over ib0 instead of RDMA: "
	             "NCCL_IB_DISABLE=1 (environ) forces TCP\n");
}

static void no_scene_that_is_well_is_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++)
		if (scenes[i].verdict == FALLBACK_OK && !scenes[i].allow)
			expect_scene(&scenes[i], "ipoib.fallback,ipoib.at-risk", "");
}

/* Whoever has queue pairs at work moves few bytes by TCP, or many more by RDMA. */
static void a_healthy_job_is_never_told_whatever_it_is(void **state)
{
	static const uint32_t programs[] = { NCCL, MPI, OFI };
	static const char *const kinds[] = { "slurm", "kubernetes", "pmix", "pgrp" };
	static const double tcp[] = { 0, 0.1, 40, 120 }, rdma[] = { 0, 500, 20000 };

	(void)state;
	for (size_t i = 0; i < 3 * 4 * 4 * 3 * 2; i++) {
		struct scene s = { "",         programs[i % 3],         kinds[i / 3 % 4], 4,
			           40,         tcp[i / 12 % 4],         rdma[i / 48 % 3], .ud = 4,
			           .files = 1, .qps = i >= 144 ? 16 : 0 };

		expect_scene(&s, "ipoib.fallback,ipoib.at-risk", "");
	}
}

static void a_log_line_is_quoted_where_nothing_else_explains(void **state)
{
	struct scene s = { "", NCCL, "slurm", 2, 2, 3000, .log = "tcp" };

	(void)state;
	expect_scene(&s, "ipoib.fallback",
	             "critical job 4711 (slurm): moves 3.0 GB/s by TCP over ib0 instead of RDMA: "
	             "/tmp/job.log:7 contains \"NET/Socket: Using [0]ib0\"\n");
	s.tcp = 0;
	s.sockets = 0;
	s.setting = "NCCL_NET";
	expect_scene(&s, "ipoib.fallback",
	             "critical job 4711 (slurm): moves its data by TCP instead of RDMA: "
	             "NCCL_NET=1 (environ) forces TCP\n");
}

static void of_one_reading_what_was_sent_so_far_is_told(void **state)
{
	struct scene s = { "", MPI, "slurm", 2, 2, .old = 12 };

	(void)state;
	expect_host(NULL, host_of(&s, 0), "ipoib.fallback",
	            "warning job 4711 (slurm): moves 12.0 GB by TCP over ib0 so far instead of "
	            "RDMA\n");
}

static void sockets_of_nobody_known_are_unknown(void **state)
{
	struct scene s = { "", .sockets = 2, .tcp = 900, .owner_unread = true };

	(void)state;
	expect_scene(&s, "ipoib.fallback",
	             "unknown processes of others: moves 900 MB/s by TCP over ib0; what else it "
	             "uses could not be read\n");
}

static void without_privilege_it_says_what_it_does_not_see(void **state)
{
	struct ibc_host *now = mk_host();

	(void)state;
	mk_netdev(now, "ib0", NULL);
	now->privileged = false;
	((struct ibc_netns *)now->netns.items[0])->error = EPERM;
	expect_host(NULL, now, "ipoib.fallback",
	            "unknown node01: has 1 network namespace that could not be read\n"
	            "unknown node01: was read without root privileges: processes of other users "
	            "and other network namespaces are not visible\n");
	now = mk_host();
	now->privileged = false;
	expect_host(NULL, now, "ipoib.fallback", "");
	mk_device(now = mk_host(), "mlx5_0");
	now->privileged = false;
	expect_host(NULL, now, "ipoib.fallback",
	            "unknown node01: was read without root privileges: processes of other users "
	            "and other network namespaces are not visible\n");
}

static void a_namespace_that_a_process_hides_from_root_is_unknown(void **state)
{
	struct ibc_host *now = mk_host();

	(void)state;
	note_unread(now, "/proc/*/ns/net", EACCES);
	expect_host(NULL, now, "ipoib.fallback", "");
	mk_device(now = mk_host(), "mlx5_0");
	note_unread(now, "/proc/*/ns/net", EACCES);
	expect_host(NULL, now, "ipoib.fallback",
	            "unknown node01: has processes whose network namespace cannot be read: what is "
	            "in it is not visible\n");
}

#define UNKNOWN                                                                                    \
	"unknown node01: was read from files, which do not contain TCP connections: traffic over " \
	"IPoIB is not visible\n"

static void a_capture_does_not_tell_what_crosses_ipoib(void **state)
{
	struct ibc_host *now = mk_host();

	(void)state;
	mk_netdev(now, "eth0", NULL)->ipoib = false;
	now->netns.n = 0;
	expect_host(NULL, now, "ipoib.fallback", "");
	mk_device(now = mk_host(), "mlx5_0");
	now->netns.n = 0;
	expect_host(NULL, now, "ipoib.fallback", UNKNOWN);
}

static void a_capture_without_interfaces_does_not_tell_whether_it_has_ipoib(void **state)
{
	struct ibc_host *now = mk_host();

	(void)state;
	now->netns.n = 0;
	expect_host(NULL, now, "ipoib.fallback", UNKNOWN);
}

static void a_share_that_the_port_does_not_tell_is_unknown(void **state)
{
	struct scene s = { "", 0, "pgrp", 1, 1, 200, .silent = true };
	struct ibc_host *now = host_of(&s, SECONDS);

	(void)state;
	expect_scene(&s, "ipoib.share",
	             "unknown mlx5_0/1: how much of its traffic is IPoIB is not known: the kernel "
	             "does not report it\n");
	note_unread(now, "/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data", EINVAL);
	expect_host(host_of(&s, 0), now, "ipoib.share",
	            "unknown mlx5_0/1: how much of its traffic is IPoIB is not known: "
	            "/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data: Invalid "
	            "argument\n");
	s.tcp = 100; /* less than 1 % of its rate */
	expect_scene(&s, "ipoib.share", "");
	s.tcp = 0;
	now = host_of(&s, SECONDS);
	mk_port(now->devices.items[0])->rate_gbps = 0;
	expect_host(host_of(&s, 0), now, "ipoib.share", "");
}

static void traffic_of_a_mount_is_told_as_storage_only(void **state)
{
	struct scene s = { "", .sockets = 2, .tcp = 900 };
	struct ibc_host *now = host_of(&s, SECONDS);

	(void)state;
	mk_storage(now, "nfs", "tcp", now->netdevs.items[0]);
	expect_host(host_of(&s, 0), now, "ipoib.fallback,ipoib.storage",
	            "warning /scratch: uses nfs over TCP on ib0, from 10.1.0.9\n");
	expect_scene(&s, "ipoib.fallback,ipoib.storage",
	             "info the kernel itself: moves 900 MB/s by TCP over ib0 instead of RDMA\n");
}

static void daemons_that_cripple_the_next_job_are_told(void **state)
{
	struct ibc_host *now = mk_host();
	struct ibc_process *p;

	(void)state;
	mk_device(now, "mlx5_0");
	for (int i = 0; i < 4; i++) {
		p = mk_process(now, 900 + i, i == 1 ? "sshd" : "slurmd");
		p->program = IBC_PROGRAM_DAEMON;
		p->memlock_bytes = i == 2 ? IBC_UNLIMITED : 8 << 20;
		p->unread = i == 3 ? IBC_PROCESS_LIMITS : 0;
	}
	expect_host(NULL, now, "ipoib.at-risk",
	            "warning slurmd, PID 900: is allowed to lock only 8192 kB of memory, and so "
	            "are the jobs it starts: RDMA needs more\n");
}

static void a_job_that_would_fall_back_is_at_risk(void **state)
{
	struct scene s = forced;

	(void)state;
	s.tcp = 0.01;
	expect_scene(&s, "ipoib",
	             "warning job 4711 (slurm): would move its data by TCP instead of RDMA: "
	             "NCCL_IB_DISABLE=1 (environ) forces TCP\n");
}

static void keep_workload(void *ctx, const struct ibc_workload *w)
{
	assert_string_equal(w->job_kind, "slurm");
	assert_string_equal(w->interface, "ib0");
	assert_string_equal(w->verdict, "confirmed");
	assert_int_equal(w->sockets, 8);
	assert_int_equal(w->processes, 4);
	assert_true(w->queue_pairs == 0 && w->bytes_per_second > 1000000000);
	++*(int *)ctx;
}

static void each_workload_is_handed_to_who_asks(void **state)
{
	struct scene s = { "", NCCL, "slurm", 4, 8, 3000, .trouble = LOCKED, .log = "tcp" };
	struct ibc_host *before = host_of(&s, 0), *now = host_of(&s, SECONDS);
	struct ibc_report *rep;
	int told = 0;
	const struct ibc_input in = {
		.host = now, .host_before = before, .on_workload = keep_workload, .ctx = &told
	};

	(void)state;
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, "ipoib.fallback", rep, NULL), 0);
	assert_int_equal(told, 1);
	ibc_report_free(rep);
	ibc_host_free(before);
	ibc_host_free(now);
}

static void running_out_of_memory_is_an_error_wherever_it_happens(void **state)
{
	struct scene s = { "", NCCL, "slurm", 4, 8, 3000, .trouble = LOCKED, .log = "tcp" };
	struct ibc_host *before = host_of(&s, 0), *now = host_of(&s, SECONDS);
	struct ibc_input in = { .host = now, .host_before = before };
	unsigned long n = 0;
	int rc;

	(void)state;
	mk_has_address(now, now->netdevs.items[0], "10.1.0.1", 24);
	mk_has_address(now, mk_netdev(now, "ib1", NULL), "10.1.0.1", 24);
	mk_storage(now, "nfs", "tcp", now->netdevs.items[1]);
	mk_process(now, 900, "slurmd")->program = IBC_PROGRAM_DAEMON;
	do {
		struct ibc_report *rep;

		assert_int_equal(ibc_report_new(&rep, NULL), 0);
		alloc_fail_at(++n);
		rc = ibc_check_run(&in, "ipoib", rep, NULL);
		alloc_fail_at(0);
		assert_true(rc == 0 || rc == -ENOMEM);
		ibc_report_free(rep);
	} while (rc);
	assert_true(n > 10);
	ibc_host_free(before);
	ibc_host_free(now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_truth_table_holds),
		cmocka_unit_test(a_forced_job_is_told_with_the_variable_and_where_it_is),
		cmocka_unit_test(no_scene_that_is_well_is_told),
		cmocka_unit_test(a_healthy_job_is_never_told_whatever_it_is),
		cmocka_unit_test(a_log_line_is_quoted_where_nothing_else_explains),
		cmocka_unit_test(of_one_reading_what_was_sent_so_far_is_told),
		cmocka_unit_test(sockets_of_nobody_known_are_unknown),
		cmocka_unit_test(without_privilege_it_says_what_it_does_not_see),
		cmocka_unit_test(a_namespace_that_a_process_hides_from_root_is_unknown),
		cmocka_unit_test(a_capture_does_not_tell_what_crosses_ipoib),
		cmocka_unit_test(a_capture_without_interfaces_does_not_tell_whether_it_has_ipoib),
		cmocka_unit_test(a_share_that_the_port_does_not_tell_is_unknown),
		cmocka_unit_test(traffic_of_a_mount_is_told_as_storage_only),
		cmocka_unit_test(daemons_that_cripple_the_next_job_are_told),
		cmocka_unit_test(a_job_that_would_fall_back_is_at_risk),
		cmocka_unit_test(each_workload_is_handed_to_who_asks),
		cmocka_unit_test(running_out_of_memory_is_an_error_wherever_it_happens),
	};

	return cmocka_run_group_tests_name("ipoib", tests, NULL, NULL);
}
