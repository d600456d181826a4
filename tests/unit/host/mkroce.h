/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKROCE_H
#define MKROCE_H

/*
 * RoCE ports for tests of checks: all is well until the test changes the one thing it is
 * about.
 *
 *	struct ibc_host *h = mk_roce_host();
 *	struct ibc_ethernet *e = mk_roce(h, "mlx5_0", "ens1f0");
 *
 *	e->pfc = 0xff;
 *	expect_host(NULL, h, "roce.pfc", "critical mlx5_0/1 (ens1f0): ...\n");
 *
 * Include it after <cmocka.h>.
 */
#include "hostfindings.h"

#define PRIORITY(n) (1U << (n))

/* By name, of a port and of its driver; zero to begin with. */
static const char *const mk_hw_counters[] = {
	"local_ack_timeout_err", "np_cnp_sent",          "out_of_buffer",       "out_of_sequence",
	"packet_seq_err",        "req_cqe_error",        "req_cqe_flush_error", "rp_cnp_handled",
	"rp_cnp_ignored",        "rx_icrc_encapsulated",
};
static const char *const mk_statistics[] = {
	"link_down_events_phy",
	"rx_discards_phy",
	"rx_prio0_discards",
	"rx_prio3_discards",
	"rx_prio3_pause_duration",
	"tx_pause_storm_error_events",
	"tx_pause_storm_warning_events",
	"tx_prio3_pause_duration",
};

static inline const struct ibc_named *mk_named(struct ibc_host *h, const char *const *names,
                                               size_t n)
{
	struct ibc_named *all = host_array(h, n, sizeof(*all));

	assert_non_null(all);
	for (size_t i = 0; i < n; i++)
		all[i].name = names[i];
	return all;
}

/* Room for so many GIDs and DSCP entries more. */
#define MK_MORE 4

static inline void mk_gid(struct ibc_ethernet *e, unsigned int index, const char *address,
                          const char *type)
{
	struct ibc_rdma_port *port = (struct ibc_rdma_port *)e->device->ports;
	struct ibc_gid *gid = (struct ibc_gid *)&port->gids[port->num_gids++];

	*gid = (struct ibc_gid){ .index = index,
		                 .type = type,
		                 .netdev = e->netdev->name,
		                 .roce_v2 = !strcmp(type, "RoCE v2") };
	memcpy(gid->raw, mk_address(address, 0).raw, sizeof(gid->raw));
	if (gid->roce_v2)
		e->gid = gid;
}

static inline void mk_dscp(struct ibc_ethernet *e, unsigned int dscp, unsigned int priority)
{
	struct ibc_dcb_app *app = (struct ibc_dcb_app *)&e->apps[e->num_apps++];

	*app = (struct ibc_dcb_app){ IBC_DCB_DSCP, (uint8_t)priority, (uint16_t)dscp };
}

static inline struct ibc_host *mk_roce_host(void)
{
	struct ibc_host *h = mk_host();

	h->opts.parts |= IBC_HOST_ETHERNET;
	return h;
}

/* RoCE v2, 9000 bytes, flow control and ECN on priority 3, where DSCP 26 goes. */
static inline struct ibc_ethernet *mk_roce(struct ibc_host *h, const char *device,
                                           const char *interface)
{
	struct ibc_rdma_device *d = mk_device(h, device);
	struct ibc_rdma_port *port = mk_port(d);
	struct ibc_netdev *dev = mk_netdev(h, interface, d);
	struct ibc_ethernet *e = host_new(h, &h->ethernet, sizeof(*e));

	assert_non_null(e);
	port->infiniband = false;
	port->link_layer = "Ethernet";
	port->phys_state = IBC_PHYS_LINKUP;
	port->hw_counters = mk_named(h, mk_hw_counters, ARRAY_SIZE(mk_hw_counters));
	port->num_hw_counters = ARRAY_SIZE(mk_hw_counters);
	port->gids = host_array(h, 4 + MK_MORE, sizeof(*port->gids));
	dev->ipoib = false;
	dev->driver = "mlx5_core";
	dev->mtu = 9000;
	*e = (struct ibc_ethernet){
		.device = d,
		.port = 1,
		.netdev = dev,
		.rdma_mtu = 4096,
		.asked = true,
		.dcb_known = true,
		.trusts_dscp = true,
		.pause_known = true,
		.ecn_known = true,
		.pfc = PRIORITY(3),
		.classes = 8,
		.ecn_np = 0xff,
		.ecn_rp = 0xff,
		.traffic_class = -1,
		.cm_tos = -1,
		.cm_mode = "",
		.apps = host_array(h, MK_MORE, sizeof(struct ibc_dcb_app)),
		.statistics = mk_named(h, mk_statistics, ARRAY_SIZE(mk_statistics)),
		.num_statistics = ARRAY_SIZE(mk_statistics),
	};
	mk_gid(e, 0, "fe80::1", "IB/RoCE v1");
	mk_gid(e, 1, "fe80::1", "RoCE v2");
	mk_gid(e, 2, "10.2.0.1", "IB/RoCE v1");
	mk_gid(e, 3, "10.2.0.1", "RoCE v2");
	mk_dscp(e, 26, 3);
	return e;
}

/* A process that uses RDMA, as NCCL does. */
static inline struct ibc_process *mk_nccl(struct ibc_host *h, int pid)
{
	struct ibc_process *p = mk_process(h, pid, "python");

	p->program = IBC_PROGRAM_NCCL;
	p->qps = 8;
	return p;
}

/* Sets a counter of the port, or of its driver, by name. */
static inline void mk_counts(struct ibc_ethernet *e, const char *name, uint64_t value)
{
	const struct ibc_rdma_port *port = e->device->ports;
	struct ibc_named *all[] = { (struct ibc_named *)port->hw_counters,
		                    (struct ibc_named *)port->counters,
		                    (struct ibc_named *)e->statistics };
	const size_t n[] = { port->num_hw_counters, port->num_counters, e->num_statistics };

	for (size_t k = 0; k < ARRAY_SIZE(all); k++)
		for (size_t i = 0; i < n[k]; i++)
			if (!strcmp(all[k][i].name, name)) {
				all[k][i].value = value;
				return;
			}
	fail_msg("there is no counter %s", name);
}

#endif
