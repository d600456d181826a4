/* SPDX-License-Identifier: BSD-2-Clause */
/* Who processes are, by what /proc says of them: each test lays out a small one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mkproc.h"

#define RANK 100

static const struct ibc_process *rank_of(const struct ibc_host *host)
{
	const struct ibc_process *process = ibc_host_process_by_pid(host, RANK);

	assert_non_null(process);
	return process;
}

static void a_process_is_read_whole(void **state)
{
	const struct ibc_process *process;
	struct ibc_host *host;

	(void)state;
	put_process(RANK, 1, "rank");
	put_link(of_process(RANK, "exe"), "/opt/app/rank");
	host = read_processes(0, NULL);
	process = rank_of(host);
	assert_int_equal(process->ppid, 1);
	assert_int_equal(process->start, 1000 + RANK);
	assert_int_equal(process->uid, 1000);
	assert_string_equal(process->comm, "rank");
	assert_string_equal(process->exe, "/opt/app/rank");
	assert_string_equal(process->cgroup, "/user.slice/user-1000.slice/session-4.scope");
	assert_string_equal(process->job_kind, "pgrp");
	assert_string_equal(process->job, "100");
	assert_int_equal(process->pinned_bytes, 2048 * 1024);
	assert_int_equal(process->memlock_bytes, 8388608);
	assert_false(process->memlock_exempt);
	assert_int_equal(process->verbs_files, 1);
	assert_int_equal(process->program, 0);
	assert_int_equal(process->unread, 0);
	assert_int_equal(process->num_settings, 0);
	assert_null(process->daemon);
	assert_null(ibc_host_unread(host, 0));
	ibc_host_free(host);
}

static void a_name_may_hold_parentheses_blanks_and_what_no_terminal_likes(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_process(RANK, 1, "a) S 7 (\033[1m b");
	host = read_processes(0, NULL);
	assert_int_equal(rank_of(host)->ppid, 1);
	assert_string_equal(rank_of(host)->comm, "a) S 7 (\xef\xbf\xbd[1m b");
	ibc_host_free(host);
}

static void locked_memory_is_without_limit_or_unread(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_process(RANK, 1, "rank");
	put(of_process(RANK, "limits"),
	    "Max locked memory         unlimited            unlimited            bytes     \n");
	host = read_processes(0, NULL);
	assert_true(rank_of(host)->memlock_bytes == IBC_UNLIMITED);
	ibc_host_free(host);
	put(of_process(RANK, "limits"), "Max locked memory         none\nMax cpu time\n");
	host = read_processes(0, NULL);
	assert_int_equal(rank_of(host)->unread, IBC_PROCESS_LIMITS);
	ibc_host_free(host);
}

static void put_status(const char *lines)
{
	put(of_process(RANK, "status"), lines);
}

static void capabilities_count_in_the_first_user_namespace_only(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_process(RANK, 1, "rank");
	put("dev/infiniband/uverbs0", "");
	assert_int_equal(chmod(below_root("dev/infiniband/uverbs0"), 0600), 0);
	put_status("Uid:\t5\t5\t5\t5\nGid:\t5\t5\t5\t5\nCapEff:\t000001ffffffffff\n");
	put_link(of_process(RANK, "ns/user"), "user:[4026531837]");
	host = read_processes(0, NULL);
	assert_true(rank_of(host)->memlock_exempt);
	assert_int_equal(rank_of(host)->devices_usable, 1);
	ibc_host_free(host);
	put_link(of_process(RANK, "ns/user"), "user:[4026532837]");
	host = read_processes(0, NULL);
	assert_false(rank_of(host)->memlock_exempt);
	assert_int_equal(rank_of(host)->devices_usable, 0);
	ibc_host_free(host);
}

/* ---- jobs -------------------------------------------------------------------------- */

#define HEX64 "4f1d0b2c3a495867768594a3b2c1d0e0f1e2d3c4b5a69788796a5b4c3d2e1f00"
#define POD   "0b9d2e4c_1d5e_4a52_8f3c_6a0f2f6f5a11"

