/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKTREE_H
#define MKTREE_H

/*
 * Trees for tests, as lists that can be broken before a fabric is made of them.
 *
 *	struct mktree t = mktree(&(struct tree_spec){ .leaves = 4, .spines = 2, .hosts = 4 }, 1);
 *
 *	t.links[0].gone = true;
 *	fab = mktree_done(&t);
 *
 * Leaves have their hosts on the first ports, then the cables to spine 0, to spine 1, ...;
 * spines the cables to leaf 0, leaf 1, ..., then those to their cores; the cores of place s
 * have one port for spine s of each pod.  All have ports to spare.  GUIDs are shuffled.
 *
 * Include it after <cmocka.h>.
 */
#include <stdio.h>
#include <stdlib.h>

#include "mkfab.h"

#define SPARE_PORTS 4

/*
 * struct tree_spec - what to make
 * @pods: of leaves and spines; more than one have cores
 * @uplinks: of a spine, one to each core of its place
 * @cables: between a leaf and a spine
 * @rails: trees of this kind side by side; host i has an adapter in each
 * @regions: three-level trees under @tops for each place of a core
 * @chips: cores that every spine has a cable to, as in a director; instead of @uplinks
 * 0 stands for 1, but for uplinks, tops and chips.
 */
struct tree_spec {
	unsigned int pods, leaves, spines, uplinks, cables, hosts, rails, regions, tops, chips;
};

enum { TIER_LEAF, TIER_SPINE, TIER_CORE, TIER_TOP };

struct tree_switch {
	unsigned int tier, rail, region, pod, place, ports;
	uint64_t guid;
	bool gone;
};

struct tree_end {
	unsigned int sw, port;
};

/* end[0] is the lower one; a fault has it if it is touched; silent: nobody tells of it. */
struct tree_link {
	struct tree_end end[2];
	enum ibc_speed speed;
	bool gone, touched, silent;
};

struct tree_host {
	struct tree_end at;
	unsigned int number, adapter;
	enum ibc_speed speed; /* 0: as any */
	bool gone, aggregator, login, touched;
};

struct mktree {
	struct tree_spec spec;
	struct tree_switch *switches;
	struct tree_link *links;
	struct tree_host *hosts;
	unsigned int num_switches, num_links, num_hosts, rails, first_host;
	uint64_t random;
};

/* splitmix64 (Steele, Lea, Flood 2014); below n */
static inline unsigned int pick(struct mktree *t, unsigned int n)
{
	uint64_t z = t->random += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (unsigned int)((z ^ z >> 31) % n);
}

static inline unsigned int tree_switch(struct mktree *t, struct tree_switch sw)
{
	t->switches = realloc(t->switches, (t->num_switches + 1) * sizeof(sw));
	assert_non_null(t->switches);
	t->switches[t->num_switches] = sw;
	return t->num_switches++;
}

static inline struct tree_link *tree_link(struct mktree *t, struct tree_end lower,
                                          struct tree_end upper)
{
	t->links = realloc(t->links, (t->num_links + 1) * sizeof(*t->links));
	assert_non_null(t->links);
	t->links[t->num_links] = (struct tree_link){ .end = { lower, upper },
		                                     .speed = IBC_SPEED_EDR };
	return &t->links[t->num_links++];
}

static inline struct tree_host *tree_host(struct mktree *t, struct tree_end at, unsigned int number,
                                          unsigned int adapter)
{
	t->hosts = realloc(t->hosts, (t->num_hosts + 1) * sizeof(*t->hosts));
	assert_non_null(t->hosts);
	t->hosts[t->num_hosts] = (struct tree_host){ .at = at,
		                                     .number = number,
		                                     .adapter = adapter };
	return &t->hosts[t->num_hosts++];
}

/* The switch of a tier at a place; of a core: place of its spine * uplinks + which. */
static inline unsigned int tree_find(const struct mktree *t, unsigned int tier, unsigned int rail,
                                     unsigned int region, unsigned int pod, unsigned int place)
{
	for (unsigned int i = 0; i < t->num_switches; i++) {
		const struct tree_switch *s = &t->switches[i];

		if (s->tier == tier && s->rail == rail && s->region == region && s->pod == pod &&
		    s->place == place)
			return i;
	}
	fail_msg("no such switch");
	return 0;
}

