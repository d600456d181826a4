/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Runs a command, its output to /dev/null: one line of JSON about time and memory on stderr.
 * Without a command: what memory and the kernel cost on this host.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
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

static int print_host(void)
{
	enum { PAGES = 16384, CALLS = 100000, PAGE = 4096 };
	char *pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
	                   -1, 0);
	double start = now(), touched;

	if (pages == MAP_FAILED)
		return 3;
	for (size_t i = 0; i < PAGES; i++)
		pages[i * PAGE] = 1;
	touched = now();
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	printf("The first touch of a page takes %.2g µs here, a system call %.2g µs.\n",
	       (touched - start) * 1e6 / PAGES, (now() - touched) * 1e6 / CALLS);
	return 0;
}

int main(int argc, char **argv)
{
	double start = now();
	struct rusage use;
	int status;

	if (argc < 2)
		return print_host();
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
