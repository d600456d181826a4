/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/rootfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/stream.h"

#define LINKS_MAX 40 /* as many as Linux follows (MAXSYMLINKS) */

/* Without its last part; "" is the root, which has nothing above it. */
static void go_up(char *path)
{
	char *slash = strrchr(path, '/');

	*(slash ? slash : path) = '\0';
}

/*
 * The path without links, relative to the root, built part by part: what is there of it has
 * no links any more, so that ".." is its text without the last part.  0 or errno.
 */
static int resolve_in_root(int root, const char *path, char out[PATH_MAX])
{
	char rest[PATH_MAX], target[PATH_MAX];
	int links = 0;

	if (snprintf(rest, sizeof(rest), "%s", path) >= PATH_MAX)
		return ENAMETOOLONG;
	*out = '\0';
	while (rest[strspn(rest, "/")]) {
		const char *part = rest + strspn(rest, "/");
		size_t n = strcspn(part, "/"), length = strlen(out);
		ssize_t got;

		if (length + n + 2 > PATH_MAX)
			return ENAMETOOLONG;
		if (n == 1 && *part == '.') {
			memmove(rest, part + n, strlen(part + n) + 1);
			continue;
		}
		snprintf(out + length, PATH_MAX - length, "%s%.*s", length ? "/" : "", (int)n,
		         part);
		memmove(rest, part + n, strlen(part + n) + 1);
		if (!strcmp(out + length + (length != 0), "..")) {
			go_up(out);
			go_up(out);
			continue;
		}
		got = readlinkat(root, out, target, sizeof(target) - 1);
		if (got < 0)
			continue; /* no link, or nothing, which opening it will show */
		target[got] = '\0';
		if (++links > LINKS_MAX)
			return ELOOP;
		if ((size_t)got + strlen(rest) + 1 > PATH_MAX)
			return ENAMETOOLONG;
		memmove(rest + got, rest, strlen(rest) + 1);
		memcpy(rest, target, (size_t)got);
		if (*target == '/')
			*out = '\0';
		else
			go_up(out);
	}
	return 0;
}

int rootfs_open(int root, const char *path, int flags)
{
	char resolved[PATH_MAX];

	errno = resolve_in_root(root, path, resolved);
	if (errno)
		return -1;
	return openat(root, *resolved ? resolved : ".", flags | O_CLOEXEC | O_NOFOLLOW);
}

int rootfs_file(int root, const char *path)
{
	return regular_open(rootfs_open(root, path, O_PATH));
}

int rootfs_stream(struct stream *s, int root, const char *path)
{
	return stream_take(s, rootfs_file(root, path), '\n');
}
