/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/denied.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "host/cgroup.h"
#include "host/host.h"
#include "host/lines.h"

#define UIDS 4 /* real, effective, saved, of file systems */

/* struct holder - what sockets of a process can be told by; @cgroup: 0: untold */
struct holder {
	unsigned int uids[UIDS];
	bool uids_known;
	uint64_t cgroup;
};

static bool take_uids(struct holder *holder, const char *line)
{
	unsigned int *u = holder->uids;
	const char *text = text_after(line, "Uid:");

	return text && sscanf(text, "%u %u %u %u", &u[0], &u[1], &u[2], &u[3]) == UIDS;
}

/* The inode of the directory is the id of the group (Linux, kernfs). */
static bool take_group(const struct ibc_host *host, struct holder *holder, const char *line)
{
	char full[CGROUP_PATH_BYTES];
	const char *path = cgroup_of(line);
	struct stat st;

	if (!path)
		return false;
	if (cgroup_dir(host, path, full) && !stat(full, &st))
		holder->cgroup = st.st_ino;
	return true;
}

/* Both files are open to everybody.  False: it has ended. */
static bool read_holder(struct ibc_host *host, const struct dir *proc, int pid,
                        struct holder *holder)
{
	struct stream s;
	char path[32];
	bool found = false;

	snprintf(path, sizeof(path), "%d/status", pid);
	if (stream_open(&s, proc->fd, path, '\n'))
		return false;
	while (!holder->uids_known && stream_next(&s))
		holder->uids_known = take_uids(holder, s.item);
	stream_close(&s);
	snprintf(path, sizeof(path), "%d/cgroup", pid);
	stream_open(&s, proc->fd, path, '\n');
	while (!found && stream_next(&s))
		found = take_group(host, holder, s.item);
	stream_close(&s);
	return true;
}

/* Most of those that nobody may look into are of few users and few groups. */
static bool is_like(const struct holder *a, const struct holder *b)
{
	return a->uids_known == b->uids_known && a->cgroup == b->cgroup &&
	       !memcmp(a->uids, b->uids, sizeof(a->uids));
}

void add_denied(struct ibc_host *host, const struct dir *proc, int pid)
{
	struct holder holder = { .cgroup = 0 }, *kept;

	if (!read_holder(host, proc, pid, &holder))
		return;
	for (size_t i = 0; i < host->denied.n; i++)
		if (is_like(host->denied.items[i], &holder))
			return;
	kept = host_new(host, &host->denied, sizeof(*kept));
	if (kept)
		*kept = holder;
}

static bool may_hold(const struct holder *holder, const struct ibc_socket *socket)
{
	bool same_user = !holder->uids_known;

	for (size_t i = 0; i < UIDS; i++)
		same_user |= holder->uids[i] == socket->uid;
	return same_user &&
	       (!holder->cgroup || !socket->cgroup || holder->cgroup == socket->cgroup);
}

bool may_be_denied(const struct ibc_host *host, const struct ibc_socket *socket)
{
	for (size_t i = 0; i < host->denied.n; i++)
		if (may_hold(host->denied.items[i], socket))
			return true;
	return false;
}