static void the_control_group_tells_the_job(void **state)
{
	static const char *const groups[][3] = {
		{ "0::/system.slice/slurmstepd.scope/job_42/step_0/user/task_0\n", "slurm", "42" },
		{ "9:cpu:/\n5:memory:/slurm/uid_1000/job_77/step_batch\n", "slurm", "77" },
		{ "0::/pbs_jobs.service/jobid/1234.pbs01\n", "pbs", "1234.pbs01" },
		{ "4:cpuset:/pbspro.slice/pbspro-17.srv.slice\n", "pbs", "17.srv" },
		{ "3:freezer:/lsf/cluster1/job.815.2201.1700000000\n", "lsf", "815" },
		{ "3:cpu:/UGE/321.1\n", "sge", "321.1" },
		{ "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD
		  ".slice/cri-containerd-" HEX64 ".scope\n",
		  "kubernetes", "0b9d2e4c-1d5e-4a52-8f3c-6a0f2f6f5a11" },
		{ "1:cpu:/kubepods/burstable/pod0b9d2e4c-1d5e-4a52-8f3c-6a0f2f6f5a11/" HEX64 "\n",
		  "kubernetes", "0b9d2e4c-1d5e-4a52-8f3c-6a0f2f6f5a11" },
		{ "0::/system.slice/docker-" HEX64 ".scope\n", "docker", "4f1d0b2c3a49" },
		{ "1:cpu:/docker/" HEX64 "\n", "docker", "4f1d0b2c3a49" },
		{ "0::/machine.slice/libpod-" HEX64 ".scope\n", "podman", "4f1d0b2c3a49" },
		{ "0::/system.slice/nerdctl-" HEX64 ".scope\n", "containerd", "4f1d0b2c3a49" },
		{ "0::/system.slice/sshd.service\n", "pgrp", "100" },
		{ "0::/system.slice/slurmd.service\n", "pgrp", "100" },
		{ "0::/podium/docker-4f1d/pod\n", "pgrp", "100" },
		{ "nonsense", "pgrp", "100" },
		{ "", "pgrp", "100" },
	};

	(void)state;
	put_process(RANK, 1, "rank");
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		struct ibc_host *host;

		put(of_process(RANK, "cgroup"), groups[i][0]);
		host = read_processes(0, NULL);
		assert_string_equal(rank_of(host)->job_kind, groups[i][1]);
		assert_string_equal(rank_of(host)->job, groups[i][2]);
		ibc_host_free(host);
	}
}

static void of_many_control_groups_the_one_with_the_job_is_shown(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_process(RANK, 1, "rank");
	put(of_process(RANK, "cgroup"), "9:cpu:/\n5:memory:/slurm/uid_0/job_7/step_1\n0::/init\n");
	host = read_processes(0, NULL);
	assert_string_equal(rank_of(host)->cgroup, "/slurm/uid_0/job_7/step_1");
	ibc_host_free(host);
}

static void without_a_group_the_environment_tells_the_job(void **state)
{
	static const char *const jobs[][3] = {
		{ "SLURM_JOB_ID=8", "slurm", "8" },
		{ "PBS_JOBID=9.srv", "pbs", "9.srv" },
		{ "LSB_JOBID=10", "lsf", "10" },
		{ "JOB_ID=11", "sge", "11" },
		{ "PMIX_NAMESPACE=prterun-n1-5@1", "pmix", "prterun-n1-5@1" },
		{ "SLURM_JOB_ID=", "pgrp", "100" },
	};

	(void)state;
	put_process(RANK, 1, "rank");
	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
		struct ibc_host *host;

		put_bytes(of_process(RANK, "environ"), jobs[i][0], strlen(jobs[i][0]) + 1);
		host = read_processes(0, NULL);
		assert_string_equal(rank_of(host)->job_kind, jobs[i][1]);
		assert_string_equal(rank_of(host)->job, jobs[i][2]);
		assert_int_equal(rank_of(host)->num_settings, 0);
		ibc_host_free(host);
	}
}

