/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What control groups keep a process from: devices, by the rules of version 1 (Linux
 * Documentation/admin-guide/cgroup-v1/devices.rst), and RDMA resources, by limits that both
 * versions have (cgroup-v1/rdma.rst, cgroup-v2.rst "RDMA").  In version 2 a program of the
 * kernel decides about devices; what it would say cannot be read.
 *
 * Of limits each group is read once, however many processes are in it or below.
 */
#include "host/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/array.h"
#include "host/lines.h"

#define RULE_ANY  UINT32_MAX
#define LINES_MAX ENTRIES_MAX /* of a file with a line for each RDMA device */

/* ---- groups ---------------------------------------------------------------------------- */

static const struct {
	const char *controller; /* version 2 has one hierarchy for all of them */
	const char *mounts[2];  /* where systems have it */
} hierarchies[HIERARCHIES] = {
	[HIERARCHY_UNIFIED] = { "", { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" } },
	[HIERARCHY_DEVICES] = { "devices", { "/sys/fs/cgroup/devices" } },
	[HIERARCHY_RDMA] = { "rdma", { "/sys/fs/cgroup/rdma" } },
};

/* "0::/PATH", "5:memory:/PATH" */
const char *cgroup_of(const char *line, enum hierarchy *which)
{
	const char *name = strchr(line, ':'), *path = name ? strchr(name + 1, ':') : NULL;

	if (!path || path[1] != '/')
		return NULL;
	name++;
	for (int i = 0; i < HIERARCHIES; i++) {
		const char *controller = hierarchies[i].controller;

		if (strlen(controller) != (size_t)(path - name) ||
		    strncmp(controller, name, strlen(controller)) != 0)
			continue;
		*which = (enum hierarchy)i;
		return path + 1;
	}
	return NULL;
}

bool cgroup_dir(const struct ibc_host *host, enum hierarchy which, const char *path,
                char full[CGROUP_PATH_BYTES])
{
	/* beside what a namespace of control groups shows */
	if (strstr(path, "/.."))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(hierarchies[which].mounts); i++) {
		const char *mount = hierarchies[which].mounts[i];
		int n;

		if (!mount)
			continue;
		n = snprintf(full, CGROUP_PATH_BYTES, "%s%s%s/cgroup.procs", host->root, mount,
		             path);
		if (n >= CGROUP_PATH_BYTES || access(full, F_OK))
			continue;
		*strrchr(full, '/') = '\0';
		return true;
	}
	return false;
}

void keep_cgroup(struct proc_reader *r)
{
	enum hierarchy which;
	const char *path = cgroup_of(r->stream.item, &which);

	if (path)
		r->groups[which] = text_clean(r->host, path, strlen(path));
}

/* ---- devices ----------------------------------------------------------------------------- */

/* struct rule - devices that may be read and written; RULE_ANY for "*" */
struct rule {
	uint32_t major, minor;
};

static bool parse_number(const char *text, uint32_t *out)
{
	if (strcmp(text, "*") != 0)
		return parse_u32(text, out);
	*out = RULE_ANY;
	return true;
}

/* "c 231:* rwm", "a *:* rwm"; false: it is no rule */
static bool take_rule(struct proc_reader *r)
{
	char type, major[16], minor[16], access[8];
	struct rule rule, *kept;

	if (sscanf(r->stream.item, "%c %15[0-9*]:%15[0-9*] %7s", &type, major, minor, access) !=
	        4 ||
	    !parse_number(major, &rule.major) || !parse_number(minor, &rule.minor))
		return false;
	if (type == 'b' || !strchr(access, 'r') || !strchr(access, 'w'))
		return true;
	kept = host_new(r->host, &r->rules, sizeof(*kept));
	if (kept)
		*kept = rule;
	return true;
}

void read_device_rules(struct proc_reader *r)
{
	const char *group = r->groups[HIERARCHY_DEVICES], *path;
	char dir[CGROUP_PATH_BYTES];
	bool known = true;
	int error;

	if (!group || !cgroup_dir(r->host, HIERARCHY_DEVICES, group, dir))
		return;
	path = host_text(r->host, "%s/devices.list", dir);
	stream_open(&r->stream, AT_FDCWD, path, '\n');
	while (stream_next(&r->stream))
		known &= take_rule(r);
	error = stream_close(&r->stream);
	if (!error && !known)
		error = EBADMSG;
	if (error)
		note_unread_once(r->host, path, error);
	/* who may not even open /dev/null runs no program: then it is a capture without it */
	if (!error && r->rules.n)
		r->process->device_rules = path;
}

bool rules_allow(const struct proc_reader *r, dev_t device)
{
	if (!*r->process->device_rules)
		return true;
	for (size_t i = 0; i < r->rules.n; i++) {
		const struct rule *rule = r->rules.items[i];

		if ((rule->major == RULE_ANY || rule->major == major(device)) &&
		    (rule->minor == RULE_ANY || rule->minor == minor(device)))
			return true;
	}
	return false;
}

/* ---- RDMA resources ------------------------------------------------------------------------ */

static const char *const resources[] = { "hca_handle", "hca_object" };

/* struct control_group - one whose limits are being read; @first: of them in the host */
struct control_group {
	struct ibc_host *host;
	const char *path, *file;
	size_t first;
};

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

static void take_limit(const struct control_group *group, const char *line)
{
	struct ibc_rdma_limit *limit;
	uint64_t max;

	for (size_t i = 0; i < ARRAY_SIZE(resources); i++) {
		if (!find_number(line, resources[i], &max))
			continue;
		limit = host_new(group->host, &group->host->rdma_limits, sizeof(*limit));
		if (limit)
			*limit = (struct ibc_rdma_limit){
				.group = group->path,
				.device = text_clean(group->host, line, strcspn(line, " ")),
				.resource = resources[i],
				.path = group->file,
				.max = max,
			};
	}
}

static void take_use(const struct control_group *group, const char *line)
{
	for (size_t i = group->first; i < group->host->rdma_limits.n; i++) {
		struct ibc_rdma_limit *limit = group->host->rdma_limits.items[i];
		const char *rest = text_after(line, limit->device);

		if (rest && *rest == ' ')
			find_number(rest, limit->resource, &limit->used);
	}
}

static void read_group_lines(struct proc_reader *r, const struct control_group *group,
                             void (*take)(const struct control_group *group, const char *line))
{
	int error;

	stream_open(&r->stream, AT_FDCWD, group->file, '\n');
	while (r->stream.number < LINES_MAX && stream_next(&r->stream))
		take(group, r->stream.item);
	error = stream_close(&r->stream);
	if (error && error != ENOENT) /* it has no such controller */
		note_unread_once(r->host, group->file, error);
}

static void read_group(struct proc_reader *r, enum hierarchy which, const char *path)
{
	struct control_group group = { r->host, path, NULL, r->host->rdma_limits.n };
	char dir[CGROUP_PATH_BYTES];

	if (!cgroup_dir(r->host, which, path, dir))
		return;
	group.file = host_text(r->host, "%s/rdma.max", dir);
	read_group_lines(r, &group, take_limit);
	if (r->host->rdma_limits.n == group.first)
		return;
	group.file = host_text(r->host, "%s/rdma.current", dir);
	read_group_lines(r, &group, take_use);
}

/* False: it was read before, and so were those above. */
static bool is_new(struct ibc_host *host, const char *path)
{
	char *kept;

	for (size_t i = 0; i < host->rdma_groups.n; i++)
		if (!strcmp(host->rdma_groups.items[i], path))
			return false;
	kept = host_new(host, &host->rdma_groups, strlen(path) + 1);
	if (kept)
		strcpy(kept, path);
	return kept;
}

void read_rdma_limits(struct proc_reader *r)
{
	enum hierarchy which = r->groups[HIERARCHY_RDMA] ? HIERARCHY_RDMA : HIERARCHY_UNIFIED;
	const char *path = r->groups[which] ? r->groups[which] : "";
	size_t n = strlen(path);

	while (n && path[n - 1] == '/')
		n--;
	path = host_text(r->host, "%.*s", (int)n, path);
	r->process->rdma_group = path;
	while (is_new(r->host, path)) {
		read_group(r, which, path);
		if (!*path)
			break;
		path = host_text(r->host, "%.*s", (int)(strrchr(path, '/') - path), path);
	}
}
