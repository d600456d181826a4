/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_CGROUP_H
#define HOST_CGROUP_H

/* Control groups: what they keep a process from, as far as files say. */
#include "host/process.h"
#include <stdbool.h>

#define CGROUP_PATH_BYTES (STREAM_ITEM_BYTES + 512) /* a path in a line, below a mount point */

/* The path in a line of /proc/PID/cgroup; NULL: it is of a hierarchy of version 1. */
const char *cgroup_of(const char *line);
/* The directory of a group; false: it is not to be seen from here. */
bool cgroup_dir(const struct ibc_host *host, const char *path, char full[CGROUP_PATH_BYTES]);

/* Limits of RDMA resources, of its group and those above. */
void read_rdma_limits(struct proc_reader *r);

#endif
