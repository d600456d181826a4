/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Storage over a network, while it is read: the record, and the files that fill it (blocks.c,
 * clusters.c, mounts.c), of which the last drives them.
 */
#include "host/host.h"

/* struct storage - the public part comes first; @id: the same for the same file system */
struct storage {
	struct ibc_storage seen;
	const char *id;
};

/* Its texts "" but those given. */
struct storage *storage_new(struct ibc_host *host, const char *kind, const char *name,
                            const char *path);
/* The server's address and our own, as text of so many bytes; NULL and 0: not known. */
void storage_reach(struct ibc_host *host, struct ibc_storage *storage, const char *remote,
                   size_t remote_n, const char *local, size_t local_n);
/* "10.0.0.1@o2ib1", as Lustre names servers */
void storage_nid(struct ibc_host *host, struct ibc_storage *storage, const char *nid);
/* The value of "NAME=" in a list with commas, its length in *n; NULL: it is not there. */
const char *storage_option(const char *options, const char *name, size_t *n);

void read_blocks(struct ibc_host *host);   /* NVMe, iSCSI */
void read_clusters(struct ibc_host *host); /* Lustre, BeeGFS */
