/* SPDX-License-Identifier: BSD-2-Clause */
/* Links that the subnet manager has begun with and not finished, by what they share. */
#include <stdlib.h>

#include "check/collect.h"
#include "check/counters/rates.h"
#include "check/groups.h"

/* LinkUp in this subnet, but not ready for traffic. */
static bool is_pending(const struct ibc_port *p)
{
	return p->num && port_is_linkup(p) && ibc_port_is_here(p) &&
	       (p->state == IBC_STATE_INIT || p->state == IBC_STATE_ARMED);
}

/* A cable of which an end waits, at the end that speaks for it. */
static bool is_pending_link(const struct ibc_port *p)
{
	if (p->peer && !ibc_port_is_near_end(p) && port_is_linkup(p->peer))
		return false;
	return is_pending(p) || (p->num && p->peer && is_pending(p->peer));
}

/* ---- what they share ------------------------------------------------------------------- */

/* struct waiting - pending links by the node at one of their ends, each link twice */
struct waiting {
	const struct ibc_node *node;
	const struct ibc_port *link;
	bool reported;
};

static int by_node(const void *va, const void *vz)
{
	const struct waiting *a = va, *z = vz;

	return order_u64((uintptr_t)a->node, (uintptr_t)z->node) ?: compare_ports(a->link, z->link);
}

struct pending_group {
	struct waiting *first;
	size_t n; /* not reported yet */
};

/* The node with most links that are not reported yet, the lowest GUID among equals. */
static struct pending_group largest_group(struct waiting *all, size_t n)
{
	struct pending_group best = { 0 };
	size_t run, open;

	for (size_t i = 0; i < n; i += run) {
		open = 0;
		for (run = 0; i + run < n && all[i + run].node == all[i].node; run++)
			open += !all[i + run].reported;
		if (open > best.n ||
		    (open && open == best.n && all[i].node->guid < best.first->node->guid))
			best = (struct pending_group){ &all[i], open };
	}
	return best;
}

static void mark_reported(struct waiting *all, size_t n, const struct ibc_port *link)
{
	for (size_t i = 0; i < n; i++)
		all[i].reported |= all[i].link == link;
}

/* ---- reporting ---------------------------------------------------------------------------- */

static const char advice[] =
    "See the log of the subnet manager: if it cannot write to a port (an M_Key, a switch that "
    "refuses), it tries again at each sweep. Reset the port, then its device.";

/* Where port.state runs it reports the same links, one by one. */
static void check_pending(const struct ibc_input *in, struct ibc_sink *out)
{
	struct pending_group g;
	struct waiting *all;
	const struct ibc_port *p;
	size_t n = 0;

	if (sink_explained_by(out, "port.state") || !any_port(in->fabric, is_pending_link))
		return;
	all = sink_array(out, 2 * ibc_fabric_count(in->fabric).ports, sizeof(*all));
	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		if (!is_pending_link(p) || subnet_is_unmanaged(in->fabric, p->node->subnet))
			continue;
		all[n++] = (struct waiting){ .node = p->node, .link = p };
		if (p->peer)
			all[n++] = (struct waiting){ .node = p->peer->node, .link = p };
	}
	qsort(all, n, sizeof(*all), by_node);
	while ((g = largest_group(all, n)).n) {
		const struct ibc_node *node = g.first->node;
		struct examples examples = { .count = 0 };

		if (g.n == 1) {
			const struct ibc_port *at;

			while (g.first->reported)
				g.first++;
			at = is_pending(g.first->link) ? g.first->link : g.first->link->peer;
			sink_link(out, g.first->link, "is stuck in %s",
			          ibc_port_state_word(at->state)->name);
			sink_advise(out, "%s", advice);
			sink_fact(out, "links", ibc_u64(1));
			sink_fact(out, "state", ibc_enum(ibc_port_state_word(at->state)));
			mark_reported(all, n, g.first->link);
			continue;
		}
		sink_node(out, g.first->node, "%zu of its links are stuck in Init or Armed", g.n);
		sink_advise(out, "%s", advice);
		sink_fact(out, "links", ibc_u64(g.n));
		for (struct waiting *w = g.first; examples.count < g.n; w++)
			if (!w->reported)
				examples_add(&examples, w->link);
		examples_relate(out, &examples);
		for (struct waiting *w = g.first; w < all + n && w->node == node; w++)
			mark_reported(all, n, w->link);
	}
}

const struct ibc_check ibc_checks_sm_pending[] = {
	CHECK("sm.pending", "links that the subnet manager does not finish configuring",
	      IBC_CRITICAL, check_pending,
	      .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_PORT_INFO),
	      EXPLAINED_BY(BY("port.silent", AT), BY_MANAGER, BY("port.state", AT)),
	      .many = "links or devices|wait for the subnet manager"),
	{ 0 },
};
