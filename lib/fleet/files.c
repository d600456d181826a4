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

#define READ_BYTES (1 << 20) /* at a time: more takes no less time */

/* "reports/n1.json" is of n1, as far as the name tells. */
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

static int read_descriptor(struct feed *feed, int fd, const char *name, struct ibc_error *err)
{
	char *bytes = xalloc(READ_BYTES);
	ssize_t n = 0;
	int rc = bytes ? 0 : fail_nomem(err);

	while (!rc && ((n = read(fd, bytes, READ_BYTES)) > 0 || (n < 0 && errno == EINTR)))
		if (n > 0 && feed_bytes(feed, bytes, (size_t)n))
			rc = fail_nomem(err);
	if (!rc && n < 0)
		rc = fail(err, -errno, "%s: %s", name, strerror(errno));
	free(bytes);
	if (!rc && feed_end(feed))
		rc = fail_nomem(err);
	return rc;
}

static int add_descriptor(struct ibc_fleet *fleet, int fd, const char *path, const char *label,
                          struct ibc_error *err)
{
	const char *name = arena_strdup(fleet->arena, path);
	struct feed *feed = name ? feed_new(fleet, name, label) : NULL;
	int rc = feed ? read_descriptor(feed, fd, name, err) : fail_nomem(err);

	feed_free(feed);
	return rc;
}

static int add_path(struct ibc_fleet *fleet, const char *path, bool found, struct ibc_error *err);

static int by_file_name(const void *va, const void *vz)
{
	const struct dirent *const *a = va, *const *z = vz;

	return strcmp((*a)->d_name, (*z)->d_name);
}

static int is_visible(const struct dirent *entry)
{
	return *entry->d_name != '.';
}

/* The files in it, but none of directories in it. */
static int add_directory(struct ibc_fleet *fleet, const char *path, struct ibc_error *err)
{
	struct dirent **entries;
	int n = scandir(path, &entries, is_visible, NULL), rc = 0;

	if (n < 0)
		return fail(err, -errno, "%s: %s", path, strerror(errno));
	if (n)
		qsort(entries, (size_t)n, sizeof(struct dirent *), by_file_name);
	for (int i = 0; i < n; i++) {
		const char *file = arena_printf(fleet->arena, "%s/%s", path, entries[i]->d_name);

		if (!rc)
			rc = file ? add_path(fleet, file, true, err) : fail_nomem(err);
		free(entries[i]);
	}
	free(entries);
	return rc;
}

/* One that a directory has, and that cannot be read, is that host's trouble alone. */
static int add_unread(struct ibc_fleet *fleet, const char *path, const char *label, int error)
{
	struct draft draft = { .fleet = fleet };

	return draft_end(
	    &draft, label, path,
	    arena_printf(fleet->arena, "its report cannot be read: %s",
	                 error == ELOOP ? "it is a link, and only the files of a directory are read"
	                                : strerror(error)));
}

static int add_file(struct ibc_fleet *fleet, int fd, const char *path, struct ibc_error *err)
{
	const char *label = label_of_file(fleet->arena, path);

	return label ? add_descriptor(fleet, fd, path, label, err) : fail_nomem(err);
}

/* @found: in a directory, and not named by who calls: a link of who can write there is not followed
 */
static int add_path(struct ibc_fleet *fleet, const char *path, bool found, struct ibc_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | (found ? O_NONBLOCK | O_NOFOLLOW : 0)), rc;
	struct stat st;

	if (fd < 0 && found)
		return add_unread(fleet, path, label_of_file(fleet->arena, path), errno);
	if (fd < 0 || fstat(fd, &st))
		rc = fail(err, -errno, "%s: %s", path, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		rc = found ? 0 : add_directory(fleet, path, err);
	else
		rc = found && !S_ISREG(st.st_mode) ? 0 : add_file(fleet, fd, path, err);
	if (fd >= 0 && found && rc && rc != -ENOMEM)
		rc = add_unread(fleet, path, label_of_file(fleet->arena, path), -rc);
	if (fd >= 0)
		close(fd);
	return rc;
}

static int add_all(struct ibc_fleet *fleet, const char *const *paths, size_t n,
                   struct ibc_error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++)
		rc = strcmp(paths[i], "-")
		         ? add_path(fleet, paths[i], false, err)
		         : add_descriptor(fleet, STDIN_FILENO, "standard input", NULL, err);
	if (!rc && fleet_join(fleet))
		rc = fail_nomem(err);
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
	int rc = fleet ? add_all(fleet, paths, n, err) : fail_nomem(err);

	if (rc) {
		ibc_fleet_free(fleet);
		fleet = NULL;
	}
	*out = fleet;
	return rc;
}
