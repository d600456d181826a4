/* SPDX-License-Identifier: BSD-2-Clause */
/* What things take from the cables upward of each tier; where there are none, from all cables. */
#include "analysis/routes/dependents.h"
#include "analysis/tree/speeds.h"
#include "base/arena.h"

/* A rate that was not read makes the sum unknown. */
static void count_cable(struct ibc_switch_loss *loss, const struct ibc_port *p, bool goes)
{
	double gbps = cable_gbps(ibc_port_has_state(p) ? p : p->peer);

	loss->links++;
	loss->gbps = loss->gbps < 0 || gbps <= 0 ? -1 : loss->gbps + gbps;
	if (!goes)
		return;
	loss->lost++;
	loss->lost_gbps += gbps;
}

/* In a tree of the cables upward; where others are lost, such as in what is none, of all. */
static struct ibc_switch_loss loss_of(const struct dependents *d, const struct ibc_fattree *tree,
                                      uint32_t s)
{
	const struct ibc_tier *tier = ibc_fattree_tier(tree, tree->rank[s]);
	const struct ibc_node *node = tree->switches.nodes[s];
	struct ibc_switch_loss up = { .node = node }, all = up, *loss;
	const struct ibc_port *p;
	bool beside = false;

	for (unsigned int num = 1; (p = ibc_node_port(node, num)); num++) {
		bool goes = p->peer && goes_with(&d->gone, p);
		uint32_t z;

		if (!p->peer || p->peer->node->type != IBC_NODE_SWITCH || p->peer->node == node ||
		    !link_is_up(p))
			continue;
		z = switch_number(&tree->switches, p->peer->node);
		count_cable(&all, p, goes);
		if (tier && rank_is_next(tree->rank, s, z))
			count_cable(&up, p, goes);
		else if (!tree->tiers || !rank_is_next(tree->rank, z, s))
			beside |= goes;
	}
	loss = up.lost || !beside ? &up : &all;
	up.tier = tier ? tier->name : NULL;
	if (loss->gbps < 0)
		loss->gbps = loss->lost_gbps = 0;
	return *loss;
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
	uint32_t n = tree ? tree->switches.n : 0;
	struct ibc_switch_loss *losses = arena_array(d->arena, n + 1u, sizeof(*losses));
	struct ibc_uplink_loss *sum = &d->public.uplinks;
	const struct ibc_tier *tier;
	bool unread = false;
	size_t all = 0;

	for (uint32_t s = 0; s < n; s++) {
		losses[all] = loss_of(d, tree, s);
		all += losses[all].lost != 0;
	}
	for (size_t r = 0; n && !sum->tier && (tier = ibc_fattree_tier(tree, r)); r++)
		for (size_t i = 0; i < all; i++)
			if (losses[i].tier == tier->name) {
				sum->tier = tier->name;
				sum->up_gbps = tier->up_gbps;
			}
	d->public.losses = losses;
	/* what goes itself keeps nothing */
	for (size_t i = 0; i < all; i++) {
		bool goes = gone_has(&d->gone, losses[i].node, 0);

		if (sum->tier && losses[i].tier == sum->tier) {
			unread |= losses[i].gbps <= 0;
			add_to_tier(sum, &losses[i], goes);
		}
		losses[d->public.num_losses] = losses[i];
		d->public.num_losses += !goes;
	}
	if (unread)
		sum->up_gbps = 0;
}
