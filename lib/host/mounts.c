/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Storage whose data cross a network: mounts of every mount namespace (proc(5), mountinfo), with
 * statistics of those of NFS (mountstats), and what blocks.c and clusters.c find.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

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

/* Which types of mounts cross a network, and what is said of them. */
static const struct {
	const char *type, *kind;
} types[] = {
	{ "nfs", "nfs" },       { "nfs4", "nfs" },  { "cifs", "smb" },  { "smb3", "smb" },
	{ "lustre", "lustre" }, { "ceph", "ceph" }, { "gpfs", "gpfs" },
};

static void take_mount(struct mount_reader *r, const struct mount *mount)
{
	struct ibc_host *host = r->host;
	const char *remote, *local, *kind = NULL, *local_name = NULL, *proto;
	struct ibc_storage *seen;
	struct storage *storage;
	size_t remote_n, local_n, n;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(mount->type, types[i].type))
			kind = types[i].kind;
	if (!kind)
		return;
	/* the same file system can be mounted in many places and namespaces */
	for (size_t i = 0; i < host->storage.n; i++) {
		storage = host->storage.items[i];
		if (!strcmp(storage->seen.kind, kind) && !strcmp(storage->id, mount->device))
			return;
	}
	storage = storage_new(host, kind, text_clean(host, mount->point, strlen(mount->point)),
	                      r->path);
	storage->id = host_text(host, "%s", mount->device);
	seen = &storage->seen;
	seen->server = text_clean(host, mount->source, strlen(mount->source));
	if (!strcmp(kind, "nfs")) {
		/* "tcp6" and "rdma6" are the same by IPv6 */
		proto = storage_option(mount->options, "proto=", &n);
		if (proto)
			seen->transport = text_clean(host, proto, n - (n && proto[n - 1] == '6'));
		proto = storage_option(mount->options, "vers=", &n);
		seen->version = text_clean(host, proto ? proto : "", n);
		local_name = "clientaddr=";
	} else if (!strcmp(kind, "smb")) {
		seen->transport = storage_option(mount->options, "rdma", &n) ? "rdma" : "tcp";
		seen->heuristic = true;
		local_name = "srcaddr=";
	} else if (!strcmp(kind, "lustre")) {
		/* "10.0.0.1@o2ib:10.0.0.2@o2ib:/fs": the servers of its management */
		storage_nid(host, seen, mount->source);
	} else if (!strcmp(kind, "ceph")) {
		/* "10.0.0.1:6789,10.0.0.2:6789:/" */
		seen->transport = "tcp";
		storage_reach(host, seen, mount->source, strcspn(mount->source, ":,"), NULL, 0);
	} else {
		seen->heuristic = true; /* GPFS says nothing */
	}
	if (!local_name)
		return;
	remote = storage_option(mount->options, "addr=", &remote_n);
	local = storage_option(mount->options, local_name, &local_n);
	storage_reach(host, seen, remote, remote_n, local, local_n);
}

static void close_file(struct mount_reader *r, const char *path)
{
	int error = stream_close(&r->stream);

	/* who is ending has no mounts any more (EINVAL: Linux fs/proc_namespace.c) */
	if (error && error != ENOENT && error != ESRCH && !(r->host->live && error == EINVAL))
		note_unread_once(r->host, path, error);
}

static void read_mountinfo(struct mount_reader *r)
{
	struct mount mount;

	stream_open(&r->stream, r->dir.fd, "mountinfo", '\n');
	while (stream_next(&r->stream))
		if (parse_mount(r->stream.item, &mount))
			take_mount(r, &mount);
	close_file(r, "/proc/*/mountinfo");
}

/* ---- statistics of NFS ------------------------------------------------------------------- */

/*
 * "xprt: tcp PORT BINDS CONNECTS TIME IDLE SENDS REPLIES BAD IN-FLIGHT BACKLOG SLOTS SENDING ...",
 * a line a connection; of "rdma" the first ten numbers are the same (Linux xs_tcp_print_stats(),
 * xprt_rdma_print_stats()).
 */
static void take_connection(struct ibc_storage *storage, const char *line)
{
	unsigned long long connects, sent, backlog, sending;
	char proto[8];
	int n = sscanf(line, "xprt: %7s %*s %*s %llu %*s %*s %llu %*s %*s %*s %llu %*s %llu", proto,
	               &connects, &sent, &backlog, &sending);

	if (n < 4 || (strcmp(proto, "tcp") != 0 && strcmp(proto, "rdma") != 0))
		return;
	storage->rpc_known = true;
	storage->rpc.connections++;
	storage->rpc.connects += connects;
	storage->rpc.sent += sent;
	storage->rpc.backlog += backlog;
	if (n == 5 && *proto == 't')
		storage->rpc.sending += sending;
}

/* Of bytes those that went through the cache stand before those of the server. */
static void take_statistics(struct ibc_storage *storage, const char *line, bool *by_operation)
{
	unsigned long long in, out;

	line += strspn(line, "\t ");
	*by_operation |= !strncmp(line, "per-op", strlen("per-op"));
	take_connection(storage, line);
	if (sscanf(line, "bytes: %*s %*s %*s %*s %llu %llu", &in, &out) == 2) {
		storage->bytes = in + out;
		storage->bytes_known = true;
	}
	/* "READ: COUNT TRANSMISSIONS TIMEOUTS SENT RECEIVED QUEUE RTT ...", times in ms */
	if (*by_operation &&
	    sscanf(line, "%*[^:]: %*u %*u %*u %*u %*u %llu %llu", &in, &out) == 2) {
		storage->rpc.queue_ms += in;
		storage->rpc.rtt_ms += out;
	}
}

static void read_mountstats(struct mount_reader *r)
{
	static const char on[] = " mounted on ", with[] = " with fstype nfs";
	struct ibc_storage *storage = NULL;
	char *line = r->stream.item;
	bool by_operation = false;

	stream_open(&r->stream, r->dir.fd, "mountstats", '\n');
	while (stream_next(&r->stream)) {
		/* "device server:/export mounted on /mnt with fstype nfs4 statvers=1.1" */
		bool begins = !strncmp(line, "device ", strlen("device "));
		char *point = begins ? strstr(line, on) : NULL;
		char *end = point ? strstr(point, with) : NULL;

		storage = begins ? NULL : storage;
		by_operation &= !begins;
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
		if (begins && storage) /* of two at one point the last counts */
			storage->rpc = (struct ibc_rpc){ .connections = 0 };
		if (!begins && storage)
			take_statistics(storage, line, &by_operation);
	}
	close_file(r, "/proc/*/mountstats");
}

/* ---- namespaces ----------------------------------------------------------------------- */

/* Of the first process of each mount namespace, those seen by their inodes; where that is not known
 * it may be its own. */
static void read_of(struct ibc_host *host, const struct dir *proc, const char *pid, uint64_t *seen,
                    size_t *num_seen)
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
		while (first && i < *num_seen && seen[i] != inode)
			i++;
		first &= i == *num_seen;
		if (first)
			seen[(*num_seen)++] = inode;
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
	uint64_t *seen = host_array(host, pids.n + 1, sizeof(*seen));
	size_t num_seen = 0;
	char pid[16];

	if (proc.fd >= 0 && seen) {
		/* ours can be read by whoever we are */
		if (host->live)
			read_of(host, &proc, "self", seen, &num_seen);
		for (size_t i = 0; i < pids.n; i++) {
			snprintf(pid, sizeof(pid), "%d", pids.items[i]);
			read_of(host, &proc, pid, seen, &num_seen);
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
