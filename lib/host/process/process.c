/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who those processes are that have sockets on IPoIB or RDMA resources: identity, limits,
 * job, libraries, settings, and the devices they could open; and the daemons that start
 * them, whose limits they inherit.
 *
 * All is read through one descriptor of /proc/PID, so that it is of one process.  What may
 * not be read is a bit in its record; one that ends meanwhile is forgotten with its sockets.
 * A read takes time in proportion to the files, and memory to what is kept.
 */
#include "host/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/net/netns.h"

#define CAP_DAC_OVERRIDE 1                   /* capabilities(7), linux/capability.h */
#define CAP_IPC_LOCK     14                  /* ... may lock memory beyond its limit */
#define FIRST_USER_NS    "user:[4026531837]" /* Linux: PROC_USER_INIT_INO */

/* Takes note of an error, once for all processes, and of what is not known without it. */
static void note_lack(struct proc_reader *r, const char *file, int error, uint32_t part)
{
	r->process->unread |= part;
	note_unread_once(r->host, host_text(r->host, "/proc/*/%s", file), error);
}

/* ---- status, limits ---------------------------------------------------------------- */

/* In a user namespace of its own, capabilities are none for devices and locked memory. */
static void take_capabilities(struct proc_reader *r, const char *text)
{
	uint64_t set = strtoull(text, NULL, 16);
	char target[64];

	if (!set || (read_link(r->dir.fd, "ns/user", target, sizeof(target)) &&
	             strcmp(target, FIRST_USER_NS) != 0))
		return;
	r->process->memlock_exempt = set >> CAP_IPC_LOCK & 1;
	r->credentials.overrides = set >> CAP_DAC_OVERRIDE & 1;
}

static void take_status(struct proc_reader *r)
{
	struct credentials *who = &r->credentials;
	const char *line = r->stream.item, *text;
	unsigned int effective, fs;
	int length;

	if ((text = text_after(line, "Uid:")) &&
	    sscanf(text, "%*u %u %*u %u", &effective, &fs) == 2) {
		r->process->uid = effective;
		who->uid = fs;
	} else if ((text = text_after(line, "Gid:"))) {
		sscanf(text, "%*u %*u %*u %u", &who->gid);
	} else if ((text = text_after(line, "Groups:"))) {
		while (who->num_groups < GROUPS_MAX &&
		       sscanf(text, "%u%n", &who->groups[who->num_groups], &length) == 1) {
			who->num_groups++;
			text += length;
		}
	} else if ((text = text_after(line, "VmPin:"))) {
		r->process->pinned_bytes = strtoull(text, NULL, 10) * 1024;
	} else if ((text = text_after(line, "CapEff:"))) {
		take_capabilities(r, text);
	}
}

/* "Max locked memory         8388608              8388608              bytes" */
static void take_limit(struct proc_reader *r)
{
	const char *soft = text_after(r->stream.item, "Max locked memory");
	unsigned long long bytes;

	if (!soft)
		return;
	soft += strspn(soft, " ");
	if (text_after(soft, "unlimited"))
		r->process->memlock_bytes = IBC_UNLIMITED;
	else if (sscanf(soft, "%llu", &bytes) == 1)
		r->process->memlock_bytes = bytes;
	else
		return;
	r->process->unread &= ~(uint32_t)IBC_PROCESS_LIMITS;
}

/* ---- its files ------------------------------------------------------------------------- */

/* In this order: which libraries mean what depends on the environment. */
static const struct {
	const char *name;
	char separator;
	uint32_t part;
	void (*take)(struct proc_reader *r);
} files[] = {
	{ "status", '\n', IBC_PROCESS_STATUS, take_status },
	{ "limits", '\n', IBC_PROCESS_LIMITS, take_limit },
	{ "cgroup", '\n', IBC_PROCESS_STATUS, take_cgroup },
	{ "cmdline", '\0', IBC_PROCESS_ENVIRON, take_argument },
	{ "environ", '\0', IBC_PROCESS_ENVIRON, take_environment },
	{ "maps", '\n', IBC_PROCESS_MAPS, take_mapping },
};

/* ---- what it is ------------------------------------------------------------------------ */

