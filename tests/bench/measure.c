/* SPDX-License-Identifier: BSD-2-Clause */

/* Runs a command, its output to /dev/null: one line of JSON about time and memory on stderr. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double start = now();
	struct rusage use;
	int status;

	if (argc < 2)
		return 3;
	if (fork() == 0) {
		dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	wait4(-1, &status, 0, &use);
	fprintf(stderr,
	        "{\"wall_s\":%.6f,\"user_s\":%.6f,\"sys_s\":%.6f,\"rss_kb\":%ld,\"status\":%d}\n",
	        now() - start, seconds(&use.ru_utime), seconds(&use.ru_stime), use.ru_maxrss,
	        WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	return 0;
}
