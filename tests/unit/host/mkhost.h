/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKHOST_H
#define MKHOST_H

/*
 * Hosts for tests of checks, made without reading any: all is well until the test
 * changes the one thing it is about.
 *
 *	struct ibc_host *h = mk_host();
 *	struct ibc_netdev *ib0 = mk_netdev(h, "ib0", mk_device(h, "mlx5_0"));
 *
 *	ib0->mtu = 1500;
 *
 * Include it after <cmocka.h>.
 */
#include <arpa/inet.h>
#include <string.h>

#include "base/arena.h"
#include "host/host.h"

#define MKHOST_PARTS                                                                               \
	(IBC_HOST_RDMA | IBC_HOST_COUNTERS | IBC_HOST_GIDS | IBC_HOST_NETDEVS | IBC_HOST_SOCKETS | \
	 IBC_HOST_PROCESSES | IBC_HOST_STORAGE | IBC_HOST_PCI | IBC_HOST_STACK)

/* Everything is readable to who looks; to be freed with ibc_host_free(). */
static inline struct ibc_host *mk_host(void)
{
	struct ibc_host *h = xalloc(sizeof(*h));
	struct ibc_netns *ns;

	assert_non_null(h);
	h->arena = arena_new();
	assert_non_null(h->arena);
	h->root = "";
	h->name = "node01";
	h->live = h->privileged = true;
	h->opts.parts = MKHOST_PARTS;
	ns = host_new(h, &h->netns, sizeof(*ns));
	assert_non_null(ns);
	*ns = (struct ibc_netns){ .inode = 1, .path = "/proc/1/ns/net", .own = true };
	return h;
}

/* An adapter with one port, Active at 100 Gb/s. */
static inline struct ibc_rdma_device *mk_device(struct ibc_host *h, const char *name)
{
	struct ibc_rdma_device *d = host_new(h, &h->devices, sizeof(*d));
	struct ibc_rdma_port *p = host_array(h, 1, sizeof(*p));
	struct ibc_named *counters = host_array(h, 2, sizeof(*counters));

	assert_true(d && p && counters);
	counters[0].name = "port_rcv_data";
	counters[1].name = "port_xmit_data";
	*p = (struct ibc_rdma_port){ .num = 1,
		                     .infiniband = true,
		                     .state = IBC_STATE_ACTIVE,
		                     .rate_gbps = 100,
		                     .lid = 7,
		                     .sm_lid = 1,
		                     .link_layer = "InfiniBand",
		                     .counters = counters,
		                     .num_counters = 2,
		                     .umad = "umad0" };
	*d = (struct ibc_rdma_device){ .name = name,
		                       .node_desc = "",
		                       .hca_type = "",
		                       .fw_ver = "",
		                       .hw_rev = "",
		                       .board_id = "",
		                       .pci = "",
		                       .driver = "mlx5_core",
		                       .uverbs = "uverbs0",
		                       .ports = p,
		                       .num_ports = 1 };
	return d;
}

/* The port of a device, writable. */
static inline struct ibc_rdma_port *mk_port(struct ibc_rdma_device *d)
{
	return (struct ibc_rdma_port *)d->ports;
}

/* So many bytes both ways together, of whatever kind, have crossed its port. */
static inline void mk_carried(struct ibc_rdma_device *d, double bytes)
{
	struct ibc_named *counters = (struct ibc_named *)mk_port(d)->counters;

	counters[0].value = counters[1].value = (uint64_t)(bytes / 8);
}

static inline struct ibc_address mk_address(const char *text, unsigned int prefix)
{
	struct ibc_address a = { .raw = { [10] = 0xff, [11] = 0xff }, .prefix = (uint8_t)prefix };

	a.v4 = inet_pton(AF_INET, text, a.raw + 12) == 1;
	if (!a.v4)
		assert_int_equal(inet_pton(AF_INET6, text, a.raw), 1);
	return a;
}

/* IPoIB in datagram mode on port 1 of a device, without an address. */
static inline struct ibc_netdev *mk_netdev(struct ibc_host *h, const char *name,
                                           const struct ibc_rdma_device *device)
{
	struct ibc_netdev *dev = host_new(h, &h->netdevs, sizeof(*dev));

	assert_non_null(dev);
	*dev = (struct ibc_netdev){ .name = name,
		                    .driver = "ib_ipoib",
		                    .kind = "",
		                    .parent = "",
		                    .operstate = "up",
		                    .master = "",
		                    .ifindex = (unsigned int)h->netdevs.n,
		                    .mtu = 2044,
		                    .ipoib = true,
		                    .carrier = true,
		                    .up = true,
		                    .known = true,
		                    .mode = IBC_IPOIB_DATAGRAM,
		                    .pkey = 0xffff,
		                    .device = device,
		                    .port = device ? 1 : 0 };
	return dev;
}

static inline void mk_has_address(struct ibc_host *h, struct ibc_netdev *dev, const char *text,
                                  unsigned int prefix)
{
	struct ibc_address *all = host_array(h, dev->num_addresses + 1, sizeof(*all));

	assert_non_null(all);
	if (dev->num_addresses)
		memcpy(all, dev->addresses, dev->num_addresses * sizeof(*all));
	all[dev->num_addresses++] = mk_address(text, prefix);
	dev->addresses = all;
}