static void a_batch_job_in_a_container_is_a_batch_job(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_process(RANK, 1, "rank");
	put(of_process(RANK, "cgroup"), "0::/system.slice/docker-" HEX64 ".scope\n");
	put_texts(RANK, "environ", "PMIX_NAMESPACE=x\0SLURM_JOB_ID=8\0");
	host = read_processes(0, NULL);
	assert_string_equal(rank_of(host)->job_kind, "slurm");
	ibc_host_free(host);
}

static void a_process_group_of_another_pid_namespace_is_no_job(void **state)
{
	struct ibc_host *host;

	(void)state;
	for (int pid = RANK; pid <= RANK + 1; pid++) {
		char stat[128];

		put_process(pid, 1, "rank");
		snprintf(stat, sizeof(stat),
		         "%d (rank) S 1 0 0 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 5\n", pid);
		put(of_process(pid, "stat"), stat);
	}
	host = read_processes(0, NULL);
	assert_string_equal(rank_of(host)->job, "");
	assert_string_equal(rank_of(host)->job_kind, "");
	ibc_host_free(host);
}

/* ---- what it runs ------------------------------------------------------------------ */

#define MAPPED(path) "7f0000000000-7f0000001000 r-xp 00000000 08:01 1234   " path "\n"

static void libraries_tell_what_a_program_is(void **state)
{
	static const struct {
		const char *maps;
		uint32_t program;
	} cases[] = {
		{ MAPPED("/usr/lib/libmpi.so.40.30.6"), IBC_PROGRAM_MPI },
		{ MAPPED("/usr/lib/libmpich.so.12"), IBC_PROGRAM_MPI },
		{ MAPPED("/venv/nvidia/nccl/lib/libnccl.so.2"), IBC_PROGRAM_NCCL },
		{ MAPPED("/usr/lib/libnccl-net.so"), IBC_PROGRAM_NCCL },
		{ MAPPED("/opt/rocm/lib/librccl.so.1"), IBC_PROGRAM_NCCL },
		{ MAPPED("/usr/lib/libucp.so.0") MAPPED("/usr/lib/ucx/libuct_ib.so.0"),
		  IBC_PROGRAM_UCX },
		{ MAPPED("/usr/lib/libfabric.so.1"), IBC_PROGRAM_OFI },
		{ MAPPED("/usr/lib/libibverbs.so.1.14.44.0"), IBC_PROGRAM_VERBS },
		{ MAPPED("/usr/lib/libvma.so.9"), IBC_PROGRAM_BYPASS },
		{ MAPPED("/usr/lib/libxlio.so.3"), IBC_PROGRAM_BYPASS },
		{ MAPPED("/usr/lib/rsocket/librspreload.so.1"), IBC_PROGRAM_BYPASS },
		{ MAPPED("/usr/lib/libtorch_cuda.so"), 0 },
		{ MAPPED("/home/libnccl/rsync") MAPPED("[heap]") "\n\n-", 0 },
	};

	(void)state;
	put_process(RANK, 1, "rank");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ibc_host *host;

		put(of_process(RANK, "maps"), cases[i].maps);
		host = read_processes(0, NULL);
		assert_int_equal(rank_of(host)->program, cases[i].program);
		ibc_host_free(host);
	}
}

static void the_copy_of_libibverbs_is_told_by_its_path(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_process(RANK, 1, "rank");
	put(of_process(RANK, "maps"), MAPPED("/conda/lib/libibverbs.so.1 (deleted)")
	                                  MAPPED("/usr/lib/libibverbs.so.1.14.44.0"));
	host = read_processes(0, NULL);
	assert_string_equal(rank_of(host)->verbs_library, "/conda/lib/libibverbs.so.1");
	ibc_host_free(host);
}

static void a_device_that_is_mapped_counts_when_its_file_is_closed(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_process(RANK, 1, "rank");
	put(of_process(RANK, "maps"),
	    MAPPED("/dev/infiniband/uverbs0") MAPPED("/dev/infiniband/uverbs0")
	        MAPPED("/dev/infiniband/uverbs1"));
	host = read_processes(0, NULL);
	assert_int_equal(rank_of(host)->verbs_files, 2);
	ibc_host_free(host);
	assert_int_equal(unlink(below_root(of_process(RANK, "fd/3"))), 0);
	host = read_processes(RANK, NULL);
	assert_int_equal(rank_of(host)->verbs_files, 2);
	ibc_host_free(host);
}

