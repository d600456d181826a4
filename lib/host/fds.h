/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_FDS_H
#define HOST_FDS_H

#include "host/host.h"

/* The record of a process, a new one if it has none. */
struct ibc_process *host_process(struct ibc_host *host, int pid);

#endif
