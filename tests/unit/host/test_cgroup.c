/* SPDX-License-Identifier: BSD-2-Clause */
/* What control groups keep a process from, as their files and the devices tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mkproc.h"

#define RANK   100
#define JOB    "slurm/uid_1000/job_42"
#define OBJECT "hca_object"

#define MAPPED(path) "7f0000000000-7f0000001000 r-xp 00000000 08:01 1234   " path "\n"

/* A rank of that job, which sees uverbs0 and rdma_cm; its group, with cgroup.procs in it. */
static void put_rank(const char *group)
{
	put_process(RANK, 1, "rank");
	put(of_process(RANK, "maps"), MAPPED("/usr/lib/libibverbs.so.1.14.44.0"));
	put(of_process(RANK, "cgroup"), group);
	put("dev/infiniband/uverbs0", "");
	put("dev/infiniband/rdma_cm", "");
	for (const char *const *file =
	         (const char *const[]){ "dev/infiniband/uverbs0", "dev/infiniband/rdma_cm", NULL };
	     *file; file++)
		assert_int_equal(chmod(below_root(*file), 0666), 0);
}

static const struct ibc_process *rank_of(const struct ibc_host *host)
{
	const struct ibc_process *process = ibc_host_process_by_pid(host, RANK);

	assert_non_null(process);
	return process;
}

/* ---- the connection manager ---------------------------------------------------------------- */

static void the_manager_is_open_forbidden_or_not_there(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_rank("0::/\n");
	host = read_processes(0, NULL);
	assert_int_equal(rank_of(host)->manager, IBC_ACCESS_OPEN);
	assert_int_equal(rank_of(host)->devices_seen, 1);
	ibc_host_free(host);
	assert_int_equal(chmod(below_root("dev/infiniband/rdma_cm"), 0), 0);
	put(of_process(RANK, "status"), "Uid:\t9\t9\t9\t9\nGid:\t9\t9\t9\t9\n");
	host = read_processes(0, NULL);
	assert_int_equal(rank_of(host)->manager, IBC_ACCESS_FORBIDDEN);
	assert_int_equal(rank_of(host)->devices_usable, 1);
	ibc_host_free(host);
	assert_int_equal(unlink(below_root("dev/infiniband/rdma_cm")), 0);
	host = read_processes(0, NULL);
	assert_int_equal(rank_of(host)->manager, IBC_ACCESS_MISSING);
	ibc_host_free(host);
}

static void each_process_has_the_manager_of_its_own_root(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_rank("0::/\n");
	put("containers/one/dev/infiniband/uverbs0", "");
	put_link(of_process(RANK, "root"), "/containers/one");
	put_process(RANK + 1, 1, "rank");
	host = read_processes(0, NULL);
	assert_int_equal(rank_of(host)->manager, IBC_ACCESS_MISSING);
	assert_int_equal(rank_of(host)->devices_seen, 1);
	assert_int_equal(ibc_host_process_by_pid(host, RANK + 1)->manager, IBC_ACCESS_OPEN);
	ibc_host_free(host);
}

static void librdmacm_is_told_by_its_name(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_rank("0::/\n");
	put(of_process(RANK, "maps"), MAPPED("/usr/lib/librdmacm.so.1.3.44.0"));
	host = read_processes(0, NULL);
	assert_int_equal(rank_of(host)->program, IBC_PROGRAM_RDMACM);
	ibc_host_free(host);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void expect_limit(const struct ibc_host *host, size_t i, const char *group,
                         const char *resource, uint64_t max, uint64_t used)
{
	const struct ibc_rdma_limit *limit = ibc_host_rdma_limit(host, i);

	assert_non_null(limit);
	assert_string_equal(limit->group, group);
	assert_string_equal(limit->device, "mlx5_0");
	assert_string_equal(limit->resource, resource);
	assert_int_equal(limit->max, max);
	assert_int_equal(limit->used, used);
}

/* A file of a group below a mount. */
static void put_group(const char *group, const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "sys/fs/cgroup/%s/cgroup.procs", group);
	put(path, "");
	snprintf(path, sizeof(path), "sys/fs/cgroup/%s/%s", group, file);
	put(path, text);
}

static void limits_are_of_its_group_and_of_those_above(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_rank("0::/a/b/c\n");
	put_group("a/b/c", "rdma.max",
	          "mlx5_0 hca_handle=2 hca_object=max\nmlx5_1 hca_handle=max hca_object=max\n");
	put_group("a/b/c", "rdma.current",
	          "mlx5_01 hca_handle=9 hca_object=9\nmlx5_0 hca_handle=1 hca_object=20\n");
	put_group("a/b", "cpu.max", "max 100000\n");
	put_group("a", "rdma.max", "mlx5_0 hca_handle=0 hca_object=100\n");
	host = read_processes(0, NULL);
	assert_string_equal(rank_of(host)->rdma_group, "/a/b/c");
	expect_limit(host, 0, "/a/b/c", "hca_handle", 2, 1);
	expect_limit(host, 1, "/a", "hca_handle", 0, 0);
	expect_limit(host, 2, "/a", OBJECT, 100, 0);
	assert_null(ibc_host_rdma_limit(host, 3));
	assert_null(ibc_host_unread(host, 0));
	ibc_host_free(host);
}

