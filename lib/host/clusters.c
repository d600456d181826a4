/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the clients of Lustre and BeeGFS know of the servers they are connected to.  Where
 * the files are and how they look is of some versions, so that all of this is a rule of
 * thumb.
 */
#include <string.h>

#include "host/storage.h"

/* ---- Lustre ------------------------------------------------------------------------ */

/* A server is one row, however many targets it has. */
static void read_target(struct ibc_host *host, const struct dir *all, const char *name,
                        const char *file)
{
	struct dir dir = open_dir(host, all, name);
	const char *nid = dir.fd < 0 ? NULL : read_text(host, &dir, file, true);
	const struct ibc_storage *seen;
	struct storage *storage = NULL;
	bool listed = false;

	for (size_t i = 0; nid && (seen = ibc_host_storage(host, i)); i++)
		listed |= !strcmp(seen->kind, "lustre") && !strcmp(seen->server, nid);
	if (nid && *nid && !listed)
		storage = storage_new(host, "lustre", name, dir.path);
	if (storage) {
		storage->seen.server = nid;
		storage->seen.heuristic = true;
		storage_nid(host, &storage->seen, nid);
	}
	close_dir(&dir);
}

static void read_data_target(struct ibc_host *host, const struct dir *all, const char *name)
{
	read_target(host, all, name, "ost_conn_uuid");
}

static void read_metadata_target(struct ibc_host *host, const struct dir *all, const char *name)
{
	read_target(host, all, name, "mds_conn_uuid");
}

/* ---- BeeGFS ------------------------------------------------------------------------- */

/* "Connections: TCP: 4 (10.0.0.1:8003); RDMA: 2 (10.0.0.1:8003)": those that are there */
static void take_connections(struct ibc_host *host, const char *path, const char *server,
                             const char *text)
{
	static const struct {
		const char *word, *transport;
	} words[] = { { "TCP: ", "tcp" }, { "RDMA: ", "rdma" } };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const char *found = strstr(text, words[i].word), *address;
		struct storage *storage;

		if (!found || found[strlen(words[i].word)] == '0')
			continue;
		address = strchr(found, '(');
		storage = storage_new(host, "beegfs", server, path);
		storage->seen.server = server;
		storage->seen.transport = words[i].transport;
		storage->seen.heuristic = true;
		if (address)
			storage_reach(host, &storage->seen, address + 1, strcspn(address + 1, ":)"),
			              "", 0);
	}
}

/* "storage01 [ID: 1]", then what belongs to it, further to the right */
static void read_nodes(struct ibc_host *host, const struct dir *dir, const char *file)
{
	const char *server = "", *path = path_of(host, dir, file);
	struct stream stream;

	stream_open(&stream, dir->fd, file, '\n');
	while (stream_next(&stream)) {
		if (!strchr(" \t", stream.item[0]))
			server = text_clean(host, stream.item, strcspn(stream.item, " \t["));
		else if (strstr(stream.item, "Connections:"))
			take_connections(host, path, server, stream.item);
	}
	stream_close(&stream);
}

static void read_client(struct ibc_host *host, const struct dir *all, const char *name)
{
	struct dir dir = open_dir(host, all, name);

	if (dir.fd >= 0) {
		read_nodes(host, &dir, "storage_nodes");
		read_nodes(host, &dir, "meta_nodes");
	}
	close_dir(&dir);
}

void read_clusters(struct ibc_host *host)
{
	each_entry(host, "/proc/fs/lustre/osc", ENTRY_DIRECTORY, read_data_target);
	each_entry(host, "/sys/fs/lustre/osc", ENTRY_DIRECTORY, read_data_target);
	each_entry(host, "/proc/fs/lustre/mdc", ENTRY_DIRECTORY, read_metadata_target);
	each_entry(host, "/sys/fs/lustre/mdc", ENTRY_DIRECTORY, read_metadata_target);
	each_entry(host, "/proc/fs/beegfs", ENTRY_DIRECTORY, read_client);
}
