/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKFAB_H
#define MKFAB_H

/*
 * Tiny fabrics for tests.  Every question was asked and answered, and every
 * port is down until it is cabled: a test changes the one thing it is about.
 *
 *	struct mkfab m = mkfab();
 *
 *	mk_switch(m, 1, "leaf01", 4);
 *	mk_ca(m, 2, "host01 mlx5_0", 1);
 *	cable(m, 1, 1, 2, 1);
 *	port(m, 1, 1)->width_active = IBC_WIDTH_1X;
 *	fab = done(m);
 *
 * Include it after <cmocka.h>.
 */
#include <string.h>

#include "fabric/build.h"
#include "mkattrs.h"

#define MKFAB_ATTRS                                                                                \
	ibc_attrs_or(ibc_attrs_of_group(IBC_ATTRS_ALWAYS), ibc_attrs_of_group(IBC_ATTRS_COUNTERS))

#define MKFAB_SPEEDS                                                                               \
	(IBC_SPEED_SDR | IBC_SPEED_DDR | IBC_SPEED_QDR | IBC_SPEED_FDR10 | IBC_SPEED_FDR |         \
	 IBC_SPEED_EDR)

struct mkfab {
	struct fabric_build *b;
	struct ibc_subnet *subnet; /* where new nodes go */
};

static inline struct mkfab mkfab(void)
{
	struct mkfab m;

	assert_int_equal(fabric_build_new(&m.b, NULL), 0);
	m.subnet = fabric_build_subnet(m.b, "test", "snapshot");
	assert_non_null(m.subnet);
	m.subnet->provides = MKFAB_ATTRS;
	return m;
}

/* The same fabric, with another subnet for what comes. */
static inline struct mkfab mk_subnet(struct mkfab m, const char *source)
{
	m.subnet = fabric_build_subnet(m.b, source, "snapshot");
	assert_non_null(m.subnet);
	m.subnet->provides = MKFAB_ATTRS;
	return m;
}

static inline void mk_down(struct ibc_port *p)
{
	answers_put(p, IBC_ATTR_PORT_INFO, ANSWER_OK);
	p->state = IBC_STATE_DOWN;
	p->phys_state = IBC_PHYS_POLLING;
	p->width_enabled = p->width_supported = IBC_WIDTH_1X | IBC_WIDTH_4X;
	p->speed_enabled = p->speed_supported = MKFAB_SPEEDS;
}

/* A healthy 4x EDR port; of a CA its LID is the lower part of its node's GUID. */
static inline void mk_active(struct ibc_port *p)
{
	mk_down(p);
	answers_put(p, IBC_ATTR_NODE_INFO, ANSWER_OK);
	p->state = IBC_STATE_ACTIVE;
	p->phys_state = IBC_PHYS_LINKUP;
	p->width_active = IBC_WIDTH_4X;
	p->speed_active = IBC_SPEED_EDR;
	p->mtu_cap = p->mtu_active = 5;
	p->vl_cap = p->vl_active = 4;
	p->sm_lid = 1;
	p->subnet_prefix = 0xfe80000000000000;
	if (p->num == 0 || p->node->type != IBC_NODE_SWITCH) {
		p->lid = (uint16_t)p->node->guid;
		p->guid = p->node->guid + p->num;
	}
}

static inline struct ibc_node *mk_node(struct mkfab m, uint64_t guid, enum ibc_node_type type,
                                       const char *desc, unsigned int num_ports)
{
	struct ibc_node *n = fabric_build_node(m.b, m.subnet, guid, type, num_ports);

	assert_non_null(n);
	n->system_guid = guid;
	n->vendor_id = 0x2c9;
	n->device_id = type == IBC_NODE_SWITCH ? 0xcf08 : 0x1017;
	fabric_build_desc(m.b, n, desc, strlen(desc));
	for (unsigned int i = 1; i <= num_ports; i++)
		mk_down(fabric_build_port(n, i));
	return n;
}

static inline struct ibc_node *mk_ca(struct mkfab m, uint64_t guid, const char *desc,
                                     unsigned int num_ports)
{
	return mk_node(m, guid, IBC_NODE_CA, desc, num_ports);
}

static inline struct ibc_node *mk_switch(struct mkfab m, uint64_t guid, const char *desc,
                                         unsigned int num_ports)
{
	struct ibc_node *n = mk_node(m, guid, IBC_NODE_SWITCH, desc, num_ports);

	answers_put(n, IBC_ATTR_SWITCH_INFO, ANSWER_OK);
	n->lft_cap = 49152;
	mk_active(fabric_build_port(n, 0));
	not_asked(fabric_build_port(n, 0), IBC_ATTR_NODE_INFO);
	return n;
}

/* A port of a node of the current subnet, writable. */
static inline struct ibc_port *port(struct mkfab m, uint64_t guid, unsigned int num)
{
	struct ibc_port *p = fabric_build_port(fabric_build_find(m.b, m.subnet, guid), num);

	assert_non_null(p);
	return p;
}

/* A healthy cable between two ports. */
static inline void cable(struct mkfab m, uint64_t near, unsigned int near_port, uint64_t far,
                         unsigned int far_port)
{
	struct ibc_port *a = port(m, near, near_port), *z = port(m, far, far_port);

	assert_int_equal(fabric_build_link(a, z), 0);
	mk_active(a);
	mk_active(z);
}

static inline struct ibc_fabric *done(struct mkfab m)
{
	struct ibc_fabric *fab;

	assert_int_equal(fabric_build_finish(m.b, &fab, NULL), 0);
	return fab;
}

#endif
