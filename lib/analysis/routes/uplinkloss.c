/* SPDX-License-Identifier: BSD-2-Clause */
/* What things take from the cables upward of each tier; where there are none, from all cables. */
#include "analysis/routes/dependents.h"
#include "analysis/tree/speeds.h"
#include "base/arena.h"

/* The next cable of a switch that counts: in a tree upward, else to any other switch. */
static const struct ibc_port *next_link(const struct ibc_fattree *tree, uint32_t s, uint32_t *at)
{
	const struct ibc_node *node = tree->switches.nodes[s];
	const struct ibc_port *p;

	if (tree->tiers)
		return up_cable(tree, s, at);
	while ((p = ibc_node_port(node, ++*at)))
		if (p->peer && p->peer->node->type == IBC_NODE_SWITCH && p->peer->node != node)
			return p;
	return NULL;
}

static struct ibc_switch_loss loss_of(const struct dependents *d, const struct ibc_fattree *tree,
                                      uint32_t s)
{
	const struct ibc_tier *tier = tree->tiers ? ibc_fattree_tier(tree, tree->rank[s]) : NULL;
	struct ibc_switch_loss loss = { .node = tree->switches.nodes[s],
		                        .tier = tier ? tier->name : NULL };
	const struct ibc_port *p;

	for (uint32_t at = 0; (p = next_link(tree, s, &at)); loss.links++) {
		loss.gbps += cable_gbps(p);
		if (!goes_with(&d->gone, p))
			continue;
		loss.lost++;
		loss.lost_gbps += cable_gbps(p);
	}
	return loss;
}

/* Of the lowest tier that loses any. */
static void add_to_tier(struct ibc_uplink_loss *sum, const struct ibc_switch_loss *loss, bool goes)
{
	sum->lost_gbps += loss->lost_gbps;
	if (goes)
		return;
	sum->switches++;
	if (sum->worst && loss->lost * sum->uplinks <= sum->lost * loss->links)
		return;
	sum->worst = loss->node;
	sum->uplinks = loss->links;
	sum->lost = loss->lost;
}

void dependents_uplinks(struct dependents *d, const struct ibc_fattree *tree)
{
	struct ibc_switch_loss *losses, *l;
	uint32_t n = tree ? tree->switches.n : 0, *rank;
	unsigned int lowest = RANK_NONE;
	const struct ibc_tier *tier;
	size_t all = 0;

	d->public.losses = losses = arena_array(d->arena, n + 1u, sizeof(*losses));
	rank = arena_array(d->arena, n + 1u, sizeof(*rank));
	for (uint32_t s = 0; s < n; s++) {
		losses[all] = loss_of(d, tree, s);
		rank[all] = tree->rank[s];
		if (!losses[all].lost)
			continue;
		lowest = rank[all] < lowest ? rank[all] : lowest;
		all++;
	}
	tier = n && tree->tiers && lowest < tree->tiers ? ibc_fattree_tier(tree, lowest) : NULL;
	if (tier) {
		d->public.uplinks.tier = tier->name;
		d->public.uplinks.up_gbps = tier->up_gbps;
	}
	/* what goes itself keeps nothing */
	for (size_t i = 0; i < all; i++) {
		bool goes = gone_has(&d->gone, losses[i].node, 0);

		if (tier && rank[i] == lowest)
			add_to_tier(&d->public.uplinks, &losses[i], goes);
		l = &losses[d->public.num_losses];
		*l = losses[i];
		d->public.num_losses += !goes;
	}
}
