/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP sockets whose local address is on an IPoIB interface, in every network namespace
 * (sock_diag(7), Linux include/uapi/linux/inet_diag.h).  Of a socket the bytes count that
 * the peer acknowledged and that arrived, since it was connected.
 *
 * One dump a namespace and family; an address is looked for among those of the namespace's
 * IPoIB interfaces, of which there are few.  Linux sends by whatever interface the route to
 * the peer says, whose address a socket has: of those that moved much, the route decides.
 */
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "base/hash.h"
#include "host/net/netdev.h"
#include "host/net/netlink.h"

/* States in which data may have passed: ESTABLISHED, FIN_WAIT1, FIN_WAIT2, CLOSE_WAIT. */
#define STATES (1U << 1 | 1U << 4 | 1U << 5 | 1U << 8)

/* From so many bytes on it is asked where they go: others weigh nothing. */
#define MUCH_BYTES (1ULL << 20)

/* struct socket - the public part comes first; @bound: the interface it is bound to, or 0 */
struct socket {
	struct ibc_socket seen;
	unsigned int bound;
};

struct socket_reader {
	struct ibc_host *host;
	unsigned int netns;
};

static const struct ibc_netdev *ipoib_of(const struct socket_reader *r,
                                         const struct ibc_address *local)
{
	const struct ibc_netdev *dev;

	for (size_t i = 0; (dev = ibc_host_netdev(r->host, i)); i++)
		for (size_t k = 0; dev->netns == r->netns && dev->ipoib && k < dev->num_addresses;
		     k++)
			if (!memcmp(dev->addresses[k].raw, local->raw, sizeof(local->raw)))
				return dev;
	return NULL;
}

static void take_info(struct ibc_socket *socket, const struct nlattr *attr)
{
	struct tcp_info info = { .tcpi_rtt = 0 };
	size_t n = attr ? mnl_attr_get_payload_len(attr) : 0;

	if (!n)
		return;
	/* kernels know less of it, or more */
	memcpy(&info, mnl_attr_get_payload(attr), n < sizeof(info) ? n : sizeof(info));
	/* the SYN counts as a byte that was acknowledged */
	socket->sent = info.tcpi_bytes_acked ? info.tcpi_bytes_acked - 1 : 0;
	socket->received = info.tcpi_bytes_received;
	socket->rtt_us = info.tcpi_rtt;
	socket->pmtu = info.tcpi_pmtu;
}

static bool moved_much(const struct ibc_socket *socket)
{
	return socket->sent + socket->received >= MUCH_BYTES;
}

static int on_socket(const struct nlmsghdr *message, void *ctx)
{
	const struct socket_reader *r = ctx;
	const struct inet_diag_msg *found = mnl_nlmsg_get_payload(message);
	const struct nlattr *attr[INET_DIAG_CGROUP_ID + 1];
	struct ibc_socket seen = { .netns = r->netns };
	struct socket *socket;

	/* without an inode: its program has not accepted it yet, or closed it */
	if (mnl_nlmsg_get_payload_len(message) < sizeof(*found) || !found->idiag_inode ||
	    !address_of(found->idiag_family, found->id.idiag_src, &seen.local))
		return MNL_CB_OK;
	netlink_parse(message, sizeof(*found), attr, INET_DIAG_CGROUP_ID);
	take_info(&seen, attr[INET_DIAG_INFO]);
	seen.netdev = ipoib_of(r, &seen.local);
	if (!seen.netdev && !moved_much(&seen))
		return MNL_CB_OK;
	seen.inode = found->idiag_inode;
	seen.uid = found->idiag_uid;
	seen.cgroup = attr_u64(attr[INET_DIAG_CGROUP_ID]);
	seen.local_port = ntohs(found->id.idiag_sport);
	seen.remote_port = ntohs(found->id.idiag_dport);
	address_of(found->idiag_family, found->id.idiag_dst, &seen.remote);
	socket = host_new(r->host, &r->host->sockets, sizeof(*socket));
	*socket = (struct socket){ seen, found->id.idiag_if };
	return MNL_CB_OK;
}

static int dump_sockets(struct socket_reader *r, struct mnl_socket *diag, uint8_t family)
{
	char buf[NETLINK_REQUEST_BYTES];
	struct inet_diag_req_v2 *want;
	void *extra;
	struct nlmsghdr *request = netlink_request(buf, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP,
	                                           sizeof(*want), &extra);

	want = extra;
	want->sdiag_family = family;
	want->sdiag_protocol = IPPROTO_TCP;
	want->idiag_ext = 1U << (INET_DIAG_INFO - 1);
	want->idiag_states = STATES;
	return netlink_ask(diag, request, on_socket, r);
}

