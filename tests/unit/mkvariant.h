/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKVARIANT_H
#define MKVARIANT_H

/*
 * What makes a tree irregular by design.
 *
 * Include it after <cmocka.h>.
 */
#include "mkfault.h"

static inline bool is_in_tier(const struct mktree *t, unsigned int sw, unsigned int tier)
{
	return t->switches[sw].tier == tier && !t->switches[sw].gone;
}

static inline void renumber_end(struct tree_end *end, unsigned int sw, const unsigned int *port)
{
	if (end->sw == sw)
		end->port = port[end->port];
}

/* All cables of a switch on other ports. */
static inline void permute_ports(struct mktree *t, unsigned int sw)
{
	unsigned int port[256];

	for (unsigned int i = 1; i <= t->switches[sw].ports; i++) {
		unsigned int k = 1 + pick(t, i);

		port[i] = port[k];
		port[k] = i;
	}
	for (unsigned int i = 0; i < t->num_links; i++) {
		renumber_end(&t->links[i].end[0], sw, port);
		renumber_end(&t->links[i].end[1], sw, port);
	}
	for (unsigned int i = 0; i < t->num_hosts; i++)
		renumber_end(&t->hosts[i].at, sw, port);
}

static inline void variant_all_ports(struct mktree *t)
{
	for (unsigned int i = 0; i < t->num_switches; i++)
		permute_ports(t, i);
}

static inline void variant_leaf_ports(struct mktree *t)
{
	for (unsigned int i = 0; i < t->num_switches; i++)
		if (is_in_tier(t, i, TIER_LEAF))
			permute_ports(t, i);
}

static inline void keep_hosts(struct mktree *t, unsigned int sw, unsigned int n)
{
	for (unsigned int i = 0; i < t->num_hosts; i++)
		if (t->hosts[i].at.sw == sw) {
			t->hosts[i].gone = n == 0;
			n -= n > 0;
		}
}

static inline void variant_few_hosts(struct mktree *t)
{
	for (unsigned int i = 0; i < t->num_switches; i++)
		if (is_in_tier(t, i, TIER_LEAF) && pick(t, 10) < 3)
			keep_hosts(t, i, 1 + pick(t, 2));
}

static inline unsigned int pick_switch(struct mktree *t, unsigned int tier)
{
	unsigned int sw;

	do
		sw = pick(t, t->num_switches);
	while (!is_in_tier(t, sw, tier));
	return sw;
}

static inline void variant_empty_leaves(struct mktree *t)
{
	for (unsigned int i = 0; i < 2; i++)
		keep_hosts(t, pick_switch(t, TIER_LEAF), 0);
}

/* Racks that were never bought: their leaves are not there. */
static inline void variant_missing_racks(struct mktree *t)
{
	for (unsigned int i = 0; i < 2; i++)
		t->switches[pick_switch(t, TIER_LEAF)].gone = true;
}

/* A third of the leaves is of an older generation. */
static inline void variant_generations(struct mktree *t)
{
	for (unsigned int i = 0; i < t->num_links; i++)
		if (is_in_tier(t, t->links[i].end[0].sw, TIER_LEAF) &&
		    t->switches[t->links[i].end[0].sw].place % 3 == 1)
			t->links[i].speed = IBC_SPEED_FDR;
}

static inline void variant_aggregation(struct mktree *t)
{
	for (unsigned int i = 0; i < t->num_switches; i++)
		tree_host(t, (struct tree_end){ i, ++t->switches[i].ports }, 7000 + i, 0)
		    ->aggregator = true;
}

/* Two hosts on each spine. */
static inline void variant_storage(struct mktree *t)
{
	for (unsigned int i = 0; i < t->num_switches; i++)
		for (unsigned int k = 0; k < 2 && is_in_tier(t, i, TIER_SPINE); k++)
			tree_host(t, (struct tree_end){ i, ++t->switches[i].ports },
			          8000 + 2 * i + k, 0);
}

/* A switch under a core, or under a spine where there is none, with one host. */
static inline void variant_management(struct mktree *t)
{
	unsigned int above = pick_switch(t, t->spec.uplinks ? TIER_CORE : TIER_SPINE);
	unsigned int sw = tree_switch(
	    t, (struct tree_switch){ .tier = TIER_TOP, .ports = 8, .guid = 0x9000 });

	tree_link(t, (struct tree_end){ sw, 8 },
	          (struct tree_end){ above, ++t->switches[above].ports })
	    ->touched = true;
	tree_host(t, (struct tree_end){ sw, 1 }, 9000, 0);
}

/* Three pairs of leaves; one or two in a tree are mistakes. */
static inline void variant_leaf_pairs(struct mktree *t)
{
	unsigned int pairs = 0;

	for (unsigned int a = 0; pairs < 3; a++) {
		if (!is_in_tier(t, a, TIER_LEAF) || t->switches[a].place % 2)
			continue;
		tree_link(t, (struct tree_end){ a, ++t->switches[a].ports },
		          (struct tree_end){ a + 1, ++t->switches[a + 1].ports })
		    ->touched = true;
		pairs++;
	}
}

/* One leaf in eight has two hosts, and the first half of its uplinks. */
static inline void variant_service_leaves(struct mktree *t)
{
	unsigned int leaves = 0;

	for (unsigned int sw = 0; sw < t->num_switches; sw++) {
		unsigned int n = t->spec.spines * t->spec.cables / 2;

		if (!is_in_tier(t, sw, TIER_LEAF) || leaves++ % 8 != 3)
			continue;
		keep_hosts(t, sw, 2);
		for (unsigned int i = 0; i < t->num_links; i++)
			if (t->links[i].end[0].sw == sw) {
				t->links[i].gone = n == 0;
				n -= n > 0;
			}
	}
}

static inline void variant_half_spine(struct mktree *t)
{
	unsigned int sw = pick_switch(t, TIER_SPINE);

	for (unsigned int i = 0; i < t->num_links; i++)
		if (t->links[i].end[1].sw == sw && t->switches[t->links[i].end[0].sw].place % 2)
			t->links[i].gone = true;
}

/* One leaf in four has no cable to the last spine. */
static inline void variant_last_spine(struct mktree *t)
{
	for (unsigned int i = 0; i < t->num_links; i++) {
		const struct tree_link *l = &t->links[i];

		if (is_in_tier(t, l->end[1].sw, TIER_SPINE) &&
		    t->switches[l->end[1].sw].place + 1 == t->spec.spines &&
		    t->switches[l->end[0].sw].place % 4 == 2)
			t->links[i].gone = true;
	}
}

#endif
