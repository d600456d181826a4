/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of virtual ports (SR-IOV), by what the HCAs of a fabric say of them. */
#include "check/groups.h"
#include "check/phrases.h"
#include "check/sink.h"
#include "fabric/fabric.h"

/*
 * Why it cannot be used; NULL: it can, or it is not meant to: that of a function which no
 * guest uses is Down.
 */
static const char *why_useless(struct ibc_sink *out, const struct ibc_port *p,
                               const struct ibc_vport *v, const struct ibc_port *const *claims)
{
	const struct ibc_port *other = ibc_fabric_port_by_lid(p->node->subnet, v->lid);

	if (v->state == IBC_STATE_DOWN)
		return NULL;
	if (v->lid_required && !v->lid)
		return "has no LID, and requires one of its own";
	if (v->lid && other && other != p)
		return sink_text(out, "has LID %u, which is that of %s", v->lid,
		                 port_text(out, other));
	if (v->lid && v->lid < UNICAST_LIDS && claims[v->lid] != p)
		return sink_text(out, "has LID %u, which a virtual port of %s has too", v->lid,
		                 port_text(out, claims[v->lid]));
	if (v->state != IBC_STATE_ACTIVE)
		return sink_text(out, "is %s", ibc_port_state_word(v->state)->name);
	return NULL;
}

static void evaluate_vports(struct ibc_sink *out, const struct ibc_port *p,
                            const struct ibc_port *const *claims)
{
	const struct ibc_vport *first = NULL;
	const char *why = NULL;
	size_t n = 0;

	for (size_t i = 0; i < p->extra->vports->num_vports; i++) {
		const char *useless = why_useless(out, p, &p->extra->vports->vports[i], claims);

		if (!useless)
			continue;
		n++;
		if (!first)
			why = useless;
		first = first ? first : &p->extra->vports->vports[i];
	}
	if (!first)
		return;
	sink_port(out, p, "has %s that cannot be used: number %u %s%s",
	          amount_text(out, n, "virtual port"), first->index, why,
	          n > 1 ? ", and so on" : "");
	sink_advise(out, "Trigger a heavy sweep (SIGHUP) of the subnet manager. If it stays, see "
	                 "its log, and whether it supports virtualization and has it enabled "
	                 "(virt_enabled of NVIDIA's OpenSM).");
	sink_fact(out, "virtual_ports", ibc_u64(p->extra->vports->num_vports));
	sink_fact(out, "unusable", ibc_u64(n));
	sink_fact(out, "first_index", ibc_u64(first->index));
	sink_fact(out, "first_guid", ibc_guid(first->guid));
}

/* The next port of a subnet with virtual ports.  One that is not Active is port.state's. */
static const struct ibc_port *next_with_vports(const struct ibc_subnet *subnet, size_t *at)
{
	const struct ibc_port *p;

	while ((p = ibc_fabric_port(subnet->fabric, (*at)++)))
		if (p->extra->vports && p->state == IBC_STATE_ACTIVE && p->node->subnet == subnet)
			return p;
	return NULL;
}

static void check_vport(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_subnet *subnet;
	const struct ibc_port *p, *first = NULL;
	size_t n = 0;

	for (size_t s = 0; (subnet = ibc_fabric_subnet(in->fabric, s)); s++) {
		/* by LID, the first port that has a virtual port with it */
		const struct ibc_port **claims = sink_array(out, UNICAST_LIDS, sizeof(*claims));

		for (size_t i = 0; (p = next_with_vports(subnet, &i));) {
			/* of those that are not Down; several of one port may share a LID */
			for (size_t k = 0; k < p->extra->vports->num_vports; k++) {
				const struct ibc_vport *v = &p->extra->vports->vports[k];

				if (v->state != IBC_STATE_DOWN && v->lid < UNICAST_LIDS &&
				    !claims[v->lid])
					claims[v->lid] = p;
			}
		}
		for (size_t i = 0; (p = next_with_vports(subnet, &i));)
			evaluate_vports(out, p, claims);
	}
	/* one finding, for it is no fault of the virtual ports that are known */
	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		if (!ibc_port_unanswered(p, IBC_ATTR_VPORTS))
			continue;
		first = first ? first : p;
		n++;
	}
	if (!first)
		return;
	sink_as(out, IBC_UNKNOWN);
	sink_port(out, first, "may have virtual ports, and does not report all of them%s",
	          n > 1 ? sink_text(out, "; %zu ports do not", n) : "");
	sink_advise(out, "Sweep again. If it stays, update the firmware of the HCA: until then the "
	                 "LIDs of its virtual ports are guessed.");
	sink_fact(out, "ports", ibc_u64(n));
	sink_unanswered(out, n);
}

/* ---- the table ------------------------------------------------------------------------------ */

const struct ibc_check ibc_checks_port_vport[] = {
	CHECK("host.vport", "virtual ports (SR-IOV) that cannot be used", IBC_WARNING, check_vport,
	      .needs = IBC_ATTRS(IBC_ATTR_PORT_INFO, IBC_ATTR_VPORTS), .inputs = IBC_IN_VPORTS,
	      EXPLAINED_BY(BY_MANAGER), .many = "ports|have virtual ports that cannot be used"),
	{ 0 },
};
