/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/process_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/host.h"
#include "host/proc.h"

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
static bool parse_stat(const char *text, struct kin *out)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	unsigned long long start;
	char state;

	if (!open || !close || close < open)
		return false;
	if (sscanf(close + 1,
	           " %c %d %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
	           &state, &out->ppid, &out->pgrp, &start) != 4)
		return false;
	out->start = start;
	out->ended = state == 'Z';
	snprintf(out->comm, sizeof(out->comm), "%.*s", (int)(close - open - 1), open + 1);
	return true;
}

int read_kin(int dir, const char *path, struct kin *out)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char text[STAT_BYTES];
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
	return parse_stat(text, out) ? 0 : EBADMSG;
}

struct process_family read_family(struct ibc_host *host, const struct dir *proc)
{
	struct pids pids = list_pids(host);
	struct process_family family = { host_array(host, pids.n, sizeof(struct kin)), 0 };
	char path[32];

	for (size_t i = 0; family.items && i < pids.n; i++) {
		struct kin *kin = &family.items[family.n];

		snprintf(path, sizeof(path), "%d/stat", pids.items[i]);
		kin->pid = pids.items[i];
		family.n += read_kin(proc->fd, path, kin) == 0;
	}
	return family;
}

/* ---- kinship -------------------------------------------------------------------- */

static int by_pid(const void *key, const void *item)
{
	int pid = *(const int *)key, other = ((const struct kin *)item)->pid;

	return (pid > other) - (pid < other);
}

/* NULL: there is none. */
static const struct kin *relatives_of(const struct process_family *family, int pid)
{
	if (!family->n)
		return NULL;
	return bsearch(&pid, family->items, family->n, sizeof(*family->items), by_pid);
}

bool descends_from(const struct process_family *family, int pid, int from)
{
	const struct kin *kin = relatives_of(family, pid);

	for (int depth = 0; kin && depth < DEPTH_MAX; depth++) {
		if (kin->pid == from)
			return true;
		kin = relatives_of(family, kin->ppid);
	}
	return false;
}

const struct kin *daemon_of(const struct process_family *family, int pid)
{
	const struct kin *kin = relatives_of(family, pid);

	for (int depth = 0; kin && depth < DEPTH_MAX; depth++) {
		kin = relatives_of(family, kin->ppid);
		if (kin && starts_jobs(kin))
			return kin;
	}
	return NULL;
}

static size_t row_of(const struct kin *kin)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(daemons) && strcmp(daemons[i].comm, kin->comm) != 0)
		i++;
	return i;
}

bool starts_jobs(const struct kin *kin)
{
	return row_of(kin) < ARRAY_SIZE(daemons);
}

bool serves_all(const struct process_family *family, const struct kin *kin)
{
	const struct kin *parent = relatives_of(family, kin->ppid);
	size_t row = row_of(kin);

	/* sshd has a child of its own name for each session */
	return row < ARRAY_SIZE(daemons) && daemons[row].lasts &&
	       !(parent && row_of(parent) == row);
}
