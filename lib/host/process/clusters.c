/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the clients of Lustre and BeeGFS know of the servers they are connected to.  Where
 * the files are and how they look is of some versions, so that all of this is a rule of
 * thumb.
 */
#include <string.h>

#include "host/storage.h"

/* ---- Lustre ------------------------------------------------------------------------ */

/* A server is one row, however many targets of data or metadata it has. */
static void read_target(struct ibc_host *host, const struct dir *all, const char *name)
{
	bool data = !strcmp(strrchr(all->path, '/'), "/osc");
	struct dir dir = open_dir(host, all, name);
	const char *nid = NULL;
	const struct ibc_storage *seen;
	struct storage *storage;

	if (dir.fd >= 0)
		nid = read_text(host, &dir, data ? "ost_conn_uuid" : "mds_conn_uuid", true);
	close_dir(&dir);
	if (!nid || !*nid)
		return;
	for (size_t i = 0; (seen = ibc_host_storage(host, i)); i++)
		if (!strcmp(seen->kind, "lustre") && !strcmp(seen->server, nid))
			return;
	storage = storage_new(host, "lustre", name, dir.path);
	storage->seen.server = nid;
	storage->seen.heuristic = true;
	storage_nid(host, &storage->seen, nid);
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
			              NULL, 0);
	}
}

/* "storage01 [ID: 1]", then what belongs to it, further to the right */
static void read_client(struct ibc_host *host, const struct dir *all, const char *name)
{
	static const char *const files[] = { "storage_nodes", "meta_nodes" };
	struct dir dir = open_dir(host, all, name);
	struct stream stream;

	for (size_t i = 0; dir.fd >= 0 && i < ARRAY_SIZE(files); i++) {
		const char *server = "", *path = path_of(host, &dir, files[i]);

		stream_open(&stream, dir.fd, files[i], '\n');
		while (stream_next(&stream)) {
			if (!strchr(" \t", stream.item[0]))
				server = text_clean(host, stream.item,
				                    strcspn(stream.item, " \t["));
			else if (strstr(stream.item, "Connections:"))
				take_connections(host, path, server, stream.item);
		}
		stream_close(&stream);
	}
	close_dir(&dir);
}

void read_clusters(struct ibc_host *host)
{
	each_entry(host, "/proc/fs/lustre/osc", ENTRY_DIRECTORY, read_target);
	each_entry(host, "/sys/fs/lustre/osc", ENTRY_DIRECTORY, read_target);
	each_entry(host, "/proc/fs/lustre/mdc", ENTRY_DIRECTORY, read_target);
	each_entry(host, "/sys/fs/lustre/mdc", ENTRY_DIRECTORY, read_target);
	each_entry(host, "/proc/fs/beegfs", ENTRY_DIRECTORY, read_client);
}
