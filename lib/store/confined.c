/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SQLite within one directory: whoever can write there can put links beside a database, and a
 * journal in which any path stands.  Its files are opened below a directory that is open, as
 * "/proc/self/fd/N/history.db", and nothing else is.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/files.h>

#include "base/array.h"
#include "store/sql.h"
#include "store/store.h"

#define WITHIN "/proc/self/fd/"

static sqlite3_vfs *unix_vfs, confined;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The history, or what SQLite keeps beside it: its name and its directory; NULL: another path. */
static const char *name_in(const char *path, int *dir)
{
	static const char *const names[] = { STORE_HISTORY, STORE_HISTORY "-wal",
		                             STORE_HISTORY "-shm", STORE_HISTORY "-journal" };
	char *end;

	if (!path || strncmp(path, WITHIN, strlen(WITHIN)) != 0)
		return NULL;
	*dir = (int)strtol(path + strlen(WITHIN), &end, 10);
	for (size_t i = 0; *end == '/' && i < ARRAY_SIZE(names); i++)
		if (!strcmp(end + 1, names[i]))
			return names[i];
	return NULL;
}

/* In place of open(2) in all of SQLite, which sees a difference only below such a directory. */
static int open_within(const char *path, int flags, int mode)
{
	const char *name;
	int dir, fd;

	name = name_in(path, &dir);
	if (!name)
		return open(path, flags, mode);
	fd = ibc_file_open(dir, name, flags, (unsigned int)mode, NULL);
	if (fd < 0)
		errno = -fd;
	return fd < 0 ? -1 : fd;
}

static int confined_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags,
                         int *out)
{
	int dir;

	(void)vfs;
	file->pMethods = NULL;
	if (path && !name_in(path, &dir)) /* NULL: a file without a name, to sort in */
		return SQLITE_CANTOPEN;
	return unix_vfs->xOpen(&confined, path, file, flags, out);
}

static int confined_delete(sqlite3_vfs *vfs, const char *path, int sync)
{
	int dir;

	(void)vfs;
	return name_in(path, &dir) ? unix_vfs->xDelete(&confined, path, sync) : SQLITE_IOERR_DELETE;
}

/* No link on the way is resolved: that path could be replaced before it is opened. */
static int confined_name(sqlite3_vfs *vfs, const char *path, int n, char *out)
{
	(void)vfs;
	return snprintf(out, (size_t)n, "%s", path) < n ? SQLITE_OK : SQLITE_CANTOPEN;
}

static void set_up(void)
{
	unix_vfs = sqlite3_vfs_find("unix");
	if (!unix_vfs || unix_vfs->iVersion < 3)
		return;
	confined = *unix_vfs;
	confined.zName = "ibcheck";
	confined.pNext = NULL;
	confined.xOpen = confined_open;
	confined.xDelete = confined_delete;
	confined.xFullPathname = confined_name;
	if (unix_vfs->xSetSystemCall(unix_vfs, "open", (sqlite3_syscall_ptr)open_within) ||
	    sqlite3_vfs_register(&confined, 0))
		confined.zName = NULL;
}

const char *confined_vfs(void)
{
	pthread_once(&once, set_up);
	return confined.zName ? confined.zName : "none";
}

void confined_path(char path[CONFINED_PATH], int dir)
{
	snprintf(path, CONFINED_PATH, WITHIN "%d/" STORE_HISTORY, dir);
}
