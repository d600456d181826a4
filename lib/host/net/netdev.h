/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "host/host.h"
#include "host/net/netns.h"

/* struct netdev - the public part comes first; indices of others in the same namespace, or 0 */
struct netdev {
	struct ibc_netdev seen;
	unsigned int link, master;
};

/* By its number in a namespace; NULL: there is none. */
struct netdev *netdev_by_index(const struct ibc_host *host, unsigned int netns, unsigned int index);
/* From what the kernel has in AF_INET or AF_INET6; false: another family. */
bool address_of(int family, const void *bytes, struct ibc_address *out);
