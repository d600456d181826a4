/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of routers, by what they and their ports say of the subnets that they join. */
#include <inttypes.h>

#include "check/collect.h"
#include "check/groups.h"
#include "check/phrases.h"
#include "check/sink.h"
#include "fabric/fabric.h"

/* ---- router.flid ---------------------------------------------------------------------------- */

static const char *range_text(struct ibc_sink *out, struct ibc_flids range)
{
	return range.last ? sink_text(out, "%" PRIu32 "-%" PRIu32, range.first, range.last)
	                  : "none";
}

static bool is_range(struct ibc_flids range)
{
	return range.first && range.first <= range.last && range.last < UNICAST_LIDS;
}

static void report_differing(struct ibc_sink *out, const struct ibc_node *node,
                             const struct ibc_node *first, const char *which,
                             struct ibc_flids range, struct ibc_flids other)
{
	if (range.first == other.first && range.last == other.last)
		return;
	sink_node(out, node, "has another %s range of floating LIDs (FLIDs) than %s: %s, not %s",
	          which, first->label, range_text(out, range), range_text(out, other));
	sink_advise(out, "Set the same range for all routers, in the configuration of each subnet "
	                 "manager.");
	sink_fact(out, "range", ibc_str(range_text(out, range)));
	sink_fact(out, "other_range", ibc_str(range_text(out, other)));
	sink_relate_node(out, IBC_ROLE_FOUND, first);
}

/* LIDs of ports here must not be floating ones there. */
static void report_overlap(const struct ibc_input *in, struct ibc_sink *out,
                           const struct ibc_node *node)
{
	const struct ibc_flids range = node->router->global;
	const struct ibc_port *p, *first = NULL;
	size_t n = 0;

	for (size_t i = 0; is_range(range) && (p = ibc_fabric_port(in->fabric, i)); i++) {
		unsigned int end, lid = port_lids(p, &end);

		if (p->node->subnet != node->subnet || !port_has_lid(p) || lid > range.last ||
		    end <= range.first)
			continue;
		n++;
		first = first ? first : p;
	}
	if (!n)
		return;
	sink_node(out, node,
	          "takes LIDs %s for floating ones (FLIDs), and %zu port%s such a LID, e.g. %s has "
	          "%u",
	          range_text(out, range), n, n == 1 ? " has" : "s have", port_text(out, first),
	          first->lid);
	sink_advise(out, "Keep the LIDs that the subnet manager assigns apart from the range of "
	                 "FLIDs, in its configuration.");
	sink_fact(out, "range", ibc_str(range_text(out, range)));
	sink_fact(out, "ports", ibc_u64(n));
	sink_relate(out, IBC_ROLE_VICTIM, first);
}

/* A range that cannot be: floating LIDs are guessed then. */
static void report_strange_range(struct ibc_sink *out, const struct ibc_node *node,
                                 const char *which, struct ibc_flids range)
{
	if (is_range(range) || (!range.first && !range.last))
		return;
	sink_as(out, IBC_UNKNOWN);
	sink_node(out, node,
	          "reports a %s range of floating LIDs (FLIDs) that cannot be: %" PRIu32
	          "-%" PRIu32,
	          which, range.first, range.last);
	sink_advise(out, "Compare it with the configuration of the subnet manager. If that is "
	                 "right, update the firmware of the router: until then floating LIDs are "
	                 "guessed.");
}

static void check_flid(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_subnet *subnet;

	for (size_t s = 0; (subnet = ibc_fabric_subnet(in->fabric, s)); s++) {
		const struct ibc_node *node, *first = NULL;

		for (size_t i = 0; (node = ibc_fabric_node(in->fabric, i)); i++) {
			if (node->subnet != subnet || !node->router)
				continue;
			report_strange_range(out, node, "global", node->router->global);
			report_strange_range(out, node, "local", node->router->local);
			if (!first) {
				first = node;
				report_overlap(in, out, node);
				continue;
			}
			report_differing(out, node, first, "global", node->router->global,
			                 first->router->global);
			report_differing(out, node, first, "local", node->router->local,
			                 first->router->local);
		}
	}
	report_unanswered_nodes(
	    in, out, IBC_ATTR_ROUTER_INFO, "routers",
	    "does not report its ranges of floating LIDs (RouterInfo)",
	    "Sweep again. If it stays, update the firmware of the router: until then "
	    "floating LIDs are guessed.");
}

/* ---- router.prefix -------------------------------------------------------------------------- */

static void check_prefix(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_port *p, *other;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		if (p->node->type != IBC_NODE_ROUTER || p->state != IBC_STATE_ACTIVE ||
		    !ibc_port_is_here(p))
			continue;
		/* a port of the same router that is in another subnet, which has the same prefix */
		for (unsigned int num = 1; (other = ibc_node_port(p->node, num)); num++)
			if (other->state == IBC_STATE_ACTIVE && !ibc_port_is_here(other) &&
			    other->subnet_prefix == p->subnet_prefix)
				break;
		if (!other)
			continue;
		sink_port(out, p,
		          "has the same subnet prefix as port %u of this router, which is in "
		          "another subnet: 0x%016" PRIx64,
		          other->num, p->subnet_prefix);
		sink_advise(out,
		            "Give each subnet a prefix of its own, in the configuration of its "
		            "subnet manager (subnet_prefix of opensm).");
		sink_fact(out, "subnet_prefix", ibc_guid(p->subnet_prefix));
		sink_relate(out, IBC_ROLE_FOUND, other);
	}
}

/* ---- the table ------------------------------------------------------------------------------ */

#define ROUTERS                                                                                    \
	.needs = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_PORT_INFO, IBC_ATTR_ROUTER_INFO),          \
	.inputs = IBC_IN_ROUTERS

const struct ibc_check ibc_checks_router[] = {
	CHECK("router.flid", "ranges of floating LIDs (FLIDs) that do not fit", IBC_CRITICAL,
	      check_flid, ROUTERS, .many = "routers|have ranges of floating LIDs that do not fit"),
	CHECK("router.prefix", "subnets with one prefix at a router", IBC_CRITICAL, check_prefix,
	      ROUTERS, .many = "routers|join subnets with the same prefix"),
	{ 0 },
};