/* ---- making ---- */

static inline void tree_pod(struct mktree *t, unsigned int rail, unsigned int region,
                            unsigned int pod)
{
	const struct tree_spec *s = &t->spec;
	unsigned int leaf = t->num_switches, spine = leaf + s->leaves;

	for (unsigned int i = 0; i < s->leaves; i++)
		tree_switch(t, (struct tree_switch){ TIER_LEAF, rail, region, pod, i,
		                                     s->hosts + s->spines * s->cables + SPARE_PORTS,
		                                     0, false });
	for (unsigned int i = 0; i < s->spines; i++)
		tree_switch(t, (struct tree_switch){ TIER_SPINE, rail, region, pod, i,
		                                     s->leaves * s->cables + s->uplinks + s->chips +
		                                         SPARE_PORTS,
		                                     0, false });
	for (unsigned int l = 0; l < s->leaves; l++) {
		for (unsigned int h = 0; h < s->hosts; h++)
			tree_host(t, (struct tree_end){ leaf + l, h + 1 },
			          t->first_host +
			              ((region * s->pods + pod) * s->leaves + l) * s->hosts + h,
			          rail);
		for (unsigned int i = 0; i < s->spines * s->cables; i++)
			tree_link(t, (struct tree_end){ leaf + l, s->hosts + i + 1 },
			          (struct tree_end){ spine + i / s->cables,
			                             l * s->cables + i % s->cables + 1 });
	}
}

static inline void tree_cores(struct mktree *t, unsigned int rail, unsigned int region)
{
	const struct tree_spec *s = &t->spec;

	for (unsigned int i = 0; i < s->spines * s->uplinks; i++) {
		unsigned int core = tree_switch(
		    t, (struct tree_switch){ TIER_CORE, rail, region, 0, i,
		                             s->pods + s->tops + SPARE_PORTS, 0, false });

		for (unsigned int pod = 0; pod < s->pods; pod++)
			tree_link(t,
			          (struct tree_end){
				      tree_find(t, TIER_SPINE, rail, region, pod, i / s->uplinks),
				      s->leaves * s->cables + i % s->uplinks + 1 },
			          (struct tree_end){ core, pod + 1 });
	}
}

static inline void tree_chips(struct mktree *t, unsigned int rail)
{
	const struct tree_spec *s = &t->spec;

	for (unsigned int i = 0; i < s->chips; i++) {
		unsigned int ports = s->pods * s->spines + SPARE_PORTS;
		unsigned int chip = tree_switch(
		    t, (struct tree_switch){ TIER_CORE, rail, 0, 0, i, ports, 0, false });

		for (unsigned int k = 0; k < s->pods * s->spines; k++)
			tree_link(t,
			          (struct tree_end){ tree_find(t, TIER_SPINE, rail, 0,
			                                       k / s->spines, k % s->spines),
			                             s->leaves * s->cables + i + 1 },
			          (struct tree_end){ chip, k + 1 });
	}
}

static inline void tree_tops(struct mktree *t, unsigned int rail)
{
	const struct tree_spec *s = &t->spec;

	for (unsigned int i = 0; i < s->spines * s->uplinks * s->tops; i++) {
		unsigned int top = tree_switch(t, (struct tree_switch){ TIER_TOP, rail, 0, 0, i,
		                                                        s->regions + SPARE_PORTS, 0,
		                                                        false });

		for (unsigned int r = 0; r < s->regions; r++)
			tree_link(
			    t,
			    (struct tree_end){ tree_find(t, TIER_CORE, rail, r, 0, i / s->tops),
			                       s->pods + i % s->tops + 1 },
			    (struct tree_end){ top, r + 1 });
	}
}

static inline void tree_shuffle_guids(struct mktree *t)
{
	for (unsigned int i = 0; i < t->num_switches; i++) {
		unsigned int j = pick(t, i + 1);

		t->switches[i].guid = t->switches[j].guid;
		t->switches[j].guid = 0x1000 + i;
	}
}

