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

	if (!in->before || !p->peer)
		return false;
	ibc_windows_delta(in->windows, in->before, p, &own);
	ibc_windows_delta(in->windows, in->before, p->peer, &peer);
	return (own.fresh && !peer.fresh) || (own.cleared && !peer.cleared);
}

/* What went down of a host with all of its adapters, or of a device that is none's. */
struct outage {
	size_t cables, down;
	bool anew;
};

/* By order of nodes: which are ends of links that went down, and how often. */
struct downed_ends {
	size_t *down;
	bool *anew, *restarted;
};

static void find_ends(const struct ibc_input *in, struct ibc_sink *out, const struct bad_links *all,
                      struct downed_ends *e)
{
	size_t nodes = ibc_fabric_count(in->fabric).nodes;

	e->down = sink_array(out, nodes, sizeof(*e->down));
	e->anew = sink_array(out, nodes, sizeof(*e->anew));
	e->restarted = sink_array(out, nodes, sizeof(*e->restarted));
	for (size_t i = 0; i < all->n; i++) {
		const struct ibc_port *p = all->links[i].a, *z = p->peer;

		if (downs(&all->links[i])->n >= FLAPS)
			continue;
		e->down[node_order(p->node)]++;
		e->anew[node_order(p->node)] |= began_anew(in, p);
		if (!z || z->node == p->node)
			continue;
		e->down[node_order(z->node)]++;
		e->anew[node_order(z->node)] |= began_anew(in, z);
	}
}

static void report_restart(struct ibc_sink *out, const struct ibc_node *node,
                           const struct outage *o)
{
	const char *name = node->host_name ? node->host_name : node->label;

	sink_as(out, IBC_INFO);
	if (o->cables > 1)
		sink_node(out, node,
		          "all %zu cables of %s went down and came back: probably a restart",
		          o->cables, name);
	else
		sink_node(out, node,
		          "the cable of %s went down, and its counters start from 0 again: "
		          "probably a restart",
		          name);
	sink_fact(out, "cables", ibc_u64(o->cables));
}

/* A host with all of its adapters, or a device that is none's. */
static void evaluate_outage(struct ibc_sink *out, struct downed_ends *ends,
                            const struct ibc_node *const *nodes, size_t n)
{
	struct outage o = { .cables = 0 };

	for (size_t i = 0; i < n; i++) {
		o.cables += cabled_ports(nodes[i]);
		o.down += ends->down[node_order(nodes[i])];
		o.anew |= ends->anew[node_order(nodes[i])];
	}
	/* one cable alone tells no restart from a bad cable */
	if (!o.down || o.down != o.cables || (o.cables == 1 && !o.anew))
		return;
	report_restart(out, nodes[0], &o);
	for (size_t i = 0; i < n; i++)
		ends->restarted[node_order(nodes[i])] = true;
}

static void evaluate_restarts(const struct ibc_input *in, struct ibc_sink *out,
                              struct downed_ends *ends)
{
	const struct ibc_fabric_host *host;
	const struct ibc_node *node;

	for (size_t i = 0; (host = ibc_fabric_host(in->fabric, i)); i++)
		evaluate_outage(out, ends, host->nodes, host->num_nodes);
	for (size_t i = 0; (node = ibc_fabric_node(in->fabric, i)); i++)
		if (!node->host_name)
			evaluate_outage(out, ends, &node, 1);
}

/* ---- cables ------------------------------------------------------------------------- */

static bool is_explained(const struct downed_ends *ends, const struct bad_link *l)
{
	const struct ibc_port *p = l->a;

	if (downs(l)->n >= FLAPS)
		return false;
	return ends->restarted[node_order(p->node)] ||
	       (p->peer && ends->restarted[node_order(p->peer->node)]);
}

/* Does the other check tell of it?  One cable is one finding. */
static bool is_flap(const struct ibc_input *in, const struct ibc_sink *out,
                    const struct bad_link *l)
{
	const struct ibc_check *flap = sink_explained_by(out, "counters.flap");

	return flap && evaluate_count(in, flap, l->a, downs(l)) != IBC_OK;
}

static void advise_down(struct ibc_sink *out, const struct ibc_port *p)
{
	if (p->peer)
		sink_advise(out,
		            "If neither %s nor %s was restarted and the cable was not touched, "
		            "reseat it at both ends. If it goes down again, replace it.",
		            p->node->label, p->peer->node->label);
	else
		sink_advise(out, "If the cable was not touched, reseat it at both ends. If it goes "
		                 "down again, replace it.");
}

/*
 * A link that went down and came back.  A restart does that to all cables of a host or
 * a switch at once; what does it to one is the cable.
 */
static void check_downed(const struct ibc_input *in, struct ibc_sink *out)
{
	struct bad_links all;
	struct downed_ends ends;

	links_collect(in, out, IBC_LINK_DOWNED, &all);
	find_ends(in, out, &all, &ends);
	evaluate_restarts(in, out, &ends);
	for (size_t i = 0; i < all.n; i++) {
		const struct bad_link *l = &all.links[i];

		if (is_explained(&ends, l) || is_flap(in, out, l))
			continue;
		report_ends(out, l, IBC_LINK_DOWNED);
		advise_down(out, l->a);
		facts_of_ends(out, l, IBC_LINK_DOWNED);
	}
}

/* A link that comes and goes: the subnet manager reroutes each time, and all jobs feel it. */
static void check_flap(const struct ibc_input *in, struct ibc_sink *out)
{
	struct bad_links all;

	links_collect(in, out, IBC_LINK_DOWNED, &all);
	links_blame(in, &all);
	for (size_t i = 0; i < all.n; i++) {
		const struct bad_link *l = &all.links[i];

		if (l->blamed) {
			report_device(out, &all, l->blamed, IBC_LINK_DOWNED);
			continue;
		}
		report_ends(out, l, IBC_LINK_DOWNED);
		sink_advise(out, "Take the link out of service now: disable the port at the "
		                 "switch, then replace the cable. If the link still goes down, one "
		                 "of its two ports is faulty.");
		facts_of_ends(out, l, IBC_LINK_DOWNED);
	}
}

/* ---- the table ------------------------------------------------------------------------ */

const struct ibc_check ibc_checks_counters_downed[] = {
	CHECK("counters.downed", "links that went down and came back", IBC_WARNING, check_downed,
	      .needs = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS), .inputs = IBC_IN_BEFORE,
	      .limits = { 1, NEVER, .unit = PER_HOUR },
	      EXPLAINED_BY(BY_PHYSICAL, BY("counters.symbol", AT), BY("counters.rcv-errors", AT),
	                   BY("counters.integrity", AT), BY("counters.recovery", AT),
	                   BY("counters.flap", AT)),
	      .many = "links|went down and came back"),
	CHECK("counters.flap", "links that go down repeatedly", IBC_CRITICAL, check_flap,
	      .needs = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS), .inputs = IBC_IN_BEFORE,
	      .limits = { NEVER, 3, .unit = PER_HOUR },
	      EXPLAINED_BY(BY_PHYSICAL, BY("counters.symbol", AT), BY("counters.rcv-errors", AT),
	                   BY("counters.integrity", AT), BY("counters.recovery", AT)),
	      .many = "links|go down repeatedly"),
	{ 0 },
};