static void ranks_are_told_by_their_launchers_and_not_by_what_users_tune(void **state)
{
	static const struct {
		const char *text;
		size_t n;
		uint32_t program;
	} cases[] = {
#define ENV(text) text, sizeof(text)
		{ ENV("OMPI_COMM_WORLD_RANK=0\0PATH=/bin"), IBC_PROGRAM_MPI },
		{ ENV("PMI_RANK=3"), IBC_PROGRAM_MPI },
		{ ENV("PMIX_RANK=3"), IBC_PROGRAM_MPI },
		{ ENV("MV2_COMM_WORLD_RANK=0"), IBC_PROGRAM_MPI },
		{ ENV("RANK=0\0WORLD_SIZE=8\0MASTER_ADDR=node1"), IBC_PROGRAM_MPI },
		{ ENV("RANK=captain\0MASTER_ADDR=node1"), 0 },
		{ ENV("NCCL_DEBUG=INFO\0UCX_TLS=all\0OMPI_MCA_pml=ucx"), 0 },
		{ ENV("SLURM_JOB_ID=5"), 0 },
		{ ENV("=\0==\0OMPI_COMM_WORLD_RANK"), 0 },
	};

	(void)state;
	put_process(RANK, 1, "rank");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ibc_host *host;

		put_bytes(of_process(RANK, "environ"), cases[i].text, cases[i].n);
		host = read_processes(0, NULL);
		assert_int_equal(rank_of(host)->program, cases[i].program);
		ibc_host_free(host);
	}
}

static void nccl_inside_of_pytorch_is_told_by_rank_or_thread(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_process(RANK, 1, "python3");
	put(of_process(RANK, "maps"), MAPPED("/venv/torch/lib/libtorch_cuda.so"));
	put_texts(RANK, "environ", "RANK=0\0WORLD_SIZE=8\0MASTER_ADDR=node1");
	host = read_processes(0, NULL);
	assert_int_equal(rank_of(host)->program, IBC_PROGRAM_MPI | IBC_PROGRAM_NCCL);
	ibc_host_free(host);
	put(of_process(RANK, "environ"), "");
	put(of_process(RANK, "maps"), MAPPED("/usr/lib/libcuda.so.550"));
	put(of_process(RANK, "task/100/stat"),
	    "100 (python3) S 1 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 5");
	put(of_process(RANK, "task/101/stat"),
	    "101 (NCCL Progress 0) S 1 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 5");
	host = read_processes(0, NULL);
	assert_int_equal(rank_of(host)->program, IBC_PROGRAM_NCCL);
	ibc_host_free(host);
}

/* ---- what it sees -------------------------------------------------------------------- */

static void devices_are_usable_by_owner_group_or_all(void **state)
{
	static const struct {
		unsigned int mode;
		const char *status;
		unsigned int usable;
	} cases[] = {
		{ 0666, "Uid:\t9\t9\t9\t9\nGid:\t9\t9\t9\t9\n", 1 },
		{ 0600, "Uid:\t9\t9\t9\t9\nGid:\t9\t9\t9\t9\n", 0 },
		{ 0644, "Uid:\t9\t9\t9\t9\nGid:\t9\t9\t9\t9\n", 0 },
		{ 0600, "OWNER", 1 },
		{ 0660, "GROUPS", 1 },
		{ 0606, "GROUPS", 0 },
	};
	struct stat st;
	char status[128];

	(void)state;
	put_process(RANK, 1, "rank");
	put("dev/infiniband/uverbs0", "");
	put("dev/infiniband/rdma_cm", "");
	assert_int_equal(stat(below_root("dev/infiniband/uverbs0"), &st), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ibc_host *host;

		snprintf(status, sizeof(status), "%s", cases[i].status);
		if (!strcmp(status, "OWNER"))
			snprintf(status, sizeof(status), "Uid:\t9\t9\t9\t%u\nGid:\t9\t9\t9\t9\n",
			         st.st_uid);
		if (!strcmp(status, "GROUPS"))
			snprintf(status, sizeof(status),
			         "Uid:\t9\t9\t9\t%u\nGid:\t9\t9\t9\t9\nGroups:\t7 %u 8\n",
			         st.st_uid + 1, st.st_gid);
		put_status(status);
		assert_int_equal(chmod(below_root("dev/infiniband/uverbs0"), cases[i].mode), 0);
		host = read_processes(0, NULL);
		assert_int_equal(rank_of(host)->devices_seen, 1);
		assert_int_equal(rank_of(host)->devices_usable, cases[i].usable);
		assert_false(rank_of(host)->own_root);
		ibc_host_free(host);
	}
}

