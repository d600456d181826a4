/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The limits that control groups of version 2 have for RDMA resources (Linux Documentation/
 * admin-guide/cgroup-v2.rst "RDMA").  Whether one may open a device a program of the kernel
 * decides; what it would say cannot be read.
 *
 * Each group is read once, however many processes are in it or below.
 */
#include "host/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINES_MAX ENTRIES_MAX /* of a file with a line for each RDMA device */

const char *cgroup_of(const char *line)
{
	const char *path = text_after(line, "0::");

	return path && *path == '/' ? path : NULL;
}

bool cgroup_dir(const struct ibc_host *host, const char *path, char full[CGROUP_PATH_BYTES])
{
	/* where systems have it */
	static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };

	/* beside what a namespace of control groups shows */
	for (size_t i = 0; !strstr(path, "/..") && i < ARRAY_SIZE(mounts); i++) {
		int n = snprintf(full, CGROUP_PATH_BYTES, "%s%s%s/cgroup.procs", host->root,
		                 mounts[i], path);

		if (n >= CGROUP_PATH_BYTES || access(full, F_OK))
			continue;
		*strrchr(full, '/') = '\0';
		return true;
	}
	return false;
}

static const char *const resources[] = { "hca_handle", "hca_object" };

/* Of "mlx5_0 hca_handle=2 hca_object=max": the number of one; false: none, or no limit. */
static bool find_number(const char *line, const char *resource, uint64_t *number)
{
	const char *at = strstr(line, resource), *value = at ? text_after(at, resource) : NULL;
	char *end;

	if (!value || *value != '=')
		return false;
	*number = strtoull(value + 1, &end, 10);
	return end != value + 1;
}

/* A line of rdma.max; @path: of the group */
static void take_limits(struct ibc_host *host, const char *line, const char *path, const char *file)
{
	struct ibc_rdma_limit *limit;
	uint64_t max;

	for (size_t i = 0; i < ARRAY_SIZE(resources); i++) {
		if (!find_number(line, resources[i], &max))
			continue;
		limit = host_new(host, &host->rdma_limits, sizeof(*limit));
		limit->group = path;
		limit->device = text_clean(host, line, strcspn(line, " "));
		limit->resource = resources[i];
		limit->path = file;
		limit->max = max;
	}
}

static void read_group(struct proc_reader *r, const char *path)
{
	static const char *const names[] = { "rdma.max", "rdma.current" };
	struct host_list *limits = &r->host->rdma_limits;
	char dir[CGROUP_PATH_BYTES];
	size_t first = limits->n;

	if (!cgroup_dir(r->host, path, dir))
		return;
	/* without limits it does not matter what it uses */
	for (size_t use = 0; use < (limits->n == first ? 1 : 2); use++) {
		const char *file = host_text(r->host, "%s/%s", dir, names[use]);
		int error;

		stream_open(&r->stream, AT_FDCWD, file, '\n');
		while (r->stream.number < LINES_MAX && stream_next(&r->stream)) {
			if (!use)
				take_limits(r->host, r->stream.item, path, file);
			for (size_t i = first; use && i < limits->n; i++) {
				struct ibc_rdma_limit *limit = limits->items[i];
				const char *rest = text_after(r->stream.item, limit->device);

				if (rest && *rest == ' ')
					find_number(rest, limit->resource, &limit->used);
			}
		}
		error = stream_close(&r->stream);
		if (error && error != ENOENT) /* it has no such controller */
			note_unread_once(r->host, file, error);
	}
}

void read_rdma_limits(struct proc_reader *r)
{
	struct host_list *read = &r->host->rdma_groups;
	const char *path = r->group ? r->group : "";
	size_t n = strlen(path), i;

	while (n && path[n - 1] == '/')
		n--;
	path = host_text(r->host, "%.*s", (int)n, path);
	r->process->rdma_group = path;
	for (;;) {
		for (i = 0; i < read->n && strcmp(read->items[i], path) != 0;)
			i++;
		if (i < read->n)
			return; /* and so were those above */
		strcpy(host_new(r->host, read, strlen(path) + 1), path);
		read_group(r, path);
		if (!*path)
			return;
		path = host_text(r->host, "%.*s", (int)(strrchr(path, '/') - path), path);
	}
}
