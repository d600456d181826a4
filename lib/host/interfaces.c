/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interfaces of a host and how they belong together: by netlink in every network
 * namespace of a live host, from sysfs where the root is a captured tree.  sysfs shows one
 * namespace only, so that netlink is preferred.
 */
#include <string.h>

#include "host/netdev.h"

static void name_relations(struct ibc_host *host, struct netdev *dev)
{
	struct netdev *up = dev->link ? netdev_by_index(host, dev->seen.netns, dev->link) : NULL;
	struct netdev *master = dev->master ? netdev_by_index(host, dev->seen.netns, dev->master)
	                                    : NULL;

	if (up && up != dev)
		dev->seen.parent = up->seen.name;
	if (master)
		dev->seen.master = master->seen.name;
	if (!dev->seen.ipoib && up && up->seen.ipoib)
		dev->seen.ipoib = true; /* what sits on IPoIB sends over it */
}

static void find_port(const struct ibc_host *host, struct ibc_netdev *dev)
{
	const struct ibc_rdma_device *device;
	uint64_t prefix = 0, guid = 0;

	for (unsigned int i = 0; i < 8; i++) {
		prefix = prefix << 8 | dev->gid[i];
		guid = guid << 8 | dev->gid[8 + i];
	}
	for (size_t i = 0; guid && (device = ibc_host_device(host, i)); i++)
		for (size_t p = 0; !dev->device && p < device->num_ports; p++)
			if (device->ports[p].guid == guid &&
			    device->ports[p].subnet_prefix == prefix) {
				dev->device = device;
				dev->port = device->ports[p].num;
			}
}

static int by_netns_and_name(const void *a, const void *b)
{
	const struct ibc_netdev *x = *(void *const *)a, *y = *(void *const *)b;

	if (x->netns != y->netns)
		return x->netns < y->netns ? -1 : 1;
	return strverscmp(x->name, y->name);
}

void host_read_netdevs(struct ibc_host *host)
{
	host_find_netns(host);
	for (unsigned int i = 0; i < host->netns.n; i++)
		netdev_read_netns(host, i);
	if (!host->live)
		host_read_netdevs_of_sysfs(host);
	for (size_t i = 0; i < host->netdevs.n; i++) {
		name_relations(host, host->netdevs.items[i]);
		find_port(host, &((struct netdev *)host->netdevs.items[i])->seen);
	}
	host_sort(&host->netdevs, by_netns_and_name);
}
