/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interfaces of a host and how they belong together: by netlink in every network
 * namespace of a live host (Linux include/uapi/linux/if_link.h; Documentation/infiniband/
 * ipoib.rst), from sysfs where the root is a captured tree (Documentation/ABI/testing/
 * sysfs-class-net).  sysfs shows one namespace only, so that netlink is preferred.
 */
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "host/net/ethtool.h"
#include "host/net/netdev.h"
#include "host/net/netlink.h"

#define HARDWARE_BYTES  20           /* of an IPoIB address: flags, QPN, GID (RFC 4391 9.1.1) */
#define GID_AT          4            /* the GID begins behind flags and QPN */
#define ENHANCED_DRIVER "[ib_ipoib]" /* what the driver of the device puts behind its own name */

/* Interfaces of one namespace while they are read. */
struct netdev_reader {
	struct ibc_host *host;
	struct netns *ns;
	unsigned int index;
};

/* A new interface, its texts "". */
static struct netdev *new_netdev(struct ibc_host *host, unsigned int netns)
{
	struct netdev *dev = host_new(host, &host->netdevs, sizeof(*dev));

	dev->seen.netns = netns;
	dev->seen.name = dev->seen.driver = dev->seen.kind = "";
	dev->seen.parent = dev->seen.master = dev->seen.operstate = "";
	return dev;
}

/* From link-layer addresses, which only count in the length that IPoIB has. */
static void set_hardware(struct ibc_netdev *dev, const unsigned char *address, size_t n,
                         const unsigned char *group, size_t group_n)
{
	if (n == HARDWARE_BYTES)
		memcpy(dev->gid, address + GID_AT, sizeof(dev->gid));
	if (group_n == HARDWARE_BYTES)
		memcpy(dev->group, group, sizeof(dev->group));
}

/* ---- links ------------------------------------------------------------------------ */

/* IF_OPER_*, as sysfs has them */
static const char *const operstates[] = { "unknown", "notpresent", "down", "lowerlayerdown",
	                                  "testing", "dormant",    "up" };

/* IFLA_IPOIB_*: not in the headers of every system */
enum { IPOIB_PKEY = 1, IPOIB_MODE = 2, IPOIB_LAST = IPOIB_MODE };

static size_t length_of(const struct nlattr *attr)
{
	return attr ? mnl_attr_get_payload_len(attr) : 0;
}

static int on_link(const struct nlmsghdr *message, void *ctx)
{
	const struct netdev_reader *r = ctx;
	const struct ifinfomsg *link = mnl_nlmsg_get_payload(message);
	const struct nlattr *attr[IFLA_LINK_NETNSID + 1];
	const struct nlattr *info[IFLA_INFO_DATA + 1], *data[IPOIB_LAST + 1];
	struct rtnl_link_stats64 now;
	struct ibc_netdev *seen;
	struct netdev *dev;
	uint8_t operstate;

	if (mnl_nlmsg_get_payload_len(message) < sizeof(*link) || link->ifi_flags & IFF_LOOPBACK)
		return MNL_CB_OK;
	dev = new_netdev(r->host, r->index);
	seen = &dev->seen;
	netlink_parse(message, sizeof(*link), attr, IFLA_LINK_NETNSID);
	seen->ifindex = (unsigned int)link->ifi_index;
	seen->up = link->ifi_flags & IFF_UP;
	seen->ipoib = link->ifi_type == ARPHRD_INFINIBAND;
	seen->name = attr_clean(r->host, attr[IFLA_IFNAME]);
	seen->mtu = attr_u32(attr[IFLA_MTU]);
	seen->carrier = attr_u8(attr[IFLA_CARRIER]) != 0;
	operstate = attr_u8(attr[IFLA_OPERSTATE]);
	seen->operstate = operstates[operstate < ARRAY_SIZE(operstates) ? operstate : 0];
	dev->link = attr[IFLA_LINK_NETNSID] ? 0 : attr_u32(attr[IFLA_LINK]);
	dev->master = attr_u32(attr[IFLA_MASTER]);
	set_hardware(seen, attr[IFLA_ADDRESS] ? mnl_attr_get_payload(attr[IFLA_ADDRESS]) : NULL,
	             length_of(attr[IFLA_ADDRESS]),
	             attr[IFLA_BROADCAST] ? mnl_attr_get_payload(attr[IFLA_BROADCAST]) : NULL,
	             length_of(attr[IFLA_BROADCAST]));
	seen->known = attr_copy(attr[IFLA_STATS64], &now,
	                        offsetof(struct rtnl_link_stats64, rx_errors));
	if (seen->known) {
		seen->rx_packets = now.rx_packets;
		seen->tx_packets = now.tx_packets;
		seen->rx_bytes = now.rx_bytes;
		seen->tx_bytes = now.tx_bytes;
	}
	netlink_parse_nested(attr[IFLA_LINKINFO], info, IFLA_INFO_DATA);
	seen->kind = attr_clean(r->host, info[IFLA_INFO_KIND]);
	if (strcmp(seen->kind, "ipoib") != 0)
		return MNL_CB_OK;
	netlink_parse_nested(info[IFLA_INFO_DATA], data, IPOIB_LAST);
	seen->pkey = attr_u16(data[IPOIB_PKEY]);
	if (data[IPOIB_MODE])
		seen->mode = attr_u16(data[IPOIB_MODE]) ? IBC_IPOIB_CONNECTED : IBC_IPOIB_DATAGRAM;
	return MNL_CB_OK;
}

