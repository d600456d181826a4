/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A process while it is read, by process.c and what it hands the files of /proc/PID to:
 * environment.c, maps.c, job.c, cgroup.c, devices.c and verbs.c, all declared here.  What they
 * read passes through struct proc_reader, and only what the model has room for stays.
 */
#include "host/host.h"
#include "host/process/settings.h"

#define GROUPS_MAX 256 /* Linux allows 65,536; of who has more the answer may be wrong */

/* struct places - of its environment, where it looks for configuration; never in the model */
struct places {
	char home[512], nccl_conf[512], ucx_config_dir[512], opal_prefix[512];
	/* directories below which libmpi and libucp were installed, by its mappings */
	char mpi_prefix[512], ucx_prefix[512];
};

/* struct credentials - what decides whether it may open a file */
struct credentials {
	unsigned int uid, gid, groups[GROUPS_MAX];
	size_t num_groups;
	bool overrides; /* CAP_DAC_OVERRIDE, and not just in a user namespace */
};

/*
 * struct proc_reader - @dir: /proc/PID, of this very process;  @root: its root directory, or -1
 * @rank: bits of struct variable;  @gpu: a GPU's library is mapped
 * @verbs_deleted: the file of its libibverbs is gone, or another by now
 * @group: the path of its control group of version 2, or NULL
 * @usable: names of devices that it may open
 * @job_order: how much the job it has is worth, less is better
 */
struct proc_reader {
	struct ibc_host *host;
	struct ibc_process *process;
	struct dir dir;
	int root;
	uint8_t rank;
	bool gpu, verbs_deleted;
	unsigned int job_order;
	uint64_t mapped; /* uverbs devices, by number */
	const char *group;
	struct host_list usable;
	struct places places;
	struct credentials credentials;
	struct settings settings;
	struct command_line command_line;
	struct stream stream;
};

/* environment.c: an item of environ and of cmdline; the files of configuration that its
   libraries read, through its root */
void take_environment(struct proc_reader *r);
void take_argument(struct proc_reader *r);
void read_configuration(struct proc_reader *r);

/* maps.c: a line of maps */
void take_mapping(struct proc_reader *r);

/* job.c: a line of cgroup; a job that something else names, as text of n bytes */
void take_cgroup(struct proc_reader *r);
void offer_job(struct proc_reader *r, const char *kind, const char *id, size_t n);

/* devices.c: its root directory, and what it sees of devices there; 0 or errno */
int open_root(struct proc_reader *r);
int read_devices(struct proc_reader *r);

/* verbs.c: what its libibverbs would load for it */
void read_verbs(struct proc_reader *r);
/* Where systems have their libraries; NULL past the last one. */
const char *verbs_place(size_t i);

#define CGROUP_PATH_BYTES (STREAM_ITEM_BYTES + 512) /* a path in a line, below a mount point */

/* cgroup.c: the path in a line of /proc/PID/cgroup; NULL: it is of a hierarchy of version 1 */
const char *cgroup_of(const char *line);
/* The directory of a group; false: it is not to be seen from here. */
bool cgroup_dir(const struct ibc_host *host, const char *path, char full[CGROUP_PATH_BYTES]);
/* Limits of RDMA resources, of its group and those above. */
void read_rdma_limits(struct proc_reader *r);

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

/* process_tree.c: all processes of a host by their parents, in the order of PIDs */
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
