/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Storage whose data cross a network: mounts of every mount namespace (proc(5), mountinfo), with
 * the bytes of those of NFS (mountstats), and what blocks.c and clusters.c find.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "host/host.h"
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

static void take_mount(struct mount_reader *r, const struct mount *mount)
{
	struct ibc_host *host = r->host;
	struct storage *storage;
	size_t type = 0;

	while (type < ARRAY_SIZE(types) && strcmp(mount->type, types[type].type) != 0)
		type++;
	if (type == ARRAY_SIZE(types))
		return;
	/* the same file system can be mounted in many places and namespaces */
	for (size_t i = 0; i < host->storage.n; i++) {
		storage = host->storage.items[i];
		if (!strcmp(storage->seen.kind, types[type].kind) &&
		    !strcmp(storage->id, mount->device))
			return;
	}
	storage = storage_new(host, types[type].kind,
	                      text_clean(host, mount->point, strlen(mount->point)), r->path);
	storage->id = host_text(host, "%s", mount->device);
	storage->seen.server = text_clean(host, mount->source, strlen(mount->source));
	types[type].take(r, &storage->seen, mount);
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
	/* who is ending has no mounts any more (EINVAL: Linux fs/proc_namespace.c) */
	if (error && error != ENOENT && error != ESRCH && !(r->host->live && error == EINVAL))
		note_unread_once(r->host, "/proc/*/mountinfo", error);
}

/* ---- bytes of NFS ------------------------------------------------------------------ */

/* Those that went through the cache stand before those of the server. */
static void read_mountstats(struct mount_reader *r)
{
	static const char on[] = " mounted on ", with[] = " with fstype nfs";
	struct ibc_storage *storage = NULL;
	char *line = r->stream.item;

	stream_open(&r->stream, r->dir.fd, "mountstats", '\n');
	while (stream_next(&r->stream)) {
		/* "device server:/export mounted on /mnt with fstype nfs4 statvers=1.1" */
		bool begins = !strncmp(line, "device ", strlen("device "));
		char *point = begins ? strstr(line, on) : NULL;
		char *end = point ? strstr(point, with) : NULL;
		unsigned long long in, out;

		storage = begins ? NULL : storage;
		if (end) {
			*end = '\0';
			point += strlen(on);
			unescape_octal(point);
		}
		for (size_t i = 0; end && !storage && i < r->host->storage.n; i++) {
			struct ibc_storage *s = r->host->storage.items[i];

			if (!strcmp(s->kind, "nfs") && s->path == r->path &&
			    !strcmp(s->name, point))
				storage = s;
		}
		if (!begins && storage &&
		    sscanf(line + strspn(line, "\t "), "bytes: %*s %*s %*s %*s %llu %llu", &in,
		           &out) == 2) {
			storage->bytes = in + out;
			storage->bytes_known = true;
		}
	}
	stream_close(&r->stream);
}

/* ---- namespaces ----------------------------------------------------------------------- */

/* struct namespaces - of mounts, that were read */
struct namespaces {
	uint64_t *inodes;
	size_t n;
};

/* Of the first process of each mount namespace; where that is not known it may be its own. */
static void read_of(struct ibc_host *host, const struct dir *proc, const char *pid,
                    struct namespaces *seen)
{
	struct mount_reader r = { .host = host };
	size_t before = host->storage.n, i = 0;
	unsigned long long inode;
	char target[64];
	bool first;

	r.dir.fd = openat(proc->fd, pid, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r.dir.fd < 0)
		return;
	if (read_link(r.dir.fd, "ns/mnt", target, sizeof(target))) {
		first = sscanf(target, "mnt:[%llu]", &inode) == 1;
		while (first && i < seen->n && seen->inodes[i] != inode)
			i++;
		first &= i == seen->n;
		if (first)
			seen->inodes[seen->n++] = inode;
	} else {
		first = errno != EACCES && errno != EPERM;
	}
	if (first) {
		r.path = host_text(host, "%s/%s/mountinfo", proc->path, pid);
		read_mountinfo(&r);
		if (host->storage.n > before)
			read_mountstats(&r);
	}
	close_dir(&r.dir);
}

static void read_mounts(struct ibc_host *host)
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

/* ---- all of it ----------------------------------------------------------------------- */

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