/* Another tree, beside what there is. */
static inline void mktree_add(struct mktree *t, const struct tree_spec *spec)
{
	struct tree_spec *s = &t->spec;
	unsigned int *const ones[] = { &s->pods, &s->cables, &s->rails, &s->regions };

	*s = *spec;
	t->first_host = t->num_hosts;
	for (size_t i = 0; i < sizeof(ones) / sizeof(ones[0]); i++)
		*ones[i] = *ones[i] ? *ones[i] : 1;
	for (unsigned int i = 0; i < s->rails; i++, t->rails++) {
		for (unsigned int region = 0; region < s->regions; region++) {
			for (unsigned int pod = 0; pod < s->pods; pod++)
				tree_pod(t, t->rails, region, pod);
			tree_cores(t, t->rails, region);
		}
		tree_chips(t, t->rails);
		tree_tops(t, t->rails);
	}
	tree_shuffle_guids(t);
}

static inline struct mktree mktree(const struct tree_spec *spec, uint64_t seed)
{
	struct mktree t = { .random = seed * 0x632be59bd9b4e019 };

	mktree_add(&t, spec);
	return t;
}

/* ---- the fabric of it ---- */

static inline void tree_build_switch(struct mkfab m, const struct tree_switch *s)
{
	static const char *const names[] = { "leaf", "spine", "core", "top" };
	char name[64];

	snprintf(name, sizeof(name), "%s-%u-%u-%u-%u", names[s->tier], s->rail, s->region, s->pod,
	         s->place);
	mk_switch(m, s->guid, name, s->ports);
}

static inline void tree_build_host(struct mkfab m, const struct mktree *t, unsigned int i)
{
	const struct tree_host *h = &t->hosts[i];
	struct ibc_node *node;
	char name[64] = "Mellanox Technologies Aggregation Node";

	if (!h->aggregator)
		snprintf(name, sizeof(name), "%s%05u mlx5_%u", h->login ? "login" : "host",
		         h->number, h->adapter);
	node = mk_ca(m, 0x100000 + 16ull * i, name, 1);
	cable(m, t->switches[h->at.sw].guid, h->at.port, node->guid, 1);
	if (h->speed)
		port(m, t->switches[h->at.sw].guid, h->at.port)->speed_active = (uint16_t)h->speed;
}

/* Both ends have a link, and got no answer through it. */
static inline void tree_build_silence(struct mkfab m, uint64_t guid, unsigned int num)
{
	struct ibc_port *p = port(m, guid, num);

	mk_active(p);
	answers_put(p, IBC_ATTR_NODE_INFO, ANSWER_NONE);
}

static inline void mktree_free(struct mktree *t)
{
	free(t->switches);
	free(t->links);
	free(t->hosts);
}

/* Makes the fabric, and ends the tree. */
static inline struct ibc_fabric *mktree_done(struct mktree *t)
{
	struct mkfab m = mkfab();

	for (unsigned int i = 0; i < t->num_switches; i++)
		if (!t->switches[i].gone)
			tree_build_switch(m, &t->switches[i]);
	for (unsigned int i = 0; i < t->num_links; i++) {
		const struct tree_link *l = &t->links[i];
		const struct tree_switch *a = &t->switches[l->end[0].sw];
		const struct tree_switch *z = &t->switches[l->end[1].sw];

		if (l->gone || a->gone || z->gone)
			continue;
		if (l->silent) {
			tree_build_silence(m, a->guid, l->end[0].port);
			tree_build_silence(m, z->guid, l->end[1].port);
			continue;
		}
		cable(m, a->guid, l->end[0].port, z->guid, l->end[1].port);
		port(m, a->guid, l->end[0].port)->speed_active = (uint16_t)l->speed;
		port(m, z->guid, l->end[1].port)->speed_active = (uint16_t)l->speed;
	}
	for (unsigned int i = 0; i < t->num_hosts; i++)
		if (!t->hosts[i].gone && !t->switches[t->hosts[i].at.sw].gone)
			tree_build_host(m, t, i);
	mktree_free(t);
	return done(m);
}

#endif