/* ---- where they go ------------------------------------------------------------------ */

/*
 * struct route - which interface the kernel sends by: the address of a socket need not be of
 * the interface that its packets leave by (rtnetlink(7), RTM_GETROUTE)
 * @ends: the addresses, ours first: one question for each pair
 */
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

/* Its index; 0: there is no route, or it was not known. */
static unsigned int route_interface(struct ibc_host *host, struct mnl_socket *socket,
                                    struct route **known, const struct ibc_address *local,
                                    const struct ibc_address *remote)
{
	size_t n = remote->v4 ? 4 : 16, at = sizeof(remote->raw) - n;
	struct route key = { .interface = 0 }, *route;
	char buf[NETLINK_REQUEST_BYTES];
	struct nlmsghdr *request;
	struct rtmsg *wanted;
	void *extra;

	if (!socket || local->v4 != remote->v4)
		return 0;
	memcpy(key.ends[0], local->raw, sizeof(key.ends[0]));
	memcpy(key.ends[1], remote->raw, sizeof(key.ends[1]));
	HASH_FIND(hh, *known, key.ends, sizeof(key.ends), route);
	if (route)
		return route->interface;
	request = netlink_request(buf, RTM_GETROUTE, 0, sizeof(*wanted), &extra);
	wanted = extra;
	wanted->rtm_family = remote->v4 ? AF_INET : AF_INET6;
	wanted->rtm_dst_len = wanted->rtm_src_len = (unsigned char)(8 * n);
	mnl_attr_put(request, RTA_DST, n, remote->raw + at);
	mnl_attr_put(request, RTA_SRC, n, local->raw + at);
	if (netlink_ask(socket, request, on_route, &key.interface))
		key.interface = 0;
	route = host_array(host, 1, sizeof(*route));
	if (!route)
		return key.interface;
	*route = key;
	HASH_ADD(hh, *known, ends, sizeof(route->ends), route);
	host->out_of_memory |= !hash_added(route);
	return key.interface;
}

/* Those from the first on whose bytes leave by IPoIB stay: of many, the route says by which. */
static void keep_ipoib(struct socket_reader *r, struct netns *ns, size_t first)
{
	struct route *routes = NULL;
	struct host_list *list = &r->host->sockets;
	size_t kept = first;

	for (size_t i = first; i < list->n; i++) {
		struct socket *socket = list->items[i];
		struct ibc_socket *seen = &socket->seen;
		unsigned int interface = socket->bound;

		if (moved_much(seen) && !interface)
			interface = route_interface(r->host, ns->door.route, &routes, &seen->local,
			                            &seen->remote);
		if (moved_much(seen) && interface) {
			struct netdev *dev = netdev_by_index(r->host, r->netns, interface);

			/* what is not IPoIB, or a loopback, is none */
			seen->netdev = dev && dev->seen.ipoib ? &dev->seen : NULL;
		}
		if (seen->netdev)
			list->items[kept++] = socket;
	}
	list->n = kept;
	HASH_CLEAR(hh, routes);
}

static void read_netns(struct socket_reader *r, struct netns *ns)
{
	static const uint8_t families[] = { AF_INET, AF_INET6 };
	size_t first = r->host->sockets.n;
	int error = ns->door.diag ? 0 : ENOTCONN;
	const struct ibc_netdev *dev;
	bool any = false;

	for (size_t i = 0; (dev = ibc_host_netdev(r->host, i)); i++)
		any |= dev->netns == r->netns && dev->ipoib && dev->num_addresses;
	if (!any)
		return;
	for (size_t i = 0; !error && i < ARRAY_SIZE(families); i++) {
		error = dump_sockets(r, ns->door.diag, families[i]);
		/* a kernel without IPv6 has no such sockets */
		if (error == ENOENT && families[i] == AF_INET6)
			error = 0;
	}
	keep_ipoib(r, ns, first);
	if (error) {
		ns->seen.error = error;
		note_unread(r->host, host_text(r->host, "%s: sock_diag", ns->seen.path), error);
	}
}

static int by_inode(const void *a, const void *b)
{
	const struct ibc_socket *x = *(void *const *)a, *y = *(void *const *)b;

	return order_u64(x->inode, y->inode);
}

void host_read_sockets(struct ibc_host *host)
{
	for (unsigned int i = 0; i < host->netns.n; i++)
		read_netns(&(struct socket_reader){ host, i }, host->netns.items[i]);
	host_sort(&host->sockets, by_inode);
}
