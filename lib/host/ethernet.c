/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Ethernet side of RoCE ports: what keeps their traffic from being dropped, and what
 * was dropped or paused.  ECN of mlx5 is in sysfs where the vendor's driver is loaded.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "host/dcb.h"
#include "host/ethtool.h"
#include "host/netns.h"

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

static bool is_wanted(const char *statistic)
{
	for (size_t i = 0; i < COUNT(patterns); i++)
		if (!fnmatch(patterns[i], statistic, 0))
			return true;
	return false;
}

/* ---- ECN ------------------------------------------------------------------------- */

/* Which priorities are on, of enable/0 .. enable/7; false: none of them is there. */
static bool read_enabled(struct ibc_host *host, const char *interface, const char *point,
                         uint8_t *priorities)
{
	struct dir dir = open_path(
	    host, host_text(host, "/sys/class/net/%s/ecn/%s/enable", interface, point), true);
	bool known = false;

	for (unsigned int i = 0; dir.fd >= 0 && i < IBC_PRIORITIES; i++) {
		char name[2] = { (char)('0' + i), '\0' };
		const char *text = read_text(host, &dir, name, true);

		known |= text != NULL;
		if (text && *text == '1')
			*priorities |= (uint8_t)(1U << i);
	}
	close_dir(&dir);
	return known;
}

static void read_ecn(struct ibc_host *host, struct ibc_ethernet *e)
{
	bool np = read_enabled(host, e->netdev->name, "roce_np", &e->ecn_np);
	bool rp = read_enabled(host, e->netdev->name, "roce_rp", &e->ecn_rp);

	e->ecn_known = np && rp;
}

/* ---- one port ------------------------------------------------------------------------ */

static const struct netns *own_netns(const struct ibc_host *host)
{
	return host->netns.n ? host->netns.items[0] : NULL;
}

static void ask_driver(struct ibc_host *host, struct ibc_ethernet *e)
{
	const struct netns *ns = own_netns(host);
	int error;

	if (!ns || !ns->door.route)
		return;
	e->pause_known = ethtool_pause(ns->door.inet, e->netdev->name, &e->pause_rx, &e->pause_tx);
	e->statistics = ethtool_statistics(host, ns->door.inet, e->netdev->name, is_wanted,
	                                   &e->num_statistics);
	error = dcb_read(host, ns->door.route, e->netdev->name, e);
	if (error && error != EOPNOTSUPP)
		note_unread(host, host_text(host, "netlink: RTM_GETDCB %s", e->netdev->name),
		            error);
}

/* The interface that the GID table names first. */
static const struct ibc_netdev *netdev_of(struct ibc_host *host,
                                          const struct ibc_rdma_device *device,
                                          const struct ibc_rdma_port *port)
{
	struct dir dir = open_path(host,
	                           host_text(host,
	                                     "/sys/class/infiniband/%s/ports/%u/gid_attrs/ndevs",
	                                     device->name, port->num),
	                           true);
	const char *name = dir.fd < 0 ? NULL : read_text(host, &dir, "0", true);
	const struct ibc_netdev *dev;

	close_dir(&dir);
	for (size_t i = 0; name && (dev = ibc_host_netdev(host, i)); i++)
		if (dev->netns == 0 && !strcmp(dev->name, name))
			return dev;
	return NULL;
}

static void read_port(struct ibc_host *host, const struct ibc_rdma_device *device,
                      const struct ibc_rdma_port *port)
{
	const struct ibc_netdev *netdev = netdev_of(host, device, port);
	struct ibc_ethernet *e;

	if (!netdev)
		return;
	e = host_new(host, &host->ethernet, sizeof(*e));
	if (!e)
		return;
	*e = (struct ibc_ethernet){ .device = device, .port = port->num, .netdev = netdev };
	read_ecn(host, e);
	ask_driver(host, e);
}

void host_read_ethernet(struct ibc_host *host)
{
	const struct ibc_rdma_device *device;

	for (size_t i = 0; (device = ibc_host_device(host, i)); i++)
		for (size_t p = 0; p < device->num_ports; p++)
			if (!device->ports[p].infiniband)
				read_port(host, device, &device->ports[p]);
}
