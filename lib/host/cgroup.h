/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_CGROUP_H
#define HOST_CGROUP_H

/* Control groups: what they keep a process from, as far as files tell. */
#include <stdbool.h>
#include <sys/types.h>

#include "host/process.h"

#define CGROUP_PATH_BYTES (STREAM_ITEM_BYTES + 512) /* a path in a line, below a mount point */

/* The path in a line of /proc/PID/cgroup, and its hierarchy; NULL: it is of another one. */
const char *cgroup_of(const char *line, enum hierarchy *which);
/* The directory of a group; false: it is not to be seen from here. */
bool cgroup_dir(const struct ibc_host *host, enum hierarchy which, const char *path,
                char full[CGROUP_PATH_BYTES]);

/* The rules for devices that version 1 has; those of version 2 are programs. */
void read_device_rules(struct proc_reader *r);
/* May a device be opened for reading and writing, by these rules?  True without any. */
bool rules_allow(const struct proc_reader *r, dev_t device);
/* Limits of RDMA resources, of its group and those above. */
void read_rdma_limits(struct proc_reader *r);

#endif
