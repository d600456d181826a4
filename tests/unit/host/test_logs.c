/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of logs that tell which transport a program took. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>

#include "base/arena.h"
#include "mkproc.h"

static struct ibc_host *read_logs(const char *pattern)
{
	const char *const logs[] = { pattern };
	const struct ibc_host_opts opts = {
		.root = root, .parts = IBC_HOST_PROCESSES, .logs = logs, .num_logs = 1
	};
	struct ibc_host *host;

	put("etc/hostname", "node1.example.org\n");
	make_dirs("proc/1/x");
	assert_int_equal(ibc_host_read(&opts, &host, NULL), 0);
	return host;
}

static struct ibc_host *read_log(const char *text)
{
	char path[PATH_MAX];

	put("log", text);
	snprintf(path, sizeof(path), "%s", below_root("log"));
	return read_logs(path);
}

#define NCCL "node1:4711:4790 [0] NCCL INFO "

static void each_phrase_tells_tcp_or_rdma(void **state)
{
	static const struct {
		const char *line;
		bool tcp;
		int pid;
	} cases[] = {
		{ NCCL "Using network Socket", true, 4711 },
		{ NCCL "Using network IB", false, 4711 },
		{ NCCL "Using network IBext_v8", false, 4711 },
		{ NCCL "Channel 00/0 : 1[1] -> 0[0] [receive] via NET/Socket/0", true, 4711 },
		{ NCCL "Channel 00/0 : 1[1] -> 0[0] [send] via NET/IB/0/GDRDMA", false, 4711 },
		{ NCCL "NET/IB : No device found.", true, 4711 },
		{ NCCL "NET/Socket : Using [0]ib0:10.1.2.3<0>", true, 4711 },
		{ NCCL "NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB ib0:10.1.2.3<0>", false, 4711 },
		{ NCCL "Assigned NET plugin Socket to comm", true, 4711 },
		{ NCCL "Assigned NET plugin IB to comm", false, 4711 },
		{ "0: 2026-01-31T12:34:56 " NCCL "Using network IB", false, 4711 },
		{ "node1.example.org:7:8 [0] NCCL INFO Using network IB", false, 7 },
		{ "node2:4711:4790 [0] NCCL INFO Using network Socket", true, 0 },
		{ "[1769860000.1] [node1:55:0] ucp_worker.c:1855 UCX INFO  0x1 inter-node cfg#2 "
		  "tag(rc_mlx5/mlx5_0:1 tcp/ib0)",
		  false, 55 },
		{ "[1769860000.1] [node1:55:0] ucp_worker.c:1855 UCX INFO  0x1 inter-node cfg#2 "
		  "tag(tcp/ib0 tcp/eth0)",
		  true, 55 },
		{ "[node1:56] select: component ob1 selected", true, 56 },
		{ "[node1:56] select: component ucx selected", false, 56 },
		{ "[0] MPI startup(): libfabric provider: tcp;ofi_rxm", true, 0 },
		{ "[0] MPI startup(): libfabric provider: mlx", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ibc_host *host = read_log(cases[i].line);

		assert_non_null(ibc_host_log_line(host, 0));
		assert_int_equal(ibc_host_log_line(host, 0)->tcp, cases[i].tcp);
		assert_int_equal(ibc_host_log_line(host, 0)->pid, cases[i].pid);
		assert_string_equal(ibc_host_log_line(host, 0)->text, cases[i].line);
		assert_int_equal(ibc_host_log_line(host, 0)->line, 1);
		ibc_host_free(host);
	}
}

static void what_is_normal_tells_nothing(void **state)
{
	static const char *const lines[] = {
		NCCL "Bootstrap : Using ib0:10.1.2.3<0>",
		NCCL "Channel 00 : 0[0] -> 1[1] via P2P/IPC",
		NCCL "Using network MyPlugin",
		"ucp_worker.c:1855 UCX INFO 0x1 intra-node cfg#1 tag(tcp/lo)",
		"ucp_worker.c:1855 UCX INFO 0x1 inter-node cfg#1 tag(sysv/memory)",
		"",
		"\001\002\003",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct ibc_host *host = read_log(lines[i]);

		assert_null(ibc_host_log_line(host, 0));
		assert_int_equal(unread_of(host, "log"), 0);
		ibc_host_free(host);
	}
}

static void a_line_is_kept_once_for_each_process(void **state)
{
	struct ibc_host *host = read_log(NCCL "Using network IB\n\n" NCCL "Using network IB\n"
	                                      "node1:9:9 [1] NCCL INFO Using network IB\n");

	(void)state;
	assert_int_equal(ibc_host_log_line(host, 0)->line, 1);
	assert_int_equal(ibc_host_log_line(host, 1)->line, 4);
	assert_int_equal(ibc_host_log_line(host, 1)->pid, 9);
	assert_null(ibc_host_log_line(host, 2));
	ibc_host_free(host);
}

static void of_a_long_log_the_beginning_and_the_end_are_read(void **state)
{
	static const char *const lines[] = { NCCL "Using network IB\n", NCCL "via NET/Socket/0\n",
		                             "node1:9:9 [1] NCCL INFO Using network Socket\n" };
	char path[PATH_MAX];
	struct ibc_host *host;
	FILE *f;

	(void)state;
	put("log", "");
	snprintf(path, sizeof(path), "%s", below_root("log"));
	f = fopen(path, "w");
	assert_non_null(f);
	for (size_t i = 0; i < 3; i++) {
		fputs(lines[i], f);
		for (size_t j = 0; i < 2 && j < 100000; j++)
			fputs(
			    "a line that tells nothing at all of what this is about, and is long\n",
			    f);
	}
	assert_int_equal(fclose(f), 0);
	host = read_logs(path);
	assert_int_equal(ibc_host_log_line(host, 0)->line, 1);
	assert_int_equal(ibc_host_log_line(host, 1)->line, 0);
	assert_int_equal(ibc_host_log_line(host, 1)->pid, 9);
	assert_null(ibc_host_log_line(host, 2));
	ibc_host_free(host);
}

static void patterns_name_many_and_what_is_no_file_is_refused(void **state)
{
	char path[PATH_MAX];
	struct ibc_host *host;
	int watch;

	(void)state;
	put("logs/a.out", NCCL "Using network IB\n");
	put("logs/b.out", NCCL "Using network Socket\n");
	assert_int_equal(mkfifo(below_root("logs/c.out"), 0644), 0);
	watch = watch_open("logs/c.out");
	snprintf(path, sizeof(path), "%s", below_root("logs/*.out"));
	host = read_logs(path);
	assert_false(was_opened(watch));
	assert_non_null(strstr(ibc_host_log_line(host, 0)->path, "a.out"));
	assert_true(ibc_host_log_line(host, 1)->tcp);
	assert_int_equal(unread_of(host, "c.out"), EINVAL);
	ibc_host_free(host);
	snprintf(path, sizeof(path), "%s", below_root("logs/*.none"));
	host = read_logs(path);
	assert_int_equal(unread_of(host, "logs/*.none"), ENOENT);
	ibc_host_free(host);
}

/* ---- how old it is ------------------------------------------------------------------ */

#define BOOT 1700000000 /* seconds since 1970 */

/* A log of process 4711 that was written so many seconds after the host started. */
static int pid_of_log(const char *stat, long seconds)
{
	struct timespec times[2] = { { .tv_sec = BOOT + seconds }, { .tv_sec = BOOT + seconds } };
	char path[PATH_MAX];
	struct ibc_host *host;
	int pid;

	put_process(4711, 1, "rank");
	put("proc/stat", stat);
	put("log", NCCL "Using network Socket\n");
	snprintf(path, sizeof(path), "%s", below_root("log"));
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	host = read_logs(path);
	pid = ibc_host_log_line(host, 0)->pid;
	ibc_host_free(host);
	return pid;
}

static void a_log_older_than_a_process_is_of_another_that_had_its_number(void **state)
{
	static const char stat[] = "cpu 1 2 3\nbtime 1700000000\nprocesses 9\n";
	/* put_stat(): it started 1000 + PID ticks after the host */
	long started = (1000 + 4711) / sysconf(_SC_CLK_TCK);

	(void)state;
	assert_int_equal(pid_of_log(stat, started + 5), 4711);
	assert_int_equal(pid_of_log(stat, started - 5), 4711); /* clocks differ */
	assert_int_equal(pid_of_log(stat, started - 120), 0);
	assert_int_equal(pid_of_log("cpu 1 2 3\n", started - 120), 4711); /* nobody can tell */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_phrase_tells_tcp_or_rdma),
		TEST(what_is_normal_tells_nothing),
		TEST(a_line_is_kept_once_for_each_process),
		TEST(of_a_long_log_the_beginning_and_the_end_are_read),
		TEST(patterns_name_many_and_what_is_no_file_is_refused),
		TEST(a_log_older_than_a_process_is_of_another_that_had_its_number),
	};

	return cmocka_run_group_tests_name("logs", tests, NULL, NULL);
}