/* A process of uid 1000 that holds nothing, may lock what it likes and open what there is. */
static inline struct ibc_process *mk_process(struct ibc_host *h, int pid, const char *comm)
{
	struct ibc_process *p = host_new(h, &h->processes, sizeof(*p));

	assert_non_null(p);
	*p = (struct ibc_process){ .pid = pid,
		                   .ppid = 1,
		                   .uid = 1000,
		                   .comm = comm,
		                   .exe = "",
		                   .cgroup = "",
		                   .job = "",
		                   .job_kind = "",
		                   .verbs_library = "",
		                   .verbs_other = "",
		                   .rdma_group = "",
		                   .manager = IBC_ACCESS_OPEN,
		                   .devices_seen = 1,
		                   .devices_usable = 1,
		                   .memlock_bytes = IBC_UNLIMITED };
	return p;
}

/* What libibverbs loads for a process: all there is for mlx5, in the system's own place. */
static inline struct ibc_verbs *mk_verbs(struct ibc_host *h, struct ibc_process *p)
{
	static const char *const names[] = { "mlx5", NULL }, *const none[] = { NULL };
	struct ibc_verbs *verbs = host_array(h, 1, sizeof(*verbs));

	assert_non_null(verbs);
	*verbs = (struct ibc_verbs){ .library = "/usr/lib64/libibverbs.so.1.14.44.0",
		                     .abi = "rdmav34",
		                     .directory = "/usr/lib64/libibverbs",
		                     .config = "/etc/libibverbs.d",
		                     .drivers = names,
		                     .providers = names,
		                     .strangers = none };
	p->verbs = verbs;
	p->verbs_library = verbs->library;
	return verbs;
}

/* Something that was read as text; texts are not copied. */
static inline void mk_fact(struct ibc_host *h, const char *subject, const char *key,
                           const char *value)
{
	struct ibc_host_fact **items, *fact = host_new(h, &h->facts, sizeof(*fact));
	size_t i = h->facts.n - 1;

	assert_non_null(fact);
	*fact = (struct ibc_host_fact){ subject, key, value, "/some/file" };
	for (items = (struct ibc_host_fact **)h->facts.items; i; i--) {
		int order = strcmp(items[i - 1]->subject, subject);

		if (order < 0 || (!order && strcmp(items[i - 1]->key, key) < 0))
			break;
		items[i] = items[i - 1];
	}
	items[i] = fact;
}

/* An adapter on PCI. */
static inline struct ibc_pci *mk_pci(struct ibc_host *h, const char *name, const char *driver)
{
	struct ibc_pci *pci = host_new(h, &h->pci, sizeof(*pci));

	assert_non_null(pci);
	*pci = (struct ibc_pci){
		.name = name, .driver = driver, .iommu = "", .root = "", .kind = IBC_PCI_HCA
	};
	return pci;
}

/* A connection of a process (0: the kernel) to 10.1.0.9; in the order of their making. */
static inline struct ibc_socket *mk_socket(struct ibc_host *h, const struct ibc_netdev *dev,
                                           int pid, double bytes)
{
	struct ibc_socket *s = host_new(h, &h->sockets, sizeof(*s));

	assert_non_null(s);
	*s = (struct ibc_socket){ .inode = 100 + h->sockets.n,
		                  .pid = pid,
		                  .netdev = dev,
		                  .sent = (uint64_t)bytes,
		                  .local = mk_address("10.1.0.1", 24),
		                  .remote = mk_address("10.1.0.9", 24) };
	return s;
}

static inline void mk_setting(struct ibc_host *h, struct ibc_process *p, const char *name,
                              const char *value, enum ibc_effect effect)
{
	struct ibc_setting *s = host_array(h, 1, sizeof(*s));

	assert_non_null(s);
	*s = (struct ibc_setting){
		.name = name, .value = value, .where = "environ", .meaning = "", .effect = effect
	};
	p->settings = s;
	p->num_settings = 1;
}

static inline void mk_log(struct ibc_host *h, int pid, bool tcp, const char *text)
{
	struct ibc_log_line *l = host_new(h, &h->log_lines, sizeof(*l));

	assert_non_null(l);
	*l = (struct ibc_log_line){
		.path = "/tmp/job.log", .text = text, .line = 7, .tcp = tcp, .pid = pid
	};
}

/* A mount of /scratch from 10.1.0.9. */
static inline struct ibc_storage *mk_storage(struct ibc_host *h, const char *kind,
                                             const char *transport, const struct ibc_netdev *dev)
{
	struct ibc_storage *s = host_new(h, &h->storage, sizeof(*s));

	assert_non_null(s);
	*s = (struct ibc_storage){ .kind = kind,
		                   .name = "/scratch",
		                   .server = "10.1.0.9",
		                   .transport = transport,
		                   .path = "/proc/mounts",
		                   .remote = mk_address("10.1.0.9", 32),
		                   .netdev = dev,
		                   .version = "" };
	return s;
}

#endif
