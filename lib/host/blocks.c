/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Block devices over a network, from sysfs: NVMe over fabrics (Linux drivers/nvme/host) and
 * iSCSI, where the driver's name is iSER's or TCP's (drivers/scsi/iscsi_tcp.c,
 * drivers/infiniband/ulp/iser), which is a rule of thumb.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "host/storage.h"

#define SECTOR_BYTES 512 /* of the stat file of a block device, whatever the device has */

/* ---- NVMe ------------------------------------------------------------------------ */

static void read_nvme(struct ibc_host *host, const struct dir *all, const char *name)
{
	struct dir dir = open_dir(host, all, name);
	const char *remote, *local, *transport = NULL, *address = NULL, *nqn = NULL;
	struct storage *storage;
	size_t remote_n, local_n;
	struct dir_names names;

	if (dir.fd >= 0) {
		transport = read_text(host, &dir, "transport", false);
		address = read_text(host, &dir, "address", true);
		nqn = read_text(host, &dir, "subsysnqn", true);
	}
	if (!transport || (strcmp(transport, "tcp") != 0 && strcmp(transport, "rdma") != 0)) {
		close_dir(&dir);
		return;
	}
	address = address ? address : "";
	storage = storage_new(host, "nvme", name, dir.path);
	remote = storage_option(address, "traddr=", &remote_n);
	local = storage_option(address, "src_addr=", &local_n);
	if (!local)
		local = storage_option(address, "host_traddr=", &local_n);
	storage->seen.transport = transport;
	storage->seen.server = nqn ? nqn : "";
	storage_reach(host, &storage->seen, remote, remote_n, local, local_n);
	/* sectors read and written are the third and the seventh of "stat" (Linux
	   Documentation/block/stat.rst) */
	list_dir(host, &dir, &names);
	for (size_t i = 0; i < names.n; i++) {
		const char *text = NULL;
		unsigned long long in, out;

		if (!strncmp(names.items[i], "nvme", 4))
			text = read_text(host, &dir, host_text(host, "%s/stat", names.items[i]),
			                 true);
		if (!text || sscanf(text, " %*s %*s %llu %*s %*s %*s %llu", &in, &out) != 2)
			continue;
		storage->seen.bytes += (in + out) * SECTOR_BYTES;
		storage->seen.bytes_known = true;
	}
	close_dir(&dir);
}

/* ---- iSCSI ------------------------------------------------------------------------- */

/* The driver of the "host6" that a connection's place in the tree goes through. */
static const char *iscsi_transport(struct ibc_host *host, const struct dir *all, const char *name)
{
	char target[PATH_MAX], *number;
	const char *driver;

	if (!read_link(all->fd, name, target, sizeof(target)))
		return "";
	number = strstr(target, "/host");
	if (!number)
		return "";
	number++;
	number[strcspn(number, "/")] = '\0';
	driver = read_lone(host, "/sys/class/scsi_host", host_text(host, "%s/proc_name", number));
	if (!driver)
		return "";
	return strstr(driver, "iser") ? "rdma" : strstr(driver, "tcp") ? "tcp" : "";
}

static void read_iscsi(struct ibc_host *host, const struct dir *all, const char *name)
{
	struct dir dir = open_dir(host, all, name);
	const char *address = NULL;
	struct storage *storage;

	if (dir.fd < 0)
		return;
	address = read_text(host, &dir, "address", true);
	if (!address)
		address = read_text(host, &dir, "persistent_address", true);
	storage = storage_new(host, "iscsi", name, dir.path);
	storage->seen.transport = iscsi_transport(host, all, name);
	storage->seen.server = address ? address : "";
	storage->seen.heuristic = true;
	storage_reach(host, &storage->seen, storage->seen.server, strlen(storage->seen.server),
	              NULL, 0);
	close_dir(&dir);
}

void read_blocks(struct ibc_host *host)
{
	each_entry(host, "/sys/class/nvme", ENTRY_DIRECTORY, read_nvme);
	each_entry(host, "/sys/class/iscsi_connection", ENTRY_DIRECTORY, read_iscsi);
}