/* Its parent has not asked for it yet; it has no files, no limits, no environment. */
static void a_zombie_has_ended(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_process(RANK, 1, "rank");
	put(of_process(RANK, "stat"), "100 (rank) Z 1 100 100 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 "
	                              "0 1100 0 0\n");
	host = read_processes(RANK, NULL);
	assert_null(ibc_host_process_by_pid(host, RANK));
	assert_null(ibc_host_unread(host, 0));
	ibc_host_free(host);
}

static void a_container_has_the_devices_it_was_given(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_process(RANK, 1, "rank");
	for (int i = 0; i < 12; i++) {
		char path[64];

		snprintf(path, sizeof(path), "dev/infiniband/uverbs%d", i);
		put(path, "");
	}
	put("containers/one/dev/infiniband/uverbs10", "");
	put("containers/one/dev/infiniband/uverbs2", "");
	put("containers/one/dev/infiniband/uverbs3", "");
	assert_int_equal(chmod(below_root("containers/one/dev/infiniband/uverbs10"), 0666), 0);
	assert_int_equal(chmod(below_root("containers/one/dev/infiniband/uverbs2"), 0666), 0);
	assert_int_equal(chmod(below_root("containers/one/dev/infiniband/uverbs3"), 0), 0);
	put_link(of_process(RANK, "root"), "/containers/one");
	host = read_processes(0, NULL);
	assert_int_equal(rank_of(host)->devices_seen, 3);
	assert_string_equal(rank_of(host)->devices[0], "uverbs2");
	assert_string_equal(rank_of(host)->devices[1], "uverbs10");
	assert_null(rank_of(host)->devices[2]);
	ibc_host_free(host);
}

static void a_container_without_devices_sees_none(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_process(RANK, 1, "rank");
	put("dev/infiniband/uverbs0", "");
	put("containers/one/dev/null", "");
	put_link(of_process(RANK, "root"), "/containers/one");
	host = read_processes(0, NULL);
	assert_true(rank_of(host)->own_root);
	assert_int_equal(rank_of(host)->devices_seen, 0);
	assert_null(rank_of(host)->devices[0]);
	assert_int_equal(rank_of(host)->unread, 0);
	ibc_host_free(host);
}

/* ---- what cannot be read -------------------------------------------------------------- */

