/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKPROC_H
#define MKPROC_H

/* Processes below the root of a test.  Include it after <cmocka.h>. */
#include <sys/inotify.h>

#include "mkroot.h"

static inline void put_bytes(const char *path, const char *bytes, size_t n)
{
	FILE *f;

	put(path, "");
	f = fopen(below_root(path), "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static inline const char *of_process(int pid, const char *file)
{
	static char path[256];

	snprintf(path, sizeof(path), "proc/%d/%s", pid, file);
	return path;
}

static inline void put_link(const char *path, const char *target)
{
	make_dirs(path);
	unlink(below_root(path));
	assert_int_equal(symlink(target, below_root(path)), 0);
}

static inline void put_stat(int pid, int ppid, const char *comm)
{
	char text[512];

	snprintf(text, sizeof(text),
	         "%d (%s) S %d %d %d 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 %d 1000 10 0\n", pid,
	         comm, ppid, pid, pid, 1000 + pid);
	put(of_process(pid, "stat"), text);
}

#define MEMLOCK_8M                                                                                 \
	"Limit                     Soft Limit           Hard Limit           Units     \n"         \
	"Max cpu time              unlimited            unlimited            seconds   \n"         \
	"Max locked memory         8388608              8388608              bytes     \n"         \
	"Max address space         unlimited            unlimited            bytes     \n"

/* A process of uid 1000 that has uverbs0 open, as far as it is not laid out otherwise. */
static inline void put_process(int pid, int ppid, const char *comm)
{
	put_stat(pid, ppid, comm);
	put(of_process(pid, "status"), "Name:\trank\nUid:\t1000\t1000\t1000\t1000\n"
	                               "Gid:\t100\t100\t100\t100\nGroups:\t100 200\n"
	                               "VmPin:\t    2048 kB\nCapEff:\t0000000000000000\n");
	put(of_process(pid, "limits"), MEMLOCK_8M);
	put(of_process(pid, "cgroup"), "0::/user.slice/user-1000.slice/session-4.scope\n");
	put(of_process(pid, "environ"), "");
	put(of_process(pid, "cmdline"), "");
	put(of_process(pid, "maps"), "");
	put_link(of_process(pid, "root"), "/");
	put_link(of_process(pid, "fd/3"), "/dev/infiniband/uverbs0");
}

/* Texts with a NUL behind each, the last one too. */
#define put_texts(pid, file, texts) put_bytes(of_process(pid, file), texts, sizeof(texts))

static inline struct ibc_host *read_processes(int pid, const char *job)
{
	const struct ibc_host_opts opts = {
		.root = root, .parts = IBC_HOST_PROCESSES, .pid = pid, .job = job
	};
	struct ibc_host *host;

	assert_int_equal(ibc_host_read(&opts, &host, NULL), 0);
	return host;
}

/* errno of the path that ends so, 0 if it is not among the unread. */
static inline int unread_of(const struct ibc_host *host, const char *end)
{
	const struct ibc_unread *u;

	for (size_t i = 0; (u = ibc_host_unread(host, i)); i++)
		if (strlen(u->path) >= strlen(end) &&
		    !strcmp(u->path + strlen(u->path) - strlen(end), end))
			return u->error;
	return 0;
}

/* Watches whether a file is opened; to be given to was_opened(), once. */
static inline int watch_open(const char *path)
{
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	assert_true(watch >= 0);
	assert_true(inotify_add_watch(watch, below_root(path), IN_OPEN) >= 0);
	return watch;
}

static inline bool was_opened(int watch)
{
	char event[1024];
	ssize_t n = read(watch, event, sizeof(event));

	close(watch);
	return n > 0;
}

static inline const struct ibc_setting *setting_of(const struct ibc_process *process,
                                                   const char *name)
{
	for (size_t i = 0; i < process->num_settings; i++)
		if (!strcmp(process->settings[i].name, name))
			return &process->settings[i];
	return NULL;
}

#endif
