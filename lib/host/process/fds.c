/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whose sockets are those on IPoIB, and who holds RDMA devices open: one walk over
 * /proc/PID/fd, which is the only place that has it.  Processes of which that is true get
 * a record; what else is known of them is read later.
 *
 * A descriptor can be shared: the lowest PID of those that hold it is its owner.  Of processes
 * whose descriptors may not be looked at it is kept what their sockets are known by.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "host/process/process.h"

#define TARGET_BYTES 64 /* "/dev/infiniband/uverbs12" and "socket:[...]" are shorter */
#define VERBS_DEVICE "/dev/infiniband/uverbs"
#define UIDS         4 /* real, effective, saved, of file systems */

static int by_inode(const void *key, const void *item)
{
	const struct ibc_socket *socket = *(void *const *)item;

	return order_u64(*(const uint64_t *)key, socket->inode);
}

struct ibc_process *host_process(struct ibc_host *host, int pid)
{
	struct ibc_process *process = (struct ibc_process *)ibc_host_process_by_pid(host, pid);

	if (process)
		return process;
	process = host_new(host, &host->processes, sizeof(*process));
	process->pid = pid;
	process->comm = process->exe = process->cgroup = process->rdma_group = "";
	process->job = process->job_kind = process->verbs_library = process->verbs_other = "";
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
	struct ibc_socket *socket = NULL;
	unsigned long long number;
	uint64_t inode;

	if (host->sockets.n && sscanf(target, "socket:[%llu]", &number) == 1) {
		inode = number;
		socket = host_find(&host->sockets, &inode, by_inode);
	}
	if (socket && !socket->pid) {
		socket->pid = pid;
		host_process(host, pid);
	}
	if (text_after(target, VERBS_DEVICE))
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
	fds = entries_of(fd);
	if (!fds)
		return errno;
	while ((entry = next_entry(fds, &error)))
		if (read_link(fd, entry->d_name, target, sizeof(target)))
			take_descriptor(host, pid, target);
	closedir(fds);
	return error;
}

/* ---- descriptors that may not be looked at --------------------------------------------- */

/* struct holder - what sockets of a process are known by; @cgroup: 0: not known */
struct holder {
	unsigned int uids[UIDS];
	bool uids_known;
	uint64_t cgroup;
};

/* Most of those that may not be looked into are of few users and few groups. */
void add_denied(struct ibc_host *host, const struct dir *proc, int pid)
{
	struct holder holder = { .cgroup = 0 }, *kept;
	char file[32], full[CGROUP_PATH_BYTES];
	unsigned int *u = holder.uids;
	const char *text = NULL;
	struct stream s;
	struct stat st;

	/* both files are open to everybody */
	snprintf(file, sizeof(file), "%d/status", pid);
	if (stream_open(&s, proc->fd, file, '\n'))
		return; /* it has ended */
	while (!holder.uids_known && stream_next(&s)) {
		text = text_after(s.item, "Uid:");
		holder.uids_known = text &&
		                    sscanf(text, "%u %u %u %u", &u[0], &u[1], &u[2], &u[3]) == UIDS;
	}
	stream_close(&s);
	snprintf(file, sizeof(file), "%d/cgroup", pid);
	stream_open(&s, proc->fd, file, '\n');
	text = NULL;
	while (!text && stream_next(&s))
		text = cgroup_of(s.item);
	/* the inode of the directory is the id of the group (Linux, kernfs) */
	if (text && cgroup_dir(host, text, full) && !stat(full, &st))
		holder.cgroup = st.st_ino;
	stream_close(&s);
	for (size_t i = 0; i < host->denied.n; i++) {
		kept = host->denied.items[i];
		if (kept->uids_known == holder.uids_known && kept->cgroup == holder.cgroup &&
		    !memcmp(kept->uids, holder.uids, sizeof(holder.uids)))
			return;
	}
	kept = host_new(host, &host->denied, sizeof(*kept));
	*kept = holder;
}

bool may_be_denied(const struct ibc_host *host, const struct ibc_socket *socket)
{
	for (size_t i = 0; i < host->denied.n; i++) {
		const struct holder *h = host->denied.items[i];
		bool same_user = !h->uids_known;

		for (size_t k = 0; k < UIDS; k++)
			same_user |= h->uids[k] == socket->uid;
		if (same_user && (!h->cgroup || !socket->cgroup || h->cgroup == socket->cgroup))
			return true;
	}
	return false;
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
