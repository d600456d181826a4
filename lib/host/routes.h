/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_ROUTES_H
#define HOST_ROUTES_H

/*
 * Which interface the kernel sends by to a peer: the address of a socket need not be of the
 * interface that its packets leave by (rtnetlink(7), RTM_GETROUTE).  One question for each
 * pair of addresses.
 */
#include "host/host.h"

struct mnl_socket;
struct route;

/* The routes of one namespace, as they are asked for. */
struct routes {
	struct ibc_host *host;
	struct mnl_socket *socket; /* NETLINK_ROUTE, in that namespace */
	struct route *known;
};

/* Its index; 0: there is no route, or it was not known. */
unsigned int route_interface(struct routes *routes, const struct ibc_address *local,
                             const struct ibc_address *remote);
void routes_forget(struct routes *routes);

#endif
