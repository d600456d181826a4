/* SPDX-License-Identifier: BSD-2-Clause */
/* What a thing takes from the cables upward of a tier. */
#include "analysis/routes/dependents.h"
#include "analysis/tree/speeds.h"

/* Of one switch. */
static void lose_uplinks(struct ibc_uplink_loss *loss, const struct ibc_place *place,
                         const struct ibc_fattree *tree, uint32_t s)
{
	unsigned int uplinks = 0, lost = 0;
	const struct ibc_port *p;

	for (uint32_t at = 0; (p = up_cable(tree, s, &at)); uplinks++) {
		if (!goes_with(place, p))
			continue;
		lost++;
		loss->lost_gbps += cable_gbps(p);
	}
	if (!lost || (!place->port && tree->switches.nodes[s] == place->node))
		return;
	loss->switches++;
	if (loss->worst && lost * loss->uplinks <= loss->lost * uplinks)
		return;
	loss->worst = tree->switches.nodes[s];
	loss->uplinks = uplinks;
	loss->lost = lost;
}

/* The lowest rank of a switch whose cables upward go. */
static unsigned int lowest_rank(const struct ibc_fattree *tree, const struct ibc_place *place)
{
	const struct ibc_node *node = place->node;
	unsigned int lowest = RANK_NONE;

	for (unsigned int i = 1; i <= node->num_ports; i++) {
		const struct ibc_port *p = &node->ports[i];
		uint32_t a = switch_number(&tree->switches, node), z;

		if (!p->peer || !goes_with(place, p))
			continue;
		z = switch_number(&tree->switches, p->peer->node);
		if (z == NO_SWITCH)
			continue;
		if (rank_is_next(tree->rank, a, z) && tree->rank[a] < lowest)
			lowest = tree->rank[a];
		if (rank_is_next(tree->rank, z, a) && tree->rank[z] < lowest)
			lowest = tree->rank[z];
	}
	return lowest;
}

void dependents_uplinks(struct dependents *d, const struct ibc_fattree *tree)
{
	const struct ibc_place *place = &d->public.place;
	struct ibc_uplink_loss *loss = &d->public.uplinks;
	const struct ibc_tier *tier;
	unsigned int rank;

	if (!tree || !tree->tiers || place->node->type != IBC_NODE_SWITCH)
		return;
	rank = lowest_rank(tree, place);
	tier = rank < tree->tiers ? ibc_fattree_tier(tree, rank) : NULL;
	if (!tier)
		return;
	loss->tier = tier->name;
	loss->up_gbps = tier->up_gbps;
	for (uint32_t s = 0; s < tree->switches.n; s++)
		if (tree->rank[s] == rank)
			lose_uplinks(loss, place, tree, s);
}
