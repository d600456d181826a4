/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Virtual functions as the physical one sets them up: by netlink, IFLA_VFINFO_LIST of its
 * IPoIB interface (Linux include/uapi/linux/if_link.h), or where NVIDIA's drivers show
 * them, device/sriov/N of an RDMA device.
 */
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "base/str.h"
#include "host/host.h"
#include "host/net/netlink.h"

#define LINK_PATH "netlink: RTM_GETLINK RTEXT_FILTER_VF"

static struct ibc_vf *find_or_new(struct ibc_host *host, const char *pf, unsigned int index)
{
	struct ibc_vf *vf;

	for (size_t i = 0; i < host->vfs.n; i++) {
		vf = host->vfs.items[i];
		if (vf->index == index && !strcmp(vf->pf, pf))
			return vf;
	}
	vf = host_new(host, &host->vfs, sizeof(*vf));
	*vf = (struct ibc_vf){ .pf = pf, .index = index, .policy = "", .path = "" };
	return vf;
}

/* ---- netlink ---------------------------------------------------------------------- */

static const char *const link_states[] = { "auto", "enable", "disable" };

/* Only InfiniBand's have GUIDs. */
static void take_vf(struct ibc_host *host, const char *pf, const struct nlattr *info)
{
	const struct nlattr *attr[IFLA_VF_IB_PORT_GUID + 1];
	struct ifla_vf_link_state state;
	struct ifla_vf_guid node, port;
	struct ibc_vf *vf;

	netlink_parse_nested(info, attr, IFLA_VF_IB_PORT_GUID);
	if (!attr_copy(attr[IFLA_VF_IB_NODE_GUID], &node, sizeof(node)) ||
	    !attr_copy(attr[IFLA_VF_IB_PORT_GUID], &port, sizeof(port)))
		return;
	vf = find_or_new(host, pf, node.vf);
	vf->node_guid = node.guid;
	vf->port_guid = port.guid;
	vf->guids_known = true;
	vf->path = LINK_PATH;
	if (attr_copy(attr[IFLA_VF_LINK_STATE], &state, sizeof(state)) &&
	    state.link_state < ARRAY_SIZE(link_states))
		vf->policy = link_states[state.link_state];
}

static int on_link(const struct nlmsghdr *message, void *ctx)
{
	const struct nlattr *attr[IFLA_VFINFO_LIST + 1], *info;
	struct ibc_host *host = ctx;
	const char *pf = "", *name;
	struct dir net;
	size_t n;

	netlink_parse(message, sizeof(struct ifinfomsg), attr, IFLA_VFINFO_LIST);
	if (!attr[IFLA_VFINFO_LIST] || !attr[IFLA_IFNAME])
		return MNL_CB_OK;
	/* the PCI function behind the interface */
	net = open_path(host, "/sys/class/net", true);
	name = attr_text(attr[IFLA_IFNAME], &n);
	if (net.fd >= 0)
		pf = read_link_name(host, &net, host_text(host, "%.*s/device", (int)n, name));
	close_dir(&net);
	mnl_attr_for_each_nested(info, attr[IFLA_VFINFO_LIST]) take_vf(host, pf, info);
	return MNL_CB_OK;
}

/* ---- device/sriov/N ------------------------------------------------------------------ */

#define GUID_BYTES 8 /* 64 bits */

/* "00:11:22:33:44:55:66:77" */
static bool parse_vf_guid(const char *text, void *out)
{
	char digits[2 * GUID_BYTES + 1];
	size_t n = 0;

	for (; *text && n < 2 * GUID_BYTES; text++)
		if (*text != ':')
			digits[n++] = *text;
	digits[n] = '\0';
	return !*text && n == 2 * GUID_BYTES && !str_guid(digits, out);
}

#define VF(member) offsetof(struct ibc_vf, member)

static const struct dir_field vf_fields[] = {
	{ "node", true, parse_vf_guid, VF(node_guid) },
	{ "port", true, parse_vf_guid, VF(port_guid) },
	{ "policy", true, parse_text, VF(policy) },
};

static void read_vf(struct ibc_host *host, const struct dir *sriov, const char *name,
                    struct ibc_rdma_device *device)
{
	struct ibc_vf *vf;
	struct dir dir;
	uint64_t index;

	if (str_u64(name, 0, UINT16_MAX, &index))
		return;
	dir = open_dir(host, sriov, name);
	if (dir.fd < 0)
		return;
	vf = find_or_new(host, device->pci, (unsigned int)index);
	vf->node_guid = vf->port_guid = UINT64_MAX;
	read_fields(host, &dir, vf_fields, ARRAY_SIZE(vf_fields),
	            host_text(host, "%s vf%s", device->pci, name), vf);
	vf->guids_known = vf->node_guid != UINT64_MAX && vf->port_guid != UINT64_MAX;
	vf->path = dir.path;
	close_dir(&dir);
}

static int by_function(const void *a, const void *b)
{
	const struct ibc_vf *x = *(void *const *)a, *y = *(void *const *)b;
	int order = strcmp(x->pf, y->pf);

	return order ? order : order_u64(x->index, y->index);
}

void host_read_vfs(struct ibc_host *host)
{
	struct mnl_socket *socket = host->live ? netlink_open(NETLINK_ROUTE) : NULL;
	char buf[NETLINK_REQUEST_BYTES];
	struct nlmsghdr *request;
	void *extra;
	int error;

	if (socket) {
		request = netlink_request(buf, RTM_GETLINK, NLM_F_DUMP, sizeof(struct ifinfomsg),
		                          &extra);
		mnl_attr_put_u32(request, IFLA_EXT_MASK, RTEXT_FILTER_VF);
		error = netlink_ask(socket, request, on_link, host);
		mnl_socket_close(socket);
		if (error)
			note_unread(host, LINK_PATH, error);
	}
	each_beside(host, "sriov", read_vf);
	host_sort(&host->vfs, by_function);
}
