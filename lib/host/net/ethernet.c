/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Ethernet side of RoCE ports: what keeps their traffic from being dropped, and what
 * was dropped or paused.  ECN and the traffic class of mlx5 are in sysfs where the vendor's
 * driver is loaded; those of the connection manager in configfs where a user made their
 * directory (Linux Documentation/ABI/testing/configfs-rdma_cm), which is left to others.
 */
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/str.h"
#include "host/net/dcb.h"
#include "host/net/ethtool.h"
#include "host/net/gid.h"
#include "host/net/netns.h"

/* Statistics of mlx5 and its like; counts of the wire, of flow control and of drops. */
static const char *const patterns[] = {
	"[rt]x_prio[0-7]_pause*",    "[rt]x_prio[0-7]_discards",
	"rx_prio[0-7]_*discard*",    "[rt]x_prio[0-7]_packets",
	"[rt]x_global_pause*",       "[rt]x_pause_ctrl_phy",
	"tx_pause_storm_*_events",   "[rt]x_discards_phy",
	"rx_out_of_buffer",          "rx_symbol_err_phy",
	"rx_crc_errors_phy",         "rx_pcs_symbol_err_phy",
	"link_down_events_phy",      "module_bus_stuck",
	"module_high_temp",          "[rt]x_vport_rdma_unicast_bytes",
	"[rt]x_vport_unicast_bytes",
};

static bool is_statistic_wanted(const char *statistic)
{
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
		if (!fnmatch(patterns[i], statistic, 0))
			return true;
	return false;
}

/* In our own namespace, or else in the first that has one of this name. */
static const struct ibc_netdev *netdev_named(const struct ibc_host *host, const char *name)
{
	const struct ibc_netdev *dev;

	for (size_t i = 0; *name && (dev = ibc_host_netdev(host, i)); i++)
		if (!strcmp(dev->name, name))
			return dev;
	return NULL;
}

/* ---- ECN ------------------------------------------------------------------------- */

/* Which priorities are on, of enable/0 .. enable/7; false: not all of them are known. */
static bool read_enabled(struct ibc_host *host, const char *interface, const char *point,
                         uint8_t *priorities)
{
	struct dir dir = open_path(
	    host, host_text(host, "/sys/class/net/%s/ecn/%s/enable", interface, point), true);
	unsigned int known = 0;

	for (unsigned int i = 0; dir.fd >= 0 && i < IBC_PRIORITIES; i++) {
		char name[2] = { (char)('0' + i), '\0' };
		const char *text = read_text(host, &dir, name, true);

		if (!text || (strcmp(text, "0") && strcmp(text, "1")))
			continue;
		known++;
		if (*text == '1')
			*priorities |= (uint8_t)(1U << i);
	}
	close_dir(&dir);
	return known == IBC_PRIORITIES;
}

/* "3", "0,3", "none" */
static const char *list_of_priorities(struct ibc_host *host, uint8_t priorities)
{
	const char *text = "";

	for (unsigned int i = 0; i < IBC_PRIORITIES; i++)
		if (priorities >> i & 1)
			text = host_text(host, "%s%s%u", text, *text ? "," : "", i);
	return *text ? text : "none";
}

/* ---- what traffic is sent with -------------------------------------------------------- */

/* -1: no number, or none was read. */
static int class_in(const char *text)
{
	uint64_t class;

	return text && !str_u64(text, 0, UINT8_MAX, &class) ? (int)class : -1;
}

static void read_classes(struct ibc_host *host, const struct ibc_rdma_device *device,
                         struct ibc_ethernet *e)
{
	const char *cm = host_text(host, "/sys/kernel/config/rdma_cm/%s/ports/%u", device->name,
	                           e->port);
	const char *mode = read_lone(host, cm, "default_roce_mode"), *forced;

	e->cm_mode = mode ? mode : "";
	e->cm_tos = class_in(read_lone(host, cm, "default_roce_tos"));
	/* rules for single connections may stand below it, or in its place */
	forced = read_lone(host,
	                   host_text(host, "/sys/class/infiniband/%s/tc/%u", device->name, e->port),
	                   "traffic_class");
	e->traffic_class = class_in(forced ? text_after(forced, "Global tclass=") : NULL);
}

/* ---- GID and MTU ----------------------------------------------------------------------- */

static unsigned int weight_of_gid(const struct ibc_host *host, const struct ibc_gid *gid)
{
	const struct ibc_netdev *dev = netdev_named(host, gid->netdev);
	unsigned int reach = gid_is_ipv4(gid) ? 2 : !gid_is_link_local(gid);

	return 8 * gid->roce_v2 + 2 * reach + (dev && !dev->netns);
}

#define HEADERS 96 /* the longest: GRH, UDP, BTH, XRC and atomic extensions, ICRC */

/* Linux include/rdma/ib_addr.h, iboe_get_mtu(): the next power of two below, 256 to 4096. */
static unsigned int rdma_mtu(unsigned int mtu)
{
	unsigned int fits = 4096;

	while (fits >= 256 && fits + HEADERS > mtu)
		fits /= 2;
	return fits >= 256 ? fits : 0;
}

/* ---- one port ------------------------------------------------------------------------ */

