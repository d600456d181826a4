/* SPDX-License-Identifier: BSD-2-Clause */
#include <ibcheck/files.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"

#define LINKS_MAX 40 /* as the kernel: path_resolution(7) */

/*
 * struct walk - a path that is followed step by step
 * @dir: how far that has come; @todo: what is left; @links: followed so far
 */
struct walk {
	char todo[PATH_MAX];
	unsigned int links;
	int dir;
};

static int move_to(struct walk *w, int dir)
{
	if (w->dir >= 0)
		close(w->dir);
	w->dir = dir;
	return dir < 0 ? -errno : 0;
}

/* What is left begins where a link leads; 1: it is one of /proc, which leads to no path. */
static int follow(struct walk *w, int link, const char *rest)
{
	char target[PATH_MAX], after[PATH_MAX];
	ssize_t n = readlinkat(link, "", target, sizeof(target) - 1);
	struct statfs fs;

	if (n < 0)
		return -errno;
	target[n] = '\0';
	if (*target != '/' && !*rest && !fstatfs(link, &fs) && fs.f_type == PROC_SUPER_MAGIC)
		return 1;
	if (++w->links > LINKS_MAX)
		return -ELOOP;
	n = snprintf(after, sizeof(after), "%s/%s", target, rest);
	if (n < 0 || (size_t)n >= sizeof(after))
		return -ENAMETOOLONG;
	memcpy(w->todo, after, (size_t)n + 1);
	return *target == '/' ? move_to(w, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)) : 0;
}

/* One name of the path.  1: it is the last one, and @name; what it is need not be there. */
static int step(struct walk *w, char name[PATH_MAX], bool in_directory)
{
	const char *from = w->todo + strspn(w->todo, "/"), *rest;
	size_t n = strcspn(from, "/");
	struct stat st;
	int fd, rc;

	rest = from + n + strspn(from + n, "/");
	snprintf(name, PATH_MAX, "%.*s", n ? (int)n : 1, n ? from : ".");
	fd = openat(w->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT && !*rest && in_directory ? 1 : -errno;
	if (fstat(fd, &st))
		rc = -errno;
	else if (S_ISLNK(st.st_mode)) /* those of others may not lead us elsewhere */
		rc = st.st_uid == 0 || st.st_uid == geteuid() ? follow(w, fd, rest) : -ELOOP;
	else if (!*rest && in_directory)
		rc = 1;
	else if (!S_ISDIR(st.st_mode))
		rc = -ENOTDIR;
	else {
		rc = *rest ? 0 : 1;
		memmove(w->todo, rest, strlen(rest) + 1);
		move_to(w, fd);
		return rc;
	}
	close(fd);
	return rc;
}

int ibc_dir_open(const char *path, char **last, struct ibc_error *err)
{
	struct walk w = { .dir = -1 };
	char name[PATH_MAX] = "";
	int rc = *path ? -ENAMETOOLONG : -ENOENT;

	if (*path && strlen(path) < sizeof(w.todo)) {
		strcpy(w.todo, path);
		rc = move_to(&w, open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
	}
	while (!rc)
		rc = step(&w, name, last);
	if (rc > 0 && !last)
		rc = move_to(&w, openat(w.dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	else if (rc > 0) {
		*last = xalloc(strlen(name) + 1);
		rc = *last ? rc : -ENOMEM;
		if (*last)
			strcpy(*last, name);
	}
	if (rc >= 0)
		return w.dir;
	if (w.dir >= 0)
		close(w.dir);
	if (rc == -ELOOP)
		return fail(err, rc,
		            "cannot use %s: \"%s\" is a link of another user, or in a circle", path,
		            name);
	return fail(err, rc, "cannot open %s: %s", path, strerror(-rc));
}

int ibc_dir_make(const char *path, struct ibc_error *err)
{
	int above, dir, rc = 0;
	char *name;

	above = ibc_dir_open(path, &name, err);
	if (above == -ENOENT)
		return fail(err, above, "cannot make %s: %s", path, strerror(ENOENT));
	if (above < 0)
		return above;
	if (mkdirat(above, name, 0755) && errno != EEXIST)
		rc = fail(err, -errno, "cannot make %s: %s", path, strerror(errno));
	dir = rc ? rc : openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (!rc && dir < 0)
		dir = fail(err, -errno, "cannot open %s: %s", path, strerror(errno));
	close(above);
	free(name);
	return dir;
}

int ibc_file_open(int dir, const char *name, int flags, unsigned int mode, struct ibc_error *why)
{
	int fd = openat(dir, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode);
	int rc = fd < 0 ? -errno : 0;
	struct stat st;

	if (!rc && fstat(fd, &st))
		rc = -errno;
	if (rc)
		fail(why, 0, "%s", rc == -ELOOP ? "it is a link" : strerror(-rc));
	else if (!S_ISREG(st.st_mode))
		rc = fail(why, -EINVAL, "it is no file");
	else if (st.st_nlink > 1)
		rc = fail(why, -EMLINK, "it has another name, too (a hard link)");
	if (rc && fd >= 0)
		close(fd);
	return rc ? rc : fd;
}

/* A link of /proc leads to what this process has open, whatever that is. */
static int open_to_read(int dir, const char *name, struct ibc_error *why)
{
	struct statfs fs;
	int fd;

	if (fstatfs(dir, &fs) || fs.f_type != PROC_SUPER_MAGIC)
		return ibc_file_open(dir, name, O_RDONLY, 0, why);
	fd = openat(dir, name, O_RDONLY | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? fail(why, -errno, "%s", strerror(errno)) : fd;
}

int ibc_file_read(const char *path, FILE **in, struct ibc_error *err)
{
	struct ibc_error why = { "" };
	char *name;
	int dir = ibc_dir_open(path, &name, err), fd;

	if (dir < 0)
		return dir;
	fd = open_to_read(dir, name, &why);
	close(dir);
	free(name);
	if (fd < 0)
		return fail(err, fd, "cannot open %s: %s", path, why.text);
	*in = fdopen(fd, "r");
	if (*in)
		return 0;
	close(fd);
	return fail_nomem(err);
}
