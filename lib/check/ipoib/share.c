/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much of what an RDMA port carried was IPoIB.  The port counts words of four bytes
 * with the headers of InfiniBand, the interface bytes without them.  Whether the port's
 * counters hold IPoIB at all depends on the driver: where the interface counted clearly
 * more, they do not, and the two are added.
 */
#include <string.h>

#include "check/host/view.h"
#include "check/ipoib/workloads.h"

#define PACKET_OVERHEAD 32    /* LRH, BTH, DETH, ICRC of a UD packet */
#define APART           1.1   /* more than the error bar of the headers */
#define WORTH_A_LOOK    0.01  /* of what the link can carry */
#define GIGABIT         125e6 /* bytes a second */

const struct ibc_rdma_port *netdev_port(const struct ibc_netdev *dev)
{
	return dev ? device_port(dev->device, dev->port) : NULL;
}

static uint64_t rise(uint64_t before, uint64_t now)
{
	return now >= before ? now - before : now;
}

/* Bytes of the wire in one direction; packets of segmentation offload are many there. */
static double on_wire(uint64_t bytes, uint64_t packets, unsigned int mtu)
{
	double whole = mtu ? (double)bytes / mtu : 0;

	return (double)bytes +
	       PACKET_OVERHEAD * (whole > (double)packets ? whole : (double)packets);
}

bool port_load(const struct ibc_host *before, const struct ibc_host *now,
               const struct ibc_rdma_device *device, const struct ibc_rdma_port *port,
               struct port_load *out)
{
	static const char *const words[] = { "port_xmit_data", "port_rcv_data" };
	double seconds = before ? ibc_host_seconds(now) - ibc_host_seconds(before) : 0;
	const struct ibc_rdma_port *earlier =
	    before ? device_port(ibc_host_device_by_name(before, device->name), port->num) : NULL;
	const struct counted is = { .now = port->counters, .num_now = port->num_counters };
	const struct ibc_netdev *dev, *was;
	double bytes = 0;

	*out = (struct port_load){ .device = device, .port = port, .bytes_per_second = -1 };
	if (seconds <= 0 || !earlier)
		return false;
	for (size_t i = 0; (dev = ibc_host_netdev(now, i)); i++) {
		/* what a bond carries, its members count */
		if (!dev->ipoib || (dev->kind && !strcmp(dev->kind, "bond")) ||
		    dev->device != device || dev->port != port->num)
			continue;
		was = ibc_host_netdev_before(before, now, dev);
		if (was && !strcmp(was->name, dev->name) && was->known && dev->known)
			out->ipoib_bytes_per_second +=
			    (on_wire(rise(was->tx_bytes, dev->tx_bytes),
			             rise(was->tx_packets, dev->tx_packets), dev->mtu) +
			     on_wire(rise(was->rx_bytes, dev->rx_bytes),
			             rise(was->rx_packets, dev->rx_packets), dev->mtu)) /
			    seconds;
	}
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const struct counted c = { .now = earlier->counters,
			                   .num_now = earlier->num_counters };
		const uint64_t *a = counted_now(&c, words[i]), *z = counted_now(&is, words[i]);

		if (!a || !z)
			return true;
		bytes += 4 * (double)rise(*a, *z);
	}
	out->bytes_per_second = bytes / seconds;
	out->apart = out->ipoib_bytes_per_second > APART * out->bytes_per_second;
	if (out->apart)
		out->bytes_per_second += out->ipoib_bytes_per_second;
	return true;
}

double port_load_rdma(const struct port_load *load)
{
	double rest = load->bytes_per_second - load->ipoib_bytes_per_second;

	return rest > 0 ? rest : 0;
}

double port_load_share(const struct port_load *load)
{
	if (load->bytes_per_second < 0)
		return -1;
	return load->bytes_per_second > 0 ? 1 - port_load_rdma(load) / load->bytes_per_second : 0;
}

bool port_load_counts(const struct port_load *load)
{
	double known = load->bytes_per_second < 0 ? load->ipoib_bytes_per_second
	                                          : load->bytes_per_second;

	return known > 0 && known >= WORTH_A_LOOK * load->port->rate_gbps * GIGABIT;
}
