/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the parts of a host that are asked for, and hands them out. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "host/host.h"
#include "host/net/netns.h"

#define HOST_NAME_MAX_BYTES 256 /* more than HOST_NAME_MAX of Linux, 64 */

/* In this order: a part may look at those above it. */
static const struct {
	uint32_t bit;
	void (*read)(struct ibc_host *host);
} parts[] = {
	{ IBC_HOST_RDMA, host_read_rdma },
	{ IBC_HOST_COUNTERS, host_read_counters },
	{ IBC_HOST_GIDS, host_read_gids },
	{ IBC_HOST_NETDEVS, host_read_netdevs },
	{ IBC_HOST_SOCKETS, host_read_sockets },
	{ IBC_HOST_SOCKETS | IBC_HOST_PROCESSES, host_read_fds },
	{ IBC_HOST_PROCESSES, host_read_resources },
	{ IBC_HOST_PROCESSES, host_read_processes },
	{ IBC_HOST_PROCESSES, host_read_logs },
	{ IBC_HOST_PROCESSES | IBC_HOST_STACK, host_read_settings },
	{ IBC_HOST_STORAGE, host_read_storage },
	{ IBC_HOST_PCI, host_read_pci },
	{ IBC_HOST_PCI, host_read_vfs },
	{ IBC_HOST_STACK, host_read_devlink },
	{ IBC_HOST_STACK, host_read_sensors },
	{ IBC_HOST_STACK, host_read_modules },
	{ IBC_HOST_STACK, host_read_stack },
	{ IBC_HOST_STACK, host_read_userland },
	{ IBC_HOST_ETHERNET, host_read_ethernet },
};

int ibc_host_read(const struct ibc_host_opts *opts, struct ibc_host **out, struct ibc_error *err)
{
	static const struct ibc_host_opts defaults;
	const char *root, *text = NULL;
	char name[HOST_NAME_MAX_BYTES] = "";
	struct ibc_host *host;
	struct timespec now;
	size_t length;
	int fd;

	opts = opts ? opts : &defaults;
	root = opts->root ? opts->root : "/";
	fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fail(err, -ENOENT, "cannot read the host below \"%s\": %s", root,
		            strerror(errno));
	close(fd);
	host = xalloc(sizeof(*host));
	if (!host)
		return fail_nomem(err);
	length = strlen(root);
	while (length && root[length - 1] == '/')
		length--;
	host->opts = *opts;
	host->opts.parts |= IBC_HOST_RDMA;
	if (opts->parts & (IBC_HOST_SOCKETS | IBC_HOST_ETHERNET))
		host->opts.parts |= IBC_HOST_NETDEVS;
	if (opts->parts & IBC_HOST_ETHERNET)
		host->opts.parts |= IBC_HOST_GIDS;
	clock_gettime(CLOCK_MONOTONIC, &now);
	host->seconds = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
	host->live = length == 0;
	host->privileged = geteuid() == 0;
	host->arena = arena_new();
	host->root = host->arena ? arena_strndup(host->arena, root, length) : NULL;
	host->out_of_memory = !host->root;
	if (host->out_of_memory)
		goto no_memory;
	if (!host->live)
		text = read_lone(host, "/etc", "hostname");
	else if (!gethostname(name, sizeof(name) - 1))
		text = host_text(host, "%s", name);
	host->name = text ? text : "";
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (host->opts.parts & parts[i].bit)
			parts[i].read(host);
	host_close_netns(host);
	host_sort_facts(host);
	host->opts.before = NULL; /* it may be gone before this reading */
	if (host->out_of_memory)
		goto no_memory;
	*out = host;
	return 0;

no_memory:
	ibc_host_free(host);
	return fail_nomem(err);
}
