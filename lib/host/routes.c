/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/routes.h"

#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

#include "base/hash.h"
#include "host/netlink.h"

/* struct route - @ends: the addresses, ours first */
struct route {
	uint8_t ends[2][16];
	unsigned int interface;
	UT_hash_handle hh;
};

static int on_route(const struct nlmsghdr *message, void *ctx)
{
	const struct nlattr *attr[RTA_OIF + 1];

	if (mnl_nlmsg_get_payload_len(message) < sizeof(struct rtmsg))
		return MNL_CB_STOP;
	netlink_parse(message, sizeof(struct rtmsg), attr, RTA_OIF);
	*(unsigned int *)ctx = attr_u32(attr[RTA_OIF]);
	return MNL_CB_STOP;
}

static unsigned int ask_route(struct mnl_socket *socket, const struct ibc_address *local,
                              const struct ibc_address *remote)
{
	size_t n = remote->v4 ? 4 : 16, at = sizeof(remote->raw) - n;
	char buf[NETLINK_REQUEST_BYTES];
	unsigned int interface = 0;
	struct nlmsghdr *request;
	struct rtmsg *route;
	void *extra;

	request = netlink_request(buf, RTM_GETROUTE, 0, sizeof(*route), &extra);
	route = extra;
	route->rtm_family = remote->v4 ? AF_INET : AF_INET6;
	route->rtm_dst_len = route->rtm_src_len = (unsigned char)(8 * n);
	mnl_attr_put(request, RTA_DST, n, remote->raw + at);
	mnl_attr_put(request, RTA_SRC, n, local->raw + at);
	return netlink_ask(socket, request, on_route, &interface) ? 0 : interface;
}

unsigned int route_interface(struct routes *routes, const struct ibc_address *local,
                             const struct ibc_address *remote)
{
	struct route key = { .interface = 0 }, *route;

	if (!routes->socket || local->v4 != remote->v4)
		return 0;
	memcpy(key.ends[0], local->raw, sizeof(key.ends[0]));
	memcpy(key.ends[1], remote->raw, sizeof(key.ends[1]));
	HASH_FIND(hh, routes->known, key.ends, sizeof(key.ends), route);
	if (route)
		return route->interface;
	key.interface = ask_route(routes->socket, local, remote);
	route = host_array(routes->host, 1, sizeof(*route));
	if (!route)
		return key.interface;
	*route = key;
	HASH_ADD(hh, routes->known, ends, sizeof(route->ends), route);
	if (!hash_added(route))
		routes->host->out_of_memory = true;
	return key.interface;
}

void routes_forget(struct routes *routes)
{
	HASH_CLEAR(hh, routes->known);
}
