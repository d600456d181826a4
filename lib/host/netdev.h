/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_NETDEV_H
#define HOST_NETDEV_H

#include "host/host.h"
#include "host/netns.h"

/* struct netdev - the public part comes first; indices of others in the same namespace, or 0 */
struct netdev {
	struct ibc_netdev seen;
	unsigned int link, master;
};

/* A new interface, its texts "". */
struct netdev *host_new_netdev(struct ibc_host *host, unsigned int netns);
/* From link-layer addresses, which only count in the length that IPoIB has. */
void netdev_set_hardware(struct ibc_netdev *dev, const unsigned char *address, size_t n,
                         const unsigned char *group, size_t group_n);
/* By its number in a namespace; NULL: there is none. */
struct netdev *netdev_by_index(const struct ibc_host *host, unsigned int netns, unsigned int index);
/* From what the kernel has in AF_INET or AF_INET6; false: another family. */
bool address_of(int family, const void *bytes, struct ibc_address *out);

/* All of a namespace, by its place in the host's list. */
void netdev_read_netns(struct ibc_host *host, unsigned int index);
/* netsysfs.c: the one namespace that a captured tree shows */
void host_read_netdevs_of_sysfs(struct ibc_host *host);

#endif
