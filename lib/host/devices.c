/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a process sees through its root directory: the devices it could open, and which /dev
 * that is.  Where its control group is of version 2, a program may keep it from a device
 * that looks usable.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "host/process/process.h"
#include "host/rootfs.h"

#define DEVICES "dev/infiniband"
#define VERBS   "uverbs"
#define MANAGER "rdma_cm"

/* ---- its root ------------------------------------------------------------------- */

int open_root(struct proc_reader *r)
{
	char target[STREAM_ITEM_BYTES];

	/* in a captured tree the link would lead out of it */
	if (!r->host->live && read_link(r->dir.fd, "root", target, sizeof(target)))
		r->root = open(host_text(r->host, "%s/%s", r->host->root, target),
		               O_PATH | O_DIRECTORY | O_CLOEXEC);
	else
		r->root = openat(r->dir.fd, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return r->root < 0 ? errno : 0;
}

static bool sees_other(const struct proc_reader *r, const char *name)
{
	const char *path = host_text(r->host, "%s/%s", r->host->root, name);
	struct stat ours, its;

	if (stat(path, &ours))
		return false;
	return fstatat(r->root, name, &its, 0) || its.st_dev != ours.st_dev ||
	       its.st_ino != ours.st_ino;
}

/* ---- devices --------------------------------------------------------------------- */

/* Linux fs/namei.c, generic_permission(), for reading and writing. */
static enum ibc_access access_to(const struct proc_reader *r, const struct stat *st)
{
	const struct credentials *who = &r->credentials;
	bool in_group = who->gid == st->st_gid;
	unsigned int mode = st->st_mode;

	/* a file that a container got in its place is none; captures have nothing else */
	if (r->host->live && !S_ISCHR(st->st_mode))
		return IBC_ACCESS_MISSING;
	for (size_t i = 0; i < who->num_groups; i++)
		in_group |= who->groups[i] == st->st_gid;
	if (who->uid == st->st_uid)
		mode >>= 6;
	else if (in_group)
		mode >>= 3;
	return who->overrides || (mode & 6) == 6 ? IBC_ACCESS_OPEN : IBC_ACCESS_FORBIDDEN;
}

int read_devices(struct proc_reader *r)
{
	const struct dirent *entry;
	const char **names;
	struct stat st;
	DIR *devices;
	int fd, error;

	/* something else can be mounted on either */
	r->process->own_root = sees_other(r, "dev") || sees_other(r, DEVICES);
	fd = rootfs_open(r->root, DEVICES, O_RDONLY | O_DIRECTORY);
	devices = entries_of(fd);
	error = devices ? 0 : errno;
	if (error && error != ENOENT)
		return error;
	while (devices && (entry = next_entry(devices, &error))) {
		const char *name = entry->d_name;
		bool manager = !strcmp(name, MANAGER);
		enum ibc_access access;

		if ((!manager && !text_after(name, VERBS)) || fstatat(fd, name, &st, 0))
			continue;
		access = access_to(r, &st);
		if (manager)
			r->process->manager = (uint8_t)access;
		else
			r->process->devices_seen++;
		if (!manager && access == IBC_ACCESS_OPEN)
			strcpy(host_new(r->host, &r->usable, strlen(name) + 1), name);
	}
	if (devices)
		closedir(devices);
	host_sort(&r->usable, by_version);
	names = host_array(r->host, r->usable.n + 1, sizeof(*names));
	if (names && r->usable.n)
		memcpy(names, r->usable.items, r->usable.n * sizeof(*names));
	r->process->devices = names;
	r->process->devices_usable = (unsigned int)r->usable.n;
	return error == ENOENT ? 0 : error;
}
