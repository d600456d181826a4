/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PortRcvRemotePhysicalErrors counts packets that were damaged further up and marked
 * so by a switch.  The ports that count them are victims: this walks from the ports
 * where damage comes in to all that it reaches, each port once, O(ports).
 */
#include "check/counters/rates.h"
#include "check/groups.h"
#include "check/limits.h"
#include "check/phrases.h"
#include "fabric/fabric.h"

#define VICTIMS_MAX 32 /* so many are named */

/* A port that received marked packets, and where they were damaged. */
struct victim {
	const struct ibc_port *port;
	const struct ibc_port *root; /* NULL: no port upstream reports damage */
	struct count count;
	bool reported;
};

struct victims {
	struct victim *list; /* by node, then number, as the walk of ports is */
	size_t n;
	size_t *first_of_node; /* by order of nodes: of its victims; n: none */
};

static void collect_victims(const struct ibc_input *in, struct ibc_sink *out, struct victims *all)
{
	struct ibc_fabric_counts sizes = ibc_fabric_count(in->fabric);
	const struct ibc_port *p;

	all->n = 0;
	all->list = sink_array(out, sizes.ports, sizeof(*all->list));
	all->first_of_node = sink_array(out, sizes.nodes, sizeof(*all->first_of_node));
	for (size_t i = 0; i < sizes.nodes; i++)
		all->first_of_node[i] = SIZE_MAX;
	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		struct victim v = { .port = p };

		if (!may_have_risen(in, p, COUNTER_BIT(IBC_RCV_REMOTE_PHYSICAL)))
			continue;
		v.count = count_of(in, out->check, p, IBC_RCV_REMOTE_PHYSICAL);
		if (!v.count.n)
			continue;
		if (all->first_of_node[node_order(p->node)] == SIZE_MAX)
			all->first_of_node[node_order(p->node)] = all->n;
		all->list[all->n++] = v;
	}
}

static struct victim *find_victim(const struct victims *all, const struct ibc_port *p)
{
	size_t i = all->first_of_node[node_order(p->node)];

	for (; i < all->n && all->list[i].port->node == p->node; i++)
		if (all->list[i].port == p)
			return &all->list[i];
	return NULL;
}

/* Does damage come in here? */
static bool is_damaged(const struct ibc_input *in, const struct ibc_port *p)
{
	static const uint32_t local = COUNTER_BIT(IBC_SYMBOL_ERROR) | COUNTER_BIT(IBC_RCV_ERRORS) |
	                              COUNTER_BIT(IBC_LOCAL_PHYSICAL);
	struct ibc_delta w;

	if (!p->num || !may_have_risen(in, p, local) || !window_of(in, p, &w))
		return false;
	for (unsigned int i = 0; i < IBC_COUNTERS; i++)
		if (local & COUNTER_BIT(i) && count_in(&w, i).n)
			return true;
	return false;
}

/* ---- the walk ----------------------------------------------------------------------- */

/* What comes in at a port of a switch leaves it at others, to the ports at their far ends. */
static void find_roots(const struct ibc_input *in, struct ibc_sink *out, struct victims *all)
{
	/* where marked packets come in, the nearest to their root first */
	struct front {
		const struct ibc_port *port, *root;
	} * front, *from;
	const struct ibc_port *p, *egress;
	size_t n = 0;

	/* each port is at most once a root and once a victim */
	front = sink_array(out, 2 * ibc_fabric_count(in->fabric).ports, sizeof(*front));
	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++)
		if (is_damaged(in, p))
			front[n++] = (struct front){ p, p };
	for (from = front; from < front + n; from++) {
		const struct ibc_node *node = from->port->node;

		if (node->type != IBC_NODE_SWITCH)
			continue;
		for (unsigned int num = 1; (egress = ibc_node_port(node, num)); num++) {
			struct victim *v = egress->peer ? find_victim(all, egress->peer) : NULL;

			if (!v || v->root || egress == from->port)
				continue;
			v->root = from->root;
			front[n++] = (struct front){ v->port, v->root };
		}
	}
}

/* ---- findings ---------------------------------------------------------------------- */

/* All the victims of a root, in one finding at the root. */
static void report_root(struct ibc_sink *out, const struct victims *all, size_t first)
{
	const struct ibc_port *root = all->list[first].root;
	struct count sum = { .known = false };
	enum ibc_severity severity = IBC_OK;
	size_t n = 0;

	for (size_t i = first; i < all->n; i++) {
		struct victim *v = &all->list[i];

		if (v->root != root)
			continue;
		sum = count_add(sum, v->count);
		if (v->count.severity > severity)
			severity = v->count.severity;
		v->reported = true;
		n++;
	}
	if (!severity)
		return;
	sink_as(out, severity);
	sink_link(out, root, "packets that arrive damaged at %s were forwarded to %s: %s%s",
	          port_text(out, root), amount_text(out, n, "port"), count_text(out, &sum),
	          time_text(out, &sum));
	sink_advise(
	    out,
	    "Repair this cable (see its other findings). Leave the cables of the victims alone.");
	count_facts(out, &sum);
	sink_fact(out, "victims", ibc_u64(n));
	for (size_t i = first, named = 0; i < all->n && named < VICTIMS_MAX; i++) {
		if (all->list[i].root != root)
			continue;
		sink_relate(out, IBC_ROLE_VICTIM, all->list[i].port);
		named++;
	}
}

/* A symptom, whose cause is elsewhere: reported where the packets were damaged. */
static void check_remote_physical(const struct ibc_input *in, struct ibc_sink *out)
{
	struct victims all;

	collect_victims(in, out, &all);
	if (all.n)
		find_roots(in, out, &all);
	for (size_t i = 0; i < all.n; i++) {
		const struct victim *v = &all.list[i];

		if (v->reported)
			continue;
		if (v->root)
			report_root(out, &all, i);
		if (v->root || !v->count.severity)
			continue;
		sink_as(out, v->count.severity);
		sink_port(out, v->port,
		          "received %s packets%s that were damaged upstream, but no upstream port "
		          "reports errors",
		          count_text(out, &v->count), time_text(out, &v->count));
		sink_advise(
		    out, "This cable is not at fault. Look for upstream ports that do not report "
			 "their counters (counters.silent), and compare again over a longer time.");
		count_facts(out, &v->count);
	}
}

/* ---- the table ------------------------------------------------------------------------ */

const struct ibc_check ibc_checks_counters_remote[] = {
	CHECK("counters.remote-physical", "ports that receive packets already marked bad",
	      IBC_WARNING, check_remote_physical, COUNTED, .limits = { 1, NEVER, .unit = PER_HOUR },
	      EXPLAINED_BY(BY_DAMAGE), .many = "ports|receive packets already marked bad"),
	{ 0 },
};
