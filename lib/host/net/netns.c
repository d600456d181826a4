/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/host.h"
#include "host/net/netlink.h"
#include "host/net/netns.h"

#define LINE_BYTES 4096 /* a line of mountinfo: two paths, mostly short */

static void add_netns(struct ibc_host *host, uint64_t inode, const char *path)
{
	const struct ibc_netns *known;
	struct netns *ns;

	for (size_t i = 0; (known = ibc_host_netns(host, i)); i++)
		if (known->inode == inode)
			return;
	ns = host_new(host, &host->netns, sizeof(*ns));
	ns->seen = (struct ibc_netns){ .inode = inode,
		                       .path = host_text(host, "%s", path),
		                       .own = host->netns.n == 1 };
	ns->door.inet = -1;
}

uint64_t netns_inode(const char *text)
{
	unsigned long long inode;
	int end = 0;

	if (sscanf(text, "net:[%llu]%n", &inode, &end) != 1 || !end)
		return 0;
	return inode;
}

/* ---- where they are ------------------------------------------------------------- */

/* False: whose it is, we may not know. */
static bool add_of_process(struct ibc_host *host, const char *pid)
{
	char path[64], target[64];

	snprintf(path, sizeof(path), "/proc/%s/ns/net", pid);
	if (!read_link(AT_FDCWD, path, target, sizeof(target)))
		return errno != EACCES && errno != EPERM;
	if (netns_inode(target))
		add_netns(host, netns_inode(target), path);
	return true;
}

/* ---- going in --------------------------------------------------------------------- */

static void open_door(struct netns *ns)
{
	ns->door.route = netlink_open(NETLINK_ROUTE);
	ns->door.diag = netlink_open(NETLINK_SOCK_DIAG);
	ns->door.inet = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (!ns->door.route)
		ns->seen.error = errno;
}

static void *enter_netns(void *arg)
{
	struct netns *ns = arg;
	int fd = open(ns->seen.path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || setns(fd, CLONE_NEWNET))
		ns->seen.error = errno;
	else
		open_door(ns);
	if (fd >= 0)
		close(fd);
	return NULL;
}

/*
 * A mounted namespace is a line of mountinfo (proc(5)) with the root "net:[N]" in its
 * fourth field, and the place in its fifth.
 */
static void add_of_mounts(struct ibc_host *host)
{
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	char line[LINE_BYTES], inode[64], place[LINE_BYTES];

	if (!mounts) {
		note_unread(host, "/proc/self/mountinfo", errno);
		return;
	}
	while (fgets(line, sizeof(line), mounts))
		if (sscanf(line, "%*s %*s %*s %63s %4095s", inode, place) == 2 &&
		    netns_inode(inode))
			add_netns(host, netns_inode(inode), place);
	fclose(mounts);
}

void host_find_netns(struct ibc_host *host)
{
	size_t kept = 0;
	bool all = true;
	struct pids pids;
	char pid[16];

	if (!host->live || host->netns.n)
		return;
	add_of_process(host, "self");
	pids = list_pids(host);
	for (size_t i = 0; i < pids.n; i++) {
		snprintf(pid, sizeof(pid), "%d", pids.items[i]);
		all &= add_of_process(host, pid);
	}
	if (!all)
		note_unread(host, "/proc/*/ns/net", EACCES);
	add_of_mounts(host);
	for (size_t i = 0; i < host->netns.n; i++) {
		struct netns *ns = host->netns.items[i];
		pthread_t thread;
		int error;

		/* without privilege setns() is not allowed, not even to where the caller is */
		if (ns->seen.own) {
			open_door(ns);
		} else {
			error = pthread_create(&thread, NULL, enter_netns, ns);
			if (error)
				ns->seen.error = error;
			else /* until it ends the error is the thread's to write */
				pthread_join(thread, NULL);
		}
		if (ns->seen.error == ENOENT || ns->seen.error == ESRCH)
			continue; /* its last process ended meanwhile */
		if (ns->seen.error)
			note_unread(host, ns->seen.path, ns->seen.error);
		host->netns.items[kept++] = ns;
	}
	host->netns.n = kept;
}

void host_close_netns(struct ibc_host *host)
{
	for (size_t i = 0; i < host->netns.n; i++) {
		struct netns_door *door = &((struct netns *)host->netns.items[i])->door;

		if (door->route)
			mnl_socket_close(door->route);
		if (door->diag)
			mnl_socket_close(door->diag);
		if (door->inet >= 0)
			close(door->inet);
		*door = (struct netns_door){ .inet = -1 };
	}
}
