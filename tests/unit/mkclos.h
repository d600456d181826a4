/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKCLOS_H
#define MKCLOS_H

/*
 * Two-level trees with the tables of D-mod-K, plain enough to calculate by hand.
 *
 *	struct mkfab m = mkfab();
 *	const struct clos c = { .leaves = 2, .spines = 2, .hosts = 2, .cables = 1 };
 *
 *	mk_clos(m, &c);
 *	f = mk_d_mod_k(m, &c);
 *
 * Leaf l (from 0) has GUID 1 + l; its hosts sit on ports 1, 2, ... and its cables to spine 0,
 * spine 1, ... follow.  Spine s has GUID 51 + s and the cables to leaf 0, leaf 1, ...  Hosts
 * have GUIDs from 101, leaf by leaf.  LIDs are GUIDs.
 *
 * Include it after <cmocka.h>.
 */
#include <stdio.h>

#include "base/hash.h"

#include "mkfab.h"
#include "mkroutes.h"

struct clos {
	unsigned int leaves, spines, hosts, cables;
};

#define CLOS_LIDS 256

static inline uint64_t clos_leaf(unsigned int l)
{
	return 1 + l;
}

static inline uint64_t clos_spine(unsigned int s)
{
	return 51 + s;
}

static inline uint64_t clos_host(const struct clos *c, unsigned int l, unsigned int i)
{
	return 101 + l * c->hosts + i;
}

/* Cable k from leaf l to spine s: its port at either end. */
static inline unsigned int clos_up(const struct clos *c, unsigned int s, unsigned int k)
{
	return c->hosts + 1 + s * c->cables + k;
}

static inline unsigned int clos_down(const struct clos *c, unsigned int l, unsigned int k)
{
	return 1 + l * c->cables + k;
}

static inline void mk_clos_leaf(struct mkfab m, const struct clos *c, unsigned int l)
{
	char name[32];

	for (unsigned int i = 0; i < c->hosts; i++) {
		snprintf(name, sizeof(name), "host%02u mlx5_0", l * c->hosts + i + 1);
		mk_ca(m, clos_host(c, l, i), name, 1);
		cable(m, clos_leaf(l), 1 + i, clos_host(c, l, i), 1);
	}
	for (unsigned int s = 0; s < c->spines; s++)
		for (unsigned int k = 0; k < c->cables; k++)
			cable(m, clos_leaf(l), clos_up(c, s, k), clos_spine(s), clos_down(c, l, k));
}

static inline void mk_clos(struct mkfab m, const struct clos *c)
{
	char name[32];

	for (unsigned int s = 0; s < c->spines; s++) {
		snprintf(name, sizeof(name), "spine%02u", s + 1);
		mk_switch(m, clos_spine(s), name, c->leaves * c->cables + 2);
	}
	for (unsigned int l = 0; l < c->leaves; l++) {
		snprintf(name, sizeof(name), "leaf%02u", l + 1);
		mk_switch(m, clos_leaf(l), name, c->hosts + c->spines * c->cables + 2);
		mk_clos_leaf(m, c, l);
	}
}

/* Up by the number of the host, down by the same cable. */
static inline void mk_d_mod_k_to(const struct clos *c, struct fabric_forwarding *f, unsigned int l,
                                 unsigned int i)
{
	unsigned int lid = (unsigned int)clos_host(c, l, i);
	unsigned int up = (l * c->hosts + i) % (c->spines * c->cables);

	for (unsigned int from = 0; from < c->leaves; from++)
		*mk_entry(f, clos_leaf(from),
		          lid) = (uint8_t)(from == l ? 1 + i : c->hosts + 1 + up);
	for (unsigned int s = 0; s < c->spines; s++)
		*mk_entry(f, clos_spine(s), lid) = (uint8_t)clos_down(c, l, up % c->cables);
}

static inline struct fabric_forwarding *mk_d_mod_k(struct mkfab m, const struct clos *c)
{
	struct fabric_forwarding *f = mk_tables(m, CLOS_LIDS);

	for (unsigned int l = 0; l < c->leaves; l++) {
		mk_min_hop_to(f, port(m, clos_leaf(l), 0));
		for (unsigned int i = 0; i < c->hosts; i++)
			mk_d_mod_k_to(c, f, l, i);
	}
	for (unsigned int s = 0; s < c->spines; s++)
		mk_min_hop_to(f, port(m, clos_spine(s), 0));
	return f;
}

/* Below n; random is where it stands (splitmix64). */
static inline unsigned int draw(uint64_t *random, unsigned int n)
{
	return (unsigned int)(hash_mix(*random += 0x9e3779b97f4a7c15) % n);
}

/* Entries of hosts that make sense nowhere. */
static inline void mk_nonsense(struct fabric_forwarding *f, unsigned int entries, uint64_t *random)
{
	for (unsigned int i = 0; i < entries; i++) {
		size_t column = draw(random, (unsigned int)f->tables.num_switches);
		unsigned int lid = 101 + draw(random, CLOS_LIDS - 101);

		f->out[lid * f->tables.stride + column] = (uint8_t)draw(
		    random, f->tables.switches[column]->num_ports + 3u);
	}
}

#endif
