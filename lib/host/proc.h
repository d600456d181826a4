/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_PROC_H
#define HOST_PROC_H

/* The processes in /proc; one that ends while it is read costs only itself. */
#include <stddef.h>

struct ibc_host;

/* In rising order; n is 0 where /proc cannot be read, which is noted.  In the host's arena. */
struct pids {
	int *items;
	size_t n;
};
struct pids list_pids(struct ibc_host *host);

#endif
