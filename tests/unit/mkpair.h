/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKPAIR_H
#define MKPAIR_H

/*
 * A fabric before and after: two leaves with two hosts each, two spines.
 *
 *	struct mkfab was = mk_site(), is = mk_site();
 *
 *	port(is, 1, 5)->width_active = IBC_WIDTH_1X;
 *
 * Leaves have the GUIDs 1 and 2, spines 3 and 4, hosts 0x110 to 0x140.  Hosts are on
 * ports 1 and 2 of a leaf, spines on 5 and 6, leaves on 1 and 2 of a spine.  Include it
 * after <cmocka.h>.
 */
#include "mkfab.h"

#define LEAF01  1
#define LEAF02  2
#define SPINE01 3
#define SPINE02 4
#define HOST01  0x110
#define HOST02  0x120
#define HOST03  0x130
#define HOST04  0x140

/* Its nodes, and the cables of all but one: host04's is left out. */
static inline struct mkfab mk_site_nodes(void)
{
	struct mkfab m = mkfab();

	mk_switch(m, LEAF01, "leaf01", 8);
	mk_switch(m, LEAF02, "leaf02", 8);
	mk_switch(m, SPINE01, "spine01", 8);
	mk_switch(m, SPINE02, "spine02", 8);
	mk_ca(m, HOST01, "host01 mlx5_0", 1);
	mk_ca(m, HOST02, "host02 mlx5_0", 1);
	mk_ca(m, HOST03, "host03 mlx5_0", 1);
	return m;
}

static inline void mk_site_uplinks(struct mkfab m)
{
	cable(m, LEAF01, 5, SPINE01, 1);
	cable(m, LEAF01, 6, SPINE02, 1);
	cable(m, LEAF02, 5, SPINE01, 2);
	cable(m, LEAF02, 6, SPINE02, 2);
}

static inline void mk_site_hosts(struct mkfab m)
{
	cable(m, LEAF01, 1, HOST01, 1);
	cable(m, LEAF01, 2, HOST02, 1);
	cable(m, LEAF02, 1, HOST03, 1);
}

static inline struct mkfab mk_site(void)
{
	struct mkfab m = mk_site_nodes();

	mk_site_uplinks(m);
	mk_site_hosts(m);
	mk_ca(m, HOST04, "host04 mlx5_0", 1);
	cable(m, LEAF02, 2, HOST04, 1);
	return m;
}

/* The site with the first uplink of leaf01 unplugged. */
static inline struct mkfab mk_site_pulled(void)
{
	struct mkfab m = mk_site_nodes();

	mk_site_hosts(m);
	mk_ca(m, HOST04, "host04 mlx5_0", 1);
	cable(m, LEAF02, 2, HOST04, 1);
	cable(m, LEAF01, 6, SPINE02, 1);
	cable(m, LEAF02, 5, SPINE01, 2);
	cable(m, LEAF02, 6, SPINE02, 2);
	return m;
}

/* There is a link, and nobody answers behind it. */
static inline void mk_silent_beyond(struct mkfab m, uint64_t guid, unsigned int num)
{
	struct ibc_port *p = port(m, guid, num);

	mk_active(p);
	answers_put(p, IBC_ATTR_NODE_INFO, ANSWER_NONE);
}

#endif
