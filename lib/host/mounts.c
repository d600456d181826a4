/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mounts whose data cross a network, of every mount namespace (proc(5), mountinfo), and the
 * bytes of those of NFS (mountstats).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "host/lines.h"
#include "host/proc.h"
#include "host/storage.h"

/* struct mount - a line of mountinfo, parts of it in place */
struct mount {
	char *device, *point, *type, *source, *options;
};

struct mount_reader {
	struct ibc_host *host;
	struct dir dir;   /* /proc/PID */
	const char *path; /* of its mountinfo */
	struct stream stream;
};

/* "\040" is a blank; what is not octal stays. */
static void unescape_octal(char *text)
{
	char *out = text;

	for (; *text; text++) {
		unsigned int c;

		if (*text == '\\' && strspn(text + 1, "01234567") >= 3 &&
		    sscanf(text + 1, "%3o", &c) == 1) {
			*out++ = (char)c;
			text += 3;
		} else {
			*out++ = *text;
		}
	}
	*out = '\0';
}

/* "36 35 0:45 / /mnt rw,noatime shared:1 - nfs4 server:/export rw,addr=10.0.0.1" */
static bool parse_mount(char *line, struct mount *out)
{
	char *tail = strstr(line, " - "), *save;

	if (!tail)
		return false;
	*tail = '\0';
	strtok_r(line, " ", &save);
	strtok_r(NULL, " ", &save);
	out->device = strtok_r(NULL, " ", &save);
	strtok_r(NULL, " ", &save);
	out->point = strtok_r(NULL, " ", &save);
	out->type = strtok_r(tail + 3, " ", &save);
	out->source = out->type ? strtok_r(NULL, " ", &save) : NULL;
	out->options = out->source ? strtok_r(NULL, " ", &save) : NULL;
	if (!out->point || !out->options)
		return false;
	unescape_octal(out->point);
	unescape_octal(out->source);
	return true;
}

static void reach_by_options(struct mount_reader *r, struct ibc_storage *storage,
                             const struct mount *mount, const char *local_name)
{
	size_t remote_n, local_n;
	const char *remote = storage_option(mount->options, "addr=", &remote_n);
	const char *local = storage_option(mount->options, local_name, &local_n);

	storage_reach(r->host, storage, remote ? remote : "", remote_n, local ? local : "",
	              local_n);
}

static void take_nfs(struct mount_reader *r, struct ibc_storage *storage, const struct mount *mount)
{
	size_t n;
	const char *proto = storage_option(mount->options, "proto=", &n);

	/* "tcp6" and "rdma6" are the same by IPv6 */
	if (proto)
		storage->transport = text_clean(r->host, proto, n - (n && proto[n - 1] == '6'));
	reach_by_options(r, storage, mount, "clientaddr=");
}

static void take_smb(struct mount_reader *r, struct ibc_storage *storage, const struct mount *mount)
{
	size_t n;

	storage->transport = storage_option(mount->options, "rdma", &n) ? "rdma" : "tcp";
	storage->heuristic = true;
	reach_by_options(r, storage, mount, "srcaddr=");
}

/* "10.0.0.1@o2ib:10.0.0.2@o2ib:/fs": the servers of its management */
static void take_lustre(struct mount_reader *r, struct ibc_storage *storage,
                        const struct mount *mount)
{
	storage_nid(r->host, storage, mount->source);
}

/* "10.0.0.1:6789,10.0.0.2:6789:/" */
static void take_ceph(struct mount_reader *r, struct ibc_storage *storage,
                      const struct mount *mount)
{
	storage->transport = "tcp";
	storage_reach(r->host, storage, mount->source, strcspn(mount->source, ":,"), "", 0);
}

static void take_gpfs(struct mount_reader *r, struct ibc_storage *storage,
                      const struct mount *mount)
{
	(void)mount, (void)r;
	storage->heuristic = true;
}

static const struct type {
	const char *type, *kind;
	void (*take)(struct mount_reader *r, struct ibc_storage *storage,
	             const struct mount *mount);
} types[] = {
	{ "nfs", "nfs", take_nfs },          { "nfs4", "nfs", take_nfs },
	{ "cifs", "smb", take_smb },         { "smb3", "smb", take_smb },
	{ "lustre", "lustre", take_lustre }, { "ceph", "ceph", take_ceph },
	{ "gpfs", "gpfs", take_gpfs },
};

/* The same file system can be mounted in many places and namespaces. */
static bool is_storage_known(const struct ibc_host *host, const char *kind, const char *id)
{
	for (size_t i = 0; i < host->storage.n; i++) {
		const struct storage *storage = host->storage.items[i];

		if (!strcmp(storage->seen.kind, kind) && !strcmp(storage->id, id))
			return true;
	}
	return false;
}

