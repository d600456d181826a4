/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a deviation costs: hosts that no cable reaches any more, and paths upwards that a
 * switch has lost.  Cables that join the same two nodes as planned, at other ports, or in
 * each other's place, cost nothing.
 */
#include <stdlib.h>

#include "analysis/compare/comparison.h"
#include "analysis/tree/switches.h"
#include "base/arena.h"
#include "base/array.h"
#include "fabric/fabric.h"

/* A cable by the nodes it joins, as numbers of jacks; port: as planned, or as found. */
struct node_joint {
	uint32_t low, high;
	const struct ibc_port *port;
};

/* A cable upwards that is lost. */
struct uplink {
	uint32_t node; /* planned */
	double gbps;
};

/*
 * struct toll - the work in hand
 * @host: by planned node: the host it sits in, or NULL
 * @reported: by planned node, of a host its first: the deviation, from 1, that it was last
 *	  counted in
 * @absent, @surplus, @uplinks: of one deviation
 */
struct toll {
	struct ibc_comparison *cmp;
	const struct ibc_fabric_host **host;
	size_t *reported;
	struct node_joint *absent, *surplus;
	struct uplink *uplinks;
	size_t num_absent, num_surplus, num_uplinks;
};

/* ---- hosts -------------------------------------------------------------------------- */

static bool is_adapter_cut_off(const struct ibc_comparison *cmp, const struct ibc_node *planned)
{
	size_t i = node_order(planned);
	uint32_t found = cmp->match.found_of[i];
	const struct ibc_port *p;

	if (found == MATCH_NONE)
		return cmp->node_fate[i] == NODE_MISSING;
	for (unsigned int num = 1; (p = ibc_node_port(side_node(&cmp->found, found), num)); num++)
		if (port_presence(p) != PRESENCE_EMPTY)
			return false;
	return true;
}

static void take_host(struct toll *t, struct loss *loss, const struct ibc_node *planned,
                      size_t deviation)
{
	const struct ibc_fabric_host *host = t->host[node_order(planned)];
	size_t speaker = node_order(host ? host->nodes[0] : planned);
	const struct ibc_node *found = ibc_comparison_counterpart(t->cmp, planned);

	if (planned->type == IBC_NODE_SWITCH || node_is_aggregator(planned) ||
	    t->reported[speaker] == deviation)
		return;
	t->reported[speaker] = deviation;
	/* with its last adapter a host is cut off */
	for (size_t i = 0; host && i < host->num_nodes; i++)
		if (!is_adapter_cut_off(t->cmp, host->nodes[i]))
			return;
	if (!host && !is_adapter_cut_off(t->cmp, planned))
		return;
	loss->hosts[loss->num_hosts++] = found ? found : planned;
	loss->hosts_cut_off++;
}

/* ---- paths ------------------------------------------------------------------------------ */

static struct node_joint joint_of(uint32_t a, uint32_t z, const struct ibc_port *port)
{
	return (struct node_joint){ a < z ? a : z, a < z ? z : a, port };
}

static int by_nodes(const void *va, const void *vz)
{
	const struct node_joint *a = va, *z = vz;

	return order_u64(a->low, z->low) ?: order_u64(a->high, z->high);
}

/* As the jack of one end is used now, or the fastest beside it; 0: the device is not there. */
static double gbps_at(const struct ibc_comparison *cmp, const struct ibc_port *planned)
{
	const struct ibc_node *node = ibc_comparison_counterpart(cmp, planned->node);
	const struct ibc_port *p = comparison_found_port(cmp, planned);
	double gbps = p && p->peer ? comparison_gbps(p) : 0, most = 0;

	for (unsigned int num = 1; !gbps && node && (p = ibc_node_port(node, num)); num++) {
		double one = p->peer ? comparison_gbps(p) : 0;

		most = one > most ? one : most;
	}
	return gbps ?: most;
}

/* As planned; else of the faster end: a plan may name first the one that is not there. */
static double gbps_of(const struct ibc_comparison *cmp, const struct ibc_port *planned)
{
	double gbps = comparison_gbps(planned), near, far;

	if (gbps)
		return gbps;
	near = gbps_at(cmp, planned);
	far = gbps_at(cmp, planned->peer);
	return near > far ? near : far;
}

static void lose_uplink(struct toll *t, const struct ibc_port *p, double gbps)
{
	size_t low = node_order(p->node), high = node_order(p->peer->node);
	const struct match *m = &t->cmp->match;

	if (t->cmp->depth[low] < t->cmp->depth[high] && m->found_of[low] != MATCH_NONE)
		t->uplinks[t->num_uplinks++] = (struct uplink){ m->planned_of[m->found_of[low]],
			                                        gbps };
}

static void lose_cable(struct toll *t, struct loss *loss, const struct ibc_port *p,
                       size_t deviation)
{
	double gbps = gbps_of(t->cmp, p);

	loss->gbps += gbps;
	take_host(t, loss, p->node, deviation);
	take_host(t, loss, p->peer->node, deviation);
	if (p->node->type != IBC_NODE_SWITCH || p->peer->node->type != IBC_NODE_SWITCH)
		return;
	lose_uplink(t, p, gbps);
	lose_uplink(t, p->peer, gbps);
}

