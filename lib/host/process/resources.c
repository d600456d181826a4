/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who has queue pairs and registered memory, from the kernel's RDMA netlink (Linux
 * include/uapi/rdma/rdma_netlink.h).  This is the strongest proof that a process moves
 * data by RDMA: queue pairs of a connected type that are ready to send.
 *
 * Kernel users have no PID in it.  Devices of another namespace can be hidden.
 */
#include "host/process/resources.h"

#include <errno.h>
#include <limits.h>
#include <rdma/rdma_netlink.h>

#include "host/host.h"
#include "host/net/netlink.h"

#define QP_READY_TO_SEND 3   /* enum ib_qp_state: IB_QPS_RTS */
#define DEVICES_MAX      256 /* a host has a few dozen at the most */
#define DUMP_HEADER      0   /* this family has no header of its own */

/* Types of queue pairs (enum ib_qp_type) that have one peer, or come with many at once. */
enum { QP_RC = 2, QP_UC = 3, QP_UD = 4, QP_XRC_INI = 9, QP_XRC_TGT = 10, QP_DRIVER = 0xff };

struct devices {
	uint32_t index[DEVICES_MAX];
	size_t n;
};

static int on_device(const struct nlmsghdr *message, void *ctx)
{
	const struct nlattr *attr[RDMA_NLDEV_ATTR_DEV_INDEX + 1];
	struct devices *devices = ctx;

	netlink_parse(message, DUMP_HEADER, attr, RDMA_NLDEV_ATTR_DEV_INDEX);
	if (attr[RDMA_NLDEV_ATTR_DEV_INDEX] && devices->n < DEVICES_MAX)
		devices->index[devices->n++] = attr_u32(attr[RDMA_NLDEV_ATTR_DEV_INDEX]);
	return MNL_CB_OK;
}

/* The kernel's own have no process; one may be hidden. */
static void take_resource(struct ibc_host *host, uint16_t table, const struct nlattr *const *attr)
{
	uint32_t pid = attr_u32(attr[RDMA_NLDEV_ATTR_RES_PID]);
	struct ibc_process *process;

	if (!pid || pid > INT_MAX)
		return;
	process = host_process(host, (int)pid);
	if (table == RDMA_NLDEV_ATTR_RES_MR)
		process->memory_bytes += attr_u64(attr[RDMA_NLDEV_ATTR_RES_MRLEN]);
	else if (attr_u8(attr[RDMA_NLDEV_ATTR_RES_STATE]) == QP_READY_TO_SEND)
		switch (attr_u8(attr[RDMA_NLDEV_ATTR_RES_TYPE])) {
		case QP_RC:
		case QP_UC:
		case QP_XRC_INI:
		case QP_XRC_TGT:
		case QP_DRIVER:
			process->qps++;
			break;
		case QP_UD:
			process->ud_qps++;
		}
}

/* How to ask for each kind of them, and where its entries are. */
static const struct {
	uint16_t command, table;
} resources[] = {
	{ RDMA_NLDEV_CMD_RES_QP_GET, RDMA_NLDEV_ATTR_RES_QP },
	{ RDMA_NLDEV_CMD_RES_MR_GET, RDMA_NLDEV_ATTR_RES_MR },
};

int resources_on_entry(const struct nlmsghdr *message, void *ctx)
{
	const struct nlattr *top[RDMA_NLDEV_ATTR_RES_MR + 1], *attr[RDMA_NLDEV_ATTR_RES_MRLEN + 1];
	const struct nlattr *entry;

	netlink_parse(message, DUMP_HEADER, top, RDMA_NLDEV_ATTR_RES_MR);
	for (size_t i = 0; i < ARRAY_SIZE(resources); i++) {
		if (!top[resources[i].table])
			continue;
		mnl_attr_for_each_nested(entry, top[resources[i].table])
		{
			netlink_parse_nested(entry, attr, RDMA_NLDEV_ATTR_RES_MRLEN);
			take_resource(ctx, resources[i].table, attr);
		}
	}
	return MNL_CB_OK;
}

/* Where there are namespaces of RDMA devices, one that is in another sees none of ours. */
int resources_on_system(const struct nlmsghdr *message, void *ctx)
{
	const struct nlattr *attr[RDMA_NLDEV_SYS_ATTR_NETNS_MODE + 1], *mode;

	netlink_parse(message, DUMP_HEADER, attr, RDMA_NLDEV_SYS_ATTR_NETNS_MODE);
	mode = attr[RDMA_NLDEV_SYS_ATTR_NETNS_MODE];
	if (mode)
		note_fact(ctx, "rdma", "netns_mode", attr_u8(mode) ? "shared" : "exclusive",
		          "netlink: RDMA_NLDEV_CMD_SYS_GET");
	return MNL_CB_STOP;
}

/* ---- asking ------------------------------------------------------------------- */

static struct nlmsghdr *request_of(char buf[NETLINK_REQUEST_BYTES], unsigned int command,
                                   uint16_t flags)
{
	void *extra;

	return netlink_request(buf, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command), flags, DUMP_HEADER,
	                       &extra);
}

void host_read_resources(struct ibc_host *host)
{
	struct devices devices = { .n = 0 };
	char buf[NETLINK_REQUEST_BYTES];
	struct mnl_socket *socket;
	int error;

	if (!host->live)
		return;
	socket = netlink_open(NETLINK_RDMA);
	if (!socket && errno == EPROTONOSUPPORT)
		return; /* a kernel without RDMA has no queue pairs */
	error = errno;
	if (socket)
		error = netlink_ask(socket, request_of(buf, RDMA_NLDEV_CMD_GET, NLM_F_DUMP),
		                    on_device, &devices);
	for (size_t i = 0; i < ARRAY_SIZE(resources); i++)
		for (size_t d = 0; !error && d < devices.n; d++) {
			struct nlmsghdr *request = request_of(buf, resources[i].command,
			                                      NLM_F_DUMP);

			mnl_attr_put_u32(request, RDMA_NLDEV_ATTR_DEV_INDEX, devices.index[d]);
			error = netlink_ask(socket, request, resources_on_entry, host);
		}
	if (!error) /* kernels before 5.1 do not say, and have no such mode */
		netlink_ask(socket, request_of(buf, RDMA_NLDEV_CMD_SYS_GET, 0), resources_on_system,
		            host);
	if (socket)
		mnl_socket_close(socket);
	if (!error)
		return;
	note_unread(host, "netlink: RDMA_NLDEV_CMD_RES_QP_GET", error);
	host->resources_unread = true;
}