/* Threads of NCCL, if it is to name them: "NCCL Progress 0", "NCCL Service 0" */
static void read_threads(struct proc_reader *r)
{
	struct dir task = { openat(r->dir.fd, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC), "task" };
	struct dir_names names;

	list_dir(r->host, &task, &names);
	for (size_t i = 0; i < names.n && !(r->process->program & IBC_PROGRAM_NCCL); i++) {
		char path[300];
		struct relative relative;

		snprintf(path, sizeof(path), "%s/stat", names.items[i]);
		if (!read_relative(task.fd, path, &relative) && !strncmp(relative.comm, "NCCL ", 5))
			r->process->program |= IBC_PROGRAM_NCCL;
	}
	close_dir(&task);
}

/* Programs that have libibverbs, or a reason to load it. */
#define USES_VERBS                                                                                 \
	(IBC_PROGRAM_VERBS | IBC_PROGRAM_MPI | IBC_PROGRAM_NCCL | IBC_PROGRAM_UCX | IBC_PROGRAM_OFI)

static void read_files(struct proc_reader *r)
{
	struct ibc_process *process = r->process;
	const struct ibc_netns *ns;
	char exe[STREAM_ITEM_BYTES], target[64];
	unsigned int mapped;
	int error, fd;
	ssize_t n;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		stream_open(&r->stream, r->dir.fd, files[i].name, files[i].separator);
		while (stream_next(&r->stream))
			files[i].take(r);
		error = stream_close(&r->stream);
		if (error && error != ESRCH)
			note_lack(r, files[i].name, error, files[i].part);
	}
	/* who may not look at its descriptors does not know that it has no device open */
	fd = openat(r->dir.fd, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		process->unread |= IBC_PROCESS_FDS;
	else
		close(fd);
	if (read_link(r->dir.fd, "ns/net", target, sizeof(target)))
		for (unsigned int i = 0; (ns = ibc_host_netns(r->host, i)); i++)
			if (ns->inode == netns_inode(target))
				process->netns = i;
	n = readlinkat(r->dir.fd, "exe", exe, sizeof(exe));
	if (n > 0)
		process->exe = text_clean(r->host, exe, (size_t)n);
	if (r->rank == RANK_WHOLE)
		process->program |= IBC_PROGRAM_MPI;
	/* NCCL can be linked into anything that works with GPUs */
	if (r->gpu || process->unread & IBC_PROCESS_MAPS)
		read_threads(r);
	/* what is mapped does not go away with its descriptor */
	mapped = (unsigned int)__builtin_popcountll(r->mapped);
	if (process->verbs_files < mapped)
		process->verbs_files = mapped;
	error = open_root(r);
	if (!error)
		error = read_devices(r);
	if (error)
		note_lack(r, "root", error, IBC_PROCESS_ROOT);
	if (process->program & USES_VERBS && !(process->program & IBC_PROGRAM_DAEMON)) {
		read_verbs(r);
		read_rdma_limits(r);
	}
	read_configuration(r);
	if (r->root >= 0)
		close(r->root);
	free(r->usable.items);
	process->settings = settings_settle(&r->settings);
	process->num_settings = r->settings.n;
}

static bool is_there(const struct proc_reader *r, struct relative *relative)
{
	return read_relative(r->dir.fd, "stat", relative) == 0 && !relative->ended;
}

/* False: there is no such process any more. */
static bool read_process(struct ibc_host *host, const struct dir *proc, struct ibc_process *process)
{
	struct proc_reader r = { .host = host, .process = process, .settings.host = host };
	struct relative relative;
	char name[16], group[16];
	bool there;

	snprintf(name, sizeof(name), "%d", process->pid);
	r.dir.fd = openat(proc->fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r.dir.fd < 0)
		return false;
	process->qps_unread = !host->live || host->resources_unread;
	process->unread |= IBC_PROCESS_LIMITS; /* until a line has it */
	there = is_there(&r, &relative);
	if (there) {
		process->comm = text_clean(host, relative.comm, strlen(relative.comm));
		process->ppid = relative.ppid;
		process->start = relative.start;
		if (starts_jobs(&relative))
			process->program |= IBC_PROGRAM_DAEMON;
		if (relative.pgrp) { /* not of another PID namespace, which has no number here */
			snprintf(group, sizeof(group), "%d", relative.pgrp);
			offer_job(&r, "pgrp", group, strlen(group));
		}
		read_files(&r);
		there = is_there(&r, &relative);
	}
	close_dir(&r.dir);
	return there;
}

