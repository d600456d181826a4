/* SPDX-License-Identifier: BSD-2-Clause */
/* The check of flow control by priority (PFC, IEEE 802.1Qbb). */
#include <errno.h>
#include <string.h>

#include "check/groups.h"
#include "check/roce/roce.h"

#define ALL_PRIORITIES 0xff /* a bit for each of 8 (IEEE 802.1Q) */

static void evaluate_peer(struct ibc_sink *out, const struct roce_port *p)
{
	if (!p->e->peer_known || p->e->peer_pfc == p->e->pfc)
		return;
	sink_as(out, IBC_CRITICAL);
	sink_own_port(out, p->name, "has flow control on %s, the switch on %s (by DCBX)",
	              priorities_text(out, p->e->pfc), priorities_text(out, p->e->peer_pfc));
	sink_advise(
	    out,
	    "Set the same priorities at both ends: traffic that only one end pauses is dropped.");
	sink_fact(out, "priorities", priorities_value(out, p->e->pfc));
	sink_fact(out, "peer_priorities", priorities_value(out, p->e->peer_pfc));
}

static void evaluate_number(struct ibc_sink *out, const struct roce_port *p)
{
	unsigned int n = (unsigned int)__builtin_popcount(p->e->pfc);

	if (p->e->pfc == ALL_PRIORITIES) {
		sink_as(out, IBC_CRITICAL);
		sink_own_port(
		    out, p->name,
		    "has flow control on all priorities: one slow receiver stops all traffic");
	} else if (p->e->classes && n > p->e->classes) {
		sink_own_port(out, p->name, "has flow control on %s, but buffers for only %u",
		              priorities_text(out, p->e->pfc), p->e->classes);
	} else if (n > 1) {
		sink_as(out, IBC_INFO);
		sink_own_port(out, p->name, "has flow control on %s",
		              priorities_text(out, p->e->pfc));
		sink_fact(out, "priorities", priorities_value(out, p->e->pfc));
		return;
	} else {
		return;
	}
	sink_advise(out,
	            "Keep it only on the priority of RoCE, here and at the switch: mlnx_qos -i %s "
	            "--pfc 0,0,0,1,0,0,0,0, or dcb pfc set dev %s prio-pfc all:off 3:on.",
	            sink_word(out, p->e->netdev->name), sink_word(out, p->e->netdev->name));
	sink_fact(out, "priorities", priorities_value(out, p->e->pfc));
}

/* Has the port GIDs of an interface with a VLAN, whose tag carries a priority? */
static bool has_vlan(const struct ibc_input *in, const struct roce_port *p)
{
	const struct ibc_netdev *dev;

	for (size_t i = 0; (dev = ibc_host_netdev(in->host, i)); i++) {
		if (strcmp(dev->kind, "vlan") != 0 || dev->netns != p->e->netdev->netns)
			continue;
		for (size_t k = 0; k < p->port->num_gids; k++)
			if (!strcmp(p->port->gids[k].netdev, dev->name))
				return true;
	}
	return false;
}

/* Does any traffic get to where flow control is? */
static void evaluate_marking(const struct ibc_input *in, struct ibc_sink *out,
                             const struct roce_port *p)
{
	const char *pfc = priorities_text(out, p->e->pfc);

	if (!p->e->pfc || leads_to_pfc(p->e))
		return;
	if (p->e->trusts_dscp) {
		sink_own_port(out, p->name, "has flow control on %s, but no DSCP maps to it", pfc);
		sink_advise(out,
		            "Map the DSCP of RoCE to it, by convention 26 to 3: mlnx_qos -i %s "
		            "--dscp2prio set,26,3, or dcb app add dev %s dscp-prio 26:3.",
		            sink_word(out, p->e->netdev->name), sink_word(out, p->e->netdev->name));
	} else if (!has_vlan(in, p)) {
		sink_own_port(out, p->name,
		              "takes priorities from VLAN tags but has no VLAN: no traffic uses "
		              "%s, where flow control is",
		              pfc);
		sink_advise(out, "Make it trust the DSCP: mlnx_qos -i %s --trust dscp.",
		            p->e->netdev->name);
	} else {
		return;
	}
	sink_fact(out, "priorities", priorities_value(out, p->e->pfc));
}

/* Ports that are no fault of their own, and still not like the others. */
static void evaluate_equal(const struct ibc_input *in, struct ibc_sink *out,
                           const struct roce_port *ports, size_t n)
{
	bool blames = sink_explained_by(out, "roce.lossy");
	const char *text = "";
	unsigned int kinds = 0;

	for (unsigned int pfc = 0; pfc <= ALL_PRIORITIES; pfc++) {
		struct port_list have = { 0 };

		for (size_t i = 0; i < n; i++)
			if (ports[i].e->dcb_known && ports[i].e->pfc == pfc &&
			    !(blames && !pfc && ecn_of(&ports[i], ALL_PRIORITIES) == ECN_OFF))
				port_list_add(out, &have, ports[i].name);
		if (!have.n)
			continue;
		text = sink_text(out, "%s%s%s on %s", text, *text ? "; " : "",
		                 priorities_text(out, (uint8_t)pfc), have.list);
		kinds++;
	}
	if (kinds < 2)
		return;
	sink_host(out, host_name(in), "has flow control on different priorities: %s", text);
	sink_advise(out, "Set the same priorities on all ports of one network.");
}

/*
 * Flow control stops the sender before a buffer is full.  It has to be on the priority that
 * the traffic has, at both ends, and on no other.
 */
static void check_pfc(const struct ibc_input *in, struct ibc_sink *out)
{
	size_t n;
	const struct roce_port *ports = roce_ports(in, out, &n);
	struct silence silence = { .n = 0 };

	if (!n)
		return;
	for (size_t i = 0; i < n; i++) {
		if (!ports[i].e->dcb_known) {
			int error = ports[i].e->dcb_error;
			const char *why = error == EOPNOTSUPP
			                      ? "the driver has no DCB (for a virtual function, "
			                        "ask its physical function)"
			                  : error ? strerror(error)
			                          : "the driver did not report it";

			if (!ports[i].e->software)
				silence_add(out, &silence, &ports[i], why_silent(ports[i].e, why));
			continue;
		}
		evaluate_number(out, &ports[i]);
		evaluate_peer(out, &ports[i]);
		evaluate_marking(in, out, &ports[i]);
	}
	silence_report(in, out, &silence, "flow control (PFC)",
	               "Check it with mlnx_qos, with the vendor's tool, or at the switch.");
	evaluate_equal(in, out, ports, n);
	report_strays(in, out, ports, n, false);
	if (!sink_explained_by(out, "roce.gid"))
		report_hidden(in, out);
}

/* ---- the table ----------------------------------------------------------------------------- */

const struct ibc_check ibc_checks_roce_pfc[] = {
	CHECK("roce.pfc", "priority flow control (PFC) that does not fit RoCE", IBC_WARNING,
	      check_pfc, .parts = ROCE_PARTS,
	      EXPLAINED_BY(BY("roce.lossy", SAME), BY("roce.gid", SAME))),
	{ 0 },
};