static void a_group_of_many_is_read_once(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_rank("0::/a/b\n");
	put_process(RANK + 1, 1, "rank");
	put(of_process(RANK + 1, "maps"), MAPPED("/usr/lib/libibverbs.so.1.14.44.0"));
	put(of_process(RANK + 1, "cgroup"), "0::/a/other/\n");
	put_group("a/b", "rdma.max", "mlx5_0 hca_object=7\n");
	put_group("a/other", "rdma.max", "mlx5_0 hca_object=8\n");
	put_group("a", "rdma.max", "mlx5_0 hca_object=9\n");
	host = read_processes(0, NULL);
	expect_limit(host, 0, "/a/b", OBJECT, 7, 0);
	expect_limit(host, 1, "/a", OBJECT, 9, 0);
	expect_limit(host, 2, "/a/other", OBJECT, 8, 0);
	assert_null(ibc_host_rdma_limit(host, 3));
	assert_string_equal(ibc_host_process_by_pid(host, RANK + 1)->rdma_group, "/a/other");
	ibc_host_free(host);
}

static void groups_of_version_1_are_left_out(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_rank("7:rdma:/job\n11:devices:/" JOB "\n0::/init.scope\n");
	put_group("rdma/job", "rdma.max", "mlx5_0 hca_handle=max hca_object=5\n");
	put_group("unified/init.scope", "rdma.max", "mlx5_0 hca_handle=3\n");
	host = read_processes(0, NULL);
	expect_limit(host, 0, "/init.scope", "hca_handle", 3, 0);
	assert_null(ibc_host_rdma_limit(host, 1));
	ibc_host_free(host);
}

static void limits_that_are_none_are_none(void **state)
{
	static const char *const files[] = { "",
		                             "mlx5_0",
		                             "mlx5_0 hca_object=\n",
		                             "\001=\n\n=5 x",
		                             "mlx5_0 hca_object=max\n",
		                             "mlx5_0 hca_objects 5\n" };

	(void)state;
	put_rank("0::/a\n");
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct ibc_host *host;

		put_group("a", "rdma.max", files[i]);
		host = read_processes(0, NULL);
		assert_null(ibc_host_rdma_limit(host, 0));
		assert_null(ibc_host_unread(host, 0));
		ibc_host_free(host);
	}
}

static void limits_that_cannot_be_read_are_said_to_be_so(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_rank("0::/a\n");
	put_group("a/rdma.max", "x", "");
	put_group("a", "cpu.max", "");
	host = read_processes(0, NULL);
	assert_null(ibc_host_rdma_limit(host, 0));
	assert_int_equal(unread_of(host, "a/rdma.max"), EINVAL);
	ibc_host_free(host);
}

static void a_file_without_end_is_read_to_a_thousand_lines(void **state)
{
	static char text[200000];
	struct ibc_host *host;

	(void)state;
	for (size_t i = 0; i + 20 < sizeof(text); i += 20)
		memcpy(text + i, "mlx5_0 hca_object=9\n", 20);
	put_rank("0::/a\n");
	put_group("a", "rdma.max", text);
	host = read_processes(0, NULL);
	expect_limit(host, 1023, "/a", OBJECT, 9, 0);
	assert_null(ibc_host_rdma_limit(host, 1024));
	ibc_host_free(host);
}

static void running_out_of_memory_is_an_error_wherever_it_happens(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_rank("11:devices:/" JOB "\n0::/a/b\n");
	put_group("a/b", "rdma.max", "mlx5_0 hca_handle=2 hca_object=9\n");
	host = read_failing(IBC_HOST_PROCESSES, NULL);
	assert_non_null(ibc_host_rdma_limit(host, 1));
	ibc_host_free(host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_manager_is_open_forbidden_or_not_there),
		TEST(each_process_has_the_manager_of_its_own_root),
		TEST(librdmacm_is_told_by_its_name),
		TEST(limits_are_of_its_group_and_of_those_above),
		TEST(a_group_of_many_is_read_once),
		TEST(groups_of_version_1_are_left_out),
		TEST(limits_that_are_none_are_none),
		TEST(limits_that_cannot_be_read_are_said_to_be_so),
		TEST(a_file_without_end_is_read_to_a_thousand_lines),
		TEST(running_out_of_memory_is_an_error_wherever_it_happens),
	};

	return cmocka_run_group_tests_name("cgroup", tests, NULL, NULL);
}
