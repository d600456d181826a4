/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much of what an RDMA port carried was IPoIB.  The port counts words of four bytes
 * with the headers of InfiniBand, the interface bytes without them.  Whether the port's
 * counters hold IPoIB at all depends on the driver: where the interface counted clearly
 * more, they do not, and the two are added.
 */
#include <string.h>

#include "check/host_view.h"
#include "check/ipoib_workloads.h"

#define PACKET_OVERHEAD 32    /* LRH, BTH, DETH, ICRC of a UD packet */
#define APART           1.1   /* more than the error bar of the headers */
#define WORTH_A_LOOK    0.01  /* of what the link can carry */
#define GIGABIT         125e6 /* bytes a second */

const struct ibc_rdma_port *netdev_port(const struct ibc_netdev *dev)
{
	return dev ? device_port(dev->device, dev->port) : NULL;
}

static const struct ibc_netdev *same_netdev(const struct ibc_host *before,
                                            const struct ibc_host *now,
                                            const struct ibc_netdev *like)
{
	const struct ibc_netdev *dev = ibc_host_netdev_before(before, now, like);

	return dev && !strcmp(dev->name, like->name) ? dev : NULL;
}

static uint64_t rise(uint64_t before, uint64_t now)
{
	return now >= before ? now - before : now;
}

/* Bytes of the wire, both directions; packets of segmentation offload are many there. */
static double on_wire(uint64_t bytes, uint64_t packets, unsigned int mtu)
{
	double whole = mtu ? (double)bytes / mtu : 0;

	return (double)bytes +
	       PACKET_OVERHEAD * (whole > (double)packets ? whole : (double)packets);
}

static double netdev_bytes(const struct ibc_netdev *before, const struct ibc_netdev *now)
{
	if (!before->known || !now->known)
		return 0;
	return on_wire(rise(before->tx_bytes, now->tx_bytes),
	               rise(before->tx_packets, now->tx_packets), now->mtu) +
	       on_wire(rise(before->rx_bytes, now->rx_bytes),
	               rise(before->rx_packets, now->rx_packets), now->mtu);
}

/* Words of one direction; negative: not told. */
static double port_words(const struct ibc_rdma_port *before, const struct ibc_rdma_port *now,
                         const char *name)
{
	const struct counted was = { .now = before->counters, .num_now = before->num_counters };
	const struct counted is = { .now = now->counters, .num_now = now->num_counters };
	const uint64_t *a = counted_now(&was, name), *z = counted_now(&is, name);

	return a && z ? (double)rise(*a, *z) : -1;
}

static double port_bytes(const struct ibc_rdma_port *before, const struct ibc_rdma_port *now)
{
	double sent = port_words(before, now, "port_xmit_data");
	double received = port_words(before, now, "port_rcv_data");

	return sent < 0 || received < 0 ? -1 : 4 * (sent + received);
}

/* What a bond carries, its members count. */
static bool is_bond(const struct ibc_netdev *dev)
{
	return dev->kind && !strcmp(dev->kind, "bond");
}

bool port_load(const struct ibc_host *before, const struct ibc_host *now,
               const struct ibc_rdma_device *device, const struct ibc_rdma_port *port,
               struct port_load *out)
{
	double seconds = before ? ibc_host_seconds(now) - ibc_host_seconds(before) : 0;
	const struct ibc_rdma_port *earlier =
	    before ? device_port(ibc_host_device_by_name(before, device->name), port->num) : NULL;
	const struct ibc_netdev *dev, *was;

	*out = (struct port_load){ .device = device, .port = port, .bytes_per_second = -1 };
	if (seconds <= 0 || !earlier)
		return false;
	for (size_t i = 0; (dev = ibc_host_netdev(now, i)); i++) {
		was = dev->ipoib && !is_bond(dev) && dev->device == device && dev->port == port->num
		          ? same_netdev(before, now, dev)
		          : NULL;
		if (was)
			out->ipoib_bytes_per_second += netdev_bytes(was, dev) / seconds;
	}
	out->bytes_per_second = port_bytes(earlier, port);
	if (out->bytes_per_second < 0)
		return true;
	out->bytes_per_second /= seconds;
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