/* Of the interfaces on the adapter's PCI device the one with the port's number. */
static const struct ibc_netdev *netdev_on_device(struct ibc_host *host,
                                                 const struct ibc_rdma_device *device,
                                                 unsigned int port)
{
	const char *path = host_text(host, "/sys/class/infiniband/%s/device/net", device->name);
	struct dir dir = open_path(host, path, true);
	const struct ibc_netdev *found = NULL;
	struct dir_names names;
	const char *text;
	uint64_t number;

	list_dir(host, &dir, &names);
	for (size_t i = 0; i < names.n && !found; i++) {
		text = read_lone(host, host_text(host, "%s/%s", path, names.items[i]), "dev_port");
		if (text && !str_u64(text, 0, UINT8_MAX, &number) && number + 1 == port)
			found = netdev_named(host, names.items[i]);
	}
	close_dir(&dir);
	return found;
}

static void read_interface(struct ibc_host *host, const struct ibc_rdma_device *device,
                           const struct ibc_rdma_port *port, const struct ibc_netdev *netdev,
                           bool software)
{
	struct ibc_ethernet *e = host_new(host, &host->ethernet, sizeof(*e));
	const struct netns *ns;
	const char *ecn;

	*e = (struct ibc_ethernet){
		.device = device, .port = port->num, .netdev = netdev, .software = software
	};
	/* the first of those that are worth most */
	for (size_t i = 0; i < port->num_gids; i++)
		if (!e->gid || weight_of_gid(host, &port->gids[i]) > weight_of_gid(host, e->gid))
			e->gid = &port->gids[i];
	read_classes(host, device, e);
	if (!netdev)
		return;
	e->rdma_mtu = rdma_mtu(netdev->mtu);
	if (!netdev->netns) { /* the one whose sysfs we see */
		bool np = read_enabled(host, netdev->name, "roce_np", &e->ecn_np);
		bool rp = read_enabled(host, netdev->name, "roce_rp", &e->ecn_rp);

		e->ecn_known = np && rp;
	}
	ns = netdev->netns < host->netns.n ? host->netns.items[netdev->netns] : NULL;
	e->asked = ns && ns->door.route;
	if (e->asked) {
		e->pause_known = ethtool_pause(ns->door.inet, netdev->name, &e->pause_rx,
		                               &e->pause_tx);
		e->statistics = ethtool_statistics(host, ns->door.inet, netdev->name,
		                                   is_statistic_wanted, &e->num_statistics);
		e->dcb_error = dcb_read(host, ns->door.route, netdev->name, e);
		if (e->dcb_error && e->dcb_error != EOPNOTSUPP)
			note_unread(host, host_text(host, "netlink: RTM_GETDCB %s", netdev->name),
			            e->dcb_error);
	}
	/* facts, for comparing hosts */
	if (e->dcb_known) {
		note_fact(host, netdev->name, "pfc_priorities", list_of_priorities(host, e->pfc),
		          "netlink: RTM_GETDCB");
		note_fact(host, netdev->name, "trust", e->trusts_dscp ? "dscp" : "vlan",
		          "netlink: RTM_GETDCB");
	}
	if (!e->ecn_known)
		return;
	ecn = host_text(host, "%s/sys/class/net/%s/ecn", host->root, netdev->name);
	note_fact(host, netdev->name, "ecn_np_priorities", list_of_priorities(host, e->ecn_np),
	          ecn);
	note_fact(host, netdev->name, "ecn_rp_priorities", list_of_priorities(host, e->ecn_rp),
	          ecn);
}

/* A bond sends through its members, and it is these that have flow control. */
static void read_roce_port(struct ibc_host *host, const struct ibc_rdma_device *device,
                           const struct ibc_rdma_port *port, bool software)
{
	const struct ibc_netdev *netdev = NULL, *member;
	bool bond = false;

	/* the interface that the GID table names first: that without a VLAN */
	for (size_t i = 0; i < port->num_gids && !netdev; i++)
		netdev = netdev_named(host, port->gids[i].netdev);
	if (!netdev)
		netdev = netdev_on_device(host, device, port->num);
	for (size_t i = 0; netdev && (member = ibc_host_netdev(host, i)); i++) {
		if (member->netns != netdev->netns || strcmp(member->master, netdev->name))
			continue;
		bond = true;
		read_interface(host, device, port, member, software);
	}
	if (!bond)
		read_interface(host, device, port, netdev, software);
}

/* iWARP has Ethernet ports as well, and the type of its devices is another. */
void host_read_ethernet(struct ibc_host *host)
{
	const struct ibc_rdma_device *device;

	for (size_t i = 0; (device = ibc_host_device(host, i)); i++) {
		const char *path = host_text(host, "/sys/class/infiniband/%s", device->name);
		struct dir dir = open_path(host, path, true);
		int error;
		const char *type = dir.fd < 0 ? NULL
		                              : read_or_error(host, &dir, "node_type", &error);
		bool software = dir.fd >= 0 && has_entry(&dir, "parent"); /* of rxe only */

		close_dir(&dir);
		if (type && *type && *type != '1')
			continue;
		for (size_t p = 0; p < device->num_ports; p++)
			if (!strcmp(device->ports[p].link_layer, "Ethernet"))
				read_roce_port(host, device, &device->ports[p], software);
	}
}
