/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of links that went down and came back: a restart, or a cable. */
#include "check/counters/links.h"
#include "check/groups.h"
#include "check/limits.h"
#include "fabric/fabric.h"

#define FLAPS 3 /* so often down is no restart */

/* ---- restarts --------------------------------------------------------------------- */

/* How often a link went down: both ends count it, unless one lost its counters. */
static const struct count *downs(const struct bad_link *l)
{
	return l->at_z.n > l->at_a.n ? &l->at_z : &l->at_a;
}

/*
 * A device that restarts begins to count from 0, while the other end goes on.  One
 * that was replaced is not known of before.
 */
static bool began_anew(const struct ibc_input *in, const struct ibc_port *p)
{
	struct ibc_delta own, peer;

	if (!p->peer)
		return false;
	ibc_windows_delta(in->windows, in->before, p, &own);
	ibc_windows_delta(in->windows, in->before, p->peer, &peer);
	return (own.fresh && !peer.fresh) || (own.cleared && !peer.cleared);
}

/* A node: of how many links that went down it is an end, and what that was. */
struct outage {
	size_t down;
	bool anew, restarted;
};

/* A host with all of its adapters, or a device that is none's; @outages: by order of nodes. */
static void evaluate_outage(struct ibc_sink *out, struct outage *outages,
                            const struct ibc_node *const *nodes, size_t n)
{
	const char *name = nodes[0]->host_name ? nodes[0]->host_name : nodes[0]->label;
	size_t cables = 0, down = 0;
	bool anew = false;

	for (size_t i = 0; i < n; i++) {
		cables += cabled_ports(nodes[i]);
		down += outages[node_order(nodes[i])].down;
		anew |= outages[node_order(nodes[i])].anew;
	}
	/* one cable alone may be a restart, or a bad cable */
	if (!down || down != cables || (cables == 1 && !anew))
		return;
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
	for (size_t i = 0; i < n; i++)
		outages[node_order(nodes[i])].restarted = true;
}

static struct outage *find_restarts(const struct ibc_input *in, struct ibc_sink *out,
                                    const struct bad_links *all)
{
	struct outage *outages = sink_array(out, ibc_fabric_count(in->fabric).nodes,
	                                    sizeof(*outages));
	const struct ibc_fabric_host *host;
	const struct ibc_node *node;

	for (size_t i = 0; i < all->n; i++) {
		const struct ibc_port *p = all->links[i].a, *z = p->peer;

		if (downs(&all->links[i])->n >= FLAPS)
			continue;
		outages[node_order(p->node)].down++;
		outages[node_order(p->node)].anew |= began_anew(in, p);
		if (!z || z->node == p->node)
			continue;
		outages[node_order(z->node)].down++;
		outages[node_order(z->node)].anew |= began_anew(in, z);
	}
	for (size_t i = 0; (host = ibc_fabric_host(in->fabric, i)); i++)
		evaluate_outage(out, outages, host->nodes, host->num_nodes);
	for (size_t i = 0; (node = ibc_fabric_node(in->fabric, i)); i++)
		if (!node->host_name)
			evaluate_outage(out, outages, &node, 1);
	return outages;
}

/* ---- cables ------------------------------------------------------------------------- */

/*
 * A link that went down and came back.  A restart does that to all cables of a host or
 * a switch at once; what does it to one is the cable.
 */
static void check_downed(const struct ibc_input *in, struct ibc_sink *out)
{
	/* what that one reports is not reported twice */
	const struct ibc_check *flap = sink_explained_by(out, "counters.flap");
	const struct outage *outages;
	struct bad_links all;

	links_collect(in, out, IBC_LINK_DOWNED, &all);
	outages = find_restarts(in, out, &all);
	for (size_t i = 0; i < all.n; i++) {
		const struct bad_link *l = &all.links[i];
		bool restarted = outages[node_order(l->a->node)].restarted ||
		                 (l->z && outages[node_order(l->z->node)].restarted);

		if ((restarted && downs(l)->n < FLAPS) ||
		    (flap && evaluate_count(in, flap, l->a, downs(l)) != IBC_OK))
			continue;
		report_ends(out, l, IBC_LINK_DOWNED);
		if (l->z)
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
