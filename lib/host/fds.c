/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whose sockets are those on IPoIB, and who holds RDMA devices open: one walk over
 * /proc/PID/fd, which is the only place that has it.  Processes of which that is true get
 * a record; what else is known of them is read later.
 *
 * A descriptor can be shared: the lowest PID of those that hold it is its owner.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/host.h"

#define TARGET_BYTES 64 /* "/dev/infiniband/uverbs12" and "socket:[...]" are shorter */
#define VERBS_DEVICE "/dev/infiniband/uverbs"

static int by_inode(const void *key, const void *item)
{
	uint64_t inode = *(const uint64_t *)key;
	const struct ibc_socket *socket = *(void *const *)item;

	return (inode > socket->inode) - (inode < socket->inode);
}

static struct ibc_socket *socket_of(const struct ibc_host *host, const char *target)
{
	unsigned long long number;
	uint64_t inode;

	if (!host->sockets.n || sscanf(target, "socket:[%llu]", &number) != 1)
		return NULL;
	inode = number;
	return host_find(&host->sockets, &inode, by_inode);
}

struct ibc_process *host_process(struct ibc_host *host, int pid)
{
	struct ibc_process *process = (struct ibc_process *)ibc_host_process_by_pid(host, pid);

	if (process)
		return process;
	process = host_new(host, &host->processes, sizeof(*process));
	*process = (struct ibc_process){ .pid = pid,
		                         .comm = "",
		                         .exe = "",
		                         .cgroup = "",
		                         .job = "",
		                         .job_kind = "",
		                         .verbs_library = "",
		                         .verbs_other = "",
		                         .rdma_group = "" };
	/* to its place, which mostly is the last */
	for (size_t i = host->processes.n; i-- > 1 && !host->out_of_memory;) {
		void **at = &host->processes.items[i];

		if (((struct ibc_process *)at[-1])->pid < pid)
			break;
		at[0] = at[-1];
		at[-1] = process;
	}
	return process;
}

static void take_descriptor(struct ibc_host *host, int pid, const char *target)
{
	struct ibc_socket *socket = socket_of(host, target);

	if (socket && !socket->pid) {
		socket->pid = pid;
		host_process(host, pid);
	}
	if (strncmp(target, VERBS_DEVICE, strlen(VERBS_DEVICE)) != 0)
		return;
	host_process(host, pid)->verbs_files++;
}

/* 0 or errno; a process that ended meanwhile has no descriptors. */
static int walk_descriptors(struct ibc_host *host, const struct dir *proc, int pid)
{
	char path[32], target[TARGET_BYTES];
	const struct dirent *entry;
	DIR *fds;
	int fd, error;

	snprintf(path, sizeof(path), "%d/fd", pid);
	fd = openat(proc->fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fds = fd < 0 ? NULL : fdopendir(fd);
	if (!fds) {
		error = errno;
		if (fd >= 0)
			close(fd);
		return error;
	}
	while ((entry = next_entry(fds, &error)))
		if (read_link(fd, entry->d_name, target, sizeof(target)))
			take_descriptor(host, pid, target);
	closedir(fds);
	return error;
}

void host_read_fds(struct ibc_host *host)
{
	struct pids pids = list_pids(host);
	struct dir proc = open_path(host, "/proc", true);

	for (size_t i = 0; proc.fd >= 0 && i < pids.n; i++) {
		int error = walk_descriptors(host, &proc, pids.items[i]);

		if (error == EACCES || error == EPERM)
			add_denied(host, &proc, pids.items[i]);
		else if (error && error != ENOENT && error != ESRCH)
			note_unread(host, host_text(host, "/proc/%d/fd", pids.items[i]), error);
	}
	close_dir(&proc);
	if (!host->denied.n)
		return;
	note_unread(host, "/proc/*/fd", EACCES);
	/* without an owner that was found: the kernel's own, or of one who was not readable */
	for (size_t i = 0; i < host->sockets.n; i++) {
		struct ibc_socket *socket = host->sockets.items[i];

		socket->owner_unread = !socket->pid && may_be_denied(host, socket);
	}
}
