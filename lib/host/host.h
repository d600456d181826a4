/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The inside of a host (model.c): each file of this directory fills a list or two of it. */
#include <stdalign.h>

#include <ibcheck/host.h>

#include "host/tree.h"

struct arena;
struct mnl_socket;

/* Pointers to items in the arena, so that items may point to each other. */
struct host_list {
	void **items;
	size_t n, room;
};

/* the longest item: the path of a line, each byte of which became U+FFFD */
#define SPARE_BYTES (3 * 4096 + 16)

/*
 * struct ibc_host - see the public header
 * @root: without its last slashes: "" is this host as it runs
 * @live: netlink may be asked: the root is "/"
 */
struct ibc_host {
	struct arena *arena;
	struct ibc_host_opts opts;
	const char *root, *name;
	double seconds;
	bool live, privileged, out_of_memory;
	bool modules_denied;
	bool resources_unread; /* the kernel did not say who has queue pairs */
	struct host_list unread, facts, devices, bridges, netns, netdevs, sockets, log_lines,
	    processes, storage, pci, ethernet, vfs, verbs, denied, rdma_limits, rdma_groups;
	struct mnl_socket *ethtool; /* generic netlink, while modules are read; NULL: files are */
	uint16_t ethtool_family;
	const struct ibc_setting *settings; /* in files that every program reads */
	size_t num_settings;
	alignas(max_align_t) unsigned char spare[SPARE_BYTES]; /* of host_new() */
};

/*
 * A new item at the end of a list, zeroed.  When out of memory, which is remembered, it is in no
 * list, and goes with the next one.
 */
void *host_new(struct ibc_host *host, struct host_list *list, size_t size);
/* n elements, at least one, zeroed; NULL as above. */
void *host_array(struct ibc_host *host, size_t n, size_t size);
/* Orders a list; the comparison gets pointers to pointers to items. */
void host_sort(struct host_list *list, int (*compare)(const void *, const void *));
/* In a list in this order; the comparison gets the key, and a pointer to a pointer to an item. */
void *host_find(const struct host_list *list, const void *key,
                int (*compare)(const void *, const void *));

void host_sort_facts(struct ibc_host *host);

/* tree.c: processes in /proc, in rising order; n is 0 where it cannot be read, which is noted. */
struct pids {
	int *items;
	size_t n;
};
struct pids list_pids(struct ibc_host *host);
/* fds.c: the record of a process, a new one if it has none. */
struct ibc_process *host_process(struct ibc_host *host, int pid);
/*
 * A process whose descriptors may not be looked at, and whether a socket could be among them.  A
 * socket has the user that made it and the control group it was made in; one that no such
 * process fits is the kernel's own.
 */
void add_denied(struct ibc_host *host, const struct dir *proc, int pid);
bool may_be_denied(const struct ibc_host *host, const struct ibc_socket *socket);

/*
 * The parts, which host.c reads in its order: rdma.c, portfiles.c (counters, GIDs),
 * netdev.c, sockets.c, fds.c, resources.c, process.c, environment.c (settings), logs.c,
 * mounts.c (storage), pci.c, ethernet.c, vf.c, devlink.c, hwmon.c, modules.c, stack.c, userland.c.
 */
void host_read_rdma(struct ibc_host *host);
void host_read_counters(struct ibc_host *host);
void host_read_gids(struct ibc_host *host);
void host_read_netdevs(struct ibc_host *host);
void host_read_sockets(struct ibc_host *host);
void host_read_fds(struct ibc_host *host);
void host_read_resources(struct ibc_host *host);
void host_read_processes(struct ibc_host *host);
void host_read_settings(struct ibc_host *host);
void host_read_logs(struct ibc_host *host);
void host_read_storage(struct ibc_host *host);
void host_read_pci(struct ibc_host *host);
void host_read_ethernet(struct ibc_host *host);
void host_read_vfs(struct ibc_host *host);
void host_read_devlink(struct ibc_host *host);
void host_read_sensors(struct ibc_host *host);
void host_read_modules(struct ibc_host *host);
void host_read_stack(struct ibc_host *host);
void host_read_userland(struct ibc_host *host);
