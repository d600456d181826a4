/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of RoCE ports: from what GID their traffic is sent, and in how large packets. */
#include "check/roce/roce.h"

#include <string.h>

#include "check/groups.h"
#include "host/net/gid.h"

/* ---- roce.gid ------------------------------------------------------------------------ */

static void evaluate_gids(const struct ibc_input *in, struct ibc_sink *out,
                          const struct roce_port *p)
{
	const char *table = sink_text(out, "/%s/ports/%u/gid", p->e->device->name, p->e->port);
	/* how many GIDs are RoCE v2, and how many of these reach beyond the subnet */
	size_t v2 = 0, ipv4 = 0, global = 0, untyped = 0;

	for (size_t i = 0; i < p->port->num_gids; i++) {
		const struct ibc_gid *gid = &p->port->gids[i];

		untyped += !*gid->type;
		v2 += gid->roce_v2;
		ipv4 += gid->roce_v2 && gid_is_ipv4(gid);
		global += gid->roce_v2 && !gid_is_link_local(gid);
	}
	if (!p->port->gids || (!v2 && (untyped || unread_like(in->host, table)))) {
		report_unread(in, out, IBC_SUBJECT_PORT, p->name, "whether it has a RoCE v2 GID",
		              table);
		return;
	}
	if (!p->port->num_gids) {
		sink_as(out, IBC_CRITICAL);
		sink_own_port(out, p->name, "has no GID: no program can use it");
		sink_advise(out, "Give its interface an IPv4 address, and set it up.");
	} else if (!v2) {
		sink_as(out, IBC_CRITICAL);
		sink_own_port(out, p->name,
		              "has no RoCE v2 GID, only %zu of RoCE v1, which no router forwards",
		              p->port->num_gids);
		sink_advise(out, "Check whether the NIC supports RoCE v2, and whether its driver "
		                 "or firmware has it disabled.");
	} else if (!ipv4 && !untyped && global) {
		sink_as(out, IBC_INFO);
		sink_own_port(out, p->name,
		              "has RoCE v2 GIDs of IPv6 addresses only: NCCL needs "
		              "NCCL_IB_ADDR_FAMILY=AF_INET6");
	} else if (!ipv4 && !untyped) {
		sink_own_port(out, p->name,
		              "has a RoCE v2 GID of its link-local address only: programs that "
		              "look for an IPv4 address do not find it");
		sink_advise(out, "Give its interface an IPv4 address.");
		sink_fact(out, "gids", ibc_u64(p->port->num_gids));
	}
	if (strcmp(p->e->cm_mode, "IB/RoCE v1") != 0)
		return;
	sink_own_port(out, p->name,
	              "uses RoCE v1 for programs that connect by the RDMA connection manager");
	sink_advise(out,
	            "echo \"RoCE v2\" > /sys/kernel/config/rdma_cm/%s/ports/%u/default_roce_mode",
	            p->e->device->name, p->e->port);
}

/* A port that is down has no GIDs, and need not be meant to be up. */
static void evaluate_down(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_ethernet *e;
	const struct ibc_rdma_port *port;

	for (size_t i = 0; (e = ibc_host_ethernet(in->host, i)); i++) {
		port = device_port(e->device, e->port);
		if (!port || is_active(port))
			continue;
		if (!port->state || !port->phys_state) {
			report_unread(in, out, IBC_SUBJECT_PORT, roce_name(out, e), "its state",
			              sink_text(out, "/%s/ports/%u/%s", e->device->name, e->port,
			                        port->state ? "phys_state" : "state"));
			continue;
		}
		sink_as(out, IBC_INFO);
		sink_own_port(out, roce_name(out, e), "is %s, physically %s, and is not checked",
		              ibc_port_state_word(port->state)->name,
		              ibc_phys_state_word(port->phys_state)->name);
	}
}

/* ---- the GID that is configured ------------------------------------------------------- */