static void take_mount(struct mount_reader *r, const struct mount *mount)
{
	struct ibc_host *host = r->host;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct storage *storage;

		if (strcmp(mount->type, types[i].type) != 0)
			continue;
		if (is_storage_known(host, types[i].kind, mount->device))
			return;
		storage = storage_new(host, types[i].kind,
		                      text_clean(host, mount->point, strlen(mount->point)),
		                      r->path);
		if (!storage)
			return;
		storage->id = host_text(host, "%s", mount->device);
		storage->seen.server = text_clean(host, mount->source, strlen(mount->source));
		types[i].take(r, &storage->seen, mount);
		return;
	}
}

/* Who is ending has no mounts any more (EINVAL: Linux fs/proc_namespace.c). */
static bool has_ended(const struct ibc_host *host, int error)
{
	return error == ENOENT || error == ESRCH || (host->live && error == EINVAL);
}

static void read_mountinfo(struct mount_reader *r)
{
	struct mount mount;
	int error;

	stream_open(&r->stream, r->dir.fd, "mountinfo", '\n');
	while (stream_next(&r->stream))
		if (parse_mount(r->stream.item, &mount))
			take_mount(r, &mount);
	error = stream_close(&r->stream);
	if (error && !has_ended(r->host, error))
		note_unread_once(r->host, "/proc/*/mountinfo", error);
}

/* ---- bytes of NFS ------------------------------------------------------------------ */

#define BYTES_SKIPPED 4 /* those that went through the cache, before those of the server */

static struct ibc_storage *nfs_at(const struct mount_reader *r, const char *point)
{
	for (size_t i = 0; i < r->host->storage.n; i++) {
		struct ibc_storage *storage = r->host->storage.items[i];

		if (!strcmp(storage->kind, "nfs") && storage->path == r->path &&
		    !strcmp(storage->name, point))
			return storage;
	}
	return NULL;
}

/* "device server:/export mounted on /mnt with fstype nfs4 statvers=1.1" */
static struct ibc_storage *nfs_of_line(const struct mount_reader *r, char *line)
{
	static const char on[] = " mounted on ", with[] = " with fstype nfs";
	char *point = strstr(line, on), *end = point ? strstr(point, with) : NULL;

	if (!end)
		return NULL;
	*end = '\0';
	point += strlen(on);
	unescape_octal(point);
	return nfs_at(r, point);
}

static void take_bytes(struct ibc_storage *storage, const char *text)
{
	unsigned long long in, out;

	text += strspn(text, "\t ");
	if (sscanf(text, "bytes: %*s %*s %*s %*s %llu %llu", &in, &out) != 2)
		return;
	storage->bytes = in + out;
	storage->bytes_known = true;
}

static void read_mountstats(struct mount_reader *r)
{
	struct ibc_storage *storage = NULL;

	stream_open(&r->stream, r->dir.fd, "mountstats", '\n');
	while (stream_next(&r->stream)) {
		if (!strncmp(r->stream.item, "device ", strlen("device ")))
			storage = nfs_of_line(r, r->stream.item);
		else if (storage)
			take_bytes(storage, r->stream.item);
	}
	stream_close(&r->stream);
}

/* ---- namespaces ----------------------------------------------------------------------- */

struct namespaces {
	uint64_t *inodes;
	size_t n;
};

/* Is it the first process of its mount namespace?  One that is not told may be its own. */
static bool is_first(struct namespaces *seen, const struct dir *dir)
{
	char target[64];
	unsigned long long inode;

	if (!read_link(dir->fd, "ns/mnt", target, sizeof(target)))
		return errno != EACCES && errno != EPERM;
	if (sscanf(target, "mnt:[%llu]", &inode) != 1)
		return false;
	for (size_t i = 0; i < seen->n; i++)
		if (seen->inodes[i] == inode)
			return false;
	seen->inodes[seen->n++] = inode;
	return true;
}

static void read_of(struct ibc_host *host, const struct dir *proc, const char *pid,
                    struct namespaces *seen)
{
	struct mount_reader r = { .host = host };

	r.dir.fd = openat(proc->fd, pid, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r.dir.fd < 0)
		return;
	if (is_first(seen, &r.dir)) {
		size_t before = host->storage.n;

		r.path = host_text(host, "%s/%s/mountinfo", proc->path, pid);
		read_mountinfo(&r);
		if (host->storage.n > before)
			read_mountstats(&r);
	}
	close_dir(&r.dir);
}

void read_mounts(struct ibc_host *host)
{
	struct dir proc = open_path(host, "/proc", false);
	struct pids pids = list_pids(host);
	struct namespaces seen = { host_array(host, pids.n + 1, sizeof(uint64_t)), 0 };
	char pid[16];

	if (proc.fd >= 0 && seen.inodes) {
		/* ours can be read by whoever we are */
		if (host->live)
			read_of(host, &proc, "self", &seen);
		for (size_t i = 0; i < pids.n; i++) {
			snprintf(pid, sizeof(pid), "%d", pids.items[i]);
			read_of(host, &proc, pid, &seen);
		}
	}
	close_dir(&proc);
}
