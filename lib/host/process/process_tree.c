/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STAT_BYTES 1024 /* /proc/PID/stat: 52 numbers and a name of 16 bytes */
#define DEPTH_MAX  4096 /* a captured tree can have processes that descend from themselves */

/* The kernel cuts names off after 15 bytes (TASK_COMM_LEN). */
static const struct {
	const char *comm;
	bool lasts; /* beyond a job or a session */
} daemons[] = {
	{ "slurmd", true },           { "slurmstepd", false },      { "sshd", true },
	{ "sshd-session", false },    { "containerd", true },       { "containerd-shim", false },
	{ "dockerd", true },          { "kubelet", true },          { "crio", true },
	{ "conmon", false },          { "pbs_mom", true },          { "sge_execd", true },
	{ "sge_shepherd", false },    { "sbatchd", true },          { "res", false },
	{ "condor_startd", true },    { "condor_starter", false },  { "flux-broker", true },
	{ "orted", false },           { "prted", false },           { "prterun", false },
	{ "mpirun", false },          { "mpiexec", false },         { "mpiexec.hydra", false },
	{ "hydra_pmi_proxy", false }, { "hydra_bstrap_pr", false },
};

/* ---- /proc/PID/stat ----------------------------------------------------------- */

/* "1234 (name, perhaps with parentheses) S 1 1234 ...": proc(5) */
int read_relative(int dir, const char *path, struct relative *out)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const char *left, *right;
	unsigned long long start;
	char text[STAT_BYTES], state;
	ssize_t n;
	int error;

	if (fd < 0)
		return errno;
	n = read(fd, text, sizeof(text) - 1);
	error = n < 0 ? errno : 0;
	close(fd);
	if (error)
		return error;
	text[n] = '\0';
	left = strchr(text, '(');
	right = strrchr(text, ')');
	if (!left || !right || right < left ||
	    sscanf(right + 1,
	           " %c %d %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
	           &state, &out->ppid, &out->pgrp, &start) != 4)
		return EBADMSG;
	out->start = start;
	out->ended = state == 'Z';
	snprintf(out->comm, sizeof(out->comm), "%.*s", (int)(right - left - 1), left + 1);
	return 0;
}

struct process_tree read_process_tree(struct ibc_host *host, const struct dir *proc)
{
	struct pids pids = list_pids(host);
	struct process_tree tree = { host_array(host, pids.n, sizeof(struct relative)), 0 };
	char path[32];

	for (size_t i = 0; tree.items && i < pids.n; i++) {
		struct relative *relative = &tree.items[tree.n];

		snprintf(path, sizeof(path), "%d/stat", pids.items[i]);
		relative->pid = pids.items[i];
		tree.n += read_relative(proc->fd, path, relative) == 0;
	}
	return tree;
}

/* ---- kinship -------------------------------------------------------------------- */

static int by_pid(const void *key, const void *item)
{
	int pid = *(const int *)key, other = ((const struct relative *)item)->pid;

	return (pid > other) - (pid < other);
}

/* NULL: there is none. */
static const struct relative *relative_of(const struct process_tree *tree, int pid)
{
	if (!tree->n)
		return NULL;
	return bsearch(&pid, tree->items, tree->n, sizeof(*tree->items), by_pid);
}

bool descends_from(const struct process_tree *tree, int pid, int from)
{
	const struct relative *relative = relative_of(tree, pid);

	for (int depth = 0; relative && depth < DEPTH_MAX; depth++) {
		if (relative->pid == from)
			return true;
		relative = relative_of(tree, relative->ppid);
	}
	return false;
}

const struct relative *daemon_of(const struct process_tree *tree, int pid)
{
	const struct relative *relative = relative_of(tree, pid);

	for (int depth = 0; relative && depth < DEPTH_MAX; depth++) {
		relative = relative_of(tree, relative->ppid);
		if (relative && starts_jobs(relative))
			return relative;
	}
	return NULL;
}

static size_t row_of(const struct relative *relative)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(daemons) && strcmp(daemons[i].comm, relative->comm) != 0)
		i++;
	return i;
}

bool starts_jobs(const struct relative *relative)
{
	return row_of(relative) < ARRAY_SIZE(daemons);
}

bool serves_all(const struct process_tree *tree, const struct relative *relative)
{
	const struct relative *parent = relative_of(tree, relative->ppid);
	size_t row = row_of(relative);

	/* sshd has a child of its own name for each session */
	return row < ARRAY_SIZE(daemons) && daemons[row].lasts &&
	       !(parent && row_of(parent) == row);
}
