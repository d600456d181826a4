/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * logs MB KIND: writes the output of a job of that size, reads it, and tells as one line of JSON
 * what that took.  KIND: text, 5% (of its lines are of one of the forms), words (that begin a form,
 * in lines that have none), line (one of all those words), newlines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <ibcheck/joblog.h>

#define BLOCK (4 << 20)

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int put_line(char *to, size_t room, const char *kind, unsigned int i)
{
	if (!strcmp(kind, "newlines"))
		return snprintf(to, room, "\n");
	if (!strcmp(kind, "words") || !strcmp(kind, "line"))
		return snprintf(to, room, *kind == 'w' ? "mlx5_core\n" : "NET/IB");
	if (!strcmp(kind, "5%") && i % 20 == 0)
		return snprintf(
		    to, room,
		    "[rank%u]: 2026-03-03T12:%02u:%02u node%03u:%u:%u [%u] net_ib.cc:1296 "
		    "NCCL WARN NET/IB: Got completion from peer 10.2.%u.%u<33092> with "
		    "status=12 opcode=129 len=1048576 vendor err 129 (Recv) localGid "
		    "fe80::5e:%x remoteGids fe80::5e:%x hca mlx5_%u\n",
		    i % 512, i % 60, i % 59, i % 64, 5000 + i % 512, 9000 + i % 512, i % 8, i % 4,
		    i % 250, i % 512, i * 7 % 512, i % 8);
	return snprintf(
	    to, room,
	    "[rank%u]: 2026-03-03 12:%02u:%02u,%03u INFO step=%u loss=%.4f grad_norm %u "
	    "all_gather took %u.%02u ms\n",
	    i % 512, i % 60, i % 59, i % 1000, i, 1.0 / (1 + i % 977), i * 31 % 4096, i % 90,
	    i % 97);
}

static void write_log(const char *path, size_t bytes, const char *kind)
{
	static char block[BLOCK];
	FILE *out = fopen(path, "w");
	size_t n = 0;

	for (unsigned int i = 0; n + 512 < sizeof(block); i++)
		n += (size_t)put_line(block + n, sizeof(block) - n, kind, i);
	for (size_t done = 0; out && done < bytes; done += n)
		if (fwrite(block, 1, n, out) != n)
			exit(3);
	if (!out || fclose(out))
		exit(3);
}

int main(int argc, char **argv)
{
	char path[] = "/tmp/ibcheck-bench-log.XXXXXX";
	const char *const paths[] = { path };
	struct ibc_joblog *log;
	struct rusage use;
	double start, cpu;

	if (argc != 3 || close(mkstemp(path)))
		return 3;
	write_log(path, strtoul(argv[1], NULL, 10) << 20, argv[2]);
	start = now(CLOCK_MONOTONIC);
	cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	if (ibc_joblog_read(paths, 1, NULL, &log, NULL))
		return 3;
	start = now(CLOCK_MONOTONIC) - start;
	cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	unlink(path);
	getrusage(RUSAGE_SELF, &use);
	printf("{\"bytes\":%llu,\"lines\":%llu,\"events\":%zu,\"wall_s\":%.6f,\"cpu_s\":%.6f,"
	       "\"rss_kb\":%ld}\n",
	       (unsigned long long)log->bytes, (unsigned long long)log->lines, log->num, start, cpu,
	       use.ru_maxrss);
	ibc_joblog_free(log);
	return 0;
}
