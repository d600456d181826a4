/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/host.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "host/cgroup.h"
#include "host/lines.h"

#define UIDS 4 /* real, effective, saved, of file systems */

/* struct holder - what sockets of a process are known by; @cgroup: 0: not known */
struct holder {
	unsigned int uids[UIDS];
	bool uids_known;
	uint64_t cgroup;
};

/* Both files are open to everybody.  False: it has ended. */
static bool read_holder(struct ibc_host *host, const struct dir *proc, int pid,
                        struct holder *holder)
{
	char file[32], full[CGROUP_PATH_BYTES];
	unsigned int *u = holder->uids;
	const char *text = NULL;
	struct stream s;
	struct stat st;

	snprintf(file, sizeof(file), "%d/status", pid);
	if (stream_open(&s, proc->fd, file, '\n'))
		return false;
	while (!holder->uids_known && stream_next(&s)) {
		text = text_after(s.item, "Uid:");
		holder->uids_known = text && sscanf(text, "%u %u %u %u", &u[0], &u[1], &u[2],
		                                    &u[3]) == UIDS;
	}
	stream_close(&s);
	snprintf(file, sizeof(file), "%d/cgroup", pid);
	stream_open(&s, proc->fd, file, '\n');
	text = NULL;
	while (!text && stream_next(&s))
		text = cgroup_of(s.item);
	/* the inode of the directory is the id of the group (Linux, kernfs) */
	if (text && cgroup_dir(host, text, full) && !stat(full, &st))
		holder->cgroup = st.st_ino;
	stream_close(&s);
	return true;
}

/* Most of those that nobody may look into are of few users and few groups. */
void add_denied(struct ibc_host *host, const struct dir *proc, int pid)
{
	struct holder holder = { .cgroup = 0 }, *kept;

	if (!read_holder(host, proc, pid, &holder))
		return;
	for (size_t i = 0; i < host->denied.n; i++) {
		kept = host->denied.items[i];
		if (kept->uids_known == holder.uids_known && kept->cgroup == holder.cgroup &&
		    !memcmp(kept->uids, holder.uids, sizeof(holder.uids)))
			return;
	}
	kept = host_new(host, &host->denied, sizeof(*kept));
	*kept = holder;
}

bool may_be_denied(const struct ibc_host *host, const struct ibc_socket *socket)
{
	for (size_t i = 0; i < host->denied.n; i++) {
		const struct holder *h = host->denied.items[i];
		bool same_user = !h->uids_known;

		for (size_t k = 0; k < UIDS; k++)
			same_user |= h->uids[k] == socket->uid;
		if (same_user && (!h->cgroup || !socket->cgroup || h->cgroup == socket->cgroup))
			return true;
	}
	return false;
}
