/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_PROCESS_H
#define HOST_PROCESS_H

/*
 * A process while it is read, by process.c and what it hands the files of /proc/PID to:
 * environment.c, maps.c, job.c, cgroup.c and devices.c, all declared here.  What they read
 * passes through struct reading, and only what the model has room for stays.
 */
#include "host/host.h"
#include "host/settings.h"
#include "host/stream.h"

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
 * struct reading - @dir: /proc/PID, of this very process;  @root: its root directory, or -1
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

#endif