static unsigned int count_uplinks(const struct toll *t, uint32_t planned)
{
	const struct ibc_port *p;
	unsigned int n = 0;

	for (; planned != MATCH_NONE; planned = t->cmp->match.also[planned])
		for (unsigned int num = 1;
		     (p = ibc_node_port(side_node(&t->cmp->planned, planned), num)); num++)
			n += p->peer && p->peer->node->type == IBC_NODE_SWITCH &&
			     t->cmp->depth[planned] < t->cmp->depth[node_order(p->peer->node)];
	return n;
}

static int by_node(const void *va, const void *vz)
{
	const struct uplink *a = va, *z = vz;

	return order_u64(a->node, z->node);
}

static void sum_uplinks(struct toll *t, struct loss *loss)
{
	struct loss_of_switch *s = NULL;

	if (!t->num_uplinks)
		return;
	qsort(t->uplinks, t->num_uplinks, sizeof(*t->uplinks), by_node);
	loss->switches = arena_array(t->cmp->arena, t->num_uplinks, sizeof(*loss->switches));
	for (size_t i = 0; i < t->num_uplinks; i++) {
		uint32_t node = t->uplinks[i].node;

		if (i == 0 || node != t->uplinks[i - 1].node) {
			s = &loss->switches[loss->num_switches++];
			s->node = side_node(&t->cmp->found, t->cmp->match.found_of[node]);
			s->uplinks_planned = count_uplinks(t, node);
		}
		s->uplinks_lost++;
		s->gbps_lost += t->uplinks[i].gbps;
	}
}

/* ---- all deviations ------------------------------------------------------------------------ */

/* What is absent, less what joins the same nodes instead. */
static void evaluate_loss(struct toll *t, struct deviation *d, size_t number)
{
	size_t s = 0;

	d->loss.hosts = arena_array(t->cmp->arena, 2 * d->num_planned, sizeof(*d->loss.hosts));
	t->num_absent = t->num_surplus = t->num_uplinks = 0;
	for (size_t i = 0; i < d->num_planned; i++) {
		const struct ibc_port *p = d->planned[i];

		t->absent[t->num_absent++] = joint_of(jack_node(t->cmp, p->node),
		                                      jack_node(t->cmp, p->peer->node), p);
	}
	for (size_t i = 0; i < d->num_found; i++) {
		const struct ibc_port *p = d->found[i];

		t->surplus[t->num_surplus++] = joint_of((uint32_t)node_order(p->node),
		                                        (uint32_t)node_order(p->peer->node), p);
	}
	qsort(t->absent, t->num_absent, sizeof(*t->absent), by_nodes);
	qsort(t->surplus, t->num_surplus, sizeof(*t->surplus), by_nodes);
	for (size_t i = 0; i < t->num_absent; i++) {
		while (s < t->num_surplus && by_nodes(&t->surplus[s], &t->absent[i]) < 0)
			s++;
		if (s < t->num_surplus && by_nodes(&t->surplus[s], &t->absent[i]) == 0)
			s++;
		else
			lose_cable(t, &d->loss, t->absent[i].port, number);
	}
	sum_uplinks(t, &d->loss);
}

/* A deviation has its part; what a switch has left is one number, whichever of them says it. */
void compare_loss(struct ibc_comparison *cmp)
{
	unsigned int *gone = arena_array(cmp->arena, cmp->found.num_nodes, sizeof(*gone));
	struct toll t = { .cmp = cmp };
	const struct ibc_fabric_host *host;
	size_t planned = 0, found = 0;

	for (size_t i = 0; i < cmp->num_deviations; i++) {
		const struct deviation *d = &cmp->deviations[i];

		planned = d->num_planned > planned ? d->num_planned : planned;
		found = d->num_found > found ? d->num_found : found;
	}
	t.host = arena_array(cmp->arena, cmp->planned.num_nodes, sizeof(*t.host));
	t.reported = arena_array(cmp->arena, cmp->planned.num_nodes, sizeof(*t.reported));
	t.absent = arena_array(cmp->arena, planned, sizeof(*t.absent));
	t.surplus = arena_array(cmp->arena, found, sizeof(*t.surplus));
	t.uplinks = arena_array(cmp->arena, 2 * planned, sizeof(*t.uplinks));
	for (size_t i = 0; (host = ibc_fabric_host(cmp->planned.fab, i)); i++)
		for (size_t k = 0; k < host->num_nodes; k++)
			t.host[node_order(host->nodes[k])] = host;
	for (size_t i = 0; i < cmp->num_deviations; i++) {
		enum deviation_kind kind = cmp->deviations[i].kind;

		/* the others cost nothing, or what they cost is not known */
		if (kind == DEVIATION_MISSING_NODE || kind == DEVIATION_MISSING_CABLE ||
		    kind == DEVIATION_MISWIRED || kind == DEVIATION_SWAPPED)
			evaluate_loss(&t, &cmp->deviations[i], i + 1);
	}
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < cmp->num_deviations; i++) {
			struct loss *loss = &cmp->deviations[i].loss;

			for (size_t k = 0; k < loss->num_switches; k++) {
				struct loss_of_switch *s = &loss->switches[k];

				if (pass == 0)
					gone[node_order(s->node)] += s->uplinks_lost;
				else
					s->uplinks_gone = gone[node_order(s->node)];
			}
		}
}
