/* SPDX-License-Identifier: BSD-2-Clause */
/* Files, directories and standard input, to a fleet. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "fleet/fleet.h"

#define READ_BYTES (1 << 16) /* at a time: more takes no less time */

/* "reports/n1.json" is taken for that of n1. */
static const char *label_of_file(struct arena *arena, const char *path)
{
	static const char *const suffixes[] = { ".json", ".txt", ".out", ".log" };
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t n = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		size_t length = strlen(suffixes[i]);

		if (n > length && !strcmp(name + n - length, suffixes[i]))
			return arena_strndup(arena, name, n - length);
	}
	return arena_strdup(arena, name);
}

static int read_descriptor(struct ibc_fleet *fleet, int fd, const char *path, const char *label,
                           struct ibc_error *err)
{
	char bytes[READ_BYTES];
	ssize_t n;

	feed_begin(fleet, arena_strdup(fleet->arena, path), label);
	while ((n = read(fd, bytes, sizeof(bytes))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			feed_bytes(fleet, bytes, (size_t)n);
	if (n < 0)
		return fail(err, -errno, "%s: %s", path, strerror(errno));
	feed_end(fleet);
	return 0;
}

/*
 * A file of a directory: one that cannot be read is that host's trouble alone.  A link of who can
 * write there is not followed, and directories are left out.
 */
static void add_file(struct ibc_fleet *fleet, const char *path)
{
	const char *label = label_of_file(fleet->arena, path), *why = NULL;
	struct stat st;
	int rc = 0;

	fleet->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (fleet->fd < 0 && errno == ELOOP)
		why = "it is a link, and only the files of a directory are read";
	else if (fleet->fd < 0 || fstat(fleet->fd, &st))
		why = strerror(errno);
	else if (S_ISREG(st.st_mode))
		rc = read_descriptor(fleet, fleet->fd, path, label, NULL);
	if (rc)
		why = strerror(-rc);
	if (why)
		draft_end(draft_new(fleet), label, path,
		          arena_printf(fleet->arena, "its report cannot be read: %s", why));
	if (fleet->fd >= 0)
		close(fleet->fd);
	fleet->fd = -1;
}

static int is_visible(const struct dirent *entry)
{
	return *entry->d_name != '.';
}

static int by_file_name(const void *va, const void *vz)
{
	const struct dirent *const *a = va, *const *z = vz;

	return strcmp((*a)->d_name, (*z)->d_name);
}

/* The files in it, but none of directories in it. */
static int add_directory(struct ibc_fleet *fleet, const char *path, struct ibc_error *err)
{
	int n = scandir(path, &fleet->files, is_visible, NULL);

	if (n < 0)
		return fail(err, -errno, "%s: %s", path, strerror(errno));
	fleet->num_files = n;
	if (n)
		qsort(fleet->files, (size_t)n, sizeof(struct dirent *), by_file_name);
	for (int i = 0; i < n; i++)
		add_file(fleet, arena_printf(fleet->arena, "%s/%s", path, fleet->files[i]->d_name));
	for (int i = 0; i < n; i++)
		free(fleet->files[i]);
	free(fleet->files);
	fleet->files = NULL;
	fleet->num_files = 0;
	return 0;
}

static int add_path(struct ibc_fleet *fleet, const char *path, struct ibc_error *err)
{
	struct stat st;
	int rc;

	if (!strcmp(path, "-"))
		return read_descriptor(fleet, STDIN_FILENO, "standard input", NULL, err);
	fleet->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fleet->fd < 0 || fstat(fleet->fd, &st))
		rc = fail(err, -errno, "%s: %s", path, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		rc = 1;
	else
		rc = read_descriptor(fleet, fleet->fd, path, label_of_file(fleet->arena, path),
		                     err);
	if (fleet->fd >= 0)
		close(fleet->fd);
	fleet->fd = -1;
	return rc == 1 ? add_directory(fleet, path, err) : rc;
}

static int add_all(struct ibc_fleet *fleet, const char *const *paths, size_t n,
                   struct ibc_error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++)
		rc = add_path(fleet, paths[i], err);
	if (!rc)
		fleet_join(fleet);
	if (!rc && !fleet->num_reports)
		rc = fail(err, -ENODATA, "%s%s: there is no report",
		          n && strcmp(paths[0], "-") ? paths[0] : "standard input",
		          n > 1 ? " ..." : "");
	return rc;
}

int ibc_fleet_load(const char *const *paths, size_t n, const struct ibc_fleet_opts *opts,
                   struct ibc_fleet **out, struct ibc_error *err)
{
	struct ibc_fleet *fleet = fleet_new(opts);
	int rc;

	*out = NULL;
	if (!fleet || setjmp(fleet->escape)) {
		ibc_fleet_free(fleet);
		return fail_nomem(err);
	}
	rc = add_all(fleet, paths, n, err);
	if (rc) {
		ibc_fleet_free(fleet);
		return rc;
	}
	arena_escape(fleet->arena, NULL);
	*out = fleet;
	return 0;
}
