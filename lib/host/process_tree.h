/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_PROCESS_TREE_H
#define HOST_PROCESS_TREE_H

/* All processes of a host by their parents, and which of them start jobs. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ibc_host;
struct dir;

/*
 * struct relative - what /proc/PID/stat has; @comm as the kernel has it, to be cleaned
 * @ended: only its parent does not know yet
 */
struct relative {
	int pid, ppid, pgrp;
	bool ended;
	uint64_t start;
	char comm[64];
};

/* By PID. */
struct process_tree {
	struct relative *items;
	size_t n;
};

/* 0 or errno. */
int read_relative(int dir, const char *path, struct relative *out);
struct process_tree read_process_tree(struct ibc_host *host, const struct dir *proc);
bool descends_from(const struct process_tree *tree, int pid, int from);
/* The nearest ancestor that starts jobs, or NULL. */
const struct relative *daemon_of(const struct process_tree *tree, int pid);
bool starts_jobs(const struct relative *relative);
/* It serves whoever comes next, and is not there for a job or session that runs. */
bool serves_all(const struct process_tree *tree, const struct relative *relative);

#endif
