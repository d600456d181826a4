/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of what a subnet manager has set up at the two ends of a cable. */
#include "check/collect.h"
#include "check/groups.h"
#include "check/qos/qos.h"

/* A cable whose ends hold what a subnet manager set up, not what they started with. */
static bool is_configured_cable(const struct ibc_port *p)
{
	return is_known_cable(p) && p->state >= IBC_STATE_ARMED &&
	       p->peer->state >= IBC_STATE_ARMED;
}

/*
 * NeighborMTU is what a port may send.  If the ends disagree, one sends packets that
 * the other drops: small messages pass, large ones hang.
 */
static void check_mtu(const struct ibc_input *in, struct ibc_sink *out)
{
	struct examples small = { .count = 0 };
	const struct ibc_port *p, *z;
	size_t cables = 0;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		z = p->peer;
		if (!is_configured_cable(p) || !p->mtu_active || !z->mtu_active)
			continue;
		cables++;
		if (p->mtu_active == z->mtu_active) {
			if (p->mtu_active < p->mtu_cap && p->mtu_active < z->mtu_cap)
				examples_add(&small, p);
			continue;
		}
		sink_cable(out, p, "has an MTU of %u at %s and of %u at %s",
		           ibc_mtu_bytes(p->mtu_active), port_text(out, p),
		           ibc_mtu_bytes(z->mtu_active), port_text(out, z));
		sink_advise(out,
		            "Trigger a heavy sweep (SIGHUP to opensm). If it persists, look for a "
		            "second subnet manager or a tool that configures ports by itself.");
		sink_fact(out, "mtu_bytes", ibc_u64(ibc_mtu_bytes(p->mtu_active)));
		sink_fact(out, "peer_mtu_bytes", ibc_u64(ibc_mtu_bytes(z->mtu_active)));
	}
	if (!small.count)
		return;
	sink_as(out, IBC_INFO);
	if (small.count > 1) {
		sink_fabric(out,
		            "%zu of %zu cables use an MTU below what both of their ends support",
		            small.count, cables);
		examples_relate(out, &small);
		return;
	}
	p = small.ports[0];
	sink_cable(out, p, "uses an MTU of %u, both ends support more",
	           ibc_mtu_bytes(p->mtu_active));
	sink_fact(out, "mtu_bytes", ibc_u64(ibc_mtu_bytes(p->mtu_active)));
}

/*
 * OperationalVLs is the set of virtual lanes a port uses.  Flow control runs per lane:
 * what one end sends on a lane the other end does not use never gets credits, and hangs.
 */
static void check_vl(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_port *p, *z;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		z = p->peer;
		if (!is_configured_cable(p) || !p->vl_active || !z->vl_active ||
		    p->vl_active == z->vl_active)
			continue;
		sink_cable(out, p, "uses %s at %s and %s at %s", vls_text(p->vl_active),
		           port_text(out, p), vls_text(z->vl_active), port_text(out, z));
		sink_advise(out,
		            "Trigger a heavy sweep (SIGHUP to opensm). If it persists, compare its "
		            "max_op_vls with what other subnet managers or tools have set.");
		sink_fact(out, "operational_vls", ibc_str(vls_text(p->vl_active)));
		sink_fact(out, "peer_operational_vls", ibc_str(vls_text(z->vl_active)));
	}
}

/* ---- the table -------------------------------------------------------------- */

const struct ibc_check ibc_checks_port_agree[] = {
	CHECK("port.mtu", "cables whose ends use different MTUs", IBC_WARNING, check_mtu,
	      .needs = IBC_ATTRS(IBC_ATTR_PORT_INFO),
	      .many = "cables|use different MTUs at their ends"),
	CHECK("port.vl", "cables whose ends use different virtual lanes (VLs)", IBC_WARNING,
	      check_vl, .needs = IBC_ATTRS(IBC_ATTR_PORT_INFO),
	      .many = "cables|use different virtual lanes (VLs) at their ends"),
	{ 0 },
};
