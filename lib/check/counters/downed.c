/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of links that went down and came back: a restart, or a cable. */
#include "check/counters/links.h"
#include "check/groups.h"
#include "check/limits.h"
#include "fabric/fabric.h"

/* A host with all of its adapters, or a device that is none's. */
static void report_restart(struct ibc_sink *out, const struct ibc_node *const *nodes, size_t n)
{
	const char *name = nodes[0]->host_name ? nodes[0]->host_name : nodes[0]->label;
	size_t cables = 0;

	for (size_t i = 0; i < n; i++)
		cables += cabled_ports(nodes[i]);
	sink_as(out, IBC_INFO);
	if (cables > 1)
		sink_node(out, nodes[0],
		          "all %zu cables of %s went down and came back: probably a restart",
		          cables, name);
	else
		sink_node(out, nodes[0],
		          "the cable of %s went down, and its counters start from 0 again: "
		          "probably a restart",
		          name);
	sink_fact(out, "cables", ibc_u64(cables));
}

static void report_restarts(const struct ibc_input *in, struct ibc_sink *out)
{
	const uint64_t *restarts = restarts_in_window(in, out);
	const struct ibc_fabric_host *host;
	const struct ibc_node *node;

	for (size_t i = 0; (host = ibc_fabric_host(in->fabric, i)); i++)
		if (restarts[node_order(host->nodes[0])])
			report_restart(out, host->nodes, host->num_nodes);
	for (size_t i = 0; (node = ibc_fabric_node(in->fabric, i)); i++)
		if (!node->host_name && restarts[node_order(node)])
			report_restart(out, &node, 1);
}

/* What is over, of the end that counted more: one of them may have lost its counters. */
static struct count downs_over(const struct bad_link *l)
{
	struct count over = l->at_z.n > l->at_a.n ? l->at_z : l->at_a;

	over.n -= over.n < l->explained ? over.n : l->explained;
	return over;
}

/*
 * A link that went down and came back.  A restart does that to all cables of a host or
 * a switch at once; what does it to one, or once more to one, is the cable.
 */
static void check_downed(const struct ibc_input *in, struct ibc_sink *out)
{
	/* what that one reports is not reported twice */
	const struct ibc_check *flap = sink_explained_by(out, "counters.flap");
	struct bad_links all;

	report_restarts(in, out);
	links_collect(in, out, IBC_LINK_DOWNED, &all);
	for (size_t i = 0; i < all.n; i++) {
		const struct bad_link *l = &all.links[i];
		struct count over = downs_over(l);

		if (flap && evaluate_count(in, flap, l->a, &over) != IBC_OK)
			continue;
		report_ends(out, l, IBC_LINK_DOWNED);
		if (l->explained)
			sink_advise(out, "This cable went down by itself, too: reseat it at both "
			                 "ends. If it goes down again, replace it.");
		else if (l->z)
			sink_advise(
			    out,
			    "If neither %s nor %s was restarted and the cable was not touched, "
			    "reseat it at both ends. If it goes down again, replace it.",
			    l->a->node->label, l->z->node->label);
		else
			sink_advise(out, "If the cable was not touched, reseat it at both ends. If "
			                 "it goes down again, replace it.");
	}
}

static void advise_flap(struct ibc_sink *out, const struct bad_link *l)
{
	(void)l;
	sink_advise(out, "Take the link out of service now: disable the port at the switch, then "
	                 "replace the cable. If the link still goes down, one of its two ports is "
	                 "faulty.");
}

/* A link that comes and goes: the subnet manager reroutes each time, and all jobs feel it. */
static void check_flap(const struct ibc_input *in, struct ibc_sink *out)
{
	report_links(in, out, IBC_LINK_DOWNED, advise_flap);
}

/* ---- the table ------------------------------------------------------------------------ */

const struct ibc_check ibc_checks_counters_downed[] = {
	CHECK("counters.downed", "links that went down and came back", IBC_WARNING, check_downed,
	      COUNTED, .limits = { 1, NEVER, .unit = PER_HOUR },
	      EXPLAINED_BY(BY_PHYSICAL, BY("counters.symbol", AT), BY("counters.rcv-errors", AT),
	                   BY("counters.integrity", AT), BY("counters.recovery", AT),
	                   BY("counters.flap", AT)),
	      .many = "links|went down and came back"),
	CHECK("counters.flap", "links that go down repeatedly", IBC_CRITICAL, check_flap, COUNTED,
	      .limits = { NEVER, 3, .unit = PER_HOUR },
	      EXPLAINED_BY(BY_PHYSICAL, BY("counters.symbol", AT), BY("counters.rcv-errors", AT),
	                   BY("counters.integrity", AT), BY("counters.recovery", AT)),
	      .many = "links|go down repeatedly"),
	{ 0 },
};