/* ---- addresses ---------------------------------------------------------------------- */

struct netdev *netdev_by_index(const struct ibc_host *host, unsigned int netns, unsigned int index)
{
	for (size_t i = 0; i < host->netdevs.n; i++) {
		struct netdev *dev = host->netdevs.items[i];

		if (dev->seen.netns == netns && dev->seen.ifindex == index)
			return dev;
	}
	return NULL;
}

bool address_of(int family, const void *bytes, struct ibc_address *out)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	*out = (struct ibc_address){ .v4 = family == AF_INET };
	if (family == AF_INET6) {
		memcpy(out->raw, bytes, 16);
		out->v4 = !memcmp(bytes, mapped, sizeof(mapped));
		return true;
	}
	if (family != AF_INET)
		return false;
	memcpy(out->raw, mapped, sizeof(mapped));
	memcpy(out->raw + sizeof(mapped), bytes, 4);
	return true;
}

static int on_address(const struct nlmsghdr *message, void *ctx)
{
	const struct netdev_reader *r = ctx;
	const struct ifaddrmsg *info = mnl_nlmsg_get_payload(message);
	const struct nlattr *attr[IFA_LOCAL + 1], *local;
	struct ibc_address address, *more;
	struct netdev *dev;

	if (mnl_nlmsg_get_payload_len(message) < sizeof(*info))
		return MNL_CB_OK;
	netlink_parse(message, sizeof(*info), attr, IFA_LOCAL);
	local = attr[IFA_LOCAL] ? attr[IFA_LOCAL] : attr[IFA_ADDRESS];
	dev = netdev_by_index(r->host, r->index, info->ifa_index);
	if (!dev || length_of(local) < (info->ifa_family == AF_INET ? 4 : 16) ||
	    !address_of(info->ifa_family, mnl_attr_get_payload(local), &address))
		return MNL_CB_OK;
	address.prefix = info->ifa_prefixlen;
	more = host_array(r->host, dev->seen.num_addresses + 1, sizeof(*more));
	if (!more)
		return MNL_CB_STOP;
	if (dev->seen.num_addresses)
		memcpy(more, dev->seen.addresses, dev->seen.num_addresses * sizeof(*more));
	more[dev->seen.num_addresses++] = address;
	dev->seen.addresses = more;
	return MNL_CB_OK;
}

/* ---- a namespace ---------------------------------------------------------------------- */

static int dump_netdevs(const struct netdev_reader *r, uint16_t type, size_t header, mnl_cb_t each)
{
	char buf[NETLINK_REQUEST_BYTES];
	void *extra;
	struct nlmsghdr *request = netlink_request(buf, type, NLM_F_DUMP, header, &extra);

	return netlink_ask(r->ns->door.route, request, each, (void *)r);
}

static void read_netns(struct ibc_host *host, unsigned int index)
{
	struct netdev_reader r = { host, host->netns.items[index], index };
	size_t first = host->netdevs.n;
	int error;

	if (!r.ns->door.route)
		return;
	error = dump_netdevs(&r, RTM_GETLINK, sizeof(struct ifinfomsg), on_link);
	if (!error)
		error = dump_netdevs(&r, RTM_GETADDR, sizeof(struct ifaddrmsg), on_address);
	r.ns->seen.error = error;
	if (error)
		note_unread(host, r.ns->seen.path, error);
	/* the driver's own name, which sysfs has only for devices on a bus of this namespace */
	for (size_t i = first; i < host->netdevs.n; i++) {
		struct ibc_netdev *dev = &((struct netdev *)host->netdevs.items[i])->seen;
		struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };

		if (!ethtool_ask(r.ns->door.inet, dev->name, &info))
			continue;
		dev->driver = text_clean(host, info.driver,
		                         strnlen(info.driver, sizeof(info.driver)));
		dev->enhanced = dev->ipoib && strstr(dev->driver, ENHANCED_DRIVER);
	}
}

/* ---- a captured tree ------------------------------------------------------------------ */

struct raw {
	uint32_t type;
	const char *address, *broadcast, *mode, *pkey, *parent;
};

#define RAW(member) offsetof(struct raw, member)
#define DEV(member) offsetof(struct ibc_netdev, member)

static const struct dir_field raw_fields[] = {
	{ "type", false, parse_u32, RAW(type) },
	{ "address", true, parse_text, RAW(address) },
	{ "broadcast", true, parse_text, RAW(broadcast) },
	{ "mode", true, parse_text, RAW(mode) },
	{ "pkey", true, parse_text, RAW(pkey) },
	{ "parent", true, parse_text, RAW(parent) },
};

