/* SPDX-License-Identifier: BSD-2-Clause */
/* Netlink through libmnl, with an end to every wait. */
#include <errno.h>
#include <linux/genetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "host/host.h"
#include "host/net/netlink.h"

#define WAIT_SECONDS 5     /* the kernel answers at once, or something is very wrong */
#define DUMP_BYTES   32768 /* the kernel fills no more at a time (net/netlink/af_netlink.c) */

struct nlmsghdr *netlink_request(char buf[NETLINK_REQUEST_BYTES], uint16_t type, uint16_t flags,
                                 size_t size, void **extra)
{
	struct nlmsghdr *request = mnl_nlmsg_put_header(buf);

	request->nlmsg_type = type;
	request->nlmsg_flags = NLM_F_REQUEST | flags;
	*extra = mnl_nlmsg_put_extra_header(request, size);
	return request;
}

struct mnl_socket *netlink_open(int family)
{
	const struct timeval wait = { .tv_sec = WAIT_SECONDS };
	struct mnl_socket *socket = mnl_socket_open2(family, SOCK_CLOEXEC);

	if (!socket)
		return NULL;
	if (mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) < 0 ||
	    setsockopt(mnl_socket_get_fd(socket), SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait))) {
		mnl_socket_close(socket);
		return NULL;
	}
	return socket;
}

int netlink_ask(struct mnl_socket *socket, struct nlmsghdr *request, mnl_cb_t each, void *ctx)
{
	static unsigned int sequence;
	char buf[DUMP_BYTES];
	ssize_t n;
	int more;

	request->nlmsg_seq = __atomic_add_fetch(&sequence, 1, __ATOMIC_RELAXED);
	if (mnl_socket_sendto(socket, request, request->nlmsg_len) < 0)
		return errno;
	do {
		n = mnl_socket_recvfrom(socket, buf, sizeof(buf));
		if (n < 0)
			return errno;
		more = mnl_cb_run(buf, (size_t)n, request->nlmsg_seq, mnl_socket_get_portid(socket),
		                  each, ctx);
	} while (more > MNL_CB_STOP);
	return more < 0 ? errno : 0;
}

/* ---- attributes --------------------------------------------------------------- */

static void take_attr(const struct nlattr *attr, const struct nlattr **by_type, uint16_t max)
{
	if (mnl_attr_get_type(attr) <= max)
		by_type[mnl_attr_get_type(attr)] = attr;
}

void netlink_parse(const struct nlmsghdr *message, size_t header, const struct nlattr **by_type,
                   uint16_t max)
{
	const struct nlattr *attr;

	memset(by_type, 0, (max + 1U) * sizeof(*by_type));
	mnl_attr_for_each(attr, message, header) take_attr(attr, by_type, max);
}

void netlink_parse_nested(const struct nlattr *nest, const struct nlattr **by_type, uint16_t max)
{
	const struct nlattr *attr;

	memset(by_type, 0, (max + 1U) * sizeof(*by_type));
	if (!nest)
		return;
	mnl_attr_for_each_nested(attr, nest) take_attr(attr, by_type, max);
}

static bool holds(const struct nlattr *attr, size_t size)
{
	return attr && mnl_attr_get_payload_len(attr) >= size;
}

uint8_t attr_u8(const struct nlattr *attr)
{
	return holds(attr, 1) ? mnl_attr_get_u8(attr) : 0;
}

uint16_t attr_u16(const struct nlattr *attr)
{
	return holds(attr, 2) ? mnl_attr_get_u16(attr) : 0;
}

uint32_t attr_u32(const struct nlattr *attr)
{
	return holds(attr, 4) ? mnl_attr_get_u32(attr) : 0;
}

uint64_t attr_u64(const struct nlattr *attr)
{
	return holds(attr, 8) ? mnl_attr_get_u64(attr) : 0;
}

bool attr_copy(const struct nlattr *attr, void *out, size_t size)
{
	if (holds(attr, size))
		memcpy(out, mnl_attr_get_payload(attr), size);
	return holds(attr, size);
}

const char *attr_text(const struct nlattr *attr, size_t *n)
{
	*n = attr ? strnlen(mnl_attr_get_payload(attr), mnl_attr_get_payload_len(attr)) : 0;
	return *n ? mnl_attr_get_payload(attr) : "";
}

const char *attr_clean(struct ibc_host *host, const struct nlattr *attr)
{
	size_t n;
	const char *text = attr_text(attr, &n);

	return text_clean(host, text, n);
}

/* ---- generic netlink ------------------------------------------------------------ */

static int on_family(const struct nlmsghdr *message, void *ctx)
{
	const struct nlattr *attr[CTRL_ATTR_FAMILY_ID + 1];

	netlink_parse(message, sizeof(struct genlmsghdr), attr, CTRL_ATTR_FAMILY_ID);
	*(uint16_t *)ctx = attr_u16(attr[CTRL_ATTR_FAMILY_ID]);
	return MNL_CB_OK;
}

struct nlmsghdr *netlink_generic(char buf[NETLINK_REQUEST_BYTES], uint16_t family, uint16_t flags,
                                 uint8_t command)
{
	struct nlmsghdr *request;
	struct genlmsghdr *header;
	void *extra;

	request = netlink_request(buf, family, flags, sizeof(*header), &extra);
	header = extra;
	header->cmd = command;
	header->version = 1;
	return request;
}

int netlink_family(struct mnl_socket *socket, const char *name, uint16_t *family)
{
	char buf[NETLINK_REQUEST_BYTES];
	struct nlmsghdr *request = netlink_generic(buf, GENL_ID_CTRL, NLM_F_ACK,
	                                           CTRL_CMD_GETFAMILY);

	mnl_attr_put_strz(request, CTRL_ATTR_FAMILY_NAME, name);
	return netlink_ask(socket, request, on_family, family);
}