/* ---- all of them ----------------------------------------------------------------------- */

/* Those above a process; whose record is there has been climbed from, or will be. */
static void add_daemons(struct ibc_host *host, const struct process_tree *tree)
{
	size_t n = host->processes.n;
	int *pids = host_array(host, n, sizeof(*pids));

	/* records move while others come between them */
	for (size_t i = 0; pids && i < n; i++)
		pids[i] = ((struct ibc_process *)host->processes.items[i])->pid;
	for (size_t i = 0; pids && i < n; i++) {
		const struct relative *relative = daemon_of(tree, pids[i]);

		while (relative && !host->out_of_memory &&
		       !ibc_host_process_by_pid(host, relative->pid)) {
			host_process(host, relative->pid);
			relative = daemon_of(tree, relative->pid);
		}
	}
	for (size_t i = 0; !host->opts.pid && !host->opts.job && i < tree->n; i++)
		if (serves_all(tree, &tree->items[i]))
			host_process(host, tree->items[i].pid);
}

static bool is_process_wanted(const struct ibc_host *host, const struct process_tree *tree,
                              const struct ibc_process *process)
{
	if (host->opts.pid && !descends_from(tree, process->pid, host->opts.pid))
		return false;
	return !host->opts.job || !strcmp(process->job, host->opts.job);
}

/* Keeps those that are wanted, and the daemons above them. */
static void filter_processes(struct ibc_host *host, const struct process_tree *tree)
{
	struct host_list *list = &host->processes;
	void **keep = host_array(host, list->n, sizeof(*keep));
	size_t kept = 0;

	for (size_t i = 0; keep && i < list->n; i++) {
		const struct ibc_process *p = list->items[i], *below;
		bool wanted = is_process_wanted(host, tree, p);

		for (size_t k = 0; !wanted && p->program & IBC_PROGRAM_DAEMON && k < list->n; k++) {
			below = list->items[k];
			wanted = is_process_wanted(host, tree, below) &&
			         descends_from(tree, below->pid, p->pid);
		}
		if (wanted)
			keep[kept++] = list->items[i];
	}
	if (kept)
		memcpy(list->items, keep, kept * sizeof(*keep));
	list->n = kept;
}

/* Sockets go with their owners; whose owner is not known may be anybody's. */
static void filter_sockets(struct ibc_host *host, const struct process_tree *tree, bool wanted_only)
{
	struct host_list *list = &host->sockets;
	size_t kept = 0;

	for (size_t i = 0; i < list->n; i++) {
		const struct ibc_socket *socket = list->items[i];
		const struct ibc_process *owner = socket->pid
		                                      ? ibc_host_process_by_pid(host, socket->pid)
		                                      : NULL;

		if (socket->owner_unread || (!socket->pid && !wanted_only) ||
		    (owner && is_process_wanted(host, tree, owner)))
			list->items[kept++] = list->items[i];
	}
	list->n = kept;
}

void host_read_processes(struct ibc_host *host)
{
	bool filtered = host->opts.pid || host->opts.job;
	struct dir proc = open_path(host, "/proc", false);
	struct host_list *list = &host->processes;
	struct process_tree tree;
	size_t kept = 0;

	if (proc.fd < 0)
		return;
	tree = read_process_tree(host, &proc);
	/* who was asked for gets a record whatever it has */
	for (size_t i = 0; host->opts.pid && i < tree.n; i++)
		if (descends_from(&tree, tree.items[i].pid, host->opts.pid))
			host_process(host, tree.items[i].pid);
	add_daemons(host, &tree);
	for (size_t i = 0; i < list->n; i++)
		if (read_process(host, &proc, list->items[i]))
			list->items[kept++] = list->items[i];
	list->n = kept;
	if (filtered)
		filter_processes(host, &tree);
	filter_sockets(host, &tree, filtered);
	for (size_t i = 0; i < list->n; i++) {
		struct ibc_process *process = list->items[i];
		const struct relative *relative = daemon_of(&tree, process->pid);

		process->daemon = relative ? ibc_host_process_by_pid(host, relative->pid) : NULL;
	}
	close_dir(&proc);
}
