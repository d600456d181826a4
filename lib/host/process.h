/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_PROCESS_H
#define HOST_PROCESS_H

/*
 * A process while it is read: what its files tell passes through here, a file at a time,
 * and only what the model has room for stays.
 */
#include "host/host.h"
#include "host/settings.h"
#include "host/stream.h"

#define GROUPS_MAX 256 /* Linux allows 65,536; who has more than this is not told right */

/* Of control groups, those that bear on RDMA. */
enum hierarchy { HIERARCHY_UNIFIED, HIERARCHY_DEVICES, HIERARCHY_RDMA, HIERARCHIES };

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
 * struct reading - @dir: /proc/PID, of this very process;  @root: its root directory, or -1
 * @rank: bits of struct variable;  @gpu: a GPU's library is mapped
 * @verbs_deleted: the file of its libibverbs is gone, or another by now
 * @groups: paths of its control groups, or NULL;  @rules: for devices, of cgroup.c
 * @usable: names of devices that it may open
 * @job_order: how much the job it has is worth, less is better
 */
struct reading {
	struct ibc_host *host;
	struct ibc_process *process;
	struct dir dir;
	int root;
	uint8_t rank;
	bool gpu, verbs_deleted;
	unsigned int job_order;
	uint64_t mapped; /* uverbs devices, by number */
	const char *groups[HIERARCHIES];
	struct host_list rules, usable;
	struct places places;
	struct credentials credentials;
	struct settings settings;
	struct command_line command_line;
	struct stream stream;
};

/* Takes note of an error, once for all processes, and of what its lack leaves untold. */
void reading_lacks(struct reading *r, const char *file, int error, uint32_t part);

/* environment.c, maps.c, job.c: what an item of a file of /proc/PID tells */
void take_environment(struct reading *r);
void take_argument(struct reading *r);
void take_mapping(struct reading *r);
void take_cgroup(struct reading *r);

/* cgroup.c: a line of /proc/PID/cgroup */
void keep_cgroup(struct reading *r);
/* A job that its environment tells of, as text of n bytes. */
void offer_job(struct reading *r, const char *kind, const char *id, size_t n);
/* view.c: what it sees through its root directory */
void open_root(struct reading *r);
void read_view(struct reading *r);
/* Files of configuration that its libraries read, through its root. */
void read_configuration(struct reading *r);

#endif
