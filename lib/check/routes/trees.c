/* SPDX-License-Identifier: BSD-2-Clause */
/* Multicast trees: do they hold together, and reach their members? */
#include <stdio.h>

#include "check/collect.h"
#include "check/groups.h"
#include "check/routes/routes.h"

static const struct {
	enum ibc_severity severity;
	const char *how;
} faults[] = {
	[IBC_TREE_CYCLE] = { IBC_CRITICAL,
	                     "is in a ring: packets of the group come back and multiply" },
	[IBC_TREE_CUT] = { IBC_CRITICAL,
	                   "is in a piece of the tree that is cut off from the rest" },
	[IBC_TREE_ONE_SIDED] = { IBC_WARNING, "sends to the other end, which does not send back" },
	[IBC_TREE_DOWN] = { IBC_WARNING, "is in the tree, but has no link" },
	[IBC_TREE_MISSING] = { IBC_CRITICAL,
	                       "leads to a member, but the switch does not send to it" },
};

static bool is_same(const struct ibc_multicast_fault *a, const struct ibc_multicast_fault *z)
{
	return a->fault == z->fault && a->node == z->node && a->port == z->port;
}

static void check_multicast(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_multicast_fault *f, *other;
	const struct ibc_subnet *subnet;

	for (size_t i = 0; (f = ibc_routes_multicast_fault(in->routes, i)); i++) {
		const struct ibc_port *port = f->port ? ibc_node_port(f->node, f->port) : NULL;
		const char *text;
		size_t n = 0, first = 0;

		while (!is_same(ibc_routes_multicast_fault(in->routes, first), f))
			first++;
		if (first < i) /* the same place has been reported with an earlier group */
			continue;
		for (size_t k = i; (other = ibc_routes_multicast_fault(in->routes, k)); k++)
			n += is_same(other, f);
		text = sink_text(out, "%s (MLID 0x%x", faults[f->fault].how, f->mlid);
		if (n > 1)
			text = sink_text(out, "%s and %zu more", text, n - 1);
		if (f->count > 1)
			text = sink_text(out, "%s, here and at %zu more place%s", text,
			                 f->count - 1, many(f->count - 1));
		sink_as(out, faults[f->fault].severity);
		if (port)
			sink_port(out, port, "%s)", text);
		else
			sink_node(out, f->node, "%s)", text);
		sink_advise(out, "Trigger a heavy sweep (SIGHUP to opensm), which writes the trees "
		                 "again. If two subnet managers compete, stop one.");
		sink_fact(out, "mlid", ibc_u64(f->mlid));
		sink_fact(out, "groups", ibc_u64(n));
		sink_fact(out, "fault", ibc_enum(ibc_tree_fault_word(f->fault)));
		sink_fact(out, "places", ibc_u64(f->count));
	}
	report_unread_tables(in, out, IBC_ATTR_MFT,
	                     "does not report its multicast forwarding table (MFT)");
	/* the members are not all known, so that none may be missed */
	for (size_t i = 0; (subnet = ibc_fabric_subnet(in->fabric, i)); i++) {
		const struct ibc_port *origin = subnet->origin;

		if (!origin || !subnet->multicast ||
		    !ibc_port_unanswered(origin, IBC_ATTR_MC_MEMBER_RECORD))
			continue;
		sink_as(out, IBC_UNKNOWN);
		sink_fabric(out,
		            "%ssubnet administration (SA) did not report all members of multicast "
		            "groups: missing members are not checked",
		            subnet_intro(out, subnet));
		sink_advise(out, "The shape of the trees was checked nevertheless. Run this again "
		                 "on a host near the subnet manager.");
		sink_fact(out, "lid", ibc_u64(origin->sm_lid));
		sink_unanswered(out, 1);
	}
}

const struct ibc_check ibc_checks_routes_trees[] = {
	CHECK("routes.multicast", "multicast trees that are broken", IBC_CRITICAL, check_multicast,
	      .absence = IBC_ABSENT_HERE,
	      .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_LFT, IBC_ATTR_MFT,
	                         IBC_ATTR_MC_MEMBER_RECORD),
	      .inputs = IBC_IN_ROUTES,
	      EXPLAINED_BY(BY_ABSENCE(ACROSS), BY_PLAN(ACROSS), BY("port.physical", ACROSS),
	                   BY_MANAGER, BY("port.state", ACROSS))),
	{ 0 },
};
