/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKPLAN_H
#define MKPLAN_H

/*
 * A tree to plan, and to find with something else in it: four leaves with two hosts each,
 * at ports 1 and 2, and four spines; leaf i has spine k at port 4 + k, spine k has leaf i
 * at port i.
 *
 *	found = mk_planned_without(AT(2, 5), AT(4, 1));
 *	cable(found, LEAF(2), 5, SPINE(3), 9);
 *
 * Include it after <cmocka.h>; it brings mkfab.h.
 */
#include <stdio.h>

#include "mkfab.h"

#define LEAF(i)  (10u + (i))
#define SPINE(i) (20u + (i))
#define HOST(i)  (30u + (i))

/* A port of a leaf, for lists. */
#define AT(leaf, num) (LEAF(leaf) * 100 + (num))

/* Its nodes, in the current subnet. */
static inline struct mkfab mk_nodes(struct mkfab m)
{
	char name[32];

	for (unsigned int i = 1; i <= 4; i++) {
		snprintf(name, sizeof(name), "leaf%02u", i);
		mk_switch(m, LEAF(i), name, 10);
		snprintf(name, sizeof(name), "spine%02u", i);
		mk_switch(m, SPINE(i), name, 10);
	}
	for (unsigned int i = 1; i <= 8; i++) {
		snprintf(name, sizeof(name), "host%02u mlx5_0", i);
		mk_ca(m, HOST(i), name, 1);
	}
	return m;
}

static inline struct mkfab mk_uncabled(void)
{
	return mk_nodes(mkfab());
}

static inline bool is_left_out(const unsigned int *out, unsigned int at)
{
	while (*out && *out != at)
		out++;
	return *out;
}

/* Cables all of it, but for the leaves' ports in a list that ends with 0. */
static inline void cable_all_but(struct mkfab m, const unsigned int *out)
{
	for (unsigned int leaf = 1; leaf <= 4; leaf++) {
		for (unsigned int num = 1; num <= 8; num++) {
			if (num == 3 || num == 4 || is_left_out(out, AT(leaf, num)))
				continue;
			if (num <= 2)
				cable(m, LEAF(leaf), num, HOST(2 * leaf - 2 + num), 1);
			else
				cable(m, LEAF(leaf), num, SPINE(num - 4), leaf);
		}
	}
}

static inline struct mkfab mk_cabled(struct mkfab m, const unsigned int *out)
{
	cable_all_but(m, out);
	return m;
}

#define mk_planned_without(...) mk_cabled(mk_uncabled(), (const unsigned int[]){ __VA_ARGS__, 0 })
#define mk_planned()            mk_planned_without(0)

#endif