/* Ports on which that GID is none, or not of RoCE v2; and the index that would be good on all. */
static void evaluate_chosen(const struct ibc_input *in, struct ibc_sink *out,
                            const struct roce_port *ports, size_t n, const struct use *use)
{
	struct port_list empty = { 0 }, v1 = { 0 };
	const struct ibc_gid *better = NULL;
	bool differ = false;

	for (size_t i = 0; i < n; i++) {
		const struct ibc_rdma_port *port = ports[i].port;
		const struct ibc_gid *gid = NULL, *best = ports[i].e->gid;

		if (!ports[i].first_of_port || !use_takes(use, ports[i].e->device))
			continue;
		for (size_t k = 0; !gid && k < port->num_gids; k++)
			gid = port->gids[k].index == use->number ? &port->gids[k] : NULL;
		if (!port->gids || (gid && (gid->roce_v2 || !*gid->type)))
			continue;
		port_list_add(out, gid ? &v1 : &empty, ports[i].name);
		if (best && best->roce_v2) {
			differ |= better && better->index != best->index;
			better = best;
		}
	}
	if (!empty.n && !v1.n)
		return;
	if (empty.n)
		sink_as(out, IBC_CRITICAL);
	use_report(in, out, use, "sends from GID %u (%s), which is %s%s%s%s%s", use->number,
	           use_text(out, use), empty.n ? "empty on " : "", empty.n ? empty.list : "",
	           empty.n && v1.n ? ", and " : "", v1.n ? "RoCE v1 on " : "", v1.n ? v1.list : "");
	sink_advise(out,
	            "Leave %s unset: NCCL 2.21 and UCX find RoCE v2 themselves%s. An index changes "
	            "when addresses change.",
	            use->variable,
	            better && !differ ? sink_text(out, ", or set it to %u", better->index) : "");
}

/*
 * The GID says from which address, and in which version of RoCE, packets are sent.  What
 * has none of RoCE v2 is not used, or not beyond its own subnet.
 */
static void check_gid(const struct ibc_input *in, struct ibc_sink *out)
{
	size_t n, num_uses;
	const struct roce_port *ports = roce_ports(in, out, &n);
	const struct use *uses;

	evaluate_down(in, out);
	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		if (ports[i].first_of_port)
			evaluate_gids(in, out, &ports[i]);
	uses = uses_of_gids(in, out, &num_uses);
	for (size_t i = 0; i < num_uses; i++)
		evaluate_chosen(in, out, ports, n, &uses[i]);
	report_hidden(in, out);
}

/* ---- roce.mtu ------------------------------------------------------------------------------ */

#define MTU_BEST 4096 /* the largest of RDMA (IBA 14.2.5.6, MTUCap) */

/* Packets of RDMA are powers of two, and need room for their headers in those of Ethernet. */
static void check_mtu(const struct ibc_input *in, struct ibc_sink *out)
{
	size_t n;
	const struct roce_port *p, *ports = roce_ports(in, out, &n);
	struct silence silence = { .n = 0 };

	for (p = ports; p < ports + n; p++) {
		const struct ibc_ethernet *e = p->e;
		unsigned int mtu = e->netdev ? e->netdev->mtu : 0;

		if (!p->first_of_port)
			continue;
		if (!mtu)
			silence_add(out, &silence, p,
			            e->netdev ? "it could not be read" : why_silent(e, ""));
		if (!mtu || e->rdma_mtu >= MTU_BEST)
			continue;
		if (!e->rdma_mtu)
			sink_as(out, IBC_CRITICAL);
		else if (e->software)
			sink_as(out, IBC_INFO);
		if (!e->rdma_mtu)
			sink_own_port(out, p->name,
			              "has an MTU of %u, too small for any RDMA packet", mtu);
		else
			sink_own_port(
			    out, p->name,
			    "has an MTU of %u: RDMA sends %u bytes per packet, 4096 are possible",
			    mtu, e->rdma_mtu);
		sink_advise(out,
		            "Set 9000 on the switches and on all hosts (4200 is enough): ip link "
		            "set dev %s mtu 9000.",
		            e->netdev->name);
		sink_fact(out, "mtu_bytes", ibc_u64(mtu));
		sink_fact(out, "rdma_mtu_bytes", ibc_u64(e->rdma_mtu));
	}
	silence_report(in, out, &silence, "the MTU",
	               "Run it as root, outside of containers: the interface can be in another "
	               "network namespace.");
}

/* ---- the table ----------------------------------------------------------------------------- */

const struct ibc_check ibc_checks_roce[] = {
	CHECK("roce.gid", "RoCE ports and programs without a usable GID", IBC_WARNING, check_gid,
	      .parts = ROCE_PARTS),
	CHECK("roce.mtu", "RoCE ports that send small packets", IBC_WARNING, check_mtu,
	      .parts = ROCE_PARTS),
	{ 0 },
};