static void each_file_that_is_missing_is_a_bit_and_said_once(void **state)
{
	static const struct {
		const char *file;
		uint32_t part;
	} files[] = {
		{ "status", IBC_PROCESS_STATUS },   { "limits", IBC_PROCESS_LIMITS },
		{ "environ", IBC_PROCESS_ENVIRON }, { "maps", IBC_PROCESS_MAPS },
		{ "root", IBC_PROCESS_ROOT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct ibc_host *host;
		char path[64];

		put_process(RANK, 1, "rank");
		put_process(RANK + 1, 1, "rank");
		for (int pid = RANK; pid <= RANK + 1; pid++)
			assert_int_equal(unlink(below_root(of_process(pid, files[i].file))), 0);
		host = read_processes(0, NULL);
		assert_int_equal(rank_of(host)->unread, files[i].part);
		snprintf(path, sizeof(path), "/proc/*/%s", files[i].file);
		assert_string_equal(ibc_host_unread(host, 0)->path, path);
		assert_null(ibc_host_unread(host, 1));
		ibc_host_free(host);
	}
}

static void a_pipe_or_a_directory_in_the_place_of_a_file_is_unread(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_process(RANK, 1, "rank");
	assert_int_equal(unlink(below_root(of_process(RANK, "environ"))), 0);
	assert_int_equal(mkfifo(below_root(of_process(RANK, "environ")), 0644), 0);
	assert_int_equal(unlink(below_root(of_process(RANK, "maps"))), 0);
	assert_int_equal(mkdir(below_root(of_process(RANK, "maps")), 0755), 0);
	host = read_processes(0, NULL);
	assert_int_equal(rank_of(host)->unread, IBC_PROCESS_ENVIRON | IBC_PROCESS_MAPS);
	ibc_host_free(host);
}

static void a_process_that_ended_is_forgotten(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_process(RANK, 1, "rank");
	put_process(RANK + 1, 1, "rank");
	assert_int_equal(unlink(below_root(of_process(RANK, "stat"))), 0);
	host = read_processes(0, NULL);
	assert_null(ibc_host_process_by_pid(host, RANK));
	assert_non_null(ibc_host_process_by_pid(host, RANK + 1));
	ibc_host_free(host);
}

static void an_environment_of_two_megabytes_costs_no_memory(void **state)
{
	static char text[2 << 20];
	struct ibc_host *host;

	(void)state;
	memset(text, 'x', sizeof(text));
	memcpy(text, "LONG=", 5);
	for (size_t i = 100000; i < sizeof(text); i += 100)
		text[i] = '\0';
	memcpy(text + sizeof(text) - 20, "NCCL_IB_DISABLE=1", 18);
	text[sizeof(text) - 21] = '\0';
	put_process(RANK, 1, "rank");
	put_bytes(of_process(RANK, "environ"), text, sizeof(text));
	host = read_processes(0, NULL);
	assert_int_equal(rank_of(host)->num_settings, 1);
	assert_int_equal(rank_of(host)->settings[0].effect, IBC_EFFECT_FORCES_TCP);
	assert_int_equal(rank_of(host)->unread, 0);
	ibc_host_free(host);
}

/* ---- who starts them -------------------------------------------------------------------- */

static void the_nearest_daemon_above_and_those_above_it_have_records(void **state)
{
	const struct ibc_process *rank;
	struct ibc_host *host;

	(void)state;
	put_process(RANK, 90, "rank");
	put_process(90, 80, "bash");
	put_process(80, 70, "slurmstepd");
	put_process(70, 1, "slurmd");
	put(of_process(70, "limits"), "Max locked memory 65536 65536 bytes\n");
	host = read_processes(0, NULL);
	rank = rank_of(host);
	assert_int_equal(rank->daemon->pid, 80);
	assert_int_equal(rank->daemon->daemon->pid, 70);
	assert_int_equal(rank->daemon->daemon->memlock_bytes, 65536);
	assert_int_equal(rank->daemon->program, IBC_PROGRAM_DAEMON);
	assert_null(rank->daemon->daemon->daemon);
	ibc_host_free(host);
}

/* Without sockets or devices. */
static void put_daemon(int pid, int ppid, const char *comm)
{
	put_process(pid, ppid, comm);
	assert_int_equal(unlink(below_root(of_process(pid, "fd/3"))), 0);
}

static void daemons_that_wait_for_jobs_have_records_sessions_have_none(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_daemon(10, 1, "sshd");
	put_daemon(20, 10, "sshd");
	put_daemon(30, 1, "slurmd");
	put_daemon(40, 1, "containerd-shim");
	put_daemon(50, 1, "kubelet");
	put_daemon(60, 1, "bash");
	host = read_processes(0, NULL);
	assert_int_equal(ibc_host_process(host, 0)->pid, 10);
	assert_int_equal(ibc_host_process(host, 1)->pid, 30);
	assert_int_equal(ibc_host_process(host, 2)->pid, 50);
	assert_null(ibc_host_process(host, 3));
	ibc_host_free(host);
}

static void a_process_is_asked_for_with_its_children(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_daemon(10, 1, "slurmd");
	put_daemon(20, 10, "mpirun");
	put_daemon(30, 20, "rank");
	put_process(40, 10, "other");
	put_daemon(50, 1, "sshd");
	host = read_processes(20, NULL);
	assert_int_equal(ibc_host_process(host, 0)->pid, 10);
	assert_int_equal(ibc_host_process(host, 1)->pid, 20);
	assert_int_equal(ibc_host_process(host, 2)->pid, 30);
	assert_null(ibc_host_process(host, 3));
	ibc_host_free(host);
	host = read_processes(4711, NULL);
	assert_null(ibc_host_process(host, 0));
	ibc_host_free(host);
}

static void a_job_is_asked_for_with_the_daemons_above_it(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_daemon(10, 1, "slurmd");
	put_process(RANK, 10, "rank");
	put_process(RANK + 1, 1, "other");
	put_texts(RANK, "environ", "SLURM_JOB_ID=8");
	host = read_processes(0, "8");
	assert_int_equal(ibc_host_process(host, 0)->pid, 10);
	assert_int_equal(ibc_host_process(host, 1)->pid, RANK);
	assert_null(ibc_host_process(host, 2));
	ibc_host_free(host);
}

static void processes_that_descend_from_themselves_end_no_search(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_process(RANK, RANK + 1, "sshd");
	put_process(RANK + 1, RANK, "sshd");
	host = read_processes(0, NULL);
	assert_int_equal(rank_of(host)->daemon->pid, RANK + 1);
	ibc_host_free(host);
	host = read_processes(RANK, NULL);
	assert_non_null(ibc_host_process(host, 1));
	ibc_host_free(host);
}

static void running_out_of_memory_is_an_error_wherever_it_happens(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_daemon(10, 1, "slurmd");
	put_process(RANK, 10, "rank");
	put_texts(RANK, "environ", "NCCL_NET=Socket\0PMI_RANK=0\0HOME=/home/u\0SLURM_JOB_ID=8");
	put_texts(RANK, "cmdline", "mpirun\0--mca\0btl\0tcp,self");
	put(of_process(RANK, "maps"),
	    MAPPED("/usr/lib/libnccl.so.2") MAPPED("/usr/lib/libibverbs.so.1"));
	put("etc/nccl.conf", "NCCL_IB_HCA=mlx5_0\n");
	unlink(below_root(of_process(10, "limits")));
	host = read_failing(IBC_HOST_PROCESSES, NULL);
	assert_int_equal(rank_of(host)->num_settings, 3);
	ibc_host_free(host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_process_is_read_whole),
		TEST(a_name_may_hold_parentheses_blanks_and_what_no_terminal_likes),
		TEST(locked_memory_is_without_limit_or_unread),
		TEST(capabilities_count_in_the_first_user_namespace_only),
		TEST(the_control_group_tells_the_job),
		TEST(of_many_control_groups_the_one_with_the_job_is_shown),
		TEST(without_a_group_the_environment_tells_the_job),
		TEST(a_batch_job_in_a_container_is_a_batch_job),
		TEST(a_process_group_of_another_pid_namespace_is_no_job),
		TEST(libraries_tell_what_a_program_is),
		TEST(the_copy_of_libibverbs_is_told_by_its_path),
		TEST(a_device_that_is_mapped_counts_when_its_file_is_closed),
		TEST(ranks_are_told_by_their_launchers_and_not_by_what_users_tune),
		TEST(nccl_inside_of_pytorch_is_told_by_rank_or_thread),
		TEST(devices_are_usable_by_owner_group_or_all),
		TEST(a_zombie_has_ended),
		TEST(a_container_has_the_devices_it_was_given),
		TEST(a_container_without_devices_sees_none),
		TEST(each_file_that_is_missing_is_a_bit_and_said_once),
		TEST(a_pipe_or_a_directory_in_the_place_of_a_file_is_unread),
		TEST(a_process_that_ended_is_forgotten),
		TEST(an_environment_of_two_megabytes_costs_no_memory),
		TEST(the_nearest_daemon_above_and_those_above_it_have_records),
		TEST(daemons_that_wait_for_jobs_have_records_sessions_have_none),
		TEST(a_process_is_asked_for_with_its_children),
		TEST(a_job_is_asked_for_with_the_daemons_above_it),
		TEST(processes_that_descend_from_themselves_end_no_search),
		TEST(running_out_of_memory_is_an_error_wherever_it_happens),
	};

	return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
