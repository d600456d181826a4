/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Storage whose data cross a network: mounts of every mount namespace (proc(5), mountinfo;
 * nfs-utils' mountstats for the bytes), NVMe over fabrics, iSCSI, and what Lustre and BeeGFS
 * know of their servers.
 */
#include <string.h>

#include "host/storage.h"

static int by_storage_name(const void *a, const void *b)
{
	const struct ibc_storage *x = *(void *const *)a, *y = *(void *const *)b;
	int order = strcmp(x->kind, y->kind);

	order = order ? order : strverscmp(x->name, y->name);
	return order ? order : strcmp(x->server, y->server);
}

void host_read_storage(struct ibc_host *host)
{
	read_mounts(host);
	read_blocks(host);
	read_clusters(host);
	host_sort(&host->storage, by_storage_name);
}
