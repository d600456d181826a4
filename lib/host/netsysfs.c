/* SPDX-License-Identifier: BSD-2-Clause */
/* Interfaces of a captured tree (Linux Documentation/ABI/testing/sysfs-class-net). */
#include <linux/if_arp.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "host/netdev.h"

#define HARDWARE_TEXT 20 /* bytes of an IPoIB address (RFC 4391 9.1.1) */

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
static size_t parse_hardware(const char *text, unsigned char out[HARDWARE_TEXT])
{
	unsigned int byte;
	size_t n = 0;
	int length;

	while (text && n < HARDWARE_TEXT && sscanf(text, "%2x%n", &byte, &length) == 1) {
		out[n++] = (unsigned char)byte;
		text += length;
		text += *text == ':';
	}
	return n;
}

static void read_netdev(struct ibc_host *host, const struct dir *class_dir, const char *name)
{
	unsigned char address[HARDWARE_TEXT], group[HARDWARE_TEXT];
	struct raw raw = { .type = 0 };
	struct dir dir, statistics;
	struct ibc_netdev *seen;
	uint64_t pkey;

	if (!strcmp(name, "lo"))
		return;
	seen = &host_new_netdev(host, 0)->seen;
	dir = open_dir(host, class_dir, name);
	if (dir.fd >= 0) {
		seen->name = host_text(host, "%s", name);
		read_fields(host, &dir, raw_fields, ARRAY_SIZE(raw_fields), name, &raw);
		read_fields(host, &dir, dev_fields, ARRAY_SIZE(dev_fields), name, seen);
		seen->ipoib = raw.type == ARPHRD_INFINIBAND;
		netdev_set_hardware(seen, address, parse_hardware(raw.address, address), group,
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

void host_read_netdevs_of_sysfs(struct ibc_host *host)
{
	each_entry(host, "/sys/class/net", ENTRY_DIRECTORY, read_netdev);
}