static const struct dir_field dev_fields[] = {
	{ "mtu", false, parse_u32, DEV(mtu) },
	{ "ifindex", true, parse_u32, DEV(ifindex) },
	{ "operstate", true, parse_text, DEV(operstate) },
};

static const struct dir_field statistics_fields[] = {
	{ "tx_bytes", false, parse_u64, DEV(tx_bytes) },
	{ "rx_bytes", false, parse_u64, DEV(rx_bytes) },
	{ "tx_packets", false, parse_u64, DEV(tx_packets) },
	{ "rx_packets", false, parse_u64, DEV(rx_packets) },
};

/* "80:00:02:08:fe:80:..." */
static size_t parse_hardware(const char *text, unsigned char out[HARDWARE_BYTES])
{
	unsigned int byte;
	size_t n = 0;
	int length;

	while (text && n < HARDWARE_BYTES && sscanf(text, "%2x%n", &byte, &length) == 1) {
		out[n++] = (unsigned char)byte;
		text += length;
		text += *text == ':';
	}
	return n;
}

static void read_sysfs_netdev(struct ibc_host *host, const struct dir *class_dir, const char *name)
{
	unsigned char address[HARDWARE_BYTES], group[HARDWARE_BYTES];
	struct raw raw = { .type = 0 };
	struct dir dir, statistics;
	struct ibc_netdev *seen;
	uint64_t pkey;

	if (!strcmp(name, "lo"))
		return;
	seen = &new_netdev(host, 0)->seen;
	dir = open_dir(host, class_dir, name);
	if (dir.fd >= 0) {
		seen->name = host_text(host, "%s", name);
		read_fields(host, &dir, raw_fields, ARRAY_SIZE(raw_fields), name, &raw);
		read_fields(host, &dir, dev_fields, ARRAY_SIZE(dev_fields), name, seen);
		seen->ipoib = raw.type == ARPHRD_INFINIBAND;
		set_hardware(seen, address, parse_hardware(raw.address, address), group,
		             parse_hardware(raw.broadcast, group));
		if (raw.pkey && !str_u64(raw.pkey, 0, UINT16_MAX, &pkey))
			seen->pkey = (uint16_t)pkey;
		if (raw.mode)
			seen->mode = !strcmp(raw.mode, "connected") ? IBC_IPOIB_CONNECTED
			                                            : IBC_IPOIB_DATAGRAM;
		if (raw.parent)
			seen->parent = raw.parent;
		seen->driver = read_link_name(host, &dir, "device/driver");
		seen->master = read_link_name(host, &dir, "master");
		/* "carrier" of an interface that is down is an error to read */
		seen->carrier = seen->up = !strcmp(seen->operstate, "up");
		statistics = open_dir(host, &dir, "statistics");
		seen->known = statistics.fd >= 0;
		if (seen->known)
			read_fields(host, &statistics, statistics_fields,
			            ARRAY_SIZE(statistics_fields), NULL, seen);
		close_dir(&statistics);
	}
	close_dir(&dir);
}

/* ---- how they belong together ----------------------------------------------------------- */

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

/* Does one of these devices have the port with this GID?  Then the interface sits on it. */
static bool find_port_of(const struct host_list *devices, uint64_t prefix, uint64_t guid,
                         struct ibc_netdev *dev)
{
	for (size_t i = 0; i < devices->n; i++) {
		const struct ibc_rdma_device *device = devices->items[i];

		for (size_t p = 0; p < device->num_ports; p++)
			if (device->ports[p].guid == guid &&
			    device->ports[p].subnet_prefix == prefix) {
				dev->device = device;
				dev->port = device->ports[p].num;
				return true;
			}
	}
	return false;
}

static void find_port(const struct ibc_host *host, struct ibc_netdev *dev)
{
	uint64_t prefix = 0, guid = 0;

	for (unsigned int i = 0; i < 8; i++) {
		prefix = prefix << 8 | dev->gid[i];
		guid = guid << 8 | dev->gid[8 + i];
	}
	/* one on an NVSwitch bridge is none of the fabric */
	if (guid && !find_port_of(&host->devices, prefix, guid, dev) &&
	    find_port_of(&host->bridges, prefix, guid, dev))
		dev->ipoib = false;
}

static int by_netns_and_name(const void *a, const void *b)
{
	const struct ibc_netdev *x = *(void *const *)a, *y = *(void *const *)b;
	int order = order_u64(x->netns, y->netns);

	return order ? order : strverscmp(x->name, y->name);
}

void host_read_netdevs(struct ibc_host *host)
{
	host_find_netns(host);
	for (unsigned int i = 0; i < host->netns.n; i++)
		read_netns(host, i);
	if (!host->live)
		each_entry(host, "/sys/class/net", ENTRY_DIRECTORY, read_sysfs_netdev);
	for (size_t i = 0; i < host->netdevs.n; i++) {
		name_relations(host, host->netdevs.items[i]);
		find_port(host, &((struct netdev *)host->netdevs.items[i])->seen);
	}
	host_sort(&host->netdevs, by_netns_and_name);
}
